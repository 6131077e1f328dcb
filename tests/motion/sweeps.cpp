/// Loops over coefficients against plain sums; a chain by itself against the same chain in company.
#include "zwang/motion/sweeps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::sweeps_tests {

namespace {

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(count);
  for (double& value : x) value = normal(random);
  return x;
}

TEST(Sweeps, sums_are_the_plain_ones_for_every_number_of_variables) {
  constexpr unsigned order = 9;
  constexpr double s = 0.7;
  for (std::size_t n = 1; n <= 40; ++n) {
    const std::vector<double> q = random_numbers((order + 1) * n, 1);
    const std::vector<double> v = random_numbers((order + 1) * n, 2);
    std::vector<double> dq(n), dv(n), y(n);
    gains(q.data(), v.data(), n, order, s, dq.data(), dv.data());
    sum_up(q.data(), n, order + 1, s, y.data());
    for (std::size_t i = 0; i < n; ++i) {
      double wanted_q = 0, wanted_v = 0;
      for (unsigned k = 1; k <= order; ++k) wanted_q += q[k * n + i] * std::pow(s, k);
      for (unsigned k = 1; k < order; ++k) wanted_v += v[k * n + i] * std::pow(s, k);
      EXPECT_NEAR(dq[i], wanted_q, 1e-13);
      EXPECT_NEAR(dv[i], wanted_v, 1e-13);
      EXPECT_NEAR(y[i], q[i] + wanted_q, 1e-13);
    }
  }
}

TEST(Sweeps, the_largest_is_found_wherever_it_is) {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<double> x = random_numbers(n, 3);
      std::vector<double> weight(n, 1.0);
      x[at] = -100;
      EXPECT_EQ(largest_size(x.data(), n), 100);
      weight[at] = 5;
      EXPECT_EQ(largest_size(x.data(), weight.data(), n), 500);
    }
  }
  EXPECT_EQ(largest_size(nullptr, 0), 0);
}

/// Final positions of a chain of rods at tolerance 1e-12, with other points besides or not.
std::vector<double> swing(int rods, int dimension, double until, const std::string& besides) {
  const bool space = dimension == 3;
  std::string text = "gravity = [" + std::string(space ? "0, 0" : "0") +
                     ", -9.81]\n[simulation]\nuntil = " + std::to_string(until) +
                     "\n[points.bead]\ncount = " + std::to_string(rods) +
                     "\nmass = \"1 + 0.1*i\"\nposition = [\"i*0.6\", " + (space ? "0, " : "") + "\"-i*0.8\"]\n";
  if (space) text += "velocity = [0, \"0.3*i\", 0]\n";
  text += besides + "[constraints]\nfirst = \"norm(bead[1]) = 1\"\n";
  if (rods > 1) {
    text += "rod = { for = \"i = 1.." + std::to_string(rods - 1) +
            "\", condition = \"distance(bead[i], bead[i+1]) = 1\" }\n";
  }
  const model::Model model = model::load(text, "chain");
  Options options;
  options.tolerance = 1e-12;
  Motion motion = begin(model, options);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::finished);
  std::vector<double> positions = motion.state.position;
  positions.resize(static_cast<std::size_t>(rods * dimension));
  return positions;
}

TEST(Sweeps, a_chain_swings_in_company_as_it_does_alone) {
  for (const int dimension : {2, 3}) {
    const std::string company = dimension == 2 ? "[points.other]\ncount = 9\nmass = 1\nposition = [\"50 + i\", 0]\n"
                                               : "[points.other]\ncount = 9\nmass = 1\nposition = [\"50 + i\", 0, 0]\n";
    for (const int rods : {1, 2, 3, 4, 5, 8, 9, 13}) {
      const std::vector<double> alone = swing(rods, dimension, 1.0, "");
      const std::vector<double> together = swing(rods, dimension, 1.0, company);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_NEAR(alone[i], together[i], 1e-10) << rods << " rods in " << dimension << " dimensions";
      }
    }
  }
}

}  // namespace

}  // namespace zwang::motion::sweeps_tests
