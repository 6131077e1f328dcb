/// Members, walls and rules of a crowd, read off its model.
#include "zwang/crowds/members.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

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

/// What the rows of a group are to a crowd.
enum class Surface : std::uint8_t { other, plane, moving_plane, round };

struct GroupReading {
  Surface surface = Surface::other;
  motion::RowShape shape;
};

GroupReading read_group(const model::RowGroup& group) {
  GroupReading out;
  if (group.lanes == 0 || !group.holonomic || group.modes > 0 || !group.corners.empty()) return out;
  out.shape = motion::make_shape(group);
  const bool moving = group.rheonomic || out.shape.moving;
  const bool flat = out.shape.steady && std::all_of(out.shape.directions.begin(), out.shape.directions.end(),
                                                    [](const motion::Direction& one) { return one.constant; });
  const bool round = out.shape.squared == -1 && out.shape.quadratic && out.shape.root != 0;
  if (flat) {
    out.surface = moving ? Surface::moving_plane : Surface::plane;
  } else if (round && !moving) {
    out.surface = Surface::round;
  }
  return out;
}

std::vector<GroupReading> read_groups(const model::Model& model) {
  std::vector<GroupReading> out;
  for (const model::RowGroup& group : model.groups) out.push_back(read_group(group));
  return out;
}

/// The values of a tape at a place of the member, component by component of its slots.
void run_at(const expressions::Tape& tape, const model::RowGroup& group, std::size_t lane, const Vector& x,
            std::uint32_t first_variable, std::vector<double>& registers) {
  registers.assign(tape.registers(), 0.0);
  expressions::load_constants(tape, registers.data(), 1, 1);
  for (std::size_t slot = 0; slot < group.positions; ++slot)
    registers[1 + slot] = x[group.position_of[slot * group.lanes + lane] - first_variable];
  for (std::size_t k = 0; k < group.constants; ++k)
    registers[1 + group.positions + k] = group.constant_of[k * group.lanes + lane];
  expressions::extend(tape, registers.data(), 1, 0, 0, 1);
}

/// A row of one member that is round: is it a distance from a fixed centre?
std::optional<Post> read_post(const model::Model& model, std::uint32_t row, const motion::RowShape& shape,
                              std::uint32_t first_variable, std::uint32_t dimension) {
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const std::size_t lane = model.row_lane[row];
  if (group.positions != dimension || shape.directions.size() != dimension) return std::nullopt;
  std::vector<double> registers;
  Post post;
  post.row = row;
  post.restitution = model.conditions[model.row_condition[row]].restitution;
  // The gradient, before the root divides it, is centre - x.
  run_at(shape.held, group, lane, {}, first_variable, registers);
  for (const motion::Direction& direction : shape.directions) {
    if (direction.own == 0 || direction.slots.size() != 1) return std::nullopt;
    const std::size_t slot = direction.slots[0].first;
    post.centre[group.position_of[slot * group.lanes + lane] - first_variable] =
        direction.factor * registers[direction.numerator];
  }
  run_at(shape.watched, group, lane, post.centre, first_variable, registers);
  post.least = registers[shape.watched.outputs[1]];
  if (!(post.least > 0) || !std::isfinite(post.least)) return std::nullopt;
  // What is quadratic and agrees at so many places is the same.
  for (unsigned k = 0; k < places_compared; ++k) {
    Vector x = post.centre;
    double square = 0;
    for (std::uint32_t c = 0; c < dimension; ++c) {
      const double step = post.least * (1 + ((k >> c) & 1U) + 0.25 * k * c);
      x[c] += k % 2 == 0 ? step : -step;
      square += (x[c] - post.centre[c]) * (x[c] - post.centre[c]);
    }
    run_at(shape.watched, group, lane, x, first_variable, registers);
    if (!(std::abs(registers[shape.watched.outputs[0]] - square) <= told_from_zero * square)) return std::nullopt;
  }
  return post;
}

/// The members that a row is about, in the order of their variables: one or two, or three for more.
struct Concerned {
  std::array<model::Member, 3> member{};
  unsigned count = 0;
};

