/// Singular positions with closed forms: cones of any opening and mass, solid or hollow, one or two nappes, crossing
/// planes, a singular point passed at speed, combinations of equations whose gradients cancel.
///
/// Cone x1^2 + x2^2 = k^2 x3^2, mass m, force X with R = |(X1, X2)|: the nearest point of the nappe sigma = +-1 lies at
/// s = (k R + sigma X3) / sqrt(1 + k^2) along (k X_perp / R, sigma) / sqrt(1 + k^2); a = s / m, Z = (|X|^2 - s^2) / m.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "oracles/judge.hpp"

namespace zwang::oracles::singular_variants_tests {

namespace {

using nlohmann::json;
using Triple = std::array<double, 3>;

std::string text(double value) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  return buffer.data();
}

json texts(const std::vector<double>& values) {
  json out = json::array();
  for (const double value : values) out.push_back(text(value));
  return out;
}

struct Condition {
  std::string name;
  std::string expression;
  std::string sense;
};

/// One point of mass m (or three masses) with coordinates x1, x2, x3.
json singular(const std::vector<double>& masses, const std::vector<double>& force, const std::vector<double>& velocity,
              const std::vector<Condition>& conditions) {
  json out = {{"id", "singular variant"},
              {"system",
               {{"coords", {"x1", "x2", "x3"}},
                {"masses", texts(masses)},
                {"forces", texts(force)},
                {"constraints", json::array()},
                {"state", {{"t", "0"}, {"q", {"0", "0", "0"}}, {"v", texts(velocity)}}}}},
              {"expected", {{"tol", 1e-12}}}};
  for (const auto& [name, expression, sense] : conditions)
    out["system"]["constraints"].push_back(
        {{"name", name}, {"expr", expression}, {"sense", sense}, {"kind", "holonomic"}});
  return out;
}

void expect(json& problem, const std::vector<std::vector<double>>& minimisers, double Z) {
  problem["expected"]["n_minimisers"] = minimisers.size();
  problem["expected"]["minimisers"] = json::array();
  for (const auto& minimiser : minimisers) problem["expected"]["minimisers"].push_back(texts(minimiser));
  problem["expected"]["Z"] = text(Z);
}

void expect_circle(json& problem, double Z) {
  problem["expected"]["n_minimisers"] = "circle";
  problem["expected"]["Z"] = text(Z);
}

void judge_every_way(const json& problem) {
  for (const auto route : every_route)
    if (translate(problem, route) && !testing::Test::HasFailure()) judge_singular(problem, route, Way::library);
}

/// Numerators of the cone's equation: p^2 (x1^2 + x2^2) = q^2 x3^2, k = q / p.
struct Opening {
  int p, q;
  [[nodiscard]] double k() const { return static_cast<double>(q) / p; }
  [[nodiscard]] std::string cone() const {
    const auto P = std::to_string(p * p);
    return P + "*x1**2+" + P + "*x2**2-" + std::to_string(q * q) + "*x3**2";
  }
};
constexpr std::array<Opening, 4> openings = {{{1, 1}, {4, 3}, {3, 4}, {12, 5}}};
constexpr std::array<double, 3> weights = {1, 3, 0.5};
constexpr std::array<Triple, 8> forces = {
    {{3, 4, 0}, {3, 4, 7}, {3, 4, -2}, {-5, 12, 1}, {0, 0, 5}, {0, 0, -3}, {0.6, -0.8, 100}, {-8, -6, 0.5}}};

/// The nearest points of both nappes (or of the nappes listed in `signs`) and their Z.
struct Nappes {
  std::vector<std::vector<double>> minimisers;
  double Z = 0;
  bool circle = false;
};
Nappes nearest_on_cone(double k, double m, const Triple& X, const std::vector<double>& signs) {
  const double R = std::hypot(X[0], X[1]);
  const double root = std::sqrt(1 + k * k);
  double best = 0;
  for (const double sign : signs) best = std::max(best, (k * R + sign * X[2]) / root);
  Nappes out;
  out.Z = (R * R + X[2] * X[2] - best * best) / m;
  if (best == 0) {
    out.minimisers.push_back({0, 0, 0});
    return out;
  }
  out.circle = R == 0;
  for (const double sign : signs)
    if (!out.circle && (k * R + sign * X[2]) / root >= best * (1 - 1e-14))
      out.minimisers.push_back(
          {best / m * k * X[0] / R / root, best / m * k * X[1] / R / root, best / m * sign / root});
  return out;
}

void expect(json& problem, const Nappes& nappes) {
  if (nappes.circle)
    expect_circle(problem, nappes.Z);
  else
    expect(problem, nappes.minimisers, nappes.Z);
}

}  // namespace

