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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "zwang/expressions/functions/series.hpp"

namespace zwang::motion {

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

  /// Order zero of the strand added as number s: delta is the gradient over c.
  void begin(std::size_t s, double gradient, double c) {
    c_[place_[s]] = c;
    delta_[place_[s]] = gradient / c;
  }
  /// Order zero is complete: weights of the reactions, by inverse masses if these are single numbers.
  void weigh(std::span<const double> inverse_mass);

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

  /// Only keep the multipliers of order k.
  void carry(unsigned k, const double* lambda) {
    double* to = carried_.data() + k * padded_;
    for (std::size_t s = 0; s < padded_; ++s) to[s] = c_[s] * lambda[row_[s]];
  }

 private:
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
    using expressions::Lanes;
    const unsigned m = k + 2;
    const double factor = (k + 1.0) * m * 0.5;
    for (std::size_t first = 0; first < padded_; first += W) {
      const double* delta = delta_.data() + first;
      const double* carried = carried_.data() + first;
      const auto at = [&](const double* x, unsigned order) { return expressions::load<W>(x + order * padded_, 0); };
      const Lanes<W> next = differences<W>(first, q_next);
      expressions::store<W>(delta_.data() + first + (k + 1) * padded_, 0, next);

      // The first sum is symmetric: every pair counts twice. The second runs over the multipliers so far.
      Lanes<W> pairs;
      if (m > 2) pairs = at(delta, 1) * next;
      for (unsigned l = 2; 2 * l < m; ++l) pairs += at(delta, l) * at(delta, m - l);
      pairs = pairs + pairs;
      if (m % 2 == 0) pairs += at(delta, m / 2) * at(delta, m / 2);
      expressions::store<W>(part_.data() + first, 0, (factor * expressions::load<W>(c_.data() + first, 0)) * pairs);
      if (k > 0) {
        Lanes<W> reaction = at(delta, 1) * at(carried, k - 1);
        for (unsigned l = 2; l <= k; ++l) reaction += at(delta, l) * at(carried, k - l);
        take_off<W>(first, sign_a_.data(), sign_b_.data(), reaction, force);
      }
    }
    add_up(right);
  }

  template <unsigned W>
  void press_width(const double* a, double* right) {
    for (std::size_t first = 0; first < padded_; first += W) {
      expressions::store<W>(part_.data() + first, 0, expressions::load<W>(gradient_.data() + first, 0) * differences<W>(first, a));
    }
    add_up(right);
  }

  template <unsigned W>
  void hinder_width(unsigned k, const double* lambda, double* a) {
    carry(k, lambda);
    const double* carried = carried_.data() + k * padded_;
    for (std::size_t first = 0; first < padded_; first += W) {
      const expressions::Lanes<W> y = expressions::load<W>(delta_.data() + first, 0) * expressions::load<W>(carried + first, 0);
      take_off<W>(first, weight_a_.data(), weight_b_.data(), y, a);
    }
  }

  std::vector<Strand> strand_;
  std::vector<std::uint32_t> place_;  ///< of the strand added as number s
  unsigned orders_ = 0;
  unsigned width_ = 2;
  std::size_t padded_ = 0;
  bool in_pairs_ = false;  ///< row j has the strands 2 j and 2 j + 1, and there are no other rows before the last of them

  // By place; idle strands at the end have zeros.
  std::vector<std::uint32_t> row_, a_, b_;
  std::vector<double> sign_a_, sign_b_, c_, gradient_, weight_a_, weight_b_;
  std::vector<std::uint8_t> run_;                ///< per chunk: do its variables follow one another?
  std::vector<std::ptrdiff_t> from_a_, from_b_;  ///< per chunk: first variable of the run
  std::vector<double> delta_;                    ///< [k * padded + place]
  std::vector<double> carried_;                  ///< c lambda: [k * padded + place]
  std::vector<double> part_;
};

inline void Strands::lay_out(std::size_t variables) {
  const std::size_t count = strand_.size();
  width_ = count > 4 ? 8 : (count > 2 ? 4 : 2);
  padded_ = (count + width_ - 1) / width_ * width_;

  // By row, then by variable; the later variable is called a, so that the conditions of a chain make runs.
  for (Strand& one : strand_) {
    if (one.sign_b != 0 && one.b > one.a) {
      std::swap(one.a, one.b);
      std::swap(one.sign_a, one.sign_b);
    }
  }
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
    return strand_[x].row != strand_[y].row ? strand_[x].row < strand_[y].row : strand_[x].a < strand_[y].a;
  });
  place_.assign(count, 0);
  row_.assign(padded_, 0);
  a_.assign(padded_, count > 0 ? strand_[0].a : 0);
  b_ = a_;
  for (std::vector<double>* list : {&sign_a_, &sign_b_, &c_, &gradient_, &weight_a_, &weight_b_, &part_}) list->assign(padded_, 0.0);
  in_pairs_ = true;
  for (std::uint32_t s = 0; s < count; ++s) {
    const Strand& one = strand_[order[s]];
    place_[order[s]] = s;
    row_[s] = one.row;
    a_[s] = one.a;
    b_[s] = one.sign_b != 0 ? one.b : one.a;
    sign_a_[s] = one.sign_a;
    sign_b_[s] = one.sign_b;
    c_[s] = one.c;
    in_pairs_ = in_pairs_ && one.row == s / 2;
  }
  in_pairs_ = in_pairs_ && count % 2 == 0;

  // Runs: a and b both count up through the chunk, where they matter.
  const std::size_t chunks = width_ == 0 ? 0 : padded_ / width_;
  run_.assign(chunks, 0);
  from_a_.assign(chunks, 0);
  from_b_.assign(chunks, 0);
  const auto run_of = [&](const std::vector<std::uint32_t>& variable, const std::vector<double>& sign, std::size_t first,
                          std::ptrdiff_t& from) {
    bool known = false;
    from = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      if (sign[first + i] == 0) continue;
      const auto here = static_cast<std::ptrdiff_t>(variable[first + i]) - static_cast<std::ptrdiff_t>(i);
      if (known && here != from) return false;
      from = here;
      known = true;
    }
    const auto room = static_cast<std::ptrdiff_t>(margin);
    return from >= -room && from + static_cast<std::ptrdiff_t>(width_) <= static_cast<std::ptrdiff_t>(variables) + room;
  };
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const bool run = run_of(a_, sign_a_, chunk * width_, from_a_[chunk]) && run_of(b_, sign_b_, chunk * width_, from_b_[chunk]);
    run_[chunk] = run ? 1 : 0;
  }
  delta_.assign(orders_ * padded_, 0.0);
  carried_.assign(orders_ * padded_, 0.0);
}

inline void Strands::weigh(std::span<const double> inverse_mass) {
  for (std::size_t s = 0; s < strand_.size(); ++s) {
    gradient_[s] = c_[s] * delta_[s];
    if (inverse_mass.empty()) continue;
    weight_a_[s] = sign_a_[s] * inverse_mass[a_[s]];
    weight_b_[s] = sign_b_[s] * inverse_mass[b_[s]];
  }
}

}  // namespace zwang::motion
