/// A model at its start in exact arithmetic.
#include "zwang/model/exactly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

using rational::Number;

namespace {

constexpr std::uint32_t most_variables = 400;  // fractions grow with every elimination: beyond this nobody would wait
constexpr std::uint32_t most_exact_rows = 4000;

using Exact = Quantity<Rationals::Scalar>;

/// One walk through the model.
class Exactly {
 public:
  Exactly(const Draft& draft, const Overrides& overrides, const Model& model, const Absent& absent)
      : work_(draft.content(), overrides), model_(model), absent_(absent), algebra_(work_.formulas) {}

  ExactScene evaluate() {
    refuse_bodies();
    refuse_large();
    // Names and sizes as the compiler finds them, then all numbers anew.
    give_names(work_);
    compute_parameters(work_);
    read_times(work_);
    place_bodies(work_);
    parameters();
    time();
    places();
    forces();
    energies();
    springs();
    blocks();
    conditions();
    seizures();
    return std::move(scene_);
  }

 private:
  Compilation work_;
  const Model& model_;
  const Absent& absent_;
  Rationals algebra_;
  ExactScene scene_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Number> mass_;  ///< T_vv, lower number first
  std::uint32_t condition_ = 0;
  std::uint32_t spring_ = 0;

  [[nodiscard]] std::uint32_t n() const { return model_.variables; }

  void refuse_bodies() const {
    for (const Body& body : model_.bodies) {
      if (body.kind != BodyKind::rigid) continue;
      throw Error(
          {model_.file, 0, 0},
          fmt::format("exact arithmetic is for points and coordinates, and `{}` is a rigid body: ask without --exact",
                      body.name));
    }
  }

  void refuse_large() const {
    if (n() <= most_variables && model_.rows() <= most_exact_rows) return;
    throw Error(
        {model_.file, 0, 0},
        fmt::format("exact arithmetic is for models of at most {} variables and {} conditions; this one has {} and "
                    "{}: ask without --exact",
                    most_variables, most_exact_rows, n(), model_.rows()));
  }

  Exact interpret(const Syntax& syntax, std::string_view where, bool state) {
    Interpreter<Rationals> walk(work_.formulas, work_.vocabulary, algebra_);
    const Context context{where, state, state, state, true};
    return walk.interpret(syntax, context, work_.bindings);
  }
  /// A fraction made of parameters and indices.
  Number fraction(const Syntax& syntax, std::string_view where) {
    return algebra_.fraction(interpret(syntax, where, false).part[0]);
  }

  void parameters() {
    const std::size_t count = work_.vocabulary.parameters.size();
    std::vector<Syntax> syntax(count);
    for (std::size_t k = 0; k < count; ++k) syntax[k] = work_.formulas.expression(*work_.parameter_values[k]);
    for (const auto& [name, text] : work_.overrides.parameters) {
      if (is_step(work_, name)) continue;
      const std::uint32_t index = work_.vocabulary.names.find(name)->second.index;
      syntax[index] = work_.formulas.outside(fmt::format("--set {}", name), text);
    }
    std::vector<bool> done(count);
    for (std::uint32_t k = 0; k < count; ++k) parameter(k, syntax, done);
  }
  /// Each after those it is made of; there is no circle, or the model would not have been compiled.
  void parameter(std::uint32_t k, const std::vector<Syntax>& syntax, std::vector<bool>& done) {
    if (done[k]) return;
    done[k] = true;
    parameters_in(syntax[k], syntax, done);
    Exact value;
    try {
      value = interpret(syntax[k], "a parameter", false);
    } catch (const Error& irrational) {
      // Perhaps it is needed for the end of the run alone.
      algebra_.set_parameter(k, irrational);
      return;
    }
    std::vector<Rationals::Scalar> parts(value.part.begin(),
                                         value.part.begin() + static_cast<std::ptrdiff_t>(value.parts()));
    for (Rationals::Scalar& part : parts) part.made = Made::plain;
    algebra_.set_parameter(k, std::move(parts));
  }
  void parameters_in(const Syntax& s, const std::vector<Syntax>& syntax, std::vector<bool>& done) {
    if (s.kind == SyntaxKind::name) {
      const auto found = work_.vocabulary.names.find(std::string_view(s.name));
      if (found != work_.vocabulary.names.end() && found->second.kind == NameKind::parameter) {
        parameter(found->second.index, syntax, done);
      }
    }
    for (const Syntax& child : s.children) parameters_in(child, syntax, done);
  }

