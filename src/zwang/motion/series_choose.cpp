/// The rows of a series in blocks of lanes, the pattern of their gradients, and what they connect.
#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/base/groups.hpp"
#include "zwang/motion/series_impl.hpp"

namespace zwang::motion {

Series::Impl::Impl(const model::Model& of, unsigned order, bool with_care)
    : model(of),
      N(order),
      orders(order + 1),
      n(of.variables),
      dynamics(model::make_dynamics(of)),
      scratch(model::make_scratch(of)) {
  sharp = with_care;
  for (const RowGroup& group : model.groups) shapes.push_back(make_shape(group));
  q_room.assign(orders * n + 2 * Strands::margin, 0.0);
  q = std::span<double>(q_room).subspan(Strands::margin, orders * n);
  v.assign(orders * n, 0.0);
  force_room.assign(n + 2 * Strands::margin, 0.0);
  force = std::span<double>(force_room).subspan(Strands::margin, n);
  acceleration_room = force_room;
  acceleration = std::span<double>(acceleration_room).subspan(Strands::margin, n);
  size.assign(n, 0.0);
  rest.assign(n, 0.0);
  if (!of.joints.empty()) turners = find_turners(of);
  linkable = find_joints(of, turners);
  linked_terms.resize(model.terms.size());
  find_slender_terms();
  make_term_tapes();
  make_term_blocks();
  has_blocks = !model.mass_blocks.empty();
  measure_time_in(1);
  for (const TermGroup& group : model.terms) varying_mass = varying_mass || group.kind == TermKind::kinetic;
  if (!varying_mass && dynamics.mass.is_diagonal()) {
    for (const double mass : dynamics.mass.diagonal()) inverse_mass.push_back(1 / mass);
  }
  own_inverse = inverse_mass;
  find_root_masses();
  make_bound_lists();
}

template <class Group>
Block Series::Impl::make_block(const Group& group, std::uint32_t number, const expressions::Tape& tape,
                               std::span<const std::uint32_t> lanes) {
  Block block;
  block.group = number;
  block.width = width_for(lanes.size());
  block.count = static_cast<std::uint32_t>(lanes.size());
  const std::uint32_t w = block.width;
  const auto lane = [&](std::size_t l) { return lanes[std::min(l, lanes.size() - 1)]; };
  block.position_of.resize(std::size_t{group.positions} * w);
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    for (std::uint32_t l = 0; l < w; ++l)
      block.position_of[slot * w + l] = group.position_of[slot * group.lanes + lane(l)];
  }
  block.velocity_of.resize(std::size_t{group.velocities} * w);
  for (std::size_t slot = 0; slot < group.velocities; ++slot) {
    for (std::uint32_t l = 0; l < w; ++l)
      block.velocity_of[slot * w + l] = group.velocity_of[slot * group.lanes + lane(l)];
  }
  block.registers = take(tape.registers() * orders * w);
  double* r = registers(block);
  expressions::load_constants(tape, r, orders, w);
  r += (1 + std::size_t{group.positions} + group.velocities) * orders * w;
  for (std::size_t slot = 0; slot < group.constants; ++slot, r += orders * w) {
    for (std::uint32_t l = 0; l < w; ++l) r[l] = group.constant_of[slot * group.lanes + lane(l)];
  }
  block.first_mode = std::size_t{1} + group.positions + group.velocities + group.steady();
  for (std::uint32_t slot = 0; slot < group.modes; ++slot) {
    for (std::uint32_t l = 0; l < w; ++l) block.mode_of.push_back(group.first_mode + slot * group.lanes + lane(l));
  }
  return block;
}

void Series::Impl::find_slender_terms() {
  for (const model::Slender& one : model.slender) {
    for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
      const TermGroup& group = model.terms[g];
      if (group.kind != TermKind::kinetic || group.velocities == 0) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        const std::uint32_t variable = group.velocity_of[lane];
        if (variable >= one.first + 3 && variable < one.first + 7) slender_terms.emplace_back(g, lane);
      }
    }
  }
}

std::size_t Series::Impl::take(std::size_t room) {
  const std::size_t place = arena.size();
  arena.resize(place + room, 0.0);
  return place;
}

