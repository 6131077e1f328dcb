/// Elimination with jets as coefficients; ranks by singular values of their values.
#include "zwang/analysis/flag.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/analysis/tolerances.hpp"

namespace zwang::analysis {

namespace {

template <class S>
using Rows = std::vector<std::vector<Jet<S>>>;

template <class S>
S root(const S& x) {
  using std::sqrt;
  return sqrt(x);
}

/// Singular values of the matrix with these rows, descending: rows are turned until they are orthogonal (Jacobi).
template <class S>
std::vector<double> singular_values(std::vector<std::vector<S>> rows) {
  const auto dot = [](const std::vector<S>& a, const std::vector<S>& b) {
    S sum = S(0);
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
  };
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool turned = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = i + 1; j < rows.size(); ++j) {
        const S a = dot(rows[i], rows[i]);
        const S b = dot(rows[j], rows[j]);
        const S c = dot(rows[i], rows[j]);
        const double bound = narrow(root(a)) * narrow(root(b));
        constexpr double resolution = sizeof(S) == sizeof(double) ? 1e-15 : 1e-29;
        if (bound == 0 || std::abs(narrow(c)) <= resolution * bound) continue;
        turned = true;
        const S zeta = (b - a) / (S(2) * c);
        const S length = root(S(1) + zeta * zeta);
        const S t = narrow(zeta) >= 0 ? S(1) / (zeta + length) : S(1) / (zeta - length);
        const S cosine = S(1) / root(S(1) + t * t);
        const S sine = cosine * t;
        for (std::size_t k = 0; k < rows[i].size(); ++k) {
          const S x = rows[i][k];
          const S y = rows[j][k];
          rows[i][k] = cosine * x - sine * y;
          rows[j][k] = sine * x + cosine * y;
        }
      }
    }
    if (!turned) break;
  }
  std::vector<double> out;
  for (const auto& row : rows) out.push_back(narrow(root(dot(row, row))));
  std::sort(out.rbegin(), out.rend());
  return out;
}

/// The bounds after so much growth of rounding.
Thresholds lifted(Thresholds thresholds, double growth) {
  thresholds.zero = std::max(thresholds.zero, thresholds.rounding * growth);
  thresholds.nonzero = std::max(thresholds.nonzero, 100 * thresholds.zero);
  return thresholds;
}

/// The rank that singular values (in units of what counts) tell.
template <class S>
Gap count(const std::vector<double>& values, std::size_t most, Thresholds thresholds) {
  Gap gap;
  gap.most = most;
  gap.wide = sizeof(S) != sizeof(double);
  const double middle = std::sqrt(thresholds.zero * thresholds.nonzero);
  for (const double value : values) {
    if (!std::isfinite(value)) gap.clear = false;
    if (value > middle) {
      gap.kept = gap.rank == 0 ? value : std::min(gap.kept, value);
      ++gap.rank;
    } else {
      gap.dropped = std::max(gap.dropped, value);
    }
    gap.clear = gap.clear && (value <= thresholds.zero || value >= thresholds.nonzero);
  }
  return gap;
}

template <class S>
double size_of(const std::vector<Jet<S>>& row, std::size_t first, std::size_t last) {
  double most = 0;
  for (const Jet<S>& entry : row) {
    for (std::size_t k = first; k < std::min(last, entry.size()); ++k) {
      most = std::max(most, std::abs(narrow(entry[k])));
    }
  }
  return most;
}

/// row -= factor * other
template <class S>
void subtract(const JetShape& shape, std::vector<Jet<S>>& row, const Jet<S>& factor, const std::vector<Jet<S>>& other) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!is_zero(other[c])) add_to(row[c], multiply(shape, factor, other[c]), -1);
  }
}

/// Rows of length one; then theta_j = dy_j + sum B_jk du_k with the largest pivots; dependent rows leave.
template <class S>
struct JetEchelon {
  Rows<S> rows;
  std::vector<std::size_t> bound;  ///< column of y_j
  std::vector<std::size_t> free;   ///< columns of u_k
  Gap gap;
  double steepness = 0;  ///< largest first derivative of a coefficient
};

