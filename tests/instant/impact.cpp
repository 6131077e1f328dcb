/// Shocks whose velocities, impulses and energies are known in closed form.
#include "zwang/instant/impact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"

namespace impact_tests {
namespace {

using zwang::instant::accelerate;
using zwang::instant::impact;
using zwang::instant::Options;
using zwang::instant::Role;
using zwang::instant::RowSet;
using zwang::instant::Shock;
using zwang::instant::ShockStatus;
using zwang::instant::Status;
using zwang::model::initial_state;

/// A few roundings of numbers of size 1.
constexpr double close = 1e-14;

zwang::model::Model shocked(const std::string& text) { return zwang::model::load(text, "shock.toml"); }

void expect_velocities(const Shock& shock, const std::vector<double>& wanted) {
  ASSERT_EQ(shock.velocities.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(shock.velocities[i], wanted[i], close) << i;
}

/// Whatever a shock does, its account closes.
void expect_account(const Shock& shock) {
  const auto& energy = shock.energy;
  EXPECT_NEAR(energy.after, energy.before + energy.blow + energy.work - energy.lost, close * (1 + energy.before));
}

TEST(Impact, three_touching_balls_with_full_restitution_share_the_blow) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [1, 0]
[points.b]
mass = 1
position = [1, 0]
[points.c]
mass = 1
position = [2, 0]
[constraints]
ab = { condition = "distance(a, b) >= 1", restitution = 1 }
bc = { condition = "distance(b, c) >= 1", restitution = 1 }
)toml");
  const Shock shock = impact(model, initial_state(model));
  expect_velocities(shock, {-1.0 / 3, 0, 2.0 / 3, 0, 2.0 / 3, 0});
  EXPECT_NEAR(shock.energy.lost, 0, close);
}

TEST(Impact, a_point_hooked_in_flight_loses_all_its_energy) {
  const auto model = shocked(R"toml(
[points.a]
mass = 2
position = [1, 2, 3]
velocity = [1, 2, 2]
[[seizures]]
name = "hook"
condition = "a' = [0, 0, 0]"
)toml");
  const auto state = initial_state(model);
  EXPECT_EQ(accelerate(model, state).status, Status::impact);
  const Shock shock = impact(model, state);
  expect_velocities(shock, {0, 0, 0});
  EXPECT_NEAR(shock.energy.lost, 9, close);
  EXPECT_NEAR(shock.impulses[2], 4, close);
}

TEST(Impact, different_restitutions_rebound_each_by_its_own) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [-1, -2]
[constraints]
wall = { condition = "a.x >= 0", restitution = 0.5 }
floor = { condition = "a.y >= 0", restitution = 0.25 }
)toml");
  const Shock shock = impact(model, initial_state(model));
  expect_velocities(shock, {0.5, 0.5});
  EXPECT_FALSE(shock.restitution_note.empty());
}

TEST(Impact, of_a_wall_written_twice_the_livelier_counts_in_any_order) {
  const std::string point = "[points.p]\nmass = 2\nposition = [0, 0]\nvelocity = [1, -5]\n[constraints]\n";
  const std::string a = "a = { condition = \"p.y >= 0\", restitution = 0.5 }\n";
  const std::string b = "b = { condition = \"2*p.y >= 0\", restitution = 0.2 }\n";
  for (const std::string& walls : {a + b, b + a}) {
    const auto model = shocked(point + walls);
    const Shock shock = impact(model, initial_state(model));
    expect_velocities(shock, {1, 2.5});
    expect_account(shock);
  }
}

