/// Shapes from conditions, one after the other; what is the same for several bodies is drawn once.
///
/// A condition f(a, b) between two points is one on their distance if grad_a f = -grad_b f and both lie along a - b; then f = F(|a - b|),
/// and the length is the root of F. A rope is f = c (sum of square roots of squares of distances) - L, read off the tape.
#include "zwang/report/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/tape.hpp"
#include "zwang/report/writer.hpp"

namespace zwang::report {

namespace {

using expressions::Op;
using model::RowGroup;

constexpr std::int64_t nobody = -1;
constexpr std::size_t most_strands = 64;  // of a rope

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double length(const Vector& a) { return elementary::hypot(a[0], a[1], a[2]); }

/// One row's expression at any place of its points.
class RowSight {
 public:
  RowSight(const model::Model& model, std::uint32_t row)
      : group_(&model.groups[model.row_group[row]]), lane_(model.row_lane[row]), registers_(group_->tape.registers()) {
    expressions::load_constants(group_->tape, registers_.data(), 1, 1);
    for (std::size_t slot = 0; slot < group_->constants; ++slot) {
      registers_[1 + group_->positions + group_->velocities + slot] = group_->constant_of[slot * group_->lanes + lane_];
    }
  }
  [[nodiscard]] std::size_t slots() const { return group_->positions; }
  [[nodiscard]] std::uint32_t variable(std::size_t slot) const {
    return group_->position_of[slot * group_->lanes + lane_];
  }
  double& slot(std::size_t k) { return registers_[1 + k]; }
  double run(double time) {
    registers_[0] = time;
    expressions::extend(group_->tape, registers_.data(), 1, 0, 0, 1);
    return registers_[group_->tape.outputs[0]];
  }
  [[nodiscard]] double gradient(std::size_t k) const { return registers_[group_->tape.outputs[1 + k]]; }
  [[nodiscard]] double value(std::uint32_t of) const { return registers_[of]; }
  [[nodiscard]] const RowGroup& group() const { return *group_; }
  [[nodiscard]] std::size_t lane() const { return lane_; }

 private:
  const RowGroup* group_;
  std::size_t lane_;
  std::vector<double> registers_;
};

/// Evenly in [-1, 1], the same on every machine.
class Dice {
 public:
  double next() { return std::ldexp(static_cast<double>(engine_() >> 11U), -52) - 1.0; }

