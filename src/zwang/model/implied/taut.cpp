/// What stands in taut.hpp: the rows that a combination with no negative part balances, by least squares with no negative part.
#include "zwang/model/implied/taut.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "zwang/linear/spaces.hpp"
#include "zwang/model/implied/core.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/stresses.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

bool is_convex(const Equation& one) {
  if (one.f.degree < 2) return true;
  const std::size_t slots = one.variable.size();
  Matrix q(slots, slots);
  q.entry = one.f.q;
  scale(q.entry, one.f.factor < 0 ? -1.0 : 1.0);
  const std::vector<double> values = linear::symmetric_eigen(q).values;
  return values.back() > 0 && values.front() >= -vanishing_coefficient * values.back();
}

namespace {

/// y >= 0 with sum y_j g_j nearest to -g_k, by Lawson's and Hanson's active sets; true if the sum is -g_k.
class Balance {
 public:
  Balance(const std::vector<Vector>& g, double nothing) : g_(g), nothing_(nothing) {}

  bool of(std::size_t k, const std::vector<std::uint8_t>& alive) {
    y.assign(g_.size(), 0.0);
    passive_.clear();
    Vector rest = g_[k];
    scale(rest, -1);
    // A gradient that vanishes is balanced by itself.
    if (norm(rest) == 0) return true;
    for (std::size_t round = 0; round < g_.size(); ++round) {
      std::size_t best = k;
      double most = nothing_;
      for (std::size_t j = 0; j < g_.size(); ++j) {
        if (j == k || alive[j] == 0 || y[j] > 0) continue;
        const double gain = dot(g_[j], rest);
        if (gain > most) {
          most = gain;
          best = j;
        }
      }
      if (best == k) break;
      passive_.push_back(best);
      go_to_least(k);
      rest = g_[k];
      scale(rest, -1);
      double weights = 1;
      for (const std::size_t j : passive_) {
        subtract(rest, y[j], g_[j]);
        weights += y[j];
      }
      if (norm(rest) <= nothing_ * weights) return true;
    }
    return false;
  }

  Vector y;

 private:
  /// Least squares on the passive ones; on the way there those that would become negative go.
  void go_to_least(std::size_t k) {
    while (!passive_.empty()) {
      const Vector z = least(k);
      double part = 1;
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (!(z[i] > 0)) part = std::min(part, y[passive_[i]] / (y[passive_[i]] - z[i]));
      }
      for (std::size_t i = 0; i < z.size(); ++i) y[passive_[i]] += part * (z[i] - y[passive_[i]]);
      if (part >= 1) return;
      for (std::size_t i = 0; i < z.size(); ++i) {
        if (!(z[i] > 0) && y[passive_[i]] <= vanishing_coefficient) y[passive_[i]] = 0;
      }
      std::erase_if(passive_, [&](std::size_t j) { return !(y[j] > 0); });
    }
  }

  [[nodiscard]] Vector least(std::size_t k) const {
    const std::size_t s = passive_.size();
    Orthonormal basis;
    std::vector<Vector> upper(s, Vector(s, 0.0));
    for (std::size_t i = 0; i < s; ++i) {
      Vector column = g_[passive_[i]];
      for (std::size_t a = 0; a < i; ++a) upper[a][i] = dot(column, basis.directions()[a]);
      const double left = basis.reduce(column);
      upper[i][i] = left;
      basis.append(std::move(column), left);
    }
    Vector z(s, 0.0);
    for (std::size_t i = s; i-- > 0;) {
      double value = -dot(g_[k], basis.directions()[i]);
      for (std::size_t a = i + 1; a < s; ++a) value -= upper[i][a] * z[a];
      z[i] = value / upper[i][i];
    }
    return z;
  }

  const std::vector<Vector>& g_;
  double nothing_;
  std::vector<std::size_t> passive_;
};

/// One connected part: its equations and the inequalities asked about.
class Tightness {
 public:
  Tightness(std::vector<Equation> equations, const std::vector<std::uint32_t>& asked, const Vector& start, double touch)
      : start_(start), touch_(touch) {
    std::vector<Equation> linear;
    for (Equation& one : equations) {
      variable_.insert(variable_.end(), one.variable.begin(), one.variable.end());
      if (std::binary_search(asked.begin(), asked.end(), one.row)) {
        asked_.push_back(std::move(one));
      } else if (one.f.degree < 2) {
        linear.push_back(std::move(one));
      } else if (is_convex(one)) {
        convex_.push_back(std::move(one));
      }
    }
    std::sort(variable_.begin(), variable_.end());
    variable_.erase(std::unique(variable_.begin(), variable_.end()), variable_.end());
    for (const Equation& one : linear) static_cast<void>(take(on_variables(one)));
  }

