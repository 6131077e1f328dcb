/// Rigid bodies: where they start, how heavy they are, what turns them.
///
/// In the plane a body has the variables x, y, angle with the inertias m, m, I. In space it has x, y, z and a quaternion e; with s = e.e and
/// w the spin in the body's axes (turning.hpp)
///
///   T = m v.v / 2 + w.I w / 2 + c (e.e')^2 / 2,      c = 4/3 trace I.
///
/// The last term gives the length of e an inertia. It is one at the start and stays there: no force, gradient or torque has a part along e.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/compile/solids.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

namespace {

using expressions::SymbolKind;

/// Roundings that a spin has which was computed from the speeds of a body and lever arms, in some products of vectors, where it should have been zero.
constexpr double roundings_of_a_spin = 16;

/// A number, numbers side by side, or rows of them; computed member by member.
struct NumberRows {
  bool nested = false;
  std::vector<std::vector<double>> rows;
};
NumberRows compute_rows(Compilation& work, const Syntax& syntax, std::string_view where) {
  NumberRows out;
  if (syntax.kind == SyntaxKind::vector) {
    out.nested = !syntax.children.empty() && syntax.children[0].kind == SyntaxKind::vector;
    if (!out.nested) out.rows.emplace_back();
    for (const Syntax& child : syntax.children) {
      if (!out.nested) {
        out.rows[0].push_back(work.compute_number(child, where));
        continue;
      }
      out.rows.emplace_back();
      for (const Syntax& item : child.children) out.rows.back().push_back(work.compute_number(item, where));
    }
    return out;
  }
  const Traced value = work.compute(syntax, where);
  out.rows.emplace_back();
  for (std::size_t c = 0; c < value.parts(); ++c) out.rows[0].push_back(value.part[c].value);
  return out;
}

double length(std::span<const double> v) {
  double square = 0;
  for (const double x : v) square += x * x;
  return std::sqrt(square);
}

/// The unit quaternion of a rotation matrix, from its largest component.
std::array<double, 4> quaternion_of(const std::vector<std::vector<double>>& m) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  std::array<double, 4> e{};
  if (trace > 0) {
    e = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
  } else {
    std::size_t i = 0;
    for (std::size_t k = 1; k < 3; ++k) i = m[k][k] > m[i][i] ? k : i;
    const std::size_t j = (i + 1) % 3;
    const std::size_t k = (i + 2) % 3;
    e[0] = m[k][j] - m[j][k];
    e.at(1 + i) = 1 + m[i][i] - m[j][j] - m[k][k];
    e.at(1 + j) = m[j][i] + m[i][j];
    e.at(1 + k) = m[k][i] + m[i][k];
  }
  return e;
}

/// Everything that is written about a body, read once for all members.
class RigidReader {
 public:
  RigidReader(Compilation& work, Body& body, Rigid& rigid, const Field& field)
      : work_(work), body_(body), rigid_(rigid), table_(field.value), place_of_table_(field.place) {}

  void read() {
    if (const Value* count = table_.find("count")) body_.counts = work_.read_counts(*count);
    body_.first = work_.model.variables;
    read_syntax();
    bool first = true;
    work_.for_members(body_, [&](std::uint32_t member) {
      put_place(member, first);
      first = false;
    });
    work_.model.variables += body_.members() * body_.dimension;
  }

 private:
  [[noreturn]] void fail(Position place, const std::string& message) const { throw work_.source.error(place, message); }

  /// Of a list over the members the entry of one.
  const Syntax& entry(const Syntax& syntax, bool list, std::uint32_t member, const Value& value) const {
    if (!list) return syntax;
    if (body_.counts.empty()) {
      fail(value.place, fmt::format("`{}` is a single body: a list of starts is for families", body_.name));
    }
    if (syntax.children.size() != body_.members()) {
      fail(value.place, fmt::format("`{}` has {} members, the list has {}: one start for each", body_.name,
                                    body_.members(), syntax.children.size()));
    }
    return syntax.children[member];
  }

