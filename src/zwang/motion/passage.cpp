/// The place of a singular position on a step, the combinations of rows that have no gradient there, and the way through.
#include "zwang/motion/passage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/switches.hpp"

namespace zwang::motion {

namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();

/// Rows held that might become dependent, at places along the series of a step. Only they are evaluated, and rows of the model that are asked for
/// besides.
class Lookout {
 public:
  Lookout(const Motion& motion, std::span<const std::uint32_t> numbers, std::span<const std::uint32_t> besides = {})
      : motion_(motion),
        impl_(*motion.impl),
        model_(impl_.model),
        scratch_(model::make_scratch(model_)),
        rows_(model::make_rows(model_)),
        state_(motion.state),
        mass_(mass_at(motion)),
        left_out_(model_.rows(), 1) {
    for (const std::uint32_t row : besides) left_out_[row] = 0;
    start_.push_back(0);
    for (const std::uint32_t j : numbers) {
      held_.push_back(impl_.held_rows[j].row);
      const std::uint32_t row = held_.back();
      left_out_[row] = 0;
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
        column_.push_back(model_.row_column[e]);
      start_.push_back(static_cast<std::uint32_t>(column_.size()));
    }
    entry_.resize(column_.size());
    weight_.resize(model_.variables);
    for (std::uint32_t i = 0; i < model_.variables; ++i) weight_[i] = 1 / std::sqrt(mass_.diagonal()[i]);
    const std::vector<std::uint8_t> shares(held_.size(), 0);
    factor_.shape({start_, column_, entry_}, mass_, shares);
    const std::vector<double> known = impl_.series.memory().row_length;
    for (const std::uint32_t j : numbers) length_.push_back(j < known.size() && known[j] > 0 ? known[j] : 1.0);
  }

  /// With the sizes of terms.
  void use(const model::State& state) {
    model::evaluate_rows_but(model_, state, left_out_, scratch_, rows_);
    take_gradients();
  }
  /// Polynomials of the positions from the present on, in powers of s, the time in this unit.
  void follow(std::span<const double> path, double unit) {
    path_ = path;
    unit_ = unit;
  }
  /// The state on them.
  const model::State& at(double s) {
    const std::size_t n = model_.variables;
    std::fill(state_.position.begin(), state_.position.end(), 0.0);
    std::fill(state_.velocity.begin(), state_.velocity.end(), 0.0);
    for (std::size_t k = path_.size() / n; k-- > 0;) {
      for (std::size_t i = 0; i < n; ++i) {
        state_.velocity[i] = state_.velocity[i] * s + state_.position[i];
        state_.position[i] = state_.position[i] * s + path_[k * n + i];
      }
    }
    for (double& v : state_.velocity) v /= unit_;
    state_.time = motion_.state.time + s * unit_;
    return state_;
  }
  /// To the state there, for its gradients.
  void go(double s) {
    model::evaluate_values_but(model_, at(s), left_out_, scratch_, rows_);
    take_gradients();
  }
  /// How far from dependent the rows are at s: the root of the least pivot, or of the shortest row's share of its length.
  double distance(double s) {
    go(s);
    for (const double g : entry_) {
      if (!std::isfinite(g)) return 0;
    }
    factor_.factor({start_, column_, entry_}, mass_);
    if (factor_.skipped_count() > 0) return 0;
    double least = factor_.least_pivot();
    for (std::size_t j = 0; j < held_.size(); ++j) {
      least = std::min(least, factor_.diagonal(j) / (length_[j] * length_[j]));
    }
    return std::sqrt(std::max(least, 0.0));
  }
  /// Does a row depend on those before it, where the distance was asked for last?
  [[nodiscard]] bool depends(std::size_t j) const { return factor_.skipped(j); }
  /// J in units of lengths and masses, one column per row; behind them one of length one in a direction of its own, so that gradients
  /// that are all but zero are not measured by themselves.
  [[nodiscard]] linear::Matrix transposed() const {
    linear::Matrix out(model_.variables + 1, held_.size() + 1);
    out(model_.variables, held_.size()) = 1;
    for (std::size_t j = 0; j < held_.size(); ++j) {
      for (std::uint32_t e = start_[j]; e < start_[j + 1]; ++e) {
        out(column_[e], j) = entry_[e] * weight_[column_[e]] / length_[j];
      }
    }
    return out;
  }
  /// y^T J.
  [[nodiscard]] std::vector<double> combine(const std::vector<double>& y) const {
    std::vector<double> out(model_.variables, 0.0);
    for (std::size_t j = 0; j < held_.size(); ++j) {
      for (std::uint32_t e = start_[j]; e < start_[j + 1]; ++e) {
        out[column_[e]] += y[j] * entry_[e] * weight_[column_[e]] / length_[j];
      }
    }
    return out;
  }
  /// The combination of length one that has the shortest gradient here.
  [[nodiscard]] std::vector<double> shortest() const {
    const linear::Matrix j = transposed();
    linear::Matrix gram(j.columns, j.columns);
    for (std::size_t a = 0; a < j.columns; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double sum = 0;
        for (std::size_t i = 0; i < j.rows; ++i) sum += j(i, a) * j(i, b);
        gram(a, b) = gram(b, a) = sum;
      }
    }
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(gram);
    return {eigen.vectors.entry.begin(), eigen.vectors.entry.begin() + static_cast<std::ptrdiff_t>(held_.size())};
  }
  [[nodiscard]] double length(std::size_t j) const { return length_[j]; }
  [[nodiscard]] const model::Rows& rows() const { return rows_; }

