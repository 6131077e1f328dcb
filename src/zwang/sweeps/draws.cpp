/// Hashes, the inverse of the normal law, Sobol's sequence.
#include "zwang/sweeps/draws.hpp"

#include <bit>
#include <cassert>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/sweeps/directions.hpp"

namespace zwang::sweeps {

static_assert(joe_kuo.size() + 1 == dimensions);

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

/// Every bit of the result depends on every bit of z (Stafford's thirteenth mix, as in splitmix64).
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EB;
  return z ^ (z >> 31U);
}

/// Fowler, Noll, Vo.
constexpr std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

/// The middle of one of 2^52 equal parts of (0, 1).
constexpr double in_unit(std::uint64_t part) { return (static_cast<double>(part) + 0.5) * 0x1p-52; }

/// c[0] + c[1] x + ...
template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = 0;
  for (std::size_t k = N; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

}  // namespace

std::uint64_t key_of(std::uint64_t seed, std::string_view name) { return mix(mix(seed + golden) + hash_of(name)); }

double uniform(std::uint64_t key, std::uint64_t k) { return in_unit(mix(mix(key + (k + 1) * golden) ^ key) >> 12U); }

double inverse_normal(double p) {
  // M. J. Wichura, Algorithm AS 241, Applied Statistics 37 (1988), 477-484: three rational functions, of q^2 in the middle and of
  // r = sqrt(-log(tail)) outside.
  constexpr std::array<double, 8> a = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array<double, 8> b = {1.0,
                                       4.2313330701600911252e+1,
                                       6.8718700749205790830e+2,
                                       5.3941960214247511077e+3,
                                       2.1213794301586595867e+4,
                                       3.9307895800092710610e+4,
                                       2.8729085735721942674e+4,
                                       5.2264952788528545610e+3};
  constexpr std::array<double, 8> c = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                       3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> d = {1.0,
                                       2.05319162663775882187e0,
                                       1.67638483018380384940e0,
                                       6.89767334985100004550e-1,
                                       1.48103976427480074590e-1,
                                       1.51986665636164571966e-2,
                                       5.47593808499534494600e-4,
                                       1.05075007164441684324e-9};
  constexpr std::array<double, 8> e = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                       2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> f = {1.0,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};
  constexpr double middle = 0.425;
  constexpr double far = 5;
  constexpr double shift = 1.6;
  constexpr double middle_squared = middle * middle;
  assert(p > 0 && p < 1);
  const double q = p - 0.5;
  if (std::abs(q) <= middle) {
    const double r = middle_squared - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-elementary::log(q < 0 ? p : 1 - p));
  const double size =
      r <= far ? polynomial(c, r - shift) / polynomial(d, r - shift) : polynomial(e, r - far) / polynomial(f, r - far);
  return q < 0 ? -size : size;
}

std::uint32_t dimension_of(std::string_view name) {
  return static_cast<std::uint32_t>(mix(hash_of(name)) % dimensions);
}

Directions directions_of(std::uint32_t dimension) {
  assert(dimension < dimensions);
  constexpr unsigned bits = 32;
  Directions v = {};
  if (dimension == 0) {
    for (unsigned i = 0; i < bits; ++i) v[i] = 1U << (bits - 1 - i);
    return v;
  }
  // m_i = 2 p_1 m_(i-1) ^ 4 p_2 m_(i-2) ^ ... ^ 2^d m_(i-d) ^ m_(i-d), d the degree of the polynomial z^d + p_1 z^(d-1) + ... + 1;
  // v_i = m_i / 2^i.
  const Direction& direction = joe_kuo[dimension - 1];
  const auto degree = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(direction.polynomial))) - 1;
  for (unsigned i = 0; i < bits; ++i) {
    if (i < degree) {
      v[i] = static_cast<std::uint32_t>(direction.start[i]) << (bits - 1 - i);
      continue;
    }
    v[i] = v[i - degree] ^ (v[i - degree] >> degree);
    for (unsigned j = 1; j < degree; ++j) {
      if ((direction.polynomial >> (degree - j) & 1U) != 0) v[i] ^= v[i - j];
    }
  }
  return v;
}

std::uint32_t sobol(const Directions& directions, std::uint64_t k) {
  assert(k < std::uint64_t{1} << 32U);
  std::uint32_t point = 0;
  for (std::size_t i = 0; k != 0; ++i, k >>= 1U) {
    if ((k & 1U) != 0) point ^= directions[i];
  }
  return point;
}

double scrambled(const Directions& directions, std::uint64_t key, std::uint64_t k) {
  const std::uint32_t point = sobol(directions, k);
  // Digit i is turned over or not by what stands before it: points that agree in their first digits still do, and nothing else is left of the order.
  std::uint32_t out = point;
  for (unsigned i = 0; i < 32; ++i) {
    const std::uint64_t before = i == 0 ? 0 : std::uint64_t{point} >> (32 - i);
    const std::uint64_t turn = mix(mix(key + (i + 1) * golden) ^ before) >> 63U;
    out ^= static_cast<std::uint32_t>(turn) << (31 - i);
  }
  // Digits behind the last are zeros, scrambled.
  const std::uint64_t rest = mix(mix(key) ^ point) >> 44U;
  return in_unit(std::uint64_t{out} << 20U | rest);
}

}  // namespace zwang::sweeps
