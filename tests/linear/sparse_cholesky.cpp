/// The component-wise sparse factor against dense solutions, and what it keeps when rows come and go.
#include "zwang/linear/sparse_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

#include "linear/sparse_rows.hpp"

namespace zwang::linear::sparse_cholesky_tests {
namespace {

using testing::Owned;
using testing::random_rows;

struct Setting {
  Owned rows;
  Mass mass;
  SparseGram gram;
  SparseCholesky cholesky;

  Setting(Owned given, std::size_t n) : rows(std::move(given)), mass(std::vector<double>(n, 1.0)) {
    if (!mass.factor()) std::abort();
    gram.shape(rows.view(), mass);
    gram.load(rows.view(), mass);
    cholesky.reset(rows.count());
  }
  void hold(const std::vector<std::uint32_t>& set) {
    cholesky.choose(gram, set);
    cholesky.factor(gram);
  }
  /// The worst residual of Phi_AA x = b over the rows not skipped.
  double residual(const std::vector<std::uint32_t>& set) {
    const Eigen::MatrixXd j = testing::dense(rows, mass.size());
    std::vector<double> b(rows.count()), x(rows.count(), 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i) + 1);
    cholesky.solve(b, x);
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(j.cols());
    for (const std::uint32_t i : set) sum += x[i] * j.row(i).transpose();
    double worst = 0;
    for (std::size_t k = 0; k < cholesky.order().size(); ++k) {
      const std::uint32_t i = cholesky.order()[k];
      if (cholesky.skipped(k)) {
        EXPECT_EQ(x[i], 0.0);
      } else {
        worst = std::max(worst, std::abs(j.row(i).dot(sum) - b[i]));
      }
    }
    return worst;
  }
};

/// A chain of strings along a line, and a ladder of two such chains with rungs.
Owned chain(std::uint32_t n) {
  Owned rows;
  for (std::uint32_t i = 0; i + 1 < n; ++i) rows.add({i, i + 1}, {-1, 1});
  return rows;
}

std::vector<std::uint32_t> all(std::size_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), 0U);
  return result;
}

TEST(SparseCholesky, solves_with_any_chosen_rows) {
  std::mt19937_64 generator(1);
  for (int k = 0; k < 200; ++k) {
    const std::size_t n = 10 + static_cast<std::size_t>(k % 60);
    Setting setting(random_rows(n, n / 2, 3, generator), n);
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < setting.rows.count(); ++i) {
      if (generator() % 3 != 0) set.push_back(i);
    }
    setting.hold(set);
    ASSERT_EQ(setting.cholesky.order().size(), set.size());
    EXPECT_LE(setting.residual(set), 1e-7) << k;
  }
}

TEST(SparseCholesky, a_factor_with_a_full_tail_solves_as_well_and_skips_what_depends) {
  std::mt19937_64 generator(2);
  for (const std::size_t n : {400U, 500U}) {
    // Short rows that cross each other everywhere fill the factor; then some of them once more, behind and among the others.
    Owned rows = random_rows(n, n * 4 / 5, 6, generator);
    const std::size_t count = rows.count();
    for (std::size_t i = 0; i < count; i += 7) {
      const std::vector<std::uint32_t> columns(rows.column.begin() + rows.start[i],
                                               rows.column.begin() + rows.start[i + 1]);
      std::vector<double> entries(rows.entry.begin() + rows.start[i], rows.entry.begin() + rows.start[i + 1]);
      for (double& x : entries) x *= 2;
      rows.add(columns, entries);
    }
    Setting setting(std::move(rows), n);
    setting.hold(all(setting.rows.count()));
    ASSERT_GE(setting.cholesky.entries(), std::size_t{100} * 99 / 2);
    EXPECT_EQ(setting.cholesky.skipped_count(), setting.rows.count() - count);
    EXPECT_LE(setting.residual(all(setting.rows.count())), 1e-7) << n;
    const std::size_t work = setting.cholesky.work();
    EXPECT_GT(work, 0U);
    setting.cholesky.factor(setting.gram);
    EXPECT_EQ(setting.cholesky.work(), work);
  }
}

TEST(SparseCholesky, a_tree_has_no_fill) {
  Setting setting(chain(1000), 1000);
  setting.hold(all(999));
  EXPECT_EQ(setting.cholesky.components(), 1U);
  EXPECT_EQ(setting.cholesky.entries(), 998U);
  EXPECT_EQ(setting.cholesky.skipped_count(), 0U);
  EXPECT_LE(setting.residual(all(999)), 1e-9);
}

