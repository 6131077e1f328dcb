/// Surfaces slid on, as conditions.
#include "zwang/sensitivity/surfaces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

std::vector<double> velocity_gradient(const model::TermGroup& group, std::uint32_t corner, std::uint32_t lane,
                                      const model::State& state) {
  const expressions::Tape& tape = group.slopes;
  std::vector<double> r(tape.registers());
  expressions::load_constants(tape, r.data(), 1, 1);
  std::size_t slot = 0;
  r[slot++] = state.time;
  for (std::size_t k = 0; k < group.positions; ++k)
    r[slot++] = state.position[group.position_of[k * group.lanes + lane]];
  for (std::size_t k = 0; k < group.velocities; ++k)
    r[slot++] = state.velocity[group.velocity_of[k * group.lanes + lane]];
  for (std::size_t k = 0; k < group.constants; ++k) r[slot++] = group.constant_of[k * group.lanes + lane];
  expressions::extend(tape, r.data(), 1, 0, 0, 1);
  std::vector<double> out(group.velocities);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = r[tape.outputs[corner * slots + group.positions + k]];
  return out;
}

namespace {

/// One output of a tape, and numbers behind it as further outputs.
expressions::Tape with_numbers(const expressions::Tape& all, std::uint32_t output, const std::vector<double>& numbers) {
  const expressions::Tape tape = expressions::part(all, {&output, 1});
  expressions::Tape out = tape;
  const auto known = static_cast<std::uint32_t>(tape.inputs.size() + tape.constants.size());
  const auto more = static_cast<std::uint32_t>(numbers.size());
  const auto moved = [&](std::uint32_t at) { return at < known ? at : at + more; };
  for (expressions::Instruction& one : out.instructions) {
    one.a = moved(one.a);
    one.b = moved(one.b);
  }
  out.constants.insert(out.constants.end(), numbers.begin(), numbers.end());
  out.outputs = {moved(tape.outputs[0])};
  for (std::uint32_t k = 0; k < more; ++k) out.outputs.push_back(known + k);
  return out;
}

template <class Number>
std::vector<Number> of_lane(const std::vector<Number>& all, std::size_t slots, std::size_t lanes, std::size_t lane) {
  std::vector<Number> out(slots);
  for (std::size_t k = 0; k < slots; ++k) out[k] = all[k * lanes + lane];
  return out;
}

void add_row(model::Model& model, const Surface& surface, const std::vector<double>& gradient) {
  const model::TermGroup& term = model.terms[surface.term];
  model::RowGroup group;
  group.positions = term.positions;
  group.velocities = term.velocities;
  group.constants = term.constants;
  group.modes = term.modes;
  group.first_mode = term.first_mode;
  group.lanes = 1;
  group.position_of = of_lane(term.position_of, term.positions, term.lanes, surface.lane);
  group.velocity_of = of_lane(term.velocity_of, term.velocities, term.lanes, surface.lane);
  group.constant_of = of_lane(term.constant_of, term.constants, term.lanes, surface.lane);
  group.tape = with_numbers(term.switching, surface.corner, gradient);
  group.holonomic = false;
  group.row = {surface.row};
  if (model.row_start.empty()) model.row_start.push_back(0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> columns;
  for (std::uint32_t k = 0; k < group.velocities; ++k) columns.emplace_back(group.velocity_of[k], k);
  std::sort(columns.begin(), columns.end());
  group.entry_of.resize(group.velocities);
  for (const auto& [column, slot] : columns) {
    group.entry_of[slot] = static_cast<std::uint32_t>(model.row_column.size());
    model.row_column.push_back(column);
  }
  model.row_start.push_back(static_cast<std::uint32_t>(model.row_column.size()));
  model.row_kind.push_back(model::RowKind::nonholonomic_equation);
  model.row_condition.push_back(static_cast<std::uint32_t>(model.conditions.size() - 1));
  model.row_group.push_back(static_cast<std::uint32_t>(model.groups.size()));
  model.row_lane.push_back(0);
  model.row_alternative.push_back(0);
  model.row_twin.push_back(surface.row);
  model.groups.push_back(std::move(group));
}

/// A switch that is on its threshold, and dg/dv over the variables.
struct OnSurface {
  const Surface* surface = nullptr;
  std::vector<double> gradient;

  /// c if the gradient of the other is c times this one's; else 0.
  [[nodiscard]] double same(const OnSurface& other) const {
    double square = 0;
    double product = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      square += gradient[i] * gradient[i];
      product += gradient[i] * other.gradient[i];
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if (std::abs(other.gradient[i] - product / square * gradient[i]) > rate_zero * std::abs(other.gradient[i]))
        return 0;
    }
    return product / square;
  }
};

/// What the forces change by from one side of a surface to the other.
class ForceJump {
 public:
  explicit ForceJump(const model::Model& model)
      : model_(model), scratch_(model::make_scratch(model)), below_(model::make_dynamics(model)), above_(below_) {}

