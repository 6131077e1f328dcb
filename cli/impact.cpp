/// `zwang impact MODEL`: the velocities after the blows, seizures and collisions of the initial instant.
#include "zwang/instant/impact.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "scene.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

namespace {

constexpr std::size_t most_solutions = 4;  // side by side

}  // namespace

int impact(const Request& request) {
  const Scene scene = read_scene(request);
  const model::Model& model = scene.model;
  const model::State& state = scene.state;
  const instant::Shock shock = instant::impact(model, state);
  if (request.json) {
    print(report::impact_json(model, shock));
    return exit_status(shock.status);
  }
  if (request.quiet) {
    print(fmt::format("{}\n", instant::words(shock.status)));
    return exit_status(shock.status);
  }
  const Style& s = style();
  print(heading(model, shock.time));
  if (exit_status(shock.status) != answered) {
    print(trouble(model, shock));
    return exit_status(shock.status);
  }
  if (shock.status == instant::ShockStatus::ambiguous) {
    std::vector<Column> columns{{"velocity before", &shock.before, &shock.position}};
    for (std::size_t k = 0; k < shock.solutions.size() && k < most_solutions; ++k)
      columns.push_back({fmt::format("solution {}", k + 1), &shock.solutions[k], &shock.position});
    print(trouble(model, shock) + "\n" + body_table(model, columns));
    return answered;
  }
  if (shock.status == instant::ShockStatus::not_needed) {
    print(fmt::format("{}no shock{}: nothing strikes, the velocities stay as they are\n\n", s.good, s.off));
  } else {
    print(fmt::format("{}regulated{}{}\n\n", s.good, s.off,
                      shock.impulses_unique ? "" : ": impulses not unique, one choice is shown"));
  }
  std::vector<double> changes(shock.before.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i] = shock.velocities[i] - shock.before[i];
  }
  print(body_table(model, {{"velocity before", &shock.before, &shock.position},
                           {"velocity after", &shock.velocities, &shock.position},
                           {"change", &changes, &shock.position}}));
  print("\n" + shock_table(model, shock));
  if (!shock.restitution_note.empty()) {
    print("\n  " + shock.restitution_note + "\n");
  }
  print("\n" + energy_line(shock.energy));
  print(certificate_line(shock.certificate));
  return answered;
}

}  // namespace zwang::cli
