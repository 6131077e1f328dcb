/// The weights with most room: on the central path of the barrier -sum log(tau^2 - |c_k|^2), then by Newton's rule from the equations at its end.
#include "zwang/instant/disc_room.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

namespace {

/// From one place of the central path to the next: Newton's rule follows in a few rounds.
constexpr double step_on_path = 8;
/// Of tau: what is left of the gap at the end of the path; further on tau^2 - |c|^2 has no digits left.
constexpr double end_of_path = 1e-12;
constexpr int most_rounds_at_a_place = 40;
/// Of the barrier: so near its least value Newton's rule has come.
constexpr double near_the_path = 1e-6;
/// Of a step: of what the slope promises, so much must be gained.
constexpr double gained_part = 0.1;
/// A disc with more of the multipliers is at its bound: on the path a disc with room r has some 1e-12/r.
constexpr double multiplier_of_none = 1e-6;
constexpr int rounds_of_polishing = 6;
/// Of the largest: directions in which the equations at the end say nothing, as those of discs that have room.
constexpr double equation_of_none = 1e-11;

class RoomSearch {
 public:
  RoomSearch(const std::vector<std::vector<std::size_t>>& discs, std::vector<double> from, const linear::Matrix& idle)
      : discs_(discs), from_(std::move(from)), idle_(idle), y_(idle.columns, 0.0) {}

  DiscRoom run() {
    DiscRoom out;
    out.speed.assign(discs_.size(), 0.0);
    tau_ = 2 * largest(y_);
    if (tau_ > 0) {
      const double gap = 2 * static_cast<double>(discs_.size());
      const double last = gap / (end_of_path * tau_);
      double sharpness = gap / tau_;
      while (true) {
        settle_at(sharpness);
        if (sharpness >= last) break;
        sharpness = std::min(last, sharpness * step_on_path);
      }
      double sum = 0;
      for (std::size_t k = 0; k < discs_.size(); ++k) {
        const double size = size_of(y_, k);
        out.speed[k] = size / ((tau_ - size) * (tau_ + size));
        sum += out.speed[k];
      }
      for (double& x : out.speed) x = x > multiplier_of_none * sum ? x / sum : 0.0;
      polish(out.speed);
    }
    out.c = weights(y_);
    out.most = largest(y_);
    return out;
  }

 private:
  [[nodiscard]] std::vector<double> weights(const std::vector<double>& y) const {
    std::vector<double> c = from_;
    for (std::size_t j = 0; j < y.size(); ++j) {
      for (std::size_t i = 0; i < c.size(); ++i) c[i] += idle_(i, j) * y[j];
    }
    return c;
  }
  [[nodiscard]] double size_of(const std::vector<double>& y, std::size_t k) const {
    const std::vector<double> c = weights(y);
    double square = 0;
    for (const std::size_t i : discs_[k]) square += c[i] * c[i];
    return std::sqrt(square);
  }
  [[nodiscard]] double largest(const std::vector<double>& y) const {
    double most = 0;
    for (std::size_t k = 0; k < discs_.size(); ++k) most = std::max(most, size_of(y, k));
    return most;
  }
  /// The barrier; infinite outside.
  [[nodiscard]] double value(const std::vector<double>& y, double tau, double sharpness) const {
    double sum = sharpness * tau;
    for (std::size_t k = 0; k < discs_.size(); ++k) {
      const double size = size_of(y, k);
      if (!(tau > size)) return HUGE_VAL;
      sum -= elementary::log((tau - size) * (tau + size));
    }
    return sum;
  }
  /// N_k^T c_k of a disc.
  [[nodiscard]] std::vector<double> pull_of(const std::vector<double>& c, std::size_t k) const {
    std::vector<double> out(idle_.columns, 0.0);
    for (std::size_t j = 0; j < out.size(); ++j) {
      for (const std::size_t i : discs_[k]) out[j] += idle_(i, j) * c[i];
    }
    return out;
  }