  /// Is it D = c p? Nothing where there is no jump.
  std::optional<bool> along(const OnSurface& one, const std::vector<OnSurface>& all, model::State state,
                            const std::vector<expressions::Side>& sides) {
    for (const bool above : {false, true}) {
      state.modes = model::modes_of(model_, beside(one, all, sides, above));
      model::evaluate_dynamics(model_, state, scratch_, above ? above_ : below_);
    }
    const std::vector<double>& p = one.gradient;
    double square = 0;
    double product = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      square += p[i] * p[i];
      product += p[i] * (above_.force[i] - below_.force[i]);
    }
    bool any = false;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double jump = above_.force[i] - below_.force[i];
      const double size = std::max(above_.force_scale[i], below_.force_scale[i]);
      any = any || std::abs(jump) > rate_zero * size;
      if (std::abs(jump - product / square * p[i]) > rate_zero * size) return false;
    }
    return any ? std::optional<bool>(true) : std::nullopt;
  }

  /// Is it so, too, when the parameter moves? p does not move.
  [[nodiscard]] bool stays_along(const Variation& variation, const OnSurface& one, const std::vector<OnSurface>& all,
                                 model::State state, const std::vector<expressions::Side>& sides) const {
    state.modes = model::modes_of(model_, beside(one, all, sides, false));
    const std::vector<double> below = variation.force_slope(state);
    state.modes = model::modes_of(model_, beside(one, all, sides, true));
    const std::vector<double> above = variation.force_slope(state);
    const std::vector<double>& p = one.gradient;
    double square = 0;
    double product = 0;
    double size = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      square += p[i] * p[i];
      product += p[i] * (above[i] - below[i]);
      size = std::max({size, std::abs(above[i]), std::abs(below[i])});
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (std::abs(above[i] - below[i] - product / square * p[i]) > rate_zero * size) return false;
    }
    return true;
  }

 private:
  /// The sides of those that are the same surface, above it or below.
  static std::vector<expressions::Side> beside(const OnSurface& one, const std::vector<OnSurface>& all,
                                               std::vector<expressions::Side> sides, bool above) {
    for (const OnSurface& other : all) {
      const double factor = one.same(other);
      if (factor != 0) sides[other.surface->number] = (factor > 0) == above ? 2 : 0;
    }
    return sides;
  }

  const model::Model& model_;
  model::Scratch scratch_;
  model::Dynamics below_, above_;
};

/// A place beside another in all directions.
model::State beside(const model::State& state) {
  model::State out = state;
  double part = beside_surface;
  for (std::size_t i = 0; i < out.position.size(); ++i) {
    out.position[i] += part * (1 + std::abs(out.position[i]));
    out.velocity[i] -= part * (1 + std::abs(out.velocity[i]));
    part *= i % 2 == 0 ? -1.25 : 0.75;
  }
  out.time += beside_surface;
  return out;
}

}  // namespace

