/// Speeds that come to rest, seen from before.
#include "zwang/sensitivity/approach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/polynomials.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

void find_point(const motion::Piece& piece, double time, std::span<const double> modes, MotionPoint& out) {
  out.state.time = time;
  out.state.modes.assign(modes.begin(), modes.end());
  out.state.position.resize(piece.n);
  out.state.velocity.resize(piece.n);
  out.acceleration.resize(piece.n);
  const double s = (std::clamp(time, piece.start, piece.end()) - piece.start) / piece.unit;
  // At the start itself three coefficients tell all.
  const unsigned orders = s == 0 ? std::min(piece.orders, 3U) : piece.orders;
  sum_up({piece.position.data(), piece.n, orders}, s, out.state.position.data(), out.state.velocity.data(),
         out.acceleration.data());
  if (piece.unit == 1) return;
  for (double& v : out.state.velocity) v /= piece.unit;
  for (double& a : out.acceleration) a /= piece.unit * piece.unit;
}

}  // namespace

MotionPoint point_on(const motion::Piece& piece, double time, std::span<const double> modes) {
  MotionPoint out;
  find_point(piece, time, modes, out);
  return out;
}

const MotionPoint& PointsOfPiece::at(const motion::Piece& piece, double time, const std::vector<double>& modes) {
  if (start_ != piece.start || length_ != piece.length) used_ = 0;
  start_ = piece.start;
  length_ = piece.length;
  for (std::size_t k = 0; k < used_; ++k) {
    if (known_[k].state.time == time && known_[k].state.modes == modes) return known_[k];
  }
  if (used_ == known_.size()) known_.emplace_back();
  MotionPoint& fresh = known_[used_++];
  find_point(piece, time, modes, fresh);
  return fresh;
}

void Approach::keep(const motion::Piece& piece, const Stretch& stretch, const std::vector<double>& modes) {
  stretches_.push_back({piece, stretch, modes});
  if (stretches_.size() > stretches_before_stick) stretches_.pop_front();
}

std::optional<Earlier> Approach::at(double time) const {
  if (stretches_.empty()) return std::nullopt;
  const auto begins = [&](const Kept& one) { return one.stretch.start <= time; };
  const auto found = std::find_if(stretches_.rbegin(), stretches_.rend(), begins);
  const Kept& kept = found == stretches_.rend() ? stretches_.front() : *found;
  const double then = std::clamp(time, kept.stretch.start, kept.stretch.start + kept.stretch.length);
  Earlier out;
  out.point = point_on(kept.piece, then, kept.modes);
  std::vector<double> unused;
  Variation::evaluate(kept.stretch, kept.piece.n, then, out.position, out.velocity, unused);
  out.rows = kept.piece.rows;
  return out;
}

namespace {

/// x with A x = b, A of at most three rows; what A knows nothing of is zero.
std::vector<double> solved(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  std::vector<double> x(n, 0.0);
  std::vector<std::size_t> column(n, n);
  double largest = 0;
  for (const std::vector<double>& row : a) {
    for (const double one : row) largest = std::max(largest, std::abs(one));
  }
  std::vector<bool> used(n, false);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t row = n;
    std::size_t at = n;
    double most = rate_zero * largest;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n && column[i] == n; ++k) {
        if (used[k] || !(std::abs(a[i][k]) > most)) continue;
        most = std::abs(a[i][k]);
        row = i;
        at = k;
      }
    }
    if (row == n) break;
    column[row] = at;
    used[at] = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == row) continue;
      const double factor = a[i][at] / a[row][at];
      for (std::size_t k = 0; k < n; ++k) a[i][k] -= factor * a[row][k];
      b[i] -= factor * b[row];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (column[i] < n) x[column[i]] = b[i] / a[i][column[i]];
  }
  return x;
}

/// A speed some time before it comes to rest.
class SpeedBefore {
 public:
  SpeedBefore(Variation& variation, const SpeedCorner& which, const Earlier& at)
      : variation_(variation), which_(which), at_(at), parts_(which.group.corners[which.corner].parts) {
    double square = 0;
    for (std::uint32_t k = 1; k <= parts_; ++k) {
      parts_at_.push_back(change(k, at.point));
      square += parts_at_.back().value * parts_at_.back().value;
    }
    size_ = std::sqrt(square);
    for (const model::TermGroup& group : variation.parameter().model.terms) {
      for (std::uint32_t lane = 0; lane < group.lanes && !group.corners.empty(); ++lane) find_same(group, lane);
    }
  }

  [[nodiscard]] double size() const { return size_; }
  /// |w|'
  [[nodiscard]] double rate() const {
    double sum = 0;
    for (const Variation::Change& one : parts_at_) sum += one.value * one.by_time;
    return sum / size_;
  }
  /// -(n.dw) / (n.w')
  [[nodiscard]] double time_moves() {
    const std::vector<double> n = normal();
    double by_parameter = 0;
    double by_time = 0;
    for (std::size_t k = 0; k < parts_; ++k) {
      by_parameter += n[k] * parts_at_[k].by_parameter;
      by_time += n[k] * parts_at_[k].by_time;
    }
    return -by_parameter / by_time;
  }

