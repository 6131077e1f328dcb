/// Degenerate instants: lambda = 0 and f'' = 0, decided by the first higher derivative that is not zero.
///
/// With linear conditions and forces that are polynomials of t, the motion on a set B of closed conditions is known
/// exactly: Phi_BB lambda_k = g_B W X_k for every coefficient k. A set is right iff the first coefficient of every
/// lambda in B that is not zero is positive, and the first of f'' of every other condition is negative.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "laws/systems.hpp"

namespace zwang::laws::degenerate_tests {

namespace {

using oracles::AccelerationAnswer;
using oracles::Way;

AccelerationAnswer ask(const std::string& model) { return oracles::accelerate(model, Way::library); }

std::string role(const AccelerationAnswer& answer, const std::string& name) { return answer.constraints.at(name).role; }

/// A point in the x-z plane that starts at the origin (or at z0) with velocity (vx, 0).
std::string plane(double vx, const std::string& fx, const std::string& fz, const std::string& conditions,
                  double z0 = 0) {
  return "[coordinates.x]\ninitial = 0\nvelocity = " + number_text(vx) + "\nforce = \"" + fx +
         "\"\n[coordinates.z]\ninitial = " + number_text(z0) + "\nforce = \"" + fz +
         "\"\n[energy]\nkinetic = \"(x'^2 + z'^2)/2\"\n[constraints]\n" + conditions;
}

int first_sign(const Vector& coefficients) {
  Real size = 1;
  for (const Real c : coefficients) size = std::max(size, std::abs(c));
  for (const Real c : coefficients)
    if (std::abs(c) > 1e-12L * size) return c > 0 ? 1 : -1;
  return 0;
}

}  // namespace

TEST(DegenerateInstants, of_linear_conditions_under_polynomial_forces_choose_the_set_that_lasts) {
  std::size_t degenerate = 0;
  for (std::uint64_t seed = 1; seed < 600; ++seed) {
    std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL;
    const auto between = [&](int low, int high) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return low + static_cast<int>((state >> 33) % static_cast<std::uint64_t>(high - low + 1));
    };
    const auto n = static_cast<std::size_t>(between(2, 6));
    const auto r = static_cast<std::size_t>(between(1, static_cast<int>(n)));
    constexpr std::size_t orders = 6;
    Vector mass;
    Matrix force(orders, Vector(n, 0));  // [power of t][coordinate]
    std::string text;
    std::string kinetic;
    for (std::size_t i = 0; i < n; ++i) {
      const auto name = "x" + std::to_string(i);
      mass.push_back(between(1, 3));
      std::string expression = "0";
      for (std::size_t k = 0; k < orders; ++k) {
        if (between(1, 100) > (k == 0 ? 35 : 40)) continue;
        force[k][i] = between(-2, 2);
        expression += " + (" + number_text(static_cast<double>(force[k][i])) + ")*t^" + std::to_string(k);
      }
      text += "[coordinates." + name + "]\ninitial = 0\nforce = \"" + expression + "\"\n";
      kinetic += (i == 0 ? "" : " + ") + number_text(static_cast<double>(mass[i])) + "/2*" + name + "'^2";
    }
    text += "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n";
    Matrix g;
    while (g.size() < r) {
      Vector row(n);
      for (auto& x : row) x = between(1, 100) < 55 ? between(-2, 2) : 0;
      auto trial = g;
      trial.push_back(row);
      if (left_null(trial).empty()) g = trial;
    }
    for (std::size_t j = 0; j < r; ++j) {
      text += "f" + std::to_string(j) + " = \"0";
      for (std::size_t i = 0; i < n; ++i)
        if (g[j][i] != 0) text += " + (" + number_text(static_cast<double>(g[j][i])) + ")*x" + std::to_string(i);
      text += " <= 0\"\n";
    }
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const auto answer = ask(text);
    ASSERT_EQ(answer.status, "determined");

    // The claimed set, its multipliers to every order, and the slack of the others.
    std::vector<std::size_t> B;
    for (std::size_t j = 0; j < r; ++j) {
      const auto claimed = role(answer, "f" + std::to_string(j));
      if (claimed == "binding" || claimed == "marginal") B.push_back(j);
    }
    Matrix lambda(orders, Vector(r, 0));
    Matrix second(orders, Vector(r, 0));
    for (std::size_t k = 0; k < orders; ++k) {
      Matrix A(B.size(), Vector(B.size(), 0));
      Vector b(B.size(), 0);
      for (std::size_t p = 0; p < B.size(); ++p) {
        for (std::size_t i = 0; i < n; ++i) b[p] += g[B[p]][i] * force[k][i] / mass[i];
        for (std::size_t s = 0; s < B.size(); ++s)
          for (std::size_t i = 0; i < n; ++i) A[p][s] += g[B[p]][i] * g[B[s]][i] / mass[i];
      }
      const auto solution = B.empty() ? Vector{} : solve_square(A, b).value();
      for (std::size_t p = 0; p < B.size(); ++p) lambda[k][B[p]] = solution[p];
      for (std::size_t j = 0; j < r; ++j)
        for (std::size_t i = 0; i < n; ++i) {
          Real a = force[k][i];
          for (const auto h : B) a -= lambda[k][h] * g[h][i];
          second[k][j] += g[j][i] * a / mass[i];
        }
    }
    for (std::size_t j = 0; j < r; ++j) {
      const auto name = "f" + std::to_string(j);
      Vector of_lambda;
      Vector of_second;
      for (std::size_t k = 0; k < orders; ++k) {
        of_lambda.push_back(lambda[k][j]);
        of_second.push_back(second[k][j]);
      }
      const auto claimed = role(answer, name);
      if (claimed == "binding") {
        ASSERT_EQ(first_sign(of_lambda), 1) << name;
      } else if (claimed == "marginal") {
        ASSERT_EQ(first_sign(of_lambda), 0) << name;
      } else {
        ASSERT_EQ(claimed, "leaving") << name;
        ASSERT_EQ(first_sign(of_second), -1) << name;
      }
      ASSERT_NEAR(answer.multipliers.at(name), static_cast<double>(of_lambda[0]), 1e-12 * 100);
      if (of_lambda[0] == 0 && of_second[0] == 0) ++degenerate;
    }
  }
  EXPECT_GT(degenerate, 300U);
}

