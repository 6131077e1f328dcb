/// The text of a model file and the places in it.
#include "zwang/model/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/escape.hpp"

namespace zwang::model {

namespace {

constexpr std::size_t longest_line = std::size_t{16} << 20U;  // bytes
constexpr std::size_t most_dots = 1000;                       // in one dotted name: each is a table inside a table

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Bytes of the UTF-8 character that starts at `at`, or 0 when there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80U) return 1;

  // Length and smallest code point of the sequence follow from its first byte.
  std::size_t length = 0;
  std::uint32_t code = 0;
  std::uint32_t least = 0;
  if ((lead & 0xE0U) == 0xC0U) {
    length = 2, code = lead & 0x1FU, least = 0x80;
  } else if ((lead & 0xF0U) == 0xE0U) {
    length = 3, code = lead & 0x0FU, least = 0x800;
  } else if ((lead & 0xF8U) == 0xF0U) {
    length = 4, code = lead & 0x07U, least = 0x10000;
  } else {
    return 0;
  }
  if (at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (!continues_character(text[at + k])) return 0;
    code = (code << 6U) | (static_cast<unsigned char>(text[at + k]) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || surrogate ? 0 : length;
}

/// Number of bytes a code point takes in UTF-8.
std::size_t encoded_length(std::uint32_t code) { return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; }

}  // namespace

std::string joined(const std::vector<std::string_view>& words, std::string_view between) {
  std::string out;
  for (const std::string_view word : words) {
    if (!out.empty()) out += between;
    out += word;
  }
  return out;
}

Source::Source(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {
  // A byte order mark is no part of the text.
  if (text_.starts_with("\xEF\xBB\xBF")) text_.erase(0, 3);
  line_start_.push_back(0);
  for (std::size_t k = 0; k < text_.size(); ++k) {
    if (text_[k] == '\n') line_start_.push_back(k + 1);
  }
}

Place Source::place(Position position) const { return {file_, position.line, position.column}; }

std::string_view Source::line(std::uint32_t number) const {
  if (number == 0 || number > line_start_.size()) return {};
  const std::size_t begin = line_start_[number - 1];
  std::size_t end = number < line_start_.size() ? line_start_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

Error Source::error(Position position, const std::string& message) const {
  return {place(position), message, std::string(line(position.line))};
}

Position Source::position(std::size_t byte) const {
  const auto next = std::upper_bound(line_start_.begin(), line_start_.end(), byte);
  const auto number = static_cast<std::uint32_t>(next - line_start_.begin());
  std::uint32_t column = 1;
  for (std::size_t k = line_start_[number - 1]; k < byte && k < text_.size(); ++k) {
    if (k == byte - 1 || !continues_character(text_[k + 1])) ++column;
  }
  return {number, column};
}

std::string_view Source::number_at(Position position) const {
  const std::string_view text = std::string_view(text_).substr(byte(position));
  const std::size_t end = text.find_first_not_of("0123456789+-._eE");
  return text.substr(0, end);
}

std::size_t Source::byte(Position position) const {
  if (position.line == 0 || position.line > line_start_.size()) return text_.size();
  std::size_t at = line_start_[position.line - 1];
  for (std::uint32_t column = 1; column < position.column && at < text_.size(); ++column) {
    do {
      ++at;
    } while (at < text_.size() && continues_character(text_[at]));
  }
  return at;
}

Position Source::inside(Position opening, std::size_t offset) const {
  const std::string_view text = text_;
  std::size_t at = byte(opening);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return opening;

  // What kind of string: one quote or three, with escapes or literal.
  const char quote = text[at];
  const bool literal = quote == '\'';
  const bool lines = text.substr(at, 3) == std::string(3, quote);
  at += lines ? 3 : 1;
  if (lines && text.substr(at, 2) == "\r\n") {
    at += 2;
  } else if (lines && text.substr(at, 1) == "\n") {
    at += 1;
  }

  // Read on, counting the bytes each character of the text contributes to the value.
  std::size_t produced = 0;
  while (at < text.size() && produced <= offset) {
    if (!literal && text[at] == '\\' && at + 1 < text.size()) {
      const char what = text[at + 1];
      if (what == 'u' || what == 'U') {
        const std::size_t digits = what == 'u' ? 4 : 8;
        std::uint32_t code = 0;
        for (const char digit : text.substr(at + 2, digits)) {
          const auto value = digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
          code = code * 16 + static_cast<std::uint32_t>(value);
        }
        if (produced + encoded_length(code) > offset) break;
        produced += encoded_length(code);
        at += 2 + digits;
      } else if (lines && (what == '\n' || what == '\r' || what == ' ' || what == '\t')) {
        ++at;
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n')) ++at;
      } else {
        if (produced == offset) break;
        produced += 1;
        at += 2;
      }
      continue;
    }
    if (produced == offset) break;
    if (lines && text.substr(at, 2) == "\r\n") ++at;
    ++at;
    ++produced;
  }
  return position(std::min(at, text.size()));
}

void Source::require_text() const {
  for (std::size_t k = 0; k < line_start_.size(); ++k) {
    const std::size_t end = k + 1 < line_start_.size() ? line_start_[k + 1] : text_.size();
    if (end - line_start_[k] > longest_line) {
      const Place where{file_, static_cast<std::uint32_t>(k + 1), 1};
      throw Error(where, fmt::format("this line has {} bytes; a line may have at most {} MiB", end - line_start_[k],
                                     longest_line >> 20U));
    }
  }
  for (std::size_t at = 0; at < text_.size();) {
    // Bytes that are no characters, and characters that no text has.
    const std::size_t length = character_length(text_, at);
    const auto byte = static_cast<unsigned char>(text_[at]);
    if (length == 0) {
      const std::string what = fmt::format("this is not a text file: the byte 0x{:02x} is no part of UTF-8", byte);
      throw Error(place(position(at)), what);
    }
    if (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') {
      const std::string what = fmt::format("this is not a text file: it holds the control character 0x{:02x}", byte);
      throw Error(place(position(at)), what);
    }
    at += length;
  }
  static_cast<void>(require_plain_names());
}

ParserText Source::for_parser() const {
  ParserText out;
  std::size_t done = 0;
  for (const std::size_t at : require_plain_names()) {
    std::size_t behind = at;
    const std::uint32_t code = next_character(text_, behind);
    const std::string escape = code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
    out.text.append(text_, done, at - done).append(escape);
    out.escapes.push_back({position(at), static_cast<std::uint32_t>(escape.size())});
    done = behind;
  }
  out.text.append(text_, done);
  return out;
}

Position ParserText::original(Position position) const {
  const auto found = std::lower_bound(escapes.begin(), escapes.end(), position.line,
                                      [](const Escape& one, std::uint32_t line) { return one.place.line < line; });
  if (found == escapes.end() || found->place.line != position.line || position.column <= found->place.column) {
    return position;
  }
  const std::uint32_t beyond = position.column - found->place.column;
  return {position.line, found->place.column + (beyond < found->columns ? 0 : beyond - found->columns + 1)};
}

std::vector<std::size_t> Source::require_plain_names() const {
  std::vector<std::size_t> begins;
  const std::string_view text = text_;
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  const auto require_ascii = [&](std::size_t at, std::string_view where) {
    if (at >= text.size() || static_cast<unsigned char>(text[at]) < 0x80U) return;
    throw error(position(at),
                fmt::format("the character {} cannot stand {}", text.substr(at, character_length(text, at)), where));
  };
  char quote = 0;      // of the string we are in
  bool lines = false;  // it is one of several lines
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (quote == 0) {
      // Between the strings: names, numbers, signs and comments.
      require_ascii(at, "here: outside of quotes and comments only the letters a to z and A to Z are possible");
      if (c == '#') {
        at = std::min(text.find('\n', at), text.size());
        continue;
      }
      if (c == '"' || c == '\'') {
        quote = c;
        lines = text.substr(at, 3) == std::string(3, c);
        at += lines ? 3 : 1;
        continue;
      }

      // A name of very many parts would be as many tables inside each other.
      if (c == '.') ++dots;
      if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') dots = 0;
      if (dots > most_dots) throw error(position(at), fmt::format("a name of more than {} parts", most_dots));
      ++at;
    } else if (c == '\\' && quote == '"') {
      // An escape, or the end of a line that goes on in the next.
      ++at;
      require_ascii(at, "behind a \\");
      if (at < text.size() && lines && blank(text[at])) {
        while (at < text.size() && blank(text[at])) ++at;
        if (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80U) begins.push_back(at);
      } else {
        ++at;
      }
    } else if (c == quote && (!lines || text.substr(at, 3) == std::string(3, c))) {
      // The closing quotes; two more may belong to the text before them.
      at += lines ? 3 : 1;
      for (int more = 0; lines && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      quote = 0;
    } else {
      if (c == '\n' && !lines) quote = 0;
      ++at;
    }
  }
  return begins;
}

}  // namespace zwang::model
