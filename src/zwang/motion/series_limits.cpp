/// How far a series is good, and what lies on its way that ends it.
#include <array>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/running_error.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

double Series::Impl::reach(double tolerance) const {
  const double log_tolerance = elementary::log2(tolerance);
  const std::size_t m = held_rows.size();
  // Velocities, coefficients 0..N-1, in the metric of the masses: those of angles are none of lengths.
  double least = log_reach(N - 1, log_tolerance, true,
                           [&](unsigned k) { return largest_size(v.data() + k * n, root_mass.data(), n); });
  // Multipliers, 0..N-2, each in the units of an acceleration.
  if (m > 0) {
    least = std::min(least, log_reach(N - 2, log_tolerance, true, [&](unsigned k) {
                       return largest_size(lambda.data() + k * m, row_length.data(), m);
                     }));
  }
  for (std::size_t w = 0; w < watched_rows.size(); ++w) {
    const bool holonomic = model::is_holonomic(model.row_kind[watched_rows[w]]);
    const double* f = watched_value.data() + w * orders;
    least = std::min(
        least, log_reach(holonomic ? N : N - 1, log_tolerance, false, [&](unsigned k) { return std::abs(f[k]); }));
    if (watched_length[w] == 0) continue;
    // Squares grow faster than distances: what is far may come near, what is near not leave so far that rounding hides it.
    const double most = rough_log2(std::max(16 * watched_length[w], std::abs(f[0]) / 4));
    for (unsigned k = 1; k <= N; ++k) {
      if (std::abs(f[k]) > tiny) least = std::min(least, (most - rough_log2(std::abs(f[k]))) / k);
    }
  }
  return least > 1000 ? 1e300 : shortened(elementary::exp2(least));
}

double Series::Impl::reach_of_motion(double tolerance) const {
  const double least = log_reach(N - 1, elementary::log2(tolerance), false,
                                 [&](unsigned k) { return largest_size(v.data() + k * n, n); });
  return least > 1000 ? 1e300 : shortened(elementary::exp2(least));
}

void Series::Impl::look_for_branch(const Block& block, std::uint32_t reg, unsigned count, double& first) const {
  std::array<double, 64> p{};
  const double* y = registers(block) + std::size_t{reg} * orders * block.width;
  for (std::uint32_t l = 0; l < block.count; ++l) {
    double least = y[l];
    double power_of_h = 1;
    for (unsigned k = 1; k < count; ++k) {
      power_of_h *= first;
      least -= std::abs(y[k * block.width + l]) * power_of_h;
    }
    if (least > 0 || !(y[l] > 0)) continue;
    for (unsigned k = 0; k < count; ++k) p[k] = -y[k * block.width + l];
    const Excursion found = first_excursion({p.data(), count}, first, 0.0);
    if (found.kind == Excursion::Kind::crossing) first = found.at;
  }
}

/// The first place on [0, h] where the series of a root passes zero: |x| has become -x there. h if there is none.
double Series::Impl::branch(double h) const {
  double first = h;
  for (const Block& block : watched_blocks) {
    for (const std::uint32_t reg : shapes[block.group].roots)
      look_for_branch(block, reg, model.groups[block.group].holonomic ? N + 1 : N, first);
  }
  for (const Block& block : terms) {
    for (const std::uint32_t reg : term_roots[block.group]) look_for_branch(block, reg, N - 1, first);
  }
  return first;
}

