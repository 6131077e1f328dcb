/// Solve the nearest-point problem: choose the backend by size and tell the story with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/vectors.hpp"
#include "zwang/gauss.hpp"
#include "zwang/gauss/decide.hpp"
#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/hubs.hpp"
#include "zwang/gauss/light.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/gauss/story.hpp"

namespace zwang::gauss {
namespace {

/// Few rows, or rows so full, or crossing each other so often, that their dual matrix has no zeros worth looking for: a row of e / r
/// entries meets about (e / r) (e / n) others.
bool is_dense(const Problem& problem, const Options& options) {
  const std::size_t n = problem.n(), r = problem.r();
  if (r < options.dense_below) return true;
  const std::size_t entries = problem.start[r] - problem.start[0];
  const auto e = static_cast<double>(entries), rows = static_cast<double>(r);
  return 4 * entries >= n * r || 4 * e * e >= static_cast<double>(n) * rows * rows;
}

bool all_bounds(std::span<const double> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x) && x >= 0; });
}

}  // namespace

std::string_view words(RowKind kind) { return kind == RowKind::equation ? "equation" : "inequality"; }

std::string_view words(Status status) {
  switch (status) {
    case Status::solved: return "solved";
    case Status::infeasible: return "infeasible";
    case Status::gave_up: return "gave up";
  }
  return "";
}

std::string Problem::check() const {
  if (mass == nullptr) return "mass: there is none";
  if (mass->size() != n()) return fmt::format("mass: it has {} variables and a0 has {}", mass->size(), n());
  if (kind.size() != r()) return fmt::format("kind: {} are given for {} rows", kind.size(), r());
  if (start.size() != r() + 1) return fmt::format("start: {} are given, {} rows need {}", start.size(), r(), r() + 1);
  if (column.size() != entry.size()) {
    return fmt::format("column: {} are given for {} entries", column.size(), entry.size());
  }
  if (start[r()] > entry.size()) return fmt::format("start: row {} ends beyond the last entry", r() - 1);
  for (std::size_t i = 0; i < r(); ++i) {
    if (start[i] > start[i + 1]) return fmt::format("start: row {} ends before it begins", i);
    for (std::size_t k = start[i]; k < start[i + 1]; ++k) {
      if (column[k] >= n()) return fmt::format("column: row {} has an entry in column {} of {}", i, column[k], n());
      if (k > start[i] && column[k] <= column[k - 1]) return fmt::format("column: those of row {} do not ascend", i);
    }
  }
  if (!h_bound.empty() && h_bound.size() != r()) {
    return fmt::format("h_bound: {} are given for {} rows", h_bound.size(), r());
  }
  if (!entry_bound.empty() && entry_bound.size() != entry.size()) {
    return fmt::format("entry_bound: {} are given for {} entries", entry_bound.size(), entry.size());
  }
  if (!all_finite(a0)) return "a0: a number is not finite";
  if (!all_finite(entry)) return "entry: a number is not finite";
  if (!all_finite(h)) return "h: a number is not finite";
  if (!all_bounds(h_bound)) return "h_bound: a number is negative or not finite";
  if (!all_bounds(entry_bound)) return "entry_bound: a number is negative or not finite";
  return {};
}

struct Workspace::Impl {
  DenseFace dense;
  SparseFace sparse;
  Hubs hubs;
  Light light;
};

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
           std::vector<Trial>* trials) {
  solution.raised.clear();
  Workspace::Impl& impl = *workspace.impl_;
  const bool light = impl.light.find(problem);
  if (is_dense(problem, options)) {
    tell(problem, options, impl.dense, solution, trials);
    // Where doubles cannot decide.
    if (options.exact_numbers && options.most_rounds == 0 && may_decide(problem)) {
      DenseFace& face = impl.dense;
      if (solution.status != Status::solved || face.weak() || in_doubt(problem, solution, face.scratch())) {
        decide(problem, options, solution);
        return;  // with what fractions say, or leave as it is: nothing in doubles makes it better
      }
    }
  } else {
    // Of many rows the set is found with masses that are alike, unless every round is to be told.
    const auto find = [&](const Problem& one) {
      if (!impl.hubs.solve(one, options, solution, trials)) tell(one, options, impl.sparse, solution, trials);
    };
    if (light && trials == nullptr) {
      Problem raised = problem;
      raised.mass = &impl.light.raised();
      raised.a0 = impl.light.free();
      find(raised);
      if (solution.status == Status::solved && impl.light.solve(problem, solution)) return;
    }
    find(problem);
  }
  // A light variable whose motion is a small difference of large numbers: once more, directly.
  if (light && solution.status == Status::solved && impl.light.counts(problem, solution)) {
    static_cast<void>(impl.light.solve(problem, solution));
  }
}

}  // namespace zwang::gauss
