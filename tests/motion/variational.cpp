/// Motion under the variational law: closed forms by elliptic integrals, conservation, change of basis, refusals.
///
/// The cart (Maurer 1905, section 8): edge cos(w) y' - sin(w) x' = 0, T = M/2 (x'^2 + y'^2 + l^2 w'^2), no forces. With
/// rho = a sin(alpha - w), M v = a cos(alpha - w), chi = w - alpha + pi/2 and k^2 = a^2 / (M^2 v^2 + M^2 l^2 w'^2)
///
///   F(chi, k) = F(chi_0, k) + a t / (k l M),    displacement (l/k) [F - E] along alpha, (l^2 M / a) w' across.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::variational_tests {

namespace {

using std::numbers::pi;

model::Model model_of(const std::string& text) { return model::compile(model::read(text, "test.toml")); }

struct Whole {
  std::vector<Piece> pieces;
  std::vector<Event> events;
  Motion motion;
};

Whole follow(const model::Model& model, double until, double tolerance = 0) {
  Whole whole;
  Options options;
  options.until = until;
  options.tolerance = tolerance;
  whole.motion = begin(model, options);
  whole.events = whole.motion.events;
  while (advance(whole.motion)) {
    whole.pieces.push_back(whole.motion.piece);
    whole.events.insert(whole.events.end(), whole.motion.events.begin(), whole.motion.events.end());
  }
  return whole;
}

const Piece& piece_at(const Whole& whole, double time) {
  for (const Piece& piece : whole.pieces) {
    if (time <= piece.end()) return piece;
  }
  return whole.pieces.back();
}

// ---- the cart and its elliptic integrals

struct Cart {
  double M = 1, l = 0.5, v0 = 1, w0 = 0, turn = 1, rho0 = 0.25;
};

std::string text_of(const Cart& cart, const std::string& law = "variational") {
  const auto number = [](double x) { return std::to_string(x); };
  std::string text = "[parameters]\nM = " + number(cart.M) + "\nl = " + number(cart.l) +
                     "\n[coordinates.x]\ninitial = 0\nvelocity = \"" + number(cart.v0) + "*cos(" + number(cart.w0) +
                     ")\"\n[coordinates.y]\ninitial = 0\nvelocity = \"" + number(cart.v0) + "*sin(" + number(cart.w0) +
                     ")\"\n[coordinates.w]\ninitial = " + number(cart.w0) + "\nvelocity = " + number(cart.turn) +
                     "\n[energy]\nkinetic = \"M/2*(x'^2 + y'^2 + l^2*w'^2)\"\n[constraints]\n"
                     "edge = {condition = \"cos(w)*y' - sin(w)*x' = 0\"";
  if (law == "variational") text += ", law = \"variational\", multiplier = " + number(cart.rho0);
  return text + "}\n";
}

/// The x with f(x) = value for a growing f with the rate given, by Newton's rule kept between bounds.
double inverse(const std::function<double(double)>& f, const std::function<double(double)>& rate, double value,
               double x) {
  for (int round = 0; round < 200; ++round) {
    const double step = (value - f(x)) / rate(x);
    x += std::clamp(step, -0.5, 0.5);
    if (std::abs(step) < 1e-16 * (1 + std::abs(x))) break;
  }
  return x;
}

struct CartState {
  double x, y, w, turn, rho, speed;
};

/// The closed form at time t.
CartState closed_form(const Cart& cart, double t) {
  const double M = cart.M;
  const double l = cart.l;
  const double a = std::hypot(M * cart.v0, cart.rho0);
  const double alpha = cart.w0 + std::atan2(cart.rho0, M * cart.v0);
  const double k = a / std::hypot(M * cart.v0, M * l * cart.turn);
  const double chi0 = cart.w0 - alpha + pi / 2;
  const auto root = [&](double chi) { return std::sqrt(std::max(0.0, 1 - k * k * std::sin(chi) * std::sin(chi))); };
  double chi = chi0;
  double turn = 0;
  double along = 0;  // the integral of (a/M) sin(chi)^2 over time
  if (k < 1) {
    const double target = std::ellint_1(k, chi0) + a * t / (k * l * M);
    chi = inverse([&](double x) { return std::ellint_1(k, x); }, [&](double x) { return 1 / root(x); }, target, chi0);
    turn = a / (k * l * M) * root(chi);
    along = l / k * (std::ellint_1(k, chi) - std::ellint_2(k, chi) - std::ellint_1(k, chi0) + std::ellint_2(k, chi0));
  } else {
    // sin(theta) = k sin(chi): theta goes round although chi swings. With k = 1 both are the same.
    const double m = 1 / k;
    const double theta0 = std::asin(std::clamp(k * std::sin(chi0), -1.0, 1.0));
    const auto F = [&](double x) { return k == 1 ? std::atanh(std::sin(x)) : std::ellint_1(m, x); };
    const auto slope = [&](double x) { return std::sqrt(1 - m * m * std::sin(x) * std::sin(x)); };
    const double target = F(theta0) + a * t / (l * M);
    const double theta = k == 1 ? std::asin(std::tanh(target))
                                : inverse(
                                      F, [&](double x) { return 1 / slope(x); }, target, theta0);
    chi = std::asin(std::sin(theta) / k);
    turn = a / (k * l * M) * std::cos(theta);
    // (a/M) sin(chi)^2 dt = l m^2 sin^2(theta) / slope dtheta = l [F - E].
    const auto E = [&](double x) { return k == 1 ? std::sin(x) : std::ellint_2(m, x); };
    along = l * (F(theta) - E(theta) - F(theta0) + E(theta0));
  }
  const double across = l * l * M / a * (turn - cart.turn);
  CartState out{};
  out.w = chi + alpha - pi / 2;
  out.turn = turn;
  out.x = along * std::cos(alpha) - across * std::sin(alpha);
  out.y = along * std::sin(alpha) + across * std::cos(alpha);
  out.rho = a * std::cos(chi);
  out.speed = a / M * std::sin(chi);
  return out;
}

void expect_closed_form(const Cart& cart, double until) {
  const model::Model model = model_of(text_of(cart));
  const Whole whole = follow(model, until);
  ASSERT_EQ(whole.motion.status, Status::finished) << whole.motion.why;
  for (int i = 1; i <= 20; ++i) {
    const double t = until * i / 20;
    const Piece& piece = piece_at(whole, t);
    model::State state;
    std::vector<double> rho;
    evaluate(piece, t, state);
    evaluate_rho(piece, t, rho);
    const CartState truth = closed_form(cart, t);
    constexpr double tolerance = 1e-11;
    EXPECT_NEAR(state.position[0], truth.x, tolerance) << t;
    EXPECT_NEAR(state.position[1], truth.y, tolerance) << t;
    EXPECT_NEAR(state.position[2], truth.w, tolerance) << t;
    EXPECT_NEAR(state.velocity[2], truth.turn, tolerance) << t;
    EXPECT_NEAR(state.velocity[0], truth.speed * std::cos(truth.w), tolerance) << t;
    EXPECT_NEAR(state.velocity[1], truth.speed * std::sin(truth.w), tolerance) << t;
    ASSERT_EQ(rho.size(), 1U);
    EXPECT_NEAR(rho[0], truth.rho, tolerance) << t;
  }
}

}  // namespace

