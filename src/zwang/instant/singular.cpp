/// Combinations with vanishing gradient: found, expanded, and minimised over.
#include "zwang/instant/singular.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/instant/quadric.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

namespace {

constexpr std::size_t most_variables = 400;
constexpr std::size_t most_rows = 200;
constexpr std::size_t most_inequalities = 12;  ///< beside a quadric: their faces are enumerated
constexpr double negligible = 1e-9;            ///< part of its terms below which a coefficient counts as zero

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }
double norm(const Vector& x) { return std::sqrt(dot(x, x)); }

/// Affine conditions n.x + c (= or <=) 0 in whitened accelerations x = L^T a, where Z = |x - x0|^2.
struct Row {
  Vector n;
  double c = 0;
};

/// A combination of rows with vanishing gradient.
struct Combination {
  Vector y;  ///< per row of the problem
  bool equation = true;
};

/// A polynomial of second degree in the reduced accelerations u (x = base + N u), stored flat: constant, linear, square.
struct Polynomial {
  Vector coefficient;
};

class Expansion {
 public:
  Expansion(const model::Model& model, const model::State& state, Workspace::Impl& impl)
      : model_(model), state_(state), problem_(impl.problem), n_(model.variables), r_(impl.problem.size()) {
    // M = L L^T.
    linear::Matrix m(n_, n_);
    Vector unit(n_, 0.0);
    Vector image(n_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      unit[j] = 1;
      impl.dynamics.mass.multiply(unit, image);
      unit[j] = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        m(i, j) = image[i];
      }
    }
    lower_ = linear::cholesky(m);
    x0_ = whitened_acceleration(problem_.a0);
    // Rows in whitened form, scaled to unit length; a gradient that is rounding of zero becomes zero.
    for (std::size_t j = 0; j < r_; ++j) {
      Row row{Vector(n_, 0.0), problem_.h[j]};
      for (std::uint32_t e = problem_.start[j]; e < problem_.start[j + 1]; ++e) {
        row.n[problem_.column[e]] = problem_.entry[e];
      }
      linear::solve_lower(lower_, row.n);
      length_.push_back(norm(row.n));
      rows_.push_back(std::move(row));
    }
    drop_vanishing();
  }

  [[nodiscard]] std::size_t n() const { return n_; }
  [[nodiscard]] std::size_t r() const { return r_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const Vector& x0() const { return x0_; }
  [[nodiscard]] double length(std::size_t j) const { return length_[j]; }
  [[nodiscard]] bool is_equation(std::size_t j) const { return problem_.kind[j] == gauss::RowKind::equation; }

  [[nodiscard]] Vector acceleration(Vector x) const {
    linear::solve_lower_transposed(lower_, x);
    return x;
  }
  [[nodiscard]] Vector whitened_acceleration(const Vector& a) const {
    Vector x(n_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      for (std::size_t i = j; i < n_; ++i) {
        x[j] += lower_(i, j) * a[i];
      }
    }
    return x;
  }

  /// Coefficients of s^3 and s^4 of every row's f along q + v s + a s^2/2 (a velocity condition integrated once).
  void coefficients(const Vector& a, Vector& third, Vector& fourth) const {
    model::MotionSeries motion;
    motion.time = state_.time;
    motion.n = n_;
    motion.orders = 5;
    motion.modes = state_.modes;
    motion.coefficient.assign(5 * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      motion.coefficient[i] = state_.position[i];
      motion.coefficient[n_ + i] = state_.velocity[i];
      motion.coefficient[2 * n_ + i] = a[i] / 2;
    }
    third.assign(r_, 0.0);
    fourth.assign(r_, 0.0);
    model::RowSeries series;
    for (std::size_t j = 0; j < r_; ++j) {
      model::series_row(model_, problem_.row[j], motion, 5, series);
      const bool holonomic = model::is_holonomic(model_.row_kind[problem_.row[j]]);
      third[j] = holonomic ? series.value[3] : series.value[2] / 3;
      fourth[j] = holonomic ? series.value[4] : series.value[3] / 4;
    }
  }

  /// Does y^T f speak at a higher order? The path q + v s + a s^2/2 + ... is continued so that the rows `held` stay
  /// satisfied order by order; redundant rows are then satisfied, too, and a part of third or higher degree is not.
  [[nodiscard]] bool goes_on(const Vector& y, const Vector& a, const std::vector<std::size_t>& held) const {
    constexpr unsigned highest = 12;
    model::MotionSeries motion;
    motion.time = state_.time;
    motion.n = n_;
    motion.orders = highest + 1;
    motion.modes = state_.modes;
    motion.coefficient.assign(motion.orders * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      motion.coefficient[i] = state_.position[i];
      motion.coefficient[n_ + i] = state_.velocity[i];
      motion.coefficient[2 * n_ + i] = a[i] / 2;
    }
    // Gram matrix of the unit rows, decomposed once.
    linear::Matrix gram(held.size(), held.size());
    for (std::size_t i = 0; i < held.size(); ++i) {
      for (std::size_t j = 0; j < held.size(); ++j) {
        gram(i, j) = dot(rows_[held[i]].n, rows_[held[j]].n) / (length_[held[i]] * length_[held[j]]);
      }
    }
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(gram);
    model::RowSeries series;
    Vector f(r_, 0.0);
    double size = 0;
    for (unsigned order = 3; order <= highest; ++order) {
      // The coefficient of s^order of every row, with the motion known below that order.
      for (std::size_t j = 0; j < r_; ++j) {
        model::series_row(model_, problem_.row[j], motion, order + 1, series);
        const bool holonomic = model::is_holonomic(model_.row_kind[problem_.row[j]]);
        f[j] = holonomic ? series.value[order] : series.value[order - 1] / order;
      }
      double sum = 0;
      double terms = 0;
      for (std::size_t j = 0; j < r_; ++j) {
        sum += y[j] * f[j];
        terms += std::abs(y[j] * f[j]);
      }
      size = std::max(size, terms);
      if (order >= 5 && std::abs(sum) > 1e-8 * terms && std::abs(sum) > 1e-11 * size) {
        return true;
      }
      // The least coefficient that satisfies the held rows again: J x = -f.
      Vector x(n_, 0.0);
      for (std::size_t k = 0; k < eigen.values.size(); ++k) {
        if (eigen.values[k] <= 1e-10 * eigen.values.back()) {
          continue;
        }
        double part = 0;
        for (std::size_t i = 0; i < held.size(); ++i) {
          part -= eigen.vectors(i, k) * f[held[i]] / length_[held[i]];
        }
        part /= eigen.values[k];
        for (std::size_t i = 0; i < held.size(); ++i) {
          for (std::size_t c = 0; c < n_; ++c) {
            x[c] += part * eigen.vectors(i, k) * rows_[held[i]].n[c] / length_[held[i]];
          }
        }
      }
      const Vector q = acceleration(x);
      std::copy(q.begin(), q.end(), motion.coefficient.begin() + static_cast<std::ptrdiff_t>(order * n_));
    }
    return false;
  }

 private:
  /// A gradient counts as vanishing beside what a step of the size of the state would make of it.
  void drop_vanishing() {
    const Scales scale = scales(state_);
    Vector first;
    Vector second;
    for (std::size_t j = 0; j < r_; ++j) {
      double sum = 0;
      for (std::uint32_t e = problem_.start[j]; e < problem_.start[j + 1]; ++e) {
        sum += std::abs(problem_.entry[e]);
      }
      bool vanishes = sum == 0;
      if (!vanishes && sum * scale.position < 1e-6) {
        // The second derivatives along the axes tell the size the gradient has nearby.
        double nearby = 0;
        for (std::uint32_t e = problem_.start[j]; e < problem_.start[j + 1]; ++e) {
          model::MotionSeries axis;
          axis.time = state_.time;
          axis.n = n_;
          axis.orders = 3;
          axis.modes = state_.modes;
          axis.coefficient.assign(3 * n_, 0.0);
          std::copy(state_.position.begin(), state_.position.end(), axis.coefficient.begin());
          axis.coefficient[n_ + problem_.column[e]] = 1;
          model::RowSeries series;
          model::series_row(model_, problem_.row[j], axis, 3, series);
          nearby += 2 * std::abs(series.value[2]);
        }
        vanishes = sum <= 1e-10 * nearby * scale.position;
      }
      if (vanishes) {
        std::fill(rows_[j].n.begin(), rows_[j].n.end(), 0.0);
        length_[j] = 0;
      }
    }
  }

  const model::Model& model_;
  const model::State& state_;
  const Subproblem& problem_;
  std::size_t n_;
  std::size_t r_;
  linear::Matrix lower_;
  Vector x0_;
  std::vector<Row> rows_;
  Vector length_;
};

