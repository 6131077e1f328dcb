/// One walk along the pieces for the plots, one along pieces and events for the shocks.
#include "zwang/report/channels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/evaluate_some.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

using motion::Event;
using motion::EventKind;
using motion::Piece;

/// A point of the grid: on which side of an event it lies.
struct Asked {
  double time = 0;
  bool before = false;
};

/// The instants of events, one each, unless they are more than `most`.
std::vector<double> event_times(const motion::RunView& run, std::size_t most, bool& complete) {
  std::vector<double> times;
  complete = true;
  if (run.events > 8 * most) {
    complete = false;
    return times;
  }
  run.each_event(0, [&](const Event& event) {
    if (times.empty() || event.time > times.back() + motion::resolution(event.time)) {
      times.push_back(event.time);
    }
    complete = times.size() <= most;
    return complete;
  });
  if (!complete) {
    times.clear();
  }
  return times;
}

std::vector<Asked> grid(const motion::RunView& run, const Survey& survey, std::size_t most, bool& jumps) {
  const std::vector<double> events = event_times(run, most / 4, jumps);
  const std::size_t room = most - 2 * events.size();
  std::vector<double> plain;
  if (!survey.border.empty() && 4 * survey.border.size() <= room) {
    // So many on every piece, for pieces are short where much happens.
    const std::size_t each = std::min<std::size_t>(room / survey.border.size(), 40);
    for (std::size_t p = 0; p < survey.border.size(); ++p) {
      const double from = survey.border[p];
      const double to = p + 1 < survey.border.size() ? survey.border[p + 1] : survey.end;
      for (std::size_t k = 0; k < each; ++k) {
        plain.push_back(from + (to - from) * static_cast<double>(k) / static_cast<double>(each));
      }
    }
  } else {
    const std::size_t count = std::max<std::size_t>(room, 2);
    for (std::size_t k = 0; k + 1 < count; ++k) {
      plain.push_back(survey.start +
                      (survey.end - survey.start) * static_cast<double>(k) / static_cast<double>(count - 1));
    }
  }
  plain.push_back(survey.end);

  // Events take the place of what is too near to them.
  std::vector<Asked> out;
  std::size_t next = 0;
  const auto pass = [&](double limit) {
    for (; next < events.size() && events[next] <= limit; ++next) {
      out.push_back({events[next], true});
      out.push_back({events[next], false});
    }
  };
  for (const double time : plain) {
    pass(time + motion::resolution(time));
    const bool taken = !out.empty() && time <= out.back().time + motion::resolution(time);
    if (!taken) {
      out.push_back({time, false});
    }
  }
  pass(std::numeric_limits<double>::infinity());
  return out;
}

/// Which rows are followed, the more telling ones first.
std::vector<std::uint32_t> rows_in_order(const Survey& survey, const std::vector<bool>& drawn) {
  std::vector<std::uint32_t> rows(survey.held.size());
  std::iota(rows.begin(), rows.end(), 0U);
  const auto rank = [&](std::uint32_t row) { return std::pair{drawn[row] && survey.held[row] > 0, survey.held[row]}; };
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return rank(a) > rank(b); });
  return rows;
}

/// With more rows than these none is followed just because it is there.
constexpr std::size_t most_rows = 20'000;

/// What follows a run along the grid.
class Follower {
 public:
  Follower(const model::Model& model, motion::Hidden hidden, Channels& out)
      : model_(model), hidden_(std::move(hidden)), out_(out), scratch_(model::make_scratch(model)) {
    place_.assign(model.rows(), {-1, -1, -1});
  }

  /// False if there is no more room.
  bool add(std::string group, std::string name, std::int64_t row, std::size_t most) {
    if (out_.series.size() >= most) {
      ++out_.left_out;
      return false;
    }
    const auto at = static_cast<int>(out_.series.size());
    if (group == "energy") {
      energy_ = energy_ < 0 ? at : energy_;
    } else if (group == "outputs") {
      outputs_ = outputs_ < 0 ? at : outputs_;
      ++output_count_;
    } else {
      place_[static_cast<std::size_t>(row)][group == "multipliers" ? 0 : group == "rho" ? 1 : 2] = at;
      conditions_ = conditions_ || group == "conditions";
    }
    out_.series.push_back({std::move(group), std::move(name), row, {}});
    return true;
  }

