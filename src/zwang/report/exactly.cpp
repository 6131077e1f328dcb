/// An instant in exact arithmetic, as JSON and as tables.
#include "zwang/report/exactly.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/escape.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

using instant::ExactInstant;
using instant::Role;
using instant::Status;
using rational::Number;

/// A fraction that is longer is shown with its beginning and its length; JSON has all of it.
constexpr std::size_t longest_shown = 60;

std::string shown(const std::string& text) {
  if (text.size() <= longest_shown) return text;
  return fmt::format("{}... ({} characters)", text.substr(0, longest_shown / 2), text.size());
}

void put_member_exactly(Writer& json, const model::Body& body, std::uint32_t member,
                        const std::vector<Number>& values) {
  const std::size_t first = body.first + member * body.dimension;
  const std::string name = model::member_name(body, member);
  if (body.kind == model::BodyKind::coordinate) {
    json.put(name, values[first].text());
    return;
  }
  std::vector<std::string> parts;
  for (std::size_t c = 0; c < body.dimension; ++c) parts.push_back(values[first + c].text());
  json.put(name, parts);
}

void put_bodies_exactly(Writer& json, std::string_view key, const model::Model& model,
                        const std::vector<Number>& values) {
  json.open(key);
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) put_member_exactly(json, body, member, values);
  }
  json.close();
}

/// The bodies that feel a force.
void put_touched(Writer& json, std::string_view key, const model::Model& model, const ExactInstant& instant,
                 std::size_t row) {
  const std::vector<Number> force = instant::reaction_of(instant, row);
  std::vector<bool> touched(force.size());
  for (const auto& [k, entry] : instant.scene.rows[row].gradient) touched[k] = true;
  for (const auto& [k, entry] : instant.scene.rows[row].bend) touched[k] = true;
  json.open(key);
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const auto first = touched.begin() + static_cast<std::ptrdiff_t>(body.first + member * body.dimension);
      if (std::find(first, first + body.dimension, true) != first + body.dimension) {
        put_member_exactly(json, body, member, force);
      }
    }
  }
  json.close();
}

void put_forces_exactly(Writer& json, const model::Model& model, const ExactInstant& instant) {
  const std::vector<model::ExactRow>& rows = instant.scene.rows;
  json.open("multipliers");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (instant.is_effective(row)) json.put(rows[row].name, instant.multipliers[row].text());
  }
  json.close();
  if (std::any_of(rows.begin(), rows.end(), [](const model::ExactRow& row) { return row.variational; })) {
    json.open("rho");
    for (const model::ExactRow& row : rows) {
      if (row.variational) json.put(row.name, row.rho.text());
    }
    json.close();
  }
  json.put("multipliers_unique", instant.multipliers_unique);
  json.open("reactions");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (instant.is_effective(row)) put_touched(json, rows[row].name, model, instant, row);
  }
  json.close();
  put_bodies_exactly(json, "reaction", model, instant.reaction);
}

/// "2 x left + 1 x right".
std::string combination(const ExactInstant& instant, const std::vector<std::pair<std::uint32_t, Number>>& parts) {
  std::string text;
  for (const auto& [row, factor] : parts) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : " + ", shown(factor.text()), instant.scene.rows[row].name);
  }
  return text.empty() ? "nothing" : text;
}

std::string vector_text(const model::Body& body, std::uint32_t member, const std::vector<Number>& values) {
  const std::size_t first = body.first + member * body.dimension;
  if (body.kind == model::BodyKind::coordinate) return shown(values[first].text());
  std::string text = "(";
  for (std::size_t c = 0; c < body.dimension; ++c) text += (c > 0 ? ", " : "") + shown(values[first + c].text());
  return text + ")";
}

std::string bodies_text(const model::Model& model, const ExactInstant& instant, const Style& s) {
  Table table({"body", "free acceleration", "acceleration", "reaction"});
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      table.row({model::member_name(body, member), vector_text(body, member, instant.free),
                 vector_text(body, member, instant.accelerations), vector_text(body, member, instant.reaction)});
    }
  }
  return table.text(s);
}

std::string conditions_text(const ExactInstant& instant, const Style& s) {
  if (instant.scene.rows.empty()) return "  no conditions: the motion is free\n";
  const bool determined = instant.status == Status::determined;
  std::vector<std::string> header{"condition", "kind", "f", "f'"};
  if (determined) header.insert(header.end(), {"f''", "lambda"});
  header.emplace_back("role");
  Table table(header);
  for (std::size_t row = 0; row < instant.scene.rows.size(); ++row) {
    const model::ExactRow& one = instant.scene.rows[row];
    std::vector<std::string> cells{one.name, std::string(model::words(one.kind)),
                                   model::is_holonomic(one.kind) ? shown(one.value.text()) : "",
                                   one.known ? shown(one.rate.text()) : ""};
    if (determined) {
      cells.push_back(one.known ? shown(instant.second[row].text()) : "");
      cells.push_back(instant.is_effective(row) ? shown(instant.multipliers[row].text()) : "");
    }
    cells.emplace_back(instant::words(instant.role[row]));
    table.row(std::move(cells));
  }
  return table.text(s);
}

