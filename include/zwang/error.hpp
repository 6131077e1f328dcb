/// What goes wrong, by type.
///
/// - `Error`: what a user wrote, or what a file contains: a model that cannot be read, a run file of another
///   format, a question that this model does not have. It points at a place in a text where there is one.
/// - `MissingFile`, an Error: there is nothing to read under that name.
/// - `Fault`, an Error: something outside of zwang and of what the user wrote: a full disk, output that is lost, a file that is damaged.
/// - `std::invalid_argument`: a call that cannot be meant, by whoever wrote the program: a vector of the wrong size, a name that the model does
///   not have, options whose `check()` speaks.
/// - `std::out_of_range`: a time outside of the motion.
///
/// Mathematical facts (contradictory, singular, not unique, jammed) are results with a status, never exceptions; our own bugs are assertions.
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

/// A user's mistake, with its place.
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

/// A model or run file that is not there.
class MissingFile : public Error {
 public:
  using Error::Error;
};

/// A fault outside of zwang: a full disk, lost output, a damaged file. The command ends with status 5.
class Fault : public Error {
 public:
  using Error::Error;
};

/// "file:line:column: error: message", then the source line and a caret below the column; long lines are cut to about
/// a hundred characters around the caret.
[[nodiscard]] std::string render(const Error& error);

}  // namespace zwang
