/// The text of a model file and the places in it: errors that point at a character, also inside a quoted expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/error.hpp"

namespace zwang::model {

/// Line and column, counted from 1; columns in characters.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

/// A text as the TOML library reads it, and the way back from its places. The library loses a character beyond ASCII that begins a line of a text in three
/// quotes after a line that ends in a backslash: there it is given as an escape, which is longer.
struct ParserText {
  struct Escape {
    Position place;  ///< of both, the character and what stands for it: there is no other before it in its line
    std::uint32_t columns = 0;
  };
  std::string text;
  std::vector<Escape> escapes;
  [[nodiscard]] Position original(Position position) const;
};

/// Words one after the other.
[[nodiscard]] std::string joined(const std::vector<std::string_view>& words, std::string_view between);

class Source {
 public:
  Source() = default;
  Source(std::string text, std::string file);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] Place place(Position position) const;

  /// The error, with the source line the position lies in.
  [[nodiscard]] Error error(Position position, const std::string& message) const;

  /// Where the byte `offset` of the value of a quoted string stands, given where its opening quote stands.
  [[nodiscard]] Position inside(Position opening, std::size_t offset) const;

  /// The characters of a number that stands there.
  [[nodiscard]] std::string_view number_at(Position position) const;

  /// Position of a byte of the whole text.
  [[nodiscard]] Position position(std::size_t byte) const;

  /// Throws when the text cannot be a model file at all: not UTF-8, bytes that no text has, monstrous lines; and what
  /// the TOML library stumbles over: letters beyond ASCII outside of strings and comments, names of very many parts.
  void require_text() const;
  [[nodiscard]] ParserText for_parser() const;

 private:
  /// Bytes of characters beyond ASCII that begin a line after one that ends in a backslash. Throws where no such character may stand.
  [[nodiscard]] std::vector<std::size_t> require_plain_names() const;
  [[nodiscard]] std::string_view line(std::uint32_t number) const;
  [[nodiscard]] std::size_t byte(Position position) const;

  std::string text_;
  std::string file_;
  std::vector<std::size_t> line_start_;
};

}  // namespace zwang::model
