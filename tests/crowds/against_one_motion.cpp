/// A crowd tells what one motion of all its members tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "same.hpp"

namespace zwang::crowds::against_one_motion_tests {

TEST(Crowd, an_elastic_gas_meets_as_one_motion_says) {
  for (unsigned seed = 0; seed < 6; ++seed) expect_same(text_of({.seed = seed}), 1e-8, 3);
}

TEST(Crowd, a_gas_in_space_meets_as_one_motion_says) {
  for (unsigned seed = 0; seed < 3; ++seed) expect_same(text_of({.seed = seed, .space = true}), 1e-8, 3);
}

TEST(Crowd, a_falling_gas_that_loses_energy_meets_as_one_motion_says) {
  for (unsigned seed = 0; seed < 4; ++seed)
    expect_same(text_of({.restitution = 0.9, .gravity = 1, .until = 2, .seed = seed}), 1e-7, 2);
}

TEST(Crowd, energy_and_momentum_of_an_elastic_gas_are_kept_over_many_meetings) {
  const Told crowd = as_crowd(text_of({.count = 100, .side = 10, .until = 100}));
  EXPECT_EQ(words(crowd.account.status), "finished");
  EXPECT_GT(crowd.events.size(), 5000U);
  EXPECT_EQ(crowd.account.energy.lost, 0);
  EXPECT_NEAR(crowd.account.energy.final / crowd.account.energy.initial, 1, 1e-13);
}

TEST(Crowd, states_between_the_events_are_those_of_one_motion) {
  const std::string text = text_of({.restitution = 0.8, .gravity = 2, .until = 1.5, .seed = 3});
  const Told crowd = as_crowd(text);
  const model::Model whole = model::load(text, "gas.toml");
  motion::Motion motion = motion::begin(whole);
  motion::Track track;
  motion::follow(whole, motion, track);
  const motion::RunView one = motion::view(whole, track);
  const motion::RunView many = view(crowd.model, crowd.track);
  EXPECT_EQ(many.samples, one.samples);
  for (const double time : {0.0, 0.1, 0.77, 0.3, 1.2, 1.5}) {
    motion::Sample a;
    motion::Sample b;
    ASSERT_TRUE(motion::state_at(crowd.model, many, time, a));
    ASSERT_TRUE(motion::state_at(whole, one, time, b));
    for (std::size_t i = 0; i < a.state.position.size(); ++i) {
      EXPECT_NEAR(a.state.position[i], b.state.position[i], 1e-8) << time;
      EXPECT_NEAR(a.state.velocity[i], b.state.velocity[i], 1e-7) << time;
    }
  }
}

TEST(Crowd, a_crowd_that_was_put_aside_goes_on_to_the_same_bits) {
  for (const double restitution : {1.0, 0.6}) {
    const std::string text = text_of({.restitution = restitution, .gravity = 3, .until = 3, .seed = 4});
    expect_same_when_put_aside(text, 100);
  }
}

namespace {

/// Discs in one line above a floor, far from each other: each hops until it lies.
std::string hopping(double restitution) {
  std::string text =
      text_of({.count = 24, .side = 24, .spacing = 3, .restitution = restitution, .gravity = 2, .until = 12});
  const std::string velocity = text.substr(text.find("velocity"), text.find("[constraints]") - text.find("velocity"));
  text.replace(text.find(velocity), velocity.size(), "velocity = [0.01, \"0.1*i\"]\n");
  text.replace(text.find("b[i].y <= h"), 11, "b[i].y <= 9");
  return text;
}

}  // namespace

TEST(Crowd, what_hops_comes_to_lie_when_its_hops_add_up_and_slides_on) {
  const double e = 0.5;
  const Told crowd = as_crowd(hopping(e));
  ASSERT_EQ(words(crowd.account.status), "finished");
  EXPECT_TRUE(crowd.track.account.steps < 24 * 60);
  unsigned lying = 0;
  for (const motion::Event& event : crowd.events) {
    if (event.kind != motion::EventKind::accumulation) continue;
    ASSERT_EQ(event.variables.size(), 2U);
    const double i = static_cast<double>(event.variables[0] / 2) + 1;
    // Thrown up with 0.1 i from a height of 1.5, g = 2.
    const double arrives = std::sqrt(0.01 * i * i + 4 * 1.5);
    EXPECT_NEAR(event.time, (0.1 * i + arrives) / 2 + arrives * e / (1 - e), 1e-13 * 20) << i;
    EXPECT_EQ(event.velocity[1], 0);
    EXPECT_NEAR(event.velocity[0], 0.01, 1e-15);
    ++lying;
  }
  EXPECT_EQ(lying, 24U);
  // They press with their weight, and the energy that is left is that of sliding.
  ASSERT_EQ(crowd.account.present.rows.size(), 24U);
  for (std::size_t k = 0; k < 24; ++k) {
    const double mass = 1 + 0.5 * std::sin(static_cast<double>(k + 1));
    EXPECT_NEAR(crowd.account.present.multipliers[k], 2 * mass, 1e-14);
    EXPECT_EQ(crowd.account.present.state.position[2 * k + 1], 0);
  }
  const motion::EnergyBalance& energy = crowd.account.energy;
  EXPECT_NEAR(energy.initial - energy.lost, energy.final, 1e-13 * energy.initial);
}

TEST(Crowd, whoever_comes_from_afar_stops_where_it_touches) {
  // Cells are wide where members are few: 24 discs of diameter 1 in a slot two diameters deep and 6000 long, head on or just past each other.
  for (const bool losing : {false, true}) {
    const std::string text = fmt::format(
        "[points.b]\ncount = 24\nmass = 1\nposition = [\"240*i\", \"if(i/2 == floor(i/2), 0, 1)\"]\n"
        "velocity = [\"sin(7*i*i)\", {0}]\n[constraints]\n"
        "apart = {{ for = \"i = 1..24, j = i+1..24\", condition = \"distance(b[i], b[j]) >= 1\", restitution = {1} }}\n"
        "low = {{ for = \"i = 1..24\", condition = \"b[i].y >= 0\", restitution = {1} }}\n"
        "high = {{ for = \"i = 1..24\", condition = \"b[i].y <= 1\", restitution = {1} }}\n"
        "[simulation]\nuntil = 3000\n",
        losing ? "\"0.001*cos(i)\"" : "0", losing ? 0.9 : 1.0);
    const Told crowd = as_crowd(text);
    ASSERT_EQ(words(crowd.account.status), "finished");
    unsigned meetings = 0;
    for (const motion::Event& event : crowd.events) {
      if (event.variables.size() != 4) continue;
      ++meetings;
      const double x = event.position[0] - event.position[2];
      const double y = event.position[1] - event.position[3];
      // A few roundings of the coordinates, up to 6000.
      EXPECT_NEAR(std::sqrt(x * x + y * y), 1, 8 * 6000 * 0x1p-53) << event.time;
    }
    EXPECT_GT(meetings, 20U);
  }
}

TEST(PairFamily, every_pair_has_a_number_and_every_number_its_pair) {
  model::PairFamily family;
  family.within = true;
  family.first = {0, 3, 40};
  family.second = family.first;
  family.first_row = 17;
  std::uint64_t next = 17;
  for (std::uint32_t i = 3; i < 40; ++i) {
    for (std::uint32_t j = i + 1; j <= 40; ++j, ++next) {
      ASSERT_EQ(model::pair_row(family, i, j), next);
      ASSERT_EQ(model::members_of_pair(family, next), std::pair(i, j));
    }
  }
  EXPECT_EQ(next - 17, family.pairs());
  family.first = {0, 0, 99'999};
  family.second = family.first;
  EXPECT_EQ(model::members_of_pair(family, model::pair_row(family, 70'000, 99'999)), std::pair(70'000U, 99'999U));
}

namespace {

/// Three discs on a line, the outer ones come in and the left one arrives first, by `sooner`: which of the two contacts is next is known without any gap. The velocities when no
/// contact is approached any more, or after so many strikes that what is left is rounding.
std::array<double, 3> struck_in_turn(const std::array<double, 3>& mass, std::array<double, 3> v, double e) {
  for (std::size_t k = 0, strikes = 0; strikes < 1'000'000 && v[k] > v[k + 1]; k = 1 - k, ++strikes) {
    const double impulse = (1 + e) * (v[k] - v[k + 1]) * mass[k] * mass[k + 1] / (mass[k] + mass[k + 1]);
    v[k] -= impulse / mass[k];
    v[k + 1] += impulse / mass[k + 1];
  }
  return v;
}

}  // namespace

TEST(Crowd, a_disc_between_two_others_is_struck_by_one_after_the_other_however_small_the_gap) {
  const std::array<double, 3> before = {1, 0, -1};
  for (const auto& [mass, e] : {std::pair<std::array<double, 3>, double>{{1, 1e-3, 1}, 0.1},
                                {{1000, 1, 1000}, 0.1},
                                {{4, 1, 4}, 0.5},
                                {{1, 1, 1}, 0.01},
                                {{10, 1, 10}, 0.9},
                                {{100, 1, 100}, 1}}) {
    const std::array<double, 3> after = struck_in_turn(mass, before, e);
    for (const double sooner : {1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
      const Told crowd = as_crowd(fmt::format(
          "[points.b]\ncount = 3\nmass = \"if(i == 1, {}, if(i == 2, {}, {}))\"\nposition = [\"if(i == 3, 11.5 + {}, "
          "7 + 1.5*i)\", \"0\"]\nvelocity = [\"2 - i\", \"0\"]\n[constraints]\napart = {{ for = \"i = 1..3, j = "
          "i+1..3\", condition = \"distance(b[i], b[j]) >= 1\", restitution = {} }}\n[simulation]\nuntil = 1\n",
          mass[0], mass[1], mass[2], sooner, e));
      ASSERT_EQ(words(crowd.account.status), "finished") << crowd.account.why;
      const std::vector<double>& v = crowd.account.present.state.velocity;
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(v[2 * k], after[k], 1e-12) << e << " " << sooner << " " << k;
    }
  }
}

TEST(PairFamily, what_is_written_out_and_what_is_left_are_the_same_conditions) {
  const std::string text = text_of({.count = 30, .side = 6});
  const model::Model whole = model::load(text, "gas.toml");
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  ASSERT_EQ(left.pairs.size(), 1U);
  EXPECT_EQ(left.rows() + left.pairs[0].pairs(), whole.rows());
  const std::vector<model::Pair> met = {{0, 4, 20}, {0, 0, 1}};
  const model::Model with = model::with_met(left, met);
  EXPECT_EQ(model::row_name(with, with.rows() - 2), "apart[5,21]");
  EXPECT_EQ(model::row_name(with, with.rows() - 1), "apart[1,2]");
}

}  // namespace zwang::crowds::against_one_motion_tests
