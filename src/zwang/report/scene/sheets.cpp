/// Surfaces: rows that depend on one point, drawn as planes, spheres, cylinders and cones where they are such, else as meshes.
///
/// What is the same for several bodies is drawn once. A bounded distance from a fixed place is a string.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "zwang/base/number.hpp"
#include "zwang/report/scene/painters.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

bool same(const Stage& stage, const Sheet& a, const Sheet& b) {
  if (a.surface.kind != b.surface.kind || a.surface.side != b.surface.side || stage.moves(a.rows[0]) ||
      stage.model.row_kind[a.rows[0]] != stage.model.row_kind[b.rows[0]] ||
      stage.begin_of(a.rows[0]) != stage.begin_of(b.rows[0])) {
    return false;
  }
  for (std::size_t k = 0; k < a.surface.numbers.size(); ++k) {
    const double size = stage.size + std::abs(a.surface.numbers[k]);
    const bool direction =
        a.surface.kind == SurfaceKind::plane ? k < 3 : k >= 3 && a.surface.numbers.size() > 4 && k < 6;
    if (std::abs(a.surface.numbers[k] - b.surface.numbers[k]) > same_part * (direction ? 1.0 : size)) {
      return false;
    }
  }
  return true;
}

/// Is this one of the words that make up a name, alone or in the plural? A spring is no ring.
bool has_word(std::string_view name, std::string_view word) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    std::size_t end = at + word.size();
    if (end < name.size() && name[end] == 's') ++end;
    if ((at == 0 || !letter(name[at - 1])) && (end == name.size() || !letter(name[end]))) return true;
  }
  return false;
}

/// A bounded distance from a place is a string or rod, unless it is written without the word or is called a ring, wall, ...
bool is_string(const Stage& stage, const Sheet& sheet) {
  const std::uint32_t row = sheet.rows[0];
  if (sheet.surface.kind != SurfaceKind::sphere || sheet.bodies.size() >= 4 ||
      !(model::is_equation(stage.model.row_kind[row]) || sheet.surface.side > 0)) {
    return false;
  }
  const std::string& text = stage.condition(row).text;
  if (text.find("distance") == std::string::npos && text.find("norm") == std::string::npos) {
    return false;
  }
  constexpr std::string_view solid[] = {"ring",  "hoop",  "circle", "sphere", "bowl",    "wall", "dome",
                                        "shell", "globe", "disc",   "drum",   "surface", "track"};
  const std::string& name = stage.condition(row).name;
  return has_word(name, "string") ||
         std::none_of(std::begin(solid), std::end(solid), [&](std::string_view word) { return has_word(name, word); });
}

bool is_pinned(const Stage& stage, std::uint32_t row, std::int64_t body) {
  return model::is_equation(stage.model.row_kind[row]) &&
         stage.held_by[static_cast<std::size_t>(body)].size() >= stage.dimension(body);
}

std::vector<double> surface_sizes(const Stage& stage, const Surface& surface) {
  switch (surface.kind) {
    case SurfaceKind::plane: return {1, 1, 1, stage.size};
    case SurfaceKind::sphere: return {stage.size, stage.size, stage.size, stage.size};
    case SurfaceKind::cylinder: return {stage.size, stage.size, stage.size, 1, 1, 1, stage.size};
    default: return {stage.size, stage.size, stage.size, 1, 1, 1, 1};
  }
}

std::optional<Keys> surface_keys(const Stage& stage, RowSight& sight, std::uint32_t row, std::int64_t body,
                                 const Surface& first) {
  if (first.kind == SurfaceKind::other) {
    return {};
  }
  Surface last = first;
  return follow(
      stage.begin_of(row), stage.end,
      [&](double time) -> std::optional<std::vector<double>> {
        Surface now = recognise(stage.field_of(sight, body, time), stage.initial(body), stage.size);
        if (now.kind != first.kind) {
          return {};
        }
        // An axis has no sense of its own: it keeps that of the beginning.
        if (now.kind == SurfaceKind::cylinder) {
          const double sense =
              now.numbers[3] * last.numbers[3] + now.numbers[4] * last.numbers[4] + now.numbers[5] * last.numbers[5];
          for (std::size_t k = 3; k < 6 && sense < 0; ++k) {
            now.numbers[k] = -now.numbers[k];
          }
        }
        last = now;
        return now.numbers;
      },
      surface_sizes(stage, first));
}

