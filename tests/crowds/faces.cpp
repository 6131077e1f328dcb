/// Pistons, walls that move, gates and posts: a crowd tells what one motion of all tells, and an event costs what happens in it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "same.hpp"

namespace zwang::crowds::faces_tests {

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

/// The lid of the box is a body that slides along y.
std::string with_piston(const Gas& gas, const std::string& more) {
  const unsigned lines = (gas.count + gas.side - 1) / gas.side;
  const std::string text = replaced(text_of(gas), "[constraints]",
                                    fmt::format("[points.piston]\nmass = 30\nposition = [2, {}]\n{}\n[constraints]",
                                                lines * gas.spacing + 0.5, more));
  return replaced(text, "b[i].y <= h", "b[i].y <= piston.y - 0.5");
}

void expect_balance(const Told& crowd, double within) {
  const motion::EnergyBalance& energy = crowd.account.energy;
  EXPECT_EQ(words(crowd.account.status), "finished") << crowd.account.why;
  EXPECT_NEAR(energy.initial + energy.work - energy.lost, energy.final, within * energy.initial);
}

}  // namespace

TEST(Piston, a_gas_under_a_heavy_lid_meets_it_as_one_motion_says) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    expect_same(with_piston({.gravity = 1, .until = 2, .seed = seed}, ""), 1e-8, 2);
    expect_same(with_piston({.until = 2, .seed = seed}, "velocity = [0, -1.5]\nforce = [0, -20]"), 1e-8, 2);
  }
}

TEST(Piston, that_loses_energy_meets_the_gas_as_one_motion_says) {
  expect_same(with_piston({.restitution = 0.9, .gravity = 1, .until = 1.5}, "velocity = [0, -2]"), 1e-7, 1.5);
}

TEST(Piston, between_two_gases_meets_both_as_one_motion_says) {
  // The lower half of the members below, the others above it.
  std::string text = text_of({.count = 24, .side = 4, .until = 2});
  text = replaced(text, "[constraints]",
                  "[points.piston]\nmass = 5\nposition = [0, 4.8]\n[constraints]\n"
                  "below = { for = \"i = 1..12\", condition = \"b[i].y <= piston.y - 0.5\", restitution = 1 }\n"
                  "above = { for = \"i = 13..n\", condition = \"2*b[i].y >= 2*piston.y + 1\", restitution = 1 }\n");
  expect_same(text, 1e-8, 2);
}

TEST(Piston, energy_is_kept_over_many_meetings_and_an_event_moves_those_alone_who_meet) {
  const std::string text = with_piston({.count = 144, .side = 12, .gravity = 0.5, .until = 30}, "");
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  EXPECT_EQ(hindrance(left), "");
  Crowd crowd(left);
  std::uint64_t on_lid = 0;
  while (crowd.advance()) {
    for (const motion::Event& event : crowd.events()) {
      EXPECT_LE(crowd.begun().size(), 2 * event.rows.size());
      for (const std::uint32_t row : event.rows)
        on_lid += row < left.rows() && left.conditions[left.row_condition[row]].name == "high" ? 1U : 0U;
    }
  }
  const motion::Account account = crowd.account();
  EXPECT_EQ(words(account.status), "finished") << account.why;
  EXPECT_GT(on_lid, 100U);
  EXPECT_GT(crowd.event_count(), 2000U);
  EXPECT_NEAR(account.energy.final / account.energy.initial, 1, 1e-13);
  EXPECT_EQ(account.energy.lost, 0);
}

TEST(Piston, force_energy_and_gravity_pull_alike) {
  const Gas gas{.count = 36, .side = 6, .gravity = 1, .until = 3};
  const Told weighs = as_crowd(with_piston(gas, ""));
  std::string text = with_piston(gas, "force = [0, -30]");
  text = replaced(text, "gravity = [0, -1]", "");
  text = replaced(text, "velocity", "force = [0, \"-(1 + 0.5*sin(i))\"]\nvelocity");
  const Told pulled = as_crowd(text);
  text = replaced(with_piston(gas, ""), "gravity = [0, -1]", "");
  text += "[energy]\npotential = \"sum(i = 1..n, (1 + 0.5*sin(i))*b[i].y) + 30*piston.y\"\n";
  const Told written = as_crowd(text);
  for (const Told* other : {&pulled, &written}) {
    ASSERT_EQ(other->events.size(), weighs.events.size());
    for (std::size_t k = 0; k < 60; ++k) EXPECT_NEAR(other->events[k].time, weighs.events[k].time, 1e-10);
    expect_balance(*other, 1e-13);
  }
  EXPECT_NE(pulled.account.energy.work, 0);
  EXPECT_EQ(written.account.energy.work, 0);
}

