/// SQLite behind four verbs: open, prepare, step, commit.
#include "zwang/runs/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <bit>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

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

}  // namespace

void fail(sqlite3* database, const std::string& path, int code) {
  const int reason = database != nullptr ? sqlite3_system_errno(database) : 0;
  const int kind = code & 0xFF;
  const auto intact = [&](const std::string& trouble) {
    return fmt::format("{}; what was kept before is intact: see to it, then go on with `zwang run --resume {}`",
                       trouble, path);
  };
  switch (kind) {
    case SQLITE_FULL: throw Error({path, 0, 0}, intact("the run file cannot grow, the disk is full"));
    case SQLITE_IOERR:
      if (is_size_limit(code, reason)) {
        throw Error({path, 0, 0}, intact("the run file cannot grow, it has reached the limit of file sizes"));
      }
      throw Error({path, 0, 0}, intact(fmt::format("the run file cannot be written or read{}{}",
                                                   reason != 0 ? ": " : "", reason != 0 ? std::strerror(reason) : "")));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: throw Error({path, 0, 0}, "this run file is damaged: parts of it are missing or were changed");
    case SQLITE_READONLY:
    case SQLITE_PERM: throw Error({path, 0, 0}, "the run file cannot be written: it or its folder is read-only");
    case SQLITE_CANTOPEN:
      throw Error({path, 0, 0}, fmt::format("cannot open the run file{}{}", reason != 0 ? ": " : "",
                                            reason != 0 ? std::strerror(reason) : ""));
    case SQLITE_BUSY:
    case SQLITE_LOCKED: throw Error({path, 0, 0}, "another program holds the run file; close it there and try again");
    case SQLITE_NOMEM: throw std::bad_alloc();
    default: throw Error({path, 0, 0}, fmt::format("the run file cannot be used: {}", sqlite3_errstr(code)));
  }
}

Statement::Statement(sqlite3* database, const std::string& path, std::string_view text)
    : database_(database), path_(&path) {
  check(sqlite3_prepare_v3(database, text.data(), static_cast<int>(text.size()), SQLITE_PREPARE_PERSISTENT, &statement_,
                           nullptr));
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement::Statement(Statement&& other) noexcept { *this = std::move(other); }

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(database_, other.database_);
  std::swap(statement_, other.statement_);
  std::swap(path_, other.path_);
  std::swap(next_, other.next_);
  return *this;
}

void Statement::check(int code) const {
  if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE) {
    try {
      fail(database_, *path_, code);
    } catch (...) {
      sqlite3_reset(statement_);
      throw;
    }
  }
}

Statement& Statement::put(std::int64_t value) {
  check(sqlite3_bind_int64(statement_, next_++, value));
  return *this;
}

Statement& Statement::put(double value) {
  check(sqlite3_bind_double(statement_, next_++, value));
  return *this;
}

Statement& Statement::put(std::string_view text) {
  check(sqlite3_bind_text64(statement_, next_++, text.data() != nullptr ? text.data() : "", text.size(), SQLITE_STATIC,
                            SQLITE_UTF8));
  return *this;
}

Statement& Statement::put_bytes(std::string_view bytes) {
  // An empty span may have no address, which SQLite would take for NULL.
  check(bytes.empty() ? sqlite3_bind_zeroblob(statement_, next_, 0)
                      : sqlite3_bind_blob64(statement_, next_, bytes.data(), bytes.size(), SQLITE_STATIC));
  ++next_;
  return *this;
}

Statement& Statement::put(std::span<const double> values) {
  return put_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

Statement& Statement::put(std::span<const std::uint32_t> values) {
  return put_bytes({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
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
  next_ = 1;
}

std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(statement_, column); }

double Statement::number(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL ? std::numeric_limits<double>::quiet_NaN()
                                                                : sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string{}
                         : std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::string Statement::bytes(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  return bytes == nullptr ? std::string{}
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

void Statement::read(int column, std::vector<double>& values) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  values.resize(static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(double));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes, values.size() * sizeof(double));
  }
}

void Statement::read(int column, std::vector<std::uint32_t>& values) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  values.resize(static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)) / sizeof(std::uint32_t));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes, values.size() * sizeof(std::uint32_t));
  }
}

Database::Database(std::string path, bool read_only) : path_(std::move(path)) {
  const int mode = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(path_.c_str(), &handle_, mode | SQLITE_OPEN_PRIVATECACHE, nullptr);
  if (code != SQLITE_OK) {
    sqlite3* const failed = std::exchange(handle_, nullptr);
    try {
      fail(failed, path_, code);
    } catch (...) {
      sqlite3_close(failed);
      throw;
    }
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 5000);
}

Database::~Database() {
  // A transaction still open is undone here, or by the next one who opens the file.
  sqlite3_close(handle_);
}

void Database::run(const char* text) {
  const int code = sqlite3_exec(handle_, text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    fail(handle_, path_, code);
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
    fail(handle_, path_, code);
  }
  return true;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Statement Database::prepare(std::string_view text) { return {handle_, path_, text}; }

std::int64_t Database::whole(std::string_view query) {
  Statement statement = prepare(query);
  return statement.step() ? statement.whole(0) : 0;
}

}  // namespace zwang::runs
