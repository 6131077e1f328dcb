/// The first thing that happens on a series, found on its polynomials with their remainders.
#include "zwang/motion/happening.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/lane.hpp"
#include "zwang/motion/switches_impl.hpp"

namespace zwang::motion {

namespace {

constexpr double multiplier_noise = 1e-12;  ///< of the terms a multiplier is the difference of: below it counts as zero
constexpr double displaced_part =
    1e-13;  ///< of the way to a crossing: by more than this rounding of the terms should not put it off
constexpr double plainly_off = 1e-6;        ///< of the distance at the beginning: what stays so far off does not touch
constexpr double shortest_to_a_place = 4;   ///< of the shortest step: a place nearer than it is no nearer
constexpr double shown_part = 0.125;        ///< of the distance at the beginning: rounding below it hides nothing
constexpr double passes_in_roundings = 64;  ///< of its terms, above zero: what has passed it, and not but touched
constexpr double rounded_accelerations = 64;  ///< roundings of the terms of an acceleration: what it may be off by

/// sum |c_k| h^k of coefficients `stride` apart.
double terms_of(const double* c, std::size_t stride, std::size_t count, double h) {
  double sum = 0;
  for (std::size_t k = count; k-- > 0;) sum = sum * h + std::abs(c[k * stride]);
  return sum;
}

/// A row that is at zero from the start, as one that others carry: its last zero before it rises is one of rounding. Where it rises (falls, if the
/// sign is -1) by more than it was off already; never, if it does not.
double parting(const double* c, std::size_t stride, std::size_t count, double h, double band, double sign = 1) {
  std::array<double, 64> p{};
  for (std::size_t k = 0; k < count; ++k) p[k] = sign * c[k * stride];
  p[0] -= std::max(parts_from_others * band, 2 * std::abs(p[0]));
  // What cannot come so far, or does not move at all, does not part.
  if (h * terms_of(p.data() + 1, 1, count - 1, h) <= -p[0]) return never;
  const Excursion e = first_excursion({p.data(), count}, h, 0.0);
  return e.kind == Excursion::Kind::none ? never : e.at;
}

/// p(s).
double value(std::span<const double> p, double s) {
  double sum = 0;
  for (std::size_t k = p.size(); k-- > 0;) sum = sum * s + p[k];
  return sum;
}

/// |p'(s)|.
double slope(std::span<const double> p, double s) {
  double sum = 0;
  for (std::size_t k = p.size(); k-- > 1;) sum = sum * s + static_cast<double>(k) * p[k];
  return std::abs(sum);
}

/// Does sign times what has just been left stay below `band` on the step? Its first coefficients are known to vanish.
bool stays_below(const double* c, std::size_t stride, std::size_t count, double sign, unsigned leading, double h,
                 double band) {
  if (!(band > 0)) return false;
  std::array<double, 64> p{};
  for (std::size_t k = leading; k < count; ++k) p[k] = sign * c[k * stride];
  p[0] -= band;
  return first_excursion({p.data(), count}, h, 0.0).kind == Excursion::Kind::none;
}

/// A step may be so long that rounding of its terms hides that the row is open at its beginning: what it does there shows on this part of the step.
double shown_beginning(std::span<const double> p, double h, double band) {
  if (!(p[0] < -band) || !(64 * eps * terms(p, h) > -p[0])) return h;
  while (64 * eps * terms(p, h) > -shown_part * p[0] && h > 0) h /= 2;
  return h;
}

/// One polynomial: p = scale * c, with `leading` vanishing coefficients divided out. The function itself differs from it by no more
/// than `rest`, all of it beyond the last coefficient.
void look_at(const double* c, std::size_t stride, std::size_t count, double sign, unsigned leading, double h,
             double threshold, double size_of_row, double rest, std::uint32_t row, bool release, bool closed,
             Happening& found) {
  std::array<double, 64> p;
  const std::size_t size = count - leading;
  for (std::size_t k = 0; k < size; ++k) p[k] = sign * c[(k + leading) * stride];
  const double band = (leading > 0 ? 0.0 : threshold) + (rest > 0 ? rest / elementary::pow(h, leading) : 0.0);
  // What happens early on a long step is looked at on a shorter one, whose terms are smaller.
  const auto on_shorter = [&](double at) {
    if (release || closed || leading > 0 || !(early * at < h) || !(at > sensible_cut * h)) return false;
    if (!(64 * eps * terms({p.data(), size}, h) > band)) return false;
    h = 2 * at;
    found.cut = std::min(found.cut, h);
    return true;
  };
  const auto blurred = [&](double at, bool passes, bool touches) {
    if (release || closed || leading > 0 || !(at < found.blurred)) return;
    found.blurred = at;
    found.blurred_row = row;
    found.blurred_passes = passes;
    found.blurred_touches = touches;
  };
  double from = 0;
  if (!release && !closed && leading == 0) {
    const double begin = shown_beginning({p.data(), size}, h, band);
    const double hidden = 64 * eps * terms({p.data(), size}, h);
    if (begin < h && first_excursion({p.data(), size}, begin, band).kind == Excursion::Kind::none &&
        value({p.data(), size}, begin) < -std::max(band, hidden)) {
      from = begin;
    } else if (begin < h) {
      h = begin;
      found.cut = std::min(found.cut, h);
    }
  }
  for (int round = 0; round < 100; ++round) {
    Excursion e = first_excursion({p.data(), size}, h, band, from);
    // Whether it but touches early on the step may be hidden by rounding of what comes later.
    if (e.kind == Excursion::Kind::graze && !release && !closed && leading == 0 && early * e.at < h && e.at > from &&
        64 * eps * terms({p.data(), size}, h) > band) {
      const Excursion near = first_excursion({p.data(), size}, 2 * e.at, band, from);
      if (near.kind == Excursion::Kind::none) {
        from = 2 * e.at;
        continue;
      }
      if (near.kind != Excursion::Kind::pending) e = near;
    }
    switch (e.kind) {
      case Excursion::Kind::none: return;
      case Excursion::Kind::crossing: {
        // What is carried by others crosses where it parts from them; what has just been left does not if it is nothing but rounding.
        // What came further from zero than rounding was left: it closes unless it is below zero again at the end of the step.
        if (leading > 0 && !release &&
            stays_below(c, stride, count, 1, leading, h, parts_from_others * threshold - rest) &&
            (e.at == 0 || stays_below(c, stride, count, -1, leading, e.at, left_by_rounding * size_of_row) ||
             value({p.data(), size}, h) <= 0))
          return;
        const double parts = closed && !release ? parting(c, stride, count, h, threshold) : e.at;
        const double at = parts == never ? e.at : parts;
        const double rate = slope({p.data(), size}, at);
        // Rounding of far larger terms puts it off, too.
        const bool is_blurred =
            threshold > blurred_part * h * rate || eps * terms({p.data(), size}, at) > displaced_part * at * rate;
        if (is_blurred && on_shorter(at)) break;
        found.crossings.push_back({row, at, release});
        found.at = std::min(found.at, at);
        if (is_blurred) blurred(at, false, false);
        return;
      }
      case Excursion::Kind::pending:
        if (on_shorter(e.at)) break;
        // What passes zero within its band is told from there on: it must not be far inside when the next instant asks.
        if (const double at = release ? e.at : std::max(e.at, e.through); at > sensible_cut * h) {
          found.cut = std::min(found.cut, at);
          found.pendings.push_back({row, at, release});
        }
        blurred(e.at, false, false);
        return;
      case Excursion::Kind::graze:
        if (on_shorter(e.at)) break;
        // What is closed touches all the time.
        if (!closed) {
          found.grazes.push_back({row, e.at, false});
          found.graze = std::min(found.graze, e.at);
        }
        blurred(e.at, value({p.data(), size}, e.at) > passes_in_roundings * eps * terms({p.data(), size}, e.at), true);
        from = e.at + (h - e.at) * behind_a_graze + h * eps;
        if (from >= h) return;
        break;
    }
  }
}

/// What the terms of a row come to on the step, by the gradient that it has at its beginning: where it has none there, as at the
/// origin, rounding is measured by what its variables move.
double terms_on_step(const Motion& motion, std::uint32_t row, double h) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::span<const double> q = impl.series.position();
  const std::size_t n = model.variables;
  evaluate_row(motion, row);
  const std::vector<double>& entry = impl.workspace.evaluation().rows.entry;
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const double* first = q.data() + model.row_column[e] + n;
    sum += std::abs(entry[e]) * h * terms_of(first, n, q.size() / n - 1, h);
  }
  return sum;
}

