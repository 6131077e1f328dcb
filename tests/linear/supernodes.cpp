/// Fronts against one number after the other, and supernodes against dense factors.
#include "zwang/linear/supernodes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numeric>
#include <random>

#include "linear/sparse_rows.hpp"
#include "zwang/linear/front.hpp"
#include "zwang/linear/sparse_cholesky.hpp"

namespace zwang::linear::supernodes_tests {
namespace {

using testing::Owned;

/// The lower half of a positive matrix of whole size: columns in the panel, the rest in its square.
struct Front {
  FrontShape shape;
  std::vector<double> panel, rest, diagonal;

  Front(FrontShape given, const Eigen::MatrixXd& of)
      : shape(given), panel(given.panel(), 0.0), rest(given.rest(), 0.0) {
    const std::size_t size = shape.width + shape.below;
    for (std::size_t j = 0; j < size; ++j) {
      if (j < shape.width) diagonal.push_back(of(index(j), index(j)));
      for (std::size_t i = j; i < size; ++i) at(i, j) = of(index(i), index(j));
    }
  }
  static Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }
  double& at(std::size_t i, std::size_t j) {
    return j < shape.width ? panel[j * shape.stride() + shape.above() + i]
                           : rest[(j - shape.width) * shape.stride_below() + (i - shape.width)];
  }
};

/// The same sums, one number at a time: columns in fours, what those before a four take off at once, those within it one after the other.
void eliminate_plainly(Front& front, double zero_pivot) {
  const std::size_t size = front.shape.width + front.shape.below;
  for (std::size_t j = 0; j < size; ++j) {
    const std::size_t before = j < front.shape.width ? j / 4 * 4 : front.shape.width;
    for (std::size_t i = j; i < size; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < before; ++k) sum += front.at(i, k) * front.at(j, k);
      front.at(i, j) -= sum;
      for (std::size_t k = before; k < std::min(j, front.shape.width); ++k)
        front.at(i, j) -= front.at(i, k) * front.at(j, k);
    }
    if (j >= front.shape.width) continue;
    const double pivot = front.at(j, j);
    const double inverse = pivot > zero_pivot * front.diagonal[j] ? 1 / std::sqrt(pivot) : 0.0;
    for (std::size_t i = j; i < size; ++i) front.at(i, j) = inverse == 0 ? 0.0 : front.at(i, j) * inverse;
  }
}

TEST(Front, has_the_bits_of_one_number_after_the_other) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> number;
  for (const auto& [width, below] :
       {std::pair<std::size_t, std::size_t>{1, 0}, {1, 1}, {3, 9}, {4, 8}, {5, 30}, {8, 17}, {23, 41}, {64, 7}}) {
    const FrontShape shape{width, below};
    const auto size = static_cast<Eigen::Index>(width + below);
    Eigen::MatrixXd root(size, size + 2);
    for (Eigen::Index k = 0; k < root.size(); ++k) root.data()[k] = number(generator);
    // A row that is the sum of two before it.
    if (width > 4) root.row(4) = root.row(1) + root.row(2);
    const Eigen::MatrixXd matrix = root * root.transpose();
    Front front(shape, matrix), plain(shape, matrix);
    std::vector<double> inverse_root(width);
    FrontPivots pivots{front.diagonal.data(), 1e-12, inverse_root.data(), 1};
    eliminate_front(shape, front.panel.data(), pivots);
    subtract_square(shape, front.panel.data(), front.rest.data());
    eliminate_plainly(plain, 1e-12);
    for (std::size_t j = 0; j < width + below; ++j) {
      for (std::size_t i = j; i < width + below; ++i)
        ASSERT_EQ(front.at(i, j), plain.at(i, j)) << width << ' ' << below << ": " << i << ' ' << j;
    }
    for (std::size_t j = 0; j < width; ++j) EXPECT_EQ(inverse_root[j] == 0, width > 4 && j == 4);
    EXPECT_GT(pivots.least, 1e-12);
  }
}

