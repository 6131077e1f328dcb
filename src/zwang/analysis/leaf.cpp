/// Points and jets on level sets.
#include "zwang/analysis/leaf.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::analysis {

using expressions::Expr;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

/// Gragg's midpoint rule with so many steps over a stretch.
std::optional<std::vector<double>> midpoint(const Slope& slope, const std::vector<double>& x, double begin,
                                            double stretch, unsigned steps) {
  const double h = stretch / steps;
  std::vector<double> before = x;
  std::vector<double> now = x;
  for (unsigned k = 0; k <= steps; ++k) {
    const auto rate = slope(now, begin + k * h);
    if (!rate || !all_finite(*rate)) return std::nullopt;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (k == 0) {
        now[i] += h * (*rate)[i];
      } else if (k < steps) {
        const double next = before[i] + 2 * h * (*rate)[i];
        before[i] = now[i];
        now[i] = next;
      } else {
        now[i] = 0.5 * (now[i] + before[i] + h * (*rate)[i]);
      }
    }
  }
  return now;
}

/// One stretch, extrapolated in the squares of the steps until it stands.
std::optional<std::vector<double>> stretch_of(const Slope& slope, const std::vector<double>& x, double begin,
                                              double length) {
  constexpr unsigned most = 10;
  std::array<std::vector<double>, most> table;
  for (unsigned k = 0; k < most; ++k) {
    auto rough = midpoint(slope, x, begin, length, 2 * (k + 1));
    if (!rough) return std::nullopt;
    std::vector<double> carry = std::move(*rough);
    for (unsigned j = 0; j < k; ++j) {
      const double ratio = static_cast<double>(k + 1) / static_cast<double>(k - j);
      std::swap(table.at(j), carry);
      // table[j] now is the new entry, carry the old one.
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double fresh = table.at(j)[i];
        carry[i] = fresh + (fresh - carry[i]) / (ratio * ratio - 1);
      }
    }
    double change = 1;
    double size = 0;
    if (k > 0) {
      change = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        change = std::max(change, std::abs(carry[i] - table.at(k - 1)[i]));
        size = std::max(size, std::abs(carry[i]));
      }
    }
    table.at(k) = carry;
    if (k > 2 && change <= extrapolated_on_leaf * size) return carry;
  }
  return std::nullopt;
}

}  // namespace

double Dice::throw_one() {
  seed_ += 0x9e3779b97f4a7c15U;
  std::uint64_t x = seed_;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  x ^= x >> 31U;
  return std::ldexp(static_cast<double>(x >> 11U), -52) - 1;
}

std::optional<std::vector<double>> follow(const Slope& slope, std::vector<double> x) {
  for (unsigned stretches = 2; stretches <= 128; stretches *= 4) {
    std::optional<std::vector<double>> now = x;
    for (unsigned k = 0; k < stretches && now; ++k) {
      now = stretch_of(slope, *now, static_cast<double>(k) / stretches, 1.0 / stretches);
    }
    if (now) return now;
  }
  return std::nullopt;
}

std::vector<double> Lift::direction(const std::vector<double>& reduced) const {
  std::vector<double> out(unit.size(), 0.0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    out[kept[k]] = unit[kept[k]] * reduced[k];
  }
  for (std::size_t d = 0; d < solved.size(); ++d) {
    for (std::size_t k = 0; k < kept.size(); ++k) out[solved[d]] += slope[d][k] * reduced[k];
  }
  return out;
}

Restriction::Restriction(const PfaffianSystem& system, std::vector<Level> levels)
    : system_(system), levels_(std::move(levels)) {
  // Who depends on what.
  const std::size_t n = system.columns.size();
  std::vector<bool> occurs(n, false);
  const auto mark = [&](Expr e) {
    for (const Symbol symbol : expressions::symbols(system.graph, e)) {
      if (symbol.kind == SymbolKind::position) occurs[system.column_of[symbol.index]] = true;
      if (symbol.kind == SymbolKind::time) occurs[system.time_column] = true;
    }
  };
  std::vector<Expr> functions;
  for (const Level& level : levels_) {
    mark(level.function);
    functions.push_back(level.function);
  }
  std::vector<Expr> coefficients;
  for (std::size_t f = 0; f < system.pfaffian.size(); ++f) {
    for (std::size_t c = 0; c < n; ++c) {
      if (system.graph.is_number(system.pfaffian[f][c], 0)) continue;
      mark(system.pfaffian[f][c]);
      coefficients.push_back(system.pfaffian[f][c]);
      entry_.emplace_back(f, c);
    }
  }
  place_.assign(n, -1);
  for (std::size_t c = 0; c < n; ++c) {
    if (!occurs[c]) continue;
    place_[c] = static_cast<int>(active_.size());
    active_.push_back(c);
  }
  level_program_ = std::make_shared<const Program>(system.graph, functions);
  form_program_ = std::make_shared<const Program>(system.graph, coefficients);
}

