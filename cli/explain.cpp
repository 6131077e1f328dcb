/// `zwang explain MODEL`: the same answers, told step by step.
#include "zwang/report/explain.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "scene.hpp"
#include "tables.hpp"
#include "terminal.hpp"

namespace zwang::cli {

int explain(const Request& request) {
  const Scene scene = read_scene(request);
  const model::Model& model = scene.model;
  const model::State& state = scene.state;
  const report::Explanation told = report::explain(model, state);
  if (request.json) {
    print(report::explain_json(model, told));
  } else if (request.quiet) {
    print(fmt::format("{}\n", instant::words(told.instant.status)));
  } else {
    print(report::explain_text(model, told, style()));
  }
  if (!told.struck) {
    return exit_status(told.instant.status);
  }
  return told.goes_on ? exit_status(told.after.status) : exit_status(told.shock.status);
}

}  // namespace zwang::cli
