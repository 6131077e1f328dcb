/// Problems of all scales whose numbers are meant as they stand: every verdict proved in fractions. With ZWANG_SOAK=1 in the environment there are 10^7 of
/// them and 10^5 enumerations (`make soak`; ZWANG_SOAK=0.1: a tenth of both), otherwise a few thousand. ZWANG_SEED=N takes others than those of N = 0.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

#include "exact.hpp"
#include "in_fractions.hpp"
#include "instance.hpp"
#include "zwang/gauss.hpp"
#include "zwang/rational/nearest.hpp"

namespace zwang::gauss::testing::exact_numbers_tests {
namespace {

bool is_long() { return std::getenv("ZWANG_SOAK") != nullptr; }
/// That share of a soak which ZWANG_SOAK asks for, in whole chunks.
std::uint64_t share_of(std::uint64_t all, std::uint64_t chunk) {
  const double share = std::clamp(std::atof(std::getenv("ZWANG_SOAK")), 0.0, 1.0);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * static_cast<double>(all / chunk))) * chunk;
}

/// No seed of less than 10^12 meets the problems of another.
std::uint64_t first_problem() {
  constexpr std::uint64_t apart = 10'000'000;
  const char* seed = std::getenv("ZWANG_SEED");
  return 1 + apart * (seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0);
}

/// Rows, columns, masses and offsets each over twelve orders of magnitude or all near one, and rows that are copies or negatives of others times powers of two.
Instance of_all_scales(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(-6, 6);
  const auto scale = [&](bool wide) { return wide ? std::pow(10.0, uniform(random)) : 1.0; };
  const std::uint64_t manner = random();
  const bool masses_wide = (manner & 1U) != 0, offsets_wide = (manner & 2U) != 0, rows_wide = (manner & 4U) != 0;
  const bool entries_wide = (manner & 8U) != 0;
  const std::size_t n = 1 + random() % 5, r = 1 + random() % 8;
  std::vector<double> masses(n), a0(n);
  for (double& mass : masses) mass = masses_wide ? scale(true) : 1.0 + static_cast<double>(random() % 4);
  for (double& value : a0) {
    value = normal(random);
    value *= scale(offsets_wide);
    if (random() % 4 == 0) value = 0;
  }
  Instance instance = free_points(a0, masses);
  for (std::size_t i = 0; i < r; ++i) {
    std::vector<double> row(n);
    const double size = scale(rows_wide);
    double h = normal(random) * size;
    h *= scale(offsets_wide);
    if (random() % 4 == 0) h = 0;
    if (i > 0 && random() % 4 == 0) {
      const std::size_t other = random() % i;
      const int power = static_cast<int>(random() % 41) - 20;
      const double factor = std::ldexp(random() % 2 == 0 ? 1 : -1, rows_wide ? power : 0);
      row = instance.row(other);
      for (double& value : row) value *= factor;
      if (random() % 2 == 0) h = instance.h[other] * factor;
    } else {
      for (double& value : row) {
        if (random() % 3 == 0) continue;
        value = normal(random) * size;
        value *= scale(entries_wide);
      }
    }
    instance.add_row(row, h, random() % 4 == 0 ? RowKind::equation : RowKind::inequality);
  }
  return instance;
}

struct Tally {
  std::uint64_t solved = 0, jammed = 0, gave_up = 0, by_a_hair = 0;
  double worst = 0;
  std::string wrong;  ///< the first

  void add(const Tally& other) {
    solved += other.solved;
    jammed += other.jammed;
    gave_up += other.gave_up;
    by_a_hair += other.by_a_hair;
    worst = std::max(worst, other.worst);
    if (wrong.empty()) wrong = other.wrong;
  }
};

/// Verdicts of problems `seed` to `seed + many`, each against the exact one, which is proved from the definitions.
Tally judge(std::uint64_t seed, std::uint64_t many) {
  Tally tally;
  Workspace workspace;
  Solution solution;
  Options options;
  options.exact_numbers = true;
  options.long_multipliers = true;
  for (std::uint64_t k = seed; k < seed + many && tally.wrong.empty(); ++k) {
    std::mt19937_64 random(k);
    const Instance instance = of_all_scales(random);
    const Problem problem = instance.problem();
    solve(problem, options, workspace, solution);
    const in_fractions::Judgement one = in_fractions::judge(problem, solution);
    if (!one.wrong.empty()) tally.wrong = fmt::format("{}: {}", k, one.wrong);
    if (one.remote) tally.wrong = fmt::format("{}: called contradictory, with a point far away", k);
    tally.worst = std::max(tally.worst, one.off);
    tally.by_a_hair += one.by_a_hair ? 1 : 0;
    tally.solved += solution.status == Status::solved ? 1 : 0;
    tally.jammed += solution.status == Status::infeasible ? 1 : 0;
    tally.gave_up += solution.status == Status::gave_up ? 1 : 0;
  }
  return tally;
}

