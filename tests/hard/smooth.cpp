/// Forces and potentials whose series tell little of them: gaps, high powers, things thinner than a step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// One coordinate x of mass m.
std::string along_a_line(double mass, double x, double v, const std::string& force, const std::string& potential,
                         double until, const std::string& more = "") {
  std::string out = fmt::format("[coordinates.x]\ninitial = {}\nvelocity = {}\n", number(x), number(v));
  if (!force.empty()) out += fmt::format("force = \"{}\"\n", force);
  out += fmt::format("[energy]\nkinetic = \"({})/2*x'^2\"\n", number(mass));
  if (!potential.empty()) out += fmt::format("potential = \"{}\"\n", potential);
  return out + fmt::format("[simulation]\nuntil = {}\n{}", number(until), more);
}

Case even_powers(std::uint64_t seed) {
  Dice dice(seed);
  const int power = 2 * dice.among(2, 14);
  const double mass = dice.spread(0.25, 4);
  const double stiff = dice.spread(0.25, 4);
  const double x = dice.coin() ? 0 : dice.uniform(-0.9, 0.9);
  const double v = dice.sign() * dice.uniform(0.2, 2);
  const double until = dice.uniform(3, 10);
  const auto at = even_times(0, until, sample_count);
  return against(along_a_line(mass, x, v, "", fmt::format("{}*x^{}/{}", number(stiff), power, power), until), at,
                 integrated(at, {x}, {v}, [=](Real, const Real* q, const Real*, Real* a) {
                   Real p = 1;
                   for (int k = 1; k < power; ++k) p *= q[0];
                   a[0] = -stiff / mass * p;
                 }));
}

Case cosine_of_a_square(std::uint64_t seed) {
  Dice dice(seed);
  const double high = dice.spread(0.3, 3);
  const double x = dice.coin() ? 0 : dice.uniform(-1, 1);
  const double v = dice.uniform(0.2, 0.9) * std::sqrt(4 * high) * dice.sign();
  const double until = dice.uniform(3, 10);
  const int power = dice.among(2, 4);
  const auto at = even_times(0, until, sample_count);
  return against(along_a_line(1, x, v, "", fmt::format("{}*(1 - cos(x^{}))", number(high), power), until), at,
                 integrated(at, {x}, {v}, [=](Real, const Real* q, const Real*, Real* a) {
                   a[0] = -high * std::sin(std::pow(q[0], power)) * power * std::pow(q[0], power - 1);
                 }));
}

Case force_of_powers_of_time(std::uint64_t seed) {
  Dice dice(seed);
  const double size = dice.spread(0.3, 3);
  const double until = dice.uniform(2, 6);
  const double v = dice.coin() ? 0 : dice.uniform(-1, 1);
  const bool outside = dice.coin();
  const int power = outside ? 2 * dice.among(6, 16) : dice.among(2, 4);
  const double spring = dice.coin() ? 0 : dice.uniform(0.5, 5);
  const std::string wave = outside ? fmt::format("sin(t)^{}", power) : fmt::format("sin(t^{})", power);
  const auto at = even_times(0, until, sample_count);
  return against(along_a_line(1, 0.5, v, fmt::format("{}*{} - {}*x", number(size), wave, number(spring)), "", until),
                 at, integrated(at, {0.5}, {v}, [=](Real t, const Real* q, const Real*, Real* a) {
                   Real p = 1;
                   const Real base = outside ? std::sin(t) : t;
                   for (int k = 0; k < power; ++k) p *= base;
                   a[0] = size * (outside ? p : std::sin(p)) - spring * q[0];
                 }));
}

/// A stretch of width w about c is looked into; far from it the step may be a part of the way there.
Longest sees(Real c, Real w) {
  return [=](Real t, const Vector&) { return std::max(w / 2, (std::abs(c - t) - 8 * w) * 0.9L); };
}
Longest sees_on_both_sides(Real c, Real w) {
  return [=](Real t, const Vector&) { return std::max(w / 2, (std::abs(c - t) - 8 * w) * 0.5L); };
}

