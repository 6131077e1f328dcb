/// Which switches are about the function of a condition, and on which side that keeps them.
#include "zwang/instant/pins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "zwang/instant/corners.hpp"
#include "zwang/instant/residues.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::instant {

namespace {

/// A function up to a factor: its values at two points, in that at a third.
using FormulaShape = std::pair<Residue, Residue>;

/// None of a function that is zero, or the same everywhere.
bool shape_of(const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape, std::size_t output,
              FormulaShape& out) {
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
std::multimap<FormulaShape, std::uint32_t> rows_by_shape(const model::Model& model) {
  std::multimap<FormulaShape, std::uint32_t> out;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!keeps(model, row)) continue;
    const model::RowGroup& group = model.groups[model.row_group[row]];
    FormulaShape shape;
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

/// Is f <= 0, so that a negative multiple of it is kept from below zero; an equation keeps both. The side of a switch, or `no_side`.
expressions::Side side_beside(const model::Model& model, std::uint32_t row, int factor) {
  if (model::is_equation(model.row_kind[row])) return 1;
  return factor < 0 ? 2 : (factor > 0 ? 0 : no_side);
}

/// What a switch is about, if a condition can keep it.
enum class Use : std::uint8_t {
  none,
  comparison,  ///< true or false
  smooth,      ///< a corner of an energy, which has no jump
  value        ///< `sign` in a force
};
Use use_of(const model::Model& model, const model::SwitchPlace& place) {
  using expressions::CornerKind;
  const expressions::Corner& corner = place.group->corners[place.corner];
  if (corner.follows || !corner.inner.empty()) return Use::none;
  if (corner.kind != CornerKind::truth && corner.kind != CornerKind::sign) return Use::none;
  const bool of_term = !place.truth && place.row >= model.rows();
  if (of_term && static_cast<const model::TermGroup*>(place.group)->kind != model::TermKind::force) return Use::smooth;
  if (corner.kind == CornerKind::truth) return Use::comparison;
  return of_term ? Use::value : Use::none;
}

bool before(const Pin& one, const Pin& other) {
  return std::pair(one.number, one.row) < std::pair(other.number, other.row);
}

/// Visits the pins of one switch.
template <class Visit>
void for_pins_of(const std::vector<Pin>& pins, std::uint32_t number, const Visit& visit) {
  auto one = std::lower_bound(pins.begin(), pins.end(), Pin{number, 0, 0}, before);
  for (; one != pins.end() && one->number == number; ++one) visit(*one);
}

/// Finds the rows whose functions are others' up to a factor.
class Alike {
 public:
  explicit Alike(const model::Model& model) : model_(model) {}

  /// `visit(row, factor)`: the sign of the factor, 0 if it cannot be told.
  template <class Value, class Visit>
  void find(const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape, std::size_t output,
            const Value& value, const Visit& visit) {
    FormulaShape shape;
    if (!shape_of(group, lane, tape, output, shape)) return;
    if (!known_) rows_ = rows_by_shape(model_);
    known_ = true;
    const auto [first, last] = rows_.equal_range(shape);
    if (first == last) return;
    Beside beside(model_);
    for (auto one = first; one != last; ++one) visit(one->second, beside.sign(one->second, value));
  }

 private:
  const model::Model& model_;
  std::multimap<FormulaShape, std::uint32_t> rows_;
  bool known_ = false;
};

}  // namespace

Pins::Pins(const model::Model& model) {
  const std::vector<model::Observable>& stop = model.simulation.stop;
  const bool stops = !stop.empty() && is_strict(stop.front().text);
  if (model.flow || model.rows() == 0 || (model.switches == 0 && !stops)) return;
  Alike alike(model);
  for (std::uint32_t number = 0; number < model.switches; ++number) {
    const model::SwitchPlace place = model::place_of_switch(model, number);
    const Use use = use_of(model, place);
    if (use == Use::none) continue;
    const bool comparison = place.group->corners[place.corner].kind == expressions::CornerKind::truth;
    alike.find(
        *place.group, place.lane, place.group->switching, place.corner,
        [&](const model::State& state) { return switch_rates(model, number, state, {}).g; },
        [&](std::uint32_t row, int factor) {
          expressions::Side side = side_beside(model, row, factor);
          // On the wall a comparison with its own side holds for ever.
          if (side == 1 && comparison) side = 2;
          if (side == no_side || (use == Use::comparison && side != 2)) return;
          (use == Use::value && side != 1 ? edges_ : pins_).push_back({number, row, side});
        });
  }
  std::sort(pins_.begin(), pins_.end(), before);
  std::sort(edges_.begin(), edges_.end(), before);
  if (!stops) return;
  const model::TermGroup& term = stop.front().term;
  alike.find(
      term, 0, term.tape, 0, [&](const model::State& state) { return model::observe(stop.front(), state); },
      [&](std::uint32_t row, int factor) {
        if (model::is_equation(model.row_kind[row]) || factor < 0) stops_.push_back(row);
      });
}

bool Pins::keep(std::uint32_t number, const RowSet& gone) const {
  bool out = false;
  for_pins_of(pins_, number, [&](const Pin& pin) { out = out || !gone.contains(pin.row); });
  return out;
}

expressions::Side Pins::allowed(std::uint32_t number, const RowSet& gone) const {
  expressions::Side out = no_side;
  for_pins_of(edges_, number, [&](const Pin& pin) {
    if (!gone.contains(pin.row)) out = pin.side;
  });
  return out;
}

expressions::Side Pins::forbidden(std::uint32_t number, const RowSet& gone) const {
  const expressions::Side side = allowed(number, gone);
  return side == no_side ? no_side : 2 - side;
}

bool Pins::is_edge_of(std::uint32_t number, const RowSet& rows) const {
  bool out = false;
  for_pins_of(edges_, number, [&](const Pin& pin) { out = out || rows.contains(pin.row); });
  return out;
}

bool Pins::keep_from_stopping(const RowSet& gone) const {
  return std::any_of(stops_.begin(), stops_.end(), [&](std::uint32_t row) { return !gone.contains(row); });
}

}  // namespace zwang::instant
