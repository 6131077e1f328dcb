/// One lane of a group's tape at a state, with first derivatives by any one of its inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

/// Values first; after `by_...` the derivatives of all outputs by that input alone.
template <class Group>
class Lane {
 public:
  Lane(const Group& group, std::size_t lane, const model::State& state)
      : group_(group), registers_(group.tape.registers() * orders, 0.0) {
    expressions::load_constants(group.tape, registers_.data(), orders, 1);
    input(0)[0] = state.time;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      input(1 + slot)[0] = state.position[group.position_of[slot * group.lanes + lane]];
    }
    for (std::size_t slot = 0; slot < group.velocities; ++slot) {
      input(1 + group.positions + slot)[0] = state.velocity[group.velocity_of[slot * group.lanes + lane]];
    }
    for (std::size_t slot = 0; slot < group.constants; ++slot) {
      input(1 + group.positions + group.velocities + slot)[0] = group.constant_of[slot * group.lanes + lane];
    }
    if (!group.corners.empty()) {
      std::vector<expressions::Side> sides(group.corners.size());
      std::vector<double> modes(group.modes);
      if (state.modes.empty()) {
        model::find_sides(group, lane, state, sides, modes);
      } else {
        for (std::size_t k = 0; k < modes.size(); ++k) {
          modes[k] = state.modes[group.first_mode + k * group.lanes + lane];
        }
      }
      for (std::size_t k = 0; k < modes.size(); ++k) {
        input(1 + group.positions + group.velocities + group.steady() + k)[0] = modes[k];
      }
    }
    expressions::extend(group.tape, registers_.data(), orders, 0, 0, 1);
  }

  void by_time() { seed(0); }
  void by_position(std::size_t slot) { seed(1 + slot); }
  void by_velocity(std::size_t slot) { seed(1 + group_.positions + slot); }
  [[nodiscard]] double value(std::size_t output) const {
    return registers_[std::size_t{group_.tape.outputs[output]} * orders];
  }
  [[nodiscard]] double derivative(std::size_t output) const {
    return registers_[std::size_t{group_.tape.outputs[output]} * orders + 1];
  }

 private:
  static constexpr unsigned orders = 2;
  double* input(std::size_t slot) { return registers_.data() + slot * orders; }
  void seed(std::size_t slot) {
    input(last_)[1] = 0;
    input(slot)[1] = 1;
    last_ = slot;
    expressions::extend(group_.tape, registers_.data(), orders, 1, 1, 1);
  }

  const Group& group_;
  std::vector<double> registers_;
  std::size_t last_ = 0;
};

}  // namespace zwang::analysis
