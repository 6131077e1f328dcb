/// What paints: rows that hold a distance, ropes, surfaces, wires, the lines of [view]; one file each, beside this one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "zwang/report/scene/canvas.hpp"

namespace zwang::report {

/// A row on the distance of two points; false if it is none.
[[nodiscard]] bool paint_line(const Stage& stage, std::uint32_t row, std::int64_t a, std::int64_t b, Canvas& canvas);
/// Two points on one line along an axis that keep a distance: f = c (b - a) in this component alone; false if it is none.
[[nodiscard]] bool paint_contact(const Stage& stage, std::uint32_t row, std::int64_t a, std::int64_t b, Canvas& canvas);
/// A row on a sum of distances; false if it is none.
[[nodiscard]] bool paint_rope(const Stage& stage, std::uint32_t row, Canvas& canvas);
/// Two points that an equation of vectors holds to one another, or one that it holds to a place; false if it is neither.
[[nodiscard]] bool paint_vectors(const Stage& stage, std::uint32_t first, std::uint32_t count, Canvas& canvas);
/// The border of where a condition of several alternatives lets one point be; false if its rows speak of more.
[[nodiscard]] bool paint_alternatives(const Stage& stage, std::uint32_t first, std::uint32_t count, Canvas& canvas);
/// A point of space under two equations of its own moves on a curve.
void paint_wires(const Stage& stage, Canvas& canvas);
/// Rigid bodies as solids, the half-spaces they stay in, springs and joints.
void paint_solids(const Stage& stage, Canvas& canvas);
/// Potential energies that are springs between two points: c/2 (distance - l)^2 with c > 0.
void paint_energies(const Stage& stage, Canvas& canvas);
/// Of every body of the model: the number of its first member in the picture.
[[nodiscard]] std::vector<std::uint32_t> first_of_bodies(const model::Model& model);
/// The lines of [view].
void paint_view(const Stage& stage, Canvas& canvas);

/// A row that is a surface for one body, or several that are the same surface.
struct Sheet {
  Surface surface;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> bodies;
};

/// The surfaces of all rows, each once.
class Sheets {
 public:
  explicit Sheets(const Stage& stage) : stage_(stage) {}
  /// A row that depends on one body.
  void note(std::uint32_t row, std::int64_t body);
  void paint(Canvas& canvas) const;

 private:
  const Stage& stage_;
  std::vector<Sheet> sheets_;
  std::map<std::vector<double>, std::size_t> sheet_of_;
};

}  // namespace zwang::report
