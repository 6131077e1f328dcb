/// Least squares.
#include "zwang/sensitivity/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/error.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/sensitivity/sensitivity.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// Residuals of a motion and their derivatives, one line per value measured.
struct Lines {
  std::vector<double> residual;
  linear::Matrix slope;             ///< residual by parameter
  std::uint32_t without_slope = 0;  ///< lines
  std::vector<double> fitted;
  std::string why;  ///< not empty: there is no such motion, or it has no derivatives
  [[nodiscard]] double square() const {
    double sum = 0;
    for (const double r : residual) sum += r * r;
    return sum;
  }
};

/// x that minimises |A x + b|, by reflections; columns that are nothing beside their own length before get x = 0.
std::vector<double> least_squares(linear::Matrix a, std::vector<double> b) {
  const std::size_t rows = a.rows;
  const std::size_t columns = a.columns;
  std::vector<double> diagonal(columns, 0.0);
  std::vector<std::uint8_t> idle(columns, 0);
  std::size_t top = 0;
  std::vector<std::size_t> at(columns, 0);
  for (std::size_t j = 0; j < columns; ++j) {
    double whole = 0;
    double rest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      whole += a(i, j) * a(i, j);
      if (i >= top) rest += a(i, j) * a(i, j);
    }
    if (top >= rows || !(rest > dependent_column * dependent_column * whole)) {
      idle[j] = 1;
      continue;
    }
    const double length = std::copysign(std::sqrt(rest), a(top, j));
    std::vector<double> u(rows - top);
    for (std::size_t i = top; i < rows; ++i) u[i - top] = a(i, j);
    u[0] += length;
    const double half = length * u[0];
    const auto reflect = [&](double* column) {
      double dot = 0;
      for (std::size_t i = top; i < rows; ++i) dot += u[i - top] * column[i];
      for (std::size_t i = top; i < rows; ++i) column[i] -= dot / half * u[i - top];
    };
    for (std::size_t k = j; k < columns; ++k) reflect(a.entry.data() + k * rows);
    reflect(b.data());
    diagonal[j] = -length;
    at[j] = top++;
  }
  std::vector<double> x(columns, 0.0);
  for (std::size_t j = columns; j-- > 0;) {
    if (idle[j] != 0) continue;
    double sum = -b[at[j]];
    for (std::size_t k = j + 1; k < columns; ++k) {
      if (idle[k] == 0) sum -= a(at[j], k) * x[k];
    }
    x[j] = sum / diagonal[j];
  }
  return x;
}

/// (A^T A)^-1, or nothing where a column depends on others.
std::optional<linear::Matrix> inverse_gram(const linear::Matrix& a) {
  const std::size_t n = a.columns;
  std::vector<double> length(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) length[j] += a(i, j) * a(i, j);
    length[j] = std::sqrt(length[j]);
    if (length[j] == 0) return std::nullopt;
  }
  // Columns of length one, orthogonalised: A = Q R, the inverse is R^-1 R^-T.
  linear::Matrix q = a;
  linear::Matrix r(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < a.rows; ++i) q(i, j) /= length[j];
    for (int twice = 0; twice < 2; ++twice) {
      for (std::size_t k = 0; k < j; ++k) {
        double dot = 0;
        for (std::size_t i = 0; i < a.rows; ++i) dot += q(i, k) * q(i, j);
        r(k, j) += dot;
        for (std::size_t i = 0; i < a.rows; ++i) q(i, j) -= dot * q(i, k);
      }
    }
    double left = 0;
    for (std::size_t i = 0; i < a.rows; ++i) left += q(i, j) * q(i, j);
    left = std::sqrt(left);
    if (left <= dependent_column) return std::nullopt;
    r(j, j) = left;
    for (std::size_t i = 0; i < a.rows; ++i) q(i, j) /= left;
  }
  linear::Matrix inverse(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = n; i-- > 0;) {
      double sum = i == j ? 1.0 : 0.0;
      for (std::size_t k = i + 1; k < n; ++k) sum -= r(i, k) * inverse(k, j);
      inverse(i, j) = sum / r(i, i);
    }
  }
  linear::Matrix out(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) out(i, j) += inverse(i, k) * inverse(j, k);
      out(i, j) /= length[i] * length[j];
    }
  }
  return out;
}

