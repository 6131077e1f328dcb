/// `analyze integrability` and `run --use-integrals` as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "command/call.hpp"

namespace zwang::command::integrability_tests {

namespace {

namespace fs = std::filesystem;

/// A cylinder and a plane hidden behind a matrix.
const std::string ellipse = R"(
[coordinates.x]
initial  = 1
velocity = 0
[coordinates.y]
initial  = 0
velocity = 1.5
[coordinates.z]
initial  = 0.5
velocity = -1.5
[energy]
kinetic   = "(x'^2 + y'^2 + z'^2)/2"
potential = "x*y"
[outputs]
cylinder = "x^2 + y^2"
plane    = "y + z"
[simulation]
until = 200
tolerance = 1e-7
[constraints]
first  = { condition = "(1 + z^2)*(x*x' + y*y') + x*(y' + z') = 0", restitution = 0 }
second = "sin(x)*(x*x' + y*y') + y' + z' = 0"
)";

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "zwang-integrals-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
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

}  // namespace

TEST(RunWithIntegrals, keeps_them_to_rounding_where_the_conditions_alone_drift) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const auto plain = call_json({"run", "-", "--out", folder.path()}, ellipse);
  const auto held = call_json({"run", "-", "--use-integrals", "--out", folder.path()}, ellipse);
  ASSERT_EQ(plain.exit, 0) << plain.err;
  ASSERT_EQ(held.exit, 0) << held.err;
  EXPECT_FALSE(plain.json.contains("integrals"));
  EXPECT_EQ(held.json.at("integrals").at("first"), "y + z = 0.5");
  EXPECT_EQ(held.json.at("integrals").at("second"), "x^2 + y^2 = 1");
  const auto drift = [](const JsonOutcome& run) {
    const auto& outputs = run.json.at("final").at("outputs");
    return std::max(std::abs(outputs.at("cylinder").get<double>() - 1),
                    std::abs(outputs.at("plane").get<double>() - 0.5));
  };
  EXPECT_GT(drift(plain), 1e-11);
  EXPECT_LE(drift(held), 1e-15);
  // The motion is the same.
  for (const char* name : {"x", "y", "z"}) {
    EXPECT_NEAR(plain.json.at("final").at("positions").at(name).get<double>(),
                held.json.at("final").at("positions").at(name).get<double>(), 1e-4);
  }
}

TEST(RunWithIntegrals, goes_on_after_a_resume) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const TemporaryFile file(ellipse, ".toml");
  const auto first = call_json({"run", file.name(), "--use-integrals", "--until", "5", "--out", folder.path()});
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string run = first.json.at("files").at(0);
  const auto second = call_json({"run", "--resume", run, "--until", "20"});
  ASSERT_EQ(second.exit, 0) << second.err;
  EXPECT_NEAR(second.json.at("final").at("outputs").at("cylinder").get<double>(), 1, 1e-15);
  EXPECT_EQ(call({"run", "--resume", run, "--use-integrals"}).exit, 2);
}

TEST(RunWithIntegrals, says_so_when_nothing_integrates) {
  if (!is_built) GTEST_SKIP();
  const Folder folder;
  const auto run = call({"run", "gallery:skate", "--use-integrals", "--until", "1", "--out", folder.path()});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("no condition was found to integrate"), std::string::npos) << run.out;
}

TEST(AnalyzeIntegrability, tells_people_verdict_integrals_ranks_and_gaps) {
  if (!is_built) GTEST_SKIP();
  const auto answer = call({"analyze", "integrability", "gallery:two-wheels"});
  EXPECT_EQ(answer.exit, 0) << answer.err;
  for (const char* words : {"partly integrable: 1 of 3", "4*w - a + b", "derived flag", "growth", "smallest kept",
                            "straightest and variational motion differ", "5 of 5 random points"}) {
    EXPECT_NE(answer.out.find(words), std::string::npos) << words << "\n" << answer.out;
  }
  EXPECT_EQ(call({"analyze", "integrability", "gallery:two-wheels", "--quiet"}).out, "1 of 3 integrable\n");
}

TEST(AnalyzeIntegrability, tells_what_is_special_about_a_state) {
  if (!is_built) GTEST_SKIP();
  const auto leaf = call({"analyze", "integrability", "gallery:skate-on-a-leaf", "--set", "gear=0"});
  EXPECT_NE(leaf.out.find("on the leaf through this state 2 integrate: its values are special"), std::string::npos)
      << leaf.out;
  EXPECT_NE(leaf.out.find("there also y is constant"), std::string::npos) << leaf.out;
}

TEST(AnalyzeIntegrability, has_a_sentence_where_there_is_nothing_to_ask) {
  if (!is_built) GTEST_SKIP();
  const std::string point = "[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"x'^2\"\n";
  const auto none = call({"analyze", "integrability", "-"}, point);
  EXPECT_EQ(none.exit, 2);
  EXPECT_NE(none.err.find("no conditions"), std::string::npos) << none.err;
  const auto wall = call({"analyze", "integrability", "-"}, point + "[constraints]\nwall = \"x >= 0\"\n");
  EXPECT_EQ(wall.exit, 2);
  EXPECT_NE(wall.err.find("inequalities"), std::string::npos) << wall.err;
  const auto flow = call_json({"analyze", "integrability", "gallery:unfree-flow-sphere"});
  EXPECT_EQ(flow.exit, 2);
  EXPECT_TRUE(flow.json.contains("error"));
}

}  // namespace zwang::command::integrability_tests
