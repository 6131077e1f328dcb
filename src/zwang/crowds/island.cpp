/// Islands: members that touch, or stay near, as motions of their own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "zwang/base/groups.hpp"
#include "zwang/crowds/crowd_impl.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Motion;
using motion::Piece;
using motion::Status;

namespace {

constexpr double not_at_all = std::numeric_limits<double>::infinity();

double distance_of(const Vector& x, const Vector& y) {
  const Vector r = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
  return std::sqrt(dot(r, r));
}

double size_of(const Vector& a) { return std::abs(a[0]) + std::abs(a[1]) + std::abs(a[2]); }

Vector difference(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// Numbers of rows of a part as those of the whole; ascending ones stay so.
std::vector<std::uint64_t> in_whole(const model::Part& part, const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint64_t> out;
  for (const std::uint32_t row : rows) out.push_back(part.row[row]);
  return out;
}

/// Rows ascending, with their multipliers.
void sort_rows(Piece& piece) {
  const std::size_t m = piece.rows.size();
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return piece.rows[a] < piece.rows[b]; });
  const Piece before = piece;
  for (std::size_t j = 0; j < m; ++j) {
    piece.rows[j] = before.rows[order[j]];
    for (std::size_t k = 0; k < piece.multiplier_orders; ++k)
      piece.multiplier[k * m + j] = before.multiplier[k * m + order[j]];
  }
}

std::size_t place_in(const std::vector<std::uint32_t>& ascending, std::uint32_t value) {
  const auto found = std::lower_bound(ascending.begin(), ascending.end(), value);
  return found != ascending.end() && *found == value ? static_cast<std::size_t>(found - ascending.begin())
                                                     : ascending.size();
}

}  // namespace

void Crowd::Impl::predict_fresh() {
  std::sort(fresh.begin(), fresh.end());
  // A prediction for one may become that of another: what is not predicted yet expects nothing.
  for (const std::uint32_t i : fresh) {
    movers[i].hit = not_at_all;
    movers[i].what = What::nothing;
  }
  for (const std::uint32_t i : fresh) {
    predict_wall(i);
    predict_obstacles(i);
    predict_links(i);
    grid.visit(i, [&](std::uint32_t j) { predict_pair(i, j); });
    predict_crossing(i);
    enqueue(i);
  }
  fresh.clear();
}

// ---- what hangs together

bool Crowd::Impl::part(std::uint32_t i, std::uint32_t j, const Vector& r, const Vector& u, const Rule& rule) const {
  const double rate = dot(r, u) / std::sqrt(dot(r, r));
  if (!(rate > told_from_zero * std::sqrt(dot(u, u)))) return false;
  if (rule.restitution == 1) return true;
  if (std::min(movers[i].close_shocks, movers[j].close_shocks) > most_close_shocks) return false;
  const Vector& a = members.acceleration[i];
  const Vector& b = members.acceleration[j];
  const double most = std::sqrt(std::max(dot(a, a), dot(b, b)));
  return rate * rate > 2 * most * parted * near_length;
}

bool Crowd::Impl::part(const Link& link, double rate) const {
  if (!(rate < 0)) return false;
  if (link.restitution == 1) return true;
  const std::uint32_t owner = members.faces[link.face].owner;
  if (std::min(movers[link.member].close_shocks, movers[owner].close_shocks) > most_close_shocks) return false;
  const Vector& a = members.acceleration[link.member];
  const Vector& b = members.acceleration[owner];
  const double most = std::sqrt(std::max(dot(a, a), dot(b, b)));
  const double speed = rate / link.length;
  return speed * speed > 2 * most * parted * near_length;
}

bool Crowd::Impl::touch_each_other(const Loose& loose, std::size_t a, std::size_t b, double least) const {
  return is_touching(difference(loose.x[a], loose.x[b]), difference(loose.v[a], loose.v[b]),
                     size_of(loose.x[a]) + size_of(loose.x[b]), least);
}

