/// What there is to see: the bodies' surroundings, drawn from the conditions themselves.
///
/// A condition between positions that depends on one point is a surface (a curve in the plane), on the distance of two points a
/// string, rod or strut, on a sum of distances a rope. What it is follows from the values and gradients of its expression, not from
/// how it is written. Conditions on velocities and generalized coordinates have no shape; [view] draws those.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/report/pack.hpp"
#include "zwang/report/surfaces.hpp"
#include "zwang/report/tracks.hpp"

namespace zwang::report {

/// A point of the picture: a member of a body, or of a point of [view].
struct SceneBody {
  std::string name;
  double mass = 0;
  double size = -1;                  ///< of [view]; negative: none
  std::vector<std::uint32_t> track;  ///< 2 or 3
  bool view = false;
  std::vector<std::uint32_t> turn = {};  ///< of a rigid body: its quaternion, in the plane its angle
};

/// Half the width of the picture, and what is in it.
struct SceneBox {
  Vector low{0, 0, 0};
  Vector high{0, 0, 0};
  [[nodiscard]] double size() const;  ///< the longest side; 1 if nothing has an extent
};

[[nodiscard]] unsigned picture_dimension(const model::Model& model);
[[nodiscard]] std::vector<SceneBody> scene_bodies(const model::Model& model);
[[nodiscard]] Vector upwards(const model::Model& model);
/// Of the bodies over the whole run.
[[nodiscard]] SceneBox body_box(const std::vector<SceneBody>& bodies, const std::vector<double>& low,
                                const std::vector<double>& high);

struct Scene {
  std::vector<std::string> shapes;  ///< one JSON object each
  std::vector<bool> drawn;          ///< per row: some shape is coloured by it
  SceneBox box;                     ///< of bodies and bounded shapes
  std::vector<std::string> notes;
};

/// The shapes as one JSON array.
[[nodiscard]] std::string shape_list(const std::vector<std::string>& shapes);

/// The shapes of all conditions, in at most about so many bytes. `box` is that of the bodies, `start` to `end` the run.
[[nodiscard]] Scene scene(const model::Model& model, const std::vector<SceneBody>& bodies, const SceneBox& box,
                          double start, double end, std::uint64_t bytes, Blob& blob);

}  // namespace zwang::report