 private:
  void take_gradients() {
    std::size_t to = 0;
    for (const std::uint32_t row : held_) {
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) entry_[to++] = rows_.entry[e];
    }
  }

  const Motion& motion_;
  const Motion::Impl& impl_;
  const model::Model& model_;
  std::span<const double> path_;
  double unit_ = 1;
  model::Scratch scratch_;
  model::Rows rows_;
  model::State state_;
  linear::Mass mass_;
  std::vector<std::uint8_t> left_out_;  ///< by row of the model
  linear::GramFactor factor_;
  std::vector<std::uint32_t> held_, start_, column_;
  std::vector<double> entry_, weight_, length_;
};

/// The zero of the shortest combination by Newton's rule from s on; infinity if it has none within (low, high).
double sharpen(Lookout& lookout, double s, double low, double high) {
  // |w|^2 of w = y^T J is m^2 + c^2 (s - s*)^2 there, m what rounding on the way and lengths that do not quite close leave, and its
  // rate is 2 w.w' (what w' has besides belongs to the other rows, and y follows there). Away from s* c is w.w'/|w|.
  const double beside = just_ahead * just_ahead * (high - low);
  double steepest = 0;
  double least = nowhere;
  double best = nowhere;
  for (int round = 0; round < rounds_of_newton; ++round) {
    lookout.go(s);
    const std::vector<double> y = lookout.shortest();
    const std::vector<double> w = lookout.combine(y);
    const double gradient = std::sqrt(dot(w, w));
    if (gradient < least) least = gradient, best = s;
    if (gradient <= roundings_of_a_combination * unit_rounding) break;
    lookout.go(s + beside);
    std::vector<double> rate = lookout.combine(y);
    lookout.go(s - beside);
    const std::vector<double> before = lookout.combine(y);
    for (std::size_t i = 0; i < rate.size(); ++i) rate[i] = (rate[i] - before[i]) / (2 * beside);
    const double falls = dot(w, rate);
    steepest = std::max(steepest, std::abs(falls) / gradient);
    const double change = -falls / (steepest * steepest);
    if (!(std::abs(change) < high - low)) return nowhere;
    s += change;
    if (std::abs(change) <= unit_rounding * std::abs(s)) break;
  }
  return least <= passed_together && best > low && best < high ? best : nowhere;
}

