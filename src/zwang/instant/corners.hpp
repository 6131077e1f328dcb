/// On which side of its corners a state is, where the values of the switching functions do not tell: Filippov's rule.
///
/// A switching function g of a force is on a threshold. Let r be the first derivative of g in which accelerations occur (1 if
/// g contains velocities, 2 if not), the lower ones being zero, and w- and w+ the r-th derivative of g with the forces of
/// either side. Both positive: above; both negative: below; w- > 0 > w+: the motion stays on the threshold, under the forces
/// (1 - sigma) X- + sigma X+ with 0 <= sigma <= 1 such that w = 0; w- < 0 < w+: it may leave to either side. Several switches at
/// once: w = w_0 + B sigma and for every one  w = 0,  or sigma = 0 and w < 0,  or sigma = 1 and w > 0.
///
/// A condition of several alternatives holds where one of them holds: rows of those that do not count are idle. Where several
/// are touched and none is open, the one that changes the motion least counts.
///
/// Symbols: X forces, a accelerations, g switching function, sigma weight. Reference: docs/mathematics, section 21;
/// A. F. Filippov, Differential Equations with Discontinuous Righthand Sides, section 4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "zwang/instant/instant.hpp"

namespace zwang::instant {

/// What is known beforehand of a switch at this instant.
struct KnownSide {
  std::uint32_t number = 0;
  expressions::Side side = 0;
};

struct Corners {
  std::vector<expressions::Side> sides;  ///< per switch of the model; odd: on a threshold, slid on
  std::vector<double> modes;             ///< of the model, those of switches slid on mixed by sigma
  std::vector<std::uint32_t> slid;       ///< switches slid on, ascending
  std::vector<std::uint32_t> leader;     ///< of each: the first switch with the same surface, whose weight it shares
  std::vector<double> weight;            ///< sigma of each
  std::string refusal;                   ///< why the sides are not determined, or ""
  std::vector<Minimiser> ways;           ///< the accelerations of either side, where both lead away
};

/// `known`: sides that the motion knows; `near`: switches that are on a threshold whatever their value says, with the side
/// behind which they would be if they passed it.
[[nodiscard]] Corners find_corners(const model::Model& model, const model::State& state, const Options& options,
                                   Workspace& workspace, std::span<const KnownSide> known,
                                   std::span<const KnownSide> near);

/// The modes of a side between two intervals: mixed by sigma.
void mix_modes(const model::Model& model, std::uint32_t number, expressions::Side on, double sigma,
               std::vector<double>& modes);

/// g and its first two derivatives along q + v s + a s^2 / 2.
struct SwitchRates {
  double g = 0, first = 0, second = 0;
  bool by_velocity = false;  ///< a velocity occurs in g: accelerations occur in `first`
  double size = 0;           ///< of the terms of g
  double rate_size = 0;      ///< of the terms of the first derivative without accelerations
};
[[nodiscard]] SwitchRates switch_rates(const model::Model& model, std::uint32_t number, const model::State& state,
                                       std::span<const double> accelerations);

/// Per row, 1: part of an alternative that does not count at this state. `several`: more than one way to go on.
[[nodiscard]] std::vector<std::uint8_t> idle_rows(const model::Model& model, const model::State& state,
                                                  const Options& options, Workspace& workspace,
                                                  std::vector<Minimiser>& several);
[[nodiscard]] bool has_alternatives(const model::Model& model);

/// Must `accelerate` and the like find sides or alternatives by themselves?
[[nodiscard]] bool needs_corners(const model::Model& model, const model::State& state, const Options& options);
/// The same questions with sides and alternatives found first.
void accelerate_with_corners(const model::Model& model, const model::State& state, const Options& options,
                             Workspace& workspace, Instant& instant);

}  // namespace zwang::instant