/// Rows `which` as a matrix with unit rows (a vanishing row stays zero).
linear::Matrix stack(const Expansion& x, const std::vector<std::size_t>& which) {
  linear::Matrix result(which.size(), x.n());
  for (std::size_t i = 0; i < which.size(); ++i) {
    const double length = x.length(which[i]) > 0 ? x.length(which[i]) : 1;
    for (std::size_t c = 0; c < x.n(); ++c) {
      result(i, c) = x.rows()[which[i]].n[c] / length;
    }
  }
  return result;
}

/// All y with y^T J = 0 on the rows `which`, as combinations over all rows of the problem.
std::vector<Vector> dependencies(const Expansion& x, const std::vector<std::size_t>& which) {
  std::vector<Vector> result;
  if (which.empty()) {
    return result;
  }
  const linear::Matrix left = linear::null_space(linear::transpose(stack(x, which)));
  for (std::size_t k = 0; k < left.columns; ++k) {
    Vector y(x.r(), 0.0);
    for (std::size_t i = 0; i < which.size(); ++i) {
      const double length = x.length(which[i]) > 0 ? x.length(which[i]) : 1;
      y[which[i]] = std::abs(left(i, k)) > 1e-12 ? left(i, k) / length : 0;
    }
    result.push_back(std::move(y));
  }
  return result;
}

