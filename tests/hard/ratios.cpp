/// Ratios of many powers of ten within one system: light bodies that carry heavy ones, gears, small targets far away.
#include <fmt/format.h>

#include <cmath>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// What a run tells beside a motion known in closed form.
std::string apart(const Track& track, Real allowed_q, Real allowed_v,
                  const std::function<void(Real t, Vector& q, Vector& v)>& answer) {
  for (const Sample& s : track.asked) {
    Vector q;
    Vector v;
    answer(s.time, q, v);
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!(std::abs(s.q[i] - q[i]) <= allowed_q) || !(std::abs(s.v[i] - v[i]) <= allowed_v))
        return fmt::format("at t = {:.9g} variable {} is {:.15g} with {:.12g}, not {:.15g} with {:.12g}", s.time, i,
                           s.q[i], s.v[i], static_cast<double>(q[i]), static_cast<double>(v[i]));
    }
  }
  return "";
}

/// A heavy body lies on a light one on a floor, or falls onto it without bounce: in the end both rest, however long.
Case heavy_on_light(std::uint64_t seed) {
  Dice dice(seed);
  const double light = dice.spread(1e-7, 1);
  const double heavy = light * dice.spread(10, 1e11);
  const double thick = dice.coin() ? 0.0 : dice.grid(16, 128);
  const bool falls = dice.coin();
  const double g = dice.uniform(1, 12);
  const double drop = falls ? dice.uniform(0.1, 2) : 0.0;
  const double until = 1 + dice.spread(1, 1e4);
  const bool rolled = dice.coin();  // the conditions the other way round
  const std::string floor = "floor = \"a.y >= 0\"\n";
  const std::string column = fmt::format("column = \"b.y >= a.y + {}\"\n", number(thick));
  Case out;
  out.texts = {fmt::format(
      "gravity = [0, {}]\n[points.a]\nmass = {}\nposition = [0, 0]\n[points.b]\nmass = {}\nposition = [0, {}]\n"
      "[constraints]\n{}{}[simulation]\nuntil = {}\n",
      number(-g), number(light), number(heavy), number(thick + drop), rolled ? column : floor, rolled ? floor : column,
      number(until))};
  out.at = even_times(0, until, 40);
  const Real land = std::sqrt(2 * static_cast<Real>(drop) / g);
  out.check = [=](const std::vector<Track>& tracks) {
    return apart(tracks.front(), 1e-11L * (1 + thick + drop), 1e-11L * (1 + g), [=](Real t, Vector& q, Vector& v) {
      const bool flying = t < land;
      q = {0, 0, 0, thick + (flying ? drop - g * t * t / 2 : 0)};
      v = {0, 0, 0, flying ? -g * t : 0};
    });
  };
  return out;
}

/// A pendulum hangs on a knot that two rods hold: however light the knot is, it swings as from a nail.
Case light_knot(std::uint64_t seed) {
  Dice dice(seed);
  const double mass = dice.spread(0.1, 1000);
  const double knot = mass * dice.spread(1e-8, 1);
  const double speed = dice.uniform(0.1, 1.5);
  const double l = dice.uniform(0.5, 2);
  const double wide = dice.uniform(1, 2);  // the pendulum stays within 40 degrees of the vertical: no string goes slack
  const bool strings = dice.coin();
  const double until = dice.uniform(1, 6);
  const auto bell = [&](const std::string& more, const std::string& rows) {
    return fmt::format(
        "gravity = [0, -9.81]\n[points.bell]\nmass = {}\nposition = [0, {}]\nvelocity = [{}, "
        "0]\n{}[constraints]\n{}[simulation]\nuntil = {}\n",
        number(mass), number(-1 - l), number(speed), more, rows, number(until));
  };
  const std::string sign = strings ? "<=" : "=";
  const std::string side = fmt::format("sqrt({}^2 + 1)", number(wide));
  Case out;
  out.texts = {
      bell(fmt::format("[points.knot]\nmass = {}\nposition = [0, -1]\n", number(knot)),
           fmt::format("left = \"distance(knot, [-{0}, 0]) {1} {2}\"\nright = \"distance(knot, [{0}, 0]) {1} {2}\"\n"
                       "rod = \"distance(knot, bell) {1} {3}\"\n",
                       number(wide), sign, side, number(l))),
      bell("", fmt::format("rod = \"distance([0, -1], bell) {} {}\"\n", sign, number(l)))};
  out.at = even_times(0, until, 30);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (std::size_t k = 0; k < tracks[1].asked.size() && k < tracks[0].asked.size(); ++k) {
      const Sample& with = tracks[0].asked[k];
      const Sample& without = tracks[1].asked[k];
      for (std::size_t i = 0; i < 2; ++i) {
        if (!(std::abs(with.q[i] - without.q[i]) <= 1e-8) || !(std::abs(with.v[i] - without.v[i]) <= 1e-7))
          return fmt::format("at t = {:.9g} the bell is off by {:.3g}, its velocity by {:.3g}", with.time,
                             with.q[i] - without.q[i], with.v[i] - without.v[i]);
      }
    }
    return "";
  };
  return out;
}

