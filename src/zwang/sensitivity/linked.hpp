/// Quadratic conditions, linearised: sums over strands (motion/strands.hpp) in the place of tapes.
///
/// The gradient of a held condition that is quadratic, or a distance, is g = C delta along each of its strands, delta = +-q_a +- q_b + constant, C = 1 / L of a distance
/// L. With d the derivative by a parameter and Lambda = C lambda,
///
///   d(J^T lambda)_k = sum_l Lambda_(k-l) ddelta_l + sum_l g_l dlambda_(k-l) - (dL / L) (g lambda)_k,      d(f)_m = sum_l g_l ddelta_(m-l)  for m > 0.
///
/// Strands lie side by side; every sum is added up in rising order for its strand alone, so that the width of vectors does not show. Reference: docs/mathematics,
/// section 24.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/aligned.hpp"

namespace zwang::sensitivity {

class Linked {
 public:
  struct Strand {
    std::uint32_t row = 0;  ///< number among the rows held
    std::uint32_t a = 0, b = 0;
    double sign_a = 1, sign_b = 0;  ///< sign_b = 0: only one variable
  };

  void clear() { strand_.clear(); }
  void add(const Strand& strand) { strand_.push_back(strand); }
  [[nodiscard]] bool empty() const { return strand_.empty(); }
  [[nodiscard]] std::size_t size() const { return strand_.size(); }
  [[nodiscard]] const Strand& strand(std::size_t s) const { return strand_[s]; }
  /// All strands are there; series have so many coefficients.
  void lay_out(unsigned orders);

  /// Of the motion: C and g_0 of a strand, then its series of positions [k * n + i] and multipliers [row * orders + k].
  void begin(std::size_t s, double c, double gradient);
  [[nodiscard]] double gradient(std::size_t s) const { return g_[s]; }
  void expand(std::span<const double> position, std::size_t n, unsigned path_orders, std::span<const double> lambda);

  /// A parameter: dL / L by row held.
  void follow(std::span<const double> stretched);
  /// Coefficient k of the derivatives of positions, or of multipliers, is known.
  void set(unsigned k, const double* dq);
  void set_multipliers(unsigned k, const double* dlambda);
  /// Coefficient k of -d(J^T lambda) added to `force` and k + 2 of df to `row`, with what is not known yet taken as zero.
  void add_up(unsigned k, double* force, double* row);

 private:
  struct Kernels;
  unsigned orders_ = 0;
  std::size_t width_ = 2;
  std::size_t padded_ = 0;
  std::vector<Strand> strand_;
  std::vector<double> c_, reaction_, part_;
  AlignedNumbers g_, load_, pull_;  ///< g, Lambda, g lambda of the motion: [k * padded + s]
  AlignedNumbers delta_, mu_;       ///< ddelta and dlambda of a parameter, likewise
  std::vector<double> stretched_;   ///< dL / L by strand
  bool any_stretched_ = false;
};

}  // namespace zwang::sensitivity