namespace {

/// Is a register a sum of squares, by its instructions?
bool is_sum_of_squares(const expressions::Tape& tape, std::uint32_t reg) {
  using expressions::Op;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  std::vector<std::uint32_t> open{reg};
  while (!open.empty()) {
    const std::uint32_t now = open.back();
    open.pop_back();
    if (now < before) return false;
    const expressions::Instruction& i = tape.instructions[now - before];
    if (i.op == Op::square) continue;
    if (i.op == Op::add) {
      open.push_back(i.a);
      open.push_back(i.b);
    } else if (i.op == Op::scale && i.c > 0) {
      open.push_back(i.a);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

double Series::Impl::rest_of_root(double h) const {
  double first = h;
  for (const Block& block : terms) {
    if (model.terms[block.group].kind == TermKind::kinetic) continue;
    const expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      if (term_moving[block.group][reg - before] == 0) continue;
      const expressions::Instruction& i = tape.instructions[reg - before];
      const double twice = i.op == expressions::Op::sqrt ? 1.0 : 2 * i.c;
      if (twice == std::floor(twice) && is_sum_of_squares(tape, i.a)) continue;
      look_for_branch(block, reg, N - 1, first);
    }
  }
  return first;
}

double Series::Impl::meeting(double h) const {
  double first = h;
  for (const Block& block : terms) {
    const expressions::Tape& tape = term_tapes[block.group];
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (const std::uint32_t reg : term_roots[block.group]) {
      if (term_moving[block.group][reg - before] == 0) look_for_branch(block, reg, N - 1, first);
    }
  }
  return first;
}

/// The place in (0, h] where the gradient of a row held vanishes: a singular position. Infinity if there is none.
double Series::Impl::vanishing(double h, std::uint32_t& culprit) const {
  double first = std::numeric_limits<double>::infinity();
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    if (block.linked) continue;  // as long as ever
    const RowShape& shape = shapes[block.group];
    const std::size_t directions = shape.directions.size();
    const std::size_t strand_begin = strand;
    if (block.strands) strand += directions * block.count;
    // A root that passes zero: a gradient that is not there.
    for (std::size_t r = 0; r < shape.steep_roots.size() && !block.strands; ++r) {
      const double* y = registers(block) + std::size_t{shape.steep_roots[r]} * orders * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        std::array<double, 64> p{};
        double least = y[l];
        double power_of_h = 1;
        for (unsigned k = 0; k < N; ++k) {
          p[k] = -y[k * block.width + l];
          if (k > 0) least -= std::abs(p[k]) * power_of_h;
          power_of_h *= h;
        }
        if (least > 0 || !(y[l] > 0)) continue;
        const Excursion found = first_excursion({p.data(), N}, h, 0.0);
        if (found.kind != Excursion::Kind::crossing || found.at >= first) continue;
        first = found.at;
        culprit = held_rows[block.row[l]].row;
      }
    }
    if (shape.steady) continue;
    const auto coefficient = [&](std::size_t d, std::uint32_t l, unsigned k) {
      if (block.strands && k > 0) return strands.gradient(strand_begin + d * block.count + l, k);
      return registers(block)[(std::size_t{shape.directions[d].reg} * orders + k) * block.width + l];
    };
    for (std::uint32_t l = 0; l < block.count; ++l) {
      // What depends on the others all along may have no gradient, as a thread over a bead that is kept on its line.
      if (factor.skipped(block.row[l])) continue;
      // |g|^2 and g.g(0) at s.
      const auto look = [&](double s, double& along) {
        double square = 0;
        along = 0;
        for (std::size_t d = 0; d < directions; ++d) {
          double g = 0;
          if (shape.directions[d].constant) {
            g = coefficient(d, l, 0);
          } else {
            for (unsigned k = N; k-- > 0;) g = g * s + coefficient(d, l, k);
          }
          const auto weight = static_cast<double>(shape.directions[d].slots.size());
          square += weight * g * g;
          along += weight * g * coefficient(d, l, 0);
        }
        return square;
      };
      double along = 0;
      const double start_size = look(0, along);
      const double end_size = look(h, along);
      if (along > 0.5 * std::sqrt(start_size * end_size) && end_size > 0.01 * start_size) continue;
      // It has turned far or shrunk: the smallest value on the way, first roughly, then by thirds.
      constexpr int parts = 128;
      int best = parts;
      double least = end_size;
      double most = std::max(start_size, end_size);
      for (int i = 1; i < parts; ++i) {
        const double size_i = look(h * i / parts, along);
        most = std::max(most, size_i);
        if (size_i < least) {
          least = size_i;
          best = i;
        }
      }
      double low = h * (best - 1) / parts;
      double high = std::min(h, h * (best + 1) / parts);
      for (int round = 0; round < 100; ++round) {
        const double a = low + (high - low) / 3;
        const double b = high - (high - low) / 3;
        (look(a, along) < look(b, along) ? high : low) = look(a, along) < look(b, along) ? b : a;
      }
      const double at = (low + high) / 2;
      if (look(at, along) <= vanished_square * most && at < first) {
        first = at;
        culprit = held_rows[block.row[l]].row;
      }
    }
  }
  return first;
}

/// How much later than s the gradient of the row held that is nearest to vanishing would do so: -g.g' / |g'|^2. 0 if it does not.
double Series::Impl::approach(double s) const {
  double least = std::numeric_limits<double>::infinity();
  double later = 0;
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const std::size_t strand_begin = strand;
    if (block.strands) strand += shape.directions.size() * block.count;
    if (shape.steady || block.linked) continue;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      double square = 0, along = 0, change = 0;
      for (std::size_t d = 0; d < shape.directions.size(); ++d) {
        const Direction& direction = shape.directions[d];
        double g = 0, rate = 0;
        for (unsigned k = N; k-- > 0;) {
          const double c = block.strands
                               ? strands.gradient(strand_begin + d * block.count + l, k)
                               : registers(block)[(std::size_t{direction.reg} * orders + k) * block.width + l];
          rate = rate * s + g;
          g = g * s + (direction.constant && k > 0 ? 0.0 : c);
        }
        square += g * g;
        along += g * rate;
        change += rate * rate;
      }
      if (square < least && change > 0) {
        least = square;
        later = -along / change;
      }
    }
  }
  return later;
}

