/// Derivatives along pieces and through instants.
#include "zwang/sensitivity/variation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/expressions/tangent.hpp"
#include "zwang/linear/gram_factor.hpp"
#include "zwang/model/evaluate.hpp"
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
    std::vector<std::uint8_t> moves(own.constants, 0);
    for (std::uint32_t slot = 0; slot < own.steady(); ++slot) {
      for (std::uint32_t lane = 0; lane < own.lanes; ++lane) {
        if (slopes.constant_of[std::size_t{slot} * own.lanes + lane] != 0) moves[slot] = 1;
      }
    }
    for (const expressions::Corner& corner : slopes.corners) {
      const bool any = std::any_of(corner.pieces.piece.begin(), corner.pieces.piece.end(), [](const auto& piece) {
        return std::any_of(piece.begin(), piece.end(), [](double x) { return x != 0; });
      });
      if (!any) continue;
      for (std::uint32_t k = 0; k < corner.modes; ++k) moves[own.steady() + corner.first_mode + k] = 1;
    }
    for (std::uint32_t slot = 0; slot < own.constants; ++slot) {
      if (moves[slot] == 0) continue;
      slots.push_back(slot);
      moving.inputs.push_back(state + slot);
    }
    for (std::uint32_t k = 0; k < tape_of_slopes.constants.size(); ++k) {
      if (tape_of_slopes.constants[k] != 0) moving.constants.push_back(k);
    }
    for (std::uint32_t k = 0; k < tape_of_slopes.instructions.size(); ++k) {
      if (tape_of_slopes.instructions[k].c != 0) moving.instructions.push_back(k);
    }
    tangent = expressions::tangent(tape, moving);
  }
};

