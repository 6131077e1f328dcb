/// Hubs taken apart, and the answer taken back to the variables given.
#include "zwang/gauss/hubs.hpp"

#include <algorithm>

#include "zwang/gauss/story.hpp"

namespace zwang::gauss {

bool Hubs::solve(const Problem& problem, const Options& options, Solution& solution, std::vector<Trial>* trials) {
  const linear::SparseRows rows{problem.start, problem.column, problem.entry};
  if (!split_.shape(rows, *problem.mass)) return false;
  split_.load(rows, *problem.mass);

  // Copies begin as what they are copies of; ties are equations, and exact.
  const std::size_t r = problem.r(), all = r + split_.ties();
  a0_.clear();
  for (const std::uint32_t variable : split_.original()) a0_.push_back(problem.a0[variable]);
  h_.assign(problem.h.begin(), problem.h.end());
  h_.resize(all, 0.0);
  kind_.assign(problem.kind.begin(), problem.kind.end());
  kind_.resize(all, RowKind::equation);
  h_bound_.assign(problem.h_bound.begin(), problem.h_bound.end());
  if (!h_bound_.empty()) h_bound_.resize(all, 0.0);
  entry_bound_.clear();
  if (!problem.entry_bound.empty()) {
    for (const std::uint32_t e : split_.source()) entry_bound_.push_back(problem.entry_bound[e]);
    entry_bound_.resize(split_.rows().entry.size(), 0.0);
  }
  const linear::SparseRows wide = split_.rows();
  Problem apart{&split_.mass(), a0_, wide.start, wide.column, wide.entry, h_, kind_};
  apart.h_bound = h_bound_;
  apart.entry_bound = entry_bound_;

  // Solve; the set of a problem with other rows says nothing.
  Options own = options;
  own.warm = options.warm && rows_ == r;
  tell(apart, own, face_, solution, trials);
  rows_ = r;
  if (trials != nullptr) {
    for (Trial& trial : *trials) {
      for (std::vector<std::uint32_t>* list : {&trial.rows, &trial.negative, &trial.violated}) {
        std::erase_if(*list, [&](std::uint32_t i) { return i >= r; });
      }
    }
  }
  return take_back(problem, options, solution);
}

bool Hubs::take_back(const Problem& problem, const Options& options, Solution& solution) {
  const std::size_t n = problem.n(), r = problem.r();
  if (solution.status == Status::gave_up) return false;
  if (solution.status == Status::infeasible) {
    solution.farkas.resize(r);
    solution.a.resize(n);
    solution.lambda.resize(r);
    solution.w.resize(r);
    solution.active.resize(r);
    return verify_farkas(problem, solution.farkas, face_.scratch());
  }

  // Every tie is held, or the set of rows is not one of independent rows.
  const auto first_tie = solution.active.begin() + static_cast<std::ptrdiff_t>(r);
  if (std::find(first_tie, solution.active.end(), std::uint8_t{0}) != solution.active.end()) return false;
  solution.rank -= split_.ties();
  solution.active.resize(r);
  solution.lambda.resize(r);
  solution.a.resize(n);
  solution.w.resize(r);
  if (!solution.lambda_low.empty()) solution.lambda_low.resize(r);

  // The motion from the multipliers, but where these have more digits than doubles: there the copies themselves have it.
  if (solution.lambda_low.empty()) {
    std::fill(solution.a.begin(), solution.a.end(), 0.0);
    for (std::size_t i = 0; i < r; ++i) {
      if (solution.lambda[i] == 0) continue;
      for (std::uint32_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
        solution.a[problem.column[e]] += problem.entry[e] * solution.lambda[i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) solution.a[i] = problem.a0[i] - solution.a[i] / problem.mass->diagonal()[i];
  }
  for (std::size_t i = 0; i < r; ++i) {
    double value = problem.h[i];
    for (std::uint32_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      value += problem.entry[e] * solution.a[problem.column[e]];
    }
    solution.w[i] = value;
  }
  std::span<const double> low;
  if (options.long_multipliers) low = solution.lambda_low;
  return certified(verify(problem, solution.a, solution.lambda, face_.scratch(), low));
}

}  // namespace zwang::gauss
