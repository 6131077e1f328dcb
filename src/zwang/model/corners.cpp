/// The sides of the switching functions at a state, and the modes that belong to them.
///
/// A switching function may contain modes of corners inside of it: their sides are found first, by going over all corners until
/// nothing changes any more, at most as often as corners are nested.
#include <algorithm>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/half_turns.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::model {

using expressions::Corner;
using expressions::Side;

void evaluate_switching(const Slotted& group, std::size_t lane, const State& state, std::span<const double> modes,
                        std::vector<double>& out) {
  const expressions::Tape& tape = group.switching;
  std::vector<double> registers(tape.registers());
  expressions::load_constants(tape, registers.data(), 1, 1);
  fill_inputs<1, 1>(group, state.time, state.position, state.velocity, {}, lane, registers.data());
  const std::size_t place = std::size_t{1} + group.positions + group.velocities + group.steady();
  std::copy(modes.begin(), modes.end(), registers.begin() + static_cast<std::ptrdiff_t>(place));
  expressions::extend(tape, registers.data(), 1, 0, 0, 1);
  out.clear();
  for (const std::uint32_t output : tape.outputs) out.push_back(registers[output]);
}

void find_sides(const Slotted& group, std::size_t lane, const State& state, std::span<Side> sides,
                std::span<double> modes) {
  const std::size_t count = group.corners.size();
  std::vector<double> g;
  for (std::size_t round = 0; round <= count; ++round) {
    evaluate_switching(group, lane, state, modes, g);
    bool changed = round == 0;
    for (std::size_t c = 0; c < count; ++c) {
      const Corner& corner = group.corners[c];
      const Side side = corner.side(g[c], g[count + c]);
      changed = changed || side != sides[c];
      sides[c] = side;
      corner.numbers(side, modes.subspan(corner.first_mode, corner.modes));
    }
    if (!changed) return;
  }
}

std::vector<Side> sides_of(const Model& model, const State& state) {
  std::vector<Side> out(model.switches, 0);
  std::vector<Side> sides;
  std::vector<double> modes;
  for_cornered(model, [&](const Slotted& group) {
    sides.resize(group.corners.size());
    modes.resize(group.modes);
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      find_sides(group, lane, state, sides, modes);
      for (std::size_t c = 0; c < sides.size(); ++c) out[group.first_switch + c * group.lanes + lane] = sides[c];
    }
  });
  return out;
}

std::vector<std::uint32_t> turning_switches(const Model& model) {
  std::vector<std::uint32_t> out;
  if (model.switches == 0) return out;
  for_cornered(model, [&](const Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].kind != expressions::CornerKind::turns) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        out.push_back(group.first_switch + c * group.lanes + lane);
      }
    }
  });
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Side> sides_after(const Model& model, const State& state, std::span<const Side> before,
                              const State& crossing) {
  std::vector<Side> out(model.switches, 0);
  std::vector<double> modes;
  std::vector<double> g, there;
  for_cornered(model, [&](const Slotted& group) {
    const std::size_t count = group.corners.size();
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      modes.assign(group.modes, 0.0);
      // Corners inside of others first, as in `find_sides`.
      for (std::size_t round = 0; round <= count; ++round) {
        evaluate_switching(group, lane, state, modes, g);
        evaluate_switching(group, lane, crossing, modes, there);
        bool changed = round == 0;
        for (std::size_t c = 0; c < count; ++c) {
          const Corner& corner = group.corners[c];
          Side& own = out[group.first_switch + c * group.lanes + lane];
          Side side = corner.side(g[c], g[count + c]);
          if (corner.kind == expressions::CornerKind::turns) {
            const Side last = before[group.first_switch + c * group.lanes + lane];
            const bool right = g[c] >= 0;
            side = right == (last % 4 == 0) ? last : corner.next(last, right, there[count + c]);
          }
          changed = changed || side != own;
          own = side;
          corner.numbers(side, std::span(modes).subspan(corner.first_mode, corner.modes));
        }
        if (!changed) break;
      }
    }
  });
  return out;
}

std::vector<double> modes_of(const Model& model, std::span<const Side> sides) {
  std::vector<double> out(model.modes, 0.0);
  std::vector<double> modes;
  for_cornered(model, [&](const Slotted& group) {
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      for (std::size_t c = 0; c < group.corners.size(); ++c) {
        const Corner& corner = group.corners[c];
        modes.resize(corner.modes);
        corner.numbers(sides[group.first_switch + c * group.lanes + lane], modes);
        for (std::uint32_t k = 0; k < corner.modes; ++k) {
          out[group.first_mode + (corner.first_mode + k) * group.lanes + lane] = modes[k];
        }
      }
    }
  });
  return out;
}

}  // namespace zwang::model
