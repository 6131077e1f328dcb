/// Frictions that hold or leave together, begin from nothing, reverse, creep to rest: closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ran.hpp"

namespace zwang::motion {

namespace {

constexpr double by_closed_form = 1e-11;

std::vector<std::string> kinds_of(const Ran& ran) {
  std::vector<std::string> out;
  for (const Event& event : ran.events) out.emplace_back(words(event.kind));
  return out;
}

Ran slide_block(const std::string& force, const std::string& until, const std::string& besides = "") {
  return run_to_the_end("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"" + force + "\"\n" + besides +
                            "[simulation]\nuntil = " + until + "\n",
                        100000);
}

using Kinds = std::vector<std::string>;

/// A motion under dry friction, in the model SIGN((u)), against the same with tanh(u/1e-5), which differs by as much.
void expect_as_with_tanh(const std::string& model) {
  const auto with = [&](const std::string& what) {
    std::string text = model;
    for (std::size_t at = text.find("SIGN"); at != std::string::npos; at = text.find("SIGN")) text.replace(at, 5, what);
    return run_to_the_end(text + "[simulation]\nuntil = 4\n", 100000);
  };
  const Ran hard = with("sign(");
  const Ran soft = with("tanh(1e5*");
  ASSERT_EQ(hard.status, Status::finished) << model << hard.why;
  for (std::size_t i = 0; i < hard.state.position.size(); ++i)
    EXPECT_NEAR(hard.state.position[i], soft.state.position[i], 1e-4) << model << i;
}

}  // namespace

TEST(Frictions, blocks_on_a_rod_or_a_string_with_unequal_friction_slip_together) {
  for (const char* link : {"distance(a, b) = 1", "distance(a, b) <= 1"}) {
    const Ran ran = run_to_the_end(
        std::string("[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.2*a'/norm(a') + [-0.5*t, 0]\"\n"
                    "[points.b]\nmass = 1\nposition = [1, 0]\nforce = \"-0.7*b'/norm(b')\"\n[constraints]\nr = \"") +
        link + "\"\n[simulation]\nuntil = 4\n");
    ASSERT_EQ(ran.status, Status::finished) << ran.why;
    EXPECT_EQ(kinds_of(ran), Kinds{"slip"});
    EXPECT_NEAR(ran.events[0].time, 1.8, 1e-10);
    EXPECT_NEAR(ran.state.position[0], -2.2 * 2.2 * 2.2 / 24, by_closed_form);
    EXPECT_NEAR(ran.state.position[2], 1 - 2.2 * 2.2 * 2.2 / 24, by_closed_form);
  }
}

TEST(Frictions, a_block_on_a_shaken_belt_is_carried_as_long_as_it_is_asked_for) {
  // From rest with (2 + t)/2.1 until it has the speed of the belt, (2 t + t^2/2)/2.1 = sin 2 t; the series of the belt is good for a little of the whole only.
  for (const char* until : {"3", "50", "300"}) {
    const Ran ran = run_to_the_end(std::string("[points.a]\nmass = 2.1\nposition = [0, 0]\n"
                                               "force = \"-(2 + t)*(a' - [sin(2*t), 0])/norm(a' - [sin(2*t), 0])\"\n"
                                               "[simulation]\nuntil = ") +
                                       until + "\nstop = \"t - 1.1 >= 0\"\n",
                                   20000);
    ASSERT_EQ(ran.status, Status::stopped) << ran.why;
    ASSERT_EQ(kinds_of(ran), Kinds{"stick"}) << until;
    EXPECT_NEAR(ran.events[0].time, 0.85621210698, 1e-10);
    EXPECT_NEAR(ran.state.velocity[0], std::sin(2.2), 1e-10);
  }
}

TEST(Frictions, a_table_on_two_legs_bears_as_much_as_both) {
  // Two legs of 0.25 each, pulled through the middle: |(0.3 t, 0.1)| = 0.5.
  const Ran ran = run_to_the_end(
      "[bodies.B]\nmass = 1\ninertia = 0.2\nposition = [0, 0]\n"
      "force = \"-0.25*B.m0'/norm(B.m0') - 0.25*B.m1'/norm(B.m1') + [0.3*t, 0.1]\"\n"
      "torque = \"-0.25*cross(B.m0-B, B.m0')/norm(B.m0') - 0.25*cross(B.m1-B, B.m1')/norm(B.m1')\"\n"
      "[bodies.B.marks]\nm0 = [0.3, 0]\nm1 = [-0.3, 0]\n[simulation]\nuntil = 1.8\n",
      20000);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), Kinds{"slip"});
  EXPECT_NEAR(ran.events[0].time, std::sqrt(0.24) / 0.3, 1e-10);
}

TEST(Frictions, a_table_twisted_turns_about_its_middle) {
  // The torque of two legs is 0.15: angle'' = (0.1 t - 0.15)/0.2. The weights along the line of the legs change no rate.
  const Ran ran = run_to_the_end(
      "[bodies.B]\nmass = 1\ninertia = 0.2\nposition = [0, 0]\n"
      "force = \"-0.25*B.m0'/norm(B.m0') - 0.25*B.m1'/norm(B.m1')\"\n"
      "torque = \"-0.25*cross(B.m0-B, B.m0')/norm(B.m0') - 0.25*cross(B.m1-B, B.m1')/norm(B.m1') + 0.1*t\"\n"
      "[bodies.B.marks]\nm0 = [0.3, 0]\nm1 = [-0.3, 0]\n[simulation]\nuntil = 4\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), Kinds{"slip"});
  EXPECT_NEAR(ran.events[0].time, 1.5, 1e-10);
  EXPECT_NEAR(ran.state.position[2], 0.5 * 2.5 * 2.5 * 2.5 / 6, by_closed_form);
}

TEST(Frictions, two_blocks_that_hold_each_other_go_and_stop_as_one) {
  // Their own friction holds them together: a block of mass 2 with friction 0.3 + 0.1 under the load 0.8 sin t.
  const Ran pair = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.3*a'/norm(a') - (a'-b')/norm(a'-b') + "
      "0.8*sin(t)*[0.6, 0.8]\"\n[points.b]\nmass = 1\nposition = [1, 0]\n"
      "force = \"-0.1*b'/norm(b') - (b'-a')/norm(b'-a')\"\n[simulation]\nuntil = 6\n",
      20000);
  const Ran one = run_to_the_end(
      "[points.p]\nmass = 2\nposition = [0, 0]\nforce = \"-0.4*p'/norm(p') + 0.8*sin(t)*[0.6, 0.8]\"\n"
      "[simulation]\nuntil = 6\n",
      20000);
  ASSERT_EQ(pair.status, Status::finished) << pair.why;
  ASSERT_EQ(one.status, Status::finished) << one.why;
  EXPECT_EQ(kinds_of(pair), kinds_of(one));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(pair.state.position[i], one.state.position[i], 1e-10);
    EXPECT_NEAR(pair.state.position[2 + i], one.state.position[i] + (i == 0 ? 1 : 0), 1e-10);
  }
}

