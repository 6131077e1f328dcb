/// What the parts of the switches share: turns.cpp follows their functions, truths.cpp the comparisons of `stop` and `when`, valleys.cpp the kinks of which
/// both sides hold, switches.cpp asks for the sides at an instant.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "zwang/model/flow.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/switches.hpp"

namespace zwang::motion {

/// Of the terms of g: leading coefficients of a g that starts on its threshold.
inline constexpr double vanishing_part = 1e-13;
/// Derivatives that vanish where a motion leaves a surface: g, g', and g'' of a position.
inline constexpr unsigned most_leading = 3;

/// Where a weight that rises over its limit at `at` is safely below it again, if it exceeds it by rounding alone; `never` if it does not.
[[nodiscard]] double behind_a_touch(std::span<const double> sigma, double sign, double at);

/// What the first coefficients of a switching function may be off by, at the start of a piece.
using Off = std::array<double, most_leading>;
/// What rounding makes of g, g' and g'' at a state on the threshold, in powers of the unit of time: on it by a part of its terms, and what it
/// was slid on with leaves its accelerations, which then cancel, off by what the forces are.
[[nodiscard]] Off off_at(const Motion& motion, std::uint32_t number, double size, double unit);

[[nodiscard]] inline bool is_slid(const Switches& switches, std::uint32_t number) {
  return std::binary_search(switches.slid.begin(), switches.slid.end(), number);
}

[[nodiscard]] inline bool is_valley(const Switches& switches, std::uint32_t row) {
  return std::binary_search(switches.valleys.begin(), switches.valleys.end(), row);
}

[[nodiscard]] inline bool is_beside(const Switches& switches, std::uint32_t row) {
  return std::find(switches.beside.begin(), switches.beside.end(), row) != switches.beside.end();
}

/// The switches of a row that keeps its corners inside.
template <class Visit>
void for_switches_of(const model::Model& model, std::uint32_t row, const Visit& visit) {
  const model::RowGroup& group = model.groups[model.row_group[row]];
  for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
    visit(group, c, group.first_switch + c * group.lanes + model.row_lane[row]);
  }
}

/// Every switch of the model, with its place.
template <class Visit>
void for_switches(const model::Model& model, const Visit& visit) {
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        visit(group, c, lane, group.first_switch + c * group.lanes + lane);
      }
    }
  });
}

/// Does one of the corners that it is nested about change?
[[nodiscard]] inline bool changes_inside(const model::Slotted& group, std::uint32_t c, std::uint32_t lane,
                                         const std::vector<std::uint8_t>& anew) {
  const std::vector<std::uint32_t>& inner = group.corners[c].inner;
  return std::any_of(inner.begin(), inner.end(),
                     [&](std::uint32_t one) { return anew[group.first_switch + one * group.lanes + lane] != 0; });
}

/// Sides and weights once more, where conditions are about to move what rests (imposed.cpp). False: the motion has ended.
bool ask_again(Motion& motion, const Triggers& triggers, bool first, const instant::Options& options,
               const std::vector<instant::Imposed>& imposed);
/// What is known beforehand of the direction of a speed: its parts go with the whole.
void tell_direction(const Motion& motion, const Triggers& triggers, bool first, bool struck,
                    const model::Slotted& group, std::uint32_t c, std::uint32_t lane,
                    std::vector<instant::KnownSide>& known, std::vector<instant::KnownSide>& near,
                    std::vector<std::uint8_t>& anew);
/// Where the weights of speeds at rest come to their bound |c| = 1 on [0, h].
void find_slips(const Motion& motion, double h, FoundTurns& found);
/// The same, with what rounding of the reactions of the rows held makes of it beside them (imposed.cpp).
[[nodiscard]] Off off_by_reactions(const Motion& motion, std::uint32_t number, Off off);
/// Does sign * (c - threshold) rise above zero on [0, h]? Where, or never; with `touching`, where it rises up to zero, too.
/// `slack`: by how much time the start itself may be off; `off`: by how much the first coefficients; `size_of_terms`: of g at the start.
[[nodiscard]] double rises(std::span<const double> c, double threshold, double sign, bool at_start, double slack,
                           const Off& off, double h, double& cut, bool touching = false, double size_of_terms = 0);

/// Do rows held, and surfaces that weights hold, keep the function of a switch on its threshold on [0, h] but for rounding, whatever side it is on? As the
/// relative speed of a hinge that rests on its stop: friction is on the side that resists the opening, and stays there until the stop lets go (imposed.cpp).
[[nodiscard]] bool is_kept_on_step(const Motion& motion, std::uint32_t number, std::span<const double> g,
                                   double threshold, double h);

/// The side behind the threshold that a turn passes.
[[nodiscard]] expressions::Side behind(const expressions::Corner& corner, expressions::Side side, const Turn& turn,
                                       double beside);
/// The turn of a switch among what happens at an instant, or none.
[[nodiscard]] const Turn* turn_of(const Triggers& triggers, std::uint32_t number);
/// Half turns in comparisons of `stop` and `when` are counted; all else about these is told by what is there after the instant (look_at_truths).
void count_turns_of_truths(Motion& motion, const Triggers& triggers);

}  // namespace zwang::motion
