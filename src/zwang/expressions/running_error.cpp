/// Running error along a tape: what occurs most in all lanes at once, anything else lane by lane.
#include "zwang/expressions/running_error.hpp"

#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"

namespace zwang::expressions {

namespace {

/// One lane of one register: two coefficients and their bounds.
struct Bounded {
  double zero, one;  ///< coefficients, absolute values
  double e_zero, e_one;
};

/// Bounds of phi(a) from |phi'| and |phi''|.
struct Bounds {
  double zero, one;
};
[[gnu::always_inline]] inline Bounds by_derivatives(const Bounded& a, double first, double second) {
  return {first * a.e_zero + 0.5 * second * a.e_zero * a.e_zero,
          first * a.e_one + second * a.e_zero * (a.one + a.e_one)};
}

[[gnu::always_inline]] inline Bounds of_product(const Bounded& a, const Bounded& b) {
  return {a.zero * b.e_zero + b.zero * a.e_zero + a.e_zero * b.e_zero, a.zero * b.e_one + b.one * a.e_zero +
                                                                           a.e_zero * b.e_one + b.zero * a.e_one +
                                                                           a.one * b.e_zero + b.e_zero * a.e_one};
}

/// y = a / b, y_1 = (a_1 - y_0 b_1) / b_0.
Bounds of_quotient(const Bounded& a, const Bounded& b, double y, double y_one) {
  const double zero = (a.e_zero + y * b.e_zero) / b.zero;
  return {zero, (a.e_one + y * b.e_one + b.one * zero + y_one * b.e_zero) / b.zero};
}

Bounds of_sqrt(const Bounded& a, double y) {
  // Where the argument is not known to be positive the root of its bound is the bound.
  if (!(a.zero > 2 * a.e_zero)) return {std::sqrt(a.zero + a.e_zero), a.e_one + a.one};
  return by_derivatives(a, 0.5 / y, 0.25 / (y * a.zero));
}

/// acos(1 - e) <= 2.3 sqrt(e): pi / sqrt(2) at e = 2, and less before.
constexpr double arc_at_end = 2.3;

/// A tape that was run, the bounds so far, and how they are laid out.
struct Bounding {
  const Tape& tape;
  const double* registers;
  double* error;
  unsigned orders, width;
  double unit;

