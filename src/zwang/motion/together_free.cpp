/// Motions without conditions, wholly in lanes: inputs, tapes, sums of forces, masses and the next coefficients, order by order.
///
/// Every lane goes through the operations of its own series in their order (series_extend.cpp). What the tapes leave in their registers stays in the lanes until it is asked for.
#include <algorithm>
#include <array>

#include "zwang/expressions/functions/series.hpp"
#include "zwang/motion/together_impl.hpp"

namespace zwang::motion {

using expressions::Lanes;
using expressions::many;

namespace {

/// All lanes, by the vectors that W names.
template <unsigned W>
[[gnu::always_inline]] inline Lanes<W> all_of(const double* x) {
  return expressions::load<W>(x, 0);
}
template <unsigned W>
[[gnu::always_inline]] inline void put(double* x, const Lanes<W>& y) {
  expressions::store<W>(x, 0, y);
}

/// One order of all members, as the kernels see it.
struct FreeOrder {
  Together::Room& room;
  const Series::Impl& leader;
  unsigned k = 0;
};

// Numbers of every lane.
enum : std::size_t { of_time, of_unit, of_unit_squared, of_per_unit, of_constants };
double* numbers_of(Together::Room& room, std::size_t which) { return room.numbers.data() + which * many; }

/// Coefficient k of all inputs of a place.
template <unsigned W>
[[gnu::always_inline]] inline void fill_inputs(const FreeOrder& o, const TermPlace& place, unsigned k,
                                               bool with_velocities) {
  const Block& block = o.leader.terms[place.block];
  const TermGroup& group = o.leader.model.terms[block.group];
  const std::size_t stride = std::size_t{o.leader.orders} * many;
  const std::size_t row = std::size_t{k} * o.leader.n;
  double* r = o.room.registers.data() + place.registers + std::size_t{k} * many;
  put<W>(r, k == 0 ? all_of<W>(o.room.numbers.data() + of_time * many)
                   : (k == 1 ? all_of<W>(o.room.numbers.data() + of_unit * many) : Lanes<W>{}));
  r += stride;
  for (std::uint32_t slot = 0; slot < group.positions; ++slot, r += stride) {
    const std::size_t at = row + block.position_of[std::size_t{slot} * block.width + place.lane];
    put<W>(r, all_of<W>(o.room.q.data() + at * many));
  }
  const Lanes<W> per_unit = all_of<W>(o.room.numbers.data() + of_per_unit * many);
  for (std::uint32_t slot = 0; slot < group.velocities; ++slot, r += stride) {
    const std::size_t at = row + block.velocity_of[std::size_t{slot} * block.width + place.lane];
    put<W>(r, with_velocities ? per_unit * all_of<W>(o.room.v.data() + at * many) : Lanes<W>{});
  }
}

/// Forces of order k added up, as `gather_forces` does.
template <unsigned W>
[[gnu::always_inline]] inline void add_up(const FreeOrder& o) {
  Together::Room& room = o.room;
  double* force = room.force.data();
  const double* constant = room.numbers.data() + of_constants * many;
  for (std::size_t i = 0; i < o.leader.n; ++i)
    put<W>(force + i * many, o.k == 0 ? all_of<W>(constant + i * many) : Lanes<W>{});
  const Lanes<W> squared = all_of<W>(room.numbers.data() + of_unit_squared * many);
  const Lanes<W> minus = -squared;
  const Lanes<W> later = (o.k + 1.0) * all_of<W>(room.numbers.data() + of_unit * many);
  for (const TermOutput& output : room.outputs) {
    double* to = force + output.variable * many;
    const double* from = room.registers.data() + output.from + std::size_t{o.k} * many;
    switch (output.by) {
      case TermOutput::By::momentum: put<W>(to, all_of<W>(to) - later * all_of<W>(from + many)); break;
      case TermOutput::By::potential: put<W>(to, all_of<W>(to) + minus * all_of<W>(from)); break;
      case TermOutput::By::force:
      case TermOutput::By::kinetic: put<W>(to, all_of<W>(to) + squared * all_of<W>(from)); break;
    }
  }
}

/// x = W force, as `accelerate_free` does.
template <unsigned W>
[[gnu::always_inline]] inline void solve_masses(Together::Room& room) {
  const MassesOfMany& masses = room.masses;
  const double* force = room.force.data();
  double* a = room.acceleration.data();
  for (const std::uint32_t i : masses.alone) {
    const Lanes<W> mass = all_of<W>(masses.single.data() + i * many);
    const Lanes<W> f = all_of<W>(force + i * many);
    put<W>(a + i * many, masses.inverse ? mass * f : f / mass);
  }
  double* x = room.work.data();
  for (const MassesOfMany::MassBlock& block : masses.blocks) {
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) put<W>(x + i * many, all_of<W>(force + block.variables[i] * many));
    const double* lower = masses.lower.data() + block.lower;
    // L u = x, then L^T y = u.
    for (std::size_t c = 0; c < size; ++c) {
      const double* column = lower + c * size * many;
      const Lanes<W> u = all_of<W>(x + c * many) / all_of<W>(column + c * many);
      put<W>(x + c * many, u);
      for (std::size_t i = c + 1; i < size; ++i)
        put<W>(x + i * many, all_of<W>(x + i * many) - all_of<W>(column + i * many) * u);
    }
    for (std::size_t c = size; c-- > 0;) {
      const double* column = lower + c * size * many;
      Lanes<W> sum = all_of<W>(x + c * many);
      for (std::size_t i = c + 1; i < size; ++i) sum = sum - all_of<W>(column + i * many) * all_of<W>(x + i * many);
      put<W>(x + c * many, sum / all_of<W>(column + c * many));
    }
    for (std::size_t i = 0; i < size; ++i) put<W>(a + block.variables[i] * many, all_of<W>(x + i * many));
  }
}

/// v_{k+1} and q_{k+2}, as `take_order` does.
template <unsigned W>
[[gnu::always_inline]] inline void next_coefficients(const FreeOrder& o) {
  const std::size_t n = o.leader.n;
  const double* a = o.room.acceleration.data();
  double* next_v = o.room.v.data() + (o.k + 1) * n * many;
  double* next_q = o.room.q.data() + (o.k + 2) * n * many;
  if (o.k < 6) {
    for (std::size_t i = 0; i < n; ++i) {
      const Lanes<W> rate = all_of<W>(a + i * many) / (o.k + 1.0);
      put<W>(next_v + i * many, rate);
      put<W>(next_q + i * many, rate / (o.k + 2.0));
    }
    return;
  }
  const double by_v = 1.0 / (o.k + 1.0);
  const double by_q = by_v / (o.k + 2.0);
  for (std::size_t i = 0; i < n; ++i) {
    put<W>(next_v + i * many, by_v * all_of<W>(a + i * many));
    put<W>(next_q + i * many, by_q * all_of<W>(a + i * many));
  }
}

template <unsigned W>
[[gnu::always_inline]] inline void inputs_of(const FreeOrder& o) {
  for (const TermPlace& place : o.room.places) {
    fill_inputs<W>(o, place, o.k, true);
    if (o.leader.model.terms[o.leader.terms[place.block].group].kind == TermKind::kinetic)
      fill_inputs<W>(o, place, o.k + 1, false);
  }
}
template <unsigned W>
[[gnu::always_inline]] inline void accelerations_of(const FreeOrder& o) {
  add_up<W>(o);
  solve_masses<W>(o.room);
  next_coefficients<W>(o);
}

void inputs_plain(const FreeOrder& o) { inputs_of<many>(o); }
void accelerations_plain(const FreeOrder& o) { accelerations_of<many>(o); }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
[[gnu::target("avx2")]] void inputs_wide(const FreeOrder& o) { inputs_of<many>(o); }
[[gnu::target("avx2")]] void accelerations_wide(const FreeOrder& o) { accelerations_of<many>(o); }
[[gnu::target("avx512f")]] void inputs_by_eights(const FreeOrder& o) { inputs_of<expressions::many_by_eights>(o); }
[[gnu::target("avx512f")]] void accelerations_by_eights(const FreeOrder& o) {
  accelerations_of<expressions::many_by_eights>(o);
}
const bool free_by_eights = __builtin_cpu_supports("avx512f") != 0;
const bool free_wide = __builtin_cpu_supports("avx2") != 0;
#else
constexpr auto inputs_wide = inputs_plain;
constexpr auto accelerations_wide = accelerations_plain;
constexpr auto inputs_by_eights = inputs_plain;
constexpr auto accelerations_by_eights = accelerations_plain;
constexpr bool free_by_eights = false;
constexpr bool free_wide = false;
#endif

void run_places(const FreeOrder& o) {
  for (const TermPlace& place : o.room.places) {
    const Block& block = o.leader.terms[place.block];
    const expressions::Tape& tape = o.leader.term_tapes[block.group];
    double* r = o.room.registers.data() + place.registers;
    const double* by = o.room.factors.data() + place.factors;
    const unsigned orders = o.leader.orders;
    if (o.leader.model.terms[block.group].kind != TermKind::kinetic) {
      expressions::extend_many(tape, by, r, orders, o.k, o.k);
    } else if (o.k == 0) {
      expressions::extend_many(tape, by, r, orders, 0, 1);
    } else {
      expressions::extend_some_of_many(tape, o.leader.term_moving[block.group], by, r, orders, o.k);
      expressions::extend_many(tape, by, r, orders, o.k + 1, o.k + 1);
    }
  }
}

/// The outputs of all places in the order in which `gather_forces` adds them up.
void list_outputs(Together::Room& room, const Series::Impl& leader) {
  using By = TermOutput::By;
  room.outputs.clear();
  for (std::size_t b = 0; b < leader.terms.size(); ++b) {
    const Block& block = leader.terms[b];
    const TermGroup& group = leader.model.terms[block.group];
    const std::vector<std::uint32_t>& outputs = leader.term_tapes[block.group].outputs;
    const auto list = [&](std::size_t output, const std::vector<std::uint32_t>& variable, std::size_t slot, By by) {
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const std::size_t from = room.places[room.first[b] + l].registers;
        room.outputs.push_back(
            {from + std::size_t{outputs[output]} * leader.orders * many, variable[slot * block.width + l], by});
      }
    };
    if (group.kind == TermKind::kinetic) {
      for (std::size_t slot = 0; slot < group.velocities; ++slot)
        list(1 + group.positions + slot, block.velocity_of, slot, By::momentum);
    }
    if (group.kind == TermKind::force) {
      for (std::size_t o = 0; o < outputs.size(); ++o) list(o, block.target_of, o, By::force);
      continue;
    }
    for (std::size_t slot = 0; slot < group.positions; ++slot)
      list(1 + slot, block.position_of, slot, group.kind == TermKind::potential ? By::potential : By::kinetic);
  }
}

