/// The orders of a series one after the other: forces, multipliers, accelerations, and what is open along them.
#include <algorithm>
#include <cmath>

#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

template <unsigned W>
void Series::Impl::fill_speeds(Block& block, unsigned k) {
  const RowShape& shape = shapes[block.group];
  const RowGroup& group = model.groups[block.group];
  const std::size_t stride = std::size_t{orders} * W;
  const double* input = registers(block) + (group.holonomic ? 1 : 1 + std::size_t{group.positions}) * stride;
  const unsigned order = group.holonomic ? k + 1 : k;
  const double factor_k = group.holonomic ? k + 1.0 : unit;
  double* to = arena.data() + block.speeds;
  for (const Direction& direction : shape.directions) {
    Lanes<W> sum =
        (factor_k * direction.slots[0].second) * expressions::load<W>(input + direction.slots[0].first * stride, order);
    for (std::size_t d = 1; d < direction.slots.size(); ++d) {
      const auto [slot, sign] = direction.slots[d];
      sum += (factor_k * sign) * expressions::load<W>(input + slot * stride, order);
    }
    expressions::store<W>(to, k, sum);
    to += stride;
  }
}

template <unsigned W>
void Series::Impl::known_terms(Block& block, unsigned k) {
  const RowShape& shape = shapes[block.group];
  const bool holonomic = model.groups[block.group].holonomic;
  const std::uint32_t* variable = (holonomic ? block.position_of : block.velocity_of).data();
  const double* r = registers(block);
  const double* speed = arena.data() + block.speeds;
  const double* carried = arena.data() + block.carried;
  const std::size_t stride = std::size_t{orders} * W;
  const std::uint32_t count = block.count;
  Lanes<W> sum;
  if (shape.moving) sum = unit * expressions::load<W>(r + shape.explicit_rate * stride, k + 1);
  for (const Direction& direction : shape.directions) {
    const double* g = r + direction.reg * stride;
    if (!direction.constant) {
      // Two sums along the same gradient: with the speeds, and with the multipliers so far.
      Lanes<W> along;
      Lanes<W> reaction;
      for (unsigned l = 1; l <= k; ++l) {
        const Lanes<W> gradient = expressions::load<W>(g, l);
        along += gradient * expressions::load<W>(speed, k + 1 - l);
        reaction += gradient * expressions::load<W>(carried, k - l);
      }
      along += expressions::load<W>(g, k + 1) * expressions::load<W>(speed, 0);
      sum += along;
      if (k > 0) {
        double part[W];
        expressions::store<W>(part, 0, reaction);
        for (const auto& [slot, sign] : direction.slots) {
          const std::uint32_t* at = variable + slot * W;
          if (sign > 0) {
            for (std::uint32_t l = 0; l < count; ++l) force[at[l]] -= part[l];
          } else {
            for (std::uint32_t l = 0; l < count; ++l) force[at[l]] += part[l];
          }
        }
      }
    }
    speed += stride;
  }
  double c[W];
  expressions::store<W>(c, 0, static_cast<double>(k + 1) * sum);
  for (std::uint32_t l = 0; l < count; ++l) right[block.row[l]] = c[l];
}

void Series::Impl::run_forces(const model::State& state, unsigned k) {
  for (Block& block : terms) {
    const TermGroup& group = model.terms[block.group];
    const expressions::Tape& tape = term_tapes[block.group];
    const std::uint32_t w = block.width;
    fill_term(block, state, k);
    double* r = registers(block);
    if (group.kind != TermKind::kinetic) {
      expressions::extend(tape, r, orders, block.slid && k > 0 ? k - 1 : k, k, w);
      continue;
    }
    // The next order with v_{k+1} = 0: what d/dt of the momenta holds besides M_0 a_k.
    fill_term(block, state, k + 1);
    double* speed = r + (1 + std::size_t{group.positions}) * orders * w + std::size_t{k + 1} * w;
    for (std::uint32_t slot = 0; slot < group.velocities; ++slot, speed += std::size_t{orders} * w) {
      std::fill(speed, speed + w, 0.0);
    }
    // Of order k only what the velocities are in has changed since then.
    if (k == 0 || block.slid) {
      expressions::extend(tape, r, orders, k, k + 1, w);
    } else {
      expressions::extend_some(tape, term_moving[block.group], r, orders, k, w);
      expressions::extend(tape, r, orders, k + 1, k + 1, w);
    }
  }
}

