/// What is written down of a crowd, and how it is read again.
#include "zwang/crowds/chunk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/base/archive.hpp"

namespace zwang::crowds {

namespace {

constexpr std::uint32_t most_orders_of_leg = 4096;

[[noreturn]] void refuse_chunk(const char* why) { throw Fault({"chunk", 0, 0}, why); }

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

Leg get_leg(Reader& reader, std::uint32_t dimension) {
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
  piece.n = static_cast<std::uint32_t>(leg.members.size()) * dimension;
  return leg;
}

void require_leg(const Leg& leg, const Extent& extent) {
  const motion::Piece& piece = leg.piece;
  const auto rises = [](const std::vector<std::uint32_t>& list, std::uint32_t below) {
    return std::is_sorted(list.begin(), list.end(), std::less_equal<>()) && (list.empty() || list.back() < below);
  };
  const bool fits = !leg.members.empty() && rises(leg.members, extent.members) && rises(piece.rows, extent.rows) &&
                    std::isfinite(piece.start) && piece.length >= 0 && std::isfinite(piece.length) && piece.unit > 0 &&
                    std::isfinite(piece.unit) && piece.orders >= 1 && piece.orders <= most_orders_of_leg &&
                    piece.multiplier_orders <= most_orders_of_leg &&
                    piece.position.size() == std::size_t{piece.orders} * piece.n &&
                    piece.multiplier.size() == std::size_t{piece.multiplier_orders} * piece.rows.size() &&
                    all_finite(piece.position) && all_finite(piece.multiplier);
  if (!fits) refuse_chunk("a leg that cannot be");
}

Flight get_flight(Reader& reader, std::uint32_t member, std::uint32_t dimension) {
  Flight flight;
  flight.member = member;
  reader.get(flight.start);
  for (std::uint32_t c = 0; c < dimension; ++c) reader.get(flight.position[c]);
  for (std::uint32_t c = 0; c < dimension; ++c) reader.get(flight.velocity[c]);
  return flight;
}

void require_flight(const Flight& flight) {
  bool finite = std::isfinite(flight.start);
  for (std::size_t c = 0; c < 3; ++c)
    finite = finite && std::isfinite(flight.position[c]) && std::isfinite(flight.velocity[c]);
  if (!finite) refuse_chunk("a flight that cannot be");
}

/// Beginnings one after the other; `require` looks at the last that was read.
template <class Require>
void get_beginnings(Reader& reader, std::uint32_t dimension, std::uint32_t count, std::size_t bytes, Chunk& chunk,
                    const Require& require) {
  // (No more at once than there are bytes for: the count may be anything.)
  const std::size_t most = std::min<std::size_t>(count, bytes / bytes_of_flight(dimension));
  chunk.begun.reserve(most);
  chunk.flights.reserve(most);
  for (std::uint32_t k = 0; k < count; ++k) {
    std::uint32_t member = 0;
    reader.get(member);
    if (member == leg_mark) {
      chunk.begun.push_back({true, static_cast<std::uint32_t>(chunk.legs.size())});
      chunk.legs.push_back(get_leg(reader, dimension));
    } else {
      chunk.begun.push_back({false, static_cast<std::uint32_t>(chunk.flights.size())});
      chunk.flights.push_back(get_flight(reader, member, dimension));
    }
    require(k);
  }
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

Chunk decode(std::string_view bytes, const Extent& extent) {
  Chunk chunk;
  Reader reader(bytes);
  std::uint32_t count = 0;
  reader.get(count);
  reader.get(chunk.going);
  if (chunk.going > count) refuse_chunk("more is going on than is there");
  double last = -std::numeric_limits<double>::infinity();
  std::vector<std::uint8_t> known(extent.members, 0);
  get_beginnings(reader, extent.dimension, count, bytes.size(), chunk, [&](std::uint32_t k) {
    if (chunk.begun[k].leg) {
      require_leg(chunk.legs.back(), extent);
      for (const std::uint32_t one : chunk.legs.back().members) known[one] = 1;
    } else {
      const Flight& flight = chunk.flights.back();
      if (flight.member >= extent.members) refuse_chunk("a member that there is not");
      require_flight(flight);
      known[flight.member] = 1;
    }
    if (chunk.time_of(k) < last) refuse_chunk("its beginnings are not in order");
    last = chunk.time_of(k);
  });
  if (!reader.empty()) refuse_chunk("there is more than it says");
  if (std::find(known.begin(), known.end(), 0) != known.end()) refuse_chunk("a member is missing");
  return chunk;
}

Chunk decode_own(std::string_view bytes, std::uint32_t dimension) {
  Chunk chunk;
  Reader reader(bytes);
  std::uint32_t count = 0;
  reader.get(count);
  reader.get(chunk.going);
  get_beginnings(reader, dimension, count, bytes.size(), chunk, [](std::uint32_t) {});
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