/// Only the sums of what redundant contacts carry are told by the motion: 2 kg at 3 m/s on four corners.
TEST(Impact, corners_of_a_plate_share_its_blow_whether_it_rebounds_or_not) {
  for (const double e : {0.0, 0.5, 1.0}) {
    SCOPED_TRACE(e);
    const auto model = shocked(
        "[bodies.plate]\nmass = 2\nshape = { box = [2, 2, 1] }\nposition = [0, 0, 0.5]\nvelocity = [0, 0, -3]\n"
        "[contacts]\nfloor = { body = \"plate\", plane = { normal = [0, 0, 1], offset = 0 }, restitution = " +
        std::to_string(e) + " }\n");
    const Shock shock = impact(model, initial_state(model));
    ASSERT_EQ(shock.status, ShockStatus::regulated);
    EXPECT_NEAR(shock.velocities[2], 3 * e, close);
    EXPECT_FALSE(shock.impulses_unique);
    for (std::size_t corner = 0; corner < 4; ++corner) EXPECT_NEAR(shock.impulses[corner], 1.5 * (1 + e), 10 * close);
    expect_account(shock);
  }
}

TEST(Impact, of_redundant_walls_with_restitutions_of_their_own_only_those_that_stop_it_share) {
  const std::string point = "[points.p]\nmass = 2\nposition = [0, 0]\nvelocity = [1, -5]\n[constraints]\n";
  const auto wall = [](const std::string& name, const std::string& condition, double e) {
    return name + " = { condition = \"" + condition + "\", restitution = " + std::to_string(e) + " }\n";
  };
  // The livelier of two leaves the other behind.
  const auto two = shocked(point + wall("a", "p.y >= 0", 0.5) + wall("b", "2*p.y >= 0", 0.25));
  const Shock one = impact(two, initial_state(two));
  EXPECT_TRUE(one.impulses_unique);
  EXPECT_NEAR(one.impulses[0], 15, 10 * close);
  EXPECT_EQ(one.impulses[1], 0);
  // Two are equally lively.
  const auto three =
      shocked(point + wall("a", "p.y >= 0", 0.5) + wall("b", "2*p.y >= 0", 0.25) + wall("c", "3*p.y >= 0", 0.5));
  const Shock shared = impact(three, initial_state(three));
  EXPECT_FALSE(shared.impulses_unique);
  EXPECT_GT(shared.impulses[0], 1);
  EXPECT_GT(shared.impulses[2], 1);
  EXPECT_NEAR(shared.impulses[0] + 3 * shared.impulses[2], 15, 10 * close);
  expect_velocities(shared, {1, 2.5});
}

TEST(Impact, two_bodies_without_restitution_go_on_together_with_their_momentum) {
  const auto model = shocked(R"toml(
[points.a]
mass = 3
position = [0, 0]
velocity = [2, 1]
[points.b]
mass = 1
position = [1, 0]
velocity = [-2, 5]
[constraints]
ab = "b.x - a.x >= 1"
)toml");
  const Shock shock = impact(model, initial_state(model));
  ASSERT_EQ(shock.status, ShockStatus::regulated);
  // (3 * 2 - 2) / 4 along the line of centres; across it nothing changes.
  expect_velocities(shock, {1, 1, 1, 5});
  EXPECT_NEAR(shock.impulses[0], 3, close);
  // m1 m2 / (m1 + m2) u^2 / 2
  EXPECT_NEAR(shock.energy.lost, 0.5 * 0.75 * 16, close * 16);
  EXPECT_EQ(shock.role[0], Role::binding);
  expect_account(shock);
}

TEST(Impact, newtons_law_holds_for_the_relative_velocity) {
  for (const double e : {0.0, 0.25, 0.5, 1.0}) {
    const auto model = shocked(
        "[points.a]\nmass = 2\nposition = [0, 0]\nvelocity = [3, 0]\n[points.b]\nmass = 5\nposition = [1, 0]\n"
        "velocity = [-1, 0]\n[constraints]\nab = { condition = \"b.x - a.x >= 1\", restitution = " +
        std::to_string(e) + " }\n");
    const Shock shock = impact(model, initial_state(model));
    EXPECT_NEAR(shock.velocities[2] - shock.velocities[0], e * 4, 4 * close) << e;
    EXPECT_NEAR(2 * shock.velocities[0] + 5 * shock.velocities[2], 1, 4 * close) << e;
    EXPECT_NEAR(shock.energy.lost, (1 - e * e) * 0.5 * (10.0 / 7) * 16, 32 * close) << e;
    expect_account(shock);
  }
}

