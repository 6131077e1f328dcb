/// Which comparisons are about the function of a condition, and on which side that keeps them.
#include "zwang/motion/pins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "zwang/instant/corners.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/residues.hpp"
#include "zwang/motion/switches_impl.hpp"

namespace zwang::motion {

namespace {

/// A function up to a factor: its values at two points, in that at a third.
using Shape = std::pair<Residue, Residue>;

/// None of a function that is zero, or the same everywhere.
bool shape_of(const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape, std::size_t output,
              Shape& out) {
  std::vector<Residue> registers;
  const auto at = [&](Residue point) { return value_at(group, lane, tape, output, point, registers); };
  const Residue first = at(1);
  const Residue second = at(2);
  if (first == 0 || first == second) return false;
  const Residue unit = inverse(first);
  out = {times(second, unit), times(at(3), unit)};
  return true;
}

/// Does the condition keep its function to one side, as itself and from the start?
bool keeps(const model::Model& model, std::uint32_t row) {
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  return !condition.seizure && !condition.implied && condition.alternatives < 2 && model.row_twin[row] == row &&
         model.groups[model.row_group[row]].modes == 0;
}

/// The rows that keep something, by their functions.
std::multimap<Shape, std::uint32_t> rows_by_shape(const model::Model& model) {
  std::multimap<Shape, std::uint32_t> out;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!keeps(model, row)) continue;
    const model::RowGroup& group = model.groups[model.row_group[row]];
    Shape shape;
    if (shape_of(group, model.row_lane[row], group.tape, 0, shape)) out.emplace(shape, row);
  }
  return out;
}

/// States beside the start, where functions that are zero there are not.
class Beside {
 public:
  explicit Beside(const model::Model& model) : model_(model) {
    constexpr std::array<double, 3> parts{0.013, -0.0071, 0.0037};
    constexpr double where_zero = 1e-3;
    for (const double part : parts) {
      model::State state = model::initial_state(model);
      double sign = 1;
      for (auto* list : {&state.position, &state.velocity}) {
        for (double& x : *list) {
          x += part * sign * (std::abs(x) + where_zero);
          sign = sign > 0 ? -0.7 : 1.1;
        }
      }
      states_.push_back(std::move(state));
    }
  }

  /// The sign of the factor between two functions that are one up to it; 0: cannot be told.
  template <class G>
  int sign(std::uint32_t row, const G& g) {
    model::Rows rows = model::make_rows(model_);
    model::Scratch scratch = model::make_scratch(model_);
    int out = 0;
    for (const model::State& state : states_) {
      model::evaluate_rows(model_, state, scratch, rows);
      // Of a condition on velocities f is its rate.
      const bool of_positions = model::is_holonomic(model_.row_kind[row]);
      const double ratio = g(state) / (of_positions ? rows.value[row] : rows.rate[row]);
      if (!std::isfinite(ratio) || ratio == 0) continue;
      const int here = ratio > 0 ? 1 : -1;
      if (out != 0 && out != here) return 0;
      out = here;
    }
    return out;
  }

 private:
  const model::Model& model_;
  std::vector<model::State> states_;
};

/// Is equality left out? One comparison stands in it.
bool is_strict(std::string_view comparison) { return comparison.find('=') == std::string_view::npos; }

}  // namespace

Pins::Pins(const model::Model& model) {
  const std::vector<model::Observable>& stop = model.simulation.stop;
  const bool stops = !stop.empty() && is_strict(stop.front().text);
  if (model.flow || model.rows() == 0 || (model.switches == 0 && !stops)) return;
  std::multimap<Shape, std::uint32_t> rows;
  bool known = false;
  const auto kept_by = [&](const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape,
                           std::size_t output, const auto& value, const auto& visit) {
    Shape shape;
    if (!shape_of(group, lane, tape, output, shape)) return;
    if (!known) rows = rows_by_shape(model);
    known = true;
    const auto [first, last] = rows.equal_range(shape);
    if (first == last) return;
    Beside beside(model);
    for (auto one = first; one != last; ++one) {
      // f <= 0, so that what is to be kept from below zero is a negative multiple of it; an equation keeps both.
      if (model::is_equation(model.row_kind[one->second]) || beside.sign(one->second, value) < 0) visit(one->second);
    }
  };
  for_switches(model, [&](const model::Slotted& group, std::uint32_t c, std::uint32_t lane, std::uint32_t number) {
    const expressions::Corner& corner = group.corners[c];
    if (corner.kind != expressions::CornerKind::truth || corner.follows || !corner.inner.empty()) return;
    kept_by(
        group, lane, group.switching, c,
        [&](const model::State& state) { return instant::switch_rates(model, number, state, {}).g; },
        [&](std::uint32_t row) { pins_.emplace_back(number, row); });
  });
  std::sort(pins_.begin(), pins_.end());
  if (!stops) return;
  const model::TermGroup& term = stop.front().term;
  kept_by(
      term, 0, term.tape, 0, [&](const model::State& state) { return model::observe(stop.front(), state); },
      [&](std::uint32_t row) { stops_.push_back(row); });
}

bool Pins::keep(std::uint32_t number, const instant::RowSet& gone) const {
  auto one = std::lower_bound(pins_.begin(), pins_.end(), std::pair{number, std::uint32_t{0}});
  for (; one != pins_.end() && one->first == number; ++one) {
    if (!gone.contains(one->second)) return true;
  }
  return false;
}

bool Pins::keep_from_stopping(const instant::RowSet& gone) const {
  return std::any_of(stops_.begin(), stops_.end(), [&](std::uint32_t row) { return !gone.contains(row); });
}

}  // namespace zwang::motion
