/// Weights of several discs of which a part is open: those that leave every disc most room.
///
/// Frictions at rest have weights c = (c_1, .., c_K), |c_k| <= 1, and what holds everything fixes them up to what changes nothing, c = c_0 + N y (several speeds
/// held together by rods, the legs of a table). With
///
///   tau = min over y of max_k |c_k|
///
/// everything rests as long as tau <= 1. At the least tau there are multipliers l_k >= 0 with N^T (l_1 c_1, .., l_K c_K) = 0, sum l_k = 1: the l_k c_k are
/// speeds that the conditions allow, those with which the discs begin to move when tau passes 1. A disc with l_k = 0 has room, and stays.
///
/// Reference: docs/mathematics, section 21.7; S. Boyd, L. Vandenberghe, Convex Optimization, section 11.6.
#pragma once

#include <cstddef>
#include <vector>

#include "zwang/matrix.hpp"

namespace zwang::instant {

struct DiscRoom {
  std::vector<double> c;
  double most = 0;            ///< the largest |c_k|
  std::vector<double> speed;  ///< of each disc: l_k
};

/// `discs`: the places of each one's weights in c; `idle`: columns N.
[[nodiscard]] DiscRoom most_room(const std::vector<std::vector<std::size_t>>& discs, std::vector<double> c,
                                 const linear::Matrix& idle);

}  // namespace zwang::instant
