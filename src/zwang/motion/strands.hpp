/// Quadratic conditions, the commonest of all: their part of the series without any tape.
///
/// The gradient of f = sum_d c_d delta_d^2 / 2 + ... with delta_d = +-q_a +- q_b + constant is g_d = c_d delta_d, so that at orders
/// k >= 1 everything follows from the differences delta_k of the series of q alone:
///
///   c_k = (k + 1) (m / 2) sum_d c_d sum_{l=1..m-1} delta_l delta_{m-l},  m = k + 2,     (J^T lambda)_k = sum_{l=0..k} c_d delta_l lambda_{k-l}.
///
/// Distances count among them: where f = sqrt(u) - L is held, sqrt(u) = L along the motion, and c_d = 1 / L.
/// A strand is one (row, d). Strands lie side by side, so that chunks of them are computed together whatever row or family they
/// come from; where the variables of a chunk follow one another, as in a chain, they are loaded and stored whole.
/// Symbols as in series.hpp. Reference: docs/mathematics, section 10.3.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/base/aligned.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/linear/gram_factor.hpp"

namespace zwang::motion {

inline void zero_what_is_not_finite(std::span<double> list) {
  for (double& x : list) {
    if (!std::isfinite(x)) x = 0;
  }
}

class Strands {
 public:
  /// Room that arrays over the variables must have before their first and behind their last entry.
  static constexpr std::size_t margin = 8;

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

  /// All strands are there: lay them out by row. `variables` is their number.
  void lay_out(std::size_t variables);

  /// Order zero of the strand added as number s.
  void begin(std::size_t s, double delta, double c) {
    c_[place_[s]] = c;
    delta_[place_[s]] = delta;
  }
  /// Coefficient k of the gradient along the strand added as number s.
  [[nodiscard]] double gradient(std::size_t s, unsigned k) const {
    return c_[place_[s]] * delta_[k * padded_ + place_[s]];
  }
  /// Order zero is complete: weights of the reactions, by inverse masses if these are single numbers.
  void take_masses(std::span<const double> inverse_mass);

  /// With q_{k+1} known: reactions of order k taken off `force`, c_k added to `right`.
  void extend(unsigned k, const double* q_next, double* force, double* right) {
    switch (width_) {
      case 2: extend_width<2>(k, q_next, force, right); break;
      case 4: extend_width<4>(k, q_next, force, right); break;
      default: extend_width<8>(k, q_next, force, right); break;
    }
  }

  /// right += J a, for the rows made of strands.
  void press(const double* a, double* right) {
    switch (width_) {
      case 2: press_width<2>(a, right); break;
      case 4: press_width<4>(a, right); break;
      default: press_width<8>(a, right); break;
    }
  }

  /// The multipliers of order k are known: a -= W J^T lambda.
  void hinder(unsigned k, const double* lambda, double* a) {
    switch (width_) {
      case 2: hinder_width<2>(k, lambda, a); break;
      case 4: hinder_width<4>(k, lambda, a); break;
      default: hinder_width<8>(k, lambda, a); break;
    }
  }

  /// What the series leave out on a step: of the reactions (J - J_0) lambda beyond order `last` - 2, added to `load` by variable, and of the
  /// rows beyond order `last`, to `row`.
  struct Reach {
    const expressions::Stretch* stretch = nullptr;
    unsigned last = 0;
    const double* q_last = nullptr;  ///< coefficients of that order, with `margin` around
  };
  void bound(const Reach& reach, double* load, double* row);

  /// What order zero leaves of f'' = sum c (delta . a + v . v) in every row made of strands, added up twice as exactly as usual: a
  /// rounding that always has the same sign would feed energy into the motion, step after step.
  void residual(const double* v, const double* a, double* right) const;

  /// a -= W J^T change, for a small change of the multipliers of order zero; what a cannot hold goes to `rest`.
  void refine(const double* change, double* a, double* rest) const;

  /// Only keep the multipliers of order k.
  void carry(unsigned k, const double* lambda) { spread(lambda, carried_.data() + k * padded_); }

