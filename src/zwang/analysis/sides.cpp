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
          case CornerKind::part: break;
        }
      }
    }
  });
  state.modes = model::modes_of(model, sides);
}

bool switches_by_time(const model::Slotted& group) {
  if (group.corners.empty()) return false;
  const expressions::Tape& tape = group.switching;
  const std::vector<std::uint8_t> by_time = expressions::depending(tape, 0, 1);
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  return std::any_of(tape.outputs.begin(), tape.outputs.end(),
                     [&](std::uint32_t at) { return at < before ? at == 0 : by_time[at - before] != 0; });
}

}  // namespace zwang::analysis