  void settle_at(double sharpness) {
    const std::size_t p = y_.size();
    const std::size_t all = p + 1;
    for (int round = 0; round < most_rounds_at_a_place; ++round) {
      const std::vector<double> c = weights(y_);
      std::vector<double> slope(all, 0.0);
      std::vector<double> hessian(all * all, 0.0);
      slope[p] = sharpness;
      for (std::size_t k = 0; k < discs_.size(); ++k) {
        const double size = size_of(y_, k);
        const double room = (tau_ - size) * (tau_ + size);
        std::vector<double> by = pull_of(c, k);  // half of the slope of |c|^2 - tau^2
        by.push_back(-tau_);
        for (std::size_t i = 0; i < all; ++i) {
          slope[i] += 2 * by[i] / room;
          for (std::size_t j = 0; j < all; ++j) hessian[i * all + j] += 4 * by[i] * by[j] / (room * room);
        }
        hessian[p * all + p] -= 2 / room;
        for (std::size_t i = 0; i < p; ++i) {
          for (std::size_t j = 0; j < p; ++j) {
            double sum = 0;
            for (const std::size_t a : discs_[k]) sum += idle_(a, i) * idle_(a, j);
            hessian[i * all + j] += 2 * sum / room;
          }
        }
      }
      std::vector<double> step = slope;
      if (!linear::solve_small(hessian, step)) return;
      double decrement = 0;
      for (std::size_t i = 0; i < all; ++i) decrement += step[i] * slope[i];
      if (!(decrement > near_the_path)) return;
      const double before = value(y_, tau_, sharpness);
      double part = 1;
      bool moved = false;
      for (int halving = 0; halving < most_rounds_at_a_place && !moved; ++halving, part /= 2) {
        std::vector<double> y = y_;
        for (std::size_t j = 0; j < p; ++j) y[j] -= part * step[j];
        const double tau = tau_ - part * step[p];
        moved = value(y, tau, sharpness) <= before - gained_part * part * decrement;
        if (!moved) continue;
        y_ = std::move(y);
        tau_ = tau;
      }
      if (!moved) return;
    }
  }

  /// The equations at the end: sum l_k N_k^T c_k = 0 and |c_k| = tau where l_k > 0, sum l_k = 1.
  void polish(std::vector<double>& speed) {
    std::vector<std::size_t> at_bound;
    for (std::size_t k = 0; k < speed.size(); ++k) {
      if (speed[k] > 0) at_bound.push_back(k);
    }
    const std::size_t p = y_.size();
    const std::size_t a = at_bound.size();
    std::vector<double> y = y_;
    std::vector<double> l(a);
    double sum = 0;
    for (std::size_t k = 0; k < a; ++k) sum += l[k] = speed[at_bound[k]];
    for (double& x : l) x /= sum;
    double tau = largest(y);
    for (int round = 0; round < rounds_of_polishing; ++round) {
      const std::vector<double> c = weights(y);
      linear::Matrix matrix(p + a + 1, p + a + 1);
      std::vector<double> right(p + a + 1, 0.0);
      right[p + a] = 1;
      for (std::size_t k = 0; k < a; ++k) {
        const std::vector<double> by = pull_of(c, at_bound[k]);
        double square = 0;
        for (const std::size_t i : discs_[at_bound[k]]) square += c[i] * c[i];
        for (std::size_t i = 0; i < p; ++i) {
          right[i] -= l[k] * by[i];
          matrix(i, p + k) = by[i];
          matrix(p + k, i) = by[i];
          for (std::size_t j = 0; j < p; ++j) {
            for (const std::size_t at : discs_[at_bound[k]]) matrix(i, j) += l[k] * idle_(at, i) * idle_(at, j);
          }
        }
        right[p + k] = (tau * tau - square) / 2;
        matrix(p + k, p + a) = -tau;
        matrix(p + a, p + k) = 1;
        right[p + a] -= l[k];
      }
      const std::vector<double> step = linear::least_norm(matrix, right, nullptr, equation_of_none);
      for (std::size_t i = 0; i < p; ++i) y[i] += step[i];
      for (std::size_t k = 0; k < a; ++k) l[k] += step[p + k];
      tau += step[p + a];
    }
    // No worse than the end of the path, and with multipliers that are some.
    if (!(largest(y) <= largest(y_)) || std::any_of(l.begin(), l.end(), [](double x) { return !(x > 0); })) return;
    y_ = std::move(y);
    for (std::size_t k = 0; k < a; ++k) speed[at_bound[k]] = l[k];
  }

  const std::vector<std::vector<std::size_t>>& discs_;
  std::vector<double> from_;
  const linear::Matrix& idle_;
  std::vector<double> y_;
  double tau_ = 0;
};

}  // namespace

DiscRoom most_room(const std::vector<std::vector<std::size_t>>& discs, std::vector<double> c,
                   const linear::Matrix& idle) {
  return RoomSearch(discs, std::move(c), idle).run();
}

}  // namespace zwang::instant
