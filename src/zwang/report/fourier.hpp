/// The answers of `analyze fourier` and `analyze curvature` as JSON.
#pragma once

#include <optional>
#include <string>

#include "zwang/analysis/curvature.hpp"
#include "zwang/analysis/fourier.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

/// `member`: the verdict on accelerations that were asked about.
[[nodiscard]] std::string fourier_json(const model::Model& model, const analysis::Fourier& fourier,
                                       std::optional<bool> member);
/// "a", "bead[3]", "box", "box.corner".
[[nodiscard]] std::string path_name(const model::Model& model, const analysis::PathOfPoint& path);
[[nodiscard]] std::string curvature_json(const model::Model& model, const analysis::Curvature& curvature);

}  // namespace zwang::report
