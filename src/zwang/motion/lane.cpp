/// One expression of the state along a series.
#include "zwang/motion/lane.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/motion/step_search.hpp"

namespace zwang::motion {

namespace {

/// Circles of reckoning, as multiples of the step: small ones see less of what lies ahead, large ones make little of what is known.
constexpr std::array<double, 3> circles = {4, 2, 1.2};
/// Of the terms of a register: coefficients below this count as rounding.
constexpr double rounding_of_coefficients = 1e-16;
constexpr int most_rounds = 60;  ///< of making a step smaller
constexpr double steepest_fall = 0.1, safety = 0.98;

}  // namespace

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

double rest_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
                    const std::vector<double>& registers, std::uint32_t output, double h, LaneBound& bound) {
  if (bound.tape != &tape) {
    bound.tape = &tape;
    bound.sized = expressions::sized_registers(tape);
  }
  expressions::make_room(tape, 1, bound.room);
  // Of the inputs the positions have one more coefficient.
  double* error = bound.room.error.data();
  const double last = elementary::pow(h, static_cast<double>(along.known));
  *error++ = 0;
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    const std::uint32_t i = group.position_of[slot * group.lanes + lane];
    const double next = std::abs(along.position[along.known * along.n + i]);
    *error++ = next == 0 ? 0.0 : next * last;
  }
  std::fill(error, error + group.velocities + group.constants, 0.0);
  double least = std::numeric_limits<double>::infinity();
  for (const double circle : circles) {
    const expressions::Stretch stretch(h, circle * h, rounding_of_coefficients);
    expressions::bound_remainders(tape, bound.sized, registers.data(), along.known + 1, 1, along.known, stretch,
                                  bound.room);
    least = std::min(least, bound.room.error[output]);
  }
  return least;
}

double reach_of_lane(const Along& along, const model::Slotted& group, const expressions::Tape& tape, std::size_t lane,
                     const std::vector<double>& registers, std::uint32_t output, std::span<const double> thresholds,
                     double part, double h, LaneBound& bound) {
  const double* c = registers.data() + std::size_t{output} * (along.known + 1);
  for (int round = 0; round < most_rounds; ++round) {
    const double rest = rest_of_lane(along, group, tape, lane, registers, output, h, bound);
    if (rest == 0) return h;
    double moves = 0;
    for (unsigned k = along.known - 1; k > 0; --k) moves = (moves + std::abs(c[k])) * h;
    double terms = std::abs(c[0]) + moves;
    bool near = false;
    for (const double threshold : thresholds) {
      near = near || !(std::abs(c[0] - threshold) > moves + rest);
      terms = std::max(terms, std::abs(threshold));
    }
    const double allowed = part * terms;
    if (!near || rest <= allowed) return h;
    const double by =
        rest < std::numeric_limits<double>::infinity()
            ? std::clamp(safety * elementary::pow(allowed / rest, 1.0 / along.known), steepest_fall, safety)
            : 0.5;
    h = shortened(by * h);
  }
  return 0;
}

}  // namespace zwang::motion
