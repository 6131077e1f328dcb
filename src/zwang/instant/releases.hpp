/// What [[releases]] have let go when a question is asked about one instant.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/instant/row_set.hpp"
#include "zwang/model/model.hpp"

namespace zwang::instant {

/// The value of a comparison of the model, with these modes of its corners.
[[nodiscard]] bool is_true(const model::Model& model, std::uint32_t truth, std::span<const double> modes);

/// Rows and springs whose release is due at this time or before, or whose `when` is true at this state. What was true earlier is not known here: a
/// motion remembers it. Rows are not told if there are none.
struct Released {
  RowSet rows;
  std::vector<std::uint32_t> springs;
};
[[nodiscard]] Released released(const model::Model& model, const model::State& state);

}  // namespace zwang::instant