std::vector<Surface> add_surfaces(ParameterSlope& parameter) {
  std::vector<Surface> out;
  model::Model& model = parameter.model;
  if (model.switches == 0 || model.flow) return out;
  const model::State start = model::initial_state(model);
  std::uint32_t row = model.rows();
  for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
    for (std::uint32_t c = 0; c < model.terms[g].corners.size(); ++c) {
      const expressions::Corner& corner = model.terms[g].corners[c];
      const bool kind = corner.kind == expressions::CornerKind::sign || corner.kind == expressions::CornerKind::truth ||
                        corner.kind == expressions::CornerKind::part;
      if (!kind || corner.quiet || corner.inside || corner.follows || !corner.inner.empty()) continue;
      for (std::uint32_t lane = 0; lane < model.terms[g].lanes; ++lane) {
        const std::vector<double> gradient = velocity_gradient(model.terms[g], c, lane, start);
        const auto finite = [](double x) { return std::isfinite(x); };
        if (std::all_of(gradient.begin(), gradient.end(), [](double x) { return x == 0; }) ||
            !std::all_of(gradient.begin(), gradient.end(), finite)) {
          continue;
        }
        const Surface surface{model.terms[g].first_switch + c * model.terms[g].lanes + lane, g, c, lane, row++};
        if (out.empty()) {
          model.conditions.emplace_back();
          parameter.slope.conditions.emplace_back();
          parameter.slope.conditions.back().restitution = 0;
          parameter.slope.conditions.back().at = 0;
        }
        add_row(model, surface, gradient);
        add_row(parameter.slope, surface, std::vector<double>(gradient.size(), 0.0));
        out.push_back(surface);
      }
    }
  }
  return out;
}

namespace {

/// Corners of a lane that are on their thresholds. Those which the motion holds may have gathered rounding; `near`: those which may have, but are not known to be held.
std::vector<std::uint32_t> on_threshold(const model::TermGroup& group, std::uint32_t lane, const model::State& state,
                                        double largest_speed, const std::vector<std::uint8_t>& holds,
                                        std::vector<std::uint32_t>& near) {
  std::vector<std::uint32_t> out;
  std::vector<double> values;
  std::vector<double> modes(group.modes);
  for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = state.modes[group.first_mode + k * group.lanes + lane];
  model::evaluate_switching(group, lane, state, modes, values);
  double size = 0;
  for (std::size_t slot = 0; slot < group.positions; ++slot)
    size = std::max(size, std::abs(state.position[group.position_of[slot * group.lanes + lane]]));
  for (std::size_t slot = 0; slot < group.velocities; ++slot)
    size = std::max(size, std::abs(state.velocity[group.velocity_of[slot * group.lanes + lane]]));
  for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
    const expressions::Corner& corner = group.corners[c];
    if (corner.quiet || corner.inside || corner.kind == expressions::CornerKind::pieces ||
        corner.kind == expressions::CornerKind::part) {
      continue;
    }
    const std::uint32_t number = group.first_switch + c * group.lanes + lane;
    const bool held = number < holds.size() && holds[number] != 0;
    // A speed at rest is known to the rounding of those before; and infinitely many shocks leave what they bring to rest some last trifle.
    const double all = std::max(size, largest_speed);
    const double least = corner.kind == expressions::CornerKind::moves ? all : size;
    if (std::abs(values[c]) <= (held ? beside_held * all : on_surface * least)) {
      out.push_back(c);
    } else if (std::abs(values[c]) <= beside_held * all) {
      near.push_back(number);
    }
  }
  return out;
}

Slid refuse(const model::TermGroup& group, std::uint32_t corner, std::uint32_t number, const char* why) {
  Slid out;
  out.refused = group.corners[corner].text;
  out.why = why;
  out.refused_switch = number;
  return out;
}

