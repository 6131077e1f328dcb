/// Rigid bodies against the laws of their turning, hand-derived shocks, and the same bodies made of points and rods.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

#include "answer.hpp"

namespace zwang::testing::rigid_tests {

namespace {

constexpr double pi = 3.14159265358979323846;
/// What a run at the default tolerance is good to, at sizes of about 1 and over some ten turns.
constexpr double run_exactness = 1e-10;
/// What one instant is good to: rounding of some dozens of operations.
constexpr double instant_exactness = 1e-13;

/// Angular momentum about the centre, in the fixed frame: R I R^T w.
Three momentum(const std::vector<double>& position, const std::vector<double>& velocity, const Three& moments) {
  const std::array<Three, 3> axes = axes_of(position);
  const Three w = part(velocity, 3);
  Three out{};
  for (std::size_t k = 0; k < 3; ++k) out = sum(out, times(moments.at(k) * dot(axes.at(k), w), axes.at(k)));
  return out;
}

/// Euler's equations and those of the quaternion, by Runge and Kutta's fourth order in long double: a route of its own.
struct SlowTop {
  using Real = long double;
  std::array<Real, 4> e;
  std::array<Real, 3> w;  ///< in the body's axes
  std::array<Real, 3> moments;

  using Rates = std::array<Real, 7>;
  [[nodiscard]] static Rates rates(const Rates& y, const std::array<Real, 3>& moments) {
    const Real p = y[4], q = y[5], r = y[6];
    return {(-y[1] * p - y[2] * q - y[3] * r) / 2,          (y[0] * p + y[2] * r - y[3] * q) / 2,
            (y[0] * q + y[3] * p - y[1] * r) / 2,           (y[0] * r + y[1] * q - y[2] * p) / 2,
            (moments[1] - moments[2]) * q * r / moments[0], (moments[2] - moments[0]) * r * p / moments[1],
            (moments[0] - moments[1]) * p * q / moments[2]};
  }
  void go(Real until, int steps) {
    Rates y = {e[0], e[1], e[2], e[3], w[0], w[1], w[2]};
    const Real h = until / steps;
    const auto moved = [](const Rates& a, const Rates& k, Real c) {
      Rates out = a;
      for (std::size_t i = 0; i < 7; ++i) out.at(i) += c * k.at(i);
      return out;
    };
    for (int k = 0; k < steps; ++k) {
      const Rates a = rates(y, moments);
      const Rates b = rates(moved(y, a, h / 2), moments);
      const Rates c = rates(moved(y, b, h / 2), moments);
      const Rates d = rates(moved(y, c, h), moments);
      for (std::size_t i = 0; i < 7; ++i) y.at(i) += h / 6 * (a.at(i) + 2 * b.at(i) + 2 * c.at(i) + d.at(i));
    }
    e = {y[0], y[1], y[2], y[3]};
    w = {y[4], y[5], y[6]};
  }
};

const std::string top = R"toml([bodies.top]
mass = 2
inertia = [1, 2, 3]
position = [1, 2, 3]
velocity = [0.5, 0, -0.25]
spin = [0.1, 3, 0.2]
[simulation]
until = 10
)toml";

}  // namespace

TEST(RigidBody, a_free_top_keeps_energy_and_angular_momentum_and_goes_straight) {
  const Json answer = run_answer(top, {0, 2.5, 5, 7.5});
  ASSERT_EQ(answer["status"], "finished");
  const Three moments = {1, 2, 3};
  const Three before = momentum(numbers(answer["samples"][0]["positions"]["top"]),
                                numbers(answer["samples"][0]["velocities"]["top"]), moments);
  expect_near(before, {0.1, 6, 0.6}, instant_exactness);
  for (const Json& sample : answer["samples"]) {
    const std::vector<double> q = numbers(sample["positions"]["top"]);
    const std::vector<double> v = numbers(sample["velocities"]["top"]);
    ASSERT_EQ(q.size(), 7U);
    ASSERT_EQ(v.size(), 6U);
    expect_near(momentum(q, v, moments), before, run_exactness);
    EXPECT_NEAR(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1, 1e-15);
    const double t = sample["time"];
    expect_near(part(q, 0), {1 + 0.5 * t, 2, 3 - 0.25 * t}, instant_exactness);
  }
  EXPECT_NEAR(answer["energy"]["final"].get<double>(), (2 * (0.25 + 0.0625) + 0.01 + 2 * 9 + 3 * 0.04) / 2,
              run_exactness);
}

