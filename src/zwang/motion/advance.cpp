/// The event loop: series, first happening, instant; series, first happening, instant.
#include "zwang/motion/advance.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/endings.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/time_unit.hpp"

namespace zwang::motion {

namespace {

constexpr double multiplier_noise = 1e-12;  ///< of the terms a multiplier is the difference of: below it counts as zero
constexpr double rounded_accelerations = 64;  ///< roundings of the terms of an acceleration: what it may be off by
constexpr double runaway_steps = 1e7;         ///< of the shortest: what doubles within them runs away
constexpr std::uint64_t pace_steps = 4096;    ///< after so many steps without an event the pace is looked at
constexpr double crawl = 1e-3;                ///< of the best pace so far: slower than that is crawling
constexpr double most_steps = 1e8;            ///< that the rest of the way may take at this pace
constexpr double lost_length = 1e-9;          ///< of the largest coordinate: what is lost by less is only small
constexpr double guess_of_rounding = 1e3;     ///< of the shortest step: a guess below it is one of rounding
constexpr const char* dependent_as_something_happens =
    "the conditions held become dependent at the very instant at which something else happens: the position is "
    "singular";

/// The order of the series: Jorba and Zou's -ln(tolerance) / 2, and some more, since every step also costs a
/// factorisation and a look for events; the more, the fewer variables there are (docs/mathematics, section 10.4).
unsigned order_for(double tolerance, std::uint32_t variables) {
  const double more = std::clamp(13 - elementary::log2(std::max(1.0, variables / 128.0)), 6.0, 13.0);
  return static_cast<unsigned>(std::clamp(std::lround(-elementary::log(tolerance) / 2 + more), 12L, 30L));
}

/// The next time at which something is due, and never later than the end.
double next_due(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  double due = impl.until;
  const auto consider = [&](double at) {
    if (at <= motion.state.time || (impl.any_done && std::abs(at - impl.done_schedule) <= resolution(at))) return;
    due = std::min(due, at);
  };
  for (const model::Blow& blow : impl.model.blows) consider(blow.at);
  for (const model::Condition& condition : impl.model.conditions) {
    if (condition.seizure) consider(condition.at);
  }
  due = std::min(due, next_release(motion, motion.state.time));
  if (impl.limit_ahead) due = std::min(due, std::max(impl.limit_time, motion.state.time));
  return due;
}

/// The first thing that happens on the series, found on its polynomials.
struct Happening {
  double at = never;     ///< of the first crossing
  double cut = never;    ///< end the piece here without an instant: something begins that the next series sees whole
  double graze = never;  ///< of the first graze
  double stop = never;
  struct Crossing {
    std::uint32_t row;
    double at;
    bool release;
  };
  std::vector<Crossing> crossings, grazes, pendings;  ///< pendings: what is as good as zero at the end of the step
  double parts = never;    ///< of the first place at which a row that others carry is left by them: does it let go?
  double blurred = never;  ///< of the first place at which an open row does something that its band all but hides
  std::uint32_t blurred_row = no_row;
};

/// sum |c_k| h^k of coefficients `stride` apart.
double terms_of(const double* c, std::size_t stride, std::size_t count, double h) {
  double sum = 0;
  for (std::size_t k = count; k-- > 0;) sum = sum * h + std::abs(c[k * stride]);
  return sum;
}

/// A row that is at zero from the start, as one that others carry: its last zero before it rises is one of rounding. Where it rises (falls, if the
/// sign is -1) by more than it was off already; never, if it does not.
double parting(const double* c, std::size_t stride, std::size_t count, double h, double band, double sign = 1) {
  std::array<double, 64> p;
  for (std::size_t k = 0; k < count; ++k) p[k] = sign * c[k * stride];
  p[0] -= std::max(parts_from_others * band, 2 * std::abs(p[0]));
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
  const auto blurred = [&](double at) {
    if (release || closed || leading > 0 || !(at < found.blurred)) return;
    found.blurred = at;
    found.blurred_row = row;
  };
  double from = 0;
  for (int round = 0; round < 100; ++round) {
    const Excursion e = first_excursion({p.data(), size}, h, band, from);
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
        const bool is_blurred = threshold > blurred_part * h * slope({p.data(), size}, at);
        if (is_blurred && on_shorter(at)) break;
        found.crossings.push_back({row, at, release});
        found.at = std::min(found.at, at);
        if (is_blurred) blurred(at);
        return;
      }
      case Excursion::Kind::pending:
        if (on_shorter(e.at)) break;
        // What passes zero within its band is told from there on: it must not be far inside when the next instant asks.
        if (const double at = release ? e.at : std::max(e.at, e.through); at > sensible_cut * h) {
          found.cut = std::min(found.cut, at);
          found.pendings.push_back({row, at, release});
        }
        blurred(e.at);
        return;
      case Excursion::Kind::graze:
        if (on_shorter(e.at)) break;
        // What is closed touches all the time.
        if (!closed) {
          found.grazes.push_back({row, e.at, false});
          found.graze = std::min(found.graze, e.at);
        }
        blurred(e.at);
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
      look_at(f.data(), 1, f.size(), 1.0, impl.leading[row], h, part * size, size, series.watched_rest(w), row, false,
              implied, found);
    }
    if (implied) found.parts = std::min(found.parts, parting(f.data(), 1, f.size(), h, band, -1));
  }

