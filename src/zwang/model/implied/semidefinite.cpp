/// A semidefinite matrix among those of the self-stresses, and the rows it stands for.
///
///   greatest t with  sum y_k H_k - t > 0  on W,  trace of the sum fixed      (interior, where a definite one exists)
///   alternately the nearest of the span and the nearest semidefinite one     (else)
#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/model/implied/stresses.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

bool Stresses::semidefinite(std::vector<Vector>& rows, Vector& to_least) const {
  const std::size_t p = space_.size();
  // The matrices made orthonormal, with what each is of y.
  std::vector<Stress> basis;
  std::vector<Stress> left;
  for (const Stress& one : stress_) {
    if (norm(one.h) <= doubt_ * one.size) continue;
    left.push_back(one);
    const double length = norm(one.h);
    scale(left.back().h, 1 / length);
    scale(left.back().y, 1 / length);
  }
  while (!left.empty()) {
    const auto best = std::max_element(left.begin(), left.end(),
                                       [](const Stress& a, const Stress& b) { return dot(a.h, a.h) < dot(b.h, b.h); });
    if (norm(best->h) <= std::max(same_form, doubt_)) break;
    Stress next = std::move(*best);
    left.erase(best);
    for (int round = 0; round < 2; ++round) {
      for (const Stress& one : basis) {
        const double share = dot(next.h, one.h);
        subtract(next.h, share, one.h);
        subtract(next.y, share, one.y);
      }
    }
    const double length = norm(next.h);
    scale(next.h, 1 / length);
    scale(next.y, 1 / length);
    for (Stress& one : left) {
      const double share = dot(one.h, next.h);
      subtract(one.h, share, next.h);
      subtract(one.y, share, next.y);
    }
    basis.push_back(std::move(next));
  }
  if (basis.empty()) return false;
  if (definite(basis, rows, to_least)) return true;

  Matrix target(p, p);
  for (std::size_t i = 0; i < p; ++i) target(i, i) = 1;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    Stress sum;
    sum.y.assign(quadratic_.size(), 0.0);
    sum.h.assign(p * p, 0.0);
    for (const Stress& one : basis) {
      const double share = dot(target.entry, one.h);
      subtract(sum.h, -share, one.h);
      subtract(sum.y, -share, one.y);
    }
    const double length = norm(sum.h);
    if (!(length > vanishing_form * norm(target.entry))) return false;
    scale(sum.h, 1 / length);
    scale(sum.y, 1 / length);
    Matrix h(p, p);
    h.entry = sum.h;
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(h);
    if (!(eigen.values.back() > 0)) return false;
    // Its rows are as exact as what is left beside them.
    double beside = 0;
    for (const double value : eigen.values) {
      const double part = value / eigen.values.back();
      if (part <= range_part) beside = std::max(beside, std::abs(part));
    }
    const bool last = beside <= rounding_of_form || beside >= before || round + 1 == most_rounds;
    if (beside <= semidefinite_part && last) return rows_of(sum, eigen, rows, to_least);
    before = beside;
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t j = 0; j < p; ++j) {
        double value = 0;
        for (std::size_t k = 0; k < p; ++k) {
          if (eigen.values[k] > 0) value += eigen.values[k] * eigen.vectors(i, k) * eigen.vectors(j, k);
        }
        target(i, j) = value;
      }
    }
  }
  return false;
}

