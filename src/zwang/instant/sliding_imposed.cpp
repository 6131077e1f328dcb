/// Surfaces that conditions move off their thresholds by a derivative higher than that in which forces occur.
///
/// A cam with x = t^3 has neither speed nor acceleration at t = 0, and yet friction acts at once. With w = s^m u + ..., m > 1, and w' = b - A c as in sliding_discs.cpp, w' vanishes at
/// this instant, so that b = A c, while the conditions tell what they move,
///
///   y.u = y.e for every y with y A = 0,     u = p c, p > 0, |c| = 1, or u = 0 and |c| <= 1.
///
/// That is the limit for eps -> 0 of w' = b + eps e - A c with w' = eps u: with a small eps it tells who moves, and the equations above are then solved by Newton's rule.
///
/// Symbols: as in sliding_discs.cpp; e what is imposed, u the first speed. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/instant/sliding.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

void Sliding::impose(std::span<const Imposed> imposed) {
  if (imposed.empty()) return;
  imposed_.assign(switches_.size(), 0.0);
  double most = 0;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    for (const Imposed& one : imposed) {
      if (one.number == switches_[i]) imposed_[i] = one.rate;
    }
    most = std::max(most, std::abs(imposed_[i]));
  }
  if (!(most > 0)) return imposed_.clear();
  for (double& rate : imposed_) rate /= most;
}

void Sliding::add_imposed(std::vector<double>& w) const {
  if (!(imposed_size_ > 0)) return;
  for (std::size_t i = 0; i < w.size() && i < imposed_.size(); ++i) w[i] += imposed_size_ * imposed_[i];
}

double Sliding::free_push() {
  std::vector<double> base;
  std::vector<double> change;
  std::vector<double> relief;
  double most = 0;
  if (model_.flow || !with_rows({}, base, change, relief)) return 1;
  for (const double x : base) most = std::max(most, std::abs(x));
  for (const double x : change) most = std::max(most, std::abs(x));
  return most > 0 ? most : 1.0;
}

void Sliding::leave_as_imposed(std::vector<double> base, const std::vector<double>& effect, double zero,
                               std::vector<Disc>& discs, std::vector<double>& c) {
  // Who is pushed at once, without what is imposed?
  for (std::size_t i = 0; i < base.size(); ++i) base[i] -= imposed_size_ * imposed_[i];
  std::vector<Disc> alone = discs;
  std::vector<double> there;
  bool at_once = !solve_discs(base, effect, zero, alone, there);
  corners_.refusal.clear();
  for (std::size_t k = 0; k < discs.size(); ++k) {
    const bool pushed = !at_once && alone[k].push > zero;
    discs[k].imposed = discs[k].push > zero && !pushed;
    at_once = at_once || pushed;
  }
  if (!at_once && limit_of_imposed(base, effect, zero, discs, c)) return;
  // Beside them the least push that is told from nothing.
  std::vector<double> little = base;
  for (std::size_t i = 0; i < base.size(); ++i) little[i] += least_imposed_part * imposed_size_ * imposed_[i];
  std::vector<Disc> then = discs;
  if (!solve_discs(little, effect, zero, then, there)) return corners_.refusal.clear();
  c = there;
}

bool Sliding::limit_of_imposed(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                               const std::vector<Disc>& discs, std::vector<double>& c) const {
  const std::size_t n = base.size();
  double most = 0;
  for (const double value : effect) most = std::max(most, std::abs(value));
  if (!(most > 0)) most = 1;
  linear::Matrix scaled(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) scaled(i, j) = effect[i * n + j] / most;
  }
  const linear::Matrix left = linear::null_space(linear::transpose(scaled), own_effect);
  std::vector<std::size_t> moving;
  std::vector<double> p;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    if (!discs[k].imposed) continue;
    moving.push_back(k);
    p.push_back(discs[k].push / imposed_size_);
  }
  // b - A c = 0, then y.(p c - e) = 0, then |c|^2 = 1.
  const std::size_t rows = n + left.columns + moving.size();
  std::vector<double> x = c;
  double off = 0;
  for (int round = 0; round < most_newton_rounds_of_imposed; ++round) {
    std::vector<double> right = pushes_of(base, effect, x);
    for (double& value : right) value /= most;
    right.resize(rows, 0.0);
    linear::Matrix matrix(rows, n + moving.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix(i, j) = scaled(i, j);
    }
    for (std::size_t y = 0; y < left.columns; ++y) {
      for (std::size_t i = 0; i < n; ++i) right[n + y] += left(i, y) * imposed_[i];
    }
    for (std::size_t a = 0; a < moving.size(); ++a) {
      double square = 0;
      for (const std::size_t i : discs[moving[a]].of) {
        for (std::size_t y = 0; y < left.columns; ++y) {
          right[n + y] -= left(i, y) * p[a] * x[i];
          matrix(n + y, i) += left(i, y) * p[a];
          matrix(n + y, n + a) += left(i, y) * x[i];
        }
        matrix(n + left.columns + a, i) = x[i];
        square += x[i] * x[i];
      }
      right[n + left.columns + a] = (1 - square) / 2;
    }
    off = 0;
    for (const double value : right) off = std::max(off, std::abs(value));
    if (off <= rounding_of_discs) break;
    const std::vector<double> step = linear::least_norm(matrix, right, nullptr, push_zero);
    for (std::size_t i = 0; i < n; ++i) x[i] += step[i];
    for (std::size_t a = 0; a < moving.size(); ++a) p[a] += step[n + a];
  }
  // As it must be, and near to where it came from.
  const auto inside = [&](const Disc& disc) {
    double square = 0;
    for (const std::size_t i : disc.of) square += x[i] * x[i];
    return square <= 1 + push_zero;
  };
  const bool fits = off <= push_in_doubt * push_zero + zero / most && std::all_of(discs.begin(), discs.end(), inside) &&
                    std::all_of(p.begin(), p.end(), [](double value) { return value > 0; });
  if (fits) c = std::move(x);
  return fits;
}

}  // namespace zwang::instant
