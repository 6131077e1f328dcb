/// What stands in newton_euler.hpp: the model read into vectors, and every force taken from its gradient.
#include "zwang/analysis/newton_euler.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "zwang/expressions/tidy.hpp"
#include "zwang/model/draft.hpp"
#include "zwang/model/formulas.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Function;
using expressions::RangeSyntax;
using expressions::Relation;
using expressions::Symbol;
using expressions::SymbolKind;
using model::Syntax;
using model::SyntaxKind;

namespace {

constexpr std::size_t most_members = 300;     // bodies and rows that are written one by one
constexpr std::size_t longest_formula = 600;  // letters of a condition as the language of the model has it

/// Texts of the model as vectors. The model has been compiled, so that no mistake is left in them.
class VectorReader {
 public:
  VectorReader(const model::Draft& draft, const model::Model& model, Vectors& vectors)
      : content_(draft.content()), formulas_(content_.source), model_(model), vectors_(vectors) {}

  [[nodiscard]] const model::Value* find(std::string_view table, std::string_view key = {}) const {
    const model::Value* found = content_.root.find(table);
    return found == nullptr || key.empty() ? found : found->find(key);
  }
  Quantity read(const model::Value& value) { return walk(formulas_.expression(value)); }
  model::Formulas& formulas() { return formulas_; }

  /// With these names for numbers.
  template <class Visit>
  void with(const std::vector<std::pair<std::string, double>>& numbers, const Visit& visit) {
    const std::size_t depth = bindings_.size();
    bindings_.insert(bindings_.end(), numbers.begin(), numbers.end());
    visit();
    bindings_.resize(depth);
  }
  /// For every member of some ranges.
  void for_ranges(const std::vector<RangeSyntax>& ranges, const std::function<void()>& visit, std::size_t level = 0) {
    if (level == ranges.size()) {
      visit();
      return;
    }
    const std::int64_t low = whole(ranges[level].low);
    const std::int64_t high = whole(ranges[level].high);
    for (std::int64_t k = low; k <= high; ++k) {
      with({{ranges[level].name, static_cast<double>(k)}}, [&] { for_ranges(ranges, visit, level + 1); });
    }
  }

  Quantity walk(const Syntax& s) {
    switch (s.kind) {
      case SyntaxKind::number: return number(graph().number(s.number));
      case SyntaxKind::name: return walk_name(s);
      case SyntaxKind::member: return walk_part(s, false);
      case SyntaxKind::prime: return walk_prime(s.children[0]);
      case SyntaxKind::index: return vector(direction_of(s, DirectionSort::place));
      case SyntaxKind::vector: {
        std::vector<Expr> parts;
        for (const Syntax& child : s.children) parts.push_back(walk(child).scalar);
        return vector(vectors_.fixed(parts));
      }
      case SyntaxKind::call: return walk_call(s);
      case SyntaxKind::sum_over: {
        std::optional<Quantity> out;
        const std::int64_t high = whole(s.children[1]);
        for (std::int64_t k = whole(s.children[0]); k <= high; ++k) {
          with({{s.name, static_cast<double>(k)}}, [&] { out = added(out, walk(s.children[2])); });
        }
        return out ? *out : number(graph().number(0));
      }
      case SyntaxKind::sum: {
        std::optional<Quantity> out;
        for (std::size_t k = 0; k < s.children.size(); ++k) {
          Quantity term = walk(s.children[k]);
          if (s.inverse[k]) term = negated(term);
          out = added(out, term);
        }
        return *out;
      }
      case SyntaxKind::product: return walk_product(s);
      case SyntaxKind::power: {
        const Expr base = walk(s.children[0]).scalar;
        return number(graph().power(base, walk(s.children[1]).scalar));
      }
      case SyntaxKind::negate: return negated(walk(s.children[0]));
      case SyntaxKind::compare: return walk_comparison(s);
      case SyntaxKind::both:
      case SyntaxKind::either: {
        Expr out = walk(s.children[0]).scalar;
        for (std::size_t k = 1; k < s.children.size(); ++k) {
          const Expr parts[] = {out, walk(s.children[k]).scalar};
          out = graph().apply(s.kind == SyntaxKind::both ? Function::both : Function::either, parts);
        }
        return number(out);
      }
    }
    assert(false && "every kind of syntax has a meaning");
    return {};
  }