void Series::Impl::make_term_tapes() {
  for (const TermGroup& group : model.terms) {
    term_tapes.push_back(term_tape(group));
    term_roots.push_back(find_roots(term_tapes.back()));
    const std::size_t first_velocity_input = std::size_t{1} + group.positions;
    term_moving.push_back(
        expressions::depending(term_tapes.back(), first_velocity_input, first_velocity_input + group.velocities));
    if (group.kind == TermKind::force || group.uses_time) works = true;
  }
}

void Series::Impl::make_term_blocks() {
  terms.clear();
  arena.clear();
  momenta_vary = false;
  for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
    const TermGroup& group = model.terms[g];
    // Masses that never change are in M already.
    const bool constant_kinetic = group.kind == TermKind::kinetic && group.positions == 0 && !group.uses_time;
    if (constant_kinetic) continue;
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t l = 0; l < group.lanes; ++l) {
      if (linked_terms[g].empty() || linked_terms[g][l] == 0) lanes.push_back(l);
    }
    if (lanes.empty()) continue;
    momenta_vary = momenta_vary || group.kind == TermKind::kinetic;
    for (std::size_t first = 0; first < lanes.size(); first += 8) {
      const std::size_t count = std::min<std::size_t>(8, lanes.size() - first);
      terms.push_back(make_block(group, g, term_tapes[g], {lanes.data() + first, count}));
      Block& block = terms.back();
      if (group.kind == TermKind::force) {
        const std::size_t outputs = group.tape.outputs.size();
        block.target_of.resize(outputs * block.width);
        for (std::size_t k = 0; k < outputs; ++k) {
          for (std::uint32_t l = 0; l < block.width; ++l) {
            block.target_of[k * block.width + l] =
                group.target_of[k * group.lanes + lanes[std::min(first + l, lanes.size() - 1)]];
          }
        }
      }
    }
  }
  term_arena = arena.size();
}

expressions::Tape Series::Impl::term_tape(const TermGroup& group) {
  std::vector<std::uint32_t> wanted;
  auto count = static_cast<std::uint32_t>(group.tape.outputs.size());
  if (group.kind == TermKind::potential) count = 1 + group.positions;
  if (group.kind == TermKind::kinetic) count = 1 + group.positions + group.velocities;
  for (std::uint32_t k = 0; k < count; ++k) wanted.push_back(k);
  // The value itself is not needed unless time is in it; its place is kept by another output.
  if (group.kind != TermKind::force && !group.uses_time && count > 1) wanted[0] = 1;
  expressions::Tape tape = expressions::part(group.tape, wanted);
  // Forces go on from where a root has no series, by steps that are short enough.
  if (group.kind != TermKind::kinetic) allow_zero_roots(tape);
  return tape;
}

bool Series::Impl::all_strands(std::uint32_t group) const {
  const RowShape& shape = shapes[group];
  return !plain && shape.quadratic &&
         std::none_of(shape.directions.begin(), shape.directions.end(),
                      [](const Direction& direction) { return direction.constant; });
}

void Series::Impl::add_strands(const Block& block) {
  for (const Direction& direction : shapes[block.group].directions) {
    for (std::uint32_t l = 0; l < block.count; ++l) {
      Strands::Strand strand;
      strand.row = block.row[l];
      strand.a = block.position_of[direction.slots[0].first * block.width + l];
      strand.sign_a = direction.slots[0].second;
      strand.b = strand.a;
      if (direction.slots.size() > 1) {
        strand.b = block.position_of[direction.slots[1].first * block.width + l];
        strand.sign_b = direction.slots[1].second;
      }
      strand.c = direction.own;
      strands.add(strand);
    }
  }
}

void Series::Impl::choose(std::span<const HeldRow> held, std::span<const std::uint32_t> watch) {
  extended_ahead = proved_ahead = false;
  structure = 0;
  held_rows.assign(held.begin(), held.end());
  loops_known = false;
  probe.reset();
  inequalities = std::any_of(held.begin(), held.end(),
                             [&](const HeldRow& one) { return !model::is_equation(model.row_kind[one.row]); });
  watched_rows.assign(watch.begin(), watch.end());
  find_linked();
  arena.resize(term_arena);
  held_blocks.clear();
  watched_blocks.clear();
  strands.clear(orders);
  plain_rows.clear();
  make_row_blocks();
  lay_out_rows();
}

