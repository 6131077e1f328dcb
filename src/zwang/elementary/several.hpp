/// Elementary functions of several arguments, side by side in vectors: the bits of elementary.hpp, for a fraction of the time of one after the other.
///
/// The quick ways go side by side; an argument for which they are not made, or do not decide the rounding, is asked for alone.
#pragma once

namespace zwang::elementary {

// What is written stands apart from what is read.
void sin_cos(const double* x, unsigned count, double* sine, double* cosine);
void sinh(const double* x, unsigned count, double* y);
void hypot(const double* a, const double* b, unsigned count, double* y);

}  // namespace zwang::elementary
