/// A motion that is put aside after every piece beside one that never is.
#pragma once

#include <gtest/gtest.h>

#include "zwang/motion/advance.hpp"

namespace zwang::motion {

/// Both have the same bits, in these first pieces.
inline void put_aside_after_every_piece(const model::Model& model, int most_pieces) {
  // One is never put aside, the other after every piece.
  Motion motion = begin(model);
  Motion again = begin(model);
  for (int piece = 0; piece < most_pieces && motion.status == Status::going; ++piece) {
    ASSERT_NO_THROW(again = restore(model, {}, save(again))) << piece;
    ASSERT_EQ(again.state.position, motion.state.position) << piece;
    ASSERT_EQ(again.state.velocity, motion.state.velocity) << piece;
    ASSERT_EQ(advance(again), advance(motion)) << piece;
    ASSERT_EQ(again.status, motion.status) << piece << again.why << motion.why;
    ASSERT_EQ(again.held, motion.held) << piece;
    ASSERT_EQ(again.state.time, motion.state.time) << piece;
    ASSERT_EQ(again.state.position, motion.state.position) << piece;
    ASSERT_EQ(again.state.velocity, motion.state.velocity) << piece;
    ASSERT_EQ(again.multipliers, motion.multipliers) << piece;
    ASSERT_EQ(again.energy.lost, motion.energy.lost) << piece;
    ASSERT_EQ(again.events.size(), motion.events.size()) << piece;
    ASSERT_EQ(again.defect, motion.defect) << piece;
  }
}

}  // namespace zwang::motion