/// A gear or screw of any ratio is driven against a stop and held there.
Case gear_at_stop(std::uint64_t seed) {
  Dice dice(seed);
  const double ratio = dice.spread(1.5, 1e5);
  const double torque = dice.spread(0.01, 100);
  const double inertia = dice.spread(0.1, 10);
  const double load = dice.spread(0.1, 10);
  const double stop = dice.spread(1e-3, 1);
  const bool inverted = dice.coin();
  // a = ratio b, so that (inertia + load / ratio^2) a'' = torque.
  const Real whole = inertia + static_cast<Real>(load) / (static_cast<Real>(ratio) * ratio);
  const Real rate = torque / whole;
  const Real end = static_cast<Real>(ratio) * stop;
  const Real arrives = std::sqrt(2 * end / rate);
  const double until = static_cast<double>(arrives) * dice.spread(2, 1e4);
  Case out;
  out.texts = {
      fmt::format("[coordinates.a]\ninitial = 0\nforce = \"{}\"\n[coordinates.b]\ninitial = 0\n[energy]\nkinetic = "
                  "\"{}*a'^2/2 + {}*b'^2/2\"\n"
                  "[constraints]\ngear = \"{}\"\nstop = \"b <= {}\"\n[simulation]\nuntil = {}\n",
                  number(torque), number(inertia), number(load),
                  inverted ? fmt::format("b = a/{}", number(ratio)) : fmt::format("a = {}*b", number(ratio)),
                  number(stop), number(until))};
  out.at = even_times(0, until, 40);
  const Real fast = rate * arrives;
  out.check = [=](const std::vector<Track>& tracks) {
    return apart(tracks.front(), 1e-10L * end, 1e-10L * fast, [=](Real t, Vector& q, Vector& v) {
      const bool going = t < arrives;
      q = {going ? rate * t * t / 2 : end, (going ? rate * t * t / 2 : end) / ratio};
      v = {going ? rate * t : 0, (going ? rate * t : 0) / ratio};
    });
  };
  return out;
}

/// A point flies straight at a disc or ball from far away and hits or misses it; the condition is written with squares.
Case small_target(std::uint64_t seed) {
  Dice dice(seed);
  const double radius = dice.spread(1e-3, 1e3);
  const double far = radius * dice.spread(10, 1e8);
  const bool hits = dice.below(4) != 0;
  const double miss = radius * (hits ? dice.uniform(-0.9, 0.9) : dice.sign() * dice.uniform(1.1, 3));
  const double speed = dice.spread(0.1, 1e4);
  const bool bounces = dice.coin();
  const bool space = dice.coin();
  const double until = far / speed * dice.uniform(1.1, 2);
  const std::string none = space ? ", 0" : "";
  const std::string square = space ? "a.x^2 + a.y^2 + a.z^2" : "a.x^2 + a.y^2";
  Case out;
  out.texts = {
      fmt::format("[points.a]\nmass = 1\nposition = [{}, {}{}]\nvelocity = [{}, 0{}]\n[constraints]\n"
                  "target = {{ condition = \"{} >= {}\", restitution = {} }}\n[simulation]\nuntil = {}\n",
                  number(-far), number(miss), none, number(speed), none, square, number(radius * radius),
                  bounces ? 1 : 0, number(until))};
  out.at = even_times(0, until, 40);
  const Real side = hits ? std::sqrt(static_cast<Real>(radius) * radius - static_cast<Real>(miss) * miss) : 0;
  const Real meets = (far - side) / speed;
  // Rounding of the place far away is an angle at the target.
  const Real angle = 64 * 0x1p-52L * far / radius / (1 - std::abs(miss) / radius * (hits ? 1 : 0)) + 1e-12L;
  const std::size_t n = space ? 3 : 2;
  out.check = [=](const std::vector<Track>& tracks) {
    return apart(tracks.front(), angle * speed * until + 1e-14L * far, angle * speed,
                 [=](Real t, Vector& q, Vector& v) {
                   q.assign(n, 0);
                   v.assign(n, 0);
                   q[0] = -far + speed * t;
                   q[1] = miss;
                   v[0] = speed;
                   if (!hits || t < meets) return;
                   // The normal at the place of the impact is (-side, miss) / radius.
                   const Real nx = -side / radius;
                   const Real ny = miss / radius;
                   const Real normal = speed * nx;
                   v[0] = speed - (bounces ? 2 : 1) * normal * nx;
                   v[1] = -(bounces ? 2 : 1) * normal * ny;
                   q[0] = -side + v[0] * (t - meets);
                   q[1] = miss + v[1] * (t - meets);
                 });
  };
  return out;
}

}  // namespace

void add_ratios(std::vector<Class>& all) {
  all.push_back({"heavy-on-light", "a heavy body rests on a light one", heavy_on_light, 100, 3000});
  all.push_back({"light-knot", "a pendulum on a light knot swings as from a nail", light_knot, 60, 2000});
  all.push_back({"gear-at-stop", "a gear of any ratio is held at its stop", gear_at_stop, 100, 3000});
  all.push_back({"small-target", "a small target far away is hit or missed", small_target, 100, 3000});
}

}  // namespace zwang::hard
