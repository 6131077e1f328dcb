/// The power series of a first-order system made unfree, order by order, members of families side by side.
#include "zwang/motion/flow.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/linear/spaces.hpp"
#include "zwang/motion/flow_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr double contradicted = 1e-9;      ///< of a row's terms: what a dependent condition may be broken by
constexpr double nearly_dependent = 1e-4;  ///< part of a row that is left where steps have become too small

}  // namespace

Flow::Impl::Impl(const model::Model& of, unsigned order)
    : model(of), N(order), orders(order + 1), n(of.variables), m(of.rows()) {
  oblique = !model.free_functions.empty();
  x.assign(std::size_t{orders} * n, 0.0);
  r.assign(std::size_t{orders} * n, 0.0);
  u = free_rate = probe = r;
  lambda.assign(std::size_t{orders} * m, 0.0);
  probe_lambda = lambda;

  // The tapes: free rates, conditions, free functions. What velocities do in a condition is in its gradient.
  for (const model::RowGroup& group : model.groups) {
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t k = group.holonomic ? 0 : 1; k < group.tape.outputs.size(); ++k) wanted.push_back(k);
    tapes.push_back(expressions::part(group.tape, wanted));
  }
  rates.reserve(model.terms.size());
  for (const model::TermGroup& group : model.terms) {
    rates.push_back(group.tape);
    const std::size_t first_strip = strips.size();
    add_strips(group, rates.back(), [&](const Strip& strip, std::size_t first, std::size_t count) {
      for (std::size_t o = 0; o < group.tape.outputs.size(); ++o) {
        for (std::size_t l = 0; l < count; ++l) {
          targets.emplace_back(output(strip, o, l), group.target_of[o * group.lanes + first + l]);
        }
      }
    });
    find_roots_of(first_strip);
  }
  start.assign(model.row_start.begin(), model.row_start.end());
  if (start.empty()) start.push_back(0);
  column = model.row_column;
  entry_at.resize(column.size());
  value_at.resize(m);
  moving_at.resize(m);
  moves.assign(m, 0);
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    const model::RowGroup& group = model.groups[g];
    const std::size_t slots = group.holonomic ? group.positions : group.velocities;
    const std::size_t first_gradient = group.holonomic ? 1 : 0;
    add_strips(group, tapes[g], [&](const Strip& strip, std::size_t first, std::size_t count) {
      for (std::size_t l = 0; l < count; ++l) {
        const std::uint32_t row = group.row[first + l];
        if (group.holonomic) value_at[row] = output(strip, 0, l);
        for (std::size_t slot = 0; slot < slots; ++slot) {
          entry_at[group.entry_of[slot * group.lanes + first + l]] = output(strip, first_gradient + slot, l);
        }
        if (group.rheonomic) moving_at[row] = output(strip, first_gradient + slots, l);
        moves[row] = group.rheonomic ? 1 : 0;
      }
    });
  }
  for (const model::FreeFunction& function : model.free_functions) {
    add_strips(function.term, function.term.tape, [&](const Strip& strip, std::size_t, std::size_t) {
      for (std::size_t slot = 0; slot < function.term.positions; ++slot) {
        column.push_back(function.term.position_of[slot]);
        entry_at.push_back(output(strip, 1 + slot, 0));
      }
    });
    start.push_back(static_cast<std::uint32_t>(column.size()));
  }

  // The linear system.
  const std::size_t all = start.size() - 1;
  entry.assign(model.row_column.size(), 0.0);
  gradient_sum.assign(all, 0.0);
  length.assign(m, 1.0);
  right.assign(all, 0.0);
  shift.assign(n, 0.0);
  std::vector<double> ones(n, 1.0);
  mass = linear::Mass(std::move(ones));
  const bool positive = mass.factor();
  assert(positive);
  static_cast<void>(positive);
  if (!oblique && m > 0) gram.shape(rows(), mass, std::vector<std::uint8_t>(m, 1));
}

