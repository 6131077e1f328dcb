/// Running error along a tape: one switch per instruction, a loop over lanes inside.
#include "zwang/expressions/running_error.hpp"

#include <cmath>

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
Bounds by_derivatives(const Bounded& a, double first, double second) {
  return {first * a.e_zero + 0.5 * second * a.e_zero * a.e_zero,
          first * a.e_one + second * a.e_zero * (a.one + a.e_one)};
}

Bounds of_product(const Bounded& a, const Bounded& b) {
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

}  // namespace

void running_error(const Tape& tape, const double* registers, unsigned orders, unsigned width, double unit,
                   double* error) {
  const std::size_t stride = std::size_t{orders} * width;
  const bool two = orders > 1;
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  for (std::size_t number = 0; number < tape.instructions.size(); ++number) {
    const Instruction& i = tape.instructions[number];
    const double* value = registers + (before + number) * stride;
    double* to = error + (before + number) * stride;
    for (unsigned lane = 0; lane < width; ++lane) {
      const auto argument = [&](std::uint32_t at) {
        const double* u = registers + at * stride + lane;
        const double* e = error + at * stride + lane;
        return Bounded{std::abs(u[0]), two ? std::abs(u[width]) : 0.0, e[0], two ? e[width] : 0.0};
      };
      const Bounded a = argument(i.a);
      const double y = std::abs(value[lane]);
      const double y_one = two ? std::abs(value[width + lane]) : 0.0;
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
      to[lane] = bounds.zero + unit * y;
      if (two) to[width + lane] = bounds.one + unit * y_one;
    }
  }
}

}  // namespace zwang::expressions