void Series::Impl::add_forces(const model::State& state, unsigned k) {
  run_forces(state, k);
  gather_forces(k, [&](std::size_t number, std::uint32_t reg, unsigned order, std::uint32_t l) {
    const Block& block = terms[number];
    return arena[block.registers + (std::size_t{reg} * orders + order) * block.width + l];
  });
}

void Series::Impl::add_bends(const model::State& state, unsigned k) {
  for (std::size_t b = 0; b < bent.size(); ++b) {
    rho[b * orders + k] = k == 0 ? model::rho_of(model, state, held_rows[bent[b]].row)
                                 : lambda[(k - 1) * held_rows.size() + bent[b]] / (k * unit);
  }
  for (Block& block : bend_blocks) {
    const RowGroup& group = model.groups[block.group];
    const std::uint32_t w = block.width;
    fill_row(block, state, k);
    // p does not depend on the velocities: of the next order only its positions count.
    fill_row(block, state, k + 1);
    double* speed = registers(block) + (1 + std::size_t{group.positions}) * orders * w + std::size_t{k + 1} * w;
    for (std::uint32_t slot = 0; slot < group.velocities; ++slot, speed += std::size_t{orders} * w) {
      std::fill(speed, speed + w, 0.0);
    }
    expressions::extend(group.bend, registers(block), orders, k, k + 1, w);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const double* r = rho.data() + std::size_t{block.row[l]} * orders;
      for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
        const double* p = registers(block) + std::size_t{group.bend.outputs[slot]} * orders * w + l;
        double sum = 0;
        for (unsigned j = 0; j <= k; ++j) sum += r[k - j] * (j + 1.0) * p[(j + 1) * w];
        force[block.velocity_of[slot * w + l]] -= unit * sum;
      }
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        const double* f_q =
            registers(block) + std::size_t{group.bend.outputs[group.velocities + slot]} * orders * w + l;
        double sum = 0;
        for (unsigned j = 0; j <= k; ++j) sum += r[k - j] * f_q[j * w];
        force[block.position_of[slot * w + l]] += unit_squared * sum;
      }
    }
  }
}

void Series::Impl::accelerate_free(unsigned k) {
  if (!inverse_mass.empty()) {
    const double* w = inverse_mass.data();
    for (std::size_t i = 0; i < n; ++i) acceleration[i] = w[i] * force[i];
  } else {
    weigh_forces(k);
  }
}

void Series::Impl::weigh_forces(unsigned k) {
  if (!linked_masses) {
    dynamics.mass.solve(force, acceleration);
    if (!slender.empty()) slender.weigh(k, force.data(), acceleration.data());
    return;
  }
  const std::span<const double> mass = dynamics.mass.diagonal();
  for (std::size_t i = 0; i < n; ++i) acceleration[i] = force[i] / mass[i];
  links.weigh(force.data(), acceleration.data());
}

void Series::Impl::measure_balance(const double* forces, const double* multipliers) {
  balance_known = true;
  balance.resize(n);
  for (std::size_t i = 0; i < n; ++i) balance[i] = std::abs(forces[i]);
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) balance[column[e]] += std::abs(entry[e] * multipliers[j]);
  }
}

void Series::Impl::keep_terms() {
  acceleration_terms.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    acceleration_terms[i] = balance[i] * (inverse_mass.empty() ? inverse_of_diagonal(i) : inverse_mass[i]);
  }
}

double Series::Impl::inverse_of_diagonal(std::uint32_t i) const {
  if (!light.empty()) return inverse_mass[i];
  const bool alone = dynamics.mass.block_of(i) < 0;
  return alone ? dynamics.mass.inverse_root()[i] * dynamics.mass.inverse_root()[i] : 1 / dynamics.mass.diagonal()[i];
}

