/// What stands in cones.hpp.
#include "zwang/instant/cones.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners_impl.hpp"
#include "zwang/instant/evaluation.hpp"

namespace zwang::instant {

using expressions::Side;
using expressions::spokes_of_cone;

namespace {

Direction turned(const Direction& c, const Direction& by) {
  return {c[0] * by[0] - c[1] * by[1], c[0] * by[1] + c[1] * by[0]};
}
Direction of_length_one(const Direction& c) {
  const double length = elementary::hypot(c[0], c[1]);
  return {c[0] / length, c[1] / length};
}
double product(const Direction& a, const Direction& b) { return a[0] * b[0] + a[1] * b[1]; }
/// The sine of the angle from a to b.
double sine(const Direction& a, const Direction& b) { return a[0] * b[1] - a[1] * b[0]; }

}  // namespace

double InCone::lean() const { return elementary::hypot(across[0], across[1]); }

Direction spoke_direction(const model::Model& model, const model::Cone& cone, std::size_t which,
                          std::span<const double> modes) {
  const std::uint32_t row = cone.spoke(which);
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const auto mode = [&](std::uint32_t corner) {
    return modes[group.first_mode + group.corners[corner].first_mode * group.lanes + model.row_lane[row]];
  };
  return {mode(0) + mode(1), mode(2) + mode(3)};
}

InCone seen_by_spokes(const model::Model& model, const model::Cone& cone, std::span<const double> modes,
                      std::span<const double> per_row) {
  // y_k = A + c_k.(B w): differences first, which are free of A.
  std::array<Direction, spokes_of_cone> c;
  std::array<double, spokes_of_cone> y;
  for (std::size_t k = 0; k < spokes_of_cone; ++k) {
    c[k] = spoke_direction(model, cone, k, modes);
    y[k] = per_row[cone.spoke(k)];
  }
  const Direction d1 = {c[1][0] - c[0][0], c[1][1] - c[0][1]};
  const Direction d2 = {c[2][0] - c[0][0], c[2][1] - c[0][1]};
  const double area = sine(d1, d2);
  const double y1 = y[1] - y[0];
  const double y2 = y[2] - y[0];
  InCone out;
  out.across = {(y1 * d2[1] - y2 * d1[1]) / area, (y2 * d1[0] - y1 * d2[0]) / area};
  out.along = y[0] - product(c[0], out.across);
  return out;
}

void turn_spoke(const model::Model& model, const model::Cone& cone, std::size_t which, const Direction& to,
                std::span<Side> sides, std::vector<double>& modes) {
  const std::uint32_t row = cone.spoke(which);
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const std::uint32_t lane = model.row_lane[row];
  for (std::uint32_t corner = 0; corner < group.corners.size(); ++corner) {
    const double component = to[corner / 2];
    const double number = corner % 2 == 0 ? component : expressions::rest_of_spoke(component);
    const Side side = group.corners[corner].side(number);
    if (!sides.empty()) sides[group.first_switch + corner * group.lanes + lane] = side;
    set_modes(group, corner, lane, side, modes);
  }
}

void turn_spokes(const model::Model& model, const model::Cone& cone, const Direction& to, std::span<Side> sides,
                 std::vector<double>& modes) {
  for (std::size_t k = 0; k < spokes_of_cone; ++k)
    turn_spoke(model, cone, k, turned(to, expressions::corner_of_triangle(k)), sides, modes);
}

bool is_at_apex(const model::Model& model, const model::State& state, const model::Cone& cone, double touch,
                Evaluation& evaluation) {
  model::Rows& rows = evaluation.rows;
  double small = 0;
  for (std::size_t k = 0; k < spokes_of_cone; ++k) {
    const std::uint32_t row = cone.spoke(k);
    model::evaluate_row(model, state, row, evaluation.scratch, rows);
    small = std::max(small, touch * rows.value_scale[row] + bounds_that_are_nothing * rows.value_error[row]);
  }
  return seen_by_spokes(model, cone, state.modes, rows.value).lean() <= small;
}

bool touches_in_apex(const model::Model& model, const model::State& state, const model::Cone& cone,
                     Workspace& workspace) {
  Evaluation& evaluation = workspace.evaluation();
  const double touch = model.simulation.touch;
  if (!is_at_apex(model, state, cone, touch, evaluation)) return false;
  const std::uint32_t row = cone.spoke(0);
  return seen_by_spokes(model, cone, state.modes, evaluation.rows.value).along >=
         -touch * evaluation.rows.value_scale[row] - bounds_that_are_nothing * evaluation.rows.value_error[row];
}

std::vector<model::Cone> standing_still(const model::Model& model, std::span<const model::Cone> cones,
                                        model::State& state, Evaluation& evaluation, std::span<Side> sides) {
  std::vector<model::Cone> out;
  const model::Rows& rows = evaluation.rows;
  for (const model::Cone& cone : cones) {
    double small = 0;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      const std::uint32_t row = cone.spoke(k);
      model::evaluate_row(model, state, row, evaluation.scratch, evaluation.rows);
      small = std::max(small, still_in_apex * rows.rate_scale[row] + bounds_that_are_nothing * rows.rate_error[row]);
    }
    const InCone rate = seen_by_spokes(model, cone, state.modes, rows.rate);
    if (rate.lean() <= small) {
      // What recedes has nothing to ask of accelerations.
      if (rate.along >= -small) out.push_back(cone);
    } else {
      turn_spokes(model, cone, of_length_one(rate.across), sides, state.modes);
    }
  }
  return out;
}

