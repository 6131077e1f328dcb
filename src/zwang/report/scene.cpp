/// The bodies of the picture, its box and its direction; shapes from conditions, one after the other.
#include "zwang/report/scene.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/cones.hpp"
#include "zwang/report/scene/painters.hpp"

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
    out = std::max<unsigned>(out, body.place());
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
      const std::uint32_t place = view ? body.dimension : body.place();
      for (std::uint32_t c = 0; c < body.dimension; ++c) {
        (c < place ? one.track : one.turn).push_back(offset + body.first + member * body.dimension + c);
      }
      if (!view) {
        one.mass = model.point_mass[one.track[0]];
      }
      out.push_back(std::move(one));
    }
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    if (body.kind == model::BodyKind::coordinate) {
      continue;
    }
    // A solid is seen by its edges, and its centre is no point of its own.
    const std::string& shape = model.rigids[b].shape;
    const bool solid = !shape.empty() && shape != "ball" && shape != "disc";
    add(body, false, solid ? 0 : -1, 0);
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
    for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
      if (k % body.dimension < body.place()) {
        weight[k % body.dimension] += model.constant_force[body.first + k];
      }
    }
  }
  const double size = elementary::hypot(weight[0], weight[1], weight[2]);
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

namespace {

/// What a row is: a line, a contact, a rope, or a surface.
void paint_row(const Stage& stage, std::uint32_t row, std::uint32_t of_condition, Sheets& sheets, Canvas& canvas) {
  // A row and its twin are one function, and so are those of a cone.
  const model::Cone* cone = model::cone_of(stage.model, row);
  if (cone != nullptr && row != cone->row) return;
  constexpr auto of_cone = static_cast<std::uint32_t>(1 + expressions::spokes_of_cone);
  const std::uint32_t alone = cone != nullptr ? of_cone : stage.model.row_twin[row] > row ? 2 : 1;
  if (!model::is_holonomic(stage.model.row_kind[row])) {
    return;
  }
  const std::uint32_t components = stage.condition(row).components;
  if (components > alone) {
    // The rows of a member stand side by side: they are seen together, from the first.
    if (of_condition % components != 0 || alone != 1) return;
    const bool drawn = stage.condition(row).compound ? paint_alternatives(stage, row, components, canvas)
                                                     : paint_vectors(stage, row, components, canvas);
    static_cast<void>(drawn);
    return;
  }
  const std::vector<std::int64_t> who = stage.bodies_of(row);
  if (who.empty()) {
    return;
  }
  // Of coordinates that a point of the view shows, surfaces alone are seen.
  if (std::any_of(who.begin(), who.end(),
                  [&](std::int64_t body) { return stage.bodies[static_cast<std::size_t>(body)].view; })) {
    if (who.size() == 1) sheets.note(row, who[0]);
    return;
  }
  if (who.size() == 2 &&
      (paint_line(stage, row, who[0], who[1], canvas) || paint_contact(stage, row, who[0], who[1], canvas))) {
    return;
  }
  if (paint_rope(stage, row, canvas)) {
    return;
  }
  if (who.size() == 1) {
    sheets.note(row, who[0]);
  }
}

}  // namespace

std::string shape_list(const std::vector<std::string>& shapes) {
  std::string out = "[";
  for (const std::string& shape : shapes) {
    out += (out.size() > 1 ? ",\n" : "\n") + shape;
  }
  return out + "]";
}

Scene scene(const model::Model& model, const std::vector<SceneBody>& bodies, const SceneBox& box, double start,
            double end, std::uint64_t bytes, Blob& blob) {
  const Stage stage(model, bodies, box, start, end);
  Canvas canvas(stage, bytes, blob);
  if (picture_dimension(model) > 0) {
    Sheets sheets(stage);
    paint_solids(stage, canvas);
    // What joints and contacts hold is seen by the bodies themselves.
    std::vector<bool> generated(model.conditions.size(), false);
    for (const model::Generated& one : model.generated) {
      if (one.condition < generated.size()) {
        generated[one.condition] = true;
      }
    }
    std::vector<std::uint32_t> seen(model.conditions.size(), 0);
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      const std::uint32_t of_condition = seen[model.row_condition[row]]++;
      if (!generated[model.row_condition[row]]) {
        paint_row(stage, row, of_condition, sheets, canvas);
      }
    }
    sheets.paint(canvas);
    paint_wires(stage, canvas);
    if (model.springs.empty()) paint_energies(stage, canvas);
    paint_view(stage, canvas);
    canvas.shapes.insert(canvas.shapes.end(), canvas.struts.begin(), canvas.struts.end());
  }
  canvas.write();
  return std::move(canvas.scene);
}

}  // namespace zwang::report
