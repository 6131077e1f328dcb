/// The work of all that has no potential: forces, moving conditions, explicit time (docs/mathematics, section 10.6).
///
/// Of an energy in which t occurs only the power of its forces is a product of series that the bound of the step speaks of; the energy
/// itself may converge later than its forces (sin(t) y, far away), so what it gains is taken from its values at both ends:
///
///   int V_t = [V] - int V_q.v,      int T_t = [T] - int (T_q.v + T_v.a)
#include "zwang/motion/series_impl.hpp"

namespace zwang::motion {

/// Coefficients of the power of all that has no potential, times unit^2 and per unit of s. Products of series are kept whole: that of two series that
/// both have converged may itself converge later.
void Series::Impl::find_power() {
  power.assign(std::size_t{2} * N, 0.0);
  const std::size_t m = held_rows.size();
  // power += sign x v_i, x with `count` coefficients `stride` apart.
  const auto add_product = [&](const double* x, std::size_t stride, unsigned count, std::uint32_t i, double sign) {
    for (unsigned j = 0; j < count; ++j) {
      const double factor_j = sign * x[j * stride];
      for (unsigned k = 0; k < N; ++k) power[j + k] += factor_j * v[k * n + i];
    }
  };
  for (const Block& block : terms) {
    const TermGroup& group = model.terms[block.group];
    const expressions::Tape& tape = term_tapes[block.group];
    const std::uint32_t w = block.width;
    const double* r = registers(block);
    const auto series_of = [&](std::size_t o, std::uint32_t l) {
      return r + std::size_t{tape.outputs[o]} * orders * w + l;
    };
    if (group.kind == TermKind::force) {
      for (std::size_t o = 0; o < tape.outputs.size(); ++o) {
        for (std::uint32_t l = 0; l < block.count; ++l)
          add_product(series_of(o, l), w, N - 1, block.target_of[o * w + l], unit_squared);
      }
      continue;
    }
    if (!group.uses_time) continue;
    // V_t but for V': -V_q.v; the same of T with the other sign and T_v.a besides.
    const double sign = group.kind == TermKind::potential ? unit_squared : -unit_squared;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        add_product(series_of(1 + slot, l), w, N - 1, block.position_of[slot * w + l], -sign);
      }
      if (group.kind != TermKind::kinetic) continue;
      for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
        const std::uint32_t i = block.velocity_of[slot * w + l];
        const double* momentum = series_of(1 + group.positions + slot, l);
        for (unsigned j = 0; j + 2 <= N; ++j) {
          for (unsigned k = 1; k < N; ++k) power[j + k - 1] -= sign * per_unit * momentum[j * w] * k * v[k * n + i];
        }
      }
    }
  }
  // Conditions under the variational law that move: -rho (dp/dt - df/dq).v, besides rho' p0 below.
  for (const Block& block : bend_blocks) {
    const RowGroup& group = model.groups[block.group];
    if (!group.bend_works) continue;
    const std::uint32_t w = block.width;
    std::vector<double> product(orders);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const double* r = rho.data() + std::size_t{block.row[l]} * orders;
      const auto add_bend = [&](std::uint32_t output, std::uint32_t variable, bool momentum) {
        const double* x = registers(block) + std::size_t{group.bend.outputs[output]} * orders * w + l;
        for (unsigned k = 0; k + 2 <= N; ++k) {
          product[k] = 0;
          for (unsigned j = 0; j <= k; ++j) {
            product[k] += r[k - j] * (momentum ? (j + 1.0) * x[(j + 1) * w] : x[j * w]);
          }
        }
        add_product(product.data(), 1, N - 1, variable, momentum ? -unit : unit_squared);
      };
      for (std::uint32_t slot = 0; slot < group.velocities; ++slot)
        add_bend(slot, block.velocity_of[slot * w + l], true);
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        add_bend(group.velocities + slot, block.position_of[slot * w + l], false);
      }
    }
  }
  // At a singular position single multipliers have poles, their reactions do not.
  if (!std::isnan(pole)) {
    for (std::uint32_t i = 0; i < n; ++i) add_product(reaction_here.data() + i, n, N - 1, i, 1.0);
    power_known = true;
    return;
  }
  // Moving conditions: lambda f_t.
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    if (!shape.moving) continue;
    const double* r = registers(block) + std::size_t{shape.explicit_rate} * orders * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      for (unsigned j = 0; j + 2 <= N; ++j) {
        for (unsigned k = 0; k < N; ++k) power[j + k] += lambda[j * m + block.row[l]] * unit * r[k * block.width + l];
      }
    }
  }
  power_known = true;
}

}  // namespace zwang::motion
