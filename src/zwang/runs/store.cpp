/// Tables of the run file, and the way into and out of them.
#include "zwang/runs/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/base/refusal.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/model/part.hpp"
#include "zwang/runs/database.hpp"
#include "zwang/runs/held_file.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::runs {

using motion::Account;
using motion::Event;
using motion::EventKind;
using motion::Piece;
using motion::RunView;
using motion::Sample;
using motion::Sampling;
using motion::Status;

namespace {

/// "zwng" in the header of the file tells a run file from other databases.
constexpr std::uint32_t application = 0x7A776E67;
constexpr FileKind run_kind = {application, "run"};
constexpr int format = 4;  ///< 4: every line has a checksum. Older ones have none, and are not read
constexpr int crowd_format =
    5;  ///< of a crowd: chunks in the place of pieces, no samples, events of those who took part

constexpr const char* schema = R"sql(
CREATE TABLE run (
  zwang TEXT NOT NULL, machine TEXT NOT NULL, file TEXT NOT NULL, title TEXT NOT NULL, model TEXT NOT NULL,
  start REAL NOT NULL, until REAL NOT NULL, tolerance REAL NOT NULL, sample_until REAL NOT NULL, sample_count INTEGER NOT NULL,
  status TEXT NOT NULL, why TEXT NOT NULL, culprits TEXT NOT NULL, continuations BLOB NOT NULL,
  time REAL, position BLOB NOT NULL, velocity BLOB NOT NULL, rows BLOB NOT NULL, multiplier BLOB NOT NULL, rho BLOB NOT NULL,
  energy_initial REAL, energy_work REAL, energy_lost REAL, energy_final REAL, energy_defect REAL, largest_kinetic REAL,
  position_drift REAL, velocity_drift REAL, position_correction REAL, velocity_correction REAL,
  steps INTEGER NOT NULL, seconds REAL, defect REAL,
  count_options INTEGER NOT NULL, count_variables INTEGER NOT NULL, count_rows INTEGER NOT NULL, count_pieces INTEGER NOT NULL,
  count_events INTEGER NOT NULL, count_samples INTEGER NOT NULL, count_checkpoints INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE options (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE variables (number INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE rows (number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE pieces (
  number INTEGER PRIMARY KEY, start REAL NOT NULL, length REAL NOT NULL, orders INTEGER NOT NULL, position BLOB NOT NULL,
  rows BLOB NOT NULL, multiplier_orders INTEGER NOT NULL, multiplier BLOB NOT NULL, rho BLOB NOT NULL, unit REAL NOT NULL,
  checksum INTEGER NOT NULL);
CREATE INDEX pieces_by_time ON pieces (start);
CREATE TABLE events (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, lost REAL NOT NULL, note TEXT NOT NULL, bodies TEXT NOT NULL,
  position BLOB NOT NULL, velocity BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE INDEX events_by_time ON events (time);
CREATE TABLE event_rows (
  event INTEGER NOT NULL REFERENCES events, row INTEGER NOT NULL REFERENCES rows, triggered INTEGER NOT NULL, impulse REAL,
  PRIMARY KEY (event, row)) WITHOUT ROWID;
CREATE TABLE samples (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, position BLOB NOT NULL, velocity BLOB NOT NULL,
  rows BLOB NOT NULL, multiplier BLOB NOT NULL, rho BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE outputs (
  sample INTEGER NOT NULL REFERENCES samples, name TEXT NOT NULL, value REAL, PRIMARY KEY (sample, name)) WITHOUT ROWID;
CREATE TABLE checkpoints (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, pieces INTEGER NOT NULL, events INTEGER NOT NULL, samples INTEGER NOT NULL,
  state BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE VIEW event_list AS
  SELECT events.number, time, kind,
    (SELECT group_concat(name, ' ') FROM (SELECT rows.name FROM event_rows JOIN rows ON rows.number = row
      WHERE event = events.number AND triggered ORDER BY row)) AS conditions,
    (SELECT group_concat(one, ' ') FROM (SELECT rows.name || '=' || impulse AS one FROM event_rows JOIN rows ON rows.number = row
      WHERE event = events.number AND impulse IS NOT NULL ORDER BY row)) AS impulses,
    lost, note, bodies
  FROM events ORDER BY events.number;
CREATE VIEW output_list AS
  SELECT samples.number, time, name, value FROM samples JOIN outputs ON sample = samples.number ORDER BY samples.number;
)sql";

/// The tables of a crowd: the same, but for two.
const std::string& crowd_schema() {
  static const std::string text = [] {
    std::string tables = schema;
    const std::string_view before = "bodies TEXT NOT NULL,\n  position BLOB NOT NULL, velocity BLOB NOT NULL, ";
    tables.insert(tables.find(before) + before.size(), "variables BLOB NOT NULL, ");
    tables +=
        "CREATE TABLE chunks (\n  number INTEGER PRIMARY KEY, start REAL NOT NULL, last REAL NOT NULL, pieces INTEGER "
        "NOT NULL, met BLOB NOT NULL,\n  motion BLOB NOT NULL, checksum INTEGER NOT NULL);\n";
    return tables;
  }();
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "" : "\n").append(name);
  }
  return text;
}

std::vector<std::string> split(const std::string& text, char between = '\n') {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(between, at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

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

Status status_of(const Line& line, int column) {
  const std::string word = line.text(column);
  for (const Status status : {Status::going, Status::finished, Status::stopped, Status::jammed, Status::singular,
                              Status::refused, Status::inadmissible, Status::gave_up, Status::interrupted}) {
    if (words(status) == word) {
      return status;
    }
  }
  line.refuse("there is no such status");
}

/// How many numbers belong to a run: what every list in it is measured by.
struct Shape {
  std::uint32_t variables = 0;
  std::uint32_t rows = 0;
};

/// Rows held: numbers of rows, ascending.
void read_rows(const Line& line, int column, const Shape& shape, std::vector<std::uint32_t>& rows) {
  line.read(column, rows);
  if ((!rows.empty() && rows.back() >= shape.rows) ||
      std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>()) != rows.end()) {
    line.refuse("it names conditions that there are not");
  }
}

/// One number per variable.
void read_per_variable(const Line& line, int column, const Shape& shape, std::vector<double>& values) {
  line.read(column, values);
  if (values.size() != shape.variables) {
    line.refuse(fmt::format("it has {} numbers for {} variables", values.size(), shape.variables));
  }
}

/// One number per row held; of rho also none at all.
void read_per_row(const Line& line, int column, std::size_t rows, bool may_be_empty, std::vector<double>& values) {
  line.read(column, values);
  if (values.size() != rows && !(may_be_empty && values.empty())) {
    line.refuse(fmt::format("it has {} numbers for {} conditions", values.size(), rows));
  }
}

/// The options as they were typed.
std::vector<std::pair<std::string, std::string>> options_of(const model::Overrides& overrides) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : overrides.parameters) {
    std::string setting = name;
    setting.append("=").append(value);
    options.emplace_back("--set", std::move(setting));
  }
  const std::array<std::pair<const char*, const std::string*>, 4> others = {{{"--at", &overrides.start},
                                                                             {"--until", &overrides.until},
                                                                             {"--tolerance", &overrides.tolerance},
                                                                             {"--samples", &overrides.samples}}};
  for (const auto& [name, value] : others) {
    if (!value->empty()) {
      options.emplace_back(name, *value);
    }
  }
  return options;
}

}  // namespace

std::string this_machine() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#elif defined(__riscv)
  return "riscv";
#elif defined(__EMSCRIPTEN__)
  return "wasm";
#else
  return "another processor";
#endif
}

namespace {

/// The rows of events, one event after the other.
struct EventRows {
  Statement all;
  bool there = false;
  void begin(std::uint64_t event) {
    all.reset();
    all.put(static_cast<std::int64_t>(event));
    next();
  }
  void next() { there = all.step(); }
};

}  // namespace

struct Store::Impl {
  explicit Impl(const std::string& path, std::unique_ptr<HeldFile> file, bool read_only = false)
      : held(std::move(file)), database(path, read_only) {}

  std::unique_ptr<HeldFile> held;  // outlives the database: closing it earlier would drop SQLite's own locks
  Database database;
  Recipe recipe;
  Sampling sampling;
  Account account;
  bool crowd = false;
  std::uint64_t pieces = 0;  ///< of a crowd: chunks
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t options = 0;
  std::uint64_t pending = 0;
  Shape shape;
  std::vector<crowds::ChunkPlace> places;  ///< of a crowd: per chunk
  std::uint64_t met = 0;                   ///< pairs of a crowd that are among the rows
  crowds::Extent extent;
  std::string title;
  double until = 0;
  double tolerance = 0;
  std::vector<std::string> output_names;
  std::vector<std::size_t> by_name;  ///< outputs in the order of their names, as the file has them

  Statement add_piece;
  Statement add_chunk;
  Statement add_event;
  Statement add_event_row;
  Statement add_sample;
  Statement add_output;
  Statement add_checkpoint;
  Statement forget_checkpoints;
  Statement set_run;
  mutable Statement one_chunk;
  mutable Statement find_piece;
  mutable Statement one_piece;
  mutable Statement find_event;
  mutable Statement one_event;
  mutable EventRows rows_of_event;

  void prepare();
  void write_recipe(const model::Model& model);
  void write_options();
  void read_recipe();
  void read_options(std::uint64_t count);
  void write_run();
  void read_names(const char* table, std::uint64_t count);
  void require_count(const char* table, std::uint64_t count);
  void read_piece(const Line& line, std::uint64_t number, Piece& piece) const;
  [[nodiscard]] double start_of_piece(std::uint64_t number) const;
  [[nodiscard]] double time_of_event(std::uint64_t number) const;
  void read_event(const Line& line, std::uint64_t number, EventRows& rows, Event& event) const;
  void require_end(const char* table, std::uint64_t number, std::uint64_t count) const;
  void name_outputs(const model::Model& model);
  void read_places();
  [[nodiscard]] crowds::Extent extent_of(const model::Model& model) const {
    const std::uint32_t dimension = model.bodies[0].dimension;
    return {model.variables / dimension, dimension, shape.rows};
  }
  [[nodiscard]] std::shared_ptr<const crowds::Chunk> read_chunk(std::uint64_t number, const crowds::Extent& of) const;
  void say_kept();
  void take_in();
  void begin() {
    if (!database.in_transaction()) {
      database.run("BEGIN IMMEDIATE");
    }
  }
};

namespace {

constexpr const char* piece_columns =
    "number, start, length, orders, position, rows, multiplier_orders, multiplier, rho, unit, checksum";
constexpr const char* event_columns_of_one = "number, time, kind, lost, note, bodies, position, velocity, checksum";
constexpr const char* event_columns_of_crowd =
    "number, time, kind, lost, note, bodies, position, velocity, variables, checksum";
const char* event_columns(bool crowd) { return crowd ? event_columns_of_crowd : event_columns_of_one; }
constexpr const char* event_row_query =
    "SELECT event, row, triggered, impulse FROM event_rows WHERE event >= ? ORDER BY event, row";
constexpr std::int64_t most_orders = 4096;  ///< of a piece: far more than any tolerance needs
constexpr const char* run_columns =
    "rowid, zwang, machine, file, title, model, start, until, tolerance, sample_until, sample_count, status, why, "
    "culprits, continuations, time, position, velocity, rows, multiplier, rho, energy_initial, energy_work, "
    "energy_lost, energy_final, energy_defect, largest_kinetic, position_drift, velocity_drift, position_correction, "
    "velocity_correction, steps, seconds, defect, count_options, count_variables, count_rows, count_pieces, "
    "count_events, count_samples, count_checkpoints, checksum";
constexpr int run_column_count = 42;
constexpr std::int64_t the_run = 1;  ///< the number of its only line

/// As many question marks as there are columns.
std::string parameters(int count) {
  std::string text = "?";
  for (int k = 1; k < count; ++k) text += ", ?";
  return text;
}

}  // namespace

void Store::Impl::prepare() {
  // Pages wait in memory for the commit: spilling them earlier would shut readers out for all that time.
  database.run("PRAGMA cache_spill = OFF");
  add_piece = database.prepare("INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  add_event = database.prepare(fmt::format("INSERT INTO events VALUES ({})", parameters(crowd ? 10 : 9)));
  if (crowd) {
    one_chunk =
        database.prepare("SELECT number, start, last, pieces, met, motion, checksum FROM chunks WHERE number = ?");
  }
  if (crowd) add_chunk = database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)");
  add_event_row = database.prepare("INSERT INTO event_rows VALUES (?, ?, ?, ?)");
  add_sample = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  add_output = database.prepare("INSERT INTO outputs VALUES (?, ?, ?)");
  add_checkpoint = database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)");
  forget_checkpoints = database.prepare("DELETE FROM checkpoints WHERE number < ?");
  set_run = database.prepare(
      fmt::format("INSERT OR REPLACE INTO run ({}) VALUES ({})", run_columns, parameters(run_column_count)));
  find_piece = database.prepare(fmt::format(
      "SELECT {} FROM pieces WHERE start <= ? AND number < ? ORDER BY start DESC, number DESC LIMIT 1", piece_columns));
  one_piece = database.prepare(fmt::format("SELECT {} FROM pieces WHERE number = ?", piece_columns));
  find_event =
      database.prepare("SELECT number FROM events WHERE time >= ? AND number < ? ORDER BY time, number LIMIT 1");
  one_event = database.prepare(fmt::format("SELECT {} FROM events WHERE number = ?", event_columns(crowd)));
  rows_of_event.all = database.prepare(event_row_query);
}

void Store::Impl::write_options() {
  database.run("DELETE FROM options");
  Statement add = database.prepare("INSERT INTO options VALUES (?, ?, ?, ?)");
  options = 0;
  const auto put = [&](std::string_view name, std::string_view value) {
    add.put(static_cast<std::int64_t>(options++)).put(name).put(value).seal("options").run();
  };
  if (recipe.law) {
    put("law", model::words(*recipe.law));
  }
  for (const auto& [name, value] : options_of(recipe.overrides)) {
    put(name, value);
  }
}

void Store::Impl::write_run() {
  const Sample& present = account.present;
  const std::string culprits = joined(account.culprits);
  Statement& set = set_run;
  set.put(the_run).put(recipe.version).put(recipe.machine).put(recipe.file).put(title).put(recipe.text);
  set.put(sampling.start).put(until).put(tolerance).put(sampling.until).put(std::int64_t{sampling.count});
  set.put(words(account.status)).put(account.why).put(culprits).put(std::span<const double>(account.continuations));
  set.put(present.state.position.empty() ? std::numeric_limits<double>::quiet_NaN() : present.state.time);
  set.put(std::span<const double>(present.state.position)).put(std::span<const double>(present.state.velocity));
  set.put(std::span<const std::uint32_t>(present.rows)).put(std::span<const double>(present.multipliers));
  set.put(std::span<const double>(present.rho)).put(account.energy.initial).put(account.energy.work);
  set.put(account.energy.lost).put(account.energy.final).put(account.energy.defect());
  set.put(account.energy.largest_kinetic).put(account.position_drift).put(account.velocity_drift);
  set.put(account.position_correction).put(account.velocity_correction);
  set.put(static_cast<std::int64_t>(account.steps)).put(account.seconds).put(account.defect);
  for (const std::uint64_t count :
       {options, std::uint64_t{shape.variables}, std::uint64_t{shape.rows}, pieces, events, samples, checkpoints}) {
    set.put(static_cast<std::int64_t>(count));
  }
  set.seal("run").run();
}

void Store::Impl::write_recipe(const model::Model& model) {
  title = model.title;
  until = model.simulation.until;
  tolerance = model.simulation.tolerance;
  shape = {model.variables, model.rows()};
  write_options();

  // Names, so that nobody has to understand the model to read the numbers.
  Statement variable = database.prepare("INSERT INTO variables VALUES (?, ?, ?, ?)");
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::string name = model::member_name(body, member);
      for (std::uint32_t i = 0; i < body.dimension; ++i) {
        const std::uint32_t number = body.first + member * body.dimension + i;
        variable.put(std::int64_t{number}).put(model::variable_name(model, number)).put(name);
        variable.seal("variables").run();
      }
    }
  }
  Statement row = database.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
  for (std::uint32_t number = 0; number < model.rows(); ++number) {
    const std::string name = model::row_name(model, number);
    row.put(std::int64_t{number}).put(name).put(model::words(model.row_kind[number])).seal("rows").run();
  }
}

