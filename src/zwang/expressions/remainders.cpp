/// Bounds of what series leave out, instruction by instruction.
#include "zwang/expressions/remainders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "zwang/elementary/elementary.hpp"

namespace zwang::expressions {

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double eps = std::numeric_limits<double>::epsilon();
/// Below this numbers have lost, or are about to lose, their digits.
constexpr double faint = 1e-300;
constexpr double seen = 690;  ///< exp(-690) is about that
/// Places at which a divisor is looked at; between them its rate bounds it.
constexpr unsigned places = 8;

/// The least |Y| on [0, h], not below zero. 0 where it may vanish or change its sign.
double least_size(const double* y, unsigned width, unsigned known, double h, double inner) {
  const double first = std::abs(y[0]);
  if (first > 1.25 * inner) return first - inner;
  // Values at some places, and between them no more than the rate allows.
  double rate = 0;
  for (unsigned k = known; k-- > 1;) rate = rate * h + static_cast<double>(k) * std::abs(y[std::size_t{k} * width]);
  // Halved until the rate is small enough or nothing is left.
  unsigned parts = places;
  for (int round = 0; round < 4; ++round, parts *= 4) {
    const double width_of_part = h / parts;
    double least = unbounded;
    const double sign = y[0] < 0 ? -1 : 1;
    for (unsigned i = 0; i < parts; ++i) {
      const double s = (i + 0.5) * width_of_part;
      double value = 0;
      for (unsigned k = known; k-- > 0;) value = value * s + y[std::size_t{k} * width];
      least = std::min(least, sign * value);
    }
    if (!(least > 0)) return 0;
    const double low = least - 0.5 * width_of_part * rate;
    if (low > 0.25 * least) return low;
    if (round == 3) return std::max(low, 0.0);
  }
  return 0;
}

}  // namespace

std::vector<std::uint8_t> sized_registers(const Tape& tape) {
  std::vector<std::uint8_t> sized(tape.registers(), 0);
  std::size_t at = tape.inputs.size() + tape.constants.size();
  for (const Instruction& i : tape.instructions) {
    switch (i.op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
      case Op::scale: break;
      default:
        sized[i.a] = 1;
        sized[i.b] = 1;
        sized[at] = 1;
        if (i.op == Op::sin || i.op == Op::sinh || i.op == Op::tan || i.op == Op::tanh) sized[at + 1] = 1;
        if (i.op == Op::atan2 || i.op == Op::select) sized[at - 1] = 1;
    }
    ++at;
  }
  return sized;
}

Stretch::Stretch(double step, double circle, double share) : length(step), radius(circle), cut(share) {
  of_length[0] = of_radius[0] = 1;
  for (unsigned k = 1; k < most; ++k) {
    of_length[k] = of_length[k - 1] * step;
    of_radius[k] = of_radius[k - 1] * circle;
  }
}

void Sums::make_room(std::size_t size) {
  if (outer.size() >= size) return;
  whole.resize(size);
  outer.resize(size);
  inner.resize(size);
  dropped.resize(size);
  degree.resize(size);
}

