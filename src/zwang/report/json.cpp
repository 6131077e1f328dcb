/// Plain structures of the library turned into JSON objects.
#include "zwang/report/json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "zwang/report/version.hpp"

namespace zwang::report {

namespace {

using Json = nlohmann::ordered_json;

Json start(const model::Model& model, double time) {
  Json json;
  json["zwang"] = version();
  json["model"] = model.title.empty() ? model.file : model.title;
  json["time"] = time;
  return json;
}

/// A vector over the variables, keyed by body; with `only` just the bodies it marks.
Json by_body(const model::Model& model, std::span<const double> values, const std::vector<bool>* only = nullptr) {
  Json json = Json::object();
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      bool wanted = only == nullptr;
      for (std::uint32_t c = 0; c < body.dimension && !wanted; ++c) {
        wanted = (*only)[first + c];
      }
      if (!wanted) {
        continue;
      }
      const std::string name = model::member_name(body, member);
      if (body.kind == model::BodyKind::coordinate) {
        json[name] = values[first];
      } else {
        json[name] = std::vector<double>(values.begin() + first, values.begin() + first + body.dimension);
      }
    }
  }
  return json;
}

/// The body a variable belongs to.
const model::Body& body_of(const model::Model& model, std::uint32_t variable) {
  std::size_t low = 0;
  for (std::size_t i = 1; i < model.bodies.size() && model.bodies[i].first <= variable; ++i) {
    low = i;
  }
  return model.bodies[low];
}

/// -lambda grad f, keyed by the bodies the row touches.
Json reaction_of_row(const model::Model& model, const model::Rows& rows, std::uint32_t row, double lambda) {
  Json json = Json::object();
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const std::uint32_t variable = model.row_column[e];
    const model::Body& body = body_of(model, variable);
    const std::uint32_t member = (variable - body.first) / body.dimension;
    const std::string name = model::member_name(body, member);
    const double force = -lambda * rows.entry[e] + 0.0;
    if (body.kind == model::BodyKind::coordinate) {
      json[name] = force;
      continue;
    }
    if (!json.contains(name)) {
      json[name] = std::vector<double>(body.dimension, 0.0);
    }
    json[name][(variable - body.first) % body.dimension] = force;
  }
  return json;
}

/// What a variational condition adds beside -rho' p: -rho (dp/dt - df/dq).
void add_bend(const model::Model& model, const model::State& state, std::uint32_t row, double rho, Json& reaction) {
  std::vector<double> extra(model.variables, 0.0);
  model::add_bend(model, row, state, -rho, extra);
  std::vector<bool> touched(model.variables, false);
  for (std::uint32_t i = 0; i < model.variables; ++i) {
    touched[i] = extra[i] != 0;
  }
  const Json parts = by_body(model, extra, &touched);
  for (const auto& [name, value] : parts.items()) {
    if (!reaction.contains(name)) {
      reaction[name] = value;
    } else if (value.is_array()) {
      for (std::size_t c = 0; c < value.size(); ++c) {
        reaction[name][c] = reaction[name][c].get<double>() + value[c].get<double>();
      }
    } else {
      reaction[name] = reaction[name].get<double>() + value.get<double>();
    }
  }
}

Json certificate_json(const gauss::Certificate& c) {
  Json json;
  json["primal"] = c.primal;
  json["dual"] = c.dual;
  json["complementarity"] = c.complementarity;
  json["stationarity"] = c.stationarity;
  return json;
}

Json by_row(const model::Model& model, const std::vector<std::pair<std::uint32_t, double>>& values) {
  Json json = Json::object();
  for (const auto& [row, value] : values) {
    json[model::row_name(model, row)] = value;
  }
  return json;
}

void put(Json& json, const char* key, double value) {
  if (std::isfinite(value)) {
    json[key] = value;
  }
}

Json constraints_json(const model::Model& model, const instant::Instant& instant, bool with_second) {
  Json json = Json::object();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (instant.role[row] == instant::Role::absent) {
      continue;
    }
    Json one;
    one["kind"] = model::words(model.row_kind[row]);
    if (model::is_holonomic(model.row_kind[row])) {
      put(one, "value", instant.value[row]);
    }
    put(one, "rate", instant.rate[row]);
    if (with_second) {
      put(one, "second", instant.second[row]);
    }
    one["role"] = instant::words(instant.role[row]);
    json[model::row_name(model, row)] = std::move(one);
  }
  return json;
}