TEST(VariationalCart, rotates_for_ever_when_k_is_below_one) { expect_closed_form({1, 0.5, 1, 0, 1, 0.25}, 10); }
TEST(VariationalCart, rotates_with_other_masses_and_a_start_askew) {
  expect_closed_form({2, 1.5, 0.7, 0.4, 1.2, -0.5}, 8);
}
TEST(VariationalCart, swings_to_and_fro_when_k_is_above_one) { expect_closed_form({1, 0.5, 1, 0, 0.5, 0.75}, 10); }
TEST(VariationalCart, swings_with_a_strong_multiplier) { expect_closed_form({1, 0.5, 0.25, 0, 0.3, 1.5}, 6); }

TEST(VariationalCart, creeps_towards_the_unstable_direction_when_k_is_one) {
  // rho0 = M l w' makes a equal to the momentum of the whole: k = 1. The limit is unstable: errors grow like exp(a t / l M).
  expect_closed_form({1, 0.5, 1, 0, 0.5, 0.25}, 2);
}

TEST(VariationalCart, without_multiplier_and_without_turning_goes_straight_under_both_laws) {
  Cart cart;
  cart.turn = 0;
  cart.rho0 = 0;
  const Whole variational = follow(model_of(text_of(cart)), 3);
  const Whole straightest = follow(model_of(text_of(cart, "straightest")), 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(variational.motion.state.position[i], straightest.motion.state.position[i], 1e-14);
  }
}

