/// What moves a wall by itself: a function of time, followed in pieces on which it is a polynomial up to rounding.
///
/// That the function stays within rounding of the polynomial on the whole piece is proved (expressions/remainders). A piece follows from the time at which it
/// begins and the end of the motion alone. Reference: docs/mathematics, section 27.3.
#pragma once

#include <array>
#include <cstdint>

#include "zwang/model/model.hpp"

namespace zwang::crowds {

/// The value of a condition at the origin, as a function of time: one lane of its group.
struct DriverShape {
  model::Slotted slots;
  expressions::Tape tape;
  std::uint32_t value = 0;  ///< register of f
};

/// A piece of the function: sum_k c_k s^k, s = t - start.
struct DriverPiece {
  static constexpr std::uint32_t orders = 24;
  double start = 0;
  double length = 0;
  std::array<double, orders> c{};
  [[nodiscard]] double end() const { return start + length; }
  [[nodiscard]] double value(double t) const;
  [[nodiscard]] double rate(double t) const;
};

/// From a time on, for as long as it is known to rounding but not beyond `until`; of length 0 if it is not known at all.
[[nodiscard]] DriverPiece piece_from(const DriverShape& shape, double start, double until);

}  // namespace zwang::crowds