  // The end that the model asks for.
  if (!impl.model.simulation.stop.empty() && !impl.switches.stop_clear) {
    std::vector<double> registers;
    observe_lane(series.along(), impl.model.simulation.stop.front(), registers, buffer);
    Happening stop;
    look_at(buffer.data(), 1, buffer.size(), -1.0, 0, h, 0.0, 0.0, 0.0, 0, false, false, stop);
    found.stop = std::min(stop.at, stop.graze);
  }
  return found;
}

/// An open row that does something within the band in which it counts as zero, or at a place that the band blurs, is looked at from nearer if
/// its terms are far smaller there than where they were measured: a small target that is flown at from afar. Where to begin anew, and
/// the size of the terms there; never if that would not help.
double nearer_place(const Motion& motion, const Happening& found, double& size) {
  if (found.blurred == never) return never;
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::uint32_t row = found.blurred_row;
  const double s = (1 - left_to_go) * found.blurred;
  const double u = impl.series.unit();
  if (!(s * u > guess_of_rounding * shortest_step(impl, motion.state.time))) return never;
  const std::span<const double> q = impl.series.position();
  const std::size_t n = model.variables;
  const auto moved = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t k = q.size() / n; k-- > 1;) sum = (sum + q[k * n + i]) * s;
    return sum;
  };
  const bool holonomic = model::is_holonomic(model.row_kind[row]);
  const auto first = model.row_column.begin() + model.row_start[row];
  const auto last = model.row_column.begin() + model.row_start[row + 1];
  if (holonomic &&
      std::none_of(first, last, [&](std::uint32_t i) { return std::abs(moved(i)) > much_moved * std::abs(q[i]); }))
    return never;
  model::State there = motion.state;
  there.time += s * u;
  for (std::size_t i = 0; i < n; ++i) {
    there.position[i] += moved(i);
    double rate = 0;
    for (std::size_t k = q.size() / n; k-- > 1;) rate = rate * s + static_cast<double>(k) * q[k * n + i];
    there.velocity[i] = rate / u;
  }
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, there, scratch, rows);
  const double scale = holonomic ? rows.value_scale[row] : rows.rate_scale[row];
  const double error = holonomic ? rows.value_error[row] : rows.rate_error[row];
  size = std::max(scale, error / unit_rounding);
  return size < nearer_by * impl.size[row] ? s : never;
}

/// Equations that depend on others at a singular position: do these keep them up to s, and do they depend on them there, too?
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

/// A step that ends at a singular position: what is as good as zero there closes there, and not before.
void close_at_position(double end, Happening& found) {
  const bool lets_go = std::any_of(found.pendings.begin(), found.pendings.end(),
                                   [](const Happening::Crossing& one) { return one.release; });
  if (found.pendings.empty() || lets_go) return;
  found.cut = never;
  for (const Happening::Crossing& one : found.pendings) found.crossings.push_back({one.row, end, false});
  found.at = std::min(found.at, end);
}

