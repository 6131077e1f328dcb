/// From text to a syntax tree: what the user wrote, with the place of every part, before any name is looked up.
///
/// Grammar (loosest first): sum of products of unary signs of powers of postfix terms; `^` (or `**`) binds to the right
/// and closer than a sign on its left (`-x^2` is `-(x^2)`, `2^-x` is allowed). Postfix: `.x`, `'`, `[i, j]`. Sums and
/// products are lists, not nested pairs, so that the depth of the tree is the depth of the parentheses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace zwang::expressions {

/// A mistake in one expression; `offset` is the byte in the text where it stands. The model's reader turns it into an
/// Error with file, line and column.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(std::size_t at, const std::string& message) : std::runtime_error(message), offset(at) {}
  std::size_t offset;
};

enum class SyntaxKind : std::uint8_t {
  number,    ///< `number`
  name,      ///< `name`
  member,    ///< child 0 `.` name (name is x, y or z)
  prime,     ///< child 0 `'`
  index,     ///< child 0 `[` child 1 (, child 2) `]`
  vector,    ///< `[` children `]`
  call,      ///< name `(` children `)`
  sum_over,  ///< `sum(` name = child 0 .. child 1, child 2 `)`
  sum,       ///< children joined by + or -, see `inverse`
  product,   ///< children joined by * or /, see `inverse`
  power,     ///< child 0 ^ child 1
  negate,    ///< - child 0
  compare,   ///< child 0, the sign `name` (<= >= < >), child 1; only in `if`, `stop` and `when`
  both,      ///< children joined by `and`
  either,    ///< children joined by `or`
};

struct Syntax {
  SyntaxKind kind = SyntaxKind::number;
  std::size_t offset = 0;  ///< byte in the text where this part starts (an operator's list: its first operand)
  std::size_t length = 0;  ///< bytes of the text it covers
  double number = 0;
  std::string name;
  std::vector<Syntax> children;
  std::vector<bool> inverse;  ///< of a sum: the term is subtracted; of a product: the factor divides
};

enum class Relation : std::uint8_t { equal, less_equal, greater_equal };

struct ConditionSyntax {
  Syntax left;
  Relation relation = Relation::equal;
  Syntax right;
  std::size_t relation_offset = 0;
};

/// Position inequalities of which one must hold: conditions joined by `or`, or one alone.
using AlternativeSyntax = std::vector<ConditionSyntax>;

/// One `i = low..high` of a `for`.
struct RangeSyntax {
  std::string name;
  std::size_t offset = 0;
  Syntax low;
  Syntax high;
};

/// Limits that keep hostile texts harmless; beyond them parsing stops with a SyntaxError that says so.
inline constexpr std::size_t longest_expression = 1U << 20U;  ///< bytes
inline constexpr int deepest_nesting = 256;
inline constexpr std::size_t most_factors = 1000;  ///< of one product: its derivatives have that many factors each

[[nodiscard]] Syntax parse_expression(std::string_view text);

/// `left = right`, `left <= right`, `left >= right`. `<`, `>`, `==`, `!=`, chained comparisons and a missing one are
/// SyntaxErrors that say what to write instead.
[[nodiscard]] ConditionSyntax parse_condition(std::string_view text);

/// Conditions joined by `or`; one alone is read as `parse_condition` reads it.
[[nodiscard]] AlternativeSyntax parse_alternatives(std::string_view text);

/// Comparisons joined by `and` and `or`, with parentheses: a truth. `and` binds closer.
[[nodiscard]] Syntax parse_truth(std::string_view text);

/// `i = 1..n, j = i+1..n`.
[[nodiscard]] std::vector<RangeSyntax> parse_ranges(std::string_view text);

/// A reference to a body: `a`, `bead[3]`, `knot[2, 5]` (indices are expressions).
[[nodiscard]] Syntax parse_reference(std::string_view text);

}  // namespace zwang::expressions
