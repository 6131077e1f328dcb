/// From a Draft to the Model: names, parameters, bodies, forces, energies, conditions, in this order.
///
/// Every expression is walked once per member on numbers; the trace of that walk tells which shape the member's
/// expression has, and only the first member of a shape is built as an expression, differentiated and put on a tape.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/linear/row_factor.hpp"
#include "zwang/model/draft.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/implied.hpp"
#include "zwang/model/interpret.hpp"
#include "zwang/model/read.hpp"
#include "zwang/model/shapes.hpp"

namespace zwang::model {

using expressions::ConditionSyntax;
using expressions::Expr;
using expressions::RangeSyntax;
using expressions::Relation;

namespace {

constexpr double most_members = 1e6;              // of a family, or of a range
constexpr std::uint32_t most_rows = 20'000'000;   // of all conditions together
constexpr std::uint32_t most_lanes = 20'000'000;  // of all sums in the energies together

constexpr std::size_t most_view_points = 20'000;  // and as many lines

/// One summand of an energy: an expression under some sums, whose members become lanes.
struct Summand {
  Syntax syntax;
  std::vector<RangeSyntax> ranges;
};

/// A part of an expression in which a sum over members stands so that the whole is linear in it.
bool has_sum(const Syntax& s) {
  switch (s.kind) {
    case SyntaxKind::sum_over: return true;
    case SyntaxKind::negate: return has_sum(s.children[0]);
    case SyntaxKind::sum: return std::any_of(s.children.begin(), s.children.end(), has_sum);
    case SyntaxKind::product: {
      int found = 0;
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (!has_sum(s.children[k])) continue;
        if (s.inverse[k]) return false;
        ++found;
      }
      return found == 1;
    }
    default: return false;
  }
}

/// The factors in front of a sum, one more.
Syntax times(Syntax factors, const Syntax& factor, bool inverse) {
  factors.children.push_back(factor);
  factors.inverse.push_back(inverse);
  return factors;
}

/// k/2*sum(i = 1..n, e + f) is the summands k/2*e and k/2*f over i = 1..n.
void split(const Syntax& s, const Syntax& factors, const std::vector<RangeSyntax>& ranges, std::vector<Summand>& out) {
  if (!has_sum(s)) {
    out.push_back({factors.children.empty() ? s : times(factors, s, false), ranges});
    return;
  }
  switch (s.kind) {
    case SyntaxKind::negate: {
      Syntax minus;
      minus.number = -1;
      minus.offset = s.offset;
      minus.length = 1;
      split(s.children[0], times(factors, minus, false), ranges, out);
      return;
    }
    case SyntaxKind::sum: {
      // What has no sum stays together, so that it can be simplified as one.
      Syntax rest = s;
      rest.children.clear();
      rest.inverse.clear();
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (!has_sum(s.children[k])) {
          rest.children.push_back(s.children[k]);
          rest.inverse.push_back(s.inverse[k]);
          continue;
        }
        Syntax sign;
        sign.number = -1;
        sign.offset = s.children[k].offset;
        sign.length = 1;
        split(s.children[k], s.inverse[k] ? times(factors, sign, false) : factors, ranges, out);
      }
      if (!rest.children.empty()) split(rest, factors, ranges, out);
      return;
    }
    case SyntaxKind::product: {
      Syntax more = factors;
      const Syntax* inner = nullptr;
      for (std::size_t k = 0; k < s.children.size(); ++k) {
        if (inner == nullptr && !s.inverse[k] && has_sum(s.children[k])) {
          inner = &s.children[k];
        } else {
          more = times(std::move(more), s.children[k], s.inverse[k]);
        }
      }
      split(*inner, more, ranges, out);
      return;
    }
    default: {
      std::vector<RangeSyntax> more = ranges;
      more.push_back({s.name, s.offset, s.children[0], s.children[1]});
      split(s.children[2], factors, more, out);
    }
  }
}

/// Every name that occurs in an expression.
void collect_names(const Syntax& s, std::vector<const Syntax*>& out) {
  if (s.kind == SyntaxKind::name) out.push_back(&s);
  for (const Syntax& child : s.children) collect_names(child, out);
}

