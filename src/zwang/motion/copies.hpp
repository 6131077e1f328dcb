/// Conditions that are the same function up to a constant factor: one of them is followed, the others go with it.
///
/// That two functions are one is proved, not sampled: their formulas are evaluated with random numbers of a finite field, in which sums, products
/// and quotients are exact and every other function is some number of its arguments. Formulas that agree there agree everywhere but
/// for a chance of 2^-50. What a copy carries is its even share of the force. Reference: docs/mathematics, section 10.5.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "zwang/instant/row_set.hpp"
#include "zwang/model/model.hpp"

namespace zwang::motion {

class Copies {
 public:
  explicit Copies(const model::Model& model);

  /// Is there any at all?
  [[nodiscard]] bool any() const { return !classes_.empty(); }
  /// The first of those in force stands for all of them; those that have been let go do not count. The others are added to `idle`.
  void choose(const instant::RowSet& gone, instant::RowSet& idle);

  /// The row that stands for this one: as a rule itself.
  [[nodiscard]] std::uint32_t original(std::uint32_t row) const { return any() ? original_[row] : row; }
  [[nodiscard]] bool is_copy(std::uint32_t row) const { return original(row) != row; }
  /// What this row has of the multiplier of its original.
  [[nodiscard]] double share(std::uint32_t row) const { return any() ? share_[row] : 1.0; }
  /// Rows with their copies, ascending; inequalities that an equation keeps are none of them.
  [[nodiscard]] std::vector<std::uint32_t> with_copies(std::vector<std::uint32_t> rows) const;

 private:
  struct Member {
    std::uint32_t row = 0;
    double factor = 1;  ///< its function, in those of the first of the class
  };
  const model::Model& model_;
  std::vector<std::vector<Member>> classes_;
  std::vector<std::uint32_t> original_;  ///< per row, where there are copies
  std::vector<double> share_;
};

}  // namespace zwang::motion
