/// One step: smooth part, positions, shock.
#include "zwang/stepping/course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/lanes.hpp"
#include "zwang/motion/row_shape.hpp"
#include "zwang/stepping/scales.hpp"
#include "zwang/stepping/tolerances.hpp"

namespace zwang::stepping {

using motion::Status;

namespace {

/// A few names, and how many more there are.
std::string names_of(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t k = 0; k < std::min(rows.size(), most); ++k) {
    text += (k > 0 ? ", " : "") + model::row_name(model, rows[k]);
  }
  return rows.size() > most ? fmt::format("{} and {} more", text, rows.size() - most) : text;
}

/// sum g_i v_i of a row.
double along(const model::Model& model, const model::Rows& rows, std::uint32_t row, const std::vector<double>& v) {
  double sum = 0;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
    sum += rows.entry[e] * v[model.row_column[e]];
  return sum;
}

/// sum |g_i v_i| + |f_t|.
double terms_of_rate(const model::Model& model, const model::Rows& rows, std::uint32_t row,
                     const std::vector<double>& v) {
  double sum = std::abs(rows.explicit_rate[row]);
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
    sum += std::abs(rows.entry[e] * v[model.row_column[e]]);
  return sum;
}

/// v^T M v / 2.
double half_square(const linear::Mass& mass, const std::vector<double>& v, std::vector<double>& scratch) {
  scratch.resize(v.size());
  mass.multiply(v, scratch);
  return dot(v, scratch) / 2;
}

}  // namespace

Course::Course(const model::Model& model, double end, double length)
    : until(end),
      step(length),
      model_(model),
      scratch_(model::make_scratch(model)),
      dynamics_(model::make_dynamics(model)),
      rows_(model::make_rows(model)),
      rows_mid_(model::make_rows(model)) {
  steady_forces_ = model.terms.empty();
  forces_by_velocity_ = false;
  has_time_ = false;
  for (std::uint32_t k = 0; k < model.terms.size(); ++k) {
    const model::TermGroup& term = model.terms[k];
    if (term.kind == model::TermKind::force) force_terms_.push_back(k);
    const bool moving_mass = term.kind == model::TermKind::kinetic && (term.positions > 0 || term.uses_time);
    forces_by_velocity_ = forces_by_velocity_ || term.uses_velocity || moving_mass;
    has_time_ = has_time_ || (term.uses_time && term.kind != model::TermKind::force);
    registers_.resize(std::max(registers_.size(), term.tape.registers()));
  }
  for (const model::Observable& truth : model.truths)
    registers_.resize(std::max(registers_.size(), truth.term.tape.registers()));
  for (const model::Body& body : model.bodies) {
    if (!body.turns()) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member)
      quaternions_.push_back(body.first + member * body.dimension + body.place());
  }
  has_alternatives_ = std::any_of(model.conditions.begin(), model.conditions.end(),
                                  [](const model::Condition& one) { return one.alternatives > 1; });
  const std::size_t rows = model.rows();
  tolerance_.assign(rows, 0.0);
  band_.assign(rows, 0.0);
  beside_.assign(rows, 0);
  entered_.assign(rows, 0);
  settled_.assign(has_alternatives_ ? rows : 0, 0U);
  left_out_.assign(rows, 1);
  bounded_.assign(rows, 0);
  for (const model::RowGroup& group : model.groups) {
    const bool bounded =
        group.holonomic && !group.rheonomic && group.corners.empty() && motion::make_shape(group).steady;
    for (const std::uint32_t row : group.row) {
      const model::Condition& condition = model.conditions[model.row_condition[row]];
      const bool open = model.row_kind[row] == model::RowKind::holonomic_inequality && condition.alternatives < 2;
      bounded_[row] = bounded && open ? 1 : 0;
    }
  }
  solids_ = solid_pairs(model);
  tip_.assign(rows, 0.0);
  for (const SolidPair& pair : solids_) {
    const double reach = pair.a.reach + pair.b.reach;
    for (std::uint32_t row = pair.row; row < pair.behind; ++row)
      tip_[row] = (pair.in_space ? deepest_tip : tip_in_the_plane) * reach;
  }
  seized_now_.assign(rows, 0);
  now.held.assign(rows, 0);
  now.impulse.assign(rows, 0.0);
  now.touches.assign(rows, 0);
  now.absent.assign(rows, 0);
  now.far.assign(rows, 0);
  now.rate.assign(rows, std::numeric_limits<double>::infinity());
  now.value.assign(rows, std::numeric_limits<double>::infinity());
  now.late.assign(model.variables, 0.0);
  now.released.assign(model.releases.size(), 0);
  now.state = model::initial_state(model);
  now.state.position_uncertainty.clear();
  now.state.velocity_uncertainty.clear();
  free_.assign(model.variables, 0.0);
  pull_.assign(model.variables, 0.0);
  change_.assign(model.variables, 0.0);
  arriving_ = now.state.velocity;
  before_ = mid_ = now.state;

  // How near counts as touching, by the terms of every condition at the start.
  model::State start = now.state;
  find_modes(start);
  model::evaluate_rows(model, start, scratch_, rows_);
  const std::vector<double> beside = lengths_beside(model, rows_);
  const std::vector<double> levers = levers_of(model, rows_);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double own = std::isfinite(rows_.value_scale[row]) ? rows_.value_scale[row] : 0.0;
    const double size = std::max({own, terms_beside * beside[row], levers[row]});
    tolerance_[row] = std::max(model.simulation.touch * size, std::numeric_limits<double>::min());
    const bool several = model.conditions[model.row_condition[row]].alternatives > 1;
    band_[row] = std::max((several ? touching_band_of_several : touching_band) * size, tolerance_[row]);
  }
  if (steady_forces_) {
    model::evaluate_dynamics(model, start, scratch_, dynamics_);
    dynamics_.mass.solve(dynamics_.force, pull_);
  }
}