  void read_syntax() {
    const auto expression = [&](std::string_view key) -> std::optional<Syntax> {
      const Value* value = table_.find(key);
      if (value == nullptr || value->kind == ValueKind::table) return std::nullopt;
      return work_.formulas.expression(*value);
    };
    position_ = expression("position");
    velocity_ = expression("velocity");
    spin_ = expression("spin");
    orientation_ = expression("orientation");
    mass_ = expression("mass");
    density_ = expression("density");
    inertia_ = expression("inertia");
    if (const Value* turn = table_.find("orientation"); turn != nullptr && turn->kind == ValueKind::table) {
      turn_axis_ = work_.formulas.expression(*turn->find("axis"));
      turn_angle_ = work_.formulas.expression(*turn->find("angle"));
    }
    if (const Value* marks = table_.find("marks")) {
      for (const Field& mark : marks->fields) {
        for (const std::string_view taken : {"x", "y", "z", "spin", "angle"}) {
          if (mark.key == taken) {
            fail(mark.place, fmt::format("a mark cannot be called `{}`: `{}.{}` means something else", mark.key,
                                         body_.name, mark.key));
          }
        }
        rigid_.marks.push_back({mark.key, {}});
        marks_.push_back(work_.formulas.expression(mark.value));
      }
    }
    const Value* shape = table_.find("shape");
    if (mass_ && density_) {
      fail(table_.find("density")->place, "`density` stands for the mass: write one of the two");
    }
    if (!mass_ && !density_)
      fail(place_of_table_,
           fmt::format("[bodies.{}] has no `mass`: write mass = … with a number, or a shape and its density",
                       body_.name));
    if (density_ && shape == nullptr) {
      fail(table_.find("density")->place, "`density` needs a `shape` whose volume it is the density of");
    }
    if (!inertia_ && shape == nullptr) {
      fail(
          place_of_table_,
          fmt::format("[bodies.{}] has no `inertia`: write inertia = … or the shape that it follows from", body_.name));
    }
  }

  void put_place(std::uint32_t member, bool first) {
    const Value& value = *table_.find("position");
    const bool list = value.kind == ValueKind::array && value.items[0].kind == ValueKind::array;
    const Syntax& syntax = entry(*position_, list, member, value);
    const Traced q = work_.compute(syntax, "an initial position");
    if (q.size == 0) {
      throw work_.formulas.error(
          syntax, fmt::format("the position of `{}` must have 2 or 3 components; here stands a number", body_.name));
    }
    if (first) body_.dimension = q.size == 3 ? 7 : 3;
    if (body_.place() != q.size) {
      throw work_.formulas.error(syntax, fmt::format("all members of `{}` must have the same number of components: {}, "
                                                     "here stand {}",
                                                     body_.name, body_.place(), q.parts()));
    }
    const std::size_t d = q.size;
    Model& model = work_.model;
    work_.note_doubts(model.position_doubts, model.initial_position.size(), {q.part.data(), d});
    for (std::size_t c = 0; c < d; ++c) model.initial_position.push_back(q.part[c].value);
    const std::vector<double> turn = d == 3 ? quaternion(member) : std::vector<double>{angle(member)};
    for (const double e : turn) {
      // A quaternion has length 1 whatever its parts are; what is written as zero is zero.
      if (d == 3 && e != 0) work_.note_doubt(model.position_doubts, model.initial_position.size(), e, turn_doubt_);
      model.initial_position.push_back(e);
    }

    // What it is made of.
    std::optional<Solid> solid;
    if (const Value* shape = table_.find("shape")) solid = read_solid(work_, *shape, body_.place());
    const Syntax& weight = mass_ ? *mass_ : *density_;
    double m = work_.compute_number(weight, mass_ ? "a mass" : "a density");
    if (!(m > 0)) {
      throw work_.formulas.error(weight, fmt::format("the {} of `{}` must be greater than zero; here it is {}",
                                                     mass_ ? "mass" : "density", member_name(body_, member), exact(m)));
    }
    if (!mass_) m *= solid->volume;
    const std::vector<double> own = inertia(m, solid ? &*solid : nullptr);
    rigid_.inertia.insert(rigid_.inertia.end(), own.begin(), own.end());
    model.point_mass.insert(model.point_mass.end(), d, m);
    if (d == 2) {
      model.point_mass.push_back(own[0]);
    } else {
      model.point_mass.insert(model.point_mass.end(), 4, 0.0);
    }
    put_marks(solid ? &*solid : nullptr);
    if (solid) {
      rigid_.shape = table_.find("shape")->fields[0].key;
      rigid_.sizes.insert(rigid_.sizes.end(), solid->sizes.begin(), solid->sizes.end());
      rigid_.shape_sizes = static_cast<std::uint32_t>(solid->sizes.size());
    }

    // How it moves.
    Traced v;
    v.size = q.size;
    if (velocity_) {
      const Value& written = *table_.find("velocity");
      const bool many = written.kind == ValueKind::array && written.items[0].kind == ValueKind::array;
      const Syntax& one = entry(*velocity_, many, member, written);
      v = work_.compute(one, "an initial velocity");
      if (v.size != q.size) {
        throw work_.formulas.error(
            one, fmt::format("the velocity of `{}` must have as many components as its position: {}, here stand {}",
                             body_.name, d, v.parts()));
      }
    }
    work_.note_doubts(model.velocity_doubts, model.initial_velocity.size(), {v.part.data(), d});
    for (std::size_t c = 0; c < d; ++c) model.initial_velocity.push_back(v.part[c].value);
    double speed = 0;
    for (std::size_t c = 0; c < d; ++c) speed = std::max(speed, std::abs(v.part[c].value));
    const double moment = d == 2 ? own[0] : (own[0] + own[4] + own[8]) / 2;
    put_spin(member, turn, roundings_of_a_spin * number_rounding * speed / std::sqrt(moment / m));
  }

