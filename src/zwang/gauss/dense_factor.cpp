/// The factor of the dense backend and the multipliers that follow from it: L L^T = Phi_AA, row by row, four at a time.
///
///   L u = (J a0 + h)_A,     L^T lambda_A = u
///
/// The rows grow and shrink with the set, a pivot in doubt is made again from the rows of B, and one that depends is left aside:
/// this is why the factorisation stands here, beside the set.
#include <algorithm>
#include <cmath>

#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

/// A dependent row may be parallel to one held: of two inequalities the one broken further must stay. Then the new row takes
/// the place, the row of L grows by the ratio of their lengths, and true is returned.
bool DenseFace::replaces(std::uint32_t row, std::size_t slot) {
  if (problem_->kind[row] == RowKind::equation) return false;
  double* phi = gram_.data() + slot * capacity_;
  for (std::size_t p = 0; p < size_; ++p) {
    const std::size_t other = slot_[p];
    const double product = phi[other];
    if (!(product > 0 && product * product >= square_[slot] * square_[other] * (1 - parallel))) continue;
    if (problem_->kind[set_[p]] == RowKind::equation) return false;
    const double ratio = std::sqrt(square_[slot] / square_[other]);
    if (!(free_[slot] > ratio * free_[other])) return false;

    // L and Phi as if it had been there from the start.
    double* l = factor_.data() + p * capacity_;
    for (std::size_t q = 0; q <= p; ++q) l[q] *= ratio;
    inverse_[p] /= ratio;
    for (std::size_t q = p + 1; q < size_; ++q) gram_[slot_[q] * capacity_ + slot] = phi[slot_[q]];
    state_[set_[p]] = skipped;
    release(slot_[p]);
    set_[p] = row;
    slot_[p] = static_cast<std::uint32_t>(slot);
    state_[row] = in_set;
    solved_ = std::min(solved_, p);
    return true;
  }
  return false;
}

/// Phi of R rows from position `first` against all before them and among themselves.
template <int R>
void DenseFace::gram_rows(std::size_t first) {
  const double* x[R];
  double* out[R];
  for (int i = 0; i < R; ++i) {
    const std::size_t slot = slot_[first + static_cast<std::size_t>(i)];
    x[i] = rows_.data() + slot * stride_;
    out[i] = gram_.data() + slot * capacity_;
  }
  if (short_rows_) {
    // Spread one row over the columns, gather the others.
    for (int i = 0; i < R; ++i) {
      const std::size_t slot = slot_[first + static_cast<std::size_t>(i)];
      const std::uint32_t* index = index_.data() + slot * stride_;
      for (std::size_t e = 0; e < length_[slot]; ++e) scatter_[index[e]] = x[i][e];
      for (std::size_t q = 0; q < first + static_cast<std::size_t>(i); ++q) {
        const std::size_t other = slot_[q];
        const std::uint32_t* columns = index_.data() + other * stride_;
        const double* values = rows_.data() + other * stride_;
        double sum = 0;
        for (std::size_t e = 0; e < length_[other]; ++e) sum += values[e] * scatter_[columns[e]];
        out[i][other] = sum;
      }
      for (std::size_t e = 0; e < length_[slot]; ++e) scatter_[index[e]] = 0;
    }
    return;
  }
  double block[2 * R];
  std::size_t q = 0;
  for (; q + 2 <= first; q += 2) {
    const std::size_t one = slot_[q], other = slot_[q + 1];
    linear::dots_by_two<R>(x, rows_.data() + one * stride_, rows_.data() + other * stride_, n_, block);
    for (int i = 0; i < R; ++i) {
      out[i][one] = block[2 * i];
      out[i][other] = block[2 * i + 1];
    }
  }
  if (q < first) {
    const std::size_t one = slot_[q];
    linear::dots<R>(x, rows_.data() + one * stride_, n_, block);
    for (int i = 0; i < R; ++i) out[i][one] = block[i];
  }
  for (int i = 1; i < R; ++i) {
    for (int k = 0; k < i; ++k) out[i][slot_[first + static_cast<std::size_t>(k)]] = linear::dot(x[i], x[k], n_);
  }
}

