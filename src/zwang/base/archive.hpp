/// Checkpoints as bytes: plain values in, plain values out, each in its own layout, and a sum over all of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "zwang/error.hpp"

namespace zwang {

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const std::size_t place = bytes.size();
    bytes.resize(place + sizeof value);
    std::memcpy(bytes.data() + place, &value, sizeof value);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    put(static_cast<std::uint64_t>(list.size()));
    for (const T& value : list) put(value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }
  std::string bytes;
};

/// Fowler, Noll and Vo's sum of 64 bits: one changed bit changes it.
inline std::uint64_t check_sum_of(std::string_view bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return sum;
}

class Reader {
 public:
  explicit Reader(std::string_view from) : bytes_(from) {}
  /// The last bytes are the sum of those before.
  void check_sum() {
    std::uint64_t sum = 0;
    need(sizeof sum);
    const std::string_view before = bytes_.substr(0, bytes_.size() - sizeof sum);
    std::memcpy(&sum, bytes_.data() + before.size(), sizeof sum);
    bytes_ = before;
    if (sum != check_sum_of(before))
      throw Fault({"checkpoint", 0, 0}, "the checkpoint is damaged: its checksum does not fit");
  }
  void get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) throw Fault({"checkpoint", 0, 0}, "the checkpoint is damaged");
    value = byte != 0;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void get(T& value) {
    need(sizeof value);
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  template <class T>
  void get(std::vector<T>& list) {
    std::uint64_t size = 0;
    get(size);
    if (size > bytes_.size()) need(bytes_.size() + 1);
    list.resize(size);
    for (T& value : list) get(value);
  }
  void get(std::string& text) {
    std::uint64_t size = 0;
    get(size);
    need(size);
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

 private:
  void need(std::size_t count) const {
    if (bytes_.size() < count) throw Fault({"checkpoint", 0, 0}, "the checkpoint is cut short");
  }
  std::string_view bytes_;
};

}  // namespace zwang
