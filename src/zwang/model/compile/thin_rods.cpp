/// Bodies without inertia about an axis of theirs.
///
/// A rod whose spin about itself nothing determines keeps it zero: omega.k = 0, a condition, with the inertia of its other axes about k in T. Where its
/// joints let it turn about one direction of space alone, across k, they keep it zero themselves. A hinge that is aslant, or sits on something that turns otherwise, gives the rod a spin about itself. Such a
/// rod is steady: its inertia about k is taken out of T again, and
///
///   c |part of the relative spin that the joint forbids|^2 / 2
///
/// makes M regular. It is zero in every motion that keeps to the joint, and so are its derivatives: nothing else changes, neither energy nor multipliers.
/// So it is with a joint at a mark beside the axis, as of a trapeze: turning about itself the rod would take the mark along, and
///
///   m |velocity of one place of the joint relative to the other|^2 / 2, on a slider across it
///
/// does the same. A condition of another kind at such a mark is refused, for what it makes of that spin is not known here.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zwang/model/bodies.hpp"
#include "zwang/model/compile/steps.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

using Member = std::pair<std::uint32_t, std::uint32_t>;  // of a body
using Axis = std::array<double, 3>;

Axis cross_axis(const Axis& a, const Axis& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double inner(const Axis& a, const Axis& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
bool parallel(const Axis& a, const Axis& b) {
  const Axis c = cross_axis(a, b);
  return inner(c, c) <= nearly_aligned * nearly_aligned;
}

/// How a body can turn: about nothing, about one direction of the fixed frame, or anyhow.
struct Turns {
  enum class Sort : std::uint8_t { none, one, any } sort = Sort::any;
  Axis about{};
};

Member member_of(const JointSide& side) { return {side.partner.body, side.partner.member}; }
bool is_directed(const JointFrame& f) { return f.dimension == 3 && f.kind != "ball"; }
bool keeps_a_line(const JointFrame& f) { return f.kind == "slider" || f.kind == "cylindrical"; }
Axis fixed_axis(const JointSide& side, const std::vector<double>& n) {
  const Axis own = {n[0], n[1], n[2]};
  return side.rigid ? turned(side.orientation, own) : own;
}

/// What the joints of a model leave of the turning of its bodies.
class Turnings {
 public:
  explicit Turnings(const std::vector<JointFrame>& frames) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const JointFrame& f : frames) {
        if (!is_directed(f) || f.kind == "universal") continue;
        for (const bool back : {false, true}) changed = pass(f, back) || changed;
      }
    }
  }
  [[nodiscard]] Turns of(const JointSide& side) const {
    if (side.fixed) return {Turns::Sort::none, {}};
    const auto found = known_.find(member_of(side));
    return found == known_.end() ? Turns{} : found->second;
  }

 private:
  bool pass(const JointFrame& f, bool back) {
    const JointSide& from = back ? f.second : f.first;
    const JointSide& to = back ? f.first : f.second;
    if (to.fixed || of(to).sort == Turns::Sort::none) return false;
    Turns turns = of(from);
    if (turns.sort == Turns::Sort::any) return false;
    if (f.kind == "hinge" || f.kind == "cylindrical") {
      const Axis n = fixed_axis(f.first, f.n);
      if (turns.sort == Turns::Sort::one && !parallel(n, turns.about)) return false;
      turns = {Turns::Sort::one, n};
    }
    if (of(to).sort <= turns.sort) return false;
    known_[member_of(to)] = turns;
    return true;
  }

  std::map<Member, Turns> known_;
};

/// One thin rod.
struct Rod {
  std::uint32_t body = 0;
  std::uint32_t member = 0;
  std::size_t axis = 0;  ///< of its own axes
  double inertia = 0;    ///< about the other two
};

