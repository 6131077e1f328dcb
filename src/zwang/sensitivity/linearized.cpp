/// The linearised equations along pieces.
#include "zwang/sensitivity/linearized.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "zwang/expressions/partials.hpp"
#include "zwang/expressions/side_by_side.hpp"
#include "zwang/expressions/sweep_alone.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/row_shape.hpp"
#include "zwang/sensitivity/dots.hpp"
#include "zwang/sensitivity/held.hpp"
#include "zwang/sensitivity/linked.hpp"
#include "zwang/sensitivity/path.hpp"
#include "zwang/sensitivity/polynomials.hpp"
#include "zwang/sensitivity/slots.hpp"

namespace zwang::sensitivity {

namespace {

using expressions::no_register;
using Thing = expressions::Partials::Thing;

constexpr std::uint32_t no_source = ~std::uint32_t{0};
constexpr std::uint32_t no_row = ~std::uint32_t{0};

/// What is known of a group before there is a motion.
struct Equations {
  const model::Slotted* group = nullptr;
  const expressions::Tape* tape = nullptr;
  std::vector<const model::Slotted*> slope;  ///< per parameter
  std::vector<const expressions::Tape*> slope_tape;
  expressions::Partials part;
  std::vector<std::uint8_t> changes;  ///< per register: it depends on time or state
  std::uint32_t state = 0;            ///< inputs of time, positions and velocities

  Equations(const model::Slotted& own, const expressions::Tape& own_tape, std::vector<const model::Slotted*> slopes,
            std::vector<const expressions::Tape*> tapes_of_slopes, const std::vector<std::uint32_t>& outputs)
      : group(&own),
        tape(&own_tape),
        slope(std::move(slopes)),
        slope_tape(std::move(tapes_of_slopes)),
        state(1 + own.positions + own.velocities) {
    expressions::Moving moving;
    for (std::uint32_t input = 1; input < state; ++input) moving.inputs.push_back(input);
    std::vector<std::uint32_t> slots;
    for (std::size_t p = 0; p < slope.size(); ++p) {
      moving_slots(own, *slope[p], slots);
      for (std::uint32_t k = 0; k < slope_tape[p]->constants.size(); ++k) {
        if (slope_tape[p]->constants[k] != 0) moving.constants.push_back(k);
      }
      for (std::uint32_t k = 0; k < slope_tape[p]->instructions.size(); ++k) {
        if (slope_tape[p]->instructions[k].c != 0) moving.instructions.push_back(k);
      }
    }
    const auto once = [](std::vector<std::uint32_t>& numbers) {
      std::sort(numbers.begin(), numbers.end());
      numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    };
    once(slots);
    once(moving.constants);
    once(moving.instructions);
    for (const std::uint32_t slot : slots) moving.inputs.push_back(state + slot);
    part = expressions::partials(own_tape, outputs, moving, 1 + own.positions);
    changes.assign(part.tape.inputs.size() + part.tape.constants.size(), 0);
    std::fill(changes.begin(), changes.begin() + state, std::uint8_t{1});
    const std::vector<std::uint8_t> found = expressions::depending(part.tape, 0, state);
    changes.insert(changes.end(), found.begin(), found.end());
  }

  [[nodiscard]] bool of_state(const Thing& thing) const {
    return thing.kind == Thing::Kind::difference || (thing.kind == Thing::Kind::input && thing.number < state);
  }
  /// The slope of a number by a parameter.
  [[nodiscard]] double slope_of(const Thing& thing, std::size_t p, std::size_t lane,
                                std::span<const double> modes) const {
    switch (thing.kind) {
      case Thing::Kind::input: return slot_slope(*group, *slope[p], thing.number - state, lane, modes);
      case Thing::Kind::constant: return slope_tape[p]->constants[thing.number];
      case Thing::Kind::instruction: return slope_tape[p]->instructions[thing.number].c;
      case Thing::Kind::difference: break;
    }
    return 0;
  }
  [[nodiscard]] std::uint32_t position(std::size_t slot, std::size_t lane) const {
    return group->position_of[slot * group->lanes + lane];
  }
  [[nodiscard]] std::uint32_t velocity(std::size_t slot, std::size_t lane) const {
    return group->velocity_of[slot * group->lanes + lane];
  }
};

/// One lane of a group alone, or several side by side, on series along a path.
class Block {
 public:
  Block(const Equations& equations, std::vector<std::size_t> lanes, unsigned orders)
      : equations_(&equations),
        lanes_(std::move(lanes)),
        width_(lanes_.size() == 1 ? 1 : expressions::many),
        orders_(orders),
        registers_(equations.part.tape.registers() * orders * width_, 0.0) {
    const expressions::Tape& tape = equations.part.tape;
    if (width_ == 1) {
      expressions::load_constants(tape, registers_.data(), orders, 1);
      return;
    }
    factors_.resize(std::max<std::size_t>(tape.instructions.size(), 1) * width_);
    for (unsigned l = 0; l < width_; ++l) {
      expressions::load_numbers(tape, l, registers_.data(), orders, factors_.data());
    }
  }