void Flow::Impl::load_modes(const std::vector<double>& given) {
  if (given.empty()) return;
  modes = given;
  for (const Strip& strip : strips) {
    double* to = arena.data() + strip.registers + strip.first_mode * orders * strip.width;
    for (std::size_t slot = 0; slot * strip.width < strip.mode_of.size();
         ++slot, to += std::size_t{orders} * strip.width) {
      for (unsigned l = 0; l < strip.width; ++l) to[l] = modes[strip.mode_of[slot * strip.width + l]];
    }
  }
}

void Flow::Impl::run_tapes(double start_time, unsigned k) {
  for (const Strip& strip : strips) {
    const std::size_t w = strip.width;
    double* to = arena.data() + strip.registers + k * w;
    for (std::size_t l = 0; l < w; ++l) to[l] = k == 0 ? start_time : (k == 1 ? unit : 0.0);
    to += orders * w;
    for (std::size_t slot = 0; slot < strip.slots; ++slot, to += orders * w) {
      for (std::size_t l = 0; l < w; ++l) to[l] = x[k * n + strip.position_of[slot * w + l]];
    }
    expressions::extend(*strip.tape, arena.data() + strip.registers, orders, k, k, strip.width);
  }
}

void Flow::Impl::press(unsigned k, const std::vector<double>& multiplier, double* y) const {
  for (std::size_t row = 0; row < m; ++row) {
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
      const Coefficients& g = entry_at[e];
      if (g.constant) continue;
      const double* gradient = arena.data() + g.place;
      double sum = 0;
      for (unsigned l = 1; l <= k; ++l) sum += gradient[l * g.stride] * multiplier[std::size_t{k - l} * m + row];
      y[column[e]] -= sum;
    }
  }
}

void Flow::Impl::factor() {
  const std::size_t all = start.size() - 1;
  for (std::size_t row = 0; row < all; ++row) {
    gradient_sum[row] = 0;
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
      const double g = arena[entry_at[e].place];
      gradient_sum[row] += std::abs(g);
      if (row < m) entry[e] = g;
    }
  }
  if (oblique) {
    dense.assign(all * n, 0.0);
    for (std::size_t row = 0; row < all; ++row) {
      for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) {
        dense[row * n + column[e]] = arena[entry_at[e].place];
      }
    }
    oblique_factor.factor(dense, all, n, model::dependent_part);
  } else if (m > 0) {
    gram.factor(rows(), mass);
  }
}

void Flow::Impl::give_way(const std::vector<double>& broken) {
  if (oblique) {
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t row = 0; row < m; ++row) right[row] = -broken[row];
    oblique_factor.solve(right, shift);
    return;
  }
  right = broken;
  gram.solve(right);
  std::fill(shift.begin(), shift.end(), 0.0);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) shift[column[e]] -= entry[e] * right[row];
  }
}

void Flow::Impl::solve_order(unsigned k) {
  double* X = free_rate.data() + std::size_t{k} * n;
  double* change = u.data() + std::size_t{k} * n;
  std::fill(X, X + n, 0.0);
  for (const auto& [from, variable] : targets) X[variable] += coefficient(from, k);
  std::fill(change, change + n, 0.0);
  if (oblique) {
    solve_oblique(k, X, change);
  } else if (m > 0) {
    solve_orthogonal(k, X, change);
  }
  double* rate = r.data() + std::size_t{k} * n;
  double* next = x.data() + std::size_t{k + 1} * n;
  for (std::size_t i = 0; i < n; ++i) {
    rate[i] = X[i] + change[i];
    next[i] = unit * rate[i] / (k + 1.0);
  }
}

