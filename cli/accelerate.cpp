/// `zwang accelerate MODEL`: the true accelerations at the initial state.
#include <fmt/format.h>

#include "commands.hpp"
#include "scene.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/instant/exactly.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/report/exactly.hpp"
#include "zwang/report/json.hpp"

namespace zwang::cli {

namespace {

void print_ambiguous(const model::Model& model, const instant::Instant& instant) {
  const Style& s = style();
  print(fmt::format("{}ambiguous{}: {} of least constraint Z = {}\n\n", s.warm, s.off,
                    instant.continuum ? "infinitely many accelerations, a few of which follow, are all"
                                      : fmt::format("{} accelerations are", instant.solutions.size()),
                    readable(instant.solutions.front().constraint)));
  std::vector<Column> columns{{"free", &instant.free, &instant.position}};
  std::size_t number = 0;
  for (const instant::Minimiser& one : instant.solutions) {
    if (++number <= 4) {
      columns.push_back({fmt::format("solution {}", number), &one.accelerations, &instant.position});
    }
  }
  print(body_table(model, columns));
  print("\n" + condition_table(model, instant, false));
}

void print_determined(const model::Model& model, const instant::Instant& instant) {
  const Style& s = style();
  print(fmt::format(
      "{}determined{}: the position is {}{}\n\n", s.good, s.off,
      instant.regular ? "regular" : (instant.singular ? "singular" : "not regular (dependent conditions)"),
      instant.multipliers_unique || instant.singular ? "" : "; multipliers not unique, one choice is shown"));
  print(body_table(model, {{"free acceleration", &instant.free, &instant.position},
                           {"acceleration", &instant.accelerations, &instant.position},
                           {"reaction", &instant.reaction, &instant.position, model::Sort::force}}));
  print("\n" + condition_table(model, instant, true));
  print(fmt::format("\n  constraint Z = {}\n", readable(instant.constraint)));
  print(certificate_line(instant.certificate));
}

/// The same in fractions.
int accelerate_exactly(const Request& request) {
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Overrides instead = overrides(request);
  const model::Model model = model::compile(draft, instead);
  refuse_flow(model);
  const instant::ExactInstant instant = instant::accelerate_exactly(draft, instead, model);
  if (request.json) {
    print(report::exact_json(model, instant));
  } else if (request.quiet) {
    print(fmt::format("{}\n", instant::words(instant.status)));
  } else {
    print(report::exact_text(model, instant, style()));
  }
  return exit_status(instant.status);
}

}  // namespace

int accelerate(const Request& request) {
  if (request.exact) return accelerate_exactly(request);
  const Scene scene = read_scene(request);
  const model::Model& model = scene.model;
  const model::State& state = scene.state;
  const instant::Instant instant = instant::accelerate(model, state);
  if (request.json) {
    print(report::accelerate_json(model, state, instant));
    return exit_status(instant.status);
  }
  if (request.quiet) {
    print(fmt::format("{}\n", instant::words(instant.status)));
    return exit_status(instant.status);
  }
  print(heading(model, instant.time));
  if (instant.status == instant::Status::determined) {
    print_determined(model, instant);
  } else if (instant.status == instant::Status::ambiguous) {
    print_ambiguous(model, instant);
  } else {
    print(trouble(model, instant));
    print("\n" + condition_table(model, instant, false));
  }
  return exit_status(instant.status);
}

}  // namespace zwang::cli