  void expand(const Path& path) {
    const model::Slotted& group = *equations_->group;
    for (unsigned l = 0; l < width_; ++l) {
      const std::size_t lane = lanes_[std::min<std::size_t>(l, lanes_.size() - 1)];
      at(0, 0, l) = path.time;
      if (orders_ > 1) at(0, 1, l) = path.length;
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        const std::uint32_t variable = equations_->position(slot, lane);
        for (unsigned k = 0; k < orders_; ++k) at(1 + slot, k, l) = path.q(variable, k);
      }
      for (std::size_t slot = 0; slot < group.velocities; ++slot) {
        const std::uint32_t variable = equations_->velocity(slot, lane);
        for (unsigned k = 0; k < orders_; ++k) at(1 + group.positions + slot, k, l) = path.v(variable, k);
      }
      for (std::size_t slot = 0; slot < group.constants; ++slot) {
        at(equations_->state + slot, 0, l) = constant_at(group, slot, lane, path.modes);
      }
    }
    if (width_ == 1) {
      expressions::sweep_alone(equations_->part.tape, registers_.data(), orders_);
    } else {
      expressions::extend_many(equations_->part.tape, factors_.data(), registers_.data(), orders_, 0, orders_ - 1);
    }
  }
  [[nodiscard]] double get(std::size_t reg, unsigned k, std::size_t l) const {
    return registers_[(reg * orders_ + k) * width_ + l];
  }

 private:
  double& at(std::size_t reg, unsigned k, unsigned l) { return registers_[(reg * orders_ + k) * width_ + l]; }

  const Equations* equations_;
  std::vector<std::size_t> lanes_;
  unsigned width_;
  unsigned orders_;
  std::vector<double> registers_, factors_;
};

/// A lane of a group, and where it stands among the blocks.
struct Member {
  const Equations* of = nullptr;
  std::size_t lane_of_group = 0;
  std::uint32_t block = 0;
  std::uint32_t place = 0;  ///< in the block
  [[nodiscard]] const Equations& equations() const { return *of; }
  [[nodiscard]] std::size_t lane() const { return lane_of_group; }
};

/// A register of a member, by which things are multiplied.
struct Source {
  std::uint32_t member = 0;
  std::uint32_t at = 0;  ///< none: the factor is all
  double factor = 1;
  std::uint32_t row = no_row;  ///< whose multiplier it is multiplied by

  [[nodiscard]] auto order() const { return std::tie(member, at, factor, row); }
  bool operator<(const Source& other) const { return order() < other.order(); }
};

/// Rows of a group as strands, if they are quadratic or distances, and if of their numbers none moves but the length.
struct Quadratic {
  bool fit = false;
  motion::RowShape shape;
  Thing length;  ///< that moves, if `moves`
  bool moves = false;
};

/// The register of the constant beside a root, f = +-(root - L), if it occurs nowhere else; 0: none.
std::uint32_t find_length(const expressions::Tape& tape) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  if (tape.outputs[0] < before) return 0;
  const expressions::Instruction& last = tape.instructions[tape.outputs[0] - before];
  if (last.op != Op::add && last.op != Op::subtract) return 0;
  const auto is_root = [&](std::uint32_t reg) {
    return reg >= before && tape.instructions[reg - before].op == Op::sqrt;
  };
  if (!is_root(last.a) && !is_root(last.b)) return 0;
  const std::uint32_t length = is_root(last.a) ? last.b : last.a;
  std::size_t uses = 0;
  for (const expressions::Instruction& one : tape.instructions) uses += one.a == length || one.b == length ? 1U : 0U;
  return length < before && uses == 1 ? length : 0;
}

Quadratic quadratic(const model::RowGroup& group, const Equations& equations) {
  Quadratic out;
  if (!group.holonomic || group.constants != group.steady() || !group.corners.empty()) return out;
  out.shape = motion::make_shape(group);
  out.fit = out.shape.quadratic && std::all_of(out.shape.directions.begin(), out.shape.directions.end(),
                                               [](const motion::Direction& one) { return one.own != 0; });
  const std::uint32_t length = out.shape.root != 0 ? find_length(group.tape) : 0;
  const std::size_t inputs = group.tape.inputs.size();
  for (const Thing& thing : equations.part.things) {
    if (equations.of_state(thing)) continue;
    const bool same =
        length != 0 && (length < inputs ? thing.kind == Thing::Kind::input && thing.number == length
                                        : thing.kind == Thing::Kind::constant && thing.number == length - inputs);
    out.fit = out.fit && same;
    out.moves = true;
    out.length = thing;
  }
  return out;
}

/// A row that is held as strands.
struct LinkedRow {
  std::uint32_t number = 0;  ///< among the rows held
  const Quadratic* shape = nullptr;
  const Equations* equations = nullptr;
  std::size_t lane = 0;
  std::size_t first = 0;          ///< of its strands
  std::vector<double> registers;  ///< of the tape, at the start
};

}  // namespace

struct Linearized::Impl {
  const model::Model& model;
  std::vector<const model::Model*> slopes;
  std::vector<Equations> terms;       ///< per group
  std::vector<Equations> rows;        ///< likewise
  std::vector<Quadratic> quadratics;  ///< likewise
  model::Scratch scratch;
  model::Dynamics dynamics;

