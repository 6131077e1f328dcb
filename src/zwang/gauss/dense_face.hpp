/// The dense backend of the nearest-point story: the dual matrix of the rows held, factored as L L^T.
///
/// With B = J M^-1/2 (any root of the mass matrix) Phi = B B^T. Only rows that become candidates get a row of B and of
/// Phi. They stand in order of entering; when some leave, L is kept in front of the first of them and made again behind it.
///
///   L L^T = Phi_AA,     L u = (J a0 + h)_A,     L^T lambda_A = u,     d = B_A^T lambda_A,     a = a0 - M^-1/2 d
///
/// A row whose pivot falls below `skipped_pivot` of its Phi_ii is left aside, and if it stays broken the rescue, which sees finer
/// angles, decides. Pivots below `doubtful_pivot` are made again from the rows, since the Gram matrix has lost their digits.
///
/// Symbols: as in problem.hpp; A the set, position p = place in A, slot = place in memory of a candidate row.
/// Reference: docs/mathematics, section 3; the cold guess: Polyak, USSR Comput. Math. Math. Phys. 9 (1969) 94.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/gauss/one_by_one.hpp"

namespace zwang::gauss {

class DenseFace {
 public:
  // The story's verbs; see story.hpp.
  [[nodiscard]] bool prepare(const Problem& problem);
  [[nodiscard]] bool recall();
  void begin();
  void guess();
  void hold();
  void multipliers();
  void price();
  [[nodiscard]] bool exchange();
  [[nodiscard]] bool exhausted() const { return false; }  ///< rounds are enough to limit small sets
  [[nodiscard]] Status rescue(std::size_t most_rounds, Solution& solution, std::vector<Trial>* trials);
  [[nodiscard]] bool suspicious();
  [[nodiscard]] Status improve(std::size_t most_rounds, Solution& solution, std::vector<Trial>* trials) {
    return rescue(most_rounds, solution, trials);
  }
  [[nodiscard]] std::vector<double>& scratch() { return scratch_; }
  /// Are the rows held nearly dependent, so that digits are gone?
  [[nodiscard]] bool weak() const;
  [[nodiscard]] bool finish(Solution& solution);
  [[nodiscard]] std::span<const std::uint32_t> held() const { return {set_.data(), size_}; }
  [[nodiscard]] std::span<const std::uint32_t> negative() const { return {negative_.data(), negative_count_}; }
  [[nodiscard]] std::span<const std::uint32_t> violated() const { return {violated_.data(), violated_count_}; }

 private:
  enum State : std::uint8_t { outside, in_set, skipped, copy };

  void make_room(std::size_t n, std::size_t r, std::size_t longest_row);
  void restart();
  double norm_squared(std::uint32_t row);
  void bring(std::uint32_t row, std::size_t slot);
  void bring_through_blocks(std::uint32_t row, double* out);
  bool replaces(std::uint32_t row, std::size_t slot);
  template <int R>
  void gram_rows(std::size_t first);
  template <int R>
  void factor_rows(std::size_t first);
  double careful_pivot(const double* l, std::size_t slot);
  [[nodiscard]] double along(const double* z, std::size_t slot) const;
  void extend();
  void compact();
  [[nodiscard]] bool repeats(std::uint32_t row, std::uint32_t other) const;
  void list_distinct();
  struct Steps;
  void take_steps(const Steps& steps, int most, bool few);
  void settle_few();
  void times_phi(const double* x, std::size_t count, double* out) const;
  void gram_block(std::size_t first, std::size_t count);
  void factor_block(std::size_t first, std::size_t count);
  void release(std::size_t slot);
  void combine(const double* c, double* out);
  double times_inverse_mass(double* x);
  [[nodiscard]] double slack(std::size_t row, const double* a) const;
  void all_slacks(const double* a, double* w) const;
  void distinct_slacks(double* w) const;
  void move(const double* lambda, const double* from);
  double length_of_a();
  void size_up();
  double terms(std::uint32_t row);
  bool within(double value, double fraction, std::uint32_t row);
  double residual();
  void refine();

  // Shape of the problem.
  const Problem* problem_ = nullptr;
  std::size_t n_ = 0, r_ = 0;
  bool full_rows_ = false;    ///< every row of J has all n entries
  bool diagonal_ = false;     ///< the mass matrix has no blocks
  bool short_rows_ = false;   ///< rows of B are kept as index and value
  bool all_known_ = false;    ///< Phi is complete and slots stay taken
  bool answered_ = false;     ///< the multipliers of the set are known
  bool told_ = false;         ///< begun from the free motion: every round is priced, every broken row enters
  std::size_t stride_ = 0;    ///< of a row of B
  std::size_t capacity_ = 0;  ///< slots

  // The set A by position, and candidates waiting behind it up to `wanted_`.
  std::size_t size_ = 0;    ///< rows factored and held
  std::size_t wanted_ = 0;  ///< rows listed, size_ <= wanted_
  std::size_t valid_ = 0;   ///< positions whose row of L still stands
  std::size_t solved_ = 0;  ///< positions whose entry of u still stands
  std::vector<std::uint32_t> set_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> slot_row_;  ///< row in a slot, in the guess for few rows
  std::vector<std::uint32_t> free_slots_;
  std::size_t free_count_ = 0;
  std::vector<std::uint32_t> waiting_;  ///< rows that want to enter
  std::size_t waiting_count_ = 0;
  std::vector<std::uint8_t> state_;  ///< by row: outside, held, skipped, copy of another

  // By slot: rows of B, |B|^2, free slack, Phi.
  std::vector<double> rows_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> length_;
  std::vector<double> square_;
  std::vector<double> free_;
  std::vector<double> gram_;

  // By position: L by rows, 1 / L_pp, u, lambda.
  std::vector<double> factor_;
  std::vector<double> inverse_;
  std::vector<double> u_;  ///< and as much work room behind it
  std::vector<double> multiplier_;

  // By variable and by row.
  std::vector<double> a_;
  std::vector<double> d_;
  std::vector<double> scatter_;
  std::vector<double> magnitude_;  ///< the terms of a, when `sized_`
  double length_of_a_ = -1;        ///< negative when not known
  bool sized_ = false;
  std::vector<double> w_;
  std::vector<double> norm_;  ///< |B_i|^2 once known, else -1

  // For the guess: rows without exact copies, a table to find those, six numbers a row.
  std::vector<std::uint32_t> distinct_;
  std::size_t distinct_count_ = 0;
  std::vector<std::uint32_t> table_;
  std::vector<double> estimate_;

  // What came out.
  std::vector<std::uint32_t> negative_;
  std::size_t negative_count_ = 0;
  std::vector<std::uint32_t> violated_;
  std::size_t violated_count_ = 0;
  double most_broken_ = 0;
  double most_excused_ = 0;  ///< |w_i| / |B_i| of rows that are broken and taken to be so by rounding

  // Kept for the next time and for the worst case.
  std::vector<std::uint32_t> last_;
  std::size_t last_n_ = 0, last_r_ = 0;
  bool has_last_ = false;
  std::size_t spent_ = 0;  ///< factorisations of the guess beyond the first
  OneByOne one_by_one_;
  std::vector<double> scratch_;
  bool rescued_ = false;
};

}  // namespace zwang::gauss