void Flow::Impl::advance_order(double start_time, unsigned k) {
  for (const SlidSurface& slid : slides) set_weight(slid, k, 0);
  run_tapes(start_time, k);
  solve_order(k);
  if (slides.empty()) return;
  const std::size_t count = slides.size();
  const std::vector<double> plain(r.begin() + static_cast<std::ptrdiff_t>(std::size_t{k} * n),
                                  r.begin() + static_cast<std::ptrdiff_t>(std::size_t{k + 1} * n));
  // Coefficient k + 1 of every g without the weights.
  std::vector<double> wanted(count);
  for (std::size_t i = 0; i < count; ++i) {
    SlidSurface& slid = slides[i];
    const model::Slotted& group = *slid.group;
    double* to = slid.registers.data();
    if (k == 0) expressions::load_constants(group.switching, to, orders, 1);
    for (unsigned order = k; order <= k + 1; ++order) {
      std::size_t slot = 0;
      const auto put = [&](double value) { to[slot++ * orders + order] = value; };
      put(order == 0 ? start_time : (order == 1 ? unit : 0.0));
      for (std::size_t s = 0; s < group.positions; ++s)
        put(x[order * n + group.position_of[s * group.lanes + slid.lane]]);
      for (std::size_t s = 0; s < group.velocities; ++s) put(0.0);
      for (std::size_t s = 0; s < group.constants; ++s) {
        const bool mode = s >= group.steady();
        put(order > 0 ? 0.0
                      : (mode ? modes[group.first_mode + (s - group.steady()) * group.lanes + slid.lane]
                              : group.constant_of[s * group.lanes + slid.lane]));
      }
    }
    expressions::extend(group.switching, to, orders, k, k + 1, 1);
    wanted[i] = -to[std::size_t{group.switching.outputs[slid.corner]} * orders + k + 1] * (k + 1.0) / unit;
  }
  // What each weight does to the rates; the same at every order.
  if (k == 0) {
    for (SlidSurface& slid : slides) {
      set_weight(slid, 0, 1);
      run_tapes(start_time, 0);
      solve_order(0);
      slid.response.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n));
      for (std::size_t i = 0; i < n; ++i) slid.response[i] -= plain[i];
      set_weight(slid, 0, 0);
    }
  }
  std::vector<double> matrix(count * count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      for (std::size_t c = 0; c < n; ++c) matrix[i * count + j] += slides[i].p[c] * slides[j].response[c];
    }
  }
  static_cast<void>(linear::solve_small(std::move(matrix), wanted));
  for (std::size_t i = 0; i < count; ++i) {
    slides[i].sigma[k] = wanted[i];
    set_weight(slides[i], k, wanted[i]);
  }
  run_tapes(start_time, k);
  solve_order(k);
}

void Flow::Impl::solve_oblique(unsigned k, const double* X, double* change) {
  const std::size_t all = start.size() - 1;
  for (std::size_t row = 0; row < all; ++row) {
    right[row] = row < m ? -(along(row, X) + behind(row, k, r) + moving(row, k)) : -behind(row, k, u);
  }
  for (std::size_t row = 0; row < m; ++row) {
    const double value = along(row, X) + behind(row, k, free_rate) + moving(row, k);
    lambda[k * m + row] = skipped(row) ? 0.0 : value;
  }
  oblique_factor.solve(right, {change, n});

  // The probe.
  for (std::size_t row = 0; row < all; ++row) {
    right[row] = k == 0 ? steady(row) * gradient_sum[row] : -behind(row, k, probe);
  }
  oblique_factor.solve(right, {probe.data() + std::size_t{k} * n, n});
}

void Flow::Impl::solve_orthogonal(unsigned k, const double* X, double* change) {
  press(k, lambda, change);
  for (std::size_t i = 0; i < n; ++i) shift[i] = X[i] + change[i];
  for (std::size_t row = 0; row < m; ++row) right[row] = along(row, shift.data()) + behind(row, k, r) + moving(row, k);
  finish_orthogonal(k, lambda, change);

  // The probe.
  double* y = probe.data() + std::size_t{k} * n;
  std::fill(y, y + n, 0.0);
  press(k, probe_lambda, y);
  for (std::size_t row = 0; row < m; ++row) {
    right[row] = along(row, y) + behind(row, k, probe) + (k == 0 ? steady(row) * gradient_sum[row] : 0.0);
  }
  finish_orthogonal(k, probe_lambda, y);
}