/// Rows of L of R positions from `first`, against all columns before `first`.
template <int R>
void DenseFace::factor_rows(std::size_t first) {
  const double* phi[R];
  const double* row[R];
  double* out[R];
  for (int i = 0; i < R; ++i) {
    const std::size_t position = first + static_cast<std::size_t>(i);
    phi[i] = gram_.data() + slot_[position] * capacity_;
    out[i] = factor_.data() + position * capacity_;
    row[i] = out[i];
  }
  double block[2 * R];
  std::size_t q = 0;
  for (; q + 2 <= first; q += 2) {
    const double* upper = factor_.data() + q * capacity_;
    const double* lower = upper + capacity_;
    linear::dots_by_two<R>(row, upper, lower, q, block);
    for (int i = 0; i < R; ++i) {
      const double one = (phi[i][slot_[q]] - block[2 * i]) * inverse_[q];
      out[i][q] = one;
      out[i][q + 1] = (phi[i][slot_[q + 1]] - block[2 * i + 1] - one * lower[q]) * inverse_[q + 1];
    }
  }
  if (q < first) {
    linear::dots<R>(row, factor_.data() + q * capacity_, q, block);
    for (int i = 0; i < R; ++i) out[i][q] = (phi[i][slot_[q]] - block[i]) * inverse_[q];
  }
}

/// |z|^2 of z = B_p - B_A^T c, with L^T c = l made exact once more by orthogonality; zero when z is rounding.
double DenseFace::careful_pivot(const double* l, std::size_t slot) {
  double* c = u_.data() + capacity_;
  double* z = d_.data();
  const double* row = rows_.data() + slot * stride_;

  // z = B_p, over all columns.
  if (short_rows_) {
    std::fill_n(z, n_, 0.0);
    const std::uint32_t* index = index_.data() + slot * stride_;
    for (std::size_t e = 0; e < length_[slot]; ++e) z[index[e]] = row[e];
  } else {
    std::copy_n(row, n_, z);
  }

  // Twice: coefficients of what is left along the set, then less of that.
  double largest = square_[slot];
  std::copy_n(l, size_, c);
  for (int pass = 0; pass < 2; ++pass) {
    if (pass > 0) {
      for (std::size_t p = 0; p < size_; ++p) {
        c[p] = (along(z, slot_[p]) - linear::dot(factor_.data() + p * capacity_, c, p)) * inverse_[p];
      }
    }
    for (std::size_t p = size_; p-- > 0;) {
      c[p] *= inverse_[p];
      linear::add_multiple(-c[p], factor_.data() + p * capacity_, c, p);
    }
    for (std::size_t p = 0; p < size_; ++p) {
      const double* x = rows_.data() + slot_[p] * stride_;
      largest = std::max(largest, c[p] * c[p] * square_[slot_[p]]);
      if (!short_rows_) {
        linear::add_multiple(-c[p], x, z, n_);
        continue;
      }
      const std::uint32_t* index = index_.data() + slot_[p] * stride_;
      for (std::size_t e = 0; e < length_[slot_[p]]; ++e) z[index[e]] -= c[p] * x[e];
    }
  }
  const double pivot = linear::dot(z, z, n_);
  return pivot > row_rounding * row_rounding * largest ? pivot : 0;
}

void DenseFace::gram_block(std::size_t first, std::size_t count) {
  switch (count) {
    case 1: gram_rows<1>(first); break;
    case 2: gram_rows<2>(first); break;
    case 3: gram_rows<3>(first); break;
    default: gram_rows<4>(first); break;
  }
}

void DenseFace::factor_block(std::size_t first, std::size_t count) {
  switch (count) {
    case 1: factor_rows<1>(first); break;
    case 2: factor_rows<2>(first); break;
    case 3: factor_rows<3>(first); break;
    default: factor_rows<4>(first); break;
  }
}

