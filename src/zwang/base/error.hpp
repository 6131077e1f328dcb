/// An error that points at a place in a text: the user's mistakes while a model is read, and nothing else.
///
/// Mathematical facts (contradictory, singular, not unique) are results, never errors; our own bugs are assertions.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace zwang {

/// Where in a text: line and column count from 1, columns in characters (code points); 0 means "not known".
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

class Error : public std::runtime_error {
 public:
  /// `excerpt` is the whole source line the place lies in (it is cut around the caret when shown); empty if unknown.
  Error(Place place, std::string message, std::string excerpt = {});

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& excerpt() const { return excerpt_; }

 private:
  Place place_;
  std::string message_;
  std::string excerpt_;
};

/// "file:line:column: error: message", then the source line and a caret below the column; long lines are cut to about
/// a hundred characters around the caret.
[[nodiscard]] std::string render(const Error& error);

/// The candidate nearest to `word` in edit distance, or "" if none is near enough to be what was meant.
[[nodiscard]] std::string_view nearest(std::string_view word, const std::string_view* candidates, std::size_t count);

}  // namespace zwang
