/// Constraints and seizures: each member of a condition becomes rows, f = 0 or f <= 0, one lane each.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <utility>

#include "zwang/base/number.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

constexpr std::uint32_t most_rows = 20'000'000;  // of all conditions together

/// Laws of motion and of shocks are for bodies.
void refuse_laws(Compilation& work, const Value& table) {
  for (const Field& field : table.fields) {
    if (field.key != "law" && field.key != "multiplier" && field.key != "restitution") continue;
    throw work.source.error(field.place, fmt::format("`{}` is for the motion of bodies; a flow under conditions is "
                                                     "determined by [free], or by the orthogonal projection",
                                                     field.key));
  }
}

void read_long_form(Compilation& work, const Value& table, Condition& condition) {
  const Value* law = table.find("law");
  const Value* multiplier = table.find("multiplier");
  if (law != nullptr && law->text == "variational") condition.law = Law::variational;
  if (multiplier != nullptr) {
    if (condition.law != Law::variational) {
      throw work.source.error(
          multiplier->place,
          "`multiplier` is the initial rho of a variational condition: it needs law = \"variational\"");
    }
    condition.multiplier = work.compute_number(*multiplier, "a multiplier");
  }
  if (const Value* restitution = table.find("restitution")) {
    condition.restitution = work.compute_number(*restitution, "a restitution");
    if (!(condition.restitution >= 0 && condition.restitution <= 1)) {
      throw work.source.error(restitution->place, fmt::format("`restitution` must lie between 0 and 1; here it is {}",
                                                              exact(condition.restitution)));
    }
  }
}

RowShape make_row(Compilation& work, Expr e, const Syntax& f, const Probe& at, const Condition& condition) {
  std::string jump;
  RowShape out = work.shapes.row(e, at, jump);
  if (!jump.empty()) {
    throw work.formulas.error(
        f, fmt::format("a condition must be continuous, and at `{}` `{}` jumps: take a function that "
                       "is continuous there, such as abs, max, clip or table, or write its sides as "
                       "alternatives joined by `or`",
                       jump, work.member_words(condition.name)));
  }
  if (!out.nonlinear.empty()) {
    throw work.formulas.error(
        f, fmt::format("velocities must occur linearly in a condition; in `{}` this term is not linear in them: {}",
                       work.member_words(condition.name), out.nonlinear));
  }
  return out;
}

std::vector<RowShape> make_plain_rows(Compilation& work, const ConditionSyntax& syntax, const Syntax& f,
                                      const std::vector<Expr>& parts, const Probe& at, const Traced& value,
                                      const Condition& condition) {
  std::vector<RowShape> out;
  for (const Expr e : parts) {
    out.push_back(make_row(work, e, f, at, condition));
  }

  // A condition in which nothing occurs is a mistake; one component of a vector equation may be idle.
  const auto real = std::find_if(out.begin(), out.end(), [](const RowShape& shape) { return shape.restricts; });
  for (std::size_t c = 0; c < out.size(); ++c) {
    if (out[c].restricts) continue;
    const double left_over = value.part[c].value;
    const bool timed = expressions::depends_on(work.shapes.graph(), parts[c], expressions::SymbolKind::time);
    const double off = within_rounding * value.part[c].error;
    const bool holds = (syntax.relation == Relation::equal ? std::abs(left_over) : left_over) <= off;
    if (timed)
      throw work.formulas.error(
          f, fmt::format("`{}` restricts nothing here: neither positions nor velocities occur in it; a condition that "
                         "holds until some time is let go by [[releases]] with `at` or `when`",
                         work.member_words(condition.name)));
    if (!holds)
      throw work.formulas.error(f, fmt::format("`{}` can never hold: neither positions nor velocities occur in it",
                                               work.member_words(condition.name)));
    // (Whether it holds depends on the values.)
    work.journal.make_unfit();
    if (real == out.end())
      throw work.formulas.error(
          f, fmt::format("`{}` always holds and restricts nothing: neither positions nor velocities occur in it",
                         work.member_words(condition.name)));
    out[c] = work.shapes.empty_row(work.shapes.graph().number(0), real->holonomic);
  }
  // A corner in a point: what stands for it there.
  if (syntax.relation != Relation::equal && parts.size() == 1 && out[0].restricts && out[0].holonomic &&
      !work.model.flow && work.shapes.row_group(out[0].group).corners.empty()) {
    for (RowShape& spoke : work.shapes.spokes(parts[0], at)) out.push_back(std::move(spoke));
  }
  return out;
}

