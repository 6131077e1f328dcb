/// Derivatives along pieces and through instants.
#include "zwang/sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "zwang/expressions/tangent.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/held.hpp"
#include "zwang/sensitivity/path.hpp"
#include "zwang/sensitivity/polynomials.hpp"
#include "zwang/sensitivity/slots.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// A group's tape with the derivatives, and what of its constants moves.
struct Program {
  const model::Slotted* group = nullptr;
  const model::Slotted* slope = nullptr;
  const expressions::Tape* slope_tape = nullptr;
  expressions::TangentTape tangent;
  expressions::Moving moving;
  std::vector<std::uint32_t> slots;  ///< constant slots that move, in the order of their seeds

  Program(const model::Slotted& own, const expressions::Tape& tape, const model::Slotted& slopes,
          const expressions::Tape& tape_of_slopes)
      : group(&own), slope(&slopes), slope_tape(&tape_of_slopes) {
    const std::uint32_t state = 1 + own.positions + own.velocities;
    for (std::uint32_t input = 0; input < state; ++input) moving.inputs.push_back(input);
    moving_slots(own, slopes, slots);
    for (const std::uint32_t slot : slots) moving.inputs.push_back(state + slot);
    for (std::uint32_t k = 0; k < tape_of_slopes.constants.size(); ++k) {
      if (tape_of_slopes.constants[k] != 0) moving.constants.push_back(k);
    }
    for (std::uint32_t k = 0; k < tape_of_slopes.instructions.size(); ++k) {
      if (tape_of_slopes.instructions[k].c != 0) moving.instructions.push_back(k);
    }
    tangent = expressions::tangent(tape, moving);
  }
};

/// One lane of a program on series along a path.
class Lane {
 public:
  Lane(const Program& program, std::size_t lane, unsigned orders)
      : program_(&program), lane_(lane), orders_(orders), registers_(program.tangent.tape.registers() * orders, 0.0) {
    expressions::load_constants(program.tangent.tape, registers_.data(), orders, 1);
  }

  /// All that is known of the path beforehand, and the slopes of the constants.
  void begin(const Path& path) {
    const model::Slotted& group = *program_->group;
    const model::Slotted& slope = *program_->slope;
    input(0)[0] = path.time;
    if (orders_ > 1) input(0)[1] = path.length;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      for (unsigned k = 0; k < orders_; ++k) input(1 + slot)[k] = path.q(position(slot), k);
    }
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      for (unsigned k = 0; k < orders_; ++k) input(1 + group.positions + slot)[k] = path.v(velocity(slot), k);
    }
    const std::size_t state = 1 + std::size_t{group.positions} + group.velocities;
    for (std::size_t slot = 0; slot < group.constants; ++slot) {
      input(state + slot)[0] = constant_at(group, slot, lane_, path.modes);
    }
    std::size_t thing = state;
    for (const std::uint32_t slot : program_->slots) {
      seed(thing++)[0] = slot_slope(group, slope, slot, lane_, path.modes);
    }
    for (const std::uint32_t k : program_->moving.constants) seed(thing++)[0] = program_->slope_tape->constants[k];
    for (const std::uint32_t k : program_->moving.instructions)
      seed(thing++)[0] = program_->slope_tape->instructions[k].c;
  }

  /// Coefficient k of the derivatives of the state: `of(variable)`.
  template <class Of>
  void set_position(unsigned k, const Of& of) {
    for (std::size_t slot = 0; slot < program_->group->positions; ++slot) seed(1 + slot)[k] = of(position(slot));
  }
  template <class Of>
  void set_velocity(unsigned k, const Of& of) {
    const std::size_t first = 1 + std::size_t{program_->group->positions};
    for (std::size_t slot = 0; slot < program_->group->velocities; ++slot) seed(first + slot)[k] = of(velocity(slot));
  }
  void set_time(double slope) { seed(0)[0] = slope; }
  void extend(unsigned k) { expressions::extend(program_->tangent.tape, registers_.data(), orders_, k, k, 1); }

  [[nodiscard]] double value(std::size_t output, unsigned k) const {
    return registers_[std::size_t{program_->tangent.value(output)} * orders_ + k];
  }
  [[nodiscard]] double slope(std::size_t output, unsigned k) const {
    return registers_[std::size_t{program_->tangent.derivative(output)} * orders_ + k];
  }
  [[nodiscard]] std::uint32_t position(std::size_t slot) const {
    return program_->group->position_of[slot * program_->group->lanes + lane_];
  }
  [[nodiscard]] std::uint32_t velocity(std::size_t slot) const {
    return program_->group->velocity_of[slot * program_->group->lanes + lane_];
  }
  [[nodiscard]] std::size_t number() const { return lane_; }

 private:
  double* input(std::size_t k) { return registers_.data() + k * orders_; }
  double* seed(std::size_t k) { return registers_.data() + program_->tangent.seed(k) * orders_; }

  const Program* program_;
  std::size_t lane_;
  unsigned orders_;
  std::vector<double> registers_;
};

