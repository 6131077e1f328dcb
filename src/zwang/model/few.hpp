/// Short lists without allocation.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace zwang::model {

/// A list that lives on the stack while it is short.
template <class T>
class Few {
 public:
  explicit Few(std::size_t size) : size_(size) {
    if (size > few_.size()) many_.resize(size);
  }
  T& operator[](std::size_t k) { return data()[k]; }
  T* data() { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] std::span<const T> span() { return {data(), size_}; }

 private:
  std::size_t size_;
  std::array<T, 6> few_{};
  std::vector<T> many_;
};

}  // namespace zwang::model
