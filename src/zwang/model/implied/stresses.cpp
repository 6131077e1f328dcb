/// What stands in stresses.hpp but the search for a semidefinite matrix.
#include "zwang/model/implied/stresses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/linear/tolerances.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

Stresses::Stresses(const std::vector<Equation>& equations, const Vector& start, double touch,
                   const std::vector<std::uint32_t>& one_sided)
    : touch_(touch) {
  for (const Equation& one : equations) {
    variable_.insert(variable_.end(), one.variable.begin(), one.variable.end());
  }
  std::sort(variable_.begin(), variable_.end());
  variable_.erase(std::unique(variable_.begin(), variable_.end()), variable_.end());
  n_ = variable_.size();
  shift_.assign(n_, 0.0);
  for (const std::uint32_t i : variable_) {
    start_.push_back(start[i]);
    extent_ = std::max(extent_, std::abs(start[i]));
  }
  for (const Equation& one : equations) add(one, std::binary_search(one_sided.begin(), one_sided.end(), one.row));
}

std::vector<Vector> Stresses::find() {
  std::vector<Vector> found;
  while (true) {
    make_space();
    restrict();
    find_self_stresses();
    if (stress_.empty() || !hold_flexes()) break;
    find_matrices();
    std::vector<Vector> rows;
    Vector to_least(n_, 0.0);
    if (!semidefinite(rows, to_least)) break;
    move_to(std::move(to_least));
    for (Vector& one : rows) {
      linear_.push_back(one);
      found.push_back(std::move(one));
    }
  }
  if (!adds_to_gradients(found)) return {};
  echelon(found);
  return found;
}

bool Stresses::adds_to_gradients(const std::vector<Vector>& found) const {
  std::vector<Vector> rest;
  for (const Quadratic& one : quadratic_) rest.push_back(one.g);
  Orthonormal basis;
  for (std::size_t k = 0; k + found.size() < linear_.size(); ++k) {
    rest.push_back(linear_[k]);
    const double length = norm(rest.back());
    if (length > 0) scale(rest.back(), 1 / length);
  }
  while (!rest.empty()) {
    const auto best = std::max_element(rest.begin(), rest.end(),
                                       [](const Vector& a, const Vector& b) { return dot(a, a) < dot(b, b); });
    Vector next = std::move(*best);
    rest.erase(best);
    const double left = basis.reduce(next);
    if (!(left > clearly_apart)) break;
    basis.append(std::move(next), left);
    for (Vector& one : rest) subtract(one, dot(one, basis.directions().back()), basis.directions().back());
  }
  return std::any_of(found.begin(), found.end(), [&](Vector row) {
    const double length = norm(row);
    return basis.reduce(row) > clearly_apart * length;
  });
}

bool Stresses::keeps_sides(const Vector& y) const {
  double most = 0;
  for (const double value : y) most = std::max(most, std::abs(value));
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (quadratic_[k].side * y[k] < -vanishing_coefficient * most) return false;
  }
  return true;
}

void Stresses::add(const Equation& one, bool one_sided) {
  std::vector<std::size_t> at;
  for (const std::uint32_t i : one.variable) {
    at.push_back(static_cast<std::size_t>(std::lower_bound(variable_.begin(), variable_.end(), i) - variable_.begin()));
  }
  Vector g(n_, 0.0);
  for (std::size_t k = 0; k < at.size(); ++k) g[at[k]] += one.f.g[k];
  if (one.f.degree < 2) {
    linear_.push_back(std::move(g));
    return;
  }
  Quadratic out;
  if (one_sided) out.side = one.f.factor < 0 ? -1 : 1;
  out.g = std::move(g);
  out.q = Matrix(n_, n_);
  const std::size_t slots = at.size();
  double unit = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    for (std::size_t j = 0; j < slots; ++j) {
      out.q(at[i], at[j]) += one.f.q[i * slots + j];
      unit += std::abs(one.f.q[i * slots + j]) * std::abs(start_[at[j]]);
    }
  }
  // A gradient that vanishes leaves the equation in units of its squares.
  double length = norm(out.g);
  const double squares = norm(out.q.entry);
  const double rounding = std::numeric_limits<double>::epsilon() * unit;
  if (!(length > roundings_of_nothing * rounding)) {
    std::fill(out.g.begin(), out.g.end(), 0.0);
    length = squares;
  }
  out.r = one.f.r / length;
  out.terms = one.f.terms / length;
  scale(out.g, 1 / length);
  scale(out.q.entry, 1 / length);
  out.uncertain = rounding / length;
  std::sort(at.begin(), at.end());
  at.erase(std::unique(at.begin(), at.end()), at.end());
  out.support = std::move(at);
  quadratic_.push_back(std::move(out));
}

