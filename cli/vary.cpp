/// `--vary` read.
#include "vary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

namespace {

constexpr std::size_t most = 64;  // runs over one another in one picture

[[noreturn]] void fail(const std::string& why) { throw Error({"command line", 0, 0}, why); }

/// The parts between separators that stand outside of brackets and parentheses.
std::vector<std::string> parts(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == separator && depth == 0) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace

Variation read_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    fail(fmt::format("--vary takes NAME=A,B,C or NAME=FROM:TO:COUNT, not '{}'", text));
  }
  Variation out;
  out.name = text.substr(0, equals);
  const std::string values = text.substr(equals + 1);

  // Evenly spaced values; the ends are exact.
  const std::vector<std::string> range = parts(values, ':');
  if (range.size() > 1) {
    const std::optional<double> from = range.size() == 3 ? read_number(range[0]) : std::nullopt;
    const std::optional<double> to = range.size() == 3 ? read_number(range[1]) : std::nullopt;
    const std::optional<double> count = range.size() == 3 ? read_number(range[2]) : std::nullopt;
    if (!from || !to || !count || !std::isfinite(*from) || !std::isfinite(*to)) {
      fail(fmt::format("--vary NAME=FROM:TO:COUNT takes three numbers, not '{}'", values));
    }
    if (*count != std::floor(*count) || *count < 2 || *count > static_cast<double>(most)) {
      fail(fmt::format("--vary takes from 2 to {} values, not {}", most, range[2]));
    }
    const int last = static_cast<int>(*count) - 1;
    for (int k = 0; k <= last; ++k) {
      const double value = k == last ? *to : *from + (*to - *from) * k / last;
      // The shortest number within a rounding: 0.3, not 0.30000000000000004.
      const std::optional<double> rounded = read_number(readable(value, 12));
      const double size = std::max(std::abs(*from), std::abs(*to));
      out.values.push_back(exact(rounded && std::abs(*rounded - value) <= round_value * size ? *rounded : value));
    }
    return out;
  }
  out.values = parts(values, ',');
  for (const std::string& value : out.values) {
    if (value.find_first_not_of(' ') == std::string::npos) {
      fail(fmt::format("--vary takes NAME=A,B,C or NAME=FROM:TO:COUNT, not '{}'", text));
    }
  }
  if (out.values.size() > most) {
    fail(fmt::format("--vary takes at most {} values, not {}", most, out.values.size()));
  }
  for (std::size_t k = 0; k < out.values.size(); ++k) {
    if (std::find(out.values.begin(), out.values.begin() + static_cast<std::ptrdiff_t>(k), out.values[k]) !=
        out.values.begin() + static_cast<std::ptrdiff_t>(k)) {
      fail(fmt::format("--vary has the value {} twice", out.values[k]));
    }
  }
  return out;
}

}  // namespace zwang::cli
