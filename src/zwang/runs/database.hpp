/// The little of SQLite that the store of runs needs: an open file, its statements, and errors that say what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace zwang::runs {

/// A prepared statement, used over and over: bind from the left, step, read columns.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* database, const std::string& path, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;

  // The next parameter; texts and bytes must live until the statement is run.
  Statement& put(std::int64_t value);
  Statement& put(double value);  ///< what is not a number becomes NULL
  Statement& put(std::string_view text);
  Statement& put_bytes(std::string_view bytes);
  Statement& put(std::span<const double> values);
  Statement& put(std::span<const std::uint32_t> values);

  void run();   ///< for a statement without rows; ready for the next parameters afterwards
  bool step();  ///< to the next row; false after the last one, and then ready again
  void reset();

  [[nodiscard]] std::int64_t whole(int column) const;
  [[nodiscard]] double number(int column) const;  ///< NULL reads as not a number
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::string bytes(int column) const;
  void read(int column, std::vector<double>& values) const;
  void read(int column, std::vector<std::uint32_t>& values) const;

 private:
  void check(int code) const;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  const std::string* path_ = nullptr;
  int next_ = 1;
};

class Database {
 public:
  /// Opens an existing file (which may be empty) for reading and writing, or for reading alone.
  explicit Database(std::string path, bool read_only = false);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* text);
  /// Ends the transaction; false when a reader holds the file, and then the transaction goes on.
  [[nodiscard]] bool commit(int patience_milliseconds);
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] Statement prepare(std::string_view text);
  [[nodiscard]] std::int64_t whole(std::string_view query);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// Throws an Error with the path and one sentence for a result code of SQLite.
[[noreturn]] void fail(sqlite3* database, const std::string& path, int code);

}  // namespace zwang::runs
