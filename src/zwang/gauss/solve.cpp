/// Solve the nearest-point problem: choose the backend by size and tell the story with it.
#include "zwang/gauss/solve.hpp"

#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/sparse_face.hpp"
#include "zwang/gauss/story.hpp"

namespace zwang::gauss {
namespace {

/// Few rows, or rows so full that their dual matrix has no zeros worth looking for.
bool is_dense(const Problem& problem, const Options& options) {
  const std::size_t n = problem.n(), r = problem.r();
  if (r < options.dense_below) return true;
  const std::size_t entries = problem.start[r] - problem.start[0];
  return 4 * entries >= n * r;
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
