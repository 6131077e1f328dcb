/// The nearest point in exact arithmetic.
#include "zwang/rational/nearest.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>

#include "zwang/rational/value.hpp"

namespace zwang::rational {

namespace {

using Matrix = std::vector<std::vector<Integer>>;

void multiply_in(Integer& common, const Fraction& with) {
  const Integer below = denominator(with);
  if (common % below != 0) common = lcm(common, below);
}

/// A whole number from a fraction times a multiple of its denominator.
Integer times(const Fraction& fraction, const Integer& common) {
  return numerator(fraction) * (common / denominator(fraction));
}

/// Elimination without fractions of a square matrix with right-hand sides behind it: afterwards the matrix is det times the identity, and
/// the right-hand sides are det times the solutions. Zero if a pivot is: for a Gram matrix its row depends on those before it, and `bad` is
/// its number.
Integer eliminate(Matrix& m, std::size_t& bad) {
  const std::size_t size = m.size();
  Integer last = 1;
  for (std::size_t k = 0; k < size; ++k) {
    if (m[k][k] == 0) {
      bad = k;
      return 0;
    }
    const Integer pivot = m[k][k];
    const std::size_t width = m[k].size();
    for (std::size_t i = 0; i < size; ++i) {
      if (i == k) continue;
      const Integer factor = m[i][k];
      for (std::size_t j = k + 1; j < width; ++j) {
        m[i][j] = factor == 0 ? Integer(pivot * m[i][j] / last) : Integer((pivot * m[i][j] - factor * m[k][j]) / last);
      }
      m[i][k] = 0;
      if (i < k) m[i][i] = pivot;
    }
    last = pivot;
  }
  return last;
}

/// W of one block, times its determinant: whole numbers over one denominator.
std::optional<std::vector<Fraction>> inverse(const MassBlock& block) {
  const std::size_t size = block.variables.size();
  assert(block.entries.size() == size * size);
  Integer common = 1;
  for (const Number& entry : block.entries) multiply_in(common, fraction(entry));
  Matrix m(size, std::vector<Integer>(2 * size));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) m[i][j] = times(fraction(block.entries[i * size + j]), common);
    m[i][size + i] = common;
  }

  // Positive definite if and only if all leading minors are positive: the pivots, as they come.
  Integer last = 1;
  for (std::size_t k = 0; k < size; ++k) {
    const Integer pivot = m[k][k];
    if (pivot <= 0) return std::nullopt;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == k) continue;
      const Integer factor = m[i][k];
      for (std::size_t j = 0; j < 2 * size; ++j) m[i][j] = (pivot * m[i][j] - factor * m[k][j]) / last;
    }
    last = pivot;
  }
  std::vector<Fraction> out(size * size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) out[i * size + j] = Fraction(m[i][size + j], m[i][i]);
  }
  return out;
}

/// The dual problem in whole numbers. Rows are scaled by `scale`, W by `mass_scale`, the free slacks by `free_scale` besides; none of this
/// changes a sign.
struct Dual {
  std::size_t n = 0, r = 0;
  std::vector<std::map<std::uint32_t, Fraction>> inverse_mass;  ///< W by rows
  std::vector<Fraction> scale;
  Integer mass_scale = 1, free_scale = 1;
  Matrix phi;
  std::vector<Integer> free;
  std::vector<std::vector<std::pair<std::uint32_t, Integer>>> rows;  ///< scaled J
};