void Course::join(const Course& other) {
  now = other.now;
  take_up();
  now.penetration = 0;
}

void Course::end(Status status, std::string why, std::vector<std::uint32_t> culprits) {
  now.status = status;
  now.why = std::move(why);
  now.culprits = std::move(culprits);
}

/// A problem without an answer: contradictory with its proof, or given up.
void Course::end_contradictory(const Selection& selection, const Nearest& nearest, gauss::Status status,
                               const char* what) {
  std::vector<std::uint32_t> culprits;
  if (status == gauss::Status::infeasible) {
    for (std::size_t j = 0; j < nearest.farkas().size(); ++j) {
      if (nearest.farkas()[j] != 0) culprits.push_back(selection.row[j]);
    }
    const std::string names = names_of(model_, culprits);
    end(Status::jammed, fmt::format("no {} satisfies {} together", what, names), std::move(culprits));
  } else {
    end(Status::gave_up, fmt::format("the nearest {} of a step could not be computed to the digits it needs", what));
  }
}

double Course::next_time() const {
  const double start = model_.simulation.start;
  const double count = std::floor((now.state.time - start) / step + same_time) + 1;
  const double time = start + count * step;
  return time >= until - same_time * step ? until : time;
}

/// On which side of every corner the state is.
void Course::find_modes(model::State& state) const {
  if (model_.switches == 0) return;
  std::vector<expressions::Side> sides = model::sides_of(model_, state);
  for (std::size_t k = 0; k < model_.releases.size(); ++k) {
    if (now.released[k] == 0) continue;
    for (const std::uint32_t spring : model_.releases[k].springs) {
      for (const std::uint32_t number : model_.springs[spring].switches) sides[number] = 0;
    }
  }
  state.modes = model::modes_of(model_, sides);
}

void Course::evaluate(model::State& state, model::Rows& rows, std::span<const std::uint8_t> left_out) {
  find_modes(state);
  model::evaluate_values_but(model_, state, left_out, scratch_, rows);
}

/// The way of the body that moved most since the way was accounted for.
double Course::way_since() const {
  double most = 0;
  for (const model::Body& body : model_.bodies) {
    const std::uint32_t end = body.first + body.members() * body.dimension;
    for (std::uint32_t first = body.first; first < end; first += body.dimension) {
      double square = 0;
      for (std::uint32_t i = first; i < first + body.dimension; ++i) {
        const double by = now.state.position[i] - looked_from_[i];
        square += by * by;
      }
      most = std::max(most, square);
    }
  }
  return std::sqrt(most);
}

/// The way that every body must make before an open row can be touched: -f over the sum of the lengths of its gradient by one body each.
double Course::reach_of(std::uint32_t row) const {
  double sum = 0;
  double square = 0;
  std::size_t body = 0;
  std::uint32_t member_end = 0;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    if (i >= member_end) {
      sum += std::sqrt(square);
      square = 0;
      while (body + 1 < model_.bodies.size() && model_.bodies[body + 1].first <= i) ++body;
      const model::Body& one = model_.bodies[body];
      member_end = one.first + ((i - one.first) / one.dimension + 1) * one.dimension;
    }
    square += rows_.entry[e] * rows_.entry[e];
  }
  sum += std::sqrt(square);
  return sum > 0 ? (-rows_.value[row] - 2 * band_[row]) / sum : 0.0;
}

/// All conditions have been evaluated: those that some steps more cannot reach are left out of the next.
void Course::look_around() {
  const double margin = steps_between_looks * now.pace;
  now.look_again = now.travelled + margin;
  near_.clear();
  bool far = false;
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    now.far[row] = 0;
    if (bounded_[row] != 0) {
      const double reach = reach_of(row);
      if (reach > margin && margin > 0) {
        now.far[row] = 1;
        now.look_again = far ? std::min(now.look_again, now.travelled + reach) : now.travelled + reach;
        far = true;
        now.touches[row] = 0;
        now.held[row] = 0;
        now.rate[row] = std::numeric_limits<double>::infinity();  // not known
        left_out_[row] = 1;
        continue;
      }
    }
    near_.push_back(row);
  }
}

