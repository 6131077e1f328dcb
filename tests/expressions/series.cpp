/// Power series on the tape: closed forms, repeated derivatives, shifted points.
#include <gtest/gtest.h>

#include <complex>
#include <functional>

#include "expressions/workshop.hpp"

namespace series_tests {
namespace {

using namespace workshop;

constexpr unsigned orders = 16;

/// The series of a text in t at t0.
std::vector<double> in_t(std::string_view text, double t0, unsigned count = orders) {
  Graph graph;
  return series_of(graph, build(graph, text), {{t0, 1.0}}, count);
}

void expect_series(const std::string& text, double t0, const std::function<double(unsigned)>& coefficient,
                   double tolerance = 1e-12) {
  const std::vector<double> found = in_t(text, t0);
  for (unsigned k = 0; k < orders; ++k) {
    const double expected = coefficient(k);
    EXPECT_NEAR(found[k], expected, tolerance * (std::abs(expected) + 1e-3)) << text << " at " << t0 << ", order " << k;
  }
}

double factorial(unsigned k) { return std::tgamma(k + 1.0); }

/// Coefficient k of (u + s)^c.
double binomial(double u, double c, unsigned k) {
  double b = std::pow(u, c - k);
  for (unsigned j = 0; j < k; ++j) b *= (c - j) / (j + 1.0);
  return b;
}

TEST(Series, agrees_with_closed_forms) {
  for (const double u : {0.7, -0.4, 1.3, 2.9}) {
    const double quarter = std::acos(0.0);
    expect_series("sin(t)", u, [&](unsigned k) { return std::sin(u + k * quarter) / factorial(k); });
    expect_series("cos(t)", u, [&](unsigned k) { return std::cos(u + k * quarter) / factorial(k); });
    expect_series("exp(t)", u, [&](unsigned k) { return std::exp(u) / factorial(k); });
    expect_series("sinh(t)", u, [&](unsigned k) { return (k % 2 ? std::cosh(u) : std::sinh(u)) / factorial(k); });
    expect_series("cosh(t)", u, [&](unsigned k) { return (k % 2 ? std::sinh(u) : std::cosh(u)) / factorial(k); });
    expect_series("1/t", u, [&](unsigned k) { return std::pow(-1.0, k) / std::pow(u, k + 1.0); });
    expect_series("t^2", u, [&](unsigned k) { return k == 0 ? u * u : k == 1 ? 2 * u : k == 2 ? 1.0 : 0.0; });
    for (const int n : {3, 5, 12, -2, -7, 64}) {
      expect_series(
          "t^(" + std::to_string(n) + ")", u, [&](unsigned k) { return binomial(u, n, k); }, 1e-10);
    }
    expect_series("2^t", u, [&](unsigned k) { return std::pow(2, u) * std::pow(std::log(2), k) / factorial(k); });

    // atan u = Im log(1 + i u).
    expect_series("atan(t)", u, [&](unsigned k) {
      if (k == 0) return std::atan(u);
      const std::complex<double> q = std::complex<double>(0, -1) / std::complex<double>(1, u);
      return -std::imag(std::pow(q, static_cast<int>(k))) / k;
    });
  }
  for (const double u : {0.7, 1.3, 2.9}) {
    expect_series("log(t)", u, [&](unsigned k) { return k == 0 ? std::log(u) : -std::pow(-1 / u, k) / k; });
    expect_series("sqrt(t)", u, [&](unsigned k) { return binomial(u, 0.5, k); });
    expect_series("t^0.3", u, [&](unsigned k) { return binomial(u, 0.3, k); });
    expect_series("t^-1.5", u, [&](unsigned k) { return binomial(u, -1.5, k); });
    expect_series("t^1.5", u, [&](unsigned k) { return binomial(u, 1.5, k); });
    expect_series("t^-0.7", u, [&](unsigned k) { return binomial(u, -0.7, k); });
    expect_series(
        "t^100", u, [&](unsigned k) { return binomial(u, 100, k); }, 1e-10);
  }
  // asin and acos at 0: binomial(2n, n) / (4^n (2n + 1)).
  const auto asin_at_zero = [](unsigned k) {
    if (k % 2 == 0) return 0.0;
    const unsigned n = k / 2;
    return factorial(2 * n) / (factorial(n) * factorial(n) * std::pow(4, n) * (2 * n + 1));
  };
  expect_series("asin(t)", 0, asin_at_zero);
  expect_series("acos(t)", 0, [&](unsigned k) { return k == 0 ? std::acos(0.0) : -asin_at_zero(k); });
}

TEST(Series, inverse_functions_undo_each_other) {
  const auto identity = [](double u) { return [u](unsigned k) { return k == 0 ? u : k == 1 ? 1.0 : 0.0; }; };
  // The nearest singularity is at least 0.65 away: 15 orders lose a factor 0.65^-15 = 600.
  for (const double u : {0.6, -0.3, 0.9}) {
    expect_series("asin(sin(t))", u, identity(u), 1e-8);
    expect_series("atan(tan(t))", u, identity(u), 1e-8);
    expect_series("tan(atan(t))", u, identity(u), 1e-8);
    expect_series("log(exp(t))", u, identity(u), 1e-8);
    expect_series("sin(asin(t/2))*2", u, identity(u), 1e-8);
    expect_series("cos(acos(t/2))*2", u, identity(u), 1e-8);
    expect_series("exp(2*atan2(sin(t), cos(t))) - exp(2*t) + t", u, identity(u), 1e-8);
    expect_series("atan2(3*sin(t), 3*cos(t))", u, identity(u), 1e-8);
    expect_series("sqrt(1 + t)^2 - 1", u, identity(u), 1e-8);
    expect_series("tan(t)*cos(t) - sin(t) + t", u, identity(u), 1e-8);
    expect_series("tanh(t)*cosh(t) - sinh(t) + t", u, identity(u), 1e-8);
    expect_series("sin(t)^2 + cos(t)^2 + t - 1", u, identity(u), 1e-8);
    expect_series("cosh(t)^2 - sinh(t)^2 + t - 1", u, identity(u), 1e-8);
    expect_series("((2 + t)^0.37)^(1/0.37) - 2", u, identity(u), 1e-8);
    expect_series("(1 + t^2)/(1 + t^2)*t", u, identity(u), 1e-8);
    expect_series("(2 + t)^(1 + t)/(2 + t)^t - 2", u, identity(u), 1e-8);
  }
}

TEST(Series, coefficients_are_repeated_derivatives) {
  Dice dice(31);
  int compared = 0;
  for (int round = 0; round < 3000; ++round) {
    Graph graph;
    const std::string text = random_text(dice, 1 + static_cast<int>(dice.below(3)), true, 1);
    const double t0 = dice.between(0.2, 0.9);
    const std::vector<double> point = {t0};
    Expr e = build(graph, text);
    long double largest = 1;
    (void)plain_value(parse_expression(text), point, largest);
    if (!depends_on(graph, e, SymbolKind::time) || !(largest < 1e3L)) continue;
    const std::vector<double> found = series_of(graph, e, {{t0, 1.0}}, 6);
    for (unsigned k = 0; k < 6; ++k) {
      const double expected = value_of(graph, e, point) / factorial(k);
      // Large coefficients mean a singularity close by, where every digit counts.
      if (!std::isfinite(expected) || std::abs(expected) > 1e4 || graph.size() > 3000) break;
      EXPECT_NEAR(found[k], expected, 1e-6 * (1 + std::abs(expected))) << text << " at " << t0 << ", order " << k;
      ++compared;
      e = derivative(graph, e, all_symbols[0]);
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(Series, sum_to_the_value_at_a_shifted_point) {
  // Several symbols on curved paths.
  Graph graph;
  const char* const texts[] = {"x*y/z + sin(x - y)*exp(z)", "sqrt(x^2 + y^2 + z^2)",   "atan2(y, x)*log(z)^2",
                               "x^y - tanh(x*z)",           "x/(x^2 + y^2 + z^2)^1.5", "asin(x*y*z/4)^3 + acos(x/3)",
                               "cosh(x)/(1 + y^2) - z^2.7"};
  const std::vector<std::vector<double>> paths = {{0.3, 1}, {1.1, 0.4, -0.3}, {0.9, -0.5, 0.2, 0.1}, {1.4, 0.3, 0.1}};
  for (const char* text : texts) {
    const Expr e = build(graph, text);
    const std::vector<double> series = series_of(graph, e, paths, 24);
    for (const double s : {0.1, -0.15, 0.2}) {
      double sum = 0;
      for (std::size_t k = series.size(); k-- > 0;) sum = sum * s + series[k];
      std::vector<double> moved;
      for (const auto& path : paths) {
        double value = 0;
        for (std::size_t k = path.size(); k-- > 0;) value = value * s + path[k];
        moved.push_back(value);
      }
      EXPECT_NEAR(sum, value_of(graph, e, moved), 1e-11) << text << " moved by " << s;
    }
  }
}

TEST(Series, whole_powers_are_exact_at_a_zero_base) {
  // t at 0, coefficient n of t^n is 1 and all others vanish.
  for (const unsigned n : {1U, 2U, 3U, 4U, 7U, 13U, 15U}) {
    const std::vector<double> found = in_t("t^" + std::to_string(n), 0);
    for (unsigned k = 0; k < orders; ++k) EXPECT_EQ(found[k], k == n ? 1.0 : 0.0) << n << " " << k;
  }
  for (const char* text : {"t^64", "t^100", "t^65.5"}) {
    for (const double c : in_t(text, 0)) EXPECT_EQ(c, 0.0) << text;
  }
  const std::vector<double> cube = in_t("t^3*sin(t)", 0);
  EXPECT_EQ(cube[3], 0.0);
  EXPECT_EQ(cube[4], 1.0);
  EXPECT_NEAR(cube[6], -1.0 / 6, 1e-16);
}

}  // namespace
}  // namespace series_tests
