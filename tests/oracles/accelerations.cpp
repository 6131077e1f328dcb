/// The reference problems of accelerations: inequalities, equations, nonholonomic, redundant, degenerate.
#include "oracles/cases.hpp"

namespace zwang::oracles::accelerations_tests {

class ReferenceAccelerations : public testing::TestWithParam<Case> {};

TEST_P(ReferenceAccelerations, are_those_of_least_constraint) {
  judge_accelerations(problem(GetParam().id), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Mayer, ReferenceAccelerations, testing::ValuesIn(cases('A')), name);

}  // namespace zwang::oracles::accelerations_tests
