/// The lines of [view], which no condition draws.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/report/scene/painters.hpp"

namespace zwang::report {

void paint_view(const Stage& stage, Canvas& canvas) {
  const std::vector<std::uint32_t> first_of_body = first_of_bodies(stage.model);
  std::vector<std::uint32_t> first_of_view;
  std::uint32_t count = 0;
  for (const model::Body& body : stage.model.bodies) {
    count += body.kind != model::BodyKind::coordinate ? body.members() : 0;
  }
  for (const model::ViewPoint& point : stage.model.view.points) {
    first_of_view.push_back(count);
    count += point.members();
  }
  for (const model::ViewLine& line : stage.model.view.lines) {
    std::string through;
    for (const model::ViewAnchor& corner : line.through) {
      Anchor anchor;
      switch (corner.kind) {
        case model::ViewAnchor::Kind::body: anchor.body = first_of_body[corner.index] + corner.member; break;
        case model::ViewAnchor::Kind::view: anchor.body = first_of_view[corner.index] + corner.member; break;
        case model::ViewAnchor::Kind::fixed: std::copy(corner.at.begin(), corner.at.end(), anchor.at.begin()); break;
      }
      if (picture_dimension(stage.model) == 2) {
        anchor.at[2] = 0;
      }
      through += (through.empty() ? "" : ", ") + canvas.json(anchor);
    }
    Shape shape;
    shape.kind = "polyline";
    shape.name = line.name;
    shape.rest = fmt::format(R"(, "through": [{}], "closed": {})", through, line.closed);
    canvas.shapes.push_back(std::move(shape));
  }
}

}  // namespace zwang::report
