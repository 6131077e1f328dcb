/// JSON text written straight from the numbers: keys in the order given, numbers that read back to the same double.
///
/// A tree of values would keep the order only at the price of a search per key, which a net of 10^5 knots cannot afford.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zwang::report {

class Writer {
 public:
  Writer& open();                      ///< {
  Writer& open(std::string_view key);  ///< "key": {
  Writer& close();                     ///< }
  Writer& open_list(std::string_view key);
  Writer& close_list();

  Writer& put(std::string_view key, std::string_view text);
  Writer& put(std::string_view key, const char* text) { return put(key, std::string_view(text)); }
  Writer& put(std::string_view key, bool value);
  Writer& put(std::string_view key, std::uint64_t value);
  /// Numbers that are not finite have no JSON form: their key is left out.
  Writer& put(std::string_view key, double value);
  Writer& put(std::string_view key, std::span<const double> values);
  Writer& put(std::string_view key, const std::vector<std::string>& texts);
  /// Numbers as one entry of a list.
  Writer& put(std::span<const double> values);
  /// Text that is JSON already, behind a key or as one entry of a list.
  Writer& put_json(std::string_view key, std::string_view json);
  Writer& put_json(std::string_view json);

  /// What was written since the last call, so that an answer of any length can leave piece by piece.
  [[nodiscard]] std::string take() { return std::exchange(text_, {}); }
  /// The whole (or what is left of it), with a newline at its end.
  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  void item();
  void name(std::string_view key);
  void quoted(std::string_view text);
  void number(double value);
  void numbers(std::span<const double> values);

  std::string text_;
  std::vector<bool> filled_;  ///< per open level: has it an entry already?
};

}  // namespace zwang::report
