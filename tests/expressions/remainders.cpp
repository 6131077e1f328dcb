/// Bounds of what series leave out: never smaller than what they really leave out, and not much larger.
#include "zwang/expressions/remainders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "workshop.hpp"
#include "zwang/expressions/discs.hpp"

namespace zwang::expressions::remainders_tests {

namespace {

constexpr unsigned known = 24;

/// One function of t along t = t0 + s, its series and the bound of what the series leaves out on [0, h].
struct Course {
  Course(const std::string& text, double from) : syntax(parse_expression(text)), t0(from) {
    const Expr f = workshop::build(graph, text);
    tape = flatten(graph, {&f, 1}, {&time, 1});
    registers.assign(tape.registers() * known, 0.0);
    load_constants(tape, registers.data(), known, 1);
    registers[0] = t0;
    registers[1] = 1;
    sweep(tape, registers.data(), known, known - 1, 1);
  }

  [[nodiscard]] double polynomial(double s) const {
    const double* y = registers.data() + std::size_t{tape.outputs[0]} * known;
    long double sum = 0;
    for (unsigned k = known; k-- > 0;) sum = sum * s + y[k];
    return static_cast<double>(sum);
  }
  [[nodiscard]] double function(double s) const {
    const double at = t0 + s;
    long double largest = 0;
    return static_cast<double>(workshop::plain_value(syntax, {&at, 1}, largest));
  }
  [[nodiscard]] double bound(double h) {
    Remainders room;
    make_room(tape, 1, known, room);
    room.error[0] = 0;
    bound_remainders(tape, sized_registers(tape), registers.data(), known, 1, known, {h, known}, room);
    return room.error[tape.outputs[0]];
  }
  /// The largest difference on a fine grid.
  [[nodiscard]] double worst(double h) {
    double most = 0;
    for (int i = 0; i <= 1000; ++i) most = std::max(most, std::abs(function(h * i / 1000) - polynomial(h * i / 1000)));
    return most;
  }

