/// A compilation: what is known so far of the model that is being made, and how one member's expression is read.
///
/// Every expression is walked once per member on numbers (`trace`); the key that this walk leaves in the slots tells which shape the
/// member's expression has, and only the first member of a shape is built as an expression (`build`), differentiated and put on a tape.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/compile/joints.hpp"
#include "zwang/model/compile/journal.hpp"
#include "zwang/model/draft.hpp"
#include "zwang/model/interpret.hpp"
#include "zwang/model/read.hpp"
#include "zwang/model/shapes.hpp"

namespace zwang::model {

using expressions::ConditionSyntax;
using expressions::Expr;
using expressions::RangeSyntax;
using expressions::Relation;

/// The numbers of an expression, and of what they are made.
using Traced = Quantity<Tracer::Scalar>;

/// The rows of a condition's alternatives by the pattern of its slots.
using KnownRows = std::map<std::vector<std::uint32_t>, std::vector<std::vector<RowShape>>>;

constexpr double most_members = 1e6;  // of a family, or of a range

struct Compilation {
  Compilation(const Draft::Content& what, const Overrides& instead)
      : content(what), overrides(instead), source(what.source), formulas(what.source) {}

  const Draft::Content& content;
  const Overrides& overrides;
  const Source& source;
  Formulas formulas;
  Vocabulary vocabulary;                        ///< names; the parameters and bodies they mean
  std::vector<const Value*> parameter_values;   ///< where each parameter is written
  std::vector<const Field*> body_fields;        ///< where each body is written
  std::vector<Binding> bindings;                ///< the indices that stand for numbers just now
  std::optional<Syntax> kinetic;                ///< the kinetic energy as it was written
  std::vector<Syntax> view_positions;           ///< of each point of the view
  std::vector<JointFrame> joints;               ///< those read so far
  std::vector<std::string> steady_joints;       ///< whose conditions make the inertia of thin rods regular
  std::map<std::string, KnownRows> known_rows;  ///< of conditions that are built alike, by how
  std::uint32_t lanes = 0;                      ///< of all sums in the energies together
  double keeper = 0;                 ///< of the spring whose terms are added: what its release turns off; 0: none
  Pairs pairs = Pairs::written_out;  ///< what becomes of families of conditions between any two members
  Model model;
  Shapes shapes;
  Journal journal;                   ///< notes what shapes are made of, or compares, or neither
  std::size_t before_state = 0;      ///< of the texts: those that overrides put before others end here
  std::vector<double> numbers_here;  ///< in the expression that was traced last, while there is a journal

  // Numbers of parameters and indices alone.
  Slots no_slots{0};
  Tracer number_tracer{formulas, no_slots};
  Interpreter<Tracer> numbers{formulas, vocabulary, number_tracer};

  // Expressions of the state, once the bodies are placed.
  std::optional<Slots> slots;
  std::optional<Tracer> tracer;
  std::optional<Builder> builder;
  std::optional<Interpreter<Tracer>> tracing;
  std::optional<Interpreter<Builder>> building;

  /// From here on expressions may speak of the state.
  void know_state();

  /// What stands at a key of the file, or nullptr.
  [[nodiscard]] const Value* find(std::string_view table, std::string_view key = {}) const;

  /// The value of an expression of parameters and indices.
  Traced compute(const Syntax& syntax, std::string_view where);
  double compute_number(const Syntax& syntax, std::string_view where);
  double compute_number(const Value& value, std::string_view where);
  double compute_whole(const Syntax& syntax, std::string_view where);
  /// A number of the start, where rounding put it off by more than a part of itself.
  static void note_doubt(std::vector<Doubt>& doubts, std::size_t variable, double value, double error);
  static void note_doubt(std::vector<Doubt>& doubts, std::size_t variable, const Tracer::Scalar& number) {
    if (!number.leaps) note_doubt(doubts, variable, number.value, number.error);
  }
  /// The components of a vector of the start, the first of which belongs to this variable. One that is below the rounding of the largest and has all the
  /// digits of a double, 6.123233995736766e-17 beside 1, was computed as zero elsewhere; one with fewer is meant as it is written.
  static void note_doubts(std::vector<Doubt>& doubts, std::size_t first, std::span<const Tracer::Scalar> parts);

