/// Members, walls and rules of a crowd, read off its model.
#include "zwang/crowds/members.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "zwang/crowds/crowd.hpp"
#include "zwang/crowds/tolerances.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/row_shape.hpp"

namespace zwang::crowds {

namespace {

/// The body to which a variable belongs, and which of its members.
model::Member member_of(const model::Model& model, std::uint32_t variable) {
  const auto next = std::upper_bound(model.bodies.begin(), model.bodies.end(), variable,
                                     [](std::uint32_t v, const model::Body& body) { return v < body.first; });
  const auto body = static_cast<std::uint32_t>(next - model.bodies.begin() - 1);
  return {body, (variable - model.bodies[body].first) / model.bodies[body].dimension};
}

bool is_plane(const model::RowGroup& group) {
  if (!group.holonomic || group.rheonomic || group.modes > 0 || !group.corners.empty()) return false;
  const motion::RowShape shape = motion::make_shape(group);
  return !shape.moving && shape.steady &&
         std::all_of(shape.directions.begin(), shape.directions.end(),
                     [](const motion::Direction& one) { return one.constant; });
}

bool is_of_one_member(const model::Model& model, std::uint32_t row) {
  const model::Member first = member_of(model, model.row_column[model.row_start[row]]);
  for (std::uint32_t e = model.row_start[row] + 1; e < model.row_start[row + 1]; ++e) {
    const model::Member other = member_of(model, model.row_column[e]);
    if (other.body != first.body || other.member != first.member) return false;
  }
  return true;
}

}  // namespace

std::string hindrance(const model::Model& model) {
  if (model.pairs.empty()) return "no family of conditions keeps any two members apart";
  if (model.flow) return "it is a flow";
  std::uint64_t members = 0;
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::point) return "not all bodies are points: " + body.name;
    if (body.dimension != model.bodies[0].dimension) return "its points have different dimensions";
    members += body.members();
  }
  if (members < least_members) return "it has few members";
  if (!model.terms.empty()) return "forces or energies are written beside gravity";
  if (!model.blows.empty() || !model.releases.empty()) return "blows or releases are due";
  if (!model.simulation.stop.empty() || !model.truths.empty()) return "it asks to be stopped";
  for (const double mass : model.point_mass) {
    if (!(mass > 0)) return "a mass is not positive";
  }
  std::vector<std::uint8_t> plane(model.groups.size(), 0);
  for (std::size_t g = 0; g < model.groups.size(); ++g)
    plane[g] = model.groups[g].lanes > 0 && is_plane(model.groups[g]) ? 1 : 0;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    const bool plain = model.row_kind[row] == model::RowKind::holonomic_inequality && !condition.seizure &&
                       condition.alternatives == 1 && !condition.compound && model.row_twin[row] == row;
    if (!plain || plane[model.row_group[row]] == 0 || !is_of_one_member(model, row)) {
      return "a condition is neither a fixed plane wall for one member nor a least distance of any two: " +
             model::row_name(model, row);
    }
  }
  return "";
}

bool is_crowd(const model::Model& model) {
  if (model.simulation.method != model::Method::events || !hindrance(model).empty()) return false;
  std::uint64_t pairs = 0;
  bool elastic = true;
  for (const model::PairFamily& family : model.pairs) {
    pairs += family.pairs();
    elastic = elastic && family.restitution == 1;
  }
  for (std::uint32_t row = 0; row < model.rows(); ++row)
    elastic = elastic && model.conditions[model.row_condition[row]].restitution == 1;
  return pairs >= (elastic ? least_elastic_pairs : least_pairs);
}

