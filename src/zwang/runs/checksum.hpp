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

  static std::uint64_t with(std::uint64_t sum, std::uint64_t word) {
    return (std::rotl(sum, 25) ^ word) * 0x9E3779B97F4A7C15;
  }
  void word(std::uint64_t value) { sum_ = with(sum_, value); }
  void add(std::uint64_t kind, std::string_view bytes) {
    word(kind);
    word(bytes.size());
    constexpr std::size_t eight = sizeof(std::uint64_t);
    const auto at = [&](std::size_t k) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + k * eight, eight);
      return value;
    };
    const std::size_t words = bytes.size() / eight;
    std::uint64_t sum = sum_;
    std::size_t k = 0;
    for (; k + 4 <= words; k += 4) sum = with(with(with(with(sum, at(k)), at(k + 1)), at(k + 2)), at(k + 3));
    for (; k < words; ++k) sum = with(sum, at(k));
    if (bytes.size() % eight != 0) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + words * eight, bytes.size() % eight);
      sum = with(sum, value);
    }
    sum_ = sum;
  }
  std::uint64_t sum_ = 0xCBF29CE484222325;
};

}  // namespace zwang::runs