void Store::Impl::read_recipe() {
  Statement run = database.prepare(fmt::format("SELECT {} FROM run", run_columns));
  if (!run.step()) {
    damaged(database.path(), "it does not say what was run");
  }
  const Line line(run, "run");
  line.require_seal();
  static_cast<void>(line.whole(0, the_run, the_run));
  recipe.version = line.text(1);
  recipe.machine = line.text(2);
  recipe.file = line.text(3);
  title = line.text(4);
  recipe.text = line.text(5);
  until = line.finite(7);
  tolerance = line.finite(8);
  sampling = {line.finite(6), line.finite(9), static_cast<std::uint32_t>(line.whole(10, 1, UINT32_MAX))};
  if (!(sampling.until > sampling.start) || !(until >= sampling.start)) line.refuse("it would end before it starts");
  account.status = status_of(line, 11);
  account.why = line.text(12);
  account.culprits = split(line.text(13));
  account.energy = {line.real(21), line.real(22), line.real(23), line.real(24), line.real(26)};
  account.position_drift = line.real(27);
  account.velocity_drift = line.real(28);
  account.position_correction = line.real(29);
  account.velocity_correction = line.real(30);
  account.steps = static_cast<std::uint64_t>(line.whole(31, 0, INT64_MAX));
  account.seconds = std::max(0.0, line.real(32));
  account.defect = line.real(33);
  const auto count = [&](int column, std::int64_t most) {
    return static_cast<std::uint64_t>(line.whole(column, 0, most));
  };
  const std::uint64_t option_count = count(34, INT64_MAX);
  shape = {static_cast<std::uint32_t>(count(35, UINT32_MAX)), static_cast<std::uint32_t>(count(36, UINT32_MAX))};
  pieces = count(37, INT64_MAX);
  events = count(38, INT64_MAX);
  samples = count(39, INT64_MAX);
  checkpoints = count(40, INT64_MAX);

  // The state reached, if there is one.
  Sample& present = account.present;
  line.read(14, account.continuations);
  present.state.time = line.real(15);
  if (checkpoints == 0) {
    if (pieces > 0 || events > 0 || samples > 0 || account.status != Status::going) {
      line.refuse("there is a motion, and no state that it has come to");
    }
  } else {
    present.state.time = line.finite(15);
    read_per_variable(line, 16, shape, present.state.position);
    read_per_variable(line, 17, shape, present.state.velocity);
    read_rows(line, 18, shape, present.rows);
    read_per_row(line, 19, present.rows.size(), false, present.multipliers);
    read_per_row(line, 20, present.rows.size(), true, present.rho);
    if (account.continuations.size() % shape.variables != 0) line.refuse("its ways on are cut short");
  }
  if (run.step()) damaged(database.path(), "it speaks of several runs");

  read_options(option_count);
  read_names("variables", shape.variables);
  read_names("rows", shape.rows);
  require_count(crowd ? "chunks" : "pieces", pieces);
  require_count("events", events);
  require_count("samples", samples);
  require_count("checkpoints", checkpoints);
  if (crowd) read_places();
}