  Impl(const model::Model& own, std::vector<const model::Model*> by)
      : model(own), slopes(std::move(by)), scratch(model::make_scratch(own)), dynamics(model::make_dynamics(own)) {
    const auto add = [&](auto list, std::vector<Equations>& out, std::size_t k,
                         const std::vector<std::uint32_t>& asked) {
      std::vector<const model::Slotted*> groups;
      std::vector<const expressions::Tape*> tapes;
      for (const model::Model* slope : slopes) {
        groups.push_back(&(slope->*list)[k]);
        tapes.push_back(&(slope->*list)[k].tape);
      }
      out.emplace_back((model.*list)[k], (model.*list)[k].tape, std::move(groups), std::move(tapes), asked);
    };
    for (std::size_t k = 0; k < model.terms.size(); ++k) {
      const model::TermGroup& group = model.terms[k];
      // Forces; of an energy its gradient and the momenta, but neither itself nor its second derivatives.
      const bool force = group.kind == model::TermKind::force;
      const bool kinetic = group.kind == model::TermKind::kinetic;
      std::vector<std::uint32_t> asked(force ? group.tape.outputs.size()
                                             : group.positions + (kinetic ? group.velocities : 0));
      std::iota(asked.begin(), asked.end(), force ? 0U : 1U);
      add(&model::Model::terms, terms, k, asked);
    }
    for (std::size_t k = 0; k < model.groups.size(); ++k) {
      const model::RowGroup& group = model.groups[k];
      std::vector<std::uint32_t> asked(1 + (group.holonomic ? group.positions : group.velocities));
      std::iota(asked.begin(), asked.end(), 0U);
      add(&model::Model::groups, rows, k, asked);
      quadratics.push_back(quadratic(group, rows.back()));
    }
  }

  Reach reach;

  // What was expanded.
  std::uint64_t number = ~std::uint64_t{0};
  double from = 0;
  double length = 0;
  unsigned orders = 0;
  std::vector<double> modes;
  std::vector<double> position, multiplier;  ///< of the motion, [order * n + variable], [order * rows + row]
  std::vector<double> lambda;                ///< those again, [row * orders + order]
  unsigned path_orders = 0;

  // How it is put together: anew for other rows or orders.
  struct Difference {
    std::uint32_t a = 0, b = 0;
  };
  struct Given {
    std::uint32_t source = 0;  ///< number of the list to which it is added
    std::uint32_t thing = 0;
    Source from;
  };
  struct Entry {
    std::uint32_t member = 0, at = 0;
    double factor = 1;
    std::uint32_t variable = 0;
  };
  bool arranged = false;
  std::vector<std::uint32_t> held_rows;
  std::vector<Block> blocks;
  std::vector<Member> members;
  Sums sums;
  std::size_t momenta = 0, holonomic = 0, nonholonomic = 0, end = 0;  ///< where kinds of sums begin
  std::map<Source, std::uint32_t> list_of;
  std::vector<Source> lists;
  std::vector<std::pair<std::uint32_t, Source>>
      scales;  ///< numbers in `sums.scale` that are found when the motion is known
  std::vector<Given> given;
  std::uint32_t sources = 0;
  std::vector<Difference> differences;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> difference_of;
  /// Series of a parameter that are multiplied: of positions, velocities, multipliers, differences.
  struct Needed {
    std::uint32_t list = 0;
    std::uint32_t of = 0;  ///< variable, row held or number of the difference
  };
  std::map<std::uint32_t, std::uint32_t> needed_of;  ///< number among all of these: number of the list
  std::vector<Needed> needed_positions, needed_velocities, needed_multipliers, needed_differences;
  std::vector<std::vector<Entry>> gradients;  ///< per row held; of linked ones none
  std::vector<LinkedRow> linked_rows;
  Linked linked;
  bool strands_alone = false;  ///< hold; and masses are single numbers
  /// A mass that depends on one of the parameters side by side.
  struct Heavier {
    std::size_t at = 0;  ///< place of the variable and the parameter
    std::size_t variable = 0;
    double slope = 0;
  };
  std::vector<Heavier> heavier;

  // Numbers. Of some parameters side by side number p of anything lies at [anything * lanes + p].
  unsigned lanes = 1;
  unsigned lanes_of_e = 0;                    ///< for which the lists of the motion are written; 0: none
  std::vector<double> motion_lists;           ///< in reverse, [list * orders + order]
  std::vector<double> e, x, source_lists;     ///< [list * stride + order]
  std::vector<double> solution, multipliers;  ///< [order * n + variable], [order * rows + row]
  std::vector<double> given_lists, right, offset, found, one, other, stretched;
  std::vector<std::pair<std::uint32_t, double>> row_entries;
  Held held;

  [[nodiscard]] std::size_t stride() const { return (orders + list_margin) * lanes; }

  // ---------------------------------------------------------------------------------------------- arrangement

  std::uint32_t list(const Source& source) {
    const auto [place, fresh] = list_of.emplace(source, static_cast<std::uint32_t>(lists.size()));
    if (fresh) lists.push_back(source);
    return place->second;
  }