  /// left - right, or right - left for >=.
  Quantity difference(const expressions::ConditionSyntax& condition) {
    Quantity left = walk(condition.left);
    Quantity right = walk(condition.right);
    if (condition.relation == Relation::greater_equal) std::swap(left, right);
    return *added(left, negated(right));
  }

 private:
  [[nodiscard]] expressions::Graph& graph() { return vectors_.graph; }
  static Quantity number(Expr e) { return {false, e, {}}; }
  static Quantity vector(VectorSum v) { return {true, {}, std::move(v)}; }

  Quantity negated(const Quantity& a) {
    return a.vector ? vector(vectors_.negate(a.of)) : number(graph().negate(a.scalar));
  }
  std::optional<Quantity> added(const std::optional<Quantity>& a, const Quantity& b) {
    if (!a) return b;
    // The empty sum fits everywhere.
    if (a->vector != b.vector) return a->vector ? *a : b;
    return b.vector ? vector(vectors_.add(a->of, b.of)) : number(graph().add(a->scalar, b.scalar));
  }

  std::int64_t whole(const Syntax& s) {
    const double value = expressions::evaluate(graph(), walk(s).scalar, [&](Symbol symbol) {
      const Scalar& one = vectors_.scalars[symbol.index];
      constexpr double half_turn = 3.14159265358979323846;
      return one.sort == ScalarSort::pi ? half_turn : model_.parameters[one.number].value[one.component];
    });
    return std::llround(value);
  }

  Quantity walk_name(const Syntax& s) {
    for (std::size_t k = bindings_.size(); k-- > 0;) {
      if (bindings_[k].first == s.name) return number(graph().number(bindings_[k].second));
    }
    for (std::uint32_t k = 0; k < model_.parameters.size(); ++k) {
      const model::Parameter& parameter = model_.parameters[k];
      if (parameter.name != s.name) continue;
      std::vector<Expr> parts;
      for (std::uint32_t c = 0; c < parameter.value.size(); ++c) {
        parts.push_back(vectors_.scalar({ScalarSort::parameter, {}, k, c}));
      }
      return parts.size() == 1 ? number(parts[0]) : vector(vectors_.fixed(parts));
    }
    if (s.name == "t") return number(graph().symbol({SymbolKind::time, 0}));
    if (s.name == "pi") return number(vectors_.scalar({ScalarSort::pi}));
    return vector(direction_of(s, DirectionSort::place));
  }

  OfBody member(const Syntax& s) {
    const Syntax& name = s.kind == SyntaxKind::index ? s.children[0] : s;
    OfBody out;
    while (model_.bodies[out.body].name != name.name) ++out.body;
    for (std::size_t k = 1; s.kind == SyntaxKind::index && k < s.children.size(); ++k) {
      const std::uint32_t count = model_.bodies[out.body].counts[k - 1];
      out.member = out.member * count + static_cast<std::uint32_t>(whole(s.children[k]) - 1);
    }
    return out;
  }
  [[nodiscard]] bool is_body(const Syntax& s) const {
    const Syntax& name = s.kind == SyntaxKind::index ? s.children[0] : s;
    if (name.kind != SyntaxKind::name) return false;
    const auto bound = [&](const auto& one) { return one.first == name.name; };
    if (std::any_of(bindings_.begin(), bindings_.end(), bound)) return false;
    return std::any_of(model_.bodies.begin(), model_.bodies.end(),
                       [&](const model::Body& body) { return body.name == name.name; });
  }
  VectorSum direction_of(const Syntax& s, DirectionSort sort) {
    const OfBody of = member(s);
    return vectors_.direction({sort, model_.bodies[of.body].place(), of});
  }

