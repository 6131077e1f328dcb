/// What a run file says of its run: what was asked for, the names, the state reached, and how many lines each table has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "zwang/base/refusal.hpp"
#include "zwang/model/law.hpp"
#include "zwang/model/part.hpp"
#include "zwang/runs/store_impl.hpp"

namespace zwang::runs {

using motion::Sample;
using motion::Status;

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text.append(text.empty() ? "" : "\n").append(name);
  }
  return text;
}

Status status_of(const Line& line, int column) {
  const std::string word = line.text(column);
  for (const Status status : {Status::going, Status::finished, Status::stopped, Status::jammed, Status::singular,
                              Status::refused, Status::inadmissible, Status::gave_up, Status::interrupted}) {
    if (words(status) == word) {
      return status;
    }
  }
  line.refuse("there is no such status");
}

/// The options as they were typed.
std::vector<std::pair<std::string, std::string>> options_of(const model::Overrides& overrides) {
  std::vector<std::pair<std::string, std::string>> options;
  for (const auto& [name, value] : overrides.parameters) {
    std::string setting = name;
    setting.append("=").append(value);
    options.emplace_back("--set", std::move(setting));
  }
  const std::array<std::pair<const char*, const std::string*>, 4> others = {{{"--at", &overrides.start},
                                                                             {"--until", &overrides.until},
                                                                             {"--tolerance", &overrides.tolerance},
                                                                             {"--samples", &overrides.samples}}};
  for (const auto& [name, value] : others) {
    if (!value->empty()) {
      options.emplace_back(name, *value);
    }
  }
  return options;
}

}  // namespace

void Store::Impl::write_options() {
  database.run("DELETE FROM options");
  Statement add = database.prepare("INSERT INTO options VALUES (?, ?, ?, ?)");
  options = 0;
  const auto put = [&](std::string_view name, std::string_view value) {
    add.put(static_cast<std::int64_t>(options++)).put(name).put(value).seal("options").run();
  };
  if (recipe.law) {
    put("law", model::words(*recipe.law));
  }
  for (const auto& [name, value] : options_of(recipe.overrides)) {
    put(name, value);
  }
}

void Store::Impl::write_run() {
  const Sample& present = account.present;
  const std::string culprits = joined(account.culprits);
  forget_run.run();
  Statement& set = set_run;
  set.put(the_run).put(recipe.version).put(recipe.machine).put(recipe.file).put(title).put(recipe.text);
  set.put(sampling.start).put(until).put(tolerance).put(sampling.until).put(std::int64_t{sampling.count});
  set.put(words(account.status)).put(account.why).put(culprits).put(std::span<const double>(account.continuations));
  set.put(present.state.position.empty() ? std::numeric_limits<double>::quiet_NaN() : present.state.time);
  set.put(std::span<const double>(present.state.position)).put(std::span<const double>(present.state.velocity));
  set.put(std::span<const std::uint32_t>(present.rows)).put(std::span<const double>(present.multipliers));
  set.put(std::span<const double>(present.rho)).put(account.energy.initial).put(account.energy.work);
  set.put(account.energy.lost).put(account.energy.final).put(account.energy.defect());
  set.put(account.energy.largest_kinetic).put(account.position_drift).put(account.velocity_drift);
  set.put(account.position_correction).put(account.velocity_correction);
  set.put(static_cast<std::int64_t>(account.steps)).put(account.seconds).put(account.defect);
  for (const std::uint64_t count :
       {options, std::uint64_t{shape.variables}, std::uint64_t{shape.rows}, pieces, events, samples, checkpoints}) {
    set.put(static_cast<std::int64_t>(count));
  }
  set.seal("run").run();
}

void Store::Impl::write_recipe(const model::Model& model) {
  title = model.title;
  until = model.simulation.until;
  tolerance = model.simulation.tolerance;
  shape = {model.variables, model.rows()};
  write_options();

  // Names, so that nobody has to understand the model to read the numbers.
  Statement variable = database.prepare("INSERT INTO variables VALUES (?, ?, ?, ?)");
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::string name = model::member_name(body, member);
      for (std::uint32_t i = 0; i < body.dimension; ++i) {
        const std::uint32_t number = body.first + member * body.dimension + i;
        variable.put(std::int64_t{number}).put(model::variable_name(model, number)).put(name);
        variable.seal("variables").run();
      }
    }
  }
  Statement row = database.prepare("INSERT INTO rows VALUES (?, ?, ?, ?)");
  for (std::uint32_t number = 0; number < model.rows(); ++number) {
    const std::string name = model::row_name(model, number);
    const bool as_before = kinds_once && number > 0 && model.row_kind[number] == model.row_kind[number - 1];
    const std::string_view kind = as_before ? "" : model::words(model.row_kind[number]);
    row.put(std::int64_t{number}).put(name).put(kind).seal("rows").run();
  }
}