bool prepare(const Problem& problem, Dual& dual) {
  dual.n = problem.a0.size();
  dual.r = problem.rows.size();
  dual.inverse_mass.resize(dual.n);
  for (const MassBlock& block : problem.mass) {
    const std::optional<std::vector<Fraction>> w = inverse(block);
    if (!w) return false;
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const Fraction& entry = (*w)[i * size + j];
        if (entry == 0) continue;
        multiply_in(dual.mass_scale, entry);
        dual.inverse_mass[block.variables[i]][block.variables[j]] = entry;
      }
    }
  }

  // Rows without common factors or denominators.
  dual.scale.resize(dual.r);
  dual.rows.resize(dual.r);
  std::vector<Fraction> free(dual.r);
  for (std::size_t i = 0; i < dual.r; ++i) {
    const Row& row = problem.rows[i];
    Integer common = 1, factor = 0;
    for (const auto& [column, entry] : row.entries) multiply_in(common, fraction(entry));
    for (const auto& [column, entry] : row.entries) {
      const Integer whole = times(fraction(entry), common);
      if (whole == 0) continue;
      factor = gcd(factor, whole);
      dual.rows[i].emplace_back(column, whole);
    }
    if (factor == 0) factor = 1;
    for (auto& [column, entry] : dual.rows[i]) entry /= factor;
    dual.scale[i] = Fraction(common, factor);
    Fraction slack = fraction(row.h);
    for (const auto& [column, entry] : row.entries) slack += fraction(entry) * fraction(problem.a0[column]);
    free[i] = slack * dual.scale[i];
    multiply_in(dual.free_scale, free[i]);
  }
  dual.free.resize(dual.r);
  for (std::size_t i = 0; i < dual.r; ++i) dual.free[i] = times(free[i], dual.free_scale);

  // Phi.
  dual.phi.assign(dual.r, std::vector<Integer>(dual.r));
  for (std::size_t i = 0; i < dual.r; ++i) {
    std::map<std::uint32_t, Integer> product;
    for (const auto& [column, entry] : dual.rows[i]) {
      for (const auto& [other, w] : dual.inverse_mass[column]) product[other] += entry * times(w, dual.mass_scale);
    }
    for (std::size_t k = 0; k <= i; ++k) {
      Integer sum = 0;
      for (const auto& [column, entry] : dual.rows[k]) {
        const auto found = product.find(column);
        if (found != product.end()) sum += entry * found->second;
      }
      dual.phi[i][k] = sum;
      dual.phi[k][i] = sum;
    }
  }
  return true;
}

/// Phi_SS^-1 of the free slacks and of the column of p, over one denominator.
struct Held {
  Integer below = 1;
  std::vector<Integer> free;
  std::vector<Integer> column;
};

/// None if the rows are dependent; `bad` is then the place of one that depends on those before it.
std::optional<Held> hold(const Dual& dual, const std::vector<std::uint32_t>& set, std::optional<std::uint32_t> p,
                         std::size_t& bad) {
  const std::size_t k = set.size();
  Matrix m(k);
  for (std::size_t i = 0; i < k; ++i) {
    m[i].reserve(k + 2);
    for (std::size_t j = 0; j < k; ++j) m[i].push_back(dual.phi[set[i]][set[j]]);
    m[i].push_back(dual.free[set[i]]);
    if (p) m[i].push_back(dual.phi[set[i]][*p]);
  }
  Held out;
  if (k > 0) out.below = eliminate(m, bad);
  if (out.below == 0) return std::nullopt;
  for (std::size_t i = 0; i < k; ++i) {
    out.free.push_back(m[i][k]);
    if (p) out.column.push_back(m[i][k + 1]);
  }
  return out;
}

/// The slack of a row, times `held.below`.
Integer slack(const Dual& dual, const std::vector<std::uint32_t>& set, const Held& held, std::uint32_t row) {
  Integer sum = dual.free[row] * held.below;
  for (std::size_t i = 0; i < set.size(); ++i) sum -= dual.phi[row][set[i]] * held.free[i];
  return sum;
}

