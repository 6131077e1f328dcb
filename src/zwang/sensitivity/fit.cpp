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
#include "zwang/sensitivity/bounds.hpp"
#include "zwang/sensitivity/least_squares.hpp"
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
  std::string why;          ///< not empty: there is no such motion, or it has no derivatives
  bool no_meaning = false;  ///< because the model refuses these values
  [[nodiscard]] double square() const {
    double sum = 0;
    for (const double r : residual) sum += r * r;
    return sum;
  }
};

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
    if (values_.empty()) {
      throw Error({place_of(measured.output_origin, 0).file, 0, 0}, "there is no value to fit");
    }
    require_squares();
    for (const StartRange& one : options.within) {
      if (std::find(free.begin(), free.end(), one.name) == free.end()) {
        throw Error({"command line", 0, 0}, "--within: '" + one.name + "' is not among the parameters that may move");
      }
    }
    // A start that is written to the last digit stays so.
    if (motion::begin(model).position_correction <= exact_start * size_of_start(model)) most_correction_ = exact_start;
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
      // Off what is flat and no bottom, as the top of a hill.
      for (std::size_t again = 0; again < free_.size() && one.lower && !interrupted_; ++again) {
        const double first = one.first_residual;
        one = find_from(*one.lower);
        one.first_residual = first;
      }
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
    for (std::size_t j = 0; k == 0 && j < free_.size(); ++j) {
      if (const StartRange* asked = range_asked(j)) out[j] = std::clamp(out[j], asked->low, asked->high);
    }
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
    // Where the model has no meaning nearer to its own values it may.
    for (int nearer = 0; nearer < most_nearer && !refusal(out).empty(); ++nearer) {
      for (std::size_t j = 0; j < p; ++j) out[j] += (start_[j] - out[j]) / 2;
    }
    return out;
  }
  [[nodiscard]] std::pair<double, double> range(std::size_t j) const {
    if (const StartRange* asked = range_asked(j)) return {asked->low, asked->high};
    if (start_[j] == 0) return {-1, 1};
    return {start_[j] / 2, start_[j] * 2};
  }
  [[nodiscard]] const StartRange* range_asked(std::size_t j) const {
    for (const StartRange& one : options_.within) {
      if (one.name == free_[j]) return &one;
    }
    return nullptr;
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
      return report(out, here, lines, nullptr);
    }
    out.first_residual = std::sqrt(lines.square());
    double damping = 0;
    const std::size_t p = free_.size();
    std::vector<double> scale(p, 0.0);
    Bounds bounds(here, [this](const std::vector<double>& values) { return refusal(values); });
    for (std::size_t j = 0; j < p; ++j) {
      if (const StartRange* asked = range_asked(j)) bounds.ask(j, asked->low, asked->high);
    }
    while (out.iterations < options_.most_iterations) {
      ++out.iterations;
      for (std::size_t j = 0; j < p; ++j) {
        double length = 0;
        for (std::size_t i = 0; i < lines.residual.size(); ++i) length += lines.slope(i, j) * lines.slope(i, j);
        scale[j] = std::max(scale[j], std::sqrt(length));
      }
      bool better = false;
      bounds.forget_learned();
      while (true) {
        const std::vector<double> step = step_within(lines, scale, damping, here, bounds);
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
        // Beyond a bound: the same step again, with the bound in its way.
        if (next.no_meaning ? bounds.learn(here, there) : !next.why.empty() && bounds.keep_off(there)) continue;
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
    return report(out, here, lines, &bounds);
  }

  /// How steep the squares still are, and whether what is left looks like noise.
  void judge(const Lines& lines, Fit& out) const {
    const std::size_t m = lines.residual.size();
    const double squares = lines.square();
    out.without_slope = lines.without_slope;
    if (lines.slope.rows == m && squares > 0) {
      double steepest = 0;
      for (std::size_t j = 0; j < free_.size(); ++j) {
        if (out.parameters[j].bound) continue;
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

  void require_squares() const {
    std::size_t at = values_[0];
    for (const std::size_t place : values_) {
      if (std::abs(measured_.value[place]) > std::abs(measured_.value[at])) at = place;
    }
    const double largest = std::abs(measured_.value[at]);
    if (largest == 0 || (largest >= smallest_measured && largest <= largest_measured)) return;
    const std::size_t line = at / outputs_.size();
    throw Error(place_of(measured_.time_origin, line),
                exact(measured_.value[at]) + " is too " + (largest > 1 ? "large" : "small") +
                    " for a sum of squares: measure in other units",
                line_of(measured_.time_origin, line));
  }

  static Place place_of(const std::vector<Measured::Origin>& origin, std::size_t k) {
    return k < origin.size() ? origin[k].place : Place{"data", 0, 0};
  }
  static std::string line_of(const std::vector<Measured::Origin>& origin, std::size_t k) {
    return k < origin.size() && origin[k].line ? *origin[k].line : std::string();
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
    out.no_meaning = true;
    try {
      const model::Model model = model::compile(draft_, with(values));
      motion::Motion motion = motion::begin(model);
      out.no_meaning = !refusal(model, motion).empty();
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
      if (!std::isfinite(out.square())) {
        out.why = "the squares of what is left are beyond the largest number";
        return out;
      }
      if (slopes) add_slopes(model, view, values, out);
    } catch (const Error& error) {
      if (motions_ == 1) throw;
      out.why = error.message();
    }
    return out;
  }

  void add_slopes(const model::Model& model, const motion::RunView& view, const std::vector<double>& values,
                  Lines& out) {
    const std::vector<ParameterSensitivity> found =
        sensitivity(model, view, parameter_slopes(draft_, with(values), free_), measured_.times, [&] {
          interrupted_ = interrupted_ || (options_.go_on && !options_.go_on());
          return !interrupted_;
        });
    if (interrupted_) {
      out.why = "interrupted";
      return;
    }
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
    // Slopes that are rounding of others lead nowhere.
    double size = 0;
    for (const double x : out.fitted) size += x * x;
    size = std::max(std::sqrt(size), left_by_rounding() / nothing_left);
    for (std::size_t j = 0; j < free_.size(); ++j) {
      double length = 0;
      for (std::size_t i = 0; i < values_.size(); ++i) length += out.slope(i, j) * out.slope(i, j);
      if (!std::isfinite(length)) {
        out.why = "the squares of slopes by '" + free_[j] + "' are beyond the largest number";
        return;
      }
      if (std::sqrt(length) * size_of(j, values) > without_part * size) continue;
      for (std::size_t i = 0; i < values_.size(); ++i) out.slope(i, j) = 0;
    }
  }

  /// The step of Levenberg and Marquardt: the squares of the linear residuals and of the step in units of `scale`. Some parameters move by what is `fixed`.
  static std::vector<double> damped_step(const Lines& lines, const std::vector<double>& scale, double damping,
                                         const std::vector<std::optional<double>>& fixed) {
    const std::size_t p = scale.size();
    const std::size_t m = lines.residual.size();
    linear::Matrix a(m + p, p);
    std::vector<double> b = lines.residual;
    b.resize(m + p, 0.0);
    for (std::size_t j = 0; j < p; ++j) {
      if (fixed[j]) {
        for (std::size_t i = 0; i < m; ++i) b[i] += lines.slope(i, j) * *fixed[j];
        continue;
      }
      for (std::size_t i = 0; i < m; ++i) a(i, j) = lines.slope(i, j);
      a(m + j, j) = std::sqrt(damping) * scale[j];
    }
    std::vector<double> step = least_squares(std::move(a), std::move(b));
    for (std::size_t j = 0; j < p; ++j) step[j] = fixed[j].value_or(step[j]);
    return step;
  }

  /// The same within bounds: what would go beyond one goes there, the first of them first, and the others make the best of it.
  static std::vector<double> step_within(const Lines& lines, const std::vector<double>& scale, double damping,
                                         const std::vector<double>& here, const Bounds& bounds) {
    std::vector<std::optional<double>> fixed(here.size());
    while (true) {
      std::vector<double> step = damped_step(lines, scale, damping, fixed);
      std::optional<std::size_t> first;
      double share = 1;
      for (std::size_t j = 0; j < here.size(); ++j) {
        if (fixed[j]) continue;
        const std::optional<double> room = bounds.room(j, here[j], step[j]);
        if (!room || (first && *room / step[j] >= share)) continue;
        first = j;
        share = *room / step[j];
      }
      if (!first) return step;
      fixed[*first] = share * step[*first];
      if (const std::optional<double> room = bounds.room(*first, here[*first], step[*first])) fixed[*first] = *room;
    }
  }

  /// Why the model has no meaning with these values: it is refused, or its start is.
  [[nodiscard]] std::string refusal(const std::vector<double>& values) const {
    try {
      const model::Model model = model::compile(draft_, with(values));
      return refusal(model, motion::begin(model));
    } catch (const Error& error) {
      return error.message();
    }
  }
  [[nodiscard]] std::string refusal(const model::Model& model, const motion::Motion& begun) const {
    const bool none = begun.status == motion::Status::inadmissible || begun.status == motion::Status::jammed ||
                      begun.status == motion::Status::singular;
    if (none) return std::string(motion::words(begun.status)) + " at the start: " + begun.why;
    if (begun.position_correction > most_correction_ * size_of_start(model)) return "the start breaks its conditions";
    return {};
  }
  static double size_of_start(const model::Model& model) {
    double most = 0;
    for (const double x : model.initial_position) most = std::max(most, std::abs(x));
    return most;
  }

  Fit report(Fit out, const std::vector<double>& here, const Lines& lines, const Bounds* bounds) {
    out.residual = std::sqrt(lines.square());
    const std::size_t p = free_.size();
    const std::size_t m = lines.residual.size();
    for (std::size_t j = 0; j < p; ++j) out.parameters.push_back({free_[j], here[j], std::nullopt, true, std::nullopt});
    if (lines.why.empty() && lines.slope.rows == m) {
      std::vector<std::uint8_t> held(p, 0);
      for (std::size_t j = 0; j < p; ++j) held[j] = hold(out.parameters[j], j, lines, bounds) ? 1 : 0;
      const Determination told = determination(lines.slope, held);
      if (m > told.rank) add_deviations(told, lines.square() / static_cast<double>(m - told.rank), held, out);
      for (std::size_t j = 0; j < p; ++j) out.parameters[j].determined = told.determined[j] != 0 || held[j] != 0;
      for (const std::vector<double>& idle : told.idle) out.undetermined.push_back(look_along(idle, here, lines, out));
    }
    if (lines.why.empty()) judge(lines, out);
    for (std::size_t i = 0; i < lines.fitted.size(); ++i) {
      const std::size_t columns = outputs_.size();
      out.misfit.push_back({measured_.times[values_[i] / columns], static_cast<std::uint32_t>(values_[i] % columns),
                            measured_.value[values_[i]], lines.fitted[i]});
    }
    return out;
  }

  /// A bound that is all that keeps the squares from falling holds its parameter.
  static bool hold(FittedParameter& parameter, std::size_t j, const Lines& lines, const Bounds* bounds) {
    double slope = 0;
    for (std::size_t i = 0; i < lines.residual.size(); ++i) slope += lines.slope(i, j) * lines.residual[i];
    const Bound* bound = bounds == nullptr ? nullptr : bounds->reached(j, parameter.value, -slope);
    if (bound == nullptr) return false;
    parameter.bound = ReachedBound{bound->at, slope < 0, bound->allowed, bound->why};
    return true;
  }

  static void add_deviations(const Determination& told, double variance, const std::vector<std::uint8_t>& held,
                             Fit& out) {
    const std::size_t p = held.size();
    linear::Matrix covariance = told.inverse;
    for (double& x : covariance.entry) x *= variance;
    bool all = true;
    for (std::size_t j = 0; j < p; ++j) {
      if (told.determined[j] != 0) out.parameters[j].deviation = std::sqrt(covariance(j, j));
      all = all && told.determined[j] != 0;
    }
    if (all) out.covariance = std::move(covariance);
  }

  /// Do the values really stay the same on the way that their slopes show? Parameters that are moved in proportion tell products and powers, by differences sums.
  Undetermined look_along(const std::vector<double>& idle, const std::vector<double>& here, const Lines& lines,
                          Fit& out) {
    Undetermined found;
    double relative = 0;  // the largest change, as a part of its parameter
    bool proportions = true;
    for (std::size_t j = 0; j < idle.size(); ++j) {
      if (idle[j] == 0) continue;
      found.parameters.push_back(free_[j]);
      found.direction.push_back(idle[j]);
      found.in_parts.push_back(here[j] == 0 ? 0 : idle[j] / here[j]);
      relative = std::max(relative, std::abs(idle[j]) / size_of(j, here));
      proportions = proportions && here[j] != 0;
    }
    const bool alone = found.parameters.size() == 1;
    for (const auto along : {Undetermined::Along::proportions, Undetermined::Along::differences}) {
      if (found.along != Undetermined::Along::first_order) break;
      if (along == Undetermined::Along::proportions && (alone || !proportions)) continue;
      for (const double sign : {1.0, -1.0}) {
        const double way = sign * moved_to_see / relative;
        std::vector<double> there = here;
        for (std::size_t j = 0; j < idle.size(); ++j) {
          if (idle[j] == 0) continue;
          there[j] = along == Undetermined::Along::proportions ? here[j] * elementary::exp(way * idle[j] / here[j])
                                                               : here[j] + way * idle[j];
        }
        const Lines moved = at(there, false);
        if (!moved.why.empty()) continue;
        if (same_values(moved, lines)) found.along = along;
        if (alone && found.along == along) found.ran_away = ran_away(idle, here, lines);
        // A place where squares are flat and yet no bottom.
        if (alone && moved.square() < lines.square() * (1 - nothing_left)) out.lower = there;
        if (!alone || out.lower) break;
      }
    }
    return found;
  }
  /// Did the values still depend on it where it began?
  bool ran_away(const std::vector<double>& idle, std::vector<double> here, const Lines& lines) {
    for (std::size_t j = 0; j < idle.size(); ++j) {
      if (idle[j] != 0) here[j] = start_[j];
    }
    const Lines back = at(here, false);
    return back.why.empty() && !same_values(back, lines);
  }
  [[nodiscard]] bool same_values(const Lines& a, const Lines& b) const {
    double apart = 0;
    double size = left_by_rounding() / nothing_left;
    for (std::size_t i = 0; i < a.fitted.size(); ++i) {
      apart = std::max(apart, std::abs(a.fitted[i] - b.fitted[i]));
      size = std::max(size, std::abs(b.fitted[i]));
    }
    return apart <= nothing_left * size;
  }
  /// What counts as the whole of a parameter: one that is zero, or almost, may be measured in anything.
  [[nodiscard]] double size_of(std::size_t j, const std::vector<double>& here) const {
    return std::max({std::abs(here[j]), std::abs(start_[j]), 1.0});
  }

  const model::Draft& draft_;
  model::Overrides overrides_;
  const std::vector<std::string>& free_;
  const Measured& measured_;
  const FitOptions& options_;
  std::vector<std::size_t> outputs_;  ///< of the model, per column
  std::vector<double> start_;
  std::vector<std::size_t> values_;       ///< places of values that were measured
  double most_correction_ = moved_start;  ///< of the start onto its conditions, as a part of it
  std::uint64_t motions_ = 0;
  bool interrupted_ = false;
};

}  // namespace

Fit fit(const model::Draft& draft, const model::Overrides& overrides, const std::vector<std::string>& free,
        const Measured& measured, const FitOptions& options) {
  return Fitting(draft, overrides, free, measured, options).find();
}

}  // namespace zwang::sensitivity
