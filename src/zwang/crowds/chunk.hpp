/// A crowd's motion in stretches that can be read one by one: each says first what everybody is doing, then what begins in it.
///
/// As the bytes of a file: docs/reference/run-file.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/crowds/crowd.hpp"

namespace zwang::crowds {

struct Chunk {
  std::vector<Flight> flights;
  std::vector<Leg> legs;
  std::vector<Begun> begun;  ///< both, in the order in which they began
  std::uint32_t going = 0;   ///< so many of them, the first, began before this stretch

  [[nodiscard]] double time_of(std::size_t beginning) const;
};

/// Where a chunk lies in time, without opening it.
struct ChunkPlace {
  double start = 0;          ///< of the first that begins in it
  double last = 0;           ///< of the last
  std::uint64_t pieces = 0;  ///< different times at which something begins in it
};
[[nodiscard]] ChunkPlace place_of(const Chunk& chunk);

/// Takes down what a crowd does.
class Chronicle {
 public:
  /// Of so many members.
  explicit Chronicle(std::uint32_t members);

  /// What the last `advance`, or the start, has brought.
  void append(const Crowd& crowd);
  /// Is it time to close the stretch?
  [[nodiscard]] bool is_full() const;
  /// Has anything begun since the last one was closed?
  [[nodiscard]] bool is_empty() const { return chunk_.begun.size() == chunk_.going; }
  /// The stretch so far, which goes on.
  [[nodiscard]] const Chunk& so_far() const { return chunk_; }
  /// The stretch so far; the next begins with what everybody is doing now.
  [[nodiscard]] Chunk close();
  /// As if this chunk were the last that was closed.
  void take_up(const Chunk& last);
  /// About, of what has begun since the last one was closed.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void take_down(const Flight& flight);
  void take_down(const std::shared_ptr<const Leg>& leg);
  void begin_next();

  Chunk chunk_;
  std::size_t bytes_ = 0;
  std::size_t going_bytes_ = 0;                  ///< of what everybody was doing then
  std::vector<Flight> flight_;                   ///< per member: the last one
  std::vector<std::shared_ptr<const Leg>> leg_;  ///< per member, if it is on one instead
};

/// `dimension` of the numbers of a flight are kept.
[[nodiscard]] std::string encode(const Chunk& chunk, std::uint32_t dimension);

/// What a chunk must fit to.
struct Extent {
  std::uint32_t members = 0;
  std::uint32_t dimension = 0;
  std::uint32_t rows = 0;
};
/// Throws Fault if the bytes are not those of a chunk of such a crowd.
[[nodiscard]] Chunk decode(std::string_view bytes, const Extent& extent);

/// Pairs that were met, as bytes with a sum of their own.
[[nodiscard]] std::string encode_pairs(const std::vector<model::Pair>& pairs);
/// Behind those that are there. Throws Fault if the bytes are cut short or their sum does not fit; whether there are such pairs is the model's to say.
void decode_pairs(std::string_view bytes, std::vector<model::Pair>& pairs);

}  // namespace zwang::crowds
