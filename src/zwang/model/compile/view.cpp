/// What is only looked at: the points and lines of [view].
#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/nearest.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

constexpr std::size_t most_view_points = 20'000;  // and as many lines

/// The point of the view that bears this name, or nullptr.
const ViewPoint* view_point(Compilation& work, std::string_view name) {
  for (const ViewPoint& point : work.model.view.points) {
    if (point.name == name) return &point;
  }
  return nullptr;
}

/// The expression of one member: i (and j) replaced.
Syntax with_indices(const Syntax& syntax, const std::vector<Syntax>& indices) {
  if (syntax.kind == SyntaxKind::name) {
    if (!indices.empty() && syntax.name == "i") return indices[0];
    if (indices.size() > 1 && syntax.name == "j") return indices[1];
  }
  Syntax out = syntax;
  for (Syntax& child : out.children) child = with_indices(child, indices);
  return out;
}

void check_view_indices(Compilation& work, const ViewPoint& point, const Syntax& syntax) {
  const std::size_t given = syntax.kind == SyntaxKind::index ? syntax.children.size() - 1 : 0;
  if (given == point.counts.size()) return;
  if (point.counts.empty()) {
    throw work.formulas.error(syntax, fmt::format("`{}` is a single point; it has no members", point.name));
  }
  throw work.formulas.error(syntax, fmt::format("`{}` is a family of {} points: write a member, {}[{}]", point.name,
                                                point.members(), point.name, point.counts.size() == 1 ? "i" : "i,j"));
}

/// Points of the view that stand above, replaced by their own expressions.
Syntax without_view_points(Compilation& work, const Syntax& syntax, std::string_view self) {
  const Syntax& root = syntax.kind == SyntaxKind::index ? syntax.children[0] : syntax;
  if (root.kind == SyntaxKind::name && root.name == self) {
    throw work.formulas.error(root, fmt::format("the place of `{}` cannot be made of itself", self));
  }
  const ViewPoint* point = root.kind == SyntaxKind::name ? view_point(work, root.name) : nullptr;
  if (point == nullptr) {
    Syntax out = syntax;
    for (Syntax& child : out.children) child = without_view_points(work, child, self);
    return out;
  }
  check_view_indices(work, *point, syntax);
  std::vector<Syntax> indices;
  for (std::size_t k = 0; k < point->counts.size(); ++k) {
    indices.push_back(without_view_points(work, syntax.children[k + 1], self));
  }
  const auto number = static_cast<std::size_t>(point - work.model.view.points.data());
  return with_indices(work.view_positions[number], indices);
}

void add_view_point(Compilation& work, const Field& field) {
  View& view = work.model.view;
  ViewPoint point;
  point.name = field.key;
  if (const std::string_view what = reserved_meaning(field.key); !what.empty() || field.key == "origin") {
    throw work.source.error(field.place, fmt::format("`{}` cannot be the name of a point: it is {}", field.key,
                                                     what.empty() ? "where all coordinates are 0" : what));
  }
  if (const auto other = work.vocabulary.names.find(field.key); other != work.vocabulary.names.end()) {
    throw work.source.error(field.place,
                            fmt::format("`{}` is already the name of something in the model (line {}); take "
                                        "another for the point of the view",
                                        field.key, other->second.place.line));
  }
  if (const Value* count = field.value.find("count")) point.counts = work.read_counts(*count);
  for (std::size_t k = 0; k < point.counts.size(); ++k) {
    const std::string_view index = k == 0 ? "i" : "j";
    const auto found = work.vocabulary.names.find(index);
    if (found == work.vocabulary.names.end()) continue;
    const Place& place = found->second.place;
    throw work.source.error({place.line, place.column},
                            fmt::format("`{}` cannot be a name here: it is the index of the family `{}` (line {})",
                                        index, point.name, field.place.line));
  }
  if (point.members() > most_view_points) {
    throw work.source.error(field.place, fmt::format("a view may have at most {} points", most_view_points));
  }
  if (const Value* size = field.value.find("size")) {
    const Syntax syntax = work.formulas.expression(*size);
    point.size = work.compute_number(syntax, "a size");
    if (!(point.size >= 0)) {
      throw work.formulas.error(syntax, fmt::format("a size is not negative; here it is {}", exact(point.size)));
    }
  }

  // One expression per member and component.
  const Syntax syntax = without_view_points(work, work.formulas.expression(*field.value.find("position")), point.name);
  point.first = static_cast<std::uint32_t>(view.components.size());
  point.dimension = 0;
  const Context context{"a place in [view]", true, false, true, false};
  work.for_members(point, [&](std::uint32_t member) {
    const Traced value = work.trace(syntax, context);
    if (value.size == 0) {
      throw work.formulas.error(
          syntax, fmt::format("the position of `{}` must have 2 or 3 components; here stands a number", point.name));
    }
    point.dimension = static_cast<std::uint32_t>(value.parts());
    const std::vector<Expr> parts = work.build(syntax, context);
    for (std::size_t c = 0; c < parts.size(); ++c) {
      Observable component;
      component.name = fmt::format("{}.{}", member_name(point, member), "xyz"[c]);
      component.text = work.formulas.text(syntax.kind == SyntaxKind::vector ? syntax.children[c] : syntax);
      component.term = work.shapes.single(parts[c], *work.slots, work.probe());
      view.components.push_back(std::move(component));
    }
  });
  if (view.components.size() > 3 * most_view_points) {
    throw work.source.error(field.place, fmt::format("a view may have at most {} points", most_view_points));
  }
  view.points.push_back(std::move(point));
  work.view_positions.push_back(syntax);
}

