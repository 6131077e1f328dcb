/// Where switching functions pass their thresholds along a step, and how far they are known.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/switches_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::Corner;
using expressions::Side;

namespace {

constexpr double off_at_start =
    1e-11;  ///< of the terms of g: ten times what counts as on a threshold (instant/corner_tolerances.hpp), where the start is on one
constexpr double part_of_rest = 0.1;  ///< of a tolerance: what a function may differ by from its polynomial
constexpr double faint_beside_terms =
    1e-12;  ///< of the terms of g at the start: those on the whole step may be so much larger
constexpr double rounding_of_zero = 1e-15;  ///< of the terms of g: a few roundings of a difference that vanishes
constexpr double clearly_open =
    1e-6;  ///< of the largest value among the rows of a condition: an alternative open by that much will stay so for a while
constexpr double touched_weight =
    1e-12;  ///< of what friction can bear: a load that exceeds it by less for a moment does not reach it
constexpr double displaced_part =
    1e-12;  ///< of the way to a crossing: by more than this rounding of the terms should not put it off
constexpr int most_grazes = 100;  ///< of one function on one step
/// Newton's rounds from a place that is right up to rounding, and the part of the place that it may move by.
constexpr int rounds_of_polish = 2;
constexpr double slight_polish = 1e-6;

/// A place found where what begins at zero, all but for rounding, comes to zero again: with that rounding. Left out it would be carried from
/// one switch to the next, and count more and more in a motion that dies down.
double polished(std::span<const double> p, double at, double h) {
  for (int round = 0; round < rounds_of_polish; ++round) {
    double value = 0;
    double rate = 0;
    for (std::size_t k = p.size(); k-- > 0;) {
      rate = rate * at + value;
      value = value * at + p[k];
    }
    const double next = at - value / rate;
    if (!(std::abs(next - at) <= slight_polish * at) || !(next <= h)) break;
    at = next;
  }
  return at;
}

/// The tapes of rows as far as their values need them: of alternatives that do not count gradients are not asked for.
class ValueTapes {
 public:
  explicit ValueTapes(const model::Model& model) : model_(model), of_group_(model.groups.size()) {}
  const expressions::Tape& operator[](std::uint32_t row) {
    const std::uint32_t number = model_.row_group[row];
    expressions::Tape& out = of_group_[number];
    if (!out.outputs.empty()) return out;
    constexpr std::array<std::uint32_t, 1> value{0};
    out = expressions::part(model_.groups[number].tape, value);
    return out;
  }

 private:
  const model::Model& model_;
  std::vector<expressions::Tape> of_group_;  ///< without outputs: not made yet
};

/// Rows of alternatives that are not followed as conditions, unless they were let go.
template <class Visit>
void for_idle_rows(const Motion& motion, const Visit& visit) {
  const Motion::Impl& impl = *motion.impl;
  for (const model::Condition& condition : impl.model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row) {
      const bool twin = instant::is_second_twin(impl.model, row) && !is_valley(impl.switches, impl.model.row_twin[row]);
      if (impl.switches.idle.contains(row) && !impl.switches.gone.contains(row) && !twin) visit(row);
    }
  }
}

