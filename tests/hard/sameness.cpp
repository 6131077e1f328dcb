/// One motion said in several ways: other units, another origin of time and space, other axes, an order turned round, a condition said
/// twice, in two halves or with a factor, a body beside it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "hard/truth.hpp"
#include "laws/slow_motion.hpp"

namespace zwang::hard {

namespace {

/// How a scene is written down. Units are powers of two (of mass: of four); the shift and turn of space act in the plane.
struct Writing {
  int length = 0, time = 0, mass = 0;  ///< exponents
  double start = 0;
  double x = 0, y = 0;
  double cosine = 1, sine = 0;
  std::string beside;  ///< another body
  [[nodiscard]] double of(double value, int lengths, int times, int masses) const {
    return std::ldexp(value, lengths * length + times * time + 2 * masses * mass);
  }
};

struct Written {
  std::string text;
  std::size_t variables = 0;
  double until = 0;  ///< from the start, in its units
  std::vector<int> lengths =
      {};  ///< per variable: the power of a length that it is, 0 for angles; empty: all are lengths
};

/// A point's place, velocity or force in the writing's axes.
std::string place(const Writing& w, double a, double b) {
  return fmt::format("[{}, {}]", number(w.x + w.cosine * w.of(a, 1, 0, 0) - w.sine * w.of(b, 1, 0, 0)),
                     number(w.y + w.sine * w.of(a, 1, 0, 0) + w.cosine * w.of(b, 1, 0, 0)));
}
std::string vector(const Writing& w, double a, double b, int lengths, int times, int masses) {
  return fmt::format("[{}, {}]",
                     number(w.cosine * w.of(a, lengths, times, masses) - w.sine * w.of(b, lengths, times, masses)),
                     number(w.sine * w.of(a, lengths, times, masses) + w.cosine * w.of(b, lengths, times, masses)));
}
/// The coordinates of the scene as expressions of those of the file.
std::string across(const Writing& w, const std::string& p) {
  if (w.x == 0 && w.y == 0 && w.sine == 0) return p + ".x";
  return fmt::format("(({})*({}.x - ({})) + ({})*({}.y - ({})))", number(w.cosine), p, number(w.x), number(w.sine), p,
                     number(w.y));
}
std::string upward(const Writing& w, const std::string& p) {
  if (w.x == 0 && w.y == 0 && w.sine == 0) return p + ".y";
  return fmt::format("(({})*({}.y - ({})) - ({})*({}.x - ({})))", number(w.cosine), p, number(w.y), number(w.sine), p,
                     number(w.x));
}

/// Five scenes of points in the plane.
Written scene(std::uint64_t seed, const Writing& w) {
  Dice dice(seed);
  const int kind = dice.below(5);
  const double g = dice.uniform(2, 12);
  Written out;
  out.variables = 2;
  const auto head = [&](bool falls) { return "gravity = " + vector(w, 0, falls ? -g : 0, 1, -2, 0) + "\n"; };
  const auto point = [&](const std::string& name, double mass, double x, double y, double vx, double vy,
                         const std::string& more = "") {
    return fmt::format("[points.{}]\nmass = {}\nposition = {}\nvelocity = {}\n{}", name, number(w.of(mass, 0, 0, 1)),
                       place(w, x, y), vector(w, vx, vy, 1, -1, 0), more);
  };
  const auto length = [&](double value) { return number(w.of(value, 1, 0, 0)); };
  const double m = dice.spread(0.5, 2);
  if (kind == 0) {
    // A ball between a slanted floor and a wall.
    const double slope = dice.uniform(-0.5, 0.5);
    out.until = dice.uniform(1, 3);
    const double across_first = dice.uniform(-1, 1);
    const double high = dice.uniform(1, 2);
    out.text = head(true) + point("a", m, 0, high, across_first, 0) + w.beside + "[constraints]\n";
    out.text += fmt::format("floor = {{ condition = \"{} >= {}*{} - {}\", restitution = 0.5 }}\n", upward(w, "a"),
                            number(slope), across(w, "a"), length(0.3));
    out.text += fmt::format("wall = {{ condition = \"{} <= {}\", restitution = 0.5 }}\n", across(w, "a"), length(1));
  } else if (kind == 1) {
    // A damped pendulum on a rod.
    const double r = dice.uniform(0.5, 2);
    const double angle = dice.uniform(-2, 2);
    const double c = dice.uniform(0.1, 1);
    out.until = dice.uniform(2, 6);
    const std::string damping = number(w.of(c, 0, -1, 1));
    out.text = head(true) +
               point("a", m, r * std::sin(angle), -r * std::cos(angle), 0, 0,
                     fmt::format("force = [\"-{0}*a.x'\", \"-{0}*a.y'\"]\n", damping)) +
               w.beside;
    out.text += fmt::format("[constraints]\nrod = \"distance(a, {}) = {}\"\n", place(w, 0, 0), length(r));
  } else if (kind == 2) {
    // A stone on a string, thrown.
    const double r = dice.uniform(0.5, 1.5);
    out.until = dice.uniform(1, 3);
    const double up = dice.uniform(0, 3);
    const double sideways = dice.uniform(-2, 2);
    const double high = dice.uniform(-0.5, 0.5) * r;
    out.text = head(true) + point("a", m, 0.3 * r, high, sideways, up) + w.beside;
    out.text += fmt::format("[constraints]\nstring = {{ condition = \"distance(a, {}) <= {}\", restitution = {} }}\n",
                            place(w, 0, 0), length(r), dice.coin() ? "0" : "0.5");
  } else if (kind == 3) {
    // A spring with a kick.
    out.until = dice.uniform(2, 6);
    const double centre = out.until * dice.uniform(0.3, 0.7);
    const double wide = dice.uniform(0.02, 0.3);
    const double size = dice.uniform(1, 5);
    const double spring = dice.uniform(1, 5);
    const std::string kick = fmt::format("{}*exp(-((t - ({}))/{})^2)", number(w.of(size, 1, -2, 1)),
                                         number(w.start + w.of(centre, 0, 1, 0)), number(w.of(wide, 0, 1, 0)));
    const std::string k = number(w.of(spring, 0, -2, 1));
    const std::string fx = fmt::format("-{}*(a.x - ({})) + ({})*{}", k, number(w.x), number(w.cosine), kick);
    const std::string fy = fmt::format("-{}*(a.y - ({})) + ({})*{}", k, number(w.y), number(w.sine), kick);
    const double vy = dice.uniform(-1, 1);
    const double y = dice.uniform(-1, 1);
    const double x = dice.uniform(-1, 1);
    out.text = head(false) + point("a", m, x, y, 0, vy, fmt::format("force = [\"{}\", \"{}\"]\n", fx, fy)) + w.beside;
  } else {
    // Two balls meet above a floor.
    out.variables = 4;
    out.until = dice.uniform(1, 2);
    const double e = dice.uniform(0.4, 0.9);
    const double back = dice.uniform(-2, -1);
    const double high = dice.uniform(1.3, 1.7);
    const double fast = dice.uniform(1, 2);
    out.text =
        head(true) + point("a", m, -1, 1.5, fast, 0) + point("b", 1, 1, high, back, 0) + w.beside + "[constraints]\n";
    out.text +=
        fmt::format("apart = {{ condition = \"distance(a, b) >= {}\", restitution = {} }}\n", length(0.5), number(e));
    for (const char* p : {"a", "b"})
      out.text +=
          fmt::format("floor_{} = {{ condition = \"{} >= 0\", restitution = {} }}\n", p, upward(w, p), number(e));
  }
  out.until = w.of(out.until, 0, 1, 0);
  out.text += fmt::format("[simulation]\nstart = {}\nuntil = {}\n", number(w.start), number(w.start + out.until));
  return out;
}

std::vector<double> times_of(const Written& written, const Writing& w) {
  std::vector<double> out;
  // Parts of the duration with few digits, so that they scale without rounding.
  for (int k = 0; k <= 16; ++k) out.push_back(w.start + written.until * (k / 16.0));
  return out;
}

/// More scenes, with angles, velocity conditions, flows, friction, inertia that changes, accumulations and rest; nothing shifted or turned.
Written scene_of_kinds(std::uint64_t seed, const Writing& w) {
  Dice dice(seed ^ 0x777);
  const int kind = dice.below(12);
  Written out;
  const auto value = [&](double number_in_plain, int lengths, int times, int masses) {
    return number(w.of(number_in_plain, lengths, times, masses));
  };
  const auto coordinate = [&](const std::string& name, int lengths, double q, double v, const std::string& more = "") {
    out.lengths.push_back(lengths);
    return fmt::format("[coordinates.{}]\ninitial = {}\nvelocity = {}\n{}", name, value(q, lengths, 0, 0),
                       value(v, lengths, -1, 0), more);
  };
  const auto point = [&](const std::string& name, double mass, double x, double y, double vx, double vy) {
    out.lengths.insert(out.lengths.end(), {1, 1});
    return fmt::format("[points.{}]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n", name, value(mass, 0, 0, 1),
                       value(x, 1, 0, 0), value(y, 1, 0, 0), value(vx, 1, -1, 0), value(vy, 1, -1, 0));
  };
  const double g = dice.uniform(2, 12);
  const std::string falls = fmt::format("gravity = [0, {}]\n", value(-g, 1, -2, 0));
  const double m = dice.spread(0.5, 2);
  const double r = dice.uniform(0.5, 1.5);
  out.until = dice.uniform(1, 3);
  switch (kind) {
    case 0:
      // A skate or knife edge on a slope.
      out.text += coordinate("x", 1, 0, dice.uniform(0, 1));
      out.text += coordinate("y", 1, 0, 0);
      out.text += coordinate("turn", 0, 0, dice.uniform(1, 3));
      out.text += fmt::format(
          "[energy]\nkinetic = \"{}/2*(x'^2 + y'^2) + {}/2*turn'^2\"\npotential = \"-{}*x\"\n[constraints]\nedge = "
          "\"x'*sin(turn) - y'*cos(turn) = 0\"\n",
          value(m, 0, 0, 1), value(m * r * r, 2, 0, 1), value(m * g, 1, -2, 1));
      break;
    case 1:
      // Two rods, the second rests on a wall now and then.
      out.text = falls + point("a", m, r, 0, 0, 0);
      out.text += point("b", 1, 2 * r, 0, 0, 0);
      out.text += fmt::format(
          "[constraints]\nfirst = \"distance(a, [0, 0]) = {0}\"\nsecond = \"distance(a, b) = {0}\"\nwall = {{ "
          "condition = "
          "\"b.x >= {1}\", restitution = 0.5 }}\n",
          value(r, 1, 0, 0), value(-r, 1, 0, 0));
      break;
    case 2:
      // A pendulum on a cart: inertia that changes.
      out.text += coordinate("x", 1, 0, 0);
      out.text += coordinate("turn", 0, dice.uniform(0.5, 2), 0);
      out.text += fmt::format(
          "[energy]\nkinetic = \"{0}/2*x'^2 + {1}*x'*turn'*cos(turn) + {2}/2*turn'^2\"\npotential = "
          "\"-{3}*cos(turn)\"\n[constraints]\nbuffer = \"x <= {4}\"\n",
          value(m + 1, 0, 0, 1), value(r, 1, 0, 1), value(r * r, 2, 0, 1), value(r * g, 2, -2, 1),
          value(dice.uniform(0.05, 0.5), 1, 0, 0));
      break;
    case 3:
      // Dry friction on a spring.
      out.until *= 2;
      out.text =
          coordinate("x", 1, 1 + 0.7 * r, 0,
                     fmt::format("force = \"-{}*x - {}*sign(x')\"\n", value(5, 0, -2, 1), value(0.4 * r, 1, -2, 1)));
      out.text += fmt::format("[energy]\nkinetic = \"{}/2*x'^2\"\n", value(m, 0, 0, 1));
      break;
    case 4:
      // A ball that comes to rest by infinitely many hops on a slanted floor, and slides on.
      out.text = falls + point("a", m, 0, 0.6 * r, dice.uniform(-1, 1), 0);
      out.text += fmt::format("[constraints]\nfloor = {{ condition = \"a.y >= {}*a.x\", restitution = 0.3 }}\n",
                              number(dice.uniform(-0.3, 0.3)));
      break;
    case 5:
      // A flow on a sphere.
      out.lengths.assign(3, 1);
      out.text = fmt::format(
          "[coordinates.p]\ninitial = {0}\n[coordinates.q]\ninitial = 0\n[coordinates.s]\ninitial = {0}\n[flow]\np = "
          "\"-{1}*q + {1}*s\"\nq = \"{1}*p\"\ns = \"{1}*p - {2}*s\"\n[constraints]\nsphere = \"p^2 + q^2 + s^2 = "
          "{3}\"\n",
          value(r, 1, 0, 0), value(1, 0, -1, 0), value(dice.uniform(0.2, 1), 0, -1, 0), value(2 * r * r, 2, 0, 0));
      break;
    case 6:
      // A flow that nothing hinders: Lotka and Volterra.
      out.lengths.assign(2, 1);
      out.until *= 2;
      out.text = fmt::format(
          "[coordinates.p]\ninitial = {0}\n[coordinates.q]\ninitial = {0}\n[flow]\np = \"{1}*p - {2}*p*q\"\nq = "
          "\"{2}*p*q - {1}*q\"\n",
          value(r, 1, 0, 0), value(1, 0, -1, 0), value(dice.uniform(0.5, 2), -1, -1, 0));
      break;
    case 7:
      // Three balls in a row come to rest on a floor, without rebound.
      out.text = falls;
      for (int k = 0; k < 3; ++k)
        out.text += point(fmt::format("b{}", k), m + k, 0, 0.5 + 1.2 * k, 0, dice.uniform(-1, 0));
      out.text += "[constraints]\nfloor = \"b0.y >= 0\"\n";
      for (int k = 1; k < 3; ++k)
        out.text += fmt::format("stack{0} = \"b{0}.y - b{1}.y >= {2}\"\n", k, k - 1, value(1, 1, 0, 0));
      break;
    case 8:
      // The straightest and the variational law: a sled.
      out.text += coordinate("x", 1, 0, 1);
      out.text += coordinate("y", 1, 0, 0);
      out.text += coordinate("turn", 0, 0, dice.uniform(0.5, 2));
      out.text += fmt::format(
          "[energy]\nkinetic = \"{}/2*(x'^2 + y'^2) + {}/2*turn'^2\"\n[constraints]\nedge = {{ condition = "
          "\"x'*sin(turn) - y'*cos(turn) = 0\", law = \"variational\", multiplier = {} }}\n",
          value(m, 0, 0, 1), value(m * r * r, 2, 0, 1), value(dice.uniform(-0.5, 0.5), 1, -1, 1));
      break;
    case 9: {
      // A moving floor lifts and drops a ball.
      const double quick = dice.uniform(4, 9);
      const double lift = dice.uniform(0.1, 0.5);
      out.text = falls + point("a", m, 0, 0, 0, 0);
      out.text += fmt::format("[constraints]\nfloor = \"a.y >= {}*(1 - cos({}*t))\"\n", value(lift, 1, 0, 0),
                              value(quick, 0, -1, 0));
      break;
    }
    case 10:
      // Attraction by two centres, with a wall.
      out.text = point("a", m, r, 0, 0, dice.uniform(0.5, 1.5));
      out.text += fmt::format(
          "[energy]\npotential = \"-{0}/norm(a) - {1}/distance(a, [{2}, 0])\"\n[constraints]\nwall = {{ condition = "
          "\"a.x >= {3}\", restitution = 0.8 }}\n",
          value(m * 2, 3, -2, 1), value(m, 3, -2, 1), value(3, 1, 0, 0), value(-0.5 * r, 1, 0, 0));
      break;
    default:
      // A chain of two strings, thrown: strings tighten one after the other.
      out.text = falls + point("a", m, 0.4 * r, 0, dice.uniform(-2, 2), 1);
      out.text += point("b", 1, 0.8 * r, 0, dice.uniform(-2, 2), 2);
      out.text += fmt::format("[constraints]\none = \"distance(a, [0, 0]) <= {0}\"\ntwo = \"distance(a, b) <= {0}\"\n",
                              value(r, 1, 0, 0));
      break;
  }
  out.until = w.of(out.until, 0, 1, 0);
  out.text += fmt::format("[simulation]\nstart = 0\nuntil = {}\n", number(out.until));
  return out;
}

Case in_other_units(std::uint64_t seed, Written (*written)(std::uint64_t, const Writing&)) {
  Dice dice(seed ^ 0xABCDEF);
  Writing w;
  w.length = dice.among(-60, 60);
  w.time = dice.among(-60, 60);
  w.mass = dice.among(-30, 30);
  const Writing plain;
  const Written a = written(seed, plain);
  const Written b = written(seed, w);
  Case out;
  out.texts = {a.text, b.text};
  out.at_of = {times_of(a, plain), times_of(b, w)};
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    if (tracks[0].status != tracks[1].status)
      return fmt::format("ends {} and, in other units, {}: {}", motion::words(tracks[0].status),
                         motion::words(tracks[1].status), tracks[1].why);
    if (tracks[0].events.size() != tracks[1].events.size())
      return fmt::format("{} events and, in other units, {}", tracks[0].events.size(), tracks[1].events.size());
    for (std::size_t k = 0; k < std::min(tracks[0].asked.size(), tracks[1].asked.size()); ++k) {
      const Sample& one = tracks[0].asked[k];
      const Sample& two = tracks[1].asked[k];
      for (std::size_t i = 0; i < one.q.size(); ++i) {
        const int length = a.lengths.empty() ? 1 : a.lengths[i];
        if (w.of(one.q[i], length, 0, 0) != two.q[i] || w.of(one.v[i], length, -1, 0) != two.v[i])
          return fmt::format(
              "sample {}: {:.17g} and, in other units, {:.17g} (units of 2^{} of length, 2^{} of time, 4^{} of mass)",
              k, one.q[i], std::ldexp(two.q[i], -length * w.length), w.length, w.time, w.mass);
      }
    }
    return "";
  };
  return out;
}

Case units(std::uint64_t seed) { return in_other_units(seed, scene); }
Case units_of_kinds(std::uint64_t seed) { return in_other_units(seed, scene_of_kinds); }

/// Two writings of one scene agree, up to what the rounding of the second allows.
Case said_twice(std::uint64_t seed, const Writing& w, Real allowed) {
  const Writing plain;
  const Written a = scene(seed, plain);
  const Written b = scene(seed, w);
  Case out;
  out.texts = {a.text, b.text};
  out.at_of = {times_of(a, plain), times_of(b, w)};
  const std::size_t n = a.variables;
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (std::size_t k = 0; k < std::min(tracks[0].asked.size(), tracks[1].asked.size()); ++k) {
      const Sample& one = tracks[0].asked[k];
      const Sample& two = tracks[1].asked[k];
      for (std::size_t i = 0; i < n; i += 2) {
        const Real x = static_cast<Real>(two.q[i]) - w.x;
        const Real y = static_cast<Real>(two.q[i + 1]) - w.y;
        const Real off = std::hypot(w.cosine * x + w.sine * y - one.q[i], w.cosine * y - w.sine * x - one.q[i + 1]);
        if (!(off <= allowed))
          return fmt::format("sample {} at t = {:.9g}: off by {:.3g} ({:.2g} allowed)", k, one.time,
                             static_cast<double>(off), static_cast<double>(allowed));
      }
    }
    // How many shocks are listed before their limit is a matter of rounding.
    const auto accumulates = [](const Track& track) {
      return std::any_of(track.events.begin(), track.events.end(),
                         [](const Mark& mark) { return mark.kind == "accumulation"; });
    };
    if (tracks[0].finished() && tracks[1].finished() && !accumulates(tracks[0]) &&
        tracks[0].events.size() != tracks[1].events.size())
      return fmt::format("{} events and {}", tracks[0].events.size(), tracks[1].events.size());
    return "";
  };
  return out;
}

