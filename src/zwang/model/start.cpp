/// A model's text with another initial state: only the values of position, initial and velocity are replaced.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/draft.hpp"

namespace zwang::model {

namespace {

/// One replacement: the bytes [begin, end) of the text become `text`.
struct Change {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

/// Byte of a position (columns count characters).
std::size_t byte_of(std::string_view text, Position position) {
  std::size_t byte = 0;
  for (std::uint32_t line = 1; line < position.line; ++line) {
    byte = text.find('\n', byte) + 1;
  }
  for (std::uint32_t column = 1; column < position.column; ++column) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xC0U) == 0x80U) {
      ++byte;
    }
  }
  return byte;
}

/// Past the string that opens at `begin`.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const std::string triple(3, quote);
  if (text.substr(begin, 3) == triple) {
    std::size_t at = begin + 3;
    while (at < text.size() && text.substr(at, 3) != triple) {
      at += quote == '"' && text[at] == '\\' ? 2 : 1;
    }
    at = std::min(at + 3, text.size());
    while (at < text.size() && text[at] == quote) {
      ++at;
    }
    return at;
  }
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != quote) {
    at += quote == '"' && text[at] == '\\' ? 2 : 1;
  }
  return at + 1;
}

/// Past the value that begins at `begin`: a string, an array, an inline table, or a bare word.
std::size_t end_of_value(std::string_view text, std::size_t begin) {
  if (text[begin] == '"' || text[begin] == '\'') {
    return end_of_string(text, begin);
  }
  if (text[begin] != '[' && text[begin] != '{') {
    return std::min(text.find_first_of(",}\n\r#", begin), text.size());
  }
  std::size_t depth = 0;
  std::size_t at = begin;
  while (at < text.size()) {
    if (text[at] == '"' || text[at] == '\'') {
      at = end_of_string(text, at);
      continue;
    }
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    depth += text[at] == '[' || text[at] == '{' ? 1 : 0;
    depth -= text[at] == ']' || text[at] == '}' ? 1 : 0;
    ++at;
    if (depth == 0) {
      break;
    }
  }
  return at;
}

std::string numbers_text(std::span<const double> numbers) {
  if (numbers.size() == 1) return exact(numbers[0]);
  std::string text = "[";
  for (std::size_t c = 0; c < numbers.size(); ++c) text += (c > 0 ? ", " : "") + exact(numbers[c]);
  return text + "]";
}

/// Axis and angle of the quaternion behind a body's place.
std::vector<std::pair<std::string_view, std::vector<double>>> turn_of(const std::vector<double>& position) {
  std::vector<double> axis(position.begin() + 4, position.begin() + 7);
  const double sine = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  if (sine == 0) axis = {0, 0, 1};
  return {{"axis", axis}, {"angle", {2 * elementary::atan2(sine, position[3])}}};
}

/// The value as it stands in the file: plain for a single body, a list over the members for a family.
template <class Numbers>
std::string start_text(const Body& body, const Numbers& numbers) {
  if (body.counts.empty()) return numbers_text(numbers(0));
  std::string text = "[\n";
  for (std::uint32_t member = 0; member < body.members(); ++member) {
    text += "  " + numbers_text(numbers(member)) + ",\n";
  }
  return text + "]";
}

/// From the end to the beginning, so that places stay right; what begins later in the list stands later in the text.
std::string changed(const std::string& text, std::vector<Change>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.begin < b.begin; });
  std::string result = text;
  for (std::size_t i = changes.size(); i-- > 0;) {
    result.replace(changes[i].begin, changes[i].end - changes[i].begin, changes[i].text);
  }
  return result;
}

/// A value as it stands in a file: numbers plainly, expressions in quotes.
std::string value_text(const std::string& expression) {
  if (const std::optional<double> number = read_number(expression)) {
    return exact(*number);
  }
  return "\"" + toml_escaped(expression) + "\"";
}

}  // namespace