Case kick(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(3, 10);
  const double c = dice.uniform(0.1, 0.9) * until;
  const double w = until * dice.spread(1e-6, 0.05);
  const double v = dice.coin() ? 0 : dice.uniform(-1, 1);
  const double blow = dice.sign() * dice.uniform(0.3, 3);  // the momentum it gives
  const double size = blow / (w * std::sqrt(std::numbers::pi));
  const double spring = dice.coin() ? 0 : dice.uniform(0.5, 5);
  const auto at = even_times(0, until, sample_count);
  return against(
      along_a_line(1, 0.5, v,
                   fmt::format("{}*exp(-((t - {})/{})^2) - {}*x", number(size), number(c), number(w), number(spring)),
                   "", until),
      at,
      integrated(
          at, {0.5}, {v},
          [=](Real t, const Real* q, const Real*, Real* a) {
            const Real u = (t - c) / w;
            a[0] = size * std::exp(-u * u) - spring * q[0];
          },
          sees(c, w)));
}

Case switched_force(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(3, 10);
  const double c = dice.uniform(0.1, 0.9) * until;
  const double w = until * dice.spread(1e-6, 0.05);
  const double v = dice.coin() ? 0 : dice.uniform(-1, 1);
  const double size = dice.sign() * dice.uniform(0.3, 3);
  const double spring = dice.coin() ? 0 : dice.uniform(0.5, 5);
  const auto at = even_times(0, until, sample_count);
  return against(along_a_line(1, 0.5, v,
                              fmt::format("{}*(1 + tanh((t - {})/{}))/2 - {}*x", number(size), number(c), number(w),
                                          number(spring)),
                              "", until),
                 at,
                 integrated(
                     at, {0.5}, {v},
                     [=](Real t, const Real* q, const Real*, Real* a) {
                       a[0] = size * (1 + std::tanh((t - c) / w)) / 2 - spring * q[0];
                     },
                     sees_on_both_sides(c, 3 * w)));
}

Case thin_hill(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(3, 10);
  const double v = dice.sign() * dice.uniform(0.5, 2);
  const double c = v * dice.uniform(0.2, 0.8) * until;
  const double w = std::abs(v) * until * dice.spread(1e-6, 0.05);
  // Passed, or turned back; not nearly stopped on the top.
  const double height =
      v * v / 2 * (dice.coin() ? dice.uniform(0.2, 0.9) : dice.uniform(1.1, 3)) * (dice.below(4) == 0 ? -1 : 1);
  const auto at = even_times(0, until, sample_count);
  // Measured from the hill, so that rounding is small beside its width.
  Truth truth = integrated(
      at, {-c}, {v},
      [=](Real, const Real* q, const Real*, Real* a) {
        const Real u = q[0] / w;
        a[0] = 2 * height / w * u * std::exp(-u * u);
      },
      [=](Real, const Vector& y) {
        return std::max(static_cast<Real>(w) / 4, (std::abs(y[0]) - 8 * w) * 0.5L) / (2 * std::abs(v));
      });
  for (auto& row : truth.rows) row.q[0] += c;
  return against(
      along_a_line(1, 0, v, "", fmt::format("{}*exp(-((x - {})/{})^2)", number(height), number(c), number(w)), until),
      at, std::move(truth));
}

Case steep_friction(std::uint64_t seed) {
  Dice dice(seed);
  const double until = dice.uniform(2, 6);
  const double friction = dice.uniform(0.5, 3);
  const double w = dice.spread(0.01, 0.3);
  const double v = dice.uniform(-2, 2);
  const double drive = dice.uniform(0.5, 4);
  const double pace = dice.uniform(0.5, 3);
  const auto at = even_times(0, until, sample_count);
  return against(along_a_line(1, 0.25, v,
                              fmt::format("-{}*tanh(x'/{}) + {}*sin({}*t)", number(friction), number(w), number(drive),
                                          number(pace)),
                              "", until),
                 at,
                 integrated(
                     at, {0.25}, {v},
                     [=](Real t, const Real*, const Real* u, Real* a) {
                       a[0] = -friction * std::tanh(u[0] / w) + drive * std::sin(pace * t);
                     },
                     [=](Real, const Vector& y) {
                       return (static_cast<Real>(w) + std::max<Real>(0, std::abs(y[1]) - 4 * w)) / (friction + drive);
                     }));
}