/// The masses of the leader's structure, and then those of every lane.
void load_masses(MassesOfMany& masses, std::span<const Series::Impl* const> lanes) {
  const Series::Impl& leader = *lanes[0];
  const std::size_t n = leader.n;
  masses.inverse = !leader.inverse_mass.empty();
  masses.alone.clear();
  masses.blocks.clear();
  for (std::uint32_t i = 0; i < n; ++i) {
    if (masses.inverse || leader.dynamics.mass.block_of(i) < 0) masses.alone.push_back(i);
  }
  if (masses.single.size() < n * many) masses.single.resize(n * many);
  std::size_t room = 0;
  if (!masses.inverse) {
    for (const linear::Mass::Block& block : leader.dynamics.mass.blocks()) {
      masses.blocks.push_back({block.variables, room});
      room += block.factor.size() * many;
    }
  }
  if (masses.lower.size() < room) masses.lower.resize(room);
  for (unsigned lane = 0; lane < many; ++lane) {
    const Series::Impl& its = *lanes[lane];
    for (const std::uint32_t i : masses.alone)
      masses.single[i * many + lane] = masses.inverse ? its.inverse_mass[i] : its.dynamics.mass.diagonal()[i];
    for (std::size_t b = 0; b < masses.blocks.size(); ++b) {
      const std::vector<double>& factor = its.dynamics.mass.blocks()[b].factor;
      double* to = masses.lower.data() + masses.blocks[b].lower + lane;
      for (std::size_t e = 0; e < factor.size(); ++e) to[e * many] = factor[e];
    }
  }
}

}  // namespace

