/// Are the multipliers unique, and which of them to take if not (docs/mathematics, sections 4 and 5).
///
/// With the rows J that hold with equality, the multipliers form the polytope
///   P = { lambda : J^T lambda = c,  lambda_j >= 0 on inequalities }.
/// Both questions are nearest-point problems themselves: a direction y != 0 with J^T y = 0, y_j >= 0 where lambda_j = 0
/// exists iff the nearest point of that cone to (1, ..., 1) on those j is not zero; and the maximiser of d.lambda over P
/// is the fixed point of lambda <- nearest point of P to lambda + tau d.
#include <algorithm>
#include <cmath>

#include "zwang/base/groups.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/gram_basis.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

namespace {

/// The rows of the question as a dense matrix, each divided by its norm; `norm` receives the norms.
linear::Matrix dense_rows(const MultiplierQuestion& question, std::vector<double>& norm,
                          std::vector<std::uint32_t>& columns) {
  const Subproblem& p = *question.problem;
  columns.clear();
  for (const std::uint32_t j : question.rows) {
    columns.insert(columns.end(), p.column.begin() + p.start[j], p.column.begin() + p.start[j + 1]);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  linear::Matrix result(question.rows.size(), columns.size());
  norm.assign(question.rows.size(), 1.0);
  for (std::size_t i = 0; i < question.rows.size(); ++i) {
    const std::uint32_t j = question.rows[i];
    double sum = 0;
    for (std::uint32_t e = p.start[j]; e < p.start[j + 1]; ++e) {
      sum += p.entry[e] * p.entry[e];
    }
    norm[i] = sum > 0 ? std::sqrt(sum) : 1.0;
    for (std::uint32_t e = p.start[j]; e < p.start[j + 1]; ++e) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), p.column[e]) - columns.begin();
      result(i, static_cast<std::size_t>(at)) = p.entry[e] / norm[i];
    }
  }
  return result;
}

/// An orthonormal set that spans the columns. These depend on one another wherever a motion is left free: it says the same without rounding in
/// which they could contradict each other.
std::vector<std::vector<double>> span_of_columns(const linear::Matrix& rows) {
  Basis basis;
  std::vector<double> in;
  for (std::size_t c = 0; c < rows.columns; ++c) {
    std::vector<double> column(rows.rows);
    double size = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      column[i] = rows(i, c);
      size += column[i] * column[i];
    }
    if (size == 0) continue;
    double left = 0;
    for (const double value : basis.remainder(column, in)) left += value * value;
    if (left > carries_nothing * carries_nothing * size) basis.append(column);
  }
  return basis.directions();
}

/// What of a gain changes with the multipliers as far as they can change at all, the columns being spanned by these directions.
std::vector<double> beyond_span(const std::vector<std::vector<double>>& directions, std::vector<double> gain) {
  for (int round = 0; round < 2; ++round) {
    for (const std::vector<double>& direction : directions) {
      double part = 0;
      for (std::size_t i = 0; i < gain.size(); ++i) part += direction[i] * gain[i];
      for (std::size_t i = 0; i < gain.size(); ++i) gain[i] -= part * direction[i];
    }
  }
  return gain;
}

/// Are the rows, each of length one, plainly independent? The factor of their Gram matrix tells, where its pivots are far from zero.
bool plainly_independent(const linear::Matrix& rows) {
  const std::size_t m = rows.rows;
  if (m > rows.columns) return false;
  std::vector<double> factor(m * m, 0.0), own(m);
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0;
      for (std::size_t c = 0; c < rows.columns; ++c) sum += rows(j, c) * rows(k, c);
      own[k] = sum;
    }
    const double left = linear::reduce_row(factor.data(), m, j, own.data());
    if (!(left > plain_pivot)) return false;
    linear::take_row(factor.data(), m, j, own.data(), std::sqrt(left));
  }
  return true;
}

