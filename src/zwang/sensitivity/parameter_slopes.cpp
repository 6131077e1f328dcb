/// The numbers of a model by a parameter.
#include "zwang/sensitivity/parameter_slopes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

template <class Tape, class Visit>
void each_number_of_tape(Tape& tape, const Visit& visit) {
  for (auto& number : tape.constants) visit(number);
  for (auto& instruction : tape.instructions) visit(instruction.c);
}

template <class Group, class Visit>
void each_number_of_group(Group& group, const Visit& visit) {
  // Modes behind them are those of the start; the sides a motion is on have their own.
  const std::size_t steady = std::size_t{group.steady()} * group.lanes;
  for (std::size_t k = 0; k < steady; ++k) visit(group.constant_of[k]);
  each_number_of_tape(group.tape, visit);
  each_number_of_tape(group.switching, visit);
  for (auto& corner : group.corners) {
    for (auto& knot : corner.pieces.knots) visit(knot);
    for (auto& piece : corner.pieces.piece) {
      for (auto& number : piece) visit(number);
    }
  }
}

/// All numbers that a motion depends on, in a fixed order.
template <class Model, class Visit>
void each_number(Model& model, const Visit& visit) {
  for (auto& number : model.initial_position) visit(number);
  for (auto& number : model.initial_velocity) visit(number);
  for (auto& number : model.point_mass) visit(number);
  for (auto& number : model.constant_force) visit(number);
  for (auto& group : model.terms) each_number_of_group(group, visit);
  for (auto& group : model.groups) each_number_of_group(group, visit);
  for (auto& output : model.outputs) each_number_of_group(output.term, visit);
  for (auto& truth : model.truths) each_number_of_group(truth.term, visit);
  for (auto& stop : model.simulation.stop) each_number_of_group(stop.term, visit);
  for (auto& condition : model.conditions) {
    visit(condition.restitution);
    visit(condition.at);
  }
  for (auto& blow : model.blows) {
    visit(blow.at);
    for (auto& number : blow.impulse) visit(number);
    for (auto& number : blow.mark) visit(number);
  }
  for (auto& release : model.releases) visit(release.at);
  visit(model.simulation.start);
  visit(model.simulation.until);
}

std::vector<double> numbers_of(const model::Model& model) {
  std::vector<double> numbers;
  each_number(model, [&](const double& number) { numbers.push_back(number); });
  return numbers;
}

void set_numbers(model::Model& model, std::span<const double> numbers) {
  std::size_t next = 0;
  each_number(model, [&](double& number) { number = numbers[next++]; });
}

bool same_shape(const expressions::Tape& a, const expressions::Tape& b) {
  if (a.inputs != b.inputs || a.outputs != b.outputs || a.constants.size() != b.constants.size()) return false;
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(), b.instructions.end(),
                    [](const expressions::Instruction& x, const expressions::Instruction& y) {
                      return x.op == y.op && x.a == y.a && x.b == y.b;
                    });
}

bool same_shape(const model::Slotted& a, const model::Slotted& b) {
  return a.positions == b.positions && a.velocities == b.velocities && a.constants == b.constants &&
         a.modes == b.modes && a.corners.size() == b.corners.size() && a.position_of == b.position_of &&
         a.velocity_of == b.velocity_of && same_shape(a.switching, b.switching);
}

/// Do the two differ in numbers alone?
bool same_shape(const model::Model& a, const model::Model& b) {
  const auto groups = [](const auto& x, const auto& y) {
    return same_shape(static_cast<const model::Slotted&>(x), static_cast<const model::Slotted&>(y)) &&
           same_shape(x.tape, y.tape);
  };
  const auto observables = [&](const model::Observable& x, const model::Observable& y) {
    return groups(x.term, y.term);
  };
  const auto all = [](const auto& x, const auto& y, const auto& same) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), same);
  };
  return a.variables == b.variables && a.row_kind == b.row_kind && a.row_condition == b.row_condition &&
         a.row_group == b.row_group && a.row_lane == b.row_lane && a.row_column == b.row_column &&
         a.mass_blocks == b.mass_blocks && a.blows.size() == b.blows.size() && a.releases.size() == b.releases.size() &&
         all(a.terms, b.terms,
             [&](const auto& x, const auto& y) {
               return x.kind == y.kind && x.target_of == y.target_of && groups(x, y);
             }) &&
         all(a.groups, b.groups, groups) && all(a.outputs, b.outputs, observables) &&
         all(a.truths, b.truths, observables) && all(a.simulation.stop, b.simulation.stop, observables) &&
         numbers_of(a).size() == numbers_of(b).size();
}

