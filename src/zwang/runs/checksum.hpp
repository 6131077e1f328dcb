/// The sum that every line of a run file carries (docs/reference/run-file.md): damage shows, whatever it hits.
///
/// It is no signature: who changes a line on purpose can make its sum again, and what is read is therefore checked once more for what it says.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace zwang::runs {

/// Values one after the other, each behind its kind, in words of 64 bits. Every step can be undone, so that a change within one word always changes
/// the sum.
class Checksum {
 public:
  void none() { word(kind_none); }
  void whole(std::int64_t value) {
    word(kind_whole);
    word(static_cast<std::uint64_t>(value));
  }
  /// What is not a number counts as none, and there is one zero: SQLite keeps no others.
  void number(double value) {
    if (std::isnan(value)) return none();
    word(kind_number);
    word(std::bit_cast<std::uint64_t>(value + 0.0));
  }
  void text(std::string_view bytes) { add(kind_text, bytes); }
  void bytes(std::string_view bytes) { add(kind_bytes, bytes); }
  [[nodiscard]] std::int64_t sum() const { return static_cast<std::int64_t>(sum_); }

 private:
  static constexpr std::uint64_t kind_none = 0, kind_whole = 1, kind_number = 2, kind_text = 3, kind_bytes = 4;

  void word(std::uint64_t value) {
    sum_ = (sum_ ^ value) * 0x9E3779B97F4A7C15;
    sum_ ^= sum_ >> 32U;
  }
  void add(std::uint64_t kind, std::string_view bytes) {
    word(kind);
    word(bytes.size());
    constexpr std::size_t eight = sizeof(std::uint64_t);
    const char* at = bytes.data();
    std::uint64_t value = 0;
    for (const char* const end = at + bytes.size() / eight * eight; at != end; at += eight) {
      std::memcpy(&value, at, eight);
      word(value);
    }
    if (bytes.size() % eight != 0) {
      value = 0;
      std::memcpy(&value, at, bytes.size() % eight);
      word(value);
    }
  }
  std::uint64_t sum_ = 0xCBF29CE484222325;
};

}  // namespace zwang::runs
