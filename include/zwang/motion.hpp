/// A motion over a finite time: followed by `run`, kept in memory or in a file, a function of time afterwards.
///
///   const zwang::Motion motion = zwang::run(model, {.until = 10});
///   for (const zwang::motion::Event& event : motion.events()) tell(event.time, words(event.kind));
///   const zwang::State state = motion.at(2.5);
///
/// Asking for the state at the time of an event gives the state after it. A motion that jams, becomes singular or is refused ends with that
/// status; what was reached and everything that happened before stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zwang/model.hpp"
#include "zwang/trajectory.hpp"

namespace zwang {

/// How far a run is.
struct Progress {
  double time = 0;
  std::uint64_t steps = 0;
  std::uint64_t events = 0;
};

/// How to run. What is not given is the model's own.
struct RunOptions {
  std::optional<double> until = {};           ///< after the start
  std::optional<double> tolerance = {};       ///< 0 to 1: what the steps may leave of the equations of motion
  std::optional<std::uint32_t> samples = {};  ///< instants that `times` lists and a run file keeps, at least 1
  std::optional<State> from = {};             ///< another start
  bool estimate_error = false;                ///< go the way twice more to estimate the error of the end
  /// Asked after every piece; false interrupts the run with status `interrupted`.
  std::function<bool(const Progress&)> go_on = {};
  /// What is wrong with them, in a sentence; empty if nothing is.
  [[nodiscard]] std::string check() const;
};

/// A motion that was followed. Cheap to copy; const like all its copies: any number of threads may ask it at once.
class Motion {
 public:
  // Not moved but copied, so that no Motion is ever without content.
  Motion(const Motion& other);
  Motion& operator=(const Motion& other);
  ~Motion();

  [[nodiscard]] const Model& model() const;
  [[nodiscard]] motion::Status status() const;
  [[nodiscard]] const std::string& why() const;  ///< for an end that is no plain finish: one sentence
  [[nodiscard]] double start() const;            ///< where it begins
  [[nodiscard]] double end() const;              ///< where it came to
  /// The state reached with its multipliers, the law of energy, drift, defect, steps, the estimated error.
  [[nodiscard]] const motion::Account& account() const;
  /// The run file it lies in; empty: it lies in memory.
  [[nodiscard]] std::string path() const;

  // States, at any times from `start` to `end`; others are refused with std::out_of_range.

  [[nodiscard]] State at(double time) const;
  /// With the multipliers of the rows that held, and the outputs.
  [[nodiscard]] motion::Sample sample(double time) const;
  /// Many at once, n numbers per time one after the other; quickest if times ascend. An empty span is not filled.
  void states(std::span<const double> times, std::span<double> position, std::span<double> velocity) const;
  /// Multipliers of some rows at some times, one line of `rows.size()` numbers per time; NaN where a row has none.
  void multipliers(std::span<const double> times, std::span<const std::uint32_t> rows, std::span<double> out) const;
  /// The same for rho of rows under the variational law.
  void rho(std::span<const double> times, std::span<const std::uint32_t> rows, std::span<double> out) const;
  /// The instants of the samples, as far as the motion came.
  [[nodiscard]] std::vector<double> times() const;

  // What it consists of.

  [[nodiscard]] std::uint64_t event_count() const;
  [[nodiscard]] std::uint64_t piece_count() const;
  /// In order, from a number on, at most so many.
  [[nodiscard]] std::vector<motion::Event> events(std::uint64_t first = 0,
                                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] std::vector<motion::Piece> pieces(std::uint64_t first = 0,
                                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;

 private:
  friend struct face::Access;
  struct Inside;
  explicit Motion(std::shared_ptr<const Inside> inside);
  std::shared_ptr<const Inside> inside_;
};

/// The motion of a model, in memory. Throws std::invalid_argument for options that cannot be meant, also for a start whose rho differs
/// between members of a family.
[[nodiscard]] Motion run(const Model& model, const RunOptions& options = {});

}  // namespace zwang