constexpr std::size_t points = 8;

/// At 0, value and slope of the polynomial through the points given are the sums of these times its values there.
struct Weights {
  std::array<double, points> value{};
  std::array<double, points> slope{};
};
Weights weights(const std::array<int, points>& at) {
  Weights out;
  for (std::size_t k = 0; k < points; ++k) {
    double value = 1;
    double below = 1;
    for (std::size_t j = 0; j < points; ++j) {
      if (j == k) continue;
      value *= -at[j];
      below *= at[k] - at[j];
    }
    out.value[k] = value / below;
    for (std::size_t i = 0; i < points; ++i) {
      if (i == k) continue;
      double rest = 1;
      for (std::size_t j = 0; j < points; ++j) {
        if (j != k && j != i) rest *= -at[j];
      }
      out.slope[k] += rest / below;
    }
  }
  return out;
}

/// The slope at 0 by differences of values at 1 and -1, 2 and -2, 3 and -3.
constexpr std::array<double, 3> inner_slope{3.0 / 4, -3.0 / 20, 1.0 / 60};

constexpr std::array<int, points> both_sides{-4, -3, -2, -1, 1, 2, 3, 4};
constexpr std::array<int, points> below{-8, -7, -6, -5, -4, -3, -2, -1};
constexpr std::array<int, points> above{1, 2, 3, 4, 5, 6, 7, 8};

/// One parameter, or a component of one.
struct Wanted {
  std::string name;
  const model::Parameter* parameter = nullptr;
  std::size_t component = 0;
};

Wanted find(const model::Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const model::Parameter& parameter : model.parameters) {
    if (parameter.value.size() == 1) {
      known.push_back(parameter.name);
      if (parameter.name == name) return {name, &parameter, 0};
      continue;
    }
    for (std::size_t k = 0; k < parameter.value.size(); ++k) {
      known.push_back(parameter.name + "." + std::string(1, "xyz"[k]));
      if (known.back() == name) return {name, &parameter, k};
    }
  }
  std::string message = "'" + name + "' is no parameter of the model";
  if (known.empty()) {
    message += ", which has none";
  } else {
    const std::vector<std::string_view> words(known.begin(), known.end());
    const std::string_view near = nearest(name, words.data(), words.size());
    if (!near.empty()) message += "; did you mean '" + std::string(near) + "'?";
  }
  throw Error({"command line", 0, 0}, message);
}

/// What names mean: a parameter of several components stands for all of them.
std::vector<Wanted> find_all(const model::Model& model, const std::vector<std::string>& names) {
  std::vector<Wanted> out;
  const auto add = [&](const std::string& name) {
    if (std::none_of(out.begin(), out.end(), [&](const Wanted& one) { return one.name == name; }))
      out.push_back(find(model, name));
  };
  for (const std::string& name : names) {
    const auto vector =
        std::find_if(model.parameters.begin(), model.parameters.end(),
                     [&](const model::Parameter& one) { return one.name == name && one.value.size() > 1; });
    if (vector == model.parameters.end()) {
      add(name);
      continue;
    }
    for (std::size_t k = 0; k < vector->value.size(); ++k) add(name + "." + std::string(1, "xyz"[k]));
  }
  return out;
}

model::Overrides with(const model::Overrides& overrides, const Wanted& wanted, double value) {
  std::string text = exact(value);
  if (wanted.parameter->value.size() > 1) {
    text = "[";
    for (std::size_t k = 0; k < wanted.parameter->value.size(); ++k) {
      text += (k > 0 ? ", " : "") + exact(k == wanted.component ? value : wanted.parameter->value[k]);
    }
    text += "]";
  }
  model::Overrides out = overrides;
  std::erase_if(out.parameters, [&](const auto& one) { return one.first == wanted.parameter->name; });
  out.parameters.emplace_back(wanted.parameter->name, text);
  return out;
}

