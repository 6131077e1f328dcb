/// What a crowd consists of: members, the walls of each, and which pairs keep which distances.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "zwang/model/model.hpp"
#include "zwang/model/part.hpp"

namespace zwang::crowds {

using Vector = std::array<double, 3>;

[[nodiscard]] inline double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// normal.x + offset <= 0.
struct Wall {
  std::uint32_t row = 0;
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
  std::vector<std::uint32_t> wall_start;  ///< per member, and one behind
  std::vector<Wall> walls;
  std::vector<std::uint32_t> kind;  ///< per member: those of one kind owe others the same
  std::uint32_t kinds = 0;
  std::vector<std::vector<Rule>> rules;  ///< [kind * kinds + kind]
  double widest = 0;                     ///< the largest distance that a pair must keep
  double least = 0;                      ///< the smallest one

  [[nodiscard]] std::span<const Wall> walls_of(std::uint32_t member) const {
    return {walls.data() + wall_start[member], wall_start[member + 1] - wall_start[member]};
  }
  [[nodiscard]] const std::vector<Rule>& rules_of(std::uint32_t a, std::uint32_t b) const {
    return rules[kind[a] * std::size_t{kinds} + kind[b]];
  }
};

[[nodiscard]] Members members_of(const model::Model& model);
/// The number of the condition between two members.
[[nodiscard]] std::uint64_t row_of(const model::Model& model, const Members& members, const Rule& rule, std::uint32_t a,
                                   std::uint32_t b);

}  // namespace zwang::crowds