class RodReader {
 public:
  RodReader(Compilation& work, std::vector<Rod> rods)
      : work_(work), rods_(std::move(rods)), frames_(read_joint_frames(work)), turnings_(frames_) {
    for (const Rod& rod : rods_) {
      const Hold hold = hold_of(rod);
      if (hold == Hold::loose) refuse_driven(rod);
      if (hold == Hold::given) held_.insert({rod.body, rod.member});
      // (A joint that is let go keeps it no longer.)
      if (hold == Hold::zero && work_.find("releases") == nullptr) kept_.insert({rod.body, rod.member});
    }
  }

  void add() {
    refuse_lines();
    for (const Rod& rod : rods_) {
      if (held_.count({rod.body, rod.member}) == 0) continue;
      const std::string name = name_of(rod);
      FormulaNumbers k(work_);
      add_kinetic(k, fmt::format("-{}*dot(axis({}, {}), {}.spin)^2", k.number(rod.inertia / 2), name,
                                 words.at(rod.axis), name));
    }
    for (const JointFrame& f : frames_) {
      if (is_directed(f)) add_steady(f);
      if (f.dimension == 3) add_steady_place(f);
    }
    for (const Rod& rod : rods_) {
      if (held_.count({rod.body, rod.member}) == 0)
        stop(rod);
      else
        turn_along(rod);
    }
    for (const Rod& rod : rods_) {
      if (held_.count({rod.body, rod.member}) == 0 && kept_.count({rod.body, rod.member}) == 0) refuse_beside(rod);
    }
    for (std::size_t first = 0; first < rods_.size();) {
      std::size_t end = first;
      while (end < rods_.size() && rods_[end].body == rods_[first].body) ++end;
      add_axial(std::span<const Rod>(rods_).subspan(first, end - first));
      first = end;
    }
  }

 private:
  [[nodiscard]] std::string name_of(const Rod& rod) const {
    return member_name(work_.vocabulary.bodies[rod.body], rod.member);
  }

  /// What joints make of the spin of a rod about itself: nothing, zero, or what they give it.
  enum class Hold : std::uint8_t { loose, zero, given };
  [[nodiscard]] Hold hold_of(const Rod& rod) const {
    const Member self{rod.body, rod.member};
    bool held = false;
    for (const JointFrame& f : frames_) {
      if (f.dimension != 3) continue;
      for (const bool second : {false, true}) {
        const JointSide& side = second ? f.second : f.first;
        if (side.fixed || member_of(side) != self) continue;
        held = held || is_beside(side.partner.at, rod.axis);
        if (!is_directed(f)) continue;
        Axis k{};
        k.at(rod.axis) = 1;
        k = turned(side.orientation, k);
        const Turns turns = turnings_.of(side);
        if (turns.sort == Turns::Sort::none) return Hold::zero;
        if (turns.sort == Turns::Sort::one && std::abs(inner(turns.about, k)) <= nearly_aligned) return Hold::zero;
        const bool stiff = f.kind == "weld" || f.kind == "slider";
        const Axis n = f.kind == "universal" && second ? fixed_axis(f.second, f.second_n) : fixed_axis(f.first, f.n);
        held = held || stiff || !parallel(n, k);
      }
    }
    return held ? Hold::given : Hold::loose;
  }

  /// Is a place, in the rod's axes, off the rod's line?
  [[nodiscard]] static bool is_beside(const std::vector<double>& at, std::size_t axis) {
    if (at.size() != 3) return false;
    const double u = at[(axis + 1) % 3];
    const double v = at[(axis + 2) % 3];
    const double along = at[axis];
    return u * u + v * v > nearly_aligned * nearly_aligned * (along * along + u * u + v * v);
  }

  /// A motor that turns a rod about itself turns nothing.
  void refuse_driven(const Rod& rod) const {
    for (const JointFrame& f : frames_) {
      const bool turned = is_directed(f) && f.turns() && f.driven;
      if (!turned) continue;
      for (const JointSide* side : {&f.first, &f.second}) {
        if (side->fixed || member_of(*side) != Member{rod.body, rod.member}) continue;
        throw work_.source.error(
            work_.body_fields[rod.body]->place,
            fmt::format(
                "the drive of `{}` turns the thin rod `{}` about itself, where it has no inertia and nothing to see: "
                "give it one, `shape = {{ cylinder = [r, length] }}` or `inertia`",
                f.name, name_of(rod)));
      }
    }
  }

