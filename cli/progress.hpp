/// A line on the terminal that says how far a run is, and is gone when it ends.
#pragma once

#include <chrono>

#include "zwang/model/model.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::cli {

class ProgressLine {
 public:
  /// Shown only if wanted and standard error is a terminal.
  ProgressLine(const model::Model& model, bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Redraws at most ten times a second.
  void show(const runs::Progress& progress);

 private:
  double start_;
  double until_;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace zwang::cli