bool Restriction::gradient(const std::vector<double>& x, Gradient& out) const {
  const auto shape = jet_shape(active_.size(), 1);
  std::vector<Jet<double>> column(system_.columns.size());
  for (std::size_t c = 0; c < column.size(); ++c) {
    column[c] = constant(*shape, x[c]);
    if (place_[c] >= 0) column[c][1 + static_cast<std::size_t>(place_[c])] = system_.columns[c].unit;
  }
  const auto values = level_program_->evaluate<double>(*shape, [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::constant) return constant(*shape, system_.constants[symbol.index].value);
    return column[symbol.kind == SymbolKind::time ? system_.time_column : system_.column_of[symbol.index]];
  });
  out.value.clear();
  out.by_active.clear();
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (!all_finite(values[j])) return false;
    out.value.push_back(values[j][0] - levels_[j].value);
    out.by_active.emplace_back(values[j].begin() + 1, values[j].end());
  }
  return true;
}

bool Restriction::settle(std::vector<double>& x) const {
  if (levels_.empty()) return true;
  double before = 1e300;
  for (int round = 0; round < 30; ++round) {
    Gradient g;
    if (!gradient(x, g)) return false;
    linear::Matrix rows(levels_.size(), active_.size());
    std::vector<double> right(levels_.size());
    for (std::size_t j = 0; j < rows.rows; ++j) {
      for (std::size_t a = 0; a < rows.columns; ++a) rows(j, a) = g.by_active[j][a];
      right[j] = -g.value[j];
    }
    const std::vector<double> step = linear::least_norm(rows, right);
    double size = 0;
    for (std::size_t a = 0; a < step.size(); ++a) {
      x[active_[a]] += system_.columns[active_[a]].unit * step[a];
      size = std::max(size, std::abs(step[a]));
    }
    if (!std::isfinite(size) || size > 10) return false;
    // The last step is one that rounding alone asks for.
    if (size <= newton_done || (size < newton_near && size >= before)) return true;
    before = size;
  }
  return false;
}

bool Restriction::random_point(Dice& dice, std::vector<double>& x, bool one_sided) const {
  const std::size_t n = system_.columns.size();
  constexpr int halvings = 12;
  for (int halving = 0; halving < halvings; ++halving) {
    const double reach = std::ldexp(0.4, -halving);
    for (int tries = 0; tries < 4; ++tries) {
      x.resize(n);
      for (std::size_t c = 0; c < n; ++c) {
        const PfaffianSystem::Column& column = system_.columns[c];
        double throw_of = dice.throw_one();
        if (one_sided && column.value == 0) throw_of = 0.6 + 0.4 * throw_of;
        x[c] = column.value + reach * column.unit * throw_of;
      }
      if (!settle(x)) continue;
      const auto rows = rows_at(x);
      if (rows) return true;
    }
  }
  return false;
}

std::vector<Restriction::Pivot> Restriction::pivots(std::vector<std::vector<double>> rows) {
  std::vector<Pivot> out;
  std::vector<bool> used(rows.size(), false);
  for (std::vector<double>& row : rows) {
    double size = 0;
    for (const double x : row) size = std::max(size, std::abs(x));
    if (size > 0) {
      for (double& x : row) x /= size;
    }
  }
  for (std::size_t round = 0; round < rows.size(); ++round) {
    double best = 1e-9;
    Pivot pivot{};
    bool found = false;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (used[j]) continue;
      for (std::size_t a = 0; a < rows[j].size(); ++a) {
        if (std::abs(rows[j][a]) <= best) continue;
        best = std::abs(rows[j][a]);
        pivot = {j, a};
        found = true;
      }
    }
    if (!found) break;
    used[pivot.level] = true;
    out.push_back(pivot);
    for (std::size_t j = 0; j < rows.size(); ++j) {
      if (used[j]) continue;
      const double factor = rows[j][pivot.active] / rows[pivot.level][pivot.active];
      for (std::size_t a = 0; a < rows[j].size(); ++a) rows[j][a] -= factor * rows[pivot.level][a];
      rows[j][pivot.active] = 0;
    }
  }
  return out;
}

