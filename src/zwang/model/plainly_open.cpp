/// Alternatives that are plainly open: values and sizes of terms by tapes without gradients.
#include "zwang/model/plainly_open.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/expressions/running_error.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::model {

namespace {

/// The part by which inputs are shaken to find the size of terms, as in evaluate.cpp.
constexpr double shaken_part = 0x1p-40;
/// Times what the uncertainty of the state makes of it: by so much a row is open at least.
constexpr double doubts_open = 0x1p10;
constexpr unsigned one_order = 1;

}  // namespace

PlainlyOpen::PlainlyOpen(const Model& model) {
  std::size_t room = 0;
  for (std::uint32_t g = 0; g < model.groups.size(); ++g) {
    const RowGroup& group = model.groups[g];
    // What switches is left to those who know the sides.
    if (!group.holonomic || group.modes > 0) continue;
    const bool any = std::any_of(group.row.begin(), group.row.end(), [&](std::uint32_t row) {
      return model.conditions[model.row_condition[row]].alternatives > 1;
    });
    if (!any) continue;
    constexpr std::array<std::uint32_t, 1> value{0};
    groups_.push_back({g, expressions::part(group.tape, value)});
    room = std::max(room, groups_.back().tape.registers() * width_of(group.lanes));
  }
  registers_.assign(room, 0.0);
  errors_.assign(room, 0.0);
}

template <unsigned W>
void PlainlyOpen::look(const Model& model, const State& state, const Values& values, std::vector<std::uint8_t>& open) {
  const RowGroup& group = model.groups[values.group];
  const expressions::Tape& tape = values.tape;
  double* r = registers_.data();
  double* e = errors_.data();
  expressions::load_constants(tape, r, one_order, W);
  const std::size_t given = (tape.inputs.size() + tape.constants.size()) * W;
  const std::size_t output = std::size_t{tape.outputs[0]} * W;
  for (std::size_t first = 0; first < group.lanes; first += W) {
    const LanesFrom<W> lane_of{first, group.lanes};
    fill_inputs_of<one_order, W>(group, state.time, state.position, state.velocity, state.modes, lane_of, r);
    expressions::extend(tape, r, one_order, 0, 0, W);
    for (std::size_t k = 0; k < given; ++k) e[k] = shaken_part * std::abs(r[k]);
    if (!state.position_uncertainty.empty()) {
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        for (unsigned l = 0; l < W; ++l)
          e[(1 + slot) * W + l] += doubts_open * shaken_part / part *
                                   state.position_uncertainty[group.position_of[slot * group.lanes + lane_of(l)]];
      }
    }
    expressions::running_error(tape, r, one_order, W, shaken_part, e);
    for (std::size_t l = 0; l < lane_of.count(); ++l)
      open[group.row[lane_of(l)]] = r[output + l] < -part / shaken_part * e[output + l] ? 1 : 0;
  }
}

void PlainlyOpen::find(const Model& model, const State& state, std::vector<std::uint8_t>& open) {
  open.assign(model.rows(), 0);
  for (const Values& values : groups_) {
    if (width_of(model.groups[values.group].lanes) == 1) {
      look<1>(model, state, values, open);
    } else {
      look<expressions::wide>(model, state, values, open);
    }
  }
}

}  // namespace zwang::model
