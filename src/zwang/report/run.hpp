/// The answer of `run` as JSON, and its samples and events as CSV; read piece by piece, so that the length of a run does not
/// matter.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/analysis/reversal.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/sensitivity.hpp"
#include "zwang/report/writer.hpp"

namespace zwang::report {

/// Takes text and passes it on: to a terminal, a file, a string.
using Sink = std::function<void(std::string_view)>;

/// The keys of a run into an open object; `sample_at` are the instants asked for, `files` what was written, `slopes` derivatives by
/// parameters, if any were asked for.
void put_run(Writer& json, const model::Model& model, const motion::RunView& run, const std::vector<double>& sample_at,
             const std::vector<std::string>& files, const Sink& sink, const Sensitivities& slopes = {});
/// One event, into an open object; in models of more than a hundred variables with the state of the bodies whose velocity it changed, if `changed` is asked for.
enum class EventState : std::uint8_t { whole, changed };
void put_event(Writer& json, const model::Model& model, const motion::Event& event,
               EventState state = EventState::whole);
/// Conditions that were held as integrals: name, "phi = c".
using Replacements = std::vector<std::pair<std::string, std::string>>;
void run_json(const model::Model& model, const motion::RunView& run, const std::vector<double>& sample_at,
              const std::vector<std::string>& files, const Sink& sink, const Replacements& replaced = {},
              const Sensitivities& slopes = {});

/// time, positions, velocities, multipliers (empty where a condition has none), outputs; one line per sample.
void samples_csv(const model::Model& model, const motion::RunView& run, const Sink& sink);
/// time, kind, conditions, impulses, energy lost, then the state after it; one line per event.
void events_csv(const model::Model& model, const motion::RunView& run, const Sink& sink);

[[nodiscard]] std::string reversal_json(const model::Model& model, const analysis::Reversal& reversal);

}  // namespace zwang::report