  double angle(std::uint32_t member) {
    const Value* value = table_.find("orientation");
    if (value == nullptr) return 0;
    if (!orientation_) fail(value->place, "in the plane the orientation is an angle: write a number");
    const Syntax& one = entry(*orientation_, value->kind == ValueKind::array, member, *value);
    return work_.compute_number(one, "an angle");
  }

  std::vector<double> quaternion(std::uint32_t member) {
    const Value* value = table_.find("orientation");
    if (value == nullptr) return {1, 0, 0, 0};
    turn_doubt_ = number_rounding;
    std::vector<double> e;
    if (turn_axis_) {
      const Traced axis = work_.compute(*turn_axis_, "an axis");
      if (axis.size != 3) throw work_.formulas.error(*turn_axis_, "the axis of a turn in space has 3 components");
      const double half = work_.compute_number(*turn_angle_, "an angle") / 2;
      turn_doubt_ = number_rounding * (1 + std::abs(half));
      const double size = length(std::array{axis.part[0].value, axis.part[1].value, axis.part[2].value});
      if (!(size > 0)) throw work_.formulas.error(*turn_axis_, "the axis of a turn has a direction; here it is zero");
      const double s = elementary::sin(half) / size;
      e = {elementary::cos(half), s * axis.part[0].value, s * axis.part[1].value, s * axis.part[2].value};
    } else {
      const NumberRows all = compute_rows(work_, *orientation_, "an orientation");
      const bool list = all.nested && all.rows[0].size() == 4;
      if (list) {
        static_cast<void>(entry(*orientation_, true, member, *value));
        e = all.rows[member];
      } else if (all.nested) {
        e = from_matrix(all.rows, *value);
      } else {
        e = all.rows[0];
      }
      if (e.size() != 4) {
        fail(value->place,
             fmt::format("the orientation of `{}` in space is a quaternion [w, x, y, z], a rotation matrix, or "
                         "{{ axis = …, angle = … }}; here stand {} numbers",
                         body_.name, e.size()));
      }
    }
    const double size = length(e);
    if (!(size > 0)) fail(value->place, "a quaternion of an orientation is not zero");
    for (double& x : e) x /= size;
    return e;
  }