void Store::Impl::read_places() {
  // (Whether they are right shows when a chunk is opened.)
  Statement all = database.prepare("SELECT number, start, last, pieces, met FROM chunks ORDER BY number");
  std::uint64_t number = 0;
  met = 0;
  for (; all.step(); ++number) {
    const Line line(all, "chunks");
    if (static_cast<std::uint64_t>(line.number()) != number || number >= pieces) line.refuse("it does not belong here");
    crowds::ChunkPlace place{line.finite(1), line.finite(2), static_cast<std::uint64_t>(line.whole(3, 1, INT64_MAX))};
    if (!(place.last >= place.start) || (!places.empty() && !(place.start >= places.back().last))) {
      line.refuse("it is not in order");
    }
    places.push_back(place);
    std::vector<model::Pair> pairs;
    try {
      crowds::decode_pairs(line.bytes(4), pairs);
    } catch (const Fault& fault) {
      line.refuse(fault.message());
    }
    met += pairs.size();
  }
  require_end("chunks", number, pieces);
  if (met > shape.rows) damaged(database.path(), "more pairs have met than there are conditions");
}

void Store::Impl::read_options(std::uint64_t count) {
  Statement all = database.prepare("SELECT number, name, value, checksum FROM options ORDER BY number");
  for (options = 0; all.step(); ++options) {
    const Line line(all, "options");
    line.require_seal();
    if (static_cast<std::uint64_t>(line.number()) != options || options >= count)
      line.refuse("it does not belong here");
    const std::string name = line.text(1);
    const std::string value = line.text(2);
    if (name == "--set") {
      if (value.find('=') == std::string::npos) line.refuse("it sets nothing");
      recipe.overrides.parameters.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    } else if (name == "--at") {
      recipe.overrides.start = value;
    } else if (name == "--until") {
      recipe.overrides.until = value;
    } else if (name == "--tolerance") {
      recipe.overrides.tolerance = value;
    } else if (name == "--samples") {
      recipe.overrides.samples = value;
    } else if (name == "law") {
      if (value != model::words(model::Law::variational) && value != model::words(model::Law::straightest)) {
        line.refuse("there is no such law");
      }
      recipe.law = value == model::words(model::Law::variational) ? model::Law::variational : model::Law::straightest;
    } else {
      line.refuse("there is no such option");
    }
  }
  if (options != count) damaged(database.path(), fmt::format("{} of {} options are there", options, count));
}

