/// What a page plots beside the motion itself, on a grid that follows the run; and its events.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/pack.hpp"
#include "zwang/report/tracks.hpp"

namespace zwang::report {

struct Channel {
  std::string group;  ///< "energy", "outputs", "multipliers", "rho", "conditions"
  std::string name;
  std::int64_t row = -1;
  std::vector<double> value;
};

struct Channels {
  std::vector<double> time;  ///< an instant at which something jumps stands there twice
  std::vector<Channel> series;
  std::uint64_t left_out = 0;  ///< series for which there was no room
  bool jumps = true;           ///< every event stands there twice
};

/// `drawn` are the rows whose multipliers colour a shape: they come first. At most `numbers` numbers in all. A `brief` look has the colours and nothing that is
/// only plotted.
[[nodiscard]] Channels channels(const model::Model& model, const motion::RunView& run, const Survey& survey,
                                const std::vector<bool>& drawn, std::uint64_t numbers, bool brief);

/// The events of a run as lists side by side.
struct EventLists {
  std::vector<double> time;
  std::vector<std::uint8_t> kind;
  std::vector<std::uint32_t> row_start{0}, row;
  std::vector<std::uint32_t> impulse_start{0}, impulse_row;
  std::vector<double> impulse;
  std::vector<std::uint32_t> change_start{0}, change_variable;
  std::vector<double> before, after;
  std::vector<double> lost;
  std::vector<std::pair<std::size_t, std::string>> notes;
  std::uint64_t left_out = 0;     ///< events that are not listed: the weaker ones
  std::uint64_t cut_changes = 0;  ///< changes of velocity that are not listed: the smaller ones of an event
  NumberType type = NumberType::f64;
};

/// What all events of a run would take, and which of them matter more than others.
struct EventSizes {
  double whole = 0;               ///< bytes as they are,
  double single = 0;              ///< in single precision,
  double small = 0;               ///< with few changes each
  std::vector<double> strengths;  ///< of every event
};

/// Of the events up to the time `end`. Where there are very many, sizes are those of some of them.
[[nodiscard]] EventSizes event_sizes(const model::Model& model, const motion::RunView& run, double end);

/// Up to the time `end`, in about so many bytes.
[[nodiscard]] EventLists event_lists(const model::Model& model, const motion::RunView& run, double end,
                                     const EventSizes& sizes, std::uint64_t bytes);

}  // namespace zwang::report