/// The support-minimal combinations y >= 0 on inequalities that contain at least one of them.
std::vector<Combination> one_sided(const Expansion& x, const std::vector<std::size_t>& equations,
                                   const std::vector<std::size_t>& inequalities) {
  std::vector<Combination> found;
  std::vector<std::uint32_t> supports;
  const std::size_t own = dependencies(x, equations).size();
  const std::uint32_t subsets = 1U << inequalities.size();
  std::vector<std::uint32_t> order(subsets);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [](std::uint32_t a, std::uint32_t b) { return __builtin_popcount(a) < __builtin_popcount(b); });
  for (const std::uint32_t subset : order) {
    const bool contains = std::any_of(supports.begin(), supports.end(),
                                      [&](std::uint32_t support) { return (subset & support) == support; });
    if (subset == 0 || contains) {
      continue;
    }
    std::vector<std::size_t> which = equations;
    for (std::size_t i = 0; i < inequalities.size(); ++i) {
      if ((subset >> i & 1U) != 0) {
        which.push_back(inequalities[i]);
      }
    }
    std::vector<Vector> all = dependencies(x, which);
    if (all.size() <= own) {
      continue;
    }
    // Minimal support: one dependency more than the equations have; its part on the inequalities is unique but for sign.
    supports.push_back(subset);
    Vector best;
    double most = 0;
    for (const Vector& y : all) {
      double part = 0;
      for (const std::size_t i : inequalities) {
        part = std::max(part, std::abs(y[i]) * std::max(x.length(i), 1e-300));
      }
      if (part > most || best.empty()) {
        most = part;
        best = y;
      }
    }
    bool positive = true;
    bool negative = true;
    for (const std::size_t i : inequalities) {
      positive = positive && best[i] >= 0;
      negative = negative && best[i] <= 0;
    }
    if (negative) {
      for (double& y : best) {
        y = -y;
      }
    }
    if (positive || negative) {
      found.push_back(Combination{best, false});
    }
  }
  return found;
}

/// The minimisation once the rows are known: affine equations and inequalities, and at most one quadric.
struct Reduced {
  std::vector<Row> equations;
  std::vector<Row> inequalities;
};

struct Affine {
  bool consistent = true;
  Vector base;
  linear::Matrix null;  ///< columns: orthonormal directions left free
};