/// The rows at the present positions: those that are near, or all of them where the bodies have come too far since they were looked at.
void Course::look() {
  now.travelled += way_since();
  looked_from_ = now.state.position;
  if (now.travelled < now.look_again) {
    evaluate(now.state, rows_, now.far);
    return;
  }
  evaluate(now.state, rows_, {});
  look_around();
}

void Course::take_up() {
  looked_from_ = now.state.position;
  near_.clear();
  std::fill(left_out_.begin(), left_out_.end(), std::uint8_t{1});
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (now.far[row] == 0) near_.push_back(row);
  }
}

/// W X at a state, and the masses.
void Course::find_forces(const model::State& state) {
  if (steady_forces_) return;
  model::evaluate_dynamics(model_, state, scratch_, dynamics_);
  dynamics_.mass.solve(dynamics_.force, pull_);
}

/// By how much a way along the gradient of one body changes f, at most: f over this is a length.
double Course::length_of(std::uint32_t row) const {
  double most = 0;
  std::size_t body = 0;
  double square = 0;
  std::uint32_t member_end = 0;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    if (i >= member_end) {
      square = 0;
      while (body + 1 < model_.bodies.size() && model_.bodies[body + 1].first <= i) ++body;
      const model::Body& one = model_.bodies[body];
      member_end = one.first + ((i - one.first) / one.dimension + 1) * one.dimension;
    }
    square += rows_.entry[e] * rows_.entry[e];
    most = std::max(most, square);
  }
  return most > 0 ? std::sqrt(most) : 1.0;
}

/// Quaternions of length one, and rates that keep it.
void Course::restore_quaternions() {
  for (const std::uint32_t first : quaternions_) {
    double* e = now.state.position.data() + first;
    double* rate = now.state.velocity.data() + first;
    const double length = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (unsigned k = 0; k < 4; ++k) e[k] /= length;
    const double along_it = e[0] * rate[0] + e[1] * rate[1] + e[2] * rate[2] + e[3] * rate[3];
    for (unsigned k = 0; k < 4; ++k) rate[k] -= along_it * e[k];
  }
}

// The smooth part.

/// What touches, but is open by more than its tolerance, may be approached as fast as closes the gap in a step: discs that sink between two others would hang on slopes that are
/// none.
double Course::gap_rate(std::uint32_t row, double value, double h) const {
  const bool gap = model_.row_kind[row] == model::RowKind::holonomic_inequality && value < -tolerance_[row];
  return gap && h > 0 ? value / h : 0.0;
}

/// Do rows carry far more than all there is to carry? Then they lean on one another across their slopes.
bool Course::is_wedged() {
  right_.resize(model_.variables);
  dynamics_.mass.multiply(free_, right_);
  double load = 0;
  for (std::uint32_t i = 0; i < model_.variables; ++i) load += std::abs(right_[i]);
  for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
    if (smooth_rows_.kind[j] == gauss::RowKind::equation) continue;
    double most = 0;
    for (std::uint32_t e = smooth_rows_.start[j]; e < smooth_rows_.start[j + 1]; ++e)
      most = std::max(most, std::abs(smooth_rows_.entry[e]));
    if (smooth_.impulses()[j] * most > wedged_by * load) return true;
  }
  return false;
}

/// What touches takes part with the mean of both velocities; a condition on velocities that is slack, with the last one.
void Course::select_smooth(double h) {
  smooth_rows_.clear();
  for (const std::uint32_t row : near_) {
    if (now.touches[row] == 0) continue;
    const model::RowKind kind = model_.row_kind[row];
    const double moving = rows_mid_.explicit_rate[row];
    const double first = along(model_, rows_mid_, row, before_.velocity) + moving;
    const bool equation = model::is_equation(kind);
    const bool slack = kind == model::RowKind::nonholonomic_inequality && first < 0;
    const double offset = slack ? moving : moving + first + 2 * gap_rate(row, now.value[row], h);
    smooth_rows_.add(model_, rows_mid_, row, equation, offset, now.held[row] != 0, now.impulse[row]);
  }
}

