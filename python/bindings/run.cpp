/// Runs: made in memory or into a file, opened from a file, asked for states at any times.
#include "zwang/report/run.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <variant>

#include "python/bindings/shared.hpp"
#include "zwang/analysis/compare.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/compare.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/page.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/sensitivity/sensitivity.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::python {

namespace {

using Clock = std::chrono::steady_clock;

/// A run that lies in memory or in a file. One question at a time.
class Run {
 public:
  Run(ModelPointer model, motion::Track track) : model_(std::move(model)), place_(std::move(track)) {}
  Run(ModelPointer model, crowds::Track track, std::shared_ptr<const model::Model> told)
      : model_(std::move(model)), place_(std::move(track)), told_(std::move(told)) {}
  Run(ModelPointer model, runs::Store store) : model_(std::move(model)), place_(std::move(store)) {
    auto& kept = std::get<runs::Store>(place_);
    if (kept.is_crowd()) told_ = std::make_shared<const model::Model>(runs::model_of(kept));
    kept.set_outputs(told_ != nullptr ? *told_ : model_->get());
  }

  [[nodiscard]] const ModelPointer& model() const { return model_; }
  [[nodiscard]] const model::Model& system() const { return model_->get(); }
  [[nodiscard]] const runs::Store* store() const { return std::get_if<runs::Store>(&place_); }
  [[nodiscard]] const motion::Track* track() const { return std::get_if<motion::Track>(&place_); }
  [[nodiscard]] const crowds::Track* crowd() const { return std::get_if<crowds::Track>(&place_); }
  [[nodiscard]] motion::RunView view() const {
    if (told_ != nullptr) {
      return crowds::as_written_out(model_->get(), told_,
                                    crowd() != nullptr ? crowds::view(*told_, *crowd()) : store()->view(*told_));
    }
    return track() != nullptr ? motion::view(model_->get(), *track()) : store()->view(model_->get());
  }
  /// For pictures: of a crowd in no more pieces than can be seen.
  [[nodiscard]] motion::RunView picture(const motion::RunView& run) const {
    return told_ != nullptr ? runs::picture_view(model_->get(), run) : run;
  }
  [[nodiscard]] const motion::Account& account() const {
    if (crowd() != nullptr) return crowd()->account;
    return track() != nullptr ? track()->account : store()->account();
  }
  [[nodiscard]] std::uint64_t events() const {
    if (crowd() != nullptr) return crowd()->events.size();
    return track() != nullptr ? track()->events.size() : store()->events();
  }
  [[nodiscard]] std::uint64_t pieces() const {
    if (told_ != nullptr) return view().pieces;
    return track() != nullptr ? track()->pieces.size() : store()->pieces();
  }

  /// Without the interpreter, and alone: a file answers one question at a time.
  template <class Question>
  auto ask(const Question& question) const {
    const nb::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return question(view());
  }

 private:
  ModelPointer model_;
  std::variant<motion::Track, crowds::Track, runs::Store> place_;
  std::shared_ptr<const model::Model> told_;  ///< of a crowd: the model that its rows are numbered by
  mutable std::mutex mutex_;
};

/// Ctrl-C and the caller's callback, asked about twenty times a second. What either raises is kept until the run has been
/// put away.
class Watch {
 public:
  explicit Watch(nb::object progress) : progress_(std::move(progress)) {}

  /// Called without the interpreter lock.
  bool go_on(const motion::Motion& motion) {
    const runs::Progress progress = runs::progress_of(motion);
    if (motion.status != motion::Status::going) {
      const nb::gil_scoped_acquire acquire;
      return tell(progress);
    }
    if ((++count_ & 7U) != 0 && motion.state.position.size() < 100) {
      return true;
    }
    return look(progress);
  }
  bool go_on(const runs::Progress& progress) {
    return progress.motion != nullptr ? go_on(*progress.motion) : look(progress);
  }

