/// Fractions whose denominators move, of which only the sign is asked: 1/u - c changes it where it passes c and where u passes zero.
#pragma once

#include "zwang/expressions/graph.hpp"
#include "zwang/expressions/tape.hpp"

namespace zwang::expressions {

/// An expression of the same sign without those poles: of the fraction N/D it is N D, or N where D is a square. Denominators are whole powers
/// and the cosine of a tangent; those inside of other functions are left, as those that are never zero, 1 + u^2 or cosh(u), and what has none is given back as it is.
/// `poles`: the denominators that stand in N D, if there are any.
[[nodiscard]] Expr without_poles(Graph& graph, Expr e, Expr* poles = nullptr);

/// Does the tape divide by something that depends on its inputs 0 up to, but not with, `end`?
[[nodiscard]] bool divides_by_what_moves(const Tape& tape, std::size_t end);

}  // namespace zwang::expressions
