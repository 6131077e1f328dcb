/// Check an answer to the nearest-point problem from its definition alone.
///
///   stationarity      |sigma| / (|J^T lambda| + |M a0|),    sigma = M (a - a0) + J^T lambda
///   primal            max over rows of (w_i)^+ or |w_i|, each over  s_i = sum_j |J_ij| c_j + |h_i|
///   dual              max over inequalities of (-lambda_i)^+ / max |lambda|
///   complementarity   max over inequalities of |lambda_i w_i| / (max |lambda| s_i)
///   gap               |P - D| / (P + |D| + floor),   2 P = |a - a0|^2,   P - D = |sigma|^2 / 2 - lambda.w
///   broken            as primal, each over  sum_j |J_ij| (|a_j| + |a0_j|) + |h_i|, at rest over a share of what was given
///
/// Symbols as in problem.hpp; c_j = |a_j| + |a0_j| + sum_i |lambda_i J_ij| / M_jj, the terms a_j is the sum of: where they
/// cancel, as in a system at rest, |a| alone would be no scale. For the same reason sqrt(M_jj) c_j counts at least a
/// thousandth of the largest of them. |h_i| stands for its terms before they cancelled, where its bound tells of them.
/// D = lambda.(J a0 + h) - |J^T lambda|^2 / 2 is the dual objective, |a|^2 = a^T M a, |sigma|^2 = sigma^T W sigma. Where the
/// multipliers cancel so that rounding could hide or feign a gap, sums are made with twice the digits. A number that is not
/// finite counts as an infinite residual.
///
/// Farkas. Any admissible a gives 0 >= y^T (J a + h) = y^T h > 0 when y^T J = 0, y >= 0 on inequalities. With numbers: let
///
///   s_j = sum_i y_i J_ij,      S_j = sum_i |y_i| (dJ_ij + eps |J_ij|),      H = sum_i y_i h_i - |y_i| (dh_i + eps |h_i|)
///
/// dJ, dh the bounds of the entries and offsets, eps for the digits of y itself. Every admissible a of every problem within the
/// bounds satisfies H <= sum_j (|s_j| + S_j) |a_j|. The proof holds when |s_j| <= S_j in every column (J is, within its bounds,
/// one with y^T J = 0) and H exceeds the right-hand side for all a up to `reach` times the size  max |h_i| / |B_i|  over the rows
/// with y_i != 0. All sums are made with twice the digits.
///
/// Where entries are exact no reach is needed if y^T J = 0 can hold exactly: some rows are then kept as they are in y, and the others
/// follow from them by elimination, in fractions (decide.hpp); of many rows with twice the digits, where pivots and rests are zero to
/// 2^-90 or plainly are not.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/gauss.hpp"
#include "zwang/gauss/decide.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {
namespace {

constexpr double no_number = std::numeric_limits<double>::infinity();  ///< what a residual of NaN is told as

/// The residual on its scale; zero over zero is zero.
double scaled(double residual, double scale) {
  if (std::isnan(residual) || std::isnan(scale) || std::isinf(scale)) return no_number;
  return residual == 0 ? 0 : residual / scale;
}

double length(std::span<const double> x) {
  // Scaled by the largest component, so that squares neither overflow nor vanish.
  double largest = 0;
  for (const double value : x) {
    if (std::isnan(value)) return value;
    largest = std::max(largest, std::abs(value));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  double sum = 0;
  for (const double value : x) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum);
}

/// A sum kept in two doubles; what is lost is of the order of eps^2.
struct LongSum {
  double high = 0;
  double low = 0;
  void add(double x) {
    const double sum = high + x;
    const double part = sum - high;
    low += (high - (sum - part)) + (x - part);
    high = sum;
  }
  void add(double x, double y) {
    const double product = x * y;
    low += std::fma(x, y, -product);
    add(product);
  }
  [[nodiscard]] double value() const { return high + low; }
};

/// A number in two doubles, for the elimination.
struct Long {
  double high = 0;
  double low = 0;
  static Long of(const LongSum& sum) {
    const double high = sum.high + sum.low;
    return {high, sum.low - (high - sum.high)};
  }
};
Long minus_product(Long a, Long x, Long y) {
  LongSum sum{a.high, a.low};
  sum.low -= x.high * y.low + x.low * y.high;
  sum.add(-x.high, y.high);
  return Long::of(sum);
}
Long quotient(Long a, Long b) {
  const double first = a.high / b.high;
  const Long rest = minus_product(a, {first, 0}, b);
  LongSum sum{first, rest.high / b.high};
  const Long less = minus_product(rest, {sum.low, 0}, b);
  sum.low += less.high / b.high;
  return Long::of(sum);
}

/// Is there z near y, on the rows of y, with z^T J = 0 exactly, z >= 0 on inequalities and z^T h > 0 beyond the bounds of h? Rows are
/// eliminated with complete pivoting; those without a pivot keep their y. (Rare, small: allocates.)
bool exactly_contradictory(const Problem& problem, std::span<const double> y) {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < problem.r(); ++i) {
    if (y[i] == 0) continue;
    rows.push_back(i);
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      if (problem.entry[e] != 0) columns.push_back(problem.column[e]);
    }
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  const std::size_t k = rows.size(), m = columns.size();
  if (k * std::min(k, m) * m > most_exact_work) return false;

