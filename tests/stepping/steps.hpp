/// Motions in steps and by their events, from model texts.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/stepping/stepping.hpp"

namespace zwang::stepping {

inline std::string with_method(const std::string& text, double step, double until) {
  return text + "\n[simulation]\nmethod = \"stepping\"\nstep = " + std::to_string(step) +
         "\nuntil = " + std::to_string(until) + "\n";
}

struct Ran {
  model::Model model;
  motion::Track track;
  [[nodiscard]] const std::vector<double>& position() const { return track.account.present.state.position; }
  [[nodiscard]] const std::vector<double>& velocity() const { return track.account.present.state.velocity; }
  [[nodiscard]] double multiplier(const std::string& name) const {
    const motion::Sample& end = track.account.present;
    for (std::size_t j = 0; j < end.rows.size(); ++j) {
      if (model::row_name(model, end.rows[j]) == name) return end.multipliers[j];
    }
    return 0;
  }
  [[nodiscard]] motion::Status status() const { return track.account.status; }
};

inline Ran run(const std::string& text) {
  Ran ran{model::load(text, "model.toml"), {}};
  follow(ran.model, {}, ran.track);
  return ran;
}
inline Ran in_steps(const std::string& text, double step, double until) { return run(with_method(text, step, until)); }
inline Ran by_events(const std::string& text, double until) {
  return run(text + "\n[simulation]\nuntil = " + std::to_string(until) + "\n");
}

inline double apart(const Ran& a, const Ran& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.position().size(); ++i)
    most = std::max(most, std::abs(a.position()[i] - b.position()[i]));
  return most;
}

}  // namespace zwang::stepping