/// A row on series.
struct RowLane {
  const model::RowGroup* group = nullptr;
  Lane lane;
  [[nodiscard]] std::size_t slots() const { return group->holonomic ? group->positions : group->velocities; }
  [[nodiscard]] std::uint32_t variable(std::size_t slot) const {
    return group->holonomic ? lane.position(slot) : lane.velocity(slot);
  }
};

constexpr unsigned point_orders = 3;  ///< q, v, a / 2

/// q and its first two derivatives as a path.
std::vector<double> path_of(const MotionPoint& at) {
  std::vector<double> out = at.state.position;
  out.insert(out.end(), at.state.velocity.begin(), at.state.velocity.end());
  for (std::size_t i = 0; i < at.state.position.size(); ++i) {
    out.push_back(at.acceleration.empty() ? 0.0 : at.acceleration[i] / 2);
  }
  return out;
}

}  // namespace

/// How one of those that are followed is tried.
struct Variation::Attempt {
  const Following* of = nullptr;
  double length = 0;
  unsigned orders = 0;
  unsigned fewest = 0;
  double least = 0, least_multiplier = 0;  ///< derivatives below need not converge
  int halvings = 0;
  bool done = false;

  void begin(const Following& following);
  /// May it be solved for together with another one?
  [[nodiscard]] bool goes_with(const Attempt& other) const;
  /// Is the stretch good as it was found? Else it is to be tried again, in another manner.
  void judge();
  [[nodiscard]] Impl& impl() const;
  [[nodiscard]] bool whole_way() const { return of->from == of->piece->start; }
};

struct Variation::Impl {
  const ParameterSlope* parameter;
  std::shared_ptr<Linearized> equations;
  std::size_t number;  ///< of the parameter among those of the equations
  double part = 1;     ///< of a piece: how much of it the last stretch took
  model::Scratch scratch;
  model::Dynamics dynamics;
  std::vector<double> sizes;
  std::vector<Attempt> attempts;  ///< of those that are followed with this one
  std::vector<Linearized::Start> starts;

  Impl(const ParameterSlope& slope, std::shared_ptr<Linearized> shared, std::size_t among)
      : parameter(&slope),
        equations(std::move(shared)),
        number(among),
        scratch(model::make_scratch(slope.model)),
        dynamics(model::make_dynamics(slope.model)),
        terms_(slope.model.terms.size()),
        rows_(slope.model.groups.size()) {}

  [[nodiscard]] const model::Model& model() const { return parameter->model; }

  // Made when they are asked for the first time: a motion without events needs few of them.
  [[nodiscard]] const Program& term(std::size_t g) const {
    return made(terms_[g], model().terms[g], parameter->slope.terms[g]);
  }
  [[nodiscard]] const Program& observable(const model::Observable& own, const model::Observable& slope) const {
    return made(observables_[&own], own.term, slope.term);
  }
  [[nodiscard]] RowLane row_lane(std::uint32_t row, unsigned room) const {
    const std::uint32_t group = model().row_group[row];
    return {&model().groups[group], Lane(made(rows_[group], model().groups[group], parameter->slope.groups[group]),
                                         model().row_lane[row], room)};
  }
  /// A row to first order along its velocities, the state itself kept where the parameter moves.
  [[nodiscard]] RowLane row_at(std::uint32_t row, const model::State& state) const {
    RowLane out = row_lane(row, 2);
    std::vector<double> coefficients = state.position;
    coefficients.insert(coefficients.end(), state.velocity.begin(), state.velocity.end());
    out.lane.begin({state.time, 1, model().variables, 2, coefficients, state.modes});
    out.lane.extend(0);
    out.lane.extend(1);
    return out;
  }

  void masses_at(const model::State& state) { model::evaluate_mass(model(), state, scratch, dynamics); }

 private:
  template <class Group>
  static const Program& made(std::unique_ptr<Program>& place, const Group& group, const Group& slope) {
    if (!place) place = std::make_unique<Program>(group, group.tape, slope, slope.tape);
    return *place;
  }
  mutable std::vector<std::unique_ptr<Program>> terms_;  ///< per group
  mutable std::vector<std::unique_ptr<Program>> rows_;   ///< likewise
  mutable std::map<const model::Observable*, std::unique_ptr<Program>> observables_;
};

