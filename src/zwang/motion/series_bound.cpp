/// The bound of a step over its whole length: what the polynomials leave of the equations of motion and of the conditions.
///
/// On the polynomials q, v = q', a = v' and lambda of the step the coefficients of the defect d = M a + ... + J^T lambda - X vanish up to
/// order N - 2, those of a condition held up to N (N - 1 if it is one of velocities), those of a watched one are known as far. What lies
/// beyond comes from two sources:
///
///   forces, potentials, conditions: by how much the functions differ from their series (expressions/remainders), on all of [0, h];
///   products with polynomials of the step, such as J^T lambda:  sum_{i+j>=p} |J_i| |lambda_j| h^{i+j}, i >= 1.
///
/// Momenta enter with their rate, so kinetic energies (and what the variational law does) are bounded on a complex circle instead, where
/// Cauchy's estimate gives derivatives, too (expressions/discs).
///
/// A step is taken when, for every body, |W d| <= part (|a| + |a_free|), the largest of the step; what is held stays as near to
/// zero as accelerations of that accuracy keep it; and what is watched is known to a tenth of the tolerance of its own terms, or cannot come
/// to zero at all. W and J W J^T are those at the beginning of the step. Reference: docs/mathematics, section 10.8.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/sweeps.hpp"

namespace zwang::motion {

namespace {

/// The part that a body's partners add to its own scale: one that is at rest between others has no other one.
constexpr double part_of_partners = 1e-3;
/// Rounding of an acceleration, in units of the last place of the terms of its series.
constexpr double rounding_units = 4;
/// Terms of the series of an acceleration may exceed it by this factor, or by what keeps their rounding a quarter of the tolerance.
constexpr double least_cancelled = 64;
constexpr double part_of_cancelled = 0.25;
constexpr double most_cancelled_watched = 4;  ///< the same of a condition watched, beside its first terms
constexpr std::size_t first_of_watched = 6;   ///< so many of them: some may vanish where it has just been left
/// The part of a defect, integrated, that the rest of a row held may be: its rate, and the rate of that, are larger.
constexpr double part_of_rows = 0.1;
/// Roundings of its terms on the step: a condition watched that comes to no more, all its coefficients together, is nothing but rounding there.
constexpr double roundings_of_nothing = 64;
/// The part of a tolerance that the rest of a watched condition may take.
constexpr double part_of_watched = 0.1;

/// Proportions of step and circle that come again and again.
constexpr std::size_t circles_at_once = 256;

/// x^y, which is likely to have been asked for a moment ago: the same bits.
double repeated_power(double x, double y) {
  struct Known {
    double x = 1, y = 1, power = 1;
  };
  thread_local std::array<Known, circles_at_once> known;
  constexpr std::uint64_t scatter = 0x9E3779B97F4A7C15U;
  Known& here = known[((std::bit_cast<std::uint64_t>(x) * scatter) >> 32) % circles_at_once];
  if (here.x != x || here.y != y) here = {x, y, elementary::pow(x, y)};
  return here.power;
}

/// Rounding of terms that cancel each other falls steeply with the step, about as x^8.
double steep(double x) {
  const double square = x * x;
  const double fourth = square * square;
  return fourth * fourth;
}

/// sum_{k=1..last} |c_k| r^k of `count` series side by side.
void majorants(const double* c, std::size_t count, unsigned last, double r, double* y) {
  const auto some = [&](std::size_t begin, auto width) {
    constexpr std::size_t w = decltype(width)::value;
    double sum[w] = {};
    for (unsigned k = last; k > 0; --k) {
      const double* from = c + k * count + begin;
      for (std::size_t i = 0; i < w; ++i) sum[i] = (sum[i] + std::abs(from[i])) * r;
    }
    std::copy(sum, sum + w, y + begin);
  };
  constexpr std::size_t lanes = 4;
  std::size_t begin = 0;
  for (; begin + lanes <= count; begin += lanes) some(begin, std::integral_constant<std::size_t, lanes>{});
  for (; begin < count; ++begin) some(begin, std::integral_constant<std::size_t, 1>{});
}

}  // namespace

void Series::Impl::make_bound_lists() {
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      // Lengths and turns of a rigid body are not measured by each other.
      const std::uint32_t first = body.first + member * body.dimension;
      const std::uint32_t place = body.kind == model::BodyKind::rigid ? body.place() : body.dimension;
      own_body.emplace_back(first, place);
      if (place < body.dimension) own_body.emplace_back(first + place, body.dimension - place);
    }
  }
  for (const TermGroup& group : model.terms) {
    const std::size_t number = term_degrees.size();
    term_sized.push_back(expressions::sized_registers(term_tapes[number]));
    term_degrees.push_back(
        expressions::degrees(term_tapes[number], 1 + std::size_t{group.positions} + group.velocities));
  }
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const RowGroup& group = model.groups[g];
    const std::size_t constants = 1 + std::size_t{group.positions} + group.velocities;
    held_degrees.push_back(expressions::degrees(shapes[g].held, constants));
    watched_sized.push_back(expressions::sized_registers(shapes[g].watched));
    held_sized.push_back(expressions::sized_registers(shapes[g].held, shapes[g].held.outputs));
    watched_degrees.push_back(expressions::degrees(shapes[g].watched, constants));
    const std::vector<unsigned>& degrees = watched_degrees.back();
    watched_degree.push_back(degrees.empty() ? 0 : *std::max_element(degrees.begin(), degrees.end()));
  }
  radius_q.assign((outer_circles + 1) * n, 0.0);
  radius_v.assign((outer_circles + 1) * n, 0.0);
  load.assign(n, 0.0);
  force_size.assign(n, 0.0);
  absolute.assign(n, 0.0);
  own_scale.assign(n, 0.0);
  partner_scale.assign(n, 0.0);
  free_first.assign(n, 0.0);
  free_last.assign(n, 0.0);
  at_end.assign(n, 0.0);
  halfway.assign(n, 0.0);
  step_terms.assign(n, 0.0);
}

