/// Levels, commas, quotes.
#include "zwang/report/writer.hpp"

#include <cassert>
#include <cmath>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"

namespace zwang::report {

void Writer::item() {
  if (filled_.empty()) {
    return;
  }
  text_ += filled_.back() ? ",\n" : "\n";
  filled_.back() = true;
  text_.append(2 * filled_.size(), ' ');
}

void Writer::name(std::string_view key) {
  item();
  quoted(key);
  text_ += ": ";
}

void Writer::quoted(std::string_view text) {
  text_ += '"';
  text_ += json_escaped(text);
  text_ += '"';
}

void Writer::number(double value) { text_ += std::isfinite(value) ? exact(value + 0.0) : "0"; }

Writer& Writer::open() {
  item();
  text_ += '{';
  filled_.push_back(false);
  return *this;
}

Writer& Writer::open(std::string_view key) {
  name(key);
  text_ += '{';
  filled_.push_back(false);
  return *this;
}

Writer& Writer::close() {
  assert(!filled_.empty());
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) {
    text_ += '\n';
    text_.append(2 * filled_.size(), ' ');
  }
  text_ += '}';
  return *this;
}

Writer& Writer::open_list(std::string_view key) {
  name(key);
  text_ += '[';
  filled_.push_back(false);
  return *this;
}

Writer& Writer::close_list() {
  assert(!filled_.empty());
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) {
    text_ += '\n';
    text_.append(2 * filled_.size(), ' ');
  }
  text_ += ']';
  return *this;
}

Writer& Writer::put(std::string_view key, std::string_view text) {
  name(key);
  quoted(text);
  return *this;
}

Writer& Writer::put(std::string_view key, bool value) {
  name(key);
  text_ += value ? "true" : "false";
  return *this;
}

Writer& Writer::put(std::string_view key, std::uint64_t value) {
  name(key);
  text_ += std::to_string(value);
  return *this;
}

Writer& Writer::put(std::string_view key, double value) {
  if (std::isfinite(value)) {
    name(key);
    number(value);
  }
  return *this;
}

Writer& Writer::put(std::string_view key, std::span<const double> values) {
  name(key);
  numbers(values);
  return *this;
}

Writer& Writer::put(std::span<const double> values) {
  item();
  numbers(values);
  return *this;
}

Writer& Writer::put_json(std::string_view key, std::string_view json) {
  name(key);
  text_ += json;
  return *this;
}

Writer& Writer::put_json(std::string_view json) {
  item();
  text_ += json;
  return *this;
}

void Writer::numbers(std::span<const double> values) {
  text_ += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) {
      text_ += ", ";
    }
    number(values[i]);
  }
  text_ += ']';
}

Writer& Writer::put(std::string_view key, const std::vector<std::string>& texts) {
  name(key);
  text_ += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) {
      text_ += ", ";
    }
    quoted(texts[i]);
  }
  text_ += ']';
  return *this;
}

}  // namespace zwang::report
