/// Derivatives along pieces and through instants.
#include "zwang/sensitivity/variation.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <utility>

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
    itself = tangent.tape;
    itself.instructions.resize(tape.instructions.size());
  }

  expressions::Tape itself;       ///< the tape without the derivatives, in the same registers
  std::vector<std::uint8_t> all;  ///< per instruction: derivatives of outputs that are asked for along a piece need it
  std::vector<std::uint8_t> first;  ///< those of the outputs that are asked for before the state of an order is known

  /// Which of the instructions behind the tape itself the derivatives of these outputs need.
  [[nodiscard]] std::vector<std::uint8_t> needed(std::span<const std::uint32_t> outputs) const {
    const expressions::Tape& made = tangent.tape;
    const std::size_t before = made.inputs.size() + made.constants.size();
    std::vector<std::uint8_t> out(made.instructions.size(), 0);
    const auto mark = [&](std::size_t at) {
      if (at >= before + itself.instructions.size()) out[at - before] = 1;
    };
    for (const std::uint32_t output : outputs) mark(tangent.derivative(output));
    for (std::size_t k = out.size(); k-- > itself.instructions.size();) {
      if (out[k] == 0) continue;
      mark(made.instructions[k].a);
      mark(made.instructions[k].b);
      if (made.instructions[k].op == expressions::Op::select) mark(before + k - 1);
    }
    return out;
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

double constant_at(const model::Slotted& group, std::size_t slot, std::size_t lane, std::span<const double> modes) {
  return slot >= group.steady() && !modes.empty()
             ? modes[group.first_mode + (slot - group.steady()) * group.lanes + lane]
             : group.constant_of[slot * group.lanes + lane];
}
/// Of the numbers of the piece on which a table or spline is: told by the numbers themselves.
double mode_slope(const model::Slotted& group, const model::Slotted& slope, std::size_t mode, std::size_t lane,
                  std::span<const double> modes) {
  for (std::size_t c = 0; c < group.corners.size(); ++c) {
    const expressions::Corner& corner = group.corners[c];
    if (mode < corner.first_mode || mode >= corner.first_mode + corner.modes) continue;
    for (std::size_t p = 0; p < corner.pieces.piece.size(); ++p) {
      bool same = true;
      for (std::uint32_t k = 0; k < corner.modes; ++k) {
        same = same &&
               constant_at(group, group.steady() + corner.first_mode + k, lane, modes) == corner.pieces.piece[p].at(k);
      }
      if (same) return slope.corners[c].pieces.piece[p].at(mode - corner.first_mode);
    }
  }
  return 0;
}

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
      seed(thing++)[0] = slot < group.steady() ? slope.constant_of[std::size_t{slot} * group.lanes + lane_]
                                               : mode_slope(group, slope, slot - group.steady(), lane_, path.modes);
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

/// Some lanes of a program side by side, on series along a path: the path itself at once, the derivatives order by order.
class Block {
 public:
  Block(const Program& program, std::vector<std::size_t> lanes, unsigned orders)
      : program_(&program),
        lanes_(std::move(lanes)),
        width_(lanes_.size() == 1 ? 1 : expressions::wide),
        orders_(orders),
        registers_(program.tangent.tape.registers() * orders * width_, 0.0) {
    expressions::load_constants(program.tangent.tape, registers_.data(), orders, width_);
  }

  void begin(const Path& path) {
    const model::Slotted& group = *program_->group;
    const model::Slotted& slope = *program_->slope;
    const std::size_t state = 1 + std::size_t{group.positions} + group.velocities;
    for (unsigned l = 0; l < width_; ++l) {
      const std::size_t lane = lane_of(l);
      at(0, 0, l) = path.time;
      if (orders_ > 1) at(0, 1, l) = path.length;
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        const std::uint32_t variable = group.position_of[slot * group.lanes + lane];
        for (unsigned k = 0; k < orders_; ++k) at(1 + slot, k, l) = path.q(variable, k);
      }
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        const std::uint32_t variable = group.velocity_of[slot * group.lanes + lane];
        for (unsigned k = 0; k < orders_; ++k) at(1 + group.positions + slot, k, l) = path.v(variable, k);
      }
      for (std::size_t slot = 0; slot < group.constants; ++slot) {
        at(state + slot, 0, l) = constant_at(group, slot, lane, path.modes);
      }
      std::size_t thing = state;
      for (const std::uint32_t slot : program_->slots) {
        at(program_->tangent.seed(thing++), 0, l) =
            slot < group.steady() ? slope.constant_of[std::size_t{slot} * group.lanes + lane]
                                  : mode_slope(group, slope, slot - group.steady(), lane, path.modes);
      }
      for (const std::uint32_t k : program_->moving.constants)
        at(program_->tangent.seed(thing++), 0, l) = program_->slope_tape->constants[k];
      for (const std::uint32_t k : program_->moving.instructions)
        at(program_->tangent.seed(thing++), 0, l) = program_->slope_tape->instructions[k].c;
    }
    expressions::sweep(program_->itself, registers_.data(), orders_, orders_ - 1, width_);
  }

  /// Coefficient k of the derivatives of the state, then of what is needed.
  template <class Position, class Velocity>
  void extend(unsigned k, const Position& position, const Velocity& velocity, const std::vector<std::uint8_t>& needed) {
    const model::Slotted& group = *program_->group;
    for (unsigned l = 0; l < width_; ++l) {
      const std::size_t lane = lane_of(l);
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        at(program_->tangent.seed(1 + slot), k, l) = position(group.position_of[slot * group.lanes + lane]);
      }
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        at(program_->tangent.seed(1 + group.positions + slot), k, l) =
            velocity(group.velocity_of[slot * group.lanes + lane]);
      }
    }
    if (k == 0) {
      expressions::extend(program_->tangent.tape, registers_.data(), orders_, 0, 0, width_);
    } else {
      expressions::extend_some(program_->tangent.tape, needed, registers_.data(), orders_, k, width_);
    }
  }

  /// Coefficient k of sum over lanes' own series: dlambda * value + lambda * slope of an output, one sum per lane. The last coefficient of
  /// dlambda is not known yet.
  void convolve(std::size_t output, unsigned k, const double* lambda, const double* dlambda, double* out) const {
    const double* value = registers_.data() + std::size_t{program_->tangent.value(output)} * orders_ * width_;
    const double* slope = registers_.data() + std::size_t{program_->tangent.derivative(output)} * orders_ * width_;
    if (width_ == 1) {
      convolve_lanes<1>(value, slope, k, lambda, dlambda, out);
    } else {
      convolve_lanes<expressions::wide>(value, slope, k, lambda, dlambda, out);
    }
  }

  [[nodiscard]] const Program& program() const { return *program_; }
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] unsigned orders() const { return orders_; }
  [[nodiscard]] std::size_t count() const { return lanes_.size(); }
  [[nodiscard]] std::size_t lane(std::size_t l) const { return lanes_[l]; }
  [[nodiscard]] double value(std::size_t l, std::size_t output, unsigned k) const {
    return registers_[(std::size_t{program_->tangent.value(output)} * orders_ + k) * width_ + l];
  }
  [[nodiscard]] double slope(std::size_t l, std::size_t output, unsigned k) const {
    return registers_[(std::size_t{program_->tangent.derivative(output)} * orders_ + k) * width_ + l];
  }

 private:
  template <unsigned W>
  static void convolve_lanes(const double* value, const double* slope, unsigned k, const double* lambda,
                             const double* dlambda, double* out) {
    double sum[W] = {};
    for (unsigned i = 0; i < k; ++i) {
      const double* v = value + std::size_t{k - i} * W;
      const double* s = slope + std::size_t{k - i} * W;
      for (unsigned l = 0; l < W; ++l) sum[l] += dlambda[i * W + l] * v[l] + lambda[i * W + l] * s[l];
    }
    for (unsigned l = 0; l < W; ++l) out[l] = sum[l] + lambda[k * W + l] * slope[l];
  }
  [[nodiscard]] std::size_t lane_of(unsigned l) const { return lanes_[std::min<std::size_t>(l, lanes_.size() - 1)]; }
  double& at(std::size_t reg, unsigned k, unsigned l) { return registers_[(reg * orders_ + k) * width_ + l]; }

  const Program* program_;
  std::vector<std::size_t> lanes_;
  unsigned width_;
  unsigned orders_;
  std::vector<double> registers_;
};