/// x + change, with what rounding takes away carried to the next step.
void add(double& x, double& carry, double change) {
  change += carry;
  const double moved = x + change;
  carry = change - (moved - x);
  x = moved;
}

/// rho of the variational rows held, s later: its rate is their multiplier.
void advance_rho(Motion& motion, double s) {
  Motion::Impl& impl = *motion.impl;
  if (impl.carry_rho.empty()) return;
  const std::size_t m = impl.series.held();
  const std::span<const double> lambda = impl.series.multiplier();
  for (std::size_t j = 0; j < m; ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    if (!model::is_variational(impl.model, row)) continue;
    double gain = 0;
    for (unsigned k = impl.series.order() - 1; k-- > 0;) gain = (gain + lambda[k * m + j] / (k + 1.0)) * s;
    add(motion.state.rho[row], impl.carry_rho[row], gain * impl.series.unit());
  }
  take_rho(motion);
}

/// Go to s on the series, in its unit of time: the piece ends there, the state moves on.
void go(Motion& motion, double s, double time) {
  Motion::Impl& impl = *motion.impl;
  const Series& series = impl.series;
  const std::size_t n = impl.model.variables;
  const unsigned order = series.order();
  const std::span<const double> q = series.position();

  // The piece: trailing coefficients that vanish for all are left out.
  Piece& piece = motion.piece;
  piece.start = motion.state.time;
  const double u = series.unit();
  const double duration = s * u;
  piece.length = duration;
  piece.unit = u;
  piece.n = static_cast<std::uint32_t>(n);
  std::size_t used = q.size();
  while (used > 2 * n && q[used - 1] == 0) --used;
  piece.orders = static_cast<std::uint32_t>((used + n - 1) / n);
  piece.position.assign(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(std::size_t{piece.orders} * n));
  piece.rows = motion.held;
  piece.multiplier_orders = order - 1;
  const std::size_t m = series.held();
  const std::size_t kept = piece.rows.size();
  const std::span<const double> lambda = series.multiplier();
  piece.multiplier.resize(kept * piece.multiplier_orders);
  if (impl.in_order) {
    std::copy(lambda.begin(), lambda.end(), piece.multiplier.begin());
  } else {
    for (std::size_t j = 0; j < m; ++j) {
      const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), impl.held_rows[j].row);
      const auto place = static_cast<std::size_t>(found - piece.rows.begin());
      for (unsigned k = 0; k < piece.multiplier_orders; ++k) piece.multiplier[k * kept + place] = lambda[k * m + j];
    }
  }

  piece.rho = motion.rho;

  // Beside a pole all multipliers stand multiplied by their distance from it.
  piece.pole = series.pole();
  if (piece.has_pole()) {
    piece.multiplier.resize(kept * (piece.multiplier_orders + 1), 0.0);
    for (std::size_t j = 0; j < m; ++j) {
      if (series.has_pole(j)) continue;
      const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), impl.held_rows[j].row);
      double* c = piece.multiplier.data() + (found - piece.rows.begin());
      for (std::size_t k = piece.multiplier_orders + 1; k-- > 0;) {
        const double lower = k > 0 ? c[(k - 1) * kept] : 0.0;
        c[k * kept] = piece.pole > 0 ? piece.pole * c[k * kept] - lower : lower;
      }
    }
    ++piece.multiplier_orders;
  }

  // The state, with what rounding takes away carried to the next step.
  // Where numbers run away before a singular position, the account stops with them.
  double work_terms = 0;
  double work = series.work(s, &work_terms);
  model::Scratch& scratch = impl.workspace.evaluation().scratch;
  work -= model::energy_with_time(impl.model, motion.state, scratch);
  std::vector<double>& dq = impl.gain_position;
  std::vector<double>& dv = impl.gain_velocity;
  dq.resize(n);
  dv.resize(n);
  gains(q.data(), series.velocity().data(), n, order, s, dq.data(), dv.data());
  const std::span<const double> rest = series.rest();
  for (std::size_t i = 0; i < n; ++i) {
    impl.carry_position[i] += 0.5 * rest[i] * duration * duration;
    impl.carry_velocity[i] += rest[i] * duration;
    add(motion.state.position[i], impl.carry_position[i], dq[i]);
    add(motion.state.velocity[i], impl.carry_velocity[i], dv[i]);
  }
  measure_step(motion, duration);
  motion.state.time = time;
  work += model::energy_with_time(impl.model, motion.state, scratch);
  if (std::isfinite(work)) {
    motion.energy.work += work;
    motion.energy.gross_work += work_terms;
  }
  evaluate_multipliers(piece, piece.end(), motion.multipliers);
  advance_rho(motion, s);
  impl.flight += duration;
  std::fill(impl.leading.begin(), impl.leading.end(), std::uint8_t{0});
  std::fill(impl.switches.at_start.begin(), impl.switches.at_start.end(), std::uint8_t{0});
  ++motion.steps;
}

