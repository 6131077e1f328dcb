/// Comparisons whose sides have roots that come to zero, or poles: each is known in closed form.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::comparisons_tests {
namespace {

constexpr double close_by = 1e-11;  ///< a few thousand roundings of numbers of size 1 to 10

struct Ending {
  Status status = Status::going;
  double time = 0;
  std::string why;
  std::vector<double> position, velocity;
  std::vector<double> let_go;  ///< instants
};

Ending ending(const std::string& text) {
  const model::Model model = model::compile(model::read(text, "comparison.toml"));
  Motion motion = begin(model);
  Ending out;
  do {
    for (const Event& event : motion.events) {
      if (event.kind == EventKind::let_go) out.let_go.push_back(event.time);
    }
  } while (advance(motion));
  out.status = motion.status;
  out.time = motion.state.time;
  out.why = motion.why;
  out.position = motion.state.position;
  out.velocity = motion.state.velocity;
  return out;
}

/// x runs from 0.1 with speed 1.
Ending straight(const std::string& stop) {
  return ending(
      "[coordinates.x]\ninitial = 0.1\nvelocity = 1\n[energy]\nkinetic = \"x'^2/2\"\n[simulation]\nuntil = 6\nstop = "
      "\"" +
      stop + "\"\n");
}

/// p runs round the circle of radius 1 from the angle `phi` with speed `v`.
std::string ring(double phi, double v) {
  const auto number = [](double x) { return std::to_string(x); };
  return "[points.p]\nmass = 1\nposition = [\"cos(" + number(phi) + ")\", \"sin(" + number(phi) +
         ")\"]\nvelocity = [\"-" + number(v) + "*sin(" + number(phi) + ")\", \"" + number(v) + "*cos(" + number(phi) +
         ")\"]\n[constraints]\nring = \"distance(p, [0, 0]) = 1\"\n";
}

TEST(Comparisons, with_roots_that_come_to_zero_come_true_in_time) {
  const std::vector<std::pair<std::string, double>> known = {{"sqrt(x - 0.1) >= 1", 1.0},
                                                             {"(x - 0.1)^1.5 >= 1", 1.0},
                                                             {"sqrt(abs(x - 2)) <= 0.3", 1.81},
                                                             {"sqrt(abs(x - 2)) >= 1.5", 4.15},
                                                             {"acos(1.1 - x) >= 1", 1 - std::cos(1.0)},
                                                             {"asin(x - 1.1) >= 0.5", 1 + std::sin(0.5)},
                                                             {"abs(x - 2)^0.5 >= 1.7", 4.79}};
  for (const auto& [stop, time] : known) {
    const Ending found = straight(stop);
    EXPECT_EQ(found.status, Status::stopped) << stop << ": " << found.why;
    EXPECT_NEAR(found.time, time, close_by) << stop;
  }
}

TEST(Comparisons, of_angles_by_their_cosine_come_true_from_and_through_its_branch_point) {
  for (const double phi : {0.0, -0.25, -0.7, -1.3}) {
    for (const double v : {0.5, 1.0, 2.75}) {
      for (const double angle : {1.4, 2.2}) {
        const double time = (angle - phi) / v;
        const std::string comparison = "acos(p.x) >= " + std::to_string(angle);
        const std::string until = "until = " + std::to_string(time + 0.5) + "\n";
        const Ending stopped = ending(ring(phi, v) + "[simulation]\n" + until + "stop = \"" + comparison + "\"\n");
        EXPECT_EQ(stopped.status, Status::stopped) << phi << " " << v << " " << comparison << ": " << stopped.why;
        EXPECT_NEAR(stopped.time, time, close_by) << phi << " " << v << " " << comparison;
        // Let go, the point flies on; what has let go is not watched any more, though the cosine grows beyond one.
        const Ending flown = ending(ring(phi, v) + "[[releases]]\nconstraint = \"ring\"\nwhen = \"" + comparison +
                                    "\"\n[simulation]\n" + until);
        EXPECT_EQ(flown.status, Status::finished) << flown.why;
        ASSERT_EQ(flown.let_go.size(), 1U) << phi << " " << v << " " << comparison;
        EXPECT_NEAR(flown.let_go[0], time, close_by);
      }
    }
  }
}

TEST(Comparisons, with_poles_come_true_on_their_other_side) {
  const double pi = std::acos(-1.0);
  const std::vector<std::pair<std::string, double>> known = {
      {"tan(x) <= -1", pi / 2 - 0.1},    {"1/(x - 2) >= 0", 1.9},     {"1/(x - 2) >= 3", 1.9},
      {"x/(x - 2) >= 4", 1.9},           {"1/(x - 2)^2 >= 100", 1.8}, {"1/(x - 2)^3 >= 5", 1.9},
      {"1/(x - 2) >= 0 or x >= 5", 1.9}, {"1/(1 - 1/x) >= 7", 0.9}};
  for (const auto& [stop, time] : known) {
    const Ending found = straight(stop);
    EXPECT_EQ(found.status, Status::stopped) << stop << ": " << found.why;
    EXPECT_NEAR(found.time, time, close_by) << stop;
  }
  // The slope of a direction.
  const Ending slope = ending(ring(0.3, 1) + "[simulation]\nuntil = 7\nstop = \"p.y/p.x <= -1\"\n");
  EXPECT_EQ(slope.status, Status::stopped);
  EXPECT_NEAR(slope.time, pi / 2 - 0.3, close_by);
}

TEST(Comparisons, in_forces_switch_at_a_pole) {
  // Until x = 0 the force is that of the left side, then that of the right one: y = -1/2 - 1 + 1/2, 1/2, 1/2.
  const std::vector<std::pair<std::string, double>> known = {{"sign(1/p.x)", -1.0},
                                                             {"step(1/p.x)", 0.5},
                                                             {"if(1/p.x >= 0.5, 1, 0)", 0.5},
                                                             {"sign(1/p.x^2)", 2.0},
                                                             {"if(1/(t - 1) >= 0, 1, 0)", 0.5}};
  for (const auto& [force, y] : known) {
    const Ending found = ending("[points.p]\nmass = 1\nposition = [-1, 0]\nvelocity = [1, 0]\nforce = [0, \"" + force +
                                "\"]\n[simulation]\nuntil = 2\n");
    EXPECT_EQ(found.status, Status::finished) << force << ": " << found.why;
    EXPECT_NEAR(found.position[1], y, close_by) << force;
  }
  // What is itself infinite in between is not followed, and that is said.
  const Ending clipped = ending(
      "[points.p]\nmass = 1\nposition = [-1, 0]\nvelocity = [1, 0]\nforce = [0, \"max(min(1/p.x, 2), "
      "-2)\"]\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(clipped.status, Status::gave_up);
}

TEST(Comparisons, do_not_hold_at_a_pole) {
  // x = t from its pole on: what is true right behind it is true at once, and nothing because of the pole itself.
  const auto from_pole = [](const std::string& condition, double speed) {
    const std::string text = "[coordinates.x]\ninitial = 0\nvelocity = " + std::to_string(speed) +
                             "\n[coordinates.y]\ninitial = 0\nvelocity = 1\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n";
    const std::string ends = "[simulation]\nuntil = 6\n";
    const Ending stopped = ending(text + ends + "stop = \"" + condition + "\"\n");
    EXPECT_NE(stopped.status, Status::gave_up) << condition << stopped.why;
    const Ending released =
        ending(text + "[constraints]\nhold = \"y = t\"\n[[releases]]\nconstraint = \"hold\"\nwhen = \"" + condition +
               "\"\n" + ends);
    const bool comes = stopped.status == Status::stopped;
    EXPECT_EQ(released.let_go.size(), comes ? 1U : 0U) << condition;
    if (comes && !released.let_go.empty()) {
      EXPECT_NEAR(released.let_go[0], stopped.time, close_by) << condition;
    }
    return comes ? stopped.time : -1;
  };
  const std::vector<std::pair<std::string, double>> known = {{"1/x <= 0.2", 5},
                                                             {"-1/x >= -0.2", 5},
                                                             {"1/x < 0.2", 5},
                                                             {"1/x >= 3", 0},
                                                             {"1/x <= -1", -1},
                                                             {"1/x^3 <= 8", 0.5},
                                                             {"1/x <= 0.2 and y >= 5.5", 5.5},
                                                             {"(x - 2)/x >= 0", 2},
                                                             {"1/(x*y) <= -3", -1}};
  for (const auto& [condition, time] : known) EXPECT_NEAR(from_pole(condition, 1), time, close_by) << condition;
  // The other way it is true behind the pole, and at rest on it never.
  EXPECT_NEAR(from_pole("1/x <= 0.2", -1), 0, close_by);
  EXPECT_NEAR(from_pole("1/x <= 0.2", 0), -1, close_by);
  // Two poles at one place, passed at t = 1: there is a side neither before nor behind on which it holds.
  const Ending both = ending(
      "[coordinates.x]\ninitial = -1\nvelocity = 1\n[coordinates.y]\ninitial = -2\nvelocity = 2\n[energy]\nkinetic = "
      "\"(x'^2 + y'^2)/2\"\n[simulation]\nuntil = 3\nstop = \"1/(x*y) <= -3\"\n");
  EXPECT_EQ(both.status, Status::finished) << both.time;
  // And in a force: braked from x = 1 to x = 4/3, v^2 = 1/3 there.
  const Ending braked = ending(
      "[coordinates.x]\ninitial = 1\nvelocity = 1\nforce = \"if(1/(x - 1) >= 3, -1, 0)\"\n[energy]\nkinetic = "
      "\"x'^2/2\"\n[simulation]\nuntil = 3\n");
  EXPECT_EQ(braked.status, Status::finished) << braked.why;
  const double v = std::sqrt(1.0 / 3);
  EXPECT_NEAR(braked.velocity[0], v, close_by);
  EXPECT_NEAR(braked.position[0], 4.0 / 3 + v * (3 - (1 - v)), close_by);
}

TEST(Comparisons, that_are_but_touched_let_go_as_they_stop) {
  // A throw whose top is exactly 1.25 at t = 1/2.
  const std::string thrown =
      "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 5]\nforce = [0, -10]\n[points.q]\nmass = 1\n"
      "position = [3, 3]\nforce = [1, 0]\n[constraints]\nhold = \"q = [3, 3]\"\n";
  const std::string ends = "[simulation]\nuntil = 2\n";
  for (const char* when : {"p.y >= 1.25", "p.y >= 1.25 and p.x < 0.75", "(p.x - 0.5)^2 <= 0", "-p.y <= -1.25"}) {
    const Ending stopped = ending(thrown + ends + "stop = \"" + when + "\"\n");
    EXPECT_EQ(stopped.status, Status::stopped) << when << ": " << stopped.why;
    EXPECT_NEAR(stopped.time, 0.5, 1e-7) << when;
    const Ending found = ending(thrown + "[[releases]]\nconstraint = \"hold\"\nwhen = \"" + when + "\"\n" + ends);
    EXPECT_EQ(found.status, Status::finished) << when << ": " << found.why;
    ASSERT_EQ(found.let_go.size(), 1U) << when;
    // Where a top lies is known to a root of rounding.
    EXPECT_NEAR(found.let_go[0], 0.5, 1e-7) << when;
    EXPECT_NEAR(found.position[2], 3 + 0.5 * 1.5 * 1.5, 1e-6) << when;
  }
  for (const char* never_true : {"p.y > 1.25", "p.y >= 1.2500001"}) {
    const Ending found = ending(thrown + "[[releases]]\nconstraint = \"hold\"\nwhen = \"" + never_true + "\"\n" + ends);
    EXPECT_EQ(found.status, Status::finished) << never_true << ": " << found.why;
    EXPECT_TRUE(found.let_go.empty()) << never_true;
  }
}

TEST(Comparisons, are_asked_at_both_ends_of_the_shortest_step_over_a_pole_or_root) {
  // x = 0.1 + t, poles and zeros at x = 2.
  const std::vector<std::pair<std::string, double>> known = {{"atan(1/(x - 2)) >= 0.3", 1.9},
                                                             {"atan(1/(x - 2)) >= 1.5", 1.9},
                                                             {"clip(1/(x - 2), -1, 1) >= 0.5", 1.9},
                                                             {"tanh(1/(x - 2)) >= 0.5 and x > 0", 1.9},
                                                             {"sqrt((x - 2)^2) <= 0", 1.9}};
  for (const auto& [stop, time] : known) {
    const Ending found = straight(stop);
    EXPECT_EQ(found.status, Status::stopped) << stop << ": " << found.why;
    EXPECT_NEAR(found.time, time, close_by) << stop;
  }
  const Ending through = ending(
      "[points.p]\nmass = 1\nposition = [-1.5, -2]\nvelocity = [0.75, 1]\n[simulation]\nuntil = 3\n"
      "stop = \"norm(p) <= 0\"\n");
  EXPECT_EQ(through.status, Status::stopped) << through.why;
  EXPECT_NEAR(through.time, 2, close_by);
  const Ending one_of_two = ending(
      "[points.p]\nmass = 1\nposition = [-1.5, -2]\nvelocity = [0.75, 1]\n[simulation]\nuntil = 3\n"
      "stop = \"norm(p) <= 0 and t > 1\"\n");
  EXPECT_EQ(one_of_two.status, Status::stopped) << one_of_two.why;
  EXPECT_NEAR(one_of_two.time, 2, close_by);
  const Ending never_true = straight("atan(1/(x - 2)) >= 1.6");
  EXPECT_EQ(never_true.status, Status::finished) << never_true.why;
  EXPECT_NEAR(never_true.position[0], 6.1, close_by);
}

}  // namespace
TEST(Comparisons, about_what_a_condition_keeps_never_turn) {
  // Dropped on a floor, on a string, on a rod, against a clutch: what no admissible state makes true does not come true.
  const std::string dropped = "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [0, 1]\nFORCE";
  const std::string slung = "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [0.3, 0]\nFORCE";
  const std::string hung = "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [\"sin(1)\", \"-cos(1)\"]\nFORCE";
  const std::string driven = "[points.p]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\nforce = [-1, 0]\nFORCE";
  struct Case {
    std::string start;
    const char* condition;
    const char* never;
    const char* always;
  };
  const std::vector<Case> cases{{dropped, "p.y >= 0", "p.y < 0", "3*p.y >= 0"},
                                {dropped, "0 <= 2*p.y", "-p.y > 0", "0 <= p.y"},
                                {slung, "distance(p, [0, 0]) <= 1", "distance(p, [0, 0]) > 1", "norm(p) <= 1"},
                                {hung, "distance(p, [0, 0]) = 1", "distance(p, [0, 0]) > 1", "norm(p) <= 1"},
                                {hung, "distance(p, [0, 0]) = 1", "distance(p, [0, 0]) < 1", "norm(p) >= 1"},
                                {driven, "p.x' >= 0", "p.x' < 0", "2*p.x' >= 0"}};
  const std::string ends = "[simulation]\nuntil = 3\n";
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.condition) + ", " + one.never);
    const auto model = [&](const std::string& force, const std::string& more) {
      std::string text = one.start;
      text.replace(text.find("FORCE"), 5, force);
      return text + "[constraints]\nkept = \"" + one.condition + "\"\n" + more;
    };
    const Ending plain = ending(model("", ends));
    EXPECT_EQ(plain.status, Status::finished);
    for (const std::string& text :
         {model("", ends + "stop = \"" + one.never + "\"\n"),
          model("", ends + "stop = \"" + one.never + " or p.x > 100\"\n"),
          model("", "[[releases]]\nconstraint = \"kept\"\nwhen = \"" + std::string(one.never) + "\"\n" + ends)}) {
      const Ending found = ending(text);
      EXPECT_EQ(found.status, Status::finished) << found.why;
      EXPECT_TRUE(found.let_go.empty());
      for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(found.position[i], plain.position[i], close_by) << i;
    }
    // A force that such a comparison switches is one that nothing switches.
    const bool rows = one.start.find("force") == std::string::npos;
    if (!rows) continue;
    const Ending steady = ending(model("force = [1, 0]\n", ends));
    const Ending always = ending(model("force = [\"if(" + std::string(one.always) + ", 1, 0)\", 0]\n", ends));
    const Ending never = ending(model("force = [\"if(" + std::string(one.never) + ", 7, 1)\", 0]\n", ends));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(always.position[i], steady.position[i], close_by) << i;
      EXPECT_NEAR(never.position[i], steady.position[i], close_by) << i;
    }
  }
}

