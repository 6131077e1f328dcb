/// Running error along a tape: how far every register may be off, given how far its inputs may.
///
/// With y = phi(a), coefficients y_0 = phi(a_0), y_1 = phi'(a_0) a_1, and |delta a_k| <= e_k:
///
///   e_0(y) = |phi'| e_0 + |phi''| e_0^2 / 2 + unit |y_0|
///   e_1(y) = |phi'| e_1 + |phi''| e_0 (|a_1| + e_1) + unit |y_1|
///
/// and likewise for two arguments. `unit` is what an operation itself adds, as a part of its result: 2^-53 for a bound of the
/// rounding. Reference: Higham, Accuracy and Stability of Numerical Algorithms, section 3.3; docs/mathematics, section 8.
#pragma once

#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// Registers of one or two coefficients, run by `extend` before; `error` has their layout, and its inputs and constants are given.
/// Fills the rest. Where phi has no derivative (a root at zero) the bound is what phi makes of e_0 alone.
void running_error(const Tape& tape, const double* registers, unsigned orders, unsigned width, double unit,
                   double* error);

}  // namespace zwang::expressions