/// Names are for those who read the tables; here they are only looked at.
void Store::Impl::read_names(const char* table, std::uint64_t count) {
  Statement all = database.prepare(fmt::format("SELECT * FROM {} ORDER BY number", table));
  std::uint64_t number = 0;
  for (; all.step(); ++number) {
    const Line line(all, table);
    line.require_seal();
    if (static_cast<std::uint64_t>(line.number()) != number || number >= count) line.refuse("it does not belong here");
  }
  if (number != count)
    damaged(database.path(), fmt::format("table {}: {} of {} lines are there", table, number, count));
}

void Store::Impl::require_count(const char* table, std::uint64_t count) {
  const auto found = database.whole(fmt::format("SELECT coalesce(max(number) + 1, 0) FROM {}", table));
  if (found != static_cast<std::int64_t>(count)) {
    damaged(database.path(), fmt::format("table {}: its last line should be {} and is {}", table,
                                         static_cast<std::int64_t>(count) - 1, found - 1));
  }
}

void Store::Impl::say_kept() {
  const Sample& present = account.present;
  database.say_kept(checkpoints == 0 || present.state.position.empty()
                        ? std::string("nothing of the motion is kept yet")
                        : fmt::format("the run up to t = {} is kept, with {} {}, {} events and {} samples",
                                      readable(present.state.time, 10), pieces, crowd ? "chunks" : "pieces", events,
                                      samples));
}

