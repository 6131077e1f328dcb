/// The reference problems of equilibrium and stability, library and command, and the motions they describe.
#include "zwang/analysis/stability.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "command/call.hpp"
#include "oracles/cases.hpp"
#include "oracles/judge_motion.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles::stability_tests {

namespace {

using nlohmann::json;

/// A problem of statics in the shape of the others: forms become conditions on the velocities, U a potential.
json asked(const json& from) {
  json problem = from;
  auto& system = problem["system"];
  const std::size_t n = system.at("coords").size();
  if (!system.contains("masses")) system["masses"] = json(std::vector<std::string>(n, "1"));
  if (system.contains("force_function_U")) system["potential_U"] = system.at("force_function_U");
  const auto& position = system.contains("equilibrium") ? system.at("equilibrium") : system.at("position");
  system["state"] = {{"t", "0"}, {"q", position}, {"v", std::vector<std::string>(n, "0")}};
  forms_to_conditions(system);
  return problem;
}

std::vector<Case> still_cases() {
  std::vector<Case> out;
  for (const auto& entry : problems()) {
    const auto id = entry.at("id").get<std::string>();
    if (id[0] != 'Q') continue;
    for (const auto route : every_route) {
      if (!translate(asked(entry), route)) continue;
      out.push_back({id, route, Way::library});
      if (command::is_built) out.push_back({id, route, Way::command});
    }
  }
  return out;
}

std::vector<Case> moving_cases() {
  std::vector<Case> out;
  for (const Case& one : still_cases())
    if (problem(one.id).at("expected").contains("nonlinear_motion")) out.push_back(one);
  return out;
}

/// The answer in one shape.
struct Answer {
  bool equilibrium = false;
  Numbers multipliers;
  std::vector<std::complex<double>> roots;
  bool stable = false;
  double growth_rate = 0;
  std::string form;
  bool form_agrees = false;
};

Answer ask(const std::string& text, Way way) {
  Answer out;
  if (way == Way::library) {
    const auto model = model::load(text, "problem.toml");
    const auto found = analysis::stability(model, model::initial_state(model));
    out.equilibrium = found.equilibrium;
    for (const auto& [row, value] : found.multipliers) out.multipliers[row_name(model, row)] = value;
    out.roots = found.roots;
    out.stable = found.stable.value_or(false);
    out.growth_rate = found.growth_rate;
    out.form = words(found.form);
    out.form_agrees = found.form_agrees.value_or(false);
    return out;
  }
  const auto outcome = command::call_json({"analyze", "stability", "-"}, text);
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  const auto& answer = outcome.json;
  out.equilibrium = answer.at("equilibrium").get<bool>();
  out.multipliers = numbers(answer.at("multipliers"));
  for (const auto& root : answer.at("eigenvalues"))
    out.roots.emplace_back(root[0].get<double>(), root[1].get<double>());
  out.stable = answer.at("stable").get<bool>();
  out.growth_rate = answer.at("growth_rate").get<double>();
  out.form = answer.at("form").get<std::string>();
  out.form_agrees = answer.at("form_agrees").get<bool>();
  return out;
}

}  // namespace

class ReferenceStability : public testing::TestWithParam<Case> {};

TEST_P(ReferenceStability, has_its_multipliers_roots_and_verdict) {
  const auto problem_asked = asked(problem(GetParam().id));
  const auto translation = translate(problem_asked, GetParam().route);
  SCOPED_TRACE(translation->model);
  const Answer answer = ask(translation->model, GetParam().way);
  const auto& expected = problem_asked.at("expected");
  EXPECT_EQ(answer.equilibrium, expected.value("equilibrium", true));

  // Voss's h is -lambda.
  const auto& h =
      expected.contains("multipliers_h") ? expected.at("multipliers_h") : expected.at("equilibrium_multipliers");
  const double tolerance = expected.value("tol", 1e-12);
  for (std::size_t s = 0; s < h.size(); ++s)
    EXPECT_NEAR(answer.multipliers.at("form" + std::to_string(s + 1)), -number(h[s]), tolerance * 10);
  if (!expected.contains("lambda_squared_roots")) return;

  // Roots in any order.
  auto roots = answer.roots;
  for (const auto& wanted : expected.at("lambda_squared_roots")) {
    const std::complex<double> z(number(wanted[0]), number(wanted[1]));
    const auto nearest =
        std::min_element(roots.begin(), roots.end(), [&](auto a, auto b) { return std::abs(a - z) < std::abs(b - z); });
    ASSERT_NE(nearest, roots.end());
    EXPECT_LT(std::abs(*nearest - z), 10 * tolerance * (1 + std::abs(z)));
    roots.erase(nearest);
  }
  EXPECT_TRUE(roots.empty());
  EXPECT_EQ(answer.stable, expected.at("oscillation_stable").get<bool>());
  EXPECT_NEAR(answer.growth_rate, number(expected.at("max_growth_rate")), 10 * tolerance);
  EXPECT_EQ(answer.form, expected.at("quadratic_form_8_on_constraint_space").get<std::string>());
  EXPECT_EQ(answer.form_agrees, (answer.form == "negative definite") == answer.stable);
}

INSTANTIATE_TEST_SUITE_P(Voss, ReferenceStability, testing::ValuesIn(still_cases()), name);

class MotionsNearEquilibria : public testing::TestWithParam<Case> {};

TEST_P(MotionsNearEquilibria, pass_through_their_states) {
  auto moving = asked(problem(GetParam().id));
  const auto& motion = moving.at("expected").at("nonlinear_motion");
  moving["system"]["state"]["q"] = motion.at("q0");
  moving["system"]["state"]["v"] = motion.at("v0");
  // What flutters magnifies errors: the tolerance is that of the numbers themselves.
  moving["expected"] = {{"tol", 1e-10}, {"samples", motion.at("samples")}};
  judge_motion(moving, GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Voss, MotionsNearEquilibria, testing::ValuesIn(moving_cases()), name);

}  // namespace zwang::oracles::stability_tests
