/// The sweep file: written in stretches of whole samples, read with suspicion.
#include "zwang/sweeps/table.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <array>
#include <cassert>
#include <cmath>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/runs/database.hpp"
#include "zwang/runs/held_file.hpp"
#include "zwang/runs/store.hpp"
#include "zwang/version.hpp"

namespace zwang::sweeps {

namespace {

using runs::Checksum;
using runs::Database;
using runs::HeldFile;
using runs::Line;
using runs::Statement;

/// "zwsw" in the header of the file tells a sweep from other databases.
constexpr std::uint32_t application = 0x7A777377;
constexpr int format = 2;
/// In files of format 1 the reasons of failures were in no sum.
constexpr int oldest_format = 1;
constexpr runs::FileKind sweep_kind = {application, "sweep"};

/// Columns that are neither parameters nor records: sample, status, time, steps, events, defect.
constexpr std::size_t columns_of_account = 6;

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

/// What the file consists of, for the columns of one sweep.
std::string schema_of(const std::vector<std::string>& columns, std::size_t parameters) {
  std::string samples;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string name = quoted(columns[k]);
    if (k == 0) {
      samples += name + " INTEGER PRIMARY KEY";
    } else if (k == 1 + parameters) {
      samples += ", " + name + " TEXT NOT NULL";
    } else {
      const bool whole = k == parameters + 3 || k == parameters + 4;
      samples += ", " + name + (whole ? " INTEGER" : " REAL");
    }
  }
  return fmt::format(R"sql(
CREATE TABLE sweep (
  number INTEGER PRIMARY KEY, zwang TEXT NOT NULL, machine TEXT NOT NULL, file TEXT NOT NULL, title TEXT NOT NULL, model TEXT NOT NULL,
  total INTEGER NOT NULL, done INTEGER NOT NULL, chunks INTEGER NOT NULL, options INTEGER NOT NULL, seconds REAL NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE options (number INTEGER PRIMARY KEY, name TEXT NOT NULL, value TEXT NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE samples ({});
CREATE TABLE failures (sample INTEGER PRIMARY KEY REFERENCES samples, why TEXT NOT NULL);
CREATE TABLE chunks (number INTEGER PRIMARY KEY, first INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL, checksum INTEGER NOT NULL);
)sql",
                     samples);
}

/// The recipe as names and values; a design's table stands behind the text that names it.
std::vector<std::pair<std::string, std::string>> options_of(const Recipe& recipe) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : recipe.overrides.parameters) options.emplace_back("--set", name + "=" + value);
  const std::array<std::pair<const char*, const std::string*>, 3> others = {
      {{"--at", &recipe.overrides.start},
       {"--until", &recipe.overrides.until},
       {"--tolerance", &recipe.overrides.tolerance}}};
  for (const auto& [name, value] : others) {
    if (!value->empty()) options.emplace_back(name, *value);
  }
  for (const Spec& spec : recipe.over) {
    options.emplace_back("--over", spec.text);
    if (spec.text.starts_with("@")) options.emplace_back("design", spec.table);
  }
  if (recipe.count > 0) options.emplace_back("--count", std::to_string(recipe.count));
  options.emplace_back("--seed", std::to_string(recipe.seed));
  for (const std::string& record : recipe.records) options.emplace_back("--record", record);
  return options;
}

/// A whole number that was written by `std::to_string`.
std::uint64_t whole_of(const Line& line, const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > (~std::uint64_t{0} - 9) / 10) line.refuse("its value is no whole number");
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (text.empty()) line.refuse("its value is no whole number");
  return value;
}