/// A path as power series: q_i(s) = sum_k position[k * n + i] s^k at time + length s.
struct Path {
  double time = 0;
  double length = 1;
  std::size_t n = 0;
  unsigned orders = 0;
  std::span<const double> position;
  std::span<const double> modes;
  [[nodiscard]] double q(std::size_t i, unsigned k) const { return k < orders ? position[k * n + i] : 0.0; }
  [[nodiscard]] double v(std::size_t i, unsigned k) const { return (k + 1) * q(i, k + 1) / length; }
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
      input(state + slot)[0] = slot >= group.steady() && !path.modes.empty()
                                   ? path.modes[group.first_mode + (slot - group.steady()) * group.lanes + lane_]
                                   : group.constant_of[slot * group.lanes + lane_];
    }
    std::size_t thing = state;
    for (const std::uint32_t slot : program_->slots) {
      seed(thing++)[0] = slot < group.steady() ? slope.constant_of[std::size_t{slot} * group.lanes + lane_]
                                               : mode_slope(slot - group.steady());
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
  /// Of the numbers of the piece on which a table or spline is: told by its first number.
  double mode_slope(std::size_t mode) {
    const model::Slotted& group = *program_->group;
    const std::size_t state = 1 + std::size_t{group.positions} + group.velocities;
    for (std::size_t c = 0; c < group.corners.size(); ++c) {
      const expressions::Corner& corner = group.corners[c];
      if (mode < corner.first_mode || mode >= corner.first_mode + corner.modes) continue;
      for (std::size_t p = 0; p < corner.pieces.piece.size(); ++p) {
        bool same = true;
        for (std::uint32_t k = 0; k < corner.modes; ++k) {
          same = same && input(state + group.steady() + corner.first_mode + k)[0] == corner.pieces.piece[p].at(k);
        }
        if (same) return program_->slope->corners[c].pieces.piece[p].at(mode - corner.first_mode);
      }
    }
    return 0;
  }

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

struct Variation::Impl {
  const ParameterSlope* parameter;
  std::vector<Program> terms;
  std::vector<Program> rows;  ///< per group
  model::Scratch scratch;
  model::Dynamics dynamics;

  explicit Impl(const ParameterSlope& slope)
      : parameter(&slope), scratch(model::make_scratch(slope.model)), dynamics(model::make_dynamics(slope.model)) {
    const model::Model& model = slope.model;
    for (std::size_t k = 0; k < model.terms.size(); ++k) {
      terms.emplace_back(model.terms[k], model.terms[k].tape, slope.slope.terms[k], slope.slope.terms[k].tape);
    }
    for (std::size_t k = 0; k < model.groups.size(); ++k) {
      rows.emplace_back(model.groups[k], model.groups[k].tape, slope.slope.groups[k], slope.slope.groups[k].tape);
    }
  }

  [[nodiscard]] const model::Model& model() const { return parameter->model; }
  [[nodiscard]] RowLane row_lane(std::uint32_t row, unsigned orders) const {
    const std::uint32_t group = model().row_group[row];
    return {&model().groups[group], Lane(rows[group], model().row_lane[row], orders)};
  }
  void masses_at(const model::State& state) { model::evaluate_mass(model(), state, scratch, dynamics); }
};

namespace {

/// Rows as a matrix, and the factor of J W J^T.
class Held {
 public:
  Held(const linear::Mass& mass, const std::vector<RowLane>& rows) : mass_(&mass) {
    start_.push_back(0);
    for (const RowLane& row : rows) {
      std::vector<std::pair<std::uint32_t, double>> entries;
      for (std::size_t slot = 0; slot < row.slots(); ++slot) {
        entries.emplace_back(row.variable(slot), row.lane.value(1 + slot, 0));
      }
      std::sort(entries.begin(), entries.end());
      for (const auto& [variable, value] : entries) {
        column_.push_back(variable);
        entry_.push_back(value);
      }
      start_.push_back(static_cast<std::uint32_t>(column_.size()));
    }
    if (rows.empty()) return;
    const std::vector<std::uint8_t> shares(rows.size(), 1);
    factor_.shape(view(), mass, shares);
    factor_.factor(view(), mass);
  }

  /// M x + J^T y = right, J x = -offset; `right` becomes x.
  void solve(std::span<double> right, std::span<const double> offset, std::span<double> y) {
    mass_->solve(right, right);
    if (!y.empty()) {
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = times(j, right) + offset[j];
      factor_.solve(y);
    }
    pull_.assign(right.size(), 0.0);
    for (std::size_t j = 0; j < y.size(); ++j) add_transposed(j, y[j], pull_);
    mass_->solve(pull_, pull_);
    for (std::size_t i = 0; i < right.size(); ++i) right[i] -= pull_[i];
  }
  [[nodiscard]] bool unique() const { return start_.size() == 1 || factor_.skipped_count() == 0; }
  [[nodiscard]] double times(std::size_t row, std::span<const double> x) const {
    double sum = 0;
    for (std::uint32_t k = start_[row]; k < start_[row + 1]; ++k) sum += entry_[k] * x[column_[k]];
    return sum;
  }
  void add_transposed(std::size_t row, double factor, std::span<double> out) const {
    for (std::uint32_t k = start_[row]; k < start_[row + 1]; ++k) out[column_[k]] += factor * entry_[k];
  }

 private:
  [[nodiscard]] linear::SparseRows view() const { return {start_, column_, entry_}; }
  const linear::Mass* mass_;
  std::vector<std::uint32_t> start_, column_;
  std::vector<double> entry_, pull_;
  linear::GramFactor factor_;
};

/// Coefficients of a polynomial in (t - start) / unit about another time, in (t - from) / length.
std::vector<double> shifted(const std::vector<double>& old, std::size_t n, unsigned orders, double shift,
                            double stretch) {
  std::vector<double> out = old;
  for (std::size_t i = 0; i < n; ++i) {
    if (shift != 0) {
      for (unsigned k = 0; k + 1 < orders; ++k) {
        for (unsigned j = orders - 1; j-- > k;) out[j * n + i] += shift * out[(j + 1) * n + i];
      }
    }
    double power = 1;
    for (unsigned k = 0; k < orders; ++k, power *= stretch) out[k * n + i] *= power;
  }
  return out;
}

double largest_of(std::span<const double> x) {
  double most = 0;
  for (const double one : x) most = std::max(most, std::abs(one));
  return most;
}

}  // namespace

Variation::Variation(const ParameterSlope& slope) : impl_(std::make_unique<Impl>(slope)) {
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

/// The series of the derivatives over one stretch.
class Orders {
 public:
  Orders(const model::Model& model, const model::Model& slope, const std::vector<Program>& terms,
         std::vector<RowLane> rows, const Path& path, std::span<const double> multiplier, const linear::Mass& mass,
         unsigned orders)
      : model_(model),
        slope_(slope),
        path_(path),
        lambda_(multiplier),
        rows_(std::move(rows)),
        n_(model.variables),
        orders_(orders) {
    for (std::size_t g = 0; g < terms.size(); ++g) {
      for (std::size_t lane = 0; lane < model.terms[g].lanes; ++lane) {
        terms_.push_back({&model.terms[g], Lane(terms[g], lane, orders)});
        terms_.back().lane.begin(path);
      }
    }
    for (RowLane& row : rows_) row.lane.begin(path);
    for (RowLane& row : rows_) row.lane.extend(0);
    held_ = std::make_unique<Held>(mass, rows_);
  }

  Variation::Stretch find(std::span<const double> position, std::span<const double> velocity) {
    const std::size_t m = rows_.size();
    d_.assign(std::size_t{orders_} * n_, 0.0);
    dlambda_.assign(std::size_t{orders_} * m, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      d_[i] = position[i];
      d_[n_ + i] = path_.length * velocity[i];
    }
    begin();
    right_.resize(n_);
    offset_.resize(m);
    for (unsigned k = 0; k + 2 < orders_; ++k) order(k);
    Variation::Stretch out;
    out.start = path_.time;
    out.length = path_.length;
    out.orders = orders_;
    out.position = d_;
    if (held_->unique()) out.multiplier = dlambda_;
    return out;
  }

 private:
  struct TermLane {
    const model::TermGroup* group;
    Lane lane;
  };

  [[nodiscard]] double q(std::size_t i, unsigned k) const { return d_[k * n_ + i]; }
  [[nodiscard]] double v(std::size_t i, unsigned k) const { return (k + 1) * d_[(k + 1) * n_ + i] / path_.length; }
  void set(Lane& lane, unsigned k) {
    lane.set_position(k, [&](std::size_t i) { return q(i, k); });
    lane.set_velocity(k, [&](std::size_t i) { return k + 1 < orders_ ? v(i, k) : 0.0; });
    lane.extend(k);
  }

  /// Everything that follows from the derivatives of position and velocity at the start.
  void begin() {
    for (TermLane& term : terms_) {
      if (term.group->kind == model::TermKind::kinetic) set(term.lane, 0);
    }
    for (RowLane& row : rows_) {
      set(row.lane, 0);
      if (row.group->holonomic) set(row.lane, 1);
    }
  }

  void order(unsigned k) {
    const double steps = (k + 1.0) * (k + 2.0) / (path_.length * path_.length);
    std::fill(right_.begin(), right_.end(), 0.0);
    if (k == 0) {
      for (std::size_t i = 0; i < n_; ++i) right_[i] += slope_.constant_force[i];
    }
    for (std::size_t i = 0; i < n_; ++i) right_[i] -= slope_.point_mass[i] * steps * path_.q(i, k + 2);
    for (TermLane& term : terms_) add_term(term, k);
    for (std::size_t j = 0; j < rows_.size(); ++j) add_row(j, k);

    // d_{k+2} and dlambda_k: M d + J^T dlambda / steps = right / steps, J d = -offset.
    for (double& x : right_) x /= steps;
    const std::size_t m = rows_.size();
    const std::span<double> found(dlambda_.data() + k * m, m);
    held_->solve(right_, offset_, found);
    for (double& x : found) x *= steps;
    std::copy(right_.begin(), right_.end(), d_.begin() + static_cast<std::ptrdiff_t>((k + 2) * n_));

    for (TermLane& term : terms_) {
      if (term.group->kind == model::TermKind::kinetic) set(term.lane, k + 1);
    }
    for (RowLane& row : rows_) set(row.lane, row.group->holonomic ? k + 2 : k + 1);
  }

  void add_term(TermLane& term, unsigned k) {
    const model::TermGroup& group = *term.group;
    Lane& lane = term.lane;
    if (group.kind == model::TermKind::force) {
      set(lane, k);
      for (std::size_t out = 0; out < group.tape.outputs.size(); ++out) {
        right_[group.target_of[out * group.lanes + lane.number()]] += lane.slope(out, k);
      }
      return;
    }
    if (group.kind == model::TermKind::potential) {
      set(lane, k);
      for (std::size_t slot = 0; slot < group.positions; ++slot) right_[lane.position(slot)] -= lane.slope(1 + slot, k);
      return;
    }
    // T_q - d/dt T_v; the velocity of order k + 1 is not known yet and counts as zero: M takes it up.
    for (std::size_t slot = 0; slot < group.positions; ++slot) right_[lane.position(slot)] += lane.slope(1 + slot, k);
    lane.set_position(k + 1, [&](std::size_t i) { return q(i, k + 1); });
    lane.set_velocity(k + 1, [](std::size_t) { return 0.0; });
    lane.extend(k + 1);
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      right_[lane.velocity(slot)] -= (k + 1) / path_.length * lane.slope(1 + group.positions + slot, k + 1);
    }
  }

  /// What the row does, but for dlambda_k, and what is left of it at its order, but for d_{k+2}.
  void add_row(std::size_t j, unsigned k) {
    RowLane& row = rows_[j];
    const std::size_t m = rows_.size();
    for (std::size_t slot = 0; slot < row.slots(); ++slot) {
      double sum = 0;
      for (unsigned i = 0; i <= k; ++i) {
        if (i < k) sum += dlambda_[i * m + j] * row.lane.value(1 + slot, k - i);
        sum += lambda_[i * m + j] * row.lane.slope(1 + slot, k - i);
      }
      right_[row.variable(slot)] -= sum;
    }
    if (row.group->holonomic) {
      row.lane.set_position(k + 2, [](std::size_t) { return 0.0; });
      row.lane.extend(k + 2);
      offset_[j] = row.lane.slope(0, k + 2);
    } else {
      row.lane.set_position(k + 1, [&](std::size_t i) { return q(i, k + 1); });
      row.lane.set_velocity(k + 1, [](std::size_t) { return 0.0; });
      row.lane.extend(k + 1);
      offset_[j] = row.lane.slope(0, k + 1) * path_.length / (k + 2);
    }
  }

  const model::Model& model_;
  const model::Model& slope_;
  const Path& path_;
  std::span<const double> lambda_;
  std::vector<RowLane> rows_;
  std::vector<TermLane> terms_;
  std::size_t n_;
  unsigned orders_;
  std::unique_ptr<Held> held_;
  std::vector<double> d_, dlambda_, right_, offset_;
};

/// Have the series converged at their ends?
bool converged(const Variation::Stretch& stretch, std::size_t n) {
  // What is rounding of others need not converge.
  const double others = series_converged * series_noise * largest_of(stretch.position);
  for (std::size_t i = 0; i < n; ++i) {
    double most = others / series_converged;
    for (unsigned k = 0; k < stretch.orders; ++k) most = std::max(most, std::abs(stretch.position[k * n + i]));
    for (unsigned k = stretch.orders - 2; k < stretch.orders; ++k) {
      if (!(k * std::abs(stretch.position[k * n + i]) <= series_converged * most)) return false;
    }
  }
  return true;
}

}  // namespace

