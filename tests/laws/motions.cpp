/// Motions over a finite time: held against a slow integrator of another kind, and against the laws of conservation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "laws/slow_motion.hpp"
#include "sanitized.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::laws::motions_tests {

namespace {

/// The motion of the library: all events, the end.
struct Run {
  std::vector<motion::Event> events;
  motion::Status status = motion::Status::going;
  std::string why;
  model::State state;
  motion::EnergyBalance energy;
  bool shock = false;
};

Run run(const model::Model& model, const motion::Options& options = {}) {
  Run out;
  auto now = motion::begin(model, options);
  const auto gather = [&] {
    for (const auto& event : now.events) out.events.push_back(event);
  };
  gather();
  for (int pieces = 0; pieces < 100000 && motion::advance(now); ++pieces) gather();
  out.status = now.status;
  out.why = now.why;
  out.state = now.state;
  out.energy = now.energy;
  for (const auto& event : out.events) out.shock = out.shock || event.kind == motion::EventKind::impact;
  return out;
}

double apart(const Vector& x, const std::vector<double>& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, static_cast<double>(std::abs(x[i] - y[i])));
  return most;
}
double apart(const Vector& x, const Vector& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, static_cast<double>(std::abs(x[i] - y[i])));
  return most;
}
double size(const Vector& x) {
  double most = 1;
  for (const Real value : x) most = std::max(most, static_cast<double>(std::abs(value)));
  return most;
}

constexpr double nudge = 1e-9;     ///< of the initial velocities, to measure how much the motion magnifies errors
constexpr double too_wild = 1e-5;  ///< what the nudge may grow to before comparing ends
constexpr double floor_error = 1e-11;
constexpr double share = 2e-3;  ///< errors of the library, as a part of the nudge: two of its tolerances

struct Tally {
  int systems = 0;
  int whole = 0;  ///< compared to the very end
  int events = 0;
  std::map<std::string, int> kinds;
  std::map<std::string, int> ends;
  double worst = 0;  ///< largest error as a part of what is allowed
  int wrong = 0;
};

std::string text_of(const std::vector<std::uint32_t>& rows) {
  std::string out;
  for (const auto row : rows) out += " c" + std::to_string(row);
  return out;
}