namespace {

/// Rows of lanes, held.
Held held_by(const linear::Mass& mass, const std::vector<RowLane>& rows) {
  Held out;
  out.begin(mass);
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (const RowLane& row : rows) {
    entries.clear();
    for (std::size_t slot = 0; slot < row.slots(); ++slot) {
      entries.emplace_back(row.variable(slot), row.lane.value(1 + slot, 0));
    }
    out.add(entries);
  }
  out.factor();
  return out;
}

double largest_of(std::span<const double> x) {
  // In turn, so that none waits for the one before; a largest one is the same in any order.
  constexpr std::size_t at_once = 8;
  double most[at_once] = {};
  std::size_t k = 0;
  for (; k + at_once <= x.size(); k += at_once) {
    for (std::size_t i = 0; i < at_once; ++i) {
      const double size = std::abs(x[k + i]);
      most[i] = most[i] < size ? size : most[i];
    }
  }
  double out = 0;
  for (; k < x.size(); ++k) out = std::max(out, std::abs(x[k]));
  for (const double one : most) out = std::max(out, one);
  return out;
}

}  // namespace

Variation::Variation(const ParameterSlope& slope, std::shared_ptr<Linearized> equations, std::size_t number)
    : impl_(std::make_unique<Impl>(slope, std::move(equations), number)) {
  position = slope.slope.initial_position;
  velocity = slope.slope.initial_velocity;
}
Variation::~Variation() = default;
Variation::Variation(Variation&&) noexcept = default;
Variation& Variation::operator=(Variation&&) noexcept = default;

const ParameterSlope& Variation::parameter() const { return *impl_->parameter; }

bool Variation::finite() const {
  const auto good = [](double x) { return std::isfinite(x); };
  return std::all_of(position.begin(), position.end(), good) && std::all_of(velocity.begin(), velocity.end(), good);
}

namespace {

/// The last two terms of series as a part of their largest, each times its order if `by_order`. `known`: coefficients of each that are known.
double last_terms(const Polynomials& series, unsigned known, double least, bool by_order, std::vector<double>& sizes) {
  const std::size_t n = series.count;
  sizes.resize(2 * n);
  size_up(series, known, by_order, sizes.data(), sizes.data() + n);
  // What is rounding of others, or of the motion itself, need not converge.
  const double others = std::max(least, series_noise * largest_of({sizes.data(), n}));
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double last = sizes[n + i];
    const double most = std::max(others, sizes[i]);
    if (!(last <= most * worst)) worst = last == 0 ? worst : last / most;
  }
  return worst;
}

/// The same of a stretch: of positions, and of multipliers, which may change where positions do not.
double left_over(const Stretch& stretch, std::size_t n, std::size_t m, bool flow, double least, double least_multiplier,
                 std::vector<double>& sizes) {
  const double positions = last_terms({stretch.position.data(), n, stretch.orders}, stretch.orders, least, true, sizes);
  const unsigned known = stretch.orders - (flow ? 1 : 2);
  if (stretch.multiplier.empty() || known < 2) return positions;
  const double multipliers =
      last_terms({stretch.multiplier.data(), m, stretch.orders}, known, least_multiplier, false, sizes);
  return std::max(positions, multipliers * multipliers_converge);
}

/// What a piece makes of positions, or multipliers, from `first` order on.
double moved_by(const std::vector<double>& series, std::size_t count, unsigned orders, unsigned first, double whole) {
  double most = 0;
  double power = first == 0 ? 1 : whole;
  for (unsigned k = first; k < orders; ++k, power *= whole) {
    most = std::max(most, power * largest_of({series.data() + k * count, count}));
  }
  return most;
}

}  // namespace

Variation::Impl& Variation::Attempt::impl() const { return *of->variation->impl_; }

