/// Draws: they follow their laws, and nothing but seed, name and number decides them.
#include "zwang/sweeps/draws.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "zwang/sweeps/directions.hpp"

namespace zwang::sweeps::draws_tests {
namespace {

double fraction(std::uint32_t digits) { return std::ldexp(static_cast<double>(digits), -32); }

TEST(Sobol, the_first_dimension_is_van_der_corputs) {
  const Directions v = directions_of(0);
  for (std::uint32_t k = 0; k < 4096; ++k) {
    std::uint32_t mirrored = 0;
    for (unsigned i = 0; i < 32; ++i) mirrored |= (k >> i & 1U) << (31 - i);
    ASSERT_EQ(sobol(v, k), mirrored) << k;
  }
}

TEST(Sobol, the_first_points_of_the_second_and_third_dimension_are_the_tabulated_ones) {
  // By hand from m = 1, 3, 5, 15 (z + 1) and m = 1, 3, 3 (z^2 + z + 1: m_3 = 2 m_2 ^ 4 m_1 ^ m_1 = 3): halves, quarters, eighths.
  const double second[] = {0, 0.5, 0.75, 0.25, 0.625, 0.125, 0.375, 0.875};
  const double third[] = {0, 0.5, 0.75, 0.25, 0.375, 0.875, 0.625, 0.125};
  for (std::uint32_t k = 0; k < 8; ++k) {
    EXPECT_EQ(fraction(sobol(directions_of(1), k)), second[k]) << k;
    EXPECT_EQ(fraction(sobol(directions_of(2), k)), third[k]) << k;
  }
}

TEST(Sobol, every_polynomial_is_primitive_and_every_start_is_odd_and_small) {
  std::set<std::uint32_t> met;
  for (const Direction& direction : joe_kuo) {
    const std::uint32_t p = direction.polynomial;
    const auto degree = static_cast<unsigned>(std::bit_width(p)) - 1;
    EXPECT_TRUE(met.insert(p).second);
    // z generates all residues: its powers come back to 1 after 2^degree - 1 steps, not earlier.
    std::uint32_t power = 1;
    std::uint32_t order = 0;
    do {
      power <<= 1U;
      if ((power >> degree & 1U) != 0) power ^= p;
      ++order;
    } while (power != 1 && order < (1U << degree));
    EXPECT_EQ(order, (1U << degree) - 1) << p;
    for (unsigned i = 0; i < degree; ++i) {
      EXPECT_EQ(direction.start[i] % 2, 1);
      EXPECT_LT(direction.start[i], 1U << (i + 1));
    }
  }
}

TEST(Sobol, the_direction_numbers_obey_the_recurrence_on_whole_numbers) {
  // m_i = 2 p_1 m_(i-1) ^ ... ^ 2^d m_(i-d) ^ m_(i-d), on the numbers m_i = 2^i v_i themselves.
  for (std::uint32_t dimension = 1; dimension < dimensions; ++dimension) {
    const Direction& direction = joe_kuo[dimension - 1];
    const auto degree = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(direction.polynomial))) - 1;
    const Directions v = directions_of(dimension);
    std::vector<std::uint64_t> m;
    for (unsigned i = 0; i < 32; ++i) {
      if (i < degree) {
        m.push_back(direction.start[i]);
      } else {
        std::uint64_t next = m[i - degree] ^ m[i - degree] << degree;
        for (unsigned j = 1; j < degree; ++j) {
          if ((direction.polynomial >> (degree - j) & 1U) != 0) next ^= m[i - j] << j;
        }
        m.push_back(next);
      }
      ASSERT_EQ(v[i], m[i] << (31 - i)) << dimension << " " << i;
    }
  }
}

TEST(Sobol, scrambled_or_not_every_binary_part_gets_its_share) {
  constexpr unsigned digits = 10;
  for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
    const Directions v = directions_of(dimension);
    std::vector<int> plain(1U << digits), mixed(1U << digits);
    for (std::uint64_t k = 0; k < 1U << digits; ++k) {
      ++plain[sobol(v, k) >> (32 - digits)];
      ++mixed[static_cast<std::size_t>(std::ldexp(scrambled(v, 77, k), digits))];
    }
    for (std::size_t part = 0; part < plain.size(); ++part) {
      ASSERT_EQ(plain[part], 1) << dimension;
      ASSERT_EQ(mixed[part], 1) << dimension;
    }
  }
}

