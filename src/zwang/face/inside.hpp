/// What the values of the public face hold, for the sources of this room alone.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "zwang/model.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/runs/store.hpp"

namespace zwang {

struct Model::Inside {
  std::shared_ptr<const model::Draft> draft;  ///< of the text as it was read
  Overrides overrides;
  std::optional<model::Law> law;  ///< put in the place of those in the text
  std::optional<State> from;      ///< another start than that of the text
  model::Model model;             ///< of all these

  /// Names, made when they are first asked for.
  struct Names {
    std::vector<std::string> variables, rows, outputs;
    std::unordered_map<std::string, std::uint32_t> row_of;
    std::unordered_map<std::string, std::pair<std::uint32_t, std::uint32_t>>
        part_of;  ///< first variable, number of them
  };
  [[nodiscard]] const Names& names() const;

 private:
  mutable std::once_flag named_;
  mutable Names names_;
};

struct Motion::Inside {
  Inside(const Model& of, motion::Track track, Overrides settings)
      : model(of), place(std::move(track)), changed(std::move(settings)) {}
  Inside(const Model& of, runs::Store store);

  Model model;
  std::variant<motion::Track, runs::Store> place;
  std::shared_ptr<const model::Model> told;  ///< of a crowd in its file: the model its rows are numbered by there
  Overrides changed;                         ///< settings of this run that are not the model's own

  [[nodiscard]] const motion::Track* track() const { return std::get_if<motion::Track>(&place); }
  [[nodiscard]] const runs::Store* store() const { return std::get_if<runs::Store>(&place); }
  [[nodiscard]] const motion::Account& account() const {
    return track() != nullptr ? track()->account : store()->account();
  }

  /// One question to the run. A file answers one at a time; memory any number.
  template <class Question>
  auto ask(const Question& question) const;

 private:
  mutable std::mutex mutex_;
};

namespace face {

struct Access {
  using ModelInside = Model::Inside;
  using MotionInside = Motion::Inside;
  static const Model::Inside& inside(const Model& model) { return *model.inside_; }
  static const model::Model& system(const Model& model) { return model.inside_->model; }
  /// The compiled model for those who share it.
  static std::shared_ptr<const model::Model> shared(const Model& model) {
    return {model.inside_, &model.inside_->model};
  }
  static Model model(std::shared_ptr<const Model::Inside> inside) { return Model(std::move(inside)); }
  static const Motion::Inside& inside(const Motion& motion) { return *motion.inside_; }
  static Motion motion(std::shared_ptr<const Motion::Inside> inside) { return Motion(std::move(inside)); }
};

/// A model of its parts.
[[nodiscard]] Model make(std::shared_ptr<const model::Draft> draft, Overrides overrides, std::optional<model::Law> law,
                         std::optional<State> from);
/// The same model from another state on; sizes and numbers are checked.
[[nodiscard]] Model begun_at(const Model& model, const State& state);

/// Throws std::invalid_argument if the state does not fit the model, or if options are not what they should be.
void require_state(const Model& model, const State& state);
template <class Options>
void require(const Options& options) {
  if (const std::string wrong = options.check(); !wrong.empty()) throw std::invalid_argument(wrong);
}
/// Throws Error if the model is a first-order system.
void refuse_flow(const Model& model);

/// What is wrong with a tolerance or touch that must lie between 0 and 1, or with a state; empty if nothing is.
[[nodiscard]] std::string wrong_part(std::string_view name, const std::optional<double>& value);
[[nodiscard]] std::string wrong_numbers(const State& state);

/// What is asked after every piece, as the rooms ask it.
[[nodiscard]] motion::GoOn watch(const std::function<bool(const Progress&)>& go_on);

}  // namespace face

template <class Question>
auto Motion::Inside::ask(const Question& question) const {
  if (track() != nullptr) {
    return question(motion::view(face::Access::system(model), *track()));
  }
  const std::scoped_lock lock(mutex_);
  const model::Model& system = face::Access::system(model);
  if (told == nullptr) return question(store()->view(system));
  return question(crowds::as_written_out(system, told, store()->view(*told)));
}

}  // namespace zwang