TEST(RigidBody, a_free_top_follows_eulers_equations) {
  const Json answer = run_answer(top);
  SlowTop slow{{1, 0, 0, 0}, {0.1L, 3, 0.2L}, {1, 2, 3}};
  slow.go(10, 20000);
  std::vector<double> q = numbers(answer["final"]["positions"]["top"]);
  const double sign = q[3] * static_cast<double>(slow.e[0]) + q[4] * static_cast<double>(slow.e[1]) > 0 ? 1 : -1;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(q[3 + k], sign * static_cast<double>(slow.e.at(k)), run_exactness);
  const Three w = part(numbers(answer["final"]["velocities"]["top"]), 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(dot(axes_of(q).at(k), w), static_cast<double>(slow.w.at(k)), run_exactness);
  }
}

TEST(RigidBody, the_length_of_its_quaternion_does_not_drift_over_a_thousand_turns) {
  const Model model = parse(top, {.until = "2000"});
  const Motion motion = run(model);
  ASSERT_EQ(motion.status(), motion::Status::finished) << motion.why();
  const State end = motion.at(2000);
  double square = 0;
  for (std::size_t k = 3; k < 7; ++k) square += end.position[k] * end.position[k];
  EXPECT_NEAR(square, 1, 1e-12);
}

TEST(RigidBody, its_free_angular_acceleration_is_eulers) {
  const Json answer = accelerate_answer(R"toml(gravity = [0, 0, -10]
[bodies.top]
mass = 2
inertia = [1, 2, 4]
position = [0, 0, 0]
orientation = { axis = [1, 2, 2], angle = 0.7 }
spin = [0.3, -0.4, 0.5]
force = [2, 0, 0]
torque = ["0.1*t", 0.2, "0.3 + top.x"]
)toml");
  const std::vector<double> free = numbers(answer["free"]["top"]);
  ASSERT_EQ(free.size(), 6U);
  expect_near(part(free, 0), {1, 0, -10}, instant_exactness);
  const double half = 0.35;
  const double s = std::sin(half) / 3;
  const std::vector<double> q = {0, 0, 0, std::cos(half), s, 2 * s, 2 * s};
  const std::array<Three, 3> axes = axes_of(q);
  const Three w = {0.3, -0.4, 0.5};
  const Three own = {dot(axes[0], w), dot(axes[1], w), dot(axes[2], w)};
  const Three torque = {0, 0.2, 0.3};
  const Three moments = {1, 2, 4};
  const Three spun = {own[0] * 1, own[1] * 2, own[2] * 4};
  Three truth{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double rate = (dot(axes.at(k), torque) - cross(own, spun).at(k)) / moments.at(k);
    truth = sum(truth, times(rate, axes.at(k)));
  }
  expect_near(part(free, 3), truth, instant_exactness);
  expect_near(numbers(answer["accelerations"]["top"]), free, instant_exactness);
}

TEST(RigidBody, all_ways_to_write_an_orientation_agree) {
  const auto start = [](const std::string& orientation) {
    const Model model =
        parse("[bodies.b]\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 0]\norientation = " + orientation +
              "\n[simulation]\nuntil = 0.1\n");
    const State state = model.initial();
    return std::vector<double>(state.position.begin() + 3, state.position.end());
  };
  const std::vector<double> truth = {std::cos(pi / 6), 0, 0, std::sin(pi / 6)};
  expect_near(start(R"x({ axis = [0, 0, 5], angle = "pi/3" })x"), truth, 1e-15);
  expect_near(start(R"x(["sqrt(3)", 0, 0, 1])x"), truth, 1e-15);
  expect_near(start(R"x([["cos(pi/3)", "-sin(pi/3)", 0], ["sin(pi/3)", "cos(pi/3)", 0], [0, 0, 1]])x"), truth, 1e-15);
  // Half a turn: the trace of the matrix is -1.
  expect_near(start("[[-1, 0, 0], [0, 1, 0], [0, 0, -1]]"), {0, 0, 1, 0}, 1e-15);
}

TEST(RigidBody, a_matrix_of_inertia_turned_with_its_axes_is_the_same_body) {
  // Axes turned by the angle a about z: moments 1, 2 become a matrix.
  const double a = 0.4;
  const double c = std::cos(a), s = std::sin(a);
  const auto model = [&](const std::string& inertia, double angle) {
    return fmt::format(
        "[bodies.b]\nmass = 1\ninertia = {}\nposition = [0, 0, 0]\norientation = {{ axis = [0, 0, 1], angle = {:.17g} "
        "}}\n"
        "spin = [1, 0.5, -0.7]\n[simulation]\nuntil = 3\n",
        inertia, angle);
  };
  const Json plain = run_answer(model("[1, 2, 2.5]", a));
  const Json turned = run_answer(model(fmt::format("[[{:.17g}, {:.17g}, 0], [{:.17g}, {:.17g}, 0], [0, 0, 2.5]]",
                                                   c * c + 2 * s * s, -c * s, -c * s, s * s + 2 * c * c),
                                       0));
  expect_near(part(numbers(plain["final"]["velocities"]["b"]), 3), part(numbers(turned["final"]["velocities"]["b"]), 3),
              run_exactness);
}

