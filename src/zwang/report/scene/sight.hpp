/// How a row is seen: its expression and gradient at any place of its points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/tape.hpp"
#include "zwang/model/model.hpp"
#include "zwang/report/surfaces.hpp"

namespace zwang::report {

[[nodiscard]] inline Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
[[nodiscard]] inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
[[nodiscard]] inline double length(const Vector& a) { return elementary::hypot(a[0], a[1], a[2]); }

/// One row's expression at any place of its points.
class RowSight {
 public:
  RowSight(const model::Model& model, std::uint32_t row)
      : group_(&model.groups[model.row_group[row]]), lane_(model.row_lane[row]), registers_(group_->tape.registers()) {
    expressions::load_constants(group_->tape, registers_.data(), 1, 1);
    for (std::size_t slot = 0; slot < group_->constants; ++slot) {
      registers_[1 + group_->positions + group_->velocities + slot] = group_->constant_of[slot * group_->lanes + lane_];
    }
  }
  [[nodiscard]] std::size_t slots() const { return group_->positions; }
  [[nodiscard]] std::uint32_t variable(std::size_t slot) const {
    return group_->position_of[slot * group_->lanes + lane_];
  }
  double& slot(std::size_t k) { return registers_[1 + k]; }
  double run(double time) {
    registers_[0] = time;
    if (!group_->corners.empty()) turn();
    expressions::extend(group_->tape, registers_.data(), 1, 0, 0, 1);
    return registers_[group_->tape.outputs[0]];
  }
  [[nodiscard]] double gradient(std::size_t k) const { return registers_[group_->tape.outputs[1 + k]]; }
  [[nodiscard]] double value(std::uint32_t of) const { return registers_[of]; }
  [[nodiscard]] const model::RowGroup& group() const { return *group_; }
  [[nodiscard]] std::size_t lane() const { return lane_; }

 private:
  /// Functions with corners, max(a.x, 0)^2 say, are on the sides where the points have been put, not where the motion begins. Corners may stand
  /// inside of others, hence the rounds.
  void turn() {
    const std::vector<expressions::Corner>& corners = group_->corners;
    const std::size_t inputs = 1 + group_->positions + group_->velocities + group_->constants;
    if (switching_.empty()) {
      switching_.assign(group_->switching.registers(), 0.0);
      expressions::load_constants(group_->switching, switching_.data(), 1, 1);
    }
    const std::span<double> modes = std::span(registers_).subspan(inputs - group_->modes, group_->modes);
    for (std::size_t round = 0; round <= corners.size(); ++round) {
      std::copy_n(registers_.begin(), inputs, switching_.begin());
      expressions::extend(group_->switching, switching_.data(), 1, 0, 0, 1);
      bool changed = false;
      for (std::size_t c = 0; c < corners.size(); ++c) {
        const double g = switching_[group_->switching.outputs[c]];
        const double beside = switching_[group_->switching.outputs[corners.size() + c]];
        numbers_.resize(corners[c].modes);
        corners[c].numbers(corners[c].side(g, beside), numbers_);
        const std::span<double> own = modes.subspan(corners[c].first_mode, corners[c].modes);
        changed = changed || !std::equal(numbers_.begin(), numbers_.end(), own.begin());
        std::copy(numbers_.begin(), numbers_.end(), own.begin());
      }
      if (!changed) return;
    }
  }

  const model::RowGroup* group_;
  std::size_t lane_;
  std::vector<double> registers_;
  std::vector<double> switching_;  ///< registers of what decides the sides
  std::vector<double> numbers_;    ///< modes of one corner
};

/// Evenly in [-1, 1], the same on every machine.
class Dice {
 public:
  double next() { return std::ldexp(static_cast<double>(engine_() >> 11U), -52) - 1.0; }

 private:
  std::mt19937_64 engine_{1829};
};

}  // namespace zwang::report
