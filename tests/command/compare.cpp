/// `compare`: two runs, their distance, and whether the laws agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "command/call.hpp"

namespace zwang::command::compare_tests {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> list;
  for (const auto& [key, value] : json.items()) list.push_back(key);
  return list;
}

class Compare : public testing::Test {
 protected:
  Compare() {
    folder_ = fs::temp_directory_path() / ("zwang-compare-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~Compare() override { fs::remove_all(folder_); }
  Compare(const Compare&) = delete;
  Compare& operator=(const Compare&) = delete;

  [[nodiscard]] JsonOutcome compare(const std::string& model, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"compare", "-", "--out", folder_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return call_json(words, model);
  }
  [[nodiscard]] std::string told(const std::string& model, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"compare", "-", "--out", folder_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return call(words, model).out;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

/// The cart of the reference problems K02 (straightest) and K10 (variational), M = 1, l = 1/2.
const std::string cart = R"toml(title = "cart"
[coordinates.x]
initial = 0
velocity = 1
[coordinates.y]
initial = 0
velocity = 0
[coordinates.w]
initial = 0
velocity = 1
[energy]
kinetic = "(x'^2 + y'^2 + w'^2/4)/2"
[constraints]
edge = { condition = "cos(w)*y' - sin(w)*x' = 0", law = "variational", multiplier = 0.25 }
[simulation]
until = 2
samples = 21
)toml";

const std::string disguise = R"toml(
[points.p]
mass = 1
position = [1, 0.5, 0]
velocity = [1, "1/3", "-5/6"]
[constraints]
hidden = "p.x*p.y' + p.y*p.x' + p.z' = 0"
[simulation]
until = 3
samples = 7
)toml";

}  // namespace

TEST_F(Compare, answers_with_two_runs_the_distance_and_the_verdict) {
  const auto answer = compare(cart);
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  EXPECT_EQ(keys(answer.json), (std::vector<std::string>{"zwang", "model", "straightest", "variational", "distance",
                                                         "largest", "laws_agree", "equivalence"}));
  for (const char* side : {"straightest", "variational"})
    EXPECT_EQ(keys(answer.json[side]), (std::vector<std::string>{"status", "final", "events", "energy", "drift",
                                                                 "defect", "steps", "correction", "files"}))
        << side;
  EXPECT_EQ(answer.json["laws_agree"], false);
  EXPECT_EQ(answer.json["equivalence"]["conditions"]["edge"]["integrates"], false);
  EXPECT_FALSE(answer.json["straightest"]["final"].contains("rho"));
  EXPECT_TRUE(answer.json["variational"]["final"].contains("rho"));

  // The straightest cart runs on a circle; the variational one is reference problem K10.
  const Json& straight = answer.json["straightest"]["final"];
  const Json& varied = answer.json["variational"]["final"];
  EXPECT_NEAR(straight["positions"]["x"].get<double>(), std::sin(2), 1e-12);
  EXPECT_NEAR(straight["positions"]["y"].get<double>(), 1 - std::cos(2), 1e-12);
  EXPECT_NEAR(varied["positions"]["x"].get<double>(), 1.177318645901344300998491, 1e-11);
  EXPECT_NEAR(varied["positions"]["w"].get<double>(), 2.993844227520310437320971, 1e-11);
  EXPECT_NEAR(varied["rho"]["edge"].get<double>(), -0.3944877249594498233110218, 1e-11);

  // Distances at all samples, the last one by hand.
  const Json& distance = answer.json["distance"];
  ASSERT_EQ(distance.size(), 21U);
  EXPECT_EQ(distance[0], Json::array({0, 0}));
  double sum = 0;
  for (const auto& [name, mass] : {std::pair{"x", 1.0}, std::pair{"y", 1.0}, std::pair{"w", 0.25}}) {
    const double apart = straight["positions"][name].get<double>() - varied["positions"][name].get<double>();
    sum += mass * apart * apart;
  }
  EXPECT_EQ(distance[20][0], 2);
  EXPECT_NEAR(distance[20][1].get<double>(), std::sqrt(sum), 1e-14);
  double most = 0;
  for (const auto& pair : distance) most = std::max(most, pair[1].get<double>());
  EXPECT_EQ(answer.json["largest"]["distance"].get<double>(), most);
}

TEST_F(Compare, a_holonomic_condition_in_disguise_moves_alike_under_both_laws) {
  const auto answer = compare(disguise);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json["laws_agree"], true);
  for (const auto& pair : answer.json["distance"]) EXPECT_LT(pair[1].get<double>(), 1e-11);
  EXPECT_NE(told(disguise).find("the laws agree: hidden integrates"), std::string::npos) << told(disguise);
  EXPECT_EQ(told(disguise, {"--quiet"}), "the laws agree\n");
}