std::vector<std::vector<std::uint32_t>> Crowd::Impl::groups_of(const Loose& loose, double near,
                                                               const std::vector<std::uint64_t>& held,
                                                               bool before_shock) const {
  const auto count = static_cast<std::uint32_t>(loose.members.size());
  Groups groups(count);
  for (const std::uint64_t row : held) {
    if (const Link* link = link_of(row)) {
      const std::size_t a = place_in(loose.members, link->member);
      const std::size_t b = place_in(loose.members, members.faces[link->face].owner);
      if (a < count && b < count) groups.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
    }
    if (row < model.rows()) continue;
    const model::PairFamily& family = model::family_of(model, row);
    const auto [first, second] = model::members_of_pair(family, row);
    const std::size_t a = place_in(loose.members, first_member[family.first.body] + first);
    const std::size_t b = place_in(loose.members, first_member[family.second.body] + second);
    if (a < count && b < count) groups.join(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b));
  }
  for (std::uint32_t a = 0; a < count; ++a) {
    const std::uint32_t i = loose.members[a];
    grid.visit(i, [&](std::uint32_t j) {
      if (j < i) return;
      const std::size_t b = place_in(loose.members, j);
      if (b == count) return;
      for (const Rule& rule : members.rules_of(i, j)) {
        const bool is_near = rule.restitution < 1 && distance_of(loose.x[a], loose.x[b]) - rule.least <= near;
        if (!is_near && !touch_each_other(loose, a, b, rule.least)) continue;
        if (before_shock || !part(i, j, difference(loose.x[a], loose.x[b]), difference(loose.v[a], loose.v[b]), rule))
          groups.join(a, static_cast<std::uint32_t>(b));
      }
    });
    for (const Link& link : members.links_of(i)) {
      const Face& face = members.faces[link.face];
      const std::size_t b = place_in(loose.members, face.owner);
      if (b == count) continue;
      const Level level = level_at(face, loose.x[b], loose.v[b]);
      const double gap = -(dot(link.normal, loose.x[a]) + link.offset + level.value);
      const bool is_near = link.restitution < 1 && gap <= near * link.length;
      if (!is_near && !is_at_link(link, loose.x[a], loose.v[a], level)) continue;
      if (before_shock || !part(link, dot(link.normal, loose.v[a]) + level.rate))
        groups.join(a, static_cast<std::uint32_t>(b));
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> number(count, none);
  for (std::uint32_t a = 0; a < count; ++a) {
    std::uint32_t& of = number[groups.of(a)];
    if (of == none) {
      of = static_cast<std::uint32_t>(out.size());
      out.emplace_back();
    }
    out[of].push_back(a);
  }
  return out;
}

void Crowd::Impl::take(std::uint32_t i, double t, Loose& loose) {
  const auto add = [&](std::uint32_t member) {
    Vector x;
    Vector v;
    place(member, t, x, v);
    const auto at = std::lower_bound(loose.members.begin(), loose.members.end(), member);
    const auto k = at - loose.members.begin();
    loose.members.insert(at, member);
    loose.x.insert(loose.x.begin() + k, x);
    loose.v.insert(loose.v.begin() + k, v);
  };
  const auto forget = [&](std::uint32_t member) {
    Vector x;
    Vector v;
    place(member, t, x, v);
    movers[member].island = none;
    movers[member].held = none;
    movers[member].start = t;
    movers[member].x = x;
    movers[member].v = v;
    ++movers[member].generation;
    if (lossy) hops[member].wall = none;
  };
  const std::uint32_t number = movers[i].island;
  if (number == none) {
    if (place_in(loose.members, i) < loose.members.size()) return;
    add(i);
    if (movers[i].held == none) return;
    loose.held.push_back(members.wall_rows_of(i)[movers[i].held]);
    std::sort(loose.held.begin(), loose.held.end());
    forget(i);
    return;
  }
  Island& island = islands[number];
  for (const std::uint32_t member : island.members) add(member);
  const std::vector<std::uint64_t> held = in_whole(*island.part, island.piece.rows);
  loose.held.insert(loose.held.end(), held.begin(), held.end());
  std::sort(loose.held.begin(), loose.held.end());
  work += work_on_leg(island, t);
  // What they were doing is over.
  for (const std::uint32_t member : island.members) forget(member);
  discard(number);
}

double Crowd::Impl::work_on_leg(const Island& island, double t) const {
  // Nothing is lost on a leg, and nothing works but faces that time moves: what their work is, the energy says.
  const bool moved = std::any_of(island.piece.rows.begin(), island.piece.rows.end(), [&](std::uint32_t row) {
    const Link* link = link_of(island.part->row[row]);
    return link != nullptr && members.faces[link->face].driver != Face::nobody;
  });
  if (!moved) return 0;
  double out = 0;
  for (std::uint32_t k = 0; k < island.members.size(); ++k) {
    const std::uint32_t column = k * members.dimension;
    Vector x;
    Vector v;
    Vector x_before;
    Vector v_before;
    place_on(island.piece, column, t, x, v);
    place_on(island.piece, column, island.piece.start, x_before, v_before);
    out += 0.5 * members.mass[island.members[k]] * (dot(v, v) - dot(v_before, v_before));
    for (std::uint32_t c = 0; c < members.dimension; ++c)
      out -= island.part->model.constant_force[column + c] * (x[c] - x_before[c]);
  }
  return out;
}

void Crowd::Impl::discard(std::uint32_t number) {
  queue.put(number_in_queue(number), not_at_all);
  islands[number] = {};
  free_islands.push_back(number);
}

std::uint32_t Crowd::Impl::new_island() {
  if (!free_islands.empty()) {
    // The lowest, so that numbers do not depend on the order in which islands ended.
    const auto lowest = std::min_element(free_islands.begin(), free_islands.end());
    const std::uint32_t number = *lowest;
    free_islands.erase(lowest);
    return number;
  }
  islands.emplace_back();
  queue.grow(number_in_queue(static_cast<std::uint32_t>(islands.size())));
  return static_cast<std::uint32_t>(islands.size() - 1);
}

// ---- instants of more than two

void Crowd::Impl::settle(const std::vector<std::uint32_t>& seeds, double t) {
  take_back();
  time = t;
  Loose loose;
  for (const std::uint32_t i : seeds) {
    movers[i].at_once = movers[i].settled == t ? movers[i].at_once + 1 : 0;
    movers[i].settled = t;
    take(i, t, loose);
  }
  // Everything that touches, and everything near that loses energy, with it.
  for (bool more = true; more;) {
    more = false;
    const std::vector<std::uint32_t> known = loose.members;
    for (const std::uint32_t i : known) {
      const std::size_t at = place_in(loose.members, i);
      const Vector x = loose.x[at];
      const Vector v = loose.v[at];
      std::vector<std::uint32_t> found;
      grid.visit(i, [&](std::uint32_t j) {
        if (place_in(loose.members, j) < loose.members.size()) return;
        Vector y;
        Vector w;
        place(j, t, y, w);
        for (const Rule& rule : members.rules_of(i, j)) {
          const bool is_near = rule.restitution < 1 && distance_of(x, y) - rule.least <= near_length;
          if (is_near || is_touching(difference(x, y), difference(v, w), size_of(x) + size_of(y), rule.least))
            found.push_back(j);
        }
      });
      find_at_faces(i, t, x, v, found);
      for (const std::uint32_t j : found) {
        if (place_in(loose.members, j) < loose.members.size()) continue;
        take(j, t, loose);
        more = true;
      }
    }
  }
  for (const std::vector<std::uint32_t>& group : groups_of(loose, near_length, loose.held, true)) {
    go_on(loose, group, t, false);
    if (status != Status::going) return;
  }
  predict_fresh();
}

void Crowd::Impl::find_at_faces(std::uint32_t i, double t, const Vector& x, const Vector& v,
                                std::vector<std::uint32_t>& found) const {
  if (members.links.empty()) return;
  const auto is_in_it = [&](const Link& link, const Vector& at, const Vector& with, const Level& level) {
    const double gap = -(dot(link.normal, at) + link.offset + level.value);
    return (link.restitution < 1 && gap <= near_length * link.length) || is_at_link(link, at, with, level);
  };
  for (const Link& link : members.links_of(i)) {
    const Face& face = members.faces[link.face];
    if (face.owner != Face::nobody && is_in_it(link, x, v, level_of(face, t))) found.push_back(face.owner);
  }
  const auto [first, behind] = members.faces_of(i);
  for (std::uint32_t f = first; f < behind; ++f) {
    const Level level = level_at(members.faces[f], x, v);
    for (const std::uint32_t number : guards[f].near) {
      const Link& link = members.links[number];
      Vector y;
      Vector w;
      place(link.member, t, y, w);
      if (is_in_it(link, y, w, level)) found.push_back(link.member);
    }
  }
}

std::uint32_t Crowd::Impl::only_wall(std::uint32_t i, const std::vector<std::uint64_t>& held, bool& many) const {
  std::uint32_t found = none;
  many = false;
  const std::span<const Plane> walls = members.walls_of(i);
  for (std::uint32_t w = 0; w < walls.size(); ++w) {
    if (!std::binary_search(held.begin(), held.end(), members.wall_rows_of(i)[w])) continue;
    many = many || found != none || dot(walls[w].normal, members.acceleration[i]) < 0;
    found = w;
  }
  if (members.has_obstacles())
    many =
        many || std::any_of(held.begin(), held.end(), [&](std::uint64_t row) { return member_at_obstacle(row) == i; });
  // Whoever is held at a face that moves goes with it.
  const auto [first, behind] = members.faces_of(i);
  if (first < behind || !members.links_of(i).empty()) {
    for (const std::uint64_t row : held) {
      const Link* link = link_of(row);
      many = many || (link != nullptr && (link->member == i || members.faces[link->face].owner == i));
    }
  }
  return found;
}

bool Crowd::Impl::is_alone(const Loose& loose, const std::vector<std::uint32_t>& group) const {
  if (group.size() > 1) return false;
  bool many = false;
  static_cast<void>(only_wall(loose.members[group[0]], loose.held, many));
  return !many;
}

bool Crowd::Impl::goes_alone(const Loose& loose, const std::vector<std::uint32_t>& group, double t) {
  if (!is_alone(loose, group)) return false;
  const std::uint32_t i = loose.members[group[0]];
  bool many = false;
  const std::uint32_t wall = only_wall(i, loose.held, many);
  if (wall == none) {
    fly(i, t, loose.x[group[0]], loose.v[group[0]]);
  } else {
    slide(i, wall, t, loose.x[group[0]], loose.v[group[0]]);
  }
  fresh.push_back(i);
  return true;
}

void Crowd::Impl::note_uncertainty(const std::vector<std::uint32_t>& group, const Loose& loose,
                                   model::State& state) const {
  for (const std::uint32_t a : group) {
    const Vector& pull = members.acceleration[loose.members[a]];
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      const double passed = std::abs(state.time);
      state.position_uncertainty.push_back(
          few_roundings * (std::abs(loose.x[a][c]) + members.widest + std::abs(loose.v[a][c]) * passed));
      state.velocity_uncertainty.push_back(few_roundings * (std::abs(loose.v[a][c]) + std::abs(pull[c]) * passed));
    }
  }
}