void take_option(const Line& line, Recipe& recipe) {
  const std::string name = line.text(1);
  const std::string value = line.text(2);
  if (name == "--set") {
    const std::size_t equals = value.find('=');
    if (equals == std::string::npos) line.refuse("its value sets nothing");
    recipe.overrides.parameters.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else if (name == "--at") {
    recipe.overrides.start = value;
  } else if (name == "--until") {
    recipe.overrides.until = value;
  } else if (name == "--tolerance") {
    recipe.overrides.tolerance = value;
  } else if (name == "--over") {
    recipe.over.push_back({value});
  } else if (name == "design") {
    if (recipe.over.empty()) line.refuse("it belongs to no --over");
    recipe.over.back().table = value;
  } else if (name == "--count") {
    recipe.count = whole_of(line, value);
  } else if (name == "--seed") {
    recipe.seed = whole_of(line, value);
  } else if (name == "--record") {
    recipe.records.push_back(value);
  } else {
    line.refuse("there is no such option");
  }
}

constexpr const char* sweep_columns =
    "number, zwang, machine, file, title, model, total, done, chunks, options, seconds, checksum";

}  // namespace

struct Table::Impl {
  Impl(const std::string& path, std::unique_ptr<HeldFile> file, bool read_only = false)
      : held(std::move(file)), database(path, read_only, "sweep") {}

  std::unique_ptr<HeldFile> held;  // outlives the database: closing it earlier would drop SQLite's own locks
  Database database;
  Recipe recipe;
  std::string zwang, machine, title;
  std::vector<std::string> columns;
  std::size_t parameters = 0;
  std::uint64_t total = 0;
  std::uint64_t done = 0;
  std::uint64_t chunks = 0;
  std::uint64_t options = 0;
  double seconds = 0;
  bool why_is_summed = true;
  std::uint64_t checked = 0;  ///< samples from the first on whose sums were looked at

  // since the last commit
  std::uint64_t first = 0;
  Checksum sum;

  Statement add_sample;
  Statement add_failure;
  Statement add_chunk;
  Statement set_sweep;

  void prepare();
  void begin();
  void write_sweep();
  void write_options();
  void read_recipe();
  void take_in();  ///< all that is asked of a file before it is used
  void say_kept();
  void walk(const std::function<void(const Row&)>& visit);
  void check();  ///< all sums, once
  [[noreturn]] void damaged(const std::string& what) const { runs::damaged(database.path(), what, "sweep"); }
};

void Table::Impl::prepare() {
  std::string places;
  for (std::size_t k = 0; k < columns.size(); ++k) places += k == 0 ? "?" : ", ?";
  add_sample = database.prepare(fmt::format("INSERT INTO samples VALUES ({})", places));
  add_failure = database.prepare("INSERT INTO failures VALUES (?, ?)");
  add_chunk = database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)");
  set_sweep = database.prepare("INSERT OR REPLACE INTO sweep VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
}

void Table::Impl::begin() {
  if (!database.in_transaction()) database.run("BEGIN IMMEDIATE");
}

void Table::Impl::write_sweep() {
  set_sweep.put(std::int64_t{0})
      .put(std::string_view(zwang))
      .put(std::string_view(machine))
      .put(std::string_view(recipe.file))
      .put(std::string_view(title))
      .put(std::string_view(recipe.text))
      .put(static_cast<std::int64_t>(total))
      .put(static_cast<std::int64_t>(done))
      .put(static_cast<std::int64_t>(chunks))
      .put(static_cast<std::int64_t>(options))
      .put(seconds)
      .seal("sweep")
      .run();
}

void Table::Impl::write_options() {
  Statement add = database.prepare("INSERT INTO options VALUES (?, ?, ?, ?)");
  for (const auto& [name, value] : options_of(recipe)) {
    add.put(static_cast<std::int64_t>(options++))
        .put(std::string_view(name))
        .put(std::string_view(value))
        .seal("options")
        .run();
  }
}

void Table::Impl::read_recipe() {
  Statement line_of = database.prepare(fmt::format("SELECT {} FROM sweep", sweep_columns));
  if (!line_of.step()) damaged("its table sweep is empty");
  const Line line(line_of, "sweep");
  line.require_seal();
  constexpr auto most = static_cast<std::int64_t>(most_samples);
  zwang = line.text(1);
  machine = line.text(2);
  recipe.file = line.text(3);
  title = line.text(4);
  recipe.text = line.text(5);
  total = static_cast<std::uint64_t>(line.whole(6, 1, most));
  done = static_cast<std::uint64_t>(line.whole(7, 0, static_cast<std::int64_t>(total)));
  chunks = static_cast<std::uint64_t>(line.whole(8, 0, most));
  options = static_cast<std::uint64_t>(line.whole(9, 0, most));
  seconds = line.finite(10);
  line_of.reset();

  Statement each = database.prepare("SELECT number, name, value, checksum FROM options ORDER BY number");
  std::uint64_t number = 0;
  while (each.step()) {
    const Line one(each, "options");
    one.require_seal();
    if (one.number() != static_cast<std::int64_t>(number++)) one.refuse("it is not the next one");
    take_option(one, recipe);
  }
  if (number != options) damaged(fmt::format("table options has {} lines instead of {}", number, options));
  first = done;
}

