/// From rest, along a direction that is there.
#include "zwang/sensitivity/leaving.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/surfaces.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

MotionPoint place_on(const motion::Piece& piece, double time, const std::vector<double>& modes) {
  MotionPoint out;
  motion::evaluate(piece, time, out.state);
  out.state.time = time;
  out.state.modes = modes;
  return out;
}

/// w and |w|.
struct Speed {
  std::vector<double> w;
  double size = 0;
};
Speed speed_at(const model::TermGroup& group, std::uint32_t corner, std::uint32_t lane, const MotionPoint& at) {
  std::vector<double> values, modes(group.modes);
  for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = at.state.modes[group.first_mode + k * group.lanes + lane];
  model::evaluate_switching(group, lane, at.state, modes, values);
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(corner) + 1;
  return {{first, first + static_cast<std::ptrdiff_t>(group.corners[corner].parts)}, values[corner]};
}

/// One of them on its piece.
class OneLeaves {
 public:
  OneLeaves(Variation& variation, const motion::Piece& piece, const Leaving& which, const std::vector<double>& modes)
      : variation_(variation),
        piece_(piece),
        which_(which),
        modes_(modes),
        group_(variation.parameter().model.terms[which.term]),
        slope_(variation.parameter().slope.terms[which.term]) {}

  [[nodiscard]] const std::string& text() const { return group_.corners[which_.corner].text; }
  [[nodiscard]] Speed at(double part) const {
    return speed_at(group_, which_.corner, which_.lane, place_on(piece_, piece_.start + part * piece_.length, modes_));
  }
  /// m of |w| = s^m rho; 0 where it is neither 1 nor 2.
  [[nodiscard]] int power() const {
    const double ratio = at(1).size / at(power_looked_at).size * power_looked_at;
    if (!(ratio > 0)) return 0;
    for (const int m : {1, 2}) {
      const double scaled = m == 1 ? ratio : ratio * power_looked_at;
      if (scaled > 1 / power_within && scaled < power_within) return m;
    }
    return 0;
  }
  /// Does the parameter move the speed itself at the start?
  [[nodiscard]] bool moved(double largest_slope) const {
    const MotionPoint start = place_on(piece_, piece_.start, modes_);
    // Where the parameter has had no say so far, rounding of the speeds is what there is.
    const double value = std::abs(variation_.parameter().value);
    double most = std::max(largest_slope, at(1).size / (value == 0 ? 1 : value));
    for (const double x : variation_.velocity) most = std::max(most, std::abs(x));
    for (std::uint32_t k = 1; k <= group_.corners[which_.corner].parts; ++k) {
      const double by = variation_.corner(group_, slope_, which_.corner + k, which_.lane, start).by_parameter;
      if (!(std::abs(by) <= force_zero * most)) return true;
    }
    return false;
  }
  /// As at rest, with the direction for the weights.
  void direct(double part, std::vector<double>& modes) const { direct(at(part), modes); }
  void direct(const Speed& speed, std::vector<double>& modes) const {
    const auto mode = [&](std::uint32_t k) -> double& {
      return modes[group_.first_mode + std::size_t{k} * group_.lanes + which_.lane];
    };
    const std::uint32_t first = group_.corners[which_.corner].first_mode;
    mode(first) = 0;
    mode(first + 1) = 1;
    for (std::uint32_t k = 0; k < speed.w.size(); ++k)
      mode(group_.corners[which_.corner + 1 + k].first_mode) = speed.w[k] / speed.size;
  }
  /// w'' right behind the start, where the direction is its own.
  [[nodiscard]] Speed second(const Stretch& stretch, const std::vector<double>& modes) const {
    Speed out;
    for (const Variation::Change& change : rates(stretch, modes)) {
      out.w.push_back(change.by_time);
      out.size += change.by_time * change.by_time;
    }
    out.size = std::sqrt(out.size);
    return out;
  }
  /// -(c.dw') / (c.w'') there.
  [[nodiscard]] std::optional<double> time(const Stretch& stretch, const std::vector<double>& modes) const {
    double by_parameter = 0;
    double by_time = 0;
    for (const Variation::Change& change : rates(stretch, modes)) {
      by_parameter += change.by_time * change.by_parameter;
      by_time += change.by_time * change.by_time;
    }
    if (by_time == 0) return std::nullopt;
    return -by_parameter / by_time;
  }
  /// What is across the direction is brought to nothing by friction: gradients over the velocities, and what there is of them.
  void add_across(double part, std::vector<Variation::Gradient>& out) const {
    const MotionPoint point = place_on(piece_, piece_.start + part * piece_.length, modes_);
    // Along is where the push has gone on the way: the direction in the middle of it.
    const Speed speed = at(part / 2);
    const std::size_t parts = speed.w.size();
    std::vector<double> moved(parts);
    for (std::uint32_t k = 0; k < parts; ++k)
      moved[k] = variation_.corner(group_, slope_, which_.corner + 1 + k, which_.lane, point).by_parameter;
    // All components less what is along; of the rows one is superfluous, the one of the largest component.
    const auto largest = static_cast<std::size_t>(
        std::max_element(speed.w.begin(), speed.w.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }) -
        speed.w.begin());
    for (std::size_t k = 0; k < parts; ++k) {
      if (k == largest) continue;
      // c_l w_k - c_k w_l
      Variation::Gradient one;
      one.entry.assign(variation_.parameter().model.variables, 0.0);
      const double along = speed.w[largest] / speed.size;
      const double beside = speed.w[k] / speed.size;
      one.value = along * moved[k] - beside * moved[largest];
      for (const std::size_t of : {k, largest}) {
        const std::vector<double> gradient =
            velocity_gradient(group_, which_.corner + 1 + static_cast<std::uint32_t>(of), which_.lane, point.state);
        for (std::size_t slot = 0; slot < gradient.size(); ++slot)
          one.entry[group_.velocity_of[slot * group_.lanes + which_.lane]] +=
              (of == k ? along : -beside) * gradient[slot];
      }
      out.push_back(std::move(one));
    }
  }

 private:
  [[nodiscard]] std::vector<Variation::Change> rates(const Stretch& stretch, const std::vector<double>& modes) const {
    std::vector<Variation::Change> out;
    for (std::uint32_t k = 1; k <= group_.corners[which_.corner].parts; ++k)
      out.push_back(variation_.corner_rate(group_, slope_, which_.corner + k, which_.lane, piece_, stretch, modes));
    return out;
  }

  Variation& variation_;
  const motion::Piece& piece_;
  const Leaving& which_;
  const std::vector<double>& modes_;
  const model::TermGroup& group_;
  const model::TermGroup& slope_;
};

}  // namespace