TEST(VariationalCart, straightest_motion_is_a_circle) {
  Cart cart;
  const Whole whole = follow(model_of(text_of(cart, "straightest")), 7);
  EXPECT_NEAR(whole.motion.state.position[0], std::sin(7.0), 1e-12);
  EXPECT_NEAR(whole.motion.state.position[1], 1 - std::cos(7.0), 1e-12);
  EXPECT_TRUE(whole.motion.rho.empty());
}

namespace {

/// Two conditions in four coordinates with a potential; laws and rho as wanted, the second condition with extra terms.
std::string two_conditions(const std::string& first, const std::string& second) {
  return R"(
[coordinates.x]
initial = 0
velocity = 1
[coordinates.y]
initial = 0.5
velocity = 0.5
[coordinates.z]
initial = "1/3"
velocity = 0.5
[coordinates.w]
initial = 0
velocity = "1/6"
[energy]
kinetic = "(x'^2 + y'^2 + (1 + x^2/4)*z'^2 + w'^2)/2 + x'*w'/5"
potential = "(x^2 + y^2 + z^2 + w^2)/10"
[constraints]
)" + ("one = " + first + "\ntwo = " + second + "\n");
}

const std::string one_variational = R"({condition = "z' - y*x' = 0", law = "variational", multiplier = 0.2})";
const std::string two_variational = R"({condition = "w' - z*y' = 0", law = "variational", multiplier = -0.25})";
const std::string one_straightest = R"("z' - y*x' = 0")";
const std::string two_straightest = R"("w' - z*y' = 0")";

/// The polynomial's own acceleration against the instant's at states inside the pieces.
void expect_instants_agree(const model::Model& model, double until) {
  const Whole whole = follow(model, until);
  ASSERT_EQ(whole.motion.status, Status::finished) << whole.motion.why;
  ASSERT_FALSE(whole.pieces.empty());
  for (const Piece& piece : whole.pieces) {
    for (const double part : {0.1, 0.5, 0.9}) {
      const double t = piece.start + part * piece.length;
      model::State state;
      std::vector<double> rho;
      std::vector<double> multipliers;
      evaluate(piece, t, state);
      evaluate_rho(piece, t, rho);
      evaluate_multipliers(piece, t, multipliers);
      state.rho.assign(model.rows(), 0.0);
      for (std::size_t j = 0; j < piece.rows.size(); ++j) state.rho[piece.rows[j]] = rho.empty() ? 0.0 : rho[j];
      const instant::Instant now = instant::accelerate(model, state);
      ASSERT_EQ(now.status, instant::Status::determined);
      const double s = t - piece.start;
      for (std::size_t i = 0; i < piece.n; ++i) {
        double acceleration = 0;
        for (unsigned k = piece.orders; k-- > 2;) {
          acceleration = acceleration * s + k * (k - 1.0) * piece.position[k * piece.n + i];
        }
        EXPECT_NEAR(acceleration, now.accelerations[i], 2e-10 * (1 + std::abs(acceleration))) << t << " " << i;
      }
      for (std::size_t j = 0; j < piece.rows.size(); ++j) {
        EXPECT_NEAR(multipliers[j], now.multipliers[piece.rows[j]], 2e-10 * (1 + std::abs(multipliers[j])));
      }
    }
  }
}

void expect_energy(const Motion& motion, double tolerance) {
  EXPECT_LT(std::abs(motion.energy.defect()), tolerance * (1 + motion.energy.largest_kinetic));
}

}  // namespace

TEST(VariationalMotion, polynomials_have_the_accelerations_of_the_instant) {
  expect_instants_agree(model_of(two_conditions(one_variational, two_variational)), 4);
  expect_instants_agree(model_of(two_conditions(one_variational, two_straightest)), 4);
  expect_instants_agree(model_of(two_conditions(one_straightest, two_variational)), 4);
}

