/// The reference problems of Fourier's set, of invariant measures and of curvature, library and command.
#include <algorithm>
#include <cmath>

#include "command/call.hpp"
#include "oracles/cases.hpp"
#include "zwang/analysis/curvature.hpp"
#include "zwang/analysis/fourier.hpp"
#include "zwang/analysis/measure.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles::analyses_tests {

namespace {

using nlohmann::json;

/// Forms as conditions on the velocities, and a state where none is given.
json with_conditions(const json& from, const json& q, const json& v) {
  json problem = from;
  auto& system = problem["system"];
  forms_to_conditions(system);
  system["state"] = {{"t", "0"}, {"q", q}, {"v", v}};
  return problem;
}

std::vector<Case> cases_of(char letter) {
  std::vector<Case> out;
  for (const auto& entry : problems()) {
    const auto id = entry.at("id").get<std::string>();
    if (id[0] != letter) continue;
    out.push_back({id, Route::coordinates, Way::library});
    if (command::is_built) out.push_back({id, Route::coordinates, Way::command});
  }
  return out;
}

std::string vector_text(const json& values) {
  std::string out;
  char text[40];
  for (const auto& value : values) {
    std::snprintf(text, sizeof text, "%.17g", number(value));
    out += (out.empty() ? "" : ",") + std::string(text);
  }
  return out;
}

double apart(const std::vector<double>& x, const json& y) {
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x[i] - number(y[i])));
  return most;
}

}  // namespace

// ---- Fourier's set

class ReferenceFourierSets : public testing::TestWithParam<Case> {};

TEST_P(ReferenceFourierSets, have_their_vertices_and_members) {
  const auto& from = problem(GetParam().id);
  const auto translation = translate(from, Route::coordinates);
  ASSERT_TRUE(translation.has_value());
  const auto& expected = from.at("expected");
  const double tolerance = 1e-11;
  std::vector<std::vector<double>> vertices;
  std::vector<double> gauss;
  bool unbounded = false;
  bool unique = false;
  std::function<bool(const json&)> is_member;
  const auto model = model::load(translation->model, "problem.toml");
  const auto state = model::initial_state(model);
  if (GetParam().way == Way::library) {
    const auto found = analysis::fourier(model, state);
    for (const auto& vertex : found.vertices) vertices.push_back(vertex.accelerations);
    gauss = found.instant.accelerations;
    unbounded = found.unbounded;
    unique = found.unique;
    is_member = [&](const json& a) {
      std::vector<double> values;
      for (const auto& x : a) values.push_back(number(x));
      return analysis::is_member(model, state, values);
    };
  } else {
    const auto outcome = command::call_json({"analyze", "fourier", "-"}, translation->model);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const auto list = [&](const json& bodies) {
      std::vector<double> out;
      for (const auto& slot : translation->slots) out.push_back(bodies.at(slot.body).get<double>());
      return out;
    };
    for (const auto& vertex : outcome.json.at("vertices")) vertices.push_back(list(vertex.at("accelerations")));
    gauss = list(outcome.json.at("gauss"));
    unbounded = outcome.json.at("unbounded").get<bool>();
    unique = outcome.json.at("unique").get<bool>();
    is_member = [&](const json& a) {
      std::vector<std::string> words = {"analyze", "fourier", "-"};
      for (std::size_t i = 0; i < a.size(); ++i) {
        words.insert(words.end(), {"--member", translation->slots[i].body + "=" + vector_text(json::array({a[i]}))});
      }
      return command::call_json(words, translation->model).json.at("member").get<bool>();
    };
  }
  EXPECT_LT(apart(gauss, expected.at("gauss_accelerations_exact")), tolerance);
  const auto& wanted = expected.at("fourier_vertices_accelerations_exact");
  ASSERT_EQ(vertices.size(), wanted.size());
  for (const auto& vertex : wanted) {
    EXPECT_TRUE(std::any_of(vertices.begin(), vertices.end(), [&](const auto& v) {
      return apart(v, vertex) < tolerance;
    })) << vertex;
  }
  EXPECT_EQ(unbounded, expected.at("fourier_set_unbounded").get<bool>());
  EXPECT_EQ(unique, expected.at("fourier_unique").get<bool>());
  for (const auto& one : expected.at("membership")) {
    EXPECT_EQ(is_member(one.at("a")), one.at("in_fourier_set").get<bool>()) << one;
  }
}

