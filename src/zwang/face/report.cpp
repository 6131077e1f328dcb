/// Pages, figures, JSON, CSV, equations.
#include "zwang/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "zwang/analysis/equations.hpp"
#include "zwang/face/inside.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/report/equations.hpp"
#include "zwang/report/explain.hpp"
#include "zwang/report/figures.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/page.hpp"
#include "zwang/report/run.hpp"
#include "zwang/report/whole_file.hpp"

namespace zwang {

namespace {

/// Below this not even an empty page fits.
constexpr std::uint64_t least_page = 1U << 16U;

template <class Write>
std::string collected(const Write& write) {
  std::string text;
  write([&](std::string_view part) { text += part; });
  return text;
}

/// The views of several runs at once, each file held meanwhile. All hold them in the same order, so that nobody waits for one who waits.
std::string page_of(std::span<const Motion> motions, std::span<const std::size_t> order,
                    std::vector<report::PageRun>& runs, const PageOptions& options) {
  if (!order.empty()) {
    const std::size_t next = order.front();
    return face::Access::inside(motions[next]).ask([&](const motion::RunView& view) {
      runs[next] = {&face::Access::system(motions[next].model()), view,
                    options.labels.empty() ? std::string() : options.labels[next]};
      return page_of(motions, order.subspan(1), runs, options);
    });
  }
  report::PageOptions how;
  how.bytes = options.bytes;
  how.title = options.title;
  return collected([&](const report::Sink& sink) { report::write_page(runs, how, sink); });
}

}  // namespace

std::string PageOptions::check() const {
  return bytes < least_page ? fmt::format("bytes: a page needs {} at least; here they are {}", least_page, bytes)
                            : std::string();
}

std::string page(const Motion& motion, const PageOptions& options) { return page({&motion, 1}, options); }

std::string page(std::span<const Motion> motions, const PageOptions& options) {
  face::require(options);
  if (motions.empty()) throw std::invalid_argument("a page needs at least one motion");
  if (!options.labels.empty() && options.labels.size() != motions.size()) {
    throw std::invalid_argument(
        fmt::format("labels: {} are given for {} motions", options.labels.size(), motions.size()));
  }
  std::vector<std::size_t> order(motions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t k) { return &face::Access::inside(motions[k]); };
  std::sort(order.begin(), order.end(),
            [&](std::size_t one, std::size_t other) { return std::less<>()(place(one), place(other)); });
  // A file answers one question at a time, so that the same one cannot be asked twice at once.
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (place(order[k - 1]) == place(order[k])) throw std::invalid_argument("a page shows every motion once");
  }
  std::vector<report::PageRun> runs(motions.size());
  return page_of(motions, order, runs, options);
}

void write_page(const Motion& motion, const std::filesystem::path& file, const PageOptions& options) {
  const std::string text = page(motion, options);
  report::write_whole(file.string(), text);
}

std::vector<Figure> figures(const Motion& motion, std::string_view seen_from) {
  report::Projection projection;
  if (!seen_from.empty()) {
    const std::optional<report::Projection> read = report::read_projection(seen_from);
    if (!read) {
      throw std::invalid_argument(
          fmt::format("seen_from: 'xy', 'xz', 'yz' or 'AZIMUTH,ELEVATION' is needed, not '{}'", seen_from));
    }
    projection = *read;
  }
  std::vector<Figure> result;
  face::Access::inside(motion).ask([&](const motion::RunView& view) {
    for (report::Figure& one : report::figures(face::Access::system(motion.model()), view, projection)) {
      result.push_back({std::move(one.name), std::move(one.svg)});
    }
    return 0;
  });
  return result;
}

std::string json(const Motion& motion, std::span<const double> sample_at) {
  std::vector<std::string> files;
  if (!motion.path().empty()) files.push_back(motion.path());
  return face::Access::inside(motion).ask([&](const motion::RunView& view) {
    return collected([&](const report::Sink& sink) {
      report::run_json(face::Access::system(motion.model()), view, {sample_at.begin(), sample_at.end()}, files, sink);
    });
  });
}

std::string json(const Model& model, const State& state, const instant::Instant& instant) {
  return report::accelerate_json(face::Access::system(model), state, instant);
}

std::string json(const Model& model, const instant::Shock& shock) {
  return report::impact_json(face::Access::system(model), shock);
}

std::string json(const Error& error) { return report::error_json(error); }

std::string explain_json(const Model& model, const State& state) {
  face::refuse_flow(model);
  face::require_state(model, state);
  const model::Model& system = face::Access::system(model);
  return report::explain_json(system, report::explain(system, state));
}

std::string samples_csv(const Motion& motion) {
  return face::Access::inside(motion).ask([&](const motion::RunView& view) {
    return collected(
        [&](const report::Sink& sink) { report::samples_csv(face::Access::system(motion.model()), view, sink); });
  });
}

std::string events_csv(const Motion& motion) {
  return face::Access::inside(motion).ask([&](const motion::RunView& view) {
    return collected(
        [&](const report::Sink& sink) { report::events_csv(face::Access::system(motion.model()), view, sink); });
  });
}

std::string_view words(Notation notation) {
  switch (notation) {
    case Notation::text: return "text";
    case Notation::latex: return "latex";
    case Notation::cpp: return "cpp";
    case Notation::python: return "python";
  }
  return "";
}

std::string equations(const Model& model, Notation notation, bool members) {
  const bool program = notation == Notation::cpp || notation == Notation::python;
  if (model.is_flow() && program) {
    throw Error({model.file(), 0, 0}, "programs are written for systems with masses; a [flow] has text and latex");
  }
  const auto inner = [&] {
    switch (notation) {
      case Notation::latex: return expressions::Notation::latex;
      case Notation::cpp: return expressions::Notation::cpp;
      case Notation::python: return expressions::Notation::python;
      case Notation::text: break;
    }
    return expressions::Notation::text;
  }();
  const model::Model& system = face::Access::system(model);
  return report::equations_of(inner, *face::Access::inside(model).draft, system, members, false);
}

}  // namespace zwang