/// Strings of a net of so many points, all of them oblique; at a point that is missing there are none.
Owned net(std::uint32_t side, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> angle(0.1, 1.4);
  Owned rows;
  const auto string = [&](std::uint32_t p, std::uint32_t q) {
    const double a = angle(generator), c = std::cos(a), s = std::sin(a);
    rows.add({2 * p, 2 * p + 1, 2 * q, 2 * q + 1}, {-c, -s, c, s});
  };
  for (std::uint32_t y = 0; y < side; ++y) {
    for (std::uint32_t x = 0; x < side; ++x) {
      if (x + 1 < side) string(y * side + x, y * side + x + 1);
      if (y + 1 < side) string(y * side + x, (y + 1) * side + x);
    }
  }
  return rows;
}

struct Held {
  Owned rows;
  Mass mass;
  SparseGram gram;
  SparseCholesky cholesky;

  Held(Owned given, std::size_t n) : rows(std::move(given)), mass(std::vector<double>(n, 2.0)) {
    if (!mass.factor()) std::abort();
    gram.shape(rows.view(), mass);
    gram.load(rows.view(), mass);
    cholesky.reset(rows.count());
  }
  std::vector<double> solve(std::span<const std::uint32_t> set, const std::vector<double>& b) {
    cholesky.choose(gram, set);
    cholesky.factor(gram);
    std::vector<double> x(rows.count(), 0.0);
    cholesky.solve(b, x);
    return x;
  }
  /// Phi x on a row.
  double image(std::uint32_t row, const std::vector<double>& x) const {
    double sum = gram.diagonal(row) * x[row];
    const std::span<const std::uint32_t> others = gram.neighbours(row), edges = gram.edges_of(row);
    for (std::size_t s = 0; s < others.size(); ++s) sum += gram.between(edges[s]) * x[others[s]];
    return sum;
  }
};

TEST(Supernodes, solve_nets_and_keep_to_the_rows_chosen) {
  std::mt19937_64 generator(4);
  Held held(net(26, generator), 2 * 26 * 26);
  const std::size_t r = held.rows.count();
  std::vector<double> b(r);
  for (std::size_t i = 0; i < r; ++i) b[i] = static_cast<double>(i % 7) - 3;
  std::vector<std::uint32_t> set(r);
  std::iota(set.begin(), set.end(), 0U);
  for (int round = 0; round < 3; ++round) {
    const std::vector<double> x = held.solve(set, b);
    ASSERT_EQ(held.cholesky.order().size(), set.size());
    EXPECT_EQ(held.cholesky.skipped_count(), 0U);
    EXPECT_GE(held.cholesky.entries(), 12 * set.size());
    double worst = 0;
    for (const std::uint32_t i : set) worst = std::max(worst, std::abs(held.image(i, x) - b[i]));
    EXPECT_LE(worst, 1e-9);

    // The same bits from a fresh start, and once more from new numbers that are the old ones.
    Held other(held.rows, 2 * 26 * 26);
    EXPECT_EQ(other.solve(set, b), x);
    held.cholesky.expire();
    EXPECT_EQ(held.solve(set, b), x);
    EXPECT_EQ(held.cholesky.ordered_count(), 0U);
    std::erase_if(set, [&](std::uint32_t) { return generator() % 40 == 0; });
  }
}

TEST(Supernodes, skip_rows_that_depend_and_hold_the_others) {
  // Every tenth string twice: one of the two is skipped, its multiplier zero.
  std::mt19937_64 generator(5);
  Owned rows = net(20, generator);
  const std::size_t once = rows.count();
  for (std::size_t i = 0; i < once; i += 10) {
    const std::vector<std::uint32_t> columns(rows.column.begin() + rows.start[i],
                                             rows.column.begin() + rows.start[i + 1]);
    const std::vector<double> entries(rows.entry.begin() + rows.start[i], rows.entry.begin() + rows.start[i + 1]);
    rows.add(columns, entries);
  }
  Held held(std::move(rows), 2 * 20 * 20);
  const std::size_t r = held.rows.count();
  std::vector<std::uint32_t> set(r);
  std::iota(set.begin(), set.end(), 0U);
  const std::vector<double> x = held.solve(set, std::vector<double>(r, 1.0));
  EXPECT_EQ(held.cholesky.skipped_count(), r - once);
  for (std::size_t k = 0; k < r; ++k) {
    const std::uint32_t row = held.cholesky.order()[k];
    if (held.cholesky.skipped(k)) {
      EXPECT_EQ(x[row], 0.0);
    }
    EXPECT_NEAR(held.image(row, x), 1.0, 1e-9);
  }

  // Softened, none is.
  held.cholesky.soften(1e-3);
  const std::vector<double> soft = held.solve(set, std::vector<double>(r, 1.0));
  EXPECT_EQ(held.cholesky.skipped_count(), 0U);
  for (const std::uint32_t i : set)
    EXPECT_NEAR(held.image(i, soft) + 1e-3 * held.gram.diagonal(i) * soft[i], 1.0, 1e-9);
}