template <class S>
JetEchelon<S> echelon(const FormsAt<S>& at, Rows<S> rows, Thresholds thresholds) {
  const JetShape& shape = *at.shape;
  const std::size_t n = at.columns();
  JetEchelon<S> out;

  // All rows in one unit.
  std::vector<std::vector<S>> values;
  for (auto& row : rows) {
    const double size = size_of(row, 0, 1);
    if (size > 0) {
      const double unit = std::ldexp(1.0, -std::ilogb(size));
      for (Jet<S>& entry : row) {
        for (S& x : entry) x *= S(unit);
      }
    }
    out.steepness = std::max(out.steepness, size_of(row, 1, 1 + shape.variables()));
    values.emplace_back();
    for (const Jet<S>& entry : row) values.back().push_back(entry[0]);
  }
  std::vector<double> singular = singular_values(values);
  const double largest = singular.empty() || singular[0] == 0 ? 1 : singular[0];
  for (double& value : singular) value /= largest;
  out.gap = count<S>(singular, std::min(rows.size(), n), thresholds);

  // Elimination with complete pivoting.
  std::vector<bool> taken(n, false);
  std::vector<bool> used(rows.size(), false);
  std::vector<std::pair<std::size_t, std::size_t>> pivots;
  while (pivots.size() < out.gap.rank) {
    double best = 0;
    std::size_t row = 0;
    std::size_t column = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (used[i]) continue;
      for (std::size_t c = 0; c < n; ++c) {
        const double size = std::abs(narrow(rows[i][c][0]));
        if (!taken[c] && size > best) {
          best = size;
          row = i;
          column = c;
        }
      }
    }
    if (best == 0) break;
    used[row] = taken[column] = true;
    pivots.emplace_back(column, row);
    const Jet<S> inverse = reciprocal(shape, rows[row][column]);
    for (Jet<S>& entry : rows[row]) {
      if (!is_zero(entry)) entry = multiply(shape, inverse, entry);
    }
    rows[row][column] = constant(shape, S(1));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == row || is_zero(rows[i][column])) continue;
      const Jet<S> factor = rows[i][column];
      subtract(shape, rows[i], factor, rows[row]);
      rows[i][column] = constant(shape, S(0));
    }
  }
  std::sort(pivots.begin(), pivots.end());
  for (const auto& [column, row] : pivots) {
    out.bound.push_back(column);
    out.rows.push_back(std::move(rows[row]));
  }
  for (std::size_t c = 0; c < n; ++c) {
    if (!taken[c]) out.free.push_back(c);
  }
  return out;
}

/// The derivative by a column; zero where nothing depends on it.
template <class S>
Jet<S> by_column(const FormsAt<S>& at, const Jet<S>& a, std::size_t column) {
  if (at.variable[column] < 0) return Jet<S>(a.size(), S(0));
  return derivative(*at.shape, a, static_cast<std::size_t>(at.variable[column]));
}

/// X_k B with the size of its terms at the point.
template <class S>
struct Sized {
  Jet<S> value;
  double size = 0;
};
template <class S>
Sized<S> along(const FormsAt<S>& at, const JetEchelon<S>& e, std::size_t k, const Jet<S>& b) {
  Sized<S> out{by_column(at, b, e.free[k]), 0};
  out.size = std::abs(narrow(out.value[0]));
  for (std::size_t i = 0; i < e.rows.size(); ++i) {
    if (at.variable[e.bound[i]] < 0) continue;
    const Jet<S>& factor = e.rows[i][e.free[k]];
    const Jet<S> slope = by_column(at, b, e.bound[i]);
    if (is_zero(factor) || is_zero(slope)) continue;
    add_to(out.value, multiply(*at.shape, factor, slope), -1);
    out.size += std::abs(narrow(factor[0]) * narrow(slope[0]));
  }
  return out;
}

}  // namespace