/// The models at the points, if they have one shape, without what is only looked at. `pattern`: of the model itself, of use where the parameter stands in no expression.
std::optional<std::vector<model::Model>> models_at(const model::Draft& draft, const model::Overrides& overrides,
                                                   const model::Pattern& pattern, const Wanted& wanted, double step,
                                                   const std::array<int, points>& at, std::optional<Error>& why) {
  bool again = true;
  const double value = wanted.parameter->value[wanted.component];
  std::vector<model::Model> out;
  for (const int k : at) {
    try {
      const model::Overrides changed = with(overrides, wanted, value + k * step);
      model::Watching one;
      again = again && model::compile_again(draft, changed, {}, {}, pattern, one);
      out.push_back(again ? std::move(one.model) : model::compile(draft, changed, {}, {}).model);
    } catch (const Error& error) {
      if (!why) why = error;
      return std::nullopt;
    }
    if (!same_shape(out.front(), out.back())) return std::nullopt;
    const std::vector<double> numbers = numbers_of(out.back());
    if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); })) return std::nullopt;
  }
  return out;
}

/// Numbers of the models at the points of one step, and what the polynomial through them has at the parameter itself.
struct Looked {
  std::vector<model::Model> models;
  std::vector<double> value;
  std::vector<double> slope;
  std::vector<double> size;   ///< the largest of each
  std::vector<double> apart;  ///< by how much the inner six of the points lead to another change over a step
  bool both = false;          ///< from both sides
  double step = 0;
};

Looked look(std::vector<model::Model> models, const std::array<int, points>& at, double step) {
  std::vector<std::vector<double>> numbers;
  numbers.reserve(points);
  for (const model::Model& one : models) numbers.push_back(numbers_of(one));
  const Weights by = weights(at);
  Looked out;
  out.models = std::move(models);
  out.both = at == both_sides;
  out.step = step;
  out.value.assign(numbers.front().size(), 0.0);
  out.slope = out.size = out.apart = out.value;
  for (std::size_t i = 0; i < out.value.size(); ++i) {
    // What does not move is exactly what it is. Infinite times of what never happens are among it.
    const double first = numbers.front()[i];
    out.value[i] = first;
    out.size[i] = std::abs(first);
    if (std::all_of(numbers.begin(), numbers.end(), [&](const auto& one) { return one[i] == first; })) continue;
    out.value[i] = 0;
    // Differences from one of them: the weights of a slope add up to zero.
    for (std::size_t k = 0; k < points; ++k) {
      out.value[i] += by.value.at(k) * numbers[k][i];
      out.slope[i] += by.slope.at(k) * (numbers[k][i] - first);
      out.size[i] = std::max(out.size[i], std::abs(numbers[k][i]));
    }
    // What is odd around the parameter is met by every polynomial of points on both sides: fewer of them tell whether they were enough.
    if (out.both) {
      double inner = 0;
      for (std::size_t k = 0; k < 3; ++k) inner += inner_slope.at(k) * (numbers[4 + k][i] - numbers[3 - k][i]);
      out.apart[i] = std::abs(out.slope[i] - inner);
    }
    out.slope[i] /= step;
  }
  return out;
}

/// The numbers of a model by one parameter, each from the longest step whose polynomial meets the number at the parameter itself.
struct Slopes {
  Looked first;  ///< of the first step at which the model has one shape
  std::vector<double> slope;
  std::vector<std::size_t> corner;  ///< numbers that no polynomial meets, however short the step
};

/// By how much a polynomial misses the number itself, as a part of it; numbers that are rounding of others miss nothing.
double missed(const Looked& looked, std::size_t i, double meant, double largest) {
  const double size = looked.size[i];
  if (!(size > rounding_of_others * largest) || !std::isfinite(looked.value[i])) return 0;
  return std::max(std::abs(looked.value[i] - meant), inner_counts * looked.apart[i]) / size;
}