/// A condition holds as long as one alternative does. Where one is clearly open, it alone is followed, as the condition or beside it; the others are
/// looked at again when it closes. Where none is, as on a face that bears, all are. One that stays open on the whole step by its values needs
/// no series; of several that do not, the one is followed that does not come near zero, or on which the longest step is known. That step is given
/// back; rows of `known` need not be bounded any more.
double leave_out_alternatives(const Motion& motion, double h, double part, std::vector<std::uint8_t>& is_clear,
                              instant::RowSet& known, ValueTapes& tapes) {
  Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_values_but(model, motion.state, {}, work.scratch, work.rows);
  const Along series = impl.series.along();
  constexpr std::array<double, 1> zero{0.0};
  constexpr double none = std::numeric_limits<double>::infinity();
  std::vector<double> worst;
  std::vector<double> lasts;
  std::vector<std::uint32_t> open;
  std::vector<double> registers;
  LaneBound bound;
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      worst.assign(condition.alternatives, -none);
      lasts.assign(condition.alternatives, none);
      double size = 0;
      std::uint32_t chosen = condition.alternatives;
      bool usual = true;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        const std::uint32_t which = model.row_alternative[row];
        const double value = work.rows.value[row];
        if (impl.switches.gone.contains(row) || model.row_twin[row] != row) usual = false;
        if (!impl.switches.idle.contains(row)) chosen = which;
        worst[which] = std::max(worst[which], value);
        lasts[which] = std::min(lasts[which], -value / std::abs(work.rows.rate[row]));
        size = std::max(size, std::abs(value));
      }
      if (!usual) continue;
      const auto clear_but = [&](std::uint32_t followed) {
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (model.row_alternative[row] != followed) is_clear[std::size_t{model.switches} + row] = 1;
        }
      };
      const auto stays_open = [&](std::uint32_t which) {
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (model.row_alternative[row] != which) continue;
          const model::RowGroup& group = model.groups[model.row_group[row]];
          const expressions::Tape& tape = tapes[row];
          if (!stays_away(series, group, tape, model.row_lane[row], tape.outputs[0], zero, h)) return false;
        }
        return true;
      };
      // An alternative that is clearly closed opens no sooner than any of its rows that close it: one is followed, none if one stays closed by its values.
      const auto clear_closed = [&]() {
        for (std::uint32_t which = 0; which < condition.alternatives; ++which) {
          if (which == chosen || !(worst[which] > clearly_open * size)) continue;
          std::uint32_t followed = first + condition.components;
          double longest = -1;
          for (std::uint32_t row = first; row < first + condition.components; ++row) {
            const double value = work.rows.value[row];
            if (model.row_alternative[row] != which || !(value > clearly_open * size)) continue;
            const expressions::Tape& tape = tapes[row];
            if (stays_away(series, model.groups[model.row_group[row]], tape, model.row_lane[row], tape.outputs[0], zero,
                           h)) {
              followed = first + condition.components;
              break;
            }
            const double lasting = value / std::abs(work.rows.rate[row]);
            if (lasting > longest) {
              longest = lasting;
              followed = row;
            }
          }
          for (std::uint32_t row = first; row < first + condition.components; ++row) {
            if (model.row_alternative[row] == which && row != followed) is_clear[std::size_t{model.switches} + row] = 1;
          }
        }
      };
      if (chosen < condition.alternatives) {
        if (worst[chosen] < -clearly_open * size) {
          clear_but(chosen);
        } else {
          clear_closed();
        }
        continue;
      }
      open.clear();
      bool stays = false;
      for (std::uint32_t which = 0; which < condition.alternatives && !stays; ++which) {
        if (!(worst[which] < -clearly_open * size)) continue;
        open.push_back(which);
        stays = stays_open(which);
      }
      if (stays) {
        clear_but(condition.alternatives);
        continue;
      }
      if (open.empty()) {
        clear_closed();
        continue;
      }
      std::stable_sort(open.begin(), open.end(),
                       [&](std::uint32_t one, std::uint32_t other) { return lasts[one] > lasts[other]; });
      std::uint32_t best = open[0];
      double longest = -1;
      for (const std::uint32_t which : open) {
        double reached = h;
        bool clear = true;
        for (std::uint32_t row = first; row < first + condition.components && reached > 0; ++row) {
          if (model.row_alternative[row] != which) continue;
          const model::RowGroup& group = model.groups[model.row_group[row]];
          bool away = false;
          const expressions::Tape& tape = tapes[row];
          run_lane(series, group, tape, model.row_lane[row], registers);
          reached = reach_of_lane(series, group, tape, model.row_lane[row], registers, tape.outputs[0], zero, part,
                                  reached, bound, away);
          clear = clear && away;
        }
        stays = clear && reached == h;
        if (stays) break;
        if (reached > longest) {
          longest = reached;
          best = which;
        }
      }
      if (stays) {
        clear_but(condition.alternatives);
        continue;
      }
      clear_but(best);
      h = longest;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        if (model.row_alternative[row] == best) known.add(row);
      }
      if (!(h > 0)) return h;
    }
  }
  return h;
}

Along along(const Motion::Impl& impl) { return impl.flow != nullptr ? impl.flow->along() : impl.series.along(); }

