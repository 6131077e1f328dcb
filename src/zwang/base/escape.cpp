/// One function for every target, all over the same reading of characters.
#include "zwang/base/escape.hpp"

#include <algorithm>
#include <array>

namespace zwang {

namespace {

constexpr std::uint32_t broken = 0xFFFD;
constexpr std::string_view broken_bytes = "\xEF\xBF\xBD";

struct Range {
  std::uint32_t first, last;
};
/// Beside the control characters: direction marks, separators of lines and paragraphs, the mark of byte order, annotations, tags.
constexpr std::array<Range, 8> commands = {{{0x061C, 0x061C},
                                            {0x200E, 0x200F},
                                            {0x2028, 0x202E},
                                            {0x2060, 0x206F},
                                            {0xFEFF, 0xFEFF},
                                            {0xFFF9, 0xFFFB},
                                            {0xFFFE, 0xFFFF},
                                            {0xE0000, 0xE007F}}};

/// Every character by itself: `write(character, bytes)`.
template <class Write>
void each(std::string_view text, Write write) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t character = next_character(text, at);
    const bool whole = character != broken || text.substr(begin, at - begin) == broken_bytes;
    write(character, whole ? text.substr(begin, at - begin) : broken_bytes);
  }
}

/// Letters, digits and signs of ASCII, blanks and line ends alone, and none of `but`: most texts, which stay as they are.
bool is_simple(std::string_view text, std::string_view but = {}) {
  unsigned other = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    other |=
        static_cast<unsigned>((byte < 0x20) & (byte != '\n') & (byte != '\t')) | static_cast<unsigned>(byte >= 0x7F);
  }
  return other == 0 && (but.empty() || text.find_first_of(but) == std::string_view::npos);
}

/// \u00e9, and beyond the first plane what the two targets make of it.
void append_code(std::string& out, char kind, std::uint32_t code, unsigned digits) {
  static constexpr std::string_view signs = "0123456789abcdef";
  out += '\\';
  out += kind;
  for (unsigned k = digits; k-- > 0;) out += signs[(code >> (4 * k)) & 15U];
}

/// The sequences that zwang writes itself: colours, and the clearing of a line.
constexpr std::array<std::string_view, 7> own = {"\x1b[1m",  "\x1b[2m", "\x1b[32m", "\x1b[31m",
                                                 "\x1b[33m", "\x1b[0m", "\x1b[K"};

/// What stands between double quotes in JSON and TOML; `beyond(out, character)` writes a command that four hexadecimal digits cannot.
template <class Beyond>
std::string within_double_quotes(std::string_view text, Beyond beyond) {
  std::string out;
  out.reserve(text.size());
  each(text, [&](std::uint32_t character, std::string_view bytes) {
    switch (character) {
      case '"': out += "\\\""; return;
      case '\\': out += "\\\\"; return;
      case '\n': out += "\\n"; return;
      case '\t': out += "\\t"; return;
      default: break;
    }
    if (!is_command(character)) {
      out += bytes;
    } else if (character < 0x10000) {
      append_code(out, 'u', character, 4);
    } else {
      beyond(out, character);
    }
  });
  return out;
}

}  // namespace

std::uint32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::uint32_t lead = byte(at);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  const std::size_t begin = at++;
  if (length == 1) return lead;
  if (length == 0 || begin + length > text.size()) return broken;
  std::uint32_t character = lead & (0x7FU >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(begin + k) & 0xC0U) != 0x80U) return broken;
    character = character << 6U | (byte(begin + k) & 0x3FU);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  if (overlong || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF)) return broken;
  at = begin + length;
  return character;
}

bool is_command(std::uint32_t character) {
  if (character < 0x20 || (character >= 0x7F && character < 0xA0)) return true;
  for (const Range& range : commands) {
    if (character >= range.first && character <= range.last) return true;
  }
  return false;
}

