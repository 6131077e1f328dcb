/// What must hold of a motion: the same events in the same order, numbers to the problem's tolerance, the law of energy.
#include "oracles/judge_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace zwang::oracles {

namespace {

using nlohmann::json;

/// Positions and velocities in the problem's own coordinates.
struct Place {
  std::vector<double> q, v;
};

/// x_i = u_i + u_{i+1}^2 / 2 for even i on the sheared route, plain copies on the others.
Place place_of(const Translation& translation, const Quantity& positions, const Quantity& velocities) {
  Place out;
  for (const auto& slot : translation.slots) {
    out.q.push_back(positions.at(slot.body).at(slot.component));
    out.v.push_back(velocities.at(slot.body).at(slot.component));
  }
  if (translation.route == Route::sheared)
    for (std::size_t i = 0; i + 1 < out.q.size(); i += 2) {
      out.v[i] += out.q[i + 1] * out.v[i + 1];
      out.q[i] += out.q[i + 1] * out.q[i + 1] / 2;
    }
  return out;
}

std::vector<double> numbers_of(const json& list) {
  std::vector<double> out;
  for (const auto& entry : list) out.push_back(number(entry));
  return out;
}

double largest(const std::vector<double>& values) {
  double result = 1;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

void expect_near(const std::vector<double>& got, const json& expected, double tolerance, const std::string& what) {
  const auto wanted = numbers_of(expected);
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_LE(std::abs(got[i] - wanted[i]), tolerance * largest(wanted))
        << what << " [" << i << "]: " << got[i] << " instead of " << wanted[i] << ", off by " << got[i] - wanted[i];
}

/// Those named must have their value, the others none to speak of.
void expect_near(const Numbers& got, const json& expected, double tolerance, const std::string& what) {
  double scale = 1;
  for (const auto& [name, value] : expected.items()) scale = std::max(scale, std::abs(number(value)));
  for (const auto& [name, value] : expected.items()) {
    const double found = got.contains(name) ? got.at(name) : 0;
    EXPECT_LE(std::abs(found - number(value)), tolerance * scale)
        << what << " of " << name << ": " << found << " instead of " << number(value) << ", off by "
        << found - number(value);
  }
  for (const auto& [name, value] : got)
    if (!expected.contains(name)) {
      EXPECT_LE(std::abs(value), tolerance * scale) << what << " of " << name << ", which should have none";
    }
}

/// The reference file's words in ours.
std::string kind_of(const json& event) {
  auto kind = event.at("kind").get<std::string>();
  if (kind == "shock") return "impact";
  if (kind == "engage") return "contact";
  return kind;
}

std::set<std::string> conditions_of(const json& event) {
  std::set<std::string> out;
  if (event.contains("conditions"))
    for (const auto& entry : event.at("conditions")) out.insert(entry.is_array() ? entry[0] : entry);
  return out;
}

std::set<std::string> equations_of(const json& problem) {
  std::set<std::string> out;
  for (const auto& constraint : problem.at("system").at("constraints"))
    if (constraint.at("sense") == "=0") out.insert(constraint.at("name"));
  return out;
}

/// Active ones are held, marginal ones may be, nothing else is; equations go without saying.
void expect_held(const json& problem, const std::vector<std::string>& held, const json& active, const json& marginal,
                 const std::string& when) {
  const auto equations = equations_of(problem);
  const std::set<std::string> found(held.begin(), held.end());
  for (const auto& name : active)
    EXPECT_TRUE(found.contains(name.get<std::string>())) << name << " is not held " << when;
  for (const auto& name : found) {
    const bool known = equations.contains(name) || std::find(active.begin(), active.end(), name) != active.end() ||
                       std::find(marginal.begin(), marginal.end(), name) != marginal.end();
    EXPECT_TRUE(known) << name << " is held " << when;
  }
}

std::string list_of(const std::vector<EventAnswer>& events) {
  std::string out = "events:";
  for (const auto& event : events) {
    out += " " + event.kind + "(";
    for (const auto& name : event.constraints) out += name + " ";
    out += ")@" + std::to_string(event.time);
  }
  return out;
}

}  // namespace

void judge_motion(const json& problem, Route route, Way way) {
  const auto translation = translate(problem, route);
  if (!translation) GTEST_SKIP() << "cannot be written that way";
  SCOPED_TRACE(translation->model);
  const auto& system = problem.at("system");
  const auto& expected = problem.at("expected");
  const double tolerance = expected.at("tol").get<double>();
  const auto samples = expected.value("samples", json::array());

  // The run ends at t_end, or at the last sample where none is given.
  RunRequest request;
  for (const auto& sample : samples) request.sample_at.push_back(number(sample.at("t")));
  request.until = system.contains("t_end") ? number(system.at("t_end")) : request.sample_at.back();
  const auto answer = run(translation->model, request, way);
  SCOPED_TRACE(list_of(answer.events));
  EXPECT_EQ(answer.status, expected.value("status", "finished"));
  const bool plain = answer.status == "finished" || answer.status == "stopped";
  EXPECT_EQ(answer.exit, plain ? 0 : answer.status == "gave up" ? 4 : 3);
  if (way == Way::library && expected.contains("active_at_start"))
    expect_held(problem, answer.held_at_start, expected.at("active_at_start"),
                expected.value("marginal_at_start", json(answer.held_at_start)), "at the start");

  // Events, without grazes; impacts on the way to an accumulation may be listed as far as one likes.
  std::vector<json> wanted;
  for (const auto& event : expected.value("events", json::array()))
    if (kind_of(event) != "graze") wanted.push_back(event);
  std::vector<EventAnswer> events;
  for (const auto& event : answer.events)
    if (event.kind != "graze") events.push_back(event);
  std::size_t at = 0;
  for (std::size_t k = 0; k < wanted.size(); ++k, ++at) {
    const auto& event = wanted[k];
    const auto kind = kind_of(event);
    const double time = number(event.at("t"));
    if (kind == "accumulation")
      while (at < events.size() && events[at].kind == "impact" && events[at].time < time) ++at;
    ASSERT_LT(at, events.size()) << "no " << kind << " at " << time;
    const auto& got = events[at];
    const std::string what = kind + " at " + std::to_string(time);
    ASSERT_EQ(got.kind, kind) << what;
    EXPECT_LE(std::abs(got.time - time), tolerance * std::max(1.0, std::abs(time)))
        << what << ": off by " << got.time - time;
    const auto conditions = conditions_of(event);
    const std::set<std::string> named(got.constraints.begin(), got.constraints.end());
    if (expected.value("conditions_any", false)) {
      EXPECT_FALSE(named.empty()) << what;
      EXPECT_TRUE(std::includes(conditions.begin(), conditions.end(), named.begin(), named.end())) << what;
    } else if (kind != "blow") {
      EXPECT_EQ(named, conditions) << what;
    }
    const auto place = place_of(*translation, got.positions, got.velocities);
    if (event.contains("q")) expect_near(place.q, event.at("q"), tolerance, what + ": position");
    if (event.contains("v_after")) expect_near(place.v, event.at("v_after"), tolerance, what + ": velocity after");
    if (event.contains("impulses") && !event.at("impulses").is_null())
      expect_near(got.impulses, event.at("impulses"), tolerance, what + ": impulse");
    else if (kind == "release" || kind == "contact")
      expect_near(got.impulses, json::object(), tolerance, what + ": impulse");
    if (way == Way::library) {
      if (event.contains("v_before") && !got.before.empty())
        expect_near(place_of(*translation, got.positions, got.before).v, event.at("v_before"), tolerance,
                    what + ": velocity before");
      if (event.contains("active_after"))
        expect_held(problem, got.held, event.at("active_after"), event.value("marginal_after", json::array()),
                    "after " + what);
    }
  }
  // What leads into a jam may be listed too.
  if (answer.status == "jammed" && at + 1 == events.size() && events[at].time == answer.final.time) ++at;
  EXPECT_EQ(at, events.size()) << "more events than there should be";

  // Samples, those on an event with the state after it.
  ASSERT_EQ(answer.samples.size(), samples.size());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const auto& sample = samples[k];
    const std::string when = "sample at " + std::to_string(number(sample.at("t")));
    EXPECT_NEAR(answer.samples[k].time, number(sample.at("t")), 1e-12 * (1 + std::abs(answer.samples[k].time)));
    const auto place = place_of(*translation, answer.samples[k].positions, answer.samples[k].velocities);
    expect_near(place.q, sample.at("q"), tolerance, when + ": position");
    expect_near(place.v, sample.at("v"), tolerance, when + ": velocity");
    if (sample.contains("multipliers"))
      expect_near(answer.samples[k].multipliers, sample.at("multipliers"), tolerance, when + ": multiplier");
    if (sample.contains("rho")) expect_near(answer.samples[k].rho, sample.at("rho"), tolerance, when + ": rho");
  }

  // The end.
  if (expected.contains("final")) {
    const auto& final = expected.at("final");
    EXPECT_NEAR(answer.final.time, number(final.at("t")), tolerance * std::max(1.0, number(final.at("t"))));
    const auto place = place_of(*translation, answer.final.positions, answer.final.velocities);
    expect_near(place.q, final.at("q"), tolerance, "final position");
    expect_near(place.v, final.at("v"), tolerance, "final velocity");
  }

  // Vis viva: what came in less what was lost is what is there.
  double size = 1;
  for (const auto& [name, value] : answer.energy) size = std::max(size, std::abs(value));
  EXPECT_LE(std::abs(answer.energy.at("defect")), tolerance * size);
  EXPECT_GE(answer.energy.at("lost"), -tolerance * size);
  EXPECT_LE(answer.drift.at("position"), 1e-9);
  EXPECT_LE(answer.drift.at("velocity"), 1e-9);
}

}  // namespace zwang::oracles
