/// How lanes of a group are put on its tape: by blocks of `wide` lanes, or one by one when there are few.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/model.hpp"

namespace zwang::model {

/// Lanes run together.
[[nodiscard]] inline unsigned width_of(std::uint32_t lanes) {
  return lanes >= expressions::wide ? expressions::wide : 1;
}

/// Coefficients a term's registers need: the energy of motion is followed to first order, unless its momenta depend on
/// velocities alone.
[[nodiscard]] inline unsigned orders_of(const TermGroup& group) {
  return group.kind == TermKind::kinetic && (group.positions > 0 || group.uses_time) ? 2 : 1;
}
inline constexpr unsigned row_orders = 2;

/// Lanes of a block that follow one another; beyond the last it is repeated.
template <unsigned W>
struct LanesFrom {
  std::size_t first = 0;
  std::size_t lanes = 0;
  [[nodiscard]] std::size_t count() const { return std::min<std::size_t>(W, lanes - first); }
  [[nodiscard]] std::size_t operator()(std::size_t l) const { return W == 1 ? first : std::min(first + l, lanes - 1); }
};

/// Lanes of a block that were picked out.
template <unsigned W>
struct LanesPicked {
  std::array<std::size_t, W> lane{};
  std::size_t picked = 0;
  [[nodiscard]] std::size_t count() const { return picked; }
  [[nodiscard]] std::size_t operator()(std::size_t l) const { return lane[std::min(l, picked - 1)]; }
};

/// Coefficients of the inputs along (t + s, q + v s, v): numbers for Orders = 1, first order too for Orders = 2.
/// Coefficients that are always zero are not written. `modes`: of the whole model, or empty for those that the group has at the
/// initial state.
template <unsigned Orders, unsigned W, class Group, class Lanes>
void fill_inputs_of(const Group& group, double time, std::span<const double> position, std::span<const double> velocity,
                    std::span<const double> modes, const Lanes& lane_of, double* r) {
  const std::size_t lanes = group.lanes;
  for (unsigned l = 0; l < W; ++l) {
    r[l] = time;
    if constexpr (Orders == 2) r[W + l] = 1;
  }
  r += Orders * W;
  for (std::size_t slot = 0; slot < group.positions; ++slot, r += Orders * W) {
    const std::uint32_t* variable = group.position_of.data() + slot * lanes;
    for (unsigned l = 0; l < W; ++l) {
      const std::uint32_t k = variable[lane_of(l)];
      r[l] = position[k];
      if constexpr (Orders == 2) r[W + l] = velocity[k];
    }
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot, r += Orders * W) {
    const std::uint32_t* variable = group.velocity_of.data() + slot * lanes;
    for (unsigned l = 0; l < W; ++l) r[l] = velocity[variable[lane_of(l)]];
  }
  for (std::size_t slot = 0; slot < group.constants; ++slot, r += Orders * W) {
    const double* value = slot >= group.steady() && !modes.empty()
                              ? modes.data() + group.first_mode + (slot - group.steady()) * lanes
                              : group.constant_of.data() + slot * lanes;
    for (unsigned l = 0; l < W; ++l) r[l] = value[lane_of(l)];
  }
}

/// The same for the lanes from `first` on.
template <unsigned Orders, unsigned W, class Group>
void fill_inputs(const Group& group, double time, std::span<const double> position, std::span<const double> velocity,
                 std::span<const double> modes, std::size_t first, double* r) {
  fill_inputs_of<Orders, W>(group, time, position, velocity, modes, LanesFrom<W>{first, group.lanes}, r);
}

}  // namespace zwang::model
