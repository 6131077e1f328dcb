/// `zwang run MODEL`: the motion over a finite time, kept in one file, told in tables or JSON.
#include "zwang/report/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "commands.hpp"
#include "progress.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/error.hpp"
#include "zwang/base/number.hpp"
#include "zwang/motion/record.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

namespace {

volatile std::sig_atomic_t asked_to_end = 0;

/// From now on Ctrl-C and its kin ask the run to end at the next piece; a second one ends the program at once.
void listen_to_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) {
      continue;
    }
    action = {};
    action.sa_handler = [](int) { asked_to_end = 1; };
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
  // A limit of file sizes shall be an error that explains itself.
  std::signal(SIGXFSZ, SIG_IGN);
}

/// Numbers between commas, or expressions of the model's parameters.
std::vector<double> instants(const Request& request, const motion::Recipe& recipe, const model::Model& model) {
  std::vector<double> list;
  for (std::size_t at = 0; at < request.sample_at.size() || (at > 0 && at == request.sample_at.size());) {
    const std::size_t end = std::min(request.sample_at.find(',', at), request.sample_at.size());
    const std::string word = request.sample_at.substr(at, end - at);
    at = end + 1;
    std::optional<double> time = read_number(word);
    if (!time) {
      if (word.find_first_not_of(' ') == std::string::npos) {
        throw Error({"command line", 0, 0}, "--sample-at takes instants between commas: T1,T2,...");
      }
      model::Overrides overrides = recipe.overrides;
      overrides.start = word;
      overrides.until.clear();
      time = model::load(recipe.text, recipe.file, overrides).simulation.start;
    }
    const double start = model.simulation.start;
    const double until = model.simulation.until;
    if (!(*time >= start - motion::resolution(start) && *time <= until + motion::resolution(until))) {
      throw Error({"command line", 0, 0},
                  fmt::format("--sample-at {} lies outside of the run, which goes from {} to {}", word, exact(start),
                              exact(until)));
    }
    list.push_back(*time);
  }
  return list;
}

/// A run to be made or gone on with: its file, its model, and what there is to do.
struct Task {
  motion::Recipe recipe;
  model::Model model;
  std::string file;
  bool resumed = false;
  std::string later_until;
};

Task new_task(const Request& request) {
  if (request.model.empty()) {
    throw Error({"command line", 0, 0}, "MODEL is required: a file, - for standard input, or gallery:NAME");
  }
  const Source source = read_source(request.model);
  Task task;
  task.recipe = {report::version(), source.name, source.text, overrides(request)};
  task.model = model::load(source.text, source.name, task.recipe.overrides);
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
                                                {"--out", !request.out.empty()}};
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
    return asked_to_end == 0;
  };
  motion::record(task.model, motion, store, recording);
}

/// Samples and events beside the run file.
std::vector<std::string> write_csv(const model::Model& model, const motion::Store& store) {
  const std::filesystem::path base = std::filesystem::path(store.path()).replace_extension();
  std::vector<std::string> files;
  for (const bool events : {false, true}) {
    const std::string name = base.string() + (events ? "-events.csv" : ".csv");
    std::ofstream file(name, std::ios::binary);
    const report::Sink sink = [&](std::string_view text) { file << text; };
    (events ? report::events_csv : report::samples_csv)(model, store, sink);
    file.close();
    if (!file) {
      throw Error({name, 0, 0}, fmt::format("cannot write the file: {}", std::strerror(errno)));
    }
    files.push_back(name);
  }
  return files;
}

int exit_status(const std::string& status) {
  using motion::Status;
  if (status == motion::words(Status::finished) || status == motion::words(Status::stopped)) {
    return answered;
  }
  if (status == "interrupted" || status == "going") {
    return interrupted;
  }
  return status == motion::words(Status::gave_up) ? gave_up : no_answer;
}

/// The status in a sentence.
std::string verdict(const model::Model& model, const motion::Store& store) {
  using motion::Status;
  const Style& s = style();
  const motion::Account& account = store.account();
  const std::string time = readable(account.present.state.time, 10);
  if (account.status == motion::words(Status::finished)) {
    return fmt::format("{}finished{} at t = {}\n", s.good, s.off, time);
  }
  if (account.status == motion::words(Status::stopped)) {
    return fmt::format("{}stopped{} at t = {}: {} came true\n", s.good, s.off, time,
                       model.simulation.stop.empty() ? "stop" : model.simulation.stop.front().text);
  }
  if (exit_status(account.status) == interrupted) {
    return fmt::format("{}interrupted{} at t = {}; go on with `zwang run --resume {}`\n", s.warm, s.off, time,
                       store.path());
  }
  return fmt::format("{}{}{} at t = {}{}{}{}\n", s.bad, account.status, s.off, time, account.why.empty() ? "" : ": ",
                     account.why, account.culprits.empty() ? "" : fmt::format(" ({})", listed(account.culprits)));
}

