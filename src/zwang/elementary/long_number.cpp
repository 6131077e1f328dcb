#include "zwang/elementary/long_number.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "zwang/elementary/tables.hpp"
#include "zwang/elementary/twofold.hpp"

namespace zwang::elementary::slow {

namespace {

__extension__ using Double = unsigned __int128;  // two words

constexpr int digits = 64 * words;
/// Terms of a series below 2^-all times the first change nothing any more.
constexpr std::int64_t all = digits + 8;

/// The number 0.m 2^exponent of twice as many words, cut to size.
Long normalised(const std::uint64_t* m, int count, std::int64_t exponent, bool negative) {
  int first = 0;
  while (first < count && m[first] == 0) ++first;
  Long out;
  if (first == count) return out;
  const int shift = std::countl_zero(m[first]);
  out.is_zero = false;
  out.negative = negative;
  out.exponent = exponent - 64 * first - shift;
  const auto at = [&](int i) { return first + i < count ? m[first + i] : 0; };
  for (int i = 0; i < words; ++i) out.word[i] = shift == 0 ? at(i) : (at(i) << shift) | (at(i + 1) >> (64 - shift));
  return out;
}

/// Whether |a| < |b|.
bool is_smaller(const Long& a, const Long& b) {
  if (a.is_zero || b.is_zero) return !b.is_zero;
  if (a.exponent != b.exponent) return a.exponent < b.exponent;
  for (int i = 0; i < words; ++i) {
    if (a.word[i] != b.word[i]) return a.word[i] < b.word[i];
  }
  return false;
}

/// The first two doubles' worth of a moderate number.
double approximately(const Long& a) {
  if (a.is_zero) return 0;
  const double size = std::ldexp(static_cast<double>(a.word[0] >> 11U), static_cast<int>(a.exponent) - 53);
  return a.negative ? -size : size;
}

Long whole(std::int64_t n) { return make(static_cast<double>(n)); }  // |n| < 2^53

Long from_digits(const std::uint64_t* word, int count, std::int64_t exponent) {
  return normalised(word, count, exponent, false);
}

const Long& half_pi() {
  static const Long value = from_digits(tables::half_pi_digits, 6, 1);
  return value;
}
const Long& ln2() {
  static const Long value = from_digits(tables::ln2_digits, 6, 0);
  return value;
}
const Long& one() {
  static const Long value = make(1);
  return value;
}

/// a / n for a small whole number, word by word.
Long divided(const Long& a, std::uint32_t n) {
  std::uint64_t m[words + 1] = {};
  std::uint64_t rest = 0;
  for (int i = 0; i <= words; ++i) {
    const std::uint64_t word = i < words ? a.word[i] : 0;
    const std::uint64_t first = (rest << 32) | (word >> 32);
    const std::uint64_t second = ((first % n) << 32) | (word & 0xffffffffU);
    m[i] = ((first / n) << 32) | (second / n);
    rest = second % n;
  }
  return normalised(m, words + 1, a.exponent, a.negative);
}

/// Whether a term no longer counts beside a sum.
bool is_negligible(const Long& term, const Long& beside) {
  return term.is_zero || term.exponent < beside.exponent - all;
}

/// exp of a number below 2^20 in size: the series of r / 2^16, squared sixteen times.
Long exp(const Long& x) {
  const double size = approximately(x);
  const auto k = static_cast<std::int64_t>(std::floor(size * tables::log2e_high + 0.5));
  constexpr int halvings = 16;
  const Long r = scaled(x - whole(k) * ln2(), -halvings);
  Long total = one();
  Long term = one();
  for (std::uint32_t n = 1; !is_negligible(term, total); ++n) {
    term = divided(term * r, n);
    total = total + term;
  }
  for (int i = 0; i < halvings; ++i) total = total * total;
  return scaled(total, k);
}

/// log x for a double near to it: near + log(1 + z), z = x exp(-near) - 1.
Long log(const Long& x, double near) {
  const Long z = x * exp(make(-near)) - one();
  Long total = make(near);
  Long term = z;
  for (std::uint32_t n = 1; !is_negligible(term, one()); ++n) {
    total = total + divided(term, n);
    term = -(term * z);
  }
  return total;
}

struct Turned {
  Long sine, cosine;
};

/// Sine and cosine of |r| <= 1 by their series.
Turned turned(const Long& r) {
  Turned out{r, one()};
  if (r.is_zero) return out;
  const Long square = r * r;
  Long term = r;
  for (std::uint32_t n = 2; !is_negligible(term, out.sine); n += 2) {
    term = -divided(term * square, n * (n + 1));
    out.sine = out.sine + term;
  }
  term = one();
  for (std::uint32_t n = 1; !is_negligible(term, out.cosine); n += 2) {
    term = -divided(term * square, n * (n + 1));
    out.cosine = out.cosine + term;
  }
  return out;
}

struct Reduced {
  unsigned quadrant = 0;
  Long rest;  ///< |rest| <= pi / 4 (a little more where the choice is near)
};

/// x = quadrant pi / 2 + rest, modulo 2 pi, for every finite x: x = m 2^e with whole m < 2^53, and of m 2^e (2 / pi) modulo 4
/// the digits of 2 / pi before the place e - 1 tell nothing (Payne and Hanek 1983).
Reduced reduced(double x) {
  const std::uint64_t bits = bits_of(x);
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | (field != 0 ? std::uint64_t{1} << 52 : 0);
  const int e = (field != 0 ? field : 1) - 1075;

  // Eight words of 2 / pi from the bit e - 2 on (the first bit has number 0); before the point there are only zeros.
  constexpr int taken = 8;
  constexpr int stored = static_cast<int>(sizeof tables::two_over_pi / sizeof(std::uint64_t));
  const auto word = [&](int i) { return i >= 0 && i < stored ? tables::two_over_pi[i] : 0; };
  const int from = e - 2;
  const int start = from >= 0 ? from / 64 : -((-from + 63) / 64);
  const int shift = from - 64 * start;
  std::uint64_t window[taken];
  for (int i = 0; i < taken; ++i) {
    window[i] = shift == 0 ? word(start + i) : (word(start + i) << shift) | (word(start + i + 1) >> (64 - shift));
  }
  // m window modulo the first bit: the quarter turns modulo 4 are its first two bits.
  std::uint64_t turns[taken];
  std::uint64_t carry = 0;
  for (int i = taken - 1; i >= 0; --i) {
    const Double p = static_cast<Double>(m) * window[i] + carry;
    turns[i] = static_cast<std::uint64_t>(p);
    carry = static_cast<std::uint64_t>(p >> 64);
  }
  Reduced out;
  out.quadrant = static_cast<unsigned>(turns[0] >> 62);
  turns[0] &= (std::uint64_t{1} << 62) - 1;
  Long part = normalised(turns, taken, 2, false);
  // Beyond half a quarter it is taken from the next.
  if (!part.is_zero && part.exponent >= 0) {
    part = part - one();
    out.quadrant = (out.quadrant + 1) % 4;
  }
  out.rest = part * half_pi();
  if (bits >> 63 != 0) {
    out.quadrant = (4 - out.quadrant) % 4;
    out.rest = -out.rest;
  }
  return out;
}

Turned at(double x) {
  const Reduced place = reduced(x);
  const Turned t = turned(place.rest);
  switch (place.quadrant) {
    case 0: return t;
    case 1: return {t.cosine, -t.sine};
    case 2: return {-t.sine, -t.cosine};
    default: return {-t.cosine, t.sine};
  }
}

/// The angle of (x, y) for y >= 0 or small, x > 0: near + atan of what is left when turned back by it.
Long angle(const Long& y, const Long& x) {
  // Both beside the larger one, so that doubles hold them.
  const bool swapped = is_smaller(x, y);
  const Long q = swapped ? x / y : y / x;
  const double size = q.exponent < -1000 ? 0.0 : approximately(q);
  const double near = size / (1 + 0.28125 * size * size);  // within 0.005: the answer does not depend on it
  const Turned t = turned(make(near));
  const Long left = (q * t.cosine - t.sine) / (t.cosine + q * t.sine);
  Long total = make(near);
  if (!left.is_zero) {
    const Long square = left * left;
    Long term = left;
    total = total + left;
    for (std::uint32_t n = 3; !is_negligible(term, total); n += 2) {
      term = -(term * square);
      total = total + divided(term, n);
    }
  }
  return swapped ? half_pi() - total : total;
}

/// sqrt(1 - x^2).
Long opposite(const Long& x) { return root((one() - x) * (one() + x)); }

}  // namespace

Long make(double x) {
  const std::uint64_t bits = bits_of(x);
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t m = (bits & ((std::uint64_t{1} << 52) - 1)) | (field != 0 ? std::uint64_t{1} << 52 : 0);
  return normalised(&m, 1, (field != 0 ? field : 1) - 1075 + 64, bits >> 63 != 0);
}

double round(const Long& x) {
  if (x.is_zero) return 0;
  // To 256 bits first: words 0 to 3, a carry into a new leading bit.
  constexpr int kept = words - 1;
  std::uint64_t word[kept];
  std::uint64_t carry = x.word[kept] >> 63U;
  for (int i = kept - 1; i >= 0; --i) {
    word[i] = x.word[i] + carry;
    carry = carry != 0 && word[i] == 0 ? 1 : 0;
  }
  std::int64_t exponent = x.exponent;
  if (carry != 0) {
    word[0] = std::uint64_t{1} << 63;
    ++exponent;
  }
  const double sign = x.negative ? -1.0 : 1.0;
  if (exponent > 1024) return sign * std::numeric_limits<double>::infinity();
  if (exponent < -1074) return sign * 0.0;  // below half of the least subnormal number

  // How many bits this double has; of the rest the first decides, the others whether it is a tie.
  const int places = exponent < -1021 ? static_cast<int>(exponent + 1074) : 53;
  const int dropped = 64 - places;
  std::uint64_t m = places == 0 ? 0 : word[0] >> dropped;
  const bool half = ((word[0] >> (dropped - 1)) & 1) != 0;
  bool more = dropped > 1 && (word[0] << (64 - (dropped - 1))) != 0;
  for (int i = 1; i < kept; ++i) more = more || word[i] != 0;
  if (half && (more || (m & 1) != 0)) ++m;
  // m < 2^53 + 1 times a power of two that is a double: exact, or infinite.
  return sign * std::ldexp(static_cast<double>(m), static_cast<int>(exponent) - places);
}

Long operator-(Long a) {
  a.negative = !a.negative;
  return a;
}

Long scaled(Long a, std::int64_t power) {
  a.exponent += power;
  return a;
}

Long operator+(const Long& a, const Long& b) {
  if (is_smaller(a, b)) return b + a;
  if (b.is_zero) return a;
  const std::int64_t distance = a.exponent - b.exponent;
  if (distance > digits + 64) return a;
  // With one more word behind and one before.
  constexpr int wide = words + 2;
  std::uint64_t m[wide] = {};
  std::uint64_t other[wide] = {};
  const int skip = static_cast<int>(distance / 64);
  const int shift = static_cast<int>(distance % 64);
  for (int i = 0; i < words; ++i) {
    m[i + 1] = a.word[i];
    const int to = i + 1 + skip;
    if (to < wide) other[to] |= b.word[i] >> shift;
    if (shift != 0 && to + 1 < wide) other[to + 1] |= b.word[i] << (64 - shift);
  }
  std::uint64_t carry = 0;
  for (int i = wide - 1; i >= 0; --i) {
    if (a.negative == b.negative) {
      const Double s = static_cast<Double>(m[i]) + other[i] + carry;
      m[i] = static_cast<std::uint64_t>(s);
      carry = static_cast<std::uint64_t>(s >> 64);
    } else {
      const Double s = static_cast<Double>(m[i]) - other[i] - carry;
      m[i] = static_cast<std::uint64_t>(s);
      carry = (s >> 64) != 0 ? 1 : 0;
    }
  }
  return normalised(m, wide, a.exponent + 64, a.negative);
}

Long operator-(const Long& a, const Long& b) { return a + (-b); }

Long operator*(const Long& a, const Long& b) {
  if (a.is_zero || b.is_zero) return {};
  std::uint64_t m[2 * words] = {};
  for (int i = words - 1; i >= 0; --i) {
    std::uint64_t carry = 0;
    for (int j = words - 1; j >= 0; --j) {
      const Double p = static_cast<Double>(a.word[i]) * b.word[j] + m[i + j + 1] + carry;
      m[i + j + 1] = static_cast<std::uint64_t>(p);
      carry = static_cast<std::uint64_t>(p >> 64);
    }
    m[i] = carry;
  }
  return normalised(m, 2 * words, a.exponent + b.exponent, a.negative != b.negative);
}

Long operator/(const Long& a, const Long& b) {
  if (a.is_zero) return a;
  // Newton for 1 / b from a double: 53, 105, 209, all digits.
  const Long base = scaled(b, -b.exponent);
  Long y = make(1 / approximately(base));
  for (int i = 0; i < 3; ++i) y = y + y * (one() - base * y);
  Long q = a * scaled(y, -b.exponent);
  // The last digits: quotients that are exact come out exact.
  return q + scaled(y, -b.exponent) * (a - q * b);
}

Long root(const Long& a) {
  if (a.is_zero) return a;
  // An even exponent, then Newton for 1 / sqrt from a double.
  const std::int64_t half = a.exponent >> 1;
  const Long base = scaled(a, -2 * half);
  Long y = make(1 / std::sqrt(approximately(base)));
  for (int i = 0; i < 3; ++i) y = y + scaled(y * (one() - base * y * y), -1);
  return scaled(base * y, half);
}

double exp(double x) { return round(exp(make(x))); }
double log(double x, double near) { return round(log(make(x), near)); }

double pow(double x, double y, double near_log) { return round(exp(make(y) * log(make(x), near_log))); }

double sin(double x) { return round(at(x).sine); }
double cos(double x) { return round(at(x).cosine); }
double tan(double x) {
  const Turned t = at(x);
  return round(t.sine / t.cosine);
}

double sinh(double x) {
  const Long up = exp(make(x));
  return round(scaled(up - one() / up, -1));
}
double cosh(double x) {
  const Long up = exp(make(x));
  return round(scaled(up + one() / up, -1));
}
double tanh(double x) {
  const Long up = exp(make(2 * x));
  return round((up - one()) / (up + one()));
}

double asin(double x) {
  const Long size = make(x < 0 ? -x : x);
  const double value = round(angle(size, opposite(size)));
  return x < 0 ? -value : value;
}
double acos(double x) {
  const Long size = make(x < 0 ? -x : x);
  const Long small = angle(opposite(size), size);
  return round(x < 0 ? scaled(half_pi(), 1) - small : small);
}
double atan2(double y, double x) {
  const Long small = angle(make(y < 0 ? -y : y), make(x < 0 ? -x : x));
  const double value = round(x < 0 ? scaled(half_pi(), 1) - small : small);
  return y < 0 ? -value : value;
}

}  // namespace zwang::elementary::slow