void Variation::Attempt::begin(const Following& following) {
  *this = {};
  of = &following;
  const motion::Piece& piece = *of->piece;
  const bool flow = impl().model().flow;
  fewest = std::max({piece.orders, piece.multiplier_orders + (flow ? 1U : 2U), 3U}) + more_orders;
  Reach& reach = impl().equations->reach();
  if (reach.piece != of->number) {
    reach.piece = of->number;
    reach.part = reach.next;
    reach.next = 1;
  }
  orders = std::min(fewest + reach.extra, most_orders);
  // As much of the piece as the last time, at first; never a crumb behind it.
  const double part = whole_way() ? reach.part : impl().part;
  length = part < 1 ? part * piece.length : of->to - of->from;
  if (of->from + length * (1 + smallest_rest) >= of->to) length = of->to - of->from;
  // The same for all parameters.
  if (reach.measured != of->number) {
    const double whole = piece.length / piece.unit;
    reach.measured = of->number;
    reach.moved = moved_by(piece.position, piece.n, piece.orders, 1, whole);
    reach.moved_multiplier = moved_by(piece.multiplier, piece.rows.size(), piece.multiplier_orders, 0, whole);
  }
  // Where a parameter begins to act, derivatives are nothing yet beside what the motion does in this piece.
  const double value = std::abs(impl().parameter->value);
  const double part_of = no_slope / (value == 0 ? 1 : value);
  least = part_of * reach.moved;
  least_multiplier = part_of * reach.moved_multiplier;
}

bool Variation::Attempt::goes_with(const Attempt& other) const {
  return !done && impl().equations == other.impl().equations && of->from == other.of->from && length == other.length &&
         orders == other.orders && of->piece->rows == other.of->piece->rows &&
         std::equal(of->modes.begin(), of->modes.end(), other.of->modes.begin(), other.of->modes.end());
}

void Variation::Attempt::judge() {
  const motion::Piece& piece = *of->piece;
  const double off =
      left_over(*of->out, piece.n, piece.rows.size(), impl().model().flow, least, least_multiplier, impl().sizes);
  Reach& reach = impl().equations->reach();
  // A few orders more are cheaper than two stretches, where they are enough.
  if (off > series_converged && orders == fewest && fewest + extra_orders <= most_orders &&
      std::ldexp(off, -2 * static_cast<int>(extra_orders)) <= series_converged) {
    reach.extra = extra_orders;
    orders = fewest + extra_orders;
    return;
  }
  if (!(off <= series_converged || halvings == most_halvings || of->from + length / 2 == of->from)) {
    length /= 2;
    ++halvings;
    return;
  }
  // The last terms of twice the length would be 2^orders as large.
  const bool longer = std::ldexp(off, static_cast<int>(orders)) <= series_converged;
  impl().part = std::min(1.0, (longer ? 2 : 1) * length / piece.length);
  if (whole_way() && std::isfinite(off)) {
    reach.part = std::min(reach.part, length / piece.length);
    reach.next = std::min(reach.next, impl().part);
  }
  of->variation->end_of(*of->out);
  done = true;
}

void Variation::follow(std::span<const Following> all) {
  if (all.empty()) return;
  Impl& first = *all.front().variation->impl_;
  std::vector<Attempt>& attempts = first.attempts;
  std::vector<Linearized::Start>& starts = first.starts;
  attempts.resize(all.size());
  for (std::size_t k = 0; k < all.size(); ++k) attempts[k].begin(all[k]);
  for (std::size_t next = 0; next < all.size(); next += attempts[next].done ? 1 : 0) {
    const Attempt leader = attempts[next];
    if (leader.done) continue;
    starts.clear();
    for (const Attempt& one : attempts) {
      if (!one.goes_with(leader)) continue;
      starts.push_back({one.impl().number, one.of->variation->position, one.of->variation->velocity, one.of->out});
    }
    Linearized& equations = *leader.impl().equations;
    const Following& of = *leader.of;
    equations.expand(of.number, *of.piece, of.from, leader.length, leader.orders, of.modes);
    equations.solve(starts);
    for (Attempt& one : attempts) {
      if (one.goes_with(leader)) one.judge();
    }
  }
}

Stretch Variation::follow_for(std::uint64_t number, const motion::Piece& piece, double from, double length,
                              std::span<const double> modes) {
  Stretch out;
  impl_->equations->expand(number, piece, from, length, std::min(std::max(piece.orders, 3U) + more_orders, most_orders),
                           modes);
  const Linearized::Start start{impl_->number, position, velocity, &out};
  impl_->equations->solve({&start, 1});
  end_of(out);
  return out;
}

void Variation::end_of(const Stretch& stretch) {
  sum_up({stretch.position.data(), position.size(), stretch.orders}, 1, position.data(), velocity.data(), nullptr);
  for (double& one : velocity) one /= stretch.length;
}

