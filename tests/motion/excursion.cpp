/// First excursions whose answer is known beforehand.
#include "zwang/motion/excursion.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <vector>

namespace zwang::motion::excursion_tests {

namespace {

using Kind = Excursion::Kind;
using Coefficients = std::vector<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Excursion first(const Coefficients& c, double h, double threshold = 0, double from = 0) {
  return first_excursion(c, h, threshold, from);
}

/// size * product of (s - zero).
Coefficients with_zeros(double size, const std::vector<double>& zeros) {
  std::vector<long double> p{size};
  for (const double zero : zeros) {
    p.insert(p.begin(), 0);
    for (std::size_t k = 0; k + 1 < p.size(); ++k) p[k] -= zero * p[k + 1];
  }
  return {p.begin(), p.end()};
}

/// The series of -height + sin(phase + w s).
Coefficients wave(double height, double w, double phase, int degree) {
  Coefficients c;
  double factor = 1;
  for (int k = 0; k <= degree; ++k) {
    c.push_back(factor * std::sin(phase + k * std::acos(-1.0) / 2));
    factor *= w / (k + 1);
  }
  c[0] -= height;
  return c;
}

}  // namespace

TEST(Excursion, terms_are_summed_by_absolute_value) {
  EXPECT_EQ(terms(Coefficients{1, -2, 3}, 0.5), 1 + 1 + 0.75);
  EXPECT_EQ(terms(Coefficients{-1, 0, 0, 0, 0, 0, -2}, 2), 1 + 128);
  EXPECT_EQ(terms(Coefficients{}, 2), 0);
  EXPECT_EQ(terms(Coefficients{-3}, 0), 3);
  // Powers beyond the range of numbers.
  Coefficients c(41, 0.0);
  c[40] = 1e-300;
  EXPECT_NEAR(terms(c, 1e10) / 1e100, 1, 1e-13);
  c[40] = 1e300;
  EXPECT_NEAR(terms(c, 1e-10) / 1e-100, 1, 1e-13);
}

TEST(Excursion, a_stone_thrown_up_comes_back_when_the_square_root_says) {
  // A floor, f = -(1 + 2 s - 9.81/2 s^2).
  const auto fall = first({-1, -2, 4.905}, 5);
  EXPECT_EQ(fall.kind, Kind::crossing);
  EXPECT_NEAR(fall.at, (2 + std::sqrt(4 + 4 * 4.905)) / 9.81, eps);
  // From the floor itself: starts in the band, falls out of it, comes back.
  const auto back = first({0, -2, 4.905}, 5);
  EXPECT_EQ(back.kind, Kind::crossing);
  EXPECT_NEAR(back.at, 2 / 4.905, eps);
  // The step ends before.
  EXPECT_EQ(first({-1, -2, 4.905}, 0.5).kind, Kind::none);
  EXPECT_EQ(first({0, -2, 4.905}, 0.3).kind, Kind::none);
}

TEST(Excursion, far_below_zero_nothing_happens) {
  EXPECT_EQ(first({-100, 1, 1, 1, 1}, 2).kind, Kind::none);
  EXPECT_EQ(first(wave(1.001, 3, 0, 25), 1).kind, Kind::none);
  EXPECT_EQ(first({-1}, 10).kind, Kind::none);
}

TEST(Excursion, of_a_wave_begins_at_its_arc_sine) {
  const auto found = first(wave(0.5, 3, 0.1, 30), 1);
  EXPECT_EQ(found.kind, Kind::crossing);
  EXPECT_NEAR(found.at, (std::asin(0.5) - 0.1) / 3, 2 * eps);
}

TEST(Excursion, which_starts_at_zero_follows_the_first_coefficient_that_is_not_zero) {
  for (const double h : {1e-6, 1.0, 1e3}) {
    EXPECT_EQ(first({0, 1}, h).kind, Kind::crossing);
    EXPECT_EQ(first({0, 1}, h).at, 0);
    EXPECT_EQ(first({0, -1}, h).kind, Kind::none);
    EXPECT_EQ(first({0, 0, 1}, h).kind, Kind::crossing);
    EXPECT_EQ(first({0, 0, 1}, h).at, 0);
    EXPECT_EQ(first({0, 0, -1}, h).kind, Kind::none);
    EXPECT_EQ(first({0, 0, 0, 0, 0, -1}, h).kind, Kind::none);
    EXPECT_EQ(first({0, 0, 0, 0, 0, 1, 0, 0}, h).kind, Kind::crossing);
  }
  // Above the band from the start.
  EXPECT_EQ(first({1, -1}, 2).kind, Kind::crossing);
  EXPECT_EQ(first({1, -1}, 2).at, 0);
  EXPECT_EQ(first({1e-3, -1}, 2, 1e-2).kind, Kind::none);
}

TEST(Excursion, that_only_touches_is_a_graze_on_both_sides_of_zero) {
  // -(s - 1/3)^2 + lift.
  for (const double lift : {-1e-15, -1e-17, 0.0, 1e-17, 1e-15}) {
    const double at = 1.0 / 3;
    const auto touch = first({-at * at + lift, 2 * at, -1}, 1);
    EXPECT_EQ(touch.kind, Kind::graze) << lift;
    EXPECT_NEAR(touch.at, at, 2 * eps);
  }
  const auto wide = first({-0.25 - 1e-7, 1, -1}, 1, 1e-6);
  EXPECT_EQ(wide.kind, Kind::graze);
  EXPECT_NEAR(wide.at, 0.5, eps);
  EXPECT_EQ(first({-0.25 - 1e-7, 1, -1}, 1, 1e-8).kind, Kind::none);
  const auto through = first({-0.25 + 1e-7, 1, -1}, 1, 1e-8);
  EXPECT_EQ(through.kind, Kind::crossing);
  EXPECT_NEAR(through.at, 0.5 - std::sqrt(1e-7), 1e-9);
}

TEST(Excursion, touching_at_a_flat_top_is_still_one_graze) {
  // -(s - 1/2)^m: the band is wide, the maximum flat.
  for (int m = 4; m <= 10; m += 2) {
    const auto touch = first(with_zeros(-1, Coefficients(static_cast<std::size_t>(m), 0.5)), 1);
    EXPECT_EQ(touch.kind, Kind::graze) << m;
    EXPECT_NEAR(touch.at, 0.5, std::pow(64 * eps * std::pow(2, m), 1.0 / m)) << m;
  }
  // Rising through an inflexion of any order.
  for (int m = 3; m <= 9; m += 2) {
    const auto rise = first(with_zeros(1, Coefficients(static_cast<std::size_t>(m), 0.5)), 1);
    EXPECT_EQ(rise.kind, Kind::crossing) << m;
    // Values are known to 4 (m eps/2)^2 of their terms, (1/2 + 1/2)^m.
    EXPECT_NEAR(rise.at, 0.5, std::pow(m * m * eps * eps, 1.0 / m)) << m;
  }
}

TEST(Excursion, closing_twice_within_a_step_reports_the_first_time) {
  // Below, above, below, above.
  const auto found = first(with_zeros(1, {0.3, 0.5, 0.8}), 1);
  EXPECT_EQ(found.kind, Kind::crossing);
  EXPECT_NEAR(found.at, 0.3, 4 * eps);
  // A short hop of 1e-6 before a long one.
  const auto hop = first(with_zeros(1, {0.3, 0.3 + 1e-6, 0.8}), 1);
  EXPECT_EQ(hop.kind, Kind::crossing);
  EXPECT_NEAR(hop.at, 0.3, 1e-9);
  // From the second on.
  const auto second = first(with_zeros(1, {0.3, 0.5, 0.8}), 1, 0, 0.55);
  EXPECT_EQ(second.kind, Kind::crossing);
  EXPECT_NEAR(second.at, 0.8, 4 * eps);
  // A graze before a crossing is the first event.
  const auto graze = first(with_zeros(1, {0.25, 0.25, 0.75}), 1);
  EXPECT_EQ(graze.kind, Kind::graze);
  EXPECT_NEAR(graze.at, 0.25, 1e-8);
}

TEST(Excursion, a_cluster_of_zeros_does_not_hide_the_excursion_after_it) {
  const auto found = first(with_zeros(-1, {0.4, 0.4001, 0.4002, 0.4003, 0.4004, 0.9}), 1);
  EXPECT_EQ(found.kind, Kind::crossing);
  EXPECT_NEAR(found.at, 0.4004, 1e-2);
  EXPECT_GT(found.at, 0.39);
}

TEST(Excursion, at_the_ends_of_the_step) {
  // Zero exactly at h: in the band at the end.
  const auto end = first({-1, 1}, 1);
  EXPECT_EQ(end.kind, Kind::pending);
  EXPECT_NEAR(end.at, 1, 200 * eps);
  EXPECT_LT(end.at, 1);
  // Maximum exactly at h.
  EXPECT_EQ(first({-1, 2, -1}, 1).kind, Kind::pending);
  // Just beyond, just before.
  EXPECT_EQ(first({-1, 1}, 1 - 1e-13).kind, Kind::none);
  const auto inside = first({-1, 1}, 1 + 1e-13);
  EXPECT_EQ(inside.kind, Kind::crossing);
  EXPECT_EQ(inside.at, 1);
  // A step of no length.
  EXPECT_EQ(first({-1, 1}, 0).kind, Kind::none);
  EXPECT_EQ(first({1, 1}, 0).kind, Kind::crossing);
  EXPECT_EQ(first({0, 1}, 0).kind, Kind::pending);
  EXPECT_EQ(first({-1, 1}, 2, 0, 2).kind, Kind::crossing);
  EXPECT_EQ(first({-1, 1}, 2, 0, 2).at, 2);
}

TEST(Excursion, that_never_leaves_the_band_is_pending) {
  EXPECT_EQ(first({0, 0, 0}, 1).kind, Kind::pending);
  EXPECT_EQ(first({0, 0, 0}, 1).at, 0);
  EXPECT_EQ(first({}, 1).kind, Kind::pending);
  EXPECT_EQ(first({1e-20, -3e-20, 1e-20}, 1, 1e-15).kind, Kind::pending);
  EXPECT_EQ(first({0, 0, 0}, 1, 0, 0.25).at, 0.25);
  EXPECT_EQ(first({5, 3}, 1, infinity).kind, Kind::pending);
  // Rises into a wide band and stays.
  const auto rise = first({-1, 1}, 1.5, 0.6);
  EXPECT_EQ(rise.kind, Kind::pending);
  EXPECT_NEAR(rise.at, 0.4, eps);
}

TEST(Excursion, that_passes_zero_within_the_band_says_where) {
  const auto rise = first({-0.25, 1}, 0.5, 0.6);
  EXPECT_EQ(rise.kind, Kind::pending);
  EXPECT_EQ(rise.at, 0);
  EXPECT_NEAR(rise.through, 0.25, eps);
  // Not through zero at the end, or not from below.
  EXPECT_EQ(first({-0.25, 1}, 0.2, 0.6).through, 0);
  EXPECT_EQ(first({0.25, 0.1}, 0.5, 0.6).through, 0);
}

TEST(Excursion, what_is_no_polynomial_tells_nothing) {
  for (const double wrong : {not_a_number, infinity, -infinity}) {
    EXPECT_EQ(first({wrong, 1}, 1).kind, Kind::none);
    EXPECT_EQ(first({-1, wrong}, 1).kind, Kind::none);
    EXPECT_EQ(first({-1, 2, wrong, 0, 0, 0, 0, 1}, 1).kind, Kind::none);
    if (!(wrong < 0)) {
      EXPECT_EQ(first({-1, 1}, wrong).kind, Kind::none);
    }
  }
  EXPECT_EQ(first({-1, 2}, -1).kind, Kind::none);
  EXPECT_EQ(first({-1, 2}, 1, 0, 1.5).kind, Kind::none);
  EXPECT_EQ(first({-1, 2}, 1, not_a_number).kind, Kind::crossing);
  EXPECT_EQ(first({-1, 2}, 1, 0, -7).at, 0.5);
}

TEST(Excursion, does_not_care_for_units) {
  // Time and value in units of any power of two: the same bits, from 1e-300 to 1e300.
  const auto c = wave(0.5, 3, 0.1, 24);
  const auto here = first(c, 1);
  for (const int time : {-400, -60, -3, 5, 60, 300}) {
    for (const int size : {-600, -300, 0, 200, 500}) {
      Coefficients other;
      bool faithful = true;
      for (std::size_t k = 0; k < c.size(); ++k) {
        const int shift = size - time * static_cast<int>(k);
        other.push_back(std::ldexp(c[k], shift));
        faithful = faithful && std::ldexp(other.back(), -shift) == c[k] && std::isfinite(other.back());
      }
      if (!faithful) continue;
      const auto there = first(other, std::ldexp(1.0, time));
      EXPECT_EQ(there.kind, here.kind) << time << ' ' << size;
      EXPECT_EQ(there.at, std::ldexp(here.at, time)) << time << ' ' << size;
    }
  }
  // Extremes that the loop above reaches only with few coefficients.
  EXPECT_NEAR(first({-1e-300, 1e-308}, 1e9).at / 1e8, 1, 4 * eps);
  EXPECT_NEAR(first({-1e300, 1e308}, 1e-7).at / 1e-8, 1, 4 * eps);
  EXPECT_NEAR(first({-1e-300, 0, 0, 1e300}, 1e-199).at / 1e-200, 1, 4 * eps);
}

TEST(Excursion, of_high_degree_is_found_too) {
  for (const int degree : {40, 63, 64, 100, 200}) {
    // s^degree - 1/2, and a wave with many zeros at the end.
    Coefficients c(static_cast<std::size_t>(degree) + 1, 0.0);
    c[0] = -0.5;
    c.back() = 1;
    const auto found = first(c, 1);
    EXPECT_EQ(found.kind, Kind::crossing);
    EXPECT_NEAR(found.at, std::pow(0.5, 1.0 / degree), 2 * eps);
  }
  const auto late = first(wave(0.9999, 12, -1.5, 63), 1);
  EXPECT_EQ(late.kind, Kind::crossing);
  EXPECT_NEAR(late.at, (std::asin(0.9999) + 1.5) / 12, 1e-9);
}

TEST(Excursion, is_the_same_from_anywhere_before_it) {
  EXPECT_TRUE(rc::check([] {
    const auto a = *rc::gen::inRange(1, 900);
    const auto gap = *rc::gen::inRange(1, 99);
    const double zero = a / 1000.0;
    const auto c = with_zeros(-1, {zero, zero + gap / 1000.0});
    const double from = zero * *rc::gen::inRange(0, 990) / 1000.0;
    const auto whole = first(c, 1);
    const auto part = first(c, 1, 0, from);
    RC_ASSERT(whole.kind == Kind::crossing);
    RC_ASSERT(part.kind == Kind::crossing);
    RC_ASSERT(std::abs(whole.at - zero) <= 16 * eps * zero / (gap / 1000.0));
    RC_ASSERT(std::abs(part.at - whole.at) <= 4 * eps);
  }));
}

TEST(Excursion, lies_where_the_polynomial_turns_from_negative_to_positive) {
  EXPECT_TRUE(rc::check([](const std::vector<int>& small) {
    Coefficients c{-1};
    double scale = 1;
    for (const int x : small) c.push_back((x % 100) * (scale *= 0.5));
    if (c.size() > 60) c.resize(60);
    const auto found = first(c, 1);
    const auto value = [&](double s) {
      long double sum = 0;
      for (std::size_t k = c.size(); k-- > 0;) sum = sum * s + c[k];
      return sum;
    };
    if (found.kind == Kind::crossing) {
      RC_ASSERT(value(found.at - 4 * eps) < 1e-18L * terms(c, 1));
      RC_ASSERT(value(found.at + 4 * eps) > -1e-18L * terms(c, 1));
    }
    const double end = found.kind == Kind::none ? 1 : found.at;
    for (int i = 0; i <= 1000; ++i) RC_ASSERT(value(end * i / 1000) <= 128 * eps * terms(c, 1));
  }));
}

}  // namespace zwang::motion::excursion_tests
