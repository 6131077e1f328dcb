/// Multipliers that are not unique, brought down to as many rows as are independent.
///
///   sum_j lambda_j g_j = M (a0 - a) is given, lambda_j >= 0 for inequalities.   With sum_j y_j g_j = 0, lambda - theta y is as good;
///   theta grows until the first lambda_j is zero: that row need not act, and one dependence less is left (Caratheodory).
///
/// The rows that act in the end are independent and their multipliers not negative. A factor that skips dependent rows and has the
/// others act alone would find the same; which rows it skips must be told from the signs.
///
/// Symbols: g_j gradients, in units of their length |g_j| in the metric of the masses, y a combination that vanishes, W = M^-1.
/// Reference: docs/mathematics, section 12.6.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/instant/evaluation.hpp"
#include "zwang/linear/gram_basis.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion {

namespace {

/// W g_j . g_k of rows in units of their length; the lengths.
std::vector<double> gram_of(const model::Model& model, const instant::Evaluation& found,
                            std::span<const std::uint32_t> rows, std::vector<double>& length) {
  const std::size_t r = rows.size();
  std::vector<double> gram(r * r, 0.0);
  std::vector<double> row(model.variables, 0.0);
  std::vector<double> image(model.variables, 0.0);
  length.assign(r, 0.0);
  for (std::size_t j = 0; j < r; ++j) {
    const std::uint32_t from = model.row_start[rows[j]];
    const std::uint32_t to = model.row_start[rows[j] + 1];
    for (std::uint32_t e = from; e < to; ++e) row[model.row_column[e]] = found.rows.entry[e];
    found.dynamics.mass.solve(row, image);
    for (std::size_t k = 0; k <= j; ++k) {
      double sum = 0;
      for (std::uint32_t e = model.row_start[rows[k]]; e < model.row_start[rows[k] + 1]; ++e) {
        sum += found.rows.entry[e] * image[model.row_column[e]];
      }
      gram[j * r + k] = gram[k * r + j] = sum;
    }
    length[j] = std::sqrt(gram[j * r + j]);
    for (std::uint32_t e = from; e < to; ++e) row[model.row_column[e]] = 0;
  }
  for (std::size_t j = 0; j < r; ++j) {
    for (std::size_t k = 0; k < r; ++k) gram[j * r + k] /= length[j] * length[k];
  }
  return gram;
}

}  // namespace

void act_by_few(const Motion& motion, const std::vector<std::uint32_t>& rows, std::vector<double>& multipliers) {
  const Motion::Impl& impl = *motion.impl;
  const model::Model& model = impl.model;
  const std::size_t r = rows.size();
  if (r > most_rows_passed) return;
  std::vector<double> length;
  const std::vector<double> gram = gram_of(model, impl.workspace.evaluation(), rows, length);
  std::vector<double> acts(r);
  std::vector<std::uint8_t> one_sided(r);
  for (std::size_t j = 0; j < r; ++j) {
    if (!(length[j] > 0) || !std::isfinite(length[j])) return;
    acts[j] = multipliers[rows[j]] * length[j];
    one_sided[j] = model::is_equation(model.row_kind[rows[j]]) ? 0 : 1;
  }

  std::vector<std::size_t> order(r);
  for (std::size_t j = 0; j < r; ++j) order[j] = j;
  for (std::size_t round = 0; round < r; ++round) {
    linear::GramBasis basis{gram, r, linear::vanishing_pivot(r), {}, {}};
    std::vector<double> c;
    bool again = false;
    for (std::size_t place = 0; place < order.size() && !again; ++place) {
      const std::size_t k = order[place];
      if (basis.take(k, c) || one_sided[k] == 0) continue;
      // Less of it, more or less of those it depends on: who is the first to reach zero?
      double theta = acts[k];
      std::size_t first = r;
      for (std::size_t a = 0; a < c.size(); ++a) {
        const std::size_t j = basis.members[a];
        if (one_sided[j] == 0 || !(c[a] < 0) || !(acts[j] + theta * c[a] < 0)) continue;
        theta = acts[j] / -c[a];
        first = a;
      }
      for (std::size_t a = 0; a < c.size(); ++a) acts[basis.members[a]] += theta * c[a];
      acts[k] -= theta;
      if (first == r) {
        acts[k] = 0;
        continue;
      }
      // Another one: it makes room, and all that follow are asked again.
      const std::size_t out = basis.members[first];
      acts[out] = 0;
      std::erase(order, out);
      again = true;
    }
    if (!again) break;
  }
  for (std::size_t j = 0; j < r; ++j) {
    if (one_sided[j] != 0) multipliers[rows[j]] = std::max(acts[j], 0.0) / length[j];
  }
}

}  // namespace zwang::motion