  /// A whole order at once, for a motion under constant forces that nothing but strands hinders, in two halves around the solution
  /// for the multipliers: from q_{k+1} to the right-hand side `right`, and with the multipliers there to the accelerations a.
  /// `force` is the constant force at order zero and null above.
  struct Order {
    unsigned k = 0;
    const double* q_next = nullptr;
    const double* force = nullptr;
    const double* inverse_mass = nullptr;
    std::size_t variables = 0;
    double* a = nullptr;
    double* right = nullptr;
  };
  void before_solving(const Order& order) { before_(*this, order); }
  void after_solving(const Order& order) { after_(*this, order); }

  /// After an order that was not finite: none of it is left.
  void forget_overflow();

  /// Do all strands lie side by side as the variables do, strand s between the variables s and s - shift?
  [[nodiscard]] bool in_one_run() const { return one_run_; }

  /// All orders above zero, for a motion under constant forces that nothing but strands in one run hinders: q_{k+2} and v_{k+1} for
  /// k = 1 .. last, with room for `margin` numbers behind the last.
  struct Orders {
    unsigned last = 0;
    std::size_t variables = 0;
    double* q = nullptr;  ///< [k * variables + i]; v the same
    double* v = nullptr;
    double* lambda = nullptr;  ///< [k * rows + j]
    std::size_t rows = 0;
    linear::GramFactor* factor = nullptr;
  };
  void extend_run(const Orders& orders) { orders_of_run_(*this, orders); }

 private:
  using Half = void (*)(Strands&, const Order&);
  using Whole = void (*)(Strands&, const Orders&);
  using Bounds = void (*)(Strands&, const Reach&);
  friend struct StrandKernels;

  /// right_row = the parts of its strands, for rows made of strands alone; and c lambda for every strand.
  [[gnu::always_inline]] void gather(double* right) const {
    const double* part = part_.data();
    if (in_pairs_) {
      const std::size_t rows = strand_.size() / 2;
      for (std::size_t j = 0; j < rows; ++j) right[j] = part[2 * j] + part[2 * j + 1];
      return;
    }
    for (std::size_t s = 0; s < strand_.size(); ++s) right[row_[s]] = 0;
    for (std::size_t s = 0; s < strand_.size(); ++s) right[row_[s]] += part[s];
  }
  [[gnu::always_inline]] void spread(const double* lambda, double* carried) const {
    const double* c = c_.data();
    if (in_pairs_) {
      const std::size_t rows = strand_.size() / 2;
      for (std::size_t j = 0; j < rows; ++j) {
        carried[2 * j] = c[2 * j] * lambda[j];
        carried[2 * j + 1] = c[2 * j + 1] * lambda[j];
      }
      return;
    }
    for (std::size_t s = 0; s < padded_; ++s) carried[s] = c[s] * lambda[row_[s]];
  }

  /// Variables of a chunk of W strands: sign_a x_a + sign_b x_b.
  template <unsigned W>
  [[gnu::always_inline]] expressions::Lanes<W> differences(std::size_t first, const double* x) const {
    using expressions::load;
    if (run_[first / W] != 0) {
      return load<W>(sign_a_.data() + first, 0) * load<W>(x + from_a_[first / W], 0) +
             load<W>(sign_b_.data() + first, 0) * load<W>(x + from_b_[first / W], 0);
    }
    double y[W];
    for (unsigned i = 0; i < W; ++i) {
      const std::size_t s = first + i;
      y[i] = sign_a_[s] * x[a_[s]] + sign_b_[s] * x[b_[s]];
    }
    return load<W>(y, 0);
  }

  /// x_a -= weight_a y, x_b -= weight_b y for a chunk.
  template <unsigned W>
  [[gnu::always_inline]] void take_off(std::size_t first, const double* weight_a, const double* weight_b,
                                       const expressions::Lanes<W>& y, double* x) const {
    using expressions::load;
    if (run_[first / W] != 0) {
      double* a = x + from_a_[first / W];
      expressions::store<W>(a, 0, load<W>(a, 0) - load<W>(weight_a + first, 0) * y);
      double* b = x + from_b_[first / W];
      expressions::store<W>(b, 0, load<W>(b, 0) - load<W>(weight_b + first, 0) * y);
      return;
    }
    double part[W];
    expressions::store<W>(part, 0, y);
    for (unsigned i = 0; i < W; ++i) {
      const std::size_t s = first + i;
      x[a_[s]] -= weight_a[s] * part[i];
      x[b_[s]] -= weight_b[s] * part[i];
    }
  }

