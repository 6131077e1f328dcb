/// What islands tell: their events in the numbers of the whole, and the account of all of them.
#include <algorithm>
#include <utility>
#include <vector>

#include "zwang/crowds/crowd_impl.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Motion;

void Crowd::Impl::tell_events(Island& island, const std::vector<double>& velocity_before) {
  const model::Part& part = *island.part;
  // Those that a condition of the event is about tell their states, whether they change or not.
  std::vector<std::uint8_t> concerned;
  const auto concern = [&](std::uint32_t row) {
    for (std::uint32_t e = part.model.row_start[row]; e < part.model.row_start[row + 1]; ++e)
      concerned[part.model.row_column[e] / members.dimension] = 1;
  };
  for (const Event& from : island.motion.events) {
    Event event = from;
    concerned.assign(island.members.size(), 0);
    for (const std::uint32_t row : event.rows) concern(row);
    if (lossy && event.kind == motion::EventKind::impact) remember(island, from, velocity_before);
    if (lossy && event.kind == motion::EventKind::accumulation) {
      for (std::size_t k = 0; k < island.members.size(); ++k) {
        if (concerned[k] != 0) memory[island.members[k]].count = 0;
      }
    }
    if (event.rows.empty()) concerned.assign(island.members.size(), 1);
    for (std::uint32_t& row : event.rows) row = told(part.row[row]);
    for (motion::RowValue& value : event.impulses) value.first = told(part.row[value.first]);
    std::sort(event.rows.begin(), event.rows.end());
    std::sort(event.impulses.begin(), event.impulses.end());
    event.position.clear();
    event.velocity.clear();
    for (std::size_t k = 0; k < island.members.size(); ++k) {
      bool changed = concerned[k] != 0;
      for (std::uint32_t c = 0; c < members.dimension; ++c)
        changed = changed || from.velocity[k * members.dimension + c] != velocity_before[k * members.dimension + c];
      if (!changed) continue;
      for (std::uint32_t c = 0; c < members.dimension; ++c) {
        event.variables.push_back(members.variable[island.members[k]] + c);
        event.position.push_back(from.position[k * members.dimension + c]);
        event.velocity.push_back(from.velocity[k * members.dimension + c]);
      }
    }
    tell(std::move(event));
  }
  island.motion.events.clear();
}

void Crowd::Impl::account_for(Island& island) {
  const Motion& motion = island.motion;
  lost += motion.energy.lost - island.lost;
  work += motion.energy.work - island.work;
  island.lost = motion.energy.lost;
  island.work = motion.energy.work;
  position_drift = std::max(position_drift, motion.position_drift);
  velocity_drift = std::max(velocity_drift, motion.velocity_drift);
  defect = std::max(defect, motion.defect);
  position_correction = std::max(position_correction, motion.position_correction);
  velocity_correction = std::max(velocity_correction, motion.velocity_correction);
}

motion::Account Crowd::Impl::account() const {
  motion::Account out;
  out.status = status;
  out.why = why;
  out.culprits = culprits;
  model::State& state = out.present.state;
  state.time = time;
  state.position.resize(model.variables);
  state.velocity.resize(model.variables);
  for (std::uint32_t i = 0; i < members.count; ++i) {
    Vector x;
    Vector v;
    place(i, time, x, v);
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      state.position[members.variable[i] + c] = x[c];
      state.velocity[members.variable[i] + c] = v[c];
    }
  }
  std::vector<motion::RowValue> held;
  for (const Island& island : islands) {
    if (island.members.empty()) continue;
    std::vector<double> multipliers;
    motion::evaluate_multipliers(island.piece, time, multipliers);
    for (std::size_t k = 0; k < island.piece.rows.size(); ++k)
      held.emplace_back(number_known(island.part->row[island.piece.rows[k]]), multipliers[k]);
  }
  for (std::uint32_t i = 0; i < members.count; ++i) {
    if (movers[i].held == none) continue;
    const Plane& wall = members.walls_of(i)[movers[i].held];
    held.emplace_back(members.wall_rows_of(i)[movers[i].held],
                      members.mass[i] * dot(wall.normal, members.acceleration[i]) / (wall.length * wall.length));
  }
  std::sort(held.begin(), held.end());
  for (const auto& [row, value] : held) {
    out.present.rows.push_back(row);
    out.present.multipliers.push_back(value);
  }
  model::Scratch scratch = model::make_scratch(model);
  out.energy.initial = initial;
  out.energy.work = work;
  for (std::size_t k = 0; k < members.written_force.size(); ++k)
    out.energy.work += members.written_force[k] * (state.position[k] - model.initial_position[k]);
  out.energy.lost = lost;
  out.energy.final = model::vis_viva(model, state, scratch) + model::energy(model, state, scratch).potential;
  out.position_drift = position_drift;
  out.velocity_drift = velocity_drift;
  out.defect = defect;
  out.position_correction = position_correction;
  out.velocity_correction = velocity_correction;
  out.steps = steps;
  return out;
}

}  // namespace zwang::crowds
