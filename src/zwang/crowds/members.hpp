/// What a crowd consists of: members, the walls of each, and which pairs keep which distances.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/crowds/driver.hpp"
#include "zwang/model/model.hpp"
#include "zwang/model/part.hpp"

namespace zwang::crowds {

using Vector = std::array<double, 3>;

[[nodiscard]] inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

[[nodiscard]] inline Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
[[nodiscard]] inline double sum_of_sizes(const Vector& a) { return std::abs(a[0]) + std::abs(a[1]) + std::abs(a[2]); }

/// normal.x + offset <= 0.
struct Plane {
  Vector normal{};
  double offset = 0;
  double length = 0;  ///< of the normal
  double restitution = 0;
};

/// One of the planes of a gate.
struct Wall : Plane {
  std::uint32_t row = 0;
  std::uint32_t alternative = 0;  ///< of its gate
};

/// |x - centre| >= least.
struct Post {
  std::uint32_t row = 0;
  std::uint32_t member = 0;
  Vector centre{};
  double least = 0;
  double restitution = 0;
};

/// A wall of several alternatives, of which one has to hold: those planes of it that belong to one alternative together.
struct Gate {
  std::uint32_t member = 0;
  std::uint32_t first = 0, behind = 0;  ///< in `Members::gate_walls`, by rows
  std::uint32_t alternatives = 0;
};

/// A plane that moves, and behind which members stay: one that a member carries, a piston, or one that moves as a function of time says. Its level is normal.y at
/// the place y of its owner, or the function.
struct Face {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint32_t owner = nobody;   ///< the member that carries it
  std::uint32_t driver = nobody;  ///< or the function that moves it
  Vector normal{};
  double length = 0;                 ///< of the normal
  std::vector<std::uint32_t> links;  ///< ascending
};

/// normal.x + offset + level of the face <= 0.
struct Link {
  std::uint32_t row = 0;
  std::uint32_t member = 0;
  std::uint32_t face = 0;
  Vector normal{};
  double offset = 0;
  double length = 0;  ///< of the normal
  double restitution = 0;
};

/// What two members owe each other.
struct Rule {
  std::uint32_t family = 0;
  bool swapped = false;  ///< the first of the two is of the second side
  double least = 0;
  double restitution = 0;
};

/// Everything about the members that does not change.
struct Members {
  std::uint32_t count = 0;
  std::uint32_t dimension = 2;
  std::vector<std::uint32_t> variable;  ///< first one, per member
  std::vector<model::Member> place;     ///< per member: of which body, which one
  std::vector<double> mass;
  std::vector<Vector> acceleration;
  // Where constant forces or energies are written, per variable; else empty.
  std::vector<double> written_force;  ///< of the forces alone: their work is told
  std::vector<double> pull_on;        ///< all together, with gravity
  // Walls: their rows are every member's own. Members with the same planes share a list, so that a look at them costs no memory.
  std::vector<std::uint32_t> wall_start;   ///< per member, and one behind
  std::vector<std::uint32_t> wall_row;     ///< those of a member side by side, in the order of its planes
  std::vector<std::uint32_t> plane_list;   ///< per member; empty if all have the same
  std::vector<std::uint32_t> plane_start;  ///< per list, and one behind
  std::vector<Plane> planes;
  bool same_pull = false;                 ///< do all have the same acceleration?
  std::vector<Link> links;                ///< those of a member side by side
  std::vector<std::uint32_t> link_start;  ///< per member, and one behind; empty if nobody has any
  std::vector<Face> faces;                ///< those of a member side by side, those that are driven last
  std::vector<std::uint32_t> face_start;  ///< per member, and one behind; empty if nobody has any
  std::vector<DriverShape> drivers;
  std::vector<Wall> gate_walls;
  std::vector<Gate> gates;                ///< those of a member side by side
  std::vector<std::uint32_t> gate_start;  ///< per member, and one behind; empty if nobody has any
  std::vector<Post> posts;                ///< those of a member side by side
  std::vector<std::uint32_t> post_start;  ///< per member, and one behind; empty if nobody has any
  std::vector<std::uint32_t> kind;        ///< per member: those of one kind owe others the same
  std::uint32_t kinds = 0;
  std::vector<std::uint8_t> owes_nobody;  ///< per kind
  std::vector<std::vector<Rule>> rules;   ///< [kind * kinds + kind]
  double widest = 0;                      ///< the largest distance that a pair must keep
  double least = 0;                       ///< the smallest one

  [[nodiscard]] std::span<const std::uint32_t> wall_rows_of(std::uint32_t member) const {
    return std::span(wall_row).subspan(wall_start[member], wall_start[member + 1] - wall_start[member]);
  }
  /// The walls of a member, in the order of their rows.
  [[nodiscard]] std::span<const Plane> walls_of(std::uint32_t member) const {
    const std::uint32_t list = plane_list.empty() ? 0 : plane_list[member];
    return {planes.data() + plane_start[list], plane_start[list + 1] - plane_start[list]};
  }
  [[nodiscard]] const Vector& pull_of(std::uint32_t member) const { return acceleration[same_pull ? 0 : member]; }
  [[nodiscard]] std::span<const Link> links_of(std::uint32_t member) const {
    if (link_start.empty()) return {};
    return std::span(links).subspan(link_start[member], link_start[member + 1] - link_start[member]);
  }
  [[nodiscard]] bool has_obstacles() const { return !gates.empty() || !posts.empty(); }
  /// Conditions of single members are counted through: walls, links, planes of gates, posts.
  [[nodiscard]] std::uint32_t first_obstacle() const {
    return static_cast<std::uint32_t>(wall_row.size() + links.size());
  }
  [[nodiscard]] std::span<const Gate> gates_of(std::uint32_t member) const {
    if (gate_start.empty()) return {};
    return std::span(gates).subspan(gate_start[member], gate_start[member + 1] - gate_start[member]);
  }
  [[nodiscard]] std::span<const Post> posts_of(std::uint32_t member) const {
    if (post_start.empty()) return {};
    return std::span(posts).subspan(post_start[member], post_start[member + 1] - post_start[member]);
  }
  [[nodiscard]] std::span<const Wall> walls_of(const Gate& gate) const {
    return std::span(gate_walls).subspan(gate.first, gate.behind - gate.first);
  }
  /// Numbers of the faces that a member carries: from the first up to, but not with, the second.
  [[nodiscard]] std::array<std::uint32_t, 2> faces_of(std::uint32_t member) const {
    if (face_start.empty()) return {0, 0};
    return {face_start[member], face_start[member + 1]};
  }
  [[nodiscard]] const std::vector<Rule>& rules_of(std::uint32_t a, std::uint32_t b) const {
    return kinds == 1 ? rules[0] : rules[kind[a] * std::size_t{kinds} + kind[b]];
  }
};

[[nodiscard]] Members members_of(const model::Model& model);
/// The number of the condition between two members.
[[nodiscard]] std::uint64_t row_of(const model::Model& model, const Members& members, const Rule& rule, std::uint32_t a,
                                   std::uint32_t b);

}  // namespace zwang::crowds