TEST(DegenerateInstants, of_a_floor_are_decided_by_the_first_power_of_the_load) {
  for (int k = 0; k <= 9; ++k) {
    const auto power = "t^" + std::to_string(k);
    SCOPED_TRACE(power);
    EXPECT_EQ(role(ask(plane(1, "0", power, "floor = \"z >= 0\"\n")), "floor"), "leaving");
    EXPECT_EQ(role(ask(plane(1, "0", "-" + power, "floor = \"z >= 0\"\n")), "floor"), "binding");
    EXPECT_EQ(role(ask(plane(1, "0", power + " - 1000*t^" + std::to_string(k + 1), "floor = \"z >= 0\"\n")), "floor"),
              "leaving");
  }
  EXPECT_EQ(role(ask(plane(1, "0", "0", "floor = \"z >= 0\"\n")), "floor"), "marginal");
}

TEST(DegenerateInstants, of_a_weightless_point_follow_the_shape_of_the_ground) {
  for (int k = 3; k <= 11; ++k) {
    const auto ground = "ground = \"z >= x^" + std::to_string(k) + "\"\n";
    SCOPED_TRACE(ground);
    EXPECT_EQ(role(ask(plane(1, "0", "0", ground)), "ground"), "binding");
    EXPECT_EQ(role(ask(plane(-1, "0", "0", ground)), "ground"), k % 2 == 0 ? "binding" : "leaving");
    const auto sinking = "ground = \"z >= -x^" + std::to_string(k) + "\"\n";
    EXPECT_EQ(role(ask(plane(1, "0", "0", sinking)), "ground"), "leaving");
  }
}

TEST(DegenerateInstants, with_equal_gradients_let_the_higher_ground_bind) {
  for (int k = 3; k <= 8; ++k) {
    const auto grounds = "flat = \"z >= 0\"\ncurved = \"z >= x^" + std::to_string(k) + "\"\n";
    SCOPED_TRACE(grounds);
    const auto forth = ask(plane(1, "0", "-10", grounds));
    ASSERT_EQ(forth.status, "determined");
    EXPECT_EQ(role(forth, "curved"), "binding");
    EXPECT_EQ(role(forth, "flat"), "leaving");
    EXPECT_NEAR(forth.accelerations.at("z")[0], 0, 1e-14);
    const auto back = ask(plane(-1, "0", "-10", grounds));
    ASSERT_EQ(back.status, "determined");
    EXPECT_EQ(role(back, "curved"), k % 2 == 0 ? "binding" : "leaving");
    EXPECT_EQ(role(back, "flat"), k % 2 == 0 ? "leaving" : "binding");
  }
}

TEST(DegenerateInstants, of_a_point_at_the_top_of_a_circle_with_the_critical_speed) {
  // x^2 + z^2 = 1, g = 1, v = 1: the free parabola lies outside the circle by t^4 / 4.
  const auto outside = ask(plane(1, "0", "-1", "ball = \"x^2 + z^2 >= 1\"\n", 1));
  EXPECT_EQ(role(outside, "ball"), "leaving");
  const auto inside = ask(plane(1, "0", "-1", "string = \"x^2 + z^2 <= 1\"\n", 1));
  EXPECT_EQ(role(inside, "string"), "binding");
  EXPECT_NEAR(inside.multipliers.at("string"), 0, 1e-14);
  const auto rod = ask(plane(1, "0", "-1", "rod = \"x^2 + z^2 = 1\"\n", 1));
  EXPECT_EQ(role(rod, "rod"), "equation");
}

TEST(DegenerateInstants, jam_at_a_higher_order_when_the_gap_closes_with_velocity) {
  const std::string closing = "below = \"z >= x^3\"\nabove = \"z <= 0\"\n";
  const auto jam = ask(plane(1, "0", "-10", closing));
  EXPECT_EQ(jam.status, "jammed");
  EXPECT_EQ(jam.exit, 3);
  // Backwards the gap opens, and weight decides.
  const auto open = ask(plane(-1, "0", "-10", closing));
  ASSERT_EQ(open.status, "determined");
  EXPECT_EQ(role(open, "below"), "binding");
  EXPECT_EQ(role(open, "above"), "leaving");
  const auto lifted = ask(plane(-1, "0", "10", closing));
  ASSERT_EQ(lifted.status, "determined");
  EXPECT_EQ(role(lifted, "above"), "binding");
  EXPECT_EQ(role(lifted, "below"), "leaving");
}

TEST(DegenerateInstants, of_a_ratchet_are_decided_by_the_next_derivative_of_the_load) {
  const std::string ratchet = "ratchet = \"x' >= 0\"\nfloor = \"z >= 0\"\n";
  EXPECT_EQ(role(ask(plane(0, "t", "-1", ratchet)), "ratchet"), "leaving");
  EXPECT_EQ(role(ask(plane(0, "-t", "-1", ratchet)), "ratchet"), "binding");
  EXPECT_EQ(role(ask(plane(0, "t^3 - t^2", "-1", ratchet)), "ratchet"), "binding");
  EXPECT_EQ(role(ask(plane(0, "0", "-1", ratchet)), "ratchet"), "marginal");
}

}  // namespace zwang::laws::degenerate_tests