std::size_t Restriction::level_rank(const std::vector<double>& x) const {
  Gradient g;
  if (levels_.empty() || !gradient(x, g)) return 0;
  return pivots(g.by_active).size();
}

template <class S>
bool Restriction::forms_at(const std::vector<double>& x, std::size_t order, FormsAt<S>& forms, Lift& lift) const {
  const std::size_t n = system_.columns.size();
  // Which columns the levels are solved for.
  std::vector<Pivot> pivot;
  Gradient g;
  if (!levels_.empty()) {
    if (!gradient(x, g)) return false;
    pivot = pivots(g.by_active);
  }
  std::vector<int> solved(n, -1);
  lift = {};
  for (std::size_t d = 0; d < pivot.size(); ++d) {
    solved[active_[pivot[d].active]] = static_cast<int>(d);
    lift.solved.push_back(active_[pivot[d].active]);
  }
  std::vector<int> variable(n, -1);
  std::size_t variables = 0;
  for (const std::size_t c : active_) {
    if (solved[c] < 0) variable[c] = static_cast<int>(variables++);
  }
  // Derivatives of the solved columns cost an order.
  forms.shape = jet_shape(variables, order + (pivot.empty() ? 0 : 1));
  const JetShape& shape = *forms.shape;
  std::vector<Jet<S>> column(n);
  for (std::size_t c = 0; c < n; ++c) {
    lift.unit.push_back(system_.columns[c].unit);
    column[c] = constant(shape, S(x[c]));
    if (variable[c] >= 0) column[c][1 + static_cast<std::size_t>(variable[c])] = S(lift.unit[c]);
    if (solved[c] < 0) lift.kept.push_back(c);
  }
  const auto of = [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::constant) {
      const PfaffianSystem::Constant& number = system_.constants[symbol.index];
      return constant(shape, number.pi ? pi<S>() : S(number.value));
    }
    return column[symbol.kind == SymbolKind::time ? system_.time_column : system_.column_of[symbol.index]];
  };

  // Newton's rule with the matrix of the point: every round makes one more order right.
  if (!pivot.empty()) {
    const std::size_t m = pivot.size();
    linear::Matrix matrix(m, m);
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t d = 0; d < m; ++d) matrix(j, d) = g.by_active[pivot[j].level][pivot[d].active];
    }
    std::vector<std::vector<double>> inverse(m);
    for (std::size_t j = 0; j < m; ++j) {
      std::vector<double> one(m, 0.0);
      one[j] = 1;
      inverse[j] = linear::least_norm(matrix, one);
    }
    for (std::size_t round = 0; round < shape.order() + (sizeof(S) == sizeof(double) ? 2 : 4); ++round) {
      const auto values = level_program_->evaluate<S>(shape, of);
      for (std::size_t j = 0; j < m; ++j) {
        Jet<S> defect = values[pivot[j].level];
        defect[0] -= S(levels_[pivot[j].level].value);
        for (std::size_t d = 0; d < m; ++d) {
          const std::size_t c = lift.solved[d];
          add_to(column[c], defect, -inverse[j][d] * lift.unit[c]);
        }
      }
    }
    for (const std::size_t c : lift.solved) {
      lift.slope.emplace_back();
      for (const std::size_t k : lift.kept) {
        lift.slope.back().push_back(variable[k] < 0 ? 0.0
                                                    : narrow(column[c][1 + static_cast<std::size_t>(variable[k])]));
      }
    }
  }

  // The forms on what is kept.
  forms.variable.clear();
  for (const std::size_t c : lift.kept) forms.variable.push_back(variable[c]);
  const Jet<S> zero = constant(shape, S(0));
  std::vector<std::vector<Jet<S>>> whole(system_.pfaffian.size(), std::vector<Jet<S>>(n, zero));
  const auto values = form_program_->evaluate<S>(shape, of);
  for (std::size_t k = 0; k < values.size(); ++k) {
    for (const S& entry : values[k]) {
      if (!std::isfinite(narrow(entry))) return false;
    }
    whole[entry_[k].first][entry_[k].second] = values[k];
  }
  forms.form.clear();
  for (const auto& row : whole) {
    std::vector<Jet<S>> kept;
    for (const std::size_t c : lift.kept) {
      Jet<S> entry = row[c];
      for (S& a : entry) a *= S(lift.unit[c]);
      if (variable[c] >= 0) {
        for (const std::size_t d : lift.solved) {
          if (is_zero(row[d])) continue;
          const Jet<S> slope = derivative(shape, column[d], static_cast<std::size_t>(variable[c]));
          add_to(entry, multiply(shape, row[d], slope));
        }
      }
      kept.push_back(std::move(entry));
    }
    forms.form.push_back(std::move(kept));
  }
  return true;
}