/// Does the speed of a corner `moves` that is zero stay so? Where it comes to zero its rate is one of the accelerations, or what friction alone makes.
bool stays_at_rest(Variation& variation, std::uint32_t term, std::uint32_t corner, std::uint32_t lane,
                   const MotionPoint& at, double largest_acceleration) {
  const model::TermGroup& group = variation.parameter().model.terms[term];
  const auto pushed = [&](double weight) {
    model::State state = at.state;
    const auto mode = [&](std::uint32_t k) -> double& {
      return state.modes[group.first_mode + std::size_t{k} * group.lanes + lane];
    };
    mode(group.corners[corner].first_mode) = 0;
    mode(group.corners[corner].first_mode + 1) = 1;
    for (std::uint32_t c = corner + 1; c <= corner + group.corners[corner].parts; ++c)
      mode(group.corners[c].first_mode) = weight;
    return variation.accelerations(state, {});
  };
  const std::vector<double> with = pushed(1);
  const std::vector<double> without = pushed(0);
  double size = largest_acceleration;
  for (std::size_t i = 0; i < with.size(); ++i) size = std::max(size, std::abs(with[i] - without[i]));
  for (std::uint32_t c = corner + 1; c <= corner + group.corners[corner].parts; ++c) {
    const double rate = variation.corner(group, variation.parameter().slope.terms[term], c, lane, at).by_time;
    if (!(std::abs(rate) <= force_zero * size)) return false;
  }
  return true;
}

/// What is slid on if these are held.
Slid slid_if(Variation& variation, const std::vector<Surface>& surfaces, const MotionPoint& middle,
             std::vector<expressions::Side> sides, const LargestSoFar& largest, const std::vector<std::uint8_t>& holds,
             std::vector<std::uint32_t>& near) {
  Slid out;
  const model::Model& model = variation.parameter().model;
  if (model.switches == 0) return out;
  const model::State other = beside(middle.state);
  std::vector<OnSurface> found;
  for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
    const model::TermGroup& group = model.terms[g];
    const auto switch_of = [&](std::uint32_t c, std::uint32_t lane) {
      return group.first_switch + c * group.lanes + lane;
    };
    for (std::uint32_t lane = 0; lane < group.lanes && !group.corners.empty(); ++lane) {
      std::vector<std::uint32_t> met;
      for (const std::uint32_t c : on_threshold(group, lane, middle.state, largest.speed, holds, near)) {
        if (group.corners[c].kind != expressions::CornerKind::moves) {
          met.push_back(c);
          continue;
        }
        if (!stays_at_rest(variation, g, c, lane, middle, largest.acceleration)) {
          continue;
        }
        // A speed at rest: all of its components are held.
        out.resting.push_back(switch_of(c, lane));
        sides[switch_of(c, lane)] = 1;
        for (std::uint32_t k = 1; k <= group.corners[c].parts; ++k) {
          sides[switch_of(c + k, lane)] = expressions::part_rests;
          met.push_back(c + k);
        }
      }
      for (const std::uint32_t c : met) {
        const std::uint32_t number = switch_of(c, lane);
        const auto known =
            std::find_if(surfaces.begin(), surfaces.end(), [&](const Surface& one) { return one.number == number; });
        if (known == surfaces.end()) return refuse(group, c, number, "stands inside of something else");
        const std::vector<double> gradient = velocity_gradient(group, c, lane, middle.state);
        const expressions::Tape& tape = model.groups[model.row_group[known->row]].tape;
        if (!std::equal(gradient.begin(), gradient.end(), tape.constants.end() - group.velocities) ||
            velocity_gradient(group, c, lane, other) != gradient ||
            variation.gradient_moves(known->row, middle.state)) {
          return refuse(group, c, number, "turns as the motion or the parameter goes");
        }
        OnSurface one{&*known, std::vector<double>(model.variables, 0.0)};
        for (std::size_t k = 0; k < gradient.size(); ++k)
          one.gradient[group.velocity_of[k * group.lanes + lane]] += gradient[k];
        found.push_back(std::move(one));
      }
    }
  }
  if (found.empty()) return out;
  ForceJump jumps(model);
  std::vector<const OnSurface*> leaders;
  for (const OnSurface& one : found) {
    const std::optional<bool> followed = jumps.along(one, found, middle.state, sides);
    if (!followed) continue;
    if (!*followed || !jumps.along(one, found, other, sides).value_or(false)) {
      return refuse(model.terms[one.surface->term], one.surface->corner, one.surface->number,
                    "is one across which the force does not point");
    }
    if (!jumps.stays_along(variation, one, found, middle.state, sides)) {
      return refuse(model.terms[one.surface->term], one.surface->corner, one.surface->number,
                    "is one across which the force does not point any more when the parameter moves");
    }
    out.surfaces.push_back(*one.surface);
    if (std::any_of(leaders.begin(), leaders.end(), [&](const OnSurface* led) { return led->same(one) != 0; }))
      continue;
    leaders.push_back(&one);
    out.rows.push_back(one.surface->row);
  }
  std::sort(out.rows.begin(), out.rows.end());
  return out;
}

