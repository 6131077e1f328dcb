/// Staeckel's three senses of passivity: which conditions matter at this state (docs/mathematics, sections 4 and 8).
#include <algorithm>
#include <cmath>

#include "zwang/instant/classify_tolerances.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

namespace {

/// Is the row in force, and does a seizure begin at this very instant?
bool in_force(const model::Condition& condition, double time, bool& due) {
  if (!condition.seizure) {
    return true;
  }
  if (same_instant(condition.at, time)) {
    due = true;
    return true;
  }
  return condition.at < time;
}

Role role_of_holonomic(bool equation, double value, double rate, double open, double broken, double touch_rate) {
  if (equation) {
    if (std::abs(value) > broken) {
      return Role::violated;
    }
    return std::abs(rate) > touch_rate ? Role::approached : Role::equation;
  }
  if (value > broken) {
    return Role::violated;
  }
  if (value < -open) {
    return Role::passive_in_position;
  }
  if (rate > touch_rate) {
    return Role::approached;
  }
  return rate < -touch_rate ? Role::passive_in_velocity : Role::marginal;
}

Role role_of_nonholonomic(bool equation, double rate, double touch_rate) {
  if (equation) {
    return std::abs(rate) > touch_rate ? Role::approached : Role::equation;
  }
  if (rate > touch_rate) {
    return Role::approached;
  }
  return rate < -touch_rate ? Role::passive_in_velocity : Role::marginal;
}

/// Per equation the largest terms among the components of the vector that it belongs to, as of the place of a joint: a start written with few digits is off by a part of the whole
/// vector, and a component that should be zero has none of its own.
std::vector<double> terms_of_vectors(const model::Model& model, const model::Rows& rows) {
  std::vector<double> out = rows.value_scale;
  const auto together = [&](std::uint32_t first, std::uint32_t count) {
    const double most = *std::max_element(rows.value_scale.begin() + first, rows.value_scale.begin() + first + count);
    std::fill_n(out.begin() + first, count, most);
  };
  for (const model::Condition& condition : model.conditions) {
    if (condition.components < 2) continue;
    for (std::uint32_t k = 0; k + condition.components <= condition.rows; k += condition.components)
      together(condition.first_row + k, condition.components);
  }
  for (const model::Joint& joint : model.joints) {
    const bool meets =
        joint.kind == "ball" || joint.kind == "hinge" || joint.kind == "universal" || joint.kind == "weld";
    const std::uint32_t body = std::min(joint.first.body, joint.second.body);
    if (!meets || body >= model.bodies.size()) continue;
    const auto place = static_cast<std::uint32_t>(model.bodies[body].place());
    if (joint.rows >= place) together(joint.first_row, place);
  }
  return out;
}

}  // namespace

bool same_instant(double at, double time) {
  return std::abs(at - time) <= same_time * std::max(std::abs(at), std::abs(time));
}

void widen_rates(const model::Model& model, const Options& options, const std::vector<double>& before,
                 const std::vector<double>& after, Workspace::Impl& impl) {
  const double touch = options.touch > 0 ? options.touch : model.simulation.touch;
  for (const std::uint32_t row : impl.problem.row) {
    double terms = std::abs(impl.rows.explicit_rate[row]);
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      terms += std::abs(impl.rows.entry[e]) * (std::abs(before[i]) + std::abs(after[i]));
    }
    impl.touch_rate[row] = std::max(impl.touch_rate[row], touch * terms);
  }
}

Scales scales(const model::State& state) {
  Scales result{0, 0};
  for (const double q : state.position) {
    result.position = std::max(result.position, std::abs(q));
  }
  for (const double v : state.velocity) {
    result.velocity = std::max(result.velocity, std::abs(v));
  }
  // All vanish: the unit takes their place.
  if (result.position == 0) {
    result.position = 1;
  }
  if (result.velocity == 0) {
    result.velocity = 1;
  }
  return result;
}

