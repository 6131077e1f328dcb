/// Faces that move: pistons, and walls that a function of time moves. Members near them, and what happens there.
///
/// A face has a band in front of it. Whoever is beyond the edge of the band cannot touch while the face stays within: it is not looked at. Members that cross the
/// edge, and a face that comes near it or leaves it far behind, are events of their own that nobody is told of. Reference: docs/mathematics, section 27.3.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::EventKind;
using motion::Excursion;

namespace {

constexpr double not_ever = std::numeric_limits<double>::infinity();

double size_of_terms(const Vector& n, const Vector& x) {
  return std::abs(n[0] * x[0]) + std::abs(n[1] * x[1]) + std::abs(n[2] * x[2]);
}

/// When a polynomial on [0, h] first rises above zero, from a place on; never if it does not.
double rises(std::span<const double> p, double h, double band, double from) {
  const Excursion out = motion::first_excursion(p, h, band, from);
  return out.kind == Excursion::Kind::crossing ? std::max(from, out.at) : not_ever;
}

}  // namespace

Crowd::Impl::Level Crowd::Impl::level_of(const Face& face, double t) const {
  if (face.driver != Face::nobody) {
    const DriverPiece& piece = drives[face.driver].piece;
    const double value = piece.value(t);
    return {value, piece.rate(t), std::abs(value)};
  }
  Vector y;
  Vector w;
  place(face.owner, t, y, w);
  return level_at(face, y, w);
}

Crowd::Impl::Level Crowd::Impl::level_at(const Face& face, const Vector& y, const Vector& w) {
  return {dot(face.normal, y), dot(face.normal, w), size_of_terms(face.normal, y)};
}

bool Crowd::Impl::is_at_link(const Link& link, const Vector& x, const Vector& v, const Level& level) const {
  const double size = std::abs(link.offset) + link.length * members.least + size_of_terms(link.normal, x) + level.size;
  const double rate = dot(link.normal, v) + level.rate;
  return dot(link.normal, x) + link.offset + level.value >= -(zero * size + one_instant * std::abs(rate));
}

std::uint32_t Crowd::Impl::generation_of(const Face& face) const {
  return face.driver != Face::nobody ? drives[face.driver].generation : movers[face.owner].generation;
}

bool Crowd::Impl::touches_link(std::uint32_t i, double t, const Vector& x, const Vector& v,
                               std::uint32_t but_link) const {
  if (members.links.empty()) return false;
  const auto is_at = [&](const Link& link, const Vector& at, const Vector& with, const Level& level) {
    const double rate = dot(link.normal, with) + level.rate;
    const double terms = link.length * std::sqrt(dot(with, with)) + std::abs(level.rate);
    return is_at_link(link, at, with, level) && !is_apart(-rate, terms, t);
  };
  for (const Link& link : members.links_of(i)) {
    const auto number = static_cast<std::uint32_t>(&link - members.links.data());
    if (number == but_link || place_near[number] == none) continue;
    if (is_at(link, x, v, level_of(members.faces[link.face], t))) return true;
  }
  const auto [first, behind] = members.faces_of(i);
  for (std::uint32_t f = first; f < behind; ++f) {
    const Level level = level_at(members.faces[f], x, v);
    for (const std::uint32_t number : guards[f].near) {
      if (number == but_link) continue;
      const Link& link = members.links[number];
      Vector y;
      Vector w;
      place(link.member, t, y, w);
      if (is_at(link, y, w, level)) return true;
    }
  }
  return false;
}

bool Crowd::Impl::inside_one_island(const Link& link) const {
  const std::uint32_t island = movers[link.member].island;
  if (island == none) return false;
  const Face& face = members.faces[link.face];
  if (face.driver == Face::nobody && movers[face.owner].island != island) return false;
  const std::vector<std::uint64_t>& rows = islands[island].part->row;
  return std::binary_search(rows.begin(), rows.end(), std::uint64_t{link.row});
}

// ---- what comes next

