/// `--over` read, and its samples.
#include "zwang/sweeps/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/refusal.hpp"
#include "zwang/error.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/sweeps/tolerances.hpp"

namespace zwang::sweeps {

namespace {

constexpr std::size_t most_values = 1'000'000;                ///< that are written one by one on a command line
constexpr std::size_t largest_table = std::size_t{1} << 30U;  ///< bytes
constexpr std::string_view forms =
    "NAME=FROM..TO:COUNT, NAME=A,B,C, NAME~uniform(A,B), NAME~normal(MEAN,DEVIATION), NAME~sobol(A,B) or @FILE.csv";

/// Characters before a byte.
std::uint32_t column_of(std::string_view text, std::size_t byte) {
  std::uint32_t count = 1;
  for (const char c : text.substr(0, byte)) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) ++count;
  }
  return count;
}

[[noreturn]] void fail_at(const std::string& text, std::size_t byte, const std::string& why) {
  throw Error({"--over", 1, column_of(text, byte)}, why, text);
}

/// A stretch of the text, without blanks around it.
struct Stretch {
  std::size_t from = 0;
  std::size_t to = 0;
};
Stretch trimmed(std::string_view text, Stretch s) {
  while (s.from < s.to && text[s.from] == ' ') ++s.from;
  while (s.to > s.from && text[s.to - 1] == ' ') --s.to;
  return s;
}

/// The number that stands there: a decimal, or an expression of numbers.
double number_in(const std::string& text, Stretch where) {
  const Stretch s = trimmed(text, where);
  if (s.from == s.to) fail_at(text, s.from, "here a number is expected");
  const std::string word = text.substr(s.from, s.to - s.from);
  double value = 0;
  if (const std::optional<double> plain = read_number(word)) {
    value = *plain;
  } else {
    try {
      value = model::number_of({"--over", word});
    } catch (const Error& error) {
      const std::size_t column = error.place().column > 0 ? error.place().column - 1 : 0;
      throw Error({"--over", 1, column_of(text, s.from) + static_cast<std::uint32_t>(column)}, error.message(), text);
    }
  }
  if (!std::isfinite(value)) fail_at(text, s.from, fmt::format("`{}` is not finite", word));
  return value;
}

/// The stretches between separators that stand outside of parentheses and brackets.
std::vector<Stretch> split(std::string_view text, Stretch whole, char separator) {
  std::vector<Stretch> out;
  int depth = 0;
  std::size_t from = whole.from;
  for (std::size_t k = whole.from; k < whole.to; ++k) {
    depth += text[k] == '(' || text[k] == '[' ? 1 : text[k] == ')' || text[k] == ']' ? -1 : 0;
    if (text[k] == separator && depth == 0) {
      out.push_back({from, k});
      from = k + 1;
    }
  }
  out.push_back({from, whole.to});
  return out;
}

bool is_name(std::string_view word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !word.empty() && letter(word[0]) &&
         std::all_of(word.begin(), word.end(), [&](char c) { return letter(c) || digit(c); });
}

std::string name_in(const std::string& text, Stretch where) {
  const Stretch s = trimmed(text, where);
  std::string name = text.substr(s.from, s.to - s.from);
  if (!is_name(name)) {
    fail_at(text, s.from,
            name.empty() ? fmt::format("--over takes {}", forms)
                         : fmt::format("`{}` is not the name of a parameter: --over takes {}", name, forms));
  }
  return name;
}

/// FROM..TO:COUNT
void read_grid(const std::string& text, Stretch values, std::size_t dots, Axis& axis) {
  const std::vector<Stretch> parts = split(text, {dots + 2, values.to}, ':');
  if (parts.size() != 2) {
    fail_at(text, values.from, "a range is FROM..TO:COUNT, with the number of its values behind a colon");
  }
  axis.kind = Axis::Kind::grid;
  axis.first = number_in(text, {values.from, dots});
  axis.second = number_in(text, parts[0]);
  const double count = number_in(text, parts[1]);
  const std::size_t place = trimmed(text, parts[1]).from;
  if (count != std::floor(count) || count < 2) {
    fail_at(text, place, "the number of values is a whole number, at least 2: both ends are among them");
  }
  if (count > static_cast<double>(most_samples)) {
    fail_at(text, place, fmt::format("a sweep may have at most {} samples", most_samples));
  }
  if (!std::isfinite(axis.second - axis.first)) fail_at(text, values.from, "the ends lie too far apart");
  axis.size = static_cast<std::uint64_t>(count);
}

