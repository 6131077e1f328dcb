/// A model at its start in exact arithmetic: masses, forces and rows as fractions, made from what was typed.
///
/// Masses and forces of Lagrange's equations are  M = T_vv,  X = Q - V_q + T_q - T_vq v - T_vt;  a row of a position condition has
/// f' = f_q v + f_t and f'' = f_q a + (v f_qq v + 2 f_qt v + f_tt), one of a velocity condition f' = f_v a + (f_q v + f_t).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/rationals.hpp"
#include "zwang/model/read.hpp"
#include "zwang/rational/nearest.hpp"

namespace zwang::model {

struct ExactRow {
  std::uint32_t row = 0;  ///< of the model: its own, or the first of a member that has several
  std::string name;
  RowKind kind = RowKind::holonomic_equation;
  Surd value;                  ///< f
  bool known = true;           ///< are the following? Where f is irrational they are not, and f is not zero
  rational::Number rate;       ///< f' of position conditions; f of velocity conditions
  rational::Sparse gradient;   ///< by positions, or by velocities
  rational::Number curvature;  ///< the part of f'' (of f') without accelerations
  bool variational = false;    ///< under Hamilton's principle
  rational::Number rho;        ///< its rho
  rational::Sparse bend;       ///< dp/dt - df/dq
};

struct ExactScene {
  rational::Number time;
  std::vector<rational::Number> position, velocity;
  std::vector<rational::MassBlock> mass;
  std::vector<rational::Number> force;  ///< X
  std::vector<ExactRow> rows;           ///< without those that are absent
};

/// What is not there at the start: one truth per row of the model, and one per spring.
struct Absent {
  std::vector<bool> rows;
  std::vector<bool> springs;
};

/// The start of a model, which was compiled from this draft with these overrides. Rows that are `absent` (one truth per row of the model) are left
/// out. Throws Error where something is irrational whose value is needed, with its place.
[[nodiscard]] ExactScene evaluate_exactly(const Draft& draft, const Overrides& overrides, const Model& model,
                                          const Absent& absent);

}  // namespace zwang::model