/// Does something that moves occur?
bool occurs(const expressions::Graph& graph, Expr e) {
  return expressions::depends_on(graph, e, expressions::SymbolKind::position) ||
         expressions::depends_on(graph, e, expressions::SymbolKind::velocity);
}

/// Alternatives without the numbers among their parts: one that is positive can never hold, nor can its alternative; one that is not always
/// holds, and its alternative is what is left. False if a part is no number, yet nothing that moves occurs in it: the whole has corners then.
bool without_numbers(Compilation& work, const Syntax& f, const Condition& condition, expressions::Alternatives& all) {
  const expressions::Graph& graph = work.shapes.graph();
  expressions::Alternatives left;
  bool any = false;
  for (const std::vector<Expr>& list : all) {
    std::vector<Expr> kept;
    bool can_hold = true;
    for (const Expr e : list) {
      if (occurs(graph, e)) {
        kept.push_back(e);
        continue;
      }
      any = true;
      const expressions::Node node = graph.node(e);
      if (node.kind != expressions::NodeKind::number) return false;
      can_hold = can_hold && node.number <= 0;
    }
    if (!can_hold) continue;
    if (kept.empty()) {
      throw work.formulas.error(
          f, fmt::format("`{}` always holds and restricts nothing: one of its sides has a part that is a number",
                         work.member_words(condition.name)));
    }
    left.push_back(std::move(kept));
  }
  if (left.empty() && any) {
    throw work.formulas.error(f, fmt::format("`{}` can never hold: one of its sides has a part that is a number",
                                             work.member_words(condition.name)));
  }
  all = std::move(left);
  return true;
}

/// Does a <= 0 imply b <= 0, because they differ by a number?
bool implies(expressions::Graph& graph, Expr a, Expr b) {
  const expressions::Node node = graph.node(graph.subtract(a, b));
  return node.kind == expressions::NodeKind::number && node.number >= 0;
}

/// Alternatives without parts that others imply, and without those of which another one holds whenever they do: one surface counts once.
void take_once(expressions::Graph& graph, expressions::Alternatives& all) {
  for (std::vector<Expr>& list : all) {
    for (std::size_t k = list.size(); k-- > 0;) {
      const auto at = list.begin() + static_cast<std::ptrdiff_t>(k);
      const Expr e = *at;
      const bool said = std::any_of(list.begin(), at, [&](Expr other) { return implies(graph, other, e); }) ||
                        std::any_of(at + 1, list.end(), [&](Expr other) { return implies(graph, other, e); });
      if (said) list.erase(at);
    }
  }
  const auto within = [&](const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return std::all_of(b.begin(), b.end(), [&](Expr e) {
      return std::any_of(a.begin(), a.end(), [&](Expr other) { return implies(graph, other, e); });
    });
  };
  for (std::size_t k = all.size(); k-- > 0;) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(k);
    const bool covered =
        std::any_of(all.begin(), at, [&](const std::vector<Expr>& other) { return within(*at, other); }) ||
        std::any_of(at + 1, all.end(), [&](const std::vector<Expr>& other) { return within(*at, other); });
    if (covered) all.erase(at);
  }
}

/// Do alternatives differ by functions of time alone? Then it is time that chooses among them, and the motion has no part in it: the condition keeps its
/// corners inside, as an equation does.
bool time_chooses(expressions::Graph& graph, const expressions::Alternatives& all) {
  if (all.size() < 2) return false;
  const Expr first = all[0][0];
  return std::all_of(all.begin(), all.end(), [&](const std::vector<Expr>& list) {
    return std::all_of(list.begin(), list.end(), [&](Expr e) { return !occurs(graph, graph.subtract(e, first)); });
  });
}

