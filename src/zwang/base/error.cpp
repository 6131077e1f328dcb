/// Errors with a place, shown as compilers do: one line that says what, the source line, a caret below the column.
#include "zwang/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

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
      if (length == 1 && (byte < 0x20 || byte == 0x7F)) {
        shown += ' ';
      } else {
        shown += line.substr(at, length);
      }
    }
    ++column;
    at += length;
  }
  return shown;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance with neighbouring letters exchanged as one edit, letters compared without case; `limit` + 1 if beyond.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit) return limit + 1;
  constexpr std::size_t longest = 128;
  if (a.size() >= longest || b.size() >= longest) return limit + 1;

  // Three rows of the usual table.
  std::array<std::array<std::size_t, longest>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& previous = rows[(i - 1) % 3];
    const auto& earlier = rows[(i + 1) % 3];
    row[0] = i;
    std::size_t least = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + change});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
        row[j] = std::min(row[j], earlier[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > limit + 1) return limit + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
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
  std::string text = place.file;
  if (place.line > 0) {
    if (!text.empty()) text += ':';
    text += std::to_string(place.line);
    if (place.column > 0) text += ':' + std::to_string(place.column);
  }
  if (!text.empty()) text += ": ";
  text += "error: " + error.message();
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

std::string_view nearest(std::string_view word, const std::string_view* candidates, std::size_t count) {
  // One edit in three letters, three at most; a single letter must agree but for its case.
  const std::size_t limit = word.size() < 2 ? 0 : std::clamp<std::size_t>(word.size() / 3, 1, 3);
  std::string_view best;
  std::size_t least = limit + 1;
  for (std::size_t k = 0; k < count; ++k) {
    // Words that share no more than they differ are not meant.
    const std::size_t edits = distance(word, candidates[k], limit);
    if (edits < least && edits < std::min(word.size(), candidates[k].size())) {
      least = edits;
      best = candidates[k];
    }
  }
  return best;
}

}  // namespace zwang
