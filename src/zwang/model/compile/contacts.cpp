/// Contacts: shapes that do not enter each other, as conditions on distances in smooth pieces (docs/mathematics, section 23.7).
///
/// x_k is a corner (or centre, or end) of a shape in the fixed frame, u = R^T (x - c) the same in the axes of the other body, r a radius.
///
///   half-space          n.x_k - r >= offset                          cylinder: n.c +- (h/2) n.k - R |n - (n.k) k| >= offset for its two rims
///   ball, ball          |x - y| >= r + s                             inside: (|x - y|^2 - (R - r)^2) / (2 (R - r)) <= 0
///   ball, box           sum max(|u| - a, 0)^2 >= r^2                 inside: |u| <= a - r
///   ball, segment       rho^2 + max(|z| - h/2, 0)^2 >= (r + s)^2     rods and capsules; the sides of a polygon, one condition each
///   ball, cylinder      max(rho - R, 0)^2 + max(|z| - h/2, 0)^2 >= r^2
///   capsule, capsule    the four ends against the other's segment; |w.n| >= L |n| where the nearest points lie between the ends
///   polygon, polygon    no corner of one inside of the other
///   box, box            no corner of one inside of the other; |w.n| >= 0 where edges cross
///   capsule, box        the ends against the box, corners and edges against the capsule
///
/// Squares are divided by twice the length, so that gradients have length 1 where shapes touch and multipliers are forces.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/compile/touching.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

using NamedNumbers = std::vector<std::pair<std::string, double>>;
/// As `nearly_flat`, of edges that cross, where counting costs nothing: they are beyond one another in any case. The square of the sine of nearly parallel
/// edges is small, and this part of it is to be told from what rounding of a state does to their sines.
constexpr double nearly_flat_edge = 1e-4;

/// Reads one contact, or one member of a family of them, and adds its conditions.
class ContactReader {
 public:
  ContactReader(Compilation& work, const Field& field) : work_(work), field_(field), table_(field.value) {
    body_ = find("body");
    plane_ = find("plane");
    between_ = find("between");
    if ((body_ == nullptr) == (between_ == nullptr) || (body_ == nullptr) != (plane_ == nullptr)) {
      fail(field.place,
           fmt::format("the contact `{}` needs `body` and `plane`, or `between` with two partners", field.key));
    }
    if (const Field* value = find("inside")) {
      inside_ = value->value.number != 0;
      if (inside_ && between_ == nullptr)
        fail(value->place,
             "`inside` belongs to a contact `between` two partners: the second stays inside of the first");
    }
    if (const Field* value = find("restitution")) {
      restitution_ = work_.compute_number(value->value, "a restitution");
      if (!(restitution_ >= 0 && restitution_ <= 1)) {
        fail(value->place, fmt::format("`restitution` must lie between 0 and 1; here it is {}", exact(restitution_)));
      }
    }
    family_ = table_.find("for") != nullptr;
  }

  /// The formulas of the member whose indices are bound.
  void write(const std::vector<Binding>& indices) {
    index_.clear();
    for (const Binding& one : indices) index_ += (index_.empty() ? "" : ",") + exact(one.value);
    formulas_.clear();
    own_numbers_.clear();
    partners_.clear();
    numbers_.emplace(work_);
    if (plane_ != nullptr) {
      const Touching body = read(body_->value);
      text_ = fmt::format("contact {}, plane", body.side.mark);
      above_plane(body);
    } else {
      const Value& list = between_->value;
      if (list.kind != ValueKind::array || list.items.size() != 2)
        fail(list.place, "a contact is between two partners: [\"a\", \"b\"]");
      const Touching a = read(list.items[0]);
      const Touching b = read(list.items[1]);
      if (a.side.fixed && b.side.fixed) fail(list.place, "both partners of this contact are fixed: nothing can touch");
      if (!a.side.fixed && a.side.partner.body == b.side.partner.body && a.side.partner.member == b.side.partner.member)
        fail(list.place, "both partners of this contact are the same body");
      if (a.dimension != b.dimension)
        fail(list.place, "one partner of this contact lies in the plane and the other in space");
      text_ = fmt::format("contact {}, {}", a.side.mark.empty() ? "fixed" : a.side.mark,
                          b.side.mark.empty() ? "fixed" : b.side.mark);
      const auto whole = [](const Touching& one) { return one.side.rigid && one.side.mark == one.side.name; };
      if (whole(a) && whole(b) && a.dimension == 3 && a.word != "mark" && b.word != "mark")
        partners_ = {a.side.name, b.side.name};
      if (inside_) {
        text_ += " inside";
        within(a, b);
      } else {
        outside(a, b);
      }
    }
  }

  /// Are the formulas those of the member before, with other indices?
  bool same_as_before() {
    const bool same = formulas_.size() == 1 && (first_formula_.empty() ||
                                                (formulas_[0] == first_formula_ && numbers_->list() == first_numbers_));
    first_formula_ = formulas_[0];
    first_numbers_ = numbers_->list();
    return same;
  }
  /// All members as one family of conditions.
  void put_family() {
    index_.clear();
    Generated generated;
    generated.formula = formulas_[0];
    generated.numbers = numbers_->list();
    generated.ranges = table_.find("for")->text;
    const std::uint32_t first = work_.model.rows();
    Condition all = condition();
    add_generated(work_, std::move(all), std::move(generated));
    note_rows(first);
  }
  void put() {
    const std::vector<Binding> indices = work_.bindings;
    std::vector<Condition> alike;
    std::vector<NamedNumbers> lists;
    for (std::size_t row = 0; row < formulas_.size(); ++row) {
      Condition one = condition();
      if (formulas_.size() > 1)
        one.name = fmt::format("{}[{}{}{}]", field_.key, index_, index_.empty() ? "" : ",", row + 1);
      if (row < own_numbers_.size() && !own_numbers_[row].empty()) {
        // Formulas of one text are neighbours.
        alike.push_back(std::move(one));
        lists.push_back(own_numbers_[row]);
        if (row + 1 < formulas_.size() && formulas_[row + 1] == formulas_[row]) continue;
        const std::vector<std::string> builds = open_names(formulas_[row], lists[0]);
        work_.bindings = indices;
        add_alike(work_, std::exchange(alike, {}), formulas_[row], std::exchange(lists, {}), builds);
        continue;
      }
      Generated generated;
      generated.formula = formulas_[row];
      generated.numbers = numbers_->list();
      for (const Binding& index : indices) generated.numbers.emplace_back(std::string(index.name), index.value);
      work_.bindings.clear();
      const std::uint32_t first = work_.model.rows();
      const std::vector<std::string> builds = open_names(generated.formula, generated.numbers);
      add_generated(work_, std::move(one), std::move(generated), builds);
      note_rows(first);
    }
    work_.bindings = indices;
  }