  /// What is found makes V smaller, and the same is asked again.
  std::vector<Implied> find() {
    std::vector<Vector> rows;
    while (!asked_.empty()) {
      const std::vector<std::uint8_t> tight = balanced();
      if (std::none_of(tight.begin(), tight.end(), [](std::uint8_t one) { return one != 0; })) break;
      std::vector<Equation> left;
      for (std::size_t k = 0; k < tight.size(); ++k) {
        const bool asked = k < asked_.size();
        const Equation& one = asked ? asked_[k] : convex_[k - asked_.size()];
        if (tight[k] == 0) {
          if (asked) left.push_back(one);
          continue;
        }
        if (one.f.degree < 2) {
          take(on_variables(one));
          continue;
        }
        const std::size_t slots = one.variable.size();
        for (std::size_t i = 0; i < slots; ++i) {
          Vector row(variable_.size(), 0.0);
          for (std::size_t j = 0; j < slots; ++j) row[place_of(one.variable[j])] += one.f.q[i * slots + j];
          if (take(row)) rows.push_back(std::move(row));
        }
      }
      asked_ = std::move(left);
    }
    Stresses::echelon(rows);
    std::vector<Implied> made;
    for (const Vector& row : rows) {
      Implied out;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == 0) continue;
        out.variable.push_back(variable_[i]);
        out.c.push_back(row[i]);
        out.d += row[i] * start_[variable_[i]];
      }
      made.push_back(std::move(out));
    }
    return made;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t variable) const {
    return static_cast<std::size_t>(std::lower_bound(variable_.begin(), variable_.end(), variable) - variable_.begin());
  }

  /// One more linear equation, if it is one more.
  bool take(Vector row) {
    const double length = norm(row);
    const double rest = fixed_.reduce(row);
    if (!(rest > clearly_apart * length)) return false;
    fixed_.append(std::move(row), rest);
    return true;
  }

  /// The gradient, of length one and outwards.
  [[nodiscard]] Vector on_variables(const Equation& one) const {
    Vector g(variable_.size(), 0.0);
    for (std::size_t i = 0; i < one.variable.size(); ++i) g[place_of(one.variable[i])] += one.f.g[i];
    const double length = norm(g);
    if (length > 0) scale(g, (one.f.factor < 0 ? -1.0 : 1.0) / length);
    return g;
  }

  /// Per inequality asked about and per convex equation: does a combination with no negative part balance it?
  [[nodiscard]] std::vector<std::uint8_t> balanced() const {
    std::vector<Vector> g;
    for (const auto* list : {&asked_, &convex_}) {
      for (const Equation& one : *list) {
        g.push_back(on_variables(one));
        static_cast<void>(fixed_.reduce(g.back()));
      }
    }
    std::vector<std::uint8_t> result(g.size(), 0);
    std::vector<std::uint8_t> alive(g.size(), 1);
    Balance balance(g, touches_of_a_gradient * touch_);
    for (std::size_t k = 0; k < asked_.size(); ++k) {
      if (result[k] != 0) continue;
      if (!balance.of(k, alive)) {
        alive[k] = 0;
        continue;
      }
      result[k] = 1;
      for (std::size_t j = 0; j < g.size(); ++j) {
        if (balance.y[j] > vanishing_coefficient) result[j] = 1;
      }
    }
    return result;
  }

  const Vector& start_;
  double touch_;
  std::vector<Equation> convex_, asked_;
  std::vector<std::uint32_t> variable_;
  Orthonormal fixed_;  ///< what V is orthogonal to
};

}  // namespace

std::vector<std::uint32_t> touching_convex(const Model& model, const Rows& rows) {
  std::vector<std::uint32_t> out;
  bool squares = false;
  for (const std::uint32_t row : lasting(model, RowKind::holonomic_inequality)) {
    if (!(std::abs(rows.value[row]) <= model.simulation.touch * rows.value_scale[row])) continue;
    const std::optional<Equation> one = read_equation(model, row);
    if (!one || !is_convex(*one)) continue;
    squares = squares || one->f.degree == 2;
    out.push_back(row);
  }
  return squares ? out : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> touching_squares(const Model& model, const Rows& rows) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t row : lasting(model, RowKind::holonomic_inequality)) {
    if (!(std::abs(rows.value[row]) <= model.simulation.touch * rows.value_scale[row])) continue;
    const std::optional<Equation> one = read_equation(model, row);
    if (one && one->f.degree == 2) out.push_back(row);
  }
  return out;
}

std::vector<Implied> taut_rows(const Model& model, const std::vector<std::uint32_t>& among,
                               const std::vector<std::uint32_t>& asked) {
  std::vector<Implied> found;
  for (const std::vector<std::uint32_t>& part : parts_of(model, among)) {
    if (part.size() > most_rows_of_a_part) continue;
    std::vector<Equation> equations;
    for (const std::uint32_t row : part) {
      if (std::optional<Equation> one = read_equation(model, row)) equations.push_back(std::move(*one));
    }
    std::vector<Implied> made = taut_of(std::move(equations), asked, model.initial_position, model.simulation.touch);
    if (!std::all_of(made.begin(), made.end(), [&](const Implied& row) { return keeps(model, row); })) continue;
    std::move(made.begin(), made.end(), std::back_inserter(found));
  }
  return found;
}

std::vector<Implied> taut_of(std::vector<Equation> equations, const std::vector<std::uint32_t>& asked,
                             const Vector& start, double touch) {
  return Tightness(std::move(equations), asked, start, touch).find();
}

}  // namespace zwang::model