  void time() {
    const Value* value = work_.find("simulation", "start");
    if (!work_.overrides.start.empty()) {
      scene_.time = fraction(work_.formulas.outside("--at", work_.overrides.start), "the start");
    } else if (value != nullptr) {
      scene_.time = fraction(work_.formulas.expression(*value), "the start");
    }
    algebra_.set_time(scene_.time);
  }

  /// One expression for all members, or a list with one for each.
  std::vector<Syntax> starts(const Body& body, const Value& value) {
    const bool list =
        value.kind == ValueKind::array && (body.kind != BodyKind::point || value.items[0].kind == ValueKind::array);
    if (!list) return {work_.formulas.expression(value)};
    std::vector<Syntax> out;
    for (const Value& item : value.items) out.push_back(work_.formulas.expression(item));
    return out;
  }

  void places() {
    scene_.force.resize(n());
    for (std::size_t k = 0; k < work_.body_fields.size(); ++k) {
      const Body& body = work_.vocabulary.bodies[k];
      const Value& table = work_.body_fields[k]->value;
      const bool point = body.kind == BodyKind::point;
      const Value* velocity = table.find("velocity");
      const std::vector<Syntax> positions = starts(body, *table.find(point ? "position" : "initial"));
      const std::vector<Syntax> velocities = velocity == nullptr ? std::vector<Syntax>{} : starts(body, *velocity);
      std::vector<Syntax> mass;
      if (point) mass.push_back(work_.formulas.expression(*table.find("mass")));
      work_.for_members(body, [&](std::uint32_t member) {
        const auto enter = [&](const std::vector<Syntax>& from, std::string_view where, std::vector<Number>& into) {
          if (from.empty()) {
            into.resize(into.size() + body.dimension);
            return;
          }
          const Exact value = interpret(from[from.size() > 1 ? member : 0], where, false);
          for (std::size_t c = 0; c < value.parts(); ++c) into.push_back(algebra_.fraction(value.part[c]));
        };
        enter(positions, "an initial position", scene_.position);
        enter(velocities, "an initial velocity", scene_.velocity);
        for (std::uint32_t c = 0; point && c < body.dimension; ++c) {
          const std::uint32_t variable = body.first + member * body.dimension + c;
          mass_[{variable, variable}] = fraction(mass[0], "a mass");
        }
      });
    }
    algebra_.set_state(scene_.position, scene_.velocity);
  }

  void forces() {
    if (const Value* value = work_.find("gravity")) {
      const Exact field = interpret(work_.formulas.expression(*value), "gravity", true);
      for (const Body& body : work_.vocabulary.bodies) {
        if (body.kind != BodyKind::point) continue;
        for (std::uint32_t k = 0; k < body.members() * body.dimension; ++k) {
          const std::uint32_t variable = body.first + k;
          scene_.force[variable] += mass_[{variable, variable}] * algebra_.fraction(field.part[k % body.dimension]);
        }
      }
    }
    for (std::size_t k = 0; k < work_.body_fields.size(); ++k) {
      const Value* value = work_.body_fields[k]->value.find("force");
      if (value == nullptr) continue;
      const Body& body = work_.vocabulary.bodies[k];
      const Syntax syntax = work_.formulas.expression(*value);
      work_.for_members(body, [&](std::uint32_t member) {
        const Exact force = interpret(syntax, "a force", true);
        for (std::size_t c = 0; c < force.parts(); ++c) {
          scene_.force[body.first + member * body.dimension + c] += algebra_.fraction(force.part[c]);
        }
      });
    }
  }

