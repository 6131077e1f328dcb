/// What a question about one instant is asked of: the start of a model, or a state of a run.
#pragma once

#include "question.hpp"
#include "zwang/model/evaluate.hpp"

namespace zwang::cli {

struct Scene {
  model::Model model;
  model::State state;
  bool of_run = false;  ///< from a run file
  bool pairs = true;    ///< the text may say conditions between any two members; false: it was seen that it says none
};

/// MODEL as every command takes it; or a run file, whose state at `--at T` it is, and without it the state that the run has reached.
[[nodiscard]] Scene read_scene(const Question& question, Flows flows = Flows::refused);

}  // namespace zwang::cli