TEST_F(Compare, tells_people_times_distances_and_why) {
  const auto text = told(cart);
  EXPECT_NE(text.find("the laws differ: edge does not integrate"), std::string::npos) << text;
  EXPECT_NE(text.find("threshold 1e-09"), std::string::npos) << text;
  EXPECT_NE(text.find("largest distance"), std::string::npos) << text;
  EXPECT_NE(text.find("straightest: finished at t = 2"), std::string::npos) << text;
  EXPECT_NE(text.find("variational: finished at t = 2"), std::string::npos) << text;
  EXPECT_NE(text.find("rho: edge -0.39448"), std::string::npos) << text;
}

TEST_F(Compare, takes_the_options_of_run) {
  const auto answer = compare(cart, {"--until", "1", "--samples", "3", "--sample-at", "0.25,1", "--csv"});
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  EXPECT_EQ(answer.json["straightest"]["final"]["time"], 1);
  EXPECT_EQ(answer.json["variational"]["samples"].size(), 2U);
  ASSERT_EQ(answer.json["distance"].size(), 4U) << "0, 0.25, 0.5, 1";
  EXPECT_EQ(answer.json["distance"][1][0], 0.25);
  for (const char* name : {"model-straightest.sqlite", "model-variational.sqlite", "model-straightest.csv",
                           "model-variational-events.csv", "model-distance.csv"})
    EXPECT_TRUE(fs::exists(file(name))) << name;
  std::ifstream stream(file("model-distance.csv"));
  const std::string content{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(content.substr(0, 20), "time,distance\n0,0\n0.");
  EXPECT_EQ(compare(cart, {"--until", "-1"}).exit, 2);
  EXPECT_EQ(compare(cart, {"--sample-at", "7"}).exit, 2);
}

TEST_F(Compare, a_run_of_a_comparison_goes_on_under_its_own_law) {
  ASSERT_EQ(compare(cart, {"--until", "1"}).exit, 0);
  const auto resumed = call_json({"run", "--resume", file("model-variational.sqlite"), "--until", "2"});
  EXPECT_EQ(resumed.exit, 0) << resumed.out;
  const auto whole = compare(cart, {"--until", "2"});
  ASSERT_EQ(whole.exit, 0);
  const Json& one = resumed.json["final"]["positions"];
  const Json& variational = whole.json["variational"]["final"]["positions"];
  const Json& straightest = whole.json["straightest"]["final"]["positions"];
  double apart = 0;
  for (const char* name : {"x", "y", "w"}) {
    EXPECT_NEAR(one[name].get<double>(), variational[name].get<double>(), 1e-10) << name;
    apart = std::max(apart, std::abs(one[name].get<double>() - straightest[name].get<double>()));
  }
  EXPECT_GT(apart, 1e-3) << "the laws differ";
}

TEST_F(Compare, ends_with_status_three_when_one_of_the_motions_is_not_defined) {
  const auto answer = compare(cart + "\n[[impulses]]\nat = 1\non = \"w\"\nvalue = 1\n");
  EXPECT_EQ(answer.exit, 3) << answer.out;
  EXPECT_EQ(answer.json["straightest"]["status"], "finished");
  EXPECT_EQ(answer.json["variational"]["status"], "refused");
  EXPECT_LE(answer.json["distance"].back()[0].get<double>(), 1 + 1e-9);
}

TEST_F(Compare, without_equations_between_velocities_has_one_motion) {
  const auto answer =
      compare("gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [1, 0]\n[constraints]\nrod = \"norm(p) = 1\"\n",
              {"--until", "1", "--samples", "3"});
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(answer.json["laws_agree"], true);
  EXPECT_EQ(answer.json["largest"]["distance"], 0);
}

}  // namespace zwang::command::compare_tests