  /// A condition at a mark beside the line of a rod that keeps its spin about itself zero would turn it.
  void refuse_beside(const Rod& rod) const {
    const Body& body = work_.vocabulary.bodies[rod.body];
    for (const Mark& mark : work_.vocabulary.rigids[rod.body].marks) {
      const auto first = mark.at.begin() + static_cast<std::ptrdiff_t>(3 * std::size_t{rod.member});
      if (!is_beside({first, first + 3}, rod.axis)) continue;
      for (const Condition& condition : work_.model.conditions) {
        if (!names_mark(condition.text, body.name, mark.name)) continue;
        throw work_.source.error(work_.body_fields[rod.body]->place,
                                 fmt::format("the condition `{}` holds the thin rod `{}` at `{}`, beside its line, and "
                                             "would turn it about itself, where "
                                             "it has no inertia: hold it by a joint, or give it one, `shape = {{ "
                                             "cylinder = [r, length] }}` or `inertia`",
                                             condition.name, name_of(rod), mark.name));
      }
    }
  }

  /// Does a text speak of `body.mark` or `body[...].mark`?
  [[nodiscard]] static bool names_mark(std::string_view text, std::string_view body, std::string_view mark) {
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (std::size_t at = text.find(body); at != std::string_view::npos; at = text.find(body, at + 1)) {
      if (at > 0 && (in_word(text[at - 1]) || text[at - 1] == '.')) continue;
      std::size_t end = at + body.size();
      if (end < text.size() && text[end] == '[') {
        int depth = 0;
        do {
          depth += text[end] == '[' ? 1 : text[end] == ']' ? -1 : 0;
          ++end;
        } while (end < text.size() && depth > 0);
      }
      if (end >= text.size() || text[end] != '.') continue;
      const std::string_view rest = text.substr(end + 1);
      if (rest.starts_with(mark) && (rest.size() == mark.size() || !in_word(rest[mark.size()]))) return true;
    }
    return false;
  }

  /// Two rods in one line that one joint alone holds may spin together about that line: nothing says how.
  void refuse_lines() const {
    const auto rod_of = [&](const JointSide& side) -> const Rod* {
      if (side.fixed) return nullptr;
      const auto found = std::find_if(rods_.begin(), rods_.end(), [&](const Rod& rod) {
        return Member{rod.body, rod.member} == member_of(side);
      });
      return found == rods_.end() || held_.count(member_of(side)) == 0 ? nullptr : &*found;
    };
    const auto joints_of = [&](const JointSide& side) {
      return std::count_if(frames_.begin(), frames_.end(), [&](const JointFrame& f) {
        const bool first = !f.first.fixed && member_of(f.first) == member_of(side);
        return is_directed(f) && (first || (!f.second.fixed && member_of(f.second) == member_of(side)));
      });
    };
    for (const JointFrame& f : frames_) {
      const Rod* a = rod_of(f.first);
      const Rod* b = rod_of(f.second);
      if (!is_directed(f) || a == nullptr || b == nullptr || joints_of(f.first) > 1 || joints_of(f.second) > 1)
        continue;
      Axis k{};
      Axis l{};
      k.at(a->axis) = 1;
      l.at(b->axis) = 1;
      if (!parallel(turned(f.first.orientation, k), turned(f.second.orientation, l))) continue;
      throw work_.source.error(
          work_.body_fields[a->body]->place,
          fmt::format(
              "the thin rods `{}` and `{}` lie in one line on the {} `{}`, and nothing says how they spin about it: "
              "hold them by a ball joint, start beside the line, or give one of them an inertia about itself",
              name_of(*a), name_of(*b), f.kind, f.name));
    }
  }

