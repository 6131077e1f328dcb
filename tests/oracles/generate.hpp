/// Random problems in the shape of the reference file, with the truth found by enumerating every active set.
///
/// Conditions are polynomials around the state with small rational coefficients,
///   f = c + g.(x - q) + sum h_ij (x_i - q_i)(x_j - q_j) + e (t - t0) + d (t - t0)^2, f'' = g.a + 2 sum h v v + 2 d,
///   f = p.v + sum h_ij (x_i - q_i) v_j + e + d (t - t0),                                f'  = p.a + sum h v v + d,
/// so that all data of the truth are known without any differentiation by a program.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace zwang::oracles {

struct Mixture {
  std::size_t points = 2;
  std::size_t inequalities = 3;  ///< holonomic
  std::size_t equations = 0;     ///< holonomic
  std::size_t nonholonomic_equations = 0;
  std::size_t nonholonomic_inequalities = 0;
  bool dependent = false;   ///< some gradients are combinations of others, or equal to another
  bool passive = false;     ///< some conditions are open or receding
  bool degenerate = false;  ///< many coefficients vanish, so that lambda = 0 and f'' = 0 occur
  bool spatial = true;      ///< three components per point, else two
};

/// Accelerations ("g1") and shocks ("g2"). The same seed gives the same problem on every machine. Accelerations marked
/// "higher_order" are not decided by second derivatives alone (the combination of some conditions has no gradient).
[[nodiscard]] nlohmann::json random_accelerations(std::uint64_t seed, const Mixture& mixture);
[[nodiscard]] nlohmann::json random_impact(std::uint64_t seed, const Mixture& mixture);

/// A mixture drawn from the seed itself, of at most ten inequalities.
[[nodiscard]] Mixture random_mixture(std::uint64_t seed);

}  // namespace zwang::oracles