/// Shocks and curvature magnify what the other writing rounds, over the few seconds of these scenes by less than this.
constexpr Real magnified = 1e4L;
constexpr Real agreement = 1e-8L;
constexpr Real touching = 1e-11L;  ///< hops below what counts as touching, 1e-12 of some terms, may be left out

Case time_shift(std::uint64_t seed) {
  Dice dice(seed ^ 0x1357);
  Writing w;
  const double side = dice.sign();
  w.start = side * std::floor(dice.spread(1, 1e9));
  return said_twice(seed, w, agreement + magnified * std::abs(w.start) * 2.3e-16L);
}

Case space_shift(std::uint64_t seed) {
  Dice dice(seed ^ 0x2468);
  Writing w;
  for (double* shift : {&w.x, &w.y}) {
    if (dice.coin()) continue;
    const double side = dice.sign();
    *shift = side * dice.spread(1, 1e6);
  }
  if (dice.coin() || (w.x == 0 && w.y == 0)) {
    const double angle = dice.uniform(-3, 3);
    w.cosine = std::cos(angle);
    w.sine = std::sin(angle);
  }
  return said_twice(seed, w,
                    agreement + magnified * (1 + std::abs(w.x) + std::abs(w.y)) * 2.3e-16L +
                        touching * (std::abs(w.x) + std::abs(w.y)));
}