TEST(RigidBody, hung_by_a_mark_it_moves_like_four_points_and_six_rods) {
  // Four masses, their centre at the origin of the body's axes, and the inertia they have about it.
  const std::array<double, 4> mass = {1, 2, 0.5, 1.5};
  std::array<Three, 4> place = {{{0.5, 0.1, -0.2}, {-0.3, 0.4, 0.1}, {0.2, -0.6, 0.3}, {0, 0, 0}}};
  Three moment{};
  for (std::size_t k = 0; k < 3; ++k) moment = sum(moment, times(mass.at(k), place.at(k)));
  place[3] = times(-1 / mass[3], moment);
  double total = 0;
  std::array<Three, 3> inertia{};
  for (std::size_t k = 0; k < 4; ++k) {
    total += mass.at(k);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        inertia.at(i).at(j) +=
            mass.at(k) * ((i == j ? dot(place.at(k), place.at(k)) : 0) - place.at(k).at(i) * place.at(k).at(j));
      }
    }
  }
  const Three w = {0.8, -1.1, 0.6};
  const Three v = {0.2, 0.4, 0};
  const auto text = [](const Three& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); };
  // The first point hangs on a rod at rest along z, and its velocity is sideways.
  const Three first = sum(v, cross(w, place[0]));
  const Three hook = sum(place[0], times(1.5 / std::sqrt(dot(first, first)), cross({0, 0, 1}, first)));
  const double length = std::sqrt(dot(sum(hook, times(-1, place[0])), sum(hook, times(-1, place[0]))));
  std::string points = "gravity = [0, 0, -9.81]\n";
  for (std::size_t k = 0; k < 4; ++k) {
    points += fmt::format("[points.p{}]\nmass = {:.17g}\nposition = {}\nvelocity = {}\n", k, mass.at(k),
                          text(place.at(k)), text(sum(v, cross(w, place.at(k)))));
  }
  points += "[constraints]\n";
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i + 1; j < 4; ++j) {
      const Three apart = sum(place.at(i), times(-1, place.at(j)));
      points += fmt::format("rod{}{} = \"distance(p{}, p{}) = {:.17g}\"\n", i, j, i, j, std::sqrt(dot(apart, apart)));
    }
  }
  points += fmt::format("hang = \"distance(p0, {}) = {:.17g}\"\n[simulation]\nuntil = 3\n", text(hook), length);
  std::string body = fmt::format(
      "gravity = [0, 0, -9.81]\n[bodies.b]\nmass = {:.17g}\ninertia = [{}, {}, {}]\nposition = [0, 0, 0]\nvelocity = "
      "{}\nspin = {}\n"
      "[bodies.b.marks]\n",
      total, text(inertia[0]), text(inertia[1]), text(inertia[2]), text(v), text(w));
  for (std::size_t k = 0; k < 4; ++k) body += fmt::format("p{} = {}\n", k, text(place.at(k)));
  body += fmt::format(
      "[constraints]\nhang = \"distance(b.p0, {}) = {:.17g}\"\n[outputs]\nspeed = \"b.p2'\"\n[simulation]\nuntil = 3\n",
      text(hook), length);

  const Json slow = run_answer(points, {0.7, 1.9});
  const Json quick = run_answer(body, {0.7, 1.9});
  ASSERT_EQ(slow["status"], "finished");
  ASSERT_EQ(quick["status"], "finished");
  for (std::size_t sample = 0; sample < 2; ++sample) {
    const Json& a = slow["samples"][sample];
    const Json& b = quick["samples"][sample];
    const std::vector<double> q = numbers(b["positions"]["b"]);
    const std::vector<double> rate = numbers(b["velocities"]["b"]);
    for (std::size_t k = 0; k < 4; ++k) {
      const Three arm = carried(q, place.at(k));
      const std::string name = fmt::format("p{}", k);
      expect_near(sum(part(q, 0), arm), part(numbers(a["positions"][name]), 0), run_exactness);
      expect_near(sum(part(rate, 0), cross(part(rate, 3), arm)), part(numbers(a["velocities"][name]), 0),
                  run_exactness);
    }
    EXPECT_NEAR(a["multipliers"]["hang"].get<double>(), b["multipliers"]["hang"].get<double>(), 100 * run_exactness);
  }
  const Model model = parse(body);
  const Motion motion = run(model);
  const std::vector<double> speed = motion.sample(1.9).outputs;
  expect_near({speed.at(0), speed.at(1), speed.at(2)}, part(numbers(slow["samples"][1]["velocities"]["p2"]), 0),
              run_exactness);
}

