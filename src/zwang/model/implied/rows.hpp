/// Implied rows: linear equations that are added to a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/implied/vectors.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// A row sum c_i q_i - d = 0 with its variables ascending.
struct Implied {
  std::vector<std::uint32_t> variable;
  Vector c;
  double d = 0;
};

/// Adds each as a condition of its own, behind all others.
void append(Model& model, const std::vector<Implied>& rows);

/// One more condition, behind all others: the single row of a group whose slots are these variables, ascending.
void append_group(Model& model, RowGroup group, const std::vector<std::uint32_t>& variables, std::string text);

/// Does the velocity of the start keep c.u = 0? One that moves across what strings imply has no acceleration at all: they tell that themselves.
[[nodiscard]] bool keeps(const Model& model, const Implied& row);

}  // namespace zwang::model
