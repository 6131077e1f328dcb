/// The answer of `compare` as JSON, and its distances as CSV.
#pragma once

#include <string>
#include <vector>

#include "zwang/analysis/compare.hpp"
#include "zwang/report/run.hpp"

namespace zwang::report {

/// One of the two runs: its model (with its law), the run, and what was written for it.
struct ComparedRun {
  const model::Model* model = nullptr;
  motion::RunView view;
  std::vector<std::string> files;
};

void compare_json(const ComparedRun& straightest, const ComparedRun& variational,
                  const analysis::Equivalence& equivalence, const std::vector<analysis::Apart>& distance,
                  const std::vector<double>& sample_at, const Sink& sink);

/// time, distance; one line each.
void distance_csv(const std::vector<analysis::Apart>& distance, const Sink& sink);

}  // namespace zwang::report
