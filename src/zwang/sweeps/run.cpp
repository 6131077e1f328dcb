/// Chunks given out, lines brought back and written in order.
#include "zwang/sweeps/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "zwang/sweeps/messages.hpp"

namespace zwang::sweeps {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// Chunks that may be given out beyond the last one written, per hand: enough that nobody waits for one slow sample, little enough to lie in memory.
constexpr std::uint64_t ahead_per_hand = 64;
/// How long the one who writes sleeps when there is nothing to write: a crew cannot wake it.
constexpr std::chrono::microseconds nap{200};
constexpr std::chrono::milliseconds sleep{50};
/// Samples that one of several threads takes of a chunk at once: a few times as many as go side by side, so that the last ones do not go alone for long.
constexpr std::uint64_t most_at_once = 64;

/// What is given out and what has come back. Any thread may call.
class Supply {
 public:
  Supply(std::uint64_t first, std::uint64_t total, std::uint64_t size, std::uint64_t ahead)
      : next_(first), written_(first), total_(total), size_(size), ahead_(ahead) {}

  /// The next chunk; none when all are given out, or when it must wait for others to be written and `wait` is false.
  std::optional<Chunk> take(bool wait) {
    std::unique_lock lock(mutex_);
    const auto free = [&] { return closed_ || next_ >= total_ || next_ - written_ < ahead_ * size_; };
    if (wait) room_.wait(lock, free);
    if (closed_ || next_ >= total_ || !free()) return std::nullopt;
    const Chunk chunk{next_, std::min(size_, total_ - next_)};
    next_ += chunk.count;
    return chunk;
  }
  void bring(std::vector<Row> rows) {
    if (rows.empty()) return;
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = rows.front().sample;
    brought_.emplace(first, std::move(rows));
    if (first == written_) news_.notify_one();
  }
  void fail(std::exception_ptr why) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(why);
    news_.notify_one();
  }
  /// The lines whose turn it is, if they are there; waits for them a little.
  template <class Duration>
  std::vector<Row> next_rows(Duration patience) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, patience,
                   [&] { return failure_ || (!brought_.empty() && brought_.begin()->first == written_); });
    if (failure_) std::rethrow_exception(failure_);
    if (brought_.empty() || brought_.begin()->first != written_) return {};
    std::vector<Row> rows = std::move(brought_.begin()->second);
    brought_.erase(brought_.begin());
    written_ += rows.size();
    room_.notify_all();
    return rows;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    room_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable news_, room_;
  std::uint64_t next_, written_;
  const std::uint64_t total_, size_, ahead_;
  std::map<std::uint64_t, std::vector<Row>> brought_;
  std::exception_ptr failure_;
  bool closed_ = false;
};

