/// Animated reports and figures beside run files, and the browser that shows them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/report/page.hpp"
#include "zwang/runs/store.hpp"

namespace zwang::cli {

/// Writes the report as a whole or not at all: readers never see half a file. Throws Error when that is impossible.
void write_report(const std::string& file, std::span<const report::PageRun> runs,
                  const report::PageOptions& options = {});

/// The same for a run that must not be lost on its account: a trouble is told on standard error, and nothing is listed.
void leave_report(const std::string& file, std::span<const report::PageRun> runs, std::vector<std::string>& files,
                  const report::PageOptions& options = {});

/// The report's name: that of the run file with another ending.
[[nodiscard]] std::string report_name(const std::string& run_file);

/// Figures beside the run file; their names. `projection` is as it was typed: from where space is seen.
[[nodiscard]] std::vector<std::string> write_figures(const std::string& projection, const model::Model& model,
                                                     const runs::Store& store);

/// Shows a file in the browser of $BROWSER or of the system. False if there is none.
[[nodiscard]] bool open_in_browser(const std::string& file);

}  // namespace zwang::cli
