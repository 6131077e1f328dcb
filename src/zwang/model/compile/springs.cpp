/// Springs and dampers: potentials, and forces on both of their ends.
///
/// With D from the second end to the first and d = |D|: V = k (d - L)^2 / 2, and the damper pulls the first end with -c (D.D') D / d^2. A spring that only pulls
/// (an elastic rope) has u = max(d^2 - L^2, 0) and the stretch u / (sqrt(u + L^2) + L), which is d - L where it is taut and regular for every D: the
/// rope may pass through its anchor while it is slack. One that only pushes has u = min(d^2 - L^2, 0). On a hinge or slider the
/// coordinate of the joint stands for the stretch.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "zwang/base/number.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/turning.hpp"

namespace zwang::model {

namespace {

class SpringReader {
 public:
  SpringReader(Compilation& work, const Field& field) : work_(work), field_(field), table_(field.value) {
    between_ = find("between");
    on_ = find("on");
    if ((between_ == nullptr) == (on_ == nullptr)) {
      fail(field.place,
           fmt::format("the spring `{}` needs `between` with two ends, or `on` with a hinge or slider", field.key));
    }
    for (const std::string_view key : {"length", "only"}) {
      if (on_ != nullptr && find(key) != nullptr)
        fail(find(key)->place, fmt::format("`{}` belongs to springs `between` two ends", key));
    }
    for (const std::string_view key : {"angle", "travel"}) {
      if (between_ != nullptr && find(key) != nullptr)
        fail(find(key)->place, fmt::format("`{}` belongs to springs `on` a joint", key));
    }
    if (find("stiffness") == nullptr && find("damping") == nullptr) {
      fail(field.place, fmt::format("the spring `{}` has neither `stiffness` nor `damping`", field.key));
    }
  }

  void add(const std::vector<Binding>& indices) {
    name_ = field_.key;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      name_ += fmt::format("{}{}", k == 0 ? '[' : ',', exact(indices[k].value));
    }
    if (!indices.empty()) name_ += "]";
    numbers_.emplace(work_);
    work_.keeper = is_let_go() ? keeper_of(work_.model.springs.size()) : 0.0;
    stiffness_ = number("stiffness", true);
    damping_ = number("damping", true);
    if (on_ != nullptr) {
      add_on_joint();
    } else {
      add_between();
    }
    work_.keeper = 0;
  }

 private:
  /// Does some release name this spring, or the family to which it belongs?
  [[nodiscard]] bool is_let_go() const {
    const Value* releases = work_.find("releases");
    return releases != nullptr &&
           std::any_of(releases->items.begin(), releases->items.end(), [&](const Value& release) {
             const Value* what = release.find("constraint");
             return what != nullptr && names_spring(what->text, name_);
           });
  }

  [[noreturn]] void fail(Position place, const std::string& message) const { throw work_.source.error(place, message); }
  [[nodiscard]] const Field* find(std::string_view key) const {
    for (const Field& one : table_.fields) {
      if (one.key == key) return &one;
    }
    return nullptr;
  }
  double number(std::string_view key, bool positive) {
    const Field* field = find(key);
    if (field == nullptr) return 0;
    const double value = work_.compute_number(field->value, key);
    if (positive && value < 0)
      fail(field->value.place, fmt::format("`{}` is not negative; here it is {}", key, exact(value)));
    return value;
  }

