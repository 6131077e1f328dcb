/// Families of conditions between any two members, left as they are: distance(b[i], b[j]) >= d for all i < j.
#include <algorithm>
#include <array>
#include <cmath>

#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

bool speaks_of(const Syntax& syntax, std::string_view name) {
  if (syntax.kind == SyntaxKind::name && syntax.name == name) return true;
  return std::any_of(syntax.children.begin(), syntax.children.end(),
                     [&](const Syntax& child) { return speaks_of(child, name); });
}

bool speaks_of_any(const Syntax& syntax, std::span<const RangeSyntax> ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const RangeSyntax& range) { return speaks_of(syntax, range.name); });
}

/// Is it `name + 1`?
bool is_next(const Syntax& syntax, std::string_view name) {
  if (syntax.kind != SyntaxKind::sum || syntax.children.size() != 2 || syntax.inverse[0] || syntax.inverse[1])
    return false;
  const auto is_name = [&](const Syntax& s) { return s.kind == SyntaxKind::name && s.name == name; };
  const auto is_one = [](const Syntax& s) { return s.kind == SyntaxKind::number && s.number == 1; };
  return (is_name(syntax.children[0]) && is_one(syntax.children[1])) ||
         (is_one(syntax.children[0]) && is_name(syntax.children[1]));
}

/// A member of a body: `b[i]` with i the index of a range.
struct Named {
  std::uint32_t body = 0;
  std::size_t range = 0;  ///< its index
};

std::optional<Named> read_named(const Compilation& work, const Syntax& syntax, std::span<const RangeSyntax> ranges) {
  if (syntax.kind != SyntaxKind::index || syntax.children.size() != 2) return std::nullopt;
  const Syntax& name = syntax.children[0];
  const Syntax& index = syntax.children[1];
  if (name.kind != SyntaxKind::name || index.kind != SyntaxKind::name) return std::nullopt;
  const auto meaning = work.vocabulary.names.find(name.name);
  if (meaning == work.vocabulary.names.end() || meaning->second.kind != NameKind::body) return std::nullopt;
  const Body& body = work.vocabulary.bodies[meaning->second.index];
  if (body.kind != BodyKind::point || body.counts.size() != 1) return std::nullopt;
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    if (ranges[k].name == index.name) return Named{meaning->second.index, k};
  }
  return std::nullopt;
}

}  // namespace

bool leave_as_pairs(Compilation& work, const Condition& condition, const ConditionSyntax& syntax,
                    std::span<const RangeSyntax> ranges) {
  if (ranges.size() != 2 || condition.seizure || work.model.flow || !work.bindings.empty()) return false;
  const bool mirrored = syntax.relation == Relation::less_equal;
  if (syntax.relation == Relation::equal) return false;
  const Syntax& distance = mirrored ? syntax.right : syntax.left;
  const Syntax& bound = mirrored ? syntax.left : syntax.right;
  if (distance.kind != SyntaxKind::call || distance.name != "distance" || distance.children.size() != 2) return false;
  if (speaks_of_any(bound, ranges) || speaks_of(bound, "t")) return false;
  const std::optional<Named> one = read_named(work, distance.children[0], ranges);
  const std::optional<Named> other = read_named(work, distance.children[1], ranges);
  if (!one || !other || one->range == other->range) return false;

  PairFamily family;
  family.condition = static_cast<std::uint32_t>(work.model.conditions.size());
  family.restitution = condition.restitution;
  family.first.body = one->range == 0 ? one->body : other->body;
  family.second.body = one->range == 0 ? other->body : one->body;
  const Body& first = work.vocabulary.bodies[family.first.body];
  const Body& second = work.vocabulary.bodies[family.second.body];
  if (first.dimension != second.dimension) return false;
  if (speaks_of(ranges[0].low, ranges[1].name) || speaks_of(ranges[0].high, ranges[1].name)) return false;
  if (speaks_of(ranges[1].high, ranges[0].name)) return false;
  family.within = family.first.body == family.second.body && is_next(ranges[1].low, ranges[0].name);
  if (!family.within && speaks_of(ranges[1].low, ranges[0].name)) return false;

  // The ranges; what is wrong with them is said where they are written out.
  const double first_low = work.compute_whole(ranges[0].low, "the lower bound of a range");
  const double first_high = work.compute_whole(ranges[0].high, "the upper bound of a range");
  const double second_low =
      family.within ? first_low + 1 : work.compute_whole(ranges[1].low, "the lower bound of a range");
  const double second_high = work.compute_whole(ranges[1].high, "the upper bound of a range");
  const auto fits = [](const Body& body, double low, double high) {
    return low >= 1 && high >= low && high <= body.counts[0];
  };
  if (!fits(first, first_low, first_high) || !fits(second, second_low, second_high)) return false;
  const auto member = [](double index) { return static_cast<std::uint32_t>(index) - 1; };
  family.first.low = member(first_low);
  if (family.within) {
    // i = 1..n-1 or 1..n, j = i+1..n.
    if (first_high != second_high && first_high != second_high - 1) return false;
    family.first.high = member(second_high);
    family.second = family.first;
  } else {
    family.first.high = member(first_high);
    family.second.low = member(second_low);
    family.second.high = member(second_high);
    const bool apart = family.first.body != family.second.body || family.first.high < family.second.low ||
                       family.second.high < family.first.low;
    if (!apart) return false;
  }

  // The shape of its rows, from the first pair.
  work.bindings.push_back({ranges[0].name, first_low});
  work.bindings.push_back({ranges[1].name, second_low});
  const std::optional<RowShape> shape = plain_shape(work, syntax, condition);
  const Traced least = work.compute(bound, "a distance");
  if (shape && shape->slots.velocities.empty() && shape->slots.constants.empty() && least.size == 0) {
    const std::uint32_t from = first.first + family.first.low * first.dimension;
    const std::uint32_t to =
        second.first + (family.within ? family.first.low + 1 : family.second.low) * second.dimension;
    for (const std::uint32_t slot : shape->slots.positions) {
      const std::uint32_t variable = work.slots->positions[slot];
      const bool of_first = variable >= from && variable < from + first.dimension;
      family.slots.push_back(of_first ? variable - from : first.dimension + (variable - to));
    }
  }
  work.bindings.clear();
  if (family.slots.size() != 2 * std::size_t{first.dimension}) return false;
  family.group = shape->group;
  family.least = least.part[0].value;
  if (!(family.least > 0)) return false;
  work.model.pairs.push_back(std::move(family));
  work.model.conditions.push_back(condition);
  work.model.conditions.back().first_row = work.model.rows();
  return true;
}

}  // namespace zwang::model