/// By how much the accelerations of a motion are others than those with these surfaces held.
double accelerations_missed(Variation& variation, const Slid& slid, const MotionPoint& middle,
                            std::vector<expressions::Side> sides, const std::vector<std::uint32_t>& rows) {
  for (const Surface& one : slid.surfaces) sides[one.number] = 1;
  for (const std::uint32_t number : slid.resting) sides[number] = 1;
  model::State state = middle.state;
  state.modes = model::modes_of(variation.parameter().model, sides);
  std::vector<std::uint32_t> held = rows;
  held.insert(held.end(), slid.rows.begin(), slid.rows.end());
  const std::vector<double> found = variation.accelerations(state, held);
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(found[i] - middle.acceleration[i]));
  return most;
}

}  // namespace

Slid slid_at(Variation& variation, const std::vector<Surface>& surfaces, const MotionPoint& middle,
             const std::vector<expressions::Side>& sides, const LargestSoFar& largest, const HeldSoFar& so_far) {
  std::vector<std::uint32_t> near;
  Slid out = slid_if(variation, surfaces, middle, sides, largest, so_far.switches, near);
  if (near.empty() || !out.refused.empty() || variation.parameter().model.flow) return out;
  // Its value does not tell whether it is held: the accelerations do, which follow from one or the other.
  std::vector<std::uint8_t> holds = so_far.switches;
  holds.resize(sides.size(), 0);
  for (const std::uint32_t number : near) holds[number] = 1;
  std::vector<std::uint32_t> none;
  Slid with = slid_if(variation, surfaces, middle, sides, largest, holds, none);
  const double missed = accelerations_missed(variation, out, middle, sides, so_far.rows);
  if (!with.refused.empty()) return missed > force_zero * largest.acceleration ? with : out;
  return accelerations_missed(variation, with, middle, sides, so_far.rows) < missed / 2 ? with : out;
}