/// The models on one side of the parameter, as near as they may be.
std::optional<Looked> look_from(const std::array<int, points>& at, const model::Draft& draft,
                                const model::Overrides& overrides, const model::Pattern& pattern, const Wanted& wanted,
                                const model::Model& shape) {
  const double value = wanted.parameter->value[wanted.component];
  const double size = value == 0 ? 1 : std::ldexp(1.0, std::ilogb(value));
  std::optional<Error> why;
  const double step = nearest_step * size;
  auto models = models_at(draft, overrides, pattern, wanted, step, at, why);
  if (!models || !same_shape(models->front(), shape)) return std::nullopt;
  return look(std::move(*models), at, step);
}

/// Where the parameter itself has no number to be met: numbers that come to it from below and from above with other values or slopes.
std::vector<std::size_t> kinks_of(const model::Draft& draft, const model::Overrides& overrides,
                                  const model::Pattern& pattern, const Wanted& wanted, const model::Model& shape) {
  std::vector<std::size_t> out;
  const std::optional<Looked> left = look_from(below, draft, overrides, pattern, wanted, shape);
  const std::optional<Looked> right = look_from(above, draft, overrides, pattern, wanted, shape);
  if (!left || !right) return out;
  for (std::size_t i = 0; i < left->value.size(); ++i) {
    const double size = std::max(left->size[i], right->size[i]);
    if (!std::isfinite(size)) continue;
    const double apart =
        std::abs(left->value[i] - right->value[i]) + left->step * std::abs(left->slope[i] - right->slope[i]);
    if (apart > kink_counts * size) out.push_back(i);
  }
  return out;
}

/// With the slopes of either side, where both meet the numbers at the parameter itself.
std::optional<std::pair<Looked, Looked>> sides_of_kink(const model::Draft& draft, const model::Overrides& overrides,
                                                       const model::Pattern& pattern, const Wanted& wanted,
                                                       const Looked& found) {
  std::optional<Looked> left = look_from(below, draft, overrides, pattern, wanted, found.models.front());
  std::optional<Looked> right = look_from(above, draft, overrides, pattern, wanted, found.models.front());
  if (!left || !right) return std::nullopt;
  for (std::size_t i = 0; i < left->value.size(); ++i) {
    const double size = std::max(left->size[i], right->size[i]);
    const bool known = std::isfinite(size) || left->value[i] == right->value[i];
    if (!known || std::abs(left->value[i] - right->value[i]) > kink_counts * size) return std::nullopt;
  }
  return std::pair{std::move(*left), std::move(*right)};
}

std::optional<Slopes> slopes_from(const std::array<int, points>& at, const model::Draft& draft,
                                  const model::Overrides& overrides, const model::Pattern& pattern,
                                  const model::Model& here, const Wanted& wanted, std::optional<Error>& why) {
  const double value = wanted.parameter->value[wanted.component];
  const double size = value == 0 ? 1 : std::ldexp(1.0, std::ilogb(value));
  std::optional<Slopes> out;
  std::vector<double> meant;
  std::vector<double> least;  // the smallest misses so far
  std::vector<char> open;
  double largest = 0;
  for (const double part : slope_steps) {
    auto models = models_at(draft, overrides, pattern, wanted, part * size, at, why);
    if (!models) continue;
    std::optional<Looked> found = look(std::move(*models), at, part * size);
    if (!out) {
      // Where the parameter itself gives the model another shape, as zero may, there is no number to meet.
      if (!same_shape(found->models.front(), here)) {
        Slopes alone{std::move(*found), {}, {}};
        if (at == both_sides) alone.corner = kinks_of(draft, overrides, pattern, wanted, alone.first.models.front());
        return alone;
      }
      meant = numbers_of(here);
      for (std::size_t i = 0; i < meant.size(); ++i) {
        if (std::isfinite(found->size[i])) largest = std::max(largest, found->size[i]);
      }
      least.assign(meant.size(), HUGE_VAL);
      open.assign(meant.size(), 1);
      out = Slopes{*found, found->slope, {}};
    } else if (!same_shape(found->models.front(), out->first.models.front())) {
      break;
    }
    bool all = true;
    for (std::size_t i = 0; i < meant.size(); ++i) {
      if (open[i] == 0) continue;
      const double miss = missed(*found, i, meant[i], largest);
      // What a shorter step does not make better is rounding.
      const bool rounding = least[i] <= slope_rounding && miss > least[i] * shorter_helps;
      if (rounding) {
        open[i] = 0;
        continue;
      }
      least[i] = miss;
      out->slope[i] = found->slope[i];
      if (miss <= slope_met) open[i] = 0;
      all = all && open[i] == 0;
    }
    if (all) break;
  }
  if (!out) return out;
  // Velocities of a flow are its rates at the start, which nothing goes on from.
  const std::size_t rates = here.initial_position.size();
  const std::size_t behind = rates + (here.flow ? here.initial_velocity.size() : 0);
  for (std::size_t i = 0; i < meant.size(); ++i) {
    if (i >= rates && i < behind) continue;
    if (open[i] != 0 && !(least[i] <= slope_rounding)) out->corner.push_back(i);
  }
  return out;
}

