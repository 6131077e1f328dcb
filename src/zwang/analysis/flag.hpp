/// The derived flag of a system of forms and the growth of its kernel, at one point, from jets of the coefficients.
///
///   I_0 = span(theta_1 .. theta_r),    I_{k+1} = { theta in I_k : d theta = 0 mod I_k }          (derived flag)
///   D_1 = ker I_0,                     D_{k+1} = D_k + [D_1, D_k]                                (growth)
///
/// In the form theta_j = dy_j + sum_k B_jk du_k the kernel is spanned by X_k = d/du_k - sum_j B_jk d/dy_j, and
/// d theta_j (X_k, X_l) = X_k B_jl - X_l B_jk = Omega_j,kl; the combinations c with c Omega = 0 are the next system. A
/// basis of each system is a jet of one order less than the one before. Ranks are counted on singular values in units
/// of what their terms are made of: kept above `nonzero`, dropped below `zero`, and not clear between.
/// Reference: Voss, section 1; Cartan's derived systems; docs/mathematics, section 17.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "zwang/analysis.hpp"
#include "zwang/analysis/jet.hpp"

namespace zwang::analysis {

/// What rounding of the model's own numbers can leave grows with every division by a small singular value: the bounds
/// are lifted to `rounding` times that growth, and a hundred times as much.
struct Thresholds {
  double zero = 1e-12;
  double nonzero = 1e-6;
  double rounding = 2e-15;
};

/// Numbers of twice the digits see what one double cannot; what is then below `zero` is rounding of the numbers in the
/// model.
inline constexpr Thresholds in_doubles{1e-12, 1e-6, 2e-15};
inline constexpr Thresholds in_wide{1e-14, 1e-12, 4e-16};

/// Forms at a point: jets of the coefficients, [form][column].
template <class S>
struct FormsAt {
  std::shared_ptr<const JetShape> shape;
  std::vector<int> variable;  ///< of a column: the jets' variable, or -1 if no coefficient depends on it
  std::vector<std::vector<Jet<S>>> form;
  [[nodiscard]] std::size_t columns() const { return variable.size(); }
};

template <class S>
struct DerivedFlag {
  std::vector<std::size_t> ranks;         ///< ends when it repeats or is 0
  std::vector<Gap> gaps;                  ///< one per rank
  bool ended = false;                     ///< false: the jets were too short
  std::vector<std::vector<Jet<S>>> last;  ///< basis of the last system, 1 in its own column of `pivots`
  std::vector<std::size_t> pivots;
};
/// `order`: to which the coefficients are right.
template <class S>
[[nodiscard]] DerivedFlag<S> derived_flag(const FormsAt<S>& at, std::size_t order, Thresholds thresholds);

struct Growth {
  std::vector<std::size_t> dimensions;
  std::vector<Gap> gaps;
  bool ended = false;
};
/// With `reach` the dimension that is known to be reached: at a special point, where a bracket may vanish and its own
/// brackets not, nothing is left out until it is, and dimensions may repeat.
template <class S>
[[nodiscard]] Growth growth(const FormsAt<S>& at, std::size_t order, Thresholds thresholds, std::size_t reach = 0);

extern template DerivedFlag<double> derived_flag(const FormsAt<double>&, std::size_t, Thresholds);
extern template DerivedFlag<Wide> derived_flag(const FormsAt<Wide>&, std::size_t, Thresholds);
extern template Growth growth(const FormsAt<double>&, std::size_t, Thresholds, std::size_t);
extern template Growth growth(const FormsAt<Wide>&, std::size_t, Thresholds, std::size_t);

}  // namespace zwang::analysis
