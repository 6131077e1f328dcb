/// The expression graph: every distinct scalar expression exists once (hash-consed), and is named by a small handle.
///
/// The constructors simplify lightly and without changing rounding behind the user's back: numbers fold, 0 and 1
/// vanish, equal terms of one sum and equal bases of one product are collected, `a + b + c` and `(a + b) + c` are one
/// list. A constant without a finite value (1/0, log(-1)) stays as written, so that evaluation shows it.
/// They do not distribute products over sums; `expand` does, for decisions such as "is this linear in the velocities".
/// Constructors are idempotent: printing an expression and building it again gives the same handle.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace zwang::expressions {

/// What a leaf stands for. In a family the indices of positions, velocities and constants are slots of one member
/// ("lane"), bound to global variables by a table outside the graph.
enum class SymbolKind : std::uint8_t {
  time,
  position,
  velocity,
  constant,
  mode  ///< a number that tells on which side of a corner the motion is; constant between switches (corners.hpp)
};

struct Symbol {
  SymbolKind kind = SymbolKind::time;
  std::uint32_t index = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

enum class Function : std::uint8_t {
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  // Functions with corners: before they reach a tape `lower` takes them apart into branches (corners.hpp).
  abs,
  sign,
  min,
  max,
  clip,
  step,
  floor,
  mod,
  select,  ///< `if`: truth, value where it is true, value where it is not
  table,   ///< argument, n knots, n values
  spline,  ///< the same
  // Truths, 1 or 0; written as comparisons, with `and` and `or`.
  at_least,  ///< argument >= 0
  below,     ///< argument < 0
  both,
  either
};
/// Has the function corners or jumps?
[[nodiscard]] constexpr bool has_corners(Function function) { return function >= Function::abs; }

/// Handle of an expression in its Graph. Equal handles are equal expressions.
struct Expr {
  std::uint32_t id = 0;
  friend bool operator==(Expr, Expr) = default;
  friend auto operator<=>(Expr, Expr) = default;
};

enum class NodeKind : std::uint8_t {
  number,
  symbol,
  sum,       ///< two or more terms in the order of first appearance; coefficients are numbers leading a product
  product,   ///< [number] factors sorted by handle; at most one number, first
  power,     ///< base, exponent
  function,  ///< arguments
};

/// What stands at a handle. `children` points into the graph and is valid until the next construction.
struct Node {
  NodeKind kind = NodeKind::number;
  Function function = Function::sin;
  Symbol symbol;
  double number = 0;
  std::span<const Expr> children;
};

/// An expression as a term of a sum: coefficient times rest. The rest of a number is the expression 1.
struct Term {
  double coefficient = 1;
  Expr rest;
};

class Graph {
 public:
  Graph();
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  Expr number(double value);
  Expr symbol(Symbol symbol);
  Expr add(Expr a, Expr b);
  Expr add(std::span<const Expr> terms);
  Expr subtract(Expr a, Expr b);
  Expr negate(Expr a);
  Expr multiply(Expr a, Expr b);
  Expr multiply(std::span<const Expr> factors);
  Expr divide(Expr a, Expr b);
  Expr power(Expr base, Expr exponent);
  Expr apply(Function function, std::span<const Expr> arguments);
  Expr apply(Function function, Expr argument);

  [[nodiscard]] Node node(Expr e) const;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool is_number(Expr e, double value) const;
  [[nodiscard]] Term term(Expr e) const;
  /// Bit k is set if a symbol of SymbolKind k occurs in e.
  [[nodiscard]] unsigned kinds(Expr e) const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

/// d e / d symbol, by rule. Memoised per call over shared parts.
[[nodiscard]] Expr derivative(Graph& graph, Expr e, Symbol symbol);

/// All derivatives by one sweep over shared parts; same order as `symbols`.
[[nodiscard]] std::vector<Expr> gradient(Graph& graph, Expr e, std::span<const Symbol> symbols);

/// Symbols that occur, sorted.
[[nodiscard]] std::vector<Symbol> symbols(const Graph& graph, Expr e);
[[nodiscard]] bool depends_on(const Graph& graph, Expr e, SymbolKind kind);

/// Replace symbols; `image` returns the expression that takes the symbol's place.
[[nodiscard]] Expr substitute(Graph& graph, Expr e, const std::function<Expr(Symbol)>& image);

/// Products distributed over sums and whole powers up to 8 multiplied out, terms collected; gives up (returns e) beyond
/// `most_terms` terms.
[[nodiscard]] Expr expand(Graph& graph, Expr e, std::size_t most_terms = 2000);

using Names = std::function<std::string(Symbol)>;

/// Text that the expression grammar reads back to the same handle (given names that read back to the same symbols).
[[nodiscard]] std::string print(const Graph& graph, Expr e, const Names& names);

/// Name of a function as users write it, and back.
[[nodiscard]] std::string_view name(Function function);
struct FunctionInfo {
  Function function;
  int arguments;  ///< -1: two or more (min, max); -2: not by number (if, table, spline)
};
/// The function a user calls by this name, or nullptr.
[[nodiscard]] const FunctionInfo* find_function(std::string_view name);
/// All function names in the order users' documentation lists them.
[[nodiscard]] std::span<const std::string_view> function_names();

/// The function on plain numbers (for folding and for parameters).
[[nodiscard]] double evaluate(Function function, std::span<const double> arguments);

}  // namespace zwang::expressions
