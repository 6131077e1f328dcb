/// How the things in equations are called, in text and in LaTeX.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/analysis/equations.hpp"
#include "zwang/expressions/write.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

/// Signs that a formula in LaTeX takes on paper, commands counted as one.
[[nodiscard]] std::size_t formula_signs(std::string_view latex);
/// The formula in lines of about so many signs, broken before signs outside of all parentheses.
[[nodiscard]] std::vector<std::string> broken_formula(const std::string& latex, std::size_t length);

class EquationNames {
 public:
  EquationNames(const model::Model& model, const analysis::Equations& equations, expressions::Notation notation);

  /// The notation with these names.
  [[nodiscard]] const expressions::Script& script() const { return script_; }
  [[nodiscard]] std::string write(expressions::Expr e) const;

  /// "i+1,j" and so on: what stands in brackets.
  [[nodiscard]] std::string index(const std::vector<expressions::Expr>& index) const;
  /// "i = 1..n, j = i+1..n".
  [[nodiscard]] std::string ranges(const std::vector<model::SymbolicRange>& ranges) const;
  /// "link[i]", "hook.x".
  [[nodiscard]] std::string row(std::uint32_t row, const std::vector<expressions::Expr>& index) const;
  [[nodiscard]] std::string row(std::uint32_t row) const;
  /// Left side of the definition of a root, "r_link[i]".
  [[nodiscard]] std::string root(std::uint32_t root) const;
  /// All pieces as one sum; "0" if there are none.
  [[nodiscard]] std::string pieces(const std::vector<analysis::Piece>& pieces) const;
  /// A sum over members of energies.
  [[nodiscard]] std::string energy(const std::vector<model::SymbolicEnergy>& parts) const;
  /// Brackets occur in the pieces written so far.
  [[nodiscard]] bool used_brackets() const { return brackets_; }

  /// Parameters that occur in the equations, "g = 9.81".
  [[nodiscard]] std::vector<std::string> parameters() const;

 private:
  [[nodiscard]] std::string name(expressions::Symbol symbol) const;
  [[nodiscard]] std::string state(const model::Reference& reference, unsigned dots) const;
  [[nodiscard]] std::string attached(const std::string& base, const std::string& name,
                                     const std::vector<expressions::Expr>& index, const std::string& component) const;
  [[nodiscard]] std::string sum_signs(const std::vector<model::SymbolicRange>& ranges) const;
  [[nodiscard]] std::string root_name(std::uint32_t root) const;
  [[nodiscard]] std::string latex_name(const std::string& name, std::string subscript = {}, unsigned dots = 0) const;

  const model::Model& model_;
  const analysis::Equations& equations_;
  bool latex_ = false;
  bool single_ = false;  ///< one condition of one row: its multiplier is lambda, plainly
  expressions::Script script_;
  std::vector<std::string> root_names_;
  mutable bool brackets_ = false;
};

}  // namespace zwang::report
