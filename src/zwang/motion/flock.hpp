/// Motions of one model, with values of its parameters of their own, carried on side by side.
///
/// Each has its own steps, events, contacts and end: `advance` is called for each as ever, and finds the first thing that it would compute, the series from its present state
/// on, already there, made for all of them together. What cannot be made together (a flow, a passage through a singular position, a surface slid on, forces of another
/// structure) it makes itself. So every motion has the bits that it has alone.
#pragma once

#include <span>
#include <vector>

#include "zwang/motion/advance.hpp"
#include "zwang/motion/together.hpp"

namespace zwang::motion {

class Flock {
 public:
  /// Is there anything that motions of this kind would have of company?
  [[nodiscard]] static bool pays(const Motion& motion);
  /// Motions that are best carried on at once.
  [[nodiscard]] static std::size_t size();

  /// To be called before every one of them is advanced by a step. Those that have ended are passed over.
  void look_ahead(std::span<Motion* const> motions);

 private:
  Together together_;
  std::vector<Together::Member> members_;
};

}  // namespace zwang::motion
