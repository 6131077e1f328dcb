/// Lists of numbers that begin where a line of the processor's memory does: wide loads then never straddle two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace zwang {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};

  LineAllocator() = default;
  template <class U>
  explicit LineAllocator(const LineAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
  void deallocate(T* at, std::size_t /*count*/) { ::operator delete(at, line); }

  friend bool operator==(const LineAllocator& /*one*/, const LineAllocator& /*other*/) { return true; }
};

using AlignedNumbers = std::vector<double, LineAllocator<double>>;

}  // namespace zwang
