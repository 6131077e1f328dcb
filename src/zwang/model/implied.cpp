/// States of self-stress with a semidefinite stress matrix, and the linear equations they stand for.
#include "zwang/model/implied.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/implied/core.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/implied/rows.hpp"
#include "zwang/model/implied/stresses.hpp"
#include "zwang/model/implied/stretched.hpp"
#include "zwang/model/implied/taut.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

/// A linear equation that is known already, where all of its variables are among those of the others.
void add_known(const Implied& row, std::vector<Equation>& equations) {
  const bool within = std::all_of(row.variable.begin(), row.variable.end(), [&](std::uint32_t variable) {
    return std::any_of(equations.begin(), equations.end(), [&](const Equation& one) {
      return std::find(one.variable.begin(), one.variable.end(), variable) != one.variable.end();
    });
  });
  if (!within) return;
  Equation out;
  out.variable = row.variable;
  out.f.degree = 1;
  out.f.g = row.c;
  equations.push_back(std::move(out));
}

/// What the equations of one part imply beside what is known; and the inequalities `one_sided` that touch, in the direction in which they push.
void find_implied(const Model& model, const std::vector<std::uint32_t>& part, const std::vector<Implied>& known,
                  std::vector<Implied>& found, const std::vector<std::uint32_t>& one_sided = {}) {
  if (part.size() > most_rows_of_a_part) return;
  std::vector<Equation> equations;
  bool squares = false;
  for (const std::uint32_t row : part) {
    std::optional<Equation> one = read_equation(model, row);
    if (!one) continue;
    squares = squares || one->f.degree == 2;
    equations.push_back(std::move(*one));
  }
  if (!squares) return;
  for (const Implied& one : known) add_known(one, equations);
  Stresses stresses(equations, model.initial_position, model.simulation.touch, one_sided);
  const std::size_t before = found.size();
  for (const Vector& one : stresses.find()) {
    Implied row;
    double terms = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] == 0) continue;
      const std::uint32_t variable = stresses.variable()[i];
      row.variable.push_back(variable);
      row.c.push_back(one[i]);
      row.d += one[i] * (model.initial_position[variable] + stresses.shift()[i]);
      terms += std::abs(one[i] * model.initial_position[variable]);
    }
    // What does not depend on the origin has no constant.
    if (std::abs(row.d) <= model.simulation.touch * terms) row.d = 0;
    found.push_back(std::move(row));
  }
  const bool kept = one_sided.empty() || std::all_of(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                                                     [&](const Implied& row) { return keeps(model, row); });
  if (!kept) found.resize(before);
}

/// Strings that are taut between what other conditions keep apart, as a thread along a bar: in the parts with a convex one among what touches and
/// is not known to be tight.
void find_stretched(const Model& model, const Rows& rows, const std::vector<std::uint32_t>& equations,
                    const std::vector<std::uint32_t>& convex, const std::vector<Implied>& known,
                    std::vector<Implied>& found) {
  const auto tight = [&](std::uint32_t row) {
    const auto is_known = [&](std::uint32_t variable) {
      return std::any_of(known.begin(), known.end(), [&](const Implied& one) {
        return std::find(one.variable.begin(), one.variable.end(), variable) != one.variable.end();
      });
    };
    return std::all_of(model.row_column.begin() + model.row_start[row],
                       model.row_column.begin() + model.row_start[row + 1], is_known);
  };
  std::vector<std::uint32_t> one_sided = touching_squares(model, rows);
  std::erase_if(one_sided, [&](std::uint32_t row) {
    return tight(row) || std::binary_search(equations.begin(), equations.end(), row);
  });
  std::vector<std::uint32_t> among = equations;
  among.insert(among.end(), one_sided.begin(), one_sided.end());
  std::sort(among.begin(), among.end());
  for (const std::vector<std::uint32_t>& part : parts_of(model, core_of(model, rows, std::move(among)))) {
    const bool pulls = std::any_of(part.begin(), part.end(), [&](std::uint32_t row) {
      return std::binary_search(one_sided.begin(), one_sided.end(), row) &&
             std::find(convex.begin(), convex.end(), row) != convex.end();
    });
    if (pulls) find_implied(model, part, known, found, one_sided);
  }
}

}  // namespace

void add_implied(Model& model) {
  if (model.flow) return;
  std::vector<std::uint32_t> among = lasting(model, RowKind::holonomic_equation);
  if (among.empty() && standing_without(model, RowKind::holonomic_inequality, {}).empty() &&
      standing_without(model, RowKind::holonomic_equation, {}).empty()) {
    return;
  }
  Scratch scratch = make_scratch(model);
  Rows rows = make_rows(model);
  evaluate_rows(model, initial_state(model), scratch, rows);
  const std::vector<std::uint32_t> halves = opposite_halves(model, rows);
  among.insert(among.end(), halves.begin(), halves.end());
  // Strings that cannot but be taut.
  std::vector<std::uint32_t> one_sided = touching_convex(model, rows);
  std::erase_if(one_sided,
                [&](std::uint32_t row) { return std::find(halves.begin(), halves.end(), row) != halves.end(); });
  std::vector<Implied> taut;
  if (!one_sided.empty()) {
    std::vector<std::uint32_t> all = one_sided;
    all.insert(all.end(), among.begin(), among.end());
    std::sort(all.begin(), all.end());
    taut = taut_rows(model, core_of(model, rows, std::move(all)), one_sided);
  }
  std::sort(among.begin(), among.end());
  const std::vector<std::uint32_t> equations = among;
  among = core_of(model, rows, std::move(among));
  std::vector<Implied> found;
  for (const std::vector<std::uint32_t>& part : parts_of(model, among)) find_implied(model, part, taut, found);
  found.insert(found.begin(), taut.begin(), taut.end());
  if (!one_sided.empty()) {
    const std::vector<Implied> known = found;
    find_stretched(model, rows, equations, one_sided, known, found);
  }
  if (!found.empty()) append(model, found);

  // What threads hold at bodies, at places that move, and until something is let go.
  const auto is_rigid = [](const Body& one) { return one.kind == BodyKind::rigid; };
  const auto moves_or_sums = [](const RowGroup& one) {
    const auto roots = std::count_if(one.tape.instructions.begin(), one.tape.instructions.end(),
                                     [](const expressions::Instruction& i) { return i.op == expressions::Op::sqrt; });
    return one.holonomic && (one.rheonomic || roots > 1);
  };
  const bool special = !model.releases.empty() || std::any_of(model.bodies.begin(), model.bodies.end(), is_rigid) ||
                       std::any_of(model.groups.begin(), model.groups.end(), moves_or_sums);
  if (!special) return;
  if (!found.empty()) {
    scratch = make_scratch(model);
    rows = make_rows(model);
    evaluate_rows(model, initial_state(model), scratch, rows);
  }
  add_stretched(model, rows);
}

}  // namespace zwang::model