/// Nearest point, in the plain metric, of { x : rows^T x = rows^T base, x_j >= 0 where bounded, x_j = 0 where fixed }.
class Polytope {
 public:
  Polytope(const linear::Matrix& rows, const std::vector<std::vector<double>>& directions,
           const std::vector<double>& base, const std::vector<std::uint8_t>& bounded,
           const std::vector<std::uint8_t>& fixed)
      : mass_(std::vector<double>(rows.rows, 1.0)) {
    factored_ = mass_.factor();
    start_.push_back(0);
    for (const std::vector<double>& direction : directions) {
      double right = 0;
      for (std::size_t i = 0; i < rows.rows; ++i) {
        if (direction[i] != 0) {
          column_.push_back(static_cast<std::uint32_t>(i));
          entry_.push_back(direction[i]);
          right += direction[i] * base[i];
        }
      }
      close_row(-right, gauss::RowKind::equation);
    }
    for (std::size_t i = 0; i < rows.rows; ++i) {
      if (fixed[i] != 0 || bounded[i] != 0) {
        column_.push_back(static_cast<std::uint32_t>(i));
        entry_.push_back(fixed[i] != 0 ? 1.0 : -1.0);
        close_row(0, fixed[i] != 0 ? gauss::RowKind::equation : gauss::RowKind::inequality);
      }
    }
  }

  [[nodiscard]] bool project(std::vector<double>& x) {
    if (!factored_) {
      return false;
    }
    gauss::Problem problem;
    problem.mass = &mass_;
    problem.a0 = x;
    problem.start = start_;
    problem.column = column_;
    problem.entry = entry_;
    problem.h = h_;
    problem.kind = kind_;
    gauss::solve(problem, {}, workspace_, solution_);
    if (solution_.status != gauss::Status::solved) {
      return false;
    }
    x = solution_.a;
    return true;
  }

 private:
  void close_row(double offset, gauss::RowKind kind) {
    start_.push_back(static_cast<std::uint32_t>(entry_.size()));
    h_.push_back(offset);
    kind_.push_back(kind);
  }

  linear::Mass mass_;
  bool factored_ = false;
  std::vector<std::uint32_t> start_;
  std::vector<std::uint32_t> column_;
  std::vector<double> entry_;
  std::vector<double> h_;
  std::vector<gauss::RowKind> kind_;
  gauss::Workspace workspace_;
  gauss::Solution solution_;
};

/// Of connected rows those that take part in a combination that vanishes, or nearly so: the multipliers of the others are what they are.
std::vector<std::size_t> that_depend(const MultiplierQuestion& question, const std::vector<std::size_t>& which) {
  const Subproblem& p = *question.problem;
  const std::size_t r = which.size();
  if (r > largest_polytope) return which;
  std::vector<double> gram(r * r, 0.0);
  std::vector<double> length(r, 0.0);
  std::vector<double> row(p.a0.size(), 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    const std::uint32_t number = question.rows[which[j]];
    for (std::uint32_t e = p.start[number]; e < p.start[number + 1]; ++e) row[p.column[e]] = p.entry[e];
    for (std::size_t k = 0; k <= j; ++k) {
      const std::uint32_t other = question.rows[which[k]];
      double sum = 0;
      for (std::uint32_t e = p.start[other]; e < p.start[other + 1]; ++e) sum += p.entry[e] * row[p.column[e]];
      gram[j * r + k] = gram[k * r + j] = sum;
    }
    for (std::uint32_t e = p.start[number]; e < p.start[number + 1]; ++e) row[p.column[e]] = 0;
    length[j] = std::sqrt(gram[j * r + j]);
    if (!(length[j] > 0) || !std::isfinite(length[j])) return which;
  }
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t k = 0; k < r; ++k) gram[j * r + k] /= length[j] * length[k];
  }
  linear::GramBasis basis{gram, r, depends_perhaps, {}, {}};
  std::vector<double> c;
  std::vector<std::uint8_t> takes_part(r, 0);
  for (std::size_t k = 0; k < r; ++k) {
    if (basis.take(k, c)) continue;
    takes_part[k] = 1;
    for (std::size_t a = 0; a < c.size(); ++a) {
      if (!(std::abs(c[a]) <= no_part_in_it)) takes_part[basis.members[a]] = 1;
    }
  }
  std::vector<std::size_t> result;
  for (std::size_t j = 0; j < r; ++j) {
    if (takes_part[j] != 0) result.push_back(which[j]);
  }
  return result;
}

/// Rows that share variables, directly or through others, and depend on one another; and the largest multiplier, times the length of
/// its row, of all that are connected with them.
struct Connected {
  std::vector<std::size_t> which;
  double scale = 0;
};