  /// The list of a thing of the state.
  std::uint32_t list_of_state(const Equations& equations, const Thing& thing, std::size_t lane) {
    const auto n = static_cast<std::uint32_t>(model.variables);
    if (thing.kind == Thing::Kind::difference) {
      const std::pair pair(equations.position(thing.number - 1, lane), equations.position(thing.less - 1, lane));
      const auto [place, fresh] = difference_of.emplace(pair, static_cast<std::uint32_t>(differences.size()));
      if (fresh) differences.push_back({pair.first, pair.second});
      return needed(2 * n + static_cast<std::uint32_t>(held_rows.size()) + place->second);
    }
    const std::uint32_t slot = thing.number - 1;
    return needed(slot < equations.group->positions ? equations.position(slot, lane)
                                                    : n + equations.velocity(slot - equations.group->positions, lane));
  }
  /// The list of what has that number among positions, velocities, multipliers of rows held and differences.
  std::uint32_t needed(std::uint32_t number_of_all) {
    const auto [place, fresh] = needed_of.emplace(number_of_all, static_cast<std::uint32_t>(needed_of.size()));
    if (!fresh) return place->second;
    std::uint32_t of = number_of_all;
    const auto n = static_cast<std::uint32_t>(model.variables);
    const auto m = static_cast<std::uint32_t>(held_rows.size());
    for (const auto& [list_of_kind, count] :
         {std::pair(&needed_positions, n), std::pair(&needed_velocities, n), std::pair(&needed_multipliers, m)}) {
      if (of < count) {
        list_of_kind->push_back({place->second, of});
        return place->second;
      }
      of -= count;
    }
    needed_differences.push_back({place->second, of});
    return place->second;
  }

  /// A sum of one root of a member; `row`: multiplied by its multiplier.
  void begin_sum(std::uint32_t member, std::uint32_t root, std::uint32_t row) {
    const Equations& equations = members[member].equations();
    Sum sum;
    sum.first_dot = static_cast<std::uint32_t>(sums.dot.size());
    sum.first_scale = static_cast<std::uint32_t>(sums.scale.size());
    sum.first_aim = sum.end_aim = static_cast<std::uint32_t>(sums.aim.size());
    sum.source = no_source;
    const expressions::Partials& part = equations.part;
    for (std::uint32_t k = part.roots[root].first; k < part.roots[root].end; ++k) {
      const expressions::Partials::Entry& entry = part.entries[k];
      const Thing& thing = part.things[entry.thing];
      const bool whole = entry.at == no_register;
      const Source source{member, entry.at, entry.factor, row};
      if (!equations.of_state(thing)) {
        if (sum.source == no_source) sum.source = sources++;
        given.push_back({sum.source, entry.thing, source});
        continue;
      }
      const std::uint32_t with = list_of_state(equations, thing, members[member].lane());
      if (row == no_row && (whole || equations.changes[entry.at] == 0)) {
        if (!whole) scales.emplace_back(static_cast<std::uint32_t>(sums.scale.size()), source);
        sums.scale.push_back({entry.factor, with});
      } else {
        sums.dot.push_back({list(source), with});
      }
    }
    sum.end_dot = static_cast<std::uint32_t>(sums.dot.size());
    sum.end_scale = static_cast<std::uint32_t>(sums.scale.size());
    sums.sum.push_back(sum);
  }
  void aim(double factor, std::uint32_t at) {
    sums.aim.push_back({factor, at});
    sums.sum.back().end_aim = static_cast<std::uint32_t>(sums.aim.size());
  }
  /// A sum that is always zero is none.
  void end_sum() {
    const Sum& sum = sums.sum.back();
    if (sum.first_dot == sum.end_dot && sum.first_scale == sum.end_scale && sum.source == no_source) {
      sums.aim.resize(sum.first_aim);
      sums.sum.pop_back();
    }
  }
  /// Sums of the roots that some outputs have, `from` counted among those asked for: aims at `to(output)`.
  template <class To>
  void sums_of(std::uint32_t member, std::size_t first, std::size_t count, double factor, const To& to,
               std::uint32_t row = no_row) {
    const expressions::Partials& part = members[member].equations().part;
    for (std::uint32_t root = 0; root < part.roots.size(); ++root) {
      bool any = false;
      for (std::size_t output = 0; output < count; ++output) any = any || part.outputs[first + output].root == root;
      if (!any) continue;
      begin_sum(member, root, row);
      if (row != no_row && members[member].equations().changes[part.roots[root].value] != 0) {
        // The multiplier's own change, by the gradient as it changes along the motion.
        sums.dot.push_back({list({member, part.roots[root].value, 1, no_row}),
                            needed(static_cast<std::uint32_t>(2 * model.variables + row))});
        sums.sum.back().end_dot = static_cast<std::uint32_t>(sums.dot.size());
      }
      for (std::size_t output = 0; output < count; ++output) {
        const expressions::Partials::Output& one_output = part.outputs[first + output];
        if (one_output.root == root) aim(factor * one_output.factor, to(output));
      }
      end_sum();
    }
  }

