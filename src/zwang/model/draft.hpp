/// What a Draft holds: the values of the file as a tree in the order of the file, each with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/model/source.hpp"

namespace zwang::model {

enum class ValueKind : std::uint8_t { number, text, boolean, date, array, table };

struct Field;

/// One TOML value.
struct Value {
  ValueKind kind = ValueKind::table;
  Position place;
  double number = 0;
  std::string text;
  std::vector<Value> items;   ///< of an array
  std::vector<Field> fields;  ///< of a table, in the order of the file

  /// The value of a key, or nullptr.
  [[nodiscard]] const Value* find(std::string_view key) const;
};

struct Field {
  std::string key;
  Position place;
  Value value;
};

struct Draft::Content {
  Source source;
  Value root;
};

}  // namespace zwang::model