TEST(SingularPositions, of_a_cone_at_rest_lead_to_the_nearest_generators) {
  for (const auto& opening : openings)
    for (const double m : weights)
      for (const auto& X : forces) {
        auto problem = singular({m, m, m}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"cone", opening.cone(), "=0"}});
        expect(problem, nearest_on_cone(opening.k(), m, X, {1, -1}));
        judge_every_way(problem);
      }
}

TEST(SingularPositions, of_a_solid_double_cone_leave_inner_forces_free) {
  for (const auto& opening : openings)
    for (const double m : weights)
      for (const auto& X : forces) {
        auto problem = singular({m, m, m}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"solid", opening.cone(), "<=0"}});
        if (std::hypot(X[0], X[1]) < opening.k() * std::abs(X[2]))
          expect(problem, {{X[0] / m, X[1] / m, X[2] / m}}, 0);
        else
          expect(problem, nearest_on_cone(opening.k(), m, X, {1, -1}));
        judge_every_way(problem);
      }
}

TEST(SingularPositions, outside_of_a_double_cone_push_axial_forces_to_a_circle) {
  for (const auto& opening : openings)
    for (const double m : weights)
      for (const auto& X : forces) {
        auto problem = singular({m, m, m}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"hollow", opening.cone(), ">=0"}});
        if (std::hypot(X[0], X[1]) >= opening.k() * std::abs(X[2]))
          expect(problem, {{X[0] / m, X[1] / m, X[2] / m}}, 0);
        else
          expect(problem, nearest_on_cone(opening.k(), m, X, {1, -1}));
        judge_every_way(problem);
      }
}

TEST(SingularPositions, of_one_solid_nappe_have_one_nearest_acceleration) {
  for (const auto& opening : openings)
    for (const double m : weights)
      for (const auto& X : forces) {
        auto problem = singular({m, m, m}, {X[0], X[1], X[2]}, {0, 0, 0},
                                {{"solid", opening.cone(), "<=0"}, {"upper", "-x3", "<=0"}});
        if (std::hypot(X[0], X[1]) < opening.k() * X[2])
          expect(problem, {{X[0] / m, X[1] / m, X[2] / m}}, 0);
        else
          expect(problem, nearest_on_cone(opening.k(), m, X, {1}));
        judge_every_way(problem);
      }
}

TEST(SingularPositions, of_one_hollow_nappe_choose_that_nappe) {
  for (const auto& opening : openings)
    for (const auto& X : forces) {
      auto problem =
          singular({2, 2, 2}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"cone", opening.cone(), "=0"}, {"upper", "x3", ">=0"}});
      expect(problem, nearest_on_cone(opening.k(), 2, X, {1}));
      judge_every_way(problem);
    }
}

TEST(SingularPositions, of_a_cone_cut_by_a_plane_are_two_crossing_lines) {
  // x2 = 0 leaves x1 = +-k x3, whose unit vectors are (k, +-1) / sqrt(1 + k^2).
  for (const auto& opening : openings)
    for (const auto& X : forces) {
      auto problem =
          singular({2, 2, 2}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"cone", opening.cone(), "=0"}, {"plane", "x2", "=0"}});
      const double k = opening.k();
      const double square = 1 + k * k;
      const double up = k * X[0] + X[2];
      const double down = k * X[0] - X[2];
      const double best = std::max(std::abs(up), std::abs(down));
      const double Z = (X[0] * X[0] + X[1] * X[1] + X[2] * X[2] - best * best / square) / 2;
      std::vector<std::vector<double>> minimisers;
      if (std::abs(up) >= best * (1 - 1e-14)) minimisers.push_back({k * up / square / 2, 0, up / square / 2});
      if (std::abs(down) >= best * (1 - 1e-14)) minimisers.push_back({k * down / square / 2, 0, -down / square / 2});
      expect(problem, minimisers, Z);
      judge_every_way(problem);
    }
}

TEST(SingularPositions, of_crossing_planes_give_up_the_cheaper_force) {
  for (const double m1 : weights)
    for (const double m2 : weights)
      for (const auto& X : forces) {
        auto problem = singular({m1, m2, 1}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"planes", "x1*x2", "=0"}});
        const double keep2 = X[0] * X[0] / m1;
        const double keep1 = X[1] * X[1] / m2;
        std::vector<std::vector<double>> minimisers;
        if (keep1 <= keep2) minimisers.push_back({X[0] / m1, 0, X[2]});
        if (keep2 <= keep1 && keep1 + keep2 > 0) minimisers.push_back({0, X[1] / m2, X[2]});
        expect(problem, minimisers, std::min(keep1, keep2));
        judge_every_way(problem);
      }
}