  std::vector<double> from_matrix(const std::vector<std::vector<double>>& m, const Value& value) const {
    bool square = m.size() == 3;
    for (const auto& row : m) square = square && row.size() == 3;
    if (!square) fail(value.place, "a rotation matrix has three rows of three numbers");
    double off = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double product = m[i][0] * m[k][0] + m[i][1] * m[k][1] + m[i][2] * m[k][2];
        off = std::max(off, std::abs(product - (i == k ? 1 : 0)));
      }
    }
    const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    if (!(off <= nearly_a_rotation)) {
      fail(value.place,
           fmt::format("the rows of a rotation matrix have length 1 and stand at right angles; these are off by {}",
                       readable(off)));
    }
    if (determinant < 0) fail(value.place, "this matrix turns right hands into left ones: its determinant must be 1");
    const std::array<double, 4> e = quaternion_of(m);
    return {e.begin(), e.end()};
  }

  /// Nine numbers in space, one in the plane.
  std::vector<double> inertia(double m, const Solid* solid) {
    const bool plane = body_.place() == 2;
    if (!inertia_) {
      if (plane) return {m * solid->inertia[0]};
      std::vector<double> out(9, 0.0);
      for (std::size_t k = 0; k < 3; ++k) out[4 * k] = m * solid->inertia.at(k);
      return out;
    }
    const Value& value = *table_.find("inertia");
    const NumberRows all = compute_rows(work_, *inertia_, "an inertia");
    if (plane) {
      if (all.nested || all.rows[0].size() != 1) fail(value.place, "in the plane the inertia is a number");
      if (!(all.rows[0][0] > 0)) {
        fail(value.place, fmt::format("the inertia of `{}` must be greater than zero; here it is {}", body_.name,
                                      exact(all.rows[0][0])));
      }
      return all.rows[0];
    }
    std::vector<double> out(9, 0.0);
    if (!all.nested) {
      if (all.rows[0].size() != 3)
        fail(value.place, "the inertia in space has three principal moments, or is a matrix");
      for (std::size_t k = 0; k < 3; ++k) out[4 * k] = all.rows[0][k];
      check_moments(all.rows[0], value);
      return out;
    }
    if (all.rows.size() != 3) fail(value.place, "the matrix of inertia has three rows");
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) out[3 * i + k] = all.rows[i][k];
    }
    check_matrix(out, value);
    return out;
  }

  void check_moments(const std::vector<double>& moments, const Value& value) const {
    std::size_t zeros = 0;
    for (const double one : moments) {
      if (one < 0) fail(value.place, fmt::format("a moment of inertia is not negative; here stands {}", exact(one)));
      zeros += one == 0 ? 1 : 0;
    }
    bool rod = zeros == 1;
    for (std::size_t k = 0; k < 3; ++k) rod = rod && (moments[k] != 0 || moments[(k + 1) % 3] == moments[(k + 2) % 3]);
    if (zeros > 0 && !rod) {
      fail(value.place,
           "a moment of inertia that is zero belongs to a thin rod, whose other two are equal and not zero");
    }
  }

  void check_matrix(const std::vector<double>& m, const Value& value) const {
    double size = 0;
    for (const double x : m) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (std::abs(m[3 * i + k] - m[3 * k + i]) > nearly_symmetric * size) {
          fail(value.place, "the matrix of inertia must be symmetric");
        }
      }
    }
    const double minor = m[0] * m[4] - m[1] * m[3];
    const double determinant =
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
    if (!(m[0] > 0 && minor > 0 && determinant > 0)) {
      fail(value.place, "the matrix of inertia must be positive definite: every turn has kinetic energy");
    }
  }

  void put_marks(const Solid* solid) {
    for (std::size_t k = 0; k < marks_.size(); ++k) {
      const Traced at = work_.compute(marks_[k], "a mark");
      if (at.size != body_.place()) {
        throw work_.formulas.error(marks_[k], fmt::format("the marks of `{}` have {} components; here stand {}",
                                                          body_.name, body_.place(), at.parts()));
      }
      for (std::size_t c = 0; c < at.size; ++c) {
        const double shift = solid != nullptr && c < 2 ? solid->centre.at(c) : 0.0;
        rigid_.marks[k].at.push_back(at.part[c].value - shift);
      }
    }
  }

  /// `beside_speed`: a spin that is not zero and no larger was computed as zero, from speeds and lever arms.
  void put_spin(std::uint32_t member, const std::vector<double>& turn, double beside_speed) {
    const bool plane = body_.place() == 2;
    std::array<double, 3> w{};
    double off = 0;
    if (spin_) {
      const Value& value = *table_.find("spin");
      const bool list = value.kind == ValueKind::array && (plane || value.items[0].kind == ValueKind::array);
      const Syntax& one = entry(*spin_, list, member, value);
      const Traced spin = work_.compute(one, "an initial spin");
      if (spin.size != (plane ? 0 : 3)) {
        throw work_.formulas.error(one, fmt::format("the spin of `{}` is {}", body_.name,
                                                    plane ? "a number in the plane" : "a vector of 3 components"));
      }
      for (std::size_t c = 0; c < spin.parts(); ++c) {
        w.at(c) = spin.part[c].but_rounding();
        off = std::max(off, spin.part[c].leaps ? 0.0 : spin.part[c].error);
      }
    }
    const double largest = std::max({std::abs(w[0]), std::abs(w[1]), std::abs(w[2])});
    if (largest > 0 && largest <= beside_speed) off = std::max(off, beside_speed);
    Model& model = work_.model;
    std::vector<double>& out = model.initial_velocity;
    if (plane) {
      work_.note_doubt(model.velocity_doubts, out.size(), w[0], off);
      out.push_back(w[0]);
      return;
    }
    // Each is half of a sum of products of the quaternion with the spin.
    const double size = std::abs(w[0]) + std::abs(w[1]) + std::abs(w[2]);
    for (const double rate : rate_of(turn, w)) {
      if (rate != 0) work_.note_doubt(model.velocity_doubts, out.size(), rate, off + number_rounding * size);
      out.push_back(rate);
    }
  }

  Compilation& work_;
  Body& body_;
  Rigid& rigid_;
  const Value& table_;
  Position place_of_table_;
  double turn_doubt_ = 0;  ///< of every part of the quaternion
  std::optional<Syntax> position_, velocity_, spin_, orientation_, mass_, density_, inertia_, turn_axis_, turn_angle_;
  std::vector<Syntax> marks_;
};