  void look(const Piece& piece, double time) {
    out_.time.push_back(time);
    motion::evaluate(piece, time, state_);
    motion::set_modes(model_, hidden_, piece.start, state_);
    for (Channel& series : out_.series) {
      series.value.push_back(0);
    }
    motion::evaluate_multipliers(piece, time, multipliers_);
    motion::evaluate_rho(piece, time, rho_);
    for (std::size_t j = 0; j < piece.rows.size(); ++j) {
      const std::array<int, 3>& place = place_[piece.rows[j]];
      put(place[0], multipliers_[j]);
      if (!rho_.empty()) {
        put(place[1], rho_[j]);
      }
    }
    if (energy_ >= 0) {
      const model::Energy energy = model::energy(model_, state_, scratch_);
      put(energy_, energy.kinetic);
      put(energy_ + 1, energy.potential);
      put(energy_ + 2, model::vis_viva(model_, state_, scratch_) + energy.potential);
    }
    for (int k = 0; k < output_count_; ++k) {
      put(outputs_ + k, model::observe(model_.outputs[static_cast<std::size_t>(k)], state_));
    }
    if (conditions_) {
      if (rows_.value.empty()) {
        rows_ = model::make_rows(model_);
        left_out_.assign(model_.rows(), 0);
        for (std::uint32_t row = 0; row < model_.rows(); ++row) left_out_[row] = place_[row][2] < 0 ? 1 : 0;
      }
      model::evaluate_values_but(model_, state_, left_out_, scratch_, rows_);
      for (std::uint32_t row = 0; row < model_.rows(); ++row) {
        put(place_[row][2], model::is_holonomic(model_.row_kind[row]) ? rows_.value[row] : rows_.rate[row]);
      }
    }
  }

 private:
  void put(int at, double value) {
    if (at >= 0) {
      out_.series[static_cast<std::size_t>(at)].value.back() = value;
    }
  }

  const model::Model& model_;
  motion::Hidden hidden_;
  Channels& out_;
  model::Scratch scratch_;
  model::Rows rows_;
  std::vector<std::uint8_t> left_out_;  ///< per row, 1: it is not drawn
  model::State state_;
  std::vector<double> multipliers_, rho_;
  std::vector<std::array<int, 3>> place_;  ///< per row: series of its multiplier, rho, value
  int energy_ = -1;
  int outputs_ = -1;
  int output_count_ = 0;
  bool conditions_ = false;
};

bool is_shock(EventKind kind) {
  return kind == EventKind::blow || kind == EventKind::seizure || kind == EventKind::impact;
}

/// One event as it will be listed.
struct Listed {
  double time = 0;
  EventKind kind = EventKind::impact;
  std::vector<std::uint32_t> rows;
  std::vector<motion::RowValue> impulses;
  struct Change {
    std::uint32_t variable;
    double before, after;
  };
  std::vector<Change> changes;
  double lost = 0;
  std::string note;
  std::uint64_t cut = 0;

  [[nodiscard]] std::uint64_t bytes(NumberType type) const {
    const std::uint64_t number = bytes_of(type);
    return 8 + 1 + 12 + number + 4 * rows.size() + (4 + number) * impulses.size() + (4 + 2 * number) * changes.size() +
           note.size();
  }
  /// Only the largest changes of velocity.
  void shorten(std::size_t most) {
    if (changes.size() <= most) {
      return;
    }
    cut = changes.size() - most;
    std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
      return std::abs(a.after - a.before) > std::abs(b.after - b.before);
    });
    changes.resize(most);
    std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.variable < b.variable; });
  }
};

/// What an event weighs when not all can be listed: what is rare comes first, shocks by what they changed.
double strength(const Event& event) {
  switch (event.kind) {
    case EventKind::singular:
    case EventKind::accumulation:
    case EventKind::let_go:
    case EventKind::switched:
    case EventKind::stick:
    case EventKind::slip:
    case EventKind::blow:
    case EventKind::seizure: return std::numeric_limits<double>::infinity();
    default: break;
  }
  double out = 0;
  for (const auto& [row, impulse] : event.impulses) {
    out = std::fmax(out, std::abs(impulse));
  }
  return out;
}

