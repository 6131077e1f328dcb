/// On which side of its corners a state is, where the values of the switching functions do not tell: Filippov's rule.
///
/// A switching function g of a force is on a threshold. Let r be the first derivative of g in which accelerations occur (1 if
/// g contains velocities, 2 if not), the lower ones being zero, and w- and w+ the r-th derivative of g with the forces of
/// either side. Both positive: above; both negative: below; w- > 0 > w+: the motion stays on the threshold, under the forces
/// (1 - sigma) X- + sigma X+ with 0 <= sigma <= 1 such that w = 0; w- < 0 < w+: it may leave to either side. Several switches at
/// once: w = w_0 + B sigma and for every one  w = 0,  or sigma = 0 and w < 0,  or sigma = 1 and w > 0.
///
/// A flow has rates for accelerations: there r = 1 for every g of positions. Corners nested in one another are decided from the inside
/// out: where an inner one turns, the g of an outer one jumps, and its side is that of its new value. Across a surface slid on the
/// modes of outer corners are mixed with the inner ones'.
///
/// A condition of several alternatives holds where one of them holds: rows of those that do not count are idle. Where several
/// are touched and none is open, the one that changes the motion least counts.
///
/// A condition that keeps its corners inside is f = max(f-, f+) or f = min(f-, f+) beside a kink. Of the greater one both sides hold on
/// the kink, as in the bottom of a valley: there the row stands for one side and its twin for the other.
///
/// An equation with a kink, reached without speed across it: each side allows the accelerations that lead into it. The nearest of them is
/// the motion's; where neither side has one, the motion stays in the kink.
///
/// Symbols: X forces, a accelerations, g switching function, sigma weight. Reference: docs/mathematics, section 21;
/// A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, section 4.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/instant/instant.hpp"
#include "zwang/instant/pins.hpp"