TEST(Frictions, a_block_that_turns_about_one_that_stays_is_a_bead_on_a_circle) {
  const Ran pivot = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-5*a'/norm(a')\"\n[points.b]\nmass = 1\n"
      "position = [1, 0]\nforce = \"-0.5*b'/norm(b') + [0, 0.9*t]\"\n[constraints]\nrod = \"distance(a, b) = 1\"\n"
      "[simulation]\nuntil = 2\n",
      20000);
  const Ran angle = run_to_the_end(
      "[coordinates.a]\ninitial = 0\nforce = \"-0.5*sign(a') + 0.9*t*cos(a)\"\n[energy]\nkinetic = \"a'^2/2\"\n"
      "[simulation]\nuntil = 2\n");
  ASSERT_EQ(pivot.status, Status::finished) << pivot.why;
  ASSERT_EQ(kinds_of(pivot), Kinds{"slip"});
  EXPECT_NEAR(pivot.events[0].time, 0.5 / 0.9, 1e-10);
  EXPECT_NEAR(pivot.state.position[0], 0, 1e-13);
  EXPECT_NEAR(pivot.state.position[2], std::cos(angle.state.position[0]), 1e-10);
  EXPECT_NEAR(pivot.state.position[3], std::sin(angle.state.position[0]), 1e-10);
}

TEST(Frictions, a_bearing_rubs_from_rest) {
  // Torques on the main axis with moment 2: slip at 2.5, then 2 w' = 0.2 t - 0.5.
  const Ran ran = run_to_the_end(
      "[bodies.B]\nmass = 1\ninertia = [1, 2, 3]\nposition = [0, 0, 0]\n"
      "torque = \"-0.5*B.spin/norm(B.spin) + [0, 0.2*t, 0]\"\n[simulation]\nuntil = 4\n",
      20000);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), Kinds{"slip"});
  EXPECT_NEAR(ran.events[0].time, 2.5, 1e-10);
}

TEST(Frictions, conditions_that_depend_on_one_another_carry_it) {
  // One pushes the other, by two conditions that are one: slip when the push is 2, then 2 (t - 1/2) for each.
  const Ran pair = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-a'/norm(a') + [4*t, 0]\"\n"
      "[points.b]\nmass = 1\nposition = [1, 0]\nforce = \"-b'/norm(b')\"\n[constraints]\nf = \"b.x - a.x >= 1\"\n"
      "g = \"(b.x - a.x - 1)^3 + (b.x - a.x - 1) >= 0\"\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(pair.status, Status::finished) << pair.why;
  EXPECT_EQ(kinds_of(pair), Kinds{"slip"});
  EXPECT_NEAR(pair.events[0].time, 0.5, 1e-10);
  EXPECT_NEAR(pair.state.position[0], 1.0 / 24, by_closed_form);
  // Four corners of a box on a floor.
  const Ran box = run_to_the_end(
      "gravity = [0, 0, -10]\n[bodies.a]\nmass = 1\nshape = {box = [1, 1, 1]}\nposition = [0, 0, 0.5]\n"
      "velocity = [1, 0.5, 0]\nforce = \"-2*[a.x', a.y', 0]/norm([a.x', a.y', 0])\"\n[contacts]\n"
      "f = {body = \"a\", plane = {normal = [0, 0, 1], offset = 0}}\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(box.status, Status::finished) << box.why;
  EXPECT_EQ(kinds_of(box), Kinds{"stick"});
  EXPECT_NEAR(box.events[0].time, std::sqrt(1.25) / 2, by_closed_form);
  EXPECT_NEAR(box.state.position[0], std::sqrt(1.25) / 4, by_closed_form);
}

TEST(Frictions, that_begin_from_nothing_are_told_by_what_comes_next) {
  const double load = std::sqrt(0.29);
  // mu = t: held by less than t, moved by more; the friction is a part of the load all the time.
  const Ran held = slide_block("-t*p'/norm(p') + [0.5*t, 0.2*t]", "3");
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_NEAR(held.state.position[0], 0, 1e-14);
  EXPECT_NEAR(held.state.position[1], 0, 1e-14);
  const Ran moved = slide_block("-t*p'/norm(p') + [2*t, 0.2*t]", "3");
  ASSERT_EQ(moved.status, Status::finished) << moved.why;
  const double size = std::sqrt(4.04);
  EXPECT_NEAR(moved.state.position[0], 2 / size * (size - 1) * 27 / 6, by_closed_form);
  // mu = t^2 stops what it could not hold.
  const Ran stopped = slide_block("-t^2*p'/norm(p') + [0.5*t, 0.2*t]", "3");
  ASSERT_EQ(stopped.status, Status::finished) << stopped.why;
  EXPECT_EQ(kinds_of(stopped), Kinds{"stick"});
  const double rest = 1.5 * load;
  EXPECT_NEAR(stopped.events[0].time, rest, by_closed_form);
  EXPECT_NEAR(stopped.state.position[0], 0.5 / load * (load * rest * rest * rest / 6 - rest * rest * rest * rest / 12),
              by_closed_form);
  // On a line, and between two blocks.
  const Ran line = run_to_the_end(
      "[coordinates.x]\ninitial = 0\nforce = \"-t*sign(x') + 0.5*t\"\n[energy]\nkinetic = \"x'^2/2\"\n"
      "[simulation]\nuntil = 3\n");
  ASSERT_EQ(line.status, Status::finished) << line.why;
  EXPECT_EQ(line.state.position[0], 0);
  const Ran pair = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.5*t*(a'-b')/norm(a'-b')\"\n[points.b]\nmass = 1\n"
      "position = [0, 0]\nforce = \"-0.5*t*(b'-a')/norm(b'-a') + [0.3*t, 0]\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(pair.status, Status::finished) << pair.why;
  EXPECT_NEAR(pair.state.position[0], 0.2, by_closed_form);
  EXPECT_NEAR(pair.state.position[2], 0.2, by_closed_form);
  // Pressed to a wall that takes what it must.
  const Ran wall = slide_block("-0.5*t*p'/norm(p') + [0.2*t, -1]", "2", "[constraints]\nw = \"p.y >= 0\"\n");
  ASSERT_EQ(wall.status, Status::finished) << wall.why;
  EXPECT_NEAR(wall.state.position[0], 0, 1e-14);
}

TEST(Frictions, a_brake_that_is_put_on_holds) {
  const Ran ran = slide_block("-max(t-1, 0)*p'/norm(p') + max(t-1, 0)*[0.5, 0.1]", "3");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 0, 1e-14);
}

TEST(Frictions, that_begin_from_nothing_beside_others_hold_as_they_grow) {
  // a is held by its own friction with half of it to spare at all times, b too: nothing moves.
  for (const char* size : {"t", "(1e-7/2 + t)", "(t-0.5)^2", "max(0, t-0.5)", "1e-9"}) {
    const std::string s = size;
    const Ran ran = run_to_the_end("[points.a]\nmass = 1\nposition = [0, 1]\nforce = \"[0, " + s + "] - 2*" + s +
                                       "*a'/norm(a')\"\n" +
                                       "[points.b]\nmass = 1\nposition = [1, 0]\nforce = \"[0.5, 0] - b'/norm(b')\"\n" +
                                       "[constraints]\nrod = \"distance(a, b) = sqrt(2)\"\n[simulation]\nuntil = 1\n",
                                   20000);
    ASSERT_EQ(ran.status, Status::finished) << size << ": " << ran.why;
    EXPECT_NEAR(ran.state.position[0], 0, 1e-14) << size;
    EXPECT_NEAR(ran.state.position[1], 1, 1e-14) << size;
    EXPECT_NEAR(ran.state.position[2], 1, 1e-14) << size;
    EXPECT_NEAR(ran.state.position[3], 0, 1e-14) << size;
  }
  // Rubbing on b, which rests until |(0.5, 0.2 + t)| = 1, then both go together.
  const Ran both = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 1]\nforce = \"[0, t] - 2*t*(a' - b')/norm(a' - b')\"\n"
      "[points.b]\nmass = 1\nposition = [1, 0]\nforce = \"[0.5, 0.2] - b'/norm(b') + 2*t*(a' - b')/norm(a' - b')\"\n"
      "[simulation]\nuntil = 1\n",
      20000);
  ASSERT_EQ(both.status, Status::finished) << both.why;
  EXPECT_EQ(kinds_of(both), Kinds{"slip"});
  EXPECT_NEAR(both.events[0].time, std::sqrt(0.75) - 0.2, 1e-10);
}

