/// Proofs of steps side by side, for motions without conditions whose series lie in lanes (together_free.cpp).
///
/// Each motion looks for its step as it would alone (step_search.hpp); what it asks, how far a bound misses, is answered for some of them at once: the sums over orders in
/// lanes, in the order of operations of series_bound.cpp, the rest by every series itself. A search is begun anew with the answers so far until it asks nothing more.
#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "zwang/expressions/lane_sums.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/together_impl.hpp"

namespace zwang::motion {

using expressions::many;
using expressions::most_lanes_at_once;

namespace {

/// What the search of a lane asks.
struct LaneStep {
  bool asked = false;
  double h = 0, r = 0;
};

/// `Count` neighbouring lanes.
template <unsigned Count>
class LaneJudge {
  using LaneNumbers = std::array<double, Count>;

 public:
  LaneJudge(Together::Room& room, unsigned first, std::span<Series::Impl* const> series)
      : room_(room),
        first_(first),
        series_(series),
        leader_(*series[0]),
        n_(leader_.n),
        orders_(leader_.orders),
        N_(leader_.N) {
    for (unsigned l = 0; l < lanes_; ++l) {
      unit_[l] = series_[l]->unit;
      unit_squared_[l] = series_[l]->unit_squared;
      per_unit_[l] = series_[l]->per_unit;
    }
  }

  /// `load`, accelerations and forces of every series that asked: `measure` and `sum_up_step`.
  void measure(std::span<const LaneStep> steps);
  /// Sizes of the terms of the free accelerations at the beginning, once for all judgements.
  void find_force_terms(std::span<const LaneStep> steps);

 private:
  [[nodiscard]] const double* registers(const TermPlace& place) const {
    return room_.registers.data() + place.registers + first_;
  }
  [[nodiscard]] const double* factors(const TermPlace& place) const {
    return room_.factors.data() + place.factors + first_;
  }
  void find_radii();
  void spread_place(const TermPlace& place);
  void bound_place(const TermPlace& place);
  void sum_up(std::span<const LaneStep> steps);
  /// Calls visit(number of the output, variable, place, kind) for the outputs of a block, in the order in which they are added up.
  template <class Visit>
  void for_outputs(std::size_t block, bool momenta, const Visit& visit) const;
  double* room_for(std::size_t count) {
    if (room_.found.size() < count) room_.found.resize(count);
    return room_.found.data();
  }