/// A net of m x m knots, two strings from each.
Owned net_of(std::uint32_t m) {
  Owned rows;
  for (std::uint32_t i = 0; i < m * m; ++i) {
    const double slope = 0.01 * (i % 7);
    if (i % m + 1 < m) rows.add({2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 3}, {-1, -slope, 1, slope});
    if (i + m < m * m) rows.add({2 * i, 2 * i + 1, 2 * (i + m), 2 * (i + m) + 1}, {-slope, -1, slope, 1});
  }
  return rows;
}

TEST(SparseCholesky, rows_that_come_and_go_in_a_pattern_of_all_leave_the_bits_of_a_factor_made_anew) {
  constexpr std::uint32_t m = 48;
  const Owned rows = net_of(m);
  const std::size_t r = rows.count();
  Mass mass(std::vector<double>(std::size_t{2} * m * m, 1.0));
  ASSERT_TRUE(mass.factor());
  SparseGram gram;
  gram.shape(rows.view(), mass);
  gram.load(rows.view(), mass);
  std::vector<std::uint32_t> all(r);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<double> b(r);
  for (std::size_t i = 0; i < r; ++i) b[i] = static_cast<double>(i % 13) - 5;
  SparseCholesky kept;
  kept.reset(r);
  kept.choose(gram, all);
  std::vector<std::uint8_t> in(r, 1);
  std::mt19937_64 generator(5);
  std::size_t whole = 0;
  for (int round = 0; round < 6; ++round) {
    for (int k = 0; k < 4 * round; ++k) in[generator() % r] ^= 1U;
    const std::size_t before = kept.work();
    kept.restrict_to(gram, in);
    kept.factor(gram);
    const std::size_t work = kept.work() - before;
    if (round == 0) {
      ASSERT_EQ(kept.components(), 1U);
      whole = work;
    } else if (round == 1) {
      EXPECT_LT(work, whole);  // only what the rows reach
    }
    std::vector<double> x = b, y = b, z(r, 0.0);
    for (std::size_t i = 0; i < r; ++i) x[i] = y[i] = in[i] != 0 ? b[i] : 0.0;
    kept.solve(x, x);

    // Made anew with the same pattern: the same bits.
    SparseCholesky anew;
    anew.reset(r);
    anew.choose(gram, all);
    anew.restrict_to(gram, in);
    anew.factor(gram);
    anew.solve(y, y);
    EXPECT_EQ(x, y);

    // Those rows alone: the same solution.
    std::vector<std::uint32_t> set;
    for (std::uint32_t i = 0; i < r; ++i) {
      if (in[i] != 0) set.push_back(i);
    }
    SparseCholesky alone;
    alone.reset(r);
    alone.choose(gram, set);
    alone.factor(gram);
    alone.solve(b, z);
    for (std::size_t i = 0; i < r; ++i) EXPECT_NEAR(x[i], z[i], 1e-9 * (1 + std::abs(z[i]))) << i;
    EXPECT_EQ(kept.skipped_count(), alone.skipped_count());
  }
  // All of them again, without any restriction.
  kept.restrict_to(gram, {});
  kept.factor(gram);
  SparseCholesky plain;
  plain.reset(r);
  plain.choose(gram, all);
  plain.factor(gram);
  std::vector<double> x(r, 0.0), y(r, 0.0);
  kept.solve(b, x);
  plain.solve(b, y);
  EXPECT_EQ(x, y);
}

}  // namespace
}  // namespace zwang::linear::supernodes_tests