namespace {

struct FiveSums {
  double *whole, *outer, *inner, *dropped, *degree;
};

/// Four numbers at once, wherever they lie; the same operations on each as on one.
constexpr std::size_t lanes = 4;
using Four = double __attribute__((vector_size(8 * lanes)));
using Bits = std::int64_t __attribute__((vector_size(8 * lanes)));

/// The sums of four lanes, term by term.
struct FourSums {
  Four whole = {}, outer = {}, inner = {}, dropped = {}, degree = {};
  [[gnu::always_inline]] void add(const Four& c, const Four& of_length, const Four& of_radius, const Four& order,
                                  const Four& least) {
    const auto size = reinterpret_cast<Four>(reinterpret_cast<Bits>(c) & std::numeric_limits<std::int64_t>::max());
    const Four term = size * of_length;
    const Four on_circle = size * of_radius;
    const Bits rounding = term <= least;
    inner += term;
    whole += on_circle;
    outer += reinterpret_cast<Four>(reinterpret_cast<Bits>(on_circle) & ~rounding);
    dropped += reinterpret_cast<Four>(reinterpret_cast<Bits>(term) & rounding);
    degree = reinterpret_cast<Four>((reinterpret_cast<Bits>(degree) & rounding) |
                                    (reinterpret_cast<Bits>(order) & ~rounding));
  }
};

/// Few series: the orders side by side.
[[gnu::always_inline]] inline void sum_along_orders(const double* series, std::size_t count, unsigned known,
                                                    const Stretch& stretch, const FiveSums& to) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* c = series + i;
    double least = std::abs(c[0]);
    if (known > 1) least += std::abs(c[count]) * stretch.of_length[1];
    if (known > 2) least += std::abs(c[2 * count]) * stretch.of_length[2];
    least *= stretch.cut;
    const Four cut = {least, least, least, least};
    FourSums sums;
    Four order = {1, 2, 3, 4};
    Four of_length, of_radius, some;
    unsigned k = 1;
    for (; k + lanes <= known; k += lanes) {
      if (count == 1) {
        std::memcpy(&some, c + k, sizeof some);
      } else {
        const double* at = c + k * count;
        some = Four{at[0], at[count], at[2 * count], at[3 * count]};
      }
      std::memcpy(&of_length, stretch.of_length + k, sizeof of_length);
      std::memcpy(&of_radius, stretch.of_radius + k, sizeof of_radius);
      sums.add(some, of_length, of_radius, order, cut);
      order += static_cast<double>(lanes);
    }
    if (k < known) {
      some = of_length = of_radius = Four{};
      for (unsigned lane = 0; k + lane < known; ++lane) {
        some[lane] = c[(k + lane) * count];
        of_length[lane] = stretch.of_length[k + lane];
        of_radius[lane] = stretch.of_radius[k + lane];
      }
      sums.add(some, of_length, of_radius, order, cut);
    }
    const auto all = [](const Four& x) { return (x[0] + x[2]) + (x[1] + x[3]); };
    to.whole[i] = all(sums.whole);
    to.outer[i] = all(sums.outer);
    to.inner[i] = all(sums.inner);
    to.dropped[i] = all(sums.dropped);
    to.degree[i] = std::max(std::max(sums.degree[0], sums.degree[1]), std::max(sums.degree[2], sums.degree[3]));
  }
}

/// Many series: side by side.
[[gnu::always_inline]] inline void sum_along_series(const double* series, std::size_t count, unsigned known,
                                                    const Stretch& stretch, const FiveSums& to) {
  // The last lanes are reckoned twice where four do not divide the number.
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t at = std::min(begin, count - lanes);
    const auto least = [&](std::size_t i) {
      double sum = std::abs(series[i]);
      if (known > 1) sum += std::abs(series[count + i]) * stretch.of_length[1];
      if (known > 2) sum += std::abs(series[2 * count + i]) * stretch.of_length[2];
      return stretch.cut * sum;
    };
    const Four cut = {least(at), least(at + 1), least(at + 2), least(at + 3)};
    FourSums sums;
    const double* c = series + at;
    for (unsigned k = 1; k < known; ++k) {
      c += count;
      Four some;
      std::memcpy(&some, c, sizeof some);
      const double h = stretch.of_length[k];
      const double r = stretch.of_radius[k];
      const double order = k;
      sums.add(some, Four{h, h, h, h}, Four{r, r, r, r}, Four{order, order, order, order}, cut);
    }
    std::memcpy(to.whole + at, &sums.whole, sizeof(Four));
    std::memcpy(to.outer + at, &sums.outer, sizeof(Four));
    std::memcpy(to.inner + at, &sums.inner, sizeof(Four));
    std::memcpy(to.dropped + at, &sums.dropped, sizeof(Four));
    std::memcpy(to.degree + at, &sums.degree, sizeof(Four));
  }
}

