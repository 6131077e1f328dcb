/// A point before walls and floors that are thin, steep, high in order, or that move: f(x, y, t) <= 0.
///
/// The truth is stepped here: flight on a parabola until f becomes positive, found by steps that see the shape and bisection; a shock
/// along grad f with restitution e; sliding with a = X - lambda grad f, lambda from f'' = 0, until lambda becomes negative.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// f and its derivatives.
struct Said {
  Real f = 0;
  Real x = 0, y = 0, t = 0;
  Real xx = 0, xy = 0, yy = 0, xt = 0, tt = 0;
};
using Surface = std::function<Said(Real x, Real y, Real t)>;

struct Scene {
  Surface surface;
  Longest longest;  ///< a step that sees the shape, of y = (x, y, vx, vy)
  Real gravity = 0;
  Real restitution = 0;
  Real origin = 0;  ///< x and t are measured from here, so that what is thin about it is not blurred by rounding
  Real epoch = 0;
};

constexpr int most_shocks = 40;
constexpr Real rounding_of_f =
    1e-16L;  ///< more than this above zero is within the wall, even where f was never seen below zero
constexpr Real no_rate = 1e-12L;    ///< what slides off or on with less needs not be seen on its way
constexpr Real slow_shock = 1e-3L;  ///< with restitution: before the shocks accumulate the comparison ends

/// Positions and velocities at the times, as far as it is worth while.
void follow_point(const Scene& scene, const std::vector<double>& at, Vector y, bool held, std::vector<Vector>& q,
                  std::vector<Vector>& v) {
  const auto pressure = [&](Real t, const Vector& s) {
    const Said f = scene.surface(s[0], s[1], t);
    const Real bend = f.xx * s[2] * s[2] + 2 * f.xy * s[2] * s[3] + f.yy * s[3] * s[3] + 2 * f.xt * s[2] + f.tt;
    return (bend - f.y * scene.gravity) / (f.x * f.x + f.y * f.y);
  };
  const Flow sliding = [&](Real t, const Vector& s, Vector& rate) {
    const Said f = scene.surface(s[0], s[1], t);
    const Real lambda = pressure(t, s);
    rate = {s[2], s[3], -lambda * f.x, -scene.gravity - lambda * f.y};
  };
  const Flow flying = [&](Real, const Vector& s, Vector& rate) { rate = {s[2], s[3], 0, -scene.gravity}; };
  y[0] -= scene.origin;
  Real t = at.front() - scene.epoch;
  int shocks = 0;
  bool clear = true;
  for (const double sampled : at) {
    const Real time = sampled - scene.epoch;
    while (t < time) {
      if (held) {
        const bool let_go = integrate_to(sliding, t, y, time, scene.longest,
                                         [&](Real now, const Vector& s) { return -pressure(now, s); });
        // Back onto the surface, first position and then velocity.
        for (int round = 0; round < 3; ++round) {
          const Said f = scene.surface(y[0], y[1], t);
          const Real norm = f.x * f.x + f.y * f.y;
          y[0] -= f.f * f.x / norm;
          y[1] -= f.f * f.y / norm;
        }
        const Said f = scene.surface(y[0], y[1], t);
        const Real rate = (f.x * y[2] + f.y * y[3] + f.t) / (f.x * f.x + f.y * f.y);
        y[2] -= rate * f.x;
        y[3] -= rate * f.y;
        if (let_go) held = false, clear = true;
        continue;
      }
      // After a shock or a release f is zero: it must have become negative before it can become positive, and the first
      // steps are short beside the hop that the rates promise.
      const Longest steps = [&](Real now, const Vector& s) {
        const Real seen = scene.longest(now, s);
        if (clear) return seen;
        const Said f = scene.surface(s[0], s[1], now);
        const Real rate = f.x * s[2] + f.y * s[3] + f.t;
        const Real second = f.xx * s[2] * s[2] + 2 * f.xy * s[2] * s[3] + f.yy * s[3] * s[3] + 2 * f.xt * s[2] + f.tt -
                            f.y * scene.gravity;
        return std::min(seen, std::max(std::abs(rate) / (2 * std::abs(second) + 1e-30L), 1e-6L * seen));
      };
      const bool hit = integrate_to(flying, t, y, time, steps, [&](Real now, const Vector& s) {
        const Real f = scene.surface(s[0], s[1], now).f;
        if (f < 0) clear = true;
        return clear || f > rounding_of_f ? f - rounding_of_f : -1;
      });
      if (!hit) continue;
      const Said f = scene.surface(y[0], y[1], t);
      const Real norm = f.x * f.x + f.y * f.y;
      const Real rate = f.x * y[2] + f.y * y[3] + f.t;
      y[0] -= f.f * f.x / norm;
      y[1] -= f.f * f.y / norm;
      if (++shocks > most_shocks || (scene.restitution > 0 && rate / std::sqrt(norm) < slow_shock)) return;
      y[2] -= (1 + scene.restitution) * rate * f.x / norm;
      y[3] -= (1 + scene.restitution) * rate * f.y / norm;
      held = scene.restitution == 0 && pressure(t, y) > 0;
      clear = std::abs(rate) < no_rate;
    }
    q.push_back({y[0] + scene.origin, y[1]});
    v.push_back({y[2], y[3]});
  }
}

