/// The table of a sweep as pictures: how often, against each parameter, over two of them.
#pragma once

#include <string>

namespace zwang::cli {

/// Writes one page of figures, without any script, beside the sweep file or below a folder; its name.
[[nodiscard]] std::string write_sweep_page(const std::string& sweep_file, const std::string& folder);

}  // namespace zwang::cli
