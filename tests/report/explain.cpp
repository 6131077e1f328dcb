/// The story of an instant: who is tried, who refutes it, and the shock before the accelerations. How a run ended, in words.
#include "zwang/report/explain.hpp"

#include <gtest/gtest.h>

#include "zwang/model/read.hpp"
#include "zwang/report/ending.hpp"

namespace zwang::report::explain_tests {
namespace {

const std::string pendulum = R"toml(gravity = [0, -9.81]
[points.a]
mass = 1
position = [0, -1]
velocity = [0, 0]
[constraints]
string = "norm(a) <= 1"
)toml";

bool tells(const std::string& text, std::string_view words) { return text.find(words) != std::string::npos; }

TEST(Explain, a_string_that_the_weight_would_break_is_held_and_named) {
  const model::Model model = model::load(pendulum, "model.toml");
  const Explanation told = explain(model, model::initial_state(model));
  EXPECT_FALSE(told.struck);
  const std::string text = explain_text(model, told);
  EXPECT_TRUE(tells(text, "string: the free motion has f'' = 9.81 > 0, which breaks it.")) << text;
  EXPECT_TRUE(tells(text, "refuted by f'' > 0 for string.")) << text;
  EXPECT_TRUE(tells(text, "string is held: all signs are right.")) << text;
}

// The shock leaves rounding of the velocities before: what the joint holds counts as held.
TEST(Explain, a_body_struck_by_its_hinge_is_told_to_the_end) {
  const model::Model model = model::load(R"toml([bodies.b]
mass = 1
shape = { ball = 0.5 }
position = [0, 0, -1]
velocity = [0.1, 0.2, 0.3]
[bodies.b.marks]
s = [0, 0, 1]
[joints]
j = { hinge = [[0, 0, 0], "b.s"], axis = [0, 1, 0] }
)toml",
                                         "model.toml");
  const Explanation told = explain(model, model::initial_state(model));
  EXPECT_TRUE(told.struck);
  ASSERT_TRUE(told.goes_on);
  EXPECT_EQ(told.after.status, instant::Status::determined);
  EXPECT_TRUE(tells(explain_text(model, told), "Gauss's constraint"));
}

TEST(Explain, a_shock_comes_first_and_the_accelerations_follow_it) {
  model::Model model = model::load(pendulum, "model.toml");
  model::State state = model::initial_state(model);
  state.velocity = {0, -1};  // the string is taut and would be torn
  const Explanation told = explain(model, state);
  EXPECT_TRUE(told.struck);
  EXPECT_TRUE(told.goes_on);
  EXPECT_EQ(told.state.velocity, state.velocity);
  EXPECT_EQ(told.state_after.velocity, told.shock.velocities);
  const std::string text = explain_text(model, told);
  const std::size_t shock = text.find("A shock comes first"), after = text.find("The free motion");
  ASSERT_NE(shock, std::string::npos) << text;
  ASSERT_NE(after, std::string::npos) << text;
  EXPECT_LT(shock, after);
}

TEST(Explain, colours_change_nothing_but_colours) {
  const model::Model model = model::load(pendulum, "model.toml");
  const Explanation told = explain(model, model::initial_state(model));
  const Style marked{"<b>", "<f>", "<g>", "<r>", "<w>", "<o>"};
  std::string text = explain_text(model, told, marked);
  EXPECT_TRUE(tells(text, "<g>all signs are right.<o>")) << text;
  for (const std::string_view mark : {"<b>", "<f>", "<g>", "<r>", "<w>", "<o>"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) text.erase(at, mark.size());
  }
  // Marks count as characters, so that columns are wider; words are the same.
  const auto words = [](const std::string& from) {
    std::string out;
    for (const char c : from) {
      if (c != ' ') out += c;
    }
    return out;
  };
  EXPECT_EQ(words(text), words(explain_text(model, told)));
}

TEST(Ending, says_what_came_true_and_what_went_wrong) {
  model::Model model = model::load(pendulum + "[simulation]\nstop = \"a.x >= 0.5\"\n", "model.toml");
  motion::Account account;
  account.present.state.time = 2.5;
  account.status = motion::Status::stopped;
  Ending end = ending(model, account);
  EXPECT_EQ(end.kind, EndingKind::stopped);
  EXPECT_EQ(end.word + " " + end.time + " " + end.why, "stopped 2.5 a.x >= 0.5");
  account.status = motion::Status::gave_up;
  account.why = "the numbers are not finite";
  end = ending(model, account);
  EXPECT_EQ(end.kind, EndingKind::failed);
  EXPECT_EQ(end.word, motion::words(motion::Status::gave_up));
  EXPECT_EQ(end.why, account.why);
}

}  // namespace
}  // namespace zwang::report::explain_tests