Case body_beside(std::uint64_t seed) {
  Dice dice(seed ^ 0x3579);
  Writing w;
  const double far = dice.spread(1e-3, 1e12);
  const bool free = dice.coin();
  const double force = free ? 0 : dice.uniform(-1, 1);
  const double speed = dice.spread(1e-6, 1e6);
  const double x = far * dice.sign();
  const double y = far * dice.sign();
  const double mass = dice.spread(1e-9, 1e9);
  w.beside = fmt::format("[points.stranger]\nmass = {}\nposition = {}\nvelocity = {}\nforce = [\"{}*stranger.y\", 0]\n",
                         number(mass), list({x, y}), list({speed, 0}), number(force));
  return said_twice(seed, w, agreement);
}

// ------------------------------------------------------------------------------------------------ systems of the laws

/// The parts of a model file of the laws: points and conditions, each a stretch of text.
struct Parts {
  std::string head;
  std::vector<std::string> points;
  std::string simulation;
  std::vector<std::string> conditions;
};

Parts take_apart(const std::string& text) {
  Parts out;
  const std::size_t first = text.find("[points.");
  const std::size_t simulation = text.find("[simulation]");
  const std::size_t constraints = text.find("[constraints]\n");
  out.head = text.substr(0, first);
  for (std::size_t at = first; at < simulation;) {
    const std::size_t next = std::min(text.find("[points.", at + 1), simulation);
    out.points.push_back(text.substr(at, next - at));
    at = next;
  }
  out.simulation = text.substr(simulation, constraints - simulation);
  for (std::size_t at = constraints + 14; at < text.size();) {
    const std::size_t next = text.find('\n', at) + 1;
    out.conditions.push_back(text.substr(at, next - at));
    at = next;
  }
  return out;
}

