/// Polynomials about another time.
#pragma once

#include <cstddef>
#include <vector>

namespace zwang::sensitivity {

/// Coefficients [order * n + variable] of polynomials in (t - start) / unit as those in (t - from) / length: `shift` = (from - start) / unit, `stretch` = length /
/// unit.
[[nodiscard]] inline std::vector<double> shifted(const std::vector<double>& old, std::size_t n, unsigned orders,
                                                 double shift, double stretch) {
  std::vector<double> out = old;
  if (shift != 0) {
    for (unsigned k = 0; k + 1 < orders; ++k) {
      for (unsigned j = orders - 1; j-- > k;) {
        for (std::size_t i = 0; i < n; ++i) out[j * n + i] += shift * out[(j + 1) * n + i];
      }
    }
  }
  double power = 1;
  for (unsigned k = 0; k < orders; ++k, power *= stretch) {
    for (std::size_t i = 0; i < n; ++i) out[k * n + i] *= power;
  }
  return out;
}

}  // namespace zwang::sensitivity
