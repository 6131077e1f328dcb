/// `analyze velocities`: pinned keys, readable forms, honest about rows that repeat or contradict.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "command/call.hpp"

namespace zwang::command::velocities_tests {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> list;
  for (const auto& [key, value] : json.items()) list.push_back(key);
  return list;
}

const std::string cart = R"toml(title = "cart"
[parameters]
M = 2
l = 0.5
[coordinates.x]
initial = 0
velocity = 3
[coordinates.y]
initial = 0
velocity = 1
[coordinates.w]
initial = "atan2(4, 3)"
velocity = 2
[energy]
kinetic = "M/2*(x'^2 + y'^2 + l^2*w'^2)"
[constraints]
edge = "y'*cos(w) - x'*sin(w) = 0"
)toml";

}  // namespace

TEST(AnalyzeVelocities, answers_with_the_pinned_keys_and_needs_no_admissible_velocity) {
  const auto answer = call_json({"analyze", "velocities", "-"}, cart);
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  EXPECT_EQ(keys(answer.json), (std::vector<std::string>{"zwang", "model", "time", "columns", "dependent", "conjugate",
                                                         "kinetic", "projected", "momenta", "rank"}));
  EXPECT_EQ(keys(answer.json["kinetic"]), (std::vector<std::string>{"total", "conjugate", "dependent"}));
  EXPECT_EQ(answer.json["columns"], Json::array({"x", "y", "w"}));
  EXPECT_NEAR(answer.json["dependent"][0][1].get<double>(), -0.75, 1e-14);
  EXPECT_NEAR(answer.json["conjugate"][0][1].get<double>(), 4.0 / 3, 1e-14);
  EXPECT_EQ(answer.json["conjugate"][1], Json::array({0, 0, 1}));
  EXPECT_NEAR(answer.json["kinetic"]["total"].get<double>(), 11, 1e-13);
  EXPECT_NEAR(answer.json["kinetic"]["conjugate"].get<double>(), 194.0 / 25, 1e-13);
  EXPECT_NEAR(answer.json["kinetic"]["dependent"].get<double>(), 81.0 / 25, 1e-13);
  EXPECT_NEAR(answer.json["projected"]["x"].get<double>(), 39.0 / 25, 1e-13);
  EXPECT_NEAR(answer.json["projected"]["y"].get<double>(), 52.0 / 25, 1e-13);
}

TEST(AnalyzeVelocities, writes_forms_as_people_do) {
  const auto answer = call({"analyze", "velocities", "-"}, cart);
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_NE(answer.out.find("u1  x' + 4/3 y'"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("u2  w'"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("u3  x' - 3/4 y'"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("T = 11 = 7.76 of u1 and u2 + 3.24 of u3"), std::string::npos) << answer.out;
  EXPECT_EQ(call({"analyze", "velocities", "-", "--quiet"}, cart).out, "2 free, 1 dependent\n");
}

TEST(AnalyzeVelocities, tells_of_moving_repeated_and_contradictory_conditions) {
  const std::string moving = cart + "belt = \"x' = 2 + t\"\nagain = \"2*x' - 4 = 2*t\"\n";
  const auto answer = call_json({"analyze", "velocities", "-"}, moving);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json["rank"], 2);
  EXPECT_EQ(answer.json["redundant"], Json::array({"again"}));
  EXPECT_EQ(answer.json["offset"].size(), 2U);
  EXPECT_NEAR(answer.json["projected"]["x"].get<double>(), 2, 1e-13);
  EXPECT_TRUE(answer.json["kinetic"].contains("forbidden"));
  const std::string impossible = cart + "belt = \"x' = 2\"\nother = \"x' = 3\"\n";
  const auto none = call_json({"analyze", "velocities", "-"}, impossible);
  EXPECT_EQ(none.exit, 3);
  EXPECT_EQ(none.json["contradictory"].size(), 1U);
  EXPECT_FALSE(none.json.contains("projected"));
  EXPECT_NE(call({"analyze", "velocities", "-"}, impossible).out.find("no velocity is admissible"), std::string::npos);
}

TEST(AnalyzeVelocities, explains_itself_and_refuses_first_order_systems) {
  EXPECT_NE(call({"analyze", "velocities", "--help"}).out.find("conjugate velocity parameters"), std::string::npos);
  const auto flow = call({"analyze", "velocities", "-"}, "[coordinates.x]\ninitial = 1\n[flow]\nx = \"-x\"\n");
  EXPECT_EQ(flow.exit, 2);
  EXPECT_NE(flow.err.find("first-order system"), std::string::npos) << flow.err;
}

}  // namespace zwang::command::velocities_tests