std::string put_together(const Parts& parts) {
  std::string out = parts.head;
  for (const auto& point : parts.points) out += point;
  out += parts.simulation + "[constraints]\n";
  for (const auto& condition : parts.conditions) out += condition;
  return out;
}

enum class Change { order, twice, halves, factor };

/// The same condition under another name, of another sense, or with a factor.
std::string rewritten(const std::string& condition, const std::string& end, const std::string& sense,
                      const std::string& factor) {
  const std::size_t name = condition.find(" = {");
  const std::size_t from = condition.find("condition = \"") + 13;
  const std::size_t to = condition.find('"', from);
  const std::string said = condition.substr(from, to - from);
  std::size_t place = std::string::npos;
  std::string old;
  for (const char* word : {" <= ", " >= ", " = "}) {
    place = said.find(word);
    old = word;
    if (place != std::string::npos) break;
  }
  std::string left = said.substr(0, place);
  std::string right = said.substr(place + old.size());
  if (!factor.empty()) left = factor + "*(" + left + ")", right = factor + "*(" + right + ")";
  return condition.substr(0, name) + end + condition.substr(name, from - name) + left + (sense.empty() ? old : sense) +
         right + condition.substr(to);
}

Case system_again(std::uint64_t seed, Change change) {
  Dice dice(seed ^ 0x4321);
  const auto system = laws::random_system(seed);
  const std::size_t d = system.dimension;
  Parts parts = take_apart(laws::model_text(system));
  std::vector<std::size_t> order(system.points.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto equation = [&](const std::string& condition) {
    return condition.find(" = ", condition.find("condition = \"") + 13) <
           condition.find('"', condition.find("condition = \"") + 13);
  };
  if (change == Change::order) {
    std::rotate(order.begin(), order.begin() + dice.below(static_cast<int>(order.size())), order.end());
    std::vector<std::string> points;
    for (const auto k : order) points.push_back(parts.points[k]);
    parts.points = points;
    std::rotate(
        parts.conditions.begin(),
        parts.conditions.begin() + dice.below(static_cast<int>(parts.conditions.size()) + 1) %
                                       static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, parts.conditions.size())),
        parts.conditions.end());
    std::reverse(parts.conditions.begin(), parts.conditions.end());
  } else if (!parts.conditions.empty()) {
    const auto k = static_cast<std::size_t>(dice.below(static_cast<int>(parts.conditions.size())));
    const std::string condition = parts.conditions[k];
    const std::string factor = number(dice.spread(1e-6, 1e6));
    if (change == Change::twice)
      parts.conditions.push_back(rewritten(condition, "_again", "", dice.coin() ? "" : number(dice.spread(0.1, 10))));
    if (change == Change::factor) parts.conditions[k] = rewritten(condition, "", "", factor);
    if (change == Change::halves) {
      for (std::size_t j = parts.conditions.size(); j-- > 0;) {
        if (!equation(parts.conditions[j])) continue;
        const std::string both = parts.conditions[j];
        parts.conditions[j] = rewritten(both, "_below", " <= ", "");
        parts.conditions.push_back(rewritten(both, "_above", " >= ", ""));
        break;
      }
    }
  }
  Case out;
  out.texts = {put_together(parts)};
  out.at = {system.until};
  const auto slow = laws::slow_motion(system);
  const auto other = laws::slow_motion(system, 1e-9);
  if (slow.delicate() || slow.end != "finished" || other.end != slow.end || other.events.size() != slow.events.size()) {
    // Nothing to hold it against: the plain model instead.
    out.texts = {"[coordinates.x]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\n"};
    return out;
  }
  Real grown = 0;
  Real size = 1;
  for (std::size_t i = 0; i < slow.position.size(); ++i) {
    grown = std::max(
        {grown, std::abs(slow.position[i] - other.position[i]), std::abs(slow.velocity[i] - other.velocity[i])});
    size = std::max({size, std::abs(slow.position[i]), std::abs(slow.velocity[i])});
  }
  if (grown > 1e-5L) return out;
  Truth truth;
  truth.rows.emplace_back();
  auto& row = truth.rows.back();
  for (const auto k : order) {
    for (std::size_t i = 0; i < d; ++i) {
      row.q.push_back(slow.position[k * d + i]);
      row.v.push_back(slow.velocity[k * d + i]);
    }
  }
  row.allowed_q = row.allowed_v = 1e-10L * size + share_of_nudge * grown;
  out.check = [truth](const std::vector<Track>& tracks) {
    return tracks.front().finished() ? differs(truth, tracks.front()) : "";
  };
  return out;
}