/// Every event that is wanted, by its number, with the velocities before it. Pieces come along one after the other, or are looked for where few events are
/// wanted.
template <class Wanted, class Visit>
void each_listed(const model::Model& model, const motion::RunView& run, double end, bool few, Wanted wanted,
                 Visit visit) {
  PieceWindow window(run);
  bool more = !few && window.extend();
  double last_time = -std::numeric_limits<double>::infinity();
  model::State before;
  std::size_t number = 0;
  const auto piece_before = [&](double time) -> const Piece* {
    if (few) return run.piece_at(time);
    while (more && window.back().end() < time) {
      more = window.extend();
      window.forget_before(time);
    }
    return window.empty() || window[0].start >= time ? nullptr : &window.at(time);
  };
  run.each_event(0, [&](const Event& event) {
    if (event.time > end + motion::resolution(end)) {
      return false;
    }
    const double near = motion::resolution(event.time);
    const bool first_of_instant = event.time > last_time + near;
    last_time = event.time;
    if (!wanted(number++, event)) return true;
    Listed listed;
    listed.time = event.time;
    listed.kind = event.kind;
    listed.rows = event.rows;
    listed.impulses = event.impulses;
    listed.lost = event.lost;
    listed.note = event.note;
    if (first_of_instant && is_shock(event.kind) && event.velocity.size() == model.variables) {
      // The piece that ends here; at the start what the model says.
      const Piece* piece = piece_before(event.time - near);
      if (piece == nullptr || piece->start >= event.time - near) {
        before.velocity = model.initial_velocity;
      } else {
        motion::evaluate(*piece, piece->end(), before);
      }
      double size = 0;
      for (std::size_t i = 0; i < model.variables; ++i) {
        size = std::fmax(size, std::fmax(std::abs(before.velocity[i]), std::abs(event.velocity[i])));
      }
      for (std::uint32_t i = 0; i < model.variables; ++i) {
        if (std::abs(event.velocity[i] - before.velocity[i]) > no_change * size) {
          listed.changes.push_back({i, before.velocity[i], event.velocity[i]});
        }
      }
    }
    visit(listed);
    return true;
  });
}

constexpr std::size_t few_changes = 24;       ///< of the velocities at an event
constexpr std::uint64_t very_many = 100'000;  ///< events, of which some tell the sizes of all
constexpr std::size_t one_in = 16;            ///< of very many

}  // namespace

Channels channels(const model::Model& model, const motion::RunView& run, const Survey& survey,
                  const std::vector<bool>& drawn, std::uint64_t numbers, bool brief) {
  Channels out;
  if (survey.pieces == 0) {
    return out;
  }

  // As many instants as a plot can show; fewer when there is much to follow, and then multipliers before conditions.
  const std::size_t rows = model.rows();
  const std::size_t held =
      rows <= 60 ? rows
                 : static_cast<std::size_t>(std::count_if(survey.held.begin(), survey.held.end(),
                                                          [](std::uint32_t pieces) { return pieces > 0; }));
  const std::size_t needed = brief ? held : (model.flow ? 0 : 3) + model.outputs.size() + held;
  const std::size_t wanted = needed + (brief ? 0 : std::min<std::size_t>(rows, 300));
  std::size_t most = std::clamp<std::size_t>(numbers / std::max<std::size_t>(wanted, 1), 150, 4000);
  if (most < 600) {
    most = std::clamp<std::size_t>(numbers / std::max<std::size_t>(needed, 1), 150, 600);
  }
  const std::vector<Asked> instants = grid(run, survey, most, out.jumps);
  const std::size_t series = std::max<std::size_t>(std::min<std::size_t>(numbers / instants.size(), 5000), 4);

  // Energies, outputs, then conditions as far as there is room.
  Follower follower(model, motion::hidden_in(model, run), out);
  if (!model.flow && !brief) {
    for (const char* name : {"kinetic", "potential", "total"}) {
      follower.add("energy", name, -1, series);
    }
  }
  for (std::size_t k = 0; !brief && k < model.outputs.size(); ++k) {
    const model::Observable& output = model.outputs[k];
    follower.add("outputs", output.name, -1, series);
  }
  const std::vector<std::uint32_t> order = rows_in_order(survey, drawn);
  for (const std::uint32_t row : order) {
    if (survey.held[row] > 0 || rows <= 60) {
      follower.add("multipliers", model::row_name(model, row), row, series);
    }
  }
  for (const std::uint32_t row : order) {
    if (!brief && model::is_variational(model, row)) {
      follower.add("rho", model::row_name(model, row), row, series);
    }
  }
  // Nobody looks through more than some hundreds of these, nor for one among very many.
  const std::size_t enough = rows <= most_rows ? std::min(series, out.series.size() + 300) : out.series.size();
  for (std::size_t k = 0; !brief && k < order.size(); ++k) {
    // What never held is missed by nobody.
    if (out.series.size() >= enough && survey.held[order[k]] == 0) continue;
    follower.add("conditions", model::row_name(model, order[k]), order[k], enough);
  }

  // Before an event the piece that ends there counts, otherwise the one that begins.
  std::size_t next = 0;
  std::uint64_t number = 0;
  run.each_piece(0, [&](const Piece& piece) {
    ++number;
    const bool last = number == survey.pieces;
    for (; next < instants.size(); ++next) {
      const Asked& instant = instants[next];
      const double near = motion::resolution(instant.time);
      const bool mine =
          last || (instant.before ? instant.time <= piece.end() + near : instant.time < piece.end() - near);
      if (!mine) {
        break;
      }
      follower.look(piece, instant.time);
    }
    return next < instants.size();
  });
  return out;
}