Members members_of(const model::Model& model) {
  Members out;
  out.dimension = model.bodies[0].dimension;
  std::vector<std::uint32_t> first_member;
  for (std::uint32_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    first_member.push_back(out.count);
    for (std::uint32_t m = 0; m < body.members(); ++m) {
      const std::uint32_t variable = body.first + m * body.dimension;
      out.variable.push_back(variable);
      out.place.push_back({b, m});
      out.mass.push_back(model.point_mass[variable]);
      Vector a{};
      for (std::uint32_t c = 0; c < body.dimension; ++c)
        a[c] = model.constant_force[variable + c] / model.point_mass[variable + c];
      out.acceleration.push_back(a);
    }
    out.count += body.members();
  }

  // Walls: what is left of the conditions at the origin, and their gradients.
  model::State origin = model::initial_state(model);
  std::fill(origin.position.begin(), origin.position.end(), 0.0);
  std::fill(origin.velocity.begin(), origin.velocity.end(), 0.0);
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, origin, scratch, rows);
  std::vector<std::vector<Wall>> walls(out.count);
  const auto written = static_cast<std::uint32_t>(model.rows() - model.met.size());
  for (std::uint32_t row = 0; row < written; ++row) {
    const model::Member place = member_of(model, model.row_column[model.row_start[row]]);
    const std::uint32_t member = first_member[place.body] + place.member;
    Wall wall;
    wall.row = row;
    wall.offset = rows.value[row];
    wall.restitution = model.conditions[model.row_condition[row]].restitution;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      wall.normal[model.row_column[e] - out.variable[member]] = rows.entry[e];
    wall.length = std::sqrt(dot(wall.normal, wall.normal));
    walls[member].push_back(wall);
  }
  out.wall_start.push_back(0);
  for (const std::vector<Wall>& list : walls) {
    out.walls.insert(out.walls.end(), list.begin(), list.end());
    out.wall_start.push_back(static_cast<std::uint32_t>(out.walls.size()));
  }

  // Kinds: the sides of families on which a member stands.
  std::map<std::string, std::uint32_t> kinds;
  std::vector<std::string> sides_of_kind;
  const auto stands_on = [](const model::PairFamily::Side& side, const model::Member& place) {
    return side.body == place.body && place.member >= side.low && place.member <= side.high;
  };
  for (std::uint32_t i = 0; i < out.count; ++i) {
    std::string sides;
    for (const model::PairFamily& family : model.pairs) {
      sides += stands_on(family.first, out.place[i]) ? 'y' : 'n';
      sides += stands_on(family.second, out.place[i]) ? 'y' : 'n';
    }
    const auto [found, fresh] = kinds.try_emplace(sides, static_cast<std::uint32_t>(kinds.size()));
    if (fresh) sides_of_kind.push_back(sides);
    out.kind.push_back(found->second);
  }
  out.kinds = static_cast<std::uint32_t>(kinds.size());
  out.rules.resize(std::size_t{out.kinds} * out.kinds);
  out.least = std::numeric_limits<double>::infinity();
  for (std::uint32_t f = 0; f < model.pairs.size(); ++f) {
    const model::PairFamily& family = model.pairs[f];
    out.widest = std::max(out.widest, family.least);
    out.least = std::min(out.least, family.least);
    for (std::uint32_t a = 0; a < out.kinds; ++a) {
      for (std::uint32_t b = 0; b < out.kinds; ++b) {
        std::vector<Rule>& rules = out.rules[a * std::size_t{out.kinds} + b];
        const bool straight = sides_of_kind[a][2 * f] == 'y' && sides_of_kind[b][2 * f + 1] == 'y';
        const bool swapped = sides_of_kind[b][2 * f] == 'y' && sides_of_kind[a][2 * f + 1] == 'y';
        if (straight) {
          rules.push_back({f, false, family.least, family.restitution});
        } else if (swapped) {
          rules.push_back({f, true, family.least, family.restitution});
        }
      }
    }
  }
  return out;
}

std::uint64_t row_of(const model::Model& model, const Members& members, const Rule& rule, std::uint32_t a,
                     std::uint32_t b) {
  const model::PairFamily& family = model.pairs[rule.family];
  std::uint32_t first = members.place[a].member;
  std::uint32_t second = members.place[b].member;
  if (family.within ? first > second : rule.swapped) std::swap(first, second);
  return model::pair_row(family, first, second);
}

}  // namespace zwang::crowds
