/// What a recorded run needs around it, for the sub-commands that make runs.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "question.hpp"
#include "zwang/model/model.hpp"
#include "zwang/runs/store.hpp"

namespace zwang::cli {

/// From now on Ctrl-C and its kin ask the run to end at the next piece; a second one ends the program at once.
void listen_to_signals();
[[nodiscard]] bool asked_to_end();

/// Thrown where such a wish comes while a run is only looked at.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(const std::string& what = "interrupted before all was told; the run itself is kept")
      : std::runtime_error(what) {}
};
/// The same run; whoever reads it is interrupted when a signal comes from now on.
[[nodiscard]] motion::RunView attentive(motion::RunView run);
/// The same of a run in its file, for pictures: of a crowd with no more pieces than can be seen.
[[nodiscard]] motion::RunView shown_view(const model::Model& model, const runs::Store& store);

/// An instant as it is typed: a number, or an expression of the model's parameters.
[[nodiscard]] double instant_of(const std::string& word, const runs::Recipe& recipe);
/// --sample-at: such instants between commas.
[[nodiscard]] std::vector<double> instants(const std::string& text, const runs::Recipe& recipe,
                                           const model::Model& model);

/// Samples and events beside the run file; the names of the files.
[[nodiscard]] std::vector<std::string> write_csv(const model::Model& model, const runs::Store& store);

/// The status in a sentence; of an interrupted run that can go on, how.
[[nodiscard]] std::string verdict(const model::Model& model, const runs::Store& store, bool resumable = true);
/// The first forty and the last twenty events; what lies between is in the file.
[[nodiscard]] std::string event_table(const model::Model& model, const runs::Store& store);
/// "  rho: edge 0.25" of the conditions under the variational law, or nothing.
[[nodiscard]] std::string rho_line(const model::Model& model, const motion::Sample& sample);
/// Energy (where there is one), drift, what it cost, and the files.
[[nodiscard]] std::string summary(const runs::Store& store, const std::vector<std::string>& files,
                                  bool with_energy = true);

}  // namespace zwang::cli
