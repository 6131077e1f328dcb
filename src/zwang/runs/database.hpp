/// The little of SQLite that the stores of runs and sweeps need: an open file, its statements, and errors that say what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/runs/checksum.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace zwang::runs {

/// What errors say of a file.
struct FileWords {
  std::string path;
  std::string kept = "what was kept before is intact";  ///< where it cannot grow any more
  std::string noun = "run";  ///< what it is a file of, and the sub-command that goes on with it
};

/// A prepared statement, used over and over: bind from the left, step, read the line found.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3* database, const FileWords& words, std::string_view text);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;

  // The next parameter. Texts, bytes and lists must last until the line is written, which copies them; those that nobody holds are kept here.
  Statement& put(std::int64_t value);
  Statement& put(double value);  ///< what is not a number becomes NULL
  Statement& put(std::string_view text);
  Statement& put(const char* text) { return put(std::string_view(text)); }
  Statement& put(std::string&& text);
  Statement& put_bytes(std::string_view bytes);
  Statement& put_bytes(std::string&& bytes);
  Statement& put(std::span<const double> values);
  Statement& put(std::span<const std::uint32_t> values);
  /// The last parameter of a line: the sum of those before, of what belongs to the line elsewhere, and of the table's name.
  Statement& seal(std::string_view table);
  [[nodiscard]] Checksum& sum() { return sum_; }

  void run();   ///< for a statement without rows; ready for the next parameters afterwards
  bool step();  ///< to the next row; false after the last one, and then ready again
  void reset();

 private:
  void check(int code) const;
  friend class Line;
  sqlite3* database_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
  const FileWords* words_ = nullptr;
  int next_ = 1;
  Checksum sum_;
  std::vector<std::unique_ptr<const std::string>> kept_;  ///< what else would be gone before the line is written
};

/// A line found, not trusted: its first column is its number, the others are asked for by kind and by what they may say. What is not so is a Fault
/// that names the table and the number.
class Line {
 public:
  Line(const Statement& statement, std::string_view table);

  /// The sum of the columns before the last, to which what belongs to the line elsewhere is added; it must be the one in the last column.
  [[nodiscard]] Checksum sum() const;
  void require(Checksum sum) const;
  void require_seal() const { require(sum()); }

  [[nodiscard]] std::int64_t number() const { return whole(0, 0, INT64_MAX); }
  [[nodiscard]] std::int64_t whole(int column, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] double finite(int column) const;
  [[nodiscard]] double real(int column) const;  ///< may be infinite, or none, which reads as not a number
  [[nodiscard]] std::string text(int column) const;
  /// They last until the statement goes on.
  [[nodiscard]] std::string_view bytes(int column) const { return blob(column, 1); }
  void read(int column, std::vector<double>& values) const;
  void read(int column, std::vector<std::uint32_t>& values) const;
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  [[nodiscard]] std::string_view blob(int column, std::size_t unit) const;
  [[nodiscard]] int type(int column) const;
  const Statement& statement_;
  std::string_view table_;
};

class Database {
 public:
  /// Opens an existing file (which may be empty) for reading and writing, or for reading alone.
  explicit Database(std::string path, bool read_only = false, std::string noun = "run");
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const char* text);
  /// Ends the transaction; false when a reader holds the file, and then the transaction goes on.
  [[nodiscard]] bool commit(int patience_milliseconds);
  [[nodiscard]] bool in_transaction() const;
  /// Did the last question fail because a commit that was cut short must be undone first, which a reader cannot?
  [[nodiscard]] bool is_unfinished() const;
  [[nodiscard]] Statement prepare(std::string_view text);
  [[nodiscard]] std::int64_t whole(std::string_view query);
  [[nodiscard]] const std::string& path() const { return words_.path; }
  /// What is said of the file where it cannot grow any more.
  void say_kept(std::string words) { words_.kept = std::move(words); }
  /// Before anything in the file is used: is it made of these tables and of nothing else? No SQL of a stranger is run.
  void require_schema(const std::vector<std::string>& lines);
  /// Before anything is written to it: are its pages in order?
  void require_order();

 private:
  FileWords words_;
  sqlite3* handle_ = nullptr;
};

/// Throws an Error with the path and one sentence for a result code of SQLite.
[[noreturn]] void fail(sqlite3* database, const FileWords& words, int code);
/// A file that is not as it was written.
[[noreturn]] void damaged(const std::string& path, std::string_view what, std::string_view noun = "run");

/// What a database with these tables says of what it consists of.
[[nodiscard]] std::vector<std::string> schema_lines(const char* schema);

}  // namespace zwang::runs