TEST(Frictions, a_brake_that_is_put_on_is_the_same_along_an_axis) {
  // x'' = 0.3 - t/2.
  const Ran ran = slide_block("[0.3, 0] - 0.5*t*p'/norm(p')", "1");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 0.15 - 1.0 / 12, by_closed_form);
  EXPECT_NEAR(ran.state.position[1], 0, by_closed_form);
}

TEST(Frictions, a_load_that_has_come_and_gone_leaves_rest) {
  const Ran ran = slide_block("[0.5*max(0, 1-t), 0.3*max(0, 1-t)] - 0.7*(1 + sin(2*t))*p'/norm(p')", "2");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 0, 1e-15);
}

TEST(Frictions, that_become_negative_end_the_run_where_they_do) {
  const Ran plane = slide_block("-(1-t)*p'/norm(p')", "3");
  EXPECT_EQ(plane.status, Status::refused);
  EXPECT_NEAR(plane.state.time, 1, 1e-12);
  EXPECT_NE(plane.why.find("pushes away to every side"), std::string::npos) << plane.why;
  const Ran line = run_to_the_end(
      "[coordinates.x]\ninitial = 0\nforce = \"-(1-t)*sign(x')\"\n[energy]\nkinetic = \"x'^2/2\"\n"
      "[simulation]\nuntil = 3\n");
  EXPECT_EQ(line.status, Status::singular);
  EXPECT_NEAR(line.state.time, 1, 1e-12);
  EXPECT_NE(line.why.find("push away"), std::string::npos) << line.why;
}

TEST(Frictions, a_load_that_turns_at_the_bound_moves_nothing) {
  const Ran ran = slide_block("-p'/norm(p') + [cos(t), sin(t)]", "3");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_TRUE(ran.events.empty());
  EXPECT_EQ(ran.state.position[0], 0);
}

TEST(Frictions, a_small_slip_under_a_load_that_turns_ends) {
  // The load passes 1 by 1e-3 and comes back, turning: creeping, its direction is the load's but for a small part, and the speed is the integral of the excess.
  const Ran ran = slide_block("-p'/norm(p') + (1.001 - (t-1)^2)*[cos(0.3*t), sin(0.3*t)]", "1.5");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  ASSERT_EQ(kinds_of(ran), (Kinds{"slip", "stick"}));
  const double half = std::sqrt(0.001);
  EXPECT_NEAR(ran.events[0].time, 1 - half, by_closed_form);
  EXPECT_NEAR(ran.events[1].time, 1 + 2 * half, 1e-6);
  const double way = 9 * half * half * half * half / 4;
  EXPECT_NEAR(std::hypot(ran.state.position[0], ran.state.position[1]), way, 1e-3 * way);
}