/// The zero of the shortest combination within [low, high]; infinity if it comes near and turns away.
double zero_of_combination(Lookout& lookout, double low, double high) {
  // Roughly by thirds: near a zero the distance falls and rises like |s - s*|.
  const double ends = std::max(lookout.distance(low), lookout.distance(high));
  double a = low;
  double b = high;
  for (int round = 0; round < rounds_of_thirds; ++round) {
    const double left = a + (b - a) / 3;
    const double right = b - (b - a) / 3;
    (lookout.distance(left) < lookout.distance(right) ? b : a) =
        lookout.distance(left) < lookout.distance(right) ? right : left;
    // Far less than at the ends: Newton's rule takes over. Not less although the place is narrow: it has a least value.
    const double here = lookout.distance(0.5 * (a + b));
    const double narrow = (b - a) / (high - low);
    if (here < near_enough_for_newton * ends) break;
    if (narrow < near_enough_for_newton * near_enough_for_newton && here > near_enough_for_newton * ends)
      return nowhere;
  }
  return sharpen(lookout, 0.5 * (a + b), low, high);
}

/// The same just before it. There the high coefficients of a series are but rounding, which has a pole at the position; the low ones
/// say where it is.
double place_ahead(Lookout& lookout, std::span<const double> path, double unit, double step) {
  lookout.follow(path, unit);
  const double here = lookout.distance(0);
  const double next = lookout.distance(just_ahead * step);
  if (!(next < here)) return nowhere;
  const double s = here * just_ahead * step / (here - next);
  return sharpen(lookout, s, 0, 2 * s);
}

/// The combinations of the rows `numbers` without gradient at a state, each led by another row; false if there is none.
bool find_combinations(Lookout& lookout, std::span<const std::uint32_t> numbers, const model::State& state,
                       std::vector<Series::Combination>& out) {
  lookout.use(state);
  linear::Matrix null = linear::null_space(lookout.transposed(), passed_together);
  --null.rows;
  for (std::size_t c = 0; c < null.columns; ++c) {
    for (std::size_t j = 0; j < null.rows; ++j) null.entry[c * null.rows + j] = null.entry[c * (null.rows + 1) + j];
  }
  out.clear();
  // To echelon form with the largest pivots.
  std::vector<std::size_t> leader;
  for (std::size_t c = 0; c < null.columns; ++c) {
    std::size_t best_column = c;
    std::size_t best_row = 0;
    for (std::size_t k = c; k < null.columns; ++k) {
      for (std::size_t j = 0; j < null.rows; ++j) {
        if (std::abs(null(j, k)) > std::abs(null(best_row, best_column))) best_row = j, best_column = k;
      }
    }
    for (std::size_t j = 0; j < null.rows; ++j) std::swap(null(j, c), null(j, best_column));
    leader.push_back(best_row);
    const double pivot = null(best_row, c);
    for (std::size_t j = 0; j < null.rows; ++j) null(j, c) /= pivot;
    for (std::size_t k = 0; k < null.columns; ++k) {
      if (k == c) continue;
      const double by = null(best_row, k);
      for (std::size_t j = 0; j < null.rows; ++j) null(j, k) -= by * null(j, c);
      null(best_row, k) = 0;
    }
  }
  for (std::size_t c = 0; c < null.columns; ++c) {
    Series::Combination one;
    for (std::size_t j = 0; j < null.rows; ++j) {
      if (std::abs(null(j, c)) < part_of_combination) continue;
      if (j == leader[c]) one.leader = one.rows.size();
      one.rows.push_back(numbers[j]);
      one.weights.push_back(null(j, c) / lookout.length(j));
    }
    out.push_back(std::move(one));
  }
  return !out.empty();
}

/// The numbers of the rows that may become dependent, without those that are so everywhere.
std::vector<std::uint32_t> rows_to_look_at(const Motion& motion, const std::vector<std::uint32_t>& idle) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t j : motion.impl->series.closed_loops()) {
    if (std::find(idle.begin(), idle.end(), j) == idle.end()) out.push_back(j);
  }
  return out;
}