  void energies() {
    if (const Value* value = work_.find("energy", "kinetic")) {
      const Rationals::Scalar t = interpret(work_.formulas.expression(*value), "the kinetic energy", true).part[0];
      algebra_.require_known(t);
      const Jet& jet = Rationals::jet(t);
      for (const auto& [k, slope] : jet.first) {
        if (k < n()) scene_.force[k] += slope;
      }
      for (const auto& [pair, bend] : jet.second) {
        const auto [i, j] = pair;
        // Position and velocity, velocity and velocity, velocity and time; the lower number comes first.
        if (i < n() && j >= n() && j < 2 * n()) {
          scene_.force[j - n()] -= bend * scene_.velocity[i];
        } else if (i >= n() && j < 2 * n()) {
          mass_[{i - n(), j - n()}] += bend;
        } else if (i >= n() && i < 2 * n() && j == 2 * n()) {
          scene_.force[i - n()] -= bend;
        }
      }
    }
    if (const Value* value = work_.find("energy", "potential")) {
      const Rationals::Scalar v = interpret(work_.formulas.expression(*value), "the potential energy", true).part[0];
      algebra_.require_known(v);
      for (const auto& [k, slope] : Rationals::jet(v).first) {
        if (k < n()) scene_.force[k] -= slope;
      }
    }
  }

  /// One end of a spring: where it is, how fast, and the variables that a force on it pushes; none, if it is fixed.
  struct End {
    std::vector<Number> place, velocity;
    std::vector<std::uint32_t> variables;
  };
  End end_of_spring(const Value& value) {
    const Exact at = interpret(work_.formulas.expression(value), "an end of a spring", true);
    End end;
    for (std::size_t c = 0; c < at.parts(); ++c) {
      const Jet& jet = Rationals::jet(at.part[c]);
      end.place.push_back(algebra_.fraction(at.part[c]));
      const bool moves = !jet.first.empty();
      end.velocity.push_back(moves ? scene_.velocity[jet.first.begin()->first] : Number());
      if (moves) end.variables.push_back(jet.first.begin()->first);
    }
    return end;
  }

  void springs() {
    const Value* table = work_.find("springs");
    if (table == nullptr) return;
    for (const Field& field : table->fields) {
      std::vector<RangeSyntax> ranges;
      if (const Value* value = field.value.find("for")) ranges = work_.formulas.ranges(*value);
      auto add_one = [&]() {
        if (!absent_.springs.at(spring_++)) add_spring(field);
      };
      work_.for_ranges(std::span<const RangeSyntax>(ranges), add_one);
    }
  }

