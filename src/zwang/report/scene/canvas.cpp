/// What stands in canvas.hpp.
#include "zwang/report/scene/canvas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/report/writer.hpp"

namespace zwang::report {

namespace {

std::string listed_rows(const std::vector<std::uint32_t>& numbers) {
  std::string out = "[";
  for (const std::uint32_t number : numbers) {
    out += (out.size() > 1 ? ", " : "") + std::to_string(number);
  }
  return out + "]";
}

}  // namespace

double neat(double value) {
  return std::isfinite(value) ? read_number(readable(value, 13)).value_or(value) + 0.0 : value;
}

std::string listed(const Vector& v) {
  return fmt::format("[{}, {}, {}]", exact(neat(v[0])), exact(neat(v[1])), exact(neat(v[2])));
}

Shape shape_of(const Stage& stage, std::string kind, std::uint32_t row, std::string relation) {
  Shape out;
  out.kind = std::move(kind);
  out.name = model::row_name(stage.model, row);
  out.row = row;
  out.relation = std::move(relation);
  if (stage.condition(row).seizure) {
    out.from = stage.condition(row).at;
  }
  return out;
}

Canvas::Canvas(const Stage& where, std::uint64_t most, Blob& into)
    : stage(where), blob(into), bytes(most), base(into.size()) {
  scene.box = stage.box;
  scene.drawn.assign(stage.model.rows(), false);
}

std::string Canvas::json(const Keys& keys) {
  const std::string time = blob.f64(keys.time);
  const std::string value = blob.f32(keys.value);
  return fmt::format(R"({{"time": {}, "value": {}}})", time, value);
}

std::string Canvas::json(const Anchor& anchor) {
  if (anchor.body != nobody) {
    return fmt::format(R"({{"body": {}}})", anchor.body);
  }
  if (anchor.keys) {
    Canvas::include(*anchor.keys, 3);
    return fmt::format(R"({{"keys": {}}})", json(*anchor.keys));
  }
  Canvas::include(anchor.at, 0);
  return fmt::format(R"({{"at": {}}})", listed(anchor.at));
}

std::string Canvas::json(const Mesh& mesh, unsigned dimension) {
  const std::string vertices = blob.f32(mesh.vertices);
  const std::string corners = blob.u32(mesh.corners);
  return fmt::format(R"("vertices": {}, "{}": {})", vertices, dimension == 3 ? "triangles" : "lines", corners);
}

void Canvas::include(const Vector& place, double radius) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (std::abs(place[c] - 0.5 * (stage.box.low[c] + stage.box.high[c])) + radius > 8 * stage.size) {
      return;
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    const double r = c < picture_dimension(stage.model) ? radius : 0;
    scene.box.low[c] = std::fmin(scene.box.low[c], place[c] - r);
    scene.box.high[c] = std::fmax(scene.box.high[c], place[c] + r);
  }
}

void Canvas::include(const Keys& keys, std::size_t each) {
  for (std::size_t k = 0; k + each <= keys.value.size(); k += each) {
    Canvas::include({keys.value[k], keys.value[k + 1], keys.value[k + 2]}, each == 4 ? keys.value[k + 3] : 0.0);
  }
}

void Canvas::include_discs(double radius) {
  for (std::size_t c = 0; c < picture_dimension(stage.model) && radius < 2 * stage.size; ++c) {
    scene.box.low[c] = std::fmin(scene.box.low[c], stage.box.low[c] - radius);
    scene.box.high[c] = std::fmax(scene.box.high[c], stage.box.high[c] + radius);
  }
}

void Canvas::write() {
  constexpr std::size_t most = 20000;
  const std::size_t count = std::min({shapes.size(), most, static_cast<std::size_t>(bytes / 12)});
  for (std::size_t k = 0; k < count; ++k) {
    const Shape& shape = shapes[k];
    Writer text;
    text.open().put("kind", shape.kind).put("name", shape.name);
    std::string one = text.take();
    if (shape.row >= 0) {
      one += fmt::format(R"(, "row": {})", shape.row);
      scene.drawn[static_cast<std::size_t>(shape.row)] = true;
    }
    if (shape.rows.size() > 1) {
      one += fmt::format(R"(, "rows": {})", listed_rows(shape.rows));
      for (const std::uint32_t row : shape.rows) {
        scene.drawn[row] = true;
      }
    }
    if (!shape.relation.empty()) {
      one += fmt::format(R"(, "relation": "{}")", shape.relation);
    }
    if (!shape.bodies.empty()) {
      one += fmt::format(R"(, "bodies": {})", listed_rows(shape.bodies));
    }
    if (std::isfinite(shape.from)) {
      one += fmt::format(R"(, "since": {})", exact(shape.from));
    }
    scene.shapes.push_back(one + shape.rest + "}");
  }
  if (count < shapes.size()) {
    scene.notes.push_back(fmt::format("Of {} strings, walls and surfaces {} are drawn.", shapes.size(), count));
  }
  if (meshes_left_out > 0) {
    scene.notes.push_back(
        fmt::format("{} more surfaces that are no plane, sphere, cylinder or cone are not drawn.", meshes_left_out));
  }
}

}  // namespace zwang::report