void Series::Impl::find_linked() {
  FoundLinks found;
  if (!plain) found = find_links(model, turners, linkable, held_rows);
  linked_row.assign(held_rows.size(), 0);
  for (const Links::Joint& joint : found.joints) {
    for (std::size_t c = 0; c < joint.rows(); ++c) linked_row[joint.row.at(c)] = 1;
  }
  const bool in_axes = !plain && !model.slender.empty();
  if (found.turners != linked_turners || in_axes == slender.empty()) {
    linked_turners = found.turners;
    slender.clear();
    if (in_axes) slender.set(model.slender, orders);
    for (std::vector<std::uint8_t>& list : linked_terms) list.clear();
    for (const std::uint32_t t : linked_turners) {
      for (const auto& [group, lane] : turners[t].terms) {
        linked_terms[group].resize(model.terms[group].lanes, 0);
        linked_terms[group][lane] = 1;
      }
    }
    for (const auto& [group, lane] : slender_terms) {
      if (!in_axes) break;
      linked_terms[group].resize(model.terms[group].lanes, 0);
      linked_terms[group][lane] = 1;
    }
    return_nothing();
    make_term_blocks();
  }
  if (found.joints.empty()) {
    links.clear();
  } else {
    links.set(std::move(found.bodies), std::move(found.joints), orders);
  }
  linked_masses = !links.empty() && model.mass_blocks.size() == links.bodies().size();
}

/// Rows by shape, in blocks: held, watched, and those bent under the variational law.
void Series::Impl::make_row_blocks() {
  std::vector<std::vector<std::uint32_t>> of_group(model.groups.size());
  const auto in_blocks = [&](std::size_t count, auto row_of, auto make, auto is_one) {
    for (auto& list : of_group) list.clear();
    for (std::uint32_t j = 0; j < count; ++j) {
      if (is_one(j)) of_group[model.row_group[row_of(j)]].push_back(j);
    }
    for (std::uint32_t g = 0; g < of_group.size(); ++g) {
      const std::vector<std::uint32_t>& list = of_group[g];
      for (std::size_t first = 0; first < list.size(); first += 8) {
        const std::size_t count_here = std::min<std::size_t>(8, list.size() - first);
        std::array<std::uint32_t, 8> lanes{};
        for (std::size_t l = 0; l < count_here; ++l) lanes[l] = model.row_lane[row_of(list[first + l])];
        make(g, std::span<const std::uint32_t>(lanes.data(), count_here), list.data() + first);
      }
    }
  };
  const auto any = [](std::uint32_t) { return true; };
  bool linked = false;
  const auto make_held = [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
    Block block = make_block(model.groups[g], g, shapes[g].held, lanes);
    block.speeds = take(shapes[g].directions.size() * orders * block.width);
    block.carried = take(std::size_t{orders} * block.width);
    block.row.assign(numbers, numbers + block.count);
    block.linked = linked;
    block.strands = !linked && all_strands(g);
    if (block.strands) add_strands(block);
    if (!block.strands) plain_rows.insert(plain_rows.end(), block.row.begin(), block.row.end());
    held_blocks.push_back(std::move(block));
  };
  const auto row_of_held = [&](std::uint32_t j) { return held_rows[j].row; };
  for (const bool which : {false, true}) {
    linked = which;
    if (linked && links.empty()) continue;
    in_blocks(held_rows.size(), row_of_held, make_held,
              [&](std::uint32_t j) { return (linked_row[j] != 0) == linked; });
  }
  strands.lay_out(n);
  in_blocks(
      watched_rows.size(), [&](std::uint32_t w) { return watched_rows[w]; },
      [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
        Block block = make_block(model.groups[g], g, shapes[g].watched, lanes);
        block.row.assign(numbers, numbers + block.count);
        watched_blocks.push_back(std::move(block));
      },
      any);

  // What bends the rows under the variational law.
  bent.clear();
  bend_blocks.clear();
  for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
    if (model::is_variational(model, held_rows[j].row)) bent.push_back(j);
  }
  in_blocks(
      bent.size(), [&](std::uint32_t b) { return held_rows[bent[b]].row; },
      [&](std::uint32_t g, std::span<const std::uint32_t> lanes, const std::uint32_t* numbers) {
        Block block = make_block(model.groups[g], g, model.groups[g].bend, lanes);
        block.row.assign(numbers, numbers + block.count);
        bend_blocks.push_back(std::move(block));
      },
      any);
  rho.assign(std::size_t{orders} * bent.size(), 0.0);
}

