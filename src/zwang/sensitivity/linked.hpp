/// Quadratic conditions, linearised: sums over strands (motion/strands.hpp) in the place of tapes.
///
/// The gradient of a held condition that is quadratic, or a distance, is g = C delta along each of its strands, delta = +-q_a +- q_b + constant, C = 1 / L of a distance
/// L. With d the derivative by a parameter and Lambda = C lambda,
///
///   d(J^T lambda)_k = sum_l Lambda_(k-l) ddelta_l + sum_l g_l dlambda_(k-l) - (dL / L) (g lambda)_k,      d(f)_m = sum_l g_l ddelta_(m-l)  for m > 0.
///
/// Strands of some parameters lie side by side, number p of strand s at [s * L + p] for L parameters; what belongs to the motion is written once for each. Every sum is added up in rising
/// order for its strand alone, so that the width of vectors does not show. Reference: docs/mathematics, section 24.2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/aligned.hpp"
#include "zwang/sensitivity/held.hpp"

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
  [[nodiscard]] double gradient(std::size_t s) const { return first_[s]; }
  void expand(std::span<const double> position, std::size_t n, unsigned path_orders, std::span<const double> lambda);

  /// Some parameters, 1, 2 or 4: dL / L by row held [row * lanes + p]. All numbers over variables and rows have such places from here on.
  void follow(unsigned lanes, std::span<const double> stretched);
  /// Coefficient k of the derivatives of positions, or of multipliers, is known.
  void set(unsigned k, const double* dq);
  void set_multipliers(unsigned k, const double* dlambda);
  /// Of a motion that nothing but strands and constant forces moves, whose masses are single numbers: coefficients k + 2 of positions and k of multipliers, all at once. `right` are the other
  /// forces, or null; `steps` what multiplies d_{k+2} beside the masses.
  void find(unsigned k, double steps, const double* right, Held& held, std::span<double> d, std::span<double> dlambda);
  /// What `find` needs, after `expand` and the factor of the rows.
  void weigh(std::span<const double> inverse_mass);
  /// Coefficient k of -d(J^T lambda) added to `force` and k + 2 of df to `row`, with what is not known yet taken as zero.
  void add_up(unsigned k, double* force, double* row);

 private:
  struct Kernels;
  /// A strand with all that multiplies it.
  struct Weighed {
    std::uint32_t row = 0, a = 0, b = 0;
    double sign_a = 0, sign_b = 0;
    double gradient_a = 0, gradient_b = 0;  ///< entries of J
    double eased_a = 0, eased_b = 0;        ///< and over the masses
  };
  void take_lanes(unsigned lanes);
  void find_pull();

  unsigned orders_ = 0;
  unsigned lanes_ = 0;  ///< for which the lists of the motion are written; 0: none
  std::size_t width_ = 2;
  std::size_t padded_ = 0;
  std::vector<Strand> strand_;
  std::vector<Weighed> weighed_;
  std::vector<double> inverse_mass_;
  std::vector<double> c_, first_, motion_g_, motion_load_;  ///< g and Lambda of the motion: [k * strands + s]
  std::vector<double> pull_;                                ///< g lambda of the motion, likewise, if it is known
  std::vector<double> reaction_, part_, stretched_;         ///< by strand and parameter; the last dL / L
  AlignedNumbers g_, load_;    ///< those of the motion, [k * padded + strand and parameter]
  AlignedNumbers delta_, mu_;  ///< ddelta and dlambda of the parameters, likewise
  bool any_stretched_ = false;
  bool knows_pull_ = false;
};

}  // namespace zwang::sensitivity