TEST(Sobol, the_first_two_dimensions_fill_every_rectangle_of_a_quarter_of_thousand_parts) {
  // A (0, 2)-sequence: of 1024 points each of the 1024 boxes of sides 2^-a, 2^-(10-a) gets one, and Owen's scramble keeps that.
  const Directions x = directions_of(0);
  const Directions y = directions_of(1);
  for (int a = 0; a <= 10; ++a) {
    std::set<std::pair<int, int>> boxes;
    for (std::uint64_t k = 0; k < 1024; ++k) {
      boxes.emplace(static_cast<int>(std::ldexp(scrambled(x, 5, k), a)),
                    static_cast<int>(std::ldexp(scrambled(y, 6, k), 10 - a)));
    }
    EXPECT_EQ(boxes.size(), 1024U) << a;
  }
}

TEST(Sobol, another_seed_scrambles_otherwise_and_sums_stay_exact) {
  const Directions v = directions_of(3);
  EXPECT_NE(scrambled(v, 1, 5), scrambled(v, 2, 5));
  // The mean of 2^14 points of a smooth function: the error of a scrambled net falls with the power 3/2, here below 1e-6; 16384 independent draws would be off by 2e-3.
  double sum = 0;
  constexpr int count = 1 << 14;
  for (int k = 0; k < count; ++k) sum += std::exp(scrambled(v, 9, static_cast<std::uint64_t>(k)));
  EXPECT_NEAR(sum / count, std::exp(1.0) - 1, 1e-6);
}

TEST(Normal, the_inverse_is_the_inverse) {
  EXPECT_EQ(inverse_normal(0.5), 0);
  // The double next to 0.975 is off by up to 2^-54, which the density there, 0.058, makes 9.5e-16; of 0.99 with 0.027 2.1e-15.
  EXPECT_NEAR(inverse_normal(0.975), 1.9599639845400542355, 9.5e-16 + 5e-16);
  EXPECT_NEAR(inverse_normal(0.99), 2.3263478740408411009, 2.1e-15 + 5e-16);
  // Into both tails, as far as the draws go: Phi(x) = erfc(-x / sqrt 2) / 2, whose derivative turns an error of p into one of x.
  for (double x = -8.2; x <= 8.2; x += 0.0625) {
    const double p = 0.5 * std::erfc(-x / std::sqrt(2.0));
    if (!(p > 0 && p < 1)) continue;
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979);
    const double lost = 4 * 0x1p-53 * std::max(p, 1e-18) / density;  // p itself is known to a rounding or two
    EXPECT_NEAR(inverse_normal(p), x, lost + 2e-15 * std::abs(x) + 1e-16) << p;
  }
}

TEST(Uniform, draws_fill_all_parts_alike_and_know_nothing_of_each_other) {
  const std::uint64_t a = key_of(1, "a");
  const std::uint64_t b = key_of(1, "b");
  constexpr int count = 1 << 18;
  constexpr int parts = 256;
  std::vector<int> found(parts);
  double product = 0;
  double serial = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    const double u = uniform(a, k);
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    ++found[static_cast<std::size_t>(u * parts)];
    product += (u - 0.5) * (uniform(b, k) - 0.5);
    serial += (u - 0.5) * (uniform(a, k + 1) - 0.5);
  }
  // Chi squared with 255 degrees of freedom has deviation sqrt(510); sums of products have deviation sqrt(count) / 12. Five deviations.
  double chi = 0;
  const double expected = static_cast<double>(count) / parts;
  for (const int n : found) chi += (n - expected) * (n - expected) / expected;
  EXPECT_NEAR(chi, parts - 1, 5 * std::sqrt(2.0 * (parts - 1)));
  EXPECT_NEAR(product, 0, 5 * std::sqrt(count) / 12);
  EXPECT_NEAR(serial, 0, 5 * std::sqrt(count) / 12);
}

TEST(Uniform, seeds_and_names_give_other_numbers) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* name : {"a", "b", "ab", "ba", "L", "l"}) keys.insert(key_of(seed, name));
  }
  EXPECT_EQ(keys.size(), 600U);
}

}  // namespace
}  // namespace zwang::sweeps::draws_tests
