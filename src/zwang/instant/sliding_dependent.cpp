/// Surfaces that depend on one another: the accelerations are unique, the weights are not.
#include <algorithm>
#include <cmath>

#include "zwang/instant/sliding.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

/// The weights of surfaces that depend on one another, and who keeps whom.
class Sliding::Dependent {
 public:
  Dependent(const Sliding& of, const std::vector<double>& base, const std::vector<double>& change, double zero)
      : of_(of), n_(of.switches_.size()), base_(base), change_(change), zero_(zero), sigma(n_, 0.0) {
    for (std::size_t i = 0; i < n_; ++i) most_ = std::max(most_, std::abs(change[i * n_ + i]));
    // What the motion was going to do first.
    for (std::size_t i = 0; i < n_; ++i) {
      where.push_back(of.towards_[i] > of.on_[i]    ? Where::above
                      : of.towards_[i] == of.on_[i] ? Where::on
                                                    : Where::below);
    }
  }

  /// Where every switch is with a little more of its own effect everywhere, and its weight; "", or why there is no answer.
  [[nodiscard]] const char* find_states() {
    bool right = false;
    for (std::size_t round = 0; round < 100 + 20 * n_ && !right; ++round) {
      std::vector<std::size_t> on;
      for (std::size_t i = 0; i < n_; ++i) {
        sigma[i] = where[i] == Where::above ? 1 : 0;
        if (where[i] == Where::on) on.push_back(i);
      }
      if (!find_weights(on, false)) return "their combination is not determined";
      right = true;
      for (std::size_t i = 0; i < n_ && right; ++i) {
        double w = base_[i] + own_effect * most_ * middle_weight;
        for (std::size_t j = 0; j < n_; ++j) w += effect(i, j) * sigma[j];
        const Where before = where[i];
        if (before == Where::on && sigma[i] < 0) where[i] = Where::below;
        if (before == Where::on && sigma[i] > 1) where[i] = Where::above;
        if (before == Where::below && w > zero_) where[i] = Where::on;
        if (before == Where::above && w < -zero_) where[i] = Where::on;
        right = where[i] == before;
      }
    }
    return right ? "" : "no combination keeps the motion on them";
  }

