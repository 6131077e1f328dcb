/// The yardstick of a swinging chain: Runge-Kutta-Fehlberg 7(8) of Boost.Odeint on hand-written equations of motion.
///
/// k unit masses on unit rods in the plane hang from the origin, y downwards. With u_i the direction of rod i, e_i its
/// normal, w_i its angular velocity and T_i its tension,
///
///   u_i' = w_i e_i,   w_i' = e_i.(T_{i+1} u_{i+1} + T_{i-1} u_{i-1}),   first rod: + e_1.g instead of the second term,
///   2 T_i - (u_i.u_{i+1}) T_{i+1} - (u_i.u_{i-1}) T_{i-1} = w_i^2,      first rod: T_1 - (u_1.u_2) T_2 = w_1^2 + u_1.g,
///
/// so that one tridiagonal elimination gives the right-hand side in O(k). Three forms are measured:
///
///   Directions  keeps u and w: 3k numbers in a std::array, no trigonometric functions; the fastest of all that were tried
///   Angles      keeps angles and w: 2k numbers in a std::array
///   Cartesian   keeps positions and velocities, as the engine does: 4k numbers in a std::vector, k known at run time only
#pragma once

#include <algorithm>
#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
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

/// Positions r_i (y downwards) and velocities: x1 .. xk, y1 .. yk, then their rates. The tensions are per unit of length.
struct Cartesian {
  using State = std::vector<double>;
  std::size_t k;
  std::vector<double> slope, tension, x, y;

  explicit Cartesian(std::size_t rods) : k(rods), slope(rods), tension(rods), x(rods), y(rods) {}
  [[nodiscard]] State start() const {
    State state(4 * k, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      state[i] = static_cast<double>(i + 1) * std::sin(release_angle);
      state[k + i] = static_cast<double>(i + 1) * std::cos(release_angle);
    }
    return state;
  }
  void operator()(const State& state, State& rate, double) {
    // Eliminate downwards: r.r of each rod and of neighbours, v.v on the right.
    const double* at = state.data();
    const double* v = at + 2 * k;
    double pivot = 0;
    double right = 0;
    for (std::size_t i = 0; i < k; ++i) {
      x[i] = at[i] - (i > 0 ? at[i - 1] : 0);
      y[i] = at[k + i] - (i > 0 ? at[k + i - 1] : 0);
      const double dx = v[i] - (i > 0 ? v[i - 1] : 0);
      const double dy = v[k + i] - (i > 0 ? v[k + i - 1] : 0);
      const double length = x[i] * x[i] + y[i] * y[i];
      if (i == 0) {
        pivot = length;
        right = dx * dx + dy * dy + gravity * y[0];
      } else {
        const double beside = x[i] * x[i - 1] + y[i] * y[i - 1];
        const double inverse = 1 / pivot;
        slope[i - 1] = beside * inverse;
        tension[i - 1] = right * inverse;
        pivot = 2 * length - beside * slope[i - 1];
        right = dx * dx + dy * dy + beside * tension[i - 1];
      }
    }
    tension[k - 1] = right / pivot;
    for (std::size_t i = k - 1; i-- > 0;) tension[i] += slope[i] * tension[i + 1];

    // Newton's equations.
    std::copy_n(v, 2 * k, rate.begin());
    for (std::size_t i = 0; i < k; ++i) {
      const bool last = i + 1 == k;
      rate[2 * k + i] = (last ? 0 : tension[i + 1] * x[i + 1]) - tension[i] * x[i];
      rate[3 * k + i] = gravity + (last ? 0 : tension[i + 1] * y[i + 1]) - tension[i] * y[i];
    }
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

/// The same in Cartesian coordinates.
inline std::size_t swing_cartesian(double tolerance, std::vector<double>& positions) {
  namespace odeint = boost::numeric::odeint;
  Cartesian form(positions.size() / 2);
  auto state = form.start();
  const auto steps = odeint::integrate_adaptive(
      odeint::make_controlled<odeint::runge_kutta_fehlberg78<Cartesian::State>>(tolerance, tolerance), std::ref(form),
      state, 0.0, duration, 0.01);
  for (std::size_t i = 0; i < form.k; ++i) {
    positions[2 * i] = state[i];
    positions[2 * i + 1] = -state[form.k + i];
  }
  return steps;
}

}  // namespace zwang::yardstick