  // Equations in z: one line per column of J, one unknown per row, in units in which y is one and lines are at most one.
  std::vector<Long> table(m * k);
  for (std::size_t q = 0; q < k; ++q) {
    for (std::size_t e = problem.start[rows[q]]; e < problem.start[rows[q] + 1]; ++e) {
      if (problem.entry[e] == 0) continue;
      const auto line = static_cast<std::size_t>(std::lower_bound(columns.begin(), columns.end(), problem.column[e]) -
                                                 columns.begin());
      LongSum product;
      product.add(y[rows[q]], problem.entry[e]);
      table[line * k + q] = Long::of(product);
    }
  }
  std::vector<std::size_t> line(m), unknown(k);
  for (std::size_t c = 0; c < m; ++c) {
    line[c] = c;
    double largest = 0;
    for (std::size_t q = 0; q < k; ++q) largest = std::max(largest, std::abs(table[c * k + q].high));
    int exponent = 0;
    std::frexp(largest, &exponent);
    for (std::size_t q = 0; q < k; ++q) {
      table[c * k + q].high = std::ldexp(table[c * k + q].high, -exponent);
      table[c * k + q].low = std::ldexp(table[c * k + q].low, -exponent);
    }
  }
  for (std::size_t q = 0; q < k; ++q) unknown[q] = q;

  // Elimination with complete pivoting; what is left when no pivot is must be nothing.
  std::size_t rank = 0;
  for (; rank < std::min(m, k); ++rank) {
    std::size_t best_line = rank, best_unknown = rank;
    double largest = -1;
    for (std::size_t c = rank; c < m; ++c) {
      for (std::size_t q = rank; q < k; ++q) {
        const double size = std::abs(table[line[c] * k + unknown[q]].high);
        if (size > largest) {
          largest = size;
          best_line = c;
          best_unknown = q;
        }
      }
    }
    if (largest <= exact_zero) break;
    if (largest < exact_pivot) return false;
    std::swap(line[rank], line[best_line]);
    std::swap(unknown[rank], unknown[best_unknown]);
    const Long* pivot = table.data() + line[rank] * k;
    for (std::size_t c = rank + 1; c < m; ++c) {
      Long* other = table.data() + line[c] * k;
      if (other[unknown[rank]].high == 0) continue;
      const Long factor = quotient(other[unknown[rank]], pivot[unknown[rank]]);
      for (std::size_t q = rank; q < k; ++q) {
        other[unknown[q]] = minus_product(other[unknown[q]], factor, pivot[unknown[q]]);
      }
    }
  }
  if (rank == k) return false;