ViewAnchor view_anchor(Compilation& work, const Syntax& syntax) {
  ViewAnchor anchor;
  const Syntax& root = syntax.kind == SyntaxKind::index ? syntax.children[0] : syntax;
  const auto known = root.kind == SyntaxKind::name ? work.vocabulary.names.find(std::string_view(root.name))
                                                   : work.vocabulary.names.end();
  if (const ViewPoint* point = root.kind == SyntaxKind::name ? view_point(work, root.name) : nullptr) {
    check_view_indices(work, *point, syntax);
    anchor.kind = ViewAnchor::Kind::view;
    anchor.index = static_cast<std::uint32_t>(point - work.model.view.points.data());
    for (std::size_t k = 0; k < point->counts.size(); ++k) {
      const double index = work.compute_whole(syntax.children[k + 1], "an index");
      if (index < 1 || index > point->counts[k]) {
        throw work.formulas.error(syntax.children[k + 1],
                                  fmt::format("the index is {} here, but that of `{}` goes from 1 to {}", exact(index),
                                              point->name, point->counts[k]));
      }
      anchor.member = anchor.member * point->counts[k] + static_cast<std::uint32_t>(index) - 1;
    }
    return anchor;
  }
  if (known != work.vocabulary.names.end() && known->second.kind == NameKind::body) {
    const auto [index, member] = work.tracing->member(syntax, work.bindings);
    if (work.vocabulary.bodies[index].kind == BodyKind::coordinate) {
      throw work.formulas.error(syntax,
                                fmt::format("`{}` is a coordinate; a line goes through points. Make one of it in "
                                            "[view.points]",
                                            work.vocabulary.bodies[index].name));
    }
    anchor.kind = ViewAnchor::Kind::body;
    anchor.index = index;
    anchor.member = member;
    return anchor;
  }
  if (root.kind == SyntaxKind::name && root.name == "origin" && known == work.vocabulary.names.end()) {
    anchor.at = {0, 0, 0};
    return anchor;
  }
  if (root.kind == SyntaxKind::name && known == work.vocabulary.names.end()) {
    std::vector<std::string_view> names{"origin"};
    for (const ViewPoint& point : work.model.view.points) names.push_back(point.name);
    for (const Body& body : work.vocabulary.bodies) names.push_back(body.name);
    for (const Parameter& parameter : work.vocabulary.parameters) names.push_back(parameter.name);
    const std::string_view near = nearest(root.name, names.data(), names.size());
    throw work.formulas.error(root, near.empty()
                                        ? fmt::format("no point is called `{}`", root.name)
                                        : fmt::format("no point is called `{}`; did you mean `{}`?", root.name, near));
  }
  const Traced value = work.compute(syntax, "a line of [view]");
  if (value.size == 0) {
    throw work.formulas.error(syntax, "a line goes through points; here stands a number");
  }
  for (std::size_t c = 0; c < value.parts(); ++c) anchor.at.push_back(value.part[c].value);
  return anchor;
}

void add_view_line(Compilation& work, const Field& field) {
  std::vector<Syntax> corners;
  for (const Value& item : field.value.find("through")->items) corners.push_back(work.formulas.expression(item));
  std::vector<RangeSyntax> ranges;
  if (const Value* value = field.value.find("for")) ranges = work.formulas.ranges(*value);
  work.check_indices(ranges);
  if (ranges.size() > 2) throw work.formulas.error(ranges[2].offset, "a line may have at most two indices");
  for (const RangeSyntax& range : ranges) {
    if (view_point(work, range.name) == nullptr) continue;
    throw work.formulas.error(range.offset,
                              fmt::format("`{}` is already the name of a point; take another index", range.name));
  }
  const Value* closed = field.value.find("closed");
  auto add_member = [&]() {
    ViewLine line;
    line.name = field.key;
    for (std::size_t k = 0; k < work.bindings.size(); ++k) {
      line.name += fmt::format("{}{}", k == 0 ? '[' : ',', work.bindings[k].value);
    }
    if (!work.bindings.empty()) line.name += ']';
    line.closed = closed != nullptr && closed->number != 0;
    for (const Syntax& corner : corners) line.through.push_back(view_anchor(work, corner));
    work.model.view.lines.push_back(std::move(line));
    if (work.model.view.lines.size() > most_view_points) {
      throw work.source.error(field.place, fmt::format("a view may have at most {} lines", most_view_points));
    }
  };
  work.for_ranges(std::span<const RangeSyntax>(ranges), add_member);
}

}  // namespace

void add_view(Compilation& work) {
  const Value* table = work.find("view");
  if (table == nullptr) return;
  View& view = work.model.view;
  if (const Value* dimension = table->find("dimension")) {
    const Syntax syntax = work.formulas.expression(*dimension);
    const double value = work.compute_whole(syntax, "the dimension of the picture");
    if (value != 2 && value != 3) {
      throw work.formulas.error(syntax, fmt::format("a picture has 2 or 3 dimensions; here stands {}", exact(value)));
    }
    view.dimension = static_cast<std::uint32_t>(value);
  }
  if (const Value* up = table->find("up")) {
    const Syntax syntax = work.formulas.expression(*up);
    const Traced value = work.compute(syntax, "a direction");
    double length = 0;
    for (std::size_t c = 0; c < value.parts(); ++c) length = elementary::hypot(length, value.part[c].value);
    if (value.size == 0 || !(length > 0)) {
      throw work.formulas.error(syntax, "`up` is a direction: a vector of 2 or 3 components that is not zero");
    }
    for (std::size_t c = 0; c < value.parts(); ++c) view.up.push_back(value.part[c].value / length);
  }
  if (const Value* points = table->find("points")) {
    for (const Field& field : points->fields) add_view_point(work, field);
  }
  if (const Value* lines = table->find("lines")) {
    for (const Field& field : lines->fields) add_view_line(work, field);
  }
}

}  // namespace zwang::model
