/// Numbers of a design: sample k draws as a function of the seed, the name of the parameter and k alone, so that samples may be drawn in any
/// order and by any number of hands.
///
///   u_k = (floor(h_k / 2^12) + 1/2) / 2^52,  h_k = mix(mix(K + (k + 1) g) ^ K)       uniform in (0, 1), never an end of it
///   z_k = Phi^-1(u_k)                                                               normal
///   s_k = k_0 v_1 ^ k_1 v_2 ^ ...                                                   Sobol's sequence in binary digits
///   x_i = s_i ^ h(K, i, s_1 .. s_(i-1))                                             Owen's scramble, digit by digit
///
/// Symbols: K the key made of seed and name, g = 0x9E3779B97F4A7C15, k_i the binary digits of k, v_i direction numbers of one dimension, Phi the
/// distribution function of the normal law. Reference: docs/mathematics, section 25.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace zwang::sweeps {

/// The key of a parameter under a seed: all its draws follow from it.
[[nodiscard]] std::uint64_t key_of(std::uint64_t seed, std::string_view name);

/// Uniform in (0, 1), a multiple of 2^-53.
[[nodiscard]] double uniform(std::uint64_t key, std::uint64_t k);

/// The x below which a normal variable of mean 0 and deviation 1 lies with probability p, 0 < p < 1; relative error below 1e-15.
[[nodiscard]] double inverse_normal(double p);

/// How many dimensions of Sobol's sequence there are.
inline constexpr std::uint32_t dimensions = 256;
/// The dimension of a parameter, by its name: different names nearly always have different ones.
[[nodiscard]] std::uint32_t dimension_of(std::string_view name);

/// v_1, v_2, ... of a dimension, as the digits behind the binary point of 32-bit fractions.
using Directions = std::array<std::uint32_t, 32>;
[[nodiscard]] Directions directions_of(std::uint32_t dimension);
/// Point k of the sequence as it is, k < 2^32.
[[nodiscard]] std::uint32_t sobol(const Directions& directions, std::uint64_t k);
/// The same, scrambled by the key, in (0, 1).
[[nodiscard]] double scrambled(const Directions& directions, std::uint64_t key, std::uint64_t k);

}  // namespace zwang::sweeps
