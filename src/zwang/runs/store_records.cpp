/// The lines of a run file, written and read back one by one: pieces, chunks, events, samples. What is read is not trusted.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "zwang/base/refusal.hpp"
#include "zwang/model/part.hpp"
#include "zwang/runs/store_impl.hpp"

namespace zwang::runs {

using motion::Event;
using motion::EventKind;
using motion::Piece;
using motion::Sample;

namespace {

constexpr std::uint64_t bytes_of_output = 40;  ///< in the file, about
constexpr std::int64_t most_orders = 4096;     ///< of a piece: far more than any tolerance needs

EventKind kind_of(const Line& line, int column) {
  const std::string word = line.text(column);
  for (const EventKind kind : {EventKind::blow, EventKind::seizure, EventKind::let_go, EventKind::switched,
                               EventKind::stick, EventKind::slip, EventKind::impact, EventKind::release,
                               EventKind::contact, EventKind::graze, EventKind::singular, EventKind::accumulation}) {
    if (words(kind) == word) {
      return kind;
    }
  }
  line.refuse("there is no event of its kind");
}

/// What belongs to an event in another table, or to a sample, is part of its sum.
void add_part(Checksum& sum, std::uint32_t row, bool triggered, double impulse) {
  sum.whole(row);
  sum.whole(triggered ? 1 : 0);
  sum.number(impulse);
}

void add_part(Checksum& sum, std::string_view name, double value) {
  sum.text(name);
  sum.number(value);
}

}  // namespace

std::vector<std::string> split_names(const std::string& text, char between) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

void read_rows(const Line& line, int column, const Shape& shape, std::vector<std::uint32_t>& rows) {
  line.read(column, rows);
  if ((!rows.empty() && rows.back() >= shape.rows) ||
      std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end()) {
    line.refuse("it names conditions that there are not");
  }
}

void read_per_variable(const Line& line, int column, const Shape& shape, std::vector<double>& values) {
  line.read(column, values);
  if (values.size() != shape.variables) {
    line.refuse(fmt::format("it has {} numbers for {} variables", values.size(), shape.variables));
  }
}

void read_per_row(const Line& line, int column, std::size_t rows, bool may_be_empty, std::vector<double>& values) {
  line.read(column, values);
  if (values.size() != rows && !(may_be_empty && values.empty())) {
    line.refuse(fmt::format("it has {} numbers for {} conditions", values.size(), rows));
  }
}

void Store::add(const Piece& piece) {
  impl_->begin();
  const auto number = static_cast<std::int64_t>(impl_->pieces++);
  impl_->pending += 100 + sizeof(double) * (piece.position.size() + piece.multiplier.size());
  impl_->add_piece.put(number).put(piece.start).put(piece.length);
  impl_->add_piece.put(std::int64_t{piece.orders}).put(std::span<const double>(piece.position));
  impl_->add_piece.put(std::span<const std::uint32_t>(piece.rows)).put(std::int64_t{piece.multiplier_orders});
  // A pole stands behind the coefficients.
  std::vector<double> with_pole;
  if (piece.has_pole()) {
    with_pole = piece.multiplier;
    with_pole.push_back(piece.pole);
  }
  const std::vector<double>& multiplier = piece.has_pole() ? with_pole : piece.multiplier;
  impl_->add_piece.put(std::span<const double>(multiplier)).put(std::span<const double>(piece.rho));
  impl_->add_piece.put(piece.unit).seal("pieces").run();
}

void Store::add(const crowds::Written& chunk, const model::Model& model, std::span<const model::Pair> met,
                bool goes_on) {
  impl_->begin();
  const bool anew = std::exchange(impl_->goes_on, goes_on);
  // Names of the pairs that are rows now.
  const std::span<const model::Pair> more = met.subspan(anew ? impl_->met_in_last : 0);
  impl_->met_in_last = met.size();
  if (!more.empty()) {
    Statement row = impl_->database.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
    bool first = impl_->met == 0;
    for (const model::Pair& pair : more) {
      const bool as_before = impl_->kinds_once && !std::exchange(first, false);
      const std::string_view kind = as_before ? "" : model::words(model::RowKind::holonomic_inequality);
      row.put(std::int64_t{impl_->shape.rows++}).put(model::pair_name(model, pair)).put(kind).seal("rows").run();
      impl_->pending += 64;
    }
    impl_->met += more.size();
    impl_->extent.rows = impl_->shape.rows;
  }
  const crowds::ChunkPlace& place = chunk.place;
  const std::string_view bytes = chunk.bytes();
  impl_->pending += bytes.size() + sizeof(model::Pair) * met.size();
  if (!anew) {
    ++impl_->pieces;
    impl_->places.emplace_back();
  }
  if (anew) impl_->forget_chunk.put(static_cast<std::int64_t>(impl_->pieces - 1)).run();
  impl_->add_chunk.put(static_cast<std::int64_t>(impl_->pieces - 1)).put(place.start).put(place.last);
  impl_->add_chunk.put(static_cast<std::int64_t>(place.pieces))
      .put_bytes(crowds::encode_pairs({met.begin(), met.end()}));
  impl_->add_chunk.put_bytes(bytes).seal("chunks").run();
  impl_->places.back() = place;
}

std::vector<model::Pair> Store::met() const {
  std::vector<model::Pair> pairs;
  if (!impl_->crowd) return pairs;
  Statement all = impl_->database.prepare("SELECT number, met FROM chunks WHERE number < ? ORDER BY number");
  all.put(static_cast<std::int64_t>(impl_->pieces));
  while (all.step()) crowds::decode_pairs(Line(all, "chunks").bytes(1), pairs);
  return pairs;
}

std::shared_ptr<const crowds::Chunk> Store::Impl::read_chunk(std::uint64_t number, const crowds::Extent& of) const {
  Statement& one = one_chunk;
  if (!one.put(static_cast<std::int64_t>(number)).step()) {
    damaged(database.path(), fmt::format("table chunks: line {} is missing", number));
  }
  const Line line(one, "chunks");
  line.require_seal();
  try {
    auto chunk = std::make_shared<const crowds::Chunk>(crowds::decode(line.bytes(5), of));
    const crowds::ChunkPlace found = crowds::place_of(*chunk);
    const crowds::ChunkPlace& place = places[number];
    if (found.start != place.start || found.last != place.last || found.pieces != place.pieces) {
      line.refuse("its times are not those that it says");
    }
    one.reset();
    return chunk;
  } catch (const Fault& fault) {
    if (fault.place().file != "chunk" && fault.place().file != "checkpoint") throw;
    line.refuse(fault.message());
  }
}

void Store::add(const Event& event) {
  impl_->begin();
  const auto number = static_cast<std::int64_t>(impl_->events++);
  impl_->pending += 200 + sizeof(double) * 2 * event.position.size();
  impl_->add_event.put(number).put(event.time).put(words(event.kind)).put(event.lost).put(event.note);
  std::string bodies;
  for (const std::string& body : event.bodies) bodies += (bodies.empty() ? "" : " ") + body;
  impl_->add_event.put(bodies);
  impl_->add_event.put(std::span<const double>(event.position)).put(std::span<const double>(event.velocity));
  if (impl_->crowd) impl_->add_event.put(std::span<const std::uint32_t>(event.variables));

  // Rows that set it off, and impulses; a row may be both.
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::map<std::uint32_t, std::pair<bool, double>> parts;
  for (const std::uint32_t row : event.rows) {
    parts[row] = {true, none};
  }
  for (const auto& [row, impulse] : event.impulses) {
    parts.try_emplace(row, false, none).first->second.second = impulse;
  }
  for (const auto& [row, part] : parts) {
    add_part(impl_->add_event.sum(), row, part.first, part.second);
  }
  impl_->add_event.seal("events").run();
  for (const auto& [row, part] : parts) {
    impl_->add_event_row.put(number)
        .put(std::int64_t{row})
        .put(std::int64_t{part.first ? 1 : 0})
        .put(part.second)
        .run();
  }
}

void Store::add(const Sample& sample) {
  impl_->begin();
  assert(sample.outputs.size() == impl_->output_names.size());
  const auto number = static_cast<std::int64_t>(impl_->samples++);
  impl_->pending += 100 + sizeof(double) * 3 * sample.state.position.size() + bytes_of_output * sample.outputs.size();
  impl_->add_sample.put(number).put(sample.state.time).put(std::span<const double>(sample.state.position));
  impl_->add_sample.put(std::span<const double>(sample.state.velocity))
      .put(std::span<const std::uint32_t>(sample.rows));
  impl_->add_sample.put(std::span<const double>(sample.multipliers)).put(std::span<const double>(sample.rho));
  for (const std::size_t i : impl_->by_name) {
    add_part(impl_->add_sample.sum(), impl_->output_names[i], sample.outputs[i]);
  }
  impl_->add_sample.seal("samples").run();
  for (const std::size_t i : impl_->by_name) {
    impl_->add_output.put(number).put(impl_->output_names[i]).put(sample.outputs[i]).run();
  }
}

void Store::Impl::read_piece(const Line& line, std::uint64_t number, Piece& piece) const {
  line.require_seal();
  static_cast<void>(line.whole(0, static_cast<std::int64_t>(number), static_cast<std::int64_t>(number)));
  piece.start = line.finite(1);
  piece.length = line.finite(2);
  piece.unit = line.finite(9);
  if (!(piece.length > 0) || !(piece.unit > 0)) line.refuse("its length and its unit of time must be positive");
  piece.n = shape.variables;
  piece.orders = static_cast<std::uint32_t>(line.whole(3, 1, most_orders));
  line.read(4, piece.position);
  if (piece.position.size() != std::size_t{piece.orders} * piece.n) {
    line.refuse(fmt::format("it has {} coefficients for {} variables in {} orders", piece.position.size(), piece.n,
                            piece.orders));
  }
  read_rows(line, 5, shape, piece.rows);
  piece.multiplier_orders = static_cast<std::uint32_t>(line.whole(6, 0, most_orders));
  line.read(7, piece.multiplier);
  piece.pole = std::numeric_limits<double>::quiet_NaN();
  const std::size_t coefficients = piece.rows.size() * piece.multiplier_orders;
  if (piece.multiplier.size() == coefficients + 1) {
    piece.pole = piece.multiplier.back();
    piece.multiplier.pop_back();
  }
  if (piece.multiplier.size() != coefficients) {
    line.refuse(fmt::format("it has {} coefficients for {} conditions in {} orders", piece.multiplier.size(),
                            piece.rows.size(), piece.multiplier_orders));
  }
  read_per_row(line, 8, piece.rows.size(), true, piece.rho);
}

double Store::Impl::start_of_piece(std::uint64_t number) const {
  if (!one_piece.put(static_cast<std::int64_t>(number)).step()) {
    damaged(database.path(), fmt::format("table pieces: line {} is missing", number));
  }
  Piece piece;
  read_piece(Line(one_piece, "pieces"), number, piece);
  one_piece.reset();
  return piece.start;
}

bool Store::piece_at(double time, Piece& piece) const {
  const std::uint64_t count = impl_->pieces;
  const bool found = impl_->find_piece.put(time).put(static_cast<std::int64_t>(count)).step();
  std::uint64_t number = 0;
  if (found) {
    const Line line(impl_->find_piece, "pieces");
    number = static_cast<std::uint64_t>(line.number());
    impl_->read_piece(line, number, piece);
    impl_->find_piece.reset();
  }
  // What found it is an index without a sum: its neighbours tell whether it is the right one.
  const std::uint64_t next = found ? number + 1 : 0;
  if ((found && !(piece.start <= time)) || (next < count && !(impl_->start_of_piece(next) > time))) {
    damaged(path(), "its index of pieces is not in order");
  }
  return found;
}

double Store::Impl::time_of_event(std::uint64_t number) const {
  if (!one_event.put(static_cast<std::int64_t>(number)).step()) {
    damaged(database.path(), fmt::format("table events: line {} is missing", number));
  }
  Event event;
  rows_of_event.begin(number);
  read_event(Line(one_event, "events"), number, rows_of_event, event);
  one_event.reset();
  rows_of_event.all.reset();
  return event.time;
}

/// Of a crowd, whose events lie in the order of their times.
std::uint64_t Store::Impl::first_event_from(double time) const {
  std::uint64_t low = 0;
  std::uint64_t high = events;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (!event_time.put(static_cast<std::int64_t>(middle)).step()) {
      damaged(database.path(), fmt::format("table events: line {} is missing", middle));
    }
    const bool before = Line(event_time, "events").finite(1) < time;
    event_time.reset();
    (before ? low : high) = before ? middle + 1 : middle;
  }
  return low;
}

