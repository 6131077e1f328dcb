/// One expression of the state along a series.
#include "zwang/motion/lane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/ranges.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

void run_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
              std::vector<double>& registers) {
  const std::size_t orders = std::size_t{along.known} + 1;
  registers.assign(tape.registers() * orders, 0.0);
  expressions::load_constants(tape, registers.data(), static_cast<unsigned>(orders), 1);
  double* to = registers.data();
  to[0] = along.time;
  to[1] = along.unit;
  to += orders;
  for (std::size_t slot = 0; slot < group.positions; ++slot, to += orders) {
    const std::uint32_t i = group.position_of[slot * group.lanes + lane];
    for (unsigned k = 0; k < along.known; ++k) to[k] = along.position[k * along.n + i];
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot, to += orders) {
    const std::uint32_t i = group.velocity_of[slot * group.lanes + lane];
    for (unsigned k = 0; k < along.known; ++k) to[k] = along.of_velocity * along.velocity[k * along.n + i];
  }
  for (std::size_t slot = 0; slot < group.constants; ++slot, to += orders) {
    const bool mode = slot >= group.steady() && !along.modes.empty();
    to[0] = mode ? along.modes[group.first_mode + (slot - group.steady()) * group.lanes + lane]
                 : group.constant_of[slot * group.lanes + lane];
  }
  expressions::sweep(tape, registers.data(), static_cast<unsigned>(orders), along.known - 1, 1);
}

void observe_lane(const Along& along, const model::Observable& observable, std::vector<double>& registers,
                  std::vector<double>& out) {
  Along plain = along;
  plain.modes = {};
  run_lane(plain, observable.term, observable.term.tape, 0, registers);
  const double* f = registers.data() + std::size_t{observable.term.tape.outputs[0]} * (along.known + 1);
  out.assign(f, f + along.known);
}

double size_of_lane(const Along& along, const expressions::Tape& tape, const std::vector<double>& registers,
                    std::uint32_t output) {
  std::vector<double> size(tape.registers());
  expressions::magnitudes(tape, registers.data(), along.known + 1, 1, size.data());
  return size[output];
}

double size_of_lane_within(const Along& along, const expressions::Tape& tape, const std::vector<double>& registers,
                           std::uint32_t output, double h) {
  std::vector<double> most(tape.registers());
  std::vector<double> size(tape.registers());
  for (std::size_t r = 0; r < most.size(); ++r) {
    const double* f = registers.data() + r * (std::size_t{along.known} + 1);
    for (std::size_t k = along.known; k-- > 0;) most[r] = most[r] * h + std::abs(f[k]);
  }
  expressions::magnitudes(tape, most.data(), 1, 1, size.data());
  return size[output];
}

double rest_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
                    const std::vector<double>& registers, std::uint32_t output, double h, LaneBound& bound) {
  if (bound.tape != &tape) {
    bound.tape = &tape;
    bound.sized = expressions::sized_registers(tape);
  }
  expressions::make_room(tape, 1, along.known, bound.room);
  const expressions::Stretch stretch(h, along.known);
  // Of the inputs the positions have one more coefficient.
  double* error = bound.room.error.data();
  const double last = stretch.of_length[along.known];
  *error++ = 0;
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    const std::uint32_t i = group.position_of[slot * group.lanes + lane];
    const double next = std::abs(along.position[along.known * along.n + i]);
    *error++ = next == 0 ? 0.0 : next * last;
  }
  std::fill(error, error + group.velocities + group.constants, 0.0);
  expressions::bound_remainders(tape, bound.sized, registers.data(), along.known + 1, 1, along.known, stretch,
                                bound.room);
  return bound.room.error[output];
}

namespace {

/// The first place on [0, h] at which a root of the tape comes to zero; infinity if there is none.
double first_root(const expressions::Tape& tape, const std::vector<double>& registers, unsigned known, double h) {
  double first = std::numeric_limits<double>::infinity();
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  std::vector<double> p(known);
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    if (tape.instructions[i].op != expressions::Op::sqrt) continue;
    const double* y = registers.data() + (before + i) * (std::size_t{known} + 1);
    if (!(y[0] > 0)) continue;
    for (unsigned k = 0; k < known; ++k) p[k] = -y[k];
    const Excursion found = first_excursion(p, h, 0.0);
    if (found.kind != Excursion::Kind::none) first = std::min(first, found.at);
  }
  return first;
}

}  // namespace

bool stays_away(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
                std::uint32_t output, std::span<const double> thresholds, double h) {
  std::vector<expressions::Range> inputs;
  inputs.push_back({along.time, along.time + h * along.unit});
  const auto add = [&](const double* c, unsigned orders, double factor) {
    double moves = 0;
    for (unsigned k = orders; k > 0; --k) moves = (moves + std::abs(c[std::size_t{k} * along.n])) * h;
    inputs.push_back({factor * (c[0] - moves), factor * (c[0] + moves)});
  };
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    add(along.position + group.position_of[slot * group.lanes + lane], along.known, 1);
  }
  for (std::size_t slot = 0; slot < group.velocities; ++slot) {
    add(along.velocity + group.velocity_of[slot * group.lanes + lane], along.known - 1, along.of_velocity);
  }
  for (std::size_t slot = 0; slot < group.constants; ++slot) {
    const bool mode = slot >= group.steady() && !along.modes.empty();
    const double value = mode ? along.modes[group.first_mode + (slot - group.steady()) * group.lanes + lane]
                              : group.constant_of[slot * group.lanes + lane];
    inputs.push_back({value, value});
  }
  const expressions::Range found = expressions::ranges(tape, inputs)[output];
  return std::all_of(thresholds.begin(), thresholds.end(),
                     [&](double threshold) { return found.low > threshold || found.high < threshold; });
}

double reach_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
                     const std::vector<double>& registers, std::uint32_t output, std::span<const double> thresholds,
                     double part, double h, LaneBound& bound, bool& clear) {
  using namespace step_search;
  clear = false;
  const double root = first_root(tape, registers, along.known, h);
  const double* c = registers.data() + std::size_t{output} * (along.known + 1);
  const double size = size_of_lane(along, tape, registers, output);
  for (int round = 0; round < most_rounds; ++round) {
    // A root that comes to zero does not go on as its own series does.
    const double rest = h > root ? std::numeric_limits<double>::infinity()
                                 : rest_of_lane(along, group, tape, lane, registers, output, h, bound);
    if (rest == 0) return h;
    double moves = 0;
    for (unsigned k = along.known - 1; k > 0; --k) moves = (moves + std::abs(c[k])) * h;
    double terms = std::max(std::abs(c[0]) + moves, size);
    bool near = thresholds.empty();
    for (const double threshold : thresholds) {
      near = near || !(std::abs(c[0] - threshold) > moves + rest);
      terms = std::max(terms, std::abs(threshold));
    }
    const double allowed = std::max(part * terms, faintest);
    const bool bounded = rest < std::numeric_limits<double>::infinity();
    clear = !near;
    // Of a root that begins at zero neither the terms nor the rest are bounded, and one infinity is not less than another.
    if (!near || (bounded && rest <= allowed)) return h;
    // No derivative may be bounded where a root passes zero, and values still are.
    if (!bounded && !thresholds.empty() && stays_away(along, group, tape, lane, output, thresholds, h)) {
      clear = true;
      return h;
    }
    const double by =
        bounded ? std::clamp(safety * elementary::pow(allowed / rest, 1.0 / along.known), steepest_fall, safety) : 0.5;
    h = shortened(by * h);
  }
  return 0;
}

}  // namespace zwang::motion
