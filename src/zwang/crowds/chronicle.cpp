/// What is written down of a crowd.
#include "zwang/crowds/chronicle.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "zwang/crowds/tolerances.hpp"

namespace zwang::crowds {

namespace {

/// Bytes from a place on, moved on behind what was put there.
template <class T>
void put_at(char*& place, const T& value) {
  std::memcpy(place, &value, sizeof value);
  place += sizeof value;
}
template <class T>
void put_list_at(char*& place, const std::vector<T>& list) {
  put_at(place, static_cast<std::uint32_t>(list.size()));
  if (!list.empty()) std::memcpy(place, list.data(), list.size() * sizeof(T));
  place += list.size() * sizeof(T);
}
template <class T>
T read_at(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

std::size_t bytes_of(const Leg& leg) {
  const motion::Piece& piece = leg.piece;
  return sizeof(std::uint32_t) * (7 + leg.members.size() + piece.rows.size()) +
         sizeof(double) * (4 + piece.position.size() + piece.multiplier.size());
}

/// What a beginning counts for when a stretch is measured: about what it takes in memory when it is opened.
constexpr std::size_t weight_of_beginning = sizeof(Begun);
constexpr std::size_t weight_of_flight = sizeof(Flight) + weight_of_beginning;
std::size_t weight(const Leg& leg) {
  return weight_of_beginning + 8 * (leg.piece.position.size() + leg.piece.multiplier.size() + leg.members.size() + 16);
}

bool is_leg(const char* beginning) { return read_at<std::uint32_t>(beginning) == leg_mark; }
std::uint32_t members_of_leg(const char* leg) { return read_at<std::uint32_t>(leg + sizeof(std::uint32_t)); }
std::uint32_t member_of_leg(const char* leg, std::uint32_t k) {
  return read_at<std::uint32_t>(leg + (2 + std::size_t{k}) * sizeof(std::uint32_t));
}
double time_of(const char* beginning) {
  const std::size_t before = is_leg(beginning) ? 2 + std::size_t{members_of_leg(beginning)} : 1;
  return read_at<double>(beginning + before * sizeof(std::uint32_t));
}

}  // namespace

std::string_view Written::bytes() const {
  std::memcpy(bytes_.get(), &count, sizeof count);
  std::memcpy(bytes_.get() + sizeof count, &going, sizeof going);
  return {bytes_.get(), size_};
}

Sheet::Sheet(std::size_t expected) : bytes_(new char[chunk_head + expected]), room_(chunk_head + expected) {}

char* Sheet::more(std::size_t bytes) {
  if (size_ + bytes > room_) {
    // Whoever reads the old one keeps it.
    const std::size_t room = size_ + bytes + size_ / 4;
    std::shared_ptr<char[]> larger(new char[room]);
    std::memcpy(larger.get() + chunk_head, bytes_.get() + chunk_head, size_ - chunk_head);
    bytes_ = std::move(larger);
    room_ = room;
  }
  char* place = bytes_.get() + size_;
  size_ += bytes;
  return place;
}

void Sheet::put(const Flight& flight, std::uint32_t dimension) {
  char* place = more(bytes_of_flight(dimension));
  put_at(place, flight.member);
  put_at(place, flight.start);
  for (std::uint32_t c = 0; c < dimension; ++c) put_at(place, flight.position[c]);
  for (std::uint32_t c = 0; c < dimension; ++c) put_at(place, flight.velocity[c]);
}

void Sheet::put(const Leg& leg) {
  char* place = more(bytes_of(leg));
  put_at(place, leg_mark);
  put_list_at(place, leg.members);
  put_at(place, leg.piece.start);
  put_at(place, leg.piece.length);
  put_at(place, leg.piece.unit);
  put_at(place, leg.piece.orders);
  put_at(place, leg.piece.multiplier_orders);
  put_list_at(place, leg.piece.position);
  put_list_at(place, leg.piece.rows);
  put_list_at(place, leg.piece.multiplier);
  put_at(place, leg.piece.pole);
}

void Sheet::put_bytes(std::string_view bytes) { std::memcpy(more(bytes.size()), bytes.data(), bytes.size()); }

Written Sheet::so_far(const ChunkPlace& place, std::uint32_t count, std::uint32_t going) const {
  Written out;
  out.place = place;
  out.count = count;
  out.going = going;
  out.bytes_ = bytes_;
  out.size_ = size_;
  return out;
}

Chronicle::Chronicle(std::uint32_t members, std::uint32_t dimension) : dimension_(dimension), at_(members, nowhere) {
  const std::size_t many =
      std::max(least_beginnings_per_member * members, most_bytes_of_beginnings / bytes_of_flight(dimension));
  of_members_ = std::min(beginnings_per_member * members, many);
  sheet_ = Sheet(expected_bytes());
}

std::size_t Chronicle::expected_bytes() const {
  // (What is not written on takes no memory yet, if it is much.)
  return (std::max(least_beginnings, of_members_) + at_.size() + 64) * bytes_of_flight(dimension_);
}

void Chronicle::note_time(double time) {
  if (count_ == going_) {
    place_ = {time, time, 1};
  } else {
    if (time > place_.last) ++place_.pieces;
    place_.last = time;
  }
  ++count_;
}

void Chronicle::take_down(const Flight& flight) {
  at_[flight.member] = sheet_.size();
  note_time(flight.start);
  sheet_.put(flight, dimension_);
  bytes_ += weight_of_flight;
}

void Chronicle::take_down(const Leg& leg) {
  for (const std::uint32_t member : leg.members) at_[member] = sheet_.size();
  note_time(leg.piece.start);
  legs_.push_back({sheet_.size(), bytes_of(leg), weight(leg)});
  sheet_.put(leg);
  bytes_ += weight(leg);
}

void Chronicle::append(const Crowd& crowd) {
  for (const Begun& one : crowd.begun()) {
    if (one.leg) {
      take_down(crowd.legs()[one.number]);
    } else {
      take_down(crowd.flights()[one.number]);
    }
  }
}

bool Chronicle::is_full() const {
  // (In the first stretch everybody begins.)
  const std::size_t of_all = std::max(going_bytes_, at_.size() * weight_of_flight);
  return count_ - going_ >= std::max(least_beginnings, of_members_) ||
         bytes_ >= std::max(most_chunk_bytes, of_members_ * of_all / at_.size());
}

Written Chronicle::close() {
  Written out = so_far();
  begin_next();
  return out;
}

void Chronicle::begin_next() {
  const Sheet before = std::exchange(sheet_, Sheet(expected_bytes()));
  const std::vector<LegPlace> legs = std::exchange(legs_, {});
  const std::vector<std::size_t> at = at_;
  const auto leg_at = [&](std::size_t place) {
    return std::lower_bound(legs.begin(), legs.end(), place,
                            [](const LegPlace& leg, std::size_t wanted) { return leg.at < wanted; });
  };

  // In the order of the members, each leg once.
  std::vector<std::pair<double, std::size_t>> going;
  going.reserve(at.size());
  std::vector<std::uint8_t> told(legs.size(), 0);
  for (const std::size_t place : at) {
    if (place == nowhere) continue;
    if (is_leg(before.at(place)) && std::exchange(told[static_cast<std::size_t>(leg_at(place) - legs.begin())], 1) != 0)
      continue;
    going.emplace_back(time_of(before.at(place)), place);
  }
  // A leg that some of its members have left must not take them back.
  std::stable_sort(going.begin(), going.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  count_ = going_ = 0;
  bytes_ = 0;
  place_ = {};
  for (const auto& [time, place] : going) {
    const char* beginning = before.at(place);
    if (!is_leg(beginning)) {
      at_[read_at<std::uint32_t>(beginning)] = sheet_.size();
      sheet_.put_bytes({beginning, bytes_of_flight(dimension_)});
      bytes_ += weight_of_flight;
      continue;
    }
    const LegPlace& leg = *leg_at(place);
    for (std::uint32_t k = 0; k < members_of_leg(beginning); ++k) {
      const std::uint32_t member = member_of_leg(beginning, k);
      if (at[member] == place) at_[member] = sheet_.size();
    }
    legs_.push_back({sheet_.size(), leg.size, leg.weight});
    sheet_.put_bytes({beginning, leg.size});
    bytes_ += leg.weight;
  }
  count_ = going_ = static_cast<std::uint32_t>(going.size());
  going_bytes_ = std::exchange(bytes_, 0);
}

void Chronicle::take_up(const Chunk& last) {
  for (const Begun& one : last.begun) {
    if (one.leg) {
      take_down(last.legs[one.number]);
    } else {
      take_down(last.flights[one.number]);
    }
  }
  begin_next();
}

Written encode(const Chunk& chunk, std::uint32_t dimension) {
  std::size_t bytes = chunk.flights.size() * bytes_of_flight(dimension);
  for (const Leg& leg : chunk.legs) bytes += bytes_of(leg);
  Sheet sheet(bytes);
  for (const Begun& one : chunk.begun) {
    if (one.leg) {
      sheet.put(chunk.legs[one.number]);
    } else {
      sheet.put(chunk.flights[one.number], dimension);
    }
  }
  return sheet.so_far(place_of(chunk), static_cast<std::uint32_t>(chunk.begun.size()), chunk.going);
}

}  // namespace zwang::crowds