  /// -(k (1 - L / d) + c D.D' / d^2) D on the first end, D from the second one to it and d its length.
  void add_spring(const Field& field) {
    const auto number = [&](std::string_view key) {
      const Value* value = field.value.find(key);
      return value == nullptr ? Number() : fraction(work_.formulas.expression(*value), key);
    };
    const Value& ends = *field.value.find("between");
    const End a = end_of_spring(ends.items[0]), b = end_of_spring(ends.items[1]);
    const Number stiffness = number("stiffness"), damping = number("damping"), length = number("length");
    Number square, rate;  // D.D, D.D'
    std::vector<Number> apart;
    for (std::size_t c = 0; c < a.place.size(); ++c) {
      apart.push_back(a.place[c] - b.place[c]);
      square += apart[c] * apart[c];
      rate += apart[c] * (a.velocity[c] - b.velocity[c]);
    }
    // One that acts on one side of its length alone, at it: on the side to which it goes.
    if (const Value* only = field.value.find("only"); only != nullptr && length.sign() != 0) {
      const Number beyond = square - length * length;
      const int side = beyond.sign() != 0 ? beyond.sign() : rate.sign();
      if (side * (only->text == "push" ? -1 : 1) < 0) return;
    }
    Number factor = stiffness;
    if (stiffness.sign() != 0 && length.sign() != 0) factor -= stiffness * length / length_of_spring(field, square);
    const bool together = square.sign() == 0;
    if (!together) factor += damping * rate / square;
    for (std::size_t c = 0; c < apart.size(); ++c) {
      // Through its anchor a damper points along the velocity.
      const Number pull = factor * apart[c] + (together ? damping * (a.velocity[c] - b.velocity[c]) : Number());
      if (!a.variables.empty()) scene_.force[a.variables[c]] -= pull;
      if (!b.variables.empty()) scene_.force[b.variables[c]] += pull;
    }
  }
  Number length_of_spring(const Field& field, const Number& square) const {
    if (square.sign() == 0) {
      throw work_.source.error(field.place,
                               fmt::format("in exact arithmetic the spring `{}` has no direction: its ends are in one "
                                           "place",
                                           field.key));
    }
    if (const std::optional<Number> root = square.root(2)) return *root;
    throw work_.source.error(
        field.place,
        fmt::format(
            "in exact arithmetic the spring `{}` has no place: its length is sqrt({}), which is irrational; ask "
            "without --exact, or choose data for which the root is a fraction",
            field.key, square.text()));
  }