Affine solve_affine(const std::vector<Row>& equations, std::size_t n) {
  Affine result;
  linear::Matrix a(equations.size(), n);
  Vector right(equations.size(), 0.0);
  double offsets = 0;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const double length = norm(equations[i].n) > 0 ? norm(equations[i].n) : 1;
    for (std::size_t c = 0; c < n; ++c) {
      a(i, c) = equations[i].n[c] / length;
    }
    right[i] = -equations[i].c / length;
    offsets += std::abs(right[i]);
  }
  double residual = 0;
  result.base = linear::least_norm(a, right, &residual, 1e-11);
  result.consistent = residual <= 1e-9 * offsets;
  result.null = linear::null_space(a);
  return result;
}

Vector along(const Affine& affine, const Vector& u) {
  Vector x = affine.base;
  for (std::size_t k = 0; k < affine.null.columns; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += affine.null(i, k) * u[k];
    }
  }
  return x;
}

/// Every row's polynomial of s^4 on an affine space: constant, linear, square parts, by exact differences.
std::vector<Polynomial> fourth_order(const Expansion& x, const Affine& affine, const std::vector<Vector>& moving) {
  const std::size_t p = affine.null.columns;
  const std::size_t size = 1 + p + p * p;
  std::vector<Polynomial> result(moving.size());
  for (Polynomial& polynomial : result) {
    polynomial.coefficient.assign(size, 0.0);
  }
  Vector third;
  Vector fourth;
  // `moving` holds, per combination, y for s^4 followed by z for s^3: psi = y^T f[4] - z^T f[3].
  const auto values = [&](const Vector& u) {
    x.coefficients(x.acceleration(along(affine, u)), third, fourth);
    Vector psi(moving.size(), 0.0);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      for (std::size_t j = 0; j < x.r(); ++j) {
        psi[k] += moving[k][j] * fourth[j] - moving[k][x.r() + j] * third[j];
      }
    }
    return psi;
  };
  const Vector zero = values(Vector(p, 0.0));
  std::vector<Vector> plus(p);
  for (std::size_t i = 0; i < p; ++i) {
    Vector u(p, 0.0);
    u[i] = 1;
    plus[i] = values(u);
    u[i] = -1;
    const Vector minus = values(u);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      result[k].coefficient[1 + i] = (plus[i][k] - minus[k]) / 2;
      result[k].coefficient[1 + p + i * p + i] = (plus[i][k] + minus[k]) / 2 - zero[k];
    }
  }
  for (std::size_t k = 0; k < moving.size(); ++k) {
    result[k].coefficient[0] = zero[k];
  }
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = i + 1; j < p; ++j) {
      Vector u(p, 0.0);
      u[i] = 1;
      u[j] = 1;
      const Vector both = values(u);
      for (std::size_t k = 0; k < moving.size(); ++k) {
        const double mixed = (both[k] - plus[i][k] - plus[j][k] + zero[k]) / 2;
        // plus_i + plus_j counts both squares once: what is left is twice the mixed term.
        result[k].coefficient[1 + p + i * p + j] = mixed;
        result[k].coefficient[1 + p + j * p + i] = mixed;
      }
    }
  }
  return result;
}

struct Candidate {
  Vector x;
  double z = 0;
  bool continuum = false;
};

bool satisfies(const std::vector<Row>& inequalities, const Vector& x) {
  for (const Row& row : inequalities) {
    const double scale = std::abs(row.c) + norm(row.n) * norm(x);
    if (dot(row.n, x) + row.c > 1e-10 * scale) {
      return false;
    }
  }
  return true;
}