  Together::Room& room_;
  static constexpr unsigned lanes_ = Count;
  unsigned first_;
  std::span<Series::Impl* const> series_;
  const Series::Impl& leader_;
  std::size_t n_;
  unsigned orders_, N_;
  expressions::Stretches stretches_;
  std::array<expressions::Circle, Count> circle_{};
  alignas(64) LaneNumbers h_{}, r_{}, unit_{}, unit_squared_{}, per_unit_{};
  alignas(64) std::array<double, (outer_circles + 1) * Count> grown_{};  ///< r of all circles
};

template <unsigned Count>
template <class Visit>
void LaneJudge<Count>::for_outputs(std::size_t b, bool momenta, const Visit& visit) const {
  const Block& block = leader_.terms[b];
  const TermGroup& group = leader_.model.terms[block.group];
  const std::uint32_t w = block.width;
  const auto each = [&](std::size_t output, const std::uint32_t* variable, bool momentum) {
    for (std::uint32_t l = 0; l < block.count; ++l) visit(output, variable[l], l, momentum);
  };
  if (group.kind == TermKind::force) {
    for (std::size_t o = 0; o < leader_.term_tapes[block.group].outputs.size(); ++o)
      each(o, block.target_of.data() + o * w, false);
    return;
  }
  for (std::size_t slot = 0; slot < group.positions; ++slot) each(1 + slot, block.position_of.data() + slot * w, false);
  for (std::size_t slot = 0; slot < group.velocities && momenta && group.kind == TermKind::kinetic; ++slot)
    each(1 + group.positions + slot, block.velocity_of.data() + slot * w, true);
}

template <unsigned Count>
void LaneJudge<Count>::find_radii() {
  const std::size_t all = (outer_circles + 1) * n_ * lanes_;
  if (room_.radius_q.size() < all) {
    room_.radius_q.resize(all);
    room_.radius_v.resize(all);
  }
  for (std::size_t level = 0; level <= outer_circles; ++level) {
    for (unsigned l = 0; l < lanes_; ++l) grown_[level * lanes_ + l] = r_[l] * outer_circle(level);
  }
  const auto sum = [&](const AlignedNumbers& of, unsigned last, AlignedNumbers& to) {
    const std::size_t level = n_ * lanes_;
    expressions::add_up_sizes({{lanes_, of.data() + first_, n_ * many, grown_.data()},
                               many,
                               n_,
                               outer_circles + 1,
                               last,
                               {to.data(), to.data() + level, to.data() + 2 * level}});
  };
  sum(room_.q, N_, room_.radius_q);
  sum(room_.v, N_ - 1, room_.radius_v);
}

/// Radii of all registers of a place: from larger circles inwards, the last ones in `radii`.
template <unsigned Count>
void LaneJudge<Count>::spread_place(const TermPlace& place) {
  const Block& block = leader_.terms[place.block];
  const TermGroup& group = leader_.model.terms[block.group];
  const expressions::Tape& tape = leader_.term_tapes[block.group];
  const std::size_t size = tape.registers() * lanes_;
  for (AlignedNumbers* list : {&room_.radii, &room_.outer_radii}) {
    if (list->size() < size) list->resize(size);
  }
  // What the series themselves say on the circle and on the next one.
  const std::size_t computed = tape.inputs.size() + tape.constants.size();
  const std::size_t own = tape.instructions.size() * lanes_;
  if (room_.own.size() < 2 * own) room_.own.resize(2 * own);
  expressions::add_up_sizes({{lanes_, registers(place) + computed * orders_ * many, many, grown_.data()},
                             std::size_t{orders_} * many,
                             tape.instructions.size(),
                             2,
                             N_ - 2,
                             {room_.own.data(), room_.own.data() + own, nullptr}});
  // Only these ask for the circle itself.
  const bool looks_at_circles =
      std::any_of(tape.instructions.begin(), tape.instructions.end(), [](const expressions::Instruction& i) {
        return i.op == expressions::Op::divide || i.op == expressions::Op::reciprocal || i.op == expressions::Op::sqrt;
      });
  const double* outer = nullptr;
  for (std::size_t level = outer_circles + 1; level-- > 0;) {
    const double grown = outer_circle(level);
    double* to = room_.radii.data();
    for (unsigned l = 0; l < lanes_; ++l) {
      *to++ = r_[l] * grown * unit_[l];
      circle_[l].known = N_ - 1;
      if (looks_at_circles) circle_[l] = {r_[l] * grown, h_[l] / r_[l] / grown, N_ - 1};
    }
    for (std::uint32_t slot = 0; slot < group.positions; ++slot, to += lanes_) {
      const std::size_t i = block.position_of[std::size_t{slot} * block.width + place.lane];
      std::copy_n(room_.radius_q.data() + (level * n_ + i) * lanes_, lanes_, to);
    }
    for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
      const std::size_t i = block.velocity_of[std::size_t{slot} * block.width + place.lane];
      const double* from = room_.radius_v.data() + (level * n_ + i) * lanes_;
      for (unsigned l = 0; l < lanes_; ++l) *to++ = per_unit_[l] * from[l];
    }
    std::fill(to, to + std::size_t{group.constants} * lanes_, 0.0);
    expressions::spread_some_of_many(tape, factors(place), registers(place), orders_, {circle_.data(), lanes_},
                                     outer == nullptr ? nullptr : room_.own.data() + level * own, room_.radii.data(),
                                     outer, 1 / outer_ratio);
    if (level == 0) break;
    room_.radii.swap(room_.outer_radii);
    outer = room_.outer_radii.data();
  }
}

/// Bounds of what all registers of a place leave out, in `rests`.
template <unsigned Count>
void LaneJudge<Count>::bound_place(const TermPlace& place) {
  const Block& block = leader_.terms[place.block];
  const TermGroup& group = leader_.model.terms[block.group];
  const expressions::Tape& tape = leader_.term_tapes[block.group];
  const unsigned known = N_ - 1;
  expressions::make_room(tape, lanes_, known, room_.rests);
  double* to = room_.rests.error.data();
  std::fill(to, to + lanes_, 0.0);
  to += lanes_;
  const double* first = stretches_.of_length + std::size_t{known} * lanes_;
  for (std::uint32_t slot = 0; slot < group.positions; ++slot, to += lanes_) {
    const std::size_t i = block.position_of[std::size_t{slot} * block.width + place.lane];
    expressions::add_up_rest({lanes_, room_.q.data() + i * many + first_, n_ * many, h_.data()}, known, N_, to);
    for (unsigned l = 0; l < lanes_; ++l) to[l] = to[l] == 0 ? 0.0 : to[l] * first[l];
  }
  for (std::uint32_t slot = 0; slot < group.velocities; ++slot, to += lanes_) {
    const std::size_t i = block.velocity_of[std::size_t{slot} * block.width + place.lane];
    expressions::add_up_rest({lanes_, room_.v.data() + i * many + first_, n_ * many, h_.data()}, known, N_ - 1, to);
    for (unsigned l = 0; l < lanes_; ++l) to[l] = to[l] == 0 ? 0.0 : to[l] * first[l] * per_unit_[l];
  }
  std::fill(to, to + std::size_t{group.constants} * lanes_, 0.0);
  expressions::bound_some_of_many(tape, factors(place), leader_.term_sized[block.group], registers(place), orders_,
                                  block.width, known, stretches_, room_.rests);
}

template <unsigned Count>
void LaneJudge<Count>::measure(std::span<const LaneStep> steps) {
  // Those that ask nothing go along with one that does.
  const LaneStep& some = *std::find_if(steps.begin(), steps.end(), [](const LaneStep& one) { return one.asked; });
  std::array<Series::Impl::BeyondCircle, Count> beyond{};
  stretches_.lanes = lanes_;
  // Zero where nothing is asked.
  std::array<unsigned, Count> motion_order{};
  LaneNumbers value_by{};
  LaneNumbers momentum_by{};
  LaneNumbers force_by{};
  for (unsigned l = 0; l < lanes_; ++l) {
    const LaneStep& step = steps[l].asked ? steps[l] : some;
    h_[l] = step.h;
    r_[l] = step.r;
    if (!steps[l].asked) continue;
    const Series::Impl& its = *series_[l];
    beyond[l] = its.beyond_circle(step.h, step.r);
    motion_order[l] = its.motion_order;
    value_by[l] = beyond[l].value * its.unit_squared;
    momentum_by[l] = beyond[l].momentum * its.unit;
    force_by[l] = its.unit_squared;
  }
  stretches_.set(h_.data(), N_ + 1);
  if (leader_.on_circles()) find_radii();
  const std::size_t all = n_ * lanes_;
  if (room_.sums.size() < all) room_.sums.resize(all);
  std::fill_n(room_.sums.data(), all, 0.0);
  for (std::size_t b = 0; b < leader_.terms.size(); ++b) {
    const Block& block = leader_.terms[b];
    const bool kinetic = leader_.model.terms[block.group].kind == TermKind::kinetic;
    const expressions::Tape& tape = leader_.term_tapes[block.group];
    const std::vector<unsigned>& degree = leader_.term_degrees[block.group];
    const auto reaches = [&](unsigned l, std::uint32_t reg) { return degree[reg] * motion_order[l] > N_ - 2; };
    bool any = false;
    for (unsigned l = 0; l < lanes_; ++l) {
      for (const std::uint32_t reg : tape.outputs) any = any || reaches(l, reg);
    }
    if (!any) continue;
    // All outputs of all places first: they are added up output by output.
    const std::size_t per_place = tape.outputs.size() * lanes_;
    double* found = room_for(per_place * block.count);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const TermPlace& place = room_.places[room_.first[b] + l];
      if (kinetic) {
        spread_place(place);
      } else {
        bound_place(place);
      }
      const double* from = kinetic ? room_.radii.data() : room_.rests.error.data();
      for (std::size_t o = 0; o < tape.outputs.size(); ++o)
        std::copy_n(from + std::size_t{tape.outputs[o]} * lanes_, lanes_, found + l * per_place + o * lanes_);
    }
    for_outputs(b, true, [&](std::size_t output, std::uint32_t variable, std::uint32_t place, bool momentum) {
      const double* moving = found + place * per_place + output * lanes_;
      const LaneNumbers& by = !kinetic ? force_by : (momentum ? momentum_by : value_by);
      double* to = room_.sums.data() + std::size_t{variable} * lanes_;
      for (unsigned l = 0; l < lanes_; ++l) {
        if (reaches(l, tape.outputs[output]) && moving[l] != 0) to[l] += moving[l] * by[l];
      }
    });
  }
  for (unsigned l = 0; l < lanes_; ++l) {
    if (!steps[l].asked) continue;
    std::vector<double>& load = series_[l]->load;
    for (std::size_t i = 0; i < n_; ++i) load[i] = room_.sums[i * lanes_ + l];
  }
  sum_up(steps);
}