void Flow::Impl::finish_orthogonal(unsigned k, std::vector<double>& multiplier, double* change) {
  gram.solve(right);
  std::copy_n(right.begin(), m, multiplier.begin() + static_cast<std::ptrdiff_t>(k * m));
  for (std::size_t row = 0; row < m; ++row) {
    for (std::uint32_t e = start[row]; e < start[row + 1]; ++e) change[column[e]] -= entry[e] * right[row];
  }
}

Flow::Flow(const model::Model& model, unsigned order) : impl_(std::make_unique<Impl>(model, order)) {}
Flow::~Flow() = default;

unsigned Flow::order() const { return impl_->N; }
double Flow::unit() const { return impl_->unit; }
void Flow::measure_time_in(double unit) { impl_->unit = unit; }
std::span<const double> Flow::position() const { return impl_->x; }
std::span<const double> Flow::rate() const { return {impl_->r.data(), impl_->N * impl_->n}; }
std::span<const double> Flow::multiplier() const { return {impl_->lambda.data(), impl_->N * impl_->m}; }

Flow::Landing Flow::land(model::State& state, std::vector<double>& carry, double least_position) {
  Impl& impl = *impl_;
  impl.load_modes(state.modes);
  for (const Impl::SlidSurface& slid : impl.slides) impl.clear_weights(slid);
  impl.onto_surfaces(state, carry);
  const std::size_t n = impl.n;
  const std::size_t m = impl.m;
  Landing out;
  std::vector<double> broken(m, 0.0);
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds; ++round) {
    std::copy(state.position.begin(), state.position.end(), impl.x.begin());
    impl.run_tapes(state.time, 0);
    impl.factor();
    double size = least_position;
    for (const double q : state.position) size = std::max(size, std::abs(q));

    // How far the conditions are broken; those that depend on others follow them.
    bool mend = false;
    out.left.clear();
    for (std::size_t row = 0; row < m; ++row) {
      const bool holonomic = model::is_holonomic(impl.model.row_kind[row]);
      const double f = holonomic ? impl.coefficient(impl.value_at[row], 0) : 0.0;
      const double scale = size * impl.gradient_sum[row] + least_divisor;
      if (!std::isfinite(f) || !std::isfinite(impl.gradient_sum[row])) out.finite = false;
      broken[row] = f;
      if (round == 0 && !impl.skipped(row)) out.position_drift = std::max(out.position_drift, std::abs(f) / scale);
      if (impl.skipped(row) && std::abs(f) > contradicted * scale) {
        out.left.push_back(static_cast<std::uint32_t>(row));
      }
      mend = mend || (!impl.skipped(row) && std::abs(f) > Impl::row_rounding * scale);
    }
    if (round == 0) {
      double speed = 0;
      for (const double v : state.velocity) speed = std::max(speed, std::abs(v));
      for (std::size_t row = 0; row < m; ++row) {
        const double moving = impl.moving(row, 0);
        const double scale = speed * impl.gradient_sum[row] + std::abs(moving) + least_divisor;
        if (impl.skipped(row)) continue;
        out.rate_drift = std::max(out.rate_drift, std::abs(impl.along(row, state.velocity.data()) + moving) / scale);
      }
    }
    if (!out.finite || !mend || round + 1 == most_rounds) break;
    impl.give_way(broken);
    for (std::size_t i = 0; i < n; ++i) {
      if (impl.shift[i] == 0) continue;
      const double change = carry[i] + impl.shift[i];
      const double sum = state.position[i] + change;
      carry[i] = change - (sum - state.position[i]);
      state.position[i] = sum;
    }
  }
  out.skipped = impl.skipped_count();
  if (!out.finite) return out;

  // The rates here.
  for (Impl::SlidSurface& slid : impl.slides) static_cast<void>(impl.surface(slid, state));
  if (impl.slides.empty()) {
    impl.solve_order(0);
  } else {
    impl.advance_order(state.time, 0);
  }
  std::copy_n(impl.r.begin(), n, state.velocity.begin());
  double speed = 0;
  double free_speed = 0;
  for (std::size_t i = 0; i < n; ++i) {
    speed = std::max(speed, std::abs(impl.r[i]));
    free_speed = std::max(free_speed, std::abs(impl.free_rate[i]));
  }
  if (!std::isfinite(speed + free_speed)) out.finite = false;
  for (std::size_t row = 0; row < m; ++row) {
    const double size = impl.gradient_sum[row];
    impl.length[row] = impl.oblique ? (size > 0 ? 1 / size : 1.0) : size;
    const double moving = impl.moving(row, 0);
    const double off = std::abs(impl.along(row, impl.r.data()) + moving);
    const double scale = (speed + free_speed) * size + std::abs(moving);
    if (impl.skipped(row) && off > contradicted * scale) out.contradicted.push_back(static_cast<std::uint32_t>(row));
  }
  return out;
}