std::optional<std::vector<std::vector<double>>> Restriction::rows_at(const std::vector<double>& x) const {
  const std::size_t n = system_.columns.size();
  std::vector<std::vector<double>> rows;
  if (!levels_.empty()) {
    Gradient g;
    if (!gradient(x, g)) return std::nullopt;
    for (const auto& row : g.by_active) {
      rows.emplace_back(n, 0.0);
      for (std::size_t a = 0; a < row.size(); ++a) rows.back()[active_[a]] = row[a];
    }
  }
  const auto shape = jet_shape(0, 0);
  const auto values = form_program_->evaluate<double>(*shape, [&](Symbol symbol) {
    if (symbol.kind == SymbolKind::constant) return Jet<double>{system_.constants[symbol.index].value};
    return Jet<double>{x[symbol.kind == SymbolKind::time ? system_.time_column : system_.column_of[symbol.index]]};
  });
  const std::size_t first = rows.size();
  rows.resize(first + system_.pfaffian.size(), std::vector<double>(n, 0.0));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k][0])) return std::nullopt;
    rows[first + entry_[k].first][entry_[k].second] = values[k][0] * system_.columns[entry_[k].second].unit;
  }
  // One unit for all rows.
  for (auto& row : rows) {
    double size = 0;
    for (const double entry : row) size = std::max(size, std::abs(entry));
    if (size > 0) {
      for (double& entry : row) entry /= size;
    }
  }
  return rows;
}

std::optional<std::vector<double>> Restriction::wander(std::vector<double> x, Dice& dice) const {
  const std::size_t n = x.size();
  // Three ways, each the allowed part of a random push.
  for (int leg = 0; leg < 3; ++leg) {
    std::vector<double> push(n);
    for (double& p : push) p = 0.4 * dice.throw_one();
    const Slope slope = [&](const std::vector<double>& at, double) -> std::optional<std::vector<double>> {
      const auto rows = rows_at(at);
      if (!rows) return std::nullopt;
      linear::Matrix matrix(rows->size(), n);
      std::vector<double> right(rows->size(), 0.0);
      for (std::size_t j = 0; j < rows->size(); ++j) {
        for (std::size_t c = 0; c < n; ++c) {
          matrix(j, c) = (*rows)[j][c];
          right[j] += matrix(j, c) * push[c];
        }
      }
      const std::vector<double> forbidden = linear::least_norm(matrix, right);
      std::vector<double> rate(n);
      for (std::size_t c = 0; c < n; ++c) rate[c] = system_.columns[c].unit * (push[c] - forbidden[c]);
      return rate;
    };
    const auto next = follow(slope, x);
    if (!next) return std::nullopt;
    x = *next;
    if (!settle(x)) return std::nullopt;
  }
  return x;
}

template bool Restriction::forms_at(const std::vector<double>&, std::size_t, FormsAt<double>&, Lift&) const;
template bool Restriction::forms_at(const std::vector<double>&, std::size_t, FormsAt<Wide>&, Lift&) const;

}  // namespace zwang::analysis
