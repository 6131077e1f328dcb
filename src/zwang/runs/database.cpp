/// SQLite behind four verbs: open, prepare, step, commit.
#include "zwang/runs/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include "zwang/base/refusal.hpp"
#include "zwang/error.hpp"

namespace zwang::runs {

// Numbers lie in the file as this machine has them, and the file says little-endian.
static_assert(std::endian::native == std::endian::little);
static_assert(std::numeric_limits<double>::is_iec559);

namespace {

/// Is there a limit of file sizes, and was it in the way? The system's own word for it is often lost until one asks.
bool is_size_limit(int code, int reason) {
  rlimit limit = {};
  return reason == EFBIG ||
         (code == SQLITE_IOERR_WRITE && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY);
}

/// The file, and a journal beside it.
bool may_be_written(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ::access(path.c_str(), W_OK) == 0 && ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0;
}

}  // namespace

void damaged(const std::string& path, std::string_view what, std::string_view noun) {
  throw Fault({path, 0, 0}, fmt::format("this {} file is damaged: {}", noun, what));
}

void fail(sqlite3* database, const FileWords& words, int code) {
  const std::string& path = words.path;
  const int reason = database != nullptr ? sqlite3_system_errno(database) : 0;
  const int kind = code & 0xFF;
  const std::string& noun = words.noun;
  const auto intact = [&](const std::string& trouble) {
    if (words.kept.empty()) return trouble;
    return fmt::format("{}; {}: see to it, then go on with `zwang {} --resume {}`", trouble, words.kept, noun, path);
  };
  switch (kind) {
    case SQLITE_FULL: throw Fault({path, 0, 0}, intact(fmt::format("the {} file cannot grow, the disk is full", noun)));
    case SQLITE_IOERR:
      if (is_size_limit(code, reason)) {
        throw Fault({path, 0, 0},
                    intact(fmt::format("the {} file cannot grow, it has reached the limit of file sizes", noun)));
      }
      throw Fault({path, 0, 0}, intact(fmt::format("the {} file cannot be written or read{}{}", noun,
                                                   reason != 0 ? ": " : "", reason != 0 ? std::strerror(reason) : "")));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: damaged(path, "parts of it are missing, were changed or cannot be read", noun);
    case SQLITE_READONLY:
    case SQLITE_PERM:
      // SQLite also opens for reading alone what could not be opened for writing at that moment.
      if (may_be_written(path))
        throw Fault({path, 0, 0}, fmt::format("the {} file could not be opened for writing; try again", noun));
      throw Error({path, 0, 0}, fmt::format("the {} file cannot be written: it or its folder is read-only", noun));
    case SQLITE_CANTOPEN:
      // (The reason it keeps may be that of another file.)
      if (reason == ENOENT && ::access(path.c_str(), F_OK) == 0) {
        throw Fault({path, 0, 0}, fmt::format("the {} file or its journal could not be opened; try again", noun));
      }
      if (reason != 0) refuse_file(path, fmt::format("cannot open the {} file", noun), reason);
      throw Fault({path, 0, 0}, fmt::format("cannot open the {} file", noun));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error({path, 0, 0}, fmt::format("another program holds the {} file; close it there and try again", noun));
    case SQLITE_NOMEM: throw std::bad_alloc();
    default: throw Fault({path, 0, 0}, fmt::format("the {} file cannot be used: {}", noun, sqlite3_errstr(code)));
  }
}

Statement::Statement(sqlite3* database, const FileWords& words, std::string_view text)
    : database_(database), words_(&words) {
  check(sqlite3_prepare_v3(database, text.data(), static_cast<int>(text.size()), SQLITE_PREPARE_PERSISTENT, &statement_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept { *this = std::move(other); }

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(statement_, other.statement_);
  std::swap(words_, other.words_);
  std::swap(next_, other.next_);
  std::swap(sum_, other.sum_);
  std::swap(kept_, other.kept_);
  return *this;
}

void Statement::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
    try {
      fail(database_, *words_, code);
    } catch (...) {
      sqlite3_reset(statement_);
      throw;
    }
  }
}

Statement& Statement::put(std::int64_t value) {
  sum_.whole(value);
  check(sqlite3_bind_int64(statement_, next_++, value));
  return *this;
}

Statement& Statement::put(double value) {
  sum_.number(value);
  check(sqlite3_bind_double(statement_, next_++, value));
  return *this;
}

Statement& Statement::put(std::string_view text) {
  sum_.text(text);
  check(sqlite3_bind_text64(statement_, next_++, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::put(std::string&& text) {
  return put(std::string_view(*kept_.emplace_back(std::make_unique<const std::string>(std::move(text)))));
}

Statement& Statement::put_bytes(std::string_view bytes) {
  sum_.bytes(bytes);
  // An empty span may have no address, which SQLite would take for NULL.
  check(bytes.empty() ? sqlite3_bind_zeroblob(statement_, next_, 0)
                      : sqlite3_bind_blob64(statement_, next_, bytes.data(), bytes.size(), SQLITE_STATIC));
  ++next_;
  return *this;
}

Statement& Statement::put_bytes(std::string&& bytes) {
  return put_bytes(std::string_view(*kept_.emplace_back(std::make_unique<const std::string>(std::move(bytes)))));
}

Statement& Statement::put(std::span<const double> values) {
  return put_bytes(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

Statement& Statement::put(std::span<const std::uint32_t> values) {
  return put_bytes(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

Statement& Statement::seal(std::string_view table) {
  sum_.text(table);
  return put(sum_.sum());
}

void Statement::run() {
  const bool row = step();
  assert(!row);
  static_cast<void>(row);
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  check(code);
  if (code == SQLITE_DONE) {
    reset();
  }
  return code == SQLITE_ROW;
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  kept_.clear();
  next_ = 1;
  sum_ = {};
}

Line::Line(const Statement& statement, std::string_view table) : statement_(statement), table_(table) {}

int Line::type(int column) const { return sqlite3_column_type(statement_.statement_, column); }

Checksum Line::sum() const {
  Checksum sum;
  const int columns = sqlite3_column_count(statement_.statement_) - 1;
  for (int column = 0; column < columns; ++column) {
    switch (type(column)) {
      case SQLITE_INTEGER: sum.whole(sqlite3_column_int64(statement_.statement_, column)); break;
      case SQLITE_FLOAT: sum.number(sqlite3_column_double(statement_.statement_, column)); break;
      case SQLITE_TEXT: sum.text(text(column)); break;
      case SQLITE_BLOB: sum.bytes(blob(column, 1)); break;
      default: sum.none(); break;
    }
  }
  return sum;
}

void Line::require(Checksum sum) const {
  const int column = sqlite3_column_count(statement_.statement_) - 1;
  sum.text(table_);
  if (type(column) != SQLITE_INTEGER || sqlite3_column_int64(statement_.statement_, column) != sum.sum()) {
    refuse("its checksum does not fit");
  }
}

void Line::refuse(std::string_view why) const {
  damaged(statement_.words_->path,
          fmt::format("table {}, line {}: {}", table_, sqlite3_column_int64(statement_.statement_, 0), why),
          statement_.words_->noun);
}

std::int64_t Line::whole(int column, std::int64_t least, std::int64_t most) const {
  const std::int64_t value = type(column) == SQLITE_INTEGER ? sqlite3_column_int64(statement_.statement_, column) : 0;
  if (type(column) != SQLITE_INTEGER || value < least || value > most) {
    refuse(fmt::format("its {} cannot be", sqlite3_column_name(statement_.statement_, column)));
  }
  return value;
}

double Line::real(int column) const {
  if (type(column) == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
  if (type(column) != SQLITE_FLOAT) {
    refuse(fmt::format("its {} is no number", sqlite3_column_name(statement_.statement_, column)));
  }
  return sqlite3_column_double(statement_.statement_, column);
}

double Line::finite(int column) const {
  const double value = real(column);
  if (!std::isfinite(value)) {
    refuse(fmt::format("its {} is not finite", sqlite3_column_name(statement_.statement_, column)));
  }
  return value;
}

std::string Line::text(int column) const {
  if (type(column) != SQLITE_TEXT) {
    refuse(fmt::format("its {} is no text", sqlite3_column_name(statement_.statement_, column)));
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.statement_, column));
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_.statement_, column))};
}

std::string_view Line::blob(int column, std::size_t unit) const {
  const auto* bytes = type(column) != SQLITE_BLOB
                          ? nullptr
                          : static_cast<const char*>(sqlite3_column_blob(statement_.statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.statement_, column));
  if (bytes == nullptr && sqlite3_errcode(statement_.database_) == SQLITE_NOMEM) throw std::bad_alloc();
  if (type(column) != SQLITE_BLOB || size % unit != 0) {
    refuse(fmt::format("its {} is no list of numbers", sqlite3_column_name(statement_.statement_, column)));
  }
  return {bytes != nullptr ? bytes : "", bytes != nullptr ? size : 0};
}

void Line::read(int column, std::vector<double>& values) const {
  const std::string_view bytes = blob(column, sizeof(double));
  values.resize(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

void Line::read(int column, std::vector<std::uint32_t>& values) const {
  const std::string_view bytes = blob(column, sizeof(std::uint32_t));
  values.resize(bytes.size() / sizeof(std::uint32_t));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
}

Database::Database(std::string path, bool read_only, std::string noun) : words_{std::move(path)} {
  words_.noun = std::move(noun);
  // One question at a time: whoever shares a store among threads has a lock around it, and SQLite need not have one around every column.
  constexpr int flags = SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;
  const int mode = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(words_.path.c_str(), &handle_, mode | flags, nullptr);
  if (code != SQLITE_OK) {
    sqlite3* const failed = std::exchange(handle_, nullptr);
    try {
      fail(failed, words_, code);
    } catch (...) {
      sqlite3_close(failed);
      throw;
    }
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 5000);
  // Nothing that a file brings along is run, and its pages are looked at before they are used.
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_exec(handle_, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", nullptr, nullptr, nullptr);
}

Database::~Database() {
  // A transaction still open is undone here, or by the next one who opens the file.
  sqlite3_close(handle_);
}

void Database::run(const char* text) {
  const int code = sqlite3_exec(handle_, text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail(handle_, words_, code);
  }
}

bool Database::commit(int patience_milliseconds) {
  sqlite3_busy_timeout(handle_, patience_milliseconds);
  const int code = sqlite3_exec(handle_, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_busy_timeout(handle_, 5000);
  if ((code & 0xFF) == SQLITE_BUSY) {
    return false;
  }
  if (code != SQLITE_OK) {
    fail(handle_, words_, code);
  }
  return true;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Database::is_unfinished() const { return sqlite3_extended_errcode(handle_) == SQLITE_READONLY_ROLLBACK; }

Statement Database::prepare(std::string_view text) { return {handle_, words_, text}; }

std::int64_t Database::whole(std::string_view query) {
  Statement statement = prepare(query);
  return statement.step() ? Line(statement, "").whole(0, INT64_MIN, INT64_MAX) : 0;
}

namespace {

/// All that a database says of what it consists of, one line after the other.
std::vector<std::string> schema_of(Database& database) {
  Statement statement = database.prepare("SELECT 0, type, name, tbl_name, coalesce(sql, '') FROM sqlite_master");
  std::vector<std::string> lines;
  while (statement.step()) {
    const Line line(statement, "sqlite_master");
    lines.push_back(fmt::format("{}\n{}\n{}\n{}", line.text(1), line.text(2), line.text(3), line.text(4)));
  }
  return lines;
}

}  // namespace

std::vector<std::string> schema_lines(const char* schema) {
  Database wanted(":memory:");
  wanted.run(schema);
  return schema_of(wanted);
}

void Database::require_schema(const std::vector<std::string>& lines) {
  if (schema_of(*this) != lines)
    damaged(path(), fmt::format("its tables are not those of a {}", words_.noun), words_.noun);
}

void Database::require_order() {
  Statement statement = prepare("PRAGMA quick_check(1)");
  if (!statement.step() || Line(statement, "pages").text(0) != "ok") {
    damaged(path(), "its pages are not in order", words_.noun);
  }
}

}  // namespace zwang::runs
