/// Integrability of Pfaffian conditions (Voss, section 1) against the reference problems: ranks, growth, integrals,
/// special leaves.
#include "zwang/analysis/integrability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "oracles/translate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles::integrability_tests {

namespace {

using nlohmann::json;
using Counts = std::vector<std::size_t>;
using Texts = std::vector<std::string>;

std::vector<const json*> pfaffian_problems() {
  std::vector<const json*> list;
  for (const auto& entry : problems())
    if (entry.at("id").get<std::string>()[0] == 'P') list.push_back(&entry);
  return list;
}

/// The forms at a point; further equations may stand beside them.
std::string model_text(const json& problem, const Texts& point, const std::string& more = "") {
  const auto& system = problem.at("system");
  const auto columns = system.at("coords").get<Texts>();
  std::string bodies;
  std::string kinetic = "0";
  std::string start;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c] == "t") {
      start = "[simulation]\nstart = \"" + point[c] + "\"\n";
      continue;
    }
    bodies += "[coordinates." + columns[c] + "]\ninitial = \"" + point[c] + "\"\n";
    kinetic += " + " + columns[c] + "'^2/2";
  }
  std::string conditions;
  int number = 0;
  for (const auto& form : system.at("pfaffian_forms")) {
    conditions += "form" + std::to_string(++number) + " = \"0";
    for (std::size_t c = 0; c < columns.size(); ++c)
      conditions += " + (" + form[c].get<std::string>() + ")" + (columns[c] == "t" ? "" : "*" + columns[c] + "'");
    conditions += " = 0\"\n";
  }
  return bodies + "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n" + more + conditions + start;
}

/// "x1=0, x2=1": the point moved there.
Texts moved(const json& problem, std::string leaf) {
  Texts point = problem.at("system").at("point").get<Texts>();
  const auto columns = problem.at("system").at("coords").get<Texts>();
  leaf += ",";
  for (std::size_t from = 0; from < leaf.size();) {
    const std::size_t comma = leaf.find(',', from);
    std::string part = leaf.substr(from, comma - from);
    std::erase(part, ' ');
    const std::size_t equals = part.find('=');
    const auto which = std::find(columns.begin(), columns.end(), part.substr(0, equals));
    point[static_cast<std::size_t>(which - columns.begin())] = part.substr(equals + 1);
    from = comma + 1;
  }
  return point;
}

struct Answer {
  std::size_t conditions = 0, integrable = 0, on_leaf = 0;
  bool complete = false, laws_agree = false;
  Texts integrals, leaf_integrals, columns;
  Counts derived, growth;
};

Answer by_library(const std::string& text) {
  const model::Draft draft = model::read(text, "problem.toml");
  const model::Model model = model::compile(draft);
  const auto found = analysis::integrability(draft, model, model::initial_state(model));
  EXPECT_TRUE(found.decided) << found.doubt;
  Answer out{found.conditions,     found.integrable, found.leaf.integrable, found.complete, found.laws_agree, {},
             found.leaf.integrals, found.columns,    found.derived,         found.growth};
  for (const auto& integral : found.integrals) {
    out.integrals.push_back(integral.text);
    EXPECT_LE(integral.residual, 1e-11) << integral.text;
  }
  return out;
}

Answer by_command(const std::string& text) {
  const auto answer = command::call_json({"analyze", "integrability", "-"}, text);
  EXPECT_EQ(answer.exit, 0) << answer.out << answer.err;
  const auto& j = answer.json;
  Answer out;
  out.conditions = j.at("conditions");
  out.integrable = j.at("integrable");
  out.complete = j.at("complete");
  out.laws_agree = j.at("laws_agree");
  out.integrals = j.at("integrals").get<Texts>();
  out.columns = j.at("columns").get<Texts>();
  out.derived = j.at("derived").get<Counts>();
  out.growth = j.at("growth").get<Counts>();
  out.on_leaf = j.at("on_leaf").at("integrable");
  if (j.at("on_leaf").contains("integrals")) out.leaf_integrals = j.at("on_leaf").at("integrals").get<Texts>();
  return out;
}

using Ask = Answer (*)(const std::string&);
std::vector<Ask> ways() {
  if (command::is_built) return {by_library, by_command};
  return {by_library};
}

}  // namespace

