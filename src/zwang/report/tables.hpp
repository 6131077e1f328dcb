/// The states of bodies, conditions and shocks as tables and sentences, for the commands and for the story of `explain`.
#pragma once

#include <string>
#include <vector>

#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/model.hpp"
#include "zwang/report/table.hpp"

namespace zwang::report {

[[nodiscard]] std::string heading(const model::Model& model, double time, const Style& s);

/// Bodies with several vectors side by side: {"free", values}, ...
struct Column {
  std::string title;
  const std::vector<double>* values = nullptr;
  const std::vector<double>* position = nullptr;  ///< where the bodies are; none: the variables are shown as they are
  model::Sort sort = model::Sort::velocity;
};
[[nodiscard]] std::string body_table(const model::Model& model, const std::vector<Column>& columns, const Style& s);

/// Conditions with kind, f, f', f'', lambda and role; the last two only when accelerations are known.
[[nodiscard]] std::string condition_table(const model::Model& model, const instant::Instant& instant, bool determined,
                                          const Style& s);
[[nodiscard]] std::string shock_table(const model::Model& model, const instant::Shock& shock, const Style& s);
/// "- 0.5 lost", or "+ 0.5 gained": shocks with different restitutions may gain some; beside `all` rounding gains nothing.
[[nodiscard]] std::string lost_words(double lost, double all);
[[nodiscard]] std::string energy_line(const instant::ShockEnergy& energy);
[[nodiscard]] std::string certificate_line(const gauss::Certificate& certificate);

/// Names of rows, by number in the model.
[[nodiscard]] std::vector<std::string> names(const model::Model& model, const std::vector<std::uint32_t>& rows);

/// One sentence for a status that is no answer: which condition, by how much.
[[nodiscard]] std::string trouble(const model::Model& model, const instant::Instant& instant, const Style& s);
[[nodiscard]] std::string trouble(const model::Model& model, const instant::Shock& shock, const Style& s);

}  // namespace zwang::report
