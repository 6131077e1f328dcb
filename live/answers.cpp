/// The questions, each answered by the functions that answer them for the command.
#include "answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <variant>

#include "zwang/analysis/compare.hpp"
#include "zwang/analysis/equations.hpp"
#include "zwang/analysis/equivalence.hpp"
#include "zwang/base/number.hpp"
#include "zwang/crowds/chronicle.hpp"
#include "zwang/crowds/tolerances.hpp"
#include "zwang/crowds/track.hpp"
#include "zwang/error.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/law.hpp"
#include "zwang/model/part.hpp"
#include "zwang/report/compare.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/explain.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/page.hpp"
#include "zwang/report/run.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::live {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void not_understood(std::string_view line) {
  throw Error({"settings", 0, 0}, fmt::format("'{}' is not understood", line));
}

/// "3 0.25": a variable and a number.
std::pair<std::uint32_t, double> numbered(std::string_view line, std::string_view words) {
  const std::size_t blank = words.find(' ');
  const std::optional<double> index = read_number(words.substr(0, blank));
  const std::optional<double> value =
      blank == std::string_view::npos ? std::nullopt : read_number(words.substr(blank + 1));
  if (!index || !value || !(*index >= 0 && *index < 1e9)) not_understood(line);
  return {static_cast<std::uint32_t>(*index), *value};
}

void put_setting(Settings& settings, std::string_view line) {
  const std::size_t blank = line.find(' ');
  if (blank == std::string_view::npos) not_understood(line);
  const std::string_view word = line.substr(0, blank);
  const std::string rest(line.substr(blank + 1));
  if (word == "set") {
    const std::size_t equals = rest.find('=');
    if (equals == std::string::npos) not_understood(line);
    settings.overrides.parameters.emplace_back(rest.substr(0, equals), rest.substr(equals + 1));
  } else if (word == "until") {
    settings.overrides.until = rest;
  } else if (word == "at") {
    settings.overrides.start = rest;
  } else if (word == "tolerance") {
    settings.overrides.tolerance = rest;
  } else if (word == "samples") {
    settings.overrides.samples = rest;
  } else if (word == "law" && (rest == "straightest" || rest == "variational")) {
    settings.law = rest == "straightest" ? model::Law::straightest : model::Law::variational;
  } else if (word == "file") {
    settings.file = rest;
  } else if (word == "format") {
    settings.format = rest;
  } else if (word == "position") {
    settings.position.push_back(numbered(line, rest));
  } else if (word == "velocity") {
    settings.velocity.push_back(numbered(line, rest));
  } else {
    not_understood(line);
  }
}

/// The model and where it starts.
struct Scene {
  model::Draft draft;
  model::Model model;
  model::State state;
};

Scene scene(std::string_view text, const Settings& settings) {
  model::Draft draft = model::read(text, settings.file);
  model::Model model = model::compile(draft, settings.overrides);
  if (settings.law) model = model::under_law(model, *settings.law);
  model::State state = model::initial_state(model);
  const auto put = [](const std::vector<std::pair<std::uint32_t, double>>& moved, std::vector<double>& values) {
    for (const auto& [index, value] : moved) {
      if (index >= values.size()) throw Error({"settings", 0, 0}, fmt::format("there is no variable {}", index));
      values[index] = value;
    }
  };
  put(settings.position, state.position);
  put(settings.velocity, state.velocity);
  return {std::move(draft), std::move(model), std::move(state)};
}

void refuse_flow(const model::Model& model) {
  if (model.flow) throw Error({model.file, 0, 0}, "a first-order system has rates and no accelerations");
}

std::string check(const Scene& asked) {
  instant::Instant instant = instant::classify(asked.model, asked.state);
  // What a closed inequality does is the accelerations' business.
  if (instant.status == instant::Status::determined && !asked.model.flow) {
    const instant::Instant full = instant::accelerate(asked.model, asked.state);
    if (full.status == instant::Status::determined) instant.role = full.role;
  }
  return report::check_json(asked.model, asked.state, instant, nullptr);
}

