/// What happens at one instant: everything that touches touches at once, in no order, and is listed by kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::settle_tests {

namespace {

struct Settled {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
  EnergyBalance energy;
};

Settled settled(const std::string& text) {
  const model::Model model = model::load(text, "settle.toml");
  Motion motion = begin(model);
  Settled out;
  out.events = motion.events;
  while (advance(motion)) out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.energy = motion.energy;
  return out;
}

std::string kinds(const Settled& one) {
  std::string out;
  for (const Event& event : one.events) out += (out.empty() ? "" : ", ") + std::string(words(event.kind));
  return out;
}

constexpr double close_to = 1e-11;  ///< some steps at the tolerance of 1e-12, of numbers of order one

}  // namespace

TEST(Settle, what_touches_at_one_time_is_one_instant) {
  // Three balls fall side by side from one height, each onto its own stretch of ground.
  const Settled one = settled(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 1]\n[points.b]\nmass = 2\nposition = [3, 1]\n"
      "[points.c]\nmass = 4\nposition = [6, 1]\n[constraints]\nga = \"a.y >= 0\"\n"
      "gb = { condition = \"b.y >= 0\", restitution = 0.5 }\ngc = { condition = \"c.y >= 0\", restitution = 1 }\n"
      "[simulation]\nuntil = 0.6\n");
  ASSERT_EQ(kinds(one), "impact") << one.why;
  const Event& event = one.events[0];
  EXPECT_EQ(event.rows, std::vector<std::uint32_t>({0, 1, 2}));
  const double speed = std::sqrt(20.0);
  EXPECT_NEAR(event.time, speed / 10, close_to);
  EXPECT_NEAR(event.velocity[1], 0, close_to);
  EXPECT_NEAR(event.velocity[3], 0.5 * speed, close_to);
  EXPECT_NEAR(event.velocity[5], speed, close_to);
  ASSERT_EQ(event.impulses.size(), 3U);
  EXPECT_NEAR(event.impulses[0].second, speed, close_to);
  EXPECT_NEAR(event.impulses[1].second, 2 * 1.5 * speed, close_to);
  EXPECT_NEAR(event.impulses[2].second, 4 * 2 * speed, close_to);
  // m v^2 / 2 of the first, three quarters of that of the second, nothing of the third.
  EXPECT_NEAR(event.lost, 10 + 0.75 * 20, 50 * close_to);
}

TEST(Settle, the_order_in_which_conditions_are_written_plays_no_part) {
  // A ball falls into a corner of two walls and a floor, and all three are met at once.
  std::vector<std::string> lines = {"floor = { condition = \"a.z >= 0\", restitution = 0.5 }\n",
                                    "left = { condition = \"a.x >= 0\", restitution = 0.5 }\n",
                                    "right = { condition = \"a.y >= 0\", restitution = 0.5 }\n"};
  std::sort(lines.begin(), lines.end());
  std::vector<double> position;
  std::vector<double> velocity;
  do {
    std::string text =
        "gravity = [0, 0, -10]\n[points.a]\nmass = 2\nposition = [0.5, 0.25, 1.75]\nvelocity = [-1, -0.5, -1]\n"
        "[constraints]\n";
    for (const std::string& line : lines) text += line;
    const Settled one = settled(text + "[simulation]\nuntil = 0.9\n");
    ASSERT_EQ(one.status, Status::finished) << one.why;
    ASSERT_EQ(kinds(one), "impact");
    EXPECT_EQ(one.events[0].rows.size(), 3U);
    EXPECT_NEAR(one.events[0].time, 0.5, close_to);
    if (position.empty()) {
      position = one.state.position;
      velocity = one.state.velocity;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(one.state.position[i], position[i], close_to);
      EXPECT_NEAR(one.state.velocity[i], velocity[i], close_to);
    }
  } while (std::next_permutation(lines.begin(), lines.end()));
  EXPECT_NEAR(velocity[0], 0.5, close_to);
  EXPECT_NEAR(velocity[1], 0.25, close_to);
  EXPECT_NEAR(velocity[2], 3 - 10 * 0.4, close_to);
}

