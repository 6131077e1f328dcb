/// Strings, rods and struts: rows on the distance of two points.
///
/// A condition f(a, b) between two points is one on their distance if grad_a f = -grad_b f and both lie along a - b; then f = F(|a - b|),
/// and the length is the root of F.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/report/scene/painters.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

/// The distance at which f vanishes at this time, if f is a function of the distance alone.
std::optional<double> distance_of(const Stage& stage, RowSight& sight, std::int64_t a, std::int64_t b, double time,
                                  bool& grows, double guess) {
  Dice dice;
  const unsigned d = stage.dimension(a);
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
    stage.put(sight, a, p);
    stage.put(sight, b, q);
    sight.run(time);
    const Vector f_p = stage.gradient(sight, a);
    const Vector f_q = stage.gradient(sight, b);
    const Vector between = minus(p, q);
    const double apart = length(between);
    slope = dot(f_p, between) / apart;
    const double size = std::fmax(length(f_p), length(f_q));
    if (!(size > 0) || !std::isfinite(size)) {
      return {};
    }
    for (std::size_t c = 0; c < 3; ++c) {
      if (std::abs(f_p[c] + f_q[c]) > same_force * size ||
          std::abs(f_p[c] - slope * between[c] / apart) > same_force * size) {
        return {};
      }
      direction[c] = between[c] / apart;
    }
  }

  // The root of F by Newton's rule, from several distances.
  stage.put(sight, b, middle);
  for (const double first : {1.0, 0.5, 2.0, 0.1, 10.0, 0.01, 100.0}) {
    double l = first * scale;
    for (int step = 0; step < 60; ++step) {
      Vector p = middle;
      for (std::size_t c = 0; c < 3; ++c) {
        p[c] += l * direction[c];
      }
      stage.put(sight, a, p);
      const double value = sight.run(time);
      slope = dot(stage.gradient(sight, a), direction);
      const double change = value / slope;
      if (!std::isfinite(change)) {
        break;
      }
      l = std::fmax(l - change, 0.1 * l);
      if (std::abs(change) <= length_found * (l + length(middle)) && l > 0) {
        grows = slope > 0;
        return l;
      }
    }
  }
  return {};
}

/// The two points between which a term of the potential is a spring: forces are opposite and along the line between them, and grow
/// with the distance as a straight line does.
std::optional<std::pair<std::int64_t, std::int64_t>> spring_of(const Stage& stage, const model::TermGroup& group,
                                                               std::size_t lane) {
  std::vector<std::int64_t> who;
  for (std::size_t k = 0; k < group.positions; ++k) {
    const std::int64_t body = stage.body_of[group.position_of[k * group.lanes + lane]];
    if (body == nobody || stage.bodies[static_cast<std::size_t>(body)].view) return {};
    if (std::find(who.begin(), who.end(), body) == who.end()) who.push_back(body);
  }
  if (who.size() != 2 || group.positions != stage.dimension(who[0]) + stage.dimension(who[1])) return {};
  std::vector<double> registers(group.tape.registers());
  expressions::load_constants(group.tape, registers.data(), 1, 1);
  for (std::size_t k = 0; k < group.constants; ++k) {
    registers[1 + group.positions + k] = group.constant_of[k * group.lanes + lane];
  }
  registers[0] = stage.start;

  // The force that draws them together, at once, twice and three times a distance.
  Dice dice;
  Vector from{0, 0, 0};
  Vector along{0, 0, 0};
  for (std::size_t c = 0; c < stage.dimension(who[0]); ++c) {
    from[c] = stage.size * dice.next();
    along[c] = stage.size * dice.next();
  }
  const double apart = length(along);
  std::array<double, 3> pull{};
  double largest = 0;
  for (std::size_t n = 0; n < pull.size(); ++n) {
    for (std::size_t k = 0; k < group.positions; ++k) {
      const std::uint32_t variable = group.position_of[k * group.lanes + lane];
      const std::size_t c = stage.component[variable];
      registers[1 + k] = from[c] + (stage.body_of[variable] == who[1] ? static_cast<double>(n + 1) * along[c] : 0);
    }
    expressions::extend(group.tape, registers.data(), 1, 0, 0, 1);
    std::array<Vector, 2> slope{};
    for (std::size_t k = 0; k < group.positions; ++k) {
      const std::uint32_t variable = group.position_of[k * group.lanes + lane];
      slope[stage.body_of[variable] == who[1] ? 1 : 0][stage.component[variable]] =
          registers[group.tape.outputs[1 + k]];
    }
    pull[n] = dot(slope[1], along) / apart;
    largest = std::fmax(largest, std::fmax(length(slope[0]), length(slope[1])));
    for (std::size_t c = 0; c < 3; ++c) {
      const double wanted = pull[n] * along[c] / apart;
      const double wrong = std::fmax(std::abs(slope[1][c] - wanted), std::abs(slope[0][c] + wanted));
      if (!(wrong <= same_force * largest)) return {};
    }
  }
  const bool straight = std::abs(pull[2] - 2 * pull[1] + pull[0]) <= same_force * largest;
  if (!straight || !(pull[1] - pull[0] > same_force * largest)) return {};
  return std::pair{who[0], who[1]};
}

}  // namespace