/// A variable that would make all of its way again within the shortest time there is: it runs away to infinity. `no_row` if there is none.
std::uint32_t runaway(const Motion& motion) {
  const model::Model& model = motion.impl->model;
  const double soon = runaway_steps * shortest_step(*motion.impl, motion.state.time);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    const double way = std::abs(motion.state.position[i] - model.initial_position[i]);
    const double speed = std::abs(motion.state.velocity[i]);
    if (!std::isfinite(way) || !std::isfinite(speed)) return i;
    const bool long_ago = motion.state.time - model.simulation.start > 1e3 * soon;
    if (speed > 0 && way < soon * speed && long_ago) return i;
  }
  return no_row;
}

/// No series goes on from here: the position is singular, or the numbers have run away.
void lead_nowhere(Motion& motion, const std::string& why) {
  Motion::Impl& impl = *motion.impl;
  const bool near = impl.series.nearly_singular();
  const std::vector<std::uint32_t> rows = near ? dependent_rows(motion, nearly) : motion.held;
  Triggers triggers;
  triggers.doubt = true;
  settle(motion, triggers, false);
  if (motion.status != Status::going && motion.status != Status::gave_up) return;
  if (near) {
    motion.status = Status::going;
    end_singular(motion, rows,
                 "the conditions held have become dependent, or a gradient vanishes: the position is singular");
  } else if (motion.status == Status::going) {
    const std::uint32_t gone = runaway(motion);
    if (gone == no_row) return end(motion, Status::gave_up, why);
    end(motion, Status::gave_up,
        model::variable_name(impl.model, gone) +
            " escapes to infinity in finite time: this is the last state that numbers can hold; end the run before");
  }
}

/// The largest coordinate there is or was at the start, in the metric of the masses; what is broken by less than a billionth of it is
/// not lost, only small.
double whole_size(const Motion& motion) {
  double most = 0;
  for (std::size_t i = 0; i < motion.state.position.size(); ++i) {
    const double size = std::max(std::abs(motion.state.position[i]), std::abs(motion.impl->model.initial_position[i]));
    most = std::max(most, size * motion.impl->series.root_mass(i));
  }
  return most;
}

/// Has a condition that counts as open been entered, by more than a motion of this tolerance may? Then the motion is not to be trusted.
bool entered(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  for (std::size_t w = 0; w < impl.watched_rows.size(); ++w) {
    const std::uint32_t row = impl.watched_rows[w];
    // What has just been left is at zero, whatever rounding says.
    if (model::is_equation(impl.model.row_kind[row])) continue;
    const double f = impl.series.watched(w)[0];
    const double part = impl.leading[row] > 0 ? lost_length : broken_by_tolerance * impl.tolerance;
    if (!(f > part * impl.size[row])) continue;
    // What is near the origin has its size from the body it belongs to, and from the step that led there; and what rounding may have put
    // off since it came there is not entered.
    double around = 0;
    double rounding = 0;
    evaluate_row(motion, row);
    const model::Rows& rows = impl.workspace.evaluation().rows;
    for (std::uint32_t e = impl.model.row_start[row]; e < impl.model.row_start[row + 1]; ++e) {
      const bool holonomic = model::is_holonomic(impl.model.row_kind[row]);
      const std::uint32_t i = impl.model.row_column[e];
      const std::vector<double>& step = holonomic ? impl.step_position : impl.step_velocity;
      const double size = impl.series.body_size(i, holonomic ? motion.state.position : motion.state.velocity);
      around += std::abs(rows.entry[e]) * std::max(size, i < step.size() ? step[i] : 0.0);
      const std::vector<double>& off = holonomic ? impl.rounding_position : impl.rounding_velocity;
      rounding += std::abs(rows.entry[e]) * (i < off.size() ? off[i] : 0.0);
    }
    if (!(f > part * (impl.size[row] + around) + instant::bounds_that_are_nothing * rounding)) continue;
    motion.culprits = {row};
    end(motion, Status::gave_up,
        "the condition " + model::row_name(impl.model, row) + " has been entered unseen, by " + readable(f, 3) +
            ": several contacts come to rest at once here; try a smaller tolerance");
    return true;
  }
  return false;
}

