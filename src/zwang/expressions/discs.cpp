/// Radii of discs, instruction by instruction; each line is a majorant of its function about the centre.
#include "zwang/expressions/discs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/lane_bounds.hpp"
#include "zwang/expressions/lane_sums.hpp"
#include "zwang/expressions/numbers.hpp"

namespace zwang::expressions {

namespace {

constexpr double quarter_turn = 1.5707963267948966;
constexpr double same_part = 64 * eps;  ///< of the larger term: below it two series agree, as events do (section 11)

// y(c + w) - y(c) for |w| <= r, c real: the largest modulus. Infinity where the disc leaves the domain in which y is analytic.

double of_product(double a, double ra, double b, double rb) {
  // What does not move multiplies nothing: 0 times infinity is 0 here only if the argument is constant.
  const double first = rb == 0 ? 0 : std::abs(a) * rb;
  const double second = ra == 0 ? 0 : std::abs(b) * ra;
  const double third = ra == 0 || rb == 0 ? 0 : ra * rb;
  return first + second + third;
}

double of_quotient(double a, double ra, double b, double rb) {
  const double size = std::abs(b);
  if (!(rb < size)) return unbounded;
  return (ra * size + std::abs(a) * rb) / (size * (size - rb));
}

double of_root(double c, double r) {
  // sqrt(1 + x) - 1 has the majorant 1 - sqrt(1 - x).
  if (r == 0) return 0;
  return r < c ? r / (std::sqrt(c) + std::sqrt(c - r)) : unbounded;
}

double of_power(double c, double r, double exponent) {
  // |binomial(p, k)| <= |binomial(-|p|, k)|.
  if (r == 0) return 0;
  if (!(r < c)) return unbounded;
  return elementary::pow(c, exponent) * elementary::expm1(-std::abs(exponent) * elementary::log1p(-r / c));
}

double of_exp(double c, double value, double r) {
  // The value itself may be too small for a number where the disc is not.
  if (r == 0) return 0;
  const double found = value * elementary::expm1(r);
  return value > 0 && found < unbounded ? found : elementary::exp(c + r);
}

/// a cosh(r) - a + b sinh(r): sine and cosine, hyperbolic or not, by their values a and those of their derivatives b.
struct Wave {
  double half = 0, whole = 0;  ///< sinh of r / 2 and of r
  Wave() = default;
  explicit Wave(double r) : half(r == 0 ? 0 : elementary::sinh(0.5 * r)), whole(r == 0 ? 0 : elementary::sinh(r)) {}
  [[nodiscard]] double of(double a, double b, double r) const {
    return r == 0 ? 0 : std::abs(a) * 2 * half * half + std::abs(b) * whole;
  }
};

double of_tan(double value, double r) {
  if (r == 0) return 0;
  if (!(r < quarter_turn)) return unbounded;
  const double t = elementary::tan(r);
  const double left = 1 - std::abs(value) * t;
  return left > 0 ? (1 + value * value) * t / left : unbounded;
}

double of_tanh(double c, double value, double r) {
  if (r == 0) return 0;
  double best = unbounded;
  const double size = std::abs(c);
  if (r < quarter_turn) {
    const double t = elementary::tan(r);
    const double left = 1 - std::abs(value) * t;
    const double decay = 1 / elementary::cosh(std::min(size, 700.0));
    if (left > 0) best = decay * decay * t / left;
  }
  // Far out: tanh z = 1 - 2 / (e^{2z} + 1), and both values are that near to 1.
  const double low = elementary::exp(-2 * (size - r));
  if (size > r && low < 1) best = std::min(best, 2 * low / (1 - low) + 2 * elementary::exp(-2 * size));
  return best;
}

double of_arc(double c, double r) {
  // asin and acos: the derivative 1 / sqrt(1 - z^2) is largest where |z| is.
  if (r == 0) return 0;
  const double far = std::abs(c) + r;
  return far < 1 ? r / std::sqrt((1 - far) * (1 + far)) : unbounded;
}

double of_atan(double c, double r) {
  // atan(c + w) - atan(c) = atan(w / (1 + c^2 + c w)), and atan has the majorant artanh.
  if (r == 0) return 0;
  const double below = 1 + c * c - std::abs(c) * r;
  if (!(below > 0)) return unbounded;
  const double x = r / below;
  return x < 1 ? elementary::atanh(x) : unbounded;
}

double of_log(double c, double r) {
  if (r == 0) return 0;
  return r < c ? -elementary::log1p(-r / c) : unbounded;
}

double of_atan2(double y, double ry, double x, double rx) {
  // (log(x + iy) - log(x - iy)) / 2i.
  if (rx == 0 && ry == 0) return 0;
  const double size = elementary::hypot(x, y);
  const double r = rx + ry;
  return r < size ? -elementary::log1p(-r / size) : unbounded;
}

/// sum_{k>=1} |y_k| r^k of what the registers hold.
double own_terms(const double* y, unsigned width, const Circle& circle) {
  double sum = 0;
  for (unsigned k = circle.known; k-- > 1;) sum = (sum + std::abs(y[std::size_t{k} * width])) * circle.radius;
  return sum;
}

/// The own series of a quotient y = a / b through a zero of b, where y b = a to rounding.
double own_quotient(const double* y, unsigned width, const Circle& circle, double a, double ra, double b, double rb) {
  if (circle.known < 8) return unbounded;
  const double own = own_terms(y, width, circle);
  const double beyond = elementary::pow(circle.part, circle.known) / (1 - circle.part);
  const double miss = ((std::abs(y[0]) + own) * (std::abs(b) + rb) + std::abs(a) + ra) * beyond;
  return miss <= same_part * std::abs(a) ? own : unbounded;
}

}  // namespace

std::vector<unsigned> degrees(const Tape& tape, std::size_t first_constant) {
  std::vector<unsigned> degree(tape.registers(), 0);
  for (std::size_t i = 0; i < std::min(first_constant, tape.inputs.size()); ++i) degree[i] = 1;
  std::size_t at = tape.inputs.size() + tape.constants.size();
  for (const Instruction& i : tape.instructions) {
    const unsigned a = degree[i.a];
    const unsigned b = degree[i.b];
    unsigned d = no_polynomial;
    switch (i.op) {
      case Op::add:
      case Op::subtract: d = std::max(a, b); break;
      case Op::multiply: d = a + b; break;
      case Op::negate:
      case Op::scale: d = a; break;
      case Op::square: d = 2 * a; break;
      case Op::divide:
        if (b == 0) d = a;
        break;
      case Op::atan2:
        if (a == 0 && b == 0) d = 0;
        break;
      case Op::select: d = degree[at - 1] + std::max(a, b); break;
      default:
        // Functions of one argument: constant if that is.
        if (a == 0) d = 0;
    }
    degree[at++] = std::min(d, no_polynomial);
  }
  return degree;
}

namespace {

/// Lanes of one block, on one circle.
struct DiscsOfBlock {
  static constexpr bool side_by_side = false;
  std::size_t stride;
  unsigned width;
  const Circle& one;
  [[nodiscard]] unsigned lanes() const { return width; }
  [[nodiscard]] unsigned apart() const { return width; }
  [[nodiscard]] const Circle& circle(unsigned /*lane*/) const { return one; }
  [[nodiscard]] double factor(const Instruction& i, unsigned /*lane*/) const { return i.c; }
  [[nodiscard]] static const double* all_factors() { return nullptr; }
  [[nodiscard]] static const double* all_own() { return nullptr; }
  const double* own_terms(std::size_t /*reg*/, const double* y, double* to) const {
    for (unsigned l = 0; l < width; ++l) to[l] = expressions::own_terms(y + l, width, one);
    return to;
  }
};

/// Some lanes of tapes side by side, each on a circle of its own.
template <unsigned W>
struct DiscsOfMany {
  static constexpr bool side_by_side = true;
  std::size_t stride;
  const Tape& tape;
  const double* factors;
  std::span<const Circle> circles;
  const double* known_terms;  ///< of the computed registers; null on the largest circle
  [[nodiscard]] static constexpr unsigned lanes() { return W; }
  [[nodiscard]] static constexpr unsigned apart() { return many; }
  [[nodiscard]] const Circle& circle(unsigned lane) const { return circles[lane]; }
  [[nodiscard]] double factor(const Instruction& i, unsigned lane) const {
    return factors[static_cast<std::size_t>(&i - tape.instructions.data()) * many + lane];
  }
  [[nodiscard]] const double* all_factors() const { return factors; }
  [[nodiscard]] const double* all_own() const { return known_terms; }
  const double* own_terms(std::size_t reg, const double* /*y*/, double* /*to*/) const {
    return known_terms + (reg - tape.inputs.size() - tape.constants.size()) * W;
  }
};

template <class Way>
void spread_all(const Tape& tape, const double* registers, const Way& way, double beyond_known, double* radius,
                const double* outer) {
  const std::size_t stride = way.stride;
  const unsigned width = way.lanes();
  const unsigned apart = way.apart();
  [[maybe_unused]] const DiscsOfLanes plain_ones{width,         tape,         registers, stride, way.all_factors(),
                                                 way.all_own(), beyond_known, radius,    outer};
  double room[most_lanes_at_once];
  Wave wave[most_lanes_at_once];  ///< of the last sine
  std::size_t at = tape.inputs.size();
  std::fill(radius + at * width, radius + (at + tape.constants.size()) * width, 0.0);
  at += tape.constants.size();
  for (std::size_t number = 0; number < tape.instructions.size(); ++number) {
    if constexpr (Way::side_by_side) {
      const std::size_t next = spread_plain_ones(plain_ones, number);
      at += next - number;
      number = next;
      if (number == tape.instructions.size()) break;
    }
    const Instruction& i = tape.instructions[number];
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    const double* y = registers + at * stride;
    const double* ra = radius + std::size_t{i.a} * width;
    const double* rb = radius + std::size_t{i.b} * width;
    double* r = radius + at * width;
    const auto each = [&](auto f) {
      for (unsigned l = 0; l < width; ++l) {
        const double found = f(l);
        r[l] = found >= 0 ? found : unbounded;
      }
      if (outer == nullptr) return;
      const double* rest = outer + at * width;
      const auto counts = [&](unsigned l) { return r[l] != 0 && rest[l] < unbounded; };
      bool any = false;
      for (unsigned l = 0; l < width; ++l) any = any || counts(l);
      if (!any) return;
      const double* own = way.own_terms(at, y, room);
      for (unsigned l = 0; l < width; ++l) {
        if (counts(l)) r[l] = std::min(r[l], own[l] + rest[l] * beyond_known);
      }
    };
    switch (i.op) {
      case Op::add:
      case Op::subtract: each([&](unsigned l) { return ra[l] + rb[l]; }); break;
      case Op::multiply: each([&](unsigned l) { return of_product(a[l], ra[l], b[l], rb[l]); }); break;
      case Op::negate: each([&](unsigned l) { return ra[l]; }); break;
      case Op::scale: each([&](unsigned l) { return std::abs(way.factor(i, l)) * ra[l]; }); break;
      case Op::square: each([&](unsigned l) { return (2 * std::abs(a[l]) + ra[l]) * ra[l]; }); break;
      case Op::divide:
        each([&](unsigned l) {
          const double found = of_quotient(a[l], ra[l], b[l], rb[l]);
          return found < unbounded ? found : own_quotient(y + l, apart, way.circle(l), a[l], ra[l], b[l], rb[l]);
        });
        break;
      case Op::reciprocal:
        each([&](unsigned l) {
          const double found = of_quotient(1, 0, a[l], ra[l]);
          return found < unbounded ? found : own_quotient(y + l, apart, way.circle(l), 1, 0, a[l], ra[l]);
        });
        break;
      case Op::sqrt:
        each([&](unsigned l) {
          const double found = of_root(a[l], ra[l]);
          if (found < unbounded || way.circle(l).known < 8) return found;
          // The own series of the root, where its square is the argument to rounding.
          const Circle& its = way.circle(l);
          const double terms = own_terms(y + l, apart, its);
          const double size = std::abs(y[l]) + terms;
          const double beyond = elementary::pow(its.part, its.known) / (1 - its.part);
          return (size * size + ra[l]) * beyond <= same_part * a[l] ? terms : unbounded;
        });
        break;
      case Op::power: each([&](unsigned l) { return of_power(a[l], ra[l], i.c); }); break;
      case Op::exp: each([&](unsigned l) { return of_exp(a[l], y[l], ra[l]); }); break;
      case Op::log: each([&](unsigned l) { return of_log(a[l], ra[l]); }); break;
      case Op::sin:
      case Op::sinh:
        each([&](unsigned l) {
          wave[l] = Wave(ra[l]);
          return wave[l].of(y[l], y[stride + l], ra[l]);
        });
        break;
      case Op::cos:
      case Op::cosh: {
        // Written along with sin and sinh, which stand before it.
        const double* argument = radius + std::size_t{(&i)[-1].a} * width;
        const double* sine = y - stride;
        each([&](unsigned l) { return wave[l].of(y[l], sine[l], argument[l]); });
        break;
      }
      case Op::tan: each([&](unsigned l) { return of_tan(y[l], ra[l]); }); break;
      case Op::tanh: each([&](unsigned l) { return of_tanh(a[l], y[l], ra[l]); }); break;
      case Op::asin:
      case Op::acos: each([&](unsigned l) { return of_arc(a[l], ra[l]); }); break;
      case Op::atan: each([&](unsigned l) { return of_atan(a[l], ra[l]); }); break;
      case Op::atan2: each([&](unsigned l) { return of_atan2(a[l], ra[l], b[l], rb[l]); }); break;
      case Op::select: {
        const double* truth = y - stride;
        const double* rt = r - width;
        each([&](unsigned l) {
          if (rt[l] == 0 && truth[l] == 1) return ra[l];
          if (rt[l] == 0 && truth[l] == 0) return rb[l];
          return of_product(truth[l], rt[l], a[l] - b[l], ra[l] + rb[l]) + rb[l];
        });
        break;
      }
    }
    ++at;
  }
}

/// What an inner circle has of what lies beyond the coefficients known on the outer one.
double beyond_inside(double inside, unsigned known) {
  // Mostly it is asked for the same.
  struct Last {
    double inside = 0;
    unsigned known = 0;
    double found = 0;
  };
  thread_local Last last;
  if (last.inside != inside || last.known != known)
    last = {inside, known, elementary::pow(inside, known) / (1 - inside)};
  return last.found;
}

}  // namespace

void spread(const Tape& tape, const double* registers, unsigned orders, unsigned width, const Circle& circle,
            double* radius, const double* outer, double inside) {
  spread_all(tape, registers, DiscsOfBlock{std::size_t{orders} * width, width, circle},
             outer == nullptr ? 0 : beyond_inside(inside, circle.known), radius, outer);
}

void spread_some_of_many(const Tape& tape, const double* factors, const double* registers, unsigned orders,
                         std::span<const Circle> circles, const double* own, double* radius, const double* outer,
                         double inside) {
  const double beyond_known = outer == nullptr ? 0 : beyond_inside(inside, circles[0].known);
  const auto go = [&](auto lanes) {
    const DiscsOfMany<lanes> way{std::size_t{orders} * many, tape, factors, circles, own};
    spread_all(tape, registers, way, beyond_known, radius, outer);
  };
  if (circles.size() == most_lanes_at_once) {
    go(std::integral_constant<unsigned, most_lanes_at_once>{});
  } else {
    go(std::integral_constant<unsigned, 4>{});
  }
}

namespace {

/// `factor(i, lane)`: of a scaling.
template <class Factor>
void magnitudes_of(const Tape& tape, const double* registers, std::size_t stride, unsigned width, const Factor& factor,
                   double* size) {
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  for (std::size_t at = 0; at < before; ++at) {
    for (unsigned l = 0; l < width; ++l) size[at * width + l] = std::abs(registers[at * stride + l]);
  }
  std::size_t at = before;
  for (const Instruction& i : tape.instructions) {
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    const double* y = registers + at * stride;
    const double* sa = size + std::size_t{i.a} * width;
    const double* sb = size + std::size_t{i.b} * width;
    double* s = size + at * width;
    for (unsigned l = 0; l < width; ++l) {
      switch (i.op) {
        case Op::add:
        case Op::subtract: s[l] = sa[l] + sb[l]; break;
        case Op::negate: s[l] = sa[l]; break;
        case Op::scale: s[l] = std::abs(factor(i, l)) * sa[l]; break;
        case Op::multiply: s[l] = std::max(std::abs(a[l]) * sb[l], std::abs(b[l]) * sa[l]); break;
        case Op::square: s[l] = std::abs(a[l]) * sa[l]; break;
        case Op::divide: s[l] = std::max(sa[l], std::abs(y[l]) * sb[l]) / std::abs(b[l]); break;
        default: s[l] = std::abs(y[l]);
      }
    }
    ++at;
  }
}

}  // namespace

void magnitudes(const Tape& tape, const double* registers, unsigned orders, unsigned width, double* size) {
  magnitudes_of(
      tape, registers, std::size_t{orders} * width, width, [](const Instruction& i, unsigned /*lane*/) { return i.c; },
      size);
}

void magnitudes_of_some(const Tape& tape, const double* factors, const double* registers, unsigned orders,
                        unsigned lanes, double* size) {
  const auto factor = [&](const Instruction& i, unsigned lane) {
    return factors[static_cast<std::size_t>(&i - tape.instructions.data()) * many + lane];
  };
  magnitudes_of(tape, registers, std::size_t{orders} * many, lanes, factor, size);
}

}  // namespace zwang::expressions