/// Lanes in blocks as they are run together.
std::vector<Block> blocks_of(const Program& program, const std::vector<std::size_t>& lanes, unsigned orders) {
  std::vector<Block> out;
  const std::size_t together = lanes.size() > 2 ? expressions::wide : 1;
  for (std::size_t from = 0; from < lanes.size(); from += together) {
    const std::size_t to = std::min(from + together, lanes.size());
    out.emplace_back(program,
                     std::vector<std::size_t>(lanes.begin() + static_cast<std::ptrdiff_t>(from),
                                              lanes.begin() + static_cast<std::ptrdiff_t>(to)),
                     orders);
  }
  return out;
}

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

namespace {

/// Where a row held stands among the blocks.
struct RowPlace {
  const model::RowGroup* group = nullptr;
  std::size_t block = 0;
  std::size_t lane = 0;  ///< of the block
  [[nodiscard]] std::size_t slots() const { return group->holonomic ? group->positions : group->velocities; }
  [[nodiscard]] std::uint32_t variable(const Block& own, std::size_t slot) const {
    return (group->holonomic ? group->position_of : group->velocity_of)[slot * group->lanes + own.lane(lane)];
  }
};

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
      const model::TermGroup& group = model.terms[k];
      std::vector<std::uint32_t> momenta(group.kind == model::TermKind::kinetic ? group.velocities : 0);
      std::iota(momenta.begin(), momenta.end(), 1 + group.positions);
      terms.back().first = terms.back().needed(momenta);
      // Forces; of an energy its gradient and the momenta, but neither itself nor its second derivatives.
      const bool force = group.kind == model::TermKind::force;
      std::vector<std::uint32_t> asked(force ? group.tape.outputs.size() : group.positions + momenta.size());
      std::iota(asked.begin(), asked.end(), force ? 0U : 1U);
      terms.back().all = terms.back().needed(asked);
    }
    for (std::size_t k = 0; k < model.groups.size(); ++k) {
      rows.emplace_back(model.groups[k], model.groups[k].tape, slope.slope.groups[k], slope.slope.groups[k].tape);
      const std::uint32_t value[] = {0};
      rows.back().first = rows.back().needed(value);
      const model::RowGroup& group = model.groups[k];
      std::vector<std::uint32_t> asked(1 + (group.holonomic ? group.positions : group.velocities));
      std::iota(asked.begin(), asked.end(), 0U);
      rows.back().all = rows.back().needed(asked);
    }
  }

  [[nodiscard]] const model::Model& model() const { return parameter->model; }
  [[nodiscard]] RowLane row_lane(std::uint32_t row, unsigned room) const {
    const std::uint32_t group = model().row_group[row];
    return {&model().groups[group], Lane(rows[group], model().row_lane[row], room)};
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

  // Lanes in blocks, kept from piece to piece.
  unsigned orders = 0;
  std::vector<Block> term_blocks;
  std::vector<std::size_t> term_of_block;
  std::vector<Block> row_blocks;
  std::vector<std::uint32_t> blocked_rows;
  std::vector<RowPlace> row_places;
  double part = 1;     ///< of a piece: how much of it the last stretch took
  unsigned extra = 0;  ///< orders beyond `more_orders`, once they have spared a stretch

  void arrange(const std::vector<std::uint32_t>& held, unsigned wanted) {
    const bool fresh = orders != wanted;
    orders = wanted;
    if (fresh) {
      term_blocks.clear();
      term_of_block.clear();
      for (std::size_t g = 0; g < terms.size(); ++g) {
        std::vector<std::size_t> lanes(model().terms[g].lanes);
        std::iota(lanes.begin(), lanes.end(), std::size_t{0});
        for (Block& block : blocks_of(terms[g], lanes, orders)) {
          term_blocks.push_back(std::move(block));
          term_of_block.push_back(g);
        }
      }
    }
    if (!fresh && blocked_rows == held) return;
    blocked_rows = held;
    row_blocks.clear();
    row_places.assign(held.size(), {});
    for (std::size_t g = 0; g < rows.size(); ++g) {
      std::vector<std::size_t> lanes;
      std::vector<std::size_t> which;
      for (std::size_t j = 0; j < held.size(); ++j) {
        if (model().row_group[held[j]] != g) continue;
        lanes.push_back(model().row_lane[held[j]]);
        which.push_back(j);
      }
      std::size_t next = 0;
      for (Block& block : blocks_of(rows[g], lanes, orders)) {
        for (std::size_t l = 0; l < block.count(); ++l)
          row_places[which[next++]] = {&model().groups[g], row_blocks.size(), l};
        row_blocks.push_back(std::move(block));
      }
    }
  }

  void masses_at(const model::State& state) { model::evaluate_mass(model(), state, scratch, dynamics); }
};

