/// Figures of a run for papers: the path, coordinates, multipliers and energy over time with the events, phase portraits.
///
/// Everything is read from the run file, piece by piece: curves are the engine's polynomials, not its samples. Of crowds a few
/// members are drawn, and a note in the figure says which.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/motion/track.hpp"

namespace zwang::report {

/// From where space is seen: along an axis, or from a direction in degrees.
struct Projection {
  bool automatic = true;  ///< the plane in which the motion lies, if it lies in one; else from (-60, 22)
  int across = -1;        ///< axes of the picture when it is a plane: 0, 1 or 2
  int up = -1;
  double azimuth = -60;
  double elevation = 22;
};
/// "xy", "xz", "yz" or "AZIMUTH,ELEVATION"; nothing when it is none of these.
[[nodiscard]] std::optional<Projection> read_projection(std::string_view text);

struct Figure {
  std::string name;  ///< "path", "coordinates", "multipliers", "energy", "phase", "phase-w"
  std::string svg;
};

[[nodiscard]] std::vector<Figure> figures(const model::Model& model, const motion::RunView& run,
                                          const Projection& projection = {});

/// The path without axes and words, for an overview; empty if the model has no picture.
[[nodiscard]] std::string path_card(const model::Model& model, const motion::RunView& run);

}  // namespace zwang::report
