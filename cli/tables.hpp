/// The tables that several sub-commands print.
#pragma once

#include <string>
#include <vector>

#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/model.hpp"

namespace zwang::cli {

[[nodiscard]] std::string heading(const model::Model& model, double time);

/// Bodies with several vectors side by side: {"free", values}, ...
struct Column {
  std::string title;
  const std::vector<double>* values = nullptr;
};
[[nodiscard]] std::string body_table(const model::Model& model, const std::vector<Column>& columns);

/// Conditions with kind, f, f', f'', lambda and role; the last two only when accelerations are known.
[[nodiscard]] std::string condition_table(const model::Model& model, const instant::Instant& instant, bool determined);
[[nodiscard]] std::string shock_table(const model::Model& model, const instant::Shock& shock);
[[nodiscard]] std::string energy_line(const instant::ShockEnergy& energy);
[[nodiscard]] std::string certificate_line(const gauss::Certificate& certificate);

/// Names of rows, by number in the model.
[[nodiscard]] std::vector<std::string> names(const model::Model& model, const std::vector<std::uint32_t>& rows);

/// One sentence for a status that is no answer: which condition, by how much.
[[nodiscard]] std::string trouble(const model::Model& model, const instant::Instant& instant);
[[nodiscard]] std::string trouble(const model::Model& model, const instant::Shock& shock);

/// "1 step", "2 steps".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);

[[nodiscard]] int exit_status(instant::Status status);
[[nodiscard]] int exit_status(instant::ShockStatus status);

}  // namespace zwang::cli
