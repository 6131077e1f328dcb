/// What is recorded of every sample.
///
///   a.x                     an expression of the state, at the end
///   at(2.5, a.x)            the same at a time; sampling at an event gives the state after it
///   max(a.x)   min(a.x)     its extremes over the whole motion (extremes.hpp)
///   time(impact, 1)         when the first impact was; time(release floor, 2): the second release of that condition
///   count(impact)           how many there were
///
/// What does not exist (a time behind the end, a third impact of two) is not a number, and an empty cell of the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/motion/advance.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::sweeps {

enum class RecordKind : std::uint8_t { end, at, largest, least, time, count };

struct Record {
  RecordKind kind = RecordKind::end;
  std::string text;          ///< as it was written, without blanks around it
  std::uint32_t state = 0;   ///< number among the expressions of the state
  std::uint32_t number = 0;  ///< of `at`: number among the expressions of parameters
  motion::EventKind event = motion::EventKind::impact;
  std::string condition = {};    ///< or a body; empty: any
  std::size_t condition_at = 0;  ///< byte in the text
  std::uint64_t which = 1;       ///< of `time`: counted from 1
};

/// All records of a sweep, and the expressions in them to be compiled with the model.
struct Records {
  std::vector<Record> list;
  std::vector<model::Watch> states;
  std::vector<model::Watch> numbers;
};
/// Throws Error with the place in the text.
[[nodiscard]] Records read_records(const std::vector<std::string>& texts);

/// `model::compile` with the records' expressions; errors in them show the record as it was written. `pattern`: to be written, or nullptr.
[[nodiscard]] model::Watching compile(const model::Draft& draft, const model::Overrides& overrides,
                                      const Records& records, model::Pattern* pattern = nullptr);

/// An Error if a record asks for events of a condition, or body, that the model does not have.
void require_conditions(const model::Model& model, const Records& records);

/// The records of one motion, filled while it goes.
class Recorder {
 public:
  Recorder(const Records& records, const model::Watching& watching);

  /// After `begin` and after every `advance`.
  void follow(const motion::Motion& motion);
  /// At the end: the values, one per record.
  void finish(const motion::Motion& motion, double* values);

 private:
  void take_events(const motion::Motion& motion);
  void take_times(const motion::Motion& motion);

  const Records& records_;
  const model::Watching& watching_;
  std::vector<double> values_;
  std::vector<std::uint64_t> found_;              ///< events of each record so far
  std::vector<std::vector<std::uint32_t>> rows_;  ///< of its condition, ascending
  std::vector<std::uint32_t> waiting_;            ///< `at` records by descending time
  model::State state_;
  std::vector<std::uint32_t> extremes_;  ///< `max` and `min` records
};

}  // namespace zwang::sweeps
