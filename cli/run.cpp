/// `zwang run MODEL`: the motion over a finite time, kept in one file, told in tables or JSON.
#include "zwang/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "commands.hpp"
#include "pages.hpp"
#include "recorded.hpp"
#include "runs.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "vary.hpp"
#include "zwang/base/number.hpp"
#include "zwang/crowds/error_estimate.hpp"
#include "zwang/error.hpp"
#include "zwang/model/without_effect.hpp"
#include "zwang/motion/error_estimate.hpp"
#include "zwang/report/figures.hpp"
#include "zwang/report/json.hpp"
#include "zwang/runs/record.hpp"
#include "zwang/sensitivity/sensitivity.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

/// What a run file says of its run, with a later end if one is asked for.
Task resumed_task(const Request& request, const runs::Store& store) {
  const std::pair<const char*, bool> fixed[] = {{"--set", !request.set.empty()},
                                                {"--at", !request.at.empty()},
                                                {"--tolerance", !request.tolerance.empty()},
                                                {"--samples", !request.samples.empty()},
                                                {"--out", !request.out.empty()},
                                                {"--use-integrals", request.use_integrals}};
  for (const auto& [name, given] : fixed) {
    if (given) {
      throw Error({"command line", 0, 0},
                  fmt::format("--resume goes on with the run as it was begun: {} cannot be changed", name));
    }
  }
  if (!request.model.empty() && read_source(request.model).text != store.recipe().text) {
    throw Error(
        {request.resume, 0, 0},
        fmt::format("this run was made with another text than that of {}; without MODEL it goes on with its own",
                    request.model));
  }
  Task task;
  static_cast<runs::Task&>(task) = runs::resumed_task(store, request.until);
  return task;
}

/// What a run is asked to leave beside its file.
struct Leavings {
  bool csv = false;
  bool svg = false;
  bool report = true;
  std::string projection;  ///< of the figures
};
Leavings leavings_of(const Request& request) {
  return {request.csv, request.svg, !request.no_report, request.projection};
}

/// What is below the rounding of the other components of its body, now or at the start, is shown as zero.
std::vector<double> without_rounding(const model::Model& model, std::vector<double> values,
                                     const std::vector<double>& at_start) {
  constexpr double rounding = 0x1p-50;  // a few operations on the largest of them
  for (const model::Body& body : model.bodies) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      const std::uint32_t first = body.first + member * body.dimension;
      double most = 0;
      for (std::uint32_t i = first; i < first + body.dimension; ++i) {
        most = std::max({most, std::abs(values[i]), std::abs(at_start[i])});
      }
      for (std::uint32_t i = first; i < first + body.dimension; ++i) {
        if (std::abs(values[i]) <= rounding * most) {
          values[i] = 0;
        }
      }
    }
  }
  return values;
}

/// Positions and velocities; of a flow, values and rates.
std::string state_table(const model::Model& model, const model::State& state) {
  const std::vector<double> position = without_rounding(model, state.position, model.initial_position);
  const std::vector<double> velocity = without_rounding(model, state.velocity, model.initial_velocity);
  return body_table(model, {{model.flow ? "value" : "position", &position, &position, model::Sort::position},
                            {model.flow ? "rate" : "velocity", &velocity, &state.position}});
}

void print_run(const Task& task, const runs::Store& store, const std::vector<double>& sample_at,
               const std::vector<std::string>& files, bool asked_for_integrals, const report::Sensitivities& slopes) {
  const model::Model& model = task.model;
  const motion::Account& account = store.account();
  const motion::RunView run = store.view(model);
  print(heading(model, model.simulation.start));
  print(verdict(model, store));
  for (const auto& [name, equation] : task.replaced) {
    print(fmt::format("  {} is held as its integral, {}; its multiplier belongs to this equation\n", name, equation));
  }
  if (asked_for_integrals && task.replaced.empty()) {
    print("  no condition was found to integrate: all are held as they are written\n");
  }
  print("\n" + event_table(model, store) + "\n");
  motion::Sample sample;
  for (const double time : sample_at) {
    if (motion::state_at(model, run, time, sample)) {
      print(fmt::format("at t = {}\n", exact(time)));
      print(state_table(model, sample.state) + rho_line(model, sample) + "\n");
    }
  }
  if (!account.present.state.position.empty()) {
    print(fmt::format("at the end, t = {}\n", readable(account.present.state.time, 10)));
    print(state_table(model, account.present.state) + rho_line(model, account.present) + "\n");
  }
  if (!slopes.empty()) print(report::sensitivity_tables(model, run, slopes, style()));
  for (const std::string& one : model::without_effect(model)) print("  without effect: " + one + "\n");
  print(summary(store, files, !model.flow));
}