  // z, in units of y: one where there is no pivot, the others backwards.
  std::vector<Long> z(k, Long{1, 0});
  for (std::size_t p = rank; p-- > 0;) {
    const Long* pivot = table.data() + line[p] * k;
    Long sum;
    for (std::size_t q = p + 1; q < k; ++q) sum = minus_product(sum, pivot[unknown[q]], z[unknown[q]]);
    z[unknown[p]] = quotient(sum, pivot[unknown[p]]);
  }
  LongSum offset;
  double allowed = 0;
  for (std::size_t q = 0; q < k; ++q) {
    const std::uint32_t i = rows[q];
    if (problem.kind[i] == RowKind::inequality && !(z[q].high >= 0)) return false;
    if (!std::isfinite(z[q].high)) return false;
    LongSum share;
    share.add(y[i], problem.h[i]);
    const Long term = Long::of(share);
    const Long product = minus_product({}, {-z[q].high, -z[q].low}, term);
    offset.add(product.high);
    offset.add(product.low);
    allowed += std::abs(z[q].high * y[i]) *
               (problem.h_bound.empty() ? offset_rounding * std::abs(problem.h[i]) : problem.h_bound[i]);
  }
  return offset.value() > allowed;
}

/// |h_i| and |J_ij| before their terms cancelled.
double offset_terms(const Problem& problem, std::size_t row) {
  const double h = std::abs(problem.h[row]);
  return problem.h_bound.empty() ? h : std::max(h, problem.h_bound[row] / offset_rounding);
}

double entry_terms(const Problem& problem, std::size_t e) {
  const double entry = std::abs(problem.entry[e]);
  return problem.entry_bound.empty() ? entry : std::max(entry, problem.entry_bound[e] / entry_rounding);
}

/// sigma = M (a - a0) + J^T lambda and lambda.w with twice the digits; high parts of sigma go to `sum`, low parts to `low`.
double long_sums(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                 std::span<const double> lambda_low, std::span<double> sum, std::span<double> low) {
  const std::size_t n = problem.n(), r = problem.r();
  std::fill(sum.begin(), sum.end(), 0.0);
  std::fill(low.begin(), low.end(), 0.0);
  const auto add = [&](std::size_t j, double x, double y) {
    LongSum one{sum[j], low[j]};
    one.add(x, y);
    sum[j] = one.high;
    low[j] = one.low;
  };

  // Single masses and blocks.
  const linear::Mass& mass = *problem.mass;
  for (std::uint32_t j = 0; j < n; ++j) {
    if (mass.block_of(j) >= 0) continue;
    add(j, mass.diagonal()[j], a[j]);
    add(j, -mass.diagonal()[j], problem.a0[j]);
  }
  for (const linear::Mass::Block& block : mass.blocks()) {
    const std::size_t size = block.variables.size();
    for (std::size_t c = 0; c < size; ++c) {
      for (std::size_t k = 0; k < size; ++k) {
        add(block.variables[k], block.entries[c * size + k], a[block.variables[c]]);
        add(block.variables[k], -block.entries[c * size + k], problem.a0[block.variables[c]]);
      }
    }
  }

  // Rows.
  LongSum product;
  for (std::size_t i = 0; i < r; ++i) {
    if (lambda[i] == 0) continue;
    LongSum w;
    w.add(problem.h[i]);
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      w.add(problem.entry[e], a[j]);
      add(j, lambda[i], problem.entry[e]);
      if (!lambda_low.empty()) add(j, lambda_low[i], problem.entry[e]);
    }
    product.add(lambda[i], w.value());
  }
  for (std::size_t j = 0; j < n; ++j) sum[j] += low[j];
  return product.value();
}

}  // namespace

double Certificate::worst() const {
  double result = 0;
  for (const double value : {primal, dual, complementarity, stationarity}) {
    result = std::isnan(value) ? no_number : std::max(result, value);
  }
  return result;
}

bool certified(const Certificate& certificate) {
  return certificate.gap <= gap_bound && certificate.broken <= broken_bound;
}

