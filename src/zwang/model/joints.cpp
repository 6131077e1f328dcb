/// What stands in joints.hpp.
#include "zwang/model/joints.hpp"

#include <array>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::model {

namespace {

/// From the centre of the body to where the joint holds it, in the fixed frame.
std::vector<double> arm_of(const Model& model, const Joint& joint, const Partner& partner,
                           std::span<const double> position) {
  const Body& body = model.bodies[partner.body];
  const std::span<const double> own = position.subspan(body.first + partner.member * body.dimension, body.dimension);
  if (joint.kind == "rolling" || joint.kind == "rolling disc") {
    // The first partner holds r n: straight down from the centre of a ball, to the lowest point of a wheel.
    std::vector<double> out = joint.first.at;
    if (joint.kind == "rolling disc") {
      const std::array<double, 3> k = turned(own.subspan(3, 4), {0, 0, 1});
      double along = 0;
      double size = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        along += out[c] * k.at(c);
        size += out[c] * out[c];
      }
      const double lean = std::sqrt(1 - along * along / size);
      for (std::size_t c = 0; c < 3; ++c) out[c] = (out[c] - along * k.at(c)) / lean;
    }
    for (double& x : out) x = -x;
    return out;
  }
  if (&partner == &joint.first && (joint.kind == "slider" || joint.kind == "cylindrical")) {
    // The second partner is a fixed place, apart from the first.
    std::vector<double> out = joint.second.at;
    for (std::size_t c = 0; c < out.size(); ++c) out[c] -= own[c];
    return out;
  }
  if (body.kind != BodyKind::rigid) return std::vector<double>(body.place(), 0.0);
  if (body.turns()) {
    const std::array<double, 3> out = turned(own.subspan(3, 4), {partner.at[0], partner.at[1], partner.at[2]});
    return {out.begin(), out.end()};
  }
  const double c = elementary::cos(own[2]);
  const double s = elementary::sin(own[2]);
  return {c * partner.at[0] - s * partner.at[1], s * partner.at[0] + c * partner.at[1]};
}

}  // namespace

Wrench wrench(const Model& model, const Joint& joint, const Rows& rows, std::span<const double> multiplier,
              std::span<const double> position) {
  const bool second = joint.second.body < model.bodies.size();
  const Partner& partner = second ? joint.second : joint.first;
  const Body& body = model.bodies[partner.body];
  const std::uint32_t first = body.first + partner.member * body.dimension;
  std::vector<double> force(model.variables, 0.0);
  for (std::uint32_t row = joint.first_row; row < joint.first_row + joint.rows; ++row) {
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t variable = model.row_column[e];
      if (variable >= first && variable < first + body.dimension) force[variable] -= multiplier[row] * rows.entry[e];
    }
  }
  const std::vector<double> all = shown(body, partner.member, Sort::force, position, force);
  const std::uint32_t d = body.place();
  Wrench out;
  out.force.assign(all.begin(), all.begin() + d);
  out.torque.assign(all.begin() + d, all.end());
  if (out.torque.empty()) out.torque.assign(d == 3 ? 3 : 1, 0.0);
  const std::vector<double> arm = arm_of(model, joint, partner, position);
  const std::vector<double>& f = out.force;
  if (d == 3) {
    out.torque[0] -= arm[1] * f[2] - arm[2] * f[1];
    out.torque[1] -= arm[2] * f[0] - arm[0] * f[2];
    out.torque[2] -= arm[0] * f[1] - arm[1] * f[0];
  } else {
    out.torque[0] -= arm[0] * f[1] - arm[1] * f[0];
  }
  if (!second) {
    for (double& x : out.force) x = -x;
    for (double& x : out.torque) x = -x;
  }
  return out;
}

}  // namespace zwang::model