TEST(SingularPositions, passed_at_speed_are_regular_one_order_higher) {
  // Along a generator with velocity v the third coefficient asks v1 a1 + v2 a2 - k^2 v3 a3 = 0.
  for (const auto& opening : openings)
    for (const double m : weights)
      for (const auto& X : forces) {
        const double k = opening.k();
        const Triple v = {3.0 * opening.q, 4.0 * opening.q, 5.0 * opening.p};
        auto problem = singular({m, m, m}, {X[0], X[1], X[2]}, {v[0], v[1], v[2]}, {{"cone", opening.cone(), "=0"}});
        const Triple n = {v[0], v[1], -k * k * v[2]};
        const double along = (n[0] * X[0] + n[1] * X[1] + n[2] * X[2]) / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        expect(problem, {{(X[0] - along * n[0]) / m, (X[1] - along * n[1]) / m, (X[2] - along * n[2]) / m}},
               along * along * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / m);
        judge_every_way(problem);
      }
}

TEST(SingularPositions, by_combination_of_two_equations_are_seen_through_it) {
  // f1 - f2 = -x1^2 + x3^2 beside the row x2'' = 0: the lines a1 = +-a3.
  for (const auto& X : forces) {
    auto problem =
        singular({2, 2, 2}, {X[0], X[1], X[2]}, {0, 0, 0}, {{"f1", "x2-x1**2+x3**2", "=0"}, {"f2", "x2", "=0"}});
    const double plus = (X[0] + X[2]) / 2;
    const double minus = (X[0] - X[2]) / 2;
    std::vector<std::vector<double>> minimisers;
    if (std::abs(plus) >= std::abs(minus)) minimisers.push_back({plus / 2, 0, plus / 2});
    if (std::abs(minus) >= std::abs(plus)) minimisers.push_back({minus / 2, 0, -minus / 2});
    const double lost = std::min(std::abs(plus), std::abs(minus));
    expect(problem, minimisers, (2 * lost * lost + X[1] * X[1]) / 2);
    judge_every_way(problem);
  }
}

TEST(SingularPositions, of_a_flat_linkage_branch_into_parallelogram_and_crossed_motion) {
  // Bars |a| = 1, |b - a| = 2, |b - (2, 0)| = 1 at a = (1, 0), b = (3, 0). With the multipliers (2, 1, -2) the
  // gradients cancel and leave 3 ya^2 - 2 ya yb - yb^2 = (3 ya + yb)(ya - yb) = 0 for the accelerations.
  struct Load {
    double ya, yb;
  };
  for (const auto& load : std::vector<Load>{{1, 2}, {2, -5}, {-3, 1}, {0, 4}, {5, 0}, {1, -3}, {1, 1}}) {
    json problem = {
        {"id", "flat linkage"},
        {"system",
         {{"coords", {"x1", "y1", "x2", "y2"}},
          {"masses", {"1", "1", "3", "3"}},
          {"forces", texts({0.5, load.ya, -2, load.yb})},
          {"constraints",
           {{{"name", "crank"}, {"expr", "x1**2+y1**2-1"}, {"sense", "=0"}, {"kind", "holonomic"}},
            {{"name", "coupler"}, {"expr", "(x2-x1)**2+(y2-y1)**2-4"}, {"sense", "=0"}, {"kind", "holonomic"}},
            {{"name", "rocker"}, {"expr", "(x2-2)**2+y2**2-1"}, {"sense", "=0"}, {"kind", "holonomic"}}}},
          {"state", {{"t", "0"}, {"q", {"1", "0", "3", "0"}}, {"v", {"0", "0", "0", "0"}}}}}},
        {"expected", {{"tol", 1e-12}}}};
    // Directions (1, 1) and (1, -3) in (ya, yb), masses 1 and 3; the remaining force is the constraint.
    const double total = 0.25 + 4.0 / 3 + load.ya * load.ya + load.yb * load.yb / 3;
    const double parallel = load.ya + load.yb;
    const double crossed = load.ya - 3 * load.yb;
    const double gain_parallel = parallel * parallel / 4;
    const double gain_crossed = crossed * crossed / 28;
    std::vector<std::vector<double>> minimisers;
    if (gain_parallel > gain_crossed)
      minimisers.push_back({0, parallel / 4, 0, parallel / 4});
    else
      minimisers.push_back({0, crossed / 28, 0, -3 * crossed / 28});
    expect(problem, minimisers, total - std::max(gain_parallel, gain_crossed));
    judge_every_way(problem);
  }
}

}  // namespace zwang::oracles::singular_variants_tests
