/// Series side by side: inputs into lanes, tapes, forces out of lanes, order by order.
#include "zwang/motion/together.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "zwang/expressions/side_by_side.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/together_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

using expressions::many;

namespace {

bool same_forces(const Series::Impl& one, const Series::Impl& other) {
  if (one.orders != other.orders || one.n != other.n || one.terms.size() != other.terms.size()) return false;
  for (std::size_t b = 0; b < one.terms.size(); ++b) {
    const Block& mine = one.terms[b];
    const Block& its = other.terms[b];
    const TermGroup& group = one.model.terms[mine.group];
    const TermGroup& its_group = other.model.terms[its.group];
    if (mine.group != its.group || mine.width != its.width || mine.count != its.count || group.kind != its_group.kind ||
        group.positions != its_group.positions || group.velocities != its_group.velocities ||
        mine.position_of != its.position_of || mine.velocity_of != its.velocity_of || mine.target_of != its.target_of ||
        !expressions::same_structure(one.term_tapes[mine.group], other.term_tapes[its.group])) {
      return false;
    }
  }
  return true;
}

/// Coefficients of two neighbouring lanes, to one list each.
void hand_back_two(const double* from, unsigned count, double* one, double* other) {
  using expressions::Pair;
  unsigned k = 0;
  for (; k + 2 <= count; k += 2, from += std::size_t{2} * many) {
    Pair low;
    Pair high;
    std::memcpy(&low, from, sizeof low);
    std::memcpy(&high, from + many, sizeof high);
    const Pair first = {low[0], high[0]};
    const Pair second = {low[1], high[1]};
    std::memcpy(one + k, &first, sizeof first);
    std::memcpy(other + k, &second, sizeof second);
  }
  if (k == count) return;
  one[k] = from[0];
  other[k] = from[1];
}

/// The last coefficient of the registers of a block that its series has.
unsigned last_of(const Series::Impl& series, const TermGroup& group) {
  return group.kind == TermKind::kinetic ? series.N - 1 : series.N - 2;
}

}  // namespace

void hand_back(const Together::Room& room, std::span<const Series::Impl* const> members) {
  const auto found =
      std::find_if(members.begin(), members.end(), [](const Series::Impl* one) { return one != nullptr; });
  if (found == members.end()) return;
  const Series::Impl& leader = **found;
  const unsigned orders = leader.orders;
  // What the bound of the step asks of the registers lies with each series; idle lanes of a block repeat its last one.
  for (const TermPlace& place : room.places) {
    const Block& block = leader.terms[place.block];
    const expressions::Tape& tape = leader.term_tapes[block.group];
    const TermGroup& group = leader.model.terms[block.group];
    const std::uint32_t w = block.width;
    const std::uint32_t end = place.lane + 1 == block.count ? w : place.lane + 1;
    const std::size_t moving = std::size_t{1} + group.positions + group.velocities;
    const std::size_t computed = tape.inputs.size() + tape.constants.size();
    const unsigned last = last_of(leader, group);
    std::array<double*, many> to{};
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] != nullptr) to[i] = members[i]->arena.data() + members[i]->terms[place.block].registers;
    }
    for (std::size_t reg = 0; reg < tape.registers(); ++reg) {
      if (reg >= moving && reg < computed) continue;
      const double* from = room.registers.data() + place.registers + reg * orders * many;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (to[i] == nullptr) continue;
        // Two members and two coefficients at a time, where a block has one lane.
        if (w == 1 && i + 1 < members.size() && to[i + 1] != nullptr) {
          hand_back_two(from + i, last + 1, to[i] + reg * orders, to[i + 1] + reg * orders);
          ++i;
          continue;
        }
        for (std::uint32_t l = place.lane; l < end; ++l) {
          double* its = to[i] + reg * orders * w + l;
          for (unsigned k = 0; k <= last; ++k) its[std::size_t{k} * w] = from[std::size_t{k} * many + i];
        }
      }
    }
  }
}

Together::Together() : room_(std::make_unique<Room>()) {}
Together::~Together() = default;