std::vector<std::string> event_cells(const model::Model& model, const motion::Event& event) {
  std::string impulses;
  for (std::size_t i = 0; i < event.impulses.size(); ++i) {
    if (i == 4 && event.impulses.size() > 5) {
      impulses += fmt::format(", {} more", event.impulses.size() - 4);
      break;
    }
    const auto& [row, value] = event.impulses[i];
    impulses += fmt::format("{}{} {}", i > 0 ? ", " : "", model::row_name(model, row), readable(value));
  }
  return {readable(event.time, 10),
          std::string(motion::words(event.kind)),
          event.rows.empty() ? "" : listed(names(model, event.rows), 6),
          impulses,
          event.lost != 0 ? readable(event.lost) : "",
          event.note};
}

/// The first forty and the last twenty events; what lies between is in the file.
std::string event_table(const model::Model& model, const motion::Store& store) {
  constexpr std::uint64_t head = 40;
  constexpr std::uint64_t tail = 20;
  const std::uint64_t count = store.events();
  if (count == 0) {
    return store.pieces() == 0 ? "  no events\n" : "  no events: the same conditions bind all the time\n";
  }
  const bool all = count <= head + tail;
  Table table({"time", "event", "conditions", "impulses", "energy lost", ""});
  std::uint64_t number = 0;
  store.each_event(0, [&](const motion::Event& event) {
    table.row(event_cells(model, event));
    return all || ++number < head;
  });
  if (all) {
    return table.text(head + tail);
  }
  table.row({"", fmt::format("... {} more", count - head - tail)});
  store.each_event(count - tail, [&](const motion::Event& event) {
    table.row(event_cells(model, event));
    return true;
  });
  return table.text(head + tail + 1);
}

std::string summary(const motion::Store& store, const std::vector<std::string>& files) {
  const motion::Account& account = store.account();
  const motion::EnergyBalance& energy = account.energy;
  std::string text =
      fmt::format("  energy: {} initial + {} work - {} lost = {} final, defect {}\n", readable(energy.initial),
                  readable(energy.work), readable(energy.lost), readable(energy.final), readable(energy.defect(), 2));
  text += fmt::format("  worst drift: position {}, velocity {}\n", readable(account.position_drift, 2),
                      readable(account.velocity_drift, 2));
  if (account.position_correction != 0 || account.velocity_correction != 0) {
    text += fmt::format("  the start was brought onto the conditions: positions by {}, velocities by {}\n",
                        readable(account.position_correction, 2), readable(account.velocity_correction, 2));
  }
  text += fmt::format("  {} steps, {} events, {} samples in {:.3f} s\n", account.steps, store.events(), store.samples(),
                      account.seconds);
  for (const std::string& file : files) {
    text += fmt::format("  {}\n", file);
  }
  return text;
}

void print_run(const model::Model& model, const motion::Store& store, const std::vector<double>& sample_at,
               const std::vector<std::string>& files) {
  const motion::Account& account = store.account();
  print(heading(model, model.simulation.start));
  print(verdict(model, store));
  print("\n" + event_table(model, store) + "\n");
  motion::Sample sample;
  for (const double time : sample_at) {
    if (motion::state_at(model, store, time, sample)) {
      print(fmt::format("at t = {}\n", exact(time)));
      print(body_table(model, {{"position", &sample.state.position}, {"velocity", &sample.state.velocity}}) + "\n");
    }
  }
  if (!account.present.state.position.empty()) {
    print(fmt::format("at the end, t = {}\n", readable(account.present.state.time, 10)));
    print(body_table(model,
                     {{"position", &account.present.state.position}, {"velocity", &account.present.state.velocity}}) +
          "\n");
  }
  print(summary(store, files));
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
    report::run_json(task.model, *store, sample_at, files, print);
  } else if (request.quiet) {
    print(store->account().status + "\n");
  } else {
    print_run(task.model, *store, sample_at, files);
  }
  return exit_status(store->account().status);
}

}  // namespace zwang::cli
