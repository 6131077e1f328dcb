/// Models: reading, names, states, the same model otherwise.
#include "zwang/model.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/refusal.hpp"
#include "zwang/face/inside.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/law.hpp"
#include "zwang/motion/stepper.hpp"

namespace zwang {

namespace {

/// How every SQLite database begins.
constexpr std::string_view database_mark = "SQLite format 3";

[[noreturn]] void unknown(std::string_view what, std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view near = nearest(name, known.data(), known.size());
  throw std::invalid_argument(near.empty()
                                  ? fmt::format("the model has no {} '{}'", what, name)
                                  : fmt::format("the model has no {} '{}'; did you mean '{}'?", what, name, near));
}

template <class Map>
std::vector<std::string_view> keys(const Map& map) {
  std::vector<std::string_view> result;
  for (const auto& entry : map) result.push_back(entry.first);
  return result;
}

/// Later ones take the place of earlier ones.
Overrides merged(Overrides first, const Overrides& then) {
  for (const auto& [name, value] : then.parameters) {
    bool known = false;
    for (auto& [old_name, old_value] : first.parameters) {
      if (old_name == name) {
        old_value = value;
        known = true;
      }
    }
    if (!known) first.parameters.emplace_back(name, value);
  }
  if (!then.start.empty()) first.start = then.start;
  if (!then.until.empty()) first.until = then.until;
  if (!then.tolerance.empty()) first.tolerance = then.tolerance;
  if (!then.samples.empty()) first.samples = then.samples;
  return first;
}

model::Energy energy_of(const Model& model, const State& state) {
  face::refuse_flow(model);
  face::require_state(model, state);
  const model::Model& system = face::Access::system(model);
  model::Scratch scratch = model::make_scratch(system);
  State copy;
  return model::energy(system, model::with_modes(system, state, copy), scratch);
}

}  // namespace

namespace face {

Model make(std::shared_ptr<const model::Draft> draft, Overrides overrides, std::optional<model::Law> law,
           std::optional<State> from) {
  const auto inside = std::make_shared<face::Access::ModelInside>();
  inside->model = model::compile(*draft, overrides);
  if (law) inside->model = model::under_law(inside->model, *law);
  if (from) inside->model = motion::begun_at(inside->model, *from, std::nullopt);
  inside->draft = std::move(draft);
  inside->overrides = std::move(overrides);
  inside->law = law;
  inside->from = std::move(from);
  return Access::model(inside);
}

Model begun_at(const Model& model, const State& state) {
  require_state(model, state);
  const face::Access::ModelInside& old = Access::inside(model);
  const auto inside = std::make_shared<face::Access::ModelInside>();
  inside->draft = old.draft;
  inside->overrides = old.overrides;
  inside->law = old.law;
  inside->from = state;
  inside->model = motion::begun_at(old.model, state, std::nullopt);
  return Access::model(inside);
}

std::string wrong_numbers(const State& state) {
  if (!std::isfinite(state.time)) return "the time of the state is not finite";
  const auto first_bad = [](const std::vector<double>& numbers) {
    std::size_t i = 0;
    while (i < numbers.size() && std::isfinite(numbers[i])) ++i;
    return i;
  };
  if (const std::size_t i = first_bad(state.position); i < state.position.size()) {
    return fmt::format("number {} of the positions is not finite", i);
  }
  if (const std::size_t i = first_bad(state.velocity); i < state.velocity.size()) {
    return fmt::format("number {} of the velocities is not finite", i);
  }
  if (const std::size_t i = first_bad(state.rho); i < state.rho.size()) {
    return fmt::format("number {} of rho is not finite", i);
  }
  return {};
}

std::string wrong_part(std::string_view name, const std::optional<double>& value) {
  if (!value || (*value > 0 && *value < 1)) return {};
  return fmt::format("{}: it must lie between 0 and 1; here it is {}", name, exact(*value));
}

void require_state(const Model& model, const State& state) {
  if (const std::string wrong = model.check(state); !wrong.empty()) throw std::invalid_argument(wrong);
}

void refuse_flow(const Model& model) {
  if (model.is_flow()) {
    throw Error({model.file(), 0, 0},
                "this model is a first-order system, [flow]: it has rates, and neither accelerations nor energy; "
                "`check`, `run` and `equations` answer for it");
  }
}

motion::GoOn watch(const std::function<bool(const Progress&)>& go_on) {
  if (!go_on) return {};
  return [go_on](const motion::Motion& now) { return go_on({now.state.time, now.steps, now.event_count}); };
}

}  // namespace face

const Model::Inside::Names& Model::Inside::names() const {
  std::call_once(named_, [this] {
    for (std::uint32_t i = 0; i < model.variables; ++i) {
      names_.variables.push_back(model::variable_name(model, i));
      names_.part_of[names_.variables.back()] = {i, 1};
    }
    for (std::uint32_t i = 0; i < model.rows(); ++i) {
      names_.rows.push_back(model::row_name(model, i));
      names_.row_of.emplace(names_.rows.back(), i);
    }
    for (const model::Observable& output : model.outputs) names_.outputs.push_back(output.name);
    for (const model::Body& body : model.bodies) {
      for (std::uint32_t member = 0; member < body.members(); ++member) {
        names_.part_of[model::member_name(body, member)] = {body.first + member * body.dimension, body.dimension};
      }
      if (!body.counts.empty()) names_.part_of[body.name] = {body.first, body.members() * body.dimension};
    }
  });
  return names_;
}

Model::Model(std::shared_ptr<const Inside> inside) : inside_(std::move(inside)) {}
Model::Model(const Model&) = default;
Model& Model::operator=(const Model&) = default;
Model::~Model() = default;

const std::string& Model::text() const { return inside_->model.text; }
const std::string& Model::file() const { return inside_->model.file; }
const std::string& Model::title() const { return inside_->model.title; }
bool Model::is_flow() const { return inside_->model.flow; }
const std::vector<model::Body>& Model::bodies() const { return inside_->model.bodies; }
const std::vector<model::Condition>& Model::conditions() const { return inside_->model.conditions; }
const std::vector<model::Parameter>& Model::parameters() const { return inside_->model.parameters; }
double Model::start() const { return inside_->model.simulation.start; }
double Model::until() const { return inside_->model.simulation.until; }
double Model::tolerance() const { return inside_->model.simulation.tolerance; }
std::uint32_t Model::samples() const { return inside_->model.simulation.samples; }
std::size_t Model::variables() const { return inside_->model.variables; }
std::size_t Model::rows() const { return inside_->model.rows(); }
const std::vector<std::string>& Model::variable_names() const { return inside_->names().variables; }
const std::vector<std::string>& Model::row_names() const { return inside_->names().rows; }
const std::vector<std::string>& Model::output_names() const { return inside_->names().outputs; }

double Model::parameter(std::string_view name) const {
  std::vector<std::string_view> known;
  for (const model::Parameter& one : parameters()) {
    if (one.name == name) {
      if (one.value.size() == 1) return one.value.front();
      throw std::invalid_argument(fmt::format("the parameter '{}' is a vector", name));
    }
    known.push_back(one.name);
  }
  unknown("parameter", name, known);
}

std::uint32_t Model::variable(std::string_view name) const {
  const Inside::Names& names = inside_->names();
  const auto found = names.part_of.find(std::string(name));
  if (found == names.part_of.end()) unknown("variable", name, {names.variables.begin(), names.variables.end()});
  if (found->second.second != 1) {
    throw std::invalid_argument(
        fmt::format("'{0}' has {1} components: one of them is '{0}.x'", name, found->second.second));
  }
  return found->second.first;
}

std::uint32_t Model::row(std::string_view name) const {
  const Inside::Names& names = inside_->names();
  const auto found = names.row_of.find(std::string(name));
  if (found == names.row_of.end()) unknown("condition", name, keys(names.row_of));
  return found->second;
}

model::RowKind Model::row_kind(std::uint32_t row) const { return inside_->model.row_kind.at(row); }

bool Model::is_variational(std::uint32_t row) const {
  return row < rows() && model::is_variational(inside_->model, row);
}

std::span<const double> Model::part(std::string_view name, std::span<const double> values) const {
  const Inside::Names& names = inside_->names();
  const auto found = names.part_of.find(std::string(name));
  if (found == names.part_of.end()) unknown("body or variable", name, keys(names.part_of));
  if (values.size() != variables()) {
    throw std::invalid_argument(
        fmt::format("one number per variable is needed: {}, and {} are given", variables(), values.size()));
  }
  return values.subspan(found->second.first, found->second.second);
}

std::span<double> Model::part(std::string_view name, std::span<double> values) const {
  const std::span<const double> found = part(name, std::span<const double>(values));
  return values.subspan(static_cast<std::size_t>(found.data() - values.data()), found.size());
}

std::span<const double> Model::part(std::string_view name, const std::vector<double>& values) const {
  return part(name, std::span<const double>(values));
}

std::span<double> Model::part(std::string_view name, std::vector<double>& values) const {
  return part(name, std::span<double>(values));
}

State Model::initial() const { return model::initial_state(inside_->model); }

std::string Model::check(const State& state) const {
  const auto wrong_size = [](std::string_view what, std::size_t given, std::size_t needed, std::string_view of) {
    return fmt::format("{}: {} numbers are needed, one per {}, and {} are given", what, needed, of, given);
  };
  if (state.position.size() != variables()) {
    return wrong_size("position", state.position.size(), variables(), "variable");
  }
  if (state.velocity.size() != variables()) {
    return wrong_size("velocity", state.velocity.size(), variables(), "variable");
  }
  if (!state.rho.empty() && state.rho.size() != rows()) return wrong_size("rho", state.rho.size(), rows(), "row");
  if (!state.modes.empty() && state.modes.size() != inside_->model.modes) {
    return wrong_size("modes", state.modes.size(), inside_->model.modes, "mode");
  }
  for (const std::vector<double>* one : {&state.position_uncertainty, &state.velocity_uncertainty}) {
    if (!one->empty() && one->size() != variables()) {
      return wrong_size("uncertainty", one->size(), variables(), "variable");
    }
  }
  return face::wrong_numbers(state);
}

Model Model::with(const Overrides& overrides) const {
  return face::make(inside_->draft, merged(inside_->overrides, overrides), inside_->law, inside_->from);
}

Model Model::with(std::string_view parameter, double value) const {
  Overrides overrides;
  overrides.parameters.emplace_back(parameter, exact(value));
  return with(overrides);
}

Model Model::under(model::Law law) const { return face::make(inside_->draft, inside_->overrides, law, inside_->from); }

std::string Model::written() const {
  return inside_->from ? written_from(*inside_->from) : model::with_overrides(*inside_->draft, inside_->overrides);
}

std::string Model::written_from(const State& state) const {
  face::require_state(*this, state);
  Overrides overrides = inside_->overrides;
  overrides.start = exact(state.time);
  // What differs from the start in the text is written: so the model of that text is needed, not one begun elsewhere.
  const model::Draft draft = model::read(model::with_overrides(*inside_->draft, overrides), file());
  return model::with_start(draft, model::compile(draft), state.position, state.velocity);
}

Model load(const std::filesystem::path& file, const Overrides& overrides) {
  const std::string name = file.string();
  std::error_code trouble;
  if (std::filesystem::is_directory(file, trouble)) {
    throw Error({name, 0, 0}, "cannot read the model: this is a directory");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const int reason = errno;
    const std::string message = fmt::format("cannot read the model: {}", std::strerror(reason));
    if (reason == ENOENT || reason == ENOTDIR) throw MissingFile({name, 0, 0}, message);
    refuse_file(name, "cannot read the model", reason);
  }
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(name, unknown)) throw Fault({name, 0, 0}, "cannot read the model to its end");
    throw Error({name, 0, 0}, "cannot read the model: it is not a regular file");
  }
  if (text.starts_with(database_mark)) throw Error({name, 0, 0}, "this is a run file, not a model: open_run reads it");
  return parse(text, overrides, name);
}

Model parse(std::string_view text, const Overrides& overrides, std::string name) {
  return face::make(std::make_shared<const model::Draft>(model::read(text, std::move(name))), overrides, {}, {});
}

double kinetic_energy(const Model& model, const State& state) { return energy_of(model, state).kinetic; }

double potential_energy(const Model& model, const State& state) { return energy_of(model, state).potential; }

std::vector<double> outputs(const Model& model, const State& state) {
  face::require_state(model, state);
  motion::Sample sample;
  sample.state = state;
  motion::observe(face::Access::system(model), sample);
  return sample.outputs;
}

}  // namespace zwang