TEST(SparseCholesky, a_ring_on_a_line_has_one_dependent_row) {
  // Around the ring the rows add up to zero.
  Owned rows = chain(500);
  rows.add({0, 499}, {1, -1});
  Setting setting(std::move(rows), 500);
  setting.hold(all(500));
  EXPECT_EQ(setting.cholesky.skipped_count(), 1U);
  EXPECT_LE(setting.residual(all(500)), 1e-9);
}

TEST(SparseCholesky, rows_written_twice_are_skipped_once) {
  std::mt19937_64 generator(2);
  Owned rows = random_rows(40, 20, 3, generator);
  const Owned once = rows;
  for (std::size_t i = 0; i < once.count(); ++i) {
    std::vector<std::uint32_t> columns(once.column.begin() + once.start[i], once.column.begin() + once.start[i + 1]);
    std::vector<double> entries(once.entry.begin() + once.start[i], once.entry.begin() + once.start[i + 1]);
    for (double& x : entries) x *= -2.5;
    rows.add(columns, entries);
  }
  Setting setting(std::move(rows), 40);
  setting.hold(all(40));
  EXPECT_EQ(setting.cholesky.skipped_count(), 20U);
}

TEST(SparseCholesky, a_row_of_zeros_is_skipped) {
  Owned rows = chain(5);
  rows.add({}, {});
  rows.add({1, 2}, {0, 0});
  Setting setting(std::move(rows), 5);
  setting.hold(all(6));
  EXPECT_EQ(setting.cholesky.skipped_count(), 2U);
  EXPECT_LE(setting.residual(all(6)), 1e-12);
}

TEST(SparseCholesky, only_components_that_changed_are_ordered_and_factored_again) {
  // Ten chains of ten rows; one of them loses a row in the middle and falls into two.
  Owned rows;
  for (std::uint32_t c = 0; c < 10; ++c) {
    for (std::uint32_t i = 0; i < 10; ++i) rows.add({11 * c + i, 11 * c + i + 1}, {-1, 1});
  }
  Setting setting(std::move(rows), 110);
  std::vector<std::uint32_t> set = all(100);
  setting.hold(set);
  EXPECT_EQ(setting.cholesky.components(), 10U);
  EXPECT_EQ(setting.cholesky.ordered_count(), 10U);
  EXPECT_EQ(setting.cholesky.factored_count(), 10U);
  set.erase(set.begin() + 45);
  setting.hold(set);
  EXPECT_EQ(setting.cholesky.components(), 11U);
  EXPECT_EQ(setting.cholesky.ordered_count(), 2U);
  EXPECT_EQ(setting.cholesky.factored_count(), 2U);
  EXPECT_EQ(setting.cholesky.component_of(45), SparseCholesky::nowhere);
  EXPECT_LE(setting.residual(set), 1e-12);

  // New numbers: all factors are void, no order is.
  for (double& x : setting.rows.entry) x *= 1.5;
  setting.gram.load(setting.rows.view(), setting.mass);
  setting.cholesky.expire();
  setting.hold(set);
  EXPECT_EQ(setting.cholesky.ordered_count(), 0U);
  EXPECT_EQ(setting.cholesky.factored_count(), 11U);
  EXPECT_LE(setting.residual(set), 1e-12);

  // The row comes back: two components become one.
  set = all(100);
  setting.hold(set);
  EXPECT_EQ(setting.cholesky.ordered_count(), 1U);
  EXPECT_EQ(setting.cholesky.factored_count(), 1U);
  EXPECT_LE(setting.residual(set), 1e-12);
}

TEST(SparseCholesky, coming_and_going_gives_the_same_bits_as_a_fresh_start) {
  std::mt19937_64 generator(5);
  Setting setting(random_rows(120, 60, 2, generator), 120);
  std::vector<double> b(60, 1.0), x(60, 0.0), fresh(60, 0.0);
  for (int k = 0; k < 40; ++k) {
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (generator() % 4 != 0) set.push_back(i);
    }
    setting.hold(set);
    Setting other(setting.rows, 120);
    other.hold(set);
    std::fill(x.begin(), x.end(), 0.0);
    std::fill(fresh.begin(), fresh.end(), 0.0);
    setting.cholesky.solve(b, x);
    other.cholesky.solve(b, fresh);
    EXPECT_EQ(x, fresh);
  }
}

}  // namespace
}  // namespace zwang::linear::sparse_cholesky_tests
