/// A run in its file: one SQLite database that any language can read (docs/reference/run-file.md).
///
/// Whatever is added becomes part of the file with the next `commit`, together with the checkpoint given there, and
/// never in part: a program that is killed leaves the state of the last commit, from which the run goes on to the same bits.
/// While a store is open no other run can write its file. Troubles with the file (full disk, read-only, damaged, foreign) are
/// Errors that name it; what was committed before stays readable.
///
/// A file is data from a stranger. Every line carries a checksum; tables, numbers of lines, sizes of lists and numbers of conditions are looked at when
/// they are read, and what does not fit is a Fault that names the table and the line. What comes out of here can be used without another look.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/crowds/chronicle.hpp"
#include "zwang/crowds/track.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::runs {

/// The kind of processor that this program was built for.
[[nodiscard]] std::string this_machine();

/// All that is needed to make the same run again.
struct Recipe {
  std::string version;                   ///< of the program that wrote it
  std::string file;                      ///< where the model was read from
  std::string text;                      ///< the model as it was read
  model::Overrides overrides;            ///< what the command line changed
  std::optional<model::Law> law = {};    ///< put in the place of those in the text, by a comparison of laws
  std::string machine = this_machine();  ///< on which it was begun
};

/// Belongs to one thread at a time, reading included.
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
  [[nodiscard]] const motion::Sampling& sampling() const;
  /// The estimated error of the end, for the answers told from here on; the file does not keep it.
  void note_error(double error);
  [[nodiscard]] const motion::Account& account() const;  ///< of the last commit
  [[nodiscard]] std::uint64_t pieces() const;
  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] std::uint64_t samples() const;
  /// Bytes added since the last commit, about; they are in memory until then.
  [[nodiscard]] std::uint64_t pending() const;
  /// Bytes of the last checkpoint; empty if there is none yet.
  [[nodiscard]] std::string checkpoint() const;

  /// The model of the run, to which the file must fit; it has the names of [outputs], which `add` and `each_sample` need. `create` knows it already;
  /// after `open` and `read` it comes before anything else is asked together with the model.
  void set_outputs(const model::Model& model);
  /// The end of the run is moved.
  void set_until(const std::string& until, double value);

  void add(const motion::Piece& piece);
  /// Of a crowd: in the place of pieces and samples, with the pairs that have met in it for the first time. One that goes on is put anew, in the same
  /// place and with all of its pairs, the next time.
  void add(const crowds::Written& chunk, const model::Model& model, std::span<const model::Pair> met,
           bool goes_on = false);
  void add(const motion::Event& event);
  void add(const motion::Sample& sample);
  /// Everything added so far, the account and a checkpoint become permanent, as one. False when a reader holds the file at the
  /// moment: nothing is lost, the next commit takes it along. A patient commit waits, and is an Error when that was in vain.
  bool commit(const motion::Account& account, std::string_view checkpoint, bool patient);

  /// The last piece that begins at or before this time; false if there is none.
  bool piece_at(double time, motion::Piece& piece) const;
  /// The first event at or after this time; none if there is none.
  [[nodiscard]] std::optional<double> event_time_from(double time) const;
  // One after the other, in order; the visitor says whether to go on.
  void each_piece(std::uint64_t first, const std::function<bool(const motion::Piece&)>& visit) const;
  void each_event(std::uint64_t first, const std::function<bool(const motion::Event&)>& visit) const;
  void each_sample(std::uint64_t first, const std::function<bool(const motion::Sample&)>& visit) const;

  /// Is it the run of a crowd? What it has met are rows of its model behind all others (`told_model`).
  [[nodiscard]] bool is_crowd() const;
  [[nodiscard]] std::vector<model::Pair> met() const;
  [[nodiscard]] std::uint64_t chunks() const;
  [[nodiscard]] std::shared_ptr<const crowds::Chunk> chunk(std::uint64_t number) const;

  /// As any run is looked at; the store and the model, that of `told_model`, must outlive the view and stay as they are.
  [[nodiscard]] motion::RunView view(const model::Model& model) const;

  /// For tests of a full disk: the file must not grow beyond so many pages of 4096 bytes.
  void limit_pages(std::uint64_t pages);

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace zwang::runs
