/// From MODEL and the options to a run file.
#include "runs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "progress.hpp"
#include "recorded.hpp"
#include "zwang/analysis/compare.hpp"
#include "zwang/analysis/with_integrals.hpp"
#include "zwang/base/error.hpp"
#include "zwang/base/number.hpp"
#include "zwang/motion/endings.hpp"
#include "zwang/motion/record.hpp"
#include "zwang/report/json.hpp"

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

}  // namespace

std::string folder(const Request& request) { return request.out.empty() ? "out" : request.out; }

Task new_task(const Request& request, const std::string& name) {
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
  const std::string stem = name.empty() ? file_stem(request.model) : name;
  task.file = (std::filesystem::path(folder(request)) / (stem + ".sqlite")).string();
  if (task.model.simulation.until <= task.model.simulation.start) {
    throw Error({"command line", 0, 0},
                fmt::format("the run starts at {} and would end before, at {}; --until sets a later end",
                            exact(task.model.simulation.start), exact(task.model.simulation.until)));
  }
  return task;
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
    if (const std::string long_way = motion::foretell(now); !long_way.empty() && !request.quiet) {
      std::cerr << "\nzwang: " << long_way << "\n";
    }
    return !asked_to_end();
  };
  motion::record(task.model, motion, store, recording);
}

model::Model model_of(const motion::Store& store) {
  const motion::Recipe& recipe = store.recipe();
  model::Model model = model::load(recipe.text, recipe.file, recipe.overrides);
  // Files that `zwang compare` left say in their version which law was put in the place of the file's.
  for (const auto& [mark, law] : {std::pair{"compare, straightest law", model::Law::straightest},
                                  std::pair{"compare, variational law", model::Law::variational}}) {
    if (recipe.version.ends_with(mark)) {
      return analysis::under_law(model, law);
    }
  }
  return model;
}

}  // namespace zwang::cli
