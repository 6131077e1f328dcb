/// The velocities that the equations of a system allow at a state, and the linear algebra behind them.
///
///   P v + p0 = 0,      v = Z u + w0,      P Z = 0,   P w0 = -p0,   u = the velocities of the free variables
///
/// Symbols: P rows of all equations (gradients of holonomic ones, rows p of Pfaffian ones), p0 = df/dt (the part without
/// velocities), Z basis of what is allowed, w0 the motion that moving conditions ask for. Elimination with complete pivoting;
/// columns are scaled by powers of two near sqrt(M_ii) and rows to length one, so that neither units nor factors of the
/// conditions decide what is zero. Reference: docs/mathematics, section 14.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/linear/spaces.hpp"
#include "zwang/matrix.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// The rows of all equations in force at a time, ascending; a seizure counts from its time on.
[[nodiscard]] std::vector<std::uint32_t> equations_in_force(const model::Model& model, double time);

/// Powers of two near sqrt(M_ii): the units in which the variables are compared.
[[nodiscard]] std::vector<double> units(const linear::Mass& mass);

struct Tangent {
  std::vector<std::uint32_t> rows;  ///< of the model
  linear::Matrix written;           ///< P, a row each
  std::vector<double> offset;       ///< p0
  std::vector<double> unit;         ///< of the variables

  std::vector<std::uint32_t> independent;    ///< places in `rows`: a largest independent set
  std::vector<std::uint32_t> redundant;      ///< places in `rows`: the others
  std::vector<std::uint32_t> contradictory;  ///< those of them whose p0 asks for something else
  std::vector<std::uint32_t> bound;          ///< variables whose velocities follow, one per independent row
  std::vector<std::uint32_t> free;           ///< the other variables, ascending
  linear::Matrix reduced;  ///< rows that say the same as P: 1 in their own column of `bound`, 0 in the others'
  std::vector<double> reduced_offset;
  linear::Matrix basis;       ///< Z, n x (n - rank)
  std::vector<double> drift;  ///< w0, zero in the free variables
  [[nodiscard]] std::size_t rank() const { return independent.size(); }
};

/// `rows` must have been evaluated at the state, `mass` only gives the units.
[[nodiscard]] Tangent tangent(const model::Model& model, const model::Rows& rows, std::vector<std::uint32_t> which,
                              const linear::Mass& mass);

/// Rows in reduced echelon form: the first entry of each is 1 and alone in its column; `offset` (may be empty) goes along. The
/// rows must be independent. Entries that are rounding of their terms become 0.
struct Echelon {
  linear::Matrix rows;
  std::vector<double> offset;
  std::vector<std::uint32_t> pivots;  ///< column of the leading 1 of each row, ascending
};
[[nodiscard]] Echelon reduced_echelon(const linear::Matrix& rows, const std::vector<double>& offset,
                                      std::span<const double> unit);

/// X with A X = B for square A, by elimination with partial pivoting.
[[nodiscard]] linear::Matrix solve_square(linear::Matrix a, linear::Matrix b);

// Products with vectors and with the mass matrix.
[[nodiscard]] std::vector<double> times(const linear::Matrix& a, std::span<const double> x);
[[nodiscard]] std::vector<double> transposed_times(const linear::Matrix& a, std::span<const double> x);
[[nodiscard]] linear::Matrix mass_times(const linear::Mass& mass, const linear::Matrix& columns);
[[nodiscard]] linear::Matrix mass_solve(const linear::Mass& mass, const linear::Matrix& columns);

}  // namespace zwang::analysis