/// The expansion about a position, in `passage.series` and this unit of time. `terms`: sizes of the rows' terms on the way there, by
/// row of the model; none: not looked at.
Series::Expansion expand_about(Motion& motion, Lookout& lookout, std::span<const std::uint32_t> numbers,
                               model::State& there, std::span<const double> terms, double unit) {
  Motion::Impl& impl = *motion.impl;
  Passage& passage = impl.passage;
  std::vector<Series::Combination> combinations;
  if (!find_combinations(lookout, numbers, there, combinations)) return Series::Expansion::none;
  // A combination whose f is not zero there is one of a motion that turns away just before.
  for (const Series::Combination& one : combinations) {
    double value = 0;
    double size = 0;
    for (std::size_t p = 0; p < one.rows.size(); ++p) {
      const std::uint32_t row = impl.held_rows[one.rows[p]].row;
      if (!model::is_holonomic(impl.model.row_kind[row])) continue;
      value += one.weights[p] * lookout.rows().value[row];
      size += terms.empty() ? 0.0 : std::abs(one.weights[p]) * std::max(terms[row], lookout.rows().value_scale[row]);
    }
    if (!terms.empty() && std::abs(value) > impl.model.simulation.touch * size) return Series::Expansion::none;
  }
  if (passage.series == nullptr) {
    passage.series = std::make_unique<Series>(impl.model, impl.series.order() + 1);
    passage.series->make_plain();
  }
  passage.series->choose(impl.held_rows, impl.watched_rows);
  passage.series->slide(slides_of(impl.model, impl.switches));
  passage.rows.clear();
  for (const Series::Combination& one : combinations) {
    for (const std::uint32_t j : one.rows) passage.rows.push_back(impl.held_rows[j].row);
  }
  std::sort(passage.rows.begin(), passage.rows.end());
  passage.rows.erase(std::unique(passage.rows.begin(), passage.rows.end()), passage.rows.end());
  passage.series->measure_time_in(unit);
  return passage.series->expand(there, combinations, passage.idle);
}

/// The same in a unit of time that suits it, looked for from `unit` on.
bool expand_from(Motion& motion, Lookout& lookout, std::span<const std::uint32_t> numbers, model::State& there,
                 double unit) {
  const Motion::Impl& impl = *motion.impl;
  const model::State given = there;
  for (int round = 0; round <= most_units; ++round) {
    there = given;
    const Series::Expansion found = expand_about(motion, lookout, numbers, there, {}, unit);
    if (found == Series::Expansion::none) return false;
    double reach = shortest_in_units;
    if (found == Series::Expansion::found) {
      const double left = (impl.until - motion.state.time) / unit;
      reach = std::min(impl.passage.series->reach_of_motion(impl.tolerance), left);
      const bool suits = reach >= shortest_in_units && reach <= longest_in_units;
      if (suits || !(reach > 0) || round == most_units) return true;
    }
    unit *= std::ldexp(1.0, std::ilogb(reach));
  }
  return false;
}

/// How far on both sides the expansion is proved, if as far as the way there; 0 if not.
double prove_expansion(Motion& motion, double way) {
  Motion::Impl& impl = *motion.impl;
  const Series::Proof proof =
      impl.passage.series->prove_arc({.least = way,
                                      .most = (impl.until - motion.state.time) / impl.passage.series->unit(),
                                      .part = defect_for(impl.tolerance),
                                      .tolerance = impl.tolerance,
                                      .touch = impl.model.simulation.touch});
  impl.passage.defect = proof.defect;
  return proof.length;
}

