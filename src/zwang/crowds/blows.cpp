/// What is told of an instant, and shocks of one member or two in closed form.
#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::EventKind;

namespace {

/// A time at which nothing is due.
constexpr double no_limit = std::numeric_limits<double>::infinity();

}  // namespace

std::uint32_t Crowd::Impl::told(std::uint64_t row) {
  if (row < model.rows()) return static_cast<std::uint32_t>(row);
  const std::uint32_t next = model.rows() + static_cast<std::uint32_t>(met.size());
  const std::uint32_t number = number_of_met.find_or_add(row, next);
  if (number == next) {
    const model::PairFamily& family = model::family_of(model, row);
    const auto [first, second] = model::members_of_pair(family, row);
    met.push_back({static_cast<std::uint32_t>(&family - model.pairs.data()), first, second});
    if (lossy) strikes_of_pairs.emplace_back();
  }
  return number;
}

void Crowd::Impl::tell(Event event) {
  crossings = 0;
  // What happens at one instant is told in one entry per kind.
  for (Event& before : events) {
    if (before.kind != event.kind || before.kind == EventKind::singular || !before.note.empty() || !event.note.empty())
      continue;
    before.rows.insert(before.rows.end(), event.rows.begin(), event.rows.end());
    std::sort(before.rows.begin(), before.rows.end());
    before.rows.erase(std::unique(before.rows.begin(), before.rows.end()), before.rows.end());
    for (const motion::RowValue& more : event.impulses) {
      const auto same = std::find_if(before.impulses.begin(), before.impulses.end(),
                                     [&](const motion::RowValue& one) { return one.first == more.first; });
      if (same != before.impulses.end()) {
        same->second += more.second;
      } else {
        before.impulses.push_back(more);
      }
    }
    std::sort(before.impulses.begin(), before.impulses.end());
    // The later state of a variable counts.
    std::vector<std::pair<std::uint32_t, std::array<double, 2>>> states;
    for (const Event* one : {&event, &before}) {
      for (std::size_t k = 0; k < one->variables.size(); ++k) {
        const bool known = one == &before && std::find(event.variables.begin(), event.variables.end(),
                                                       one->variables[k]) != event.variables.end();
        if (!known) states.push_back({one->variables[k], {one->position[k], one->velocity[k]}});
      }
    }
    std::sort(states.begin(), states.end());
    before.variables.clear();
    before.position.clear();
    before.velocity.clear();
    for (const auto& [variable, state] : states) {
      before.variables.push_back(variable);
      before.position.push_back(state[0]);
      before.velocity.push_back(state[1]);
    }
    before.lost += event.lost;
    return;
  }
  ++event_count;
  events.push_back(std::move(event));
}

void Crowd::Impl::note_state(Event& event, std::uint32_t i, const Vector& x, const Vector& v) const {
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    event.variables.push_back(members.variable[i] + c);
    event.position.push_back(x[c]);
    event.velocity.push_back(v[c]);
  }
}

void Crowd::Impl::count_shock(std::uint32_t i, double t, const Vector& x) {
  Mover& mover = movers[i];
  const Vector way = minus(x, lossy ? hops[i].struck : mover.x);
  if (lossy) hops[i].struck = x;
  const bool close = dot(way, way) < close_shocks * members.least * close_shocks * members.least;
  mover.close_shocks = close ? mover.close_shocks + 1 : 0;
  mover.at_once = t == mover.start ? mover.at_once + 1 : 0;
}

Crowd::Impl::Push Crowd::Impl::push(std::uint32_t i, const Vector& n) const {
  const double mass = members.mass[i];
  Push out;
  out.way = {n[0] / mass, n[1] / mass, n[2] / mass};
  out.ease = 1 / mass;
  if (movers[i].held == none) return out;
  const Plane& wall = members.walls_of(i)[movers[i].held];
  const double into = dot(n, wall.normal) / wall.length;
  if (into < -told_from_zero) return out;
  out.stays = true;
  for (std::size_t c = 0; c < 3; ++c) out.way[c] = (n[c] - into * (wall.normal[c] / wall.length)) / mass;
  out.ease = dot(n, out.way);
  if (into > told_from_zero) out.on_wall = into / wall.length;
  return out;
}

motion::Strikes& Crowd::Impl::strikes_of(std::uint32_t number) {
  return number < model.rows() ? strikes_of_walls[wall_of_row[number]] : strikes_of_pairs[number - model.rows()];
}

