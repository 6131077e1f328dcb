/// States of crowds at any time: what every member is doing then.
#include "zwang/crowds/track.hpp"

#include <algorithm>
#include <memory>

#include "zwang/crowds/members.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Piece;
using motion::RunView;
using motion::Sample;

namespace {

/// Of the members: as many beginnings lie between two instants at which everything that is going on is written down.
constexpr std::size_t beginnings_per_member = 8;

/// What every member is doing at a time, quickly when times ascend.
class Scene {
 public:
  Scene(const model::Model& model, const Track& track) : model_(model), track_(track), members_(members_of(model)) {
    doing_.resize(members_.count);
    const std::size_t every = std::max<std::size_t>(64, beginnings_per_member * members_.count);
    for (std::size_t k = 0; k < track_.begun.size(); ++k) {
      if (k % every == 0) known_.push_back({k, doing_});
      begin(k);
      if (k == 0 || time_of(k) > time_of(k - 1)) starts_.push_back(k);
    }
    reached_ = track_.begun.size();
  }

  [[nodiscard]] std::size_t pieces() const { return starts_.size(); }

  /// The piece with this number, of all members together: from one instant at which something begins to the next.
  const Piece& piece(std::size_t number) {
    const std::size_t from = starts_[number];
    const std::size_t behind = number + 1 < starts_.size() ? starts_[number + 1] : track_.begun.size();
    go_to(behind);
    const double start = time_of(from);
    const double end =
        number + 1 < starts_.size() ? time_of(behind) : std::max(start, track_.account.present.state.time);
    const std::uint32_t n = model_.variables;
    std::uint32_t orders = 3;
    for (const Begun& one : doing_) {
      if (one.leg) orders = std::max(orders, track_.legs[one.number].piece.orders);
    }
    piece_ = {};
    piece_.start = start;
    piece_.length = end - start;
    piece_.n = n;
    piece_.orders = orders;
    piece_.position.assign(std::size_t{orders} * n, 0.0);
    std::vector<std::uint32_t> legs;
    for (std::uint32_t i = 0; i < members_.count; ++i) {
      const Begun& one = doing_[i];
      if (one.leg) {
        legs.push_back(one.number);
        shift(track_.legs[one.number], i, start);
        continue;
      }
      const Flight& flight = track_.flights[one.number];
      const double s = start - flight.start;
      for (std::uint32_t c = 0; c < members_.dimension; ++c) {
        const double a = members_.acceleration[i][c];
        const std::size_t v = members_.variable[i] + c;
        piece_.position[v] = flight.position[c] + s * (flight.velocity[c] + 0.5 * s * a);
        piece_.position[n + v] = flight.velocity[c] + s * a;
        piece_.position[2 * std::size_t{n} + v] = 0.5 * a;
      }
    }
    add_multipliers(std::move(legs), start);
    return piece_;
  }
  /// The number of the last piece that begins at or before a time; `pieces()` if there is none.
  [[nodiscard]] std::size_t at(double time) const {
    const auto after =
        std::upper_bound(starts_.begin(), starts_.end(), time, [&](double t, std::size_t k) { return t < time_of(k); });
    return after == starts_.begin() ? starts_.size() : static_cast<std::size_t>(after - starts_.begin() - 1);
  }

