/// Shapes from conditions.
#include "zwang/report/scene.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::report {

double SceneBox::size() const {
  double out = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    out = std::fmax(out, high[c] - low[c]);
  }
  return out > 0 && std::isfinite(out) ? out : 1.0;
}

unsigned picture_dimension(const model::Model& model) {
  if (model.view.dimension != 0) {
    return model.view.dimension;
  }
  unsigned out = 0;
  for (const model::Body& body : model.bodies) {
    if (body.kind == model::BodyKind::point) {
      out = std::max<unsigned>(out, body.dimension);
    }
  }
  for (const model::ViewPoint& point : model.view.points) {
    out = std::max<unsigned>(out, point.dimension);
  }
  return out;
}

std::vector<SceneBody> scene_bodies(const model::Model& model) {
  std::vector<SceneBody> out;
  const auto add = [&](const model::Body& body, bool view, double size, std::uint32_t offset) {
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      SceneBody one;
      one.name = model::member_name(body, member);
      one.view = view;
      one.size = size;
      for (std::uint32_t c = 0; c < body.dimension; ++c) {
        one.track.push_back(offset + body.first + member * body.dimension + c);
      }
      if (!view) {
        one.mass = model.point_mass[one.track[0]];
      }
      out.push_back(std::move(one));
    }
  };
  for (const model::Body& body : model.bodies) {
    if (body.kind == model::BodyKind::point) {
      add(body, false, -1, 0);
    }
  }
  for (const model::ViewPoint& point : model.view.points) {
    add(point, true, point.size, model.variables);
  }
  return out;
}

Vector upwards(const model::Model& model) {
  const unsigned dimension = picture_dimension(model);
  Vector up = dimension == 3 ? Vector{0, 0, 1} : Vector{0, 1, 0};
  if (!model.view.up.empty()) {
    up = {0, 0, 0};
    std::copy(model.view.up.begin(), model.view.up.end(), up.begin());
    return up;
  }
  // Against gravity, where there is one.
  Vector weight{0, 0, 0};
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::point) {
      continue;
    }
    for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
      weight[k % body.dimension] += model.constant_force[body.first + k];
    }
  }
  const double size = std::hypot(weight[0], weight[1], weight[2]);
  if (size > 0 && std::isfinite(size)) {
    for (std::size_t c = 0; c < 3; ++c) {
      up[c] = -weight[c] / size + 0.0;
    }
  }
  return up;
}

SceneBox body_box(const std::vector<SceneBody>& bodies, const std::vector<double>& low,
                  const std::vector<double>& high) {
  SceneBox box;
  bool first = true;
  for (const SceneBody& body : bodies) {
    for (std::size_t c = 0; c < body.track.size(); ++c) {
      const double least = low[body.track[c]];
      const double most = high[body.track[c]];
      box.low[c] = first ? least : std::fmin(box.low[c], least);
      box.high[c] = first ? most : std::fmax(box.high[c], most);
    }
    first = false;
  }
  return box;
}

Scene scene(const model::Model& model, const std::vector<SceneBody>& bodies, const SceneBox& box, double start,
            double end, std::uint64_t bytes, Blob& blob) {
  static_cast<void>(bodies);
  static_cast<void>(start);
  static_cast<void>(end);
  static_cast<void>(bytes);
  static_cast<void>(blob);
  Scene out;
  out.box = box;
  out.drawn.assign(model.rows(), false);
  return out;
}

}  // namespace zwang::report
