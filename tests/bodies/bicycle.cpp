/// The bicycle of the gallery against the linear equations of the benchmark bicycle, whose matrices are published to sixteen digits.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "answer.hpp"
#include "places.hpp"

namespace zwang::testing::bicycle_tests {

namespace {

using Two = std::array<double, 2>;
using Matrix = std::array<Two, 2>;

Two operator*(const Matrix& a, const Two& x) {
  return {a[0][0] * x[0] + a[0][1] * x[1], a[1][0] * x[0] + a[1][1] * x[1]};
}
Two solved(const Matrix& a, const Two& b) {
  const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  return {(a[1][1] * b[0] - a[0][1] * b[1]) / determinant, (a[0][0] * b[1] - a[1][0] * b[0]) / determinant};
}

/// Meijaard, Papadopoulos, Ruina and Schwab 2007, for lean and steer to the right.
constexpr Matrix mass = {{{80.81722, 2.31941332208709}, {2.31941332208709, 0.29784188199686}}};
constexpr Matrix damping = {{{0, 33.86641391492494}, {-0.85035641456978, 1.68540397397560}}};
constexpr Matrix of_gravity = {{{-80.95, -2.59951685249872}, {-2.59951685249872, -0.80329488458618}}};
constexpr Matrix of_speed = {{{0, 76.59734589573222}, {0, 2.65431523794604}}};
constexpr double gravity = 9.81;

struct LeanAndSteer {
  Two angles{};
  Two rates{};
};

/// Some time later, by the series of the linear equations.
LeanAndSteer later(LeanAndSteer now, double v, double time) {
  constexpr int steps = 200;
  constexpr int orders = 20;
  const double h = time / steps;
  for (int step = 0; step < steps; ++step) {
    // q_k and its rate as coefficients of powers of h, one from the other.
    Two q = now.angles;
    Two w = now.rates;
    for (int k = 0; k < orders; ++k) {
      const Two turning = damping * w;
      const Two weight = of_gravity * q;
      const Two centrifugal = of_speed * q;
      Two load{};
      for (std::size_t i = 0; i < 2; ++i)
        load.at(i) = -(v * turning.at(i) + gravity * weight.at(i) + v * v * centrifugal.at(i));
      const Two bent = solved(mass, load);
      for (std::size_t i = 0; i < 2; ++i) {
        const double next = w.at(i) * h / (k + 1);
        w.at(i) = bent.at(i) * h / (k + 1);
        q.at(i) = next;
        now.angles.at(i) += q.at(i);
        now.rates.at(i) += w.at(i);
      }
    }
  }
  return now;
}

}  // namespace

TEST(Bicycle, leans_and_steers_after_a_push_as_the_published_equations_say) {
  // Terms of third degree in the angles are what linear equations leave out: of 1e-5 they are 1e-15. At a low speed the angles, and with
  // them the rounding of the start, grow a hundredfold, and 1e-4 is left.
  for (const auto [v, push, exactness] : {Three{5, 1e-3, 1e-14}, Three{2, 1e-4, 1e-12}}) {
    const Model model = load(places::source("gallery/bicycle/model.toml"))
                            .with({.parameters = {{"v", std::to_string(v)}, {"push", std::to_string(-push)}},
                                   .until = "2.5",
                                   .tolerance = "1e-13"});
    const std::array<double, 2> times = {1.0, 2.5};
    const Json answer = Json::parse(json(run(model), times));
    ASSERT_EQ(answer["status"], "finished");

    // The push acts on the saddle, 0.2 before the rear wheel's place on the road and 1 above it; a turn of the handlebar turns the frame by the trail.
    const double turned = 0.08 * std::cos(std::acos(-1.0) / 10) / 1.02;
    const LeanAndSteer struck = {{0, 0}, solved(mass, {push * 1.0, push * 0.2 * turned})};
    double largest = 0;
    for (const Json& sample : answer["samples"]) {
      const double time = sample["time"];
      const Two truth = later(struck, v, time - 0.5).angles;
      EXPECT_NEAR(sample["outputs"]["lean"], truth[0], exactness) << "at " << time << ", v = " << v;
      EXPECT_NEAR(sample["outputs"]["steer"], truth[1], exactness) << "at " << time << ", v = " << v;
      largest = std::max(largest, std::abs(truth[0]));
    }
    EXPECT_GT(largest, 1e-6);
  }
}

}  // namespace zwang::testing::bicycle_tests