/// Radii of positions and velocities on the circle r and on larger ones.
void Series::Impl::find_radii(double r) {
  for (std::size_t level = 0; level <= outer_circles; ++level) {
    const double grown = r * outer_circle(level);
    majorants(q.data(), n, N, grown, radius_q.data() + level * n);
    majorants(v.data(), n, N - 1, grown, radius_v.data() + level * n);
  }
  radii_known = true;
}

/// Radii of the inputs of a block, then of all its registers; sharp ones come from larger circles inwards.
const double* Series::Impl::spread_block(const Block& block, const expressions::Tape& tape, std::uint32_t positions,
                                         std::uint32_t velocities, std::uint32_t constants, double r, double part,
                                         unsigned known) {
  if (!radii_known) find_radii(r);
  const std::uint32_t w = block.width;
  const std::size_t room = tape.registers() * w;
  if (radii.size() < 2 * room) radii.resize(2 * room);
  double* own = radii.data();
  double* outer = nullptr;
  for (std::size_t level = outer_circles + 1; level-- > 0;) {
    const double grown = outer_circle(level);
    const double* of_q = radius_q.data() + level * n;
    const double* of_v = radius_v.data() + level * n;
    double* to = own;
    std::fill(to, to + w, r * grown * unit);
    to += w;
    const std::uint32_t* variable = block.position_of.data();
    for (std::size_t k = 0; k < std::size_t{positions} * w; ++k) *to++ = of_q[variable[k]];
    variable = block.velocity_of.data();
    for (std::size_t k = 0; k < std::size_t{velocities} * w; ++k) *to++ = per_unit * of_v[variable[k]];
    std::fill(to, to + std::size_t{constants} * w, 0.0);
    expressions::spread(tape, registers(block), orders, w, {r * grown, part / grown, known}, own, outer,
                        1 / outer_ratio);
    if (level == 0) break;
    outer = own;
    own = own == radii.data() ? radii.data() + room : radii.data();
  }
  return own;
}

