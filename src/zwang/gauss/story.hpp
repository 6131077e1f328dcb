/// The story of a nearest-point solve, told once for every backend ("face").
///
/// Some rows, the set A, are held as equations. Their multipliers follow from
///
///   Phi_AA lambda_A = (J a0 + h)_A,      Phi = J W J^T,
///
/// then a = a0 - W J^T lambda and w = J a + h. The set is right when no inequality in it has a negative multiplier and no
/// row outside is broken. Otherwise all negative rows leave and all broken rows enter together (block pivoting); if that
/// does not settle, the backend's rescue changes one row at a time, ends always, and proves infeasibility where it holds.
///
/// Symbols: a, a0, J, W, h, lambda, w as in problem.hpp; A the rows held; Phi the dual matrix.
/// Reference: docs/mathematics, section 3; Judice and Pires, Comput. Oper. Res. 21 (1994) 587 (patience in block pivoting);
/// Goldfarb and Idnani, Math. Programming 27 (1983) 1 (one row at a time).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

/// What a backend offers. It keeps between calls whatever saves work (patterns, factors, the last set) and allocates
/// only when sizes grow.
///
///   prepare(problem)   reads the problem; false when a number in it is not finite
///   recall()           warm start: the set is the one the last solve ended with; false if there is none of this shape
///   begin()            the free motion: the set is the equations alone
///   guess()            cold start: the set is the backend's own guess (equations among it)
///   hold()             factors the set; rows dependent on those before them are left out of it ("skipped"), equations
///                      come first
///   multipliers()      lambda on the set, and which inequalities in it came out `negative()`
///   price()            a and w, and which rows outside the set are `violated()` beyond rounding; skipped rows too
///   held()             the rows in the set, without the skipped ones
///   exchange()         all negative rows leave, all violated rows enter; false if that changes nothing (the violated
///                      ones were skipped) and only a rescue can go on
///   exhausted()        has so much work been done that an honest end is due?
///   rescue(most, solution, trials)
///                      continues alone, one row at a time, and returns how it ended; adds its factorisations to
///                      `solution.rounds` (at most `most` of them), fills `solution.farkas` when infeasible, and records
///                      its rounds in `trials` if given
///   suspicious()       may the duality gap be too large? From numbers at hand; false after a rescue, which has looked
///   improve(most, solution, trials)
///                      the same answer once more with twice the digits; how it ended
///   scratch()          room for the check of what is claimed, six numbers a variable
///   finish(solution)   cleans the result (lambda exactly zero off the set and >= 0 on inequalities), writes a, lambda,
///                      w, active, rank, and remembers the set; returns false when the result is not finite
template <class Face>
concept NearestPointFace = requires(Face face, const Problem& problem, Solution& solution, std::vector<Trial>* trials) {
  { face.prepare(problem) } -> std::same_as<bool>;
  { face.recall() } -> std::same_as<bool>;
  { face.begin() } -> std::same_as<void>;
  { face.guess() } -> std::same_as<void>;
  { face.hold() } -> std::same_as<void>;
  { face.multipliers() } -> std::same_as<void>;
  { face.price() } -> std::same_as<void>;
  { face.held() } -> std::convertible_to<std::span<const std::uint32_t>>;
  { face.negative() } -> std::convertible_to<std::span<const std::uint32_t>>;
  { face.violated() } -> std::convertible_to<std::span<const std::uint32_t>>;
  { face.exchange() } -> std::same_as<bool>;
  { face.exhausted() } -> std::same_as<bool>;
  { face.rescue(std::size_t{}, solution, trials) } -> std::same_as<Status>;
  { face.suspicious() } -> std::same_as<bool>;
  { face.improve(std::size_t{}, solution, trials) } -> std::same_as<Status>;
  { face.scratch() } -> std::same_as<std::vector<double>&>;
  { face.finish(solution) } -> std::same_as<bool>;
};

/// How long block pivoting may go on without fewer wrong signs than ever before. Rounds in which rows only leave do not
/// count: they end by themselves.
class Patience {
 public:
  /// True while block pivoting is worth another round.
  [[nodiscard]] bool lasts(std::size_t wrong_signs) {
    if (wrong_signs < fewest_) {
      fewest_ = wrong_signs;
      left_ = 5;
      return true;
    }
    return left_-- > 0;
  }