/// The rows of the start that are independent, without inequalities that would have to pull: equations first.
std::vector<std::uint32_t> begin_with(const Problem& problem, const Dual& dual,
                                      const std::vector<std::uint32_t>& start) {
  std::vector<std::uint32_t> set;
  for (const std::uint32_t row : start) {
    if (problem.rows[row].equation) set.push_back(row);
  }
  for (const std::uint32_t row : start) {
    if (!problem.rows[row].equation) set.push_back(row);
  }
  while (true) {
    std::size_t bad = 0;
    const std::optional<Held> held = hold(dual, set, std::nullopt, bad);
    if (!held) {
      set.erase(set.begin() + static_cast<std::ptrdiff_t>(bad));
      continue;
    }
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (problem.rows[set[i]].equation || held->free[i] >= 0) kept.push_back(set[i]);
    }
    if (kept.size() == set.size()) return set;
    set = std::move(kept);
  }
}

/// A row that is broken while the set is held: equations first, then the first one.
std::optional<std::uint32_t> broken(const Problem& problem, const Dual& dual, const std::vector<std::uint32_t>& set,
                                    const Held& held, int& side) {
  for (const bool equations : {true, false}) {
    for (std::uint32_t row = 0; row < dual.r; ++row) {
      if (problem.rows[row].equation != equations || std::find(set.begin(), set.end(), row) != set.end()) continue;
      const int sign = slack(dual, set, held, row).sign();
      if (sign > 0 || (equations && sign < 0)) {
        side = sign;
        return row;
      }
    }
  }
  return std::nullopt;
}

/// Row p enters the set from the side on which it is broken; rows that would have to pull leave. False: it cannot, and `farkas` (of the
/// scaled rows) proves it.
bool enter(const Problem& problem, const Dual& dual, std::uint32_t p, int side, std::vector<std::uint32_t>& set,
           std::size_t& changes, std::vector<Fraction>& farkas) {
  while (true) {
    std::size_t bad = 0;
    const std::optional<Held> held = hold(dual, set, p, bad);
    assert(held && "a set stays independent");
    ++changes;

    // How much of row p the set leaves, and how far p may be pushed until a row held has to pull.
    Integer stiffness = dual.phi[p][p] * held->below;
    for (std::size_t i = 0; i < set.size(); ++i) stiffness -= dual.phi[p][set[i]] * held->column[i];
    std::optional<std::size_t> first;  // of the least quotient above / fall, fall > 0
    Integer above, fall;
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (problem.rows[set[i]].equation || (side > 0 ? held->column[i] <= 0 : held->column[i] >= 0)) continue;
      const Integer size = abs(held->column[i]);
      if (first && held->free[i] * fall >= above * size) continue;
      first = i;
      above = held->free[i];
      fall = size;
    }
    if (stiffness == 0 && !first) {
      farkas.assign(dual.r, 0);
      farkas[p] = side;
      for (std::size_t i = 0; i < set.size(); ++i) farkas[set[i]] = Fraction(-side * held->column[i], held->below);
      return false;
    }
    const Integer off = side * slack(dual, set, *held, p);
    if (stiffness != 0 && (!first || off * fall <= above * stiffness)) {
      set.push_back(p);
      return true;
    }
    set.erase(set.begin() + static_cast<std::ptrdiff_t>(*first));
  }
}

void write_answer(const Problem& problem, const Dual& dual, const std::vector<std::uint32_t>& set, Answer& answer) {
  std::size_t bad = 0;
  const std::optional<Held> held = hold(dual, set, std::nullopt, bad);
  assert(held);
  // All numbers over common denominators, reduced once at the end.
  const Integer below = dual.free_scale * held->below;
  std::vector<Integer> push(dual.n);
  answer.lambda.assign(dual.r, Number());
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (const auto& [column, entry] : dual.rows[set[i]]) push[column] += held->free[i] * entry;
    answer.lambda[set[i]] = number(Fraction(held->free[i] * dual.mass_scale * numerator(dual.scale[set[i]]),
                                            below * denominator(dual.scale[set[i]])));
  }
  answer.a.clear();
  for (std::size_t j = 0; j < dual.n; ++j) {
    Integer moved = 0;
    for (const auto& [other, w] : dual.inverse_mass[j]) {
      if (push[other] != 0) moved += times(w, dual.mass_scale) * push[other];
    }
    answer.a.push_back(moved == 0 ? problem.a0[j] : problem.a0[j] - number(Fraction(moved, below)));
  }
  answer.w.clear();
  for (std::uint32_t i = 0; i < dual.r; ++i) {
    const Integer off = slack(dual, set, *held, i);
    answer.w.push_back(off == 0 ? Number()
                                : number(Fraction(off * denominator(dual.scale[i]), below * numerator(dual.scale[i]))));
  }
}