/// Bounds of what the registers of a block leave out on the step; of the inputs that is what lies beyond the coefficients known.
const expressions::Remainders& Series::Impl::bound_block(const Block& block, const expressions::Tape& tape,
                                                         const std::vector<std::uint32_t>& sized,
                                                         std::uint32_t positions, std::uint32_t velocities,
                                                         std::uint32_t constants, const expressions::Stretch& stretch,
                                                         unsigned known) {
  const double h = stretch.length;
  const std::uint32_t w = block.width;
  expressions::make_room(tape, w, known, rests);
  double* to = rests.error.data();
  std::fill(to, to + w, 0.0);
  to += w;
  const double first = stretch.of_length[known];
  const std::uint32_t* variable = block.position_of.data();
  for (std::size_t k = 0; k < std::size_t{positions} * w; ++k) {
    double sum = 0;
    for (unsigned order = N; order >= known; --order) sum = sum * h + std::abs(q[order * n + variable[k]]);
    *to++ = sum == 0 ? 0.0 : sum * first;
  }
  variable = block.velocity_of.data();
  for (std::size_t k = 0; k < std::size_t{velocities} * w; ++k) {
    double sum = 0;
    for (unsigned order = N - 1; order >= known; --order) sum = sum * h + std::abs(v[order * n + variable[k]]);
    *to++ = sum == 0 ? 0.0 : sum * first * per_unit;
  }
  std::fill(to, to + std::size_t{constants} * w, 0.0);
  expressions::bound_remainders(tape, sized, registers(block), orders, w, known, stretch, rests);
  return rests;
}

Series::Impl::BeyondCircle Series::Impl::beyond_circle(double h, double r) const {
  BeyondCircle out;
  if (!on_circles()) return out;
  const double x = h / r;
  const auto order = static_cast<double>(N);
  // Circles stay in their proportion to the step.
  const double tail = repeated_power(x, order - 1);
  out.value = tail / (1 - x);
  out.momentum = tail * x * (order - (order - 1) * x) / ((1 - x) * (1 - x) * h);
  const double shrink = 1 - x * (order + 2) / order;
  out.bent = shrink > 0 ? 0.5 * order * (order + 1) * tail * x / (shrink * h) : unbounded;
  return out;
}

void Series::Impl::find_motion_order() {
  motion_order = N;
  while (motion_order > 1 && std::all_of(q.begin() + static_cast<std::ptrdiff_t>(motion_order * n),
                                         q.begin() + static_cast<std::ptrdiff_t>((motion_order + 1) * n),
                                         [](double c) { return c == 0; })) {
    --motion_order;
  }
}