 private:
  [[noreturn]] void fail(Position place, const std::string& message) const { throw work_.source.error(place, message); }
  [[nodiscard]] const Field* find(std::string_view key) const {
    for (const Field& one : table_.fields) {
      if (one.key == key) return &one;
    }
    return nullptr;
  }

  /// Between two bodies as wholes: the alternatives with the names of the bodies and numbers left open. (Marks have numbers of their own.)
  [[nodiscard]] std::vector<std::string> open_names(const std::string& text, const NamedNumbers& numbers) const {
    if (partners_.size() != 2) return {};
    std::vector<std::string> out(1);
    for (std::size_t at = 0; at < text.size();) {
      if (text.compare(at, 4, " or ") == 0) {
        out.emplace_back();
        at += 4;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
      const std::string_view word = std::string_view(text).substr(at, end - at);
      const bool begins = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
      const auto partner = std::find_if(partners_.begin(), partners_.end(), [&](const std::string& name) {
        return text.compare(at, name.size(), name) == 0 && name.size() >= word.size();
      });
      if (begins && partner != partners_.end()) {
        out.back() += partner == partners_.begin() ? "@1" : "@2";
        at += partner->size();
      } else if (begins &&
                 std::any_of(numbers.begin(), numbers.end(), [&](const auto& one) { return one.first == word; })) {
        out.back() += '#';
        at = end;
      } else {
        out.back() += word.empty() ? text.substr(at, 1) : std::string(word);
        at = std::max(end, at + 1);
      }
    }
    return out;
  }

  /// What a partner is made of.
  Touching read(const Value& value) {
    Touching out;
    out.side = read_side(work_, value);
    out.dimension = static_cast<std::uint32_t>(out.side.place.size());
    const bool marked = out.side.mark != out.side.name;
    if (family_ && !out.side.fixed && value.kind == ValueKind::text) {
      // As it was written, so that members of one build have one formula.
      out.side.mark = value.text;
      out.side.name = marked ? value.text.substr(0, value.text.rfind('.')) : value.text;
    }
    const JointSide& side = out.side;
    const Numbers origin(out.dimension, 0.0);
    out.word = side.fixed ? "fixed place" : side.rigid ? "mark" : "point";
    out.points = {side.rigid ? side.partner.at : origin};
    if (!side.rigid || side.mark != side.name) return out;

    const Rigid& rigid = work_.vocabulary.rigids[side.partner.body];
    const std::uint32_t member = side.partner.member;
    out.word = rigid.shape;
    if (rigid.shape.empty()) {
      out.word = "cloud of marks";
      out.points.clear();
      for (const Mark& mark : rigid.marks) {
        const auto at = mark.at.begin() + static_cast<std::ptrdiff_t>(std::size_t{member} * out.dimension);
        out.points.emplace_back(at, at + out.dimension);
      }
      if (out.points.empty())
        fail(value.place,
             fmt::format("`{}` has neither a shape nor marks: nothing of it can touch; write shape = {{ ball = … }} "
                         "or [bodies.{}.marks]",
                         side.name, work_.vocabulary.bodies[side.partner.body].name));
      return out;
    }
    const auto first = rigid.sizes.begin() + static_cast<std::ptrdiff_t>(std::size_t{member} * rigid.shape_sizes);
    const Numbers sizes(first, first + rigid.shape_sizes);
    if (rigid.shape == "ball" || rigid.shape == "disc") {
      out.radius = sizes[0];
    } else if (rigid.shape == "box") {
      out.kind = out.dimension == 3 ? Solidity::box : Solidity::polygon;
      for (const double length : sizes) out.half.push_back(length / 2);
      out.points.clear();
      if (out.dimension == 2) {
        const double a = out.half[0];
        const double b = out.half[1];
        out.points = {{-a, -b}, {a, -b}, {a, b}, {-a, b}};
      } else {
        for (unsigned corner = 0; corner < 8; ++corner) {
          Numbers at;
          for (unsigned c = 0; c < 3; ++c) at.push_back((corner >> c & 1U) != 0 ? out.half[c] : -out.half[c]);
          out.points.push_back(std::move(at));
        }
      }
    } else if (rigid.shape == "polygon") {
      out.kind = Solidity::polygon;
      out.points.clear();
      for (std::size_t k = 0; k + 1 < sizes.size(); k += 2) out.points.push_back({sizes[k], sizes[k + 1]});
      double area = 0;
      for (std::size_t k = 0; k < out.points.size(); ++k) {
        const Numbers& p = out.points[k];
        const Numbers& q = out.points[(k + 1) % out.points.size()];
        area += p[0] * q[1] - p[1] * q[0];
      }
      if (area < 0) std::reverse(out.points.begin(), out.points.end());
    } else {
      const bool rod = rigid.shape == "rod";
      out.along = rod ? 0 : 2;
      out.radius = rod ? 0 : sizes[0];
      out.half = {(rod ? sizes[0] : sizes[1]) / 2};
      out.kind = rigid.shape == "cylinder" ? Solidity::cylinder : Solidity::segment;
      Numbers end = origin;
      end[out.along] = out.half[0];
      Numbers start = origin;
      start[out.along] = -out.half[0];
      out.points = {start, end};
      if (out.kind == Solidity::segment && out.half[0] == 0) {
        out.kind = Solidity::cloud;
        out.points = {origin};
      }
    }
    return out;
  }

  FormulaNumbers& k() { return *numbers_; }

  /// Formula of a point given in the body's axes.
  std::string at(const Touching& body, const Numbers& point) {
    const bool centre = std::all_of(point.begin(), point.end(), [](double x) { return x == 0; });
    if (body.side.fixed || !body.side.rigid) return body.side.at(k());
    if (centre) return body.side.name;
    if (body.side.mark != body.side.name) return body.side.mark;
    return fmt::format("({} + {})", body.side.name, body.side.carried(k(), point));
  }
  /// The same with all of its numbers, be they zero or not.
  std::string placed(const Touching& body, const Numbers& point) {
    return fmt::format("({} + {})", body.side.name, body.side.carried(k(), point));
  }
  std::string axis(const Touching& body, std::uint32_t which) {
    Numbers unit(body.dimension, 0.0);
    unit[which] = 1;
    return body.side.carried(k(), unit);
  }
  /// A component of a place in the axes of a body.
  std::string seen(const Touching& body, const std::string& place, std::uint32_t which) {
    return fmt::format("dot({} - {}, {})", place, body.side.name, axis(body, which));
  }
  /// max(|z| - h, 0)^2 without a corner at z = 0.
  std::string beyond(const std::string& z, double h) {
    const std::string size = k().number(h);
    return fmt::format("(max({} - {}, 0)^2 + max(-({}) - {}, 0)^2)", z, size, z, size);
  }

  // Half-spaces.

  void above_plane(const Touching& body) {
    const Value& plane = plane_->value;
    const Value* normal_value = plane.find("normal");
    if (normal_value == nullptr)
      fail(plane.place, "`plane` has a `normal`: plane = { normal = [0, 0, 1], offset = 0 }");
    const Syntax syntax = work_.formulas.expression(*normal_value);
    const Traced given = work_.compute(syntax, "a normal");
    if (given.size != body.dimension) {
      throw work_.formulas.error(
          syntax, fmt::format("the normal has {} components here; there stand {}", body.dimension, given.parts()));
    }
    Numbers n;
    for (std::size_t c = 0; c < given.size; ++c) n.push_back(given.part[c].value);
    const double size = std::sqrt(inner(n, n));
    if (!(size > 0)) throw work_.formulas.error(syntax, "a normal has a direction; here it is zero");
    for (double& x : n) x /= size;

    double offset = 0;
    bool moves = false;
    std::string floor;
    if (const Value* value = plane.find("offset")) {
      const Syntax written = work_.formulas.expression(*value);
      const Traced course = work_.trace(written, {"an offset", false, false, true, true});
      if (course.size != 0) throw work_.formulas.error(written, "an offset is a number, of parameters and t");
      offset = course.part[0].value / size;
      moves = course.part[0].made == Made::state;
      if (moves) floor = fmt::format("({})/{}", value->text, k().number(size));
    }
    half_space_ = HalfSpace{field_.key, n, offset, {}, moves};
    const auto height = [&](double raised) {
      if (!moves) return k().number(offset + raised);
      return raised == 0 ? floor : fmt::format("{} + {}", floor, k().number(raised));
    };
    const std::string normal = k().vector(n);
    if (body.kind == Solidity::cylinder) {
      const std::string lean =
          fmt::format("sqrt(dot({}, {})^2 + dot({}, {})^2)", normal, axis(body, 0), normal, axis(body, 1));
      for (const Numbers& end : body.points) {
        formulas_.push_back(
            fmt::format("dot({}, {}) - {}*{} >= {}", normal, at(body, end), k().number(body.radius), lean, height(0)));
      }
      return;
    }
    for (const Numbers& point : body.points) {
      formulas_.push_back(fmt::format("dot({}, {}) >= {}", normal, at(body, point), height(body.radius)));
    }
  }

  // The second inside of the first.

  void within(const Touching& a, const Touching& b) {
    if (!a.side.rigid || a.side.mark != a.side.name || a.word == "cloud of marks" ||
        (a.kind == Solidity::segment && a.radius == 0)) {
      fail(between_->value.items[0].place,
           fmt::format("a {} has no inside: the first partner is a body whose shape is a ball, box, cylinder or "
                       "capsule, in the plane a disc, box or polygon",
                       a.word));
    }
    if (!b.hull()) {
      fail(between_->value.items[1].place,
           "a cylinder inside of something is not offered; a capsule, a ball, or a cloud of marks on its rims is");
    }
    if (a.kind == Solidity::polygon) check_convex(a, between_->value.items[0].place);
    const double r = b.radius;
    const auto room = [&](double outer) {
      if (!(outer > r)) {
        fail(between_->value.place, fmt::format("`{}` has no room inside of `{}`: radius {} in {}", b.side.mark,
                                                a.side.name, exact(r), exact(outer)));
      }
      return outer - r;
    };
    for (const Numbers& point : b.points) {
      const std::string p = at(b, point);
      const std::string apart = fmt::format("({} - {})", p, a.side.name);
      const auto round_wall = [&](const std::string& square, double outer) {
        const double free = room(outer);
        formulas_.push_back(fmt::format("({})/{} <= {}", square, k().number(2 * free), k().number(free / 2)));
      };
      const auto flat_walls = [&](std::uint32_t which, double half) {
        const double free = room(half);
        formulas_.push_back(fmt::format("{} <= {}", seen(a, p, which), k().number(free)));
        formulas_.push_back(fmt::format("{} >= {}", seen(a, p, which), k().number(-free)));
      };
      const std::string z = a.dimension == 3 ? seen(a, p, a.along) : std::string();
      switch (a.kind) {
        case Solidity::cloud: round_wall(fmt::format("dot({}, {})", apart, apart), a.radius); break;
        case Solidity::box:
          for (std::uint32_t c = 0; c < a.dimension; ++c) flat_walls(c, a.half[c]);
          break;
        case Solidity::polygon:
          for (const Edge& edge : edges_of(a.points)) {
            formulas_.push_back(
                fmt::format("dot({}, {}) <= {}", a.side.carried(k(), edge.normal), apart, k().number(edge.offset - r)));
          }
          break;
        case Solidity::cylinder:
          round_wall(fmt::format("dot({}, {}) - {}^2", apart, apart, z), a.radius);
          flat_walls(a.along, a.half[0]);
          break;
        case Solidity::segment:
          round_wall(fmt::format("dot({}, {}) - {}^2 + {}", apart, apart, z, beyond(z, a.half[0])), a.radius);
          break;
      }
    }
  }

  // Outside of each other.

  void outside(const Touching& a, const Touching& b) {
    if (a.round() && b.round()) {
      const double l = a.radius + b.radius;
      if (!(l > 0))
        fail(between_->value.place,
             "both partners of this contact are points, which have no extent: one of them must be a body with a shape");
      formulas_.push_back(fmt::format("distance({}, {}) >= {}", at(a, a.points[0]), at(b, b.points[0]), k().number(l)));
      return;
    }
    if (b.kind == Solidity::cloud && a.kind != Solidity::cloud) {
      for (const Numbers& point : b.points) ball_outside(a, b, at(b, point));
      return;
    }
    if (a.kind == Solidity::cloud && b.kind != Solidity::cloud) {
      for (const Numbers& point : a.points) ball_outside(b, a, at(a, point));
      return;
    }
    if (a.kind == Solidity::cloud && b.kind == Solidity::cloud) {
      const Touching& ball = a.round() ? a : b;
      const Touching& cloud = a.round() ? b : a;
      if (!ball.round() || ball.radius == 0) refuse(a, b);
      for (const Numbers& point : cloud.points) {
        formulas_.push_back(
            fmt::format("distance({}, {}) >= {}", at(ball, ball.points[0]), at(cloud, point), k().number(ball.radius)));
      }
      return;
    }
    if (a.kind == Solidity::segment && b.kind == Solidity::segment && a.dimension == 3 && a.radius + b.radius > 0) {
      crossing(a, b);
      return;
    }
    if (a.kind == Solidity::box && b.kind == Solidity::box) {
      corners_of_box_outside(a, b);
      corners_of_box_outside(b, a);
      edges_crossing(a, b);
      refuse_overlap(a, b);
      return;
    }
    if ((a.kind == Solidity::box && b.kind == Solidity::segment && b.radius > 0) ||
        (b.kind == Solidity::box && a.kind == Solidity::segment && a.radius > 0)) {
      capsule_and_box(a.kind == Solidity::box ? b : a, a.kind == Solidity::box ? a : b);
      return;
    }
    if (a.kind == Solidity::polygon && b.kind == Solidity::polygon) {
      check_convex(a, between_->value.items[0].place);
      check_convex(b, between_->value.items[1].place);
      corners_outside(a, b);
      corners_outside(b, a);
      refuse_overlap(a, b);
      return;
    }
    refuse(a, b);
  }

  [[noreturn]] void refuse(const Touching& a, const Touching& b) const {
    fail(
        between_->value.place,
        fmt::format("contact between a {} and a {} is not offered; the nearest things that are: {}", a.word, b.word,
                    a.dimension == 2
                        ? "boxes and polygons among themselves, a disc with anything, the marks of one (a body "
                          "without a shape) with the other"
                        : "a ball, a point or a mark with anything, capsules and rods among themselves (not two rods), "
                          "boxes among themselves and with capsules, anything with a plane"));
  }

  /// A ball, or a point, outside of a body with an extent.
  void ball_outside(const Touching& body, const Touching& ball, const std::string& p) {
    const double r = ball.radius + (body.kind == Solidity::segment ? body.radius : 0.0);
    const std::string apart = fmt::format("({} - {})", p, body.side.name);
    const auto far = [&](const std::string& square) {
      formulas_.push_back(fmt::format("({})/{} >= {}", square, k().number(2 * r), k().number(r / 2)));
    };
    const std::string z = seen(body, p, body.along);
    const auto all_axes = [&](auto&& one, std::string_view between) {
      std::string out;
      for (std::uint32_t c = 0; c < body.half.size(); ++c)
        out += (out.empty() ? std::string() : std::string(between)) + one(c);
      return out;
    };
    switch (body.kind) {
      case Solidity::segment:
        if (!(r > 0)) refuse(body, ball);
        far(fmt::format("dot({}, {}) - {}^2 + {}", apart, apart, z, beyond(z, body.half[0])));
        break;
      case Solidity::box:
        if (r > 0) {
          far(all_axes([&](std::uint32_t c) { return beyond(seen(body, p, c), body.half[c]); }, " + "));
        } else {
          formulas_.push_back(all_axes(
              [&](std::uint32_t c) {
                const std::string u = seen(body, p, c);
                const std::string half = k().number(body.half[c]);
                return fmt::format("{} >= {} or -{} >= {}", u, half, u, half);
              },
              " or "));
        }
        break;
      case Solidity::polygon:
        if (r > 0) {
          for (const Edge& edge : edges_of(body.points)) {
            const std::string from =
                fmt::format("({} - ({} + {}))", p, body.side.name, body.side.carried(k(), edge.from));
            const std::string u = fmt::format("dot({}, {})", from, body.side.carried(k(), edge.along));
            const std::string h = fmt::format("dot({}, {})", from, body.side.carried(k(), edge.normal));
            far(fmt::format("{}^2 + max({} - {}, 0)^2 + max(-{}, 0)^2", h, u, k().number(edge.length), u));
          }
        } else {
          check_convex(body, between_->value.place);
          std::string whole;
          for (const Edge& edge : edges_of(body.points)) {
            whole += fmt::format("{}dot({}, {}) >= {}", whole.empty() ? "" : " or ",
                                 body.side.carried(k(), edge.normal), apart, k().number(edge.offset));
          }
          formulas_.push_back(whole);
        }
        break;
      case Solidity::cylinder: {
        const std::string big = k().number(body.radius);
        const std::string excess = fmt::format("dot({}, {}) - {}^2 - {}^2", apart, apart, z, big);
        if (r > 0) {
          const std::string past = fmt::format("max({}, 0)", excess);
          far(fmt::format("({}/(sqrt({} + {}^2) + {}))^2 + {}", past, past, big, big, beyond(z, body.half[0])));
        } else {
          const std::string half = k().number(body.half[0]);
          formulas_.push_back(fmt::format("({})/{} >= 0 or {} >= {} or -{} >= {}", excess, k().number(2 * body.radius),
                                          z, half, z, half));
        }
        break;
      }
      case Solidity::cloud: break;
    }
  }

  /// A straight piece of a body: an edge of a box, the axis of a capsule.
  struct Piece {
    std::string middle, along;
    double half = 0;
  };
  Piece axis_of(const Touching& body) { return {body.side.name, axis(body, body.along), body.half[0]}; }

  /// Two segments with a distance between them.
  void crossing(const Touching& a, const Touching& b) {
    const double l = a.radius + b.radius;
    for (const bool mine : {true, false}) {
      const Touching& body = mine ? a : b;
      const Touching& other = mine ? b : a;
      for (const Numbers& end : other.points) beside(body, at(other, end), l);
    }
    formulas_.push_back(apart(axis_of(a), axis_of(b), l));
  }

  /// A place and the segment of a body.
  void beside(const Touching& body, const std::string& p, double l) {
    const std::string apart = fmt::format("({} - {})", p, body.side.name);
    const std::string z = seen(body, p, body.along);
    formulas_.push_back(fmt::format("(dot({}, {}) - {}^2 + {})/{} >= {}", apart, apart, z, beyond(z, body.half[0]),
                                    k().number(2 * l), k().number(l / 2)));
  }

  /// Between the ends: w.n against L |n|, s |n|^2 and t |n|^2 along the two lines. Where they begin to count as crossing while ends hold them, the lines are
  /// nearer than L: half of what lies side by side being h, by h^2 n^2 / (2 L). So much is forgiven there, and soon nothing, h^2 n_0^2 (8 p - 12 p^2) / (2 L) with p = n_0^2 / (n^2 + n_0^2), so
  /// that the one takes over from the others without a shock.
  std::string apart(const Piece& a, const Piece& b, double l) {
    const std::string n = fmt::format("cross({}, {})", a.along, b.along);
    const std::string w = fmt::format("({} - {})", b.middle, a.middle);
    const std::string sine = fmt::format("dot({}, {})", n, n);
    const std::string begin = k().number(capsules_parallel * capsules_parallel);
    const std::string p = fmt::format("({}/({} + {}))", begin, sine, begin);
    const double forgiven = capsules_parallel * std::min(a.half, b.half);
    std::string whole =
        fmt::format("{}*(dot({}, {})^2 - ({} - {}*(8*{} - 12*{}^2))*{})/({} + {}) >= 0", k().number(1 / (2 * l)), w, n,
                    k().number(l * l), k().number(forgiven * forgiven), p, p, sine, sine, k().number(sine_floor));
    const auto beyond_end = [&](const std::string& line, double half) {
      const std::string along = fmt::format("dot(cross({}, {}), {})", w, line, n);
      for (const double sign : {1.0, -1.0})
        whole += fmt::format(" or {}*{} >= {}*{}", k().number(sign), along, k().number(half), sine);
    };
    beyond_end(b.along, a.half);
    beyond_end(a.along, b.half);
    return whole + parallel_or(sine, capsules_parallel);
  }
  /// Lines that are nearly parallel do not count as crossing. Between 0 and 1, so that it is seen to hold beside lengths.
  std::string parallel_or(const std::string& sine, double within) {
    return fmt::format(" or {}/({} + {}) <= 1/2", sine, sine, k().number(within * within));
  }

  // Boxes in space.

  static double tip_of(const Touching& box) { return box_tip * *std::max_element(box.half.begin(), box.half.end()); }

  /// A formula whose numbers are its own: those of one build are one text, and one shape (add_alike).
  void put_alike(std::string formula) {
    formulas_.push_back(std::move(formula));
    own_numbers_.resize(formulas_.size());
    own_numbers_.back() = k().list();
  }

  /// Farther than two things reach. It says nothing that the other alternatives do not say, but is seen at a glance.
  std::string far_from(const std::string& apart, double reach) {
    return fmt::format("{}*dot({}, {}) >= {}", k().number(1 / (2 * reach)), apart, apart, k().number(reach / 2));
  }

  /// As of polygons: no corner of the first is inside of the second, with the tips of its three edges.
  void corners_of_box_outside(const Touching& a, const Touching& b) {
    const double tip = tip_of(a);
    for (const Numbers& corner : a.points) {
      k().begin_apart();
      const auto apart = [&](const Numbers& point) { return fmt::format("({} - {})", placed(a, point), b.side.name); };
      std::vector<std::string> places = {apart(corner)};
      for (std::uint32_t c = 0; c < 3; ++c) {
        Numbers inward = corner;
        inward[c] += corner[c] > 0 ? -tip : tip;
        places.push_back(apart(inward));
      }
      std::string whole =
          far_from(places[0], std::sqrt(b.half[0] * b.half[0] + b.half[1] * b.half[1] + b.half[2] * b.half[2]) + tip);
      for (std::uint32_t face = 0; face < 3; ++face) {
        for (const double sign : {1.0, -1.0}) {
          Numbers outward(3, 0.0);
          outward[face] = sign;
          const std::string n = b.side.carried(k(), outward);
          std::string least;
          for (std::size_t p = 0; p < places.size(); ++p) {
            // A tip may lie a little below.
            const double height = p == 0 ? b.half[face] : b.half[face] - tip / 2;
            least += fmt::format("{}dot({}, {}) - {}", least.empty() ? "" : ", ", n, places[p], k().number(height));
          }
          whole += fmt::format(" or min({}) >= 0", least);
        }
      }
      put_alike(whole + planes_through(a, corner, b));
    }
  }

  /// Near an edge of the second, where tips lie on either side of it, no face has the corner and its tips beyond it: the boxes are apart all the same if a
  /// plane through the corner divides them, along one of its own edges and an edge of the other box, or one of its own faces. What lies flat on a face of
  /// the second is left to that face.
  std::string planes_through(const Touching& a, const Numbers& corner, const Touching& b) {
    const std::string w = fmt::format("({} - {})", b.side.name, placed(a, corner));
    const std::string floor = k().number(sine_floor);
    const auto unit = [](std::uint32_t which, double size) {
      Numbers out(3, 0.0);
      out[which] = size;
      return out;
    };
    const auto size_of = [&](const std::string& x) { return fmt::format("sqrt({}^2 + {})", x, floor); };
    const auto not_flat = [&](const std::string& product, const std::string& least) {
      return fmt::format("{}/({} + {}) - 1/2", product, product, least);
    };
    const auto sign = [&](std::uint32_t c) { return corner[c] > 0 ? 1.0 : -1.0; };
    const std::string flat = k().number(nearly_flat_tip * nearly_flat_tip);
    const double parallel = nearly_parallel * nearly_parallel;
    const std::string no_sine = k().number(parallel * parallel);
    // Needed within a tip of an edge, or a corner, of the second alone: elsewhere that is seen at a glance.
    std::array<std::string, 3> near_face;
    for (std::uint32_t c = 0; c < 3; ++c) {
      const double inner_half = std::max(b.half[c] - 2 * tip_of(a), 0.0);
      near_face.at(c) =
          fmt::format("{}*dot({}, {})^2 - {}", k().number(1 / (2 * b.half[c])), w, b.side.carried(k(), unit(c, 1)),
                      k().number(inner_half * inner_half / (2 * b.half[c])));
    }
    std::string whole;
    for (std::uint32_t i = 0; i < 3; ++i) {
      const std::uint32_t second = (i + 1) % 3;
      const std::uint32_t third = (i + 2) % 3;
      const std::string d = a.side.carried(k(), unit(i, 1));
      for (std::uint32_t j = 0; j < 3; ++j) {
        const std::string e = b.side.carried(k(), unit(j, 1));
        const std::string x1 = fmt::format("dot({}, {})", a.side.carried(k(), unit(third, -sign(second))), e);
        const std::string x2 = fmt::format("dot({}, {})", a.side.carried(k(), unit(second, sign(third))), e);
        const std::string x = fmt::format("({} + {})", x1, x2);
        const std::string y1 = fmt::format("dot({}, {})", d, b.side.carried(k(), unit((j + 1) % 3, 1)));
        const std::string y2 = fmt::format("dot({}, {})", d, b.side.carried(k(), unit((j + 2) % 3, 1)));
        const std::string n = fmt::format("cross({}, {})", d, e);
        const std::string sine = fmt::format("dot({}, {})", n, n);
        // n has the part y2 along the next axis of the second, up to its sign, and y1 along the one after that.
        const std::string gap = fmt::format("(dot({}, {})*{}/{} - {}*{} - {}*{})/sqrt({} + {})", w, n, x, size_of(x),
                                            k().number(b.half[(j + 1) % 3]), size_of(y2),
                                            k().number(b.half[(j + 2) % 3]), size_of(y1), sine, floor);
        whole +=
            fmt::format(" or min({}, {}, {}, {}*{} + {}*{}, {}) >= 0", near_face.at((j + 1) % 3),
                        near_face.at((j + 2) % 3), gap, x1, x2, k().number(nearly_flat), sine,
                        not_flat(fmt::format("({}*{})^2", y1, y2), fmt::format("({}*{}^2 + {})", flat, sine, no_sine)));
      }
    }
    for (std::uint32_t face = 0; face < 3; ++face) {
      const std::string m = a.side.carried(k(), unit(face, sign(face)));
      std::string gap = fmt::format("dot({}, {})", w, m);
      std::string product;
      for (std::uint32_t c = 0; c < 3; ++c) {
        const std::string part = fmt::format("dot({}, {})", m, b.side.carried(k(), unit(c, 1)));
        gap += fmt::format(" - {}*{}", k().number(b.half[c]), size_of(part));
        product += (product.empty() ? "" : "*") + part;
      }
      whole += fmt::format(" or min({}, {}, {}, {}, {}) >= 0", near_face[0], near_face[1], near_face[2], gap,
                           not_flat(fmt::format("({})^2", product), flat));
    }
    return whole;
  }

  /// Edges that cross: n = a x b and w from edge to edge. n points out of both faces beside an edge of the first (x), into both of the second (y), or the
  /// other way round, if the edges are where the boxes meet; w.n is then the distance.
  void edges_crossing(const Touching& a, const Touching& b) {
    for (const BoxEdge& one : edges_of_box(a)) {
      for (const BoxEdge& other : edges_of_box(b)) {
        k().begin_apart();
        put_alike(edge_over_edge(a, one, b, other));
      }
    }
  }

  std::string edge_over_edge(const Touching& a, const BoxEdge& one, const Touching& b, const BoxEdge& other) {
    const double deep =
        std::min(*std::min_element(a.half.begin(), a.half.end()), *std::min_element(b.half.begin(), b.half.end()));
    const auto unit = [](std::uint32_t which, double size) {
      Numbers out(3, 0.0);
      out[which] = size;
      return out;
    };
    const auto both = [](Numbers u, const Numbers& v) {
      for (std::size_t c = 0; c < u.size(); ++c) u[c] += v[c];
      return u;
    };
    const auto carried = [&](const Touching& body, const Numbers& u) { return body.side.carried(k(), u); };
    const std::string d = carried(a, unit(one.along, 1));
    const std::string e = carried(b, unit(other.along, 1));
    const std::string n = fmt::format("cross({}, {})", d, e);
    const std::string sine = fmt::format("dot({}, {})", n, n);
    const std::string w = fmt::format("({} - {})", placed(b, other.middle), placed(a, one.middle));
    const auto sides = [&](const Touching& body, const Numbers& u, const Numbers& v, const std::string& line) {
      return std::array<std::string, 3>{fmt::format("dot({}, {})", carried(body, u), line),
                                        fmt::format("dot({}, {})", carried(body, v), line),
                                        fmt::format("dot({}, {})", carried(body, both(u, v)), line)};
    };
    const auto [x1, x2, x] = sides(a, unit(one.third, -one.side_second), unit(one.second, one.side_third), e);
    const auto [y1, y2, y] = sides(b, unit(other.third, other.side_second), unit(other.second, -other.side_third), d);
    const std::string floor = k().number(sine_floor);
    const std::string gap = fmt::format("dot({}, {})*{}/sqrt(({} + {})*({}^2 + {}))", w, n, x, sine, floor, x, floor);
    const auto more = [&](double sign, const std::string& value, double than) {
      return fmt::format(" or {}*{} >= {}", k().number(sign), value, k().number(than));
    };
    std::string whole = far_from(w, a.half[one.along] + b.half[other.along]);
    whole += more(1, gap, 0) + more(-1, gap, deep);
    whole += fmt::format(" or {}*{} <= -{}*{}", x1, x2, k().number(nearly_flat_edge), sine);
    whole += fmt::format(" or {}*{} <= -{}*{}", y1, y2, k().number(nearly_flat_edge), sine);
    whole += fmt::format(" or {}*{} >= 0", x, y);
    // An edge begins to count before the corner at its end ceases to: that is when half of a tip is beyond an edge of the other one.
    const auto beyond_end = [&](const std::string& line, double half, double tip) {
      const std::string along = fmt::format("dot(cross({}, {}), {})", w, line, n);
      for (const double sign : {1.0, -1.0})
        whole += fmt::format(" or {}*{} >= {}*{}", k().number(sign), along, k().number(half - tip / 4), sine);
    };
    beyond_end(e, a.half[one.along], tip_of(a));
    beyond_end(d, b.half[other.along], tip_of(b));
    return whole + parallel_or(sine, nearly_parallel);
  }

  /// The ends of a capsule against the box, the corners and the edges of the box against the capsule.
  void capsule_and_box(const Touching& capsule, const Touching& box) {
    for (const Numbers& end : capsule.points) ball_outside(box, capsule, at(capsule, end));
    for (const Numbers& corner : box.points) beside(capsule, at(box, corner), capsule.radius);
    const FormulaNumbers shared = k();
    for (const BoxEdge& edge : edges_of_box(box)) {
      k().begin_apart();
      const Piece piece{placed(box, edge.middle), axis(box, edge.along), box.half[edge.along]};
      put_alike(apart(piece, axis_of(capsule), capsule.radius));
    }
    k() = shared;
  }

  // Polygons.

  void check_convex(const Touching& body, Position place) const {
    for (std::size_t i = 0; i < body.points.size(); ++i) {
      const std::size_t n = body.points.size();
      const Numbers& p = body.points[i];
      const Numbers& q = body.points[(i + 1) % n];
      const Numbers& o = body.points[(i + 2) % n];
      if ((q[0] - p[0]) * (o[1] - q[1]) - (q[1] - p[1]) * (o[0] - q[0]) > 0) continue;
      fail(place,
           fmt::format("the polygon of `{}` is not convex: it touches discs from outside, and nothing else; write it "
                       "as several bodies that are welded together",
                       body.side.name));
    }
  }

  /// No corner of the first is inside of the second: beyond one of its sides with the tips of its own two sides. Or all of the second is in front of the
  /// corner: where a sharper corner has just slid off it no side of the second has both tips on one hand.
  void corners_outside(const Touching& a, const Touching& b) {
    const std::vector<Edge> sides = edges_of(a.points);
    const std::vector<Edge> faces = edges_of(b.points);
    const double part = std::clamp(tip_in_touches * work_.model.simulation.touch, corner_tip, longest_tip);
    double sharpest = -1;
    for (std::size_t j = 0; j < faces.size(); ++j) sharpest = std::max(sharpest, sharpness(faces, j));
    for (std::size_t i = 0; i < a.points.size(); ++i) {
      const Edge& next = sides[i];
      const Edge& last = sides[(i + sides.size() - 1) % sides.size()];
      const double tip = part * std::min(next.length, last.length);
      const std::string ahead = a.side.carried(k(), {tip * next.along[0], tip * next.along[1]});
      const std::string back = a.side.carried(k(), {-tip * last.along[0], -tip * last.along[1]});
      const std::string apart = fmt::format("({} - {})", at(a, a.points[i]), b.side.name);
      // A tip may lie a little below: flat on flat it does not press, and tells only which side counts.
      const std::string slack = k().number(tip / 2);
      std::string whole;
      for (const Edge& face : faces) {
        const std::string n = b.side.carried(k(), face.normal);
        const std::string h = fmt::format("dot({}, {})", n, apart);
        whole +=
            fmt::format("{}min({}, {} + dot({}, {}) + {}, {} + dot({}, {}) + {}) >= {}", whole.empty() ? "" : " or ", h,
                        h, n, ahead, slack, h, n, back, slack, k().number(face.offset));
      }
      if (sharpest > sharpness(sides, i) + same_angle) {
        const double x = last.normal[0] + next.normal[0];
        const double y = last.normal[1] + next.normal[1];
        const double length = elementary::hypot(x, y);
        const std::string front = a.side.carried(k(), {x / length, y / length});
        std::string least;
        for (const Numbers& corner : b.points)
          least +=
              fmt::format("{}dot({}, {} - {})", least.empty() ? "" : ", ", front, at(b, corner), at(a, a.points[i]));
        whole += fmt::format(" or min({}) >= 0", least);
      }
      for (const Edge* side : {&last, &next}) whole += line_of_side(a, a.points[i], *side, b, faces);
      formulas_.push_back(whole);
    }
  }

  /// All of the second is in front of a side at this corner: where a corner of the second lies beside it, the tips may lie on either hand of that. Not where the
  /// side lies flat on one of the second, up to what that leaves of a tip: there that one divides them.
  std::string line_of_side(const Touching& a, const Numbers& corner, const Edge& side, const Touching& b,
                           const std::vector<Edge>& faces) {
    const std::string normal = a.side.carried(k(), {side.normal[0], side.normal[1]});
    std::string least;
    for (const Numbers& other : b.points)
      least += fmt::format("{}dot({}, {} - {})", least.empty() ? "" : ", ", normal, at(b, other), at(a, corner));
    std::vector<Edge> known;
    for (const Edge& face : faces) {
      const bool same = std::any_of(known.begin(), known.end(), [&](const Edge& one) {
        return std::abs(one.normal[0] * face.normal[1] - one.normal[1] * face.normal[0]) < same_angle;
      });
      if (same) continue;
      known.push_back(face);
      const std::string sine =
          fmt::format("cross({}, {})", normal, b.side.carried(k(), {face.normal[0], face.normal[1]}));
      least += fmt::format(", {}^2/({}^2 + {}) - 1/2", sine, sine, k().number(nearly_flat_tip * nearly_flat_tip));
    }
    return fmt::format(" or min({}) >= 0", least);
  }

  /// What lies inside of one another at the start is refused; from outside nothing leads there.
  void refuse_overlap(const Touching& a, const Touching& b) const {
    const auto [apart, size] = a.dimension == 2 ? gap_of_polygons(a, b) : gap_of_boxes(a, b);
    if (apart < -nearly_touching * size) {
      fail(between_->value.place, fmt::format("`{}` and `{}` overlap at the start, by {}", name_of(a.side),
                                              name_of(b.side), readable(-apart)));
    }
  }

  /// The body itself, also in a family, whose members have its name as it was written.
  [[nodiscard]] std::string name_of(const JointSide& side) const {
    return side.fixed ? side.name : member_name(work_.vocabulary.bodies[side.partner.body], side.partner.member);
  }

  // Conditions.

  [[nodiscard]] std::string name() const {
    return index_.empty() ? field_.key : fmt::format("{}[{}]", field_.key, index_);
  }
  [[nodiscard]] Condition condition() const {
    Condition out;
    out.name = name();
    out.text = text_;
    out.place = work_.source.place(field_.place);
    out.restitution = restitution_;
    return out;
  }
  void note_rows(std::uint32_t first) {
    if (!half_space_) return;
    if (work_.model.half_spaces.empty() || !same_plane(work_.model.half_spaces.back()))
      work_.model.half_spaces.push_back(*half_space_);
    for (std::uint32_t row = first; row < work_.model.rows(); ++row) work_.model.half_spaces.back().rows.push_back(row);
  }
  [[nodiscard]] bool same_plane(const HalfSpace& other) const {
    return other.name == half_space_->name && other.normal == half_space_->normal &&
           other.offset == half_space_->offset;
  }

  Compilation& work_;
  const Field& field_;
  const Value& table_;
  const Field* body_ = nullptr;
  const Field* plane_ = nullptr;
  const Field* between_ = nullptr;
  bool inside_ = false;
  bool family_ = false;
  double restitution_ = 0;
  std::optional<HalfSpace> half_space_;
  std::string first_formula_;  ///< of the member before
  std::vector<std::pair<std::string, double>> first_numbers_;
  std::string index_;  ///< of the member: "3,4"
  std::string text_;
  std::vector<std::string> formulas_;
  std::vector<NamedNumbers> own_numbers_;  ///< of a formula, where those of one build are one text; else empty
  std::vector<std::string> partners_;      ///< names of two bodies that touch as wholes
  std::optional<FormulaNumbers> numbers_;
};

}  // namespace

