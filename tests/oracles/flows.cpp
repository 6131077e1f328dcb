/// The reference problems of first-order systems made unfree, as a flow with free functions; library and command line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "command/call.hpp"
#include "oracles/run_answer.hpp"
#include "oracles/translate.hpp"

namespace zwang::oracles::flows_tests {

namespace {

struct FlowCase {
  std::string id;
  Way way = Way::library;
};
void PrintTo(const FlowCase& which, std::ostream* out) { *out << which.id << ", " << words(which.way); }

std::vector<FlowCase> flow_cases() {
  std::vector<FlowCase> out;
  for (const auto& entry : problems()) {
    if (!entry.at("system").contains("first_order_rhs")) continue;
    out.push_back({entry.at("id"), Way::library});
    if (command::is_built) out.push_back({entry.at("id"), Way::command});
  }
  return out;
}

/// The system as a model file; expressions are read as they stand.
std::string flow_model(const nlohmann::json& problem) {
  const auto& system = problem.at("system");
  const auto& state = system.at("state");
  std::string text;
  for (std::size_t i = 0; i < system.at("coords").size(); ++i) {
    text += fmt::format("[coordinates.{}]\ninitial = \"{}\"\n", system.at("coords")[i].get<std::string>(),
                        state.at("q")[i].get<std::string>());
  }
  text += "[flow]\n";
  for (std::size_t i = 0; i < system.at("coords").size(); ++i) {
    text += fmt::format("{} = \"{}\"\n", system.at("coords")[i].get<std::string>(),
                        system.at("first_order_rhs")[i].get<std::string>());
  }
  if (system.contains("free_functions")) {
    text += "[free]\nfunctions = [";
    for (const auto& function : system.at("free_functions"))
      text += fmt::format("\"{}\", ", function.get<std::string>());
    text += "]\n";
  }
  text += "[constraints]\n";
  std::size_t number_of = 0;
  for (const auto& f : system.at("constraint_functions")) {
    text += fmt::format("f{} = \"{} = 0\"\n", ++number_of, f.get<std::string>());
  }
  text += fmt::format("[simulation]\nstart = {}\n", number(state.at("t")));
  return text;
}

}  // namespace

class Flows : public testing::TestWithParam<FlowCase> {};

TEST_P(Flows, pass_through_their_states) {
  const auto& asked = problem(GetParam().id);
  const auto& expected = asked.at("expected");
  RunRequest request;
  for (const auto& sample : expected.at("samples")) request.sample_at.push_back(number(sample.at("t")));
  request.until = request.sample_at.back();
  const auto answer = run(flow_model(asked), request, GetParam().way);
  EXPECT_EQ(answer.status, "finished");
  ASSERT_EQ(answer.samples.size(), request.sample_at.size());

  // Ten times as near as the reference asks for.
  const auto tolerance = expected.at("tol").get<double>() / 10;
  const auto& names = asked.at("system").at("coords");
  for (std::size_t k = 0; k < answer.samples.size(); ++k) {
    const auto& q = expected.at("samples")[k].at("q");
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_NEAR(answer.samples[k].positions.at(names[i].get<std::string>()).at(0), number(q[i]), tolerance)
          << names[i] << " at " << request.sample_at[k];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Maurer, Flows, testing::ValuesIn(flow_cases()),
                         [](const auto& each) { return each.param.id + "_" + words(each.param.way); });

}  // namespace zwang::oracles::flows_tests
