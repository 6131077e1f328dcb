/// A run with the derivatives by some parameters, which go along it together.
#include "zwang/sensitivity/sensitivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/sensitivity/walk.hpp"

namespace zwang::sensitivity {

namespace {

using motion::Event;
using motion::Piece;

/// Of two motions by the two slopes of a kink: each side has its own.
void join(ParameterSensitivity& out, const ParameterSensitivity& below) {
  const auto one = [](auto& above, const auto& its) {
    above.before = its.before;
    if (above.why.empty()) above.why = its.why;
    if (above.why.empty()) above.why = "numbers of the model have a kink at this value of the parameter";
  };
  one(out.final, below.final);
  for (std::size_t k = 0; k < out.samples.size(); ++k) one(out.samples[k], below.samples[k]);
  for (std::size_t k = 0; k < out.events.size(); ++k) one(out.events[k], below.events[k]);
}

template <class OfBothSides>
void take_below(OfBothSides& out, const OfBothSides& below) {
  if (!out.before) out.before = below.before;
}

}  // namespace

std::vector<ParameterSensitivity> sensitivity(const model::Model& model, const motion::RunView& run,
                                              const std::vector<ParameterSlope>& asked,
                                              const std::vector<double>& times, const std::function<bool()>& go_on) {
  // Nothing to differentiate by: then neither events nor pieces are gone through.
  if (asked.empty()) return {};
  // A kink of the numbers: by the slopes of either side.
  if (std::any_of(asked.begin(), asked.end(), [](const ParameterSlope& one) { return one.below.has_value(); })) {
    std::vector<ParameterSlope> single;
    for (const ParameterSlope& one : asked) {
      single.push_back(one);
      single.back().below.reset();
      if (!one.below) continue;
      single.push_back(single.back());
      single.back().slope = *one.below;
    }
    std::vector<ParameterSensitivity> found = sensitivity(model, run, single, times, go_on);
    std::vector<ParameterSensitivity> out;
    for (std::size_t k = 0, at = 0; k < asked.size(); ++k, ++at) {
      out.push_back(std::move(found[at]));
      if (asked[k].below) join(out.back(), found[++at]);
    }
    return out;
  }
  // With rows for what can be slid on, where there is something.
  std::vector<ParameterSlope> wider;
  std::vector<std::vector<Surface>> surfaces(asked.size());
  if (model.switches > 0) {
    wider = asked;
    for (std::size_t k = 0; k < wider.size(); ++k) surfaces[k] = add_surfaces(wider[k]);
  }
  const std::vector<ParameterSlope>& parameters = wider.empty() ? asked : wider;
  std::vector<Event> events;
  run.each_event(0, [&](const Event& event) {
    events.push_back(event);
    return true;
  });
  // Parameters whose models are one share its equations, and all go along together.
  PointsOfPiece points;
  std::vector<Walk> walks;
  walks.reserve(parameters.size());
  std::vector<std::shared_ptr<Linearized>> equations(parameters.size());
  std::vector<std::size_t> number(parameters.size(), 0);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (equations[k]) continue;
    std::vector<std::size_t> same;
    std::vector<const model::Model*> slopes;
    for (std::size_t j = k; j < parameters.size(); ++j) {
      if (equations[j] || (j > k && !same_numbers(parameters[k].model, parameters[j].model))) continue;
      number[j] = same.size();
      same.push_back(j);
      slopes.push_back(&parameters[j].slope);
    }
    const auto shared = std::make_shared<Linearized>(parameters[k].model, std::move(slopes));
    for (const std::size_t j : same) equations[j] = shared;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    walks.emplace_back(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events,
                       points);
    walks.back().prepare();
  }
  bool interrupted = false;
  std::vector<Following> asked_for;
  run.each_piece(0, [&](const Piece& piece) {
    go_along(walks, piece, asked_for);
    interrupted = go_on && !go_on();
    return !interrupted;
  });
  std::vector<ParameterSensitivity> out(parameters.size());
  for (std::size_t k = 0; k < walks.size() && !interrupted; ++k) {
    out[k] = walks[k].take();
    if (!walks[k].forked()) continue;
    // Once more for the values below.
    PointsOfPiece own;
    std::vector<Walk> others;
    others.emplace_back(model, run, Variation(parameters[k], equations[k], number[k]), surfaces[k], times, events, own);
    Walk& other = others.front();
    other.prefer_below();
    other.prepare();
    run.each_piece(0, [&](const Piece& piece) {
      go_along(others, piece, asked_for);
      interrupted = go_on && !go_on();
      return !interrupted;
    });
    const ParameterSensitivity below = other.take();
    take_below(out[k].final, below.final);
    for (std::size_t j = 0; j < out[k].samples.size(); ++j) take_below(out[k].samples[j], below.samples[j]);
    for (std::size_t j = 0; j < out[k].events.size(); ++j) take_below(out[k].events[j], below.events[j]);
  }
  if (interrupted) return std::vector<ParameterSensitivity>(parameters.size());
  return out;
}