/// Coefficients of g along the series, with these modes.
std::span<const double> switching_series(const Along& series, const model::Slotted& group, std::uint32_t corner,
                                         std::uint32_t lane, std::vector<double>& registers) {
  run_lane(series, group, group.switching, lane, registers);
  return {registers.data() + std::size_t{group.switching.outputs[corner]} * (std::size_t{series.known} + 1),
          series.known};
}

/// Every switching function to be followed: on which side it is, the series with its modes, and the switch that its passing turns.
/// Those that follow others have nothing of their own. Those nested about a surface slid on are followed on either side of it.
template <class Visit>
void for_followed(const Motion& motion, const Visit& visit) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  const Along series = along(impl);
  const instant::RowSet closed = impl.pins.edges().empty() ? instant::RowSet() : closed_rows(impl);
  const auto is_mixed = [&](std::uint32_t number) {
    return std::any_of(switches.mixed.begin(), switches.mixed.end(),
                       [&](const instant::MixedMode& one) { return one.number == number; });
  };
  for_switches(impl.model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    if (group.corners[c].follows || group.corners[c].stirs || switches.unfollowed[number] != 0) return;
    // At rest a speed has weights that are followed; its parts go with it.
    if (group.corners[c].directs() &&
        (group.corners[c].kind == expressions::CornerKind::part || switches.sides[number] != 2)) {
      return;
    }
    if (is_slid(switches, number) || is_mixed(number)) return;
    // Beside its wall a switch comes to it with the condition, and leaves it no sooner.
    if (const Side allowed = impl.pins.allowed(number, switches.gone); allowed != instant::no_side) {
      if (switches.sides[number] == allowed || impl.pins.is_edge_of(number, closed)) return;
    }
    visit(group, c, lane, switches.sides[number], series, Turn{number, false, false, false, 0});
  });
  if (switches.mixed.empty()) return;
  for (const bool above : {false, true}) {
    std::vector<double> modes(series.modes.begin(), series.modes.end());
    for (const instant::MixedMode& one : switches.mixed) modes[one.mode] = above ? one.above : one.below;
    Along side = series;
    side.modes = modes;
    for (std::size_t k = 0; k < switches.mixed.size(); ++k) {
      const instant::MixedMode& one = switches.mixed[k];
      const bool seen = k > 0 && switches.mixed[k - 1].number == one.number;
      const model::SwitchPlace place = model::place_of_switch(impl.model, one.number);
      if (seen || one.number == one.slid || place.group->corners[place.corner].follows) continue;
      visit(*place.group, place.corner, place.lane, above ? one.side_above : one.side_below, side,
            Turn{one.slid, false, false, true, 0});
    }
  }
}

/// Of the direction of a speed? Its weights lie in a disc with others.
bool is_part(const model::Model& model, const Series::Slide& slide) {
  const model::SwitchPlace place = model::place_of_switch(model, slide.numbers[0]);
  return place.group->corners[place.corner].kind == expressions::CornerKind::part;
}

/// What the terms of the forces would do to a function of velocities if they did not balance.
double terms_that_balance(const Motion& motion, std::uint32_t number) {
  const Motion::Impl& impl = *motion.impl;
  if (impl.flow != nullptr || !instant::switch_rates(impl.model, number, motion.state, {}).by_velocity) return 0;
  const std::vector<double> slope = impl.series.slope(number, motion.state);
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  const auto mass = work.dynamics.mass.diagonal();
  double sum = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) {
    if (slope[i] != 0) sum += std::abs(slope[i]) * work.dynamics.force_scale[i] / mass[i];
  }
  return std::isfinite(sum) ? sum : 0.0;
}

/// The weights of surfaces slid on.
std::span<const double> weight_of(const Motion::Impl& impl, std::size_t j) {
  return impl.flow != nullptr ? impl.flow->weight(j) : impl.series.weight(j);
}

}  // namespace

double behind_a_touch(std::span<const double> sigma, double sign, double at) {
  double rate = 0;
  double bend = 0;
  for (std::size_t k = sigma.size(); k-- > 1;) rate = rate * at + static_cast<double>(k) * sign * sigma[k];
  for (std::size_t k = sigma.size(); k-- > 2;) bend = bend * at + static_cast<double>(k * (k - 1)) * sign * sigma[k];
  if (!(bend < 0) || !(rate * rate <= -2 * bend * touched_weight)) return never;
  return at + std::max(rate, 0.0) / -bend + 2 * std::sqrt(2 * touched_weight / -bend);
}

