/// Runs as several sub-commands make them: from MODEL and the options to a run file.
#pragma once

#include <string>

#include "request.hpp"
#include "zwang/model/model.hpp"
#include "zwang/motion/store.hpp"
#include "zwang/report/run.hpp"

namespace zwang::cli {

/// A run to be made or gone on with: its file, its model, and what there is to do.
struct Task {
  motion::Recipe recipe;
  model::Model model;
  std::string file;
  bool resumed = false;
  std::string later_until;
  report::Replacements replaced;  ///< conditions held as integrals
};

/// `name` is the file's, without ending; empty: that of the model.
[[nodiscard]] Task new_task(const Request& request, const std::string& name = "");

/// The folder of the files.
[[nodiscard]] std::string folder(const Request& request);

/// On to the end, with a line of progress; signals interrupt it.
void compute(const Request& request, const Task& task, motion::Store& store);

/// The model of a run file, from its own recipe.
[[nodiscard]] model::Model model_of(const motion::Store& store);

}  // namespace zwang::cli