TEST(IntegrabilityOfReferenceProblems, is_that_of_the_truth) {
  ASSERT_GE(pfaffian_problems().size(), 10U);
  for (const json* problem : pfaffian_problems()) {
    const auto& expected = problem->at("expected");
    for (const Ask ask : ways()) {
      SCOPED_TRACE(problem->at("id").get<std::string>());
      const Answer found = ask(model_text(*problem, problem->at("system").at("point").get<Texts>()));
      EXPECT_EQ(found.conditions, expected.at("r").get<std::size_t>());
      EXPECT_EQ(found.columns, problem->at("system").at("coords").get<Texts>());
      EXPECT_EQ(found.integrable, expected.at("integrable_combinations").get<std::size_t>());
      EXPECT_EQ(found.conditions - found.integrable, expected.at("nonintegrable_rest").get<std::size_t>());
      EXPECT_EQ(found.complete, expected.at("complete").get<bool>());
      EXPECT_EQ(found.laws_agree, found.complete) << "the laws agree for complete systems and for no others";
      EXPECT_EQ(found.derived, expected.at("derived_flag_ranks").get<Counts>());
      EXPECT_EQ(found.growth, expected.at("growth_vector").get<Counts>());
      EXPECT_EQ(found.on_leaf, found.integrable) << "the points of the problems are generic";
      // At least as many expressions as the problem knows, never more than combinations.
      EXPECT_GE(found.integrals.size(), expected.at("integrals").size());
      EXPECT_LE(found.integrals.size(), found.integrable);
    }
  }
}

TEST(IntegrabilityOfReferenceProblems, has_integrals_that_are_functions_of_the_true_ones) {
  // The differentials found lie in the span of the true ones: asked beside the true ones as equations between
  // positions, they add no rank.
  for (const json* problem : pfaffian_problems()) {
    const auto& truth = problem->at("expected").at("integrals");
    if (truth.empty()) continue;
    SCOPED_TRACE(problem->at("id").get<std::string>());
    const Texts point = problem->at("system").at("point").get<Texts>();
    const Answer found = by_library(model_text(*problem, point));
    const json bare = {
        {"system",
         {{"coords", problem->at("system").at("coords")}, {"pfaffian_forms", json::array()}, {"point", point}}}};
    std::string equations;
    int number = 0;
    const auto level = [&](std::string text) {
      // Through the point: f = f(point), with the numbers of the point for the names.
      std::string value = text;
      const auto columns = problem->at("system").at("coords").get<Texts>();
      for (std::size_t c = columns.size(); c-- > 0;) {
        std::size_t at = 0;
        while ((at = value.find(columns[c], at)) != std::string::npos) {
          const std::string number_text = "(" + point[c] + ")";
          value.replace(at, columns[c].size(), number_text);
          at += number_text.size();
        }
      }
      equations += "e" + std::to_string(++number) + " = \"" + text + " = " + value + "\"\n";
    };
    for (const auto& text : truth) level(text.get<std::string>());
    for (const std::string& text : found.integrals) level(text);
    const Answer both = by_library(model_text(bare, point, equations));
    EXPECT_EQ(both.conditions, truth.size() + found.integrals.size());
    EXPECT_EQ(both.integrable, truth.size());
  }
}

TEST(IntegrabilityOfReferenceProblems, is_more_on_special_leaves) {
  std::size_t leaves = 0;
  for (const json* problem : pfaffian_problems()) {
    if (!problem->at("expected").contains("on_leaf")) continue;
    for (const auto& leaf : problem->at("expected").at("on_leaf")) {
      for (const Ask ask : ways()) {
        SCOPED_TRACE(problem->at("id").get<std::string>() + " on " + leaf.at("leaf").get<std::string>());
        const Answer found = ask(model_text(*problem, moved(*problem, leaf.at("leaf"))));
        EXPECT_EQ(found.integrable, problem->at("expected").at("integrable_combinations").get<std::size_t>());
        EXPECT_EQ(found.on_leaf, leaf.at("integrable_total").get<std::size_t>());
        if (leaf.contains("extra_integrals")) {
          EXPECT_EQ(found.leaf_integrals, leaf.at("extra_integrals").get<Texts>());
        }
        EXPECT_EQ(found.laws_agree, found.on_leaf == found.conditions);
        ++leaves;
      }
    }
  }
  EXPECT_GE(leaves, 5U);
}

}  // namespace zwang::oracles::integrability_tests