TEST(Comparisons, about_what_a_condition_kept_turn_once_it_is_let_go) {
  const std::string dropped =
      "gravity = [0, -10]\n[points.p]\nmass = 1\nposition = [0, 1]\nFORCE[constraints]\nfloor = \"p.y >= "
      "0\"\n[[releases]]\n"
      "constraint = \"floor\"\nat = 1\n[simulation]\nuntil = 3\n";
  const auto with = [&](const std::string& force, const std::string& more) {
    std::string text = dropped;
    return text.replace(text.find("FORCE"), 5, force) + more;
  };
  const Ending stopped = ending(with("", "stop = \"p.y < -5\"\n"));
  EXPECT_EQ(stopped.status, Status::stopped);
  EXPECT_NEAR(stopped.time, 2, close_by);
  const Ending at_once = ending(with("", "stop = \"p.y < 0\"\n"));
  EXPECT_EQ(at_once.status, Status::stopped);
  EXPECT_NEAR(at_once.time, 1, 1e-7);
  // Below the floor a wind blows: x = (t - 1)^2 / 2.
  const Ending blown = ending(with("force = [\"if(p.y < 0, 1, 0)\", 0]\n", ""));
  EXPECT_EQ(blown.status, Status::finished) << blown.why;
  EXPECT_NEAR(blown.position[0], 2, close_by);
  EXPECT_NEAR(blown.position[1], -20, close_by);
}

