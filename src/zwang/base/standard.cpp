/// Numbers as text where the standard library cannot write and read them.
#include "zwang/base/standard.hpp"

#ifdef __EMSCRIPTEN__

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace std {

namespace {

/// Text into a place that has room for it.
to_chars_result put_text(char* first, char* last, string_view text) {
  if (last - first < static_cast<ptrdiff_t>(text.size())) return {last, errc::value_too_large};
  memcpy(first, text.data(), text.size());
  return {first + text.size(), errc{}};
}

}  // namespace

to_chars_result to_chars(char* first, char* last, double value) {
  if (isnan(value)) return put_text(first, last, signbit(value) ? "-nan" : "nan");
  if (isinf(value)) return put_text(first, last, value < 0 ? "-inf" : "inf");
  if (value == 0) return put_text(first, last, signbit(value) ? "-0" : "0");

  // Digits and the place of the point: 0.d1 d2 ... times ten to the power.
  const string shortest = fmt::format("{}", std::fabs(value));
  const size_t letter = shortest.find('e');
  int power = letter == string::npos ? 0 : atoi(shortest.c_str() + letter + 1);
  const string_view mantissa = string_view(shortest).substr(0, letter);
  const size_t point = mantissa.find('.');
  power += static_cast<int>(point == string_view::npos ? mantissa.size() : point);
  string digits;
  for (const char c : mantissa) {
    if (c != '.') digits += c;
  }
  while (digits.size() > 1 && digits.front() == '0') {
    digits.erase(0, 1);
    --power;
  }
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();

  const int count = static_cast<int>(digits.size());
  string scientific = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "");
  scientific += fmt::format("e{}{:02}", power - 1 < 0 ? '-' : '+', std::abs(power - 1));
  const int plain_size = power <= 0 ? 2 - power + count : power >= count ? power : count + 1;
  string plain;
  if (plain_size <= static_cast<int>(scientific.size())) {
    if (power <= 0) {
      plain = "0." + string(static_cast<size_t>(-power), '0') + digits;
    } else if (power >= count) {
      plain = fmt::format("{:.0f}", std::fabs(value));  // whole numbers with all of their digits
    } else {
      plain = digits.substr(0, static_cast<size_t>(power)) + "." + digits.substr(static_cast<size_t>(power));
    }
  }
  return put_text(first, last, (value < 0 ? "-" : "") + (plain.empty() ? scientific : plain));
}

to_chars_result to_chars(char* first, char* last, double value, chars_format, int precision) {
  array<char, 400> text{};
  const int size = snprintf(text.data(), text.size(), "%.*g", precision, value);
  return put_text(first, last, {text.data(), static_cast<size_t>(size)});
}

from_chars_result from_chars(const char* first, const char* last, double& value) {
  const char* end = first;
  while (end != last && (isdigit(static_cast<unsigned char>(*end)) != 0 || strchr(".eE+-", *end) != nullptr)) ++end;
  const string text(first, end);
  if (text.empty() || text.front() == '+') return {first, errc::invalid_argument};
  char* used = nullptr;
  errno = 0;
  const double read = strtod(text.c_str(), &used);
  if (used == text.c_str()) return {first, errc::invalid_argument};
  const char* const stop = first + (used - text.c_str());
  if (errno == ERANGE) return {stop, errc::result_out_of_range};
  value = read;
  return {stop, errc{}};
}

}  // namespace std

#endif