TEST(Settle, entries_of_one_instant_stand_in_the_order_of_their_kinds_and_the_first_has_the_loss) {
  // A blow drives the ball into the wall that it leans on, and a seizure takes hold of another one.
  const Settled one = settled(
      "[points.a]\nmass = 2\nposition = [0, 0]\n[points.b]\nmass = 1\nposition = [5, 0]\nvelocity = [0, 3]\n"
      "[constraints]\nwall = \"a.x >= 0\"\n[[impulses]]\nat = 1\non = \"a\"\nvalue = [-4, 2]\n"
      "[[seizures]]\nname = \"hook\"\nat = 1\ncondition = \"b' = [0, 0]\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  ASSERT_EQ(kinds(one), "blow, seizure");
  EXPECT_EQ(one.events[0].time, 1);
  EXPECT_EQ(one.events[1].time, 1);
  // 4^2 / (2 * 2) in the wall, 3^2 / 2 in the hook; the blow did 5.
  EXPECT_NEAR(one.events[0].lost, 4 + 4.5, close_to);
  EXPECT_EQ(one.events[1].lost, 0);
  EXPECT_NEAR(one.energy.work, 5, close_to);
  EXPECT_NEAR(one.state.velocity[1], 1, close_to);
  EXPECT_NEAR(one.state.velocity[3], 0, close_to);
}

TEST(Settle, what_is_touched_at_the_top_of_a_throw_is_grazed) {
  const Settled one = settled(
      "gravity = [0, -8]\n[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 4]\n[constraints]\n"
      "ceiling = \"a.y <= 1\"\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  ASSERT_EQ(kinds(one), "graze");
  EXPECT_NEAR(one.events[0].time, 0.5, 1e-6);  // where a square is below rounding
  EXPECT_EQ(one.events[0].lost, 0);
  EXPECT_NEAR(one.state.position[1], 0, close_to);
  EXPECT_NEAR(one.state.velocity[1], -4, close_to);
}

TEST(Settle, a_load_that_falls_to_zero_lets_go_and_one_that_grows_again_lands) {
  // The weight of a block, 1, and a pull of 2 t until t = 1, then none: it leaves at t = 1/2 and comes down again.
  const Settled one = settled(
      "[points.a]\nmass = 1\nposition = [0, 0]\nforce = [0, \"if(t < 1, 2*t, 0) - 1\"]\n[constraints]\n"
      "floor = \"a.y >= 0\"\n[simulation]\nuntil = 4\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  std::vector<Event> listed;
  std::copy_if(one.events.begin(), one.events.end(), std::back_inserter(listed),
               [](const Event& event) { return event.kind == EventKind::release || event.kind == EventKind::impact; });
  ASSERT_EQ(listed.size(), 2U) << kinds(one);
  EXPECT_EQ(listed[0].kind, EventKind::release);
  EXPECT_NEAR(listed[0].time, 0.5, close_to);
  // y = (t - 1/2)^3 / 3 up to t = 1, so y = 1/24 and y' = 1/4 there; then a throw.
  const double rest = 0.25 + std::sqrt(0.0625 + 2.0 / 24);
  EXPECT_EQ(listed[1].kind, EventKind::impact);
  EXPECT_NEAR(listed[1].time, 1 + rest, close_to);
  EXPECT_NEAR(listed[1].lost, 0.5 * (rest - 0.25) * (rest - 0.25), close_to);
  EXPECT_NEAR(one.state.velocity[1], 0, close_to);
}

TEST(Settle, rebounds_without_end_have_their_limit_listed_and_all_their_energy_counted) {
  const Settled one = settled(
      "gravity = [0, -10]\n[points.a]\nmass = 3\nposition = [0, 0.2]\n[constraints]\n"
      "floor = { condition = \"a.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  const auto limit = std::find_if(one.events.begin(), one.events.end(),
                                  [](const Event& event) { return event.kind == EventKind::accumulation; });
  ASSERT_NE(limit, one.events.end()) << kinds(one);
  // sqrt(2 h / g) (1 + e) / (1 - e)
  EXPECT_NEAR(limit->time, 0.2 * 3, close_to);
  EXPECT_EQ(limit->rows, std::vector<std::uint32_t>({0}));
  EXPECT_NEAR(one.energy.lost, 3 * 10 * 0.2, close_to);
  EXPECT_EQ(one.state.velocity[1], 0);
  EXPECT_TRUE(std::none_of(limit + 1, one.events.end(), [](const Event& e) { return e.kind == EventKind::impact; }));
}

TEST(Settle, what_becomes_true_at_a_touch_lets_go_before_the_shock) {
  // A trap door that opens when it is touched: said by the place, and by the time of it.
  const std::string door =
      "gravity = [0, -10]\n[points.b]\nmass = 1\nposition = [0, 1]\n[constraints]\n"
      "f = { condition = \"b.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = 1\n[[releases]]\nconstraint = "
      "\"f\"\n";
  for (const std::string& when : {std::string("when = \"b.y <= 0\"\n"), std::string("at = \"sqrt(1/5)\"\n")}) {
    const Settled one = settled(door + when);
    ASSERT_EQ(one.status, Status::finished) << one.why;
    EXPECT_EQ(kinds(one), "let go") << when;
    EXPECT_NEAR(one.state.position[1], -4, close_to);
  }
  // Below the floor it never is: that lets nothing go.
  const Settled never_below = settled(door + "when = \"b.y < 0\"\n");
  EXPECT_EQ(kinds(never_below).substr(0, 6), "impact");
  EXPECT_EQ(kinds(never_below).find("let go"), std::string::npos);
}

TEST(Settle, limits_of_impacts_close_the_account_where_the_kinetic_energy_has_a_linear_part) {
  // Heights above a shaken table: T = (y' + 0.3 cos 3t)^2 / 2.
  const Settled one = settled(
      "[coordinates.y]\ninitial = 0.5\n[energy]\nkinetic = \"(y' + 0.3*cos(3*t))^2/2\"\n"
      "potential = \"10*(y + 0.1*sin(3*t))\"\n[constraints]\nf = { condition = \"y >= 0\", restitution = 0.5 }\n"
      "[simulation]\nuntil = 3\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  EXPECT_NE(kinds(one).find("accumulation"), std::string::npos);
  EXPECT_NEAR(one.energy.defect(), 0, 1e-12);
}

namespace {

/// Three beads on a line, the outer ones come in with speed 1 and the left one arrives first, by `sooner`.
Settled beads_meet(const std::string& outer, const std::string& e, const std::string& sooner) {
  const auto bead = [](const std::string& name, const std::string& mass, const std::string& x, const std::string& v) {
    return "[points." + name + "]\nmass = " + mass + "\nposition = [\"" + x + "\", 0]\nvelocity = [" + v + ", 0]\n";
  };
  return settled(bead("a", outer, "8.5", "1") + bead("b", "1", "10", "0") + bead("c", outer, "11.5 + " + sooner, "-1") +
                 "[constraints]\nab = { condition = \"b.x - a.x >= 1\", restitution = " + e +
                 " }\nbc = { condition = \"c.x - b.x >= 1\", restitution = " + e + " }\n[simulation]\nuntil = 1\n");
}

}  // namespace

// Masses 4, 1, 4 with e = 1/2 part after six strikes, whose velocities follow from one another without any gap: -0.14948, 0.081216, 0.129176. That gaps shrink quickly beside the
// flight before the first strike says nothing about the strikes that follow.
TEST(Settle, a_bead_that_is_struck_six_times_between_two_others_does_not_come_to_rest_there) {
  for (const std::string sooner : {"1e-6", "1e-7", "1e-8", "1e-9"}) {
    const Settled ran = beads_meet("4", "0.5", sooner);
    EXPECT_EQ(ran.status, Status::finished) << ran.why;
    EXPECT_EQ(kinds(ran), "impact, impact, impact, impact, impact, impact") << sooner;
    EXPECT_NEAR(ran.state.velocity[0], -0.14948, close_to) << sooner;
    EXPECT_NEAR(ran.state.velocity[2], 0.081216, close_to) << sooner;
    EXPECT_NEAR(ran.state.velocity[4], 0.129176, close_to) << sooner;
  }
}

// A light bead between heavy ones is struck infinitely often, and all of them stop: the momentum is zero.
TEST(Settle, a_light_bead_between_heavy_ones_stops_them_however_little_they_arrive_one_after_the_other) {
  for (const std::string sooner : {"1e-3", "1e-6", "1e-9", "1e-10", "1e-11", "1e-12"}) {
    const Settled ran = beads_meet("1000", "0.1", sooner);
    EXPECT_EQ(ran.status, Status::finished) << ran.why;
    for (const std::size_t x : {0U, 2U, 4U}) EXPECT_NEAR(ran.state.velocity[x], 0, close_to) << sooner;
  }
}

// Galileo's pendulum: a peg at depth h below the pivot takes the string over where it hangs down, and gives it back there. Behind the peg the bob rises to
// the height it came from.
TEST(Settle, a_peg_that_takes_a_string_over_is_a_contact_and_no_graze) {
  const Settled ran = settled(
      "gravity = [0, -9.81]\n[points.b]\nmass = 1\nposition = [\"-sin(0.8)\", \"-cos(0.8)\"]\n[constraints]\n"
      "string = \"norm(b) <= 1\"\npeg = \"b.x <= 0 or 0.6 + distance(b, [0, -0.6]) <= 1\"\n"
      "[simulation]\nuntil = 2\n");
  EXPECT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_EQ(kinds(ran), "release, contact, release, contact");
  ASSERT_EQ(ran.events.size(), 4U);
  for (const Event& event : ran.events) EXPECT_NEAR(event.position[0], 0, close_to);
  const double speed = std::hypot(ran.state.velocity[0], ran.state.velocity[1]);
  EXPECT_NEAR(speed * speed / 2 + 9.81 * ran.state.position[1], -9.81 * std::cos(0.8), close_to);
}

}  // namespace zwang::motion::settle_tests
