/// A model run to its end, or for so many steps, and what is asked of it afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion {

struct Ran {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
  std::vector<std::pair<std::string, double>> multipliers;  ///< of what is held at the end
  std::uint64_t steps = 0;
};

/// `put_aside`: saved and restored after every step.
inline Ran run_to_the_end(const std::string& text, std::uint64_t most_steps = 1000, bool put_aside = false) {
  const model::Model model = model::load(text, "ran.toml");
  Motion motion = begin(model);
  Ran out;
  out.events = motion.events;
  while (motion.steps < most_steps && advance(motion)) {
    out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
    if (put_aside) motion = restore(model, {}, save(motion));
  }
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  out.steps = motion.steps;
  for (std::size_t j = 0; j < motion.held.size(); ++j)
    out.multipliers.emplace_back(model::row_name(model, motion.held[j]), motion.multipliers[j]);
  return out;
}

}  // namespace zwang::motion