/// Gives a slot back, unless the guess for few rows still needs them all.
void DenseFace::release(std::size_t slot) {
  if (!all_known_) free_slots_[free_count_++] = static_cast<std::uint32_t>(slot);
}

/// Factors the listed rows from position `valid_` on, four at a time; `size_` rows of the list were held before and have
/// their part of Phi already.
void DenseFace::extend() {
  const std::size_t known = size_;
  std::size_t next = valid_;
  size_ = valid_;
  while (next < wanted_) {
    // The next rows, at most four, all known or all fresh.
    const std::size_t end = next < known ? known : wanted_;
    std::size_t count = std::min<std::size_t>(4, end - next);
    const bool fresh = next >= known && !all_known_;
    if (size_ == n_) {
      // The set spans everything: whatever comes depends on it.
      for (; next < wanted_; ++next) {
        state_[set_[next]] = skipped;
        release(slot_[next]);
      }
      break;
    }
    for (std::size_t i = 0; i < count; ++i) {
      set_[size_ + i] = set_[next + i];
      slot_[size_ + i] = slot_[next + i];
    }
    next += count;
    if (fresh) gram_block(size_, count);
    factor_block(size_, count);

    // Among themselves, one after the other; a row that depends on those before it is skipped.
    const std::size_t first = size_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t source = first + i;
      const std::uint32_t row = set_[source], slot = slot_[source];
      double* l = factor_.data() + source * capacity_;
      if (size_ < source) {
        double* target = factor_.data() + size_ * capacity_;
        std::copy_n(l, first, target);
        l = target;
      }
      for (std::size_t q = first; q < size_; ++q) {
        const double* other = factor_.data() + q * capacity_;
        l[q] = (gram_[slot * capacity_ + slot_[q]] - linear::dot(l, other, q)) * inverse_[q];
      }
      double pivot = square_[slot] - linear::dot(l, l, size_);
      if (pivot <= doubtful_pivot * square_[slot] && size_ > 0) pivot = careful_pivot(l, slot);
      if (pivot > skipped_pivot * square_[slot] && size_ < n_) {
        const double root = std::sqrt(pivot);
        l[size_] = root;
        inverse_[size_] = 1 / root;
        set_[size_] = row;
        slot_[size_] = slot;
        state_[row] = in_set;
        ++size_;
      } else if (!replaces(row, slot)) {
        state_[row] = skipped;
        release(slot);
      }
    }
  }
  wanted_ = valid_ = size_;
}

void DenseFace::multipliers() {
  // The guess may have just done it.
  if (answered_) {
    answered_ = false;
    return;
  }

  // L u = free slacks, from the first entry that changed.
  for (std::size_t p = solved_; p < size_; ++p) {
    const double* l = factor_.data() + p * capacity_;
    u_[p] = (free_[slot_[p]] - linear::dot(l, u_.data(), p)) * inverse_[p];
  }
  solved_ = size_;

  // L^T lambda = u.
  double* lambda = multiplier_.data();
  std::copy_n(u_.data(), size_, lambda);
  for (std::size_t p = size_; p-- > 0;) {
    lambda[p] *= inverse_[p];
    linear::add_multiple(-lambda[p], factor_.data() + p * capacity_, lambda, p);
  }

  // Inequalities with the wrong sign, beyond rounding of the largest.
  double largest = 0;
  bool any = false;
  for (std::size_t p = 0; p < size_; ++p) {
    largest = std::max(largest, lambda[p] * lambda[p] * square_[slot_[p]]);
    any |= lambda[p] < 0;
  }
  negative_count_ = 0;
  if (!any) return;
  for (std::size_t p = 0; p < size_; ++p) {
    if (lambda[p] >= 0 || problem_->kind[set_[p]] == RowKind::equation) continue;
    if (lambda[p] * lambda[p] * square_[slot_[p]] > sign_rounding * sign_rounding * largest) {
      negative_[negative_count_++] = set_[p];
    }
  }
}

}  // namespace zwang::gauss
