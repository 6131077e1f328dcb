/// The library's tables in the colours of the terminal.
#pragma once

#include <string>
#include <vector>

#include "terminal.hpp"
#include "zwang/report/tables.hpp"

namespace zwang::cli {

using report::certificate_line;
using report::Column;
using report::energy_line;
using report::names;

[[nodiscard]] inline std::string heading(const model::Model& model, double time) {
  return report::heading(model, time, style());
}
[[nodiscard]] inline std::string body_table(const model::Model& model, const std::vector<Column>& columns) {
  return report::body_table(model, columns, style());
}
[[nodiscard]] inline std::string condition_table(const model::Model& model, const instant::Instant& instant,
                                                 bool determined) {
  return report::condition_table(model, instant, determined, style());
}
[[nodiscard]] inline std::string shock_table(const model::Model& model, const instant::Shock& shock) {
  return report::shock_table(model, shock, style());
}
[[nodiscard]] inline std::string trouble(const model::Model& model, const instant::Instant& instant) {
  return report::trouble(model, instant, style());
}
[[nodiscard]] inline std::string trouble(const model::Model& model, const instant::Shock& shock) {
  return report::trouble(model, shock, style());
}

}  // namespace zwang::cli
