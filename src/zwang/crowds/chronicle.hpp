/// A crowd's motion as it is taken down: beginnings one behind the other, in the bytes in which a file keeps them (docs/reference/run-file.md).
///
/// What is written stays where it is while more is written behind it, so that one thread can go on writing while another one reads what is there: nothing is
/// copied on its way into the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "zwang/crowds/chunk.hpp"

namespace zwang::crowds {

/// A chunk as its bytes, which it shares with the chronicle that writes on behind them.
class Written {
 public:
  ChunkPlace place;
  std::uint32_t count = 0;  ///< beginnings
  std::uint32_t going = 0;
  /// All of the chunk. Its head is put there when this is called, by one thread at a time.
  [[nodiscard]] std::string_view bytes() const;

 private:
  friend class Sheet;
  std::shared_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

/// Room for the bytes of a chunk, behind its head.
class Sheet {
 public:
  explicit Sheet(std::size_t expected = 0);
  void put(const Flight& flight, std::uint32_t dimension);
  void put(const Leg& leg);
  void put_bytes(std::string_view bytes);
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const char* at(std::size_t place) const { return bytes_.get() + place; }
  /// What stands there so far.
  [[nodiscard]] Written so_far(const ChunkPlace& place, std::uint32_t count, std::uint32_t going) const;

 private:
  /// So many bytes more: where they begin.
  char* more(std::size_t bytes);

  std::shared_ptr<char[]> bytes_;
  std::size_t size_ = chunk_head;
  std::size_t room_ = 0;
};

/// Takes down what a crowd does.
class Chronicle {
 public:
  /// Of so many members.
  Chronicle(std::uint32_t members, std::uint32_t dimension);

  /// What the last `advance`, or the start, has brought.
  void append(const Crowd& crowd);
  /// Is it time to close the stretch?
  [[nodiscard]] bool is_full() const;
  /// Has anything begun since the last one was closed?
  [[nodiscard]] bool is_empty() const { return count_ == going_; }
  /// The stretch so far, which goes on.
  [[nodiscard]] Written so_far() const { return sheet_.so_far(place_, count_, going_); }
  /// The stretch so far; the next begins with what everybody is doing now.
  [[nodiscard]] Written close();
  /// As if this chunk were the last that was closed.
  void take_up(const Chunk& last);
  /// About, of what has begun since the last one was closed.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t nowhere = ~std::size_t{0};
  /// A leg among the bytes.
  struct LegPlace {
    std::size_t at = 0;
    std::size_t size = 0;
    std::size_t weight = 0;
  };
  void take_down(const Flight& flight);
  void take_down(const Leg& leg);
  void note_time(double time);
  void begin_next();
  [[nodiscard]] std::size_t expected_bytes() const;

  std::uint32_t dimension_;
  std::size_t of_members_ = 0;  ///< beginnings that fill a stretch, if they are not too few
  Sheet sheet_;
  std::vector<std::size_t> at_;  ///< per member: where its last beginning stands
  std::vector<LegPlace> legs_;   ///< ascending
  std::uint32_t count_ = 0, going_ = 0;
  ChunkPlace place_;
  std::size_t bytes_ = 0;
  std::size_t going_bytes_ = 0;  ///< of what everybody was doing then
};

/// A chunk that was opened, as its bytes again.
[[nodiscard]] Written encode(const Chunk& chunk, std::uint32_t dimension);

}  // namespace zwang::crowds