double length_of(const Subproblem& p, std::uint32_t j) {
  double sum = 0;
  for (std::uint32_t e = p.start[j]; e < p.start[j + 1]; ++e) sum += p.entry[e] * p.entry[e];
  return sum > 0 ? std::sqrt(sum) : 1.0;
}

/// The question for rows that share variables, directly or through others: what has no connection has no common scale.
std::vector<Connected> connected(const MultiplierQuestion& question) {
  const Subproblem& p = *question.problem;
  const auto count = static_cast<std::uint32_t>(question.rows.size());
  Groups together(count);
  std::vector<std::uint32_t> seen(p.a0.size(), count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t j = question.rows[i];
    for (std::uint32_t e = p.start[j]; e < p.start[j + 1]; ++e) {
      std::uint32_t& first = seen[p.column[e]];
      if (first == count) {
        first = i;
      } else {
        together.join(first, i);
      }
    }
  }
  std::vector<Connected> result;
  std::vector<std::size_t> number(count, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::size_t& which = number[together.of(i)];
    if (which == count) {
      which = result.size();
      result.emplace_back();
    }
    result[which].which.push_back(i);
    const double acts = std::abs(question.lambda[i]) * length_of(p, question.rows[i]);
    result[which].scale = std::max(result[which].scale, acts);
  }
  for (Connected& one : result) one.which = that_depend(question, one.which);
  std::erase_if(result, [](const Connected& one) { return one.which.empty(); });
  return result;
}

MultiplierQuestion part_of(const MultiplierQuestion& question, const std::vector<std::size_t>& which) {
  MultiplierQuestion part;
  part.problem = question.problem;
  for (const std::size_t i : which) {
    part.rows.push_back(question.rows[i]);
    part.nonnegative.push_back(question.nonnegative[i]);
    part.lambda.push_back(question.lambda[i]);
  }
  return part;
}

