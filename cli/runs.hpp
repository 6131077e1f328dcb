/// Runs as several sub-commands make them: from MODEL and the options to a run file.
#pragma once

#include <string>

#include "question.hpp"
#include "zwang/report/run.hpp"
#include "zwang/runs/life.hpp"

namespace zwang::cli {

/// A run to be made or gone on with, and what was done to its text.
struct Task : runs::Task {
  report::Replacements replaced;  ///< conditions held as integrals
};

/// How runs are made: where their files go, how often they are kept, what is told meanwhile.
struct Manner {
  std::string folder = "out";
  double checkpoint = 2;       ///< seconds between two checkpoints
  unsigned threads = 1;        ///< of a crowd
  bool use_integrals = false;  ///< hold conditions that integrate as equations between positions
  bool quiet = false;          ///< no progress
  runs::Engine engine = runs::Engine::as_suits;
};

/// `name` is the file's, without ending; empty: that of the model.
[[nodiscard]] Task new_task(const Question& question, const Manner& manner, const std::string& name = "");

/// On to the end, with a line of progress; signals interrupt it.
void compute(Task& task, const Manner& manner, runs::Store& store);

}  // namespace zwang::cli