/// A sum of products that is asked for its sign alone: over one denominator, which is a multiple of most that come, and never reduced: that would cost
/// more than all the rest.
class Sum {
 public:
  void add(const Fraction& a, const Fraction& b) {
    const Integer up = numerator(a) * numerator(b), down = denominator(a) * denominator(b);
    Integer times, rest;
    divide_qr(below_, down, times, rest);
    if (rest == 0) {
      above_ += up * times;
    } else {
      const Integer missing = down / gcd(below_, down);
      below_ *= missing;
      above_ = above_ * missing + up * (below_ / down);
    }
  }
  void add(const Number& a, const Number& b) { add(fraction(a), fraction(b)); }
  [[nodiscard]] int sign() const { return above_.sign(); }

 private:
  Integer above_ = 0, below_ = 1;
};

}  // namespace

Answer nearest_point(const Problem& problem, const std::vector<std::uint32_t>& start) {
  Answer answer;
  Dual dual;
  if (!prepare(problem, dual)) return answer;
  std::vector<std::uint32_t> set = begin_with(problem, dual, start);
  while (true) {
    std::size_t bad = 0;
    const std::optional<Held> held = hold(dual, set, std::nullopt, bad);
    assert(held);
    int side = 0;
    const std::optional<std::uint32_t> p = broken(problem, dual, set, *held, side);
    if (!p) break;
    std::vector<Fraction> farkas;
    if (enter(problem, dual, *p, side, set, answer.changes, farkas)) continue;
    answer.verdict = Verdict::contradictory;
    for (std::size_t i = 0; i < dual.r; ++i) answer.farkas.push_back(number(farkas[i] * dual.scale[i]));
    answer.held = std::move(set);
    return answer;
  }
  answer.verdict = Verdict::nearest;
  write_answer(problem, dual, set, answer);
  std::sort(set.begin(), set.end());
  answer.held = std::move(set);
  return answer;
}

std::string refute(const Problem& problem, const Answer& answer) {
  const std::size_t n = problem.a0.size(), r = problem.rows.size();
  const bool proof = answer.verdict == Verdict::contradictory;
  if (answer.verdict == Verdict::no_metric) return "nothing is claimed";
  const std::vector<Number>& multiplier = proof ? answer.farkas : answer.lambda;
  if (multiplier.size() != r || (!proof && answer.a.size() != n)) return "a number is missing";

  // J^T of the multipliers, and their signs.
  std::vector<Sum> sum(n);
  Sum offset;
  for (std::size_t i = 0; i < r; ++i) {
    if (!problem.rows[i].equation && multiplier[i].sign() < 0) return "an inequality pulls";
    for (const auto& [column, entry] : problem.rows[i].entries) sum[column].add(multiplier[i], entry);
    offset.add(multiplier[i], problem.rows[i].h);
  }
  if (proof) {
    const bool balanced = std::all_of(sum.begin(), sum.end(), [](const Sum& one) { return one.sign() == 0; });
    if (!balanced) return "the rows of the proof do not cancel";
    return offset.sign() > 0 ? "" : "the rows of the proof do not contradict each other";
  }

  // M (a - a0) + J^T lambda = 0; then the rows themselves.
  for (const MassBlock& block : problem.mass) {
    const std::size_t size = block.variables.size();
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        const std::uint32_t other = block.variables[j];
        const Number& entry = block.entries[i * size + j];
        sum[block.variables[i]].add(entry, answer.a[other]);
        sum[block.variables[i]].add(-entry, problem.a0[other]);
      }
    }
  }
  if (!std::all_of(sum.begin(), sum.end(), [](const Sum& one) { return one.sign() == 0; })) {
    return "forces and accelerations do not balance";
  }
  for (std::size_t i = 0; i < r; ++i) {
    Sum w;
    w.add(problem.rows[i].h, Number(1));
    for (const auto& [column, entry] : problem.rows[i].entries) w.add(entry, answer.a[column]);
    const int sign = w.sign();
    if (problem.rows[i].equation ? sign != 0 : sign > 0) return "a row is broken";
    if (sign < 0 && multiplier[i].sign() != 0) return "an open row pushes";
  }
  return {};
}

