/// The sparse backend of the nearest-point solver: lines guess the set, a component-wise Cholesky factor answers for it.
///
///   Phi_AA lambda_A = (J a0 + h)_A,    a = a0 - W J^T lambda,    w = J a + h
///
/// Symbols as in problem.hpp; A the rows held. The pattern of Phi is kept while the pattern of J stands, the ordering and
/// pattern of each connected component of A while that component stands. What is rounding: a row counts as violated
/// when w exceeds 1e-13 of its terms plus 16 roundings of the terms that a itself was summed from; a multiplier as
/// negative below -1e-13 of the largest. A row held that does not hold counts as violated, so that a set too near to
/// dependence is never taken for an answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/gauss/one_by_one.hpp"
#include "zwang/gauss/sparse_lines.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/linear/sparse_cholesky.hpp"
#include "zwang/linear/sparse_gram.hpp"

namespace zwang::gauss {

/// A backend in the sense of story.hpp, whose comments say what each function does.
class SparseFace {
 public:
  [[nodiscard]] bool prepare(const Problem& problem);
  [[nodiscard]] bool recall();
  void begin();
  void guess();
  void hold();
  void multipliers();
  void price();
  [[nodiscard]] std::span<const std::uint32_t> held() const;
  [[nodiscard]] std::span<const std::uint32_t> negative() const { return negative_; }
  [[nodiscard]] std::span<const std::uint32_t> violated() const { return violated_; }
  [[nodiscard]] bool exchange();
  [[nodiscard]] bool exhausted() const;
  [[nodiscard]] Status rescue(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  [[nodiscard]] bool suspicious() const;
  [[nodiscard]] Status improve(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  [[nodiscard]] std::vector<double>& scratch() { return scratch_; }
  [[nodiscard]] bool finish(Solution& solution);

  /// Pieces of the graph up to this many rows are rescued densely, since orthogonal rows see smaller angles than Phi. (For tests:
  /// pieces that are larger but narrow are then not.)
  void rescue_densely_up_to(std::size_t rows) {
    small_piece_ = rows;
    small_area_ = 0;
  }

  /// How the last guess came about, for tests and benchmarks.
  [[nodiscard]] const SparseLines& lines() const { return lines_; }
  [[nodiscard]] std::size_t visits() const { return visits_; }
  [[nodiscard]] const linear::SparseCholesky& cholesky() const { return cholesky_; }

 private:
  enum State : std::uint8_t { out, in, skipped };

  [[nodiscard]] double natural_terms(std::uint32_t row);
  [[nodiscard]] double evaluate(bool strict);
  void drop_negative();
  [[nodiscard]] bool settle_signs(std::size_t most, std::size_t& rounds);
  void find_pieces();
  [[nodiscard]] std::size_t width_of(std::span<const std::uint32_t> rows) const;
  [[nodiscard]] std::uint32_t worst() const;
  void load_onto(std::uint32_t p, double sign);
  [[nodiscard]] double rounding_of(std::uint32_t row) const;
  [[nodiscard]] bool prove_infeasible(std::uint32_t p, double sign, std::size_t most, Solution& solution);
  [[nodiscard]] std::size_t work_left() const;
  [[nodiscard]] double growth(std::span<const double> before, std::vector<double>& y);
  [[nodiscard]] bool prove_by_growth(std::vector<double>& y, std::size_t most, Solution& solution);
  [[nodiscard]] Status settle_softly(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  [[nodiscard]] bool settle_carefully(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  void answer_carefully();
  void conjugate_gradients();
  [[nodiscard]] Status rescue_large(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  [[nodiscard]] Status rescue_last(std::size_t most, Solution& solution, std::vector<Trial>* trials);
  /// Some rows alone with their variables: how that ended (`solution.farkas` by rows of the whole), and which variables.
  struct Apart {
    Status status = Status::gave_up;
    std::vector<std::uint32_t> variables;
  };
  [[nodiscard]] Apart solve_apart(std::span<const std::uint32_t> piece, std::size_t most, Solution& solution,
                                  std::vector<Trial>* trials);
  [[nodiscard]] Status rescue_small(std::span<const std::uint32_t> piece, std::size_t most, Solution& solution,
                                    std::vector<Trial>* trials);

  const Problem* problem_ = nullptr;
  linear::SparseGram gram_;
  linear::SparseCholesky cholesky_;
  SparseLines lines_;
  std::size_t visits_ = 0;

  // The set: places of all rows, the rows wanted in the next `hold`, and whether they differ from the factored ones.
  std::vector<std::uint8_t> state_;
  std::vector<std::uint32_t> members_;
  bool changed_ = false;
  std::size_t work_before_ = 0;  ///< products of the factor before this problem
  std::size_t work_apart_ = 0;   ///< products of pieces rescued densely
  bool some_skipped_ = false;
  bool solved_once_ = false;
  bool remembers_ = false;

  // Numbers: free value of each row, multipliers, slacks, motion.
  std::vector<double> free_, lambda_, w_, a_;
  double largest_ = 0;       ///< multiplier
  double largest_free_ = 0;  ///< component of the free motion; -1 when not known yet

  std::vector<std::uint32_t> negative_, violated_;
  mutable std::vector<std::uint32_t> held_;
  std::vector<std::uint8_t> component_changed_;

  // Rescue: what a unit of the new row's multiplier takes off those of the set; rounding a dependent row is forgiven.
  std::vector<double> column_, share_, forgiven_;
  std::vector<std::uint32_t> touched_;

  // Rescue: pieces of the whole graph that contain a wrong sign; the small ones are solved apart, densely.
  std::vector<std::uint8_t> piece_kind_;  ///< by row: 0 nothing wrong, 1 small piece, 2 large piece
  std::vector<std::uint32_t> piece_start_, piece_row_;
  std::size_t small_piece_ = small_piece_rows;
  std::size_t small_area_ = small_piece_area;
  std::size_t held_dependent_ = 0;  ///< rows in the set beyond its rank, after a soft rescue
  OneByOne one_by_one_;

  // With twice the digits: multipliers, J^T lambda, accelerations. And what conjugate gradients need, by row and by variable.
  std::vector<linear::Twofold> long_lambda_, long_force_, long_a_;
  std::vector<double> lambda_low_, residual_, correction_, direction_, image_, motion_;
  bool careful_ = false;
  std::vector<double> scratch_;
};

}  // namespace zwang::gauss