/// Rows held whose gradient has all but vanished since they were chosen, or that have all but become dependent.
/// Positive at the start; by halving, if it is not so at the end.
double Series::Impl::weightless(double h, std::uint32_t& variable) {
  if (!momenta_vary) return std::numeric_limits<double>::infinity();
  if (ahead_mass == nullptr) ahead_mass = std::make_unique<StateAhead>(StateAhead{dynamics, {}});
  model::Dynamics& there = ahead_mass->dynamics;
  model::State& state = ahead_mass->state;
  state.position.resize(n);
  state.velocity.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(n));
  for (double& x : state.velocity) x *= per_unit;
  const auto is_positive = [&](double s) {
    state.time = time + s * unit;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (unsigned k = N + 1; k-- > 0;) sum = sum * s + q[k * n + i];
      state.position[i] = sum;
    }
    model::evaluate_mass(model, state, scratch, there);
    return there.mass_positive;
  };
  if (is_positive(h)) return std::numeric_limits<double>::infinity();
  double low = 0;
  double high = h;
  for (int round = 0; round < 60 && high - low > place_of_no_inertia * high; ++round) {
    const double middle = 0.5 * (low + high);
    (is_positive(middle) ? low : high) = middle;
  }
  static_cast<void>(is_positive(high));
  variable = static_cast<std::uint32_t>(there.mass.weakest());
  return low;
}

/// A root that goes to zero has no gradient there. It has gone where it is no more than a change of the places (and speeds) by a small
/// part of themselves makes of it: in its own unit, whatever that is.
bool Series::Impl::root_vanishes(const Block& block) {
  const RowShape& shape = shapes[block.group];
  const expressions::Tape& tape = shape.held;
  const std::size_t width = block.width;
  root_value.resize(tape.registers() * width);
  root_error.assign(tape.registers() * width, 0.0);
  const double* from = registers(block);
  for (std::size_t r = 0; r < tape.registers(); ++r) {
    for (std::size_t l = 0; l < width; ++l) root_value[r * width + l] = from[r * orders * width + l];
  }
  const std::size_t moving = 1 + (block.position_of.size() + block.velocity_of.size()) / width;
  for (std::size_t at = width; at < moving * width; ++at)
    root_error[at] = all_but_no_distance * std::abs(root_value[at]);
  expressions::running_error(tape, root_value.data(), 1, block.width, 0.0, root_error.data());
  for (const std::uint32_t reg : shape.steep_roots) {
    for (std::uint32_t l = 0; l < block.count; ++l) {
      if (!(root_value[reg * width + l] > root_error[reg * width + l])) return true;
    }
  }
  return false;
}

// exp, cosh or sinh beyond what numbers hold, or exp of what falls without bound, as exp(-1/x^2) at x = 0, which has no power series there.
std::string Series::Impl::beyond_numbers() const {
  using expressions::Op;
  for (const Block& block : terms) {
    const expressions::Tape& tape = term_tapes[block.group];
    for (const expressions::Instruction& instruction : tape.instructions) {
      const Op op = instruction.op;
      if (op != Op::exp && op != Op::cosh && op != Op::sinh) continue;
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double argument = registers(block)[std::size_t{instruction.a} * orders * block.width + l];
        if (op == Op::exp && !(argument > -bottomless_exponent))
          return ", whose force has no power series here, as exp(-1/x^2) at x = 0: write it as if(abs(x) > 0.04, "
                 "exp(-1/x^2), 0), which leaves out less than 1e-270";
        if (argument > large_exponent || (op != Op::exp && argument < -large_exponent))
          return ", in whose force exp, cosh or sinh is beyond what numbers hold: tanh stays finite, write (1 - "
                 "tanh(u/2))/2 "
                 "for 1/(1 + exp(u)), (1 + tanh(u/2))/2 for exp(u)/(1 + exp(u)), 1 - tanh(u)^2 for 1/cosh(u)^2";
      }
    }
  }
  return "";
}

bool Series::Impl::nearly_singular() {
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    if (factor.diagonal(j) < all_but_vanished * row_length[j] * row_length[j]) return true;
  }
  for (const Block& block : held_blocks) {
    // A distance that is held is as long as it was.
    if (block.strands || shapes[block.group].steep_roots.empty()) continue;
    if (root_vanishes(block)) return true;
  }
  return !held_rows.empty() && factor.least_pivot() < std::min(all_but_dependent, fallen_pivot * first_pivot);
}

}  // namespace zwang::motion