std::vector<Dependence> dependences(const std::vector<Row>& rows, std::size_t variables) {
  // Every row less what the independent ones before it hold of it, and how it was made of them.
  struct Reduced {
    std::uint32_t pivot = 0;
    std::vector<Fraction> row;   ///< over the variables
    std::vector<Fraction> made;  ///< over the rows
  };
  std::vector<Reduced> basis;
  std::vector<Dependence> out;
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    Reduced now{0, std::vector<Fraction>(variables), std::vector<Fraction>(rows.size())};
    for (const auto& [column, entry] : rows[i].entries) now.row[column] = fraction(entry);
    now.made[i] = 1;
    for (const Reduced& one : basis) {
      const Fraction factor = now.row[one.pivot] / one.row[one.pivot];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < variables; ++j) now.row[j] -= factor * one.row[j];
      for (std::size_t k = 0; k <= i; ++k) now.made[k] -= factor * one.made[k];
    }
    const auto pivot = std::find_if(now.row.begin(), now.row.end(), [](const Fraction& entry) { return entry != 0; });
    if (pivot != now.row.end()) {
      now.pivot = static_cast<std::uint32_t>(pivot - now.row.begin());
      basis.push_back(std::move(now));
      continue;
    }
    Dependence found{i, {}};
    for (std::uint32_t k = 0; k < i; ++k) {
      if (now.made[k] != 0) found.combination.emplace_back(k, number(-now.made[k]));
    }
    out.push_back(std::move(found));
  }
  return out;
}

bool unique_multipliers(const Problem& problem, const Answer& answer) {
  // The rows with w = 0: those whose multiplier may go either way, and those where it may only grow.
  std::vector<Row> both, all;
  std::vector<std::size_t> growing;
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    if (answer.w[i].sign() != 0) continue;
    const bool free = problem.rows[i].equation || answer.lambda[i].sign() > 0;
    if (free) both.push_back(problem.rows[i]);
    if (!free) growing.push_back(all.size());
    all.push_back(problem.rows[i]);
  }
  const std::size_t n = problem.a0.size();
  if (!dependences(both, n).empty()) return false;
  if (dependences(all, n).empty()) return true;

  // Is there a d with J^T d = 0, d >= 0 where it may only grow, and sum of those 1? A nearest-point problem over d.
  Problem direction;
  direction.a0.resize(all.size());
  for (std::uint32_t k = 0; k < all.size(); ++k) direction.mass.push_back({{k}, {Number(1)}});
  std::vector<Row> columns(n);
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    for (const auto& [column, entry] : all[k].entries) columns[column].entries.emplace_back(k, entry);
  }
  for (Row& row : columns) {
    row.equation = true;
    if (!row.entries.empty()) direction.rows.push_back(std::move(row));
  }
  Row total{{}, Number(-1), true};
  for (const std::size_t k : growing) {
    total.entries.emplace_back(static_cast<std::uint32_t>(k), Number(1));
    direction.rows.push_back({{{static_cast<std::uint32_t>(k), Number(-1)}}, Number(), false});
  }
  direction.rows.push_back(std::move(total));
  return nearest_point(direction).verdict == Verdict::contradictory;
}

}  // namespace zwang::rational