/// What rounding of the accelerations makes of a row on the step: two rows that share a force move by as much.
double rounding_on_step(const Motion& motion, std::uint32_t row, double h) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::span<const double> terms = impl.series.acceleration_terms();
  if (terms.empty()) return 0;
  evaluate_row(motion, row);
  const std::vector<double>& entry = impl.workspace.evaluation().rows.entry;
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    sum += std::abs(entry[e]) * terms[model.row_column[e]];
  }
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const double unit = impl.series.unit();
  return rounded_accelerations * eps * sum * h * unit * (holonomic ? h * unit / 2 : 1.0);
}

/// The state of the motion s later on its series.
model::State state_at(const Motion& motion, double s) {
  const double u = motion.impl->series.unit();
  const std::span<const double> q = motion.impl->series.position();
  const std::size_t n = motion.impl->model.variables;
  model::State there = motion.state;
  there.time += s * u;
  for (std::size_t i = 0; i < n; ++i) {
    double moved = 0;
    double rate = 0;
    for (std::size_t k = q.size() / n; k-- > 1;) {
      moved = (moved + q[k * n + i]) * s;
      rate = rate * s + static_cast<double>(k) * q[k * n + i];
    }
    there.position[i] += moved;
    there.velocity[i] = rate / u;
  }
  return there;
}

