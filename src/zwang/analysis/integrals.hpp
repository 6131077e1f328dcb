/// Integrals of a completely integrable system of forms as expressions: found among functions suggested by the
/// coefficients.
///
///   d phi = 0 on the closure D:   sum_k c_k X f_k (x_s) = 0   for X in D(x_s) at many points x_s, linear in the c_k
///   d(e^g theta) = 0:             d g ^ theta = - d theta,    linear in the coefficients of g; then phi among e^g f_k
///
/// The f_k are monomials (whole powers, also negative), logarithms, and the functions that occur in the coefficients
/// with their kin (sin with cos, 1/b with log b, ...), simple ones first: the first that depends on those before it
/// gives the simplest integral. What is found is written with whole or short coefficients and verified by
/// differentiation at points not used before. Reference: Voss, section 1; docs/mathematics, section 17.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/analysis/pfaffian.hpp"

namespace zwang::analysis {

/// One with its function.
struct FoundIntegral : Integral {
  expressions::Expr function;
};

/// A point with what vanishes there.
struct LeafPoint {
  std::vector<double> x;
  std::vector<std::vector<double>> directions;          ///< basis of the closure, in all columns
  std::vector<std::vector<double>> rows;                ///< basis of the integrable forms, in all columns; may be empty
  std::vector<std::vector<std::vector<double>>> slope;  ///< of the rows: [row][column][by column]
};
using PointSource = std::function<bool(LeafPoint&)>;

/// At most `wanted` integrals, independent of one another and of `known`.
[[nodiscard]] std::vector<FoundIntegral> find_integrals(PfaffianSystem& system,
                                                        const std::vector<expressions::Expr>& known, std::size_t wanted,
                                                        const PointSource& points);

/// A function as people write it.
[[nodiscard]] std::string write_function(PfaffianSystem& system, expressions::Expr e);

/// Value and gradient by all columns at a point.
struct ValueAndGradient {
  double value = 0;
  std::vector<double> gradient;
};
[[nodiscard]] ValueAndGradient differentiate(const PfaffianSystem& system, expressions::Expr e,
                                             const std::vector<double>& x);

}  // namespace zwang::analysis
