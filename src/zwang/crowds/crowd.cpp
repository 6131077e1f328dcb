/// The turns of a crowd, one after the other.
#include "zwang/crowds/crowd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Status;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

// ---- where the members are

void Crowd::Impl::place(std::uint32_t i, double t, Vector& x, Vector& v) const {
  const Mover& mover = movers[i];
  if (mover.island != none) {
    const Island& island = islands[mover.island];
    place_on(island.piece, mover.column, t, x, v);
    return;
  }
  const Vector along = mover.held == none ? Vector{} : pull(i);
  const Vector& a = mover.held == none ? members.pull_of(i) : along;
  const double s = t - mover.start;
  for (std::size_t c = 0; c < 3; ++c) {
    x[c] = mover.x[c] + s * (mover.v[c] + 0.5 * s * a[c]);
    v[c] = mover.v[c] + s * a[c];
  }
}

Vector Crowd::Impl::pull(std::uint32_t i) const {
  const Vector& a = members.pull_of(i);
  if (movers[i].held == none) return a;
  const Plane& wall = members.walls_of(i)[movers[i].held];
  const double pressed = dot(wall.normal, a) / (wall.length * wall.length);
  return {a[0] - pressed * wall.normal[0], a[1] - pressed * wall.normal[1], a[2] - pressed * wall.normal[2]};
}

void Crowd::Impl::place_on(const motion::Piece& piece, std::uint32_t column, double t, Vector& x, Vector& v) const {
  x = v = {};
  const double s = (t - piece.start) / piece.unit;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    double position = 0;
    double rate = 0;
    for (std::uint32_t k = piece.orders; k-- > 0;) {
      rate = rate * s + position;
      position = position * s + piece.position[std::size_t{k} * piece.n + column + c];
    }
    x[c] = position;
    v[c] = rate / piece.unit;
  }
}

void Crowd::Impl::expect_flight(std::uint32_t i) const {
  __builtin_prefetch(&movers[i]);
  __builtin_prefetch(&movers[i].hit);
}

const std::vector<std::uint32_t>& Crowd::Impl::around_of(Hand& hand, std::uint32_t i) const {
  for (const Hand::Around& known : hand.around) {
    if (known.member == i) return known.others;
  }
  Hand::Around& found = hand.around[hand.oldest_around];
  hand.oldest_around = 1 - hand.oldest_around;
  found.member = i;
  found.others.clear();
  grid.visit(i, [&](std::uint32_t j) {
    expect_flight(j);
    found.others.push_back(j);
  });
  return found.others;
}

void Crowd::Impl::expect(std::uint32_t i) const {
  expect_flight(i);
  __builtin_prefetch(&members.mass[i]);
  __builtin_prefetch(&members.variable[i]);
  __builtin_prefetch(&members.place[i]);
  grid.expect(i);
}

void Crowd::Impl::expect_next(const Queue& queued) const {
  queued.visit_next([&](std::uint32_t i) {
    if (i < members.count) expect(i);
  });
  // The next one has been among these for long.
  const std::uint32_t next = queued.second();
  if (next >= members.count) return;
  grid.expect_around(next);
  const Mover& mover = movers[next];
  if (mover.what != What::pair || mover.cross < mover.hit) return;
  expect(mover.with);
}

// ---- what comes next

void Crowd::Impl::predict_wall(std::uint32_t i) {
  Mover& mover = movers[i];
  if (lossy && hops[i].limit < mover.hit) {
    mover.hit = hops[i].limit;
    mover.what = What::limit;
    mover.doubt = false;
  }
  if (mover.island != none) return;
  const std::span<const Plane> walls = members.walls_of(i);
  const Vector a = pull(i);
  for (std::uint32_t w = 0; w < walls.size(); ++w) {
    if (w == mover.held) continue;
    const Plane& wall = walls[w];
    const double s =
        time_to_zero(-(dot(wall.normal, mover.x) + wall.offset), -dot(wall.normal, mover.v), -dot(wall.normal, a));
    const double t = mover.start + s;
    if (t < mover.hit) {
      mover.hit = t;
      mover.what = What::wall;
      mover.with = w;
      mover.doubt = false;
    }
  }
}