bool Course::smooth(double h) {
  // To the middle with the velocity there is.
  mid_.time = before_.time + h / 2;
  mid_.velocity = before_.velocity;
  for (std::uint32_t i = 0; i < model_.variables; ++i)
    mid_.position[i] = before_.position[i] + h / 2 * before_.velocity[i];
  for (const std::uint32_t row : near_) left_out_[row] = now.touches[row] == 0 ? 1 : 0;
  std::fill(settled_.begin(), settled_.end(), 0U);
  find_questions(now.value);
  for (const Question& one : questions_) {
    for (std::uint32_t row = one.first; row < one.behind; ++row) left_out_[row] = 0;
  }
  evaluate(mid_, rows_mid_, left_out_);
  ask_forces(h);
  select_smooth(h);

  // Forces that depend on the velocity are taken a second time, with the mean of both.
  const unsigned rounds = forces_by_velocity_ ? 2 : 1;
  for (unsigned round = 0; round < rounds; ++round) {
    find_forces(mid_);
    if (!dynamics_.mass_positive) {
      end(Status::gave_up, "the kinetic energy stops being positive for every velocity here, see " +
                               model::variable_words(model_, dynamics_.mass.weakest()));
      return false;
    }
    for (std::uint32_t i = 0; i < model_.variables; ++i) free_[i] = before_.velocity[i] + h * pull_[i];
    gauss::Status status = smooth_.solve(smooth_rows_, dynamics_.mass, free_);
    wedged_ = status == gauss::Status::solved && is_wedged();
    if (wedged_) {
      // Within their tolerance the surfaces give way.
      for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
        const bool gives = model_.row_kind[smooth_rows_.row[j]] == model::RowKind::holonomic_inequality;
        if (gives) smooth_rows_.h[j] -= 2 * half_tolerance * tolerance_[smooth_rows_.row[j]] / h;
      }
      status = smooth_.solve(smooth_rows_, dynamics_.mass, free_);
    }
    if (status != gauss::Status::solved) {
      end_contradictory(smooth_rows_, smooth_, status, "velocity");
      return false;
    }
    arriving_ = smooth_.point();
    if (round + 1 < rounds) {
      for (std::uint32_t i = 0; i < model_.variables; ++i) mid_.velocity[i] = (before_.velocity[i] + arriving_[i]) / 2;
    }
  }

  // The rows that carry, and what they carry.
  std::fill(now.held.begin(), now.held.end(), std::uint8_t{0});
  std::fill(now.impulse.begin(), now.impulse.end(), 0.0);
  for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
    const std::uint32_t row = smooth_rows_.row[j];
    now.held[row] = smooth_rows_.held[j];
    now.impulse[row] = smooth_.impulses()[j];
    const double power = now.impulse[row] * rows_mid_.explicit_rate[row];
    now.work += power;
    now.gross_work += std::abs(power);
  }
  return true;
}

// Positions.

/// How far a row is from where it should be: 0 if it is open.
double Course::off_by(std::uint32_t row) const {
  if (!is_in(row) || !model::is_holonomic(model_.row_kind[row])) return 0;
  const bool onto = model::is_equation(model_.row_kind[row]) || now.held[row] != 0 || entered_[row] != 0;
  return onto ? std::abs(rows_.value[row]) : std::max(rows_.value[row], 0.0);
}

/// With the gradients of the place itself, over all that is near: what carries is brought onto its surface, the rest is kept out of it. Where that
/// contradicts itself (more conditions carry than are independent) all are kept out alone; where they fill their room to rounding, to half of their tolerance.
bool Course::correct_fully(bool& loose, double deepest) {
  double room = 0;
  while (true) {
    position_rows_.clear();
    for (const std::uint32_t row : near_) {
      if (!is_in(row) || !model::is_holonomic(model_.row_kind[row])) continue;
      const bool equation = model::is_equation(model_.row_kind[row]);
      const bool leave = wedged_ && std::abs(rows_.value[row]) <= tolerance_[row];
      const double f = leave ? 0.0 : rows_.value[row];
      const bool onto = equation || ((now.held[row] != 0 || entered_[row] != 0) && !loose);
      if (!onto && entered_[row] == 0 && f < -band_[row] - around_depth * deepest * length_of(row)) continue;
      position_rows_.add(model_, rows_, row, onto, onto ? f : f - room * tolerance_[row], f > 0 || now.held[row] != 0);
    }
    change_.assign(model_.variables, 0.0);
    const gauss::Status status = position_.solve(position_rows_, dynamics_.mass, change_);
    if (status == gauss::Status::solved) {
      for (std::uint32_t i = 0; i < model_.variables; ++i) now.state.position[i] += position_.point()[i];
      // What had to be kept out touches now, and stays on its surface.
      for (std::size_t j = 0; j < position_rows_.size(); ++j) {
        if (position_rows_.held[j] != 0 && position_.impulses()[j] > 0) entered_[position_rows_.row[j]] = 1;
      }
      return true;
    }
    if (loose && room > 0) {
      end_contradictory(position_rows_, position_, status, "position");
      return false;
    }
    if (loose) room = half_tolerance;
    loose = true;
  }
}

