/// The mass matrix: products and solves against the definition, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "zwang/matrix.hpp"

namespace zwang::linear::mass_tests {
namespace {

/// A mass with blocks {1, 4, 5} and {2, 3} of eight variables, and the same as a plain matrix.
struct Coupled {
  Mass mass{8, {{1, 4, 5}, {2, 3}}};
  double matrix[8][8] = {};

  Coupled() {
    const auto put = [&](std::uint32_t i, std::uint32_t j, double value) {
      mass.add(i, j, value);
      matrix[i][j] += value;
      if (i != j) matrix[j][i] += value;
    };
    for (std::uint32_t i = 0; i < 8; ++i) put(i, i, 1.0 + i);
    put(1, 4, 0.5);
    put(5, 1, -0.25);
    put(4, 5, 2.0);
    put(3, 2, 1.5);
    put(4, 4, 0.75);
  }
};

TEST(Mass, multiplies_as_the_matrix_it_stands_for) {
  const Coupled coupled;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> x(8), y(8);
  for (double& value : x) value = normal(random);
  coupled.mass.multiply(x, y);
  for (std::size_t i = 0; i < 8; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 8; ++j) sum += coupled.matrix[i][j] * x[j];
    EXPECT_NEAR(y[i], sum, 1e-14);
  }
}

TEST(Mass, solving_undoes_multiplying_also_in_place) {
  Coupled coupled;
  ASSERT_TRUE(coupled.mass.factor());
  std::vector<double> x = {1, -2, 3, 4, -5, 6, 7, -8}, y(8);
  coupled.mass.multiply(x, y);
  coupled.mass.solve(y, y);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(y[i], x[i], 1e-13);
  coupled.mass.multiply(y, y);
  coupled.mass.solve(y, y);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(y[i], x[i], 1e-13);
}

TEST(Mass, a_blocks_factor_times_its_transpose_is_the_block) {
  Coupled coupled;
  ASSERT_TRUE(coupled.mass.factor());
  ASSERT_EQ(coupled.mass.blocks().size(), 2U);
  for (const Mass::Block& block : coupled.mass.blocks()) {
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k <= std::min(i, j); ++k)
          sum += block.factor[k * size + i] * block.factor[k * size + j];
        EXPECT_NEAR(sum, coupled.matrix[block.variables[i]][block.variables[j]], 1e-14);
      }
    }
  }
}

TEST(Mass, variables_outside_blocks_keep_the_inverse_root_of_their_mass) {
  Coupled coupled;
  ASSERT_TRUE(coupled.mass.factor());
  for (const std::uint32_t i : {0U, 6U, 7U}) {
    EXPECT_EQ(coupled.mass.block_of(i), -1);
    EXPECT_NEAR(coupled.mass.inverse_root()[i] * std::sqrt(coupled.matrix[i][i]), 1, 1e-15);
  }
  EXPECT_EQ(coupled.mass.block_of(4), 0);
  EXPECT_EQ(coupled.mass.block_of(3), 1);
  EXPECT_EQ(coupled.mass.diagonal()[4], 5.75);
}

TEST(Mass, set_zero_forgets_the_values_and_keeps_the_structure) {
  Coupled coupled;
  coupled.mass.set_zero();
  EXPECT_FALSE(coupled.mass.factor());
  for (std::uint32_t i = 0; i < 8; ++i) coupled.mass.add_diagonal(i, 4);
  ASSERT_TRUE(coupled.mass.factor());
  std::vector<double> x(8, 1.0), y(8);
  coupled.mass.solve(x, y);
  for (const double value : y) EXPECT_DOUBLE_EQ(value, 0.25);
}

TEST(Mass, what_is_not_positive_or_not_finite_is_refused_by_name) {
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Mass mass({1, 2, bad, 3});
    EXPECT_FALSE(mass.factor()) << bad;
    EXPECT_EQ(mass.weakest(), 2U);
  }

  // A block of rank one: (1, 1; 1, 1), at any scale.
  for (const double scale : {1e-12, 1.0, 1e12}) {
    Mass mass(3, {{0, 2}});
    mass.add_diagonal(0, scale);
    mass.add_diagonal(1, 1);
    mass.add_diagonal(2, scale);
    mass.add(0, 2, scale);
    EXPECT_FALSE(mass.factor());
    EXPECT_EQ(mass.weakest(), 2U);
  }
}

TEST(Mass, small_masses_beside_large_ones_are_no_weakness) {
  // diag(1e-8, 1e8) coupled by a thousandth of what would make it singular.
  Mass mass(2, {{0, 1}});
  mass.add_diagonal(0, 1e-8);
  mass.add_diagonal(1, 1e8);
  mass.add(0, 1, 1e-3);
  EXPECT_TRUE(mass.factor());
}

TEST(Mass, of_a_body_whose_axes_are_known_is_inverted_along_each_of_them) {
  // A quaternion that points nowhere in particular, and what turns about the body's axes make of it.
  const double e[4] = {0.5, 0.1, -0.7, 0.5};
  const double rows[16] = {-e[1], e[0], e[3],  -e[2], -e[2], -e[3], e[0], e[1],
                           -e[3], e[2], -e[1], e[0],  e[0],  e[1],  e[2], e[3]};
  for (const double least : {1e-3, 1e-12, 1e-18}) {
    Mass mass(7, {{0, 1, 2, 3, 4, 5, 6}});
    Mass::Turn turn;
    turn.mass = 2;
    turn.reach = 1;
    turn.light = 1;
    turn.weight = {3, least, 4, 5};
    for (std::size_t k = 0; k < 16; ++k) turn.axis.at(k) = rows[k];
    mass.set_turn(0, turn);
    for (std::uint32_t c = 0; c < 3; ++c) mass.add(c, c, turn.mass);
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::uint32_t i = 0; i < 4; ++i) {
        for (std::uint32_t j = 0; j <= i; ++j)
          mass.add(3 + i, 3 + j, turn.weight.at(k) * rows[4 * k + i] * rows[4 * k + j]);
      }
    }
    ASSERT_TRUE(mass.factor()) << least;
    // A force about the other axes, and on the places, turns nothing about the least one.
    std::vector<double> force = {1, 2, 3, 0, 0, 0, 0}, motion(7);
    for (std::size_t i = 0; i < 4; ++i) force[3 + i] = 0.3 * rows[i] - 0.7 * rows[8 + i];
    mass.solve(force, motion);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(motion[3 + i], 0.1 * rows[i] - 0.175 * rows[8 + i], 1e-15) << least;
    for (std::size_t c = 0; c < 3; ++c) EXPECT_DOUBLE_EQ(motion[c], force[c] / 2);
    // One about the least axis alone moves as its own weight says.
    force.assign(7, 0.0);
    for (std::size_t i = 0; i < 4; ++i) force[3 + i] = least * rows[4 + i];
    mass.solve(force, motion);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(motion[3 + i], rows[4 + i], 1e-14) << least;
  }
}

}  // namespace
}  // namespace zwang::linear::mass_tests