Case before(const Scene& scene, const std::string& condition, const std::vector<double>& start,
            const std::vector<double>& velocity, double until, bool held, Real size, Real jerk = 0) {
  const auto at = even_times(0, until, 60);
  const std::string text = fmt::format(
      "gravity = [0, {}]\n[points.b]\nmass = 1\nposition = {}\nvelocity = {}\n[constraints]\nwall = {{ condition = "
      "\"{}\", "
      "restitution = {} }}\n[simulation]\nuntil = {}\n",
      number(static_cast<double>(-scene.gravity)), list(start), list(velocity), condition,
      number(static_cast<double>(scene.restitution)), number(until));
  Truth truth =
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        const Real aside = nudged ? nudge * std::hypot(velocity[0], velocity[1]) : 0;
        follow_point(scene, times, {start[0], start[1], velocity[0] + aside, velocity[1] + (held ? 0 : aside / 2)},
                     held, q, v);
      });
  // A floor that gains speed fast gives what the rounding of the time makes of it.
  const Real rounding = 8 * 2.3e-16L * until * jerk;
  for (auto& row : truth.rows) {
    row.allowed_v += rounding;
    row.allowed_q += rounding * until;
  }
  Case out = against(text, at, std::move(truth));
  // As a distance, and with what the rounding of the place makes of f.
  out.conditions.push_back({"wall", false, 1e-11L * size, [scene](const Sample& s) {
                              const Said f = scene.surface(s.q[0] - scene.origin, s.q[1], s.time - scene.epoch);
                              return f.f / std::sqrt(f.x * f.x + f.y * f.y + 1e-30L);
                            }});
  return out;
}

Case bump(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(3, 8);
  const double speed = dice.uniform(0.5, 2);
  const double c = speed * until * dice.uniform(0.2, 0.7);
  const double w = speed * until * dice.spread(1e-6, 0.05);
  Scene scene;
  scene.restitution = dice.coin() ? 0 : dice.uniform(0.5, 1);
  // With gravity the point slides along the floor (e^-x^2 is 0 there), without it flies at a part of the height.
  const bool slides = scene.restitution == 0 && dice.coin();
  // As high as wide, or nearly a wall; on that the truth would not slide either.
  const double high = dice.coin() && !slides ? dice.uniform(0.5, 2) : w * dice.uniform(0.5, 3);
  scene.gravity = slides ? 9.81 : 0;
  // What is left of the bump at the start is what it starts on.
  const double y = slides ? std::nextafter(high * std::exp(-(c / w) * (c / w)), 1.0) : high * dice.uniform(0.2, 1.3);
  scene.origin = c;
  scene.surface = [=](Real x, Real height, Real) {
    const Real u = x / w;
    const Real e = high * std::exp(-u * u);
    Said out;
    out.f = e - height;
    out.x = -2 * u / w * e;
    out.y = -1;
    out.xx = (4 * u * u - 2) / (w * w) * e;
    return out;
  };
  scene.longest = [=](Real, const Vector& s) {
    const Real near = std::max(static_cast<Real>(w) / 8, (std::abs(s[0]) - 8 * w) * 0.5L);
    return near / (std::abs(s[2]) + 1e-3L);
  };
  return before(scene, fmt::format("b.y >= {}*exp(-((b.x - {})/{})^2)", number(high), number(c), number(w)), {0, y},
                {speed, 0}, until, slides, speed * until);
}

Case superellipse(std::uint64_t seed) {
  Dice dice(seed);
  const int power = 2 * dice.among(2, 14);
  Scene scene;
  scene.restitution = dice.coin() ? 0 : dice.coin() ? 1 : dice.uniform(0.5, 1);
  scene.gravity = dice.coin() ? 0 : dice.uniform(1, 10);
  const double angle = dice.uniform(0, 6.28);
  const double speed = dice.uniform(0.5, 2);
  scene.surface = [=](Real x, Real y, Real) {
    const auto raise = [](Real base, int n) {
      Real p = 1;
      for (int k = 0; k < n; ++k) p *= base;
      return p;
    };
    Said out;
    out.f = raise(x, power) + raise(y, power) - 1;
    out.x = power * raise(x, power - 1);
    out.y = power * raise(y, power - 1);
    out.xx = power * (power - 1) * raise(x, power - 2);
    out.yy = power * (power - 1) * raise(y, power - 2);
    return out;
  };
  scene.longest = [](Real, const Vector& s) { return 0.02L / (std::hypot(s[2], s[3]) + 0.1L); };
  const double until = dice.uniform(2, 6);
  const double x = dice.uniform(-0.5, 0.5);
  const double y = dice.uniform(-0.5, 0.5);
  return before(scene, fmt::format("b.x^{} + b.y^{} <= 1", power, power), {x, y},
                {speed * std::cos(angle), speed * std::sin(angle)}, until, false, 1);
}