TEST(Impact, what_recedes_or_is_open_is_not_struck) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, 3]
velocity = [1, -1]
[constraints]
wall = "a.x >= 0"
floor = "a.y >= 0"
)toml");
  const Shock shock = impact(model, initial_state(model));
  EXPECT_EQ(shock.status, ShockStatus::not_needed);
  EXPECT_EQ(shock.velocities, shock.before);
  EXPECT_EQ(shock.impulses, std::vector<double>({0, 0}));
  EXPECT_EQ(shock.energy.lost, 0);
}

TEST(Impact, a_blow_changes_the_velocity_by_impulse_over_mass_and_conditions_answer_it) {
  const auto model = shocked(R"toml(
[points.a]
mass = 2
position = [0, 0]
[constraints]
floor = "a.y >= 0"
[[impulses]]
on = "a"
at = 0
value = [4, -6]
)toml");
  const Shock shock = impact(model, initial_state(model));
  ASSERT_EQ(shock.status, ShockStatus::regulated);
  EXPECT_NEAR(shock.alpha[0], 2, close);
  EXPECT_NEAR(shock.alpha[1], -3, close);
  expect_velocities(shock, {2, 0});
  EXPECT_NEAR(shock.impulses[0], 6, close);
  EXPECT_NEAR(shock.energy.blow, 13, 13 * close);
  EXPECT_NEAR(shock.energy.lost, 9, 9 * close);
  expect_account(shock);
}

TEST(Impact, a_moving_floor_does_work_on_what_it_lifts) {
  const auto model = shocked(R"toml(
[points.a]
mass = 2
position = [0, 0]
[constraints]
floor = "a.y >= 3*t"
)toml");
  const Shock shock = impact(model, initial_state(model));
  expect_velocities(shock, {0, 3});
  EXPECT_NEAR(shock.impulses[0], 6, close);
  // l df/dt: of 18 half goes into the motion, half is lost.
  EXPECT_NEAR(shock.energy.work, 18, 18 * close);
  EXPECT_NEAR(shock.energy.lost, 9, 9 * close);
  expect_account(shock);
}

TEST(Impact, the_order_in_which_conditions_are_written_plays_no_part) {
  const std::vector<std::string> conditions = {"ab = { condition = \"b.x - a.x >= 1\", restitution = 1 }\n",
                                               "bc = { condition = \"c.x - b.x >= 1\", restitution = 1 }\n",
                                               "wall = { condition = \"c.x <= 2\", restitution = 1 }\n"};
  const std::string points =
      "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [2, 0]\n[points.b]\nmass = 2\nposition = [1, 0]\n"
      "[points.c]\nmass = 3\nposition = [2, 0]\n[constraints]\n";
  std::vector<int> order = {0, 1, 2};
  std::vector<double> first;
  do {
    std::string text = points;
    for (const int k : order) text += conditions[static_cast<std::size_t>(k)];
    const auto model = shocked(text);
    const Shock shock = impact(model, initial_state(model));
    ASSERT_EQ(shock.status, ShockStatus::regulated);
    EXPECT_NEAR(shock.energy.lost, 0, close);
    if (first.empty()) first = shock.velocities;
    expect_velocities(shock, first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Impact, walls_that_close_in_on_each_other_jam_with_a_proof) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, 0]
[constraints]
left = "a.x >= t"
right = "a.x <= -t"
)toml");
  const Shock shock = impact(model, initial_state(model));
  ASSERT_EQ(shock.status, ShockStatus::jammed);
  // y >= 0 with y^T J = 0 and y^T b > 0: both walls take part, alike.
  ASSERT_EQ(shock.farkas.size(), 2U);
  EXPECT_GT(shock.farkas[0].second, 0);
  EXPECT_NEAR(shock.farkas[0].second, shock.farkas[1].second, close * shock.farkas[0].second);
}

