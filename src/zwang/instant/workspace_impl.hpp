/// The memory that `accelerate`, `impact` and `repair` work in: evaluation results and the nearest-point problem. Of this room alone.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/plainly_open.hpp"

namespace zwang::instant {

/// A nearest-point problem that owns its arrays; rows are copied from the model's CSR.
struct Subproblem {
  std::vector<double> a0;
  std::vector<std::uint32_t> start;
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<gauss::RowKind> kind;
  std::vector<std::uint32_t> row;            ///< row of the model behind each row here
  std::vector<double> h_bound, entry_bound;  ///< what h and entry are worth; may be empty

  void clear();
  [[nodiscard]] std::size_t size() const { return h.size(); }
  void append(const model::Model& model, const model::Rows& rows, std::uint32_t model_row, double offset,
              gauss::RowKind row_kind);
  [[nodiscard]] gauss::Problem view(const linear::Mass& mass) const;
};

/// What was found of rows around a position.
struct LookedAround {
  bool redundant = false;                                  ///< they depend on one another there, too
  double tried = 0;                                        ///< how far from the position
  std::vector<std::pair<std::uint32_t, double>> position;  ///< of the variables of these rows
};

struct Workspace::Impl : Evaluation {
  explicit Impl(const model::Model& model);

  /// Marks of the rows that a question need not evaluate: those left out, and of alternatives those that do not count. Who chose among them has evaluated
  /// them at this position; of two boxes they are nearly all.
  [[nodiscard]] std::span<const std::uint8_t> unevaluated(const model::Model& model, const Options& options);
  std::vector<std::uint8_t> skipped;  ///< room for them

  std::optional<model::PlainlyOpen> plainly_open;  ///< made where alternatives are chosen from
  std::vector<std::uint8_t> plain_marks;

  RowSet released;  ///< let go by [[releases]], where a question is about one instant; motions tell it by their options

  // the nearest point
  Subproblem problem;
  gauss::Workspace gauss;
  gauss::Workspace gauss_impact;
  std::optional<gauss::Workspace> gauss_orders;  ///< of higher orders, where they are asked for
  gauss::Solution solution;
  std::vector<double> scratch_n;
  std::vector<double> scratch_m;
  std::vector<double> a_scale;  ///< size of the terms that make up each acceleration
  std::vector<double> scale;    ///< size of the terms of Phi_jj lambda_j and of f'', per row of the problem
  std::vector<double> norm2;    ///< Phi_jj of the problem's rows
  std::vector<double> gram, gram_row;
  bool near_dependence = false;  ///< independent: the rows are dependent, or at angles whose squares are rounding
  std::vector<std::uint32_t> last_effective;  ///< rows of the last problem: a warm start needs the same ones
  /// By the rows of the model, ascending. What it says is found again by looking, so it is no part of what a motion depends on.
  std::map<std::vector<std::uint32_t>, LookedAround> looked_around;
};

/// Shared by `accelerate` and `impact`: roles, violations and due blows from the evaluated rows.
/// Effective inequalities come out as Role::marginal.
void classify_rows(const model::Model& model, const model::State& state, const Options& options, Workspace::Impl& impl,
                   Instant& instant);

/// After a shock a rate is told from zero by the terms of the velocities before and behind it, too: `touch_rate` grows to them.
void widen_rates(const model::Model& model, const Options& options, const std::vector<double>& before,
                 const std::vector<double>& after, Workspace::Impl& impl);

/// Is sum y_j f_j'' negative for the numbers as they stand, beyond the rounding of its evaluation? y^T J = 0 up to rounding, y per row of the
/// problem, `size` per variable the size of its acceleration. How uncertain the state is has no part in it: rows that are open for the state
/// at hand ask nothing of higher derivatives.
[[nodiscard]] bool opens_as_it_stands(const Workspace::Impl& impl, const std::vector<double>& y,
                                      const std::vector<double>& size);

/// Is sum y_j f_j nowhere positive because it bends away from where it vanishes with its gradient? So it is if every row with y_j > 0 is concave
/// and every one with y_j < 0 affine, and none depends on time. Whatever the velocities, no derivative of such a sum contradicts the conditions: discs and walls, and
/// equations of affine functions, are like that.
[[nodiscard]] bool nowhere_positive(const model::Model& model, const Subproblem& problem, const std::vector<double>& y);

/// Are the rows of the problem linearly independent? Fills `norm2`.
[[nodiscard]] bool independent(const model::Model& model, const model::State& state, Workspace::Impl& impl);

/// The same for large problems, by the pivots of the sparse factor of the Gram matrix; `settled`: rows of connected parts whose pivots are
/// all far from zero.
[[nodiscard]] bool independent_sparse(const linear::Mass& mass, const Subproblem& problem,
                                      std::vector<std::uint8_t>& settled);

/// Is the multiplier vector of the problem the only one? `zero[i]` marks inequalities with lambda = 0 and w = 0,
/// `positive` ones are free to move both ways; rows with w < 0 are left out by the caller.
struct MultiplierQuestion {
  const Subproblem* problem = nullptr;
  std::vector<std::uint32_t> rows;        ///< rows of the problem with w = 0 (equations included)
  std::vector<std::uint8_t> nonnegative;  ///< per entry of `rows`: may not decrease below zero
  std::vector<double> lambda;             ///< per entry of `rows`
};
[[nodiscard]] bool multipliers_unique(const MultiplierQuestion& question);

/// Rows (per entry of `rows`) with y > 0 in some combination J^T y = 0, y >= 0 where nonnegative.
[[nodiscard]] std::vector<std::uint8_t> one_sided_support(const MultiplierQuestion& question);

/// Move `lambda` within its polytope {J^T lambda unchanged, lambda >= 0 where nonnegative}: to the point that maximises
/// d.lambda and is, among those, nearest to zero in the metric of the rows' norms. False if d.lambda is unbounded.
[[nodiscard]] bool choose_multipliers(MultiplierQuestion& question, const std::vector<double>& d);

}  // namespace zwang::instant