/// Is there anything to be frozen? Of what rests exactly nobody asks what its terms are.
bool Series::Impl::weigh_balance(std::span<const double> moved) {
  if (balance_known) return true;
  bool any = false;
  for (std::size_t i = 0; i < n && !any; ++i) any = still[i] != 0 && moved[i] != 0;
  if (!any) return false;
  measure_balance(balance_force.data(), balance_right.data());
  return true;
}

void Series::Impl::freeze() {
  if (!weigh_balance(acceleration)) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (still[i] == 0) continue;
    if (std::abs(acceleration[i]) <= frozen * inverse_mass[i] * balance[i]) acceleration[i] = rest[i] = 0;
  }
}

void Series::Impl::freeze_forces() {
  if (!weigh_balance(force)) return;
  for (std::size_t i = 0; i < n; ++i) {
    if (still[i] != 0 && std::abs(force[i]) <= frozen * balance[i]) force[i] = 0;
  }
}

void Series::Impl::take_off(const double* y, double* x) const {
  const std::uint32_t* at = column.data();
  const double* factor_of = entry.data();
  std::uint32_t e = 0;
  for (const EntryRun& one : entry_runs) {
    const double by = y[one.row];
    for (; e < one.single; ++e) x[at[e]] -= factor_of[e] * by;
    if (e == one.end) continue;
    double* to = x + at[e];
    const double* from = factor_of + e;
    // All four are read before one is written, so that they go side by side.
    const double a = to[0] - from[0] * by;
    const double b = to[1] - from[1] * by;
    const double c = to[2] - from[2] * by;
    const double d = to[3] - from[3] * by;
    to[0] = a, to[1] = b, to[2] = c, to[3] = d;
    e = one.end;
  }
}

void Series::Impl::hinder(unsigned k) {
  if (k == 0) {
    measure_balance(force.data(), right.data());
    keep_terms();
  } else if (std::find(still.begin(), still.end(), 1) != still.end()) {
    // What moves is not frozen; the terms of what rests are asked for where something is left of their sum.
    balance_known = false;
    balance_force.assign(force.begin(), force.end());
    balance_right.assign(right.begin(), right.end());
  }
  if (!inverse_mass.empty()) {
    double* a = acceleration.data();
    if (!strands.empty()) strands.hinder(k, right.data(), a);
    for (const std::uint32_t j : plain_rows) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) a[column[e]] -= weighted[e] * right[j];
    }
    freeze();
    return;
  }
  if (!strands.empty()) strands.carry(k, right.data());
  take_off(right.data(), force.data());
  freeze_forces();
  weigh_forces(k);
}

void Series::Impl::hinder_again(unsigned k) {
  const std::size_t m = held_rows.size();
  std::copy(right_known.begin(), right_known.end(), right.begin());
  if (!strands.empty()) strands.press(acceleration.data(), right.data());
  for (const std::uint32_t j : plain_rows) right[j] += times(j, acceleration.data());
  factor.solve(right);
  for (std::size_t j = 0; j < m; ++j) {
    if (!std::isfinite(right[j])) return;
  }
  double* multipliers = lambda.data() + std::size_t{k} * m;
  for (std::size_t j = 0; j < m; ++j) multipliers[j] += right[j];
  for (const Block& block : held_blocks) {
    if (block.strands) continue;
    double* to = arena.data() + block.carried + std::size_t{k} * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) to[l] = multipliers[block.row[l]];
  }
  if (inverse_mass.empty()) {
    if (!strands.empty()) strands.carry(k, multipliers);
    take_off(right.data(), force.data());
    freeze_forces();
    weigh_forces(k);
    return;
  }
  double* a = acceleration.data();
  if (!strands.empty()) {
    strands.hinder(k, right.data(), a);
    strands.carry(k, multipliers);
  }
  for (const std::uint32_t j : plain_rows) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) a[column[e]] -= weighted[e] * right[j];
  }
  freeze();
}

