/// Swings of springs with very many events, one step or two between them: whatever an event leaves behind for the next has time to grow.
///
/// Between events x = c + A cos(w t) + B sin(w t); walls, friction and stiffness that changes with the direction only choose c and w, so that
/// the truth is a sum of arcs, each in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// A state on an arc about c with frequency w.
struct Arc {
  Real x = 0;
  Real v = 0;
  Real c = 0;
  Real w = 1;
  [[nodiscard]] Arc after(Real t) const {
    Arc out = *this;
    out.x = c + (x - c) * std::cos(w * t) + v / w * std::sin(w * t);
    out.v = -(x - c) * w * std::sin(w * t) + v * std::cos(w * t);
    return out;
  }
  [[nodiscard]] Real amplitude() const { return std::hypot(x - c, v / w); }
  /// The first time > 0 at which it comes to `b` from below (sign 1) or above (-1); never: a negative number.
  [[nodiscard]] Real reaches(Real b, Real sign) const {
    const Real a = amplitude();
    const Real part = (b - c) / a;
    if (!(std::abs(part) < 1)) return -1;
    // x - c = a cos(w t - phase); rising through b where w t - phase = -acos(part), falling at +acos(part).
    const Real phase = std::atan2(v / w, x - c);
    const Real turn = 2 * pi;
    Real angle = phase - sign * std::acos(part);
    while (angle <= 1e-9L) angle += turn;
    while (angle - turn > 1e-9L) angle -= turn;
    return angle / w;
  }
};

std::string model_of(bool as_point, double mass, Real x, Real v, const std::string& force,
                     const std::string& conditions, double until) {
  std::string text;
  if (as_point) {
    text = fmt::format("[points.a]\nmass = {}\nposition = [{}, 0]\nvelocity = [{}, 0]\nforce = [\"{}\", 0]\n",
                       number(mass), number(static_cast<double>(x)), number(static_cast<double>(v)), force);
  } else {
    text =
        fmt::format("[coordinates.a]\ninitial = {}\nvelocity = {}\nforce = \"{}\"\n[energy]\nkinetic = \"{}*a'^2/2\"\n",
                    number(static_cast<double>(x)), number(static_cast<double>(v)), force, number(mass));
  }
  if (!conditions.empty()) text += "[constraints]\n" + conditions;
  return text + fmt::format("[simulation]\nuntil = {}\n", number(until));
}

/// Positions at the samples, and velocities where they do not jump soon.
std::function<std::string(const std::vector<Track>&)> by_arcs(Real size, Real speed,
                                                              std::function<bool(Real t, Real& x, Real& v)> answer) {
  constexpr Real allowed = 1e-9L;
  return [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& sample : tracks.front().asked) {
      Real x = 0;
      Real v = 0;
      const bool calm = answer(sample.time, x, v);
      if (!(std::abs(sample.q[0] - x) <= allowed * size))
        return fmt::format("the position at t = {:.9g} is {:.12g}, not {:.12g}", sample.time, sample.q[0],
                           static_cast<double>(x));
      if (calm && !(std::abs(sample.v[0] - v) <= allowed * speed))
        return fmt::format("the velocity at t = {:.9g} is {:.12g}, not {:.12g}", sample.time, sample.v[0],
                           static_cast<double>(v));
    }
    return "";
  };
}

