/// How far the series of a first-order system is good, proved over the whole step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/flow_impl.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr double probe_tolerance = 1e-4;  ///< the probe only shows where a singular place lies
constexpr double part_of_fastest = 1e-3;  ///< of the fastest rate: what a variable at rest is measured by

}  // namespace

double Flow::Impl::judge(double h, double part) {
  error.resize(rest_count);
  const expressions::Stretch stretch(h, N);
  const double last = stretch.of_length[N];
  for (const Strip& strip : strips) {
    const std::size_t w = strip.width;
    expressions::make_room(*strip.tape, strip.width, N, room);
    std::fill_n(room.error.begin(), strip.tape->inputs.size() * w, 0.0);
    for (std::size_t k = 0; k < strip.slots * w; ++k) {
      room.error[w + k] = std::abs(x[std::size_t{N} * n + strip.position_of[k]]) * last;
    }
    expressions::bound_remainders(*strip.tape, strip.sized, arena.data() + strip.registers, orders, strip.width, N,
                                  stretch, room);
    const auto count = static_cast<std::ptrdiff_t>(strip.tape->registers() * w);
    std::copy_n(room.error.begin(), count, error.begin() + static_cast<std::ptrdiff_t>(strip.rest));
  }

  // Sums over the step of rates, multipliers, and the change that conditions make.
  const auto sum = [&](const std::vector<double>& list, std::size_t count, std::size_t i) {
    double total = 0;
    for (unsigned k = N; k-- > 0;) total = total * h + std::abs(list[std::size_t{k} * count + i]);
    return total;
  };
  // Products of a gradient with one of those, beyond the orders known.
  const auto tail = [&](const Coefficients& g, const std::vector<double>& list, std::size_t count, std::size_t i) {
    double total = 0;
    double later_of_g = 0;
    for (unsigned k = 1; k < N; ++k) {
      later_of_g += std::abs(arena[g.place + (N - k) * g.stride]) * stretch.of_length[N - k];
      total += std::abs(list[std::size_t{k} * count + i]) * stretch.of_length[k] * later_of_g;
    }
    return total;
  };
  const auto value_at_end = [&](const std::vector<double>& list, std::size_t i) {
    double total = 0;
    for (unsigned k = N; k-- > 0;) total = total * h + list[std::size_t{k} * n + i];
    return std::abs(total);
  };
  // Of the free rates, then of the conditions and free functions, which change the rates by no more than their pivots allow.
  miss.assign(n, 0.0);
  for (const auto& [from, variable] : targets) miss[variable] += error[from.rest];
  const std::size_t all = start.size() - 1;
  const double pivot = oblique ? oblique_factor.pivot_part(oblique_factor.weakest())
                               : (m > 0 ? std::sqrt(std::max(gram.least_pivot(), 0.0)) : 1.0);
  double& shared = shared_miss;
  shared = 0;
  for (std::size_t row = 0; row < all; ++row) {
    if (gradient_sum[row] == 0 || skipped(row)) continue;
    double broken = moves.size() > row && moves[row] != 0 ? error[moving_at[row].rest] : 0.0;
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
      const Coefficients& g = entry_at[e];
      if (g.constant) continue;
      const std::vector<double>& along_row = row < m ? r : u;
      broken += tail(g, along_row, n, column[e]) + error[g.rest] * sum(along_row, n, column[e]);
      if (!oblique) {
        miss[column[e]] += tail(g, lambda, m, row) + error[g.rest] * sum(lambda, m, row);
      }
    }
    shared = std::max(shared, broken / (gradient_sum[row] * std::max(pivot, least_pivot)));
  }
  defect = 0;
  double fastest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size =
        std::max(std::abs(r[i]), value_at_end(r, i)) + std::max(std::abs(free_rate[i]), value_at_end(free_rate, i));
    scale_of.resize(n);
    scale_of[i] = size;
    fastest = std::max(fastest, size);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double off = miss[i] + shared;
    if (off == 0) continue;
    // What moves a variable by less than its rounding is as small as that; one at rest is measured by its partners.
    const double floor = std::max({row_rounding * std::abs(x[i]) / (h * unit), part_of_fastest * fastest, faintest});
    const double found = off / std::max(scale_of[i], floor);
    if (!(found <= defect)) defect = found;
    if (!(found < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
  }
  double worst = defect / part;
  for (std::size_t row = 0; row < m; ++row) {
    if (skipped(row) || !model::is_holonomic(model.row_kind[row])) continue;
    const double rest = error[value_at[row].rest];
    if (rest == 0) continue;
    const double found = rest / (part * std::max(h * unit * gradient_sum[row] * fastest, faintest));
    if (!(found <= worst)) worst = found;
    if (!(found < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
  }
  return worst;
}

double Flow::reach(double tolerance) const {
  const Impl& impl = *impl_;
  const std::size_t n = impl.n;
  const std::size_t m = impl.m;
  const auto largest = [](const double* list, std::size_t count) {
    double most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, std::abs(list[i]));
    return most;
  };
  const auto rates = [&](unsigned k) { return largest(impl.r.data() + k * n, n); };
  const double log_tolerance = elementary::log2(tolerance);
  double least = log_reach(impl.N - 1, log_tolerance, true, rates);
  if (m > 0) {
    // Multipliers beside the rates, in their units: those that are but rounding do not count.
    least = std::min(least, log_reach(impl.N - 1, log_tolerance, true, [&](unsigned k) {
                       double most = rates(k);
                       for (std::size_t row = 0; row < m; ++row) {
                         most = std::max(most, std::abs(impl.lambda[k * m + row]) * impl.length[row]);
                       }
                       return most;
                     }));
  }
  if (m > 0 || impl.oblique) {
    // A pole so near that its coefficients overflow: no step leads on from here.
    const double* last = impl.probe.data() + std::size_t{impl.N - 1} * n;
    const double* last_lambda = impl.probe_lambda.data() + std::size_t{impl.N - 1} * m;
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(last, last + n, finite) || !std::all_of(last_lambda, last_lambda + m, finite)) return 0;
    least = std::min(least, log_reach(impl.N - 1, elementary::log2(probe_tolerance), true, [&](unsigned k) {
                       double most = largest(impl.probe.data() + k * n, n);
                       for (std::size_t row = 0; row < m && !impl.oblique; ++row) {
                         most = std::max(most, std::abs(impl.probe_lambda[k * m + row]) * impl.length[row]);
                       }
                       return most;
                     }));
  }
  return least > 1000 ? 1e300 : shortened(elementary::exp2(least));
}