  /// right_row += the parts of its strands.
  void add_up(double* right) const {
    const std::size_t rows = strand_.size() / 2;
    if (in_pairs_) {
      for (std::size_t j = 0; j < rows; ++j) right[j] += part_[2 * j] + part_[2 * j + 1];
      return;
    }
    for (std::size_t s = 0; s < strand_.size(); ++s) right[row_[s]] += part_[s];
  }

  template <unsigned W>
  void extend_width(unsigned k, const double* q_next, double* force, double* right) {
    using expressions::load;
    double* next = delta_.data() + (k + 1) * padded_;
    for (std::size_t first = 0; first < padded_; first += W)
      expressions::store<W>(next + first, 0, differences<W>(first, q_next));

    // The sums over lower orders, then what they mean for rows and forces.
    sums_(padded_, W, k, delta_.data(), carried_.data(), part_.data(), reaction_.data());
    const double factor = (k + 1.0) * (k + 2.0) * 0.5;
    for (std::size_t first = 0; first < padded_; first += W) {
      expressions::store<W>(part_.data() + first, 0,
                            (factor * load<W>(c_.data() + first, 0)) * load<W>(part_.data() + first, 0));
      if (k > 0) take_off<W>(first, sign_a_.data(), sign_b_.data(), load<W>(reaction_.data() + first, 0), force);
    }
    add_up(right);
  }

  template <unsigned W>
  void press_width(const double* a, double* right) {
    for (std::size_t first = 0; first < padded_; first += W) {
      expressions::store<W>(part_.data() + first, 0,
                            expressions::load<W>(gradient_.data() + first, 0) * differences<W>(first, a));
    }
    add_up(right);
  }

  template <unsigned W>
  void hinder_width(unsigned k, const double* lambda, double* a) {
    carry(k, lambda);
    const double* carried = carried_.data() + k * padded_;
    for (std::size_t first = 0; first < padded_; first += W) {
      const expressions::Lanes<W> y =
          expressions::load<W>(delta_.data() + first, 0) * expressions::load<W>(carried + first, 0);
      take_off<W>(first, weight_a_.data(), weight_b_.data(), y, a);
    }
  }

  using Sums = void (*)(std::size_t padded, std::size_t width, unsigned k, const double* delta, const double* carried,
                        double* pairs, double* reaction);
  /// The widest that this processor has; all give the same bits.
  void choose_kernels();

  Sums sums_ = nullptr;
  Half before_ = nullptr;
  Half after_ = nullptr;
  Whole orders_of_run_ = nullptr;
  Bounds bounds_ = nullptr;
  std::vector<Strand> strand_;
  std::vector<std::uint32_t> place_;  ///< of the strand added as number s
  unsigned orders_ = 0;
  unsigned width_ = 2;
  std::size_t padded_ = 0;
  bool in_pairs_ =
      false;  ///< row j has the strands 2 j and 2 j + 1, and there are no other rows before the last of them

  // By place; idle strands at the end have zeros.
  std::vector<std::uint32_t> row_, a_, b_;
  std::vector<double> sign_a_, sign_b_, c_, gradient_, weight_a_, weight_b_;
  std::vector<std::uint8_t> run_;                ///< per chunk: do its variables follow one another?
  std::vector<std::ptrdiff_t> from_a_, from_b_;  ///< per chunk: first variable of the run
  AlignedNumbers delta_;                         ///< [k * padded + place]
  AlignedNumbers carried_;                       ///< c lambda: [k * padded + place]
  std::vector<double> part_, reaction_;

  // All strands in one run. Lists by strand with `margin` zeros before and behind.
  void find_run(std::size_t variables);
  [[nodiscard]] std::size_t run_stride() const { return padded_ + 2 * margin; }
  [[nodiscard]] double* run_list(std::size_t which) { return run_room_.data() + which * run_stride() + margin; }
  bool one_run_ = false;
  std::size_t shift_ = 0;
  std::vector<double>
      run_room_;  ///< reactions, weights of a and b, and of a reaction in its own and its neighbours' rows
};

}  // namespace zwang::motion
