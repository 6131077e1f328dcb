/// One moment of a motion: what every condition does at it, and the true accelerations (docs/mathematics, sections 4-6).
///
/// The data are ordered by stage; each field says who computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "zwang/instant.hpp"
#include "zwang/instant/row_set.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/model.hpp"

namespace zwang::instant {

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
  // What is known of rows beforehand; any of these may tell nothing.
  RowSet closed;  ///< known to touch (f = 0) whatever the tolerance says
  RowSet steady;  ///< f' (nonholonomic: f) is known to vanish
  RowSet gone;    ///< let go, or part of an alternative that does not count; told: corners and alternatives are known
  /// Held as marginal up to here, and nothing happened to them: what is undecided still is marginal, and no higher derivative is asked.
  RowSet resting;
  RowSet balanced;  ///< lambda is known to vanish at this instant
};

struct Evaluation;

/// Memory of `accelerate` and `impact`; made for one model, reused from call to call.
class Workspace {
 public:
  explicit Workspace(const model::Model& model);
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  /// What the last question found on its way: forces and masses, conditions with their gradients, and of what size the terms are that
  /// each acceleration is made of.
  [[nodiscard]] const model::Dynamics& dynamics() const;
  [[nodiscard]] const model::Rows& rows() const;
  [[nodiscard]] const std::vector<double>& acceleration_terms() const;
  /// |f| below this counts as zero, per row.
  [[nodiscard]] const std::vector<double>& touch_values() const;
  /// Rows known to be passive in position: they are not evaluated.
  void leave_out(RowSet rows);

  /// The same, to evaluate other states in.
  [[nodiscard]] Evaluation& evaluation() const;

  struct Impl;
  [[nodiscard]] Impl& impl() const { return *impl_; }  ///< this room's own: workspace_impl.hpp

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
