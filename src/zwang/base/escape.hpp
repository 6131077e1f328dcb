/// Text that others wrote, on its way to where it could be taken for more than text: one function for every target.
///
/// A title, a condition, the name of a file, a sentence out of a run file may hold anything: line ends, escape sequences of terminals, marks that turn the
/// direction of writing, quotes, broken UTF-8. What a target would obey is written in the target's own way of saying it; what no target should
/// obey (control characters, direction marks, separators of lines and paragraphs, what is no character) becomes U+FFFD.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zwang {

/// For people, on a terminal or in a file: lines and tabulators stay.
[[nodiscard]] std::string plain_text(std::string_view text);
/// The same in one line: line ends and tabulators become blanks.
[[nodiscard]] std::string plain_line(std::string_view text);

/// For a terminal: as plain_text, but the colours and the clearing of lines that zwang itself writes stay.
[[nodiscard]] std::string terminal_text(std::string_view text);

/// What stands behind # in Python or // in C++, to the end of the line: it cannot end the comment, go on in the next line, or tell Python another encoding.
[[nodiscard]] std::string comment_text(std::string_view text);

/// Between the quotes of JSON, and of a basic string of TOML.
[[nodiscard]] std::string json_escaped(std::string_view text);
[[nodiscard]] std::string toml_escaped(std::string_view text);

/// A cell of CSV, in quotes where it needs them.
[[nodiscard]] std::string csv_cell(std::string_view text);

/// In elements and attributes of XML, SVG and HTML.
[[nodiscard]] std::string xml_escaped(std::string_view text);

/// As TeX prints it; letters that it does not know without further packages become question marks.
[[nodiscard]] std::string latex_escaped(std::string_view text);

/// One character of UTF-8 at `at`, which moves behind it; what is no character is U+FFFD, byte for byte.
[[nodiscard]] std::uint32_t next_character(std::string_view text, std::size_t& at);
/// Should nobody who only reads a text obey this character?
[[nodiscard]] bool is_command(std::uint32_t character);

}  // namespace zwang
