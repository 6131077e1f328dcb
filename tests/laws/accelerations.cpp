/// Gauss's principle itself: the answer is the nearest admissible acceleration, whatever coordinates express it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

#include "laws/systems.hpp"
#include "oracles/judge.hpp"

namespace zwang::laws::accelerations_tests {

namespace {

/// A problem in new coordinates x = C u, C lower triangular with ones on the diagonal and small integers below: the
/// mass matrix C^T M C is full.
struct Kneaded {
  std::string model;
  std::vector<std::vector<double>> C;
};

Kneaded knead(const json& problem, std::uint64_t seed) {
  const auto& system = problem.at("system");
  const auto names = system.at("coords").get<std::vector<std::string>>();
  const std::size_t n = names.size();
  Kneaded out;
  out.C.assign(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i) {
    out.C[i][i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      out.C[i][j] = static_cast<double>((seed >> 33) % 3) - 1;
    }
  }
  // u = C^-1 x by forward substitution; all numbers are small multiples of one half.
  const auto solve = [&](const json& list) {
    std::vector<double> u(n);
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = oracles::number(list[i]);
      for (std::size_t j = 0; j < i; ++j) u[i] -= out.C[i][j] * u[j];
    }
    return u;
  };
  const auto q = solve(system.at("state").at("q"));
  const auto v = solve(system.at("state").at("v"));
  const auto combination = [&](std::size_t i, const std::string& prime) {
    std::string text = "(u" + std::to_string(i) + prime;
    for (std::size_t j = 0; j < i; ++j)
      if (out.C[i][j] != 0) text += (out.C[i][j] > 0 ? " + u" : " - u") + std::to_string(j) + prime;
    return text + ")";
  };
  std::string kinetic;
  for (std::size_t i = 0; i < n; ++i) {
    double force = 0;
    for (std::size_t k = 0; k < n; ++k) force += out.C[k][i] * oracles::number(system.at("forces")[k]);
    out.model += "[coordinates.u" + std::to_string(i) + "]\ninitial = " + number_text(q[i]) +
                 "\nvelocity = " + number_text(v[i]) + "\nforce = " + number_text(force) + "\n";
    kinetic +=
        (i == 0 ? "(" : " + (") + system.at("masses")[i].get<std::string>() + ")/2*" + combination(i, "'") + "^2";
  }
  out.model += "[energy]\nkinetic = \"" + kinetic +
               "\"\n[simulation]\nstart = " + system.at("state").at("t").get<std::string>() + "\n[constraints]\n";
  for (const auto& constraint : system.at("constraints")) {
    const auto expression = replaced(constraint.at("expr").get<std::string>(), [&](const std::string& word) {
      for (std::size_t i = 0; i < n; ++i) {
        if (word == names[i]) return combination(i, "");
        if (word == "v_" + names[i]) return combination(i, "'");
      }
      return word;
    });
    const auto sense = constraint.at("sense").get<std::string>();
    out.model += constraint.at("name").get<std::string>() + " = \"" + expression + " " +
                 sense.substr(0, sense.size() - 1) + " 0\"\n";
  }
  return out;
}

}  // namespace

