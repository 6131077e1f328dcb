/// Another route to a motion: an integrator of its own, and what a run is held against.
///
/// y' = F(t, y) by extrapolated modified midpoint steps (Gragg, Bulirsch, Stoer; eight columns, order 16) in extended precision, the
/// length of a step from the difference of the last two columns. A function that is not zero only on a thin stretch must not be
/// stepped over: the caller gives the longest step that sees it at (t, y). Nothing here is shared with the library.
#pragma once

#include <functional>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "hard/hard.hpp"

namespace zwang::hard {

using Vector = std::vector<Real>;
using Flow = std::function<void(Real t, const Vector& y, Vector& rate)>;
using Longest = std::function<Real(Real t, const Vector& y)>;

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr Real kept = 1e-11L;     ///< what a condition may be broken by, as a length beside 1
constexpr int sample_count = 40;  ///< of a motion that is watched all along

constexpr Real integration_error = 1e-17L;  ///< per step, relative to the size of y

/// From (t, y) to `until`.
void integrate(const Flow& flow, Real& t, Vector& y, Real until, const Longest& longest = {});

/// The same, but ends where `g` becomes positive, found by bisection on the length of the last step. True if it did.
bool integrate_to(const Flow& flow, Real& t, Vector& y, Real until, const Longest& longest,
                  const std::function<Real(Real, const Vector&)>& g);

/// Numbers of one seed.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : draw_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567) {}
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(draw_() >> 11) * 0x1p-53; }
  /// Evenly in the logarithm.
  double spread(double low, double high);
  int below(int n) { return static_cast<int>(draw_() % static_cast<std::uint64_t>(n)); }
  int among(int low, int high) { return low + below(high - low + 1); }
  bool coin() { return below(2) == 0; }
  double sign() { return coin() ? 1 : -1; }
  /// Few binary digits, so that sums are exact.
  double grid(int low, int high, double unit = 0x1p-6) { return among(low, high) * unit; }

 private:
  std::mt19937_64 draw_;
};

/// All digits.
[[nodiscard]] std::string number(double value);
/// "[1, 2]".
[[nodiscard]] std::string list(const std::vector<double>& values);
/// count + 1 times from start to end.
[[nodiscard]] std::vector<double> even_times(double start, double end, int count);

/// Positions and velocities of the library's variables at the sample times, each with the error allowed.
struct Truth {
  struct Row {
    Vector q;
    Vector v;
    Real allowed_q = 0;
    Real allowed_v = 0;
  };
  std::vector<Row> rows;
};

constexpr Real nudge = 1e-9L;            ///< of the start, relative: how much does the motion magnify it?
constexpr Real share_of_nudge = 0.2L;    ///< errors of the library as a part of that: two hundred tolerances of 1e-12
constexpr Real floor_of_error = 1e-10L;  ///< relative to the largest position and velocity: a hundred tolerances
constexpr Real too_wild = 1e-4L;         ///< where the nudge has grown to this (relative) nothing more is compared

/// The truth from a function of the time and a nudged start (0 or `nudge`): q and v at each time.
using Answer =
    std::function<void(bool nudged, const std::vector<double>& at, std::vector<Vector>& q, std::vector<Vector>& v)>;
[[nodiscard]] Truth truth_of(const std::vector<double>& at, const Answer& answer);

/// Held against a track: the first sample that is off.
[[nodiscard]] std::string differs(const Truth& truth, const Track& track);

/// Truth by integration of y = (q, v) with second-order law a(t, q, v), nudged once more for the allowance.
using Law = std::function<void(Real t, const Real* q, const Real* v, Real* a)>;
[[nodiscard]] Truth integrated(const std::vector<double>& at, const std::vector<double>& q0,
                               const std::vector<double>& v0, const Law& law, const Longest& longest = {});

/// A case of one text with its truth.
[[nodiscard]] Case against(std::string text, std::vector<double> at, Truth truth);

}  // namespace zwang::hard
