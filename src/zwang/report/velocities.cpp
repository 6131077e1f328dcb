/// Velocity parameters for programs and for people.
#include "zwang/report/velocities.hpp"

#include <fmt/format.h>

#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/report/parts.hpp"
#include "zwang/report/tolerances.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

void put_matrix(Writer& json, std::string_view key, const linear::Matrix& matrix) {
  json.open_list(key);
  std::vector<double> row(matrix.columns);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      row[c] = matrix(i, c);
    }
    json.put(row);
  }
  json.close_list();
}

void put_names(Writer& json, std::string_view key, const model::Model& model, const std::vector<std::uint32_t>& rows) {
  if (rows.empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const std::uint32_t row : rows) {
    names.push_back(model::row_name(model, row));
  }
  json.put(key, names);
}

}  // namespace

std::string velocities_json(const model::Model& model, const model::State& state,
                            const analysis::Velocities& velocities) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("time", state.time);
  std::vector<std::string> columns;
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    columns.push_back(model::variable_name(model, i));
  }
  json.put("columns", columns);
  put_matrix(json, "dependent", velocities.dependent);
  put_matrix(json, "conjugate", velocities.conjugate);
  if (velocities.moving) {
    json.put("offset", velocities.offset);
  }
  json.open("kinetic");
  json.put("total", velocities.kinetic.total);
  json.put("conjugate", velocities.kinetic.conjugate);
  json.put("dependent", velocities.kinetic.dependent);
  if (velocities.moving) {
    json.put("forbidden", velocities.kinetic.forbidden);
  }
  if (velocities.kinetic.linear != 0) {
    json.put("linear", velocities.kinetic.linear);
  }
  if (velocities.kinetic.constant != 0) {
    json.put("constant", velocities.kinetic.constant);
  }
  json.close();
  if (!velocities.projected.empty()) {
    put_bodies(json, "projected", model, velocities.projected, {model::Sort::velocity, state.position});
  }
  put_bodies(json, "momenta", model, velocities.momenta, {model::Sort::force, state.position});
  json.put("rank", std::uint64_t{velocities.rank});
  put_names(json, "redundant", model, velocities.redundant);
  put_names(json, "contradictory", model, velocities.contradictory);
  return json.close().text();
}

std::string fraction(double value) {
  constexpr int largest = 99;
  for (int denominator = 1; denominator <= largest; ++denominator) {
    const double numerator = std::round(value * denominator);
    if (std::abs(numerator) < 10000 &&
        std::abs(value * denominator - numerator) <= fraction_digits * std::abs(numerator)) {
      return denominator == 1 ? fmt::format("{:.0f}", numerator + 0.0)
                              : fmt::format("{:.0f}/{}", numerator, denominator);
    }
  }
  return readable(value);
}

std::string linear_form(const model::Model& model, std::span<const double> coefficients) {
  std::string text;
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    const double c = coefficients[i];
    if (c == 0) {
      continue;
    }
    const std::string size = fraction(std::abs(c));
    text += text.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
    text += (size == "1" ? "" : size + " ") + model::variable_name(model, i) + "'";
  }
  return text.empty() ? "0" : text;
}

}  // namespace zwang::report
