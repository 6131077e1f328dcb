/// Presentation MathML (Core) of formulas that were written in LaTeX notation by `write` and by those who use it.
///
/// One writer decides about order, signs, fractions and parentheses; here its LaTeX is read and set in elements, so that both
/// notations have the same structure. Read are groups, scripts, \frac, \sqrt, \dot, \ddot, \mathrm, \operatorname, \left( \right),
/// \sum, Greek letters and the names of functions; a product's thin space becomes an invisible times.
#pragma once

#include <string>
#include <string_view>

namespace zwang::expressions {

/// The content of a <math> element, one <mrow> or a single element; well-formed XML. Throws std::invalid_argument for LaTeX that
/// is not of that kind, which is our own mistake.
[[nodiscard]] std::string mathml(std::string_view latex);

}  // namespace zwang::expressions