void Series::Impl::begin_strands() {
  std::size_t s = 0;
  for (const Block& block : held_blocks) {
    if (!block.strands) continue;
    for (const Direction& direction : shapes[block.group].directions) {
      const std::uint32_t root = shapes[block.group].root;
      const double* upper = registers(block) + std::size_t{direction.numerator} * orders * block.width;
      const double* length = registers(block) + std::size_t{root} * orders * block.width;
      const double part = direction.factor / direction.own;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        strands.begin(s++, part * upper[l], root == 0 ? direction.own : direction.own / length[l]);
      }
    }
  }
  strands.take_masses(inverse_mass);
}

void Series::Impl::take_order(unsigned k) {
  const double* a = acceleration.data();
  double* next_v = v.data() + (k + 1) * n;
  double* next_q = q.data() + (k + 2) * n;
  for (std::size_t i = 0; i < n; ++i) still[i] = still[i] != 0 && a[i] == 0 ? 1 : 0;
  // The first orders by division: a rounded reciprocal is always wrong in the same direction, and energy would creep.
  if (k < 6) {
    for (std::size_t i = 0; i < n; ++i) {
      next_v[i] = a[i] / (k + 1.0);
      next_q[i] = next_v[i] / (k + 2.0);
    }
    return;
  }
  const double by_v = 1.0 / (k + 1.0);
  const double by_q = by_v / (k + 2.0);
  for (std::size_t i = 0; i < n; ++i) {
    next_v[i] = a[i] * by_v;
    next_q[i] = a[i] * by_q;
  }
}

void Series::Impl::extend_strands() {
  const std::size_t m = held_rows.size();
  Strands::Order order;
  order.inverse_mass = inverse_mass.data();
  order.variables = n;
  order.a = acceleration.data();
  for (unsigned k = 0; k + 2 <= N; ++k) {
    double* multipliers = lambda.data() + k * m;
    order.k = k;
    order.q_next = q.data() + (k + 1) * n;
    order.force = k == 0 ? constant_force.data() : nullptr;
    order.right = multipliers;
    strands.before_solving(order);
    if (k == 0) {
      // Sizes of what the multipliers are made of: right-hand sides and forces.
      std::copy_n(multipliers, m, right.begin());
      std::copy(constant_force.begin(), constant_force.end(), force.begin());
      first_sizes();
    }
    factor.solve({multipliers, m});
    strands.after_solving(order);
    if (k == 0) {
      if (sharp || factor.least_pivot() < settled_twice) {
        strands.residual(v.data(), acceleration.data(), right.data());
        factor.solve(right);
        strands.refine(right.data(), acceleration.data(), rest.data());
      }
      std::copy_n(multipliers, m, right.begin());
      last_sizes();
      measure_balance(force.data(), right.data());
      keep_terms();
      freeze();
    }
    take_order(k);
    if (!strands.in_one_run()) continue;
    strands.extend_run({N - 2, n, q.data(), v.data(), lambda.data(), m, &factor});
    return;
  }
}

void Series::Impl::first_sizes() {
  if (!inequalities) return;
  for (std::size_t i = 0; i < n; ++i) size[i] = std::abs(force[i]);
  if (!slender.empty()) slender.add_sizes(size.data());
  for (std::size_t j = 0; j < held_rows.size(); ++j) lambda_scale[j] = std::abs(right[j]);
}

void Series::Impl::last_sizes() {
  if (!inequalities) return;
  const std::size_t m = held_rows.size();
  for (std::size_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) size[column[e]] += std::abs(entry[e] * right[j]);
  }
  const auto inverse = [&](std::uint32_t i) { return inverse_of_diagonal(i); };
  // Rounding of the state lets a little of the largest acceleration of what hangs together into every row of it; accelerations of
  // angles and of lengths are compared in the metric of the masses, m a^2 = size^2 / m.
  part_size.assign(parts_count, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    double& most = part_size[part_of[i]];
    most = std::max(most, size[i] / root_mass[i]);
  }
  for (std::size_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      const std::uint32_t i = column[e];
      lambda_scale[j] +=
          std::abs(entry[e]) * (inverse(i) * size[i] + share_of_largest * part_size[part_of[i]] / root_mass[i]);
    }
    lambda_scale[j] /= factor.diagonal(j) > 0 ? factor.diagonal(j) : 1.0;
  }
}