/// The least way onto the conditions. `starting`: nothing is held yet, and what is broken by much is a mistake.
bool Course::correct_positions(bool starting) {
  bool loose = false;
  std::fill(entered_.begin(), entered_.end(), std::uint8_t{0});
  std::fill(settled_.begin(), settled_.end(), 0U);
  const unsigned rounds = quick_rounds + full_rounds;
  for (unsigned round = 0; round <= rounds; ++round) {
    restore_quaternions();
    look();
    choose_alternatives(!starting && round == 0);
    if (now.status != Status::going) return false;
    if (!all_finite(rows_.value)) {
      end(Status::gave_up, "a condition has no value here: numbers have run away; a shorter step may help");
      return false;
    }

    if (round == 0) {
      depth_ = rows_.value;
      uncorrected_ = now.state.position;
      if (!starting && !look_back()) return false;
      if (locating_) entry_part_ = first_entry();
      if (locating_ && entry_part_ < 1) return false;
    }

    // Where quick rounds did not suffice, terms may have grown since the start.
    if (round == quick_rounds) model::evaluate_rows_but(model_, now.state, now.far, scratch_, rows_);

    // Is all well?
    bool well = true;
    bool quick = !starting && round < quick_rounds && smooth_.can_correct();
    double deepest = 0;
    double drift = 0;
    std::vector<std::uint32_t> broken;
    for (const std::uint32_t row : near_) {
      const bool mild = loose && !model::is_equation(model_.row_kind[row]);
      const double by = mild && is_in(row) && model::is_holonomic(model_.row_kind[row])
                            ? std::max(rows_.value[row], 0.0)
                            : off_by(row);
      if (by == 0) continue;
      drift = std::max(drift, by / (tolerance_[row] / model_.simulation.touch));
      const double terms = round < quick_rounds ? 0.0 : rows_.value_scale[row];
      if (by <= std::max(tolerance_[row], model_.simulation.touch * terms)) continue;
      well = false;
      deepest = std::max(deepest, by / length_of(row));
      if (now.held[row] == 0) quick = false;
      if (round >= quick_rounds / 2 || round == rounds) broken.push_back(row);
    }
    if (well && !starting && has_jumped()) return false;
    if (well) {
      now.position_drift = std::max(now.position_drift, drift);
      return true;
    }
    if (round == rounds) {
      end(Status::gave_up,
          fmt::format("positions could not be brought back onto {}; a shorter step may help", names_of(model_, broken)),
          broken);
      return false;
    }
    if (quick) {
      right_.assign(smooth_rows_.size(), 0.0);
      for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
        const std::uint32_t row = smooth_rows_.row[j];
        const bool leave = wedged_ && std::abs(rows_.value[row]) <= tolerance_[row];
        if (model::is_holonomic(model_.row_kind[row]) && is_in(row) && !leave) right_[j] = rows_.value[row];
      }
      smooth_.correct(right_, now.state.position);
    } else if (!correct_fully(loose, deepest)) {
      return false;
    }
  }
  return true;
}

/// Equations that begin: where they are broken by more than the way since their time, they do not hold.
void Course::begin_seizures(double h) {
  std::fill(seized_now_.begin(), seized_now_.end(), std::uint8_t{0});
  for (const model::Condition& condition : model_.conditions) {
    if (!condition.seizure || now.absent[condition.first_row] != 1) continue;
    if (condition.at > now.state.time + same_time * step) continue;
    for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row) {
      now.absent[row] = 0;
      seized_now_[row] = 1;
      model::evaluate_row(model_, now.state, row, scratch_, rows_);
      if (!model::is_holonomic(model_.row_kind[row])) continue;
      const double allowed =
          late_by_steps * h * std::abs(rows_.rate[row]) + rough_start * tolerance_[row] / model_.simulation.touch;
      if (std::abs(rows_.value[row]) <= allowed) continue;
      end(Status::inadmissible,
          fmt::format("{} does not hold at t = {}, when it begins: it is off by {}", model::row_name(model_, row),
                      readable(now.state.time), readable(rows_.value[row])),
          {row});
      return;
    }
  }
}

// The shock.

/// Without a shock: what the turning of the surfaces since the middle has left. What lies at rest is as fast as the forces would make it in the step: rounding of
/// its velocities is no rate, or rows across the forces would be corrected for ever.
void Course::correct_velocities() {
  double fastest = std::max(largest(now.state.velocity), std::abs(now.last_step) * largest(pull_));
  if (fastest == 0) fastest = 1;
  const double before = half_square(dynamics_.mass, now.state.velocity, right_);
  double work = 0;
  bool turned = false;
  for (unsigned round = 0; round < velocity_rounds; ++round) {
    right_.assign(smooth_rows_.size(), 0.0);
    double worst = 0;
    for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
      const std::uint32_t row = smooth_rows_.row[j];
      if (smooth_rows_.held[j] == 0 || !is_in(row)) continue;
      right_[j] = along(model_, rows_, row, now.state.velocity) + rows_.explicit_rate[row];
      // Beside rest, by what the forces make in the step.
      double terms = std::abs(rows_.explicit_rate[row]) + std::abs(now.last_step * along(model_, rows_, row, pull_));
      for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e)
        terms += fastest * std::abs(rows_.entry[e]);
      if (terms > 0) worst = std::max(worst, std::abs(right_[j]) / terms);
      turned =
          turned || (model_.groups[model_.row_group[row]].rheonomic && std::abs(right_[j]) > turned_at_once * terms);
    }
    if (worst <= rate_left) break;
    if (round + 1 == velocity_rounds) now.velocity_drift = std::max(now.velocity_drift, worst);
    smooth_.correct(right_, now.state.velocity);
    ++velocity_corrections_;
    // They belong to what the step has carried.
    for (std::size_t j = 0; j < smooth_rows_.size(); ++j) {
      const std::uint32_t row = smooth_rows_.row[j];
      if (smooth_rows_.held[j] == 0) continue;
      now.impulse[row] += right_[j];
      work += right_[j] * rows_.explicit_rate[row];
    }
  }
  now.work += work;
  // Where a moving condition turns at once, the correction is a shock, and loses its energy.
  if (turned) now.lost += before + work - half_square(dynamics_.mass, now.state.velocity, right_);
}

