/// `zwang check MODEL`: is the model well formed, what is each condition, is the start admissible, is the position regular.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "commands.hpp"
#include "scene.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/crowds/crowd.hpp"
#include "zwang/error.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/without_effect.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/whole_file.hpp"

namespace zwang::cli {

namespace {

/// The repaired model goes into a folder; the name of the file. Without a folder it goes nowhere.
std::string written(const std::string& folder, const std::string& stem, const std::string& text) {
  if (folder.empty()) {
    return {};
  }
  const std::filesystem::path file = std::filesystem::path(folder) / (stem + ".toml");
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  report::write_whole(file.string(), text);
  return file.string();
}

int repair(const Request& request) {
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Model model = model::compile(draft, overrides(request));
  const model::State state = model::initial_state(model);
  instant::Repair repair = instant::repair(model, state);
  if (model.flow) {
    // The rates of a flow follow from its positions.
    repair.state.velocity = model::rates(model, repair.state).rate;
    repair.velocity_change = 0;
  }
  const instant::Instant instant = instant::classify(model, repair.succeeded ? repair.state : state);
  const std::string text = model::with_start(draft, model, repair.state.position,
                                             model.flow ? model.initial_velocity : repair.state.velocity);
  const std::string name = repair.succeeded ? source.name.substr(source.name.find(':') + 1) : std::string{};
  const std::string stem = request.model == "-" ? "model" : std::filesystem::path(name).stem().string();
  const std::string file = repair.succeeded ? written(request.out, stem, text) : std::string{};
  const int status = repair.succeeded ? exit_status(instant.status) : no_answer;
  if (request.json) {
    print(report::check_json(model, repair.succeeded ? repair.state : state, instant, &repair));
    return status;
  }
  if (!repair.succeeded) {
    std::cerr << fmt::format("zwang: the start could not be repaired: {} stays broken\n",
                             model::row_name(model, repair.worst_row));
    return status;
  }
  std::cerr << fmt::format("positions moved by at most {}, velocities by at most {}\n",
                           readable(repair.position_change, 3), readable(repair.velocity_change, 3));
  file.empty() ? print_verbatim(text) : print(file + "\n");
  return status;
}

/// Open inequalities that the start may mean to touch: how far they are, and what to do.
std::string nearly_touching(const model::Model& model, const model::State& state, const instant::Instant& instant) {
  std::string text;
  for (const report::NearlyTouching& one : report::nearly_touching(model, state, instant)) {
    text += fmt::format(
        "nearly touching: {} is open by {}; if it should touch, write the start with more digits or set touch = {} in "
        "[simulation]\n",
        model::row_name(model, one.row), readable(one.distance, 3), readable(one.touch, 2));
  }
  return text;
}

/// What `run` does with families of conditions between any two members, a line each.
std::string pair_lines(const Request& request, const Scene& scene) {
  const model::Model& model = scene.model;
  const bool again = scene.pairs && model.pairs.empty() && !model.text.empty();
  std::optional<model::Model> read;
  if (again) read = model::load(model.text, model.file, overrides(request), model::Pairs::left);
  const model::Model& left = again ? *read : model;
  if (left.simulation.method != model::Method::events) return "";
  std::string text;
  for (const crowds::WrittenOut& family : crowds::written_out(left)) {
    text += fmt::format("{}: {} pairs; `zwang run` looks at every pair: {}\n", family.name, family.rows, family.why);
  }
  if (left.pairs.empty()) return text;
  const bool crowd = crowds::is_crowd(left);
  const std::string hindered = crowds::hindrance(left);
  for (const model::PairFamily& family : left.pairs) {
    text += fmt::format("{}: {} pairs; ", left.conditions[family.condition].name, family.pairs());
    if (crowd) {
      text += "`zwang run` follows its members one by one, as a crowd, and looks at near ones alone\n";
    } else {
      text += fmt::format("`zwang run` follows all bodies as one motion and looks at every pair: {}\n",
                          hindered.empty() ? "they are few" : hindered);
    }
    if (!model.pairs.empty()) {
      text += fmt::format("  {} of them are near, and among the conditions here\n",
                          std::count_if(model.met.begin(), model.met.end(), [&](const model::Pair& pair) {
                            return left.pairs[pair.family].condition == family.condition;
                          }));
    }
  }
  return text;
}

/// Members of families each, components of vector equations each; the parts of one condition are one.
std::uint32_t written_conditions(const model::Model& model) {
  std::uint32_t count = 0;
  for (const model::Condition& one : model.conditions) count += one.compound ? one.rows / one.components : one.rows;
  return count;
}

/// Free rates, rates and what the conditions change.
std::string rate_table(const model::Model& model, const model::State& state) {
  model::Scratch scratch = model::make_scratch(model);
  model::Dynamics dynamics = model::make_dynamics(model);
  model::evaluate_dynamics(model, state, scratch, dynamics);
  const model::Rates found = model::rates(model, state);
  std::string text = body_table(model, {{"free rate", &dynamics.force}, {"rate", &found.rate}});
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    text += fmt::format("{}  lambda {} = {}\n", row == 0 ? "\n" : "", model::row_name(model, row),
                        readable(found.multiplier[row]));
  }
  return text;
}

}  // namespace

