/// Solve the nearest-point problem: choose the backend by size and tell the story with it.
#include "zwang/gauss/solve.hpp"

#include "zwang/gauss/dense_face.hpp"
#include "zwang/gauss/story.hpp"

namespace zwang::gauss {

struct Workspace::Impl {
  DenseFace dense;
};

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
           std::vector<Trial>* trials) {
  tell(problem, options, workspace.impl().dense, solution, trials);
}

}  // namespace zwang::gauss
