/// An answer of the command held against what is expected of it.
#include "gallery/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "gallery/exact_number.hpp"

namespace {

using nlohmann::json;

struct Comparison {
  double tolerance = 1e-12;
  std::vector<std::string> found;

  void differ(const std::string& path, const json& expected, const std::string& answer) {
    found.push_back(path + ": expected " + expected.dump() + ", got " + answer);
  }

  void numbers(const std::string& path, const json& expected, const json& answer) {
    std::optional<double> value;
    if (expected.is_number()) value = expected.get<double>();
    if (expected.is_string()) value = exact_number(expected.get<std::string>());
    if (!value) return differ(path, expected, "the number " + answer.dump());
    const double distance = std::abs(answer.get<double>() - *value);
    if (!(distance <= tolerance * std::max(1.0, std::abs(*value)))) {
      differ(path, expected, answer.dump() + " (" + std::to_string(distance / tolerance) + " tolerances away)");
    }
  }

  void values(const std::string& path, const json& expected, const json& answer) {
    if (expected.is_null()) return;

    // Objects: what is named must be there; a tolerance of its own holds for what is inside.
    if (expected.is_object()) {
      if (!answer.is_object()) return differ(path, expected, answer.dump());
      const double outside = tolerance;
      if (!answer.contains("tolerance")) tolerance = expected.value("tolerance", tolerance);
      for (const auto& [key, value] : expected.items()) {
        if (key == "tolerance" && !answer.contains(key)) continue;
        if (answer.contains(key)) {
          values(path + "/" + key, value, answer[key]);
        } else {
          differ(path + "/" + key, value, "nothing");
        }
      }
      tolerance = outside;
      return;
    }

    // Lists: all elements, in order.
    if (expected.is_array()) {
      if (!answer.is_array() || answer.size() != expected.size()) return differ(path, expected, answer.dump());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        values(path + "/" + std::to_string(i), expected[i], answer[i]);
      }
      return;
    }

    if (answer.is_number()) return numbers(path, expected, answer);
    if (expected != answer) differ(path, expected, answer.dump());
  }

  /// Each expected solution (vertex, ray) is one of those given, and there are no more.
  void in_any_order(const std::string& key, const json& expected, const json& answer) {
    const json given = answer.value(key, json::array());
    if (given.size() != expected.size()) return differ(key, expected, given.dump());
    std::vector<bool> taken(given.size(), false);
    for (const json& wanted : expected) {
      bool met = false;
      for (std::size_t i = 0; i < given.size() && !met; ++i) {
        if (taken[i]) continue;
        Comparison trial{tolerance, {}};
        trial.values("", wanted, given[i]);
        met = trial.found.empty();
        if (met) taken[i] = true;
      }
      if (!met) differ(key, wanted, given.dump());
    }
  }

  void every_solution(const json& expected, const json& answer) {
    const json given = answer.value("solutions", json::array());
    if (given.size() < 2) return differ("solutions", "several", given.dump());
    for (std::size_t i = 0; i < given.size(); ++i) values("solutions/" + std::to_string(i), expected, given[i]);
    for (std::size_t i = 1; i < given.size(); ++i) {
      if (given[i] == given[0]) differ("solutions", "distinct members", given.dump());
    }
  }

  void farkas(const json& expected, const json& answer) {
    // Both are scaled so that their absolute values sum to 1.
    const auto scaled = [](const json& vector) {
      double sum = 0;
      json result = json::object();
      for (const auto& [key, value] : vector.items()) sum += std::abs(value.get<double>());
      for (const auto& [key, value] : vector.items()) result[key] = value.get<double>() / sum;
      return result;
    };
    const json given = answer.value("farkas", json::object());
    if (given.size() != expected.size()) return differ("farkas", expected, given.dump());
    values("farkas", scaled(expected), scaled(given));
  }

  /// Events of a run, in order: all (neither `first` nor `last`), the first ones or the last ones.
  void events(const json& expected, const json& answer, bool first, bool last) {
    // A graze changes nothing and counts only where one is asked for.
    const bool grazes = std::any_of(expected.begin(), expected.end(),
                                    [](const json& event) { return event.value("kind", "") == "graze"; });
    std::vector<json> given;
    for (const json& event : answer.value("events", json::array())) {
      if (grazes || event.value("kind", "") != "graze") given.push_back(event);
    }

    // How many there are, told by time, kind and what triggered them.
    const bool enough = first || last ? given.size() >= expected.size() : given.size() == expected.size();
    if (!enough) {
      std::string list = std::to_string(given.size()) + ":";
      for (const json& event : given) {
        list += " " + event.value("time", json()).dump() + " " + event.value("kind", "") + " " +
                event.value("constraints", json()).dump();
      }
      return differ("number of events", expected.size(), list);
    }
    const std::size_t skipped = last ? given.size() - expected.size() : 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      values("events/" + std::to_string(skipped + i), expected[i], given[skipped + i]);
    }
  }

  void event_counts(const json& expected, const json& answer) {
    std::map<std::string, int> counts;
    for (const json& event : answer.value("events", json::array())) ++counts[event.value("kind", "")];
    for (const auto& [kind, count] : expected.items()) {
      if (counts[kind] != count.get<int>()) differ("number of " + kind, count, std::to_string(counts[kind]));
    }
  }

  void role_counts(const json& expected, const json& answer) {
    std::map<std::string, int> counts;
    for (const json& constraint : answer.value("constraints", json::object())) {
      ++counts[constraint.value("role", "")];
    }
    for (const auto& [role, count] : expected.items()) {
      if (counts[role] != count.get<int>()) differ("number of " + role, count, std::to_string(counts[role]));
    }
  }
};

}  // namespace

std::vector<std::string> differences(const json& expected, const json& answer) {
  Comparison comparison;
  comparison.tolerance = expected.value("tolerance", 1e-12);
  for (const auto& [key, value] : expected.items()) {
    if (key == "exit" || key == "tolerance") continue;
    if (key == "absent") {
      for (const json& name : value) {
        if (answer.contains(name.get<std::string>()))
          comparison.differ(name.get<std::string>(), "nothing", "something");
      }
    } else if (key == "roles" && !answer.contains("roles")) {
      for (const auto& [name, role] : value.items()) {
        comparison.values("constraints", {{name, {{"role", role}}}}, answer.value("constraints", json::object()));
      }
    } else if (key == "role_counts") {
      comparison.role_counts(value, answer);
    } else if (key == "solutions" || key == "vertices" || key == "rays") {
      comparison.in_any_order(key, value, answer);
    } else if (key == "every_solution") {
      comparison.every_solution(value, answer);
    } else if (key == "events" || key == "first_events" || key == "last_events") {
      comparison.events(value, answer, key == "first_events", key == "last_events");
    } else if (key == "event_counts") {
      comparison.event_counts(value, answer);
    } else if (key == "farkas") {
      comparison.farkas(value, answer);
    } else {
      comparison.values("", {{key, value}}, answer);
    }
  }
  return comparison.found;
}
