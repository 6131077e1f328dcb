/// Motions that end by themselves, stiff ones, and forces that are undefined at rest: told, not hung.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

std::string line(double x, double v, const std::string& force, double until) {
  return fmt::format(
      "[coordinates.x]\ninitial = {}\nvelocity = {}\nforce = \"{}\"\n[energy]\nkinetic = "
      "\"x'^2/2\"\n[simulation]\nuntil = {}\n",
      number(x), number(v), force, number(until));
}

/// x'' = -c x' + A sin(w t): two exponentials' worth of closed form, c up to 1e6.
Case stiff_damping(std::uint64_t seed) {
  Dice dice(seed);
  const double c = dice.spread(1e2, 1e6);
  const double size = dice.uniform(0.5, 2);
  const double pace = dice.uniform(0.5, 3);
  const double v = dice.uniform(-2, 2);
  const double until = dice.spread(0.01, 1);
  std::vector<double> at = even_times(0, until, 20);
  Case out;
  out.texts = {line(1, v, fmt::format("-{}*x' + {}*sin({}*t)", number(c), number(size * c), number(pace)), until)};
  out.at = at;
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& s : tracks.front().asked) {
      // v = D e^(-ct) + c A (c sin wt - w cos wt) / (c^2 + w^2).
      const Real t = s.time;
      const Real k = static_cast<Real>(size) * c / (static_cast<Real>(c) * c + static_cast<Real>(pace) * pace);
      const Real D = v + k * pace;
      const Real speed = D * std::exp(-c * t) + k * (c * std::sin(pace * t) - pace * std::cos(pace * t));
      const Real place =
          1 + D * -std::expm1(-c * t) / c + k * (c * (1 - std::cos(pace * t)) / pace - std::sin(pace * t));
      if (!(std::abs(s.q[0] - place) <= 1e-9L) || !(std::abs(s.v[0] - speed) <= 1e-8L))
        return fmt::format("at t = {:.9g} it is at {:.12g} with {:.9g}, not at {:.12g} with {:.9g}", s.time, s.q[0],
                           s.v[0], static_cast<double>(place), static_cast<double>(speed));
    }
    return "";
  };
  return out;
}

/// The words that name an escape in finite time.
bool names_escape(const std::string& why) {
  static constexpr std::array<const char*, 6> names = {"escape",     "overflow",      "infinit",
                                                       "beyond all", "without bound", "runs away"};
  return std::any_of(names.begin(), names.end(), [&](const char* word) { return why.find(word) != std::string::npos; });
}

/// x'' = k (k + 1) x^(1 + 2 / k) / S^2: x = (S / (S - t))^k runs away at t = S.
Case finite_escape(std::uint64_t seed) {
  Dice dice(seed);
  const int k = dice.among(1, 2);  // x^3, x^2
  const double S = dice.uniform(0.5, 3);
  const double until = S * dice.uniform(1.1, 3);
  const double factor = k * (k + 1) / (S * S);
  Case out;
  out.ending = Ending::is_told;
  out.texts = {line(1, k / S, fmt::format("{}*x^{}", number(factor), k == 1 ? 3 : 2), until)};
  for (int i = 0; i < 20; ++i) out.at.push_back(S * i / 20);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& s : tracks.front().asked) {
      const Real left = 1 - static_cast<Real>(s.time) / S;
      const Real x = std::pow(1 / left, k);
      if (!(std::abs(s.q[0] - x) <= 1e-9L * x / (left * left * left * left)))
        return fmt::format("at t = {:.9g} it is at {:.12g}, not at {:.12g}", s.time, s.q[0], static_cast<double>(x));
    }
    const Track& track = tracks.front();
    if (track.finished()) return "finished beyond the escape";
    if (track.last.time > S * (1 + 1e-9))
      return fmt::format("went on to t = {:.12g}, beyond the escape at {:.12g}", track.last.time, S);
    if (track.last.time < 0.99 * S)
      return fmt::format("ended at t = {:.9g}, long before the escape at {:.9g}: {}", track.last.time, S, track.why);
    if (!names_escape(track.why)) return "the escape is not named: " + track.why;
    return "";
  };
  return out;
}

/// Friction written as sqrt(x'^2)/x', undefined at rest: right as long as it moves, told when it stops.
Case friction_by_a_root(std::uint64_t seed) {
  Dice dice(seed);
  const double friction = dice.uniform(0.5, 3);
  const double v = dice.sign() * dice.uniform(0.5, 3);
  const double stop = std::abs(v) / friction;
  const bool stops = dice.coin();
  const double until = stop * (stops ? dice.uniform(1.2, 3) : dice.uniform(0.3, 0.95));
  Case out;
  out.ending = stops ? Ending::either : Ending::finishes;
  out.texts = {
      line(0, v, fmt::format("-{}*{}", number(friction), dice.coin() ? "sqrt(x'^2)/x'" : "x'/sqrt(x'^2)"), until)};
  out.at = even_times(0, std::min(until, stop * 0.99), 20);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    const Track& track = tracks.front();
    for (const Sample& s : track.asked) {
      const Real x =
          v * static_cast<Real>(s.time) - std::copysign(friction, v) * static_cast<Real>(s.time) * s.time / 2;
      if (!(std::abs(s.q[0] - x) <= 1e-9L))
        return fmt::format("at t = {:.9g} it is at {:.12g}, not at {:.12g}", s.time, s.q[0], static_cast<double>(x));
    }
    // At rest the force is 0/0: the run may say so there, or stay; it may not go back.
    if (stops) {
      const Real rest = static_cast<Real>(v) * stop / 2;
      if (!(std::abs(track.last.q[0] - rest) <= 1e-6L))
        return fmt::format("it comes to rest at {:.9g}, not at {:.9g}", track.last.q[0], static_cast<double>(rest));
      if (!track.finished() && track.last.time > stop * (1 + 1e-5))
        return fmt::format("went on to t = {:.9g}, beyond the rest from {:.9g} on", track.last.time, stop);
    }
    return "";
  };
  return out;
}

}  // namespace

void add_endings(std::vector<Class>& all) {
  all.push_back({"stiff-damping", "stiff damping is followed, or told before it takes long", stiff_damping, 10, 500,
                 "what would take long is told before"});
  all.push_back({"finite-escape", "a motion that runs away in finite time is named as such", finite_escape, 40, 2000});
  all.push_back({"friction-by-a-root", "friction that is undefined at rest stops the run, not the program",
                 friction_by_a_root, 40, 1000});
}

}  // namespace zwang::hard