 private:
  bool look(const runs::Progress& progress) {
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) {
      return true;
    }
    last_ = now;
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) {
      raised_.emplace();
      return false;
    }
    return tell(progress);
  }

 public:
  bool tell(const runs::Progress& progress) {
    if (progress_.is_none()) {
      return true;
    }
    try {
      const nb::object verdict = progress_(progress.time, progress.steps, progress.events);
      return !verdict.is(nb::handle(Py_False));
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return false;
    }
  }

  void raise() {
    if (raised_) {
      throw std::move(*raised_);
    }
  }

 private:
  nb::object progress_;
  std::optional<nb::python_error> raised_;
  Clock::time_point last_ = Clock::now();
  std::uint32_t count_ = 0;
};

/// In memory, if it is one.
std::optional<crowds::Followed> run_crowd(const Model& model, const motion::Options& options, Watch& watch) {
  const nb::gil_scoped_release release;
  const runs::Recipe recipe = runs::recipe_of(model.get().text, model.get().file, model.overrides());
  return runs::follow_crowd(recipe, model.get(), options, [&](const crowds::Crowd& now) {
    return watch.go_on(runs::Progress{now.time(), now.steps(), now.event_count(), 0, nullptr});
  });
}

std::unique_ptr<Run> run(const Handle& handle, std::optional<double> until, std::optional<double> tolerance,
                         std::optional<std::uint32_t> samples, const nb::object& progress, bool as_one) {
  const ModelPointer& model = handle.pointer;
  motion::Options options;
  options.until = until.value_or(model->get().simulation.until);
  options.tolerance = tolerance.value_or(0);
  runs::require_duration(model->get(), options.until);
  motion::Track track;
  Watch watch(progress);
  if (std::optional<crowds::Followed> crowd; !as_one && (crowd = run_crowd(*model, options, watch))) {
    watch.raise();
    crowd->track.sampling.count = samples.value_or(crowd->track.sampling.count);
    return std::make_unique<Run>(model, std::move(crowd->track), std::move(crowd->told));
  }
  {
    const nb::gil_scoped_release release;
    stepping::follow(model->get(), options, track, [&](const motion::Motion& now) { return watch.go_on(now); });
    track.sampling.until = options.until;
    track.sampling.count = samples.value_or(track.sampling.count);
  }
  watch.raise();
  return std::make_unique<Run>(model, std::move(track));
}

/// What was made with a recipe, for Python to hold.
ModelPointer model_of(const runs::Task& task) {
  const bool crowd = !task.model.pairs.empty();
  return std::make_shared<Model>(crowd ? runs::model_of(task.recipe, false) : task.model, task.recipe.overrides);
}

/// To the end of what there is to do.
void complete(const runs::Task& task, runs::Store& store, Watch& watch, double seconds) {
  runs::Recording recording;
  recording.seconds = seconds;
  recording.go_on = [&](const runs::Progress& now) { return watch.go_on(now); };
  runs::go_on(task, store, recording);
}

/// Into a new file. The model is made from the recipe, so that the file stands on its own.
std::unique_ptr<Run> record(std::string_view file, const Handle& handle, const nb::object& progress, double seconds,
                            bool as_one) {
  const std::string path(file);
  const ModelPointer& model = handle.pointer;
  Watch watch(progress);
  std::string kept;
  {
    const nb::gil_scoped_release release;
    const runs::Task task = runs::new_task(runs::recipe_of(model->get().text, model->get().file, model->overrides()),
                                           path, as_one ? runs::Engine::one_motion : runs::Engine::as_suits);
    runs::Store store = runs::Store::create(path, task.recipe, task.model);
    complete(task, store, watch, seconds);
    kept = store.path();
  }
  watch.raise();
  return std::make_unique<Run>(model, runs::Store::read(kept));
}