/// x beside the wall x >= 0, and y, which the same sign drives.
struct Walled {
  const char* force;   ///< on x
  const char* driven;  ///< on y
  double start = 1;    ///< of x
  double until = 4;
  double x = 0;  ///< at the end
  double y = 0, speed = 0;
  const char* more = "";
};

std::string text_of(const Walled& one, double restitution = 0) {
  return std::string("[coordinates.x]\ninitial = ") + std::to_string(one.start) + "\nforce = \"" + one.force +
         "\"\n[coordinates.y]\ninitial = 0\nforce = \"" + one.driven +
         "\"\n[energy]\nkinetic = \"x'^2/2 + y'^2/2\"\n[constraints]\nwall = {condition = \"x >= 0\", restitution = " +
         std::to_string(restitution) + "}\n" + one.more + "[simulation]\nuntil = " + std::to_string(one.until) + "\n";
}

TEST(Signs, at_a_wall_are_zero_on_it_and_never_those_of_its_other_side) {
  // Falls for a time 1, in which y'' = 1; on the wall y'' = 0.
  const double fall = std::sqrt(2.0 / 3);  // with x'' = -3
  const double slow = std::sqrt(2.0);      // with x'' = -1, then held by the mean of both values, s = 1/2
  const std::vector<Walled> known = {
      {"-2", "sign(x)", 1, 4, 0, 3.5, 1},
      {"-2", "-sign(-3*x)", 1, 4, 0, 3.5, 1},
      {"-2*sign(x)", "sign(x)", 1, 4, 0, 3.5, 1},
      {"-2*sign(x) - 1", "sign(x)", 1, 4, 0, fall * fall / 2 + fall * (4 - fall), fall},
      {"-2*sign(x) - 1", "-sign(-x/2)", 1, 4, 0, fall * fall / 2 + fall * (4 - fall), fall},
      {"-2*sign(x) + 1", "sign(x)", 1, 4, 0, 1 + slow * (4 - slow) + (4 - slow) * (4 - slow) / 4,
       slow + (4 - slow) / 2},
      // From rest on the wall.
      {"-2", "sign(x)", 0, 4, 0, 0, 0},
      {"0", "sign(x)", 0, 4, 0, 0, 0},
      {"sign(x) - 0.5", "sign(x)", 0, 4, 0, 0, 0},
      {"-2", "if(x <= 0, 1, 0) + 2*if(x >= 0, 1, 0)", 0, 4, 0, 24, 12},
      // The wall is left at t = 2, x = (t - 2)^3 / 6.
      {"t - 2", "sign(x)", 0, 4, 4.0 / 3, 2, 2},
      // s = 0 until t = 2, then (t - 2)/2 keeps x'' at zero until t = 4, then 1.
      {"-2*sign(x) + t - 2", "sign(x)", 0, 6, 4.0 / 3, 14.0 / 3, 3},
      // s = (1 - t)/2 until t = 1, from when on the wall holds: y'(1) = 1/4, y(1) = 1/6.
      {"-2*sign(x) + 1 - t", "sign(x)", 0, 4, 0, 1.0 / 6 + 0.75, 0.25},
      // Let go at t = 2 it falls on, x = -(t - 2)^2: y'' = -1.
      {"-2", "sign(x)", 1, 4, -4, 1.5, -1, "[[releases]]\nconstraint = \"wall\"\nat = 2\n"}};
  for (const Walled& one : known) {
    SCOPED_TRACE(std::string(one.force) + " and " + one.driven);
    const Ending found = ending(text_of(one));
    EXPECT_EQ(found.status, Status::finished) << found.why;
    EXPECT_NEAR(found.position[0], one.x, close_by);
    EXPECT_NEAR(found.position[1], one.y, close_by);
    EXPECT_NEAR(found.velocity[1], one.speed, close_by);
  }
}