void Store::Impl::read_recipe() {
  Statement run = database.prepare(fmt::format("SELECT {} FROM run", run_columns));
  if (!run.step()) {
    damaged(database.path(), "it does not say what was run");
  }
  const Line line(run, "run");
  line.require_seal();
  static_cast<void>(line.whole(0, the_run, the_run));
  recipe.version = line.text(1);
  recipe.machine = line.text(2);
  recipe.file = line.text(3);
  title = line.text(4);
  recipe.text = line.text(5);
  until = line.finite(7);
  tolerance = line.finite(8);
  sampling = {line.finite(6), line.finite(9), static_cast<std::uint32_t>(line.whole(10, 1, UINT32_MAX))};
  if (!(sampling.until > sampling.start) || !(until >= sampling.start)) line.refuse("it would end before it starts");
  account.status = status_of(line, 11);
  account.why = line.text(12);
  account.culprits = split_names(line.text(13), '\n');
  account.energy = {line.real(21), line.real(22), line.real(23), line.real(24), line.real(26)};
  account.position_drift = line.real(27);
  account.velocity_drift = line.real(28);
  account.position_correction = line.real(29);
  account.velocity_correction = line.real(30);
  account.steps = static_cast<std::uint64_t>(line.whole(31, 0, INT64_MAX));
  account.seconds = std::max(0.0, line.real(32));
  account.defect = line.real(33);
  const auto count = [&](int column, std::int64_t most) {
    return static_cast<std::uint64_t>(line.whole(column, 0, most));
  };
  const std::uint64_t option_count = count(34, INT64_MAX);
  shape = {static_cast<std::uint32_t>(count(35, UINT32_MAX)), static_cast<std::uint32_t>(count(36, UINT32_MAX))};
  pieces = count(37, INT64_MAX);
  events = count(38, INT64_MAX);
  samples = count(39, INT64_MAX);
  checkpoints = count(40, INT64_MAX);

  // The state reached, if there is one.
  Sample& present = account.present;
  line.read(14, account.continuations);
  present.state.time = line.real(15);
  if (checkpoints == 0) {
    if (pieces > 0 || events > 0 || samples > 0 || account.status != Status::going) {
      line.refuse("there is a motion, and no state that it has come to");
    }
  } else {
    present.state.time = line.finite(15);
    read_per_variable(line, 16, shape, present.state.position);
    read_per_variable(line, 17, shape, present.state.velocity);
    read_rows(line, 18, shape, present.rows);
    read_per_row(line, 19, present.rows.size(), false, present.multipliers);
    read_per_row(line, 20, present.rows.size(), true, present.rho);
    if (account.continuations.size() % shape.variables != 0) line.refuse("its ways on are cut short");
  }
  if (run.step()) damaged(database.path(), "it speaks of several runs");

  read_options(option_count);
  read_names("variables", shape.variables);
  read_names("rows", shape.rows);
  require_count(crowd ? "chunks" : "pieces", pieces);
  require_count("events", events);
  require_count("samples", samples);
  require_count("checkpoints", checkpoints);
  if (crowd) read_places();
}

void Store::Impl::read_places() {
  // (Whether they are right shows when a chunk is opened.)
  Statement all = database.prepare("SELECT number, start, last, pieces, met FROM chunks ORDER BY number");
  std::uint64_t number = 0;
  met = 0;
  for (; all.step(); ++number) {
    const Line line(all, "chunks");
    if (static_cast<std::uint64_t>(line.number()) != number || number >= pieces) line.refuse("it does not belong here");
    crowds::ChunkPlace place{line.finite(1), line.finite(2), static_cast<std::uint64_t>(line.whole(3, 1, INT64_MAX))};
    if (!(place.last >= place.start) || (!places.empty() && !(place.start >= places.back().last))) {
      line.refuse("it is not in order");
    }
    places.push_back(place);
    std::vector<model::Pair> pairs;
    try {
      crowds::decode_pairs(line.bytes(4), pairs);
    } catch (const Fault& fault) {
      line.refuse(fault.message());
    }
    met += pairs.size();
  }
  require_end("chunks", number, pieces);
  if (met > shape.rows) damaged(database.path(), "more pairs have met than there are conditions");
}

void Store::Impl::read_options(std::uint64_t count) {
  Statement all = database.prepare("SELECT number, name, value, checksum FROM options ORDER BY number");
  for (options = 0; all.step(); ++options) {
    const Line line(all, "options");
    line.require_seal();
    if (static_cast<std::uint64_t>(line.number()) != options || options >= count)
      line.refuse("it does not belong here");
    const std::string name = line.text(1);
    const std::string value = line.text(2);
    if (name == "--set") {
      if (value.find('=') == std::string::npos) line.refuse("it sets nothing");
      recipe.overrides.parameters.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    } else if (name == "--at") {
      recipe.overrides.start = value;
    } else if (name == "--until") {
      recipe.overrides.until = value;
    } else if (name == "--tolerance") {
      recipe.overrides.tolerance = value;
    } else if (name == "--samples") {
      recipe.overrides.samples = value;
    } else if (name == "law") {
      if (value != model::words(model::Law::variational) && value != model::words(model::Law::straightest)) {
        line.refuse("there is no such law");
      }
      recipe.law = value == model::words(model::Law::variational) ? model::Law::variational : model::Law::straightest;
    } else {
      line.refuse("there is no such option");
    }
  }
  if (options != count) damaged(database.path(), fmt::format("{} of {} options are there", options, count));
}

/// Names are for those who read the tables; here they are only looked at.
void Store::Impl::read_names(const char* table, std::uint64_t count) {
  Statement all = database.prepare(fmt::format("SELECT * FROM {} ORDER BY number", table));
  std::uint64_t number = 0;
  for (; all.step(); ++number) {
    const Line line(all, table);
    line.require_seal();
    if (static_cast<std::uint64_t>(line.number()) != number || number >= count) line.refuse("it does not belong here");
  }
  if (number != count)
    damaged(database.path(), fmt::format("table {}: {} of {} lines are there", table, number, count));
}

void Store::Impl::require_count(const char* table, std::uint64_t count) {
  const auto found = database.whole(fmt::format("SELECT coalesce(max(number) + 1, 0) FROM {}", table));
  if (found != static_cast<std::int64_t>(count)) {
    damaged(database.path(), fmt::format("table {}: its last line should be {} and is {}", table,
                                         static_cast<std::int64_t>(count) - 1, found - 1));
  }
}

}  // namespace zwang::runs