  /// The square of the spin that the joint of a rod forbids.
  void add_steady(const JointFrame& f) {
    double inertia = 0;
    for (const Rod& rod : rods_) {
      const Member self{rod.body, rod.member};
      const bool mine =
          (!f.first.fixed && member_of(f.first) == self) || (!f.second.fixed && member_of(f.second) == self);
      if (mine && held_.count(self) != 0) inertia = std::max(inertia, rod.inertia);
    }
    if (inertia == 0) return;
    work_.steady_joints.push_back(f.name);
    FormulaNumbers k(work_);
    std::string spin = f.second.fixed ? std::string() : f.second.name + ".spin";
    if (!f.first.fixed) spin += (spin.empty() ? "-" : " - ") + f.first.name + ".spin";
    const std::string half = k.number(inertia / 2);
    const auto square = [&](const std::string& direction) {
      add_kinetic(k, fmt::format("{}*dot({}, {})^2", half, direction, spin));
    };
    if (f.kind == "universal") {
      square(fmt::format("cross({}, {})", f.first.carried(k, f.n), f.second.carried(k, f.second_n)));
      return;
    }
    square(f.first.carried(k, f.p));
    square(f.first.carried(k, f.q));
    if (f.kind == "weld" || f.kind == "slider") square(f.first.carried(k, f.n));
  }

  /// The square of the velocity that a joint at a mark beside a rod forbids.
  void add_steady_place(const JointFrame& f) {
    double mass = 0;
    for (const Rod& rod : rods_) {
      if (held_.count({rod.body, rod.member}) == 0) continue;
      for (const JointSide* side : {&f.first, &f.second}) {
        if (side->fixed || member_of(*side) != Member{rod.body, rod.member}) continue;
        if (is_beside(side->partner.at, rod.axis)) mass = std::max(mass, mass_of(rod));
      }
    }
    if (mass == 0) return;
    work_.steady_joints.push_back(f.name);
    FormulaNumbers k(work_);
    std::string speed = f.second.fixed ? std::string() : f.second.mark + "'";
    if (!f.first.fixed) speed += (speed.empty() ? "-" : " - ") + f.first.mark + "'";
    const std::string half = k.number(mass / 2);
    if (!keeps_a_line(f)) {
      add_kinetic(k, fmt::format("{}*dot({}, {})", half, speed, speed));
      return;
    }
    for (const std::vector<double>* across : {&f.p, &f.q}) {
      const std::string direction = f.first.carried(k, *across);
      std::string rate = fmt::format("dot({}, {})", speed, direction);
      if (!f.first.fixed) {
        rate +=
            fmt::format(" + dot({} - {}, cross({}.spin, {}))", f.second.at(k), f.first.at(k), f.first.name, direction);
      }
      add_kinetic(k, fmt::format("{}*({})^2", half, rate));
    }
  }

  [[nodiscard]] double mass_of(const Rod& rod) const {
    const Body& body = work_.vocabulary.bodies[rod.body];
    return work_.model.point_mass[body.first + std::size_t{rod.member} * body.dimension];
  }

  void add_kinetic(const FormulaNumbers& numbers, const std::string& formula) {
    std::vector<Binding> indices;
    std::swap(indices, work_.bindings);
    for (const auto& [name, value] : numbers.list()) work_.bindings.push_back({name, value});
    add_energy(work_, work_.formulas.outside("thin rods", formula), TermKind::kinetic);
    work_.bindings = indices;
    Generated term;
    term.condition = ~std::uint32_t{0};
    term.formula = formula;
    term.ranges = "kinetic";
    term.numbers = numbers.list();
    work_.model.generated.push_back(std::move(term));
  }

  /// A body, a point or a fixed place at the start.
  struct Motion {
    Axis velocity{}, spin{};
    std::array<double, 4> orientation{1, 0, 0, 0};
  };
  [[nodiscard]] Motion motion_of(const JointSide& side) const {
    Motion out;
    if (side.fixed) return out;
    const Body& body = work_.vocabulary.bodies[side.partner.body];
    const std::size_t first = body.first + std::size_t{side.partner.member} * body.dimension;
    const std::vector<double>& q = work_.model.initial_position;
    const std::vector<double>& v = work_.model.initial_velocity;
    for (std::size_t c = 0; c < std::min<std::size_t>(3, body.dimension); ++c) out.velocity.at(c) = v[first + c];
    if (!body.turns()) return out;
    std::array<double, 4> rate{};
    for (std::size_t c = 0; c < 4; ++c) {
      out.orientation.at(c) = q[first + 3 + c];
      rate.at(c) = v[first + 3 + c];
    }
    out.spin = spin_of(out.orientation, rate);
    return out;
  }

