/// Integrals in the places of conditions: which ones make which superfluous, and the text with them.
#include "zwang/analysis/with_integrals.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/integrability.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/model/draft.hpp"

namespace zwang::analysis {

using expressions::Expr;

namespace {

/// Byte of a position in a text (columns count characters).
std::size_t byte_of(std::string_view text, model::Position position) {
  std::size_t byte = 0;
  for (std::uint32_t line = 1; line < position.line; ++line) byte = text.find('\n', byte) + 1;
  for (std::uint32_t column = 1; column < position.column; ++column) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0U) == 0x80U) ++byte;
  }
  return byte;
}

/// Past the quoted text that opens at `begin`.
std::size_t end_of_quotes(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string triple(3, quote);
  const std::size_t marks = text.substr(begin, 3) == triple ? 3 : 1;
  const std::string closing(marks, quote);
  std::size_t at = begin + marks;
  while (at < text.size() && text.substr(at, marks) != closing) at += quote == '"' && text[at] == '\\' ? 2 : 1;
  return std::min(at + marks, text.size());
}

}  // namespace

Rewritten with_integrals(const model::Draft& draft, const model::Model& model, const model::State& state) {
  Rewritten out;
  out.text = draft.content().source.text();
  const PfaffianSystem system = pfaffian_system(draft, model, state);
  IntegrabilityOptions options;
  options.at_state = false;
  const Integrability found = integrability(draft, model, state, options);

  // Integrals that are not written already and exist at the state.
  std::vector<const Integral*> integrals;
  for (const Integral& integral : found.integrals) {
    const bool finite = std::isfinite(integral.value) && std::all_of(integral.gradient.begin(), integral.gradient.end(),
                                                                     [](double x) { return std::isfinite(x); });
    if (!integral.written && finite) integrals.push_back(&integral);
  }
  if (integrals.empty()) return out;
  std::vector<Level> levels;
  for (const Expr f : system.holonomic) levels.push_back({f, 0});
  std::vector<double> here;
  for (const PfaffianSystem::Column& column : system.columns) here.push_back(column.value);
  const Restriction restriction(system, levels);
  const auto rows = restriction.rows_at(here);
  if (!rows) return out;
  const std::size_t n = system.columns.size();
  const std::size_t first = system.holonomic.size();

  // An orthonormal basis of what is spanned: what stays in any case, integrals, then conditions as they are needed.
  // Single conditions under [constraints] and the straightest law can be replaced.
  std::vector<std::vector<double>> basis;
  const auto enters = [&](std::vector<double> row) {
    double before = 0;
    for (const double x : row) before += x * x;
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto& b : basis) {
        double along = 0;
        for (std::size_t i = 0; i < n; ++i) along += b[i] * row[i];
        for (std::size_t i = 0; i < n; ++i) row[i] -= along * b[i];
      }
    }
    double left = 0;
    for (const double x : row) left += x * x;
    if (before == 0 || left <= no_angle_squared * before) return false;
    for (double& x : row) x /= std::sqrt(left);
    basis.push_back(std::move(row));
    return true;
  };
  const auto replaceable = [&](std::size_t f) {
    const std::uint32_t row = system.pfaffian_row[f];
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    return !condition.seizure && condition.rows == 1 && condition.law == model::Law::straightest;
  };
  for (std::size_t j = 0; j < first; ++j) (void)enters((*rows)[j]);
  for (std::size_t f = 0; f < system.pfaffian.size(); ++f) {
    if (!replaceable(f)) (void)enters((*rows)[first + f]);
  }
  std::vector<const Integral*> used;
  for (const Integral* integral : integrals) {
    std::vector<double> row;
    for (std::size_t c = 0; c < n; ++c) row.push_back(integral->gradient[c] * system.columns[c].unit);
    if (enters(row)) used.push_back(integral);
  }
  // What follows from all that stays may go.
  std::vector<std::size_t> superfluous;
  for (std::size_t f = 0; f < system.pfaffian.size(); ++f) {
    if (replaceable(f) && !enters((*rows)[first + f])) superfluous.push_back(f);
  }

  // Each of them makes room for an integral; the texts change from the end to the beginning.
  struct Change {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Change> changes;
  const model::Value* table = draft.content().root.find("constraints");
  for (std::size_t k = 0; k < std::min(superfluous.size(), used.size()); ++k) {
    const model::Condition& condition = model.conditions[model.row_condition[system.pfaffian_row[superfluous[k]]]];
    const model::Value* value = table == nullptr ? nullptr : table->find(condition.name);
    if (value != nullptr && value->kind == model::ValueKind::table) value = value->find("condition");
    if (value == nullptr) continue;
    const std::string equation = used[k]->text + " = " + exact(used[k]->value);
    const std::size_t begin = byte_of(out.text, value->place);
    changes.push_back({begin, end_of_quotes(out.text, begin), "\"" + toml_escaped(equation) + "\""});
    out.replaced.emplace_back(condition.name, equation);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.begin > b.begin; });
  for (const Change& change : changes) out.text.replace(change.begin, change.end - change.begin, change.text);
  return out;
}

}  // namespace zwang::analysis