  void add_between() {
    const Value& ends = between_->value;
    const JointSide a = read_side(work_, ends.items[0]);
    const JointSide b = read_side(work_, ends.items[1]);
    if (a.fixed && b.fixed) fail(ends.place, "both ends of this spring are fixed: it moves nothing");
    if (a.place.size() != b.place.size())
      fail(ends.place, "one end of this spring lies in the plane and the other in space");
    work_.model.springs.push_back({name_, a.partner, b.partner});
    const double length = number("length", true);
    std::string_view only;
    if (const Field* word = find("only")) {
      only = word->value.text;
      if (only != "pull" && only != "push") fail(word->value.place, "`only` is \"pull\" or \"push\"");
      if (only == "push" && length == 0)
        fail(word->place, "a spring that only pushes has a `length`: it acts where it is shorter");
    }
    FormulaNumbers& k = *numbers_;
    const std::string apart = fmt::format("({} - {})", a.at(k), b.at(k));
    const std::string square = fmt::format("dot({}, {})", apart, apart);
    const std::string l = k.number(length);
    // A rope without length is always taut.
    const bool bounded = !only.empty() && length > 0;
    // One that only pushes may be as short as nothing, where the difference of the squares has no digits left.
    const bool short_ones = only == "push";
    const std::string excess = fmt::format("max({} - {}^2, 0)", square, l);
    const std::string within = !bounded     ? square
                               : short_ones ? fmt::format("min({}, {}^2)", square, l)
                                            : fmt::format("({} + {}^2)", excess, l);
    if (stiffness_ != 0) {
      const std::string half = k.number(stiffness_ / 2);
      if (length == 0) {
        potential(fmt::format("{}*{}", half, square));
      } else if (bounded && !short_ones) {
        potential(fmt::format("{}*({}/(sqrt({}) + {}))^2", half, excess, within, l));
      } else {
        potential(fmt::format("{}*(sqrt({}) - {})^2", half, within, l));
      }
    }
    if (damping_ == 0) return;
    const auto velocity = [](const JointSide& side) { return side.fixed ? std::string() : side.mark + "'"; };
    const std::string rate = a.fixed   ? "(-" + velocity(b) + ")"
                             : b.fixed ? velocity(a)
                                       : fmt::format("({} - {})", velocity(a), velocity(b));
    if (!bounded && value_at_start(square) == 0) {
      // Forces act at centres: a mark of a body has none of its own.
      const bool centres = a.mark.find('.') == std::string::npos && b.mark.find('.') == std::string::npos;
      const std::string all = fmt::format("force = \"-{}*{}\"", damping_, rate);
      const std::string other = a.fixed || b.fixed ? "" : fmt::format(" and the opposite on `{}`", b.mark);
      fail(field_.place,
           fmt::format("the ends of the spring `{}` are in one place at the start, where its damper has no direction: "
                       "start it beside{}",
                       name_,
                       centres ? fmt::format(", or damp every direction, with {} on `{}`{}",
                                             a.fixed ? fmt::format("force = \"-{}*{}\"", damping_, velocity(b)) : all,
                                             a.fixed ? b.mark : a.mark, other)
                               : ""));
    }
    std::string force = fmt::format("{}*dot({}, {})/{}*{}", k.number(damping_), apart, rate, within, apart);
    if (bounded) force = fmt::format("step({}({} - {}^2))*{}", short_ones ? "-" : "", square, l, force);
    push(a, "-" + force);
    push(b, force);
  }

  void add_on_joint() {
    const Value& value = on_->value;
    const std::string wanted = member_text(value);
    const auto found =
        std::find_if(work_.joints.begin(), work_.joints.end(), [&](const JointFrame& f) { return f.name == wanted; });
    if (found == work_.joints.end()) fail(value.place, fmt::format("no joint is called `{}`", wanted));
    const JointFrame& f = *found;
    if (!f.turns() && !f.slides()) {
      fail(value.place, fmt::format("a spring acts on a hinge or a slider; `{}` is a {} joint", wanted, f.kind));
    }
    const Field* wrong = find(f.turns() ? "travel" : "angle");
    if (wrong != nullptr) {
      fail(wrong->place, fmt::format("`{}` is a {}: write `{}`", wanted, f.kind, f.turns() ? "angle" : "travel"));
    }
    work_.model.springs.push_back(
        {name_, f.first.partner, f.second.partner, static_cast<std::uint32_t>(found - work_.joints.begin())});
    FormulaNumbers& k = *numbers_;
    const double rest = number(f.turns() ? "angle" : "travel", false);
    if (stiffness_ != 0)
      potential(fmt::format("{}*({} - {})^2", k.number(stiffness_ / 2), f.coordinate(k), k.number(rest)));
    if (damping_ == 0) return;
    const std::string size = fmt::format("{}*({})", k.number(damping_), f.rate(k));
    if (f.turns()) {
      const std::string moment = f.dimension == 2 ? size : fmt::format("{}*{}", size, f.first.carried(k, f.n));
      turn(f.second, "-" + moment);
      turn(f.first, moment);
    } else {
      const std::string force = fmt::format("{}*{}", size, f.first.carried(k, f.n));
      push(f.second, "-" + force);
      // At the second one's place, where the first one is touched.
      push(f.first, force, f.second.at(k));
    }
  }