void Store::Impl::name_outputs(const model::Model& model) {
  if (crowd) {
    extent = extent_of(model);
  }
  output_names.clear();
  by_name.clear();
  for (const model::Observable& output : model.outputs) {
    by_name.push_back(output_names.size());
    output_names.push_back(output.name);
  }
  std::sort(by_name.begin(), by_name.end(),
            [&](std::size_t a, std::size_t b) { return output_names[a] < output_names[b]; });
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::create(const std::string& path, const Recipe& recipe, const model::Model& model) {
  Begun begun(path, run_kind);
  const std::string& name = begun.name;
  auto impl = std::make_unique<Impl>(name, nullptr);
  impl->database.say_kept("");
  impl->recipe = recipe;
  impl->crowd = !model.pairs.empty();
  impl->sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
  // (There is nothing to lose yet, so no waiting for the disk.)
  impl->database.run("PRAGMA synchronous = OFF");
  impl->database.run("BEGIN IMMEDIATE");
  impl->database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application,
                                 impl->crowd ? crowd_format : format)
                         .c_str());
  impl->database.run(impl->crowd ? crowd_schema().c_str() : schema);
  impl->write_recipe(model);
  impl->prepare();
  impl->write_run();
  if (!impl->database.commit(5000)) {
    throw Error({name, 0, 0}, "another program holds the run file; close it there and try again");
  }
  impl->database.run("PRAGMA synchronous = FULL");
  impl->name_outputs(model);
  impl->say_kept();
  impl->held = begun.keep();
  return Store(std::move(impl));
}