/// distance(a, place) <= L: a string, and no sphere.
void paint_string(const Stage& stage, std::uint32_t row, std::uint32_t body, const Surface& surface,
                  const std::optional<Keys>& keys, Canvas& canvas) {
  Shape shape = shape_of(stage, "line", row, stage.relation(row, surface.side > 0));
  shape.bodies = {body};
  Anchor anchor;
  anchor.at = {surface.numbers[0], surface.numbers[1], surface.numbers[2]};
  std::string lengths = fmt::format(R"(, "length": {})", exact(neat(surface.numbers[3])));
  if (keys) {
    Keys place;
    Keys radius;
    place.time = radius.time = keys->time;
    for (std::size_t k = 0; k < keys->time.size(); ++k) {
      for (std::size_t c = 0; c < 3; ++c) {
        place.value.push_back(keys->value[4 * k + c]);
      }
      radius.value.push_back(keys->value[4 * k + 3]);
    }
    if (!steady(place, {stage.size, stage.size, stage.size})) {
      anchor.keys = std::move(place);
    }
    if (!steady(radius, {stage.size})) {
      lengths = fmt::format(R"(, "lengths": {})", canvas.json(radius));
    }
  }
  shape.rest = fmt::format(R"(, "from": {}, "to": {{"body": {}}}{})", canvas.json(anchor), body, lengths);
  canvas.shapes.push_back(std::move(shape));
}

Shape sheet_shape(const Stage& stage, const Sheet& sheet, std::string kind) {
  const std::uint32_t row = sheet.rows[0];
  Shape shape = shape_of(stage, std::move(kind), row, stage.relation(row, sheet.surface.side > 0));
  shape.bodies = sheet.bodies;
  shape.rows = sheet.rows;
  if (sheet.rows.size() > 1) {
    shape.name = stage.condition(row).name;
  }
  return shape;
}

void paint_known(const Stage& stage, const Sheet& sheet, const std::optional<Keys>& keys, Canvas& canvas) {
  const Surface& surface = sheet.surface;
  const std::vector<double>& n = surface.numbers;
  const Vector first{n[0], n[1], n[2]};
  Shape shape;
  std::string numbers;
  switch (surface.kind) {
    case SurfaceKind::plane:
      shape = sheet_shape(stage, sheet, "plane");
      numbers = fmt::format(R"(, "normal": {}, "offset": {})", listed(first), exact(neat(n[3])));
      break;
    case SurfaceKind::sphere:
      shape = sheet_shape(stage, sheet, "sphere");
      numbers = fmt::format(R"(, "centre": {}, "radius": {})", listed(first), exact(neat(n[3])));
      canvas.include(first, n[3]);
      break;
    case SurfaceKind::cylinder:
      shape = sheet_shape(stage, sheet, "cylinder");
      numbers = fmt::format(R"(, "point": {}, "axis": {}, "radius": {})", listed(first),
                            listed(Vector{n[3], n[4], n[5]}), exact(neat(n[6])));
      break;
    default:
      shape = sheet_shape(stage, sheet, "cone");
      numbers = fmt::format(R"(, "apex": {}, "axis": {}, "angle": {}, "both": {})", listed(first),
                            listed(Vector{n[3], n[4], n[5]}), exact(neat(n[6])), surface.both);
      break;
  }
  if (keys && !steady(*keys, surface_sizes(stage, surface))) {
    numbers = fmt::format(R"(, "keys": {})", canvas.json(*keys));
    if (surface.kind == SurfaceKind::sphere) {
      canvas.include(*keys, 4);
    }
  }
  shape.rest = numbers;
  if (shape.relation != "=") {
    shape.rest += fmt::format(R"(, "side": {})", surface.side);
  }
  canvas.shapes.push_back(std::move(shape));
}

