/// Polynomials side by side, coefficients at [order * count + number].
#pragma once

#include <cstddef>
#include <vector>

namespace zwang::sensitivity {

struct Polynomials {
  const double* coefficient = nullptr;
  std::size_t count = 0;
  unsigned orders = 0;
};

/// Values at s and derivatives by s; `rate` and `second` may be null, without `rate` there is no `second`.
void sum_up(const Polynomials& of, double s, double* value, double* rate, double* second);

/// Per polynomial the largest of its coefficients before order `known`, and the largest of the last two of these, times their order if `by_order`. What is no number makes `last` so.
void size_up(const Polynomials& of, unsigned known, bool by_order, double* most, double* last);

/// Coefficients of polynomials in (t - start) / unit as those in (t - from) / length: `shift` = (from - start) / unit, `stretch` = length / unit.
void shift(const Polynomials& of, double shift, double stretch, std::vector<double>& out);

}  // namespace zwang::sensitivity