bool is_free(const Series::Impl& series) {
  return series.slender.empty() && series.held_rows.empty() && series.watched_rows.empty() && series.strands.empty() &&
         series.bent.empty() && series.slides.empty();
}

bool same_masses(const Series::Impl& one, const Series::Impl& other) {
  if (one.inverse_mass.size() != other.inverse_mass.size()) return false;
  if (!one.inverse_mass.empty()) return true;
  const auto mine = one.dynamics.mass.blocks();
  const auto its = other.dynamics.mass.blocks();
  return std::equal(mine.begin(), mine.end(), its.begin(), its.end(),
                    [](const auto& a, const auto& b) { return a.variables == b.variables; });
}

Together::Room::~Room() { give_back_all(); }

void Together::Room::give_back_all() {
  for (const Series::Impl* series : borrowers) {
    if (series != nullptr) series->lender = nullptr;
  }
  hand_back(*this, borrowers);
  borrowers.clear();
}

void Together::Room::give_back(const Series::Impl& series) {
  std::array<const Series::Impl*, many> one{};
  for (std::size_t lane = 0; lane < borrowers.size(); ++lane) {
    if (borrowers[lane] != &series) continue;
    one[lane] = &series;
    forget(series);
    hand_back(*this, one);
    return;
  }
}

void Together::Room::forget(const Series::Impl& series) {
  series.lender = nullptr;
  std::replace(borrowers.begin(), borrowers.end(), &series, static_cast<const Series::Impl*>(nullptr));
}

