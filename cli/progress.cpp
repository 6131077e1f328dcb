/// Simulated time, share of the way, steps, events, defect of the energy.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "zwang/base/number.hpp"

namespace zwang::cli {

ProgressLine::ProgressLine(const model::Model& model, bool wanted)
    : start_(model.simulation.start),
      until_(model.simulation.until),
      shown_(wanted && isatty(STDERR_FILENO) == 1),
      last_(std::chrono::steady_clock::now()) {}

ProgressLine::~ProgressLine() {
  if (drawn_) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
}

void ProgressLine::show(const runs::Progress& progress) {
  if (!shown_) {
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) {
    return;
  }
  last_ = now;
  drawn_ = true;
  const double share = std::clamp((progress.time - start_) / (until_ - start_), 0.0, 1.0);
  std::string line = fmt::format("\r\x1b[Kt = {}  {:5.1f} %  {} steps  {} events", readable(progress.time, 8),
                                 100 * share, progress.steps, progress.events);
  if (progress.motion != nullptr) line += "  energy defect " + readable(progress.energy_defect, 2);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace zwang::cli
