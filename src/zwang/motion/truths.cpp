/// The comparisons of `stop` and `when`: what is true at an instant, and what that lets go.

#include <algorithm>
#include <cmath>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/releases.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

/// Where a switching function goes from a threshold that it is on: -1, 1, or 0 if its first derivatives vanish, too.
int leads_to(const Motion& motion, const instant::SwitchRates& rates, const Off& off) {
  const double least_rate =
      std::max(off[1], instant::bounds_that_are_nothing * rates.rate_doubt) + vanishing_part * rates.rate_size;
  if (std::abs(rates.first) > least_rate) return rates.first > 0 ? 1 : -1;
  if (rates.by_velocity || motion.impl->flow != nullptr) return 0;
  return std::abs(rates.second) > 2 * off[2] ? (rates.second > 0 ? 1 : -1) : 0;
}

}  // namespace

void count_turns_of_truths(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  for (const model::Observable& truth : model.truths) {
    const model::Slotted& group = truth.term;
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const std::uint32_t number = group.first_switch + c;
      const Turn* turn = turn_of(triggers, number);
      if (turn == nullptr || group.corners[c].kind != expressions::CornerKind::turns) continue;
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, {});
      Side& side = switches.sides[number];
      side = behind(group.corners[c], side, *turn, rates.beside);
      switches.at_start[number] = 1;
      motion.state.modes = model::modes_of(model, switches.sides);
    }
  }
}

bool is_true(const Motion& motion, std::uint32_t truth) {
  const std::vector<std::uint8_t>& holds = motion.impl->switches.holds;
  if (truth < holds.size() && holds[truth] != 0) return true;
  return instant::is_true(motion.impl->model, truth, motion.state.modes);
}

double next_release(const Motion& motion, double time) {
  double next = never;
  const Motion::Impl& impl = *motion.impl;
  for (std::size_t k = 0; k < impl.model.releases.size(); ++k) {
    const model::Release& release = impl.model.releases[k];
    if (impl.switches.released[k] != 0 || !release.when.empty() || release.at <= time) continue;
    next = std::min(next, release.at);
  }
  return next;
}

bool release_due(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  for (std::size_t k = 0; k < impl.model.releases.size(); ++k) {
    const model::Release& release = impl.model.releases[k];
    if (impl.switches.released[k] != 0) continue;
    if (release.when.empty() ? release.at <= motion.state.time + resolution(motion.state.time)
                             : is_true(motion, release.when[0])) {
      return true;
    }
  }
  return false;
}

namespace {

/// The sides of the comparisons at this instant (`now`) or right behind it. Comparisons may be nested: from the inside out. Modes are left as they
/// belong to these sides. Where the first derivatives of what is on a threshold do not tell where it goes, the series from here did.
std::vector<Side> sides_of_truths(Motion& motion, const Triggers& triggers, bool now) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  const std::span<const double> accelerations =
      impl.flow != nullptr ? std::span<const double>{} : std::span<const double>(impl.instant.accelerations);
  std::vector<Side> sides = switches.sides;
  for (const model::Observable& truth : model.truths) {
    const model::Slotted& group = truth.term;
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const Corner& corner = group.corners[c];
      if (corner.kind == expressions::CornerKind::turns) continue;
      const std::uint32_t number = group.first_switch + c;
      if (impl.pins.keep(number, switches.gone)) continue;
      motion.state.modes = model::modes_of(model, sides);
      const instant::SwitchRates rates = instant::switch_rates(model, number, motion.state, accelerations);
      if (!std::isfinite(rates.g)) continue;
      const Side plain = corner.side(rates.g);
      const Off off = off_at(motion, number, rates.size, 1.0);
      double threshold = never;
      for (const bool above : {false, true}) {
        const Side interval = plain % 2 != 0 ? plain + 1 : plain;
        if (!corner.has_threshold(interval, above)) continue;
        const double one = corner.threshold(interval, above);
        const double near = std::abs(rates.g - one);
        if (near == 0 || near <= off[0] || (triggers.unseen > 0 && near <= triggers.unseen * std::abs(rates.first)))
          threshold = one;
      }
      if (threshold == never) {
        sides[number] = plain;
        continue;
      }
      const Side on = corner.side(threshold);
      int leads = now || corner.follows ? 0 : leads_to(motion, rates, off);
      const Turn* turn = turn_of(triggers, number);
      if (!now && !corner.follows && leads == 0 && turn != nullptr && switches.sides[number] == on)
        leads = turn->above ? 1 : -1;
      const bool odd = on % 2 != 0;
      // At a pole, where |D| < |N| of g = N D and D stands beside it, there is no value, and a comparison does not hold.
      const bool pole = corner.kind == expressions::CornerKind::truth && rates.beside != 1 &&
                        rates.beside * rates.beside <= std::abs(rates.g);
      if (leads == 0 && pole) leads = -1;
      sides[number] = leads == 0 ? on : (leads > 0 ? on + (odd ? 1 : 0) : on - (odd ? 1 : 2));
      if (!now) switches.at_start[number] = 1;
      // What the start was read with took a threshold for a number.
      if (now && pole && motion.steps == 0) switches.sides[number] = sides[number];
    }
  }
  motion.state.modes = model::modes_of(model, sides);
  return sides;
}

/// What is true with the modes at hand, or was found to be.
void add_truths(Motion& motion) {
  std::vector<std::uint8_t> holds(motion.impl->model.truths.size(), 0);
  for (std::uint32_t k = 0; k < holds.size(); ++k) holds[k] = is_true(motion, k) ? 1 : 0;
  motion.impl->switches.holds = std::move(holds);
}

}  // namespace

void look_at_truths_before(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  const std::vector<model::Release>& releases = impl.model.releases;
  bool any = false;
  for (std::size_t k = 0; k < releases.size(); ++k) {
    any = any || (!releases[k].when.empty() && impl.switches.released[k] == 0);
  }
  if (!any || impl.model.switches == 0) return;
  impl.switches.holds.assign(impl.model.truths.size(), 0);
  const std::vector<double> modes = motion.state.modes;
  static_cast<void>(sides_of_truths(motion, {}, true));
  add_truths(motion);
  motion.state.modes = modes;
}

void look_at_truths(Motion& motion, const Triggers& triggers) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  Switches& switches = impl.switches;
  switches.holds.assign(model.truths.size(), 0);
  if (model.truths.empty() || model.switches == 0) return;
  const std::vector<double> modes = motion.state.modes;
  // At the instant itself, then right behind it.
  static_cast<void>(sides_of_truths(motion, triggers, true));
  add_truths(motion);
  std::vector<Side> behind_it = sides_of_truths(motion, triggers, false);
  add_truths(motion);
  motion.state.modes = modes;
  switches.sides = std::move(behind_it);
  const std::vector<double> new_modes = model::modes_of(model, switches.sides);
  for (const model::Observable& truth : model.truths) {
    const model::Slotted& group = truth.term;
    for (std::uint32_t k = 0; k < group.modes; ++k) {
      motion.state.modes[group.first_mode + k] = new_modes[group.first_mode + k];
    }
  }
}

}  // namespace zwang::motion