void Variation::evaluate(const Stretch& stretch, std::size_t n, double time, std::vector<double>& position,
                         std::vector<double>& velocity, std::vector<double>& multiplier) {
  const double s = stretch.length == 0 ? 0 : std::clamp((time - stretch.start) / stretch.length, 0.0, 1.0);
  position.resize(n);
  velocity.resize(n);
  sum_up({stretch.position.data(), n, stretch.orders}, s, position.data(), velocity.data(), nullptr);
  for (double& one : velocity) one /= stretch.length;
  const std::size_t m = stretch.multiplier.size() / std::max(stretch.orders, 1U);
  multiplier.resize(m);
  sum_up({stretch.multiplier.data(), m, stretch.orders}, s, multiplier.data(), nullptr, nullptr);
}

// ------------------------------------------------------------------------------------------------ instants

namespace {

/// A lane at a point of the motion, with the derivatives given, and its time moved.
void place(Lane& lane, const Path& path, std::span<const double> position, std::span<const double> velocity,
           double time_slope) {
  lane.begin(path);
  lane.set_time(time_slope);
  lane.set_position(0, [&](std::size_t i) { return position[i]; });
  lane.set_position(1, [&](std::size_t i) { return velocity[i]; });
  lane.set_velocity(0, [&](std::size_t i) { return velocity[i]; });
  for (unsigned k = 0; k < point_orders; ++k) lane.extend(k);
}

}  // namespace

Variation::Change Variation::row(std::uint32_t row, const MotionPoint& at) const {
  RowLane lane = impl_->row_lane(row, point_orders);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, at.state.modes};
  place(lane.lane, path, position, velocity, 0);
  return {lane.lane.slope(0, 0), lane.lane.value(0, 1), lane.lane.value(0, 0)};
}

Variation::Change Variation::rate(std::uint32_t row, const MotionPoint& at) const {
  RowLane lane = impl_->row_lane(row, point_orders);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, at.state.modes};
  place(lane.lane, path, position, velocity, 0);
  return {lane.lane.slope(0, 1), 2 * lane.lane.value(0, 2), lane.lane.value(0, 1)};
}

double Variation::rate_of(std::uint32_t row, const model::State& state) const {
  const RowLane lane = impl_->row_at(row, state);
  return lane.group->holonomic ? lane.lane.value(0, 1) : lane.lane.value(0, 0);
}

double Variation::bound(std::uint32_t row, const model::State& state, std::span<const double> positions,
                        std::span<const double> velocities) const {
  const RowLane lane = impl_->row_at(row, state);
  // With the state kept, what is left of the slope is the parameter's own.
  double sum = std::abs(lane.lane.slope(0, 0));
  double most = 0;
  const std::span<const double> sizes = lane.group->holonomic ? positions : velocities;
  for (std::size_t slot = 0; slot < lane.slots(); ++slot) {
    const double entry = std::abs(lane.lane.value(1 + slot, 0));
    sum += entry * sizes[lane.variable(slot)];
    most = std::max(most, entry);
  }
  return sum + slope_spread * most * largest_of(sizes);
}

double Variation::bound_of_rate(std::uint32_t row, const model::State& state, std::span<const double> positions,
                                std::span<const double> velocities) const {
  const RowLane lane = impl_->row_at(row, state);
  if (!lane.group->holonomic) return bound(row, state, positions, velocities);
  // f' = g.v + df/dt: gradients by the derivatives of velocities, their change along the motion by those of positions.
  double sum = std::abs(lane.lane.slope(0, 1));
  double most = 0;
  double most_turning = 0;
  for (std::size_t slot = 0; slot < lane.slots(); ++slot) {
    const double entry = std::abs(lane.lane.value(1 + slot, 0));
    const double turning = std::abs(lane.lane.value(1 + slot, 1));
    sum += entry * velocities[lane.variable(slot)] + turning * positions[lane.variable(slot)];
    most = std::max(most, entry);
    most_turning = std::max(most_turning, turning);
  }
  return sum + slope_spread * (most * largest_of(velocities) + most_turning * largest_of(positions));
}

Variation::Change Variation::corner(const model::Slotted& group, const model::Slotted& slope, std::uint32_t corner,
                                    std::uint32_t lane, const MotionPoint& at) const {
  const Program program(group, group.switching, slope, slope.switching);
  Lane run(program, lane, point_orders);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, at.state.modes};
  place(run, path, position, velocity, 0);
  return {run.slope(corner, 0), run.value(corner, 1), run.value(corner, 0)};
}

