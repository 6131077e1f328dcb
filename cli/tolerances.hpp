/// Every number of the commands that decides something. They decide what is printed as zero or as a round number; the answers themselves, and
/// all JSON, keep every digit.
#pragma once

namespace zwang::cli {

/// Below the smallest number with thirty digits and some: a defect of extended arithmetic that is shown as zero.
inline constexpr double shown_as_zero = 1e-35;
/// Of the largest in a table: rounding, shown as zero.
inline constexpr double table_rounding = 1e-13;
/// Of the energy: work that is rounding.
inline constexpr double work_rounding = 1e-14;
/// Of the step of a range: a value that is a round number to this part was meant to be it.
inline constexpr double round_value = 1e-14;
/// In units of the motion's own size: two motions nearer than this cannot be told from each other by the numbers.
inline constexpr double indistinguishable = 1e-9;

}  // namespace zwang::cli