  /// box.x, box.corner, box.spin, box.angle, u.x.
  Quantity walk_part(const Syntax& s, bool rate) {
    static constexpr std::string_view letters = "xyz";
    const auto component = s.name.size() == 1 ? letters.find(s.name[0]) : std::string_view::npos;
    if (is_body(s.children[0])) {
      const OfBody of = member(s.children[0]);
      const model::Body& body = model_.bodies[of.body];
      if (body.kind == model::BodyKind::rigid) {
        const std::uint32_t size = body.place();
        const bool plane = size == 2;
        if (s.name == "spin") {
          return plane ? number(vectors_.scalar({ScalarSort::turn_rate, of}))
                       : vector(vectors_.direction({DirectionSort::spin, 3, of}));
        }
        if (s.name == "angle") return number(vectors_.scalar({rate ? ScalarSort::turn_rate : ScalarSort::angle, of}));
        const std::vector<model::Mark>& marks = model_.rigids[of.body].marks;
        const auto mark = std::find_if(marks.begin(), marks.end(), [&](const auto& one) { return one.name == s.name; });
        if (mark != marks.end()) {
          const auto place = static_cast<std::uint32_t>(mark - marks.begin());
          return vector(
              vectors_.direction({rate ? DirectionSort::mark_velocity : DirectionSort::mark, size, of, place}));
        }
      }
      const VectorSum whole_one = direction_of(s.children[0], rate ? DirectionSort::velocity : DirectionSort::place);
      return number(vectors_.component(whole_one, static_cast<std::uint32_t>(component)));
    }
    const Quantity of = rate ? walk_prime(s.children[0]) : walk(s.children[0]);
    return number(vectors_.component(of.of, static_cast<std::uint32_t>(component)));
  }
  Quantity walk_prime(const Syntax& s) {
    if (s.kind == SyntaxKind::member) return walk_part(s, true);
    return vector(direction_of(s, DirectionSort::velocity));
  }

  Quantity walk_product(const Syntax& s) {
    Expr factor = graph().number(1);
    std::optional<VectorSum> of;
    for (std::size_t k = 0; k < s.children.size(); ++k) {
      const Quantity value = walk(s.children[k]);
      if (value.vector) {
        of = value.of;
      } else {
        factor = s.inverse[k] ? graph().divide(factor, value.scalar) : graph().multiply(factor, value.scalar);
      }
    }
    return of ? vector(vectors_.scale(factor, *of)) : number(factor);
  }

  Quantity walk_comparison(const Syntax& s) {
    const Expr left = walk(s.children[0]).scalar;
    const Expr right = walk(s.children[1]).scalar;
    const auto truth = [&](bool from_right, Function function) {
      return graph().apply(function, from_right ? graph().subtract(right, left) : graph().subtract(left, right));
    };
    if (const bool equal = s.name == "="; equal || s.name == "!=") {
      const Function function = equal ? Function::at_least : Function::below;
      const Expr first = truth(false, function);
      const Expr parts[] = {first, truth(true, function)};
      return number(graph().apply(equal ? Function::both : Function::either, parts));
    }
    return number(truth(s.name == "<=" || s.name == ">", s.name.size() == 2 ? Function::at_least : Function::below));
  }

  /// The body's axis that a vector of its own axes is, in the fixed frame.
  VectorSum carried(OfBody of, const VectorSum& own) {
    VectorSum out = vectors_.zero(own.size);
    for (const VectorTerm& term : own.terms) {
      const std::uint32_t axis = vectors_.directions[term.direction].number;
      out =
          vectors_.add(out, vectors_.scale(term.factor, vectors_.direction({DirectionSort::axis, own.size, of, axis})));
    }
    return out;
  }