/// The answer of `check --repair`, with the text that it would write.
std::string repair(const Scene& asked) {
  const model::Model& model = asked.model;
  instant::Repair repair = instant::repair(model, asked.state);
  if (model.flow) {
    // The rates of a flow follow from its positions.
    repair.state.velocity = model::rates(model, repair.state).rate;
    repair.velocity_change = 0;
  }
  const model::State& state = repair.succeeded ? repair.state : asked.state;
  report::Writer json;
  json.open().put("succeeded", repair.succeeded);
  if (!repair.succeeded) json.put("broken", model::row_name(model, repair.worst_row));
  json.put_json("check", report::check_json(model, state, instant::classify(model, state), &repair));
  if (repair.succeeded) {
    json.put("text", model::with_start(asked.draft, model, state.position,
                                       model.flow ? model.initial_velocity : state.velocity));
  }
  return json.close().text();
}

std::string equations(const Scene& asked, const std::string& format) {
  using expressions::Notation;
  const Notation notation = format == "latex"    ? Notation::latex
                            : format == "cpp"    ? Notation::cpp
                            : format == "python" ? Notation::python
                                                 : Notation::text;
  return report::equations_of(notation, asked.draft, asked.model, false, true);
}

std::string answer_or_throw(std::string_view question, std::string_view text, std::string_view settings_text) {
  if (question == "schema") return model::json_schema();
  const Settings settings = read_settings(settings_text);
  const Scene asked = scene(text, settings);
  if (question == "check") return check(asked);
  if (question == "repair") return repair(asked);
  if (question == "equations") return equations(asked, settings.format);
  refuse_flow(asked.model);
  if (question == "accelerate") {
    return report::accelerate_json(asked.model, asked.state, instant::accelerate(asked.model, asked.state));
  }
  if (question == "impact") return report::impact_json(asked.model, instant::impact(asked.model, asked.state));
  if (question == "explain") return report::explain_json(asked.model, report::explain(asked.model, asked.state));
  throw Error({"question", 0, 0}, fmt::format("'{}' is no question", question));
}

}  // namespace

Settings read_settings(std::string_view text) {
  Settings settings;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) put_setting(settings, line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return settings;
}

std::string answer(std::string_view question, std::string_view text, std::string_view settings) {
  try {
    return answer_or_throw(question, text, settings);
  } catch (const Error& error) {
    return report::error_json(error);
  } catch (const std::bad_alloc&) {
    return report::error_json("there is not enough memory for this");
  } catch (const std::exception& error) {
    return report::error_json(std::string(error.what()));
  }
}

/// A model, its motion, and what was kept of it.
struct Session::Side {
  std::string name;
  model::Model model;
  std::variant<motion::Motion, stepping::Stepping, crowds::Crowd> method;
  motion::Track track;
  double seconds = 0;
  // Of a crowd.
  model::Model left;  ///< its pairs are left as they are
  std::optional<crowds::Chronicle> chronicle;
  crowds::Track crowd;
  std::shared_ptr<const model::Model> told;

  Side(std::string called, model::Model of) : name(std::move(called)), model(std::move(of)) {
    const auto begun = Clock::now();
    if (stepping::is_stepped(model)) {
      method = stepping::begin(model, {});
    } else {
      method = motion::begin(model, {});
    }
    track.sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
    track.events = motion().events;
    track.account = account();
    seconds += since(begun);
  }