Concerned concerned_by(const model::Model& model, std::uint32_t row) {
  Concerned out;
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1] && out.count < 3; ++e) {
    const model::Member one = member_of(model, model.row_column[e]);
    const model::Member& last = out.member[out.count == 0 ? 0 : out.count - 1];
    if (out.count > 0 && one.body == last.body && one.member == last.member) continue;
    out.member[out.count++] = one;
  }
  return out;
}

/// Does an output of a tape change with time, places or velocities?
bool changes(const expressions::Tape& tape, const std::vector<std::uint8_t>& depends, std::size_t movable,
             std::uint32_t output) {
  const std::uint32_t reg = tape.outputs[output];
  const std::size_t before = tape.inputs.size() + tape.constants.size();
  return reg < movable || (reg >= before && depends[reg - before] != 0);
}

/// A force that is the same everywhere and always, or an energy with such a force.
bool is_constant_pull(const model::TermGroup& group) {
  if (group.kind == model::TermKind::kinetic || group.uses_time || group.uses_velocity || group.modes > 0 ||
      !group.corners.empty())
    return false;
  const std::size_t movable = 1 + std::size_t{group.positions} + group.velocities;
  const std::vector<std::uint8_t> depends = expressions::depending(group.tape, 0, movable);
  const std::uint32_t first = group.kind == model::TermKind::potential ? 1 : 0;
  const std::uint32_t behind = group.kind == model::TermKind::potential
                                   ? 1 + group.positions
                                   : static_cast<std::uint32_t>(group.tape.outputs.size());
  for (std::uint32_t output = first; output < behind; ++output) {
    if (changes(group.tape, depends, movable, output)) return false;
  }
  return true;
}

/// All constant forces: `written` gets those that are forces, `all` those that follow from energies besides.
void add_constant_pulls(const model::Model& model, std::vector<double>& written, std::vector<double>& all) {
  std::vector<double> registers;
  for (const model::TermGroup& group : model.terms) {
    registers.assign(group.tape.registers(), 0.0);
    expressions::load_constants(group.tape, registers.data(), 1, 1);
    const std::size_t first_constant = 1 + std::size_t{group.positions} + group.velocities;
    for (std::size_t lane = 0; lane < group.lanes; ++lane) {
      for (std::size_t k = 0; k < group.constants; ++k)
        registers[first_constant + k] = group.constant_of[k * group.lanes + lane];
      expressions::extend(group.tape, registers.data(), 1, 0, 0, 1);
      if (group.kind == model::TermKind::potential) {
        for (std::size_t slot = 0; slot < group.positions; ++slot)
          all[group.position_of[slot * group.lanes + lane]] -= registers[group.tape.outputs[1 + slot]];
        continue;
      }
      for (std::size_t output = 0; output < group.tape.outputs.size(); ++output) {
        const std::uint32_t target = group.target_of[output * group.lanes + lane];
        written[target] += registers[group.tape.outputs[output]];
        all[target] += registers[group.tape.outputs[output]];
      }
    }
  }
}

/// Accelerations that differ by the rounding of mass and force alone are the same one: members under it see each other go straight.
Vector same_pull(std::vector<Vector>& known, const Vector& a) {
  for (const Vector& one : known) {
    bool same = true;
    for (std::size_t c = 0; c < 3; ++c) same = same && std::abs(a[c] - one[c]) <= few_roundings * std::abs(one[c]);
    if (same) return one;
  }
  if (known.size() < most_pulls_compared) known.push_back(a);
  return a;
}