TEST(Signs, at_a_wall_are_those_of_its_free_side_until_the_last_hop_has_ended) {
  // Falls from 1 with x'' = -2 and comes back with half of its speed: 1 + 1 + 1/2 + ... = 3.
  const Ending found = ending(text_of({"-2", "sign(x)"}, 0.5));
  EXPECT_EQ(found.status, Status::finished) << found.why;
  EXPECT_NEAR(found.velocity[1], 3, 1e-9);
  EXPECT_NEAR(found.position[1], 7.5, 1e-9);
}

TEST(Signs, beside_an_oblique_wall_and_a_string_are_kept_like_those_beside_a_straight_one) {
  // The wall 3 x + 4 y >= 0 has the distance u = 0.6 x + 0.8 y, u'' = -2 s + 0.7: 1.3 downwards, from 0.84 with u' = 0.22; then s = 0.35.
  const Ending slid = ending(
      "[points.a]\nmass = 1\nposition = [1, 0.3]\nvelocity = [0.1, 0.2]\nforce = [\"0.6*(0.7 - 2*sign(3*a.x + "
      "4*a.y))\", \"0.8*(0.7 - 2*sign(3*a.x + 4*a.y))\"]\n[coordinates.z]\ninitial = 0\nforce = \"sign(-1.5*a.x - "
      "2*a.y)\"\n[energy]\nkinetic = \"z'^2/2\"\n[constraints]\nwall = \"6*a.x + 8*a.y >= 0\"\n[simulation]\nuntil = "
      "9\n");
  const double lands = (0.22 + std::sqrt(0.22 * 0.22 + 2 * 1.3 * 0.84)) / 1.3;
  EXPECT_EQ(slid.status, Status::finished) << slid.why;
  EXPECT_NEAR(slid.velocity[2], -(lands + 0.35 * (9 - lands)), close_by);
  EXPECT_NEAR(0.6 * slid.position[0] + 0.8 * slid.position[1], 0, close_by);
  // A bob beside a string of length 1 falls from (0.6, 0) to (0.6, -0.8) in 0.4, and then swings on it.
  const Ending swung = ending(
      "gravity = [0, -10]\n[points.b]\nmass = 1\nposition = [0.6, 0]\n[coordinates.z]\ninitial = 0\nforce = "
      "\"sign(distance(b, [0, 0]) - 1)\"\n[energy]\nkinetic = \"z'^2/2\"\n[constraints]\nstring = \"distance(b, [0, "
      "0]) "
      "<= 1\"\n[simulation]\nuntil = 2\n");
  EXPECT_EQ(swung.status, Status::finished) << swung.why;
  EXPECT_NEAR(swung.velocity[2], -0.4, close_by);
  EXPECT_NEAR(swung.position[2], -0.08 - 0.4 * 1.6, close_by);
}

TEST(Signs, of_potentials_with_a_corner_at_a_wall_are_those_of_its_free_side) {
  // x'' = 1 on all of x >= 0: from 1 with speed -3 to the wall at 3 - sqrt(7), and off it again from rest.
  const double lands = 3 - std::sqrt(7.0);
  for (const char* potential : {"-abs(x)", "-x + 5*max(-x, 0)", "-abs(-3*x)/3", "-max(x, 0)"}) {
    SCOPED_TRACE(potential);
    const Ending found = ending(
        std::string("[coordinates.x]\ninitial = 1\nvelocity = -3\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"") +
        potential + "\"\n[constraints]\nwall = \"x >= 0\"\n[simulation]\nuntil = 4\n");
    EXPECT_EQ(found.status, Status::finished) << found.why;
    EXPECT_NEAR(found.position[0], (4 - lands) * (4 - lands) / 2, close_by);
    EXPECT_NEAR(found.velocity[0], 4 - lands, close_by);
  }
}

}  // namespace zwang::motion::comparisons_tests