  Quantity walk_call(const Syntax& s) {
    if (s.name == "axis") {
      const OfBody of = member(s.children[0]);
      return vector(carried(of, walk(s.children[1]).of));
    }
    if (s.name == "table" || s.name == "spline") {
      std::vector<Expr> parts = {walk(s.children[0]).scalar};
      for (std::size_t k = 1; k < 3; ++k) {
        const bool list = s.children[k].kind == SyntaxKind::vector;
        if (list) {
          for (const Syntax& item : s.children[k].children) parts.push_back(walk(item).scalar);
        } else {
          const Quantity value = walk(s.children[k]);
          for (std::uint32_t c = 0; c < value.of.size; ++c) parts.push_back(vectors_.component(value.of, c));
        }
      }
      return number(graph().apply(s.name == "table" ? Function::table : Function::spline, parts));
    }
    std::vector<Quantity> arguments;
    for (const Syntax& child : s.children) arguments.push_back(walk(child));
    if (s.name == "if") {
      const auto choose = [&](Expr a, Expr b) {
        const Expr parts[] = {arguments[0].scalar, a, b};
        return graph().apply(Function::select, parts);
      };
      if (!arguments[1].vector) return number(choose(arguments[1].scalar, arguments[2].scalar));
      std::vector<Expr> parts;
      for (std::uint32_t c = 0; c < arguments[1].of.size; ++c) {
        const Expr first = vectors_.component(arguments[1].of, c);
        parts.push_back(choose(first, vectors_.component(arguments[2].of, c)));
      }
      return vector(vectors_.fixed(parts));
    }
    if (s.name == "sqrt") {
      // The length of a vector.
      const expressions::Node node = graph().node(arguments[0].scalar);
      if (node.kind == expressions::NodeKind::symbol && node.symbol.kind == SymbolKind::constant) {
        const Scalar& one = vectors_.scalars[node.symbol.index];
        if (one.sort == ScalarSort::dot && one.left == one.right) {
          const VectorSum of = one.left;
          return number(vectors_.length(of));
        }
      }
    }
    if (const expressions::FunctionInfo* info = expressions::find_function(s.name)) {
      std::vector<Expr> parts;
      for (const Quantity& argument : arguments) parts.push_back(argument.scalar);
      return number(graph().apply(info->function, parts));
    }
    if (s.name == "norm") return number(vectors_.length(arguments[0].of));
    const VectorSum& u = arguments[0].of;
    const VectorSum& v = arguments[1].of;
    if (s.name == "dot") return number(vectors_.dot(u, v));
    if (s.name == "distance") return number(vectors_.length(vectors_.add(u, vectors_.negate(v))));
    if (u.size == 2) return number(vectors_.plane_cross(u, v));
    return vector(vectors_.cross(u, v));
  }

  const model::Draft::Content& content_;
  model::Formulas formulas_;
  const model::Model& model_;
  Vectors& vectors_;
  std::vector<std::pair<std::string, double>> bindings_;
};

/// Gathers what acts.
class Gathering {
 public:
  Gathering(const model::Draft& draft, const model::Model& model)
      : model_(model), out_(model), reader_(draft, model, out_.vectors) {}

