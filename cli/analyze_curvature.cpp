/// `zwang analyze curvature MODEL`: radius of curvature and torsion of the path of every point, at the state.
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/curvature.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/fourier.hpp"

namespace zwang::cli {

int analyze_curvature(const Request& request) {
  const model::Model model = load(request);
  const bool points = std::any_of(model.bodies.begin(), model.bodies.end(),
                                  [](const model::Body& body) { return body.kind != model::BodyKind::coordinate; });
  if (!points) {
    throw Error({model.file, 0, 0}, "the model has neither points nor bodies: coordinates alone have no path in space");
  }
  const analysis::Curvature curvature = analysis::curvature(model);
  const int status = curvature.status == motion::Status::going     ? answered
                     : curvature.status == motion::Status::gave_up ? gave_up
                                                                   : no_answer;
  if (request.json) {
    print(report::curvature_json(model, curvature));
    return status;
  }
  const Style& s = style();
  if (!request.quiet) {
    print(heading(model, model.simulation.start));
  }
  if (status != answered) {
    print(fmt::format("{}{}{}: {}\n", s.bad, motion::words(curvature.status), s.off, curvature.why));
    return status;
  }
  Table table({"point", "speed", "radius of curvature", "torsion", "the path here"});
  for (const analysis::PathOfPoint& path : curvature.paths) {
    const bool plane = model.bodies[path.body].place() == 2;
    const std::string shape = path.speed == 0                ? "rests"
                              : !path.radius                 ? "straight"
                              : plane || path.torsion == 0.0 ? "bends in a plane"
                              : *path.torsion > 0            ? "winds to the right"
                                                             : "winds to the left";
    table.row({report::path_name(model, path), readable(path.speed), path.radius ? readable(*path.radius) : "-",
               path.torsion ? readable(*path.torsion) : "-", shape});
  }
  print(table.text());
  return status;
}

}  // namespace zwang::cli