/// A run made and its files: the run file first, then what else was asked for.
struct Made {
  Task task;
  runs::Store store;
  std::vector<std::string> files;
};

/// What a run leaves beside its file. The report of a run that was interrupted waits for `zwang view`.
void leave_files(const Leavings& wanted, Made& made) {
  made.files = {made.store.path()};
  if (wanted.csv) {
    const std::vector<std::string> tables = write_csv(made.task.model, made.store);
    made.files.insert(made.files.end(), tables.begin(), tables.end());
  }
  if (wanted.svg) {
    const std::vector<std::string> figures = write_figures(wanted.projection, made.task.model, made.store);
    made.files.insert(made.files.end(), figures.begin(), figures.end());
  }
  if (wanted.report && !asked_to_end()) {
    const report::PageRun page{&made.task.model, shown_view(made.task.model, made.store), ""};
    leave_report(report_name(made.store.path()), {&page, 1}, made.files);
  }
}

/// The estimated error of the end, for a motion that came to one.
void estimate(const model::Model& model, runs::Store& store) {
  if (store.account().in_steps()) return;  // it has its estimate
  const motion::Status status = store.account().status;
  if (status != motion::Status::finished && status != motion::Status::stopped) {
    return;
  }
  const motion::ErrorEstimate found =
      store.is_crowd() ? crowds::estimate_error(runs::model_of(store.recipe(), true), store.account().present.state,
                                                [](const crowds::Crowd&) { return !asked_to_end(); })
                       : motion::estimate_error(model, store.account().present.state, status,
                                                [](const motion::Motion&) { return !asked_to_end(); });
  if (found.known) {
    store.note_error(found.lost ? std::numeric_limits<double>::infinity() : found.error);
  }
}

/// The parameters by which is to be differentiated, and how the model depends on them; none without --sensitivity.
std::vector<sensitivity::ParameterSlope> differentiated(const Request& request, const Task& task) {
  if (request.sensitivity.empty()) return {};
  if (request.use_integrals) {
    throw Error({"command line", 0, 0}, "--sensitivity and --use-integrals do not go together");
  }
  const std::vector<std::string> names = parameter_names(request.sensitivity, "--sensitivity");
  return sensitivity::parameter_slopes(model::read(task.recipe.text, task.recipe.file), task.recipe.overrides, names,
                                       sensitivity::Kinks::two_sided);
}

/// "value": what the parameter was in this run.
void put_value(report::Writer& json, const model::Model& model, const std::string& name) {
  for (const model::Parameter& parameter : model.parameters) {
    if (parameter.name != name) {
      continue;
    }
    if (parameter.value.size() == 1) {
      json.put("value", parameter.value[0]);
    } else {
      json.put("value", parameter.value);
    }
  }
}

