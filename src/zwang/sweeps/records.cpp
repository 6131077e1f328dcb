/// Records read, compiled and filled.
#include "zwang/sweeps/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/sweeps/extremes.hpp"

namespace zwang::sweeps {

namespace {

using motion::EventKind;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view label = "--record";
constexpr double most_events = 1e15;  ///< that `time` can count to

constexpr std::array<EventKind, 12> kinds = {EventKind::blow,     EventKind::seizure,  EventKind::let_go,
                                             EventKind::switched, EventKind::stick,    EventKind::slip,
                                             EventKind::impact,   EventKind::release,  EventKind::contact,
                                             EventKind::graze,    EventKind::singular, EventKind::accumulation};

[[noreturn]] void fail_in(const std::string& text, std::size_t byte, const std::string& why) {
  std::uint32_t column = 1;
  for (std::size_t k = 0; k < byte && k < text.size(); ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xC0U) != 0x80U) ++column;
  }
  throw Error({std::string(label), 1, column}, why, text);
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// A stretch of the record's text.
struct Span {
  std::size_t from = 0;
  std::size_t to = 0;
};
Span without_blanks(std::string_view text, Span s) {
  while (s.from < s.to && is_blank(text[s.from])) ++s.from;
  while (s.to > s.from && is_blank(text[s.to - 1])) --s.to;
  return s;
}

/// The arguments of `word(...)` if the whole text is such a call.
std::optional<std::vector<Span>> arguments(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return std::nullopt;
  std::size_t open = word.size();
  while (open < text.size() && is_blank(text[open])) ++open;
  if (open == text.size() || text[open] != '(') return std::nullopt;
  std::vector<Span> out;
  int depth = 0;
  std::size_t from = open + 1;
  for (std::size_t k = open; k < text.size(); ++k) {
    const char c = text[k];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if ((c == ',' && depth == 1) || depth == 0) {
      out.push_back(without_blanks(text, {from, k}));
      from = k + 1;
    }
    if (depth == 0) return k + 1 == text.size() ? std::optional(out) : std::nullopt;
  }
  return std::nullopt;
}

/// Extremes over time inside of something larger, as in max(a.x) - min(a.x): each is a column of its own. max(a, b) is a number at an instant.
void refuse_extremes_within(const std::string& text) {
  const auto is_word = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (std::size_t at = 0; at + 3 < text.size(); ++at) {
    const std::string word = text.substr(at, 3);
    if ((word != "max" && word != "min") || (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '.'))) continue;
    int depth = 0;
    for (std::size_t k = at + 3; k < text.size(); ++k) {
      const char c = text[k];
      if (depth == 0 && c != '(' && !is_blank(c)) break;
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c == ',' && depth == 1) break;
      if (depth == 0 && c == ')') {
        fail_in(text, at,
                fmt::format("{} over time stands alone: record {} as a column of its own, and combine the columns of "
                            "the table",
                            word, text.substr(at, k + 1 - at)));
      }
    }
  }
}

/// An expression that stands somewhere in a record, so that its places are those of the record.
model::Watch watch_of(const std::string& text, Span s) {
  return {std::string(label), std::string(s.from, ' ') + text.substr(s.from, s.to - s.from)};
}

/// "release floor": the kind, and what follows it.
void read_event(const std::string& text, Span s, Record& record) {
  const std::string_view words = std::string_view(text).substr(s.from, s.to - s.from);
  for (const EventKind kind : kinds) {
    const std::string_view word = motion::words(kind);
    if (!words.starts_with(word) || (words.size() > word.size() && !is_blank(words[word.size()]))) continue;
    record.event = kind;
    const Span rest = without_blanks(text, {s.from + word.size(), s.to});
    record.condition = text.substr(rest.from, rest.to - rest.from);
    record.condition_at = rest.from;
    return;
  }
  std::vector<std::string_view> known;
  std::string all;
  for (const EventKind kind : kinds) {
    known.push_back(motion::words(kind));
    all += (all.empty() ? "" : ", ") + std::string(motion::words(kind));
  }
  const std::string first(words.substr(0, std::min(words.find(' '), words.size())));
  const std::string_view near = nearest(first, known.data(), known.size());
  fail_in(text, s.from,
          near.empty() ? fmt::format("a kind of event is expected here: {}", all)
                       : fmt::format("there are no events of kind `{}`; did you mean `{}`?", first, near));
}

