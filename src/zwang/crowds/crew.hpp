/// Threads that wait for work and do it together.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zwang::crowds {

class Crew {
 public:
  /// With so many others beside the one who calls `all`; fewer, if no more threads can be had.
  explicit Crew(unsigned others);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// work(0) to work(parts - 1), each once, at the same time as far as there are hands; returns when all are done, and throws what one of them threw.
  void all(std::uint32_t parts, const std::function<void(std::uint32_t)>& work);

 private:
  void wait_and_work();
  /// Part after part, as long as there are any.
  void take_parts(std::unique_lock<std::mutex>& guard);

  std::mutex lock_;
  std::condition_variable begins_, ends_;
  const std::function<void(std::uint32_t)>* work_ = nullptr;
  std::uint32_t next_ = 0, parts_ = 0, done_ = 0;
  bool over_ = false;
  std::exception_ptr trouble_;
  std::vector<std::thread> threads_;
};

}  // namespace zwang::crowds
