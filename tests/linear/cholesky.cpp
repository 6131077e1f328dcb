/// The dense Cholesky factor: its product is the matrix, its solves undo it, and what depends has nothing left.
#include "zwang/linear/cholesky.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace zwang::linear::cholesky_tests {
namespace {

constexpr double rounding = std::numeric_limits<double>::epsilon();

/// A = B B^T of random rows, some of which are zero in places.
struct Gram {
  std::size_t size = 0;
  std::vector<double> entry;
  Gram(std::size_t rows, std::size_t columns, unsigned seed) : size(rows), entry(rows * rows, 0.0) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> b(rows * columns);
    for (double& x : b) x = random() % 3 == 0 ? 0.0 : normal(random);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < rows; ++j) {
        for (std::size_t c = 0; c < columns; ++c) entry[i * rows + j] += b[i * columns + c] * b[j * columns + c];
      }
    }
  }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return entry[i * size + j]; }
};

std::vector<double> factor_of(const Gram& a) {
  std::vector<double> lower(a.size * a.size, 0.0), row(a.size);
  for (std::size_t j = 0; j < a.size; ++j) {
    for (std::size_t k = 0; k <= j; ++k) row[k] = a(j, k);
    take_row(lower.data(), a.size, j, row.data(), std::sqrt(reduce_row(lower.data(), a.size, j, row.data())));
  }
  return lower;
}

TEST(Cholesky, the_product_of_the_factor_is_the_matrix) {
  for (const std::size_t size : {1, 2, 3, 7, 20}) {
    const Gram a(size, size + 5, static_cast<unsigned>(size));
    const std::vector<double> lower = factor_of(a);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t l = 0; l <= j; ++l) sum += lower[l * size + i] * lower[l * size + j];
        // Rounding of a sum of as many products, each at most the root of two diagonal entries.
        const double room = static_cast<double>(size + 1) * rounding * std::sqrt(a(i, i) * a(j, j));
        EXPECT_NEAR(sum, a(i, j), room) << size << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(Cholesky, both_solves_undo_the_factor) {
  const std::size_t size = 9;
  const Gram a(size, size + 6, 4);
  const std::vector<double> lower = factor_of(a);
  std::vector<double> truth(size), up(size, 0.0), down(size, 0.0);
  double least = lower[0];
  for (std::size_t i = 0; i < size; ++i) {
    truth[i] = static_cast<double>(i) - 3.5;
    least = std::min(least, lower[i * size + i]);
  }
  double largest = 0;
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k; i < size; ++i) {
      up[i] += lower[k * size + i] * truth[k];
      down[k] += lower[k * size + i] * truth[i];
      largest = std::max(largest, std::abs(lower[k * size + i]));
    }
  }
  solve_columns(lower.data(), size, size, up.data());
  solve_columns_transposed(lower.data(), size, size, down.data());
  // Each unknown carries the rounding of those before it, at most as often as the factor magnifies it.
  const double room = 64 * static_cast<double>(size) * rounding * std::pow(largest / least, 2);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_NEAR(up[i], truth[i], room);
    EXPECT_NEAR(down[i], truth[i], room);
  }
}

TEST(Cholesky, of_a_row_that_others_make_nothing_is_left) {
  // Whole numbers, and rows that are their own factor: everything is exact. The fifth row has only four directions to go.
  const double b[5][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}, {1, 2, 3, 4}};
  std::vector<double> lower(25, 0.0);
  for (std::size_t j = 0; j < 5; ++j) {
    double row[5] = {};
    for (std::size_t k = 0; k <= j; ++k) {
      for (std::size_t c = 0; c < 4; ++c) row[k] += b[j][c] * b[k][c];
    }
    const double left = reduce_row(lower.data(), 5, j, row);
    EXPECT_EQ(left, j < 4 ? 1 : 0);
    take_row(lower.data(), 5, j, row, std::sqrt(left));
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(lower[k * 5 + j], b[j][k]);
  }
}

TEST(Cholesky, integers_come_out_exact) {
  // L = (2, 0, 0; 1, 3, 0; -1, 2, 1).
  const double a[3][3] = {{4, 2, -2}, {2, 10, 5}, {-2, 5, 6}};
  const double l[3][3] = {{2, 0, 0}, {1, 3, 0}, {-1, 2, 1}};
  std::vector<double> lower(9, 0.0);
  for (std::size_t j = 0; j < 3; ++j) {
    double row[3] = {a[j][0], a[j][1], a[j][2]};
    take_row(lower.data(), 3, j, row, std::sqrt(reduce_row(lower.data(), 3, j, row)));
    for (std::size_t k = 0; k <= j; ++k) EXPECT_EQ(lower[k * 3 + j], l[j][k]);
  }
}

}  // namespace
}  // namespace zwang::linear::cholesky_tests
