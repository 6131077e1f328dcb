/// Factor of a dual matrix in which every row meets its neighbours alone, as the rods of a chain do.
///
///   Phi = L D L^T,   L unit lower with l_j beside the diagonal;   z_j = b_j - l_j z_{j-1},   x_j = z_j / d_j - l_{j+1} x_{j+1}
///
/// Taken literally each number waits for the one before it. Put into itself three times the recurrence reads
///
///   z_j = b_j - l_j b_{j-1} + l_j l_{j-1} b_{j-2} - l_j l_{j-1} l_{j-2} b_{j-3} + l_j l_{j-1} l_{j-2} l_{j-3} z_{j-4},
///
/// so that four numbers at a time wait for the four before them; the products are made once per factor. The sums are the same
/// for every width of the processor's vectors, and so are the bits.
///
/// Symbols: Phi dual matrix, d pivots, l entries of L. Reference: docs/mathematics, section 10.1.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace zwang::linear {

class Tridiagonal {
 public:
  static constexpr std::size_t lanes = 4;

  void shape(std::size_t size);

  /// Factor; false if a pivot is below `vanishing` of its diagonal. beside[j] = Phi_{j,j+1}.
  [[nodiscard]] bool factor(const double* diagonal, const double* beside, double vanishing);

  /// The smallest pivot as a part of its diagonal.
  [[nodiscard]] double least_pivot() const { return least_pivot_; }

  /// Where b is to be written and x is found afterwards: `size` numbers, rounded up to four (the rest must stay zero).
  [[nodiscard]] double* right() { return room_.data() + lanes; }

  /// Zeros there, behind `size` too: after a b that was not finite.
  void empty_right() { std::fill(right(), right() + padded_, 0.0); }

  /// Phi^-1 of a single row.
  [[nodiscard]] double inverse_of_one() { return inverse()[0]; }

  /// x = Phi^-1 b, in the widest vectors that the processor has.
  void solve_wide();

  /// The same, to be compiled into loops that have chosen their vectors.
  [[gnu::always_inline]] void solve() {
    using Four [[gnu::vector_size(lanes * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;
    const auto at = [](const double* x) -> const Four& { return *reinterpret_cast<const Four*>(x); };
    double* const b = right();
    if (size_ == 1) {
      b[0] *= inverse()[0];
      return;
    }
    // Downwards, from b to z / d; the numbers before the first are zero.
    double* const y = between();
    const double* const inverse_pivot = inverse();
    const double* const down1 = product(1);
    const double* const down2 = product(2);
    const double* const down3 = product(3);
    const double* const down4 = product(4);
    Four z{};
    Four before{};
    for (std::size_t j = 0; j < padded_; j += lanes) {
      const Four here = at(b + j);
      const Four near = here + at(down1 + j) * Four(__builtin_shufflevector(before, here, 3, 4, 5, 6));
      const Four far = at(down2 + j) * Four(__builtin_shufflevector(before, here, 2, 3, 4, 5)) +
                       at(down3 + j) * Four(__builtin_shufflevector(before, here, 1, 2, 3, 4));
      z = (near + far) + at(down4 + j) * z;
      *reinterpret_cast<Four*>(y + j) = z * at(inverse_pivot + j);
      before = here;
    }
    // Upwards.
    const double* const up1 = product(5);
    const double* const up2 = product(6);
    const double* const up3 = product(7);
    const double* const up4 = product(8);
    Four x{};
    Four behind{};
    for (std::size_t j = padded_; j > 0;) {
      j -= lanes;
      const Four here = at(y + j);
      const Four near = here + at(up1 + j) * Four(__builtin_shufflevector(here, behind, 1, 2, 3, 4));
      const Four far = at(up2 + j) * Four(__builtin_shufflevector(here, behind, 2, 3, 4, 5)) +
                       at(up3 + j) * Four(__builtin_shufflevector(here, behind, 3, 4, 5, 6));
      x = (near + far) + at(up4 + j) * x;
      *reinterpret_cast<Four*>(b + j) = x;
      behind = here;
    }
  }

 private:
  // Lists of `padded` numbers with four zeros before and behind: b, z / d, 1 / d, and the products downwards and upwards.
  [[nodiscard]] std::size_t stride() const { return padded_ + 2 * lanes; }
  [[nodiscard]] double* between() { return room_.data() + stride() + lanes; }
  [[nodiscard]] double* inverse() { return room_.data() + 2 * stride() + lanes; }
  [[nodiscard]] double* product(std::size_t which) { return room_.data() + (2 + which) * stride() + lanes; }

  std::size_t size_ = 0;
  std::size_t padded_ = 0;
  double least_pivot_ = 1;
  std::vector<double> room_;
};

}  // namespace zwang::linear