template <class S>
DerivedFlag<S> derived_flag(const FormsAt<S>& at, std::size_t order, Thresholds thresholds) {
  const JetShape& shape = *at.shape;
  DerivedFlag<S> out;
  JetEchelon<S> e = echelon(at, at.form, thresholds);
  out.ranks.push_back(e.rows.size());
  out.gaps.push_back(e.gap);
  double steepness = e.steepness;
  double rounding = 1 / std::max(e.gap.kept, least_divisor);
  for (std::size_t left = order;; --left) {
    out.last = e.rows;
    out.pivots = e.bound;
    const std::size_t s = e.rows.size();
    if (s == 0) {
      out.ended = true;
      return out;
    }
    if (left == 0) return out;

    // Omega, and the unit of each of its rows.
    const std::size_t f = e.free.size();
    Rows<S> omega(s);
    std::vector<std::vector<S>> values(s);
    std::vector<double> unit(s, 0.0);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t k = 0; k < f; ++k) {
        for (std::size_t l = k + 1; l < f; ++l) {
          Sized<S> first = along(at, e, k, e.rows[j][e.free[l]]);
          const Sized<S> second = along(at, e, l, e.rows[j][e.free[k]]);
          add_to(first.value, second.value, -1);
          unit[j] = std::max(unit[j], first.size + second.size);
          omega[j].push_back(std::move(first.value));
        }
      }
    }
    for (std::size_t j = 0; j < s; ++j) {
      unit[j] = std::max(unit[j], steepness);
      for (const Jet<S>& entry : omega[j]) values[j].push_back(unit[j] > 0 ? entry[0] / S(unit[j]) : S(0));
    }
    Gap gap =
        count<S>(singular_values(values), std::min(s, f * (f - (f > 0 ? 1 : 0)) / 2), lifted(thresholds, rounding));
    if (gap.rank > 0) rounding /= std::min(1.0, gap.kept);

    // The rows that the pivots of Omega leave are the next system.
    std::vector<bool> used(s, false);
    for (std::size_t pivot = 0; pivot < gap.rank; ++pivot) {
      double best = 0;
      std::size_t row = 0;
      std::size_t column = 0;
      for (std::size_t j = 0; j < s; ++j) {
        if (used[j]) continue;
        for (std::size_t c = 0; c < omega[j].size(); ++c) {
          const double size = std::abs(narrow(omega[j][c][0])) / unit[j];
          if (size > best) {
            best = size;
            row = j;
            column = c;
          }
        }
      }
      if (best == 0) break;
      used[row] = true;
      const Jet<S> inverse = reciprocal(shape, omega[row][column]);
      for (std::size_t j = 0; j < s; ++j) {
        if (used[j] || is_zero(omega[j][column])) continue;
        const Jet<S> factor = multiply(shape, omega[j][column], inverse);
        subtract(shape, omega[j], factor, omega[row]);
        subtract(shape, e.rows[j], factor, e.rows[row]);
        omega[j][column] = constant(shape, S(0));
      }
    }
    Rows<S> next;
    for (std::size_t j = 0; j < s; ++j) {
      if (!used[j]) next.push_back(e.rows[j]);
    }
    out.ranks.push_back(next.size());
    // What is counted is the rank of the next system.
    gap.rank = next.size();
    out.gaps.push_back(gap);
    if (next.size() == s) {
      out.ended = true;
      return out;
    }
    e = echelon(at, std::move(next), thresholds);
    out.gaps.back().clear = out.gaps.back().clear && e.gap.clear;
    steepness = std::max(steepness, e.steepness);
    if (e.gap.rank > 0) rounding /= e.gap.kept;
  }
}

