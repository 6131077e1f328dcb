/// `zwang run MODEL`: the motion over a finite time, kept in one file, told in tables or JSON.
#include "zwang/report/run.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "progress.hpp"
#include "recorded.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/with_integrals.hpp"
#include "zwang/base/error.hpp"
#include "zwang/base/number.hpp"
#include "zwang/motion/record.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

namespace {

/// A run to be made or gone on with: its file, its model, and what there is to do.
struct Task {
  motion::Recipe recipe;
  model::Model model;
  std::string file;
  bool resumed = false;
  std::string later_until;
  report::Replacements replaced;  ///< conditions held as integrals
};

/// The text of the run is the one in which conditions that integrate are written as their integrals.
void use_integrals(Task& task) {
  const model::Draft draft = model::read(task.recipe.text, task.recipe.file);
  const model::Model model = model::compile(draft, task.recipe.overrides);
  if (model.flow) {
    throw Error({task.recipe.file, 0, 0},
                "--use-integrals is for mechanical systems: a first-order system keeps its "
                "equations as they are");
  }
  analysis::Rewritten rewritten = analysis::with_integrals(draft, model, model::initial_state(model));
  task.recipe.text = std::move(rewritten.text);
  task.replaced = std::move(rewritten.replaced);
}

Task new_task(const Request& request) {
  if (request.model.empty()) {
    throw Error({"command line", 0, 0}, "MODEL is required: a file, - for standard input, or gallery:NAME");
  }
  const Source source = read_source(request.model);
  Task task;
  task.recipe = {report::version(), source.name, source.text, overrides(request)};
  if (request.use_integrals) {
    use_integrals(task);
  }
  task.model = model::load(task.recipe.text, source.name, task.recipe.overrides);
  task.file =
      (std::filesystem::path(request.out.empty() ? "out" : request.out) / (file_stem(request.model) + ".sqlite"))
          .string();
  if (task.model.simulation.until <= task.model.simulation.start) {
    throw Error({"command line", 0, 0},
                fmt::format("the run starts at {} and would end before, at {}; --until sets a later end",
                            exact(task.model.simulation.start), exact(task.model.simulation.until)));
  }
  return task;
}

/// What a run file says of its run, with a later end if one is asked for.
Task resumed_task(const Request& request, const motion::Store& store) {
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
  Task task;
  task.recipe = store.recipe();
  task.file = store.path();
  task.resumed = true;
  if (!request.model.empty() && read_source(request.model).text != task.recipe.text) {
    throw Error(
        {request.resume, 0, 0},
        fmt::format("this run was made with another text than that of {}; without MODEL it goes on with its own",
                    request.model));
  }
  if (!request.until.empty()) {
    task.recipe.overrides.until = request.until;
    task.later_until = request.until;
  }
  task.model = model::load(task.recipe.text, task.recipe.file, task.recipe.overrides);
  const motion::Account& account = store.account();
  if (!task.later_until.empty() && task.model.simulation.until < account.present.state.time) {
    throw Error({request.resume, 0, 0}, fmt::format("this run is already at {}; --until must not be earlier",
                                                    exact(account.present.state.time)));
  }
  return task;
}

/// Is there anything left to compute?
bool is_open(const Task& task, const motion::Account& account) {
  if (account.status == "going" || account.status == "interrupted") {
    return true;
  }
  return account.status == motion::words(motion::Status::finished) &&
         task.model.simulation.until > account.present.state.time;
}

void compute(const Request& request, const Task& task, motion::Store& store) {
  if (task.recipe.version != report::version()) {
    throw Error({task.file, 0, 0},
                fmt::format("this run was begun by zwang {}; this is {}, which might go on differently",
                            task.recipe.version, report::version()));
  }
  if (!task.later_until.empty()) {
    store.set_until(task.later_until, task.model.simulation.until);
  }
  listen_to_signals();
  motion::Motion motion = motion::start_or_resume(task.model, {}, store);
  ProgressLine progress(task.model, !request.quiet);
  motion::Recording recording;
  recording.seconds = request.checkpoint;
  recording.go_on = [&](const motion::Motion& now) {
    progress.show(now);
    return !asked_to_end();
  };
  motion::record(task.model, motion, store, recording);
}

/// Positions and velocities; of a flow, values and rates.
std::string state_table(const model::Model& model, const model::State& state) {
  return body_table(model, {{model.flow ? "value" : "position", &state.position},
                            {model.flow ? "rate" : "velocity", &state.velocity}});
}

void print_run(const Task& task, const motion::Store& store, const std::vector<double>& sample_at,
               const std::vector<std::string>& files, bool asked_for_integrals) {
  const model::Model& model = task.model;
  const motion::Account& account = store.account();
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
    if (motion::state_at(model, store, time, sample)) {
      print(fmt::format("at t = {}\n", exact(time)));
      print(state_table(model, sample.state) + rho_line(model, sample) + "\n");
    }
  }
  if (!account.present.state.position.empty()) {
    print(fmt::format("at the end, t = {}\n", readable(account.present.state.time, 10)));
    print(state_table(model, account.present.state) + rho_line(model, account.present) + "\n");
  }
  print(summary(store, files, !model.flow));
}

}  // namespace

int run(const Request& request) {
  // The file first: where the run was, or where it will go.
  const bool resume = !request.resume.empty();
  std::optional<motion::Store> store;
  if (resume) {
    store = motion::Store::open(request.resume);
  }
  const Task task = resume ? resumed_task(request, *store) : new_task(request);
  const std::vector<double> sample_at = instants(request, task.recipe, task.model);
  if (!store) {
    store = motion::Store::create(task.file, task.recipe, task.model);
  }
  store->set_outputs(task.model);

  // The motion, then what it leaves.
  if (is_open(task, store->account())) {
    compute(request, task, *store);
  }
  std::vector<std::string> files{store->path()};
  if (request.csv) {
    const std::vector<std::string> tables = write_csv(task.model, *store);
    files.insert(files.end(), tables.begin(), tables.end());
  }
  if (request.json) {
    report::run_json(task.model, *store, sample_at, files, print, task.replaced);
  } else if (request.quiet) {
    print(store->account().status + "\n");
  } else {
    print_run(task, *store, sample_at, files, request.use_integrals);
  }
  return exit_status(store->account().status);
}

}  // namespace zwang::cli