double Series::Impl::scale_by_others(std::size_t j) const {
  double sum = 0;
  for (std::size_t k = 0; k < held_rows.size(); ++k) {
    if (k == j) continue;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      for (std::uint32_t other = start[k]; other < start[k + 1]; ++other) {
        if (column[other] != column[e]) continue;
        sum += std::abs(entry[e] * entry[other]) * inverse_of_diagonal(column[e]) * lambda_scale[k];
      }
    }
  }
  return sum / (factor.diagonal(j) > 0 ? factor.diagonal(j) : 1.0);
}

void Series::Impl::forget_overflow() {
  if (lender != nullptr) lender->give_back(*this);
  zero_what_is_not_finite(arena);
  zero_what_is_not_finite(q_room);
  zero_what_is_not_finite(v);
  for (std::vector<double>* list : {&lambda, &force_room, &acceleration_room, &right}) zero_what_is_not_finite(*list);
  strands.forget_overflow();
  links.forget_overflow();
  slender.forget_overflow();
  if (factor.band() != nullptr) factor.band()->empty_right();
}

void Series::Impl::drop_what_vanishes() {
  const auto drop = [](double* list, std::size_t count, unsigned last) {
    double most = 0;
    for (unsigned k = 0; k <= 2; ++k) most = std::max(most, largest_size(list + k * count, count));
    const double nothing = nothing_of_a_series * most;
    for (unsigned k = last; k > 2 && largest_size(list + k * count, count) < nothing; --k)
      std::fill_n(list + k * count, count, 0.0);
  };
  drop(q.data(), n, N);
  drop(v.data(), n, N - 1);
  if (!held_rows.empty()) drop(lambda.data(), held_rows.size(), N - 2);
}

void Series::Impl::finish_velocity_rows(const model::State& state) {
  for (Block& block : held_blocks) {
    if (model.groups[block.group].holonomic || held_degrees[block.group][shapes[block.group].value] <= 1) continue;
    fill_row(block, state, N - 1);
    expressions::sweep(shapes[block.group].held, registers(block), orders, N - 1, block.width);
  }
}

void Series::Impl::watch(const model::State& state) {
  const bool falls = falls_freely();
  for (Block& block : watched_blocks) {
    const RowGroup& group = model.groups[block.group];
    const expressions::Tape& tape = shapes[block.group].watched;
    const unsigned last = group.holonomic ? N : N - 1;
    // Of what falls every place is of second degree in time, and a register of degree d in places of degree 2 d: nothing stands beyond.
    unsigned there = last;
    if (falls && watched_degree[block.group] < last / 2) there = std::max(2 * watched_degree[block.group], 2U);
    for (std::size_t reg = 0; block.swept > there && reg < tape.registers(); ++reg) {
      double* beyond = registers(block) + (reg * orders + there + 1) * block.width;
      std::fill_n(beyond, std::size_t{orders - there - 1} * block.width, 0.0);
    }
    block.swept = there;
    for (unsigned k = 0; k <= there; ++k) fill_row(block, state, k);
    expressions::sweep(tape, registers(block), orders, there, block.width);
    const double* f = registers(block) + std::size_t{tape.outputs[0]} * orders * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      double* to = watched_value.data() + std::size_t{block.row[l]} * orders;
      for (unsigned k = 0; k <= last; ++k) to[k] = f[k * block.width + l];
      if (shapes[block.group].squared == 0) continue;
      // Squares of distances: (u - L^2) / (2 L).
      const double length = std::abs(registers(block)[std::size_t{tape.outputs[1]} * orders * block.width + l]);
      const double by = shapes[block.group].squared / (2 * length);
      to[0] -= length * length;
      for (unsigned k = 0; k <= last; ++k) to[k] *= by;
      watched_length[block.row[l]] = length;
    }
  }
}

