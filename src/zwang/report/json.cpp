/// Plain structures of the library turned into JSON objects.
#include "zwang/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "zwang/model/flow.hpp"
#include "zwang/model/without_effect.hpp"
#include "zwang/report/parts.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

void put_start(Writer& json, const model::Model& model, double time) {
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("time", time);
}

/// The body a variable belongs to.
const model::Body& body_of(const model::Model& model, std::uint32_t variable) {
  const auto after =
      std::upper_bound(model.bodies.begin(), model.bodies.end(), variable,
                       [](std::uint32_t wanted, const model::Body& body) { return wanted < body.first; });
  return *(after - 1);
}

/// The force of one condition on the bodies it touches: -lambda grad f, and -rho (dp/dt - df/dq) of a variational one.
/// `force` is zero outside of this call.
void put_reaction(Writer& json, const model::Model& model, const model::State& state, const model::Rows& rows,
                  std::uint32_t row, double lambda, const double* rho, std::vector<double>& force) {
  std::vector<std::uint32_t> touched(model.row_column.begin() + model.row_start[row],
                                     model.row_column.begin() + model.row_start[row + 1]);
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    force[model.row_column[e]] -= lambda * rows.entry[e];
  }
  const bool compound = model.conditions[model.row_condition[row]].compound;
  if (rho != nullptr || compound) {
    if (rho != nullptr) model::add_bend(model, row, state, -*rho, force);
    touched.clear();
    for (std::uint32_t i = 0; i < model.variables; ++i) {
      if (force[i] != 0) {
        touched.push_back(i);
      }
    }
  }
  json.open(model::row_name(model, row));
  const model::Body* last_body = nullptr;
  std::uint32_t last_member = 0;
  for (const std::uint32_t variable : touched) {
    const model::Body& body = body_of(model, variable);
    const std::uint32_t member = (variable - body.first) / body.dimension;
    if (&body != last_body || member != last_member) {
      put_member(json, body, member, force, {model::Sort::force, state.position});
    }
    last_body = &body;
    last_member = member;
  }
  json.close();
  for (const std::uint32_t variable : touched) {
    force[variable] = 0;
  }
}

void put_certificate(Writer& json, const gauss::Certificate& c) {
  json.open("certificate");
  json.put("primal", c.primal);
  json.put("dual", c.dual);
  json.put("complementarity", c.complementarity);
  json.put("stationarity", c.stationarity);
  json.put("gap", c.gap);
  json.close();
}

/// Of the parts of one condition the one that speaks for it: that which binds, or is nearest to it.
std::uint32_t row_that_speaks(const model::Model& model, const std::vector<instant::Role>& role,
                              const std::vector<double>& multipliers, const std::vector<double>& values,
                              std::uint32_t row) {
  const std::uint32_t first = model::leading_row(model, row);
  const model::Condition& condition = model.conditions[model.row_condition[row]];
  if (!condition.compound) return row;
  const auto rank = [&](std::uint32_t one) {
    const double lambda = one < multipliers.size() ? multipliers[one] : 0.0;
    switch (role[one]) {
      case instant::Role::violated: return std::pair(0, -lambda);
      case instant::Role::approached: return std::pair(1, -lambda);
      case instant::Role::equation:
      case instant::Role::binding: return std::pair(2, -lambda);
      case instant::Role::marginal: return std::pair(3, -lambda);
      case instant::Role::leaving: return std::pair(4, -lambda);
      case instant::Role::passive_in_velocity: return std::pair(5, -lambda);
      case instant::Role::passive_in_position: return std::pair(6, one < values.size() ? -values[one] : 0.0);
      case instant::Role::absent: break;
    }
    return std::pair(7, -lambda);
  };
  std::uint32_t best = first;
  for (std::uint32_t one = first; one < first + condition.components; ++one) {
    if (rank(one) < rank(best)) best = one;
  }
  return best;
}