  /// Its spin about itself, changed by `more`.
  void spin_up(const Rod& rod, const Axis& more) {
    const Body& body = work_.vocabulary.bodies[rod.body];
    const std::size_t first = body.first + std::size_t{rod.member} * body.dimension;
    std::array<double, 4> e{};
    std::array<double, 4> rate{};
    const auto own = work_.model.initial_velocity.begin() + static_cast<std::ptrdiff_t>(first + 3);
    std::copy_n(work_.model.initial_position.begin() + static_cast<std::ptrdiff_t>(first + 3), 4, e.begin());
    std::copy_n(own, 4, rate.begin());
    Axis spin = spin_of(e, rate);
    for (std::size_t c = 0; c < 3; ++c) spin.at(c) += more.at(c);
    const std::array<double, 4> now = rate_of(e, spin);
    std::copy(now.begin(), now.end(), own);
  }

  /// It starts without spin about itself, whatever was written.
  void stop(const Rod& rod) {
    const JointSide self = side_of(rod);
    const Motion motion = motion_of(self);
    Axis k{};
    k.at(rod.axis) = 1;
    k = turned(motion.orientation, k);
    const double about = inner(motion.spin, k);
    if (about * about <= nearly_aligned * nearly_aligned * inner(motion.spin, motion.spin)) return;
    spin_up(rod, {-about * k[0], -about * k[1], -about * k[2]});
  }

  /// It starts with the spin about itself that its joints come nearest to with: what was written costs no energy, and is lost in no shock.
  void turn_along(const Rod& rod) {
    const Member member{rod.body, rod.member};
    const Motion own = motion_of(side_of(rod));
    Axis k{};
    k.at(rod.axis) = 1;
    k = turned(own.orientation, k);
    double change = 0;
    double size = 0;
    double terms = 0;
    const auto note = [&](double slope, double miss, double scale) {
      change -= slope * miss;
      size += slope * slope;
      terms += std::abs(slope) * scale;
    };
    for (const JointFrame& f : frames_) {
      if (f.dimension != 3) continue;
      for (const bool second : {false, true}) {
        const JointSide& side = second ? f.second : f.first;
        if (side.fixed || member_of(side) != member) continue;
        const Motion other = motion_of(second ? f.first : f.second);
        const double scale = std::sqrt(inner(own.spin, own.spin)) + std::sqrt(inner(other.spin, other.spin));
        Axis relative{};
        for (std::size_t c = 0; c < 3; ++c) relative.at(c) = own.spin.at(c) - other.spin.at(c);
        if (is_directed(f)) {
          for (const Axis& d : forbidden(f)) note(inner(d, k), inner(d, relative), scale);
        }
        if (!is_beside(side.partner.at, rod.axis) || keeps_a_line(f)) continue;
        const JointSide& there = second ? f.first : f.second;
        const auto moves = [&](const Motion& motion, const std::vector<double>& at) {
          Axis v = motion.velocity;
          if (at.size() != 3) return v;
          const Axis arm = cross_axis(motion.spin, turned(motion.orientation, {at[0], at[1], at[2]}));
          for (std::size_t c = 0; c < 3; ++c) v.at(c) += arm.at(c);
          return v;
        };
        const std::vector<double>& at = side.partner.at;
        const Axis slope = cross_axis(k, turned(own.orientation, {at[0], at[1], at[2]}));
        const Axis here = moves(own, at);
        const Axis beyond = there.fixed ? Axis{} : moves(other, there.partner.at);
        const double speeds = std::sqrt(inner(here, here)) + std::sqrt(inner(beyond, beyond));
        for (std::size_t c = 0; c < 3; ++c) note(slope.at(c), here.at(c) - beyond.at(c), speeds);
      }
    }
    if (!(size > nearly_aligned * nearly_aligned) || std::abs(change) <= nearly_aligned * terms) return;
    const double by = change / size;
    spin_up(rod, {by * k[0], by * k[1], by * k[2]});
  }

