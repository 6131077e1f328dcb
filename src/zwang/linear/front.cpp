/// Tiles of sums of products, written once and compiled for every width of vectors.
#include "zwang/linear/front.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::linear {

namespace {

/// Columns eliminated together, and columns of a tile.
constexpr std::size_t block = 4;
/// Rows that meet all columns before the next ones do, so that they stay in the nearest cache.
constexpr std::size_t rows_together = 32;
static_assert(front_step == block);

// Vectors are never handed over, neither to functions nor back: there is one way to do that for every processor.
template <unsigned W>
struct Tiles {
  using V [[gnu::vector_size(W * sizeof(double)), gnu::aligned(8), gnu::may_alias]] = double;

  /// c_ij -= sum_k a_ik b_jk for R W rows and C columns.
  template <unsigned R, unsigned C>
  [[gnu::always_inline]] static void tile(const double* a, const double* b, std::size_t stride, std::size_t count,
                                          double* c, std::size_t c_stride) {
    V sum[R][C];
    for (unsigned r = 0; r < R; ++r) {
      for (unsigned q = 0; q < C; ++q) sum[r][q] = V{};
    }
    for (std::size_t k = 0; k < count; ++k) {
      V x[R];
      for (unsigned r = 0; r < R; ++r) x[r] = *reinterpret_cast<const V*>(a + r * W);
      for (unsigned q = 0; q < C; ++q) {
        const double y = b[q];
        for (unsigned r = 0; r < R; ++r) sum[r][q] += x[r] * y;
      }
      a += stride;
      b += stride;
    }
    for (unsigned q = 0; q < C; ++q) {
      for (unsigned r = 0; r < R; ++r) *reinterpret_cast<V*>(c + q * c_stride + r * W) -= sum[r][q];
    }
  }

  /// The same for rows up to `rows`, a multiple of front_step, from the step that has the first column's own row.
  template <unsigned C>
  [[gnu::always_inline]] static void column_tiles(const double* a, const double* b, std::size_t stride,
                                                  std::size_t count, double* c, std::size_t c_stride, std::size_t first,
                                                  std::size_t rows) {
    std::size_t i = first / front_step * front_step;
    for (; i + 2 * W <= rows; i += 2 * W) tile<2, C>(a + i, b, stride, count, c + i, c_stride);
    for (; i + W <= rows; i += W) tile<1, C>(a + i, b, stride, count, c + i, c_stride);
    if constexpr (W > front_step) {
      if (i < rows) Tiles<front_step>::template tile<1, C>(a + i, b, stride, count, c + i, c_stride);
    }
  }

  /// y -= l x, and y *= l.
  [[gnu::always_inline]] static void subtract_multiple(double l, const double* x, double* y, std::size_t i,
                                                       std::size_t end) {
    for (; i + W <= end; i += W) *reinterpret_cast<V*>(y + i) -= *reinterpret_cast<const V*>(x + i) * l;
    if constexpr (W > front_step) {
      if (i < end) Tiles<front_step>::subtract_multiple(l, x, y, i, end);
    }
  }
  [[gnu::always_inline]] static void multiply(double l, double* y, std::size_t i, std::size_t end) {
    for (; i + W <= end; i += W) *reinterpret_cast<V*>(y + i) *= l;
    if constexpr (W > front_step) {
      if (i < end) Tiles<front_step>::multiply(l, y, i, end);
    }
  }