  void blocks() {
    // Variables that the masses couple belong together.
    std::vector<std::uint32_t> of(n());
    for (std::uint32_t k = 0; k < n(); ++k) of[k] = k;
    const auto root = [&](std::uint32_t k) {
      while (of[k] != k) k = of[k];
      return k;
    };
    for (const auto& [pair, entry] : mass_) {
      if (entry.sign() == 0) continue;
      const std::uint32_t a = root(pair.first), b = root(pair.second);
      of[std::max(a, b)] = std::min(a, b);
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
    for (std::uint32_t k = 0; k < n(); ++k) groups[root(k)].push_back(k);
    for (auto& [first, variables] : groups) {
      rational::MassBlock block;
      for (const std::uint32_t i : variables) {
        for (const std::uint32_t j : variables) {
          const auto found = mass_.find({std::min(i, j), std::max(i, j)});
          block.entries.push_back(found == mass_.end() ? Number() : found->second);
        }
      }
      block.variables = std::move(variables);
      scene_.mass.push_back(std::move(block));
    }
  }

  void conditions() {
    const Value* table = work_.find("constraints");
    if (table == nullptr) return;
    for (const Field& field : table->fields) {
      const bool long_form = field.value.kind == ValueKind::table;
      const Value* ranges = long_form ? field.value.find("for") : nullptr;
      const Value* multiplier = long_form ? field.value.find("multiplier") : nullptr;
      Number rho;
      if (multiplier != nullptr) rho = fraction(work_.formulas.expression(*multiplier), "a multiplier");
      condition(long_form ? *field.value.find("condition") : field.value, ranges, rho);
    }
  }
  void seizures() {
    const Value* list = work_.find("seizures");
    if (list == nullptr) return;
    for (const Value& table : list->items) condition(*table.find("condition"), nullptr, {});
  }

  void condition(const Value& text, const Value* ranges_value, const Number& rho) {
    const Condition& condition = model_.conditions.at(condition_++);
    const expressions::AlternativeSyntax all = work_.formulas.alternatives(text);
    std::vector<RangeSyntax> ranges;
    if (ranges_value != nullptr) ranges = work_.formulas.ranges(*ranges_value);
    std::vector<Syntax> parts;
    for (const ConditionSyntax& one : all) parts.push_back(difference(one));
    std::uint32_t row = condition.first_row;
    auto add_member = [&]() {
      const auto first = absent_.rows.begin() + static_cast<std::ptrdiff_t>(row);
      if (std::find(first, first + condition.components, false) == first + condition.components) {
        row += condition.components;
        return;
      }
      if (all[0].relation == Relation::equal) {
        const Exact f = interpret(parts[0], "a condition", true);
        for (std::size_t c = 0; c < f.parts(); ++c) add_row(row++, condition, f.part[c], rho);
        return;
      }
      add_row(row, condition, binding_part(parts), rho);
      row += condition.components;
    };
    work_.for_ranges(std::span<const RangeSyntax>(ranges), add_member);
  }

  /// Of alternatives joined by `or` the one that counts: one that holds with room, or the only one that holds.
  Rationals::Scalar binding_part(const std::vector<Syntax>& parts) {
    std::vector<Rationals::Scalar> f;
    for (const Syntax& part : parts) {
      f.push_back(interpret(part, "a condition", true).part[0]);
      if (Rationals::jet(f.back()).value.sign() < 0) return f.back();
    }
    const auto holds = [](const Rationals::Scalar& one) { return Rationals::jet(one).value.sign() == 0; };
    const auto first = std::find_if(f.begin(), f.end(), holds);
    if (std::count_if(f.begin(), f.end(), holds) > 1) {
      throw work_.formulas.error(parts[0], "in exact arithmetic the state lies in a corner of these alternatives");
    }
    return first == f.end() ? f.front() : *first;
  }

  void add_row(std::uint32_t row, const Condition& condition, const Rationals::Scalar& f, const Number& rho) {
    const Jet& jet = Rationals::jet(f);
    ExactRow out;
    out.row = row;
    out.name = row_name(model_, row);
    out.kind = model_.row_kind[row];
    out.value = jet.value;
    out.known = !jet.blind;
    const bool holonomic = is_holonomic(out.kind);
    // Where it touches its derivatives decide.
    if (jet.value.sign() == 0) algebra_.require_known(f);
    if (!holonomic && jet.value.factor.sign() != 0) algebra_.require_known(f);
    const std::uint32_t first = holonomic ? 0 : n();
    Number drift;  // f_q v + f_t
    for (const auto& [k, slope] : jet.first) {
      if (k >= first && k < first + n() && slope.sign() != 0) out.gradient.emplace_back(k - first, slope);
      if (k < n()) drift += slope * scene_.velocity[k];
      if (k == 2 * n()) drift += slope;
    }
    out.rate = holonomic ? drift : jet.value.rational;
    if (!holonomic) {
      out.curvature = drift;
    } else {
      for (const auto& [pair, bend] : jet.second) {
        const auto [i, j] = pair;
        if ((i >= n() && i < 2 * n()) || (j >= n() && j < 2 * n())) continue;
        const Number left = i < n() ? scene_.velocity[i] : Number(1), right = j < n() ? scene_.velocity[j] : Number(1);
        out.curvature += (i == j ? 1 : 2) * bend * left * right;
      }
    }
    if (condition.law == Law::variational) {
      out.variational = true;
      out.rho = rho;
      std::map<std::uint32_t, Number> turn;
      for (const auto& [k, slope] : jet.first) {
        if (k < n()) turn[k] -= slope;
      }
      for (const auto& [pair, bend] : jet.second) {
        const auto [i, j] = pair;
        if (i < n() && j >= n() && j < 2 * n()) turn[j - n()] += bend * scene_.velocity[i];
        if (i >= n() && i < 2 * n() && j == 2 * n()) turn[i - n()] += bend;
      }
      for (auto& [k, entry] : turn) {
        if (entry.sign() != 0) out.bend.emplace_back(k, std::move(entry));
      }
    }
    scene_.rows.push_back(std::move(out));
  }
};

}  // namespace

ExactScene evaluate_exactly(const Draft& draft, const Overrides& overrides, const Model& model, const Absent& absent) {
  return Exactly(draft, overrides, model, absent).evaluate();
}

}  // namespace zwang::model