template <class S>
Growth growth(const FormsAt<S>& at, std::size_t order, Thresholds thresholds, std::size_t reach) {
  const JetShape& shape = *at.shape;
  const std::size_t n = at.columns();
  Growth out;
  const JetEchelon<S> e = echelon(at, at.form, thresholds);

  // X_k = d/du_k - sum_j B_jk d/dy_j.
  using Field = std::vector<Jet<S>>;
  std::vector<Field> first;
  for (const std::size_t u : e.free) {
    Field field(n, constant(shape, S(0)));
    field[u] = constant(shape, S(1));
    for (std::size_t j = 0; j < e.rows.size(); ++j) {
      add_to(field[e.bound[j]], e.rows[j][u], -1);
    }
    first.push_back(std::move(field));
  }
  out.dimensions.push_back(first.size());
  out.gaps.push_back(e.gap);

  // An orthonormal basis of what is spanned so far, at the point.
  std::vector<std::vector<S>> basis;
  const auto reduce = [&](std::vector<S>& v) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto& b : basis) {
        S sum = S(0);
        for (std::size_t i = 0; i < n; ++i) sum += b[i] * v[i];
        for (std::size_t i = 0; i < n; ++i) v[i] -= sum * b[i];
      }
    }
    S sum = S(0);
    for (const S& x : v) sum += x * x;
    return root(sum);
  };
  const auto take = [&](std::vector<S> v) {
    const S length = reduce(v);
    for (S& x : v) x = x / length;
    basis.push_back(std::move(v));
  };
  const auto value = [&](const Field& field) {
    std::vector<S> v;
    for (const Jet<S>& entry : field) v.push_back(entry[0]);
    return v;
  };
  for (const Field& field : first) take(value(field));

  std::vector<Field> young = first;
  double rounding = 1 / std::max(e.gap.kept, least_divisor);
  for (std::size_t left = order; left > 0; --left) {
    // All brackets of the first fields with the youngest; the sizes of their terms are their units.
    struct Candidate {
      Field field;
      double unit;
    };
    std::vector<Candidate> candidates;
    const bool same = out.dimensions.size() == 1;
    for (std::size_t a = 0; a < first.size(); ++a) {
      for (std::size_t b = same ? a + 1 : 0; b < young.size(); ++b) {
        Candidate candidate{Field(n, constant(shape, S(0))), e.steepness};
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t c = 0; c < n; ++c) {
            if (at.variable[c] < 0) continue;
            for (const bool turned : {false, true}) {
              const Jet<S>& factor = turned ? young[b][c] : first[a][c];
              const Jet<S>& carried = turned ? first[a][i] : young[b][i];
              if (is_zero(factor) || is_zero(carried)) continue;
              const Jet<S> slope = by_column(at, carried, c);
              if (is_zero(slope)) continue;
              const Jet<S> term = multiply(shape, factor, slope);
              add_to(candidate.field[i], term, turned ? -1 : 1);
              candidate.unit = std::max(candidate.unit, std::abs(narrow(term[0])));
            }
          }
        }
        candidates.push_back(std::move(candidate));
      }
    }

    // The largest remainder enters, until none is left.
    Gap gap;
    gap.most = n;
    gap.wide = sizeof(S) != sizeof(double);
    const Thresholds bounds = lifted(thresholds, rounding);
    const double middle = std::sqrt(bounds.zero * bounds.nonzero);
    std::vector<Field> grown;
    while (true) {
      double best = 0;
      std::size_t chosen = 0;
      for (std::size_t k = 0; k < candidates.size(); ++k) {
        std::vector<S> v = value(candidates[k].field);
        const double length = narrow(reduce(v));
        const double size = candidates[k].unit > 0 ? length / candidates[k].unit : 0;
        if (!std::isfinite(size)) gap.clear = false;
        if (size > best) {
          best = size;
          chosen = k;
        }
      }
      gap.clear = gap.clear && (best <= bounds.zero || best >= bounds.nonzero);
      if (best <= middle) {
        gap.dropped = best;
        break;
      }
      gap.kept = best;
      take(value(candidates[chosen].field));
      grown.push_back(candidates[chosen].field);
    }
    gap.rank = basis.size();
    if (!grown.empty()) rounding /= std::min(1.0, gap.kept);
    if (grown.empty() && reach == 0) {
      out.gaps.push_back(gap);
      out.ended = true;
      return out;
    }
    out.dimensions.push_back(basis.size());
    out.gaps.push_back(gap);
    if (basis.size() == n || basis.size() == reach) {
      out.ended = true;
      return out;
    }
    // At a special point brackets that vanish there may have others that do not.
    if (reach > 0) {
      grown.clear();
      for (Candidate& candidate : candidates) {
        const bool empty = std::all_of(candidate.field.begin(), candidate.field.end(),
                                       [](const Jet<S>& entry) { return is_zero(entry); });
        if (!empty && grown.size() < 64) grown.push_back(std::move(candidate.field));
      }
    }
    young = std::move(grown);
  }
  out.ended = out.ended || first.size() <= 1 || basis.size() == n;
  return out;
}

template DerivedFlag<double> derived_flag(const FormsAt<double>&, std::size_t, Thresholds);
template DerivedFlag<Wide> derived_flag(const FormsAt<Wide>&, std::size_t, Thresholds);
template Growth growth(const FormsAt<double>&, std::size_t, Thresholds, std::size_t);
template Growth growth(const FormsAt<Wide>&, std::size_t, Thresholds, std::size_t);

}  // namespace zwang::analysis