Record read_record(const std::string& written, Records& all) {
  const Span inner = without_blanks(written, {0, written.size()});
  Record record;
  record.text = written.substr(inner.from, inner.to - inner.from);
  const std::string& text = record.text;
  if (text.empty())
    fail_in(written, 0,
            "--record takes an expression, at(T, EXPR), max(EXPR), min(EXPR), time(KIND, N) or count(KIND)");
  const auto take_state = [&](Span s) {
    if (s.from == s.to) fail_in(text, s.from, "here an expression is expected");
    record.state = static_cast<std::uint32_t>(all.states.size());
    all.states.push_back(watch_of(text, s));
  };

  if (const auto parts = arguments(text, "at")) {
    if (parts->size() != 2) fail_in(text, 0, "at(T, EXPR) takes a time and an expression");
    record.kind = RecordKind::at;
    record.number = static_cast<std::uint32_t>(all.numbers.size());
    if ((*parts)[0].from == (*parts)[0].to) fail_in(text, (*parts)[0].from, "here a time is expected");
    all.numbers.push_back(watch_of(text, (*parts)[0]));
    take_state((*parts)[1]);
    return record;
  }
  for (const bool largest : {true, false}) {
    const auto parts = arguments(text, largest ? "max" : "min");
    if (!parts || parts->size() != 1) continue;
    record.kind = largest ? RecordKind::largest : RecordKind::least;
    take_state((*parts)[0]);
    return record;
  }
  if (const auto parts = arguments(text, "time")) {
    if (parts->size() != 2)
      fail_in(text, 0, "time(KIND, N) takes a kind of event, with a condition if need be, and a number");
    record.kind = RecordKind::time;
    read_event(text, (*parts)[0], record);
    const Span s = (*parts)[1];
    const std::optional<double> which = read_number(text.substr(s.from, s.to - s.from));
    if (!which || *which < 1 || *which != std::floor(*which) || *which > most_events) {
      fail_in(text, s.from, "which event it is: a whole number, counted from 1");
    }
    record.which = static_cast<std::uint64_t>(*which);
    return record;
  }
  if (const auto parts = arguments(text, "count")) {
    if (parts->size() != 1) fail_in(text, 0, "count(KIND) takes a kind of event, with a condition if need be");
    record.kind = RecordKind::count;
    read_event(text, (*parts)[0], record);
    return record;
  }
  refuse_extremes_within(text);
  take_state({0, text.size()});
  return record;
}

/// The rows a name stands for: those of a condition, of one of its members, of a joint, of a contact.
std::vector<std::uint32_t> rows_named(const model::Model& model, const std::string& name) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const std::string row_name = model::row_name(model, row);
    const bool member = row_name.starts_with(name) && (row_name.size() == name.size() || row_name[name.size()] == '.' ||
                                                       row_name[name.size()] == '[');
    if (member || model.conditions[model.row_condition[row]].name == name) out.push_back(row);
  }
  for (const model::Joint& joint : model.joints) {
    for (std::uint32_t row = joint.first_row; joint.name == name && row < joint.first_row + joint.rows; ++row) {
      out.push_back(row);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Of a point, a body or a spring.
bool is_a_body(const model::Model& model, const std::string& name) {
  for (const model::Spring& spring : model.springs) {
    if (spring.name == name) return true;
  }
  for (const model::Body& body : model.bodies) {
    if (body.name == name) return true;
    for (std::uint32_t member = 0; !body.counts.empty() && member < body.members(); ++member) {
      if (model::member_name(body, member) == name) return true;
    }
  }
  return false;
}

/// Does an event belong to a record?
bool is_meant(const Record& record, const std::vector<std::uint32_t>& rows, const motion::Event& event) {
  if (event.kind != record.event) return false;
  if (record.condition.empty()) return true;
  for (const std::uint32_t row : event.rows) {
    if (std::binary_search(rows.begin(), rows.end(), row)) return true;
  }
  return std::find(event.bodies.begin(), event.bodies.end(), record.condition) != event.bodies.end();
}

}  // namespace

Records read_records(const std::vector<std::string>& texts) {
  Records out;
  for (const std::string& text : texts) out.list.push_back(read_record(text, out));
  return out;
}

model::Watching compile(const model::Draft& draft, const model::Overrides& overrides, const Records& records,
                        model::Pattern* pattern) {
  try {
    if (pattern != nullptr) return model::compile(draft, overrides, records.states, records.numbers, *pattern);
    return model::compile(draft, overrides, records.states, records.numbers);
  } catch (const Error& error) {
    // An expression is shown within its record.
    for (const Record& record : records.list) {
      const bool of_event = record.kind == RecordKind::time || record.kind == RecordKind::count;
      if (of_event || error.place().file != label) continue;
      if (error.excerpt() == records.states[record.state].text ||
          (record.kind == RecordKind::at && error.excerpt() == records.numbers[record.number].text)) {
        throw Error(error.place(), error.message(), record.text);
      }
    }
    throw;
  }
}

void require_conditions(const model::Model& model, const Records& records) {
  for (const Record& record : records.list) {
    const bool of_events = record.kind == RecordKind::time || record.kind == RecordKind::count;
    if (of_events && model.simulation.method == model::Method::stepping)
      fail_in(record.text, 0, "the model goes in steps (method = \"stepping\"), and steps have no list of events");
    const std::string& name = record.condition;
    if (name.empty() || !rows_named(model, name).empty() || is_a_body(model, name)) continue;
    std::vector<std::string_view> known;
    for (const model::Condition& condition : model.conditions) known.push_back(condition.name);
    for (const model::Joint& joint : model.joints) known.push_back(joint.name);
    const std::string_view near = nearest(name, known.data(), known.size());
    fail_in(record.text, record.condition_at,
            near.empty() ? fmt::format("the model has no condition `{}`", name)
                         : fmt::format("the model has no condition `{}`; did you mean `{}`?", name, near));
  }
}

Recorder::Recorder(const Records& records, const model::Watching& watching)
    : records_(records),
      watching_(watching),
      values_(records.list.size(), nothing),
      found_(records.list.size(), 0),
      rows_(records.list.size()) {
  for (std::uint32_t k = 0; k < records.list.size(); ++k) {
    const Record& record = records.list[k];
    if (!record.condition.empty()) rows_[k] = rows_named(watching.model, record.condition);
    if (record.kind == RecordKind::at) waiting_.push_back(k);
    if (record.kind == RecordKind::largest || record.kind == RecordKind::least) {
      extremes_.push_back(k);
      values_[k] = -std::numeric_limits<double>::infinity();
    }
  }
  std::stable_sort(waiting_.begin(), waiting_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return watching.numbers[records.list[a].number] > watching.numbers[records.list[b].number];
  });
  // What lies before the start does not exist.
  const double start = watching.model.simulation.start;
  while (!waiting_.empty() &&
         watching.numbers[records.list[waiting_.back()].number] < start - motion::resolution(start)) {
    waiting_.pop_back();
  }
}