 private:
  std::size_t fewest_ = std::numeric_limits<std::size_t>::max();
  int left_ = 5;
};

/// One round as `explain` tells it.
template <NearestPointFace Face>
void record(const Face& face, std::vector<Trial>* trials) {
  if (trials == nullptr) return;
  const std::span<const std::uint32_t> held = face.held();
  const std::span<const std::uint32_t> negative = face.negative();
  const std::span<const std::uint32_t> violated = face.violated();
  trials->push_back(
      {{held.begin(), held.end()}, {negative.begin(), negative.end()}, {violated.begin(), violated.end()}});
}

/// So many rounds of one row at a time fit into the work that is honest, at least some for every row.
inline std::size_t honest_rounds(const Problem& problem) {
  const std::size_t n = problem.n(), r = problem.r();
  const std::size_t round = 1 + 4 * std::min(n, r) * n;
  const std::size_t most = 1000 + 50 * (n + r);
  return std::min(most, 100 + std::max(least_rounds_per_row * (n + r), plain_work / round));
}

/// Solve with the given backend.
template <NearestPointFace Face>
void tell(const Problem& problem, const Options& options, Face& face, Solution& solution, std::vector<Trial>* trials) {
  // Nothing is claimed yet.
  solution.status = Status::gave_up;
  solution.rounds = 0;
  solution.rank = 0;
  solution.farkas.clear();
  if (trials != nullptr) trials->clear();
  const std::size_t most_rounds = options.most_rounds != 0 ? options.most_rounds : honest_rounds(problem);

  // Read the problem.
  if (!face.prepare(problem)) return;

  // Start: warm from the last set, told to a reader from the free motion, cold from the backend's guess.
  if (!options.warm || !face.recall()) {
    if (trials != nullptr) {
      face.begin();
    } else {
      face.guess();
    }
  }

  // Hold the set, look at the signs, and change the set until no sign is wrong.
  Patience patience;
  Status status = Status::solved;
  while (true) {
    face.hold();
    face.multipliers();
    face.price();
    ++solution.rounds;
    record(face, trials);
    const std::size_t wrong_signs = face.negative().size() + face.violated().size();
    if (wrong_signs == 0) break;
    if (solution.rounds >= most_rounds || face.exhausted()) {
      status = Status::gave_up;
      break;
    }
    const bool only_leaves = face.violated().empty();
    if ((!only_leaves && !patience.lasts(wrong_signs)) || !face.exchange()) {
      status = face.rescue(most_rounds, solution, trials);
      break;
    }
  }

  // An answer whose objective may be off is looked at, and made with more digits if need be.
  const bool look = status == Status::solved && face.suspicious();
  bool finite = face.finish(solution);
  std::vector<double>& scratch = face.scratch();
  if (look && finite && !certified(verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low))) {
    status = face.improve(most_rounds, solution, trials);
    finite = face.finish(solution);
    if (status == Status::solved &&
        !certified(verify(problem, solution.a, solution.lambda, scratch, solution.lambda_low))) {
      status = Status::gave_up;
    }
  }

  // Multipliers beyond double are handed on only where they count, and only to those who read them.
  if (status == Status::solved && !solution.lambda_low.empty()) {
    const Certificate plain = verify(problem, solution.a, solution.lambda, scratch);
    if (!options.long_multipliers && !certified(plain)) status = Status::gave_up;
    // Whoever reads them also gets those whose rounding shows in the equations of motion alone.
    if (!options.long_multipliers || (certified(plain) && plain.worst() <= gap_bound)) solution.lambda_low.clear();
  }

  // Nothing is called contradictory without a proof that stands.
  if (status == Status::infeasible && !verify_farkas(problem, solution.farkas, scratch)) status = Status::gave_up;
  if (status != Status::infeasible) solution.farkas.clear();
  solution.status = status == Status::solved && !finite ? Status::gave_up : status;
}

}  // namespace zwang::gauss