Off off_at(const Motion& motion, std::uint32_t number, double size, double unit) {
  const Motion::Impl& impl = *motion.impl;
  const instant::SwitchRates rates = instant::switch_rates(impl.model, number, motion.state, {});
  Off off{off_at_start * size + instant::bounds_that_are_nothing * rates.doubt};
  if (impl.flow != nullptr) return off;
  const std::vector<double> slope = impl.series.slope(number, motion.state);
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_dynamics(impl.model, motion.state, work.scratch, work.dynamics);
  const model::Dynamics& dynamics = work.dynamics;
  const auto mass = dynamics.mass.diagonal();
  double second = 0;
  for (std::size_t i = 0; i < slope.size(); ++i) {
    if (slope[i] == 0 || i >= dynamics.force_error.size()) continue;
    second += std::abs(slope[i]) * instant::bounds_that_are_nothing * dynamics.force_error[i] / mass[i];
  }
  if (!std::isfinite(second)) return off;
  if (rates.by_velocity) {
    off[1] = second * unit;
  } else {
    off[2] = second * unit * unit / 2;
  }
  return off;
}

double rises(std::span<const double> c, double threshold, double sign, bool at_start, double slack, const Off& off,
             double h, double& cut, bool touching, double size_of_terms) {
  std::array<double, 64> p{};
  const std::size_t size = std::min(c.size(), p.size());
  for (std::size_t k = 0; k < size; ++k) p[k] = sign * c[k];
  p[0] -= sign * threshold;
  double terms = std::abs(threshold) + std::abs(c[0]);
  double rest = 0;
  double power = 1;
  for (std::size_t k = 1; k < size; ++k) {
    power *= h;
    rest += std::abs(p[k]) * power;
  }
  terms += rest;
  if (p[0] + rest < 0) return never;

  // What is known to vanish at the start is divided out; a rate that leads away from the threshold, be it small, is left as it is.
  std::size_t leading = 0;
  power = 1;
  // The start itself is known up to `slack`, and so is each derivative by what the next one makes of that.
  const auto off_by_time = [&](std::size_t k) { return static_cast<double>(k + 1) * slack * std::abs(p[k + 1]); };
  while (at_start && leading < most_leading && leading + 1 < size && (leading == 0 || p[leading] > 0) &&
         std::abs(p[leading]) * power <= vanishing_part * terms + (off[leading] + off_by_time(leading)) * power) {
    ++leading;
    power *= h;
  }
  const std::span<const double> q(p.data() + leading, size - leading);
  const auto value_at = [&](double s) {
    double value = 0;
    for (std::size_t k = q.size(); k-- > 0;) value = value * s + q[k];
    return value;
  };
  // A comparison that is all but touched counts as touched there (truths.cpp): it is not gone to so near.
  const double touched = touching ? off_at_start * size_of_terms : 0.0;
  bool shortened = false;
  double from = 0;
  for (int round = 0; round < most_grazes; ++round) {
    const Excursion e = first_excursion(q, h, 0.0, from);
    if (e.kind == Excursion::Kind::none) return never;
    if (e.kind == Excursion::Kind::crossing && leading > 0) return polished({p.data(), size}, e.at, h);
    if (e.kind == Excursion::Kind::crossing) {
      // Rounding of far larger terms, as of 1 - (t - 6)^2 / 1e-6 from t = 0, would put it off: from nearer they are smaller.
      double rate = 0;
      for (std::size_t k = q.size(); k-- > 1;) rate = rate * e.at + static_cast<double>(k) * q[k];
      const double rounding = eps * zwang::motion::terms(q, e.at);
      const double nearer = (1 - left_to_go) * e.at;
      if (nearer > sensible_cut * h && rounding > displaced_part * e.at * std::abs(rate) &&
          std::abs(value_at(nearer)) > std::max(touched, worth_a_look * rounding)) {
        cut = std::min(cut, nearer);
        return never;
      }
      return e.at;
    }
    if (e.kind == Excursion::Kind::pending) {
      if (e.at > sensible_cut * h) cut = std::min(cut, e.at);
      return never;
    }
    // What seems to touch may pass by too little to be told from here: it is looked at from nearer, as long as that tells more.
    const double nearer = (1 - left_to_go) * e.at;
    if (leading == 0 && nearer > sensible_cut * h && !(touching && shortened) &&
        std::abs(value_at(nearer)) > std::max(touched, worth_a_look * eps * terms)) {
      cut = std::min(cut, nearer);
      return never;
    }
    // On a step that is not so long the terms are smaller.
    if (leading == 0 && early * e.at < h && e.at > sensible_cut * sensible_cut * h) {
      shortened = true;
      h = 2 * e.at;
      cut = std::min(cut, h);
      terms = std::abs(threshold) + std::abs(c[0]) + zwang::motion::terms(q, h);
      continue;
    }
    if (touching) return e.at;
    from = e.at + (h - e.at) * behind_a_graze;
    if (from >= h) return never;
  }
  return never;
}

