/// What the series of linked bodies leave out on a step.
///
/// All of them are products of polynomials, e of order N, W of order N - 1, multipliers of order N - 2, and what the coefficients known do not hold is a sum of
/// |a_i| |b_j| h^{i+j} beyond some order. Lengths of quaternions and turned vectors multiply, so lengths of whole vectors are taken where no axis stands out. With
///
///   d = e' - e W / 2  (orders N and up),      D = I W' + W x I W - N  (orders N - 1 and up)
///
/// the acceleration of e is off by d' + e I^-1 D / 2, and by what the spin 2 G e' differs from W: 2 d. Reference: docs/mathematics, section 23.10.
#include <algorithm>
#include <cmath>
#include <span>

#include "zwang/motion/links.hpp"

namespace zwang::motion {

namespace {

constexpr std::size_t most = expressions::Stretch::most + 1;

/// The sizes of the terms of a series on the step, and their sums from each on.
struct Sizes {
  double term[most * Links::side];
  double later[(most + 1) * Links::side];
  unsigned count = 0;

  void sum_up() {
    double sum[Links::side] = {};
    std::fill_n(later + count * Links::side, Links::side, 0.0);
    for (unsigned k = count; k-- > 0;) {
      for (std::size_t l = 0; l < Links::side; ++l) later[k * Links::side + l] = sum[l] += term[k * Links::side + l];
    }
  }
  /// Lengths of the vectors whose components are series `stride` apart.
  void measure(const double* from, std::size_t stride, std::size_t components, unsigned orders,
               const expressions::Stretch& stretch) {
    count = orders;
    for (unsigned k = 0; k < orders; ++k, from += Links::side) {
      for (std::size_t l = 0; l < Links::side; ++l) {
        double square = 0;
        for (std::size_t c = 0; c < components; ++c) square += from[c * stride + l] * from[c * stride + l];
        term[k * Links::side + l] = std::sqrt(square) * stretch.of_length[k];
      }
    }
    sum_up();
  }
  void measure_one(const double* from, unsigned orders, const expressions::Stretch& stretch) {
    count = orders;
    for (unsigned k = 0; k < orders; ++k, from += Links::side) {
      for (std::size_t l = 0; l < Links::side; ++l)
        term[k * Links::side + l] = std::abs(from[l]) * stretch.of_length[k];
    }
    sum_up();
  }
};

/// sum_{i+j>=order} a_i b_j, added.
void add_beyond(const Sizes& a, const Sizes& b, unsigned order, double* sum) {
  for (unsigned i = 0; i < a.count; ++i) {
    const unsigned j = order > i ? order - i : 0;
    if (j >= b.count) continue;
    for (std::size_t l = 0; l < Links::side; ++l) sum[l] += a.term[i * Links::side + l] * b.later[j * Links::side + l];
  }
}

/// i a_i in the place of a_i.
Sizes graded(const Sizes& a) {
  Sizes out = a;
  for (unsigned i = 0; i < a.count; ++i) {
    for (std::size_t l = 0; l < Links::side; ++l) out.term[i * Links::side + l] *= i;
  }
  out.sum_up();
  return out;
}

}  // namespace

void Links::bound_body(std::size_t number, const Reach& reach) {
  Chunk& chunk = chunks_[number];
  const double* room = body_room(number);
  const std::size_t stride = orders_ * side;
  const unsigned last = reach.last;
  const expressions::Stretch& stretch = *reach.stretch;
  Sizes e, spin, one, other;
  e.measure(room, stride, 4, last + 1, stretch);
  spin.measure(room + at_spin * stride, stride, 3, last, stretch);
  std::fill_n(chunk.beyond, side, 0.0);
  add_beyond(e, e, last + 1, chunk.beyond);
  // d, and h d'.
  double off[side] = {}, rate[side] = {};
  add_beyond(e, spin, last, off);
  add_beyond(graded(e), spin, last, rate);
  add_beyond(e, graded(spin), last, rate);
  for (std::size_t l = 0; l < side; ++l) {
    off[l] *= 0.5;
    const double whole = spin.later[l];
    const double astray = 2 * off[l] * (1 + stretch.length * whole);
    chunk.beyond[l] *= 2;
    chunk.defect[l] = 0.5 * rate[l] / stretch.length + (0.25 + 0.5 * chunk.spread[l]) * whole * astray;
  }
  // D in the body's axes.
  std::fill(std::begin(chunk.torque), std::end(chunk.torque), 0.0);
  for (std::size_t c = 0; c < 3; ++c) {
    if (!chunk.product[3 + c] && !chunk.product[c]) continue;
    const std::size_t b = (c + 1) % 3;
    const std::size_t d = (c + 2) % 3;
    one.measure_one(room + (at_spin + b) * stride, last, stretch);
    other.measure_one(room + (at_spin + d) * stride, last, stretch);
    double product[side] = {}, square[side] = {};
    add_beyond(one, other, last - 1, product);
    if (chunk.product[b]) add_beyond(one, one, last - 1, square);
    for (std::size_t to = 0; to < 3; ++to) {
      for (std::size_t l = 0; l < side; ++l) {
        chunk.torque[to * side + l] += std::abs(chunk.turning[(6 * to + 3 + c) * side + l]) * product[l] +
                                       std::abs(chunk.turning[(6 * to + b) * side + l]) * square[l];
      }
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    if (!chunk.column[c]) continue;
    one.measure(room + (at_load + 3 * c) * stride, stride, 3, last - 1, stretch);
    for (const std::size_t b : {(c + 1) % 3, (c + 2) % 3}) {
      other.measure(room + (at_turn + b) * stride, 3 * stride, 3, last + 1, stretch);
      double sum[side] = {};
      add_beyond(other, one, last - 1, sum);
      const std::size_t to = 3 - b - c;
      for (std::size_t l = 0; l < side; ++l) chunk.torque[to * side + l] += sum[l] + chunk.beyond[l] * one.later[l];
    }
  }
}

void Links::bound_hinges(std::size_t number, const Reach& reach) {
  const double* room = joint_room(number);
  const std::size_t stride = orders_ * side;
  const unsigned last = reach.last;
  const expressions::Stretch& stretch = *reach.stretch;
  Sizes p, q, axis, other, angle, press;
  p.measure(room + at_p * stride, stride, 3, last + 1, stretch);
  q.measure(room + at_q * stride, stride, 3, last + 1, stretch);
  axis.measure(room + at_axis * stride, stride, 3, last + 1, stretch);
  other.measure(room + at_other * stride, stride, 3, last + 1, stretch);
  angle.measure(room + at_angle * stride, stride, 2, last + 1, stretch);
  press.measure(room + at_press * stride, stride, 2, last - 1, stretch);
  double of_p[side] = {}, of_q[side] = {}, by_p[side] = {}, by_q[side] = {}, twisted[side] = {};
  add_beyond(p, axis, last + 1, of_p);
  add_beyond(q, axis, last + 1, of_q);
  add_beyond(p, other, last + 1, by_p);
  add_beyond(q, other, last + 1, by_q);
  add_beyond(angle, press, last - 1, twisted);
  for (std::size_t l = 0; l < side && number * side + l < hinges_.size(); ++l) {
    const Joint& joint = joints_[hinges_[number * side + l]];
    const auto beyond = [&](const End& end) {
      return end.body == none ? 0.0 : chunks_[end.body / side].beyond[end.body % side];
    };
    const double first = beyond(joint.first);
    const double second = beyond(joint.second);
    // Of a product of two turned vectors, what the coefficients of each leave out.
    const auto all = [&](double found, const Sizes& a, const Sizes& b) {
      return found + first * b.later[l] + second * a.later[l] + first * second;
    };
    reach.row[joint.row[3]] = all(of_p[l], p, axis);
    reach.row[joint.row[4]] = all(of_q[l], q, axis);
    if (joint.second.body == none) continue;
    const double whole = twisted[l] + (all(by_p[l], p, other) + all(by_q[l], q, other)) * press.later[l];
    Chunk& chunk = chunks_[joint.second.body / side];
    for (std::size_t c = 0; c < 3; ++c) {
      const double a = joint.directions[9 + c];
      const double b = joint.directions[12 + c];
      chunk.torque[c * side + joint.second.body % side] += std::sqrt(a * a + b * b) * whole;
    }
  }
}

void Links::bound(const Reach& reach) {
  for (std::size_t number = 0; number < chunks_.size(); ++number) bound_body(number, reach);
  for (std::size_t number = 0; number * side < hinges_.size(); ++number) bound_hinges(number, reach);
  for (const Joint& joint : joints_) {
    double rest = 0;
    for (const End* end : {&joint.first, &joint.second}) {
      if (end->body == none) continue;
      const double square = end->arm[0] * end->arm[0] + end->arm[1] * end->arm[1] + end->arm[2] * end->arm[2];
      rest += std::sqrt(square) * chunks_[end->body / side].beyond[end->body % side];
    }
    for (std::size_t c = 0; c < 3; ++c) reach.row[joint.row[c]] = rest;
  }
  for (Chunk& chunk : chunks_) {
    for (std::size_t l = 0; l < side; ++l) {
      double square = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d)
          sum += std::abs(chunk.inverse[(3 * c + d) * side + l]) * chunk.torque[d * side + l];
        square += sum * sum;
      }
      chunk.defect[l] += 0.5 * std::sqrt(square);
    }
  }
}

void Links::add_defects(double* absolute) const {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (std::size_t c = 0; c < 4; ++c) absolute[bodies_[b].first + 3 + c] += chunks_[b / side].defect[b % side];
  }
}

}  // namespace zwang::motion