void Stresses::make_space() {
  Orthonormal rows;
  for (const Vector& one : linear_) {
    Vector x = one;
    const double length = norm(x);
    const double rest = length > 0 ? rows.reduce(x) : 0.0;
    if (rest > linear::dependent_part * length) rows.append(std::move(x), rest);
  }
  space_.clear();
  if (rows.size() == 0) {
    for (std::size_t i = 0; i < n_; ++i) {
      space_.emplace_back(n_, 0.0);
      space_.back()[i] = 1;
    }
    return;
  }
  std::vector<Vector> rest;
  for (std::size_t i = 0; i < n_; ++i) {
    Vector axis(n_, 0.0);
    axis[i] = 1;
    static_cast<void>(rows.reduce(axis));
    rest.push_back(std::move(axis));
  }
  while (space_.size() + rows.size() < n_) {
    const auto best = std::max_element(rest.begin(), rest.end(),
                                       [](const Vector& a, const Vector& b) { return dot(a, a) < dot(b, b); });
    Vector next = *best;
    for (const Vector& one : space_) subtract(next, dot(next, one), one);
    static_cast<void>(rows.reduce(next));
    scale(next, 1 / norm(next));
    for (Vector& one : rest) subtract(one, dot(one, next), next);
    space_.push_back(std::move(next));
  }
}

void Stresses::restrict() {
  for (Quadratic& one : quadratic_) {
    one.inside.clear();
    for (const Vector& direction : space_) one.inside.push_back(dot(one.g, direction));
  }
}

Matrix Stresses::on_directions(const Quadratic& one, const std::vector<Vector>& directions) const {
  const std::size_t p = directions.size();
  const std::size_t slots = one.support.size();
  Matrix out(p, p);
  Vector image(slots);
  for (std::size_t a = 0; a < p; ++a) {
    bool touched = false;
    for (std::size_t i = 0; i < slots; ++i) {
      image[i] = 0;
      for (std::size_t j = 0; j < slots; ++j)
        image[i] += one.q(one.support[i], one.support[j]) * directions[a][one.support[j]];
      touched = touched || image[i] != 0;
    }
    for (std::size_t b = 0; b < p && touched; ++b) {
      for (std::size_t i = 0; i < slots; ++i) out(b, a) += directions[b][one.support[i]] * image[i];
    }
  }
  return out;
}

void Stresses::move_to(Vector there) {
  // What is but rounding of the way stays as it is written.
  double most = 0;
  for (const double value : there) most = std::max(most, std::abs(value));
  for (double& value : there) {
    if (std::abs(value) <= vanishing_coefficient * most) value = 0;
  }
  subtract(shift_, -1, there);
  for (Quadratic& one : quadratic_) {
    Vector image(n_, 0.0);
    for (const std::size_t i : one.support) {
      for (const std::size_t j : one.support) image[i] += one.q(i, j) * there[j];
    }
    one.r += dot(one.g, there) + 0.5 * dot(image, there);
    subtract(one.g, -1, image);
  }
}

bool Stresses::hold_flexes() const {
  const std::size_t p = space_.size();
  std::vector<Vector> flex;
  Orthonormal all = stiff_;
  for (std::size_t a = 0; a < p; ++a) {
    Vector axis(p, 0.0);
    axis[a] = 1;
    const double left = all.reduce(axis);
    if (!(left > clearly_apart)) continue;
    all.append(std::move(axis), left);
    Vector direction(n_, 0.0);
    for (std::size_t b = 0; b < p; ++b) subtract(direction, -all.directions().back()[b], space_[b]);
    flex.push_back(std::move(direction));
  }
  if (flex.empty()) return false;
  std::vector<Vector> on_flexes;
  Vector size;
  for (const Quadratic& one : quadratic_) {
    on_flexes.push_back(on_directions(one, flex).entry);
    size.push_back(norm(one.q.entry));
  }
  return std::any_of(stress_.begin(), stress_.end(), [&](const Stress& stress) {
    Vector seen(flex.size() * flex.size(), 0.0);
    double terms = 0;
    for (std::size_t k = 0; k < quadratic_.size(); ++k) {
      if (stress.y[k] == 0) continue;
      subtract(seen, -stress.y[k], on_flexes[k]);
      terms += std::abs(stress.y[k]) * size[k];
    }
    return norm(seen) > doubt_ * terms;
  });
}