 private:
  struct Known {
    std::size_t before;  ///< this beginning
    std::vector<Begun> doing;
  };
  [[nodiscard]] double time_of(std::size_t k) const {
    const Begun& one = track_.begun[k];
    return one.leg ? track_.legs[one.number].piece.start : track_.flights[one.number].start;
  }
  void begin(std::size_t k) {
    const Begun& one = track_.begun[k];
    if (!one.leg) {
      doing_[track_.flights[one.number].member] = one;
      return;
    }
    for (const std::uint32_t member : track_.legs[one.number].members) doing_[member] = one;
  }
  /// Everything up to this beginning, itself not among it.
  void go_to(std::size_t behind) {
    const auto after = std::upper_bound(known_.begin(), known_.end(), behind,
                                        [](std::size_t k, const Known& known) { return k < known.before; });
    if (reached_ > behind || reached_ < (after - 1)->before) {
      doing_ = (after - 1)->doing;
      reached_ = (after - 1)->before;
    }
    while (reached_ < behind) begin(reached_++);
  }
  /// One member of a leg, about another time.
  void shift(const Leg& leg, std::uint32_t member, double start) {
    const Piece& from = leg.piece;
    const auto found = std::lower_bound(leg.members.begin(), leg.members.end(), member);
    const std::size_t column = static_cast<std::size_t>(found - leg.members.begin()) * members_.dimension;
    std::vector<double> p(from.orders);
    for (std::uint32_t c = 0; c < members_.dimension; ++c) {
      for (std::uint32_t k = 0; k < from.orders; ++k) p[k] = from.position[std::size_t{k} * from.n + column + c];
      recentre(p, start, from);
      for (std::uint32_t k = 0; k < from.orders; ++k)
        piece_.position[std::size_t{k} * model_.variables + members_.variable[member] + c] = p[k];
    }
  }
  static void recentre(std::vector<double>& p, double start, const Piece& from) {
    const double s = (start - from.start) / from.unit;
    for (std::size_t j = 0; j + 1 < p.size(); ++j) {
      for (std::size_t k = p.size() - 1; k-- > j;) p[k] += s * p[k + 1];
    }
    double scale = 1;
    for (double& x : p) {
      x /= scale;
      scale *= from.unit;
    }
  }
  void add_multipliers(std::vector<std::uint32_t> legs, double start) {
    std::sort(legs.begin(), legs.end());
    legs.erase(std::unique(legs.begin(), legs.end()), legs.end());
    std::vector<std::pair<std::uint32_t, std::vector<double>>> rows;
    for (const std::uint32_t number : legs) {
      const Piece& from = track_.legs[number].piece;
      for (std::size_t j = 0; j < from.rows.size(); ++j) {
        std::vector<double> p(from.multiplier_orders);
        for (std::uint32_t k = 0; k < from.multiplier_orders; ++k) p[k] = from.multiplier[k * from.rows.size() + j];
        recentre(p, start, from);
        piece_.multiplier_orders = std::max(piece_.multiplier_orders, from.multiplier_orders);
        rows.emplace_back(from.rows[j], std::move(p));
      }
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    piece_.multiplier.assign(piece_.multiplier_orders * rows.size(), 0.0);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      piece_.rows.push_back(rows[j].first);
      for (std::size_t k = 0; k < rows[j].second.size(); ++k)
        piece_.multiplier[k * rows.size() + j] = rows[j].second[k];
    }
  }

  const model::Model& model_;
  const Track& track_;
  Members members_;
  std::vector<std::size_t> starts_;  ///< beginnings that are the first at their time
  std::vector<Known> known_;
  std::vector<Begun> doing_;  ///< per member, after the first `reached_` beginnings
  std::size_t reached_ = 0;
  Piece piece_;
};

}  // namespace

void append(const Crowd& crowd, Track& track) {
  for (const Begun& one : crowd.begun()) {
    track.begun.push_back({one.leg, static_cast<std::uint32_t>(one.leg ? track.legs.size() : track.flights.size())});
    if (one.leg) {
      track.legs.push_back(crowd.legs()[one.number]);
    } else {
      track.flights.push_back(crowd.flights()[one.number]);
    }
  }
  track.events.insert(track.events.end(), crowd.events().begin(), crowd.events().end());
  track.met.insert(track.met.end(), crowd.met().begin() + static_cast<std::ptrdiff_t>(track.met.size()),
                   crowd.met().end());
}

RunView view(const model::Model& model, const Track& track) {
  RunView run;
  const auto scene = std::make_shared<Scene>(model, track);
  run.account = &track.account;
  run.sampling = track.sampling;
  run.pieces = scene->pieces();
  run.events = track.events.size();
  const double end = track.account.present.state.time;
  while (run.samples < track.sampling.count && track.sampling.instant(run.samples) <= end + motion::resolution(end))
    ++run.samples;
  run.piece_at = [scene](double time) -> const Piece* {
    const std::size_t number = scene->at(time);
    return number == scene->pieces() ? nullptr : &scene->piece(number);
  };
  run.event_time_from = [&track](double time) -> std::optional<double> {
    const auto found = std::lower_bound(track.events.begin(), track.events.end(), time,
                                        [](const Event& event, double at) { return event.time < at; });
    return found == track.events.end() ? std::nullopt : std::optional(found->time);
  };
  run.each_piece = [scene](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    for (std::size_t k = first; k < scene->pieces() && visit(scene->piece(k));) ++k;
  };
  run.each_event = [&track](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
    for (std::size_t k = first; k < track.events.size() && visit(track.events[k]);) ++k;
  };
  run.each_sample = [&model, run](std::uint64_t first, const std::function<bool(const Sample&)>& visit) {
    Sample sample;
    for (std::uint64_t k = first;
         k < run.samples && motion::state_at(model, run, run.sampling.instant(k), sample) && visit(sample);) {
      ++k;
    }
  };
  return run;
}

}  // namespace zwang::crowds
