/// The elementary functions are the doubles nearest to the true values (MPFR knows these), and behave at every border.
#include "zwang/elementary/elementary.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "zwang/elementary/kernels.hpp"
#include "zwang/elementary/long_number.hpp"
#include "zwang/elementary/several.hpp"

namespace elementary_tests {
namespace {

namespace elementary = zwang::elementary;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double least = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Numbers of a multiple precision library, rounded as doubles are, subnormal ones too.
class Reference {
 public:
  using Unary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
  using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

  Reference() {
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    mpfr_inits2(53, a_, b_, value_, static_cast<mpfr_ptr>(nullptr));
  }
  ~Reference() { mpfr_clears(a_, b_, value_, static_cast<mpfr_ptr>(nullptr)); }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  double operator()(Unary f, double x) {
    mpfr_set_d(a_, x, MPFR_RNDN);
    return rounded(f(value_, a_, MPFR_RNDN));
  }
  double operator()(Binary f, double x, double y) {
    mpfr_set_d(a_, x, MPFR_RNDN);
    mpfr_set_d(b_, y, MPFR_RNDN);
    return rounded(f(value_, a_, b_, MPFR_RNDN));
  }

 private:
  double rounded(int direction) {
    mpfr_subnormalize(value_, direction, MPFR_RNDN);
    return mpfr_get_d(value_, MPFR_RNDN);
  }
  mpfr_t a_, b_, value_;
};

/// Arguments of many kinds, from a seed.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  /// A size evenly spread over powers of two between two exponents, of either sign.
  double spread(int low, int high) {
    const int exponent = std::uniform_int_distribution<int>(low, high - 1)(engine_);
    return std::ldexp(uniform(1, 2), exponent) * (engine_() % 2 == 0 ? 1 : -1);
  }
  /// Any finite double.
  double any() {
    for (;;) {
      const double x = std::bit_cast<double>(engine_());
      if (std::isfinite(x)) return x;
    }
  }
  double whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