bool Crowd::Impl::has_near(std::uint32_t i, double t, const Vector& x, std::uint32_t but_member) const {
  bool near = false;
  grid.visit(i, [&](std::uint32_t j) {
    if (j == but_member || near) return;
    Vector y;
    Vector w;
    place(j, t, y, w);
    const Vector r = minus(x, y);
    for (const Rule& rule : members.rules_of(i, j))
      near = near || (rule.restitution < 1 && std::sqrt(dot(r, r)) - rule.least <= near_length);
  });
  for (const Link& link : members.links_of(i)) {
    const double gap = -(dot(link.normal, x) + link.offset + level_of(members.faces[link.face], t).value);
    near = near || (link.restitution < 1 && gap <= near_length * link.length);
  }
  return near;
}

bool Crowd::Impl::hop(std::uint32_t i, std::uint32_t w, double t, double speed, double pressed, double lost_now) {
  const Plane& wall = members.walls_of(i)[w];
  motion::Strikes& strikes = strikes_of_walls[members.wall_start[i] + w];
  ++strikes.count;
  strikes.hardest = std::max(strikes.hardest, speed * wall.length);
  memory[i].add({t, speed * wall.length, lost_now, members.wall_rows_of(i)[w]});
  Hops& sequence = hops[i];
  // Without rebound nothing hops, and what does not pull it off leaves it there.
  if (wall.restitution == 0 && pressed >= 0) return true;
  if (!(wall.restitution < 1) || !(pressed > 0)) {
    sequence.wall = none;
    return false;
  }
  if (sequence.wall != w) {
    sequence.wall = w;
    sequence.count = 0;
    sequence.first = speed;
  }
  ++sequence.count;
  const double after = wall.restitution * speed;
  // The flights that are left: 2 e^k after / pressed, k = 0, 1, ...
  const double rest = 2 * after / (pressed * (1 - wall.restitution));
  const double height = sequence.first * sequence.first / (2 * pressed);
  const double at_wall = touch * (std::abs(wall.offset) / wall.length + members.least);
  if (sequence.count < least_strikes || after * rest > std::max(left_of_hops * tolerance * height, at_wall))
    return false;
  if (sequence.limit < no_limit) tell_limit(i);
  sequence.limit = t + rest;
  sequence.limit_wall = w;
  sequence.limit_lost = 0.5 * members.mass[i] * after * after;
  lost += sequence.limit_lost;
  return true;
}

void Crowd::Impl::tell_limit(std::uint32_t i) {
  Hops& sequence = hops[i];
  Event event;
  event.time = time;
  event.kind = EventKind::accumulation;
  event.rows = {members.wall_rows_of(i)[sequence.limit_wall]};
  event.lost = sequence.limit_lost;
  sequence.limit = no_limit;
  memory[i].count = 0;
  Vector x;
  Vector v;
  place(i, time, x, v);
  note_state(event, i, x, v);
  tell(std::move(event));
}

// ---- blows in closed form

void Crowd::Impl::bring_to(Blow& blow) const {
  place(blow.i, blow.time, blow.x, blow.v);
  place(blow.j, blow.time, blow.y, blow.w);
  const Vector r = minus(blow.x, blow.y);
  const double distance = std::sqrt(dot(r, r));
  blow.n = {r[0] / distance, r[1] / distance, r[2] / distance};
  blow.speed = -dot(blow.n, minus(blow.v, blow.w));
}

void Crowd::Impl::bring_to(const Plane& wall, Blow& blow) const {
  place(blow.i, blow.time, blow.x, blow.v);
  blow.speed = dot(wall.normal, blow.v);
}

void Crowd::Impl::rebound(const Rule& rule, Blow& blow) const {
  const double one = members.mass[blow.i];
  const double other = members.mass[blow.j];
  const double reduced = one * other / (one + other);
  blow.impulse = (1 + rule.restitution) * reduced * blow.speed;
  for (std::size_t c = 0; c < 3; ++c) {
    blow.v[c] += blow.impulse * blow.n[c] / one;
    blow.w[c] -= blow.impulse * blow.n[c] / other;
  }
  blow.lost = 0.5 * reduced * (1 - rule.restitution * rule.restitution) * blow.speed * blow.speed;
}