void Together::extend_free(std::span<const Member> members) {
  Room& room = *room_;
  Series::Impl& leader = *members[0].series->impl_;
  const std::size_t n = leader.n;
  const unsigned N = leader.N;
  std::array<Series::Impl*, many> lanes{};
  for (unsigned lane = 0; lane < many; ++lane)
    lanes[lane] = members[std::min<std::size_t>(lane, members.size() - 1)].series->impl_.get();
  lay_out(members);
  list_outputs(room, leader);
  std::array<const Series::Impl*, many> to_read{};
  std::copy(lanes.begin(), lanes.end(), to_read.begin());
  load_masses(room.masses, to_read);

  // What every lane begins with.
  const auto make = [](AlignedNumbers& list, std::size_t count) {
    if (list.size() < count) list.resize(count);
  };
  make(room.q, (N + 1) * n * many);
  make(room.v, (N + 1) * n * many);
  for (AlignedNumbers* list : {&room.force, &room.acceleration, &room.work}) make(*list, n * many);
  make(room.numbers, (of_constants + n) * many);
  for (unsigned lane = 0; lane < many; ++lane) {
    const Series::Impl& its = *lanes[lane];
    numbers_of(room, of_time)[lane] = members[std::min<std::size_t>(lane, members.size() - 1)].state->time;
    numbers_of(room, of_unit)[lane] = its.unit;
    numbers_of(room, of_unit_squared)[lane] = its.unit_squared;
    numbers_of(room, of_per_unit)[lane] = its.per_unit;
    for (std::size_t i = 0; i < n; ++i) {
      numbers_of(room, of_constants + i)[lane] = its.constant_force[i];
      room.q[i * many + lane] = its.q[i];
      room.q[(n + i) * many + lane] = its.q[n + i];
      room.v[i * many + lane] = its.v[i];
    }
  }

  const auto inputs = free_by_eights ? inputs_by_eights : (free_wide ? inputs_wide : inputs_plain);
  const auto accelerations =
      free_by_eights ? accelerations_by_eights : (free_wide ? accelerations_wide : accelerations_plain);
  for (unsigned k = 0; k + 2 <= N; ++k) {
    const FreeOrder order{room, leader, k};
    inputs(order);
    run_places(order);
    accelerations(order);
    if (k > 0) continue;
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t i = 0; i < n; ++i) lanes[m]->free_first[i] = room.acceleration[i * many + m];
    }
  }

  // The coefficients to each; the registers stay here.
  for (std::size_t m = 0; m < members.size(); ++m) {
    Series::Impl& its = *lanes[m];
    for (std::size_t at = 2 * n; at < (N + 1) * n; ++at) its.q[at] = room.q[at * many + m];
    for (std::size_t at = n; at < N * n; ++at) its.v[at] = room.v[at * many + m];
    room.borrowers.resize(many, nullptr);
    room.borrowers[m] = &its;
    its.lender = &room;
    its.finite_ahead = its.finish_orders(*members[m].state);
    its.extended_ahead = true;
    its.proved_ahead = false;
  }
  prove_free(members);
}

}  // namespace zwang::motion