Island Crowd::Impl::island_of(const Loose& loose, const std::vector<std::uint32_t>& group, double t, bool first) const {
  Island island;
  std::vector<model::Member> places;
  std::vector<std::uint64_t> rows;
  std::vector<std::uint64_t> touching;
  model::State state;
  state.time = t;
  for (const std::uint32_t a : group) {
    const std::uint32_t i = loose.members[a];
    island.members.push_back(i);
    places.push_back(members.place[i]);
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      state.position.push_back(loose.x[a][c]);
      state.velocity.push_back(loose.v[a][c]);
    }
    const std::span<const Plane> walls = members.walls_of(i);
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const Plane& wall = walls[w];
      rows.push_back(members.wall_rows_of(i)[w]);
      const double speed = std::sqrt(dot(loose.v[a], loose.v[a])) * wall.length;
      if (is_at_wall(wall, loose.x[a], loose.v[a]) && dot(wall.normal, loose.v[a]) > told_from_zero * speed)
        touching.push_back(rows.back());
    }
    add_obstacles(i, loose.x[a], loose.v[a], rows, touching);
    for (const Link& link : members.links_of(i)) {
      const Face& face = members.faces[link.face];
      Level level;
      double most = std::sqrt(dot(loose.v[a], loose.v[a])) * link.length;
      bool at = false;
      if (face.driver != Face::nobody) {
        level = level_of(face, t);
        most += std::abs(level.rate);
        at = is_at_link(link, loose.x[a], loose.v[a], level);
      } else {
        const std::size_t b = place_in(loose.members, face.owner);
        if (b == loose.members.size() || !std::binary_search(group.begin(), group.end(), static_cast<std::uint32_t>(b)))
          continue;
        level = level_at(face, loose.x[b], loose.v[b]);
        most += std::sqrt(dot(loose.v[b], loose.v[b])) * face.length;
        at = is_at_link(link, loose.x[a], loose.v[a], level);
        const double gap = -(dot(link.normal, loose.x[a]) + link.offset + level.value);
        const bool was_held = std::binary_search(loose.held.begin(), loose.held.end(), std::uint64_t{link.row});
        if (!at && !was_held && gap > with_island * members.least * link.length) continue;
      }
      rows.push_back(link.row);
      if (at && dot(link.normal, loose.v[a]) + level.rate > told_from_zero * most) touching.push_back(link.row);
    }
  }
  for (const std::uint32_t a : group) {
    const std::uint32_t i = loose.members[a];
    grid.visit(i, [&](std::uint32_t j) {
      if (j < i) return;
      const std::size_t b = place_in(loose.members, j);
      if (b == loose.members.size() || !std::binary_search(group.begin(), group.end(), static_cast<std::uint32_t>(b)))
        return;
      for (const Rule& rule : members.rules_of(i, j)) {
        const double gap = distance_of(loose.x[a], loose.x[b]) - rule.least;
        const bool touches = touch_each_other(loose, a, b, rule.least);
        const std::uint64_t row = row_of(model, members, rule, i, j);
        const bool was_held = std::binary_search(loose.held.begin(), loose.held.end(), row);
        if (!touches && !was_held && gap > with_island * members.least) continue;
        rows.push_back(row);
        Vector r;
        Vector u;
        for (std::size_t c = 0; c < 3; ++c) {
          r[c] = loose.x[a][c] - loose.x[b][c];
          u[c] = loose.v[a][c] - loose.v[b][c];
        }
        if (touches && -dot(r, u) > told_from_zero * rule.least * std::sqrt(dot(u, u))) touching.push_back(row);
      }
    });
  }
  std::sort(rows.begin(), rows.end());
  island.part = part_with(places, rows);
  const auto number = [&](std::uint64_t row) {
    return static_cast<std::uint32_t>(std::lower_bound(rows.begin(), rows.end(), row) - rows.begin());
  };
  motion::Options options;
  options.until = until;
  options.tolerance = tolerance;
  if (first) {
    island.part->model.initial_position = state.position;
    island.part->model.initial_velocity = state.velocity;
    island.motion = motion::begin(island.part->model, options);
    return island;
  }
  std::vector<std::uint32_t> held;
  std::vector<std::uint32_t> closing;
  for (const std::uint64_t row : loose.held) {
    if (std::binary_search(rows.begin(), rows.end(), row)) held.push_back(number(row));
  }
  std::sort(touching.begin(), touching.end());
  for (const std::uint64_t row : touching) {
    if (!std::binary_search(loose.held.begin(), loose.held.end(), row)) closing.push_back(number(row));
  }
  note_uncertainty(group, loose, state);
  island.motion = motion::take_up(island.part->model, options, state, held, closing, past_of(island.members, rows, t));
  return island;
}