/// `open`: those of which several alternatives hold, in the order of their rows.
void put_conditions(Writer& json, const model::Model& model, const model::State& state, const instant::Instant& instant,
                    bool with_second, const std::vector<OpenCondition>& open = {}) {
  json.open("constraints");
  const std::vector<OpenCondition> compound = compound_conditions(model, state);
  auto next = open.begin();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const OpenCondition* whole = compound_at(model, compound, row);
    if (next != open.end() && next->row == row) {
      json.open(model::row_name(model, row)).put("kind", model::words(model.row_kind[row]));
      json.put("value", whole != nullptr ? whole->value : next->value);
      json.put("rate", whole != nullptr ? whole->rate : next->rate);
      if (with_second) json.put("second", instant.second[row]);
      json.put("role", instant::words(instant::Role::passive_in_position)).close();
      ++next;
      continue;
    }
    if (instant.role[row] == instant::Role::absent ||
        row != row_that_speaks(model, instant.role, instant.multipliers, instant.value, row)) {
      continue;
    }
    json.open(model::row_name(model, row));
    json.put("kind", model::words(model.row_kind[row]));
    if (model::is_holonomic(model.row_kind[row])) {
      json.put("value", whole != nullptr ? whole->value : instant.value[row]);
    }
    json.put("rate", whole != nullptr ? whole->rate : instant.rate[row]);
    if (with_second) {
      json.put("second", instant.second[row]);
    }
    json.put("role", instant::words(instant.role[row]));
    json.close();
  }
  json.close();
}

void put_trials(Writer& json, const model::Model& model, const std::vector<gauss::Trial>& trials,
                const std::vector<std::uint32_t>& effective) {
  const auto names = [&](const std::vector<std::uint32_t>& places) {
    std::vector<std::string> list;
    for (const std::uint32_t place : places) {
      list.push_back(model::row_name(model, effective[place]));
    }
    return list;
  };
  json.open_list("trials");
  for (const gauss::Trial& trial : trials) {
    json.open();
    json.put("equations", names(trial.rows));
    json.put("negative", names(trial.negative));
    json.put("violated", names(trial.violated));
    json.close();
  }
  json.close_list();
}

/// The rates of a flow, free and under its conditions.
void put_rates(Writer& json, const model::Model& model, const model::State& state) {
  const model::Rates found = model::rates(model, state);
  if (!found.finite) {
    return;
  }
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  put_bodies(json, "free", model, dynamics.force);
  put_bodies(json, "velocities", model, found.rate);
  json.open("multipliers");
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    json.put(model::row_name(model, row), found.multiplier[row]);
  }
  json.close();
}

/// Multipliers, rho and reactions of a determined instant.
void put_forces(Writer& json, const model::Model& model, const model::State& state, const instant::Instant& instant) {
  const auto counts = [&](std::uint32_t row) { return instant.is_effective(row) && !instant.singular; };
  std::vector<std::pair<std::uint32_t, double>> multipliers;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (counts(row)) {
      multipliers.emplace_back(row, instant.multipliers[row]);
    }
  }
  // Rows as they stand at the state, for the reactions of joints and single conditions.
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  const auto put_joints = [&]() {
    for (const model::Joint& joint : model.joints)
      put_wrench(json, model, joint, rows, instant.multipliers, state.position);
  };
  json.open("multipliers");
  put_row_values(json, model, multipliers);
  if (!instant.singular) put_joints();
  json.close();
  if (!instant.rho.empty()) {
    put_rows(json, "rho", model, instant.rho);
  }
  json.put("multipliers_unique", instant.multipliers_unique);

  std::vector<double> force(model.variables, 0.0);
  const auto first_counting = [&](std::uint32_t row) {
    std::uint32_t first = model::leading_row(model, row);
    while (first < row && !counts(first)) ++first;
    return first;
  };
  json.open("reactions");
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!counts(row) || row != first_counting(row)) {
      continue;
    }
    const auto rho = std::find_if(instant.rho.begin(), instant.rho.end(),
                                  [&](const std::pair<std::uint32_t, double>& one) { return one.first == row; });
    // The parts of one condition push together.
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    for (std::uint32_t other = row + 1;
         condition.compound && other < model::leading_row(model, row) + condition.components; ++other) {
      for (std::uint32_t e = model.row_start[other]; counts(other) && e < model.row_start[other + 1]; ++e) {
        force[model.row_column[e]] -= instant.multipliers[other] * rows.entry[e];
      }
    }
    put_reaction(json, model, state, rows, row, instant.multipliers[row],
                 rho == instant.rho.end() ? nullptr : &rho->second, force);
  }
  if (!instant.singular) put_joints();
  json.close();
  put_bodies(json, "reaction", model, instant.reaction, {model::Sort::force, state.position});
}

