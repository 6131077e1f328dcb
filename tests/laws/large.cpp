/// Large systems written as families: the answer satisfies the conditions of Kuhn and Tucker, recomputed here from the
/// rows alone, and small ones agree with the enumeration of every set.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "laws/systems.hpp"
#include "oracles/judge.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::laws::large_tests {

namespace {

/// N points on a straight line, neighbours joined by strings at their length; forces of the form `force`.
std::string chain(int count, const std::string& force) {
  return "[parameters]\nn = " + std::to_string(count) +
         "\n[points.bead]\ncount = \"n\"\nmass = \"1 + mod(7*i, 5)/4\"\n" +
         "position = [\"3/5*i\", \"4/5*i\"]\nforce = " + force +
         "\n[constraints]\nlink = { for = \"i = 1..n-1\", condition = \"distance(bead[i], bead[i+1]) <= 1\" }\n";
}

/// A square net sheared so that no two strings are parallel to the same line by accident.
std::string net(int count, const std::string& force) {
  return "[parameters]\nn = " + std::to_string(count) + "\n[points.knot]\ncount = [\"n\", \"n\"]\nmass = 1\n" +
         "position = [\"i + j*sin(0.35)\", \"j*cos(0.35)\", 0]\nforce = " + force +
         "\n[constraints]\nwarp = { for = \"i = 1..n-1, j = 1..n\", condition = \"distance(knot[i,j], knot[i+1,j]) <= "
         "1\" }\n"
         "weft = { for = \"i = 1..n, j = 1..n-1\", condition = \"distance(knot[i,j], knot[i,j+1]) <= 1\" }\n"
         "pin = \"knot[1,1] = [1 + sin(0.35), cos(0.35), 0]\"\n";
}

/// Stationarity, signs, feasibility and complementarity, each from its definition.
void expect_nearest(const std::string& text) {
  const auto model = model::load(text, "large.toml");
  const auto state = model::initial_state(model);
  const auto instant = instant::accelerate(model, state);
  ASSERT_EQ(instant.status, instant::Status::determined);
  auto scratch = model::make_scratch(model);
  auto rows = model::make_rows(model);
  auto dynamics = model::make_dynamics(model);
  model::evaluate_rows(model, state, scratch, rows);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  std::vector<double> residual(model.variables);
  dynamics.mass.multiply(instant.accelerations, residual);
  double force = 1e-300;
  double acceleration = 1e-300;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    residual[i] -= dynamics.force[i];
    force = std::max(force, std::abs(dynamics.force[i]));
    acceleration = std::max({acceleration, std::abs(instant.accelerations[i]), std::abs(instant.free[i])});
  }
  double largest = 0;
  std::size_t binding = 0;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const double lambda = instant.multipliers[row];
    largest = std::max(largest, std::abs(lambda));
    double second = rows.curvature[row];
    for (auto e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      residual[model.row_column[e]] += lambda * rows.entry[e];
      second += rows.entry[e] * instant.accelerations[model.row_column[e]];
    }
    const bool equation = model::is_equation(model.row_kind[row]);
    if (!equation) {
      ASSERT_GE(lambda, 0) << row;
      ASSERT_LE(second, 1e-10 * acceleration) << row;
    }
    if (equation || lambda > 1e-9 * largest) {
      ASSERT_LE(std::abs(second), 1e-10 * acceleration) << row << " with lambda " << lambda;
      ++binding;
    }
  }
  for (const double x : residual) ASSERT_LE(std::abs(x), 1e-10 * (force + largest));
  EXPECT_GT(binding, model.rows() / 10);
  EXPECT_LE(instant.certificate.worst(), 1e-12);
}

}  // namespace

TEST(LargeSystems, of_a_chain_under_rough_forces_are_nearest) {
  for (const int count : {30, 400, 3000}) expect_nearest(chain(count, R"toml(["sin(17*i^2)", "cos(31*i^2)"])toml"));
}

TEST(LargeSystems, of_a_chain_under_smooth_forces_are_nearest) {
  for (const int count : {30, 400, 3000}) expect_nearest(chain(count, R"toml(["sin(6*i/n)", "cos(9*i/n)"])toml"));
}

TEST(LargeSystems, of_a_net_are_nearest) {
  for (const int count : {4, 12, 30}) {
    expect_nearest(net(count, R"toml(["sin(17*i^2 + 3*j)", "cos(31*i + j^2)", -1])toml"));
    expect_nearest(net(count, R"toml(["sin(3*i/n + j/n)", "cos(2*i/n - j/n)", -1])toml"));
  }
}

TEST(LargeSystems, hang_from_one_end_with_the_weight_below_on_every_link) {
  // A vertical chain of equal beads under gravity: the link above bead i carries the weight of all below.
  const int count = 2000;
  const auto model = model::load(
      "[parameters]\nn = 2000\n[points.bead]\ncount = \"n\"\nmass = 0.5\nposition = [0, \"-i\"]\nforce = [0, -5]\n"
      "[constraints]\nhook = \"distance(bead[1], [0, 0]) <= 1\"\n"
      "link = { for = \"i = 1..n-1\", condition = \"distance(bead[i], bead[i+1]) <= 1\" }\n",
      "chain.toml");
  const auto instant = instant::accelerate(model, model::initial_state(model));
  ASSERT_EQ(instant.status, instant::Status::determined);
  for (std::uint32_t row = 0; row < model.rows(); ++row)
    ASSERT_NEAR(instant.multipliers[row], 5.0 * (count - static_cast<int>(row)), 1e-9 * 5 * count) << row;
  for (const double a : instant.accelerations) ASSERT_NEAR(a, 0, 1e-8);
}

TEST(SmallSystems, of_chains_agree_with_the_enumeration) {
  for (int variant = 0; variant < 40; ++variant) {
    const auto text = chain(4 + variant % 6, "[\"sin(" + std::to_string(variant + 3) + "*i^2)\", \"cos(" +
                                                 std::to_string(5 * variant + 1) + "*i)\"]");
    SCOPED_TRACE(text);
    const auto model = model::load(text, "chain.toml");
    const auto instant = instant::accelerate(model, model::initial_state(model));
    const auto table = oracles::rows_at_start(text);
    std::vector<Row> rows;
    for (std::size_t j = 0; j < table.name.size(); ++j) {
      Row row;
      row.g.assign(table.gradient[j].begin(), table.gradient[j].end());
      row.h = table.curvature[j];
      rows.push_back(row);
    }
    const std::size_t n = model.variables;
    Matrix M(n, Vector(n, 0));
    for (std::size_t i = 0; i < n; ++i) M[i][i] = 1 + static_cast<Real>(7 * (i / 2 + 1) % 5) / 4;
    const Vector free(instant.free.begin(), instant.free.end());
    const auto truth = nearest(M, free, rows);
    ASSERT_TRUE(truth.feasible);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_NEAR(instant.accelerations[i], static_cast<double>(truth.a[i]), 1e-11) << i;
    for (std::size_t j = 0; j < rows.size(); ++j)
      ASSERT_NEAR(instant.multipliers[j], static_cast<double>(truth.lambda[j]), 1e-11) << j;
  }
}

}  // namespace zwang::laws::large_tests