std::unique_ptr<model::Part> Crowd::Impl::part_with(const std::vector<model::Member>& places,
                                                    const std::vector<std::uint64_t>& rows) const {
  auto part = std::make_unique<model::Part>(model::part_of(model, places, rows));
  if (members.pull_on.empty()) return part;
  // Forces that are written and constant are forces like gravity there; the crowd itself accounts for their work.
  for (std::size_t k = 0; k < part->variable.size(); ++k)
    part->model.constant_force[k] = members.pull_on[part->variable[k]];
  return part;
}

motion::Past Crowd::Impl::past_of(const std::vector<std::uint32_t>& of, const std::vector<std::uint64_t>& rows,
                                  double t) const {
  motion::Past past;
  if (!lossy) return past;
  for (const std::uint64_t row : rows) past.strikes.push_back(known_strikes(row));
  std::vector<Struck> strikes;
  for (const std::uint32_t i : of) {
    for (std::uint32_t k = 0; k < memory[i].count; ++k) strikes.push_back(memory[i].at(k));
  }
  std::sort(strikes.begin(), strikes.end(), [](const Struck& a, const Struck& b) {
    return a.time < b.time || (a.time == b.time && a.number < b.number);
  });
  double last = -not_at_all;
  const Struck* before = nullptr;
  for (const Struck& one : strikes) {
    // Both of a pair remember it.
    if (before != nullptr && before->time == one.time && before->number == one.number) continue;
    before = &one;
    const std::uint64_t row = row_told(one.number);
    const auto place = std::lower_bound(rows.begin(), rows.end(), row);
    if (place == rows.end() || *place != row) continue;
    const auto number = static_cast<std::uint32_t>(place - rows.begin());
    if (one.time > last) {
      past.bounces.push_back({{}, {}, std::isfinite(last) ? one.time - last : one.time - model.simulation.start, 0});
    }
    motion::Bounce& bounce = past.bounces.back();
    const auto at = std::lower_bound(bounce.rows.begin(), bounce.rows.end(), number) - bounce.rows.begin();
    bounce.rows.insert(bounce.rows.begin() + at, number);
    bounce.speed.insert(bounce.speed.begin() + at, one.speed);
    bounce.lost += one.lost;
    last = one.time;
  }
  if (std::isfinite(last)) past.flight = t - last;
  return past;
}