TEST(ExactNumbersLong, no_verdict_on_problems_of_all_scales_is_wrong) {
  const std::uint64_t chunk = is_long() ? 10'000 : 20;
  const std::uint64_t many = is_long() ? share_of(10'000'000, chunk) : 4'000;
  const auto begun = std::chrono::steady_clock::now();
  std::mutex mutex;
  Tally all;
  std::uint64_t next = 0, done = 0;
  // A chunk at a time, and a line for every tenth one of the long run.
  const auto work = [&] {
    while (true) {
      std::uint64_t first = 0;
      {
        const std::scoped_lock lock(mutex);
        if (next == many || !all.wrong.empty()) return;
        first = next;
        next += chunk;
      }
      const Tally one = judge(first_problem() + first, chunk);
      const std::scoped_lock lock(mutex);
      all.add(one);
      done += chunk;
      if (is_long() && done % (10 * chunk) == 0) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
        fmt::print("{} of {} problems, {:.0f} per second\n", done, many, static_cast<double>(done) / spent.count());
        std::fflush(stdout);
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned part = 1; is_long() && part < std::thread::hardware_concurrency(); ++part) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(all.wrong, "");
  fmt::print(
      "{} problems of all scales: {} solved ({} contradictory by less than their rounding), {} contradictory, {} given "
      "up; worst point off by {:.1g}\n",
      many, all.solved, all.by_a_hair, all.jammed, all.gave_up, all.worst);
  EXPECT_GT(all.solved, many / 3);
  EXPECT_GT(all.jammed, many / 4);
  EXPECT_LE(all.gave_up, many / 1000);
}

TEST(ExactNumbersLong, the_exact_nearest_point_is_that_of_enumeration) {
  const auto many = static_cast<int>(is_long() ? share_of(100'000, 100) : 400);
  std::mt19937_64 random(first_problem() + 4);
  int contradictory = 0;
  for (int k = 0; k < many; ++k) {
    const Instance instance = of_all_scales(random);
    const rational::Answer answer = rational::nearest_point(in_fractions::of(instance.problem()));
    const auto expected = exact_nearest_point(instance.problem());
    ASSERT_EQ(answer.verdict == rational::Verdict::nearest, expected.has_value()) << k;
    contradictory += expected ? 0 : 1;
    for (std::size_t j = 0; expected && j < answer.a.size(); ++j)
      ASSERT_EQ(answer.a[j].text(), (*expected)[j].str()) << k;
  }
  fmt::print("{} enumerations, {} of them contradictory\n", many, contradictory);
}

TEST(ExactNumbers, a_hair_between_two_walls_is_a_contradiction) {
  Instance instance = free_points({0, -0.7, 0}, {3, 2, 2});
  instance.add_row({0, 0, -15335.432132339747}, 0, RowKind::equation);
  instance.add_row({0, 0, -4116573717401.6724}, -1.7324413942380192e-05, RowKind::equation);
  Workspace workspace;
  Solution solution;
  Options options;
  options.exact_numbers = true;
  solve(instance.problem(), options, workspace, solution);
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_TRUE(verify_farkas(instance.problem(), solution.farkas));
}

TEST(ExactNumbers, a_small_row_beside_large_ones_is_kept) {
  // Row 0 asks for x = -0.00484; beside the others it is broken by 1e-11 of them only.
  Instance instance =
      free_points({0, 3.9879698578559581e-06, -47.358607240399628, 0},
                  {1767.4150262696071, 1.7162146558020757e-05, 0.0010380624185936343, 1.1016861801578333});
  instance.add_row({1.4440994631057225e-05, 18303.108724410242, 0, 0}, 6.9872538692999594e-08, RowKind::inequality);
  instance.add_row({0, -1.1597080738448066e-07, 0, 0}, 0, RowKind::inequality);
  Workspace workspace;
  Solution solution;
  Options options;
  options.exact_numbers = true;
  options.long_multipliers = true;
  solve(instance.problem(), options, workspace, solution);
  ASSERT_EQ(solution.status, Status::solved);
  EXPECT_NEAR(solution.a[0], -6.9872538692999594e-08 / 1.4440994631057225e-05, 1e-17);
  EXPECT_EQ(solution.a[1], 0);
}

TEST(ExactNumbers, what_fractions_have_decided_is_not_made_again_in_doubles) {
  // Two heavy variables are wedged fast at zero, and the light ones with them: the last has to move far. Found beside heavy
  // multipliers in doubles, as light variables are, it hardly moves.
  Instance instance =
      free_points({-10528.646756969058, 0.14523994075375887, 11681.836409622407, 0},
                  {10.459852729623364, 23.943853235488227, 8.974870917646785e-06, 0.00022130260882249097});
  instance.add_row({-0.0015886207433951011, 0.0004348741244390351, 1.9407797900195636e-08, 0}, 0, RowKind::equation);
  instance.add_row({-27190.902609722576, 0, 0, 0}, 0, RowKind::inequality);
  instance.add_row({-41230.002811521925, -752996.5825099031, 0, 0}, 0, RowKind::inequality);
  instance.add_row({3056209.1151511935, 0, 0, 0}, 0, RowKind::inequality);
  instance.add_row({-1.0149493669060884e-10, -7.364726984987345e-05, 0.05624639747292855, -1.1453249385167235e-10},
                   -6.309960421325912e-06, RowKind::equation);
  Workspace workspace;
  Solution solution;
  Options options;
  options.exact_numbers = true;
  options.long_multipliers = true;
  solve(instance.problem(), options, workspace, solution);
  ASSERT_EQ(solution.status, Status::solved);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(solution.a[j], 0);
  EXPECT_DOUBLE_EQ(solution.a[3], -6.309960421325912e-06 / 1.1453249385167235e-10);
}

TEST(ExactNumbers, a_proof_at_any_distance_needs_rows_that_cancel_to_the_last_digit) {
  // Two walls whose offsets contradict each other by 1e-12. The normals of the first pair are parallel but for 2^-104, so that there are points between
  // them, far away; those of the second pair are parallel.
  constexpr double e = 0x1p-52;
  constexpr double gap = 1e-12;
  for (const bool parallel : {false, true}) {
    Instance instance = free_points({0, 0}, {1, 1});
    instance.add_row({1 + e, 1}, 1, RowKind::inequality);
    instance.add_row(parallel ? std::vector<double>{-1 - e, -1} : std::vector<double>{-1, -1 + e}, -1 + gap,
                     RowKind::inequality);
    const Problem problem = instance.problem();
    EXPECT_EQ(verify_farkas(problem, std::vector<double>{1, parallel ? 1 : 1 + e}), parallel);
    const rational::Answer answer = rational::nearest_point(in_fractions::of(problem));
    EXPECT_EQ(answer.verdict == rational::Verdict::contradictory, parallel);
    Workspace workspace;
    Solution solution;
    solve(problem, {}, workspace, solution);
    EXPECT_EQ(solution.status == Status::infeasible, parallel) << words(solution.status);
  }
}

TEST(ExactNumbers, a_light_point_beside_heavy_ones_is_not_excused_by_their_motion) {
  // The first and the last row contradict each other by 2e-12 in the light variable. The heavy ones move by 1e10, and beside the rounding of that anything passes.
  Instance instance = free_points({7, -1, -0.3364889905330284}, {1.1000000000000001e-05, 10000000.5, 1.5000000000092});
  instance.add_row({0.01, 0, 0}, 1, RowKind::inequality);
  instance.add_row({1.0000000000099, 1, -1}, 1, RowKind::equation);
  instance.add_row({-2, -0.2346912959261122, -0.936895189314432}, 1e10, RowKind::inequality);
  instance.add_row({0, -1, 1.0000000000019}, -0.001, RowKind::equation);
  instance.add_row({-0.0100000000001234, 0, 0}, -1.0000000000106, RowKind::inequality);
  const Problem problem = instance.problem();
  EXPECT_EQ(rational::nearest_point(in_fractions::of(problem)).verdict, rational::Verdict::contradictory);
  for (const bool exact : {false, true}) {
    Workspace workspace;
    Solution solution;
    Options options;
    options.exact_numbers = exact;
    options.long_multipliers = true;
    solve(problem, options, workspace, solution);
    EXPECT_NE(solution.status, Status::solved) << exact;
  }
}

}  // namespace
}  // namespace zwang::gauss::testing::exact_numbers_tests