/// One row, or the components of a vector equation; of an inequality with corners the alternatives and their rows.
std::vector<std::vector<RowShape>> make_rows_of_member(Compilation& work, const ConditionSyntax& syntax,
                                                       const Syntax& f, const Context& context, const Traced& value,
                                                       const Condition& condition) {
  const std::vector<Expr> parts = work.build(f, context);
  const Probe at = work.probe();
  if (syntax.relation != Relation::equal && expressions::has_kinks(work.shapes.graph(), parts[0])) {
    // Least and greatest of smooth functions: where it has corners, several of them hold at once.
    expressions::Alternatives all = expressions::split(work.shapes.graph(), parts[0]);
    const std::size_t split = all.empty() ? 0 : all.size() + all[0].size();
    // Parts that jump where the whole does not stay together: the whole has corners then.
    const bool apart = without_numbers(work, f, condition, all) &&
                       std::none_of(all.begin(), all.end(), [&](const std::vector<Expr>& list) {
                         return std::any_of(list.begin(), list.end(), [&](Expr e) { return work.shapes.jumps(e, at); });
                       });
    if (apart && split > 2 && !time_chooses(work.shapes.graph(), all)) {
      take_once(work.shapes.graph(), all);
      std::vector<std::vector<RowShape>> out;
      for (const std::vector<Expr>& list : all) {
        out.emplace_back();
        for (const Expr e : list) out.back().push_back(make_row(work, e, f, at, condition));
      }
      return out;
    }
  }
  return {make_plain_rows(work, syntax, f, parts, at, value, condition)};
}

/// Which side of f = left - right is a parameter that is a number, and nothing else? None: 2.
std::size_t side_of_parameter(const Compilation& work, const Syntax& f) {
  for (std::size_t side = 0; side < 2; ++side) {
    const Syntax& one = f.children[side];
    if (one.kind != SyntaxKind::name) continue;
    const auto bound = [&](const Binding& binding) { return binding.name == one.name; };
    if (std::any_of(work.bindings.begin(), work.bindings.end(), bound)) continue;
    const auto found = work.vocabulary.names.find(one.name);
    if (found == work.vocabulary.names.end() || found->second.kind != NameKind::parameter) continue;
    if (work.vocabulary.parameters[found->second.index].value.size() == 1) return side;
  }
  return 2;
}

/// Writing a journal: where the number of that side stands in the tape of the row, if it stands there alone. The other side must be a function of positions to which no number is
/// added, as a graph of its own shows.
bool find_loose(Compilation& work, const Syntax& f, std::size_t side, const Context& context,
                const std::vector<std::vector<RowShape>>& shapes) {
  if (!work.journal.writes() || side > 1 || shapes.size() != 1 || shapes[0].size() != 1) return false;
  const RowShape& shape = shapes[0][0];
  if (!shape.restricts || !shape.holonomic || shape.kinks) return false;
  const RowGroup& group = work.shapes.row_group(shape.group);
  if (group.modes > 0 || !group.corners.empty()) return false;
  expressions::Graph graph;
  Slots slots = *work.slots;
  slots.begin();
  Builder builder(graph, slots);
  Interpreter<Builder> building(work.formulas, work.vocabulary, builder);
  const Quantity<Builder::Scalar> other = building.interpret(f.children[1 - side], context, work.bindings);
  if (other.size != 0) return false;
  const Expr e = builder.expr(other.part[0]);
  const expressions::Node node = graph.node(e);
  const auto is_number = [&](Expr x) { return graph.node(x).kind == expressions::NodeKind::number; };
  const bool plain =
      node.kind != expressions::NodeKind::number &&
      !expressions::depends_on(graph, e, expressions::SymbolKind::velocity) &&
      (node.kind != expressions::NodeKind::sum || std::none_of(node.children.begin(), node.children.end(), is_number));
  if (!plain) return false;

  // The constant of the tape, which one instruction reads.
  const double factor = side == 1 ? -1 : 1;
  const double number = factor * (side == 1 ? work.numbers_here.back() : work.numbers_here.front());
  const expressions::Tape& tape = group.tape;
  const auto found = std::find(tape.constants.begin(), tape.constants.end(), number);
  if (number == 0 || found == tape.constants.end()) return false;
  const auto constant = static_cast<std::uint32_t>(found - tape.constants.begin());
  const auto at = static_cast<std::uint32_t>(tape.inputs.size()) + constant;
  std::size_t uses = 0;
  for (const expressions::Instruction& one : tape.instructions) uses += one.a == at || one.b == at ? 1U : 0U;
  for (const std::uint32_t output : tape.outputs) uses += output == at ? 2U : 0U;
  return uses == 1 && work.journal.loosen(shape.group, constant, factor);
}

