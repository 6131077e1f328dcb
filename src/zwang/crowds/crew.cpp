/// Threads that wait for work and do it together.
#include "zwang/crowds/crew.hpp"

#include <system_error>
#include <utility>

namespace zwang::crowds {

Crew::Crew(unsigned others) {
  try {
    for (unsigned k = 0; k < others; ++k) threads_.emplace_back([this] { wait_and_work(); });
  } catch (const std::system_error&) {
  }
}

Crew::~Crew() {
  {
    const std::lock_guard guard(lock_);
    over_ = true;
  }
  begins_.notify_all();
  for (std::thread& one : threads_) one.join();
}

void Crew::wait_and_work() {
  std::unique_lock guard(lock_);
  while (true) {
    begins_.wait(guard, [this] { return over_ || next_ < parts_; });
    if (over_) return;
    take_parts(guard);
  }
}

void Crew::take_parts(std::unique_lock<std::mutex>& guard) {
  while (next_ < parts_) {
    const std::uint32_t part = next_++;
    guard.unlock();
    std::exception_ptr trouble;
    try {
      (*work_)(part);
    } catch (...) {
      trouble = std::current_exception();
    }
    guard.lock();
    if (trouble) trouble_ = trouble;
    if (++done_ == parts_) ends_.notify_all();
  }
}

void Crew::all(std::uint32_t parts, const std::function<void(std::uint32_t)>& work) {
  std::unique_lock guard(lock_);
  work_ = &work;
  next_ = done_ = 0;
  parts_ = parts;
  begins_.notify_all();
  take_parts(guard);
  ends_.wait(guard, [this] { return done_ == parts_; });
  parts_ = next_ = 0;
  work_ = nullptr;
  if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
}

}  // namespace zwang::crowds
