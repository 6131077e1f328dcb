/// Order zero of a series: values, gradients and rates of the rows held, and the state brought onto them.
#include <algorithm>
#include <cmath>

#include "zwang/motion/series_impl.hpp"

namespace zwang::motion {

void Series::Impl::order_zero(const model::State& state) {
  for (Block& block : held_blocks) {
    fill_row(block, state, 0);
    expressions::extend(shapes[block.group].held, registers(block), orders, 0, 0, block.width);
  }
}

void Series::Impl::load_rows() {
  std::fill(gradient_sum.begin(), gradient_sum.end(), 0.0);
  for (const Block& block : held_blocks) {
    const RowGroup& group = model.groups[block.group];
    const expressions::Tape& tape = shapes[block.group].held;
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    const std::uint32_t* at = block.entry_at.data();
    for (std::uint32_t slot = 0; slot < slots; ++slot, at += block.width) {
      const double* g = registers(block) + std::size_t{tape.outputs[1 + slot]} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        entry[at[l]] = g[l];
        gradient_sum[block.row[l]] += std::abs(g[l]);
      }
    }
  }
}

template <class Visit>
void Series::Impl::for_rows(Visit visit) {
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const double* r = registers(block);
    const bool holonomic = model.groups[block.group].holonomic;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const double f = r[std::size_t{shape.value} * orders * block.width + l];
      const double f_t = shape.moving ? r[std::size_t{shape.explicit_rate} * orders * block.width + l] : 0.0;
      visit(block.row[l], holonomic, f, f_t);
    }
  }
}

void Series::Impl::correct(std::vector<double>& x, std::vector<double>& carry) {
  factor.solve(right);
  std::fill(force.begin(), force.end(), 0.0);
  spread(right, force);
  masses_in_use().solve(force, acceleration);
  for (std::size_t i = 0; i < n; ++i) {
    if (acceleration[i] == 0) continue;
    const double change = carry[i] - acceleration[i];
    double sum = x[i] + change;
    carry[i] = change - (sum - x[i]);
    // What is left of a number that was wholly taken off is its rounding; kept, it would be taken off again and again.
    if (std::abs(sum) <= wholly_taken_off * std::abs(x[i])) sum = carry[i] = 0;
    x[i] = sum;
  }
}

double Series::Impl::terms_evaluated(std::uint32_t j, bool rate) {
  for (const Block& block : held_blocks) {
    const auto last = block.row.begin() + block.count;
    const auto lane = std::find(block.row.begin(), last, j);
    if (lane == last) continue;
    const RowShape& shape = shapes[block.group];
    if (rate && !shape.moving) return 0;
    if (radii.size() < shape.held.registers() * block.width) radii.resize(shape.held.registers() * block.width);
    expressions::magnitudes(shape.held, registers(block), orders, block.width, radii.data());
    const std::uint32_t reg = rate ? shape.explicit_rate : shape.value;
    const double found = radii[std::size_t{reg} * block.width + static_cast<std::size_t>(lane - block.row.begin())];
    return std::isfinite(found) ? found : 0;
  }
  return 0;
}

