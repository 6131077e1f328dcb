/// Values measured, read from a table, and what a fit to them answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/sensitivity/fit.hpp"

namespace zwang::report {

/// A table with commas: `t` first or anywhere, then outputs of the model; empty cells were not measured; lines that begin with # are remarks. Times need
/// not ascend. Throws Error with line and column.
[[nodiscard]] sensitivity::Measured read_measured(std::string_view text, const std::string& file);

/// `files`: what was written beside the answer.
[[nodiscard]] std::string fit_json(const model::Model& model, const sensitivity::Measured& measured,
                                   const sensitivity::Fit& fit, const std::vector<std::string>& files = {});

}  // namespace zwang::report
