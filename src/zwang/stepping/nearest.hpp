/// The nearest point of a polyhedron in the metric of the masses, from the rows that were held before.
///
///   minimise (x - x0)^T M (x - x0)   under   J_i x + h_i = 0, or <= 0
///
/// From one step to the next the rows held hardly change. They are factored once,
///
///   Phi_AA l_A = (J x0 + h)_A,     x = x0 - W J^T l,     Phi = J W J^T,
///
/// and if no sign is wrong that is the answer; else negative rows leave, broken rows enter, a few times; what does not settle so is given to
/// gauss::solve. Where many rows held depend on one another (a heap of discs that touch all around), impulses are not unique, and the same is done for
///
///   (Phi + s D)_AA l_A = (J x0 + h + s D l')_A,     l' the impulses of the pass before, D the diagonal of Phi,
///
/// which has one answer; passes with one factor lead to impulses that hold the rows to rounding (the proximal point algorithm).
/// The factor stays for corrections: x -= W J^T Phi_AA^-1 b. The answer depends on the problem and the rows given alone, so that a
/// motion that was put aside goes on to the same bits.
///
/// Symbols: x velocities or changes of position, M mass, W = M^-1, J rows, h offsets, l impulses, A rows held.
/// Reference: docs/mathematics, sections 3 and 26; Judice and Pires, Comput. Oper. Res. 21 (1994) 587; Rockafellar, SIAM J. Control Optim. 14 (1976) 877.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"
#include "zwang/linear/split_columns.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::stepping {

/// Rows of the model picked out for one problem, and which of them are held.
struct Selection {
  std::vector<std::uint32_t> row;  ///< of the model
  std::vector<std::uint32_t> start = {0};
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<gauss::RowKind> kind;
  std::vector<std::uint8_t> held;  ///< to begin with; of a solution, those with which it was found
  std::vector<double> guess;       ///< of the impulses; where they are not unique, those near it are taken

  void clear();
  void add(const model::Model& model, const model::Rows& rows, std::uint32_t number, bool equation, double offset,
           bool first_held, double impulse = 0);
  [[nodiscard]] std::size_t size() const { return row.size(); }
};

class Nearest {
 public:
  /// The point nearest to x0. `selection.held` is where it begins and where it ended.
  gauss::Status solve(Selection& selection, const linear::Mass& mass, std::span<const double> x0);

  [[nodiscard]] const std::vector<double>& point() const { return x_; }
  [[nodiscard]] const std::vector<double>& impulses() const { return lambda_; }  ///< per row of the selection
  [[nodiscard]] const std::vector<double>& farkas() const { return solution_.farkas; }

  /// Products made so far by factors and solutions with them.
  [[nodiscard]] std::size_t products() const { return cholesky_.work(); }
  /// How often rows were exchanged by the last solution before lines were asked.
  [[nodiscard]] std::size_t rounds() const { return rounds_; }

  /// Are the rows held well independent, so that corrections can be made with their factor?
  [[nodiscard]] bool can_correct() const { return sound_; }
  /// The least change of x that changes every row held by -b; b has one number per row of the selection, and becomes the impulses that do it.
  void correct(std::span<double> b, std::span<double> x);

 private:
  gauss::Status solve_whole(Selection& selection, const linear::Mass& mass, std::span<const double> x0);
  void correct_whole(std::span<double> b, std::span<double> x);
  void load(const Selection& selection, const linear::Mass& mass);
  void hold(const Selection& selection);
  [[nodiscard]] bool are_too_many(const Selection& selection);
  void find(const Selection& selection, const linear::Mass& mass, std::span<const double> x0);
  std::size_t find_wrong(const Selection& selection);
  bool exchange(Selection& selection);
  [[nodiscard]] gauss::Status solve_by_lines(Selection& selection, const linear::Mass& mass,
                                             std::span<const double> x0);
  bool solve_softly(Selection& selection, const linear::Mass& mass, std::span<const double> x0);
  void find_softly(const Selection& selection, const linear::Mass& mass, std::span<const double> x0);
  void measure(const Selection& selection, const linear::Mass& mass, std::span<const double> x0);
  [[nodiscard]] double terms_of(const Selection& selection, std::uint32_t j) const;
  [[nodiscard]] gauss::Problem problem(const Selection& selection, const linear::Mass& mass,
                                       std::span<const double> x0) const;

  linear::SparseGram gram_;
  linear::SparseCholesky cholesky_;
  std::size_t rounds_ = 0;
  bool sound_ = false;
  bool soft_ = false;                             ///< the factor is softened
  bool sharp_ = false;                            ///< rows held are kept to rounding
  std::vector<std::uint32_t> set_;                ///< rows held, ascending
  std::vector<std::uint32_t> chosen_;             ///< those that the factor's pattern is made of
  std::vector<std::uint32_t> negative_, broken_;  ///< rows with a wrong sign
  std::vector<std::uint8_t> touched_;             ///< per variable: by rows held
  std::vector<std::uint8_t> skipped_;             ///< per row: left out by the factor, it depends on others
  std::vector<double> x_, size_, lambda_, w_, right_, scratch_;
  std::vector<double> before_, pull_;  ///< per row: l' and s D, where rows depend on one another
  // Where a variable stands in very many rows: the same with its copies (linear/split_columns.hpp).
  bool is_split_ = false;
  linear::SplitColumns split_;
  Selection wide_;
  std::vector<double> wide_point_, wide_right_;
  gauss::Workspace workspace_;
  gauss::Solution solution_;
};

}  // namespace zwang::stepping