 private:
  std::mt19937_64 engine_{1829};
};

/// A square root in a sum of distances: from a body to another, or to a fixed place.
struct Distance {
  std::int64_t from = nobody;
  std::int64_t to = nobody;  ///< nobody: the place
  Vector place{0, 0, 0};
  double factor = 1;
};

/// Keys over time: numbers that are joined by straight lines.
struct Keys {
  std::vector<double> time;
  std::vector<double> value;
};

/// Where something is fastened.
struct Anchor {
  std::int64_t body = nobody;
  Vector at{0, 0, 0};
  std::optional<Keys> keys;
};

}  // namespace

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
    if (body.kind == model::BodyKind::point) {
      out = std::max<unsigned>(out, body.dimension);
    }
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
      for (std::uint32_t c = 0; c < body.dimension; ++c) {
        one.track.push_back(offset + body.first + member * body.dimension + c);
      }
      if (!view) {
        one.mass = model.point_mass[one.track[0]];
      }
      out.push_back(std::move(one));
    }
  };
  for (const model::Body& body : model.bodies) {
    if (body.kind == model::BodyKind::point) {
      add(body, false, -1, 0);
    }
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
    if (body.kind != model::BodyKind::point) {
      continue;
    }
    for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
      weight[k % body.dimension] += model.constant_force[body.first + k];
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

/// Without the rounding errors of its finding: 13 digits.
double neat(double value) {
  return std::isfinite(value) ? read_number(readable(value, 13)).value_or(value) + 0.0 : value;
}

std::string listed(const Vector& v) {
  return fmt::format("[{}, {}, {}]", exact(neat(v[0])), exact(neat(v[1])), exact(neat(v[2])));
}

std::string listed(const std::vector<std::uint32_t>& numbers) {
  std::string out = "[";
  for (const std::uint32_t number : numbers) {
    out += (out.size() > 1 ? ", " : "") + std::to_string(number);
  }
  return out + "]";
}

class Painter {
 public:
  Painter(const model::Model& model, const std::vector<SceneBody>& bodies, const SceneBox& box, double start,
          double end, std::uint64_t bytes, Blob& blob)
      : model_(model), bodies_(bodies), box_(box), start_(start), end_(end), bytes_(bytes), blob_(blob) {
    scene_.box = box;
    scene_.drawn.assign(model.rows(), false);
    body_of_.assign(model.variables, nobody);
    component_.assign(model.variables, 0);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      for (std::size_t c = 0; !bodies[b].view && c < bodies[b].track.size(); ++c) {
        body_of_[bodies[b].track[c]] = static_cast<std::int64_t>(b);
        component_[bodies[b].track[c]] = c;
      }
    }
    size_ = scene_size();
    base_ = blob.size();
  }

  Scene paint() {
    if (picture_dimension(model_) > 0) {
      count_equations();
      for (std::uint32_t row = 0; row < model_.rows(); ++row) {
        paint_row(row);
      }
      paint_surfaces();
      paint_wires();
      paint_view();
      shapes_.insert(shapes_.end(), struts_.begin(), struts_.end());
    }
    write();
    return std::move(scene_);
  }

 private:
  // Where things are.

  /// The picture's size; where bodies hardly move, their distances from the origin count too.
  [[nodiscard]] double scene_size() const {
    double out = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      out = std::fmax(out, box_.high[c] - box_.low[c]);
    }
    if (out > 0) {
      return out;
    }
    for (std::size_t c = 0; c < 3; ++c) {
      out = std::fmax(out, std::fmax(std::abs(box_.low[c]), std::abs(box_.high[c])));
    }
    return out > 0 ? out : 1.0;
  }

  [[nodiscard]] Vector initial(std::int64_t body) const {
    Vector out{0, 0, 0};
    const std::vector<std::uint32_t>& track = bodies_[static_cast<std::size_t>(body)].track;
    for (std::size_t c = 0; c < track.size(); ++c) {
      out[c] = model_.initial_position[track[c]];
    }
    return out;
  }
  [[nodiscard]] unsigned dimension(std::int64_t body) const {
    return static_cast<unsigned>(bodies_[static_cast<std::size_t>(body)].track.size());
  }
  void put(RowSight& sight, std::int64_t body, const Vector& place) const {
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      const std::uint32_t variable = sight.variable(k);
      if (body_of_[variable] == body) {
        sight.slot(k) = place[component_[variable]];
      }
    }
  }
  [[nodiscard]] Vector gradient(const RowSight& sight, std::int64_t body) const {
    Vector out{0, 0, 0};
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      const std::uint32_t variable = sight.variable(k);
      if (body_of_[variable] == body) {
        out[component_[variable]] = sight.gradient(k);
      }
    }
    return out;
  }

  /// The bodies of a row in their order; empty if a coordinate takes part.
  [[nodiscard]] std::vector<std::int64_t> bodies_of(std::uint32_t row) const {
    std::vector<std::int64_t> out;
    for (std::uint32_t k = model_.row_start[row]; k < model_.row_start[row + 1]; ++k) {
      const std::int64_t body = body_of_[model_.row_column[k]];
      if (body == nobody) {
        return {};
      }
      if (std::find(out.begin(), out.end(), body) == out.end()) {
        out.push_back(body);
      }
    }
    return out;
  }

  [[nodiscard]] const model::Condition& condition(std::uint32_t row) const {
    return model_.conditions[model_.row_condition[row]];
  }
  /// When the row is first looked at.
  [[nodiscard]] double begin_of(std::uint32_t row) const {
    return condition(row).seizure ? std::clamp(condition(row).at, start_, end_) : start_;
  }
  [[nodiscard]] bool moves(std::uint32_t row) const { return model_.groups[model_.row_group[row]].rheonomic; }

  /// How many equations hold a single point: as many as it has components pin it, and then no surface is worth drawing.
  void count_equations() {
    held_by_.assign(bodies_.size(), {});
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (model_.row_kind[row] != model::RowKind::holonomic_equation) {
        continue;
      }
      const std::vector<std::int64_t> who = bodies_of(row);
      if (who.size() == 1) {
        held_by_[static_cast<std::size_t>(who[0])].push_back(row);
      }
    }
  }

  // Keys over time.

  /// Numbers over the run so that straight lines between them are right to a few parts in a thousand; none if some instant fails.
  std::optional<Keys> follow(double from, const std::function<std::optional<std::vector<double>>(double)>& look,
                             const std::vector<double>& sizes) const {
    constexpr std::size_t most = 2000;
    constexpr int first = 24;
    std::vector<std::pair<double, std::vector<double>>> list;
    for (int k = 0; k <= first; ++k) {
      const double time = k == first ? end_ : from + (end_ - from) * k / first;
      std::optional<std::vector<double>> value = look(time);
      if (!value) {
        return {};
      }
      list.emplace_back(time, std::move(*value));
    }
    for (std::size_t k = 0; k + 1 < list.size() && list.size() < most;) {
      const double middle = 0.5 * (list[k].first + list[k + 1].first);
      std::optional<std::vector<double>> value = look(middle);
      if (!value) {
        return {};
      }
      bool straight = list[k + 1].first - list[k].first < 1e-4 * (end_ - from);
      if (!straight) {
        straight = true;
        for (std::size_t i = 0; i < value->size(); ++i) {
          const double between = 0.5 * (list[k].second[i] + list[k + 1].second[i]);
          straight = straight && std::abs((*value)[i] - between) <= 2e-3 * sizes[i];
        }
      }
      if (straight) {
        ++k;
      } else {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(k) + 1, {middle, std::move(*value)});
      }
    }
    Keys out;
    for (const auto& [time, value] : list) {
      out.time.push_back(time);
      out.value.insert(out.value.end(), value.begin(), value.end());
    }
    return out;
  }
  /// All keys say the same.
  static bool steady(const Keys& keys, const std::vector<double>& sizes) {
    const std::size_t m = sizes.size();
    for (std::size_t k = m; k < keys.value.size(); ++k) {
      if (std::abs(keys.value[k] - keys.value[k % m]) > 1e-9 * sizes[k % m]) {
        return false;
      }
    }
    return true;
  }
  std::string json(const Keys& keys) {
    const std::string time = blob_.f64(keys.time);
    const std::string value = blob_.f32(keys.value);
    return fmt::format(R"({{"time": {}, "value": {}}})", time, value);
  }
  std::string json(const Anchor& anchor) {
    if (anchor.body != nobody) {
      return fmt::format(R"({{"body": {}}})", anchor.body);
    }
    if (anchor.keys) {
      include(*anchor.keys, 3);
      return fmt::format(R"({{"keys": {}}})", json(*anchor.keys));
    }
    include(anchor.at, 0);
    return fmt::format(R"({{"at": {}}})", listed(anchor.at));
  }
  /// The picture shows this too, unless it is far outside.
  void include(const Vector& place, double radius) {
    for (std::size_t c = 0; c < 3; ++c) {
      if (std::abs(place[c] - 0.5 * (box_.low[c] + box_.high[c])) + radius > 8 * size_) {
        return;
      }
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const double r = c < picture_dimension(model_) ? radius : 0;
      scene_.box.low[c] = std::fmin(scene_.box.low[c], place[c] - r);
      scene_.box.high[c] = std::fmax(scene_.box.high[c], place[c] + r);
    }
  }

  /// Every place of the keys, with a radius when they have four numbers each.
  void include(const Keys& keys, std::size_t each) {
    for (std::size_t k = 0; k + each <= keys.value.size(); k += each) {
      include({keys.value[k], keys.value[k + 1], keys.value[k + 2]}, each == 4 ? keys.value[k + 3] : 0.0);
    }
  }
  /// Discs around bodies are in the picture as a whole.
  void include_discs(double radius) {
    for (std::size_t c = 0; c < picture_dimension(model_) && radius < 2 * size_; ++c) {
      scene_.box.low[c] = std::fmin(scene_.box.low[c], box_.low[c] - radius);
      scene_.box.high[c] = std::fmax(scene_.box.high[c], box_.high[c] + radius);
    }
  }

  // Rows.

  [[nodiscard]] Shape shape_of(std::string kind, std::uint32_t row, std::string relation) const {
    Shape out;
    out.kind = std::move(kind);
    out.name = model::row_name(model_, row);
    out.row = row;
    out.relation = std::move(relation);
    if (condition(row).seizure) {
      out.from = condition(row).at;
    }
    return out;
  }
  /// Equations stay equations; for inequalities the sense in which f grows decides.
  [[nodiscard]] std::string relation(std::uint32_t row, bool grows) const {
    return model::is_equation(model_.row_kind[row]) ? "=" : grows ? "<=" : ">=";
  }

  void paint_row(std::uint32_t row) {
    // A row and its twin are one function.
    const std::uint32_t alone = model_.row_twin[row] > row ? 2 : 1;
    if (!model::is_holonomic(model_.row_kind[row]) || condition(row).components > alone) {
      return;
    }
    const std::vector<std::int64_t> who = bodies_of(row);
    if (who.empty()) {
      return;
    }
    if (who.size() == 2 && (paint_line(row, who[0], who[1]) || paint_contact(row, who[0], who[1]))) {
      return;
    }
    if (paint_rope(row)) {
      return;
    }
    if (who.size() == 1) {
      note_surface(row, who[0]);
    }
  }

  /// The distance at which f vanishes at this time, if f is a function of the distance alone.
  std::optional<double> distance_of(RowSight& sight, std::int64_t a, std::int64_t b, double time, bool& grows,
                                    double guess) const {
    Dice dice;
    const unsigned d = dimension(a);
    const Vector middle{0, 0, 0};  // where nothing is lost by rounding
    double scale = guess;
    double slope = 0;
    Vector direction{0, 0, 0};

    // The gradients, at two places of both.
    for (int k = 0; k < 3; ++k) {
      Vector p = middle;
      Vector q = middle;
      for (std::size_t c = 0; c < d; ++c) {
        p[c] += scale * dice.next();
        q[c] += scale * dice.next();
      }
      put(sight, a, p);
      put(sight, b, q);
      sight.run(time);
      const Vector f_p = gradient(sight, a);
      const Vector f_q = gradient(sight, b);
      const Vector between = minus(p, q);
      const double apart = length(between);
      slope = dot(f_p, between) / apart;
      const double size = std::fmax(length(f_p), length(f_q));
      if (!(size > 0) || !std::isfinite(size)) {
        return {};
      }
      for (std::size_t c = 0; c < 3; ++c) {
        if (std::abs(f_p[c] + f_q[c]) > 1e-7 * size || std::abs(f_p[c] - slope * between[c] / apart) > 1e-7 * size) {
          return {};
        }
        direction[c] = between[c] / apart;
      }
    }

    // The root of F by Newton's rule, from several distances.
    put(sight, b, middle);
    for (const double first : {1.0, 0.5, 2.0, 0.1, 10.0, 0.01, 100.0}) {
      double l = first * scale;
      for (int step = 0; step < 60; ++step) {
        Vector p = middle;
        for (std::size_t c = 0; c < 3; ++c) {
          p[c] += l * direction[c];
        }
        put(sight, a, p);
        const double value = sight.run(time);
        slope = dot(gradient(sight, a), direction);
        const double change = value / slope;
        if (!std::isfinite(change)) {
          break;
        }
        l = std::fmax(l - change, 0.1 * l);
        if (std::abs(change) <= 1e-14 * (l + length(middle)) && l > 0) {
          grows = slope > 0;
          return l;
        }
      }
    }
    return {};
  }

  bool paint_line(std::uint32_t row, std::int64_t a, std::int64_t b) {
    if (dimension(a) != dimension(b)) {
      return false;
    }
    RowSight sight(model_, row);
    if (sight.slots() != 2 * dimension(a)) {
      return false;
    }
    const double apart = length(minus(initial(a), initial(b)));
    const double guess = apart > 0 ? apart : size_;
    bool grows = true;
    const double begin = begin_of(row);
    const std::optional<double> now = distance_of(sight, a, b, begin, grows, guess);
    if (!now) {
      return false;
    }
    Shape shape = shape_of("line", row, relation(row, grows));
    shape.bodies = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
    shape.rest = fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}})", a, b);
    std::optional<Keys> keys;
    if (moves(row)) {
      keys = follow(begin,
                    [&](double time) -> std::optional<std::vector<double>> {
                      bool same = grows;
                      const std::optional<double> l = distance_of(sight, a, b, time, same, *now);
                      return l ? std::optional(std::vector<double>{*l}) : std::nullopt;
                    },
                    {std::fmax(size_, *now)});
    }
    if (keys && !steady(*keys, {*now})) {
      shape.rest += fmt::format(R"(, "lengths": {})", json(*keys));
    } else {
      shape.rest += fmt::format(R"(, "length": {})", exact(neat(*now)));
    }
    if (shape.relation == ">=") {
      shape.rest += fmt::format(R"(, "radius": {})", exact(neat(0.5 * *now)));
      include_discs(0.5 * *now);
      struts_.push_back(std::move(shape));
    } else {
      shapes_.push_back(std::move(shape));
    }
    return true;
  }

  /// Two points on one line along an axis that keep a distance: f = c (b - a) in this component alone.
  bool paint_contact(std::uint32_t row, std::int64_t a, std::int64_t b) {
    RowSight sight(model_, row);
    if (sight.slots() != 2 || moves(row) || dimension(a) != dimension(b)) {
      return false;
    }
    const std::size_t axis = component_[sight.variable(0)];
    if (component_[sight.variable(1)] != axis) {
      return false;
    }
    for (std::size_t c = 0; c < dimension(a); ++c) {
      const std::uint32_t p = bodies_[static_cast<std::size_t>(a)].track[c];
      const std::uint32_t q = bodies_[static_cast<std::size_t>(b)].track[c];
      const bool beside = model_.initial_position[p] != model_.initial_position[q] || model_.initial_velocity[p] != 0 ||
                          model_.initial_velocity[q] != 0;
      if (c != axis && beside) {
        return false;
      }
    }
    Vector at_a = initial(a);
    Vector at_b = initial(b);
    put(sight, a, at_a);
    put(sight, b, at_b);
    const double first = sight.run(begin_of(row));
    const double slope = sight.gradient(0);
    const double apart = sight.slot(0) - sight.slot(1);
    if (!(std::abs(slope + sight.gradient(1)) <= 1e-9 * std::abs(slope)) || apart == 0) {
      return false;
    }
    const double reach = std::abs(apart - first / slope);
    sight.slot(0) += size_;
    const double second = sight.run(begin_of(row));
    const bool linear = std::abs(second - first - slope * size_) <= 1e-9 * (std::abs(second) + std::abs(slope) * size_);
    if (!linear || !(reach > 0) || !((apart - first / slope) * apart > 0)) {
      return false;
    }
    Shape shape = shape_of("line", row, relation(row, slope * apart > 0));
    shape.bodies = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
    shape.rest =
        fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}}, "length": {})", a, b, exact(neat(reach)));
    if (shape.relation == ">=") {
      shape.rest += fmt::format(R"(, "radius": {})", exact(neat(0.5 * reach)));
      include_discs(0.5 * reach);
    }
    struts_.push_back(std::move(shape));
    return true;
  }

  // Ropes.

  /// f = constant + sum of factor * register; false if something else than square roots depends on positions.
  bool collect(const RowSight& sight, std::uint32_t at, double factor, double& constant,
               std::vector<std::pair<std::uint32_t, double>>& roots, int depth) const {
    const expressions::Tape& tape = sight.group().tape;
    const std::size_t inputs = tape.inputs.size();
    const std::size_t fixed = inputs + tape.constants.size();
    if (depth > 200 || roots.size() > most_strands) {
      return false;
    }
    if (!depends_[at]) {
      constant += factor * sight.value(at);
      return true;
    }
    if (at < fixed) {
      return false;
    }
    const expressions::Instruction& in = tape.instructions[at - fixed];
    switch (in.op) {
      case Op::add:
        return collect(sight, in.a, factor, constant, roots, depth + 1) &&
               collect(sight, in.b, factor, constant, roots, depth + 1);
      case Op::subtract:
        return collect(sight, in.a, factor, constant, roots, depth + 1) &&
               collect(sight, in.b, -factor, constant, roots, depth + 1);
      case Op::negate: return collect(sight, in.a, -factor, constant, roots, depth + 1);
      case Op::scale: return collect(sight, in.a, factor * in.c, constant, roots, depth + 1);
      case Op::multiply:
        if (!depends_[in.a]) {
          return collect(sight, in.b, factor * sight.value(in.a), constant, roots, depth + 1);
        }
        return !depends_[in.b] && collect(sight, in.a, factor * sight.value(in.b), constant, roots, depth + 1);
      case Op::divide:
        return !depends_[in.b] && collect(sight, in.a, factor / sight.value(in.b), constant, roots, depth + 1);
      case Op::sqrt: roots.emplace_back(in.a, factor); return true;
      default: return false;
    }
  }

  /// Which registers depend on positions.
  void find_dependence(const RowSight& sight) {
    const expressions::Tape& tape = sight.group().tape;
    const std::size_t fixed = tape.inputs.size() + tape.constants.size();
    depends_.assign(tape.registers(), false);
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      depends_[1 + k] = true;
    }
    for (std::size_t k = 0; k < tape.instructions.size(); ++k) {
      const expressions::Instruction& in = tape.instructions[k];
      const bool two = in.op == Op::add || in.op == Op::subtract || in.op == Op::multiply || in.op == Op::divide ||
                       in.op == Op::atan2;
      depends_[fixed + k] = depends_[in.a] || (two && depends_[in.b]);
    }
  }

  /// Is the register the square of a distance? Its second differences tell.
  std::optional<Distance> as_distance(RowSight& sight, std::uint32_t at, double time) const {
    const double h = size_;
    std::vector<double> base(sight.slots(), 0.0);
    const auto value = [&](const std::vector<double>& x) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        sight.slot(k) = x[k];
      }
      sight.run(time);
      return sight.value(at);
    };
    const double zero = value(base);
    std::vector<std::int64_t> who;
    std::vector<double> centre(sight.slots(), 0.0);
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      std::vector<double> x = base;
      x[k] = h;
      const double up = value(x);
      x[k] = -h;
      const double down = value(x);
      const double second = (up + down - 2 * zero) / (2 * h * h);
      if (!std::isfinite(second)) {
        return {};
      }
      if (std::abs(second) < 1e-9) {
        if (std::abs(up - down) > 1e-9 * (std::abs(zero) + h * h)) {
          return {};
        }
        continue;
      }
      if (std::abs(second - 1) > 1e-9) {
        return {};
      }
      centre[k] = -(up - down) / (4 * h);
      const std::int64_t body = body_of_[sight.variable(k)];
      if (std::find(who.begin(), who.end(), body) == who.end()) {
        who.push_back(body);
      }
    }
    Distance out;
    if (who.empty() || who.size() > 2) {
      return {};
    }
    out.from = who[0];
    out.to = who.size() == 2 ? who[1] : nobody;

    // At random places it is what it should be.
    Dice dice;
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      if (body_of_[sight.variable(k)] == out.from && out.to == nobody) {
        out.place[component_[sight.variable(k)]] = centre[k];
      }
    }
    const double room = h + length(out.place);
    for (int trial = 0; trial < 3; ++trial) {
      Vector p{0, 0, 0};
      Vector q = out.place;
      std::vector<double> x(sight.slots());
      for (std::size_t k = 0; k < x.size(); ++k) {
        const std::uint32_t variable = sight.variable(k);
        x[k] = room * dice.next();
        if (body_of_[variable] == out.from) {
          p[component_[variable]] = x[k];
        } else if (body_of_[variable] == out.to) {
          q[component_[variable]] = x[k];
        }
      }
      const Vector between = minus(p, q);
      if (!(std::abs(value(x) - dot(between, between)) <= 1e-9 * room * room)) {
        return {};
      }
    }
    return out;
  }

  std::optional<std::vector<Distance>> distances_of(RowSight& sight, double time, double& length_of_rope,
                                                    bool& grows) const {
    // Somewhere, so that constants have their values at this time.
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      sight.slot(k) = model_.initial_position[sight.variable(k)];
    }
    sight.run(time);
    std::vector<std::pair<std::uint32_t, double>> roots;
    double constant = 0;
    if (!collect(sight, sight.group().tape.outputs[0], 1.0, constant, roots, 0) || roots.empty()) {
      return {};
    }
    std::vector<Distance> out;
    const double unit = std::abs(roots[0].second);
    grows = roots[0].second > 0;
    double smallest = unit;
    for (const auto& [at, factor] : roots) {
      if ((factor > 0) != grows || factor == 0) {
        return {};
      }
      smallest = std::fmin(smallest, std::abs(factor));
    }
    for (const auto& [at, factor] : roots) {
      std::optional<Distance> one = as_distance(sight, at, time);
      if (!one) {
        return {};
      }
      one->factor = std::abs(factor) / smallest;
      if (std::abs(one->factor - std::round(one->factor)) > 1e-9 || one->factor > 8.5) {
        return {};
      }
      out.push_back(*one);
    }
    length_of_rope = -constant / (grows ? smallest : -smallest);
    return out;
  }

  bool paint_rope(std::uint32_t row) {
    RowSight sight(model_, row);
    if (sight.slots() > 3 * most_strands) {
      return false;
    }
    find_dependence(sight);
    double rope = 0;
    bool grows = true;
    const double begin = begin_of(row);
    const std::optional<std::vector<Distance>> parts = distances_of(sight, begin, rope, grows);
    double strands = 0;
    if (parts) {
      for (const Distance& part : *parts) {
        strands += part.factor;
      }
    }
    if (!parts || strands < 1.5 || !grows || !(rope > 0)) {
      return false;
    }

    // Ends that are the same place are one knot.
    struct Strand {
      std::size_t from, to;
    };
    std::vector<Anchor> knots;
    const auto knot = [&](std::int64_t body, const Vector& place, std::size_t part) {
      for (std::size_t k = 0; k < knots.size(); ++k) {
        if (body != nobody
                ? knots[k].body == body
                : knots[k].body == nobody && length(minus(knots[k].at, place)) <= 1e-9 * (size_ + length(place))) {
          return k;
        }
      }
      Anchor anchor;
      anchor.body = body;
      anchor.at = place;
      if (body == nobody && moves(row)) {
        std::optional<Keys> keys = follow(begin,
                                          [&](double time) -> std::optional<std::vector<double>> {
                                            double l = 0;
                                            bool g = true;
                                            const auto then = distances_of(sight, time, l, g);
                                            if (!then || then->size() <= part) {
                                              return {};
                                            }
                                            const Vector& at = (*then)[part].place;
                                            return std::vector<double>(at.begin(), at.end());
                                          },
                                          {size_, size_, size_});
        if (keys && !steady(*keys, {size_, size_, size_})) {
          anchor.keys = std::move(keys);
        }
      }
      knots.push_back(std::move(anchor));
      return knots.size() - 1;
    };
    std::vector<Strand> open;
    for (std::size_t k = 0; k < parts->size(); ++k) {
      const Distance& part = (*parts)[k];
      const std::size_t from = knot(part.from, {0, 0, 0}, k);
      const std::size_t to = knot(part.to, part.place, k);
      for (int turn = 0; turn < static_cast<int>(std::lround(part.factor)); ++turn) {
        open.push_back({from, to});
      }
    }

    // From a loose end along the strands; where they do not meet the rope lies straight.
    std::vector<std::size_t> meeting(knots.size(), 0);
    for (const Strand& strand : open) {
      ++meeting[strand.from];
      ++meeting[strand.to];
    }
    std::size_t at = 0;
    while (at + 1 < knots.size() && meeting[at] != 1) {
      ++at;
    }
    if (meeting[at] != 1) {
      at = 0;
    }
    const auto where = [&](std::size_t k) { return knots[k].body != nobody ? initial(knots[k].body) : knots[k].at; };
    std::vector<std::size_t> path{at};
    while (!open.empty()) {
      std::size_t best = open.size();
      for (std::size_t k = 0; k < open.size() && best == open.size(); ++k) {
        if (open[k].from == at || open[k].to == at) {
          best = k;
        }
      }
      if (best == open.size()) {
        // The nearest end among fixed places.
        double nearest = std::numeric_limits<double>::infinity();
        std::size_t next = 0;
        for (const Strand& strand : open) {
          for (const std::size_t end : {strand.from, strand.to}) {
            const double gap = length(minus(where(end), where(at))) + (knots[end].body != nobody ? 1e3 * size_ : 0);
            if (gap < nearest) {
              nearest = gap;
              next = end;
            }
          }
        }
        rope += length(minus(where(next), where(at)));
        path.push_back(next);
        at = next;
        continue;
      }
      at = open[best].from == at ? open[best].to : open[best].from;
      path.push_back(at);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
    }

    Shape shape = shape_of("rope", row, relation(row, grows));
    for (const Anchor& anchor : knots) {
      if (anchor.body != nobody) {
        shape.bodies.push_back(static_cast<std::uint32_t>(anchor.body));
      }
    }
    std::string through;
    for (const std::size_t k : path) {
      through += (through.empty() ? "" : ", ") + json(knots[k]);
    }
    shape.rest = fmt::format(R"(, "through": [{}], "length": {})", through, exact(neat(rope)));
    shapes_.push_back(std::move(shape));
    return true;
  }

  // Surfaces.

  /// A row that is a surface for one body, or several that are the same surface.
  struct Sheet {
    Surface surface;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> bodies;
    bool grows = true;
  };

  [[nodiscard]] Field field_of(RowSight& sight, std::int64_t body, double time) const {
    Field field;
    field.dimension = dimension(body);
    field.value = [this, &sight, body, time](const Vector& place, Vector& slope) {
      put(sight, body, place);
      const double value = sight.run(time);
      slope = gradient(sight, body);
      return value;
    };
    return field;
  }

  void note_surface(std::uint32_t row, std::int64_t body) {
    RowSight sight(model_, row);

    // The same expression with the same numbers is the same surface.
    const RowGroup& group = sight.group();
    std::vector<double> key{static_cast<double>(model_.row_group[row]), static_cast<double>(dimension(body)),
                            static_cast<double>(model_.row_kind[row]), begin_of(row)};
    for (std::size_t k = 0; k < sight.slots(); ++k) {
      key.push_back(static_cast<double>(component_[sight.variable(k)]));
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
    sheet.surface = recognise(field_of(sight, body, begin_of(row)), initial(body), size_);
    if (sheet.surface.kind == SurfaceKind::none) {
      known->second = std::numeric_limits<std::size_t>::max();
      return;
    }
    sheet.rows = {row};
    sheet.bodies = {static_cast<std::uint32_t>(body)};

    // Written in another way it may still be the same.
    for (std::size_t k = 0; k < sheets_.size() && sheet.surface.kind != SurfaceKind::other && !moves(row); ++k) {
      if (same(sheets_[k], sheet)) {
        sheets_[k].rows.push_back(row);
        sheets_[k].bodies.push_back(static_cast<std::uint32_t>(body));
        known->second = k;
        return;
      }
    }
    sheets_.push_back(std::move(sheet));
  }

  [[nodiscard]] bool same(const Sheet& a, const Sheet& b) const {
    if (a.surface.kind != b.surface.kind || a.surface.side != b.surface.side || moves(a.rows[0]) ||
        model_.row_kind[a.rows[0]] != model_.row_kind[b.rows[0]] || begin_of(a.rows[0]) != begin_of(b.rows[0])) {
      return false;
    }
    for (std::size_t k = 0; k < a.surface.numbers.size(); ++k) {
      const double size = size_ + std::abs(a.surface.numbers[k]);
      const bool direction =
          a.surface.kind == SurfaceKind::plane ? k < 3 : k >= 3 && a.surface.numbers.size() > 4 && k < 6;
      if (std::abs(a.surface.numbers[k] - b.surface.numbers[k]) > 1e-9 * (direction ? 1.0 : size)) {
        return false;
      }
    }
    return true;
  }

  /// A bounded distance from a place is a string or rod, unless it is written without the word or is called a ring, wall, ...
  [[nodiscard]] bool is_string(const Sheet& sheet) const {
    const std::uint32_t row = sheet.rows[0];
    if (sheet.surface.kind != SurfaceKind::sphere || sheet.bodies.size() >= 4 ||
        !(model::is_equation(model_.row_kind[row]) || sheet.surface.side > 0)) {
      return false;
    }
    const std::string& text = condition(row).text;
    if (text.find("distance") == std::string::npos && text.find("norm") == std::string::npos) {
      return false;
    }
    constexpr std::string_view solid[] = {"ring",  "hoop",  "circle", "sphere", "bowl",    "wall", "dome",
                                          "shell", "globe", "disc",   "drum",   "surface", "track"};
    const std::string& name = condition(row).name;
    return name.find("string") != std::string::npos ||
           std::none_of(std::begin(solid), std::end(solid),
                        [&](std::string_view word) { return name.find(word) != std::string::npos; });
  }
  [[nodiscard]] bool is_pinned(std::uint32_t row, std::int64_t body) const {
    return model::is_equation(model_.row_kind[row]) &&
           held_by_[static_cast<std::size_t>(body)].size() >= dimension(body);
  }

  void paint_surfaces() {
    for (const Sheet& sheet : sheets_) {
      const std::uint32_t row = sheet.rows[0];
      RowSight sight(model_, row);
      const std::int64_t body = sheet.bodies[0];
      std::optional<Keys> keys;
      if (moves(row)) {
        keys = surface_keys(sight, row, body, sheet.surface);
      }
      const bool string = is_string(sheet);
      if (!string && is_pinned(row, body)) {
        continue;
      }
      if (string) {
        for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
          paint_string(sheet.rows[k], sheet.bodies[k], sheet.surface, keys);
        }
      } else if (sheet.surface.kind == SurfaceKind::other || (moves(row) && !keys)) {
        paint_mesh(sheet, sight, body);
      } else {
        paint_known(sheet, keys);
      }
    }
  }

  std::vector<double> surface_sizes(const Surface& surface) const {
    switch (surface.kind) {
      case SurfaceKind::plane: return {1, 1, 1, size_};
      case SurfaceKind::sphere: return {size_, size_, size_, size_};
      case SurfaceKind::cylinder: return {size_, size_, size_, 1, 1, 1, size_};
      default: return {size_, size_, size_, 1, 1, 1, 1};
    }
  }

  std::optional<Keys> surface_keys(RowSight& sight, std::uint32_t row, std::int64_t body, const Surface& first) {
    if (first.kind == SurfaceKind::other) {
      return {};
    }
    Surface last = first;
    return follow(
        begin_of(row),
        [&](double time) -> std::optional<std::vector<double>> {
          Surface now = recognise(field_of(sight, body, time), initial(body), size_);
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
        surface_sizes(first));
  }

  /// distance(a, place) <= L: a string, and no sphere.
  void paint_string(std::uint32_t row, std::uint32_t body, const Surface& surface, const std::optional<Keys>& keys) {
    Shape shape = shape_of("line", row, relation(row, surface.side > 0));
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
      if (!steady(place, {size_, size_, size_})) {
        anchor.keys = std::move(place);
      }
      if (!steady(radius, {size_})) {
        lengths = fmt::format(R"(, "lengths": {})", json(radius));
      }
    }
    shape.rest = fmt::format(R"(, "from": {}, "to": {{"body": {}}}{})", json(anchor), body, lengths);
    shapes_.push_back(std::move(shape));
  }

  Shape sheet_shape(const Sheet& sheet, std::string kind) const {
    const std::uint32_t row = sheet.rows[0];
    Shape shape = shape_of(std::move(kind), row, relation(row, sheet.surface.side > 0));
    shape.bodies = sheet.bodies;
    shape.rows = sheet.rows;
    if (sheet.rows.size() > 1) {
      shape.name = condition(row).name;
    }
    return shape;
  }

  void paint_known(const Sheet& sheet, const std::optional<Keys>& keys) {
    const Surface& surface = sheet.surface;
    const std::vector<double>& n = surface.numbers;
    const Vector first{n[0], n[1], n[2]};
    Shape shape;
    std::string numbers;
    switch (surface.kind) {
      case SurfaceKind::plane:
        shape = sheet_shape(sheet, "plane");
        numbers = fmt::format(R"(, "normal": {}, "offset": {})", listed(first), exact(neat(n[3])));
        break;
      case SurfaceKind::sphere:
        shape = sheet_shape(sheet, "sphere");
        numbers = fmt::format(R"(, "centre": {}, "radius": {})", listed(first), exact(neat(n[3])));
        include(first, n[3]);
        break;
      case SurfaceKind::cylinder:
        shape = sheet_shape(sheet, "cylinder");
        numbers = fmt::format(R"(, "point": {}, "axis": {}, "radius": {})", listed(first),
                              listed(Vector{n[3], n[4], n[5]}), exact(neat(n[6])));
        break;
      default:
        shape = sheet_shape(sheet, "cone");
        numbers = fmt::format(R"(, "apex": {}, "axis": {}, "angle": {}, "both": {})", listed(first),
                              listed(Vector{n[3], n[4], n[5]}), exact(neat(n[6])), surface.both);
        break;
    }
    if (keys && !steady(*keys, surface_sizes(surface))) {
      numbers = fmt::format(R"(, "keys": {})", json(*keys));
      if (surface.kind == SurfaceKind::sphere) {
        include(*keys, 4);
      }
    }
    shape.rest = numbers;
    if (shape.relation != "=") {
      shape.rest += fmt::format(R"(, "side": {})", surface.side);
    }
    shapes_.push_back(std::move(shape));
  }

  /// The box in which surfaces are sampled: the picture's, wider by a part.
  void sampling_box(Vector& low, Vector& high) const {
    for (std::size_t c = 0; c < 3; ++c) {
      const double margin = 0.25 * size_ + 0.1 * (box_.high[c] - box_.low[c]);
      low[c] = box_.low[c] - margin;
      high[c] = box_.high[c] + margin;
    }
  }

  void paint_mesh(const Sheet& sheet, RowSight& sight, std::int64_t body) {
    constexpr int most_meshes = 12;
    const std::uint32_t row = sheet.rows[0];
    if (meshes_ >= most_meshes || blob_.size() - base_ > bytes_) {
      ++meshes_left_out_;
      return;
    }
    ++meshes_;
    Vector low;
    Vector high;
    sampling_box(low, high);
    Shape shape = sheet_shape(sheet, "mesh");
    if (!moves(row)) {
      const Mesh mesh = sample_mesh(field_of(sight, body, begin_of(row)), low, high);
      if (mesh.corners.empty()) {
        return;
      }
      shape.rest = ", " + json(mesh, dimension(body));
      shapes_.push_back(std::move(shape));
      return;
    }

    // What moves is sampled at some instants, as many as there is room for.
    constexpr int frames = 24;
    std::string list;
    bool any = false;
    for (int k = 0; k <= frames && blob_.size() - base_ <= bytes_; ++k) {
      const double time = begin_of(row) + (end_ - begin_of(row)) * k / frames;
      const Mesh mesh = sample_mesh(field_of(sight, body, time), low, high);
      any = any || !mesh.corners.empty();
      list +=
          fmt::format(R"({}{{"time": {}, {}}})", list.empty() ? "" : ", ", exact(time), json(mesh, dimension(body)));
    }
    if (!any) {
      return;
    }
    shape.rest = fmt::format(R"(, "frames": [{}])", list);
    shapes_.push_back(std::move(shape));
    scene_.notes.push_back(
        fmt::format("The moving surface of {} is drawn at {} instants.", shapes_.back().name, frames + 1));
  }

  std::string json(const Mesh& mesh, unsigned dimension) {
    const std::string vertices = blob_.f32(mesh.vertices);
    const std::string corners = blob_.u32(mesh.corners);
    return fmt::format(R"("vertices": {}, "{}": {})", vertices, dimension == 3 ? "triangles" : "lines", corners);
  }

  /// A point of space under two equations of its own moves on a curve.
  void paint_wires() {
    for (std::size_t body = 0; body < bodies_.size(); ++body) {
      const std::vector<std::uint32_t>& rows = held_by_[body];
      if (bodies_[body].track.size() != 3 || rows.size() != 2 || moves(rows[0]) || moves(rows[1]) ||
          condition(rows[0]).components > 1 || blob_.size() - base_ > bytes_) {
        continue;
      }
      RowSight first(model_, rows[0]);
      RowSight second(model_, rows[1]);
      const auto number = static_cast<std::int64_t>(body);
      Vector low;
      Vector high;
      sampling_box(low, high);
      for (std::size_t c = 0; c < 3; ++c) {
        low[c] -= 2.5 * size_;
        high[c] += 2.5 * size_;
      }
      const std::vector<Vector> line =
          trace_curve(field_of(first, number, begin_of(rows[0])), field_of(second, number, begin_of(rows[1])),
                      initial(number), low, high);
      if (line.size() < 2) {
        continue;
      }
      std::vector<double> points;
      for (const Vector& x : line) {
        points.insert(points.end(), x.begin(), x.end());
      }
      Shape shape = shape_of("curve", rows[0], "=");
      shape.name = model::row_name(model_, rows[0]) + ", " + model::row_name(model_, rows[1]);
      shape.bodies = {static_cast<std::uint32_t>(body)};
      shape.rows = rows;
      shape.rest = fmt::format(R"(, "points": {})", blob_.f32(points));
      shapes_.push_back(std::move(shape));
    }
  }

  /// The lines of [view].
  void paint_view() {
    std::vector<std::uint32_t> first_of_body;
    std::vector<std::uint32_t> first_of_view;
    std::uint32_t count = 0;
    for (const model::Body& body : model_.bodies) {
      first_of_body.push_back(count);
      count += body.kind == model::BodyKind::point ? body.members() : 0;
    }
    for (const model::ViewPoint& point : model_.view.points) {
      first_of_view.push_back(count);
      count += point.members();
    }
    for (const model::ViewLine& line : model_.view.lines) {
      std::string through;
      for (const model::ViewAnchor& corner : line.through) {
        Anchor anchor;
        switch (corner.kind) {
          case model::ViewAnchor::Kind::body: anchor.body = first_of_body[corner.index] + corner.member; break;
          case model::ViewAnchor::Kind::view: anchor.body = first_of_view[corner.index] + corner.member; break;
          case model::ViewAnchor::Kind::fixed: std::copy(corner.at.begin(), corner.at.end(), anchor.at.begin()); break;
        }
        if (picture_dimension(model_) == 2) {
          anchor.at[2] = 0;
        }
        through += (through.empty() ? "" : ", ") + json(anchor);
      }
      Shape shape;
      shape.kind = "polyline";
      shape.name = line.name;
      shape.rest = fmt::format(R"(, "through": [{}], "closed": {})", through, line.closed);
      shapes_.push_back(std::move(shape));
    }
  }

  void write() {
    constexpr std::size_t most = 20000;
    const std::size_t count = std::min({shapes_.size(), most, static_cast<std::size_t>(bytes_ / 12)});
    for (std::size_t k = 0; k < count; ++k) {
      const Shape& shape = shapes_[k];
      Writer text;
      text.open().put("kind", shape.kind).put("name", shape.name);
      std::string one = text.take();
      if (shape.row >= 0) {
        one += fmt::format(R"(, "row": {})", shape.row);
        scene_.drawn[static_cast<std::size_t>(shape.row)] = true;
      }
      if (shape.rows.size() > 1) {
        one += fmt::format(R"(, "rows": {})", listed(shape.rows));
        for (const std::uint32_t row : shape.rows) {
          scene_.drawn[row] = true;
        }
      }
      if (!shape.relation.empty()) {
        one += fmt::format(R"(, "relation": "{}")", shape.relation);
      }
      if (!shape.bodies.empty()) {
        one += fmt::format(R"(, "bodies": {})", listed(shape.bodies));
      }
      if (std::isfinite(shape.from)) {
        one += fmt::format(R"(, "since": {})", exact(shape.from));
      }
      scene_.shapes.push_back(one + shape.rest + "}");
    }
    if (count < shapes_.size()) {
      scene_.notes.push_back(fmt::format("Of {} strings, walls and surfaces {} are drawn.", shapes_.size(), count));
    }
    if (meshes_left_out_ > 0) {
      scene_.notes.push_back(
          fmt::format("{} more surfaces that are no plane, sphere, cylinder or cone are not drawn.", meshes_left_out_));
    }
  }

  const model::Model& model_;
  const std::vector<SceneBody>& bodies_;
  SceneBox box_;
  double start_;
  double end_;
  std::uint64_t bytes_;
  Blob& blob_;
  std::size_t base_ = 0;
  double size_ = 1;
  Scene scene_;
  std::vector<std::int64_t> body_of_;   ///< per variable
  std::vector<std::size_t> component_;  ///< per variable
  std::vector<std::vector<std::uint32_t>> held_by_;
  std::vector<bool> depends_;
  std::vector<Shape> shapes_;
  std::vector<Shape> struts_;  ///< of crowds: drawn last
  std::vector<Sheet> sheets_;
  std::map<std::vector<double>, std::size_t> sheet_of_;
  int meshes_ = 0;
  int meshes_left_out_ = 0;
};

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
  return Painter(model, bodies, box, start, end, bytes, blob).paint();
}

}  // namespace zwang::report
