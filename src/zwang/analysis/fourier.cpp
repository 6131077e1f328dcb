/// The polyhedron of d'Alembert and Fourier: elimination of the equations, enumeration of tight sets, membership.
#include "zwang/analysis/fourier.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/gauss.hpp"
#include "zwang/instant/corners.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::analysis {

namespace {

using linear::Matrix;

constexpr double slight = 1e-10;  ///< of its terms: below it a slack or a multiplier is zero

/// The effective rows at a state, dense.
struct Effective {
  std::vector<std::uint32_t> rows;  ///< of the model
  std::vector<std::uint8_t> inequality;
  Matrix j;                    ///< J
  Matrix phi;                  ///< J W J^T
  std::vector<double> target;  ///< Phi^0
  std::vector<double> free;    ///< a^0 = W X
  std::vector<double> offset;  ///< F
  std::vector<double> size;    ///< of the terms of Phi^0
  linear::Mass mass;
};

std::vector<double> row_times(const Matrix& a, const std::vector<double>& x) {
  std::vector<double> out(a.rows, 0.0);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t k = 0; k < a.columns; ++k) out[i] += a(i, k) * x[k];
  }
  return out;
}

Effective effective(const model::Model& model, const model::State& given, const instant::Instant& instant) {
  Effective out;
  // With the forces that hold what rests, as the instant has found them.
  instant::Workspace workspace(model);
  const bool resolves = model.switches > 0 && given.modes.empty();
  const model::State state = resolves ? instant::resolve_corners(model, given, {}, workspace).state : given;
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  model::evaluate_rows(model, state, scratch, rows);
  std::vector<double> force = dynamics.force;
  for (const auto& [row, rho] : instant.rho) model::add_bend(model, row, state, -rho, force);
  const std::size_t n = model.variables;
  out.free.assign(n, 0.0);
  dynamics.mass.solve(force, out.free);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!instant.is_effective(row)) continue;
    out.rows.push_back(row);
    out.inequality.push_back(model::is_equation(model.row_kind[row]) ? 0 : 1);
  }
  const std::size_t r = out.rows.size();
  out.j = Matrix(r, n);
  out.phi = Matrix(r, r);
  std::vector<std::vector<double>> weighted;
  for (std::size_t s = 0; s < r; ++s) {
    std::vector<double> gradient(n, 0.0);
    for (std::uint32_t e = model.row_start[out.rows[s]]; e < model.row_start[out.rows[s] + 1]; ++e) {
      gradient[model.row_column[e]] += rows.entry[e];
    }
    for (std::size_t i = 0; i < n; ++i) out.j(s, i) = gradient[i];
    weighted.emplace_back(n, 0.0);
    dynamics.mass.solve(gradient, weighted.back());
    double value = rows.curvature[out.rows[s]];
    double terms = rows.curvature_scale[out.rows[s]];
    for (std::size_t i = 0; i < n; ++i) {
      value += gradient[i] * out.free[i];
      terms += std::abs(gradient[i] * out.free[i]);
    }
    out.target.push_back(value);
    out.offset.push_back(rows.curvature[out.rows[s]]);
    out.size.push_back(terms);
  }
  for (std::size_t s = 0; s < r; ++s) {
    for (std::size_t t = 0; t < r; ++t) {
      for (std::size_t i = 0; i < n; ++i) out.phi(s, t) += out.j(s, i) * weighted[t][i];
    }
  }
  out.mass = dynamics.mass;
  return out;
}

/// The equations eliminated: all multipliers are base + map x, x those of the inequalities.
struct Eliminated {
  std::vector<std::size_t> inequality;  ///< places among the effective rows
  std::vector<double> base;
  Matrix map;
  Matrix phi;  ///< over the inequalities: f'' = target - phi x
  std::vector<double> target;
  double scale = 1;  ///< of the entries of phi
  double size = 1;   ///< of the targets
};

