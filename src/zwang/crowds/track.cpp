/// States of crowds at any time: what every member is doing then.
#include "zwang/crowds/track.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "zwang/crowds/chronicle.hpp"
#include "zwang/crowds/members.hpp"
#include "zwang/crowds/tolerances.hpp"

namespace zwang::crowds {

using motion::Event;
using motion::Piece;
using motion::RunView;
using motion::Sample;

namespace {

/// What every member is doing at a time, quickly when times ascend.
class Scene {
 public:
  Scene(const model::Model& model, Source source)
      : model_(model), source_(std::move(source)), members_(members_of(model)) {
    doing_.resize(members_.count);
    const double reached = source_.account->present.state.time;
    for (std::size_t k = 0; k < source_.places.size(); ++k) {
      first_piece_.push_back(pieces_);
      const ChunkPlace& place = source_.places[k];
      const double next = k + 1 < source_.places.size() ? source_.places[k + 1].start : reached;
      // What begins last in a chunk begins again in the next, or not at all, if no time passes.
      pieces_ += place.pieces - (place.last < next ? 0 : 1);
    }
  }

  [[nodiscard]] const Source& source() const { return source_; }
  [[nodiscard]] std::size_t pieces() const { return pieces_; }

  /// The piece with this number, of all members together: from one instant at which something begins to the next.
  const Piece& piece(std::size_t number) {
    const auto after = std::upper_bound(first_piece_.begin(), first_piece_.end(), number);
    // (Chunks without a piece of their own begin with the number of the next.)
    open(static_cast<std::size_t>(after - first_piece_.begin()) - 1);
    const std::size_t own = number - first_piece_[open_];
    const std::size_t from = starts_[own];
    const std::size_t behind = own + 1 < starts_.size() ? starts_[own + 1] : chunk_->begun.size();
    go_to(behind);
    const double start = chunk_->time_of(from);
    const double next =
        open_ + 1 < source_.places.size() ? source_.places[open_ + 1].start : source_.account->present.state.time;
    const double end = own + 1 < starts_.size() ? chunk_->time_of(behind) : std::max(start, next);
    const std::uint32_t n = model_.variables;
    std::uint32_t orders = 3;
    for (const Begun& one : doing_) {
      if (one.leg) orders = std::max(orders, chunk_->legs[one.number].piece.orders);
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
        shift(chunk_->legs[one.number], i, start);
        continue;
      }
      const Flight& flight = chunk_->flights[one.number];
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
  [[nodiscard]] std::size_t at(double time) {
    const auto after = std::upper_bound(source_.places.begin(), source_.places.end(), time,
                                        [](double t, const ChunkPlace& place) { return t < place.start; });
    if (after == source_.places.begin() || pieces_ == 0) return pieces_;
    const auto number = static_cast<std::size_t>(after - source_.places.begin()) - 1;
    open(number);
    const auto next = std::upper_bound(starts_.begin(), starts_.end(), time,
                                       [&](double t, std::size_t k) { return t < chunk_->time_of(k); });
    const auto own = static_cast<std::size_t>(next - starts_.begin()) - 1;
    return std::min(first_piece_[number] + own, pieces_ - 1);
  }

 private:
  void open(std::size_t number) {
    if (chunk_ != nullptr && open_ == number) return;
    chunk_ = source_.chunk(number);
    open_ = number;
    starts_.clear();
    for (std::size_t k = chunk_->going; k < chunk_->begun.size(); ++k) {
      if (starts_.empty() || chunk_->time_of(k) > chunk_->time_of(starts_.back())) starts_.push_back(k);
    }
    reached_ = 0;
  }
  void begin(std::size_t k) {
    const Begun& one = chunk_->begun[k];
    if (!one.leg) {
      doing_[chunk_->flights[one.number].member] = one;
      return;
    }
    for (const std::uint32_t member : chunk_->legs[one.number].members) doing_[member] = one;
  }
  /// Everything up to this beginning, itself not among it.
  void go_to(std::size_t behind) {
    if (reached_ > behind) reached_ = 0;
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
      const Piece& from = chunk_->legs[number].piece;
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
  Source source_;
  Members members_;
  std::vector<std::size_t> first_piece_;  ///< number of the first piece of each chunk
  std::size_t pieces_ = 0;

  std::shared_ptr<const Chunk> chunk_;  ///< the one that is open
  std::size_t open_ = 0;
  std::vector<std::size_t> starts_;  ///< its beginnings that are the first at their time
  std::vector<Begun> doing_;         ///< per member, after the first `reached_` beginnings of it
  std::size_t reached_ = 0;
  Piece piece_;
};

/// The state of everybody after an event, from the states of those who took part.
void complete(const Piece* piece, Event& event) {
  if (event.variables.empty() || piece == nullptr) return;
  model::State state;
  motion::evaluate(*piece, event.time, state);
  for (std::size_t k = 0; k < event.variables.size(); ++k) {
    state.position[event.variables[k]] = event.position[k];
    state.velocity[event.variables[k]] = event.velocity[k];
  }
  event.position = std::move(state.position);
  event.velocity = std::move(state.velocity);
  event.variables.clear();
}

}  // namespace

RunView view(const model::Model& model, Source source) {
  RunView run;
  run.account = source.account;
  run.sampling = source.sampling;
  run.events = source.events;
  const auto scene = std::make_shared<Scene>(model, std::move(source));
  run.pieces = scene->pieces();
  const double end = run.account->present.state.time;
  while (run.samples < run.sampling.count && run.sampling.instant(run.samples) <= end + motion::resolution(end))
    ++run.samples;
  run.piece_at = [scene](double time) -> const Piece* {
    const std::size_t number = scene->at(time);
    return number == scene->pieces() ? nullptr : &scene->piece(number);
  };
  run.event_time_from = scene->source().event_time_from;
  run.each_piece = [scene](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    for (std::size_t k = first; k < scene->pieces() && visit(scene->piece(k));) ++k;
  };
  const bool whole = run.events * model.variables <= most_told_numbers;
  run.each_event = [scene, whole, find = run.piece_at](std::uint64_t first,
                                                       const std::function<bool(const Event&)>& visit) {
    if (!whole) {
      scene->source().each_event(first, visit);
      return;
    }
    Event complete_one;
    scene->source().each_event(first, [&](const Event& event) {
      complete_one = event;
      complete(find(event.time), complete_one);
      return visit(complete_one);
    });
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

RunView thinned(const model::Model& model, RunView run, std::uint64_t pieces) {
  if (run.pieces <= pieces || pieces == 0) return run;
  const double start = run.sampling.start;
  const double end = run.account->present.state.time;
  const auto border = [=](std::uint64_t k) {
    return k == pieces ? end : start + (end - start) * static_cast<double>(k) / static_cast<double>(pieces);
  };
  // The states at both ends, and the cubics through them.
  const auto make = [=, &model, whole = run](std::uint64_t k, Piece& piece) {
    const std::uint32_t n = model.variables;
    const std::array<double, 2> times = {border(k), border(k + 1)};
    std::vector<double> x(2 * std::size_t{n});
    std::vector<double> v(2 * std::size_t{n});
    motion::evaluate(whole, times, n, x.data(), v.data());
    piece = {};
    piece.start = times[0];
    piece.length = times[1] - times[0];
    piece.n = n;
    piece.orders = 4;
    piece.position.resize(4 * std::size_t{n});
    const double h = piece.length;
    for (std::size_t i = 0; i < n; ++i) {
      const double rise = (x[n + i] - x[i]) / h;
      piece.position[i] = x[i];
      piece.position[n + i] = v[i];
      piece.position[2 * std::size_t{n} + i] = (3 * rise - 2 * v[i] - v[n + i]) / h;
      piece.position[3 * std::size_t{n} + i] = (v[i] + v[n + i] - 2 * rise) / (h * h);
    }
  };
  RunView out = run;
  out.pieces = pieces;
  const auto kept = std::make_shared<std::pair<std::uint64_t, Piece>>(pieces, Piece{});
  const auto piece_of = [kept, make](std::uint64_t k) -> const Piece& {
    if (kept->first != k) make(k, kept->second);
    kept->first = k;
    return kept->second;
  };
  out.piece_at = [=](double time) -> const Piece* {
    if (!(time >= start)) return nullptr;
    const double share = (time - start) / (end - start) * static_cast<double>(pieces);
    auto k = static_cast<std::uint64_t>(std::clamp(share, 0.0, static_cast<double>(pieces - 1)));
    while (k > 0 && border(k) > time) --k;
    while (k + 1 < pieces && border(k + 1) <= time) ++k;
    return &piece_of(k);
  };
  out.each_piece = [=](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    for (std::uint64_t k = first; k < pieces && visit(piece_of(k));) ++k;
  };
  return out;
}

RunView as_written_out(const model::Model& whole, const std::shared_ptr<const model::Model>& told, const RunView& run) {
  const auto number = std::make_shared<std::vector<std::uint32_t>>();
  const auto written = static_cast<std::uint32_t>(told->rows() - told->met.size());
  for (std::uint32_t row = 0; row < written; ++row) {
    const std::uint32_t condition = told->row_condition[row];
    number->push_back(whole.conditions[condition].first_row + row - told->conditions[condition].first_row);
  }
  for (const model::Pair& pair : told->met) {
    const model::PairFamily& family = told->pairs[pair.family];
    const std::uint64_t within = model::pair_row(family, pair.first, pair.second) - family.first_row;
    number->push_back(whole.conditions[family.condition].first_row + static_cast<std::uint32_t>(within));
  }
  // Rows held come in the order of their numbers.
  const auto piece = std::make_shared<Piece>();
  const auto renumber = [number, piece](const Piece& from) -> const Piece& {
    *piece = from;
    if (from.rows.empty()) return *piece;
    std::vector<std::size_t> order(from.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return (*number)[from.rows[a]] < (*number)[from.rows[b]]; });
    for (std::size_t j = 0; j < order.size(); ++j) {
      piece->rows[j] = (*number)[from.rows[order[j]]];
      for (std::uint32_t k = 0; k < from.multiplier_orders; ++k)
        piece->multiplier[k * order.size() + j] = from.multiplier[k * order.size() + order[j]];
    }
    return *piece;
  };
  RunView out = run;
  out.piece_at = [run, renumber, told](double time) -> const Piece* {
    const Piece* found = run.piece_at(time);
    return found == nullptr ? nullptr : &renumber(*found);
  };
  out.each_piece = [run, renumber](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    run.each_piece(first, [&](const Piece& one) { return visit(renumber(one)); });
  };
  out.each_event = [run, number](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
    Event event;
    run.each_event(first, [&](const Event& one) {
      event = one;
      for (std::uint32_t& row : event.rows) row = (*number)[row];
      std::sort(event.rows.begin(), event.rows.end());
      for (motion::RowValue& value : event.impulses) value.first = (*number)[value.first];
      std::sort(event.impulses.begin(), event.impulses.end());
      return visit(event);
    });
  };
  out.each_sample = [&whole, out](std::uint64_t first, const std::function<bool(const Sample&)>& visit) {
    Sample sample;
    for (std::uint64_t k = first;
         k < out.samples && motion::state_at(whole, out, out.sampling.instant(k), sample) && visit(sample);) {
      ++k;
    }
  };
  return out;
}

bool follow(const model::Model& model, Crowd& crowd, Track& track, const std::function<bool(const Crowd&)>& go_on) {
  const std::uint32_t dimension = model.bodies[0].dimension;
  Chronicle chronicle(model.variables / dimension, dimension);
  const auto keep = [&](const Written& closed) {
    track.chunks.push_back(std::make_shared<const Chunk>(decode_own(closed.bytes(), dimension)));
  };
  if (track.chunks.empty()) {
    chronicle.append(crowd);
    track.events = crowd.events();
  } else {
    chronicle.take_up(*track.chunks.back());
  }
  bool ended = true;
  while (crowd.advance()) {
    chronicle.append(crowd);
    track.events.insert(track.events.end(), crowd.events().begin(), crowd.events().end());
    if (chronicle.is_full()) keep(chronicle.close());
    if (go_on && !go_on(crowd) && crowd.status() == motion::Status::going) {
      ended = false;
      break;
    }
  }
  if (!chronicle.is_empty()) keep(chronicle.close());
  track.met = crowd.met();
  track.account = crowd.account();
  if (!ended) track.account.status = motion::Status::interrupted;
  track.checkpoint = crowd.save();
  return ended;
}

RunView view(const model::Model& model, const Track& track) {
  Source source;
  source.account = &track.account;
  source.sampling = track.sampling;
  for (const auto& chunk : track.chunks) source.places.push_back(place_of(*chunk));
  source.chunk = [&track](std::size_t number) { return track.chunks[number]; };
  source.events = track.events.size();
  source.event_time_from = [&track](double time) -> std::optional<double> {
    const auto found = std::lower_bound(track.events.begin(), track.events.end(), time,
                                        [](const Event& event, double at) { return event.time < at; });
    return found == track.events.end() ? std::nullopt : std::optional(found->time);
  };
  source.each_event = [&track](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
    for (std::size_t k = first; k < track.events.size() && visit(track.events[k]);) ++k;
  };
  return view(model, std::move(source));
}

}  // namespace zwang::crowds
