/// The end of a run, which may move with the parameter.
#include "zwang/base/number.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/sensitivity/walk.hpp"

namespace zwang::sensitivity {

void Walk::finish() {
  if (!begun_) {
    lose("the motion ended where it began");
    out_.final = slope_of({});
    return;
  }
  StateSlope state;
  if (!lost()) happens_at_end();
  if (!lost()) {
    // The end may move: by `until`, or by what stops the motion.
    const std::optional<double> moves = end_slope();
    std::vector<double> position, velocity, multiplier;
    if (final_stretch_.length > 0) {
      Variation::evaluate(final_stretch_, last_.n, last_point_.state.time, position, velocity, multiplier);
    }
    if (moves && *moves != 0) {
      for (std::size_t i = 0; i < model_.variables; ++i) {
        variation_.position[i] += last_point_.state.velocity[i] * *moves;
        variation_.velocity[i] += last_point_.acceleration[i] * *moves;
      }
      for (std::size_t j = 0; j < multiplier.size(); ++j) {
        multiplier[j] += multiplier_rate(last_, j, last_point_.state.time) * *moves;
      }
    }
    if (!lost()) {
      fill(last_point_, last_, final_stretch_, multiplier, state);
      if (moves && *moves != 0) {
        // What an output owes to the time itself is in its rate.
        const ParameterSlope& parameter = variation_.parameter();
        add_time_of_outputs(parameter, *moves, state);
      }
      if (run_.account->status == motion::Status::stopped || (moves && *moves != 0)) state.time = moves;
    }
  }
  for (; next_event_ < events_.size(); ++next_event_) {
    out_.events[next_event_].why = why_;
    if (events_[next_event_].kind == EventKind::accumulation) limit(next_event_);
  }
  out_.final = slope_of(std::move(state));
}

bool Walk::given_at_end() {
  const model::Model& slope = variation_.parameter().slope;
  std::vector<std::size_t> events;
  for (std::size_t number = next_event_; number < events_.size(); ++number) {
    const EventKind kind = events_[number].kind;
    if (kind != EventKind::blow && kind != EventKind::seizure && kind != EventKind::let_go) return false;
    events.push_back(number);
    const std::vector<Trigger> given = given_times(model_, variation_, events_, {number});
    if (given.empty() || std::any_of(given.begin(), given.end(), [](const Trigger& one) { return one.slope != 0; }))
      return false;
  }
  if (events.empty() || slope.simulation.until != 0) return false;
  MotionPoint after = last_point_;
  after.state.velocity = run_.account->present.state.velocity;
  std::vector<std::uint32_t> rows;
  for (const std::uint32_t row : last_.rows) {
    const bool gone = std::any_of(events.begin(), events.end(), [&](std::size_t event) {
      return events_[event].kind == EventKind::let_go && contains(events_[event].rows, row);
    });
    if (!gone) rows.push_back(row);
  }
  jump(last_point_, after, rows, events, std::vector<double>(model_.variables, 0.0));
  if (lost()) return true;
  for (const std::size_t event : events) note_time(event, 0);
  next_event_ = events_.size();
  last_point_ = std::move(after);
  final_stretch_ = {};
  return true;
}

void Walk::happens_at_end() {
  if (run_.account->status != motion::Status::finished) return;
  if (given_at_end() && lost()) return;
  for (std::size_t number = next_event_; number < events_.size(); ++number) {
    const Event& event = events_[number];
    if (event.kind == EventKind::accumulation || event.kind == EventKind::graze || event.kind == EventKind::release)
      continue;
    std::string what(motion::words(event.kind));
    if (!event.rows.empty()) what += " of '" + model::row_name(model_, event.rows[0]) + "'";
    lose("the " + what + " at t = " + readable(event.time) + " lies at the very end of the run");
  }
  if (lost()) return;

  // And what would happen in the next moment.
  model::Scratch scratch = model::make_scratch(model_);
  model::Rows rows = model::make_rows(model_);
  model::State state = last_point_.state;
  state.modes.clear();
  model::evaluate_rows(model_, state, scratch, rows);
  for (std::uint32_t row = 0; row < model_.rows(); ++row) {
    if (model::is_equation(model_.row_kind[row]) || contains(last_.rows, row)) continue;
    const bool holonomic = model::is_holonomic(model_.row_kind[row]);
    const double value = holonomic ? rows.value[row] : rows.rate[row];
    // What has come to zero is known to the rounding of where it came from.
    double way = 0;
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      way += std::abs(rows.entry[e]) * (holonomic ? places_ : speeds_)[model_.row_column[e]];
    }
    if (!zero(value, holonomic ? rows.value_scale[row] : rows.rate_scale[row]) &&
        !(std::abs(value) <= rounding_of_way * way)) {
      continue;
    }
    const Variation::Change change = variation_.row(row, last_point_);
    const double bound = variation_.bound(row, last_point_.state, position_slopes_, velocity_slopes_);
    if (!(change.by_time > 0) || std::abs(change.by_parameter) <= rate_zero * bound) continue;
    // Where it would be reached before the end, the motion is another one.
    lose(change.by_parameter<0, change.by_parameter> 0,
         "'" + model::row_name(model_, row) + "' is reached at the very end of the run");
  }
}

void Walk::add_time_of_outputs(const ParameterSlope& parameter, double moves, StateSlope& state) {
  for (std::size_t i = 0; i < model_.variables; ++i) {
    variation_.position[i] -= last_point_.state.velocity[i] * moves;
    variation_.velocity[i] -= last_point_.acceleration[i] * moves;
  }
  for (std::size_t k = 0; k < state.outputs.size(); ++k) {
    const Variation::Change change =
        variation_.observable(parameter.model.outputs[k], parameter.slope.outputs[k], last_point_);
    state.outputs[k] = change.by_parameter + change.by_time * moves;
  }
}

std::optional<double> Walk::end_slope() {
  const ParameterSlope& parameter = variation_.parameter();
  if (run_.account->status == motion::Status::finished) return parameter.slope.simulation.until;
  if (run_.account->status != motion::Status::stopped) return std::nullopt;
  if (!model_.simulation.stop.empty()) {
    const Variation::Change change =
        variation_.observable(parameter.model.simulation.stop[0], parameter.slope.simulation.stop[0], last_point_);
    if (change.by_time != 0) return -change.by_parameter / change.by_time;
  }
  for (const std::uint32_t number : model_.simulation.stop_truth) {
    // The switching function that is at its threshold.
    const model::TermGroup& group = parameter.model.truths[number].term;
    std::vector<double> modes(group.modes);
    for (std::size_t k = 0; k < modes.size(); ++k) modes[k] = last_modes_[group.first_mode + k * group.lanes];
    std::vector<double> g;
    model::evaluate_switching(group, 0, last_point_.state, modes, g);
    std::optional<std::uint32_t> nearest;
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      if (group.corners[c].kind != expressions::CornerKind::truth) continue;
      if (!nearest || std::abs(g[c]) < std::abs(g[*nearest])) nearest = c;
    }
    if (!nearest) continue;
    const Variation::Change change =
        variation_.corner(group, parameter.slope.truths[number].term, *nearest, 0, last_point_);
    if (change.by_time != 0) return -change.by_parameter / change.by_time;
  }
  lose("how the end moves with the parameter is not determined");
  return std::nullopt;
}

}  // namespace zwang::sensitivity