namespace {

/// Compares the answer in kneaded coordinates with the truth; seeds whose truth is degenerate (some lambda and f'' both
/// zero) or not.
void compare_kneaded(std::uint64_t first, std::uint64_t last, bool degenerate) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const auto problem = oracles::random_accelerations(seed, oracles::random_mixture(seed));
    const auto& expected = problem.at("expected");
    if (expected.at("higher_order").get<bool>()) continue;
    if (degenerate != (expected.value("margin", 1.0) == 0)) continue;
    const auto kneaded = knead(problem, seed);
    SCOPED_TRACE(kneaded.model + expected.dump(1));
    const auto answer = oracles::accelerate(kneaded.model, oracles::Way::library);
    if (!expected.at("feasible").get<bool>()) {
      ASSERT_EQ(answer.status, "jammed");
      continue;
    }
    ASSERT_EQ(answer.status, "determined");
    double scale = 1;
    std::vector<double> truth;
    for (const auto& entry : expected.at("accelerations")) {
      truth.push_back(oracles::number(entry));
      scale = std::max(scale, std::abs(truth.back()));
    }
    for (std::size_t i = 0; i < truth.size(); ++i) {
      double a = 0;
      for (std::size_t j = 0; j <= i; ++j) a += kneaded.C[i][j] * answer.accelerations.at("u" + std::to_string(j))[0];
      ASSERT_NEAR(a, truth[i], 1e-10 * scale) << i;
    }
    ASSERT_NEAR(answer.constraint, oracles::number(expected.at("constraint_Z")),
                1e-10 * (1 + oracles::number(expected.at("constraint_Z"))));
    ASSERT_EQ(answer.multipliers_unique, expected.at("multipliers_unique").get<bool>());
    for (const auto* key : {"multipliers", "eq_multipliers"}) {
      double largest = 1;
      if (!expected.contains(key)) continue;
      for (const auto& [name, value] : expected.at(key).items())
        largest = std::max(largest, std::abs(oracles::number(value)));
      for (const auto& [name, value] : expected.at(key).items())
        ASSERT_NEAR(answer.multipliers.at(name), oracles::number(value), 1e-9 * largest) << name;
    }
  }
}

}  // namespace

TEST(Accelerations, do_not_depend_on_the_coordinates_that_express_them) { compare_kneaded(300000, 300400, false); }

TEST(Accelerations, have_the_least_constraint_of_all_admissible_ones) {
  // For every admissible b: Z(b) - Z(a) >= (b - a)^T M (b - a), by convexity of the admissible set.
  std::size_t compared = 0;
  for (std::uint64_t seed = 400000; seed < 400300; ++seed) {
    const auto problem = oracles::random_accelerations(seed, oracles::random_mixture(seed));
    if (problem.at("expected").at("higher_order").get<bool>()) continue;
    const auto translation = oracles::translate(problem, oracles::Route::coordinates).value();
    const auto answer = oracles::accelerate(translation.model, oracles::Way::library);
    if (answer.status != "determined") continue;
    SCOPED_TRACE(translation.model);
    const auto table = oracles::rows_at_start(translation.model);
    const std::size_t n = table.variable.size();
    std::vector<Row> rows;
    for (std::size_t j = 0; j < table.name.size(); ++j) {
      if (!answer.multipliers.contains(table.name[j])) continue;
      Row row;
      row.g.assign(table.gradient[j].begin(), table.gradient[j].end());
      row.h = table.curvature[j];
      row.equation = table.equation[j];
      rows.push_back(row);
    }
    Matrix M(n, Vector(n, 0));
    for (std::size_t i = 0; i < n; ++i) M[i][i] = oracles::number(problem.at("system").at("masses")[i]);
    const auto a = translation.accelerations(answer.accelerations);
    const auto free = translation.accelerations(answer.free);
    std::uint64_t state = seed;
    for (int trial = 0; trial < 5; ++trial) {
      // The admissible acceleration nearest to a random one.
      Vector target(n);
      for (auto& x : target) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x = static_cast<Real>((state >> 33) % 2001) / 100 - 10;
      }
      const auto other = nearest(M, target, rows);
      ASSERT_TRUE(other.feasible);
      Real gain = 0;
      Real size = 1;
      for (std::size_t i = 0; i < n; ++i) {
        const Real to_other = other.a[i] - free[i];
        const Real to_answer = static_cast<Real>(a[i]) - free[i];
        const Real apart = other.a[i] - a[i];
        gain += M[i][i] * (to_other * to_other - to_answer * to_answer - apart * apart);
        size += M[i][i] * (to_other * to_other + to_answer * to_answer + apart * apart);
      }
      ASSERT_GE(static_cast<double>(gain), static_cast<double>(-1e-12L * size));
      ++compared;
    }
  }
  EXPECT_GT(compared, 500U);
}

}  // namespace zwang::laws::accelerations_tests