namespace {

/// Rows as a matrix, and the factor of J W J^T.
class Held {
 public:
  Held(const linear::Mass& mass, const std::vector<RowLane>& rows) : mass_(&mass) {
    for (const RowLane& row : rows) {
      add(row.slots(), [&](std::size_t slot) { return std::pair(row.variable(slot), row.lane.value(1 + slot, 0)); });
    }
    factor();
  }
  Held(const linear::Mass& mass, const std::vector<RowPlace>& rows, const std::vector<Block>& blocks) : mass_(&mass) {
    for (const RowPlace& row : rows) {
      const Block& block = blocks[row.block];
      add(row.slots(),
          [&](std::size_t slot) { return std::pair(row.variable(block, slot), block.value(row.lane, 1 + slot, 0)); });
    }
    factor();
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
  /// A row of so many entries, columns ascending.
  template <class Entry>
  void add(std::size_t slots, const Entry& entry) {
    entries_.clear();
    for (std::size_t slot = 0; slot < slots; ++slot) entries_.push_back(entry(slot));
    std::sort(entries_.begin(), entries_.end());
    for (const auto& [variable, value] : entries_) {
      column_.push_back(variable);
      entry_.push_back(value);
    }
    start_.push_back(static_cast<std::uint32_t>(column_.size()));
  }
  void factor() {
    if (start_.size() == 1) return;
    const std::vector<std::uint8_t> shares(start_.size() - 1, 1);
    factor_.shape(view(), *mass_, shares);
    factor_.factor(view(), *mass_);
  }

  const linear::Mass* mass_;
  std::vector<std::pair<std::uint32_t, double>> entries_;
  std::vector<std::uint32_t> start_{0}, column_;
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
  Orders(const model::Model& model, const model::Model& slope, std::vector<Block>& terms,
         const std::vector<std::size_t>& term_of_block, std::vector<Block>& row_blocks,
         const std::vector<RowPlace>& rows, const Path& path, std::span<const double> multiplier,
         const linear::Mass& mass, unsigned orders)
      : model_(model),
        slope_(slope),
        path_(path),
        lambda_(multiplier),
        terms_(terms),
        term_of_block_(term_of_block),
        blocks_(row_blocks),
        rows_(rows),
        n_(model.variables),
        orders_(orders) {
    for (Block& term : terms_) term.begin(path);
    for (Block& block : blocks_) block.begin(path);
    held_ = std::make_unique<Held>(mass, rows_, blocks_);
  }

  Variation::Stretch find(std::span<const double> position, std::span<const double> velocity) {
    const std::size_t m = rows_.size();
    d_.assign(std::size_t{orders_} * n_, 0.0);
    dlambda_.assign(std::size_t{orders_} * m, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      d_[i] = position[i];
      d_[n_ + i] = path_.length * velocity[i];
    }
    // Everything that follows from the derivatives of position and velocity at the start.
    for (std::size_t b = 0; b < terms_.size(); ++b) {
      if (group_of(b).kind == model::TermKind::kinetic) set(terms_[b], 0);
    }
    for (Block& block : blocks_) {
      set(block, 0);
      if (holonomic(block) && !model_.flow) set(block, 1);
    }
    right_.resize(n_);
    offset_.resize(m);
    block_lambda_.resize(blocks_.size());
    block_dlambda_.resize(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      block_lambda_[b].assign(std::size_t{orders_} * blocks_[b].width(), 0.0);
      block_dlambda_[b].assign(std::size_t{orders_} * blocks_[b].width(), 0.0);
    }
    for (std::size_t j = 0; j < m; ++j) {
      const std::size_t b = rows_[j].block;
      for (unsigned k = 0; k < orders_; ++k)
        block_lambda_[b][std::size_t{k} * blocks_[b].width() + rows_[j].lane] = lambda_[k * m + j];
    }
    if (model_.flow) {
      for (unsigned k = 0; k + 1 < orders_; ++k) order_of_flow(k);
    } else {
      for (unsigned k = 0; k + 2 < orders_; ++k) order(k);
    }
    Variation::Stretch out;
    out.start = path_.time;
    out.length = path_.length;
    out.orders = orders_;
    out.position = d_;
    if (held_->unique()) out.multiplier = dlambda_;
    return out;
  }

 private:
  [[nodiscard]] const model::TermGroup& group_of(std::size_t block) const {
    return model_.terms[term_of_block_[block]];
  }
  [[nodiscard]] static bool holonomic(const Block& block) {
    return static_cast<const model::RowGroup*>(block.program().group)->holonomic;
  }
  [[nodiscard]] double q(std::size_t i, unsigned k) const { return d_[k * n_ + i]; }
  [[nodiscard]] double v(std::size_t i, unsigned k) const {
    return k + 1 < orders_ ? (k + 1) * d_[(k + 1) * n_ + i] / path_.length : 0.0;
  }
  void set(Block& block, unsigned k) {
    block.extend(
        k, [&](std::size_t i) { return q(i, k); }, [&](std::size_t i) { return v(i, k); }, block.program().all);
  }

  void order(unsigned k) {
    const double steps = (k + 1.0) * (k + 2.0) / (path_.length * path_.length);
    std::fill(right_.begin(), right_.end(), 0.0);
    if (k == 0) {
      for (std::size_t i = 0; i < n_; ++i) right_[i] += slope_.constant_force[i];
    }
    for (std::size_t i = 0; i < n_; ++i) right_[i] -= slope_.point_mass[i] * steps * path_.q(i, k + 2);
    for (std::size_t b = 0; b < terms_.size(); ++b) add_term(terms_[b], group_of(b), k);
    for (Block& block : blocks_) look_ahead(block, k);
    for (std::size_t b = 0; b < blocks_.size(); ++b) press(b, k);
    for (std::size_t j = 0; j < rows_.size(); ++j) offset_[j] = left_of(rows_[j], k);

    // d_{k+2} and dlambda_k: M d + J^T dlambda / steps = right / steps, J d = -offset.
    for (double& x : right_) x /= steps;
    solve(k, steps);
    std::copy(right_.begin(), right_.end(), d_.begin() + static_cast<std::ptrdiff_t>((k + 2) * n_));

    for (std::size_t b = 0; b < terms_.size(); ++b) {
      if (group_of(b).kind == model::TermKind::kinetic) set(terms_[b], k + 1);
    }
    for (Block& block : blocks_) set(block, holonomic(block) ? k + 2 : k + 1);
  }

  /// x' = X - J^T lambda: one derivative less, masses 1.
  void order_of_flow(unsigned k) {
    const double steps = (k + 1.0) / path_.length;
    std::fill(right_.begin(), right_.end(), 0.0);
    for (std::size_t b = 0; b < terms_.size(); ++b) add_term(terms_[b], group_of(b), k);
    const auto nothing = [](std::size_t) { return 0.0; };
    for (Block& block : blocks_) {
      if (holonomic(block)) {
        block.extend(k + 1, nothing, nothing, block.program().first);
      } else {
        block.extend(
            k, [&](std::size_t i) { return q(i, k); }, nothing, block.program().all);
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) press(b, k);
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Block& block = blocks_[rows_[j].block];
      offset_[j] = holonomic(block) ? block.slope(rows_[j].lane, 0, k + 1) : block.slope(rows_[j].lane, 0, k) / steps;
    }
    for (double& x : right_) x /= steps;
    solve(k, steps);
    std::copy(right_.begin(), right_.end(), d_.begin() + static_cast<std::ptrdiff_t>((k + 1) * n_));
    for (Block& block : blocks_) set(block, holonomic(block) ? k + 1 : k);
  }

  /// `right_` becomes the next coefficients, and dlambda_k is found.
  void solve(unsigned k, double steps) {
    const std::size_t m = rows_.size();
    const std::span<double> found(dlambda_.data() + k * m, m);
    held_->solve(right_, offset_, found);
    for (std::size_t j = 0; j < m; ++j) {
      found[j] *= steps;
      const std::size_t b = rows_[j].block;
      block_dlambda_[b][std::size_t{k} * blocks_[b].width() + rows_[j].lane] = found[j];
    }
  }

  void add_term(Block& block, const model::TermGroup& group, unsigned k) {
    const auto position = [&](std::size_t slot, std::size_t l) {
      return group.position_of[slot * group.lanes + block.lane(l)];
    };
    if (group.kind != model::TermKind::kinetic) set(block, k);
    if (group.kind == model::TermKind::force) {
      for (std::size_t l = 0; l < block.count(); ++l) {
        for (std::size_t out = 0; out < group.tape.outputs.size(); ++out) {
          right_[group.target_of[out * group.lanes + block.lane(l)]] += block.slope(l, out, k);
        }
      }
      return;
    }
    const double sign = group.kind == model::TermKind::potential ? -1.0 : 1.0;
    for (std::size_t l = 0; l < block.count(); ++l) {
      for (std::size_t slot = 0; slot < group.positions; ++slot)
        right_[position(slot, l)] += sign * block.slope(l, 1 + slot, k);
    }
    if (group.kind == model::TermKind::potential) return;
    // T_q - d/dt T_v; the velocity of order k + 1 is not known yet and counts as zero: M takes it up.
    block.extend(
        k + 1, [&](std::size_t i) { return q(i, k + 1); }, [](std::size_t) { return 0.0; }, block.program().first);
    for (std::size_t l = 0; l < block.count(); ++l) {
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        right_[group.velocity_of[slot * group.lanes + block.lane(l)]] -=
            (k + 1) / path_.length * block.slope(l, 1 + group.positions + slot, k + 1);
      }
    }
  }

