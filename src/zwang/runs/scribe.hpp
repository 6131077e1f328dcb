/// A second thread that writes down what the first has found.
///
/// It does what it is given in the order in which it was given, so that a file is the same with it and without. Whoever gives waits while much is
/// waiting to be done, and is told what went wrong: an exception of a task is thrown by the next `give` or `finish`, and what is waiting is dropped.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace zwang::runs {

class Scribe {
 public:
  /// With a thread of its own where the machine has more than one processor; else, or where no thread can be had, `give` does what it is given.
  explicit Scribe(bool aside = std::thread::hardware_concurrency() > 1);
  /// What is still waiting is dropped.
  ~Scribe();
  Scribe(const Scribe&) = delete;
  Scribe& operator=(const Scribe&) = delete;

  void give(std::function<void()> task);
  /// Until nothing is waiting any more.
  void finish();
  [[nodiscard]] bool is_idle();

 private:
  void work();
  void raise();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool busy_ = false;
  bool ends_ = false;
  std::exception_ptr trouble_;
  std::thread thread_;
};

}  // namespace zwang::runs