Variation::Change Variation::corner_rate(const model::Slotted& group, const model::Slotted& slope, std::uint32_t corner,
                                         std::uint32_t lane, const motion::Piece& piece, const Stretch& stretch,
                                         std::span<const double> modes) const {
  const Program program(group, group.switching, slope, slope.switching);
  Lane run(program, lane, point_orders);
  run.begin({piece.start, piece.unit, piece.n, piece.orders, piece.position, modes});
  run.set_time(0);
  // The stretch has a unit of its own.
  const double part = piece.unit / stretch.length;
  double power = 1;
  for (unsigned k = 0; k < point_orders; ++k, power *= part) {
    const auto of = [&](std::size_t i, unsigned order) { return stretch.position[order * piece.n + i]; };
    run.set_position(k, [&](std::size_t i) { return power * of(i, k); });
    if (k + 1 < stretch.orders)
      run.set_velocity(k, [&](std::size_t i) { return (k + 1) * power * part * of(i, k + 1) / piece.unit; });
    run.extend(k);
  }
  return {run.slope(corner, 1) / piece.unit, 2 * run.value(corner, 2) / (piece.unit * piece.unit),
          run.value(corner, 1) / piece.unit};
}

bool Variation::gradient_moves(std::uint32_t row, const model::State& state) const {
  // With the state kept, what is left of the slope is the parameter's own.
  const RowLane here = impl_->row_at(row, state);
  for (std::size_t slot = 0; slot < here.slots(); ++slot) {
    model::State faster = state;
    faster.velocity[here.variable(slot)] += 1;
    const double there = impl_->row_at(row, faster).lane.slope(0, 0);
    const double size = std::abs(here.lane.slope(0, 0)) + std::abs(there);
    if (std::abs(there - here.lane.slope(0, 0)) > rate_zero * size) return true;
  }
  return false;
}

std::vector<double> Variation::force_slope(const model::State& state) const {
  const std::size_t n = impl_->model().variables;
  const std::vector<double> coefficients = path_of({state, {}});
  const Path path{state.time, 1, n, point_orders, coefficients, state.modes};
  const std::vector<double> kept(n, 0.0);
  std::vector<double> out(n, 0.0);
  for (std::size_t g = 0; g < impl_->model().terms.size(); ++g) {
    const model::TermGroup& group = impl_->model().terms[g];
    if (group.kind != model::TermKind::force) continue;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      Lane one(impl_->term(g), lane, point_orders);
      place(one, path, kept, kept, 0);
      for (std::size_t k = 0; k < group.tape.outputs.size(); ++k)
        out[group.target_of[k * group.lanes + lane]] += one.slope(k, 0);
    }
  }
  return out;
}

Variation::Change Variation::observable(const model::Observable& observable, const model::Observable& slope,
                                        const MotionPoint& at) const {
  Lane run(impl_->observable(observable, slope), 0, point_orders);
  const std::vector<double> coefficients = path_of(at);
  // An observable finds its sides itself: its modes are its own.
  std::vector<double> modes;
  if (!observable.term.corners.empty()) {
    std::vector<expressions::Side> sides(observable.term.corners.size());
    modes.resize(observable.term.modes);
    model::find_sides(observable.term, 0, at.state, sides, modes);
    modes.insert(modes.begin(), observable.term.first_mode, 0.0);
  }
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, modes};
  place(run, path, position, velocity, 0);
  return {run.slope(0, 0), run.value(0, 1), run.value(0, 0)};
}

std::vector<double> Variation::velocities_after(const model::State& before, const Shock& shock,
                                                std::vector<double>* impulses) {
  const std::size_t n = impl_->model().variables;
  impl_->masses_at(before);
  std::vector<double> coefficients = before.position;
  coefficients.insert(coefficients.end(), before.velocity.begin(), before.velocity.end());
  const Path path{before.time, 1, n, 2, coefficients, before.modes};
  std::vector<RowLane> rows;
  for (const ShockRow& row : shock.rows) {
    rows.push_back(impl_->row_lane(row.row, 2));
    rows.back().lane.begin(path);
    rows.back().lane.extend(0);
    rows.back().lane.extend(1);
  }
  Held held = held_by(impl_->dynamics.mass, rows);
  // The change u of the velocities: M u + J^T l = blow, J u = -(1 + e) f'.
  std::vector<double> change(n, 0.0);
  if (!shock.blow.empty()) change.assign(shock.blow.begin(), shock.blow.end());
  std::vector<double> struck = change;
  impl_->dynamics.mass.solve(struck, struck);
  std::vector<double> offset(rows.size());
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const model::Condition& condition = impl_->model().conditions[impl_->model().row_condition[shock.rows[j].row]];
    const double rate = rows[j].lane.value(0, rows[j].group->holonomic ? 1 : 0);
    offset[j] = rate;
    if (shock.rows[j].thrown) offset[j] += condition.restitution * (rate + held.times(j, struck));
  }
  std::vector<double> impulse(rows.size());
  held.solve(change, offset, impulse);
  for (std::size_t i = 0; i < n; ++i) change[i] += before.velocity[i];
  if (impulses != nullptr) *impulses = std::move(impulse);
  return change;
}