  Graph graph;
  Symbol time = workshop::all_symbols[0];
  Syntax syntax;
  double t0;
  Tape tape;
  std::vector<double> registers;
};

const char* const functions[] = {"exp(-(t/0.3)^2)",
                                 "sin(t^3)",
                                 "sin(t)^24",
                                 "tanh((t-1)/0.2)",
                                 "1/(1+25*t^2)",
                                 "sqrt(0.01+(t-0.7)^2)",
                                 "log(1+t^2)*cos(3*t)",
                                 "atan(5*t)",
                                 "tan(t/2)",
                                 "(0.1+t^2)^1.7",
                                 "atan2(t, 1+t^2)",
                                 "asin(t/4)+acos(t/5)",
                                 "sinh(t)*cosh(2*t)",
                                 "t^28",
                                 "exp(sin(2*t))/(2+cos(t))"};

}  // namespace

TEST(Remainders, bound_the_functions_on_the_whole_step) {
  std::mt19937_64 random(3);
  for (const char* text : functions) {
    for (int round = 0; round < 40; ++round) {
      Course course(text, std::uniform_real_distribution<double>(-1.5, 1.5)(random));
      const double h = std::exp(std::uniform_real_distribution<double>(-4, 1)(random));
      const double bound = course.bound(h);
      if (!std::isfinite(bound)) continue;
      // Rounding of the coefficients is no part of the bound.
      double size = 0;
      for (std::size_t k = 0; k < known; ++k) {
        size += std::abs(course.registers[course.tape.outputs[0] * known + k]) * std::pow(h, k);
      }
      EXPECT_LE(course.worst(h), bound + 1e-12 * size + 1e-12) << text << " from " << course.t0 << ", h = " << h;
    }
  }
}

TEST(Remainders, prove_most_of_the_step_on_which_the_series_is_good) {
  // The step at which the bound is 1e-12, beside that at which the true difference is.
  for (const char* text : functions) {
    Course course(text, 0.3);
    const auto reach = [&](auto error) {
      double low = 1e-6, high = 10;
      for (int round = 0; round < 60; ++round) {
        const double middle = std::sqrt(low * high);
        (error(middle) <= 1e-12 ? low : high) = middle;
      }
      return low;
    };
    const double proved = reach([&](double h) { return course.bound(h); });
    const double good = reach([&](double h) { return course.worst(h); });
    EXPECT_GT(proved, 0.7 * good) << text;
  }
}

TEST(Remainders, see_what_is_too_narrow_for_any_sample) {
  // Far from a kick all coefficients are zero, and so is every sample that does not hit it.
  for (const double width : {1e-1, 1e-3, 1e-6}) {
    Course course("exp(-((t-5)/" + std::to_string(width) + ")^2)", 0);
    EXPECT_EQ(course.polynomial(5), 0);
    EXPECT_GT(course.bound(5.5), 0.1);
    EXPECT_LT(course.bound(1.5), 1e-100);
  }
}

TEST(Remainders, of_polynomials_within_the_known_order_there_are_none) {
  for (const char* text : {"3*t^2 - t + 1", "(t-1)^7*(t+2)^3", "(1+t)^20/7"}) {
    Course course(text, 0.4);
    EXPECT_EQ(course.bound(100), 0) << text;
  }
  EXPECT_GT(Course("t^28", 0.4).bound(1), 0);
}

TEST(Discs, enclose_what_functions_become_on_complex_circles) {
  // Coefficients of the series are at most radius / r^k.
  for (const char* text : functions) {
    Course course(text, 0.3);
    for (const double r : {0.02, 0.05, 0.1, 0.3}) {
      std::vector<double> radius(course.tape.registers());
      radius[0] = r;
      spread(course.tape, course.registers.data(), known, 1, {r, 0.5, known}, radius.data());
      const double found = radius[course.tape.outputs[0]];
      if (!std::isfinite(found)) continue;
      for (unsigned k = 1; k < known; ++k) {
        const double c = course.registers[course.tape.outputs[0] * known + k];
        EXPECT_LE(std::abs(c) * std::pow(r, k), found * (1 + 1e-9) + 1e-13) << text << " r = " << r << " k = " << k;
      }
    }
  }
}

TEST(Discs, enclose_the_values_on_the_circle_itself) {
  // Functions of t alone about t = c: the largest |f(c + r e^{i w}) - f(c)| is found on the circle.
  using Complex = std::complex<double>;
  const std::pair<const char*, Complex (*)(const Complex&)> all[] = {{"tanh(t)", [](const Complex& z) { return std::tanh(z); }},
                                                                     {"exp(t)", [](const Complex& z) { return std::exp(z); }},
                                                                     {"sin(t)", [](const Complex& z) { return std::sin(z); }},
                                                                     {"cosh(t)", [](const Complex& z) { return std::cosh(z); }},
                                                                     {"tan(t)", [](const Complex& z) { return std::tan(z); }},
                                                                     {"sqrt(t)", [](const Complex& z) { return std::sqrt(z); }},
                                                                     {"log(t)", [](const Complex& z) { return std::log(z); }},
                                                                     {"1/t", [](const Complex& z) { return 1.0 / z; }},
                                                                     {"atan(t)", [](const Complex& z) { return std::atan(z); }},
                                                                     {"asin(t)", [](const Complex& z) { return std::asin(z); }}};
  int bounded = 0;
  for (const auto& [text, f] : all) {
    for (const double c : {0.2, 0.7, 1.5, 3.0, 6.0}) {
      for (const double r : {0.05, 0.3, 0.6, 1.2, 2.5, 5.0}) {
        Course course(text, c);
        std::vector<double> radius(course.tape.registers());
        radius[0] = r;
        spread(course.tape, course.registers.data(), known, 1, {r, 0.5, 1}, radius.data());
        const double found = radius[course.tape.outputs[0]];
        if (!std::isfinite(found)) continue;
        ++bounded;
        for (int k = 0; k < 360; ++k) {
          const Complex z = c + std::polar(r, k * 3.14159265358979 / 180);
          EXPECT_LE(std::abs(f(z) - f(c)), found * (1 + 1e-9)) << text << " about " << c << ", r = " << r << ", " << k;
        }
      }
    }
  }
  EXPECT_GT(bounded, 100);
}

}  // namespace zwang::expressions::remainders_tests
