/// Modes of corners in a series, and the weights of surfaces that are slid on.
///
/// A switch slid on has the unknown weight sigma(s) = sum sigma_k s^k and the equation g = 0. With D what the forces change from
/// one side to the other and a_k the accelerations of order k,
///
///   a_k = W (R_k + D sigma_k) - W J^T lambda_k,     g_{k+r} = known + p.a_k k! / (k + r)! = 0     (r = 1, or 2 without velocities)
///
/// and since p.a_k = p.W R_k - y.(J W R_k + c_k) with y = Phi^-1 J W p, the weights follow before the multipliers, from the small
/// system B sigma_k = -w,  B_ij = p_i.W D_j - y_i.J W D_j. D need not be parallel to p.
///
/// Symbols: as in series.hpp; g switching function, p = dg/dv (dg/dq). Reference: docs/mathematics, section 21.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/linear/spaces.hpp"
#include "zwang/motion/series_impl.hpp"

namespace zwang::motion {

void Series::Impl::load_modes(const model::State& state) {
  if (state.modes.empty()) return;
  modes = state.modes;
  const auto into = [&](std::vector<Block>& blocks) {
    for (Block& block : blocks) {
      const std::uint32_t w = block.width;
      double* r = registers(block) + block.first_mode * orders * w;
      for (std::size_t slot = 0; slot * w < block.mode_of.size(); ++slot, r += std::size_t{orders} * w) {
        std::fill(r, r + std::size_t{orders} * w, 0.0);
        for (std::uint32_t l = 0; l < w; ++l) r[l] = modes[block.mode_of[slot * w + l]];
      }
    }
  };
  into(terms);
  into(held_blocks);
  into(watched_blocks);
  into(bend_blocks);

  // Those slid on start from the lower side; their weights are added order by order.
  for (SlidSwitch& slid : slides) {
    for (const SlidSwitch::Mode& place : slid.places) {
      Block& block = terms[place.block];
      registers(block)[place.mode * orders * block.width + place.lane] = place.below;
    }
  }
}

void Series::Impl::slide(std::span<const Series::Slide> list) {
  extended_ahead = proved_ahead = false;
  structure = 0;
  slides.clear();
  for (Block& block : terms) block.slid = false;
  for (const Series::Slide& one : list) {
    const model::SwitchPlace place = model::place_of_switch(model, one.numbers[0]);
    SlidSwitch slid;
    slid.number = one.numbers[0];
    slid.group = place.group;
    slid.corner = place.corner;
    slid.lane = place.lane;
    slid.registers.assign(place.group->switching.registers() * orders, 0.0);
    slid.sigma.assign(orders, 0.0);

    // Where the modes that it mixes stand among the terms.
    for (const instant::MixedMode& mixed : one.mixed) {
      for (std::size_t b = 0; b < terms.size(); ++b) {
        Block& block = terms[b];
        for (std::size_t at = 0; at < block.mode_of.size(); ++at) {
          if (block.mode_of[at] != mixed.mode) continue;
          slid.places.push_back({b, block.first_mode + at / block.width, static_cast<std::uint32_t>(at % block.width),
                                 mixed.below, mixed.above});
          block.slid = true;
        }
      }
    }
    slides.push_back(std::move(slid));
  }
  begin_leaving(list);
}

std::vector<double> Series::Impl::slope(std::uint32_t number, const model::State& state) const {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  const expressions::Tape& tape = group.slopes;
  std::vector<double> r(tape.registers());
  expressions::load_constants(tape, r.data(), 1, 1);
  std::size_t slot = 0;
  r[slot++] = state.time;
  for (std::size_t k = 0; k < group.positions; ++k)
    r[slot++] = state.position[group.position_of[k * group.lanes + place.lane]];
  for (std::size_t k = 0; k < group.velocities; ++k)
    r[slot++] = state.velocity[group.velocity_of[k * group.lanes + place.lane]];
  for (std::size_t k = 0; k < group.constants; ++k) {
    const bool mode = k >= group.steady() && !state.modes.empty();
    r[slot++] = mode ? state.modes[group.first_mode + (k - group.steady()) * group.lanes + place.lane]
                     : group.constant_of[k * group.lanes + place.lane];
  }
  expressions::extend(tape, r.data(), 1, 0, 0, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  const auto slope_of = [&](std::size_t k) { return r[tape.outputs[place.corner * slots + k]]; };
  std::vector<double> out(n, 0.0);
  bool by_velocity = false;
  for (std::size_t k = 0; k < group.velocities; ++k) {
    const double x = slope_of(group.positions + k);
    by_velocity = by_velocity || x != 0;
    out[group.velocity_of[k * group.lanes + place.lane]] += x;
  }
  if (by_velocity) return out;
  for (std::size_t k = 0; k < group.positions; ++k) out[group.position_of[k * group.lanes + place.lane]] += slope_of(k);
  return out;
}

void Series::Impl::take_weights(const model::State& state, unsigned k) {
  const std::size_t count = slides.size();
  const std::size_t m = held_rows.size();
  const auto by_inverse_mass = [&](const std::vector<double>& x, std::vector<double>& out) {
    out.resize(n);
    if (!inverse_mass.empty()) {
      for (std::size_t i = 0; i < n; ++i) out[i] = inverse_mass[i] * x[i];
    } else {
      dynamics.mass.solve(x, out);
    }
  };
  const auto along_rows = [&](std::vector<double>& x, std::vector<double>& out) {
    out.assign(m, 0.0);
    if (m == 0) return;
    // Strands read a vector with room on both sides.
    std::vector<double> room(n + 2 * Strands::margin, 0.0);
    std::copy(x.begin(), x.end(), room.begin() + Strands::margin);
    if (!strands.empty()) strands.press(room.data() + Strands::margin, out.data());
    for (const std::uint32_t j : plain_rows) out[j] += times(j, x.data());
  };
  const auto set_mode = [&](SlidSwitch& slid, unsigned order, bool add, double weight) {
    for (const SlidSwitch::Mode& place : slid.places) {
      Block& block = terms[place.block];
      double& to = registers(block)[(place.mode * orders + order) * block.width + place.lane];
      to = (add ? place.below : 0.0) + weight * (place.above - place.below);
    }
  };
  const auto outputs_of = [&](const Block& block, std::vector<double>& sum, double sign) {
    const TermGroup& group = model.terms[block.group];
    const expressions::Tape& tape = term_tapes[block.group];
    const bool is_force = group.kind == TermKind::force;
    const std::size_t first = is_force ? 0 : 1;
    const std::size_t last = is_force ? tape.outputs.size() : 1 + group.positions;
    for (std::size_t o = first; o < last; ++o) {
      const double* value = registers(block) + std::size_t{tape.outputs[o]} * orders * block.width;
      const std::uint32_t* variable =
          (is_force ? block.target_of.data() : block.position_of.data()) + (o - first) * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l)
        sum[variable[l]] += (is_force ? sign : -sign) * unit_squared * value[l];
    }
  };

  // At the first order: the surfaces, and what the forces change across them.
  if (k == 0) {
    for (SlidSwitch& slid : slides) {
      slid.p = slope(slid.number, state);
      slid.by_velocity = false;
      for (std::size_t slot = 0; slot < slid.group->velocities; ++slot) {
        const std::uint32_t i = slid.group->velocity_of[slot * slid.group->lanes + slid.lane];
        slid.by_velocity = slid.by_velocity || slid.p[i] != 0;
      }
      std::vector<double> wp;
      by_inverse_mass(slid.p, wp);
      along_rows(wp, slid.y);
      if (m > 0) factor.solve(slid.y);
      slid.d.assign(n, 0.0);
      std::vector<std::size_t> blocks;
      for (const SlidSwitch::Mode& place : slid.places) {
        if (std::find(blocks.begin(), blocks.end(), place.block) == blocks.end()) blocks.push_back(place.block);
      }
      for (const std::size_t b : blocks) outputs_of(terms[b], slid.d, -1.0);
      set_mode(slid, 0, true, 1.0);
      for (const std::size_t b : blocks) {
        expressions::extend(term_tapes[terms[b].group], registers(terms[b]), orders, 0, 0, terms[b].width);
        outputs_of(terms[b], slid.d, 1.0);
      }
      set_mode(slid, 0, true, 0.0);
      for (const std::size_t b : blocks) {
        expressions::extend(term_tapes[terms[b].group], registers(terms[b]), orders, 0, 0, terms[b].width);
      }
      by_inverse_mass(slid.d, slid.wd);
      along_rows(slid.wd, slid.jwd);
      std::fill(slid.sigma.begin(), slid.sigma.end(), 0.0);
      std::fill(slid.registers.begin(), slid.registers.end(), 0.0);
      expressions::load_constants(slid.group->switching, slid.registers.data(), orders, 1);
    }
  }

  // What g has of this order without the weights.
  std::vector<double> matrix(count * count);
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    SlidSwitch& slid = slides[i];
    const model::Slotted& group = *slid.group;
    double* r = slid.registers.data();
    const auto fill_order = [&](unsigned order, bool with_position, bool with_velocity) {
      std::size_t slot = 0;
      const auto put = [&](double value) { r[slot++ * orders + order] = value; };
      put(order == 0 ? state.time : (order == 1 ? unit : 0.0));
      for (std::size_t s = 0; s < group.positions; ++s) {
        put(with_position ? q[order * n + group.position_of[s * group.lanes + slid.lane]] : 0.0);
      }
      for (std::size_t s = 0; s < group.velocities; ++s) {
        put(with_velocity ? per_unit * v[order * n + group.velocity_of[s * group.lanes + slid.lane]] : 0.0);
      }
      for (std::size_t s = 0; s < group.constants; ++s) {
        const bool mode = s >= group.steady();
        put(order > 0 ? 0.0
                      : (mode ? modes[group.first_mode + (s - group.steady()) * group.lanes + slid.lane]
                              : group.constant_of[s * group.lanes + slid.lane]));
      }
    };
    const unsigned next = slid.by_velocity ? k + 1 : k + 2;
    for (unsigned order = k; order < next; ++order) fill_order(order, true, order <= k);
    fill_order(next, slid.by_velocity, false);
    expressions::extend(group.switching, r, orders, k, next, 1);
    const double g = r[std::size_t{group.switching.outputs[slid.corner]} * orders + next];
    double w = g * (slid.by_velocity ? (k + 1.0) * unit : (k + 1.0) * (k + 2.0));
    for (std::size_t c = 0; c < n; ++c) w += slid.p[c] * acceleration[c];
    for (std::size_t j = 0; j < m; ++j) w -= slid.y[j] * right[j];
    x[i] = -w;
    for (std::size_t j = 0; j < count; ++j) {
      double b = 0;
      for (std::size_t c = 0; c < n; ++c) b += slid.p[c] * slides[j].wd[c];
      for (std::size_t c = 0; c < m; ++c) b -= slid.y[c] * slides[j].jwd[c];
      matrix[i * count + j] = b;
    }
  }

