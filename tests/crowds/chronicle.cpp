/// What is taken down of a crowd says at every time what everybody is doing, however it is cut into stretches.
#include "zwang/crowds/chronicle.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gas.hpp"
#include "zwang/crowds/members.hpp"

namespace zwang::crowds::chronicle_tests {

namespace {

/// Members fall, hop, come to lie and slide: flights, and legs of one and of several.
std::string falling() { return text_of({.restitution = 0.5, .gravity = 3, .until = 2.5, .seed = 4}); }

/// Where everybody is, from beginnings in their order.
std::vector<double> places_at(double time, const std::vector<Chunk>& chunks, const Members& members) {
  std::vector<double> out(std::size_t{members.count} * members.dimension, -1e9);
  for (const Chunk& chunk : chunks) {
    for (std::size_t k = 0; k < chunk.begun.size() && chunk.time_of(k) <= time; ++k) {
      const Begun& one = chunk.begun[k];
      if (!one.leg) {
        const Flight& flight = chunk.flights[one.number];
        const double s = time - flight.start;
        for (std::uint32_t c = 0; c < members.dimension; ++c)
          out[flight.member * members.dimension + c] =
              flight.position[c] + s * (flight.velocity[c] + 0.5 * s * members.acceleration[flight.member][c]);
        continue;
      }
      const Leg& leg = chunk.legs[one.number];
      const double s = (time - leg.piece.start) / leg.piece.unit;
      for (std::size_t m = 0; m < leg.members.size(); ++m) {
        for (std::uint32_t c = 0; c < members.dimension; ++c) {
          double x = 0;
          for (std::uint32_t order = leg.piece.orders; order-- > 0;)
            x = x * s + leg.piece.position[order * leg.piece.n + m * members.dimension + c];
          out[leg.members[m] * members.dimension + c] = x;
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST(Chronicle, every_stretch_says_by_itself_what_everybody_is_doing) {
  const model::Model left = model::load(falling(), "falling.toml", {}, model::Pairs::left);
  const Members members = members_of(left);
  Crowd crowd(left);
  Chronicle whole(members.count, 2);
  Chronicle cut(members.count, 2);
  whole.append(crowd);
  cut.append(crowd);
  std::vector<Chunk> stretches;
  bool had_legs = false;
  std::size_t turns = 0;
  while (crowd.advance()) {
    whole.append(crowd);
    cut.append(crowd);
    had_legs = had_legs || !crowd.legs().empty();
    if (++turns % 25 != 0 || cut.is_empty()) continue;
    stretches.push_back(decode_own(cut.close().bytes(), 2));
    // One that is taken up goes on as the one that was closed.
    if (turns % 50 == 0) {
      cut = Chronicle(members.count, 2);
      cut.take_up(stretches.back());
    }
  }
  if (!cut.is_empty()) stretches.push_back(decode_own(cut.close().bytes(), 2));
  EXPECT_TRUE(had_legs);
  ASSERT_GT(stretches.size(), 5U);
  const std::vector<Chunk> all = {decode_own(whole.so_far().bytes(), 2)};
  EXPECT_EQ(all[0].going, 0U);
  for (const Chunk& one : stretches) {
    const ChunkPlace place = place_of(one);
    const double middle = 0.5 * (place.start + place.last);
    EXPECT_EQ(places_at(middle, {one}, members), places_at(middle, all, members)) << middle;
    EXPECT_EQ(places_at(place.last, {one}, members), places_at(place.last, all, members)) << place.last;
  }
}

TEST(Chronicle, what_was_handed_out_stays_as_it_was_while_more_is_written) {
  const model::Model left = model::load(falling(), "falling.toml", {}, model::Pairs::left);
  Crowd crowd(left);
  Chronicle chronicle(left.variables / 2, 2);
  chronicle.append(crowd);
  std::vector<std::pair<Written, std::string>> handed;
  std::size_t turns = 0;
  while (crowd.advance()) {
    chronicle.append(crowd);
    if (++turns % 50 != 0) continue;
    const Written now = chronicle.so_far();
    handed.emplace_back(now, std::string(now.bytes()));
    const ChunkPlace told = place_of(decode_own(handed.back().second, 2));
    EXPECT_EQ(now.place.start, told.start);
    EXPECT_EQ(now.place.last, told.last);
    EXPECT_EQ(now.place.pieces, told.pieces);
  }
  ASSERT_GT(handed.size(), 2U);
  EXPECT_GT(handed.back().second.size(), handed.front().second.size());
  for (const auto& [written, bytes] : handed) EXPECT_EQ(written.bytes(), bytes);
}

TEST(Chronicle, a_chunk_that_was_opened_has_the_same_bytes_again) {
  const Told gas = as_crowd(falling());
  ASSERT_FALSE(gas.track.chunks.empty());
  const Extent extent{25, 2, gas.model.rows()};
  for (const auto& chunk : gas.track.chunks) {
    const Written once = encode(*chunk, 2);
    const Chunk opened = decode(once.bytes(), extent);
    EXPECT_EQ(opened.begun.size(), chunk->begun.size());
    EXPECT_EQ(encode(opened, 2).bytes(), once.bytes());
  }
}

}  // namespace zwang::crowds::chronicle_tests