 private:
  /// A corner that asks for the direction of this speed, or of its negative: forces of one friction may be written apart.
  struct Same {
    const model::Slotted* group = nullptr;
    std::uint32_t corner = 0;
    std::uint32_t lane = 0;
    double sign = 1;
  };
  void find_same(const model::Slotted& group, std::uint32_t lane) {
    const model::State& state = at_.point.state;
    std::vector<double> values, modes(group.modes);
    for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = state.modes[group.first_mode + k * group.lanes + lane];
    model::evaluate_switching(group, lane, state, modes, values);
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].kind != expressions::CornerKind::moves || group.corners[c].parts != parts_) continue;
      for (const double sign : {1.0, -1.0}) {
        bool same = true;
        for (std::uint32_t k = 0; k < parts_; ++k)
          same = same && std::abs(values[c + 1 + k] - sign * parts_at_[k].value) <= rate_zero * size_;
        if (same) same_.push_back({&group, c, lane, sign});
      }
    }
  }
  /// Of a component, with the derivatives of then.
  [[nodiscard]] Variation::Change change(std::uint32_t part, const MotionPoint& point) {
    std::swap(variation_.position, swapped_.position = at_.position);
    std::swap(variation_.velocity, swapped_.velocity = at_.velocity);
    const Variation::Change out =
        variation_.corner(which_.group, which_.slopes, which_.corner + part, which_.lane, point);
    std::swap(variation_.position, swapped_.position);
    std::swap(variation_.velocity, swapped_.velocity);
    return out;
  }
  /// Rates of the components if friction pushes along one of them; `parts_`: along none.
  [[nodiscard]] std::vector<double> pushed(std::uint32_t along) {
    MotionPoint point = at_.point;
    for (const Same& one : same_) {
      const model::Slotted& group = *one.group;
      const auto mode = [&](std::uint32_t k) -> double& {
        return point.state.modes[group.first_mode + std::size_t{k} * group.lanes + one.lane];
      };
      mode(group.corners[one.corner].first_mode) = 0;
      mode(group.corners[one.corner].first_mode + 1) = 1;
      for (std::uint32_t k = 0; k < parts_; ++k)
        mode(group.corners[one.corner + 1 + k].first_mode) = k == along ? one.sign : 0;
    }
    point.acceleration = variation_.accelerations(point.state, at_.rows);
    point.state.modes = at_.point.state.modes;
    std::vector<double> out;
    for (std::uint32_t k = 1; k <= parts_; ++k) out.push_back(change(k, point).by_time);
    return out;
  }
  /// n = c + A^-1 F
  [[nodiscard]] std::vector<double> normal() {
    const std::vector<double> load = pushed(parts_);
    std::vector<std::vector<double>> friction(parts_, std::vector<double>(parts_));
    for (std::uint32_t along = 0; along < parts_; ++along) {
      const std::vector<double> rates = pushed(along);
      for (std::size_t k = 0; k < parts_; ++k) friction[k][along] = load[k] - rates[k];
    }
    std::vector<double> n = solved(std::move(friction), load);
    for (std::size_t k = 0; k < parts_; ++k) n[k] += parts_at_[k].value / size_;
    return n;
  }

  Variation& variation_;
  const SpeedCorner& which_;
  const Earlier& at_;
  Earlier swapped_;
  std::uint32_t parts_;
  std::vector<Variation::Change> parts_at_;
  double size_ = 0;
  std::vector<Same> same_;
};

}  // namespace

double time_of_rest_moves(Variation& variation, const SpeedCorner& which, const Approach& approach, double time,
                          double largest_speed) {
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  // How fast it comes to rest tells how long before it is best looked at.
  std::optional<Earlier> at = approach.at(time - before_stick_of_time * std::abs(time));
  if (!at) return no_number;
  const double rate = SpeedBefore(variation, which, *at).rate();
  if (!(rate < 0)) return no_number;
  constexpr std::size_t looks = 3;
  constexpr double farthest = 1 << (looks - 1);
  const double best = std::max(before_stick * largest_speed / -rate, before_stick_of_time * std::abs(time));
  const double before = std::min(best, (time - approach.since()) / farthest);
  double left[looks] = {};
  double found[looks] = {};
  for (std::size_t k = 0; k < looks; ++k) {
    at = approach.at(time - before * static_cast<double>(std::size_t{1} << k));
    left[k] = time - at->point.state.time;
    found[k] = SpeedBefore(variation, which, *at).time_moves();
  }
  // Forces and their derivatives change in the time that is left, in proportion to it.
  const auto at_end = [&](std::size_t k) {
    return found[k] + (found[k] - found[k + 1]) * left[k] / (left[k + 1] - left[k]);
  };
  if (!(left[0] > 0 && left[1] > left[0] && left[2] > left[1])) return no_number;
  const double value = std::abs(variation.parameter().value);
  const double size = std::max(std::abs(found[0]), largest_speed / -rate / (value == 0 ? 1 : value));
  return std::abs(at_end(0) - at_end(1)) <= one_time_slope * size ? at_end(0) : no_number;
}

}  // namespace zwang::sensitivity