Certificate verify(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                   std::vector<double>& scratch, std::span<const double> lambda_low) {
  const std::size_t n = problem.n(), r = problem.r();
  if (a.size() != n || lambda.size() != r || (!lambda_low.empty() && lambda_low.size() != r)) {
    return {no_number, no_number, no_number, no_number, no_number, no_number};
  }
  scratch.resize(6 * n);
  const auto part = [&](std::size_t k) { return std::span<double>(scratch.data() + k * n, n); };
  const std::span<double> sum = part(0), other = part(1), size = part(2), step = part(3), low = part(4),
                          whole = part(5);
  const std::span<const double> mass = problem.mass->diagonal();
  Certificate certificate;

  // J^T lambda and M a0, for their sizes, and the terms of every a_j.
  std::fill(sum.begin(), sum.end(), 0.0);
  std::fill(size.begin(), size.end(), 0.0);
  for (std::size_t i = 0; i < r; ++i) {
    if (lambda[i] == 0) continue;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const double term = lambda[i] * problem.entry[e];
      sum[problem.column[e]] += term;
      size[problem.column[e]] += std::abs(term);
    }
  }
  const double largest_term = length(size);
  for (std::size_t j = 0; j < n; ++j) {
    size[j] = std::abs(a[j]) + std::abs(problem.a0[j]) + size[j] / mass[j];
    whole[j] = std::sqrt(mass[j]);
  }
  double most = 0, natural = 0, given = 0;
  for (std::size_t j = 0; j < n; ++j) {
    most = std::max(most, whole[j] * size[j]);
    natural = std::max(natural, whole[j] * (std::abs(a[j]) + std::abs(problem.a0[j])));
    given = std::max(given, whole[j] * std::abs(problem.a0[j]));
  }
  for (std::size_t i = 0; i < r; ++i) {
    double square = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      square += problem.entry[e] / mass[problem.column[e]] * problem.entry[e];
    }
    if (square > 0) given = std::max(given, std::abs(problem.h[i]) / std::sqrt(square));
  }
  natural = std::min(natural, reach * given);
  for (std::size_t j = 0; j < n; ++j) {
    size[j] = std::max(size[j], least_share * most / whole[j]);
    whole[j] = std::max(std::abs(a[j]) + std::abs(problem.a0[j]), least_share * natural / whole[j]);
  }
  problem.mass->multiply(problem.a0, other);
  const double scale = length(sum) + length(other);

  // The objectives' sizes: |a - a0|, |a0|, |a| in the metric of the masses.
  double free_square = 0, square = 0, step_square = 0;
  for (std::size_t j = 0; j < n; ++j) free_square += other[j] * problem.a0[j];
  problem.mass->multiply(a, other);
  for (std::size_t j = 0; j < n; ++j) square += other[j] * a[j];
  for (std::size_t j = 0; j < n; ++j) step[j] = a[j] - problem.a0[j];
  problem.mass->multiply(step, other);
  for (std::size_t j = 0; j < n; ++j) step_square += other[j] * step[j];
  const double moved = std::sqrt(std::max(step_square, 0.0));
  const double extent = std::sqrt(std::max(square, 0.0)) + std::sqrt(std::max(free_square, 0.0));
  const double floor = gap_floor * (moved + eps * extent) * extent;

  // Stationarity.
  for (std::size_t j = 0; j < n; ++j) sum[j] += other[j];

  // The largest multiplier, and the most negative one that must not be.
  double largest = 0, negative = 0;
  for (std::size_t i = 0; i < r; ++i) {
    largest = std::isnan(lambda[i]) ? no_number : std::max(largest, std::abs(lambda[i]));
    if (problem.kind[i] == RowKind::inequality) negative = std::max(negative, -lambda[i]);
  }
  certificate.dual = scaled(negative, largest);

  // Every row.
  double product = 0, noise = 0;
  for (std::size_t i = 0; i < r; ++i) {
    const double offset = offset_terms(problem, i);
    double w = problem.h[i], terms = offset, natural_terms = offset;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      w += problem.entry[e] * a[j];
      const double entry = entry_terms(problem, e);
      terms += entry * size[j];
      natural_terms += entry * whole[j];
    }
    const bool inequality = problem.kind[i] == RowKind::inequality;
    const double amiss = inequality && w <= 0 ? 0 : std::abs(w);
    certificate.primal = std::max(certificate.primal, scaled(amiss, terms));
    certificate.broken = std::max(certificate.broken, scaled(amiss, natural_terms));
    if (lambda[i] == 0) continue;
    product += lambda[i] * w;
    noise += std::abs(lambda[i]) * natural_terms;
    if (inequality) {
      const double share = std::abs(lambda[i]) / largest;
      certificate.complementarity = std::max(certificate.complementarity, share * scaled(std::abs(w), terms));
    }
  }

  // The gap; with more digits where rounding may have the size of what is looked for.
  const double objective = 0.5 * step_square;
  const bool cancels = eps * (noise + largest_term * moved) > 0.1 * gap_bound * (objective + floor);
  if (cancels || !lambda_low.empty()) product = long_sums(problem, a, lambda, lambda_low, sum, low);
  certificate.stationarity = scaled(length(sum), scale);
  problem.mass->solve(sum, other);
  double residue = 0;
  for (std::size_t j = 0; j < n; ++j) residue += sum[j] * other[j];
  const double gap = 0.5 * residue - product;
  certificate.gap = scaled(std::abs(gap), objective + std::abs(objective - gap) + floor);
  return certificate;
}

