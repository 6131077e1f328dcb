/// The power series of a first-order system made unfree: one factorisation per step, one back-solve per order.
///
/// With x(s) = sum x_k s^k, x' = sum r_k s^k, free rates X and conditions g.x' + f_t = 0 (g = grad f, or the row p of a
/// condition linear in the rates, then f_t = p0), r_k = X_k + u_k where
///
///   without free functions:   u_k + g_0^T lambda_k = - sum_{l>=1} g_l^T lambda_{k-l}                    (along the gradients)
///   with free functions phi:  h_0 u_k = - sum_{l>=1} h_l u_{k-l},   lambda_k = sum_l g_l X_{k-l} + (f_t)_k,    h = grad phi
///   in both:                  g_0 u_k = - g_0 X_k - sum_{l>=1} g_l r_{k-l} - (f_t)_k.
///
/// The matrix is the same at every order. Beside the motion goes a probe, the solution of the same system for steady
/// right-hand sides: it has a pole wherever the matrix is singular, so that no step passes such a place unseen.
///
/// A switch slid on has the unknown weight sigma and the equation g = 0: X = X_- + sigma D with D what the free rates change across it,
/// and sigma_k follows from coefficient k + 1 of g, which is linear in r_k (docs/mathematics, section 21.3).
///
/// Symbols: x variables, n of them, N order of the series: x has the coefficients 0..N, r and lambda 0..N-1. Reference:
/// docs/mathematics, section 16.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/series.hpp"
#include "zwang/motion/step_search.hpp"

namespace zwang::motion {

class Flow {
 public:
  Flow(const model::Model& model, unsigned order);
  ~Flow();
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  /// What was found where a step ended.
  struct Landing {
    bool finite = true;                       ///< all numbers are
    std::size_t skipped = 0;                  ///< rows that depend on others
    double position_drift = 0;                ///< worst |f| / (S sum |g|) before the projection
    double rate_drift = 0;                    ///< worst |g.x' + f_t| / (V sum |g| + |f_t|) of the rates given
    std::vector<std::uint32_t> contradicted;  ///< dependent conditions that the rates found do not satisfy
    std::vector<std::uint32_t> left;          ///< dependent conditions that do not hold any more
  };
  /// Bring the positions onto the holonomic conditions along the directions p; then the rates there become the state's
  /// velocities. Rounding that a position cannot hold goes to the carry. S is at least the scale given.
  Landing land(model::State& state, std::vector<double>& carry, double least_position);

  /// The switches slid on from here; their surfaces are kept like conditions.
  void slide(std::span<const Series::Slide> slides);
  [[nodiscard]] std::span<const double> weight(std::size_t j) const;  ///< coefficients 0..N-1 of sigma

  /// All coefficients from the landed state on. False if some number is not finite.
  bool extend(const model::State& state);

  /// The unit of time, a power of two, of the variable s and of all lengths below; as in series.hpp.
  void measure_time_in(double unit);
  [[nodiscard]] double unit() const;

  /// How far the series is good: the last terms of rates and multipliers stay below `tolerance` of the largest first ones.
  [[nodiscard]] double reach(double tolerance) const;

  /// A step that is proved over its whole length: the functions' rates differ from the polynomials' by no more than `part` of
  /// the larger of true and free rates, and what the conditions leave out keeps them as exactly.
  struct Proof {
    double length = 0;  ///< 0: no step, however short, could be bounded
    double defect = 0;
  };
  [[nodiscard]] Proof prove(double wanted, double most, double part);
  /// Roots and powers in the rates that begin at zero at the state landed on, where they have no series, are taken as zero in the next series.
  /// False if there are none.
  [[nodiscard]] bool begins_at_roots();
  /// Where that series leads: all of their arguments stay at zero; some leave it, upwards; some would go below; or there may be several
  /// motions, as of x' = sqrt(x). To be asked after `extend`, which it undoes.
  enum class FromRoots : std::uint8_t { stay, leave, below, several };
  [[nodiscard]] FromRoots from_roots(const model::State& state);
  /// By how much any variable may be moved by what the series leaves out on a step h; `defect` as `prove` would say it.
  [[nodiscard]] double left_out(double h);
  [[nodiscard]] double defect() const;
  /// The first place on [0, h] at which a root in a rate comes to zero, or h.
  [[nodiscard]] double root(double h) const;
  /// What the next proof begins with: to be kept with a checkpoint.
  [[nodiscard]] const StepMemory& memory() const;
  void remember(const StepMemory& memory);

  /// Is the matrix so near to a singular one that steps which become too small end there?
  [[nodiscard]] bool nearly_singular() const;
  /// The dependence nearest at hand: the conditions involved, and a sentence.
  struct Dependence {
    std::vector<std::uint32_t> rows;
    std::string why;
  };
  [[nodiscard]] Dependence dependence() const;

  [[nodiscard]] unsigned order() const;
  [[nodiscard]] std::span<const double> position() const;    ///< [k * n + i], k = 0..N
  [[nodiscard]] std::span<const double> rate() const;        ///< [k * n + i], k = 0..N-1
  [[nodiscard]] std::span<const double> multiplier() const;  ///< [k * rows + row], k = 0..N-1

  /// The coefficients, for expressions beside the equations of motion.
  [[nodiscard]] Along along() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::motion
