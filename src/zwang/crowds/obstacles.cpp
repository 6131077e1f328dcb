/// Fixed obstacles that are no plane walls: posts that members keep a distance from, and gates, walls of which one of several alternatives is enough.
///
/// An alternative holds while all its planes do. A gate is struck where the last alternative that holds ends and none other does. Reference: docs/mathematics,
/// section 27.2.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::EventKind;

namespace {

constexpr double at_no_time = std::numeric_limits<double>::infinity();

/// A plane along a flight: f(s) = value + rate s + bend s^2 / 2, and what cannot be told from zero there.
struct PlaneAlong {
  double value = 0, rate = 0, bend = 0, size = 0;
};

PlaneAlong along(const Plane& wall, const Vector& x, const Vector& v, const Vector& a, double least) {
  PlaneAlong out;
  out.value = dot(wall.normal, x) + wall.offset;
  out.rate = dot(wall.normal, v);
  out.bend = dot(wall.normal, a);
  out.size = std::abs(wall.offset) + wall.length * least;
  for (std::size_t c = 0; c < 3; ++c) out.size += std::abs(wall.normal[c] * x[c]);
  return out;
}

PlaneAlong shifted(const PlaneAlong& plane, double s) {
  PlaneAlong out = plane;
  out.value = plane.value + s * (plane.rate + 0.5 * s * plane.bend);
  out.rate = plane.rate + s * plane.bend;
  out.size = plane.size + std::abs(s * plane.rate);
  return out;
}

enum class Stand : std::uint8_t { open, touched, broken };

}  // namespace

Vector Crowd::Impl::normal_at(const Post& post, const Vector& x, double& gap) {
  const Vector r = {post.centre[0] - x[0], post.centre[1] - x[1], post.centre[2] - x[2]};
  const double distance = std::sqrt(dot(r, r));
  gap = distance - post.least;
  return {r[0] / distance, r[1] / distance, r[2] / distance};
}

bool Crowd::Impl::is_at_post(const Post& post, const Vector& x, const Vector& v) const {
  const Vector r = {x[0] - post.centre[0], x[1] - post.centre[1], x[2] - post.centre[2]};
  double sizes = 0;
  for (std::size_t c = 0; c < 3; ++c) sizes += std::abs(x[c]) + std::abs(post.centre[c]);
  return is_touching(r, v, sizes, post.least);
}

bool Crowd::Impl::is_at_gate(const Gate& gate, const Vector& x, const Vector& v) const {
  // No alternative is open: each has a plane that touches or is broken.
  std::vector<std::uint8_t> open(gate.alternatives, 1);
  for (const Wall& wall : members.walls_of(gate)) {
    if (is_at_wall(wall, x, v)) open[wall.alternative] = 0;
  }
  return std::none_of(open.begin(), open.end(), [](std::uint8_t one) { return one != 0; });
}

bool Crowd::Impl::touches_obstacle(std::uint32_t i, double t, const Vector& x, const Vector& v,
                                   std::uint32_t but_row) const {
  if (!members.has_obstacles()) return false;
  for (const Post& post : members.posts_of(i)) {
    if (post.row == but_row || !is_at_post(post, x, v)) continue;
    double gap = 0;
    if (!is_apart(-dot(normal_at(post, x, gap), v), std::sqrt(dot(v, v)), t)) return true;
  }
  for (const Gate& gate : members.gates_of(i)) {
    const std::span<const Wall> walls = members.walls_of(gate);
    const bool same = but_row >= walls.front().row && but_row <= walls.back().row;
    if (!same && is_at_gate(gate, x, v)) return true;
  }
  return false;
}

