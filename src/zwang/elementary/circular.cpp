/// Sine, cosine and tangent. Quick way, test whether it decides the rounding, slow way: docs/mathematics, 22.
#include "zwang/elementary/elementary.hpp"
#include "zwang/elementary/kernels.hpp"
#include "zwang/elementary/long_number.hpp"

namespace zwang::elementary {

namespace {

/// Bounds for the relative errors (22.3).
constexpr double sine_error = 0x1p-66;
constexpr double tangent_error = 0x1p-64;
/// Below these sin x and tan x round to x, cos x to 1.
constexpr double tiny = 0x1p-27;
/// Up to here pi / 512 in three parts suffices; beyond, the digits of 2 / pi are taken from their table.
constexpr double large = 0x1p16;
/// A rest smaller than this, of an angle that is not small itself, has lost too many digits for the quick way.
constexpr double lost = 0x1p-20;

[[gnu::always_inline]] inline double magnitude(double x) { return __builtin_fabs(x); }

/// x = k pi / 512 + rest, k modulo 1024.
struct Place {
  unsigned k = 0;
  Twofold rest;
  bool is_known = true;  ///< the rest has all its digits
};

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

/// |x| >= 2^16: the turns are m 2^e / (2 pi) modulo 1 = m W / 2^192, with W the 192 digits of 2 / pi from number e - 2 on
/// (those before give whole turns).
[[gnu::noinline]] Place far_place(double x) {
  const std::uint64_t bits = bits_of(x);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  const int from = static_cast<int>((bits >> 52) & 0x7ff) - 1075 - 2;
  const int start = from >= 0 ? from / 64 : -1;
  const int shift = from - 64 * start;  // from > -64, since |x| >= 2^16
  std::uint64_t w[3];
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t here = start + i >= 0 ? tables::two_over_pi[start + i] : 0;
    w[i] = shift == 0 ? here : (here << shift) | (tables::two_over_pi[start + i + 1] >> (64 - shift));
  }
  const Wide last = static_cast<Wide>(m) * w[2];
  const Wide middle = static_cast<Wide>(m) * w[1] + (last >> 64);
  const std::uint64_t first = m * w[0] + static_cast<std::uint64_t>(middle >> 64);