/// Is the way that is left too long for steps as short as these? Asked every few thousand steps; a sentence if it is.
std::string crawls(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (motion.steps == 0 || motion.steps % pace_steps != 0) return "";
  const double gone = motion.state.time - impl.pace_time;
  impl.pace_time = motion.state.time;
  impl.best_pace = std::max(impl.best_pace, gone);
  const bool events = impl.pace_events != motion.event_count;
  impl.pace_events = motion.event_count;
  // Events may follow each other as fast as they like, but not without time passing.
  const double duration = impl.until - impl.model.simulation.start;
  if (events && gone < shortest_of_duration * static_cast<double>(pace_steps) * duration) {
    return "events follow each other without time passing, " + std::to_string(pace_steps) + " of them within " +
           readable(gone, 3) +
           ": the motion trembles about a place where it could rest; start it there exactly, or give what switches a "
           "smooth transition, such as tanh(u/0.01)";
  }
  // A long way is no crawl: steps must have become far shorter than they were.
  const bool crawling = !events && motion.steps != pace_steps && gone < crawl * impl.best_pace &&
                        gone * (most_steps / pace_steps) < impl.until - motion.state.time;
  if (!crawling) return "";
  return "steps have become so short that the rest of the way would take more than 1e8 of them: the model is stiff "
         "here, "
         "or a force switches where its series cannot (write it with sign, abs or if); look at " +
         impl.series.obstacle();
}

}  // namespace

void evaluate_row(const Motion& motion, std::uint32_t row) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_row(impl.model, motion.state, row, work.scratch, work.rows);
}

const linear::Mass& mass_at(const Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  instant::Evaluation& work = impl.workspace.evaluation();
  model::evaluate_mass(impl.model, motion.state, work.scratch, work.dynamics);
  return work.dynamics.mass;
}

instant::RowSet closed_rows(const Motion::Impl& impl) {
  instant::RowSet closed(impl.model.rows());
  for (std::uint32_t row = 0; row < impl.model.rows(); ++row) closed.put(row, is_closed(impl.standing[row]));
  return closed;
}

bool ascending(const std::vector<HeldRow>& rows) {
  return std::is_sorted(rows.begin(), rows.end(), [](const HeldRow& a, const HeldRow& b) { return a.row < b.row; });
}

double shortest_step(const Motion::Impl& impl, double time) {
  return std::max(0.1 * resolution(time), shortest_of_duration * (impl.until - impl.model.simulation.start));
}

double resolution(double time) { return same_time_in_roundings * unit_rounding * std::abs(time); }

// Without the carry a million swings would run late.
double later(Motion::Impl& impl, double time, double s) {
  const double change = s + impl.carry_time;
  const double sum = time + change;
  impl.carry_time = change - (sum - time);
  return sum;
}

// A tenth of the tolerance. Below 1e-12 it falls faster, so that at 1e-15 what is cut off stays far below rounding: always
// of the same sign, it would add up over millions of steps.
double part_for(double tolerance) { return 0.1 * tolerance * std::min(1.0, tolerance / sharp_tolerance); }
double defect_for(double tolerance) { return 10 * part_for(tolerance); }

void end(Motion& motion, Status status, std::string why) {
  motion.status = status;
  motion.why = std::move(why);
}