/// The same from the journal, if there is one. `loose`: a number of it may be another one.
std::vector<std::vector<RowShape>> known_or_made(Compilation& work, const ConditionSyntax& syntax, const Syntax& f,
                                                 const Context& context, const Traced& value,
                                                 const Condition& condition, bool& loose) {
  const std::size_t side = value.size == 0 ? side_of_parameter(work, f) : 2;
  const std::size_t place = side > 1 ? Journal::none : side == 1 ? work.numbers_here.size() - 1 : 0;
  const std::uint32_t parameter = side > 1 ? 0 : work.vocabulary.names.find(f.children[side].name)->second.index;
  auto out = work.made<std::vector<std::vector<RowShape>>>(
      f, [&] { return make_rows_of_member(work, syntax, f, context, value, condition); }, place, parameter);
  loose = find_loose(work, f, side, context, out);
  work.journal.put_loose(work.shapes);
  return out;
}

/// Of a row: its part of the condition, and the row that is the same function on the other side of its corners, or itself.
struct RowPlace {
  bool equation = false;
  std::uint32_t alternative = 0;
  std::uint32_t twin = 0;
};

/// A row of the condition that will be the next one.
void put_row(Compilation& work, const RowShape& shape, const Slots& slots, RowPlace place) {
  const std::uint32_t row = work.model.rows();
  work.model.row_kind.push_back(
      shape.holonomic ? (place.equation ? RowKind::holonomic_equation : RowKind::holonomic_inequality)
                      : (place.equation ? RowKind::nonholonomic_equation : RowKind::nonholonomic_inequality));
  work.model.row_condition.push_back(static_cast<std::uint32_t>(work.model.conditions.size()));
  work.model.row_alternative.push_back(place.alternative);
  work.model.row_twin.push_back(place.twin);
  work.shapes.add_row_lane(shape, slots, row);
}