void Series::Impl::find_entry_runs() {
  entry_runs.clear();
  const std::uint32_t count = EntryRun::neighbours;
  for (std::uint32_t j = 0; j + 1 < start.size(); ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1];) {
      EntryRun one{j, e, e};
      while (one.single < start[j + 1] && one.end == one.single) {
        const bool four = one.single + count <= start[j + 1] &&
                          column[one.single + count - 1] == column[one.single] + count - 1 &&
                          std::is_sorted(column.begin() + one.single, column.begin() + one.single + count);
        if (four) {
          one.end = one.single + count;
        } else {
          one.end = ++one.single;
        }
      }
      e = one.end;
      entry_runs.push_back(one);
    }
  }
}

/// The pattern of J, its places on the tapes, and the factor.
void Series::Impl::lay_out_rows() {
  const std::size_t m = held_rows.size();
  start.assign(1, 0);
  column.clear();
  for (const HeldRow& one : held_rows) {
    for (std::uint32_t e = model.row_start[one.row]; e < model.row_start[one.row + 1]; ++e)
      column.push_back(model.row_column[e]);
    start.push_back(static_cast<std::uint32_t>(column.size()));
  }
  for (Block& block : held_blocks) {
    const RowGroup& group = model.groups[block.group];
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    block.entry_at.resize(std::size_t{slots} * block.width);
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const std::uint32_t row = held_rows[block.row[l]].row;
        block.entry_at[slot * block.width + l] =
            start[block.row[l]] + group.entry_of[slot * group.lanes + model.row_lane[row]] - model.row_start[row];
      }
    }
  }
  find_entry_runs();
  entry.assign(column.size(), 0.0);
  weighted.assign(column.size(), 0.0);
  lambda.assign(std::size_t{orders} * m, 0.0);
  right.assign(m, 0.0);
  gradient_sum.assign(m, 0.0);
  rate_scale.assign(m, 0.0);
  lambda_scale.assign(m, 0.0);
  row_length.assign(m, 1.0);
  lengths_known = false;
  std::vector<std::uint8_t> shares(m);
  for (std::size_t j = 0; j < m; ++j) shares[j] = held_rows[j].implied_if_dependent ? 0 : 1;
  factor.shape(rows(), dynamics.mass, shares);
  find_parts();
  find_light();
  watched_value.assign(watched_rows.size() * orders, 0.0);
  watched_length.assign(watched_rows.size(), 0.0);
  row_rest.assign(m, 0.0);
  multiplier_error.assign(m, 0.0);
  watched_rest.assign(watched_rows.size(), 0.0);
  watched_terms_known = false;
}

void Series::Impl::find_parts() {
  Groups together(static_cast<std::uint32_t>(n));
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    for (std::uint32_t e = start[j] + 1; e < start[j + 1]; ++e) together.join(column[e - 1], column[e]);
  }
  for (const auto& [first, count] : own_body) {
    for (std::uint32_t i = first + 1; i < first + count; ++i) together.join(i - 1, i);
  }
  // Numbered from 0 on, in the order of their first variables.
  std::vector<std::uint32_t> number(n, none);
  part_of.resize(n);
  parts_count = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::uint32_t& its = number[together.of(i)];
    if (its == none) its = static_cast<std::uint32_t>(parts_count++);
    part_of[i] = its;
  }
}

}  // namespace zwang::motion
