/// Parameters of a model from measured values: least squares with the derivatives of the motion (Levenberg and Marquardt).
///
///   minimise  sum over i, k of (output_k(t_i; p) - y_ik)^2
///
/// Reference: docs/mathematics, section 24.6.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zwang/error.hpp"
#include "zwang/matrix.hpp"
#include "zwang/model/read.hpp"

namespace zwang::sensitivity {

/// Values of some outputs of the model at ascending times; NaN where nothing was measured.
struct Measured {
  std::vector<double> times;
  std::vector<std::string> outputs;
  std::vector<double> value;  ///< [time * outputs + output]

  /// Where a name or a time was written; none for values that were made in memory.
  struct Origin {
    Place place;
    std::shared_ptr<const std::string> line;  ///< all of one line share it
  };
  std::vector<Origin> output_origin = {};
  std::vector<Origin> time_origin = {};
};

/// Between which values a parameter stays, and other starts lie.
struct StartRange {
  std::string name;
  double low = 0;
  double high = 0;
};

struct FitOptions {
  std::uint32_t most_iterations = 100;  ///< from each start
  std::uint32_t starts = 1;             ///< the first is what the model has
  std::vector<StartRange>
      within;  ///< a parameter without: between half and double its value, or -1 and 1 where that is zero
  std::function<bool()> go_on;  ///< asked before every motion and after every step of it; false interrupts
};

/// A bound at which a parameter ended, since the squares fall further beyond it.
struct ReachedBound {
  double at = 0;
  bool upper = false;
  bool allowed = true;  ///< the bound itself; else the parameter is as near as makes no difference
  std::string why;      ///< what the model says to values beyond; empty: the range that was asked for
};

struct FittedParameter {
  std::string name;
  double value = 0;
  /// One standard deviation; none where there are not more values than parameters, where they do not determine it, or at a bound. Those of others are for what is at bounds held there.
  std::optional<double> deviation;
  bool determined = true;             ///< else it has a part in an `Undetermined`
  std::optional<ReachedBound> bound;  ///< that it ended at
};

/// A parameter without a part in what was measured, or several that values do not tell from one another: what was measured stays the same while these change together.
struct Undetermined {
  /// How far the values were seen to stay the same: to first order alone, while parameters change in proportion (products, quotients, powers of them count), or by differences (sums).
  enum class Along : std::uint8_t { first_order, proportions, differences };
  std::vector<std::string> parameters;
  std::vector<double> direction;  ///< how they change together, per parameter
  std::vector<double> in_parts;   ///< likewise, in parts of themselves; 0 for one that is zero
  Along along = Along::first_order;
  bool ran_away = false;  ///< a parameter alone, on which the values did depend where it began
};
/// What alone counts of the parameters, as `k*b` or `a - b`; empty where that is not known.
[[nodiscard]] std::string counts_only_as(const Undetermined& one);
/// A sentence about it, without a stop.
[[nodiscard]] std::string words(const Undetermined& one);
/// A sentence about a parameter that ended at a bound; empty for others.
[[nodiscard]] std::string words_about_bound(const FittedParameter& one);

/// One value: what was measured and what the fitted motion has.
struct Misfit {
  double time = 0;
  std::uint32_t output = 0;
  double measured = 0;
  double fitted = 0;
};

/// A start and where it led.
struct FitStart {
  std::vector<double> from, to;  ///< per parameter
  bool converged = false;
  std::string why;                 ///< if it did not
  std::optional<double> residual;  ///< none where there was no motion
};

struct Fit {
  bool converged = false;
  std::string why;  ///< if it did not
  std::vector<FittedParameter> parameters;
  std::vector<Undetermined> undetermined;
  linear::Matrix covariance;  ///< empty where a deviation is
  double residual = 0;        ///< square root of the sum of squares
  double first_residual = 0;  ///< at the values the model has
  std::uint32_t iterations = 0;
  std::uint64_t motions = 0;
  std::vector<Misfit> misfit;
  std::vector<FitStart> starts;  ///< all of them; the fit is that with the least squares
  std::uint32_t alike = 1;       ///< starts that led to these squares
  /// The steepest slope of the squares by a parameter, as a cosine between residuals and their derivatives: 0 at a bottom, 1 at most.
  std::optional<double> gradient;
  /// von Neumann's ratio of neighbouring residuals: the sum of the squares of their differences to that of their own. About 2 if what is left is noise; none for few values,
  /// or where next to nothing is left.
  std::optional<double> scatter;
  bool systematic = false;  ///< it is so far below 2 that what is left is no noise
  std::optional<std::vector<double>>
      lower;  ///< values with less squares, where the slopes by a parameter vanish and this is no bottom
  std::uint32_t without_slope =
      0;  ///< values that have no derivative where the fit is, as a distance that is zero: they count, and tell no direction
};

/// Throws Error: an output or a parameter that the model does not have, no values, a model that cannot be differentiated by a parameter.
[[nodiscard]] Fit fit(const model::Draft& draft, const model::Overrides& overrides,
                      const std::vector<std::string>& free, const Measured& measured, const FitOptions& options = {});

}  // namespace zwang::sensitivity