TEST(Frictions, of_blocks_apart_have_nothing_to_do_with_each_other) {
  // The first slips and sticks four times, each swing of the load like the one before; the second rests.
  const Ran ran = run_to_the_end(
      "[points.a]\nmass = 1.99\nposition = [0, 0]\n"
      "force = \"-0.79*a'/norm(a') + [-0.33*sin(2.47*t+4.56), -0.93*sin(2.47*t+3.23)]\"\n[points.b]\nmass = 1.67\n"
      "position = [1, 0]\nforce = \"-0.6*b'/norm(b') + [0.1*sin(1.33*t+0.54), -0.07*sin(1.33*t+4.59)]\"\n"
      "[simulation]\nuntil = 5\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), (Kinds{"slip", "stick", "slip", "stick", "slip", "stick", "slip", "stick"}));
  const double half_turn = std::acos(-1.0) / 2.47;
  for (std::size_t k = 2; k < ran.events.size(); ++k)
    EXPECT_NEAR(ran.events[k].time - ran.events[k - 2].time, half_turn, 1e-10);
}

TEST(Frictions, written_the_other_way_round_are_the_same) {
  const Ran ran = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.3*(a'-b')/norm(a'-b') + [t, 0]\"\n[points.b]\nmass = 1\n"
      "position = [0, 0]\nforce = \"-0.3*(b'-a')/norm(a'-b')\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.events[0].time, 0.6, by_closed_form);
  EXPECT_NEAR(ran.state.velocity[0], 1.49, by_closed_form);
  EXPECT_NEAR(ran.state.velocity[2], 0.51, by_closed_form);
}

TEST(Frictions, beside_kinks_of_the_place_hold_and_let_go) {
  // x'' = 4 s - x/2 from s = t - 1/4 on.
  const Ran slips = slide_block("-p'/norm(p') + [4*t, 0] - 0.5*max(p.x, 0)*[1, 0]", "1");
  ASSERT_EQ(slips.status, Status::finished) << slips.why;
  const double swing = std::sqrt(0.5);
  EXPECT_NEAR(slips.state.position[0], 8 * 0.75 - 8 / swing * std::sin(0.75 * swing), by_closed_form);
  const Ran held = slide_block("-p'/norm(p') + [0.5, 0] - 0.2*[table(p.x, [-1, 0, 1], [1, 0, 3]), 0]", "1");
  ASSERT_EQ(held.status, Status::finished) << held.why;
  EXPECT_EQ(held.state.position[0], 0);
}

TEST(Frictions, a_stop_that_asks_for_rest_does_not_disturb_the_slip) {
  const std::string force = "-0.5*p'/norm(p') + 0.6*[sin(t), 0.3*cos(2*t)]";
  const Ran free = slide_block(force, "3");
  const Ran asked = run_to_the_end("[points.p]\nmass = 1\nposition = [0, 0]\nforce = \"" + force +
                                   "\"\n[simulation]\nuntil = 6\nstop = \"t >= 1 and norm(p') <= 0\"\n");
  ASSERT_EQ(free.status, Status::finished) << free.why;
  EXPECT_EQ(asked.status, Status::stopped) << asked.why;
  ASSERT_EQ(kinds_of(free), (Kinds{"slip", "stick"}));
  EXPECT_NEAR(asked.state.time, free.events[1].time, by_closed_form);
  EXPECT_NEAR(asked.state.position[0], free.state.position[0], by_closed_form);
}

namespace {

/// A block with friction 0.5 that a condition leads along x, and a load along y. Where y = 3/4 of what x has gone its direction is (0.8, 0.6) all the time: friction takes 0.3 of the load, and
/// y'' the rest.
Ran lead_block(const std::string& condition, const std::string& load, const std::string& until,
               const std::string& start = "position = [0, 0]", const std::string& speed = "p'") {
  return run_to_the_end("[points.p]\nmass = 1\n" + start + "\nforce = \"-0.5*(" + speed + ")/norm(" + speed +
                            ") + [0, " + load + "]\"\n[constraints]\ncam = \"" + condition +
                            "\"\n[simulation]\nuntil = " + until + "\n",
                        20000);
}

/// The same along a line: y is pushed by what rubs on x.
Ran lead_line(const std::string& condition, const std::string& until, const std::string& start = "initial = 0",
              const std::string& size = "0.5") {
  return run_to_the_end("[coordinates.x]\n" + start + "\nforce = \"-" + size +
                        "*sign(x')\"\n[coordinates.y]\ninitial = 0\nforce = \"" + size +
                        "*sign(x')\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\ncam = \"" + condition +
                        "\"\n[simulation]\nuntil = " + until + "\n");
}

}  // namespace

TEST(Frictions, on_what_a_cam_moves_from_no_speed_and_no_acceleration_act_at_once) {
  for (const char* law : {"x = t^3", "x = t - sin(t)", "x' = t^2", "x = t^7", "x >= t^3"}) {
    const Ran ran = lead_line(law, "2");
    ASSERT_EQ(ran.status, Status::finished) << law << ": " << ran.why;
    EXPECT_NEAR(ran.state.position[1], 1, by_closed_form) << law;
  }
  const Ran back = lead_line("x = -t^4", "2");
  ASSERT_EQ(back.status, Status::finished) << back.why;
  EXPECT_NEAR(back.state.position[1], -1, by_closed_form);
  // From nothing, too: y'' = t/2.
  const Ran grows = lead_line("x = t^3", "2", "initial = 0", "0.5*t");
  ASSERT_EQ(grows.status, Status::finished) << grows.why;
  EXPECT_NEAR(grows.state.position[1], 8.0 / 12, by_closed_form);
  // After a second of standing still, and through a place where it stands for an instant.
  const Ran later = lead_line("x = max(t - 1, 0)^3", "2");
  ASSERT_EQ(later.status, Status::finished) << later.why;
  EXPECT_NEAR(later.state.position[1], 0.25, by_closed_form);
  const Ran through = lead_line("x = (t - 1)^3", "2", "initial = -1\nvelocity = 3");
  ASSERT_EQ(through.status, Status::finished) << through.why;
  EXPECT_NEAR(through.state.position[1], 1, by_closed_form);
}

TEST(Frictions, in_a_plane_act_at_once_on_what_a_cam_begins_to_move) {
  struct Case {
    const char *condition, *load;
    double y, multiplier;
  };
  for (const Case& one :
       {Case{"p.x = t^3", "0.3 + 4.5*t", 0.75, 6.4}, Case{"p.x' = 3*t^2", "0.3 + 4.5*t", 0.75, 6.4},
        Case{"p.x = 1 - cos(t^2)", "0.3 + 0.75*(2*sin(t^2) + 4*t^2*cos(t^2))", 0.75 * (1 - std::cos(1.0)),
             2 * std::sin(1.0) + 4 * std::cos(1.0) + 0.4},
        Case{"p.x = t - sin(t)", "0.3 + 0.75*sin(t)", 0.75 * (1 - std::sin(1.0)), std::sin(1.0) + 0.4},
        Case{"p.x >= t^3", "0.3 + 4.5*t", 0.75, 6.4},
        Case{"p.x = t^3", "12*t^2 + 2*t/sqrt(9 + 16*t^2)", 1, 6 + 0.5 * 0.6}}) {
    const Ran ran = lead_block(one.condition, one.load, "1");
    ASSERT_EQ(ran.status, Status::finished) << one.condition << ": " << ran.why;
    EXPECT_NEAR(ran.state.position[1], one.y, 1e-10) << one.condition << ", " << one.load;
    ASSERT_EQ(ran.multipliers.size(), 1U) << one.condition;
    EXPECT_NEAR(std::abs(ran.multipliers[0].second), one.multiplier, 1e-9) << one.condition << ", " << one.load;
  }
  // Without a load across: the cam carries the friction.
  const Ran alone = lead_block("p.x = t^3", "0", "1");
  ASSERT_EQ(alone.status, Status::finished) << alone.why;
  EXPECT_NEAR(std::abs(alone.multipliers[0].second), 6.5, 1e-10);
  // Held while a belt below it begins to run.
  const Ran belt = lead_block("p.x = 0", "0.3 + 4.5*t", "1", "position = [0, 0]", "p' - [3*t^2, 0]");
  ASSERT_EQ(belt.status, Status::finished) << belt.why;
  EXPECT_NEAR(belt.state.position[1], 0.75, 1e-10);
  // After a second of standing still, under a load that friction holds.
  const Ran later = lead_block("p.x = max(t - 1, 0)^3", "0.3 + 4.5*max(t - 1, 0)", "2");
  ASSERT_EQ(later.status, Status::finished) << later.why;
  EXPECT_NEAR(later.state.position[1], 0.75, 1e-10);
}

TEST(Frictions, of_several_blocks_that_cams_begin_to_move) {
  // On one cam, with other masses: each goes in the direction (0.8, 0.6).
  const Ran pair = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.5*a'/norm(a') + [0, 0.3 + 4.5*t]\"\n"
      "[points.b]\nmass = 3\nposition = [2, 0]\nforce = \"-b'/norm(b') + [0, 0.6 + 13.5*t]\"\n"
      "[constraints]\ncam = \"a.x = t^3\"\nrod = \"b.x - a.x = 2\"\n[simulation]\nuntil = 1\n",
      20000);
  ASSERT_EQ(pair.status, Status::finished) << pair.why;
  EXPECT_NEAR(pair.state.position[1], 0.75, 1e-10);
  EXPECT_NEAR(pair.state.position[3], 0.75, 1e-10);
  // On cams of which one begins later than the other: 3/4 t^4 of b.
  const Ran apart = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.5*a'/norm(a') + [0, 0.3 + 4.5*t]\"\n"
      "[points.b]\nmass = 1\nposition = [2, 0]\nforce = \"-0.5*b'/norm(b') + [0, 0.3 + 9*t^2]\"\n"
      "[constraints]\ncam = \"a.x = t^3\"\nother = \"b.x - 2 = t^4\"\n[simulation]\nuntil = 1\n",
      20000);
  ASSERT_EQ(apart.status, Status::finished) << apart.why;
  EXPECT_NEAR(apart.state.position[1], 0.75, 1e-10);
  EXPECT_NEAR(apart.state.position[3], 0.75, 1e-10);
  // In space, by two cams: (1, 2, 2) t^3.
  const Ran space = run_to_the_end(
      "[points.p]\nmass = 1\nposition = [0, 0, 0]\nforce = \"-0.6*p'/norm(p') + [0, 0, 0.4 + 12*t]\"\n"
      "[constraints]\nc = \"p.x = t^3\"\nd = \"p.y = 2*t^3\"\n[simulation]\nuntil = 1\n",
      20000);
  ASSERT_EQ(space.status, Status::finished) << space.why;
  EXPECT_NEAR(space.state.position[2], 2, 1e-10);
  // A rod that grows moves the one that rubs less, and is pressed by its friction.
  const Ran rod = run_to_the_end(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = \"-0.2*a'/norm(a')\"\n[points.b]\nmass = 3\n"
      "position = [2, 0]\nforce = \"-20*b'/norm(b')\"\n[constraints]\nr = \"distance(a, b) = 2 + t^3\"\n"
      "[simulation]\nuntil = 1\n",
      20000);
  ASSERT_EQ(rod.status, Status::finished) << rod.why;
  EXPECT_NEAR(rod.state.position[0], -1, 1e-10);
  EXPECT_NEAR(rod.state.position[2], 2, 1e-10);
  EXPECT_NEAR(std::abs(rod.multipliers[0].second), 6.2, 1e-9);
}

TEST(Frictions, beside_walls_that_are_touched_without_a_force_hold_a_load_that_grows) {
  // Slip at t = 1/2 along the wall or away from it, then x'' = t - 1/2; what the wall carries friction need not.
  struct Case {
    const char* load;
    double x, y;
  };
  for (const char* walls : {"w = \"p.x >= 0\"\n", "w = \"p.x >= 0\"\nv = \"p.y >= 0\"\n"}) {
    for (const Case& one : {Case{"[t, 0]", 0.5625, 0}, Case{"[0, t]", 0, 0.5625}, Case{"[-t, 0]", 0, 0},
                            Case{"[-t, 0.3]", 0, 0}, Case{"[-t, 0.2*t]", 0, 0}, Case{"[-t^2, t]", 0, 0.5625}}) {
      const Ran ran =
          slide_block("-0.5*p'/norm(p') + " + std::string(one.load), "2", "[constraints]\n" + std::string(walls));
      ASSERT_EQ(ran.status, Status::finished) << one.load << walls << ran.why;
      EXPECT_NEAR(ran.state.position[0], one.x, by_closed_form) << one.load << walls;
      EXPECT_NEAR(ran.state.position[1], one.y, by_closed_form) << one.load << walls;
    }
  }
}