TEST(VariationalMotion, moving_conditions_obey_the_instant_and_their_work_is_accounted_for) {
  const std::string moving =
      R"({condition = "(1 + t/3)*z' - y*x' - sin(t)*x = 0.1", law = "variational", multiplier = 0.3})";
  std::string text = two_conditions(moving, two_straightest);
  // A start that satisfies the moving condition: z' = y x' + 0.1.
  text.replace(text.find("initial = \"1/3\"\nvelocity = 0.5"), 30, "initial = \"1/3\"\nvelocity = 0.6");
  const model::Model model = model_of(text);
  expect_instants_agree(model, 3);
  const Whole whole = follow(model, 3);
  EXPECT_GT(std::abs(whole.motion.energy.work), 1e-3);
  expect_energy(whole.motion, 1e-12);
}

TEST(VariationalMotion, a_blade_that_turns_with_the_clock_does_work_only_under_the_variational_law) {
  const auto text = [](const std::string& law) {
    return "[coordinates.x]\ninitial = 0\nvelocity = 1\n[coordinates.y]\ninitial = 0\n[energy]\n"
           "kinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\n"
           "blade = {condition = \"cos(2*t)*y' - sin(2*t)*x' = 0\"" +
           law + "}\n";
  };
  const Whole straightest = follow(model_of(text("")), 2);
  EXPECT_EQ(straightest.motion.energy.work, 0);
  const Whole variational = follow(model_of(text(", law = \"variational\", multiplier = 0.4")), 2);
  EXPECT_GT(std::abs(variational.motion.energy.work), 1e-2);
  expect_energy(variational.motion, 1e-12);
  // d/dt (v + rho p) = 0 in the plane: speed along the blade and rho are the parts of one constant vector.
  const model::State& end = variational.motion.state;
  EXPECT_NEAR(end.velocity[0] - end.rho[0] * std::sin(4.0), 1.0, 1e-12);
  EXPECT_NEAR(end.velocity[1] + end.rho[0] * std::cos(4.0), 0.4, 1e-12);
}

TEST(VariationalMotion, energy_is_kept_under_every_law) {
  for (const auto& [one, two] :
       {std::pair{one_variational, two_variational}, std::pair{one_variational, two_straightest},
        std::pair{one_straightest, two_variational}, std::pair{one_straightest, two_straightest}}) {
    const Whole whole = follow(model_of(two_conditions(one, two)), 20);
    EXPECT_EQ(whole.motion.status, Status::finished);
    EXPECT_EQ(whole.motion.energy.work, 0);
    expect_energy(whole.motion, 3e-13);
  }
}

TEST(VariationalMotion, purely_variational_motion_does_not_depend_on_the_basis_but_a_mixed_one_does) {
  // Phi = C Psi with tau = C^T rho: Psi1 = Phi1, Psi2 = Phi2 - 2 Phi1, so that rho1 Phi1 + rho2 Phi2 = (rho1 + 2 rho2) Psi1 + rho2 Psi2.
  const auto end_of = [](const std::string& one, const std::string& two) {
    return follow(model_of(two_conditions(one, two)), 3).motion.state.position;
  };
  const std::string combined = "w' - z*y' - 2*(z' - y*x') = 0";
  const auto apart = [](const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  };
  const auto pure = end_of(one_variational, two_variational);
  const auto other = end_of(R"({condition = "z' - y*x' = 0", law = "variational", multiplier = -0.3})",
                            "{condition = \"" + combined + "\", law = \"variational\", multiplier = -0.25}");
  EXPECT_LT(apart(pure, other), 1e-11);
  const auto straight = end_of(one_straightest, two_straightest);
  EXPECT_LT(apart(straight, end_of(one_straightest, "\"" + combined + "\"")), 1e-11);
  const auto mixed = end_of(one_straightest, two_variational);
  const auto mixed_other =
      end_of(one_straightest, "{condition = \"" + combined + "\", law = \"variational\", multiplier = -0.25}");
  EXPECT_GT(apart(mixed, mixed_other), 1e-3);
}