/// On a circle of radius r about the origin, with friction, gravity and a driving force; truth in the angle.
Case damped_on_a_circle(std::uint64_t seed) {
  Dice dice(seed);
  const double r = dice.spread(0.5, 2);
  const double mass = dice.spread(0.5, 2);
  const double damping = dice.spread(0.1, 50);
  const bool squares = dice.coin();
  const double gravity = dice.coin() ? 0 : 9.81;
  const double push = dice.coin() ? 0 : dice.uniform(-5, 5);
  const double angle = dice.uniform(-3, 3);
  const double spin = dice.uniform(-4, 4);
  const double until = dice.uniform(3, 20);
  const auto at = even_times(0, until, sample_count);
  const double x = r * std::sin(angle);
  const double y = -r * std::cos(angle);
  const std::string text = fmt::format(
      "gravity = [0, {}]\n[points.a]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\nforce = [\"-{}*a.x' + {}\", "
      "\"-{}*a.y'\"]\n[constraints]\ncircle = \"{}\"\n[simulation]\nuntil = {}\ntolerance = "
      "1e-13\n",
      number(-gravity), number(mass), number(x), number(y), number(spin * -y), number(spin * x), number(damping),
      number(push), number(damping),
      squares ? fmt::format("a.x^2 + a.y^2 = {}", number(r * r)) : fmt::format("distance(a, [0, 0]) = {}", number(r)),
      number(until));
  const auto law = [=](Real, const Vector& s, Vector& rate) {
    rate[0] = s[1];
    rate[1] = -damping / mass * s[1] - gravity / r * std::sin(s[0]) + push / (mass * r) * std::cos(s[0]);
  };
  const auto tension = std::make_shared<std::vector<Real>>();
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        // The angle that the rounded start has.
        Vector s = {std::atan2(static_cast<Real>(x), -static_cast<Real>(y)), spin * (nudged ? 1 + nudge : 1)};
        Real t = 0;
        for (const double time : times) {
          integrate(law, t, s, time);
          const Real sine = std::sin(s[0]);
          const Real cosine = std::cos(s[0]);
          q.push_back({r * sine, -r * cosine});
          v.push_back({r * s[1] * cosine, r * s[1] * sine});
          // The multiplier of the squares is that of the distance over 2 r.
          if (!nudged)
            tension->push_back((mass * r * s[1] * s[1] + mass * gravity * cosine + push * sine) /
                               (squares ? 2 * r : 1));
        }
      }));
  out.conditions.push_back({"circle", true, 1e-11L * r, [=](const Sample& s) {
                              return std::hypot(static_cast<Real>(s.q[0]), static_cast<Real>(s.q[1])) - r;
                            }});
  out.conditions.push_back({"rate of the circle", true, 1e-11L * (r + std::abs(spin) * r), [=](const Sample& s) {
                              return (static_cast<Real>(s.q[0]) * s.v[0] + static_cast<Real>(s.q[1]) * s.v[1]) / r;
                            }});
  out.check = [first = out.check, tension](const std::vector<Track>& tracks) -> std::string {
    if (std::string words = first(tracks); !words.empty()) return words;
    Real size = 0;
    for (std::size_t k = 0; k < tracks.front().asked.size() && k < tension->size(); ++k) {
      size = std::max(size, std::abs((*tension)[k]));
      const Real off = std::abs(tracks.front().asked[k].multipliers[0] - (*tension)[k]);
      if (!(off <= 1e-9L * size))
        return fmt::format("the multiplier at t = {:.9g} is off by {:.2g}", tracks.front().asked[k].time,
                           static_cast<double>(off));
    }
    return "";
  };
  return out;
}