TEST(RigidBody, a_corner_strikes_the_floor_with_the_impulse_of_the_hand_derived_formula) {
  // l = (1 + e) u / (1/m + (r x n).I^-1 (r x n)), u the speed of approach, n upwards.
  const Json answer = impact_answer(R"toml([bodies.box]
mass = 3
inertia = [0.2, 0.5, 0.4]
position = [0, 0, 0.25]
velocity = [0.3, 0, -2]
spin = [0.4, -0.6, 0.2]
[bodies.box.marks]
corner = [0.5, 0.3, -0.25]
[constraints]
floor = { condition = "box.corner.z >= 0", restitution = 0.25 }
)toml");
  const Three r = {0.5, 0.3, -0.25};
  const Three n = {0, 0, 1};
  const Three w = {0.4, -0.6, 0.2};
  const double approach = -(-2 + cross(w, r)[2]);
  const Three arm = cross(r, n);
  const double mobility = 1.0 / 3 + arm[0] * arm[0] / 0.2 + arm[1] * arm[1] / 0.5 + arm[2] * arm[2] / 0.4;
  const double l = 1.25 * approach / mobility;
  EXPECT_NEAR(answer["impulses"]["floor"].get<double>(), l, instant_exactness);
  expect_near(numbers(answer["velocities"]["box"]),
              {0.3, 0, -2 + l / 3, w[0] + l * arm[0] / 0.2, w[1] + l * arm[1] / 0.5, w[2] + l * arm[2] / 0.4},
              instant_exactness);
}

TEST(RigidBody, a_blow_on_a_mark_and_a_blow_of_torque_change_velocity_and_spin) {
  const std::string body = R"toml([bodies.box]
mass = 2
inertia = [1, 2, 4]
position = [0, 0, 0]
orientation = { axis = [0, 0, 1], angle = "pi/2" }
[bodies.box.marks]
tip = [1, 0, 0]
)toml";
  // The tip is at [0, 1, 0]; the body's x and y axes lie along y and -x.
  const Json struck = impact_answer(body + "[[impulses]]\non = \"box.tip\"\nvalue = [0, 0, 6]\n");
  expect_near(numbers(struck["velocities"]["box"]), {0, 0, 3, 6.0 / 2, 0, 0}, instant_exactness);
  const Json turned = impact_answer(body + "[[impulses]]\non = \"box\"\ntorque = [0, 3, 8]\nvalue = [2, 0, 0]\n");
  expect_near(numbers(turned["velocities"]["box"]), {1, 0, 0, 0, 3, 2}, instant_exactness);
  // Later, in another orientation: after a quarter of a turn the tip is at [-1, 0, 0].
  const Json later =
      run_answer(body +
                     "[simulation]\nuntil = 2\n[[impulses]]\nat = 0\non = \"box\"\ntorque = [0, 0, \"2*pi\"]\n"
                     "[[impulses]]\nat = 1\non = \"box.tip\"\nvalue = [0, 0, 6]\n",
                 {1});
  expect_near(numbers(later["samples"][0]["velocities"]["box"]), {0, 0, 3, 0, 6.0 / 2, pi / 2}, run_exactness);
}

TEST(RigidBody, reactions_are_force_and_torque_in_the_fixed_frame) {
  const Json answer = accelerate_answer(R"toml(gravity = [0, 0, -10]
[bodies.rod]
mass = 2
inertia = [0.1, 0.6, 0.6]
position = [0, 1, 0]
orientation = { axis = [0, 0, 1], angle = "pi/2" }
[bodies.rod.marks]
hook = [1, 0, 0]
[constraints]
rope = "distance(rod.hook, [0, 2, 3]) <= 3"
)toml");
  // At rest, the hook at [0, 2, 0] under its support: lambda (1/m + 1/I) = g.
  const double tension = 10 / (0.5 + 1 / 0.6);
  EXPECT_NEAR(answer["multipliers"]["rope"].get<double>(), tension, instant_exactness * 10);
  expect_near(numbers(answer["reactions"]["rope"]["rod"]), {0, 0, tension, tension, 0, 0}, instant_exactness * 10);
  expect_near(numbers(answer["reaction"]["rod"]), {0, 0, tension, tension, 0, 0}, instant_exactness * 10);
  expect_near(numbers(answer["accelerations"]["rod"]), {0, 0, -10 + tension / 2, tension / 0.6, 0, 0},
              instant_exactness * 100);
  // Z = sum of reaction^2 / mass: f.a of the reaction.
  EXPECT_NEAR(answer["constraint"].get<double>(), tension * tension * (0.5 + 1 / 0.6), 1e-11);
}

TEST(RigidBody, rolls_without_slip_when_its_spin_is_tied_to_its_velocity) {
  // A ball on a plane inclined by the angle a: acceleration 5/7 g sin a.
  const Json answer = run_answer(R"toml(gravity = ["10*sin(0.3)", 0, "-10*cos(0.3)"]
[bodies.ball]
mass = 2
shape = { ball = 0.5 }
position = [0, 0, 0.5]
[constraints]
plane = "ball.z = 0.5"
roll_x = "ball.x' = 0.5*ball.spin.y"
roll_y = "ball.y' = -0.5*ball.spin.x"
[simulation]
until = 2
)toml");
  ASSERT_EQ(answer["status"], "finished");
  const double a = 50.0 / 7 * std::sin(0.3);
  expect_near(part(numbers(answer["final"]["positions"]["ball"]), 0), {2 * a, 0, 0.5}, run_exactness);
  expect_near(numbers(answer["final"]["velocities"]["ball"]), {2 * a, 0, 0, 0, 4 * a, 0}, run_exactness);
}