/// A condition as it was read: its alternatives and its ranges. `builds`: of each alternative how it is built, where others are built alike.
void add_condition(Compilation& work, Condition condition, const expressions::AlternativeSyntax& all,
                   const std::vector<RangeSyntax>& ranges, const Value* law,
                   const std::vector<std::string>& builds = {}) {
  condition.first_row = work.model.rows();
  const bool equation = all[0].relation == Relation::equal;
  for (const ConditionSyntax& syntax : all) {
    if (work.model.flow && syntax.relation != Relation::equal) {
      throw work.formulas.error(
          syntax.relation_offset,
          "a flow is made unfree by equations: what an inequality does to a first-order system the "
          "theory does not define; write = here");
    }
    if (all.size() > 1 && syntax.relation == Relation::equal) {
      throw work.formulas.error(syntax.relation_offset,
                                "`or` joins inequalities; an equation cannot stand beside it: write <= or >=");
    }
  }

  work.check_indices(ranges);
  if (ranges.size() > 2) throw work.formulas.error(ranges[2].offset, "a condition may have at most two indices");
  condition.indices = static_cast<std::uint32_t>(ranges.size());
  // (A member that is let go must be a row.)
  const bool left = work.pairs == Pairs::left && work.find("releases") == nullptr;
  if (left && all.size() == 1 && leave_as_pairs(work, condition, all[0], ranges)) return;
  if (!ranges.empty() && work.model.rows() + work.count_members(ranges, most_rows) > most_rows) {
    throw work.formulas.error(ranges[0].high, fmt::format("there are more than {} conditions", most_rows));
  }

  // Every member: its alternatives, their rows, their lanes.
  const bool now = !condition.seizure || condition.at == work.model.simulation.start;
  const Context context{"a condition", true, true, true, now};
  std::vector<KnownRows> own(all.size());
  std::vector<KnownRows*> known;
  for (std::size_t j = 0; j < all.size(); ++j) {
    known.push_back(builds.size() == all.size() ? &work.known_rows[builds[j]] : &own[j]);
  }
  std::vector<Syntax> parts;
  for (const ConditionSyntax& syntax : all) parts.push_back(difference(syntax));
  std::vector<const std::vector<std::vector<RowShape>>*> loose_rows;  ///< whose number may be another one
  std::uint32_t members = 0;
  auto add_member = [&]() {
    std::uint32_t rows = 0;
    std::uint32_t alternatives = 0;
    for (std::size_t j = 0; j < all.size(); ++j) {
      const Traced value = work.trace(parts[j], context);
      if (value.size != 0 && !equation) {
        throw work.formulas.error(
            all[j].relation_offset,
            "vectors are not smaller or larger than each other: write one condition for each component");
      }
      const auto [found, fresh] = known[j]->try_emplace(work.slots->key);
      if (fresh) {
        bool loose = false;
        found->second = known_or_made(work, all[j], parts[j], context, value, condition, loose);
        if (loose) loose_rows.push_back(&found->second);
      }
      const bool loose = std::find(loose_rows.begin(), loose_rows.end(), &found->second) != loose_rows.end();
      // Beside alternatives an apex is left as it is.
      const bool spokes = all.size() == 1 && found->second.size() == 1 && !condition.seizure;
      for (const std::vector<RowShape>& list : found->second) {
        const std::uint32_t lead = work.model.rows();
        for (const RowShape& shape : list) {
          if (shape.spoke && !spokes) continue;
          const std::uint32_t twins = !equation && !work.model.flow && shape.holonomic && shape.kinks ? 2 : 1;
          for (std::uint32_t twin = 0; twin < twins; ++twin) {
            const std::uint32_t row = work.model.rows();
            if (row == most_rows)
              throw work.formulas.error(parts[j], fmt::format("there are more than {} conditions", most_rows));
            if (!shape.holonomic && all.size() + found->second.size() > 2) {
              const std::string name = work.member_words(condition.name);
              throw work.formulas.error(
                  parts[j],
                  all.size() > 1
                      ? fmt::format(
                            "`or` joins position inequalities; in `{}` velocities occur: write the alternatives "
                            "as two models",
                            name)
                      : fmt::format(
                            "velocities occur in `{}`, and its functions with corners make it hold where one of "
                            "several inequalities does: that is for positions alone; write it so that all of "
                            "them hold, one condition each, or as two models",
                            name));
            }
            std::uint32_t other = twins == 1 ? row : twin == 0 ? row + 1 : row - 1;
            if (shape.spoke) other = lead;
            if (shape.spoke && row == lead + 1) {
              work.model.row_twin[lead] = row;
              work.model.cones.push_back({lead});
            }
            put_row(work, shape, *work.slots, {equation, alternatives, other});
            if (loose) work.journal.count_lane(shape.group);
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
      throw work.formulas.error(parts[0], fmt::format("the members of `{}` fall apart into different numbers of smooth "
                                                      "conditions: write them as separate constraints",
                                                      condition.name));
    }
    // The indices stand last, behind the numbers of a formula.
    for (std::size_t k = work.bindings.size() - ranges.size(); k < work.bindings.size(); ++k)
      condition.index_values.push_back(static_cast<std::int32_t>(work.bindings[k].value));
    ++members;
  };
  work.for_ranges(std::span<const RangeSyntax>(ranges), add_member);
  if (members == 0)
    throw work.formulas.error(ranges[0].offset,
                              fmt::format("the condition `{}` has no members: its ranges are empty", condition.name));
  condition.rows = work.model.rows() - condition.first_row;

  if (condition.law == Law::variational) {
    for (std::uint32_t row = condition.first_row; row < work.model.rows(); ++row) {
      if (work.model.row_kind[row] == RowKind::nonholonomic_equation) continue;
      throw work.source.error(
          law->place, fmt::format("law = \"variational\" is for nonholonomic equations; `{}` is a {}", condition.name,
                                  words(work.model.row_kind[row])));
    }
  }
  work.model.conditions.push_back(std::move(condition));
}

void add_condition(Compilation& work, Condition condition, const Value& text, const Value* ranges_value,
                   const Value* law) {
  const expressions::AlternativeSyntax all = work.formulas.alternatives(text);
  condition.text = text.text;
  condition.place = work.formulas.place(all[0].left.offset);
  std::vector<RangeSyntax> ranges;
  if (ranges_value != nullptr) ranges = work.formulas.ranges(*ranges_value);
  add_condition(work, std::move(condition), all, ranges, law);
}

}  // namespace

std::optional<RowShape> plain_shape(Compilation& work, const ConditionSyntax& syntax, const Condition& condition) {
  const Context context{"a condition", true, true, true, true};
  const Syntax f = difference(syntax);
  const Traced value = work.trace(f, context);
  if (value.size != 0) return std::nullopt;
  const auto rows = make_rows_of_member(work, syntax, f, context, value, condition);
  if (rows.size() != 1 || rows[0].size() != 1 || !rows[0][0].holonomic || rows[0][0].kinks) return std::nullopt;
  return rows[0][0];
}

void add_generated(Compilation& work, Condition condition, Generated generated,
                   const std::vector<std::string>& builds) {
  generated.condition = static_cast<std::uint32_t>(work.model.conditions.size());
  const expressions::AlternativeSyntax all = work.formulas.outside_condition(condition.name, generated.formula);
  std::vector<RangeSyntax> members;
  if (!generated.ranges.empty()) members = work.formulas.outside_ranges(condition.name, generated.ranges);
  // Numbers like those of an index: conditions of one build share their tapes.
  for (const auto& [name, value] : generated.numbers) work.bindings.push_back({name, value});
  add_condition(work, std::move(condition), all, members, nullptr, builds);
  work.bindings.clear();
  work.model.generated.push_back(std::move(generated));
}

namespace {

/// An alternative of conditions that are alike: its rows, and which number each constant is.
struct AlikePart {
  std::vector<std::vector<RowShape>> rows;
  Slots slots;
  std::vector<std::size_t> number_of;  ///< per constant slot
  std::vector<double> sign_of;         ///< of that number, per constant slot
};

/// Numbers that are equal to no other one, nor to any that means something: what is made of them is made for all.
double any_number(std::size_t k) {
  constexpr double apart = 1.0 / 128;
  return 1 + static_cast<double>(k + 1) * apart;
}

AlikePart make_alike(Compilation& work, const Condition& condition, const ConditionSyntax& syntax, KnownRows& known,
                     std::size_t numbers) {
  const Context context{"a condition", true, true, true, true};
  const Syntax f = difference(syntax);
  const Traced value = work.trace(f, context);
  const auto [found, fresh] = known.try_emplace(work.slots->key);
  if (fresh) {
    found->second = work.made<std::vector<std::vector<RowShape>>>(
        f, [&] { return make_rows_of_member(work, syntax, f, context, value, condition); });
  }
  AlikePart out{found->second, *work.slots, {}, {}};
  for (const double constant : work.slots->constants) {
    std::size_t k = 0;
    while (k < numbers && any_number(k) != std::abs(constant)) ++k;
    assert(k < numbers);
    out.number_of.push_back(k);
    out.sign_of.push_back(constant < 0 ? -1.0 : 1.0);
  }
  return out;
}

}  // namespace

void add_alike(Compilation& work, std::vector<Condition> conditions, const std::string& formula,
               std::vector<std::vector<std::pair<std::string, double>>> numbers,
               const std::vector<std::string>& builds) {
  // The shapes, made of any numbers.
  const expressions::AlternativeSyntax all = work.formulas.outside_condition(conditions[0].name, formula);
  const std::vector<Binding> indices = std::exchange(work.bindings, {});
  for (std::size_t k = 0; k < numbers[0].size(); ++k) work.bindings.push_back({numbers[0][k].first, any_number(k)});
  work.bindings.insert(work.bindings.end(), indices.begin(), indices.end());
  work.slots->sharing = numbers[0].size();
  std::vector<AlikePart> parts;
  for (std::size_t j = 0; j < all.size(); ++j) {
    KnownRows own;
    KnownRows& known = builds.size() == all.size() ? work.known_rows[builds[j]] : own;
    parts.push_back(make_alike(work, conditions[0], all[j], known, numbers[0].size()));
  }
  work.slots->sharing = Slots::few_constants;
  work.bindings.clear();

  // The rows, each with its own ones.
  for (std::size_t c = 0; c < conditions.size(); ++c) {
    Condition& condition = conditions[c];
    condition.first_row = work.model.rows();
    std::uint32_t alternatives = 0;
    for (AlikePart& part : parts) {
      for (std::size_t k = 0; k < part.number_of.size(); ++k)
        part.slots.constants[k] = part.sign_of[k] * numbers[c][part.number_of[k]].second;
      for (const std::vector<RowShape>& list : part.rows) {
        for (const RowShape& shape : list) {
          if (shape.spoke) continue;
          assert(shape.holonomic && !shape.kinks);
          const std::uint32_t row = work.model.rows();
          if (row == most_rows)
            throw work.formulas.error(all[0].left.offset, fmt::format("there are more than {} conditions", most_rows));
          put_row(work, shape, part.slots, {false, alternatives, row});
        }
        ++alternatives;
      }
    }
    condition.alternatives = alternatives;
    condition.rows = work.model.rows() - condition.first_row;
    condition.components = condition.rows;
    condition.compound = condition.rows > 1;
    Generated generated;
    generated.condition = static_cast<std::uint32_t>(work.model.conditions.size());
    generated.formula = formula;
    generated.numbers = std::move(numbers[c]);
    for (const Binding& index : indices) generated.numbers.emplace_back(std::string(index.name), index.value);
    work.model.conditions.push_back(std::move(condition));
    work.model.generated.push_back(std::move(generated));
  }
}

/// f = left - right, or right - left for >=.
Syntax difference(const ConditionSyntax& syntax) {
  Syntax f;
  f.kind = SyntaxKind::sum;
  f.offset = syntax.left.offset;
  f.length = syntax.right.offset + syntax.right.length - syntax.left.offset;
  f.children = {syntax.left, syntax.right};
  f.inverse = {false, true};
  if (syntax.relation == Relation::greater_equal) std::swap(f.children[0], f.children[1]);
  return f;
}

void add_conditions(Compilation& work) {
  const Value* table = work.find("constraints");
  if (table == nullptr) return;
  for (const Field& field : table->fields) {
    const bool long_form = field.value.kind == ValueKind::table;
    const Value& text = long_form ? *field.value.find("condition") : field.value;
    Condition condition;
    condition.name = field.key;
    if (long_form && work.model.flow) refuse_laws(work, field.value);
    if (long_form) read_long_form(work, field.value, condition);
    const Value* ranges = long_form ? field.value.find("for") : nullptr;
    add_condition(work, std::move(condition), text, ranges, field.value.find("law"));
  }
}

void add_seizures(Compilation& work) {
  const Value* list = work.find("seizures");
  if (list == nullptr) return;
  for (const Value& table : list->items) {
    Condition condition;
    const Value& name = *table.find("name");
    condition.name = name.text;
    condition.seizure = true;
    condition.at = work.model.simulation.start;
    if (const Value* at = table.find("at")) condition.at = work.compute_number(*at, "a time");
    const bool identifier = !name.text.empty() && std::all_of(name.text.begin(), name.text.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!identifier || (name.text[0] >= '0' && name.text[0] <= '9')) {
      throw work.source.error(
          name.place,
          fmt::format("`{}` cannot be a name: names are made of letters, digits and _, and start with a letter or _",
                      name.text));
    }
    for (const Condition& other : work.model.conditions) {
      if (other.name != condition.name) continue;
      throw work.source.error(name.place, fmt::format("`{}` is already the name of a {} (line {})", name.text,
                                                      other.seizure ? "seizure" : "constraint", other.place.line));
    }
    const Value& text = *table.find("condition");
    const ConditionSyntax syntax = work.formulas.condition(text);
    if (syntax.relation != Relation::equal) {
      throw work.formulas.error(syntax.relation_offset,
                                "a seizure is an equation: write =, or put the inequality into [constraints]");
    }
    add_condition(work, std::move(condition), text, nullptr, nullptr);
  }
}

}  // namespace zwang::model