/// As many threads as the system gives, and as memory allows: those that run already must be waited for.
template <class Work>
void start(std::vector<std::thread>& threads, unsigned count, const Work& work) {
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

/// Threads that take and bring until there is nothing left; they end with this object.
class Threads {
 public:
  Threads(const Sweep& sweep, Supply& supply, unsigned count) : supply_(supply) {
    const auto work = [this, &sweep] {
      try {
        while (const std::optional<Chunk> chunk = supply_.take(true)) {
          supply_.bring(follow(sweep, *chunk, 1, [this] { return !stop_.load(std::memory_order_relaxed); }));
        }
      } catch (...) {
        supply_.fail(std::current_exception());
      }
    };
    start(threads_, count, work);
    if (threads_.empty() && count > 0) supply_.fail(std::make_exception_ptr(std::bad_alloc()));
  }
  ~Threads() {
    stop_ = true;
    supply_.close();
    for (std::thread& thread : threads_) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  Supply& supply_;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

/// The other processes, from this side.
class Others {
 public:
  Others(Crew* crew, Supply& supply, const Recipe& recipe) : crew_(crew), supply_(supply) {
    if (crew_ == nullptr) return;
    recipe_ = to_bytes(recipe);
    known_.assign(static_cast<std::size_t>(crew_->others) + 1, false);
  }
  /// Takes what has come, and gives out what can be given out. True if anything came.
  bool serve() {
    if (crew_ == nullptr) return false;
    bool any = false;
    int from = 0;
    std::string message;
    while (crew_->receive(from, message)) {
      any = true;
      if (!known_[static_cast<std::size_t>(from)]) {
        known_[static_cast<std::size_t>(from)] = true;
        crew_->send(from, recipe_);
        continue;
      }
      supply_.bring(rows_of(message));
      idle_.push_back(from);
    }
    while (!idle_.empty()) {
      const std::optional<Chunk> chunk = supply_.take(false);
      if (!chunk) break;
      crew_->send(idle_.front(), to_bytes(*chunk));
      idle_.erase(idle_.begin());
    }
    return any;
  }
  [[nodiscard]] bool present() const { return crew_ != nullptr; }

 private:
  Crew* crew_;
  Supply& supply_;
  std::string recipe_;
  std::vector<bool> known_;
  std::vector<int> idle_;
};

}  // namespace

std::vector<Row> follow(const Sweep& sweep, const Chunk& chunk, unsigned threads, const std::function<bool()>& go_on) {
  std::vector<Row> rows(chunk.count);
  const auto follow_some = [&](std::uint64_t from, std::uint64_t count) {
    return sweep.follow(
        chunk.first + from, count, [&](Row& row) { rows[row.sample - chunk.first] = std::move(row); }, go_on);
  };
  if (threads <= 1) {
    if (!follow_some(0, chunk.count)) rows.clear();
    return rows;
  }
  // A few after the others, whoever comes first; a failure of one is that of all.
  const std::uint64_t few = std::clamp<std::uint64_t>(chunk.count / (std::uint64_t{threads} * 4), 1, most_at_once);
  std::atomic<std::uint64_t> next = 0;
  std::atomic<bool> interrupted = false;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::uint64_t k = next.fetch_add(few); k < chunk.count && !interrupted; k = next.fetch_add(few)) {
        if (!follow_some(k, std::min(few, chunk.count - k))) interrupted = true;
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      interrupted = true;
    }
  };
  std::vector<std::thread> others;
  start(others, threads - 1, work);
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
  if (interrupted) rows.clear();
  return rows;
}

bool carry_on(const Sweep& sweep, Table& table, const Hands& hands) {
  const auto begin = Clock::now();
  const double before = table.seconds();
  auto last_commit = begin;
  const auto write = [&](const Row& row) {
    table.add(row);
    if (seconds_from(last_commit) >= hands.seconds) {
      table.commit(before + seconds_from(begin), false);
      last_commit = Clock::now();
    }
  };
  const auto asked_to_end = [&] { return hands.go_on && !hands.go_on(table.done()); };
  const auto finish = [&] {
    table.commit(before + seconds_from(begin), true);
    return table.done() == table.total();
  };
  const std::uint64_t left = table.total() - table.done();
  const unsigned crew = hands.crew != nullptr ? static_cast<unsigned>(hands.crew->others) : 0;

  // One alone needs nobody to write for it.
  if (crew == 0 && hands.threads <= 1) {
    if (!asked_to_end()) {
      static_cast<void>(sweep.follow(table.done(), left, write, [&] { return !asked_to_end(); }));
    }
    return finish();
  }

  // Towards the end of a short sweep there shall be something left for everybody.
  const std::uint64_t workers = hands.threads + crew;
  const std::uint64_t size = std::clamp<std::uint64_t>(left / (workers * 8), 1, hands.largest_chunk);
  Supply supply(table.done(), table.total(), size, workers * ahead_per_hand);
  const Threads threads(sweep, supply, hands.threads);
  Others others(hands.crew, supply, table.recipe());
  while (table.done() < table.total()) {
    const bool came = others.serve();
    const std::vector<Row> rows =
        others.present() ? supply.next_rows(came ? std::chrono::microseconds(0) : nap) : supply.next_rows(sleep);
    for (const Row& row : rows) write(row);
    if (asked_to_end()) break;
  }
  return finish();
}

void help(const std::function<std::string(std::string_view)>& ask, unsigned threads,
          const std::function<bool()>& go_on) {
  const std::string first = ask({});
  if (first.empty()) return;
  const Sweep sweep(recipe_of(first));
  std::string rows;
  for (;;) {
    const std::string answer = ask(rows);
    if (answer.empty()) return;
    rows = to_bytes(follow(sweep, chunk_of(answer), threads, go_on));
  }
}

}  // namespace zwang::sweeps
