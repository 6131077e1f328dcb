/// The reduced problem on the null space of the conditions, roots and their multiplicities.
#include "zwang/analysis/small_motions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/elementary/elementary.hpp"

namespace zwang::analysis {

using linear::Matrix;

namespace {

using Complex = std::complex<double>;

double distance(Complex x, Complex y) { return elementary::hypot(x.real() - y.real(), x.imag() - y.imag()); }

/// L^-1 B L^-T for lower triangular L.
Matrix conjugate(const Matrix& lower, const Matrix& b) {
  const auto solve_columns = [&](const Matrix& from) {
    Matrix to = from;
    for (std::size_t c = 0; c < from.columns; ++c) {
      std::vector<double> column(from.entry.begin() + static_cast<std::ptrdiff_t>(c * from.rows),
                                 from.entry.begin() + static_cast<std::ptrdiff_t>((c + 1) * from.rows));
      linear::solve_lower(lower, column);
      std::copy(column.begin(), column.end(), to.entry.begin() + static_cast<std::ptrdiff_t>(c * from.rows));
    }
    return to;
  };
  return linear::transpose(solve_columns(linear::transpose(solve_columns(b))));
}

/// A - z as a real matrix of twice the size for complex z.
Matrix shifted(const Matrix& a, Complex z) {
  const std::size_t m = a.rows;
  if (z.imag() == 0) {
    Matrix out = a;
    for (std::size_t i = 0; i < m; ++i) out(i, i) -= z.real();
    return out;
  }
  Matrix out(2 * m, 2 * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) out(i, k) = out(m + i, m + k) = a(i, k);
    out(i, i) -= z.real();
    out(m + i, m + i) -= z.real();
    out(i, m + i) += z.imag();
    out(m + i, i) -= z.imag();
  }
  return out;
}

unsigned short_values(const Matrix& a, double below) {
  unsigned count = 0;
  for (const double value : linear::singular_values(a)) count += value <= below ? 1 : 0;
  return count;
}

/// Roots nearer to each other than rounding can tell are one root, if as many generalized modes belong to it.
std::vector<MultipleRoot> group(const Matrix& a, std::vector<Complex> values, double scale) {
  std::vector<MultipleRoot> out;
  std::vector<std::uint8_t> used(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (used[i] != 0) continue;
    std::vector<std::size_t> cluster{i};
    for (std::size_t k = i + 1; k < values.size(); ++k) {
      if (used[k] == 0 && distance(values[k], values[i]) <= near_roots * scale) cluster.push_back(k);
    }
    Complex mean = 0;
    for (const std::size_t k : cluster) mean += values[k] / static_cast<double>(cluster.size());
    if (std::abs(mean.imag()) <= near_roots * scale && std::all_of(cluster.begin(), cluster.end(), [&](std::size_t k) {
          // Conjugates come in pairs: what is left of the imaginary part is rounding.
          return std::any_of(cluster.begin(), cluster.end(), [&](std::size_t l) {
            return distance(values[k], std::conj(values[l])) <= same_root * scale;
          });
        })) {
      mean = mean.real();
    }
    if (cluster.size() > 1) {
      const unsigned fold = mean.imag() == 0 ? 1 : 2;
      const Matrix shift = shifted(a, mean);
      Matrix power = shift;
      for (std::size_t k = 1; k < cluster.size(); ++k) power = linear::product(power, shift);
      const double power_scale = elementary::pow(scale, static_cast<double>(cluster.size()));
      const unsigned independent = short_values(shift, no_length * scale) / fold;
      const unsigned generalized = short_values(power, power_rounding * power_scale) / fold;
      if (independent >= 1 && generalized >= cluster.size()) {
        for (const std::size_t k : cluster) used[k] = 1;
        const auto multiplicity = static_cast<unsigned>(cluster.size());
        out.push_back({mean, multiplicity, std::min(independent, multiplicity)});
        continue;
      }
    }
    used[i] = 1;
    out.push_back({values[i], 1, 1});
  }
  return out;
}

/// Rounding taken off: parts that are nothing beside the scale.
Complex tidy(Complex z, double scale) {
  return {std::abs(z.real()) <= zero_entry * scale ? 0.0 : z.real(),
          std::abs(z.imag()) <= zero_entry * scale ? 0.0 : z.imag()};
}

/// Are the roots that count as zero sure to be so? A small one that is above the rounding of the problem may be a small root.
bool find_roots(const Matrix& a, double scale, Stability& out) {
  bool sure = true;
  for (MultipleRoot root : group(a, linear::general_eigen(a).values, scale)) {
    const Complex tidied = tidy(root.value, scale);
    sure = sure && (tidied != 0.0 || distance(root.value, 0.0) <= surely_zero * scale);
    root.value = tidied;
    out.semisimple = out.semisimple && root.independent == root.multiplicity;
    out.grouped.push_back(root);
  }
  return sure;
}

void sort_roots(Stability& out) {
  const auto before = [](Complex x, Complex y) {
    return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
  };
  std::sort(out.grouped.begin(), out.grouped.end(),
            [&](const MultipleRoot& x, const MultipleRoot& y) { return before(x.value, y.value); });
  for (const MultipleRoot& root : out.grouped) out.roots.insert(out.roots.end(), root.multiplicity, root.value);
}

Form form_of(const std::vector<double>& values, double scale) {
  std::size_t negative = 0;
  std::size_t positive = 0;
  for (const double value : values) {
    negative += value < -zero_entry * scale ? 1 : 0;
    positive += value > zero_entry * scale ? 1 : 0;
  }
  if (negative > 0 && positive > 0) return Form::indefinite;
  if (negative > 0) return negative == values.size() ? Form::negative_definite : Form::negative_semidefinite;
  if (positive > 0) return positive == values.size() ? Form::positive_definite : Form::positive_semidefinite;
  return Form::zero;
}

Matrix part_of(const Matrix& a, const std::vector<std::size_t>& columns) {
  Matrix out(columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = a(columns[i], columns[k]);
  }
  return out;
}

/// Periods and shapes of the oscillations that stand alone.
void find_modes(const SmallMotions& reduced, const SmallMotions::Block& block, Stability& out) {
  const linear::GeneralEigen eigen = linear::general_eigen(part_of(reduced.alpha, block.columns));
  for (const MultipleRoot& root : out.grouped) {
    if (root.multiplicity > 1 || root.value.imag() != 0 || root.value.real() >= 0) continue;
    for (std::size_t k = 0; k < eigen.values.size(); ++k) {
      if (distance(eigen.values[k], root.value) > same_root * block.scale) continue;
      Mode mode;
      mode.value = root.value.real();
      mode.period = 2 * std::numbers::pi / std::sqrt(-mode.value);
      mode.shape.assign(reduced.basis.rows, 0.0);
      for (std::size_t i = 0; i < mode.shape.size(); ++i) {
        for (std::size_t c = 0; c < block.columns.size(); ++c) {
          mode.shape[i] += reduced.basis(i, block.columns[c]) * eigen.real(c, k);
        }
      }
      const auto most = std::max_element(mode.shape.begin(), mode.shape.end(), [](double x, double y) {
        return std::abs(x) < std::abs(y) * (1 - equally_long);
      });
      const double length = *most;
      for (double& x : mode.shape) x = std::abs(x) <= zero_entry * std::abs(length) ? 0.0 : x / length;
      out.modes.push_back(std::move(mode));
      break;
    }
  }
}

}  // namespace

