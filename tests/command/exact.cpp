/// `zwang accelerate --exact`: the same answers as in doubles, as fractions.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "call.hpp"

namespace zwang::command::exact_tests {
namespace {

using nlohmann::json;

double number(const std::string& fraction) {
  const std::size_t slash = fraction.find('/');
  // Long fractions: both parts have their leading digits in long double.
  const long double above = std::stold(fraction.substr(0, slash));
  const long double below = slash == std::string::npos ? 1 : std::stold(fraction.substr(slash + 1));
  return static_cast<double>(above / below);
}

/// All numbers of an object of bodies, in order.
std::vector<double> numbers(const json& bodies) {
  std::vector<double> out;
  for (const json& body : bodies) {
    for (const json& one : body.is_array() ? body : json::array({body})) {
      out.push_back(one.is_string() ? number(one.get<std::string>()) : one.get<double>());
    }
  }
  return out;
}

TEST(Exact, answers_of_the_gallery_are_those_of_doubles) {
  if (!is_built) GTEST_SKIP();
  std::istringstream names(call({"gallery"}).out);
  std::string line;
  int compared = 0;
  while (std::getline(names, line)) {
    const std::string model = "gallery:" + line.substr(0, line.find(' '));
    if (line.empty() || line[0] == ' ') continue;
    const json fractions = json::parse(call({"accelerate", model, "--exact", "--json"}).out);
    if (fractions.contains("error") || fractions["status"] != "determined") continue;
    const json doubles = json::parse(call({"accelerate", model, "--json"}).out);
    ASSERT_EQ(doubles["status"], "determined") << model;
    EXPECT_EQ(fractions["regular"], doubles["regular"]) << model;
    EXPECT_EQ(fractions["multipliers_unique"], doubles["multipliers_unique"]) << model;
    for (const char* key : {"accelerations", "free", "reaction"}) {
      const std::vector<double> exact = numbers(fractions[key]), rounded = numbers(doubles[key]);
      ASSERT_EQ(exact.size(), rounded.size()) << model;
      double size = 0;
      for (const double one : exact) size = std::max(size, std::abs(one));
      // Positions typed with twelve digits are off by as much.
      for (std::size_t k = 0; k < exact.size(); ++k)
        EXPECT_NEAR(exact[k], rounded[k], 1e-11 * size) << model << " " << key;
    }
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(Exact, what_cannot_be_a_fraction_is_an_error_with_its_place) {
  if (!is_built) GTEST_SKIP();
  const Outcome outcome = call({"accelerate", "gallery:skate", "--exact", "--json"});
  EXPECT_EQ(outcome.exit, 2);
  const json error = json::parse(outcome.out)["error"];
  EXPECT_EQ(error["line"], 18);
  EXPECT_NE(error["message"].get<std::string>().find("irrational"), std::string::npos);
}

TEST(Exact, a_jam_ends_with_status_3_and_fractions_as_proof) {
  if (!is_built) GTEST_SKIP();
  const Outcome outcome = call({"accelerate", "gallery:jam", "--exact", "--json"});
  EXPECT_EQ(outcome.exit, 3);
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["status"], "jammed");
  for (const json& y : answer["farkas"]) EXPECT_TRUE(y.is_string());
  EXPECT_GE(answer["farkas"].size(), 2U);
}

TEST(Exact, is_refused_where_there_is_nothing_to_accelerate) {
  if (!is_built) GTEST_SKIP();
  EXPECT_EQ(call({"accelerate", "gallery:unfree-flow-sphere", "--exact"}).exit, 2);
  EXPECT_EQ(call({"impact", "gallery:jam", "--exact"}).exit, 2);
}

}  // namespace
}  // namespace zwang::command::exact_tests
