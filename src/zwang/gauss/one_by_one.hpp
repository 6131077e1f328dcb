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
/// Orthogonal rows instead of the Gram matrix tell angles of 1e-11 from zero, where the Gram matrix loses sight at 1e-7. Where
/// that is not enough (see tolerances.hpp for the rule) plain arithmetic says that it is in doubt, and the same method in
/// twofold arithmetic goes on from the set reached. A contradiction is told only with a proof that `verify_farkas` accepts.
///
/// Symbols: as in problem.hpp; b = M^1/2 a. Reference: Goldfarb and Idnani, Math. Programming 27 (1983) 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/linear/twofold.hpp"

namespace zwang::gauss {

/// The method with numbers of one kind, double or linear::Twofold.
template <class Real>
class OneByOneWith {
 public:
  /// Makes room for problems of this shape, so that `run` allocates nothing.
  void reserve(const Problem& problem);

  /// Solves, starting from the rows in `start` (equations are always taken). Adds to `solution.rounds`, at most up to
  /// `most_rounds`; fills `solution.farkas` when infeasible. `gave_up` may mean that more digits are needed: `doubtful`.
  [[nodiscard]] Status run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                           Solution& solution, std::vector<Trial>* trials);

  /// At most so many products in a run, if that is less than what is honest anyway; and how many the last one took.
  void allow(std::size_t products) { allowed_work_ = products; }
  [[nodiscard]] std::size_t work() const { return work_; }

  /// Is a dependent row that agrees with others but for rounding left as it is, or taken in wherever another may leave for it?
  void to_the_letter(bool strictly) { strictly_ = strictly; }

  /// Did the last run end because a rank, a proof or the last digits could not be told?
  [[nodiscard]] bool doubtful() const { return doubtful_; }

  /// If it was a proof: the rows with a large part in it.
  [[nodiscard]] std::span<const std::uint32_t> suspects() const { return suspects_; }

  /// The answer: accelerations, multipliers of all rows and what they hold beyond double, slacks, rows held.
  [[nodiscard]] std::span<const double> a() const { return answer_a_; }
  [[nodiscard]] std::span<const double> lambda() const { return answer_lambda_; }
  [[nodiscard]] std::span<const double> lambda_low() const { return answer_low_; }
  [[nodiscard]] std::span<const double> w() const { return answer_w_; }
  [[nodiscard]] std::span<const std::uint32_t> held() const { return {set_.data(), size_}; }

 private:
  /// Columns outside of which a row of Q is exactly zero. Both ends are such that sums over it alone are the same bits as sums over all columns.
  struct Reach {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  enum class Joined : std::uint8_t { joined, consistent, contradicts, doubtful, exhausted };

  void gather_columns(const Problem& problem);
  double metric_row(const Problem& problem, std::uint32_t row, Real* out) const;
  [[nodiscard]] double terms(const Problem& problem, std::uint32_t row) const;
  [[nodiscard]] double excuse(const Problem& problem, std::uint32_t row) const;
  [[nodiscard]] Real slack(const Problem& problem, std::uint32_t row) const;
  void price(const Problem& problem);
  void size_up(const Problem& problem);
  [[nodiscard]] bool exact(const Problem& problem) const;
  Real split(const Problem& problem, std::uint32_t row);
  [[nodiscard]] Reach wide_enough(std::size_t first, std::size_t last) const;
  void push(std::uint32_t row, Real rest);
  void drop(std::size_t place);
  void move(const Problem& problem, Real step);
  void solve_multipliers(Real* right) const;
  void combine(const Problem& problem, const Real* c);
  void polish(const Problem& problem, bool afresh);
  [[nodiscard]] bool start_from(const Problem& problem, std::span<const std::uint32_t> start);
  [[nodiscard]] bool exhausted() const;
  Joined join(const Problem& problem, std::uint32_t row, std::size_t most_rounds, Solution& solution, Trial* trial);
  bool certify(const Problem& problem, std::uint32_t row, double sign, Solution& solution);
  Status pivot(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
               Solution& solution, std::vector<Trial>* trials);
  void answer(const Problem& problem);

