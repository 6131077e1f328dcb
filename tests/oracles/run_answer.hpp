/// Answers of `run` in one shape, whether they come from the library or from the command's JSON.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "oracles/answer.hpp"
#include "oracles/translate.hpp"

namespace zwang::oracles {

struct SampleAnswer {
  double time = 0;
  Quantity positions, velocities;
  Numbers multipliers;
  Numbers rho;  ///< of conditions under the variational law
};

struct EventAnswer {
  double time = 0;
  std::string kind;
  std::vector<std::string> constraints;
  Numbers impulses;
  Quantity positions, velocities;  ///< after it
  // What only the library shows: the velocities that led to it, and the rows held after it.
  Quantity before;
  std::vector<std::string> held;
};

struct RunAnswer {
  int exit = 0;
  std::string status;
  SampleAnswer final;
  std::vector<SampleAnswer> samples;
  std::vector<EventAnswer> events;
  Numbers energy, drift;
  double steps = 0;
  std::vector<std::string> held_at_start;  ///< library only
};

struct RunRequest {
  double until = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the model's own
  double tolerance = 0;                                     ///< 0: the model's own
  std::vector<double> sample_at;                            ///< ascending
};

/// Throws with the program's own message when the model is refused.
[[nodiscard]] RunAnswer run(const std::string& model, const RunRequest& request, Way way);

}  // namespace zwang::oracles