std::vector<double> Variation::accelerations(const model::State& state, std::span<const std::uint32_t> which) {
  const std::size_t n = impl_->model().variables;
  model::evaluate_dynamics(impl_->model(), state, impl_->scratch, impl_->dynamics);
  std::vector<double> out = impl_->dynamics.force;
  const std::vector<double> coefficients = path_of({state, {}});
  const Path path{state.time, 1, n, point_orders, coefficients, state.modes};
  std::vector<RowLane> rows;
  std::vector<double> offset;
  for (const std::uint32_t row : which) {
    RowLane lane = impl_->row_lane(row, point_orders);
    lane.lane.begin(path);
    for (unsigned k = 0; k < point_orders; ++k) lane.lane.extend(k);
    offset.push_back(lane.group->holonomic ? 2 * lane.lane.value(0, 2) : lane.lane.value(0, 1));
    rows.push_back(std::move(lane));
  }
  Held held = held_by(impl_->dynamics.mass, rows);
  std::vector<double> multiplier(rows.size());
  held.solve(out, offset, multiplier);
  return out;
}

void Variation::pass(const MotionPoint& before, const MotionPoint& after, std::span<const double> time_slope,
                     const Shock& shock) {
  const model::Model& model = impl_->model();
  const model::Model& slope = impl_->parameter->slope;
  const std::size_t n = model.variables;

  // Derivatives of the state at which it happens, its time moving along.
  std::vector<double> place_slope(n), before_slope(n);
  for (std::size_t i = 0; i < n; ++i) {
    place_slope[i] = position[i] + before.state.velocity[i] * time_slope[i];
    before_slope[i] = velocity[i] + before.acceleration[i] * time_slope[i];
  }
  const auto time_of = [&](const model::Slotted& group, std::size_t lane) {
    if (group.positions > 0) return time_slope[group.position_of[lane]];
    return group.velocities > 0 ? time_slope[group.velocity_of[lane]] : 0.0;
  };
  std::vector<double> after_slope = before_slope;
  if (!shock.rows.empty() || !shock.blow.empty()) {
    impl_->masses_at(before.state);
    const std::vector<double> from = path_of(before);
    const std::vector<double> to = path_of(after);
    const Path path_from{before.state.time, 1, n, point_orders, from, before.state.modes};
    const Path path_to{before.state.time, 1, n, point_orders, to, before.state.modes};
    const std::vector<double> none(n, 0.0);
    const auto lanes_on = [&](const Path& path, std::span<const double> rates) {
      std::vector<RowLane> rows;
      for (const ShockRow& row : shock.rows) {
        rows.push_back(impl_->row_lane(row.row, point_orders));
        place(rows.back().lane, path, place_slope, rates, time_of(*rows.back().group, model.row_lane[row.row]));
      }
      return rows;
    };
    const std::vector<RowLane> rows_from = lanes_on(path_from, before_slope);
    const std::vector<RowLane> rows_to = lanes_on(path_to, none);
    Held held = held_by(impl_->dynamics.mass, rows_from);

    // The impulses, from the velocities: M (v+ - v-) + J^T l = blow.
    std::vector<double> change(n);
    for (std::size_t i = 0; i < n; ++i) change[i] = after.state.velocity[i] - before.state.velocity[i];
    std::vector<double> momentum(n);
    impl_->dynamics.mass.multiply(change, momentum);
    std::vector<double> struck(n, 0.0);
    if (!shock.blow.empty()) struck.assign(shock.blow.begin(), shock.blow.end());
    std::vector<double> struck_velocity = struck;
    impl_->dynamics.mass.solve(struck_velocity, struck_velocity);
    std::vector<double> impulse(rows_from.size());
    {
      // l with J W J^T l = J (W blow - change).
      std::vector<double> right(n);
      for (std::size_t i = 0; i < n; ++i) right[i] = struck[i] - momentum[i];
      const std::vector<double> zero(rows_from.size(), 0.0);
      held.solve(right, zero, impulse);
    }

    // What is left of M (v+ - v-) + J^T l - blow when the velocities after it stay.
    std::vector<double> right(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      right[i] = -slope.point_mass[i] * change[i] + model.point_mass[i] * before_slope[i];
      if (!shock.blow_slope.empty()) right[i] += shock.blow_slope[i];
    }
    for (std::size_t g = 0; g < model.terms.size(); ++g) {
      const model::TermGroup& group = model.terms[g];
      if (group.kind != model::TermKind::kinetic) continue;
      for (std::size_t lane = 0; lane < group.lanes; ++lane) {
        Lane one(impl_->term(g), lane, point_orders);
        for (const bool later : {false, true}) {
          place(one, later ? path_to : path_from, place_slope, later ? std::span<const double>(none) : before_slope,
                time_of(group, lane));
          for (std::size_t slot = 0; slot < group.velocities; ++slot) {
            const double momentum_slope = one.slope(1 + group.positions + slot, 0);
            right[one.velocity(slot)] += later ? -momentum_slope : momentum_slope;
          }
        }
      }
    }
    for (std::size_t j = 0; j < rows_from.size(); ++j) {
      const RowLane& row = rows_from[j];
      for (std::size_t s = 0; s < row.slots(); ++s) right[row.variable(s)] -= impulse[j] * row.lane.slope(1 + s, 0);
    }
    std::vector<double> offset(rows_from.size());
    for (std::size_t j = 0; j < rows_from.size(); ++j) {
      const unsigned k = rows_from[j].group->holonomic ? 1 : 0;
      offset[j] = rows_to[j].lane.slope(0, k);
      if (!shock.rows[j].thrown) continue;
      const std::uint32_t condition = model.row_condition[shock.rows[j].row];
      offset[j] += model.conditions[condition].restitution * rows_from[j].lane.slope(0, k) +
                   slope.conditions[condition].restitution * rows_from[j].lane.value(0, k);
    }
    std::vector<double> impulse_slope(rows_from.size());
    held.solve(right, offset, impulse_slope);
    after_slope = right;
  }
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = place_slope[i] - after.state.velocity[i] * time_slope[i];
    velocity[i] = after_slope[i] - after.acceleration[i] * time_slope[i];
  }
}

