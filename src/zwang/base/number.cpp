/// Numbers as text by std::to_chars and std::from_chars, which know no locale and round correctly.
#include "zwang/base/number.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <new>

namespace zwang {

std::string exact(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::optional<double> read_number(std::string_view text) {
  // A plus sign is fine for people, though not for from_chars; "inf", "nan" and hexadecimal are not numbers here.
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;

  // All of the text must be used, and the value must fit into a double.
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc::not_enough_memory) throw std::bad_alloc();
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string readable(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (value == 0) return "0";
  std::array<char, 400> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits < 1 ? 1 : digits);
  return {text.data(), end.ptr};
}

}  // namespace zwang
