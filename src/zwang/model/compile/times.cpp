/// When a run starts and ends, how finely it is looked at and how exactly it is followed.
#include <fmt/format.h>

#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

constexpr double most_steps = 1e9;  ///< of a run: weeks of computing

/// `--set step=…` of a model that has no parameter of this name; empty if it was not said.
std::string step_from_outside(const Compilation& work) {
  std::string last;
  for (const auto& [name, text] : work.overrides.parameters) {
    if (is_step(work, name)) last = text;
  }
  return last;
}

}  // namespace

bool is_step(const Compilation& work, const std::string& name) {
  return name == "step" && work.vocabulary.names.find(name) == work.vocabulary.names.end();
}

void read_method(Compilation& work) {
  Simulation& simulation = work.model.simulation;
  if (const Value* method = work.find("simulation", "method")) {
    if (method->text != "events" && method->text != "stepping") {
      throw work.source.error(method->place,
                              fmt::format("`method` is \"events\" or \"stepping\"; here stands \"{}\"", method->text));
    }
    if (method->text == "stepping") simulation.method = Method::stepping;
  }
  const Value* written = work.find("simulation", "step");
  const std::string outside = step_from_outside(work);
  if (simulation.method == Method::events) {
    constexpr std::string_view needs =
        "`step` is the length of a step of method = \"stepping\"; a run from event to event has none";
    if (written != nullptr) throw work.source.error(written->place, std::string(needs));
    if (!outside.empty()) throw Error({"--set step", 1, 1}, std::string(needs));
    return;
  }
  if (written == nullptr && outside.empty()) return;
  const Syntax syntax =
      outside.empty() ? work.formulas.expression(*written) : work.formulas.outside("--set step", outside);
  simulation.step = work.compute_number(syntax, "the length of a step");
  if (!(simulation.step > 0)) {
    throw work.formulas.error(syntax,
                              fmt::format("the length of a step is above 0; here it is {}", exact(simulation.step)));
  }
  const double count = (simulation.until - simulation.start) / simulation.step;
  if (!(count <= most_steps)) {
    throw work.formulas.error(syntax,
                              fmt::format("a run of {:.2g} steps of {} would never end: at most {:.0e} are made", count,
                                          exact(simulation.step), most_steps));
  }
}

void read_times(Compilation& work) {
  Simulation& simulation = work.model.simulation;
  const auto number = [&](std::string_view key, const std::string& outside, std::string_view option,
                          std::string_view where) -> std::optional<std::pair<Syntax, double>> {
    const Value* value = work.find("simulation", key);
    if (value == nullptr && outside.empty()) return {};
    Syntax syntax =
        outside.empty() ? work.formulas.expression(*value) : work.formulas.outside(std::string(option), outside);
    const double result = work.compute_number(syntax, where);
    return std::pair{std::move(syntax), result};
  };
  if (const auto start = number("start", work.overrides.start, "--at", "the start")) simulation.start = start->second;
  simulation.until = simulation.start + 10;
  if (const auto until = number("until", work.overrides.until, "--until", "the end of the run")) {
    simulation.until = until->second;
    simulation.has_until = true;
    const bool start_moved = !work.overrides.start.empty() && work.overrides.until.empty();
    if (!start_moved && simulation.until <= simulation.start) {
      throw work.formulas.error(until->first, fmt::format("the run must end after its start at {}; here it ends at {}",
                                                          exact(simulation.start), exact(simulation.until)));
    }
  }
  if (const auto tolerance = number("tolerance", work.overrides.tolerance, "--tolerance", "a tolerance")) {
    simulation.tolerance = tolerance->second;
    if (!(simulation.tolerance > 0 && simulation.tolerance < 1)) {
      throw work.formulas.error(tolerance->first, fmt::format("the tolerance must lie between 0 and 1; here it is {}",
                                                              exact(simulation.tolerance)));
    }
  }
  if (const auto touch = number("touch", {}, {}, "`touch`")) {
    simulation.touch = touch->second;
    if (!(simulation.touch > 0 && simulation.touch < 1)) {
      throw work.formulas.error(
          touch->first, fmt::format("`touch` must lie between 0 and 1; here it is {}", exact(simulation.touch)));
    }
  }
  if (const auto samples = number("samples", work.overrides.samples, "--samples", "the number of samples")) {
    const double count = work.compute_whole(samples->first, "the number of samples");
    if (count < 2 || count > 1e8) {
      throw work.formulas.error(
          samples->first,
          fmt::format("there must be at least 2 samples and at most 1e8; here stands {}", exact(count)));
    }
    simulation.samples = static_cast<std::uint32_t>(count);
  }
}

}  // namespace zwang::model