TEST(MovingWall, a_gas_meets_it_as_one_motion_says) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::string text = text_of({.until = 2, .seed = seed});
    expect_same(replaced(text, "b[i].y <= h", "b[i].y <= h + 0.3*sin(3*t)"), 1e-8, 2);
    expect_same(replaced(text, "b[i].x >= 0", "b[i].x >= 0.4*t + 0.01*i - 0.26"), 1e-8, 2);
  }
  expect_same(
      replaced(text_of({.restitution = 0.9, .gravity = 1, .until = 1.5}), "b[i].y >= 0", "b[i].y >= 0.1*sin(7*t)"),
      1e-7, 1.5);
}

TEST(MovingWall, its_work_is_accounted_for) {
  const Told shaken =
      as_crowd(replaced(text_of({.count = 100, .side = 10, .until = 10}), "b[i].y <= h", "b[i].y <= h + 0.5*sin(5*t)"));
  expect_balance(shaken, 1e-12);
  EXPECT_GT(std::abs(shaken.account.energy.work), 0.1);
}

TEST(MovingWall, works_on_what_lies_on_it_and_throws_it_up_again) {
  for (const double restitution : {0.3, 0.0}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      const std::string text =
          text_of({.count = 16, .side = 4, .restitution = restitution, .gravity = 2, .until = 2, .seed = seed});
      expect_balance(as_crowd(replaced(text, "b[i].y >= 0", "b[i].y >= 0.2*sin(5*t)")), 1e-13);
    }
  }
}

TEST(MovingWall, lets_go_where_its_acceleration_passes_through_zero) {
  // Without gravity, at t = pi/2 of sin(4 t): what it carried has its velocity and its acceleration.
  const std::string text =
      text_of({.count = 16, .side = 4, .spacing = 1.72, .restitution = 0, .until = 2, .seed = 577});
  const Told crowd = as_crowd(replaced(text, "b[i].y >= 0", "b[i].y >= 0.2*sin(4*t)"));
  expect_balance(crowd, 1e-13);
  std::size_t let_go = 0;
  for (const motion::Event& event : crowd.events) {
    if (event.kind != motion::EventKind::release) continue;
    EXPECT_NEAR(event.time, std::numbers::pi / 2, 1e-12);
    let_go += event.rows.size();
  }
  EXPECT_EQ(let_go, 2U);
}

TEST(MovingWall, a_point_on_a_steadily_receding_wall_loses_what_the_law_of_reflection_says) {
  // One member alone, thrown at a wall that recedes with speed 1/4: v becomes -(v - 2/4), and again at the fixed one.
  std::string text =
      replaced(text_of({.count = 24, .side = 24, .spacing = 3, .until = 6}), "b[i].y <= h", "b[i].y <= 2 + t/4");
  const std::size_t from = text.find("velocity");
  text.replace(from, text.find("[constraints]") - from, "velocity = [0, 1]\n");
  const Told crowd = as_crowd(text);
  for (const motion::Event& event : crowd.events) {
    // All start at the height 1.5 and reach the wall at 2 + t/4 at t = 2/3.
    if (event.kind != motion::EventKind::impact) continue;
    EXPECT_NEAR(event.time, event.time < 2 ? 2.0 / 3 : 2.0 / 3 + (2 + 1.0 / 6) / 0.5, 1e-14 * 6);
    for (std::size_t k = 1; k < event.velocity.size(); k += 2)
      EXPECT_NEAR(event.velocity[k], event.time < 2 ? -0.5 : 0.5, 1e-14);
  }
  ASSERT_EQ(crowd.events.size(), 2U);
  EXPECT_EQ(crowd.events[0].rows.size(), 24U);
}

TEST(Gate, a_gas_passes_through_the_hole_in_a_wall_as_one_motion_says) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    const std::string text = replaced(
        text_of({.count = 24, .side = 6, .until = 4, .seed = seed}), "[constraints]",
        "[constraints]\n"
        "middle = { for = \"i = 1..n\", condition = \"b[i].x <= 4.4 or b[i].x >= 5.2 or abs(b[i].y - 3) <= 1\", "
        "restitution = 1 }\n"
        "lip = { for = \"i = 1..n\", condition = \"distance(b[i], [4.8, 4]) >= 0.4\", restitution = 1 }\n"
        "sill = { for = \"i = 1..n\", condition = \"distance(b[i], [4.8, 2]) >= 0.4\", restitution = 1 }\n");
    EXPECT_EQ(hindrance(model::load(text, "gas.toml", {}, model::Pairs::left)), "");
    expect_same(text, 1e-8, 4);
  }
}