double Crowd::Impl::time_of_link(const Link& link, bool& doubt) const {
  doubt = false;
  const Mover& one = movers[link.member];
  const Face& face = members.faces[link.face];
  const bool driven = face.driver != Face::nobody;
  if (!driven && one.island == none && movers[face.owner].island == none) {
    const double from = std::max(one.start, movers[face.owner].start);
    Vector x;
    Vector v;
    Vector y;
    Vector w;
    place(link.member, from, x, v);
    place(face.owner, from, y, w);
    const double gap = -(dot(link.normal, x) + dot(face.normal, y) + link.offset);
    const double rate = -(dot(link.normal, v) + dot(face.normal, w));
    const double bend = -(dot(link.normal, pull(link.member)) + dot(face.normal, pull(face.owner)));
    return from + time_to_zero(gap, rate, bend);
  }
  const auto end_of = [&](const Mover& mover) {
    return mover.island == none ? until : std::min(until, islands[mover.island].piece.end());
  };
  const auto start_of = [&](const Mover& mover) {
    return mover.island == none ? mover.start : islands[mover.island].piece.start;
  };
  double from = start_of(one);
  double end = end_of(one);
  if (driven) {
    from = std::max(from, drives[face.driver].piece.start);
    end = std::min(end, drives[face.driver].piece.end());
  } else {
    from = std::max(from, start_of(movers[face.owner]));
    end = std::min(end, end_of(movers[face.owner]));
  }
  const double h = end - from;
  if (!(h > 0)) return not_ever;
  // The condition as a polynomial.
  std::array<double, 32> f{};
  f[0] = link.offset;
  std::array<double, 5> size = {std::abs(link.offset), 0, 0, 0, 0};  // of the terms of the first orders
  std::uint32_t orders = 1;
  const auto add = [&](const Vector& normal, std::uint32_t member) {
    std::array<std::array<double, 32>, 3> p;
    const std::uint32_t m = polynomial(member, from, p);
    orders = std::max(orders, m);
    for (std::uint32_t c = 0; c < members.dimension; ++c) {
      for (std::uint32_t k = 0; k < m; ++k) f[k] += normal[c] * p[c][k];
      for (std::uint32_t k = 0; k < std::min<std::uint32_t>(m, 5); ++k) size[k] += std::abs(normal[c] * p[c][k]);
    }
  };
  add(link.normal, link.member);
  if (driven) {
    // About another time.
    std::array<double, DriverPiece::orders> c = drives[face.driver].piece.c;
    const double s = from - drives[face.driver].piece.start;
    for (std::uint32_t j = 0; j + 1 < DriverPiece::orders; ++j) {
      for (std::uint32_t k = DriverPiece::orders - 1; k-- > j;) c[k] += s * c[k + 1];
    }
    for (std::uint32_t k = 0; k < DriverPiece::orders; ++k) f[k] += c[k];
    orders = std::max(orders, DriverPiece::orders);
    for (std::uint32_t k = 0; k < 5; ++k) size[k] += std::abs(c[k]);
  } else {
    add(face.normal, face.owner);
  }
  std::uint32_t first = 0;
  if (f[0] >= -few_roundings * size[0]) {
    // They touch. Do they approach, or will they, or when do they come back? (Whoever was let go where the face left it begins with the same velocity and the
    // same acceleration, as far as that instant is known.)
    if (f[1] > told_from_zero * size[1]) return from;
    first = 1;
    const double instant = motion::resolution(from);
    const auto unsure = [&](std::uint32_t k) {
      return (k == 1 ? told_from_zero : let_go_alike) * size[k] + instant * (k + 1) * size[k + 1];
    };
    while (first < 4 && std::abs(f[first]) <= unsure(first)) ++first;
    if (first > 1 && first < 4 && f[first] > 0) {
      doubt = true;
      return from;
    }
  }
  if (orders <= first) return not_ever;
  const Excursion found = motion::first_excursion({f.data() + first, orders - first}, h, 0.0);
  switch (found.kind) {
    case Excursion::Kind::none: return not_ever;
    case Excursion::Kind::crossing: return from + found.at;
    case Excursion::Kind::graze:
    case Excursion::Kind::pending: doubt = true; return from + found.at;
  }
  return not_ever;
}