TEST(RigidBody, an_axis_that_stays_level_is_a_condition) {
  // Held level, it cannot fall over: the spin about the vertical goes on.
  const Json answer = run_answer(R"toml([bodies.bar]
mass = 1
inertia = [0.1, 1, 1]
position = [0, 0, 0]
spin = [3, 0, 2]
[constraints]
level = "dot(axis(bar, [1, 0, 0]), [0, 0, 1]) = 0"
[simulation]
until = 4
)toml");
  ASSERT_EQ(answer["status"], "finished");
  const std::vector<double> w = numbers(answer["final"]["velocities"]["bar"]);
  const Three x = axes_of(numbers(answer["final"]["positions"]["bar"]))[0];
  EXPECT_NEAR(x[2], 0, run_exactness);
  EXPECT_NEAR(w[5], 2, run_exactness);
  EXPECT_NEAR(x[0] * w[3] + x[1] * w[4], 3, run_exactness);
}

TEST(RigidBody, shapes_have_the_inertia_of_their_solids) {
  // Asked for by an angular blow about one axis after the other: w = N / I.
  const auto moments = [](const std::string& shape) {
    Three out{};
    for (std::size_t k = 0; k < 3; ++k) {
      Three blow{};
      blow.at(k) = 1;
      const Json answer = impact_answer(fmt::format(
          "[bodies.b]\ndensity = 2\nshape = {}\nposition = [0, 0, 0]\n[[impulses]]\non = \"b\"\ntorque = [{}, {}, {}]\n"
          "value = [1, 0, 0]\n",
          shape, blow[0], blow[1], blow[2]));
      const std::vector<double> v = numbers(answer["velocities"]["b"]);
      out.at(k) = v.at(3 + k) == 0 ? 0 : v[0] / v.at(3 + k);  // I / m
    }
    return out;
  };
  expect_near(moments("{ box = [1, 2, 3] }"), {13.0 / 12, 10.0 / 12, 5.0 / 12}, instant_exactness);
  expect_near(moments("{ ball = 0.5 }"), {0.1, 0.1, 0.1}, instant_exactness);
  expect_near(moments("{ cylinder = [1, 2] }"), {7.0 / 12, 7.0 / 12, 0.5}, instant_exactness);
  expect_near(moments("{ rod = 2 }"), {0, 1.0 / 3, 1.0 / 3}, instant_exactness);
  // A capsule by its slices: discs of radius s at the height z, s^2 / 4 + z^2 across and s^2 / 2 along.
  const double r = 0.4;
  const double h = 1.5;
  double volume = 0, across = 0, along = 0;
  constexpr int slices = 200000;
  for (int k = 0; k < slices; ++k) {
    const double z = -h / 2 - r + (h + 2 * r) * (k + 0.5) / slices;
    const double out = std::max(0.0, std::abs(z) - h / 2);
    const double s2 = r * r - out * out;
    volume += s2;
    across += s2 * (s2 / 4 + z * z);
    along += s2 * s2 / 2;
  }
  expect_near(moments("{ capsule = [0.4, 1.5] }"), {across / volume, across / volume, along / volume}, 1e-9);
}