  void arrange(const std::vector<std::uint32_t>& rows_held, unsigned wanted) {
    if (arranged && orders == wanted && held_rows == rows_held) return;
    arranged = true;
    orders = wanted;
    held_rows = rows_held;
    blocks.clear();
    members.clear();
    sums = {};
    list_of.clear();
    lists.clear();
    scales.clear();
    given.clear();
    sources = 0;
    differences.clear();
    difference_of.clear();
    needed_of.clear();
    for (std::vector<Needed>* kind :
         {&needed_positions, &needed_velocities, &needed_multipliers, &needed_differences}) {
      kind->clear();
    }
    gradients.assign(held_rows.size(), {});

    std::vector<std::pair<std::size_t, std::uint32_t>> of_terms;
    for (std::size_t g = 0; g < terms.size(); ++g) {
      if (terms[g].part.entries.empty()) continue;
      for (std::size_t lane = 0; lane < model.terms[g].lanes; ++lane) {
        of_terms.emplace_back(g, static_cast<std::uint32_t>(members.size()));
        members.push_back({&terms[g], lane});
      }
    }
    linked_rows.clear();
    linked.clear();
    std::vector<std::uint32_t> of_row(held_rows.size(), no_row);
    for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
      const std::uint32_t row = held_rows[j];
      if (quadratics[model.row_group[row]].fit) {
        link(j);
        continue;
      }
      of_row[j] = static_cast<std::uint32_t>(members.size());
      members.push_back({&rows[model.row_group[row]], model.row_lane[row]});
    }
    linked.lay_out(orders);
    arrange_blocks();