bool Stresses::definite(const std::vector<Stress>& basis, std::vector<Vector>& rows, Vector& to_least) const {
  const std::size_t p = space_.size();
  Matrix squares(p, p);
  for (const Stress& one : basis) {
    Matrix h(p, p);
    h.entry = one.h;
    subtract(squares.entry, -1, linear::product(h, h).entry);
  }
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(squares);
  std::vector<std::size_t> seen;
  for (std::size_t k = 0; k < p; ++k) {
    if (eigen.values[k] > std::max(vanishing_coefficient, doubt_ * doubt_) * eigen.values.back()) seen.push_back(k);
  }
  const std::size_t q = seen.size();
  Matrix w(p, q);
  for (std::size_t k = 0; k < q; ++k) {
    for (std::size_t i = 0; i < p; ++i) w(i, k) = eigen.vectors(i, seen[k]);
  }
  std::vector<Matrix> on_w;
  Vector trace;
  for (const Stress& one : basis) {
    Matrix h(p, p);
    h.entry = one.h;
    on_w.push_back(linear::product(linear::transpose(w), linear::product(h, w)));
    trace.push_back(0);
    for (std::size_t k = 0; k < q; ++k) trace.back() += on_w.back()(k, k);
  }
  const double traces = dot(trace, trace);
  if (!(traces > vanishing_form * vanishing_form)) return false;
  // Coefficients: those of trace q, and directions that keep the trace.
  Vector y = trace;
  scale(y, static_cast<double>(q) / traces);
  Orthonormal fixed;
  fixed.append(trace, std::sqrt(traces));
  std::vector<Vector> direction;
  for (std::size_t k = 0; k < basis.size(); ++k) {
    Vector axis(basis.size(), 0.0);
    axis[k] = 1;
    const double left = fixed.reduce(axis);
    if (!(left > same_form)) continue;
    fixed.append(axis, left);
    direction.push_back(fixed.directions().back());
  }
  const auto combined = [&](const Vector& of) {
    Matrix sum(q, q);
    for (std::size_t k = 0; k < of.size(); ++k) subtract(sum.entry, -of[k], on_w[k].entry);
    return sum;
  };
  std::vector<Matrix> change;
  for (const Vector& one : direction) change.push_back(combined(one));
  change.emplace_back(q, q);
  for (std::size_t k = 0; k < q; ++k) change.back()(k, k) = -1;
  const std::size_t unknowns = change.size();

  double t = linear::symmetric_eigen(combined(y)).values.front() - 1;
  double mu = 1;
  for (int round = 0; round < most_rounds; ++round) {
    if (t > definite_part) break;
    // S = sum y H - t, its inverse times each change.
    Matrix s = combined(y);
    for (std::size_t k = 0; k < q; ++k) s(k, k) -= t;
    const Matrix lower = linear::cholesky(s);
    std::vector<Matrix> image;
    Vector slope(unknowns, 0.0);
    for (std::size_t a = 0; a < unknowns; ++a) {
      image.emplace_back(q, q);
      for (std::size_t c = 0; c < q; ++c) {
        Vector column(change[a].entry.begin() + static_cast<std::ptrdiff_t>(c * q),
                      change[a].entry.begin() + static_cast<std::ptrdiff_t>((c + 1) * q));
        linear::solve_lower(lower, column);
        linear::solve_lower_transposed(lower, column);
        std::copy(column.begin(), column.end(), &image[a](0, c));
        slope[a] += column[c];
      }
    }
    slope[unknowns - 1] += 1 / mu;
    Matrix second(unknowns, unknowns);
    for (std::size_t a = 0; a < unknowns; ++a) {
      const Vector turned = linear::transpose(image[a]).entry;
      for (std::size_t b = 0; b < unknowns; ++b) second(a, b) = dot(turned, image[b].entry);
    }
    const Matrix factor = linear::cholesky(second);
    Vector step = slope;
    linear::solve_lower(factor, step);
    linear::solve_lower_transposed(factor, step);
    const double decrement = std::sqrt(std::max(0.0, dot(step, slope)));
    if (!std::isfinite(decrement)) return false;
    // Damped while far: it stays inside.
    const double part = decrement > near_centre ? 1 / (1 + decrement) : 1.0;
    for (std::size_t a = 0; a + 1 < unknowns; ++a) subtract(y, -part * step[a], direction[a]);
    t += part * step[unknowns - 1];
    if (decrement >= 2 * near_centre) continue;
    // At the centre the greatest t is larger by q mu, near it by not much more.
    if (t + 2 * static_cast<double>(q) * mu < definite_part) return false;
    mu *= falling;
  }
  if (!(t > definite_part)) return false;

  // It vanishes at the start, with its gradient.
  Stress sum;
  sum.y.assign(quadratic_.size(), 0.0);
  for (std::size_t k = 0; k < basis.size(); ++k) subtract(sum.y, -y[k], basis[k].y);
  if (!keeps_sides(sum.y)) return false;
  Vector slope(p, 0.0);
  double value = 0;
  double terms = 0;
  double weights = 0;
  for (std::size_t k = 0; k < quadratic_.size(); ++k) {
    subtract(slope, -sum.y[k], quadratic_[k].inside);
    value += sum.y[k] * quadratic_[k].r;
    terms += std::abs(sum.y[k]) * quadratic_[k].terms;
    weights += std::abs(sum.y[k]);
  }
  if (norm(slope) > touches_of_a_gradient * touch_ * weights || std::abs(value) > touch_ * terms) return false;
  // Least at -S^-1 slope.
  const Matrix lower = linear::cholesky(combined(y));
  Vector least(q, 0.0);
  for (std::size_t k = 0; k < q; ++k) {
    for (std::size_t a = 0; a < p; ++a) least[k] -= w(a, k) * slope[a];
  }
  linear::solve_lower(lower, least);
  linear::solve_lower_transposed(lower, least);
  for (std::size_t k = 0; k < q; ++k) {
    rows.emplace_back(n_, 0.0);
    for (std::size_t a = 0; a < p; ++a) subtract(rows.back(), -w(a, k), space_[a]);
    subtract(to_least, -least[k], rows.back());
  }
  return true;
}

bool Stresses::rows_of(const Stress& stress, const linear::SymmetricEigen& eigen, std::vector<Vector>& rows,
                       Vector& to_least) const {
  if (!keeps_sides(stress.y)) return false;
  const std::size_t p = space_.size();
  Vector slope(p, 0.0);
  double value = 0;
  double terms = 0;
  for (std::size_t k = 0; k < quadratic_.size(); ++k) {
    subtract(slope, -stress.y[k], quadratic_[k].inside);
    value += stress.y[k] * quadratic_[k].r;
    terms += std::abs(stress.y[k]) * quadratic_[k].terms;
  }
  const double most = eigen.values.back();
  for (std::size_t k = 0; k < p; ++k) {
    if (!(eigen.values[k] > range_part * most)) continue;
    Vector row(n_, 0.0);
    double along = 0;
    for (std::size_t a = 0; a < p; ++a) {
      subtract(row, -eigen.vectors(a, k), space_[a]);
      along += eigen.vectors(a, k) * slope[a];
    }
    if (std::abs(along) > touches_of_a_gradient * touch_ * extent_ * eigen.values[k]) return false;
    subtract(to_least, along / eigen.values[k], row);
    rows.push_back(std::move(row));
  }
  return !rows.empty() && std::abs(value) <= touch_ * terms;
}

}  // namespace zwang::model
