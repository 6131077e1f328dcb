/// A run in its file: one SQLite database that any language can read (docs/reference/run-file.md).
///
/// Whatever is added becomes part of the file with the next `commit`, together with the checkpoint given there, and
/// never in part: a program that is killed leaves the state of the last commit, from which the run goes on to the same bits.
/// While a store is open no other run can write its file. Troubles with the file (full disk, read-only, damaged, foreign) are
/// Errors that name it; what was committed before stays readable.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/motion/trajectory.hpp"

namespace zwang::motion {

/// All that is needed to make the same run again.
struct Recipe {
  std::string version;         ///< of the program that wrote it
  std::string file;            ///< where the model was read from
  std::string text;            ///< the model as it was read
  model::Overrides overrides;  ///< what the command line changed
};

/// The instants of the samples: sample k at start + k (until - start) / (count - 1), for k = 0, 1, ... as far as the run goes.
struct Sampling {
  double start = 0;
  double until = 0;
  std::uint32_t count = 0;
  [[nodiscard]] double instant(std::uint64_t k) const;
};

/// A state on the motion, with everything that is known there.
struct Sample {
  model::State state;
  std::vector<std::uint32_t> rows;  ///< rows held
  std::vector<double> multipliers;  ///< of the rows held
  std::vector<double> rho;          ///< of the rows held; empty when no condition is variational
  std::vector<double> outputs;      ///< of [outputs], in the order of the file
};

/// How far the run is, and what it has cost.
struct Account {
  std::string status = "going";       ///< words of the motion's status; "going" while it is written, or "interrupted"
  std::string why;                    ///< for an end that is no plain finish: one sentence
  std::vector<std::string> culprits;  ///< names of the rows involved
  Sample present;                     ///< the state reached
  EnergyBalance energy;
  double position_drift = 0;
  double velocity_drift = 0;
  double defect = 0;  ///< worst bound of a step; 0 in files that do not know it yet
  double error = std::numeric_limits<
      double>::quiet_NaN();  ///< estimated, of the end; NaN: not asked for; infinite: lost. Not kept in files
  double position_correction = 0;
  double velocity_correction = 0;
  std::uint64_t steps = 0;
  double seconds = 0;  ///< of computing, over all continuations
};

class Store {
 public:
  /// A new run file, its folder made if need be. An older run there is replaced, any other file is an Error. When another run
  /// is writing that very file, name-2, name-3, ... is taken.
  [[nodiscard]] static Store create(const std::string& path, const Recipe& recipe, const model::Model& model);
  /// An existing run file, to go on with it or to read it.
  [[nodiscard]] static Store open(const std::string& path);
  /// The same to read it alone: nothing is held, other programs may read and write it meanwhile.
  [[nodiscard]] static Store read(const std::string& path);
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const Recipe& recipe() const;
  [[nodiscard]] const Sampling& sampling() const;
  /// The estimated error of the end, for the answers told from here on; the file does not keep it.
  void note_error(double error);
  [[nodiscard]] const Account& account() const;  ///< of the last commit
  [[nodiscard]] std::uint64_t pieces() const;
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] std::uint64_t samples() const;
  /// Bytes added since the last commit, about; they are in memory until then.
  [[nodiscard]] std::uint64_t pending() const;
  /// Bytes of the last checkpoint; empty if there is none yet.
  [[nodiscard]] std::string checkpoint() const;

  /// The names of [outputs], which `add` and `each_sample` need; `create` has them already.
  void set_outputs(const model::Model& model);
  /// The end of the run is moved.
  void set_until(const std::string& until, double value);

  void add(const Piece& piece);
  void add(const Event& event);
  void add(const Sample& sample);
  /// Everything added so far, the account and a checkpoint become permanent, as one. False when a reader holds the file at the
  /// moment: nothing is lost, the next commit takes it along. A patient commit waits, and is an Error when that was in vain.
  bool commit(const Account& account, std::string_view checkpoint, bool patient);

  /// The last piece that begins at or before this time; false if there is none.
  bool piece_at(double time, Piece& piece) const;
  /// The first event at or after this time; none if there is none.
  [[nodiscard]] std::optional<double> event_time_from(double time) const;
  // One after the other, in order; the visitor says whether to go on.
  void each_piece(std::uint64_t first, const std::function<bool(const Piece&)>& visit) const;
  void each_event(std::uint64_t first, const std::function<bool(const Event&)>& visit) const;
  void each_sample(std::uint64_t first, const std::function<bool(const Sample&)>& visit) const;

  /// For tests of a full disk: the file must not grow beyond so many pages of 4096 bytes.
  void limit_pages(std::uint64_t pages);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::motion
