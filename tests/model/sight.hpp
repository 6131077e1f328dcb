/// A model, its scratch space and what was evaluated of it, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

struct Sight {
  explicit Sight(const std::string& text, const zwang::model::Overrides& overrides = {})
      : model(zwang::model::load(text, "model.toml", overrides)),
        state(zwang::model::initial_state(model)),
        scratch(zwang::model::make_scratch(model)),
        dynamics(zwang::model::make_dynamics(model)),
        rows(zwang::model::make_rows(model)) {
    look();
  }

  void look() {
    zwang::model::evaluate_dynamics(model, state, scratch, dynamics);
    zwang::model::evaluate_rows(model, state, scratch, rows);
  }

  /// Variable by its name, "a.x" or "w".
  [[nodiscard]] std::uint32_t variable(const std::string& name) const {
    for (std::uint32_t k = 0; k < model.variables; ++k) {
      if (zwang::model::variable_name(model, k) == name) return k;
    }
    ADD_FAILURE() << "no variable " << name;
    return 0;
  }
  [[nodiscard]] std::uint32_t row(const std::string& name) const {
    for (std::uint32_t k = 0; k < model.rows(); ++k) {
      if (zwang::model::row_name(model, k) == name) return k;
    }
    ADD_FAILURE() << "no row " << name;
    return 0;
  }
  /// Entry of the gradient of a row; zero where the pattern has none.
  [[nodiscard]] double gradient(std::uint32_t of_row, std::uint32_t by) const {
    for (std::uint32_t k = model.row_start[of_row]; k < model.row_start[of_row + 1]; ++k) {
      if (model.row_column[k] == by) return rows.entry[k];
    }
    return 0;
  }
  /// M as a full matrix.
  [[nodiscard]] std::vector<std::vector<double>> mass() const {
    std::vector<std::vector<double>> out;
    for (std::uint32_t k = 0; k < model.variables; ++k) {
      std::vector<double> unit(model.variables, 0.0);
      unit[k] = 1;
      std::vector<double> column(model.variables);
      dynamics.mass.multiply(unit, column);
      out.push_back(column);
    }
    return out;
  }

  void shake(unsigned seed, double size) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    state.time += uniform(random);
    for (double& x : state.position) x += uniform(random);
    for (double& x : state.velocity) x += uniform(random);
  }

  zwang::model::Model model;
  zwang::model::State state;
  zwang::model::Scratch scratch;
  zwang::model::Dynamics dynamics;
  zwang::model::Rows rows;
};
