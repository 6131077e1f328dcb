/// The tables of a run file; how it is created, opened, committed and looked at.
#include "zwang/runs/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/runs/store_impl.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::runs {

using motion::Account;
using motion::Event;
using motion::Piece;
using motion::RunView;
using motion::Sample;
using motion::Sampling;

namespace {

/// "zwng" in the header of the file tells a run file from other databases.
constexpr std::uint32_t application = 0x7A776E67;
constexpr FileKind run_kind = {application, "run"};
constexpr int format = 4;  ///< 4: every line has a checksum. Older ones have none, and are not read
constexpr int crowd_format =
    6;  ///< of a crowd: chunks in the place of pieces, no samples, events of those who took part
constexpr int older_crowd_format = 5;  ///< the same with an index of events and the kind of every row

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

/// The tables of a crowd: the same, but for two. Its events are very many and lie in the order of their times: an index of them would be a part in twenty of the file.
std::string crowd_schema(int version) {
  std::string tables = schema;
  if (version != older_crowd_format) {
    const std::string_view index = "CREATE INDEX events_by_time ON events (time);\n";
    tables.erase(tables.find(index), index.size());
  }
  const std::string_view before = "bodies TEXT NOT NULL,\n  position BLOB NOT NULL, velocity BLOB NOT NULL, ";
  tables.insert(tables.find(before) + before.size(), "variables BLOB NOT NULL, ");
  tables +=
      "CREATE TABLE chunks (\n  number INTEGER PRIMARY KEY, start REAL NOT NULL, last REAL NOT NULL, pieces INTEGER "
      "NOT NULL, met BLOB NOT NULL,\n  motion BLOB NOT NULL, checksum INTEGER NOT NULL);\n";
  return tables;
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
  // What is put anew is taken out first: put in its place, it would need room beside it, which the file would keep.
  if (crowd) {
    forget_chunk = database.prepare("DELETE FROM chunks WHERE number = ?");
    add_chunk = database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)");
  }
  add_event_row = database.prepare("INSERT INTO event_rows VALUES (?, ?, ?, ?)");
  add_sample = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  add_output = database.prepare("INSERT INTO outputs VALUES (?, ?, ?)");
  add_checkpoint = database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)");
  forget_checkpoints = database.prepare("DELETE FROM checkpoints WHERE number < ?");
  forget_run = database.prepare("DELETE FROM run");
  set_run =
      database.prepare(fmt::format("INSERT INTO run ({}) VALUES ({})", run_columns, parameters(run_column_count)));
  find_piece = database.prepare(fmt::format(
      "SELECT {} FROM pieces WHERE start <= ? AND number < ? ORDER BY start DESC, number DESC LIMIT 1", piece_columns));
  one_piece = database.prepare(fmt::format("SELECT {} FROM pieces WHERE number = ?", piece_columns));
  if (crowd) {
    event_time = database.prepare("SELECT number, time FROM events WHERE number = ?");
  } else {
    find_event =
        database.prepare("SELECT number FROM events WHERE time >= ? AND number < ? ORDER BY time, number LIMIT 1");
  }
  one_event = database.prepare(fmt::format("SELECT {} FROM events WHERE number = ?", event_columns(crowd)));
  rows_of_event.all = database.prepare(event_row_query);
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
  impl->crowd = impl->kinds_once = !model.pairs.empty();
  impl->sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
  // (There is nothing to lose yet, so no waiting for the disk.)
  impl->database.run("PRAGMA synchronous = OFF");
  impl->database.run("BEGIN IMMEDIATE");
  impl->database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application,
                                 impl->crowd ? crowd_format : format)
                         .c_str());
  impl->database.run(impl->crowd ? crowd_schema(crowd_format).c_str() : schema);
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
  kinds_once = version == crowd_format;
  crowd = kinds_once || version == older_crowd_format;
  if (version != format && !crowd) {
    throw Error({database.path(), 0, 0},
                fmt::format("this run file has format {}; this zwang reads the formats {}, {} and {} alone{}", version,
                            format, older_crowd_format, crowd_format,
                            version > 0 && version < format
                                ? ", whose lines carry checksums: run its model again (it stands in the table run)"
                                : ""));
  }
  static const std::vector<std::string> tables = schema_lines(schema);
  static const std::vector<std::string> crowd_tables = schema_lines(crowd_schema(crowd_format).c_str());
  static const std::vector<std::string> older_tables = schema_lines(crowd_schema(older_crowd_format).c_str());
  database.require_schema(!crowd ? tables : kinds_once ? crowd_tables : older_tables);
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
  return std::string(line.bytes(5));
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

std::shared_ptr<const crowds::Chunk> Store::chunk(std::uint64_t number) const {
  return impl_->read_chunk(number, impl_->extent);
}
std::uint64_t Store::chunks() const { return impl_->crowd ? impl_->pieces : 0; }

bool Store::commit(const Account& account, std::string_view checkpoint, bool patient) {
  impl_->begin();
  impl_->account = account;
  const Sample& present = account.present;

  // The last two checkpoints are kept; of a crowd, in which one is as large as a chunk, the last.
  const auto number = static_cast<std::int64_t>(impl_->checkpoints++);
  impl_->forget_checkpoints.put(impl_->crowd ? number : number - 1).run();
  impl_->add_checkpoint.put(number).put(present.state.time).put(static_cast<std::int64_t>(impl_->pieces));
  impl_->add_checkpoint.put(static_cast<std::int64_t>(impl_->events)).put(static_cast<std::int64_t>(impl_->samples));
  impl_->add_checkpoint.put_bytes(checkpoint).seal("checkpoints").run();
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