void Stresses::find_self_stresses() {
  const std::size_t m = quadratic_.size();
  std::vector<Vector> rest;
  std::vector<Vector> as_rows;  ///< what each remainder is of the gradients
  for (std::size_t k = 0; k < m; ++k) {
    rest.push_back(quadratic_[k].inside);
    as_rows.emplace_back(m, 0.0);
    as_rows.back()[k] = 1;
  }
  std::vector<std::uint8_t> taken(m, 0);
  stress_.clear();
  stiff_ = {};
  doubt_ = vanishing_form;
  double rounding = std::numeric_limits<double>::epsilon();
  for (const Quadratic& one : quadratic_) rounding = std::max(rounding, one.uncertain);
  const auto uncertain = [&](std::size_t k) {
    double own = 0;
    for (std::size_t j = 0; j < m; ++j) own += std::abs(as_rows[k][j]) * quadratic_[j].uncertain;
    double weights = 0;
    for (const double value : as_rows[k]) weights += std::abs(value);
    return std::max(roundings_of_nothing * own, touches_of_a_gradient * touch_ * weights);
  };
  while (true) {
    std::size_t best = m;
    double most = 0;
    for (std::size_t k = 0; k < m; ++k) {
      if (taken[k] == 0 && norm(rest[k]) > most) {
        most = norm(rest[k]);
        best = k;
      }
    }
    if (best == m || most <= uncertain(best)) break;
    taken[best] = 1;
    // Coefficients of combinations are as uncertain as the gradients are near to dependence.
    doubt_ = std::max(doubt_, roundings_of_a_form * rounding / most);
    Vector direction = rest[best];
    stiff_.append(direction, most);
    scale(direction, 1 / most);
    Vector combination = as_rows[best];
    scale(combination, 1 / most);
    for (std::size_t k = 0; k < m; ++k) {
      if (taken[k] != 0) continue;
      const double share = dot(rest[k], direction);
      subtract(rest[k], share, direction);
      subtract(as_rows[k], share, combination);
    }
  }
  for (std::size_t k = 0; k < m; ++k) {
    if (taken[k] != 0) continue;
    Stress stress;
    stress.y = as_rows[k];
    // Rounding of coefficients that vanish.
    const double largest = std::abs(*std::max_element(stress.y.begin(), stress.y.end(),
                                                      [](double a, double b) { return std::abs(a) < std::abs(b); }));
    for (double& value : stress.y) {
      if (std::abs(value) <= vanishing_coefficient * largest) value = 0;
    }
    stress_.push_back(std::move(stress));
  }
}

void Stresses::find_matrices() {
  for (Quadratic& one : quadratic_) one.on_space = on_directions(one, space_);
  for (Stress& stress : stress_) matrix_of(stress);
}

void Stresses::matrix_of(Stress& stress) const {
  const std::size_t p = space_.size();
  stress.h.assign(p * p, 0.0);
  stress.size = 0;
  for (std::size_t k = 0; k < quadratic_.size(); ++k) {
    if (stress.y[k] == 0) continue;
    subtract(stress.h, -stress.y[k], quadratic_[k].on_space.entry);
    stress.size += std::abs(stress.y[k]) * norm(quadratic_[k].q.entry);
  }
}

void Stresses::echelon(std::vector<Vector>& rows) {
  std::vector<std::uint8_t> done(rows.size(), 0);
  for (std::size_t round = 0; round < rows.size(); ++round) {
    std::size_t row = 0;
    std::size_t column = 0;
    double most = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      for (std::size_t i = 0; done[j] == 0 && i < rows[j].size(); ++i) {
        // Of nearly equal ones the first.
        if (std::abs(rows[j][i]) > most * (1 + linear::dependent_part)) {
          most = std::abs(rows[j][i]);
          row = j;
          column = i;
        }
      }
    }
    if (most == 0) break;
    done[row] = 1;
    scale(rows[row], 1 / rows[row][column]);
    rows[row][column] = 1;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const double share = rows[j][column];
      if (j == row || share == 0) continue;
      subtract(rows[j], share, rows[row]);
      rows[j][column] = 0;
    }
  }
  for (Vector& one : rows) {
    for (double& value : one) {
      if (std::abs(value) <= vanishing_coefficient) value = 0;
    }
  }
}

}  // namespace zwang::model
