/// Solve the nearest-point problem: choose the backend by size and tell the story with it.
#include "zwang/gauss/solve.hpp"

#include "zwang/gauss/dense_face.hpp"
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

}  // namespace

struct Workspace::Impl {
  DenseFace dense;
  SparseFace sparse;
};

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
           std::vector<Trial>* trials) {
  if (is_dense(problem, options)) {
    tell(problem, options, workspace.impl().dense, solution, trials);
  } else {
    tell(problem, options, workspace.impl().sparse, solution, trials);
  }
}

}  // namespace zwang::gauss