  /// A crowd.
  Side(model::Model whole, model::Model pairs_left) : model(std::move(whole)), left(std::move(pairs_left)) {
    const auto begun = Clock::now();
    method = crowds::Crowd(left);
    chronicle.emplace(left.variables / left.bodies[0].dimension, left.bodies[0].dimension);
    crowd.sampling = track.sampling = {model.simulation.start, model.simulation.until, model.simulation.samples};
    take_down();
    keep();
    seconds += since(begun);
  }
  [[nodiscard]] const crowds::Crowd& many() const { return std::get<crowds::Crowd>(method); }
  void take_down() {
    chronicle->append(many());
    crowd.events.insert(crowd.events.end(), many().events().begin(), many().events().end());
    if (chronicle->is_full()) close_chunk();
  }
  void close_chunk() {
    const crowds::Written closed = chronicle->close();
    crowd.chunks.push_back(
        std::make_shared<const crowds::Chunk>(crowds::decode_own(closed.bytes(), left.bodies[0].dimension)));
  }
  /// What can be looked at so far.
  void keep() {
    if (!chronicle->is_empty()) close_chunk();
    crowd.met = many().met();
    crowd.account = track.account = many().account();
    told = std::make_shared<const model::Model>(model::with_met(left, crowd.met));
  }
  [[nodiscard]] motion::RunView view() const {
    if (!chronicle) return motion::view(model, track);
    return crowds::as_written_out(model, told, crowds::view(*told, crowd));
  }
  [[nodiscard]] motion::Status status() const { return chronicle ? many().status() : motion().status; }

  [[nodiscard]] const motion::Motion& motion() const {
    const auto* stepped = std::get_if<stepping::Stepping>(&method);
    return stepped != nullptr ? stepped->motion : std::get<motion::Motion>(method);
  }
  [[nodiscard]] motion::Account account() const {
    const auto* stepped = std::get_if<stepping::Stepping>(&method);
    return stepped != nullptr ? stepping::account_of(model, *stepped) : motion::account_of(model, motion());
  }
  /// One piece or step further, with what is kept of it.
  bool advance() {
    if (auto* members = std::get_if<crowds::Crowd>(&method)) {
      if (!members->advance()) return false;
      take_down();
      return true;
    }
    if (auto* stepped = std::get_if<stepping::Stepping>(&method)) {
      if (!stepping::advance(*stepped)) return false;
      if (const motion::Piece* piece = stepping::piece_to_keep(*stepped)) track.pieces.push_back(*piece);
      return true;
    }
    auto& events = std::get<motion::Motion>(method);
    if (!motion::advance(events)) return false;
    track.events.insert(track.events.end(), events.events.begin(), events.events.end());
    if (events.piece.length > 0) track.pieces.push_back(events.piece);
    return true;
  }