namespace {

std::unique_ptr<HeldFile> run_file(const std::string& path, int flags) { return held_file(path, flags, run_kind); }

/// A program that was killed while it committed left a journal: who only reads cannot undo that, so it is undone here, unless the file may not be written or
/// another run is at it.
void undo_unfinished(const std::string& path) {
  const HeldFile held(path, O_RDWR);
  if (!held.is_open() || !held.hold()) return;
  Database database(path);
  static_cast<void>(database.whole("SELECT count(*) FROM sqlite_master"));
}

}  // namespace

/// All that is asked of a file before it is used.
void Store::Impl::take_in() {
  if (database.whole("SELECT count(*) FROM sqlite_master") == 0) {
    throw Error({database.path(), 0, 0}, "this file is empty: the run ended before anything was kept; start it anew");
  }
  const std::int64_t version = database.whole("PRAGMA user_version");
  crowd = version == crowd_format;
  if (version != format && !crowd) {
    throw Error({database.path(), 0, 0},
                fmt::format("this run file has format {}; this zwang reads the formats {} and {} alone{}", version,
                            format, crowd_format,
                            version > 0 && version < format
                                ? ", whose lines carry checksums: run its model again (it stands in the table run)"
                                : ""));
  }
  static const std::vector<std::string> tables = schema_lines(schema);
  static const std::vector<std::string> crowd_tables = schema_lines(crowd_schema().c_str());
  database.require_schema(crowd ? crowd_tables : tables);
  read_recipe();
  prepare();
  say_kept();
}