std::optional<double> Store::event_time_from(double time) const {
  const std::uint64_t count = impl_->events;
  std::uint64_t number = count;
  if (impl_->crowd) {
    number = impl_->first_event_from(time);
  } else if (impl_->find_event.put(time).put(static_cast<std::int64_t>(count)).step()) {
    number = static_cast<std::uint64_t>(Line(impl_->find_event, "events").number());
    impl_->find_event.reset();
  }
  std::optional<double> result;
  if (number < count) result = impl_->time_of_event(number);
  if ((result && !(*result >= time)) || (number > 0 && impl_->time_of_event(number - 1) >= time)) {
    damaged(path(), "its index of events is not in order");
  }
  return result;
}

void Store::each_piece(std::uint64_t first, const std::function<bool(const Piece&)>& visit) const {
  Statement all = impl_->database.prepare(
      fmt::format("SELECT {} FROM pieces WHERE number >= ? AND number < ? ORDER BY number", piece_columns));
  all.put(static_cast<std::int64_t>(first)).put(static_cast<std::int64_t>(impl_->pieces));
  Piece piece;
  std::uint64_t number = first;
  for (; all.step(); ++number) {
    impl_->read_piece(Line(all, "pieces"), number, piece);
    if (!visit(piece)) {
      return;
    }
  }
  impl_->require_end("pieces", number, impl_->pieces);
}

