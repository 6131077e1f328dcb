/// What stands in compilation.hpp.
#include "zwang/model/compile/compilation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "zwang/base/number.hpp"

namespace zwang::model {

void Compilation::know_state() {
  slots.emplace(model.variables);
  tracer.emplace(formulas, *slots);
  tracer->set_state(model.simulation.start, &model.initial_position, &model.initial_velocity);
  builder.emplace(shapes.graph(), *slots);
  tracing.emplace(formulas, vocabulary, *tracer);
  building.emplace(formulas, vocabulary, *builder);
  if (!journal.reads() && !journal.writes()) return;
  tracer->set_numbers(&numbers_here);
  before_state = formulas.end();
  journal.note(std::uint64_t{model.variables});
  for (const Body& body : vocabulary.bodies) {
    journal.note(std::uint64_t{body.first});
    journal.note(std::uint64_t{body.dimension});
    for (const std::uint32_t count : body.counts) journal.note(std::uint64_t{count});
  }
  journal.open(shapes);
}

const Value* Compilation::find(std::string_view table, std::string_view key) const {
  const Value* found = content.root.find(table);
  return found == nullptr || key.empty() ? found : found->find(key);
}

Traced Compilation::compute(const Syntax& syntax, std::string_view where) {
  Context context;
  context.where = where;
  return numbers.interpret(syntax, context, bindings);
}
double Compilation::compute_number(const Syntax& syntax, std::string_view where) {
  const Traced value = compute(syntax, where);
  if (value.size != 0) throw formulas.error(syntax, fmt::format("{} is a number; here stands a vector", where));
  return value.part[0].value;
}
double Compilation::compute_number(const Value& value, std::string_view where) {
  return compute_number(formulas.expression(value), where);
}
void Compilation::note_doubt(std::vector<Doubt>& doubts, std::size_t variable, double value, double error) {
  if (error > digits_lost * std::abs(value)) doubts.push_back({static_cast<std::uint32_t>(variable), error});
}

namespace {

constexpr std::ptrdiff_t digits_of_a_double = 15;  ///< fewer have been chosen by somebody

/// Of a small number: does its shortest text need all of them?
bool has_all_digits(double value) {
  const std::string text = exact(value);
  const auto end = std::find_if(text.begin(), text.end(), [](char c) { return c == 'e' || c == 'E'; });
  const auto begin = std::find_if(text.begin(), end, [](char c) { return c >= '1' && c <= '9'; });
  return std::count_if(begin, end, [](char c) { return c >= '0' && c <= '9'; }) >= digits_of_a_double;
}

}  // namespace

void Compilation::note_doubts(std::vector<Doubt>& doubts, std::size_t first, std::span<const Tracer::Scalar> parts) {
  double largest = 0;
  for (const Tracer::Scalar& part : parts) largest = std::max(largest, std::abs(part.value));
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const double value = parts[c].value;
    const bool computed = value != 0 && std::abs(value) <= number_rounding * largest &&
                          parts[c].error <= digits_lost * std::abs(value) && has_all_digits(value);
    if (computed) {
      note_doubt(doubts, first + c, value, number_rounding * largest);
    } else {
      note_doubt(doubts, first + c, parts[c]);
    }
  }
}

double Compilation::compute_whole(const Syntax& syntax, std::string_view where) {
  const double value = compute_number(syntax, where);
  if (std::abs(value - std::round(value)) > nearly_whole * std::max(1.0, std::abs(value)) ||
      std::abs(value) > largest_whole) {
    throw formulas.error(
        syntax, fmt::format("{} must be a whole number; `{}` is {}", where, formulas.text(syntax), exact(value)));
  }
  return std::round(value);
}

std::vector<std::uint32_t> Compilation::read_counts(const Value& value) {
  std::vector<std::uint32_t> out;
  const Syntax syntax = formulas.expression(value);
  const bool list = value.kind == ValueKind::array;
  double members = 1;
  for (std::size_t k = 0; k < (list ? syntax.children.size() : 1); ++k) {
    const Syntax& part = list ? syntax.children[k] : syntax;
    const double count = compute_whole(part, "a count");
    if (count < 1) {
      throw formulas.error(
          part, fmt::format("a family without members: the count is {} and must be at least 1", exact(count)));
    }
    members *= count;
    if (members > most_members)
      throw formulas.error(part, fmt::format("a family may have at most {} members", most_members));
    out.push_back(static_cast<std::uint32_t>(count));
  }
  return out;
}