std::uint64_t Crowd::Impl::row_told(std::uint32_t number) const {
  if (number < model.rows()) return number;
  const model::Pair& pair = met[number - model.rows()];
  return model::pair_row(model.pairs[pair.family], pair.first, pair.second);
}

void Crowd::Impl::remember(const Island& island, const Event& event, const std::vector<double>& velocity_before) {
  const std::size_t d = members.dimension;
  const auto speed_of = [&](std::size_t k) {
    Vector v{};
    for (std::size_t c = 0; c < d; ++c) v[c] = velocity_before[k * d + c];
    return v;
  };
  const auto place_of = [&](std::size_t k) {
    Vector x{};
    for (std::size_t c = 0; c < d; ++c) x[c] = event.position[k * d + c];
    return x;
  };
  for (const std::uint32_t own : event.rows) {
    const std::uint64_t row = island.part->row[own];
    const std::uint32_t number = told(row);
    motion::Strikes& strikes = strikes_of(number);
    std::array<std::size_t, 2> at = {island.members.size(), island.members.size()};
    double speed = 0;
    if (const Link* link = link_of(row)) {
      const Face& face = members.faces[link->face];
      at[0] = place_in(island.members, link->member);
      at[1] = place_in(island.members, face.owner);
      speed = dot(link->normal, speed_of(at[0]));
      speed += face.driver != Face::nobody ? level_of(face, event.time).rate : dot(face.normal, speed_of(at[1]));
    } else if (const std::uint32_t member = member_at_obstacle(row); member != none) {
      at[0] = place_in(island.members, member);
      speed = rate_at_obstacle(static_cast<std::uint32_t>(row), place_of(at[0]), speed_of(at[0]));
    } else if (row < model.rows()) {
      const auto owner = std::upper_bound(members.wall_start.begin(), members.wall_start.end(), wall_of_row[row]);
      const auto member_at_wall = static_cast<std::uint32_t>(owner - members.wall_start.begin()) - 1;
      at[0] = place_in(island.members, member_at_wall);
      const Plane& wall = members.walls_of(member_at_wall)[wall_of_row[row] - members.wall_start[member_at_wall]];
      if (at[0] < island.members.size()) speed = dot(wall.normal, speed_of(at[0]));
    } else {
      const model::PairFamily& family = model::family_of(model, row);
      const auto [first, second] = model::members_of_pair(family, row);
      at[0] = place_in(island.members, first_member[family.first.body] + first);
      at[1] = place_in(island.members, first_member[family.second.body] + second);
      const Vector r = difference(place_of(at[0]), place_of(at[1]));
      speed = -dot(r, difference(speed_of(at[0]), speed_of(at[1]))) / std::sqrt(dot(r, r));
    }
    ++strikes.count;
    // (At the start nothing is known of what came before.)
    if (!(speed > 0)) speed = 0;
    strikes.hardest = std::max(strikes.hardest, speed);
    for (const std::size_t k : at) {
      if (k == island.members.size()) continue;
      memory[island.members[k]].add({event.time, speed, event.lost / static_cast<double>(event.rows.size()), number});
      count_shock(island.members[k], event.time, place_of(k));
    }
  }
}