/// The planes of everybody, each list once; `plane_of(row, member)` reads one.
template <class PlaneOf>
void share_planes(Members& out, const PlaneOf& plane_of) {
  std::unordered_map<std::string, std::uint32_t> known;
  std::vector<Plane> list;
  std::string bytes;
  out.plane_start.push_back(0);
  out.plane_list.reserve(out.count);
  for (std::uint32_t i = 0; i < out.count; ++i) {
    list.clear();
    bytes.clear();
    for (const std::uint32_t row : out.wall_rows_of(i)) {
      const Plane& plane = list.emplace_back(plane_of(row, i));
      for (const double number :
           {plane.normal[0], plane.normal[1], plane.normal[2], plane.offset, plane.length, plane.restitution}) {
        const auto bits = std::bit_cast<std::array<char, sizeof number>>(number);
        bytes.append(bits.data(), bits.size());
      }
    }
    const auto [found, fresh] = known.try_emplace(bytes, static_cast<std::uint32_t>(known.size()));
    if (fresh) {
      out.planes.insert(out.planes.end(), list.begin(), list.end());
      out.plane_start.push_back(static_cast<std::uint32_t>(out.planes.size()));
    }
    out.plane_list.push_back(found->second);
  }
  if (known.size() <= 1) std::vector<std::uint32_t>().swap(out.plane_list);
  if (out.count == 0) out.plane_start.push_back(0);
}

/// Where those of each member begin in a list in the order of members, and one behind.
template <class List, class Key>
std::vector<std::uint32_t> starts(const List& list, std::uint32_t members, const Key& key) {
  std::vector<std::uint32_t> out;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i <= members; ++i) {
    while (next < list.size() && key(list[next]) < i) ++next;
    out.push_back(next);
  }
  return out;
}

/// The faces of a crowd, as their rows are read.
class FaceReader {
 public:
  FaceReader(const model::Model& model, Members& out, const std::vector<std::uint32_t>& first_member)
      : model_(model), out_(out), first_member_(first_member) {}