Eliminated eliminate(const Effective& all) {
  Eliminated out;
  const std::size_t r = all.rows.size();
  std::vector<std::size_t> equations;
  for (std::size_t s = 0; s < r; ++s) (all.inequality[s] != 0 ? out.inequality : equations).push_back(s);
  const std::size_t m = out.inequality.size();
  const std::size_t e = equations.size();
  out.base.assign(r, 0.0);
  out.map = Matrix(r, m);
  Matrix phi(e, e);
  for (std::size_t i = 0; i < e; ++i) {
    for (std::size_t k = 0; k < e; ++k) phi(i, k) = all.phi(equations[i], equations[k]);
  }
  const auto solve = [&](const std::vector<double>& right) { return linear::least_norm(phi, right); };
  std::vector<double> right(e);
  for (std::size_t i = 0; i < e; ++i) right[i] = all.target[equations[i]];
  if (e > 0) {
    const std::vector<double> l = solve(right);
    for (std::size_t i = 0; i < e; ++i) out.base[equations[i]] = l[i];
  }
  for (std::size_t c = 0; c < m; ++c) {
    out.map(out.inequality[c], c) = 1;
    if (e == 0) continue;
    for (std::size_t i = 0; i < e; ++i) right[i] = -all.phi(equations[i], out.inequality[c]);
    const std::vector<double> l = solve(right);
    for (std::size_t i = 0; i < e; ++i) out.map(equations[i], c) = l[i];
  }
  out.phi = Matrix(m, m);
  out.target.assign(m, 0.0);
  out.scale = 0;
  out.size = 0;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t s = out.inequality[i];
    out.target[i] = all.target[s];
    out.size = std::max(out.size, all.size[s]);
    for (std::size_t t = 0; t < r; ++t) {
      out.target[i] -= all.phi(s, t) * out.base[t];
      out.size = std::max(out.size, std::abs(all.phi(s, t) * out.base[t]));
      for (std::size_t c = 0; c < m; ++c) out.phi(i, c) += all.phi(s, t) * out.map(t, c);
    }
    for (std::size_t c = 0; c < m; ++c) out.scale = std::max(out.scale, std::abs(out.phi(i, c)));
  }
  if (out.scale == 0) out.scale = 1;
  for (std::size_t i = 0; i < m; ++i) {
    if (std::abs(out.target[i]) <= sum_rounding * out.size) out.target[i] = 0;
  }
  return out;
}

/// Multipliers of all rows and what they make of the accelerations; `direction`: the same without the constant parts.
Corner corner(const Effective& all, const Eliminated& part, const std::vector<double>& x, bool direction) {
  Corner out;
  std::vector<double> l = row_times(part.map, x);
  for (std::size_t s = 0; s < l.size(); ++s) l[s] += direction ? 0.0 : part.base[s];
  const std::size_t n = all.free.size();
  std::vector<double> force(n, 0.0);
  std::vector<double> size(n, 0.0);
  for (std::size_t s = 0; s < l.size(); ++s) {
    out.multipliers.emplace_back(all.rows[s], l[s]);
    for (std::size_t i = 0; i < n; ++i) {
      force[i] -= all.j(s, i) * l[s];
      size[i] = std::max(size[i], std::abs(all.j(s, i) * l[s]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (std::abs(force[i]) <= sum_rounding * size[i]) force[i] = 0;
  }
  out.accelerations.assign(n, 0.0);
  all.mass.solve(force, out.accelerations);
  for (std::size_t i = 0; i < n && !direction; ++i) {
    const double sum = out.accelerations[i] + all.free[i];
    const double terms = std::abs(out.accelerations[i]) + std::abs(all.free[i]);
    out.accelerations[i] = std::abs(sum) <= acceleration_rounding * terms ? 0.0 : sum;
  }
  return out;
}

bool same(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0;
  double size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, std::abs(x[i] - y[i]));
    size = std::max({size, std::abs(x[i]), std::abs(y[i])});
  }
  return most <= same_vertex * size;
}

/// Calls visit with every set of `count` out of `of`.
template <class Visit>
void for_subsets(std::size_t of, std::size_t count, Visit visit) {
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = i;
  while (true) {
    visit(chosen);
    std::size_t i = count;
    while (i > 0 && chosen[i - 1] == of - count + i - 1) --i;
    if (i == 0) return;
    ++chosen[i - 1];
    for (std::size_t k = i; k < count; ++k) chosen[k] = chosen[k - 1] + 1;
  }
}

/// Solves a small square system by elimination; false if its rows are dependent.
bool solve_in_place(std::vector<double>& a, std::vector<double>& b) {
  const std::size_t m = b.size();
  for (std::size_t c = 0; c < m; ++c) {
    std::size_t best = c;
    for (std::size_t i = c + 1; i < m; ++i) {
      if (std::abs(a[i * m + c]) > std::abs(a[best * m + c])) best = i;
    }
    if (std::abs(a[best * m + c]) < no_direction) return false;
    for (std::size_t k = 0; k < m && best != c; ++k) std::swap(a[c * m + k], a[best * m + k]);
    std::swap(b[c], b[best]);
    for (std::size_t i = 0; i < m; ++i) {
      if (i == c || a[i * m + c] == 0) continue;
      const double factor = a[i * m + c] / a[c * m + c];
      for (std::size_t k = c; k < m; ++k) a[i * m + k] -= factor * a[c * m + k];
      b[i] -= factor * b[c];
    }
  }
  for (std::size_t c = 0; c < m; ++c) b[c] /= a[c * m + c];
  return true;
}

/// Vertices of { x >= 0, phi x >= target }: every m of the 2 m conditions as equations. Phi has been scaled to entries near one.
void find_vertices(const Effective& all, const Eliminated& part, Fourier& out) {
  const std::size_t m = part.inequality.size();
  std::vector<std::vector<double>> found;
  std::vector<double> a(m * m);
  std::vector<double> b(m);
  for_subsets(2 * m, m, [&](const std::vector<std::size_t>& tight) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        a[i * m + k] = tight[i] < m ? (tight[i] == k ? 1.0 : 0.0) : part.phi(tight[i] - m, k) / part.scale;
      }
      b[i] = tight[i] < m ? 0.0 : part.target[tight[i] - m] / part.scale;
    }
    std::vector<double> x = b;
    std::vector<double> matrix = a;
    if (!solve_in_place(matrix, x)) return;
    double size = part.size / part.scale;
    for (const double value : x) size = std::max(size, std::abs(value));
    for (double& value : x) {
      if (value < -slight * size) return;
      value = std::abs(value) <= vertex_rounding * size ? 0.0 : value;
    }
    const std::vector<double> image = row_times(part.phi, x);
    for (std::size_t i = 0; i < m; ++i) {
      if (image[i] - part.target[i] < -slight * (part.size + part.scale * size)) return;
    }
    if (std::none_of(found.begin(), found.end(), [&](const auto& other) { return same(other, x); })) {
      found.push_back(std::move(x));
    }
  });
  for (const std::vector<double>& x : found) out.vertices.push_back(corner(all, part, x, false));
}

