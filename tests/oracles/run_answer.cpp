/// Carries a motion on with the library or the command, and brings the answer into one shape.
#include "oracles/run_answer.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "command/call.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::oracles {

namespace {

std::vector<std::string> names(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  std::vector<std::string> out;
  out.reserve(rows.size());
  for (const auto row : rows) out.push_back(row_name(model, row));
  return out;
}

SampleAnswer sample_of(const model::Model& model, const model::State& state, const std::vector<std::uint32_t>& rows,
                       const std::vector<double>& multipliers, const std::vector<double>& rho) {
  SampleAnswer out;
  out.time = state.time;
  out.positions = quantity(model, state.position);
  out.velocities = quantity(model, state.velocity);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    out.multipliers[row_name(model, rows[j])] = multipliers.at(j);
    if (!rho.empty() && model::is_variational(model, rows[j])) out.rho[row_name(model, rows[j])] = rho.at(j);
  }
  return out;
}

SampleAnswer sample_of(const Json& json) {
  SampleAnswer out;
  out.time = json.at("time").get<double>();
  out.positions = quantity(json.at("positions"));
  out.velocities = quantity(json.at("velocities"));
  if (json.contains("multipliers")) out.multipliers = numbers(json.at("multipliers"));
  if (json.contains("rho")) out.rho = numbers(json.at("rho"));
  return out;
}

/// Exit status that the command gives to an end.
int exit_of(motion::Status status) {
  switch (status) {
    case motion::Status::finished:
    case motion::Status::stopped: return 0;
    case motion::Status::gave_up: return 4;
    default: return 3;
  }
}

RunAnswer run_in_library(const std::string& text, const RunRequest& request) {
  const auto model = model::load(text, "problem.toml");
  motion::Options options;
  options.until = request.until;
  options.tolerance = request.tolerance;
  auto motion = motion::begin(model, options);
  RunAnswer answer;
  answer.held_at_start = names(model, motion.held);
  auto next = request.sample_at.begin();
  const auto present = [&] { return sample_of(model, motion.state, motion.held, motion.multipliers, motion.rho); };

  const auto take_events = [&] {
    model::State before = motion.state;
    if (motion.piece.length > 0) motion::evaluate(motion.piece, motion.piece.end(), before);
    for (const auto& event : motion.events) {
      EventAnswer out;
      out.time = event.time;
      out.kind = words(event.kind);
      out.constraints = names(model, event.rows);
      for (const auto& [row, value] : event.impulses) out.impulses[row_name(model, row)] = value;
      out.positions = quantity(model, event.position);
      out.velocities = quantity(model, event.velocity);
      if (motion.piece.length > 0) out.before = quantity(model, before.velocity);
      out.held = names(model, motion.held);
      answer.events.push_back(std::move(out));
    }
  };
  // A sample at an instant shows what is after it.
  const auto take_present = [&] {
    while (next != request.sample_at.end() && std::abs(*next - motion.state.time) <= 1e-12 * (1 + std::abs(*next))) {
      answer.samples.push_back(present());
      answer.samples.back().time = *next++;
    }
  };
  take_events();
  take_present();
  model::State state = motion.state;
  std::vector<double> multipliers;
  std::vector<double> rho;
  for (std::uint64_t pieces = 0; motion::advance(motion); ++pieces) {
    if (pieces > 1000000) throw std::runtime_error("no end after a million pieces");
    while (next != request.sample_at.end() && *next < motion.piece.end() - 1e-12 * (1 + std::abs(*next))) {
      motion::evaluate(motion.piece, *next, state);
      motion::evaluate_multipliers(motion.piece, *next, multipliers);
      motion::evaluate_rho(motion.piece, *next, rho);
      state.time = *next++;
      answer.samples.push_back(sample_of(model, state, motion.piece.rows, multipliers, rho));
    }
    take_events();
    take_present();
  }
  answer.status = words(motion.status);
  answer.exit = exit_of(motion.status);
  answer.final = present();
  answer.energy = {{"initial", motion.energy.initial},
                   {"work", motion.energy.work},
                   {"lost", motion.energy.lost},
                   {"final", motion.energy.final},
                   {"defect", motion.energy.defect()}};
  answer.drift = {{"position", motion.position_drift}, {"velocity", motion.velocity_drift}};
  answer.steps = static_cast<double>(motion.steps);
  return answer;
}

std::string exact(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// A folder that lives as long as this object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    name_ = (std::filesystem::temp_directory_path() / "zwang-run-XXXXXX").string();
    if (mkdtemp(name_.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

RunAnswer run_by_command(const std::string& text, const RunRequest& request) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments = {"run", "-", "--out", folder.name()};
  if (!std::isnan(request.until)) arguments.insert(arguments.end(), {"--until", exact(request.until)});
  if (request.tolerance > 0) arguments.insert(arguments.end(), {"--tolerance", exact(request.tolerance)});
  if (!request.sample_at.empty()) {
    std::string list;
    for (const double time : request.sample_at) list += (list.empty() ? "" : ",") + exact(time);
    arguments.insert(arguments.end(), {"--sample-at", list});
  }
  const auto outcome = command::call_json(arguments, text);
  const auto& json = outcome.json;
  if (json.is_discarded() || !json.is_object())
    throw std::runtime_error("no JSON object (exit " + std::to_string(outcome.exit) + "): " + outcome.out +
                             outcome.err);
  if (json.contains("error")) throw std::runtime_error("refused: " + json.at("error").dump());

  RunAnswer answer;
  answer.exit = outcome.exit;
  answer.status = json.at("status").get<std::string>();
  answer.final = sample_of(json.at("final"));
  if (json.contains("samples"))
    for (const auto& sample : json.at("samples")) answer.samples.push_back(sample_of(sample));
  for (const auto& event : json.at("events")) {
    EventAnswer out;
    out.time = event.at("time").get<double>();
    out.kind = event.at("kind").get<std::string>();
    out.constraints = event.at("constraints").get<std::vector<std::string>>();
    if (event.contains("impulses")) out.impulses = numbers(event.at("impulses"));
    out.positions = quantity(event.at("positions"));
    out.velocities = quantity(event.at("velocities"));
    answer.events.push_back(std::move(out));
  }
  if (json.contains("energy")) answer.energy = numbers(json.at("energy"));
  if (json.contains("drift")) answer.drift = numbers(json.at("drift"));
  answer.steps = json.at("steps").get<double>();
  return answer;
}

}  // namespace

RunAnswer run(const std::string& model, const RunRequest& request, Way way) {
  return way == Way::library ? run_in_library(model, request) : run_by_command(model, request);
}

}  // namespace zwang::oracles