TEST(Frictions, at_a_wall_hold_what_no_longer_presses) {
  // A load 2.43 sin 2t takes a block with friction 0.3 to the wall and off it: it goes where the load is -0.3, not where it ceases to press.
  const double w = 2;
  const double load = 2.43;
  const double mu = 0.3;
  const double leaves = (M_PI + std::asin(mu / load)) / w;
  const double until = 2.5;
  const double s = until - leaves;
  const double by_load =
      load / w * std::cos(w * leaves) * s - load / (w * w) * (std::sin(w * until) - std::sin(w * leaves));
  for (const char* friction : {"0.3*p'/norm(p')", "0.3*[sign(p.x'), 0]"}) {
    const Ran ran = slide_block(std::string("-") + friction + " + 2.43*[sin(2*t), 0]", "2.5",
                                "[constraints]\nw = \"p.x <= 0.35\"\n");
    ASSERT_EQ(ran.status, Status::finished) << friction << ran.why;
    EXPECT_NEAR(ran.events.back().time, leaves, 1e-10) << friction;
    EXPECT_NEAR(ran.state.position[0], 0.35 + by_load + mu * s * s / 2, by_closed_form) << friction;
  }
}

TEST(Frictions, of_two_blocks_on_a_taut_rope_hold_each_by_itself) {
  struct Case {
    const char* of_a;
    const char* of_b;
    double x, y;  // where a ends
  };
  // a slips towards b where 0.16 t |(0.4, 0.82)| = 0.5, and then m x'' is what is more.
  const double pull = 0.16 * std::hypot(0.4, 0.82);
  const double gone = pull * std::pow(4 - 0.5 / pull, 3) / (6 * 2);
  const double x = gone * 0.16 * 0.4 / pull;
  const double y = gone * 0.16 * 0.82 / pull;
  const char* slanted = "0.16*t*[0.4, 0.82]";
  for (const Case& one : {Case{slanted, "[0.1, 0]", x, y}, Case{slanted, "[0, 0]", x, y},
                          Case{slanted, "[-0.1, 0]", x, y}, Case{"[0.3*sin(t), 0]", "[0.9*sin(2*t), 0]", 0, 0},
                          Case{"[-0.1*t, 0]", "[0, 0]", 0, 0}, Case{"[-0.3*t, 0]", "[0.1, 0]", 0, 0}}) {
    for (const bool plane : {true, false}) {
      if (!plane && one.y != 0) continue;
      const auto rubbed = [&](const std::string& name, const char* mu) {
        return "force = \"-" + std::string(mu) + "*" +
               (plane ? name + "'/norm(" + name + "')" : "[sign(" + name + ".x'), sign(" + name + ".y')]") + " + ";
      };
      const Ran ran =
          run_to_the_end("[points.a]\nmass = 2\nposition = [0, 0]\n" + rubbed("a", "0.5") + one.of_a +
                             "\"\n[points.b]\nmass = 0.5\nposition = [1, 0]\n" + rubbed("b", "1.0") + one.of_b +
                             "\"\n[constraints]\nr = \"distance(a, b) <= 1\"\n[simulation]\nuntil = 4\n",
                         2000);
      ASSERT_EQ(ran.status, Status::finished) << one.of_a << one.of_b << ran.why;
      EXPECT_NEAR(ran.state.position[0], one.x, by_closed_form) << one.of_a << one.of_b;
      EXPECT_NEAR(ran.state.position[1], one.y, by_closed_form) << one.of_a << one.of_b;
      EXPECT_NEAR(ran.state.position[2], 1, by_closed_form) << one.of_a << one.of_b;
      const Kinds kinds = kinds_of(ran);
      EXPECT_EQ(std::count(kinds.begin(), kinds.end(), "slip"), one.y != 0 ? 1 : 0) << one.of_a << one.of_b;
    }
  }
}

TEST(Frictions, on_a_cam_that_comes_to_a_stop_let_it_rest) {
  const Ran ran = lead_block("p.x = max(1 - t, 0)^3", "0", "2", "position = [1, 0]\nvelocity = [-3, 0]");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), (Kinds{"switch", "stick"}));
  EXPECT_NEAR(ran.state.position[0], 0, 1e-14);
  EXPECT_NEAR(ran.state.position[1], 0, 1e-14);
}

TEST(Frictions, of_machines_that_have_nothing_to_do_with_each_other_do_not_know_of_each_other) {
  // Two half shafts at rest under one brake, and a block that turns round at 10/27: in any order of the file, and with more of them between.
  const double turn = 10.0 / 27;
  const double rest = 1 - turn;
  const auto shaft = [](const std::string& name) {
    return "[coordinates." + name + "]\ninitial = 0\nforce = \"-sign(l' + r')\"\n";
  };
  const auto block = [](const std::string& name) {
    return "[coordinates." + name + "]\ninitial = 0\nvelocity = 1\nforce = \"-2 - 0.7*sign(" + name + "')\"\n";
  };
  const std::string end = "[simulation]\nuntil = 1\n";
  for (const std::string order : {"lbr", "lrb", "blr", "rbl", "lbcr", "lcdbr", "lbrcd"}) {
    std::string text;
    std::string energy = "[energy]\nkinetic = \"(";
    for (const char name : order) {
      text += name == 'l' || name == 'r' ? shaft(std::string(1, name)) : block(std::string(1, name));
      energy += std::string(energy.back() == '(' ? "" : " + ") + name + "'^2";
    }
    const Ran ran = run_to_the_end(text + energy + ")/2\"\n" + end, 20000);
    ASSERT_EQ(ran.status, Status::finished) << order << ran.why;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool held = order[i] == 'l' || order[i] == 'r';
      EXPECT_NEAR(ran.state.velocity[i], held ? 0 : -1.3 * rest, by_closed_form) << order << i;
      EXPECT_NEAR(ran.state.position[i], held ? 0 : turn / 2 - 0.65 * rest * rest, by_closed_form) << order << i;
    }
  }
}

