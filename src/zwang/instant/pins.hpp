/// Switches about what a condition keeps: `if(a.y >= 0, ...)` above the floor `a.y >= 0`, `stop = "a.y < 0"`, a string let go when
/// `distance(a, b) > 1` although it is no longer than 1, `sign(x)` at a wall `x >= 0`.
///
/// As long as the condition is in force such a comparison is true for ever, however rounding, a shock or a contact bring its sides together: nothing
/// is followed, and nothing switches. A potential that has a corner at the wall is the smooth function of the allowed side. Of the three values of `sign` in a
/// force two are left, that of the allowed side, and zero on the wall; where they would hold a motion on the wall between them, so do their means.
/// That the switching function is that of the condition, up to a factor, is proved by their formulas (residues.hpp). Reference: docs/mathematics, section 21.8.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/instant/row_set.hpp"
#include "zwang/model/model.hpp"

namespace zwang::instant {

/// The side of a switch that a row leaves to it: the only one, or, of an edge, the one off the wall.
struct Pin {
  std::uint32_t number = 0;
  std::uint32_t row = 0;
  expressions::Side side = 0;
};

/// Stands for no side of a pin.
inline constexpr expressions::Side no_side = -1;

class Pins {
 public:
  explicit Pins(const model::Model& model);

  /// Is the side of this switch kept by a condition that has not been let go?
  [[nodiscard]] bool keep(std::uint32_t number, const RowSet& gone) const;
  /// Of a `sign` in a force: the side off the wall that a condition leaves to it, which has not been let go; or `no_side`.
  [[nodiscard]] expressions::Side allowed(std::uint32_t number, const RowSet& gone) const;
  /// The side that this condition forbids, or `no_side`.
  [[nodiscard]] expressions::Side forbidden(std::uint32_t number, const RowSet& gone) const;
  /// Does one of the conditions that forbid it a side belong to this set?
  [[nodiscard]] bool is_edge_of(std::uint32_t number, const RowSet& rows) const;
  /// Can `stop` never come true, for the same reason?
  [[nodiscard]] bool keep_from_stopping(const RowSet& gone) const;
  /// Ascending by switch, then row; a switch may have several.
  [[nodiscard]] const std::vector<Pin>& all() const { return pins_; }
  [[nodiscard]] const std::vector<Pin>& edges() const { return edges_; }

 private:
  std::vector<Pin> pins_;
  std::vector<Pin> edges_;
  std::vector<std::uint32_t> stops_;  ///< rows that keep `stop` false
};

}  // namespace zwang::instant