  /// "link[i+1]" with its index as a number.
  std::string member_text(const Value& value) {
    const Syntax syntax = work_.formulas.reference(value);
    if (syntax.kind != SyntaxKind::index) return value.text;
    std::string out = syntax.children[0].name;
    for (std::size_t k = 1; k < syntax.children.size(); ++k) {
      out += fmt::format("{}{}", k == 1 ? '[' : ',', exact(work_.compute_whole(syntax.children[k], "an index")));
    }
    return out + "]";
  }

  double value_at_start(const std::string& formula) {
    const std::vector<Binding> indices = begin_formula();
    const Context context{"a spring", true, true, true, true};
    const double value = work_.trace(work_.formulas.outside(name_, formula), context).part[0].value;
    work_.bindings = indices;
    return value;
  }

  void potential(const std::string& formula) {
    const std::vector<Binding> indices = begin_formula();
    add_energy(work_, work_.formulas.outside(name_, formula), TermKind::potential);
    end_formula(indices, formula, "potential");
  }

  /// A force on an end: on a body with its moment about the centre. `at`: where it acts, if not at the end itself.
  void push(const JointSide& side, const std::string& force, std::string at = {}) {
    if (side.fixed) return;
    if (at.empty()) at = side.mark;
    act(side, force, false);
    if (!side.rigid || at == side.name) return;
    act(side, fmt::format("cross({} - {}, {})", at, side.name, force), true);
  }
  void turn(const JointSide& side, const std::string& torque) {
    if (side.rigid) act(side, torque, true);
  }

  void act(const JointSide& side, const std::string& formula, bool torque) {
    const std::vector<Binding> indices = begin_formula();
    add_member_force(work_, work_.vocabulary.bodies[side.partner.body], side.partner.member,
                     work_.formulas.outside(name_, formula), torque);
    end_formula(indices, formula, (torque ? "torque " : "force ") + side.name);
  }

  /// The numbers of the formula stand in the place of the indices.
  std::vector<Binding> begin_formula() {
    std::vector<Binding> indices;
    std::swap(indices, work_.bindings);
    for (const auto& [name, value] : numbers_->list()) work_.bindings.push_back({name, value});
    return indices;
  }
  void end_formula(const std::vector<Binding>& indices, const std::string& formula, const std::string& what) {
    work_.bindings = indices;
    Generated term;
    term.condition = ~std::uint32_t{0};
    term.formula = formula;
    term.ranges = what;
    term.numbers = numbers_->list();
    term.of = name_;
    work_.model.generated.push_back(std::move(term));
  }

  Compilation& work_;
  const Field& field_;
  const Value& table_;
  const Field* between_ = nullptr;
  const Field* on_ = nullptr;
  std::string name_;
  std::optional<FormulaNumbers> numbers_;
  double stiffness_ = 0;
  double damping_ = 0;
};

}  // namespace

void add_springs(Compilation& work) {
  const Value* table = work.find("springs");
  if (table == nullptr) return;
  for (const Field& field : table->fields) {
    SpringReader reader(work, field);
    std::vector<RangeSyntax> ranges;
    if (const Value* value = field.value.find("for")) ranges = work.formulas.ranges(*value);
    work.check_indices(ranges);
    bool any = false;
    auto add_one = [&]() {
      any = true;
      reader.add(std::vector<Binding>(work.bindings));
    };
    work.for_ranges(std::span<const RangeSyntax>(ranges), add_one);
    if (!any)
      throw work.formulas.error(ranges[0].offset,
                                fmt::format("the spring `{}` has no members: its ranges are empty", field.key));
  }
}

}  // namespace zwang::model