/// Nearest points to x0 on the quadric (given over the space left by the equations) and on every face of the inequalities.
std::vector<Candidate> on_faces(const Expansion& x, const Reduced& reduced, const Affine& affine,
                                const Polynomial& quadric) {
  std::vector<Candidate> result;
  const std::size_t p = affine.null.columns;
  const std::uint32_t subsets = 1U << reduced.inequalities.size();
  for (std::uint32_t subset = 0; subset < subsets; ++subset) {
    // The face: equations in the reduced unknowns u.
    std::vector<Row> face;
    for (std::size_t i = 0; i < reduced.inequalities.size(); ++i) {
      if ((subset >> i & 1U) == 0) {
        continue;
      }
      Row row{Vector(p, 0.0), reduced.inequalities[i].c + dot(reduced.inequalities[i].n, affine.base)};
      for (std::size_t k = 0; k < p; ++k) {
        for (std::size_t c = 0; c < x.n(); ++c) {
          row.n[k] += affine.null(c, k) * reduced.inequalities[i].n[c];
        }
      }
      face.push_back(std::move(row));
    }
    const Affine inner = solve_affine(face, p);
    if (!inner.consistent) {
      continue;
    }
    // The quadric and the target on that face.
    const std::size_t m = inner.null.columns;
    Quadric q;
    q.q = linear::Matrix(m, m);
    q.b.assign(m, 0.0);
    linear::Matrix square(p, p);
    Vector linear_part(p, 0.0);
    double constant = quadric.coefficient[0];
    for (std::size_t i = 0; i < p; ++i) {
      linear_part[i] = quadric.coefficient[1 + i];
      constant += quadric.coefficient[1 + i] * inner.base[i];
      for (std::size_t j = 0; j < p; ++j) {
        square(i, j) = quadric.coefficient[1 + p + i * p + j];
        linear_part[i] += 2 * square(i, j) * inner.base[j];
        constant += square(i, j) * inner.base[i] * inner.base[j];
      }
    }
    q.d = constant;
    Vector target(m, 0.0);
    Vector u0(p, 0.0);
    for (std::size_t k = 0; k < p; ++k) {
      for (std::size_t c = 0; c < x.n(); ++c) {
        u0[k] += affine.null(c, k) * (x.x0()[c] - affine.base[c]);
      }
    }
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t i = 0; i < p; ++i) {
        q.b[k] += inner.null(i, k) * linear_part[i] / 2;
        target[k] += inner.null(i, k) * (u0[i] - inner.base[i]);
        for (std::size_t l = 0; l < m; ++l) {
          for (std::size_t j = 0; j < p; ++j) {
            q.q(k, l) += inner.null(i, k) * square(i, j) * inner.null(j, l);
          }
        }
      }
    }
    std::vector<QuadricPoint> points;
    if (m == 0) {
      double terms = std::abs(quadric.coefficient[0]);
      for (std::size_t i = 0; i < p; ++i) {
        terms += std::abs(quadric.coefficient[1 + i] * inner.base[i]);
        for (std::size_t j = 0; j < p; ++j) {
          terms += std::abs(square(i, j) * inner.base[i] * inner.base[j]);
        }
      }
      if (std::abs(q.d) <= negligible * terms) {
        points.push_back(QuadricPoint{{}, 0, false});
      }
    } else {
      points = stationary_points(q, target);
    }
    for (const QuadricPoint& point : points) {
      Candidate candidate;
      candidate.x = along(affine, along(inner, point.u));
      if (!satisfies(reduced.inequalities, candidate.x)) {
        continue;
      }
      for (std::size_t c = 0; c < x.n(); ++c) {
        candidate.z += (candidate.x[c] - x.x0()[c]) * (candidate.x[c] - x.x0()[c]);
      }
      candidate.continuum = point.continuum;
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

/// The nearest point under the affine rows alone.
gauss::Status nearest(const Expansion& x, const Reduced& reduced, Vector& point) {
  linear::Mass mass(Vector(x.n(), 1.0));
  if (!mass.factor()) {
    return gauss::Status::gave_up;
  }
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> column;
  Vector entry;
  Vector h;
  std::vector<gauss::RowKind> kind;
  const auto append = [&](const Row& row, gauss::RowKind row_kind) {
    for (std::size_t c = 0; c < x.n(); ++c) {
      if (row.n[c] != 0) {
        column.push_back(static_cast<std::uint32_t>(c));
        entry.push_back(row.n[c]);
      }
    }
    start.push_back(static_cast<std::uint32_t>(entry.size()));
    h.push_back(row.c);
    kind.push_back(row_kind);
  };
  for (const Row& row : reduced.equations) {
    append(row, gauss::RowKind::equation);
  }
  for (const Row& row : reduced.inequalities) {
    append(row, gauss::RowKind::inequality);
  }
  gauss::Problem problem{&mass, x.x0(), start, column, entry, h, kind};
  gauss::Workspace workspace;
  gauss::Solution solution;
  gauss::solve(problem, {}, workspace, solution);
  point = solution.a;
  return solution.status;
}

std::string combination_words(const model::Model& model, const Subproblem& problem, const Vector& y) {
  std::string text;
  double largest = 0;
  for (const double value : y) {
    largest = std::max(largest, std::abs(value));
  }
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (std::abs(y[j]) > 1e-9 * largest) {
      const double factor = y[j] / largest;
      text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      if (std::abs(std::abs(factor) - 1) > 1e-9) {
        text += readable(std::abs(factor)) + " ";
      }
      text += model::row_name(model, problem.row[j]);
    }
  }
  return text;
}

}  // namespace