void Table::Impl::say_kept() {
  database.say_kept(done == 0 ? "nothing is kept yet" : fmt::format("{} of {} samples are kept", first, total));
}

Table::Table(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Table::~Table() = default;
Table::Table(Table&&) noexcept = default;
Table& Table::operator=(Table&&) noexcept = default;

Table Table::create(const std::string& path, const Recipe& recipe, const Sweep& sweep) {
  runs::Begun begun(path, sweep_kind);
  auto impl = std::make_unique<Impl>(begun.name, nullptr);
  impl->database.say_kept("");
  impl->recipe = recipe;
  impl->zwang = version;
  impl->machine = runs::this_machine();
  impl->title = sweep.title();
  impl->columns = sweep.columns();
  impl->parameters = sweep.design().width();
  impl->total = sweep.design().total;
  // (There is nothing to lose yet, so no waiting for the disk.)
  impl->database.run("PRAGMA synchronous = OFF");
  impl->database.run("BEGIN IMMEDIATE");
  impl->database.run(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", application, format).c_str());
  impl->database.run(schema_of(impl->columns, impl->parameters).c_str());
  impl->prepare();
  impl->write_options();
  impl->write_sweep();
  if (!impl->database.commit(5000)) {
    throw Error({begun.name, 0, 0}, "another program holds the sweep file; close it there and try again");
  }
  impl->database.run("PRAGMA synchronous = FULL");
  impl->say_kept();
  impl->held = begun.keep();
  return Table(std::move(impl));
}

Table Table::open(const std::string& path) {
  auto impl = std::make_unique<Impl>(path, runs::held_file(path, O_RDWR, sweep_kind));
  impl->take_in();
  impl->prepare();
  return Table(std::move(impl));
}

Table Table::read(const std::string& path) {
  for (int attempt = 0;; ++attempt) {
    auto impl = std::make_unique<Impl>(path, runs::held_file(path, O_RDONLY, sweep_kind), true);
    try {
      // All that is read is of one moment, whatever another sweep writes meanwhile.
      impl->database.run("BEGIN");
      impl->take_in();
      return Table(std::move(impl));
    } catch (const Error&) {
      // What a killed sweep had not finished must be undone first, which a reader cannot.
      if (attempt > 0 || !impl->database.is_unfinished()) throw;
      impl.reset();
      static_cast<void>(open(path));
    }
  }
}

bool is_sweep_file(const std::string& path) {
  const HeldFile file(path, O_RDONLY);
  // A name that leads nowhere is told by whoever opens it for what it wants.
  if (!file.is_open() && !is_about_the_name(errno)) refuse_file(path, "cannot open the file", errno);
  return file.is_open() && file.regular() && file.is_of(application, path);
}

void Table::Impl::take_in() {
  const std::string& path = database.path();
  // The first question undoes what a killed sweep had not finished; what is missing afterwards was cut off.
  if (database.whole("SELECT count(*) FROM sqlite_master") == 0) {
    throw Error({path, 0, 0}, "this file is empty: the sweep ended before anything was kept; start it anew");
  }
  runs::require_whole(*held, path, sweep_kind);
  const std::int64_t found = database.whole("PRAGMA user_version");
  if (found < oldest_format || found > format) {
    throw Error({path, 0, 0}, fmt::format("this sweep was written in format {}; this program reads formats {} to {}",
                                          found, oldest_format, format));
  }
  why_is_summed = found > oldest_format;
  database.require_order();
  read_recipe();
  try {
    const Sweep sweep(recipe);
    columns = sweep.columns();
    parameters = sweep.design().width();
    if (sweep.design().total != total) {
      damaged(fmt::format("its design has {} samples, its table sweep says {}", sweep.design().total, total));
    }
  } catch (const Fault&) {
    throw;
  } catch (const Error& error) {
    damaged(fmt::format("its recipe cannot be read: {}", error.message()));
  }
  database.require_schema(runs::schema_lines(schema_of(columns, parameters).c_str()));
  const std::int64_t there = database.whole("SELECT count(*) FROM samples");
  const std::int64_t next = database.whole("SELECT coalesce(max(sample) + 1, 0) FROM samples");
  if (there != static_cast<std::int64_t>(done) || next != there) {
    damaged(fmt::format("table samples has {} lines instead of {}", there, done));
  }
  say_kept();
}

const std::string& Table::path() const { return impl_->database.path(); }
const Recipe& Table::recipe() const { return impl_->recipe; }
const std::string& Table::title() const { return impl_->title; }
std::size_t Table::parameters() const { return impl_->parameters; }
const std::vector<std::string>& Table::columns() const { return impl_->columns; }
std::uint64_t Table::total() const { return impl_->total; }
std::uint64_t Table::done() const { return impl_->done; }
double Table::seconds() const { return impl_->seconds; }

std::string Table::notice() const {
  if (impl_->zwang == version && impl_->machine == runs::this_machine()) return {};
  return fmt::format(
      "this sweep was begun by zwang {} on {} and goes on by zwang {} on {}: what is added may differ in its last "
      "digits",
      impl_->zwang, impl_->machine, version, runs::this_machine());
}

void Table::add(const Row& row) {
  Impl& impl = *impl_;
  assert(row.sample == impl.done && row.parameters.size() == impl.parameters);
  impl.begin();
  // One sum runs on over all lines of a chunk.
  impl.add_sample.sum() = impl.sum;
  impl.add_sample.put(static_cast<std::int64_t>(row.sample));
  for (const double value : row.parameters) impl.add_sample.put(value);
  impl.add_sample.put(row.status).put(row.time);
  impl.add_sample.put(static_cast<std::int64_t>(row.steps)).put(static_cast<std::int64_t>(row.events)).put(row.defect);
  for (const double value : row.records) impl.add_sample.put(value);
  impl.sum = impl.add_sample.sum();
  if (!row.why.empty() && impl.why_is_summed) impl.sum.text(row.why);
  impl.add_sample.run();
  if (!row.why.empty())
    impl.add_failure.put(static_cast<std::int64_t>(row.sample)).put(std::string_view(row.why)).run();
  ++impl.done;
}

bool Table::commit(double seconds, bool patient) {
  Impl& impl = *impl_;
  if (impl.done > impl.first) {
    impl.begin();
    impl.add_chunk.put(static_cast<std::int64_t>(impl.chunks))
        .put(static_cast<std::int64_t>(impl.first))
        .put(static_cast<std::int64_t>(impl.done - impl.first))
        .put(impl.sum.sum())
        .seal("chunks")
        .run();
    ++impl.chunks;
    impl.first = impl.done;
    impl.sum = {};
  }
  if (!impl.database.in_transaction()) return true;
  impl.seconds = seconds;
  impl.write_sweep();
  if (impl.database.commit(patient ? 60'000 : 0)) {
    impl.say_kept();
    return true;
  }
  if (patient) throw Error({path(), 0, 0}, "another program holds the sweep file; close it there and try again");
  return false;
}

std::map<std::string, std::uint64_t> Table::statuses() const {
  impl_->check();
  Statement each = impl_->database.prepare("SELECT count(*), status FROM samples GROUP BY status");
  std::map<std::string, std::uint64_t> out;
  while (each.step()) {
    const Line line(each, "samples");
    out[line.text(1)] = static_cast<std::uint64_t>(line.number());
  }
  return out;
}

std::vector<std::pair<std::uint64_t, std::string>> Table::failures(std::uint64_t most) const {
  impl_->check();
  Statement each = impl_->database.prepare("SELECT sample, why FROM failures ORDER BY sample");
  std::vector<std::pair<std::uint64_t, std::string>> out;
  while (out.size() < most && each.step()) {
    const Line line(each, "failures");
    out.emplace_back(static_cast<std::uint64_t>(line.number()), line.text(1));
  }
  return out;
}

void Table::each_row(const std::function<void(const Row&)>& visit) const { impl_->walk(visit); }

void Table::Impl::check() {
  if (checked != done) walk({});
}

void Table::Impl::walk(const std::function<void(const Row&)>& visit) {
  Statement chunk = database.prepare("SELECT number, first, count, sum, checksum FROM chunks ORDER BY number");
  Statement line_of = database.prepare("SELECT * FROM samples ORDER BY sample");
  Statement failure = database.prepare("SELECT sample, why FROM failures ORDER BY sample");
  Row row;
  row.parameters.resize(parameters);
  row.records.resize(columns.size() - parameters - columns_of_account);
  std::uint64_t next = 0;
  bool more_failures = failure.step();
  while (chunk.step()) {
    const Line stretch(chunk, "chunks");
    stretch.require_seal();
    const std::int64_t count = stretch.whole(2, 0, static_cast<std::int64_t>(done));
    Checksum found;
    for (std::int64_t k = 0; k < count; ++k, ++next) {
      if (!line_of.step()) damaged("table samples ends too early");
      const Line line(line_of, "samples");
      if (line.number() != static_cast<std::int64_t>(next)) line.refuse("it is not the next one");
      found.whole(line.number());
      int column = 0;
      const auto real = [&] {
        const double value = line.real(++column);
        found.number(value);
        return value;
      };
      const auto whole = [&] {
        const std::int64_t value = line.whole(++column, 0, INT64_MAX);
        found.whole(value);
        return static_cast<std::uint64_t>(value);
      };
      row.sample = next;
      for (double& value : row.parameters) value = real();
      const std::string status = line.text(++column);
      found.text(status);
      row.status = known_status(status);
      if (row.status.empty()) line.refuse("its status is none");
      row.time = real();
      row.steps = whole();
      row.events = whole();
      row.defect = real();
      for (double& value : row.records) value = real();
      // Why it failed stands elsewhere, and belongs to it.
      if (more_failures && Line(failure, "failures").number() == line.number()) {
        if (why_is_summed) found.text(Line(failure, "failures").text(1));
        more_failures = failure.step();
      }
      if (visit) visit(row);
    }
    if (found.sum() != stretch.whole(3, INT64_MIN, INT64_MAX)) {
      damaged(fmt::format("the sum of the samples before number {} does not fit", next));
    }
  }
  if (next != done) damaged(fmt::format("table chunks knows {} samples instead of {}", next, done));
  if (more_failures) Line(failure, "failures").refuse("it belongs to no sample");
  checked = done;
}

void Table::each(const std::function<void(const std::vector<std::string>&)>& visit) const {
  std::vector<std::string> cells(impl_->columns.size());
  each_row([&](const Row& row) {
    std::size_t c = 0;
    const auto put = [&](double value) { cells[c++] = std::isnan(value) ? std::string() : exact(value); };
    cells[c++] = std::to_string(row.sample);
    for (const double value : row.parameters) put(value);
    cells[c++] = row.status;
    put(row.time);
    cells[c++] = std::to_string(row.steps);
    cells[c++] = std::to_string(row.events);
    put(row.defect);
    for (const double value : row.records) put(value);
    visit(cells);
  });
}

void Table::limit_pages(std::uint64_t pages) {
  impl_->database.run(fmt::format("PRAGMA max_page_count = {}", pages).c_str());
}

void write_csv(const Table& table, const std::function<void(std::string_view)>& sink) {
  std::string line;
  const auto put = [&](const std::vector<std::string>& cells) {
    line.clear();
    for (const std::string& cell : cells) {
      if (&cell != &cells.front()) line += ',';
      if (cell.find_first_of(",\"\n\r") == std::string::npos) {
        line += cell;
        continue;
      }
      line += '"';
      for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
      line += '"';
    }
    line += '\n';
    sink(line);
  };
  put(table.columns());
  table.each(put);
}

}  // namespace zwang::sweeps