/// The slots of a quaternion, and its symbols.
Turning<GraphOps>::Four quaternion_symbols(Compilation& work, std::uint32_t first, bool velocity) {
  Turning<GraphOps>::Four out;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t slot = velocity ? work.slots->velocity(first + 3 + k) : work.slots->position(first + 3 + k);
    out.at(k) = work.shapes.graph().symbol({velocity ? SymbolKind::velocity : SymbolKind::position, slot});
  }
  return out;
}

}  // namespace

void place_rigid(Compilation& work, Body& body, Rigid& rigid, const Field& field) {
  RigidReader(work, body, rigid, field).read();
}

/// The energy of turning of every body in space: one lane each.
void add_rigid_energies(Compilation& work) {
  std::map<std::vector<std::uint32_t>, std::vector<TermShape>> known;
  expressions::Graph& graph = work.shapes.graph();
  for (std::size_t b = 0; b < work.vocabulary.bodies.size(); ++b) {
    const Body& body = work.vocabulary.bodies[b];
    if (!body.turns()) continue;
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      std::array<double, 9> own{};
      for (std::size_t k = 0; k < 9; ++k) own.at(k) = work.vocabulary.rigids[b].inertia[9 * std::size_t{member} + k];
      // About itself a thin rod gets the inertia of its other axes: that spin is kept zero by a condition.
      for (std::size_t k = 0; k < 3; ++k) {
        if (own.at(4 * k) == 0) own.at(4 * k) = own.at(4 * ((k + 1) % 3));
      }
      const double c = 4.0 / 3 * (own[0] + own[4] + own[8]);
      const std::uint32_t first = body.first + member * body.dimension;
      work.slots->begin();
      const auto e = quaternion_symbols(work, first, false);
      const auto rate = quaternion_symbols(work, first, true);
      const auto constant = [&](double value) {
        const int slot = work.slots->constant(value);
        return slot < 0 ? graph.number(0) : graph.symbol({SymbolKind::constant, static_cast<std::uint32_t>(slot)});
      };
      std::array<Expr, 9> moment;
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = i; k < 3; ++k) {
          moment.at(3 * i + k) = constant((own.at(3 * i + k) + own.at(3 * k + i)) / 2 * (i == k ? 0.5 : 1));
        }
      }
      const Expr length = constant(c / 2);
      const auto [found, fresh] = known.try_emplace(work.slots->key);
      if (fresh) {
        Turning<GraphOps> turning({&graph});
        const auto w = turning.own_spin(e, rate);
        const Expr along = turning.inner(e, rate);
        std::vector<Expr> terms;
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t k = i; k < 3; ++k) {
            const Expr factors[] = {moment.at(3 * i + k), w.at(i), w.at(k)};
            terms.push_back(graph.multiply(factors));
          }
        }
        const Expr factors[] = {length, along, along};
        terms.push_back(graph.multiply(factors));
        std::string jump;
        found->second = work.shapes.energy(TermKind::kinetic, graph.add(terms), work.probe(), jump);
      }
      for (const TermShape& shape : found->second) work.shapes.add_term_lane(shape, *work.slots, {});
    }
  }
}

