/// The table of a sweep as a page: charts that are brushed, and the way from a sample to its motion.
#pragma once

#include <string>

namespace zwang::cli {

/// Writes the page beside the sweep file or below a folder; its name. Where there is a living page, a copy with the model's text goes beside it: there the motions
/// of samples are computed. Without Node.js at build time the page has figures alone.
[[nodiscard]] std::string write_sweep_page(const std::string& sweep_file, const std::string& folder);

}  // namespace zwang::cli