/// By how much a state differs from that of the motion, as a part of the largest places and speeds, s seconds of them.
double difference(const Motion& motion, const model::State& other, double s) {
  double place = 0;
  double speed = 0;
  double off_place = 0;
  double off_speed = 0;
  for (std::size_t i = 0; i < motion.state.position.size(); ++i) {
    place = std::max(place, std::abs(motion.state.position[i]));
    speed = std::max(speed, std::abs(motion.state.velocity[i]));
    off_place = std::max(off_place, std::abs(other.position[i] - motion.state.position[i]));
    off_speed = std::max(off_speed, std::abs(other.velocity[i] - motion.state.velocity[i]));
  }
  return std::max(off_place / (place + s * speed), off_speed / (speed + place / s));
}

/// Do these rows, that let go by the accelerations of the instant, do so by those of the motion about the position? The rows that are independent
/// there leave more freedom than there is, so that the former need not be true.
bool lets_go(const Series& series, const Lookout& lookout, const model::Model& model,
             std::span<const std::uint32_t> rows) {
  const std::size_t n = model.variables;
  const double per_square = 2 / (series.unit() * series.unit());
  const std::span<const double> q = series.position();
  return std::all_of(rows.begin(), rows.end(), [&](std::uint32_t row) {
    double second = lookout.rows().curvature[row];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      second += lookout.rows().entry[e] * per_square * q[2 * n + model.row_column[e]];
    return second < 0;
  });
}

/// Do all rows held together have less rank at the position than on the way there? Not where others of them say the same as those that were left
/// out on the way, as of two wheels on one axle that has turned into the direction of one of their conditions: nothing is singular about that.
bool all_lose_rank(const Motion& motion) {
  const Passage& passage = motion.impl->passage;
  std::vector<std::uint32_t> numbers(motion.impl->held_rows.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  Lookout lookout(motion, numbers);
  lookout.use(passage.there);
  return linear::null_space(lookout.transposed(), passed_together).columns > passage.idle.size();
}

void change_places(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  std::swap(impl.series, *impl.passage.series);
  impl.passage.followed = !impl.passage.followed;
}

}  // namespace

bool approach_singular(Motion& motion, double gap, double& h) {
  Motion::Impl& impl = *motion.impl;
  Passage& passage = impl.passage;
  const std::span<const std::uint32_t> loops = impl.series.closed_loops();
  if (loops.empty() || loops.size() > most_rows_passed) return false;
  const double u = impl.series.unit();
  const double far = std::min(impl.series.reach_of_motion(rough_place), gap / u * (1 + just_ahead));
  if (!(far > 0) || !std::isfinite(far)) return false;
  // Mostly there is nothing to be feared.
  if (impl.series.plainly_apart(far, close_to_position)) return false;
  passage.idle.clear();
  for (std::uint32_t j = 0; j < impl.held_rows.size(); ++j) {
    if (impl.series.skipped(j)) passage.idle.push_back(j);
  }
  if (passage.idle.size() > impl.settled_skips) return false;
  const std::vector<std::uint32_t> numbers = rows_to_look_at(motion, passage.idle);
  if (numbers.empty()) return false;

  // The place, roughly, on the series that leads there: its velocities are good beyond, where its multipliers are not.
  // A position at the very end is reached, one just behind it is not.
  const double last = (gap + resolution(motion.state.time + gap)) / u;
  double after = 0;
  double low = 0;
  double high = 0;
  bool narrow = impl.series.narrow_place(far, after, low, high);
  if (!narrow && !impl.series.close_to_dependent(close_to_position)) return false;
  Lookout lookout(motion, numbers);
  lookout.follow(impl.series.position(), u);
  double s = nowhere;
  for (; narrow && !(s < nowhere); narrow = !(s < nowhere) && impl.series.narrow_place(far, after, low, high)) {
    s = zero_of_combination(lookout, low, high);
  }
  if (!(s < nowhere)) {
    if (!impl.series.close_to_dependent(close_to_position)) return false;
    s = place_ahead(lookout, impl.series.position().first((order_of_place + 1) * impl.model.variables), u, far);
  }
  if (!(s <= last)) return false;
  lookout.use(motion.state);
  const std::vector<double> terms = lookout.rows().value_scale;

  // The motion about it that leads through the present state: what it misses that by is added to it, and the place is found anew.
  std::vector<double> path;
  double off = nowhere;
  const std::size_t n = impl.model.variables;
  for (int round = 0; round < rounds_onto_motion; ++round) {
    model::State there = lookout.at(s);
    if (expand_about(motion, lookout, numbers, there, terms, u) != Series::Expansion::found) return false;
    model::State here = there;
    passage.series->look_from(s, here);
    const double now = difference(motion, here, s * u);
    if (!(now < 0.5 * off)) break;
    off = now;
    passage.there = there;
    passage.ahead = s * u;
    if (off < unit_rounding) break;
    path.assign(passage.series->position().begin(), passage.series->position().end());
    for (std::size_t i = 0; i < n; ++i) {
      path[i] += motion.state.position[i] - here.position[i];
      path[n + i] += u * (motion.state.velocity[i] - here.velocity[i]);
    }
    lookout.follow(path, u);
    const double again = sharpen(lookout, s, 0, 2 * s);
    if (!(again < far)) break;
    s = again;
  }
  passage.pivot = impl.series.least_pivot();
  const double allowed = std::max(impl.tolerance, roundings_of_a_state * unit_rounding / passage.pivot);
  if (!(off <= allowed)) return false;
  model::State there = passage.there;
  if (expand_about(motion, lookout, numbers, there, terms, u) != Series::Expansion::found) return false;
  s = passage.ahead / u;
  if (s > last) return false;
  if (!(prove_expansion(motion, s) >= s)) return false;
  passage.series->look_from(s, there);
  change_places(motion);
  motion.defect = std::max(motion.defect, passage.defect);
  h = impl.series.prove_watched(s, impl.tolerance);
  return true;
}

