/// Whatever a text holds, no target obeys it, and what can be read back is the same text.
#include "zwang/base/escape.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <nlohmann/json.hpp>

namespace zwang::escape_tests {

namespace {

const std::string broken = "\xEF\xBF\xBD";

/// What strangers might write: control characters, escape sequences, direction marks, quotes, comments, tags, broken UTF-8.
const std::vector<std::string> pieces = {"a",
                                         "Stäckel 力",
                                         " ",
                                         "\n",
                                         "\r",
                                         "\r\n",
                                         "\t",
                                         "\f",
                                         "\v",
                                         "\b",
                                         "\x7F",
                                         "\x1b[2J",
                                         "\x1b]0;x\x07",
                                         "\x1b[1m",
                                         "\xC2\x9B",
                                         "\xC2\x85",
                                         "\xE2\x80\xA8",
                                         "\xE2\x80\xA9",
                                         "\xE2\x80\xAE",
                                         "\xE2\x81\xA6",
                                         "\xE2\x80\x8F",
                                         "\xD8\x9C",
                                         "\xEF\xBB\xBF",
                                         "\xEF\xBF\xBE",
                                         "\xF3\xA0\x81\x81",
                                         "\"",
                                         "'",
                                         "`",
                                         "\\",
                                         "\\\\",
                                         "\\\n",
                                         "*/",
                                         "//",
                                         "#",
                                         "\"\"\"",
                                         "'''",
                                         "</script>",
                                         "<!--",
                                         "-->",
                                         "]]>",
                                         "&lt;",
                                         "<b>",
                                         "=1+1",
                                         ",",
                                         ";",
                                         "%",
                                         "$",
                                         "\\input{x}",
                                         "^^M",
                                         "{",
                                         "}",
                                         "_",
                                         "\xC3",
                                         "\xC3\n",
                                         "\xED\xA0\x80",
                                         "\xF5\x80\x80\x80",
                                         "\xC0\xAF",
                                         "?\?/",
                                         "coding: utf-7",
                                         "# -*- coding=latin-1 -*-",
                                         "print('INJECTED')",
                                         "\xFF"};

std::string some_text() {
  std::string text;
  const auto count = *rc::gen::inRange(0, 8);
  for (int k = 0; k < count; ++k) {
    text += *rc::gen::inRange(0, 3) == 0 ? std::string(1, *rc::gen::arbitrary<char>()) : *rc::gen::elementOf(pieces);
  }
  return text;
}

/// Every character that a target must not obey is gone, and all of it is UTF-8.
bool is_plain(std::string_view text, std::string_view allowed) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const std::uint32_t character = next_character(text, at);
    if (character == 0xFFFD && text.substr(begin, at - begin) != broken) return false;
    if (is_command(character) &&
        (character > 0x7F || allowed.find(static_cast<char>(character)) == std::string::npos)) {
      return false;
    }
  }
  return true;
}

/// The same text with what is no character replaced.
std::string sound(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool is_broken = next_character(text, at) == 0xFFFD;
    out += is_broken ? broken : std::string(text.substr(begin, at - begin));
  }
  return out;
}

/// A basic string of TOML, read.
std::string toml_value(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    const char what = text[++at];
    if (what == 'n') out += '\n';
    if (what == 't') out += '\t';
    if (what == '"' || what == '\\') out += what;
    if (what != 'u' && what != 'U') continue;
    const std::size_t digits = what == 'u' ? 4 : 8;
    const auto code = static_cast<std::uint32_t>(std::stoul(std::string(text.substr(at + 1, digits)), nullptr, 16));
    at += digits;
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += {static_cast<char>(0xC0U | code >> 6U), static_cast<char>(0x80U | (code & 63U))};
    } else if (code < 0x10000) {
      out += {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 63U)),
              static_cast<char>(0x80U | (code & 63U))};
    } else {
      out += {static_cast<char>(0xF0U | code >> 18U), static_cast<char>(0x80U | (code >> 12U & 63U)),
              static_cast<char>(0x80U | (code >> 6U & 63U)), static_cast<char>(0x80U | (code & 63U))};
    }
  }
  return out;
}

/// The characters that XML and its readers take for more than text.
std::string xml_value(std::string text) {
  for (const auto& [entity, sign] : std::array<std::pair<const char*, const char*>, 5>{
           {{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}}}) {
    for (std::size_t at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1)) {
      text.replace(at, std::string_view(entity).size(), sign);
    }
  }
  return text;
}

}  // namespace

TEST(Escape, text_for_people_holds_nothing_to_obey) {
  EXPECT_TRUE(rc::check("plain text has lines and tabulators alone, a plain line none", [] {
    const std::string text = some_text();
    RC_ASSERT(is_plain(plain_text(text), "\n\t"));
    RC_ASSERT(is_plain(plain_line(text), ""));
    RC_ASSERT(plain_text(plain_text(text)) == plain_text(text));
  }));
  EXPECT_EQ(plain_text("Stäckel 力\n\ta"), "Stäckel 力\n\ta");
}

