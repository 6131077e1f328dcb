/// What stands in joints.hpp.
#include "zwang/model/compile/joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/model/compile/solids.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

using Direction = std::vector<double>;

double dot_of(const Direction& a, const Direction& b) {
  double out = 0;
  for (std::size_t c = 0; c < a.size(); ++c) out += a[c] * b[c];
  return out;
}
Direction cross_of(const Direction& a, const Direction& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Direction unit(Direction a) {
  const double size = std::sqrt(dot_of(a, a));
  for (double& x : a) x /= size;
  return a;
}

/// A unit vector across n: from the axis that is farthest from it.
Direction across(const Direction& n) {
  std::size_t least = 0;
  for (std::size_t c = 1; c < 3; ++c) least = std::abs(n[c]) < std::abs(n[least]) ? c : least;
  Direction axis(3, 0.0);
  axis[least] = 1;
  return unit(cross_of(n, axis));
}

/// A direction of one side's axes in the fixed frame, and back.
Direction outwards(const JointSide& side, const Direction& u) {
  if (!side.rigid) return u;
  if (u.size() == 3) {
    const std::array<double, 3> out = turned(side.orientation, {u[0], u[1], u[2]});
    return {out.begin(), out.end()};
  }
  const double c = elementary::cos(side.angle);
  const double s = elementary::sin(side.angle);
  return {c * u[0] - s * u[1], s * u[0] + c * u[1]};
}
Direction inwards(const JointSide& side, const Direction& u) {
  JointSide back = side;
  for (std::size_t k = 1; k < 4; ++k) back.orientation.at(k) = -side.orientation.at(k);
  back.angle = -side.angle;
  return outwards(back, u);
}

/// A unit vector that was turned there and back: components that are rounding are zero, and what is one but for it is one.
Direction without_dust(Direction u) {
  constexpr double some_roundings = 0x1p-50;  // of the dozen operations of two turns
  for (double& x : u) {
    if (std::abs(x) <= some_roundings) x = 0;
    if (std::abs(std::abs(x) - 1) <= some_roundings) x = x > 0 ? 1 : -1;
  }
  return u;
}

constexpr std::array<std::string_view, 8> joint_kinds = {"ball",      "hinge", "slider",  "cylindrical",
                                                         "universal", "weld",  "rolling", "gear"};

/// Reads one joint, or one member of a family of them, and adds its conditions.
class JointReader {
 public:
  JointReader(Compilation& work, const Field& field) : work_(work), field_(field), table_(field.value) {
    for (const Field& inner : table_.fields) {
      if (std::find(joint_kinds.begin(), joint_kinds.end(), inner.key) == joint_kinds.end()) continue;
      if (kind_ != nullptr) {
        fail(inner.place, fmt::format("a joint is of one kind; `{}` is a {} already", field.key, kind_->key));
      }
      kind_ = &inner;
    }
    if (kind_ == nullptr) {
      fail(field.place, fmt::format("`{}` is no joint yet: write one of {} with its two partners", field.key,
                                    joined({joint_kinds.begin(), joint_kinds.end()}, ", ")));
    }
    check_keys();
  }

  /// Who holds whom, along which axes; of rolling and gears the name alone.
  JointFrame frame(const std::vector<Binding>& indices) {
    JointFrame frame = named(indices);
    if (frame.kind == "rolling" || frame.kind == "gear") return frame;
    read_partners(frame);
    read_directions(frame);
    return frame;
  }

  void add(const std::vector<Binding>& indices) {
    JointFrame frame = named(indices);
    if (frame.kind == "rolling") {
      add_rolling(frame);
      return;
    }
    if (frame.kind == "gear") {
      add_gear(frame);
      return;
    }
    read_partners(frame);
    read_directions(frame);
    const std::vector<std::string> formulas = conditions(frame);
    begin(frame);
    for (const std::string& one : formulas) put(frame, one);
    add_drive(frame);
    add_limits(frame);
    end(frame);
  }

 private:
  [[noreturn]] void fail(Position place, const std::string& message) const { throw work_.source.error(place, message); }

  [[nodiscard]] JointFrame named(const std::vector<Binding>& indices) const {
    JointFrame frame;
    frame.kind = kind_->key;
    frame.name = field_.key;
    frame.driven = field_of("drive") != nullptr;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      frame.name += fmt::format("{}{}", k == 0 ? '[' : ',', exact(indices[k].value));
    }
    if (!indices.empty()) frame.name += "]";
    return frame;
  }

  [[nodiscard]] const Field* field_of(std::string_view key) const {
    for (const Field& one : table_.fields) {
      if (one.key == key) return &one;
    }
    return nullptr;
  }

  /// Every key says something about this kind of joint.
  void check_keys() const {
    const std::string& kind = kind_->key;
    const auto allow = [&](std::string_view key, bool allowed, std::string_view where) {
      const Field* found = field_of(key);
      if (found != nullptr && !allowed)
        fail(found->place, fmt::format("`{}` belongs to {}; `{}` is a {} joint", key, where, field_.key, kind));
    };
    const bool moves = kind == "hinge" || kind == "slider";
    allow("axis", moves || kind == "cylindrical", "hinges, sliders and cylindrical joints");
    allow("axes", kind == "universal", "universal joints");
    allow("on", kind == "rolling", "rolling");
    allow("ratio", kind == "gear", "gears");
    for (const std::string_view key : {"limits", "drive", "zero"}) allow(key, moves, "hinges and sliders");
    const Field* restitution = field_of("restitution");
    if (restitution != nullptr && field_of("limits") == nullptr) {
      fail(restitution->place, "`restitution` is that of the limits of a hinge or slider, and there are none");
    }
    const Field* drive = field_of("drive");
    if (drive != nullptr && field_of("limits") != nullptr) {
      fail(drive->place, "a joint that is driven goes where `drive` says: leave `limits` out");
    }
  }

  void read_partners(JointFrame& frame) {
    const Value& list = kind_->value;
    if (list.kind != ValueKind::array || list.items.size() != 2) {
      fail(list.place, fmt::format("a {} joint has two partners: [\"a.end\", \"b.start\"]", kind_->key));
    }
    frame.first = read_side(work_, list.items[0]);
    frame.second = read_side(work_, list.items[1]);
    if (frame.first.fixed && frame.second.fixed)
      fail(list.place, "both partners of this joint are fixed: it holds nothing");
    if (!frame.first.fixed && frame.first.partner.body == frame.second.partner.body &&
        frame.first.partner.member == frame.second.partner.member) {
      fail(list.place, "both partners of this joint are the same body");
    }
    if (frame.first.place.size() != frame.second.place.size()) {
      fail(list.place, "one partner of this joint lies in the plane and the other in space");
    }
    frame.dimension = static_cast<std::uint32_t>(frame.first.place.size());
    const bool directed = kind_->key != "ball" && !(kind_->key == "hinge" && frame.dimension == 2);
    for (const JointSide* side : {&frame.first, &frame.second}) {
      if (directed && !side->fixed && !side->rigid) {
        fail(list.place,
             fmt::format("`{}` is a point, which does not turn: a {} joint holds bodies and fixed places; a point is "
                         "held by a ball joint",
                         side->name, kind_->key));
      }
    }
    if (frame.dimension == 2 && (kind_->key == "universal" || kind_->key == "cylindrical")) {
      fail(kind_->place, fmt::format("in the plane there is no {} joint", kind_->key));
    }
  }

  Direction read_direction(const Value& value, std::size_t size, std::string_view what) {
    const Syntax syntax = work_.formulas.expression(value);
    const Traced u = work_.compute(syntax, what);
    if (u.size != size) {
      throw work_.formulas.error(syntax,
                                 fmt::format("{} has {} components here; there stand {}", what, size, u.parts()));
    }
    Direction out;
    for (std::size_t c = 0; c < size; ++c) out.push_back(u.part[c].value);
    if (!(dot_of(out, out) > 0))
      throw work_.formulas.error(syntax, fmt::format("{} has a direction; here it is zero", what));
    return unit(out);
  }

  void read_directions(JointFrame& frame) {
    const std::string& kind = frame.kind;
    const Field* axis = field_of("axis");
    if (frame.dimension == 2) {
      if (axis != nullptr && kind == "hinge")
        fail(axis->place, "a hinge in the plane turns about a point and has no axis");
      if (kind == "slider") {
        if (axis == nullptr)
          fail(field_.place, fmt::format("the slider `{}` has no `axis`: the direction it slides along", field_.key));
        frame.n = read_direction(axis->value, 2, "an axis");
        frame.p = {-frame.n[1], frame.n[0]};
      }
    } else if (kind == "universal") {
      const Field* axes = field_of("axes");
      if (axes == nullptr || axes->value.items.size() != 2) {
        fail(axes == nullptr ? field_.place : axes->place,
             fmt::format("the universal joint `{}` needs `axes`: two vectors, the first in the first one's axes, the "
                         "second in the "
                         "second one's",
                         field_.key));
      }
      frame.n = read_direction(axes->value.items[0], 3, "an axis");
      frame.second_n = read_direction(axes->value.items[1], 3, "an axis");
      return;
    } else if (kind != "ball") {
      frame.n = {0, 0, 1};
      if (kind != "weld") {
        if (axis == nullptr)
          fail(field_.place,
               fmt::format("the {} `{}` has no `axis`: a vector in the first one's axes", kind, field_.key));
        frame.n = read_direction(axis->value, 3, "an axis");
      }
      frame.p = across(frame.n);
      frame.q = cross_of(frame.n, frame.p);
      frame.second_n = without_dust(inwards(frame.second, outwards(frame.first, frame.n)));
      frame.second_p = without_dust(inwards(frame.second, outwards(frame.first, frame.p)));
      frame.second_q = without_dust(inwards(frame.second, outwards(frame.first, frame.q)));
    }
    if (frame.turns() && frame.dimension == 2) frame.start = frame.second.angle - frame.first.angle;
    if (frame.slides()) {
      Direction apart = frame.second.place;
      for (std::size_t c = 0; c < apart.size(); ++c) apart[c] -= frame.first.place[c];
      frame.start = dot_of(apart, outwards(frame.first, frame.n));
    }
    if (const Field* zero = field_of("zero")) frame.zero = work_.compute_number(zero->value, "a zero");
  }

  /// The formulas of what the joint holds, each an equation.
  std::vector<std::string> conditions(const JointFrame& f) {
    std::vector<std::string> out;
    FormulaNumbers& k = fresh();
    const std::string& kind = f.kind;
    const bool line = kind == "slider" || kind == "cylindrical";
    if (!line) {
      for (std::size_t c = 0; c < f.dimension; ++c) {
        out.push_back(fmt::format("{} = {}", f.second.component(k, c), f.first.component(k, c)));
      }
    } else {
      for (const Direction* u : {&f.p, &f.q}) {
        if (u->empty()) continue;
        out.push_back(fmt::format("dot({} - {}, {}) = 0", f.second.at(k), f.first.at(k), f.first.carried(k, *u)));
      }
    }
    const auto square = [&](const Direction& mine, const Direction& other) {
      out.push_back(fmt::format("dot({}, {}) = 0", f.first.carried(k, mine), f.second.carried(k, other)));
    };
    if (kind == "universal") square(f.n, f.second_n);
    const bool stiff = kind == "weld" || kind == "slider";
    if (f.dimension == 2) {
      if (!stiff) return out;
      const auto angle = [&](const JointSide& side) { return side.fixed ? std::string("0") : side.name + ".angle"; };
      out.push_back(
          fmt::format("{} - {} = {}", angle(f.second), angle(f.first), k.number(f.second.angle - f.first.angle)));
      return out;
    }
    if (stiff || kind == "hinge" || kind == "cylindrical") {
      square(f.p, f.second_n);
      square(f.q, f.second_n);
    }
    if (stiff) square(f.p, f.second_q);
    return out;
  }

  /// sin(angle - drive) = 0, or travel = drive.
  void add_drive(const JointFrame& f) {
    const Field* drive = field_of("drive");
    if (drive == nullptr) return;
    const Value& value = drive->value;
    const Syntax syntax = work_.formulas.expression(value);
    const Traced course = work_.trace(syntax, {"a drive", false, false, true, true});
    if (course.size != 0) throw work_.formulas.error(syntax, "a drive is a number, of parameters and t");
    FormulaNumbers& k = fresh();
    const std::string wanted = "(" + (value.kind == ValueKind::number ? exact(value.number) : value.text) + ")";
    if (f.turns() && f.dimension == 3) {
      const std::string whole = fmt::format("({} + {})", wanted, k.number(f.zero));
      put(f,
          fmt::format("dot({}, {})*cos({}) = dot({}, {})*sin({})", f.first.carried(k, f.q),
                      f.second.carried(k, f.second_p), whole, f.first.carried(k, f.p), f.second.carried(k, f.second_p),
                      whole),
          "drive");
      return;
    }
    put(f, fmt::format("{} = {}", f.coordinate(k), wanted), "drive");
  }

  void add_limits(const JointFrame& f) {
    const Field* limits = field_of("limits");
    if (limits == nullptr) return;
    const Syntax syntax = work_.formulas.expression(limits->value);
    const Traced pair = work_.compute(syntax, "limits");
    if (pair.size != 2) throw work_.formulas.error(syntax, "`limits` are two numbers: [low, high]");
    const double low = pair.part[0].value;
    const double high = pair.part[1].value;
    if (!(low < high)) throw work_.formulas.error(syntax, "the first of the limits must be less than the second");
    FormulaNumbers& k = fresh();
    put(f, fmt::format("{} >= {}", f.coordinate(k), k.number(low)), "low");
    FormulaNumbers& other = fresh();
    put(f, fmt::format("{} <= {}", f.coordinate(other), other.number(high)), "high");
  }

  // Rolling and gears.

  void add_rolling(JointFrame& frame) {
    if (kind_->value.kind != ValueKind::text) fail(kind_->value.place, "what rolls is the name of a body in quotes");
    frame.second = read_side(work_, kind_->value);
    const JointSide& side = frame.second;
    if (!side.rigid || side.name != side.mark)
      fail(kind_->value.place, "what rolls is a body: a ball, a cylinder or a disc");
    const Body& body = work_.vocabulary.bodies[side.partner.body];
    frame.dimension = body.place();
    const Field* on = field_of("on");
    if (on == nullptr)
      fail(field_.place, fmt::format("`{}` rolls `on` a plane: on = {{ normal = [0, 0, 1], offset = 0 }}", field_.key));
    const Syntax written = work_.formulas.expression(*on->value.find("normal"));
    const Traced given = work_.compute(written, "a normal");
    const Direction n = read_direction(*on->value.find("normal"), frame.dimension, "a normal");
    Direction long_one;
    for (std::size_t c = 0; c < given.size; ++c) long_one.push_back(given.part[c].value);
    double offset = 0;
    if (const Value* value = on->value.find("offset")) {
      offset = work_.compute_number(*value, "an offset") / std::sqrt(dot_of(long_one, long_one));
    }
    const Value* shape = work_.body_fields[side.partner.body]->value.find("shape");
    const Field* solid = shape == nullptr || shape->fields.empty() ? nullptr : &shape->fields[0];
    const bool round = solid != nullptr && solid->key == "ball";
    if (solid == nullptr || !(round || solid->key == "cylinder" || solid->key == "disc")) {
      fail(kind_->value.place,
           fmt::format("`{}` cannot roll: its shape must be a ball, a cylinder or in the plane a disc", body.name));
    }
    const double r = radius(body, side.partner.member, *solid);
    frame.first.fixed = true;
    frame.first.partner.at = n;
    for (double& x : frame.first.partner.at) x *= r;
    frame.first.place = frame.first.partner.at;
    if (!round && frame.dimension == 3) frame.kind = "rolling disc";

    begin(frame);
    FormulaNumbers& k = fresh();
    const std::string& b = side.name;
    const std::string normal = k.vector(n);
    const std::string size = k.number(r);
    if (frame.dimension == 2) {
      put(frame, fmt::format("dot({}, {}) = {}", b, normal, k.number(offset + r)));
      put(frame, fmt::format("dot({}, {}') + {}*{}.spin = 0", k.vector({n[1], -n[0]}), b, size, b));
      end(frame);
      return;
    }
    const Direction e = across(n);
    const Direction g = cross_of(n, e);
    if (round) {
      put(frame, fmt::format("dot({}, {}) = {}", b, normal, k.number(offset + r)));
      for (const Direction& u : {e, g}) {
        put(frame, fmt::format("dot({}, {}' - {}*cross({}.spin, {})) = 0", k.vector(u), b, size, b, normal));
      }
    } else {
      // From the centre to the lowest point of the middle circle: -r (n - d k) / sqrt(1 - d^2), k the axis of the wheel, d = n.k.
      const std::string axle = fmt::format("axis({}, [0, 0, 1])", b);
      const std::string d = fmt::format("dot({}, {})", normal, axle);
      const std::string lean = fmt::format("sqrt(1 - {}^2)", d);
      put(frame, fmt::format("dot({}, {}) - {}*{} = {}", b, normal, size, lean, k.number(offset)));
      for (const Direction& u : {e, g}) {
        put(frame, fmt::format("dot({}, {}' - {}/{}*cross({}.spin, {} - {}*{})) = 0", k.vector(u), b, size, lean, b,
                               normal, d, axle));
      }
    }
    end(frame);
  }

  /// The radius of a member's shape, with the indices of its own table.
  double radius(const Body& body, std::uint32_t member, const Field& solid) {
    std::vector<Binding> outside;
    std::swap(outside, work_.bindings);
    if (body.counts.size() == 1) work_.bindings = {{"i", member + 1.0}};
    if (body.counts.size() == 2) {
      work_.bindings = {{"i", member / body.counts[1] + 1.0}, {"j", member % body.counts[1] + 1.0}};
    }
    const Traced size = work_.compute(work_.formulas.expression(solid.value), "a radius");
    std::swap(outside, work_.bindings);
    return size.part[0].value;
  }

  /// The hinge of a wheel: by the name of the joint, or of the body that only one hinge holds; whether the body is its first partner.
  std::pair<const JointFrame*, bool> wheel(const Value& value) {
    const auto& all = work_.joints;
    if (value.kind != ValueKind::text)
      fail(value.place, "the partners of a gear are bodies on hinges, or the names of these hinges");
    const auto named = std::find_if(all.begin(), all.end(), [&](const JointFrame& f) { return f.name == value.text; });
    const JointFrame* found = named == all.end() ? nullptr : &*named;
    bool first = false;
    if (found == nullptr) {
      const JointSide side = read_side(work_, value);
      std::size_t count = 0;
      for (const JointFrame& f : all) {
        if (!f.turns()) continue;
        const bool second = f.second.name == side.name && !side.name.empty();
        if (!second && (f.first.name != side.name || side.name.empty())) continue;
        // A wheel is carried: it is the second partner, if some hinge says so.
        if (found != nullptr && !first && !second) continue;
        if (found != nullptr && first == !second) ++count;
        found = &f;
        first = !second;
      }
      if (count > 0)
        fail(value.place,
             fmt::format("`{}` is held by several hinges: write the name of the one it turns on", value.text));
    }
    if (found == nullptr || !found->turns()) {
      fail(value.place,
           fmt::format("`{}` turns on no hinge: a gear joins two bodies on hinges that stand above it in [joints]",
                       value.text));
    }
    return {found, first};
  }

  void add_gear(JointFrame& frame) {
    const Value& list = kind_->value;
    if (list.kind != ValueKind::array || list.items.size() != 2)
      fail(list.place, "a gear has two partners: [\"a\", \"b\"]");
    const Field* ratio = field_of("ratio");
    if (ratio == nullptr)
      fail(field_.place,
           fmt::format("the gear `{}` has no `ratio`: turns of the second for one turn of the first", field_.key));
    const double r = work_.compute_number(ratio->value, "a ratio");
    const auto [a, a_first] = wheel(list.items[0]);
    const auto [b, b_first] = wheel(list.items[1]);
    frame.first = a_first ? a->first : a->second;
    frame.second = b_first ? b->first : b->second;
    const double factor = (a_first ? -r : r) * (b_first ? -1 : 1);
    const JointFrame one = *a;
    const JointFrame other = *b;
    begin(frame);
    FormulaNumbers& k = fresh();
    const bool plane = one.dimension == 2 && other.dimension == 2;
    const auto turn = [&](const JointFrame& f) { return plane ? f.coordinate(k) : f.rate(k); };
    const std::string left = turn(other);
    put(frame, fmt::format("{} - {}*({}) = {}", left, k.number(factor), turn(one),
                           plane ? k.number(factor * one.zero - other.zero) : std::string("0")));
    end(frame);
  }

  // Conditions.

  FormulaNumbers& fresh() {
    numbers_.emplace(work_);
    return *numbers_;
  }

  void begin(const JointFrame& frame) {
    work_.model.joints.push_back(
        {frame.name, frame.kind, frame.first.partner, frame.second.partner, work_.model.rows(), 0});
    if (const Field* value = field_of("restitution")) {
      restitution_ = work_.compute_number(value->value, "a restitution");
      if (!(restitution_ >= 0 && restitution_ <= 1)) {
        fail(value->place, fmt::format("`restitution` must lie between 0 and 1; here it is {}", exact(restitution_)));
      }
    }
    count_ = 0;
  }

  void put(const JointFrame& frame, const std::string& formula, std::string_view called = {}) {
    const bool limit = called == "low" || called == "high";
    Condition condition;
    condition.name =
        called.empty() ? fmt::format("{}.{}", frame.name, ++count_) : fmt::format("{}.{}", frame.name, called);
    condition.text = fmt::format("{} {}", frame.kind,
                                 frame.first.mark.empty()    ? frame.second.mark
                                 : frame.second.mark.empty() ? frame.first.mark
                                                             : frame.first.mark + ", " + frame.second.mark);
    condition.place = work_.source.place(field_.place);
    if (limit) condition.restitution = restitution_;
    for (const Condition& other : work_.model.conditions) {
      if (other.name == condition.name)
        fail(field_.place, fmt::format("`{}` is already the name of a condition", condition.name));
    }
    Generated generated;
    generated.formula = formula;
    generated.numbers = numbers_->list();
    const std::vector<Binding> indices = work_.bindings;
    for (const Binding& index : indices) generated.numbers.emplace_back(std::string(index.name), index.value);
    work_.bindings.clear();
    const std::string name = condition.name;
    try {
      add_generated(work_, std::move(condition), std::move(generated));
    } catch (const Error& error) {
      // What is wrong with a formula that nobody wrote is wrong with what it was made of.
      const Field* drive = field_of("drive");
      if (error.place().file != name) throw;
      throw work_.source.error(called == "drive" && drive != nullptr ? drive->value.place : field_.place,
                               error.message());
    }
    work_.bindings = indices;
  }

  void end(const JointFrame& frame) {
    work_.model.joints.back().rows = work_.model.rows() - work_.model.joints.back().first_row;
    work_.joints.push_back(frame);
  }

  Compilation& work_;
  const Field& field_;
  const Value& table_;
  const Field* kind_ = nullptr;
  std::optional<FormulaNumbers> numbers_;
  double restitution_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace

JointSide read_side(Compilation& work, const Value& value) {
  JointSide side;
  const Syntax syntax = work.formulas.expression(value);
  const Syntax* root = &syntax;
  const bool member = syntax.kind == SyntaxKind::member;
  if (member) root = &syntax.children[0];
  const Syntax& name = root->kind == SyntaxKind::index ? root->children[0] : *root;
  const auto known = name.kind == SyntaxKind::name ? work.vocabulary.names.find(std::string_view(name.name))
                                                   : work.vocabulary.names.end();
  if (known == work.vocabulary.names.end() || known->second.kind != NameKind::body) {
    const Traced place = work.compute(syntax, "a partner of a joint");
    if (place.size == 0) {
      throw work.formulas.error(
          syntax, "a partner of a joint is a mark, a body, a point or a fixed place; here stands a number");
    }
    side.fixed = true;
    for (std::size_t c = 0; c < place.size; ++c) side.place.push_back(place.part[c].value);
    side.partner.at = side.place;
    return side;
  }
  const auto [index, number] = work.tracing->member(*root, work.bindings);
  const Body& body = work.vocabulary.bodies[index];
  if (body.kind == BodyKind::coordinate) {
    throw work.formulas.error(
        syntax, fmt::format("`{}` is a coordinate; a joint holds marks, bodies, points and fixed places", body.name));
  }
  side.partner.body = index;
  side.partner.member = number;
  side.name = side.mark = member_name(body, number);
  side.rigid = body.kind == BodyKind::rigid;
  const std::uint32_t first = body.first + number * body.dimension;
  const std::vector<double>& q = work.model.initial_position;
  const std::uint32_t d = body.place();
  if (side.rigid && d == 3) std::copy_n(q.begin() + first + 3, 4, side.orientation.begin());
  if (side.rigid && d == 2) side.angle = q[first + 2];
  side.partner.at.assign(d, 0.0);
  if (member) {
    const auto& marks = work.vocabulary.rigids[index].marks;
    const auto mark =
        std::find_if(marks.begin(), marks.end(), [&](const Mark& one) { return one.name == syntax.name; });
    if (mark == marks.end()) {
      throw work.formulas.error(syntax, fmt::format("`{}` has no mark `{}`", body.name, syntax.name));
    }
    side.mark += "." + mark->name;
    std::copy_n(mark->at.begin() + static_cast<std::ptrdiff_t>(number * d), d, side.partner.at.begin());
  }
  side.place = outwards(side, side.partner.at);
  for (std::uint32_t c = 0; c < d; ++c) side.place[c] += q[first + c];
  return side;
}

FormulaNumbers::FormulaNumbers(const Compilation& work) : prefix_("n_") {
  const auto taken = [&] {
    return std::any_of(work.vocabulary.names.begin(), work.vocabulary.names.end(),
                       [&](const auto& one) { return one.first.starts_with(prefix_); });
  };
  while (taken()) prefix_ += "_";
}

void FormulaNumbers::begin_apart() {
  apart_ = true;
  list_.clear();
}

std::string FormulaNumbers::number(double value) {
  if (!apart_) {
    for (const auto& [name, known] : list_) {
      if (known == value) return name;
    }
  }
  list_.emplace_back(fmt::format("{}{}", prefix_, list_.size() + 1), value);
  return list_.back().first;
}

std::string FormulaNumbers::vector(const std::vector<double>& values) {
  std::string out = "[";
  for (const double value : values) out += (out.size() > 1 ? ", " : "") + number(value);
  return out + "]";
}

std::string JointSide::at(FormulaNumbers& numbers) const { return fixed ? numbers.vector(place) : mark; }

std::string JointSide::component(FormulaNumbers& numbers, std::size_t c) const {
  return fixed ? numbers.number(place[c]) : fmt::format("{}.{}", mark, "xyz"[c]);
}

std::string JointSide::carried(FormulaNumbers& numbers, const std::vector<double>& direction) const {
  return rigid ? fmt::format("axis({}, {})", name, numbers.vector(direction)) : numbers.vector(direction);
}

std::string JointFrame::coordinate(FormulaNumbers& numbers) const {
  if (slides()) {
    return fmt::format("dot({} - {}, {}) - {}", second.at(numbers), first.at(numbers), first.carried(numbers, n),
                       numbers.number(start + zero));
  }
  if (dimension == 2) {
    std::string out = second.fixed ? std::string("0") : second.name + ".angle";
    if (!first.fixed) out += " - " + first.name + ".angle";
    return fmt::format("{} - {}", out, numbers.number(start + zero));
  }
  const std::string other = second.carried(numbers, second_p);
  return fmt::format("atan2(dot({}, {}), dot({}, {})) - {}", first.carried(numbers, q), other,
                     first.carried(numbers, p), other, numbers.number(zero));
}

std::string JointFrame::rate(FormulaNumbers& numbers) const {
  if (slides()) {
    // d/dt (B - A).n: the axis turns with the first one.
    const auto velocity = [&](const JointSide& side) { return side.fixed ? std::string() : side.mark + "'"; };
    const std::string axis = first.carried(numbers, n);
    std::string out = velocity(second);
    if (!first.fixed) out += (out.empty() ? "-" : " - ") + velocity(first);
    std::string whole = fmt::format("dot({}, {})", out, axis);
    if (!first.rigid) return whole;
    const std::string apart = fmt::format("{} - {}", second.at(numbers), first.at(numbers));
    if (dimension == 3) return fmt::format("{} + dot({}, cross({}.spin, {}))", whole, apart, first.name, axis);
    const std::string side = first.carried(numbers, p);
    return fmt::format("{} + {}.spin*dot({}, {})", whole, first.name, apart, side);
  }
  std::string spin = second.fixed ? std::string() : second.name + ".spin";
  if (!first.fixed) spin += (spin.empty() ? "-" : " - ") + first.name + ".spin";
  if (dimension == 2) return "(" + spin + ")";
  return fmt::format("dot({}, {})", first.carried(numbers, n), spin);
}

namespace {

/// Calls `each` for every member of every joint.
template <class Each>
void for_joints(Compilation& work, const Each& each) {
  const Value* table = work.find("joints");
  if (table == nullptr) return;
  for (const Field& field : table->fields) {
    for (const Condition& other : work.model.conditions) {
      if (other.name == field.key) {
        throw work.source.error(
            field.place, fmt::format("`{}` is already the name of a condition (line {})", field.key, other.place.line));
      }
    }
    JointReader reader(work, field);
    std::vector<RangeSyntax> ranges;
    if (const Value* value = field.value.find("for")) ranges = work.formulas.ranges(*value);
    work.check_indices(ranges);
    bool any = false;
    auto one = [&]() {
      any = true;
      each(reader, std::vector<Binding>(work.bindings));
    };
    work.for_ranges(std::span<const RangeSyntax>(ranges), one);
    if (!any)
      throw work.formulas.error(ranges[0].offset,
                                fmt::format("the joint `{}` has no members: its ranges are empty", field.key));
  }
}

}  // namespace

void add_joints(Compilation& work) {
  for_joints(work, [](JointReader& reader, const std::vector<Binding>& indices) { reader.add(indices); });
}

std::vector<JointFrame> read_joint_frames(Compilation& work) {
  std::vector<JointFrame> out;
  for_joints(work, [&](JointReader& reader, const std::vector<Binding>& indices) {
    JointFrame frame = reader.frame(indices);
    if (!frame.n.empty() || frame.kind == "ball") out.push_back(std::move(frame));
  });
  return out;
}

}  // namespace zwang::model