TEST(Impact, a_condition_that_is_broken_in_position_is_repaired_by_no_shock) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, -1]
velocity = [0, -1]
[constraints]
floor = "a.y >= 0"
)toml");
  const Shock shock = impact(model, initial_state(model));
  ASSERT_EQ(shock.status, ShockStatus::inadmissible);
  ASSERT_EQ(shock.violations.size(), 1U);
  EXPECT_EQ(shock.violations[0].first, 0U);
  EXPECT_NEAR(shock.violations[0].second, 1, close);
}

TEST(Impact, what_is_known_to_touch_is_struck_and_what_is_gone_is_not) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [1e-3, 0]
velocity = [-1, -1]
[constraints]
wall = "a.x >= 0"
floor = "a.y >= 0"
)toml");
  Options options;
  options.closed = RowSet(model.rows(), std::vector<std::uint32_t>{0});
  expect_velocities(impact(model, initial_state(model), options), {0, 0});
  options.gone = RowSet(model.rows(), std::vector<std::uint32_t>{1});
  expect_velocities(impact(model, initial_state(model), options), {0, -1});
  options.closed = {};
  expect_velocities(impact(model, initial_state(model), options), {-1, -1});
}

TEST(Impact, a_blow_on_a_hub_that_weighs_nothing_moves_what_its_rods_hold) {
  // n rods around a hub: the beads take half of their mass along, M v = I with M = n / 2.
  const auto hub = [](const std::string& mass) {
    return zwang::model::load(
        "[points.hub]\nmass = " + mass +
            "\nposition = [0, 0]\n[points.b]\ncount = 150\nmass = 1\nposition = [\"cos(2*pi*i/150)\", "
            "\"sin(2*pi*i/150)\"]\n[constraints]\nrod = { for = \"i = 1..150\", condition = "
            "\"distance(hub, b[i]) = 1\" }\n[[impulses]]\nat = 0\non = \"hub\"\nvalue = [1, 0.5]\n",
        "hub.toml");
  };
  for (const char* mass : {"1e-9", "1e-13", "1e-14"}) {
    const zwang::model::Model model = hub(mass);
    const Shock shock = impact(model, initial_state(model));
    ASSERT_EQ(shock.status, ShockStatus::regulated) << mass;
    EXPECT_NEAR(shock.velocities[0], 1 / 75.0, 1e-10) << mass;
    EXPECT_NEAR(shock.velocities[1], 0.5 / 75.0, 1e-10) << mass;
  }
}

TEST(Impact, without_rebound_if_asked_for) {
  const auto model = shocked(R"toml(
[points.a]
mass = 1
position = [0, 0]
velocity = [0, -1]
[constraints]
floor = { condition = "a.y >= 0", restitution = 0.5 }
)toml");
  Options options;
  expect_velocities(impact(model, initial_state(model), options), {0, 0.5});
  options.inelastic = true;
  expect_velocities(impact(model, initial_state(model), options), {0, 0});
}

TEST(Impact, of_a_row_that_fits_between_walls_but_for_its_last_digits_has_no_impulse_without_bound) {
  // Two discs fill the box; the second stands higher by 1e-11, so that the three conditions along the row are dependent but for that.
  const auto model = zwang::model::load(R"toml(
[points.d]
count    = 2
mass     = 1.3
position = ["i - 0.5", "if(i == 1, 2, 2 + 1e-11)"]
velocity = ["if(i == 1, 0, 2.5)", "if(i == 1, 0, -0.11)"]
[constraints]
left  = { for = "i = 1..2", condition = "d[i].x >= 0.5", restitution = 0.3 }
right = { for = "i = 1..2", condition = "d[i].x <= 1.5", restitution = 0.3 }
apart = { condition = "distance(d[1], d[2]) >= 1", restitution = 0.3 }
)toml",
                                        "row.toml");
  const auto shock = zwang::instant::impact(model, zwang::model::initial_state(model));
  ASSERT_EQ(shock.status, zwang::instant::ShockStatus::regulated) << shock.restitution_note;
  const std::vector<double> wanted{0, 0, 0, -0.11};
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(shock.velocities[i], wanted[i], 1e-10) << i;
  for (const double impulse : shock.impulses) EXPECT_LT(std::abs(impulse), 10);
}

}  // namespace
}  // namespace impact_tests