class Fitting {
 public:
  Fitting(const model::Draft& draft, model::Overrides overrides, const std::vector<std::string>& free,
          const Measured& measured, const FitOptions& options)
      : draft_(draft), overrides_(std::move(overrides)), free_(free), measured_(measured), options_(options) {
    const model::Model model = model::compile(draft_, overrides_);
    for (std::size_t k = 0; k < measured.outputs.size(); ++k) outputs_.push_back(output(model, k));
    for (const std::string& name : free) start_.push_back(parameter(model, name));
    for (std::size_t k = 0; k < measured.times.size(); ++k) {
      if (measured.times[k] < model.simulation.start) {
        throw Error(place_of(measured.time_origin, k),
                    "t = " + exact(measured.times[k]) + " lies before the start of the motion, " +
                        exact(model.simulation.start),
                    line_of(measured.time_origin, k));
      }
    }
    for (std::size_t k = 0; k < measured.value.size(); ++k) {
      if (!std::isnan(measured.value[k])) values_.push_back(k);
    }
    if (values_.empty()) throw Error({"data", 0, 0}, "there is no value to fit");
    for (const StartRange& one : options.within) {
      if (std::find(free.begin(), free.end(), one.name) == free.end()) {
        throw Error({"command line", 0, 0}, "--within: '" + one.name + "' is not among the parameters that may move");
      }
    }
    if (measured.times.back() > model.simulation.start) overrides_.until = exact(measured.times.back());
  }

  /// From all starts; that with the least squares, one that is at rest before others.
  Fit find() {
    Fit best;
    std::vector<FitStart> starts;
    const std::uint32_t count = std::max(options_.starts, 1U);
    for (std::uint32_t k = 0; k < count && !interrupted_; ++k) {
      const std::vector<double> from = start(k);
      Fit one = find_from(from);
      FitStart line{from, {}, one.converged, one.why, std::nullopt};
      for (const FittedParameter& parameter : one.parameters) line.to.push_back(parameter.value);
      if (!one.misfit.empty()) line.residual = one.residual;
      const bool better = !one.misfit.empty() && (best.misfit.empty() || (one.converged && !best.converged) ||
                                                  (one.converged == best.converged && one.residual < best.residual));
      // What the model itself has is where misfit is counted from.
      const double first = k == 0 ? one.first_residual : best.first_residual;
      if (k == 0 || better) best = std::move(one);
      best.first_residual = first;
      starts.push_back(std::move(line));
    }
    best.motions = motions_;
    best.alike = 0;
    for (const FitStart& one : starts) {
      if (one.residual && *one.residual - best.residual <= same_residual * best.residual + left_by_rounding())
        ++best.alike;
    }
    best.starts = std::move(starts);
    return best;
  }

 private:
  /// Where the k-th begins: the model's own values, then points of an additive recurrence (multiples of the powers of 1 / g, g^(p + 1) = g + 1, which fill a cube evenly).
  [[nodiscard]] std::vector<double> start(std::uint32_t k) const {
    std::vector<double> out = start_;
    if (k == 0) return out;
    const std::size_t p = free_.size();
    double g = 1;
    for (int round = 0; round < 60; ++round) g = elementary::pow(1 + g, 1 / (static_cast<double>(p) + 1));
    double part = 1;
    for (std::size_t j = 0; j < p; ++j) {
      part /= g;
      const double at = 0.5 + k * part;
      const auto [low, high] = range(j);
      out[j] = low + (high - low) * (at - std::floor(at));
    }
    return out;
  }
  [[nodiscard]] std::pair<double, double> range(std::size_t j) const {
    for (const StartRange& one : options_.within) {
      if (one.name == free_[j]) return {one.low, one.high};
    }
    if (start_[j] == 0) return {-1, 1};
    return {start_[j] / 2, start_[j] * 2};
  }
  /// The root of the sum of squares that rounding of motions leaves.
  [[nodiscard]] double left_by_rounding() const {
    double sum = 0;
    for (const std::size_t place : values_) sum += measured_.value[place] * measured_.value[place];
    return nothing_left * std::sqrt(sum);
  }