double largest(const Matrix& a) {
  double most = 0;
  for (const double x : a.entry) most = std::max(most, std::abs(x));
  return most;
}

SmallMotions reduce(const Linearised& system) {
  const std::size_t n = system.mass.rows;
  // Rows of length one, so that their factors do not decide what is dependent.
  const std::size_t held = system.rows.rows;
  Matrix rows(held + system.lengths.rows, n);
  for (std::size_t j = 0; j < rows.rows; ++j) {
    for (std::size_t i = 0; i < n; ++i) rows(j, i) = j < held ? system.rows(j, i) : system.lengths(j - held, i);
  }
  for (std::size_t j = 0; j < rows.rows; ++j) {
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length = elementary::hypot(length, rows(j, i));
    for (std::size_t i = 0; i < n && length > 0; ++i) rows(j, i) /= length;
  }
  Matrix z(n, n);
  if (rows.rows > 0) {
    z = linear::null_space(rows);
  } else {
    for (std::size_t i = 0; i < n; ++i) z(i, i) = 1;
  }
  SmallMotions out;
  if (z.columns == 0) return out;
  const Matrix across = linear::transpose(z);
  const Matrix lower = linear::cholesky(linear::product(across, linear::product(system.mass, z)));
  out.alpha = conjugate(lower, linear::product(across, linear::product(system.alpha, z)));
  out.gamma = conjugate(lower, linear::product(across, linear::product(system.gamma, z)));
  // The basis in the same coordinates: Z L^-T.
  Matrix basis = across;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> column(z.columns);
    for (std::size_t c = 0; c < z.columns; ++c) column[c] = z(i, c);
    linear::solve_lower(lower, column);
    for (std::size_t c = 0; c < z.columns; ++c) basis(c, i) = column[c];
  }
  out.basis = linear::transpose(basis);
  return out;
}

