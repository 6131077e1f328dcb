/// Maurer's question (section 7): are the variational and the straightest law the same for these conditions?
#include "zwang/analysis/equivalence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "command/call.hpp"
#include "oracles/answer.hpp"
#include "oracles/translate.hpp"
#include "zwang/analysis/compare.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles::equivalence_tests {

namespace {

using nlohmann::json;

/// The conditions on coordinates of mass one, at a place without symmetry.
std::string model_text(const json& problem) {
  const auto names = problem.at("system").at("coords").get<std::vector<std::string>>();
  std::string text;
  std::string kinetic = "0";
  double place = 0.3;
  for (const auto& name : names) {
    text += "[coordinates." + name + "]\ninitial = " + std::to_string(place) + "\n";
    kinetic += " + " + name + "'^2/2";
    place = 1.7 * place - 1.1;
  }
  text += "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n";
  for (const auto& constraint : problem.at("system").at("constraints")) {
    std::string form = constraint.at("expr");
    for (const auto& name : names)
      for (std::size_t at = 0; (at = form.find("v_" + name, at)) != std::string::npos;)
        form.replace(at, name.size() + 2, name + "'");
    text += constraint.at("name").get<std::string>() + " = \"" + form + " = 0\"\n";
  }
  return text + "[simulation]\nuntil = 1\n";
}

}  // namespace

TEST(MaurersEquivalence, holds_for_exact_differentials_and_fails_for_the_cart) {
  int seen = 0;
  for (const auto& entry : problems()) {
    const auto& expected = entry.at("expected");
    if (!expected.is_object() || !expected.contains("equivalent") || entry.at("id") == "K56") continue;
    const auto source = model_text(entry);
    SCOPED_TRACE(source);
    const auto model = model::load(source, "problem.toml");
    const auto found = analysis::equivalence(model, model::initial_state(model));
    const bool truth = expected.at("equivalent").get<bool>();
    EXPECT_EQ(found.agree, truth) << found.defect;
    EXPECT_EQ(found.agree_nearby, truth) << found.nearby_defect;
    EXPECT_TRUE(truth ? found.defect < 1e-13 : found.defect > 1e-2) << found.defect;
    if (command::is_built) {
      const command::TemporaryFile folder("");
      const auto answer =
          command::call_json({"compare", "-", "--samples", "3", "--out", folder.name() + "-out"}, source);
      EXPECT_EQ(answer.json.at("laws_agree").get<bool>(), truth) << answer.out;
    }
    ++seen;
  }
  EXPECT_GE(seen, 2);
}

TEST(MaurersEquivalence, is_not_asked_of_a_condition_quadratic_in_the_velocities) {
  const auto source = model_text(problem("K56"));
  try {
    (void)model::load(source, "problem.toml");
    FAIL() << "K56 was read";
  } catch (const Error& error) {
    EXPECT_GT(error.place().line, 0U);
    EXPECT_GT(error.place().column, 0U);
    EXPECT_NE(std::string(error.what()).find("linear"), std::string::npos) << error.what();
  }
  if (command::is_built) {
    const auto answer = command::call_json({"compare", "-"}, source);
    EXPECT_EQ(answer.exit, 2);
    EXPECT_GT(answer.json.at("error").at("line").get<int>(), 0) << answer.out;
  }
}

}  // namespace zwang::oracles::equivalence_tests