  Fit find_from(std::vector<double> here) {
    Fit out;
    Lines lines = at(here, true);
    if (!lines.why.empty()) {
      out.why = lines.why;
      return report(out, here, lines);
    }
    out.first_residual = std::sqrt(lines.square());
    double damping = 0;
    const std::size_t p = free_.size();
    std::vector<double> scale(p, 0.0);
    while (out.iterations < options_.most_iterations) {
      ++out.iterations;
      for (std::size_t j = 0; j < p; ++j) {
        double length = 0;
        for (std::size_t i = 0; i < lines.residual.size(); ++i) length += lines.slope(i, j) * lines.slope(i, j);
        scale[j] = std::max(scale[j], std::sqrt(length));
      }
      bool better = false;
      while (true) {
        const std::vector<double> step = damped_step(lines, scale, damping);
        std::vector<double> there = here;
        bool moved = false;
        for (std::size_t j = 0; j < p; ++j) {
          there[j] += step[j];
          moved = moved || std::abs(step[j]) > fit_step * std::abs(here[j]);
        }
        if (!moved) {
          out.converged = true;
          break;
        }
        Lines next = at(there, true);
        if (interrupted_) break;
        if (next.why.empty() && next.square() < lines.square()) {
          const double gain = lines.square() - next.square();
          here = std::move(there);
          better = true;
          const bool little = gain <= fit_gain * lines.square();
          lines = std::move(next);
          damping = damping <= least_damping ? 0 : damping / 10;
          out.converged = little && damping == 0;
          break;
        }
        // As good as equal, at a step that is good for nothing more: this is the bottom.
        if (next.why.empty() && damping == 0 && next.square() <= lines.square() * (1 + fit_gain)) {
          out.converged = true;
          break;
        }
        damping = damping == 0 ? first_damping : damping * 10;
        if (damping > most_damping) {
          out.why = next.why.empty() ? "no step makes the squares smaller" : next.why;
          break;
        }
      }
      if (interrupted_) {
        out.why = "interrupted";
        break;
      }
      if (out.converged || !better) break;
    }
    if (!out.converged && out.why.empty()) out.why = "not at rest after " + std::to_string(out.iterations) + " steps";
    return report(out, here, lines);
  }

