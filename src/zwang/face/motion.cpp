/// Motions: followed in memory or in a file, asked for states at any times.
#include "zwang/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "zwang/base/number.hpp"
#include "zwang/crowds/error_estimate.hpp"
#include "zwang/face/inside.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/error_estimate.hpp"
#include "zwang/run_file.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang {

namespace {

void require_end(const Model& model, double until) {
  if (!(until > model.start())) {
    throw std::invalid_argument(
        fmt::format("until: the motion starts at {} and would end before, at {}", exact(model.start()), exact(until)));
  }
}

std::string wrong_end(const std::optional<double>& until) {
  return until && !std::isfinite(*until) ? "until: it is not finite" : std::string();
}

/// A time between the start and the end, up to what counts as one instant.
void require_time(const Motion& motion, double time) {
  const double start = motion.start();
  const double end = motion.end();
  if (!(time >= start - motion::resolution(start) && time <= end + motion::resolution(end))) {
    throw std::out_of_range(fmt::format("t = {} lies outside of the motion, which goes from {} to {}", exact(time),
                                        exact(start), exact(end)));
  }
}

void require_times(const Motion& motion, std::span<const double> times) {
  for (const double time : times) require_time(motion, time);
}

void require_room(std::size_t given, std::size_t times, std::size_t numbers) {
  if (given != times * numbers) {
    throw std::invalid_argument(fmt::format("room for {} numbers is needed, {} for each of {} times, and {} are given",
                                            times * numbers, numbers, times, given));
  }
}

void require_rows(const Model& model, std::span<const std::uint32_t> rows) {
  for (const std::uint32_t row : rows) {
    if (row >= model.rows()) {
      throw std::invalid_argument(fmt::format("there is no row {}: the model has {}", row, model.rows()));
    }
  }
}

void note_error(motion::Account& account, const motion::ErrorEstimate& estimate) {
  if (estimate.known) account.error = estimate.lost ? std::numeric_limits<double>::infinity() : estimate.error;
}

bool is_complete(motion::Status status) {
  return status == motion::Status::finished || status == motion::Status::stopped;
}

/// What the options change in the model, so that its file stands on its own.
Overrides changed_by(const RunOptions& options) {
  Overrides overrides;
  if (options.until) overrides.until = exact(*options.until);
  if (options.tolerance) overrides.tolerance = exact(*options.tolerance);
  if (options.samples) overrides.samples = std::to_string(*options.samples);
  return overrides;
}

/// The recipe of a run of a model as it stands.
runs::Recipe recipe_of(const Model& model) {
  const face::Access::ModelInside& inside = face::Access::inside(model);
  runs::Recipe recipe = runs::recipe_of(model.text(), model.file(), inside.overrides);
  recipe.law = inside.law;
  if (inside.from) {
    // The start is written into the text, and what was written for it before counts no more.
    if (!inside.from->rho.empty()) {
      throw std::invalid_argument("a run in a file begins with the rho of its model, not with that of a state");
    }
    recipe.text = model.written_from(*inside.from);
    recipe.overrides = {};
  }
  return recipe;
}

/// What is asked while a run goes into its file.
std::function<bool(const runs::Progress&)> watch_run(const std::function<bool(const Progress&)>& go_on) {
  if (!go_on) return {};
  return [go_on](const runs::Progress& now) { return go_on({now.time, now.steps, now.events}); };
}

Motion opened(const Model& model, const std::string& path) {
  return face::Access::motion(std::make_shared<const face::Access::MotionInside>(model, runs::Store::read(path)));
}

Model model_from(const runs::Recipe& recipe) {
  return face::make(std::make_shared<const model::Draft>(model::read(recipe.text, recipe.file)), recipe.overrides,
                    recipe.law, {});
}

void require_file(const std::filesystem::path& file) {
  std::error_code trouble;
  if (!std::filesystem::exists(file, trouble)) throw MissingFile({file.string(), 0, 0}, "there is no such run file");
}

}  // namespace

std::string RunOptions::check() const {
  if (std::string wrong = wrong_end(until); !wrong.empty()) return wrong;
  if (samples && *samples < 1) return "samples: at least one is needed";
  if (from) {
    if (std::string wrong = face::wrong_numbers(*from); !wrong.empty()) return "from: " + wrong;
  }
  return face::wrong_part("tolerance", tolerance);
}

