/// Where doubles cannot decide, fractions do.
#include "zwang/gauss/decide.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/rational/nearest.hpp"

namespace zwang::gauss {

namespace {

using rational::Number;

rational::Problem in_fractions(const Problem& problem) {
  rational::Problem out;
  const Mass& mass = *problem.mass;
  for (std::uint32_t j = 0; j < problem.n(); ++j) {
    out.a0.push_back(Number::of(problem.a0[j]));
    if (mass.block_of(j) < 0) out.mass.push_back({{j}, {Number::of(mass.diagonal()[j])}});
  }
  for (const Mass::Block& block : mass.blocks()) {
    rational::MassBlock one{block.variables, {}};
    for (const double entry : block.entries) one.entries.push_back(Number::of(entry));
    out.mass.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < problem.r(); ++i) {
    rational::Row row{{}, Number::of(problem.h[i]), problem.kind[i] == RowKind::equation};
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      if (problem.entry[e] != 0) row.entries.emplace_back(problem.column[e], Number::of(problem.entry[e]));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Is the point so far away that only rounding of the entries can have made it? On the scale of the rows that contradict each other.
bool beyond_reach(const Problem& problem, const Solution& solution, const std::vector<Number>& a) {
  const std::span<const double> mass = problem.mass->diagonal();
  double size = 0, extent = 0;
  for (std::size_t i = 0; i < problem.r(); ++i) {
    if (solution.farkas[i] == 0) continue;
    double square = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      square += problem.entry[e] / mass[problem.column[e]] * problem.entry[e];
    }
    if (square > 0) size = std::max(size, std::abs(problem.h[i]) / std::sqrt(square));
  }
  for (std::size_t j = 0; j < problem.n(); ++j) {
    extent = std::max(extent, std::sqrt(mass[j]) * std::abs(a[j].approximate()));
  }
  return !(extent <= reach * size);
}

/// The exact answer in doubles. What lambda holds beyond them is kept where it counts, for those who read it.
void take(const Problem& problem, const Options& options, const rational::Answer& answer, Solution& solution) {
  const std::size_t n = problem.n(), r = problem.r();
  Solution out;
  out.rounds = solution.rounds + answer.changes + 1;
  out.rank = answer.held.size();
  out.active.assign(r, 0);
  for (const std::uint32_t row : answer.held) out.active[row] = 1;
  for (std::size_t j = 0; j < n; ++j) out.a.push_back(answer.a[j].approximate());
  for (std::size_t i = 0; i < r; ++i) {
    out.w.push_back(answer.w[i].approximate());
    out.lambda.push_back(answer.lambda[i].approximate());
    out.lambda_low.push_back(std::isfinite(out.lambda[i]) ? (answer.lambda[i] - Number::of(out.lambda[i])).approximate()
                                                          : 0.0);
  }
  std::vector<double> scratch;
  const bool finite = all_finite(out.a) && all_finite(out.lambda) && all_finite(out.w);
  const Certificate plain = finite ? verify(problem, out.a, out.lambda, scratch) : Certificate{};
  const bool enough = finite && certified(plain) && plain.worst() <= gap_bound;
  if (enough || !options.long_multipliers) out.lambda_low.clear();
  const bool stands =
      finite && certified(out.lambda_low.empty() ? plain : verify(problem, out.a, out.lambda, scratch, out.lambda_low));
  out.status = stands ? Status::solved : Status::gave_up;
  solution = std::move(out);
}

}  // namespace

bool may_decide(const Problem& problem) {
  return problem.n() <= most_exact_variables && problem.r() <= most_exact_rows && problem.h_bound.empty() &&
         problem.entry_bound.empty() && all_finite(problem.a0) && all_finite(problem.entry) && all_finite(problem.h);
}

bool in_doubt(const Problem& problem, const Solution& solution, std::vector<double>& scratch) {
  const std::size_t n = problem.n(), r = problem.r();
  scratch.assign(3 * n, 0.0);
  const auto part = [&](std::size_t k) { return std::span<double>(scratch.data() + k * n, n); };
  const std::span<double> force = part(0), push = part(1), terms = part(2);
  const std::span<const double> mass = problem.mass->diagonal();

  // J^T lambda, its terms, and the terms of a.
  for (std::size_t i = 0; i < r; ++i) {
    if (solution.lambda[i] == 0) continue;
    const double low = solution.lambda_low.empty() ? 0.0 : solution.lambda_low[i];
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const double one = solution.lambda[i] * problem.entry[e];
      force[problem.column[e]] += one + low * problem.entry[e];
      push[problem.column[e]] += std::abs(one);
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    terms[j] = std::abs(solution.a[j]) + std::abs(problem.a0[j]) + push[j] / mass[j];
    // Every equation of motion, on its own scale; those of a block are solved together and have one.
    if (problem.mass->block_of(static_cast<std::uint32_t>(j)) >= 0) continue;
    const double off = mass[j] * (solution.a[j] - problem.a0[j]) + force[j];
    if (!(std::abs(off) <= row_rounding * mass[j] * terms[j])) return true;
  }
  for (const Mass::Block& block : problem.mass->blocks()) {
    double largest = 0;
    for (const std::uint32_t j : block.variables) largest = std::max(largest, std::sqrt(mass[j]) * terms[j]);
    for (const std::uint32_t j : block.variables) terms[j] = largest / std::sqrt(mass[j]);
  }

  // Every row, on its own scale: those held vanish, those beside the set are open by more than rounding, or they may belong to it.
  for (std::size_t i = 0; i < r; ++i) {
    double w = problem.h[i], all = std::abs(problem.h[i]);
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      const std::uint32_t j = problem.column[e];
      w += problem.entry[e] * solution.a[j];
      all += std::abs(problem.entry[e]) * terms[j];
    }
    const double rounding = row_rounding * all;
    const bool open = problem.kind[i] == RowKind::inequality && (w < -rounding || all == 0);
    if (solution.active[i] != 0 ? !(std::abs(w) <= rounding) : !open) return true;
  }
  return false;
}

void decide(const Problem& problem, const Options& options, Solution& solution) {
  std::vector<std::uint32_t> start;
  const bool jam = solution.status == Status::infeasible;
  for (std::uint32_t i = 0; i < problem.r() && solution.active.size() == problem.r(); ++i) {
    if (jam ? solution.farkas[i] != 0 : solution.active[i] != 0) start.push_back(i);
  }
  const rational::Answer answer = rational::nearest_point(in_fractions(problem), start);
  if (answer.verdict == rational::Verdict::nearest) {
    if (jam && beyond_reach(problem, solution, answer.a)) return;
    take(problem, options, answer, solution);
    return;
  }
  if (answer.verdict == rational::Verdict::no_metric || jam) return;

  // A contradiction, if it is one for all problems within the bounds; the largest entry of its proof is one.
  Number largest;
  for (const Number& y : answer.farkas) largest = std::max(largest, y.sign() < 0 ? -y : y);
  std::vector<double> farkas;
  for (const Number& y : answer.farkas) farkas.push_back((y / largest).approximate());
  if (!verify_farkas(problem, farkas)) return;
  solution.status = Status::infeasible;
  solution.farkas = std::move(farkas);
}

bool may_prove(const Problem& problem, std::span<const double> y) {
  std::size_t rows = 0, entries = 0;
  for (std::size_t i = 0; i < problem.r(); ++i) {
    if (y[i] == 0) continue;
    ++rows;
    entries += problem.start[i + 1] - problem.start[i];
  }
  return rows <= most_exact_rows && entries <= most_exact_rows * most_exact_variables;
}

bool contradictory_in_fractions(const Problem& problem, std::span<const double> y) {
  // Those with the largest parts first: they are to follow from the others. Columns are those that appear.
  const std::span<const double> mass = problem.mass->diagonal();
  std::vector<std::pair<double, std::uint32_t>> order;
  std::vector<std::uint32_t> columns;
  for (std::uint32_t i = 0; i < problem.r(); ++i) {
    if (y[i] == 0) continue;
    double part = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      columns.push_back(problem.column[e]);
      part = std::max(part, std::abs(y[i] * problem.entry[e]) / std::sqrt(mass[problem.column[e]]));
    }
    order.emplace_back(-part, i);
  }
  std::sort(order.begin(), order.end());
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::vector<rational::Row> rows;
  std::vector<Number> z;
  for (const auto& [part, i] : order) {
    rational::Row row{{}, Number::of(problem.h[i]), problem.kind[i] == RowKind::equation};
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      if (problem.entry[e] == 0) continue;
      const auto place = std::lower_bound(columns.begin(), columns.end(), problem.column[e]) - columns.begin();
      row.entries.emplace_back(static_cast<std::uint32_t>(place), Number::of(problem.entry[e]));
    }
    rows.push_back(std::move(row));
    z.emplace_back();
  }

  // J_row = sum c_k J_k: where row keeps its y, k takes -c_k of it.
  for (const rational::Dependence& one : rational::dependences(rows, columns.size())) {
    const Number kept = Number::of(y[order[one.row].second]);
    z[one.row] += kept;
    for (const auto& [k, c] : one.combination) z[k] -= kept * c;
  }
  Number offset;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    const std::uint32_t i = order[q].second;
    if (!rows[q].equation && z[q].sign() < 0) return false;
    const double known = problem.h_bound.empty() ? offset_rounding * std::abs(problem.h[i]) : problem.h_bound[i];
    offset += z[q] * rows[q].h - (z[q].sign() < 0 ? -z[q] : z[q]) * Number::of(known);
  }
  return offset.sign() > 0;
}

}  // namespace zwang::gauss