  /// As many as are independent are slid on, and keep the rest of those that stay. False: no share is as it must be.
  [[nodiscard]] bool share_out() {
    // What leaves its threshold although the others are kept on theirs is not kept by them.
    departs_.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      departs_[i] = where[i] != Where::on && std::abs(push_on(i)) > at_bound * most_ ? 1 : 0;
    }
    const std::vector<Where> stuck = where;
    const std::vector<double> weights = sigma;
    const std::vector<std::uint8_t> none(n_, 0);
    bool shared = share(none);
    const std::vector<std::uint8_t> leaving = at_their_bounds();
    if (!any_goes_beyond(leaving)) return shared;
    // What has come to its bound and would go beyond goes, with all that are at theirs, if no other share holds it.
    where = stuck;
    sigma = weights;
    shared = share(leaving);
    if (shared) return true;
    where = stuck;
    sigma = weights;
    return share(none);
  }

 private:
  [[nodiscard]] double effect(std::size_t i, std::size_t j) const {
    return change_[i * n_ + j] - (i == j ? own_effect * most_ : 0.0);
  }
  /// w of a switch under the present weights.
  [[nodiscard]] double push_on(std::size_t i) const {
    double w = base_[i];
    for (std::size_t j = 0; j < n_; ++j) w += change_[i * n_ + j] * sigma[j];
    return w;
  }

  /// Weights of these from the rest; false: they have none. `alone`: without the little more of their own effect.
  bool find_weights(const std::vector<std::size_t>& on, bool alone) {
    std::vector<double> matrix(on.size() * on.size());
    std::vector<double> x(on.size());
    for (std::size_t a = 0; a < on.size(); ++a) {
      x[a] = -base_[on[a]] - (alone ? 0.0 : own_effect * most_ * middle_weight);
      for (std::size_t j = 0; j < n_; ++j) {
        if (std::find(on.begin(), on.end(), j) == on.end()) x[a] -= change_[on[a] * n_ + j] * sigma[j];
      }
      for (std::size_t b = 0; b < on.size(); ++b) {
        matrix[a * on.size() + b] = alone ? change_[on[a] * n_ + on[b]] : effect(on[a], on[b]);
      }
    }
    if (!linear::solve_small(matrix, x, alone ? push_zero : 0.0)) return false;
    for (std::size_t a = 0; a < on.size(); ++a) sigma[on[a]] = x[a];
    return true;
  }

  /// As many as are independent, those farthest from their bounds first; what they keep is implied. True: all is as it must be.
  bool share(const std::vector<std::uint8_t>& leaving) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < n_; ++i) {
      if (where[i] == Where::on && leaving[i] == 0) order.push_back(i);
    }
    // The series of a flow keeps a function by its first derivative: those of which the second one is moved are kept by others.
    const auto room = [&](std::size_t i) { return std::min(sigma[i], 1 - sigma[i]) - (by_second(i) ? 1.0 : 0.0); };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return room(a) > room(b); });
    Span span = of_.kept_by_equations();
    std::vector<std::size_t> kept;
    slides.assign(n_, 0);
    implied.assign(n_, 0);
    for (const std::size_t i : order) {
      if (!span.add(of_.pulls(of_.switches_[i]))) continue;
      if (by_second(i)) return false;
      kept.push_back(i);
      slides[i] = 1;
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (slides[i] != 0) continue;
      if (leaving[i] != 0) where[i] = sigma[i] > middle_weight ? Where::above : Where::below;
      if (leaving[i] == 0 && departs_[i] == 0 && span.holds(of_.pulls(of_.switches_[i]))) {
        where[i] = Where::on;
        slides[i] = implied[i] = 1;
      }
      if (where[i] != Where::on) sigma[i] = where[i] == Where::above ? 1 : 0;
    }
    if (!find_weights(kept, true)) return false;
    // They carry what they can, so that those that follow the motion have most room.
    for (std::size_t i = 0; i < n_; ++i) {
      if (implied[i] == 0 || !by_second(i)) continue;
      for (const std::size_t k : kept) {
        const double by = change_[k * n_ + i];
        if (std::abs(by) <= zero_) continue;
        sigma[i] = std::clamp(sigma[i] + change_[k * n_ + k] * (sigma[k] - middle_weight) / by, 0.0, 1.0);
        if (!find_weights(kept, true)) return false;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      const double w = push_on(i);
      if (where[i] == Where::below && w > push_in_doubt * zero_) return false;
      if (where[i] == Where::above && w < -push_in_doubt * zero_) return false;
      if (where[i] == Where::on && (sigma[i] < -at_bound || sigma[i] > 1 + at_bound)) return false;
    }
    return true;
  }

  [[nodiscard]] bool by_second(std::size_t i) const { return of_.by_second(of_.switches_[i]); }

  [[nodiscard]] std::vector<std::uint8_t> at_their_bounds() const {
    std::vector<std::uint8_t> out(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      out[i] = where[i] == Where::on && (sigma[i] < at_bound || sigma[i] > 1 - at_bound) ? 1 : 0;
    }
    return out;
  }

  /// Would one that is at its bound go beyond, with none to hold it? What others keep goes once they are at theirs.
  [[nodiscard]] bool any_goes_beyond(const std::vector<std::uint8_t>& leaving) const {
    for (std::size_t i = 0; i < n_; ++i) {
      const bool low = sigma[i] < at_bound;
      const bool high = sigma[i] > 1 - at_bound;
      const bool beyond = slides[i] != 0 && (low ? of_.towards_[i] < of_.on_[i] : high && of_.towards_[i] > of_.on_[i]);
      bool held = false;
      for (std::size_t k = 0; k < n_ && implied[i] != 0; ++k) {
        held = held || (slides[k] != 0 && leaving[k] == 0 && std::abs(change_[i * n_ + k]) > zero_);
      }
      if (beyond && !held) return true;
    }
    return false;
  }

  const Sliding& of_;
  std::size_t n_;
  const std::vector<double>& base_;
  const std::vector<double>& change_;
  double zero_;
  double most_ = 0;                    ///< the largest effect of a switch on itself
  std::vector<std::uint8_t> departs_;  ///< of each, 1: leaves, whatever keeps the others

 public:
  std::vector<Where> where;
  std::vector<double> sigma;
  std::vector<std::uint8_t> slides;   ///< of each, 1: slid on
  std::vector<std::uint8_t> implied;  ///< of each, 1: kept by the others, its weight is a choice
};

bool Sliding::rub_dependently(const std::vector<double>& change, double zero) const {
  const std::size_t n = switches_.size();
  if (n < 2) return false;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(change[i * n + i] < -zero)) return false;
  }
  return dependent();
}

std::string Sliding::share_dependent(const std::vector<double>& base, const std::vector<double>& change, double zero,
                                     std::vector<Where>& where, std::vector<double>& sigma,
                                     std::vector<std::uint8_t>& slides, std::vector<std::uint8_t>& implied) {
  Dependent found(*this, base, change, zero);
  if (std::string why = found.find_states(); !why.empty()) return why;
  if (!found.share_out()) return "their combination is not determined";
  where = std::move(found.where);
  sigma = std::move(found.sigma);
  slides = std::move(found.slides);
  implied = std::move(found.implied);
  return "";
}

void Sliding::run_dependent(const std::vector<double>& base, const std::vector<double>& change, double zero) {
  std::vector<Where> where;
  std::vector<double> sigma;
  std::vector<std::uint8_t> slides;
  std::vector<std::uint8_t> implied;
  if (const std::string why = share_dependent(base, change, zero, where, sigma, slides, implied); !why.empty()) {
    return refuse(why);
  }

  // The linear picture must be the truth.
  std::vector<double> w;
  if (!push(sigma, w)) return;
  for (std::size_t i = 0; i < w.size(); ++i) {
    if (slides[i] != 0 && std::abs(w[i]) > push_in_doubt * zero) {
      return refuse("their combination is not the sum of their forces");
    }
  }
  take(where, sigma, slides, implied);
}

}  // namespace zwang::instant
