/// Zero has a scale of its own in every row: long rest, far bodies, high walls, all gravities, late starts, the origin.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// Falls from height h above a floor with restitution e: height and velocity at t, to the rest at the limit of the shocks.
struct Bounce {
  Real height = 1, velocity = 0, gravity = 1, restitution = 0;
  void at(Real t, Real& y, Real& v) const {
    Real h = height;
    Real u = velocity;
    for (int k = 0; k < 200; ++k) {
      const Real flight = (u + std::sqrt(u * u + 2 * gravity * h)) / gravity;
      if (t < flight) {
        y = h + u * t - gravity * t * t / 2;
        v = u - gravity * t;
        return;
      }
      t -= flight;
      u = restitution * (gravity * flight - u);
      h = 0;
      if (u <= 0) break;
    }
    y = v = 0;
  }
};

/// Closed forms have no nudge: the errors allowed are given.
Truth plain_truth(const std::vector<double>& at, Real allowed_q, Real allowed_v,
                  const std::function<void(Real t, Vector& q, Vector& v)>& answer) {
  Truth out;
  for (const double t : at) {
    Truth::Row row;
    answer(t, row.q, row.v);
    row.allowed_q = allowed_q;
    row.allowed_v = allowed_v;
    out.rows.push_back(row);
  }
  return out;
}

/// A point lies on a floor (or in a notch, or hangs on a string) for T seconds, is struck, flies, and meets a wall or the floor again.
Case rest_then_blow(std::uint64_t seed) {
  Dice dice(seed);
  const double rest = std::floor(dice.spread(1, 1e9));
  const double g = dice.uniform(1, 12);
  const double mass = dice.spread(0.25, 4);
  const double side = dice.sign() * dice.uniform(0.5, 3);
  const double up = dice.coin() ? 0 : dice.uniform(1, 5);
  const double far = dice.uniform(0.5, 2);
  const double after = 4;
  const int place = dice.below(3);  // a floor, a notch with walls, a floor with other things at rest
  // Times of the answer are rounded at rest + s.
  const double grain = rest * 2.3e-16;
  std::vector<double> at = even_times(0, rest, 8);
  for (int k = 1; k <= 16; ++k) at.push_back(rest + after * (k + 0.37) / 17);
  std::string text =
      fmt::format("gravity = [0, {}]\n[points.a]\nmass = {}\nposition = [0, 0]\n", number(-g), number(mass));
  if (place == 2) text += "[points.b]\nmass = 1\nposition = [0, 5]\n[points.c]\nmass = 2\nposition = [0, 4]\n";
  text += "[constraints]\nfloor = \"a.y >= 0\"\n";
  const double wall = side > 0 ? far : -far;
  // What it strikes: in the notch the point lies against the other side.
  text += fmt::format("wall = \"a.x {} {}\"\n", side > 0 ? "<=" : ">=", number(wall));
  if (place == 1) text += fmt::format("back = \"a.x {} 0\"\n", side > 0 ? ">=" : "<=");
  if (place == 2) text += "peg = \"distance(b, [0, 6]) <= 1\"\nlink = \"distance(b, c) <= 1\"\n";
  text += fmt::format("[[impulses]]\nat = {}\non = \"a\"\nvalue = [{}, {}]\n[simulation]\nuntil = {}\n", number(rest),
                      number(mass * side), number(mass * up), number(rest + after));
  const Real speed = std::abs(side) + up + g * after;
  Case out = against(
      text, at, plain_truth(at, 1e-10L + 4 * speed * grain, 1e-10L + 4 * g * grain, [=](Real t, Vector& q, Vector& v) {
        q = {0, 0};
        v = {0, 0};
        if (t >= rest) {
          const Real s = t - rest;
          const Real x = side * s;
          const bool stopped = std::abs(x) >= far;
          q[0] = stopped ? wall : x;
          v[0] = stopped ? 0 : side;
          if (s < 2 * up / g) q[1] = up * s - g * s * s / 2, v[1] = up - g * s;
        }
        if (place == 2) q.insert(q.end(), {0, 5, 0, 4}), v.insert(v.end(), {0, 0, 0, 0});
      }));
  out.conditions.push_back({"floor", false, 1e-11L, [](const Sample& s) { return -s.q[1]; }});
  out.conditions.push_back(
      {"wall", false, 1e-11L + speed * grain, [=](const Sample& s) { return std::abs(s.q[0]) - far; }});
  if (place == 2) {
    out.conditions.push_back(
        {"peg", false, 1e-11L, [](const Sample& s) { return std::hypot(s.q[2], s.q[3] - 6) - 1; }});
    out.conditions.push_back(
        {"link", false, 1e-11L, [](const Sample& s) { return std::hypot(s.q[2] - s.q[4], s.q[3] - s.q[5]) - 1; }});
  }
  return out;
}