/// One system both ways. The allowance at each event: what the same nudge has grown to in the slow motion, scaled down to
/// the accuracy of the library, and a floor for rounding.
void compare(std::uint64_t seed, Tally& tally) {
  const auto system = random_system(seed);
  const auto slow = slow_motion(system);
  const auto nudged = slow_motion(system, nudge);
  const auto text = model_text(system);
  const auto model = model::load(text, "random.toml");
  const auto quick = run(model);
  ++tally.systems;
  ++tally.ends[slow.end];
  const auto complain = [&](const std::string& what) {
    ++tally.wrong;
    std::string story = "seed " + std::to_string(seed) + ": " + what + "\nslow:";
    for (const auto& event : slow.events)
      story += "\n  " + std::to_string(static_cast<double>(event.time)) + " " + event.kind + text_of(event.rows);
    story += "\n  " + std::to_string(static_cast<double>(slow.time)) + " " + slow.end + "\nlibrary:";
    for (const auto& event : quick.events)
      story += "\n  " + std::to_string(event.time) + " " + std::string(motion::words(event.kind)) + text_of(event.rows);
    story +=
        "\n  " + std::to_string(quick.state.time) + " " + std::string(motion::words(quick.status)) + " " + quick.why;
    if (const char* folder = std::getenv("ZWANG_DISAGREEMENTS"); folder != nullptr) {
      std::ofstream file(std::string(folder) + "/" + std::to_string(seed) + ".toml");
      std::string note = story;
      for (std::size_t at = 0; (at = note.find('\n', at)) != std::string::npos; at += 3) note.replace(at, 1, "\n# ");
      file << "# " << note << "\n" << text;
    }
    ADD_FAILURE() << story << "\n" << text;
  };

  double grown = nudge;
  std::size_t place = 0;
  for (std::size_t k = 0; k < slow.events.size(); ++k) {
    // How sensitive the motion has become.
    const auto& event = slow.events[k];
    if (k >= nudged.events.size() || nudged.events[k].kind != event.kind || nudged.events[k].rows != event.rows) return;
    const auto& other = nudged.events[k];
    grown = std::max({grown, static_cast<double>(std::abs(event.time - other.time)),
                      apart(event.position, other.position), apart(event.velocity, other.velocity)});
    if (grown > too_wild) return;

    // The same in the library.
    if (place >= quick.events.size()) return complain("an event is missing: " + event.kind + text_of(event.rows));
    const auto& found = quick.events[place++];
    if (motion::words(found.kind) != event.kind || found.rows != event.rows)
      return complain("another event than " + event.kind + text_of(event.rows));
    const double scale = std::max(size(event.position), size(event.velocity));
    const double allowed = floor_error * scale + share * grown;
    const double error = std::max({static_cast<double>(std::abs(event.time - found.time)),
                                   apart(event.position, found.position), apart(event.velocity, found.velocity)});
    if (!(error <= allowed))
      return complain("event " + std::to_string(k) + " is off by " + std::to_string(error / allowed) + " allowances");
    tally.worst = std::max(tally.worst, error / allowed);
    ++tally.events;
    ++tally.kinds[event.kind];
  }
  if (slow.delicate() || nudged.end != slow.end || nudged.events.size() != slow.events.size()) return;
  if (slow.end == "jammed") {
    if (quick.status != motion::Status::jammed) return complain("no jam");
    ++tally.whole;
    return;
  }
  grown = std::max({grown, apart(slow.position, nudged.position), apart(slow.velocity, nudged.velocity)});
  if (grown > too_wild) return;
  if (quick.status != motion::Status::finished) return complain("the end is not reached");
  if (place != quick.events.size()) return complain("an event too many");
  const double allowed = floor_error * std::max(size(slow.position), size(slow.velocity)) + share * grown;
  const double error = std::max(apart(slow.position, quick.state.position), apart(slow.velocity, quick.state.velocity));
  if (!(error <= allowed)) return complain("the end is off by " + std::to_string(error / allowed) + " allowances");
  tally.worst = std::max(tally.worst, error / allowed);
  ++tally.whole;
}

Tally compare_all(std::uint64_t first, std::uint64_t last) {
  Tally tally;
  for (std::uint64_t seed = first; seed < last; ++seed) compare(seed, tally);
  std::string told = std::to_string(tally.systems) + " systems, " + std::to_string(tally.whole) + " to the end, " +
                     std::to_string(tally.events) + " events, worst " + std::to_string(tally.worst);
  for (const auto& [kind, count] : tally.kinds) told += ", " + kind + " " + std::to_string(count);
  for (const auto& [end, count] : tally.ends) told += "\n  " + end + " " + std::to_string(count);
  std::puts(told.c_str());
  return tally;
}

/// Sums m v, and m (q_i v_k - q_k v_i) for every pair of axes; with the sizes of their terms.
struct Momenta {
  std::vector<double> sums;
  double size = 0;
};

Momenta momenta(const SlowSystem& system, const std::vector<double>& q, const std::vector<double>& v) {
  const std::size_t d = system.dimension;
  Momenta out;
  out.sums.assign(d + d * (d - 1) / 2, 0.0);
  for (std::size_t p = 0; p < system.points.size(); ++p) {
    const double m = system.points[p].mass;
    std::size_t pair = d;
    for (std::size_t i = 0; i < d; ++i) {
      out.sums[i] += m * v[p * d + i];
      for (std::size_t k = i + 1; k < d; ++k, ++pair) {
        out.sums[pair] += m * (q[p * d + i] * v[p * d + k] - q[p * d + k] * v[p * d + i]);
        out.size += m * (std::abs(q[p * d + i] * v[p * d + k]) + std::abs(q[p * d + k] * v[p * d + i]));
      }
      out.size += m * std::abs(v[p * d + i]);
    }
  }
  return out;
}

double energy_of(const SlowSystem& system, const std::vector<double>& q, const std::vector<double>& v) {
  return static_cast<double>(slow_energy(system, {q.begin(), q.end()}, {v.begin(), v.end()}));
}