/// One side serves where the other is refused, however short the step.
std::optional<Slopes> slopes_of(const model::Draft& draft, const model::Overrides& overrides,
                                const model::Pattern& pattern, const model::Model& here, const Wanted& wanted,
                                std::optional<Error>& why) {
  for (const std::array<int, points>& at : {both_sides, below, above}) {
    if (auto found = slopes_from(at, draft, overrides, pattern, here, wanted, why)) return found;
  }
  return std::nullopt;
}

}  // namespace

bool same_numbers(const model::Model& a, const model::Model& b) {
  return same_shape(a, b) && numbers_of(a) == numbers_of(b);
}

std::vector<ParameterSlope> parameter_slopes(const model::Draft& draft, const model::Overrides& overrides,
                                             const std::vector<std::string>& names, Kinks kinks) {
  model::Pattern pattern;
  const model::Model here = model::compile(draft, overrides, {}, {}, pattern).model;
  if (here.simulation.method != model::Method::events) {
    throw Error(
        {here.file, 0, 0},
        "derivatives follow motions from event to event alone: leave method = \"stepping\" out of [simulation]");
  }
  std::vector<ParameterSlope> out;
  for (const Wanted& wanted : find_all(here, names)) {
    const std::string& name = wanted.name;
    const double value = wanted.parameter->value[wanted.component];
    std::optional<Error> why;
    std::optional<Slopes> found = slopes_of(draft, overrides, pattern, here, wanted, why);
    if (!found) {
      throw Error({"command line", 0, 0},
                  "nothing can be differentiated by '" + name + "': near its value " + exact(value) +
                      (why ? " the model is refused (" + why->message() + ")" : " the model changes its shape"));
    }
    std::optional<std::pair<Looked, Looked>> sides;
    if (!found->corner.empty() && kinks == Kinks::two_sided)
      sides = sides_of_kink(draft, overrides, pattern, wanted, found->first);
    if (!found->corner.empty() && !sides) {
      throw Error({"command line", 0, 0},
                  "nothing can be differentiated by '" + name + "' at its value " + exact(value) +
                      ": numbers of the model have a corner, a jump or a pole there; take a value beside it");
    }
    const std::vector<double>& at = found->first.value;
    const std::vector<double>& slope = found->slope.empty() ? found->first.slope : found->slope;
    std::vector<model::Model>* models = &found->first.models;
    ParameterSlope one;
    one.name = name;
    one.value = value;
    one.slope = models->front();
    one.model = std::move(models->front());
    set_numbers(one.slope, slope);
    if (sides) {
      one.below = one.slope;
      set_numbers(*one.below, sides->first.slope);
      set_numbers(one.slope, sides->second.slope);
    }
    if (same_shape(one.model, here)) {
      one.model = here;  // with its own words
    } else {
      set_numbers(one.model, sides ? sides->second.value : at);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace zwang::sensitivity
