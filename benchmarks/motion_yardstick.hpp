/// The yardstick of a swinging chain: Runge-Kutta-Fehlberg 7(8) of Boost.Odeint on hand-written equations of motion.
///
/// k unit masses on unit rods in the plane hang from the origin, y downwards. With u_i the direction of rod i, e_i its
/// normal, w_i its angular velocity and T_i its tension,
///
///   u_i' = w_i e_i,   w_i' = e_i.(T_{i+1} u_{i+1} + T_{i-1} u_{i-1}),   first rod: + e_1.g instead of the second term,
///   2 T_i - (u_i.u_{i+1}) T_{i+1} - (u_i.u_{i-1}) T_{i-1} = w_i^2,      first rod: T_1 - (u_1.u_2) T_2 = w_1^2 + u_1.g,
///
/// so that one tridiagonal elimination gives the right-hand side in O(k). Two forms are measured: `Directions` keeps u and w
/// (3k numbers, no trigonometric functions) and is the fastest of those tried; `Angles` keeps angles and w (2k numbers), as
/// one would write it first. Positions and velocities in Cartesian coordinates (4k numbers) were slower than both for large k.
/// States are std::array, the fastest that Odeint offers.
#pragma once

#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace zwang::yardstick {

inline constexpr double gravity = 9.81;
inline constexpr double release_angle = 0.3;
inline constexpr double duration = 10;

/// w' of every rod from sines s, cosines c of the directions and angular velocities w.
template <std::size_t K>
void angular_accelerations(const double* s, const double* c, const double* w, double* out) {
  // Eliminate downwards, T_i = rest_i + slope_i T_{i+1}, then substitute upwards.
  std::array<double, K> slope, tension;
  double pivot = 1;
  double right = w[0] * w[0] + gravity * c[0];
  for (std::size_t i = 0; i + 1 < K; ++i) {
    const double cosine = c[i] * c[i + 1] + s[i] * s[i + 1];
    const double inverse = 1 / pivot;
    slope[i] = cosine * inverse;
    tension[i] = right * inverse;
    pivot = 2 - cosine * slope[i];
    right = w[i + 1] * w[i + 1] + cosine * tension[i];
  }
  tension[K - 1] = right / pivot;
  for (std::size_t i = K - 1; i-- > 0;) tension[i] += slope[i] * tension[i + 1];

  // What the neighbours' tensions do across each rod.
  double from_above = -gravity * s[0];
  for (std::size_t i = 0; i + 1 < K; ++i) {
    const double sine = s[i + 1] * c[i] - c[i + 1] * s[i];
    out[i] = from_above + tension[i + 1] * sine;
    from_above = -tension[i] * sine;
  }
  out[K - 1] = from_above;
}

template <std::size_t K>
struct Directions {
  using State = std::array<double, 3 * K>;
  static State start() {
    State x{};
    std::fill_n(x.begin(), K, std::sin(release_angle));
    std::fill_n(x.begin() + K, K, std::cos(release_angle));
    return x;
  }
  void operator()(const State& x, State& dx, double) const {
    const double* s = x.data();
    const double* c = s + K;
    const double* w = c + K;
    for (std::size_t i = 0; i < K; ++i) {
      dx[i] = c[i] * w[i];
      dx[K + i] = -s[i] * w[i];
    }
    angular_accelerations<K>(s, c, w, dx.data() + 2 * K);
  }
  static void directions(const State& x, std::size_t i, double& s, double& c) {
    s = x[i];
    c = x[K + i];
  }
};

template <std::size_t K>
struct Angles {
  using State = std::array<double, 2 * K>;
  static State start() {
    State x{};
    std::fill_n(x.begin(), K, release_angle);
    return x;
  }
  void operator()(const State& x, State& dx, double) const {
    std::array<double, K> s, c;
    for (std::size_t i = 0; i < K; ++i) {
      s[i] = std::sin(x[i]);
      c[i] = std::cos(x[i]);
      dx[i] = x[K + i];
    }
    angular_accelerations<K>(s.data(), c.data(), x.data() + K, dx.data() + K);
  }
  static void directions(const State& x, std::size_t i, double& s, double& c) {
    s = std::sin(x[i]);
    c = std::cos(x[i]);
  }
};

/// Final positions x1, y1, x2, ... (y upwards); gives the number of steps.
template <class Form>
std::size_t swing(double tolerance, std::vector<double>& positions) {
  namespace odeint = boost::numeric::odeint;
  using State = typename Form::State;
  using Stepper = odeint::runge_kutta_fehlberg78<State, double, State, double, odeint::array_algebra>;
  auto state = Form::start();
  const auto steps = odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance, tolerance), Form{}, state,
                                                0.0, duration, 0.01);
  double x = 0;
  double y = 0;
  for (std::size_t i = 0; 2 * i < positions.size(); ++i) {
    double s = 0;
    double c = 0;
    Form::directions(state, i, s, c);
    positions[2 * i] = x += s;
    positions[2 * i + 1] = y -= c;
  }
  return steps;
}

}  // namespace zwang::yardstick