namespace {

/// Values of the parameter beside its own, of which each is a quarter as far away as the one before: what is smooth up to the value itself is a polynomial of them.
constexpr std::array<double, 4> distances = {0x1p-12, 0x1p-14, 0x1p-16, 0x1p-18};  ///< as parts of its size
constexpr double agreement =
    1e-6;  ///< of two extrapolations, and of differences of the motions with the slopes between them
constexpr double motions_agree = 1e-9;  ///< of the sizes of the states: what is lost in their differences

/// A slope in one row of numbers, and back. Multipliers as long as they are those of the same rows.
std::vector<double> numbers_of(const StateSlope& slope) {
  std::vector<double> out = slope.position;
  out.insert(out.end(), slope.velocity.begin(), slope.velocity.end());
  out.insert(out.end(), slope.outputs.begin(), slope.outputs.end());
  for (const auto& [row, value] : slope.multipliers) out.push_back(value);
  return out;
}
StateSlope slope_of(const StateSlope& like, const std::vector<double>& numbers) {
  StateSlope out = like;
  auto from = numbers.begin();
  const auto take = [&](std::vector<double>& to) {
    std::copy(from, from + static_cast<std::ptrdiff_t>(to.size()), to.begin());
    from += static_cast<std::ptrdiff_t>(to.size());
  };
  take(out.position);
  take(out.velocity);
  take(out.outputs);
  for (auto& [row, value] : out.multipliers) value = *from++;
  return out;
}
bool is_alike(const StateSlope& a, const StateSlope& b) {
  return a.position.size() == b.position.size() && a.outputs.size() == b.outputs.size() && !a.time && !b.time;
}

/// A motion beside the run: the states at the times asked for and at the end, and their slopes.
struct Beside {
  double distance = 0;
  std::vector<motion::Sample> samples;  ///< the end last
  ParameterSensitivity slopes;
};

std::optional<Beside> motion_beside(const model::Draft& draft, const model::Overrides& overrides,
                                    const ParameterSlope& parameter, double distance, motion::Status status,
                                    const std::vector<double>& times, const std::function<bool()>& go_on) {
  model::Overrides moved = overrides;
  std::erase_if(moved.parameters, [&](const auto& set) { return set.first == parameter.name; });
  moved.parameters.emplace_back(parameter.name, exact(parameter.value + distance));
  try {
    const model::Model model = model::compile(draft, moved);
    motion::Motion motion = motion::begin(model);
    motion::Track track;
    if (!motion::follow(model, motion, track, [&](const motion::Motion&) { return !go_on || go_on(); })) return {};
    if (track.account.status != status) return {};
    const motion::RunView run = motion::view(model, track);
    Beside out;
    out.distance = distance;
    for (const double time : times) {
      motion::Sample sample;
      if (motion::state_at(model, run, time, sample)) out.samples.push_back(std::move(sample));
    }
    out.samples.push_back(track.account.present);
    const std::vector<ParameterSlope> own = parameter_slopes(draft, moved, {parameter.name}, Kinks::two_sided);
    std::vector<ParameterSensitivity> found = sensitivity(model, run, own, times, go_on);
    if (found.size() != 1 || found[0].final.before == std::nullopt) return {};
    out.slopes = std::move(found[0]);
    if (out.slopes.samples.size() + 1 != out.samples.size()) return {};
    return out;
  } catch (const Fault&) {
    throw;
  } catch (const Error&) {
    return {};  // no model at this value
  }
}

/// Neville's rule: the polynomial through (x_j, y_j), j = first ..., at a place.
double through(const std::array<double, distances.size()>& x, std::array<double, distances.size()> y, std::size_t first,
               double at) {
  for (std::size_t width = 1; first + width < x.size(); ++width) {
    for (std::size_t j = first; j + width < x.size(); ++j)
      y[j] = ((at - x[j + width]) * y[j] + (x[j] - at) * y[j + 1]) / (x[j] - x[j + width]);
  }
  return y[first];
}

/// The slope at the parameter's own value, of those beside it; none if they do not lead there, or the motions do not.
std::optional<StateSlope> lead_on(const std::vector<Beside>& beside, std::size_t sample, const motion::Sample& here) {
  const auto slope_at = [&](std::size_t j) -> const Slope& {
    const ParameterSensitivity& one = beside[j].slopes;
    return sample < one.samples.size() ? one.samples[sample] : one.final;
  };
  std::array<double, distances.size()> x{};
  std::array<std::vector<double>, distances.size()> y;
  StateSlope like;
  for (std::size_t j = 0; j < beside.size(); ++j) {
    const Slope& slope = slope_at(j);
    if (!slope.differentiable() || !slope.after || (j > 0 && !is_alike(like, *slope.after))) return {};
    StateSlope own = *slope.after;
    if (j == 0) like = own;
    const bool same_rows =
        std::equal(own.multipliers.begin(), own.multipliers.end(), like.multipliers.begin(), like.multipliers.end(),
                   [](const auto& a, const auto& b) { return a.first == b.first; });
    like.multipliers_known = like.multipliers_known && own.multipliers_known && same_rows;
    x[j] = beside[j].distance;
    y[j] = numbers_of(own);
  }
  if (!like.multipliers_known) like.multipliers.clear();
  const std::size_t count = numbers_of(like).size();
  std::vector<double> out(count);
  double size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, distances.size()> values{};
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = y[j][i];
    out[i] = through(x, values, 0, 0.0);
    size = std::max(size, std::abs(out[i]));
  }
  // Without the farthest value the same.
  const std::size_t n = like.position.size();
  double reach = 0;
  for (const double q : here.state.position) reach = std::max(reach, std::abs(q));
  for (const double v : here.state.velocity) reach = std::max(reach, std::abs(v));
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, distances.size()> values{};
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = y[j][i];
    if (!(std::abs(through(x, values, 1, 0.0) - out[i]) <= agreement * size)) return {};
    if (i >= 2 * n) continue;
    // And the motions themselves lead to the one here: their difference is the mean of the slopes between, by Simpson's rule.
    const motion::Sample& there =
        sample < beside[0].slopes.samples.size() ? beside[0].samples[sample] : beside[0].samples.back();
    const double mean = (out[i] + 4 * through(x, values, 0, 0.5 * x[0]) + values[0]) / 6;
    const double moved = i < n ? there.state.position[i] - here.state.position[i]
                               : there.state.velocity[i - n] - here.state.velocity[i - n];
    if (!(std::abs(moved - mean * x[0]) <= agreement * std::abs(x[0]) * size + motions_agree * reach)) return {};
  }
  return slope_of(like, out);
}

}  // namespace

