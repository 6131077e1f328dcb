/// Problems of all scales whose numbers are meant as they stand: every verdict proved in fractions. With ZWANG_SOAK=1 in the environment there are 10^7 of
/// them and 10^5 enumerations (`make soak`), otherwise a few thousand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <thread>

#include "exact.hpp"
#include "instance.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/rational/nearest.hpp"

namespace zwang::gauss::testing {
namespace {

using rational::Number;

bool is_long() { return std::getenv("ZWANG_SOAK") != nullptr; }

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

rational::Problem in_fractions(const Instance& instance) {
  rational::Problem out;
  const Problem problem = instance.problem();
  for (std::uint32_t j = 0; j < problem.n(); ++j) {
    out.a0.push_back(Number::of(problem.a0[j]));
    out.mass.push_back({{j}, {Number::of(problem.mass->diagonal()[j])}});
  }
  for (std::size_t i = 0; i < problem.r(); ++i) {
    rational::Row row{{}, Number::of(problem.h[i]), problem.kind[i] == RowKind::equation};
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      row.entries.emplace_back(problem.column[e], Number::of(problem.entry[e]));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Distance of a point from the exact one, over their sizes, in the metric of the masses.
double distance(const Problem& problem, const std::vector<double>& a, const std::vector<Number>& exact) {
  double off = 0, size = 0;
  for (std::size_t j = 0; j < problem.n(); ++j) {
    const double mass = problem.mass->diagonal()[j], truth = exact[j].approximate();
    off += mass * (a[j] - truth) * (a[j] - truth);
    size += mass * (truth * truth + problem.a0[j] * problem.a0[j]);
  }
  return off == 0 ? 0 : std::sqrt(off / size);
}

struct Tally {
  std::uint64_t solved = 0, jammed = 0, gave_up = 0, by_a_hair = 0;
  double worst = 0;
  std::string wrong;  ///< the first
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
    const rational::Problem exact = in_fractions(instance);
    std::vector<std::uint32_t> start;
    for (std::uint32_t i = 0; i < problem.r(); ++i) {
      if (solution.active[i] != 0) start.push_back(i);
    }
    const rational::Answer answer = rational::nearest_point(exact, start);
    if (const std::string why = rational::refute(exact, answer); !why.empty()) {
      tally.wrong = fmt::format("{}: the exact answer is refuted: {}", k, why);
      break;
    }
    const bool possible = answer.verdict == rational::Verdict::nearest;
    switch (solution.status) {
      case Status::gave_up: ++tally.gave_up; break;
      case Status::infeasible:
        ++tally.jammed;
        if (possible) tally.wrong = fmt::format("{}: called contradictory, and is not", k);
        break;
      case Status::solved: {
        ++tally.solved;
        if (possible) {
          const double off = distance(problem, solution.a, answer.a);
          tally.worst = std::max(tally.worst, off);
          if (!(off <= 1e-9)) tally.wrong = fmt::format("{}: the point is off by {}", k, off);
          break;
        }
        // Contradictory by less than its numbers are rounded: the proof does not stand for all problems within the bounds.
        ++tally.by_a_hair;
        Number largest;
        for (const Number& y : answer.farkas) largest = std::max(largest, y.sign() < 0 ? -y : y);
        std::vector<double> farkas;
        for (const Number& y : answer.farkas) farkas.push_back((y / largest).approximate());
        if (verify_farkas(problem, farkas)) tally.wrong = fmt::format("{}: a contradiction was not seen", k);
        break;
      }
    }
  }
  return tally;
}

TEST(ExactNumbersLong, no_verdict_on_problems_of_all_scales_is_wrong) {
  const std::uint64_t many = is_long() ? 10'000'000 : 4'000;
  const std::uint64_t parts = is_long() ? std::max(1U, std::thread::hardware_concurrency()) : 1;
  std::vector<Tally> tallies(parts);
  std::vector<std::thread> threads;
  for (std::uint64_t part = 0; part < parts; ++part) {
    threads.emplace_back([&, part] { tallies[part] = judge(1 + part * (many / parts), many / parts); });
  }
  Tally all;
  for (std::uint64_t part = 0; part < parts; ++part) {
    threads[part].join();
    const Tally& one = tallies[part];
    EXPECT_EQ(one.wrong, "");
    all.solved += one.solved;
    all.jammed += one.jammed;
    all.gave_up += one.gave_up;
    all.by_a_hair += one.by_a_hair;
    all.worst = std::max(all.worst, one.worst);
  }
  fmt::print(
      "{} problems of all scales: {} solved ({} contradictory by less than their rounding), {} contradictory, {} given "
      "up; worst point off by {:.1g}\n",
      many, all.solved, all.by_a_hair, all.jammed, all.gave_up, all.worst);
  EXPECT_GT(all.solved, many / 3);
  EXPECT_GT(all.jammed, many / 4);
  EXPECT_LE(all.gave_up, many / 1000);
}

TEST(ExactNumbersLong, the_exact_nearest_point_is_that_of_enumeration) {
  const int many = is_long() ? 100'000 : 400;
  std::mt19937_64 random(5);
  int contradictory = 0;
  for (int k = 0; k < many; ++k) {
    const Instance instance = of_all_scales(random);
    const rational::Answer answer = rational::nearest_point(in_fractions(instance));
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

}  // namespace
}  // namespace zwang::gauss::testing