void Crowd::Impl::predict_crossing(std::uint32_t i, double from) {
  Mover& mover = movers[i];
  const Cell& cell = grid.cell(i);
  mover.cross = never;
  predict_edges(i);
  if (mover.island != none) {
    const Island& island = islands[mover.island];
    const motion::Piece& piece = island.piece;
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      for (const bool upwards : {false, true}) {
        const double face = grid.low(cell[c] + (upwards ? 1 : 0));
        std::array<double, 64> p{};
        for (std::uint32_t k = 0; k < piece.orders; ++k) {
          const double q = piece.position[std::size_t{k} * piece.n + mover.column + c];
          p[k] = upwards ? q : -q;
        }
        p[0] += upwards ? -face : face;
        const double now = std::max(0.0, from - piece.start) / piece.unit;
        const motion::Excursion out = motion::first_excursion({p.data(), piece.orders}, piece.length / piece.unit,
                                                              beyond_face * grid.width(), now);
        // What is only near the face stays where it is counted: cells are wider than they need to be.
        if (out.kind != motion::Excursion::Kind::crossing) continue;
        const double t = piece.start + std::max(now, out.at) * piece.unit;
        if (t < mover.cross) {
          mover.cross = t;
          mover.face = static_cast<std::uint8_t>(2 * c + (upwards ? 1 : 0));
        }
      }
    }
    return;
  }
  // From now on: what rises and falls comes through a face twice.
  const Vector a = pull(i);
  Vector x;
  Vector v;
  const double now = std::max(from, mover.start);
  place(i, now, x, v);
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    const double below = time_to_zero(x[c] - grid.low(cell[c]), v[c], a[c]);
    const double above = time_to_zero(grid.low(cell[c] + 1) - x[c], -v[c], -a[c]);
    const double s = std::min(below, above);
    if (now + s < mover.cross) {
      mover.cross = now + s;
      mover.face = static_cast<std::uint8_t>(2 * c + (above < below ? 1 : 0));
    }
  }
}

std::uint32_t Crowd::Impl::polynomial(std::uint32_t i, double from, std::array<std::array<double, 32>, 3>& out) const {
  const Mover& mover = movers[i];
  if (mover.island == none) {
    Vector x;
    Vector v;
    place(i, from, x, v);
    const Vector a = pull(i);
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      out[c][0] = x[c];
      out[c][1] = v[c];
      out[c][2] = 0.5 * a[c];
    }
    return 3;
  }
  // About another time: Horner's scheme, again and again.
  const motion::Piece& piece = islands[mover.island].piece;
  const double s = (from - piece.start) / piece.unit;
  std::uint32_t orders = 1;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    std::array<double, 32>& p = out[c];
    for (std::uint32_t k = 0; k < piece.orders; ++k) {
      p[k] = piece.position[std::size_t{k} * piece.n + mover.column + c];
      if (p[k] != 0) orders = std::max(orders, k + 1);
    }
  }
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    std::array<double, 32>& p = out[c];
    for (std::uint32_t j = 0; j + 1 < orders; ++j) {
      for (std::uint32_t k = orders - 1; k-- > j;) p[k] += s * p[k + 1];
    }
    double scale = 1;
    for (std::uint32_t k = 0; k < orders; ++k) {
      p[k] /= scale;
      scale *= piece.unit;
    }
  }
  return orders;
}

void Crowd::Impl::reach(std::uint32_t i, double from, double h, Vector& centre, Vector& beside) const {
  const Mover& mover = movers[i];
  centre = beside = {};
  if (mover.island == none) {
    Vector v;
    place(i, from, centre, v);
    const Vector a = pull(i);
    for (std::size_t c = 0; c < 3; ++c) beside[c] = h * (std::abs(v[c]) + 0.5 * h * std::abs(a[c]));
    return;
  }
  const motion::Piece& piece = islands[mover.island].piece;
  const double s = (from + h - piece.start) / piece.unit;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    const double* at = piece.position.data() + mover.column + c;
    for (std::uint32_t k = piece.orders; k-- > 1;) beside[c] = (beside[c] + std::abs(at[std::size_t{k} * piece.n])) * s;
    centre[c] = at[0];
  }
}