Variation::Stretch Variation::follow(const motion::Piece& piece, double from, double to,
                                     std::span<const double> modes) {
  const model::Model& model = impl_->model();
  const std::size_t n = model.variables;
  const std::size_t m = piece.rows.size();
  const unsigned orders = std::min(std::max(piece.orders, 3U) + more_orders, most_orders);
  double length = to - from;
  Stretch stretch;
  for (int halving = 0;; ++halving) {
    const double shift = (from - piece.start) / piece.unit;
    const std::vector<double> coefficients = shifted(piece.position, n, piece.orders, shift, length / piece.unit);
    std::vector<double> lambda = shifted(piece.multiplier, m, piece.multiplier_orders, shift, length / piece.unit);
    lambda.resize(std::size_t{std::max(orders, piece.multiplier_orders)} * m, 0.0);
    const Path path{from, length, n, piece.orders, coefficients, modes};
    model::State state;
    state.time = from;
    state.position.assign(coefficients.begin(), coefficients.begin() + static_cast<std::ptrdiff_t>(n));
    state.velocity.resize(n);
    for (std::size_t i = 0; i < n; ++i) state.velocity[i] = path.v(i, 0);
    state.modes.assign(modes.begin(), modes.end());
    impl_->masses_at(state);
    std::vector<RowLane> rows;
    rows.reserve(m);
    for (const std::uint32_t row : piece.rows) rows.push_back(impl_->row_lane(row, orders));
    stretch = Orders(model, impl_->parameter->slope, impl_->terms, std::move(rows), path, lambda, impl_->dynamics.mass,
                     orders)
                  .find(position, velocity);
    if (converged(stretch, n) || halving == most_halvings || from + length / 2 == from) break;
    length /= 2;
  }
  std::vector<double> unused;
  evaluate(stretch, n, stretch.start + stretch.length, position, velocity, unused);
  return stretch;
}

