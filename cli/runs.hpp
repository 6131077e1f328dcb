/// Runs as several sub-commands make them: from MODEL and the options to a run file.
#pragma once

#include <string>

#include "request.hpp"
#include "zwang/report/run.hpp"
#include "zwang/runs/life.hpp"

namespace zwang::cli {

/// A run to be made or gone on with, and what was done to its text.
struct Task : runs::Task {
  report::Replacements replaced;  ///< conditions held as integrals
};

/// `name` is the file's, without ending; empty: that of the model.
[[nodiscard]] Task new_task(const Request& request, const std::string& name = "");

/// The folder of the files.
[[nodiscard]] std::string folder(const Request& request);

/// On to the end, with a line of progress; signals interrupt it.
void compute(const Request& request, const Task& task, runs::Store& store);

}  // namespace zwang::cli