bool Crowd::Impl::stay_apart(std::uint32_t i, std::uint32_t j, double from, double h, double least) const {
  Vector x;
  Vector y;
  Vector x_around;
  Vector y_around;
  reach(i, from, h, x, x_around);
  reach(j, from, h, y, y_around);
  Vector nearest{};
  for (std::size_t c = 0; c < 3; ++c) nearest[c] = std::max(0.0, std::abs(x[c] - y[c]) - x_around[c] - y_around[c]);
  const double sizes = sum_of_sizes(x) + sum_of_sizes(y) + sum_of_sizes(x_around) + sum_of_sizes(y_around) + least;
  return std::sqrt(dot(nearest, nearest)) > least + told_from_zero * sizes;
}

double Crowd::Impl::time_of_pair(std::uint32_t i, std::uint32_t j, const Rule& rule, bool& doubt) const {
  const Mover& one = movers[i];
  const Mover& other = movers[j];
  doubt = false;
  const bool flying = one.held == none && other.held == none;
  const bool alike =
      flying ? members.same_pull || members.acceleration[i] == members.acceleration[j] : pull(i) == pull(j);
  if (one.island == none && other.island == none && alike) {
    // Straight lines, seen from each other.
    const double from = std::max(one.start, other.start);
    Vector x;
    Vector v;
    Vector y;
    Vector w;
    place(i, from, x, v);
    place(j, from, y, w);
    const double sizes = sum_of_sizes(x) + sum_of_sizes(y) + rule.least;
    return from + straight_meeting(minus(x, y), minus(v, w), sizes, rule.least, doubt);
  }
  const auto end_of = [&](const Mover& mover) {
    return mover.island == none ? until : std::min(until, islands[mover.island].piece.end());
  };
  const auto start_of = [&](const Mover& mover) {
    return mover.island == none ? mover.start : islands[mover.island].piece.start;
  };
  const double from = std::max(start_of(one), start_of(other));
  const double h = std::min(end_of(one), end_of(other)) - from;
  if (!(h > 0) || stay_apart(i, j, from, h, rule.least)) return never;
  std::array<std::array<double, 32>, 3> p;
  std::array<std::array<double, 32>, 3> q;
  const std::uint32_t m = polynomial(i, from, p);
  const std::uint32_t n = polynomial(j, from, q);
  const std::uint32_t orders = std::max(m, n);
  double sizes = rule.least;
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    sizes += std::abs(p[c][0]) + std::abs(q[c][0]);
    for (std::uint32_t k = m; k < orders; ++k) p[c][k] = 0;
    for (std::uint32_t k = 0; k < n; ++k) p[c][k] -= q[c][k];
  }
  return from + bent_meeting(p, orders, members.dimension, sizes, rule.least, h, doubt);
}

namespace {

/// One step of Newton's on the distance itself: from afar the coefficients of its square are large beside what is looked for.
double polished(const std::array<std::array<double, 32>, 3>& p, std::uint32_t orders, std::uint32_t dimension,
                double least, double h, double s) {
  Vector r{};
  Vector u{};
  for (std::uint32_t c = 0; c < dimension; ++c) {
    for (std::uint32_t k = orders; k-- > 0;) {
      u[c] = u[c] * s + r[c];
      r[c] = r[c] * s + p[c][k];
    }
  }
  const double closing = dot(r, u);
  if (!(closing < -told_from_zero * std::sqrt(dot(u, u)) * least)) return s;
  const double step = 0.5 * (dot(r, r) - least * least) / closing;
  return std::abs(step) <= most_polished * s && s - step <= h ? s - step : s;
}

}  // namespace