TEST(Gate, under_gravity_and_with_losses_it_is_met_as_one_motion_says) {
  const std::string text =
      replaced(text_of({.count = 24, .side = 6, .restitution = 0.9, .gravity = 1, .until = 2}), "[constraints]",
               "[constraints]\n"
               "middle = { for = \"i = 1..n\", condition = \"b[i].y <= 2.9 or b[i].y >= 3.3 or abs(b[i].x - 4) <= 1\", "
               "restitution = 0.9 }\n"
               "post = { for = \"i = 1..n\", condition = \"distance(b[i], [4, 3.2]) >= 0.5\", restitution = 0.8 }\n");
  expect_same(text, 1e-7, 2);
}

TEST(Post, whoever_slides_over_it_leaves_where_nothing_presses_any_more) {
  // v^2 = u^2 + 2 g (1 - cos), and on a circle of radius 1 nothing presses from v^2 = g cos on.
  const std::string text = R"(gravity = [0, -9.81]
[points.a]
count = 24
mass = 1
position = ["3*i", 1]
velocity = ["0.5+0.05*i", 0]
[constraints]
post = { for = "i=1..24", condition = "distance(a[i], [3*i, 0]) >= 1", restitution = 0 }
apart = { for = "i=1..24, j=i+1..24", condition = "distance(a[i], a[j]) >= 0.4", restitution = 0 }
[simulation]
until = 0.9
)";
  const Told told = as_crowd(text);
  EXPECT_EQ(words(told.account.status), "finished") << told.account.why;
  unsigned left = 0;
  for (const motion::Event& event : told.track.events) {
    if (event.kind != motion::EventKind::release) continue;
    ++left;
    const double u = 0.5 + 0.05 * (event.rows.at(0) + 1);
    EXPECT_NEAR(event.position.at(1), (u * u / 9.81 + 2) / 3, 1e-9) << u;
  }
  EXPECT_EQ(left, 24U);
}

TEST(Crowd, families_of_pairs_that_are_written_out_are_named_with_the_reason) {
  const auto why = [](const std::string& condition) {
    const std::string text =
        replaced(text_of({.count = 30, .side = 6}), "[constraints]",
                 "[constraints]\nodd = { for = \"i = 1..n, j = i+1..n\", condition = \"" + condition + "\" }\n");
    const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
    const std::vector<WrittenOut> found = written_out(left);
    EXPECT_EQ(found.size(), 1U) << condition;
    if (found.empty()) return std::string{};
    EXPECT_EQ(found[0].name, "odd");
    EXPECT_EQ(found[0].rows, 435U);
    EXPECT_NE(hindrance(left), "");
    return found[0].why;
  };
  EXPECT_EQ(why("distance(b[i], b[j]) <= 100"), "it is a largest distance, not a least one");
  EXPECT_EQ(why("distance(b[i], b[j]) >= 0.001*(i + j)"), "its distance is not the same for all of them");
  EXPECT_EQ(why("distance(b[i], b[j]) >= 0.1*sin(t)"), "time occurs in it");
  EXPECT_EQ(why("b[i].x^2 + b[j].y^2 >= 1e-3"), "it is no distance of two points");
  // Nets have few conditions per member, and nobody asks.
  const model::Model net = model::load(replaced(text_of({.count = 30, .side = 6}), "[constraints]",
                                                "[constraints]\nnet = { for = \"i = 1..5, j = 1..6\", condition = "
                                                "\"distance(b[6*i-6+j], b[31-j]) <= 99\" }\n"),
                                       "gas.toml", {}, model::Pairs::left);
  EXPECT_TRUE(written_out(net).empty());
}

TEST(Crowd, with_moving_faces_that_was_put_aside_goes_on_to_the_same_bits) {
  const std::string text =
      replaced(with_piston({.count = 49, .side = 7, .restitution = 0.95, .gravity = 2, .until = 3}, ""), "b[i].x >= 0",
               "b[i].x >= 0.1*sin(4*t)");
  expect_same_when_put_aside(text, 200);
}

}  // namespace zwang::crowds::faces_tests
