/// The small kernels against plain loops, for every size up to a few blocks.
#include "zwang/linear/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace zwang::linear::kernels_tests {
namespace {

constexpr double tolerance = 1e-13;

TEST(Kernels, agree_with_plain_loops_for_every_size) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (std::size_t size = 0; size <= 35; ++size) {
    std::vector<std::vector<double>> rows(6, std::vector<double>(size + 1));
    for (auto& row : rows) {
      for (double& value : row) value = normal(random);
    }
    const auto plain = [&](std::size_t one, std::size_t other) {
      double sum = 0;
      for (std::size_t j = 0; j < size; ++j) sum += rows[one][j] * rows[other][j];
      return sum;
    };
    const double* x[4] = {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data()};
    double out[8];

    // Products.
    EXPECT_NEAR(dot(x[0], x[1], size), plain(0, 1), tolerance);
    dots<4>(x, rows[4].data(), size, out);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], plain(i, 4), tolerance);
    dots_by_two<3>(x, rows[4].data(), rows[5].data(), size, out);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(out[2 * i], plain(i, 4), tolerance);
      EXPECT_NEAR(out[2 * i + 1], plain(i, 5), tolerance);
    }
    double absolute_sum = 0;
    for (std::size_t j = 0; j < size; ++j) absolute_sum += std::abs(rows[0][j] * rows[1][j]);
    EXPECT_NEAR(absolute_dot(x[0], x[1], size), absolute_sum, tolerance);

    // Sums of rows; what lies behind the end stays as it is.
    const double c[4] = {0.5, -2, 3, 1.25};
    std::vector<double> many = rows[4], one = rows[4], sizes = rows[4];
    add_multiples<4>(c, x, many.data(), size);
    add_multiple(c[1], x[1], one.data(), size);
    add_absolute(c[1], x[1], sizes.data(), size);
    for (std::size_t j = 0; j < size; ++j) {
      EXPECT_NEAR(one[j], rows[4][j] - 2 * rows[1][j], tolerance);
      EXPECT_NEAR(sizes[j], rows[4][j] + std::abs(2 * rows[1][j]), tolerance);
      const double sum = 0.5 * rows[0][j] - 2 * rows[1][j] + 3 * rows[2][j] + 1.25 * rows[3][j];
      EXPECT_NEAR(many[j], rows[4][j] + sum, tolerance);
    }
    EXPECT_EQ(many[size], rows[4][size]);
    EXPECT_EQ(one[size], rows[4][size]);
    EXPECT_EQ(sizes[size], rows[4][size]);
  }
}

}  // namespace
}  // namespace zwang::linear::kernels_tests
