/// Switches nested in one another and surfaces that a flow slides on, against piecewise closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// Positions and velocities from x(t), v(t) for a start moved by `nudge`.
Truth of_functions(const std::vector<double>& at, const std::function<void(Real, Real, Vector&, Vector&)>& motion) {
  return truth_of(at,
                  [=](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
                    for (const double time : times) {
                      q.emplace_back();
                      v.emplace_back();
                      motion(nudged ? nudge : 0, time, q.back(), v.back());
                    }
                  });
}

/// A force that is `a` on the first part c of every period P and `b` on the rest, said in several ways.
Case square_wave(std::uint64_t seed) {
  Dice dice(seed);
  const double period = dice.grid(16, 160);
  const double part = period * dice.uniform(0.1, 0.9);
  const double a = dice.uniform(-3, 3);
  const double b = dice.uniform(-3, 3);
  const double x = dice.uniform(-1, 1);
  const double v = dice.uniform(-1, 1);
  const double until = period * dice.uniform(2.1, 9.9);
  const std::string saw = fmt::format("mod(t, {})", number(period));
  const std::string mean = fmt::format("({} + {})/2", number(a), number(b));
  const std::string half = fmt::format("({} - {})/2", number(a), number(b));
  std::string force;
  switch (dice.below(5)) {
    case 0: force = fmt::format("if({} < {}, {}, {})", saw, number(part), number(a), number(b)); break;
    case 1: force = fmt::format("{} - {}*sign({} - {})", mean, half, saw, number(part)); break;
    case 2:
      force = fmt::format("{} + ({} - {})*step({} - {})", number(a), number(b), number(a), saw, number(part));
      break;
    case 3:
      force = fmt::format("{} + ({} - {})*floor(1 + ({} - {})/{})", number(a), number(b), number(a), saw, number(part),
                          number(period));
      break;
    default:
      force = fmt::format("if(floor(1 + ({} - {})/{}) >= 1, {}, {})", saw, number(part), number(period), number(b),
                          number(a));
      break;
  }
  const auto at = even_times(0, until, sample_count);
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = {}\nvelocity = {}\nforce = \"{}\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\n"
      "until = {}\n",
      number(x), number(v), force, number(until));
  return against(text, at, of_functions(at, [=](Real off, Real t, Vector& q, Vector& r) {
                   Real place = x + off;
                   Real speed = v;
                   Real from = 0;
                   for (long k = 0; from < t; ++k) {
                     const Real next = (static_cast<Real>(k / 2)) * period + (k % 2 == 0 ? part : period);
                     const Real s = std::min(next, t) - from;
                     const Real acceleration = k % 2 == 0 ? a : b;
                     place += speed * s + acceleration * s * s / 2;
                     speed += acceleration * s;
                     from = next;
                   }
                   q = {place};
                   r = {speed};
                 }));
}

/// A point that runs over a washboard: the force is +F on one half of every cell of length P and -F on the other.
Case washboard(std::uint64_t seed) {
  Dice dice(seed);
  const double cell = dice.grid(16, 160);
  const double force = dice.sign() * dice.spread(0.2, 3);
  const double x = cell * dice.uniform(0.05, 0.45);
  // Fast enough never to turn.
  const double v = dice.sign() * std::sqrt(2 * std::abs(force) * cell) * dice.uniform(1.1, 3);
  const double until = dice.uniform(3, 12) * cell / std::abs(v);
  const std::string saw = fmt::format("mod(x, {})", number(cell));
  std::string text;
  switch (dice.below(3)) {
    case 0: text = fmt::format("{}*sign({} - {})", number(-force), saw, number(cell / 2)); break;
    case 1: text = fmt::format("if({} < {}, {}, {})", saw, number(cell / 2), number(force), number(-force)); break;
    default: text = ""; break;
  }
  // The same as a potential with kinks: -F (P/2 - |mod(x, P) - P/2|).
  const std::string potential =
      text.empty() ? fmt::format("potential = \"{}*abs({} - {})\"\n", number(force), saw, number(cell / 2)) : "";
  const std::string all = fmt::format(
      "[coordinates.x]\ninitial = {}\nvelocity = {}\n{}[energy]\nkinetic = \"x'^2/2\"\n{}[simulation]\nuntil = {}\n",
      number(x), number(v), text.empty() ? "" : fmt::format("force = \"{}\"\n", text), potential, number(until));
  const auto at = even_times(0, until, sample_count);
  return against(all, at, of_functions(at, [=](Real off, Real t, Vector& q, Vector& r) {
                   const Real half = static_cast<Real>(cell) / 2;
                   const Real forth = v > 0 ? 1 : -1;
                   Real place = x + off;
                   Real speed = v;
                   Real left = t;
                   auto k = static_cast<long>(std::floor(place / half));
                   while (true) {
                     const Real acceleration = (k % 2 == 0) ? force : -force;
                     // To the edge ahead, with the speed there from the energy.
                     const Real edge = (v > 0 ? k + 1 : k) * half;
                     const Real speed_there = forth * std::sqrt(speed * speed + 2 * acceleration * (edge - place));
                     const Real takes = 2 * (edge - place) / (speed + speed_there);
                     if (takes >= left) {
                       q = {place + speed * left + acceleration * left * left / 2};
                       r = {speed + acceleration * left};
                       return;
                     }
                     left -= takes;
                     place = edge;
                     speed = speed_there;
                     k += v > 0 ? 1 : -1;
                   }
                 }));
}