/// A mass on a spring strikes one wall or two, up to some hundred times.
Case spring_and_walls(std::uint64_t seed) {
  Dice dice(seed);
  const bool as_point = dice.coin();
  const double mass = dice.spread(0.05, 20);
  const double stiffness = mass * dice.spread(0.1, 1e4);
  const Real w = std::sqrt(static_cast<Real>(stiffness) / mass);
  const double size = dice.spread(0.01, 100);
  const double center = dice.coin() ? 0.0 : size * dice.uniform(-1, 1);
  const double wall = center + (dice.coin() ? 0.0 : size * dice.uniform(-0.4, 0.4));
  const bool two = dice.below(3) == 0;
  const double other = wall - size * dice.uniform(0.6, 1.0);
  const double restitution = dice.coin() ? 1.0 : dice.uniform(0.97, 1);
  // With another wall it moves between them; else it is let go as far as the size is.
  const Real start = two ? (static_cast<Real>(wall) + other) / 2 : static_cast<Real>(center) - size;
  const Real speed = two ? dice.sign() * 3 * size * w : Real{0};
  const int strikes = dice.among(25, 60);
  const auto until = static_cast<double>(pi / w * strikes * (two ? Real{0.15} : Real{1}));
  const std::string name = as_point ? "a.x" : "a";
  std::string conditions =
      fmt::format("wall = {{ condition = \"{} <= {}\", restitution = {} }}\n", name, number(wall), number(restitution));
  if (two)
    conditions += fmt::format("other = {{ condition = \"{} >= {}\", restitution = {} }}\n", name, number(other),
                              number(restitution));
  Case out;
  out.texts = {model_of(as_point, mass, start, speed,
                        fmt::format("-{}*({} - {})", number(stiffness), name, number(center)), conditions, until)};
  for (int k = 0; k < 97; ++k) out.at.push_back(until * (k + 0.37) / 97);
  out.conditions.push_back(
      {"wall", false, 1e-11L * size, [=](const Sample& s) { return s.q[0] - static_cast<Real>(wall); }});
  if (two)
    out.conditions.push_back(
        {"other", false, 1e-11L * size, [=](const Sample& s) { return static_cast<Real>(other) - s.q[0]; }});
  out.check = by_arcs(3 * size, 3 * size * w, [=](Real t, Real& x, Real& v) {
    Arc arc{start, speed, static_cast<Real>(center), w};
    Real last = -1;
    Real now = 0;
    while (true) {
      const Real up = arc.reaches(wall, 1);
      const Real down = two ? arc.reaches(other, -1) : Real{-1};
      Real next = up;
      if (down > 0 && (next < 0 || down < next)) next = down;
      if (next < 0 || now + next >= t) {
        arc = arc.after(t - now);
        x = arc.x;
        v = arc.v;
        const Real margin = 1e-6L / w;
        return (next < 0 || now + next - t > margin) && (last < 0 || t - last > margin);
      }
      arc = arc.after(next);
      now += next;
      last = now;
      arc.x = next == up ? wall : other;
      arc.v *= -static_cast<Real>(restitution);
    }
  });
  return out;
}

/// A mass on a spring rubs, and turns many times until it sticks.
Case rubbing_swing(std::uint64_t seed) {
  Dice dice(seed);
  const bool as_point = dice.coin();
  const double mass = dice.spread(0.05, 20);
  const double stiffness = mass * dice.spread(0.1, 1e4);
  const Real w = std::sqrt(static_cast<Real>(stiffness) / mass);
  const double size = dice.spread(0.01, 100);
  // So many half swings until it sticks, and not just so.
  const int swings = dice.among(3, 200);
  const double off = size / (2 * (swings + dice.uniform(-0.4, 0.4)) + 1);
  const double friction = stiffness * off;
  const auto until = static_cast<double>(pi / w * std::min(swings + 5, 80));
  const std::string name = as_point ? "a.x" : "a";
  Case out;
  out.texts = {model_of(as_point, mass, size, 0,
                        fmt::format("-{}*{} - {}*sign({}')", number(stiffness), name, number(friction), name), "",
                        until)};
  for (int k = 0; k < 97; ++k) out.at.push_back(until * (k + 0.37) / 97);
  out.check = by_arcs(size, size * w, [=](Real t, Real& x, Real& v) {
    const Real half = pi / w;
    const Real shift = static_cast<Real>(friction) / stiffness;
    Real from = size;
    Real side = 1;
    Real now = 0;
    while (std::abs(from) > shift && now + half < t) {
      from = 2 * side * shift - from;
      side = -side;
      now += half;
    }
    x = from;
    v = 0;
    if (std::abs(from) <= shift) return true;
    const Arc arc = Arc{from, 0, side * shift, w}.after(t - now);
    x = arc.x;
    v = arc.v;
    return true;
  });
  return out;
}

/// A spring that is stiffer on the way out than on the way in: it loses a part of its swing each time, and never sticks.
Case stiffer_outwards(std::uint64_t seed) {
  Dice dice(seed);
  const double stiffness = dice.spread(0.1, 1e4);
  const double part = dice.uniform(0.02, 0.3);
  const double size = dice.spread(0.01, 100);
  const int swings = dice.among(20, 60);
  const double outwards = stiffness * (1 + part);
  const double inwards = stiffness * (1 - part);
  const Real w_out = std::sqrt(static_cast<Real>(outwards));
  const Real w_in = std::sqrt(static_cast<Real>(inwards));
  const auto until = static_cast<double>(pi / w_in * swings);
  const bool by_product = dice.coin();
  const std::string force =
      by_product ? fmt::format("-if(a*a' > 0, {}, {})*a", number(outwards), number(inwards))
                 : fmt::format("-{}*a - {}*abs(a)*sign(a')", number(stiffness), number(stiffness * part));
  Case out;
  out.texts = {model_of(false, 1, size, 0, force, "", until)};
  for (int k = 0; k < 97; ++k) out.at.push_back(until * (k + 0.37) / 97);
  out.check = by_arcs(size, size * w_out, [=](Real t, Real& x, Real& v) {
    const Real in = pi / 2 / w_in;
    const Real outward = pi / 2 / w_out;
    Real turn = size;
    Real now = 0;
    while (now + in + outward < t) {
      now += in + outward;
      turn = -turn * w_in / w_out;
    }
    const Real rest = t - now;
    const Arc arc = rest < in ? Arc{turn, 0, 0, w_in}.after(rest) : Arc{0, -turn * w_in, 0, w_out}.after(rest - in);
    x = arc.x;
    v = arc.v;
    return true;
  });
  return out;
}