double bent_meeting(const std::array<std::array<double, 32>, 3>& p, std::uint32_t orders, std::uint32_t dimension,
                    double sizes, double least, double h, bool& doubt) {
  std::array<double, 64> square{};
  for (std::uint32_t c = 0; c < dimension; ++c) {
    for (std::uint32_t k = 0; k < orders; ++k) {
      for (std::uint32_t l = 0; l < orders; ++l) square[k + l] -= p[c][k] * p[c][l];
    }
  }
  square[0] += least * least;
  std::uint32_t first = 0;
  if (square[0] >= -few_roundings * least * sizes) {
    // They touch. Do they approach, or will they, or when do they come back?
    double speed = 0;
    for (std::uint32_t c = 0; c < dimension; ++c) speed += orders > 1 ? std::abs(p[c][1]) : 0;
    const double unsure = told_from_zero * 2 * speed * least;
    if (square[1] > unsure) return 0.0;
    first = square[1] < -unsure ? 1 : 2;
    if (first == 2) {
      // Whoever is let go by what pressed on it less and less leaves with the acceleration that it had: what is left of it is rounding.
      double bends = 0;
      for (std::uint32_t c = 0; c < dimension && orders > 2; ++c)
        bends += 2 * std::abs(p[c][0] * p[c][2]) + p[c][1] * p[c][1];
      if (std::abs(square[2]) <= let_go_alike * bends) first = 3;
    }
    if (first > 1 && square[first] > 0) {
      doubt = true;
      return 0.0;
    }
  }
  if (first > 0 && 2 * orders - 1 <= first) return never;
  const motion::Excursion found = motion::first_excursion({square.data() + first, 2 * orders - 1 - first}, h, 0.0);
  switch (found.kind) {
    case motion::Excursion::Kind::none: return never;
    case motion::Excursion::Kind::crossing: return polished(p, orders, dimension, least, h, found.at);
    case motion::Excursion::Kind::graze:
    case motion::Excursion::Kind::pending: doubt = true; return found.at;
  }
  return never;
}

bool Crowd::Impl::inside_one_island(std::uint32_t i, std::uint32_t j, const Rule& rule) const {
  if (movers[i].island == none || movers[i].island != movers[j].island) return false;
  const std::vector<std::uint64_t>& rows = islands[movers[i].island].part->row;
  return std::binary_search(rows.begin(), rows.end(), row_of(model, members, rule, i, j));
}

void Crowd::Impl::predict_pair(Hand& hand, std::uint32_t i, std::uint32_t j) {
  for (const Rule& rule : members.rules_of(i, j)) {
    if (inside_one_island(i, j, rule)) continue;
    bool doubt = false;
    const double t = time_of_pair(i, j, rule, doubt);
    if (t == never) continue;
    Mover& one = movers[i];
    if (t < one.hit) {
      one.hit = t;
      one.what = What::pair;
      one.with = j;
      one.with_generation = movers[j].generation;
      one.rule = static_cast<std::uint32_t>(&rule - members.rules_of(i, j).data());
      one.doubt = doubt;
    }
    Mover& other = movers[j];
    if (t < other.hit) {
      other.hit = t;
      other.what = What::pair;
      other.with = i;
      other.with_generation = one.generation;
      // The rules of the two are the same seen from either side, in the same order.
      other.rule = static_cast<std::uint32_t>(&rule - members.rules_of(i, j).data());
      other.doubt = doubt;
      enqueue(j);
      if (hand.ahead_of_time) hand.touched.push_back(j);
    }
  }
}

void Crowd::Impl::predict(Hand& hand, std::uint32_t i, double now) {
  Mover& mover = movers[i];
  mover.hit = never;
  mover.what = What::nothing;
  predict_wall(i);
  predict_obstacles(i);
  predict_links(i);
  for (const std::uint32_t j : around_of(hand, i)) predict_pair(hand, i, j);
  predict_crossing(i, now);
  enqueue(i);
}

void Crowd::Impl::enqueue(std::uint32_t i) { queue.put(i, std::min(movers[i].hit, movers[i].cross)); }

void Crowd::Impl::begin_anew(std::uint32_t i, std::uint32_t held, double t, const Vector& x, const Vector& v) {
  Mover& mover = movers[i];
  mover.start = t;
  mover.x = x;
  mover.v = v;
  mover.island = none;
  mover.held = held;
  ++mover.generation;
}

void Crowd::Impl::fly(std::uint32_t i, double t, const Vector& x, const Vector& v) {
  begin_anew(i, none, t, x, v);
  note_flight(i, t, x, v);
}

void Crowd::Impl::note_flight(std::uint32_t i, double t, const Vector& x, const Vector& v) {
  ++steps;
  begun.push_back({false, static_cast<std::uint32_t>(flights.size())});
  flights.push_back({i, t, x, v});
}