TEST(RigidBody, a_thin_rod_keeps_its_spin_about_itself_zero) {
  const Json answer = run_answer(R"toml(gravity = [0, 0, -10]
[bodies.rod]
mass = 1
shape = { rod = 2 }
position = [1, 0, 0]
spin = [5, 0, 1]
torque = ["0.3", 0.1, 0.2]
[bodies.rod.marks]
end = [-1, 0, 0]
[constraints]
pivot = "rod.end = [0, 0, 0]"
[simulation]
until = 2
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer.dump();
  const Three x = axes_of(numbers(answer["final"]["positions"]["rod"]))[0];
  EXPECT_NEAR(dot(x, part(numbers(answer["final"]["velocities"]["rod"]), 3)), 0, run_exactness);
}

/// e f of two quaternions.
std::array<double, 4> product(const std::array<double, 4>& e, const std::array<double, 4>& f) {
  return {e[0] * f[0] - e[1] * f[1] - e[2] * f[2] - e[3] * f[3], e[0] * f[1] + e[1] * f[0] + e[2] * f[3] - e[3] * f[2],
          e[0] * f[2] + e[2] * f[0] + e[3] * f[1] - e[1] * f[3], e[0] * f[3] + e[3] * f[0] + e[1] * f[2] - e[2] * f[1]};
}
std::array<double, 4> turn_about(const Three& vector, double by) {
  const double size = std::sqrt(dot(vector, vector));
  const double s = std::sin(by * size / 2) / size;
  return {std::cos(by * size / 2), s * vector[0], s * vector[1], s * vector[2]};
}

TEST(RigidBody, however_thin_turns_as_a_symmetric_top) {
  // About the angular momentum L with |L| / I, and about its own axis with (1 - I_1 / I) of its spin there: Euler's motion of a symmetric top.
  const std::array<double, 4> start = {0.5, 0.1, -0.7, 0.5};
  for (const double thin : {1e-5, 1e-9, 1e-12, 1e-15, 1e-20}) {
    for (const std::size_t axis : {0U, 2U}) {
      Three moments = {0.5, 0.5, 0.5};
      moments.at(axis) = thin;
      const std::string text = fmt::format(
          "[bodies.rod]\nmass = 2\ninertia = [{}, {}, {}]\nposition = [0, 0, 0]\norientation = [{}, {}, {}, {}]\nspin "
          "= "
          "[0.5, 1, 2]\n[simulation]\nuntil = 5\n",
          moments[0], moments[1], moments[2], start[0], start[1], start[2], start[3]);
      const Json first = run_answer(text, {0, 5});
      ASSERT_EQ(first["status"], "finished") << thin;
      const std::vector<double> before = numbers(first["samples"][0]["positions"]["rod"]);
      const std::vector<double> after = numbers(first["final"]["positions"]["rod"]);
      const Three turning = momentum(before, {0, 0, 0, 0.5, 1, 2}, moments);
      const Three own = axes_of(before).at(axis);
      const double spin = dot(own, {0.5, 1, 2});
      Three unit{};
      unit.at(axis) = 1;
      std::array<double, 4> truth =
          product(product(turn_about(times(2, turning), 5), {before[3], before[4], before[5], before[6]}),
                  turn_about(unit, 5 * spin * (1 - thin / 0.5)));
      const double sign =
          truth[0] * after[3] + truth[1] * after[4] + truth[2] * after[5] + truth[3] * after[6] < 0 ? -1 : 1;
      for (std::size_t c = 0; c < 4; ++c)
        EXPECT_NEAR(after[3 + c], sign * truth.at(c), run_exactness) << thin << " " << axis;
      const Three w = part(numbers(first["final"]["velocities"]["rod"]), 3);
      EXPECT_NEAR(dot(axes_of(after).at(axis), w), spin, run_exactness) << thin << " " << axis;
      // And at the instant: its own spin does not change in its axes.
      const Three change = part(numbers(accelerate_answer(text)["accelerations"]["rod"]), 3);
      EXPECT_NEAR(dot(own, change), 0, instant_exactness) << thin << " " << axis;
    }
  }
}

TEST(RigidBody, nearly_thin_on_a_ball_joint_at_its_end_swings_as_a_thin_rod) {
  const auto text = [](const std::string& what) {
    return fmt::format(R"toml(gravity = [0, 0, -10]
[bodies.rod]
mass = 2
{}
position = [0.3, 0.4, 0]
orientation = {{ axis = [0, 0, 1], angle = "atan2(4, 3)" }}
spin = [0.5, 0.25, 1.5]
[bodies.rod.marks]
end = [-0.5, 0, 0]
[joints]
pin = {{ ball = [[0, 0, 0], "rod.end"] }}
[springs]
pull = {{ between = ["rod", [0, 0, 2]], length = 0.5, stiffness = 3 }}
[simulation]
until = 4
)toml",
                       what);
  };
  const Json thin = run_answer(text("shape = { rod = 1 }"));
  ASSERT_EQ(thin["status"], "finished");
  for (const char* least : {"1e-9", "1e-13"}) {
    const Json nearly = run_answer(text(fmt::format("inertia = [{}, \"1/6\", \"1/6\"]", least)));
    ASSERT_EQ(nearly["status"], "finished") << least;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(nearly["final"]["positions"]["rod"][c].get<double>(),
                  thin["final"]["positions"]["rod"][c].get<double>(), 1e-8)
          << least;
      EXPECT_NEAR(nearly["final"]["velocities"]["rod"][c].get<double>(),
                  thin["final"]["velocities"]["rod"][c].get<double>(), 1e-8)
          << least;
    }
    // Nothing acts about its own axis.
    const std::vector<double> place = numbers(nearly["final"]["positions"]["rod"]);
    EXPECT_NEAR(dot(axes_of(place)[0], part(numbers(nearly["final"]["velocities"]["rod"]), 3)), 0.5 * 0.6 + 0.25 * 0.8,
                1e-10);
  }
}