bool paint_line(const Stage& stage, std::uint32_t row, std::int64_t a, std::int64_t b, Canvas& canvas) {
  if (stage.dimension(a) != stage.dimension(b)) {
    return false;
  }
  RowSight sight(stage.model, row);
  if (sight.slots() != 2 * stage.dimension(a)) {
    return false;
  }
  const double apart = length(minus(stage.initial(a), stage.initial(b)));
  const double guess = apart > 0 ? apart : stage.size;
  bool grows = true;
  const double begin = stage.begin_of(row);
  const std::optional<double> now = distance_of(stage, sight, a, b, begin, grows, guess);
  if (!now) {
    return false;
  }
  Shape shape = shape_of(stage, "line", row, stage.relation(row, grows));
  shape.bodies = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  shape.rest = fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}})", a, b);
  std::optional<Keys> keys;
  if (stage.moves(row)) {
    keys = follow(begin, stage.end,
                  [&](double time) -> std::optional<std::vector<double>> {
                    bool same = grows;
                    const std::optional<double> l = distance_of(stage, sight, a, b, time, same, *now);
                    return l ? std::optional(std::vector<double>{*l}) : std::nullopt;
                  },
                  {std::fmax(stage.size, *now)});
  }
  if (keys && !steady(*keys, {*now})) {
    shape.rest += fmt::format(R"(, "lengths": {})", canvas.json(*keys));
  } else {
    shape.rest += fmt::format(R"(, "length": {})", exact(neat(*now)));
  }
  if (shape.relation == ">=") {
    shape.rest += fmt::format(R"(, "radius": {})", exact(neat(0.5 * *now)));
    canvas.include_discs(0.5 * *now);
    canvas.struts.push_back(std::move(shape));
  } else {
    canvas.shapes.push_back(std::move(shape));
  }
  return true;
}

void paint_energies(const Stage& stage, Canvas& canvas) {
  constexpr std::size_t most_springs = 2000;
  std::size_t count = 0;
  for (const model::TermGroup& group : stage.model.terms) {
    if (group.kind != model::TermKind::potential || group.velocities != 0 || group.modes != 0 || group.uses_time)
      continue;
    for (std::size_t lane = 0; lane < group.lanes && count < most_springs; ++lane) {
      const std::optional<std::pair<std::int64_t, std::int64_t>> ends = spring_of(stage, group, lane);
      if (!ends) continue;
      Shape shape;
      shape.kind = "spring";
      shape.name = "spring";
      shape.rest = fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}})", ends->first, ends->second);
      canvas.struts.push_back(std::move(shape));
      ++count;
    }
  }
}

bool paint_vectors(const Stage& stage, std::uint32_t first, std::uint32_t count, Canvas& canvas) {
  std::vector<std::int64_t> who;
  for (std::uint32_t row = first; row < first + count; ++row) {
    const std::vector<std::int64_t> some = stage.bodies_of(row);
    if (some.empty() || stage.model.row_kind[row] != model::RowKind::holonomic_equation) return false;
    for (const std::int64_t body : some) {
      if (std::find(who.begin(), who.end(), body) == who.end()) who.push_back(body);
    }
  }
  if (who.size() > 2 || count < stage.dimension(who[0])) return false;
  Shape shape = shape_of(stage, who.size() == 2 ? "line" : "joint", first, "=");
  shape.name = stage.condition(first).name;
  for (const std::int64_t body : who) shape.bodies.push_back(static_cast<std::uint32_t>(body));
  shape.rest = who.size() == 2 ? fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}})", who[0], who[1])
                               : fmt::format(R"(, "at": {{"body": {}}}, "form": "pin")", who[0]);
  canvas.shapes.push_back(std::move(shape));
  return true;
}

bool paint_contact(const Stage& stage, std::uint32_t row, std::int64_t a, std::int64_t b, Canvas& canvas) {
  RowSight sight(stage.model, row);
  if (sight.slots() != 2 || stage.moves(row) || stage.dimension(a) != stage.dimension(b)) {
    return false;
  }
  const std::size_t axis = stage.component[sight.variable(0)];
  if (stage.component[sight.variable(1)] != axis) {
    return false;
  }
  for (std::size_t c = 0; c < stage.dimension(a); ++c) {
    const std::uint32_t p = stage.bodies[static_cast<std::size_t>(a)].track[c];
    const std::uint32_t q = stage.bodies[static_cast<std::size_t>(b)].track[c];
    const bool beside = stage.model.initial_position[p] != stage.model.initial_position[q] ||
                        stage.model.initial_velocity[p] != 0 || stage.model.initial_velocity[q] != 0;
    if (c != axis && beside) {
      return false;
    }
  }
  Vector at_a = stage.initial(a);
  Vector at_b = stage.initial(b);
  stage.put(sight, a, at_a);
  stage.put(sight, b, at_b);
  const double first = sight.run(stage.begin_of(row));
  const double slope = sight.gradient(0);
  const double apart = sight.slot(0) - sight.slot(1);
  if (!(std::abs(slope + sight.gradient(1)) <= same_part * std::abs(slope)) || apart == 0) {
    return false;
  }
  const double reach = std::abs(apart - first / slope);
  sight.slot(0) += stage.size;
  const double second = sight.run(stage.begin_of(row));
  const bool linear =
      std::abs(second - first - slope * stage.size) <= same_part * (std::abs(second) + std::abs(slope) * stage.size);
  if (!linear || !(reach > 0) || !((apart - first / slope) * apart > 0)) {
    return false;
  }
  Shape shape = shape_of(stage, "line", row, stage.relation(row, slope * apart > 0));
  shape.bodies = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)};
  shape.rest = fmt::format(R"(, "from": {{"body": {}}}, "to": {{"body": {}}}, "length": {})", a, b, exact(neat(reach)));
  if (shape.relation == ">=") {
    shape.rest += fmt::format(R"(, "radius": {})", exact(neat(0.5 * reach)));
    canvas.include_discs(0.5 * reach);
  }
  canvas.struts.push_back(std::move(shape));
  return true;
}

}  // namespace zwang::report
