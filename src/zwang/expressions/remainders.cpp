/// Bounds of what series leave out, instruction by instruction.
#include "zwang/expressions/remainders.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "zwang/base/side.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/functions/series.hpp"
#include "zwang/expressions/lane_bounds.hpp"
#include "zwang/expressions/lane_sums.hpp"
#include "zwang/expressions/numbers.hpp"

namespace zwang::expressions {

namespace {

/// Below this numbers have lost, or are about to lose, their digits.
constexpr double faint = 1e-300;
constexpr double harmless_stretch = 0.6931471805599453;  ///< ln 2: up to it rounding grows to its double at most
constexpr double seen = 690;                             ///< exp(-690) is about that
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

/// Powers of the step of one lane.
struct Powers {
  const double* first;
  std::size_t apart;
  double operator[](std::size_t k) const { return first[k * apart]; }
};

/// The most that Y rises from any place of the step to a later one: its coefficients above zero.
double most_rise(const double* y, unsigned width, unsigned known, const Powers& powers) {
  double sum = 0;
  for (unsigned k = 1; k < known; ++k) sum += std::max(y[std::size_t{k} * width], 0.0) * powers[k];
  return sum;
}
double most_fall(const double* y, unsigned width, unsigned known, const Powers& powers) {
  double sum = 0;
  for (unsigned k = 1; k < known; ++k) sum -= std::min(y[std::size_t{k} * width], 0.0) * powers[k];
  return sum;
}

/// |tanh U - Y| where Y' = (1 - Y^2) U' is missed by `miss` over the step.
///
/// The difference e has e' = -(y + Y) U' e + ..., and y + Y = 2 y - e: what is missed at s grows until s' by cosh(U)^2 at s over that at s',
/// times exp(e |U|_h) at most. No more than exp(2 d), d what |U| falls towards zero; where U may pass zero, than cosh of its largest squared.
double of_tanh(double miss, const double* u, unsigned width, unsigned known, const Powers& powers, double inner,
               double size_of_y) {
  if (miss == 0) return 0;
  const double size = std::abs(u[0]);
  const double most = size + inner;
  const double log_cosh = most + elementary::log1p(elementary::exp(-2 * most)) - 0.6931471805599453;
  const double falls =
      size > inner ? (u[0] > 0 ? most_fall : most_rise)(u, width, known, powers) : std::min(inner, log_cosh);
  const double linear = miss * elementary::exp(2 * falls);
  // With e <= 1.02 of the linear part exp(e |U|_h) is below exp(0.0102), and so e is below 1.02 of it.
  constexpr double slight = 0.01;
  constexpr double fed = 1.02;
  if (linear * inner <= slight) return fed * linear;
  return std::min(1 + size_of_y, miss * elementary::exp((3 + size_of_y) * inner));
}

}  // namespace

std::vector<std::uint32_t> sized_registers(const Tape& tape, std::span<const std::uint32_t> named) {
  std::vector<std::uint32_t> sized(named.begin(), named.end());
  auto at = static_cast<std::uint32_t>(tape.inputs.size() + tape.constants.size());
  for (const Instruction& i : tape.instructions) {
    switch (i.op) {
      case Op::add:
      case Op::subtract:
      case Op::negate:
      case Op::scale: break;
      default:
        sized.insert(sized.end(), {i.a, i.b, at});
        if (i.op == Op::sin || i.op == Op::sinh || i.op == Op::tan || i.op == Op::tanh) sized.push_back(at + 1);
        if (i.op == Op::atan2 || i.op == Op::select) sized.push_back(at - 1);
    }
    ++at;
  }
  std::sort(sized.begin(), sized.end());
  sized.erase(std::unique(sized.begin(), sized.end()), sized.end());
  return sized;
}

Stretch::Stretch(double step, unsigned last) : length(step) {
  of_length[0] = 1;
  for (unsigned k = 1; k <= last; ++k) of_length[k] = of_length[k - 1] * step;
}

void Stretches::set(const double* steps, unsigned last) { raise_many({lanes, nullptr, lanes, steps}, last, of_length); }

namespace {

/// Lists of terms are filled up with zeros to whole fours.
constexpr std::size_t filled_up(std::size_t known) { return (known + 3) / 4 * 4; }

/// The terms of one register, and what of them comes later.
template <std::size_t W>
[[gnu::always_inline]] inline void size_up(const double* y, unsigned known, const Stretch& stretch, double* term,
                                           double* later) {
  using Numbers = zwang::Side<W>;
  if constexpr (W == 1) {
    unsigned k = 0;
    for (; k + 4 <= known; k += 4) {
      zwang::Side<4> some = zwang::Side<4>::sizes(y + k);
      some.times(zwang::Side<4>::load(stretch.of_length + k));
      some.store(term + k);
    }
    for (; k < known; ++k) term[k] = std::abs(y[k]) * stretch.of_length[k];
  } else {
    for (unsigned k = 1; k < known; ++k) {
      Numbers some = Numbers::sizes(y + k * W);
      some.times(stretch.of_length[k]);
      some.store(term + k * W);
    }
  }
  Numbers::zero().store(term);
  Numbers::zero().store(later);
  Numbers sum = Numbers::zero();
  for (unsigned k = 1; k < known; ++k) {
    sum.add(Numbers::load(term + (known - k) * W));
    sum.store(later + k * W);
  }
  for (std::size_t k = known; k < filled_up(known); ++k) {
    Numbers::zero().store(term + k * W);
    Numbers::zero().store(later + k * W);
  }
}

struct Sizing {
  const std::vector<std::uint32_t>& sized;
  const double* registers;
  std::size_t register_stride;
  unsigned width, known;
  const Stretch& stretch;
  Remainders& room;
};

[[gnu::always_inline]] inline void size_up_all(const Sizing& s) {
  const auto each = [&](auto width) {
    for (const std::uint32_t reg : s.sized) {
      size_up<width>(s.registers + reg * s.register_stride, s.known, s.stretch,
                     s.room.term.data() + reg * s.room.stride, s.room.later.data() + reg * s.room.stride);
    }
  };
  switch (s.width) {
    case 1: each(std::integral_constant<std::size_t, 1>{}); break;
    case 2: each(std::integral_constant<std::size_t, 2>{}); break;
    case 4: each(std::integral_constant<std::size_t, 4>{}); break;
    default: each(std::integral_constant<std::size_t, 8>{}); break;
  }
}

/// sum_k term_k later_k of every lane: the tail of a product.
[[gnu::always_inline]] inline void add_up_tails(const double* term, const double* later, std::size_t count,
                                                unsigned width, double* tail) {
  if (width == 8) {
    zwang::Side<8> sum = zwang::Side<8>::zero();
    for (std::size_t k = 0; k < count; k += 8)
      sum.add_product(zwang::Side<8>::load(term + k), zwang::Side<8>::load(later + k));
    sum.store(tail);
    return;
  }
  zwang::Side<4> sum = zwang::Side<4>::zero();
  for (std::size_t k = 0; k < count; k += 4)
    sum.add_product(zwang::Side<4>::load(term + k), zwang::Side<4>::load(later + k));
  const auto& part = sum.part[0];
  switch (width) {
    case 1: tail[0] = (part[0] + part[2]) + (part[1] + part[3]); break;
    case 2:
      tail[0] = part[0] + part[2];
      tail[1] = part[1] + part[3];
      break;
    default: sum.store(tail);
  }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void size_up_wide(const Sizing& sizing) { size_up_all(sizing); }
[[gnu::target("avx2")]] void tails_wide(const double* term, const double* later, std::size_t count, unsigned width,
                                        double* tail) {
  add_up_tails(term, later, count, width, tail);
}
const bool has_wide = __builtin_cpu_supports("avx2") != 0;
#else
void size_up_wide(const Sizing&) {}
void tails_wide(const double*, const double*, std::size_t, unsigned, double*) {}
constexpr bool has_wide = false;
#endif
void tails_plain(const double* term, const double* later, std::size_t count, unsigned width, double* tail) {
  add_up_tails(term, later, count, width, tail);
}

constexpr unsigned most_lanes = 8;

}  // namespace

void make_room(const Tape& tape, unsigned width, unsigned known, Remainders& room) {
  const std::size_t size = tape.registers() * width;
  if (room.error.size() < size) room.error.resize(size);
  room.stride = filled_up(known) * width;
  const std::size_t all = tape.registers() * room.stride;
  if (room.term.size() < all) room.term.resize(all);
  if (room.later.size() < all) room.later.resize(all);
}

namespace {

/// Lanes of one block, on one step.
struct OneBlock {
  static constexpr bool side_by_side = false;
  const Tape& tape;
  const std::vector<std::uint32_t>& sized;
  const double* registers;
  std::size_t stride;
  unsigned width, known;
  const Stretch& stretch;
  Remainders& room;