void Series::Impl::take_roots_as_they_are() {
  for (std::size_t g = 0; g < term_tapes.size(); ++g) {
    if (model.terms[g].kind == TermKind::kinetic || term_roots[g].empty()) continue;
    allow_zero_roots(term_tapes[g]);
    structure = 0;
  }
}

bool Series::Impl::take_roots_as_zero(double soon) {
  extended_ahead = proved_ahead = false;
  structure = 0;
  bool any = false;
  for (const Block& block : terms) {
    if (model.terms[block.group].kind == TermKind::kinetic) continue;
    expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      expressions::Instruction& i = tape.instructions[reg - before];
      const double* u = registers(block) + std::size_t{i.a} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double begins = std::abs(u[l]);
        const double fall = std::abs(u[block.width + l]) + soon * std::abs(u[2 * block.width + l]);
        // Below zero by its rounding, where a switch turns the sign of what stands below the root, it has no value, and nothing
        // that follows from it has one. What that rounding matters is bounded with the step. A place that falls further leaves
        // where the root has values.
        const bool has_values = i.op == expressions::Op::power && i.c == std::floor(i.c);
        const bool leaves =
            u[l] < 0 && u[block.width + l] < 0 && !has_values && term_moving[block.group][reg - before] == 0;
        const bool vanishes = begins <= soon * fall || u[l] < 0;
        if (!vanishes || leaves || begins <= i.zero_below) continue;
        i.zero_below = begins;
        any = true;
      }
    }
  }
  return any;
}

std::vector<Series::RestingRoot> Series::Impl::resting_roots() const {
  std::vector<RestingRoot> out;
  for (const Block& block : terms) {
    if (model.terms[block.group].kind == TermKind::kinetic) continue;
    const expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      const expressions::Instruction& i = tape.instructions[reg - before];
      if (i.op == expressions::Op::power && !(i.c > 0 && i.c < 1)) continue;
      const double* u = registers(block) + std::size_t{i.a} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        if (u[l] != 0 || u[block.width + l] != 0 || u[2 * block.width + l] != 0) continue;
        RestingRoot root;
        for (std::size_t at = l; at < block.position_of.size(); at += block.width)
          root.positions.push_back(block.position_of[at]);
        for (std::size_t at = l; at < block.velocity_of.size(); at += block.width)
          root.velocities.push_back(block.velocity_of[at]);
        out.push_back(std::move(root));
      }
    }
  }
  return out;
}

bool Series::Impl::leaves_out_roots_of_speeds() const {
  for (const Block& block : terms) {
    if (model.terms[block.group].kind == TermKind::kinetic) continue;
    const expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      if (term_moving[block.group][reg - before] == 0) continue;
      const double* y = registers(block) + std::size_t{reg} * orders * block.width;
      const double* u = registers(block) + std::size_t{tape.instructions[reg - before].a} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        if (y[l] != 0) continue;
        for (unsigned k = 0; k + 1 < N; ++k) {
          if (u[k * block.width + l] != 0) return true;
        }
      }
    }
  }
  return false;
}

std::vector<Series::RootOfPlaces> Series::Impl::roots_of_places() const {
  std::vector<RootOfPlaces> out;
  const auto add = [&](const Block& block, std::uint32_t argument) {
    const double* u = registers(block) + std::size_t{argument} * orders * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      RootOfPlaces root;
      root.argument = u[l];
      root.rate = u[block.width + l];
      for (std::size_t at = l; at < block.position_of.size(); at += block.width)
        root.positions.push_back(block.position_of[at]);
      out.push_back(std::move(root));
    }
  };
  for (const Block& block : terms) {
    if (model.terms[block.group].kind == TermKind::kinetic) continue;
    const expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      if (term_moving[block.group][reg - before] == 0) add(block, tape.instructions[reg - before].a);
    }
    // A damper's direction d d^T / |d|^2 has none; its square does the same.
    for (const expressions::Instruction& i : tape.instructions) {
      if (i.op == expressions::Op::divide && i.b >= before && term_moving[block.group][i.b - before] == 0)
        add(block, i.b);
    }
  }
  const auto add_of_rows = [&](const Block& block, const expressions::Tape& tape,
                               const std::vector<std::uint32_t>& roots) {
    if (!model.groups[block.group].holonomic) return;
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : roots) add(block, tape.instructions[reg - before].a);
  };
  for (const Block& block : held_blocks) {
    if (!block.strands && !block.linked) add_of_rows(block, shapes[block.group].held, shapes[block.group].held_roots);
  }
  for (const Block& block : watched_blocks) add_of_rows(block, shapes[block.group].watched, shapes[block.group].roots);
  return out;
}

