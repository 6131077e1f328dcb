/// Time reversal (Voss): run forth, turn every velocity round, run back. The reference problems, and what breaks it.
///
/// Turning round leads back exactly when forces and multipliers are even in the velocities, nothing depends on time and no
/// shock occurs; a force odd in the velocities, a moving condition or an inelastic shock each break it.
#include "command/call.hpp"
#include "oracles/cases.hpp"

namespace zwang::oracles::reversals_tests {

namespace {

struct Verdict {
  bool reversible = false;
  bool expected = false;
  double distance = 0;
};

Verdict verdict(const std::string& model, const std::string& until) {
  const auto outcome = command::call_json({"analyze", "reversal", "-", "--until", until}, model);
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  return {outcome.json.at("reversible").get<bool>(), outcome.json.at("expected").get<bool>(),
          outcome.json.at("distance").get<double>()};
}

constexpr const char* screw = R"toml(
[points.p]
mass = 1
position = [1, 0, 0]
velocity = [0.5, 1, 0.5]
[constraints]
screw = "p.y*p.x' - p.x*p.y' + 2*p.z' = 0"
)toml";

}  // namespace

TEST(ReferenceReversals, lead_back_to_the_start) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  int seen = 0;
  for (const auto& entry : problems()) {
    const auto& expected = entry.at("expected");
    if (!expected.is_object() || !expected.contains("reversible")) continue;
    for (const auto route : every_route) {
      const auto translation = translate(entry, route);
      if (!translation) continue;
      SCOPED_TRACE(translation->model);
      const auto found = verdict(translation->model, expected.at("samples")[0].at("t").get<std::string>());
      EXPECT_EQ(found.reversible, expected.at("reversible").get<bool>());
      EXPECT_EQ(found.expected, found.reversible);
      if (found.reversible) {
        EXPECT_LE(found.distance, expected.at("tol").get<double>());
      }
      ++seen;
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(Reversals, are_broken_by_a_force_odd_in_the_velocities) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  const std::string model = screw;
  EXPECT_TRUE(verdict(model, "3").reversible);
  const std::string place = "velocity = [0.5, 1, 0.5]";
  auto damped = model;
  damped.replace(damped.find(place), place.size(), place + "\nforce = [\"-p.x'/5\", 0, 0]");
  const auto found = verdict(damped, "3");
  EXPECT_FALSE(found.reversible);
  EXPECT_FALSE(found.expected);
  EXPECT_GT(found.distance, 1e-3);
}

TEST(Reversals, are_broken_by_a_condition_that_moves) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  const auto found = verdict(R"toml(
[points.p]
mass = 1
position = [1, 0]
velocity = [0, 1]
[constraints]
line = "p.y*cos(t) - p.x*sin(t) = 0"
)toml",
                             "1");
  EXPECT_FALSE(found.reversible);
  EXPECT_FALSE(found.expected);
}

TEST(Reversals, are_broken_by_an_inelastic_shock_but_not_by_an_elastic_one) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  const auto ball = [](const std::string& restitution) {
    return "gravity = [0, -1]\n[points.p]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 0]\n[constraints]\n"
           "floor = { condition = \"p.y >= 0\", restitution = " +
           restitution + " }\n";
  };
  EXPECT_FALSE(verdict(ball("0.5"), "2").reversible);
  EXPECT_FALSE(verdict(ball("0.5"), "2").expected);
  EXPECT_TRUE(verdict(ball("1"), "2").reversible);
}

}  // namespace zwang::oracles::reversals_tests
