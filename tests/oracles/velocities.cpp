/// Conjugate velocity parameters (Maurer, sections 10 and 11) against the reference problems: rows, beta, momenta, parts of T.
///
/// The problems give beta and the momenta for the rows as they are written; the engine for rows in reduced echelon form. With
/// P = C R (C the columns of P in which R has its ones) beta_P = C beta_R C^T and P^T eta_P = R^T eta_R.
#include "zwang/analysis/velocities.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "oracles/answer.hpp"
#include "oracles/translate.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::oracles::velocities_tests {

namespace {

using nlohmann::json;
using Rows = std::vector<std::vector<double>>;

/// Rounding of a 5 x 5 system with entries of the order of ten.
constexpr double rounding = 1e-12;

std::vector<const json*> conjugate_problems() {
  std::vector<const json*> list;
  for (const auto& entry : problems())
    if (entry.at("id").get<std::string>()[0] == 'C') list.push_back(&entry);
  return list;
}

std::string text(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// The problem at one velocity; parameters are the symbols of `position` that are no coordinates.
std::string model_text(const json& problem, const json& velocity) {
  const auto& system = problem.at("system");
  const auto names = system.at("coords").get<std::vector<std::string>>();
  std::string parameters;
  std::string bodies;
  for (const auto& [name, value] : system.at("position").items())
    if (std::find(names.begin(), names.end(), name) == names.end()) parameters += name + " = \"" + text(value) + "\"\n";
  std::string kinetic = "0";
  for (std::size_t i = 0; i < names.size(); ++i) {
    bodies += "[coordinates." + names[i] + "]\ninitial = \"" +
              (system.at("position").contains(names[i]) ? text(system.at("position").at(names[i])) : "0") +
              "\"\nvelocity = \"" + text(velocity[i]) + "\"\n";
    for (std::size_t k = 0; k < names.size(); ++k)
      kinetic += " + (" + text(system.at("T_matrix")[i][k]) + ")/2*" + names[i] + "'*" + names[k] + "'";
  }
  std::string constraints;
  int number = 0;
  for (const auto& row : system.at("constraint_rows")) {
    constraints += "c" + std::to_string(++number) + " = \"0";
    for (std::size_t i = 0; i < names.size(); ++i) constraints += " + (" + text(row[i]) + ")*" + names[i] + "'";
    constraints += " = 0\"\n";
  }
  return "[parameters]\n" + parameters + bodies + "[energy]\nkinetic = \"" + kinetic + "\"\n[constraints]\n" +
         constraints;
}

/// Entries may be expressions of the position: the engine itself reads them, as velocities of a free coordinate.
double value(const json& problem, const json& expression) {
  std::string parameters = "[parameters]\n";
  for (const auto& [name, number] : problem.at("system").at("position").items())
    parameters += name + " = \"" + text(number) + "\"\n";
  const auto model = model::load(
      parameters + "[coordinates.unused]\ninitial = \"" + text(expression) + "\"\n[energy]\nkinetic = \"unused'^2\"\n",
      "entry.toml");
  return model.initial_position[0];
}

Rows values(const json& problem, const json& rows) {
  Rows out;
  for (const auto& row : rows) {
    out.emplace_back();
    for (const auto& entry : row) out.back().push_back(value(problem, entry));
  }
  return out;
}

Rows rows_of(const linear::Matrix& matrix) {
  Rows out(matrix.rows, std::vector<double>(matrix.columns));
  for (std::size_t i = 0; i < matrix.rows; ++i)
    for (std::size_t c = 0; c < matrix.columns; ++c) out[i][c] = matrix(i, c);
  return out;
}

void expect_near(const Rows& found, const Rows& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), wanted[i].size());
    for (std::size_t c = 0; c < found[i].size(); ++c)
      EXPECT_NEAR(found[i][c], wanted[i][c], tolerance * (1 + std::abs(wanted[i][c]))) << i << ", " << c;
  }
}

/// The columns of the written rows in which the echelon form has its ones.
Rows change_of_rows(const analysis::Velocities& found) {
  Rows C(found.written.rows, std::vector<double>(found.dependent.rows));
  for (std::size_t k = 0; k < found.dependent.rows; ++k) {
    std::size_t pivot = 0;
    while (found.dependent(k, pivot) == 0) ++pivot;
    for (std::size_t i = 0; i < found.written.rows; ++i) C[i][k] = found.written(i, pivot);
  }
  return C;
}

}  // namespace

