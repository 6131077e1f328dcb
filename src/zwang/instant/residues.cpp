/// Arithmetic modulo 2^61 - 1, and tapes in it.
#include "zwang/instant/residues.hpp"

#include <bit>
#include <cmath>

namespace zwang::instant {

using expressions::Op;

namespace {

constexpr unsigned bits = 61;
constexpr Residue prime = (Residue{1} << bits) - 1;

Residue reduced(Residue x) {
  x = (x & prime) + (x >> bits);
  return x >= prime ? x - prime : x;
}
Residue plus(Residue a, Residue b) { return reduced(a + b); }

}  // namespace

Residue minus(Residue a, Residue b) { return reduced(a + prime - b); }

/// 2^61 is one, so that the upper half of the product is added to the lower one.
Residue times(Residue a, Residue b) {
  constexpr Residue low = 0xffffffff;
  const Residue middle = (a >> 32U) * (b & low) + (((a & low) * (b & low)) >> 32U);
  const Residue other = (a & low) * (b >> 32U) + (middle & low);
  const Residue lower = a * b;
  const Residue upper = (a >> 32U) * (b >> 32U) + (middle >> 32U) + (other >> 32U);
  return reduced(reduced(lower) + ((upper << 3U) & prime));
}

Residue inverse(Residue a) {
  Residue out = 1;
  for (Residue left = prime - 2; left > 0; left >>= 1U) {
    if ((left & 1U) != 0) out = times(out, a);
    a = times(a, a);
  }
  return out;
}

namespace {

/// A double is a whole number times a power of two: no digit is lost.
Residue residue(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);
  const auto whole = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  const auto size = static_cast<Residue>(whole < 0 ? -whole : whole);
  const int turns = ((exponent - 53) % static_cast<int>(bits) + static_cast<int>(bits)) % static_cast<int>(bits);
  const Residue out = times(reduced(size), Residue{1} << static_cast<unsigned>(turns));
  return whole < 0 ? minus(0, out) : out;
}

/// A number of some numbers, as if by chance.
Residue mixed(Residue a, Residue b) {
  Residue x = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
  return reduced(x ^ (x >> 31U));
}

}  // namespace

Residue value_at(const model::Slotted& group, std::uint32_t lane, const expressions::Tape& tape, std::size_t output,
                 Residue point, std::vector<Residue>& r) {
  r.clear();
  r.push_back(mixed(point, 0));
  for (std::uint32_t k = 0; k < group.positions; ++k)
    r.push_back(mixed(point, 1 + 2 * std::uint64_t{group.position_of[std::size_t{k} * group.lanes + lane]}));
  for (std::uint32_t k = 0; k < group.velocities; ++k)
    r.push_back(mixed(point, 2 + 2 * std::uint64_t{group.velocity_of[std::size_t{k} * group.lanes + lane]}));
  for (std::uint32_t k = 0; k < group.constants; ++k)
    r.push_back(residue(group.constant_of[std::size_t{k} * group.lanes + lane]));
  for (const double constant : tape.constants) r.push_back(residue(constant));
  for (const expressions::Instruction& one : tape.instructions) {
    const Residue a = one.a < r.size() ? r[one.a] : 0;
    const Residue b = one.b < r.size() ? r[one.b] : 0;
    const auto op = static_cast<Residue>(one.op);
    switch (one.op) {
      case Op::add: r.push_back(plus(a, b)); break;
      case Op::subtract: r.push_back(minus(a, b)); break;
      case Op::multiply: r.push_back(times(a, b)); break;
      case Op::divide: r.push_back(times(a, inverse(b))); break;
      case Op::negate: r.push_back(minus(0, a)); break;
      case Op::scale: r.push_back(times(a, residue(one.c))); break;
      case Op::square: r.push_back(times(a, a)); break;
      case Op::reciprocal: r.push_back(inverse(a)); break;
      case Op::atan2: r.push_back(mixed(mixed(op, a), b)); break;
      case Op::power: r.push_back(mixed(mixed(op, a), std::bit_cast<std::uint64_t>(one.c))); break;
      default: r.push_back(mixed(op, a)); break;  // of its argument alone, whatever its partner is
    }
  }
  return r[tape.outputs[output]];
}

}  // namespace zwang::instant