  /// How many members a family has, in each of its indices.
  std::vector<std::uint32_t> read_counts(const Value& value);

  /// One member's expression on numbers; its slots stand in `slots` then.
  Traced trace(const Syntax& syntax, const Context& context);
  /// The expressions of what was traced last; the slots are filled anew in the same order.
  std::vector<Expr> build(const Syntax& syntax, const Context& context);
  /// What `make` makes of the expression that was traced last, unless the journal has it.
  /// `loose`: the place among its numbers of one, a parameter, that might be another in a model of the same structure (journal.hpp).
  template <class Result, class Make>
  Result made(const Syntax& syntax, Make make, std::size_t loose = Journal::none, std::uint32_t parameter = 0) {
    if (!journal.reads() && !journal.writes()) return make();
    journal.note(std::uint64_t{syntax.offset - before_state});
    journal.note(formulas.outside_text(syntax));
    journal.note(shapes, numbers_here, loose, parameter);
    return journal.made<Result>(shapes, *slots, probe(), make);
  }
  /// What was traced or built last belongs to a spring that can be let go: a slot for its number, and its terms times a truth about that.
  void trace_keeper();
  void build_keeper(std::span<Expr> outputs);
  /// The state of the member whose slots stand there.
  [[nodiscard]] Probe probe() const;
  [[nodiscard]] std::string name_of(std::uint32_t variable) const;

  /// An index may not hide anything that has a meaning.
  void check_indices(std::span<const RangeSyntax> ranges) const;
  /// "link[3]" for messages: the name with the indices that are bound just now.
  [[nodiscard]] std::string member_words(const std::string& name) const;

  /// Calls `visit(member)` with the indices of every member bound.
  template <class Visit>
  void for_members(const Body& body, Visit visit) {
    const std::size_t depth = body.counts.size();
    if (depth > 0) bindings.push_back({"i", 1});
    if (depth > 1) bindings.push_back({"j", 1});
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      if (depth == 1) bindings[0].value = member + 1.0;
      if (depth == 2) {
        const std::uint32_t row = member / body.counts[1];
        bindings[0].value = row + 1.0;
        bindings[1].value = member - row * body.counts[1] + 1.0;
      }
      visit(member);
    }
    bindings.clear();
  }

  /// Calls `visit()` for every combination of the ranges, with their indices bound.
  template <class Visit>
  void for_ranges(std::span<const RangeSyntax> ranges, Visit& visit) {
    if (ranges.empty()) {
      visit();
      return;
    }
    const RangeSyntax& range = ranges[0];
    const double low = compute_whole(range.low, "the lower bound of a range");
    const double high = compute_whole(range.high, "the upper bound of a range");
    if (high - low > most_members) {
      throw formulas.error(range.high, fmt::format("a range may have at most {} members", most_members));
    }
    const std::size_t depth = bindings.size();
    bindings.push_back({range.name, low});
    const auto steps = static_cast<std::int64_t>(high - low);
    for (std::int64_t step = 0; step <= steps && low <= high; ++step) {
      bindings[depth].value = low + static_cast<double>(step);
      for_ranges(ranges.subspan(1), visit);
    }
    bindings.pop_back();
  }

  /// How many combinations of the ranges there are, as far as `most`: counted before the first of them is made.
  double count_members(std::span<const RangeSyntax> ranges, double most) {
    if (ranges.empty()) return 1;
    const double low = compute_whole(ranges[0].low, "the lower bound of a range");
    const double high = compute_whole(ranges[0].high, "the upper bound of a range");
    if (ranges.size() == 1 || high - low > most_members) return std::max(0.0, high - low + 1);
    const std::size_t depth = bindings.size();
    bindings.push_back({ranges[0].name, low});
    double count = 0;
    for (double index = low; index <= high && count <= most; ++index) {
      bindings[depth].value = index;
      count += count_members(ranges.subspan(1), most);
    }
    bindings.pop_back();
    return count;
  }
};

}  // namespace zwang::model