std::vector<double> terms_of_spokes(const model::Model& model, const model::Rows& rows, std::span<const double> size,
                                    bool curved) {
  std::vector<double> out(model.rows(), 0.0);
  for (const model::Cone& cone : model.cones) {
    for (std::size_t k = 0; k < spokes_of_cone; ++k) {
      const std::uint32_t row = cone.spoke(k);
      if (curved) out[row] = rows.curvature_scale[row];
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
        out[row] += std::abs(rows.entry[e]) * size[model.row_column[e]];
    }
  }
  return out;
}

std::string lost_in_cone(const model::Model& model, std::uint32_t row) {
  return "where " + model::row_name(model, row) +
         " has a corner in a point no direction was found in which it leaves that";
}

void accelerate_on_cones(const model::Model& model, Resolved& found, const Options& options, Workspace& workspace,
                         Instant& instant) {
  ConeSearch search(model,
                    standing_still(model, found.cones, found.state, workspace.evaluation(), found.corners.sides));
  accelerate(model, found.state, options, workspace, instant);
  const auto asks_again = [&] {
    if (instant.status != Status::determined || instant.singular) return false;
    return search.turn(instant.second, instant.multipliers,
                       terms_of_spokes(model, workspace.evaluation().rows, workspace.acceleration_terms(), true),
                       found.corners.sides, found.state.modes);
  };
  while (search.any() && asks_again()) accelerate(model, found.state, options, workspace, instant);
  if (search.lost() == model.rows()) return;
  instant.status = Status::undecided;
  instant.no_gradient = true;
  instant.expansion = lost_in_cone(model, search.lost());
}

namespace {

/// Velocities after a shock, and spokes turned until they keep the cones.
void regulate_and_turn(const model::Model& model, std::span<const model::Cone> cones, const model::State& state,
                       const Options& options, Workspace& workspace, std::span<Side> sides, std::vector<double>& modes,
                       Shock& shock) {
  impact(model, state, options, workspace, shock);
  ConeSearch search(model, {cones.begin(), cones.end()});
  const auto asks_again = [&] {
    if (shock.status != ShockStatus::regulated) return false;
    std::vector<double> speed(model.variables);
    for (std::size_t i = 0; i < speed.size(); ++i) speed[i] = std::abs(shock.alpha[i]) + std::abs(shock.velocities[i]);
    return search.turn(shock.rate_after, shock.impulses,
                       terms_of_spokes(model, workspace.evaluation().rows, speed, false), sides, modes);
  };
  while (search.any() && asks_again()) impact(model, state, options, workspace, shock);
  if (search.lost() == model.rows()) return;
  shock.status = ShockStatus::gave_up;
  shock.restitution_note = lost_in_cone(model, search.lost());
}

}  // namespace