void Store::Impl::require_end(const char* table, std::uint64_t number, std::uint64_t count) const {
  if (number < count) damaged(database.path(), fmt::format("table {}: line {} is missing", table, number));
}

void Store::Impl::read_event(const Line& line, std::uint64_t number, EventRows& rows, Event& event) const {
  static_cast<void>(line.whole(0, static_cast<std::int64_t>(number), static_cast<std::int64_t>(number)));
  event.rows.clear();
  event.impulses.clear();
  Checksum sum = line.sum();
  for (; rows.there && Line(rows.all, "event_rows").number() == line.number(); rows.next()) {
    const Line part(rows.all, "event_rows");
    const auto row = static_cast<std::uint32_t>(part.whole(1, 0, std::int64_t{shape.rows} - 1));
    const bool triggered = part.whole(2, 0, 1) != 0;
    const double impulse = part.real(3);
    add_part(sum, row, triggered, impulse);
    if (triggered) event.rows.push_back(row);
    if (!std::isnan(impulse)) event.impulses.emplace_back(row, impulse);
  }
  line.require(sum);
  event.time = line.finite(1);
  event.kind = kind_of(line, 2);
  event.lost = line.real(3);
  event.note = line.text(4);
  event.bodies = split_names(line.text(5), ' ');
  event.variables.clear();
  if (!crowd) {
    read_per_variable(line, 6, shape, event.position);
    read_per_variable(line, 7, shape, event.velocity);
    return;
  }
  line.read(6, event.position);
  line.read(7, event.velocity);
  line.read(8, event.variables);
  const std::size_t count = event.variables.empty() ? shape.variables : event.variables.size();
  const bool known = std::is_sorted(event.variables.begin(), event.variables.end(), std::less_equal<>()) &&
                     (event.variables.empty() || event.variables.back() < shape.variables);
  if (!known || event.position.size() != count || event.velocity.size() != count) {
    line.refuse("its state does not belong to its variables");
  }
}

