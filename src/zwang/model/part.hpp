/// A part of a model: some of its points with some of its conditions, as a model of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"

namespace zwang::model {

/// A member of a body.
struct Member {
  std::uint32_t body = 0;
  std::uint32_t member = 0;
};

struct Part {
  Model model;
  std::vector<std::uint32_t> variable;  ///< number in the whole of each variable
  std::vector<std::uint64_t> row;       ///< number in the whole of each row
};

/// The points given, in the order of their variables, under the conditions given, ascending and between them alone; pairs that are not written out in the whole are
/// rows of the part, and of a member with several rows of one condition all of them are. Forces are those that are constant. For points under holonomic inequalities without corners.
[[nodiscard]] Part part_of(const Model& whole, std::span<const Member> members, std::span<const std::uint64_t> rows);

/// Is it one of a family of the model?
[[nodiscard]] bool is_pair(const Model& model, const Pair& pair);
/// As conditions of the family are named.
[[nodiscard]] std::string pair_name(const Model& model, const Pair& pair);

/// The model with pairs of its families as rows behind all others, in the order given, and no others.
[[nodiscard]] Model with_met(Model whole, std::span<const Pair> met);

/// Rows know their lanes, and the gradients their places in the rows' CSR pattern. False: there are too many terms.
[[nodiscard]] bool lay_out_gradients(Model& model);

}  // namespace zwang::model
