/// Sizes of conditions whose own terms vanish at the start: by the places beside them, and by the levers of bodies.
#include "zwang/stepping/scales.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::stepping {

/// Per row, the largest terms of the conditions that share a variable with it, brought to its own unit by the gradients: a wall through the origin has no
/// terms where it is touched, but the places of those that lean on it are rounded as theirs are.
std::vector<double> lengths_beside(const model::Model& model, const model::Rows& rows) {
  std::vector<double> length(model.variables, 0.0);
  std::vector<double> out(model.rows(), 0.0);
  const auto own = [&](std::uint32_t row) {
    if (!model::is_holonomic(model.row_kind[row]) || !std::isfinite(rows.value_scale[row])) return 0.0;
    double most = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      most = std::max(most, std::abs(rows.entry[e]));
    return most > 0 && std::isfinite(most) ? rows.value_scale[row] / most : 0.0;
  };
  for (const model::Condition& condition : model.conditions) {
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      // Of several alternatives the shortest tells: a gradient that nearly vanishes makes a place of no other.
      std::vector<double> longest(std::max(condition.alternatives, 1U), 0.0);
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        double& one = longest[condition.alternatives > 1 ? model.row_alternative[row] : 0];
        one = std::max(one, own(row));
      }
      const double shortest = *std::min_element(longest.begin(), longest.end());
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        const double here = condition.alternatives > 1 ? std::min(own(row), shortest) : own(row);
        for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
          double& one = length[model.row_column[e]];
          one = std::max(one, here);
        }
      }
    }
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!model::is_holonomic(model.row_kind[row])) continue;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const double part = std::abs(rows.entry[e]) * length[model.row_column[e]];
      if (std::isfinite(part)) out[row] = std::max(out[row], part);
    }
  }
  return out;
}

std::vector<double> levers_of(const model::Model& model, const model::Rows& rows) {
  // Rigid bodies have their angle, or quaternion, behind their place.
  std::vector<std::uint8_t> turns(model.variables, 0);
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::rigid) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      for (std::uint32_t k = body.place(); k < body.dimension; ++k) turns[body.first + member * body.dimension + k] = 1;
    }
  }
  std::vector<double> out(model.rows(), 0.0);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!model::is_holonomic(model.row_kind[row])) continue;
    double sum = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      if (turns[model.row_column[e]] != 0) sum += std::abs(rows.entry[e]);
    }
    if (std::isfinite(sum)) out[row] = sum;
  }
  return out;
}

}  // namespace zwang::stepping
