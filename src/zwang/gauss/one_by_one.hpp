/// The nearest point with one row changed at a time: slow, sure, and the judge of infeasibility.
///
/// The dual method of Goldfarb and Idnani. With B = J M^-1/2 (any root of the mass matrix) and the rows held, A, factored as
/// B_A^T = Q^T R (rows of Q orthonormal), a broken row p splits into B_p = Q^T c + z. Raising its multiplier by t moves
///
///   b by -t z,      lambda_A by -t R^-1 c,      w_p by -t |z|^2,
///
/// until w_p = 0 (p joins A) or the multiplier of an inequality in A reaches zero (it leaves A). If z = 0 and no
/// multiplier falls, y = (1 at p, -R^-1 c on A) proves that the rows contradict each other. Every p that joins raises the
/// least distance strictly, so no set comes twice and the method ends.
///
/// Orthogonal rows instead of the Gram matrix tell angles of 1e-11 from zero, where the Gram matrix loses sight at 1e-7.
///
/// Symbols: as in problem.hpp; b = M^1/2 a. Reference: Goldfarb and Idnani, Math. Programming 27 (1983) 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss/problem.hpp"

namespace zwang::gauss {

class OneByOne {
 public:
  /// Makes room for problems of this shape, so that `run` allocates nothing.
  void reserve(const Problem& problem);

  /// Solves, starting from the rows in `start` (equations are always taken). Adds to `solution.rounds`, at most up to
  /// `most_rounds`; fills `solution.farkas` when infeasible.
  [[nodiscard]] Status run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                           Solution& solution, std::vector<Trial>* trials);

  /// The answer: accelerations, multipliers of all rows, slacks, rows held.
  [[nodiscard]] std::span<const double> a() const { return a_; }
  [[nodiscard]] std::span<const double> lambda() const { return lambda_; }
  [[nodiscard]] std::span<const double> w() const { return w_; }
  [[nodiscard]] std::span<const std::uint32_t> held() const { return {set_.data(), size_}; }

 private:
  enum class Joined : std::uint8_t { joined, consistent, contradicts, exhausted };

  void gather_columns(const Problem& problem);
  double metric_row(const Problem& problem, std::uint32_t row, double* out) const;
  [[nodiscard]] double terms(const Problem& problem, std::uint32_t row) const;
  [[nodiscard]] double slack(const Problem& problem, std::uint32_t row) const;
  void price(const Problem& problem);
  void size_up(const Problem& problem);
  [[nodiscard]] bool exact(const Problem& problem) const;
  double split(const Problem& problem, std::uint32_t row);
  void push(std::uint32_t row, double rest);
  void drop(std::size_t place);
  void move(const Problem& problem, double step);
  void solve_multipliers(double* right) const;
  void combine(const Problem& problem, const double* c);
  void polish(const Problem& problem, bool afresh);
  void start_from(const Problem& problem, std::span<const std::uint32_t> start);
  Joined join(const Problem& problem, std::uint32_t row, std::size_t most_rounds, Solution& solution, Trial* trial);
  void certify(const Problem& problem, std::uint32_t row, double sign, Solution& solution) const;

  // The problem's shape: columns that occur in a row, or share a block of the mass with one that does.
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint32_t> place_;
  std::size_t width_ = 0;
  std::size_t most_held_ = 0;

  // Rows held: their numbers, Q by rows, R by columns, and the sizes |B_i| of all rows.
  std::vector<std::uint32_t> set_;
  std::vector<std::uint8_t> is_held_;
  std::size_t size_ = 0;
  std::vector<double> q_;
  std::vector<double> r_;
  std::vector<double> norm_;

  // Where we are.
  std::vector<double> a_;
  std::vector<double> lambda_;
  std::vector<double> w_;
  std::vector<double> magnitude_;  ///< by column: the absolute values of the terms that a was summed from
  double length_of_a_ = 0;         ///< |M^1/2 a0| + |M^1/2 a|

  // Work: the row being split, another, c, R^-1 c, a vector over columns; by how much a dependent row may be off that agrees with
  // the rows it is made of.
  std::vector<double> z_;
  std::vector<double> row_;
  std::vector<double> c_;
  std::vector<double> change_;
  std::vector<double> dense_;
  std::vector<double> forgiven_;
};

}  // namespace zwang::gauss
