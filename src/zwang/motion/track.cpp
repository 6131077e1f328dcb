/// Runs in memory, and states of runs wherever they lie.
#include "zwang/motion/track.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace zwang::motion {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// One line of values, scattered from the rows held to the rows asked for.
void scatter(std::span<const std::uint32_t> held, const std::vector<double>& values,
             std::span<const std::uint32_t> rows, double* line) {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const auto place = std::lower_bound(held.begin(), held.end(), rows[j]);
    const bool found = place != held.end() && *place == rows[j];
    const auto index = static_cast<std::size_t>(place - held.begin());
    line[j] = found && index < values.size() ? values[index] : not_known;
  }
}

}  // namespace

void observe(const model::Model& model, Sample& sample) {
  sample.outputs.clear();
  for (const model::Observable& output : model.outputs) {
    sample.outputs.push_back(model::observe(output, sample.state));
  }
}

void sample_piece(const model::Model& model, const Piece& piece, double time, Sample& sample) {
  evaluate(piece, time, sample.state);
  sample.rows = piece.rows;
  evaluate_multipliers(piece, time, sample.multipliers);
  evaluate_rho(piece, time, sample.rho);
  observe(model, sample);
}

Account account_of(const model::Model& model, const Motion& motion) {
  Account account;
  account.status = motion.status;
  account.why = motion.why;
  for (const std::uint32_t row : motion.culprits) {
    account.culprits.push_back(model::row_name(model, row));
  }
  for (const std::vector<double>& way : motion.continuations) {
    account.continuations.insert(account.continuations.end(), way.begin(), way.end());
  }
  account.present.state = motion.state;
  account.present.rows = motion.held;
  account.present.multipliers = motion.multipliers;
  account.present.rho = motion.rho;
  account.energy = motion.energy;
  account.position_drift = motion.position_drift;
  account.velocity_drift = motion.velocity_drift;
  account.defect = motion.defect;
  account.position_correction = motion.position_correction;
  account.velocity_correction = motion.velocity_correction;
  account.steps = motion.steps;
  return account;
}

bool follow(const model::Model& model, Motion& motion, Track& track, const GoOn& go_on) {
  track.sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
  track.events.insert(track.events.end(), motion.events.begin(), motion.events.end());
  bool ended = true;
  while (advance(motion)) {
    track.events.insert(track.events.end(), motion.events.begin(), motion.events.end());
    if (motion.piece.length > 0) {
      track.pieces.push_back(motion.piece);
    }
    if (go_on && !go_on(motion) && motion.status == Status::going) {
      ended = false;
      break;
    }
  }
  track.account = account_of(model, motion);
  if (!ended) {
    track.account.status = Status::interrupted;
  }
  track.checkpoint = save(motion);
  return ended;
}

double Sampling::instant(std::uint64_t k) const {
  return k + 1 == count ? until : start + (until - start) * (static_cast<double>(k) / static_cast<double>(count - 1));
}

RunView view(const model::Model& model, const Track& track) {
  RunView run;
  run.pieces = track.pieces.size();
  run.events = track.events.size();
  const double end = track.account.present.state.time;
  while (run.samples < track.sampling.count && track.sampling.instant(run.samples) <= end + resolution(end)) {
    ++run.samples;
  }
  run.account = &track.account;
  run.sampling = track.sampling;
  run.piece_at = [&track](double time) -> const Piece* {
    const auto after = std::upper_bound(track.pieces.begin(), track.pieces.end(), time,
                                        [](double at, const Piece& piece) { return at < piece.start; });
    return after == track.pieces.begin() ? nullptr : &*(after - 1);
  };
  run.event_time_from = [&track](double time) -> std::optional<double> {
    const auto found = std::lower_bound(track.events.begin(), track.events.end(), time,
                                        [](const Event& event, double at) { return event.time < at; });
    return found == track.events.end() ? std::nullopt : std::optional(found->time);
  };
  run.each_piece = [&track](std::uint64_t first, const std::function<bool(const Piece&)>& visit) {
    for (std::size_t k = first; k < track.pieces.size() && visit(track.pieces[k]);) {
      ++k;
    }
  };
  run.each_event = [&track](std::uint64_t first, const std::function<bool(const Event&)>& visit) {
    for (std::size_t k = first; k < track.events.size() && visit(track.events[k]);) {
      ++k;
    }
  };
  run.each_sample = [&model, run](std::uint64_t first, const std::function<bool(const Sample&)>& visit) {
    Sample sample;
    for (std::uint64_t k = first;
         k < run.samples && state_at(model, run, run.sampling.instant(k), sample) && visit(sample);) {
      ++k;
    }
  };
  return run;
}

