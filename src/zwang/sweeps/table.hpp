/// The table of a sweep in its file: one SQLite database that any language can read (docs/reference/sweep-file.md).
///
/// Table `samples` has one line per sample, in order and without a gap: what was added becomes part of the file with the next `commit`, never in part, so that a program
/// that is killed leaves the samples of the last commit, and a sweep goes on with the next one. Beside it stand the recipe (`sweep`, `options`), why samples
/// failed (`failures`), and a checksum of every stretch that was committed (`chunks`).
///
/// A file is data from a stranger: what is read from it is looked at, and what does not fit is a Fault.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/sweeps/sample.hpp"

namespace zwang::sweeps {

/// Belongs to one thread.
class Table {
 public:
  /// A new file, its folder made if need be. An older sweep there is replaced, any other file is an Error; when another sweep is writing that very
  /// file, name-2, name-3, ... is taken.
  [[nodiscard]] static Table create(const std::string& path, const Recipe& recipe, const Sweep& sweep);
  /// An existing file, to go on with it.
  [[nodiscard]] static Table open(const std::string& path);
  /// The same to read it alone: nothing is held, another sweep may write it meanwhile.
  [[nodiscard]] static Table read(const std::string& path);
  ~Table();
  Table(Table&&) noexcept;
  Table& operator=(Table&&) noexcept;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const Recipe& recipe() const;
  [[nodiscard]] const std::string& title() const;  ///< of the model
  [[nodiscard]] const std::vector<std::string>& columns() const;
  [[nodiscard]] std::size_t parameters() const;  ///< columns behind the first that hold parameters
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::uint64_t done() const;  ///< samples added so far
  [[nodiscard]] double seconds() const;      ///< of computing, over all continuations, at the last commit
  /// Of a sweep begun by another version or on another processor: a sentence for whoever goes on.
  [[nodiscard]] std::string notice() const;

  /// The next sample.
  void add(const Row& row);
  /// What was added becomes permanent. False when a reader holds the file at the moment: nothing is lost, the next commit takes it along. A patient commit waits, and
  /// is an Error when that was in vain.
  bool commit(double seconds, bool patient);

  // Of what was committed. Sums are checked on the way, or before where that was not done yet.

  /// How many samples ended how.
  [[nodiscard]] std::map<std::string, std::uint64_t> statuses() const;
  /// The first samples that failed, with their reasons.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::string>> failures(std::uint64_t most) const;
  /// The lines in order, without why a sample failed.
  void each_row(const std::function<void(const Row&)>& visit) const;
  /// The lines as cells of a CSV file, in order: numbers that read back to the same double, an empty cell for what does not exist.
  void each(const std::function<void(const std::vector<std::string>&)>& visit) const;

  /// For tests of a full disk: the file must not grow beyond so many pages of 4096 bytes.
  void limit_pages(std::uint64_t pages);

 private:
  struct Impl;
  explicit Table(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Is this a sweep file, by its header?
[[nodiscard]] bool is_sweep_file(const std::string& path);

/// The table as CSV (RFC 4180), line by line; the first line names the columns.
void write_csv(const Table& table, const std::function<void(std::string_view)>& sink);

}  // namespace zwang::sweeps
