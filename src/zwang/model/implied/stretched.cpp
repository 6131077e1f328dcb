/// What stands in stretched.hpp: for every set of releases that may have come first, what follows from the others.
#include "zwang/model/implied/stretched.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "zwang/model/implied/core.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/lift.hpp"
#include "zwang/model/implied/rows.hpp"
#include "zwang/model/implied/stresses.hpp"
#include "zwang/model/implied/taut.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

/// What a model was told to hold, and until when.
struct Found {
  std::vector<std::size_t> gone;  ///< releases that it outlasts
  Orthonormal gradients;
};

class Stretched {
 public:
  Stretched(Model& model, const Rows& rows) : model_(model), rows_(rows), lift_(model), rigid_(model.variables, 0) {
    for (const Body& body : model.bodies) {
      if (body.kind != BodyKind::rigid) continue;
      std::fill_n(rigid_.begin() + body.first, body.members() * body.dimension, std::uint8_t{1});
    }
  }

  void add() {
    bool more = false;
    const std::vector<Part> parts = parts_without({}, more);
    if (parts.empty()) return;
    // Releases of what hangs together with a thread that is taut.
    std::vector<std::size_t> releases;
    for (std::size_t k = 0; k < model_.releases.size(); ++k) {
      const bool here = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
        return std::any_of(part.rows.begin(), part.rows.end(), [&](std::uint32_t row) { return lets_go(k, row); });
      });
      if (here) releases.push_back(k);
    }
    if (!more && releases.empty()) return;
    // Those that outlast more come first: what follows from them need not be said by others.
    const std::size_t count = std::min(releases.size(), most_releases);
    std::vector<unsigned> sets(std::size_t{1} << count);
    for (unsigned k = 0; k < sets.size(); ++k) sets[k] = k;
    std::stable_sort(sets.begin(), sets.end(),
                     [](unsigned a, unsigned b) { return std::popcount(a) > std::popcount(b); });
    for (const unsigned set : sets) {
      std::vector<std::size_t> gone;
      for (std::size_t k = 0; k < count; ++k) {
        if ((set >> k & 1U) != 0) gone.push_back(releases[k]);
      }
      add_without(gone);
    }
  }

 private:
  struct Part {
    std::vector<std::uint32_t> rows, one_sided;
    std::vector<std::uint32_t> sums;  ///< of those the ones with several distances in them
  };

  [[nodiscard]] bool lets_go(std::size_t release, std::uint32_t row) const {
    const std::vector<std::uint32_t>& all = model_.releases[release].rows;
    return std::find(all.begin(), all.end(), row) != all.end();
  }

  [[nodiscard]] bool touches(std::uint32_t row) const {
    return std::abs(rows_.value[row]) <= model_.simulation.touch * rows_.value_scale[row];
  }

  /// Parts in which a convex condition touches, or of rods; `more`: what moves or turns is in one of them.
  std::vector<Part> parts_without(const std::vector<std::size_t>& gone, bool& more) {
    std::vector<std::uint32_t> among = standing_without(model_, RowKind::holonomic_equation, gone);
    std::vector<std::uint32_t> one_sided = standing_without(model_, RowKind::holonomic_inequality, gone);
    std::erase_if(among, [&](std::uint32_t row) { return row >= rows_.value.size(); });
    std::erase_if(one_sided, [&](std::uint32_t row) { return row >= rows_.value.size() || !touches(row); });
    among.insert(among.end(), one_sided.begin(), one_sided.end());
    std::sort(among.begin(), among.end());
    std::vector<Part> out;
    for (std::vector<std::uint32_t>& part : parts_of(model_, core_of(model_, rows_, std::move(among)))) {
      if (part.size() > most_rows_of_a_part) continue;
      Part one;
      bool pulls = false;
      for (const std::uint32_t row : part) {
        if (!std::binary_search(one_sided.begin(), one_sided.end(), row)) continue;
        const std::optional<Equation> read = lift_.read(row);
        if (!read && read_sum(model_, row)) {
          one.one_sided.push_back(row);
          one.sums.push_back(row);
          pulls = more = true;
        }
        if (!read || read->f.degree < 2) continue;
        one.one_sided.push_back(row);
        pulls = pulls || is_convex(*read);
      }
      bool turns = false;
      for (const std::uint32_t row : part) {
        more = more || model_.groups[model_.row_group[row]].rheonomic;
        for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
          turns = turns || rigid_[model_.row_column[e]] != 0;
        }
      }
      // Rods alone are asked where they move or are let go; those of bodies are joints, whose ranks are the same all around or told otherwise.
      if (!pulls && (turns || !one.one_sided.empty())) continue;
      more = more || turns;
      one.rows = std::move(part);
      out.push_back(std::move(one));
    }
    return out;
  }

  /// What follows in a part from all but what these releases let go.
  void add_without(const std::vector<std::size_t>& gone) {
    bool more = false;
    for (const Part& part : parts_without(gone, more)) add_of(part, gone);
  }

  void add_of(const Part& part, const std::vector<std::size_t>& gone) {
    const std::vector<Implied> found = implied_by(part);
    if (found.empty()) return;
    std::vector<std::size_t> ends;
    for (std::size_t k = 0; k < model_.releases.size(); ++k) {
      if (std::any_of(part.rows.begin(), part.rows.end(), [&](std::uint32_t row) { return lets_go(k, row); }))
        ends.push_back(k);
    }
    // As conditions of a model that is only looked at: those whose gradients hold more than what outlasts them.
    Model trial = model_;
    const std::uint32_t first = trial.rows();
    for (const Implied& one : found) lift_.append(trial, one);
    Scratch scratch = make_scratch(trial);
    Rows rows = make_rows(trial);
    evaluate_rows(trial, initial_state(trial), scratch, rows);
    Orthonormal basis = outlasting(gone);
    std::vector<std::pair<Vector, double>> rest;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto row = static_cast<std::uint32_t>(first + k);
      if (!holds(trial, rows, row)) return;
      double unit = 0;
      for (const double c : found[k].c) unit = std::max(unit, std::abs(c));
      rest.emplace_back(gradient(trial, rows, row), unit);
    }
    std::vector<std::uint8_t> taken(found.size(), 0);
    while (true) {
      std::size_t best = found.size();
      double most = clearly_apart;
      for (std::size_t k = 0; k < found.size(); ++k) {
        if (taken[k] != 0) continue;
        const double left = basis.reduce(rest[k].first) / rest[k].second;
        if (left > most * (1 + linear_tie)) {
          most = left;
          best = k;
        }
      }
      if (best == found.size()) break;
      taken[best] = 1;
      basis.append(rest[best].first, norm(rest[best].first));
    }
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (taken[k] == 0) continue;
      for (const std::size_t release : ends) model_.releases[release].rows.push_back(model_.rows());
      lift_.append(model_, found[k]);
    }
    found_.push_back({gone, std::move(basis)});
  }

  std::vector<Implied> implied_by(const Part& part) {
    std::vector<Equation> equations;
    for (const std::uint32_t row : part.rows) {
      const bool sum = std::find(part.sums.begin(), part.sums.end(), row) != part.sums.end();
      if (std::optional<Equation> one = sum ? read_sum(model_, row) : lift_.read(row))
        equations.push_back(std::move(*one));
    }
    for (Equation& one : lift_.relations(equations)) equations.push_back(std::move(one));
    std::vector<std::uint32_t> convex;
    for (const Equation& one : equations) {
      if (std::binary_search(part.one_sided.begin(), part.one_sided.end(), one.row) && is_convex(one))
        convex.push_back(one.row);
    }
    std::vector<Implied> found = taut_of(equations, convex, lift_.start(), model_.simulation.touch);
    for (const Implied& one : found) {
      Equation linear;
      linear.row = ~std::uint32_t{0};
      linear.variable = one.variable;
      linear.f.degree = 1;
      linear.f.g = one.c;
      equations.push_back(std::move(linear));
    }
    // Roots that were added up are convex, but no equations of second degree.
    std::erase_if(equations, [&](const Equation& one) {
      return std::find(part.sums.begin(), part.sums.end(), one.row) != part.sums.end();
    });
    if (equations.empty()) return found;
    double extent = 0;
    for (const Equation& one : equations) extent = std::max(extent, std::sqrt(one.f.terms));
    Stresses stresses(equations, lift_.start(), model_.simulation.touch, part.one_sided);
    for (const Vector& one : stresses.find()) {
      Implied row;
      double terms = 0;
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] == 0) continue;
        const std::uint32_t number = stresses.variable()[i];
        row.variable.push_back(number);
        row.c.push_back(one[i]);
        row.d += one[i] * (lift_.start()[number] + stresses.shift()[i]);
        terms += std::abs(one[i] * lift_.start()[number]);
      }
      if (std::abs(row.d) <= model_.simulation.touch * std::max(terms, extent)) row.d = 0;
      found.push_back(std::move(row));
    }
    return found;
  }

  /// Gradients of what outlasts the same releases and more, and of what holds for ever.
  Orthonormal outlasting(const std::vector<std::size_t>& gone) {
    Orthonormal basis;
    const auto take = [&](Vector x) {
      const double length = norm(x);
      const double left = basis.reduce(x);
      if (left > clearly_apart * length) basis.append(std::move(x), left);
    };
    for (std::uint32_t row = 0; row < rows_.value.size(); ++row) {
      if (model_.conditions[model_.row_condition[row]].implied) take(gradient(model_, rows_, row));
    }
    for (const Found& one : found_) {
      if (!std::includes(one.gone.begin(), one.gone.end(), gone.begin(), gone.end())) continue;
      for (const Vector& direction : one.gradients.directions()) take(direction);
    }
    return basis;
  }

  [[nodiscard]] static Vector gradient(const Model& model, const Rows& rows, std::uint32_t row) {
    Vector out(model.variables, 0.0);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      out[model.row_column[e]] = rows.entry[e];
    return out;
  }

  /// Does the start keep it, its velocity too?
  [[nodiscard]] static bool holds(const Model& model, const Rows& rows, std::uint32_t row) {
    double rate = rows.explicit_rate[row];
    double terms = std::abs(rate);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      rate += rows.entry[e] * model.initial_velocity[model.row_column[e]];
      terms += std::abs(rows.entry[e] * model.initial_velocity[model.row_column[e]]);
    }
    return std::abs(rows.value[row]) <= nearly_touching * rows.value_scale[row] &&
           std::abs(rate) <= model.simulation.touch * terms;
  }

  /// Releases whose orders are all looked at.
  static constexpr std::size_t most_releases = 4;
  /// Of nearly equal remainders the first.
  static constexpr double linear_tie = 1e-9;

  Model& model_;
  const Rows& rows_;
  Lift lift_;
  std::vector<std::uint8_t> rigid_;  ///< per variable: of a rigid body
  std::vector<Found> found_;
};

}  // namespace

void add_stretched(Model& model, const Rows& rows) { Stretched(model, rows).add(); }

}  // namespace zwang::model
