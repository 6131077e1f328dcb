/// A crowd begins: what is asked for, where everybody is, and who is near whom.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/base/groups.hpp"
#include "zwang/crowds/crowd_impl.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::crowds {

using motion::Status;

Crowd::Impl::Impl(const model::Model& of, const motion::Options& options) : model(of), members(members_of(of)) {
  until = std::isnan(options.until) ? model.simulation.until : options.until;
  tolerance = options.tolerance > 0 ? options.tolerance : model.simulation.tolerance;
  touch = model.simulation.touch;
  zero = zero_in_motion;
  near_length = near_part * members.least;
  time = model.simulation.start;
  std::uint32_t next = 0;
  for (const model::Body& body : model.bodies) {
    first_member.push_back(next);
    next += body.members();
  }
  for (const std::vector<Rule>& rules : members.rules)
    lossy = lossy || std::any_of(rules.begin(), rules.end(), [](const Rule& rule) { return rule.restitution < 1; });
  lossy = lossy || std::any_of(members.planes.begin(), members.planes.end(),
                               [](const Plane& wall) { return wall.restitution < 1; });
  lossy = lossy || std::any_of(members.links.begin(), members.links.end(),
                               [](const Link& link) { return link.restitution < 1; });
  begin_faces();
  std::uint32_t number = 0;
  if (lossy || !members.links.empty() || members.has_obstacles()) {
    wall_of_row.assign(model.rows(), none);
    for (const std::uint32_t row : members.wall_row) wall_of_row[row] = number++;
    for (const Link& link : members.links) wall_of_row[link.row] = number++;
    for (const Wall& wall : members.gate_walls) wall_of_row[wall.row] = number++;
    for (const Post& post : members.posts) wall_of_row[post.row] = number++;
  }
  if (!lossy) return;
  hops.resize(members.count);
  memory.resize(members.count);
  strikes_of_walls.resize(number);
}

motion::Strikes Crowd::Impl::known_strikes(std::uint64_t row) const {
  if (row < model.rows()) return strikes_of_walls[wall_of_row[row]];
  const std::uint32_t number = number_of_met.find(row);
  return number == MetNumbers::unknown ? motion::Strikes{} : strikes_of_pairs[number - model.rows()];
}

std::uint32_t Crowd::Impl::number_known(std::uint64_t row) const {
  return row < model.rows() ? static_cast<std::uint32_t>(row) : number_of_met.find(row);
}

const Link* Crowd::Impl::link_of(std::uint64_t row) const {
  if (members.links.empty() || row >= model.rows()) return nullptr;
  const std::uint32_t place = wall_of_row[row];
  return place < members.wall_row.size() || place >= members.first_obstacle()
             ? nullptr
             : &members.links[place - members.wall_row.size()];
}

std::uint32_t Crowd::Impl::member_at_obstacle(std::uint64_t row) const {
  if (!members.has_obstacles() || row >= model.rows() || wall_of_row[row] < members.first_obstacle()) return none;
  const std::uint32_t place = wall_of_row[row] - members.first_obstacle();
  if (place >= members.gate_walls.size()) return members.posts[place - members.gate_walls.size()].member;
  const std::uint32_t variable = model.row_column[model.row_start[row]];
  const auto next = std::upper_bound(members.variable.begin(), members.variable.end(), variable);
  return static_cast<std::uint32_t>(next - members.variable.begin()) - 1;
}

void Crowd::Impl::begin() {
  const std::uint32_t n = members.count;
  movers.resize(n);
  Vector low{};
  Vector high{};
  std::uint32_t met_by_others = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    Mover& mover = movers[i];
    mover.start = time;
    if (lossy) hops[i].struck.fill(std::numeric_limits<double>::infinity());
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      mover.x[c] = model.initial_position[members.variable[i] + c];
      mover.v[c] = model.initial_velocity[members.variable[i] + c];
    }
    // (Whoever owes nobody a distance, as a piston, may be anywhere.)
    if (members.owes_nobody[members.kind[i]] != 0) continue;
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      low[c] = met_by_others == 0 ? mover.x[c] : std::min(low[c], mover.x[c]);
      high[c] = met_by_others == 0 ? mover.x[c] : std::max(high[c], mover.x[c]);
    }
    ++met_by_others;
  }
  // About one member in a cell.
  double volume = 1;
  for (std::uint32_t c = 0; c < members.dimension; ++c) volume *= std::max(high[c] - low[c], members.widest);
  const double each = volume / met_by_others;
  const double side = elementary::pow(each, 1.0 / members.dimension);
  double farthest = 0;
  for (const Mover& mover : movers) {
    for (std::uint32_t c = 0; c < members.dimension; ++c) farthest = std::max(farthest, std::abs(mover.x[c]));
  }
  grid.reset(n, members.dimension, std::max({wider_cell * members.widest, side, farthest / cells_at_first}));
  queue.reset(number_in_queue(0));
  std::vector<Cell> cells(n);
  for (std::uint32_t i = 0; i < n; ++i) cells[i] = grid.cell_of(movers[i].x);
  put_all(cells);
  for (std::uint32_t d = 0; d < drives.size(); ++d) {
    if (!drive_on(d, time)) return;
  }
  for (std::uint32_t f = 0; f < members.faces.size(); ++f) set_guard(f);
  for (std::uint32_t d = 0; d < drives.size(); ++d) enqueue_drive(d);
  model::Scratch scratch = model::make_scratch(model);
  const model::State start = model::initial_state(model);
  initial = model::vis_viva(model, start, scratch) + model::energy(model, start, scratch).potential;

  // What touches from the start, as it is written, is dealt with together, everything else flies.
  zero = touch;
  Loose loose;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::span<const Plane> walls = members.walls_of(i);
    bool touches = touches_more(i, time, movers[i].x, movers[i].v);
    touches = touches || std::any_of(walls.begin(), walls.end(),
                                     [&](const Plane& wall) { return is_at_wall(wall, movers[i].x, movers[i].v); });
    if (!touches) continue;
    loose.members.push_back(i);
    loose.x.push_back(movers[i].x);
    loose.v.push_back(movers[i].v);
  }
  fresh.clear();
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (next < loose.members.size() && loose.members[next] == i) {
      ++next;
      continue;
    }
    fly(i, time, Vector(movers[i].x), Vector(movers[i].v));
    fresh.push_back(i);
  }
  for (const std::vector<std::uint32_t>& group : groups_of(loose, 0, {}, true)) {
    go_on(loose, group, time, true);
    if (status != Status::going) return;
  }
  zero = zero_in_motion;
  predict_fresh();
}

void Crowd::Impl::put_all(const std::vector<Cell>& cells) {
  grid.put_all(cells);
  shared_out = false;
  one_hand.forget_around();
}

void Crowd::Impl::widen() {
  crossings = 0;
  const double width = wider_by * grid.width();
  grid.reset(members.count, members.dimension, width);
  std::vector<Cell> cells(members.count);
  for (std::uint32_t i = 0; i < members.count; ++i) {
    Vector x;
    Vector v;
    place(i, std::max(time, movers[i].start), x, v);
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2]) || !std::isfinite(width)) {
      end(Status::gave_up, fmt::format("{} has gone further away than numbers reach", name_of(i)));
      return;
    }
    cells[i] = grid.cell_of(x);
    fresh.push_back(i);
  }
  put_all(cells);
  for (std::uint32_t f = 0; f < members.faces.size(); ++f) set_guard(f);
  for (std::uint32_t d = 0; d < drives.size(); ++d) enqueue_drive(d);
  predict_fresh();
}

}  // namespace zwang::crowds