void Crowd::Impl::rebound(const Plane& wall, Blow& blow) const {
  const double mass = members.mass[blow.i];
  blow.impulse = (1 + wall.restitution) * blow.speed * mass / (wall.length * wall.length);
  for (std::size_t c = 0; c < 3; ++c) blow.v[c] -= blow.impulse * wall.normal[c] / mass;
  blow.lost =
      0.5 * mass * (1 - wall.restitution * wall.restitution) * blow.speed * blow.speed / (wall.length * wall.length);
}

Event Crowd::Impl::spare_event() {
  if (spare.empty()) return {};
  Event event = std::move(spare.back());
  spare.pop_back();
  event.rows.clear();
  event.bodies.clear();
  event.impulses.clear();
  event.position.clear();
  event.velocity.clear();
  event.variables.clear();
  event.lost = 0;
  event.note.clear();
  return event;
}

void Crowd::Impl::tell(const Blow& blow) {
  const std::uint32_t row = told(blow.row);
  // (Most instants have one event, which is written where it stays.)
  const bool first = events.empty();
  Event apart;
  Event& event = first ? events.emplace_back(spare_event()) : apart;
  event.time = blow.time;
  event.kind = EventKind::impact;
  event.rows.push_back(row);
  event.impulses.emplace_back(row, blow.impulse);
  event.lost = blow.lost;
  lost += blow.lost;
  const bool alone = blow.j == Blow::nobody;
  if (!alone && blow.j < blow.i) note_state(event, blow.j, blow.y, blow.w);
  note_state(event, blow.i, blow.x, blow.v);
  if (!alone && blow.i < blow.j) note_state(event, blow.j, blow.y, blow.w);
  if (first) {
    crossings = 0;
    ++event_count;
  } else {
    tell(std::move(apart));
  }
}

bool Crowd::Impl::strike_wall(std::uint32_t i, double t) {
  const std::uint32_t w = movers[i].with;
  const Plane& wall = members.walls_of(i)[w];
  const std::uint32_t row = members.wall_rows_of(i)[w];
  Blow blow;
  blow.i = i;
  blow.row = row;
  blow.time = t;
  bring_to(wall, blow);
  Vector& x = blow.x;
  Vector& v = blow.v;
  const double speed = blow.speed;
  const double pressed = dot(wall.normal, pull(i));
  if (!(speed > 0) || touches_more(i, t, x, v, none, w)) return false;
  // What hops ever lower among others is followed with them, so that the limit of all their hops is seen.
  const double after = wall.restitution * speed;
  const bool slides = movers[i].held != none;
  if (slides && wall.restitution == 0) return false;
  const bool sinks = wall.restitution < 1 && pressed > 0;
  if (sinks && after * after < 2 * pressed * near_length * wall.length && (slides || has_near(i, t, x, none)))
    return false;
  count_shock(i, t, x);
  if (movers[i].close_shocks > most_close_shocks && (slides || !sinks)) return false;
  const double mass = members.mass[i];
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {row};
  bool stays = false;
  if (slides) {
    const Vector out = {-wall.normal[0] / wall.length, -wall.normal[1] / wall.length, -wall.normal[2] / wall.length};
    const Push pushed = push(i, out);
    if (!(pushed.ease * mass > told_from_zero)) return false;
    const double impulse = (1 + wall.restitution) * (speed / wall.length) / pushed.ease;
    for (std::size_t c = 0; c < 3; ++c) v[c] += impulse * pushed.way[c];
    event.impulses = {{row, impulse / wall.length}};
    if (pushed.on_wall > 0)
      event.impulses.emplace_back(members.wall_rows_of(i)[movers[i].held], impulse * pushed.on_wall);
    std::sort(event.impulses.begin(), event.impulses.end());
    event.lost =
        0.5 * (1 - wall.restitution * wall.restitution) * speed * speed / (wall.length * wall.length * pushed.ease);
    stays = pushed.stays;
  } else {
    rebound(wall, blow);
    event.impulses = {{row, blow.impulse}};
    event.lost = blow.lost;
  }
  lost += event.lost;
  const bool closes = lossy && hop(i, w, t, speed / wall.length, pressed / wall.length, event.lost) && !slides;
  if (closes) {
    const double square = wall.length * wall.length;
    const double deep = (dot(wall.normal, x) + wall.offset) / square;
    const double fast = dot(wall.normal, v) / square;
    for (std::size_t c = 0; c < 3; ++c) {
      x[c] -= deep * wall.normal[c];
      v[c] -= fast * wall.normal[c];
    }
    movers[i].held = w;
    stays = true;
  }
  note_state(event, i, x, v);
  tell(std::move(event));
  leave(i, t, x, v, stays);
  predict(i);
  return true;
}