bool project(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (impl.flow != nullptr) return project_flow(motion);
  impl.raw = motion.state;
  impl.raw_carry_position = impl.carry_position;
  impl.raw_carry_velocity = impl.carry_velocity;
  const Series::Projection found = impl.series.project(motion.state, impl.carry_position, impl.carry_velocity,
                                                       impl.step_position, impl.step_velocity);
  motion.position_drift = std::max(motion.position_drift, found.position_drift);
  motion.velocity_drift = std::max(motion.velocity_drift, found.velocity_drift);
  impl.off = std::max(found.position_drift, found.skipped_drift) > lost_drift ? found.off : 0;
  return found.regular;
}

Motion::Motion() = default;
Motion::~Motion() = default;
Motion::Motion(Motion&&) noexcept = default;
Motion& Motion::operator=(Motion&&) noexcept = default;

Motion::Impl::Impl(const model::Model& of, double end_time, double relative)
    : model(of),
      until(end_time),
      tolerance(relative),
      series(of, order_for(relative, of.variables), relative < sharp_tolerance),
      workspace(of) {
  carry_position.assign(of.variables, 0.0);
  carry_velocity.assign(of.variables, 0.0);
  if (of.flow) flow = std::make_unique<Flow>(of, series.order());
  if (model::is_variational(of)) carry_rho.assign(of.rows(), 0.0);
  standing.assign(of.rows(), Standing::open);
  leading.assign(of.rows(), 0);
  size.assign(of.rows(), 0.0);
  multiplier_doubt.assign(of.rows(), 0.0);
  quiet = instant::RowSet(of.rows());
  strikes.assign(of.rows(), {});
}

bool advance(Motion& motion) {
  if (!advance_piece(motion)) return false;
  if (motion.status != Status::going) tell_ending(motion);
  return true;
}

/// The series from here, with roots in forces that come to zero within a part of the motion as zero. False if there is none.
bool extend_with_roots(Motion& motion, double part, double gap, double least, double& h) {
  Motion::Impl& impl = *motion.impl;
  const double soon = part * (impl.until - impl.model.simulation.start);
  return impl.series.take_roots_as_zero(soon) &&
         extend(impl.series, motion.state, part_for(impl.tolerance), gap, least, h);
}

