/// An instant in exact arithmetic, as JSON and as tables: all numbers are fractions.
#pragma once

#include <string>

#include "zwang/instant/exactly.hpp"
#include "zwang/report/table.hpp"

namespace zwang::report {

/// The keys of `accelerate`, each number a fraction in a string.
[[nodiscard]] std::string exact_json(const model::Model& model, const instant::ExactInstant& instant);
[[nodiscard]] std::string exact_text(const model::Model& model, const instant::ExactInstant& instant, const Style& s);

}  // namespace zwang::report
