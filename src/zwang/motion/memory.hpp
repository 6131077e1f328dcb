/// What a motion remembers and no state shows: the half turns that angles are on, and what was let go.
#pragma once

#include <cstdint>
#include <vector>

#include "zwang/expressions/corners.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion {

struct Memory {
  std::vector<expressions::Side> sides = {};  ///< per switch; those of angles count
  std::vector<std::uint8_t> released = {};    ///< per release of the model, 1: done
};
[[nodiscard]] Memory memory_of(const Motion& motion);

/// As `begin`, but angles go on from the half turns they were on, or from those beside them that the start allows.
[[nodiscard]] Motion begin(const model::Model& model, const Options& options, const Memory& memory);

}  // namespace zwang::motion