bool advance_piece(Motion& motion) {
  if (motion.status != Status::going) return false;
  Motion::Impl& impl = *motion.impl;
  motion.events.clear();
  if (impl.flow != nullptr) return advance_flow(motion);
  if (std::string why = crawls(motion); !why.empty()) {
    end(motion, Status::gave_up, std::move(why));
    return true;
  }

  const double due = next_due(motion);
  double h = 0;
  bool crossing = false;
  if (impl.passage.at_it) {
    // Away from a singular position that is passed.
    impl.passage.at_it = false;
    if (!leave_singular(motion, due - motion.state.time, h)) {
      follow_own_series(motion);
      end_singular(motion, impl.passage.rows, "the position is singular, and no way on from it could be proved");
      return true;
    }
  } else {
    // The series from here, and how far it is good.
    // Where coefficients are but rounding (what has all but come to rest) they say nothing of the step.
    const double least = guess_of_rounding * shortest_step(impl, motion.state.time);
    impl.series.take_roots_as_they_are();
    bool found = extend(impl.series, motion.state, part_for(impl.tolerance), due - motion.state.time, least, h);
    // A guess of rounding may be the truth: right behind the place where a power begins steps are short, and grow.
    found = found || extend(impl.series, motion.state, part_for(impl.tolerance), due - motion.state.time, 0, h);
    const std::string obstacle = found ? "" : impl.series.obstacle();
    for (const double part : soon_at_zero)
      found = found || extend_with_roots(motion, part, due - motion.state.time, least, h);
    if (!found) {
      impl.series.take_roots_as_they_are();
      if (pass_meeting(motion, due)) return true;
      lead_nowhere(motion, "the accelerations are not finite: look at " + obstacle);
      return true;
    }
    if (entered(motion) || leaves_from_roots(motion)) return true;
    // Up to a singular position that is passed; there every condition counts.
    crossing = approach_singular(motion, due - motion.state.time, h);
    if (crossing && !impl.far.rows.empty()) {
      follow_own_series(motion);
      watch_everything(motion);
      static_cast<void>(project(motion));
      return advance(motion);
    }
  }
  // From here on all lengths are in the unit of time of the series.
  double u = impl.series.unit();
  double gap = (due - motion.state.time) / u;
  double shortest = shortest_step(impl, motion.state.time) / u;
  if (!impl.passage.followed) {
    // The same proved for the functions themselves, over the whole step.
    Series::Proof proof = impl.series.prove(h, gap, defect_for(impl.tolerance), impl.tolerance);
    const auto again = [&] {
      u = impl.series.unit();
      gap = (due - motion.state.time) / u;
      shortest = shortest_step(impl, motion.state.time) / u;
      proof = impl.series.prove(h, gap, defect_for(impl.tolerance), impl.tolerance);
    };
    const auto leads_nowhere = [&] { return !(proof.length > shortest) && gap > shortest; };
    if (leads_nowhere() && extend(impl.series, motion.state, part_for(impl.tolerance), due - motion.state.time, 0, h)) {
      again();
    }
    for (const double part : soon_at_zero) {
      if (!leads_nowhere()) break;
      if (extend_with_roots(motion, part, due - motion.state.time, 0, h)) again();
    }
    h = proof.length;
    motion.defect = std::max(motion.defect, h > shortest ? proof.defect : 0.0);
  }
  if (!(h > shortest) && gap > shortest) {
    follow_own_series(motion);
    const std::string obstacle = impl.series.obstacle();
    impl.series.take_roots_as_they_are();
    if (pass_meeting(motion, due)) return true;
    lead_nowhere(motion, "no step can be bounded any more: look at " + obstacle);
    return true;
  }
  // And the expressions beside the equations of motion.
  h = reach_of_switches(motion, h);
  if (!(h > shortest) && gap > shortest) {
    follow_own_series(motion);
    lead_nowhere(motion, "no step can be bounded any more: look at the expressions that switch or stop");
    return true;
  }
  // No further than what is known of the conditions left out.
  const double clear = reach_of_far(motion, h);
  const bool near_far = clear < h;
  h = clear;
  // Two points that pass through one another: begin anew just behind, where their distance grows again.
  const double branch = impl.series.branch(h);
  if (branch < h) h = std::min(h, branch * (1 + behind_a_branch) + behind_a_branch_of_step * h);

  // The first thing that happens.
  Happening found = first_happening(motion, h, impl.buffer);
  if (crossing && h >= impl.passage.ahead / u) close_at_position(h, found);
  double size_there = 0;
  const double nearer = crossing || impl.passage.followed ? never : nearer_place(motion, found, size_there);
  found.cut = std::min(found.cut, nearer);
  const FoundTurns turned = find_turns(motion, h);
  double s = std::min({h, found.at, found.cut, found.graze, found.stop, found.parts, turned.at, turned.cut});
  const double together = s + std::max(same_time_in_roundings * unit_rounding, impl.tolerance) * h;
  const bool scheduled = gap <= together;
  if (scheduled) s = gap;
  const bool arrives = crossing && impl.passage.ahead / u <= together;
  if (arrives) s = impl.passage.ahead / u;
  if (!keeps_what_is_implied(motion, s)) {
    follow_own_series(motion);
    end_singular(motion, dependent_rows(motion, nearly),
                 "the conditions held are dependent here, and the motion leaves this position in a way that their "
                 "gradients do not tell: the position is singular");
    return true;
  }
  std::uint32_t culprit = 0;
  const double vanishing = impl.passage.followed ? never : impl.series.vanishing(s, culprit);
  if (vanishing <= s) {
    go(motion, vanishing, motion.state.time + vanishing * u);
    end_singular(motion, {culprit},
                 "the gradient of " + model::row_name(impl.model, culprit) +
                     " vanishes or is not there: the position is singular");
    return true;
  }

  std::uint32_t light = 0;
  const double weightless = impl.series.weightless(s, light);
  if (weightless <= s) {
    go(motion, weightless, motion.state.time + weightless * u);
    end_singular(motion, {},
                 "the kinetic energy stops being positive for every velocity here, see " +
                     model::variable_name(impl.model, light));
    return true;
  }

  // Go there; all that lies within the resolution happens at once.
  const double from = motion.state.time;
  const double approach = impl.passage.followed ? 0.0 : impl.series.approach(s) * u;
  go_past_far(motion, s);
  go(motion, s, scheduled ? due : later(impl, from, s * u));
  if (s == nearer) impl.size[found.blurred_row] = size_there;
  if (scheduled) impl.carry_time = 0;
  const bool left = impl.passage.followed && !crossing;
  follow_own_series(motion);
  // Lengths of rows that were chosen at the position mean nothing.
  if (left && impl.passage.ahead == 0) impl.series.choose(impl.held_rows, impl.watched_rows);
  if (near_far && !(s < clear)) {
    expect_more(motion);
    look_around(motion);
  }
  bool asked = false;
  if (arrives) {
    const bool happens = found.at <= together || turned.at <= together || (scheduled && due < impl.until);
    const std::uint32_t letting_go = arrive_at_singular(motion);
    if (motion.status != Status::going) return true;
    // Where several contacts would carry forces beyond all bounds, and nothing but contacts, the instant tells which of them let go.
    const std::vector<std::uint32_t>& meet = impl.passage.rows;
    asked = letting_go == no_row && std::none_of(meet.begin(), meet.end(), [&](std::uint32_t row) {
              return model::is_equation(impl.model.row_kind[row]);
            });
    if (letting_go == no_row && !asked) {
      end_singular(motion, meet,
                   "the multipliers of several one-sided conditions grow beyond all bounds: the position is singular, "
                   "and which of them lets go is not decided");
      return true;
    }
    if (happens && letting_go < impl.model.rows()) {
      end_singular(motion, impl.passage.rows, dependent_as_something_happens);
      return true;
    }
    if (!happens && !asked) {
      pass_singular(motion, letting_go);
      if (motion.status != Status::going) return true;
      if (scheduled) end(motion, Status::finished, "");
      if (found.stop <= together) end(motion, Status::stopped, "");
      verify_end(motion);
      return true;
    }
  }
  if (!arrives && !project(motion)) {
    end(motion, Status::gave_up, "a condition or the kinetic energy has no finite value here");
    return true;
  }
  if (!arrives && impl.off > lost_length * whole_size(motion)) {
    end(motion, Status::gave_up, "the series has lost the conditions it should keep");
    return true;
  }
  if (!arrives && impl.series.nearly_singular()) {
    // The rest of the way is shorter than any step: straight on.
    if (approach > 0 && approach < straight_on * (impl.until - impl.model.simulation.start)) {
      motion.state.time += approach;
      for (std::size_t i = 0; i < motion.state.position.size(); ++i)
        motion.state.position[i] += approach * motion.state.velocity[i];
    }
    end_singular(motion, dependent_rows(motion, nearly),
                 "the conditions held have become dependent, or a gradient vanishes: the position is singular");
    return true;
  }
  Triggers triggers;
  triggers.scheduled = scheduled;
  if (found.at <= together) {
    for (const Happening::Crossing& one : found.crossings) {
      if (one.at <= together) (one.release ? triggers.releasing : triggers.closing).push_back(one.row);
    }
  }
  if (found.graze <= together) {
    for (const Happening::Crossing& one : found.grazes) {
      if (one.at <= together) triggers.grazing.push_back(one.row);
    }
  }
  triggers.stop = found.stop <= together;
  triggers.doubt = asked || found.parts <= together;
  for (const Turn& turn : turned.turns) {
    if (turn.at <= together) triggers.turns.push_back(turn);
  }
  for (const auto& [row, at] : turned.rows) {
    if (at <= together) triggers.alternatives.push_back(row);
  }

  // The instant: something closes, lets go, touches or is due.
  settle(motion, triggers, false);
  // Rows of the shock that contradict each other only because they depend on one another here.
  if (arrives && motion.status == Status::jammed) {
    motion.status = Status::going;
    end_singular(motion, impl.passage.rows, dependent_as_something_happens);
  }
  return true;
}

}  // namespace zwang::motion
