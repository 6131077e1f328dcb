/// `zwang analyze reversal MODEL`: run forth, turn every velocity round, run back; how near the start?
#include <fmt/format.h>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/reversal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/run.hpp"

namespace zwang::cli {

namespace {

int exit_status(const analysis::Reversal& reversal) {
  using motion::Status;
  if (reversal.status == Status::finished || reversal.status == Status::stopped || reversal.duration > 0) {
    return answered;
  }
  return reversal.status == Status::gave_up ? gave_up : no_answer;
}

}  // namespace

int analyze_reversal(const Request& request) {
  const model::Model model = load(request);
  if (model.simulation.until <= model.simulation.start) {
    throw Error({"command line", 0, 0},
                fmt::format("the run starts at {} and would end before, at {}; --until sets a later end",
                            exact(model.simulation.start), exact(model.simulation.until)));
  }
  const analysis::Reversal reversal = analysis::reversal(model);
  const int status = exit_status(reversal);
  if (request.json) {
    print(report::reversal_json(model, reversal));
    return status;
  }
  const Style& s = style();
  if (request.quiet) {
    print(status != answered ? fmt::format("{}\n", motion::words(reversal.status))
                             : (reversal.reversible ? "reversible\n" : "not reversible\n"));
    return status;
  }
  print(heading(model, model.simulation.start));
  if (status != answered) {
    print(fmt::format("{}{}{}: {}\n", s.bad, motion::words(reversal.status), s.off, reversal.why));
    return status;
  }
  print(fmt::format("{}{}{}: after {} forth and as much back the motion is {} from its start\n",
                    reversal.reversible ? s.good : s.warm, reversal.reversible ? "reversible" : "not reversible", s.off,
                    readable(reversal.duration), readable(reversal.distance, 3)));
  if (reversal.expected) {
    print("  expected: forces and conditions are the same for turned velocities, and no shock occurs\n");
    if (!reversal.reversible && reversal.status == motion::Status::finished) {
      print(
          "  what is left may be rounding that the motion has magnified, as a chaotic one does: `zwang run --error` "
          "tells "
          "how uncertain its end is, and a shorter `--until` what it is before\n");
    }
  } else {
    print("  not to be expected:\n");
    for (const std::string& reason : reversal.reasons) {
      print(fmt::format("  - {}\n", reason));
    }
  }
  if (!reversal.why.empty()) {
    print(fmt::format("  {}: {}\n", motion::words(reversal.status), reversal.why));
  }
  return status;
}

}  // namespace zwang::cli