/// The terms of a row at a state, and what the state is uncertain by in roundings.
double size_at(const Motion& motion, std::uint32_t row, const model::State& there) {
  const model::Model& model = motion.impl->model;
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_row(model, there, row, work.scratch, work.rows);
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const double scale = holonomic ? work.rows.value_scale[row] : work.rows.rate_scale[row];
  const double error = holonomic ? work.rows.value_error[row] : work.rows.rate_error[row];
  return std::max(scale, error / unit_rounding);
}

/// What rounding of the way that led there may have put a row off by, at a state.
double known_of(const Motion& motion, std::uint32_t row, model::State there) {
  const Motion::Impl& impl = *motion.impl;
  there.position_uncertainty = impl.rounding_position;
  there.velocity_uncertainty = impl.rounding_velocity;
  there.position_uncertainty.resize(impl.model.variables, 0.0);
  there.velocity_uncertainty.resize(impl.model.variables, 0.0);
  for (std::size_t i = 0; i < impl.model.variables; ++i) {
    double& off = there.position_uncertainty[i];
    off = std::max(off, unit_rounding * std::abs(motion.state.position[i]));
  }
  instant::Evaluation& work = motion.impl->workspace.evaluation();
  model::evaluate_row(impl.model, there, row, work.scratch, work.rows);
  return instant::bounds_that_are_nothing * work.rows.value_error[row];
}

/// An open row that comes near to zero and goes off again, f' > 0 and then f' < 0: where it is nearest, if it counts as zero there by what rounding of the way
/// here has left of the state. It touches, though its own terms may tell it from zero: y = (1 - t)^2 a + 1e-17 a is as good as zero at t = 1. Never, if it does not.
double touching(const Motion& motion, std::uint32_t row, std::span<const double> f, double h) {
  if (f.size() < 3 || f.size() > 64 || !(f[0] < 0 && f[1] > 0)) return never;
  double sum = 0;
  double highest = f[0];
  double power = 1;
  for (const double c : f) {
    sum += c * power;
    power *= h;
    highest = std::max(highest, sum);
  }
  if (highest < plainly_off * f[0]) return never;
  // Where it is nearest.
  std::array<double, 64> rate{};
  for (std::size_t k = 1; k < f.size(); ++k) rate[k - 1] = -static_cast<double>(k) * f[k];
  const std::span<const double> falling{rate.data(), f.size() - 1};
  const Excursion e = first_excursion(falling, shown_beginning(falling, h, 0.0), 0.0);
  if (e.kind != Excursion::Kind::crossing) return never;
  const double nearest = value(f, e.at);
  if (!(nearest > plainly_off * f[0] && nearest < 0)) return never;
  const double known = known_of(motion, row, state_at(motion, e.at));
  return -nearest <= known && -f[0] > 2 * known ? e.at : never;
}

}  // namespace