Json trials_json(const model::Model& model, const std::vector<gauss::Trial>& trials,
                 const std::vector<std::uint32_t>& effective) {
  const auto names = [&](const std::vector<std::uint32_t>& rows) {
    Json list = Json::array();
    for (const std::uint32_t row : rows) {
      list.push_back(model::row_name(model, effective[row]));
    }
    return list;
  };
  Json json = Json::array();
  for (const gauss::Trial& trial : trials) {
    json.push_back({{"equations", names(trial.rows)},
                    {"negative", names(trial.negative)},
                    {"violated", names(trial.violated)}});
  }
  return json;
}

Json accelerate_object(const model::Model& model, const model::State& state, const instant::Instant& instant) {
  using instant::Status;
  Json json = start(model, instant.time);
  json["status"] = instant::words(instant.status);
  const bool determined = instant.status == Status::determined;
  switch (instant.status) {
    case Status::inadmissible: json["violations"] = by_row(model, instant.violations); break;
    case Status::jammed:
      json["regular"] = instant.regular;
      json["farkas"] = by_row(model, instant.farkas);
      json["derivative"] = instant.jam_derivative;
      break;
    case Status::undecided:
      json["regular"] = instant.regular;
      json["expansion"] = instant.expansion;
      break;
    case Status::impact:
    case Status::determined:
    case Status::ambiguous: break;
  }
  if (determined || instant.status == Status::ambiguous) {
    json["regular"] = instant.regular;
    if (determined) {
      json["accelerations"] = by_body(model, instant.accelerations);
    }
    json["free"] = by_body(model, instant.free);
  }
  if (determined) {
    // Rows as they stand at the state, for the reactions of single conditions.
    model::Scratch scratch = model::make_scratch(model);
    model::Rows rows = model::make_rows(model);
    model::evaluate_rows(model, state, scratch, rows);
    Json multipliers = Json::object();
    Json reactions = Json::object();
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (instant.is_effective(row) && !instant.singular) {
        const std::string name = model::row_name(model, row);
        multipliers[name] = instant.multipliers[row];
        reactions[name] = reaction_of_row(model, rows, row, instant.multipliers[row]);
      }
    }
    if (!instant.rho.empty()) {
      Json rho = Json::object();
      for (const auto& [row, value] : instant.rho) {
        const std::string name = model::row_name(model, row);
        rho[name] = value;
        add_bend(model, state, row, value, reactions[name]);
      }
      json["rho"] = std::move(rho);
    }
    json["multipliers"] = std::move(multipliers);
    json["multipliers_unique"] = instant.multipliers_unique;
    json["reactions"] = std::move(reactions);
    json["reaction"] = by_body(model, instant.reaction);
  }
  json["constraints"] = constraints_json(model, instant, determined);
  if (determined) {
    json["constraint"] = instant.constraint;
    json["certificate"] = certificate_json(instant.certificate);
  }
  if (instant.status == Status::ambiguous) {
    json["constraint"] = instant.solutions.front().constraint;
    Json solutions = Json::array();
    for (const instant::Minimiser& one : instant.solutions) {
      solutions.push_back({{"accelerations", by_body(model, one.accelerations)}, {"constraint", one.constraint}});
    }
    json["solutions"] = std::move(solutions);
    json["family"] = instant.continuum ? "continuum" : "isolated";
  }
  if (!instant.decisions.empty()) {
    Json decisions = Json::object();
    for (const instant::Decision& decision : instant.decisions) {
      decisions[model::row_name(model, decision.row)] = {{"derivative", decision.derivative},
                                                         {"stays", decision.stays}};
    }
    json["decisions"] = std::move(decisions);
  }
  return json;
}

