/// Distances that are open, watched by their squares: what is met in free flight, and when.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/row_shape.hpp"

namespace zwang::motion::squares_tests {

namespace {

struct Flight {
  std::vector<double> impacts;
  std::uint64_t steps = 0;
  Status status = Status::going;
};

Flight fly(const std::string& position, const std::string& velocity, const std::string& condition, double until,
           const std::string& more = "") {
  const model::Model model =
      model::load("[points.p]\nmass = 1\nposition = " + position + "\nvelocity = " + velocity + "\n" + more +
                      "[constraints]\nwall = { condition = \"" + condition +
                      "\", restitution = 1 }\n[simulation]\nuntil = " + std::to_string(until) + "\n",
                  "flight");
  Motion motion = begin(model);
  Flight flight;
  while (advance(motion)) {
    for (const Event& event : motion.events) {
      if (event.kind == EventKind::impact) flight.impacts.push_back(event.time);
    }
  }
  flight.steps = motion.steps;
  flight.status = motion.status;
  return flight;
}

TEST(Squares, a_disc_is_met_from_afar_if_the_path_cuts_it_by_ever_so_little) {
  for (const double depth : {1e-1, 1e-4, 1e-7, 1e-8}) {
    char height[40];
    std::snprintf(height, sizeof height, "%.17g", 1 - depth);
    const Flight met = fly("[-1000, " + std::string(height) + "]", "[1, 0]", "norm(p) >= 1", 1e5);
    ASSERT_EQ(met.impacts.size(), 1U) << depth;
    EXPECT_NEAR(met.impacts[0], 1000 - std::sqrt(depth * (2 - depth)), 1e-11 / std::sqrt(depth)) << depth;
    EXPECT_EQ(met.status, Status::finished);
    std::snprintf(height, sizeof height, "%.17g", 1 + depth);
    const Flight missed = fly("[-1000, " + std::string(height) + "]", "[1, 0]", "norm(p) >= 1", 1e5);
    EXPECT_TRUE(missed.impacts.empty()) << depth;
    EXPECT_EQ(missed.status, Status::finished);
  }
}

TEST(Squares, chords_of_a_circle_take_one_step_each) {
  // From the middle of a chord at half the radius: all chords have the length sqrt(3).
  const Flight flight = fly("[0, 0.5]", "[1, 0]", "norm(p) <= 1", 100);
  const double chord = std::sqrt(3.0);
  ASSERT_EQ(flight.impacts.size(), static_cast<std::size_t>((100 - chord / 2) / chord) + 1);
  for (std::size_t k = 0; k < flight.impacts.size(); ++k) {
    EXPECT_NEAR(flight.impacts[k], chord * (0.5 + static_cast<double>(k)), 1e-11);
  }
  EXPECT_LE(flight.steps, flight.impacts.size() + 1);
}

TEST(Squares, two_points_that_fly_through_one_another_keep_their_distance_in_mind) {
  // The rope of length 3 is taut long after the points have met.
  const Flight flight = fly("[0, 0]", "[1, 0]", "distance(p, r) <= 3", 10,
                            "[points.r]\nmass = 1\nposition = [1, 0]\nvelocity = [-1, 0]\n");
  ASSERT_GE(flight.impacts.size(), 1U);
  EXPECT_NEAR(flight.impacts[0], 2, 1e-13);
}

}  // namespace

TEST(Squares, small_balls_are_met_though_their_squares_are_nothing_beside_the_way) {
  // The terms of a square of a difference are those of the difference times what it is: they shrink on the way.
  for (const char* condition : {"dot(p - [6.1, 0], p - [6.1, 0]) >= (1e-6)^2", "(p.x - 6.1)^2 + p.y^2 >= 1e-12"}) {
    const Flight near = fly("[0, 0]", "[1, 0]", condition, 10);
    EXPECT_EQ(near.status, Status::finished) << condition;
    ASSERT_EQ(near.impacts.size(), 1U) << condition;
    EXPECT_NEAR(near.impacts[0], 6.099999, 1e-13) << condition;
  }
  for (const double at : {1e3, 1e6}) {
    const std::string start = std::to_string(at);
    const std::string other = std::to_string(at + 3);
    const Flight far = fly("[" + start + ", 0]", "[1, 0]", "(p.x - " + other + ")^2 + p.y^2 >= 1e-8", 10);
    EXPECT_EQ(far.status, Status::finished) << at;
    ASSERT_EQ(far.impacts.size(), 1U) << at;
    EXPECT_NEAR(far.impacts[0], 2.9999, 4e-16 * at + 1e-13) << at;
  }
  // A wall between two zeros of a product.
  const Flight thin = fly("[0, 0]", "[1, 0]", "(p.x - 6.1)*(p.x - 6.100001) >= 0", 10);
  ASSERT_EQ(thin.impacts.size(), 1U);
  EXPECT_NEAR(thin.impacts[0], 6.1, 1e-14);
}

TEST(Squares, high_powers_bound_a_table_with_all_but_straight_sides) {
  // Along an axis the ball comes back from 1 every two seconds; the sides of |x|^n <= 1 are met at 1 whatever n is.
  for (const char* side : {"p.x^66 + p.y^66 <= 1", "p.x^100 + p.y^100 <= 1", "(p.x^2)^100 + (p.y^2)^100 <= 1"}) {
    const Flight flight = fly("[0, 0]", "[1, 0]", side, 10);
    EXPECT_EQ(flight.status, Status::finished) << side;
    ASSERT_EQ(flight.impacts.size(), 5U) << side;
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(flight.impacts[k], 1 + 2 * static_cast<double>(k), 1e-13) << side;
  }
}

TEST(Squares, a_gradient_that_is_a_sum_of_very_many_terms_is_that_many_times_its_place) {
  // f = n x^2 / 2 and its gradient x + x + ... + x: registers t, x, then the instructions. As deep as it is long, it must not be followed in calls within calls.
  using expressions::Op;
  constexpr std::uint32_t n = 500'000;
  model::RowGroup group;
  group.lanes = 1;
  group.positions = 1;
  group.row = {0};
  group.tape.inputs.resize(2);
  const auto put = [&](Op op, std::uint32_t a, std::uint32_t b, double c) {
    expressions::Instruction one;
    one.op = op;
    one.a = a;
    one.b = b;
    one.c = c;
    group.tape.instructions.push_back(one);
    return static_cast<std::uint32_t>(group.tape.registers() - 1);
  };
  const std::uint32_t value = put(Op::scale, put(Op::square, 1, 0, 0), 0, n / 2.0);
  std::uint32_t sum = 1;
  for (std::uint32_t k = 1; k < n; ++k) sum = put(Op::add, sum, 1, 0);
  group.tape.outputs = {value, sum};
  const RowShape shape = make_shape(group);
  ASSERT_EQ(shape.directions.size(), 1U);
  EXPECT_EQ(shape.directions[0].own, n);
  EXPECT_TRUE(shape.quadratic);
}

}  // namespace zwang::motion::squares_tests