void Variation::evaluate(const Stretch& stretch, std::size_t n, double time, std::vector<double>& position,
                         std::vector<double>& velocity, std::vector<double>& multiplier) {
  const double s = stretch.length == 0 ? 0 : std::clamp((time - stretch.start) / stretch.length, 0.0, 1.0);
  position.assign(n, 0.0);
  velocity.assign(n, 0.0);
  const std::size_t m = stretch.multiplier.size() / std::max(stretch.orders, 1U);
  multiplier.assign(m, 0.0);
  for (unsigned k = stretch.orders; k-- > 0;) {
    for (std::size_t i = 0; i < n; ++i) {
      velocity[i] = velocity[i] * s + position[i];
      position[i] = position[i] * s + stretch.position[k * n + i];
    }
    for (std::size_t j = 0; j < m; ++j) multiplier[j] = multiplier[j] * s + stretch.multiplier[k * m + j];
  }
  for (double& x : velocity) x /= stretch.length;
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
  return {lane.lane.slope(0, 0), lane.lane.value(0, 1)};
}

Variation::Change Variation::rate(std::uint32_t row, const MotionPoint& at) const {
  RowLane lane = impl_->row_lane(row, point_orders);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, at.state.modes};
  place(lane.lane, path, position, velocity, 0);
  return {lane.lane.slope(0, 1), 2 * lane.lane.value(0, 2)};
}