TEST(Escape, a_terminal_gets_our_own_colours_alone) {
  EXPECT_EQ(terminal_text("\x1b[1mbold\x1b[0m\n"), "\x1b[1mbold\x1b[0m\n");
  EXPECT_EQ(terminal_text("\x1b]0;title\x07"), broken + "]0;title" + broken);
  EXPECT_EQ(terminal_text("\x1b[2J\r"), broken + "[2J" + broken);
  EXPECT_TRUE(rc::check("every other escape is gone", [] {
    std::string text = terminal_text(some_text());
    for (const std::string_view own : {"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m", "\x1b[K"}) {
      for (std::size_t at = text.find(own); at != std::string::npos; at = text.find(own))
        text.replace(at, own.size(), "");
    }
    RC_ASSERT(is_plain(text, "\n\t"));
  }));
}

TEST(Escape, a_comment_stays_one_line) {
  EXPECT_TRUE(rc::check("no line end, no backslash before one, no word about the encoding", [] {
    const std::string text = comment_text(some_text());
    RC_ASSERT(is_plain(text, ""));
    RC_ASSERT(text.empty() || text.back() != '\\');
    RC_ASSERT(text.find("coding:") == std::string::npos && text.find("coding=") == std::string::npos);
  }));
  EXPECT_EQ(comment_text("x\rprint('INJECTED')"), "x" + broken + "print('INJECTED')");
  EXPECT_EQ(comment_text("a \\ \\ "), "a");
}

TEST(Escape, json_and_toml_read_back_to_the_same_text) {
  EXPECT_TRUE(rc::check("JSON", [] {
    const std::string text = some_text();
    const std::string written = json_escaped(text);
    RC_ASSERT(is_plain(written, ""));
    RC_ASSERT(nlohmann::json::parse("\"" + written + "\"").get<std::string>() == sound(text));
  }));
  EXPECT_TRUE(rc::check("TOML", [] {
    const std::string text = some_text();
    const std::string written = toml_escaped(text);
    RC_ASSERT(is_plain(written, ""));
    RC_ASSERT(toml_value(written) == sound(text));
  }));
}

TEST(Escape, a_cell_of_csv_is_one_cell_and_no_formula) {
  EXPECT_TRUE(rc::check("quotes are doubled inside of quotes", [] {
    const std::string cell = csv_cell(some_text());
    RC_ASSERT(is_plain(cell, "\n\t"));
    if (cell.find_first_of(",\"\n") == std::string::npos) return;
    RC_ASSERT(cell.size() >= 2 && cell.front() == '"' && cell.back() == '"');
    std::size_t quotes = 0;
    for (std::size_t k = 1; k + 1 < cell.size(); ++k) quotes += cell[k] == '"' ? 1 : 0;
    RC_ASSERT(quotes % 2 == 0);
  }));
  EXPECT_EQ(csv_cell("link[3]"), "link[3]");
  EXPECT_EQ(csv_cell("apart[1,2]"), "\"apart[1,2]\"");
  EXPECT_EQ(csv_cell("=HYPERLINK(1)"), "\"'=HYPERLINK(1)\"");
}

TEST(Escape, xml_reads_back_to_what_it_may_hold) {
  EXPECT_TRUE(rc::check("no sign of XML is left", [] {
    const std::string text = some_text();
    const std::string written = xml_escaped(text);
    RC_ASSERT(is_plain(written, "\n\t"));
    RC_ASSERT(written.find_first_of("<>\"'") == std::string::npos);
    RC_ASSERT(xml_value(written) == plain_text(text));
  }));
}

TEST(Escape, latex_has_no_commands_but_ours) {
  EXPECT_TRUE(rc::check("signs of TeX stand behind a backslash, which is ours", [] {
    std::string text = latex_escaped(some_text());
    RC_ASSERT(is_plain(text, ""));
    for (const std::string_view ours :
         {"\\textbackslash{}", "\\textasciitilde{}", "\\textasciicircum{}", "\\textless{}", "\\textgreater{}", "\\&",
          "\\%", "\\$", "\\#", "\\_", "\\{", "\\}"}) {
      for (std::size_t at = text.find(ours); at != std::string::npos; at = text.find(ours, at)) {
        text.replace(at, ours.size(), ".");
      }
    }
    RC_ASSERT(text.find_first_of("\\^~<>&%$#_{}") == std::string::npos);
  }));
}

TEST(Escape, every_control_character_and_every_mark_is_known) {
  for (std::uint32_t c = 0; c < 0x20; ++c) EXPECT_TRUE(is_command(c)) << c;
  for (std::uint32_t c = 0x7F; c < 0xA0; ++c) EXPECT_TRUE(is_command(c)) << c;
  for (const std::uint32_t c :
       {0x061CU, 0x200EU, 0x200FU, 0x2028U, 0x2029U, 0x202AU, 0x202EU, 0x2066U, 0x2069U, 0xFEFFU}) {
    EXPECT_TRUE(is_command(c)) << c;
  }
  for (const std::uint32_t c : {0x20U, 0x7EU, 0xA0U, 0xE9U, 0x3B1U, 0x200DU, 0x529BU, 0x1F30DU})
    EXPECT_FALSE(is_command(c));
}

}  // namespace zwang::escape_tests