Series::Projection Series::Impl::project(model::State& state, std::vector<double>& carry_position,
                                         std::vector<double>& carry_velocity, std::span<const double> gain_position,
                                         std::span<const double> gain_velocity) {
  extended_ahead = proved_ahead = false;
  Projection result;
  load_modes(state);
  if (!links.empty()) links.straighten(state.position, state.velocity);
  if (!slender.empty()) slender.straighten(state.position, state.velocity);
  std::copy(state.position.begin(), state.position.end(), q.begin());
  std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
  // Order zero in plain units.
  per_unit = 1;
  begun = false;
  if (varying_mass) {
    model::evaluate_mass(model, state, scratch, dynamics);
    if (!dynamics.mass_positive) {
      result.regular = false;
      return result;
    }
    find_root_masses();
  }
  const std::size_t m = held_rows.size();
  if (m == 0) return result;
  order_zero(state);
  load_rows();
  factor.factor(rows(), masses_in_use());
  result.skipped = factor.skipped_count();
  // Contacts that shared a force with others are held by these alone: where they are no longer, it is for the instant to tell which of them hold.
  for (std::size_t j = 0; j < m && !watched_rows.empty(); ++j) {
    const std::uint32_t row = held_rows[j].row;
    if (factor.skipped(j) || model::is_equation(model.row_kind[row])) continue;
    result.parted = result.parted || std::binary_search(watched_rows.begin(), watched_rows.end(), row);
  }
  if (result.parted) return result;
  if (!lengths_known) {
    for (std::size_t j = 0; j < m; ++j) row_length[j] = std::sqrt(factor.diagonal(j));
    first_gradient = gradient_sum;
    first_pivot = factor.least_pivot();
    lengths_known = true;
  }

  // Position.
  // Every row is measured by its own terms: what its variables are, and what the step added to them.
  constexpr double rounding = 2e-16;  // of a row's terms: below it there is nothing to correct
  constexpr double least_pivot_left_alone = 1e-2;
  const auto size_of = [&](std::uint32_t j, const double* x, std::span<const double> gain) {
    double terms_of_row = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      const std::uint32_t i = column[e];
      terms_of_row += std::abs(entry[e]) * (std::abs(x[i]) + (gain.empty() ? 0.0 : std::abs(gain[i])));
    }
    return terms_of_row;
  };
  // Drift is also measured by what the rows held connect, in the metric of the masses, since angles are no lengths: what is held at
  // zero gets its rounding from there.
  const auto measure_parts = [&](const double* x, std::span<const double> gain) {
    part_size.assign(parts_count, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      double& most = part_size[part_of[i]];
      most = std::max(most, root_mass[i] * (std::abs(x[i]) + (gain.empty() ? 0.0 : std::abs(gain[i]))));
    }
  };
  const auto around = [&](std::uint32_t j) {
    return start[j] == start[j + 1] ? 0.0 : gradient_in_masses(j) * part_size[part_of[column[start[j]]]];
  };
  // What is a rounding of the terms that a row is evaluated from is no drift: 1 + tanh(t - 9) is known no better, however small it is.
  const auto of_terms = [&](double drift, std::uint32_t j, double by, bool rate) {
    return drift > suspicious_drift ? by / (terms_evaluated(j, rate) + faintest + by / drift) : drift;
  };
  measure_parts(q.data(), gain_position);
  bool broken = false;
  for_rows([&](std::uint32_t j, bool holonomic, double f, double) {
    right[j] = holonomic ? f : 0.0;
    if (!std::isfinite(f) || !std::isfinite(gradient_sum[j])) result.regular = false;
    if (!holonomic) return;
    // Those that follow from others must hold as well: rows can look dependent that are not, where masses differ by more than numbers hold.
    const double by = factor.skipped(j) && !model::is_equation(model.row_kind[held_rows[j].row]) ? f : std::abs(f);
    if (const double slope = gradient_in_masses(j); slope > 0) result.off = std::max(result.off, by / slope);
    if (f != 0) {
      const bool skipped = factor.skipped(j);
      double& drift = skipped ? result.skipped_drift : result.position_drift;
      const double own = size_of(j, q.data(), gain_position) + (skipped ? 0.0 : around(j)) + least_divisor;
      drift = std::max(drift, of_terms(by / own, j, by, false));
    }
    // With rows that are nearly dependent a correction moves more than it mends: there rounding is left alone.
    const double left_alone = rounding / std::max(factor.least_pivot(), least_pivot_left_alone);
    broken = broken || (f != 0 && std::abs(f) > left_alone * size_of(j, q.data(), {}));
  });
  if (!result.regular) return result;
  if (broken) {
    correct(state.position, carry_position);
    std::copy(state.position.begin(), state.position.end(), q.begin());
    order_zero(state);
    load_rows();
    // A factor of other rows would feed the correction back into the next step: its multipliers are off by the part that the rows
    // moved, and long steps make more of that than there was.
    constexpr double rows_moved = 4e-15;
    constexpr double rows_moved_when_oblique = 1e-15;  // where pivots are below `oblique`, they magnify it
    constexpr double oblique = 0.2;
    if (result.position_drift > rows_moved ||
        (result.position_drift > rows_moved_when_oblique && factor.least_pivot() < oblique)) {
      factor.factor(rows(), masses_in_use());
    }
  }

  // Velocity: p.v + p0 = 0 for velocity conditions, g.v + f_t = 0 for the others.
  broken = false;
  measure_parts(v.data(), gain_velocity);
  for_rows([&](std::uint32_t j, bool, double, double f_t) {
    right[j] = times(j, v.data()) + f_t;
    rate_scale[j] = size_of(j, v.data(), gain_velocity) + std::abs(f_t) + around(j);
    if (!factor.skipped(j)) {
      const double by = std::abs(right[j]);
      result.velocity_drift =
          std::max(result.velocity_drift, of_terms(by / (rate_scale[j] + least_divisor), j, by, true));
    }
    const double own = sharp ? 0.0 : size_of(j, v.data(), {}) + std::abs(f_t);
    broken = broken || std::abs(right[j]) > rounding * own;
  });
  if (broken) {
    correct(state.velocity, carry_velocity);
    std::copy(state.velocity.begin(), state.velocity.end(), v.begin());
  }
  return result;
}

}  // namespace zwang::motion
