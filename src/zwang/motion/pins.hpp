/// Comparisons about what a condition keeps: `if(a.y >= 0, ...)` above the floor `a.y >= 0`, `stop = "a.y < 0"`, a string let go when
/// `distance(a, b) > 1` although it is no longer than 1.
///
/// As long as the condition is in force such a comparison is true for ever, however rounding, a shock or a contact bring its sides together: nothing
/// is followed, and nothing switches. That its function is that of the condition, up to a factor, is proved by their formulas (residues.hpp).
/// Reference: docs/mathematics, section 21.8.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "zwang/instant/row_set.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

class Pins {
 public:
  explicit Pins(const model::Model& model);

  /// Is the comparison of this switch, g >= 0, kept true by a condition that has not been let go?
  [[nodiscard]] bool keep(std::uint32_t number, const instant::RowSet& gone) const;
  /// Can `stop` never come true, for the same reason?
  [[nodiscard]] bool keep_from_stopping(const instant::RowSet& gone) const;
  /// Switch and row, ascending; a switch may have several.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& all() const { return pins_; }

 private:
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pins_;
  std::vector<std::uint32_t> stops_;  ///< rows that keep `stop` false
};

}  // namespace zwang::motion