  NewtonEuler run() {
    kinetic_.push_back(number(0));
    potential_.push_back(number(0));
    add_bodies();
    add_potential();
    add_springs();
    add_conditions();
    out_.kinetic = graph().add(kinetic_);
    out_.potential = graph().add(potential_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] expressions::Graph& graph() { return out_.vectors.graph; }
  Expr number(double value) { return graph().number(value); }

  BodyEquation& equation(OfBody of) {
    return *std::find_if(out_.bodies.begin(), out_.bodies.end(), [&](const BodyEquation& one) { return one.of == of; });
  }
  void act(OfBody of, const std::string& name, const Load& load, bool reaction = false) {
    if (load.force.terms.empty() && load.torque.terms.empty() && graph().is_number(load.turn, 0)) return;
    BodyEquation& to = equation(of);
    const auto same = std::find_if(to.loads.begin(), to.loads.end(),
                                   [&](const NamedLoad& one) { return one.name == name && one.reaction == reaction; });
    if (same == to.loads.end()) {
      to.loads.push_back({name, load, reaction});
      return;
    }
    same->load.force = out_.vectors.add(same->load.force, load.force);
    same->load.torque = out_.vectors.add(same->load.torque, load.torque);
    same->load.turn = graph().add(same->load.turn, load.turn);
  }
  void act(const std::string& name, Pull& pull, bool reaction = false) {
    for (const auto& [of, load] : pull.loads()) act(of, name, load, reaction);
  }
  Load empty_load(OfBody of) {
    return {out_.vectors.zero(model_.bodies[of.body].place()), out_.vectors.zero(3), number(0)};
  }

  void add_bodies() {
    std::optional<VectorSum> gravity;
    if (const model::Value* value = reader_.find("gravity")) gravity = reader_.read(*value).of;
    for (std::uint32_t b = 0; b < model_.bodies.size(); ++b) {
      for (std::uint32_t m = 0; m < model_.bodies[b].members(); ++m) add_body({b, m}, gravity);
    }
  }

  void add_body(OfBody of, const std::optional<VectorSum>& gravity) {
    const model::Body& body = model_.bodies[of.body];
    const bool rigid = body.kind == model::BodyKind::rigid;
    const model::Value& table = *reader_.find(rigid ? "bodies" : "points", body.name);
    std::vector<std::pair<std::string, double>> index;
    std::uint32_t rest = of.member;
    for (std::size_t d = body.counts.size(); d-- > 0; rest /= body.counts[d]) {
      index.insert(index.begin(), {d == 0 ? "i" : "j", 1.0 + rest % body.counts[d]});
    }
    reader_.with(index, [&] {
      BodyEquation one;
      one.of = of;
      const model::Value* mass = table.find("mass");
      one.mass = mass != nullptr ? reader_.read(*mass).scalar
                                 : number(model_.point_mass[body.first + of.member * body.dimension]);
      const VectorSum velocity = out_.vectors.direction({DirectionSort::velocity, body.place(), of});
      const Expr square[] = {number(0.5), one.mass, out_.vectors.dot(velocity, velocity)};
      kinetic_.push_back(graph().multiply(square));
      if (rigid) add_inertia(one);
      const Expr m = one.mass;
      out_.bodies.push_back(std::move(one));
      if (gravity) {
        Load load = empty_load(of);
        load.force = out_.vectors.scale(m, *gravity);
        act(of, "gravity", load);
        const VectorSum place = out_.vectors.direction({DirectionSort::place, body.place(), of});
        potential_.push_back(graph().negate(graph().multiply(m, out_.vectors.dot(*gravity, place))));
      }
      if (const model::Value* force = table.find("force")) {
        Load load = empty_load(of);
        load.force = reader_.read(*force).of;
        act(of, "force", load);
      }
      if (const model::Value* torque = table.find("torque")) {
        Load load = empty_load(of);
        const Quantity value = reader_.read(*torque);
        if (value.vector) {
          load.torque = value.of;
        } else {
          load.turn = value.scalar;
        }
        act(of, "torque", load);
      }
    });
  }

  /// I w' + w x I w by components, and the energy of the spin.
  void add_inertia(BodyEquation& one) {
    const model::Body& body = model_.bodies[one.of.body];
    const std::vector<double>& inertia = model_.rigids[one.of.body].inertia;
    if (!body.turns()) {
      const Expr own = number(inertia[one.of.member]);
      const Expr rate = out_.vectors.scalar({ScalarSort::turn_rate, one.of});
      const Expr square[] = {number(0.5), own, rate, rate};
      kinetic_.push_back(graph().multiply(square));
      one.euler = {graph().multiply(own, out_.vectors.scalar({ScalarSort::turn_acceleration, one.of}))};
      return;
    }
    const double* own = &inertia[9 * std::size_t{one.of.member}];
    std::array<Expr, 3> w{};
    std::array<Expr, 3> rate{};
    for (std::uint32_t k = 0; k < 3; ++k) {
      w.at(k) = out_.vectors.scalar({ScalarSort::own_spin, one.of, 0, k});
      rate.at(k) = out_.vectors.scalar({ScalarSort::own_spin_rate, one.of, 0, k});
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t l = (i + 2) % 3;
      std::vector<Expr> terms;
      for (std::size_t k = 0; k < 3; ++k) terms.push_back(graph().multiply(number(own[3 * i + k]), rate.at(k)));
      // (w x I w)_i = w_j (I w)_l - w_l (I w)_j, products collected.
      for (std::size_t k = 0; k < 3; ++k) {
        const Expr more[] = {number(own[3 * l + k]), w.at(j), w.at(k)};
        terms.push_back(graph().multiply(more));
        const Expr less[] = {number(-own[3 * j + k]), w.at(l), w.at(k)};
        terms.push_back(graph().multiply(less));
        const Expr square[] = {number(own[3 * i + k] / 2), w.at(i), w.at(k)};
        kinetic_.push_back(graph().multiply(square));
      }
      one.euler.push_back(graph().add(terms));
    }
  }

  void add_potential() {
    const model::Value* value = reader_.find("energy", "potential");
    if (value == nullptr) return;
    const Expr potential = reader_.read(*value).scalar;
    potential_.push_back(potential);
    Pull pull(out_.vectors, false);
    pull.add(potential, number(-1));
    act("potential", pull);
  }

  void add_springs() {
    for (const model::Generated& one : model_.generated) {
      if (one.condition < model_.conditions.size() || one.ranges == "kinetic") continue;
      reader_.with(one.numbers, [&] {
        const Quantity value = reader_.walk(reader_.formulas().outside(one.ranges, one.formula));
        if (one.ranges == "potential") {
          potential_.push_back(value.scalar);
          Pull pull(out_.vectors, false);
          pull.add(value.scalar, number(-1));
          act(one.of, pull);
          return;
        }
        const bool torque = one.ranges.starts_with("torque ");
        const std::string name = one.ranges.substr(torque ? 7 : 6);
        for (const BodyEquation& body : std::vector<BodyEquation>(out_.bodies)) {
          if (model::member_name(model_.bodies[body.of.body], body.of.member) != name) continue;
          Load load = empty_load(body.of);
          if (!torque) {
            load.force = value.of;
          } else if (value.vector) {
            load.torque = value.of;
          } else {
            load.turn = value.scalar;
          }
          act(body.of, one.of + " damper", load);
        }
      });
    }
  }

  /// The joint to which a row belongs, or the row's own name.
  [[nodiscard]] std::string name_of(std::uint32_t row) const {
    for (const model::Joint& joint : model_.joints) {
      if (row >= joint.first_row && row < joint.first_row + joint.rows) return joint.name;
    }
    return model::row_name(model_, row);
  }

  void flush() {
    if (pull_) act(pull_name_, *pull_, true);
    pull_.reset();
  }
  void add_row(std::uint32_t row, Expr f) {
    const bool holonomic = is_holonomic(model_.row_kind[row]);
    NamedRow one{row, f, f, f};
    one.first = holonomic ? out_.vectors.rate(f) : f;
    one.second = out_.vectors.rate(one.first);
    out_.rows.push_back(one);
    // The conditions of a joint act together.
    const std::string name = name_of(row);
    if (pull_ && (pull_name_ != name || pull_speeds_ == holonomic)) flush();
    if (!pull_) pull_.emplace(out_.vectors, !holonomic);
    pull_name_ = name;
    pull_speeds_ = !holonomic;
    pull_->add(f, graph().negate(out_.vectors.scalar({ScalarSort::multiplier, {}, row})));
  }

  /// A condition whose gradients are not written out: its bodies are those whose variables it has.
  void add_unwritten(std::uint32_t row) {
    flush();
    out_.unwritten = true;
    out_.rows.push_back({row, std::nullopt, {}, {}});
    const Expr weight = graph().negate(out_.vectors.scalar({ScalarSort::multiplier, {}, row}));
    for (const BodyEquation& one : std::vector<BodyEquation>(out_.bodies)) {
      const model::Body& body = model_.bodies[one.of.body];
      const std::uint32_t first = body.first + one.of.member * body.dimension;
      bool touches = false;
      for (std::uint32_t k = model_.row_start[row]; k < model_.row_start[row + 1]; ++k) {
        touches = touches || (model_.row_column[k] >= first && model_.row_column[k] < first + body.dimension);
      }
      if (!touches) continue;
      Load load = empty_load(one.of);
      const std::uint32_t place = body.place();
      load.force = out_.vectors.scale(weight, out_.vectors.direction({DirectionSort::gradient, place, one.of, row}));
      if (body.turns()) {
        load.torque = out_.vectors.scale(weight, out_.vectors.direction({DirectionSort::turning, 3, one.of, row}));
      } else if (body.kind == model::BodyKind::rigid) {
        load.turn = graph().multiply(weight, out_.vectors.scalar({ScalarSort::turning, one.of, row}));
      }
      act(one.of, name_of(row), load, true);
    }
  }

  void add_condition(std::uint32_t number_of, const expressions::AlternativeSyntax& all,
                     const std::vector<RangeSyntax>& ranges, std::size_t letters) {
    const model::Condition& condition = model_.conditions[number_of];
    std::uint32_t row = condition.first_row;
    reader_.for_ranges(ranges, [&] {
      if (letters > longest_formula || condition.alternatives > 1) {
        add_unwritten(row);
      } else {
        std::vector<Quantity> parts;
        for (const expressions::ConditionSyntax& one : all) parts.push_back(reader_.difference(one));
        if (parts.size() > 1) {
          std::vector<Expr> values;
          for (const Quantity& part : parts) values.push_back(part.scalar);
          add_row(row, graph().apply(Function::min, values));
        } else if (parts[0].vector) {
          for (std::uint32_t c = 0; c < parts[0].of.size; ++c) add_row(row + c, out_.vectors.component(parts[0].of, c));
        } else {
          add_row(row, parts[0].scalar);
        }
      }
      row += condition.components;
    });
  }

  void add_conditions() {
    std::uint32_t next = 0;
    if (const model::Value* table = reader_.find("constraints")) {
      for (const model::Field& field : table->fields) {
        const bool long_form = field.value.kind == model::ValueKind::table;
        const model::Value& text = long_form ? *field.value.find("condition") : field.value;
        std::vector<RangeSyntax> ranges;
        if (const model::Value* value = long_form ? field.value.find("for") : nullptr)
          ranges = reader_.formulas().ranges(*value);
        add_condition(next++, reader_.formulas().alternatives(text), ranges, 0);
      }
    }
    for (const model::Generated& one : model_.generated) {
      if (one.condition >= model_.conditions.size()) continue;
      const std::string& name = model_.conditions[next].name;
      std::vector<RangeSyntax> ranges;
      if (!one.ranges.empty()) ranges = reader_.formulas().outside_ranges(name, one.ranges);
      reader_.with(one.numbers, [&] {
        add_condition(next, reader_.formulas().outside_condition(name, one.formula), ranges, one.formula.size());
      });
      ++next;
    }
    if (const model::Value* list = reader_.find("seizures")) {
      for (const model::Value& table : list->items) {
        add_condition(next++, reader_.formulas().alternatives(*table.find("condition")), {}, 0);
      }
    }
    flush();
  }

  const model::Model& model_;
  NewtonEuler out_;
  VectorReader reader_;
  std::vector<Expr> kinetic_, potential_;
  std::optional<Pull> pull_;  ///< of the conditions of one name
  std::string pull_name_;
  bool pull_speeds_ = false;
};

}  // namespace

std::optional<NewtonEuler> newton_euler(const model::Draft& draft, const model::Model& model) {
  if (model.flow || draft.content().root.find("coordinates") != nullptr) return std::nullopt;
  const model::Value* energy = draft.content().root.find("energy");
  if (energy != nullptr && energy->find("kinetic") != nullptr) return std::nullopt;
  bool rigid = false;
  std::size_t members = 0;
  for (const model::Condition& condition : model.conditions) {
    members += condition.rows / (condition.compound ? condition.components : 1);
  }
  for (const model::Body& body : model.bodies) {
    rigid = rigid || body.kind == model::BodyKind::rigid;
    members += body.members();
  }
  if (!rigid || members > most_members) return std::nullopt;
  for (const model::Condition& condition : model.conditions) {
    if (condition.law == model::Law::variational || condition.implied) return std::nullopt;
  }
  return Gathering(draft, model).run();
}

}  // namespace zwang::analysis