template <unsigned Count>
void LaneJudge<Count>::sum_up(std::span<const LaneStep> steps) {
  LaneNumbers at_end{};
  LaneNumbers halfway{};
  LaneNumbers terms{};
  for (std::size_t i = 0; i < n_; ++i) {
    expressions::add_up_rates({lanes_, room_.v.data() + i * many + first_, n_ * many, h_.data()}, N_, at_end.data(),
                              halfway.data(), terms.data());
    for (unsigned l = 0; l < lanes_; ++l) {
      if (!steps[l].asked) continue;
      series_[l]->at_end[i] = at_end[l];
      series_[l]->halfway[i] = halfway[l];
      series_[l]->step_terms[i] = terms[l];
    }
  }
  // Forces at the end.
  for (unsigned l = 0; l < lanes_; ++l) {
    for (std::size_t i = 0; i < n_; ++i) room_.sums[i * lanes_ + l] = series_[l]->constant_force[i];
  }
  for (std::size_t b = 0; b < leader_.terms.size(); ++b) {
    const Block& block = leader_.terms[b];
    const TermKind kind = leader_.model.terms[block.group].kind;
    if (kind == TermKind::kinetic) continue;
    const double sign = kind == TermKind::force ? 1.0 : -1.0;
    const std::vector<std::uint32_t>& outputs = leader_.term_tapes[block.group].outputs;
    for_outputs(b, false, [&](std::size_t output, std::uint32_t variable, std::uint32_t place, bool) {
      const double* c = registers(room_.places[room_.first[b] + place]) + std::size_t{outputs[output]} * orders_ * many;
      expressions::add_up_values({lanes_, c, many, h_.data()}, N_ - 1, at_end.data());
      double* to = room_.sums.data() + std::size_t{variable} * lanes_;
      for (unsigned l = 0; l < lanes_; ++l) to[l] += sign * unit_squared_[l] * at_end[l];
    });
  }
  for (unsigned l = 0; l < lanes_; ++l) {
    if (!steps[l].asked) continue;
    std::vector<double>& size = series_[l]->force_size;
    for (std::size_t i = 0; i < n_; ++i) size[i] = room_.sums[i * lanes_ + l];
  }
}

