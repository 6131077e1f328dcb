/// Kinks of conditions of which both sides hold.

#include <algorithm>
#include <cmath>
#include <optional>

#include "zwang/instant/corner_tolerances.hpp"
#include "zwang/instant/corners_impl.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::instant {

using expressions::Corner;
using expressions::Side;

std::optional<Valley> find_valley(const model::Model& model, const model::State& state, std::uint32_t row,
                                  std::span<const std::uint32_t> passing, std::vector<Side>& sides) {
  const std::uint32_t twin = model.row_twin[row];
  if (twin <= row) return {};
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const std::uint32_t lane = model.row_lane[row];
  const auto number_of = [&](std::size_t c, std::uint32_t of) {
    return group.first_switch + static_cast<std::uint32_t>(c) * group.lanes + of;
  };

  // Who is on a threshold that positions move it off from? All of them must lie on one surface.
  struct Met {
    std::uint32_t corner = 0;
    Side on = 0;
    bool turned = false;  // its function falls where that of the first rises
  };
  std::vector<Met> met;
  std::vector<double> normal;
  double square = 0;
  double size = 0;
  for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
    const Corner& corner = group.corners[c];
    if (corner.quiet || corner.follows || corner.kind == expressions::CornerKind::turns) continue;
    const std::uint32_t number = number_of(c, lane);
    const SwitchRates rates = switch_rates(model, number, state, {});
    const auto [distance, threshold] = nearest_threshold(corner, sides[number], rates.g);
    const bool passes = std::find(passing.begin(), passing.end(), number) != passing.end();
    if (!rates.by_position || !(passes || is_on_threshold(distance, rates))) continue;
    std::vector<double> slope = slopes_by_slot(model::place_of_switch(model, number), state);
    slope.resize(group.positions);
    double own = 0;
    double product = 0;
    for (std::size_t k = 0; k < slope.size(); ++k) {
      own += slope[k] * slope[k];
      product += met.empty() ? slope[k] * slope[k] : slope[k] * normal[k];
    }
    if (!std::isfinite(own)) return {};
    if (met.empty()) {
      normal = std::move(slope);
      square = own;
      size = rates.size;
    } else if (product * product < (1 - on_threshold) * own * square) {
      return {};
    }
    met.push_back({c, threshold, product < 0});
  }
  if (met.empty()) return {};

  // The sides of all corners on either side of the surface, from the inside out, and the gradients there.
  struct Beside {
    std::vector<Side> sides;
    std::vector<double> gradient;
  };
  const auto look = [&](bool above) {
    Beside out;
    model::State there = state;
    const double way = (above ? 1 : -1) * beside_surface * (size + std::sqrt(square)) / square;
    for (std::size_t k = 0; k < group.positions; ++k)
      there.position[group.position_of[k * group.lanes + lane]] += way * normal[k];
    std::vector<std::uint8_t> changes(group.corners.size(), 0);
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const Corner& corner = group.corners[c];
      Side side = sides[number_of(c, lane)];
      const auto found = std::find_if(met.begin(), met.end(), [&](const Met& one) { return one.corner == c; });
      const bool inside =
          std::any_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return changes[one] != 0; });
      if (found != met.end()) side = above != found->turned ? found->on + 1 : found->on - 1;
      changes[c] = inside || found != met.end() ? 1 : 0;
      if (inside) {
        // About another corner its own value there tells, as at the wrap of mod in a table; unless that is on its threshold still.
        const SwitchRates rates = switch_rates(model, number_of(c, lane), there, {});
        const Side its = corner.side(rates.g, rates.beside);
        const bool off = its % 2 == 0 && !is_on_threshold(nearest_threshold(corner, its, rates.g).first, rates);
        if (off || found == met.end()) side = its;
      }
      out.sides.push_back(side);
      set_modes(group, c, lane, side, there.modes);
    }
    std::vector<double> r(group.tape.registers());
    expressions::load_constants(group.tape, r.data(), 1, 1);
    model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, there.modes, lane, r.data());
    expressions::extend(group.tape, r.data(), 1, 0, 0, 1);
    for (std::size_t k = 0; k < group.positions; ++k) out.gradient.push_back(r[group.tape.outputs[1 + k]]);
    return out;
  };
  Beside below = look(false);
  Beside above = look(true);

  // f+ - f- = c g: both sides hold where c > 0.
  double across = 0;
  double lengths = 0;
  for (std::size_t k = 0; k < normal.size(); ++k) {
    across += (above.gradient[k] - below.gradient[k]) * normal[k];
    lengths += std::abs(above.gradient[k]) + std::abs(below.gradient[k]);
  }
  if (!(across > kink_part * lengths * std::sqrt(square))) return {};
  if (sides[number_of(met[0].corner, lane)] > met[0].on) std::swap(below, above);
  Valley valley;
  valley.row = row;
  for (const std::uint32_t one : {row, twin}) {
    const std::vector<Side>& its = one == row ? below.sides : above.sides;
    for (std::size_t c = 0; c < its.size(); ++c) sides[number_of(c, model.row_lane[one])] = its[c];
    for (const Met& each : met) valley.switches.push_back(number_of(each.corner, model.row_lane[one]));
  }
  return valley;
}

bool has_twins(const model::Model& model) {
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model.row_twin[row] != row) return true;
  }
  return false;
}

}  // namespace zwang::instant