TEST(RigidBody, nearly_thin_that_strikes_with_its_end_gets_no_spin_about_itself) {
  const Json answer = impact_answer(R"toml([bodies.rod]
mass = 1
inertia = [1e-12, 1, 1]
position = [0, 0, "0.5*sin(0.3)"]
orientation = { axis = [0.1, 1, 0.05], angle = 0.3 }
velocity = [0.2, 0, -1]
[bodies.rod.marks]
end = [0.5, 0, 0]
[[seizures]]
name = "held"
condition = "rod.end' = [0, 0, 0]"
)toml");
  const std::vector<double> after = numbers(answer["velocities"]["rod"]);
  const double size = std::sqrt(0.1 * 0.1 + 1 + 0.05 * 0.05);
  const double s = std::sin(0.15) / size;
  const Three own = axes_of({0, 0, 0, std::cos(0.15), 0.1 * s, s, 0.05 * s})[0];
  EXPECT_NEAR(dot(own, part(after, 3)), 0, instant_exactness);
  EXPECT_GT(std::abs(after[4]), 0.1);
}

TEST(RigidBody, members_of_a_family_have_marks_of_their_own) {
  const Json answer = accelerate_answer(R"toml([parameters]
L = 2
[bodies.bar]
count = 3
mass = "i"
inertia = [1, "i", "i"]
position = ["2*i", 0, 0]
spin = [0, 0, "i"]
velocity = [0, 1, 0]
[bodies.bar.marks]
right = ["i/2", 0, 0]
left = ["-L/2", 0, 0]
[constraints]
link = { for = "i = 1..2", condition = "distance(bar[i].right, bar[i+1].left) <= 5" }
)toml");
  EXPECT_EQ(answer["status"], "determined");
  // right of 2 at 5, left of 3 at 5; right of 1 at 2.5, left of 2 at 3.
  EXPECT_NEAR(answer["constraints"]["link[1]"]["value"].get<double>(), 0.5 - 5, instant_exactness);
  EXPECT_NEAR(answer["constraints"]["link[2]"]["value"].get<double>(), 0 - 5, instant_exactness);
}

TEST(RigidBody, hanging_on_a_hinge_it_is_stable_with_the_period_of_a_compound_pendulum_and_upright_it_is_not) {
  const auto model = [](double side) {
    return parse(fmt::format(R"toml(gravity = [0, 0, -9.81]
[bodies.b]
mass = 2
inertia = [0.3, 0.4, 0.6]
position = [0, 0, {}]
[bodies.b.marks]
m = [0, 0, {}]
[joints]
j = {{ hinge = [[0, 0, 0], "b.m"], axis = [0, 1, 0] }}
)toml",
                             side, -side));
  };
  const Model below = model(-0.5);
  const auto hangs = analysis::stability(below, below.initial());
  EXPECT_TRUE(hangs.equilibrium);
  EXPECT_EQ(hangs.stable, std::optional<bool>(true));
  ASSERT_EQ(hangs.roots.size(), 1U);
  // m g d / (I + m d^2)
  EXPECT_NEAR(hangs.roots[0].real(), -9.81 / 0.9, 1e-12);
  const Model above = model(0.5);
  const auto stands = analysis::stability(above, above.initial());
  EXPECT_EQ(stands.stable, std::optional<bool>(false));
  EXPECT_NEAR(stands.growth_rate, std::sqrt(9.81 / 0.9), 1e-12);
}

TEST(RigidBody, standing_on_a_mark_under_load_it_keeps_the_length_of_its_quaternion) {
  // A fast top that stands on its tip for a hundred turns.
  const Model model = parse(R"toml(gravity = [0, 0, -10]
[bodies.top]
mass = 1
inertia = [0.02, 0.02, 0.01]
position = [0, 0, 0.1]
spin = [0.01, 0, 60]
velocity = [0, -0.001, 0]
[bodies.top.marks]
tip = [0, 0, -0.1]
[constraints]
floor = "top.tip = [0, 0, 0]"
[simulation]
until = 10
)toml");
  const Motion motion = run(model);
  ASSERT_EQ(motion.status(), motion::Status::finished) << motion.why();
  const State end = motion.at(10);
  double square = 0;
  for (std::size_t k = 3; k < 7; ++k) square += end.position[k] * end.position[k];
  EXPECT_NEAR(square, 1, 1e-12);
}

TEST(RigidBody, a_start_that_is_mended_is_written_back_whatever_way_it_was_turned) {
  const std::string before = "[bodies.b]\nmass = 2\ninertia = [1, 2, 4]\nposition = [0, 0, 0]\nspin = [0, 0.1, 0.2]\n";
  const std::vector<std::string> ways = {"orientation = { axis = [0, 1, 0], angle = 0.3 } # turned\n",
                                         "orientation = [1, 0, 0.2, 0]\n", "",
                                         "[bodies.b.orientation]\naxis = [0, 1, 0]\nangle = 0.3\n"};
  for (const std::string& way : ways) {
    const Model model = parse(before + way);
    State state = model.initial();
    state.position = {1, 2, 3, 0.5, 0.5, -0.5, 0.5};
    const Model again = parse(model.written_from(state));
    // The same turn, up to the sign of its quaternion.
    const State found = again.initial();
    expect_near(std::vector<double>(found.position.begin(), found.position.end()), state.position, 1e-15);
  }
}