bool Together::pays(const Series& series) {
  const Series::Impl& impl = *series.impl_;
  std::size_t numbers = 0;
  for (const Block& block : impl.terms) numbers += impl.term_tapes[block.group].registers() * impl.orders * block.count;
  return !impl.terms.empty() && numbers * many <= most_numbers_together;
}

void Together::extend(std::span<const Member> members) {
  Room& room = *room_;
  room.left.clear();
  for (const Member& member : members) {
    Series::Impl& series = *member.series->impl_;
    if (series.slides.empty() && !series.extended_ahead && pays(*member.series)) room.left.push_back(member);
  }
  // Whatever has the structure of the first one, and then of the first of those that are left.
  while (room.left.size() >= least_together) {
    room.alike.clear();
    Series::Impl& leader = *room.left.front().series->impl_;
    if (leader.structure == 0) leader.structure = Series::Impl::next_number();
    const auto others = std::stable_partition(room.left.begin(), room.left.end(), [&](const Member& member) {
      Series::Impl& its = *member.series->impl_;
      if (its.structure == leader.structure) return false;
      if (!same_forces(leader, its) || is_free(its) != is_free(leader) ||
          (is_free(leader) && !same_masses(leader, its)))
        return true;
      its.structure = leader.structure;
      return false;
    });
    room.alike.assign(others, room.left.end());
    room.left.erase(others, room.left.end());
    for (std::size_t begin = 0; begin < room.alike.size(); begin += many) {
      const std::size_t count = std::min<std::size_t>(many, room.alike.size() - begin);
      if (count < least_together) continue;
      const std::span<const Member> group = std::span<const Member>(room.alike).subspan(begin, count);
      if (is_free(leader)) {
        extend_free(group);
      } else {
        extend_alike(group);
      }
    }
  }
}

void Together::lay_out(std::span<const Member> members) {
  Room& room = *room_;
  const Series::Impl& leader = *members[0].series->impl_;
  const unsigned orders = leader.orders;
  const auto series = [&](std::size_t i) -> Series::Impl& { return *members[i].series->impl_; };
  // Idle lanes repeat the last member.
  const auto member_in = [&](unsigned lane) { return std::min<std::size_t>(lane, members.size() - 1); };
  // Whoever has left something here and takes no part gets it back.
  for (std::size_t i = 0; i < members.size(); ++i) series(i).return_nothing();
  room.give_back_all();
  room.places.clear();
  room.first.clear();
  std::size_t registers = 0;
  std::size_t factors = 0;
  for (std::size_t b = 0; b < leader.terms.size(); ++b) {
    const expressions::Tape& tape = leader.term_tapes[leader.terms[b].group];
    room.first.push_back(room.places.size());
    for (std::uint32_t l = 0; l < leader.terms[b].count; ++l) {
      room.places.push_back({b, l, registers, factors});
      registers += tape.registers() * orders * many;
      factors += tape.instructions.size() * many;
    }
  }
  if (room.registers.size() < registers) room.registers.resize(registers);
  if (room.factors.size() < factors) room.factors.resize(factors);
  for (std::size_t i = 0; i < members.size(); ++i) series(i).begin_orders(*members[i].state);
  // Constants and factors that lie here already stay.
  room.laid_out.resize(many + 1);
  bool known = room.laid_out[many] == leader.structure && leader.modes.empty();
  room.laid_out[many] = leader.structure;
  for (unsigned lane = 0; lane < many; ++lane) {
    const std::uint64_t serial = series(member_in(lane)).serial;
    known = known && room.laid_out[lane] == serial;
    room.laid_out[lane] = serial;
  }
  if (known) return;
  for (const TermPlace& place : room.places) {
    const TermGroup& group = leader.model.terms[leader.terms[place.block].group];
    const std::size_t moving = std::size_t{1} + group.positions + group.velocities;
    const expressions::Tape& leading = leader.term_tapes[leader.terms[place.block].group];
    double* to = room.registers.data() + place.registers;
    std::fill(to + moving * orders * many, to + (leading.inputs.size() + leading.constants.size()) * orders * many,
              0.0);
    for (unsigned lane = 0; lane < many; ++lane) {
      const Series::Impl& its = series(member_in(lane));
      const Block& block = its.terms[place.block];
      const expressions::Tape& tape = its.term_tapes[block.group];
      expressions::load_numbers(tape, lane, to, orders, room.factors.data() + place.factors);
      // What does not move has a first coefficient alone.
      for (std::size_t reg = moving; reg < tape.inputs.size(); ++reg)
        to[reg * orders * many + lane] = its.registers(block)[reg * orders * block.width + place.lane];
    }
  }
}

