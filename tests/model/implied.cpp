/// Linear equations that rods imply together: which ones are found, and where there are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::model::implied_tests {

namespace {

std::string point(const std::string& name, const std::string& position) {
  return "[points." + name + "]\nmass = 1\nposition = " + position + "\n";
}

std::vector<std::string> implied(const Model& model) {
  std::vector<std::string> out;
  for (const Condition& condition : model.conditions) {
    if (condition.implied) out.push_back(condition.text);
  }
  return out;
}

const std::string bar = point("a", "[0, 0]") + point("b", "[1, 0]") + point("c", "[2, 0]") +
                        "[constraints]\nab = \"distance(a, b) = 1\"\nbc = \"distance(b, c) = 1\"\n";

}  // namespace

TEST(Implied, the_middle_of_a_straight_bar_is_between_its_ends) {
  const Model model = load(bar + "ac = \"distance(a, c) = 2\"\n", "bar.toml");
  EXPECT_EQ(implied(model).size(), 2U);
  // Whatever is written: 2 b = a + c for every position that keeps the rods.
  State state = initial_state(model);
  state.position = {3, 1, 3.6, 1.8, 4.2, 2.6};
  Scratch scratch = make_scratch(model);
  Rows rows = make_rows(model);
  evaluate_rows(model, state, scratch, rows);
  for (const double f : rows.value) EXPECT_NEAR(f, 0, 1e-14);
  state.position[2] += 0.1;
  evaluate_rows(model, state, scratch, rows);
  EXPECT_GT(std::abs(rows.value[3]) + std::abs(rows.value[4]), 0.09);
}

TEST(Implied, nothing_where_rods_can_bend_or_need_not_last) {
  EXPECT_TRUE(implied(load(bar, "two_rods.toml")).empty());
  EXPECT_TRUE(implied(load(bar + "ac = \"distance(a, c) <= 2\"\n", "string.toml")).empty());
  // What is said of a bar with a rod that is let go ends with it.
  const Model loose =
      load(bar + "ac = \"distance(a, c) = 2\"\n[[releases]]\nconstraint = \"ab\"\nat = 1\n", "let_go.toml");
  EXPECT_EQ(loose.releases[0].rows.size(), 1 + implied(loose).size());
  // A triangle, and a bar bent by a millionth.
  EXPECT_TRUE(
      implied(load(point("a", "[0, 0]") + point("b", "[1, 1]") + point("c", "[2, 0]") +
                       "[constraints]\nab = \"distance(a, b) = sqrt(2)\"\nbc = \"distance(b, c) = sqrt(2)\"\nac = "
                       "\"distance(a, c) = 2\"\n",
                   "triangle.toml"))
          .empty());
  EXPECT_TRUE(
      implied(load(point("a", "[0, 0]") + point("b", "[1, 1e-6]") + point("c", "[2, 0]") +
                       "[constraints]\nab = \"distance(a, b) = sqrt(1 + 1e-12)\"\nbc = \"distance(b, c) = sqrt(1 + "
                       "1e-12)\"\nac = \"distance(a, c) = 2\"\n",
                   "bent.toml"))
          .empty());
  // The flat four-bar linkage has a self-stress, but may go either way.
  EXPECT_TRUE(implied(load(point("a", "[1, 0]") + point("b", "[5, 0]") +
                               "[constraints]\ncrank = \"distance(a, [0, 0]) = 1\"\ncoupler = \"distance(a, b) = 4\"\n"
                               "rocker = \"distance(b, [4, 0]) = 1\"\n",
                           "four_bar.toml"))
                  .empty());
}

TEST(Implied, both_ends_of_a_string_that_cannot_but_be_taut_move_alike) {
  const std::string line = point("a", "[1, 0]") + point("b", "[2, 0]");
  const std::string strings =
      "[constraints]\nl = \"distance(a, [0, 0]) <= 1\"\nm = \"distance(a, b) <= 1\"\nr = \"distance(b, [3, 0]) <= "
      "1\"\n";
  EXPECT_EQ(implied(load(line + strings, "line.toml")),
            (std::vector<std::string>{"a.x = 1", "a.y = 0", "b.x = 2", "b.y = 0"}));
  // Not if one of them is longer, bent, let go, or only holds apart, nor where the start moves across them: that is a jam.
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = line + strings;
    text.replace(text.find(from), from.size(), to);
    return implied(load(text, "line.toml"));
  };
  EXPECT_TRUE(with("r = \"distance(b, [3, 0]) <= 1", "r = \"distance(b, [3, 0]) <= 1.01").empty());
  EXPECT_TRUE(with("r = \"distance(b, [3, 0]) <= 1", "r = \"distance(b, [2, 1]) <= 1").empty());
  EXPECT_TRUE(with("r = \"distance(b, [3, 0]) <= 1", "r = \"distance(b, [3, 0]) >= 1").empty());
  EXPECT_TRUE(with("position = [1, 0]", "position = [1, 0]\nvelocity = [0, 1]").empty());
}

