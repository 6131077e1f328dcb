/// `zwang compare MODEL`: the motion under the straightest and under the variational law, side by side.
#include "zwang/report/compare.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "commands.hpp"
#include "pages.hpp"
#include "progress.hpp"
#include "recorded.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "tolerances.hpp"
#include "zwang/analysis/compare.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/law.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/runs/life.hpp"
#include "zwang/runs/record.hpp"

namespace zwang::cli {

namespace {

/// One of the two motions: its law, its model, its file.
struct Side {
  const char* name;
  model::Model model;
  runs::Store store;
  std::vector<std::string> files;
  model::State start;  ///< on the conditions
};

/// `stem` is that of all files, with their folder.
Side make_side(const char* name, model::Law law, const std::string& stem, const runs::Recipe& recipe,
               const model::Model& model) {
  // The text of the model may say another law, so the recipe says which one was put in its place.
  runs::Recipe marked = recipe;
  marked.law = law;
  model::Model changed = model::under_law(model, law);
  runs::Store store = runs::Store::create(fmt::format("{}-{}.sqlite", stem, name), marked, changed);
  return {name, std::move(changed), std::move(store), {}, {}};
}

void compute(Side& side, bool quiet, bool csv) {
  motion::Motion motion = runs::start_or_resume(side.model, {}, side.store);
  side.start = motion.state;
  ProgressLine progress(side.model, !quiet);
  runs::Recording recording;
  recording.go_on = [&](const runs::Progress& now) {
    progress.show(now);
    return !asked_to_end();
  };
  runs::record(side.model, motion, side.store, recording);
  side.files.push_back(side.store.path());
  if (csv) {
    const std::vector<std::string> tables = write_csv(side.model, side.store);
    side.files.insert(side.files.end(), tables.begin(), tables.end());
  }
}

std::string write_distance(const std::string& stem, const std::vector<analysis::Apart>& distance) {
  std::string name = stem + "-distance.csv";
  report::WholeFile file(name);
  report::distance_csv(distance, [&](std::string_view text) { file.put(text); });
  file.finish();
  return name;
}

/// About twenty lines, evenly over the time; the first and the last among them.
std::string distance_table(const std::vector<analysis::Apart>& distance) {
  if (distance.empty()) {
    return "  the motions have no instant in common\n";
  }
  constexpr std::size_t lines = 20;
  Table table({"time", "distance"});
  const std::size_t last = distance.size() - 1;
  const std::size_t count = std::min(lines, last);
  for (std::size_t k = 0; k <= count; ++k) {
    const analysis::Apart& apart = distance[count == 0 ? 0 : k * last / count];
    table.row({readable(apart.time, 10), readable(apart.distance)});
  }
  return table.text();
}

/// What the test says, and whether these two motions bear it out.
std::string agreement(const Side& straightest, const analysis::Equivalence& equivalence,
                      const std::vector<analysis::Apart>& distance) {
  const Style& s = style();
  const analysis::Apart most = analysis::farthest(distance);
  std::string text = !equivalence.decided ? fmt::format("{}not decided{}", s.warm, s.off)
                     : equivalence.agree  ? fmt::format("{}the laws agree{}", s.good, s.off)
                                          : fmt::format("{}the laws differ{}", s.warm, s.off);
  text += fmt::format(": {}\n", analysis::reason(straightest.model, equivalence));
  if (distance.size() < 2) {
    return text + "the motions have no time in common over which they could be compared\n";
  }
  text += fmt::format("largest distance {} at t = {} (metric of the kinetic energy)\n", readable(most.distance),
                      readable(most.time, 10));
  if (!equivalence.agree && distance.size() > 1 && most.distance <= indistinguishable) {
    text += "  these two motions hardly part all the same: other velocities, forces or rho would part them\n";
  }
  return text;
}

void print_side(const Side& side, const std::vector<double>& sample_at) {
  const Style& s = style();
  const motion::Account& account = side.store.account();
  print(fmt::format("\n{}{}{}: {}", s.bold, side.name, s.off, verdict(side.model, side.store, false)));
  print(event_table(side.model, side.store));
  const motion::RunView run = side.store.view(side.model);
  motion::Sample sample;
  for (const double time : sample_at) {
    if (motion::state_at(side.model, run, time, sample)) {
      print(fmt::format("at t = {}\n", exact(time)));
      print(body_table(side.model, {{"position", &sample.state.position, &sample.state.position, model::Sort::position},
                                    {"velocity", &sample.state.velocity, &sample.state.position}}));
    }
  }
  if (!account.present.state.position.empty()) {
    print(fmt::format("at the end, t = {}\n", readable(account.present.state.time, 10)));
    print(body_table(side.model, {{"position", &account.present.state.position, &account.present.state.position,
                                   model::Sort::position},
                                  {"velocity", &account.present.state.velocity, &account.present.state.position}}));
  }
  print(rho_line(side.model, account.present) + summary(side.store, side.files));
}

}  // namespace

int compare(const Request& request) {
  const Source source = read_source(request.model);
  const runs::Recipe recipe = runs::recipe_of(source.text, source.name, overrides(request));
  const model::Model model = model::load(source.text, source.name, recipe.overrides);
  if (model.flow) {
    throw Error({source.name, 0, 0}, "a first-order system has no kinetic energy, and so no two laws to compare");
  }
  runs::require_duration(model, model.simulation.until);
  const std::vector<double> sample_at = instants(request.sample_at, recipe, model);

  // Both motions from one start, each in its file.
  listen_to_signals();
  const std::string stem = (std::filesystem::path(manner_of(request).folder) / file_stem(request.model)).string();
  Side straightest = make_side("straightest", model::Law::straightest, stem, recipe, model);
  Side variational = make_side("variational", model::Law::variational, stem, recipe, model);
  compute(straightest, request.quiet, request.csv);
  compute(variational, request.quiet, request.csv);
  const analysis::Equivalence equivalence = analysis::equivalence(
      straightest.model, straightest.start, analysis::places_of(attentive(straightest.store.view(straightest.model))));
  const std::vector<analysis::Apart> distance =
      analysis::distances(straightest.model, attentive(straightest.store.view(straightest.model)), variational.model,
                          attentive(variational.store.view(variational.model)), sample_at);
  std::string distance_file;
  if (request.csv) {
    distance_file = write_distance(stem, distance);
    straightest.files.push_back(distance_file);
  }

  // Both over one another.
  std::vector<std::string> both;
  if (!request.no_report && !asked_to_end()) {
    const report::PageRun runs[] = {
        {&straightest.model, attentive(straightest.store.view(straightest.model)), straightest.name},
        {&variational.model, attentive(variational.store.view(variational.model)), variational.name}};
    report::PageOptions options;
    options.distance.title = "distance of the motions";
    for (const analysis::Apart& apart : distance) {
      options.distance.time.push_back(apart.time);
      options.distance.value.push_back(apart.distance);
    }
    leave_report(stem + "-laws.html", runs, both, options);
  }

  if (request.json) {
    straightest.files.insert(straightest.files.end(), both.begin(), both.end());
    report::compare_json({&straightest.model, straightest.store.view(straightest.model), straightest.files},
                         {&variational.model, variational.store.view(variational.model), variational.files},
                         equivalence, distance, sample_at, print);
  } else if (request.quiet) {
    print(equivalence.agree ? "the laws agree\n" : "the laws differ\n");
  } else {
    print(heading(model, model.simulation.start));
    print(agreement(straightest, equivalence, distance));
    print("\n" + distance_table(distance));
    print_side(straightest, sample_at);
    print_side(variational, sample_at);
    for (const std::string& file : both) {
      print(fmt::format("\nboth over one another:\n  {}\n", file));
    }
  }
  return worse(exit_status(straightest.store.account().status), exit_status(variational.store.account().status));
}

}  // namespace zwang::cli
