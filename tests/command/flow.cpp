/// First-order systems on the command line: what is answered, what is refused, and what a run leaves.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "command/call.hpp"

namespace zwang::command::flow_tests {

namespace {

namespace fs = std::filesystem;

const std::string climbing =
    "[coordinates.x]\ninitial = \"4/5\"\n[coordinates.y]\ninitial = 0\n[coordinates.z]\ninitial = \"-3/5\"\n"
    "[flow]\nx = 0\ny = 0\nz = 1\n[constraints]\nsphere = \"(x^2 + y^2 + z^2 - 1)/2 = 0\"\n"
    "[outputs]\nspeed = \"z'\"\n[simulation]\nuntil = 2\n";

/// z under the orthogonal projection.
double height(double t) { return std::tanh(t + std::atanh(-0.6)); }

/// A folder that lives as long as this object.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("zwang-flow-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

TEST(FlowCommand, run_tells_states_rates_and_multipliers_and_no_energy) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const JsonOutcome answer = call_json({"run", "-", "--out", folder.path(), "--sample-at", "0.5,3/2"}, climbing);
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(answer.json.at("status"), "finished");
  EXPECT_FALSE(answer.json.contains("energy"));
  EXPECT_TRUE(answer.json.contains("drift"));
  EXPECT_TRUE(answer.json.at("events").empty());
  ASSERT_EQ(answer.json.at("samples").size(), 2U);
  for (const auto& sample : answer.json.at("samples")) {
    const double t = sample.at("time");
    const double z = height(t);
    EXPECT_NEAR(sample.at("positions").at("z").get<double>(), z, 1e-11);
    EXPECT_NEAR(sample.at("velocities").at("z").get<double>(), 1 - z * z, 1e-11);
    EXPECT_NEAR(sample.at("multipliers").at("sphere").get<double>(), z, 1e-11);
    EXPECT_NEAR(sample.at("outputs").at("speed").get<double>(), 1 - z * z, 1e-11);
  }
}

TEST(FlowCommand, options_of_a_run_hold_for_a_flow) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const JsonOutcome answer = call_json(
      {"run", "-", "--out", folder.path(), "--until", "1", "--tolerance", "1e-8", "--samples", "5", "--csv"}, climbing);
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_NEAR(answer.json.at("final").at("positions").at("z").get<double>(), height(1), 1e-7);
  std::ifstream csv(folder.path() + "/model.csv");
  std::string line;
  ASSERT_TRUE(std::getline(csv, line));
  EXPECT_EQ(line, "time,x,y,z,x',y',z',lambda sphere,speed");
  int lines = 0;
  while (std::getline(csv, line)) ++lines;
  EXPECT_EQ(lines, 5);
}

TEST(FlowCommand, a_run_goes_on_where_it_ended) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  ASSERT_EQ(call_json({"run", "-", "--out", folder.path(), "--until", "1"}, climbing).exit, 0);
  const JsonOutcome answer = call_json({"run", "--resume", folder.path() + "/model.sqlite", "--until", "2"});
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json.at("final").at("time"), 2);
  EXPECT_NEAR(answer.json.at("final").at("positions").at("z").get<double>(), height(2), 1e-11);
}

TEST(FlowCommand, run_ends_with_status_three_where_the_free_functions_fail) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const std::string leaving =
      "[coordinates.x]\ninitial = 0.5\n[coordinates.y]\ninitial = \"sqrt(3)/2\"\n[flow]\nx = \"x\"\ny = 0\n"
      "[free]\nfunctions = [\"x\"]\n[constraints]\nring = \"x^2 + y^2 = 1\"\n";
  const JsonOutcome answer = call_json({"run", "-", "--out", folder.path()}, leaving);
  EXPECT_EQ(answer.exit, 3);
  EXPECT_EQ(answer.json.at("status"), "singular");
  EXPECT_EQ(answer.json.at("culprits"), nlohmann::ordered_json::array({"ring"}));
  EXPECT_NEAR(answer.json.at("final").at("time").get<double>(), std::log(2.0), 1e-11);
  ASSERT_EQ(answer.json.at("events").size(), 1U);
  EXPECT_EQ(answer.json.at("events")[0].at("kind"), "singular");
}

TEST(FlowCommand, the_table_speaks_of_values_and_rates) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const Outcome answer = call({"run", "-", "--out", folder.path()}, climbing);
  EXPECT_EQ(answer.exit, 0);
  EXPECT_NE(answer.out.find("value"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("rate"), std::string::npos) << answer.out;
  EXPECT_EQ(answer.out.find("energy"), std::string::npos) << answer.out;
}

TEST(FlowCommand, check_shows_the_rates_at_the_start) {
  if (!is_built) GTEST_SKIP();
  const JsonOutcome answer = call_json({"check", "-"}, climbing);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json.at("status"), "admissible");
  EXPECT_EQ(answer.json.at("regular"), true);
  EXPECT_EQ(answer.json.at("free").at("z"), 1);
  EXPECT_NEAR(answer.json.at("velocities").at("x").get<double>(), 0.48, 1e-15);
  EXPECT_NEAR(answer.json.at("velocities").at("z").get<double>(), 0.64, 1e-15);
  EXPECT_NEAR(answer.json.at("multipliers").at("sphere").get<double>(), -0.6, 1e-15);
  const Outcome table = call({"check", "-"}, climbing);
  EXPECT_NE(table.out.find("free rate"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("lambda sphere = -0.6"), std::string::npos) << table.out;
}

TEST(FlowCommand, check_tells_a_broken_start_and_repairs_it) {
  if (!is_built) GTEST_SKIP();
  std::string rough = climbing;
  rough.replace(rough.find("4/5"), 3, "0.81");
  const JsonOutcome broken = call_json({"check", "-"}, rough);
  EXPECT_EQ(broken.exit, 3);
  EXPECT_EQ(broken.json.at("status"), "inadmissible");
  const Outcome mended = call({"check", "-", "--repair"}, rough);
  EXPECT_EQ(mended.exit, 0) << mended.err;
  EXPECT_EQ(mended.out.find("velocity"), std::string::npos) << mended.out;
  EXPECT_EQ(call({"check", "-", "--quiet"}, mended.out).out, "admissible\n");
}

TEST(FlowCommand, check_tells_conditions_that_contradict_each_other) {
  if (!is_built) GTEST_SKIP();
  const JsonOutcome answer = call_json(
      {"check", "-"}, "[coordinates.x]\ninitial = 0\n[flow]\nx = 1\n[constraints]\na = \"x = 0\"\nb = \"x = t\"\n");
  EXPECT_EQ(answer.exit, 3);
  EXPECT_EQ(answer.json.at("status"), "jammed");
}

TEST(FlowCommand, questions_of_bodies_are_refused_in_a_sentence) {
  if (!is_built) GTEST_SKIP();
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"accelerate", "-"},
                                                                                     {"explain", "-"},
                                                                                     {"impact", "-"},
                                                                                     {"analyze", "reversal", "-"},
                                                                                     {"analyze", "velocities", "-"}}) {
    const JsonOutcome answer = call_json(words, climbing);
    EXPECT_EQ(answer.exit, 2) << words[0];
    const std::string message = answer.json.at("error").at("message");
    EXPECT_NE(message.find("it has rates"), std::string::npos) << message;
  }
}

}  // namespace

}  // namespace zwang::command::flow_tests
