/// What the principle of d'Alembert and Fourier alone would allow: a set of accelerations, beside Gauss's one.
///
///   a = W (X - J^T l),   l >= 0 on inequalities,   f'' = g.a + F <= 0 on inequalities, = 0 on equations
///
/// over the effective rows. In the multipliers of the inequalities, those of the equations eliminated, this is the
/// polyhedron { l >= 0, Phi l >= Phi^0 }. Gauss's accelerations are its one element with l.f'' = 0. Vertices and rays are
/// found by trying all sets of conditions that hold with equality. They are vertices of the multipliers: where rows are
/// dependent several may have the same accelerations.
///
/// Reference: Staeckel 1919, sections 6 and 10; docs/mathematics, section 20.
#pragma once

#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

[[nodiscard]] Fourier fourier(const model::Model& model, const model::State& state);

/// Does the principle allow these accelerations (one number per variable)?
[[nodiscard]] bool is_member(const model::Model& model, const model::State& state,
                             const std::vector<double>& accelerations);

}  // namespace zwang::analysis
