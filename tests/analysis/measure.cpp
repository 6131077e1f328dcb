/// Invariant measures: divergence against differences of the accelerations, volumes carried along the flow, hand examples.
#include "zwang/analysis/measure.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "zwang/error.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/read.hpp"

namespace zwang::analysis::measure_tests {

namespace {

using linear::Matrix;

struct Case {
  model::Draft draft;
  model::Model model;
  model::State state;
};

Case case_of(const std::string& text) {
  model::Draft draft = model::read(text, "test.toml");
  model::Model model = model::compile(draft);
  model::State state = model::initial_state(model);
  return {std::move(draft), std::move(model), std::move(state)};
}

/// Coordinates x, y, z with unit masses at a place of general position.
std::string three(const std::string& conditions, const std::string& kinetic = "(x'^2 + y'^2 + z'^2)/2",
                  const std::string& potential = "0") {
  return "[coordinates.x]\ninitial = 0.7\nvelocity = 0.4\n[coordinates.y]\ninitial = 0.9\nvelocity = "
         "-0.3\n[coordinates.z]\n"
         "initial = 0.5\nvelocity = 0.8\n[energy]\nkinetic = \"" +
         kinetic + "\"\npotential = \"" + potential + "\"\n[constraints]\n" + conditions;
}

/// a(q, v) with the multipliers continued to all velocities: a = a_free - W P^T Phi^-1 (P a_free + K).
std::vector<double> continued(const model::Model& model, const model::State& state) {
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  model::evaluate_rows(model, state, scratch, rows);
  const std::size_t n = model.variables;
  const std::size_t r = model.rows();
  std::vector<double> a(n);
  dynamics.mass.solve(dynamics.force, a);
  Matrix p(r, n);
  Matrix weighted(n, r);
  std::vector<double> right(r);
  for (std::uint32_t s = 0; s < r; ++s) {
    std::vector<double> row(n, 0.0);
    for (std::uint32_t e = model.row_start[s]; e < model.row_start[s + 1]; ++e)
      row[model.row_column[e]] += rows.entry[e];
    std::vector<double> w(n);
    dynamics.mass.solve(row, w);
    right[s] = rows.curvature[s];
    for (std::size_t i = 0; i < n; ++i) {
      p(s, i) = row[i];
      weighted(i, s) = w[i];
      right[s] += row[i] * a[i];
    }
  }
  const std::vector<double> mu = linear::least_norm(linear::product(p, weighted), right);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < r; ++s) a[i] -= weighted(i, s) * mu[s];
  }
  return a;
}

double divergence_by_differences(const model::Model& model, const model::State& state) {
  double sum = 0;
  constexpr double h = 1e-5;
  for (std::size_t i = 0; i < model.variables; ++i) {
    model::State more = state;
    model::State less = state;
    more.velocity[i] += h;
    less.velocity[i] -= h;
    sum += (continued(model, more)[i] - continued(model, less)[i]) / (2 * h);
  }
  return sum;
}

/// The state after a time under the continued flow, by Runge and Kutta's rule.
std::vector<double> flow(const model::Model& model, std::vector<double> y, double until) {
  const std::size_t n = model.variables;
  const auto rate = [&](const std::vector<double>& x) {
    model::State state;
    state.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    state.velocity.assign(x.begin() + static_cast<std::ptrdiff_t>(n), x.end());
    std::vector<double> out = state.velocity;
    const std::vector<double> a = continued(model, state);
    out.insert(out.end(), a.begin(), a.end());
    return out;
  };
  const auto moved = [](const std::vector<double>& x, const std::vector<double>& d, double h) {
    std::vector<double> out = x;
    for (std::size_t i = 0; i < x.size(); ++i) out[i] += h * d[i];
    return out;
  };
  constexpr int steps = 200;
  const double h = until / steps;
  for (int k = 0; k < steps; ++k) {
    const auto k1 = rate(y);
    const auto k2 = rate(moved(y, k1, h / 2));
    const auto k3 = rate(moved(y, k2, h / 2));
    const auto k4 = rate(moved(y, k3, h));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

/// det of the flow's derivative, by differences: what becomes of a small volume.
double volume_ratio(const model::Model& model, const model::State& state, double until) {
  std::vector<double> y = state.position;
  y.insert(y.end(), state.velocity.begin(), state.velocity.end());
  const std::size_t m = y.size();
  constexpr double h = 1e-4;
  Matrix jacobian(m, m);
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> more = y;
    std::vector<double> less = y;
    more[k] += h;
    less[k] -= h;
    const auto a = flow(model, more, until);
    const auto b = flow(model, less, until);
    for (std::size_t i = 0; i < m; ++i) jacobian(i, k) = (a[i] - b[i]) / (2 * h);
  }
  double product = 1;
  for (const double value : linear::singular_values(jacobian)) product *= value;
  return product;
}

/// The velocity brought onto the one condition of a model.
void make_admissible(Case& one) {
  model::Scratch scratch = model::make_scratch(one.model);
  model::Rows rows = model::make_rows(one.model);
  model::evaluate_rows(one.model, one.state, scratch, rows);
  double length = 0;
  for (const double x : rows.entry) length += x * x;
  for (std::uint32_t e = 0; e < one.model.row_start[1]; ++e) {
    one.state.velocity[one.model.row_column[e]] -= rows.entry[e] * rows.rate[0] / length;
  }
}

}  // namespace