  // Speeds that leave their rest have their directions for weights.
  std::vector<double> known;
  std::vector<double> effect;
  if (!leaving.empty()) {
    effect = matrix;
    for (const double wanted : x) known.push_back(-wanted);
    turn_to_directions(k, matrix, x);
  }

  // The weights of this order, and what they add.
  if (leaving.empty()) {
    static_cast<void>(linear::solve_small(std::move(matrix), x));
  } else {
    solve_weights(k, effect, std::move(matrix), x);
    for (std::size_t i = 0; i < count; ++i) slides[i].sigma[k] = x[i];
    take_directions(k, known, effect);
    close_weights(k, known, effect, x);
  }
  for (std::size_t i = 0; i < count; ++i) {
    SlidSwitch& slid = slides[i];
    slid.sigma[k] = x[i];
    set_mode(slid, k, k == 0, x[i]);
    for (std::size_t c = 0; c < n; ++c) {
      force[c] += slid.d[c] * x[i];
      acceleration[c] += slid.wd[c] * x[i];
    }
    for (std::size_t j = 0; j < m; ++j) right[j] += slid.jwd[j] * x[i];
  }
}

/// The last order of the forces with its weight, for the account of their work.
void Series::Impl::finish_weights() {
  for (Block& block : terms) {
    if (block.slid) expressions::extend(term_tapes[block.group], registers(block), orders, N - 2, N - 2, block.width);
  }
}

Along Series::along() const {
  const Impl& impl = *impl_;
  return {impl.q.data(), impl.v.data(), impl.per_unit, impl.n, impl.N, impl.time, impl.unit, impl.modes};
}

}  // namespace zwang::motion