/// What the polynomials leave out on [0, h]: forces in `load`, rows held in `row_rest`, watched ones in `watched_rest`. Kinetic energies and
/// what the variational law adds are bounded on the circle r.
void Series::Impl::measure(double h, double r) {
  radii_known = false;
  const expressions::Stretch stretch(h, N + 1);
  std::fill(load.begin(), load.end(), 0.0);
  std::fill(row_rest.begin(), row_rest.end(), 0.0);
  const double x = h / r;
  const auto [beyond, beyond_momentum, beyond_bent] = beyond_circle(h, r);
  find_motion_order();

  // Forces, potentials, kinetic energies.
  for (const Block& block : terms) {
    const TermGroup& group = model.terms[block.group];
    const expressions::Tape& tape = term_tapes[block.group];
    const std::vector<unsigned>& degree = term_degrees[block.group];
    const std::uint32_t w = block.width;
    // On a surface slid on a mode is a weight, and moves.
    const bool any = block.slid || std::any_of(tape.outputs.begin(), tape.outputs.end(),
                                               [&](std::uint32_t reg) { return reaches(degree[reg], N - 2); });
    if (!any) continue;
    const auto add = [&](const double* from, std::size_t output, const std::uint32_t* variable, double by) {
      const std::uint32_t reg = tape.outputs[output];
      if (!block.slid && !reaches(degree[reg], N - 2)) return;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double moving = from[std::size_t{reg} * w + l];
        if (moving != 0) load[variable[l]] += moving * by;
      }
    };
    if (group.kind == TermKind::kinetic) {
      // Of momenta the rate counts, so they are bounded on the circle itself.
      const double* radius = spread_block(block, tape, group.positions, group.velocities, group.constants, r, x, N - 1);
      for (std::size_t slot = 0; slot < group.positions; ++slot)
        add(radius, 1 + slot, block.position_of.data() + slot * w, beyond * unit_squared);
      for (std::size_t slot = 0; slot < group.velocities; ++slot)
        add(radius, 1 + group.positions + slot, block.velocity_of.data() + slot * w, beyond_momentum * unit);
      continue;
    }
    const double* rest_of = bound_block(block, tape, term_sized[block.group], group.positions, group.velocities,
                                        group.constants, stretch, N - 1)
                                .error.data();
    if (group.kind == TermKind::force) {
      for (std::size_t o = 0; o < tape.outputs.size(); ++o)
        add(rest_of, o, block.target_of.data() + o * w, unit_squared);
    } else {
      for (std::size_t slot = 0; slot < group.positions; ++slot)
        add(rest_of, 1 + slot, block.position_of.data() + slot * w, unit_squared);
    }
  }

  // Reactions of the rows held, and the rows themselves: by strands, then by tapes.
  if (!strands.empty()) {
    strands.bound({&stretch, N, q.data() + std::size_t{N} * n}, load.data(), row_rest.data());
  }
  if (!links.empty()) links.bound({&stretch, N, row_rest.data()});
  for (const Block& block : held_blocks) {
    if (block.strands || block.linked) continue;
    const RowGroup& group = model.groups[block.group];
    const RowShape& shape = shapes[block.group];
    const std::vector<unsigned>& degree = held_degrees[block.group];
    const std::uint32_t w = block.width;
    if (degree[shape.value] <= 1) continue;
    const expressions::Remainders& found = bound_block(block, shape.held, held_sized[block.group], group.positions,
                                                       group.velocities, group.constants, stretch, N);
    // Terms of the multipliers on the step, at [k * w + lane], and their sums.
    pressing.assign(std::size_t{N} * w, 0.0);
    const std::size_t m = held_rows.size();
    for (std::uint32_t l = 0; l < block.count; ++l) {
      for (unsigned k = 0; k + 2 <= N; ++k) {
        pressing[k * w + l] = std::abs(lambda[k * m + block.row[l]]) * stretch.of_length[k];
      }
    }
    std::array<double, 8> carried{};
    for (std::size_t k = 0; k < pressing.size(); ++k) carried[k % w] += pressing[k];
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    const std::uint32_t* variable = (group.holonomic ? block.position_of : block.velocity_of).data();
    for (std::uint32_t slot = 0; slot < slots; ++slot, variable += w) {
      const std::uint32_t reg = shape.held.outputs[1 + slot];
      if (degree[reg] == 0) continue;
      // J_0 lambda ends before it counts; (J - J_0) lambda_0 has one coefficient too many.
      std::array<double, 8> beyond_order{};
      const double* later = found.later.data() + reg * found.stride + w;
      for (std::size_t k = 0; k < std::size_t{N - 1} * w; ++k) beyond_order[k % w] += pressing[k] * later[k];
      for (std::uint32_t l = 0; l < block.count; ++l) {
        if (carried[l] == 0) continue;
        const double error = found.error[std::size_t{reg} * w + l];
        load[variable[l]] += beyond_order[l] + (error == 0 ? 0.0 : error * carried[l]);
      }
    }
    if (!reaches(degree[shape.value], group.holonomic ? N : N - 1)) continue;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      row_rest[block.row[l]] = found.error[std::size_t{shape.value} * w + l] * (group.holonomic ? 1.0 : unit);
    }
  }

  // -rho (dp/dt - df/dq) of the variational law.
  for (const Block& block : bend_blocks) {
    const RowGroup& group = model.groups[block.group];
    const std::uint32_t w = block.width;
    const double* radius =
        spread_block(block, group.bend, group.positions, group.velocities, group.constants, r, x, N - 1);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const double* series = rho.data() + std::size_t{block.row[l]} * orders;
      double rest_of_rho = 0;
      for (unsigned k = N - 1; k > 0; --k) rest_of_rho = (rest_of_rho + std::abs(series[k])) * r;
      const double size_of_rho = std::abs(series[0]) + rest_of_rho;
      for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
        const double moving = radius[std::size_t{group.bend.outputs[slot]} * w + l];
        if (moving != 0) load[block.velocity_of[slot * w + l]] += size_of_rho * moving * beyond_bent * unit;
      }
      for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
        const std::uint32_t reg = group.bend.outputs[group.velocities + slot];
        const double first = std::abs(registers(block)[std::size_t{reg} * orders * w + l]);
        const double moving = radius[std::size_t{reg} * w + l];
        load[block.position_of[slot * w + l]] +=
            (first * rest_of_rho + (moving == 0 ? 0.0 : moving * size_of_rho)) * beyond * unit_squared;
      }
    }
  }

  // Conditions watched.
  for (const Block& block : watched_blocks) {
    const RowGroup& group = model.groups[block.group];
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    const std::uint32_t value = shape.watched.outputs[0];
    const unsigned last = group.holonomic ? N : N - 1;
    if (block.swept < last || !reaches(watched_degrees[block.group][value], last)) {
      for (std::uint32_t l = 0; l < block.count; ++l) watched_rest[block.row[l]] = 0;
      continue;
    }
    const expressions::Remainders& found =
        bound_block(block, shape.watched, watched_sized[block.group], group.positions, group.velocities,
                    group.constants, stretch, last + 1);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const double by = shape.squared == 0 ? 1.0 : 1 / (2 * watched_length[block.row[l]]);
      watched_rest[block.row[l]] = found.error[std::size_t{value} * w + l] * by;
    }
  }
}

