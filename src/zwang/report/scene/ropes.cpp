/// Ropes: rows on a sum of distances.
///
/// A rope is f = c (sum of square roots of squares of distances) - L, read off the tape; its strands are laid end to end.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/report/scene/painters.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

using expressions::Op;

constexpr std::size_t most_strands = 64;  // of a rope

/// A square root in a sum of distances: from a body to another, or to a fixed place.
struct Distance {
  std::int64_t from = nobody;
  std::int64_t to = nobody;  ///< nobody: the place
  Vector place{0, 0, 0};
  double factor = 1;
};

/// Reads a row as a sum of distances.
class RopeReader {
 public:
  RopeReader(const Stage& stage, RowSight& sight) : stage_(stage), sight_(sight) { find_dependence(); }

  /// The distances at this time, and the length that their sum has; none if the row is something else.
  std::optional<std::vector<Distance>> distances_of(double time, double& length_of_rope, bool& grows) {
    // Somewhere, so that constants have their values at this time.
    for (std::size_t k = 0; k < sight_.slots(); ++k) {
      sight_.slot(k) = stage_.model.initial_position[sight_.variable(k)];
    }
    sight_.run(time);
    std::vector<std::pair<std::uint32_t, double>> roots;
    double constant = 0;
    if (!collect(sight_.group().tape.outputs[0], 1.0, constant, roots, 0) || roots.empty()) {
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
      std::optional<Distance> one = as_distance(at, time);
      if (!one) {
        return {};
      }
      one->factor = std::abs(factor) / smallest;
      if (std::abs(one->factor - std::round(one->factor)) > same_part || one->factor > 8.5) {
        return {};
      }
      out.push_back(*one);
    }
    length_of_rope = -constant / (grows ? smallest : -smallest);
    return out;
  }

 private:
  /// f = constant + sum of factor * register; false if something else than square roots depends on positions.
  bool collect(std::uint32_t at, double factor, double& constant, std::vector<std::pair<std::uint32_t, double>>& roots,
               int depth) const {
    const expressions::Tape& tape = sight_.group().tape;
    const std::size_t inputs = tape.inputs.size();
    const std::size_t fixed = inputs + tape.constants.size();
    if (depth > 200 || roots.size() > most_strands) {
      return false;
    }
    if (!depends_[at]) {
      constant += factor * sight_.value(at);
      return true;
    }
    if (at < fixed) {
      return false;
    }
    const expressions::Instruction& in = tape.instructions[at - fixed];
    switch (in.op) {
      case Op::add:
        return collect(in.a, factor, constant, roots, depth + 1) && collect(in.b, factor, constant, roots, depth + 1);
      case Op::subtract:
        return collect(in.a, factor, constant, roots, depth + 1) && collect(in.b, -factor, constant, roots, depth + 1);
      case Op::negate: return collect(in.a, -factor, constant, roots, depth + 1);
      case Op::scale: return collect(in.a, factor * in.c, constant, roots, depth + 1);
      case Op::multiply:
        if (!depends_[in.a]) {
          return collect(in.b, factor * sight_.value(in.a), constant, roots, depth + 1);
        }
        return !depends_[in.b] && collect(in.a, factor * sight_.value(in.b), constant, roots, depth + 1);
      case Op::divide: return !depends_[in.b] && collect(in.a, factor / sight_.value(in.b), constant, roots, depth + 1);
      case Op::sqrt: roots.emplace_back(in.a, factor); return true;
      default: return false;
    }
  }

