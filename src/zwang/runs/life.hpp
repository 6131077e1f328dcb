/// The life of a run, for whoever makes one: from a recipe to a model and a file, on to its end, later on again.
///
/// Command line, Python and tests go through here, so that a file begun by one is continued by the other under the same rules:
/// a run goes on with the text, the overrides and the law it was begun with, and never backwards; by another version or on another processor it goes on with a
/// notice.
#pragma once

#include <string>

#include "zwang/model/model.hpp"
#include "zwang/runs/record.hpp"
#include "zwang/runs/store.hpp"

namespace zwang::runs {

/// A run to be made or to be gone on with.
struct Task {
  Recipe recipe;
  model::Model model;
  std::string file;
  bool resumed = false;
  std::string later_until;  ///< of a run that goes on beyond its end: as it was typed
  std::string notice;  ///< of a run begun by another version or on another processor: a sentence for whoever goes on
};

/// The recipe of a new run of this version.
[[nodiscard]] Recipe recipe_of(std::string text, std::string file, model::Overrides overrides = {});

/// The model of a recipe: its text with its overrides, under its law. Of a crowd the pairs are left as they are.
[[nodiscard]] model::Model model_of(const Recipe& recipe);
/// The same, where it is known whether it is followed as a crowd.
[[nodiscard]] model::Model model_of(const Recipe& recipe, bool crowd);
/// The model of a run, to look at it: of a crowd the pairs that have met are its last rows.
[[nodiscard]] model::Model model_of(const Store& store);
/// The same from the model of its task.
[[nodiscard]] model::Model told_model(model::Model model, const Store& store);

/// How a motion by events is followed: as suits it, a crowd member by member, or all as one.
enum class Engine : std::uint8_t { as_suits, one_motion };

/// A new run. An end that lies before the start is an Error.
[[nodiscard]] Task new_task(Recipe recipe, std::string file, Engine engine = Engine::as_suits);
/// Going on with what is in a file, to its own end or, if `until` is not empty, to a later one. An earlier one is an Error.
[[nodiscard]] Task resumed_task(const Store& store, const std::string& until = {});

/// A run as pictures need it: that of a crowd, whose pieces are many, in fewer of them.
[[nodiscard]] motion::RunView picture_view(const model::Model& model, const Store& store);
[[nodiscard]] motion::RunView picture_view(const model::Model& model, motion::RunView crowd);

/// The motion of a recipe in memory, if it is better followed as a crowd; `whole` is its model with everything written out.
[[nodiscard]] std::optional<crowds::Followed> follow_crowd(const Recipe& recipe, const model::Model& whole,
                                                           const motion::Options& options,
                                                           const std::function<bool(const crowds::Crowd&)>& go_on = {});

/// Errors of both: an end that is not after the start.
void require_duration(const model::Model& model, double until);

/// Is there anything left to compute?
[[nodiscard]] bool is_open(const Task& task, const motion::Account& account);

/// From where the file stands to the end or an interruption; true if the motion has ended.
bool go_on(const Task& task, Store& store, const Recording& recording = {});

}  // namespace zwang::runs
