/// Forces with roots and powers of what comes to zero: drag that grows with the square of the speed, contacts by a power of the depth.
///
/// norm(v) v and max(-x, 0)^p have continuous first derivatives and nothing more where they vanish: the motion is one, its series is none.
#include <fmt/format.h>

#include <cmath>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

/// A body in the air, from rest or turning: dropped, thrown straight up, pushed by a thrust, on a spring, in a wind that it moves with.
Case square_drag(std::uint64_t seed) {
  Dice dice(seed);
  const int kind = dice.below(5);
  const std::size_t dimension = dice.coin() ? 2 : 3;
  const double mass = dice.spread(0.1, 10);
  const double drag = dice.spread(0.01, 3);
  const double gravity = kind == 2 ? 0.0 : dice.uniform(1, 20);
  const double stiffness = kind == 3 ? dice.uniform(1, 30) : 0.0;
  std::vector<double> q(dimension, 0.0), v(dimension, 0.0), wind(dimension, 0.0), push(dimension, 0.0);
  if (kind == 1) v.back() = dice.uniform(1, 20);
  if (kind == 2) {
    for (double& x : push) x = dice.uniform(-5, 5);
  }
  if (kind == 3) {
    for (double& x : q) x = dice.uniform(-2, 2);
  }
  if (kind == 4) {
    for (double& x : wind) x = dice.uniform(-4, 4);
    v = wind;
  }
  const double until = dice.uniform(1, 5);

  const char* const names[] = {"x", "y", "z"};
  std::string relative;
  for (std::size_t i = 0; i < dimension; ++i)
    relative += fmt::format("{}a.{}' - {}", i > 0 ? ", " : "", names[i], number(wind[i]));
  std::string force;
  std::string down;
  for (std::size_t i = 0; i < dimension; ++i) {
    force += fmt::format("{}\"{} - {}*a.{} - {}*norm([{}])*(a.{}' - {})\"", i > 0 ? ", " : "", number(push[i]),
                         number(stiffness), names[i], number(drag), relative, names[i], number(wind[i]));
    down += i + 1 < dimension ? "0, " : number(-gravity);
  }
  const std::string text = fmt::format(
      "gravity = [{}]\n[points.a]\nmass = {}\nposition = {}\nvelocity = {}\nforce = [{}]\n[simulation]\nuntil = {}\n",
      down, number(mass), list(q), list(v), force, number(until));
  const std::vector<double> at = even_times(0, until, 24);
  return against(
      text, at, integrated(at, q, v, [=](Real, const Real* x, const Real* u, Real* a) {
        Real square = 0;
        for (std::size_t i = 0; i < dimension; ++i) square += (u[i] - wind[i]) * (u[i] - wind[i]);
        for (std::size_t i = 0; i < dimension; ++i)
          a[i] = (push[i] - stiffness * x[i] - static_cast<Real>(drag) * std::sqrt(square) * (u[i] - wind[i])) / mass;
        a[dimension - 1] -= gravity;
      }));
}

/// A ball falls on a floor that pushes with a power of the depth, and comes back.
Case power_contact(std::uint64_t seed) {
  Dice dice(seed);
  const double powers[] = {1.5, 2.5, 1.3, 1.75, 2.2};
  const double power = powers[dice.below(5)];
  const double stiffness = dice.spread(10, 1e4);
  const double gravity = dice.uniform(0.5, 10);
  const double height = dice.coin() ? 0.0 : dice.uniform(0.1, 2);
  const double speed = height == 0 ? -dice.uniform(0.5, 3) : 0.0;
  const double until = dice.uniform(2, 4);
  const std::string law = dice.coin() ? fmt::format("{}*max(-x, 0)^{}", number(stiffness), number(power))
                                      : fmt::format("if(x < 0, {}*(-x)^{}, 0)", number(stiffness), number(power));
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = {}\nvelocity = {}\nforce = \"{} - {}\"\n[energy]\nkinetic = \"x'^2/2\"\n"
      "[simulation]\nuntil = {}\n",
      number(height), number(speed), law, number(gravity), number(until));
  const std::vector<double> at = even_times(0, until, 24);
  return against(text, at, integrated(at, {height}, {speed}, [=](Real, const Real* q, const Real*, Real* a) {
                   a[0] = (q[0] < 0 ? stiffness * std::pow(-q[0], static_cast<Real>(power)) : Real{0}) - gravity;
                 }));
}

}  // namespace

void add_roots(std::vector<Class>& all) {
  all.push_back({"square-drag", "a body turns or starts in air that holds it back by the square of its speed",
                 square_drag, 25, 1000});
  all.push_back(
      {"power-contact", "a ball falls on a floor that pushes with a power of the depth", power_contact, 12, 500});
}

}  // namespace zwang::hard