void Crowd::Impl::predict_link(std::uint32_t number, std::uint32_t asking) {
  const Link& link = members.links[number];
  if (place_near[number] == none || inside_one_island(link)) return;
  bool doubt = false;
  const double t = time_of_link(link, doubt);
  if (t == not_ever) return;
  // The member alone expects it: it is predicted anew whenever the face changes its motion.
  Mover& mover = movers[link.member];
  if (!(t < mover.hit)) return;
  mover.hit = t;
  mover.what = What::link;
  mover.with = number;
  mover.with_generation = generation_of(members.faces[link.face]);
  mover.doubt = doubt;
  if (link.member != asking) enqueue(link.member);
}

void Crowd::Impl::predict_links(std::uint32_t i) {
  if (members.links.empty()) return;
  for (std::uint32_t l = members.link_start[i]; l < members.link_start[i + 1]; ++l) predict_link(l, i);
  const auto [first, behind] = members.faces_of(i);
  for (std::uint32_t f = first; f < behind; ++f) {
    for (const std::uint32_t number : guards[f].near) predict_link(number, i);
  }
}

// ---- bands

void Crowd::Impl::predict_edges(std::uint32_t i) {
  if (members.links.empty()) return;
  Mover& mover = movers[i];
  const auto offer = [&](double t, Silent silent, std::uint32_t number) {
    if (!(t < mover.cross)) return;
    mover.cross = t;
    mover.face = static_cast<std::uint8_t>(silent);
    mover.edge = number;
  };
  const auto [first, behind] = members.faces_of(i);
  const std::span<const Link> links = members.links_of(i);
  if (mover.island == none) {
    const Vector a = pull(i);
    const double now = std::max(time, mover.start);
    Vector x;
    Vector v;
    place(i, now, x, v);
    for (const Link& link : links) {
      const auto number = static_cast<std::uint32_t>(&link - members.links.data());
      const Guard& guard = guards[link.face];
      const double u = dot(link.normal, x) + link.offset;
      const double rate = dot(link.normal, v);
      const double bend = dot(link.normal, a);
      const double s = place_near[number] == none
                           ? time_to_zero(guard.edge - u, -rate, -bend)
                           : time_to_zero(u - (guard.edge - band_margin * guard.band), rate, bend);
      offer(now + s, Silent::edge, number);
    }
    for (std::uint32_t f = first; f < behind; ++f) {
      const Vector& n = members.faces[f].normal;
      const Guard& guard = guards[f];
      const double level = -dot(n, x);
      const double rate = -dot(n, v);
      const double bend = -dot(n, a);
      const double near = time_to_zero(level - (guard.edge + band_margin * guard.band), rate, bend);
      const double far = time_to_zero(guard.edge + band_left_behind * guard.band - level, -rate, -bend);
      offer(now + std::min(near, far), Silent::face, f);
    }
    return;
  }
  // The same with polynomials.
  const motion::Piece& piece = islands[mover.island].piece;
  const double now = std::max(0.0, time - piece.start) / piece.unit;
  const auto along = [&](const Vector& n, double sign, double constant) {
    std::array<double, 64> p{};
    for (std::uint32_t k = 0; k < piece.orders; ++k) {
      for (std::uint32_t c = 0; c < members.dimension; ++c)
        p[k] += sign * n[c] * piece.position[std::size_t{k} * piece.n + mover.column + c];
    }
    p[0] += constant;
    const double s = rises({p.data(), piece.orders}, piece.length / piece.unit, beyond_face * grid.width(), now);
    return piece.start + s * piece.unit;
  };
  for (const Link& link : links) {
    const auto number = static_cast<std::uint32_t>(&link - members.links.data());
    const Guard& guard = guards[link.face];
    offer(place_near[number] == none ? along(link.normal, 1, link.offset - guard.edge)
                                     : along(link.normal, -1, guard.edge - band_margin * guard.band - link.offset),
          Silent::edge, number);
  }
  for (std::uint32_t f = first; f < behind; ++f) {
    const Guard& guard = guards[f];
    const double near = along(members.faces[f].normal, 1, guard.edge + band_margin * guard.band);
    const double far = along(members.faces[f].normal, -1, -(guard.edge + band_left_behind * guard.band));
    offer(std::min(near, far), Silent::face, f);
  }
}