/// What is sampled of a field, as the rest of a shape; what moves at some instants, as many as there is room for. Empty if nothing is seen.
template <class FieldAt>
std::string mesh_json(const Stage& stage, std::uint32_t row, bool moves, Canvas& canvas, const FieldAt& field_at) {
  constexpr int frames = 24;
  if (canvas.full()) return {};
  Vector low;
  Vector high;
  stage.sampling_box(low, high);
  const double begin = stage.begin_of(row);
  if (!moves) {
    const Field field = field_at(begin);
    const Mesh mesh = sample_mesh(field, low, high);
    return mesh.corners.empty() ? std::string() : ", " + canvas.json(mesh, field.dimension);
  }
  std::string list;
  bool any = false;
  for (int k = 0; k <= frames && !canvas.full(); ++k) {
    const double time = begin + (stage.end - begin) * k / frames;
    const Field field = field_at(time);
    const Mesh mesh = sample_mesh(field, low, high, true);
    any = any || !mesh.corners.empty();
    list += fmt::format(R"({}{{"time": {}, {}}})", list.empty() ? "" : ", ", exact(time),
                        canvas.json(mesh, field.dimension));
  }
  if (!any) return {};
  canvas.scene.notes.push_back(
      fmt::format("The moving surface of {} is drawn at {} instants.", model::row_name(stage.model, row), frames + 1));
  return fmt::format(R"(, "frames": [{}])", list);
}

void paint_mesh(const Stage& stage, const Sheet& sheet, RowSight& sight, std::int64_t body, Canvas& canvas) {
  constexpr int most_meshes = 12;
  const std::uint32_t row = sheet.rows[0];
  if (canvas.meshes >= most_meshes || canvas.full()) {
    ++canvas.meshes_left_out;
    return;
  }
  ++canvas.meshes;
  Shape shape = sheet_shape(stage, sheet, "mesh");
  shape.rest =
      mesh_json(stage, row, stage.moves(row), canvas, [&](double time) { return stage.field_of(sight, body, time); });
  if (!shape.rest.empty()) canvas.shapes.push_back(std::move(shape));
}

}  // namespace

void Sheets::note(std::uint32_t row, std::int64_t body) {
  RowSight sight(stage_.model, row);

  // The same expression with the same numbers is the same surface.
  const model::RowGroup& group = sight.group();
  std::vector<double> key{static_cast<double>(stage_.model.row_group[row]), static_cast<double>(stage_.dimension(body)),
                          static_cast<double>(stage_.model.row_kind[row]), stage_.begin_of(row)};
  for (std::size_t k = 0; k < sight.slots(); ++k) {
    key.push_back(static_cast<double>(stage_.component[sight.variable(k)]));
  }
  for (std::size_t k = 0; k < group.constants; ++k) {
    key.push_back(group.constant_of[k * group.lanes + sight.lane()]);
  }
  const auto [known, fresh] = sheet_of_.try_emplace(key, sheets_.size());
  if (!fresh) {
    if (known->second < sheets_.size()) {
      sheets_[known->second].rows.push_back(row);
      sheets_[known->second].bodies.push_back(static_cast<std::uint32_t>(body));
    }
    return;
  }
  Sheet sheet;
  sheet.surface = recognise(stage_.field_of(sight, body, stage_.begin_of(row)), stage_.initial(body), stage_.size);
  if (sheet.surface.kind == SurfaceKind::none) {
    known->second = std::numeric_limits<std::size_t>::max();
    return;
  }
  sheet.rows = {row};
  sheet.bodies = {static_cast<std::uint32_t>(body)};

  // Written in another way it may still be the same.
  for (std::size_t k = 0; k < sheets_.size() && sheet.surface.kind != SurfaceKind::other && !stage_.moves(row); ++k) {
    if (same(stage_, sheets_[k], sheet)) {
      sheets_[k].rows.push_back(row);
      sheets_[k].bodies.push_back(static_cast<std::uint32_t>(body));
      known->second = k;
      return;
    }
  }
  sheets_.push_back(std::move(sheet));
}