/// Directions { x >= 0, phi x >= 0 } on m - 1 of the conditions, of which only those count that move the accelerations.
void find_rays(const Effective& all, const Eliminated& part, Fourier& out) {
  const std::size_t m = part.inequality.size();
  std::vector<std::vector<double>> found;
  for_subsets(2 * m, m - 1, [&](const std::vector<std::size_t>& tight) {
    Matrix rows(std::max<std::size_t>(m - 1, 1), m);
    for (std::size_t i = 0; i + 1 < m; ++i) {
      for (std::size_t k = 0; k < m; ++k) {
        rows(i, k) = tight[i] < m ? (tight[i] == k ? 1.0 : 0.0) : part.phi(tight[i] - m, k) / part.scale;
      }
    }
    std::vector<double> x(m, 1.0);
    if (m > 1) {
      const Matrix null = linear::null_space(rows, no_direction);
      if (null.columns != 1) return;
      for (std::size_t k = 0; k < m; ++k) x[k] = null(k, 0);
    }
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> ray = x;
      double most = 0;
      for (double& value : ray) {
        value = std::abs(value) <= ray_rounding ? 0.0 : sign * value;
        most = std::max(most, std::abs(value));
      }
      for (double& value : ray) value /= most;
      const std::vector<double> image = row_times(part.phi, ray);
      const bool allowed = std::all_of(ray.begin(), ray.end(), [](double value) { return value >= 0; }) &&
                           std::all_of(image.begin(), image.end(), [&](double w) { return w >= -slight * part.scale; });
      const bool moves = std::any_of(image.begin(), image.end(), [&](double w) { return w > slight * part.scale; });
      if (!allowed || !moves) continue;
      if (std::none_of(found.begin(), found.end(), [&](const auto& other) { return same(other, ray); })) {
        found.push_back(std::move(ray));
      }
    }
  });
  for (const std::vector<double>& x : found) out.rays.push_back(corner(all, part, x, true));
}