/// A,B,C
void read_list(const std::string& text, Stretch values, Axis& axis) {
  axis.kind = Axis::Kind::list;
  const std::vector<Stretch> parts = split(text, values, ',');
  if (parts.size() > most_values) {
    fail_at(text, values.from, fmt::format("at most {} values can be listed; @FILE.csv takes more", most_values));
  }
  for (const Stretch& part : parts) axis.values.push_back(number_in(text, part));
  axis.size = axis.values.size();
}

/// law(A,B)
void read_law(const std::string& text, Stretch law, Axis& axis) {
  const Stretch s = trimmed(text, law);
  const std::size_t bracket = std::min(text.find('(', s.from), s.to);
  const Stretch word_at = trimmed(text, {s.from, bracket});
  const std::string word = text.substr(word_at.from, word_at.to - word_at.from);
  constexpr std::array<std::string_view, 3> known = {"uniform", "normal", "sobol"};
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) {
    const std::string_view near = nearest(word, known.data(), known.size());
    fail_at(text, s.from,
            near.empty() ? "behind ~ stands uniform(A,B), normal(MEAN,DEVIATION) or sobol(A,B)"
                         : fmt::format("there is no law `{}`; did you mean `{}`?", word, near));
  }
  if (bracket == s.to || text[s.to - 1] != ')') {
    fail_at(text, bracket, fmt::format("`{}` takes two numbers in parentheses", word));
  }
  const std::vector<Stretch> parts = split(text, {bracket + 1, s.to - 1}, ',');
  if (parts.size() != 2) fail_at(text, bracket, fmt::format("`{}` takes two numbers, not {}", word, parts.size()));
  axis.kind = word == "uniform" ? Axis::Kind::uniform : word == "normal" ? Axis::Kind::normal : Axis::Kind::sobol;
  axis.first = number_in(text, parts[0]);
  axis.second = number_in(text, parts[1]);
  const std::size_t place = trimmed(text, parts[1]).from;
  if (axis.kind == Axis::Kind::normal && axis.second < 0) fail_at(text, place, "a deviation is not negative");
  if (axis.kind != Axis::Kind::normal && !(axis.second >= axis.first)) {
    fail_at(text, place, "the upper end lies below the lower one");
  }
  if (!std::isfinite(axis.second - axis.first)) fail_at(text, place, "the ends lie too far apart");
}

/// A line of a CSV file, in cells without blanks and quotes around them.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    const std::size_t from = cell.find_first_not_of(" \t\r");
    const std::size_t to = cell.find_last_not_of(" \t\r");
    cell = from == std::string::npos ? "" : cell.substr(from, to - from + 1);
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  }
  return cells;
}

/// First line: names of parameters; then one sample's values each.
void read_table(const Spec& spec, Axis& axis) {
  axis.kind = Axis::Kind::table;
  const std::string file = spec.text.substr(1);
  std::uint32_t number = 0;
  std::string_view rest = spec.table;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::vector<std::string> cells = cells_of(line);
    const auto fail = [&](const std::string& why) { throw Error({file, number, 1}, why, line); };
    if (axis.names.empty()) {
      for (const std::string& cell : cells) {
        if (!is_name(cell)) {
          fail(fmt::format("the first line names the parameters; `{}` is no name", cell));
        }
      }
      axis.names = cells;
      continue;
    }
    if (cells.size() != axis.names.size()) {
      fail(fmt::format("this line has {} values, the first line has {} names", cells.size(), axis.names.size()));
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      const std::optional<double> value = read_number(cells[k]);
      if (!value || !std::isfinite(*value)) {
        fail(fmt::format("`{}` of `{}` is no finite number", cells[k], axis.names[k]));
      }
      axis.values.push_back(*value);
    }
  }
  if (axis.values.empty()) {
    throw Error({file, 0, 0},
                "a design has a first line with names of parameters, and a line of values for every sample");
  }
  axis.size = axis.values.size() / axis.names.size();
}

/// Value j of a grid; the ends are exact.
double grid_value(const Axis& axis, std::uint64_t j) {
  if (j + 1 == axis.size) return axis.second;
  const double value =
      axis.first + (axis.second - axis.first) * (static_cast<double>(j) / static_cast<double>(axis.size - 1));
  const std::optional<double> rounded = read_number(readable(value, 12));
  const double size = std::max(std::abs(axis.first), std::abs(axis.second));
  return rounded && std::abs(*rounded - value) <= round_value * size ? *rounded : value;
}

}  // namespace