void find_blocks(SmallMotions& reduced, const std::vector<double>& stiffness) {
  const std::size_t m = reduced.alpha.rows;
  std::vector<bool> seen(m, false);
  SmallMotions::Block all;
  for (std::size_t first = 0; first < m; ++first) {
    all.columns.push_back(first);
    if (seen[first]) continue;
    SmallMotions::Block block;
    std::vector<std::size_t> open{first};
    seen[first] = true;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      block.columns.push_back(i);
      block.scale = std::max({block.scale, stiffness[i], least_divisor});
      for (std::size_t k = 0; k < m; ++k) {
        block.scale = std::max(block.scale, std::abs(reduced.alpha(i, k)));
        const bool coupled = reduced.alpha(i, k) != 0 || reduced.alpha(k, i) != 0 || reduced.gamma(i, k) != 0 ||
                             reduced.gamma(k, i) != 0;
        if (!coupled || seen[k]) continue;
        seen[k] = true;
        open.push_back(k);
      }
    }
    std::sort(block.columns.begin(), block.columns.end());
    reduced.scale = std::max(reduced.scale, block.scale);
    reduced.blocks.push_back(std::move(block));
  }
  reduced.factor.assign(m, 1.0);
  all.scale = reduced.scale;
  const auto small = [&](const SmallMotions::Block& block) {
    return block.scale > least_divisor && block.scale < graded_part * reduced.scale;
  };
  if (std::none_of(reduced.blocks.begin(), reduced.blocks.end(), small)) {
    reduced.blocks.assign(m > 0 ? 1 : 0, all);
    return;
  }
  for (const SmallMotions::Block& block : reduced.blocks) {
    for (const std::size_t c : block.columns) reduced.factor[c] = small(block) ? reduced.scale / block.scale : 1.0;
  }
}

bool judge(const SmallMotions& reduced, Stability& out) {
  const std::size_t m = reduced.alpha.rows;
  out.freedom = static_cast<unsigned>(m);
  if (m == 0) {
    out.stable = true;
    out.form_agrees = true;
    return true;
  }
  bool sure = true;
  const double scale = reduced.scale;
  out.scale = scale;

  // The form of U, and whether alpha is symmetric.
  Matrix even(m, m);
  double odd = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) {
      even(i, k) = 0.5 * (reduced.alpha(i, k) + reduced.alpha(k, i)) * reduced.factor[i];
      odd = std::max(odd, std::abs(reduced.alpha(i, k) - reduced.alpha(k, i)) * reduced.factor[i]);
    }
  }
  out.symmetric = odd <= 100 * zero_entry * scale;
  out.form_values = linear::symmetric_eigen(even).values;
  out.form = form_of(out.form_values, scale);

  // Without odd forces s = mu^2; with them the exponents of the system of first order.
  for (const SmallMotions::Block& block : reduced.blocks) {
    const double damping = largest(part_of(reduced.gamma, block.columns));
    out.exponents = out.exponents || (damping > zero_entry * std::sqrt(block.scale) && damping > 0);
  }
  for (const SmallMotions::Block& block : reduced.blocks) {
    const Matrix alpha = part_of(reduced.alpha, block.columns);
    if (!out.exponents) {
      sure = find_roots(alpha, block.scale, out) && sure;
      continue;
    }
    // Velocities in units of displacements by the fastest rate, so that all entries are rates.
    const Matrix gamma = part_of(reduced.gamma, block.columns);
    const double rate = std::max(std::sqrt(block.scale), largest(gamma));
    const std::size_t size = block.columns.size();
    Matrix first(2 * size, 2 * size);
    for (std::size_t i = 0; i < size; ++i) {
      first(i, size + i) = rate;
      for (std::size_t k = 0; k < size; ++k) {
        first(size + i, k) = alpha(i, k) / rate;
        first(size + i, size + k) = gamma(i, k);
      }
    }
    sure = find_roots(first, rate, out) && sure;
  }
  sort_roots(out);
  bool bounded = out.exponents || out.semisimple;
  out.attracting = out.exponents;
  for (const MultipleRoot& root : out.grouped) {
    const Complex s = root.value;
    if (out.exponents) {
      out.attracting = out.attracting && s.real() < 0;
      out.growth_rate = std::max(out.growth_rate, s.real());
      bounded = bounded && (s.real() < 0 || (s.real() == 0 && root.independent == root.multiplicity));
    } else {
      const bool swings = s.imag() == 0 && s.real() < 0;
      bounded = bounded && swings;
      if (!swings) out.growth_rate = std::max(out.growth_rate, growth_of(s));
    }
  }
  out.stable = bounded;
  if (!out.exponents) {
    for (const SmallMotions::Block& block : reduced.blocks) find_modes(reduced, block, out);
  }
  out.form_agrees = *out.stable == (out.form == Form::negative_definite);
  return sure;
}

double growth_of(std::complex<double> s) {
  const double size = elementary::hypot(s.real(), s.imag());
  if (size == 0) return 0;
  // Of the two ways the one without a difference: Re(mu) Im(mu) = Im(s) / 2.
  const double larger = std::sqrt(0.5 * (size + std::abs(s.real())));
  return s.real() >= 0 ? larger : std::abs(s.imag()) / (2 * larger);
}

}  // namespace zwang::analysis
