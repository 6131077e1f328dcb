/// `zwang fit MODEL DATA --free NAME,NAME`: parameters of a model from measured values, by least squares.
#include "zwang/sensitivity/fit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "commands.hpp"
#include "recorded.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/fit.hpp"

namespace zwang::cli {

int fit(const Request& request) {
  listen_to_signals();
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Overrides changed = overrides(request);
  const model::Model model = model::compile(draft, changed);
  refuse_flow(model);
  const sensitivity::Measured measured =
      report::read_measured(read_source(request.data, "the data").text, request.data);
  sensitivity::FitOptions options;
  options.go_on = [] { return !asked_to_end(); };
  const sensitivity::Fit found =
      sensitivity::fit(draft, changed, parameter_names(request.free, "--free"), measured, options);
  const int status = asked_to_end() ? interrupted : found.converged ? answered : gave_up;
  if (request.json) {
    print(report::fit_json(model, measured, found));
    return status;
  }
  if (request.quiet) {
    print(found.converged ? "fitted\n" : "not fitted\n");
    return status;
  }
  const Style& s = style();
  print(heading(model, model.simulation.start));
  if (found.converged) {
    print(fmt::format("{}fitted{} to {} values in {} steps\n\n", s.good, s.off, found.misfit.size(), found.iterations));
  } else {
    print(fmt::format("{}not fitted{}: {}\n\n", s.bad, s.off, found.why));
  }
  for (const sensitivity::FittedParameter& one : found.parameters) {
    print(fmt::format("  {} = {}{}\n", one.name, readable(one.value, 10),
                      one.deviation ? " +- " + readable(*one.deviation, 3) : ""));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(found.misfit.size(), 1));
  print(fmt::format("\n  misfit {} (root of the sum of squares; {} per value), before {}\n", readable(found.residual),
                    readable(found.residual / std::sqrt(count), 3), readable(found.first_residual)));
  return status;
}

}  // namespace zwang::cli