  /// The rows at the order of d_{k+2}, which counts as zero.
  void look_ahead(Block& block, unsigned k) const {
    const auto nothing = [](std::size_t) { return 0.0; };
    if (holonomic(block)) {
      block.extend(k + 2, nothing, nothing, block.program().first);
    } else {
      block.extend(
          k + 1, [&](std::size_t i) { return q(i, k + 1); }, nothing, block.program().first);
    }
  }

  /// What the rows of a block do, but for dlambda_k.
  void press(std::size_t b, unsigned k) {
    const Block& block = blocks_[b];
    const auto& group = static_cast<const model::RowGroup&>(*block.program().group);
    const std::size_t slots = group.holonomic ? group.positions : group.velocities;
    const std::vector<std::uint32_t>& variable_of = group.holonomic ? group.position_of : group.velocity_of;
    double sum[expressions::wide];
    for (std::size_t slot = 0; slot < slots; ++slot) {
      block.convolve(1 + slot, k, block_lambda_[b].data(), block_dlambda_[b].data(), sum);
      for (std::size_t l = 0; l < block.count(); ++l) right_[variable_of[slot * group.lanes + block.lane(l)]] -= sum[l];
    }
  }

  /// What is left of a row at its order, but for d_{k+2}.
  [[nodiscard]] double left_of(const RowPlace& row, unsigned k) const {
    const Block& block = blocks_[row.block];
    return row.group->holonomic ? block.slope(row.lane, 0, k + 2)
                                : block.slope(row.lane, 0, k + 1) * path_.length / (k + 2);
  }

