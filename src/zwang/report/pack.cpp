/// Bytes in a fixed order, whatever the machine.
#include "zwang/report/pack.hpp"

#include <fmt/format.h>

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "zwang/base/number.hpp"

namespace zwang::report {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

/// All at once: number by number the string would ask for its room every time.
template <class T>
void append_all(std::string& bytes, std::span<const T> values) {
  if (!values.empty()) bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

std::string block(std::string_view type, std::size_t at, std::size_t count) {
  return fmt::format(R"({{"type": "{}", "at": {}, "count": {}}})", type, at, count);
}

}  // namespace

float in_single(double value) {
  constexpr double most = std::numeric_limits<float>::max();
  if (!std::isfinite(value)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  return static_cast<float>(std::fmax(-most, std::fmin(most, value)));
}

std::size_t bytes_of(NumberType type) {
  switch (type) {
    case NumberType::f64: return 8;
    case NumberType::f32: return 4;
    case NumberType::u16: return 2;
  }
  return 8;
}

std::size_t Blob::align() {
  bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
  return bytes_.size();
}

std::string Blob::f64(std::span<const double> values) {
  const std::size_t at = align();
  append_all(bytes_, values);
  return block("f64", at, values.size());
}

std::string Blob::f32(std::span<const double> values) {
  const std::size_t at = align();
  for (const double value : values) {
    append(bytes_, in_single(value));
  }
  return block("f32", at, values.size());
}

std::string Blob::u32(std::span<const std::uint32_t> values) {
  const std::size_t at = align();
  append_all(bytes_, values);
  return block("u32", at, values.size());
}

std::string Blob::u8(std::span<const std::uint8_t> values) {
  const std::size_t at = align();
  append_all(bytes_, values);
  return block("u8", at, values.size());
}

std::string Blob::u16(std::span<const double> values) {
  constexpr double steps = 65534;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (std::isfinite(value)) {
      low = std::fmin(low, value);
      high = std::fmax(high, value);
    }
  }
  if (low > high) {
    low = high = 0;
  }
  const std::size_t at = align();
  for (const double value : values) {
    // Halves, so that the range of the widest numbers does not overflow.
    const double part = high > low ? (value / 2 - low / 2) / (high / 2 - low / 2) : 0.0;
    append(bytes_, std::isfinite(value) ? static_cast<std::uint16_t>(std::lround(part * steps)) : std::uint16_t{65535});
  }
  std::string out = block("u16", at, values.size());
  out.pop_back();
  return out + fmt::format(R"(, "low": {}, "high": {}}})", exact(low + 0.0), exact(high + 0.0));
}

std::string Blob::numbers(std::span<const double> values, NumberType type) {
  switch (type) {
    case NumberType::f64: return f64(values);
    case NumberType::f32: return f32(values);
    case NumberType::u16: break;
  }
  return u16(values);
}

void Blob::begin(NumberType type) {
  assert(type != NumberType::u16);
  type_ = type;
  begun_ = align();
  count_ = 0;
}

void Blob::add(double value) {
  ++count_;
  if (type_ == NumberType::f64) {
    append(bytes_, value);
  } else {
    append(bytes_, in_single(value));
  }
}

void Blob::add(std::span<const double> values) {
  if (type_ == NumberType::f64) {
    count_ += values.size();
    append_all(bytes_, values);
  } else {
    for (const double value : values) add(value);
  }
}

std::string Blob::end() { return block(type_ == NumberType::f64 ? "f64" : "f32", begun_, count_); }

std::string bundle(std::string_view header, const Blob& blob) {
  // The header ends where the blob's numbers may begin.
  std::string whole = "ZWPG";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  append(whole, static_cast<std::uint32_t>(padded));
  whole += header;
  whole.append(padded - header.size(), ' ');
  whole += blob.bytes();
  return whole;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    // Three bytes are four letters; what is missing at the end becomes a sign of its own.
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? letters[group >> (18U - 6U * static_cast<unsigned>(k)) & 63U] : '=';
    }
  }
  return out;
}

}  // namespace zwang::report
