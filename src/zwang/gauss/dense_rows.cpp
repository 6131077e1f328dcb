/// Rows of the dense backend: B_i = J_i M^-1/2, its length, its free slack J_i a0 + h_i.
#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/gauss/dense_face.hpp"
#include "zwang/linear/halves.hpp"
#include "zwang/linear/kernels.hpp"

namespace zwang::gauss {

namespace {

using linear::load;
using linear::Pair;
using linear::store;
using linear::total;

/// sum x_j^2 root_j^2 over all columns.
double weighted_square(const double* x, const double* root, std::size_t size) {
  Pair s0 = {0, 0}, s1 = {0, 0};
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {
    const Pair t0 = load(x + j) * load(root + j), t1 = load(x + j + 2) * load(root + j + 2);
    s0 += t0 * t0;
    s1 += t1 * t1;
  }
  double sum = total(s0 + s1);
  for (; j < size; ++j) sum += (x[j] * root[j]) * (x[j] * root[j]);
  return sum;
}

}  // namespace

double DenseFace::norm_squared(std::uint32_t row) {
  if (norm_[row] >= 0) return norm_[row];
  const Problem& problem = *problem_;
  double sum = 0;
  if (!diagonal_) {
    // |L^-1 J_i^T|^2, through a slot's worth of scratch.
    bring_through_blocks(row, d_.data());
    sum = linear::dot(d_.data(), d_.data(), n_);
  } else if (full_rows_) {
    sum = weighted_square(problem.entry.data() + problem.start[row], problem.mass->inverse_root().data(), n_);
  } else {
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      const double value = problem.entry[e] * problem.mass->inverse_root()[problem.column[e]];
      sum += value * value;
    }
  }
  norm_[row] = sum;
  return sum;
}

/// B_i over all variables for a mass matrix with blocks: L u = J_i^T in every block the row touches.
void DenseFace::bring_through_blocks(std::uint32_t row, double* out) {
  const Problem& problem = *problem_;
  const linear::Mass& mass = *problem.mass;
  std::fill_n(out, n_, 0.0);
  for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
    const std::uint32_t column = problem.column[e];
    out[column] = problem.entry[e] * (mass.block_of(column) < 0 ? mass.inverse_root()[column] : 1.0);
  }
  for (const linear::Mass::Block& block : mass.blocks()) {
    const std::size_t size = block.variables.size();
    if (block.turn) {
      std::array<double, linear::variables_of_a_turn> x{};
      for (std::size_t c = 0; c < size; ++c) x[c] = out[block.variables[c]];
      linear::into_metric(block, x.data());
      for (std::size_t c = 0; c < size; ++c) out[block.variables[c]] = x[c];
      continue;
    }
    for (std::size_t c = 0; c < size; ++c) {
      double& value = out[block.variables[c]];
      if (value == 0) continue;
      value /= block.factor[c * size + c];
      for (std::size_t i = c + 1; i < size; ++i) out[block.variables[i]] -= block.factor[c * size + i] * value;
    }
  }
}

/// A row's place among the candidates: B_i, |B_i|^2 and J_i a0 + h_i.
void DenseFace::bring(std::uint32_t row, std::size_t slot) {
  const Problem& problem = *problem_;
  const double* entry = problem.entry.data() + problem.start[row];
  const double* a0 = problem.a0.data();
  double* out = rows_.data() + slot * stride_;
  double square = 0, slack = problem.h[row];

  if (full_rows_ && diagonal_) {
    // All at once over a dense row.
    const double* root = problem.mass->inverse_root().data();
    Pair squares = {0, 0}, slacks = {0, 0};
    std::size_t j = 0;
    for (; j + 2 <= n_; j += 2) {
      const Pair x = load(entry + j);
      const Pair b = x * load(root + j);
      store(out + j, b);
      squares += b * b;
      slacks += x * load(a0 + j);
    }
    square = total(squares);
    slack += total(slacks);
    if (j < n_) {
      const double b = entry[j] * root[j];
      out[j] = b;
      out[j + 1] = 0;
      square += b * b;
      slack += entry[j] * a0[j];
    }
  } else {
    // The free slack from J itself.
    for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
      slack += problem.entry[e] * a0[problem.column[e]];
    }

    // B_i by index, or spread over all columns.
    std::size_t length = stride_;
    if (!diagonal_) {
      bring_through_blocks(row, short_rows_ ? d_.data() : out);
      if (stride_ > n_ && !short_rows_) out[n_] = 0;
    }
    if (short_rows_) {
      length = 0;
      std::uint32_t* index = index_.data() + slot * stride_;
      const auto take = [&](std::uint32_t column, double value) {
        index[length] = column;
        out[length] = value;
        ++length;
      };
      for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
        const std::uint32_t column = problem.column[e];
        const int number = problem.mass->block_of(column);
        if (number < 0) {
          take(column, problem.entry[e] * problem.mass->inverse_root()[column]);
          continue;
        }
        // A block's variables once, at the first entry of the row in it; what is taken is marked by zero.
        for (const std::uint32_t other : problem.mass->blocks()[static_cast<std::size_t>(number)].variables) {
          if (d_[other] != 0) take(other, d_[other]);
          d_[other] = 0;
        }
      }
      for (std::size_t e = 0; e < length; ++e) square += out[e] * out[e];
    } else {
      if (diagonal_) {
        std::fill_n(out, stride_, 0.0);
        for (std::size_t e = problem.start[row]; e < problem.start[row + 1]; ++e) {
          const std::uint32_t column = problem.column[e];
          out[column] = problem.entry[e] * problem.mass->inverse_root()[column];
        }
      }
      square = linear::dot(out, out, n_);
    }
    length_[slot] = static_cast<std::uint32_t>(length);
  }
  square_[slot] = square;
  free_[slot] = slack;
  norm_[row] = square;
}

/// B_i . z for the row in a slot.
double DenseFace::along(const double* z, std::size_t slot) const {
  const double* x = rows_.data() + slot * stride_;
  if (!short_rows_) return linear::dot(x, z, n_);
  const std::uint32_t* index = index_.data() + slot * stride_;
  double sum = 0;
  for (std::size_t e = 0; e < length_[slot]; ++e) sum += x[e] * z[index[e]];
  return sum;
}

}  // namespace zwang::gauss
