/// The power series of a constrained motion: one factorisation per step, one back-solve per order.
///
/// With q(s) = sum q_k s^k, v = q', a = q'' = sum a_k s^k and the conditions of the set H held as equations,
///
///   M_0 a_k + J_0^T lambda_k = R_k - sum_{l<k} J_{k-l}^T lambda_l,      J_0 a_k + c_k = 0      for k = 0, 1, 2, ...
///
/// where R_k is the coefficient of all forces and of Lagrange's terms known before a_k, and c_k that part of the coefficient of
/// f'' (holonomic) or f' (velocity conditions) which is known before a_k. The matrix is the same at every order.
/// From f' = g.v + f_t follows c_k = (k + 1) [ sum_{l=1..k+1} g_l.v_{k+1-l} + (f_t)_{k+1} ].
///
/// Symbols: M mass, J rows (gradients g), lambda multipliers, H rows held, n variables, N order of the series: q has the
/// coefficients 0..N, lambda 0..N-2. Reference: docs/mathematics, section 10.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zwang/instant/corners.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/step_search.hpp"

namespace zwang::motion {

/// A row held as an equation, in the order of its right to be kept among dependent ones.
struct HeldRow {
  std::uint32_t row = 0;
  bool implied_if_dependent = false;  ///< true: carries nothing if it depends on rows before it; false: shares evenly
};

/// Equations that others imply have constant coefficients: they are kept before those that depend on them.
void put_implied_first(const model::Model& model, std::vector<HeldRow>& held);

class Series {
 public:
  /// `sharp`: order zero is refined and every velocity corrected, so that rounding of one sign does not add up over millions of steps.
  Series(const model::Model& model, unsigned order, bool sharp = false);
  /// The tolerance of the motion: digits far below it are not worth a second solution. Without it all are.
  void be_content_with(double tolerance);
  ~Series();
  Series(Series&&) noexcept;
  Series& operator=(Series&&) noexcept;

  [[nodiscard]] unsigned order() const;

  /// Choose the rows held, and the open rows whose f is to be followed (ascending).
  void choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watched);

  /// What the projection found.
  struct Projection {
    bool regular = true;        ///< mass positive, all numbers finite
    double position_drift = 0;  ///< worst |f| / sum |g| (|q| + |gain|) of a row held, before
    double velocity_drift = 0;  ///< worst |f'| / (sum |g| (|v| + |gain|) + |f_t|), before
    double skipped_drift = 0;   ///< of rows dependent on others: by how much they do not hold, of their own terms
    std::size_t skipped = 0;    ///< rows dependent on others
    double off = 0;             ///< worst |f| / sum |g_i| / sqrt(m_i) before: a length times the root of a mass
    bool parted = false;        ///< contacts that depended on others no longer do: nothing was corrected
  };
  /// Bring the state onto the rows held, position then velocity, in the metric of the masses; rounding that the state
  /// cannot hold goes to the carries. Leaves the factor and order zero ready.
  /// Drift is measured by the row's own terms and by what the last step added to its variables.
  Projection project(model::State& state, std::vector<double>& carry_position, std::vector<double>& carry_velocity,
                     std::span<const double> gain_position = {}, std::span<const double> gain_velocity = {});

  /// Roots and powers in forces that would come to zero within `soon` are zero from now on (tape.hpp), false if there is none besides those that
  /// are already; and are again what they are.
  [[nodiscard]] bool take_roots_as_zero(double soon);
  void take_roots_as_they_are();
  /// A root or a power below one in a force whose argument is zero and stays so, with the variables it depends on.
  struct RestingRoot {
    std::vector<std::uint32_t> positions, velocities;
  };
  [[nodiscard]] std::vector<RestingRoot> resting_roots() const;
  /// Is a root or a power of a speed in a force zero at the beginning, and taken so on all of the step, though what stands below it moves?
  [[nodiscard]] bool leaves_out_roots_of_speeds() const;
  /// A root of positions alone in a force, as a distance is: its argument at the state last tried, the rate of that, and the variables it depends on.
  struct RootOfPlaces {
    double argument = 0, rate = 0;
    std::vector<std::uint32_t> positions;
  };
  [[nodiscard]] std::vector<RootOfPlaces> roots_of_places() const;
  /// All coefficients from the projected state on. False if some number is not finite.
  bool extend(const model::State& state);

  /// The unit of time u of the series, a power of two: its variable is s = t / u, and so are all lengths below. A coefficient of order 27
  /// would leave the range of numbers where steps are of 1e-12 s or of 1e12 s. Values are in plain units, whatever u is.
  /// To be set before `extend`, again after the same projection if need be; no other unit gives other bits.
  void measure_time_in(double unit);
  [[nodiscard]] double unit() const;

