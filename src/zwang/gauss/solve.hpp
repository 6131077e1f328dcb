/// Solve the nearest-point problem: a warm-started dual active-set method that ends always and allocates never.
#pragma once

#include <memory>
#include <vector>

#include "zwang/gauss/problem.hpp"

namespace zwang::gauss {

/// Memory that solve works in and keeps between calls (the last active set, factors, patterns). Sized on first use;
/// later calls with sizes not larger allocate nothing.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  struct Impl;
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// `solution`'s vectors are resized to fit and reused. With `trials`, every round is recorded (allocates; for `explain`).
void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
           std::vector<Trial>* trials = nullptr);

}  // namespace zwang::gauss
