/// What a physicist likes to read: aligned tables, lists of words, and colours for those who have them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zwang::report {

/// What switches a way of writing on, and all of them off; nothing where there are no colours.
struct Style {
  std::string_view bold, faint, good, bad, warm, off;
};

/// A table whose columns are as wide as their widest cell; numbers are set flush right, words flush left.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void row(std::vector<std::string> cells);
  /// At most `most` rows are shown; a line says how many were left out.
  [[nodiscard]] std::string text(const Style& style, std::size_t most = 60) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

/// "(1, 0, -9.81)" or "3.5".
[[nodiscard]] std::string components(const double* values, std::size_t count);
/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names, std::size_t most = 12);
/// "1 step", "2 steps".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view what);
/// Number of characters a terminal shows (UTF-8, escape sequences not counted).
[[nodiscard]] std::size_t width(std::string_view text);

}  // namespace zwang::report