  /// How far the series is good: the last terms of velocities, multipliers and watched conditions stay below `tolerance` of
  /// the largest of their own first terms.
  [[nodiscard]] double reach(double tolerance) const;
  /// The same of the velocities alone.
  [[nodiscard]] double reach_of_motion(double tolerance) const;

  /// A step that is proved over its whole length.
  struct Proof {
    double length = 0;  ///< 0: no step, however short, could be bounded
    double defect = 0;  ///< worst bound of |W d| of a body, as a part of its accelerations
  };
  /// What a proof is asked for.
  struct WantedProof {
    double wanted = 0, most = 0, part = 0, tolerance = 0;
    double reach_part = 0, reach = 0;  ///< `reach` to that part, which it was found from
  };
  /// The longest step, not longer than `wanted`, on which the defect of every body stays below `part` of its accelerations, what is
  /// held stays held as exactly, and what is watched is known to a part of `tolerance` of its terms.
  [[nodiscard]] Proof prove(double wanted, double most, double part, double tolerance);
  /// What the last proof says of a multiplier and of a watched condition: by how much they may differ from their polynomials.
  [[nodiscard]] double multiplier_error(std::size_t j) const;
  [[nodiscard]] double watched_rest(std::size_t w) const;
  /// In words: what kept the last proof from a longer step.
  [[nodiscard]] std::string obstacle() const;

  /// Where on [0, h] a root in an open condition or a force passes zero, beyond which its series has the wrong sign; else h.
  [[nodiscard]] double branch(double h) const;
  /// The first place on [0, h] where the series of a root of speeds in a force passes zero and the force does not go on as it does, as that of sqrt(|v|) where v comes to rest: of a
  /// length of speeds, sqrt(|v|^2), it does. h if there is none.
  [[nodiscard]] double rest_of_root(double h) const;
  /// The same of roots of places in forces alone, as of a distance between points that meet.
  [[nodiscard]] double meeting(double h) const;

  /// The place in (0, h] where the gradient of a row held vanishes, and which; infinity if none does.
  [[nodiscard]] double vanishing(double h, std::uint32_t& row) const;
  /// The place in (0, h] where the kinetic energy stops being positive for every velocity, and the variable that loses its
  /// inertia; infinity if it stays positive at h.
  [[nodiscard]] double weightless(double h, std::uint32_t& variable) const;
  /// How much later than s the gradient nearest to vanishing would do so, to first order.
  [[nodiscard]] double approach(double s) const;
  /// Has the gradient of a row held all but vanished since the rows were chosen, or have they all but become dependent?
  [[nodiscard]] bool nearly_singular();