std::unique_ptr<Run> resume(std::string_view file, std::string_view until, const nb::object& progress) {
  const std::string path(file);
  Watch watch(progress);
  ModelPointer model;
  std::string notice;
  {
    const nb::gil_scoped_release release;
    runs::Store store = runs::Store::open(path);
    const runs::Task task = runs::resumed_task(store, std::string(until));
    if (runs::is_open(task, store.account())) {
      notice = task.notice;
      complete(task, store, watch, runs::Recording{}.seconds);
    }
    model = model_of(task);
  }
  watch.raise();
  if (!notice.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, notice.c_str(), 1) != 0) {
    throw nb::python_error();
  }
  return std::make_unique<Run>(model, runs::Store::read(path));
}

std::unique_ptr<Run> open_run(std::string_view file) {
  const nb::gil_scoped_release release;
  const std::string path(file);
  runs::Store store = runs::Store::read(path);
  ModelPointer model = std::make_shared<Model>(runs::model_of(store.recipe(), false), store.recipe().overrides);
  return std::make_unique<Run>(std::move(model), std::move(store));
}

/// The sample instants as far as the run came.
Array instants(const Run& self) {
  const motion::Sampling grid = self.view().sampling;
  const double end = self.account().present.state.time;
  std::vector<double> times;
  for (std::uint64_t k = 0; k < grid.count; ++k) {
    const double time = grid.count == 1 ? grid.start : grid.instant(k);
    if (time > end + motion::resolution(end)) {
      break;
    }
    times.push_back(time);
  }
  return array_of(times);
}

nb::object states(const Run& self, const Numbers& times) {
  const std::uint32_t n = self.system().variables;
  const NewArray position({times.size(), n});
  const NewArray velocity({times.size(), n});
  self.ask([&](const motion::RunView& view) {
    motion::evaluate(view, span(times), n, position.data, velocity.data);
    return 0;
  });
  return nb::make_tuple(position.array(), velocity.array());
}

Array multipliers(const Run& self, const Numbers& times, const Indices& rows, bool rho) {
  const NewArray values({times.size(), rows.size()});
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows.data()[j] >= self.system().rows()) {
      throw nb::index_error("there is no such row");
    }
  }
  self.ask([&](const motion::RunView& view) {
    const std::span<const std::uint32_t> wanted(rows.data(), rows.size());
    if (rho) {
      motion::evaluate_rho(view, span(times), wanted, values.data);
    } else {
      motion::evaluate_multipliers(view, span(times), wanted, values.data);
    }
    return 0;
  });
  return values.array();
}

/// Columns of [outputs], or of kinetic and potential energy.
Array observed(const Run& self, const Numbers& times, bool energy) {
  const model::Model& model = self.system();
  const std::size_t columns = energy ? 2 : model.outputs.size();
  const NewArray values({times.size(), columns});
  self.ask([&](const motion::RunView& view) {
    const std::uint32_t n = model.variables;
    std::vector<double> position(times.size() * n);
    std::vector<double> velocity(times.size() * n);
    motion::evaluate(view, span(times), n, position.data(), velocity.data());
    const motion::Hidden hidden = energy ? motion::hidden_in(model, view) : motion::Hidden{};
    model::Scratch scratch = model::make_scratch(model);
    model::State state;
    for (std::size_t k = 0; k < times.size(); ++k) {
      state.time = times.data()[k];
      state.position.assign(position.data() + k * n, position.data() + (k + 1) * n);
      state.velocity.assign(velocity.data() + k * n, velocity.data() + (k + 1) * n);
      double* line = values.data + k * columns;
      if (energy) {
        motion::set_modes(model, hidden, state.time, state);
        const model::Energy found = model::energy(model, state, scratch);
        line[0] = found.kinetic;
        line[1] = found.potential;
        continue;
      }
      for (std::size_t j = 0; j < columns; ++j) {
        line[j] = model::observe(model.outputs[j], state);
      }
    }
    return 0;
  });
  return values.array();
}

/// How the numbers of the run's model depend on parameters.
std::vector<sensitivity::ParameterSlope> parameters_of(const Run& self, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return sensitivity::parameter_slopes(self.model()->draft(), self.model()->overrides(), names,
                                       sensitivity::Kinks::two_sided);
}

