/// The one table of the model file's keys: the reader checks against it, the JSON Schema and the reference are made from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zwang::model {

/// What may stand behind a key. "Number" always means a number or a quoted expression of the parameters.
enum class Form : std::uint8_t {
  text,               ///< any text
  number,             ///< a number
  numbers,            ///< the components of a vector, or a quoted vector
  start,              ///< a number, or one for every member of a family
  starts,             ///< the components of a vector, or one vector for every member of a family
  parameter,          ///< a number or the components of a vector
  count,              ///< a whole number, or two of them
  expression,         ///< an expression of the state, a number
  expressions,        ///< components, each an expression of the state, or a quoted vector
  functions,          ///< a list of expressions of the state
  condition,          ///< left = right, left <= right, left >= right
  ranges,             ///< i = 1..n, j = i+1..n
  reference,          ///< a point, a member of a family, a coordinate
  law,                ///< "straightest" or "variational"
  truth,              ///< true or false
  corners,            ///< a list of points: names, members, vectors
  partners,           ///< two of: marks, bodies, points, fixed places
  orientation,        ///< a quaternion, a matrix, a turn about an axis, an angle
  inertia,            ///< moments, a matrix, a number
  spin,               ///< a vector or a number, or one for every member of a family
  table,              ///< a table of fixed keys
  named,              ///< a table whose keys are names given by the user
  list,               ///< an array of tables
  condition_or_table  ///< in short and in long form
};

/// One key. `table` is the path of the table it stands in, with * for a name given by the user; `key` is * where the
/// user names the key.
struct Key {
  std::string_view table;
  std::string_view key;
  Form form = Form::text;
  bool required = false;
  std::string_view fallback;  ///< what holds when the key is absent, as written
  std::string_view description;
};

struct Table {
  std::string_view path;
  std::string_view heading;  ///< as the user writes it: [points.NAME]
  std::string_view description;
};

[[nodiscard]] std::span<const Key> keys();
[[nodiscard]] std::span<const Table> tables();

/// What is expected, in words: "a number, or an expression of the parameters in quotes".
[[nodiscard]] std::string_view words(Form form);

/// Why a key or function that other programs know is refused here and what to write instead; "" if it is none of those.
[[nodiscard]] std::string_view refusal(std::string_view word);

}  // namespace zwang::model