Case permuted(std::uint64_t seed) { return system_again(seed, Change::order); }
Case duplicated(std::uint64_t seed) { return system_again(seed, Change::twice); }
Case in_halves(std::uint64_t seed) { return system_again(seed, Change::halves); }
Case rescaled(std::uint64_t seed) { return system_again(seed, Change::factor); }

}  // namespace

void add_sameness(std::vector<Class>& all) {
  all.push_back({"units", "other units give the same bits, scaled", units, 200, 8000});
  all.push_back({"units-of-kinds",
                 "other units give the same bits, of angles, flows, velocity conditions, friction, accumulations",
                 units_of_kinds, 120, 8000});
  all.push_back({"time-shift", "another origin of time changes nothing", time_shift, 300, 8000});
  all.push_back({"space-shift", "another place and other axes change nothing", space_shift, 300, 8000});
  all.push_back({"body-beside", "a body that touches nothing changes nothing", body_beside, 200, 8000});
  all.push_back({"permuted", "the order of points and conditions changes nothing", permuted, 15, 400});
  all.push_back({"duplicated", "a condition said twice changes nothing", duplicated, 15, 400});
  all.push_back({"in-halves", "an equation said as two inequalities changes nothing", in_halves, 15, 400});
  all.push_back({"rescaled", "a condition times a factor changes nothing", rescaled, 15, 400});
}

}  // namespace zwang::hard