Flow::Proof Flow::prove(double wanted, double most, double part) {
  Impl& impl = *impl_;
  Proof proof;
  proof.length = longest_step(wanted, most, impl.N, false, impl.step_memory,
                              [&](double h, double) { return impl.judge(h, part); });
  proof.defect = impl.defect;
  return proof;
}

double Flow::left_out(double h) {
  Impl& impl = *impl_;
  static_cast<void>(impl.judge(h, 1.0));
  double most = 0;
  for (const double off : impl.miss) most = std::max(most, off);
  return (most + impl.shared_miss) * h * impl.unit;
}

double Flow::defect() const { return impl_->defect; }

double Flow::root(double h) const {
  const Impl& impl = *impl_;
  std::vector<double> p(impl.N);
  for (const Impl::Strip& strip : impl.strips) {
    const expressions::Tape& tape = *strip.tape;
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
      if (tape.instructions[i].op != expressions::Op::sqrt) continue;
      for (unsigned l = 0; l < strip.width; ++l) {
        const double* y = impl.arena.data() + strip.registers + (before + i) * impl.orders * strip.width + l;
        if (!(y[0] > 0)) continue;
        for (unsigned k = 0; k < impl.N; ++k) p[k] = -y[std::size_t{k} * strip.width];
        const Excursion found = first_excursion(p, h, 0.0);
        if (found.kind != Excursion::Kind::none) h = std::min(h, found.at);
      }
    }
  }
  return h;
}

}  // namespace zwang::motion
