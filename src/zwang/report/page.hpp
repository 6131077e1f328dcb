/// The animated report: one HTML file that shows a run, or several runs of one model laid over one another, without a network.
///
/// The page is the viewer's shell with the data of the runs in it (docs/reference/page-data.md): the polynomials of the motion,
/// its events, multipliers and energies, and the shapes that the conditions draw. What does not fit into the number of bytes
/// allowed is fitted again more coarsely or left out, and the page says so.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/run.hpp"

namespace zwang::report {

/// A run as it lies in its file, with the model made again from the file's recipe.
struct PageRun {
  const model::Model* model = nullptr;
  motion::RunView view;
  std::string label;  ///< in the legend: "straightest", "g = 9.81"; empty for a single run
};

/// How far two motions are apart over time, to be plotted beside runs that are compared.
struct PageDistance {
  std::string title;
  std::vector<double> time;
  std::vector<double> value;
};

struct PageOptions {
  std::uint64_t bytes = 10U << 20U;  ///< of the whole file
  std::string title;                 ///< empty: the model's
  PageDistance distance;             ///< empty: none
  bool brief = false;                ///< for a moment's look: no equations, of the plots only what colours the picture
};

/// What was written, and what the reader of the page is told about it.
struct PageAccount {
  std::uint64_t bytes = 0;
  std::vector<std::string> notes;  ///< whole sentences
};

/// The data alone, uncompressed, for whoever is in the page already: about `options.bytes` of them.
[[nodiscard]] std::string page_data(std::span<const PageRun> runs, const PageOptions& options);

/// Runs that do not have the same coordinates are an Error that says so.
PageAccount write_page(std::span<const PageRun> runs, const PageOptions& options, const Sink& sink);
/// The same into another page than the viewer's, with the marker <!--zwang:data--> where the data go; without it, an Error.
PageAccount write_page_into(std::string_view shell, std::span<const PageRun> runs, const PageOptions& options,
                            const Sink& sink);

}  // namespace zwang::report
