/// Motions side by side, each beside one of the same model that goes alone.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <deque>
#include <vector>

#include "zwang/motion/flock.hpp"

namespace zwang::motion {

inline std::vector<std::uint64_t> bits(const std::vector<double>& list) {
  std::vector<std::uint64_t> out;
  for (const double x : list) out.push_back(std::bit_cast<std::uint64_t>(x));
  return out;
}

/// Both have the same bits, in these first pieces.
inline void side_by_side_as_alone(const std::deque<model::Model>& models, int most_pieces) {
  std::deque<Motion> together;
  std::deque<Motion> alone;
  std::vector<Motion*> all;
  for (const model::Model& model : models) {
    alone.push_back(begin(model));
    all.push_back(&together.emplace_back(begin(model)));
  }
  Flock flock;
  for (int piece = 0; piece < most_pieces; ++piece) {
    flock.look_ahead(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Motion& one = *all[i];
      const Motion& other = alone[i];
      ASSERT_EQ(advance(*all[i]), advance(alone[i])) << i << " after " << piece;
      ASSERT_EQ(one.status, other.status) << i << " after " << piece << one.why << other.why;
      ASSERT_EQ(one.why, other.why) << i << " after " << piece;
      ASSERT_EQ(one.held, other.held) << i << " after " << piece;
      ASSERT_EQ(one.steps, other.steps) << i << " after " << piece;
      ASSERT_EQ(one.events.size(), other.events.size()) << i << " after " << piece;
      ASSERT_EQ(bits({one.state.time, one.defect, one.energy.lost, one.position_drift}),
                bits({other.state.time, other.defect, other.energy.lost, other.position_drift}))
          << i << " after " << piece;
      ASSERT_EQ(bits(one.state.position), bits(other.state.position)) << i << " after " << piece;
      ASSERT_EQ(bits(one.state.velocity), bits(other.state.velocity)) << i << " after " << piece;
      ASSERT_EQ(bits(one.multipliers), bits(other.multipliers)) << i << " after " << piece;
    }
  }
}

}  // namespace zwang::motion