void Crowd::Impl::slide(std::uint32_t i, std::uint32_t wall, double t, const Vector& x, const Vector& v) {
  begin_anew(i, wall, t, x, v);
  ++steps;
  const Plane& along = members.walls_of(i)[wall];
  const Vector a = pull(i);
  Leg leg;
  leg.members = {i};
  motion::Piece& piece = leg.piece;
  piece.start = t;
  piece.length = std::max(0.0, until - t);
  piece.n = members.dimension;
  piece.orders = 3;
  piece.position.resize(3 * std::size_t{members.dimension});
  for (std::uint32_t c = 0; c < members.dimension; ++c) {
    piece.position[c] = x[c];
    piece.position[members.dimension + c] = v[c];
    piece.position[2 * members.dimension + c] = 0.5 * a[c];
  }
  piece.rows = {members.wall_rows_of(i)[wall]};
  piece.multiplier_orders = 1;
  piece.multiplier = {members.mass[i] * dot(along.normal, members.acceleration[i]) / (along.length * along.length)};
  begun.push_back({true, static_cast<std::uint32_t>(legs.size())});
  legs.push_back(std::move(leg));
}

void Crowd::Impl::leave(std::uint32_t i, double t, const Vector& x, const Vector& v, bool stays) {
  if (stays) {
    slide(i, movers[i].held, t, x, v);
  } else {
    fly(i, t, x, v);
  }
}

void Crowd::Impl::cross(std::uint32_t i) {
  Mover& mover = movers[i];
  time = std::max(time, mover.cross);
  if (mover.face >= static_cast<std::uint8_t>(Silent::edge)) {
    if (mover.face == static_cast<std::uint8_t>(Silent::edge)) {
      cross_edge(i);
    } else {
      move_guard(mover.edge);
    }
    return;
  }
  Cell cell = grid.cell(i);
  const std::uint32_t direction = mover.face / 2U;
  const bool upwards = mover.face % 2U == 1;
  cell[direction] += upwards ? 1 : -1;
  if (std::abs(cell[direction]) > most_cells || ++crossings > crossings_per_member * members.count) {
    take_back();
    widen();
    return;
  }
  grid.move(i, cell);
  one_hand.forget_around();
  if (queue.count() > 1) queue.set_owner(i, hand_of(cell));
  one_hand.ahead.clear();
  grid.visit_ahead(i, direction, upwards, [&](std::uint32_t j) {
    expect_flight(j);
    one_hand.ahead.push_back(j);
  });
  for (const std::uint32_t j : one_hand.ahead) predict_pair(i, j);
  predict_crossing(i);
  enqueue(i);
}

// ---- instants

bool Crowd::Impl::touches_more(std::uint32_t i, double t, const Vector& x, const Vector& v, std::uint32_t but_member,
                               std::uint32_t but_wall, std::uint32_t but_link, std::uint32_t but_row) const {
  return touches_link(i, t, x, v, but_link) || touches_obstacle(i, t, x, v, but_row) ||
         touches_wall(i, t, x, v, but_wall, one_instant) ||
         touches_member(one_hand, i, t, x, v, but_member, one_instant);
}

bool Crowd::Impl::touches_wall(std::uint32_t i, double t, const Vector& x, const Vector& v, std::uint32_t but_wall,
                               double instant) const {
  const std::span<const Plane> walls = members.walls_of(i);
  for (std::uint32_t w = 0; w < walls.size(); ++w) {
    if (w == but_wall || w == movers[i].held || !is_at_wall(walls[w], x, v, instant)) continue;
    if (!is_apart(-dot(walls[w].normal, v), walls[w].length * sum_of_sizes(v), t)) return true;
  }
  return false;
}

bool Crowd::Impl::touches_member(Hand& hand, std::uint32_t i, double t, const Vector& x, const Vector& v,
                                 std::uint32_t but_member, double instant) const {
  for (const std::uint32_t j : around_of(hand, i)) {
    if (j == but_member) continue;
    Vector y;
    Vector w;
    place(j, t, y, w);
    for (const Rule& rule : members.rules_of(i, j)) {
      if (!is_touching(minus(x, y), minus(v, w), sum_of_sizes(x) + sum_of_sizes(y), rule.least, instant)) continue;
      if (!is_apart(dot(minus(x, y), minus(v, w)), rule.least * (sum_of_sizes(v) + sum_of_sizes(w)), t)) return true;
    }
  }
  return false;
}

