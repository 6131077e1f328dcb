/// Sums over orders in lanes have the bits of plain loops, by fours and by whatever the processor likes.
#include "zwang/expressions/lane_sums.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <set>

namespace zwang::expressions::lane_sums_tests {

namespace {

constexpr unsigned orders = 11;
constexpr std::size_t apart = 16;

/// Three series of sixteen lanes with coefficients of all sizes and signs.
struct Numbers {
  std::vector<double> c = std::vector<double>(3 * orders * apart);
  std::array<double, 3 * most_lanes_at_once> h{};
  Numbers() {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> between(-1, 1);
    for (double& x : c) x = std::ldexp(between(random), static_cast<int>(random() % 40) - 20);
    for (double& x : h) x = 0.25 + std::abs(between(random));
  }
  [[nodiscard]] double at(std::size_t series, unsigned k, unsigned lane) const {
    return c[(series * orders + k) * apart + lane];
  }
};

const std::set<unsigned> widths = {4, lanes_at_once()};

}  // namespace

TEST(LaneSums, are_those_of_plain_loops) {
  const Numbers given;
  for (const unsigned lanes : widths) {
    SCOPED_TRACE(lanes);
    for (const unsigned first : {0U, 8U}) {
      const LaneSum sum{lanes, given.c.data() + first, apart, given.h.data()};
      std::array<double, most_lanes_at_once> rest{};
      std::array<double, most_lanes_at_once> value{};
      std::array<double, most_lanes_at_once> end{};
      std::array<double, most_lanes_at_once> half{};
      std::array<double, most_lanes_at_once> terms{};
      std::array<double, orders * most_lanes_at_once> powers{};
      add_up_rest(sum, 4, orders - 1, rest.data());
      add_up_values(sum, orders, value.data());
      add_up_rates(sum, orders, end.data(), half.data(), terms.data());
      raise_many(sum, orders - 1, powers.data());
      for (unsigned l = 0; l < lanes; ++l) {
        const double h = given.h[l];
        double of_rest = 0;
        double of_value = 0;
        double of_end = 0;
        double of_half = 0;
        double of_terms = 0;
        double power = 1;
        for (unsigned k = orders; k-- > 0;) {
          const double c = given.at(0, k, first + l);
          of_value = of_value * h + c;
          if (k >= 4) of_rest = of_rest * h + std::abs(c);
          if (k == 0) continue;
          of_end = of_end * h + k * c;
          of_half = of_half * (0.5 * h) + k * c;
          of_terms = of_terms * h + std::abs(k * c);
        }
        EXPECT_EQ(rest[l], of_rest);
        EXPECT_EQ(value[l], of_value);
        EXPECT_EQ(end[l], of_end);
        EXPECT_EQ(half[l], of_half);
        EXPECT_EQ(terms[l], of_terms);
        for (unsigned k = 0; k < orders; ++k, power *= h) EXPECT_EQ(powers[k * lanes + l], power);
      }
    }
  }
}

TEST(LaneSums, of_several_series_and_radii_do_not_mix) {
  const Numbers given;
  for (const unsigned lanes : widths) {
    for (const unsigned radii : {2U, 3U}) {
      for (const std::size_t series : {1U, 2U, 3U}) {
        std::array<std::vector<double>, 3> found;
        for (std::vector<double>& one : found) one.assign(series * lanes, -1.0);
        add_up_sizes({{lanes, given.c.data(), apart, given.h.data()},
                      orders * apart,
                      series,
                      radii,
                      orders - 1,
                      {found[0].data(), found[1].data(), found[2].data()}});
        for (unsigned which = 0; which < 3; ++which) {
          for (std::size_t s = 0; s < series; ++s) {
            for (unsigned l = 0; l < lanes; ++l) {
              double sum = 0;
              for (unsigned k = orders - 1; k > 0; --k)
                sum = (sum + std::abs(given.at(s, k, l))) * given.h[which * lanes + l];
              EXPECT_EQ(found[which][s * lanes + l], which < radii ? sum : -1.0) << which << ' ' << s << ' ' << l;
            }
          }
        }
      }
    }
  }
}

TEST(LaneSums, of_tails_are_added_up_as_in_blocks_of_fewer_lanes) {
  const Numbers given;
  for (const unsigned lanes : widths) {
    std::array<double, orders * most_lanes_at_once> powers{};
    raise_many({lanes, nullptr, apart, given.h.data()}, orders - 1, powers.data());
    constexpr unsigned filled = 12;
    const std::size_t room = std::size_t{filled} * lanes;
    std::vector<double> term(2 * room, -1.0);
    std::vector<double> later(2 * room, -1.0);
    const std::vector<std::uint32_t> sized = {0, 1};
    size_up_many(
        {lanes, sized, given.c.data(), orders * apart, apart, orders, powers.data(), term.data(), later.data(), room});
    for (unsigned l = 0; l < lanes; ++l) {
      double sum = 0;
      for (unsigned k = 1; k < orders; ++k) {
        EXPECT_EQ(term[room + k * lanes + l], std::abs(given.at(1, k, l)) * powers[k * lanes + l]);
        sum += term[room + (orders - k) * lanes + l];
        EXPECT_EQ(later[room + k * lanes + l], sum);
      }
      for (const unsigned k : {0U, orders}) EXPECT_EQ(later[room + k * lanes + l] + term[room + k * lanes + l], 0.0);
    }
    for (const unsigned sums : {1U, 2U, 4U}) {
      std::array<double, most_lanes_at_once> found{};
      add_up_tail({lanes, term.data(), later.data() + room, filled, sums, found.data()});
      for (unsigned l = 0; l < lanes; ++l) {
        std::array<double, 4> part{};
        for (unsigned k = 0; k < filled; ++k) part[k % sums] += term[k * lanes + l] * later[room + k * lanes + l];
        EXPECT_EQ(found[l], (part[0] + part[2]) + (part[1] + part[3])) << sums;
      }
    }
  }
}

}  // namespace zwang::expressions::lane_sums_tests
