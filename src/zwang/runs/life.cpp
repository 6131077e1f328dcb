/// Beginning, resuming and finishing runs.
#include "zwang/runs/life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/crowds/tolerances.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/model/part.hpp"
#include "zwang/version.hpp"

namespace zwang::runs {

namespace {

/// Coefficients of the pieces of a crowd: beyond it pictures show it between instants at equal distances.
constexpr std::uint64_t most_numbers_of_picture = 8'000'000;

[[noreturn]] void damaged_pairs(const Store& store) {
  throw Fault({store.path(), 0, 0}, "this run file is damaged: table chunks: pairs have met that its model has not");
}

}  // namespace

Recipe recipe_of(std::string text, std::string file, model::Overrides overrides) {
  return {version, std::move(file), std::move(text), std::move(overrides), {}};
}

model::Model model_of(const Recipe& recipe) {
  if (!recipe.law) {
    model::Model model = model::load(recipe.text, recipe.file, recipe.overrides, model::Pairs::left);
    if (model.pairs.empty() || crowds::is_crowd(model)) return model;
  }
  return model_of(recipe, false);
}

model::Model model_of(const Recipe& recipe, bool crowd) {
  if (crowd) return model::load(recipe.text, recipe.file, recipe.overrides, model::Pairs::left);
  model::Model model = model::load(recipe.text, recipe.file, recipe.overrides);
  return recipe.law ? model::under_law(model, *recipe.law) : model;
}

model::Model model_of(const Store& store) { return told_model(model_of(store.recipe(), store.is_crowd()), store); }

model::Model told_model(model::Model model, const Store& store) {
  if (!store.is_crowd()) return model;
  const std::vector<model::Pair> met = store.met();
  if (model.pairs.empty()) damaged_pairs(store);
  for (const model::Pair& pair : met) {
    if (!model::is_pair(model, pair)) damaged_pairs(store);
  }
  return model::with_met(std::move(model), met);
}

void require_duration(const model::Model& model, double until) {
  if (!(until > model.simulation.start)) {
    throw Error(
        {model.file, 0, 0},
        fmt::format(
            "the run starts at {} and would end before, at {}; `until` sets a later end, for the command --until",
            exact(model.simulation.start), exact(until)));
  }
}

Task new_task(Recipe recipe, std::string file, Engine engine) {
  Task task;
  task.model = engine == Engine::as_suits ? model_of(recipe) : model_of(recipe, false);
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
  task.model = model_of(task.recipe, store.is_crowd());
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

motion::RunView picture_view(const model::Model& model, const Store& store) {
  motion::RunView run = store.view(model);
  return store.is_crowd() ? picture_view(model, std::move(run)) : run;
}

std::optional<crowds::Followed> follow_crowd(const Recipe& recipe, const model::Model& whole,
                                             const motion::Options& options,
                                             const std::function<bool(const crowds::Crowd&)>& go_on) {
  if (whole.rows() < crowds::least_elastic_pairs || recipe.law) return {};
  model::Model left = model_of(recipe, true);
  // From where the model is begun, which may be another state than its text says.
  left.initial_position = whole.initial_position;
  left.initial_velocity = whole.initial_velocity;
  left.simulation = whole.simulation;
  if (!crowds::is_crowd(left)) return {};
  crowds::Crowd crowd(left, options);
  crowds::Followed out;
  crowds::follow(left, crowd, out.track, go_on);
  out.track.sampling = {left.simulation.start, options.until, left.simulation.samples};
  out.told = std::make_shared<const model::Model>(model::with_met(std::move(left), out.track.met));
  return out;
}

motion::RunView picture_view(const model::Model& model, motion::RunView run) {
  if (run.pieces * model.variables <= most_numbers_of_picture) return run;
  return crowds::thinned(model, std::move(run),
                         std::clamp<std::uint64_t>(most_numbers_of_picture / 4 / model.variables, 50, 2000));
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
  if (store.is_crowd()) {
    crowds::Crowd crowd = start_or_resume_crowd(task.model, {}, store);
    crowd.use_threads(recording.threads);
    return record(task.model, crowd, store, recording);
  }
  motion::Motion motion = start_or_resume(task.model, {}, store);
  return record(task.model, motion, store, recording);
}

}  // namespace zwang::runs