void Variation::take_off(const MotionPoint& at, std::span<const std::uint32_t> which,
                         std::span<const Gradient> gradients, double since) {
  impl_->masses_at(at.state);
  Held held;
  held.begin(impl_->dynamics.mass);
  std::vector<double> offset(which.size(), 0.0);
  std::vector<std::pair<std::uint32_t, double>> entries;
  for (const std::uint32_t row : which) {
    const RowLane lane = impl_->row_at(row, at.state);
    entries.clear();
    for (std::size_t slot = 0; slot < lane.slots(); ++slot)
      entries.emplace_back(lane.variable(slot), lane.lane.value(1 + slot, 0));
    held.add(entries);
  }
  for (const Gradient& one : gradients) {
    entries.clear();
    for (std::size_t i = 0; i < one.entry.size(); ++i) {
      if (one.entry[i] != 0) entries.emplace_back(static_cast<std::uint32_t>(i), one.entry[i]);
    }
    held.add(entries);
    offset.push_back(one.value);
  }
  held.factor();
  std::vector<double> change(velocity.size(), 0.0);
  std::vector<double> unused(offset.size());
  held.solve(change, offset, unused);
  for (std::size_t i = 0; i < change.size(); ++i) {
    velocity[i] += change[i];
    position[i] += change[i] * since / 2;
  }
}

void Variation::project(const MotionPoint& at, std::span<const std::uint32_t> which) {
  const std::size_t n = impl_->model().variables;
  impl_->masses_at(at.state);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, n, point_orders, coefficients, at.state.modes};
  // Position by the holonomic rows, then velocity by all.
  for (const bool rates : {false, true}) {
    std::vector<RowLane> rows;
    std::vector<double> offset;
    for (const std::uint32_t row : which) {
      RowLane lane = impl_->row_lane(row, point_orders);
      if (!rates && !lane.group->holonomic) continue;
      place(lane.lane, path, position, velocity, 0);
      offset.push_back(lane.lane.slope(0, rates && lane.group->holonomic ? 1 : 0));
      rows.push_back(std::move(lane));
    }
    if (rows.empty()) continue;
    Held held = held_by(impl_->dynamics.mass, rows);
    std::vector<double> change(n, 0.0);
    std::vector<double> unused(rows.size());
    held.solve(change, offset, unused);
    std::vector<double>& out = rates ? velocity : position;
    for (std::size_t i = 0; i < n; ++i) out[i] += change[i];
  }
}

}  // namespace zwang::sensitivity