template <unsigned Count>
void LaneJudge<Count>::find_force_terms(std::span<const LaneStep> steps) {
  const auto needs = [&](unsigned l) { return steps[l].asked && !series_[l]->force_terms_known; };
  bool any = false;
  for (unsigned l = 0; l < lanes_; ++l) {
    if (!needs(l)) continue;
    any = true;
    Series::Impl& its = *series_[l];
    for (std::size_t i = 0; i < n_; ++i) its.force_size[i] = std::abs(its.constant_force[i]);
  }
  if (!any) return;
  for (std::size_t b = 0; b < leader_.terms.size(); ++b) {
    const Block& block = leader_.terms[b];
    const expressions::Tape& tape = leader_.term_tapes[block.group];
    const std::size_t per_place = tape.registers() * lanes_;
    double* sizes = room_for(per_place * block.count);
    for (std::uint32_t l = 0; l < block.count; ++l) {
      const TermPlace& place = room_.places[room_.first[b] + l];
      expressions::magnitudes_of_some(tape, factors(place), registers(place), orders_, lanes_, sizes + l * per_place);
    }
    for_outputs(b, false, [&](std::size_t output, std::uint32_t variable, std::uint32_t place, bool) {
      const double* from = sizes + place * per_place + std::size_t{tape.outputs[output]} * lanes_;
      for (unsigned l = 0; l < lanes_; ++l) {
        if (needs(l)) series_[l]->force_size[variable] += unit_squared_[l] * from[l];
      }
    });
  }
  for (unsigned l = 0; l < lanes_; ++l) {
    if (needs(l)) series_[l]->weigh_force_terms();
  }
}

