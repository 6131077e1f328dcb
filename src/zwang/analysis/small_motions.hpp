/// Small motions about a rest, on the displacements that the conditions allow: the reduced problem, its roots, modes, and what they say by themselves.
#pragma once

#include <cstddef>
#include <vector>

#include "zwang/analysis/linearise.hpp"
#include "zwang/analysis/stability.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::analysis {

/// The problem on the displacements that the conditions allow, in coordinates in which M is one.
struct SmallMotions {
  linear::Matrix basis;  ///< n x m
  linear::Matrix alpha;  ///< m x m
  linear::Matrix gamma;
  /// Displacements that nothing couples to others, each with the size of its own stiffnesses; one block of all where their sizes differ little.
  struct Block {
    std::vector<std::size_t> columns;
    double scale = 0;
  };
  std::vector<Block> blocks;
  double scale = 0;            ///< the largest of the blocks
  std::vector<double> factor;  ///< of a column: brings the stiffnesses of its block to this scale
};

[[nodiscard]] SmallMotions reduce(const Linearised& system);
/// Blocks and their scales. What is small beside the stiffness of something else is not zero for that.
void find_blocks(SmallMotions& reduced, const std::vector<double>& stiffness);
/// The linear problem for the rows held, and its own verdict. Are roots that count as zero sure to be so?
[[nodiscard]] bool judge(const SmallMotions& reduced, Stability& out);
/// The entry farthest from zero, as a size.
[[nodiscard]] double largest(const linear::Matrix& a);

}  // namespace zwang::analysis