/// How fast the forces on its bodies change a rate, whatever their direction: beside bodies that gravity presses down, what rounding makes of velocities across it is
/// no approach.
double Course::most_pull(std::uint32_t row) const {
  double sum = 0;
  std::size_t body = 0;
  std::uint32_t member_end = 0;
  double most = 0;
  for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
    const std::uint32_t i = model_.row_column[e];
    if (i >= member_end) {
      while (body + 1 < model_.bodies.size() && model_.bodies[body + 1].first <= i) ++body;
      const model::Body& one = model_.bodies[body];
      const std::uint32_t first = one.first + (i - one.first) / one.dimension * one.dimension;
      member_end = first + one.dimension;
      most = 0;
      for (std::uint32_t k = first; k < member_end; ++k) most = std::max(most, std::abs(pull_[k]));
    }
    sum += std::abs(rows_.entry[e]) * most;
  }
  return sum;
}

/// A surface was passed within the step, and forces have made the approach F at its end faster than it was there: by energy
/// F^2 = F_s^2 + 2 a d, with the acceleration a towards it and the depth d. F_s / F.
double Course::part_at_surface(std::uint32_t row) const {
  if (entered_[row] == 0 || depth_[row] <= 0) return 1;
  const double approach = along(model_, rows_, row, alpha_) + rows_.explicit_rate[row];
  if (!(approach > 0)) return 1;
  const double square = approach * approach - 2 * along(model_, rows_, row, pull_) * depth_[row];
  return std::min(std::sqrt(std::max(square, 0.0)) / approach, 1.0);
}

/// v+ from alpha_; `rebounds`: something strikes faster than forces make it in a step.
bool Course::strike(bool& rebounds) {
  const auto solve = [&](const std::vector<double>& target) {
    const gauss::Status status = shock_.solve(shock_rows_, dynamics_.mass, target);
    if (status == gauss::Status::solved) return true;
    end_contradictory(shock_rows_, shock_, status, "velocity");
    return false;
  };
  if (!solve(alpha_)) return false;
  std::vector<double> impulses = shock_.impulses();
  now.state.velocity = shock_.point();
  const std::vector<double> inelastic = rebounds ? now.state.velocity : std::vector<double>();

  // Restitution, where it is one and the same: P(alpha + (1 + e)(v - alpha)); else every row leaves with its own part.
  if (rebounds) {
    const double most = largest(impulses);
    double common = -1;
    bool same = true;
    for (std::size_t j = 0; j < shock_rows_.size(); ++j) {
      if (shock_rows_.kind[j] == gauss::RowKind::equation || impulses[j] <= sign_roundings * most) continue;
      const double e = model_.conditions[model_.row_condition[shock_rows_.row[j]]].restitution;
      same = same && (common < 0 || common == e);
      common = e;
    }
    rebounds = common > 0 || !same;
    if (rebounds && same) {
      std::fill(change_.begin(), change_.end(), 0.0);
      for (std::size_t j = 0; j < shock_rows_.size(); ++j) {
        const bool equation = shock_rows_.kind[j] == gauss::RowKind::equation;
        const double more = common * (equation ? 1.0 : part_at_surface(shock_rows_.row[j])) * impulses[j];
        for (std::uint32_t e = shock_rows_.start[j]; e < shock_rows_.start[j + 1]; ++e)
          change_[shock_rows_.column[e]] -= more * shock_rows_.entry[e];
        impulses[j] += more;
      }
      dynamics_.mass.solve(change_, change_);
      for (std::uint32_t i = 0; i < model_.variables; ++i) change_[i] += now.state.velocity[i];
      if (!solve(change_)) return false;
      for (std::size_t j = 0; j < impulses.size(); ++j) impulses[j] += shock_.impulses()[j];
    } else if (rebounds) {
      for (std::size_t j = 0; j < shock_rows_.size(); ++j) {
        const std::uint32_t row = shock_rows_.row[j];
        const double approach = along(model_, rows_, row, alpha_) + rows_.explicit_rate[row];
        const double e = model_.conditions[model_.row_condition[row]].restitution;
        if (shock_rows_.kind[j] == gauss::RowKind::inequality && approach > 0)
          shock_rows_.h[j] += e * approach * part_at_surface(row);
      }
      if (!solve(alpha_)) return false;
      impulses = shock_.impulses();
    }
    now.state.velocity = shock_.point();
    note_late(inelastic);
  }
  for (std::size_t j = 0; j < shock_rows_.size(); ++j) now.impulse[shock_rows_.row[j]] += impulses[j];

  // Of moving conditions: l df/dt; what is missing after that is lost.
  double work = 0;
  for (std::size_t j = 0; j < shock_rows_.size(); ++j) work += impulses[j] * rows_.explicit_rate[shock_rows_.row[j]];
  now.work += work;
  now.gross_work += std::abs(work);
  // What the forces did beyond the surface was taken back together with the way.
  double beyond = 0;
  for (std::uint32_t i = 0; i < model_.variables; ++i)
    beyond += dynamics_.force[i] * (now.state.position[i] - uncorrected_[i]);
  now.lost += half_square(dynamics_.mass, alpha_, right_) + work + beyond -
              half_square(dynamics_.mass, now.state.velocity, right_);
  return true;
}

