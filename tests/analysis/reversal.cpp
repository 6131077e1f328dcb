/// Reversal: what is to be expected of forces with corners in the velocities, beside what the motion does.
#include "zwang/analysis/reversal.hpp"

#include <gtest/gtest.h>

#include <string>

#include "models.hpp"

namespace zwang::analysis::reversal_tests {

namespace {

Reversal under(const std::string& force) {
  return reversal(from("[coordinates.x]\ninitial = 0\nvelocity = 1\nforce = \"" + force +
                       "\"\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 0.5\n"));
}

}  // namespace

TEST(Reversal, is_expected_of_forces_that_are_even_in_the_velocities_and_of_no_others) {
  for (const char* even : {"-abs(x')", "-x'^2", "-x", "if(abs(x') > 0.1, -1, -0.5)"}) {
    const Reversal found = under(even);
    EXPECT_TRUE(found.expected) << even;
    EXPECT_TRUE(found.reversible) << even;
  }
  for (const char* odd : {"-x'*abs(x')", "-0.1*sign(x')", "if(x' > 0, -1, 1)", "-x'"}) {
    const Reversal found = under(odd);
    EXPECT_FALSE(found.expected) << odd;
    EXPECT_FALSE(found.reversible) << odd;
  }
}

TEST(Reversal, is_expected_where_the_sides_of_places_change) {
  // The start stands on the corner, and so does the end of each arc.
  for (const char* force : {"-sign(x)", "-if(x > 0, 1, -1)*(1 + x^2)", "-abs(x)*sign(x)"}) {
    const Reversal found = under(force);
    EXPECT_TRUE(found.expected) << force;
    EXPECT_TRUE(found.reversible) << force;
  }
  const Reversal well = reversal(from(
      "[coordinates.x]\ninitial = 1\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"abs(x)\"\n[simulation]\nuntil = "
      "20\n"));
  EXPECT_TRUE(well.expected);
  EXPECT_TRUE(well.reversible);
  const Reversal angle = reversal(from(
      "[points.b]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\nforce = [\"-b.x + 0.1*cos(3*atan2(b.y, b.x))\", "
      "\"-b.y + 0.1*sin(3*atan2(b.y, b.x))\"]\n[simulation]\nuntil = 20\n"));
  EXPECT_TRUE(angle.expected);
  EXPECT_TRUE(angle.reversible);
}

TEST(Reversal, is_not_expected_of_what_switches_by_the_time) {
  for (const char* force : {"step(t - 0.3) - step(t - 0.4)", "if(t > 0.2, 1, 0)", "max(0, t - 0.1)"}) {
    const Reversal found = under(force);
    EXPECT_FALSE(found.expected) << force;
    ASSERT_EQ(found.reasons.size(), 1U) << force;
    EXPECT_EQ(found.reasons[0], "a force depends on the time t") << force;
  }
}

TEST(Reversal, begins_anew_from_a_state_that_was_computed) {
  // A door on two hinges: what is left of the conditions at its turned state is rounding of its length, not of itself.
  const Reversal door =
      reversal(from("[bodies.d]\nmass = 20\nshape = { box = [0.9, 0.04, 2.0] }\nposition = [0.45, 0, 0]\nspin = [0, 0, "
                    "1.3]\nvelocity = [0, "
                    "\"1.3*0.45\", 0]\n[bodies.d.marks]\nh1 = [-0.45, 0, -0.9]\nh2 = [-0.45, 0, 0.9]\n[joints]\nJ1 = { "
                    "hinge = [[0, 0, "
                    "-0.9], \"d.h1\"], axis = [0, 0, 1] }\nJ2 = { hinge = [[0, 0, 0.9], \"d.h2\"], axis = [0, 0, 1] "
                    "}\n[simulation]\nuntil = "
                    "3\n"));
  EXPECT_TRUE(door.expected) << (door.reasons.empty() ? "" : door.reasons[0]);
  EXPECT_TRUE(door.reversible) << door.why;
}

}  // namespace zwang::analysis::reversal_tests