EventSizes event_sizes(const model::Model& model, const motion::RunView& run, double end) {
  EventSizes out;
  const bool many = run.events > very_many;
  std::size_t seen = 0;
  each_listed(
      model, run, end, many,
      [&](std::size_t number, const Event& event) {
        out.strengths.push_back(strength(event));
        return !many || number % one_in == 0;
      },
      [&](Listed& listed) {
        ++seen;
        out.whole += static_cast<double>(listed.bytes(NumberType::f64));
        out.single += static_cast<double>(listed.bytes(NumberType::f32));
        listed.shorten(few_changes);
        out.small += static_cast<double>(listed.bytes(NumberType::f32));
      });
  const double factor = seen > 0 ? static_cast<double>(out.strengths.size()) / static_cast<double>(seen) : 1.0;
  for (double* size : {&out.whole, &out.single, &out.small}) *size *= factor;
  return out;
}

EventLists event_lists(const model::Model& model, const motion::RunView& run, double end, const EventSizes& sizes,
                       std::uint64_t bytes) {
  EventLists out;
  const auto room = static_cast<double>(bytes);
  const std::vector<double>& strengths = sizes.strengths;
  out.type = sizes.whole <= room ? NumberType::f64 : NumberType::f32;
  const bool shorten = sizes.whole > room && sizes.single > room;
  std::vector<bool> keep(strengths.size(), true);
  if (shorten && sizes.small > room && !strengths.empty()) {
    // The strongest, in the order of time.
    const auto count = static_cast<std::size_t>(room / sizes.small * static_cast<double>(strengths.size()));
    std::vector<std::size_t> order(strengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return strengths[a] > strengths[b]; });
    for (std::size_t k = count; k < order.size(); ++k) {
      keep[order[k]] = false;
    }
    out.left_out = order.size() - std::min(count, order.size());
  }

  const auto wanted = [&](std::size_t number, const Event& /*event*/) { return number < keep.size() && keep[number]; };
  each_listed(model, run, end, out.left_out > strengths.size() / 2, wanted, [&](Listed& listed) {
    if (shorten) {
      listed.shorten(few_changes);
      out.cut_changes += listed.cut;
    }
    if (!listed.note.empty()) {
      out.notes.emplace_back(out.time.size(), listed.note);
    }
    out.time.push_back(listed.time);
    out.kind.push_back(static_cast<std::uint8_t>(listed.kind));
    out.row.insert(out.row.end(), listed.rows.begin(), listed.rows.end());
    out.row_start.push_back(static_cast<std::uint32_t>(out.row.size()));
    for (const auto& [row, impulse] : listed.impulses) {
      out.impulse_row.push_back(row);
      out.impulse.push_back(impulse);
    }
    out.impulse_start.push_back(static_cast<std::uint32_t>(out.impulse.size()));
    for (const Listed::Change& change : listed.changes) {
      out.change_variable.push_back(change.variable);
      out.before.push_back(change.before);
      out.after.push_back(change.after);
    }
    out.change_start.push_back(static_cast<std::uint32_t>(out.before.size()));
    out.lost.push_back(listed.lost);
  });
  return out;
}

}  // namespace zwang::report
