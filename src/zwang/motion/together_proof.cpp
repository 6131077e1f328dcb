/// Proofs of steps side by side, for motions without conditions whose series lie in lanes (together_free.cpp).
///
/// Each motion looks for its step as it would alone (step_search.hpp); what it asks, how far a bound misses, is answered for some of them at once: the sums over orders in
/// lanes, in the order of operations of series_bound.cpp, the rest by every series itself. A search is begun anew with the answers so far until it asks nothing more.
#include <algorithm>
#include <array>
#include <vector>

#include "zwang/expressions/lane_sums.hpp"
#include "zwang/motion/advance_impl.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/together_impl.hpp"

namespace zwang::motion {

using expressions::many;
using expressions::most_lanes_at_once;

namespace {

/// Some neighbouring lanes.
class LaneJudge {
 public:
  LaneJudge(Together::Room& room, unsigned first, std::span<Series::Impl* const> series)
      : room_(room),
        first_(first),
        lanes_(static_cast<unsigned>(series.size())),
        series_(series),
        leader_(*series[0]),
        n_(leader_.n),
        orders_(leader_.orders),
        N_(leader_.N) {}

  struct Step {
    bool asked = false;
    double h = 0, r = 0;
  };
  /// `load`, accelerations and forces of every series that asked: `measure` and `sum_up_step`.
  void measure(std::span<const Step> steps);
  /// Sizes of the terms of the free accelerations at the beginning, once for all judgements.
  void find_force_terms(std::span<const Step> steps);

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
  void sum_up(std::span<const Step> steps);
  /// Calls visit(number of the output, variable, place, kind) for the outputs of a block, in the order in which they are added up.
  template <class Visit>
  void for_outputs(std::size_t block, bool momenta, const Visit& visit) const;
  double* room_for(std::size_t count) {
    if (room_.found.size() < count) room_.found.resize(count);
    return room_.found.data();
  }

