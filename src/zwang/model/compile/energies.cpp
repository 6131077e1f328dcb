/// Kinetic and potential energy: each summand becomes a term, with one lane for every member of its sums.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "zwang/model/compile/steps.hpp"
#include "zwang/model/compile/summands.hpp"

namespace zwang::model {

namespace {

constexpr std::uint32_t most_lanes = 20'000'000;  // of all sums in the energies together

}  // namespace

void add_energy(Compilation& work, const Syntax& whole, TermKind kind) {
  const bool kinetic = kind == TermKind::kinetic;
  Context context{kinetic ? "the kinetic energy" : "the potential energy", true, kinetic, true, true};
  context.corners = !kinetic;
  for (const Summand& summand : summands(whole)) {
    work.check_indices(summand.ranges);
    std::map<std::vector<std::uint32_t>, std::vector<TermShape>> known;
    auto add_lane = [&]() {
      if (++work.lanes > most_lanes) {
        throw work.formulas.error(summand.syntax, fmt::format("the sums have more than {} terms", most_lanes));
      }
      const Traced value = work.trace(summand.syntax, context);
      if (value.size != 0) {
        throw work.formulas.error(summand.syntax, fmt::format("{} is a number; here stands a vector", context.where));
      }
      work.trace_keeper();
      const auto [found, fresh] = known.try_emplace(work.slots->key);
      std::vector<TermShape>& shapes = found->second;
      if (fresh) {
        std::string jump;
        shapes = work.made<std::vector<TermShape>>(summand.syntax, [&] {
          std::vector<Expr> built = work.build(summand.syntax, context);
          work.build_keeper(built);
          return work.shapes.energy(kind, built[0], work.probe(), jump);
        });
        if (!jump.empty()) {
          throw work.formulas.error(
              summand.syntax,
              fmt::format("a potential must be continuous, and at `{}` this one jumps: write the jump as a force, or "
                          "take a function that is continuous there, such as abs, max, clip or table",
                          jump));
        }
        if (!shapes[0].wrong.empty()) {
          throw work.formulas.error(
              summand.syntax,
              fmt::format("the kinetic energy must be quadratic in the velocities; this term is not: {}",
                          shapes[0].wrong));
        }
      }
      for (const TermShape& shape : shapes) work.shapes.add_term_lane(shape, *work.slots, {});
    };
    if (work.lanes + work.count_members(summand.ranges, most_lanes) > most_lanes) {
      throw work.formulas.error(summand.syntax, fmt::format("the sums have more than {} terms", most_lanes));
    }
    work.for_ranges(summand.ranges, add_lane);
  }
}

void add_energies(Compilation& work) {
  const auto coordinate = std::find_if(work.vocabulary.bodies.begin(), work.vocabulary.bodies.end(),
                                       [](const Body& body) { return body.kind == BodyKind::coordinate; });
  const Value* kinetic = work.find("energy", "kinetic");
  if (coordinate != work.vocabulary.bodies.end() && kinetic == nullptr) {
    const Field* field = work.body_fields[static_cast<std::size_t>(coordinate - work.vocabulary.bodies.begin())];
    throw work.source.error(
        field->place,
        fmt::format("the coordinate `{}` has no inertia: a model with coordinates needs `kinetic` in [energy]",
                    coordinate->name));
  }
  add_rigid_energies(work);
  if (kinetic != nullptr) {
    work.kinetic = work.formulas.expression(*kinetic);
    add_energy(work, *work.kinetic, TermKind::kinetic);
  }
  if (const Value* potential = work.find("energy", "potential")) {
    const Syntax syntax = work.formulas.expression(*potential);
    add_energy(work, syntax, TermKind::potential);
  }
}

}  // namespace zwang::model