bool Crowd::Impl::strike_pair(std::uint32_t i, std::uint32_t j, double t) {
  if (movers[i].island != none || movers[j].island != none || movers[i].doubt) return false;
  const Rule& rule = members.rules_of(i, j)[movers[i].rule];
  static_cast<void>(around_of(one_hand, i));
  static_cast<void>(around_of(one_hand, j));
  Blow blow;
  blow.i = i;
  blow.j = j;
  blow.row = row_of(model, members, rule, i, j);
  blow.time = t;
  number_of_met.expect(blow.row);
  bring_to(blow);
  Vector& x = blow.x;
  Vector& v = blow.v;
  Vector& y = blow.y;
  Vector& w = blow.w;
  const Vector n = blow.n;
  const double speed = blow.speed;
  if (!(speed > 0) || touches_more(i, t, x, v, j) || touches_more(j, t, y, w, i)) return false;
  count_shock(i, t, x);
  count_shock(j, t, y);
  if (std::min(movers[i].close_shocks, movers[j].close_shocks) > most_close_shocks && rule.restitution < 1)
    return false;
  const std::uint32_t row = told(blow.row);
  if (lossy && !strike_counts(i, j, rule, row, speed)) return false;
  if (movers[i].held == none && movers[j].held == none) {
    rebound(rule, blow);
    if (lossy) {
      memory[i].add({t, speed, blow.lost, row});
      memory[j].add({t, speed, blow.lost, row});
    }
    tell(blow);
    fly(i, t, x, v);
    fly(j, t, y, w);
    predict(i);
    predict(j);
    return true;
  }
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {row};
  const Push one = push(i, n);
  const Push other = push(j, {-n[0], -n[1], -n[2]});
  const double ease = one.ease + other.ease;
  if (!(ease * std::min(members.mass[i], members.mass[j]) > told_from_zero)) return false;
  const double impulse = (1 + rule.restitution) * speed / ease;
  for (std::size_t c = 0; c < 3; ++c) {
    v[c] += impulse * one.way[c];
    w[c] += impulse * other.way[c];
  }
  event.impulses = {{row, impulse}};
  if (one.on_wall > 0) event.impulses.emplace_back(members.wall_rows_of(i)[movers[i].held], impulse * one.on_wall);
  if (other.on_wall > 0) event.impulses.emplace_back(members.wall_rows_of(j)[movers[j].held], impulse * other.on_wall);
  std::sort(event.impulses.begin(), event.impulses.end());
  event.lost = 0.5 * (1 - rule.restitution * rule.restitution) * speed * speed / ease;
  lost += event.lost;
  if (lossy) {
    memory[i].add({t, speed, event.lost, row});
    memory[j].add({t, speed, event.lost, row});
  }
  if (i < j) {
    note_state(event, i, x, v);
    note_state(event, j, y, w);
  } else {
    note_state(event, j, y, w);
    note_state(event, i, x, v);
  }
  tell(std::move(event));
  leave(i, t, x, v, one.stays);
  leave(j, t, y, w, other.stays);
  predict(i);
  predict(j);
  return true;
}

bool Crowd::Impl::strike_counts(std::uint32_t i, std::uint32_t j, const Rule& rule, std::uint32_t row, double speed) {
  motion::Strikes& strikes = strikes_of(row);
  const double after = rule.restitution * speed;
  const Vector& a = members.acceleration[i];
  const Vector& b = members.acceleration[j];
  const double most = std::sqrt(std::max(dot(a, a), dot(b, b)));
  // Without rebound they may stay together where they do not fly side by side.
  if (rule.restitution == 0 && pull(i) != pull(j)) return false;
  if (rule.restitution < 1 && strikes.count >= least_strikes && after * after < 2 * most * near_length) return false;
  ++strikes.count;
  strikes.hardest = std::max(strikes.hardest, speed);
  hops[i].wall = none;
  hops[j].wall = none;
  return true;
}

}  // namespace zwang::crowds
