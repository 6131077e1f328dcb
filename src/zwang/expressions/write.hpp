/// Expressions written for people and compilers: plain text, LaTeX, C++, Python.
///
/// Unlike `print`, whose text reads back to the same handle, products stand in a natural order (numbers, parameters,
/// variables), numbers such as 0.3333333333333333 read 1/3, and parts that have a name are written by it.
#pragma once

#include <functional>
#include <string>

#include "zwang/expressions/graph.hpp"
#include "zwang/expressions/tidy.hpp"

namespace zwang::expressions {

enum class Notation : std::uint8_t { text, latex, cpp, python };

struct Script {
  Notation notation = Notation::text;
  Names names;
  Ranks ranks;
  /// The name of a part that is written by name, or "". May be empty.
  std::function<std::string(Expr)> named;
};

[[nodiscard]] std::string write(const Graph& graph, Expr e, const Script& script);

/// The expression as one more term of a sum that has begun: " + e" or " - e", parenthesised if need be.
[[nodiscard]] std::string write_further(const Graph& graph, Expr e, const Script& script);

/// As a factor: in parentheses if it is a sum or has a sign.
[[nodiscard]] std::string write_factor(const Graph& graph, Expr e, const Script& script);

}  // namespace zwang::expressions
