/// The reference problems of motion over a finite time: releases, shocks, contacts; and degenerate starts followed on.
#include "oracles/cases.hpp"
#include "oracles/judge_motion.hpp"

namespace zwang::oracles {

namespace {

/// Problems of motion, and those of accelerations that say how the motion goes on.
std::vector<Case> motions() {
  std::vector<Case> out = cases('M');
  for (const auto& which : cases('A'))
    if (problem(which.id).at("expected").contains("samples")) out.push_back(which);
  return out;
}

}  // namespace

class ReferenceMotions : public testing::TestWithParam<Case> {};

TEST_P(ReferenceMotions, pass_through_their_events_and_states) {
  judge_motion(problem(GetParam().id), GetParam().route, GetParam().way);
}

INSTANTIATE_TEST_SUITE_P(Mayer, ReferenceMotions, testing::ValuesIn(motions()), name);

}  // namespace zwang::oracles