/// One run per value, and one report of all.
int run_varied(const Request& request) {
  const Variation variation = read_variation(request.vary);
  if (!request.resume.empty()) {
    throw Error({"command line", 0, 0}, "--vary makes new runs; --resume goes on with one");
  }
  if (request.model == "-") {
    throw Error({"command line", 0, 0}, "--vary reads the model once per run: it takes a file or gallery:NAME, not -");
  }
  const std::string stem = file_stem(request.model);

  // All are read first, so that a mistake in one is found before the first is made.
  std::vector<Task> tasks;
  const Manner manner = manner_of(request);
  for (const std::string& value : variation.values) {
    Question question = request;
    question.set.push_back(variation.name + "=" + value);
    std::string name = fmt::format("{}-{}={}", stem, variation.name, value);
    for (char& c : name) {
      c = c == '/' || c == ' ' || c == '*' ? '_' : c;
    }
    try {
      tasks.push_back(new_task(question, manner, name));
    } catch (const Error& error) {
      // What is varied was not set by the user.
      if (error.place().file != "--set " + variation.name) throw;
      Place place = error.place();
      place.file = "--vary " + variation.name;
      throw Error(place, error.message(), error.excerpt());
    }
  }
  Leavings each = leavings_of(request);
  each.report = false;
  std::vector<Made> made;
  for (std::size_t k = 0; k < tasks.size() && !asked_to_end(); ++k) {
    runs::Store store = runs::Store::create(tasks[k].file, tasks[k].recipe, tasks[k].model);
    store.set_outputs(tasks[k].model);
    compute(tasks[k], manner, store);
    if (request.error) {
      estimate(tasks[k].model, store);
    }
    made.push_back({std::move(tasks[k]), std::move(store), {}});
    leave_files(each, made.back());
  }

  // All over one another.
  std::vector<std::string> files;
  if (!request.no_report && !asked_to_end()) {
    std::vector<report::PageRun> pages;
    for (std::size_t k = 0; k < made.size(); ++k) {
      pages.push_back({&made[k].task.model, shown_view(made[k].task.model, made[k].store),
                       variation.name + " = " + variation.values[k]});
    }
    leave_report((std::filesystem::path(manner.folder) / fmt::format("{}-{}.html", stem, variation.name)).string(),
                 pages, files);
  }
  int status = made.size() < tasks.size() ? interrupted : answered;
  for (const Made& one : made) {
    status = worse(status, exit_status(one.store.account().status));
  }
  if (request.json) {
    report::Writer json;
    json.open().put("zwang", version);
    const model::Model& first = made.front().task.model;
    json.put("model", first.title.empty() ? std::string_view(first.file) : std::string_view(first.title));
    json.put("vary", variation.name);
    json.open_list("runs");
    for (const Made& one : made) {
      json.open();
      put_value(json, one.task.model, variation.name);
      const std::vector<double> sample_at = instants(request.sample_at, one.task.recipe, one.task.model);
      report::put_run(json, one.task.model, attentive(one.store.view(one.task.model)), sample_at, one.files, print);
      json.close();
    }
    json.close_list();
    json.put("files", files);
    print(json.close().text());
  } else {
    for (std::size_t k = 0; k < made.size(); ++k) {
      const std::string label = variation.name + " = " + variation.values[k];
      if (request.quiet) {
        print(fmt::format("{}: {}\n", label, motion::words(made[k].store.account().status)));
        continue;
      }
      if (k == 0) {
        print(heading(made[k].task.model, made[k].task.model.simulation.start));
      }
      print(fmt::format("\n{}{}{}: {}", style().bold, label, style().off, verdict(made[k].task.model, made[k].store)));
      print(event_table(made[k].task.model, made[k].store));
      print(summary(made[k].store, made[k].files, !made[k].task.model.flow));
    }
    for (const std::string& file : files) {
      print(request.quiet ? "" : fmt::format("\nall over one another:\n  {}\n", file));
    }
  }
  return status;
}

}  // namespace

int run(const Request& request) {
  if (!request.projection.empty() && !report::read_projection(request.projection)) {
    throw Error({"command line", 0, 0},
                fmt::format("--projection takes two axes such as xz, or AZIMUTH,ELEVATION in degrees, not '{}'",
                            request.projection));
  }
  if (!request.vary.empty()) {
    if (!request.sensitivity.empty()) {
      throw Error({"command line", 0, 0}, "--sensitivity and --vary do not go together");
    }
    return run_varied(request);
  }

  listen_to_signals();

  // The file first: where the run was, or where it will go.
  const bool resume = !request.resume.empty();
  std::optional<runs::Store> store;
  if (resume) {
    store = runs::Store::open(request.resume);
  }
  Manner manner = manner_of(request);
  // Derivatives are carried along one motion of all.
  if (!request.sensitivity.empty()) manner.engine = runs::Engine::one_motion;
  Task task = resume ? resumed_task(request, *store) : new_task(request, manner);
  const std::vector<double> sample_at = instants(request.sample_at, task.recipe, task.model);
  const std::vector<sensitivity::ParameterSlope> parameters = differentiated(request, task);
  if (!store) {
    store = runs::Store::create(task.file, task.recipe, task.model);
  }
  store->set_outputs(task.model);

  // The motion, then what it leaves.
  if (runs::is_open(task, store->account())) {
    if (!task.notice.empty() && !request.quiet) {
      complain(task.notice);
    }
    compute(task, manner, *store);
  } else {
    task.model = runs::told_model(std::move(task.model), *store);
  }
  if (request.error) {
    estimate(task.model, *store);
  }
  Made made{std::move(task), std::move(*store), {}};
  leave_files(leavings_of(request), made);
  const auto go_on = [] { return !asked_to_end(); };
  report::Sensitivities slopes =
      sensitivity::sensitivity(made.task.model, made.store.view(made.task.model), parameters, sample_at, go_on);
  if (!parameters.empty()) {
    sensitivity::add_sides_from_beside(slopes, model::read(made.task.recipe.text, made.task.recipe.file),
                                       made.task.recipe.overrides, parameters, made.task.model,
                                       made.store.view(made.task.model), sample_at, go_on);
  }
  if (request.json) {
    report::run_json(made.task.model, attentive(made.store.view(made.task.model)), sample_at, made.files, print,
                     made.task.replaced, slopes);
  } else if (request.quiet) {
    print(fmt::format("{}\n", motion::words(made.store.account().status)));
  } else {
    print_run(made.task, made.store, sample_at, made.files, request.use_integrals, slopes);
  }
  return exit_status(made.store.account().status);
}

}  // namespace zwang::cli
