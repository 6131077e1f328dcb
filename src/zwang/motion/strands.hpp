/// Quadratic conditions, the commonest of all: their part of the series without any tape.
///
/// The gradient of f = sum_d c_d delta_d^2 / 2 + ... with delta_d = +-q_a +- q_b + constant is g_d = c_d delta_d, so that at orders
/// k >= 1 everything follows from the differences delta_k of the series of q alone:
///
///   c_k = (k + 1) (m / 2) sum_d c_d sum_{l=1..m-1} delta_l delta_{m-l},  m = k + 2,     (J^T lambda)_k = sum_{l=0..k} c_d delta_l lambda_{k-l}.
///
/// Distances count among them: where f = sqrt(u) - L is held, sqrt(u) = L along the motion, and c_d = 1 / L.
/// A strand is one (row, d). Strands lie side by side, so that chunks of them are computed together whatever row or family they
/// come from. Symbols as in series.hpp. Reference: docs/mathematics, section 10.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/expressions/functions/series.hpp"

namespace zwang::motion {

class Strands {
 public:
  struct Strand {
    std::uint32_t row = 0;  ///< number among the rows held
    std::uint32_t a = 0, b = 0;
    double sign_a = 1, sign_b = 0;  ///< sign_b = 0: only one variable
    double c = 1;
  };

  void clear(unsigned orders) {
    strand_.clear();
    orders_ = orders;
  }
  void add(const Strand& strand) { strand_.push_back(strand); }
  [[nodiscard]] bool empty() const { return strand_.empty(); }
  [[nodiscard]] std::size_t size() const { return strand_.size(); }
  [[nodiscard]] const Strand& strand(std::size_t s) const { return strand_[s]; }

  /// All strands are there: lay them out.
  void lay_out() {
    const std::size_t count = strand_.size();
    width_ = count > 4 ? 8 : (count > 2 ? 4 : 2);
    padded_ = (count + width_ - 1) / width_ * width_;
    Strand idle;
    idle.sign_a = 0;
    if (count > 0) idle.a = idle.b = strand_[0].a;
    row_.assign(padded_, 0);
    a_.assign(padded_, idle.a);
    b_.assign(padded_, idle.a);
    sign_a_.assign(padded_, 0.0);
    sign_b_.assign(padded_, 0.0);
    c_.assign(padded_, 0.0);
    for (std::size_t s = 0; s < count; ++s) {
      row_[s] = strand_[s].row;
      a_[s] = strand_[s].a;
      b_[s] = strand_[s].b;
      sign_a_[s] = strand_[s].sign_a;
      sign_b_[s] = strand_[s].sign_b;
      c_[s] = strand_[s].c;
    }
    delta_.assign(orders_ * padded_, 0.0);
    carried_.assign(orders_ * padded_, 0.0);
    part_.assign(padded_, 0.0);
  }

  /// Order zero: delta is the gradient over c.
  void begin(std::size_t s, double gradient, double c) {
    c_[s] = c;
    delta_[s] = gradient / c;
  }

  /// With q_{k+1} known: reactions of order k taken off `force`, c_k added to `right`.
  void extend(unsigned k, const double* q_next, double* force, double* right) {
    switch (width_) {
      case 2: extend_width<2>(k, q_next, force, right); break;
      case 4: extend_width<4>(k, q_next, force, right); break;
      default: extend_width<8>(k, q_next, force, right); break;
    }
  }

  /// The multipliers of order k are known.
  void carry(unsigned k, const double* lambda) {
    double* to = carried_.data() + k * padded_;
    for (std::size_t s = 0; s < padded_; ++s) to[s] = c_[s] * lambda[row_[s]];
  }

 private:
  template <unsigned W>
  void extend_width(unsigned k, const double* q_next, double* force, double* right) {
    using expressions::Lanes;
    double* next = delta_.data() + (k + 1) * padded_;
    for (std::size_t s = 0; s < padded_; ++s) {
      next[s] = sign_a_[s] * q_next[a_[s]] + sign_b_[s] * q_next[b_[s]];
    }
    const unsigned m = k + 2;
    const double factor = (k + 1.0) * m * 0.5;
    for (std::size_t first = 0; first < padded_; first += W) {
      // Both sums run over the same differences; the first is symmetric, every pair counts twice.
      const double* delta = delta_.data() + first;
      const double* carried = carried_.data() + first;
      const auto at = [&](const double* x, unsigned order) { return expressions::load<W>(x + order * padded_, 0); };
      Lanes<W> pairs;
      for (unsigned l = 1; 2 * l < m; ++l) pairs += at(delta, l) * at(delta, m - l);
      pairs = 2.0 * pairs;
      if (m % 2 == 0) pairs += at(delta, m / 2) * at(delta, m / 2);
      Lanes<W> even;
      Lanes<W> odd;
      unsigned l = 1;
      for (; l + 1 <= k; l += 2) {
        even += at(delta, l) * at(carried, k - l);
        odd += at(delta, l + 1) * at(carried, k - l - 1);
      }
      if (l <= k) even += at(delta, l) * at(carried, k - l);
      expressions::store<W>(part_.data() + first, 0, factor * (expressions::load<W>(c_.data() + first, 0) * pairs));
      double reaction[W];
      expressions::store<W>(reaction, 0, even + odd);
      if (k > 0) {
        for (unsigned i = 0; i < W; ++i) {
          const std::size_t s = first + i;
          force[a_[s]] -= sign_a_[s] * reaction[i];
          force[b_[s]] -= sign_b_[s] * reaction[i];
        }
      }
    }
    for (std::size_t s = 0; s < strand_.size(); ++s) right[row_[s]] += part_[s];
  }

  std::vector<Strand> strand_;
  std::vector<std::uint32_t> row_, a_, b_;     ///< padded
  std::vector<double> sign_a_, sign_b_, c_;    ///< padded; idle strands have zeros
  unsigned orders_ = 0;
  unsigned width_ = 2;
  std::size_t padded_ = 0;
  std::vector<double> delta_;    ///< [k * padded + s]
  std::vector<double> carried_;  ///< c lambda: [k * padded + s]
  std::vector<double> part_;
};

}  // namespace zwang::motion