int check(const Request& request) {
  if (request.repair) {
    return repair(request);
  }
  const Scene scene = read_scene(request, Flows::welcome);
  const auto& [model, state, of_run, pairs] = scene;
  instant::Instant instant = instant::classify(model, state);
  // What a closed inequality does is the accelerations' business.
  if (instant.status == instant::Status::determined && !model.flow) {
    const instant::Instant full = instant::accelerate(model, state);
    if (full.status == instant::Status::determined) {
      instant.role = full.role;
    }
  }
  if (request.json) {
    print(report::check_json(model, state, instant, nullptr));
    return exit_status(instant.status);
  }
  if (request.quiet) {
    print(instant.status == instant::Status::determined ? "admissible\n"
                                                        : fmt::format("{}\n", instant::words(instant.status)));
    return exit_status(instant.status);
  }
  const Style& s = style();
  print(heading(model, state.time));
  if (instant.status == instant::Status::determined) {
    print(fmt::format("{}admissible{}: {}, {}; the position is {}\n", s.good, s.off,
                      report::counted(model.variables, "variable"),
                      report::counted(written_conditions(model), "condition"),
                      instant.regular ? "regular" : "not regular (dependent or vanishing gradients)"));
  } else {
    print(trouble(model, instant));
  }
  if (model.simulation.method == model::Method::stepping) {
    print(fmt::format("`zwang run` goes in steps of {} (method = \"stepping\"), without a list of events\n",
                      exact(model.simulation.step)));
  }
  if (!of_run) print(pair_lines(request, scene));
  Table table({"condition", "kind", "f", "f'", "role"});
  const std::vector<report::OpenCondition> open = report::open_conditions(model, instant);
  const std::vector<report::OpenCondition> compound = report::compound_conditions(model, state);
  auto next = open.begin();
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const bool holonomic = model::is_holonomic(model.row_kind[row]);
    const report::OpenCondition* whole = report::compound_at(model, compound, row);
    const double value = whole != nullptr ? whole->value : instant.value[row];
    const double rate = whole != nullptr ? whole->rate : instant.rate[row];
    if (next != open.end() && next->row == row) {
      table.row({model::row_name(model, row), std::string(model::words(model.row_kind[row])), readable(value),
                 readable(rate), std::string(instant::words(instant::Role::passive_in_position))});
      ++next;
      continue;
    }
    if (instant.role[row] == instant::Role::absent || row != report::speaking_row(model, instant, row)) {
      continue;
    }
    table.row({model::row_name(model, row), std::string(model::words(model.row_kind[row])),
               holonomic ? readable(value) : "", readable(rate), std::string(instant::words(instant.role[row]))});
  }
  if (model.rows() > 0) {
    print("\n" + table.text());
    print(nearly_touching(model, state, instant));
  }
  for (const std::string& one : model::without_effect(model)) print("without effect: " + one + "\n");
  if (model.flow) {
    print("\n" + rate_table(model, state));
  }
  return exit_status(instant.status);
}

}  // namespace zwang::cli