TEST(Measure, divergence_is_that_of_the_continued_accelerations) {
  const std::string texts[] = {
      three("form = \"y*x' + z*y' + z' = 0\"\n"),
      three("form = \"y^2*x' + z' = 0\"\n", "(x'^2 + 2*y'^2 + 3*z'^2)/2", "x*y"),
      three("form = \"sin(z)*x' + cos(z)*y' = 0\"\n", "((2 + x^2)*x'^2 + x'*y'*z + (3 + y)*y'^2 + z'^2)/2"),
      three("one = \"y*x' + z' = 0\"\ntwo = \"x^2 + y^2 = 1\"\n"),
      three("form = \"x'*(1 + t) + y*z' + sin(t) = 0\"\n"),
  };
  for (const std::string& text : texts) {
    const Case one = case_of(text);
    EXPECT_NEAR(divergence(one.draft, one.model, one.state), divergence_by_differences(one.model, one.state), 1e-8)
        << text;
  }
}

TEST(Measure, of_a_form_that_is_exact_is_jacobis) {
  const Case one = case_of(three("form = \"y*x' + x*y' + z' = 0\"\n"));
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.exists);
  EXPECT_TRUE(found.jacobi);
  EXPECT_FALSE(found.density.empty());
}

TEST(Measure, of_the_cart_is_one) {
  const Case one = case_of(three("edge = \"cos(z)*y' - sin(z)*x' = 0\"\n", "x'^2 + y'^2 + z'^2/4"));
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.exists);
  EXPECT_TRUE(found.unit);
  EXPECT_TRUE(found.jacobi);
  EXPECT_EQ(found.density, "1");
  EXPECT_NEAR(found.divergence, 0, 1e-14);
}

TEST(Measure, may_be_another_power_of_the_determinant) {
  Case one = case_of(three("form = \"y^2*x' + z' = 0\"\n"));
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.exists);
  EXPECT_FALSE(found.jacobi);
  EXPECT_FALSE(found.unit);
  EXPECT_NE(found.density.find("y^4"), std::string::npos) << found.density;
  // mu = sqrt(1 + y^4) times a small volume is kept along the flow.
  make_admissible(one);
  std::vector<double> y = one.state.position;
  y.insert(y.end(), one.state.velocity.begin(), one.state.velocity.end());
  const double until = 0.8;
  const double before = std::sqrt(1 + std::pow(one.state.position[1], 4));
  const double after = std::sqrt(1 + std::pow(flow(one.model, y, until)[1], 4));
  EXPECT_NEAR(volume_ratio(one.model, one.state, until) * after / before, 1, 1e-6);
}

TEST(Measure, does_not_exist_for_a_form_without_closure_and_a_witness_is_given) {
  const Case one = case_of(three("form = \"y*x' + z*y' + z' = 0\"\n"));
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.decided);
  EXPECT_FALSE(found.exists);
  EXPECT_FALSE(found.jacobi);
  EXPECT_EQ(found.witness.size(), 3U);
  EXPECT_GT(found.defect, 0);
}

