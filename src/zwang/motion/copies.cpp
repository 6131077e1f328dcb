/// Conditions that are the same function up to a constant factor, found by their formulas over a finite field.
#include "zwang/motion/copies.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/residues.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using instant::Residue;

namespace {

/// Roundings of the terms of two conditions that are multiples of one another: constants written apart, 0.3 and 3 * 0.1, and the quotient.
constexpr double roundings_of_copies = 16;

/// Can this row be a copy, or have one? Joints are followed as a whole, corners and what `or` joins have sides of their own.
bool can_be(const model::Model& model, const std::vector<std::uint8_t>& generated, std::uint32_t row) {
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  return !condition.seizure && !condition.implied && condition.alternatives < 2 && model.row_twin[row] == row &&
         model.groups[model.row_group[row]].modes == 0 && !model::is_variational(model, row) &&
         generated[model.row_condition[row]] == 0;
}

/// Rows whose gradients have the same places, and of one kind of function.
using Place = std::pair<bool, std::vector<std::uint32_t>>;

std::map<Place, std::vector<std::uint32_t>> by_place(const model::Model& model) {
  std::map<Place, std::vector<std::uint32_t>> out;
  std::vector<std::uint8_t> generated(model.conditions.size(), 0);
  for (const model::Generated& one : model.generated) {
    if (one.of.empty() && one.condition < generated.size()) generated[one.condition] = 1;
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!can_be(model, generated, row)) continue;
    const auto column = model.row_column.begin();
    out[{model::is_holonomic(model.row_kind[row]), {column + model.row_start[row], column + model.row_start[row + 1]}}]
        .push_back(row);
  }
  return out;
}

/// The factor of a function whose formula is that of another up to a factor and a constant; 0 if the constant differs, or if it cannot be told
/// at the start.
double factor_of(const model::Model& model, const model::Rows& rows, std::uint32_t first, std::uint32_t row) {
  const std::uint32_t count = model.row_start[first + 1] - model.row_start[first];
  const double* g = rows.entry.data() + model.row_start[first];
  const double* of_row = rows.entry.data() + model.row_start[row];
  std::uint32_t most = 0;
  for (std::uint32_t e = 1; e < count; ++e) most = std::abs(g[e]) > std::abs(g[most]) ? e : most;
  const double factor = of_row[most] / g[most];
  if (!std::isfinite(factor) || factor == 0) return 0;
  const double off = rows.value[row] - factor * rows.value[first];
  const double size = rows.value_scale[row] + std::abs(factor) * rows.value_scale[first];
  return std::abs(off) <= roundings_of_copies * unit_rounding * size ? factor : 0.0;
}

}  // namespace

Copies::Copies(const model::Model& model) : model_(model) {
  if (model.flow || model.rows() < 2) return;
  model::Rows rows;
  model::Scratch scratch;
  const model::State start = model::initial_state(model);
  std::vector<Residue> registers;
  std::map<std::uint32_t, expressions::Tape> values;
  for (const auto& [place, together] : by_place(model)) {
    if (together.size() < 2) continue;
    std::map<Residue, std::vector<std::uint32_t>> same;
    for (const std::uint32_t row : together) {
      const std::uint32_t group = model.row_group[row];
      auto tape = values.find(group);
      if (tape == values.end()) {
        constexpr std::uint32_t first_output[] = {0};
        tape = values.emplace(group, expressions::part(model.groups[group].tape, first_output)).first;
      }
      const model::Slotted& slots = model.groups[group];
      const auto at = [&](Residue point) {
        return instant::value_at(slots, model.row_lane[row], tape->second, 0, point, registers);
      };
      const Residue base = at(1);
      const Residue change = instant::minus(at(2), base);
      if (change != 0) same[instant::times(instant::minus(at(3), base), instant::inverse(change))].push_back(row);
    }
    for (const auto& [ratio, candidates] : same) {
      if (candidates.size() < 2) continue;
      if (rows.value.empty()) {
        rows = model::make_rows(model);
        scratch = model::make_scratch(model);
        model::evaluate_rows(model, start, scratch, rows);
      }
      // Of one function, up to constants, there may be several classes: a floor and a ceiling.
      std::vector<std::vector<Member>> found;
      for (const std::uint32_t row : candidates) {
        bool taken = false;
        for (std::vector<Member>& members : found) {
          const double factor = factor_of(model, rows, members[0].row, row);
          if (factor == 0) continue;
          members.push_back({row, factor});
          taken = true;
          break;
        }
        if (!taken) found.push_back({{row, 1}});
      }
      for (std::vector<Member>& members : found) {
        if (members.size() > 1) classes_.push_back(std::move(members));
      }
    }
  }
  if (!any()) return;
  original_.resize(model.rows());
  share_.assign(model.rows(), 1.0);
  const instant::RowSet gone(model.rows());
  instant::RowSet idle(model.rows());
  choose(gone, idle);
}

void Copies::choose(const instant::RowSet& gone, instant::RowSet& idle) {
  for (std::uint32_t row = 0; row < original_.size(); ++row) original_[row] = row;
  std::fill(share_.begin(), share_.end(), 1.0);
  for (const std::vector<Member>& members : classes_) {
    // An equation stands for all; without one, each direction, and each restitution, has its own.
    const Member* equation = nullptr;
    for (const Member& one : members) {
      if (equation == nullptr && !gone.contains(one.row) && model::is_equation(model_.row_kind[one.row]))
        equation = &one;
    }
    std::map<std::pair<bool, double>, std::vector<const Member*>> alike;
    for (const Member& one : members) {
      if (gone.contains(one.row)) continue;
      if (equation != nullptr && !model::is_equation(model_.row_kind[one.row])) {
        original_[one.row] = equation->row;
        share_[one.row] = 0;
        idle.add(one.row);
        continue;
      }
      const double restitution = model_.conditions[model_.row_condition[one.row]].restitution;
      alike[equation != nullptr ? std::pair{true, 0.0} : std::pair{one.factor > 0, restitution}].push_back(&one);
    }
    for (const auto& [key, list] : alike) {
      const auto count = static_cast<double>(list.size());
      for (const Member* one : list) {
        original_[one->row] = list[0]->row;
        share_[one->row] = list[0]->factor / (count * one->factor);
        if (one != list[0]) idle.add(one->row);
      }
    }
  }
}

std::vector<std::uint32_t> Copies::with_copies(std::vector<std::uint32_t> rows) const {
  if (!any()) return rows;
  const std::size_t count = rows.size();
  for (const std::vector<Member>& members : classes_) {
    for (const Member& one : members) {
      if (!is_copy(one.row) || share(one.row) == 0) continue;
      const auto end = rows.begin() + static_cast<std::ptrdiff_t>(count);
      const bool wanted = std::find(rows.begin(), end, original(one.row)) != end;
      if (wanted && std::find(rows.begin(), end, one.row) == end) rows.push_back(one.row);
    }
  }
  if (rows.size() > count) std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace zwang::motion
