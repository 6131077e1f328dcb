/// What stands in core.hpp.
#include "zwang/model/implied/core.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "zwang/base/groups.hpp"
#include "zwang/model/implied/equation.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

namespace {

/// Rows of a body member's components.
struct Member {
  std::uint32_t first = 0;
  std::uint32_t dimension = 0;
};

}  // namespace

namespace {

/// Conditions on positions, of one kind, that stand from the start and are none of those marked.
std::vector<std::uint32_t> standing(const Model& model, RowKind kind, const std::vector<std::uint8_t>& let_go,
                                    bool moving) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const Condition& condition = model.conditions[model.row_condition[row]];
    const RowGroup& group = model.groups[model.row_group[row]];
    if (model.row_kind[row] != kind || condition.seizure || condition.alternatives > 1) continue;
    if (let_go[row] != 0 || (group.rheonomic && !moving) || group.modes > 0 || group.positions == 0) continue;
    out.push_back(row);
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> lasting(const Model& model, RowKind kind) {
  std::vector<std::uint8_t> let_go(model.rows(), 0);
  for (const Release& release : model.releases) {
    for (const std::uint32_t row : release.rows) let_go[row] = 1;
  }
  return standing(model, kind, let_go, false);
}

std::vector<std::uint32_t> standing_without(const Model& model, RowKind kind, const std::vector<std::size_t>& gone) {
  std::vector<std::uint8_t> let_go(model.rows(), 0);
  for (const std::size_t release : gone) {
    for (const std::uint32_t row : model.releases[release].rows) let_go[row] = 1;
  }
  return standing(model, kind, let_go, true);
}

std::vector<std::uint32_t> opposite_halves(const Model& model, const Rows& rows) {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> by_columns;
  for (const std::uint32_t row : lasting(model, RowKind::holonomic_inequality)) {
    if (!(std::abs(rows.value[row]) <= model.simulation.touch * rows.value_scale[row])) continue;
    by_columns[{model.row_column.begin() + model.row_start[row], model.row_column.begin() + model.row_start[row + 1]}]
        .push_back(row);
  }
  std::vector<std::uint32_t> out;
  for (const auto& [columns, list] : by_columns) {
    std::vector<std::uint8_t> taken(list.size(), 0);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t k = i + 1; k < list.size() && taken[i] == 0; ++k) {
        double along = 0;
        for (std::size_t e = 0; e < columns.size(); ++e) {
          along += rows.entry[model.row_start[list[i]] + e] * rows.entry[model.row_start[list[k]] + e];
        }
        if (taken[k] != 0 || !(along < 0)) continue;
        const std::optional<Equation> a = read_equation(model, list[i]);
        const std::optional<Equation> b = read_equation(model, list[k]);
        if (!a || !b || !same(*a, *b)) continue;
        taken[i] = taken[k] = 1;
        out.push_back(list[i]);
      }
    }
  }
  return out;
}

std::vector<std::uint32_t> core_of(const Model& model, const Rows& rows, std::vector<std::uint32_t> among) {
  std::vector<Member> members;
  std::vector<std::uint32_t> member_of(model.variables, 0);
  for (const Body& body : model.bodies) {
    for (std::uint32_t k = 0; k < body.members(); ++k) {
      const std::uint32_t first = body.first + k * body.dimension;
      for (std::uint32_t c = 0; c < body.dimension; ++c)
        member_of[first + c] = static_cast<std::uint32_t>(members.size());
      members.push_back({first, body.dimension});
    }
  }
  std::vector<std::vector<std::uint32_t>> rows_of(members.size());
  std::vector<std::uint8_t> alive(model.rows(), 0);
  for (const std::uint32_t row : among) {
    alive[row] = 1;
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      std::vector<std::uint32_t>& list = rows_of[member_of[model.row_column[e]]];
      if (list.empty() || list.back() != row) list.push_back(row);
    }
  }
  std::vector<std::uint32_t> open(members.size());
  std::iota(open.begin(), open.end(), 0U);
  while (!open.empty()) {
    const std::uint32_t m = open.back();
    open.pop_back();
    std::erase_if(rows_of[m], [&](std::uint32_t row) { return alive[row] == 0; });
    const std::vector<std::uint32_t>& own = rows_of[m];
    if (own.empty() || own.size() > members[m].dimension) continue;
    // Their directions at this body, one after the other.
    std::vector<Vector> basis;
    bool independent = true;
    for (const std::uint32_t row : own) {
      Vector g(members[m].dimension, 0.0);
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        if (member_of[model.row_column[e]] == m) g[model.row_column[e] - members[m].first] = rows.entry[e];
      }
      const double length = norm(g);
      for (const Vector& one : basis) subtract(g, dot(g, one), one);
      const double rest = norm(g);
      independent = independent && length > 0 && rest > clearly_apart * length;
      if (!independent) break;
      scale(g, 1 / rest);
      basis.push_back(std::move(g));
    }
    if (!independent) continue;
    for (const std::uint32_t row : own) {
      alive[row] = 0;
      for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
        const std::uint32_t other = member_of[model.row_column[e]];
        if (other != m && (open.empty() || open.back() != other)) open.push_back(other);
      }
    }
    rows_of[m].clear();
  }
  std::erase_if(among, [&](std::uint32_t row) { return alive[row] == 0; });
  return among;
}

std::vector<std::vector<std::uint32_t>> parts_of(const Model& model, const std::vector<std::uint32_t>& rows) {
  Groups groups(model.variables);
  for (const std::uint32_t row : rows) {
    for (std::uint32_t e = model.row_start[row] + 1; e < model.row_start[row + 1]; ++e) {
      groups.join(model.row_column[e - 1], model.row_column[e]);
    }
  }
  std::vector<std::vector<std::uint32_t>> out;
  std::vector<std::uint32_t> number(model.variables, 0);
  for (const std::uint32_t row : rows) {
    if (model.row_start[row] == model.row_start[row + 1]) continue;
    std::uint32_t& at = number[groups.of(model.row_column[model.row_start[row]])];
    if (at == 0) {
      out.emplace_back();
      at = static_cast<std::uint32_t>(out.size());
    }
    out[at - 1].push_back(row);
  }
  return out;
}

}  // namespace zwang::model
