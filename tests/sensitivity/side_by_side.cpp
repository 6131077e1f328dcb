/// Parameters that are followed together, against what a change of scale says of all of them, and each against itself alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runs.hpp"

namespace zwang::sensitivity::side_by_side_tests {
namespace {

/// Rods of one length, hung up at one end; the last bead has a mass of its own.
std::string rods(int count, const std::string& more = "") {
  std::string text = "gravity = [0, \"-g\"]\n[parameters]\ng = 10\nL = 1.1\nv = 0.3\nm = 1.2\nw = 0.7\n" + more;
  std::string conditions = "[constraints]\n";
  for (int k = 1; k <= count; ++k) {
    const std::string own = "p" + std::to_string(k);
    text += "[points." + own + "]\nmass = \"" + (k == count ? "w" : "m") + "\"\nposition = [\"" + std::to_string(k) +
            "*L\", 0]\nvelocity = [0, \"" + (k == count ? "v" : "0") + "\"]\n";
    if (!more.empty() && k == count) text += "force = [\"-c*w*p" + std::to_string(k) + ".x^3/L^2\", 0]\n";
    conditions += "r" + std::to_string(k) + " = \"distance(" + own + ", " +
                  (k == 1 ? std::string("[0, 0]") : "p" + std::to_string(k - 1)) + ") = L\"\n";
  }
  return text + conditions + "[simulation]\nuntil = 1.3\n";
}

double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double one : x) most = std::max(most, std::abs(one));
  return most;
}

/// sum of p dx/dp over some of the parameters, in parts of the largest term or of the motion.
void expect_sum(const Differentiated& run, const std::vector<std::size_t>& which, const std::vector<double>& values,
                const std::vector<double>& expected, std::vector<double> StateSlope::*of, double near) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double sum = 0;
    double size = std::max(largest(expected), largest(run.track.account.present.state.velocity));
    for (const std::size_t p : which) {
      sum += values[p] * (end_of(run, p).*of)[i];
      size = std::max(size, std::abs(values[p]) * largest(end_of(run, p).*of));
    }
    EXPECT_NEAR(sum, expected[i], near * size) << i;
  }
}

void expect_each_alone(const std::string& text, const std::vector<std::string>& names, const Differentiated& together) {
  for (std::size_t p = 0; p < names.size(); ++p) {
    const Differentiated alone = differentiate(text, {names[p]});
    for (const auto of : {&StateSlope::position, &StateSlope::velocity}) {
      const std::vector<double>& expected = end_of(alone).*of;
      const std::vector<double>& found = end_of(together, p).*of;
      for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-11 * largest(expected)) << names[p] << " " << i;
    }
  }
}

TEST(SideBySide, lengths_speeds_and_weights_on_one_scale_scale_the_motion_and_masses_do_not) {
  // Lengths, speeds and g times one factor: all places are so at the same time. All masses times one factor: nothing moves.
  const std::vector<std::string> names = {"g", "L", "v", "m", "w"};
  const std::vector<double> values = {10, 1.1, 0.3, 1.2, 0.7};
  for (const std::string& text : {rods(1), rods(2), rods(8), rods(2, "c = 4\n"), rods(7, "c = 4\n")}) {
    const Differentiated run = differentiate(text, names);
    const model::State& state = run.track.account.present.state;
    expect_sum(run, {0, 1, 2}, values, state.position, &StateSlope::position, 1e-10);
    expect_sum(run, {0, 1, 2}, values, state.velocity, &StateSlope::velocity, 1e-10);
    const std::vector<double> none(state.position.size(), 0.0);
    expect_sum(run, {3, 4}, values, none, &StateSlope::position, 1e-10);
    expect_sum(run, {3, 4}, values, none, &StateSlope::velocity, 1e-10);
    expect_each_alone(text, names, run);
  }
}

TEST(SideBySide, angles_know_no_scale) {
  const std::string text = R"toml(
[parameters]
g = 10
m1 = 1.1
m2 = 1.2
l1 = 1.3
l2 = 0.9
u = 1.5
[coordinates.q1]
initial = 0.9
velocity = "u"
[coordinates.q2]
initial = 0
velocity = 2
[energy]
kinetic = "(m1 + m2)/2*l1^2*q1'^2 + m2/2*l2^2*q2'^2 + m2*l1*l2*q1'*q2'*cos(q1 - q2)"
potential = "-(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q2)"
[simulation]
until = 2
)toml";
  const std::vector<std::string> names = {"g", "l1", "l2", "m1", "m2", "u"};
  const std::vector<double> values = {10, 1.3, 0.9, 1.1, 1.2, 1.5};
  const Differentiated run = differentiate(text, names);
  const std::vector<double> none(2, 0.0);
  for (const auto of : {&StateSlope::position, &StateSlope::velocity}) {
    expect_sum(run, {0, 1, 2}, values, none, of, 1e-10);
    expect_sum(run, {3, 4}, values, none, of, 1e-10);
  }
  expect_each_alone(text, names, run);
}

}  // namespace
}  // namespace zwang::sensitivity::side_by_side_tests
