/// `zwang equations`: formats, screens, JSON, mistakes.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "command/call.hpp"

namespace zwang::command::equations_tests {
namespace {

using Json = nlohmann::ordered_json;

const std::string pursuit = R"toml(title = "Pursuit across the line of sight"
[points.a]
mass = "m"
position = [1, 0, 0]
velocity = [0, 1, "1/3"]
[points.b]
mass = "2*m"
position = [0, 0, 0]
velocity = ["1/5", "1/10", "1/4"]
[parameters]
m = 1
[constraints]
sight = "dot(a - b, a') = 0"
)toml";

struct Screen {
  std::size_t lines = 0;
  std::size_t widest = 0;
};
Screen screen(const std::string& text) {
  Screen out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    ++out.lines;
    out.widest = std::max(out.widest, line.size());
  }
  return out;
}

TEST(EquationsCommand, writes_the_pursuit_on_one_screen) {
  if (!is_built) GTEST_SKIP();
  const Outcome outcome = call({"equations", "-"}, pursuit);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const Screen size = screen(outcome.out);
  EXPECT_LE(size.lines, 50U);
  EXPECT_LE(size.widest, 80U);
  for (const char* line : {"m*a.x'' = -lambda*(a.x - b.x)", "2*m*b.z'' = 0",
                           "Phi[sight, sight] = ((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2)/m"}) {
    EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
  }
}

TEST(EquationsCommand, writes_the_skate_under_both_laws_on_one_screen) {
  if (!is_built) GTEST_SKIP();
  for (const char* model : {"gallery:skate", "gallery:skate-variational"}) {
    const Outcome outcome = call({"equations", model});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_LE(screen(outcome.out).lines, 50U);
    EXPECT_LE(screen(outcome.out).widest, 80U);
    EXPECT_NE(outcome.out.find("Phi[blade, blade] = 1/M"), std::string::npos) << outcome.out;
  }
  // The bend of the variational law turns the blade, the straightest law does not.
  EXPECT_NE(call({"equations", "gallery:skate"}).out.find("M*l^2*w'' = 0\n"), std::string::npos);
  EXPECT_NE(call({"equations", "gallery:skate-variational"}).out.find("M*l^2*w'' = rho*(cos(w)*x' + sin(w)*y')\n"),
            std::string::npos);
}

TEST(EquationsCommand, writes_a_family_once_unless_asked_for_all) {
  if (!is_built) GTEST_SKIP();
  const std::string chain = R"toml(
[points.bead]
count = 5000
mass = 1
position = ["i", 0]
[constraints]
link = { for = "i = 1..4999", condition = "distance(bead[i], bead[i+1]) <= 1" }
)toml";
  const Outcome outcome = call({"equations", "-"}, chain);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_LE(screen(outcome.out).lines, 60U) << outcome.out;
  for (const char* format : {"cpp", "python", "latex"}) {
    EXPECT_LE(screen(call({"equations", "-", "--format", format}, chain).out).lines, 300U);
  }
  const Outcome all = call({"equations", "gallery:chain-meets-beam", "--all"});
  EXPECT_NE(all.out.find("bead[5].y''"), std::string::npos);
}

TEST(EquationsCommand, tells_when_conditions_open_and_close) {
  if (!is_built) GTEST_SKIP();
  const Outcome outcome = call({"equations", "gallery:string-and-wall-acute"});
  EXPECT_NE(outcome.out.find("closes when  f_wall = 0, f_string = 0"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("opens when  lambda_wall = 0, lambda_string = 0"), std::string::npos);
}

TEST(EquationsCommand, answers_in_json_with_the_parts_as_strings) {
  if (!is_built) GTEST_SKIP();
  for (const char* format : {"text", "latex", "cpp", "python"}) {
    const JsonOutcome answer = call_json({"equations", "-", "--format", format}, pursuit);
    EXPECT_EQ(answer.exit, 0) << answer.err;
    EXPECT_EQ(answer.json.at("format"), format);
    EXPECT_EQ(answer.json.at("equations").size(), 6U);
    EXPECT_EQ(answer.json.at("equations")[0].at("of"), "a.x");
    EXPECT_EQ(answer.json.at("conditions").at("sight").at("kind"), "nonholonomic equation");
    EXPECT_TRUE(answer.json.contains("phi"));
    EXPECT_EQ(answer.json.at("parameters").at("m"), 1);
    EXPECT_EQ(answer.json.at("text"), call({"equations", "-", "--format", format}, pursuit).out);
  }
  const Json parts = call_json({"equations", "-"}, pursuit).json;
  EXPECT_EQ(parts.at("equations")[0].at("left"), "m*a.x''");
  EXPECT_EQ(parts.at("equations")[0].at("reaction"), "-lambda*(a.x - b.x)");
  EXPECT_EQ(parts.at("equations")[0].at("force"), "0");
  EXPECT_EQ(parts.at("conditions").at("sight").at("gradient").at("a.x"), "a.x - b.x");
}

TEST(EquationsCommand, writes_a_first_order_system) {
  if (!is_built) GTEST_SKIP();
  const std::string circle = R"toml(
[coordinates.x]
initial = 0.6
[coordinates.y]
initial = 0.8
[flow]
x = "-y"
y = "c*x"
[parameters]
c = 2
[constraints]
circle = "x^2 + y^2 = 1"
)toml";
  const Outcome outcome = call({"equations", "-"}, circle);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("x' = -y - 2*lambda*x"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("y' = c*x - 2*lambda*y"), std::string::npos) << outcome.out;
  // With x free, y alone is corrected.
  const Outcome oblique = call({"equations", "-"}, circle + "[free]\nfunctions = [\"x\"]\n");
  EXPECT_NE(oblique.out.find("x' = -y\n"), std::string::npos) << oblique.out;
  EXPECT_NE(oblique.out.find("y' = c*x - lambda/(2*y)"), std::string::npos) << oblique.out;
  EXPECT_EQ(call({"equations", "-", "--format", "cpp"}, circle).exit, 2);
}

TEST(EquationsCommand, refuses_a_format_it_does_not_know) {
  if (!is_built) GTEST_SKIP();
  const Outcome outcome = call({"equations", "-", "--format", "fortran"}, pursuit);
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("fortran"), std::string::npos);
  EXPECT_EQ(call({"equations", "-"}, "[points.a]\nmass = 1\n").exit, 2);
}

}  // namespace
}  // namespace zwang::command::equations_tests
