/// A hub taken apart: the same answers, and entries that grow with the strings and not with their square.
#include "zwang/linear/split_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/sparse_rows.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/linear/sparse_cholesky.hpp"

namespace zwang::linear::split_columns_tests {
namespace {

using testing::Owned;

/// A hub, variables 0 and 1, with strings all around to points of mass 1; `masses` is the hub's.
struct Star {
  Owned rows;
  std::vector<double> x, y;
  Mass mass;

  Star(std::uint32_t strings, double hub) {
    std::vector<double> masses(2 + 2 * std::size_t{strings}, 1.0);
    masses[0] = masses[1] = hub;
    mass = Mass(masses);
    EXPECT_TRUE(mass.factor());
    for (std::uint32_t k = 0; k < strings; ++k) {
      x.push_back(std::cos(0.7 * k));
      y.push_back(std::sin(0.7 * k));
      rows.add({0, 1, 2 + 2 * k, 3 + 2 * k}, {-x[k], -y[k], x[k], y[k]});
    }
  }

  /// The largest of b - Phi z, where Phi_ij = delta_ij + (x_i x_j + y_i y_j) / hub.
  [[nodiscard]] double residual(const std::vector<double>& z, const std::vector<double>& b) const {
    double across = 0, up = 0, most = 0;
    for (std::size_t k = 0; k < z.size(); ++k) {
      across += x[k] * z[k];
      up += y[k] * z[k];
    }
    const double hub = mass.diagonal()[0];
    for (std::size_t k = 0; k < z.size(); ++k) {
      most = std::max(most, std::abs(b[k] - z[k] - (x[k] * across + y[k] * up) / hub));
    }
    return most;
  }
};

TEST(SplitColumns, the_factor_of_a_hub_grows_with_its_strings) {
  const std::uint32_t strings = 3000;
  const Star star(strings, 7);
  SplitColumns split;
  ASSERT_TRUE(split.shape(star.rows.view(), star.mass));
  split.load(star.rows.view(), star.mass);
  SparseGram gram;
  gram.shape(split.rows(), split.mass());
  gram.load(split.rows(), split.mass());
  EXPECT_LE(split.ties(), strings);
  EXPECT_LE(gram.edges(), 16 * std::size_t{strings});
  std::vector<std::uint32_t> all(gram.nodes());
  std::iota(all.begin(), all.end(), 0U);
  SparseCholesky cholesky;
  cholesky.reset(all.size());
  cholesky.choose(gram, all);
  cholesky.factor(gram);
  EXPECT_LE(cholesky.entries(), 32 * std::size_t{strings});
  EXPECT_EQ(cholesky.skipped_count(), 0U);
}

TEST(SplitColumns, copies_share_the_mass_and_rows_keep_their_entries) {
  const Star star(200, 7);
  SplitColumns split;
  ASSERT_TRUE(split.shape(star.rows.view(), star.mass));
  split.load(star.rows.view(), star.mass);
  std::vector<double> sum(star.mass.size(), 0.0);
  for (std::size_t i = 0; i < split.original().size(); ++i) sum[split.original()[i]] += split.mass().diagonal()[i];
  for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_NEAR(sum[i], star.mass.diagonal()[i], 1e-13);
  const SparseRows rows = split.rows();
  for (std::size_t i = 0; i < star.rows.count(); ++i) {
    EXPECT_TRUE(std::is_sorted(rows.column.begin() + rows.start[i], rows.column.begin() + rows.start[i + 1]));
    for (std::uint32_t p = rows.start[i]; p < rows.start[i + 1]; ++p) {
      const std::uint32_t given = split.source()[p];
      EXPECT_EQ(rows.entry[p], star.rows.entry[given]);
      EXPECT_EQ(split.original()[rows.column[p]], star.rows.column[given]);
    }
  }
}

TEST(SplitColumns, a_factor_with_a_hub_solves_what_it_should) {
  for (const double hub : {0.01, 1.0, 1e4}) {
    const Star star(2000, hub);
    GramFactor factor;
    const std::vector<std::uint8_t> shares(star.rows.count(), 1);
    factor.shape(star.rows.view(), star.mass, shares);
    factor.factor(star.rows.view(), star.mass);
    EXPECT_EQ(factor.skipped_count(), 0U);
    std::vector<double> b;
    for (std::size_t k = 0; k < star.rows.count(); ++k) b.push_back(std::sin(1.3 * static_cast<double>(k)));
    std::vector<double> z = b;
    factor.solve(z);
    EXPECT_LE(star.residual(z, b), 1e-10) << hub;
    EXPECT_NEAR(factor.diagonal(5), 1 + 1 / hub, 1e-12 * (1 + 1 / hub));
  }
}

TEST(SplitColumns, strings_written_twice_are_skipped_as_without_a_hub_taken_apart) {
  Star star(150, 3);
  const Owned once = star.rows;
  for (std::size_t i = 0; i < once.count(); ++i) {
    const auto first = static_cast<std::ptrdiff_t>(once.start[i]),
               last = static_cast<std::ptrdiff_t>(once.start[i + 1]);
    star.rows.add({once.column.begin() + first, once.column.begin() + last},
                  {once.entry.begin() + first, once.entry.begin() + last});
  }
  GramFactor factor;
  const std::vector<std::uint8_t> shares(star.rows.count(), 1);
  factor.shape(star.rows.view(), star.mass, shares);
  factor.factor(star.rows.view(), star.mass);
  EXPECT_EQ(factor.skipped_count(), once.count());
  // Both of a pair carry the same.
  std::vector<double> z(star.rows.count(), 1.0);
  factor.solve(z);
  for (std::size_t i = 0; i < once.count(); ++i) EXPECT_NEAR(z[i], z[i + once.count()], 1e-9);
}

TEST(SplitColumns, few_rows_of_a_variable_stay_together) {
  const Star star(100, 7);
  SplitColumns split;
  EXPECT_FALSE(split.shape(star.rows.view(), star.mass));
}

}  // namespace
}  // namespace zwang::linear::split_columns_tests
