/// Crowds put aside and taken up again. Predictions are not kept: they follow from what everybody is doing.
#include <algorithm>
#include <cmath>

#include "zwang/base/archive.hpp"
#include "zwang/crowds/crowd_impl.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Piece;
using motion::Status;

namespace {

constexpr std::uint32_t crowd_mark = 0x7a776372;  ///< the first four bytes of every checkpoint of a crowd
constexpr std::uint32_t crowd_layout = 2;

/// One list of what is kept, for both directions.
template <class Archive>
void keep_piece(Archive& archive, auto& piece, auto one) {
  one(archive, piece.start);
  one(archive, piece.length);
  one(archive, piece.unit);
  one(archive, piece.n);
  one(archive, piece.orders);
  one(archive, piece.multiplier_orders);
  one(archive, piece.position);
  one(archive, piece.rows);
  one(archive, piece.multiplier);
  one(archive, piece.pole);
}

template <class Archive>
void keep_event(Archive& archive, auto& event, auto one) {
  one(archive, event.time);
  one(archive, event.kind);
  one(archive, event.rows);
  one(archive, event.position);
  one(archive, event.velocity);
  one(archive, event.lost);
  one(archive, event.note);
}

template <class Archive>
void keep_whole(Archive& archive, auto& impl, auto one) {
  one(archive, impl.status);
  one(archive, impl.why);
  one(archive, impl.time);
  one(archive, impl.initial);
  one(archive, impl.lost);
  one(archive, impl.work);
  one(archive, impl.position_drift);
  one(archive, impl.velocity_drift);
  one(archive, impl.defect);
  one(archive, impl.position_correction);
  one(archive, impl.velocity_correction);
  one(archive, impl.steps);
  one(archive, impl.event_count);
  one(archive, impl.met);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Fault({"checkpoint", 0, 0}, "the checkpoint belongs to another model, or is damaged: " + what + " cannot be");
}

}  // namespace

std::string Crowd::save() const {
  impl_->take_back();
  const Impl& impl = *impl_;
  Writer writer;
  // Most of it, at once: what grows step by step takes up to twice as much.
  writer.bytes.reserve(impl.movers.size() * (sizeof(Vector) * 2 + 64) + impl.met.size() * sizeof(model::Pair) +
                       (impl.strikes_of_walls.size() + impl.strikes_of_pairs.size()) * sizeof(motion::Strikes) + 4096);
  const auto put = [](Writer& archive, const auto& value) { archive.put(value); };
  writer.put(crowd_mark);
  writer.put(crowd_layout);
  keep_whole(writer, impl, put);
  writer.put(impl.grid.width());
  for (const Drive& drive : impl.drives) writer.put(drive.piece.start);
  writer.put(static_cast<std::uint64_t>(impl.movers.size()));
  for (std::uint32_t i = 0; i < impl.movers.size(); ++i) {
    const Mover& mover = impl.movers[i];
    writer.put(mover.start);
    writer.put(mover.x);
    writer.put(mover.v);
    writer.put(mover.close_shocks);
    writer.put(mover.at_once);
    writer.put(mover.held);
    writer.put(mover.settled);
    writer.put(impl.grid.cell(i));
  }
  for (const Hops& sequence : impl.hops) {
    writer.put(sequence.wall);
    writer.put(sequence.count);
    writer.put(sequence.first);
    writer.put(sequence.limit);
    writer.put(sequence.limit_wall);
    writer.put(sequence.limit_lost);
    writer.put(sequence.struck);
  }
  for (const Memory& memory : impl.memory) {
    writer.put(memory.count);
    for (std::uint32_t k = 0; k < memory.count; ++k) {
      const Struck& one = memory.at(k);
      writer.put(one.time);
      writer.put(one.speed);
      writer.put(one.lost);
      writer.put(one.number);
    }
  }
  for (const auto* strikes : {&impl.strikes_of_walls, &impl.strikes_of_pairs}) {
    for (const motion::Strikes& one : *strikes) {
      writer.put(one.count);
      writer.put(one.hardest);
    }
  }
  writer.put(static_cast<std::uint64_t>(impl.islands.size()));
  for (const Island& island : impl.islands) {
    writer.put(island.members);
    if (island.members.empty()) continue;
    writer.put(island.part->row);
    writer.put(motion::save(island.motion));
    keep_piece(writer, island.piece, put);
    writer.put(static_cast<std::uint64_t>(island.motion.events.size()));
    for (const Event& event : island.motion.events) {
      keep_event(writer, event, put);
      writer.put(static_cast<std::uint64_t>(event.impulses.size()));
      for (const motion::RowValue& value : event.impulses) {
        writer.put(value.first);
        writer.put(value.second);
      }
    }
    writer.put(island.lost);
    writer.put(island.work);
    writer.put(island.look);
    writer.put(island.pause);
  }
  writer.put(check_sum_of(std::string_view(writer.bytes).substr(sizeof crowd_mark + sizeof crowd_layout)));
  return std::move(writer.bytes);
}