/// A ball above a floor, with what else the scene may bring; the truth is Bounce's.
Case fall(double gravity, double height, double velocity, double restitution, double floor, double start,
          double duration, const std::string& beside) {
  // Rounding of places near the floor's height, and of late times.
  const Real place = std::abs(floor) * 2.3e-16L;
  const Real grain = std::abs(start) * 2.3e-16L;
  const Bounce bounce{height, velocity, gravity, restitution};
  const Real speed = std::sqrt(static_cast<Real>(velocity) * velocity + 2 * static_cast<Real>(gravity) * height);
  std::vector<double> at;
  for (int k = 0; k < 24; ++k) at.push_back(start + duration * (k + 0.43) / 24);
  const std::string text = fmt::format(
      "gravity = [0, {}]\n[points.a]\nmass = 1\nposition = [0, {}]\nvelocity = [0, {}]\n{}[constraints]\nfloor = {{ "
      "condition = \"a.y "
      ">= {}\", restitution = {} }}\n[simulation]\nstart = {}\nuntil = {}\n",
      number(-gravity), number(floor + height), number(velocity), beside, number(floor), number(restitution),
      number(start), number(start + duration));
  // Hops below what counts as touching, 1e-12 of the two terms, may be left out.
  const Real touching = 4e-12L * std::abs(floor);
  // What the file says, after rounding.
  Bounce said = bounce;
  said.height = static_cast<Real>(floor + height) - floor;
  const Real allowed =
      1e-10L * (height + std::abs(velocity) * std::sqrt(height / gravity)) + 8 * place + touching + 8 * speed * grain;
  const Real tempo = 1e-10L * speed + 8 * gravity * grain + std::sqrt(2 * gravity * touching);
  Case out;
  out.texts = {text};
  out.at = at;
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& sample : tracks.front().asked) {
      Real y = 0;
      Real v = 0;
      said.at(static_cast<Real>(sample.time) - start, y, v);
      const Real off = std::abs(sample.q[1] - floor - y);
      if (!(off <= allowed))
        return fmt::format("height at t = {:.17g} is {:.9g}, not {:.9g}", sample.time, sample.q[1] - floor,
                           static_cast<double>(y));
      // Within the grain of a shock the velocity may be either.
      Real before = 0;
      Real after = 0;
      Real ignored = 0;
      said.at(static_cast<Real>(sample.time) - start - 4 * grain - 1e-9L * duration, ignored, before);
      said.at(static_cast<Real>(sample.time) - start + 4 * grain + 1e-9L * duration, ignored, after);
      if (std::abs(before - after) < 1e-3L * speed && !(std::abs(sample.v[1] - v) <= tempo + gravity * (8 * grain)))
        return fmt::format("velocity at t = {:.17g} is {:.9g}, not {:.9g}", sample.time, sample.v[1],
                           static_cast<double>(v));
    }
    return "";
  };
  out.conditions.push_back({"floor", false, 1e-11L * height + 4 * place + 2 * speed * grain,
                            [=](const Sample& s) { return floor - static_cast<Real>(s.q[1]); }});
  return out;
}

double some_restitution(Dice& dice) { return dice.coin() ? 0 : dice.uniform(0.2, 0.9); }

Case far_body(std::uint64_t seed) {
  Dice dice(seed);
  const double far = dice.spread(1e3, 1e12);
  const double rush = dice.coin() ? 0 : dice.spread(1e-3, 1e6);
  const double y = dice.sign() * far;
  const double x = dice.sign() * far;
  const double mass = dice.spread(1e-6, 1e6);
  const std::string beside = fmt::format("[points.b]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n",
                                         number(mass), number(x), number(y), number(rush), number(-rush));
  const double until = dice.uniform(2, 5);
  const double restitution = some_restitution(dice);
  const double velocity = dice.uniform(-1, 1);
  const double height = dice.spread(1e-3, 5);
  const double gravity = dice.uniform(1, 12);
  return fall(gravity, height, velocity, restitution, 0, 0, until, beside);
}

Case high_floor(std::uint64_t seed) {
  Dice dice(seed);
  const double floor = dice.coin() ? 6.371e6 : dice.sign() * dice.spread(1e3, 1e9);
  const double height = std::max(dice.spread(1e-4, 5), std::abs(floor) * 1e-9);
  const double until = dice.uniform(2, 5);
  const double restitution = some_restitution(dice);
  const double velocity = dice.coin() ? 0 : dice.uniform(-1, 1) * std::sqrt(9.81 * height);
  return fall(9.81, height, velocity, restitution, floor, 0, until, "");
}

Case any_gravity(std::uint64_t seed) {
  Dice dice(seed);
  const double gravity = dice.coin()   ? dice.spread(1e-20, 1e25)
                         : dice.coin() ? dice.spread(1e18, 1e25)
                                       : dice.spread(1e-20, 1e-15);
  const double height = dice.spread(1e-3, 1e3);
  const double tempo = std::sqrt(height / gravity);
  const double until = tempo * (dice.coin() ? dice.uniform(3, 8) : dice.spread(10, 1e9));
  const double restitution = some_restitution(dice);
  const double velocity = dice.coin() ? 0 : dice.uniform(-1, 1) * height / tempo;
  return fall(gravity, height, velocity, restitution, 0, 0, until, "");
}

