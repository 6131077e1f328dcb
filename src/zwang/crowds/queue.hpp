/// Who is next: one time per number, the earliest first, the lowest number first among equal times.
///
/// The near ones stand in a heap of four children per entry; the times stand in the entries and four children in one line of the cache. Those that are due
/// later stand unordered in slots of equal length in time, and are put into the heap when their slot comes: what is put and taken out again before its time,
/// which most are, costs the same however many there are. When the last slot has come, what is left is spread over slots anew. The order in which numbers
/// come is that of times and numbers alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace zwang::crowds {

class Queue {
 public:
  /// Numbers 0 to count - 1, none of them due.
  void reset(std::uint32_t count) {
    lines_.clear();
    near_ = 0;
    all_ = 0;
    changes_ = 0;
    set_slots(0);
    place_.assign(count, Place{});
  }
  void grow(std::uint32_t count) {
    if (count > place_.size()) place_.resize(count, Place{});
  }
  [[nodiscard]] bool empty() const { return near_ == 0; }
  [[nodiscard]] std::uint32_t first() const { return at(0).number; }
  [[nodiscard]] double first_time() const { return at(0).time; }
  /// Calls visit(number) for those of whom one is, most often, the next after the first.
  template <class Visit>
  void visit_next(const Visit& visit) const {
    for (std::uint32_t child = 1; child < near_ && child < 5; ++child) visit(at(child).number);
  }
  /// The one after the first; a number of nobody's if that is not known.
  [[nodiscard]] std::uint32_t second() const {
    if (near_ < 2) return none;
    std::uint32_t least = 1;
    for (std::uint32_t child = 2; child < near_ && child < 5; ++child) {
      if (before(at(child), at(least))) least = child;
    }
    return at(least).number;
  }

  /// Due at a time; infinite: not at all.
  void put(std::uint32_t number, double time) {
    const Place place = place_[number];
    ++changes_;
    if (time == std::numeric_limits<double>::infinity()) {
      if (place.slot != none) take_out(number);
    } else {
      const std::uint32_t slot = slot_of(time);
      if (place.slot == heap && slot <= present_) {
        move(place.index, {time, number});
        return;
      }
      if (place.slot != none) take_out(number);
      ++all_;
      add({time, number}, slot);
      if (near_ > most_near && changes_ > all_) spread();
    }
    if (near_ == 0 && all_ > 0) go_on();
  }

 private:
  struct Entry {
    double time = 0;
    std::uint32_t number = 0;
  };
  struct alignas(64) Line {
    std::array<Entry, 4> entries;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t heap = none - 1;
  struct Place {
    std::uint32_t slot = none;
    std::uint32_t index = 0;  ///< in the slot, or in the heap
  };
  /// The heap alone is quick enough up to so many.
  static constexpr std::uint32_t most_near = 256;
  /// In one slot, at first: few enough that a heap of them stays in the nearest cache.
  static constexpr std::uint32_t per_slot = 16;

  // ---- slots

  void set_slots(std::uint32_t count) {
    slots_.resize(count + 1);
    for (std::vector<Entry>& slot : slots_) slot.clear();
    present_ = count == 0 ? 1 : 0;
  }
  /// In the order of times; the last one has no end. Without slots everybody is near.
  [[nodiscard]] std::uint32_t slot_of(double time) const {
    const auto count = static_cast<std::uint32_t>(slots_.size() - 1);
    if (count == 0) return 0;
    const double k = (time - base_) * per_time_;
    return k < count ? (k > 0 ? static_cast<std::uint32_t>(k) : 0U) : count;
  }
  void add(const Entry& entry, std::uint32_t slot) {
    if (slot <= present_) {
      if (near_ + first_place >= 4 * lines_.size()) lines_.emplace_back();
      rise(near_++, entry);
      return;
    }
    place_[entry.number] = {slot, static_cast<std::uint32_t>(slots_[slot].size())};
    slots_[slot].push_back(entry);
  }
  void take_out(std::uint32_t number) {
    const Place place = place_[number];
    place_[number] = {};
    --all_;
    if (place.slot == heap) {
      const Entry last = at(--near_);
      if (place.index != near_) move(place.index, last);
      return;
    }
    std::vector<Entry>& slot = slots_[place.slot];
    const Entry last = slot.back();
    slot.pop_back();
    if (last.number == number) return;
    slot[place.index] = last;
    place_[last.number] = place;
  }
  /// To the next slot in which there is anybody.
  void go_on() {
    while (near_ == 0) {
      if (++present_ + 1 >= slots_.size()) {
        spread();
        return;
      }
      for (const Entry& entry : slots_[present_]) add(entry, present_);
      slots_[present_].clear();
    }
  }
  /// All of them over slots that hold about the same number each, up to the half that is due later.
  void spread() {
    std::vector<Entry> all;
    all.reserve(all_);
    for (std::uint32_t k = 0; k < near_; ++k) all.push_back(at(k));
    for (const std::vector<Entry>& slot : slots_) all.insert(all.end(), slot.begin(), slot.end());
    near_ = 0;
    changes_ = 0;
    std::uint32_t count = 0;
    if (all.size() > most_near) {
      const auto earlier = [](const Entry& a, const Entry& b) { return a.time < b.time; };
      const auto half = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
      std::nth_element(all.begin(), half, all.end(), earlier);
      base_ = std::min_element(all.begin(), half, earlier)->time;
      const auto slots = static_cast<std::uint32_t>(all.size() / (2 * per_slot));
      per_time_ = slots / (half->time - base_);
      // (Where many are due at one time they are in the heap.)
      if (per_time_ > 0 && per_time_ < std::numeric_limits<double>::max()) count = slots;
    }
    set_slots(count);
    for (const Entry& entry : all) add(entry, slot_of(entry.time));
    if (near_ == 0 && all_ > 0) go_on();
  }