void regulate_on_cones(const model::Model& model, std::span<const model::Cone> cones, model::State& state,
                       const Options& options, Workspace& workspace, std::span<Side> sides, Shock& shock) {
  if (cones.empty()) {
    impact(model, state, options, workspace, shock);
    return;
  }
  // Bodies rebound from where they are pressed most: there the cones hold them without rebound.
  Options inelastic = options;
  inelastic.inelastic = true;
  regulate_and_turn(model, cones, state, inelastic, workspace, sides, state.modes, shock);
  const bool rebounds = !options.inelastic && std::any_of(cones.begin(), cones.end(), [&](const model::Cone& cone) {
    return model.conditions[model.row_condition[cone.row]].restitution > 0;
  });
  if (!rebounds || shock.status != ShockStatus::regulated) return;
  impact(model, state, options, workspace, shock);
  if (shock.status != ShockStatus::regulated) return;
  for (const model::Cone& cone : cones) {
    const InCone after = seen_by_spokes(model, cone, state.modes, shock.rate_after);
    double size = 0;
    for (std::size_t k = 0; k < spokes_of_cone; ++k) size = std::max(size, std::abs(shock.rate_before[cone.spoke(k)]));
    if (after.along + after.lean() <= rounding_of_rebound * size) continue;
    shock.status = ShockStatus::gave_up;
    shock.restitution_note =
        "the bodies would rebound into " + model::row_name(model, cone.row) +
        ", which has a corner in a point here: what a restitution does there is not defined; take 0";
  }
}

bool ConeSearch::turn(std::span<const double> y, std::span<const double> multipliers, std::span<const double> terms,
                      std::span<Side> sides, std::vector<double>& modes) {
  bool any = false;
  for (Searched& one : searched_) any = turn_one(one, y, multipliers, terms, sides, modes) || any;
  return any;
}

std::uint32_t ConeSearch::lost() const {
  for (const Searched& one : searched_) {
    if (one.lost) return one.cone.row;
  }
  return model_.rows();
}

bool ConeSearch::turn_one(Searched& one, std::span<const double> y, std::span<const double> multipliers,
                          std::span<const double> terms, std::span<Side> sides, std::vector<double>& modes) {
  const InCone found = seen_by_spokes(model_, one.cone, modes, y);
  double size = 0;
  double load = 0;
  double most = 0;
  double least = 0;
  Direction pressed{};
  std::array<Direction, spokes_of_cone> c;
  for (std::size_t k = 0; k < spokes_of_cone; ++k) {
    const std::uint32_t row = one.cone.spoke(k);
    const double l = multipliers[row];
    c[k] = spoke_direction(model_, one.cone, k, modes);
    size = std::max(size, terms[row]);
    load += l;
    most = std::max(most, l);
    least = k == 0 ? l : std::min(least, l);
    pressed = {pressed[0] + l * c[k][0], pressed[1] + l * c[k][1]};
  }
  const double lean = found.lean();
  const bool kept = found.along + lean <= kept_by_cone * size;
  // Open, with nothing that presses.
  if (kept && !(most > 0)) return false;
  if (kept && lean <= kept_by_cone * size) {
    // Held by all three, and they press near an edge of the triangle: its first corner goes where they press.
    const double place = elementary::hypot(pressed[0], pressed[1]);
    if (one.centred || least > beside_an_edge * load || !(place > 0)) return false;
    one.centred = true;
    turn_spokes(model_, one.cone, of_length_one(pressed), sides, modes);
    return true;
  }
  if (++one.rounds > most_rounds_of_cone) {
    one.lost = true;
    return false;
  }
  const Direction leads = of_length_one(found.across);
  if (one.single) {
    // Secants of the angle between the spoke and where it leads.
    const double off = sine(c[0], leads);
    if (std::abs(off) <= spoke_points && product(c[0], leads) > 0) return false;
    double by = off;
    if (one.last && off != one.off_before) {
      const double step = -off * sine(one.before, c[0]) / (off - one.off_before);
      if (std::abs(step) < widest_turn_of_spoke) by = step;
    }
    one.last = true;
    one.before = c[0];
    one.off_before = off;
    turn_spokes(model_, one.cone, of_length_one(turned(c[0], {1, by})), sides, modes);
    return true;
  }
  // (An answer may lie in the cone to its last digits with a spoke that has half of them.)
  if (found.along + lean <= nearly_kept_by_cone * lean) {
    one.single = true;
    turn_spokes(model_, one.cone, leads, sides, modes);
    return true;
  }
  // Of those that carry nothing the one that points elsewhere most cuts off what was found.
  std::size_t idle = spokes_of_cone;
  for (std::size_t k = 0; k < spokes_of_cone; ++k) {
    if (multipliers[one.cone.spoke(k)] > idle_spoke * most) continue;
    if (idle == spokes_of_cone || product(c[k], leads) < product(c[idle], leads)) idle = k;
  }
  if (idle == spokes_of_cone) return false;
  turn_spoke(model_, one.cone, idle, leads, sides, modes);
  return true;
}

}  // namespace zwang::instant
