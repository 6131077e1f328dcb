/// Tapes of one structure in many lanes.
#include "zwang/expressions/side_by_side.hpp"

#include <algorithm>
#include <cassert>

#include "zwang/expressions/tape_run.hpp"

namespace zwang::expressions {

namespace {

/// Some coefficients of a tape in many lanes.
struct Many {
  const Tape& tape;
  const double* factors;
  double* registers;
  std::size_t stride;
  const std::uint8_t* some;  ///< per instruction, 1: it is run; null: all are
};

template <unsigned W, class K>
[[gnu::always_inline]] inline void run_many(const Many& many_of, K k) {
  double* y = many_of.registers + (many_of.tape.inputs.size() + many_of.tape.constants.size()) * many_of.stride;
  const double* factor = many_of.factors;
  const std::uint8_t* some = many_of.some;
  for (const Instruction& i : many_of.tape.instructions) {
    if (some == nullptr || *some++ != 0) run_one<W>(i, factor, many_of.registers, y, many_of.stride, k);
    y += many_of.stride;
    factor += many;
  }
}

void first_plain(const Many& many_of) { run_many<many>(many_of, Fixed<0>{}); }
void later_plain(const Many& many_of, unsigned k) { run_many<many>(many_of, k); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void first_wide(const Many& many_of) { run_many<many>(many_of, Fixed<0>{}); }
[[gnu::target("avx2")]] void later_wide(const Many& many_of, unsigned k) { run_many<many>(many_of, k); }
[[gnu::target("avx512f")]] void later_by_eights(const Many& many_of, unsigned k) {
  run_many<many_by_eights>(many_of, k);
}
const bool has_eights = __builtin_cpu_supports("avx512f") != 0;
const bool many_wide = __builtin_cpu_supports("avx2") != 0;
#else
constexpr auto first_wide = first_plain;
constexpr auto later_wide = later_plain;
constexpr auto later_by_eights = later_plain;
constexpr bool has_eights = false;
constexpr bool many_wide = false;
#endif

void run_orders(const Many& many_of, unsigned first, unsigned last) {
  const auto later = has_eights ? later_by_eights : (many_wide ? later_wide : later_plain);
  for (unsigned k = first; k <= last; ++k) {
    if (k == 0) {
      (many_wide ? first_wide : first_plain)(many_of);
    } else {
      later(many_of, k);
    }
  }
}

}  // namespace

bool same_structure(const Tape& one, const Tape& other) {
  const auto same = [](const Instruction& a, const Instruction& b) {
    return a.op == b.op && a.a == b.a && a.b == b.b && a.zero_below == b.zero_below &&
           (a.op == Op::scale || a.c == b.c);
  };
  return one.inputs.size() == other.inputs.size() && one.constants.size() == other.constants.size() &&
         one.outputs == other.outputs &&
         std::equal(one.instructions.begin(), one.instructions.end(), other.instructions.begin(),
                    other.instructions.end(), same);
}

void load_numbers(const Tape& tape, unsigned lane, double* registers, unsigned orders, double* factors) {
  assert(lane < many);
  double* r = registers + tape.inputs.size() * orders * many + lane;
  for (const double value : tape.constants) {
    *r = value;
    r += std::size_t{orders} * many;
  }
  // A tape without instructions has no factors, and nowhere to keep them.
  for (std::size_t i = 0; i < tape.instructions.size(); ++i) {
    factors[i * many + lane] = tape.instructions[i].c;
  }
}

void extend_many(const Tape& tape, const double* factors, double* registers, unsigned orders, unsigned first,
                 unsigned last) {
  assert(last < orders);
  run_orders({tape, factors, registers, std::size_t{orders} * many, nullptr}, first, last);
}

void extend_some_of_many(const Tape& tape, const std::vector<std::uint8_t>& some, const double* factors,
                         double* registers, unsigned orders, unsigned k) {
  assert(k > 0 && k < orders);
  run_orders({tape, factors, registers, std::size_t{orders} * many, some.data()}, k, k);
}

}  // namespace zwang::expressions