/// On a sphere about the origin; truth by m a = X - lambda q with lambda from |q|^2 = r^2, projected by the test itself.
Case damped_on_a_sphere(std::uint64_t seed) {
  Dice dice(seed);
  const double r = dice.spread(0.5, 2);
  const double damping = dice.spread(0.05, 50);
  const bool squares = dice.coin();
  const double gravity = dice.coin() ? 0 : 9.81;
  const double push = dice.coin() ? 0 : dice.uniform(-5, 5);
  const double polar = dice.uniform(0.3, 2.8);
  const double around = dice.uniform(-3, 3);
  const std::vector<double> q0 = {r * std::sin(polar) * std::cos(around), r * std::sin(polar) * std::sin(around),
                                  r * std::cos(polar)};
  const std::vector<double> turn = {dice.uniform(-2, 2), dice.uniform(-2, 2), dice.uniform(-2, 2)};
  const std::vector<double> v0 = {turn[1] * q0[2] - turn[2] * q0[1], turn[2] * q0[0] - turn[0] * q0[2],
                                  turn[0] * q0[1] - turn[1] * q0[0]};
  const double until = dice.uniform(3, 15);
  const auto at = even_times(0, until, sample_count);
  const std::string text = fmt::format(
      "gravity = [0, 0, {}]\n[points.a]\nmass = 1\nposition = {}\nvelocity = {}\nforce = [\"-{}*a.x' + {}\", "
      "\"-{}*a.y'\", "
      "\"-{}*a.z'\"]\n[constraints]\nsphere = \"{}\"\n[simulation]\nuntil = {}\ntolerance = "
      "1e-13\n",
      number(-gravity), list(q0), list(v0), number(damping), number(push), number(damping), number(damping),
      squares ? fmt::format("a.x^2 + a.y^2 + a.z^2 = {}", number(r * r))
              : fmt::format("distance(a, [0, 0, 0]) = {}", number(r)),
      number(until));
  Truth truth =
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        Vector y(6);
        for (std::size_t i = 0; i < 3; ++i) y[i] = q0[i], y[3 + i] = v0[i] * (nudged ? 1 + nudge : 1);
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          const Real X[3] = {-damping * s[3] + push, -damping * s[4], -damping * s[5] - gravity};
          Real radial = 0;
          Real square = 0;
          Real norm = 0;
          for (std::size_t i = 0; i < 3; ++i) radial += X[i] * s[i], square += s[3 + i] * s[3 + i], norm += s[i] * s[i];
          const Real lambda = (radial + square) / norm;
          for (std::size_t i = 0; i < 3; ++i) rate[i] = s[3 + i], rate[3 + i] = X[i] - lambda * s[i];
        };
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, y, time);
          Real norm = 0;
          Real radial = 0;
          for (std::size_t i = 0; i < 3; ++i) norm += y[i] * y[i];
          for (std::size_t i = 0; i < 3; ++i) y[i] *= r / std::sqrt(norm);
          for (std::size_t i = 0; i < 3; ++i) radial += y[i] * y[3 + i] / (r * r);
          for (std::size_t i = 0; i < 3; ++i) y[3 + i] -= radial * y[i];
          q.push_back({y[0], y[1], y[2]});
          v.push_back({y[3], y[4], y[5]});
        }
      });
  Case out = against(text, at, std::move(truth));
  out.conditions.push_back({"sphere", true, 1e-11L * r, [=](const Sample& s) {
                              return std::sqrt(static_cast<Real>(s.q[0]) * s.q[0] + static_cast<Real>(s.q[1]) * s.q[1] +
                                               static_cast<Real>(s.q[2]) * s.q[2]) -
                                     r;
                            }});
  return out;
}

}  // namespace

void add_smooth(std::vector<Class>& all) {
  all.push_back({"even-powers", "a point in a potential of an even power swings for ever", even_powers, 60, 4000});
  all.push_back(
      {"cosine-of-a-square", "a point in the potential 1 - cos(x^n) keeps its energy", cosine_of_a_square, 40, 2000});
  all.push_back({"powers-of-time", "a force sin(t^n) or sin(t)^n drives a point", force_of_powers_of_time, 40, 2000});
  all.push_back({"kick", "a kick of any shortness gives its momentum", kick, 30, 1000});
  all.push_back({"switch", "a force that is switched on in any shortness acts from then on", switched_force, 60, 4000});
  all.push_back({"thin-hill", "a thin hill slows a point, or turns it back", thin_hill, 40, 2000});
  all.push_back(
      {"steep-friction", "steep friction slows a driven point and holds it nearly", steep_friction, 30, 1000});
  all.push_back({"damped-circle", "damped motion on a circle is that of its angle", damped_on_a_circle, 60, 3000});
  all.push_back({"damped-sphere", "damped motion on a sphere stays on it", damped_on_a_sphere, 60, 3000});
}

}  // namespace zwang::hard