/// Is there a z with start + null z >= -slack in the components that count?
bool reaches_orthant(const std::vector<double>& start, const Matrix& null, const std::vector<std::uint8_t>& counts,
                     double slack) {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  for (std::size_t k = 0; k < start.size(); ++k) {
    if (counts[k] == 0) continue;
    if (null.columns == 0 && start[k] < -slack) return false;
    for (std::uint32_t c = 0; c < null.columns; ++c) {
      column.push_back(c);
      entry.push_back(-null(k, c));
    }
    begin.push_back(static_cast<std::uint32_t>(column.size()));
    h.push_back(-start[k] - slack);
  }
  if (null.columns == 0) return true;
  linear::Mass unit(std::vector<double>(null.columns, 1.0));
  static_cast<void>(unit.factor());
  const std::vector<double> zero(null.columns, 0.0);
  const std::vector<gauss::RowKind> kind(h.size(), gauss::RowKind::inequality);
  const gauss::Problem problem{&unit, zero, begin, column, entry, h, kind};
  gauss::Workspace workspace;
  gauss::Solution solution;
  gauss::solve(problem, {}, workspace, solution);
  return solution.status == gauss::Status::solved;
}

}  // namespace

Fourier fourier(const model::Model& model, const model::State& state) {
  Fourier out;
  out.instant = instant::accelerate(model, state);
  if (out.instant.status != instant::Status::determined || out.instant.singular) return out;
  std::size_t inequalities = 0;
  std::size_t rows = 0;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!out.instant.is_effective(row)) continue;
    ++rows;
    inequalities += model::is_equation(model.row_kind[row]) ? 0 : 1;
  }
  if (inequalities > Fourier::most_inequalities || rows > Fourier::most_rows) {
    out.listed = false;
    return out;
  }
  const Effective all = effective(model, state, out.instant);
  const Eliminated part = eliminate(all);
  const std::size_t m = part.inequality.size();
  if (m == 0) {
    out.vertices.push_back(corner(all, part, {}, false));
    out.unique = true;
    return out;
  }
  find_vertices(all, part, out);
  find_rays(all, part, out);
  out.unbounded = !out.rays.empty();

  // Where rows are dependent several vertices may have the same accelerations.
  out.unique = !out.unbounded && std::all_of(out.vertices.begin(), out.vertices.end(), [&](const Corner& one) {
    return same(one.accelerations, out.vertices.front().accelerations);
  });
  return out;
}

bool is_member(const model::Model& model, const model::State& state, const std::vector<double>& accelerations) {
  const instant::Instant instant = instant::accelerate(model, state);
  if (instant.status != instant::Status::determined || instant.singular) return false;
  const Effective all = effective(model, state, instant);
  const std::size_t r = all.rows.size();
  const std::size_t n = model.variables;

  // The conditions themselves.
  for (std::size_t s = 0; s < r; ++s) {
    double second = all.offset[s];
    double size = std::abs(all.offset[s]) + all.size[s];
    for (std::size_t i = 0; i < n; ++i) {
      second += all.j(s, i) * accelerations[i];
      size += std::abs(all.j(s, i) * accelerations[i]);
    }
    const bool holds = all.inequality[s] != 0 ? second <= slight * size : std::abs(second) <= slight * size;
    if (!holds) return false;
  }

  // The reaction M (a - a0) must be -J^T l with l >= 0 on the inequalities.
  std::vector<double> change(n);
  std::vector<double> reaction(n);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) change[i] = all.free[i] - accelerations[i];
  all.mass.multiply(change, reaction);
  std::vector<double> absolute(n);
  for (std::size_t i = 0; i < n; ++i) absolute[i] = std::abs(all.free[i]) + std::abs(accelerations[i]);
  std::vector<double> force(n);
  all.mass.multiply(absolute, force);
  for (const double x : force) size = std::max(size, std::abs(x));
  if (r == 0)
    return std::all_of(reaction.begin(), reaction.end(), [&](double x) { return std::abs(x) <= slight * size; });
  const Matrix transposed = linear::transpose(all.j);
  double residual = 0;
  const std::vector<double> start = linear::least_norm(transposed, reaction, &residual);
  if (residual > slight * size) return false;
  double most = 0;
  for (const double l : start) most = std::max(most, std::abs(l));
  const Matrix null = linear::null_space(transposed, no_direction);
  return reaches_orthant(start, null, all.inequality, slight * most);
}

}  // namespace zwang::analysis