Store Store::read(const std::string& path) {
  std::unique_ptr<Impl> impl;
  for (int attempt = 0;; ++attempt) {
    impl = std::make_unique<Impl>(path, run_file(path, O_RDONLY), true);
    // All of it at one moment: another program may be writing.
    try {
      impl->database.run("BEGIN");
      static_cast<void>(impl->database.whole("SELECT count(*) FROM sqlite_master"));
      break;
    } catch (const Error&) {
      if (attempt > 0 || !impl->database.is_unfinished()) throw;
      impl.reset();
      undo_unfinished(path);
    }
  }
  require_whole(*impl->held, path, run_kind);
  impl->take_in();
  impl->database.run("COMMIT");
  return Store(std::move(impl));
}

Store Store::open(const std::string& path) {
  std::unique_ptr<HeldFile> held = run_file(path, O_RDWR);
  const HeldFile& file = *held;
  auto impl = std::make_unique<Impl>(path, std::move(held));

  // The first question undoes what a killed run had not finished; what is missing afterwards was cut off.
  static_cast<void>(impl->database.whole("SELECT count(*) FROM sqlite_master"));
  require_whole(file, path, run_kind);
  impl->take_in();
  impl->database.require_order();
  return Store(std::move(impl));
}

const std::string& Store::path() const { return impl_->database.path(); }
const Recipe& Store::recipe() const { return impl_->recipe; }
const Sampling& Store::sampling() const { return impl_->sampling; }
const Account& Store::account() const { return impl_->account; }
void Store::note_error(double error) { impl_->account.error = error; }
std::uint64_t Store::pieces() const {
  if (!impl_->crowd) return impl_->pieces;
  std::uint64_t count = 0;
  for (const crowds::ChunkPlace& place : impl_->places) count += place.pieces;
  return count;
}
std::uint64_t Store::events() const { return impl_->events; }
std::uint64_t Store::samples() const {
  if (!impl_->crowd) return impl_->samples;
  // Those that follow from the chunks.
  const Sampling& grid = impl_->sampling;
  const Sample& present = impl_->account.present;
  if (present.state.position.empty()) return 0;
  const double end = present.state.time + motion::resolution(present.state.time);
  std::uint64_t count = 0;
  while (count < grid.count && grid.instant(count) <= end) ++count;
  return count;
}
std::uint64_t Store::pending() const { return impl_->pending; }
bool Store::is_crowd() const { return impl_->crowd; }

std::string Store::checkpoint() const {
  if (impl_->checkpoints == 0) return {};
  Statement last = impl_->database.prepare(
      "SELECT number, time, pieces, events, samples, state, checksum FROM checkpoints WHERE number = ?");
  if (!last.put(static_cast<std::int64_t>(impl_->checkpoints - 1)).step()) {
    damaged(path(), fmt::format("table checkpoints: line {} is missing", impl_->checkpoints - 1));
  }
  const Line line(last, "checkpoints");
  line.require_seal();
  const auto is = [&](int column, std::uint64_t count) {
    static_cast<void>(line.whole(column, static_cast<std::int64_t>(count), static_cast<std::int64_t>(count)));
  };
  is(2, impl_->pieces);
  is(3, impl_->events);
  is(4, impl_->samples);
  if (line.finite(1) != impl_->account.present.state.time) line.refuse("it belongs to another time than the run");
  return line.bytes(5);
}

void Store::set_outputs(const model::Model& model) {
  const Shape& shape = impl_->shape;
  // The pairs of a crowd may be among the rows of the model, or not.
  const std::uint64_t rows = model.rows() - model.met.size() + impl_->met;
  if (model.variables != shape.variables || rows != shape.rows || model.pairs.empty() == impl_->crowd) {
    damaged(path(), fmt::format("its model has {} variables and {} conditions, its tables have {} and {}",
                                model.variables, rows, shape.variables, shape.rows));
  }
  if (model.simulation.start != impl_->sampling.start) {
    damaged(path(), fmt::format("its model starts at {}, its table run says {}", exact(model.simulation.start),
                                exact(impl_->sampling.start)));
  }
  impl_->name_outputs(model);
  // Of a motion in steps the checkpoint knows more than the table.
  if (stepping::is_stepped(model)) stepping::read_account(checkpoint(), impl_->account);
}