bool verify_farkas(const Problem& problem, std::span<const double> y, std::vector<double>& scratch) {
  const std::size_t n = problem.n(), r = problem.r();
  if (y.size() != r) return false;
  scratch.resize(4 * n);
  const auto part = [&](std::size_t k) { return std::span<double>(scratch.data() + k * n, n); };
  const std::span<double> high = part(0), low = part(1), allowed = part(2), terms = part(3);
  for (std::span<double> vector : {high, low, allowed, terms}) std::fill(vector.begin(), vector.end(), 0.0);
  const std::span<const double> mass = problem.mass->diagonal();

  // Signs; y^T J and y^T h with what rounding may make of them; the natural size of an acceleration.
  LongSum offset;
  double offset_allowed = 0, size = 0;
  for (std::size_t i = 0; i < r; ++i) {
    if (!std::isfinite(y[i]) || !std::isfinite(problem.h[i])) return false;
    if (problem.kind[i] == RowKind::inequality && y[i] < 0) return false;
    if (y[i] == 0) continue;
    double square = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      const double entry = problem.entry[e], term = std::abs(y[i] * entry);
      LongSum sum{high[j], low[j]};
      sum.add(y[i], entry);
      high[j] = sum.high;
      low[j] = sum.low;
      terms[j] += term;
      allowed[j] += problem.entry_bound.empty() ? entry_rounding * term : std::abs(y[i]) * problem.entry_bound[e];
      square += entry / mass[j] * entry;
    }
    offset.add(y[i], problem.h[i]);
    offset_allowed +=
        eps * std::abs(y[i] * problem.h[i]) + (problem.h_bound.empty() ? offset_rounding * std::abs(y[i] * problem.h[i])
                                                                       : std::abs(y[i]) * problem.h_bound[i]);
    if (square > 0) size = std::max(size, std::abs(problem.h[i]) / std::sqrt(square));
  }

  // Every column vanishes as far as its own terms tell.
  bool exact = true, uncertain = false;
  double weight = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double rest = std::abs(high[j] + low[j]);
    const double most = allowed[j] + eps * terms[j];
    if (!(rest <= most)) return false;
    exact = exact && rest == 0;
    uncertain = uncertain || (!problem.entry_bound.empty() && allowed[j] != 0);
    weight += (rest + most) / std::sqrt(mass[j]);
  }

  // The offset is positive beyond what is allowed, and beyond what accelerations of any sensible size could make good.
  const double beyond = offset.value() - offset_allowed;
  if (!(beyond > 0)) return false;
  if (beyond > reach * weight * size) return true;
  // By less, and so only if y^T J = 0 can hold exactly: a matter of fractions, where they are few.
  if (uncertain) return false;
  return may_prove(problem, y) ? contradictory_in_fractions(problem, y) : exact || exactly_contradictory(problem, y);
}

bool verify_farkas(const Problem& problem, std::span<const double> y) {
  std::vector<double> scratch;
  return verify_farkas(problem, y, scratch);
}

}  // namespace zwang::gauss
