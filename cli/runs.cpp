/// From MODEL and the options to a run file.
#include "runs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "progress.hpp"
#include "recorded.hpp"
#include "zwang/analysis/compare.hpp"
#include "zwang/analysis/with_integrals.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/motion/endings.hpp"
#include "zwang/report/json.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::cli {

namespace {

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

/// Looks now and then how large the file grows, and foretells once that it will be very large.
class SizeWatch {
 public:
  explicit SizeWatch(std::string path) : path_(std::move(path)) {}

  /// Before the first step: what the samples alone will take.
  std::string foretell_samples(const model::Model& model, double count) {
    // Time, number, sum and lists of a line, position, velocity and multipliers; and a line of each output.
    constexpr double line = 60;
    const double sample =
        line + 8.0 * (2.0 * model.variables + 1.5 * model.rows()) + line * static_cast<double>(model.outputs.size());
    if (count * sample < very_large) return {};
    told_ = true;
    return fmt::format(
        "{:.2g} samples will take about {:.2g} GiB in the run file: fewer --samples keep it smaller; Ctrl-C ends the "
        "run",
        count, count * sample / gibibyte);
  }

  std::string look(const runs::Progress& now, const model::Simulation& simulation) {
    const auto time = std::chrono::steady_clock::now();
    if (told_ || time - last_ < std::chrono::seconds(1)) return {};
    last_ = time;
    double size = 0;
    for (const char* part : {"", "-wal"}) {
      std::error_code none;
      const std::uintmax_t bytes = std::filesystem::file_size(path_ + part, none);
      if (!none) size += static_cast<double>(bytes);
    }
    const double gone = (now.time - simulation.start) / (simulation.until - simulation.start);
    if (size < enough_to_tell || !(gone > 0) || size / gone < very_large) return {};
    told_ = true;
    const bool crowded = now.events > now.steps / 4;  // hardly a piece without an event at its end
    return fmt::format(
        "at its present pace the run file will have {:.2g} GiB: an earlier --until or a larger --tolerance keeps it "
        "smaller{}; Ctrl-C ends the run, and what is there can be looked at",
        size / gone / gibibyte,
        crowded ? ", and method = \"stepping\" in [simulation] goes without a list of events" : "");
  }

 private:
  static constexpr double gibibyte = 1024.0 * 1024 * 1024;
  static constexpr double very_large = gibibyte / 8;
  static constexpr double enough_to_tell = gibibyte / 512;  ///< less tells nothing of the pace
  std::string path_;
  bool told_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

Task new_task(const Question& question, const Manner& manner, const std::string& name) {
  if (question.model.empty()) {
    throw Error({"command line", 0, 0}, "MODEL is required: a file, - for standard input, or gallery:NAME");
  }
  const Source source = read_source(question.model);
  Task task;
  task.recipe = runs::recipe_of(source.text, source.name, overrides(question));
  if (manner.use_integrals) {
    use_integrals(task);
  }
  const std::string stem = name.empty() ? file_stem(question.model) : name;
  static_cast<runs::Task&>(task) =
      runs::new_task(task.recipe, (std::filesystem::path(manner.folder) / (stem + ".sqlite")).string(), manner.engine);
  return task;
}

void compute(Task& task, const Manner& manner, runs::Store& store) {
  listen_to_signals();
  ProgressLine progress(task.model, !manner.quiet);
  runs::Recording recording;
  recording.seconds = manner.checkpoint;
  recording.threads = manner.threads;
  SizeWatch size(store.path());
  if (const std::string large = size.foretell_samples(task.model, store.sampling().count);
      !large.empty() && !manner.quiet && !store.is_crowd()) {
    std::cerr << "zwang: " << large << "\n";
  }
  recording.go_on = [&](const runs::Progress& now) {
    progress.show(now);
    const bool by_events = task.model.simulation.method == model::Method::events && now.motion != nullptr;
    if (const std::string long_way = by_events ? motion::foretell(*now.motion) : "";
        !long_way.empty() && !manner.quiet) {
      std::cerr << "\nzwang: " << long_way << "\n";
    }
    if (const std::string large = size.look(now, task.model.simulation); !large.empty() && !manner.quiet) {
      std::cerr << "\nzwang: " << large << "\n";
    }
    return !asked_to_end();
  };
  try {
    runs::go_on(task, store, recording);
  } catch (const std::bad_alloc&) {
    const bool begun = !store.account().present.state.position.empty();
    const std::string kept =
        begun ? fmt::format("the run up to t = {} is kept", readable(store.account().present.state.time, 10))
              : std::string("nothing of the motion is kept yet");
    throw Fault(
        {store.path(), 0, 0},
        fmt::format("there is not enough memory to go on; {}: go on with `zwang run --resume {}`", kept, store.path()));
  }
  task.model = runs::told_model(std::move(task.model), store);
}

}  // namespace zwang::cli