/// Free accelerations as sums of the absolute values of their terms: what is a rounding of these is no acceleration.
void Series::Impl::find_force_terms() {
  for (std::size_t i = 0; i < n; ++i) force_size[i] = std::abs(constant_force[i]);
  for (const Block& block : terms) {
    const TermGroup& group = model.terms[block.group];
    const expressions::Tape& tape = term_tapes[block.group];
    const std::uint32_t w = block.width;
    if (radii.size() < tape.registers() * w) radii.resize(tape.registers() * w);
    expressions::magnitudes(tape, registers(block), orders, w, radii.data());
    const auto add = [&](std::size_t output, const std::uint32_t* variable) {
      const double* from = radii.data() + std::size_t{tape.outputs[output]} * w;
      for (std::uint32_t l = 0; l < block.count; ++l) force_size[variable[l]] += unit_squared * from[l];
    };
    if (group.kind == TermKind::force) {
      for (std::size_t o = 0; o < tape.outputs.size(); ++o) add(o, block.target_of.data() + o * w);
    } else {
      for (std::size_t slot = 0; slot < group.positions; ++slot) add(1 + slot, block.position_of.data() + slot * w);
    }
  }
  weigh_force_terms();
}

void Series::Impl::weigh_force_terms() {
  instant::solve_absolute(dynamics.mass, force_size, force_terms);
  force_terms_known = true;
}

/// The sums of the absolute values of the terms that watched conditions are evaluated from, at 0.
void Series::Impl::find_watched_terms() {
  watched_terms.resize(watched_rows.size());
  for (const Block& block : watched_blocks) {
    const expressions::Tape& tape = shapes[block.group].watched;
    const std::uint32_t w = block.width;
    if (radii.size() < tape.registers() * w) radii.resize(tape.registers() * w);
    expressions::magnitudes(tape, registers(block), orders, w, radii.data());
    for (std::uint32_t l = 0; l < block.count; ++l) {
      double terms_of_row = radii[std::size_t{tape.outputs[0]} * w + l];
      const double length = watched_length[block.row[l]];
      if (shapes[block.group].squared != 0) terms_of_row = (terms_of_row + length * length) / (2 * length);
      watched_terms[block.row[l]] = std::isfinite(terms_of_row) ? terms_of_row : 0.0;
    }
  }
  watched_terms_known = true;
}

