/// Sums over orders in lanes have the bits of plain loops, by fours and by whatever the processor likes.
#include "zwang/expressions/lane_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/remainders.hpp"

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

namespace {

/// Instructions drawn by lot, some of which bounds take in vectors and some one by one, and a number for everything.
struct Lot {
  static constexpr unsigned orders = 9;
  static constexpr unsigned known = orders - 1;
  static constexpr std::size_t inputs = 3;
  Tape tape;
  std::vector<double> registers, factors;
  explicit Lot(std::mt19937_64& draw) {
    tape.inputs.resize(inputs);
    tape.constants = {1.5};
    constexpr std::array<Op, 12> ops = {Op::add,    Op::subtract,   Op::multiply, Op::negate, Op::scale, Op::square,
                                        Op::divide, Op::reciprocal, Op::sqrt,     Op::exp,    Op::sin,   Op::sinh};
    for (int i = 0; i < 14; ++i) {
      const auto count = static_cast<std::uint32_t>(tape.registers());
      Instruction one;
      one.op = ops[draw() % ops.size()];
      one.a = static_cast<std::uint32_t>(draw() % count);
      one.b = static_cast<std::uint32_t>(draw() % count);
      const bool pair = one.op == Op::sin || one.op == Op::sinh;
      if (pair) one.b = count + 1;
      tape.instructions.push_back(one);
      if (!pair) continue;
      one.op = one.op == Op::sin ? Op::cos : Op::cosh;
      one.b = count;
      tape.instructions.push_back(one);
    }
    registers = numbers(draw, tape.registers() * orders * apart, -1);
    factors = numbers(draw, tape.instructions.size() * apart, -1);
  }
  /// Of all sizes from `least` to 1, and some zeros.
  static std::vector<double> numbers(std::mt19937_64& draw, std::size_t count, double least) {
    std::uniform_real_distribution<double> between(least, 1);
    std::vector<double> out(count);
    for (double& x : out) x = draw() % 9 == 0 ? 0.0 : std::ldexp(between(draw), static_cast<int>(draw() % 8) - 5);
    return out;
  }
  /// The tape and the registers of one lane.
  [[nodiscard]] Tape tape_of(unsigned lane) const {
    Tape out = tape;
    for (std::size_t i = 0; i < out.instructions.size(); ++i) out.instructions[i].c = factors[i * apart + lane];
    return out;
  }
  [[nodiscard]] std::vector<double> registers_of(unsigned lane) const {
    std::vector<double> out(tape.registers() * orders);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = registers[k * apart + lane];
    return out;
  }
};

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

}  // namespace

TEST(LaneBounds, of_discs_are_those_of_each_tape_alone) {
  std::mt19937_64 draw(5);
  constexpr double inside = 0.625;
  for (int round = 0; round < 200; ++round) {
    const Lot lot(draw);
    const std::size_t size = lot.tape.registers();
    for (const unsigned lanes : widths) {
      for (const unsigned first : {0U, 8U}) {
        const std::vector<double> of_inputs = Lot::numbers(draw, 2 * Lot::inputs * lanes, 0);
        std::array<Circle, most_lanes_at_once> circles;
        for (Circle& one : circles) one = {0.5 + static_cast<double>(draw() % 64) / 64, 0.25, Lot::known};
        std::vector<double> outer(size * lanes);
        std::vector<double> radius(size * lanes);
        std::copy_n(of_inputs.begin(), Lot::inputs * lanes, outer.begin());
        std::copy_n(of_inputs.begin() + static_cast<std::ptrdiff_t>(Lot::inputs * lanes), Lot::inputs * lanes,
                    radius.begin());
        // What each lane comes to by itself.
        std::vector<std::vector<double>> alone(2 * lanes, std::vector<double>(size));
        std::vector<double> own(lot.tape.instructions.size() * lanes);
        for (unsigned l = 0; l < lanes; ++l) {
          const std::vector<double> its = lot.registers_of(first + l);
          for (std::size_t i = 0; i < Lot::inputs; ++i) {
            alone[l][i] = outer[i * lanes + l];
            alone[lanes + l][i] = radius[i * lanes + l];
          }
          const Tape tape = lot.tape_of(first + l);
          spread(tape, its.data(), Lot::orders, 1, circles[l], alone[l].data());
          spread(tape, its.data(), Lot::orders, 1, circles[l], alone[lanes + l].data(), alone[l].data(), inside);
          for (std::size_t i = 0; i < lot.tape.instructions.size(); ++i) {
            const double* c = its.data() + (Lot::inputs + 1 + i) * Lot::orders;
            for (unsigned k = Lot::known; k-- > 1;)
              own[i * lanes + l] = (own[i * lanes + l] + std::abs(c[k])) * circles[l].radius;
          }
        }
        const std::span<const Circle> some(circles.data(), lanes);
        spread_some_of_many(lot.tape, lot.factors.data() + first, lot.registers.data() + first, Lot::orders, some,
                            nullptr, outer.data(), nullptr, inside);
        spread_some_of_many(lot.tape, lot.factors.data() + first, lot.registers.data() + first, Lot::orders, some,
                            own.data(), radius.data(), outer.data(), inside);
        for (std::size_t r = 0; r < size; ++r) {
          for (unsigned l = 0; l < lanes; ++l) {
            ASSERT_TRUE(same_bits(outer[r * lanes + l], alone[l][r])) << round << ' ' << r << ' ' << l;
            ASSERT_TRUE(same_bits(radius[r * lanes + l], alone[lanes + l][r])) << round << ' ' << r << ' ' << l;
          }
        }
      }
    }
  }
}

TEST(LaneBounds, of_remainders_are_those_of_each_tape_alone) {
  std::mt19937_64 draw(6);
  for (int round = 0; round < 200; ++round) {
    const Lot lot(draw);
    const std::vector<std::uint32_t> sized = sized_registers(lot.tape);
    for (const unsigned lanes : widths) {
      for (const unsigned first : {0U, 8U}) {
        const std::vector<double> of_inputs = Lot::numbers(draw, Lot::inputs * lanes, 0);
        std::array<double, most_lanes_at_once> h{};
        for (double& x : h) x = 0.25 + static_cast<double>(draw() % 64) / 64;
        Stretches steps;
        steps.lanes = lanes;
        steps.set(h.data(), Lot::orders);
        Remainders together;
        make_room(lot.tape, lanes, Lot::known, together);
        std::copy(of_inputs.begin(), of_inputs.end(), together.error.begin());
        bound_some_of_many(lot.tape, lot.factors.data() + first, sized, lot.registers.data() + first, Lot::orders, 1,
                           Lot::known, steps, together);
        for (unsigned l = 0; l < lanes; ++l) {
          const Tape tape = lot.tape_of(first + l);
          const std::vector<double> its = lot.registers_of(first + l);
          Remainders alone;
          make_room(tape, 1, Lot::known, alone);
          for (std::size_t i = 0; i < Lot::inputs; ++i) alone.error[i] = of_inputs[i * lanes + l];
          bound_remainders(tape, sized, its.data(), Lot::orders, 1, Lot::known, Stretch(h[l], Lot::orders), alone);
          for (std::size_t r = 0; r < tape.registers(); ++r) {
            ASSERT_TRUE(same_bits(together.error[r * lanes + l], alone.error[r])) << round << ' ' << r << ' ' << l;
          }
        }
      }
    }
  }
}

}  // namespace zwang::expressions::lane_sums_tests