std::string ResumeOptions::check() const { return wrong_end(until); }

Motion::Inside::Inside(const Model& of, runs::Store store) : model(of), place(std::move(store)) {
  auto& kept = std::get<runs::Store>(place);
  if (kept.is_crowd()) told = std::make_shared<const model::Model>(runs::model_of(kept));
  kept.set_outputs(told != nullptr ? *told : face::Access::system(model));
}

Motion::Motion(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
Motion::Motion(const Motion&) = default;
Motion& Motion::operator=(const Motion&) = default;
Motion::~Motion() = default;

const Model& Motion::model() const { return inside_->model; }
motion::Status Motion::status() const { return inside_->account().status; }
const std::string& Motion::why() const { return inside_->account().why; }
double Motion::start() const {
  return inside_->track() != nullptr ? inside_->track()->sampling.start : inside_->store()->sampling().start;
}
double Motion::end() const { return inside_->account().present.state.time; }
const motion::Account& Motion::account() const { return inside_->account(); }
std::string Motion::path() const { return inside_->store() != nullptr ? inside_->store()->path() : std::string(); }

State Motion::at(double time) const { return sample(time).state; }

motion::Sample Motion::sample(double time) const {
  require_time(*this, time);
  const double begin = start();
  motion::Sample result;
  const bool known = inside_->ask([&](const motion::RunView& view) {
    return motion::state_at(face::Access::system(inside_->model), view, std::max(time, begin), result);
  });
  if (!known) throw std::out_of_range(fmt::format("the motion has no state at t = {}", exact(time)));
  return result;
}

void Motion::states(std::span<const double> times, std::span<double> position, std::span<double> velocity) const {
  const std::size_t n = inside_->model.variables();
  require_times(*this, times);
  if (!position.empty()) require_room(position.size(), times.size(), n);
  if (!velocity.empty()) require_room(velocity.size(), times.size(), n);
  std::vector<double> unwanted(position.empty() || velocity.empty() ? times.size() * n : 0);
  inside_->ask([&](const motion::RunView& view) {
    motion::evaluate(view, times, static_cast<std::uint32_t>(n), position.empty() ? unwanted.data() : position.data(),
                     velocity.empty() ? unwanted.data() : velocity.data());
    return 0;
  });
}

void Motion::multipliers(std::span<const double> times, std::span<const std::uint32_t> rows,
                         std::span<double> out) const {
  require_times(*this, times);
  require_rows(inside_->model, rows);
  require_room(out.size(), times.size(), rows.size());
  inside_->ask([&](const motion::RunView& view) {
    motion::evaluate_multipliers(view, times, rows, out.data());
    return 0;
  });
}

void Motion::rho(std::span<const double> times, std::span<const std::uint32_t> rows, std::span<double> out) const {
  require_times(*this, times);
  require_rows(inside_->model, rows);
  require_room(out.size(), times.size(), rows.size());
  inside_->ask([&](const motion::RunView& view) {
    motion::evaluate_rho(view, times, rows, out.data());
    return 0;
  });
}

std::vector<double> Motion::times() const {
  const motion::Sampling grid = inside_->track() != nullptr ? inside_->track()->sampling : inside_->store()->sampling();
  const double last = end() + motion::resolution(end());
  std::vector<double> result;
  for (std::uint64_t k = 0; k < grid.count; ++k) {
    const double time = grid.count == 1 ? grid.start : grid.instant(k);
    if (time > last) break;
    result.push_back(time);
  }
  return result;
}

std::uint64_t Motion::event_count() const {
  return inside_->track() != nullptr ? inside_->track()->events.size() : inside_->store()->events();
}

std::uint64_t Motion::piece_count() const {
  return inside_->track() != nullptr ? inside_->track()->pieces.size() : inside_->store()->pieces();
}

std::vector<motion::Event> Motion::events(std::uint64_t first, std::uint64_t most) const {
  std::vector<motion::Event> result;
  if (most == 0) return result;
  inside_->ask([&](const motion::RunView& view) {
    view.each_event(first, [&](const motion::Event& event) {
      result.push_back(event);
      return result.size() < most;
    });
    return 0;
  });
  return result;
}

std::vector<motion::Piece> Motion::pieces(std::uint64_t first, std::uint64_t most) const {
  std::vector<motion::Piece> result;
  if (most == 0) return result;
  inside_->ask([&](const motion::RunView& view) {
    view.each_piece(first, [&](const motion::Piece& piece) {
      result.push_back(piece);
      return result.size() < most;
    });
    return 0;
  });
  return result;
}

Motion run(const Model& model, const RunOptions& options) {
  face::require(options);
  const Model begun = options.from ? face::begun_at(model, *options.from) : model;
  const model::Model& system = face::Access::system(begun);
  motion::Options how;
  how.until = options.until.value_or(system.simulation.until);
  how.tolerance = options.tolerance.value_or(0);
  require_end(begun, how.until);
  motion::Track track;
  stepping::follow(system, how, track, face::watch(options.go_on));
  track.sampling.until = how.until;
  track.sampling.count = options.samples.value_or(track.sampling.count);

  // The estimate goes the same way, which the model must describe.
  if (options.estimate_error && is_complete(track.account.status) && !track.account.in_steps()) {
    const Model described = begun.with(changed_by(options));
    note_error(track.account, motion::estimate_error(face::Access::system(described), track.account.present.state,
                                                     track.account.status));
  }
  return face::Access::motion(
      std::make_shared<const face::Access::MotionInside>(begun, std::move(track), changed_by(options)));
}

Motion record(const Model& model, const std::filesystem::path& file, const RunOptions& options) {
  face::require(options);
  Model begun = options.from ? face::begun_at(model, *options.from) : model;
  begun = begun.with(changed_by(options));
  require_end(begun, begun.until());
  const runs::Task task = runs::new_task(recipe_of(begun), file.string());
  std::string kept;
  double error = std::numeric_limits<double>::quiet_NaN();
  {
    runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
    runs::Recording recording;
    recording.go_on = watch_run(options.go_on);
    runs::go_on(task, store, recording);
    kept = store.path();
    if (options.estimate_error && is_complete(store.account().status) && !store.account().in_steps()) {
      motion::Account account;
      const model::State& end = store.account().present.state;
      note_error(account, store.is_crowd() ? crowds::estimate_error(task.model, end)
                                           : motion::estimate_error(task.model, end, store.account().status));
      error = account.error;
    }
  }
  runs::Store store = runs::Store::read(kept);
  if (!std::isnan(error)) store.note_error(error);
  return face::Access::motion(
      std::make_shared<const face::Access::MotionInside>(model_from(task.recipe), std::move(store)));
}

Motion resume(const std::filesystem::path& file, const ResumeOptions& options) {
  face::require(options);
  require_file(file);
  std::optional<Model> model;
  {
    runs::Store store = runs::Store::open(file.string());
    const runs::Task task = runs::resumed_task(store, options.until ? exact(*options.until) : std::string());
    if (runs::is_open(task, store.account())) {
      runs::Recording recording;
      recording.go_on = watch_run(options.go_on);
      if (options.notice && !task.notice.empty()) options.notice(task.notice);
      runs::go_on(task, store, recording);
    }
    model = model_from(task.recipe);
  }
  return opened(*model, file.string());
}

Motion open_run(const std::filesystem::path& file) {
  require_file(file);
  runs::Store store = runs::Store::read(file.string());
  const Model model = model_from(store.recipe());
  return face::Access::motion(std::make_shared<const face::Access::MotionInside>(model, std::move(store)));
}

std::string save(const Motion& motion, const std::filesystem::path& file) {
  const face::Access::MotionInside& inside = face::Access::inside(motion);
  if (inside.track() == nullptr) throw std::invalid_argument("this motion lies in a file already: " + motion.path());
  const Model model = motion.model().with(inside.changed);
  const runs::Recipe recipe = recipe_of(model);
  const model::Model& system = face::Access::system(model);
  runs::Store store = runs::Store::create(file.string(), recipe, system);
  runs::write(system, *inside.track(), store);
  return store.path();
}

}  // namespace zwang