/// x' = 1, y' = c - B sign(y - b x): to the line, along it, and away from it where c has grown too large.
Case sliding_flow(std::uint64_t seed) {
  Dice dice(seed);
  const double push = dice.uniform(0.5, 3);
  const double slope = dice.uniform(-0.9, 0.9) * push;
  const double y = dice.sign() * dice.uniform(0.3, 2);
  const double growth = dice.coin() ? 0 : dice.uniform(0.2, 1);  // of c = g t from the start
  const double until = dice.uniform(4, 9);
  const auto at = even_times(0, until, sample_count);
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = {}\n[flow]\nx = \"1\"\ny = \"{}*t - {}*sign(y - "
      "({})*x)\"\n[simulation]\nuntil = {}\n",
      number(y), number(growth), number(push), number(slope), number(until));
  return against(text, at, of_functions(at, [=](Real off, Real t, Vector& q, Vector& r) {
                   const Real g = growth;
                   const Real start = y + off;
                   const Real side = start > 0 ? 1 : -1;
                   // u = y - b x: u' = g t - side B - b until u = 0; |g t - b| <= B on the line.
                   const Real fall = -side * push - slope;
                   Real meets = -1;
                   if (g == 0) {
                     meets = -start / fall;
                   } else {
                     const Real root = fall * fall - 2 * g * start;
                     if (root >= 0) {
                       const Real one = (-fall - std::sqrt(root)) / g;
                       const Real other = (-fall + std::sqrt(root)) / g;
                       meets = one >= 0 ? one : other;
                     }
                   }
                   q = {t, start + g * t * t / 2 - side * push * t};
                   r = {1, g * t - side * push};
                   if (!(meets >= 0) || t <= meets) return;
                   // From below it may be passed at once.
                   const Real leaves =
                       g > 0 ? std::max((push + slope) / g, meets) : std::numeric_limits<Real>::infinity();
                   if (t <= leaves) {
                     q[1] = slope * t;
                     r[1] = slope;
                   } else {
                     q[1] = slope * leaves + g * (t * t - leaves * leaves) / 2 - push * (t - leaves);
                     r[1] = g * t - push;
                   }
                 }));
}

constexpr Real agreement =
    1e-8L;  ///< hops below what counts as touching may be left out of one writing and not of the other
constexpr Real of_a_nudge = 100;       ///< the second writing with its start moved: what the motion magnifies
constexpr double moved = 1e-11;        ///< of that start
constexpr Real too_far_apart = 1e-4L;  ///< where the nudge has grown to this nothing more is compared

std::size_t samples_of_all(const std::vector<Track>& tracks) {
  std::size_t least = tracks[0].asked.size();
  for (const Track& track : tracks) least = std::min(least, track.asked.size());
  return least;
}