bool Crowd::Impl::is_apart(double rate, double terms, double t) const {
  return t > model.simulation.start && rate > told_from_zero * terms;
}

bool Crowd::Impl::is_at_wall(const Plane& wall, const Vector& x, const Vector& v, double instant) const {
  double size = std::abs(wall.offset) + wall.length * members.least;
  for (std::size_t c = 0; c < 3; ++c) size += std::abs(wall.normal[c] * x[c]);
  return dot(wall.normal, x) + wall.offset >= -(zero * size + instant * std::abs(dot(wall.normal, v)));
}

bool Crowd::Impl::is_touching(const Vector& r, const Vector& u, double sizes, double least, double instant) const {
  return dot(r, r) - least * least <= 2 * (zero * least * (sizes + least) + instant * std::abs(dot(r, u)));
}

void Crowd::Impl::happen(std::uint32_t i) {
  const Mover& mover = movers[i];
  const double t = std::max(mover.hit, time);
  time = t;
  one_instant = motion::resolution(t);
  if (mover.what == What::pair && movers[mover.with].generation != mover.with_generation) {
    predict(i);
    return;
  }
  if (mover.what == What::link) {
    if (generation_of(members.faces[members.links[mover.with].face]) != mover.with_generation) {
      predict(i);
      return;
    }
  }
  if (mover.at_once > most_instants_at_once) {
    end(Status::gave_up,
        "events follow each other without time passing, at " + name_of(i) + std::string(in_steps_instead));
    return;
  }
  if (mover.what == What::limit) {
    tell_limit(i);
    predict(i);
  } else if (mover.what == What::wall) {
    if (!strike_wall(i, t)) settle({i}, t);
  } else if (mover.what == What::obstacle) {
    if (!strike_obstacle(i, t)) settle({i}, t);
  } else if (mover.what == What::link) {
    const Link& link = members.links[mover.with];
    const std::uint32_t j = members.faces[link.face].owner;
    if (strike_link(mover.with, mover.doubt, t)) return;
    if (j == Face::nobody) {
      settle({link.member}, t);
    } else {
      settle({std::min(link.member, j), std::max(link.member, j)}, t);
    }
  } else {
    const std::uint32_t j = mover.with;
    if (!strike_pair(i, j, t)) settle({std::min(i, j), std::max(i, j)}, t);
  }
}

std::string Crowd::Impl::name_of(std::uint32_t i) const {
  return model::member_name(model.bodies[members.place[i].body], members.place[i].member);
}

void Crowd::Impl::end(Status with, std::string sentence) {
  status = with;
  why = std::move(sentence);
}

void Crowd::Impl::finish() {
  time = until;
  status = Status::finished;
  // Every condition, at the end.
  for (std::uint32_t i = 0; i < members.count && status == Status::finished; ++i) {
    Vector x;
    Vector v;
    place(i, until, x, v);
    const std::span<const Plane> walls = members.walls_of(i);
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const Plane& wall = walls[w];
      const double size = std::abs(wall.offset) + wall.length * (sum_of_sizes(x) + members.least);
      const double by = dot(wall.normal, x) + wall.offset;
      if (by > broken_at_end * size)
        end(Status::gave_up,
            fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, members.wall_rows_of(i)[w]), by));
    }
    double broken_by = 0;
    if (const std::uint32_t row = broken_obstacle(i, x, broken_by); row != none)
      end(Status::gave_up, fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, row), broken_by));
    for (const Link& link : members.links_of(i)) {
      const Level level = level_of(members.faces[link.face], until);
      const double size = std::abs(link.offset) + link.length * (sum_of_sizes(x) + members.least) + level.size;
      const double by = dot(link.normal, x) + link.offset + level.value;
      if (by > broken_at_end * size)
        end(Status::gave_up, fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, link.row), by));
    }
    grid.visit(i, [&](std::uint32_t j) {
      if (j < i || status != Status::finished) return;
      Vector y;
      Vector w;
      place(j, until, y, w);
      const Vector r = minus(x, y);
      const double distance = std::sqrt(dot(r, r));
      for (const Rule& rule : members.rules_of(i, j)) {
        if (rule.least - distance <= broken_at_end * (sum_of_sizes(x) + sum_of_sizes(y) + rule.least)) continue;
        end(Status::gave_up,
            fmt::format("{} is broken at the end by {:.3g}", model::row_name(model, row_of(model, members, rule, i, j)),
                        rule.least - distance));
      }
    });
  }
}