/// Two conditions on the same pair of points with the same length: one of them is implied by the other, or they make an
/// equation between them.
bool says_twice(const SlowSystem& system) {
  for (const auto& x : system.conditions)
    for (const auto& y : system.conditions)
      if (&x != &y && x.length == y.length && std::minmax(x.a, x.b) == std::minmax(y.a, y.b)) return true;
  return false;
}

/// Nothing from outside: momenta stay, through all shocks; energy only goes where the shocks take it.
void keep_momenta(std::uint64_t first, std::uint64_t last, int least_shocks, bool twice = false) {
  int shocks = 0;
  int runs = 0;
  int finished = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    SlowTaste taste;
    taste.free = true;
    const auto system = random_system(seed, taste);
    if (says_twice(system) != twice) continue;
    const auto text = model_text(system);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto model = model::load(text, "free.toml");
    const auto answer = run(model);
    ++runs;
    finished += answer.status == motion::Status::finished ? 1 : 0;
    const auto before = momenta(system, system.position, system.velocity);
    const auto compare_with = [&](const std::vector<double>& q, const std::vector<double>& v, double time) {
      const auto after = momenta(system, q, v);
      for (std::size_t k = 0; k < before.sums.size(); ++k)
        ASSERT_NEAR(before.sums[k], after.sums[k], 1e-12 * (before.size + after.size)) << k << " at " << time;
    };
    // Energy: up to the first accumulation, whose infinitely many losses stand in no entry.
    const double start = energy_of(system, system.position, system.velocity);
    double lost = 0;
    bool accumulation = false;
    for (const auto& event : answer.events) {
      compare_with(event.position, event.velocity, event.time);
      ASSERT_GE(event.lost, 0);
      lost += event.lost;
      shocks += event.kind == motion::EventKind::impact ? 1 : 0;
      accumulation = accumulation || event.kind == motion::EventKind::accumulation;
      if (!accumulation) {
        ASSERT_NEAR(energy_of(system, event.position, event.velocity) + lost, start, 1e-11 * start) << event.time;
      }
    }
    compare_with(answer.state.position, answer.state.velocity, answer.state.time);
  }
  EXPECT_GE(finished, (twice ? 0.95 : 1.0) * runs);
  EXPECT_GE(shocks, least_shocks);
}

/// Nothing depends on time, nothing damps: the energy of the closed formulas falls in shocks, by what they report.
void keep_energy(std::uint64_t first, std::uint64_t last, int least_shocks) {
  int shocks = 0;
  int runs = 0;
  int finished = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    SlowTaste taste;
    taste.scleronomic = true;
    const auto system = random_system(seed, taste);
    const auto text = model_text(system);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto model = model::load(text, "conservative.toml");
    const auto answer = run(model);
    // On the way to a singular position or a jam forces grow beyond all bounds, and errors with them.
    ++runs;
    if (answer.status != motion::Status::finished) continue;
    ++finished;
    const double start = energy_of(system, system.position, system.velocity);
    double told = 0;
    bool accumulation = false;
    for (const auto& event : answer.events) {
      told += event.lost;
      shocks += event.kind == motion::EventKind::impact ? 1 : 0;
      accumulation = accumulation || event.kind == motion::EventKind::accumulation;
    }
    const double lost = answer.energy.lost;
    const double end = energy_of(system, answer.state.position, answer.state.velocity);
    // Every event brings rounding of its own.
    const double scale = std::max({std::abs(start), answer.energy.largest_kinetic, 1.0}) *
                         (1 + 0.1 * static_cast<double>(answer.events.size()));
    // What the last bounces of an accumulation still carry is left out of the account.
    const double part = accumulation ? 1e-9 : 1e-11;
    ASSERT_NEAR(end + lost, start, part * scale);
    if (!accumulation) {
      ASSERT_NEAR(told, lost, part * scale);
    }
    // Springs are written as forces: their work is what their energy loses.
    const auto springs = [&](const std::vector<double>& q) {
      double sum = 0;
      for (std::size_t i = 0; i < q.size(); ++i) sum += system.points[i / system.dimension].spring * q[i] * q[i] / 2;
      return sum;
    };
    ASSERT_NEAR(answer.energy.work, springs(system.position) - springs(answer.state.position), part * scale);
    ASSERT_NEAR(answer.energy.defect(), 0, part * scale);
  }
  EXPECT_GE(finished, 0.9 * runs);
  EXPECT_GE(shocks, least_shocks);
}