/// The keys of `accelerate`, into an open object.
void put_instant(Writer& json, const model::Model& model, const model::State& state, const instant::Instant& instant) {
  using instant::Status;
  const Seen seen{model::Sort::velocity, state.position};
  put_start(json, model, instant.time);
  json.put("status", instant::words(instant.status));
  const bool determined = instant.status == Status::determined;
  const bool ambiguous = instant.status == Status::ambiguous;
  if (instant.status != Status::inadmissible && instant.status != Status::impact) {
    json.put("regular", instant.regular);
  }
  if (instant.status == Status::inadmissible) {
    put_rows(json, "violations", model, instant.violations);
  }
  if (instant.status == Status::jammed) {
    put_rows(json, "farkas", model, instant.farkas);
    json.put("derivative", std::uint64_t{instant.jam_derivative});
  }
  if (instant.status == Status::undecided) {
    json.put("expansion", instant.expansion);
  }
  if (determined) {
    put_bodies(json, "accelerations", model, instant.accelerations, seen);
  }
  if (determined || ambiguous) {
    put_bodies(json, "free", model, instant.free, seen);
  }
  if (determined) {
    put_forces(json, model, state, instant);
  }
  put_conditions(json, model, state, instant, determined, open_conditions(model, instant));
  if (determined) {
    json.put("constraint", instant.constraint);
    put_certificate(json, instant.certificate);
  }
  if (ambiguous) {
    json.put("constraint", instant.solutions.front().constraint);
    json.open_list("solutions");
    for (const instant::Minimiser& one : instant.solutions) {
      json.open();
      put_bodies(json, "accelerations", model, one.accelerations, seen);
      json.put("constraint", one.constraint);
      json.close();
    }
    json.close_list();
    json.put("family", instant.continuum ? "continuum" : "isolated");
  }
  if (!instant.decisions.empty()) {
    json.open("decisions");
    for (const instant::Decision& decision : instant.decisions) {
      json.open(model::row_name(model, decision.row));
      json.put("derivative", std::uint64_t{decision.derivative});
      json.put("stays", decision.stays);
      json.close();
    }
    json.close();
  }
}

/// The keys of `impact`, into an open object.
void put_shock(Writer& json, const model::Model& model, const instant::Shock& shock) {
  using instant::ShockStatus;
  const Seen seen{model::Sort::velocity, shock.position};
  put_start(json, model, shock.time);
  json.put("status", instant::words(shock.status));
  if (shock.status == ShockStatus::inadmissible) {
    put_rows(json, "violations", model, shock.violations);
    return;
  }
  put_bodies(json, "before", model, shock.before, seen);
  if (shock.status == ShockStatus::jammed) {
    put_rows(json, "farkas", model, shock.farkas);
    return;
  }
  if (shock.status == ShockStatus::refused || shock.status == ShockStatus::gave_up) {
    json.put("expansion",
             shock.restitution_note.empty() ? "the numbers are not finite" : std::string_view(shock.restitution_note));
    return;
  }
  if (shock.status == ShockStatus::ambiguous) {
    json.put("expansion", shock.restitution_note);
    json.open_list("solutions");
    for (const std::vector<double>& velocities : shock.solutions) {
      json.open();
      put_bodies(json, "velocities", model, velocities, seen);
      json.close();
    }
    json.close_list();
  }
  put_bodies(json, "velocities", model, shock.velocities, seen);
  std::vector<double> changes(shock.before.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i] = shock.velocities[i] - shock.before[i];
  }
  put_bodies(json, "changes", model, changes, seen);
  std::vector<std::pair<std::uint32_t, double>> impulses;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (shock.role[row] != instant::Role::absent && shock.role[row] != instant::Role::passive_in_position) {
      impulses.emplace_back(row, shock.impulses[row]);
    }
  }
  put_rows(json, "impulses", model, impulses);
  json.put("impulses_unique", shock.impulses_unique);
  json.open("roles");
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (shock.role[row] != instant::Role::absent &&
        row == row_that_speaks(model, shock.role, shock.impulses, {}, row)) {
      json.put(model::row_name(model, row), instant::words(shock.role[row]));
    }
  }
  json.close();
  json.open("energy");
  json.put("before", shock.energy.before);
  json.put("blow", shock.energy.blow);
  json.put("work", shock.energy.work);
  json.put("lost", shock.energy.lost);
  json.put("after", shock.energy.after);
  json.close();
  put_certificate(json, shock.certificate);
  if (!shock.restitution_note.empty()) {
    json.put("restitution", shock.restitution_note);
  }
}

}  // namespace

