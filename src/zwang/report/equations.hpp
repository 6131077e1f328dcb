/// The equations of motion as a page of text, a LaTeX document, a C++ file, a Python module, and as JSON.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "zwang/analysis/equations.hpp"
#include "zwang/expressions/write.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"

namespace zwang::report {

/// Lines no longer than `width` where they can be broken.
[[nodiscard]] std::string equations_text(const model::Model& model, const analysis::Equations& equations,
                                         std::size_t width = 80);
/// A whole document that needs amsmath alone.
[[nodiscard]] std::string equations_latex(const model::Model& model, const analysis::Equations& equations);
/// What becomes of parameters in a program. Most stay arguments; of some the model has only numbers left, and an argument would change nothing.
struct Parameters {
  std::set<std::uint32_t> fixed = {};  ///< among the model's parameters: written as the numbers they are
};
/// A C++17 file without dependencies: namespace `equations`, function `right_hand_side`. `equations` may gain names.
[[nodiscard]] std::string equations_cpp(const model::Model& model, analysis::Equations& equations,
                                        const Parameters& parameters = {});
/// A Python module that needs NumPy: function `right_hand_side`.
[[nodiscard]] std::string equations_python(const model::Model& model, analysis::Equations& equations,
                                           const Parameters& parameters = {});
/// The parameters that no argument of a program stands for: with another value another program is written.
[[nodiscard]] std::set<std::uint32_t> fixed_parameters(const model::Draft& draft, const model::Model& model,
                                                       bool members);

[[nodiscard]] std::string equations_in(expressions::Notation notation, const model::Model& model,
                                       analysis::Equations& equations, const Parameters& parameters = {});
[[nodiscard]] std::string equations_json(expressions::Notation notation, const model::Model& model,
                                         analysis::Equations& equations, const Parameters& parameters = {});

/// The equations of a model in the form that suits it: with rigid bodies those of Newton and Euler, force by force, unless a program is asked for.
/// `members`: every member of the families by itself.
[[nodiscard]] std::string equations_of(expressions::Notation notation, const model::Draft& draft,
                                       const model::Model& model, bool members, bool json);

}  // namespace zwang::report
