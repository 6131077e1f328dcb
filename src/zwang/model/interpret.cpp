/// What an expression means: names, dimensions, vector algebra.
#include "zwang/model/interpret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <type_traits>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/model/few.hpp"
#include "zwang/model/keys.hpp"
#include "zwang/model/moving_frame.hpp"
#include "zwang/model/rationals.hpp"

namespace zwang::model {

using expressions::Function;

namespace {

constexpr std::array<std::string_view, 5> vector_functions = {"dot", "cross", "norm", "distance", "sum"};

}  // namespace

std::string_view reserved_meaning(std::string_view word) {
  if (word == "t") return "the time";
  if (word == "pi") return "the number 3.14159…";
  if (std::find(vector_functions.begin(), vector_functions.end(), word) != vector_functions.end()) return "a function";
  // Names of functions with corners are free: a function is a name followed by a parenthesis.
  const expressions::FunctionInfo* found = expressions::find_function(word);
  if (found != nullptr && !expressions::has_corners(found->function)) return "a function";
  return {};
}

// The walk.

template <class Algebra>
auto Interpreter<Algebra>::interpret(const Syntax& syntax, const Context& context, std::vector<Binding>& bindings)
    -> Result {
  context_ = context;
  bindings_ = &bindings;
  turns_ = 0;
  return walk(syntax);
}

template <class Algebra>
auto Interpreter<Algebra>::member(const Syntax& syntax, std::vector<Binding>& bindings) -> Member {
  context_ = {};
  context_.where = "an index";
  bindings_ = &bindings;
  turns_ = 0;
  if (!is_body(syntax)) {
    const NameMeaning* found = syntax.kind == SyntaxKind::name ? meaning(syntax) : nullptr;
    if (found != nullptr)
      fail(syntax, fmt::format("`{}` is a parameter; a point or coordinate is expected", syntax.name));
    if (syntax.kind == SyntaxKind::name) fail_unknown(syntax, false);
    if (syntax.kind == SyntaxKind::index && syntax.children[0].kind == SyntaxKind::name &&
        meaning(syntax.children[0]) == nullptr) {
      fail_unknown(syntax.children[0], false);
    }
    fail(syntax, "the name of a point, a member of a family or a coordinate is expected");
  }
  naming_ = true;
  const Member out = find_member(syntax);
  naming_ = false;
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk(const Syntax& s) -> Result {
  Result out;
  switch (s.kind) {
    case SyntaxKind::number: out.part[0] = algebra_.literal(s); return out;
    case SyntaxKind::name: return walk_name(s);
    case SyntaxKind::member: return walk_component(s);
    case SyntaxKind::prime: return walk_velocity(s);
    case SyntaxKind::index: {
      if (is_body(s)) return state_of(s, find_member(s), false);
      const Syntax& family = s.children[0];
      const NameMeaning* found = family.kind == SyntaxKind::name ? meaning(family) : nullptr;
      if (found != nullptr) {
        fail(s, fmt::format("`{}` is a parameter, not a family; the components of a vector are {}.x, {}.y, {}.z",
                            family.name, family.name, family.name, family.name));
      }
      if (family.kind == SyntaxKind::name) fail_unknown(family, false);
      fail(s, "only families of points or coordinates have members in brackets");
    }
    case SyntaxKind::vector: return walk_vector(s);
    case SyntaxKind::call: return walk_call(s);
    case SyntaxKind::sum_over: return walk_sum_over(s);
    case SyntaxKind::sum: return walk_sum(s);
    case SyntaxKind::product: return walk_product(s);
    case SyntaxKind::power: return walk_power(s);
    case SyntaxKind::negate: {
      const Operand<Result> term{walk(s.children[0]), true, &s.children[0]};
      return sum({&term, 1}, s);
    }
    case SyntaxKind::compare:
    case SyntaxKind::both:
    case SyntaxKind::either: fail(s, "a comparison is no number: write if(…, 1, 0)");
  }
  assert(false && "every kind of syntax has a meaning");
  return out;
}

template <class Algebra>
const Binding* Interpreter<Algebra>::bound(std::string_view name) const {
  for (std::size_t k = bindings_->size(); k-- > 0;) {
    if ((*bindings_)[k].name == name) return &(*bindings_)[k];
  }
  return nullptr;
}

template <class Algebra>
const NameMeaning* Interpreter<Algebra>::meaning(const Syntax& s) const {
  const auto found = vocabulary_.names.find(std::string_view(s.name));
  return found == vocabulary_.names.end() ? nullptr : &found->second;
}

template <class Algebra>
std::string Interpreter<Algebra>::quote(const Syntax& s) const {
  std::string text = formulas_.text(s);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return "`" + text + "`";
}

template <class Algebra>
std::string Interpreter<Algebra>::size_words(const Result& v) const {
  return v.size == 0 ? "a number" : fmt::format("a vector of {} components", v.size);
}

template <class Algebra>
void Interpreter<Algebra>::fail_unknown(const Syntax& s, bool call) const {
  // What other programs know, and is refused here with a reason.
  if (call) {
    if (const std::string_view sentence = refusal(s.name); !sentence.empty()) {
      fail(s, fmt::format("`{}`: {}", s.name, sentence));
    }
  }
  std::vector<std::string_view> known;
  if (!call) {
    for (const Binding& binding : *bindings_) known.push_back(binding.name);
    for (const auto& [name, what] : vocabulary_.names) known.push_back(name);
    known.emplace_back("pi");
    if (context_.time) known.emplace_back("t");
    std::sort(known.begin(), known.end());
  } else {
    for (const std::string_view name : expressions::function_names()) known.push_back(name);
    known.insert(known.end(), vector_functions.begin(), vector_functions.end());
    known.emplace_back("axis");
  }
  std::string_view near = nearest(s.name, known.data(), known.size());
  // The names that other programs and books have for them.
  constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
      {"ln", "log"},       {"length", "norm"}, {"magnitude", "norm"}, {"len", "norm"},      {"dist", "distance"},
      {"arcsin", "asin"},  {"arccos", "acos"}, {"arctan", "atan"},    {"arctan2", "atan2"}, {"root", "sqrt"},
      {"absolute", "abs"}, {"clamp", "clip"},  {"saturate", "clip"},  {"lookup", "table"},  {"interp", "table"},
      {"inner", "dot"},    {"modulo", "mod"}};
  for (const auto& [name, ours] : elsewhere) {
    if (call && s.name == name) near = ours;
  }
  const std::string_view what = call ? "there is no function" : "nothing here is called";
  if (!near.empty()) fail(s, fmt::format("{} `{}`; did you mean `{}`?", what, s.name, near));
  if (call) fail(s, fmt::format("{} `{}`; the functions are {}", what, s.name, joined(known, " ")));
  fail(s, fmt::format("{} `{}`", what, s.name));
}

template <class Algebra>
bool Interpreter<Algebra>::is_body(const Syntax& s) const {
  const Syntax& root = s.kind == SyntaxKind::index ? s.children[0] : s;
  if (root.kind != SyntaxKind::name || bound(root.name) != nullptr) return false;
  const NameMeaning* found = meaning(root);
  return found != nullptr && found->kind == NameKind::body;
}

template <class Algebra>
auto Interpreter<Algebra>::find_member(const Syntax& s) -> Member {
  const Syntax& root = s.kind == SyntaxKind::index ? s.children[0] : s;
  const NameMeaning* found = meaning(root);
  const Body& body = vocabulary_.bodies[found->index];
  const std::string_view kind = words(body.kind);
  Member out{found->index, 0};
  if (!context_.positions && !naming_) {
    fail(s, fmt::format("`{}` is a {}; only numbers, parameters and indices may stand in {}", body.name, kind,
                        context_.where));
  }

  // A single body has no members, a family only members.
  if (s.kind != SyntaxKind::index) {
    if (body.counts.empty()) return out;
    const std::string_view indices = body.counts.size() == 1 ? "i" : "i,j";
    fail(s, fmt::format("`{}` is a family of {} {}s: write a member, {}[{}]", body.name, body.members(),
                        kind == "body" ? "bodie" : kind, body.name, indices));
  }
  if (body.counts.empty()) fail(s, fmt::format("`{}` is a single {}; it has no members", body.name, kind));
  if (s.children.size() - 1 != body.counts.size()) {
    fail(s, fmt::format("`{}` has {}, here stand {}", body.name, body.counts.size() == 1 ? "one index" : "two indices",
                        s.children.size() - 1));
  }
  for (std::size_t k = 0; k < body.counts.size(); ++k) {
    const Syntax& index = s.children[k + 1];
    const double value = whole(index, "an index");
    if (value < 1 || value > body.counts[k]) {
      std::string where;
      for (const Binding& binding : *bindings_) {
        where += fmt::format("{}{} = {}", where.empty() ? " for " : ", ", binding.name, exact(binding.value));
      }
      const std::string_view which = body.counts.size() == 1 ? "index" : k == 0 ? "first index" : "second index";
      fail(index, fmt::format("{} is {} here{}, but the {} of `{}` goes from 1 to {}", quote(index), exact(value),
                              where, which, body.name, body.counts[k]));
    }
    out.member = out.member * body.counts[k] + static_cast<std::uint32_t>(value) - 1;
  }
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::component_of(const Syntax& s, Member m, std::size_t component, bool velocity) -> Scalar {
  const Body& body = vocabulary_.bodies[m.body];
  if (velocity && !context_.velocities) fail(s, fmt::format("velocities cannot occur in {}", context_.where));
  const std::uint32_t variable = body.first + m.member * body.dimension + static_cast<std::uint32_t>(component);
  return velocity ? algebra_.velocity(variable) : algebra_.position(variable);
}

template <class Algebra>
auto Interpreter<Algebra>::state_of(const Syntax& s, Member m, bool velocity) -> Result {
  const Body& body = vocabulary_.bodies[m.body];
  Result out;
  out.size = static_cast<std::uint8_t>(body.place());
  for (std::size_t k = 0; k < out.parts(); ++k) out.part[k] = component_of(s, m, k, velocity);
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_name(const Syntax& s) -> Result {
  Result out;
  if (const Binding* binding = bound(s.name)) {
    out.part[0] = algebra_.number(binding->value, Made::indexed);
    return out;
  }
  if (const NameMeaning* found = meaning(s)) {
    if (found->kind == NameKind::body) return state_of(s, find_member(s), false);
    const std::vector<double>& value = vocabulary_.parameters[found->index].value;
    out.size = value.size() == 1 ? std::uint8_t{0} : static_cast<std::uint8_t>(value.size());
    for (std::size_t k = 0; k < value.size(); ++k) out.part[k] = algebra_.parameter(found->index, k, value[k]);
    return out;
  }
  if (s.name == "t") {
    if (!context_.time) fail(s, fmt::format("the time t cannot occur in {}", context_.where));
    out.part[0] = algebra_.time();
    return out;
  }
  if (s.name == "pi") {
    out.part[0] = algebra_.pi(s);
    return out;
  }
  if (!reserved_meaning(s.name).empty() || expressions::find_function(s.name) != nullptr) {
    fail(s, fmt::format("`{}` is a function: write {}(…)", s.name, s.name));
  }
  fail_unknown(s, false);
}

template <class Algebra>
std::size_t Interpreter<Algebra>::component(const Syntax& s, std::size_t size) const {
  const std::size_t k = s.name == "x" ? 0 : s.name == "y" ? 1 : s.name == "z" ? 2 : 3;
  if (k == 3) {
    Syntax behind_point = s;
    behind_point.offset += s.length - std::min(s.length, s.name.size());
    fail(behind_point, fmt::format("there is no component `.{}`: components are .x, .y and .z", s.name));
  }
  if (k >= size) {
    fail(s, fmt::format("{} has no component `.{}`: it has {} components", quote(s.children[0]), s.name, size));
  }
  return k;
}

template <class Algebra>
auto Interpreter<Algebra>::part_of_rigid(const Syntax& s, Member m, bool velocity) -> Result {
  const Body& body = vocabulary_.bodies[m.body];
  const auto own = [&](std::size_t k, bool rate) { return component_of(s, m, k, rate); };
  MovingFrame frame(algebra_, s, body, own);
  if (s.name == "spin") {
    if (velocity) fail(s, "accelerations cannot be used: conditions and forces are of time, positions and velocities");
    return frame.spin();
  }
  if (s.name == "angle") {
    if (body.turns()) {
      fail(s,
           fmt::format("a body in space has no single angle: how `{}` is turned is seen by a vector it carries along, "
                       "axis({}, [0, 0, 1])",
                       body.name, body.name));
    }
    Result out;
    out.part[0] = own(2, velocity);
    return out;
  }
  for (const Mark& mark : vocabulary_.rigids[m.body].marks) {
    if (mark.name != s.name) continue;
    Result r;
    r.size = static_cast<std::uint8_t>(body.place());
    // Like numbers of an index, so that bodies of one build share their tapes.
    for (std::size_t c = 0; c < r.size; ++c) {
      r.part[c] = algebra_.number(mark.at[m.member * r.size + c], Made::indexed);
    }
    return velocity ? frame.velocity(r) : frame.place(r);
  }
  const std::size_t k = s.name == "x" ? 0 : s.name == "y" ? 1 : s.name == "z" ? 2 : 3;
  if (k >= body.place()) {
    std::vector<std::string_view> known = {"x", "y", body.turns() ? "z" : "angle", "spin"};
    for (const Mark& mark : vocabulary_.rigids[m.body].marks) known.push_back(mark.name);
    fail(s, fmt::format("`{}` has no mark or component `.{}`; it has {}", body.name, s.name, joined(known, ", ")));
  }
  Result out;
  out.part[0] = own(k, velocity);
  return out;
}

/// axis(box, u): u in the body's axes, seen from outside.
template <class Algebra>
auto Interpreter<Algebra>::walk_axis(const Syntax& s) -> Result {
  require_arguments(s, 2);
  const Syntax& of = s.children[0];
  if (!is_body(of)) fail(of, fmt::format("axis(body, vector) takes a body of [bodies] first; {} is none", quote(of)));
  const Member m = find_member(of);
  const Body& body = vocabulary_.bodies[m.body];
  if (body.kind != BodyKind::rigid) {
    fail(of, fmt::format("axis(body, vector) takes a body of [bodies] first; {} is a {}", quote(of), words(body.kind)));
  }
  const Result u = vector_argument(s, 1);
  if (u.size != body.place()) {
    fail(s.children[1],
         fmt::format("{} is {}, and `{}` has {} axes", quote(s.children[1]), size_words(u), body.name, body.place()));
  }
  const auto own = [&](std::size_t k, bool rate) { return component_of(s, m, k, rate); };
  return MovingFrame(algebra_, s, body, own).turned(u);
}

template <class Algebra>
auto Interpreter<Algebra>::walk_component(const Syntax& s) -> Result {
  const Syntax& inner = s.children[0];
  Result out;

  // Of a point or its velocity only the component that is asked for gets a slot.
  const bool velocity = inner.kind == SyntaxKind::prime;
  const Syntax& root = velocity ? inner.children[0] : inner;
  if (is_body(root)) {
    const Member m = find_member(root);
    const Body& body = vocabulary_.bodies[m.body];
    if (body.kind == BodyKind::coordinate) {
      fail(s, fmt::format("`{}` is a coordinate, a number; it has no components", body.name));
    }
    if (body.kind == BodyKind::rigid) return part_of_rigid(s, m, velocity);
    out.part[0] = component_of(s, m, component(s, body.dimension), velocity);
    return out;
  }
  const Result vector = walk(inner);
  if (vector.size == 0) fail(s, fmt::format("{} is a number; it has no component `.{}`", quote(inner), s.name));
  out.part[0] = vector.part[component(s, vector.size)];
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_velocity(const Syntax& s) -> Result {
  const Syntax& inner = s.children[0];
  if (is_body(inner)) return state_of(s, find_member(inner), true);
  if (inner.kind == SyntaxKind::member && is_body(inner.children[0])) {
    const Member m = find_member(inner.children[0]);
    const Body& body = vocabulary_.bodies[m.body];
    if (body.kind == BodyKind::coordinate) {
      fail(s, fmt::format("`{}` is a coordinate, a number; it has no components", body.name));
    }
    if (body.kind == BodyKind::rigid) return part_of_rigid(inner, m, true);
    Result out;
    out.part[0] = component_of(s, m, component(inner, body.dimension), true);
    return out;
  }
  // A component of a mark: box.corner.x'.
  if (inner.kind == SyntaxKind::member && inner.children[0].kind == SyntaxKind::member &&
      is_body(inner.children[0].children[0])) {
    const Syntax& mark = inner.children[0];
    const Member m = find_member(mark.children[0]);
    if (vocabulary_.bodies[m.body].kind == BodyKind::rigid) {
      const Result vector = part_of_rigid(mark, m, true);
      if (vector.size == 0)
        fail(inner, fmt::format("{} is a number; it has no component `.{}`", quote(mark), inner.name));
      Result out;
      out.part[0] = vector.part[component(inner, vector.size)];
      return out;
    }
  }

  // Everything else has no velocity; say why.
  if (inner.kind == SyntaxKind::prime) {
    fail(s, "accelerations cannot be used: conditions and forces are of time, positions and velocities");
  }
  if (inner.kind == SyntaxKind::name) {
    if (bound(inner.name) != nullptr) fail(s, fmt::format("`{}` is an index; it has no velocity", inner.name));
    if (meaning(inner) != nullptr) fail(s, fmt::format("`{}` is a parameter; it has no velocity", inner.name));
    if (inner.name == "t") fail(s, "the velocity of the time t is 1: write 1");
    fail_unknown(inner, false);
  }
  walk(inner);
  fail(s, fmt::format("the velocity sign ' belongs to a point or a coordinate; {} is an expression: write its velocity "
                      "out, such as a' - b'",
                      quote(inner)));
}

template <class Algebra>
auto Interpreter<Algebra>::scalar(const Syntax& s, std::string_view what) -> Scalar {
  const Result value = walk(s);
  if (value.size != 0) fail(s, fmt::format("{} must be a number; {} is {}", what, quote(s), size_words(value)));
  return value.part[0];
}

template <class Algebra>
double Interpreter<Algebra>::whole(const Syntax& s, std::string_view what) {
  const Scalar value = scalar(s, what);
  if (value.made == Made::state) fail(s, fmt::format("{} cannot depend on positions, velocities or time", what));
  const double number = algebra_.value(value);
  const double rounded = std::round(number);
  if (!(std::abs(number - rounded) <= nearly_whole * std::max(1.0, std::abs(number))) ||
      std::abs(number) > largest_whole) {
    fail(s, fmt::format("{} must be a whole number; {} is {}", what, quote(s), exact(number)));
  }
  return rounded;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_vector(const Syntax& s) -> Result {
  if (s.children.size() != 2 && s.children.size() != 3) {
    fail(s, fmt::format("a vector has 2 or 3 components, here stand {}", s.children.size()));
  }
  Result out;
  out.size = static_cast<std::uint8_t>(s.children.size());
  for (std::size_t k = 0; k < s.children.size(); ++k) out.part[k] = scalar(s.children[k], "a component");
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::sum(std::span<const Operand<Result>> terms, const Syntax& s) -> Result {
  // All of one dimension; the empty sum fits everywhere.
  Result out;
  const Operand<Result>* first = nullptr;
  for (const Operand<Result>& term : terms) {
    if (term.value.empty) continue;
    if (first == nullptr) {
      first = &term;
      out.size = term.value.size;
      continue;
    }
    if (term.value.size == out.size) continue;
    const Operand<Result>& number = term.value.size == 0 ? term : *first;
    const bool zero =
        number.value.size == 0 && number.value.part[0].made == Made::plain && algebra_.value(number.value.part[0]) == 0;
    const std::size_t size = std::max(term.value.size, out.size);
    fail(*term.source,
         fmt::format("{} is {} and {} is {}: they cannot be added, subtracted or compared{}", quote(*first->source),
                     size_words(first->value), quote(*term.source), size_words(term.value),
                     zero ? (size == 2 ? "; the vector zero is [0, 0]" : "; the vector zero is [0, 0, 0]") : ""));
  }
  out.empty = first == nullptr;
  Few<Operand<Scalar>> operands(terms.size());
  for (std::size_t c = 0; c < out.parts(); ++c) {
    std::size_t count = 0;
    for (const Operand<Result>& term : terms) {
      if (!term.value.empty) operands[count++] = {term.value.part[c], term.inverse, term.source};
    }
    out.part[c] = algebra_.sum(operands.span().first(count), s);
  }
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_sum(const Syntax& s) -> Result {
  Few<Operand<Result>> terms(s.children.size());
  for (std::size_t k = 0; k < s.children.size(); ++k) terms[k] = {walk(s.children[k]), s.inverse[k], &s.children[k]};
  return sum(terms.span(), s);
}

template <class Algebra>
auto Interpreter<Algebra>::walk_product(const Syntax& s) -> Result {
  Few<Operand<Scalar>> factors(s.children.size() + 1);
  std::size_t count = 0;
  Result vector;
  const Syntax* vector_source = nullptr;
  for (std::size_t k = 0; k < s.children.size(); ++k) {
    const Result value = walk(s.children[k]);
    if (value.size == 0) {
      factors[count++] = {value.part[0], s.inverse[k], &s.children[k]};
      continue;
    }
    if (s.inverse[k]) fail(s.children[k], fmt::format("{} is a vector; one cannot divide by it", quote(s.children[k])));
    if (vector_source != nullptr) {
      fail(s.children[k], fmt::format("{} and {} are vectors: their product is dot(u, v) or cross(u, v)",
                                      quote(*vector_source), quote(s.children[k])));
    }
    vector = value;
    vector_source = &s.children[k];
  }

  // A number, or every component of the one vector times the numbers.
  if (vector_source == nullptr) {
    vector.part[0] = algebra_.product(factors.span().first(count), s);
    return vector;
  }
  for (std::size_t c = 0; c < vector.size; ++c) {
    factors[count] = {vector.part[c], false, vector_source};
    vector.part[c] = algebra_.product(factors.span().first(count + 1), s);
  }
  return vector;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_power(const Syntax& s) -> Result {
  const Result base = walk(s.children[0]);
  if (base.size != 0) {
    fail(s, fmt::format("{} is a vector and has no powers; its square is dot(u, u)", quote(s.children[0])));
  }
  const Scalar exponent = scalar(s.children[1], "an exponent");
  Result out;
  out.part[0] = algebra_.power(base.part[0], exponent, s);
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_sum_over(const Syntax& s) -> Result {
  if (bound(s.name) != nullptr) fail(s, fmt::format("`{}` is already an index here; take another letter", s.name));
  if (const NameMeaning* found = meaning(s)) {
    fail(s, fmt::format("`{}` is already the name of a {} (line {}); take another index", s.name,
                        found->kind == NameKind::parameter ? "parameter" : words(vocabulary_.bodies[found->index].kind),
                        found->place.line));
  }
  if (const std::string_view what = reserved_meaning(s.name); !what.empty()) {
    fail(s, fmt::format("`{}` is {}; take another index", s.name, what));
  }
  const double low = whole(s.children[0], "the lower bound of a sum");
  const double high = whole(s.children[1], "the upper bound of a sum");
  const double count = std::max(0.0, high - low + 1);
  turns_ += static_cast<std::size_t>(std::min(count, 2.0 * most_turns));
  constexpr bool formula = std::is_same_v<Algebra, Builder>;
  if (turns_ > (formula ? most_terms : most_turns)) {
    fail(s,
         formula
             ? fmt::format("this sum is too long: the sums of one formula of the state may have {} terms", most_terms)
             : fmt::format("this sum is too long: one expression may take {} turns in all its sums", most_turns));
  }

  // Unroll.
  std::vector<Operand<Result>> terms;
  terms.reserve(static_cast<std::size_t>(count));
  bindings_->push_back({s.name, low});
  for (double index = low; index <= high; ++index) {
    bindings_->back().value = index;
    terms.push_back({walk(s.children[2]), false, &s.children[2]});
  }
  bindings_->pop_back();
  algebra_.shape(count);
  return sum(terms, s);
}

template <class Algebra>
void Interpreter<Algebra>::require_arguments(const Syntax& s, std::size_t count) const {
  if (s.children.size() == count) return;
  fail(s,
       fmt::format("{} takes {} argument{}, here stand {}", s.name, count, count == 1 ? "" : "s", s.children.size()));
}

template <class Algebra>
auto Interpreter<Algebra>::vector_argument(const Syntax& call, std::size_t k) -> Result {
  const Result value = walk(call.children[k]);
  if (value.size == 0 && !value.empty) {
    fail(call.children[k], fmt::format("{} takes vectors; {} is a number", call.name, quote(call.children[k])));
  }
  return value;
}

template <class Algebra>
auto Interpreter<Algebra>::dot(const Result& u, const Result& v, const Syntax& s) -> Scalar {
  std::array<Operand<Scalar>, 3> terms;
  for (std::size_t c = 0; c < u.size; ++c) {
    const std::array<Operand<Scalar>, 2> factors = {Operand<Scalar>{u.part[c], false, &s},
                                                    Operand<Scalar>{v.part[c], false, &s}};
    terms[c] = {algebra_.product(factors, s), false, &s};
  }
  return algebra_.sum(std::span(terms).first(u.size), s);
}

template <class Algebra>
auto Interpreter<Algebra>::walk_call(const Syntax& s) -> Result {
  if (const expressions::FunctionInfo* info = expressions::find_function(s.name)) return walk_elementary(s, *info);
  Result out;
  if (s.name == "norm") {
    require_arguments(s, 1);
    const Result u = vector_argument(s, 0);
    const std::array<Scalar, 1> square = {dot(u, u, s)};
    out.part[0] = algebra_.apply(Function::sqrt, square, s);
    return out;
  }
  if (s.name == "axis" && meaning(s) == nullptr) return walk_axis(s);
  const bool distance = s.name == "distance";
  const bool cross = s.name == "cross";
  if (!distance && !cross && s.name != "dot") {
    if (!reserved_meaning(s.name).empty()) fail(s, "a sum is written sum(i = 1..n, …)");
    const NameMeaning* found = meaning(s);
    if (found != nullptr) {
      fail(s, fmt::format(
                  "`{}` is the name of a {}, not a function; write * for a product", s.name,
                  found->kind == NameKind::parameter ? "parameter" : words(vocabulary_.bodies[found->index].kind)));
    }
    fail_unknown(s, true);
  }

  // Two vectors of one dimension.
  require_arguments(s, 2);
  const Result u = vector_argument(s, 0);
  const Result v = vector_argument(s, 1);
  if (u.size != v.size) {
    fail(s.children[1], fmt::format("{} is {} and {} is {}: {} needs two vectors of one dimension",
                                    quote(s.children[0]), size_words(u), quote(s.children[1]), size_words(v), s.name));
  }
  if (distance) {
    const std::array<Operand<Result>, 2> difference = {Operand<Result>{u, false, &s.children[0]},
                                                       Operand<Result>{v, true, &s.children[1]}};
    const Result w = sum(difference, s);
    const std::array<Scalar, 1> square = {dot(w, w, s)};
    out.part[0] = algebra_.apply(Function::sqrt, square, s);
    return out;
  }
  if (!cross) {
    out.part[0] = dot(u, v, s);
    return out;
  }
  const auto minor = [&](std::size_t a, std::size_t b) {
    const std::array<Operand<Scalar>, 2> left = {Operand<Scalar>{u.part[a], false, &s},
                                                 Operand<Scalar>{v.part[b], false, &s}};
    const std::array<Operand<Scalar>, 2> right = {Operand<Scalar>{u.part[b], false, &s},
                                                  Operand<Scalar>{v.part[a], false, &s}};
    const Scalar first = algebra_.product(left, s);
    const Scalar second = algebra_.product(right, s);
    const std::array<Operand<Scalar>, 2> terms = {Operand<Scalar>{first, false, &s}, Operand<Scalar>{second, true, &s}};
    return algebra_.sum(terms, s);
  };
  if (u.size == 2) {
    out.part[0] = minor(0, 1);
    return out;
  }
  out.size = 3;
  out.part[0] = minor(1, 2);
  out.part[1] = minor(2, 0);
  out.part[2] = minor(0, 1);
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::interpret_truth(const Syntax& syntax, const Context& context, std::vector<Binding>& bindings)
    -> Scalar {
  context_ = context;
  bindings_ = &bindings;
  turns_ = 0;
  return walk_truth(syntax);
}

/// l <= r is r - l >= 0, l < r is l - r < 0, and so on.
template <class Algebra>
auto Interpreter<Algebra>::walk_truth(const Syntax& s) -> Scalar {
  if (s.kind == SyntaxKind::both || s.kind == SyntaxKind::either) {
    const Function function = s.kind == SyntaxKind::both ? Function::both : Function::either;
    Scalar out = walk_truth(s.children[0]);
    for (std::size_t k = 1; k < s.children.size(); ++k) {
      const std::array<Scalar, 2> parts = {out, walk_truth(s.children[k])};
      out = algebra_.apply(function, parts, s);
    }
    return out;
  }
  assert(s.kind == SyntaxKind::compare);
  std::array<Operand<Scalar>, 2> difference;
  for (std::size_t k = 0; k < 2; ++k) {
    const Result value = walk(s.children[k]);
    if (value.size != 0) {
      fail(s.children[k], fmt::format("{} is {}: vectors are not smaller or larger than each other",
                                      quote(s.children[k]), size_words(value)));
    }
    difference[k] = {value.part[0], false, &s.children[k]};
  }
  const auto truth = [&](bool from_right, Function function) {
    difference[0].inverse = from_right;
    difference[1].inverse = !from_right;
    const std::array<Scalar, 1> g = {algebra_.sum(difference, s)};
    return algebra_.apply(function, g, s);
  };
  if (const bool equal = s.name == "="; equal || s.name == "!=") {
    if (difference[0].value.made == Made::state || difference[1].value.made == Made::state) {
      fail(s,
           "write `<=` or `>=`: that two numbers of a motion are equal is true at instants alone; parameters and "
           "indices can be equal");
    }
    const Function function = equal ? Function::at_least : Function::below;
    const std::array<Scalar, 2> parts = {truth(false, function), truth(true, function)};
    return algebra_.apply(equal ? Function::both : Function::either, parts, s);
  }
  return truth(s.name == "<=" || s.name == ">",
               s.name == "<=" || s.name == ">=" ? Function::at_least : Function::below);
}

template <class Algebra>
auto Interpreter<Algebra>::walk_choice(const Syntax& s) -> Result {
  require_arguments(s, 3);
  const bool poles = algebra_.permit_poles(true);
  const Scalar truth = walk_truth(s.children[0]);
  algebra_.permit_poles(poles);
  if (truth.made != Made::state) {
    // Known beforehand: the other branch need not have a value.
    if (truth.made == Made::indexed) algebra_.shape(algebra_.value(truth));
    return walk(s.children[algebra_.value(truth) != 0 ? 1 : 2]);
  }
  if (!context_.corners)
    fail(s, fmt::format("{} has no corners: `if` of the state cannot stand in it", context_.where));
  const bool finite = algebra_.require_finite(false);
  const Result yes = walk(s.children[1]);
  const Result no = walk(s.children[2]);
  algebra_.require_finite(finite);
  if (yes.size != no.size) {
    fail(s.children[2], fmt::format("{} is {} and {} is {}: both values of `if` are of one dimension",
                                    quote(s.children[1]), size_words(yes), quote(s.children[2]), size_words(no)));
  }
  Result out;
  out.size = yes.size;
  for (std::size_t c = 0; c < yes.parts(); ++c) {
    const std::array<Scalar, 3> parts = {truth, yes.part[c], no.part[c]};
    out.part[c] = algebra_.apply(Function::select, parts, s);
  }
  return out;
}

/// A function given by points: `table(x, [x0, x1, ...], [y0, y1, ...])`.
template <class Algebra>
auto Interpreter<Algebra>::walk_points(const Syntax& s, Function function) -> Result {
  require_arguments(s, 3);
  const Scalar x = scalar(s.children[0], fmt::format("the argument of {}", s.name));
  std::array<std::vector<double>, 2> lists;
  for (std::size_t which = 0; which < 2; ++which) {
    const Syntax& list = s.children[which + 1];
    std::vector<Scalar> numbers;
    if (list.kind == SyntaxKind::vector) {
      for (const Syntax& item : list.children) numbers.push_back(scalar(item, "a point of the table"));
    } else {
      const Result value = walk(list);
      if (value.size == 0)
        fail(list, fmt::format("{} takes two lists of numbers: {}(x, [0, 1], [2, 3])", s.name, s.name));
      numbers.assign(value.part.begin(), value.part.begin() + static_cast<std::ptrdiff_t>(value.size));
    }
    for (const Scalar& number : numbers) {
      if (number.made == Made::state) {
        fail(list,
             fmt::format("the points of a {} are numbers; positions, velocities and t cannot stand in them", s.name));
      }
      if (number.made == Made::indexed) algebra_.shape(algebra_.value(number));
      lists[which].push_back(algebra_.value(number));
    }
  }
  if (lists[0].size() != lists[1].size()) {
    fail(s, fmt::format("{} needs as many values as places; here stand {} and {}", s.name, lists[1].size(),
                        lists[0].size()));
  }
  if (lists[0].size() < 2) fail(s, fmt::format("{} needs two points or more", s.name));
  for (std::size_t k = 1; k < lists[0].size(); ++k) {
    if (lists[0][k] > lists[0][k - 1]) continue;
    fail(s.children[1], fmt::format("the places of a {} must rise: {} is followed by {}", s.name,
                                    exact(lists[0][k - 1]), exact(lists[0][k])));
  }
  if (!context_.corners && x.made == Made::state) {
    fail(s, fmt::format("{} has no corners: `{}` of the state cannot stand in it", context_.where, s.name));
  }
  std::vector<Scalar> arguments = {x};
  for (const std::vector<double>& list : lists) {
    for (const double number : list) arguments.push_back(algebra_.number(number));
  }
  Result out;
  out.part[0] = algebra_.apply(function, arguments, s);
  return out;
}

template <class Algebra>
auto Interpreter<Algebra>::walk_elementary(const Syntax& s, const expressions::FunctionInfo& info) -> Result {
  if (info.function == Function::select) return walk_choice(s);
  if (info.function == Function::table || info.function == Function::spline) return walk_points(s, info.function);
  if (info.arguments >= 0) {
    require_arguments(s, static_cast<std::size_t>(info.arguments));
  } else if (s.children.size() < 2) {
    fail(s, fmt::format("{} takes two arguments or more, here stand {}", s.name, s.children.size()));
  }
  Few<Scalar> arguments(s.children.size());
  for (std::size_t k = 0; k < s.children.size(); ++k) {
    const Result value = walk(s.children[k]);
    if (value.size != 0) {
      fail(s.children[k],
           fmt::format("{} takes {}; {} is {}{}", s.name, info.arguments == 1 ? "a number" : "numbers",
                       quote(s.children[k]), size_words(value), s.name == "abs" ? ": its length is norm(u)" : ""));
    }
    arguments[k] = value.part[0];
    if (!context_.corners && expressions::has_corners(info.function) && value.part[0].made == Made::state) {
      fail(s, fmt::format("{} has no corners: `{}` of the state cannot stand in it", context_.where, s.name));
    }
  }
  Result out;
  out.part[0] = algebra_.apply(info.function, arguments.span(), s);
  if constexpr (std::is_same_v<Algebra, Builder>) {
    if (context_.corners && out.part[0].made == Made::state) algebra_.bend(out.part[0]);
  }
  return out;
}

template class Interpreter<Tracer>;
template class Interpreter<Builder>;
template class Interpreter<Rationals>;

}  // namespace zwang::model
