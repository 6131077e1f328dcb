/// The data of a page: a JSON header, a blob of numbers, both compressed and written as base64 (docs/reference/page-data.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zwang::report {

/// How the numbers of a block are written, from the finest to the coarsest.
enum class NumberType : std::uint8_t { f64, f32, u16 };
[[nodiscard]] std::size_t bytes_of(NumberType type);

/// The number in single precision; what is beyond its range stays the largest, what is infinite is no number.
[[nodiscard]] float in_single(double value);

/// The numbers of a page one block after the other, little-endian, each block at a multiple of 8 bytes.
class Blob {
 public:
  /// Each returns the JSON object that names the block.
  std::string f64(std::span<const double> values);
  std::string f32(std::span<const double> values);
  std::string u32(std::span<const std::uint32_t> values);
  std::string u8(std::span<const std::uint8_t> values);
  /// 65535 steps between the least and the largest number; what is not finite has no value.
  std::string u16(std::span<const double> values);
  std::string numbers(std::span<const double> values, NumberType type);

  /// A block that grows number by number; nothing else is added meanwhile.
  void begin(NumberType type);
  void add(double value);
  void add(std::span<const double> values);
  [[nodiscard]] std::string end();

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Back to an earlier size: what was added since is forgotten.
  void cut(std::size_t size) { bytes_.resize(size); }

 private:
  std::size_t align();
  std::string bytes_;
  std::size_t begun_ = 0;
  std::size_t count_ = 0;
  NumberType type_ = NumberType::f64;
};

/// Header and blob as one.
[[nodiscard]] std::string bundle(std::string_view header, const Blob& blob);
/// By zlib.
[[nodiscard]] std::string compress(std::string_view whole);
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace zwang::report