Crowd::Impl::Loose Crowd::Impl::loosened(const Island& island) const {
  Loose out;
  out.members = island.members;
  const model::State& state = island.motion.state;
  for (std::size_t k = 0; k < island.members.size(); ++k) {
    Vector x{};
    Vector v{};
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      x[c] = state.position[k * members.dimension + c];
      v[c] = state.velocity[k * members.dimension + c];
    }
    out.x.push_back(x);
    out.v.push_back(v);
  }
  out.held = in_whole(*island.part, island.motion.held);
  return out;
}

void Crowd::Impl::go_on(const Loose& loose, const std::vector<std::uint32_t>& group, double t, bool first) {
  const std::uint32_t one = loose.members[group[0]];
  const std::span<const Plane> walls = members.walls_of(one);
  bool at_wall = false;
  for (std::size_t w = 0; w < walls.size() && !at_wall; ++w) {
    at_wall = is_at_wall(walls[w], loose.x[group[0]], loose.v[group[0]]) &&
              !std::binary_search(loose.held.begin(), loose.held.end(), members.wall_rows_of(one)[w]);
  }
  const std::span<const Link> links = members.links_of(one);
  const bool at_face = std::any_of(links.begin(), links.end(), [&](const Link& link) {
    const Face& face = members.faces[link.face];
    return face.driver != Face::nobody && is_at_link(link, loose.x[group[0]], loose.v[group[0]], level_of(face, t)) &&
           !std::binary_search(loose.held.begin(), loose.held.end(), std::uint64_t{link.row});
  });
  const bool at_obstacle = touches_obstacle(one, t, loose.x[group[0]], loose.v[group[0]], none) &&
                           std::none_of(loose.held.begin(), loose.held.end(),
                                        [&](std::uint64_t row) { return member_at_obstacle(row) == one; });
  if (!at_wall && !at_face && !at_obstacle && goes_alone(loose, group, t)) return;
  Island island = island_of(loose, group, t, first);
  std::vector<double> before;
  for (const std::uint32_t a : group) {
    for (std::uint32_t c = 0; c < members.dimension; ++c) before.push_back(loose.v[a][c]);
  }
  if (first) before.assign(before.size(), std::numeric_limits<double>::quiet_NaN());
  tell_events(island, before);
  account_for(island);
  if (!goes_on(island)) return;
  disperse(std::move(island), t);
}