/// Coefficients that were dropped from a series (`drop_what_vanishes`) are still in its lane.
bool as_in_lane(const Together::Room& room, const Series::Impl& series, unsigned lane) {
  const std::size_t n = series.n;
  const unsigned N = series.N;
  for (std::size_t i = 0; i < n; ++i) {
    if (series.q[N * n + i] != room.q[(N * n + i) * many + lane] ||
        series.v[(N - 1) * n + i] != room.v[((N - 1) * n + i) * many + lane])
      return false;
  }
  return true;
}

}  // namespace

void Together::prove_free(std::span<const Member> members) {
  Room& room = *room_;
  const unsigned lanes = expressions::lanes_at_once();
  for (std::size_t begin = 0; begin < members.size(); begin += lanes) {
    std::array<Series::Impl*, most_lanes_at_once> series{};
    std::array<LaneStep, most_lanes_at_once> steps{};
    std::array<bool, most_lanes_at_once> going{};
    for (unsigned l = 0; l < lanes; ++l) {
      const Member& member = members[std::min(begin + l, members.size() - 1)];
      series[l] = member.series->impl_.get();
      room.answers[l].clear();
      if (begin + l >= members.size() || member.motion == nullptr || !series[l]->finite_ahead ||
          !as_in_lane(room, *series[l], static_cast<unsigned>(begin + l)))
        continue;
      going[l] = foresee(*member.motion, series[l]->ahead.asked);
      if (going[l]) series[l]->find_motion_order();
    }
    const std::span<const LaneStep> asked(steps.data(), lanes);
    for (;;) {
      // Every search again with the answers so far, up to a question that has none.
      bool any = false;
      for (unsigned l = 0; l < lanes; ++l) {
        LaneStep& step = steps[l];
        step.asked = false;
        if (!going[l]) continue;
        Series::Impl::ProofAhead& ahead = series[l]->ahead;
        ahead.memory = series[l]->step_memory;
        std::size_t number = 0;
        ahead.length = longest_step(ahead.asked.wanted, ahead.asked.most, series[l]->N - 1, series[l]->on_circles(),
                                    ahead.memory, [&](double h, double r) {
                                      if (number < room.answers[l].size()) return room.answers[l][number++];
                                      if (!step.asked) step = {true, h, r};
                                      return 1.0;
                                    });
        any = any || step.asked;
        if (step.asked) continue;
        going[l] = false;
        series[l]->proved_ahead = true;
      }
      if (!any) break;
      // By fours where only one of two fours asks: others would go along for nothing.
      const auto asks = [](std::span<const LaneStep> some) {
        return std::any_of(some.begin(), some.end(), [](const LaneStep& one) { return one.asked; });
      };
      const bool low = asks(asked.first(4));
      const bool high = asks(asked.subspan(4, lanes - 4));
      const unsigned from = low ? 0 : 4;
      const unsigned count = low && high ? lanes : 4;
      const auto judge = [&](auto lanes_asked) {
        LaneJudge<lanes_asked> of(room, static_cast<unsigned>(begin) + from, std::span(series).subspan(from, count));
        of.find_force_terms(asked.subspan(from, count));
        of.measure(asked.subspan(from, count));
      };
      if (count == most_lanes_at_once) {
        judge(std::integral_constant<unsigned, most_lanes_at_once>{});
      } else {
        judge(std::integral_constant<unsigned, 4>{});
      }
      for (unsigned l = 0; l < lanes; ++l) {
        if (!steps[l].asked) continue;
        const Series::WantedProof& wanted = series[l]->ahead.asked;
        room.answers[l].push_back(series[l]->weigh(steps[l].h, wanted.part, wanted.tolerance));
      }
    }
  }
}

}  // namespace zwang::motion