  const model::Model& model_;
  const model::Model& slope_;
  const Path& path_;
  std::span<const double> lambda_;
  std::vector<Block>& terms_;
  const std::vector<std::size_t>& term_of_block_;
  std::vector<Block>& blocks_;
  const std::vector<RowPlace>& rows_;
  std::size_t n_;
  unsigned orders_;
  std::unique_ptr<Held> held_;
  std::vector<double> d_, dlambda_, right_, offset_;
  std::vector<std::vector<double>> block_lambda_, block_dlambda_;  ///< per block, [order * width + lane]
};

/// The last two terms of the series as a part of their largest.
double left_over(const Variation::Stretch& stretch, std::size_t n, double least) {
  // What is rounding of others, or of the motion itself, need not converge.
  const double others = std::max(least, series_noise * largest_of(stretch.position));
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double most = others;
    for (unsigned k = 0; k < stretch.orders; ++k) most = std::max(most, std::abs(stretch.position[k * n + i]));
    for (unsigned k = stretch.orders - 2; k < stretch.orders; ++k) {
      const double last = k * std::abs(stretch.position[k * n + i]);
      if (!(last <= most * worst)) worst = last == 0 ? worst : last / most;
    }
  }
  return worst;
}

}  // namespace

Variation::Stretch Variation::follow(const motion::Piece& piece, double from, double to,
                                     std::span<const double> modes) {
  const model::Model& model = impl_->model();
  const std::size_t n = model.variables;
  const std::size_t m = piece.rows.size();
  const unsigned fewest = std::max(piece.orders, 3U) + more_orders;
  unsigned orders = std::min(fewest + impl_->extra, most_orders);
  impl_->arrange(piece.rows, orders);
  // As much of the piece as the last time, at first; never a crumb behind it.
  double length = impl_->part < 1 ? impl_->part * piece.length : to - from;
  if (from + length * (1 + smallest_rest) >= to) length = to - from;
  // Where a parameter begins to act, derivatives are nothing yet beside what the motion does in this piece.
  double moves = 0;
  const std::vector<double> whole = shifted(piece.position, n, piece.orders, 0, piece.length / piece.unit);
  for (std::size_t k = n; k < whole.size(); ++k) moves = std::max(moves, std::abs(whole[k]));
  const double value = std::abs(impl_->parameter->value);
  const double least = no_slope * moves / (value == 0 ? 1 : value);
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
    stretch = Orders(model, impl_->parameter->slope, impl_->term_blocks, impl_->term_of_block, impl_->row_blocks,
                     impl_->row_places, path, lambda, impl_->dynamics.mass, orders)
                  .find(position, velocity);
    const double off = left_over(stretch, n, least);
    // A few orders more are cheaper than two stretches, where they are enough.
    if (off > series_converged && impl_->extra == 0 && fewest + extra_orders <= most_orders &&
        std::ldexp(off, -2 * static_cast<int>(extra_orders)) <= series_converged) {
      impl_->extra = extra_orders;
      orders = fewest + extra_orders;
      impl_->arrange(piece.rows, orders);
      --halving;
      continue;
    }
    if (off <= series_converged || halving == most_halvings || from + length / 2 == from) {
      // The last terms of twice the length would be 2^orders as large.
      impl_->part = length / piece.length;
      if (std::ldexp(off, static_cast<int>(orders)) <= series_converged) impl_->part = std::min(1.0, 2 * impl_->part);
      break;
    }
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
