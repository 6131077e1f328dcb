/// `zwang analyze velocities MODEL`: conjugate velocity parameters, and the kinetic energy split in them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "tolerances.hpp"
#include "zwang/analysis/velocities.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/velocities.hpp"

namespace zwang::cli {

namespace {

/// "u1 and u2", "u1 to u7".
std::string parameters(std::size_t first, std::size_t count) {
  if (count == 0) {
    return "nothing";
  }
  if (count == 1) {
    return fmt::format("u{}", first);
  }
  return fmt::format("u{} {} u{}", first, count == 2 ? "and" : "to", first + count - 1);
}

std::vector<double> row_of(const linear::Matrix& matrix, std::size_t i) {
  std::vector<double> row;
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    row.push_back(matrix(i, c));
  }
  return row;
}

/// A number, or 0 where it is rounding of terms of that size.
std::string number(double value, double size) {
  return readable(std::abs(value) <= table_rounding * size ? 0.0 : value);
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

/// The sum of the absolute values of a form's terms.
double terms(const std::vector<double>& coefficients, const std::vector<double>& velocity) {
  double sum = 0;
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    sum += std::abs(coefficients[i] * velocity[i]);
  }
  return sum;
}

std::string free_table(const model::Model& model, const model::State& state, const analysis::Velocities& velocities) {
  Table table({"", "conjugate parameter", "value", "momentum"});
  const double momentum = largest(velocities.momenta);
  for (std::size_t i = 0; i < velocities.conjugate.rows; ++i) {
    const std::vector<double> row = row_of(velocities.conjugate, i);
    table.row({fmt::format("u{}", i + 1), report::linear_form(model, row),
               number(velocities.conjugate_value[i], terms(row, state.velocity)),
               number(velocities.conjugate_momenta[i], momentum)});
  }
  return table.text();
}

std::string bound_table(const model::Model& model, const model::State& state, const analysis::Velocities& velocities) {
  Table table({"", "dependent parameter", "required", "value", "momentum"});
  const double momentum = largest(velocities.momenta);
  for (std::size_t i = 0; i < velocities.dependent.rows; ++i) {
    const std::vector<double> row = row_of(velocities.dependent, i);
    table.row({fmt::format("u{}", velocities.conjugate.rows + i + 1), report::linear_form(model, row),
               report::fraction(velocities.offset[i] == 0 ? 0 : -velocities.offset[i]),
               number(velocities.dependent_value[i], terms(row, state.velocity)),
               number(velocities.dependent_momenta[i], momentum)});
  }
  return table.text();
}

std::string energy_words(const analysis::Velocities& velocities) {
  const analysis::KineticParts& kinetic = velocities.kinetic;
  const std::size_t free = velocities.conjugate.rows;
  std::string text = fmt::format("  T = {}", readable(kinetic.total));
  if (velocities.rank > 0) {
    text += fmt::format(" = {} of {} + {} of {}", number(kinetic.conjugate, kinetic.total), parameters(1, free),
                        number(kinetic.dependent, kinetic.total), parameters(free + 1, velocities.rank));
  } else {
    text += fmt::format(" = {} of {}", number(kinetic.conjugate, kinetic.total), parameters(1, free));
  }
  if (kinetic.linear != 0) {
    text += fmt::format(" + {} linear in the velocities", readable(kinetic.linear));
  }
  if (kinetic.constant != 0) {
    text += fmt::format(" + {} without velocities", readable(kinetic.constant));
  }
  text += "\n";
  if (velocities.moving) {
    text += fmt::format("  conditions move: what the velocity misses them by has the energy {}\n",
                        number(kinetic.forbidden, kinetic.total));
  }
  return text;
}

/// What is odd about the rows.
std::string remarks(const model::Model& model, const analysis::Velocities& velocities) {
  std::string text;
  if (!velocities.redundant.empty()) {
    text += fmt::format("  {} of {} rows are independent; {} {} from the others\n", velocities.rank,
                        velocities.rows.size(), listed(names(model, velocities.redundant), 6),
                        velocities.redundant.size() == 1 ? "follows" : "follow");
  }
  if (!velocities.contradictory.empty()) {
    text += fmt::format("  {} cannot hold together with the others: no velocity is admissible\n",
                        listed(names(model, velocities.contradictory), 6));
  }
  return text;
}

}  // namespace

int analyze_velocities(const Request& request) {
  const model::Model model = load(request);
  const model::State state = model::initial_state(model);
  const analysis::Velocities velocities = analysis::velocities(model, state);
  const int status = velocities.contradictory.empty() ? answered : no_answer;
  if (request.json) {
    print(report::velocities_json(model, state, velocities));
    return velocities.mass_positive ? status : no_answer;
  }
  if (!velocities.mass_positive) {
    print(heading(model, state.time));
    print(fmt::format(
        "the kinetic energy is not positive definite along {}: no parameter is conjugate to the conditions\n",
        model::variable_words(model, velocities.weakest)));
    return no_answer;
  }
  if (request.quiet) {
    print(fmt::format("{} free, {} dependent\n", velocities.conjugate.rows, velocities.rank));
    return status;
  }

  // The two systems, T in them, and the velocity they make of the one given.
  const Style& s = style();
  print(heading(model, state.time));
  print(fmt::format("{}{}{} velocity parameter{} of {} {} free, {} depend{} on conditions\n\n", s.good,
                    velocities.conjugate.rows, s.off, velocities.conjugate.rows == 1 ? "" : "s", model.variables,
                    velocities.conjugate.rows == 1 ? "is" : "are", velocities.rank, velocities.rank == 1 ? "s" : ""));
  if (velocities.conjugate.rows > 0) {
    print(free_table(model, state, velocities) + "\n");
  }
  if (velocities.rank > 0) {
    print(bound_table(model, state, velocities) + "\n");
  }
  print(energy_words(velocities) + remarks(model, velocities));
  if (!velocities.projected.empty()) {
    print("\n" + body_table(model, {{"velocity", &state.velocity, &state.position},
                                    {"freed of what is forbidden", &velocities.projected, &state.position}}));
  }
  return status;
}

}  // namespace zwang::cli
