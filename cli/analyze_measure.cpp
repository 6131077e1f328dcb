/// `zwang analyze measure MODEL`: Jacobi's multiplier (an invariant measure): does one exist, what is it.
#include <fmt/format.h>

#include <cmath>

#include "commands.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/analysis/measure.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/measure.hpp"

namespace zwang::cli {

int analyze_measure(const Request& request) {
  const model::Model model = load(request);
  const Source source = {model.text, model.file};
  const model::Draft draft = model::read(source.text, source.name);
  const analysis::Measure measure = analysis::measure(draft, model, model::initial_state(model));
  const int status = measure.decided ? answered : gave_up;
  if (request.json) {
    print(report::measure_json(model, measure));
    return status;
  }
  const Style& s = style();
  if (request.quiet) {
    print(!measure.decided ? "not decided\n" : measure.exists ? "exists\n" : "none\n");
    return status;
  }
  print(heading(model, model.simulation.start));
  if (!measure.decided) {
    print(fmt::format("{}not decided{}: {}\n", s.warm, s.off, measure.why));
  } else if (!measure.exists) {
    print(fmt::format("{}no measure{} with a density that depends on the position alone is preserved\n", s.bad, s.off));
    print(fmt::format("  {}\n", measure.why));
  } else {
    print(fmt::format("{}a measure{} mu dq dv is preserved by the motion\n", s.good, s.off));
    if (measure.density.empty()) {
      print(measure.jacobi ? "  mu = det M det Phi, Jacobi's determinant, too long to be written out\n"
                           : "  its density exists, but was not found among simple functions\n");
    } else {
      constexpr std::size_t readable_length = 400;
      print(measure.density.size() <= readable_length
                ? fmt::format("  mu = {}\n", measure.density)
                : fmt::format("  mu is an expression of {} characters, which --json shows\n", measure.density.size()));
      print(fmt::format("  verified by differentiation: what is left is {} of the terms\n",
                        readable(measure.residual, 2)));
    }
    if (!measure.jacobi) {
      print("  Jacobi's determinant is none\n");
    } else if (!measure.density.empty()) {
      print("  Jacobi's determinant is such a density\n");
    }
    if (measure.holonomic && measure.jacobi) {
      print("  as always where equations are between positions and forces do not depend on the velocities\n");
    }
  }
  print(std::isfinite(measure.divergence)
            ? fmt::format("  divergence of the flow at the state: {}\n", readable(measure.divergence))
            : "  at the state itself the flow has no divergence: conditions are dependent there\n");
  if (measure.points > 0) {
    print(fmt::format("  seen at {} random points near the state\n", measure.points));
  }
  if (measure.decided && !measure.exists && measure.witness.size() >= model.variables) {
    std::vector<double> position(measure.witness.begin(), measure.witness.begin() + model.variables);
    print(fmt::format("\nwitness: here {}, by {}\n\n",
                      measure.resisted ? "forces change volumes" : "the forms are not closed",
                      readable(measure.defect, 3)));
    print(body_table(model, {{"position", &position, &position, model::Sort::position}}));
  }
  return status;
}

}  // namespace zwang::cli
