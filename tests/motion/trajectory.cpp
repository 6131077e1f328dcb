/// Pieces: positions, velocities and multipliers by Horner's rule against the plain sums.
#include "zwang/trajectory.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <set>
#include <string>

namespace zwang::motion::trajectory_tests {

namespace {

Piece random_piece() {
  const auto number = [] { return *rc::gen::inRange(-1000, 1001) / 256.0; };
  Piece piece;
  piece.start = number();
  piece.length = 1 + std::abs(number());
  piece.n = *rc::gen::inRange<std::uint32_t>(1, 5);
  piece.orders = *rc::gen::inRange<std::uint32_t>(1, 12);
  piece.multiplier_orders = *rc::gen::inRange<std::uint32_t>(1, 12);
  piece.rows.resize(*rc::gen::inRange<std::size_t>(0, 4));
  for (std::uint32_t i = 0; i < piece.n * piece.orders; ++i) piece.position.push_back(number());
  for (std::size_t i = 0; i < piece.rows.size() * piece.multiplier_orders; ++i) piece.multiplier.push_back(number());
  for (std::size_t i = 0; i < piece.rows.size(); ++i) piece.rho.push_back(number());
  return piece;
}

void expect_near(double value, double wanted, double scale) {
  RC_ASSERT(std::abs(value - wanted) <= 1e-14 * (1 + scale));
}

}  // namespace

TEST(Trajectory, positions_velocities_multipliers_and_rho_are_the_plain_sums) {
  EXPECT_TRUE(rc::check("Horner's rule", [] {
    const Piece piece = random_piece();
    const double s = *rc::gen::inRange(0, 257) / 256.0;
    const double time = piece.start + s;
    model::State state;
    std::vector<double> multipliers;
    std::vector<double> rho;
    evaluate(piece, time, state);
    evaluate_multipliers(piece, time, multipliers);
    evaluate_rho(piece, time, rho);
    RC_ASSERT(state.time == time);
    for (std::uint32_t i = 0; i < piece.n; ++i) {
      double position = 0;
      double velocity = 0;
      double scale = 0;
      for (std::uint32_t k = 0; k < piece.orders; ++k) {
        const double c = piece.position[k * piece.n + i];
        position += c * std::pow(s, k);
        velocity += k == 0 ? 0 : c * k * std::pow(s, k - 1);
        scale += std::abs(c) * (k + 1);
      }
      expect_near(state.position[i], position, scale);
      expect_near(state.velocity[i], velocity, scale);
    }
    for (std::size_t j = 0; j < piece.rows.size(); ++j) {
      double lambda = 0;
      double sum = piece.rho[j];
      double scale = std::abs(sum);
      for (std::uint32_t k = 0; k < piece.multiplier_orders; ++k) {
        const double c = piece.multiplier[k * piece.rows.size() + j];
        lambda += c * std::pow(s, k);
        sum += c * std::pow(s, k + 1) / (k + 1);
        scale += std::abs(c);
      }
      expect_near(multipliers[j], lambda, scale);
      expect_near(rho[j], sum, scale);
    }
  }));
}

TEST(Trajectory, times_outside_the_piece_are_kept_on_it) {
  Piece piece;
  piece.start = 1;
  piece.length = 2;
  piece.n = 1;
  piece.orders = 2;
  piece.position = {5, 1};
  model::State state;
  evaluate(piece, 0, state);
  EXPECT_EQ(state.position[0], 5);
  evaluate(piece, 9, state);
  EXPECT_EQ(state.position[0], 7);
  EXPECT_EQ(state.velocity[0], 1);
}

TEST(Trajectory, every_kind_of_event_has_its_own_word) {
  std::set<std::string_view> seen;
  for (int kind = 0; kind <= static_cast<int>(EventKind::accumulation); ++kind) {
    EXPECT_TRUE(seen.insert(words(static_cast<EventKind>(kind))).second);
  }
  EXPECT_EQ(seen.count(""), 0U);
}

}  // namespace zwang::motion::trajectory_tests