void Recorder::take_events(const motion::Motion& motion) {
  for (const motion::Event& event : motion.events) {
    for (std::size_t k = 0; k < records_.list.size(); ++k) {
      const Record& record = records_.list[k];
      if (record.kind != RecordKind::time && record.kind != RecordKind::count) continue;
      if (!is_meant(record, rows_[k], event)) continue;
      ++found_[k];
      if (record.kind == RecordKind::time && found_[k] == record.which) values_[k] = event.time;
    }
  }
}

void Recorder::take_times(const motion::Motion& motion) {
  // As a run samples: what is nearer to an event, or to the end, than the resolution belongs to what comes then.
  const double now = motion.state.time;
  const bool later = !motion.events.empty() || motion.status != motion::Status::going;
  const double end = now - (later ? motion::resolution(now) : 0);
  while (!waiting_.empty()) {
    const std::uint32_t k = waiting_.back();
    const Record& record = records_.list[k];
    const double time = watching_.numbers[record.number];
    if (!(time < end)) return;
    motion::evaluate(motion.piece, time, state_);
    values_[k] = model::observe(watching_.states[record.state], state_);
    waiting_.pop_back();
  }
}

void Recorder::follow(const motion::Motion& motion) {
  take_events(motion);
  if (motion.piece.length > 0) {
    take_times(motion);
    for (const std::uint32_t k : extremes_) {
      const Record& record = records_.list[k];
      const double sign = record.kind == RecordKind::largest ? 1 : -1;
      values_[k] = largest_on(motion.piece, watching_.states[record.state], sign, values_[k]);
    }
  }
}

void Recorder::finish(const motion::Motion& motion, double* values) {
  const bool somewhere = !motion.state.position.empty();
  const double end = motion.state.time;
  for (const std::uint32_t k : waiting_) {
    const Record& record = records_.list[k];
    if (!somewhere || !(watching_.numbers[record.number] <= end + motion::resolution(end))) continue;
    state_ = motion.state;
    state_.time = watching_.numbers[record.number];
    values_[k] = model::observe(watching_.states[record.state], state_);
  }
  for (std::size_t k = 0; k < records_.list.size(); ++k) {
    const Record& record = records_.list[k];
    switch (record.kind) {
      case RecordKind::end:
        if (somewhere) values_[k] = model::observe(watching_.states[record.state], motion.state);
        break;
      case RecordKind::largest:
      case RecordKind::least: {
        // The state after the last instant counts too.
        const double sign = record.kind == RecordKind::largest ? 1 : -1;
        if (somewhere) {
          const double last = sign * model::observe(watching_.states[record.state], motion.state);
          if (last > values_[k]) values_[k] = last;
        }
        values_[k] = std::isinf(values_[k]) && values_[k] < 0 ? nothing : sign * values_[k];
        break;
      }
      case RecordKind::count: values_[k] = static_cast<double>(found_[k]); break;
      case RecordKind::at:
      case RecordKind::time: break;
    }
    values[k] = values_[k];
  }
}

}  // namespace zwang::sweeps
