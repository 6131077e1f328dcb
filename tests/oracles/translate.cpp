/// Writes a reference problem as TOML text, and maps the answer's quantities back to the problem's coordinates.
#include "oracles/translate.hpp"

#include <cassert>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include "places.hpp"

namespace zwang::oracles {

namespace {

using nlohmann::json;

/// Exact text of a number in the file: strings stay as they are.
std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

/// Every whole word of `expression` that `image` knows is replaced; the others stay.
std::string rename(const std::string& expression, const std::function<std::optional<std::string>(std::string)>& image) {
  std::string out;
  for (std::size_t i = 0; i < expression.size();) {
    const auto letter = static_cast<unsigned char>(expression[i]);
    if (std::isdigit(letter) != 0) {
      // Numbers are copied whole, so that the e of 1e5 is not taken for a name.
      while (i < expression.size() &&
             (std::isalnum(static_cast<unsigned char>(expression[i])) != 0 || expression[i] == '.'))
        out += expression[i++];
      continue;
    }
    if (std::isalpha(letter) == 0 && expression[i] != '_') {
      out += expression[i++];
      continue;
    }
    std::string word;
    while (i < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[i])) != 0 || expression[i] == '_'))
      word += expression[i++];
    out += image(word).value_or(word);
  }
  return out;
}

/// A coordinate's name as letter and group: x1 -> (x, "1"), zb -> (z, "b"), y -> (y, "").
struct Parts {
  char letter = 0;
  std::string group;
};
std::optional<Parts> parts(const std::string& name) {
  if (name.empty() || name[0] < 'x' || name[0] > 'z') return std::nullopt;
  return Parts{name[0], name.substr(1)};
}

/// Runs of two or three neighbours of one group, letters ascending and masses equal: (first coordinate, count).
std::optional<std::vector<std::pair<std::size_t, std::size_t>>> gather(const std::vector<std::string>& names,
                                                                       const std::vector<std::string>& masses) {
  // x1, x2, x3 and nothing else is one point in space.
  if (names == std::vector<std::string>{"x1", "x2", "x3"} && masses[0] == masses[1] && masses[1] == masses[2])
    return {{{0, 3}}};
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  for (std::size_t i = 0; i < names.size();) {
    const auto first = parts(names[i]);
    if (!first) return std::nullopt;
    std::size_t end = i + 1;
    for (; end < names.size(); ++end) {
      const auto next = parts(names[end]);
      if (!next || next->group != first->group || next->letter <= parts(names[end - 1])->letter) break;
    }
    if (end - i < 2 || end - i > 3) return std::nullopt;
    for (std::size_t k = i; k < end; ++k)
      if (masses[k] != masses[i]) return std::nullopt;
    groups.emplace_back(i, end - i);
    i = end;
  }
  for (const auto& [first, count] : groups)
    if (count != groups.front().second) return std::nullopt;
  return groups;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

std::string list(const std::vector<std::string>& entries) {
  std::string out = "[";
  for (std::size_t i = 0; i < entries.size(); ++i) out += (i == 0 ? "" : ", ") + quoted(entries[i]);
  return out + "]";
}

std::vector<std::string> strings(const json& array) {
  std::vector<std::string> out;
  for (const auto& entry : array) out.push_back(text_of(entry));
  return out;
}

}  // namespace

std::string words(Route route) {
  switch (route) {
    case Route::coordinates: return "coordinates";
    case Route::points: return "points";
    case Route::mixed: return "mixed";
    case Route::sheared: return "sheared";
  }
  return "";
}

void forms_to_conditions(json& system) {
  system["constraints"] = json::array();
  for (std::size_t s = 0; s < system.at("pfaffian_forms").size(); ++s) {
    std::string expression;
    for (std::size_t i = 0; i < system.at("coords").size(); ++i) {
      expression += (i == 0 ? "(" : " + (") + system.at("pfaffian_forms")[s][i].get<std::string>() + ")*v_" +
                    system.at("coords")[i].get<std::string>();
    }
    system["constraints"].push_back({{"name", "form" + std::to_string(s + 1)}, {"expr", expression}, {"sense", "=0"}});
  }
}

double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  const auto bar = text.find('/');
  const auto read = [](const std::string& part) {
    char* end = nullptr;
    const long double result = std::strtold(part.c_str(), &end);
    if (end == part.c_str() || *end != 0) throw std::runtime_error("not a number: " + part);
    return result;
  };
  if (bar == std::string::npos) return static_cast<double>(read(text));
  return static_cast<double>(read(text.substr(0, bar)) / read(text.substr(bar + 1)));
}

const json& problems() {
  static const json all = [] {
    std::ifstream file(places::source("tests/oracles/reference.json"));
    if (!file) throw std::runtime_error("tests/oracles/reference.json is not there");
    return json::parse(file);
  }();
  return all;
}

