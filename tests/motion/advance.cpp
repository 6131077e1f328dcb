/// What `advance` promises of a piece: where it begins and ends, by how much it misses the equations, and what an end leaves behind.
#include "zwang/motion/advance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion::advance_tests {

namespace {

const std::string bouncing =
    "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 2]\nvelocity = [1, 0]\n[constraints]\n"
    "floor = { condition = \"a.y >= 0\", restitution = 0.5 }\nwall = { condition = \"a.x <= 1\", restitution = 1 }\n"
    "[simulation]\nuntil = 1.5\n";

std::string oscillator(double pace, double tolerance) {
  return "[coordinates.x]\ninitial = 1\nvelocity = 0.5\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"" +
         exact(pace * pace) + "*x^2/2\"\n[simulation]\nuntil = 10\ntolerance = " + exact(tolerance) + "\n";
}

}  // namespace

TEST(Advance, pieces_follow_one_another_without_a_gap) {
  const model::Model model = model::load(bouncing, "advance.toml");
  Motion motion = begin(model);
  EXPECT_EQ(motion.piece.length, 0);
  model::State before = motion.state;
  while (advance(motion)) {
    const Piece& piece = motion.piece;
    EXPECT_EQ(piece.start, before.time);
    EXPECT_GT(piece.length, 0);
    EXPECT_NEAR(piece.end(), motion.state.time, 4 * eps * motion.state.time);
    model::State at = before;
    evaluate(piece, piece.start, at);
    EXPECT_EQ(at.position, before.position);
    EXPECT_EQ(at.velocity, before.velocity);
    // At its end the velocities are those before the instant, and no position jumps.
    evaluate(piece, piece.end(), at);
    for (std::size_t i = 0; i < at.position.size(); ++i) {
      EXPECT_NEAR(at.position[i], motion.state.position[i], 64 * eps) << motion.state.time;
    }
    before = motion.state;
  }
  EXPECT_EQ(motion.status, Status::finished) << motion.why;
  EXPECT_EQ(motion.state.time, 1.5);
}

TEST(Advance, a_step_misses_the_equations_by_no_more_than_its_bound_anywhere) {
  for (const double tolerance : {1e-12, 1e-8, 1e-4}) {
    const double pace = 3;
    const model::Model model = model::load(oscillator(pace, tolerance), "advance.toml");
    Motion motion = begin(model);
    double worst = 0;
    while (advance(motion)) {
      const Piece& piece = motion.piece;
      ASSERT_EQ(piece.unit, 1);
      double terms = 0;
      double power = 1;
      for (unsigned k = 0; k < piece.orders; ++k, power *= piece.length) {
        terms += pace * pace * std::abs(piece.position[k]) * power;
      }
      constexpr int looks = 50;
      for (int look = 0; look <= looks; ++look) {
        const double s = piece.length * look / looks;
        double x = 0;
        double second = 0;
        for (unsigned k = piece.orders; k-- > 0;) {
          x = x * s + piece.position[k];
          if (k >= 2) second = second * s + k * (k - 1.0) * piece.position[k];
        }
        worst = std::max(worst, (std::abs(second + pace * pace * x) - 64 * eps * terms) / terms);
      }
    }
    ASSERT_EQ(motion.status, Status::finished) << motion.why;
    EXPECT_LE(worst, motion.defect) << tolerance;
    EXPECT_LE(motion.defect, defect_for(tolerance)) << tolerance;
    // The closed form, which such a defect can be off by at most through all of the time.
    const double t = motion.state.time;
    const double exactly = std::cos(pace * t) + 0.5 / pace * std::sin(pace * t);
    EXPECT_NEAR(motion.state.position[0], exactly, pace * t * defect_for(tolerance) + 1e3 * eps) << tolerance;
  }
}

TEST(Advance, a_smaller_tolerance_takes_shorter_steps) {
  std::uint64_t few = 0;
  std::uint64_t many = 0;
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
    const model::Model model = model::load(oscillator(3, tolerance), "advance.toml");
    Motion motion = begin(model);
    while (advance(motion)) {
    }
    EXPECT_GE(motion.steps, many) << tolerance;
    many = motion.steps;
    if (few == 0) few = many;
  }
  EXPECT_GT(many, few);
}

TEST(Advance, after_the_end_nothing_changes) {
  const model::Model model = model::load(bouncing, "advance.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  const std::string kept = save(motion);
  const std::uint64_t steps = motion.steps;
  EXPECT_FALSE(advance(motion));
  EXPECT_EQ(motion.steps, steps);
  EXPECT_EQ(save(motion), kept);
}

TEST(Advance, an_end_is_a_status_and_leaves_the_state_reached) {
  // Walls that meet at x = 0 and t = 1.
  const model::Model model = model::load(
      "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [0, 2]\n[constraints]\nleft = \"a.x >= t - 1\"\n"
      "right = \"a.x <= 1 - t\"\n[simulation]\nuntil = 5\n",
      "advance.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::jammed);
  EXPECT_FALSE(motion.why.empty());
  EXPECT_EQ(motion.culprits.size(), 2U);
  EXPECT_NEAR(motion.state.time, 1, 1e-12);
  EXPECT_NEAR(motion.state.position[1], 2, 1e-12);
}

TEST(Advance, an_event_ends_its_piece_and_stands_with_the_state_after_it) {
  const model::Model model = model::load(bouncing, "advance.toml");
  Motion motion = begin(model);
  std::vector<Event> events;
  while (advance(motion)) {
    for (const Event& event : motion.events) {
      EXPECT_EQ(event.time, motion.state.time);
      EXPECT_EQ(event.position, motion.state.position);
      EXPECT_EQ(event.velocity, motion.state.velocity);
      events.push_back(event);
    }
  }
  // sqrt(2 * 2 / 10) down to the floor; the wall at t = 1; back on the floor after 2 * 0.5 v / g.
  ASSERT_GE(events.size(), 3U);
  const double first = std::sqrt(0.4);
  EXPECT_NEAR(events[0].time, first, 1e-12);
  EXPECT_NEAR(events[0].velocity[1], 5 * first, 1e-11);
  EXPECT_NEAR(events[1].time, 1, 1e-12);
  EXPECT_NEAR(events[1].velocity[0], -1, 1e-12);
  EXPECT_NEAR(events[2].time, 2 * first, 1e-12);
  EXPECT_EQ(motion.event_count, events.size());
}

}  // namespace zwang::motion::advance_tests
