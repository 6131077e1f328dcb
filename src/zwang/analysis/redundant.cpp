/// A largest independent set in the order of the file, and the proof at random points.
#include "zwang/analysis/redundant.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/analysis/integrals.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/tolerances.hpp"

namespace zwang::analysis {

namespace {

using expressions::Expr;

/// Rows taken one after another; `enters` tells whether a row is new beside those before it.
class Basis {
 public:
  explicit Basis(double least) : least_(least) {}
  bool enters(std::vector<double> row) {
    const double before = length(row);
    if (before == 0) return false;
    // Twice, so that what is left is orthogonal to rounding.
    for (int twice = 0; twice < 2; ++twice) {
      for (const std::vector<double>& b : rows_) {
        double along = 0;
        for (std::size_t i = 0; i < row.size(); ++i) along += b[i] * row[i];
        for (std::size_t i = 0; i < row.size(); ++i) row[i] -= along * b[i];
      }
    }
    const double left = length(row);
    if (!(left > least_ * before)) return false;
    for (double& x : row) x /= left;
    rows_.push_back(std::move(row));
    return true;
  }

 private:
  static double length(const std::vector<double>& row) {
    double sum = 0;
    for (const double x : row) sum += x * x;
    return std::sqrt(sum);
  }
  double least_;
  std::vector<std::vector<double>> rows_;
};

std::vector<double> in_units(const PfaffianSystem& system, std::vector<double> gradient) {
  for (std::size_t c = 0; c < gradient.size(); ++c) gradient[c] *= system.columns[c].unit;
  return gradient;
}

double longest(const std::vector<double>& row) {
  double most = 0;
  for (const double x : row) most = std::max(most, std::abs(x));
  return most;
}

constexpr int proof_points = 3;  ///< one of them would do for analytic functions; more for points that lie badly

/// Holonomic equations that hold wherever the independent ones do.
std::vector<bool> implied(const PfaffianSystem& system) {
  const std::size_t count = system.holonomic.size();
  std::vector<bool> out(count, false);
  std::vector<double> here;
  for (const PfaffianSystem::Column& column : system.columns) here.push_back(column.value);
  Basis basis(nearly_dependent);
  std::vector<Level> kept;
  std::vector<std::size_t> doubtful;
  std::vector<double> value(count);
  for (std::size_t j = 0; j < count; ++j) {
    const ValueAndGradient at = differentiate(system, system.holonomic[j], here);
    value[j] = at.value;
    if (std::any_of(at.gradient.begin(), at.gradient.end(), [](double g) { return !std::isfinite(g); })) return out;
    if (basis.enters(in_units(system, at.gradient))) {
      kept.push_back({system.holonomic[j], at.value});
    } else {
      doubtful.push_back(j);
    }
  }
  if (doubtful.empty()) return out;

  // What the others leave, on the levels of the state: do the doubtful ones keep their values there?
  const Restriction rest(system, kept);
  Dice dice(1829);
  // The nearer points are for equations with another branch close by (the mirror image of a point whose three distances are given).
  for (const double reach : {0.02, 0.001}) {
    std::vector<bool> holds(count, true);
    bool settled = true;
    for (int k = 0; k < proof_points && settled; ++k) {
      std::vector<double> x = here;
      for (std::size_t c = 0; c < x.size(); ++c) x[c] += reach * system.columns[c].unit * dice.throw_one();
      settled = rest.settle(x);
      for (std::size_t l = 0; l < doubtful.size() && settled; ++l) {
        const std::size_t j = doubtful[l];
        const ValueAndGradient at = differentiate(system, system.holonomic[j], x);
        const double size = longest(in_units(system, at.gradient));
        holds[j] = holds[j] && std::abs(at.value - value[j]) <= still_satisfied * size;
      }
    }
    for (const std::size_t j : doubtful) out[j] = out[j] || (settled && holds[j]);
  }
  return out;
}

/// Pfaffian conditions that others contain at general points of the level set.
std::vector<bool> contained(const PfaffianSystem& system) {
  std::vector<bool> out(system.pfaffian.size(), true);
  std::vector<Level> levels;
  std::vector<double> here;
  for (const PfaffianSystem::Column& column : system.columns) here.push_back(column.value);
  for (const Expr f : system.holonomic) levels.push_back({f, differentiate(system, f, here).value});
  const Restriction rest(system, levels);
  Dice dice(1884);
  for (int k = 0; k < proof_points; ++k) {
    std::vector<double> x;
    const auto rows = rest.random_point(dice, x) ? rest.rows_at(x) : std::nullopt;
    if (!rows) return std::vector<bool>(out.size(), false);
    Basis basis(no_derived_direction);
    for (std::size_t j = 0; j < rows->size(); ++j) {
      const bool fresh = basis.enters((*rows)[j]);
      if (j >= levels.size() && fresh) out[j - levels.size()] = false;
    }
  }
  return out;
}

template <class T>
void leave_out(std::vector<T>& list, const std::vector<bool>& gone) {
  std::size_t place = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (gone[k]) continue;
    if (place != k) list[place] = std::move(list[k]);
    ++place;
  }
  list.resize(place);
}

}  // namespace

std::size_t leave_out_redundant(PfaffianSystem& system) {
  const std::size_t before = system.conditions();
  if (system.holonomic.size() > 1) {
    const std::vector<bool> gone = implied(system);
    leave_out(system.holonomic, gone);
    leave_out(system.holonomic_row, gone);
  }
  if (!system.pfaffian.empty() && system.conditions() > 1) {
    const std::vector<bool> gone = contained(system);
    leave_out(system.pfaffian, gone);
    leave_out(system.pfaffian_row, gone);
  }
  return before - system.conditions();
}

}  // namespace zwang::analysis
