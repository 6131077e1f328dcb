/// The queue between those who find and the one who writes.
#include "zwang/runs/scribe.hpp"

#include <system_error>
#include <utility>

namespace zwang::runs {

namespace {

/// Tasks that may wait: enough that neither side waits for the other at every turn, and few enough that what waits is no memory to speak of.
constexpr std::size_t most_waiting = 64;

}  // namespace

Scribe::Scribe(bool aside) {
  if (!aside) return;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
  }
}

Scribe::~Scribe() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    waiting_.clear();
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Scribe::work() {
  std::unique_lock guard(lock_);
  while (true) {
    changed_.wait(guard, [this] { return ends_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    guard.unlock();
    std::exception_ptr trouble;
    try {
      task();
    } catch (...) {
      trouble = std::current_exception();
    }
    task = nullptr;
    guard.lock();
    busy_ = false;
    if (trouble) {
      trouble_ = trouble;
      waiting_.clear();
    }
    changed_.notify_all();
  }
}

void Scribe::raise() {
  if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
}

void Scribe::give(std::function<void()> task) {
  if (!thread_.joinable()) {
    task();
    return;
  }
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this] { return waiting_.size() < most_waiting; });
  raise();
  waiting_.push_back(std::move(task));
  changed_.notify_all();
}

void Scribe::finish() {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this] { return waiting_.empty() && !busy_; });
  raise();
}

bool Scribe::is_idle() {
  const std::lock_guard guard(lock_);
  return waiting_.empty() && !busy_;
}

}  // namespace zwang::runs