std::string run_json(const Run& self, const nb::sequence& asked, const nb::sequence& paths, const nb::sequence& by) {
  const auto sample_at = items<double>(asked);
  const auto files = items<std::string, std::string_view>(paths);
  const auto names = items<std::string, std::string_view>(by);
  return self.ask([&](const motion::RunView& view) {
    std::string text;
    const auto parameters = parameters_of(self, names);
    report::Sensitivities slopes = sensitivity::sensitivity(self.system(), view, parameters, sample_at);
    if (!parameters.empty()) {
      sensitivity::add_sides_from_beside(slopes, self.model()->draft(), self.model()->overrides(), parameters,
                                         self.system(), view, sample_at);
    }
    report::run_json(
        self.system(), view, sample_at, files, [&](std::string_view part) { text += part; }, {}, slopes);
    return text;
  });
}

/// Derivatives by one parameter at ascending times: positions, velocities, outputs; NaN where there is none.
nb::object slopes(const Run& self, std::string_view name, const Numbers& times) {
  const std::size_t n = self.system().variables;
  const std::size_t outputs = self.system().outputs.size();
  const NewArray position({times.size(), n});
  const NewArray velocity({times.size(), n});
  const NewArray observed({times.size(), outputs});
  std::string why;
  const std::vector<double> at = list(times);
  const std::vector<std::string> names{std::string(name)};
  self.ask([&](const motion::RunView& view) {
    const report::Sensitivities found = sensitivity::sensitivity(self.system(), view, parameters_of(self, names), at);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 0; k < at.size(); ++k) {
      const sensitivity::Slope* slope = k < found[0].samples.size() ? &found[0].samples[k] : nullptr;
      const bool known = slope != nullptr && slope->differentiable() && slope->after;
      if (slope != nullptr && why.empty()) why = slope->why;
      const auto copy = [&](const std::vector<double>* values, double* to, std::size_t size) {
        for (std::size_t i = 0; i < size; ++i) to[i] = values == nullptr ? none : (*values)[i];
      };
      copy(known ? &slope->after->position : nullptr, position.data + k * n, n);
      copy(known ? &slope->after->velocity : nullptr, velocity.data + k * n, n);
      copy(known ? &slope->after->outputs : nullptr, observed.data + k * outputs, outputs);
    }
    return 0;
  });
  return nb::make_tuple(position.array(), velocity.array(), observed.array(), why);
}

/// Some events, as a JSON list.
std::string events_json(const Run& self, std::uint64_t first, std::uint64_t last) {
  return self.ask([&](const motion::RunView& view) {
    report::Writer json;
    json.open().open_list("events");
    std::uint64_t number = first;
    if (first < last) {
      view.each_event(first, [&](const motion::Event& event) {
        json.open();
        report::put_event(json, self.system(), event);
        json.close();
        return ++number < last;
      });
    }
    return json.close_list().close().text();
  });
}

nb::object event_index(const Run& self) {
  std::vector<double> times;
  std::vector<std::string> kinds;
  std::vector<std::vector<std::uint32_t>> rows;
  self.ask([&](const motion::RunView& view) {
    view.each_event(0, [&](const motion::Event& event) {
      times.push_back(event.time);
      kinds.emplace_back(motion::words(event.kind));
      rows.push_back(event.rows);
      return true;
    });
    return 0;
  });
  return nb::make_tuple(array_of(times), kinds, rows);
}

/// Where pieces begin, and where the last one ends.
Array boundaries(const Run& self) {
  const std::vector<double> times = self.ask([&](const motion::RunView& view) {
    std::vector<double> list;
    double end = 0;
    const auto add = [&](const motion::Piece& piece) {
      list.push_back(piece.start);
      end = piece.end();
      return true;
    };
    if (self.track() != nullptr) {
      for (const motion::Piece& piece : self.track()->pieces) {
        add(piece);
      }
    } else {
      view.each_piece(0, add);
    }
    if (!list.empty()) {
      list.push_back(end);
    }
    return list;
  });
  return array_of(times);
}

