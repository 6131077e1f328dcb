/// Random problems of the kinds of the reference file, judged like the stored ones.
#include <gtest/gtest.h>

#include "command/call.hpp"
#include "oracles/generate.hpp"
#include "oracles/judge.hpp"
#include "sanitized.hpp"

namespace zwang::oracles::variants_tests {

namespace {

/// Degenerate: some multiplier and its f'' (or f' after a shock) are both zero.
enum class Kind { ordinary, degenerate };

/// Judges the problems of a range of seeds on a route that changes with the seed, until one fails; its text is shown.
template <typename Judge, typename Make>
void judge_seeds(std::uint64_t first, std::uint64_t last, Way way, Kind kind, const Make& make, const Judge& judge) {
  constexpr std::uint64_t share = is_sanitized ? 5 : 1;
  last = first + (last - first) / share;
  std::size_t judged = 0;
  for (std::uint64_t seed = first; seed < last && !testing::Test::HasFailure(); ++seed) {
    const auto problem = make(seed);
    if (problem.at("expected").value("higher_order", false)) continue;
    if ((kind == Kind::degenerate) != (problem.at("expected").value("margin", 1.0) == 0)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", expected " + problem.at("expected").dump(1));
    const auto route = every_route[seed % 4];
    judge(problem, translate(problem, route) ? route : Route::coordinates, way);
    ++judged;
  }
  EXPECT_GT(judged * (kind == Kind::ordinary ? 2 : 20), last - first) << "too few seeds were of use";
}

nlohmann::json accelerations(std::uint64_t seed) { return random_accelerations(seed, random_mixture(seed)); }
nlohmann::json impacts(std::uint64_t seed) { return random_impact(seed, random_mixture(seed)); }

}  // namespace

TEST(RandomAccelerations, are_those_of_the_right_active_set) {
  judge_seeds(1, 1500, Way::library, Kind::ordinary, accelerations, judge_accelerations);
}

TEST(RandomAccelerations, are_the_same_through_the_command) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  judge_seeds(5000, 5060, Way::command, Kind::ordinary, accelerations, judge_accelerations);
}

TEST(RandomImpacts, are_those_of_the_right_active_set) {
  judge_seeds(1, 1500, Way::library, Kind::ordinary, impacts, judge_impact);
}

TEST(RandomImpacts, are_right_when_a_condition_ends_without_impulse_and_without_velocity) {
  judge_seeds(10001, 12000, Way::library, Kind::degenerate, impacts, judge_impact);
}

TEST(RandomImpacts, are_the_same_through_the_command) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  judge_seeds(5000, 5060, Way::command, Kind::ordinary, impacts, judge_impact);
}

}  // namespace zwang::oracles::variants_tests