Happening first_happening(const Motion& motion, double h, std::vector<double>& buffer) {
  const Motion::Impl& impl = *motion.impl;
  const Series& series = impl.series;
  Happening found;

  // Multipliers of held inequalities.
  const std::size_t m = series.held();
  const std::span<const double> lambda = series.multiplier();
  for (std::size_t j = 0; j < m; ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    if (model::is_equation(impl.model.row_kind[row]) || impl.standing[row] == Standing::implied) continue;
    double noise = multiplier_noise * series.multiplier_scale(j) + impl.multiplier_doubt[row];
    if (impl.quiet.contains(row)) noise = std::max(noise, 2 * std::abs(lambda[j]));
    const double terms = terms_of(lambda.data() + j, m, series.order() - 1, h);
    if (terms <= noise) continue;
    // What rests without a force of its own has what rounding of its neighbours' forces leaves it.
    if (impl.quiet.contains(row)) noise += multiplier_noise * series.multiplier_scale_by_others(j);
    if (terms <= noise) continue;
    look_at(lambda.data() + j, m, series.order() - 1, -1.0, impl.leading[row], h, noise, 0.0,
            series.multiplier_error(j), row, true, true, found);
  }

  // Conditions that are open.
  for (std::size_t w = 0; w < impl.watched_rows.size(); ++w) {
    const std::uint32_t row = impl.watched_rows[w];
    const std::span<const double> f = series.watched(w);
    const bool shared = impl.standing[row] == Standing::held;
    const bool implied = impl.standing[row] == Standing::implied || shared;
    if (implied && model::is_equation(impl.model.row_kind[row])) continue;
    const double part = implied ? opens_though_implied : std::max(64 * eps, impl.tolerance);
    const double size = implied ? std::max(impl.size[row], terms_on_step(motion, row, h)) : impl.size[row];
    const double band = implied ? std::max(part * size, rounding_on_step(motion, row, h)) : part * size;
    if (shared) found.parts = std::min(found.parts, parting(f.data(), 1, f.size(), h, band));
    if (!shared) {
      const std::size_t told = found.crossings.size() + found.grazes.size() + found.pendings.size();
      look_at(f.data(), 1, f.size(), 1.0, impl.leading[row], h, part * size, size, series.watched_rest(w), row, false,
              implied, found);
      const bool silent = found.crossings.size() + found.grazes.size() + found.pendings.size() == told;
      if (silent && !implied && impl.leading[row] == 0 && model::is_holonomic(impl.model.row_kind[row])) {
        if (const double at = touching(motion, row, f, h); at < never) {
          found.grazes.push_back({row, at, false});
          found.graze = std::min(found.graze, at);
        }
      }
    }
    if (implied) found.parts = std::min(found.parts, parting(f.data(), 1, f.size(), h, band, -1));
  }

  // The end that the model asks for.
  if (!impl.model.simulation.stop.empty() && !impl.switches.stop_clear &&
      !impl.pins.keep_from_stopping(impl.switches.gone)) {
    std::vector<double> registers;
    observe_lane(series.along(), impl.model.simulation.stop.front(), registers, buffer);
    const model::TermGroup& term = impl.model.simulation.stop.front().term;
    const double size = size_of_lane(series.along(), term.tape, registers, term.tape.outputs[0]);
    found.stop = rises(buffer, 0.0, -1.0, false, 0, {}, h, found.cut, true, size);
  }
  return found;
}

double nearer_place(const Motion& motion, const Happening& found, double& size) {
  if (found.blurred == never) return never;
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::uint32_t row = found.blurred_row;
  // Its terms may have become small on the way here: then the band is that of the place where it was measured last.
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const double here = size_at(motion, row, motion.state);
  if (here < nearer_by * impl.size[row]) {
    size = here;
    return 0;
  }
  const double s = (1 - left_to_go) * found.blurred;
  const double u = impl.series.unit();
  if (!(s * u > shortest_to_a_place * shortest_step(impl, motion.state.time))) return never;
  const std::span<const double> q = impl.series.position();
  const std::size_t n = model.variables;
  const auto moved = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = q.size() / n; k-- > 1;) sum = (sum + q[k * n + i]) * s;
    return sum;
  };
  const auto first = model.row_column.begin() + model.row_start[row];
  const auto last = model.row_column.begin() + model.row_start[row + 1];
  if (holonomic && !found.blurred_passes &&
      std::none_of(first, last, [&](std::uint32_t i) { return std::abs(moved(i)) > much_moved * std::abs(q[i]); }))
    return never;
  const model::State there = state_at(motion, s);
  // What but touches is no better known from nearer than the way here lets it be: by the gradient that it has where it touches.
  const double known =
      holonomic && found.blurred_touches ? known_of(motion, row, state_at(motion, found.blurred)) : 0.0;
  size = size_at(motion, row, there);
  if (std::abs(motion.impl->workspace.evaluation().rows.value[row]) <= known) return never;
  return size < nearer_by * impl.size[row] ? s : never;
}

bool keeps_what_is_implied(const Motion& motion, double s) {
  const Motion::Impl& impl = *motion.impl;
  bool any = false;
  for (std::size_t w = 0; w < impl.watched_rows.size(); ++w) {
    const std::uint32_t row = impl.watched_rows[w];
    if (impl.standing[row] != Standing::implied || !model::is_equation(impl.model.row_kind[row])) continue;
    any = true;
    const std::span<const double> f = impl.series.watched(w);
    const double size = std::max(impl.size[row], terms_on_step(motion, row, s));
    const double most = terms_of(f.data(), 1, f.size(), s) + impl.series.watched_rest(w);
    if (!(most <= opens_though_implied * size)) return false;
  }
  return !any || stays_in_position(motion, s);
}

void close_at_position(double end, Happening& found) {
  const bool lets_go = std::any_of(found.pendings.begin(), found.pendings.end(),
                                   [](const Happening::Crossing& one) { return one.release; });
  if (found.pendings.empty() || lets_go) return;
  found.cut = never;
  for (const Happening::Crossing& one : found.pendings) found.crossings.push_back({one.row, end, false});
  found.at = std::min(found.at, end);
}
}  // namespace zwang::motion