std::unique_ptr<Run> stretch(const Run& self, double from, double to) {
  std::optional<motion::Track> track =
      self.ask([&](const motion::RunView& view) { return motion::stretch(self.system(), view, from, to); });
  if (!track) {
    throw nb::value_error("the run has no state at the end of this stretch");
  }
  track->sampling.start = from;
  track->sampling.until = to;
  return std::make_unique<Run>(self.model(), std::move(*track));
}

/// A run in memory becomes a file like any other.
std::string save(const Run& self, std::string_view file) {
  if (self.store() != nullptr) {
    throw nb::value_error("this run lies in a file already");
  }
  const nb::gil_scoped_release release;
  const std::string path(file);
  const Model& model = *self.model();
  const runs::Recipe recipe = runs::recipe_of(model.get().text, model.get().file, model.overrides());
  if (self.crowd() != nullptr) {
    const model::Model left = runs::model_of(recipe, true);
    runs::Store store = runs::Store::create(path, recipe, left);
    runs::write(left, *self.crowd(), store);
    return store.path();
  }
  runs::Store store = runs::Store::create(path, recipe, model.get());
  runs::write(model.get(), *self.track(), store);
  return store.path();
}

/// The animated report.
std::string page(const Run& self) {
  return self.ask([&](const motion::RunView& view) {
    const report::PageRun run{&self.system(), self.picture(view), ""};
    std::string text;
    report::write_page({&run, 1}, {}, [&](std::string_view part) { text += part; });
    return text;
  });
}

/// Both motions of one model in memory, and how far they part.
struct Comparison {
  std::unique_ptr<Run> straightest, variational;
  std::string json;
};