std::string accelerate_json(const model::Model& model, const model::State& state, const instant::Instant& instant) {
  Writer json;
  json.open();
  put_instant(json, model, state, instant);
  return json.close().text();
}

std::string explain_json(const model::Model& model, const model::State& state, const instant::Instant& instant,
                         const instant::Shock* shock, const instant::Instant* after, const model::State* state_after) {
  Writer json;
  json.open();
  put_instant(json, model, state, instant);
  put_trials(json, model, instant.trials, instant.effective);
  if (shock != nullptr) {
    json.open("impact");
    put_shock(json, model, *shock);
    put_trials(json, model, shock->trials, shock->effective);
    json.close();
  }
  if (after != nullptr && state_after != nullptr) {
    json.open("after");
    put_instant(json, model, *state_after, *after);
    put_trials(json, model, after->trials, after->effective);
    json.close();
  }
  return json.close().text();
}

std::string impact_json(const model::Model& model, const instant::Shock& shock) {
  Writer json;
  json.open();
  put_shock(json, model, shock);
  return json.close().text();
}

std::vector<OpenCondition> open_conditions(const model::Model& model, const instant::Instant& instant) {
  const std::vector<double>& value = instant.value;
  std::vector<OpenCondition> out;
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      // Of each alternative the row that is nearest to being broken, and of those the one farthest from it.
      std::vector<std::uint32_t> nearest(condition.alternatives, first + condition.components);
      bool counts = false;
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        counts = counts || instant.role[row] != instant::Role::absent;
        std::uint32_t& one = nearest[model.row_alternative[row]];
        if (one == first + condition.components || value[row] > value[one]) one = row;
      }
      if (counts) continue;
      const std::uint32_t best = *std::min_element(
          nearest.begin(), nearest.end(), [&](std::uint32_t a, std::uint32_t b) { return value[a] < value[b]; });
      out.push_back({best, value[best], instant.rate[best]});
    }
  }
  return out;
}

std::vector<OpenCondition> compound_conditions(const model::Model& model, const model::State& state) {
  std::vector<OpenCondition> out;
  const auto is_compound = [](const model::Condition& one) { return one.compound; };
  if (std::none_of(model.conditions.begin(), model.conditions.end(), is_compound)) return out;
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  for (const model::Condition& condition : model.conditions) {
    if (!condition.compound) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      const bool holonomic = model::is_holonomic(model.row_kind[first]);
      const std::vector<double>& f = holonomic ? rows.value : rows.rate;
      const std::vector<double>& terms = holonomic ? rows.value_scale : rows.rate_scale;
      const auto tied = [&](std::uint32_t a, std::uint32_t b) {
        return std::abs(f[a] - f[b]) <= model.simulation.touch * (terms[a] + terms[b]);
      };
      // Of each alternative the greatest part; among parts that are equal the one that grows fastest.
      std::vector<std::uint32_t> most(std::max<std::uint32_t>(condition.alternatives, 1), first + condition.components);
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        std::uint32_t& one = most[condition.alternatives > 1 ? model.row_alternative[row] : 0];
        if (one == first + condition.components || (tied(row, one) ? rows.rate[row] > rows.rate[one] : f[row] > f[one]))
          one = row;
      }
      // Of those the least; among equal ones that which falls fastest.
      std::uint32_t least = most.front();
      for (const std::uint32_t one : most) {
        if (one == first + condition.components) continue;
        if (least == first + condition.components ||
            (tied(one, least) ? rows.rate[one] < rows.rate[least] : f[one] < f[least]))
          least = one;
      }
      if (least != first + condition.components) out.push_back({first, rows.value[least], rows.rate[least]});
    }
  }
  return out;
}