  /// A row between two members: the one with more such rows carries the face.
  void add_carried(std::uint32_t row, const model::Rows& rows, const std::vector<std::uint32_t>& shared) {
    const Concerned about = concerned_by(model_, row);
    std::uint32_t one = number_of(about.member[0]);
    std::uint32_t owner = number_of(about.member[1]);
    if (shared[one] > shared[owner]) std::swap(one, owner);
    Link link = begin(row, rows, one);
    link.offset = rows.value[row];
    const Vector normal = gradient(row, rows, owner);
    const auto [found, fresh] = carried_.try_emplace({owner, normal}, static_cast<std::uint32_t>(faces_.size()));
    if (fresh) {
      Face face;
      face.owner = owner;
      face.normal = normal;
      face.length = std::sqrt(dot(normal, normal));
      faces_.push_back(std::move(face));
    }
    link.face = found->second;
    links_.push_back(link);
  }
  /// A row of one member in which time occurs. Functions that differ by what does not move are one.
  void add_driven(std::uint32_t row, const model::Rows& rows) {
    Link link = begin(row, rows, number_of(concerned_by(model_, row).member[0]));
    const std::uint32_t number = model_.row_group[row];
    const model::RowGroup& group = model_.groups[number];
    const std::size_t lane = model_.row_lane[row];
    const std::size_t first_constant = 1 + std::size_t{group.positions};
    const std::vector<std::uint8_t> depends =
        expressions::depending(group.tape, first_constant, first_constant + group.constants);
    const std::uint32_t rate = group.tape.outputs.back();
    const std::size_t before = group.tape.inputs.size() + group.tape.constants.size();
    const bool alike = rate < before ? rate < first_constant : depends[rate - before] == 0;
    std::vector<double> constants;
    for (std::size_t k = 0; k < group.constants; ++k) constants.push_back(group.constant_of[k * group.lanes + lane]);
    const auto [found, fresh] =
        driven_.try_emplace({number, alike ? std::vector<double>{} : constants}, Driven{faces(), rows.value[row]});
    if (fresh) {
      Face face;
      face.driver = static_cast<std::uint32_t>(out_.drivers.size());
      faces_.push_back(face);
      DriverShape shape;
      shape.slots.positions = group.positions;
      shape.slots.constants = group.constants;
      shape.slots.lanes = 1;
      shape.slots.position_of.assign(group.positions, 0);
      shape.slots.constant_of = std::move(constants);
      shape.tape = group.tape;
      shape.value = group.tape.outputs[0];
      out_.drivers.push_back(std::move(shape));
    }
    link.face = found->second.face;
    link.offset = rows.value[row] - found->second.value;
    links_.push_back(link);
  }
  /// Faces by their owners, links by their members.
  void finish() {
    if (links_.empty()) return;
    std::vector<std::uint32_t> order(faces_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return faces_[a].owner < faces_[b].owner; });
    std::vector<std::uint32_t> place(faces_.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) {
      place[order[k]] = k;
      out_.faces.push_back(faces_[order[k]]);
    }
    std::stable_sort(links_.begin(), links_.end(), [](const Link& a, const Link& b) { return a.member < b.member; });
    for (std::uint32_t k = 0; k < links_.size(); ++k) {
      links_[k].face = place[links_[k].face];
      out_.faces[links_[k].face].links.push_back(k);
    }
    out_.links = std::move(links_);
    out_.link_start = starts(out_.links, out_.count, [](const Link& link) { return link.member; });
    out_.face_start = starts(out_.faces, out_.count, [](const Face& face) { return face.owner; });
  }

 private:
  struct Driven {
    std::uint32_t face = 0;
    double value = 0;  ///< of the first row of it at the start
  };
  [[nodiscard]] std::uint32_t faces() const { return static_cast<std::uint32_t>(faces_.size()); }
  [[nodiscard]] std::uint32_t number_of(const model::Member& place) const {
    return first_member_[place.body] + place.member;
  }
  [[nodiscard]] Vector gradient(std::uint32_t row, const model::Rows& rows, std::uint32_t member) const {
    Vector out{};
    for (std::uint32_t e = model_.row_start[row]; e < model_.row_start[row + 1]; ++e) {
      const std::uint32_t component = model_.row_column[e] - out_.variable[member];
      if (component < out_.dimension) out[component] = rows.entry[e];
    }
    return out;
  }
  [[nodiscard]] Link begin(std::uint32_t row, const model::Rows& rows, std::uint32_t member) const {
    Link link;
    link.row = row;
    link.member = member;
    link.normal = gradient(row, rows, member);
    link.length = std::sqrt(dot(link.normal, link.normal));
    link.restitution = model_.conditions[model_.row_condition[row]].restitution;
    return link;
  }

  const model::Model& model_;
  Members& out_;
  const std::vector<std::uint32_t>& first_member_;
  std::vector<Face> faces_;
  std::vector<Link> links_;
  std::map<std::pair<std::uint32_t, Vector>, std::uint32_t> carried_;
  std::map<std::pair<std::uint32_t, std::vector<double>>, Driven> driven_;
};

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
  if (!std::all_of(model.terms.begin(), model.terms.end(), is_constant_pull))
    return "forces or energies are written that are not the same everywhere";
  if (!model.blows.empty() || !model.releases.empty()) return "blows or releases are due";
  if (!model.simulation.stop.empty() || !model.truths.empty()) return "it asks to be stopped";
  for (const double mass : model.point_mass) {
    if (!(mass > 0)) return "a mass is not positive";
  }
  const std::vector<GroupReading> groups = read_groups(model);
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    const bool plain =
        model.row_kind[row] == model::RowKind::holonomic_inequality && !condition.seizure && model.row_twin[row] == row;
    const Concerned about = concerned_by(model, row);
    const GroupReading& group = groups[model.row_group[row]];
    const model::Body& body = model.bodies[about.member[0].body];
    const std::uint32_t variable = body.first + about.member[0].member * body.dimension;
    bool known = plain;
    if (condition.alternatives > 1 || condition.compound) {
      known = known && about.count == 1 && group.surface == Surface::plane;
    } else if (about.count == 1) {
      known = known && group.surface != Surface::other &&
              (group.surface != Surface::round || read_post(model, row, group.shape, variable, body.dimension));
    } else {
      known = known && about.count == 2 && group.surface == Surface::plane;
    }
    if (!known) {
      return "a condition is neither a wall or a post for one member, nor a plane that another carries, nor a least "
             "distance of any two: " +
             model::row_name(model, row);
    }
  }
  return "";
}