bool unique_in_part(const MultiplierQuestion& question, double scale) {
  const std::size_t m = question.rows.size();
  if (m == 0) {
    return true;
  }
  if (m > largest_polytope) {
    return false;
  }
  std::vector<double> norm;
  std::vector<std::uint32_t> columns;
  const linear::Matrix rows = dense_rows(question, norm, columns);
  if (plainly_independent(rows) || linear::rank(rows) == m) {
    return true;
  }
  // Rows that can move both ways must be independent by themselves.
  std::vector<std::size_t> free_rows;
  std::vector<std::uint8_t> bounded(m, 0);
  const std::vector<std::uint8_t> fixed(m, 0);
  std::vector<double> direction(m, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    if (question.nonnegative[i] != 0 && question.lambda[i] * norm[i] <= carries_nothing * scale) {
      bounded[i] = 1;
      direction[i] = 1;
    } else {
      free_rows.push_back(i);
    }
  }
  linear::Matrix both(free_rows.size(), rows.columns);
  for (std::size_t i = 0; i < free_rows.size(); ++i) {
    for (std::size_t c = 0; c < rows.columns; ++c) {
      both(i, c) = rows(free_rows[i], c);
    }
  }
  if (!plainly_independent(both) && linear::rank(both) < free_rows.size()) {
    return false;
  }
  // A direction that opens some multiplier now at zero?
  Polytope cone(rows, span_of_columns(rows), std::vector<double>(m, 0.0), bounded, fixed);
  if (!cone.project(direction)) {
    return false;
  }
  for (std::size_t i = 0; i < m; ++i) {
    if (bounded[i] != 0 && direction[i] > opens) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint8_t> support_in_part(const MultiplierQuestion& question) {
  const std::size_t m = question.rows.size();
  std::vector<std::uint8_t> result(m, 0);
  if (m == 0 || m > largest_polytope) {
    return result;
  }
  std::vector<double> norm;
  std::vector<std::uint32_t> columns;
  const linear::Matrix rows = dense_rows(question, norm, columns);
  const std::vector<std::uint8_t> fixed(m, 0);
  Polytope cone(rows, span_of_columns(rows), std::vector<double>(m, 0.0), question.nonnegative, fixed);
  // Nearest to 1 on the rows not yet found; each round finds at least one or ends.
  for (std::size_t round = 0; round < m; ++round) {
    std::vector<double> y(m, 0.0);
    for (std::size_t i = 0; i < m; ++i) {
      y[i] = question.nonnegative[i] != 0 && result[i] == 0 ? 1.0 : 0.0;
    }
    if (!cone.project(y)) {
      return result;
    }
    bool found = false;
    for (std::size_t i = 0; i < m; ++i) {
      if (question.nonnegative[i] != 0 && result[i] == 0 && y[i] > opens) {
        result[i] = 1;
        found = true;
      }
    }
    if (!found) {
      return result;
    }
  }
  return result;
}

bool choose_in_part(MultiplierQuestion& question, const std::vector<double>& d, double scale) {
  const std::size_t m = question.rows.size();
  if (m == 0 || m > largest_polytope) {
    return true;
  }
  // Unknowns are lambda times the norm of its row, so that rows count by their force.
  std::vector<double> norm;
  std::vector<std::uint32_t> columns;
  const linear::Matrix rows = dense_rows(question, norm, columns);
  std::vector<double> base(m);
  std::vector<double> gain(m);
  for (std::size_t i = 0; i < m; ++i) {
    base[i] = question.lambda[i] * norm[i];
    gain[i] = d.empty() ? 0.0 : d[i] / norm[i];
  }
  // Nothing to choose where the rows leave none free.
  if (plainly_independent(rows)) {
    return true;
  }
  const std::vector<std::vector<double>> directions = span_of_columns(rows);
  std::vector<std::uint8_t> fixed(m, 0);
  Polytope polytope(rows, directions, base, question.nonnegative, fixed);
  std::vector<double> x(m, 0.0);
  if (!polytope.project(x)) {
    return true;
  }
  const double size = std::max(scale, largest(x));
  // A gain that is the same for all of them chooses none.
  const double steepest = largest(beyond_span(directions, gain)) > same_for_all * largest(gain) ? largest(gain) : 0.0;
  if (steepest > 0 && size > 0) {
    // Proximal steps of growing length end at the maximiser after finitely many; growth without bound has none.
    double tau = size / steepest;
    for (int step = 0; step < most_steps; ++step) {
      std::vector<double> next(m);
      for (std::size_t i = 0; i < m; ++i) {
        next[i] = x[i] + tau * gain[i];
      }
      if (!polytope.project(next)) {
        break;
      }
      double moved = 0;
      for (std::size_t i = 0; i < m; ++i) {
        moved = std::max(moved, std::abs(next[i] - x[i]));
      }
      x = next;
      if (largest(x) > without_bound * size) {
        return false;
      }
      if (moved <= step_ends * size) {
        break;
      }
      tau *= 2;
    }
    // Of the maximisers with this support, the one nearest to zero; the base keeps the sum of reactions exact.
    for (std::size_t i = 0; i < m; ++i) {
      fixed[i] = question.nonnegative[i] != 0 && x[i] <= carries_nothing_after_steps * size ? 1 : 0;
    }
    Polytope face(rows, directions, base, question.nonnegative, fixed);
    std::vector<double> y(m, 0.0);
    if (face.project(y)) {
      x = y;
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    const bool zero = question.nonnegative[i] != 0 && x[i] <= carries_nothing * size;
    question.lambda[i] = zero ? 0.0 : x[i] / norm[i];
  }
  return true;
}

}  // namespace

bool multipliers_unique(const MultiplierQuestion& question) {
  const auto parts = connected(question);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const Connected& one) { return unique_in_part(part_of(question, one.which), one.scale); });
}

std::vector<std::uint8_t> one_sided_support(const MultiplierQuestion& question) {
  std::vector<std::uint8_t> result(question.rows.size(), 0);
  for (const auto& [which, scale] : connected(question)) {
    const std::vector<std::uint8_t> part = support_in_part(part_of(question, which));
    for (std::size_t i = 0; i < which.size(); ++i) {
      result[which[i]] = part[i];
    }
  }
  return result;
}

bool choose_multipliers(MultiplierQuestion& question, const std::vector<double>& d) {
  bool bounded = true;
  for (const auto& [which, scale] : connected(question)) {
    MultiplierQuestion part = part_of(question, which);
    std::vector<double> gain;
    for (const std::size_t i : which) {
      if (!d.empty()) {
        gain.push_back(d[i]);
      }
    }
    if (!choose_in_part(part, gain, scale)) {
      bounded = false;
      continue;
    }
    for (std::size_t i = 0; i < which.size(); ++i) {
      question.lambda[which[i]] = part.lambda[i];
    }
  }
  return bounded;
}

}  // namespace zwang::instant
