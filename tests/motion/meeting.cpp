/// Springs whose ends pass through each other: the force has no value where they meet, but a bound, and the motion is one.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::meeting_tests {

namespace {

constexpr double pi = std::numbers::pi;

struct Through {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<std::string> kinds;
  std::vector<double> times;
  EnergyBalance energy;
};

Through follow_through(const std::string& text) {
  const model::Model model = model::compile(model::read(text, "through.toml"));
  Motion motion = begin(model);
  Through out;
  while (advance(motion)) {
    for (const Event& event : motion.events) {
      out.kinds.emplace_back(words(event.kind));
      out.times.push_back(event.time);
    }
  }
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.energy = motion.energy;
  return out;
}

std::string on_a_spring(const std::string& point, const std::string& rest) {
  return "[points.a]\nmass = 1\n" + point + rest + "[simulation]\nuntil = 5\n";
}

/// r'' = 100 (1 - r) from r = 1 inwards with speed 20: |sin| and cos of 10 t beside 1, and at r = 0 the same from the other side.
/// r - 1 = 2 sin(theta) with theta = -pi/6 where the ends meet, so an arc from one meeting to the next takes (pi + pi/3) / 10.
double place_after(double t) {
  const double first = pi / 60;
  const double arc = (pi + pi / 3) / 10;
  if (t < first) return 1 - 2 * std::sin(10 * t);
  const double k = std::floor((t - first) / arc);
  const double r = 1 + 2 * std::sin(10 * (t - first - k * arc) - pi / 6);
  return std::fmod(k, 2) == 0 ? -r : r;
}

constexpr double as_exact = 1e-11;  ///< twelve meetings, each of which a tenth of the tolerance may change

}  // namespace