Comparison compare(const ModelPointer& model, const std::vector<double>& sample_at) {
  if (model->get().flow) {
    throw Error({model->get().file, 0, 0}, "a first-order system has no kinetic energy, and so no two laws to compare");
  }
  runs::require_duration(model->get(), model->get().simulation.until);
  struct Side {
    ModelPointer model;
    motion::Track track;
    model::State start;
  };
  const auto one = [&](model::Law law) {
    Side side;
    side.model = std::make_shared<Model>(model::under_law(model->get(), law), model->overrides());
    motion::Motion motion = motion::begin(side.model->get());
    side.start = motion.state;
    motion::follow(side.model->get(), motion, side.track);
    return side;
  };
  Side straightest = one(model::Law::straightest);
  Side variational = one(model::Law::variational);
  const analysis::Equivalence equivalence =
      analysis::equivalence(straightest.model->get(), straightest.start,
                            analysis::places_of(motion::view(straightest.model->get(), straightest.track)));

  // The distance at the samples and at the instants asked for, as far as both motions came.
  std::vector<double> times = sample_at;
  for (std::uint64_t k = 0; k < straightest.track.sampling.count; ++k) {
    times.push_back(straightest.track.sampling.instant(k));
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const motion::RunView straightest_view = motion::view(straightest.model->get(), straightest.track);
  const motion::RunView variational_view = motion::view(variational.model->get(), variational.track);
  analysis::Ruler ruler(straightest.model->get());
  std::vector<analysis::Apart> distance;
  motion::Sample left;
  motion::Sample right;
  for (const double time : times) {
    if (motion::state_at(straightest.model->get(), straightest_view, time, left) &&
        motion::state_at(variational.model->get(), variational_view, time, right)) {
      distance.push_back({time, ruler.distance(left.state, right.state)});
    }
  }
  Comparison result;
  report::compare_json({&straightest.model->get(), straightest_view, {}},
                       {&variational.model->get(), variational_view, {}}, equivalence, distance, sample_at,
                       [&](std::string_view part) { result.json += part; });
  result.straightest = std::make_unique<Run>(straightest.model, std::move(straightest.track));
  result.variational = std::make_unique<Run>(variational.model, std::move(variational.track));
  return result;
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::class_<Run>(module, "Run", "A run in memory or in a file.")
      .def_prop_ro("model", [](const Run& self) { return Handle{self.model()}; })
      .def_prop_ro("status", [](const Run& self) { return std::string(motion::words(self.account().status)); })
      .def_prop_ro("why", [](const Run& self) { return self.account().why; })
      .def_prop_ro("steps", [](const Run& self) { return self.account().steps; })
      .def_prop_ro("seconds", [](const Run& self) { return self.account().seconds; })
      .def_prop_ro("time", [](const Run& self) { return self.account().present.state.time; })
      .def_prop_ro("start", [](const Run& self) { return self.view().sampling.start; })
      .def_prop_ro("until", [](const Run& self) { return self.view().sampling.until; })
      .def_prop_ro("path",
                   [](const Run& self) -> std::optional<std::string> {
                     return self.store() != nullptr ? std::optional(self.store()->path()) : std::nullopt;
                   })
      .def_prop_ro("pieces", &Run::pieces)
      .def_prop_ro("event_count", &Run::events)
      .def("instants", &instants, nb::sig("def instants(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("boundaries", &boundaries, nb::sig("def boundaries(self) -> numpy.typing.NDArray[numpy.float64]"))
      .def("states", &states, nb::arg("times"),
           nb::sig("def states(self, times: numpy.typing.NDArray[numpy.float64]) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"))
      .def("multipliers", &multipliers, nb::arg("times"), nb::arg("rows"), nb::arg("rho"),
           nb::sig("def multipliers(self, times: numpy.typing.NDArray[numpy.float64], rows: "
                   "numpy.typing.NDArray[numpy.uint32], rho: bool) -> numpy.typing.NDArray[numpy.float64]"))
      .def("observed", &observed, nb::arg("times"), nb::arg("energy"),
           nb::sig("def observed(self, times: numpy.typing.NDArray[numpy.float64], energy: bool) -> "
                   "numpy.typing.NDArray[numpy.float64]"))
      .def("slopes", &slopes, nb::arg("name"), nb::arg("times"),
           nb::sig("def slopes(self, name: str, times: numpy.typing.NDArray[numpy.float64]) -> "
                   "tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], "
                   "numpy.typing.NDArray[numpy.float64], str]"))
      .def("json", &run_json, nb::arg("sample_at"), nb::arg("files"), nb::arg("by"),
           nb::sig("def json(self, sample_at: collections.abc.Sequence[float], files: collections.abc.Sequence[str], "
                   "by: collections.abc.Sequence[str]) -> str"))
      .def("events_json", &events_json, nb::arg("first"), nb::arg("last"))
      .def("event_index", &event_index,
           nb::sig("def event_index(self) -> tuple[numpy.typing.NDArray[numpy.float64], list[str], list[list[int]]]"))
      .def("stretch", &stretch, nb::arg("begin"), nb::arg("end"))
      .def("page", &page)
      .def("save", &save, nb::arg("path"));

  module.def("run", &run, nb::arg("model"), nb::arg("until").none(), nb::arg("tolerance").none(),
             nb::arg("samples").none(), nb::arg("progress").none(), nb::arg("as_one"));
  module.def("record", &record, nb::arg("path"), nb::arg("model"), nb::arg("progress").none(), nb::arg("seconds"),
             nb::arg("as_one"));
  module.def("resume", &resume, nb::arg("path"), nb::arg("until"), nb::arg("progress").none());
  module.def("open_run", &open_run, nb::arg("path"));
  module.def(
      "compare",
      [](const Handle& handle, const nb::sequence& asked) {
        const ModelPointer& model = handle.pointer;
        const auto sample_at = items<double>(asked);
        Comparison found = patiently([model, sample_at] { return compare(model, sample_at); });
        return nb::make_tuple(std::move(found.straightest), std::move(found.variational), found.json);
      },
      nb::arg("model"), nb::arg("sample_at"),
      nb::sig("def compare(model: Model, sample_at: collections.abc.Sequence[float]) -> tuple[Run, Run, str]"));
}

}  // namespace zwang::python
