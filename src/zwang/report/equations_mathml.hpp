/// The equations of motion typeset for a page: an HTML fragment with presentation MathML.
///
/// Energies, conditions with their derivatives, and the equations of motion, as `equations_latex` writes them. The fragment is
/// well-formed XML. A family is shown by its general member; what is longer than a reader would read is left out with a sentence
/// that says so, so that the fragment stays small whatever the model.
#pragma once

#include <string>

#include "zwang/analysis/equations.hpp"
#include "zwang/analysis/newton_euler.hpp"
#include "zwang/model/model.hpp"

namespace zwang::report {

/// From the model's own text. Models that are too large to be written out give a sentence instead.
[[nodiscard]] std::string equations_mathml(const model::Model& model);
/// The same of equations that are known already.
[[nodiscard]] std::string equations_mathml(const model::Model& model, const analysis::Equations& equations);
[[nodiscard]] std::string equations_mathml(const model::Model& model, const analysis::NewtonEuler& equations);

}  // namespace zwang::report
