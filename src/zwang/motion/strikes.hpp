/// What a motion knows of earlier shocks, for who takes it up in its course or lets it go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "zwang/motion/advance.hpp"

namespace zwang::motion {

/// An impact remembered for the recognition of accumulations.
struct Bounce {
  std::vector<std::uint32_t> rows;
  std::vector<double> speed;  ///< f' of each before it
  double flight = 0;          ///< time since the impact before, as sum of the steps in between
  double lost = 0;            ///< energy
};

/// What a row has been struck with since the start.
struct Strikes {
  std::uint64_t count = 0;
  double hardest = 0;  ///< largest f' before one
};

/// What came before a motion was taken up: rhythms are recognised by it, and what rattles is measured.
struct Past {
  std::vector<Strikes> strikes;  ///< per row
  std::vector<Bounce> bounces;   ///< the last ones, since a limit was told
  double flight = 0;             ///< time since the last of them
};

/// A motion taken up in its course, with its past.
[[nodiscard]] Motion take_up(const model::Model& model, const Options& options, const model::State& state,
                             std::span<const std::uint32_t> held, std::span<const std::uint32_t> closing, Past past);

/// Has a sequence of shocks closed whose limit is still to be told?
[[nodiscard]] bool has_limit_ahead(const Motion& motion);

}  // namespace zwang::motion