/// Forth, velocities turned round, back: the start again, if nothing happened on the way.
void turn_round(std::uint64_t first, std::uint64_t last, int least_compared) {
  int compared = 0;
  int held = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    SlowTaste taste;
    taste.scleronomic = true;
    taste.reversible = true;
    auto system = random_system(seed, taste);
    system.until = 0.75;
    const auto forth_text = model_text(system);
    const auto model = model::load(forth_text, "forth.toml");
    const auto forth = run(model);
    if (!forth.events.empty() || forth.status != motion::Status::finished) continue;
    // A system at rest has no velocities to turn.
    const auto& v = forth.state.velocity;
    if (std::none_of(v.begin(), v.end(), [](double x) { return std::abs(x) > 1e-9; })) continue;
    auto turned = system;
    turned.position = forth.state.position;
    turned.velocity = forth.state.velocity;
    // What has come to rest but for rounding rests: a velocity of 1e-25 would be one, and strike something.
    for (auto& x : turned.velocity) x = std::abs(x) < 1e-15 ? 0.0 : -x;
    const auto text = model_text(turned);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + forth_text + text);
    const auto back_model = model::load(text, "back.toml");
    const auto back = run(back_model);
    ASSERT_EQ(back.status, motion::Status::finished) << back.why;
    // What touched at the start, and was left, is struck where the way back ends.
    if (!back.events.empty() && back.events.front().time >= system.until) continue;
    ASSERT_TRUE(back.events.empty());
    // What a nudge grows to on the way back is what the errors on the way forth may grow to.
    const auto slow = slow_motion(turned);
    const auto nudged = slow_motion(turned, nudge);
    if (slow.delicate() || nudged.delicate()) continue;
    const double grown = std::max(apart(slow.position, nudged.position), apart(slow.velocity, nudged.velocity));
    if (grown > too_wild) continue;
    const double allowed = floor_error * std::max(size(slow.position), size(slow.velocity)) + share * grown;
    for (std::size_t i = 0; i < system.position.size(); ++i) {
      ASSERT_NEAR(back.state.position[i], system.position[i], allowed) << i;
      ASSERT_NEAR(back.state.velocity[i], -system.velocity[i], allowed) << i;
    }
    ++compared;
    held += system.conditions.empty() ? 0 : 1;
  }
  EXPECT_GE(compared, least_compared);
  EXPECT_GE(held, least_compared / 2);
}

}  // namespace

TEST(Motions, agree_with_a_slow_integrator_of_another_kind) {
  // The slow integrator is slowest under the sanitizers.
  const auto tally = compare_all(0, is_sanitized ? 10 : 16);
  EXPECT_GE(tally.whole, 5);
  EXPECT_GE(tally.events, 20);
}

TEST(MotionsSoak, agree_with_a_slow_integrator_of_another_kind) {
  const auto tally = compare_all(1000, 1800);
  EXPECT_GE(tally.whole, 500);
  EXPECT_GE(tally.events, 2000);
  for (const auto* kind : {"impact", "release", "contact"}) EXPECT_GE(tally.kinds.at(kind), 50) << kind;
}

TEST(Motions, of_points_that_only_touch_each_other_keep_their_momenta) { keep_momenta(0, 150, 150); }

TEST(Motions, go_on_where_two_conditions_say_the_same) { keep_momenta(0, 300, 50, true); }

TEST(Motions, lose_energy_in_shocks_only_and_as_much_as_they_say) { keep_energy(0, 150, 200); }

TEST(Motions, turned_round_lead_back) { turn_round(0, 30, 3); }

TEST(MotionsSoak, keep_momenta_and_energy_and_lead_back) {
  // Shocks of rounding size, and contacts that are held without force, are no impacts.
  keep_momenta(1000, 3000, 2900);
  keep_momenta(1000, 3000, 400, true);
  keep_energy(1000, 3000, 3000);
  turn_round(1000, 1600, 100);
}

}  // namespace zwang::laws::motions_tests
