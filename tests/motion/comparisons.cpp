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
  std::vector<double> position;
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

}  // namespace zwang::motion::comparisons_tests
