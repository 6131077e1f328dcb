/// Who derives the equations: every term by itself, in its own indices; then gathered round each body, and brought to its final form.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "zwang/analysis/equations.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::analysis {

class Deriver {
 public:
  Deriver(const model::Draft& draft, const model::Model& model, bool members) : model_(model) {
    out_.symbols = model::symbols(draft, model, members);
  }

  Equations run();

 private:
  [[nodiscard]] model::Symbols& symbols() { return out_.symbols; }
  [[nodiscard]] expressions::Graph& graph() { return out_.symbols.graph; }
  expressions::Expr zero() { return graph().number(0); }
  expressions::Expr tidied(expressions::Expr e) { return expressions::tidy(graph(), e, ranks_, false); }
  expressions::Expr acceleration(std::uint32_t variable);
  /// Rate along the motion; accelerations as symbols, or zero.
  expressions::Expr rate(expressions::Expr e, bool accelerated);
  [[nodiscard]] std::vector<std::uint32_t> variables_of(expressions::Expr e, expressions::SymbolKind kind) const;

  // Energies.
  void derive_energies();
  void derive_kinetic(std::uint32_t k);
  /// T with the points, V with their weight; what has no indices is one expression.
  void total_energies();

  // Rows.
  void derive_rows();
  void derive_row(std::uint32_t k, std::uint32_t c);

  // Indices.
  using Names = std::set<std::uint32_t>;  ///< constant symbols that are indices
  /// The indices that stand in an expression, also in the brackets of its names.
  void collect_indices(expressions::Expr e, Names& out) const;
  [[nodiscard]] Names indices_of(const std::vector<expressions::Expr>& list) const;
  /// The letter itself, or another one that is neither taken nor a name of the model.
  expressions::Symbol free_letter(expressions::Symbol symbol, const Names& taken);
  /// How the indices of a term must be chosen for one of its variables to be a given member.
  struct Match {
    bool possible = true;
    model::Symbols::Images images;
    std::vector<model::SymbolicRange> over;
    std::vector<std::pair<expressions::Expr, expressions::Expr>> when;
    std::vector<std::pair<expressions::Expr, expressions::Expr>> within;
  };
  /// index(ranges) = target, solved for the ranges where they stand alone: i+1 = j gives i = j-1.
  /// `members`: where the target's own indices run.
  Match match(const std::vector<expressions::Expr>& index, const std::vector<model::SymbolicRange>& ranges,
              const std::vector<expressions::Expr>& target, const std::vector<model::SymbolicRange>& members);
  /// Derivative by an index; 0 if it stands inside of a function such as floor, which has none.
  expressions::Expr slope_of(expressions::Expr e, expressions::Symbol symbol);
  /// low <= high as a condition of the match, unless it is always true (or never).
  void require(expressions::Expr low, expressions::Expr high, const std::vector<model::SymbolicRange>& members,
               Match& out);
  static bool same_ranges(const std::vector<model::SymbolicRange>& a, const std::vector<model::SymbolicRange>& b);
  static void add_piece(std::vector<Piece>& pieces, expressions::Graph& graph, const Match& match,
                        expressions::Expr value);
  /// The expression in other indices; roots known in it keep their names.
  expressions::Expr relabelled(expressions::Expr e, const model::Symbols::Images& images);

  // The inverse of the mass matrix, where it is simple: by variable of a body's own equation.
  [[nodiscard]] std::uint32_t own_variable(const model::SymbolicBody& body, std::uint32_t component);
  void invert_masses();
  expressions::Expr determinant(const std::vector<std::vector<expressions::Expr>>& m);
  static std::vector<std::vector<expressions::Expr>> minor(const std::vector<std::vector<expressions::Expr>>& m,
                                                           std::size_t row, std::size_t column);
  void invert(const std::vector<std::uint32_t>& block, const std::vector<std::vector<expressions::Expr>>& m);

  // First-order systems.
  /// Gradients as they are, with W = 1; or, with free functions, the columns of an inverse.
  void project();
  /// The body entry that a reference is a member of, and the images of its indices; none if it cannot be told.
  struct Owner {
    std::size_t body = 0;
    model::Symbols::Images images;
  };
  std::optional<Owner> owner_of(const model::Reference& reference);

  // The equation of each body.
  void gather_lines();
  void gather_line(std::uint32_t b, std::uint32_t c);

  // Phi and its right-hand side.
  void gather_phi();
  void gather_entry(std::uint32_t a, std::uint32_t b);

  // Roots get names, everything its final form.
  expressions::Expr root_of(expressions::Expr sum);
  void finish(expressions::Expr& e);
  /// Masses times accelerations, collected by the accelerations.
  void finish_left(expressions::Expr& e);
  /// f'' with f' in it: where f' = N/r, the N in f'' is r f'.
  void shorten(EquationRow& row);
  /// The terms of a sum, the factors of a product, or the expression alone.
  std::vector<expressions::Expr> children(expressions::Expr e, expressions::NodeKind kind);
  /// c (a + b) opened if velocities occur in a and not in b: inertia apart from forces.
  expressions::Expr term_by_term(expressions::Expr e);
  /// Forces term by term, reactions collected by their multipliers.
  void finish_right(std::vector<Piece>& pieces);
  void finish(std::vector<expressions::Expr>& list);
  void finish(std::vector<Piece>& pieces);
  void finish_all();

  const model::Model& model_;
  Equations out_;
  expressions::Ranks ranks_ = [this](expressions::Symbol symbol) { return rank(out_.symbols, symbol); };
  std::map<std::uint32_t, expressions::Expr> root_of_;
  std::vector<std::uint32_t> own_variables_;
  std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, expressions::Expr>>> inverse_;
  std::map<std::uint32_t, std::vector<RowEntry>> oblique_;  ///< of a flow with free functions: p of each row
  std::uint32_t current_row_ = 0;
  bool in_row_ = false;
};

}  // namespace zwang::analysis