void Series::Impl::measure_time_in(double given) {
  extended_ahead = proved_ahead = false;
  unit = given;
  unit_squared = given * given;
  constant_force.assign(model.constant_force.begin(), model.constant_force.end());
  for (double& x : constant_force) x *= unit_squared;
}

void Series::Impl::in_plain_units() {
  plain_velocity.clear();
  plain_multiplier.clear();
  if (unit == 1) return;
  plain_velocity.assign(v.begin(), v.end());
  plain_multiplier = lambda;
  for (double& x : plain_velocity) x /= unit;
  for (std::vector<double>* list : {&plain_multiplier, &rest, &acceleration_terms}) {
    for (double& x : *list) x /= unit_squared;
  }
}

void Series::Impl::extend_order(const model::State& state, unsigned k) {
  // q_{k+1} and v_k are known: so are the forces of order k and the gradients of order k + 1.
  add_forces(state, k);
  extend_under_forces(state, k);
}

void Series::Impl::extend_under_forces(const model::State& state, unsigned k) {
  if (!bent.empty()) add_bends(state, k);
  std::fill(right.begin(), right.end(), 0.0);
  if (!strands.empty()) strands.extend(k, q.data() + (k + 1) * n, force.data(), right.data());
  if (!links.empty()) links.extend({k, force.data(), right.data()});
  for (Block& block : held_blocks) {
    if (block.strands || block.linked) continue;
    // Velocities are inputs of velocity conditions alone: v_k has just become known, v_{k+1} plays no part yet.
    if (!model.groups[block.group].holonomic) fill_row(block, state, k);
    fill_row(block, state, k + 1);
    by_width(block.width, [&](auto w) {
      fill_speeds<w>(block, k);
      expressions::extend(shapes[block.group].held, registers(block), orders, k + 1, k + 1, w);
      known_terms<w>(block, k);
    });
  }
  if (!slender.empty()) slender.extend(k);
  if (k == 0 && !held_rows.empty()) first_sizes();
  accelerate_free(k);
  if (k == 0) std::copy_n(acceleration.data(), n, free_first.begin());
  solve_order(state, k);
  take_order(k);
  if (!links.empty()) {
    links.take({k, acceleration.data(), q.data() + (k + 2) * n, lambda.data() + std::size_t{k} * held_rows.size()});
  }
  if (!slender.empty()) slender.take(k, force.data(), q.data() + (k + 2) * n);
}

/// The multipliers of this order, and the accelerations they leave.
void Series::Impl::solve_order(const model::State& state, unsigned k) {
  const std::size_t m = held_rows.size();
  double* a = acceleration.data();
  const double late = !links.empty() && 2 * k > N ? solved_twice_late : solved_twice;
  // Digits that a blunt tolerance does not ask for are not sought.
  const double enough = std::min(late, eps / (digits_kept * content));
  const bool twice = m > 0 && slides.empty() && factor.least_pivot() < (k == 0 ? settled_twice : enough);
  if (!light.empty()) {
    right_known.assign(right.begin(), right.end());
    hinder_with_light(k);
    return;
  }
  if (m > 0) {
    if (twice) right_known.assign(right.begin(), right.end());
    if (!strands.empty()) strands.press(a, right.data());
    for (const std::uint32_t j : plain_rows) right[j] += times(j, a);
  }
  if (!slides.empty()) take_weights(state, k);
  if (m > 0) {
    factor.solve(right);
    std::copy(right.begin(), right.end(), lambda.begin() + static_cast<std::ptrdiff_t>(k * m));
    for (const Block& block : held_blocks) {
      if (block.strands || block.linked) continue;
      double* to = arena.data() + block.carried + std::size_t{k} * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) to[l] = right[block.row[l]];
    }
    if (k == 0) last_sizes();
    hinder(k);
    if (twice) {
      // Each solution leaves the same part of what the one before has left.
      const double part = eps / factor.least_pivot();
      double left = part;
      for (unsigned round = 0; round < most_solutions && (round == 0 || left > eps); ++round, left *= part)
        hinder_again(k);
    }
  }
}

