/// Conditions and springs let go at a time, or when a comparison becomes true.
#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/nearest.hpp"
#include "zwang/model/compile/steps.hpp"

namespace zwang::model {

namespace {

/// A thin rod that is let go has no inertia about itself any more.
void refuse_steady(const Compilation& work, const Value& name) {
  for (const std::string& joint : work.steady_joints) {
    const bool all = joint == name.text || joint.starts_with(name.text + "[");
    if (!all && !name.text.starts_with(joint + ".")) continue;
    throw work.source.error(name.place,
                            fmt::format("`{}` holds a thin rod that spins about itself with it, and cannot be let go: "
                                        "give the rod an inertia about its own axis",
                                        joint));
  }
}

/// The rows of a condition, or of one member "link[3]".
std::vector<std::uint32_t> released_rows(Compilation& work, const Value& name) {
  // A joint, all members of a family of them, or one of its conditions.
  std::vector<std::uint32_t> of_joint;
  for (const Generated& one : work.model.generated) {
    if (one.condition >= work.model.conditions.size()) continue;
    const Condition& condition = work.model.conditions[one.condition];
    const std::string& whole = condition.name;
    const bool begins = whole.starts_with(name.text + ".") || whole.starts_with(name.text + "[");
    if (whole != name.text && !begins) continue;
    for (std::uint32_t k = 0; k < condition.rows; ++k) of_joint.push_back(condition.first_row + k);
  }
  if (!of_joint.empty()) return of_joint;
  const Syntax reference = work.formulas.reference(name);
  const bool member = reference.kind == SyntaxKind::index;
  const std::string word = member                                 ? reference.children[0].name
                           : reference.kind == SyntaxKind::member ? name.text
                                                                  : reference.name;
  const auto found = std::find_if(work.model.conditions.begin(), work.model.conditions.end(),
                                  [&](const Condition& condition) { return condition.name == word; });
  if (found == work.model.conditions.end()) {
    std::vector<std::string_view> known;
    for (const Condition& condition : work.model.conditions) known.push_back(condition.name);
    for (const Spring& spring : work.model.springs) known.push_back(spring.name);
    const std::string_view near = nearest(word, known.data(), known.size());
    throw work.formulas.error(
        reference, near.empty() ? fmt::format("no condition or spring is called `{}`", word)
                                : fmt::format("no condition or spring is called `{}`; did you mean `{}`?", word, near));
  }
  std::vector<std::uint32_t> rows;
  if (!member) {
    for (std::uint32_t k = 0; k < found->rows; ++k) rows.push_back(found->first_row + k);
    return rows;
  }
  if (found->indices != reference.children.size() - 1) {
    throw work.formulas.error(reference, found->indices == 0
                                             ? fmt::format("`{}` is a single condition; it has no members", word)
                                             : fmt::format("a member of `{}` has {} ind{}", word, found->indices,
                                                           found->indices == 1 ? "ex" : "ices"));
  }
  std::vector<std::int32_t> index;
  for (std::size_t k = 1; k < reference.children.size(); ++k) {
    index.push_back(static_cast<std::int32_t>(work.compute_whole(reference.children[k], "an index")));
  }
  for (std::uint32_t m = 0; m < found->rows / found->components; ++m) {
    if (!std::equal(index.begin(), index.end(), found->index_values.begin() + m * found->indices)) continue;
    for (std::uint32_t c = 0; c < found->components; ++c) {
      rows.push_back(found->first_row + m * found->components + c);
    }
    return rows;
  }
  throw work.formulas.error(reference, fmt::format("`{}` has no member {}", word, name.text));
}

}  // namespace

/// Comparisons to be watched; their number among the model's truths.
std::uint32_t add_truth(Compilation& work, const std::string& name, const Value& value, std::string_view where) {
  const Syntax syntax = work.formulas.truth(value);
  const Context context{where, true, true, true, false};
  work.slots->begin();
  work.numbers_here.clear();
  work.tracer->require_finite(false);
  const Tracer::Scalar traced = work.tracing->interpret_truth(syntax, context, work.bindings);
  if (traced.made != Made::state) {
    throw work.formulas.error(syntax, fmt::format("{} is always {}: neither time, positions nor velocities occur in it",
                                                  where, traced.value != 0 ? "true" : "false"));
  }
  Observable truth;
  truth.name = name;
  truth.text = value.text;
  truth.term = work.made<TermGroup>(syntax, [&] {
    work.slots->begin();
    const Builder::Scalar built = work.building->interpret_truth(syntax, context, work.bindings);
    return work.shapes.single(work.builder->expr(built), *work.slots, work.probe());
  });
  work.model.truths.push_back(std::move(truth));
  return static_cast<std::uint32_t>(work.model.truths.size() - 1);
}

void add_releases(Compilation& work) {
  const Value* list = work.find("releases");
  if (list == nullptr) return;
  for (const Value& table : list->items) {
    Release release;
    const Value& name = *table.find("constraint");
    release.name = name.text;
    const Value* at = table.find("at");
    const Value* when = table.find("when");
    if ((at == nullptr) == (when == nullptr)) {
      throw work.source.error(name.place, at == nullptr ? "a release needs `at`, a time, or `when`, a comparison"
                                                        : "a release has one of `at` and `when`, not both");
    }
    refuse_steady(work, name);
    for (std::uint32_t k = 0; k < work.model.springs.size(); ++k) {
      if (names_spring(name.text, work.model.springs[k].name)) release.springs.push_back(k);
    }
    if (release.springs.empty()) release.rows = released_rows(work, name);
    if (at != nullptr) release.at = work.compute_number(*at, "a time");
    if (when != nullptr) release.when.push_back(add_truth(work, release.name, *when, "`when`"));
    work.model.releases.push_back(std::move(release));
  }
}

}  // namespace zwang::model
