/// The canvas: shapes on the way to their JSON, the box they fill, and the room that is left for them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "zwang/report/pack.hpp"
#include "zwang/report/scene/keys.hpp"
#include "zwang/report/scene/stage.hpp"

namespace zwang::report {

/// Where something is fastened.
struct Anchor {
  std::int64_t body = nobody;
  Vector at{0, 0, 0};
  std::optional<Keys> keys;
};

/// A shape on the way to its JSON.
struct Shape {
  std::string kind;
  std::string name;
  std::int64_t row = -1;
  std::string relation;
  std::vector<std::uint32_t> bodies;
  std::vector<std::uint32_t> rows;
  std::string rest;                                        ///< further keys of the JSON, each behind a comma
  double from = -std::numeric_limits<double>::infinity();  ///< of a seizure: when it begins
};

/// A shape that is coloured by a row.
[[nodiscard]] Shape shape_of(const Stage& stage, std::string kind, std::uint32_t row, std::string relation);

/// Without the rounding errors of its finding: 13 digits.
[[nodiscard]] double neat(double value);
[[nodiscard]] std::string listed(const Vector& v);

struct Canvas {
  Canvas(const Stage& where, std::uint64_t most, Blob& into);

  const Stage& stage;
  Blob& blob;
  std::uint64_t bytes = 0;  ///< room for numbers
  std::size_t base = 0;     ///< of the blob, before
  std::vector<Shape> shapes;
  std::vector<Shape> struts;  ///< of crowds: drawn last
  Scene scene;
  int meshes = 0;
  int meshes_left_out = 0;

  [[nodiscard]] bool full() const { return blob.size() - base > bytes; }

  std::string json(const Keys& keys);
  std::string json(const Anchor& anchor);
  std::string json(const Mesh& mesh, unsigned dimension);

  /// The picture shows this too, unless it is far outside.
  void include(const Vector& place, double radius);
  /// Every place of the keys, with a radius when they have four numbers each.
  void include(const Keys& keys, std::size_t each);
  /// Discs around bodies are in the picture as a whole.
  void include_discs(double radius);

  /// The shapes as JSON, as many as there is room for, into the scene.
  void write();
};

}  // namespace zwang::report
