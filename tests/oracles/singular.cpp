/// The reference problems of singular positions: cones at their apex, crossing planes, at rest and in motion.
#include "oracles/cases.hpp"

namespace zwang::oracles::singular_tests {

class ReferenceSingularPositions : public testing::TestWithParam<Case> {};

TEST_P(ReferenceSingularPositions, have_all_their_minimisers) {
  judge_singular(problem(GetParam().id), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Staeckel, ReferenceSingularPositions, testing::ValuesIn(cases('S')), name);

}  // namespace zwang::oracles::singular_tests