FoundTurns find_turns(const Motion& motion, double h) {
  const Motion::Impl& impl = *motion.impl;
  const Switches& switches = impl.switches;
  FoundTurns found;
  std::vector<double> from_threshold;
  if (impl.model.switches == 0 && !instant::has_alternatives(impl.model)) return found;
  std::vector<double> registers;
  const double slack = resolution(motion.state.time) / along(impl).unit;
  const auto is_clear = [&](std::size_t number) {
    return number < switches.clear.size() && switches.clear[number] != 0;
  };
  for_followed(motion, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, Side side,
                           const Along& series, const Turn& turn) {
    const Corner& corner = group.corners[c];
    if (is_clear(group.first_switch + c * group.lanes + lane)) return;
    const std::span<const double> g = switching_series(series, group, c, lane, registers);
    const bool at_start = switches.at_start[group.first_switch + c * group.lanes + lane] != 0;
    const double size = size_of_lane(series, group.switching, registers, group.switching.outputs[c]);
    Off off{};
    if (at_start) off = off_at(motion, group.first_switch + c * group.lanes + lane, size, series.unit);
    for (const bool above : {false, true}) {
      if (side % 2 == 0 && !corner.has_threshold(side, above)) continue;
      const Side barred = impl.pins.forbidden(turn.number, switches.gone);
      if (barred != instant::no_side && above == (barred > 1)) continue;
      const double threshold = side % 2 == 0 ? corner.threshold(side, above) : corner.threshold(side + 1, false);
      // What differs from its threshold by rounding alone, on all of the step, has no side.
      double moves = std::abs(g[0] - threshold);
      double power = 1;
      for (std::size_t k = 1; k < g.size(); ++k) {
        power *= h;
        moves = std::max(moves, std::abs(g[k]) * power);
      }
      if (moves <= rounding_of_zero * size) continue;
      if (moves <= faint_beside_terms * size &&
          moves <= rounding_of_zero *
                       size_of_lane_within(series, group.switching, registers, group.switching.outputs[c], h)) {
        continue;
      }
      // `<=` and `>=` are true where they are but touched.
      const bool touching = model::place_of_switch(impl.model, turn.number).truth;
      double at = rises(g, threshold, above ? 1.0 : -1.0, at_start, slack, off, h, found.cut, touching, size);
      if (at == never) continue;
      if (!turn.again && is_kept_on_step(motion, turn.number, g, threshold, h)) continue;
      // A turn right at the start of a piece may be rounding: a crossing is found up to that part of the way to it.
      const double put_off = displaced_part * (motion.state.time - impl.model.simulation.start) / series.unit;
      if (at_start && !turn.again && impl.flow == nullptr && at <= put_off) {
        // What has just turned and goes on into its side is not behind its threshold, however rounding put the place of the turn off.
        from_threshold.assign(g.begin(), g.end());
        const double back = (above ? 1.0 : -1.0) * (g[0] - threshold);
        if (back > 0 && back <= put_off * (above ? -1.0 : 1.0) * g[1]) from_threshold[0] = threshold;
        // Where a rate that begins at zero is what reactions and forces leave of each other, its rounding is theirs: the next derivative tells.
        at = rises(from_threshold, threshold, above ? 1.0 : -1.0, at_start, slack,
                   off_by_reactions(motion, turn.number, off), h, found.cut, touching, size);
        if (at == never) continue;
      }
      found.turns.push_back({turn.number, above, false, turn.again, at});
      found.at = std::min(found.at, at);
    }
  });

  // Weights of those slid on.
  const std::vector<Series::Slide> slides = slides_of(impl.model, switches);
  find_slips(motion, h, found);
  for (std::size_t j = 0; j < slides.size(); ++j) {
    const std::span<const double> sigma = weight_of(impl, j);
    if (is_part(impl.model, slides[j])) continue;
    for (const bool above : {false, true}) {
      const bool edge = std::abs(sigma[0] - (above ? 1.0 : 0.0)) <= vanishing_part;
      const double at = rises(sigma, above ? 1.0 : 0.0, above ? 1.0 : -1.0, edge, 0, {}, h, found.cut);
      if (at == never) continue;
      // A load that just reaches what friction can bear, and falls again, moves nothing.
      if (const double over = behind_a_touch(sigma, above ? 1.0 : -1.0, at); over < never) {
        found.cut = std::min(found.cut, over);
        continue;
      }
      for (const std::uint32_t number : slides[j].numbers) {
        // A function with the same surface may fall where that of the first rises.
        const bool turned = std::any_of(slides[j].mixed.begin(), slides[j].mixed.end(), [&](const auto& mode) {
          return mode.number == number && mode.side_below > mode.side_above;
        });
        found.turns.push_back({number, above != turned, true, false, at});
      }
      found.at = std::min(found.at, at);
    }
  }

  find_stirs(motion, h, found);

  // Alternatives that do not count may come to count.
  ValueTapes tapes(impl.model);
  for_idle_rows(motion, [&](std::uint32_t row) {
    if (is_clear(impl.model.switches + row)) return;
    const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
    const expressions::Tape& tape = tapes[row];
    run_lane(impl.series.along(), group, tape, impl.model.row_lane[row], registers);
    const std::span<const double> f(registers.data() + std::size_t{tape.outputs[0]} * (impl.series.order() + 1),
                                    impl.series.order());
    // The first coefficient that counts tells on which side it starts.
    double terms = 0;
    for (std::size_t k = f.size(); k-- > 0;) terms = terms * h + std::abs(f[k]);
    // What stays zero but for rounding, on all of the step, has no side: a face that another one rests on.
    if (terms <= rounding_of_zero * size_of_lane(impl.series.along(), tape, registers, tape.outputs[0])) return;
    std::size_t leading = 0;
    double power = 1;
    while (leading < f.size() && std::abs(f[leading]) * power <= vanishing_part * terms) {
      ++leading;
      power *= h;
    }
    if (leading == f.size()) return;
    const double at = rises(f, 0, f[leading] < 0 ? 1.0 : -1.0, true, 0, {}, h, found.cut);
    if (at == never) return;
    found.rows.emplace_back(row, at);
    found.at = std::min(found.at, at);
  });
  return found;
}