void classify_rows(const model::Model& model, const model::State& state, const Options& options, Workspace::Impl& impl,
                   Instant& instant) {
  const double touch = options.touch > 0 ? options.touch : model.simulation.touch;
  const model::Rows& rows = impl.rows;
  const std::uint32_t count = model.rows();
  instant.time = state.time;
  instant.position.clear();
  if (model::has_quaternions(model)) instant.position = state.position;
  instant.violations.clear();
  instant.expansion.clear();
  instant.no_gradient = false;
  instant.seizure_due = false;
  instant.blow_due = false;
  instant.role.resize(count);
  instant.value.assign(rows.value.begin(), rows.value.end());
  instant.rate.assign(rows.rate.begin(), rows.rate.end());
  impl.touch_value.resize(count);
  impl.touch_rate.resize(count);
  const std::vector<double> of_vectors = options.broken > 0 ? terms_of_vectors(model, rows) : std::vector<double>{};

  for (std::uint32_t row = 0; row < count; ++row) {
    // A seizure that lies ahead does not count yet.
    if (!in_force(model.conditions[model.row_condition[row]], state.time, instant.seizure_due)) {
      instant.role[row] = Role::absent;
      continue;
    }
    if (options.gone.contains(row) || impl.released.contains(row)) {
      instant.role[row] = Role::absent;
      continue;
    }
    // The tolerances of section 8: a part of the row's own terms, and how far they may be off.
    double gradient = 0;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      gradient += std::abs(rows.entry[e]);
    }
    const double near = options.touch_position > 0 ? options.touch_position : touch;
    const double far = options.broken > 0 ? options.broken : touch;
    const double value_off = bounds_that_are_nothing * rows.value_error[row];
    impl.touch_value[row] = near * rows.value_scale[row] + value_off;
    // Of a motion that came from elsewhere the terms at hand may be small: its uncertainty tells what they were.
    const double terms = state.position_uncertainty.empty()
                             ? rows.value_scale[row]
                             : std::max(rows.value_scale[row], rows.value_error[row] / rounding_of_one);
    const bool vector = !of_vectors.empty() && model::is_equation(model.row_kind[row]);
    const double broken = far * (vector ? std::max(terms, of_vectors[row]) : terms) + value_off;
    impl.touch_rate[row] = touch * rows.rate_scale[row] + bounds_that_are_nothing * rows.rate_error[row];

    const model::RowKind kind = model.row_kind[row];
    const bool equation = model::is_equation(kind);
    if (!std::isfinite(gradient)) {
      // No gradient here (the middle of a distance, say): harmless while the condition is open.
      if (!equation && model::is_holonomic(kind) && rows.value[row] < -impl.touch_value[row]) {
        instant.role[row] = Role::passive_in_position;
        continue;
      }
      instant.role[row] = equation ? Role::equation : Role::marginal;
      instant.no_gradient = true;
      const std::uint32_t condition = model.row_condition[row];
      const bool generated = std::any_of(model.generated.begin(), model.generated.end(),
                                         [&](const model::Generated& one) { return one.condition == condition; });
      instant.expansion =
          "the condition " + model::row_name(model, row) + " has no gradient at this state; " +
          (generated
               ? "the bodies touch in more than one point, as a cylinder does that stands on its face, along a whole "
                 "circle, which is not followed: give it marks on its rims and their cloud as its shape"
               : "write it without a root (squares, or a vector equation)");
      continue;
    }
    // What others imply holds where they do: of them it is told whether the position is admissible. Their zeros are squares of its own.
    const bool closed = options.closed.contains(row) || model.conditions[model.row_condition[row]].implied;
    const bool steady = options.steady.contains(row);
    const double value = closed ? 0.0 : rows.value[row];
    const double rate = steady ? 0.0 : rows.rate[row];
    instant.role[row] = model::is_holonomic(kind) ? role_of_holonomic(equation, value, rate, impl.touch_value[row],
                                                                      broken, impl.touch_rate[row])
                                                  : role_of_nonholonomic(equation, rate, impl.touch_rate[row]);
    if (instant.role[row] == Role::violated) {
      instant.violations.emplace_back(row, rows.value[row]);
    }
  }

  if (options.shock_done) {
    instant.seizure_due = false;
    return;
  }
  for (const model::Blow& blow : model.blows) {
    instant.blow_due = instant.blow_due || same_instant(blow.at, state.time);
  }
}

}  // namespace zwang::instant
