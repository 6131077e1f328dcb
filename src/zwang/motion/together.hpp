/// The orders of several series at once: the tapes of their forces run side by side, one series in each lane.
///
/// Most of the work of a step under forces is the recurrences of their tapes. A sum of a single series waits for itself at every term; those of sixteen do not, and go by fours
/// besides. All else stays with the series: units of time, multipliers, what overflows. Rows held may differ from series to series, the structure of the forces may not.
/// Reference: docs/mathematics, section 28.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "zwang/motion/advance.hpp"
#include "zwang/motion/series.hpp"

namespace zwang::motion {

class Together {
 public:
  Together();
  ~Together();
  Together(const Together&) = delete;
  Together& operator=(const Together&) = delete;

  /// Has this series forces that are worth it, so few that what is at work of many stays near the processor?
  [[nodiscard]] static bool pays(const Series& series);

  /// A projected series and the state it stands at.
  struct Member {
    Series* series = nullptr;
    const model::State* state = nullptr;
    Motion* motion = nullptr;  ///< if it is known: the proof of its step is found, too
  };
  /// `extend` of each, to the same bits: the next `extend` of a series finds it done. What has too few others of its structure is left alone.
  void extend(std::span<const Member> members);

  struct Room;

 private:
  /// Room for the lanes, constants and factors; the orders of every member are begun.
  void lay_out(std::span<const Member> members);
  void extend_alike(std::span<const Member> members);
  /// The same where there are no conditions: all orders wholly in lanes (together_free.cpp).
  void extend_free(std::span<const Member> members);
  /// And the proofs that their next steps will ask for (together_proof.cpp).
  void prove_free(std::span<const Member> members);
  std::unique_ptr<Room> room_;
};

}  // namespace zwang::motion