double time_in_doubt(const Motion& motion) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const model::State& there = impl.passage.there;
  double size = 0;
  double speed = 0;
  for (const std::uint32_t row : impl.passage.rows) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      size = std::max(size, impl.series.body_size(i, there.position));
      speed = std::max(speed, std::abs(there.velocity[i]));
    }
  }
  return speed > 0 ? part_in_doubt(impl.passage.pivot) * size / speed : 0.0;
}

bool leads_on(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  Passage& passage = impl.passage;
  const model::Model& model = impl.model;
  std::vector<HeldRow> held;
  std::vector<std::uint32_t> leaving;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const instant::Role role = impl.instant.role[row];
    if (role == instant::Role::equation || role == instant::Role::binding) held.push_back({row, false});
    if (role == instant::Role::leaving && model::is_holonomic(model.row_kind[row])) leaving.push_back(row);
    // Which way those go that neither press nor leave is not decided here.
    if (role == instant::Role::marginal) return false;
  }
  if (held.empty() || held.size() > most_rows_passed) return false;
  const std::vector<HeldRow> held_before = std::exchange(impl.held_rows, held);
  const std::vector<std::uint32_t> watched_before = std::exchange(impl.watched_rows, {});
  impl.series.choose(impl.held_rows, impl.watched_rows);
  passage.idle.clear();
  passage.ahead = 0;
  passage.unit = impl.series.unit();
  std::vector<std::uint32_t> numbers(held.size());
  for (std::uint32_t j = 0; j < numbers.size(); ++j) numbers[j] = j;
  model::State there = motion.state;
  Lookout lookout(motion, numbers, leaving);
  passage.at_it = expand_from(motion, lookout, numbers, there, passage.unit) && prove_expansion(motion, 0) > 0 &&
                  lets_go(*passage.series, lookout, model, leaving);
  // The rows of this instant are chosen anew.
  impl.held_rows = held_before;
  impl.watched_rows = watched_before;
  impl.series.choose(impl.held_rows, impl.watched_rows);
  return passage.at_it;
}