  [[gnu::always_inline]] static void eliminate(const FrontShape& shape, double* panel, FrontPivots& pivots) {
    const std::size_t stride = shape.stride(), above = shape.above();
    for (std::size_t j = 0; j < shape.width; j += block) {
      // What the columns before take off some columns.
      const std::size_t columns = std::min(block, shape.width - j);
      const double* rows_of_block = panel + above + j;
      double* own = panel + j * stride;
      if (j > 0) {
        if (columns == block) {
          column_tiles<block>(panel, rows_of_block, stride, j, own, stride, above + j, stride);
        } else {
          for (std::size_t q = 0; q < columns; ++q)
            column_tiles<1>(panel, rows_of_block + q, stride, j, own + q * stride, stride, above + j, stride);
        }
      }

      // These columns, one after the other.
      for (std::size_t q = 0; q < columns; ++q) {
        double* column = own + q * stride;
        const std::size_t row = above + j + q;
        const std::size_t first = row / front_step * front_step;
        for (std::size_t p = 0; p < q; ++p) {
          const double* before = own + p * stride;
          subtract_multiple(before[row], before, column, first, stride);
        }
        const double pivot = column[row];
        const double diagonal = pivots.diagonal[j + q];
        double inverse = 0;
        if (pivot > pivots.zero_pivot * diagonal) {
          inverse = 1.0 / std::sqrt(pivot);
          pivots.least = std::min(pivots.least, pivot / diagonal);
        }
        pivots.inverse_root[j + q] = inverse;
        if (inverse == 0) {
          std::fill(column, column + stride, 0.0);
          continue;
        }
        multiply(inverse, column, first, stride);
      }
    }
  }

  [[gnu::always_inline]] static void subtract(const FrontShape& shape, const double* panel, double* rest) {
    const std::size_t stride = shape.stride(), rest_stride = shape.stride_below();
    const double* a = panel + whole_steps(shape.width);
    for (std::size_t i = 0; i < rest_stride; i += rows_together) {
      const std::size_t end = std::min(i + rows_together, rest_stride);
      for (std::size_t j = 0; j < end; j += block)
        column_tiles<block>(a, a + j, stride, shape.width, rest + j * rest_stride, rest_stride, std::max(i, j), end);
    }
  }
};

void eliminate_plain(const FrontShape& shape, double* panel, FrontPivots& pivots) {
  Tiles<2>::eliminate(shape, panel, pivots);
}
void subtract_plain(const FrontShape& shape, const double* panel, double* rest) {
  Tiles<2>::subtract(shape, panel, rest);
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void eliminate_fours(const FrontShape& shape, double* panel, FrontPivots& pivots) {
  Tiles<4>::eliminate(shape, panel, pivots);
}
[[gnu::target("avx2")]] void subtract_fours(const FrontShape& shape, const double* panel, double* rest) {
  Tiles<4>::subtract(shape, panel, rest);
}
[[gnu::target("avx512f")]] void eliminate_eights(const FrontShape& shape, double* panel, FrontPivots& pivots) {
  Tiles<8>::eliminate(shape, panel, pivots);
}
[[gnu::target("avx512f")]] void subtract_eights(const FrontShape& shape, const double* panel, double* rest) {
  Tiles<8>::subtract(shape, panel, rest);
}
const bool fronts_by_fours = __builtin_cpu_supports("avx2") != 0;
const bool fronts_by_eights = __builtin_cpu_supports("avx512f") != 0;
#else
constexpr auto eliminate_fours = eliminate_plain, eliminate_eights = eliminate_plain;
constexpr auto subtract_fours = subtract_plain, subtract_eights = subtract_plain;
constexpr bool fronts_by_fours = false, fronts_by_eights = false;
#endif

}  // namespace

void eliminate_front(const FrontShape& shape, double* panel, FrontPivots& pivots) {
  if (fronts_by_eights) return eliminate_eights(shape, panel, pivots);
  if (fronts_by_fours) return eliminate_fours(shape, panel, pivots);
  eliminate_plain(shape, panel, pivots);
}

void subtract_square(const FrontShape& shape, const double* panel, double* rest) {
  if (shape.below == 0) return;
  if (fronts_by_eights) return subtract_eights(shape, panel, rest);
  if (fronts_by_fours) return subtract_fours(shape, panel, rest);
  subtract_plain(shape, panel, rest);
}

}  // namespace zwang::linear
