/// What a physicist likes to read: aligned tables, and colours only on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zwang::cli {

/// Styles are empty strings unless standard output is a terminal and NO_COLOR is not set.
struct Style {
  std::string_view bold, faint, good, bad, warm, off;
};
[[nodiscard]] const Style& style();

/// A table whose columns are as wide as their widest cell; numbers are set flush right, words flush left.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void row(std::vector<std::string> cells);
  /// At most `most` rows are shown; a line says how many were left out.
  [[nodiscard]] std::string text(std::size_t most = 60) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// "(1, 0, -9.81)" or "3.5".
[[nodiscard]] std::string components(const double* values, std::size_t count);
/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most = 12);
/// Number of characters a terminal shows (UTF-8, escape sequences not counted).
[[nodiscard]] std::size_t width(std::string_view text);

/// To standard output; what does not get there is a Fault, here or when the output is closed. Characters that a terminal would obey are not among it, but
/// for our own colours.
void print(std::string_view text);
/// The same as it is: texts that were written into a file before.
void print_verbatim(std::string_view text);
void close_output();

/// Something asked for is lost, which does not keep the rest of the answer from being given: a sentence now, and status 5 at the end.
void lose(std::string_view what);
[[nodiscard]] bool is_anything_lost();

}  // namespace zwang::cli