void Crowd::Impl::set_near(std::uint32_t number, bool near) {
  std::vector<std::uint32_t>& list = guards[members.links[number].face].near;
  std::uint32_t& place_in_list = place_near[number];
  if (near == (place_in_list != none)) return;
  if (near) {
    place_in_list = static_cast<std::uint32_t>(list.size());
    list.push_back(number);
    return;
  }
  list[place_in_list] = list.back();
  place_near[list.back()] = place_in_list;
  list.pop_back();
  place_in_list = none;
}

void Crowd::Impl::set_guard(std::uint32_t f) {
  const Face& face = members.faces[f];
  Guard& guard = guards[f];
  guard.band = 0;
  for (const std::uint32_t number : face.links)
    guard.band = std::max(guard.band, band_in_cells * grid.width() * members.links[number].length);
  guard.edge = -level_of(face, time).value - guard.band;
  for (const std::uint32_t number : face.links) {
    const Link& link = members.links[number];
    Vector x;
    Vector v;
    place(link.member, std::max(time, movers[link.member].start), x, v);
    set_near(number, !(dot(link.normal, x) + link.offset < guard.edge));
  }
}

void Crowd::Impl::move_guard(std::uint32_t f) {
  set_guard(f);
  const Face& face = members.faces[f];
  for (const std::uint32_t number : face.links) {
    const std::uint32_t i = members.links[number].member;
    predict_link(number, i);
    predict_crossing(i);
    enqueue(i);
  }
  if (face.owner == Face::nobody) return;
  predict_crossing(face.owner);
  enqueue(face.owner);
}

void Crowd::Impl::cross_edge(std::uint32_t i) {
  const std::uint32_t number = movers[i].edge;
  set_near(number, place_near[number] == none);
  predict_link(number, i);
  predict_crossing(i);
  enqueue(i);
}

// ---- functions of time

void Crowd::Impl::begin_faces() {
  place_near.assign(members.links.size(), none);
  guards.resize(members.faces.size());
  drives.resize(members.drivers.size());
  face_driven.assign(members.drivers.size(), none);
  for (std::uint32_t f = 0; f < members.faces.size(); ++f) {
    if (members.faces[f].driver != Face::nobody) face_driven[members.faces[f].driver] = f;
  }
}

bool Crowd::Impl::drive_on(std::uint32_t d, double start) {
  Drive& drive = drives[d];
  drive.piece = piece_from(members.drivers[d], start, until);
  ++drive.generation;
  if (drive.piece.length > 0 || !(start < until)) return true;
  const std::uint32_t row = members.links[members.faces[face_driven[d]].links[0]].row;
  end(motion::Status::gave_up,
      fmt::format("the function of time in {} has no power series here", model::row_name(model, row)));
  return false;
}

void Crowd::Impl::enqueue_drive(std::uint32_t d) {
  const DriverPiece& piece = drives[d].piece;
  const Guard& guard = guards[face_driven[d]];
  std::array<double, DriverPiece::orders> p = piece.c;
  const double now = std::max(0.0, time - piece.start);
  // The level is the negative of the function.
  p[0] += guard.edge + band_margin * guard.band;
  double out = rises(p, piece.length, beyond_face * grid.width(), now);
  for (std::uint32_t k = 0; k < DriverPiece::orders; ++k) p[k] = -piece.c[k];
  p[0] -= guard.edge + band_left_behind * guard.band;
  out = std::min(out, rises(p, piece.length, beyond_face * grid.width(), now));
  drives[d].out = piece.start + out;
  const double ends = piece.end() < until ? piece.end() : not_ever;
  queue.put(members.count + d, std::min(drives[d].out, ends));
}

void Crowd::Impl::drive_due(std::uint32_t d, double t) {
  time = std::max(time, t);
  const bool leaves = drives[d].out <= t;
  if (leaves) {
    move_guard(face_driven[d]);
  } else {
    if (!drive_on(d, drives[d].piece.end())) return;
    for (const std::uint32_t number : guards[face_driven[d]].near) predict_link(number, none);
  }
  enqueue_drive(d);
}

// ---- what happens