  // The first ten bits are k, the others the part of a step that is left; beyond a half it is taken from the next.
  Place out;
  out.k = static_cast<unsigned>(first >> 54);
  const Wide lower = (static_cast<Wide>(static_cast<std::uint64_t>(middle)) << 64) | static_cast<std::uint64_t>(last);
  const auto part = static_cast<SignedWide>((static_cast<Wide>(first) << 74) | (lower >> 54));
  if (part < 0) out.k = (out.k + 1) % 1024;  // the first bit of the part counts -1/2
  const auto lead = static_cast<std::int64_t>(part >> 64);
  const double high = static_cast<double>(lead);  // 2^-64 steps
  const SignedWide left = part - (static_cast<SignedWide>(static_cast<std::int64_t>(high * 0x1p-10)) << 74);
  const double head = static_cast<double>(static_cast<std::int64_t>(high * 0x1p-10)) * 0x1p-54;
  const double tail = static_cast<double>(static_cast<std::int64_t>(left >> 24)) * 0x1p-104;
  const Twofold f = ordered_sum(head, tail);
  const Twofold p = product(f.high, tables::pi_step_high);
  out.rest = ordered_sum(p.high, p.low + (f.high * tables::pi_step_low + f.low * tables::pi_step_high));
  if (bits >> 63 != 0) {
    out.k = (1024 - out.k) % 1024;
    out.rest = {-out.rest.high, -out.rest.low};
  }
  out.is_known = magnitude(out.rest.high) > lost;
  return out;
}

[[gnu::always_inline]] inline Place place_of(double x) {
  if (magnitude(x) >= large) [[unlikely]]
    return far_place(x);
  const double shifted = x * tables::turns_per_one + rounder;
  const double steps = shifted - rounder;
  const double first = x - steps * tables::pi_step_1;
  const Twofold second = sum(first, -(steps * tables::pi_step_2));
  const Twofold rest = ordered_sum(second.high, second.low - steps * tables::pi_step_3);
  const bool is_known = magnitude(rest.high) > lost || steps == 0;
  return {static_cast<unsigned>(bits_of(shifted)) % 1024, rest, is_known};
}

/// sin(j pi / 512 + r), 0 <= j <= 256, r in two parts, |r| < 0.0031:
///   sin(a + r) = S + C r + (S (cos r - 1) + C (sin r - r)),   S = sin a, C = cos a
[[gnu::always_inline]] inline Twofold sine_kernel(unsigned j, Twofold r) {
  const double* s = tables::sines[j];
  const double* c = tables::sines[256 - j];
  const double square = r.high * r.high;
  const double less_cosine = square * (-0.5 + square * (1.0 / 24 - square * (1.0 / 720)));
  const double less_sine = (r.high * square) * (-1.0 / 6 + square * (1.0 / 120 - square * (1.0 / 5040)));
  const double r1 = upper(r.high);
  const double r2 = r.high - r1;
  const Twofold lead = ordered_sum(s[0], c[0] * r1);
  const double small =
      ((c[0] * (r2 + r.low) + c[1] * r.high) + s[1]) + ((s[0] + s[1]) * less_cosine + (c[0] + c[1]) * less_sine);
  return {lead.high, lead.low + small};
}

/// x, or -x if `sign` has its highest bit set; no branch, for a processor could not guess it.
[[gnu::always_inline]] inline double with_sign(double x, std::uint64_t sign) {
  return from_bits(bits_of(x) ^ (sign & (std::uint64_t{1} << 63)));
}

/// sin(x + turn pi / 512) from the place of x, but for its sign, which stands in the highest bit of `sign`.
[[gnu::always_inline]] inline Twofold sine_at(const Place& place, unsigned turn, std::uint64_t& sign) {
  const std::uint64_t n = place.k + turn;
  sign = n << 54;
  // In odd quarters sin(pi / 2 + a + r) = sin(pi / 2 - a - r).
  const std::uint64_t odd = (n >> 8) & 1;
  const std::uint64_t j = 256 * odd + ((n & 255) ^ (0 - odd)) + odd;
  return sine_kernel(static_cast<unsigned>(j),
                     {with_sign(place.rest.high, odd << 63), with_sign(place.rest.low, odd << 63)});
}

[[gnu::always_inline]] inline bool is_finite(double x) { return x - x == 0; }

/// The rounded value, or false. `turn` = 0 for the sine, 256 for the cosine.
[[gnu::always_inline]] inline bool quick(const Place& place, unsigned turn, double& value) {
  std::uint64_t sign = 0;
  const Twofold y = sine_at(place, turn, sign);
  // Away from the zeros of the function a lost rest is small beside sin(pi / 512): its digits do not matter (22.3).
  const bool is_known = place.is_known || (place.k + turn) % 512 != 0;
  const bool good = is_settled(y, sine_error * magnitude(y.high), value) && is_known;
  value = with_sign(value, sign);
  return good;
}

}  // namespace

double sin(double x) {
  if (magnitude(x) < tiny) return x;
  if (!is_finite(x)) return x - x;
  double value = 0;
  if (quick(place_of(x), 0, value)) [[likely]]
    return value;
  return slow::sin(x);
}

double cos(double x) {
  if (magnitude(x) < tiny) return 1;
  if (!is_finite(x)) return x - x;
  double value = 0;
  if (quick(place_of(x), 256, value)) [[likely]]
    return value;
  return slow::cos(x);
}

SineCosine sin_cos(double x) {
  if (magnitude(x) < tiny) return {x, 1};
  if (!is_finite(x)) return {x - x, x - x};
  const Place place = place_of(x);
  SineCosine out;
  if (!quick(place, 0, out.sine)) [[unlikely]]
    out.sine = slow::sin(x);
  if (!quick(place, 256, out.cosine)) [[unlikely]]
    out.cosine = slow::cos(x);
  return out;
}

double tan(double x) {
  if (magnitude(x) < tiny) return x;
  if (!is_finite(x)) return x - x;
  const Place place = place_of(x);
  std::uint64_t sine_negative = 0;
  std::uint64_t cosine_negative = 0;
  const Twofold s = sine_at(place, 0, sine_negative);
  const Twofold c = sine_at(place, 256, cosine_negative);
  const Twofold t = quotient(ordered_sum(s.high, s.low), ordered_sum(c.high, c.low));
  double value = 0;
  if (is_settled(t, tangent_error * magnitude(t.high), value) && place.is_known) [[likely]] {
    return with_sign(value, sine_negative ^ cosine_negative);
  }
  return slow::tan(x);
}

}  // namespace zwang::elementary