TEST(PlaneBody, a_compound_pendulum_swings_like_its_coordinate) {
  const std::string body = R"toml(gravity = [0, -9.81]
[bodies.bar]
mass = 2
inertia = 0.3
position = ["0.7*sin(1)", "-0.7*cos(1)"]
orientation = 1
velocity = ["0.7*cos(1)*0.5", "0.7*sin(1)*0.5"]
spin = 0.5
[bodies.bar.marks]
pivot = [0, 0.7]
[constraints]
pin = "bar.pivot = [0, 0]"
[simulation]
until = 5
)toml";
  const std::string coordinate = R"toml([coordinates.w]
initial = 1
velocity = 0.5
[energy]
kinetic = "(0.3 + 2*0.49)/2*w'^2"
potential = "-2*9.81*0.7*cos(w)"
[simulation]
until = 5
)toml";
  const Json a = run_answer(body);
  const Json b = run_answer(coordinate);
  ASSERT_EQ(a["status"], "finished");
  const std::vector<double> q = numbers(a["final"]["positions"]["bar"]);
  ASSERT_EQ(q.size(), 3U);
  EXPECT_NEAR(q[2], b["final"]["positions"]["w"].get<double>(), run_exactness);
  EXPECT_NEAR(numbers(a["final"]["velocities"]["bar"])[2], b["final"]["velocities"]["w"].get<double>(), run_exactness);
}

TEST(PlaneBody, blows_torques_and_reactions_have_their_moments) {
  const std::string plate = R"toml([bodies.plate]
mass = 2
inertia = 4
position = [0, 0]
orientation = "pi/2"
torque = 3
[bodies.plate.marks]
tip = [1, 0]
)toml";
  expect_near(numbers(accelerate_answer(plate)["accelerations"]["plate"]), {0, 0, 0.75}, instant_exactness);
  const Json struck = impact_answer(plate + "[[impulses]]\non = \"plate.tip\"\nvalue = [6, 0]\n");
  expect_near(numbers(struck["velocities"]["plate"]), {3, 0, -1.5}, instant_exactness);
  const Json held = accelerate_answer(
      plate + "[constraints]\nhold = \"plate.tip.x <= 0\"\n[[impulses]]\nat = 1\non = \"plate\"\ntorque = 1\n");
  // The tip would go to -x; nothing holds it.
  expect_near(numbers(held["accelerations"]["plate"]), {0, 0, 0.75}, instant_exactness);
  const Json stopped = accelerate_answer(plate + "[constraints]\nhold = \"plate.tip.x >= 0\"\n");
  // lambda (1/m + 1/I) = 0.75.
  const double lambda = 0.75 / (0.5 + 0.25);
  expect_near(numbers(stopped["reactions"]["hold"]["plate"]), {lambda, 0, -lambda}, instant_exactness);
}

TEST(PlaneBody, shapes_have_the_inertia_of_their_figures_and_a_polygon_takes_its_marks_with_it) {
  const auto moment = [](const std::string& shape) {
    const Json answer =
        impact_answer(fmt::format("[bodies.b]\ndensity = 3\nshape = {}\nposition = [0, 0]\n[[impulses]]\non = "
                                  "\"b\"\ntorque = 1\nvalue = [1, 0]\n",
                                  shape));
    const std::vector<double> v = numbers(answer["velocities"]["b"]);
    return v[0] / v[2];
  };
  EXPECT_NEAR(moment("{ box = [1, 2] }"), 5.0 / 12, instant_exactness);
  EXPECT_NEAR(moment("{ disc = 2 }"), 2, instant_exactness);
  EXPECT_NEAR(moment("{ rod = 3 }"), 0.75, instant_exactness);
  // The same box, written far from its centre and clockwise.
  EXPECT_NEAR(moment("{ polygon = [[10, 7], [10, 9], [11, 9], [11, 7]] }"), 5.0 / 12, 1e-12);
  const Json answer = accelerate_answer(R"toml([bodies.b]
density = 1
shape = { polygon = [[10, 7], [10, 9], [11, 9], [11, 7]] }
position = [0, 0]
[bodies.b.marks]
corner = [10, 7]
[constraints]
left = "b.corner.x >= -1"
low = "b.corner.y >= -2"
)toml");
  EXPECT_NEAR(answer["constraints"]["left"]["value"].get<double>(), -0.5, 1e-14);
  EXPECT_NEAR(answer["constraints"]["low"]["value"].get<double>(), -1, 1e-14);
}

}  // namespace zwang::testing::rigid_tests