TEST(VariationalMotion, a_holonomic_condition_in_disguise_moves_the_same_under_both_laws_whatever_rho) {
  const auto text = [](const std::string& law) {
    return "[coordinates.x]\ninitial = 1\nvelocity = 1\n[coordinates.y]\ninitial = 0.5\nvelocity = \"1/3\"\n"
           "[coordinates.z]\ninitial = 0\nvelocity = \"-5/6\"\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n"
           "[constraints]\nsheet = {condition = \"x*y' + y*x' + z' = 0\"" +
           law + "}\n";
  };
  const auto straight = follow(model_of(text("")), 3).motion.state.position;
  for (const char* rho : {"0", "0.7", "-3"}) {
    const auto bent = follow(model_of(text(std::string(", law = \"variational\", multiplier = ") + rho)), 3).motion;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(bent.state.position[i], straight[i], 1e-12) << rho;
    // Its integral is z + x y; rho' is the straightest multiplier.
    EXPECT_NEAR(bent.state.position[2] + bent.state.position[0] * bent.state.position[1], 0.5, 1e-12);
  }
}

TEST(VariationalMotion, members_of_a_family_move_like_one_alone) {
  const std::string family = R"toml(
[coordinates.x]
count = 11
initial = 0
velocity = 1
[coordinates.y]
count = 11
initial = 0
[coordinates.w]
count = 11
initial = 0
velocity = "i/10"
[energy]
kinetic = "sum(i = 1..11, (x[i]'^2 + y[i]'^2 + w[i]'^2/4)/2)"
[constraints]
edge = {for = "i = 1..11", condition = "cos(w[i])*y[i]' - sin(w[i])*x[i]' = 0", law = "variational", multiplier = 0.25}
)toml";
  const model::Model all = model_of(family);
  const Whole whole = follow(all, 2);
  ASSERT_EQ(whole.motion.status, Status::finished) << whole.motion.why;
  for (int i = 1; i <= 11; ++i) {
    Cart cart;
    cart.turn = i / 10.0;
    const Whole alone = follow(model_of(text_of(cart)), 2);
    const auto at = static_cast<std::size_t>(i - 1);
    EXPECT_NEAR(whole.motion.state.position[at], alone.motion.state.position[0], 1e-12);
    EXPECT_NEAR(whole.motion.state.position[22 + at], alone.motion.state.position[2], 1e-12);
    EXPECT_NEAR(whole.motion.rho[at], alone.motion.rho[0], 1e-12);
  }
}

TEST(VariationalMotion, turned_round_with_rho_runs_back_to_its_start) {
  Cart cart;
  model::Model model = model_of(text_of(cart));
  const Whole forth = follow(model, 3);
  model.initial_position = forth.motion.state.position;
  model.initial_velocity = forth.motion.state.velocity;
  for (double& v : model.initial_velocity) v = -v;
  model.conditions[0].multiplier = -forth.motion.rho[0];
  const Whole back = follow(model, 3);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back.motion.state.position[i], 0, 1e-12);
  EXPECT_NEAR(back.motion.rho[0], -0.25, 1e-12);
}

TEST(VariationalMotion, put_aside_and_taken_up_again_it_has_the_same_bits) {
  const model::Model model = model_of(two_conditions(one_variational, two_straightest));
  Options options;
  options.until = 5;
  Motion whole = begin(model, options);
  Motion half = begin(model, options);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(advance(whole));
    ASSERT_TRUE(advance(half));
  }
  Motion resumed = restore(model, options, save(half));
  EXPECT_EQ(resumed.rho, whole.rho);
  while (advance(whole)) ASSERT_TRUE(advance(resumed));
  EXPECT_EQ(resumed.state.position, whole.state.position);
  EXPECT_EQ(resumed.state.velocity, whole.state.velocity);
  EXPECT_EQ(resumed.state.rho, whole.state.rho);
}

// ---- what the theory does not define, and what ends a motion

TEST(VariationalMotion, a_shock_is_refused_and_the_state_before_it_stands) {
  Cart cart;
  cart.turn = 0;
  cart.rho0 = 0;
  const Whole whole = follow(model_of(text_of(cart) + "wall = \"x <= 2\"\n"), 5);
  EXPECT_EQ(whole.motion.status, Status::refused);
  EXPECT_NE(whole.motion.why.find("edge"), std::string::npos) << whole.motion.why;
  EXPECT_NEAR(whole.motion.state.time, 2, 1e-12);
  EXPECT_NEAR(whole.motion.state.position[0], 2, 1e-12);
  EXPECT_NEAR(whole.motion.state.velocity[0], 1, 1e-12);
}