bool Crowd::Impl::goes_on(const Island& island) {
  const Motion& motion = island.motion;
  if (motion.status == Status::going || motion.status == Status::finished) return true;
  time = motion.state.time;
  // In the course of a motion it is not the start that breaks a condition.
  if (motion.status == Status::inadmissible && time > model.simulation.start) {
    end(Status::gave_up, "contacts that come to rest together were not followed to the last digit: " + motion.why +
                             std::string(in_steps_instead));
  } else {
    end(motion.status, motion.why);
  }
  for (const std::uint32_t row : motion.culprits) culprits.push_back(model::row_name(island.part->model, row));
  // Where it ended, for whoever asks.
  for (std::size_t k = 0; k < island.members.size(); ++k) {
    Vector x{};
    Vector v{};
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      x[c] = motion.state.position[k * members.dimension + c];
      v[c] = motion.state.velocity[k * members.dimension + c];
    }
    fly(island.members[k], time, x, v);
  }
  return false;
}

bool Crowd::Impl::stays_together(const Island& island, const Loose& loose,
                                 const std::vector<std::vector<std::uint32_t>>& groups) const {
  // What was closed for good tells its limit first.
  return motion::has_limit_ahead(island.motion) || (groups.size() == 1 && !is_alone(loose, groups[0]));
}

/// After an instant: what still hangs together goes on as an island, everything else by itself.
void Crowd::Impl::disperse(Island island, double t) {
  const Loose loose = loosened(island);
  const auto groups = groups_of(loose, parted * near_length, loose.held, false);
  if (stays_together(island, loose, groups)) {
    establish(std::move(island));
    return;
  }
  for (const std::vector<std::uint32_t>& group : groups) {
    if (goes_alone(loose, group, t)) continue;
    Island smaller = island_of(loose, group, t, false);
    account_for(smaller);
    if (!goes_on(smaller)) return;
    establish(std::move(smaller));
  }
}

