/// Runs in files: written while the motion goes on, read by anybody, resumed to the same bits.
///
/// A run file is one SQLite database (docs/reference/run-file.md) with the model, the polynomials of the motion, its events and samples. A program
/// that is killed leaves the state of the last commit, from which `resume` goes on as if nothing had happened.
///
///   zwang::record(model, "swing.sqlite", {.until = 100});
///   const zwang::Motion longer = zwang::resume("swing.sqlite", {.until = 200});
///   const zwang::Motion again = zwang::open_run("swing.sqlite");
///
/// Trouble with a file (full disk, read-only, damaged, not a run) is an Error that names it; what was committed before stays readable.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "zwang/motion.hpp"

namespace zwang {

/// How to go on with a run.
struct ResumeOptions {
  std::optional<double> until = {};  ///< a later end; none: the one it was begun with
  /// Asked after every piece; false interrupts the run, which can go on later.
  std::function<bool(const Progress&)> go_on = {};
  /// Told in a sentence, before the run goes on, that another version or another kind of processor began it: what is added may differ in its last digits.
  std::function<void(const std::string&)> notice = {};
  /// What is wrong with them, in a sentence; empty if nothing is.
  [[nodiscard]] std::string check() const;
};

/// The motion of a model, into a new run file, its folder made if need be. An older run there is replaced, any other file is an Error; when another
/// run is writing that very file, name-2, name-3, ... is taken, and `Motion::path` says so.
[[nodiscard]] Motion record(const Model& model, const std::filesystem::path& file, const RunOptions& options = {});

/// On with an interrupted run, or with a finished one to a later time: with the text, the parameters and the law it was begun with. Where another version or
/// another kind of processor began it the last digits may differ from what they would have been there. Throws Error for an end that lies behind.
[[nodiscard]] Motion resume(const std::filesystem::path& file, const ResumeOptions& options = {});

/// A run from its file, to be read; what is asked for is read, no more. Other programs may go on writing it.
[[nodiscard]] Motion open_run(const std::filesystem::path& file);

/// A motion that lies in memory, into a run file; the name of the file. One that was run `from` another start than its model's is written with that
/// start in the text.
[[nodiscard]] std::string save(const Motion& motion, const std::filesystem::path& file);

}  // namespace zwang