bool leave_singular(Motion& motion, double gap, double& h) {
  Motion::Impl& impl = *motion.impl;
  Passage& passage = impl.passage;
  model::State there = motion.state;
  const std::vector<std::uint32_t> numbers = rows_to_look_at(motion, passage.idle);
  Lookout lookout(motion, numbers);
  // As on the way there, where there was one.
  const double near = passage.ahead > 0 ? std::ldexp(1.0, std::ilogb(passage.ahead)) : passage.unit;
  if (!expand_from(motion, lookout, numbers, there, near)) return false;
  const double u = passage.series->unit();
  const double length = prove_expansion(motion, passage.ahead / u);
  if (!(length > 0)) return false;
  motion.state.velocity = there.velocity;
  passage.series->look_from(0, there);
  change_places(motion);
  motion.defect = std::max(motion.defect, passage.defect);
  h = impl.series.prove_watched(std::min(length, gap / u), impl.tolerance);
  return true;
}

void follow_own_series(Motion& motion) {
  if (motion.impl->passage.followed) change_places(motion);
}

std::uint32_t arrive_at_singular(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  Passage& passage = impl.passage;
  // Exactly there: the way on is expanded about this state.
  motion.state = passage.there;
  std::fill(impl.carry_position.begin(), impl.carry_position.end(), 0.0);
  std::fill(impl.carry_velocity.begin(), impl.carry_velocity.end(), 0.0);
  impl.carry_time = 0;
  const instant::RowSet closed(impl.model.rows(), motion.held);
  estimate_uncertainty(motion, closed, closed);
  const std::vector<double> off = doubt_of_rows(motion, passage.rows, part_in_doubt(passage.pivot));
  for (std::size_t i = 0; i < off.size(); ++i) motion.state.position_uncertainty[i] += off[i];
  impl.raw = motion.state;
  impl.raw_carry_position = impl.carry_position;
  impl.raw_carry_velocity = impl.carry_velocity;

  // An inequality whose multiplier goes through infinity there lets go.
  std::vector<std::uint32_t> pulled;
  for (std::uint32_t j = 0; j < impl.held_rows.size(); ++j) {
    const std::uint32_t row = impl.held_rows[j].row;
    if (!model::is_equation(impl.model.row_kind[row]) && passage.series->has_pole(j)) pulled.push_back(row);
  }
  if (pulled.size() > 1) return no_row;
  return pulled.empty() ? impl.model.rows() : pulled.front();
}

void pass_singular(Motion& motion, std::uint32_t letting_go) {
  Passage& passage = motion.impl->passage;
  passage.at_it = letting_go == motion.impl->model.rows();
  if (passage.at_it) {
    if (all_lose_rank(motion)) list_singular(motion, passage.rows);
  } else {
    release_at_pole(motion, letting_go, passage.rows);
  }
}

bool stays_in_position(const Motion& motion, double s) {
  const Motion::Impl& impl = *motion.impl;
  std::vector<std::uint32_t> numbers(impl.held_rows.size());
  for (std::uint32_t j = 0; j < numbers.size(); ++j) numbers[j] = j;
  Lookout lookout(motion, numbers);
  lookout.follow(impl.series.position(), impl.series.unit());
  static_cast<void>(lookout.distance(s));
  return std::all_of(numbers.begin(), numbers.end(), [&](std::uint32_t j) {
    const std::uint32_t row = impl.held_rows[j].row;
    return impl.standing[row] != Standing::implied || !model::is_equation(impl.model.row_kind[row]) ||
           lookout.depends(j);
  });
}

bool gives_accelerations(Motion& motion) {
  Motion::Impl& impl = *motion.impl;
  if (!impl.series.extend(motion.state)) return false;
  const std::size_t n = impl.model.variables;
  const double u = impl.series.unit();
  const std::span<const double> q = impl.series.position();
  double size = 0;
  double off = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = impl.series.root_mass(i);
    const double found = impl.instant.accelerations[i];
    size = std::max(size, weight * (std::abs(found) + std::abs(impl.instant.free[i])));
    off = std::max(off, weight * std::abs(2 * q[2 * n + i] / (u * u) - found));
  }
  return off <= same_accelerations * size;
}

}  // namespace zwang::motion