  [[nodiscard]] std::size_t stride() const { return std::size_t{orders} * width; }
  [[nodiscard]] std::size_t before() const { return tape.inputs.size() + tape.constants.size(); }
  [[nodiscard]] Bounded argument(std::size_t at, unsigned lane) const {
    const double* u = registers + at * stride() + lane;
    const double* e = error + at * stride() + lane;
    const bool two = orders > 1;
    return {std::abs(u[0]), two ? std::abs(u[width]) : 0.0, e[0], two ? e[width] : 0.0};
  }
};

/// Any operation, in one lane.
void bound_lane(const Bounding& of, std::size_t number, unsigned lane) {
  const Instruction& i = of.tape.instructions[number];
  const std::size_t stride = of.stride();
  const std::size_t before = of.before();
  const double* registers = of.registers;
  const double* value = registers + (before + number) * stride;
  double* to = of.error + (before + number) * stride;
  const bool two = of.orders > 1;
  const auto argument = [&](std::size_t at) { return of.argument(at, lane); };
  const Bounded a = argument(i.a);
  const double y = std::abs(value[lane]);
  const double y_one = two ? std::abs(value[of.width + lane]) : 0.0;
  Bounds bounds{};
  switch (i.op) {
    case Op::add:
    case Op::subtract: {
      const Bounded b = argument(i.b);
      bounds = {a.e_zero + b.e_zero, a.e_one + b.e_one};
      break;
    }
    case Op::negate: bounds = {a.e_zero, a.e_one}; break;
    case Op::scale: bounds = {std::abs(i.c) * a.e_zero, std::abs(i.c) * a.e_one}; break;
    case Op::multiply: bounds = of_product(a, argument(i.b)); break;
    case Op::square: bounds = by_derivatives(a, 2 * a.zero, 2); break;
    case Op::divide: bounds = of_quotient(a, argument(i.b), y, y_one); break;
    case Op::reciprocal: bounds = of_quotient({1, 0, 0, 0}, a, y, y_one); break;
    case Op::sqrt: bounds = of_sqrt(a, y); break;
    case Op::power:
      bounds = by_derivatives(a, std::abs(i.c) * elementary::pow(a.zero, i.c - 1),
                              std::abs(i.c * (i.c - 1)) * elementary::pow(a.zero, i.c - 2));
      break;
    case Op::exp: bounds = by_derivatives(a, y, y); break;
    case Op::log: bounds = by_derivatives(a, 1 / a.zero, 1 / (a.zero * a.zero)); break;
    case Op::sin: bounds = by_derivatives(a, std::abs(value[stride + lane]), y); break;
    case Op::cos: bounds = by_derivatives(a, std::abs(registers[(before + number - 1) * stride + lane]), y); break;
    case Op::sinh: bounds = by_derivatives(a, std::abs(value[stride + lane]), y); break;
    case Op::cosh: bounds = by_derivatives(a, std::abs(registers[(before + number - 1) * stride + lane]), y); break;
    case Op::tan: bounds = by_derivatives(a, 1 + y * y, 2 * y * (1 + y * y)); break;
    case Op::tanh: bounds = by_derivatives(a, std::abs(1 - y * y), 2 * y * std::abs(1 - y * y)); break;
    case Op::asin:
    case Op::acos: {
      const double inside = 1 - a.zero * a.zero;
      if (!(inside > 4 * a.e_zero)) {
        // At the ends of the range the slope has no bound; from there the angle changes by acos(1 - e) at most, which is below 2.3 sqrt(e).
        bounds = {a.e_zero > 0 ? arc_at_end * std::sqrt(a.e_zero) : 0.0,
                  a.one + a.e_one > 0 ? std::numeric_limits<double>::infinity() : 0.0};
        break;
      }
      bounds = by_derivatives(a, 1 / std::sqrt(inside), a.zero / (inside * std::sqrt(inside)));
      break;
    }
    case Op::atan: {
      const double below = 1 + a.zero * a.zero;
      bounds = by_derivatives(a, 1 / below, 2 * a.zero / (below * below));
      break;
    }
    case Op::atan2: {
      const Bounded b = argument(i.b);
      const double below = a.zero * a.zero + b.zero * b.zero;
      const double moved = a.e_zero + b.e_zero;
      bounds = {(b.zero * a.e_zero + a.zero * b.e_zero + moved * moved) / below,
                (b.zero * a.e_one + a.zero * b.e_one + 2 * moved * (a.one + b.one + a.e_one + b.e_one)) / below};
      break;
    }
    case Op::select: {
      // One side where the truth in the register before is 0 or 1, else both.
      const double truth = registers[(before + number - 1) * stride + lane];
      const Bounded b = argument(i.b);
      if (truth == 1) {
        bounds = {a.e_zero, a.e_one};
      } else if (truth == 0) {
        bounds = {b.e_zero, b.e_one};
      } else {
        bounds = {a.e_zero + b.e_zero, a.e_one + b.e_one};
      }
      break;
    }
  }
  to[lane] = bounds.zero + of.unit * y;
  if (two) to[of.width + lane] = bounds.one + of.unit * y_one;
}

/// W lanes of a register with one or two coefficients: absolute values and their bounds. Copies, which no store reaches.
template <unsigned W, unsigned Orders>
struct BoundedLanes {
  double zero[W], one[W] = {}, e_zero[W], e_one[W] = {};
  [[gnu::always_inline]] BoundedLanes(const double* u, const double* e) {
    for (unsigned l = 0; l < W; ++l) zero[l] = std::abs(u[l]);
    for (unsigned l = 0; l < W; ++l) e_zero[l] = e[l];
    if constexpr (Orders == 2) {
      for (unsigned l = 0; l < W; ++l) one[l] = std::abs(u[W + l]);
      for (unsigned l = 0; l < W; ++l) e_one[l] = e[W + l];
    }
  }
  [[gnu::always_inline]] Bounded operator[](unsigned l) const { return {zero[l], one[l], e_zero[l], e_one[l]}; }
};

/// All of a tape with one or two coefficients in W lanes: what occurs most in all lanes at once, the same as one by one.
template <unsigned W, unsigned Orders>
[[gnu::always_inline]] inline void bound_lanes(const Bounding& of) {
  constexpr std::size_t stride = std::size_t{Orders} * W;
  const std::size_t before = of.before();
  for (std::size_t number = 0; number < of.tape.instructions.size(); ++number) {
    const Instruction& i = of.tape.instructions[number];
    const double* value = of.registers + (before + number) * stride;
    double* to = of.error + (before + number) * stride;
    const auto all = [&](auto&& bound) {
      double zero[W];
      [[maybe_unused]] double one[W];
      for (unsigned l = 0; l < W; ++l) {
        const Bounds bounds = bound(l);
        zero[l] = bounds.zero + of.unit * std::abs(value[l]);
        if constexpr (Orders == 2) one[l] = bounds.one + of.unit * std::abs(value[W + l]);
      }
      for (unsigned l = 0; l < W; ++l) to[l] = zero[l];
      if constexpr (Orders == 2) {
        for (unsigned l = 0; l < W; ++l) to[W + l] = one[l];
      }
    };
    const auto argument = [&](std::size_t at) {
      return BoundedLanes<W, Orders>(of.registers + at * stride, of.error + at * stride);
    };
    switch (i.op) {
      case Op::add:
      case Op::subtract: {
        const BoundedLanes<W, Orders> a = argument(i.a);
        const BoundedLanes<W, Orders> b = argument(i.b);
        all([&](unsigned l) { return Bounds{a.e_zero[l] + b.e_zero[l], a.e_one[l] + b.e_one[l]}; });
        break;
      }
      case Op::negate: {
        const BoundedLanes<W, Orders> a = argument(i.a);
        all([&](unsigned l) { return Bounds{a.e_zero[l], a.e_one[l]}; });
        break;
      }
      case Op::scale: {
        const BoundedLanes<W, Orders> a = argument(i.a);
        const double c = std::abs(i.c);
        all([&](unsigned l) { return Bounds{c * a.e_zero[l], c * a.e_one[l]}; });
        break;
      }
      case Op::multiply: {
        const BoundedLanes<W, Orders> a = argument(i.a);
        const BoundedLanes<W, Orders> b = argument(i.b);
        all([&](unsigned l) { return of_product(a[l], b[l]); });
        break;
      }
      case Op::square: {
        const BoundedLanes<W, Orders> a = argument(i.a);
        all([&](unsigned l) { return by_derivatives(a[l], 2 * a.zero[l], 2); });
        break;
      }
      default:
        for (unsigned lane = 0; lane < W; ++lane) bound_lane(of, number, lane);
        break;
    }
  }
}

void bound_wide_plain(const Bounding& of) { bound_lanes<wide, 2>(of); }
void bound_values_plain(const Bounding& of) { bound_lanes<wide, 1>(of); }
void bound_one(const Bounding& of) { bound_lanes<1, 2>(of); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void bound_wide(const Bounding& of) { bound_lanes<wide, 2>(of); }
[[gnu::target("avx2")]] void bound_values(const Bounding& of) { bound_lanes<wide, 1>(of); }
const bool bounds_wide = __builtin_cpu_supports("avx2") != 0;
#else
constexpr auto bound_wide = bound_wide_plain;
constexpr auto bound_values = bound_values_plain;
constexpr bool bounds_wide = false;
#endif

}  // namespace

void running_error(const Tape& tape, const double* registers, unsigned orders, unsigned width, double unit,
                   double* error) {
  const Bounding of{tape, registers, error, orders, width, unit};
  if (orders == 2 && width == wide) {
    (bounds_wide ? bound_wide : bound_wide_plain)(of);
    return;
  }
  if (orders == 1 && width == wide) {
    (bounds_wide ? bound_values : bound_values_plain)(of);
    return;
  }
  if (orders == 2 && width == 1) {
    bound_one(of);
    return;
  }
  for (std::size_t number = 0; number < tape.instructions.size(); ++number) {
    for (unsigned lane = 0; lane < width; ++lane) bound_lane(of, number, lane);
  }
}

}  // namespace zwang::expressions