TEST(Frictions, of_two_pairs_of_blocks_are_the_same_in_every_order_of_the_file) {
  // a and b come to one speed; c and d meet, and stay together under a load that friction can bear: momentum 2 + t^2/4, each half of it.
  const auto one = [](char name, char other, const std::string& velocity, const std::string& load) {
    const std::string n(1, name);
    return "[coordinates." + n + "]\ninitial = 0\nvelocity = " + velocity + "\nforce = \"-sign(" + n + "' - " + other +
           "')" + load + "\"\n";
  };
  std::string order = "abcd";
  do {
    std::string text;
    for (const char name : order) {
      text += name == 'a'   ? one('a', 'b', "1", "")
              : name == 'b' ? one('b', 'a', "0", "")
              : name == 'c' ? one('c', 'd', "2", "")
                            : one('d', 'c', "0", " + 0.5*t");
    }
    const Ran ran = run_to_the_end(
        text + "[energy]\nkinetic = \"(a'^2 + b'^2 + c'^2 + d'^2)/2\"\n[simulation]\nuntil = 3\n", 20000);
    ASSERT_EQ(ran.status, Status::finished) << order << ran.why;
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_NEAR(ran.state.velocity[i], order[i] < 'c' ? 0.5 : 2.125, by_closed_form) << order << i;
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Frictions, that_an_equation_makes_one_hold_as_one) {
  // A gear a' + 2b' = 0: rubbing on a' - b' and on a' is rubbing on a' with 0.6*3/2 + 0.68, and T = 9/8 a'^2.
  const std::string tail = "[simulation]\nuntil = 6\n";
  const Ran two = run_to_the_end(
      "[coordinates.a]\ninitial = 0.48\nvelocity = -0.3\n"
      "force = \"-2*a + 0.41*sin(1.86*t) - 0.6*sign(a' - b') - 0.68*sign(a')\"\n"
      "[coordinates.b]\ninitial = 0.29\nvelocity = 0.15\nforce = \"-2.89*b + 0.6*sign(a' - b')\"\n"
      "[energy]\nkinetic = \"a'^2 + b'^2/2\"\n[constraints]\ng = \"a' + 2*b' = 0\"\n" +
          tail,
      20000);
  const Ran one = run_to_the_end(
      "[coordinates.a]\ninitial = 0.48\nvelocity = -0.3\n"
      "force = \"-2*a + 0.41*sin(1.86*t) + 1.445*(0.29 - (a - 0.48)/2) - 1.58*sign(a')\"\n"
      "[energy]\nkinetic = \"9/8*a'^2\"\n" +
          tail,
      20000);
  ASSERT_EQ(two.status, Status::finished) << two.why;
  EXPECT_EQ(kinds_of(two), Kinds{"stick"});
  EXPECT_EQ(kinds_of(one), Kinds{"stick"});
  EXPECT_NEAR(two.events[0].time, one.events[0].time, by_closed_form);
  EXPECT_NEAR(two.state.position[0], one.state.position[0], by_closed_form);
  EXPECT_NEAR(two.state.position[1], 0.29 - (one.state.position[0] - 0.48) / 2, by_closed_form);
}

TEST(Frictions, on_a_speed_that_an_equation_keeps_at_zero_do_nothing) {
  const auto geared = [](const std::string& on_x, const std::string& on_y) {
    return run_to_the_end("[coordinates.x]\ninitial = -0.24\nvelocity = 0.32\nforce = \"-0.35*x" + on_x +
                              "\"\n[coordinates.y]\ninitial = 0.88\nvelocity = -0.16\nforce = \"-1.7*y" + on_y +
                              "\"\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\ng = \"x' + 2*y' = 0\"\n"
                              "[simulation]\nuntil = 4\n",
                          20000);
  };
  const Ran smooth = geared("", "");
  for (const auto& [x, y] :
       {std::pair{"-0.3*sign(x' + 2*y')", "-0.6*sign(x' + 2*y')"}, std::pair{"-0.3*sign(x' + 2*y')", ""},
        std::pair{"", "+2*sign(x' + 2*y')"}, std::pair{"-sign(3*x' + 6*y')", "-sign(x' + 2*y')"}}) {
    const Ran ran = geared(x, y);
    ASSERT_EQ(ran.status, Status::finished) << x << y << ran.why;
    EXPECT_TRUE(ran.events.empty()) << x << y;
    EXPECT_NEAR(ran.state.position[0], smooth.state.position[0], by_closed_form) << x << y;
    EXPECT_NEAR(ran.state.position[1], smooth.state.position[1], by_closed_form) << x << y;
  }
}

TEST(Frictions, on_a_speed_that_a_stop_keeps_at_zero_do_not_move_it) {
  const std::vector<std::string> models = {
      "[coordinates.u]\ninitial = 0.72\nvelocity = -0.77\nforce = \"-2.72*u + 0.85*sin(1.47*t) + 0.29*SIGN((w' - "
      "u'))\"\n"
      "[coordinates.s]\ninitial = -0.77\nvelocity = 0.41\nforce = \"-1.09*s + 0.32*sin(0.53*t)\"\n"
      "[coordinates.w]\ninitial = -0.64\nvelocity = -0.58\nforce = \"-1.98*w + 0.54*sin(1.75*t) - 0.29*SIGN((w' - "
      "u'))\"\n"
      "[energy]\nkinetic = \"s'^2 + w'^2 + u'^2/2\"\n"
      "[constraints]\nstop = \"w - u <= -1.16\"\ngovernor = \"s' - u' <= 1\"\n",
      "[coordinates.u]\ninitial = 0.33\nvelocity = 0.47\nforce = \"-2.98*u + 0.99*sin(1.12*t) - 0.35*SIGN((u' + "
      "2*w'))\"\n"
      "[coordinates.w]\ninitial = 0.91\nvelocity = 0.51\nforce = \"-2.78*w + 0.39*sin(1.42*t) - 0.7*SIGN((u' + "
      "2*w'))\"\n"
      "[energy]\nkinetic = \"w'^2/2 + u'^2\"\n[constraints]\ngear = \"w' + 2*u' = 0\"\nstop = \"u - w <= -0.38\"\n"};
  for (const std::string& model : models) expect_as_with_tanh(model);
}

/// A double pendulum whose elbow rubs and has dead stops; a motor drives it.
std::string rubbing_elbow(double angle, double friction, double mass) {
  const auto number = [](double x) { return std::to_string(x); };
  const std::string rubs = number(friction) + "*sign(b2.spin - b1.spin)";
  return "gravity = [0, -9.81]\n"
         "[bodies.b1]\nmass = 1\nshape = {rod = 1}\nposition = [\"0.5*cos(" +
         number(angle) + ")\", \"0.5*sin(" + number(angle) + ")\"]\norientation = " + number(angle) + "\ntorque = \"" +
         rubs +
         "\"\n[bodies.b1.marks]\ns = [-0.5, 0]\ne = [0.5, 0]\n"
         "[bodies.b2]\nmass = " +
         number(mass) + "\nshape = {rod = 1}\nposition = [\"1.5*cos(" + number(angle) + ")\", \"1.5*sin(" +
         number(angle) + ")\"]\norientation = " + number(angle) + "\ntorque = \"-" + rubs +
         " + 3*sin(5*t)\"\n[bodies.b2.marks]\ns = [-0.5, 0]\n"
         "[joints]\nj1 = {hinge = [[0, 0], \"b1.s\"]}\n"
         "j2 = {hinge = [\"b1.e\", \"b2.s\"], limits = [-0.2, 0.2], restitution = 0}\n";
}

TEST(Frictions, in_an_elbow_on_its_stop_stay_on_their_side_until_it_lets_go) {
  // On the stop both rods are one body: its pendulum, from the state after the shock on.
  constexpr double mass = 0.64;
  const std::string model = rubbing_elbow(0.67, 0.54, mass) + "[simulation]\nuntil = ";
  const Ran before = run_to_the_end(model + "0.17\n", 100000);
  const Ran after = run_to_the_end(model + "0.6\n", 100000);
  ASSERT_EQ(before.status, Status::finished) << before.why;
  ASSERT_EQ(after.status, Status::finished) << after.why;
  ASSERT_EQ(kinds_of(after), Kinds{"impact"});
  const std::size_t angle = 2;
  const double inertia = 1.0 / 3 + mass * (1.0 / 12 + 1.25 + std::cos(0.2));
  std::ostringstream whole;
  whole.precision(17);
  whole << "[coordinates.a]\ninitial = " << before.state.position[angle]
        << "\nvelocity = " << before.state.velocity[angle] << "\nforce = \"-9.81*(0.5*cos(a) + " << mass
        << "*(cos(a) + 0.5*cos(a + 0.2))) + 3*sin(5*(t + 0.17))\"\n[energy]\nkinetic = \"" << inertia
        << "*a'^2/2\"\n[simulation]\nuntil = 0.43\n";
  const Ran one = run_to_the_end(whole.str());
  ASSERT_EQ(one.status, Status::finished) << one.why;
  EXPECT_NEAR(after.state.position[angle], one.state.position[0], by_closed_form);
  EXPECT_NEAR(after.state.velocity[angle], one.state.velocity[0], by_closed_form);
  EXPECT_NEAR(after.state.position[angle + 3] - after.state.position[angle], 0.2, by_closed_form);
}

TEST(Frictions, of_a_train_that_settles_against_its_stops_let_it_rest) {
  // Every coordinate lies on its stop or on its neighbour.
  const Ran ran = run_to_the_end(
      "[coordinates.q1]\ninitial = 0\nvelocity = 0.15\nforce = \"-0.31*sign(q1' - 0.66)\"\n"
      "[coordinates.q2]\ninitial = 1\nvelocity = -0.7\nforce = \"-7.88*(q2 - 0.04) + 1.71*sign(q3' - q2')\"\n"
      "[coordinates.q3]\ninitial = 2\nvelocity = 1.13\n"
      "force = \"0.99*(mod(0.61*t, 1) - 0.5) - 7.08*(q3 - 0.14) - 1.71*sign(q3' - q2')\"\n"
      "[coordinates.q4]\ninitial = 3\nvelocity = -1.22\nforce = \"-19.29*(q4 - 0.01)\"\n"
      "[energy]\nkinetic = \"1.79/2*q1'^2 + 2.48/2*q2'^2 + 2.51/2*q3'^2 + 2.41/2*q4'^2\"\n"
      "[constraints]\nc1 = {condition = \"q1 >= -0.49\", restitution = 0.5}\n"
      "c2 = {condition = \"q4 >= 2.46\", restitution = 0.5}\nc3 = {condition = \"q2' >= q1'\"}\n"
      "c4 = {condition = \"q3 - q2 >= 0.77\", restitution = 0.5}\n[simulation]\nuntil = 2.5\n",
      100000);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], -0.49, by_closed_form);
  EXPECT_NEAR(ran.state.position[2] - ran.state.position[1], 0.77, by_closed_form);
  EXPECT_NEAR(ran.state.position[3], 2.46, by_closed_form);
  for (const double speed : ran.state.velocity) EXPECT_NEAR(speed, 0, by_closed_form);
}