Case late_start(std::uint64_t seed) {
  Dice dice(seed);
  const double start = dice.sign() * std::floor(dice.coin() ? dice.spread(1e3, 1e12) : dice.spread(1e10, 1e12));
  const double until = dice.uniform(2, 5);
  const double restitution = some_restitution(dice);
  const double velocity = dice.uniform(-1, 1);
  const double height = dice.uniform(0.5, 5);
  const double gravity = dice.uniform(1, 12);
  return fall(gravity, height, velocity, restitution, 0, start, until, "");
}

/// A corner y >= k1 x, y >= -k2 x at the origin with a force (A, -B) t^n: it stays, or slides up one side.
Case corner_at_the_origin(std::uint64_t seed) {
  Dice dice(seed);
  const double right = dice.uniform(0.3, 2);
  const double left = dice.uniform(0.3, 2);
  const int power = dice.among(0, 3);
  const double B = dice.uniform(0.5, 3);
  // Along the right side the force pulls up if A > B right.
  double A = B * dice.uniform(-2, 2) * (dice.coin() ? right : left);
  if (std::abs(A - B * right) < 0.05 || std::abs(A + B * left) < 0.05) A = 0;
  const double until = dice.uniform(1, 3);
  // It is there from the start, or comes to rest there.
  const bool comes = power == 0 && dice.coin();
  const double from = comes ? dice.uniform(0.5, 2) : 0;
  const double speed = comes ? from / (until / 4) : 0;
  const auto at = even_times(0, until, 24);
  const std::string push = power == 0 ? "" : fmt::format("*t^{}", power);
  std::string text = fmt::format(
      "[points.a]\nmass = 1\nposition = [0, {}]\nvelocity = [0, {}]\nforce = [\"({}){}\", "
      "\"-{}{}\"]\n[constraints]\nright = \"a.y >= "
      "{}*a.x\"\nleft = \"a.y >= -{}*a.x\"\n[simulation]\nuntil = {}\n",
      number(from), number(-speed), number(comes ? 0 : A), push, number(comes ? 0 : B), push, number(right),
      number(left), number(until));
  Case out = against(text, at,
                     plain_truth(at, 1e-10L * (1 + from + std::abs(A) + B) * 10,
                                 1e-10L * (1 + speed + std::abs(A) + B) * 10, [=](Real t, Vector& q, Vector& v) {
                                   if (comes) {
                                     const bool there = t >= until / 4;
                                     q = {0, there ? 0 : from - speed * t};
                                     v = {0, there ? 0 : -speed};
                                     return;
                                   }
                                   Real slope = 0;
                                   Real pull = 0;
                                   if (A > B * right) slope = right, pull = (A - B * right) / (1 + right * right);
                                   if (-A > B * left) slope = -left, pull = (A + B * left) / (1 + left * left);
                                   // x'' = pull t^n.
                                   const Real x = pull * std::pow(t, power + 2) / ((power + 1) * (power + 2));
                                   const Real u = pull * std::pow(t, power + 1) / (power + 1);
                                   q = {x, slope * x};
                                   v = {u, slope * u};
                                 }));
  out.conditions.push_back({"right", false, 1e-11L, [=](const Sample& s) { return right * s.q[0] - s.q[1]; }});
  out.conditions.push_back({"left", false, 1e-11L, [=](const Sample& s) { return -left * s.q[0] - s.q[1]; }});
  if (comes) {
    // At the very instant of the shock either velocity is right.
    out.at.clear();
    for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
    const Real rest = until / 4;
    out.check = [=](const std::vector<Track>& tracks) -> std::string {
      for (const Sample& s : tracks.front().asked) {
        const bool there = s.time > rest;
        const Real y = there ? 0 : from - static_cast<Real>(speed) * s.time;
        if (!(std::abs(s.q[1] - y) <= 1e-10L * from) || !(std::abs(s.q[0]) <= 1e-10L) ||
            !(std::abs(s.v[1] - (there ? 0 : -speed)) <= 1e-9 * speed))
          return fmt::format("at t = {:.9g} it is at ({:.9g}, {:.9g}), not (0, {:.9g})", s.time, s.q[0], s.q[1],
                             static_cast<double>(y));
      }
      return "";
    };
  }
  return out;
}

}  // namespace

void add_scales(std::vector<Class>& all) {
  all.push_back(
      {"rest-then-blow", "after a rest of any length a blow is felt and a wall is met", rest_then_blow, 300, 6000});
  all.push_back({"far-body", "a body far away that touches nothing changes nothing", far_body, 300, 6000});
  all.push_back({"high-floor", "a ball falls on a floor at any height", high_floor, 300, 6000});
  all.push_back({"any-gravity", "a ball falls under any gravity", any_gravity, 600, 8000});
  all.push_back({"late-start", "a ball falls at any time", late_start, 600, 8000});
  all.push_back(
      {"corner-at-origin", "a point in a corner at the origin stays or slides", corner_at_the_origin, 200, 6000});
}

}  // namespace zwang::hard