/// The same of one condition on all of [0, h]: every register counts with the terms that it has there.
double Series::Impl::watched_terms_on_step(std::size_t number, double h) {
  for (const Block& block : watched_blocks) {
    const auto found = std::find(block.row.begin(), block.row.end(), number);
    if (found == block.row.end()) continue;
    const auto lane = static_cast<std::size_t>(found - block.row.begin());
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    const double* c = registers(block) + lane;
    std::vector<double> values(shape.watched.registers());
    for (std::size_t r = 0; r < values.size(); ++r) {
      for (std::size_t k = orders; k-- > 0;) values[r] = values[r] * h + std::abs(c[(r * orders + k) * w]);
    }
    std::vector<double> sizes(values.size());
    expressions::magnitudes(shape.watched, values.data(), 1, 1, sizes.data());
    const double length = watched_length[number];
    const double terms_of_row = sizes[shape.watched.outputs[0]];
    const double out = shape.squared == 0 ? terms_of_row : (terms_of_row + length * length) / (2 * length);
    return std::isfinite(out) ? out : 0.0;
  }
  return 0;
}

void Series::Impl::sum_up_step(double h) {
  // a at the halfway and at the end, from the velocities' coefficients.
  rates(v.data(), n, N, h, at_end.data(), halfway.data(), step_terms.data());
  // Forces at the end: free accelerations there.
  const bool forces = !terms.empty();
  if (forces) {
    std::copy(constant_force.begin(), constant_force.end(), force_size.begin());
    for (const Block& block : terms) {
      const TermGroup& group = model.terms[block.group];
      const expressions::Tape& tape = term_tapes[block.group];
      const std::uint32_t w = block.width;
      const auto add = [&](std::size_t output, const std::uint32_t* variable, double sign) {
        const double* c = registers(block) + std::size_t{tape.outputs[output]} * orders * w;
        for (std::uint32_t l = 0; l < block.count; ++l) {
          double sum = 0;
          for (unsigned k = N - 1; k-- > 0;) sum = sum * h + c[std::size_t{k} * w + l];
          force_size[variable[l]] += sign * unit_squared * sum;
        }
      };
      if (group.kind == TermKind::force) {
        for (std::size_t o = 0; o < tape.outputs.size(); ++o) add(o, block.target_of.data() + o * w, 1.0);
      } else if (group.kind == TermKind::potential) {
        for (std::size_t slot = 0; slot < group.positions; ++slot)
          add(1 + slot, block.position_of.data() + slot * w, -1.0);
      }
    }
  }
}