namespace zwang::instant {

/// What is known beforehand of a switch at this instant.
struct KnownSide {
  std::uint32_t number = 0;
  expressions::Side side = 0;
  bool slid = false;  ///< slid on until now: its rate is rounding
};

/// A switching function that rests on its threshold by its first derivatives, and that the conditions move off it by a higher one.
struct Imposed {
  std::uint32_t number = 0;
  double rate = 0;  ///< that derivative; of all that are given the same one, in any unit
};

/// A mode of the model that is mixed along a surface slid on: its own, or that of a corner nested about it.
struct MixedMode {
  std::uint32_t slid = 0;                            ///< number of the switch slid on
  std::uint32_t number = 0;                          ///< number of the switch whose mode it is
  std::uint32_t mode = 0;                            ///< among the model's
  expressions::Side side_below = 0, side_above = 0;  ///< of the corner, on either side of the surface
  double below = 0, above = 0;
};

/// Neither friction nor load is there at this instant: the weight is that of a little later, and is asked again then.
inline constexpr std::uint8_t weight_waits = 2;
/// Nor a little later: it rests for a while, and is asked again then.
inline constexpr std::uint8_t weight_idles = 3;
/// By equations, whatever its weight.
inline constexpr std::uint8_t weight_held = 4;

struct Corners {
  std::vector<expressions::Side> sides;  ///< per switch of the model; odd: on a threshold, slid on
  std::vector<double> modes;             ///< of the model, those of switches slid on mixed by sigma
  std::vector<std::uint32_t> slid;       ///< switches slid on, ascending
  std::vector<std::uint32_t> leader;     ///< of each: the first switch with the same surface, whose weight it shares
  std::vector<double> weight;            ///< sigma of each
  std::vector<std::uint8_t>
      implied;  ///< of each, 1: kept by the others, its weight is a choice that stays constant; `weight_waits`: for a moment, `weight_idles`: for a while
  std::vector<MixedMode> mixed;  ///< of all that are slid on
  std::string refusal;           ///< why the sides are not determined, or ""
  std::vector<Minimiser> ways;   ///< the accelerations of either side, where both lead away
  bool unasked =
      false;  ///< beside a surface there were no accelerations, as before a shock: its sides are to be asked again
};

/// `known`: sides that the motion knows; `near`: switches that are on a threshold whatever their value says, with the side
/// behind which they would be if they passed it; `imposed`: those that the conditions are about to move, and whereto; `pins`: of this model, if
/// they are at hand.
[[nodiscard]] Corners find_corners(const model::Model& model, const model::State& state, const Options& options,
                                   Workspace& workspace, std::span<const KnownSide> known,
                                   std::span<const KnownSide> near, std::span<const Imposed> imposed = {},
                                   const Pins* pins = nullptr);

/// The modes that change across the threshold `on` of a switch, at a state on it whose modes hold for all other corners. In the place of a side that is
/// `forbidden` stands the threshold itself.
[[nodiscard]] std::vector<MixedMode> modes_across(const model::Model& model, const model::State& state,
                                                  std::span<const expressions::Side> sides, std::uint32_t number,
                                                  expressions::Side on, expressions::Side forbidden = no_side);
/// Mixed by sigma.
void mix(const MixedMode& mode, double sigma, std::vector<double>& modes);

/// g and its first two derivatives along q + v s + a s^2 / 2.
struct SwitchRates {
  double g = 0, first = 0, second = 0;
  double beside = 0;         ///< the other argument of `turns`
  bool by_velocity = false;  ///< a velocity occurs in g: accelerations occur in `first`
  bool by_position = false;  ///< a position does
  double size = 0;           ///< of the terms of g
  double doubt = 0;          ///< of g, by the uncertainty of the state
  double rate_size = 0;      ///< of the terms of the first derivative without accelerations
  double rate_doubt = 0;     ///< of that derivative, by the uncertainty of the velocities
};
[[nodiscard]] SwitchRates switch_rates(const model::Model& model, std::uint32_t number, const model::State& state,
                                       std::span<const double> accelerations);
/// Is this distance from a threshold none?
[[nodiscard]] bool is_on_threshold(double distance, const SwitchRates& rates);
/// How far g is from its nearest threshold, and the odd side that stands for that threshold.
[[nodiscard]] std::pair<double, expressions::Side> nearest_threshold(const expressions::Corner& corner,
                                                                     expressions::Side side, double g);

/// A condition on a kink of its own on which both sides hold: the row is on one of them, its twin on the other.
struct Valley {
  std::uint32_t row = 0;
  std::vector<std::uint32_t> switches;  ///< on the kink: of the row, then of its twin
};
/// Is the row on a kink on which both sides hold? Then it and its twin get their `sides`. `passing`: switches that are on a threshold
/// whatever their value says. The modes of the state belong to `sides`.
[[nodiscard]] std::optional<Valley> find_valley(const model::Model& model, const model::State& state, std::uint32_t row,
                                                std::span<const std::uint32_t> passing,
                                                std::vector<expressions::Side>& sides);
[[nodiscard]] bool has_twins(const model::Model& model);
/// The second of two twins, which counts in a valley only.
[[nodiscard]] inline bool is_second_twin(const model::Model& model, std::uint32_t row) {
  return model.row_twin[row] < row;
}

/// Alternatives of one condition that are equally near.
struct Several {
  std::vector<Minimiser> ways;                  ///< the accelerations that each leads to; none: one is nearest
  std::vector<std::vector<double>> velocities;  ///< those that each leads to, if they differ; else none
  std::string words;                            ///< which condition, and why it does not decide
};
/// Rows of alternatives that do not count at this state, and those that `options` name as gone. `several`: more than one way to go on.
[[nodiscard]] RowSet idle_rows(const model::Model& model, const model::State& state, const Options& options,
                               Workspace& workspace, Several& several);
[[nodiscard]] bool has_alternatives(const model::Model& model);

/// Must `accelerate` and the like find sides or alternatives by themselves?
[[nodiscard]] bool needs_corners(const model::Model& model, const model::State& state, const Options& options);
/// What they find.
struct Resolved {
  model::State state;  ///< with its modes
  RowSet idle;         ///< do not count here
  Corners corners;
  std::vector<Valley> valleys;
  std::vector<model::Cone> cones;  ///< in whose apex it is: their spokes count
  Several several;                 ///< ways to go on, if more than one alternative is nearest
  /// Without any condition, where those decide on which side a corner is.
  std::optional<Corners> alone;
};
[[nodiscard]] Resolved resolve_corners(const model::Model& model, const model::State& state, const Options& options,
                                       Workspace& workspace);
/// The accelerations without conditions, of a state with its modes, into what `accelerate` has said.
void move_freely(const model::Model& model, const model::State& state, Workspace& workspace, Instant& instant);
/// The same questions with sides and alternatives found first.
void accelerate_with_corners(const model::Model& model, const model::State& state, const Options& options,
                             Workspace& workspace, Instant& instant);

}  // namespace zwang::instant
