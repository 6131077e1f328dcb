/// Wires: the curve on which a point of space moves under two equations of its own.
#include <fmt/format.h>

#include "zwang/report/scene/painters.hpp"

namespace zwang::report {

void paint_wires(const Stage& stage, Canvas& canvas) {
  for (std::size_t body = 0; body < stage.bodies.size(); ++body) {
    const std::vector<std::uint32_t>& rows = stage.held_by[body];
    if (stage.bodies[body].track.size() != 3 || rows.size() != 2 || stage.moves(rows[0]) || stage.moves(rows[1]) ||
        stage.condition(rows[0]).components > 1 || canvas.full()) {
      continue;
    }
    RowSight first(stage.model, rows[0]);
    RowSight second(stage.model, rows[1]);
    const auto number = static_cast<std::int64_t>(body);
    Vector low;
    Vector high;
    stage.sampling_box(low, high);
    for (std::size_t c = 0; c < 3; ++c) {
      low[c] -= 2.5 * stage.size;
      high[c] += 2.5 * stage.size;
    }
    const std::vector<Vector> line =
        trace_curve(stage.field_of(first, number, stage.begin_of(rows[0])),
                    stage.field_of(second, number, stage.begin_of(rows[1])), stage.initial(number), low, high);
    if (line.size() < 2) {
      continue;
    }
    std::vector<double> points;
    for (const Vector& x : line) {
      points.insert(points.end(), x.begin(), x.end());
    }
    Shape shape = shape_of(stage, "curve", rows[0], "=");
    shape.name = model::row_name(stage.model, rows[0]) + ", " + model::row_name(stage.model, rows[1]);
    shape.bodies = {static_cast<std::uint32_t>(body)};
    shape.rows = rows;
    shape.rest = fmt::format(R"(, "points": {})", canvas.blob.f32(points));
    canvas.shapes.push_back(std::move(shape));
  }
}

}  // namespace zwang::report
