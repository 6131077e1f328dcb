/// First-order systems that slide along the surfaces of switches.
#include <algorithm>
#include <cmath>

#include "zwang/motion/flow_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

void Flow::Impl::slide(std::span<const Series::Slide> list) {
  for (const SlidSurface& slid : slides) clear_weights(slid);
  slides.clear();
  for (const Series::Slide& one : list) {
    const model::SwitchPlace place = model::place_of_switch(model, one.numbers[0]);
    SlidSurface slid;
    slid.group = place.group;
    slid.corner = place.corner;
    slid.lane = place.lane;
    slid.registers.assign(place.group->switching.registers() * orders, 0.0);
    slid.sigma.assign(orders, 0.0);
    for (const instant::MixedMode& mixed : one.mixed) {
      if (mixed.number == one.numbers[0])
        slid.threshold = place.group->corners[place.corner].threshold(mixed.side_above, false);
      for (const Strip& strip : strips) {
        for (std::size_t at = 0; at < strip.mode_of.size(); ++at) {
          if (strip.mode_of[at] != mixed.mode) continue;
          const std::size_t slot = strip.first_mode + at / strip.width;
          slid.places.push_back({strip.registers + slot * orders * strip.width + at % strip.width, strip.width,
                                 mixed.below, mixed.above});
        }
      }
    }
    slides.push_back(std::move(slid));
  }
}

void Flow::Impl::clear_weights(const SlidSurface& slid) {
  for (const SlidSurface::Mode& place : slid.places) {
    for (unsigned k = 0; k < orders; ++k) arena[place.at + k * place.stride] = k == 0 ? place.below : 0.0;
  }
}

void Flow::Impl::set_weight(const SlidSurface& slid, unsigned k, double weight) {
  for (const SlidSurface::Mode& place : slid.places) {
    arena[place.at + k * place.stride] = (k == 0 ? place.below : 0.0) + weight * (place.above - place.below);
  }
}

double Flow::Impl::surface(SlidSurface& slid, const model::State& state) {
  const model::Slotted& group = *slid.group;
  const auto run = [&](const expressions::Tape& tape) {
    std::vector<double> to(tape.registers());
    expressions::load_constants(tape, to.data(), 1, 1);
    model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, modes, slid.lane, to.data());
    expressions::extend(tape, to.data(), 1, 0, 0, 1);
    return to;
  };
  const std::vector<double> slopes = run(group.slopes);
  slid.p.assign(n, 0.0);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  for (std::size_t slot = 0; slot < group.positions; ++slot) {
    slid.p[group.position_of[slot * group.lanes + slid.lane]] +=
        slopes[group.slopes.outputs[slid.corner * slots + slot]];
  }
  return run(group.switching)[group.switching.outputs[slid.corner]] - slid.threshold;
}

void Flow::Impl::onto_surfaces(model::State& state, std::vector<double>& carry) {
  for (SlidSurface& slid : slides) {
    const double off = surface(slid, state);
    double square = 0;
    for (const double p : slid.p) square += p * p;
    if (off == 0 || !(square > 0)) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if (slid.p[i] == 0) continue;
      const double change = carry[i] - off * slid.p[i] / square;
      const double sum = state.position[i] + change;
      carry[i] = change - (sum - state.position[i]);
      state.position[i] = sum;
    }
  }
}

void Flow::slide(std::span<const Series::Slide> slides) { impl_->slide(slides); }

std::span<const double> Flow::weight(std::size_t j) const { return {impl_->slides[j].sigma.data(), impl_->N}; }

}  // namespace zwang::motion