  [[nodiscard]] std::span<const double> position() const;    ///< [k * n + i], k = 0..N
  [[nodiscard]] std::span<const double> velocity() const;    ///< [k * n + i], k = 0..N-1
  [[nodiscard]] std::span<const double> multiplier() const;  ///< [k * held + j], k = 0..N-2, in the order chosen
  /// What rounding took from the accelerations at s = 0, where it is known; else zeros.
  [[nodiscard]] std::span<const double> rest() const;
  /// Sizes of the terms of the accelerations at s = 0, per variable; empty if nothing is held.
  [[nodiscard]] std::span<const double> acceleration_terms() const;
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] double root_mass(std::size_t i) const;  ///< sqrt(M_ii)
  /// The largest component, in x, of the body to which a variable belongs.
  [[nodiscard]] double body_size(std::uint32_t variable, std::span<const double> x) const;
  /// Of a position condition: how its gradient changes from place to place.
  enum class Slope : std::uint8_t { varies, constant, of_constant_length };
  [[nodiscard]] Slope slope_of(std::uint32_t row) const;
  [[nodiscard]] bool skipped(std::size_t j) const;
  /// Size of the terms that lambda_j is the difference of, at s = 0.
  [[nodiscard]] double multiplier_scale(std::size_t j) const;
  /// What the sizes of the terms of other multipliers make of multiplier j: where these count as zero, it hangs on their rounding.
  [[nodiscard]] double multiplier_scale_by_others(std::size_t j) const;
  /// f of the watched row number w: coefficients 0..N (velocity conditions: 0..N-1).
  [[nodiscard]] std::span<const double> watched(std::size_t w) const;
  [[nodiscard]] double least_pivot() const;

  /// Work done from 0 to s by forces that have no potential, moving conditions and explicit time, but for what `energy_with_time`
  /// gains from end to end; `terms`: the sum of the absolute values that it is summed up from, which do not cancel where it comes back to
  /// zero.
  [[nodiscard]] double work(double s, double* terms = nullptr) const;

  /// A switch slid on, and the threshold it is on: its weight is an unknown of the series (series_slide.cpp).
  struct Slide {
    std::vector<std::uint32_t> numbers;  ///< several where forces switch on one and the same surface
    std::vector<instant::MixedMode> mixed;
    /// Of a speed that leaves its rest: its weight is that of the direction it takes. 0: it rests; 1: it is pushed at once; 2: the push grows from nothing.
    std::uint8_t leaves = 0;
    std::uint32_t whole = 0;  ///< then: which speed it is a part of
    double weight = 0;        ///< then: sigma at the start
  };
  void slide(std::span<const Slide> slides);
  [[nodiscard]] std::span<const double> weight(std::size_t j) const;  ///< coefficients 0..N-2 of sigma
  /// The longest step, not longer than h, on which the weights of speeds that leave their rest are their directions, to this part.
  [[nodiscard]] double reach_of_leaving(double h, double part) const;
  /// dg/dv of a switch (dg/dq where no velocity occurs), per variable.
  [[nodiscard]] std::vector<double> slope(std::uint32_t number, const model::State& state) const;
  /// The coefficients, for expressions beside the equations of motion.
  [[nodiscard]] Along along() const;

  // ---- about a singular position that is passed (series_arc.cpp)

  /// Rows held, by number, with weights, whose gradients cancel; the leader is replaced by the combination.
  struct Combination {
    std::vector<std::uint32_t> rows;
    std::vector<double> weights;
    std::size_t leader = 0;
  };
  /// Numbers of the rows held that might become dependent: what is left when rows with a body of their own (whose gradient never vanishes)
  /// are taken away, one after the other. Chains and trees leave nothing.
  [[nodiscard]] std::span<const std::uint32_t> closed_loops() const;
  /// Are the rows held so far from dependent, and do they turn so slowly, that nothing of this can happen within h, nor are they nearer than
  /// `least` now? A cheap look at the factor that stands.
  [[nodiscard]] bool plainly_apart(double h, double least) const;
  /// The next stretch [low, high] of the step, around a place beyond `after`, which moves on to it, on which those rows may become
  /// dependent; false if there is none up to h.
  [[nodiscard]] bool narrow_place(double h, double& after, double& low, double& high);
  /// Are those rows nearer to dependent than this now?
  [[nodiscard]] bool close_to_dependent(double distance);
  /// No row by strands: asked for once, before `choose`.
  void make_plain();
  enum class Expansion { none, overflow, found };  ///< overflow: coefficients are not finite in this unit of time
  /// All coefficients about a singular position, which the state is at; `idle` rows depend on the others everywhere. The velocity is
  /// brought onto the rows. None where the velocity does not choose one way on.
  [[nodiscard]] Expansion expand(model::State& state, std::span<const Combination> combinations,
                                 std::span<const std::uint32_t> idle);
  /// How far on both sides it is proved, if at least `least`, and no further than `most` if that is 0: the defect, `part` of the
  /// accelerations, and the rows held, which stay within `touch` of their terms.
  struct WantedArc {
    double least = 0;
    double most = 0;
    double part = 0;
    double tolerance = 0;
    double touch = 0;
  };
  [[nodiscard]] Proof prove_arc(const WantedArc& wanted);
  /// From now on the series is that of a time `back` before the singular position, where `state` then is; 0: from itself on.
  void look_from(double back, model::State& state);
  /// The longest step, not longer than `wanted`, on which what is watched is known to a part of `tolerance` of its terms.
  [[nodiscard]] double prove_watched(double wanted, double tolerance);
  /// The place of the pole after the beginning, in the unit of time; not a number: there is none. `multiplier` of a row with a pole is its product
  /// with the distance from there.
  [[nodiscard]] double pole() const;
  [[nodiscard]] bool has_pole(std::size_t j) const;

  /// What the series remembers of the instant at which its rows were chosen, and steps depend on: to be kept with a checkpoint.
  struct Memory {
    std::vector<double> row_length, first_gradient;
    double first_pivot = 1;
    StepMemory steps;
    linear::GramFactor::Manner factored = linear::GramFactor::Manner::band;
    bool lengths_known = false;
  };
  [[nodiscard]] Memory memory() const;
  void remember(Memory memory);  ///< after `choose`, before `project`

  struct Impl;

 private:
  friend class Together;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::motion