bool Series::Impl::by_strands_alone() const {
  return light.empty() && terms.empty() && plain_rows.empty() && !strands.empty() && !inverse_mass.empty() &&
         factor.least_pivot() >= solved_twice;
}

bool Series::Impl::falls_freely() const {
  return terms.empty() && held_rows.empty() && bent.empty() && slides.empty() && links.empty() && slender.empty();
}

void Series::Impl::fall(const model::State& state) {
  // The order above the weight says that nothing changes, and leaves what others read; all that follow would say the same.
  for (unsigned k = 0; k < 2; ++k) extend_order(state, k);
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(3 * n), v.begin() + static_cast<std::ptrdiff_t>(N * n), 0.0);
  std::fill(q.begin() + static_cast<std::ptrdiff_t>(4 * n), q.begin() + static_cast<std::ptrdiff_t>((N + 1) * n), 0.0);
}

bool Series::Impl::extend(const model::State& state) {
  if (extended_ahead) {
    extended_ahead = false;
    return finite_ahead;
  }
  return_nothing();
  proved_ahead = false;
  begin_orders(state);
  open_weights = {};
  if (by_strands_alone()) {
    for (std::size_t i = 0; i < n; ++i) free_first[i] = inverse_mass[i] * constant_force[i];
    extend_strands();
  } else if (falls_freely()) {
    fall(state);
  } else {
    for (unsigned k = 0; k + 2 <= N; ++k) extend_order(state, k);
  }
  for (int pass = 1; pass < most_passes_of_leaving && passes_again(); ++pass) {
    begin_orders(state);
    for (unsigned k = 0; k + 2 <= N; ++k) extend_order(state, k);
  }
  return finish_orders(state);
}

void Series::Impl::begin_orders(const model::State& state) {
  load_modes(state);
  if (!slides.empty() && !light.empty()) {
    drop_light();
    factor.factor(rows(), dynamics.mass);
  }
  if (!light.empty()) factor_light();
  // The velocities that the projection left, in the unit of time of the series.
  if (!begun) first_velocity.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n));
  begun = true;
  for (std::size_t i = 0; i < n; ++i) v[i] = unit * first_velocity[i];
  per_unit = 1 / unit;
  std::copy_n(v.begin(), n, q.begin() + static_cast<std::ptrdiff_t>(n));
  still.resize(n);
  for (std::size_t i = 0; i < n; ++i) still[i] = v[i] == 0 ? 1 : 0;
  acceleration_terms.clear();
  std::fill(rest.begin(), rest.end(), 0.0);
  if (!inverse_mass.empty()) {
    for (const std::uint32_t j : plain_rows) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) weighted[e] = inverse_mass[column[e]] * entry[e];
    }
  }
  if (!strands.empty()) begin_strands();
  if (!links.empty()) links.begin(q.data(), v.data());
  if (!slender.empty()) slender.begin(q.data(), v.data());
  gradients_swept = links.empty();
}

bool Series::Impl::finish_orders(const model::State& state) {
  if (!slides.empty()) finish_weights();
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isfinite(q[N * n + i]) && std::isfinite(q[2 * n + i])) continue;
    forget_overflow();
    return false;
  }
  if (!falls_freely()) drop_what_vanishes();
  finish_velocity_rows(state);
  watch(state);
  in_plain_units();
  power_known = false;
  force_terms_known = false;
  watched_terms_known = false;
  time = state.time;
  return true;
}

}  // namespace zwang::motion
