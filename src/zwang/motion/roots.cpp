/// Roots in forces that rest at zero: does one of them drive its own argument away, so that rest is not the only motion?
///
/// With an acceleration that changes by C |d|^p beside the state, p < 1 and C > 0, there is beside rest d = 0 the motion
///   d = (C (1 - p)^2 / (2 (1 + p)) s^2)^(1 / (1 - p)),
/// which may begin at any time: Norton's dome, p = 1/2. Of velocities, v' = C v^p, likewise. With C < 0 rest is the only one.
///
/// Symbols: d the way beside the state of one variable, C and p from the accelerations at two distances, those across the rows held taken off.
/// Reference: docs/mathematics, section 10.4.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr double least_power_to_rest =
    0.05;  ///< below it an acceleration is as good as one that does not fall: a speed that turns

/// Accelerations along the rows held, at the state moved a little.
class BesideRest {
 public:
  explicit BesideRest(Motion& motion)
      : motion_(motion), model_(motion.impl->model), scratch_(model::make_scratch(model_)) {
    dynamics_ = model::make_dynamics(model_);
    model::Rows rows = model::make_rows(model_);
    model::evaluate_rows(model_, motion.state, scratch_, rows);
    model::evaluate_dynamics(model_, motion.state, scratch_, dynamics_);
    const std::size_t n = model_.variables;
    for (const HeldRow& one : motion.impl->held_rows) {
      gradient_.emplace_back(n, 0.0);
      for (std::uint32_t e = model_.row_start[one.row]; e < model_.row_start[one.row + 1]; ++e)
        gradient_.back()[model_.row_column[e]] = rows.entry[e];
      image_.emplace_back(n);
      dynamics_.mass.solve(gradient_.back(), image_.back());
    }
    const std::size_t m = gradient_.size();
    gram_ = linear::Matrix(m, m);
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t k = 0; k < m; ++k) gram_(j, k) = dot(gradient_[j], image_[k]);
    }
    here_.resize(n);
    dynamics_.mass.solve(dynamics_.force, here_);
  }

  /// By how much the acceleration of a variable grows where it (or its speed) is moved by `by`; not a number where there is none.
  double grows(std::uint32_t i, bool speed, double by) {
    model::State there = motion_.state;
    (speed ? there.velocity : there.position)[i] += by;
    const std::vector<double> change = changes(std::move(there));
    const double rounding = roundings_beside_a_root * unit_rounding * std::abs(here_[i]);
    return std::abs(change[i]) > rounding ? (by < 0 ? -change[i] : change[i]) : 0.0;
  }

  /// By how much the accelerations are others at another state, those across the rows held taken off.
  std::vector<double> changes(model::State there) {
    there.modes.clear();
    if (model_.switches > 0) {
      std::vector<expressions::Side> sides = model::sides_of(model_, there);
      for (const model::Spring& spring : model_.springs) {
        for (const std::uint32_t number : spring.switches) sides[number] = motion_.impl->switches.sides[number];
      }
      there.modes = model::modes_of(model_, sides);
    }
    model::evaluate_dynamics(model_, there, scratch_, dynamics_);
    std::vector<double> change(model_.variables);
    dynamics_.mass.solve(dynamics_.force, change);
    for (std::size_t k = 0; k < change.size(); ++k) change[k] -= here_[k];
    if (!gradient_.empty()) {
      std::vector<double> right;
      for (const std::vector<double>& g : gradient_) right.push_back(dot(g, change));
      const std::vector<double> lambda = linear::least_norm(gram_, right);
      for (std::size_t j = 0; j < lambda.size(); ++j) {
        for (std::size_t k = 0; k < change.size(); ++k) change[k] -= lambda[j] * image_[j][k];
      }
    }
    return change;
  }

 private:
  Motion& motion_;
  const model::Model& model_;
  model::Scratch scratch_;
  model::Dynamics dynamics_;
  std::vector<std::vector<double>> gradient_, image_;
  linear::Matrix gram_;
  std::vector<double> here_;
};

