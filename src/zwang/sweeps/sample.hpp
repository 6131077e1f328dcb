/// One sample of a sweep: its motion followed in memory, and the line of the table that comes of it.
///
/// The model is read once and compiled for every sample with the values of its parameters, as `zwang run --set` does: every sample has the bits of its own run. Its
/// expressions, their derivatives and tapes are made once, and again only for samples whose values stand in them (model/watch.hpp). Nothing is kept of a motion but its records.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/sweeps/design.hpp"
#include "zwang/sweeps/records.hpp"

namespace zwang::sweeps {

/// All that is needed to make the same sweep again.
struct Recipe {
  std::string file;            ///< where the model was read from
  std::string text;            ///< the model as it was read
  model::Overrides overrides;  ///< what is the same in all samples
  std::vector<Spec> over;
  std::uint64_t count = 0;  ///< 0: none was given
  std::uint64_t seed = 0;
  std::vector<std::string> records;
};

/// A line of the table.
struct Row {
  std::uint64_t sample = 0;
  std::string_view status;  ///< of the motion, or "error": with these values there is no model
  std::string why;          ///< of what is neither finished nor stopped
  double time = 0;          ///< reached; not a number where there was no motion
  std::uint64_t steps = 0;
  std::uint64_t events = 0;
  double defect = 0;
  std::vector<double> parameters;
  std::vector<double> records;
};
inline constexpr std::string_view no_model = "error";
/// The word itself, to which a line can refer; empty for what is no status of a line.
[[nodiscard]] std::string_view known_status(std::string_view word);

/// Any number of threads may ask it at once.
class Sweep {
 public:
  /// Throws Error for what is wrong with the whole: names, records, a model that cannot be read or compiled even with its own values.
  explicit Sweep(const Recipe& recipe);

  [[nodiscard]] const Design& design() const { return design_; }
  [[nodiscard]] const Records& records() const { return records_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  /// Names of the columns: `sample`, the parameters, `status`, `time`, `steps`, `events`, `defect`, the records as written. A name that an earlier column has, large and
  /// small letters being the same, gets a number: `time_2`.
  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }

  /// Sample k. False if `go_on`, asked after every step, said no.
  bool follow(std::uint64_t k, Row& row, const std::function<bool()>& go_on = {}) const;
  /// Samples first, first + 1, ..., side by side where that is faster (motion/flock.hpp), to the same bits. Lines are given to `take` in order, as they are done. False if
  /// `go_on`, asked after every step, said no before all of them were.
  bool follow(std::uint64_t first, std::uint64_t count, const std::function<void(Row&)>& take,
              const std::function<bool()>& go_on = {}) const;

 private:
  struct Going;
  class Patterns;
  /// False: with these values there is no model, and the line says why.
  bool set_out(std::uint64_t k, Row& row, Going& going, Patterns& patterns) const;
  /// False: the motion has ended, and its line is there.
  static bool step(Going& going);
  [[nodiscard]] model::Overrides values_of(const Row& row) const;
  void require_names() const;
  model::Overrides overrides_;
  model::Draft draft_;
  Design design_;
  Records records_;
  std::vector<std::string> names_;
  std::vector<std::string> columns_;
  std::string title_;
  model::Pattern pattern_;  ///< of the first sample
};

}  // namespace zwang::sweeps