/// What touches at the end of the step.
void Course::select_shock(double h) {
  shock_rows_.clear();
  for (const std::uint32_t row : near_) {
    const model::RowKind kind = model_.row_kind[row];
    if (!is_in(row) || (kind == model::RowKind::holonomic_inequality && !is_near(row))) continue;
    const double moving = rows_.explicit_rate[row];
    const double offset = moving + (entered_[row] != 0 ? 0.0 : gap_rate(row, rows_.value[row], h));
    const bool first = now.held[row] != 0 || along(model_, rows_, row, alpha_) + offset > 0;
    shock_rows_.add(model_, rows_, row, model::is_equation(kind), offset, first);
  }
}

bool Course::regulate(Due due) {
  // Blows.
  alpha_ = now.state.velocity;
  bool shock = due == Due::start;
  for (const model::Blow& blow : model_.blows) {
    const bool here =
        due == Due::start
            ? blow.at <= now.state.time + same_time * step && blow.at >= model_.simulation.start - same_time * step
            : blow.at > before_.time + same_time * step && blow.at <= now.state.time + same_time * step;
    if (!here) continue;
    shock = true;
    std::fill(change_.begin(), change_.end(), 0.0);
    const std::vector<double> impulse = model::impulse_of(blow, now.state.position);
    for (std::size_t i = 0; i < blow.variables.size(); ++i) change_[blow.variables[i]] += impulse[i];
    dynamics_.mass.solve(change_, change_);
    const double before = half_square(dynamics_.mass, alpha_, right_);
    for (std::uint32_t i = 0; i < model_.variables; ++i) alpha_[i] += change_[i];
    const double given = half_square(dynamics_.mass, alpha_, right_) - before;
    now.work += given;
    now.gross_work += std::abs(given);
  }

  // What touches, and what of it is approached.
  bool rebounds = false;
  const double h = now.state.time - before_.time;
  if (!ask_shock(h)) return false;
  for (const std::uint32_t row : near_) {
    if (!is_in(row)) continue;
    const model::RowKind kind = model_.row_kind[row];
    const bool equation = model::is_equation(kind);
    const bool holonomic = model::is_holonomic(kind);
    if (!equation && holonomic && !is_near(row)) continue;
    const double moving = rows_.explicit_rate[row];
    const double rate = along(model_, rows_, row, alpha_) + moving;
    const double terms = terms_of_rate(model_, rows_, row, alpha_);
    const double pulled = std::abs(h * along(model_, rows_, row, pull_));
    const double fast =
        equation ? std::abs(rate) : rate + (entered_[row] != 0 ? 0.0 : gap_rate(row, rows_.value[row], h));
    const bool strikes = fast > no_approach * (terms + pulled) && fast > no_approach * (terms + h * most_pull(row));
    if (seized_now_[row] != 0 || (strikes && now.held[row] == 0)) shock = true;
    if (strikes && !equation && holonomic && rate * part_at_surface(row) > resting_steps * pulled) rebounds = true;
  }
  if (!shock && smooth_.can_correct()) {
    correct_velocities();
    return true;
  }
  select_shock(h);
  return strike(rebounds);
}

// What follows.

void Course::note_touching() {
  for (const std::uint32_t row : near_) {
    const model::RowKind kind = model_.row_kind[row];
    const bool open = kind == model::RowKind::holonomic_inequality && !is_near(row);
    now.touches[row] = is_in(row) && !open ? 1 : 0;
    const bool one_of_several = has_alternatives_ && beside_[row] != 0;
    if (open || one_of_several)
      now.rate[row] = along(model_, rows_, row, now.state.velocity) + rows_.explicit_rate[row];
    now.value[row] = rows_.value[row];
    // The deepest that anything is entered.
    if (!is_in(row) || !model::is_holonomic(kind)) continue;
    const double by = model::is_equation(kind) ? std::abs(rows_.value[row]) : rows_.value[row];
    if (by > 0) now.penetration = std::max(now.penetration, by / length_of(row));
  }
}

bool Course::is_true(std::uint32_t truth) const {
  const model::TermGroup& term = model_.truths[truth].term;
  std::vector<double> registers(term.tape.registers());
  expressions::load_constants(term.tape, registers.data(), 1, 1);
  const std::size_t place = std::size_t{1} + term.positions + term.velocities + term.steady();
  for (std::uint32_t k = 0; k < term.modes; ++k) registers[place + k] = now.state.modes[term.first_mode + k];
  expressions::extend(term.tape, registers.data(), 1, 0, 0, 1);
  return registers[term.tape.outputs[0]] != 0;
}