/// A point comes down into one valley of a ground that repeats itself, said in any way; the same as two conditions.
Case valley(std::uint64_t seed) {
  Dice dice(seed);
  const double cell = dice.grid(32, 128);
  const double bottom = cell * dice.uniform(0.25, 0.75);
  const double left = dice.uniform(0.3, 3);
  const double right = left * bottom / (cell - bottom);
  const double rim = left * bottom;
  const double g = 9.81;
  const double tilt = dice.coin() ? 0 : dice.uniform(-0.2, 0.2) * std::min(left, right);
  const double restitution = std::array{0.0, 0.0, 0.3, 0.5}[static_cast<std::size_t>(dice.below(4))];
  // So low and slow that it stays in its cell.
  const double x = dice.below(5) == 0 ? bottom : bottom + dice.uniform(-0.3, 0.3) * std::min(bottom, cell - bottom);
  const double ground = std::max(left * (bottom - x), right * (x - bottom)) + tilt * x;
  const double y = ground + (dice.coin() ? 0 : dice.uniform(0, 0.2) * rim);
  const double fast = std::sqrt(2 * g * 0.1 * rim);
  const bool thrown = dice.coin();
  const double vx = thrown ? dice.uniform(-1, 1) * fast : 0;
  const double vy = thrown ? dice.uniform(-1, 0) * fast : 0;
  const double damping = dice.coin() ? 0 : dice.uniform(0.1, 2);
  const double until = 20 * std::sqrt(rim / g);

  const std::string saw =
      dice.coin() ? fmt::format("mod(a.x, {})", number(cell)) : fmt::format("(a.x - {0}*floor(a.x/{0}))", number(cell));
  const std::string down = fmt::format("{}*({} - {})", number(left), number(bottom), saw);
  const std::string up = fmt::format("{}*({} - {})", number(right), saw, number(bottom));
  std::string text;
  switch (dice.below(5)) {
    case 0: text = fmt::format("max({}, {})", down, up); break;
    case 1: text = fmt::format("if({} < {}, {}, {})", saw, number(bottom), down, up); break;
    case 2: text = fmt::format("{} + max(0, {} - ({}))", up, down, up); break;
    case 3:
      text = fmt::format("table({}, [0, {}, {}], [{}, 0, {}])", saw, number(bottom), number(cell), number(rim),
                         number(right * (cell - bottom)));
      break;
    default: text = fmt::format("({0} + {1})/2 + abs({0} - ({1}))/2", down, up); break;
  }
  const auto written = [&](double from, const std::vector<std::string>& conditions) {
    std::string out = fmt::format(
        "gravity = [0, {}]\n[points.a]\nmass = 1\nposition = [{}, {}]\nvelocity = [{}, {}]\nforce = [\"-{}*a.x'\", "
        "0]\n[constraints]\n",
        number(-g), number(from), number(y), number(vx), number(vy), number(damping));
    for (std::size_t k = 0; k < conditions.size(); ++k) {
      out += fmt::format("side{} = {{ condition = \"a.y >= {} + {}*a.x\", restitution = {} }}\n", k, conditions[k],
                         number(tilt), number(restitution));
    }
    return out + fmt::format("[simulation]\nuntil = {}\n", number(until));
  };
  const std::vector<std::string> two = {fmt::format("{}*({} - a.x)", number(left), number(bottom)),
                                        fmt::format("{}*(a.x - {})", number(right), number(bottom))};
  Case out;
  out.texts = {written(x, {text}), written(x, two), written(x + (x < bottom ? moved : -moved), two)};
  out.at = even_times(0, until, sample_count);
  out.conditions.push_back({"side0", false, agreement * 1e-2L, [=](const Sample& sample) {
                              const Real place = sample.q[0] - std::floor(sample.q[0] / cell) * static_cast<Real>(cell);
                              return std::max(left * (bottom - place), right * (place - bottom)) +
                                     tilt * static_cast<Real>(sample.q[0]) - sample.q[1];
                            }});
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    if (!tracks[0].finished()) return fmt::format("ends {}: {}", motion::words(tracks[0].status), tracks[0].why);
    for (std::size_t k = 0; k < samples_of_all(tracks); ++k) {
      Real off = 0;
      Real magnified = 0;
      for (std::size_t i = 0; i < 2; ++i) {
        off = std::max(off, std::abs(static_cast<Real>(tracks[0].asked[k].q[i]) - tracks[1].asked[k].q[i]));
        magnified = std::max(magnified, std::abs(static_cast<Real>(tracks[2].asked[k].q[i]) - tracks[1].asked[k].q[i]));
      }
      if (magnified > too_far_apart) return "";
      if (!(off <= agreement * rim + of_a_nudge * magnified))
        return fmt::format("at t = {:.9g} off by {:.3g} from two conditions", tracks[0].asked[k].time,
                           static_cast<double>(off));
    }
    return "";
  };
  return out;
}

