/// First-order systems whose rates have roots that begin at zero: do they lead one way, and which?
#include <algorithm>
#include <cmath>

#include "zwang/motion/flow_impl.hpp"

namespace zwang::motion {

namespace {

constexpr double beside_nothing = 0x1p-100;   ///< of the largest variable: so far beside zero a root is all there is
constexpr double beside_something = 0x1p-40;  ///< of a variable: a root of this is 1e6 times as large as what is smooth
constexpr double counts_as_driven = 0x1p-10;  ///< of the change of rates: less is what is smooth
constexpr double leaves_at_once =
    1e-9;  ///< of the fastest rate: an argument that changes so fast comes off zero in one way

}  // namespace

void Flow::Impl::find_roots_of(std::size_t first_strip) {
  using expressions::Op;
  for (std::size_t k = first_strip; k < strips.size(); ++k) {
    expressions::Tape& tape = rates.back();
    for (expressions::Instruction& i : tape.instructions) {
      if (i.op != Op::sqrt && !(i.op == Op::power && i.c > 0)) continue;
      for (unsigned l = 0; l < strips[k].width; ++l) {
        const std::size_t at = strips[k].registers + std::size_t{i.a} * orders * strips[k].width + l;
        roots.push_back({&i, k, at, strips[k].width, l});
      }
    }
  }
}

Flow::Impl::Beside Flow::Impl::beside(double start_time, std::size_t i, double by) {
  const double kept = x[i];
  const std::vector<double> kept_modes = modes;
  x[i] += by;
  // On the side where it is then: a root of |u| or max(u, 0) may be another one there.
  if (by != 0 && model.switches > 0 && slides.empty()) {
    model::State there;
    there.time = start_time;
    there.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
    there.velocity.assign(n, 0.0);
    load_modes(model::modes_of(model, model::sides_of(model, there)));
  }
  run_tapes(start_time, 0);
  solve_order(0);
  run_tapes(start_time, 1);
  Beside out;
  out.rate.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(n));
  for (const std::size_t z : zeros) {
    out.value.push_back(argument(roots[z], 0));
    out.changing.push_back(argument(roots[z], 1) / unit);
  }
  x[i] = kept;
  load_modes(kept_modes);
  return out;
}

bool Flow::Impl::lead_one_way(double start_time) {
  const std::size_t count = zeros.size();
  std::vector<std::uint8_t> drives(count * count, 0);  // [i * count + j]: root j the argument i
  const Beside here = beside(start_time, 0, 0.0);
  double extent = 0;
  for (std::size_t i = 0; i < n; ++i) extent = std::max(extent, std::abs(x[i]));
  for (std::size_t j = 0; j < count; ++j) {
    const Root& root = roots[zeros[j]];
    if (!root.steep() || argument_leaves[j] != 0) continue;
    const Strip& strip = strips[root.strip];
    for (std::size_t slot = 0; slot < strip.slots; ++slot) {
      const std::size_t i = strip.position_of[slot * strip.width + root.lane];
      const double size = x[i] == 0 ? beside_nothing * std::max(extent, 1.0) : beside_something * std::abs(x[i]);
      for (const double by : {size, -size}) {
        const Beside there = beside(start_time, i, by);
        const double moved = there.value[j] - here.value[j];
        if (!(moved > 0)) continue;
        double most = 0;
        for (std::size_t k = 0; k < n; ++k) most = std::max(most, std::abs(there.rate[k] - here.rate[k]));
        const double counts = counts_as_driven * most * moved / size;
        for (std::size_t k = 0; k < count; ++k) {
          // One that was moved along, as the same argument of another root, is itself.
          const double driven = there.changing[k] - here.changing[k];
          const bool itself = there.value[k] > here.value[k];
          if (itself ? driven > counts : std::abs(driven) > counts) drives[k * count + j] = 1;
        }
      }
    }
  }
  static_cast<void>(beside(start_time, 0, 0.0));
  std::vector<std::uint8_t> known(count, 0);
  for (std::size_t round = 0; round < count; ++round) {
    for (std::size_t i = 0; i < count; ++i) {
      bool driven = false;
      for (std::size_t j = 0; j < count; ++j) driven = driven || (known[j] == 0 && drives[i * count + j] != 0);
      if (!driven) known[i] = 1;
    }
  }
  return std::all_of(known.begin(), known.end(), [](std::uint8_t one) { return one != 0; });
}

bool Flow::begins_at_roots() {
  Impl& impl = *impl_;
  impl.zeros.clear();
  for (Impl::Root& root : impl.roots) root.made_by->zero_below = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < impl.roots.size(); ++k) {
    if (impl.argument(impl.roots[k], 0) != 0) continue;
    impl.zeros.push_back(k);
    impl.roots[k].made_by->zero_below = 0;
  }
  return !impl.zeros.empty();
}

Flow::FromRoots Flow::from_roots(const model::State& state) {
  Impl& impl = *impl_;
  double fastest = 0;
  for (std::size_t i = 0; i < impl.n; ++i) fastest = std::max(fastest, std::abs(impl.r[i]));
  impl.argument_leaves.assign(impl.zeros.size(), 0);
  bool stay = true;
  for (std::size_t j = 0; j < impl.zeros.size(); ++j) {
    const Impl::Root& root = impl.roots[impl.zeros[j]];
    double first = 0;
    for (unsigned k = 1; k < impl.N && first == 0; ++k) first = impl.argument(root, k);
    if (first < 0) return FromRoots::below;
    stay = stay && first == 0;
    impl.argument_leaves[j] = impl.argument(root, 1) > leaves_at_once * impl.unit * fastest ? 1 : 0;
  }
  if (!impl.lead_one_way(state.time)) return FromRoots::several;
  return stay ? FromRoots::stay : FromRoots::leave;
}

}  // namespace zwang::motion
