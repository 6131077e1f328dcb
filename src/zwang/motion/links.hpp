/// Rigid bodies in space that ball joints and hinges link: their part of the series without any tape.
///
/// Along a motion quaternions keep the length 1, and the axes of a hinge fall on each other. So the orders above zero may be computed from whatever says the same there,
/// in the fewest products: with W the spin and N the torque in the body's axes, R the turn, r the arms of the joints and F their forces,
///
///   e' = e W / 2,      I W' = N - W x I W,      N = sum r x R^T F + torques of hinges,      R of the products of components of e.
///
/// A torque of a hinge is constant in the first one's axes but for its multipliers, and in the second one's turned by the angle of the hinge. Bodies lie four side by side, and
/// joints do. Symbols as in series.hpp. Reference: docs/mathematics, section 23.10.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "zwang/base/aligned.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/remainders.hpp"

namespace zwang::motion {

/// A quaternion of length 1, its rate across it: what rounding has made of both is taken off.
void straighten_quaternion(double* e, double* rate);

class Links {
 public:
  static constexpr std::size_t side = 4;  ///< lanes
  static constexpr std::uint32_t none = 0xffffffff;

  struct Body {
    std::uint32_t first = 0;          ///< variable of its x; the quaternion is three further
    std::array<double, 9> inertia{};  ///< symmetric, in its axes
    double stretching = 1;            ///< c of section 23.2
  };
  struct End {
    std::uint32_t body = none;    ///< number among the bodies; none: what it holds does not turn
    std::array<double, 3> arm{};  ///< in the body's axes
  };
  struct Joint {
    End first, second;
    std::array<std::uint32_t, 5> row{};  ///< numbers among the rows held
    bool hinge = false;                  ///< five rows instead of three
    /// p, q across the axis in the first one's axes; the axis, and what stands across it, in the second one's.
    std::array<double, 15> directions{};
    [[nodiscard]] std::uint32_t rows() const { return hinge ? 5 : 3; }
  };

  void clear();
  /// All of them, and the number of coefficients that series have.
  void set(std::vector<Body> bodies, std::vector<Joint> joints, unsigned orders);
  [[nodiscard]] bool empty() const { return joints_.empty(); }
  [[nodiscard]] const std::vector<Body>& bodies() const { return bodies_; }

  /// Order zero and the velocities: q and v at [k * variables + i].
  void begin(const double* q, const double* v);
  /// With q_{k+1} and v_k known: what is known of the forces on quaternions at order k added to `force`, c_k of the rows written to `right`.
  struct Known {
    unsigned k = 0;
    double* force = nullptr;
    double* right = nullptr;
  };
  void extend(const Known& known) { extend_(*this, known); }
  /// The accelerations and multipliers of order k are known, and q_{k+2}.
  struct Found {
    unsigned k = 0;
    const double* acceleration = nullptr;
    const double* q_next = nullptr;
    const double* lambda = nullptr;
  };
  void take(const Found& found) { take_(*this, found); }

  /// a = M^-1 force of the quaternions, at order zero.
  void weigh(const double* force, double* a) { weigh_(*this, force, a); }

  /// What the series leave out on a step: of the rows, to `row`; of the accelerations, kept for `add_defects`. `last` is the order of q.
  struct Reach {
    const expressions::Stretch* stretch = nullptr;
    unsigned last = 0;
    double* row = nullptr;
  };
  void bound(const Reach& reach);
  /// Bounds of what the accelerations of the quaternions are off by, added.
  void add_defects(double* absolute) const;

  /// Quaternions of length 1, and rates across them: what rounding has made of both is taken off.
  void straighten(std::vector<double>& position, std::vector<double>& velocity) const;
  /// After an order that was not finite: none of it is left.
  void forget_overflow();

 private:
  friend struct LinkKernels;
  // Series of four bodies side by side: e, W, R by rows, and the forces times the components of their arms.
  static constexpr std::size_t body_series = 25, at_e = 0, at_spin = 4, at_turn = 7, at_load = 16;
  // Of four joints: p, q of the first, axis and p of the second, cosine and sine of the angle, two multipliers.
  static constexpr std::size_t joint_series = 16, at_p = 0, at_q = 3, at_axis = 6, at_other = 9, at_angle = 12,
                               at_press = 14;
  /// What four bodies have besides, a number per lane each.
  struct Chunk {
    double inertia[9 * side] = {};
    double inverse[9 * side] = {};
    double stretching[side] = {};
    double turning[18 * side] = {};  ///< W x I W from the products W_x^2, W_y^2, W_z^2, W_y W_z, W_z W_x, W_x W_y
    std::array<bool, 6> product{};   ///< is that product in it?
    std::array<bool, 3> column{};    ///< has an arm this component?
    double torque[3 * side] = {};    ///< of hinges at this order, in the body's axes
    double leaning[4 * side] = {};   ///< acceleration of e without W' of this order
    double defect[side] = {};
    double spread[side] = {};  ///< of the moments of inertia, at most, as a part of the least
    double beyond[side] = {};  ///< e e beyond the last order
  };
  using Extending = void (*)(Links&, const Known&);
  using Weighing = void (*)(Links&, const double*, double*);
  using Taking = void (*)(Links&, const Found&);
  void choose_kernels();
  void bound_body(std::size_t number, const Reach& reach);
  void bound_hinges(std::size_t number, const Reach& reach);
  [[nodiscard]] double* body_room(std::size_t chunk) {
    return body_room_.data() + chunk * body_series * orders_ * side;
  }
  [[nodiscard]] double* joint_room(std::size_t chunk) {
    return joint_room_.data() + chunk * joint_series * orders_ * side;
  }
  /// Coefficient k of a series of one body.
  [[nodiscard]] double& of_body(std::uint32_t body, std::size_t series, unsigned k) {
    return body_room_[((body / side * body_series + series) * orders_ + k) * side + body % side];
  }

  std::vector<Body> bodies_;
  std::vector<Joint> joints_;
  std::vector<std::uint32_t> hinges_;  ///< numbers of the joints that are hinges, four side by side
  std::vector<Chunk> chunks_;
  AlignedNumbers body_room_, joint_room_;
  unsigned orders_ = 0;
  Extending extend_ = nullptr;
  Taking take_ = nullptr;
  Weighing weigh_ = nullptr;
};

}  // namespace zwang::motion