TEST(ConjugateVelocities, of_the_reference_problems_have_the_rows_the_matrices_and_the_momenta_of_the_truth) {
  ASSERT_GE(conjugate_problems().size(), 4U);
  for (const json* problem : conjugate_problems()) {
    const auto& expected = problem->at("expected");
    for (const auto& sample : expected.at("samples")) {
      const auto source = model_text(*problem, sample.at("v"));
      SCOPED_TRACE(source);
      const auto model = model::load(source, "problem.toml");
      const auto found = analysis::velocities(model, model::initial_state(model));
      ASSERT_TRUE(found.mass_positive);
      EXPECT_EQ(found.rank, found.rows.size());
      expect_near(rows_of(found.conjugate), values(*problem, expected.at("conjugate_rows_rref")), rounding);
      expect_near(rows_of(found.beta_conjugate), values(*problem, expected.at("beta_I")), rounding);

      // beta and momenta of the rows as they are written.
      const Rows C = change_of_rows(found);
      const Rows wanted = values(*problem, expected.at("beta_II"));
      const auto n = model.variables;
      for (std::size_t i = 0; i < C.size(); ++i)
        for (std::size_t k = 0; k < C.size(); ++k) {
          double sum = 0;
          for (std::size_t a = 0; a < found.rank; ++a)
            for (std::size_t b = 0; b < found.rank; ++b) sum += C[i][a] * found.beta_dependent(a, b) * C[k][b];
          EXPECT_NEAR(sum, wanted[i][k], rounding * (1 + std::abs(wanted[i][k])));
        }
      for (std::uint32_t c = 0; c < n; ++c) {
        double by_written = 0;
        double by_echelon = 0;
        double all = 0;
        for (std::size_t i = 0; i < C.size(); ++i)
          by_written += found.written(i, c) * value(*problem, sample.at("eta_II")[i]);
        for (std::size_t k = 0; k < found.rank; ++k) by_echelon += found.dependent(k, c) * found.dependent_momenta[k];
        all = by_echelon;
        for (std::size_t k = 0; k < found.conjugate.rows; ++k)
          all += found.conjugate(k, c) * found.conjugate_momenta[k];
        const double xi = value(*problem, sample.at("xi")[c]);
        EXPECT_NEAR(by_echelon, by_written, rounding * (1 + std::abs(by_written)));
        EXPECT_NEAR(found.momenta[c], xi, rounding * (1 + std::abs(xi)));
        EXPECT_NEAR(all, xi, rounding * (1 + std::abs(xi))) << "xi = Q^T eta_I + P^T eta_II";
        const double freed = value(*problem, sample.at("projected_velocity")[c]);
        EXPECT_NEAR(found.projected[c], freed, rounding * (1 + std::abs(freed)));
      }
      for (std::size_t i = 0; i < C.size(); ++i) {
        double speed = 0;
        for (std::size_t k = 0; k < found.rank; ++k) speed += C[i][k] * found.dependent_value[k];
        EXPECT_NEAR(speed, value(*problem, sample.at("u_II")[i]), rounding * 10);
      }
      EXPECT_NEAR(found.kinetic.total, value(*problem, sample.at("T")), rounding * (1 + found.kinetic.total));
      EXPECT_NEAR(found.kinetic.conjugate, value(*problem, sample.at("T_I")), rounding * (1 + found.kinetic.total));
      EXPECT_NEAR(found.kinetic.dependent, value(*problem, sample.at("T_II")), rounding * (1 + found.kinetic.total));
    }
  }
}

TEST(ConjugateVelocities, are_the_same_from_the_command) {
  if (!command::is_built) GTEST_SKIP() << "the command is not built";
  for (const json* problem : conjugate_problems()) {
    const auto& expected = problem->at("expected");
    for (const auto& sample : expected.at("samples")) {
      const auto source = model_text(*problem, sample.at("v"));
      SCOPED_TRACE(source);
      const auto answer = command::call_json({"analyze", "velocities", "-"}, source);
      ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
      const auto names = problem->at("system").at("coords").get<std::vector<std::string>>();
      EXPECT_EQ(answer.json.at("columns").get<std::vector<std::string>>(), names);
      expect_near(answer.json.at("conjugate").get<Rows>(), values(*problem, expected.at("conjugate_rows_rref")),
                  rounding);
      EXPECT_NEAR(answer.json.at("kinetic").at("conjugate").get<double>(), value(*problem, sample.at("T_I")), 1e-10);
      EXPECT_NEAR(answer.json.at("kinetic").at("dependent").get<double>(), value(*problem, sample.at("T_II")), 1e-10);
      EXPECT_NEAR(answer.json.at("kinetic").at("total").get<double>(), value(*problem, sample.at("T")), 1e-10);
      for (std::size_t i = 0; i < names.size(); ++i)
        EXPECT_NEAR(answer.json.at("projected").at(names[i]).get<double>(),
                    value(*problem, sample.at("projected_velocity")[i]), 1e-11);
    }
  }
}

}  // namespace zwang::oracles::velocities_tests
