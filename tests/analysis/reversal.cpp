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

}  // namespace zwang::analysis::reversal_tests