/// A mass on a spring of its own length, thrown through the anchor in any direction, along a line on which it turns and comes back.
Case through_anchor(std::uint64_t seed) {
  Dice dice(seed);
  const double mass = dice.spread(0.05, 20);
  const double stiffness = mass * dice.spread(0.1, 1e4);
  const Real w = std::sqrt(static_cast<Real>(stiffness) / mass);
  const double length = dice.spread(0.01, 100);
  const double stretched = length * dice.uniform(0.5, 3);
  // As fast as it needs to come through, and more.
  const auto speed = static_cast<double>(w * length * dice.uniform(2, 6));
  const int way = dice.below(3);
  const double angle = way == 0 ? 0.0 : dice.uniform(0, 6.28);
  const double far = dice.coin() ? 0.0 : length * dice.uniform(-3, 3);
  const int arcs = dice.among(3, 20);
  const int said = dice.below(3);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const auto until = static_cast<double>(arcs * 4 / w);
  const std::string anchor = fmt::format("[{}, {}]", number(far), number(-far));
  std::string text =
      fmt::format("[points.a]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n", number(mass),
                  number(far + stretched * c), number(stretched * s - far), number(-speed * c), number(-speed * s));
  if (said == 0) {
    text += fmt::format("[springs]\ns = {{ between = [\"a\", {}], length = {}, stiffness = {} }}\n", anchor,
                        number(length), number(stiffness));
  } else if (said == 1) {
    text += fmt::format("[energy]\npotential = \"{}/2*(sqrt((a.x - ({}))^2 + (a.y + {})^2) - {})^2\"\n",
                        number(stiffness), number(far), number(far), number(length));
  } else {
    text += fmt::format("[energy]\npotential = \"{}/2*(distance(a, {}) - {})^2\"\n", number(stiffness), anchor,
                        number(length));
  }
  Case out;
  out.texts = {text + fmt::format("[simulation]\nuntil = {}\n", number(until))};
  for (int k = 0; k < 97; ++k) out.at.push_back(until * (k + 0.37) / 97);
  const Real size = std::abs(far) + length + std::hypot(static_cast<Real>(stretched), speed / w);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    constexpr Real allowed = 1e-9L;
    for (const Sample& sample : tracks.front().asked) {
      Arc arc{stretched, -static_cast<Real>(speed), length, w};
      Real now = 0;
      Real side = 1;
      for (Real next = arc.reaches(0, -1); next > 0 && now + next < sample.time; next = arc.reaches(0, -1)) {
        // From the other side the same arc begins anew, outwards.
        arc = arc.after(next);
        now += next;
        side = -side;
        arc.x = 0;
        arc.v = -arc.v;
      }
      const Real r = side * arc.after(sample.time - now).x;
      const Real off = std::hypot(sample.q[0] - (far + r * c), sample.q[1] - (r * s - far));
      if (!(off <= allowed * size))
        return fmt::format("the place at t = {:.9g} is off by {:.3g}", sample.time, static_cast<double>(off));
    }
    return "";
  };
  return out;
}

}  // namespace

void add_swings(std::vector<Class>& all) {
  all.push_back({"spring-and-walls", "a mass on a spring strikes walls many times", spring_and_walls, 40, 2000});
  all.push_back({"rubbing-swing", "a mass on a spring rubs, turns many times and sticks", rubbing_swing, 40, 2000});
  all.push_back({"through-anchor", "a mass on a spring passes its anchor again and again", through_anchor, 12, 800});
  all.push_back({"stiffer-outwards", "a spring stiffer outwards than inwards swings out", stiffer_outwards, 40, 2000});
}

}  // namespace zwang::hard