TEST(VariationalMotion, a_blow_is_refused) {
  Cart cart;
  const Whole whole = follow(model_of(text_of(cart) + "[[impulses]]\nat = 1\non = \"w\"\nvalue = 1\n"), 5);
  EXPECT_EQ(whole.motion.status, Status::refused);
  EXPECT_NEAR(whole.motion.state.time, 1, 1e-12);
}

TEST(VariationalMotion, an_inequality_beside_it_presses_by_the_third_derivative_and_lets_go) {
  // The angle is held by a stop that turns with the clock: it presses from the third derivative on, then lets go.
  Cart cart;
  cart.rho0 = 0;
  const model::Model model = model_of(text_of(cart) + "stop = \"w <= t\"\n");
  // w''' = v^2 / l^2 > 0 without the stop: only rho' shows that it binds.
  const instant::Instant now = instant::accelerate(model, model::initial_state(model));
  EXPECT_EQ(now.role[1], instant::Role::binding);
  const model::Model away = model_of(text_of(cart) + "stop = \"w >= t\"\n");
  EXPECT_EQ(instant::accelerate(away, model::initial_state(away)).role[1], instant::Role::leaving);
  // Held, w = t: rho' = -M v and M v' = -rho: v = cos(t), rho = -sin(t). The stop presses with M l^2 w'' = -rho v - lambda = 0.
  const Whole whole = follow(model, 3);
  ASSERT_FALSE(whole.events.empty());
  EXPECT_EQ(whole.events.front().kind, EventKind::release);
  EXPECT_NEAR(whole.events.front().time, pi / 2, 1e-11);
  EXPECT_NEAR(whole.events.front().position[2], pi / 2, 1e-11);
}

TEST(VariationalMotion, rows_that_become_dependent_on_the_way_end_it_and_are_named) {
  const std::string text = R"(
[coordinates.x]
initial = -1
velocity = 1
[coordinates.y]
initial = 0
[coordinates.z]
initial = 0
[coordinates.u]
initial = 0
[coordinates.w]
initial = 0
velocity = 1
[energy]
kinetic = "(x'^2 + y'^2 + z'^2 + u'^2 + w'^2)/2"
[constraints]
one = {condition = "y' - x*z' = 0", law = "variational", multiplier = 0.1}
beside = "u' - 2*w' = -2"
two = {condition = "y' + x*z' = 0", law = "variational", multiplier = -0.1}
)";
  const Whole whole = follow(model_of(text), 3);
  EXPECT_EQ(whole.motion.status, Status::singular) << whole.motion.why;
  EXPECT_EQ(whole.motion.culprits, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_NEAR(whole.motion.state.position[0], 0, 1e-6);
}

TEST(VariationalMotion, rows_dependent_from_the_start_leave_rho_undetermined) {
  const std::string text = two_conditions(one_variational, R"("3*z' - 3*y*x' = 0")");
  const Whole whole = follow(model_of(text), 3);
  EXPECT_EQ(whole.motion.status, Status::singular);
  EXPECT_EQ(whole.motion.culprits, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_NE(whole.motion.why.find("not determined"), std::string::npos) << whole.motion.why;
}

TEST(VariationalMotion, a_kinetic_energy_that_loses_its_inertia_ends_it_as_singular) {
  const std::string text =
      "[coordinates.x]\ninitial = 0\nvelocity = 1\n[coordinates.y]\ninitial = 0\nvelocity = 1\n[energy]\n"
      "kinetic = \"(1 - t)*x'^2/2 + y'^2/2\"\n[constraints]\n"
      "edge = {condition = \"y' - x' = 0\", law = \"variational\", multiplier = 0.1}\n";
  // (2 - t) x' = 2: the matrix of the whole stays regular beyond t = 1, the mass of x alone does not.
  const Whole whole = follow(model_of(text), 3);
  EXPECT_EQ(whole.motion.status, Status::singular) << whole.motion.why;
  EXPECT_NEAR(whole.motion.state.time, 1, 1e-3);
}

}  // namespace zwang::motion::variational_tests