void Store::each_event(std::uint64_t first, const std::function<bool(const Event&)>& visit) const {
  Statement all = impl_->database.prepare(fmt::format(
      "SELECT {} FROM events WHERE number >= ? AND number < ? ORDER BY number", event_columns(impl_->crowd)));
  all.put(static_cast<std::int64_t>(first)).put(static_cast<std::int64_t>(impl_->events));
  EventRows rows{impl_->database.prepare(event_row_query)};
  rows.begin(first);
  Event event;
  std::uint64_t number = first;
  for (; all.step(); ++number) {
    impl_->read_event(Line(all, "events"), number, rows, event);
    if (!visit(event)) {
      return;
    }
  }
  impl_->require_end("events", number, impl_->events);
}

void Store::each_sample(std::uint64_t first, const std::function<bool(const Sample&)>& visit) const {
  Statement all = impl_->database.prepare(
      "SELECT number, time, position, velocity, rows, multiplier, rho, checksum FROM samples WHERE number >= ? AND "
      "number < ? ORDER BY number");
  Statement outputs = impl_->database.prepare("SELECT sample, name, value FROM outputs WHERE sample = ? ORDER BY name");
  all.put(static_cast<std::int64_t>(first)).put(static_cast<std::int64_t>(impl_->samples));
  Sample sample;
  std::uint64_t number = first;
  for (; all.step(); ++number) {
    const Line line(all, "samples");
    static_cast<void>(line.whole(0, static_cast<std::int64_t>(number), static_cast<std::int64_t>(number)));
    Checksum sum = line.sum();
    sample.outputs.assign(impl_->output_names.size(), std::numeric_limits<double>::quiet_NaN());
    outputs.put(static_cast<std::int64_t>(number));
    std::size_t count = 0;
    for (; outputs.step(); ++count) {
      const Line part(outputs, "outputs");
      const std::string name = part.text(1);
      const double value = part.real(2);
      add_part(sum, name, value);
      if (count >= impl_->by_name.size() || impl_->output_names[impl_->by_name[count]] != name) {
        part.refuse("the model has no such output");
      }
      sample.outputs[impl_->by_name[count]] = value;
    }
    line.require(sum);
    if (count != impl_->by_name.size()) line.refuse("outputs are missing");
    sample.state.time = line.finite(1);
    read_per_variable(line, 2, impl_->shape, sample.state.position);
    read_per_variable(line, 3, impl_->shape, sample.state.velocity);
    read_rows(line, 4, impl_->shape, sample.rows);
    read_per_row(line, 5, sample.rows.size(), false, sample.multipliers);
    read_per_row(line, 6, sample.rows.size(), true, sample.rho);
    if (!visit(sample)) {
      return;
    }
  }
  impl_->require_end("samples", number, impl_->samples);
}

}  // namespace zwang::runs