  // ---- the heap

  /// The children of place k are 4 k + 1 to 4 k + 4: with the first entry at the end of a line they fill one.
  static constexpr std::uint32_t first_place = 3;
  [[nodiscard]] Entry& at(std::uint32_t place) {
    return lines_[(place + first_place) / 4].entries[(place + first_place) % 4];
  }
  [[nodiscard]] const Entry& at(std::uint32_t place) const {
    return lines_[(place + first_place) / 4].entries[(place + first_place) % 4];
  }
  [[nodiscard]] static bool before(const Entry& a, const Entry& b) {
    return a.time < b.time || (a.time == b.time && a.number < b.number);
  }
  void set(std::uint32_t place, const Entry& entry) {
    at(place) = entry;
    place_[entry.number] = {heap, place};
  }
  /// An entry to where it belongs, from a place that is free.
  void move(std::uint32_t place, const Entry& entry) {
    if (place > 0 && before(entry, at((place - 1) / 4))) {
      rise(place, entry);
    } else {
      sink(place, entry);
    }
  }
  void rise(std::uint32_t place, const Entry& entry) {
    while (place > 0) {
      const std::uint32_t above = (place - 1) / 4;
      if (!before(entry, at(above))) break;
      set(place, at(above));
      place = above;
    }
    set(place, entry);
  }
  void sink(std::uint32_t place, const Entry& entry) {
    while (true) {
      std::uint32_t least = 4 * place + 1;
      if (least >= near_) break;
      for (std::uint32_t child = least + 1; child < near_ && child < 4 * place + 5; ++child) {
        if (before(at(child), at(least))) least = child;
      }
      if (!before(at(least), entry)) break;
      set(place, at(least));
      place = least;
    }
    set(place, entry);
  }

  std::vector<Line> lines_;
  std::uint32_t near_ = 0;  ///< in the heap
  std::size_t all_ = 0;
  std::uint64_t changes_ = 0;  ///< since everybody was spread
  std::vector<std::vector<Entry>> slots_{1};
  std::uint32_t present_ = 1;       ///< the slot that is in the heap
  double base_ = 0, per_time_ = 0;  ///< when the slots begin, and their number per unit of time
  std::vector<Place> place_;        ///< per number
};

/// One queue, or several that each number has its own of: together they are in the order of one.
class Queues {
 public:
  /// One for all numbers from 0 to count - 1.
  void reset(std::uint32_t count) {
    queues_.resize(1);
    owner_.clear();
    queues_[0].reset(count);
  }
  void grow(std::uint32_t count) { queues_[0].grow(count); }
  /// Several: number k belongs to queue owner[k], those behind to the first. Nobody is due.
  void share(std::vector<std::uint8_t> owner, std::uint32_t queues, std::uint32_t count) {
    owner_ = std::move(owner);
    queues_.resize(queues);
    queues_[0].reset(count);
    for (std::uint32_t q = 1; q < queues; ++q) queues_[q].reset(static_cast<std::uint32_t>(owner_.size()));
  }
  [[nodiscard]] Queue& of(std::uint32_t queue) { return queues_[queue]; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(queues_.size()); }
  [[nodiscard]] std::uint32_t owner(std::uint32_t number) const {
    return number < owner_.size() ? owner_[number] : std::uint32_t{0};
  }
  void set_owner(std::uint32_t number, std::uint32_t queue) {
    if (owner_[number] == queue) return;
    queues_[owner_[number]].put(number, std::numeric_limits<double>::infinity());
    owner_[number] = static_cast<std::uint8_t>(queue);
  }
  void put(std::uint32_t number, double time) { queues_[owner(number)].put(number, time); }
  /// The one whose first is the first of all; if all are empty, any.
  [[nodiscard]] const Queue& next() const {
    const Queue* best = queues_.data();
    for (std::size_t q = 1; q < queues_.size(); ++q) {
      const Queue& one = queues_[q];
      if (one.empty()) continue;
      const bool earlier = best->empty() || one.first_time() < best->first_time() ||
                           (one.first_time() == best->first_time() && one.first() < best->first());
      if (earlier) best = &one;
    }
    return *best;
  }

 private:
  std::vector<Queue> queues_{1};
  std::vector<std::uint8_t> owner_;  ///< per number; empty if there is one queue
};

}  // namespace zwang::crowds