/// The accelerations of some variables as a power of their speeds, all of them changed together: p of |v|^p by two distances, or none if it is no power
/// or one that speeds do not come to zero under.
std::optional<double> power_of_speeds(BesideRest& beside, const model::State& state, std::span<const double> a,
                                      const std::vector<std::uint32_t>& speeds) {
  double known = -1;
  for (const double part : {nearer_to_rest, far_nearer_to_rest}) {
    model::State there = state;
    for (const std::uint32_t i : speeds) there.velocity[i] *= part;
    const std::vector<double> change = beside.changes(std::move(there));
    for (const std::uint32_t i : speeds) {
      // Towards rest, and to nothing there.
      const double left = (a[i] + change[i]) / a[i];
      if (!(left > 0) || !(left < 1)) return std::nullopt;
      const double p = elementary::log(left) / elementary::log(part);
      if (!(p > least_power_to_rest) || !(p < steepest_smooth_power)) return std::nullopt;
      if (known >= 0 && std::abs(p - known) > same_power) return std::nullopt;
      known = p;
    }
  }
  return known;
}

}  // namespace

bool rests_at_roots(Motion& motion, double soon) {
  Motion::Impl& impl = *motion.impl;
  if (impl.held_rows.size() > most_rows_passed || impl.flow != nullptr) return false;
  // Speeds that their accelerations would take off within that time.
  const std::size_t n = impl.model.variables;
  const std::span<const double> q = impl.series.position();
  const double u = impl.series.unit();
  if (q.size() < 3 * n) return false;
  const auto acceleration = [&](std::uint32_t i) { return 2 * q[2 * n + i] / (u * u); };
  std::vector<std::uint32_t> speeds;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double v = motion.state.velocity[i];
    const double a = acceleration(i);
    if (v * a < 0 && std::abs(v) <= soon * std::abs(a)) speeds.push_back(i);
  }
  if (speeds.empty()) return false;
  std::vector<double> a(n);
  for (std::uint32_t i = 0; i < n; ++i) a[i] = acceleration(i);
  BesideRest beside(motion);
  std::optional<double> power = power_of_speeds(beside, motion.state, a, speeds);
  // Others may turn at the same instant: each by itself.
  for (std::size_t k = 0; !power && speeds.size() > 1 && k < speeds.size(); ++k) {
    power = power_of_speeds(beside, motion.state, a, {speeds[k]});
    if (power) speeds = {speeds[k]};
  }
  if (!power) return false;
  for (const std::uint32_t i : speeds) {
    if (!(std::abs(motion.state.velocity[i]) <= (1 - *power) * soon * std::abs(a[i]))) return false;
  }

  // They rest from now on, and so does what switches with them.
  for (const std::uint32_t i : speeds) motion.state.velocity[i] = impl.carry_velocity[i] = 0;
  if (!project(motion)) return true;
  Triggers triggers;
  triggers.doubt = true;
  for (std::uint32_t number = 0; number < impl.model.switches; ++number) {
    if (impl.switches.sides[number] % 2 != 0) continue;
    const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
    if (rates.by_velocity && rates.g == 0) triggers.turns.push_back({number, false, false, false, 0});
  }
  settle(motion, triggers, false);
  return true;
}

bool leaves_from_roots(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  std::vector<Series::RestingRoot> roots = impl.series.resting_roots();
  const std::vector<Series::RestingRoot> stirs = resting_stirs(motion);
  roots.insert(roots.end(), stirs.begin(), stirs.end());
  if (roots.empty() || impl.held_rows.size() > most_rows_passed) return false;
  BesideRest beside(motion);
  double extent = 1;
  for (const double q : motion.state.position) extent = std::max(extent, std::abs(q));
  for (const Series::RestingRoot& root : roots) {
    for (const bool speed : {false, true}) {
      for (const std::uint32_t i : speed ? root.velocities : root.positions) {
        const double at = (speed ? motion.state.velocity : motion.state.position)[i];
        const double far = at == 0 ? far_beside_nothing * extent : far_beside_something * std::abs(at);
        const double near = at == 0 ? near_beside_nothing * extent : near_beside_something * std::abs(at);
        for (const double side : {1.0, -1.0}) {
          const double more = beside.grows(i, speed, side * far);
          const double less = beside.grows(i, speed, side * near);
          if (!(less > 0) || !(more > less) || !std::isfinite(more)) continue;
          const double p = elementary::log(more / less) / elementary::log(far / near);
          if (!(p < steepest_smooth_power)) continue;
          const double power = (speed ? 1 : 2) / (1 - p);
          end(motion, Status::singular,
              "a root in the force on " + model::variable_words(impl.model, i) +
                  " is zero here and would drive its own argument away from zero, so that several motions lead on, as "
                  "from the top of Norton's dome: rest, and one that leaves like t^" +
                  readable(power, digits_of_a_power) + (speed ? ", of the speed" : "") +
                  ", at once or at any later time; let it begin beside zero, as in sqrt(u + 1e-12)");
          return true;
        }
      }
    }
  }
  return false;
}

}  // namespace zwang::motion