TEST(Frictions, in_a_heap_do_not_know_left_from_right_nor_the_order_of_the_file) {
  // A box and a triangle on it, which rubs, slide down a slope; when the triangle tilts the corner that held its spin lets go.
  const auto heap = [](double way, bool turned) {
    const auto number = [](double x) { return std::to_string(x); };
    const std::string box = "[bodies.box]\nmass = 0.71\nshape = {box = [0.83, 0.45]}\nposition = [" +
                            number(0.09 * way) + ", 1.3]\norientation = " + number(0.12 * way) + "\nvelocity = [" +
                            number(-0.2 * way) + ", 0]\nspin = " + number(-0.63 * way) + "\n";
    const std::string triangle =
        "[bodies.triangle]\nmass = 1.55\nshape = {polygon = [[-0.49, -0.22], [0.49, -0.22], [0, 0.44]]}\nposition = "
        "[" +
        number(-0.05 * way) + ", 2.6]\norientation = " + number(-0.16 * way) + "\nvelocity = [" + number(0.25 * way) +
        ", 0]\nspin = " + number(0.32 * way) +
        "\nforce = [\"-2.14*sign(triangle.x')\", 0]\ntorque = \"-0.5*sign(triangle.spin)\"\n";
    const std::string slope = ", plane = {normal = [" + number(0.05 * way) + ", 1], offset = 0}, restitution = 0}\n";
    const std::string between = turned ? "\"triangle\", \"box\"" : "\"box\", \"triangle\"";
    return run_to_the_end("gravity = [0, -9.81]\n" + (turned ? triangle + box : box + triangle) +
                              "[contacts]\nbelow = {body = \"box\"" + slope + "beside = {body = \"triangle\"" + slope +
                              "c = {between = [" + between + "], restitution = 0}\n[simulation]\nuntil = 2\n",
                          100000);
  };
  const Ran ran = heap(1, false);
  const Ran mirrored = heap(-1, false);
  const Ran turned = heap(1, true);
  for (const Ran* one : {&ran, &mirrored, &turned}) ASSERT_EQ(one->status, Status::finished) << one->why;
  for (std::size_t i = 0; i < 6; ++i) {
    // y stays, x and the angle change their signs.
    const double sign = i % 3 == 1 ? 1 : -1;
    EXPECT_NEAR(mirrored.state.position[i], sign * ran.state.position[i], 1e-9) << i;
    EXPECT_NEAR(turned.state.position[(i + 3) % 6], ran.state.position[i], 1e-9) << i;
  }
}