  /// How steep the squares still are, and whether what is left looks like noise.
  void judge(const Lines& lines, Fit& out) const {
    const std::size_t m = lines.residual.size();
    const double squares = lines.square();
    out.without_slope = lines.without_slope;
    if (lines.slope.rows == m && squares > 0) {
      double steepest = 0;
      for (std::size_t j = 0; j < free_.size(); ++j) {
        double dot = 0;
        double length = 0;
        for (std::size_t i = 0; i < m; ++i) {
          dot += lines.slope(i, j) * lines.residual[i];
          length += lines.slope(i, j) * lines.slope(i, j);
        }
        if (length > 0) steepest = std::max(steepest, std::abs(dot) / std::sqrt(length * squares));
      }
      // What rounding has left points anywhere.
      out.gradient = std::sqrt(squares) > left_by_rounding() ? steepest : 0.0;
    }
    // Neighbours in time of one output.
    if (m < fewest_residuals + free_.size() || !(std::sqrt(squares) > left_by_rounding())) return;
    const std::size_t columns = outputs_.size();
    std::vector<std::optional<double>> last(columns);
    double differences = 0;
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < m; ++i) {
      std::optional<double>& before = last[values_[i] % columns];
      if (before) {
        differences += (lines.residual[i] - *before) * (lines.residual[i] - *before);
        ++pairs;
      }
      before = lines.residual[i];
    }
    if (pairs < fewest_residuals) return;
    const auto count = static_cast<double>(pairs);
    out.scatter = differences / count / (squares / static_cast<double>(m));
    out.systematic = *out.scatter < 2 - far_from_noise * 2 / std::sqrt(count);
  }

  static Place place_of(const std::vector<Measured::Origin>& origin, std::size_t k) {
    return k < origin.size() ? origin[k].place : Place{"data", 0, 0};
  }
  static std::string line_of(const std::vector<Measured::Origin>& origin, std::size_t k) {
    return k < origin.size() ? origin[k].line : std::string();
  }

  [[nodiscard]] std::size_t output(const model::Model& model, std::size_t column) const {
    const std::string& name = measured_.outputs[column];
    std::vector<std::string_view> known;
    for (std::size_t k = 0; k < model.outputs.size(); ++k) {
      if (model.outputs[k].name == name) return k;
      known.push_back(model.outputs[k].name);
    }
    const std::string_view near = nearest(name, known.data(), known.size());
    std::string message = "'" + name + "' is no output of the model";
    if (known.empty()) message += ", which has none: [outputs] says what was measured";
    if (!near.empty()) message += "; did you mean '" + std::string(near) + "'?";
    throw Error(place_of(measured_.output_origin, column), message, line_of(measured_.output_origin, column));
  }
  [[nodiscard]] static double parameter(const model::Model& model, const std::string& name) {
    for (const model::Parameter& one : model.parameters) {
      if (one.name == name && one.value.size() == 1) return one.value[0];
    }
    std::vector<std::string_view> known;
    for (const model::Parameter& one : model.parameters) known.push_back(one.name);
    const std::string_view near = nearest(name, known.data(), known.size());
    throw Error({"command line", 0, 0}, "'" + name + "' is no parameter of the model that is one number" +
                                            (near.empty() ? "" : "; did you mean '" + std::string(near) + "'?"));
  }

  [[nodiscard]] model::Overrides with(const std::vector<double>& values) const {
    model::Overrides out = overrides_;
    for (std::size_t k = 0; k < free_.size(); ++k) {
      std::erase_if(out.parameters, [&](const auto& one) { return one.first == free_[k]; });
      out.parameters.emplace_back(free_[k], exact(values[k]));
    }
    return out;
  }

  Lines at(const std::vector<double>& values, bool slopes) {
    Lines out;
    if (options_.go_on && !options_.go_on()) {
      interrupted_ = true;
      out.why = "interrupted";
      return out;
    }
    ++motions_;
    const model::Overrides overrides = with(values);
    try {
      const model::Model model = model::compile(draft_, overrides);
      motion::Motion motion = motion::begin(model);
      motion::Track track;
      motion::follow(model, motion, track, [&](const motion::Motion&) {
        interrupted_ = interrupted_ || (options_.go_on && !options_.go_on());
        return !interrupted_;
      });
      const motion::RunView view = motion::view(model, track);
      if (track.account.status != motion::Status::finished) {
        out.why = std::string(motion::words(track.account.status)) + " before the last value: " + track.account.why;
        return out;
      }
      const std::size_t columns = outputs_.size();
      std::vector<motion::Sample> samples(measured_.times.size());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!motion::state_at(model, view, measured_.times[i], samples[i])) {
          out.why = "the motion has no state at t = " + exact(measured_.times[i]);
          return out;
        }
        motion::observe(model, samples[i]);
      }
      for (const std::size_t place : values_) {
        const double fitted = samples[place / columns].outputs[outputs_[place % columns]];
        if (!std::isfinite(fitted)) {
          out.why = "'" + measured_.outputs[place % columns] +
                    "' has no value at t = " + exact(measured_.times[place / columns]);
          return out;
        }
        out.fitted.push_back(fitted);
        out.residual.push_back(fitted - measured_.value[place]);
      }
      if (slopes) add_slopes(model, view, overrides, out);
    } catch (const Error& error) {
      if (motions_ == 1) throw;
      out.why = error.message();
    }
    return out;
  }

  void add_slopes(const model::Model& model, const motion::RunView& view, const model::Overrides& overrides,
                  Lines& out) const {
    const std::vector<ParameterSensitivity> found =
        sensitivity(model, view, parameter_slopes(draft_, overrides, free_), measured_.times);
    const std::size_t columns = outputs_.size();
    out.slope = linear::Matrix(out.residual.size(), free_.size());
    for (std::size_t j = 0; j < free_.size(); ++j) {
      for (std::size_t i = 0; i < values_.size(); ++i) {
        const Slope& slope = found[j].samples[values_[i] / columns];
        const std::optional<StateSlope>& side = slope.after ? slope.after : slope.before;
        if (!side) {
          out.why = "by '" + free_[j] + "' the motion has no derivative: " + slope.why;
          return;
        }
        out.slope(i, j) = side->outputs[outputs_[values_[i] % columns]];
      }
    }
    // A distance that is zero has no slope: such a value counts among the squares, and tells no direction.
    for (std::size_t i = 0; i < values_.size(); ++i) {
      bool any = false;
      for (std::size_t j = 0; j < free_.size(); ++j) any = any || !std::isfinite(out.slope(i, j));
      if (!any) continue;
      for (std::size_t j = 0; j < free_.size(); ++j) out.slope(i, j) = 0;
      ++out.without_slope;
    }
  }

  /// The step of Levenberg and Marquardt: the squares of the linear residuals and of the step in units of `scale`.
  static std::vector<double> damped_step(const Lines& lines, const std::vector<double>& scale, double damping) {
    const std::size_t p = scale.size();
    const std::size_t m = lines.residual.size();
    linear::Matrix a(m + p, p);
    std::vector<double> b = lines.residual;
    b.resize(m + p, 0.0);
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t i = 0; i < m; ++i) a(i, j) = lines.slope(i, j);
      a(m + j, j) = std::sqrt(damping) * scale[j];
    }
    return least_squares(std::move(a), std::move(b));
  }

  Fit report(Fit out, const std::vector<double>& here, const Lines& lines) const {
    if (lines.why.empty()) judge(lines, out);
    out.residual = std::sqrt(lines.square());
    const std::size_t p = free_.size();
    const std::size_t m = lines.residual.size();
    std::optional<linear::Matrix> gram;
    if (m > p && lines.slope.rows == m) gram = inverse_gram(lines.slope);
    if (gram) {
      const double variance = lines.square() / static_cast<double>(m - p);
      for (double& x : gram->entry) x *= variance;
      out.covariance = *gram;
    }
    for (std::size_t j = 0; j < p; ++j) {
      FittedParameter one{free_[j], here[j], std::nullopt};
      if (gram) one.deviation = std::sqrt(out.covariance(j, j));
      out.parameters.push_back(std::move(one));
    }
    for (std::size_t i = 0; i < lines.fitted.size(); ++i) {
      const std::size_t columns = outputs_.size();
      out.misfit.push_back({measured_.times[values_[i] / columns], static_cast<std::uint32_t>(values_[i] % columns),
                            measured_.value[values_[i]], lines.fitted[i]});
    }
    return out;
  }

  const model::Draft& draft_;
  model::Overrides overrides_;
  const std::vector<std::string>& free_;
  const Measured& measured_;
  const FitOptions& options_;
  std::vector<std::size_t> outputs_;  ///< of the model, per column
  std::vector<double> start_;
  std::vector<std::size_t> values_;  ///< places of values that were measured
  std::uint64_t motions_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Fit fit(const model::Draft& draft, const model::Overrides& overrides, const std::vector<std::string>& free,
        const Measured& measured, const FitOptions& options) {
  return Fitting(draft, overrides, free, measured, options).find();
}

}  // namespace zwang::sensitivity