/// Sets that grow together: union by the smaller number.
class Joined {
 public:
  explicit Joined(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t find(std::uint32_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

class Compiler {
 public:
  Compiler(const Draft::Content& content, const Overrides& overrides)
      : content_(content), overrides_(overrides), source_(content.source), formulas_(content.source) {}

  Model run() {
    model_.file = source_.file();
    model_.text = source_.text();
    if (const Value* title = content_.root.find("title")) model_.title = title->text;
    check_flow();
    give_names();
    compute_parameters();
    read_times();
    place_bodies();

    // From here on expressions may speak of the state.
    slots_.emplace(model_.variables);
    tracer_.emplace(formulas_, *slots_);
    tracer_->set_state(model_.simulation.start, &model_.initial_position, &model_.initial_velocity);
    builder_.emplace(shapes_.graph(), *slots_);
    walk_.emplace(formulas_, vocabulary_, *tracer_);
    build_.emplace(formulas_, vocabulary_, *builder_);
    add_gravity();
    if (model_.flow) {
      add_flow();
    } else {
      add_forces();
      add_energies();
    }
    add_constraints();
    add_free_functions();
    add_seizures();
    add_releases();
    add_blows();
    add_outputs();
    add_view();

    model_.bodies = vocabulary_.bodies;
    model_.parameters = vocabulary_.parameters;
    model_.terms = shapes_.take_terms();
    model_.groups = shapes_.take_rows();
    number_switches();
    lay_out_gradients();
    couple_masses();
    if (model_.flow) begin_flow();
    add_implied(model_);
    return std::move(model_);
  }

 private:
  using Traced = Quantity<Tracer::Scalar>;

  [[nodiscard]] const Value* find(std::string_view table, std::string_view key = {}) const {
    const Value* found = content_.root.find(table);
    return found == nullptr || key.empty() ? found : found->find(key);
  }

  // Names.

  void give_names() {
    struct Named {
      const Field* field;
      std::string_view kind;
    };
    std::vector<Named> named;
    for (const std::string_view table : {"parameters", "points", "coordinates"}) {
      const Value* value = find(table);
      if (value == nullptr) continue;
      const std::string_view kind = table.substr(0, table.size() - 1);
      for (const Field& field : value->fields) named.push_back({&field, kind});
    }
    std::stable_sort(named.begin(), named.end(),
                     [](const Named& a, const Named& b) { return a.field->place < b.field->place; });

    // One name space; the words of the language are taken.
    for (const auto& [field, kind] : named) {
      if (const std::string_view what = reserved_meaning(field->key); !what.empty()) {
        throw source_.error(field->place,
                            fmt::format("`{}` cannot be the name of a {}: it is {}", field->key, kind, what));
      }
      const bool parameter = kind == "parameter";
      NameMeaning meaning{parameter ? NameKind::parameter : NameKind::body, 0, source_.place(field->place)};
      meaning.index = static_cast<std::uint32_t>(parameter ? vocabulary_.parameters.size() : vocabulary_.bodies.size());
      const auto [other, fresh] = vocabulary_.names.try_emplace(field->key, meaning);
      if (!fresh) {
        const NameMeaning& first = other->second;
        const std::string_view what = first.kind == NameKind::parameter                         ? "parameter"
                                      : vocabulary_.bodies[first.index].kind == BodyKind::point ? "point"
                                                                                                : "coordinate";
        throw source_.error(field->place,
                            fmt::format("`{}` is the name of a {} and of a {} (line {}, column {}); names must differ",
                                        field->key, kind, what, first.place.line, first.place.column));
      }
      if (parameter) {
        vocabulary_.parameters.push_back({field->key, {}});
        parameter_values_.push_back(&field->value);
      } else {
        Body body;
        body.name = field->key;
        body.kind = kind == "point" ? BodyKind::point : BodyKind::coordinate;
        vocabulary_.bodies.push_back(std::move(body));
        body_fields_.push_back(field);
      }
    }

    // Inside the table of a family i (and j) is the index and nothing else.
    for (std::size_t k = 0; k < body_fields_.size(); ++k) {
      const Value* count = body_fields_[k]->value.find("count");
      if (count == nullptr) continue;
      const bool two = count->kind == ValueKind::array && count->items.size() == 2;
      for (const std::string_view index : {"i", "j"}) {
        const auto found = vocabulary_.names.find(index);
        if (found == vocabulary_.names.end() || (index == "j" && !two)) continue;
        const Place& place = found->second.place;
        throw source_.error({place.line, place.column},
                            fmt::format("`{}` cannot be a name here: it is the index of the family `{}` (line {})",
                                        index, vocabulary_.bodies[k].name, body_fields_[k]->place.line));
      }
    }
  }

  // Parameters.

  void compute_parameters() {
    const std::size_t count = vocabulary_.parameters.size();
    std::vector<Syntax> syntax(count);
    for (std::size_t k = 0; k < count; ++k) syntax[k] = formulas_.expression(*parameter_values_[k]);
    for (const auto& [name, text] : overrides_.parameters) {
      const auto found = vocabulary_.names.find(name);
      if (found == vocabulary_.names.end() || found->second.kind != NameKind::parameter) {
        std::vector<std::string_view> known;
        for (const Parameter& parameter : vocabulary_.parameters) known.push_back(parameter.name);
        const std::string_view near = nearest(name, known.data(), known.size());
        throw Error({fmt::format("--set {}", name), 1, 1},
                    near.empty() ? fmt::format("the model has no parameter `{}`", name)
                                 : fmt::format("the model has no parameter `{}`; did you mean `{}`?", name, near));
      }
      syntax[found->second.index] = formulas_.outside(fmt::format("--set {}", name), text);
    }

    // Each after those it is made of; whoever is met again on the way down closes a circle.
    enum class Mark : std::uint8_t { fresh, open, done };
    struct Step {
      std::size_t parameter;
      std::vector<const Syntax*> names;
      std::size_t next = 0;
    };
    std::vector<Mark> mark(count, Mark::fresh);
    for (std::size_t start = 0; start < count; ++start) {
      std::vector<Step> path;
      const auto enter = [&](std::size_t k) {
        mark[k] = Mark::open;
        path.push_back({k, {}, 0});
        collect_names(syntax[k], path.back().names);
      };
      if (mark[start] == Mark::fresh) enter(start);
      while (!path.empty()) {
        Step& step = path.back();
        if (step.next == step.names.size()) {
          evaluate_parameter(step.parameter, syntax[step.parameter]);
          mark[step.parameter] = Mark::done;
          path.pop_back();
          continue;
        }
        const Syntax& name = *step.names[step.next++];
        const auto found = vocabulary_.names.find(std::string_view(name.name));
        if (found == vocabulary_.names.end() || found->second.kind != NameKind::parameter) continue;
        const std::size_t other = found->second.index;
        if (mark[other] == Mark::open) {
          std::string circle = vocabulary_.parameters[other].name;
          std::size_t k = path.size() - 1;
          while (path[k].parameter != other) --k;
          for (++k; k < path.size(); ++k) circle += " -> " + vocabulary_.parameters[path[k].parameter].name;
          circle += " -> " + vocabulary_.parameters[other].name;
          throw formulas_.error(name, fmt::format("the parameters go round in a circle: {}", circle));
        }
        if (mark[other] == Mark::fresh) enter(other);
      }
    }
  }

  void evaluate_parameter(std::size_t k, const Syntax& syntax) {
    const Traced value = compute(syntax, "a parameter");
    std::vector<double>& out = vocabulary_.parameters[k].value;
    for (std::size_t c = 0; c < value.parts(); ++c) out.push_back(value.part[c].value);
  }

  /// The value of an expression of parameters and indices.
  Traced compute(const Syntax& syntax, std::string_view where) {
    Context context;
    context.where = where;
    return numbers_.interpret(syntax, context, bindings_);
  }
  double compute_number(const Syntax& syntax, std::string_view where) {
    const Traced value = compute(syntax, where);
    if (value.size != 0) throw formulas_.error(syntax, fmt::format("{} is a number; here stands a vector", where));
    return value.part[0].value;
  }
  double compute_number(const Value& value, std::string_view where) {
    return compute_number(formulas_.expression(value), where);
  }
  double compute_whole(const Syntax& syntax, std::string_view where) {
    const double value = compute_number(syntax, where);
    if (std::abs(value - std::round(value)) > nearly_whole * std::max(1.0, std::abs(value)) ||
        std::abs(value) > largest_whole) {
      throw formulas_.error(
          syntax, fmt::format("{} must be a whole number; `{}` is {}", where, formulas_.text(syntax), exact(value)));
    }
    return std::round(value);
  }

  // Times and accuracy.

  void read_times() {
    Simulation& simulation = model_.simulation;
    const auto number = [&](std::string_view key, const std::string& outside, std::string_view option,
                            std::string_view where) -> std::optional<std::pair<Syntax, double>> {
      const Value* value = find("simulation", key);
      if (value == nullptr && outside.empty()) return {};
      Syntax syntax = outside.empty() ? formulas_.expression(*value) : formulas_.outside(std::string(option), outside);
      const double result = compute_number(syntax, where);
      return std::pair{std::move(syntax), result};
    };
    if (const auto start = number("start", overrides_.start, "--at", "the start")) simulation.start = start->second;
    simulation.until = simulation.start + 10;
    if (const auto until = number("until", overrides_.until, "--until", "the end of the run")) {
      simulation.until = until->second;
      simulation.has_until = true;
      const bool start_moved = !overrides_.start.empty() && overrides_.until.empty();
      if (!start_moved && simulation.until <= simulation.start) {
        throw formulas_.error(until->first, fmt::format("the run must end after its start at {}; here it ends at {}",
                                                        exact(simulation.start), exact(simulation.until)));
      }
    }
    if (const auto tolerance = number("tolerance", overrides_.tolerance, "--tolerance", "a tolerance")) {
      simulation.tolerance = tolerance->second;
      if (!(simulation.tolerance > 0 && simulation.tolerance < 1)) {
        throw formulas_.error(tolerance->first, fmt::format("the tolerance must lie between 0 and 1; here it is {}",
                                                            exact(simulation.tolerance)));
      }
    }
    if (const auto touch = number("touch", {}, {}, "`touch`")) {
      simulation.touch = touch->second;
      if (!(simulation.touch > 0 && simulation.touch < 1)) {
        throw formulas_.error(touch->first,
                              fmt::format("`touch` must lie between 0 and 1; here it is {}", exact(simulation.touch)));
      }
    }
    if (const auto samples = number("samples", overrides_.samples, "--samples", "the number of samples")) {
      const double count = compute_whole(samples->first, "the number of samples");
      if (count < 2 || count > 1e8) {
        throw formulas_.error(
            samples->first,
            fmt::format("there must be at least 2 samples and at most 1e8; here stands {}", exact(count)));
      }
      simulation.samples = static_cast<std::uint32_t>(count);
    }
  }

  // Bodies.

  void place_bodies() {
    for (std::size_t k = 0; k < body_fields_.size(); ++k) place_body(vocabulary_.bodies[k], *body_fields_[k]);
  }

  std::vector<std::uint32_t> read_counts(const Value& value) {
    std::vector<std::uint32_t> out;
    const Syntax syntax = formulas_.expression(value);
    const bool list = value.kind == ValueKind::array;
    double members = 1;
    for (std::size_t k = 0; k < (list ? syntax.children.size() : 1); ++k) {
      const Syntax& part = list ? syntax.children[k] : syntax;
      const double count = compute_whole(part, "a count");
      if (count < 1) {
        throw formulas_.error(
            part, fmt::format("a family without members: the count is {} and must be at least 1", exact(count)));
      }
      members *= count;
      if (members > most_members)
        throw formulas_.error(part, fmt::format("a family may have at most {} members", most_members));
      out.push_back(static_cast<std::uint32_t>(count));
    }
    return out;
  }

  /// Calls `visit(member)` with the indices of every member bound.
  template <class Visit>
  void for_members(const Body& body, Visit visit) {
    const std::size_t depth = body.counts.size();
    if (depth > 0) bindings_.push_back({"i", 1});
    if (depth > 1) bindings_.push_back({"j", 1});
    for (std::uint32_t member = 0; member < body.members(); ++member) {
      if (depth == 1) bindings_[0].value = member + 1.0;
      if (depth == 2) {
        const std::uint32_t row = member / body.counts[1];
        bindings_[0].value = row + 1.0;
        bindings_[1].value = member - row * body.counts[1] + 1.0;
      }
      visit(member);
    }
    bindings_.clear();
  }

  /// The start of a body: one expression for all members, or a list with one for each.
  std::vector<Syntax> read_starts(const Body& body, const Value& value) {
    const bool point = body.kind == BodyKind::point;
    const bool list = value.kind == ValueKind::array && (!point || value.items[0].kind == ValueKind::array);
    if (!list) return {formulas_.expression(value)};
    if (body.counts.empty()) {
      throw formulas_.source().error(value.place, fmt::format("`{}` is a single {}: a list of starts is for families",
                                                              body.name, point ? "point" : "coordinate"));
    }
    if (value.items.size() != body.members()) {
      throw formulas_.source().error(value.place,
                                     fmt::format("`{}` has {} members, the list has {}: one start for each", body.name,
                                                 body.members(), value.items.size()));
    }
    std::vector<Syntax> out;
    out.reserve(value.items.size());
    for (const Value& item : value.items) out.push_back(formulas_.expression(item));
    return out;
  }

  void place_body(Body& body, const Field& field) {
    const Value& table = field.value;
    if (const Value* count = table.find("count")) body.counts = read_counts(*count);
    body.first = model_.variables;
    const bool point = body.kind == BodyKind::point;
    const Value* velocity_value = table.find("velocity");
    const std::vector<Syntax> positions = read_starts(body, *table.find(point ? "position" : "initial"));
    const std::vector<Syntax> velocities =
        velocity_value == nullptr ? std::vector<Syntax>{} : read_starts(body, *velocity_value);
    const std::optional<Syntax> mass = point ? formulas_.expression(*table.find("mass")) : std::optional<Syntax>{};

    body.dimension = 0;
    for_members(body, [&](std::uint32_t member) {
      // Position, and with it the dimension.
      const Syntax& position = positions[positions.size() > 1 ? member : 0];
      const Traced q = compute(position, point ? "an initial position" : "an initial value");
      if (point && q.size == 0) {
        throw formulas_.error(
            position, fmt::format("the position of `{}` must have 2 or 3 components; here stands a number", body.name));
      }
      if (!point && q.size != 0) {
        throw formulas_.error(
            position,
            fmt::format("the initial value of the coordinate `{}` is a number; here stands a vector", body.name));
      }
      if (member > 0 && body.dimension != q.parts()) {
        throw formulas_.error(position, fmt::format("all members of `{}` must have the same number of components: {}, "
                                                    "here stand {}",
                                                    body.name, body.dimension, q.parts()));
      }
      body.dimension = static_cast<std::uint32_t>(q.parts());
      for (std::size_t c = 0; c < q.parts(); ++c) model_.initial_position.push_back(q.part[c].value);

      // Velocity.
      Traced v;
      v.size = q.size;
      const Syntax* velocity = velocities.empty() ? nullptr : &velocities[velocities.size() > 1 ? member : 0];
      if (velocity != nullptr) v = compute(*velocity, "an initial velocity");
      if (v.size != q.size) {
        throw formulas_.error(
            *velocity, fmt::format("the velocity of `{}` must have as many components as its {}: {}, here stand {}",
                                   body.name, point ? "position" : "initial value", q.parts(), v.parts()));
      }
      for (std::size_t c = 0; c < v.parts(); ++c) model_.initial_velocity.push_back(v.part[c].value);

      // Mass.
      double m = 0;
      if (mass) {
        m = compute_number(*mass, "a mass");
        if (!(m > 0)) {
          throw formulas_.error(*mass, fmt::format("the mass of `{}` must be greater than zero; here it is {}",
                                                   member_name(body, member), exact(m)));
        }
      }
      model_.point_mass.insert(model_.point_mass.end(), q.parts(), model_.flow ? 1.0 : m);
    });
    model_.variables += body.members() * body.dimension;
  }

  // Lanes: one member's expression, traced on numbers and, if its shape is new, built.

  Traced trace(const Syntax& syntax, const Context& context) {
    slots_->begin();
    tracer_->require_finite(context.finite);
    const Traced out = walk_->interpret(syntax, context, bindings_);
    for (std::size_t c = 0; c < out.parts(); ++c) {
      if (out.part[c].made == Made::indexed) slots_->constant(out.part[c].value);
    }
    return out;
  }

  /// The expressions of what was traced last; the slots are filled anew in the same order.
  std::vector<Expr> build(const Syntax& syntax, const Context& context) {
    slots_->begin();
    const Quantity<Builder::Scalar> value = build_->interpret(syntax, context, bindings_);
    std::vector<Expr> out;
    for (std::size_t c = 0; c < value.parts(); ++c) {
      out.push_back(builder_->expr(value.part[c]));
    }
    return out;
  }

  /// The state of the member whose slots stand there.
  Probe probe() const {
    Probe out;
    out.time = model_.simulation.start;
    for (const std::uint32_t k : slots_->positions) out.positions.push_back(model_.initial_position[k]);
    for (const std::uint32_t k : slots_->velocities) out.velocities.push_back(model_.initial_velocity[k]);
    out.constants = slots_->constants;
    out.names = [this](expressions::Symbol s) {
      switch (s.kind) {
        case expressions::SymbolKind::position: return name_of(slots_->positions[s.index]);
        case expressions::SymbolKind::velocity: return name_of(slots_->velocities[s.index]) + "'";
        case expressions::SymbolKind::constant: return exact(slots_->constants[s.index]);
        case expressions::SymbolKind::mode:
        case expressions::SymbolKind::time: break;
      }
      return std::string("t");
    };
    return out;
  }
  std::string name_of(std::uint32_t variable) const {
    for (std::size_t k = vocabulary_.bodies.size(); k-- > 0;) {
      const Body& body = vocabulary_.bodies[k];
      if (body.first > variable) continue;
      const std::uint32_t local = variable - body.first;
      const std::string member = member_name(body, local / body.dimension);
      return body.kind == BodyKind::point ? fmt::format("{}.{}", member, "xyz"[local % body.dimension]) : member;
    }
    return {};
  }

  /// Calls `visit()` for every combination of the ranges, with their indices bound.
  template <class Visit>
  void for_ranges(std::span<const RangeSyntax> ranges, Visit& visit) {
    if (ranges.empty()) {
      visit();
      return;
    }
    const RangeSyntax& range = ranges[0];
    const double low = compute_whole(range.low, "the lower bound of a range");
    const double high = compute_whole(range.high, "the upper bound of a range");
    if (high - low > most_members) {
      throw formulas_.error(range.high, fmt::format("a range may have at most {} members", most_members));
    }
    const std::size_t depth = bindings_.size();
    bindings_.push_back({range.name, low});
    const auto steps = static_cast<std::int64_t>(high - low);
    for (std::int64_t step = 0; step <= steps && low <= high; ++step) {
      const double index = low + static_cast<double>(step);
      bindings_[depth].value = index;
      for_ranges(ranges.subspan(1), visit);
    }
    bindings_.pop_back();
  }

  /// How many combinations of the ranges there are, as far as `most`: counted before the first of them is made.
  double count_members(std::span<const RangeSyntax> ranges, double most) {
    if (ranges.empty()) return 1;
    const double low = compute_whole(ranges[0].low, "the lower bound of a range");
    const double high = compute_whole(ranges[0].high, "the upper bound of a range");
    if (ranges.size() == 1 || high - low > most_members) return std::max(0.0, high - low + 1);
    const std::size_t depth = bindings_.size();
    bindings_.push_back({ranges[0].name, low});
    double count = 0;
    for (double index = low; index <= high && count <= most; ++index) {
      bindings_[depth].value = index;
      count += count_members(ranges.subspan(1), most);
    }
    bindings_.pop_back();
    return count;
  }

  /// An index may not hide anything that has a meaning.
  void check_indices(std::span<const RangeSyntax> ranges) const {
    for (std::size_t k = 0; k < ranges.size(); ++k) {
      const std::string& name = ranges[k].name;
      if (const std::string_view what = reserved_meaning(name); !what.empty()) {
        throw formulas_.error(ranges[k].offset, fmt::format("`{}` is {}; take another index", name, what));
      }
      const auto found = vocabulary_.names.find(std::string_view(name));
      if (found != vocabulary_.names.end()) {
        throw formulas_.error(
            ranges[k].offset,
            fmt::format("`{}` is already the name of a {} (line {}); take another index", name,
                        found->second.kind == NameKind::parameter ? "parameter" : "point or coordinate",
                        found->second.place.line));
      }
      for (std::size_t other = 0; other < k; ++other) {
        if (ranges[other].name == name) {
          throw formulas_.error(ranges[k].offset,
                                fmt::format("`{}` is already an index here; take another letter", name));
        }
      }
    }
  }

  // Gravity and forces.

  void add_gravity() {
    model_.constant_force.assign(model_.variables, 0.0);
    const Value* value = find("gravity");
    if (value == nullptr) return;
    const Syntax syntax = formulas_.expression(*value);
    const bool points = std::any_of(vocabulary_.bodies.begin(), vocabulary_.bodies.end(),
                                    [](const Body& body) { return body.kind == BodyKind::point; });
    if (!points) {
      throw formulas_.error(
          syntax, "gravity acts on points, and this model has none: write the weight into `potential` of [energy]");
    }
    Context context;
    context.where = "gravity";
    context.time = true;
    context.finite = true;
    const Traced g = trace_only_time(syntax, context);
    bool constant = true;
    for (std::size_t c = 0; c < g.parts(); ++c) constant = constant && g.part[c].made != Made::state;
    for (const Body& body : vocabulary_.bodies) {
      if (body.kind == BodyKind::point && body.dimension != g.size) {
        throw formulas_.error(
            syntax, fmt::format("gravity must have as many components as the points; `{}` has {}, here stand {}",
                                body.name, body.dimension, g.parts()));
      }
    }

    // A steady field is a steady force, a changing one a potential -m g(t).x, and one that jumps a force m g(t): a potential that jumps
    // would be none.
    std::vector<Expr> field;
    if (!constant) field = build(syntax, context);
    std::vector<TermShape> shapes;
    bool jumps = false;
    std::vector<std::uint32_t> components;
    for (const Body& body : vocabulary_.bodies) {
      if (body.kind != BodyKind::point) continue;
      for (std::uint32_t member = 0; member < body.members(); ++member) {
        const std::uint32_t first = body.first + member * body.dimension;
        if (constant) {
          for (std::uint32_t c = 0; c < body.dimension; ++c) {
            model_.constant_force[first + c] = model_.point_mass[first + c] * g.part[c].value;
          }
          continue;
        }
        slots_->begin();
        for (std::uint32_t c = 0; c < body.dimension; ++c) slots_->position(first + c);
        slots_->constant(model_.point_mass[first]);
        if (shapes.empty()) {
          expressions::Graph& graph = shapes_.graph();
          std::vector<Expr> work;
          for (std::uint32_t c = 0; c < body.dimension; ++c) {
            work.push_back(graph.multiply(field[c], graph.symbol({expressions::SymbolKind::position, c})));
          }
          const Expr mass = graph.symbol({expressions::SymbolKind::constant, 0});
          const Expr potential = graph.negate(graph.multiply(mass, graph.add(work)));
          std::string jump;
          shapes = shapes_.energy(TermKind::potential, potential, probe(), jump);
          jumps = !jump.empty();
          if (jumps) {
            std::vector<Expr> outputs;
            for (std::uint32_t c = 0; c < body.dimension; ++c) {
              if (graph.is_number(field[c], 0)) continue;
              outputs.push_back(graph.multiply(mass, field[c]));
              components.push_back(c);
            }
            shapes.assign(1, shapes_.force(outputs, probe()));
          }
        }
        std::vector<std::uint32_t> targets;
        for (const std::uint32_t c : components) targets.push_back(first + c);
        for (const TermShape& shape : shapes) shapes_.add_term_lane(shape, *slots_, targets);
      }
    }
  }

  Traced trace_only_time(const Syntax& syntax, const Context& context) {
    const Traced out = trace(syntax, context);
    if (out.size == 0)
      throw formulas_.error(syntax,
                            fmt::format("{} is a vector of 2 or 3 components; here stands a number", context.where));
    return out;
  }

  void add_forces() {
    for (std::size_t k = 0; k < body_fields_.size(); ++k) {
      const Value* value = body_fields_[k]->value.find("force");
      if (value != nullptr) add_force(vocabulary_.bodies[k], formulas_.expression(*value), "a force");
    }
  }

  /// A force, or in a flow the free rate, of every member.
  void add_force(const Body& body, const Syntax& syntax, std::string_view where) {
    struct ForceShape {
      std::optional<TermShape> term;
      std::vector<std::uint32_t> components;
    };
    std::map<std::vector<std::uint32_t>, ForceShape> known;
    const Context context{where, true, !model_.flow, true, true};
    for_members(body, [&](std::uint32_t member) {
      const Traced force = trace(syntax, context);
      const std::size_t size = body.kind == BodyKind::point ? body.dimension : 0;
      if (force.size != size) {
        if (model_.flow) throw formulas_.error(syntax, "the rate of a coordinate is a number; here stands a vector");
        throw formulas_.error(
            syntax, fmt::format("the force on `{}` must have as many components as it has itself: {}, here stand {}",
                                body.name, std::max<std::size_t>(size, 1), force.parts()));
      }
      const auto [found, fresh] = known.try_emplace(slots_->key);
      ForceShape& shape = found->second;
      if (fresh) {
        const std::vector<Expr> all = build(syntax, context);
        std::vector<Expr> outputs;
        for (std::uint32_t c = 0; c < all.size(); ++c) {
          if (shapes_.graph().is_number(all[c], 0)) continue;
          outputs.push_back(all[c]);
          shape.components.push_back(c);
        }
        if (!outputs.empty()) shape.term = shapes_.force(outputs, probe());
      }
      if (!shape.term) return;
      std::vector<std::uint32_t> targets;
      for (const std::uint32_t c : shape.components) targets.push_back(body.first + member * body.dimension + c);
      shapes_.add_term_lane(*shape.term, *slots_, targets);
    });
  }

  // Flows.

  /// The field of a table with its place, or nullptr.
  static const Field* field_of(const Value& table, std::string_view key) {
    for (const Field& field : table.fields) {
      if (field.key == key) return &field;
    }
    return nullptr;
  }

  /// A flow has variables and their rates, and nothing that belongs to masses.
  void check_flow() {
    const Field* flow = field_of(content_.root, "flow");
    const Field* free = field_of(content_.root, "free");
    if (flow == nullptr) {
      if (free == nullptr) return;
      throw source_.error(free->place, "[free] belongs to a first-order system: there is no [flow] in this model");
    }
    model_.flow = true;
    const auto refuse = [&](const Field& field, std::string_view what) {
      throw source_.error(field.place, fmt::format("a model with [flow] is a first-order system: {}", what));
    };
    for (const Field& field : content_.root.fields) {
      if (field.key == "points") refuse(field, "it has coordinates with an initial value each, and no points");
      if (field.key == "gravity" || field.key == "energy") {
        refuse(field, fmt::format("it has rates, not masses, and no {}", field.key));
      }
      if (field.key == "impulses") refuse(field, "blows change velocities, and its rates follow from its state alone");
      if (field.key == "releases") refuse(field, "its equations cannot be let go");
      if (field.key == "seizures") refuse(field, "equations cannot seize it, write them into [constraints]");
    }

    // One line for every variable, and none besides.
    const Value& coordinates = *find("coordinates");
    for (const Field& line : flow->value.fields) {
      if (field_of(coordinates, line.key) != nullptr) continue;
      std::vector<std::string_view> known;
      for (const Field& field : coordinates.fields) known.push_back(field.key);
      const std::string_view near = nearest(line.key, known.data(), known.size());
      throw source_.error(
          line.place,
          near.empty() ? fmt::format("`{}` has a rate and no initial value: write [coordinates.{}]", line.key, line.key)
                       : fmt::format("there is no coordinate `{}`; did you mean `{}`?", line.key, near));
    }
    for (const Field& field : coordinates.fields) {
      for (const Field& inner : field.value.fields) {
        if (inner.key == "velocity") refuse(inner, "the rate at the start follows from [flow], leave `velocity` out");
        if (inner.key == "force") refuse(inner, "what drives it stands in [flow], leave `force` out");
      }
      if (field_of(flow->value, field.key) == nullptr) {
        throw source_.error(field.place,
                            fmt::format("[flow] has no line for `{}`: write {} = \"…\" there", field.key, field.key));
      }
    }
  }

  void add_flow() {
    const Value& flow = *find("flow");
    for (std::size_t k = 0; k < body_fields_.size(); ++k) {
      const Syntax syntax = formulas_.expression(*flow.find(body_fields_[k]->key));
      add_force(vocabulary_.bodies[k], syntax, "a rate of a flow");
    }
  }

  void add_free_functions() {
    const Value* functions = find("free", "functions");
    if (functions == nullptr) return;
    Context context{"a free function", true, false, true, true};
    context.corners = false;
    for (const Value& item : functions->items) {
      const Syntax syntax = formulas_.expression(item);
      if (trace(syntax, context).size != 0) {
        throw formulas_.error(syntax, "a free function is a number; here stands a vector");
      }
      const std::vector<Expr> parts = build(syntax, context);
      if (!expressions::depends_on(shapes_.graph(), parts[0], expressions::SymbolKind::position)) {
        throw formulas_.error(syntax, fmt::format("`{}` has no rate to keep: no variable of the flow occurs in it",
                                                  formulas_.text(syntax)));
      }
      model_.free_functions.push_back(
          {formulas_.text(syntax), shapes_.single(parts[0], *slots_, probe(), TermKind::potential)});
    }
  }

  /// The rates at the start; the free functions must be as many as the equations leave over, and independent.
  void begin_flow() {
    const State start = initial_state(model_);
    const std::size_t n = model_.variables;
    const std::vector<double> gradients = condition_gradients(model_, start);
    for (std::size_t row = 0; row < model_.rows(); ++row) {
      for (std::size_t i = 0; i < n; ++i) {
        if (std::isfinite(gradients[row * n + i])) continue;
        const Condition& condition = model_.conditions[model_.row_condition[row]];
        throw source_.error({condition.place.line, condition.place.column},
                            fmt::format("`{}` has no gradient at the initial state; write it without a root",
                                        row_name(model_, static_cast<std::uint32_t>(row))));
      }
    }
    linear::RowFactor factor;
    factor.factor(gradients, model_.rows(), n, dependent_part);
    const std::size_t left = n - factor.kept();
    const Value* functions = find("free", "functions");
    const std::size_t count = model_.free_functions.size();
    if (functions != nullptr && count != left) {
      throw source_.error(
          functions->place,
          fmt::format("there must be {} free function{}: {} variable{} less {} independent equation{} at the initial "
                      "state; here stand{} {}",
                      left, left == 1 ? "" : "s", n, n == 1 ? "" : "s", factor.kept(), factor.kept() == 1 ? "" : "s",
                      count == 1 ? "s" : "", count));
    }
    if (functions != nullptr) {
      const std::vector<double> all = all_gradients(model_, start);
      factor.factor(all, model_.rows() + count, n, dependent_part);
      for (std::size_t k = 0; k < count; ++k) {
        const double* gradient = all.data() + (model_.rows() + k) * n;
        const bool finite = std::all_of(gradient, gradient + n, [](double g) { return std::isfinite(g); });
        if (finite && !factor.skipped(model_.rows() + k)) continue;
        throw source_.error(
            functions->items[k].place,
            fmt::format("`{}` {}", model_.free_functions[k].text,
                        finite ? "cannot keep its free rate: at the initial state its gradient depends on those of the "
                                 "conditions and of the free functions before it"
                               : "has no gradient at the initial state"));
      }
    }
    const Rates found = rates(model_, start);
    if (found.finite) model_.initial_velocity = found.rate;
  }

  // Energies.

  void add_energies() {
    const auto coordinate = std::find_if(vocabulary_.bodies.begin(), vocabulary_.bodies.end(),
                                         [](const Body& body) { return body.kind == BodyKind::coordinate; });
    const Value* kinetic = find("energy", "kinetic");
    if (coordinate != vocabulary_.bodies.end() && kinetic == nullptr) {
      const Field* field = body_fields_[static_cast<std::size_t>(coordinate - vocabulary_.bodies.begin())];
      throw source_.error(
          field->place,
          fmt::format("the coordinate `{}` has no inertia: a model with coordinates needs `kinetic` in [energy]",
                      coordinate->name));
    }
    if (kinetic != nullptr) {
      kinetic_syntax_ = formulas_.expression(*kinetic);
      add_energy(*kinetic_syntax_, TermKind::kinetic);
    }
    if (const Value* potential = find("energy", "potential")) {
      const Syntax syntax = formulas_.expression(*potential);
      add_energy(syntax, TermKind::potential);
    }
  }

  void add_energy(const Syntax& whole, TermKind kind) {
    const bool kinetic = kind == TermKind::kinetic;
    Context context{kinetic ? "the kinetic energy" : "the potential energy", true, kinetic, true, true};
    context.corners = !kinetic;
    std::vector<Summand> summands;
    Syntax factors;
    factors.kind = SyntaxKind::product;
    factors.offset = whole.offset;
    factors.length = whole.length;
    split(whole, factors, {}, summands);
    for (const Summand& summand : summands) {
      check_indices(summand.ranges);
      std::map<std::vector<std::uint32_t>, std::vector<TermShape>> known;
      auto add_lane = [&]() {
        if (++lanes_ > most_lanes) {
          throw formulas_.error(summand.syntax, fmt::format("the sums have more than {} terms", most_lanes));
        }
        const Traced value = trace(summand.syntax, context);
        if (value.size != 0) {
          throw formulas_.error(summand.syntax, fmt::format("{} is a number; here stands a vector", context.where));
        }
        const auto [found, fresh] = known.try_emplace(slots_->key);
        std::vector<TermShape>& shapes = found->second;
        if (fresh) {
          std::string jump;
          shapes = shapes_.energy(kind, build(summand.syntax, context)[0], probe(), jump);
          if (!jump.empty()) {
            throw formulas_.error(
                summand.syntax,
                fmt::format("a potential must be continuous, and at `{}` this one jumps: write the jump as a force, or "
                            "take a function that is continuous there, such as abs, max, clip or table",
                            jump));
          }
          if (!shapes[0].wrong.empty()) {
            throw formulas_.error(
                summand.syntax,
                fmt::format("the kinetic energy must be quadratic in the velocities; this term is not: {}",
                            shapes[0].wrong));
          }
        }
        for (const TermShape& shape : shapes) shapes_.add_term_lane(shape, *slots_, {});
      };
      if (lanes_ + count_members(summand.ranges, most_lanes) > most_lanes) {
        throw formulas_.error(summand.syntax, fmt::format("the sums have more than {} terms", most_lanes));
      }
      for_ranges(summand.ranges, add_lane);
    }
  }

  // Conditions.

  void add_constraints() {
    const Value* table = find("constraints");
    if (table == nullptr) return;
    for (const Field& field : table->fields) {
      const bool long_form = field.value.kind == ValueKind::table;
      const Value& text = long_form ? *field.value.find("condition") : field.value;
      Condition condition;
      condition.name = field.key;
      if (long_form && model_.flow) refuse_laws(field.value);
      if (long_form) read_long_form(field.value, condition);
      const Value* ranges = long_form ? field.value.find("for") : nullptr;
      add_condition(std::move(condition), text, ranges, field.value.find("law"));
    }
  }

  /// Laws of motion and of shocks are for bodies.
  void refuse_laws(const Value& table) const {
    for (const Field& field : table.fields) {
      if (field.key != "law" && field.key != "multiplier" && field.key != "restitution") continue;
      throw source_.error(field.place, fmt::format("`{}` is for the motion of bodies; a flow under conditions is "
                                                   "determined by [free], or by the orthogonal projection",
                                                   field.key));
    }
  }

  void read_long_form(const Value& table, Condition& condition) {
    const Value* law = table.find("law");
    const Value* multiplier = table.find("multiplier");
    if (law != nullptr && law->text == "variational") condition.law = Law::variational;
    if (multiplier != nullptr) {
      if (condition.law != Law::variational) {
        throw source_.error(
            multiplier->place,
            "`multiplier` is the initial rho of a variational condition: it needs law = \"variational\"");
      }
      condition.multiplier = compute_number(*multiplier, "a multiplier");
    }
    if (const Value* restitution = table.find("restitution")) {
      condition.restitution = compute_number(*restitution, "a restitution");
      if (!(condition.restitution >= 0 && condition.restitution <= 1)) {
        throw source_.error(restitution->place, fmt::format("`restitution` must lie between 0 and 1; here it is {}",
                                                            exact(condition.restitution)));
      }
    }
  }

  /// f = left - right, or right - left for >=.
  static Syntax difference(const ConditionSyntax& syntax) {
    Syntax f;
    f.kind = SyntaxKind::sum;
    f.offset = syntax.left.offset;
    f.length = syntax.right.offset + syntax.right.length - syntax.left.offset;
    f.children = {syntax.left, syntax.right};
    f.inverse = {false, true};
    if (syntax.relation == Relation::greater_equal) std::swap(f.children[0], f.children[1]);
    return f;
  }

  void add_condition(Condition condition, const Value& text, const Value* ranges_value, const Value* law) {
    const expressions::AlternativeSyntax all = formulas_.alternatives(text);
    condition.text = text.text;
    condition.place = formulas_.place(all[0].left.offset);
    condition.first_row = model_.rows();
    const bool equation = all[0].relation == Relation::equal;
    for (const ConditionSyntax& syntax : all) {
      if (model_.flow && syntax.relation != Relation::equal) {
        throw formulas_.error(syntax.relation_offset,
                              "a flow is made unfree by equations: what an inequality does to a first-order system the "
                              "theory does not define; write = here");
      }
      if (all.size() > 1 && syntax.relation == Relation::equal) {
        throw formulas_.error(syntax.relation_offset,
                              "`or` joins inequalities; an equation cannot stand beside it: write <= or >=");
      }
    }

    std::vector<RangeSyntax> ranges;
    if (ranges_value != nullptr) ranges = formulas_.ranges(*ranges_value);
    check_indices(ranges);
    if (ranges.size() > 2) throw formulas_.error(ranges[2].offset, "a condition may have at most two indices");
    condition.indices = static_cast<std::uint32_t>(ranges.size());
    if (model_.rows() + count_members(ranges, most_rows) > most_rows) {
      throw formulas_.error(ranges[0].high, fmt::format("there are more than {} conditions", most_rows));
    }

    // Every member: its alternatives, their rows, their lanes.
    const bool now = !condition.seizure || condition.at == model_.simulation.start;
    const Context context{"a condition", true, true, true, now};
    using Known = std::map<std::vector<std::uint32_t>, std::vector<std::vector<RowShape>>>;
    std::vector<Known> known(all.size());
    std::vector<Syntax> parts;
    for (const ConditionSyntax& syntax : all) parts.push_back(difference(syntax));
    std::uint32_t members = 0;
    auto add_member = [&]() {
      std::uint32_t rows = 0;
      std::uint32_t alternatives = 0;
      for (std::size_t j = 0; j < all.size(); ++j) {
        const Traced value = trace(parts[j], context);
        if (value.size != 0 && !equation) {
          throw formulas_.error(
              all[j].relation_offset,
              "vectors are not smaller or larger than each other: write one condition for each component");
        }
        const auto [found, fresh] = known[j].try_emplace(slots_->key);
        if (fresh) found->second = make_rows_of_member(all[j], parts[j], context, value, condition);
        for (const std::vector<RowShape>& list : found->second) {
          for (const RowShape& shape : list) {
            const std::uint32_t twins = !equation && !model_.flow && shape.holonomic && shape.kinks ? 2 : 1;
            for (std::uint32_t twin = 0; twin < twins; ++twin) {
              const std::uint32_t row = model_.rows();
              if (row == most_rows)
                throw formulas_.error(parts[j], fmt::format("there are more than {} conditions", most_rows));
              if (!shape.holonomic && all.size() + found->second.size() > 2) {
                throw formulas_.error(parts[j],
                                      fmt::format("`or` (and min of what must not be positive) joins position "
                                                  "inequalities; in `{}` velocities occur: write the "
                                                  "alternatives as two models",
                                                  member_words(condition)));
              }
              model_.row_kind.push_back(
                  shape.holonomic ? (equation ? RowKind::holonomic_equation : RowKind::holonomic_inequality)
                                  : (equation ? RowKind::nonholonomic_equation : RowKind::nonholonomic_inequality));
              model_.row_condition.push_back(static_cast<std::uint32_t>(model_.conditions.size()));
              model_.row_alternative.push_back(alternatives);
              model_.row_twin.push_back(twins == 1 ? row : twin == 0 ? row + 1 : row - 1);
              shapes_.add_row_lane(shape, *slots_, row);
              ++rows;
            }
          }
          ++alternatives;
        }
      }
      if (members == 0) {
        condition.components = rows;
        // The components of a vector equation are no parts of one inequality.
        condition.compound = !equation && rows > 1;
        condition.alternatives = equation ? 1 : alternatives;
      } else if (condition.components != rows || (!equation && condition.alternatives != alternatives)) {
        throw formulas_.error(parts[0], fmt::format("the members of `{}` fall apart into different numbers of smooth "
                                                    "conditions: write them as separate constraints",
                                                    condition.name));
      }
      for (const Binding& binding : bindings_)
        condition.index_values.push_back(static_cast<std::int32_t>(binding.value));
      ++members;
    };
    for_ranges(std::span<const RangeSyntax>(ranges), add_member);
    if (members == 0)
      throw formulas_.error(ranges[0].offset,
                            fmt::format("the condition `{}` has no members: its ranges are empty", condition.name));
    condition.rows = model_.rows() - condition.first_row;

    if (condition.law == Law::variational) {
      for (std::uint32_t row = condition.first_row; row < model_.rows(); ++row) {
        if (model_.row_kind[row] == RowKind::nonholonomic_equation) continue;
        throw source_.error(law->place, fmt::format("law = \"variational\" is for nonholonomic equations; `{}` is a {}",
                                                    condition.name, words(model_.row_kind[row])));
      }
    }
    model_.conditions.push_back(std::move(condition));
  }

  /// "link[3]" for messages.
  std::string member_words(const Condition& condition) const {
    std::string out = condition.name;
    for (std::size_t k = 0; k < bindings_.size(); ++k)
      out += fmt::format("{}{}", k == 0 ? '[' : ',', bindings_[k].value);
    return bindings_.empty() ? out : out + "]";
  }

  /// One row, or the components of a vector equation; of an inequality with corners the alternatives and their rows.
  std::vector<std::vector<RowShape>> make_rows_of_member(const ConditionSyntax& syntax, const Syntax& f,
                                                         const Context& context, const Traced& value,
                                                         const Condition& condition) {
    const std::vector<Expr> parts = build(f, context);
    const Probe at = probe();
    if (syntax.relation != Relation::equal && expressions::has_kinks(shapes_.graph(), parts[0])) {
      // Least and greatest of smooth functions: where it has corners, several of them hold at once.
      const expressions::Alternatives all = expressions::split(shapes_.graph(), parts[0]);
      // Parts that jump where the whole does not stay together: the whole has corners then.
      const bool apart = std::none_of(all.begin(), all.end(), [&](const std::vector<Expr>& list) {
        return std::any_of(list.begin(), list.end(), [&](Expr e) { return shapes_.jumps(e, at); });
      });
      if (apart && !all.empty() && all.size() + all[0].size() > 2) {
        std::vector<std::vector<RowShape>> out;
        for (const std::vector<Expr>& list : all) {
          out.emplace_back();
          for (const Expr e : list) out.back().push_back(make_row(e, f, at, condition));
        }
        return out;
      }
    }
    return {make_plain_rows(syntax, f, parts, at, value, condition)};
  }

  RowShape make_row(Expr e, const Syntax& f, const Probe& at, const Condition& condition) {
    std::string jump;
    RowShape out = shapes_.row(e, at, jump);
    if (!jump.empty()) {
      throw formulas_.error(f,
                            fmt::format("a condition must be continuous, and at `{}` `{}` jumps: take a function that "
                                        "is continuous there, such as abs, max, clip or table, or write its sides as "
                                        "alternatives joined by `or`",
                                        jump, member_words(condition)));
    }
    if (!out.nonlinear.empty()) {
      throw formulas_.error(
          f, fmt::format("velocities must occur linearly in a condition; in `{}` this term is not linear in them: {}",
                         member_words(condition), out.nonlinear));
    }
    return out;
  }

  std::vector<RowShape> make_plain_rows(const ConditionSyntax& syntax, const Syntax& f, const std::vector<Expr>& parts,
                                        const Probe& at, const Traced& value, const Condition& condition) {
    std::vector<RowShape> out;
    for (const Expr e : parts) {
      out.push_back(make_row(e, f, at, condition));
    }

    // A condition in which nothing occurs is a mistake; one component of a vector equation may be idle.
    const auto real = std::find_if(out.begin(), out.end(), [](const RowShape& shape) { return shape.restricts; });
    for (std::size_t c = 0; c < out.size(); ++c) {
      if (out[c].restricts) continue;
      const double left_over = value.part[c].value;
      const bool timed = expressions::depends_on(shapes_.graph(), parts[c], expressions::SymbolKind::time);
      const double off = within_rounding * value.part[c].error;
      const bool holds = (syntax.relation == Relation::equal ? std::abs(left_over) : left_over) <= off;
      if (timed)
        throw formulas_.error(f, fmt::format("`{}` restricts nothing: neither positions nor velocities occur in it",
                                             member_words(condition)));
      if (!holds)
        throw formulas_.error(f, fmt::format("`{}` can never hold: neither positions nor velocities occur in it",
                                             member_words(condition)));
      if (real == out.end())
        throw formulas_.error(
            f, fmt::format("`{}` always holds and restricts nothing: neither positions nor velocities occur in it",
                           member_words(condition)));
      out[c] = shapes_.empty_row(shapes_.graph().number(0), real->holonomic);
    }
    return out;
  }

  void add_seizures() {
    const Value* list = find("seizures");
    if (list == nullptr) return;
    for (const Value& table : list->items) {
      Condition condition;
      const Value& name = *table.find("name");
      condition.name = name.text;
      condition.seizure = true;
      condition.at = model_.simulation.start;
      if (const Value* at = table.find("at")) condition.at = compute_number(*at, "a time");
      const bool identifier = !name.text.empty() && std::all_of(name.text.begin(), name.text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      });
      if (!identifier || (name.text[0] >= '0' && name.text[0] <= '9')) {
        throw source_.error(
            name.place,
            fmt::format("`{}` cannot be a name: names are made of letters, digits and _, and start with a letter or _",
                        name.text));
      }
      for (const Condition& other : model_.conditions) {
        if (other.name != condition.name) continue;
        throw source_.error(name.place, fmt::format("`{}` is already the name of a {} (line {})", name.text,
                                                    other.seizure ? "seizure" : "constraint", other.place.line));
      }
      const Value& text = *table.find("condition");
      const ConditionSyntax syntax = formulas_.condition(text);
      if (syntax.relation != Relation::equal) {
        throw formulas_.error(syntax.relation_offset,
                              "a seizure is an equation: write =, or put the inequality into [constraints]");
      }
      add_condition(std::move(condition), text, nullptr, nullptr);
    }
  }

  // Conditions let go.

  void add_releases() {
    const Value* list = find("releases");
    if (list == nullptr) return;
    for (const Value& table : list->items) {
      Release release;
      const Value& name = *table.find("constraint");
      release.name = name.text;
      const Value* at = table.find("at");
      const Value* when = table.find("when");
      if ((at == nullptr) == (when == nullptr)) {
        throw source_.error(name.place, at == nullptr ? "a release needs `at`, a time, or `when`, a comparison"
                                                      : "a release has one of `at` and `when`, not both");
      }
      release.rows = released_rows(name);
      if (at != nullptr) release.at = compute_number(*at, "a time");
      if (when != nullptr) release.when.push_back(add_truth(release.name, *when, "`when`"));
      model_.releases.push_back(std::move(release));
    }
  }

  /// The rows of a condition, or of one member "link[3]".
  std::vector<std::uint32_t> released_rows(const Value& name) {
    const Syntax reference = formulas_.reference(name);
    const bool member = reference.kind == SyntaxKind::index;
    const std::string& word = member ? reference.children[0].name : reference.name;
    const auto found = std::find_if(model_.conditions.begin(), model_.conditions.end(),
                                    [&](const Condition& condition) { return condition.name == word; });
    if (found == model_.conditions.end()) {
      std::vector<std::string_view> known;
      for (const Condition& condition : model_.conditions) known.push_back(condition.name);
      const std::string_view near = nearest(word, known.data(), known.size());
      throw formulas_.error(reference,
                            near.empty() ? fmt::format("no condition is called `{}`", word)
                                         : fmt::format("no condition is called `{}`; did you mean `{}`?", word, near));
    }
    std::vector<std::uint32_t> rows;
    if (!member) {
      for (std::uint32_t k = 0; k < found->rows; ++k) rows.push_back(found->first_row + k);
      return rows;
    }
    if (found->indices != reference.children.size() - 1) {
      throw formulas_.error(reference, found->indices == 0
                                           ? fmt::format("`{}` is a single condition; it has no members", word)
                                           : fmt::format("a member of `{}` has {} ind{}", word, found->indices,
                                                         found->indices == 1 ? "ex" : "ices"));
    }
    std::vector<std::int32_t> index;
    for (std::size_t k = 1; k < reference.children.size(); ++k) {
      index.push_back(static_cast<std::int32_t>(compute_whole(reference.children[k], "an index")));
    }
    for (std::uint32_t m = 0; m < found->rows / found->components; ++m) {
      if (!std::equal(index.begin(), index.end(), found->index_values.begin() + m * found->indices)) continue;
      for (std::uint32_t c = 0; c < found->components; ++c) {
        rows.push_back(found->first_row + m * found->components + c);
      }
      return rows;
    }
    throw formulas_.error(reference, fmt::format("`{}` has no member {}", word, name.text));
  }

  /// Comparisons to be watched; their number among the model's truths.
  std::uint32_t add_truth(const std::string& name, const Value& value, std::string_view where) {
    const Syntax syntax = formulas_.truth(value);
    const Context context{where, true, true, true, false};
    slots_->begin();
    tracer_->require_finite(false);
    const Tracer::Scalar traced = walk_->interpret_truth(syntax, context, bindings_);
    slots_->begin();
    const Builder::Scalar built = build_->interpret_truth(syntax, context, bindings_);
    if (traced.made != Made::state) {
      throw formulas_.error(syntax, fmt::format("{} is always {}: neither time, positions nor velocities occur in it",
                                                where, traced.value != 0 ? "true" : "false"));
    }
    Observable truth;
    truth.name = name;
    truth.text = value.text;
    truth.term = shapes_.single(builder_->expr(built), *slots_, probe());
    model_.truths.push_back(std::move(truth));
    return static_cast<std::uint32_t>(model_.truths.size() - 1);
  }

  // Blows and outputs.

  void add_blows() {
    const Value* list = find("impulses");
    if (list == nullptr) return;
    for (const Value& table : list->items) {
      Blow blow;
      blow.at = model_.simulation.start;
      if (const Value* at = table.find("at")) blow.at = compute_number(*at, "a time");
      const Syntax on = formulas_.reference(*table.find("on"));
      const auto [index, member] = walk_->member(on, bindings_);
      const Body& body = vocabulary_.bodies[index];
      blow.on = member_name(body, member);
      const Syntax syntax = formulas_.expression(*table.find("value"));
      const Traced value = compute(syntax, "an impulse");
      const std::size_t size = body.kind == BodyKind::point ? body.dimension : 0;
      if (value.size != size) {
        throw formulas_.error(syntax,
                              fmt::format("the impulse on `{}` must be {}; here stands {}", blow.on,
                                          size == 0 ? "a number" : fmt::format("a vector of {} components", size),
                                          value.size == 0 ? "a number" : fmt::format("a vector of {}", value.parts())));
      }
      for (std::uint32_t c = 0; c < body.dimension; ++c) {
        blow.variables.push_back(body.first + member * body.dimension + c);
        blow.impulse.push_back(value.part[c].value);
      }
      model_.blows.push_back(std::move(blow));
    }
  }

  void observe_parts(const std::string& name, const std::string& text, const Syntax& syntax, std::string_view where,
                     std::vector<Observable>& out) {
    const Context context{where, true, true, true, false};
    trace(syntax, context);
    const std::vector<Expr> parts = build(syntax, context);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      Observable observable;
      observable.name = parts.size() == 1 ? name : fmt::format("{}.{}", name, "xyz"[c]);
      observable.text = text;
      observable.term = shapes_.single(parts[c], *slots_, probe());
      out.push_back(std::move(observable));
    }
  }

  void add_outputs() {
    if (const Value* table = find("outputs")) {
      for (const Field& field : table->fields) {
        const Syntax syntax = formulas_.expression(field.value);
        observe_parts(field.key, formulas_.text(syntax), syntax, "an output", model_.outputs);
      }
    }
    if (const Value* stop = find("simulation", "stop")) add_stop(*stop);
  }

  /// One smooth comparison is watched by its own function, others by their truth.
  void add_stop(const Value& stop) {
    const Syntax truth = formulas_.truth(stop);
    if (truth.kind == SyntaxKind::compare) {
      ConditionSyntax syntax;
      syntax.left = truth.children[0];
      syntax.right = truth.children[1];
      syntax.relation = truth.name[0] == '<' ? Relation::less_equal : Relation::greater_equal;
      syntax.relation_offset = truth.offset;
      observe_parts("stop", stop.text, difference(syntax), "`stop`", model_.simulation.stop);
      if (model_.simulation.stop.size() > 1) {
        throw formulas_.error(truth, "vectors are not smaller or larger than each other: `stop` compares numbers");
      }
      if (model_.simulation.stop[0].term.corners.empty()) return;
      model_.simulation.stop.clear();
    }
    model_.simulation.stop_truth.push_back(add_truth("stop", stop, "`stop`"));
  }

  // What is only looked at.

  void add_view() {
    const Value* table = find("view");
    if (table == nullptr) return;
    View& view = model_.view;
    if (const Value* dimension = table->find("dimension")) {
      const Syntax syntax = formulas_.expression(*dimension);
      const double value = compute_whole(syntax, "the dimension of the picture");
      if (value != 2 && value != 3) {
        throw formulas_.error(syntax, fmt::format("a picture has 2 or 3 dimensions; here stands {}", exact(value)));
      }
      view.dimension = static_cast<std::uint32_t>(value);
    }
    if (const Value* up = table->find("up")) {
      const Syntax syntax = formulas_.expression(*up);
      const Traced value = compute(syntax, "a direction");
      double length = 0;
      for (std::size_t c = 0; c < value.parts(); ++c) length = elementary::hypot(length, value.part[c].value);
      if (value.size == 0 || !(length > 0)) {
        throw formulas_.error(syntax, "`up` is a direction: a vector of 2 or 3 components that is not zero");
      }
      for (std::size_t c = 0; c < value.parts(); ++c) view.up.push_back(value.part[c].value / length);
    }
    if (const Value* points = table->find("points")) {
      for (const Field& field : points->fields) add_view_point(field);
    }
    if (const Value* lines = table->find("lines")) {
      for (const Field& field : lines->fields) add_view_line(field);
    }
  }

  /// The point of the view that bears this name, or nullptr.
  const ViewPoint* view_point(std::string_view name) const {
    for (const ViewPoint& point : model_.view.points) {
      if (point.name == name) return &point;
    }
    return nullptr;
  }

  /// Points of the view that stand above, replaced by their own expressions.
  Syntax without_view_points(const Syntax& syntax, std::string_view self) const {
    const Syntax& root = syntax.kind == SyntaxKind::index ? syntax.children[0] : syntax;
    if (root.kind == SyntaxKind::name && root.name == self) {
      throw formulas_.error(root, fmt::format("the place of `{}` cannot be made of itself", self));
    }
    const ViewPoint* point = root.kind == SyntaxKind::name ? view_point(root.name) : nullptr;
    if (point == nullptr) {
      Syntax out = syntax;
      for (Syntax& child : out.children) child = without_view_points(child, self);
      return out;
    }
    check_view_indices(*point, syntax);
    std::vector<Syntax> indices;
    for (std::size_t k = 0; k < point->counts.size(); ++k) {
      indices.push_back(without_view_points(syntax.children[k + 1], self));
    }
    const auto number = static_cast<std::size_t>(point - model_.view.points.data());
    return with_indices(view_positions_[number], indices);
  }

  /// The expression of one member: i (and j) replaced.
  static Syntax with_indices(const Syntax& syntax, const std::vector<Syntax>& indices) {
    if (syntax.kind == SyntaxKind::name) {
      if (!indices.empty() && syntax.name == "i") return indices[0];
      if (indices.size() > 1 && syntax.name == "j") return indices[1];
    }
    Syntax out = syntax;
    for (Syntax& child : out.children) child = with_indices(child, indices);
    return out;
  }

  void check_view_indices(const ViewPoint& point, const Syntax& syntax) const {
    const std::size_t given = syntax.kind == SyntaxKind::index ? syntax.children.size() - 1 : 0;
    if (given == point.counts.size()) return;
    if (point.counts.empty()) {
      throw formulas_.error(syntax, fmt::format("`{}` is a single point; it has no members", point.name));
    }
    throw formulas_.error(syntax, fmt::format("`{}` is a family of {} points: write a member, {}[{}]", point.name,
                                              point.members(), point.name, point.counts.size() == 1 ? "i" : "i,j"));
  }

  void add_view_point(const Field& field) {
    View& view = model_.view;
    ViewPoint point;
    point.name = field.key;
    if (const std::string_view what = reserved_meaning(field.key); !what.empty() || field.key == "origin") {
      throw source_.error(field.place, fmt::format("`{}` cannot be the name of a point: it is {}", field.key,
                                                   what.empty() ? "where all coordinates are 0" : what));
    }
    if (const auto other = vocabulary_.names.find(field.key); other != vocabulary_.names.end()) {
      throw source_.error(field.place, fmt::format("`{}` is already the name of something in the model (line {}); take "
                                                   "another for the point of the view",
                                                   field.key, other->second.place.line));
    }
    if (const Value* count = field.value.find("count")) point.counts = read_counts(*count);
    for (std::size_t k = 0; k < point.counts.size(); ++k) {
      const std::string_view index = k == 0 ? "i" : "j";
      const auto found = vocabulary_.names.find(index);
      if (found == vocabulary_.names.end()) continue;
      const Place& place = found->second.place;
      throw source_.error({place.line, place.column},
                          fmt::format("`{}` cannot be a name here: it is the index of the family `{}` (line {})", index,
                                      point.name, field.place.line));
    }
    if (point.members() > most_view_points) {
      throw source_.error(field.place, fmt::format("a view may have at most {} points", most_view_points));
    }
    if (const Value* size = field.value.find("size")) {
      const Syntax syntax = formulas_.expression(*size);
      point.size = compute_number(syntax, "a size");
      if (!(point.size >= 0)) {
        throw formulas_.error(syntax, fmt::format("a size is not negative; here it is {}", exact(point.size)));
      }
    }

    // One expression per member and component.
    const Syntax syntax = without_view_points(formulas_.expression(*field.value.find("position")), point.name);
    point.first = static_cast<std::uint32_t>(view.components.size());
    point.dimension = 0;
    const Context context{"a place in [view]", true, false, true, false};
    for_members(point, [&](std::uint32_t member) {
      const Traced value = trace(syntax, context);
      if (value.size == 0) {
        throw formulas_.error(
            syntax, fmt::format("the position of `{}` must have 2 or 3 components; here stands a number", point.name));
      }
      point.dimension = static_cast<std::uint32_t>(value.parts());
      const std::vector<Expr> parts = build(syntax, context);
      for (std::size_t c = 0; c < parts.size(); ++c) {
        Observable component;
        component.name = fmt::format("{}.{}", member_name(point, member), "xyz"[c]);
        component.text = formulas_.text(syntax.kind == SyntaxKind::vector ? syntax.children[c] : syntax);
        component.term = shapes_.single(parts[c], *slots_, probe());
        view.components.push_back(std::move(component));
      }
    });
    if (view.components.size() > 3 * most_view_points) {
      throw source_.error(field.place, fmt::format("a view may have at most {} points", most_view_points));
    }
    view.points.push_back(std::move(point));
    view_positions_.push_back(syntax);
  }

  ViewAnchor view_anchor(const Syntax& syntax) {
    ViewAnchor anchor;
    const Syntax& root = syntax.kind == SyntaxKind::index ? syntax.children[0] : syntax;
    const auto known =
        root.kind == SyntaxKind::name ? vocabulary_.names.find(std::string_view(root.name)) : vocabulary_.names.end();
    if (const ViewPoint* point = root.kind == SyntaxKind::name ? view_point(root.name) : nullptr) {
      check_view_indices(*point, syntax);
      anchor.kind = ViewAnchor::Kind::view;
      anchor.index = static_cast<std::uint32_t>(point - model_.view.points.data());
      for (std::size_t k = 0; k < point->counts.size(); ++k) {
        const double index = compute_whole(syntax.children[k + 1], "an index");
        if (index < 1 || index > point->counts[k]) {
          throw formulas_.error(syntax.children[k + 1],
                                fmt::format("the index is {} here, but that of `{}` goes from 1 to {}", exact(index),
                                            point->name, point->counts[k]));
        }
        anchor.member = anchor.member * point->counts[k] + static_cast<std::uint32_t>(index) - 1;
      }
      return anchor;
    }
    if (known != vocabulary_.names.end() && known->second.kind == NameKind::body) {
      const auto [index, member] = walk_->member(syntax, bindings_);
      if (vocabulary_.bodies[index].kind != BodyKind::point) {
        throw formulas_.error(syntax, fmt::format("`{}` is a coordinate; a line goes through points. Make one of it in "
                                                  "[view.points]",
                                                  vocabulary_.bodies[index].name));
      }
      anchor.kind = ViewAnchor::Kind::body;
      anchor.index = index;
      anchor.member = member;
      return anchor;
    }
    if (root.kind == SyntaxKind::name && root.name == "origin" && known == vocabulary_.names.end()) {
      anchor.at = {0, 0, 0};
      return anchor;
    }
    if (root.kind == SyntaxKind::name && known == vocabulary_.names.end()) {
      std::vector<std::string_view> names{"origin"};
      for (const ViewPoint& point : model_.view.points) names.push_back(point.name);
      for (const Body& body : vocabulary_.bodies) names.push_back(body.name);
      for (const Parameter& parameter : vocabulary_.parameters) names.push_back(parameter.name);
      const std::string_view near = nearest(root.name, names.data(), names.size());
      throw formulas_.error(root, near.empty()
                                      ? fmt::format("no point is called `{}`", root.name)
                                      : fmt::format("no point is called `{}`; did you mean `{}`?", root.name, near));
    }
    const Traced value = compute(syntax, "a line of [view]");
    if (value.size == 0) {
      throw formulas_.error(syntax, "a line goes through points; here stands a number");
    }
    for (std::size_t c = 0; c < value.parts(); ++c) anchor.at.push_back(value.part[c].value);
    return anchor;
  }

  void add_view_line(const Field& field) {
    std::vector<Syntax> corners;
    for (const Value& item : field.value.find("through")->items) corners.push_back(formulas_.expression(item));
    std::vector<RangeSyntax> ranges;
    if (const Value* value = field.value.find("for")) ranges = formulas_.ranges(*value);
    check_indices(ranges);
    if (ranges.size() > 2) throw formulas_.error(ranges[2].offset, "a line may have at most two indices");
    for (const RangeSyntax& range : ranges) {
      if (view_point(range.name) == nullptr) continue;
      throw formulas_.error(range.offset,
                            fmt::format("`{}` is already the name of a point; take another index", range.name));
    }
    const Value* closed = field.value.find("closed");
    auto add_member = [&]() {
      ViewLine line;
      line.name = field.key;
      for (std::size_t k = 0; k < bindings_.size(); ++k) {
        line.name += fmt::format("{}{}", k == 0 ? '[' : ',', bindings_[k].value);
      }
      if (!bindings_.empty()) line.name += ']';
      line.closed = closed != nullptr && closed->number != 0;
      for (const Syntax& corner : corners) line.through.push_back(view_anchor(corner));
      model_.view.lines.push_back(std::move(line));
      if (model_.view.lines.size() > most_view_points) {
        throw source_.error(field.place, fmt::format("a view may have at most {} lines", most_view_points));
      }
    };
    for_ranges(std::span<const RangeSyntax>(ranges), add_member);
  }

  // The patterns of the whole.

  /// Every corner of every lane is a switch with modes of its own; those of the initial state stand among the constants.
  void number_switches() {
    const auto number = [&](Slotted& group) {
      group.first_switch = model_.switches;
      group.first_mode = model_.modes;
      model_.switches += static_cast<std::uint32_t>(group.corners.size()) * group.lanes;
      model_.modes += group.modes * group.lanes;
    };
    for (RowGroup& group : model_.groups) number(group);
    for (TermGroup& group : model_.terms) number(group);
    for (Observable& truth : model_.truths) number(truth.term);
    if (model_.switches == 0) return;
    const State start = initial_state(model_);
    const std::vector<double> modes = modes_of(model_, sides_of(model_, start));
    const auto store = [&](Slotted& group) {
      for (std::size_t k = 0; k < std::size_t{group.modes} * group.lanes; ++k) {
        group.constant_of[std::size_t{group.steady()} * group.lanes + k] = modes[group.first_mode + k];
      }
    };
    for (RowGroup& group : model_.groups) store(group);
    for (TermGroup& group : model_.terms) store(group);
    for (Observable& truth : model_.truths) store(truth.term);
  }

  /// Rows know their lanes, and the gradients their places in the rows' CSR pattern.
  void lay_out_gradients() {
    const std::size_t rows = model_.rows();
    model_.row_group.assign(rows, 0);
    model_.row_lane.assign(rows, 0);
    model_.row_start.assign(rows + 1, 0);
    for (std::uint32_t g = 0; g < model_.groups.size(); ++g) {
      const RowGroup& group = model_.groups[g];
      for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
        model_.row_group[group.row[lane]] = g;
        model_.row_lane[group.row[lane]] = lane;
        model_.row_start[group.row[lane] + 1] = group.holonomic ? group.positions : group.velocities;
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t next = std::uint64_t{model_.row_start[row]} + model_.row_start[row + 1];
      if (next > std::numeric_limits<std::uint32_t>::max())
        throw source_.error({1, 1}, "the conditions have too many terms");
      model_.row_start[row + 1] = static_cast<std::uint32_t>(next);
    }
    model_.row_column.resize(model_.row_start[rows]);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> columns;
    for (RowGroup& group : model_.groups) {
      const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
      const std::vector<std::uint32_t>& variable_of = group.holonomic ? group.position_of : group.velocity_of;
      group.entry_of.resize(std::size_t{slots} * group.lanes);
      for (std::size_t lane = 0; lane < group.lanes; ++lane) {
        columns.clear();
        for (std::uint32_t slot = 0; slot < slots; ++slot)
          columns.emplace_back(variable_of[slot * std::size_t{group.lanes} + lane], slot);
        std::sort(columns.begin(), columns.end());
        std::uint32_t entry = model_.row_start[group.row[lane]];
        for (const auto& [variable, slot] : columns) {
          model_.row_column[entry] = variable;
          group.entry_of[slot * std::size_t{group.lanes} + lane] = entry++;
        }
      }
    }
  }

  /// Which variables the kinetic energy couples, and that every coordinate has inertia.
  void couple_masses() {
    Joined joined(model_.variables);
    std::vector<bool> coupled(model_.variables, false);
    std::vector<bool> inert(model_.variables, false);
    for (const TermGroup& group : model_.terms) {
      if (group.kind != TermKind::kinetic) continue;
      const std::size_t fixed = group.tape.inputs.size();
      const auto vanishes = [&](std::uint32_t r) {
        return r >= fixed && r < fixed + group.tape.constants.size() && group.tape.constants[r - fixed] == 0;
      };
      std::size_t output = 1 + group.positions + group.velocities;
      for (std::size_t i = 0; i < group.velocities; ++i) {
        for (std::size_t j = i; j < group.velocities; ++j, ++output) {
          if (vanishes(group.tape.outputs[output])) continue;
          for (std::size_t lane = 0; lane < group.lanes; ++lane) {
            const std::uint32_t a = group.velocity_of[i * group.lanes + lane];
            const std::uint32_t b = group.velocity_of[j * group.lanes + lane];
            inert[a] = inert[a] || a == b;
            if (a == b) continue;
            joined.join(a, b);
            coupled[a] = coupled[b] = true;
          }
        }
      }
    }
    std::map<std::uint32_t, std::vector<std::uint32_t>> blocks;
    for (std::uint32_t k = 0; k < model_.variables; ++k) {
      if (coupled[k]) blocks[joined.find(k)].push_back(k);
      if (model_.point_mass[k] == 0 && !inert[k]) {
        throw formulas_.error(*kinetic_syntax_,
                              fmt::format("the kinetic energy gives `{}` no inertia: {}'^2 does not occur in it",
                                          variable_name(model_, k), variable_name(model_, k)));
      }
    }
    for (auto& [first, variables] : blocks) model_.mass_blocks.push_back(std::move(variables));

    // The matrix at the start must be positive definite.
    if (!kinetic_syntax_) return;
    Scratch scratch = make_scratch(model_);
    Dynamics dynamics = make_dynamics(model_);
    evaluate_dynamics(model_, initial_state(model_), scratch, dynamics);
    if (dynamics.mass_positive) return;
    throw formulas_.error(*kinetic_syntax_,
                          fmt::format("the kinetic energy is not positive for every velocity at the initial state: "
                                      "its matrix is not positive definite, see `{}`",
                                      variable_name(model_, dynamics.mass.weakest())));
  }

  const Draft::Content& content_;
  const Overrides& overrides_;
  const Source& source_;
  Formulas formulas_;
  Vocabulary vocabulary_;
  std::vector<const Value*> parameter_values_;
  std::vector<const Field*> body_fields_;
  std::vector<Binding> bindings_;
  std::optional<Syntax> kinetic_syntax_;
  std::vector<Syntax> view_positions_;
  std::uint32_t lanes_ = 0;
  Model model_;
  Shapes shapes_;

  // Numbers of parameters and indices alone.
  Slots no_slots_{0};
  Tracer number_tracer_{formulas_, no_slots_};
  Interpreter<Tracer> numbers_{formulas_, vocabulary_, number_tracer_};

  // Expressions of the state.
  std::optional<Slots> slots_;
  std::optional<Tracer> tracer_;
  std::optional<Builder> builder_;
  std::optional<Interpreter<Tracer>> walk_;
  std::optional<Interpreter<Builder>> build_;
};

}  // namespace

Model compile(const Draft& draft, const Overrides& overrides) { return Compiler(draft.content(), overrides).run(); }

}  // namespace zwang::model