Case staircase(std::uint64_t seed) {
  Dice dice(seed);
  const int steps = dice.among(2, 5);
  const double speed = dice.uniform(0.5, 2);
  const double until = dice.uniform(2, 5);
  const double wide = speed * until / (steps + 1) * dice.uniform(0.5, 0.9);
  const double high = dice.uniform(0.2, 1);
  const double w = wide * dice.spread(1e-4, 0.2);
  Scene scene;
  scene.gravity = 9.81;
  scene.restitution = dice.coin() ? 0 : dice.uniform(0.3, 0.9);
  // Down the stairs: floor at 0 before the first edge, -high * k behind the k-th.
  scene.surface = [=](Real x, Real y, Real) {
    Said out;
    out.y = -1;
    out.f = -y;
    for (int k = 1; k <= steps; ++k) {
      const Real cosine = std::cosh(std::clamp((x - k * wide) / w, -5000.0L, 5000.0L));
      const Real tangent = std::tanh((x - k * wide) / w);
      const Real square = 1 / (cosine * cosine);
      out.f -= high * (1 + tangent) / 2;
      out.x -= high / 2 * square / w;
      out.xx += high * tangent * square / (w * w);
    }
    return out;
  };
  scene.longest = [=](Real, const Vector& s) {
    Real near = 1e9;
    for (int k = 1; k <= steps; ++k)
      near = std::min(near, std::max(static_cast<Real>(w) / 4, (std::abs(s[0] - k * wide) - 20 * w) * 0.5L));
    return near / (std::abs(s[2]) + 1e-3L);
  };
  std::string floor;
  for (int k = 1; k <= steps; ++k)
    floor += fmt::format(" - {}*(1 + tanh((b.x - {})/{}))/2", number(high), number(k * wide), number(w));
  const double y = scene.restitution > 0 ? dice.uniform(0.1, 0.5) : 0.0;
  // Lying on the first step it must lie on it exactly.
  const double low = y > 0 ? y : static_cast<double>(scene.surface(0, 0, 0).f);
  return before(scene, "b.y >= 0" + floor, {0, low},
                {speed, y > 0 ? 0 : static_cast<double>(scene.surface(0, 0, 0).x) * speed}, until, y == 0,
                1 + high * steps);
}

Case rising_floor(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(2, 6);
  const double c = until * dice.uniform(0.2, 0.5);
  const double w = until * dice.spread(1e-6, 0.1);
  // Lifted gently, or thrown off with a few units of speed.
  const double high = dice.coin() ? dice.uniform(0.2, 1) * std::min(1.0, w * w * 10) : w * dice.uniform(1, 8);
  const double slope = dice.coin() ? 0 : dice.uniform(-0.5, 0.5);
  const double speed = dice.uniform(-1, 1);
  Scene scene;
  scene.gravity = 9.81;
  scene.epoch = c;
  scene.surface = [=](Real x, Real y, Real t) {
    const Real cosine = std::cosh(std::clamp(t / w, -5000.0L, 5000.0L));
    const Real tangent = std::tanh(t / w);
    const Real square = 1 / (cosine * cosine);
    Said out;
    out.f = high * (1 + tangent) / 2 + slope * x - y;
    out.x = slope;
    out.y = -1;
    out.t = high / 2 * square / w;
    out.tt = -high * tangent * square / (w * w);
    return out;
  };
  scene.longest = [=](Real t, const Vector&) {
    return std::max(static_cast<Real>(w) / 32, (std::abs(t) - 20 * w) * 0.5L);
  };
  const Said start = scene.surface(0, 0, -scene.epoch);
  return before(
      scene,
      fmt::format("b.y >= {}*(1 + tanh((t - {})/{}))/2 + ({})*b.x", number(high), number(c), number(w), number(slope)),
      {0, static_cast<double>(start.f)}, {speed, static_cast<double>(start.t) + slope * speed}, until, true, 1,
      high / (w * w));
}

}  // namespace

void add_floors(std::vector<Class>& all) {
  all.push_back({"bump", "a ball meets a bump of any thinness", bump, 10, 300});
  all.push_back({"superellipse", "a ball stays within a superellipse", superellipse, 30, 1500});
  all.push_back({"staircase", "a ball goes down a staircase of smooth steps", staircase, 12, 500});
  all.push_back({"rising-floor", "a floor that rises lifts what lies on it, or throws it", rising_floor, 12, 300});
}

}  // namespace zwang::hard