void Series::Impl::find_scales(double h) {
  const bool forces = !terms.empty();
  if (forces) {
    // What these forces alone would do at the end; `find_force_terms` needs their room.
    dynamics.mass.solve(force_size, free_last);
    if (!force_terms_known) find_force_terms();
  }
  if (varying_mass) find_root_masses();
  double least = unbounded;
  double most = 0;
  for (const auto& [first, count] : own_body) {
    double own = 0;
    double free_size = 0;
    double speed = 0;
    double place = 0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      own = std::max({own, std::abs(v[n + i]), std::abs(halfway[i]), std::abs(at_end[i])});
      free_size = std::max(free_size, std::abs(free_first[i]));
      if (forces) free_size = std::max({free_size, std::abs(free_last[i]), eps * force_terms[i]});
      speed = std::max(speed, std::abs(v[i]));
      place = std::max(place, std::abs(q[i]));
    }
    // What moves a body by less than the rounding of its state is as small as that.
    const double scale = std::max({own + free_size, eps * speed / h, eps * place / (h * h), faintest});
    // Compared in the metric of the masses: an angle is no length.
    for (std::uint32_t i = first; i < first + count; ++i) {
      own_scale[i] = scale;
      least = std::min(least, scale * root_mass[i]);
      most = std::max(most, scale * root_mass[i]);
    }
  }
  if (least >= part_of_partners * most) return;

  // Partners: bodies that share a force or a row held, compared by their energies.
  std::fill(partner_scale.begin(), partner_scale.end(), 0.0);
  // Masses of the variables, and what each has of energy by itself.
  scale_weight.assign(dynamics.mass.diagonal().begin(), dynamics.mass.diagonal().end());
  for (const linear::Mass::Block& b : dynamics.mass.blocks()) {
    for (std::size_t k = 0; k < b.variables.size(); ++k)
      scale_weight[b.variables[k]] = b.entries[k * b.variables.size() + k];
  }
  scale_energy.resize(n);
  for (std::size_t i = 0; i < n; ++i) scale_energy[i] = scale_weight[i] * own_scale[i] * own_scale[i];
  const auto offer = [&](std::uint32_t i, double energy) { partner_scale[i] = std::max(partner_scale[i], energy); };
  const auto energy_of = [&](std::uint32_t i) { return scale_energy[i]; };
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    double energy = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) energy = std::max(energy, energy_of(column[e]));
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) offer(column[e], energy);
  }
  for (const Block& block : terms) {
    const TermGroup& group = model.terms[block.group];
    const std::uint32_t w = block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      double energy = 0;
      for (std::size_t s = 0; s < group.positions; ++s)
        energy = std::max(energy, energy_of(block.position_of[s * w + l]));
      for (std::size_t s = 0; s < group.velocities; ++s)
        energy = std::max(energy, energy_of(block.velocity_of[s * w + l]));
      for (std::size_t s = 0; s < group.positions; ++s) offer(block.position_of[s * w + l], energy);
      for (std::size_t s = 0; s < group.velocities; ++s) offer(block.velocity_of[s * w + l], energy);
      for (std::size_t s = 0; s * w < block.target_of.size(); ++s) offer(block.target_of[s * w + l], energy);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(scale_weight[i] > 0)) continue;
    own_scale[i] = std::max(own_scale[i], part_of_partners * std::sqrt(partner_scale[i] / scale_weight[i]));
  }
}

/// By how much the worst bound of a step h misses what is allowed; <= 1: the step is proved.
double Series::Impl::judge(double h, double r, double part, double tolerance) {
  measure(h, r);
  sum_up_step(h);
  return weigh(h, part, tolerance);
}

double Series::Impl::weigh(double h, double part, double tolerance) {
  find_scales(h);

  // Of every body.
  for (std::size_t i = 0; i < n; ++i) {
    if (load[i] < unbounded) continue;
    worst_variable = static_cast<std::uint32_t>(i);
    worst_row = none;
    return unbounded;
  }
  if (!inverse_mass.empty()) {
    for (std::size_t i = 0; i < n; ++i) absolute[i] = inverse_mass[i] * load[i];
    if (!light.empty()) add_light_defects(load, absolute);
  } else {
    instant::solve_absolute(dynamics.mass, load, absolute, true);
  }
  if (!links.empty()) links.add_defects(absolute.data());
  if (!slender.empty()) slender.add_defects(expressions::Stretch(h, N), N, absolute.data());
  defect = 0;
  worst_variable = 0;
  worst_row = none;
  double cancelled = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double ratio = absolute[i] == 0 ? 0.0 : absolute[i] / own_scale[i];
    cancelled = std::max(cancelled, step_terms[i] / own_scale[i]);
    if (ratio <= defect) continue;
    defect = ratio;
    worst_variable = static_cast<std::uint32_t>(i);
    if (!(ratio < unbounded)) return unbounded;
  }
  // Terms that cancel each other leave their rounding; it falls fast with the step.
  const double most_cancelled = std::max(least_cancelled, part_of_cancelled * tolerance / eps);
  double worst = std::max(defect / part, steep(cancelled / most_cancelled));
  defect += rounding_units * eps * cancelled;

  // Of every row held: its rest, and what that and the defect make of its multiplier (the rest beyond order N, differentiated twice).
  const auto order = static_cast<double>(N);
  const double twice = 2 * order * (order + 1) / (h * h);
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    double scale = 0;
    double pressed = 0;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      scale += std::abs(entry[e]) * own_scale[column[e]];
      pressed += std::abs(entry[e]) * absolute[column[e]];
    }
    const double diagonal = factor.diagonal(j) * factor.least_pivot();
    const bool holonomic = model::is_holonomic(model.row_kind[held_rows[j].row]);
    multiplier_error[j] = diagonal > 0 ? (pressed + row_rest[j] * (holonomic ? twice : 2 * order / h)) / diagonal : 0.0;
    if (row_rest[j] == 0 || factor.skipped(j)) continue;
    const double ratio = row_rest[j] / (part_of_rows * part * scale * (holonomic ? 0.5 * h * h : h));
    if (ratio <= worst) continue;
    worst = ratio;
    worst_row = held_rows[j].row;
    if (!(ratio < unbounded)) return unbounded;
  }

  return judge_watched(h, tolerance, worst);
}