Crowd Crowd::restore(const model::Model& model, const motion::Options& options, std::string_view saved) {
  Crowd crowd;
  crowd.impl_ = std::make_unique<Impl>(model, options);
  Impl& impl = *crowd.impl_;
  const std::uint32_t n = impl.members.count;
  Reader reader(saved);
  const auto get = [](Reader& archive, auto& value) { archive.get(value); };
  std::uint32_t word = 0;
  reader.get(word);
  if (word != crowd_mark) throw Fault({"checkpoint", 0, 0}, "this is no checkpoint of a crowd");
  reader.get(word);
  if (word != crowd_layout) throw Error({"checkpoint", 0, 0}, "the checkpoint was written by another version");
  reader.check_sum();
  keep_whole(reader, impl, get);
  if (impl.status > Status::interrupted) refuse("its status");
  for (const model::Pair& pair : impl.met) {
    if (pair.family >= model.pairs.size()) refuse("a pair");
    const model::PairFamily& family = model.pairs[pair.family];
    const auto among = [](const model::PairFamily::Side& side, std::uint32_t member) {
      return member >= side.low && member <= side.high;
    };
    if (!among(family.first, pair.first) || !among(family.second, pair.second)) refuse("a pair");
    static_cast<void>(
        impl.number_of_met.find_or_add(model::pair_row(family, pair.first, pair.second),
                                       model.rows() + static_cast<std::uint32_t>(impl.number_of_met.size())));
  }
  if (impl.number_of_met.size() != impl.met.size()) refuse("a pair that is there twice");
  double width = 0;
  reader.get(width);
  if (!(width >= impl.members.widest) || !std::isfinite(width)) refuse("the width of its cells");
  impl.grid.reset(n, impl.members.dimension, width);
  impl.queue.reset(impl.number_in_queue(0));
  for (std::uint32_t d = 0; d < impl.drives.size(); ++d) {
    double start = 0;
    reader.get(start);
    if (!(start >= model.simulation.start && start <= impl.time)) refuse("when a function of time was taken up");
    static_cast<void>(impl.drive_on(d, start));
  }
  std::uint64_t count = 0;
  reader.get(count);
  if (count != n) refuse("the number of its members");
  impl.movers.resize(n);
  std::vector<Cell> cells(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    Mover& mover = impl.movers[i];
    reader.get(mover.start);
    reader.get(mover.x);
    reader.get(mover.v);
    reader.get(mover.close_shocks);
    reader.get(mover.at_once);
    reader.get(mover.held);
    if (mover.held != Impl::none && mover.held >= impl.members.walls_of(i).size()) refuse("a wall that is slid along");
    reader.get(mover.settled);
    reader.get(cells[i]);
    impl.fresh.push_back(i);
  }
  impl.put_all(cells);

  for (std::uint32_t i = 0; i < impl.hops.size(); ++i) {
    Hops& sequence = impl.hops[i];
    reader.get(sequence.wall);
    reader.get(sequence.count);
    reader.get(sequence.first);
    reader.get(sequence.limit);
    reader.get(sequence.limit_wall);
    reader.get(sequence.limit_lost);
    reader.get(sequence.struck);
    const std::size_t walls = impl.members.walls_of(i).size();
    if ((sequence.wall != Impl::none && sequence.wall >= walls) ||
        (std::isfinite(sequence.limit) && sequence.limit_wall >= walls))
      refuse("a wall that is hopped on");
  }
  for (Memory& memory : impl.memory) {
    std::uint32_t strikes = 0;
    reader.get(strikes);
    if (strikes > strikes_remembered) refuse("what a member remembers");
    for (std::uint32_t k = 0; k < strikes; ++k) {
      Struck one;
      reader.get(one.time);
      reader.get(one.speed);
      reader.get(one.lost);
      reader.get(one.number);
      if (one.number >= model.rows() + impl.met.size()) refuse("what a member remembers");
      memory.add(one);
    }
  }
  if (impl.lossy) impl.strikes_of_pairs.resize(impl.met.size());
  for (auto* strikes : {&impl.strikes_of_walls, &impl.strikes_of_pairs}) {
    for (motion::Strikes& one : *strikes) {
      reader.get(one.count);
      reader.get(one.hardest);
    }
  }

  // Islands: the same part of the model, and the motion on it.
  reader.get(count);
  if (count > n) refuse("the number of its islands");
  for (std::uint32_t k = 0; k < count; ++k) {
    impl.islands.emplace_back();
    impl.queue.grow(impl.number_in_queue(k + 1));
    Island& island = impl.islands.back();
    reader.get(island.members);
    if (island.members.empty()) {
      impl.free_islands.push_back(k);
      continue;
    }
    const bool rising = std::is_sorted(island.members.begin(), island.members.end(), std::less_equal<>());
    if (!rising || island.members.back() >= n) refuse("an island");
    std::vector<std::uint64_t> rows;
    reader.get(rows);
    if (!std::is_sorted(rows.begin(), rows.end(), std::less_equal<>())) refuse("the conditions of an island");
    std::vector<model::Member> places;
    for (std::size_t m = 0; m < island.members.size(); ++m) {
      Mover& mover = impl.movers[island.members[m]];
      if (mover.island != Impl::none) refuse("a member of two islands");
      mover.island = k;
      mover.column = static_cast<std::uint32_t>(m) * impl.members.dimension;
      places.push_back(impl.members.place[island.members[m]]);
    }
    if (!impl.are_between(rows, island.members)) refuse("the conditions of an island");
    island.part = impl.part_with(places, rows);
    std::string bytes;
    reader.get(bytes);
    motion::Options own;
    own.until = impl.until;
    own.tolerance = impl.tolerance;
    island.motion = motion::restore(island.part->model, own, bytes);
    keep_piece(reader, island.piece, get);
    const Piece& piece = island.piece;
    const std::size_t held = piece.rows.size();
    const bool fits =
        piece.n == island.part->model.variables && piece.orders <= 32 && piece.multiplier_orders <= 32 &&
        piece.position.size() == std::size_t{piece.orders} * piece.n &&
        piece.multiplier.size() == std::size_t{piece.multiplier_orders} * held &&
        std::all_of(piece.rows.begin(), piece.rows.end(), [&](std::uint32_t row) { return row < rows.size(); });
    if (!fits) refuse("the piece of an island");
    std::uint64_t events = 0;
    reader.get(events);
    for (std::uint64_t e = 0; e < events; ++e) {
      Event event;
      keep_event(reader, event, get);
      std::uint64_t impulses = 0;
      reader.get(impulses);
      for (std::uint64_t j = 0; j < impulses; ++j) {
        motion::RowValue value;
        reader.get(value.first);
        reader.get(value.second);
        if (value.first >= rows.size()) refuse("an event");
        event.impulses.push_back(value);
      }
      const bool known =
          event.kind <= motion::EventKind::accumulation && event.position.size() == piece.n &&
          event.velocity.size() == piece.n &&
          std::all_of(event.rows.begin(), event.rows.end(), [&](std::uint32_t row) { return row < rows.size(); });
      if (!known) refuse("an event");
      island.motion.events.push_back(std::move(event));
    }
    reader.get(island.lost);
    reader.get(island.work);
    reader.get(island.look);
    reader.get(island.pause);
    impl.queue.put(impl.number_in_queue(k), std::min(island.motion.state.time, island.look));
  }
  if (!reader.empty()) throw Fault({"checkpoint", 0, 0}, "the checkpoint is too long");
  if (impl.status == Status::finished && impl.time < impl.until) impl.status = Status::going;
  for (std::uint32_t f = 0; f < impl.members.faces.size(); ++f) impl.set_guard(f);
  for (std::uint32_t d = 0; d < impl.drives.size(); ++d) impl.enqueue_drive(d);
  impl.predict_fresh();
  return crowd;
}

bool Crowd::Impl::are_between(const std::vector<std::uint64_t>& rows, const std::vector<std::uint32_t>& among) const {
  const auto has = [&](std::uint32_t member) { return std::binary_search(among.begin(), among.end(), member); };
  std::vector<std::uint64_t> walls;
  for (const std::uint32_t member : among) {
    for (const std::uint32_t row : members.wall_rows_of(member)) walls.push_back(row);
  }
  std::sort(walls.begin(), walls.end());
  return std::all_of(rows.begin(), rows.end(), [&](std::uint64_t row) {
    if (const Link* link = link_of(row)) {
      const Face& face = members.faces[link->face];
      return has(link->member) && (face.owner == Face::nobody || has(face.owner));
    }
    if (const std::uint32_t member = member_at_obstacle(row); member != none) return has(member);
    if (row < model.rows()) return std::binary_search(walls.begin(), walls.end(), row);
    const model::PairFamily& family = model::family_of(model, row);
    if (row - family.first_row >= family.pairs()) return false;
    const auto [first, second] = model::members_of_pair(family, row);
    return has(first_member[family.first.body] + first) && has(first_member[family.second.body] + second);
  });
}

}  // namespace zwang::crowds