const json& problem(const std::string& id) {
  for (const auto& entry : problems())
    if (entry.at("id") == id) return entry;
  throw std::runtime_error("no reference problem " + id);
}

std::optional<Translation> translate(const json& problem, Route route) {
  const auto& system = problem.at("system");
  const auto names = strings(system.at("coords"));
  const auto masses = strings(system.at("masses"));
  const auto q = strings(system.at("state").at("q"));
  const auto v = strings(system.at("state").at("v"));
  const auto n = names.size();
  auto forces = system.contains("forces") ? strings(system.at("forces")) : std::vector<std::string>(n, "0");
  auto impulse =
      system.contains("external_impulse") ? strings(system.at("external_impulse")) : std::vector<std::string>(n, "0");

  Translation result;
  result.route = route;
  const auto decimals = [&](const char* key, const std::vector<std::string>& otherwise) {
    std::vector<double> out;
    const auto& state = system.at("state");
    for (std::size_t i = 0; i < n; ++i)
      out.push_back(number(state.contains(key) ? state.at(key)[i] : json(otherwise[i])));
    return out;
  };
  result.q = decimals("q_dec", q);
  result.v = decimals("v_dec", v);

  // How each coordinate and its velocity are called, and which groups are points.
  std::vector<std::pair<std::size_t, std::size_t>> groups;
  std::vector<std::string> position(n);
  std::vector<std::string> velocity(n);
  if (route == Route::points || route == Route::mixed) {
    const auto gathered = gather(names, masses);
    if (!gathered) return std::nullopt;
    groups = *gathered;
    if (route == Route::mixed) {
      if (groups.size() < 2) return std::nullopt;
      groups.resize(1);
    }
  }
  result.slots.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    position[i] = names[i];
    velocity[i] = names[i] + "'";
    result.slots[i] = {names[i], 0};
  }
  std::vector<std::string> point_names;
  for (const auto& [first, count] : groups) {
    const std::string point =
        "p" + (count == 3 && names[first] == "x1" && n == 3 && names[1] == "x2" ? "" : names[first].substr(1));
    point_names.push_back(point);
    for (std::size_t k = 0; k < count; ++k) {
      const std::string component(1, "xyz"[k]);
      position[first + k] = point + "." + component;
      velocity[first + k] = point + "." + component + "'";
      result.slots[first + k] = {point, k};
    }
  }
  const auto is_shear = [&](std::size_t i) { return route == Route::sheared && i % 2 == 0 && i + 1 < n; };
  if (route == Route::sheared) {
    if (n < 2) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string u = "u" + std::to_string(i);
      result.slots[i] = {u, 0};
      position[i] = u;
      velocity[i] = u + "'";
    }
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      const std::string next = "u" + std::to_string(i + 1);
      position[i] = "(u" + std::to_string(i) + " + " + next + "^2/2)";
      velocity[i] = "(u" + std::to_string(i) + "' + " + next + "*" + next + "')";
    }
  }
  const auto translated = [&](const std::string& expression) {
    return rename(expression, [&](const std::string& word) -> std::optional<std::string> {
      for (std::size_t i = 0; i < n; ++i) {
        if (word == names[i]) return position[i];
        if (word == "v_" + names[i]) return velocity[i];
      }
      return std::nullopt;
    });
  };
  for (auto& force : forces) force = translated(force);

  // The head: title, parameters, instant.
  std::ostringstream out;
  out << "title = " << quoted(problem.at("id").get<std::string>() + ", " + words(route)) << "\n\n";
  if (system.contains("params") && !system.at("params").empty()) {
    out << "[parameters]\n";
    for (const auto& [name, value] : system.at("params").items())
      out << name << " = " << quoted(text_of(value)) << "\n";
    out << "\n";
  }
  out << "[simulation]\nstart = " << quoted(text_of(system.at("state").at("t"))) << "\n";
  if (system.contains("stop")) out << "stop = " << quoted(translated(system.at("stop").get<std::string>())) << "\n";
  out << "\n";

  // The bodies.
  std::vector<bool> in_point(n, false);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [first, count] = groups[g];
    const auto part = [&, first = first, count = count](const std::vector<std::string>& all) {
      return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                      all.begin() + static_cast<std::ptrdiff_t>(first + count));
    };
    out << "[points." << point_names[g] << "]\nmass = " << quoted(masses[first]) << "\nposition = " << list(part(q))
        << "\nvelocity = " << list(part(v)) << "\nforce = " << list(part(forces)) << "\n\n";
    for (std::size_t k = first; k < first + count; ++k) in_point[k] = true;
  }
  std::string kinetic;
  for (std::size_t i = 0; i < n; ++i) {
    if (in_point[i]) continue;
    std::string initial = q[i];
    std::string rate = v[i];
    std::string force = forces[i];
    if (is_shear(i)) {
      initial = "(" + q[i] + ") - (" + q[i + 1] + ")^2/2";
      rate = "(" + v[i] + ") - (" + q[i + 1] + ")*(" + v[i + 1] + ")";
    } else if (route == Route::sheared && i % 2 == 1) {
      force = "(" + forces[i] + ") + (" + forces[i - 1] + ")*u" + std::to_string(i);
    }
    out << "[coordinates." << result.slots[i].body << "]\ninitial = " << quoted(initial)
        << "\nvelocity = " << quoted(rate) << "\nforce = " << quoted(force) << "\n\n";
    kinetic += (kinetic.empty() ? "" : " + ") + ("(" + masses[i] + ")/2*" + velocity[i] + "^2");
  }
  // A force function U is a potential -U.
  const auto potential = system.value("potential_U", "0");
  if (!kinetic.empty() || potential != "0") out << "[energy]\n";
  if (!kinetic.empty()) out << "kinetic = " << quoted(kinetic) << "\n";
  if (potential != "0") out << "potential = " << quoted("-(" + translated(potential) + ")") << "\n";
  out << "\n";

  // The conditions; those imposed suddenly are seizures.
  out << "[constraints]\n";
  std::ostringstream seizures;
  for (const auto& constraint : system.at("constraints")) {
    const auto sense = constraint.at("sense").get<std::string>();
    const std::string relation = sense == "=0" ? " = 0" : sense == "<=0" ? " <= 0" : sense == ">=0" ? " >= 0" : "";
    if (relation.empty()) throw std::runtime_error("unknown sense " + sense);
    const auto condition = quoted(translated(constraint.at("expr").get<std::string>()) + relation);
    const auto name = constraint.at("name").get<std::string>();
    if (constraint.value("suddenly_imposed", false)) {
      seizures << "\n[[seizures]]\nname = " << quoted(name) << "\ncondition = " << condition << "\n";
      if (constraint.contains("seized_at")) seizures << "at = " << quoted(text_of(constraint.at("seized_at"))) << "\n";
    } else if (constraint.contains("rho")) {
      out << name << " = { condition = " << condition
          << ", law = \"variational\", multiplier = " << quoted(text_of(constraint.at("rho"))) << " }\n";
    } else if (constraint.contains("restitution")) {
      out << name << " = { condition = " << condition
          << ", restitution = " << quoted(text_of(constraint.at("restitution"))) << " }\n";
    } else {
      out << name << " = " << condition << "\n";
    }
  }
  out << seizures.str();

  // The blows: one at the start (impulses are covectors), others later. On the sheared route a later one would depend on
  // the position reached, unless it strikes the odd coordinates alone.
  const auto strike = [&](const std::vector<std::string>& values, const std::string& at) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto [first, count] = groups[g];
      std::vector<std::string> part;
      for (std::size_t k = first; k < first + count; ++k) part.push_back(values[k]);
      if (part != std::vector<std::string>(count, "0"))
        out << "\n[[impulses]]\n" << at << "on = " << quoted(point_names[g]) << "\nvalue = " << list(part) << "\n";
    }
    for (std::size_t i = 0; i < n; ++i)
      if (!in_point[i] && values[i] != "0")
        out << "\n[[impulses]]\n"
            << at << "on = " << quoted(result.slots[i].body) << "\nvalue = " << quoted(values[i]) << "\n";
  };
  if (route == Route::sheared)
    for (std::size_t i = 1; i < n; i += 2)
      if (impulse[i] != "0" || impulse[i - 1] != "0")
        impulse[i] = "(" + impulse[i] + ") + (" + impulse[i - 1] + ")*(" + q[i] + ")";
  strike(impulse, "");
  for (const auto& blow : system.value("blows", json::array())) {
    const auto values = strings(blow.at("impulse"));
    if (route == Route::sheared)
      for (std::size_t i = 0; i + 1 < n; i += 2)
        if (values[i] != "0") return std::nullopt;
    strike(values, "at = " + quoted(text_of(blow.at("at"))) + "\n");
  }
  result.model = out.str();
  return result;
}

std::vector<double> Translation::velocities(const Quantity& quantity) const {
  std::vector<double> out;
  for (const auto& slot : slots) out.push_back(quantity.at(slot.body).at(slot.component));
  if (route == Route::sheared)
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) out[i] += q[i + 1] * out[i + 1];
  return out;
}

std::vector<double> Translation::accelerations(const Quantity& quantity) const {
  auto out = velocities(quantity);
  if (route == Route::sheared)
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) out[i] += v[i + 1] * v[i + 1];
  return out;
}

std::vector<double> Translation::forces(const Quantity& quantity) const {
  std::vector<double> out;
  for (const auto& slot : slots) out.push_back(quantity.at(slot.body).at(slot.component));
  if (route == Route::sheared)
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) out[i + 1] -= q[i + 1] * out[i];
  return out;
}

}  // namespace zwang::oracles
