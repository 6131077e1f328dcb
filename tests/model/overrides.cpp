/// Overrides written into the text: the model that is read from it is the one they make.
#include <gtest/gtest.h>

#include "zwang/model/read.hpp"

namespace zwang::model::overrides_tests {

namespace {

const std::string head = R"toml(# a comment
[parameters]
g = 9.81   # gravity
p = [0, 1]
[points.a]
mass = 1
position = "p"
velocity = ["g", 0]
)toml";

/// The text with the overrides in it, which must give what the overrides give.
std::string written(const std::string& text, const Overrides& overrides) {
  const std::string result = with_overrides(read(text, "model.toml"), overrides);
  const Model direct = load(text, "model.toml", overrides);
  const Model again = load(result, "model.toml");
  EXPECT_EQ(direct.initial_position, again.initial_position) << result;
  EXPECT_EQ(direct.initial_velocity, again.initial_velocity) << result;
  EXPECT_EQ(direct.simulation.start, again.simulation.start) << result;
  EXPECT_EQ(direct.simulation.until, again.simulation.until) << result;
  EXPECT_EQ(direct.simulation.tolerance, again.simulation.tolerance) << result;
  EXPECT_EQ(direct.simulation.samples, again.simulation.samples) << result;
  return result;
}

}  // namespace

TEST(WithOverrides, nothing_leaves_the_text_as_it_is) { EXPECT_EQ(written(head, {}), head); }

TEST(WithOverrides, parameters_change_in_their_place_and_comments_stay) {
  const std::string text = written(head, {{{"g", "1.62"}, {"p", "[2, g]"}}, "", "", "", ""});
  EXPECT_NE(text.find("# a comment\n"), std::string::npos);
  EXPECT_NE(text.find("g = 1.62"), std::string::npos);
  EXPECT_NE(text.find("# gravity"), std::string::npos);
}

TEST(WithOverrides, the_last_word_on_a_parameter_counts) {
  const std::string text = written(head, {{{"g", "1"}, {"g", "2"}}, "", "", "", ""});
  EXPECT_NE(text.find("g = 2"), std::string::npos);
}

TEST(WithOverrides, settings_find_their_place) {
  const Overrides all{{}, "0.5", "2*g", "1e-9", "11"};
  for (const std::string& tail :
       {std::string(), std::string("[simulation]\n"), std::string("[simulation]\nuntil = 3 # end\n"),
        std::string("[simulation]\nstop = \"a.x >= 9\"\n[outputs]\nh = \"a.y\"\n"),
        std::string("[simulation]\nstart = 0\nuntil = 3\ntolerance = 1e-12\nsamples = 5\n")}) {
    const std::string text = written(head + tail, all);
    EXPECT_EQ(text.find("# a comment\n"), 0U);
  }
}

TEST(WithOverrides, tables_in_one_line_stay_in_one_line) {
  const std::string text = written("simulation = { until = 3 }\n" + head, {{}, "", "", "1e-9", "11"});
  EXPECT_EQ(text.substr(0, text.find('\n')).back(), '}');
}

}  // namespace zwang::model::overrides_tests