std::string plain_text(std::string_view text) {
  if (is_simple(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  each(text, [&](std::uint32_t character, std::string_view bytes) {
    const bool stays = character == '\n' || character == '\t' || !is_command(character);
    out += stays ? bytes : broken_bytes;
  });
  return out;
}

std::string plain_line(std::string_view text) {
  std::string out = plain_text(text);
  for (char& c : out) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  return out;
}

std::string terminal_text(std::string_view text) {
  if (is_simple(text)) return std::string(text);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t escape = std::min(text.find('\x1b', at), text.size());
    out += plain_text(text.substr(at, escape - at));
    at = escape;
    if (at == text.size()) break;
    std::string_view found = text.substr(at, 1);
    for (const std::string_view sequence : own) {
      if (text.substr(at).starts_with(sequence)) found = sequence;
    }
    out += found.size() > 1 ? found : broken_bytes;
    at += found.size();
  }
  return out;
}

std::string comment_text(std::string_view text) {
  std::string out = plain_line(text);
  // A backslash at the end draws the next line into a comment of C++; "coding:" in one of the first two lines tells Python how to read the file.
  while (!out.empty() && (out.back() == '\\' || out.back() == ' ')) out.pop_back();
  for (std::size_t at = out.find("coding"); at != std::string::npos; at = out.find("coding", at + 1)) {
    const std::size_t behind = at + std::string_view("coding").size();
    if (behind < out.size() && (out[behind] == ':' || out[behind] == '=')) out.insert(behind, " ");
  }
  return out;
}

std::string json_escaped(std::string_view text) {
  if (is_simple(text, "\"\\\n\t")) return std::string(text);
  // Beyond four digits as a pair of surrogates.
  return within_double_quotes(text, [](std::string& out, std::uint32_t character) {
    append_code(out, 'u', 0xD800 + ((character - 0x10000) >> 10U), 4);
    append_code(out, 'u', 0xDC00 + (character & 0x3FFU), 4);
  });
}

std::string toml_escaped(std::string_view text) {
  return within_double_quotes(text,
                              [](std::string& out, std::uint32_t character) { append_code(out, 'U', character, 8); });
}

std::string csv_cell(std::string_view text) {
  const std::string plain = plain_text(text);
  // Spreadsheets compute what begins like a formula; between quotes and behind an apostrophe it is text.
  const bool formula = !plain.empty() && std::string_view("=+-@").find(plain.front()) != std::string_view::npos;
  if (!formula && plain.find_first_of(",\"\n\t") == std::string::npos) return plain;
  std::string out = formula ? "\"'" : "\"";
  for (const char c : plain) {
    out += c;
    if (c == '"') out += c;
  }
  return out + '"';
}

std::string xml_escaped(std::string_view text) {
  if (is_simple(text, "&<>\"'")) return std::string(text);
  std::string out;
  out.reserve(text.size());
  each(text, [&](std::uint32_t character, std::string_view bytes) {
    switch (character) {
      case '&': out += "&amp;"; return;
      case '<': out += "&lt;"; return;
      case '>': out += "&gt;"; return;
      case '"': out += "&quot;"; return;
      case '\'': out += "&#39;"; return;
      case '\n':
      case '\t': out += static_cast<char>(character); return;
      default: out += is_command(character) ? broken_bytes : bytes;
    }
  });
  return out;
}

std::string latex_escaped(std::string_view text) {
  constexpr std::uint32_t first_letter = 0xC0;  // Latin letters with accents lie from here ...
  constexpr std::uint32_t last_letter = 0x17F;  // ... to here
  std::string out;
  each(text, [&](std::uint32_t character, std::string_view bytes) {
    switch (character) {
      case '\\': out += "\\textbackslash{}"; return;
      case '~': out += "\\textasciitilde{}"; return;
      case '^': out += "\\textasciicircum{}"; return;
      case '<': out += "\\textless{}"; return;
      case '>': out += "\\textgreater{}"; return;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}': out += std::string("\\") + static_cast<char>(character); return;
      case '\n':
      case '\t': out += ' '; return;
      default: break;
    }
    if (character >= 0x80) {
      out += character >= first_letter && character <= last_letter ? bytes : std::string_view("?");
    } else if (!is_command(character)) {
      out += bytes;
    }
  });
  return out;
}

}  // namespace zwang
