/// The model and the state of a question.
#include "scene.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "recorded.hpp"
#include "zwang/base/number.hpp"
#include "zwang/crowds/near.hpp"
#include "zwang/error.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/runs/store.hpp"

namespace zwang::cli {

namespace {

bool is_run_file(const std::string& name) {
  std::array<char, 16> head{};
  std::ifstream file(name, std::ios::binary);
  return file.read(head.data(), head.size()) && begins_a_database({head.data(), head.size()});
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) { throw Error({name, 0, 0}, why); }

/// A model whose pairs are left as they are, for questions about one state, or about the start.
model::Model at_instant(model::Model left, const std::vector<double>& position, const model::Overrides& overrides) {
  if (left.pairs.empty()) return left;
  if (crowds::has_too_many_pairs(left)) {
    const std::vector<double> where = position.empty() ? left.initial_position : position;
    return crowds::model_at(std::move(left), where);
  }
  return model::load(left.text, left.file, overrides);
}

Scene scene_of_run(const Question& question) {
  runs::Store store = runs::Store::read(question.model);
  const runs::Recipe& recipe = store.recipe();
  if (!question.set.empty()) {
    refuse(question.model, "the run was made with its own parameters: --set cannot change them afterwards");
  }
  if (recipe.law) {
    refuse(question.model, "this run was made to compare two laws: ask its model");
  }
  Scene scene{runs::model_of(store), {}};
  store.set_outputs(scene.model);
  motion::Sample sample = store.account().present;
  if (sample.state.position.empty()) {
    refuse(question.model, "this run file holds no motion yet");
  }
  if (!question.at.empty()) {
    const double time = instant_of(question.at, recipe);
    const double start = scene.model.simulation.start, end = store.account().present.state.time;
    if (!motion::state_at(scene.model, store.view(scene.model), time, sample)) {
      refuse(question.model, fmt::format("--at {} lies outside of the run, which goes from {} to {}", question.at,
                                         exact(start), exact(end)));
    }
  }

  // Of a crowd the conditions that count here, not those that have counted.
  if (store.is_crowd()) {
    scene.model = at_instant(runs::model_of(recipe, true), sample.state.position, recipe.overrides);
  }

  // What was let go on the way.
  store.each_event(0, [&](const motion::Event& event) {
    if (event.time <= sample.state.time) motion::note_released(event, scene.model);
    return true;
  });

  // rho of the rows held.
  scene.state = sample.state;
  model::doubt_as_computed(scene.model, scene.state);
  if (!store.is_crowd() && !scene.model.flow) model::doubt_as_held(scene.model, sample.rows, scene.state);
  // Angles are on the turn that the run has brought them to.
  if (!scene.model.flow && !store.is_crowd()) {
    const motion::Hidden hidden = motion::hidden_in(scene.model, store.view(scene.model));
    if (!hidden.angles.empty()) motion::set_modes(scene.model, hidden, scene.state.time, scene.state);
  }
  if (!sample.rho.empty()) {
    scene.state.rho.assign(scene.model.rows(), 0.0);
    for (std::size_t j = 0; j < sample.rho.size(); ++j) {
      scene.state.rho[sample.rows[j]] = sample.rho[j];
    }
  }
  return scene;
}

}  // namespace

Scene read_scene(const Question& question, Flows flows) {
  if (is_run_file(question.model)) {
    Scene scene = scene_of_run(question);
    scene.of_run = true;
    if (flows == Flows::refused) {
      refuse_flow(scene.model);
    }
    return scene;
  }
  const Source source = read_source(question.model);
  model::Model left = model::load(source.text, source.name, overrides(question), model::Pairs::left);
  const bool pairs = !left.pairs.empty();
  Scene scene{at_instant(std::move(left), {}, overrides(question)), {}};
  scene.pairs = pairs;
  if (flows == Flows::refused) refuse_flow(scene.model);
  scene.state = model::initial_state(scene.model);
  return scene;
}

}  // namespace zwang::cli