void Store::set_until(const std::string& until, double value) {
  impl_->begin();
  impl_->recipe.overrides.until = until;
  impl_->until = value;
  impl_->write_options();
  impl_->write_run();
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

namespace {

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

void Store::add(const crowds::Chunk& chunk, const model::Model& model, std::span<const model::Pair> met) {
  impl_->begin();
  // Names of the pairs that are rows now.
  if (!met.empty()) {
    Statement row = impl_->database.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
    for (const model::Pair& pair : met) {
      const std::string_view kind = model::words(model::RowKind::holonomic_inequality);
      row.put(std::int64_t{impl_->shape.rows++}).put(model::pair_name(model, pair)).put(kind).seal("rows").run();
      impl_->pending += 64;
    }
    impl_->met += met.size();
    impl_->extent.rows = impl_->shape.rows;
  }
  const crowds::ChunkPlace place = crowds::place_of(chunk);
  const std::string bytes = crowds::encode(chunk, impl_->extent.dimension);
  impl_->pending += bytes.size() + sizeof(model::Pair) * met.size();
  impl_->add_chunk.put(static_cast<std::int64_t>(impl_->pieces++)).put(place.start).put(place.last);
  impl_->add_chunk.put(static_cast<std::int64_t>(place.pieces))
      .put_bytes(crowds::encode_pairs({met.begin(), met.end()}));
  impl_->add_chunk.put_bytes(bytes).seal("chunks").run();
  impl_->places.push_back(place);
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

std::shared_ptr<const crowds::Chunk> Store::chunk(std::uint64_t number) const {
  return impl_->read_chunk(number, impl_->extent);
}
std::uint64_t Store::chunks() const { return impl_->crowd ? impl_->pieces : 0; }

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
  impl_->pending += 100 + sizeof(double) * 3 * sample.state.position.size();
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

bool Store::commit(const Account& account, std::string_view checkpoint, bool patient) {
  impl_->begin();
  impl_->account = account;
  const Sample& present = account.present;

  // The last two checkpoints are kept.
  const auto number = static_cast<std::int64_t>(impl_->checkpoints++);
  impl_->add_checkpoint.put(number).put(present.state.time).put(static_cast<std::int64_t>(impl_->pieces));
  impl_->add_checkpoint.put(static_cast<std::int64_t>(impl_->events)).put(static_cast<std::int64_t>(impl_->samples));
  impl_->add_checkpoint.put_bytes(checkpoint).seal("checkpoints").run();
  impl_->forget_checkpoints.put(number - 1).run();
  impl_->write_run();
  for (int attempt = 0; attempt < (patient ? 6 : 1); ++attempt) {
    if (impl_->database.commit(patient ? 10'000 : 200)) {
      impl_->pending = 0;
      impl_->say_kept();
      return true;
    }
  }
  if (!patient) {
    return false;
  }
  throw Error({path(), 0, 0},
              "another program has held the run file for a minute; the last seconds of the run are lost: close it "
              "there, then go on with --resume");
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

std::optional<double> Store::event_time_from(double time) const {
  const std::uint64_t count = impl_->events;
  std::uint64_t number = count;
  if (impl_->find_event.put(time).put(static_cast<std::int64_t>(count)).step()) {
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
  event.bodies = split(line.text(5), ' ');
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

void Store::limit_pages(std::uint64_t pages) {
  impl_->database.run(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

RunView Store::view(const model::Model& model) const {
  const Store& store = *this;
  if (impl_->crowd) {
    crowds::Source source;
    source.account = &store.account();
    source.sampling = store.sampling();
    source.places = impl_->places;
    source.chunk = [impl = impl_.get(), of = impl_->extent_of(model)](std::size_t number) {
      return impl->read_chunk(number, of);
    };
    source.events = store.events();
    source.event_time_from = [&store](double time) { return store.event_time_from(time); };
    source.each_event = [&store](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
      store.each_event(first, visit);
    };
    RunView run = crowds::view(model, std::move(source));
    run.name = store.path();
    return run;
  }
  RunView run;
  run.account = &store.account();
  run.name = store.path();
  run.pieces = store.pieces();
  run.events = store.events();
  run.samples = store.samples();
  run.sampling = store.sampling();
  run.piece_at = [&store, piece = std::make_shared<Piece>()](double time) -> const Piece* {
    return store.piece_at(time, *piece) ? piece.get() : nullptr;
  };
  run.event_time_from = [&store](double time) { return store.event_time_from(time); };
  run.each_piece = [&store](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    store.each_piece(first, visit);
  };
  run.each_sample = [&store](std::uint64_t first, const std::function<bool(const Sample&)>& visit) {
    store.each_sample(first, visit);
  };
  run.each_event = [&store](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
    store.each_event(first, visit);
  };
  return run;
}

}  // namespace zwang::runs