  /// Which registers depend on positions.
  void find_dependence() {
    const expressions::Tape& tape = sight_.group().tape;
    const std::size_t fixed = tape.inputs.size() + tape.constants.size();
    depends_.assign(tape.registers(), false);
    for (std::size_t k = 0; k < sight_.slots(); ++k) {
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
  std::optional<Distance> as_distance(std::uint32_t at, double time) {
    const double h = stage_.size;
    std::vector<double> base(sight_.slots(), 0.0);
    const auto value = [&](const std::vector<double>& x) {
      for (std::size_t k = 0; k < x.size(); ++k) {
        sight_.slot(k) = x[k];
      }
      sight_.run(time);
      return sight_.value(at);
    };
    const double zero = value(base);
    std::vector<std::int64_t> who;
    std::vector<double> centre(sight_.slots(), 0.0);
    for (std::size_t k = 0; k < sight_.slots(); ++k) {
      std::vector<double> x = base;
      x[k] = h;
      const double up = value(x);
      x[k] = -h;
      const double down = value(x);
      const double second = (up + down - 2 * zero) / (2 * h * h);
      if (!std::isfinite(second)) {
        return {};
      }
      if (std::abs(second) < same_part) {
        if (std::abs(up - down) > same_part * (std::abs(zero) + h * h)) {
          return {};
        }
        continue;
      }
      if (std::abs(second - 1) > same_part) {
        return {};
      }
      centre[k] = -(up - down) / (4 * h);
      const std::int64_t body = stage_.body_of[sight_.variable(k)];
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
    for (std::size_t k = 0; k < sight_.slots(); ++k) {
      if (stage_.body_of[sight_.variable(k)] == out.from && out.to == nobody) {
        out.place[stage_.component[sight_.variable(k)]] = centre[k];
      }
    }
    const double room = h + length(out.place);
    for (int trial = 0; trial < 3; ++trial) {
      Vector p{0, 0, 0};
      Vector q = out.place;
      std::vector<double> x(sight_.slots());
      for (std::size_t k = 0; k < x.size(); ++k) {
        const std::uint32_t variable = sight_.variable(k);
        x[k] = room * dice.next();
        if (stage_.body_of[variable] == out.from) {
          p[stage_.component[variable]] = x[k];
        } else if (stage_.body_of[variable] == out.to) {
          q[stage_.component[variable]] = x[k];
        }
      }
      const Vector between = minus(p, q);
      if (!(std::abs(value(x) - dot(between, between)) <= same_part * room * room)) {
        return {};
      }
    }
    return out;
  }

  const Stage& stage_;
  RowSight& sight_;
  std::vector<bool> depends_;  ///< per register: on positions
};

}  // namespace

bool paint_rope(const Stage& stage, std::uint32_t row, Canvas& canvas) {
  RowSight sight(stage.model, row);
  if (sight.slots() > 3 * most_strands) {
    return false;
  }
  RopeReader reader(stage, sight);
  double rope = 0;
  bool grows = true;
  const double begin = stage.begin_of(row);
  const std::optional<std::vector<Distance>> parts = reader.distances_of(begin, rope, grows);
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
      if (body != nobody ? knots[k].body == body
                         : knots[k].body == nobody &&
                               length(minus(knots[k].at, place)) <= same_part * (stage.size + length(place))) {
        return k;
      }
    }
    Anchor anchor;
    anchor.body = body;
    anchor.at = place;
    if (body == nobody && stage.moves(row)) {
      std::optional<Keys> keys = follow(begin, stage.end,
                                        [&](double time) -> std::optional<std::vector<double>> {
                                          double l = 0;
                                          bool g = true;
                                          const auto then = reader.distances_of(time, l, g);
                                          if (!then || then->size() <= part) {
                                            return {};
                                          }
                                          const Vector& at = (*then)[part].place;
                                          return std::vector<double>(at.begin(), at.end());
                                        },
                                        {stage.size, stage.size, stage.size});
      if (keys && !steady(*keys, {stage.size, stage.size, stage.size})) {
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
  const auto where = [&](std::size_t k) {
    return knots[k].body != nobody ? stage.initial(knots[k].body) : knots[k].at;
  };
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
          const double gap = length(minus(where(end), where(at))) + (knots[end].body != nobody ? 1e3 * stage.size : 0);
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

  Shape shape = shape_of(stage, "rope", row, stage.relation(row, grows));
  for (const Anchor& anchor : knots) {
    if (anchor.body != nobody) {
      shape.bodies.push_back(static_cast<std::uint32_t>(anchor.body));
    }
  }
  std::string through;
  for (const std::size_t k : path) {
    through += (through.empty() ? "" : ", ") + canvas.json(knots[k]);
  }
  shape.rest = fmt::format(R"(, "through": [{}], "length": {})", through, exact(neat(rope)));
  canvas.shapes.push_back(std::move(shape));
  return true;
}

}  // namespace zwang::report
