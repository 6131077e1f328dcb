/// The limits of docs/reference/model-file.md, at their edges: what is beyond is refused before memory or seconds are spent on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>

#include "counted_new.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"

namespace zwang::model::limits_tests {

namespace {

/// What the model is refused with, or nothing.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(load(text, "m.toml"));
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}

/// Of memory, in which the work is counted: what is refused at its limit costs about that of the limit, not of what was asked for.
constexpr std::size_t most_allocations = 2'000'000;

std::string quick_refusal(const std::string& text) {
  const std::size_t before = allocations();
  std::string words = refusal(text);
  EXPECT_LT(allocations() - before, most_allocations) << words;
  return words;
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string out;
  for (std::size_t k = 0; k < times; ++k) out += part;
  return out;
}

const std::string point = "[points.a]\nmass = 1\nposition = [0, 0]\n";
std::string force(const std::string& expression) { return point + "force = [\"" + expression + "\", 0]\n"; }
std::string parameter(const std::string& expression) { return "[parameters]\np = \"" + expression + "\"\n" + point; }

}  // namespace

TEST(Limits, members_of_families_and_ranges) {
  EXPECT_NE(quick_refusal("[points.a]\ncount = 1000001\nmass = 1\nposition = [\"i\", 0]\n").find("at most 1000000"),
            std::string::npos);
  EXPECT_NE(
      quick_refusal("[points.a]\ncount = [1001, 1000]\nmass = 1\nposition = [\"i\", 0]\n").find("at most 1000000"),
      std::string::npos);
  EXPECT_NE(quick_refusal(point + "[constraints]\nc = { for = \"i = 0..1000001\", condition = \"a.x <= i\" }\n")
                .find("at most 1000000"),
            std::string::npos);
  EXPECT_EQ(refusal(point + "[constraints]\nc = { for = \"i = 1..20000\", condition = \"a.x <= i\" }\n"), "");
}

TEST(Limits, conditions_are_counted_before_they_are_made) {
  for (const char* ranges :
       {"i = 1..100000, j = 1..100000", "i = 1..100000, j = i+1..100000", "i = 1..21, j = 1..1000000"}) {
    EXPECT_NE(quick_refusal(point + "[constraints]\nc = { for = \"" + ranges + "\", condition = \"a.x <= i + j\" }\n")
                  .find("more than 20000000 conditions"),
              std::string::npos)
        << ranges;
  }
}

TEST(Limits, terms_of_sums) {
  EXPECT_NE(quick_refusal(force("sum(i = 1..200001, sin(i*a.x))")).find("200000 terms"), std::string::npos);
  EXPECT_NE(quick_refusal(force("sum(i = 1..501, sum(j = 1..400, sin(i*j*a.x)))")).find("200000 terms"),
            std::string::npos);
  EXPECT_EQ(refusal(force("sum(i = 1..20000, i*a.x)")), "");
  EXPECT_EQ(refusal(parameter("sum(i = 1..200001, 1/i^2)")), "") << "numbers are only added up";
  EXPECT_NE(quick_refusal(parameter("sum(i = 1..2000001, 1/i^2)")).find("2000000 turns"), std::string::npos);
  EXPECT_NE(quick_refusal(parameter("sum(i = 1..9007199254740992, 1/i^2)")).find("sum"), std::string::npos);
  EXPECT_NE(quick_refusal(point + "[energy]\npotential = \"sum(i = 1..30000, sum(j = 1..1000, sin(i*j*a.x)))\"\n")
                .find("more than 20000000 terms"),
            std::string::npos);
}

TEST(Limits, depth_and_length_of_expressions) {
  EXPECT_EQ(refusal(force(repeated("(", 200) + "a.x" + repeated(")", 200))), "");
  for (const std::string& deep : {repeated("(", 257) + "1" + repeated(")", 257), repeated("-", 100'000) + "a.x",
                                  repeated("sin(", 5000) + "a.x" + repeated(")", 5000), "2" + repeated("^2", 5000)}) {
    EXPECT_NE(quick_refusal(force(deep)).find("nested deeper than 256"), std::string::npos) << deep.substr(0, 20);
  }
  EXPECT_NE(quick_refusal(force("1" + repeated(" + 1", 300'000))).find("longer than 1048576 bytes"), std::string::npos);
  EXPECT_NE(quick_refusal("a" + repeated(".a", 1001) + " = 1\n" + point).find("1000 parts"), std::string::npos);
}

TEST(Limits, exponents_have_none_but_that_of_numbers) {
  EXPECT_EQ(refusal("[points.a]\nmass = 1\nposition = [0.5, 0]\nforce = [\"(a.x + a.y)^1000000000\", 0]\n"), "");
  EXPECT_NE(quick_refusal(point + "[constraints]\nc = \"(a.x + a.y + 2)^100000 <= 5\"\n").find("too large"),
            std::string::npos);
}

TEST(Limits, tables_have_as_many_points_as_were_measured) {
  // Seconds of a processor: when every point was compared with all points, these took twenty and six.
  constexpr double most = 4;
  for (const auto& [kind, points] : {std::pair{"table", 40'000}, std::pair{"spline", 10'000}}) {
    std::string places = "0", values = "0";
    for (int k = 1; k < points; ++k) {
      places += fmt::format(", {}", k);
      values += fmt::format(", {}", 0.1 * (k % 7));
    }
    const std::clock_t before = std::clock();
    EXPECT_EQ(refusal(force(fmt::format("{}(a.x, [{}], [{}])", kind, places, values))), "") << kind;
    EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, most) << kind;
  }
}

TEST(Limits, samples) {
  const auto with = [](const char* samples) { return point + "[simulation]\nsamples = " + samples + "\n"; };
  EXPECT_EQ(refusal(with("2")), "");
  EXPECT_EQ(refusal(with("100000000")), "");
  for (const char* wrong : {"1", "0", "-5", "100000001", "1e300"}) EXPECT_NE(quick_refusal(with(wrong)), "") << wrong;
}

}  // namespace zwang::model::limits_tests