void add_torque(Compilation& work, const Body& body, const Syntax& syntax) {
  std::map<std::vector<std::uint32_t>, std::optional<TermShape>> known;
  const Context context{"a torque", true, true, true, true};
  expressions::Graph& graph = work.shapes.graph();
  work.for_members(body, [&](std::uint32_t member) {
    const std::uint32_t first = body.first + member * body.dimension;
    const std::size_t size = body.turns() ? 3 : 0;
    const Traced torque = work.trace(syntax, context);
    if (torque.size != size) {
      throw work.formulas.error(
          syntax,
          fmt::format("the torque on `{}` is {}; here {}", body.name,
                      size == 3 ? "a vector of 3 components" : "a number in the plane",
                      torque.size == 0 ? "stands a number" : fmt::format("stand {} components", torque.parts())));
    }
    std::vector<std::uint32_t> targets;
    if (body.turns()) {
      static_cast<void>(quaternion_symbols(work, first, false));
      for (std::uint32_t k = 3; k < 7; ++k) targets.push_back(first + k);
    } else {
      targets.push_back(first + 2);
    }
    const auto [found, fresh] = known.try_emplace(work.slots->key);
    if (fresh) {
      std::vector<Expr> outputs = work.build(syntax, context);
      bool zero = true;
      for (const Expr e : outputs) zero = zero && graph.is_number(e, 0);
      if (body.turns()) {
        const auto e = quaternion_symbols(work, first, false);
        const auto force = Turning<GraphOps>({&graph}).force_of_torque(e, {outputs[0], outputs[1], outputs[2]});
        outputs.assign(force.begin(), force.end());
      }
      if (!zero) found->second = work.shapes.force(outputs, work.probe());
    }
    if (found->second) work.shapes.add_term_lane(*found->second, *work.slots, targets);
  });
}

void add_member_force(Compilation& work, const Body& body, std::uint32_t member, const Syntax& syntax, bool torque) {
  const Context context{torque ? "a torque" : "a force", true, true, true, true};
  const std::uint32_t first = body.first + member * body.dimension;
  static_cast<void>(work.trace(syntax, context));
  std::vector<Expr> outputs = work.build(syntax, context);
  std::vector<std::uint32_t> targets;
  if (!torque) {
    for (std::uint32_t c = 0; c < body.place(); ++c) targets.push_back(first + c);
  } else if (body.turns()) {
    const auto e = quaternion_symbols(work, first, false);
    const auto force =
        Turning<GraphOps>({&work.shapes.graph()}).force_of_torque(e, {outputs[0], outputs[1], outputs[2]});
    outputs.assign(force.begin(), force.end());
    for (std::uint32_t k = 3; k < 7; ++k) targets.push_back(first + k);
  } else {
    targets.push_back(first + 2);
  }
  work.build_keeper(outputs);
  work.shapes.add_term_lane(work.shapes.force(outputs, work.probe()), *work.slots, targets);
}

}  // namespace zwang::model