  Together::Room& room_;
  unsigned first_, lanes_;
  std::span<Series::Impl* const> series_;
  const Series::Impl& leader_;
  std::size_t n_;
  unsigned orders_, N_;
  expressions::Stretches stretches_;
  std::array<expressions::Circle, most_lanes_at_once> circle_{};
  std::array<double, most_lanes_at_once> h_{}, r_{};
  std::array<double, (outer_circles + 1) * most_lanes_at_once> grown_{};  ///< r of all circles
};

template <class Visit>
void LaneJudge::for_outputs(std::size_t b, bool momenta, const Visit& visit) const {
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

void LaneJudge::find_radii() {
  const std::size_t all = (outer_circles + 1) * n_ * lanes_;
  if (room_.radius_q.size() < all) {
    room_.radius_q.resize(all);
    room_.radius_v.resize(all);
  }
  for (std::size_t level = 0; level <= outer_circles; ++level) {
    for (unsigned l = 0; l < lanes_; ++l) grown_[level * lanes_ + l] = r_[l] * outer_circle(level);
  }
  const auto sum = [&](const AlignedNumbers& of, unsigned last, std::vector<double>& to) {
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
void LaneJudge::spread_place(const TermPlace& place) {
  const Block& block = leader_.terms[place.block];
  const TermGroup& group = leader_.model.terms[block.group];
  const expressions::Tape& tape = leader_.term_tapes[block.group];
  const std::size_t size = tape.registers() * lanes_;
  for (std::vector<double>* list : {&room_.radii, &room_.outer_radii}) {
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
  const double* outer = nullptr;
  for (std::size_t level = outer_circles + 1; level-- > 0;) {
    const double grown = outer_circle(level);
    double* to = room_.radii.data();
    for (unsigned l = 0; l < lanes_; ++l) {
      *to++ = r_[l] * grown * series_[l]->unit;
      circle_[l] = {r_[l] * grown, h_[l] / r_[l] / grown, N_ - 1};
    }
    for (std::uint32_t slot = 0; slot < group.positions; ++slot, to += lanes_) {
      const std::size_t i = block.position_of[std::size_t{slot} * block.width + place.lane];
      std::copy_n(room_.radius_q.data() + (level * n_ + i) * lanes_, lanes_, to);
    }
    for (std::uint32_t slot = 0; slot < group.velocities; ++slot) {
      const std::size_t i = block.velocity_of[std::size_t{slot} * block.width + place.lane];
      const double* from = room_.radius_v.data() + (level * n_ + i) * lanes_;
      for (unsigned l = 0; l < lanes_; ++l) *to++ = series_[l]->per_unit * from[l];
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
void LaneJudge::bound_place(const TermPlace& place) {
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
    for (unsigned l = 0; l < lanes_; ++l) to[l] = to[l] == 0 ? 0.0 : to[l] * first[l] * series_[l]->per_unit;
  }
  std::fill(to, to + std::size_t{group.constants} * lanes_, 0.0);
  expressions::bound_some_of_many(tape, factors(place), leader_.term_sized[block.group], registers(place), orders_,
                                  block.width, known, stretches_, room_.rests);
}

void LaneJudge::measure(std::span<const Step> steps) {
  // Those that ask nothing go along with one that does.
  const Step& some = *std::find_if(steps.begin(), steps.end(), [](const Step& one) { return one.asked; });
  std::array<Series::Impl::BeyondCircle, most_lanes_at_once> beyond{};
  stretches_.lanes = lanes_;
  for (unsigned l = 0; l < lanes_; ++l) {
    const Step& step = steps[l].asked ? steps[l] : some;
    h_[l] = step.h;
    r_[l] = step.r;
    if (!steps[l].asked) continue;
    beyond[l] = series_[l]->beyond_circle(step.h, step.r);
    std::fill(series_[l]->load.begin(), series_[l]->load.end(), 0.0);
  }
  stretches_.set(h_.data(), N_ + 1);
  if (leader_.on_circles()) find_radii();
  for (std::size_t b = 0; b < leader_.terms.size(); ++b) {
    const Block& block = leader_.terms[b];
    const bool kinetic = leader_.model.terms[block.group].kind == TermKind::kinetic;
    const expressions::Tape& tape = leader_.term_tapes[block.group];
    const std::vector<unsigned>& degree = leader_.term_degrees[block.group];
    const auto reaches = [&](unsigned l, std::uint32_t reg) {
      return steps[l].asked && series_[l]->reaches(degree[reg], N_ - 2);
    };
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
      for (unsigned l = 0; l < lanes_; ++l) {
        if (!reaches(l, tape.outputs[output]) || moving[l] == 0) continue;
        Series::Impl& its = *series_[l];
        const double by = !kinetic ? its.unit_squared
                                   : (momentum ? beyond[l].momentum * its.unit : beyond[l].value * its.unit_squared);
        its.load[variable] += moving[l] * by;
      }
    });
  }
  sum_up(steps);
}

void LaneJudge::sum_up(std::span<const Step> steps) {
  std::array<double, most_lanes_at_once> at_end{};
  std::array<double, most_lanes_at_once> halfway{};
  std::array<double, most_lanes_at_once> terms{};
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
  for (unsigned l = 0; l < lanes_; ++l) {
    Series::Impl& its = *series_[l];
    if (steps[l].asked) std::copy(its.constant_force.begin(), its.constant_force.end(), its.force_size.begin());
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
      for (unsigned l = 0; l < lanes_; ++l) {
        Series::Impl& its = *series_[l];
        if (steps[l].asked) its.force_size[variable] += sign * its.unit_squared * at_end[l];
      }
    });
  }
}

void LaneJudge::find_force_terms(std::span<const Step> steps) {
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
        if (needs(l)) series_[l]->force_size[variable] += series_[l]->unit_squared * from[l];
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
    std::array<LaneJudge::Step, most_lanes_at_once> steps{};
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
    const std::span<const LaneJudge::Step> asked(steps.data(), lanes);
    for (;;) {
      // Every search again with the answers so far, up to a question that has none.
      bool any = false;
      for (unsigned l = 0; l < lanes; ++l) {
        LaneJudge::Step& step = steps[l];
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
      const auto asks = [](std::span<const LaneJudge::Step> some) {
        return std::any_of(some.begin(), some.end(), [](const LaneJudge::Step& one) { return one.asked; });
      };
      const bool low = asks(asked.first(4));
      const bool high = asks(asked.subspan(4, lanes - 4));
      const unsigned from = low ? 0 : 4;
      const unsigned count = low && high ? lanes : 4;
      LaneJudge judge(room, static_cast<unsigned>(begin) + from, std::span(series).subspan(from, count));
      judge.find_force_terms(asked.subspan(from, count));
      judge.measure(asked.subspan(from, count));
      for (unsigned l = 0; l < lanes; ++l) {
        if (!steps[l].asked) continue;
        const Series::WantedProof& wanted = series[l]->ahead.asked;
        room.answers[l].push_back(series[l]->weigh(steps[l].h, wanted.part, wanted.tolerance));
      }
    }
  }
}

}  // namespace zwang::motion