/// Bodies in a row, each rubbing on the ground and on its neighbours: more surfaces than bodies come to rest at once.
struct Rubbing {
  struct Friction {
    int a = 0;
    int b = -1;  // the ground
    double load = 0;
  };
  std::vector<double> mass, amplitude, frequency, phase, spring, start;
  std::vector<Friction> frictions;
};

constexpr double still = 1e-10;  ///< what a place and a speed of about one may be off by where they come to rest

constexpr Real step_of_rubbing = 5e-4L;      ///< of the second route
constexpr int sweeps_of_rubbing = 60;        ///< over all frictions in each of its steps
constexpr Real allowed_of_rubbing = 0.005L;  ///< ten of its steps, on lengths of about one

/// Moreau's time stepping: the velocities at the end of a step are those that the frictions, each within its load, slow down most.
std::vector<Vector> rub(const Rubbing& model, const std::vector<double>& at) {
  const std::size_t n = model.mass.size();
  Vector q(n, 0);
  Vector v(model.start.begin(), model.start.end());
  Vector impulse(model.frictions.size(), 0);
  std::vector<Vector> out;
  Real t = 0;
  for (const double time : at) {
    const auto steps = static_cast<long>(std::ceil((time - t) / step_of_rubbing));
    const Real h = steps > 0 ? (time - t) / static_cast<Real>(steps) : 0;
    for (long k = 0; k < steps; ++k, t += h) {
      const Vector before = v;
      for (std::size_t i = 0; i < n; ++i) {
        const Real middle = q[i] + h / 2 * v[i];
        v[i] += h *
                (model.amplitude[i] * std::sin(model.frequency[i] * (t + h / 2) + model.phase[i]) -
                 model.spring[i] * middle) /
                model.mass[i];
      }
      const auto press = [&](std::size_t c, Real change) {
        const Rubbing::Friction& one = model.frictions[c];
        v[static_cast<std::size_t>(one.a)] -= change / model.mass[static_cast<std::size_t>(one.a)];
        if (one.b >= 0) v[static_cast<std::size_t>(one.b)] += change / model.mass[static_cast<std::size_t>(one.b)];
      };
      for (std::size_t c = 0; c < impulse.size(); ++c) press(c, impulse[c]);
      for (int sweep = 0; sweep < sweeps_of_rubbing; ++sweep) {
        for (std::size_t c = 0; c < impulse.size(); ++c) {
          const Rubbing::Friction& one = model.frictions[c];
          Real speed = v[static_cast<std::size_t>(one.a)];
          Real soft = 1 / static_cast<Real>(model.mass[static_cast<std::size_t>(one.a)]);
          if (one.b >= 0) {
            speed -= v[static_cast<std::size_t>(one.b)];
            soft += 1 / static_cast<Real>(model.mass[static_cast<std::size_t>(one.b)]);
          }
          const Real most = one.load * h;
          const Real next = std::clamp(impulse[c] + speed / soft, -most, most);
          press(c, next - impulse[c]);
          impulse[c] = next;
        }
      }
      for (std::size_t i = 0; i < n; ++i) q[i] += h * (before[i] + v[i]) / 2;
    }
    out.push_back(q);
  }
  return out;
}