double reach_of_switches(Motion& motion, double h, bool with_comparisons) {
  Motion::Impl& impl = *motion.impl;
  const bool stops =
      with_comparisons && !impl.model.simulation.stop.empty() && !impl.pins.keep_from_stopping(impl.switches.gone);
  if (impl.model.switches == 0 && !stops && !instant::has_alternatives(impl.model)) return h;
  std::vector<std::uint8_t>& is_clear = impl.switches.clear;
  is_clear.assign(std::size_t{impl.model.switches} + impl.model.rows(), 0);
  impl.switches.stop_clear = !with_comparisons;
  bool clear = false;
  const Along series = along(impl);
  const bool leaving = std::any_of(impl.switches.slid.begin(), impl.switches.slid.end(), [&](std::uint32_t number) {
    return leaves_rest(impl.model, impl.switches, number);
  });
  std::vector<double> registers;
  std::vector<double> thresholds;
  LaneBound bound;
  const double part = part_of_rest * impl.tolerance;
  for_followed(motion, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, Side side,
                           const Along& followed, const Turn&) {
    if (!(h > 0)) return;
    const std::uint32_t number = group.first_switch + c * group.lanes + lane;
    // The force that has its direction is bounded by as much.
    if (group.corners[c].directs()) return;
    if (!with_comparisons && model::place_of_switch(impl.model, number).truth) {
      is_clear[number] = 1;
      return;
    }
    static_cast<void>(switching_series(followed, group, c, lane, registers));
    const Corner& corner = group.corners[c];
    thresholds.clear();
    for (const bool above : {false, true}) {
      if (side % 2 != 0) thresholds.push_back(corner.threshold(side + 1, false));
      if (side % 2 == 0 && corner.has_threshold(side, above)) thresholds.push_back(corner.threshold(side, above));
    }
    if (thresholds.empty()) return;
    const double reached = reach_of_lane(followed, group, group.switching, lane, registers, group.switching.outputs[c],
                                         thresholds, part, h, bound, clear);
    // A comparison of the speed itself has a root that begins with it: on the piece on which a speed leaves its rest it is asked at both ends.
    if (!(reached > 0) && leaving && model::place_of_switch(impl.model, number).truth) {
      is_clear[number] = 1;
      return;
    }
    h = reached;
    if (clear) is_clear[number] = 1;
  });
  thresholds.assign(1, 0.0);
  if (impl.flow == nullptr && instant::has_alternatives(impl.model)) {
    instant::RowSet known(impl.model.rows());
    ValueTapes tapes(impl.model);
    if (h > 0) h = leave_out_alternatives(motion, h, part, is_clear, known, tapes);
    for_idle_rows(motion, [&](std::uint32_t row) {
      if (!(h > 0) || is_clear[std::size_t{impl.model.switches} + row] != 0 || known.contains(row)) return;
      const model::RowGroup& group = impl.model.groups[impl.model.row_group[row]];
      const expressions::Tape& tape = tapes[row];
      clear = stays_away(series, group, tape, impl.model.row_lane[row], tape.outputs[0], thresholds, h);
      if (!clear) {
        run_lane(series, group, tape, impl.model.row_lane[row], registers);
        h = reach_of_lane(series, group, tape, impl.model.row_lane[row], registers, tape.outputs[0], thresholds, part,
                          h, bound, clear);
      }
      if (clear) is_clear[impl.model.switches + row] = 1;
    });
  }
  if (stops && h > 0) {
    const model::TermGroup& term = impl.model.simulation.stop.front().term;
    std::vector<double> value;
    observe_lane(series, impl.model.simulation.stop.front(), registers, value);
    const double reached = reach_of_lane(series, term, term.tape, 0, registers, term.tape.outputs[0], thresholds, part,
                                         h, bound, impl.switches.stop_clear);
    if (!(reached > 0) && leaving) {
      impl.switches.stop_clear = true;
    } else {
      h = reached;
    }
  }
  // A surface slid on is kept by its polynomials; the function itself must not leave it, either. Nor is a speed that leaves its rest seen by any force
  // whose bound would end the step where its own functions are no longer known.
  const double log_tolerance = elementary::log2(part_for(impl.tolerance));
  const std::vector<Series::Slide> slides = slides_of(impl.model, impl.switches);
  for (std::size_t j = 0; j < slides.size() && h > 0; ++j) {
    for (const std::uint32_t number : slides[j].numbers) {
      const model::SwitchPlace place = model::place_of_switch(impl.model, number);
      static_cast<void>(switching_series(series, *place.group, place.corner, place.lane, registers));
      const std::uint32_t output = place.group->switching.outputs[place.corner];
      const double reached = reach_of_lane(series, *place.group, place.group->switching, place.lane, registers, output,
                                           {}, part, h, bound, clear);
      // Where all terms of it are rounding, as those of a speed at rest, the forces that balance there tell what is little.
      double moved = h;
      const double terms = reached < h ? terms_that_balance(motion, number) * series.unit : 0.0;
      const auto unmoved = [&] {
        return rest_of_lane(series, *place.group, place.group->switching, place.lane, registers, output, moved,
                            bound) <= part * terms * moved;
      };
      while (moved > reached && !unmoved()) moved /= 2;
      h = std::max(reached, std::min(h, moved));
    }
    const std::span<const double> sigma = weight_of(impl, j);
    const double log_of =
        log_reach(impl.series.order() - 2, log_tolerance, false, [&](unsigned k) { return std::abs(sigma[k]); });
    if (log_of < 1000) h = std::min(h, shortened(elementary::exp2(log_of)));
  }
  if (impl.flow == nullptr) h = impl.series.reach_of_leaving(h, part_for(impl.tolerance));
  return h;
}

}  // namespace zwang::motion