 private:
  std::mt19937_64 engine_;
};

using Maker = std::function<double(Draw&)>;

struct Function {
  std::string name;
  double (*own)(double);
  Reference::Unary truth;
  std::vector<Maker> arguments;
};

Maker uniform(double low, double high) {
  return [=](Draw& d) { return d.uniform(low, high); };
}
Maker spread(int low, int high) {
  return [=](Draw& d) { return d.spread(low, high); };
}
Maker around(double centre, int low, int high) {
  return [=](Draw& d) { return centre + d.spread(low, high); };
}
double any(Draw& d) { return d.any(); }
double size_of_any(Draw& d) { return std::abs(d.any()); }
/// Near multiples of pi / 2, where sine or cosine have few digits of their argument left.
double near_quarters(Draw& d) {
  const double quarters = std::floor(std::abs(d.spread(0, 40)));
  return std::nextafter(quarters * 0x1.921fb54442d18p0, d.whole(0, 1) == 0 ? -1e300 : 1e300);
}

std::vector<Function> functions() {
  const std::vector<Maker> circular = {uniform(-7, 7), spread(-30, 20), spread(14, 1024), any, near_quarters};
  const std::vector<Maker> within_one = {uniform(-1, 1), spread(-30, 0), around(1, -53, -2), around(-1, -53, -2)};
  return {
      {"exp",
       elementary::exp,
       mpfr_exp,
       {uniform(-1, 1), uniform(-746, 710), spread(-60, 10), uniform(-746, -707), any}},
      {"log",
       elementary::log,
       mpfr_log,
       {size_of_any, uniform(0.5, 2), around(1, -53, -2), [](Draw& d) { return std::abs(d.spread(-1074, -1020)); },
        any}},
      {"sin", elementary::sin, mpfr_sin, circular},
      {"cos", elementary::cos, mpfr_cos, circular},
      {"tan", elementary::tan, mpfr_tan, circular},
      {"asin", elementary::asin, mpfr_asin, within_one},
      {"acos", elementary::acos, mpfr_acos, within_one},
      {"atan", elementary::atan, mpfr_atan, {uniform(-4, 4), spread(-30, 70), any}},
      {"sinh", elementary::sinh, mpfr_sinh, {uniform(-2, 2), spread(-30, 10), uniform(705, 712), any}},
      {"cosh", elementary::cosh, mpfr_cosh, {uniform(-2, 2), spread(-30, 10), uniform(705, 712), any}},
      {"tanh", elementary::tanh, mpfr_tanh, {uniform(-2, 2), spread(-30, 5), uniform(18, 20), any}},
  };
}

/// Arguments per kind: a hundredth of what `make soak` takes.
int count(int quick) { return std::getenv("ZWANG_SOAK") != nullptr ? 100 * quick : quick; }

TEST(Elementary, functions_of_one_number_are_correctly_rounded) {
  Reference reference;
  for (const Function& f : functions()) {
    Draw draw(1);
    for (const Maker& make : f.arguments) {
      for (int i = 0; i < count(3000); ++i) {
        const double x = make(draw);
        const double value = f.own(x);
        const double truth = reference(f.truth, x);
        ASSERT_TRUE(same_bits(value, truth))
            << f.name << "(" << std::hexfloat << x << ") is " << truth << ", not " << value;
      }
    }
  }
}

TEST(Elementary, the_angle_of_a_point_is_correctly_rounded) {
  Reference reference;
  Draw draw(2);
  for (int i = 0; i < count(6000); ++i) {
    const double pairs[][2] = {{draw.uniform(-1, 1), draw.uniform(-1, 1)},
                               {draw.spread(-60, 60), draw.spread(-60, 60)},
                               {draw.any(), draw.any()},
                               {draw.whole(-300, 300), draw.whole(-300, 300)}};
    for (const auto& [y, x] : pairs) {
      const double truth = reference(mpfr_atan2, y, x);
      ASSERT_TRUE(same_bits(elementary::atan2(y, x), truth)) << std::hexfloat << y << " " << x << " " << truth;
    }
  }
}

TEST(Elementary, powers_are_correctly_rounded) {
  Reference reference;
  Draw draw(3);
  for (int i = 0; i < count(3000); ++i) {
    const double pairs[][2] = {{draw.uniform(0, 10), draw.uniform(-20, 20)},
                               {std::abs(draw.spread(-40, 40)), draw.uniform(-30, 30)},
                               {std::abs(draw.any()), draw.spread(-20, 10)},
                               {1 + draw.spread(-52, -10), draw.spread(0, 62)},
                               {draw.any(), draw.any()},
                               {draw.any(), draw.whole(-9, 9)},
                               {draw.whole(-30, 30), draw.whole(-30, 30)},
                               {draw.whole(0, 4000), draw.whole(0, 50) / 4},
                               {std::ldexp(1.0, static_cast<int>(draw.whole(-1074, 1023))), draw.whole(-60, 60) / 8}};
    for (const auto& [x, y] : pairs) {
      const double truth = reference(mpfr_pow, x, y);
      ASSERT_TRUE(same_bits(elementary::pow(x, y), truth)) << std::hexfloat << x << " " << y << " " << truth;
    }
  }
}

TEST(Elementary, powers_that_doubles_hold_are_exact) {
  // Whole numbers to whole powers below 2^53, and the way back by fractions with a power of two below.
  for (std::uint64_t base = 2; base < 200; ++base) {
    std::uint64_t power = base;
    for (int n = 2; power < (std::uint64_t{1} << 53) / base; ++n) {
      power *= base;
      const auto b = static_cast<double>(base);
      const auto p = static_cast<double>(power);
      ASSERT_EQ(elementary::pow(b, n), p);
      ASSERT_EQ(elementary::pow(-b, n), n % 2 == 0 ? p : -p);
      if (n == 2 || n == 4 || n == 8 || n == 16 || n == 32) {
        ASSERT_EQ(elementary::pow(p, 1.0 / n), b) << base << " " << n;
      }
    }
  }
  // Midpoints between two doubles go to the even one: (2^27 + 1)^2 / 2^k needs 54 bits.
  ASSERT_EQ(elementary::pow(0x1.0000002p0, 2), 0x1.0000004p0);
  ASSERT_EQ(elementary::pow(208065.0, 3),
            208065.0 * 208065.0 * 208065.0);  // 54 bits and odd: a tie, the product rounds once
}

TEST(Elementary, borders_are_those_of_ieee754) {
  struct Case {
    std::string name;
    double value, expected;
  };
  const double half_pi = 0x1.921fb54442d18p0;
  const double pi = 2 * half_pi;
  const std::vector<Case> cases = {
      {"exp 0", elementary::exp(0.0), 1},
      {"exp -inf", elementary::exp(-infinity), 0},
      {"exp inf", elementary::exp(infinity), infinity},
      {"exp nan", elementary::exp(nan), nan},
      {"exp of the last finite", elementary::exp(0x1.62e42fefa39efp9), 0x1.fffffffffff2ap1023},
      {"exp beyond", elementary::exp(0x1.62e42fefa39f0p9), infinity},
      {"exp of the last subnormal", elementary::exp(-0x1.74910d52d3051p9), least},
      {"exp below", elementary::exp(-0x1.74910d52d3052p9), 0},
      {"exp of the largest", elementary::exp(largest), infinity},
      {"exp of minus the largest", elementary::exp(-largest), 0},
      {"log 1", elementary::log(1.0), 0},
      {"log 0", elementary::log(0.0), -infinity},
      {"log -0", elementary::log(-0.0), -infinity},
      {"log -1", elementary::log(-1.0), nan},
      {"log -inf", elementary::log(-infinity), nan},
      {"log inf", elementary::log(infinity), infinity},
      {"log nan", elementary::log(nan), nan},
      {"log of the least", elementary::log(least), -0x1.74385446d71c3p9},
      {"sin -0", elementary::sin(-0.0), -0.0},
      {"sin 0", elementary::sin(0.0), 0.0},
      {"sin of the least", elementary::sin(-least), -least},
      {"sin inf", elementary::sin(infinity), nan},
      {"sin nan", elementary::sin(nan), nan},
      {"cos -0", elementary::cos(-0.0), 1},
      {"cos -inf", elementary::cos(-infinity), nan},
      {"tan -0", elementary::tan(-0.0), -0.0},
      {"tan inf", elementary::tan(infinity), nan},
      {"asin -0", elementary::asin(-0.0), -0.0},
      {"asin 1", elementary::asin(1.0), half_pi},
      {"asin -1", elementary::asin(-1.0), -half_pi},
      {"asin beyond", elementary::asin(1.0000000000000002), nan},
      {"asin nan", elementary::asin(nan), nan},
      {"acos 1", elementary::acos(1.0), 0.0},
      {"acos -1", elementary::acos(-1.0), pi},
      {"acos 0", elementary::acos(0.0), half_pi},
      {"acos beyond", elementary::acos(-2.0), nan},
      {"atan -0", elementary::atan(-0.0), -0.0},
      {"atan inf", elementary::atan(infinity), half_pi},
      {"atan -inf", elementary::atan(-infinity), -half_pi},
      {"atan nan", elementary::atan(nan), nan},
      {"atan2 0 0", elementary::atan2(0.0, 0.0), 0.0},
      {"atan2 -0 0", elementary::atan2(-0.0, 0.0), -0.0},
      {"atan2 0 -0", elementary::atan2(0.0, -0.0), pi},
      {"atan2 -0 -0", elementary::atan2(-0.0, -0.0), -pi},
      {"atan2 0 1", elementary::atan2(0.0, 1.0), 0.0},
      {"atan2 -0 -1", elementary::atan2(-0.0, -1.0), -pi},
      {"atan2 1 0", elementary::atan2(1.0, 0.0), half_pi},
      {"atan2 -1 -0", elementary::atan2(-1.0, -0.0), -half_pi},
      {"atan2 1 inf", elementary::atan2(1.0, infinity), 0.0},
      {"atan2 -1 -inf", elementary::atan2(-1.0, -infinity), -pi},
      {"atan2 inf 1", elementary::atan2(infinity, 1.0), half_pi},
      {"atan2 inf inf", elementary::atan2(infinity, infinity), half_pi / 2},
      {"atan2 inf -inf", elementary::atan2(infinity, -infinity), 0x1.2d97c7f3321d2p1},
      {"atan2 -inf -inf", elementary::atan2(-infinity, -infinity), -0x1.2d97c7f3321d2p1},
      {"atan2 nan", elementary::atan2(nan, 1.0), nan},
      {"atan2 of the least", elementary::atan2(least, least), half_pi / 2},
      {"atan2 underflows", elementary::atan2(-least, largest), -0.0},
      {"sinh -0", elementary::sinh(-0.0), -0.0},
      {"sinh -inf", elementary::sinh(-infinity), -infinity},
      {"sinh nan", elementary::sinh(nan), nan},
      {"sinh beyond", elementary::sinh(-711.0), -infinity},
      {"cosh 0", elementary::cosh(-0.0), 1},
      {"cosh -inf", elementary::cosh(-infinity), infinity},
      {"tanh -0", elementary::tanh(-0.0), -0.0},
      {"tanh -inf", elementary::tanh(-infinity), -1},
      {"tanh inf", elementary::tanh(infinity), 1},
      {"tanh nan", elementary::tanh(nan), nan},
      {"pow nan 0", elementary::pow(nan, 0.0), 1},
      {"pow 1 nan", elementary::pow(1.0, nan), 1},
      {"pow nan 2", elementary::pow(nan, 2.0), nan},
      {"pow 0 2", elementary::pow(0.0, 2.0), 0},
      {"pow -0 3", elementary::pow(-0.0, 3.0), -0.0},
      {"pow -0 4", elementary::pow(-0.0, 4.0), 0.0},
      {"pow -0 -3", elementary::pow(-0.0, -3.0), -infinity},
      {"pow -0 -4", elementary::pow(-0.0, -4.0), infinity},
      {"pow -0 0.5", elementary::pow(-0.0, 0.5), 0.0},
      {"pow -inf 0.5", elementary::pow(-infinity, 0.5), infinity},
      {"pow -inf 3", elementary::pow(-infinity, 3.0), -infinity},
      {"pow -inf -3", elementary::pow(-infinity, -3.0), -0.0},
      {"pow inf -1", elementary::pow(infinity, -1.0), 0.0},
      {"pow -1 inf", elementary::pow(-1.0, infinity), 1},
      {"pow 2 inf", elementary::pow(2.0, infinity), infinity},
      {"pow 0.5 inf", elementary::pow(0.5, infinity), 0},
      {"pow -0.5 -inf", elementary::pow(-0.5, -infinity), infinity},
      {"pow -8 1/3", elementary::pow(-8.0, 1.0 / 3), nan},
      {"pow -2 huge", elementary::pow(-2.0, 0x1p60), infinity},
      {"pow overflows odd", elementary::pow(-10.0, 309.0), -infinity},
      {"pow underflows odd", elementary::pow(-10.0, -325.0), -0.0},
      {"pow of the least", elementary::pow(least, 0.5), 0x1p-537},
      {"pow to the least", elementary::pow(2.0, -1074.0), least},
      {"log1p -1", elementary::log1p(-1.0), -infinity},
      {"log1p -2", elementary::log1p(-2.0), nan},
      {"log1p -0", elementary::log1p(-0.0), -0.0},
      {"log1p inf", elementary::log1p(infinity), infinity},
      {"expm1 -0", elementary::expm1(-0.0), -0.0},
      {"expm1 -inf", elementary::expm1(-infinity), -1},
      {"expm1 inf", elementary::expm1(infinity), infinity},
      {"exp2 -1074", elementary::exp2(-1074.0), least},
      {"exp2 1023", elementary::exp2(1023.0), 0x1p1023},
      {"exp2 1024", elementary::exp2(1024.0), infinity},
      {"exp2 -inf", elementary::exp2(-infinity), 0},
      {"log2 0", elementary::log2(0.0), -infinity},
      {"log2 of the least", elementary::log2(least), -1074},
      {"log10 1e22", elementary::log10(1e22), 22},
      {"atanh 1", elementary::atanh(1.0), infinity},
      {"atanh -1", elementary::atanh(-1.0), -infinity},
      {"atanh 2", elementary::atanh(2.0), nan},
      {"hypot inf nan", elementary::hypot(-infinity, nan), infinity},
      {"hypot nan", elementary::hypot(1.0, nan), nan},
      {"hypot of the largest", elementary::hypot(largest, largest), infinity},
      {"hypot of the least", elementary::hypot(3 * least, 4 * least), 5 * least},
      {"hypot 0 0", elementary::hypot(-0.0, -0.0), 0.0},
      {"hypot large", elementary::hypot(3e300, 4e300), 5e300},
      {"hypot of three", elementary::hypot(2.0, 3.0, 6.0), 7},
  };
  for (const Case& c : cases) EXPECT_TRUE(same_bits(c.value, c.expected)) << c.name << " is " << c.value;
}

TEST(Elementary, two_powers_have_whole_logarithms) {
  for (int k = -1074; k < 1024; ++k) {
    const double x = std::ldexp(1.0, k);
    ASSERT_EQ(elementary::log2(x), k);
    ASSERT_EQ(elementary::exp2(k), x);
  }
}

TEST(Elementary, odd_and_even_functions_are_symmetric_to_the_last_bit) {
  Draw draw(4);
  for (int i = 0; i < count(20000); ++i) {
    for (const double x : {draw.any(), draw.spread(-30, 10), draw.uniform(-1, 1)}) {
      for (const auto f : {elementary::sin, elementary::tan, elementary::atan, elementary::sinh, elementary::tanh,
                           elementary::asin, elementary::atanh}) {
        ASSERT_TRUE(same_bits(f(-x), -f(x))) << x;
      }
      for (const auto f : {elementary::cos, elementary::cosh}) ASSERT_TRUE(same_bits(f(-x), f(x))) << x;
      const double y = draw.spread(-30, 30);
      ASSERT_TRUE(same_bits(elementary::atan2(-y, x), -elementary::atan2(y, x)));
    }
  }
}

TEST(Elementary, functions_rise_and_fall_as_they_should_from_double_to_double) {
  struct Stretch {
    double (*f)(double);
    double low, high;
    int sign;
  };
  const double half_pi = 0x1.921fb54442d18p0;
  const std::vector<Stretch> stretches = {
      {elementary::exp, -745, 709, 1}, {elementary::exp, -1e-3, 1e-3, 1},       {elementary::log, 1e-300, 1e300, 1},
      {elementary::log, 0.9, 1.1, 1},  {elementary::sin, -half_pi, half_pi, 1}, {elementary::sin, 1.5, half_pi, 1},
      {elementary::cos, 0, 3.14, -1},  {elementary::cos, 0, 1e-3, -1},          {elementary::tan, -1.57, 1.57, 1},
      {elementary::asin, -1, 1, 1},    {elementary::acos, -1, 1, -1},           {elementary::atan, -50, 50, 1},
      {elementary::atan, 1e5, 1e9, 1}, {elementary::sinh, -700, 700, 1},        {elementary::sinh, -2, 2, 1},
      {elementary::cosh, 0, 2, 1},     {elementary::cosh, 0, 1e-3, 1},          {elementary::tanh, -20, 20, 1},
      {elementary::tanh, 15, 19.1, 1},
  };
  Draw draw(5);
  for (const Stretch& s : stretches) {
    for (int i = 0; i < count(500); ++i) {
      double x = draw.uniform(s.low, s.high);
      double y = s.f(x);
      for (int step = 0; step < 20; ++step) {
        const double next = std::nextafter(x, infinity);
        if (next > s.high) break;
        const double value = s.f(next);
        ASSERT_GE(s.sign * (value - y), 0) << std::hexfloat << x;
        x = next;
        y = value;
      }
    }
  }
}

TEST(Elementary, sine_and_cosine_together_have_the_same_bits_as_each_alone) {
  Draw draw(6);
  for (int i = 0; i < count(20000); ++i) {
    for (const double x : {draw.any(), draw.spread(-30, 30), draw.uniform(-7, 7), near_quarters(draw)}) {
      const auto [sine, cosine] = elementary::sin_cos(x);
      ASSERT_TRUE(same_bits(sine, elementary::sin(x)) && same_bits(cosine, elementary::cos(x))) << x;
    }
  }
}

TEST(Elementary, functions_of_several_numbers_have_the_bits_of_each_alone) {
  // Whatever stands beside a number: one that is settled quickly, one that is not, an infinity or none at all.
  Draw draw(16);
  constexpr unsigned most = 19;
  std::array<double, most> x{};
  std::array<double, most> y{};
  std::array<double, most> found{};
  std::array<double, most> other{};
  const std::array<double, 15> borders = {0.0,  -0.0, 1.0,     infinity, -infinity, nan,   0x1p-27, 0x1p16,
                                          40.0, 710,  largest, least,    -1.0,      711.5, 0x1p-14};
  const auto any = [&](int turn) {
    switch (turn % 5) {
      case 0: return draw.any();
      case 1: return draw.spread(-40, 12);
      case 2: return borders[static_cast<std::size_t>(turn / 5) % borders.size()];
      case 3: return near_quarters(draw);
      default: return draw.uniform(-3, 3);
    }
  };
  int turn = 0;
  for (int i = 0; i < count(3000); ++i) {
    const unsigned size = static_cast<unsigned>(i) % (most + 1);
    for (unsigned k = 0; k < size; ++k) {
      x[k] = any(++turn * 7 + i);
      y[k] = any(++turn * 3 + i);
    }
    elementary::sin_cos(x.data(), size, found.data(), other.data());
    for (unsigned k = 0; k < size; ++k) {
      const auto [sine, cosine] = elementary::sin_cos(x[k]);
      ASSERT_TRUE(same_bits(sine, found[k]) && same_bits(cosine, other[k])) << x[k];
    }
    elementary::sinh(x.data(), size, found.data());
    for (unsigned k = 0; k < size; ++k) ASSERT_TRUE(same_bits(elementary::sinh(x[k]), found[k])) << x[k];
    elementary::hypot(x.data(), y.data(), size, found.data());
    for (unsigned k = 0; k < size; ++k) ASSERT_TRUE(same_bits(elementary::hypot(x[k], y[k]), found[k])) << x[k];
  }
}

TEST(Elementary, the_slow_way_gives_the_same_bits) {
  namespace slow = elementary::slow;
  Draw draw(7);
  for (int i = 0; i < count(300); ++i) {
    for (const double x : {draw.uniform(-3, 3), draw.spread(-25, 9)}) {
      ASSERT_EQ(slow::exp(x), elementary::exp(x)) << x;
      ASSERT_EQ(slow::sin(x), elementary::sin(x)) << x;
      ASSERT_EQ(slow::cos(x), elementary::cos(x)) << x;
      ASSERT_EQ(slow::tan(x), elementary::tan(x)) << x;
      ASSERT_EQ(slow::sinh(x), elementary::sinh(x)) << x;
      ASSERT_EQ(slow::cosh(x), elementary::cosh(x)) << x;
      if (std::abs(x) < 18) {
        ASSERT_EQ(slow::tanh(x), elementary::tanh(x)) << x;
      }
      ASSERT_EQ(slow::log(std::abs(x), std::log(std::abs(x))), elementary::log(std::abs(x))) << x;
      const double y = draw.spread(-30, 30);
      ASSERT_EQ(slow::atan2(y, x), elementary::atan2(y, x)) << y << " " << x;
      const double part = draw.uniform(-1, 1);
      ASSERT_EQ(slow::asin(part), elementary::asin(part)) << part;
      ASSERT_EQ(slow::acos(part), elementary::acos(part)) << part;
    }
    const double base = std::abs(draw.spread(-30, 30));
    const double exponent = draw.uniform(-5, 5);
    ASSERT_EQ(slow::pow(base, exponent, std::log(base)), elementary::pow(base, exponent)) << base << " " << exponent;
  }
}

/// The value of a kernel less the truth, in long arithmetic: the bounds that decide when the slow way is taken.
TEST(Elementary, kernels_keep_their_error_bounds) {
  constexpr int digits = 200;
  mpfr_t truth;
  mpfr_init2(truth, digits);
  Draw draw(8);
  for (int i = 0; i < count(20000); ++i) {
    const double x = draw.uniform(-700, 700);
    const elementary::Scaled e = elementary::exp_kernel(x, 0);
    mpfr_set_d(truth, x, MPFR_RNDN);
    mpfr_exp(truth, truth, MPFR_RNDN);
    mpfr_mul_2si(truth, truth, -static_cast<long>(e.scale), MPFR_RNDN);
    mpfr_sub_d(truth, truth, e.value.high, MPFR_RNDN);
    mpfr_sub_d(truth, truth, e.value.low, MPFR_RNDN);
    ASSERT_LT(std::abs(mpfr_get_d(truth, MPFR_RNDN)), 0x1p-67) << x;

    for (const double z : {std::abs(draw.any()), 1 + draw.spread(-50, -3), draw.uniform(0.5, 2)}) {
      if (z == 1) continue;
      const elementary::Twofold l = elementary::log_kernel(z);
      mpfr_set_d(truth, z, MPFR_RNDN);
      mpfr_log(truth, truth, MPFR_RNDN);
      mpfr_sub_d(truth, truth, l.high, MPFR_RNDN);
      mpfr_sub_d(truth, truth, l.low, MPFR_RNDN);
      ASSERT_LT(std::abs(mpfr_get_d(truth, MPFR_RNDN)), 0x1p-67 * std::min(std::abs(l.high), 0x1p-8))
          << std::hexfloat << z;
    }
  }
  mpfr_clear(truth);
}

/// |value - truth| in units in the last place of the truth.
double units(double value, mpfr_t truth, mpfr_t work) {
  mpfr_sub_d(work, truth, value, MPFR_RNDN);
  const double size = std::abs(mpfr_get_d(truth, MPFR_RNDN));
  const double unit = std::ldexp(1.0, std::max(std::ilogb(size), -1022) - 52);
  return std::abs(mpfr_get_d(work, MPFR_RNDN)) / unit;
}

TEST(Elementary, the_other_functions_are_within_their_units) {
  mpfr_t truth;
  mpfr_t work;
  mpfr_inits2(160, truth, work, static_cast<mpfr_ptr>(nullptr));
  struct Other {
    std::string name;
    double (*own)(double);
    Reference::Unary truth;
    double allowed;
    std::vector<Maker> arguments;
  };
  const std::vector<Other> others = {
      {"exp2", elementary::exp2, mpfr_exp2, 0.52, {uniform(-1, 1), uniform(-1021, 1023), spread(-60, 9)}},
      {"expm1", elementary::expm1, mpfr_expm1, 0.52, {uniform(-1, 1), spread(-60, 9), uniform(-50, 80)}},
      {"log2", elementary::log2, mpfr_log2, 0.52, {size_of_any, uniform(0.5, 2), around(1, -52, -2)}},
      {"log10", elementary::log10, mpfr_log10, 0.52, {size_of_any, uniform(0.5, 2), around(1, -52, -2)}},
      {"log1p",
       elementary::log1p,
       mpfr_log1p,
       0.52,
       {uniform(-0.99, 1), spread(-60, 0), [](Draw& d) { return std::abs(d.spread(-60, 1000)); }}},
      {"atanh", elementary::atanh, mpfr_atanh, 2, {uniform(-1, 1), spread(-60, 0)}},
  };
  for (const Other& f : others) {
    Draw draw(9);
    double worst = 0;
    for (const Maker& make : f.arguments) {
      for (int i = 0; i < count(5000); ++i) {
        const double x = make(draw);
        mpfr_set_d(truth, x, MPFR_RNDN);
        f.truth(truth, truth, MPFR_RNDN);
        const double off = units(f.own(x), truth, work);
        ASSERT_LT(off, f.allowed) << f.name << "(" << std::hexfloat << x << ")";
        worst = std::max(worst, off);
      }
    }
    RecordProperty(f.name, std::to_string(worst));
  }
  Draw draw(10);
  for (int i = 0; i < count(5000); ++i) {
    const double pairs[][2] = {{draw.uniform(-1, 1), draw.uniform(-1, 1)},
                               {draw.spread(-30, 30), draw.spread(-30, 30)},
                               {draw.spread(-1000, 1000), draw.spread(-1000, 1000)}};
    for (const auto& [x, y] : pairs) {
      mpfr_set_d(truth, x, MPFR_RNDN);
      mpfr_set_d(work, y, MPFR_RNDN);
      mpfr_hypot(truth, truth, work, MPFR_RNDN);
      ASSERT_LT(units(elementary::hypot(x, y), truth, work), 0.52) << std::hexfloat << x << " " << y;
    }
  }
  mpfr_clears(truth, work, static_cast<mpfr_ptr>(nullptr));
}

}  // namespace
}  // namespace elementary_tests