[[gnu::always_inline]] inline void sum_sizes(const double* series, std::size_t count, unsigned known,
                                             const Stretch& stretch, const FiveSums& to) {
  if (count < lanes) {
    sum_along_orders(series, count, known, stretch, to);
  } else {
    sum_along_series(series, count, known, stretch, to);
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void sum_sizes_wide(const double* series, std::size_t count, unsigned known,
                                            const Stretch& stretch, const FiveSums& to) {
  sum_sizes(series, count, known, stretch, to);
}
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
#else
void sum_sizes_wide(const double*, std::size_t, unsigned, const Stretch&, const FiveSums&) {}
constexpr bool has_wide = false;
#endif

}  // namespace

void sum_up_sizes(const double* series, std::size_t count, unsigned known, const Stretch& stretch, std::size_t place,
                  Sums& sums) {
  const FiveSums to{sums.whole.data() + place, sums.outer.data() + place, sums.inner.data() + place,
                    sums.dropped.data() + place, sums.degree.data() + place};
  if (has_wide) {
    sum_sizes_wide(series, count, known, stretch, to);
  } else {
    sum_sizes(series, count, known, stretch, to);
  }
}

void make_room(const Tape& tape, unsigned width, Remainders& room) {
  const std::size_t size = tape.registers() * width;
  if (room.error.size() < size) room.error.resize(size);
  room.sums.make_room(size);
}

void bound_remainders(const Tape& tape, const std::vector<std::uint8_t>& sized, const double* registers,
                      unsigned orders, unsigned width, unsigned known, const Stretch& stretch, Remainders& room) {
  const std::size_t stride = std::size_t{orders} * width;
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  const double h = stretch.length;
  const double beyond = elementary::pow(h / stretch.radius, known);  // x^K
  Sums& sums = room.sums;
  for (std::size_t reg = 0; reg < tape.registers(); ++reg) {
    if (sized[reg] != 0) sum_up_sizes(registers + reg * stride, width, known, stretch, reg * width, sums);
  }

  double* const error = room.error.data();
  std::fill(error + inputs * width, error + before * width, 0.0);
  std::size_t at = before;
  for (const Instruction& i : tape.instructions) {
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    const double* y = registers + at * stride;
    const double* ea = error + std::size_t{i.a} * width;
    const double* eb = error + std::size_t{i.b} * width;
    const std::size_t place_a = std::size_t{i.a} * width;
    const std::size_t place_b = std::size_t{i.b} * width;
    const std::size_t place_y = at * width;
    const double* inner_a = sums.inner.data() + place_a;
    const double* inner_b = sums.inner.data() + place_b;
    const double* inner_y = sums.inner.data() + place_y;
    const auto tail = [&](std::size_t first, std::size_t second) {
      return product_tail(sums, first, second, known, beyond);
    };
    double* e = error + at * width;
    const auto each = [&](auto f) {
      for (unsigned l = 0; l < width; ++l) {
        const double found = f(l);
        e[l] = found >= 0 ? found : unbounded;
      }
    };
    // Largest values on the step.
    const auto size_a = [&](unsigned l) { return std::abs(a[l]) + inner_a[l]; };
    const auto size_b = [&](unsigned l) { return std::abs(b[l]) + inner_b[l]; };
    const auto size_y = [&](unsigned l) { return std::abs(y[l]) + inner_y[l]; };
    switch (i.op) {
      case Op::add:
      case Op::subtract: each([&](unsigned l) { return ea[l] + eb[l]; }); break;
      case Op::negate: each([&](unsigned l) { return ea[l]; }); break;
      case Op::scale: each([&](unsigned l) { return std::abs(i.c) * ea[l]; }); break;
      case Op::multiply:
        each([&](unsigned l) {
          return tail(place_a + l, place_b + l) + size_a(l) * eb[l] + size_b(l) * ea[l] + ea[l] * eb[l];
        });
        break;
      case Op::square:
        each([&](unsigned l) { return tail(place_a + l, place_a + l) + (2 * size_a(l) + ea[l]) * ea[l]; });
        break;
      case Op::divide:
        each([&](unsigned l) {
          // y (B + e_b) = A + e_a, and Y B = A but for what lies beyond.
          const double miss = tail(place_y + l, place_b + l) + ea[l] + (eb[l] == 0 ? 0.0 : size_y(l) * eb[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(b + l, width, known, h, inner_b[l]) - eb[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::reciprocal:
        each([&](unsigned l) {
          const double miss = tail(place_y + l, place_a + l) + (ea[l] == 0 ? 0.0 : size_y(l) * ea[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(a + l, width, known, h, inner_a[l]) - ea[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::sqrt:
        each([&](unsigned l) {
          // (y - Y)(y + Y) = U + e_u - Y^2. Through a zero only |y| - |Y| is bounded: the sign is a matter of its own.
          const double miss = tail(place_y + l, place_y + l) + ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(y + l, width, known, h, inner_y[l]);
          return least > 0 ? std::min(miss / least, std::sqrt(miss)) : std::sqrt(miss);
        });
        break;
      case Op::power:
        each([&](unsigned l) {
          // z = Y u^-p has z' = u^(-p-1) (u Y' - p u' Y).
          const double p = std::abs(i.c);
          const double least = least_size(a + l, width, known, h, inner_a[l]) - ea[l];
          if (!(least > 0) || !(a[l] > 0)) return ea[l] == 0 && inner_a[l] == 0 ? 0.0 : unbounded;
          const double spread = elementary::pow((size_a(l) + ea[l]) / least, p);
          return spread * ((1 + p) * tail(place_a + l, place_y + l) + p * size_y(l) * ea[l]) / least;
        });
        break;
      case Op::exp:
        each([&](unsigned l) {
          if (inner_a[l] == 0 && ea[l] == 0) return 0.0;
          // A value that numbers can hardly hold says nothing of what it grows to.
          const double unseen = y[l] < faint ? elementary::exp(a[l] + inner_a[l]) : 0.0;
          const double miss = tail(place_a + l, place_y + l);
          const double own = (miss > 0 ? elementary::exp(elementary::log(miss) + inner_a[l]) : 0.0) + unseen;
          const double through = size_y(l) + own;
          return own + (through > 0 ? through * elementary::expm1(ea[l]) : 0.0);
        });
        break;
      case Op::log:
        each([&](unsigned l) {
          const double miss = tail(place_y + l, place_a + l) + ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(a + l, width, known, h, inner_a[l]) - ea[l];
          return least > 0 && a[l] > 0 ? miss / least : unbounded;
        });
        break;
      case Op::sin:
      case Op::sinh: {
        // The pair turns (or stretches) with u: errors turn (stretch) along.
        const bool turns = i.op == Op::sin;
        double* other = e + width;
        for (unsigned l = 0; l < width; ++l) {
          const double sine = tail(place_a + l, place_y + l);
          const double cosine = tail(place_a + l, place_y + width + l);
          const double growth = turns ? 1.0 : elementary::exp(inner_a[l] + ea[l]);
          // Rounding of the values at 0 grows along: their difference has less digits than they have.
          const double first =
              turns ? 0.0 : eps * (std::abs(y[l]) + std::abs(y[stride + l])) * elementary::expm1(inner_a[l]);
          const double through =
              turns ? ea[l] : ea[l] * (size_y(l) + std::abs(y[stride + l]) + inner_y[width + l]) * growth;
          const double found = elementary::hypot(sine, cosine) * growth + first + through;
          e[l] = other[l] = found >= 0 ? found : unbounded;
        }
        break;
      }
      case Op::cos:
      case Op::cosh: break;  // written along with sin and sinh
      case Op::tan:
      case Op::tanh: {
        // Y' = (1 +- Q) u', Q = Y^2 in the register behind.
        double* square = e + width;
        for (unsigned l = 0; l < width; ++l) {
          const double of_square = tail(place_y + l, place_y + l);
          const double miss = tail(place_a + l, place_y + width + l) + inner_a[l] * of_square;
          const double steep = i.op == Op::tanh ? 1.0 : size_y(l) * size_y(l) + 1;
          const double growth = elementary::exp(2 * (i.op == Op::tanh ? 1.0 : size_y(l)) * inner_a[l]);
          double found = miss * growth;
          if (i.op == Op::tanh) {
            // Far out the function is 1 but for 2 exp(-2 |u|), whatever its series says; so far that numbers do not hold this
            // difference, the series says nothing at all.
            const double size = std::abs(a[l]);
            const double left = 2 * elementary::exp(2 * (inner_a[l] - size));
            if (size > inner_a[l]) found = std::min(found, left + inner_y[l]);
            if (2 * size > seen) found = std::min(left, 2.0);
          }
          found += 2 * steep * ea[l];
          // The tangent's errors feed themselves; while they are small this is bounded by twice the linear part.
          if (i.op == Op::tan) found = found < 0.1 / (1 + size_y(l)) ? 2 * found : unbounded;
          e[l] = found >= 0 ? found : unbounded;
          square[l] = of_square + (2 * size_y(l) + e[l]) * e[l];
        }
        break;
      }
      case Op::asin:
      case Op::acos:
      case Op::atan:
        each([&](unsigned l) {
          // Y' P = +-u', P in the register b.
          const double miss = tail(place_y + l, place_b + l) + inner_y[l] * eb[l] + 2 * ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(b + l, width, known, h, inner_b[l]) - eb[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::atan2: {
        // Y' P = b a' - a b', P = a^2 + b^2 in the register before.
        const double* p = y - stride;
        const double* inner_p = inner_y - width;
        const double* ep = e - width;
        each([&](unsigned l) {
          const double size = size_a(l) + size_b(l);
          const double miss = tail(place_y + l, place_y - width + l) + 2 * tail(place_a + l, place_b + l) +
                              inner_y[l] * ep[l] + 4 * size * (ea[l] + eb[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(p + l, width, known, h, inner_p[l]) - ep[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      }
      case Op::select: {
        // The truth in the register before: one side, or on a surface slid on both, b + truth (a - b).
        const double* truth = y - stride;
        const double* moving = inner_y - width;
        each([&](unsigned l) {
          if (moving[l] == 0 && truth[l] == 1) return ea[l];
          if (moving[l] == 0 && truth[l] == 0) return eb[l];
          const double most = std::abs(truth[l]) + moving[l];
          return tail(place_y - width + l, place_a + l) + tail(place_y - width + l, place_b + l) + most * ea[l] +
                 (1 + most) * eb[l];
        });
        break;
      }
    }
    // The partner of sin, sinh, tan, tanh was written with it.
    ++at;
  }
}

}  // namespace zwang::expressions