TEST(Frictions, that_a_contact_makes_one_hold_as_one) {
  // Blocks that strike each other until they stay together, a third one rubs on both; gears and a stop, and three surfaces that they make one.
  const std::vector<std::string> models = {
      "[coordinates.x3]\n"
      "initial=-0.59\n"
      "velocity=0.66\n"
      "force=\"-1.28*x3+0.26*sin(1.7*t)-0.57*SIGN((x3'-x1'))-0.7*SIGN((x3'-x0'))\"\n"
      "[coordinates.x1]\n"
      "initial=0.27\n"
      "velocity=-0.31\n"
      "force=\"-1.16*x1+0.95*sin(1.27*t)-0.57*-1*SIGN((x3'-x1'))\"\n"
      "[coordinates.x0]\n"
      "initial=-0.4\n"
      "velocity=-0.23\n"
      "force=\"-0.38*x0+0.98*sin(1.01*t)-0.12*SIGN((x0'+2*x2'-0.3))-0.7*-1*SIGN((x3'-x0'))\"\n"
      "[coordinates.x2]\n"
      "initial=0.96\n"
      "velocity=-0.84\n"
      "force=\"-1.82*x2+0.7*sin(0.71*t)-0.12*(2)*SIGN((x0'+2*x2'-0.3))\"\n"
      "[energy]\n"
      "kinetic=\"2*x0'^2/2+1*x1'^2/2+1*x2'^2/2+2*x3'^2/2\"\n"
      "[constraints]\n"
      "c0={condition=\"x0-x1<=-0.47\",restitution=0.5}\n",
      "[coordinates.x0]\n"
      "initial=-0.44\n"
      "velocity=-0.43\n"
      "force=\"-1.29*x0+0.89*sin(1.13*t)-0.36*SIGN((x0'-x2'))-0.4*(2)*SIGN((x1'+2*x0'))-1.95*(x0-x2)\"\n"
      "[coordinates.x1]\n"
      "initial=0.24\n"
      "velocity=-0.98\n"
      "force=\"-2.61*x1+0.0*sin(1.31*t)-0.4*SIGN((x1'+2*x0'))-0.36*SIGN((x1'-x2'))\"\n"
      "[coordinates.x2]\n"
      "initial=0.02\n"
      "velocity=0.58\n"
      "force=\"-1.25*x2+0.2*sin(1.66*t)-0.36*-1*SIGN((x0'-x2'))-0.36*-1*SIGN((x1'-x2'))-1.95*(x2-x0)\"\n"
      "[energy]\n"
      "kinetic=\"2*x0'^2/2+1*x1'^2/2+1*x2'^2/2\"\n"
      "[constraints]\n"
      "c0=\"x1'+2*x2'=0\"\n"
      "c1={condition=\"x0-x2<=-0.26\",restitution=0}\n",
      "[coordinates.x0]\n"
      "initial=0.38\n"
      "velocity=0.46\n"
      "force=\"-2.4*x0+0.47*sin(1.65*t)-2.54*(x0-x2)\"\n"
      "[coordinates.x3]\n"
      "initial=0.04\n"
      "velocity=-0.36\n"
      "force=\"-1.35*x3+0.37*sin(1.21*t)\"\n"
      "[coordinates.x1]\n"
      "initial=0.24\n"
      "velocity=0.52\n"
      "force=\"-1.94*x1+1.0*sin(1.0*t)-0.35*(2)*SIGN((x2'+2*x1'))-0.7*SIGN((x1'-x2'))\"\n"
      "[coordinates.x2]\n"
      "initial=-0.52\n"
      "velocity=-0.89\n"
      "force=\"-1.68*x2+0.43*sin(1.83*t)-0.35*SIGN((x2'+2*x1'))-0.7*-1*SIGN((x1'-x2'))-0.25*SIGN((x2'))-2.54*(x2-x0)"
      "\"\n"
      "[energy]\n"
      "kinetic=\"1*x0'^2/2+1*x1'^2/2+1*x2'^2/2+2*x3'^2/2\"\n"
      "[constraints]\n"
      "c0=\"x2'+2*x1'=0\"\n"
      "c1=\"x0'-x2'<=1\"\n",
      "[coordinates.x3]\n"
      "initial=-0.02\n"
      "velocity=0.55\n"
      "force=\"-0.25*x3+0.14*sin(1.42*t)-0.49*SIGN((x3'-x0'))\"\n"
      "[coordinates.x2]\n"
      "initial=-0.67\n"
      "velocity=-0.53\n"
      "force=\"-1.71*x2+0.07*sin(0.94*t)-0.71*(2)*SIGN((x1'+2*x2'))-0.77*SIGN((x2'-x0'))-1.42*(x2-x1)\"\n"
      "[coordinates.x1]\n"
      "initial=0.06\n"
      "velocity=0.47\n"
      "force=\"-1.76*x1+0.42*sin(1.09*t)-0.71*SIGN((x1'+2*x2'))-1.42*(x1-x2)\"\n"
      "[coordinates.x0]\n"
      "initial=0.38\n"
      "velocity=-0.84\n"
      "force=\"-0.61*x0+0.62*sin(1.03*t)-0.49*-1*SIGN((x3'-x0'))-0.77*-1*SIGN((x2'-x0'))\"\n"
      "[energy]\n"
      "kinetic=\"2*x0'^2/2+2*x1'^2/2+1*x2'^2/2+2*x3'^2/2\"\n"
      "[constraints]\n"
      "c0=\"x0'+2*x3'=0\"\n"
      "c1=\"x3'+2*x0'=0\"\n",
      // Held against a wall by itself, until load and both frictions leave it.
      "[coordinates.x0]\n"
      "initial=0.55\n"
      "velocity=0.82\n"
      "force=\"-0.73*x0+0.84*sin(1.85*t)-0.8*SIGN((x0'-x1'))-0.47*SIGN((x0'))\"\n"
      "[coordinates.x1]\n"
      "initial=-0.54\n"
      "velocity=-0.43\n"
      "force=\"-1.38*x1+0.93*sin(1.45*t)-0.16*-1*SIGN((x2'-x1'))-0.8*-1*SIGN((x0'-x1'))\"\n"
      "[coordinates.x2]\n"
      "initial=-0.74\n"
      "velocity=-0.11\n"
      "force=\"-2.34*x2+0.7*sin(0.58*t)-0.16*SIGN((x2'-x1'))\"\n"
      "[energy]\n"
      "kinetic=\"2*x0'^2/2+2*x1'^2/2+2*x2'^2/2\"\n"
      "[constraints]\n"
      "c0=\"x0'+2*x1'=0\"\n"
      "c1={condition=\"x0<=0.85\",restitution=0}\n"};
  for (const std::string& model : models) expect_as_with_tanh(model);
}

TEST(Frictions, a_block_carried_by_a_belt_that_swings_passes_the_bend_of_its_drag) {
  // The belt carries it as long as friction has more than its acceleration and the drag, which bends at rest without a jump: q = 0.5 sin t.
  for (const char* drag : {"abs(q')*q'", "max(q', 0)"}) {
    const Ran ran =
        run_to_the_end(std::string("[coordinates.q]\ninitial = 0\nvelocity = 0.5\nforce = \"-0.67*") + drag +
                       " - 1.73*sign(q' - 0.5*cos(t))\"\n[energy]\nkinetic = \"q'^2/2\"\n[simulation]\nuntil = 12\n");
    ASSERT_EQ(ran.status, Status::finished) << drag << ran.why;
    EXPECT_EQ(kinds_of(ran), (Kinds{"switch", "switch", "switch", "switch"})) << drag;
    EXPECT_NEAR(ran.state.position[0], 0.5 * std::sin(12.0), by_closed_form);
  }
  // The same as a flow: on the surface x = 0.5 sin t, while y asks for x above 0.3 alone, which the flow passes several times.
  const Ran flow = run_to_the_end(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[flow]\nx = \"-2*sign(x - 0.5*sin(t))\"\n"
      "y = \"max(x - 0.3, 0)\"\n[simulation]\nuntil = 3\n");
  ASSERT_EQ(flow.status, Status::finished) << flow.why;
  const double from = std::asin(0.6);
  EXPECT_NEAR(flow.state.position[0], 0.5 * std::sin(3.0), by_closed_form);
  EXPECT_NEAR(flow.state.position[1], std::cos(from) - 0.3 * (std::numbers::pi - 2 * from), by_closed_form);
}

TEST(Frictions, a_relay_whose_table_bends_where_it_switches_holds_what_it_holds) {
  // At x = 0 the relay has 1.2 to each side, the table -0.14 and a node: the flow comes there and stays.
  const Ran ran = run_to_the_end(
      "[coordinates.x]\ninitial = 0.43\n[flow]\nx = \"-0.08*x - 1.23*sign(0.29*x) + table(x, [-0.5, 0, 0.5], [0.38, "
      "-0.14, 0.92])\"\n"
      "[simulation]\nuntil = 3\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 0, by_closed_form);
  // x' = -1.37 + 2.04 x until then.
  ASSERT_EQ(kinds_of(ran), Kinds{"stick"});
  EXPECT_NEAR(ran.events[0].time, -std::log(1 - 2.04 * 0.43 / 1.37) / 2.04, by_closed_form);
}

TEST(Frictions, what_rests_on_a_spring_does_not_stir_where_another_strikes) {
  // The spring pulls less than friction holds when its other end meets a wall; nothing slips there, and what is joined to nothing flies on.
  const Ran ran = run_to_the_end(
      "[points.a]\nmass = 0.64\nposition = [0, 0.12]\nvelocity = [0.5, 0.86]\n[points.b]\nmass = 0.97\n"
      "position = [1, 0.02]\nforce = \"-1.79*b'/norm(b')\"\n[springs]\ns = { between = [\"b\", \"a\"], length = 1, "
      "stiffness = 18.23 }\n[constraints]\nwall = \"a.x <= 0.2\"\n[simulation]\nuntil = 0.714\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds_of(ran), Kinds{"impact"});
  EXPECT_EQ(ran.state.position[2], 1);
  EXPECT_EQ(ran.state.position[3], 0.02);
  EXPECT_EQ(ran.state.velocity[2], 0);
}

}  // namespace zwang::motion
