/// Numbers written exactly, evaluated in extended precision and rounded once.
#include "gallery/exact_number.hpp"

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

namespace {

/// Reads one expression from left to right; `failed` is set at the first thing that does not belong.
struct Reader {
  std::string text;
  std::size_t at = 0;
  bool failed = false;

  /// True if the next character is `symbol`, which is then passed.
  bool passes(char symbol) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size() || text[at] != symbol) return false;
    ++at;
    return true;
  }

  /// True if the next word is `word`, which is then passed.
  bool passes(std::string_view word) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (text.compare(at, word.size(), word) != 0) return false;
    at += word.size();
    return true;
  }

  long double sum() {
    long double value = product();
    while (true) {
      if (passes('+')) {
        value += product();
      } else if (passes('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  long double product() {
    long double value = signed_power();
    while (true) {
      if (passes('*')) {
        value *= signed_power();
      } else if (passes('/')) {
        value /= signed_power();
      } else {
        return value;
      }
    }
  }

  // A sign binds less tightly than a power: -x^2 is -(x^2).
  long double signed_power() {
    if (passes('-')) return -signed_power();
    const long double base = atom();
    return passes('^') ? std::pow(base, signed_power()) : base;
  }

  long double atom() {
    if (passes("sqrt(")) return std::sqrt(closed());
    if (passes("sin(")) return std::sin(closed());
    if (passes("cos(")) return std::cos(closed());
    if (passes("pi")) return std::numbers::pi_v<long double>;
    if (passes('(')) return closed();
    char* end = nullptr;
    const bool digit = at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.');
    const long double value = digit ? std::strtold(text.c_str() + at, &end) : 0;
    if (!digit || end == text.c_str() + at) {
      failed = true;
      return 0;
    }
    at = static_cast<std::size_t>(end - text.c_str());
    return value;
  }

  long double closed() {
    const long double value = sum();
    if (!passes(')')) failed = true;
    return value;
  }
};

}  // namespace

std::optional<double> exact_number(std::string_view text) {
  Reader reader{std::string(text)};
  const long double value = reader.sum();
  while (reader.at < reader.text.size() && reader.text[reader.at] == ' ') ++reader.at;
  if (reader.failed || reader.at != reader.text.size()) return std::nullopt;
  return static_cast<double>(value);
}
