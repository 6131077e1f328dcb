/// Walls that move, bend away from others, or whose corners lie in time alone. Answers by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "motion/ran.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::walls_tests {

namespace {

/// A few steps of tolerance 1e-12, of coordinates of the order of one.
constexpr double same = 1e-11;

/// A point of mass one, from rest at the origin.
std::string point(const std::string& force, const std::string& conditions) {
  return "[points.a]\nmass = 1\nposition = [0, 0]\nforce = [" + force + "]\n[constraints]\n" + conditions +
         "[simulation]\nuntil = 2\n";
}

std::string coordinate(double velocity, const std::string& conditions, double until) {
  return "[coordinates.x]\ninitial = 0\nvelocity = " + std::to_string(velocity) +
         "\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\n" + conditions +
         "[simulation]\nuntil = " + std::to_string(until) + "\n";
}

std::size_t count(const Ran& ran, EventKind kind) {
  std::size_t out = 0;
  for (const Event& event : ran.events) out += event.kind == kind ? 1 : 0;
  return out;
}

}  // namespace

TEST(Walls, that_come_down_at_the_origin_are_known_up_to_the_clock) {
  const double third = std::acos(-1.0) / 3;
  for (const char* more :
       {"", "k1 = \"a.y <= 0\"\n", "k1 = \"distance(a, [0, 5]) >= 5\"\nk3 = \"a.x >= 0\"\nk4 = \"a.x <= 0\"\n"}) {
    const Ran ran = run_to_the_end(point("0, 0", std::string(more) + "k2 = \"a.y <= sin(3*t)\"\n"));
    ASSERT_EQ(ran.status, Status::finished) << more << ran.why;
    EXPECT_NEAR(ran.state.position[1], -3 * (2 - third), same) << more;
    EXPECT_NEAR(ran.state.velocity[1], -3, same) << more;
    EXPECT_EQ(ran.state.position[0], 0) << more;
    EXPECT_EQ(count(ran, EventKind::impact), 1U) << more;
  }
}

TEST(Walls, that_bend_away_from_a_flat_one_let_go) {
  // The ratchet or floor r lets go at t = 1, when the force along the flat wall turns: y = (t - 1)^3 / 6.
  const std::string round = "k1 = \"distance(a, [5, 0]) >= 5\"\n";
  for (const char* flat : {"a.x' <= 0", "a.x <= 0", "a.x' = 0", "a.x = 0"}) {
    for (const char* floor : {"a.y >= 0", "a.y' >= 0"}) {
      // Of two contacts the first one is kept, and the other has its share of the force until it is seen to open.
      const bool equation = std::string(flat).find("<") == std::string::npos;
      for (const bool first : {true, false}) {
        if (!first && !equation) continue;
        const std::string wall = "k4 = \"" + std::string(flat) + "\"\n";
        const Ran ran =
            run_to_the_end(point("1, \"t - 1\"", (first ? round + wall : wall + round) + "r = \"" + floor + "\"\n"));
        ASSERT_EQ(ran.status, Status::finished) << flat << floor << first << ran.why;
        EXPECT_NEAR(ran.state.position[1], 1.0 / 6, same) << flat << floor << first;
        EXPECT_NEAR(ran.state.velocity[1], 0.5, same) << flat << floor << first;
        EXPECT_NEAR(ran.state.position[0], 0, same) << flat << floor << first;
      }
    }
  }
}

TEST(Walls, with_corners_in_time_alone_leave_no_choice) {
  // Carried along by both, which is the equation x = table(t, ...).
  const Ran carried = run_to_the_end(
      coordinate(1, "lo = \"x >= table(t, [0, 1, 2], [0, 1, 0])\"\nhi = \"x <= table(t, [0, 1, 2], [0, 1, 0])\"\n", 1));
  ASSERT_EQ(carried.status, Status::finished) << carried.why;
  EXPECT_TRUE(carried.events.empty());
  EXPECT_NEAR(carried.state.position[0], 1, same);
  // A wall that begins to move against a ratchet jams, however many walls there are.
  const Ran jammed = run_to_the_end(
      coordinate(0,
                 "back = \"x' <= 0\"\nleft = \"x >= table(t, [0, 1, 2], [0, 0, 1])\"\nright = \"x <= table(t, [0, 1, "
                 "2], [0, 0, 1])\"\n",
                 2));
  EXPECT_EQ(jammed.status, Status::jammed) << jammed.why;
  EXPECT_NEAR(jammed.state.time, 1, same);
  // Of velocities, too: a governor that gives way from t = 1/2 on.
  const Ran governed = run_to_the_end(
      "[coordinates.x]\ninitial = 0\nforce = \"3\"\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nk = \"x' <= "
      "max(t - 0.5, 0)\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(governed.status, Status::finished) << governed.why;
  EXPECT_NEAR(governed.state.velocity[0], 1.5, same);
  EXPECT_NEAR(governed.state.position[0], 1.125, same);
}

}  // namespace zwang::motion::walls_tests