std::vector<Leaving> leaving_rest(const model::Model& model, const motion::Piece& piece,
                                  const std::vector<double>& modes, const std::vector<expressions::Side>& sides) {
  std::vector<Leaving> out;
  for (std::uint32_t g = 0; g < model.terms.size(); ++g) {
    const model::TermGroup& group = model.terms[g];
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].kind != expressions::CornerKind::moves) continue;
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        if (sides[group.first_switch + c * group.lanes + lane] != 2) continue;
        const double start = speed_at(group, c, lane, place_on(piece, piece.start, modes)).size;
        const double middle = speed_at(group, c, lane, place_on(piece, piece.start + piece.length / 2, modes)).size;
        if (start <= speed_from_rest * middle) out.push_back({g, c, lane});
      }
    }
  }
  return out;
}

FromRest leave_rest(Variation& variation, std::uint64_t number, const motion::Piece& piece,
                    const std::vector<Leaving>& leaving, const std::vector<double>& modes, double largest_slope) {
  FromRest out;
  std::vector<OneLeaves> all;
  for (const Leaving& one : leaving) all.emplace_back(variation, piece, one, modes);
  const int power = all.front().power();
  for (const OneLeaves& one : all) {
    if (power == 0 || one.power() != power || one.moved(largest_slope)) {
      out.refused = one.text();
      return out;
    }
  }
  const double part = power == 1 ? first_part_at_once : first_part_from_nothing;
  std::vector<double> directed = modes;
  for (const OneLeaves& one : all) one.direct(part / 2, directed);
  const std::vector<double> position = variation.position;
  const std::vector<double> velocity = variation.velocity;
  out.stretch = variation.follow_for(number, piece, piece.start, part * piece.length, directed);
  if (power == 1) return out;
  // The time is that of the direction at the start itself.
  std::vector<double> first = modes;
  for (const OneLeaves& one : all) one.direct(one.second(out.stretch, directed), first);
  const std::vector<double> then = std::exchange(variation.position, position);
  const std::vector<double> faster = std::exchange(variation.velocity, velocity);
  out.time = all.front().time(variation.follow_for(number, piece, piece.start, part * piece.length, first), first);
  variation.position = then;
  variation.velocity = faster;
  std::vector<Variation::Gradient> across;
  for (const OneLeaves& one : all) one.add_across(part, across);
  variation.take_off(place_on(piece, piece.start + part * piece.length, modes), piece.rows, across,
                     part * piece.length);
  return out;
}

}  // namespace zwang::sensitivity
