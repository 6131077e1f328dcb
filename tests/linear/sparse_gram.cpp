/// The sparse dual matrix against the product of dense matrices.
#include "zwang/linear/sparse_gram.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "linear/sparse_rows.hpp"

namespace zwang::linear::sparse_gram_tests {
namespace {

using testing::dense;
using testing::Owned;
using testing::random_rows;

Eigen::MatrixXd dense(const Mass& mass) {
  const auto n = static_cast<Eigen::Index>(mass.size());
  Eigen::MatrixXd result(n, n);
  std::vector<double> unit(mass.size()), column(mass.size());
  for (Eigen::Index j = 0; j < n; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[static_cast<std::size_t>(j)] = 1;
    mass.multiply(unit, column);
    for (Eigen::Index i = 0; i < n; ++i) result(i, j) = column[static_cast<std::size_t>(i)];
  }
  return result;
}

void expect_product(const SparseGram& gram, const Owned& rows, const Mass& mass) {
  const Eigen::MatrixXd j = testing::dense(rows, mass.size());
  const Eigen::MatrixXd phi = j * dense(mass).ldlt().solve(j.transpose());
  Eigen::MatrixXd seen = Eigen::MatrixXd::Zero(phi.rows(), phi.cols());
  for (std::uint32_t i = 0; i < gram.nodes(); ++i) {
    seen(i, i) = gram.diagonal(i);
    const auto others = gram.neighbours(i);
    const auto edges = gram.edges_of(i);
    for (std::size_t s = 0; s < others.size(); ++s) {
      EXPECT_TRUE(s == 0 || others[s - 1] < others[s]);
      EXPECT_EQ(gram.upper_row(edges[s]), std::max(i, others[s]));
      seen(i, others[s]) = gram.between(edges[s]);
    }
  }
  EXPECT_LE((seen - phi).cwiseAbs().maxCoeff(), 1e-13 * (1 + phi.cwiseAbs().maxCoeff()));
}

TEST(SparseGram, is_the_product_of_rows_and_inverse_mass) {
  std::mt19937_64 generator(1);
  for (int k = 0; k < 60; ++k) {
    const std::size_t n = 2 + static_cast<std::size_t>(k);
    const Owned rows =
        random_rows(n, 1 + static_cast<std::size_t>(k % 30), 1 + static_cast<std::size_t>(k % 5), generator);
    std::vector<double> diagonal(n);
    for (double& m : diagonal) m = 0.5 + std::uniform_real_distribution<double>(0, 1)(generator);
    Mass mass(diagonal);
    ASSERT_TRUE(mass.factor());
    SparseGram gram;
    EXPECT_TRUE(gram.shape(rows.view(), mass));
    gram.load(rows.view(), mass);
    expect_product(gram, rows, mass);
  }
}

TEST(SparseGram, sees_the_coupling_through_blocks_of_the_mass) {
  std::mt19937_64 generator(2);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 30; ++k) {
    const std::size_t n = 9 + static_cast<std::size_t>(k);
    const Owned rows = random_rows(n, 12, 2, generator);
    const std::vector<std::vector<std::uint32_t>> blocks{{0, 3, 5}, {1, 2}, {6, 7, 8}};
    Mass mass(n, blocks);
    for (std::uint32_t i = 0; i < n; ++i) mass.block_of(i) < 0 ? mass.add_diagonal(i, 2) : mass.add(i, i, 3);
    for (const auto& block : blocks) {
      for (std::size_t s = 1; s < block.size(); ++s) mass.add(block[s - 1], block[s], 0.4 * normal(generator));
    }
    ASSERT_TRUE(mass.factor());
    SparseGram gram;
    gram.shape(rows.view(), mass);
    gram.load(rows.view(), mass);
    expect_product(gram, rows, mass);

    // J W as rows: W J^T of one row added to a vector.
    std::vector<double> column(n, 0.0), expected(n, 0.0);
    gram.add_row(4, 2.0, column);
    for (std::uint32_t p = rows.start[4]; p < rows.start[5]; ++p) expected[rows.column[p]] = 2.0 * rows.entry[p];
    mass.solve(expected, expected);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(column[i], expected[i], 1e-14);
  }
}

TEST(SparseGram, keeps_its_pattern_until_the_rows_or_the_blocks_change) {
  std::mt19937_64 generator(3);
  Owned rows = random_rows(20, 15, 3, generator);
  Mass mass(std::vector<double>(20, 1.0));
  ASSERT_TRUE(mass.factor());
  SparseGram gram;
  EXPECT_TRUE(gram.shape(rows.view(), mass));
  for (double& x : rows.entry) x += 1;
  EXPECT_FALSE(gram.shape(rows.view(), mass));
  gram.load(rows.view(), mass);
  expect_product(gram, rows, mass);

  // A heavier mass is no new pattern, a block is.
  Mass heavier(std::vector<double>(20, 2.0));
  ASSERT_TRUE(heavier.factor());
  EXPECT_FALSE(gram.shape(rows.view(), heavier));
  gram.load(rows.view(), heavier);
  expect_product(gram, rows, heavier);
  Mass block(20, {{0, 1}});
  for (std::uint32_t i = 0; i < 20; ++i) i < 2 ? block.add(i, i, 1) : block.add_diagonal(i, 1);
  ASSERT_TRUE(block.factor());
  EXPECT_TRUE(gram.shape(rows.view(), block));
  const Owned others = random_rows(20, 15, 3, generator);
  EXPECT_TRUE(gram.shape(others.view(), block));
}

}  // namespace
}  // namespace zwang::linear::sparse_gram_tests