Case rubbing(std::uint64_t seed) {
  Dice dice(seed);
  Rubbing model;
  const int n = 2 + dice.below(2);
  std::string text;
  for (int i = 0; i < n; ++i) {
    model.mass.push_back(dice.among(1, 3));
    model.amplitude.push_back(dice.uniform(0.2, 3));
    model.frequency.push_back(dice.uniform(0.5, 4));
    model.phase.push_back(dice.uniform(0, 3));
    model.spring.push_back(dice.uniform(0, 2));
    model.start.push_back(dice.coin() ? dice.uniform(-1, 1) : 0.0);
    model.frictions.push_back({i, -1, dice.uniform(0.2, 1.5)});
    if (i + 1 < n) model.frictions.push_back({i, i + 1, dice.uniform(0.2, 1.5)});
  }
  std::string kinetic;
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::string force = fmt::format("{}*sin({}*t + {}) - {}*x{}", number(model.amplitude[k]),
                                    number(model.frequency[k]), number(model.phase[k]), number(model.spring[k]), i);
    for (const Rubbing::Friction& one : model.frictions) {
      const std::string speed = one.b < 0 ? fmt::format("x{}'", one.a) : fmt::format("x{}' - x{}'", one.a, one.b);
      if (one.a == i) force += fmt::format(" - {}*sign({})", number(one.load), speed);
      if (one.b == i) force += fmt::format(" + {}*sign({})", number(one.load), speed);
    }
    text += fmt::format("[coordinates.x{}]\ninitial = 0\nvelocity = {}\nforce = \"{}\"\n", i, number(model.start[k]),
                        force);
    kinetic += fmt::format("{}{}/2*x{}'^2", i == 0 ? "" : " + ", number(model.mass[k]), i);
  }
  const double until = 4;
  text += fmt::format("[energy]\nkinetic = \"{}\"\n[simulation]\nuntil = {}\n", kinetic, number(until));
  Case out;
  out.texts = {text};
  out.at = even_times(0, until, sample_count);
  const std::vector<double> at = out.at;
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    if (!tracks[0].finished()) return fmt::format("ends {}: {}", motion::words(tracks[0].status), tracks[0].why);
    const std::vector<Vector> truth = rub(model, at);
    for (std::size_t k = 0; k < tracks[0].asked.size(); ++k) {
      for (std::size_t i = 0; i < truth[k].size(); ++i) {
        const Real off = std::abs(truth[k][i] - tracks[0].asked[k].q[i]);
        if (!(off <= allowed_of_rubbing))
          return fmt::format("at t = {:.9g} x{} is off by {:.3g}", at[k], i, static_cast<double>(off));
      }
    }
    return "";
  };
  return out;
}

/// A block with dry friction on a table that is shaken: v' = -mu sign(v - a cos(w t)).
struct Shaken {
  Real mu = 0, a = 0, w = 0;

  [[nodiscard]] Real table(Real t) const { return a * std::cos(w * t); }
  /// From (t, x, v) to `until`, sticking (side 0) or sliding on a side of the table's speed.
  void move(Real& t, Real& x, Real& v, int& side, Real until) const {
    const Real least = 1e-7L / w;  // after a slip the speeds part as s^2
    while (t < until) {
      Real next = until;
      if (side == 0) {
        // It is torn off where the table's acceleration reaches mu, on the way up.
        if (a * w > mu) {
          const Real phase = std::asin(mu / (a * w));
          Real half = std::floor((w * t - phase) / pi) + 1;
          if (half * pi + phase <= w * (t + least)) half += 1;
          next = std::min(until, (half * pi + phase) / w);
        }
        x += a / w * (std::sin(w * next) - std::sin(w * t));
        t = next;
        v = table(t);
        if (t < until) side = std::sin(w * t) > 0 ? 1 : -1;
        continue;
      }
      const auto gap = [&](Real at) { return side * (v - side * mu * (at - t) - table(at)); };
      const Real look = 0.01L / w;
      Real low = std::min(t + least, until);
      while (low < until && gap(std::min(low + look, until)) > 0) low = std::min(low + look, until);
      if (low < until) {
        Real high = std::min(low + look, until);
        for (int round = 0; round < 70; ++round) {
          const Real middle = (low + high) / 2;
          (gap(middle) > 0 ? low : high) = middle;
        }
        next = high;
      }
      const bool meets = low < until;
      x += v * (next - t) - side * mu * (next - t) * (next - t) / 2;
      v -= side * mu * (next - t);
      t = next;
      if (!meets) continue;
      const Real needed = -a * w * std::sin(w * t);
      side = std::abs(needed) <= mu ? 0 : (needed > 0 ? -1 : 1);
    }
  }
};