double Crowd::Impl::time_of_gate(std::uint32_t i, const Gate& gate, std::uint32_t& which, bool& doubt) const {
  const Mover& mover = movers[i];
  const Vector a = pull(i);
  const std::span<const Wall> walls = members.walls_of(gate);
  doubt = false;
  const auto at = [&](const Wall& wall, double s) {
    return shifted(along(wall, mover.x, mover.v, a, members.least), s);
  };
  const auto stand = [&](std::uint32_t alternative, double s, std::uint32_t but) {
    const double instant = motion::resolution(mover.start + s);
    Stand out = Stand::open;
    for (std::uint32_t w = 0; w < walls.size(); ++w) {
      if (walls[w].alternative != alternative || w == but) continue;
      const PlaneAlong plane = at(walls[w], s);
      const double room = zero_in_motion * plane.size + instant * std::abs(plane.rate);
      if (plane.value > room) return Stand::broken;
      if (plane.value >= -room) out = Stand::touched;
    }
    return out;
  };
  double s = 0;
  for (std::uint32_t turn = 0; turn < most_turns_at_gate; ++turn) {
    // How long what holds goes on to hold.
    double longest = -1;
    for (std::uint32_t alternative = 0; alternative < gate.alternatives; ++alternative) {
      if (stand(alternative, s, none) == Stand::broken) continue;
      double ends = at_no_time;
      std::uint32_t by = none;
      for (std::uint32_t w = 0; w < walls.size(); ++w) {
        if (walls[w].alternative != alternative) continue;
        const PlaneAlong plane = at(walls[w], s);
        const double one = s + time_to_zero(-plane.value, -plane.rate, -plane.bend);
        if (one < ends) {
          ends = one;
          by = w;
        }
      }
      if (ends > longest) {
        longest = ends;
        which = by;
      }
    }
    if (longest < 0) {
      // Nothing holds: whoever looks closely decides.
      which = 0;
      doubt = true;
      return mover.start + s;
    }
    if (longest == at_no_time) return at_no_time;
    bool goes_on = false;
    bool touched = false;
    for (std::uint32_t alternative = 0; alternative < gate.alternatives; ++alternative) {
      const bool own = alternative == walls[which].alternative;
      const Stand there = stand(alternative, longest, own ? which : none);
      goes_on = goes_on || (!own && there == Stand::open);
      touched = touched || there == Stand::touched;
    }
    if (!goes_on) {
      doubt = touched;
      return mover.start + longest;
    }
    s = longest;
  }
  doubt = true;
  return mover.start + s;
}

double Crowd::Impl::time_of_post(std::uint32_t i, const Post& post, bool& doubt) const {
  const Mover& mover = movers[i];
  const Vector a = pull(i);
  doubt = false;
  double sizes = post.least;
  for (std::size_t c = 0; c < 3; ++c) sizes += std::abs(mover.x[c]) + std::abs(post.centre[c]);
  const Vector r = {mover.x[0] - post.centre[0], mover.x[1] - post.centre[1], mover.x[2] - post.centre[2]};
  if (a == Vector{}) return mover.start + straight_meeting(r, mover.v, sizes, post.least, doubt);
  std::array<std::array<double, 32>, 3> p{};
  for (std::size_t c = 0; c < 3; ++c) {
    p[c][0] = r[c];
    p[c][1] = mover.v[c];
    p[c][2] = 0.5 * a[c];
  }
  return mover.start + bent_meeting(p, 3, members.dimension, sizes, post.least, until - mover.start, doubt);
}

void Crowd::Impl::predict_obstacles(std::uint32_t i) {
  if (!members.has_obstacles() || movers[i].island != none) return;
  Mover& mover = movers[i];
  const auto offer = [&](double t, std::uint32_t row, bool doubt) {
    if (!(t < mover.hit)) return;
    mover.hit = t;
    mover.what = What::obstacle;
    mover.with = row;
    mover.doubt = doubt;
  };
  for (const Post& post : members.posts_of(i)) {
    bool doubt = false;
    const double t = time_of_post(i, post, doubt);
    offer(t, post.row, doubt);
  }
  for (const Gate& gate : members.gates_of(i)) {
    bool doubt = false;
    std::uint32_t which = 0;
    const double t = time_of_gate(i, gate, which, doubt);
    // What never ends has no wall that ends it.
    if (t < at_no_time) offer(t, members.walls_of(gate)[which].row, doubt);
  }
}