namespace {

std::string why_written_out(const model::Model& model, const model::Condition& condition) {
  const std::uint32_t row = condition.first_row;
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const Concerned about = concerned_by(model, row);
  for (unsigned k = 0; k < about.count; ++k) {
    if (model.bodies[about.member[k].body].kind != model::BodyKind::point) return "its bodies are no points";
  }
  if (model.row_kind[row] == model::RowKind::holonomic_equation ||
      model.row_kind[row] == model::RowKind::nonholonomic_equation)
    return "it is an equation";
  if (!group.holonomic) return "velocities occur in it";
  if (condition.alternatives > 1 || condition.compound || group.modes > 0) return "it has alternatives or corners";
  const motion::RowShape shape = motion::make_shape(group);
  if (group.rheonomic || shape.moving) return "time occurs in it";
  if (shape.squared > 0) return "it is a largest distance, not a least one";
  if (shape.squared == 0) return "it is no distance of two points";
  if (group.constants > 0) return "its distance is not the same for all of them";
  return "its members are not those of one body each once with each other, nor those of two bodies";
}

}  // namespace

std::vector<WrittenOut> written_out(const model::Model& model) {
  std::vector<WrittenOut> out;
  for (const model::Condition& condition : model.conditions) {
    if (condition.indices != 2 || condition.rows == 0) continue;
    // Between any two: far more conditions than members.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> members;
    const std::uint32_t pairs = condition.rows / condition.components;
    bool of_two = true;
    for (std::uint32_t k = 0; k < pairs && of_two; ++k) {
      const Concerned about = concerned_by(model, condition.first_row + k * condition.components);
      of_two = about.count == 2;
      for (unsigned m = 0; m < 2; ++m) members.emplace_back(about.member[m].body, about.member[m].member);
    }
    std::sort(members.begin(), members.end());
    const auto distinct = static_cast<std::size_t>(std::unique(members.begin(), members.end()) - members.begin());
    if (of_two && pairs >= conditions_per_member * distinct)
      out.push_back({condition.name, pairs, why_written_out(model, condition)});
  }
  return out;
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
  std::vector<double> written(model.variables, 0.0);
  std::vector<double> force = model.constant_force;
  add_constant_pulls(model, written, force);
  std::vector<Vector> pulls;
  std::vector<std::uint32_t> first_member;
  std::uint32_t members = 0;
  for (const model::Body& body : model.bodies) members += body.members();
  out.variable.reserve(members);
  out.place.reserve(members);
  out.mass.reserve(members);
  out.acceleration.reserve(members);
  out.kind.reserve(members);
  for (std::uint32_t b = 0; b < model.bodies.size(); ++b) {
    const model::Body& body = model.bodies[b];
    first_member.push_back(out.count);
    for (std::uint32_t m = 0; m < body.members(); ++m) {
      const std::uint32_t variable = body.first + m * body.dimension;
      out.variable.push_back(variable);
      out.place.push_back({b, m});
      out.mass.push_back(model.point_mass[variable]);
      Vector a{};
      for (std::uint32_t c = 0; c < body.dimension; ++c) a[c] = force[variable + c] / model.point_mass[variable + c];
      out.acceleration.push_back(same_pull(pulls, a));
    }
    out.count += body.members();
  }
  if (!model.terms.empty()) {
    out.written_force = std::move(written);
    out.pull_on = std::move(force);
  }

  // Walls: what is left of the conditions at the origin, and their gradients.
  model::State origin = model::initial_state(model);
  std::fill(origin.position.begin(), origin.position.end(), 0.0);
  std::fill(origin.velocity.begin(), origin.velocity.end(), 0.0);
  model::Scratch scratch = model::make_scratch(model);
  model::Rows rows = model::make_rows(model);
  model::evaluate_rows(model, origin, scratch, rows);
  std::vector<std::uint32_t> member_of_wall;  // of those rows that are walls, in their order
  std::vector<std::uint32_t> wall_rows;
  const auto rows_written = static_cast<std::uint32_t>(model.rows() - model.met.size());
  const std::vector<GroupReading> groups = read_groups(model);
  std::vector<std::uint32_t> shared(out.count, 0);
  for (std::uint32_t row = 0; row < rows_written; ++row) {
    const Concerned about = concerned_by(model, row);
    if (about.count < 2) continue;
    for (unsigned k = 0; k < 2; ++k) ++shared[first_member[about.member[k].body] + about.member[k].member];
  }
  const auto plane_of = [&](std::uint32_t row, std::uint32_t member) {
    Plane plane;
    plane.offset = rows.value[row];
    plane.restitution = model.conditions[model.row_condition[row]].restitution;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e)
      plane.normal[model.row_column[e] - out.variable[member]] = rows.entry[e];
    plane.length = std::sqrt(dot(plane.normal, plane.normal));
    return plane;
  };
  FaceReader faces(model, out, first_member);
  for (std::uint32_t row = 0; row < rows_written; ++row) {
    if (concerned_by(model, row).count == 2) {
      faces.add_carried(row, rows, shared);
      continue;
    }
    const GroupReading& group = groups[model.row_group[row]];
    if (group.surface == Surface::moving_plane) {
      faces.add_driven(row, rows);
      continue;
    }
    const model::Member place = member_of(model, model.row_column[model.row_start[row]]);
    const std::uint32_t member = first_member[place.body] + place.member;
    if (group.surface == Surface::round) {
      std::optional<Post> post = read_post(model, row, group.shape, out.variable[member], out.dimension);
      if (!post) continue;
      post->member = member;
      out.posts.push_back(*post);
      continue;
    }
    const model::Condition& condition = model.conditions[model.row_condition[row]];
    if (condition.alternatives < 2) {
      member_of_wall.push_back(member);
      wall_rows.push_back(row);
      continue;
    }
    Wall wall;
    static_cast<Plane&>(wall) = plane_of(row, member);
    wall.row = row;
    wall.alternative = model.row_alternative[row];
    const auto next = static_cast<std::uint32_t>(out.gate_walls.size());
    if ((row - condition.first_row) % condition.components == 0)
      out.gates.push_back({member, next, next, condition.alternatives});
    out.gate_walls.push_back(wall);
    ++out.gates.back().behind;
  }
  faces.finish();
  std::stable_sort(out.gates.begin(), out.gates.end(),
                   [](const Gate& a, const Gate& b) { return a.member < b.member; });
  std::stable_sort(out.posts.begin(), out.posts.end(),
                   [](const Post& a, const Post& b) { return a.member < b.member; });
  if (!out.gates.empty()) out.gate_start = starts(out.gates, out.count, [](const Gate& gate) { return gate.member; });
  if (!out.posts.empty()) out.post_start = starts(out.posts, out.count, [](const Post& post) { return post.member; });
  // Those of a member side by side, in the order of their rows.
  out.wall_start.assign(out.count + std::size_t{1}, 0);
  for (const std::uint32_t member : member_of_wall) ++out.wall_start[member + 1];
  std::partial_sum(out.wall_start.begin(), out.wall_start.end(), out.wall_start.begin());
  out.wall_row.resize(wall_rows.size());
  std::vector<std::uint32_t> next_wall(out.wall_start.begin(), out.wall_start.end() - 1);
  for (std::size_t k = 0; k < wall_rows.size(); ++k) out.wall_row[next_wall[member_of_wall[k]]++] = wall_rows[k];
  share_planes(out, plane_of);
  out.same_pull = std::all_of(out.acceleration.begin(), out.acceleration.end(),
                              [&](const Vector& a) { return a == out.acceleration[0]; });

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
  for (std::uint32_t a = 0; a < out.kinds; ++a) {
    bool nobody = true;
    for (std::uint32_t b = 0; b < out.kinds; ++b) nobody = nobody && out.rules[a * std::size_t{out.kinds} + b].empty();
    out.owes_nobody.push_back(nobody ? 1 : 0);
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