void Crowd::Impl::establish(Island island) {
  const std::uint32_t number = new_island();
  for (std::size_t k = 0; k < island.members.size(); ++k) {
    Mover& mover = movers[island.members[k]];
    mover.island = number;
    mover.held = none;
    if (lossy) hops[island.members[k]].wall = none;
    mover.column = static_cast<std::uint32_t>(k) * members.dimension;
  }
  islands[number] = std::move(island);
  lead_on(number);
}

void Crowd::Impl::lead_on(std::uint32_t number) {
  Island& island = islands[number];
  const double t = island.motion.state.time;
  // Is it held together by what is near alone? Then it is asked again soon.
  const Loose loose = loosened(island);
  const auto groups = groups_of(loose, 0, loose.held, false);
  const bool loosely = groups.size() > 1 || is_alone(loose, groups[0]);
  double speed = 0;
  for (const Vector& v : loose.v) speed = std::max(speed, std::sqrt(dot(v, v)));
  island.pause = loosely && speed > 0 ? near_length / speed : not_at_all;
  island.look = t + island.pause;

  const model::State here = island.motion.state;
  const bool going = motion::advance(island.motion);
  island.piece = island.motion.piece;
  if (!going || !(island.piece.length > 0)) {
    // Nothing but the instant: where it is, and how fast.
    Piece& piece = island.piece;
    piece = {};
    piece.start = t;
    piece.n = island.part->model.variables;
    piece.orders = 2;
    piece.position = here.position;
    piece.position.insert(piece.position.end(), here.velocity.begin(), here.velocity.end());
  }
  for (const std::uint32_t member : island.members) {
    ++movers[member].generation;
    fresh.push_back(member);
  }
  Leg leg;
  leg.members = island.members;
  leg.piece = island.piece;
  for (std::uint32_t& row : leg.piece.rows) row = told(island.part->row[row]);
  sort_rows(leg.piece);
  begun.push_back({true, static_cast<std::uint32_t>(legs.size())});
  legs.push_back(std::move(leg));
  ++steps;
  queue.put(number_in_queue(number), going ? std::min(island.motion.state.time, island.look) : not_at_all);
}

void Crowd::Impl::island_due(std::uint32_t number, double t) {
  Island& island = islands[number];
  time = std::max(time, t);
  one_instant = motion::resolution(time);
  if (t < island.motion.state.time) {
    // Does it still hang together?
    Loose loose;
    loose.members = island.members;
    for (const std::uint32_t member : island.members) {
      Vector x;
      Vector v;
      place(member, t, x, v);
      loose.x.push_back(x);
      loose.v.push_back(v);
    }
    loose.held = in_whole(*island.part, island.piece.rows);
    const auto groups = groups_of(loose, parted * near_length, loose.held, false);
    if (stays_together(island, loose, groups)) {
      island.pause *= 2;
      island.look = t + island.pause;
      queue.put(number_in_queue(number), std::min(island.motion.state.time, island.look));
      return;
    }
    settle({island.members[0]}, t);
    return;
  }

  // The end of its leg.
  std::vector<double> before;
  for (const std::uint32_t member : island.members) {
    Vector x;
    Vector v;
    place(member, island.piece.end(), x, v);
    for (std::uint32_t c = 0; c < members.dimension; ++c) before.push_back(v[c]);
  }
  tell_events(island, before);
  account_for(island);
  if (!goes_on(island)) return;
  if (island.motion.status == Status::finished) {
    queue.put(number_in_queue(number), not_at_all);
    return;
  }
  const Loose loose = loosened(island);
  const auto groups = groups_of(loose, parted * near_length, loose.held, false);
  if (stays_together(island, loose, groups)) {
    lead_on(number);
  } else {
    Island moved = std::move(island);
    for (const std::uint32_t member : moved.members) movers[member].island = none;
    discard(number);
    disperse(std::move(moved), t);
    if (status != Status::going) return;
  }
  predict_fresh();
}

}  // namespace zwang::crowds
