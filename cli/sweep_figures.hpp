/// The table of a sweep as figures: how often, against each parameter, over two of them.
#pragma once

#include <string>

#include "zwang/sweeps/table.hpp"

namespace zwang::cli {

/// Writes one page of figures, without any script.
void write_sweep_figures(const sweeps::Table& table, const std::string& name, const std::string& title);

}  // namespace zwang::cli
