/// What stands in sides.hpp.
#include "zwang/analysis/sides.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "zwang/expressions/tape.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::analysis {

void throw_sides(const model::Model& model, model::State& state, Dice& dice) {
  using expressions::CornerKind;
  using expressions::Side;
  if (model.switches == 0) return;
  std::vector<Side> sides = model::sides_of(model, state);
  const auto below = [&](double count) { return static_cast<Side>(std::floor(count * 0.5 * (1 + dice.throw_one()))); };
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const expressions::Corner& corner = group.corners[c];
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        Side& side = sides[group.first_switch + c * group.lanes + lane];
        switch (corner.kind) {
          case CornerKind::sign:
          case CornerKind::truth: side = 2 * std::clamp<Side>(below(2), 0, 1); break;
          case CornerKind::whole: side = 2 * (std::clamp<Side>(below(7), 0, 6) - 3); break;
          case CornerKind::pieces: {
            const auto last = static_cast<Side>(corner.pieces.knots.size());
            side = 2 * std::clamp<Side>(below(last + 1.0), 0, last);
            break;
          }
          case CornerKind::turns:
          case CornerKind::moves:
          case CornerKind::part:
          case CornerKind::spoke: break;
        }
      }
    }
  });
  state.modes = model::modes_of(model, sides);
}

namespace {

/// Per instruction, 1: the time is in it. The second argument of functions of one is input 0, too, which is the time, and says nothing.
std::vector<std::uint8_t> depending_on_time(const expressions::Tape& tape) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  std::vector<std::uint8_t> all(tape.registers(), 0);
  all[0] = 1;
  for (std::size_t at = before; at < all.size(); ++at) {
    const expressions::Instruction& i = tape.instructions[at - before];
    const bool pair = i.op == Op::cos || i.op == Op::cosh || i.op == Op::atan2 || i.op == Op::select;
    const bool second = i.b != 0 || i.op == Op::add || i.op == Op::subtract || i.op == Op::multiply ||
                        i.op == Op::divide || i.op == Op::atan2 || i.op == Op::select;
    all[at] = all[i.a] != 0 || (second && all[i.b] != 0) || (pair && all[at - 1] != 0) ? 1 : 0;
  }
  return {all.begin() + static_cast<std::ptrdiff_t>(before), all.end()};
}

}  // namespace

bool switches_by_time(const model::Slotted& group) {
  if (group.corners.empty()) return false;
  const expressions::Tape& tape = group.switching;
  const std::vector<std::uint8_t> by_time = depending_on_time(tape);
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  const auto turns = [&](std::size_t output) {
    const std::uint32_t at = tape.outputs[output];
    return at < before ? at == 0 : by_time[at - before] != 0;
  };
  // The other argument of a corner is there for those of angles alone.
  for (std::size_t c = 0; c < group.corners.size(); ++c) {
    const bool angle = group.corners[c].kind == expressions::CornerKind::turns;
    if (turns(c) || (angle && turns(group.corners.size() + c))) return true;
  }
  return false;
}

}  // namespace zwang::analysis