/// What has been proved, one sentence a line.
std::string proofs_text(const ExactInstant& instant) {
  std::string text;
  for (const rational::Dependence& one : instant.redundant) {
    text += fmt::format("  redundant: the gradient of {} is {}\n", instant.scene.rows[one.row].name,
                        combination(instant, one.combination));
  }
  for (std::size_t row = 0; instant.status == Status::determined && row < instant.role.size(); ++row) {
    if (instant.role[row] != Role::marginal) continue;
    text += fmt::format("  degenerate: of {} f'' is zero, and lambda {}\n", instant.scene.rows[row].name,
                        instant.multipliers_unique ? "is zero too" : "may be");
  }
  return text;
}

std::string trouble_exactly(const ExactInstant& instant, const Style& s) {
  std::string text;
  switch (instant.status) {
    case Status::inadmissible: {
      for (const auto& [row, amount] : instant.violations) {
        text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", instant.scene.rows[row].name, shown(amount.text()));
      }
      return fmt::format("{}inadmissible{}: the state breaks {}\n", s.bad, s.off, text);
    }
    case Status::impact: {
      for (std::size_t row = 0; row < instant.role.size(); ++row) {
        if (instant.role[row] != Role::approached) continue;
        text += fmt::format("{}{} is struck", text.empty() ? "" : ", ", instant.scene.rows[row].name);
      }
      if (instant.blow_due) text += text.empty() ? "a blow falls" : ", a blow falls";
      if (instant.seizure_due) text += text.empty() ? "a seizure begins" : ", a seizure begins";
      return fmt::format("{}impact{}: {}; no accelerations before the shock (see `zwang impact`)\n", s.warm, s.off,
                         text);
    }
    case Status::jammed:
      return fmt::format(
          "{}jammed{}: no acceleration is admissible\n  proof: {} adds up to a condition without accelerations that is "
          "broken\n",
          s.bad, s.off, combination(instant, instant.farkas));
    default: return fmt::format("{}undecided{}: {}\n", s.warm, s.off, instant.expansion);
  }
}

}  // namespace

std::string exact_json(const model::Model& model, const ExactInstant& instant) {
  const std::vector<model::ExactRow>& rows = instant.scene.rows;
  const bool determined = instant.status == Status::determined;
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("exact", true);
  json.put("time", instant.scene.time.text());
  json.put("status", instant::words(instant.status));
  if (instant.status != Status::inadmissible && instant.status != Status::impact) json.put("regular", instant.regular);
  if (instant.status == Status::inadmissible) {
    json.open("violations");
    for (const auto& [row, amount] : instant.violations) json.put(rows[row].name, amount.text());
    json.close();
  }
  if (instant.status == Status::jammed) {
    json.open("farkas");
    for (const auto& [row, y] : instant.farkas) json.put(rows[row].name, y.text());
    json.close();
    json.put("derivative", std::uint64_t{2});
  }
  if (instant.status == Status::undecided) json.put("expansion", instant.expansion);
  if (!instant.redundant.empty()) {
    json.open("redundant");
    for (const rational::Dependence& one : instant.redundant) {
      json.open(rows[one.row].name);
      for (const auto& [row, factor] : one.combination) json.put(rows[row].name, factor.text());
      json.close();
    }
    json.close();
  }
  if (determined) {
    put_bodies_exactly(json, "accelerations", model, instant.accelerations);
    put_bodies_exactly(json, "free", model, instant.free);
    put_forces_exactly(json, model, instant);
  }
  json.open("constraints");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const model::ExactRow& one = rows[row];
    json.open(one.name);
    json.put("kind", model::words(one.kind));
    if (model::is_holonomic(one.kind)) json.put("value", one.value.text());
    if (one.known) json.put("rate", one.rate.text());
    if (one.known && determined) json.put("second", instant.second[row].text());
    json.put("role", instant::words(instant.role[row]));
    json.close();
  }
  json.close();
  if (determined) {
    json.put("constraint", instant.constraint.text());
    // Checked, not measured: each of them is zero, or there would be no answer.
    json.open("certificate");
    for (const char* key : {"primal", "dual", "complementarity", "stationarity", "gap"}) json.put(key, "0");
    json.close();
  }
  json.close();
  return json.text();
}

std::string exact_text(const model::Model& model, const ExactInstant& instant, const Style& s) {
  std::string text =
      fmt::format("{}{}{}   t = {}, in exact arithmetic\n", s.bold,
                  plain_line(model.title.empty() ? model.file : model.title), s.off, instant.scene.time.text());
  if (instant.status != Status::determined) {
    return text + trouble_exactly(instant, s) + proofs_text(instant) + "\n" + conditions_text(instant, s);
  }
  text += fmt::format("{}determined{}: the position is {}{}\n\n", s.good, s.off,
                      instant.regular ? "regular" : "not regular (dependent conditions)",
                      instant.multipliers_unique ? "" : "; multipliers not unique, one choice is shown");
  text += bodies_text(model, instant, s) + "\n" + conditions_text(instant, s);
  text += fmt::format("\n  constraint Z = {}\n", shown(instant.constraint.text()));
  return text + proofs_text(instant) + "  proved: every sign above holds exactly\n";
}

}  // namespace zwang::report