std::vector<Verge> on_the_verge(Variation& variation, const Slid& slid, const MotionPoint& at,
                                const std::vector<expressions::Side>& sides, const std::vector<std::uint32_t>& rows) {
  std::vector<Verge> out;
  const model::Model& model = variation.parameter().model;
  std::vector<OnSurface> all;
  for (const Surface& one : slid.surfaces) {
    const model::TermGroup& group = model.terms[one.term];
    const std::vector<double> gradient = velocity_gradient(group, one.corner, one.lane, at.state);
    OnSurface on{&one, std::vector<double>(model.variables, 0.0)};
    for (std::size_t k = 0; k < gradient.size(); ++k)
      on.gradient[group.velocity_of[k * group.lanes + one.lane]] += gradient[k];
    all.push_back(std::move(on));
  }
  const auto speed_of = [&](const Surface& one) -> std::optional<std::uint32_t> {
    const model::TermGroup& group = model.terms[one.term];
    const expressions::Corner& corner = group.corners[one.corner];
    if (corner.kind != expressions::CornerKind::part) return std::nullopt;
    return group.first_switch + (one.corner - corner.whole) * group.lanes + one.lane;
  };
  std::vector<std::uint32_t> seen;
  for (const OnSurface& leader : all) {
    if (std::find(slid.rows.begin(), slid.rows.end(), leader.surface->row) == slid.rows.end()) continue;
    const std::optional<std::uint32_t> speed = speed_of(*leader.surface);
    if (speed && std::find(seen.begin(), seen.end(), *speed) != seen.end()) continue;
    // What goes with it: the parts of one speed, each with those that are the same surface.
    std::vector<const OnSurface*> parts;
    for (const OnSurface& one : all) {
      if (std::find(slid.rows.begin(), slid.rows.end(), one.surface->row) == slid.rows.end()) continue;
      if (&one == &leader || (speed && speed_of(*one.surface) == speed)) parts.push_back(&one);
    }
    if (speed) seen.push_back(*speed);
    std::vector<std::uint32_t> others;
    for (const std::uint32_t row : slid.rows) {
      if (std::none_of(parts.begin(), parts.end(), [&](const OnSurface* one) { return one->surface->row == row; }))
        others.push_back(row);
    }
    std::vector<std::uint32_t> held = rows;
    held.insert(held.end(), others.begin(), others.end());
    // The modes with friction against this direction, and the rates of the speeds under it.
    const auto under = [&](const std::vector<double>& direction) {
      std::vector<double> modes = model::modes_of(model, sides);
      for (const OnSurface& one : all) {
        for (std::size_t k = 0; k < parts.size(); ++k) {
          const double factor = parts[k]->same(one);
          if (factor == 0) continue;
          const model::TermGroup& group = model.terms[one.surface->term];
          const expressions::Corner& corner = group.corners[one.surface->corner];
          const double along = (factor > 0 ? 1 : -1) * direction[k];
          // A truth is 0 or 1, a sign and a part of a direction are -1 to 1.
          modes[group.first_mode + std::size_t{corner.first_mode} * group.lanes + one.surface->lane] =
              corner.kind == expressions::CornerKind::truth ? (1 + along) / 2 : along;
        }
      }
      return modes;
    };
    const auto rates = [&](const std::vector<double>& modes) {
      model::State state = at.state;
      state.modes = modes;
      const std::vector<double> found = variation.accelerations(state, held);
      std::vector<double> of(parts.size(), 0.0);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        for (std::size_t i = 0; i < found.size(); ++i) of[k] += parts[k]->gradient[i] * found[i];
      }
      return of;
    };
    // Under no friction it would go the way of the load.
    std::vector<double> way = rates(under(std::vector<double>(parts.size(), 0.0)));
    double length = 0;
    for (const double x : way) length += x * x;
    length = std::sqrt(length);
    if (!(length > 0)) continue;
    for (double& x : way) x /= length;
    Verge verge;
    verge.modes = under(way);
    double left = 0;
    for (const double x : rates(verge.modes)) left += std::abs(x);
    if (!(left <= rate_zero * length)) continue;
    for (double& x : way) x = -x;
    verge.opposite = under(way);
    for (double& x : way) x = -x;
    for (const OnSurface* one : parts) verge.surfaces.push_back(*one->surface);
    verge.direction = way;
    verge.rows = others;
    out.push_back(std::move(verge));
  }
  return out;
}

motion::Piece with_surfaces(const motion::Piece& piece, const std::vector<std::uint32_t>& rows) {
  motion::Piece out = piece;
  const std::size_t old = piece.rows.size();
  out.rows.insert(out.rows.end(), rows.begin(), rows.end());
  const std::size_t now = out.rows.size();
  out.multiplier.assign(now * piece.multiplier_orders, 0.0);
  for (std::size_t k = 0; k < piece.multiplier_orders; ++k) {
    for (std::size_t j = 0; j < old; ++j) out.multiplier[k * now + j] = piece.multiplier[k * old + j];
  }
  return out;
}

}  // namespace zwang::sensitivity