/// With how many of the conditions that are implied each release lets its own go.
std::vector<std::size_t> implied_let_go(const Model& model) {
  std::vector<std::size_t> out;
  for (const Release& release : model.releases) {
    out.push_back(0);
    for (const std::uint32_t row : release.rows)
      out.back() += model.conditions[model.row_condition[row]].implied ? 1 : 0;
  }
  return out;
}

TEST(Implied, what_follows_from_a_thread_is_let_go_with_it) {
  const std::string line = point("a", "[1, 0]") + point("b", "[2, 0]");
  const std::string strings =
      "[constraints]\nl = \"distance(a, [0, 0]) <= 1\"\nm = \"distance(a, b) <= 1\"\nr = \"distance(b, [3, 0]) <= "
      "1\"\n";
  const auto release = [](const std::string& what) { return "[[releases]]\nconstraint = \"" + what + "\"\nat = 1\n"; };
  const Model one = load(line + strings + release("m"), "let_go.toml");
  EXPECT_EQ(implied(one).size(), 4U);
  EXPECT_EQ(implied_let_go(one), (std::vector<std::size_t>{4}));
  // A second thread beside it holds the same when the first one is gone, and the other way round; both are said once for ever where no thread of theirs can go.
  const std::string beside = "second = \"distance(b, [3, 0]) <= 1\"\n";
  const Model both = load(line + strings + beside + release("r") + release("second"), "both.toml");
  EXPECT_EQ(implied(both).size(), 8U);
  EXPECT_EQ(implied_let_go(both), (std::vector<std::size_t>{4, 4}));
  EXPECT_EQ(implied_let_go(load(line + strings + beside + release("r"), "stays.toml")), (std::vector<std::size_t>{0}));
}

TEST(Implied, threads_at_bodies_and_at_places_that_move_hold_them) {
  const std::string body =
      "[bodies.b]\nmass = 1\ninertia = 1\nposition = [0, 0]\n[bodies.b.marks]\nl = [-0.5, 0]\nr = [0.5, 0]\n";
  const auto threads = [](const std::string& left, const std::string& right) {
    return "[constraints]\nl = \"distance(b.l, " + left + ") <= 0.5\"\nr = \"distance(b.r, " + right + ") <= 0.5\"\n";
  };
  EXPECT_EQ(implied(load(body + threads("[-1, 0]", "[1, 0]"), "body.toml")),
            (std::vector<std::string>{"b.x = 0", "b.y = 0", "sin(b.angle) = 0"}));
  // Not where the thread is longer than the way.
  EXPECT_TRUE(implied(load(body + threads("[-1, 0]", "[0.99, 0]"), "slack.toml")).empty());
  // Between nails that move alike a bead moves as they do; that they come nearer only later is told by what they do at the start and ever after.
  const std::string bead = point("b", "[0, 0]") + "velocity = [1, 0]\n";
  const auto nails = [](const std::string& left, const std::string& right) {
    return "[constraints]\nl = \"distance(b, [" + left + ", 0]) <= 1\"\nr = \"distance(b, [" + right + ", 0]) <= 1\"\n";
  };
  EXPECT_EQ(implied(load(bead + nails("sin(t) - 1", "sin(t) + 1"), "nails.toml")).size(), 2U);
  EXPECT_TRUE(implied(load(bead + nails("sin(t) - 1", "tan(t) + 1"), "apart.toml")).empty());
  EXPECT_TRUE(implied(load(bead + nails("t - 1", "t + 1 - t^2"), "nearer.toml")).empty());
}

