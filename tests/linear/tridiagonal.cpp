/// The band factor against the product it inverts, for every size up to a few blocks and rows of very different scales.
#include "zwang/linear/tridiagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace zwang::linear::tridiagonal_tests {
namespace {

/// Phi = J J^T of rows that share one direction with the row before and one with the row behind.
struct Band {
  std::vector<double> diagonal, beside;

  Band(std::size_t size, std::mt19937_64& random, double decades) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> exponent(-decades, decades);
    std::vector<double> first(size + 1), second(size + 1);
    for (std::size_t j = 0; j < size; ++j) {
      const double scale = std::pow(10.0, exponent(random));
      first[j] = scale * normal(random);
      second[j] = scale * normal(random);
    }
    for (std::size_t j = 0; j < size; ++j) {
      diagonal.push_back(first[j] * first[j] + second[j] * second[j]);
      beside.push_back(j + 1 < size ? second[j] * first[j + 1] : 0.0);
    }
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& x, bool sizes) const {
    std::vector<double> y(x.size(), 0.0);
    const auto add = [&](std::size_t to, double value) { y[to] += sizes ? std::abs(value) : value; };
    for (std::size_t j = 0; j < x.size(); ++j) {
      add(j, diagonal[j] * x[j]);
      if (j > 0) add(j, beside[j - 1] * x[j - 1]);
      if (j + 1 < x.size()) add(j, beside[j] * x[j + 1]);
    }
    return y;
  }
};

TEST(Tridiagonal, solution_times_matrix_is_the_right_hand_side) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  Tridiagonal factor;
  int solved = 0;
  for (int round = 0; round < 2000; ++round) {
    const std::size_t size = 1 + static_cast<std::size_t>(round) % 41;
    const Band band(size, random, round % 2 == 0 ? 0.0 : 6.0);
    factor.shape(size);
    if (!factor.factor(band.diagonal.data(), band.beside.data(), 1e-9)) continue;
    ++solved;
    std::vector<double> b(size);
    for (std::size_t j = 0; j < size; ++j) {
      b[j] = std::sqrt(band.diagonal[j]) * normal(random);
      factor.right()[j] = b[j];
    }
    factor.solve();
    const std::vector<double> x(factor.right(), factor.right() + size);
    const std::vector<double> y = band.times(x, false);
    const std::vector<double> terms = band.times(x, true);
    for (std::size_t j = 0; j < size; ++j) {
      ASSERT_LE(std::abs(y[j] - b[j]), 1e-14 / factor.least_pivot() * (terms[j] + std::abs(b[j])))
          << "row " << j << " of " << size;
    }
  }
  EXPECT_GT(solved, 1900);
}

TEST(Tridiagonal, a_row_that_depends_on_the_one_before_has_no_pivot) {
  Tridiagonal factor;
  factor.shape(3);
  const double diagonal[] = {1, 4, 1};
  const double beside[] = {2, 0};
  EXPECT_FALSE(factor.factor(diagonal, beside, 1e-12));
  const double other[] = {1.9, 0};
  EXPECT_TRUE(factor.factor(diagonal, other, 1e-12));
  EXPECT_NEAR(factor.least_pivot(), (4 - 1.9 * 1.9) / 4, 1e-15);
}

TEST(Tridiagonal, the_width_of_vectors_does_not_show_in_the_bits) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (std::size_t size = 1; size <= 67; ++size) {
    const Band band(size, random, 1.0);
    Tridiagonal one;
    one.shape(size);
    if (!one.factor(band.diagonal.data(), band.beside.data(), 1e-9)) continue;
    for (std::size_t j = 0; j < size; ++j) one.right()[j] = normal(random);
    Tridiagonal other = one;
    one.solve();
    other.solve_wide();
    for (std::size_t j = 0; j < size; ++j) ASSERT_EQ(one.right()[j], other.right()[j]);
  }
}

}  // namespace
}  // namespace zwang::linear::tridiagonal_tests