bool Flow::extend(const model::State& state) {
  Impl& impl = *impl_;
  impl.time = state.time;
  for (std::size_t i = 0; i < impl.n; ++i) impl.x[impl.n + i] = impl.unit * impl.r[i];
  for (unsigned k = 1; k < impl.N; ++k) {
    impl.advance_order(state.time, k);
  }
  const auto finite = [](const std::vector<double>& list) {
    return std::all_of(list.begin(), list.end(), [](double value) { return std::isfinite(value); });
  };
  return finite(impl.x) && finite(impl.lambda);
}

const StepMemory& Flow::memory() const { return impl_->step_memory; }
void Flow::remember(const StepMemory& memory) { impl_->step_memory = memory; }

bool Flow::nearly_singular() const {
  const Impl& impl = *impl_;
  if (impl.oblique) return impl.oblique_factor.pivot_part(impl.oblique_factor.weakest()) < nearly_dependent;
  if (impl.m == 0) return false;
  // A pivot of the Gram matrix is the square of what is left of a row. A gradient vanishes soon that changes fast.
  if (impl.gram.least_pivot() < nearly_dependent * nearly_dependent) return true;
  for (std::size_t row = 0; row < impl.m; ++row) {
    double change = 0;
    for (std::uint32_t e = impl.start[row]; e < impl.start[row + 1]; ++e) {
      change += std::abs(impl.coefficient(impl.entry_at[e], 1));
    }
    const double duration = (impl.model.simulation.until - impl.model.simulation.start) / impl.unit;
    if (impl.gradient_sum[row] <= nearly_dependent * duration * change) return true;
  }
  return false;
}

Flow::Dependence Flow::dependence() const {
  const Impl& impl = *impl_;
  Dependence out;
  for (std::uint32_t row = 0; row < impl.m; ++row) out.rows.push_back(row);
  if (!impl.oblique) {
    out.why = "the conditions have become dependent, or a gradient vanishes: the position is singular";
    return out;
  }

  // The row of which least is left, and what it is made of.
  std::size_t row = impl.oblique_factor.weakest();
  for (std::size_t k = 0; k + 1 < impl.start.size(); ++k) {
    if (impl.oblique_factor.skipped(k) && k >= impl.m) row = k;
  }
  const std::vector<double> made_of = impl.oblique_factor.combination(row);
  double most = 0;
  for (std::size_t k = 0; k < made_of.size(); ++k) most = std::max(most, std::abs(made_of[k]) * impl.gradient_sum[k]);
  out.rows.clear();
  for (std::uint32_t k = 0; k < impl.m; ++k) {
    if (k == row || (k != row && std::abs(made_of[k]) * impl.gradient_sum[k] > slight_part * most))
      out.rows.push_back(k);
  }
  out.why = row >= impl.m
                ? "the free function " + impl.model.free_functions[row - impl.m].text +
                      " has become dependent on the conditions and the other free functions: the position is singular"
                : "the conditions have become dependent: the position is singular";
  return out;
}

Along Flow::along() const {
  const Impl& impl = *impl_;
  return {impl.x.data(), impl.r.data(), 1, impl.n, impl.N, impl.time, impl.unit, impl.modes};
}

}  // namespace zwang::motion