const OpenCondition* compound_at(const model::Model& model, const std::vector<OpenCondition>& compound,
                                 std::uint32_t row) {
  if (!model.conditions[model.row_condition[row]].compound) return nullptr;
  const std::uint32_t first = model::leading_row(model, row);
  const auto found = std::lower_bound(compound.begin(), compound.end(), first,
                                      [](const OpenCondition& one, std::uint32_t sought) { return one.row < sought; });
  return found != compound.end() && found->row == first ? &*found : nullptr;
}

std::uint32_t speaking_row(const model::Model& model, const instant::Instant& instant, std::uint32_t row) {
  return row_that_speaks(model, instant.role, instant.multipliers, instant.value, row);
}

std::vector<NearlyTouching> nearly_touching(const model::Model& model, const model::State& state,
                                            const instant::Instant& instant) {
  constexpr double six_digits = 1e-6;  // of the terms of the condition
  constexpr double closes = 2;         // times the distance, so that the last digit does not matter
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, state, scratch, rows);
  std::vector<NearlyTouching> found;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const double distance = -rows.value[row], size = rows.value_scale[row];
    const bool open = instant.role[row] == instant::Role::passive_in_position;
    // A part of a condition of which another part touches says nothing.
    const std::uint32_t first = model::leading_row(model, row);
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    bool touches = false;
    for (std::uint32_t one = first; condition.compound && one < first + condition.components; ++one) {
      touches = touches ||
                (instant.role[one] != instant::Role::absent && instant.role[one] != instant::Role::passive_in_position);
    }
    if (touches) continue;
    if (open && distance > 0 && distance <= six_digits * size) {
      found.push_back({row, distance, closes * distance / size});
    }
  }
  return found;
}

std::string check_json(const model::Model& model, const model::State& state, const instant::Instant& instant,
                       const instant::Repair* repair) {
  Writer json;
  json.open();
  put_start(json, model, state.time);
  json.put("status", instant.status == instant::Status::determined ? "admissible" : instant::words(instant.status));
  json.put("regular", instant.regular);
  json.put("variables", std::uint64_t{model.variables});
  if (model.simulation.method == model::Method::stepping) {
    json.put("method", model::words(model.simulation.method)).put("step", model.simulation.step);
  }
  put_conditions(json, model, state, instant, false, open_conditions(model, instant));
  if (model.flow) {
    put_rates(json, model, state);
  }
  if (!instant.violations.empty()) {
    put_rows(json, "violations", model, instant.violations);
  }
  if (!instant.expansion.empty()) {
    json.put("expansion", instant.expansion);
  }
  if (const std::vector<NearlyTouching> nearly = nearly_touching(model, state, instant); !nearly.empty()) {
    json.open("nearly_touching");
    for (const NearlyTouching& one : nearly) {
      json.open(model::row_name(model, one.row)).put("distance", one.distance).put("touch", one.touch).close();
    }
    json.close();
  }
  if (const std::vector<std::string> idle = model::without_effect(model); !idle.empty())
    json.put("without_effect", idle);
  if (repair != nullptr) {
    json.open("repair");
    json.put("succeeded", repair->succeeded);
    json.put("position_change", repair->position_change);
    json.put("velocity_change", repair->velocity_change);
    put_places(json, "positions", model, repair->state.position);
    put_bodies(json, "velocities", model, repair->state.velocity, {model::Sort::velocity, repair->state.position});
    json.close();
  }
  return json.close().text();
}

std::string error_json(const Error& error) {
  Writer json;
  json.open().open("error");
  json.put("file", error.place().file);
  if (error.place().line > 0) {
    json.put("line", std::uint64_t{error.place().line});
    json.put("column", std::uint64_t{error.place().column});
  }
  json.put("message", error.message());
  return json.close().close().text();
}

std::string error_json(const std::string& message) {
  Writer json;
  json.open().open("error").put("message", message);
  return json.close().close().text();
}

}  // namespace zwang::report
