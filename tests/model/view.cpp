/// [view]: what is only looked at is read like everything else, and changes nothing.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "sight.hpp"

namespace view_tests {
namespace {

using namespace zwang::model;

const std::string arm = R"toml([parameters]
l = 0.5
wall = [2, 3]
[coordinates.u]
initial = 0.3
[coordinates.w]
count = 2
initial = "i"
[energy]
kinetic = "u'^2 + w[1]'^2 + w[2]'^2"
[points.a]
mass = 1
position = [1, 2]
)toml";

const std::string seen = arm + R"toml([view]
dimension = 2
up = [0, 2]
[view.points.elbow]
position = ["l*sin(u)", "-l*cos(u) + t"]
[view.points.hand]
position = "elbow + [w[1], a.y]"
size = "l/10"
[view.points.finger]
count = 3
position = ["hand.x + i", "sum(k = 1..i, k)"]
[view.points.net]
count = [2, 2]
position = "finger[j] + [0, 100*i]"
[view.lines]
rod = { through = ["origin", "elbow", "a", "wall", [7, "2*l"]] }
fan = { for = "i = 1..2", through = ["finger[i]", "finger[i+1]"], closed = true }
)toml";

TEST(View, is_read_with_its_families_and_lines) {
  const Model model = load(seen, "model.toml");
  const View& view = model.view;
  EXPECT_EQ(view.dimension, 2U);
  EXPECT_EQ(view.up, (std::vector<double>{0, 1}));
  ASSERT_EQ(view.points.size(), 4U);
  EXPECT_EQ(view.points[1].size, 0.05);
  EXPECT_LT(view.points[0].size, 0);
  EXPECT_EQ(view.points[2].first, 4U);
  EXPECT_EQ(view.points[2].members(), 3U);
  EXPECT_EQ(view.points[3].first, 10U);
  ASSERT_EQ(view.components.size(), 18U);
  EXPECT_EQ(view.components[5].name, "finger[1].y");
  EXPECT_EQ(view.components[17].name, "net[2,2].y");
  ASSERT_EQ(view.lines.size(), 3U);
  EXPECT_EQ(view.lines[1].name, "fan[1]");
  EXPECT_TRUE(view.lines[1].closed);
  EXPECT_FALSE(view.lines[0].closed);
  const std::vector<ViewAnchor>& rod = view.lines[0].through;
  EXPECT_EQ(rod[0].at, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(rod[1].kind, ViewAnchor::Kind::view);
  EXPECT_EQ(rod[2].kind, ViewAnchor::Kind::body);
  EXPECT_EQ(rod[3].at, (std::vector<double>{2, 3}));
  EXPECT_EQ(rod[4].at, (std::vector<double>{7, 1}));
  EXPECT_EQ(view.lines[2].through[1].member, 2U);
}

TEST(View, points_are_where_their_expressions_say) {
  const Model model = load(seen, "model.toml");
  EXPECT_TRUE(rc::check("elbow, hand, finger, net", [&](int time, int u, int w, int y) {
    State state = initial_state(model);
    state.time = time / 10.0;
    state.position = {u / 100.0, w / 100.0, 5, 1, y / 100.0};
    const auto at = [&](std::size_t k) { return observe(model.view.components[k], state); };
    const double elbow_x = 0.5 * std::sin(u / 100.0);
    const double hand_x = elbow_x + w / 100.0;
    RC_ASSERT(std::abs(at(0) - elbow_x) < 1e-12);
    RC_ASSERT(std::abs(at(1) - (state.time - 0.5 * std::cos(u / 100.0))) < 1e-9);
    RC_ASSERT(std::abs(at(2) - hand_x) < 1e-9);
    RC_ASSERT(std::abs(at(8) - (hand_x + 3)) < 1e-9);
    RC_ASSERT(at(9) == 6);
    RC_ASSERT(std::abs(at(16) - (hand_x + 2)) < 1e-9);
    RC_ASSERT(at(17) == 203);
  }));
}

TEST(View, changes_nothing_of_the_mechanics) {
  const std::string conditions = "[constraints]\nc = \"a.x^2 + w[2] <= 20\"\nd = \"distance(a, [0, 0]) <= 9\"\n";
  Sight plain(arm + conditions);
  Sight with_view(seen + conditions);
  EXPECT_EQ(plain.dynamics.force, with_view.dynamics.force);
  EXPECT_EQ(plain.rows.value, with_view.rows.value);
  EXPECT_EQ(plain.rows.entry, with_view.rows.entry);
  ASSERT_EQ(plain.model.groups.size(), with_view.model.groups.size());
  for (std::size_t k = 0; k < plain.model.groups.size(); ++k) {
    const zwang::expressions::Tape& a = plain.model.groups[k].tape;
    const zwang::expressions::Tape& b = with_view.model.groups[k].tape;
    EXPECT_EQ(a.outputs, b.outputs);
    EXPECT_EQ(a.constants, b.constants);
    ASSERT_EQ(a.instructions.size(), b.instructions.size());
    for (std::size_t i = 0; i < a.instructions.size(); ++i) {
      EXPECT_EQ(a.instructions[i].op, b.instructions[i].op);
      EXPECT_EQ(a.instructions[i].a, b.instructions[i].a);
      EXPECT_EQ(a.instructions[i].b, b.instructions[i].b);
    }
  }
}

TEST(View, stays_in_a_text_with_another_start) {
  const Draft draft = read(seen, "model.toml");
  const Model model = compile(draft);
  std::vector<double> position = model.initial_position;
  position[0] = 0.75;
  const Model again = load(with_start(draft, model, position, model.initial_velocity), "model.toml");
  EXPECT_EQ(again.initial_position, position);
  EXPECT_EQ(again.view.points.size(), 4U);
  EXPECT_EQ(again.view.lines.size(), 3U);
}

TEST(View, may_stand_in_a_flow) {
  const Model model =
      load("[coordinates.x]\ninitial = 1\n[flow]\nx = \"-x\"\n[view.points.p]\nposition = [\"x\", 0]\n", "model.toml");
  EXPECT_EQ(model.view.points.size(), 1U);
}

}  // namespace
}  // namespace view_tests
