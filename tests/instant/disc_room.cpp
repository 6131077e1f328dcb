/// Weights of several discs with most room, held to the certificate that nothing can be better.
#include "zwang/instant/disc_room.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace zwang::instant {

namespace {

double size_of(const std::vector<double>& c, const std::vector<std::size_t>& of) {
  double square = 0;
  for (const std::size_t i : of) square += c[i] * c[i];
  return std::sqrt(square);
}

}  // namespace

TEST(DiscRoom, two_legs_share_a_pull_in_half) {
  // The pull 1.2 along the line of two legs: all on the first, or half on each.
  linear::Matrix idle(4, 1);
  idle(0, 0) = std::sqrt(0.5);
  idle(2, 0) = -std::sqrt(0.5);
  const DiscRoom found = most_room({{0, 1}, {2, 3}}, {1.2, 0.1, 0, 0.1}, idle);
  EXPECT_NEAR(found.c[0], 0.6, 1e-12);
  EXPECT_NEAR(found.c[2], 0.6, 1e-12);
  EXPECT_NEAR(found.most, std::sqrt(0.37), 1e-12);
  EXPECT_NEAR(found.speed[0], 0.5, 1e-9);
}

TEST(DiscRoom, a_disc_that_can_give_everything_away_has_no_speed) {
  // Three on a line; the second one may hand over to the first, the third is alone and small.
  linear::Matrix idle(3, 1);
  idle(0, 0) = 0.6;
  idle(1, 0) = -0.8;
  const DiscRoom found = most_room({{0}, {1}, {2}}, {0.9, 0.0, 0.1}, idle);
  EXPECT_NEAR(std::abs(found.c[0]), std::abs(found.c[1]), 1e-12);
  EXPECT_GT(found.speed[0], 0);
  EXPECT_EQ(found.speed[2], 0);
}

TEST(DiscRoom, multipliers_prove_every_answer) {
  std::mt19937 dice(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t count = 2 + static_cast<std::size_t>(round % 4);
    const std::size_t dimension = 2 + static_cast<std::size_t>(round % 2);
    std::vector<std::vector<std::size_t>> discs;
    std::vector<double> c;
    for (std::size_t k = 0; k < count; ++k) {
      discs.emplace_back();
      for (std::size_t a = 0; a < dimension; ++a) {
        discs.back().push_back(c.size());
        c.push_back(any(dice));
      }
    }
    linear::Matrix idle(c.size(), 1 + static_cast<std::size_t>(round % 3));
    for (double& x : idle.entry) x = any(dice);
    const DiscRoom found = most_room(discs, c, idle);
    double sum = 0;
    double by_speed = 0;
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_LE(size_of(found.c, discs[k]), found.most * (1 + 1e-14));
      if (found.speed[k] > 0) {
        EXPECT_NEAR(size_of(found.c, discs[k]), found.most, 1e-10);
      }
      sum += found.speed[k];
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    for (std::size_t j = 0; j < idle.columns; ++j) {
      double pull = 0;
      for (std::size_t k = 0; k < count; ++k) {
        for (const std::size_t i : discs[k]) pull += found.speed[k] * found.c[i] * idle(i, j);
      }
      by_speed = std::max(by_speed, std::abs(pull));
    }
    EXPECT_NEAR(by_speed, 0, 1e-9);
  }
}

}  // namespace zwang::instant
