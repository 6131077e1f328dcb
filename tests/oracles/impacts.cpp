/// The reference problems of shocks: collisions, blows, both at once, seized points, moving and velocity conditions.
#include "oracles/cases.hpp"

namespace zwang::oracles::impacts_tests {

class ReferenceImpacts : public testing::TestWithParam<Case> {};

TEST_P(ReferenceImpacts, leave_the_velocities_nearest_to_the_free_ones) {
  judge_impact(problem(GetParam().id), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Mayer, ReferenceImpacts, testing::ValuesIn(cases('I')), name);

}  // namespace zwang::oracles::impacts_tests