TEST(Implied, a_thread_over_a_bead_is_convex_and_holds_it_on_its_line) {
  const std::string bead = point("b", "[0.3, 0]") + "[constraints]\n";
  EXPECT_EQ(implied(load(bead + "s = \"distance(b, [-1, 0]) + distance(b, [1, 0]) <= 2\"\n", "bead.toml")),
            (std::vector<std::string>{"b.y = 0"}));
  EXPECT_EQ(implied(load(bead + "s = \"2*distance(b, [-1, 0]) + 2*distance(b, [1, 0]) <= 4\"\n", "twice.toml")).size(),
            1U);
  EXPECT_TRUE(
      implied(load(bead + "s = \"distance(b, [-1, 0]) + distance(b, [1, 0]) <= 2.1\"\n", "longer.toml")).empty());
  // An hyperbola's difference of distances bounds nothing.
  EXPECT_TRUE(
      implied(load(bead + "s = \"distance(b, [-1, 0]) - distance(b, [1, 0]) <= 0.6\"\n", "difference.toml")).empty());
}

TEST(Implied, a_thread_that_is_taut_along_a_bar_keeps_to_it) {
  const std::string points = point("a", "[-1, 0]") + point("b", "[0, 0]") + point("c", "[1, 0]");
  const std::string thread = "[constraints]\nl = \"distance(a, b) <= 1\"\nr = \"distance(b, c) <= 1\"\n";
  EXPECT_EQ(implied(load(points + thread + "bar = \"distance(a, c) = 2\"\n", "bow.toml")).size(), 2U);
  // The ends may be kept apart by a strut, too, and the thread have more knots.
  EXPECT_EQ(implied(load(points + thread + "strut = \"distance(a, c) >= 2\"\n", "strut.toml")).size(), 2U);
  EXPECT_EQ(implied(load(points + point("d", "[2.5, 0]") + thread +
                             "s = \"distance(c, d) <= 1.5\"\nbar = \"distance(a, d) = 3.5\"\n",
                         "knots.toml"))
                .size(),
            4U);
  // Four struts' worth of tension around a cross of two bars: a plane figure in space, which stays plane.
  const std::string cross = point("a", "[1, 0, 0]") + point("b", "[0, 1, 0]") + point("c", "[-1, 0, 0]") +
                            point("d", "[0, -1, 0]") +
                            "[constraints]\nac = \"distance(a, c) = 2\"\nbd = \"distance(b, d) = 2\"\n";
  std::string sides;
  for (const char* ends : {"a, b", "b, c", "c, d", "d, a"})
    sides += "s" + std::string(1, ends[0]) + " = \"distance(" + ends + ") <= sqrt(2)\"\n";
  EXPECT_EQ(implied(load(cross + sides, "cross.toml")).size(), 3U);
  // Not where the thread is longer, pushes instead of pulling, or what is between its ends can but pull.
  EXPECT_TRUE(implied(load(points + thread + "bar = \"distance(a, c) = 1.99\"\n", "slack.toml")).empty());
  EXPECT_TRUE(implied(load(points + thread + "bar = \"distance(a, c) <= 2\"\n", "string.toml")).empty());
  EXPECT_TRUE(implied(load(points + "[constraints]\nl = \"distance(a, b) >= 1\"\nr = \"distance(b, c) <= 1\"\n" +
                               "bar = \"distance(a, c) = 2\"\n",
                           "pushes.toml"))
                  .empty());
}

TEST(Implied, halves_of_equations_count_as_equations_and_names_stay_free) {
  const Model model =
      load(point("implied1", "[0, 0]") + point("b", "[1, 0]") +
               "[constraints]\nimplied = \"distance(implied1, b) <= 1\"\nback = \"distance(implied1, b) >= "
               "1\"\nleft = \"distance(b, [2, 0]) = 1\"\nwhole = \"distance(implied1, [2, 0]) = 2\"\n",
           "halves.toml");
  EXPECT_EQ(implied(model).size(), 2U);
  for (const Condition& condition : model.conditions) {
    EXPECT_EQ(std::count_if(model.conditions.begin(), model.conditions.end(),
                            [&](const Condition& other) { return other.name == condition.name; }),
              1);
  }
}

TEST(Implied, a_squared_distance_of_nothing_is_one_place) {
  const Model model = load(point("a", "[1, 2, 3]") + point("b", "[1, 2, 3]") +
                               "[constraints]\ntogether = \"dot(a - b, a - b) = 0\"\nfloor = \"a.z = 3\"\n",
                           "together.toml");
  EXPECT_EQ(implied(model).size(), 3U);
}

}  // namespace zwang::model::implied_tests
