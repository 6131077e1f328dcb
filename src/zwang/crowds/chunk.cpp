/// What is written down of a crowd, and how it is read again.
#include "zwang/crowds/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "zwang/base/archive.hpp"
#include "zwang/crowds/tolerances.hpp"

namespace zwang::crowds {

namespace {

constexpr std::uint32_t leg_mark = ~std::uint32_t{0};  ///< in the place of a member
constexpr std::uint32_t most_orders_of_leg = 4096;

[[noreturn]] void refuse_chunk(const char* why) { throw Fault({"chunk", 0, 0}, why); }

template <class T>
void put_list(Writer& writer, const std::vector<T>& list) {
  writer.put(static_cast<std::uint32_t>(list.size()));
  for (const T& value : list) writer.put(value);
}

template <class T>
void get_list(Reader& reader, std::vector<T>& list) {
  std::uint32_t size = 0;
  reader.get(size);
  list.clear();
  // (No more at once than is read: a size may be anything.)
  for (std::uint32_t k = 0; k < size; ++k) {
    T value{};
    reader.get(value);
    list.push_back(value);
  }
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

Leg get_leg(Reader& reader, const Extent& extent) {
  Leg leg;
  motion::Piece& piece = leg.piece;
  get_list(reader, leg.members);
  reader.get(piece.start);
  reader.get(piece.length);
  reader.get(piece.unit);
  reader.get(piece.orders);
  reader.get(piece.multiplier_orders);
  get_list(reader, piece.position);
  get_list(reader, piece.rows);
  get_list(reader, piece.multiplier);
  reader.get(piece.pole);
  const auto rises = [](const std::vector<std::uint32_t>& list, std::uint32_t below) {
    return std::is_sorted(list.begin(), list.end(), std::less_equal<>()) && (list.empty() || list.back() < below);
  };
  piece.n = static_cast<std::uint32_t>(leg.members.size()) * extent.dimension;
  const bool fits = !leg.members.empty() && rises(leg.members, extent.members) && rises(piece.rows, extent.rows) &&
                    std::isfinite(piece.start) && piece.length >= 0 && std::isfinite(piece.length) && piece.unit > 0 &&
                    std::isfinite(piece.unit) && piece.orders >= 1 && piece.orders <= most_orders_of_leg &&
                    piece.multiplier_orders <= most_orders_of_leg &&
                    piece.position.size() == std::size_t{piece.orders} * piece.n &&
                    piece.multiplier.size() == std::size_t{piece.multiplier_orders} * piece.rows.size() &&
                    all_finite(piece.position) && all_finite(piece.multiplier);
  if (!fits) refuse_chunk("a leg that cannot be");
  return leg;
}

std::size_t weight(const Leg& leg) {
  return 8 * (leg.piece.position.size() + leg.piece.multiplier.size() + leg.members.size() + 16);
}

}  // namespace

double Chunk::time_of(std::size_t beginning) const {
  const Begun& one = begun[beginning];
  return one.leg ? legs[one.number].piece.start : flights[one.number].start;
}

ChunkPlace place_of(const Chunk& chunk) {
  ChunkPlace place;
  if (chunk.begun.size() == chunk.going) return place;
  place.start = place.last = chunk.time_of(chunk.going);
  place.pieces = 1;
  for (std::size_t k = chunk.going + std::size_t{1}; k < chunk.begun.size(); ++k) {
    const double time = chunk.time_of(k);
    if (time > place.last) ++place.pieces;
    place.last = time;
  }
  return place;
}

Chronicle::Chronicle(std::uint32_t members) : flight_(members), leg_(members) {
  for (std::uint32_t i = 0; i < members; ++i) flight_[i].member = i;
}

void Chronicle::take_down(const Flight& flight) {
  flight_[flight.member] = flight;
  leg_[flight.member] = nullptr;
  chunk_.begun.push_back({false, static_cast<std::uint32_t>(chunk_.flights.size())});
  chunk_.flights.push_back(flight);
  bytes_ += sizeof(Flight) + sizeof(Begun);
}

void Chronicle::take_down(const std::shared_ptr<const Leg>& leg) {
  chunk_.begun.push_back({true, static_cast<std::uint32_t>(chunk_.legs.size())});
  chunk_.legs.push_back(*leg);
  bytes_ += sizeof(Begun) + weight(*leg);
  for (const std::uint32_t member : leg->members) leg_[member] = leg;
}

void Chronicle::append(const Crowd& crowd) {
  for (const Begun& one : crowd.begun()) {
    if (one.leg) {
      take_down(std::make_shared<const Leg>(crowd.legs()[one.number]));
    } else {
      take_down(crowd.flights()[one.number]);
    }
  }
}

bool Chronicle::is_full() const {
  // (In the first stretch everybody begins.)
  const std::size_t of_all = std::max(going_bytes_, flight_.size() * (sizeof(Flight) + sizeof(Begun)));
  return chunk_.begun.size() - chunk_.going >=
             std::max<std::size_t>(least_beginnings, beginnings_per_member * flight_.size()) ||
         bytes_ >= std::max(most_chunk_bytes, beginnings_per_member * of_all);
}

Chunk Chronicle::close() {
  Chunk out = std::exchange(chunk_, {});
  begin_next();
  return out;
}

void Chronicle::begin_next() {
  chunk_ = {};
  bytes_ = 0;
  // In the order of the members, each leg once.
  std::unordered_set<const Leg*> told;
  for (std::uint32_t i = 0; i < flight_.size(); ++i) {
    if (leg_[i] == nullptr) {
      take_down(Flight(flight_[i]));
      continue;
    }
    if (!told.insert(leg_[i].get()).second) continue;
    chunk_.begun.push_back({true, static_cast<std::uint32_t>(chunk_.legs.size())});
    chunk_.legs.push_back(*leg_[i]);
    bytes_ += sizeof(Begun) + weight(*leg_[i]);
  }
  // A leg that some of its members have left must not take them back.
  std::stable_sort(chunk_.begun.begin(), chunk_.begun.end(), [&](const Begun& a, const Begun& b) {
    const auto time = [&](const Begun& one) {
      return one.leg ? chunk_.legs[one.number].piece.start : chunk_.flights[one.number].start;
    };
    return time(a) < time(b);
  });
  chunk_.going = static_cast<std::uint32_t>(chunk_.begun.size());
  going_bytes_ = std::exchange(bytes_, 0);
}

void Chronicle::take_up(const Chunk& last) {
  for (const Begun& one : last.begun) {
    if (!one.leg) {
      flight_[last.flights[one.number].member] = last.flights[one.number];
      leg_[last.flights[one.number].member] = nullptr;
      continue;
    }
    const auto leg = std::make_shared<const Leg>(last.legs[one.number]);
    for (const std::uint32_t member : leg->members) leg_[member] = leg;
  }
  begin_next();
}

std::string encode(const Chunk& chunk, std::uint32_t dimension) {
  Writer writer;
  writer.bytes.reserve(chunk.begun.size() * (12 + 16 * std::size_t{dimension}) + 64);
  writer.put(static_cast<std::uint32_t>(chunk.begun.size()));
  writer.put(chunk.going);
  for (const Begun& one : chunk.begun) {
    if (!one.leg) {
      const Flight& flight = chunk.flights[one.number];
      writer.put(flight.member);
      writer.put(flight.start);
      for (std::uint32_t c = 0; c < dimension; ++c) writer.put(flight.position[c]);
      for (std::uint32_t c = 0; c < dimension; ++c) writer.put(flight.velocity[c]);
      continue;
    }
    const Leg& leg = chunk.legs[one.number];
    writer.put(leg_mark);
    put_list(writer, leg.members);
    writer.put(leg.piece.start);
    writer.put(leg.piece.length);
    writer.put(leg.piece.unit);
    writer.put(leg.piece.orders);
    writer.put(leg.piece.multiplier_orders);
    put_list(writer, leg.piece.position);
    put_list(writer, leg.piece.rows);
    put_list(writer, leg.piece.multiplier);
    writer.put(leg.piece.pole);
  }
  return std::move(writer.bytes);
}

Chunk decode(std::string_view bytes, const Extent& extent) {
  Chunk chunk;
  Reader reader(bytes);
  std::uint32_t count = 0;
  reader.get(count);
  reader.get(chunk.going);
  if (chunk.going > count) refuse_chunk("more is going on than is there");
  double last = -std::numeric_limits<double>::infinity();
  std::vector<std::uint8_t> known(extent.members, 0);
  for (std::uint32_t k = 0; k < count; ++k) {
    std::uint32_t member = 0;
    reader.get(member);
    if (member == leg_mark) {
      chunk.begun.push_back({true, static_cast<std::uint32_t>(chunk.legs.size())});
      chunk.legs.push_back(get_leg(reader, extent));
      for (const std::uint32_t one : chunk.legs.back().members) known[one] = 1;
    } else {
      if (member >= extent.members) refuse_chunk("a member that there is not");
      Flight flight;
      flight.member = member;
      reader.get(flight.start);
      for (std::uint32_t c = 0; c < extent.dimension; ++c) reader.get(flight.position[c]);
      for (std::uint32_t c = 0; c < extent.dimension; ++c) reader.get(flight.velocity[c]);
      bool finite = std::isfinite(flight.start);
      for (std::size_t c = 0; c < 3; ++c)
        finite = finite && std::isfinite(flight.position[c]) && std::isfinite(flight.velocity[c]);
      if (!finite) refuse_chunk("a flight that cannot be");
      chunk.begun.push_back({false, static_cast<std::uint32_t>(chunk.flights.size())});
      chunk.flights.push_back(flight);
      known[member] = 1;
    }
    if (chunk.time_of(k) < last) refuse_chunk("its beginnings are not in order");
    last = chunk.time_of(k);
  }
  if (!reader.empty()) refuse_chunk("there is more than it says");
  if (std::find(known.begin(), known.end(), 0) != known.end()) refuse_chunk("a member is missing");
  return chunk;
}

std::string encode_pairs(const std::vector<model::Pair>& pairs) {
  Writer writer;
  for (const model::Pair& pair : pairs) {
    writer.put(pair.family);
    writer.put(pair.first);
    writer.put(pair.second);
  }
  writer.put(check_sum_of(writer.bytes));
  return std::move(writer.bytes);
}

void decode_pairs(std::string_view bytes, std::vector<model::Pair>& pairs) {
  Reader reader(bytes);
  reader.check_sum();
  while (!reader.empty()) {
    model::Pair pair;
    reader.get(pair.family);
    reader.get(pair.first);
    reader.get(pair.second);
    pairs.push_back(pair);
  }
}

}  // namespace zwang::crowds