void Course::let_go() {
  for (std::size_t k = 0; k < model_.releases.size(); ++k) {
    const model::Release& release = model_.releases[k];
    if (now.released[k] != 0) continue;
    const bool due = release.when.empty() ? release.at <= now.state.time + same_time * step : is_true(release.when[0]);
    if (!due) continue;
    const double before = release.springs.empty() ? 0.0 : energy();
    now.released[k] = 1;
    if (!release.springs.empty()) {
      find_modes(now.state);
      now.lost += before - energy();
    }
    // A mark of its own: what was let go does not begin again.
    for (const std::uint32_t row : release.rows) {
      now.absent[row] = 2;
      now.touches[row] = 0;
      now.held[row] = 0;
    }
  }
}

void Course::look_at_stop() {
  const model::Simulation& simulation = model_.simulation;
  if (now.status != Status::going) return;
  if ((!simulation.stop.empty() && model::observe(simulation.stop.front(), now.state) <= 0) ||
      (!simulation.stop_truth.empty() && is_true(simulation.stop_truth[0]))) {
    end(Status::stopped, "");
  }
}

void Course::begin() {
  for (const model::Condition& condition : model_.conditions) {
    if (!condition.seizure || condition.at <= now.state.time + same_time * step) continue;
    for (std::uint32_t row = condition.first_row; row < condition.first_row + condition.rows; ++row)
      now.absent[row] = 1;
  }
  find_modes(now.state);
  before_ = now.state;
  find_forces(now.state);
  if (!dynamics_.mass_positive) {
    return end(Status::inadmissible, "the kinetic energy is not positive for every velocity at the start, see " +
                                         model::variable_words(model_, dynamics_.mass.weakest()));
  }
  let_go();
  looked_from_ = now.state.position;

  // Broken by much: a mistake. By little: brought onto its conditions.
  evaluate(now.state, rows_, {});
  look_at_alternatives(rows_, beside_);
  std::vector<std::uint32_t> broken;
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    const double by = off_by(row);
    if (!(by <= rough_start * (tolerance_[row] / model_.simulation.touch))) broken.push_back(row);
  }
  if (!broken.empty()) {
    const std::string names = names_of(model_, broken);
    return end(Status::inadmissible, fmt::format("the start breaks {}", names), std::move(broken));
  }
  if (!correct_positions(true)) return;
  if (!regulate(Due::start)) return;
  for (std::uint32_t i = 0; i < model_.variables; ++i) {
    now.position_correction = std::max(now.position_correction, std::abs(now.state.position[i] - before_.position[i]));
  }
  std::fill(now.impulse.begin(), now.impulse.end(), 0.0);
  note_touching();
  // The first guess of what carries is all that touches: what does not leaves in a few rounds, while loads that enter layer by layer take many.
  now.held = now.touches;
  arriving_ = now.state.velocity;
  note_kinetic();
  look_at_stop();
}

bool Course::go_to(double end_time) {
  before_.time = now.state.time;
  before_.position = now.state.position;
  before_.velocity = now.state.velocity;
  const double h = end_time - before_.time;
  now.last_step = h;
  ++now.steps;
  travelled_before_ = now.travelled;

  if (!smooth(h)) return true;
  // What fails from here on leaves the state that was reached.
  const auto stay = [&] {
    now.state.position = before_.position;
    now.state.velocity = before_.velocity;
    now.state.time = before_.time;
    return true;
  };
  now.state.time = end_time;
  now.state.velocity = arriving_;
  for (std::uint32_t i = 0; i < model_.variables; ++i) now.state.position[i] = mid_.position[i] + h / 2 * arriving_[i];
  if (!all_finite(now.state.position)) {
    end(Status::gave_up, "numbers have run away; a shorter step may help");
    return stay();
  }
  add_work(h);
  begin_seizures(h);
  if (now.status != Status::going) return stay();
  if (!bring_back() || !regulate(Due::later)) return stay();
  restore_quaternions();
  now.pace = now.travelled - travelled_before_;
  note_kinetic();
  note_touching();
  let_go();
  look_at_stop();
  if (now.status == Status::going && end_time >= until) verify_end();
  return true;
}

void Course::verify_end() {
  // Far or not.
  evaluate(now.state, rows_, {});
  look_at_alternatives(rows_, beside_);
  std::vector<std::uint32_t> broken;
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (!is_in(row)) continue;
    const model::RowKind kind = model_.row_kind[row];
    const bool equation = model::is_equation(kind);
    if (model::is_holonomic(kind)) {
      const double by = equation ? std::abs(rows_.value[row]) : rows_.value[row];
      if (!(by <= std::max(deepest_allowed * length_of(row), band_[row]))) broken.push_back(row);
      continue;
    }
    const double rate = along(model_, rows_, row, now.state.velocity) + rows_.explicit_rate[row];
    const double by = equation ? std::abs(rate) : rate;
    if (!(by <= no_approach * terms_of_rate(model_, rows_, row, now.state.velocity))) broken.push_back(row);
  }
  if (broken.empty()) return end(Status::finished, "");
  const std::string names = names_of(model_, broken);
  end(Status::gave_up, fmt::format("at the end {} is not kept; a shorter step may help", names), std::move(broken));
}

}  // namespace zwang::stepping