bool settle_singular(const model::Model& model, const model::State& state, Workspace::Impl& impl, Instant& instant) {
  const Subproblem& problem = impl.problem;
  if (model.variables > most_variables || problem.size() > most_rows) {
    return false;
  }
  const Expansion x(model, state, impl);
  std::vector<std::size_t> equations;
  std::vector<std::size_t> inequalities;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    (x.is_equation(j) ? equations : inequalities).push_back(j);
  }

  // Combinations with vanishing gradient, of equations and one-sided ones.
  std::vector<Combination> combinations;
  for (Vector& y : dependencies(x, equations)) {
    combinations.push_back(Combination{std::move(y), true});
  }
  if (inequalities.size() <= most_inequalities) {
    for (Combination& combination : one_sided(x, equations, inequalities)) {
      combinations.push_back(std::move(combination));
    }
  }
  if (combinations.empty()) {
    return false;
  }

  // A combination whose second derivative does not vanish is contradictory or slack already at the ordinary order.
  std::vector<std::uint8_t> implied(problem.size(), 0);
  std::vector<Combination> tight;
  for (Combination& combination : combinations) {
    double sum = 0;
    double terms = 0;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      sum += combination.y[j] * problem.h[j];
      terms += std::abs(combination.y[j]) * impl.rows.curvature_scale[problem.row[j]];
    }
    if (std::abs(sum) > negligible * terms) {
      if (combination.equation || sum > 0) {
        return false;
      }
      continue;
    }
    for (std::size_t j = 0; j < problem.size(); ++j) {
      implied[j] = implied[j] != 0 || combination.y[j] != 0 ? 1 : 0;
    }
    tight.push_back(std::move(combination));
  }
  if (tight.empty()) {
    return false;
  }

  // Ordinary rows; inequalities inside a tight one-sided combination hold with equality.
  Reduced reduced;
  std::vector<std::size_t> held;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    if (x.length(j) == 0) {
      continue;
    }
    if (x.is_equation(j) || implied[j] != 0) {
      reduced.equations.push_back(x.rows()[j]);
      held.push_back(j);
    } else {
      reduced.inequalities.push_back(x.rows()[j]);
    }
  }
  const Affine ordinary = solve_affine(reduced.equations, x.n());
  if (!ordinary.consistent) {
    return false;
  }

  // The coefficient of s^3: linear in a. First every row's own gradient there, then the combinations.
  Vector third0;
  Vector third;
  Vector fourth;
  x.coefficients(Vector(x.n(), 0.0), third0, fourth);
  std::vector<Vector> slope(problem.size(), Vector(x.n(), 0.0));
  for (std::size_t c = 0; c < x.n(); ++c) {
    Vector unit(x.n(), 0.0);
    unit[c] = 1;
    x.coefficients(x.acceleration(unit), third, fourth);
    for (std::size_t j = 0; j < problem.size(); ++j) {
      slope[j][c] = third[j] - third0[j];
    }
  }
  bool changed = false;
  std::vector<Combination> flat;  // those whose s^3 does not contain a
  std::vector<Vector> moving;     // y and z of each flat one
  for (const Combination& combination : tight) {
    Row row{Vector(x.n(), 0.0), 0};
    double size = 0;
    double constant_size = 0;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      for (std::size_t c = 0; c < x.n(); ++c) {
        row.n[c] += combination.y[j] * slope[j][c];
      }
      row.c += combination.y[j] * third0[j];
      size += std::abs(combination.y[j]) * norm(slope[j]);
      constant_size += std::abs(combination.y[j] * third0[j]);
    }
    Vector inside(ordinary.null.columns, 0.0);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      for (std::size_t c = 0; c < x.n(); ++c) {
        inside[k] += ordinary.null(c, k) * row.n[c];
      }
    }
    if (size > 0 && norm(inside) > negligible * size) {
      changed = true;
      (combination.equation ? reduced.equations : reduced.inequalities).push_back(row);
      continue;
    }
    // No a in s^3: what stands there must vanish (or be negative, one-sided).
    const double rest = row.c + dot(row.n, ordinary.base);
    if (std::abs(rest) > negligible * (constant_size + size * norm(ordinary.base))) {
      if (!combination.equation && rest < 0) {
        continue;
      }
      instant.status = Status::jammed;
      instant.jam_derivative = 3;
      instant.farkas.clear();
      for (std::size_t j = 0; j < problem.size(); ++j) {
        if (combination.y[j] != 0) {
          instant.farkas.emplace_back(problem.row[j], combination.y[j] * (rest < 0 ? -1 : 1));
        }
      }
      return true;
    }
    // y^T G' = z^T G: the combination that keeps a vanishing gradient is y - z s.
    Vector pair = combination.y;
    pair.resize(2 * problem.size(), 0.0);
    if (norm(row.n) > 1e-12 * size) {
      linear::Matrix basis(x.n(), problem.size());
      for (std::size_t j = 0; j < problem.size(); ++j) {
        for (std::size_t c = 0; c < x.n(); ++c) {
          basis(c, j) = x.is_equation(j) || implied[j] != 0 ? x.rows()[j].n[c] / 2 : 0;
        }
      }
      const Vector z = linear::least_norm(basis, row.n);
      for (std::size_t j = 0; j < problem.size(); ++j) {
        pair[problem.size() + j] = z[j];
      }
    }
    flat.push_back(combination);
    moving.push_back(std::move(pair));
  }

  // The coefficient of s^4 on what the ordinary rows and those of s^3 leave free.
  const Affine left = solve_affine(reduced.equations, x.n());
  if (!left.consistent) {
    return false;
  }
  std::vector<Vector> single;
  for (std::size_t j = 0; j < problem.size(); ++j) {
    Vector y(2 * problem.size(), 0.0);
    y[j] = 1;
    single.push_back(std::move(y));
  }
  Polynomial quadric;
  bool has_quadric = false;
  bool quadric_is_equation = true;
  std::string quadric_words;
  if (!flat.empty()) {
    const std::vector<Polynomial> own = fourth_order(x, left, single);
    const std::vector<Polynomial> polynomials = fourth_order(x, left, moving);
    // Combinations of equations form a space: its dimension counts, not the number of basis vectors.
    std::vector<std::size_t> alive;
    for (std::size_t k = 0; k < flat.size(); ++k) {
      double terms = 0;
      for (std::size_t j = 0; j < problem.size(); ++j) {
        terms += std::abs(flat[k].y[j]) * norm(own[j].coefficient);
      }
      if (norm(polynomials[k].coefficient) > negligible * terms) {
        alive.push_back(k);
        continue;
      }
      // Redundant rows stay silent at every order; a part of third degree does not.
      for (int trial = 1; trial <= 3; ++trial) {
        Vector u(left.null.columns, 0.0);
        for (std::size_t i = 0; i < u.size(); ++i) {
          u[i] = std::cos(1.7 * trial + 2.3 * static_cast<double>(i) + 0.4) * (1 + norm(x.x0()));
        }
        if (x.goes_on(flat[k].y, x.acceleration(along(left, u)), held)) {
          instant.status = Status::undecided;
          instant.singular = true;
          instant.expansion = "the lowest part of " + combination_words(model, problem, flat[k].y) +
                              " that contains accelerations is of third degree or higher";
          return true;
        }
      }
    }
    if (!alive.empty()) {
      linear::Matrix stacked(alive.size(), polynomials[0].coefficient.size());
      bool all_equations = true;
      for (std::size_t i = 0; i < alive.size(); ++i) {
        const double length = norm(polynomials[alive[i]].coefficient);
        for (std::size_t c = 0; c < stacked.columns; ++c) {
          stacked(i, c) = polynomials[alive[i]].coefficient[c] / length;
        }
        all_equations = all_equations && flat[alive[i]].equation;
      }
      const bool one = alive.size() == 1 || (all_equations && linear::rank(stacked, 1e-8) == 1);
      if (!one) {
        instant.status = Status::undecided;
        instant.singular = true;
        instant.expansion = "several combinations of conditions have a vanishing gradient and decide only together: ";
        for (std::size_t i = 0; i < alive.size(); ++i) {
          instant.expansion += (i > 0 ? "; " : "") + combination_words(model, problem, flat[alive[i]].y);
        }
        return true;
      }
      has_quadric = true;
      quadric = polynomials[alive[0]];
      quadric_is_equation = flat[alive[0]].equation;
      quadric_words = combination_words(model, problem, flat[alive[0]].y);
    }
  }
  if (!changed && !has_quadric) {
    return false;
  }

  // Minimise.
  instant.singular = true;
  std::vector<Candidate> candidates;
  if (!has_quadric) {
    Candidate candidate;
    const gauss::Status status = nearest(x, reduced, candidate.x);
    if (status != gauss::Status::solved) {
      instant.status = Status::undecided;
      instant.expansion = "the rows of third order contradict the others";
      return true;
    }
    candidates.push_back(std::move(candidate));
  } else {
    if (reduced.inequalities.size() > most_inequalities) {
      instant.status = Status::undecided;
      instant.expansion =
          "a quadric (" + quadric_words + ") beside more than " + std::to_string(most_inequalities) + " inequalities";
      return true;
    }
    candidates = on_faces(x, reduced, left, quadric);
    if (!quadric_is_equation) {
      // The inside of the quadric counts too.
      Candidate inside;
      if (nearest(x, reduced, inside.x) == gauss::Status::solved) {
        const std::size_t p = left.null.columns;
        Vector u(p, 0.0);
        for (std::size_t k = 0; k < p; ++k) {
          for (std::size_t c = 0; c < x.n(); ++c) {
            u[k] += left.null(c, k) * (inside.x[c] - left.base[c]);
          }
        }
        double value = quadric.coefficient[0];
        double terms = std::abs(value);
        for (std::size_t i = 0; i < p; ++i) {
          value += quadric.coefficient[1 + i] * u[i];
          terms += std::abs(quadric.coefficient[1 + i] * u[i]);
          for (std::size_t j = 0; j < p; ++j) {
            value += quadric.coefficient[1 + p + i * p + j] * u[i] * u[j];
            terms += std::abs(quadric.coefficient[1 + p + i * p + j] * u[i] * u[j]);
          }
        }
        if (value <= 1e-12 * terms) {
          candidates.push_back(std::move(inside));
        }
      }
    }
  }
  for (Candidate& candidate : candidates) {
    candidate.z = 0;
    for (std::size_t c = 0; c < x.n(); ++c) {
      candidate.z += (candidate.x[c] - x.x0()[c]) * (candidate.x[c] - x.x0()[c]);
    }
  }
  if (candidates.empty()) {
    instant.status = Status::jammed;
    instant.jam_derivative = 4;
    instant.expansion = "no acceleration lies on the quadric of " + quadric_words;
    return true;
  }

  // All of least constraint, each once.
  double least = candidates[0].z;
  for (const Candidate& candidate : candidates) {
    least = std::min(least, candidate.z);
  }
  const double size = dot(x.x0(), x.x0());
  instant.solutions.clear();
  instant.continuum = false;
  for (const Candidate& candidate : candidates) {
    if (candidate.z > least + 1e-9 * (least + size * 1e-3)) {
      continue;
    }
    const bool known = std::any_of(instant.solutions.begin(), instant.solutions.end(), [&](const Minimiser& other) {
      const Vector y = x.whitened_acceleration(other.accelerations);
      double apart = 0;
      for (std::size_t c = 0; c < x.n(); ++c) {
        apart = std::max(apart, std::abs(y[c] - candidate.x[c]));
      }
      return apart <= 1e-7 * (std::sqrt(size) + norm(candidate.x));
    });
    if (!known) {
      instant.solutions.push_back(Minimiser{x.acceleration(candidate.x), candidate.z});
      instant.continuum = instant.continuum || candidate.continuum;
    }
  }
  instant.status = instant.solutions.size() == 1 ? Status::determined : Status::ambiguous;
  instant.expansion = has_quadric ? "quadric of " + quadric_words : std::string{};
  return true;
}

}  // namespace zwang::instant