  static double since(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

  /// On until the time is up or the motion ends.
  bool go_on(double milliseconds) {
    const auto begun = Clock::now();
    bool going = false;
    while (advance()) {
      if (1e3 * since(begun) >= milliseconds && status() == motion::Status::going) {
        going = true;
        break;
      }
    }
    seconds += since(begun);
    if (chronicle) {
      keep();
    } else {
      track.account = account();
    }
    track.account.seconds = seconds;
    if (going) track.account.status = motion::Status::interrupted;
    crowd.account = track.account;
    return going;
  }
};

Session::Session(std::string_view text, std::string_view settings_text, bool both_laws) {
  const Settings settings = read_settings(settings_text);
  Scene asked = scene(text, settings);
  if (!settings.position.empty() || !settings.velocity.empty()) {
    asked.model = motion::begun_at(asked.model, asked.state, asked.model.simulation.until);
  }
  const model::Simulation& times = asked.model.simulation;
  if (!(times.until > times.start)) {
    throw Error({asked.model.file, 0, 0}, fmt::format("the run starts at {} and would end before, at {}",
                                                      exact(times.start), exact(times.until)));
  }
  if (!both_laws && asked.model.rows() >= crowds::least_elastic_pairs) {
    model::Model left = model::load(asked.model.text, asked.model.file, settings.overrides, model::Pairs::left);
    left.initial_position = asked.model.initial_position;
    left.initial_velocity = asked.model.initial_velocity;
    left.simulation = asked.model.simulation;
    if (crowds::is_crowd(left)) {
      sides_.push_back(std::make_unique<Side>(std::move(asked.model), std::move(left)));
      return;
    }
  }
  if (!both_laws) {
    sides_.push_back(std::make_unique<Side>("", std::move(asked.model)));
    return;
  }
  if (asked.model.flow) {
    throw Error({asked.model.file, 0, 0}, "a first-order system has no kinetic energy, and so no two laws to compare");
  }
  for (const model::Law law : {model::Law::straightest, model::Law::variational}) {
    sides_.push_back(std::make_unique<Side>(law == model::Law::straightest ? "straightest" : "variational",
                                            model::under_law(asked.model, law)));
  }
}

Session::~Session() = default;

bool Session::go_on(double milliseconds) {
  const double each = milliseconds / static_cast<double>(sides_.size());
  bool going = false;
  for (const auto& side : sides_) {
    if (side->status() == motion::Status::going) going = side->go_on(each) || going;
  }
  return going;
}

double Session::time() const { return sides_.front()->track.account.present.state.time; }

std::string Session::json(const std::vector<double>& sample_at) const {
  std::string out;
  const report::Sink sink = [&](std::string_view text) { out += text; };
  const Side& first = *sides_.front();
  if (sides_.size() == 1) {
    report::run_json(first.model, first.view(), sample_at, {}, sink);
    return out;
  }
  const Side& second = *sides_.back();
  const motion::RunView a = first.view();
  const motion::RunView b = second.view();
  report::compare_json({&first.model, a, {}}, {&second.model, b, {}},
                       analysis::equivalence(first.model, model::initial_state(first.model)),
                       analysis::distances(first.model, a, second.model, b, sample_at), sample_at, sink);
  return out;
}

std::string Session::page(std::uint64_t bytes, bool brief) const {
  std::vector<report::PageRun> runs;
  for (const auto& side : sides_) runs.push_back({&side->model, side->view(), side->name});
  report::PageOptions options;
  options.bytes = bytes;
  options.brief = brief;
  if (runs.size() == 2) {
    options.distance.title = "distance of the motions";
    for (const analysis::Apart& apart :
         analysis::distances(*runs[0].model, runs[0].view, *runs[1].model, runs[1].view)) {
      options.distance.time.push_back(apart.time);
      options.distance.value.push_back(apart.distance);
    }
  }
  return report::page_data(runs, options);
}

std::string Session::at(std::string_view question, double time) const {
  const Side& side = *sides_.front();
  refuse_flow(side.model);
  motion::Sample sample;
  if (!motion::state_at(side.model, side.view(), time, sample)) {
    throw Error({side.model.file, 0, 0}, fmt::format("the motion has no state at t = {}", exact(time)));
  }
  // What was let go on the way is not in the model.
  for (const motion::Event& event : side.track.events) {
    if (event.kind == motion::EventKind::let_go && event.time <= sample.state.time) {
      throw Error({side.model.file, 0, 0},
                  fmt::format("at t = {} a condition was let go: ask before that", readable(event.time, 10)));
    }
  }
  model::State state = sample.state;
  if (!sample.rho.empty()) {
    state.rho.assign(side.model.rows(), 0.0);
    for (std::size_t j = 0; j < sample.rho.size(); ++j) state.rho[sample.rows[j]] = sample.rho[j];
  }
  if (question == "accelerate") {
    return report::accelerate_json(side.model, state, instant::accelerate(side.model, state));
  }
  const report::Explanation told = report::explain(side.model, state);
  report::Writer json;
  json.open().put("text", report::explain_text(side.model, told));
  json.put_json("explain", report::explain_json(side.model, told));
  return json.close().text();
}

void Session::states(const std::vector<double>& times, std::vector<double>& position,
                     std::vector<double>& velocity) const {
  const Side& side = *sides_.front();
  position.resize(times.size() * side.model.variables);
  velocity.resize(position.size());
  motion::evaluate(side.view(), times, side.model.variables, position.data(), velocity.data());
}

std::string stepper_json(const motion::Stepper& stepper) {
  report::Writer json;
  json.open().put("time", stepper.time()).put("status", motion::words(stepper.status()));
  if (const std::string why = stepper.why(); !why.empty()) json.put("why", why);
  json.put("position", std::span<const double>(stepper.state().position));
  json.put("velocity", std::span<const double>(stepper.state().velocity));
  json.open_list("events");
  for (const motion::Event& event : stepper.events()) {
    json.open();
    report::put_event(json, stepper.model(), event);
    json.close();
  }
  json.close_list();
  return json.close().text();
}

}  // namespace zwang::live
