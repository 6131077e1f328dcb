/// Errors with a place, shown as compilers do: one line that says what, the source line, a caret below the column.
#include "zwang/error.hpp"

#include <cstddef>
#include <utility>

#include "zwang/base/escape.hpp"

namespace zwang {
namespace {

/// Columns shown of a long line, and how many of them stand before the caret.
constexpr std::size_t widest = 100;
constexpr std::size_t before_caret = 60;

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Bytes of the well-formed code point that starts at `at`, or 0.
std::size_t code_point(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues(text[at + k])) return 0;
  }
  return length;
}

/// The line as it can stand on a terminal, cut to a window of columns (counted from 0).
std::string window(std::string_view line, std::size_t first, std::size_t last) {
  std::string shown;
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size() && column < last;) {
    const std::size_t length = code_point(line, at);
    if (length == 0) {
      // A stray continuation byte has no column of its own; any other broken byte is shown as a question mark.
      if (!continues(line[at])) {
        if (column >= first) shown += '?';
        ++column;
      }
      ++at;
      continue;
    }
    if (column >= first) {
      const auto byte = static_cast<unsigned char>(line[at]);
      std::size_t behind = at;
      if (length == 1 && (byte < 0x20 || byte == 0x7F)) {
        shown += ' ';
      } else if (is_command(next_character(line, behind))) {
        shown += "\xEF\xBF\xBD";
      } else {
        shown += line.substr(at, length);
      }
    }
    ++column;
    at += length;
  }
  return shown;
}

}  // namespace

Error::Error(Place place, std::string message, std::string excerpt)
    : std::runtime_error(message),
      place_(std::move(place)),
      message_(std::move(message)),
      excerpt_(std::move(excerpt)) {}

std::string render(const Error& error) {
  // file:line:column, as far as known.
  const Place& place = error.place();
  std::string text = plain_line(place.file);
  if (place.line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(place.line);
    if (place.column > 0) text += ':' + std::to_string(place.column);
  }
  if (!text.empty()) text += ": ";
  text += "error: " + plain_text(error.message());
  if (error.excerpt().empty()) return text;

  // The window of the line around the caret; three points stand for what is cut off.
  const std::size_t caret = place.column > 0 ? place.column - 1 : 0;
  const std::size_t first = caret > before_caret ? caret - before_caret : 0;
  const std::string head = first > 0 ? "..." : "";
  const std::string longer = window(error.excerpt(), first, first + widest + 1);
  std::string line = window(error.excerpt(), first, first + widest);
  const bool cut = longer.size() > line.size();
  while (!line.empty() && line.back() == ' ' && !cut && line.size() > caret - first + 1) line.pop_back();
  text += "\n  " + head + line + (cut ? "..." : "");

  // The caret.
  if (place.column > 0) text += "\n  " + std::string(head.size() + caret - first, ' ') + '^';
  return text;
}

}  // namespace zwang