/// Of every row watched that might come to zero; `worst` is what the others miss by.
double Series::Impl::judge_watched(double h, double tolerance, double worst) {
  for (std::size_t w = 0; w < watched_rows.size(); ++w) {
    const RowGroup& group = model.groups[model.row_group[watched_rows[w]]];
    const RowShape& shape = shapes[model.row_group[watched_rows[w]]];
    const bool high =
        watched_degrees[model.row_group[watched_rows[w]]][shape.watched.outputs[0]] > 2 && shape.squared == 0;
    if (watched_rest[w] == 0 && !high) continue;
    const double* f = watched_value.data() + w * orders;
    const double size_of_f = motion::terms({f, group.holonomic ? N + 1 : N}, h);
    if (2 * f[0] + size_of_f + watched_rest[w] < 0) {
      // f_0 + sum |f_k| h^k + rest < 0: wherever the function goes, it does not get there.
      watched_rest[w] = 0;
      continue;
    }
    // Terms that cancel each other leave their rounding, as above. A condition that others imply is nothing but rounding: of the terms it
    // is evaluated from, not of what is left of them.
    if (!watched_terms_known) find_watched_terms();
    const double floor = std::max(eps * watched_terms[w], faintest);
    const double first_terms = motion::terms({f, first_of_watched}, h);
    const auto missed_by = [&](double least) {
      const double lost = steep(size_of_f / (most_cancelled_watched * std::max(first_terms, least)));
      return std::max(lost, watched_rest[w] / (part_of_watched * std::max(tolerance * size_of_f, least)));
    };
    double ratio = missed_by(floor);
    // Terms that vanish at the start, as those of x' >= sin(t) from rest, are told on the step.
    if (ratio > std::max(worst, 1.0)) {
      const double on_step = eps * watched_terms_on_step(w, h);
      if (size_of_f <= roundings_of_nothing * on_step) ratio = std::min(ratio, missed_by(std::max(floor, on_step)));
    }
    if (ratio <= worst) continue;
    worst = ratio;
    worst_row = watched_rows[w];
    if (!(ratio < unbounded)) return unbounded;
  }
  return worst;
}

Series::Proof Series::Impl::prove(double wanted, double most, double part, double tolerance) {
  const WantedProof& asked = ahead.asked;
  if (proved_ahead && asked.wanted == wanted && asked.most == most && asked.part == part &&
      asked.tolerance == tolerance) {
    proved_ahead = false;
    step_memory = ahead.memory;
    return {ahead.length, defect};
  }
  proved_ahead = false;
  Proof proof;
  proof.length = longest_step(wanted, most, N - 1, on_circles(), step_memory,
                              [&](double h, double r) { return judge(h, r, part, tolerance); });
  proof.defect = defect;
  return proof;
}

}  // namespace zwang::motion
