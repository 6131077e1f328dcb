/// Beginning, resuming and finishing runs.
#include "zwang/runs/life.hpp"

#include <fmt/format.h>

#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/version.hpp"

namespace zwang::runs {

Recipe recipe_of(std::string text, std::string file, model::Overrides overrides) {
  return {version, std::move(file), std::move(text), std::move(overrides), {}};
}

model::Model model_of(const Recipe& recipe) {
  model::Model model = model::load(recipe.text, recipe.file, recipe.overrides);
  return recipe.law ? model::under_law(model, *recipe.law) : model;
}

void require_duration(const model::Model& model, double until) {
  if (!(until > model.simulation.start)) {
    throw Error({model.file, 0, 0},
                fmt::format("the run starts at {} and would end before, at {}; --until sets a later end",
                            exact(model.simulation.start), exact(until)));
  }
}

Task new_task(Recipe recipe, std::string file) {
  Task task;
  task.model = model_of(recipe);
  task.recipe = std::move(recipe);
  task.file = std::move(file);
  require_duration(task.model, task.model.simulation.until);
  return task;
}

Task resumed_task(const Store& store, const std::string& until) {
  Task task;
  task.recipe = store.recipe();
  task.file = store.path();
  task.resumed = true;
  if (!until.empty()) {
    task.recipe.overrides.until = until;
    task.later_until = until;
  }
  task.model = model_of(task.recipe);
  if (task.recipe.version != version || task.recipe.machine != this_machine()) {
    task.notice = fmt::format(
        "this run was begun by zwang {} on {} and goes on by zwang {} on {}: what is added may differ in its last "
        "digits",
        task.recipe.version, task.recipe.machine, version, this_machine());
  }
  const double reached = store.account().present.state.time;
  if (!until.empty() && task.model.simulation.until < reached) {
    throw Error({task.file, 0, 0},
                fmt::format("this run is already at {}; --until must not be earlier", exact(reached)));
  }
  return task;
}

bool is_open(const Task& task, const motion::Account& account) {
  if (account.status == motion::Status::going || account.status == motion::Status::interrupted) {
    return true;
  }
  return account.status == motion::Status::finished && task.model.simulation.until > account.present.state.time;
}

namespace {

constexpr double most_samples = 1e8;  ///< as many as a model may ask for

/// The rhythm of the samples is that of the beginning: to a later end there may be many.
void require_samples(const Task& task, const motion::Sampling& grid) {
  const double spacing = (grid.until - grid.start) / std::max(1.0, grid.count - 1.0);
  const double count = (task.model.simulation.until - grid.start) / spacing;
  if (grid.count > 1 && !(count <= most_samples)) {
    throw Error(
        {task.file, 0, 0},
        fmt::format("up to t = {} there would be {:.2g} samples in the rhythm that the run was begun with; at most "
                    "{:.2g} are written: begin it anew with other --samples",
                    exact(task.model.simulation.until), count, most_samples));
  }
}

}  // namespace

bool go_on(const Task& task, Store& store, const Recording& recording) {
  store.set_outputs(task.model);
  require_samples(task, store.sampling());
  if (!task.later_until.empty()) {
    store.set_until(task.later_until, task.model.simulation.until);
  }
  if (stepping::is_stepped(task.model)) {
    stepping::Stepping steps = start_or_resume_steps(task.model, {}, store);
    return record(task.model, steps, store, recording);
  }
  motion::Motion motion = start_or_resume(task.model, {}, store);
  return record(task.model, motion, store, recording);
}

}  // namespace zwang::runs