TEST(Measure, of_coordinates_contains_the_determinant_of_the_masses) {
  // Polar coordinates: det M = r^2 = x^2, and a condition that only fixes z.
  const Case one = case_of(three("flat = \"z' = 0\"\n", "(x'^2 + x^2*y'^2 + z'^2)/2"));
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.exists);
  EXPECT_TRUE(found.jacobi);
  EXPECT_FALSE(found.unit);
  EXPECT_EQ(found.density, "x^2");
}

TEST(Measure, is_destroyed_by_friction) {
  const Case one = case_of(
      "[coordinates.x]\ninitial = 0.3\nforce = \"-x'\"\n[coordinates.y]\ninitial = 0.2\n[energy]\nkinetic = \"(x'^2 + "
      "y'^2)/2\"\n"
      "[constraints]\nform = \"y' = 0\"\n");
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_FALSE(found.exists);
  EXPECT_NEAR(found.divergence, -1, 1e-14);
}

TEST(Measure, under_the_variational_law_gets_a_sentence) {
  const Case one = case_of(three("form = {condition = \"y*x' + z' = 0\", law = \"variational\"}\n"));
  EXPECT_THROW(static_cast<void>(measure(one.draft, one.model, one.state)), Error);
}

TEST(Measure, without_conditions_is_liouvilles) {
  // x'' = -x: dq dv. A plane in polar coordinates: det M = r^2.
  const Case one = case_of("[coordinates.x]\ninitial = 1\nforce = \"-x\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  const Measure line = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(line.decided);
  EXPECT_TRUE(line.exists);
  EXPECT_TRUE(line.jacobi);
  EXPECT_EQ(line.density, "1");
  EXPECT_EQ(line.divergence, 0);
  const Case two = case_of(
      "[coordinates.r]\ninitial = 2\nvelocity = 3\n[coordinates.phi]\ninitial = 0.4\n[energy]\nkinetic = \"(r'^2 + "
      "r^2*phi'^2)/2\"\n");
  const Measure polar = measure(two.draft, two.model, two.state);
  EXPECT_TRUE(polar.exists);
  EXPECT_EQ(polar.density, "r^2");
  // r'' = r phi'^2, phi'' = -2 r' phi' / r: the divergence is -2 r' / r.
  EXPECT_NEAR(polar.divergence, -3, 1e-14);
}

TEST(Measure, without_conditions_is_destroyed_by_friction_too) {
  const Case one = case_of("[coordinates.x]\ninitial = 1\nforce = \"-x - 0.3*x'\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.decided);
  EXPECT_FALSE(found.exists);
  EXPECT_NEAR(found.divergence, -0.3, 1e-15);
  EXPECT_FALSE(found.why.empty());
  // Quadratic drag opposes either way: its divergence -2 |v| is no linear form.
  const Case two = case_of("[coordinates.x]\ninitial = 1\nforce = \"-x'*abs(x')\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  EXPECT_FALSE(measure(two.draft, two.model, two.state).exists);
  // Forces across the velocity turn volumes and do not change them.
  const Case three_of = case_of("[points.a]\nmass = 1\nposition = [1, 0.3]\nforce = [\"a.x*a.y'\", \"-a.x*a.x'\"]\n");
  const Measure magnet = measure(three_of.draft, three_of.model, three_of.state);
  EXPECT_TRUE(magnet.exists);
  EXPECT_EQ(magnet.density, "1");
}

TEST(Measure, asks_forces_on_allowed_velocities_alone) {
  // -x' y'^2 takes nothing where y' = 0 is a condition, and something where it is none.
  const std::string head =
      "[coordinates.x]\ninitial = 0.3\nforce = \"-x'*y'^2\"\n[coordinates.y]\ninitial = 0.2\n[energy]\nkinetic = "
      "\"(x'^2 + "
      "y'^2)/2\"\n";
  for (const char* condition : {"[constraints]\nheld = \"y' = 0\"\n", "[constraints]\nheld = \"y = 0.2\"\n"}) {
    const Case held = case_of(head + condition);
    const Measure found = measure(held.draft, held.model, held.state);
    EXPECT_TRUE(found.exists) << condition;
    EXPECT_EQ(found.density, "1");
  }
  const Case free = case_of(head);
  EXPECT_FALSE(measure(free.draft, free.model, free.state).exists);
}

TEST(Measure, of_a_force_of_second_degree_on_a_line_exists) {
  // x'' = -x'^2 has the divergence -2 x', and mu = e^(2 x) makes up for it.
  const Case one =
      case_of("[coordinates.x]\ninitial = 1\nvelocity = 1\nforce = \"-x'^2\"\n[energy]\nkinetic = \"x'^2/2\"\n");
  const Measure found = measure(one.draft, one.model, one.state);
  EXPECT_TRUE(found.decided);
  EXPECT_TRUE(found.exists);
  EXPECT_FALSE(found.jacobi);
  EXPECT_NEAR(found.divergence, -2, 1e-14);
}

/// A rigid cloud: all distances of so many points, more than are independent.
std::string cloud(unsigned points) {
  std::string text;
  const auto place = [](unsigned k, unsigned c) { return std::sin(1.0 + 2.7 * k + 1.3 * c + 0.31 * k * c); };
  for (unsigned k = 0; k < points; ++k) {
    text += fmt::format("[points.p{}]\nmass = 1\nposition = [{:.17g}, {:.17g}, {:.17g}]\nvelocity = [1, 2, 3]\n", k,
                        place(k, 0), place(k, 1), place(k, 2));
  }
  text += "[constraints]\n";
  for (unsigned k = 0; k < points; ++k) {
    for (unsigned l = 0; l < k; ++l) {
      const double length = std::hypot(place(k, 0) - place(l, 0), place(k, 1) - place(l, 1), place(k, 2) - place(l, 2));
      text += fmt::format("d{}_{} = \"distance(p{}, p{}) = {:.17g}\"\n", k, l, k, l, length);
    }
  }
  return text;
}

TEST(Measure, of_more_distances_than_are_needed_exists_without_a_search) {
  for (const unsigned points : {5U, 8U}) {
    const Case one = case_of(cloud(points));
    const Measure found = measure(one.draft, one.model, one.state);
    EXPECT_TRUE(found.decided);
    EXPECT_TRUE(found.exists);
    EXPECT_TRUE(found.jacobi);
    // A translation changes no distance.
    EXPECT_NEAR(found.divergence, 0, 1e-10);
  }
}

/// Masses that change with the time take part in the divergence, with conditions and without.
TEST(Measure, of_masses_that_change_holds_the_time) {
  struct Moving {
    std::string kinetic, conditions;
    std::function<double(double)> density;  ///< what it does with the time, at the place of `three`
  };
  const Moving all[] = {
      {"(1 + t)*(x'^2 + y'^2 + z'^2)/2", "", [](double t) { return (1 + t) * (1 + t) * (1 + t); }},
      {"(1 + t)*(x'^2 + y'^2 + z'^2)/2", "form = \"z' = y*x'\"\n", [](double t) { return (1 + t) * (1 + t); }},
      {"(1 + t)*(x'^2 + y'^2 + z'^2)/2", "plane = \"x + y = 1.6\"\n", [](double t) { return (1 + t) * (1 + t); }},
      {"exp(t)*x'^2/2 + (2 + sin(t))*y'^2/2 + z'^2/2", "", [](double t) { return std::exp(t) * (2 + std::sin(t)); }},
  };
  for (const Moving& moving : all) {
    const Case one = case_of(three(moving.conditions, moving.kinetic));
    const Measure found = measure(one.draft, one.model, one.state);
    EXPECT_NEAR(found.divergence, divergence_by_differences(one.model, one.state), 1e-8) << moving.kinetic;
    ASSERT_TRUE(found.exists) << moving.kinetic;
    EXPECT_FALSE(found.unit);
    // The density at another time and that at the state, as a model reads them.
    const auto value = [&](double t) {
      Case other = case_of(three("", "(x'^2 + y'^2 + z'^2)/2", found.density));
      other.state.time = t;
      model::Scratch scratch = model::make_scratch(other.model);
      return model::energy(other.model, other.state, scratch).potential;
    };
    EXPECT_NEAR(value(0.6) / value(0), moving.density(0.6) / moving.density(0), 1e-12) << found.density;
  }
}

}  // namespace zwang::analysis::measure_tests