Traced Compilation::trace(const Syntax& syntax, const Context& context) {
  slots->begin();
  numbers_here.clear();
  tracer->require_finite(context.finite);
  const Traced out = tracing->interpret(syntax, context, bindings);
  for (std::size_t c = 0; c < out.parts(); ++c) {
    if (out.part[c].made == Made::indexed) slots->constant(out.part[c].value);
  }
  return out;
}

std::vector<Expr> Compilation::build(const Syntax& syntax, const Context& context) {
  slots->begin();
  const Quantity<Builder::Scalar> value = building->interpret(syntax, context, bindings);
  std::vector<Expr> out;
  for (std::size_t c = 0; c < value.parts(); ++c) {
    out.push_back(builder->expr(value.part[c]));
  }
  return out;
}

void Compilation::trace_keeper() {
  if (keeper != 0) static_cast<void>(slots->constant(keeper));
}

void Compilation::build_keeper(std::span<Expr> outputs) {
  if (keeper == 0) return;
  expressions::Graph& graph = shapes.graph();
  const auto slot = static_cast<std::uint32_t>(slots->constant(keeper));
  const Expr held = graph.apply(expressions::Function::step, graph.symbol({expressions::SymbolKind::constant, slot}));
  for (Expr& e : outputs) e = graph.multiply(held, e);
}

Probe Compilation::probe() const {
  Probe out;
  out.time = model.simulation.start;
  for (const std::uint32_t k : slots->positions) out.positions.push_back(model.initial_position[k]);
  for (const std::uint32_t k : slots->velocities) out.velocities.push_back(model.initial_velocity[k]);
  out.constants = slots->constants;
  out.names = [this](expressions::Symbol s) {
    switch (s.kind) {
      case expressions::SymbolKind::position: return name_of(slots->positions[s.index]);
      case expressions::SymbolKind::velocity: return name_of(slots->velocities[s.index]) + "'";
      case expressions::SymbolKind::constant: return exact(slots->constants[s.index]);
      case expressions::SymbolKind::mode:
      case expressions::SymbolKind::time: break;
    }
    return std::string("t");
  };
  return out;
}
std::string Compilation::name_of(std::uint32_t variable) const {
  for (std::size_t k = vocabulary.bodies.size(); k-- > 0;) {
    const Body& body = vocabulary.bodies[k];
    if (body.first > variable) continue;
    const std::uint32_t local = variable - body.first;
    const std::string member = member_name(body, local / body.dimension);
    if (body.kind == BodyKind::coordinate) return member;
    return fmt::format("{}.{}", member, component_name(body, local % body.dimension));
  }
  return {};
}

void Compilation::check_indices(std::span<const RangeSyntax> ranges) const {
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const std::string& name = ranges[k].name;
    if (const std::string_view what = reserved_meaning(name); !what.empty()) {
      throw formulas.error(ranges[k].offset, fmt::format("`{}` is {}; take another index", name, what));
    }
    const auto found = vocabulary.names.find(std::string_view(name));
    if (found != vocabulary.names.end()) {
      throw formulas.error(ranges[k].offset,
                           fmt::format("`{}` is already the name of a {} (line {}); take another index", name,
                                       found->second.kind == NameKind::parameter ? "parameter" : "point or coordinate",
                                       found->second.place.line));
    }
    for (std::size_t other = 0; other < k; ++other) {
      if (ranges[other].name == name) {
        throw formulas.error(ranges[k].offset, fmt::format("`{}` is already an index here; take another letter", name));
      }
    }
  }
}

std::string Compilation::member_words(const std::string& name) const {
  std::string members;
  for (const Binding& one : bindings) {
    // Numbers of formulas that were made from a joint or contact (FormulaNumbers) count no members.
    if (one.name.starts_with("n_")) continue;
    members += fmt::format("{}{}", members.empty() ? "" : ",", one.value);
  }
  return members.empty() ? name : fmt::format("{}[{}]", name, members);
}

}  // namespace zwang::model