std::string with_overrides(const Draft& draft, const Overrides& overrides) {
  const std::string& text = draft.content().source.text();
  const Value& root = draft.content().root;
  std::vector<Change> changes;
  const auto replace = [&](const Value& value, const std::string& expression) {
    const std::size_t begin = byte_of(text, value.place);
    changes.push_back({begin, end_of_value(text, begin), value_text(expression)});
  };

  // The last word on a parameter counts.
  const Value* parameters = root.find("parameters");
  std::map<std::string, std::string> last;
  for (const auto& [name, expression] : overrides.parameters) {
    last[name] = expression;
  }
  for (const auto& [name, expression] : last) {
    if (const Value* value = parameters == nullptr ? nullptr : parameters->find(name)) {
      replace(*value, expression);
    }
  }
  // Without a parameter of that name it is the length of a step.
  const bool has_step = parameters != nullptr && parameters->find("step") != nullptr;
  const std::string step = !has_step && last.contains("step") ? last["step"] : std::string();

  // Settings that are not written yet come at the end of their table, or with it at the end of the file.
  const Value* simulation = root.find("simulation");
  std::string added;
  const std::pair<const char*, const std::string*> settings[] = {{"start", &overrides.start},
                                                                 {"until", &overrides.until},
                                                                 {"tolerance", &overrides.tolerance},
                                                                 {"samples", &overrides.samples},
                                                                 {"step", &step}};
  const bool in_line = simulation != nullptr && text[byte_of(text, simulation->place)] == '{';
  for (const auto& [key, expression] : settings) {
    if (expression->empty()) {
      continue;
    }
    if (const Value* value = simulation == nullptr ? nullptr : simulation->find(key)) {
      replace(*value, *expression);
    } else {
      added += std::string(in_line ? ", " : "\n") + key + " = " + value_text(*expression);
    }
  }
  if (!added.empty() && simulation != nullptr && !simulation->fields.empty()) {
    const std::size_t end = end_of_value(text, byte_of(text, simulation->fields.back().value.place));
    changes.push_back({end, end, added});
  } else if (!added.empty() && simulation != nullptr) {
    const std::size_t end = std::min(text.find('\n', byte_of(text, simulation->place)), text.size());
    changes.push_back({end, end, added});
  } else if (!added.empty()) {
    changes.push_back({text.size(), text.size(), "\n[simulation]" + added + "\n"});
  }
  return changed(text, changes);
}

std::string with_start(const Draft& draft, const Model& model, const std::vector<double>& position,
                       const std::vector<double>& velocity) {
  const std::string& text = draft.content().source.text();
  std::vector<Change> changes;
  for (const Body& body : model.bodies) {
    const bool rigid = body.kind == BodyKind::rigid;
    const bool point = body.kind == BodyKind::point;
    const Value* group = draft.content().root.find(rigid ? "bodies" : point ? "points" : "coordinates");
    const Value* table = group == nullptr ? nullptr : group->find(body.name);
    assert(table != nullptr);
    const Value* first = table->find(point || rigid ? "position" : "initial");
    const std::size_t after = first == nullptr ? 0 : end_of_value(text, byte_of(text, first->place));
    const bool in_line = text[byte_of(text, table->place)] == '{';

    // A part of every member's components, as it is shown: values that did not change keep the words they were written in.
    const auto write = [&](const char* key, Sort sort, const std::vector<double>& now,
                           const std::vector<double>& before, std::uint32_t from, std::uint32_t to) {
      bool same = true;
      for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
        const bool asked = k % body.dimension >= from && k % body.dimension < to;
        same = same && (!asked || now[body.first + k] == before[body.first + k]);
        // A spin is made of both.
        const bool turned_away = body.turns() && sort == Sort::velocity && from > 0;
        same = same && (!turned_away || position[body.first + k] == model.initial_position[body.first + k]);
      }
      if (same) return;
      const std::string value = start_text(body, [&](std::uint32_t member) {
        const std::vector<double> all = shown(body, member, sort, position, now);
        const std::size_t end = std::min<std::size_t>(to, all.size());
        return std::vector<double>(all.begin() + from, all.begin() + static_cast<std::ptrdiff_t>(end));
      });
      if (const Value* written = table->find(key)) {
        const std::size_t begin = byte_of(text, written->place);
        if (written->kind == ValueKind::table && text[begin] != '{') {
          // A table [bodies.b.orientation] of its own keeps its keys.
          for (const auto& [inner, turn] : turn_of(shown(body, 0, sort, position, now))) {
            const std::size_t at = byte_of(text, written->find(inner)->place);
            changes.push_back({at, end_of_value(text, at), numbers_text(turn)});
          }
          return;
        }
        changes.push_back({begin, end_of_value(text, begin), value});
      } else {
        changes.push_back({after, after, std::string(in_line ? ", " : "\n") + key + " = " + value});
      }
    };
    const std::uint32_t place = rigid ? body.place() : body.dimension;
    write(point || rigid ? "position" : "initial", Sort::position, position, model.initial_position, 0, place);
    if (rigid) {
      write("orientation", Sort::position, position, model.initial_position, place, body.dimension);
    }
    write("velocity", Sort::velocity, velocity, model.initial_velocity, 0, place);
    if (rigid) write("spin", Sort::velocity, velocity, model.initial_velocity, place, body.dimension);
  }

  return changed(text, changes);
}

}  // namespace zwang::model
