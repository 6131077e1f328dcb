/// A tape on series whose inputs are known beforehand, one lane, by vectors along the orders.
///
/// The recurrences are those of functions/, but their sums are added up eight in turn, since none waits for the next lane: the bits are not those of `sweep`, but the same on
/// every processor.
#include "zwang/expressions/sweep_alone.hpp"

#include <algorithm>
#include <cstring>

#include "zwang/expressions/tape_run.hpp"

namespace zwang::expressions {

namespace {

constexpr unsigned most_alone = 64;  ///< orders
constexpr unsigned in_turn = 8;      ///< sums

/// A series with room for zeros before and behind it.
struct Padded {
  alignas(64) double number[in_turn + most_alone + in_turn];
  [[gnu::always_inline]] Padded() { std::memset(number, 0, sizeof number); }
  [[gnu::always_inline]] Padded(const double* from, unsigned orders) {
    std::memset(number, 0, sizeof number);
    std::memcpy(number + in_turn, from, orders * sizeof(double));
  }
  [[gnu::always_inline]] double* at() { return number + in_turn; }
  [[gnu::always_inline]] const double* at() const { return number + in_turn; }
};

[[gnu::always_inline]] inline double in_one(const Octet* s) {
  const auto four = __builtin_shufflevector(*s, *s, 0, 1, 2, 3) + __builtin_shufflevector(*s, *s, 4, 5, 6, 7);
  const auto two = __builtin_shufflevector(four, four, 0, 1) + __builtin_shufflevector(four, four, 2, 3);
  return two[0] + two[1];
}
/// (A pointer: through a reference compilers forget that it need not be aligned.)
[[gnu::always_inline]] inline const Octet* octet(const double* from) { return reinterpret_cast<const Octet*>(from); }

/// sum_{j=1..k} a_j y_{k-j}; `back` holds y in reverse, y_0 at the end of `orders` numbers, zeros behind.
[[gnu::always_inline]] inline double back_sum(const Padded& a, const Padded& back, unsigned orders, unsigned k) {
  // With y of order k still zero, from j = 0 on.
  Octet sum = {};
  const double* y = back.at() + (orders - 1 - k);
  for (unsigned j = 0; j <= k; j += in_turn) sum += *octet(a.at() + j) * *octet(y + j);
  return in_one(&sum);
}

/// Is the series a number?
[[gnu::always_inline]] inline bool constant(const double* a, unsigned orders) {
  return std::all_of(a + 1, a + orders, [](double x) { return x == 0; });
}

[[gnu::always_inline]] inline void product(const double* first, const double* second, unsigned orders, double* y) {
  if (constant(first, orders)) std::swap(first, second);
  if (constant(second, orders)) {
    for (unsigned k = 0; k < orders; ++k) y[k] = second[0] * first[k];
    return;
  }
  const Padded a(first, orders);
  const Padded b(second, orders);
  Padded out;
  for (unsigned k = 0; k < orders; k += in_turn) {
    Octet even = {};
    Octet odd = {};
    for (unsigned j = 0; j < k + in_turn; j += 2) {
      even += a.at()[j] * *octet(b.at() + k - j);
      odd += a.at()[j + 1] * *octet(b.at() + k - j - 1);
    }
    *reinterpret_cast<Octet*>(out.at() + k) = even + odd;
  }
  std::memcpy(y, out.at(), orders * sizeof(double));
}

[[gnu::always_inline]] inline void quotient(const double* above, const double* below, unsigned orders, double* y) {
  const Padded b(below, orders);
  Padded back;
  const double first = b.at()[0];
  for (unsigned k = 0; k < orders; ++k) {
    const double rest = k == 0 ? above[0] : above[k] - back_sum(b, back, orders, k);
    y[k] = back.at()[orders - 1 - k] = rest / first;
  }
}

[[gnu::always_inline]] inline void root(const double* u, double zero_below, unsigned orders, double* y) {
  Padded known;  // y but for its first
  Padded back;
  Sqrt::coefficient<1>(y, u, zero_below, Fixed<0>{});
  const double first = y[0];
  for (unsigned k = 1; k < orders; ++k) {
    double rest = u[k] - back_sum(known, back, orders, k);
    if (zero_below >= 0 && first == 0) rest = 0;
    if (rest != 0) rest /= 2.0 * first;
    y[k] = known.at()[k] = back.at()[orders - 1 - k] = rest;
  }
}

/// Sine and cosine (sign -1), or the hyperbolic ones.
[[gnu::always_inline]] inline void circle(const double* u, double sign, unsigned orders, double* y, double* c) {
  Padded rate;
  for (unsigned j = 1; j < orders; ++j) rate.at()[j] = j * u[j];
  Padded back_y, back_c;
  back_y.at()[orders - 1] = y[0];
  back_c.at()[orders - 1] = c[0];
  for (unsigned k = 1; k < orders; ++k) {
    y[k] = back_sum(rate, back_c, orders, k) / k;
    c[k] = sign * back_sum(rate, back_y, orders, k) / k;
    back_y.at()[orders - 1 - k] = y[k];
    back_c.at()[orders - 1 - k] = c[k];
  }
}

[[gnu::always_inline]] inline void sweep_tape(const Tape& tape, double* registers, unsigned orders) {
  const std::size_t stride = orders;
  double* y = registers + (tape.inputs.size() + tape.constants.size()) * stride;
  const Padded one = [] {
    Padded out;
    out.at()[0] = 1;
    return out;
  }();
  for (const Instruction& i : tape.instructions) {
    const double* a = registers + i.a * stride;
    const double* b = registers + i.b * stride;
    switch (i.op) {
      case Op::add:
        for (unsigned k = 0; k < orders; ++k) y[k] = a[k] + b[k];
        break;
      case Op::subtract:
        for (unsigned k = 0; k < orders; ++k) y[k] = a[k] - b[k];
        break;
      case Op::negate:
        for (unsigned k = 0; k < orders; ++k) y[k] = -a[k];
        break;
      case Op::scale:
        for (unsigned k = 0; k < orders; ++k) y[k] = i.c * a[k];
        break;
      case Op::multiply: product(a, b, orders, y); break;
      case Op::square: product(a, a, orders, y); break;
      case Op::divide: quotient(a, b, orders, y); break;
      case Op::reciprocal: quotient(one.at(), a, orders, y); break;
      case Op::sqrt: root(a, i.zero_below, orders, y); break;
      case Op::sin:
        Sin::coefficients<1>(y, y + stride, a, Fixed<0>{});
        circle(a, -1, orders, y, y + stride);
        break;
      case Op::sinh:
        Sinh::coefficients<1>(y, y + stride, a, Fixed<0>{});
        circle(a, 1, orders, y, y + stride);
        break;
      default:
        run_one<1>(i, i.c, registers, y, stride, Fixed<0>{});
        for (unsigned k = 1; k < orders; ++k) run_one<1>(i, i.c, registers, y, stride, k);
    }
    y += stride;
  }
}

void product_plain(const double* a, const double* b, unsigned orders, double* y) { product(a, b, orders, y); }
void alone_plain(const Tape& tape, double* registers, unsigned orders) { sweep_tape(tape, registers, orders); }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void product_wide(const double* a, const double* b, unsigned orders, double* y) {
  product(a, b, orders, y);
}
[[gnu::target("avx512f")]] void product_widest(const double* a, const double* b, unsigned orders, double* y) {
  product(a, b, orders, y);
}
[[gnu::target("avx2")]] void alone_wide(const Tape& tape, double* registers, unsigned orders) {
  sweep_tape(tape, registers, orders);
}
[[gnu::target("avx512f")]] void alone_widest(const Tape& tape, double* registers, unsigned orders) {
  sweep_tape(tape, registers, orders);
}
const bool has_wide_alone = __builtin_cpu_supports("avx2") != 0;
const bool has_widest_alone = __builtin_cpu_supports("avx512f") != 0;
#else
constexpr auto product_wide = product_plain;
constexpr auto product_widest = product_plain;
constexpr auto alone_wide = alone_plain;
constexpr auto alone_widest = alone_plain;
constexpr bool has_wide_alone = false;
constexpr bool has_widest_alone = false;
#endif

}  // namespace

void sweep_alone(const Tape& tape, double* registers, unsigned orders) {
  if (orders > most_alone) {
    sweep(tape, registers, orders, orders - 1, 1);
    return;
  }
  (has_widest_alone ? alone_widest : (has_wide_alone ? alone_wide : alone_plain))(tape, registers, orders);
}

void multiply_alone(const double* a, const double* b, unsigned orders, double* y) {
  if (orders > most_alone) {
    for (unsigned k = 0; k < orders; ++k) {
      y[k] = 0;
      for (unsigned j = 0; j <= k; ++j) y[k] += a[j] * b[k - j];
    }
    return;
  }
  (has_widest_alone ? product_widest : (has_wide_alone ? product_wide : product_plain))(a, b, orders, y);
}

}  // namespace zwang::expressions