  [[nodiscard]] unsigned lanes() const { return width; }
  [[nodiscard]] unsigned apart() const { return width; }
  [[nodiscard]] double factor(const Instruction& i, unsigned /*lane*/) const { return i.c; }
  [[nodiscard]] double length(unsigned /*lane*/) const { return stretch.length; }
  [[nodiscard]] Powers powers(unsigned /*lane*/) const { return {stretch.of_length, 1}; }
  void size_up() const {
    const Sizing sizing{sized, registers, stride, width, known, stretch, room};
    (has_wide ? size_up_wide : size_up_all)(sizing);
  }
  void tails(std::size_t first, std::size_t second, double* to) const {
    (has_wide ? tails_wide : tails_plain)(room.term.data() + first * room.stride,
                                          room.later.data() + second * room.stride, room.stride, width, to);
  }
};

/// Some lanes of tapes side by side, each on a step of its own.
template <unsigned W>
struct SomeOfMany {
  static constexpr bool side_by_side = true;
  const Tape& tape;
  const double* factors;
  const std::vector<std::uint32_t>& sized;
  const double* registers;
  std::size_t stride;
  unsigned alone, known;  ///< `alone`: lanes of the block that each was in alone
  const Stretches& stretches;
  Remainders& room;

  [[nodiscard]] static constexpr unsigned lanes() { return W; }
  [[nodiscard]] static constexpr unsigned apart() { return many; }
  [[nodiscard]] double factor(const Instruction& i, unsigned lane) const {
    return factors[static_cast<std::size_t>(&i - tape.instructions.data()) * many + lane];
  }
  [[nodiscard]] double length(unsigned lane) const { return stretches.of_length[stretches.lanes + lane]; }
  [[nodiscard]] Powers powers(unsigned lane) const { return {stretches.of_length + lane, stretches.lanes}; }
  void size_up() const {
    size_up_many({stretches.lanes, sized, registers, stride, many, known, stretches.of_length, room.term.data(),
                  room.later.data(), room.stride});
  }
  [[nodiscard]] std::size_t bound_plain_ones(std::size_t first) const {
    return expressions::bound_plain_ones(
        {W, tape, registers, stride, factors, room.term.data(), room.later.data(), room.stride, known,
         static_cast<unsigned>(room.stride / W), 4 / std::min(alone, 4U), room.error.data()},
        first);
  }
  void tails(std::size_t first, std::size_t second, double* to) const {
    add_up_tail({stretches.lanes, room.term.data() + first * room.stride, room.later.data() + second * room.stride,
                 static_cast<unsigned>(room.stride / stretches.lanes), 4 / std::min(alone, 4U), to});
  }
};

template <class Way>
void bound_all(const Way& way) {
  const Tape& tape = way.tape;
  Remainders& room = way.room;
  const double* const registers = way.registers;
  const unsigned known = way.known;
  const unsigned width = way.lanes();
  const unsigned apart = way.apart();
  const std::size_t stride = way.stride;
  const std::size_t inputs = tape.inputs.size();
  const std::size_t before = inputs + tape.constants.size();
  way.size_up();
  double tail[most_lanes];
  double other_tail[most_lanes];

  double* const error = room.error.data();
  std::fill(error + inputs * width, error + before * width, 0.0);
  const double* const all_terms = room.later.data() + std::size_t{known - 1} * width;
  std::size_t at = before;
  for (std::size_t number = 0; number < tape.instructions.size(); ++number) {
    if constexpr (Way::side_by_side) {
      const std::size_t next = way.bound_plain_ones(number);
      at += next - number;
      number = next;
      if (number == tape.instructions.size()) break;
    }
    const Instruction& i = tape.instructions[number];
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    const double* y = registers + at * stride;
    const double* ea = error + std::size_t{i.a} * width;
    const double* eb = error + std::size_t{i.b} * width;
    // The sums of all terms behind the first.
    const double* inner_a = all_terms + i.a * room.stride;
    const double* inner_b = all_terms + i.b * room.stride;
    const double* inner_y = all_terms + at * room.stride;
    const auto find_tails = [&](std::size_t first, std::size_t second, double* to) { way.tails(first, second, to); };
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
      case Op::scale: each([&](unsigned l) { return std::abs(way.factor(i, l)) * ea[l]; }); break;
      case Op::multiply:
        find_tails(i.a, i.b, tail);
        each([&](unsigned l) { return tail[l] + size_a(l) * eb[l] + size_b(l) * ea[l] + ea[l] * eb[l]; });
        break;
      case Op::square:
        find_tails(i.a, i.a, tail);
        each([&](unsigned l) { return tail[l] + (2 * size_a(l) + ea[l]) * ea[l]; });
        break;
      case Op::divide:
        find_tails(at, i.b, tail);
        each([&](unsigned l) {
          // y (B + e_b) = A + e_a, and Y B = A but for what lies beyond.
          const double miss = tail[l] + ea[l] + (eb[l] == 0 ? 0.0 : size_y(l) * eb[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(b + l, apart, known, way.length(l), inner_b[l]) - eb[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::reciprocal:
        find_tails(at, i.a, tail);
        each([&](unsigned l) {
          const double miss = tail[l] + (ea[l] == 0 ? 0.0 : size_y(l) * ea[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(a + l, apart, known, way.length(l), inner_a[l]) - ea[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::sqrt:
        find_tails(at, at, tail);
        each([&](unsigned l) {
          // (y - Y)(y + Y) = U + e_u - Y^2. Through a zero only |y| - |Y| is bounded: the sign is a matter of its own.
          // A Y that is 0 from zero on leaves all of U.
          const double miss = (y[l] == 0 && inner_y[l] == 0 ? size_a(l) : tail[l]) + ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(y + l, apart, known, way.length(l), inner_y[l]);
          return least > 0 ? std::min(miss / least, std::sqrt(miss)) : std::sqrt(miss);
        });
        break;
      case Op::power:
        find_tails(i.a, at, tail);
        each([&](unsigned l) {
          // z = Y u^-p has z' = u^(-p-1) (u Y' - p u' Y).
          const double p = std::abs(i.c);
          if (i.c > 0 && std::abs(a[l]) <= i.zero_below) return elementary::pow(size_a(l) + ea[l], p);
          const double least = least_size(a + l, apart, known, way.length(l), inner_a[l]) - ea[l];
          if (!(least > 0) || !(a[l] > 0)) return ea[l] == 0 && inner_a[l] == 0 ? 0.0 : unbounded;
          const double spread = elementary::pow((size_a(l) + ea[l]) / least, p);
          return spread * ((1 + p) * tail[l] + p * size_y(l) * ea[l]) / least;
        });
        break;
      case Op::exp:
        find_tails(i.a, at, tail);
        each([&](unsigned l) {
          if (inner_a[l] == 0 && ea[l] == 0) return 0.0;
          // A value that numbers can hardly hold says nothing of what it grows to.
          const double unseen = y[l] < faint ? elementary::exp(a[l] + inner_a[l]) : 0.0;
          const double miss = tail[l];
          const double own =
              (miss > 0 ? elementary::exp(elementary::log(miss) + most_rise(a + l, apart, known, way.powers(l)))
                        : 0.0) +
              unseen;
          const double through = size_y(l) + own;
          return own + (through > 0 ? through * elementary::expm1(ea[l]) : 0.0);
        });
        break;
      case Op::log:
        find_tails(at, i.a, tail);
        each([&](unsigned l) {
          const double miss = tail[l] + ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(a + l, apart, known, way.length(l), inner_a[l]) - ea[l];
          return least > 0 && a[l] > 0 ? miss / least : unbounded;
        });
        break;
      case Op::sin:
      case Op::sinh: {
        // The pair turns (or stretches) with u: errors turn (stretch) along.
        const bool turns = i.op == Op::sin;
        double* other = e + width;
        find_tails(i.a, at, tail);
        find_tails(i.a, at + 1, other_tail);
        const double* other_inner = inner_y + room.stride;
        for (unsigned l = 0; l < width; ++l) {
          const double growth = turns ? 1.0 : elementary::exp(inner_a[l] + ea[l]);
          // Rounding of the values at 0 grows along: their difference has less digits than they have. While it does not grow to its double it is
          // what it is in every value: rounding, and no matter of the step.
          const double grown = turns || inner_a[l] <= harmless_stretch ? 0.0 : elementary::expm1(inner_a[l]);
          const double first = eps * (std::abs(y[l]) + std::abs(y[stride + l])) * grown;
          const double through =
              turns ? ea[l] : ea[l] * (size_y(l) + std::abs(y[stride + l]) + other_inner[l]) * growth;
          const double found = elementary::hypot(tail[l], other_tail[l]) * growth + first + through;
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
        find_tails(at, at, other_tail);
        find_tails(i.a, at + 1, tail);
        for (unsigned l = 0; l < width; ++l) {
          const double of_square = other_tail[l];
          const double miss = tail[l] + inner_a[l] * of_square;
          const double steep = i.op == Op::tanh ? 1.0 : size_y(l) * size_y(l) + 1;
          double found = 0;
          if (i.op == Op::tan) {
            found = miss * elementary::exp(2 * size_y(l) * inner_a[l]);
          } else {
            found = of_tanh(miss, a + l, apart, known, way.powers(l), inner_a[l], size_y(l));
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
        find_tails(at, i.b, tail);
        each([&](unsigned l) {
          // Y' P = +-u', P in the register b.
          const double miss = tail[l] + inner_y[l] * eb[l] + 2 * ea[l];
          if (miss == 0) return 0.0;
          const double least = least_size(b + l, apart, known, way.length(l), inner_b[l]) - eb[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      case Op::atan2: {
        // Y' P = b a' - a b', P = a^2 + b^2 in the register before.
        const double* p = y - stride;
        const double* inner_p = inner_y - room.stride;
        const double* ep = e - width;
        find_tails(at, at - 1, tail);
        find_tails(i.a, i.b, other_tail);
        each([&](unsigned l) {
          const double size = size_a(l) + size_b(l);
          const double miss = tail[l] + 2 * other_tail[l] + inner_y[l] * ep[l] + 4 * size * (ea[l] + eb[l]);
          if (miss == 0) return 0.0;
          const double least = least_size(p + l, apart, known, way.length(l), inner_p[l]) - ep[l];
          return least > 0 ? miss / least : unbounded;
        });
        break;
      }
      case Op::select: {
        // The truth in the register before: one side, or on a surface slid on both, b + truth (a - b).
        const double* truth = y - stride;
        const double* moving = inner_y - room.stride;
        find_tails(at - 1, i.a, tail);
        find_tails(at - 1, i.b, other_tail);
        each([&](unsigned l) {
          if (moving[l] == 0 && truth[l] == 1) return ea[l];
          if (moving[l] == 0 && truth[l] == 0) return eb[l];
          const double most = std::abs(truth[l]) + moving[l];
          return tail[l] + other_tail[l] + most * ea[l] + (1 + most) * eb[l];
        });
        break;
      }
    }
    // The partner of sin, sinh, tan, tanh was written with it.
    ++at;
  }
}

}  // namespace

void bound_remainders(const Tape& tape, const std::vector<std::uint32_t>& sized, const double* registers,
                      unsigned orders, unsigned width, unsigned known, const Stretch& stretch, Remainders& room) {
  bound_all(OneBlock{tape, sized, registers, std::size_t{orders} * width, width, known, stretch, room});
}

void bound_some_of_many(const Tape& tape, const double* factors, const std::vector<std::uint32_t>& sized,
                        const double* registers, unsigned orders, unsigned alone, unsigned known,
                        const Stretches& stretches, Remainders& room) {
  const std::size_t stride = std::size_t{orders} * many;
  if (stretches.lanes == most_lanes_at_once) {
    bound_all(SomeOfMany<most_lanes_at_once>{tape, factors, sized, registers, stride, alone, known, stretches, room});
  } else {
    bound_all(SomeOfMany<4>{tape, factors, sized, registers, stride, alone, known, stretches, room});
  }
}

}  // namespace zwang::expressions