bool Crowd::Impl::strike_obstacle(std::uint32_t i, double t) {
  const std::uint32_t row = movers[i].with;
  if (movers[i].doubt) return false;
  Vector x;
  Vector v;
  place(i, t, x, v);
  // The gradient of the condition there.
  Vector normal{};
  double restitution = 0;
  for (const Post& post : members.posts_of(i)) {
    if (post.row != row) continue;
    double gap = 0;
    normal = normal_at(post, x, gap);
    restitution = post.restitution;
  }
  for (const Gate& gate : members.gates_of(i)) {
    for (const Wall& wall : members.walls_of(gate)) {
      if (wall.row != row) continue;
      normal = wall.normal;
      restitution = wall.restitution;
    }
  }
  const double length = std::sqrt(dot(normal, normal));
  const double rate = dot(normal, v);
  if (!(rate > 0) || touches_more(i, t, x, v, none, none, none, row)) return false;
  count_shock(i, t, x);
  if (movers[i].close_shocks > most_close_shocks && restitution < 1) return false;
  if (lossy) {
    motion::Strikes& strikes = strikes_of(row);
    const Vector& a = members.acceleration[i];
    const double after = restitution * rate / length;
    if (restitution == 0) return false;
    if (restitution < 1 && strikes.count >= least_strikes && after * after < 2 * std::sqrt(dot(a, a)) * near_length)
      return false;
    ++strikes.count;
    strikes.hardest = std::max(strikes.hardest, rate);
    hops[i].wall = none;
  }
  const Push pushed = push(i, {-normal[0] / length, -normal[1] / length, -normal[2] / length});
  if (!(pushed.ease * members.mass[i] > told_from_zero)) return false;
  const double impulse = (1 + restitution) * (rate / length) / pushed.ease;
  for (std::size_t c = 0; c < 3; ++c) v[c] += impulse * pushed.way[c];
  Event event;
  event.time = t;
  event.kind = EventKind::impact;
  event.rows = {row};
  event.impulses = {{row, impulse / length}};
  if (pushed.on_wall > 0)
    event.impulses.emplace_back(members.wall_rows_of(i)[movers[i].held], impulse * pushed.on_wall);
  std::sort(event.impulses.begin(), event.impulses.end());
  event.lost = 0.5 * (1 - restitution * restitution) * rate * rate / (length * length * pushed.ease);
  lost += event.lost;
  if (lossy) memory[i].add({t, rate, event.lost, row});
  note_state(event, i, x, v);
  tell(std::move(event));
  leave(i, t, x, v, pushed.stays);
  predict(i);
  return true;
}

double Crowd::Impl::rate_at_obstacle(std::uint32_t row, const Vector& x, const Vector& v) const {
  const std::uint32_t place_of_row = wall_of_row[row] - members.first_obstacle();
  if (place_of_row < members.gate_walls.size()) return dot(members.gate_walls[place_of_row].normal, v);
  double gap = 0;
  return dot(normal_at(members.posts[place_of_row - members.gate_walls.size()], x, gap), v);
}

void Crowd::Impl::add_obstacles(std::uint32_t i, const Vector& x, const Vector& v, std::vector<std::uint64_t>& rows,
                                std::vector<std::uint64_t>& touching) const {
  if (!members.has_obstacles()) return;
  const double speed = std::sqrt(dot(v, v));
  for (const Post& post : members.posts_of(i)) {
    rows.push_back(post.row);
    double gap = 0;
    if (is_at_post(post, x, v) && dot(normal_at(post, x, gap), v) > told_from_zero * speed)
      touching.push_back(post.row);
  }
  for (const Gate& gate : members.gates_of(i)) {
    const bool at = is_at_gate(gate, x, v);
    for (const Wall& wall : members.walls_of(gate)) {
      rows.push_back(wall.row);
      if (at && is_at_wall(wall, x, v) && !(dot(wall.normal, x) + wall.offset > near_length * wall.length) &&
          dot(wall.normal, v) > told_from_zero * speed * wall.length)
        touching.push_back(wall.row);
    }
  }
}

std::uint32_t Crowd::Impl::broken_obstacle(std::uint32_t i, const Vector& x, double& by) const {
  for (const Post& post : members.posts_of(i)) {
    double gap = 0;
    static_cast<void>(normal_at(post, x, gap));
    double size = post.least;
    for (std::size_t c = 0; c < 3; ++c) size += std::abs(x[c]) + std::abs(post.centre[c]);
    by = -gap;
    if (by > broken_at_end * size) return post.row;
  }
  for (const Gate& gate : members.gates_of(i)) {
    std::vector<double> worst(gate.alternatives, -at_no_time);
    double size = 0;
    for (const Wall& wall : members.walls_of(gate)) {
      worst[wall.alternative] = std::max(worst[wall.alternative], dot(wall.normal, x) + wall.offset);
      size = std::max(size, along(wall, x, {}, {}, members.least).size);
    }
    by = *std::min_element(worst.begin(), worst.end());
    if (by > broken_at_end * size) return members.walls_of(gate).front().row;
  }
  return none;
}

}  // namespace zwang::crowds