Axis read_axis(const Spec& spec) {
  const std::string& text = spec.text;
  Axis axis;
  if (text.starts_with("@")) {
    read_table(spec, axis);
    return axis;
  }
  const std::size_t sign = text.find_first_of("=~");
  if (sign == std::string::npos) fail_at(text, 0, fmt::format("--over takes {}", forms));
  axis.names.push_back(name_in(text, {0, sign}));
  const Stretch values{sign + 1, text.size()};
  if (trimmed(text, values).from == values.to) fail_at(text, sign + 1, fmt::format("--over takes {}", forms));
  if (text[sign] == '~') {
    read_law(text, values, axis);
  } else if (const std::size_t dots = text.find("..", sign); dots != std::string::npos) {
    read_grid(text, values, dots, axis);
  } else {
    read_list(text, values, axis);
  }
  return axis;
}

Design read_design(const std::vector<Spec>& specs, std::uint64_t count, std::uint64_t seed) {
  Design design;
  design.seed = seed;
  bool drawn = false;
  std::vector<std::string> names;
  for (const Spec& spec : specs) {
    Axis axis = read_axis(spec);
    for (const std::string& name : axis.names) {
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        fail_at(spec.text, 0, fmt::format("the parameter `{}` varies twice", name));
      }
      names.push_back(name);
    }
    if (axis.is_drawn()) {
      drawn = true;
      axis.key = key_of(seed, axis.names[0]);
      if (axis.kind == Axis::Kind::sobol) axis.directions = directions_of(dimension_of(axis.names[0]));
    }
    if (axis.size > most_samples / design.total) {
      fail_at(spec.text, 0, fmt::format("with this there are more than {} combinations", most_samples));
    }
    design.total *= axis.size;
    design.axes.push_back(std::move(axis));
  }
  if (count > 0 && !drawn) {
    throw Error({"command line", 0, 0},
                "--count is the number of samples that are drawn: with values alone, NAME=..., every combination is "
                "one sample");
  }
  design.count = count > 0 ? count : 1;
  if (design.count > most_samples / design.total) {
    throw Error({"command line", 0, 0}, fmt::format("a sweep may have at most {} samples", most_samples));
  }
  design.total *= design.count;
  return design;
}

Spec spec_of(const std::string& text) {
  Spec spec{text};
  if (!text.starts_with("@")) return spec;
  const std::string file = text.substr(1);
  if (file.empty()) fail_at(text, 0, fmt::format("--over takes {}", forms));
  if (std::filesystem::is_directory(file)) throw Error({file, 0, 0}, "cannot read the design: this is a directory");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse_file(file, "cannot read the design", errno);
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  if (!unknown && size > largest_table) {
    throw Error({file, 0, 0}, fmt::format("a design may have at most {} MiB", largest_table >> 20U));
  }
  std::ostringstream all;
  all << stream.rdbuf();
  if (stream.bad()) throw Fault({file, 0, 0}, "cannot read the design to its end");
  spec.table = std::move(all).str();
  return spec;
}

std::vector<std::string> Design::names() const {
  std::vector<std::string> out;
  for (const Axis& axis : axes) out.insert(out.end(), axis.names.begin(), axis.names.end());
  return out;
}

std::size_t Design::width() const {
  std::size_t width = 0;
  for (const Axis& axis : axes) width += axis.names.size();
  return width;
}

void Design::sample(std::uint64_t k, double* values) const {
  // From the last axis, which varies fastest, to the first.
  std::uint64_t combination = k / count;
  double* end = values + width();
  for (std::size_t a = axes.size(); a-- > 0;) {
    const Axis& axis = axes[a];
    end -= axis.names.size();
    const std::uint64_t j = combination % axis.size;
    combination /= axis.size;
    switch (axis.kind) {
      case Axis::Kind::grid: *end = grid_value(axis, j); break;
      case Axis::Kind::list:
      case Axis::Kind::table:
        std::copy_n(axis.values.begin() + static_cast<std::ptrdiff_t>(j * axis.names.size()), axis.names.size(), end);
        break;
      case Axis::Kind::uniform: *end = axis.first + (axis.second - axis.first) * uniform(axis.key, k); break;
      case Axis::Kind::normal: *end = axis.first + axis.second * inverse_normal(uniform(axis.key, k)); break;
      case Axis::Kind::sobol:
        *end = axis.first + (axis.second - axis.first) * scrambled(axis.directions, axis.key, k);
        break;
    }
  }
}

}  // namespace zwang::sweeps
