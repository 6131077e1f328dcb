/// A crowd's motion in stretches that can be read one by one: each says first what everybody is doing, then what begins in it.
///
/// As the bytes of a file: docs/reference/run-file.md.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// What a chunk must fit to.
struct Extent {
  std::uint32_t members = 0;
  std::uint32_t dimension = 0;
  std::uint32_t rows = 0;
};
/// Throws Fault if the bytes are not those of a chunk of such a crowd.
[[nodiscard]] Chunk decode(std::string_view bytes, const Extent& extent);
/// Of bytes that this program has just written.
[[nodiscard]] Chunk decode_own(std::string_view bytes, std::uint32_t dimension);

inline constexpr std::uint32_t leg_mark = ~std::uint32_t{0};          ///< in the place of a member
inline constexpr std::size_t chunk_head = 2 * sizeof(std::uint32_t);  ///< the numbers before the first beginning
[[nodiscard]] constexpr std::size_t bytes_of_flight(std::uint32_t dimension) {
  return sizeof(std::uint32_t) + sizeof(double) * (1 + 2 * std::size_t{dimension});
}

/// Pairs that were met, as bytes with a sum of their own.
[[nodiscard]] std::string encode_pairs(const std::vector<model::Pair>& pairs);
/// Behind those that are there. Throws Fault if the bytes are cut short or their sum does not fit; whether there are such pairs is the model's to say.
void decode_pairs(std::string_view bytes, std::vector<model::Pair>& pairs);

}  // namespace zwang::crowds