bool Finder::find(double time) {
  // The end is known as it is; near an event it is the event's time that counts.
  const double end = run_.account->present.state.time;
  if (!(time < end - resolution(end))) {
    piece_ = nullptr;
    return time <= end + resolution(end);
  }
  if (!(time >= known_from_ && time <= next_event_)) {
    known_from_ = time;
    next_event_ = run_.event_time_from(time).value_or(std::numeric_limits<double>::infinity());
  }
  instant_ = next_event_ <= time + resolution(time) ? next_event_ : time;
  // The end of a piece is known up to the last bits; there the next one may have begun.
  const bool same =
      piece_ != nullptr && instant_ >= piece_->start && instant_ < piece_->end() - resolution(piece_->end());
  if (!same) {
    piece_ = run_.piece_at(instant_);
    if (piece_ == nullptr) {
      piece_ = run_.piece_at(instant_ + resolution(instant_));
    }
  }
  return piece_ != nullptr;
}

bool state_at(const model::Model& model, const RunView& run, double time, Sample& sample) {
  Finder finder(run);
  if (!finder.find(time)) {
    return false;
  }
  const Piece* piece = finder.piece();
  if (piece == nullptr) {
    sample = run.account->present;
    sample.state.time = time;
    observe(model, sample);
    return true;
  }
  sample_piece(model, *piece, finder.instant(), sample);
  sample.state.time = time;
  return true;
}

std::optional<Track> stretch(const model::Model& model, const RunView& run, double from, double to) {
  Track track;
  track.sampling = run.sampling;
  track.account = *run.account;
  if (!state_at(model, run, to, track.account.present)) {
    return std::nullopt;
  }
  track.account.present.outputs.clear();
  for (const Piece* piece = run.piece_at(to); piece != nullptr;) {
    track.pieces.push_back(*piece);
    const double start = piece->start;
    if (start <= from) {
      break;
    }
    piece = run.piece_at(std::nextafter(start, -std::numeric_limits<double>::infinity()));
  }
  std::reverse(track.pieces.begin(), track.pieces.end());
  run.each_event(0, [&](const Event& event) {
    if (event.time >= from && event.time <= to) {
      track.events.push_back(event);
    }
    return event.time <= to;
  });
  return track;
}

void evaluate(const RunView& run, std::span<const double> times, std::uint32_t n, double* position, double* velocity) {
  Finder finder(run);
  for (std::size_t k = 0; k < times.size(); ++k) {
    double* q = position + k * n;
    double* v = velocity + k * n;
    if (!finder.find(times[k])) {
      std::fill_n(q, n, not_known);
      std::fill_n(v, n, not_known);
      continue;
    }
    const Piece* piece = finder.piece();
    if (piece == nullptr) {
      std::copy_n(run.account->present.state.position.begin(), n, q);
      std::copy_n(run.account->present.state.velocity.begin(), n, v);
      continue;
    }
    // Horner over all coordinates at once: v <- v s + q, q <- q s + c.
    const double s = std::clamp(finder.instant() - piece->start, 0.0, piece->length) / piece->unit;
    std::fill_n(q, n, 0.0);
    std::fill_n(v, n, 0.0);
    for (std::size_t order = piece->orders; order-- > 0;) {
      const double* c = piece->position.data() + order * n;
      for (std::size_t i = 0; i < n; ++i) {
        v[i] = v[i] * s + q[i];
        q[i] = q[i] * s + c[i];
      }
    }
    for (std::size_t i = 0; i < n && piece->unit != 1; ++i) v[i] /= piece->unit;
  }
}

namespace {

/// One number per row held, at many instants: of the piece there by `of_piece`, at the end of the run from `of_sample`.
template <class OfPiece>
void evaluate_rows(const RunView& run, std::span<const double> times, std::span<const std::uint32_t> rows,
                   const std::vector<double>& of_sample, const OfPiece& of_piece, double* out) {
  Finder finder(run);
  std::vector<double> values;
  for (std::size_t k = 0; k < times.size(); ++k) {
    double* line = out + k * rows.size();
    if (!finder.find(times[k])) {
      std::fill_n(line, rows.size(), not_known);
    } else if (const Piece* piece = finder.piece(); piece == nullptr) {
      scatter(run.account->present.rows, of_sample, rows, line);
    } else {
      of_piece(*piece, finder.instant(), values);
      scatter(piece->rows, values, rows, line);
    }
  }
}

}  // namespace

void evaluate_multipliers(const RunView& run, std::span<const double> times, std::span<const std::uint32_t> rows,
                          double* out) {
  const auto of_piece = [](const Piece& piece, double time, std::vector<double>& values) {
    evaluate_multipliers(piece, time, values);
  };
  evaluate_rows(run, times, rows, run.account->present.multipliers, of_piece, out);
}

void evaluate_rho(const RunView& run, std::span<const double> times, std::span<const std::uint32_t> rows, double* out) {
  const auto of_piece = [](const Piece& piece, double time, std::vector<double>& values) {
    evaluate_rho(piece, time, values);
  };
  evaluate_rows(run, times, rows, run.account->present.rho, of_piece, out);
}

}  // namespace zwang::motion