    for (const auto& [g, member] : of_terms) arrange_term(g, member);
    for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
      if (of_row[j] != no_row) arrange_row(j, of_row[j]);
    }
    momenta = sums.sum.size();
    for (const auto& term : of_terms) {
      const model::TermGroup& group = model.terms[term.first];
      if (group.kind != model::TermKind::kinetic) continue;
      const Member& member = members[term.second];
      sums_of(term.second, group.positions, group.velocities, -1,
              [&](std::size_t slot) { return member.equations().velocity(slot, member.lane()); });
    }
    holonomic = sums.sum.size();
    for (const bool of_positions : {true, false}) {
      if (!of_positions) nonholonomic = sums.sum.size();
      for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
        if (of_row[j] == no_row || model.groups[model.row_group[held_rows[j]]].holonomic != of_positions) continue;
        sums_of(of_row[j], 0, 1, 1, [&](std::size_t) { return j; });
      }
    }
    end = sums.sum.size();
  }
  /// Row j of those held goes by strands.
  void link(std::uint32_t j) {
    const std::uint32_t group = model.row_group[held_rows[j]];
    LinkedRow row{j, &quadratics[group], &rows[group], model.row_lane[held_rows[j]], linked.size(), {}};
    for (const motion::Direction& direction : row.shape->shape.directions) {
      Linked::Strand strand;
      strand.row = j;
      strand.a = strand.b = row.equations->position(direction.slots[0].first, row.lane);
      strand.sign_a = direction.slots[0].second;
      if (direction.slots.size() > 1) {
        strand.b = row.equations->position(direction.slots[1].first, row.lane);
        strand.sign_b = direction.slots[1].second;
      }
      linked.add(strand);
    }
    const expressions::Tape& tape = row.shape->shape.held;
    row.registers.assign(tape.registers(), 0.0);
    expressions::load_constants(tape, row.registers.data(), 1, 1);
    for (std::size_t slot = 0; slot < row.equations->group->constants; ++slot) {
      row.registers[row.equations->state + slot] = constant_at(*row.equations->group, slot, row.lane, {});
    }
    linked_rows.push_back(std::move(row));
  }
  /// Members of one group go side by side, from three on.
  void arrange_blocks() {
    std::map<const Equations*, std::vector<std::uint32_t>> by_group;
    for (std::uint32_t k = 0; k < members.size(); ++k) by_group[members[k].of].push_back(k);
    for (std::uint32_t k = 0; k < members.size(); ++k) {
      const std::vector<std::uint32_t>& all = by_group[members[k].of];
      if (all.front() != k) continue;
      const std::size_t together = all.size() > 2 ? expressions::many : 1;
      for (std::size_t first = 0; first < all.size(); first += together) {
        const std::size_t last = std::min(first + together, all.size());
        std::vector<std::size_t> of_block;
        for (std::size_t i = first; i < last; ++i) {
          members[all[i]].block = static_cast<std::uint32_t>(blocks.size());
          members[all[i]].place = static_cast<std::uint32_t>(i - first);
          of_block.push_back(members[all[i]].lane_of_group);
        }
        blocks.emplace_back(*members[k].of, std::move(of_block), orders);
      }
    }
  }
  [[nodiscard]] double get(std::uint32_t member, std::uint32_t at, unsigned k) const {
    return blocks[members[member].block].get(at, k, members[member].place);
  }

  void arrange_term(std::size_t g, std::uint32_t member) {
    const model::TermGroup& group = model.terms[g];
    const std::size_t lane = members[member].lane();
    if (group.kind == model::TermKind::force) {
      sums_of(member, 0, group.tape.outputs.size(), 1,
              [&](std::size_t output) { return group.target_of[output * group.lanes + lane]; });
    } else {
      sums_of(member, 0, group.positions, group.kind == model::TermKind::potential ? -1 : 1,
              [&](std::size_t slot) { return terms[g].position(slot, lane); });
    }
  }

  void arrange_row(std::uint32_t j, std::uint32_t member) {
    const Equations& equations = members[member].equations();
    const bool of_positions = model.groups[model.row_group[held_rows[j]]].holonomic;
    const std::size_t lane = members[member].lane();
    const std::size_t slots = of_positions ? equations.group->positions : equations.group->velocities;
    const auto variable = [&](std::size_t slot) {
      return of_positions ? equations.position(slot, lane) : equations.velocity(slot, lane);
    };
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const expressions::Partials::Output& output = equations.part.outputs[1 + slot];
      gradients[j].push_back({member, equations.part.roots[output.root].value, output.factor, variable(slot)});
    }
    sums_of(member, 1, slots, -1, variable, j);
  }

  // ---------------------------------------------------------------------------------------------- expansion

  /// A register as a series, multiplied by what it is to be multiplied by.
  const double* series_of(const Source& source) {
    one.assign(orders, 0.0);
    if (source.at == no_register) {
      one[0] = source.factor;
    } else {
      for (unsigned k = 0; k < orders; ++k) one[k] = source.factor * get(source.member, source.at, k);
    }
    if (source.row == no_row) return one.data();
    other.resize(orders);
    expressions::multiply_alone(one.data(), lambda.data() + std::size_t{source.row} * orders, orders, other.data());
    return other.data();
  }

  void expand(const motion::Piece& piece) {
    const std::size_t n = model.variables;
    const std::size_t m = piece.rows.size();
    const double shift = (from - piece.start) / piece.unit;
    const double stretch = length / piece.unit;
    sensitivity::shift({piece.position.data(), n, piece.orders}, shift, stretch, position);
    path_orders = piece.orders;
    sensitivity::shift({piece.multiplier.data(), m, piece.multiplier_orders}, shift, stretch, multiplier);
    lambda.assign(m * orders, 0.0);
    for (unsigned k = 0; k < std::min(orders, piece.multiplier_orders); ++k) {
      for (std::size_t j = 0; j < m; ++j) lambda[j * orders + k] = multiplier[k * m + j];
    }
    const Path path{from, length, n, piece.orders, position, modes};
    for (Block& block : blocks) block.expand(path);
    expand_linked(path);

    motion_lists.resize(lists.size() * orders);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const double* series = series_of(lists[k]);
      std::reverse_copy(series, series + orders, motion_lists.data() + k * orders);
    }
    lanes_of_e = 0;
    for (const auto& [number_of_scale, source] : scales) {
      sums.scale[number_of_scale].by = source.factor * get(source.member, source.at, 0);
    }
    given_lists.resize(given.size() * orders);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const double* series = series_of(given[k].from);
      std::copy(series, series + orders, given_lists.data() + k * orders);
    }

    model::State state;
    state.time = from;
    state.position.assign(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(n));
    state.velocity.resize(n);
    for (std::size_t i = 0; i < n; ++i) state.velocity[i] = path.v(i, 0);
    state.modes = modes;
    model::evaluate_mass(model, state, scratch, dynamics);
    held.begin(dynamics.mass);
    std::size_t next_linked = 0;
    for (std::size_t j = 0; j < gradients.size(); ++j) {
      row_entries.clear();
      for (const Entry& entry : gradients[j]) {
        row_entries.emplace_back(entry.variable, entry.factor * get(entry.member, entry.at, 0));
      }
      for (; next_linked < linked.size() && linked.strand(next_linked).row == j; ++next_linked) {
        const Linked::Strand& strand = linked.strand(next_linked);
        row_entries.emplace_back(strand.a, strand.sign_a * linked.gradient(next_linked));
        if (strand.sign_b != 0) row_entries.emplace_back(strand.b, strand.sign_b * linked.gradient(next_linked));
      }
      held.add(row_entries);
    }
    held.factor();
    strands_alone = !model.flow && !linked.empty() && holonomic == end && linked_rows.size() == held_rows.size() &&
                    dynamics.mass.is_diagonal();
    if (strands_alone) linked.weigh(held.inverse_masses());
  }

  void expand_linked(const Path& path) {
    if (linked.empty()) return;
    for (LinkedRow& row : linked_rows) {
      const motion::RowShape& shape = row.shape->shape;
      const model::Slotted& group = *row.equations->group;
      row.registers[0] = path.time;
      for (std::size_t slot = 0; slot < group.positions; ++slot) {
        row.registers[1 + slot] = path.q(row.equations->position(slot, row.lane), 0);
      }
      expressions::extend(shape.held, row.registers.data(), 1, 0, 0, 1);
      const double root = shape.root != 0 ? row.registers[shape.root] : 1.0;
      for (std::size_t d = 0; d < shape.directions.size(); ++d) {
        linked.begin(row.first + d, shape.directions[d].own / root, row.registers[shape.directions[d].reg]);
      }
    }
    linked.expand(position, path.n, path.orders, lambda);
  }

  // ---------------------------------------------------------------------------------------------- solution

  /// The lists of the motion, once for each parameter side by side.
  void take_lanes() {
    if (lanes_of_e == lanes) return;
    lanes_of_e = lanes;
    e.assign(lists.size() * stride(), 0.0);
    const double* next_number = motion_lists.data();
    for (std::size_t k = 0; k < lists.size(); ++k) {
      double* to = e.data() + k * stride();
      for (unsigned j = 0; j < orders; ++j, ++next_number) {
        for (unsigned p = 0; p < lanes; ++p) *to++ = *next_number;
      }
    }
  }

  double* x_at(const Needed& one_needed, unsigned k) { return x.data() + one_needed.list * stride() + k * lanes; }
  double* solution_at(unsigned k) { return solution.data() + std::size_t{k} * model.variables * lanes; }

  /// Coefficient k of the derivatives of positions is found: what follows from it.
  void follow_from(unsigned k) {
    note_position(k);
    if (!linked.empty()) linked.set(k, solution_at(k));
  }
  /// For the lists that are multiplied.
  void note_multiplier(unsigned k) {
    const double* const dlambda = multipliers.data() + k * found.size();
    for (const Needed& multiplier_needed : needed_multipliers) {
      std::copy_n(dlambda + std::size_t{multiplier_needed.of} * lanes, lanes, x_at(multiplier_needed, k));
    }
  }
  void note_position(unsigned k) {
    const double* const values = solution_at(k);
    const auto at = [&](std::uint32_t i) { return values + std::size_t{i} * lanes; };
    for (const Needed& position_needed : needed_positions)
      std::copy_n(at(position_needed.of), lanes, x_at(position_needed, k));
    if (k > 0) {
      const double by = k / length;
      for (const Needed& velocity_needed : needed_velocities) {
        double* const to = x_at(velocity_needed, k - 1);
        const double* const rate = at(velocity_needed.of);
        for (unsigned p = 0; p < lanes; ++p) to[p] = by * rate[p];
      }
    }
    for (const Needed& difference_needed : needed_differences) {
      const Difference& difference = differences[difference_needed.of];
      double* const to = x_at(difference_needed, k);
      const double* const a = at(difference.a);
      const double* const b = at(difference.b);
      for (unsigned p = 0; p < lanes; ++p) to[p] = a[p] - b[p];
    }
  }

  /// dL / L.
  [[nodiscard]] double stretch_of(const LinkedRow& row, std::size_t parameter) const {
    const Thing& thing = row.shape->length;
    const double length_now = thing.kind == Thing::Kind::constant ? row.equations->tape->constants[thing.number]
                                                                  : row.registers[thing.number];
    return row.equations->slope_of(thing, parameter, row.lane, modes) / length_now;
  }

  void find_sources(std::span<const Start> starts) {
    const std::size_t size = std::size_t{orders} * lanes;
    source_lists.assign(sources * size, 0.0);
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Member& member = members[given[k].from.member];
      const Equations& equations = member.equations();
      const Thing& thing = equations.part.things[given[k].thing];
      for (std::size_t p = 0; p < starts.size(); ++p) {
        const double slope = equations.slope_of(thing, starts[p].parameter, member.lane(), modes);
        if (slope == 0) continue;
        double* const out = source_lists.data() + given[k].source * size + p;
        for (unsigned i = 0; i < orders; ++i) out[std::size_t{i} * lanes] += slope * given_lists[k * orders + i];
      }
    }
  }

  void add(std::size_t first, std::size_t last, unsigned k, double weight, std::vector<double>& out) {
    const SumsOf of{
        sums, {e.data(), stride()}, {x.data(), stride()}, {source_lists.data(), std::size_t{orders} * lanes}, orders,
        lanes};
    add_sums(of, first, last, k, weight, out.data());
  }

  void solve_order(std::span<const Start> starts, unsigned k) {
    const std::size_t n = model.variables;
    const double steps = model.flow ? (k + 1.0) / length : (k + 1.0) * (k + 2.0) / (length * length);
    const unsigned next = model.flow ? k + 1 : k + 2;
    const bool pushed = k == 0 || !heavier.empty() || end > 0;
    if (!strands_alone || pushed) std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t p = 0; p < starts.size() && k == 0 && !model.flow; ++p) {
      const model::Model& slope = *slopes[starts[p].parameter];
      for (std::size_t i = 0; i < n; ++i) right[i * lanes + p] = slope.constant_force[i];
    }
    if (next < path_orders) {
      const double* const q = position.data() + next * n;
      for (const Heavier& mass : heavier) right[mass.at] -= mass.slope * steps * q[mass.variable];
    }
    if (strands_alone) {
      if (end > 0) {
        add(0, momenta, k, 1, right);
        add(momenta, holonomic, k + 1, (k + 1) / length, right);
      }
      linked.find(k, steps, pushed ? right.data() : nullptr, held, {solution_at(next), right.size()},
                  {multipliers.data() + k * found.size(), found.size()});
      if (!needed_of.empty()) {
        note_position(next);
        note_multiplier(k);
      }
      return;
    }
    std::fill(offset.begin(), offset.end(), 0.0);
    add(0, momenta, k, 1, right);
    // T_q - d/dt T_v; the velocity of order k + 1 is not known yet and counts as zero: M takes it up.
    add(momenta, holonomic, k + 1, (k + 1) / length, right);
    add(holonomic, nonholonomic, next, 1, offset);
    add(nonholonomic, end, next - 1, length / next, offset);
    if (!linked.empty()) linked.add_up(k, right.data(), offset.data());
    // d and dlambda_k: M d + J^T dlambda / steps = right / steps, J d = -offset.
    const double by_steps = 1 / steps;
    double* const d = solution_at(next);
    for (std::size_t i = 0; i < right.size(); ++i) d[i] = right[i] * by_steps;
    held.solve_lanes(lanes, {d, right.size()}, offset, found);
    follow_from(next);
    if (found.empty()) return;
    double* const dlambda = multipliers.data() + k * found.size();
    for (std::size_t j = 0; j < found.size(); ++j) dlambda[j] = found[j] * steps;
    note_multiplier(k);
    if (!linked.empty()) linked.set_multipliers(k, dlambda);
  }

  void solve(std::span<const Start> starts) {
    const std::size_t n = model.variables;
    const std::size_t m = held_rows.size();
    lanes = starts.size() > 2 ? most_lanes : static_cast<unsigned>(starts.size());
    take_lanes();
    x.assign(needed_of.size() * stride(), 0.0);
    solution.resize(orders * n * lanes);
    multipliers.resize(orders * m * lanes);
    // The last ones are not found.
    std::fill(multipliers.end() - static_cast<std::ptrdiff_t>((model.flow ? 1 : 2) * m * lanes), multipliers.end(),
              0.0);
    right.assign(n * lanes, 0.0);
    offset.assign(m * lanes, 0.0);
    found.assign(m * lanes, 0.0);
    if (!linked.empty()) {
      stretched.assign(m * lanes, 0.0);
      for (const LinkedRow& row : linked_rows) {
        for (std::size_t p = 0; p < starts.size() && row.shape->moves; ++p)
          stretched[row.number * lanes + p] = stretch_of(row, starts[p].parameter);
      }
      linked.follow(lanes, stretched);
    }
    heavier.clear();
    std::fill_n(solution.begin(), 2 * n * lanes, 0.0);
    for (std::size_t p = 0; p < starts.size(); ++p) {
      const Start& start = starts[p];
      for (std::size_t i = 0; i < n; ++i) solution[i * lanes + p] = start.position[i];
      for (std::size_t i = 0; i < n && !model.flow; ++i) solution[(n + i) * lanes + p] = length * start.velocity[i];
      const std::vector<double>& mass_slope = slopes[start.parameter]->point_mass;
      for (std::size_t i = 0; i < n && !model.flow; ++i) {
        if (mass_slope[i] != 0) heavier.push_back({i * lanes + p, i, mass_slope[i]});
      }
    }
    follow_from(0);
    if (!model.flow) follow_from(1);
    find_sources(starts);
    for (unsigned k = 0; k + (model.flow ? 1 : 2) < orders; ++k) solve_order(starts, k);

    for (std::size_t p = 0; p < starts.size(); ++p) {
      Stretch& out = *starts[p].out;
      out.start = from;
      out.length = length;
      out.orders = orders;
      take(solution, p, out.position);
      out.multiplier.clear();
      if (held.unique()) take(multipliers, p, out.multiplier);
    }
  }
  /// What belongs to one of the parameters side by side.
  void take(const std::vector<double>& from_all, std::size_t p, std::vector<double>& into) const {
    if (lanes == 1) {
      into.assign(from_all.begin(), from_all.end());
      return;
    }
    into.resize(from_all.size() / lanes);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = from_all[i * lanes + p];
  }
};

Linearized::Linearized(const model::Model& model, std::vector<const model::Model*> slopes)
    : impl_(std::make_unique<Impl>(model, std::move(slopes))) {}
Linearized::~Linearized() = default;
Reach& Linearized::reach() { return impl_->reach; }

void Linearized::expand(std::uint64_t number, const motion::Piece& piece, double from, double length, unsigned orders,
                        std::span<const double> modes) {
  const bool same = impl_->number == number && impl_->from == from && impl_->length == length &&
                    impl_->orders == orders &&
                    std::equal(modes.begin(), modes.end(), impl_->modes.begin(), impl_->modes.end());
  if (same) return;
  impl_->arrange(piece.rows, orders);
  impl_->number = number;
  impl_->from = from;
  impl_->length = length;
  impl_->modes.assign(modes.begin(), modes.end());
  impl_->expand(piece);
}

void Linearized::solve(std::span<const Start> starts) {
  for (std::size_t first = 0; first < starts.size(); first += most_lanes) {
    impl_->solve(starts.subspan(first, std::min<std::size_t>(most_lanes, starts.size() - first)));
  }
}

}  // namespace zwang::sensitivity
