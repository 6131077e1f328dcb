/// The nearest point of a polyhedron in the metric of the masses: the problem, the answer, the certificate.
///
///   minimise  (a - a0)^T M (a - a0)   subject to   J_i a + h_i  = 0  (equations),   J_i a + h_i <= 0  (inequalities)
///
/// Its solution is unique when it exists; with multipliers lambda (free for equations, >= 0 for inequalities)
///
///   M (a - a0) + J^T lambda = 0,      lambda_i (J_i a + h_i) = 0.
///
/// Symbols: a accelerations (or velocities after a shock), a0 the free ones, M mass, W = M^-1, J rows, h offsets,
/// lambda multipliers, w = J a + h slacks (<= 0), y Farkas vector. Reference: docs/mathematics, section 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/matrix.hpp"

namespace zwang::gauss {

/// J_i a + h_i = 0, or <= 0.
enum class RowKind : std::uint8_t { equation, inequality };
[[nodiscard]] std::string_view words(RowKind kind);

/// A problem is a view: the caller owns the arrays. J is sparse by rows (CSR), columns ascending in a row.
struct Problem {
  const Mass* mass = nullptr;            ///< factored
  std::span<const double> a0;            ///< size n
  std::span<const std::uint32_t> start;  ///< size r + 1
  std::span<const std::uint32_t> column;
  std::span<const double> entry;
  std::span<const double> h;      ///< size r
  std::span<const RowKind> kind;  ///< size r
  /// What the numbers are worth: h_i is known to within h_bound_i, an entry of J to within its bound. Size r and that of
  /// `entry`, or empty: then to a few roundings of themselves. Dependent rows agree when they do within these bounds, and a
  /// contradiction is claimed only if it holds for every problem within them.
  std::span<const double> h_bound = {};
  std::span<const double> entry_bound = {};
  [[nodiscard]] std::size_t n() const { return a0.size(); }
  [[nodiscard]] std::size_t r() const { return h.size(); }
  /// What is wrong with the arrays (sizes that do not fit, columns out of order, numbers that are not finite, no mass), in a sentence; empty
  /// if nothing is. `solve` does not ask: it is called in loops. Whoever is not sure of the arrays asks once.
  [[nodiscard]] std::string check() const;
};

/// How to solve.
struct Options {
  bool warm = false;              ///< start from the active set left in the workspace (same r)
  std::size_t dense_below = 300;  ///< candidate rows below which the dual matrix is dense
  std::size_t most_rounds = 0;    ///< 0: as many as fit into about a second of work, at least four per row
  bool long_multipliers =
      false;  ///< the caller reads `Solution::lambda_low`; else an answer that needs it is `gave_up`
  /// The numbers are meant as they stand, to the last digit: where doubles cannot decide, small problems (16 variables, 32 rows) are decided in
  /// rational arithmetic. Not for rows that were evaluated with rounding, where a row may be the sum of others but for its last digits.
  bool exact_numbers = false;
};

/// How it ended.
enum class Status : std::uint8_t {
  solved,
  infeasible,  ///< `farkas` proves that no a satisfies the rows, and `verify_farkas` has checked it
  gave_up,     ///< rounds exhausted, not finite, or a certificate worse than its bound: the caller must not use a
};
[[nodiscard]] std::string_view words(Status status);

/// Scaled residuals of the Kuhn-Tucker conditions; see `verify` for the scales.
struct Certificate {
  double primal = 0;           ///< worst violation of a row
  double dual = 0;             ///< worst negative multiplier of an inequality
  double complementarity = 0;  ///< worst |lambda_i w_i|
  double stationarity = 0;     ///< |M (a - a0) + J^T lambda|
  double gap = 0;              ///< primal less dual objective, over their sizes
  double broken = 0;           ///< worst violation of a row over its natural terms, without multipliers that cancel
  /// The worst of the first four. Gap and violation have bounds of their own; see `certified`.
  [[nodiscard]] double worst() const;
};

/// What `explain` tells of one round: the set tried as equations and what refuted it.
struct Trial {
  std::vector<std::uint32_t> rows;      ///< rows held as equations
  std::vector<std::uint32_t> negative;  ///< of these, inequalities whose multiplier came out negative
  std::vector<std::uint32_t> violated;  ///< rows outside the set that the result breaks
};

/// What was found.
struct Solution {
  Status status = Status::gave_up;
  std::vector<double> a;       ///< size n
  std::vector<double> lambda;  ///< size r
  std::vector<double>
      lambda_low;         ///< what lambda holds beyond double; empty unless multipliers cancel so that it counts
  std::vector<double> w;  ///< size r: J a + h
  std::vector<std::uint8_t> active;  ///< size r: held as an equation in the last round (independent rows only)
  std::vector<double> farkas;        ///< size r when infeasible: y^T J = 0, y^T h > 0, y >= 0 on inequalities
  std::vector<double> raised;  ///< size n where light variables were answered for by raised masses: these; else empty
  std::size_t rounds = 0;      ///< factorisations (from scratch or updated)
  std::size_t rank = 0;        ///< rows in the final set
};

/// Memory that solve works in and keeps between calls (the last active set, factors, patterns). Sized on first use;
/// later calls with sizes not larger allocate nothing.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

 private:
  friend void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
                    std::vector<Trial>* trials);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The nearest point: a warm-started dual active-set method that ends always and, in a workspace that has seen the sizes, allocates never.
/// `solution`'s vectors are resized to fit and reused. With `trials`, every round is recorded (allocates; for `explain`).
void solve(const Problem& problem, const Options& options, Workspace& workspace, Solution& solution,
           std::vector<Trial>* trials = nullptr);

/// Scaled residuals of the four Kuhn-Tucker conditions at (a, lambda), and the duality gap. Scales: stationarity by
/// norm(J^T lambda) + norm(M a0); a row by the sum of the absolute values of its terms, those of a = a0 - W J^T lambda
/// counted before they cancel; a multiplier by the largest; complementarity by the products of those; the gap by the
/// objectives. `lambda_low` is what the multipliers hold beyond double, or empty. No allocation beyond `scratch` (resized to
/// 6 n).
[[nodiscard]] Certificate verify(const Problem& problem, std::span<const double> a, std::span<const double> lambda,
                                 std::vector<double>& scratch, std::span<const double> lambda_low = {});

/// Is the certificate good enough for the answer to be called solved?
[[nodiscard]] bool certified(const Certificate& certificate);

/// Does y prove that no a satisfies the rows, nor those of any problem within the bounds of this one: y >= 0 on inequalities,
/// y^T J = 0 column by column, y^T h > 0? See verify.cpp for what is allowed to rounding. No allocation beyond `scratch`
/// (resized to 4 n).
[[nodiscard]] bool verify_farkas(const Problem& problem, std::span<const double> y, std::vector<double>& scratch);
[[nodiscard]] bool verify_farkas(const Problem& problem, std::span<const double> y);

}  // namespace zwang::gauss