// ---- the crowd

Crowd::Crowd(const model::Model& model, const motion::Options& options)
    : impl_(std::make_unique<Impl>(model, options)) {
  impl_->begin();
}
Crowd::~Crowd() = default;
Crowd::Crowd(Crowd&&) noexcept = default;
Crowd& Crowd::operator=(Crowd&&) noexcept = default;

bool Crowd::Impl::take_turn() {
  const Queue& next = queue.next();
  const double due = next.empty() ? never : next.first_time();
  const std::uint32_t first = next.empty() ? none : next.first();
  // What lies within the resolution of the first event happens with it.
  const double instant_ends = events.empty() ? never : events[0].time + motion::resolution(events[0].time);

  // What was dealt with ahead, in its turn.
  if (Hand* hand = has_done ? next_done() : nullptr) {
    const Done& done = hand->done[hand->told];
    if (done.turn < Turn{due, first}) {
      if (done.turn.time > instant_ends) return false;
      tell_done(*hand);
      return true;
    }
  }
  if (due > instant_ends) return false;
  if (!(due <= until)) {
    if (events.empty()) finish();
    return false;
  }
  if (threads > 1 && events.empty() && due > worked_until && may_work_ahead()) {
    open_stretch();
    return true;
  }
  if (has_done && (first >= members.count || comes_too_late(first))) {
    ++counts.taken_back;
    wanted *= stretch_shrinks;
    take_back();
    return true;
  }
  if (const Turn turn{due, first}; reached < turn) reached = turn;
  expect_next(next);
  if (first >= number_in_queue(0)) {
    island_due(first - number_in_queue(0), due);
  } else if (first >= members.count) {
    drive_due(first - members.count, due);
  } else if (movers[first].cross < movers[first].hit) {
    cross(first);
  } else {
    happen(first);
  }
  return true;
}

bool Crowd::advance() {
  Impl& impl = *impl_;
  if (impl.status != Status::going) return false;
  // (Most are shocks of two, whose lists have room for the next.)
  for (Event& event : impl.events) {
    if (impl.spare.size() < most_spare_events) impl.spare.push_back(std::move(event));
  }
  impl.events.clear();
  impl.legs.clear();
  // (At the start everybody begins, later a few at a time.)
  if (impl.flights.size() > most_flights_kept) {
    std::vector<Flight>().swap(impl.flights);
    std::vector<Begun>().swap(impl.begun);
  }
  impl.flights.clear();
  impl.begun.clear();
  while (impl.status == Status::going && impl.take_turn()) {
  }
  if (impl.events.size() < 2) return true;
  for (Event& event : impl.events) event.time = impl.events[0].time;
  std::stable_sort(impl.events.begin(), impl.events.end(),
                   [](const Event& a, const Event& b) { return a.kind < b.kind; });
  return true;
}

Status Crowd::status() const { return impl_->status; }
double Crowd::time() const { return impl_->time; }
const std::vector<Event>& Crowd::events() const { return impl_->events; }
const std::vector<Flight>& Crowd::flights() const { return impl_->flights; }
const std::vector<Leg>& Crowd::legs() const { return impl_->legs; }
const std::vector<Begun>& Crowd::begun() const { return impl_->begun; }
const std::vector<model::Pair>& Crowd::met() const { return impl_->met; }
std::uint64_t Crowd::event_count() const { return impl_->event_count; }
std::uint64_t Crowd::steps() const { return impl_->steps; }
motion::Account Crowd::account() const {
  impl_->take_back();
  return impl_->account();
}
void Crowd::use_threads(unsigned count, const AheadOptions& options) {
  impl_->take_back();
  impl_->threads = count == 0 ? 1 : count;
  impl_->ahead_options = options;
  impl_->shared_out = false;
  impl_->crew = nullptr;
}
const Ahead& Crowd::ahead() const { return impl_->counts; }

}  // namespace zwang::crowds