TEST(Meeting, a_potential_written_by_hand_is_passed_at_its_anchor) {
  const Through found = follow_through(on_a_spring("position = [1, 0]\nvelocity = [-20, 0]\n",
                                                   "[energy]\npotential = \"50*(sqrt(a.x^2 + a.y^2) - 1)^2\"\n"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_NEAR(found.state.position[0], place_after(5), as_exact);
  EXPECT_EQ(found.state.position[1], 0);
  ASSERT_EQ(found.kinds.size(), 12U);
  EXPECT_EQ(found.kinds[0], "switch");
  EXPECT_NEAR(found.times[0], pi / 60, 1e-14);
}

TEST(Meeting, a_spring_is_passed_at_its_anchor_in_any_direction_and_place) {
  for (const double angle : {0.0, 0.3, 1.1, 2.5, 4.0}) {
    for (const double far : {0.0, 1.0, 1000.0}) {
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      const auto pair = [](double x, double y) { return "[" + exact(x) + ", " + exact(y) + "]"; };
      const Through found = follow_through(
          on_a_spring("position = " + pair(far + c, s - far) + "\nvelocity = " + pair(-20 * c, -20 * s) + "\n",
                      "[springs]\ns = { between = [\"a\", " + pair(far, -far) + "], length = 1, stiffness = 100 }\n"));
      ASSERT_EQ(found.status, Status::finished) << found.why << " at " << angle << ", " << far;
      // Places are known to their rounding, and each meeting bends the path by a few of them.
      const double allowed = as_exact + 1e-12 * far;
      EXPECT_NEAR(found.state.position[0], far + place_after(5) * c, allowed) << angle << ", " << far;
      EXPECT_NEAR(found.state.position[1], place_after(5) * s - far, allowed) << angle << ", " << far;
    }
  }
}

TEST(Meeting, an_anchor_that_moves_is_passed_as_one_at_rest) {
  // By a steady speed u of anchor and point nothing else changes; with u = 20 cos(pi/6) the point stands still where it first meets the anchor.
  for (const double u : {1.0, -7.0, 20.0, 20 * std::cos(pi / 6)}) {
    const std::string anchor = exact(u) + "*t";
    const std::string point = "position = [1, 0]\nvelocity = [" + exact(u - 20) + ", 0]\n";
    const std::string way = "sqrt((a.x - " + anchor + ")^2 + a.y^2)";
    for (const std::string& model :
         {on_a_spring(point, "[energy]\npotential = \"50*(" + way + " - 1)^2\"\n"),
          on_a_spring(point + "force = \"-100*(" + way + " - 1)*(a - [" + anchor + ", 0])/" + way + "\"\n", "")}) {
      const Through found = follow_through(model);
      ASSERT_EQ(found.status, Status::finished) << u << found.why;
      EXPECT_NEAR(found.state.position[0], 5 * u + place_after(5), 10 * as_exact) << u;
      // What is left behind by rounding of the place alone is not listed.
      EXPECT_GE(found.times.size(), 11U) << u;
    }
  }
}

TEST(Meeting, a_bead_on_a_wire_is_pulled_through_the_anchor) {
  const Through found = follow_through(
      on_a_spring("position = [1, 0]\nvelocity = [-20, 0]\n",
                  "[energy]\npotential = \"50*(norm(a) - 1)^2 + 9.81*a.y\"\n[constraints]\nwire = \"a.y = 0\"\n"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_NEAR(found.state.position[0], place_after(5), as_exact);
}

TEST(Meeting, two_points_keep_their_momentum) {
  const Through found = follow_through(
      "[points.a]\nmass = 1\nposition = [-1, 0]\nvelocity = [9, 0]\n[points.b]\nmass = 2\nposition = [1, 0]\n"
      "velocity = [-9, 0]\n[energy]\npotential = \"5*(distance(a, b) - 1)^2\"\n[simulation]\nuntil = 5\n");
  ASSERT_EQ(found.status, Status::finished) << found.why;
  EXPECT_NEAR(found.state.velocity[0] + 2 * found.state.velocity[2], -9, 1e-12);
  EXPECT_NEAR(found.state.position[0] + 2 * found.state.position[2], 1 - 45.0, 1e-11);
  EXPECT_NEAR(found.energy.final, found.energy.initial, 1e-11 * found.energy.initial);
}

TEST(Meeting, a_start_at_the_anchor_with_a_speed_is_one) {
  // r - 1 = 2 sin(10 t - pi/6) from r = 0 with the speed 10 sqrt(3).
  const Through found = follow_through(on_a_spring("position = [0, 0]\nvelocity = [\"6*sqrt(3)\", \"8*sqrt(3)\"]\n",
                                                   "[energy]\npotential = \"50*(norm(a) - 1)^2\"\n"));
  ASSERT_EQ(found.status, Status::finished) << found.why;
  const double arc = (pi + pi / 3) / 10;
  const double k = std::floor(5 / arc);
  const double r = (std::fmod(k, 2) == 0 ? 1 : -1) * (1 + 2 * std::sin(10 * (5 - k * arc) - pi / 6));
  EXPECT_NEAR(found.state.position[0], 0.6 * r, as_exact);
  EXPECT_NEAR(found.state.position[1], 0.8 * r, as_exact);
}

TEST(Meeting, rest_at_the_anchor_has_no_direction_and_is_told) {
  const Through found =
      follow_through(on_a_spring("position = [0, 0]\n", "[energy]\npotential = \"50*(norm(a) - 1)^2\"\n"));
  EXPECT_EQ(found.status, Status::gave_up);
  EXPECT_NE(found.why.find("has no direction"), std::string::npos) << found.why;
}

TEST(Meeting, attraction_without_a_bound_is_not_passed) {
  for (const char* potential : {"-1/norm(a)", "log(norm(a))", "-1/sqrt(norm(a))"}) {
    const Through found = follow_through(
        on_a_spring("position = [1, 0.5]\n", "[energy]\npotential = \"" + std::string(potential) + "\"\n"));
    EXPECT_EQ(found.status, Status::gave_up) << potential;
    EXPECT_TRUE(found.kinds.empty()) << potential;
  }
}

TEST(Meeting, a_damped_spring_without_length_swings_through_its_anchor) {
  const Through one = follow_through(
      "[points.b]\nmass = 1\nposition = [1, 0]\n[springs]\ns = { between = [\"b\", [0, 0]], length = 0, stiffness = 4, "
      "damping = 0.3 }\n[simulation]\nuntil = 10\n");
  ASSERT_EQ(one.status, Status::finished) << one.why;
  const double w = std::sqrt(4 - 0.15 * 0.15);
  EXPECT_NEAR(one.state.position[0], std::exp(-1.5) * (std::cos(10 * w) + 0.15 / w * std::sin(10 * w)), 1e-10);
  EXPECT_EQ(one.state.position[1], 0);
}

/// x'' = -sign(x) from -1 with speed 1: at the centre after sqrt(3) - 1 with speed sqrt(3), and again every 2 sqrt(3).
TEST(Meeting, a_force_of_constant_size_is_passed_at_its_centre_as_exactly_as_elsewhere) {
  const double root = std::sqrt(3.0);
  const double late = 6 - (root - 1 + 2 * root);
  for (const char* besides :
       {"force = \"-a/norm(a)\"\n", "force = [\"-a.x/sqrt(a.x^2)\", 0]\n", "[energy]\npotential = \"norm(a)\"\n"}) {
    for (const char* tolerance : {"1e-12", "1e-14"}) {
      const Through found =
          follow_through(std::string("[points.a]\nmass = 1\nposition = [-1, 0]\nvelocity = [1, 0]\n") + besides +
                         "[simulation]\nuntil = 6\ntolerance = " + tolerance + "\n");
      ASSERT_EQ(found.status, Status::finished) << besides << found.why;
      EXPECT_NEAR(found.state.position[0], -root * late + late * late / 2, 1e-13) << besides;
      EXPECT_NEAR(found.state.velocity[0], -root + late, 1e-13) << besides;
      ASSERT_EQ(found.kinds.size(), 2U) << besides;
      EXPECT_EQ(found.kinds[0], "switch");
      EXPECT_NEAR(found.times[0], root - 1, 1e-14);
      EXPECT_NEAR(found.times[1], 3 * root - 1, 1e-14);
    }
  }
}

/// From rest at a unit: x = 1 - t^2 / 2, and from the centre on, which is passed at sqrt(2), with the other sign.
TEST(Meeting, a_motion_that_ends_right_behind_a_centre_has_the_force_of_that_side) {
  const double passes = std::numbers::sqrt2;
  for (const std::string point : {"position = [1, 0]", "position = [0.6, -0.8]", "position = [0.48, 0.6, 0.64]"}) {
    for (const double tolerance : {1e-12, 1e-9, 1e-6}) {
      for (const double behind : {1e-13, 1e-12, 1e-10, 7e-9, 1e-7}) {
        const Through found =
            follow_through("[points.a]\nmass = 1\n" + point + "\nforce = \"-a/norm(a)\"\n[simulation]\nuntil = " +
                           exact(passes + behind) + "\ntolerance = " + exact(tolerance) + "\n");
        ASSERT_EQ(found.status, Status::finished) << found.why;
        ASSERT_EQ(found.kinds.size(), 1U) << point << " " << behind;
        EXPECT_NEAR(found.times[0], passes, 1e-14);
        double speed = 0;
        for (const double v : found.state.velocity) speed = std::hypot(speed, v);
        EXPECT_NEAR(speed, passes - behind, 2e-14) << point << " " << behind;
      }
    }
  }
}

TEST(Meeting, a_motion_may_end_or_be_struck_at_the_instant_at_which_it_passes_a_centre) {
  for (const std::string line : {"[1, 0]", "[0.6, 0.8]", "[0.37, -0.91]"}) {
    for (const int roundings : {-8, -1, 0, 1, 2, 8}) {
      const std::string point = "[points.a]\nmass = 1\nposition = " + line + "\nforce = \"-a/norm(a)\"\n";
      const double size = line == "[0.37, -0.91]" ? std::hypot(0.37, 0.91) : 1.0;
      const double time = std::sqrt(2 * size) * (1 + roundings * 1.1102230246251565e-16);
      const Through ended = follow_through(point + "[simulation]\nuntil = " + exact(time) + "\n");
      ASSERT_EQ(ended.status, Status::finished) << ended.why;
      EXPECT_NEAR(std::hypot(ended.state.velocity[0], ended.state.velocity[1]), std::sqrt(2 * size), 1e-14);
      // A blow along the way doubles the speed there: u = 2 v s - s^2 / 2 behind the centre.
      const std::string blow = line == "[1, 0]"       ? "[-1.4142135623730951, 0]"
                               : line == "[0.6, 0.8]" ? "[-0.8485281374238570, -1.131370849898476]"
                                                      : "";
      if (blow.empty()) continue;
      const Through struck = follow_through(point + "[[impulses]]\non = \"a\"\nat = " + exact(time) +
                                            "\nvalue = " + blow + "\n[simulation]\nuntil = 3\n");
      ASSERT_EQ(struck.status, Status::finished) << struck.why;
      const double s = 3 - std::numbers::sqrt2;
      EXPECT_NEAR(std::hypot(struck.state.position[0], struck.state.position[1]),
                  2 * std::numbers::sqrt2 * s - s * s / 2, 2e-14);
    }
  }
}

TEST(Meeting, a_force_of_constant_size_slanting_through_a_far_centre) {
  // Within the rounding of places: the path is bent by it at every meeting.
  const double root = std::sqrt(3.0);
  const double late = 6 - (root - 1 + 2 * root);
  const Through found = follow_through(
      "[points.a]\nmass = 1\nposition = [6.4, -4.8]\nvelocity = [0.6, 0.8]\n"
      "force = \"-(a - [7, -4])/norm(a - [7, -4])\"\n[simulation]\nuntil = 6\n");
  ASSERT_EQ(found.status, Status::finished) << found.why;
  const double way = -root * late + late * late / 2;
  EXPECT_NEAR(found.state.position[0], 7 + 0.6 * way, 1e-11);
  EXPECT_NEAR(found.state.position[1], -4 + 0.8 * way, 1e-11);
}

TEST(Meeting, a_force_like_a_root_of_the_place_is_passed_where_it_is_zero) {
  // x'' = -k |x|^p sign x from 1 at rest: a quarter of a period is sqrt(n / (2 k)) sqrt(pi) G(1 + 1/n) / G(1/2 + 1/n) with n = p + 1.
  const auto quarter = [](double n, double k) {
    return std::sqrt(n / (2 * k) * pi) * std::tgamma(1 + 1 / n) / std::tgamma(0.5 + 1 / n);
  };
  const auto swings = [](const std::string& start, const std::string& force, const std::string& potential) {
    return follow_through("[coordinates.x]\n" + start + (force.empty() ? "" : "force = \"" + force + "\"\n") +
                          "[energy]\nkinetic = \"x'^2/2\"\n" +
                          (potential.empty() ? "" : "potential = \"" + potential + "\"\n") +
                          "[simulation]\nuntil = 10\n");
  };
  const struct {
    const char* force;
    const char* potential;
    double power, factor;
  } all[] = {{"-sqrt(abs(x))*sign(x)", "", 0.5, 1},
             {"-abs(x)^(1/3)*sign(x)", "", 1.0 / 3, 1},
             {"", "abs(x)^1.5", 0.5, 1.5},
             {"-if(x > 0, sqrt(x), -sqrt(-x))", "", 0.5, 1},
             {"-abs(x)^0.9*sign(x)", "", 0.9, 1}};
  for (const auto& one : all) {
    const Through found = swings("initial = 1\n", one.force, one.potential);
    const std::string name = std::string(one.force) + one.potential;
    ASSERT_EQ(found.status, Status::finished) << name << ": " << found.why;
    const double t = quarter(one.power + 1, one.factor);
    ASSERT_EQ(found.times.size(), static_cast<std::size_t>((10 / t + 1) / 2)) << name;
    for (std::size_t k = 0; k < found.times.size(); ++k) {
      EXPECT_EQ(found.kinds[k], "switch") << name;
      EXPECT_NEAR(found.times[k], (2 * static_cast<double>(k) + 1) * t, as_exact) << name;
    }
    EXPECT_NEAR(found.energy.final, found.energy.initial + found.energy.work, as_exact) << name;
  }
  // About another place, whose rounding is larger; and beside another body, in the plane.
  const Through apart = swings("initial = 8\n", "-sqrt(abs(x - 7))*sign(x - 7)", "");
  ASSERT_EQ(apart.status, Status::finished) << apart.why;
  for (std::size_t k = 0; k < apart.times.size(); ++k)
    EXPECT_NEAR(apart.times[k], (2 * static_cast<double>(k) + 1) * quarter(1.5, 1), 1e-10);
  const Through plane = follow_through(
      "[points.a]\nmass = 1\nposition = [1, 3]\nvelocity = [0, 1]\nforce = [\"-sqrt(abs(a.x))*sign(a.x)\", 0]\n"
      "[points.b]\nmass = 1\nposition = [5, 0]\nforce = [\"-b.x\", 0]\n[simulation]\nuntil = 3\n");
  ASSERT_EQ(plane.status, Status::finished) << plane.why;
  ASSERT_EQ(plane.times.size(), 1U);
  EXPECT_NEAR(plane.times[0], quarter(1.5, 1), as_exact);
  EXPECT_NEAR(plane.state.position[1], 6, as_exact);
  EXPECT_NEAR(plane.state.position[2], 5 * std::cos(3.0), as_exact);
}

TEST(Meeting, a_ground_that_begins_like_a_root_is_gone_along) {
  // y = x^p from x = 0 on, level before, without gravity's work but m g y: the speed along it is sqrt(v0^2 - 2 g y), so that the time to a place x is the
  // integral of sqrt(1 + y'^2) / that; asked for at the place where the run has come to.
  const auto rolls = [](const std::string& floor, const std::string& start, double until) {
    return follow_through("gravity = [0, -10]\n[points.b]\nmass = 1\n" + start + "[constraints]\nfloor = \"b.y >= " +
                          floor + "\"\n[simulation]\nuntil = " + std::to_string(until) + "\n");
  };
  for (const double p : {2.5, 2.2}) {
    const Through found = rolls("max(0, b.x)^" + std::to_string(p), "position = [-2, 0]\nvelocity = [4, 0]\n", 0.8);
    ASSERT_EQ(found.status, Status::finished) << p << ": " << found.why;
    const double x = found.state.position[0];
    constexpr int parts = 4000;
    // With x = w^2 the integrand has as many derivatives as the rule asks for.
    const double h = std::sqrt(x) / parts;
    const auto f = [&](int j) {
      const double w = j * h;
      const double slope = p * std::pow(w * w, p - 1);
      return 2 * w * std::sqrt((1 + slope * slope) / (16 - 20 * std::pow(w * w, p)));
    };
    double sum = f(0) + f(parts);
    for (int j = 1; j < parts; ++j) sum += (j % 2 == 1 ? 4 : 2) * f(j);
    EXPECT_NEAR(0.5 + sum * h / 3, 0.8, 1e-10) << p;
    EXPECT_NEAR(found.state.position[1], std::pow(x, p), as_exact) << p;
    EXPECT_NEAR(found.energy.final, found.energy.initial, as_exact) << p;
  }
  // A bowl, swung through twice: where it ends was found in the place along it alone, by steps of another method.
  const Through bowl = rolls("abs(b.x)^2.5", "position = [-2, 6]\nvelocity = [1, 0]\n", 5);
  ASSERT_EQ(bowl.status, Status::finished) << bowl.why;
  EXPECT_NEAR(bowl.state.position[0], -1.84696645, 2e-8);
  EXPECT_NEAR(bowl.state.velocity[0], 0.71288582, 2e-8);
  // Where the slope itself begins like a root the ground pushes without a bound: that is told.
  const Through steep = rolls("abs(b.x)^1.5", "position = [-2, 3]\nvelocity = [1, 0]\n", 5);
  EXPECT_EQ(steep.status, Status::gave_up);
  EXPECT_NE(steep.why.find("slope has no bound"), std::string::npos) << steep.why;
}

}  // namespace zwang::motion::meeting_tests
