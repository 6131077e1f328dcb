/// Rigid bodies as solids, the half-spaces they stay in, joints and springs.
///
/// A solid has its vertices in the body's axes; whoever draws it turns and moves them with the body: edges are pairs of vertices, triangles its faces. A ball has a
/// radius besides, and its edges show how it turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/report/scene/painters.hpp"

namespace zwang::report {

namespace {

constexpr double full_turn = 6.28318530717958647692;

/// A body's form in its own axes.
struct Form {
  std::vector<double> vertices;
  std::vector<std::uint32_t> edges;
  std::vector<std::uint32_t> triangles;
  double radius = 0;  ///< of a ball or disc
  double reach = 0;   ///< from the origin to the farthest vertex

  std::uint32_t vertex(double x, double y, double z) {
    vertices.insert(vertices.end(), {x, y, z});
    reach = std::max(reach, elementary::hypot(x, y, z));
    return static_cast<std::uint32_t>(vertices.size() / 3 - 1);
  }
  void edge(std::uint32_t a, std::uint32_t b) { edges.insert(edges.end(), {a, b}); }
  /// A flat face through corners of its own, so that it is lit as a whole.
  void face(const std::vector<Vector>& corners, bool outlined) {
    const std::uint32_t first = vertex(corners[0][0], corners[0][1], corners[0][2]);
    for (std::size_t k = 1; k < corners.size(); ++k) vertex(corners[k][0], corners[k][1], corners[k][2]);
    for (std::uint32_t k = 1; k + 1 < corners.size(); ++k)
      triangles.insert(triangles.end(), {first, first + k, first + k + 1});
    for (std::uint32_t k = 0; outlined && k < corners.size(); ++k)
      edge(first + k, first + (k + 1) % static_cast<std::uint32_t>(corners.size()));
  }
  /// A circle about the origin in the directions of two axes.
  void circle(std::size_t across, std::size_t up, double r) {
    constexpr int parts = 72;
    std::uint32_t last = 0;
    for (int k = 0; k <= parts; ++k) {
      Vector p{0, 0, 0};
      p[across] = r * elementary::cos(full_turn * k / parts);
      p[up] = r * elementary::sin(full_turn * k / parts);
      const std::uint32_t now = vertex(p[0], p[1], p[2]);
      if (k > 0) edge(last, now);
      last = now;
    }
  }
};

void add_box(Form& form, const double* size) {
  const Vector h{size[0] / 2, size[1] / 2, size[2] / 2};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      std::vector<Vector> corners;
      for (const auto& [u, v] :
           {std::array{-1.0, -1.0}, std::array{1.0, -1.0}, std::array{1.0, 1.0}, std::array{-1.0, 1.0}}) {
        Vector p{0, 0, 0};
        p[axis] = side * h[axis];
        p[(axis + 1) % 3] = u * h[(axis + 1) % 3];
        p[(axis + 2) % 3] = v * h[(axis + 2) % 3];
        corners.push_back(p);
      }
      form.face(corners, true);
    }
  }
}

/// A body of revolution about z: radius and height of its profile; circles at the places that are marked, four lines along it.
void add_turned(Form& form, const std::vector<std::array<double, 3>>& profile) {
  constexpr std::uint32_t parts = 32;
  const auto first = static_cast<std::uint32_t>(form.vertices.size() / 3);
  for (const auto& [r, z, marked] : profile) {
    static_cast<void>(marked);
    for (std::uint32_t k = 0; k < parts; ++k)
      form.vertex(r * elementary::cos(full_turn * k / parts), r * elementary::sin(full_turn * k / parts), z);
  }
  for (std::uint32_t i = 0; i < profile.size(); ++i) {
    for (std::uint32_t k = 0; k < parts; ++k) {
      const std::uint32_t a = first + i * parts + k;
      const std::uint32_t b = first + i * parts + (k + 1) % parts;
      if (profile[i][2] != 0) form.edge(a, b);
      if (i + 1 == profile.size()) continue;
      if (k % (parts / 4) == 0) form.edge(a, a + parts);
      form.triangles.insert(form.triangles.end(), {a, b, a + parts, b, b + parts, a + parts});
    }
  }
}

