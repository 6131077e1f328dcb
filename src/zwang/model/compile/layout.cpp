/// How the parts of the model lie in the whole: switches and modes numbered, gradients in one sparse pattern of rows.
#include <algorithm>
#include <limits>

#include "zwang/model/compile/steps.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/part.hpp"

namespace zwang::model {

/// Every corner of every lane is a switch with modes of its own; those of the initial state stand among the constants.
void number_switches(Compilation& work) {
  Model& model = work.model;
  const auto number = [&](Slotted& group) {
    group.first_switch = model.switches;
    group.first_mode = model.modes;
    model.switches += static_cast<std::uint32_t>(group.corners.size()) * group.lanes;
    model.modes += group.modes * group.lanes;
  };
  for (RowGroup& group : model.groups) number(group);
  for (TermGroup& group : model.terms) number(group);
  for (Observable& truth : model.truths) number(truth.term);
  if (model.switches == 0) return;
  const State start = initial_state(model);
  std::vector<double> g;
  for (const TermGroup& group : model.terms) {
    for (std::size_t c = 0; c < group.corners.size(); ++c) {
      if (!group.corners[c].kept()) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        evaluate_switching(group, lane, start, std::vector<double>(group.modes, 0.0), g);
        const auto number_of = static_cast<std::uint32_t>(group.first_switch + c * group.lanes + lane);
        const std::size_t spring = spring_of(g[c]);
        if (spring < model.springs.size() && g[c] == keeper_of(spring))
          model.springs[spring].switches.push_back(number_of);
      }
    }
  }
  const std::vector<double> modes = modes_of(model, sides_of(model, start));
  const auto store = [&](Slotted& group) {
    for (std::size_t k = 0; k < std::size_t{group.modes} * group.lanes; ++k) {
      group.constant_of[std::size_t{group.steady()} * group.lanes + k] = modes[group.first_mode + k];
    }
  };
  for (RowGroup& group : model.groups) store(group);
  for (TermGroup& group : model.terms) store(group);
  for (Observable& truth : model.truths) store(truth.term);
}

bool lay_out_gradients(Model& model) {
  const std::size_t rows = model.rows();
  model.row_group.assign(rows, 0);
  model.row_lane.assign(rows, 0);
  model.row_start.assign(rows + 1, 0);
  for (std::uint32_t g = 0; g < model.groups.size(); ++g) {
    const RowGroup& group = model.groups[g];
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      model.row_group[group.row[lane]] = g;
      model.row_lane[group.row[lane]] = lane;
      model.row_start[group.row[lane] + 1] = group.holonomic ? group.positions : group.velocities;
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t next = std::uint64_t{model.row_start[row]} + model.row_start[row + 1];
    if (next > std::numeric_limits<std::uint32_t>::max()) return false;
    model.row_start[row + 1] = static_cast<std::uint32_t>(next);
  }
  model.row_column.resize(model.row_start[rows]);

  std::vector<std::pair<std::uint32_t, std::uint32_t>> columns;
  for (RowGroup& group : model.groups) {
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    const std::vector<std::uint32_t>& variable_of = group.holonomic ? group.position_of : group.velocity_of;
    group.entry_of.resize(std::size_t{slots} * group.lanes);
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      columns.clear();
      for (std::uint32_t slot = 0; slot < slots; ++slot)
        columns.emplace_back(variable_of[slot * std::size_t{group.lanes} + lane], slot);
      std::sort(columns.begin(), columns.end());
      std::uint32_t entry = model.row_start[group.row[lane]];
      for (const auto& [variable, slot] : columns) {
        model.row_column[entry] = variable;
        group.entry_of[slot * std::size_t{group.lanes} + lane] = entry++;
      }
    }
  }
  return true;
}

void number_pairs(Model& model) {
  std::uint64_t next = model.rows();
  for (PairFamily& family : model.pairs) {
    family.first_row = next;
    next += family.pairs();
  }
}

}  // namespace zwang::model