  // The problem's shape: columns that occur in a row, or share a block of the mass with one that does.
  std::vector<std::uint32_t> columns_;
  std::vector<std::uint32_t> place_;
  std::size_t width_ = 0;
  std::size_t most_held_ = 0;

  // Rows held: their numbers, Q by rows, R by columns; the sizes |B_i| of all rows, and how well B_i is known.
  std::vector<std::uint32_t> set_;
  std::vector<std::uint8_t> is_held_;
  std::size_t size_ = 0;
  std::vector<Real> q_;
  std::vector<Real> r_;
  std::vector<Reach> reach_;  ///< of the rows of Q
  std::vector<double> norm_;
  std::vector<double> known_;

  // Where we are.
  std::vector<Real> a_;
  std::vector<Real> lambda_;
  std::vector<Real> w_;
  std::vector<double> magnitude_;  ///< by column: the absolute values of the terms that a was summed from
  double length_of_a_ = 0;         ///< |M^1/2 a0| + |M^1/2 a|
  bool doubtful_ = false;
  bool strictly_ = false;
  std::vector<std::uint32_t> suspects_;
  std::size_t work_ = 0;  ///< products so far
  std::size_t allowed_work_ = std::numeric_limits<std::size_t>::max();

  // Work: the row being split, another, c, R^-1 c, a vector over columns; by how much a dependent row may be off that agrees with
  // the rows it is made of.
  std::vector<Real> z_;
  std::vector<Real> row_;
  std::vector<Real> c_;
  std::vector<Real> change_;
  std::vector<Real> dense_;
  std::vector<double> plain_;
  std::vector<double> other_plain_;
  std::vector<double> forgiven_;
  std::vector<double> scratch_;

  // What came out.
  std::vector<double> answer_a_;
  std::vector<double> answer_lambda_;
  std::vector<double> answer_low_;
  std::vector<double> answer_w_;
};

/// Plain arithmetic first, twofold where that leaves a doubt; an answer only with a certificate within its bounds.
class OneByOne {
 public:
  void reserve(const Problem& problem);
  [[nodiscard]] Status run(const Problem& problem, std::span<const std::uint32_t> start, std::size_t most_rounds,
                           Solution& solution, std::vector<Trial>* trials);

  /// At most so many products in a run, twofold ones counted `twofold_cost` times; and how many the last one took.
  void allow(std::size_t products) { allowed_work_ = products; }
  [[nodiscard]] std::size_t work() const { return work_; }

  /// The answer of whoever had the last word. `lambda_low` is empty unless it was twofold arithmetic.
  [[nodiscard]] std::span<const double> a() const { return careful_ ? twofold_.a() : plain_.a(); }
  [[nodiscard]] std::span<const double> lambda() const { return careful_ ? twofold_.lambda() : plain_.lambda(); }
  [[nodiscard]] std::span<const double> lambda_low() const {
    return careful_ ? twofold_.lambda_low() : plain_.lambda_low();
  }
  [[nodiscard]] std::span<const double> w() const { return careful_ ? twofold_.w() : plain_.w(); }
  [[nodiscard]] std::span<const std::uint32_t> held() const { return careful_ ? twofold_.held() : plain_.held(); }
  [[nodiscard]] bool careful() const { return careful_; }

 private:
  [[nodiscard]] bool certified_answer(const Problem& problem);
  [[nodiscard]] bool suspects_contradict(const Problem& problem, std::size_t most_rounds, Solution& solution);

  [[nodiscard]] Status run_twofold(const Problem& problem, std::span<const std::uint32_t> start,
                                   std::size_t most_rounds, Solution& solution, std::vector<Trial>* trials);

  OneByOneWith<double> plain_;
  OneByOneWith<linear::Twofold> twofold_;
  std::size_t work_ = 0;
  std::size_t allowed_work_ = std::numeric_limits<std::size_t>::max();
  bool careful_ = false;
  std::vector<std::uint32_t> start_;
  std::vector<double> scratch_;
};

}  // namespace zwang::gauss