void add_sides_from_beside(std::vector<ParameterSensitivity>& found, const model::Draft& draft,
                           const model::Overrides& overrides, const std::vector<ParameterSlope>& parameters,
                           const model::Model& model, const motion::RunView& run, const std::vector<double>& times,
                           const std::function<bool()>& go_on) {
  std::vector<motion::Sample> here;
  for (const double time : times) {
    motion::Sample sample;
    if (motion::state_at(model, run, time, sample)) here.push_back(std::move(sample));
  }
  here.push_back(run.account->present);
  for (std::size_t k = 0; k < found.size(); ++k) {
    ParameterSensitivity& one = found[k];
    const ParameterSlope& parameter = parameters[k];
    // Components of vectors have no name of their own.
    if (one.samples.size() + 1 != here.size() || parameter.name.find('.') != std::string::npos) continue;
    const auto slope = [&](std::size_t sample) -> Slope& {
      return sample < one.samples.size() ? one.samples[sample] : one.final;
    };
    for (const double side : {-1.0, 1.0}) {
      const auto wanted = [&](Slope& its) -> std::optional<StateSlope>& { return side < 0 ? its.before : its.after; };
      bool any = false;
      for (std::size_t j = 0; j < here.size(); ++j) any = any || (!slope(j).differentiable() && !wanted(slope(j)));
      if (!any) continue;
      std::vector<Beside> beside;
      const double size = parameter.value != 0 ? std::abs(parameter.value) : 1.0;
      for (const double part : distances) {
        std::optional<Beside> next =
            motion_beside(draft, overrides, parameter, side * part * size, run.account->status, times, go_on);
        if (!next || (go_on && !go_on())) break;
        beside.push_back(std::move(*next));
      }
      if (beside.size() < distances.size()) continue;
      for (std::size_t j = 0; j < here.size(); ++j) {
        if (!slope(j).differentiable() && !wanted(slope(j))) wanted(slope(j)) = lead_on(beside, j, here[j]);
      }
    }
  }
}

}  // namespace zwang::sensitivity