  /// Directions of the relative spin that a joint forbids, in space at the start.
  [[nodiscard]] static std::vector<Axis> forbidden(const JointFrame& f) {
    if (f.kind == "universal") return {cross_axis(fixed_axis(f.first, f.n), fixed_axis(f.second, f.second_n))};
    std::vector<Axis> out = {fixed_axis(f.first, f.p), fixed_axis(f.first, f.q)};
    if (f.kind == "weld" || f.kind == "slider") out.push_back(fixed_axis(f.first, f.n));
    return out;
  }

  [[nodiscard]] JointSide side_of(const Rod& rod) const {
    JointSide out;
    out.partner.body = rod.body;
    out.partner.member = rod.member;
    return out;
  }

  /// The spin about itself is zero, of all members at once or one by one.
  void add_axial(std::span<const Rod> rods) {
    const Body& body = work_.vocabulary.bodies[rods[0].body];
    const auto is_free = [&](const Rod& rod) {
      return held_.count({rod.body, rod.member}) == 0 && kept_.count({rod.body, rod.member}) == 0;
    };
    const auto put = [&](const std::string& title, const std::string& name, std::size_t axis,
                         const std::string& ranges) {
      Condition condition;
      condition.name = title;
      condition.text = fmt::format("dot(axis({}, {}), {}.spin) = 0", name, words.at(axis), name);
      condition.place = work_.source.place(work_.body_fields[rods[0].body]->place);
      Generated generated;
      generated.formula = condition.text;
      generated.ranges = ranges;
      add_generated(work_, std::move(condition), std::move(generated));
    };
    if (std::all_of(rods.begin(), rods.end(), is_free)) {
      std::string name = body.name;
      std::string ranges;
      for (std::size_t d = 0; d < body.counts.size(); ++d) {
        name += d == 0 ? "[i" : ",j";
        ranges += fmt::format("{}{} = 1..{}", d == 0 ? "" : ", ", d == 0 ? "i" : "j", body.counts[d]);
      }
      if (!body.counts.empty()) name += "]";
      put(body.name + ".axial", name, rods[0].axis, ranges);
      return;
    }
    for (const Rod& rod : rods) {
      if (is_free(rod)) put(name_of(rod) + ".axial", name_of(rod), rod.axis, "");
    }
  }

  static constexpr std::array<std::string_view, 3> words = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"};
  Compilation& work_;
  std::vector<Rod> rods_;
  std::vector<JointFrame> frames_;
  Turnings turnings_;
  std::set<Member> held_;  ///< joints give them a spin about themselves
  std::set<Member> kept_;  ///< joints keep it zero
};

}  // namespace

void add_thin_rods(Compilation& work) {
  std::vector<Rod> rods;
  for (std::uint32_t b = 0; b < work.vocabulary.bodies.size(); ++b) {
    const Body& body = work.vocabulary.bodies[b];
    if (!body.turns()) continue;
    const std::vector<double>& inertia = work.vocabulary.rigids[b].inertia;
    const std::size_t before = rods.size();
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double* own = &inertia[9 * std::size_t{member}];
        if (own[4 * k] == 0) rods.push_back({b, member, k, own[4 * ((k + 1) % 3)]});
      }
    }
    bool alike = rods.size() == before || rods.size() - before == body.members();
    for (std::size_t k = before; k < rods.size(); ++k) alike = alike && rods[k].axis == rods[before].axis;
    if (!alike) {
      throw work.source.error(work.body_fields[b]->place,
                              fmt::format("all members of `{}` must be thin rods, or none", body.name));
    }
  }
  if (!rods.empty()) RodReader(work, std::move(rods)).add();
}

}  // namespace zwang::model