double Variation::rate_of(std::uint32_t row, const model::State& state) const {
  RowLane lane = impl_->row_lane(row, 2);
  std::vector<double> coefficients = state.position;
  coefficients.insert(coefficients.end(), state.velocity.begin(), state.velocity.end());
  const Path path{state.time, 1, impl_->model().variables, 2, coefficients, state.modes};
  lane.lane.begin(path);
  lane.lane.extend(0);
  lane.lane.extend(1);
  return lane.group->holonomic ? lane.lane.value(0, 1) : lane.lane.value(0, 0);
}

double Variation::bound(std::uint32_t row, const model::State& state, std::span<const double> positions,
                        std::span<const double> velocities) const {
  RowLane lane = impl_->row_lane(row, 2);
  std::vector<double> coefficients = state.position;
  coefficients.insert(coefficients.end(), state.velocity.begin(), state.velocity.end());
  const Path path{state.time, 1, impl_->model().variables, 2, coefficients, state.modes};
  lane.lane.begin(path);
  lane.lane.extend(0);
  // With the state kept, what is left of the slope is the parameter's own.
  double sum = std::abs(lane.lane.slope(0, 0));
  for (std::size_t slot = 0; slot < lane.slots(); ++slot) {
    const double entry = std::abs(lane.lane.value(1 + slot, 0));
    sum += entry * (lane.group->holonomic ? positions : velocities)[lane.variable(slot)];
  }
  return sum;
}

double Variation::bound_of_rate(std::uint32_t row, const model::State& state, std::span<const double> positions,
                                std::span<const double> velocities) const {
  RowLane lane = impl_->row_lane(row, 2);
  if (!lane.group->holonomic) return bound(row, state, positions, velocities);
  std::vector<double> coefficients = state.position;
  coefficients.insert(coefficients.end(), state.velocity.begin(), state.velocity.end());
  const Path path{state.time, 1, impl_->model().variables, 2, coefficients, state.modes};
  lane.lane.begin(path);
  lane.lane.extend(0);
  lane.lane.extend(1);
  // f' = g.v + df/dt: gradients by the derivatives of velocities, their change along the motion by those of positions.
  double sum = std::abs(lane.lane.slope(0, 1));
  for (std::size_t slot = 0; slot < lane.slots(); ++slot) {
    sum += std::abs(lane.lane.value(1 + slot, 0)) * velocities[lane.variable(slot)] +
           std::abs(lane.lane.value(1 + slot, 1)) * positions[lane.variable(slot)];
  }
  return sum;
}

Variation::Change Variation::corner(const model::Slotted& group, const model::Slotted& slope, std::uint32_t corner,
                                    std::uint32_t lane, const MotionPoint& at) const {
  const Program program(group, group.switching, slope, slope.switching);
  Lane run(program, lane, point_orders);
  const std::vector<double> coefficients = path_of(at);
  const Path path{at.state.time, 1, impl_->model().variables, point_orders, coefficients, at.state.modes};
  place(run, path, position, velocity, 0);
  return {run.slope(corner, 0), run.value(corner, 1)};
}

Variation::Change Variation::observable(const model::Observable& observable, const model::Observable& slope,
                                        const MotionPoint& at) const {
  const Program program(observable.term, observable.term.tape, slope.term, slope.term.tape);
  Lane run(program, 0, point_orders);
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
  return {run.slope(0, 0), run.value(0, 1)};
}

std::vector<double> Variation::velocities_after(const model::State& before, const Shock& shock) {
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
  Held held(impl_->dynamics.mass, rows);
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
  return change;
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
    Held held(impl_->dynamics.mass, rows_from);

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
        Lane one(impl_->terms[g], lane, point_orders);
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
    Held held(impl_->dynamics.mass, rows);
    std::vector<double> change(n, 0.0);
    std::vector<double> unused(rows.size());
    held.solve(change, offset, unused);
    std::vector<double>& out = rates ? velocity : position;
    for (std::size_t i = 0; i < n; ++i) out[i] += change[i];
  }
}

}  // namespace zwang::sensitivity