bool Crowd::Impl::strike_link(std::uint32_t number, bool in_doubt, double t) {
  const Link& link = members.links[number];
  const Face& face = members.faces[link.face];
  const bool driven = face.driver != Face::nobody;
  const std::uint32_t i = link.member;
  const std::uint32_t j = face.owner;
  if (in_doubt || movers[i].island != none || (!driven && movers[j].island != none)) return false;
  Vector x;
  Vector v;
  Vector y{};
  Vector w{};
  place(i, t, x, v);
  if (!driven) place(j, t, y, w);
  const Level level = driven ? level_of(face, t) : level_at(face, y, w);
  const double rate = dot(link.normal, v) + level.rate;
  if (!(rate > 0) || touches_more(i, t, x, v, none, none, number)) return false;
  if (!driven && touches_more(j, t, y, w, none, none, number)) return false;
  count_shock(i, t, x);
  if (!driven) count_shock(j, t, y);
  const std::uint32_t close =
      driven ? movers[i].close_shocks : std::min(movers[i].close_shocks, movers[j].close_shocks);
  if (close > most_close_shocks && link.restitution < 1) return false;
  if (lossy && !strike_counts(link, rate, t)) return false;

  const auto towards = [](const Vector& n, double length) {
    return Vector{-n[0] / length, -n[1] / length, -n[2] / length};
  };
  const Push one = push(i, towards(link.normal, link.length));
  const Push other = driven ? Push{} : push(j, towards(face.normal, face.length));
  const double ease = link.length * link.length * one.ease + face.length * face.length * other.ease;
  if (!(ease * members.mass[i] > told_from_zero * link.length * link.length)) return false;
  const double impulse = (1 + link.restitution) * rate / ease;
  for (std::size_t c = 0; c < 3; ++c) {
    v[c] += impulse * link.length * one.way[c];
    w[c] += impulse * face.length * other.way[c];
  }
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {link.row};
  event.impulses = {{link.row, impulse}};
  if (one.on_wall > 0)
    event.impulses.emplace_back(members.wall_rows_of(i)[movers[i].held], impulse * link.length * one.on_wall);
  if (other.on_wall > 0)
    event.impulses.emplace_back(members.wall_rows_of(j)[movers[j].held], impulse * face.length * other.on_wall);
  std::sort(event.impulses.begin(), event.impulses.end());
  event.lost = 0.5 * (1 - link.restitution * link.restitution) * rate * rate / ease;
  lost += event.lost;
  if (driven) work += impulse * level.rate;
  if (lossy) {
    memory[i].add({t, rate, event.lost, link.row});
    if (!driven) memory[j].add({t, rate, event.lost, link.row});
  }
  if (!driven && j < i) note_state(event, j, y, w);
  note_state(event, i, x, v);
  if (!driven && j > i) note_state(event, j, y, w);
  tell(std::move(event));
  leave(i, t, x, v, one.stays);
  if (!driven) leave(j, t, y, w, other.stays);
  predict(i);
  if (!driven) predict(j);
  return true;
}

bool Crowd::Impl::strike_counts(const Link& link, double rate, double t) {
  motion::Strikes& strikes = strikes_of(link.row);
  const Face& face = members.faces[link.face];
  const double after = link.restitution * rate / link.length;
  const Vector& a = members.acceleration[link.member];
  double most = dot(a, a);
  if (face.owner != Face::nobody) {
    const Vector& b = members.acceleration[face.owner];
    most = std::max(most, dot(b, b));
  }
  most = std::sqrt(most);
  if (face.driver != Face::nobody) {
    const DriverPiece& piece = drives[face.driver].piece;
    const double s = t - piece.start;
    double bend = 0;
    for (std::uint32_t k = DriverPiece::orders; k-- > 2;) bend = bend * s + k * (k - 1.0) * piece.c[k];
    most += std::abs(bend) / link.length;
  }
  // Without rebound they may stay together.
  if (link.restitution == 0) return false;
  if (link.restitution < 1 && strikes.count >= least_strikes && after * after < 2 * most * near_length) return false;
  ++strikes.count;
  strikes.hardest = std::max(strikes.hardest, rate);
  hops[link.member].wall = none;
  if (face.owner != Face::nobody) hops[face.owner].wall = none;
  return true;
}

}  // namespace zwang::crowds