Form form_of(const model::Model& model, const model::Body& body, std::size_t number, std::uint32_t member) {
  const model::Rigid& rigid = model.rigids[number];
  Form form;
  const bool plane = body.place() == 2;
  if (rigid.shape.empty()) {
    // From the centre to its marks.
    const std::uint32_t centre = form.vertex(0, 0, 0);
    for (const model::Mark& mark : rigid.marks) {
      const double* at = mark.at.data() + std::size_t{member} * body.place();
      form.edge(centre, form.vertex(at[0], at[1], plane ? 0 : at[2]));
    }
    return form;
  }
  const double* size = rigid.sizes.data() + std::size_t{member} * rigid.shape_sizes;
  if (rigid.shape == "ball" || rigid.shape == "disc") {
    form.radius = size[0];
    if (plane) {
      form.edge(form.vertex(0, 0, 0), form.vertex(size[0], 0, 0));
    } else {
      constexpr double above = 1.004;  // the ball itself does not hide them
      form.circle(0, 1, above * size[0]);
      form.circle(0, 2, above * size[0]);
    }
  } else if (rigid.shape == "rod") {
    form.edge(form.vertex(-size[0] / 2, 0, 0), form.vertex(size[0] / 2, 0, 0));
  } else if (plane) {
    std::vector<Vector> corners;
    if (rigid.shape == "box") {
      const double a = size[0] / 2;
      const double b = size[1] / 2;
      corners = {{-a, -b, 0}, {a, -b, 0}, {a, b, 0}, {-a, b, 0}};
    } else {
      for (std::uint32_t k = 0; k + 1 < rigid.shape_sizes; k += 2) corners.push_back({size[k], size[k + 1], 0});
    }
    form.face(corners, true);
  } else if (rigid.shape == "box") {
    add_box(form, size);
  } else if (rigid.shape == "cylinder") {
    const double h = size[1] / 2;
    // Every rim twice, so that ends and mantle are lit by themselves.
    add_turned(form, {{0, -h, 0}, {size[0], -h, 1}});
    add_turned(form, {{size[0], -h, 0}, {size[0], h, 0}});
    add_turned(form, {{size[0], h, 1}, {0, h, 0}});
  } else {
    constexpr int parts = 8;
    std::vector<std::array<double, 3>> profile;
    for (int k = -parts; k <= parts; ++k) {
      const double angle = full_turn / 4 * k / parts;
      const double up = k < 0 ? -1 : 1;
      if (k == 0) profile.push_back({size[0], -size[1] / 2, 1});
      profile.push_back(
          {size[0] * elementary::cos(angle), up * size[1] / 2 + size[0] * elementary::sin(angle), k == 0 ? 1.0 : 0.0});
    }
    add_turned(form, profile);
  }
  return form;
}

/// Is something kept inside of this body?
bool is_hollow(const model::Model& model, const std::string& name) {
  return std::any_of(model.conditions.begin(), model.conditions.end(), [&](const model::Condition& condition) {
    return condition.text.starts_with("contact " + name + ", ") && condition.text.ends_with(" inside");
  });
}

std::string anchored(const std::vector<std::uint32_t>& first_of_body, const model::Partner& partner, Canvas& canvas) {
  Vector at{0, 0, 0};
  std::copy(partner.at.begin(), partner.at.end(), at.begin());
  if (partner.body >= first_of_body.size()) {
    canvas.include(at, 0);
    return fmt::format(R"({{"at": {}}})", listed(at));
  }
  return fmt::format(R"({{"body": {}, "mark": {}}})", first_of_body[partner.body] + partner.member, listed(at));
}

}  // namespace

std::vector<std::uint32_t> first_of_bodies(const model::Model& model) {
  std::vector<std::uint32_t> out;
  std::uint32_t count = 0;
  for (const model::Body& body : model.bodies) {
    out.push_back(count);
    count += body.kind != model::BodyKind::coordinate ? body.members() : 0;
  }
  return out;
}

