/// Tables of the run file, and the way into and out of them.
#include "zwang/runs/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/runs/database.hpp"

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
constexpr int format = 3;  ///< 2: the run knows its defect and its continuations; 3: pieces know their unit of time
constexpr int format_with_defect = 2;
constexpr int format_with_unit = 3;

constexpr const char* schema = R"sql(
CREATE TABLE run (
  zwang TEXT NOT NULL, file TEXT NOT NULL, title TEXT NOT NULL, model TEXT NOT NULL,
  start REAL NOT NULL, until REAL NOT NULL, tolerance REAL NOT NULL, sample_until REAL NOT NULL, sample_count INTEGER NOT NULL,
  status TEXT NOT NULL, why TEXT NOT NULL, culprits TEXT NOT NULL, continuations BLOB,
  time REAL, position BLOB, velocity BLOB, rows BLOB, multiplier BLOB, rho BLOB,
  energy_initial REAL, energy_work REAL, energy_lost REAL, energy_final REAL, energy_defect REAL, largest_kinetic REAL,
  position_drift REAL, velocity_drift REAL, position_correction REAL, velocity_correction REAL,
  steps INTEGER, seconds REAL, defect REAL);
CREATE TABLE options (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE variables (number INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE rows (number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL);
CREATE TABLE pieces (
  number INTEGER PRIMARY KEY, start REAL NOT NULL, length REAL NOT NULL, orders INTEGER NOT NULL, position BLOB NOT NULL,
  rows BLOB NOT NULL, multiplier_orders INTEGER NOT NULL, multiplier BLOB NOT NULL, rho BLOB NOT NULL, unit REAL NOT NULL);
CREATE INDEX pieces_by_time ON pieces (start);
CREATE TABLE events (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, lost REAL NOT NULL, note TEXT NOT NULL, bodies TEXT NOT NULL,
  position BLOB NOT NULL, velocity BLOB NOT NULL);
CREATE INDEX events_by_time ON events (time);
CREATE TABLE event_rows (
  event INTEGER NOT NULL REFERENCES events, row INTEGER NOT NULL REFERENCES rows, triggered INTEGER NOT NULL, impulse REAL,
  PRIMARY KEY (event, row)) WITHOUT ROWID;
CREATE TABLE samples (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, position BLOB NOT NULL, velocity BLOB NOT NULL,
  rows BLOB NOT NULL, multiplier BLOB NOT NULL, rho BLOB NOT NULL);
CREATE TABLE outputs (
  sample INTEGER NOT NULL REFERENCES samples, name TEXT NOT NULL, value REAL, PRIMARY KEY (sample, name)) WITHOUT ROWID;
CREATE TABLE checkpoints (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, pieces INTEGER NOT NULL, events INTEGER NOT NULL, samples INTEGER NOT NULL,
  state BLOB NOT NULL);
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

/// A file of the system that is held against other runs as long as this object lives.
class HeldFile {
 public:
  HeldFile(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~HeldFile() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// False when another process holds it; file systems that know no locks count as ours.
  [[nodiscard]] bool hold() const { return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::uint64_t size() const {
    struct stat status = {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  [[nodiscard]] bool regular() const {
    struct stat status = {};
    return ::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  }
  /// Is it a run file, by the header that every SQLite file begins with?
  [[nodiscard]] bool is_run() const {
    std::array<char, 100> header{};
    if (::pread(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
      return false;
    }
    return std::memcmp(header.data(), "SQLite format 3", 16) == 0 && big_endian(header.data() + 68) == application;
  }
  /// Bytes that its header promises, 0 if it does not say.
  [[nodiscard]] std::uint64_t promised() const {
    std::array<char, 100> header{};
    if (::pread(descriptor_, header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()) ||
        big_endian(header.data() + 24) != big_endian(header.data() + 92)) {
      return 0;
    }
    const std::uint64_t page = (big_endian(header.data() + 14) & 0xFFFFU);
    return (page == 1 ? 65536 : page) * big_endian(header.data() + 28);
  }
  [[nodiscard]] bool clear() const { return ::ftruncate(descriptor_, 0) == 0; }

 private:
  static std::uint32_t big_endian(const char* bytes) {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      value = value << 8U | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }
  int descriptor_ = -1;
};

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "" : "\n").append(name);
  }
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

EventKind kind_of(const std::string& word, const std::string& path) {
  for (const EventKind kind : {EventKind::blow, EventKind::seizure, EventKind::let_go, EventKind::switched,
                               EventKind::stick, EventKind::slip, EventKind::impact, EventKind::release,
                               EventKind::contact, EventKind::graze, EventKind::singular, EventKind::accumulation}) {
    if (words(kind) == word) {
      return kind;
    }
  }
  throw Error({path, 0, 0}, fmt::format("this run file is damaged: it knows an event called '{}'", word));
}

Status status_of(const std::string& word, const std::string& path) {
  for (const Status status : {Status::going, Status::finished, Status::stopped, Status::jammed, Status::singular,
                              Status::refused, Status::inadmissible, Status::gave_up, Status::interrupted}) {
    if (words(status) == word) {
      return status;
    }
  }
  throw Error({path, 0, 0}, fmt::format("this run file is damaged: it knows a status called '{}'", word));
}

/// The journal that a killed run left beside a file that is now replaced.
void remove_journals(const std::string& path) {
  std::error_code code;
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    std::filesystem::remove(path + suffix, code);
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

struct Store::Impl {
  explicit Impl(const std::string& path, std::unique_ptr<HeldFile> file, bool read_only = false)
      : held(std::move(file)), database(path, read_only) {}

  std::unique_ptr<HeldFile> held;  // outlives the database: closing it earlier would drop SQLite's own locks
  Database database;
  Recipe recipe;
  Sampling sampling;
  Account account;
  std::uint64_t pieces = 0;
  std::uint64_t events = 0;
  std::uint64_t samples = 0;
  std::uint64_t checkpoints = 0;
  std::uint64_t pending = 0;
  std::vector<std::string> output_names;

  Statement add_piece;
  Statement add_event;
  Statement add_event_row;
  Statement add_sample;
  Statement add_output;
  Statement add_checkpoint;
  Statement forget_checkpoints;
  Statement set_account;
  mutable Statement find_piece;
  mutable Statement find_event;

  void prepare();
  void write_recipe(const model::Model& model);
  void write_options();
  void read_recipe();
  bool knows_defect = true;  ///< files of the first format do not
  bool knows_unit = true;    ///< nor do those of the second of units of time: there it is 1
  [[nodiscard]] std::string piece_columns() const {
    return std::string("start, length, orders, position, rows, multiplier_orders, multiplier, rho, ") +
           (knows_unit ? "unit" : "1.0");
  }
  void read_counts();
  void take_in();
  void begin() {
    if (!database.in_transaction()) {
      database.run("BEGIN IMMEDIATE");
    }
  }
};

void Store::Impl::prepare() {
  // Pages wait in memory for the commit: spilling them earlier would shut readers out for all that time.
  database.run("PRAGMA cache_spill = OFF");
  add_piece = database.prepare(knows_unit ? "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                                          : "INSERT INTO pieces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  add_event = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  add_event_row = database.prepare(
      "INSERT INTO event_rows VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET impulse = excluded.impulse");
  add_sample = database.prepare("INSERT INTO samples VALUES (?, ?, ?, ?, ?, ?, ?)");
  add_output = database.prepare("INSERT INTO outputs VALUES (?, ?, ?)");
  add_checkpoint = database.prepare("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)");
  forget_checkpoints = database.prepare("DELETE FROM checkpoints WHERE number < ?");
  set_account = database.prepare(
      "UPDATE run SET status = ?, why = ?, culprits = ?, time = ?, position = ?, velocity = ?, rows "
      "= ?, multiplier = "
      "?, "
      "rho = ?, energy_initial = ?, energy_work = ?, energy_lost = ?, energy_final = ?, energy_defect = ?, "
      "largest_kinetic = ?, position_drift = ?, velocity_drift = ?, position_correction = ?, velocity_correction = ?, "
      "steps = ?, seconds = ?" +
      std::string(knows_defect ? ", defect = ?, continuations = ?" : ""));
  find_piece = database.prepare("SELECT " + piece_columns() +
                                " FROM pieces WHERE start <= ? ORDER BY start DESC, number DESC LIMIT 1");
  find_event = database.prepare("SELECT time FROM events WHERE time >= ? ORDER BY time LIMIT 1");
}

void Store::Impl::write_options() {
  database.run("DELETE FROM options");
  Statement add = database.prepare("INSERT INTO options VALUES (?, ?, ?)");
  std::int64_t number = 0;
  if (recipe.law) {
    add.put(number++).put("law").put(model::words(*recipe.law)).run();
  }
  for (const auto& [name, value] : options_of(recipe.overrides)) {
    add.put(number++).put(name).put(value).run();
  }
}

void Store::Impl::write_recipe(const model::Model& model) {
  Statement add = database.prepare(
      "INSERT INTO run (zwang, file, title, model, start, until, tolerance, sample_until, sample_count, status, why, "
      "culprits) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'going', '', '')");
  const model::Simulation& simulation = model.simulation;
  add.put(recipe.version).put(recipe.file).put(model.title).put(recipe.text);
  add.put(simulation.start).put(simulation.until).put(simulation.tolerance);
  add.put(sampling.until).put(std::int64_t{sampling.count}).run();
  write_options();

  // Names, so that nobody has to understand the model to read the numbers.
  Statement variable = database.prepare("INSERT INTO variables VALUES (?, ?, ?)");
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::string name = model::member_name(body, member);
      for (std::uint32_t i = 0; i < body.dimension; ++i) {
        const std::uint32_t number = body.first + member * body.dimension + i;
        variable.put(std::int64_t{number}).put(model::variable_name(model, number)).put(name).run();
      }
    }
  }
  Statement row = database.prepare("INSERT INTO rows VALUES (?, ?, ?)");
  for (std::uint32_t number = 0; number < model.rows(); ++number) {
    const std::string name = model::row_name(model, number);
    row.put(std::int64_t{number}).put(name).put(model::words(model.row_kind[number])).run();
  }
}

void Store::Impl::read_recipe() {
  Statement run = database.prepare(
      "SELECT zwang, file, model, start, sample_until, sample_count, status, why, culprits, time, position, velocity, "
      "rows, "
      "multiplier, rho, energy_initial, energy_work, energy_lost, energy_final, largest_kinetic, position_drift, "
      "velocity_drift, position_correction, velocity_correction, steps, seconds" +
      std::string(knows_defect ? ", defect, continuations" : "") + " FROM run");
  if (!run.step()) {
    throw Error({database.path(), 0, 0}, "this run file is damaged: it does not say what was run");
  }
  recipe.version = run.text(0);
  recipe.file = run.text(1);
  recipe.text = run.text(2);
  sampling = {run.number(3), run.number(4), static_cast<std::uint32_t>(run.whole(5))};
  account.status = status_of(run.text(6), database.path());
  account.why = run.text(7);
  account.culprits = split(run.text(8));
  account.present.state.time = run.number(9);
  run.read(10, account.present.state.position);
  run.read(11, account.present.state.velocity);
  run.read(12, account.present.rows);
  run.read(13, account.present.multipliers);
  run.read(14, account.present.rho);
  account.energy = {run.number(15), run.number(16), run.number(17), run.number(18), run.number(19)};
  account.position_drift = run.number(20);
  account.velocity_drift = run.number(21);
  account.position_correction = run.number(22);
  account.velocity_correction = run.number(23);
  account.steps = static_cast<std::uint64_t>(run.whole(24));
  account.seconds = std::max(0.0, run.number(25));
  if (knows_defect) {
    account.defect = run.number(26);
    run.read(27, account.continuations);
  }
  run.reset();

  Statement options = database.prepare("SELECT name, value FROM options ORDER BY number");
  while (options.step()) {
    const std::string name = options.text(0);
    const std::string value = options.text(1);
    if (name == "--set") {
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
      recipe.law = value == model::words(model::Law::variational) ? model::Law::variational : model::Law::straightest;
    }
  }

  // Older files say the law behind the version.
  for (const model::Law law : {model::Law::straightest, model::Law::variational}) {
    const std::string mark = fmt::format(" compare, {} law", model::words(law));
    if (recipe.version.ends_with(mark)) {
      recipe.version.resize(recipe.version.size() - mark.size());
      recipe.law = law;
    }
  }
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store Store::create(const std::string& path, const Recipe& recipe, const model::Model& model) {
  const std::filesystem::path wanted(path);
  std::error_code code;
  if (wanted.has_parent_path()) {
    std::filesystem::create_directories(wanted.parent_path(), code);
    if (!std::filesystem::is_directory(wanted.parent_path())) {
      throw Error({path, 0, 0},
                  fmt::format("cannot make the folder {}: {}; choose another one with --out",
                              wanted.parent_path().string(), code ? code.message() : "something else has this name"));
    }
  }

  // The wanted name, or the next one that no other run is writing at the moment.
  std::string name = path;
  std::unique_ptr<HeldFile> held;
  for (int number = 2;; ++number) {
    held = std::make_unique<HeldFile>(name, O_RDWR | O_CREAT);
    if (!held->is_open()) {
      throw Error({name, 0, 0},
                  fmt::format("cannot write the run file: {}; choose another folder with --out", std::strerror(errno)));
    }
    if (held->hold()) {
      break;
    }
    name = (wanted.parent_path() / fmt::format("{}-{}{}", wanted.stem().string(), number, wanted.extension().string()))
               .string();
  }

  if (!held->regular() || (!held->empty() && !held->is_run())) {
    throw Error({name, 0, 0},
                "this file is no run of zwang and stays as it is: move it away, or choose another folder with --out");
  }

  // What an older run left is cleared; then the tables and the recipe come in as one.
  remove_journals(name);
  if (!held->empty() && !held->clear()) {
    throw Error({name, 0, 0}, fmt::format("cannot replace the older run: {}", std::strerror(errno)));
  }
  auto impl = std::make_unique<Impl>(name, std::move(held));
  impl->recipe = recipe;
  impl->sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
  // (There is nothing to lose yet, so no waiting for the disk.)
  impl->database.run("PRAGMA synchronous = OFF");
  impl->database.run("BEGIN IMMEDIATE");
  impl->database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, format).c_str());
  impl->database.run(schema);
  impl->write_recipe(model);
  if (!impl->database.commit(5000)) {
    throw Error({name, 0, 0}, "another program holds the run file; close it there and try again");
  }
  impl->database.run("PRAGMA synchronous = FULL");
  for (const model::Observable& output : model.outputs) {
    impl->output_names.push_back(output.name);
  }
  impl->prepare();
  return Store(std::move(impl));
}

namespace {

/// The file of a run, if it is one.
std::unique_ptr<HeldFile> run_file(const std::string& path, int flags) {
  auto held = std::make_unique<HeldFile>(path, flags);
  if (!held->is_open()) {
    throw Error({path, 0, 0}, errno == ENOENT ? std::string("there is no such run file")
                                              : fmt::format("cannot open the run file: {}", std::strerror(errno)));
  }
  if (!held->regular() || held->empty()) {
    throw Error({path, 0, 0}, held->regular()
                                  ? "this file is empty: the run ended before anything was kept; start it anew"
                                  : "this is no run file");
  }
  if ((flags & O_ACCMODE) != O_RDONLY && !held->hold()) {
    throw Error({path, 0, 0}, "another run is writing this file");
  }
  if (!held->is_run()) {
    throw Error({path, 0, 0}, "this file is no run of zwang");
  }
  return held;
}

}  // namespace

void Store::Impl::read_counts() {
  pieces = static_cast<std::uint64_t>(database.whole("SELECT coalesce(max(number) + 1, 0) FROM pieces"));
  events = static_cast<std::uint64_t>(database.whole("SELECT coalesce(max(number) + 1, 0) FROM events"));
  samples = static_cast<std::uint64_t>(database.whole("SELECT coalesce(max(number) + 1, 0) FROM samples"));
  checkpoints = static_cast<std::uint64_t>(database.whole("SELECT coalesce(max(number) + 1, 0) FROM checkpoints"));
}

/// All that is asked of a file before it is used.
void Store::Impl::take_in() {
  if (database.whole("SELECT count(*) FROM sqlite_master") == 0) {
    throw Error({database.path(), 0, 0}, "this file is empty: the run ended before anything was kept; start it anew");
  }
  const std::int64_t version = database.whole("PRAGMA user_version");
  if (version > format) {
    throw Error({database.path(), 0, 0},
                fmt::format("this run file has format {}; this zwang reads format {}", version, format));
  }
  knows_defect = version >= format_with_defect;
  knows_unit = version >= format_with_unit;
  read_recipe();
  prepare();
  read_counts();
}

Store Store::read(const std::string& path) {
  auto impl = std::make_unique<Impl>(path, run_file(path, O_RDONLY), true);
  impl->take_in();
  return Store(std::move(impl));
}

Store Store::open(const std::string& path) {
  std::unique_ptr<HeldFile> held = run_file(path, O_RDWR);
  const HeldFile& file = *held;
  auto impl = std::make_unique<Impl>(path, std::move(held));

  // The first question undoes what a killed run had not finished; what is missing afterwards was cut off.
  static_cast<void>(impl->database.whole("SELECT count(*) FROM sqlite_master"));
  if (file.size() < file.promised()) {
    throw Error({path, 0, 0},
                fmt::format("this run file is damaged: {} of {} bytes are there", file.size(), file.promised()));
  }
  impl->take_in();
  return Store(std::move(impl));
}

const std::string& Store::path() const { return impl_->database.path(); }
const Recipe& Store::recipe() const { return impl_->recipe; }
const Sampling& Store::sampling() const { return impl_->sampling; }
const Account& Store::account() const { return impl_->account; }
void Store::note_error(double error) { impl_->account.error = error; }
std::uint64_t Store::pieces() const { return impl_->pieces; }
std::uint64_t Store::events() const { return impl_->events; }
std::uint64_t Store::samples() const { return impl_->samples; }
std::uint64_t Store::pending() const { return impl_->pending; }

std::string Store::checkpoint() const {
  Statement last = impl_->database.prepare("SELECT state FROM checkpoints ORDER BY number DESC LIMIT 1");
  return last.step() ? last.bytes(0) : std::string{};
}

void Store::set_outputs(const model::Model& model) {
  impl_->output_names.clear();
  for (const model::Observable& output : model.outputs) {
    impl_->output_names.push_back(output.name);
  }
}

void Store::set_until(const std::string& until, double value) {
  impl_->begin();
  impl_->recipe.overrides.until = until;
  impl_->write_options();
  impl_->database.prepare("UPDATE run SET until = ?").put(value).run();
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
  if (impl_->knows_unit) {
    impl_->add_piece.put(piece.unit);
  } else if (piece.unit != 1) {
    throw Error({"run file", 0, 0},
                "this run file is of an older format, which cannot keep a motion of such a time scale");
  }
  impl_->add_piece.run();
}

void Store::add(const Event& event) {
  impl_->begin();
  const auto number = static_cast<std::int64_t>(impl_->events++);
  impl_->pending += 200 + sizeof(double) * 2 * event.position.size();
  impl_->add_event.put(number).put(event.time).put(words(event.kind)).put(event.lost).put(event.note);
  std::string bodies;
  for (const std::string& body : event.bodies) bodies += (bodies.empty() ? "" : " ") + body;
  impl_->add_event.put(bodies);
  impl_->add_event.put(std::span<const double>(event.position)).put(std::span<const double>(event.velocity)).run();

  // Rows that set it off, then impulses; a row may be both.
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const std::uint32_t row : event.rows) {
    impl_->add_event_row.put(number).put(std::int64_t{row}).put(std::int64_t{1}).put(none).run();
  }
  for (const auto& [row, impulse] : event.impulses) {
    impl_->add_event_row.put(number).put(std::int64_t{row}).put(std::int64_t{0}).put(impulse).run();
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
  impl_->add_sample.put(std::span<const double>(sample.multipliers)).put(std::span<const double>(sample.rho)).run();
  for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
    impl_->add_output.put(number).put(impl_->output_names[i]).put(sample.outputs[i]).run();
  }
}

bool Store::commit(const Account& account, std::string_view checkpoint, bool patient) {
  impl_->begin();
  impl_->account = account;
  const Sample& present = account.present;
  const std::string culprits = joined(account.culprits);
  Statement& set = impl_->set_account;
  set.put(words(account.status)).put(account.why).put(culprits).put(present.state.time);
  set.put(std::span<const double>(present.state.position)).put(std::span<const double>(present.state.velocity));
  set.put(std::span<const std::uint32_t>(present.rows)).put(std::span<const double>(present.multipliers));
  set.put(std::span<const double>(present.rho)).put(account.energy.initial).put(account.energy.work);
  set.put(account.energy.lost)
      .put(account.energy.final)
      .put(account.energy.defect())
      .put(account.energy.largest_kinetic);
  set.put(account.position_drift).put(account.velocity_drift);
  set.put(account.position_correction).put(account.velocity_correction);
  set.put(static_cast<std::int64_t>(account.steps)).put(account.seconds);
  if (impl_->knows_defect) set.put(account.defect).put(std::span<const double>(account.continuations));
  set.run();

  // The last two checkpoints are kept.
  const auto number = static_cast<std::int64_t>(impl_->checkpoints++);
  impl_->add_checkpoint.put(number).put(present.state.time).put(static_cast<std::int64_t>(impl_->pieces));
  impl_->add_checkpoint.put(static_cast<std::int64_t>(impl_->events)).put(static_cast<std::int64_t>(impl_->samples));
  impl_->add_checkpoint.put_bytes(checkpoint).run();
  impl_->forget_checkpoints.put(number - 1).run();
  for (int attempt = 0; attempt < (patient ? 6 : 1); ++attempt) {
    if (impl_->database.commit(patient ? 10'000 : 200)) {
      impl_->pending = 0;
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

namespace {

/// Columns of a piece, from `first` on.
void read_piece(const Statement& statement, Piece& piece) {
  piece.start = statement.number(0);
  piece.length = statement.number(1);
  piece.orders = static_cast<std::uint32_t>(statement.whole(2));
  statement.read(3, piece.position);
  statement.read(4, piece.rows);
  piece.multiplier_orders = static_cast<std::uint32_t>(statement.whole(5));
  statement.read(6, piece.multiplier);
  piece.pole = std::numeric_limits<double>::quiet_NaN();
  if (piece.multiplier.size() > piece.rows.size() * piece.multiplier_orders) {
    piece.pole = piece.multiplier.back();
    piece.multiplier.pop_back();
  }
  statement.read(7, piece.rho);
  piece.unit = statement.number(8);
  piece.n = piece.orders == 0 ? 0 : static_cast<std::uint32_t>(piece.position.size() / piece.orders);
}

}  // namespace

bool Store::piece_at(double time, Piece& piece) const {
  const bool found = impl_->find_piece.put(time).step();
  if (found) {
    read_piece(impl_->find_piece, piece);
    impl_->find_piece.reset();
  }
  return found;
}

std::optional<double> Store::event_time_from(double time) const {
  std::optional<double> result;
  if (impl_->find_event.put(time).step()) {
    result = impl_->find_event.number(0);
    impl_->find_event.reset();
  }
  return result;
}

void Store::each_piece(std::uint64_t first, const std::function<bool(const Piece&)>& visit) const {
  Statement all =
      impl_->database.prepare("SELECT " + impl_->piece_columns() + " FROM pieces WHERE number >= ? ORDER BY number");
  all.put(static_cast<std::int64_t>(first));
  Piece piece;
  while (all.step()) {
    read_piece(all, piece);
    if (!visit(piece)) {
      return;
    }
  }
}

void Store::each_event(std::uint64_t first, const std::function<bool(const Event&)>& visit) const {
  Statement all = impl_->database.prepare(
      "SELECT number, time, kind, lost, note, position, velocity, bodies FROM events WHERE number >= ? ORDER BY "
      "number");
  Statement rows =
      impl_->database.prepare("SELECT row, triggered, impulse FROM event_rows WHERE event = ? ORDER BY row");
  all.put(static_cast<std::int64_t>(first));
  Event event;
  while (all.step()) {
    event.time = all.number(1);
    event.kind = kind_of(all.text(2), path());
    event.lost = all.number(3);
    event.note = all.text(4);
    all.read(5, event.position);
    all.read(6, event.velocity);
    event.bodies.clear();
    const std::string bodies = all.text(7);
    for (std::size_t from = 0; from < bodies.size();) {
      const std::size_t end = std::min(bodies.find(' ', from), bodies.size());
      event.bodies.push_back(bodies.substr(from, end - from));
      from = end + 1;
    }
    event.rows.clear();
    event.impulses.clear();
    rows.put(all.whole(0));
    while (rows.step()) {
      const auto row = static_cast<std::uint32_t>(rows.whole(0));
      if (rows.whole(1) != 0) {
        event.rows.push_back(row);
      }
      const double impulse = rows.number(2);
      if (!std::isnan(impulse)) {
        event.impulses.emplace_back(row, impulse);
      }
    }
    if (!visit(event)) {
      return;
    }
  }
}

void Store::each_sample(std::uint64_t first, const std::function<bool(const Sample&)>& visit) const {
  Statement all = impl_->database.prepare(
      "SELECT number, time, position, velocity, rows, multiplier, rho FROM samples WHERE number >= ? ORDER BY number");
  Statement value = impl_->database.prepare("SELECT value FROM outputs WHERE sample = ? AND name = ?");
  all.put(static_cast<std::int64_t>(first));
  Sample sample;
  while (all.step()) {
    sample.state.time = all.number(1);
    all.read(2, sample.state.position);
    all.read(3, sample.state.velocity);
    all.read(4, sample.rows);
    all.read(5, sample.multipliers);
    all.read(6, sample.rho);
    sample.outputs.clear();
    for (const std::string& name : impl_->output_names) {
      value.put(all.whole(0)).put(name);
      sample.outputs.push_back(value.step() ? value.number(0) : std::numeric_limits<double>::quiet_NaN());
      value.reset();
    }
    if (!visit(sample)) {
      return;
    }
  }
}

void Store::limit_pages(std::uint64_t pages) {
  impl_->database.run(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

RunView Store::view() const {
  const Store& store = *this;
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