Case shaken_block(std::uint64_t seed) {
  Dice dice(seed);
  const double mu = dice.uniform(0.5, 8);
  const double a = dice.uniform(0.3, 2);
  const double w = dice.uniform(1, 9);
  // Soon after a slip, or anywhere.
  double until = dice.uniform(20, 100);
  if (dice.coin() && a * w > mu) {
    const double half = static_cast<double>(pi) / w;
    until = half * std::ceil(until / half) + std::asin(mu / (a * w)) / w + dice.spread(1e-4, 0.3) * half;
  }
  const auto at = even_times(0, until, sample_count);
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = 0\nforce = \"-{}*sign(x' - {}*cos({}*t))\"\n[energy]\nkinetic = "
      "\"x'^2/2\"\n[simulation]\nuntil = {}\n",
      number(mu), number(a), number(w), number(until));
  const Shaken model{mu, a, w};
  return against(
      text, at,
      truth_of(at, [=](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        Real t = 0;
        Real place = 0;
        Real speed = nudged ? nudge : 0;
        int side = -1;
        for (const double time : times) {
          model.move(t, place, speed, side, time);
          q.push_back({place});
          v.push_back({speed});
        }
      }));
}

/// Preloaded springs and dry friction bring a body to rest at x = 0 by infinitely many switches, and hold it against a shaking or a pull.
Case twisting(std::uint64_t seed) {
  Dice dice(seed);
  const double friction = dice.uniform(0.3, 2);
  const double spring = friction + dice.uniform(0.5, 3);
  const double most = 0.8 * std::min(friction, spring - friction);
  const double shaking = dice.uniform(0.05, 1) * most;
  const double frequency = dice.uniform(0.5, 8);
  const double x = dice.sign() * dice.uniform(0.1, 2);
  const double v = dice.uniform(-2, 2);
  // |x'| where x = 0 falls by the factor r from one passage to the next at least: the rest is a geometric sum.
  const double r = std::sqrt((spring - friction + shaking) / (spring + friction - shaking));
  const double first = std::sqrt(v * v + 2 * (spring + friction + shaking) * std::abs(x));
  const double weakest = spring - friction - shaking;
  const double arrives = (std::abs(v) + first + 2 * first / (1 - r)) / weakest;
  const double until = 1.2 * arrives + 5;
  Case out;
  out.texts = {fmt::format(
      "[coordinates.x]\ninitial = {}\nvelocity = {}\nforce = \"-{}*sign(x) - {}*sign(x') + "
      "{}*sin({}*t)\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = {}\n",
      number(x), number(v), number(spring), number(friction), number(shaking), number(frequency), number(until))};
  out.at = even_times(arrives, until, sample_count);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    if (!tracks[0].finished()) return fmt::format("ends {}: {}", motion::words(tracks[0].status), tracks[0].why);
    for (const Sample& sample : tracks[0].asked) {
      if (!(std::abs(sample.q[0]) <= still) || !(std::abs(sample.v[0]) <= still))
        return fmt::format("at t = {:.9g} it is at {:.3g} with the speed {:.3g}, not at rest", sample.time, sample.q[0],
                           sample.v[0]);
    }
    return "";
  };
  return out;
}

}  // namespace

void add_switching(std::vector<Class>& all) {
  all.push_back({"square-wave", "a force that jumps to and fro in time, said in any way", square_wave, 60, 4000});
  all.push_back({"nested-switch", "a point runs over a washboard of jumps or kinks", washboard, 60, 4000});
  all.push_back({"valley", "a point comes to rest in a valley of a ground that repeats itself", valley, 40, 3000});
  all.push_back({"rubbing", "bodies rub on the ground and on each other, and lock all at once", rubbing, 30, 2000});
  all.push_back(
      {"shaken-block", "a block sticks to a shaken table and slips off it again and again", shaken_block, 40, 2000});
  all.push_back({"twisting", "infinitely many switches of a place and its speed end at rest", twisting, 40, 2000});
  all.push_back({"sliding-flow", "a flow slides on a line that both sides push towards", sliding_flow, 60, 4000});
}

}  // namespace zwang::hard