Json impact_object(const model::Model& model, const instant::Shock& shock) {
  using instant::ShockStatus;
  Json json = start(model, shock.time);
  json["status"] = instant::words(shock.status);
  if (shock.status == ShockStatus::inadmissible) {
    json["violations"] = by_row(model, shock.violations);
    return json;
  }
  if (shock.status == ShockStatus::jammed) {
    json["farkas"] = by_row(model, shock.farkas);
    return json;
  }
  json["before"] = by_body(model, shock.before);
  if (shock.status == ShockStatus::gave_up) {
    if (!shock.restitution_note.empty()) {
      json["expansion"] = shock.restitution_note;
    }
    return json;
  }
  json["velocities"] = by_body(model, shock.velocities);
  std::vector<double> changes(shock.before.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i] = shock.velocities[i] - shock.before[i];
  }
  json["changes"] = by_body(model, changes);
  Json impulses = Json::object();
  Json roles = Json::object();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (shock.role[row] == instant::Role::absent) {
      continue;
    }
    const std::string name = model::row_name(model, row);
    roles[name] = instant::words(shock.role[row]);
    if (shock.role[row] != instant::Role::passive_in_position) {
      impulses[name] = shock.impulses[row];
    }
  }
  json["impulses"] = std::move(impulses);
  json["impulses_unique"] = shock.impulses_unique;
  json["roles"] = std::move(roles);
  json["energy"] = {{"before", shock.energy.before},
                    {"blow", shock.energy.blow},
                    {"work", shock.energy.work},
                    {"lost", shock.energy.lost},
                    {"after", shock.energy.after}};
  json["certificate"] = certificate_json(shock.certificate);
  if (!shock.restitution_note.empty()) {
    json["restitution"] = shock.restitution_note;
  }
  return json;
}

std::string text(const Json& json) { return json.dump(2) + "\n"; }

}  // namespace

std::string version() { return this_version; }

std::string accelerate_json(const model::Model& model, const model::State& state, const instant::Instant& instant) {
  return text(accelerate_object(model, state, instant));
}

std::string explain_json(const model::Model& model, const model::State& state, const instant::Instant& instant,
                         const instant::Shock* shock, const instant::Instant* after,
                         const model::State* state_after) {
  Json json = accelerate_object(model, state, instant);
  json["trials"] = trials_json(model, instant.trials, instant.effective);
  if (shock != nullptr) {
    json["impact"] = impact_object(model, *shock);
    json["impact"]["trials"] = trials_json(model, shock->trials, shock->effective);
  }
  if (after != nullptr && state_after != nullptr) {
    json["after"] = accelerate_object(model, *state_after, *after);
    json["after"]["trials"] = trials_json(model, after->trials, after->effective);
  }
  return text(json);
}

std::string impact_json(const model::Model& model, const instant::Shock& shock) {
  return text(impact_object(model, shock));
}

std::string check_json(const model::Model& model, const model::State& state, const instant::Instant& instant,
                       const instant::Repair* repair) {
  Json json = start(model, state.time);
  json["status"] =
      instant.status == instant::Status::determined ? "admissible" : std::string(instant::words(instant.status));
  json["regular"] = instant.regular;
  json["points"] = std::count_if(model.bodies.begin(), model.bodies.end(),
                                 [](const model::Body& body) { return body.kind == model::BodyKind::point; });
  json["variables"] = model.variables;
  json["constraints"] = constraints_json(model, instant, false);
  if (!instant.violations.empty()) {
    json["violations"] = by_row(model, instant.violations);
  }
  if (!instant.expansion.empty()) {
    json["expansion"] = instant.expansion;
  }
  if (repair != nullptr) {
    Json one;
    one["succeeded"] = repair->succeeded;
    one["position_change"] = repair->position_change;
    one["velocity_change"] = repair->velocity_change;
    one["positions"] = by_body(model, repair->state.position);
    one["velocities"] = by_body(model, repair->state.velocity);
    json["repair"] = std::move(one);
  }
  return text(json);
}

std::string error_json(const Error& error) {
  Json one;
  one["file"] = error.place().file;
  if (error.place().line > 0) {
    one["line"] = error.place().line;
    one["column"] = error.place().column;
  }
  one["message"] = error.message();
  Json json;
  json["error"] = std::move(one);
  return text(json);
}

std::string error_json(const std::string& message) {
  Json json;
  json["error"] = {{"message", message}};
  return text(json);
}

}  // namespace zwang::report