void paint_solids(const Stage& stage, Canvas& canvas) {
  const model::Model& model = stage.model;
  const std::vector<std::uint32_t> first_of_body = first_of_bodies(model);
  double least = 0;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    if (body.kind != model::BodyKind::rigid) continue;
    for (std::uint32_t member = 0; member < body.members() && !canvas.full(); ++member) {
      Form form = form_of(model, body, b, member);
      const std::uint32_t drawn = first_of_body[b] + member;
      Shape shape;
      shape.kind = "solid";
      shape.name = model::member_name(body, member);
      const bool hollow = is_hollow(model, body.name) || is_hollow(model, shape.name);
      if (hollow && form.radius > 0) {
        for (const auto& [across, up] : {std::array{0, 1}, std::array{0, 2}, std::array{1, 2}}) {
          if (body.place() == 3 || up == 1)
            form.circle(static_cast<std::size_t>(across), static_cast<std::size_t>(up), form.radius);
        }
        form.radius = 0;
      }
      shape.bodies = {drawn};
      shape.rest =
          fmt::format(R"(, "body": {}, "vertices": {}, "edges": {}, "triangles": {})", drawn,
                      canvas.blob.f32(form.vertices), canvas.blob.u32(form.edges), canvas.blob.u32(form.triangles));
      if (form.radius > 0) shape.rest += fmt::format(R"(, "radius": {})", exact(form.radius));
      if (hollow) shape.rest += R"(, "hollow": true)";
      canvas.shapes.push_back(std::move(shape));
      const double reach = std::max(form.reach, form.radius);
      canvas.include(stage.initial(drawn), reach);
      least = least == 0 ? reach : std::min(least, reach);
    }
  }
  if (least > 0) canvas.include_discs(least);

  for (const model::HalfSpace& half : model.half_spaces) {
    Shape shape = shape_of(stage, "plane", half.rows[0], ">=");
    shape.name = half.name;
    shape.rows = half.rows;
    Vector n{0, 0, 0};
    std::copy(half.normal.begin(), half.normal.end(), n.begin());
    // The same plane once, for all that stay above it.
    const auto known = std::find_if(canvas.shapes.begin(), canvas.shapes.end(), [&](const Shape& other) {
      return !half.moves && other.kind == "plane" &&
             other.rest ==
                 fmt::format(R"(, "normal": {}, "offset": {}, "side": -1)", listed(n), exact(neat(half.offset)));
    });
    if (known != canvas.shapes.end()) {
      known->rows.insert(known->rows.end(), half.rows.begin(), half.rows.end());
      continue;
    }
    shape.rest = fmt::format(R"(, "normal": {}, "offset": {}, "side": -1)", listed(n), exact(neat(half.offset)));
    if (half.moves) {
      RowSight sight(model, half.rows[0]);
      for (std::size_t k = 0; k < sight.slots(); ++k) sight.slot(k) = model.initial_position[sight.variable(k)];
      const double start = sight.run(stage.start);
      const std::optional<Keys> keys =
          follow(stage.start, stage.end,
                 [&](double time) -> std::optional<std::vector<double>> {
                   return std::vector<double>{n[0], n[1], n[2], half.offset + sight.run(time) - start};
                 },
                 {1, 1, 1, stage.size});
      if (keys) shape.rest = fmt::format(R"(, "side": -1, "keys": {})", canvas.json(*keys));
    }
    canvas.shapes.push_back(std::move(shape));
  }

  for (const model::Spring& spring : model.springs) {
    if (spring.joint < model.joints.size()) continue;
    Shape shape;
    shape.kind = "spring";
    shape.name = spring.name;
    shape.rest = fmt::format(R"(, "from": {}, "to": {})", anchored(first_of_body, spring.first, canvas),
                             anchored(first_of_body, spring.second, canvas));
    canvas.shapes.push_back(std::move(shape));
  }
  for (const model::Joint& joint : model.joints) {
    if (joint.kind.starts_with("rolling") || joint.kind == "gear") continue;
    Shape shape;
    shape.kind = "joint";
    shape.name = joint.name;
    const bool second = joint.second.body < model.bodies.size();
    shape.rest = fmt::format(R"(, "at": {}, "form": "{}")",
                             anchored(first_of_body, second ? joint.second : joint.first, canvas), joint.kind);
    canvas.shapes.push_back(std::move(shape));
  }
}

}  // namespace zwang::report
