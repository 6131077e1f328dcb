/// One moment of a motion: what every condition does at it, and the true accelerations (docs/mathematics, sections 4-6).
///
/// The data are ordered by stage; each field says who computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/gauss/problem.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::instant {

/// What a row does at this moment.
enum class Role : std::uint8_t {
  equation,
  binding,              ///< inequality with lambda > 0, or one that a higher derivative shows to stay closed
  marginal,             ///< lambda = 0 and f'' = 0, undecided to the last order looked at
  leaving,              ///< f'' < 0, or the first derivative that is not zero is < 0
  passive_in_velocity,  ///< f = 0 and f' < 0 (nonholonomic: f < 0)
  passive_in_position,  ///< f < 0
  approached,           ///< f = 0 and f' > 0, or an equation or velocity condition broken in velocity: needs a shock
  violated,             ///< f > 0, or an equation with f != 0
  absent                ///< a seizure that is not yet due
};
[[nodiscard]] std::string_view words(Role role);

enum class Status : std::uint8_t { determined, ambiguous, impact, inadmissible, jammed, undecided };
[[nodiscard]] std::string_view words(Status status);

/// One of several accelerations of least constraint at a singular position.
struct Minimiser {
  std::vector<double> accelerations;
  double constraint = 0;
};

/// How a degenerate row (lambda = 0, f'' = 0) was decided.
struct Decision {
  std::uint32_t row = 0;
  unsigned derivative = 0;  ///< the derivative of f that decided
  bool stays = false;
};

struct Instant {
  Status status = Status::undecided;
  double time = 0;

  // classify
  std::vector<Role> role;     ///< per row of the model; classify, then refined by accelerate
  std::vector<double> value;  ///< f
  std::vector<double> rate;   ///< f'
  std::vector<std::pair<std::uint32_t, double>> violations;  ///< rows with f > 0 or equation != 0, and the amount
  bool blow_due = false;
  bool seizure_due = false;

  // accelerate
  bool regular = true;                ///< gradients of equations and effective inequalities independent
  std::vector<double> free;           ///< a0 = M^-1 X
  std::vector<double> accelerations;  ///< a
  std::vector<double> multipliers;    ///< per row; 0 where a row has none
  bool multipliers_unique = true;
  std::vector<std::pair<std::uint32_t, double>> rho;  ///< of variational rows; their multiplier is rho'
  std::vector<double> second;                         ///< f'' per row (nonholonomic: f')
  std::vector<double> free_second;                    ///< f'' of the free motion, per row
  std::vector<double> reaction;                       ///< M a - X, per variable
  double constraint = 0;                              ///< Z = (a - a0)^T M (a - a0)
  gauss::Certificate certificate;
  std::vector<std::pair<std::uint32_t, double>> farkas;  ///< when jammed: rows and their y
  unsigned jam_derivative = 2;                           ///< the derivative of the conditions that cannot be satisfied
  std::vector<Decision> decisions;

  // singular positions
  bool singular = false;             ///< some combination of conditions has a vanishing gradient and decides
  std::vector<Minimiser> solutions;  ///< all of least constraint, when ambiguous
  bool continuum = false;            ///< the minimisers are not isolated; `solutions` are a few members
  std::string expansion;             ///< in words, when undecided

  // for the story told by `explain`, when asked for
  std::vector<std::uint32_t> effective;  ///< rows of the nearest-point problem, in its order
  std::vector<gauss::Trial> trials;      ///< row numbers are places in `effective`

  [[nodiscard]] bool is_effective(std::uint32_t row) const {
    return role[row] == Role::equation || role[row] == Role::binding || role[row] == Role::marginal ||
           role[row] == Role::leaving;
  }
};

struct Options {
  double touch = 0;               ///< what counts as touching; 0: the model's own
  double touch_position = 0;      ///< the same for positions on the open side; 0: as `touch`
  double broken = 0;              ///< the same for positions on the forbidden side; 0: as `touch`
  bool warm = false;              ///< start from the active set of the last call with this workspace
  bool tell = false;              ///< keep the trials
  bool long_multipliers = false;  ///< an answer whose multipliers cancel beyond double is one; else it is undecided
  bool shock_done = false;        ///< blows and seizures of this very instant have been dealt with by `impact`
  unsigned highest_order = 12;    ///< derivatives beyond f'' looked at for degenerate rows
  bool evaluated = false;         ///< of `impact`: `accelerate` has just used the workspace for this very state
  bool inelastic = false;         ///< shocks without rebound, whatever the conditions say
  std::span<const std::uint8_t>
      closed;  ///< per row, 1: known to touch (f = 0) whatever the tolerance says; may be empty
  std::span<const std::uint8_t> steady;  ///< per row, 1: f' (nonholonomic: f) is known to vanish; may be empty
  std::span<const std::uint8_t>
      gone;  ///< per row, 1: let go, or part of an alternative that does not count; may be empty
  /// Per row, 1: was held as marginal up to here and nothing happened to it; if it is undecided it still is, and no higher derivative is
  /// asked. May be empty.
  std::span<const std::uint8_t> resting;
  std::span<const std::uint8_t> balanced;  ///< per row, 1: lambda is known to vanish at this instant; may be empty
};

/// Memory of `accelerate` and `impact`; made for one model, reused from call to call.
class Workspace {
 public:
  explicit Workspace(const model::Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  struct Impl;
  [[nodiscard]] Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

/// The true accelerations at a state. No allocation after the first call unless the position is singular, degenerate or
/// contradictory.
void accelerate(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
                Instant& instant);
/// The same for one state alone, with `long_multipliers`.
[[nodiscard]] Instant accelerate(const model::Model& model, const model::State& state, const Options& options = {});

/// Only the classification: admissible, needs a shock, or violated; roles of effective inequalities stay `binding` or
/// `leaving` undetermined and are given as Role::marginal. `regular` is determined.
[[nodiscard]] Instant classify(const model::Model& model, const model::State& state, const Options& options = {});

}  // namespace zwang::instant
