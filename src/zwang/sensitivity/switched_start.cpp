/// Starts on the surface on which a force jumps.
#include "zwang/sensitivity/switched_start.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// The forces on both sides of a switch, held against each other.
class Sides {
 public:
  Sides(const model::Model& model, const model::State& state)
      : model_(model),
        state_(state),
        scratch_(model::make_scratch(model)),
        here_(model::make_dynamics(model)),
        there_(here_) {
    model::evaluate_dynamics(model_, state_, scratch_, here_);
  }
  bool jump(const std::vector<expressions::Side>& beside) {
    state_.modes = model::modes_of(model_, beside);
    model::evaluate_dynamics(model_, state_, scratch_, there_);
    for (std::size_t i = 0; i < here_.force.size(); ++i) {
      const double size = std::max(here_.force_scale[i], there_.force_scale[i]);
      if (std::abs(here_.force[i] - there_.force[i]) > rate_zero * size) return true;
    }
    return false;
  }

 private:
  const model::Model& model_;
  model::State state_;
  model::Scratch scratch_;
  model::Dynamics here_, there_;
};

/// A force that is zero on one side and rounding on the other jumps by nothing beside what it will be.
bool accelerations_jump(Variation& variation, const MotionPoint& start, const std::vector<expressions::Side>& beside,
                        double accelerates) {
  model::State there = start.state;
  there.modes = model::modes_of(variation.parameter().model, beside);
  const std::vector<double> a = variation.accelerations(start.state, {});
  const std::vector<double> b = variation.accelerations(there, {});
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > rate_zero * accelerates) return true;
  }
  return false;
}

double size_of(const model::State& state) {
  double most = 0;
  for (const double x : state.position) most = std::max(most, std::abs(x));
  for (const double x : state.velocity) most = std::max(most, std::abs(x));
  return most;
}

}  // namespace

std::vector<SwitchedStart> switched_starts(Variation& variation, const MotionPoint& start,
                                           const std::vector<expressions::Side>& sides, double accelerates) {
  std::vector<SwitchedStart> out;
  const model::Model& model = variation.parameter().model;
  if (model.switches == 0) return out;
  Sides forces(model, start.state);
  const double size = size_of(start.state);
  const auto look = [&](const model::TermGroup& group, const model::TermGroup& slope, std::uint32_t c,
                        std::uint32_t lane) {
    const expressions::Corner& corner = group.corners[c];
    const std::size_t number = group.first_switch + std::size_t{c} * group.lanes + lane;
    const expressions::Side side = sides[number];
    if (side % 2 != 0) return;
    const Variation::Change change = variation.corner(group, slope, c, lane, start);
    for (const bool above : {false, true}) {
      if (!corner.has_threshold(side, above)) continue;
      const double threshold = corner.threshold(side, above);
      double moves = change.by_parameter;
      if (corner.kind == expressions::CornerKind::pieces)
        moves -= slope.corners[c].pieces.knots[static_cast<std::size_t>(side / 2 - (above ? 0 : 1))];
      if (moves == 0 || std::abs(change.value - threshold) > on_surface * (size + std::abs(threshold))) continue;
      std::vector<expressions::Side> beside = sides;
      beside[number] = corner.next(side, above);
      if (forces.jump(beside) && accelerations_jump(variation, start, beside, accelerates))
        out.push_back({corner.text, (moves > 0) != above});
    }
  };
  for (std::size_t g = 0; g < model.terms.size(); ++g) {
    const model::TermGroup& group = model.terms[g];
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].quiet || group.corners[c].follows || group.corners[c].directs()) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane)
        look(group, variation.parameter().slope.terms[g], c, lane);
    }
  }
  return out;
}

}  // namespace zwang::sensitivity
