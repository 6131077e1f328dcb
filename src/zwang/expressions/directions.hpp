/// Directions of speeds in expressions: w_i / |w|, w a vector of expressions in which velocities occur.
///
///   |w| = sqrt(w_1^2 + ... + w_d^2),   w_i = f_i b_i   for a term f_i^2 b_i^2 of the sum
///
/// Dry friction in a plane or in space is -mu w / |w|. The direction has no value where w = 0; what stands for it there is chosen by the motion
/// (corners.hpp, `moves` and `part`). Reference: docs/mathematics, section 21.7.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/expressions/graph.hpp"

namespace zwang::expressions {

/// A vector whose square is a sum, and its modes: m, k, c_1, c_2, ... from `first_mode` on.
struct Speed {
  Expr square;          ///< |w|^2
  std::vector<Expr> w;  ///< its components
  Expr source;          ///< where its direction stands first
  std::uint32_t first_mode = 0;
};

struct Directed {
  std::vector<Expr> outputs;
  std::vector<Speed> speeds;
};
/// The expressions with m w_i / sqrt(|w|^2 + k) + c_i for every w_i / |w|, and w.(w / |w|) for |w| of the same vectors. A sum over |w| counts if each of
/// its terms has a component of w. Modes are numbered from `first_mode` on.
[[nodiscard]] Directed draw_directions(Graph& graph, std::span<const Expr> outputs, std::uint32_t first_mode);

/// Products that vanish with a speed though a power of it stands below, as the drag v / sqrt(|v|): nothing where the speed is zero. The mode of each, 1 where the
/// speed is none and 0 where it is zero, chooses between product and nothing.
struct Stirred {
  std::vector<Expr> outputs;
  std::vector<Expr> squares;  ///< |w|^2 of mode `first_mode`, `first_mode` + 1, ...
  std::vector<Expr> sources;  ///< a product that each stands in
};
/// A product counts if, with |w|^2 below it to any power, all of it is of a positive degree in w. Reference: docs/mathematics, section 21.7.
[[nodiscard]] Stirred draw_stirs(Graph& graph, std::span<const Expr> outputs, std::uint32_t first_mode);

}  // namespace zwang::expressions