void add_contacts(Compilation& work) {
  const Value* table = work.find("contacts");
  if (table == nullptr) return;
  for (const Field& field : table->fields) {
    for (const Condition& other : work.model.conditions) {
      if (other.name == field.key || other.name.starts_with(field.key + ".")) {
        throw work.source.error(
            field.place, fmt::format("`{}` is already the name of a condition (line {})", field.key, other.place.line));
      }
    }
    ContactReader reader(work, field);
    std::vector<RangeSyntax> ranges;
    if (const Value* value = field.value.find("for")) ranges = work.formulas.ranges(*value);
    work.check_indices(ranges);
    bool any = false;
    bool same = !ranges.empty();
    auto look = [&]() {
      any = true;
      reader.write(std::vector<Binding>(work.bindings));
      same = same && reader.same_as_before();
    };
    auto add_one = [&]() {
      reader.write(std::vector<Binding>(work.bindings));
      reader.put();
    };
    work.for_ranges(std::span<const RangeSyntax>(ranges), look);
    if (same && any) {
      reader.put_family();
    } else {
      work.for_ranges(std::span<const RangeSyntax>(ranges), add_one);
    }
    if (!any)
      throw work.formulas.error(ranges[0].offset,
                                fmt::format("the contact `{}` has no members: its ranges are empty", field.key));
  }
}

}  // namespace zwang::model
