/// Laws of a gas of hard discs that no single collision knows.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gas.hpp"
#include "zwang/crowds/near.hpp"

namespace zwang::crowds::gas_laws_tests {

namespace {

/// What a gas of equal discs in a square box shows after it has come to rest in the large.
struct Shown {
  double temperature = 0;  ///< kinetic energy per disc; all masses are 1
  double pressure = 0;     ///< by the virial: of the kinetic energy and of the shocks between discs
  double density = 0;      ///< in the middle, where walls order nothing
  double rate = 0;         ///< shocks with other discs, per disc of the middle and time
};

constexpr unsigned discs_in_line = 50;
constexpr double spacing_of_discs = 1.618;  ///< in diameters: a packing of 0.3
constexpr double quiet_after = 10;
constexpr double shown_until = 60;

Shown shown_by_gas() {
  std::string text = text_of({.count = discs_in_line * discs_in_line,
                              .side = discs_in_line,
                              .spacing = spacing_of_discs,
                              .until = shown_until,
                              .seed = 2});
  const std::string uneven = "\"1 + 0.5*sin(i)\"";
  text.replace(text.find(uneven), uneven.size(), "1");
  const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
  const double side = discs_in_line * spacing_of_discs;
  // Five diameters from the walls, whose order reaches two or three. The larger the middle, the less its number of discs trembles.
  constexpr double border = 0.06;
  const auto is_middle = [&](double x, double y) {
    return x > border * side && x < (1 - border) * side && y > border * side && y < (1 - border) * side;
  };
  Crowd crowd(left);
  Shown out;
  const double kinetic = crowd.account().energy.initial;
  const double count = discs_in_line * discs_in_line;
  double virial = 0;
  double middle_shocks = 0;
  double middle_discs = 0;
  std::uint64_t looks = 0;
  double next = quiet_after;
  std::vector<double> velocity = left.initial_velocity;
  while (crowd.advance()) {
    for (const motion::Event& event : crowd.events()) {
      const bool pair = event.kind == motion::EventKind::impact && event.variables.size() == 4;
      if (pair && event.time > quiet_after) {
        const double x = event.position[0] - event.position[2];
        const double y = event.position[1] - event.position[3];
        virial += x * (event.velocity[0] - velocity[event.variables[0]]) +
                  y * (event.velocity[1] - velocity[event.variables[1]]);
        for (std::size_t k = 0; k < 4; k += 2)
          middle_shocks += is_middle(event.position[k], event.position[k + 1]) ? 1 : 0;
      }
      for (std::size_t k = 0; k < event.variables.size(); ++k) velocity[event.variables[k]] = event.velocity[k];
    }
    if (crowd.time() >= next) {
      ++looks;
      next += 0.25;
      const std::vector<double> q = crowd.account().present.state.position;
      for (std::size_t i = 0; i < q.size(); i += 2) middle_discs += is_middle(q[i], q[i + 1]) ? 1 : 0;
    }
  }
  EXPECT_EQ(words(crowd.status()), "finished");
  const double time = shown_until - quiet_after;
  middle_discs /= static_cast<double>(looks);
  out.temperature = kinetic / count;
  out.density = middle_discs / ((1 - 2 * border) * (1 - 2 * border) * side * side);
  out.pressure = (2 * kinetic + virial / time) / (2 * side * side);
  out.rate = middle_shocks / middle_discs / time;
  return out;
}

}  // namespace

TEST(Gas, of_discs_presses_and_collides_as_henderson_and_enskog_say) {
  const Shown gas = shown_by_gas();
  const double packing = gas.density * std::numbers::pi / 4;
  EXPECT_NEAR(packing, 0.3, 0.02);
  const double henderson = (1 + packing * packing / 8) / ((1 - packing) * (1 - packing));
  EXPECT_NEAR(gas.pressure / (gas.density * gas.temperature) / henderson, 1, 0.01);
  const double at_contact = (1 - 7 * packing / 16) / ((1 - packing) * (1 - packing));
  const double enskog = 2 * std::sqrt(std::numbers::pi * gas.temperature) * gas.density * at_contact;
  EXPECT_NEAR(gas.rate / enskog, 1, 0.01);
}

TEST(NearPairs, are_all_that_are_near_and_no_others) {
  for (const bool space : {false, true}) {
    const std::string text = text_of({.count = 200, .side = 20, .spacing = 1.1, .seed = 3, .space = space});
    const model::Model left = model::load(text, "gas.toml", {}, model::Pairs::left);
    const std::uint32_t d = space ? 3 : 2;
    std::vector<double> q = left.initial_position;
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += 0.4 * std::sin(7.0 * static_cast<double>(i * i));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const model::Pair& pair : near_pairs(left, q)) found.emplace_back(pair.first, pair.second);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    for (std::uint32_t i = 0; i < 200; ++i) {
      for (std::uint32_t j = i + 1; j < 200; ++j) {
        double square = 0;
        for (std::uint32_t c = 0; c < d; ++c) square += std::pow(q[i * d + c] - q[j * d + c], 2);
        if (std::sqrt(square) <= 1.25) all.emplace_back(i, j);
      }
    }
    EXPECT_EQ(found, all);
    EXPECT_GT(all.size(), 100U);
  }
}

}  // namespace zwang::crowds::gas_laws_tests