namespace {

/// Are two rows the same function, each of its own body?
bool is_same_function(const model::Model& model, std::uint32_t a, std::uint32_t b) {
  if (model.row_group[a] != model.row_group[b] || model.row_alternative[a] != model.row_alternative[b]) return false;
  const model::RowGroup& group = model.groups[model.row_group[a]];
  for (std::size_t k = 0; k < group.constants; ++k) {
    if (group.constant_of[k * group.lanes + model.row_lane[a]] !=
        group.constant_of[k * group.lanes + model.row_lane[b]])
      return false;
  }
  return true;
}

/// The same alternatives, painted before for another member of the family.
Shape* painted_before(const Stage& stage, std::uint32_t first, std::uint32_t count, Canvas& canvas) {
  for (Shape& shape : canvas.shapes) {
    if (shape.kind != "mesh" || shape.rows.size() < count ||
        stage.model.row_condition[shape.rows[0]] != stage.model.row_condition[first])
      continue;
    bool same = true;
    for (std::uint32_t k = 0; k < count; ++k) same = same && is_same_function(stage.model, shape.rows[k], first + k);
    if (same) return &shape;
  }
  return nullptr;
}

}  // namespace

bool paint_alternatives(const Stage& stage, std::uint32_t first, std::uint32_t count, Canvas& canvas) {
  // All rows speak of one body.
  std::vector<RowSight> sights;
  std::int64_t body = nobody;
  bool moves = false;
  for (std::uint32_t row = first; row < first + count; ++row) {
    const std::vector<std::int64_t> who = stage.bodies_of(row);
    if (who.size() != 1 || (body != nobody && who[0] != body) || model::is_equation(stage.model.row_kind[row])) {
      return false;
    }
    body = who[0];
    moves = moves || stage.moves(row);
    sights.emplace_back(stage.model, row);
  }
  if (Shape* known = painted_before(stage, first, count, canvas)) {
    known->bodies.push_back(static_cast<std::uint32_t>(body));
    for (std::uint32_t row = first; row < first + count; ++row) known->rows.push_back(row);
    return true;
  }
  double time = stage.begin_of(first);
  Field field;
  field.dimension = stage.dimension(body);
  field.value = [&](const Vector& place, Vector& slope) {
    // The best of the alternatives, each as bad as its worst row.
    std::map<std::uint32_t, std::pair<double, std::uint32_t>> worst;
    for (std::uint32_t k = 0; k < count; ++k) {
      stage.put(sights[k], body, place);
      const double value = sights[k].run(time);
      const auto [known, fresh] = worst.try_emplace(stage.model.row_alternative[first + k], value, k);
      if (!fresh && value > known->second.first) known->second = {value, k};
    }
    const auto best = std::min_element(worst.begin(), worst.end(),
                                       [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    slope = stage.gradient(sights[best->second.second], body);
    return best->second.first;
  };
  const std::string sampled = mesh_json(stage, first, moves, canvas, [&](double now) {
    time = now;
    return field;
  });
  if (sampled.empty()) return false;
  Shape shape = shape_of(stage, "mesh", first, "<=");
  shape.name = stage.condition(first).name;
  shape.bodies = {static_cast<std::uint32_t>(body)};
  for (std::uint32_t row = first; row < first + count; ++row) shape.rows.push_back(row);
  shape.rest = sampled;
  canvas.shapes.push_back(std::move(shape));
  return true;
}

void Sheets::paint(Canvas& canvas) const {
  for (const Sheet& sheet : sheets_) {
    const std::uint32_t row = sheet.rows[0];
    RowSight sight(stage_.model, row);
    const std::int64_t body = sheet.bodies[0];
    std::optional<Keys> keys;
    if (stage_.moves(row)) {
      keys = surface_keys(stage_, sight, row, body, sheet.surface);
    }
    const bool string = is_string(stage_, sheet);
    if (!string && is_pinned(stage_, row, body)) {
      continue;
    }
    if (string) {
      for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
        paint_string(stage_, sheet.rows[k], sheet.bodies[k], sheet.surface, keys, canvas);
      }
    } else if (sheet.surface.kind == SurfaceKind::other || (stage_.moves(row) && !keys)) {
      paint_mesh(stage_, sheet, sight, body, canvas);
    } else {
      paint_known(stage_, sheet, keys, canvas);
    }
  }
}

}  // namespace zwang::report