INSTANTIATE_TEST_SUITE_P(Staeckel, ReferenceFourierSets, testing::ValuesIn(cases_of('F')), name);

// ---- Invariant measures

class ReferenceMeasures : public testing::TestWithParam<Case> {};

TEST_P(ReferenceMeasures, exist_or_not_and_have_their_divergence) {
  const auto& from = problem(GetParam().id);
  const auto& expected = from.at("expected");
  for (const auto& sample : expected.at("divergence_samples")) {
    const auto asked = with_conditions(from, sample.at("q"), sample.at("v"));
    const auto translation = translate(asked, Route::coordinates);
    ASSERT_TRUE(translation.has_value());
    SCOPED_TRACE(translation->model);
    bool exists = false;
    bool jacobi = false;
    double divergence = 0;
    std::string density;
    if (GetParam().way == Way::library) {
      const auto draft = model::read(translation->model, "problem.toml");
      const auto model = model::compile(draft);
      const auto found = analysis::measure(draft, model, model::initial_state(model));
      EXPECT_TRUE(found.decided) << found.why;
      exists = found.exists;
      jacobi = found.jacobi;
      divergence = found.divergence;
      density = found.density;
    } else {
      const auto outcome = command::call_json({"analyze", "measure", "-"}, translation->model);
      ASSERT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
      exists = outcome.json.at("exists").get<bool>();
      jacobi = outcome.json.at("jacobi").get<bool>();
      divergence = outcome.json.at("divergence").get<double>();
      density = outcome.json.value("density", "");
    }
    EXPECT_EQ(exists, expected.at("multiplier_of_x_exists").get<bool>());
    EXPECT_EQ(jacobi, expected.at("M_equals_Delta_is_multiplier").get<bool>());
    EXPECT_NEAR(divergence, number(sample.at("divergence")), 1e-11);
    EXPECT_EQ(density == "1", expected.at("M_equals_1_is_multiplier").get<bool>());
    EXPECT_EQ(density.empty(), !exists) << density;
  }
}

INSTANTIATE_TEST_SUITE_P(Voss, ReferenceMeasures, testing::ValuesIn(cases_of('J')), name);

// ---- Curvature

TEST(ReferenceCurvature, has_radius_torsion_and_multiplier) {
  for (const auto& from : problems()) {
    if (!from.at("expected").contains("radius_of_curvature")) continue;
    const auto& state = from.at("system").at("state");
    const auto translation = translate(with_conditions(from, state.at("q"), state.at("v")), Route::points);
    ASSERT_TRUE(translation.has_value());
    const auto& expected = from.at("expected");
    const auto found = analysis::curvature(model::load(translation->model, "problem.toml"));
    EXPECT_NEAR(found.paths.at(0).radius.value(), number(expected.at("radius_of_curvature")), 1e-11);
    EXPECT_NEAR(found.paths.at(0).torsion.value(), number(expected.at("torsion")), 1e-11);
    EXPECT_NEAR(found.multipliers.at(0).second, -number(expected.at("lambda")), 1e-11);
    if (!command::is_built) continue;
    const auto outcome = command::call_json({"analyze", "curvature", "-"}, translation->model);
    EXPECT_EQ(outcome.json.at("p").at("radius").get<double>(), found.paths.at(0).radius.value());
    EXPECT_EQ(outcome.json.at("p").at("torsion").get<double>(), found.paths.at(0).torsion.value());
  }
}

}  // namespace zwang::oracles::analyses_tests