void Together::extend_alike(std::span<const Member> members) {
  Room& room = *room_;
  const Series::Impl& leader = *members[0].series->impl_;
  const unsigned orders = leader.orders;
  const auto series = [&](std::size_t i) -> Series::Impl& { return *members[i].series->impl_; };
  const auto member_in = [&](unsigned lane) { return std::min<std::size_t>(lane, members.size() - 1); };
  lay_out(members);

  // Coefficient k of all inputs of a place.
  std::array<const double*, many> positions{};
  std::array<const double*, many> velocities{};
  std::array<double, many> per_unit{};
  for (unsigned lane = 0; lane < many; ++lane) {
    const Series::Impl& its = series(member_in(lane));
    positions[lane] = its.q.data();
    velocities[lane] = its.v.data();
    per_unit[lane] = its.per_unit;
  }
  const auto fill = [&](const TermPlace& place, unsigned k, bool with_velocities) {
    const Block& block = leader.terms[place.block];
    const TermGroup& group = leader.model.terms[block.group];
    const std::size_t stride = std::size_t{orders} * many;
    const std::size_t row = std::size_t{k} * leader.n;
    double* r = room.registers.data() + place.registers + std::size_t{k} * many;
    for (unsigned lane = 0; lane < many; ++lane) {
      const std::size_t i = member_in(lane);
      r[lane] = k == 0 ? members[i].state->time : (k == 1 ? series(i).unit : 0.0);
    }
    r += stride;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot, r += stride) {
      const std::size_t at = row + block.position_of[std::size_t{slot} * block.width + place.lane];
      for (unsigned lane = 0; lane < many; ++lane) r[lane] = positions[lane][at];
    }
    for (std::uint32_t slot = 0; slot < group.velocities; ++slot, r += stride) {
      const std::size_t at = row + block.velocity_of[std::size_t{slot} * block.width + place.lane];
      for (unsigned lane = 0; lane < many; ++lane)
        r[lane] = with_velocities ? per_unit[lane] * velocities[lane][at] : 0.0;
    }
  };

  // Order by order, as run_forces does for one series alone.
  for (unsigned k = 0; k + 2 <= leader.N; ++k) {
    for (const TermPlace& place : room.places) {
      const Block& block = leader.terms[place.block];
      const expressions::Tape& tape = leader.term_tapes[block.group];
      double* r = room.registers.data() + place.registers;
      const double* by = room.factors.data() + place.factors;
      fill(place, k, true);
      if (leader.model.terms[block.group].kind != TermKind::kinetic) {
        expressions::extend_many(tape, by, r, orders, k, k);
        continue;
      }
      fill(place, k + 1, false);
      if (k == 0) {
        expressions::extend_many(tape, by, r, orders, 0, 1);
      } else {
        expressions::extend_some_of_many(tape, leader.term_moving[block.group], by, r, orders, k);
        expressions::extend_many(tape, by, r, orders, k + 1, k + 1);
      }
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      series(i).gather_forces(k, [&](std::size_t block, std::uint32_t reg, unsigned order, std::uint32_t l) {
        const TermPlace& place = room.places[room.first[block] + l];
        return room.registers[place.registers + (std::size_t{reg} * orders + order) * many + i];
      });
      series(i).extend_under_forces(*members[i].state, k);
    }
  }

  std::array<const Series::Impl*, many> all{};
  for (std::size_t i = 0; i < members.size(); ++i) all[i] = &series(i);
  hand_back(room, std::span<const Series::Impl* const>(all).first(members.size()));
  for (std::size_t i = 0; i < members.size(); ++i) {
    series(i).finite_ahead = series(i).finish_orders(*members[i].state);
    series(i).extended_ahead = true;
    series(i).proved_ahead = false;
  }
}

}  // namespace zwang::motion
