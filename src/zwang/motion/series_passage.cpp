/// The power series of a motion about a singular position that it passes.
///
/// At s = 0 some combinations y of the rows held have no gradient: y^T J(0) = 0. With velocity along one branch the motion q(s) is analytic
/// there all the same; only multipliers have a pole. Divided by s the combination is a row like any other,
///
///   K(s) = y^T J(s) / s,      K(0) = p_1 = (y^T J)_1,      multiplier  mu = s nu,  nu that of y^T f,
///
/// and so, with the rows r of rates (f' of positions, f of velocities) on the series up to what is known (a_k set to zero),
///
///   M_0 a_k + J_0^T lambda_k + K_0^T mu_k = R_k - sum_{l=1..k} (J_l^T lambda_{k-l} + K_l^T mu_{k-l})
///   J_0 a_k                = -(k + 1) r_{k+1}          of the other rows
///   (p_1 + b / (k + 2)) a_k = -(k + 1) (y^T r)_{k+2}   of the combinations
///
/// with b = d(y^T r)/dq, which is p_1 if all rows of y are conditions of positions. The matrix is regular where the velocity chooses one
/// branch. Afterwards lambda_j(s) = residue_j / s + regular_j(s) with residue_j = sum_c y_cj mu_c0.
///
/// The defect and the rows are bounded on |s| <= h as those of other steps (series_bound.cpp).
///
/// Symbols: J rows held, y weights of a combination, p_1 its row, b its derivative by position, r rates, N order of the series: here
/// q has the coefficients 0..N-1, lambda and mu 0..N-3. Reference: docs/mathematics, section 10.9.
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/motion/reach.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/step_search.hpp"
#include "zwang/motion/sweeps.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// A square system, row by row, solved with the largest pivot of each column. The rows come in comparable units.
class Square {
 public:
  Square(std::size_t size, std::vector<double> entries) : size_(size), a_(std::move(entries)), row_(size) {
    for (std::size_t i = 0; i < size_; ++i) row_[i] = i;
    for (std::size_t k = 0; k < size_; ++k) {
      std::size_t best = k;
      for (std::size_t i = k + 1; i < size_; ++i) {
        if (std::abs(at(i, k)) > std::abs(at(best, k))) best = i;
      }
      std::swap(row_[k], row_[best]);
      const double pivot = at(k, k);
      least_ = std::min(least_, std::abs(pivot));
      if (!(std::abs(pivot) > 0)) return;
      for (std::size_t i = k + 1; i < size_; ++i) {
        const double by = at(i, k) / pivot;
        at(i, k) = by;
        if (by == 0) continue;
        for (std::size_t j = k + 1; j < size_; ++j) at(i, j) -= by * at(k, j);
      }
    }
  }
  /// The smallest pivot.
  [[nodiscard]] double least() const { return size_ == 0 ? 1 : least_; }
  void solve(std::vector<double>& x) {
    std::vector<double> y(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      y[i] = x[row_[i]];
      for (std::size_t j = 0; j < i; ++j) y[i] -= at(i, j) * y[j];
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t j = i + 1; j < size_; ++j) y[i] -= at(i, j) * y[j];
      y[i] /= at(i, i);
    }
    x = std::move(y);
  }

 private:
  double& at(std::size_t i, std::size_t j) { return a_[row_[i] * size_ + j]; }
  std::size_t size_;
  std::vector<double> a_;
  std::vector<std::size_t> row_;
  double least_ = std::numeric_limits<double>::infinity();
};

/// p(x) = sum c_k (x - d)^k, in powers of x: `count` polynomials of `orders` coefficients side by side.
void move_origin(double* c, std::size_t count, unsigned orders, double d) {
  for (unsigned from = 0; from + 1 < orders; ++from) {
    for (unsigned k = orders - 1; k-- > from;) {
      for (std::size_t i = 0; i < count; ++i) c[k * count + i] -= d * c[(k + 1) * count + i];
    }
  }
}

}  // namespace

/// Leaves are taken away until none is left.
void Series::Impl::find_loops() {
  std::vector<std::uint32_t> body(n, 0);
  for (std::uint32_t b = 0; b < own_body.size(); ++b) {
    for (std::uint32_t i = own_body[b].first; i < own_body[b].first + own_body[b].second; ++i) body[i] = b;
  }
  const auto m = static_cast<std::uint32_t>(held_rows.size());
  std::vector<std::vector<std::uint32_t>> bodies_of(m);
  std::vector<std::vector<std::uint32_t>> rows_of(own_body.size());
  std::vector<std::uint32_t> left(own_body.size(), 0);
  for (std::uint32_t j = 0; j < m; ++j) {
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) bodies_of[j].push_back(body[column[e]]);
    std::sort(bodies_of[j].begin(), bodies_of[j].end());
    bodies_of[j].erase(std::unique(bodies_of[j].begin(), bodies_of[j].end()), bodies_of[j].end());
    for (const std::uint32_t b : bodies_of[j]) {
      rows_of[b].push_back(j);
      ++left[b];
    }
  }
  std::vector<std::uint8_t> gone(m, 0);
  std::vector<std::uint32_t> single;
  for (std::uint32_t b = 0; b < left.size(); ++b) {
    if (left[b] == 1) single.push_back(b);
  }
  while (!single.empty()) {
    const std::uint32_t b = single.back();
    single.pop_back();
    for (const std::uint32_t j : rows_of[b]) {
      if (gone[j] != 0 || !shapes[model.row_group[held_rows[j].row]].steady) continue;
      gone[j] = 1;
      for (const std::uint32_t other : bodies_of[j]) {
        if (--left[other] == 1) single.push_back(other);
      }
    }
  }
  loops.clear();
  for (std::uint32_t j = 0; j < m; ++j) {
    if (gone[j] == 0) loops.push_back(j);
  }
  loops_known = true;
}

/// J at s from the series of its gradients, and how fast the rows in loops turn at the beginning.
void Series::Impl::gradients_at(double s, std::vector<double>& entries) const {
  entries.assign(column.size(), 0.0);
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    for (std::size_t d = 0; d < shape.directions.size(); ++d) {
      const Direction& direction = shape.directions[d];
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double* c = registers(block) + std::size_t{direction.reg} * orders * w + l;
        double g = 0;
        for (unsigned k = direction.constant || s == 0 ? 1 : N; k-- > 0;) {
          g = g * s + (block.strands && k > 0 ? strands.gradient(strand + l, k) : c[std::size_t{k} * w]);
        }
        for (const auto& [slot, sign] : direction.slots) entries[block.entry_at[slot * w + l]] = sign * g;
      }
      if (block.strands) strand += block.count;
    }
  }
}
double Series::Impl::turning(std::span<const std::uint32_t> numbers) const {
  double most = 0;
  std::vector<double> rate(held_rows.size(), 0.0);
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    for (std::size_t d = 0; d < shape.directions.size(); ++d) {
      const Direction& direction = shape.directions[d];
      for (std::uint32_t l = 0; l < block.count && !direction.constant; ++l) {
        const double g = block.strands ? strands.gradient(strand + l, 1)
                                       : registers(block)[(std::size_t{direction.reg} * orders + 1) * w + l];
        for (const auto& [slot, sign] : direction.slots) {
          rate[block.row[l]] += g * g * inverse_of_diagonal(column[block.entry_at[slot * w + l]]);
        }
      }
      if (block.strands) strand += block.count;
    }
  }
  for (const std::uint32_t j : numbers) {
    const double own = std::max(factor.diagonal(j), tiny);
    most = std::max(most, std::sqrt(rate[j] / own));
  }
  return most;
}

/// By the factor of all rows held, which is that of the beginning.
bool Series::Impl::plainly_apart(double h, double least) const {
  double pivot = factor.least_pivot();
  std::vector<std::uint32_t> all(held_rows.size());
  for (std::uint32_t j = 0; j < all.size(); ++j) {
    all[j] = j;
    if (row_length[j] > 0) pivot = std::min(pivot, factor.diagonal(j) / (row_length[j] * row_length[j]));
  }
  return std::sqrt(std::max(pivot, 0.0)) > std::max(least, turns_of_combination * turning(all) * h);
}

/// How far from dependent the rows in loops are at s: the root of the least pivot, or of the shortest row's share of its length.
double Series::Impl::distance_from_dependence(double s) {
  if (probe == nullptr) {
    probe = std::make_unique<Probe>();
    probe->start.push_back(0);
    for (const std::uint32_t j : loops) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        probe->column.push_back(column[e]);
        probe->from.push_back(e);
      }
      probe->start.push_back(static_cast<std::uint32_t>(probe->column.size()));
    }
    probe->entry.resize(probe->column.size());
    const std::vector<std::uint8_t> shares(loops.size(), 0);
    probe->factor.shape({probe->start, probe->column, probe->entry}, dynamics.mass, shares);
  }
  gradients_at(s, probe->all);
  for (std::size_t e = 0; e < probe->from.size(); ++e) {
    probe->entry[e] = probe->all[probe->from[e]];
    if (!std::isfinite(probe->entry[e])) return 0;
  }
  probe->factor.factor({probe->start, probe->column, probe->entry}, dynamics.mass);
  double least = probe->factor.least_pivot();
  for (std::size_t j = 0; j < loops.size(); ++j) {
    const double known = row_length[loops[j]];
    if (known > 0) least = std::min(least, probe->factor.diagonal(j) / (known * known));
  }
  return std::sqrt(std::max(least, 0.0));
}

/// The next stretch of (0, h], around a place beyond `after`, on which the rows in loops may become dependent: one on which the distance from that has a least value. Where two
/// distances are more than the rows can turn in between, nothing happens there.
bool Series::Impl::narrow_place(double h, double& after, double& low, double& high) {
  if (!loops_known) find_loops();
  const double fastest = turns_of_combination * turning(loops);
  struct Look {
    double s, distance;
  };
  std::vector<Look> place = {{0, distance_from_dependence(0)}, {h, distance_from_dependence(h)}};
  const double shortest = h / places_looked_at;
  for (std::size_t i = 0; i + 1 < place.size();) {
    const double width = place[i + 1].s - place[i].s;
    if (place[i].distance + place[i + 1].distance > fastest * width || width <= shortest) {
      ++i;
      continue;
    }
    const double middle = place[i].s + 0.5 * width;
    place.insert(place.begin() + static_cast<std::ptrdiff_t>(i + 1), {middle, distance_from_dependence(middle)});
  }
  if (place.size() == 2 && place[0].distance + place[1].distance > fastest * h) return false;
  // Close to the ends slopes tell.
  place.insert(place.begin() + 1, {just_ahead * h, distance_from_dependence(just_ahead * h)});
  place.push_back({h * (1 + just_ahead), distance_from_dependence(h * (1 + just_ahead))});
  for (std::size_t i = 1; i + 1 < place.size(); ++i) {
    const Look& earlier = place[i - 1];
    const Look& here = place[i];
    const Look& later = place[i + 1];
    if (here.s <= after || here.distance > earlier.distance || here.distance >= later.distance) continue;
    // Straight on from one side, does it come to zero before the other?
    const double falls = (earlier.distance - here.distance) / (here.s - earlier.s);
    const double rises = (later.distance - here.distance) / (later.s - here.s);
    const bool beyond = here.distance > nearly_straight * falls * (later.s - here.s);
    const bool before = here.distance > nearly_straight * rises * (here.s - earlier.s);
    if (beyond && before) continue;
    after = place[i].s;
    low = place[i - 1].s;
    high = place[i + 1].s;
    return true;
  }
  return false;
}

/// The tapes of the rows held, orders first..last, on the coefficients as they stand.
void Series::Impl::run_rows(const model::State& state, unsigned first, unsigned last) {
  for (Block& block : held_blocks) {
    for (unsigned k = first; k <= last; ++k) fill_row(block, state, k);
    expressions::extend(shapes[block.group].held, registers(block), orders, first, last, block.width);
  }
}

/// Coefficient k of the rates of all rows held, per unit of s, and of their gradients.
void Series::Impl::read_rates(unsigned k, std::vector<double>& rates) const {
  rates.resize(held_rows.size());
  for (const Block& block : held_blocks) {
    const bool holonomic = model.groups[block.group].holonomic;
    const double* f = registers(block) + std::size_t{shapes[block.group].value} * orders * block.width;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      rates[block.row[l]] = holonomic ? (k + 1.0) * f[(k + 1) * block.width + l] : unit * f[k * block.width + l];
    }
  }
}
void Series::Impl::read_gradients(unsigned k, std::vector<double>& entries) const {
  entries.assign(column.size(), 0.0);
  for (const Block& block : held_blocks) {
    const RowGroup& group = model.groups[block.group];
    const expressions::Tape& tape = shapes[block.group].held;
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    const std::uint32_t* at = block.entry_at.data();
    for (std::uint32_t slot = 0; slot < slots; ++slot, at += block.width) {
      const double* g = registers(block) + (std::size_t{tape.outputs[1 + slot]} * orders + k) * block.width;
      for (std::uint32_t l = 0; l < block.count; ++l) entries[at[l]] = g[l];
    }
  }
}

/// df/dq of a velocity condition held, per unit of s, at order zero, added with a weight: its tape on the straight line q + e_i s with v kept.
void Series::Impl::add_position_slope(const model::State& state, std::uint32_t j, double weight,
                                      std::vector<double>& out) {
  for (Block& block : held_blocks) {
    const RowGroup& group = model.groups[block.group];
    const auto found = std::find(block.row.begin(), block.row.end(), j);
    if (group.holonomic || found == block.row.end()) continue;
    const auto lane = static_cast<std::uint32_t>(found - block.row.begin());
    const std::uint32_t w = block.width;
    fill_row(block, state, 0);
    double* r = registers(block);
    const std::size_t inputs = 1 + std::size_t{group.positions} + group.velocities;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      for (std::size_t input = 0; input < inputs; ++input) {
        for (std::uint32_t l = 0; l < w; ++l) r[(input * orders + 1) * w + l] = input == 1 + slot ? 1.0 : 0.0;
      }
      expressions::extend(shapes[block.group].held, r, orders, 0, 1, w);
      const double slope_here = r[(std::size_t{shapes[block.group].value} * orders + 1) * w + lane];
      out[block.position_of[slot * w + lane]] += weight * unit * slope_here;
    }
  }
}

Series::Expansion Series::Impl::expand(model::State& state, std::span<const Series::Combination> combinations,
                                       std::span<const std::uint32_t> idle) {
  const std::size_t m = held_rows.size();
  if (!bent.empty() || !slides.empty() || combinations.empty()) return Expansion::none;
  load_modes(state);
  per_unit = 1 / unit;
  std::fill(q.begin(), q.end(), 0.0);
  std::fill(v.begin(), v.end(), 0.0);
  std::copy(state.position.begin(), state.position.end(), q.begin());
  for (std::size_t i = 0; i < n; ++i) v[i] = q[n + i] = unit * state.velocity[i];
  if (varying_mass) {
    model::evaluate_mass(model, state, scratch, dynamics);
    if (!dynamics.mass_positive) return Expansion::none;
  }
  time = state.time;
  arc.reset();
  power_known = force_terms_known = watched_terms_known = false;
  std::fill(rest.begin(), rest.end(), 0.0);
  acceleration_terms.clear();

  // The rows of the transformed system: those held but idle ones and the leaders of combinations; then the combinations.
  std::vector<PassageRow> rows_now;
  std::vector<std::uint8_t> left_out(m, 0);
  for (const std::uint32_t j : idle) left_out[j] = 1;
  for (const Series::Combination& one : combinations) left_out[one.rows[one.leader]] = 1;
  for (std::uint32_t j = 0; j < m; ++j) {
    if (left_out[j] != 0) continue;
    PassageRow row;
    row.columns.assign(column.begin() + start[j], column.begin() + start[j + 1]);
    row.parts = {{j, 1.0}};
    rows_now.push_back(std::move(row));
  }
  for (const Series::Combination& one : combinations) {
    PassageRow row;
    row.singular = true;
    for (std::size_t p = 0; p < one.rows.size(); ++p) {
      const std::uint32_t j = one.rows[p];
      row.parts.emplace_back(j, one.weights[p]);
      row.columns.insert(row.columns.end(), column.begin() + start[j], column.begin() + start[j + 1]);
      row.symmetric = row.symmetric && model::is_holonomic(model.row_kind[held_rows[j].row]);
    }
    std::sort(row.columns.begin(), row.columns.end());
    row.columns.erase(std::unique(row.columns.begin(), row.columns.end()), row.columns.end());
    if (!row.symmetric) {
      std::vector<double> slope_of_rate(n, 0.0);
      bool mixed = false;
      for (const auto& [j, weight] : row.parts) {
        if (model::is_holonomic(model.row_kind[held_rows[j].row])) {
          mixed = true;
        } else {
          add_position_slope(state, j, weight, slope_of_rate);
        }
      }
      // Of a condition of positions it is the rate of its gradient.
      if (mixed) {
        run_rows(state, 0, 1);
        std::vector<double> entries;
        read_gradients(1, entries);
        for (const auto& [j, weight] : row.parts) {
          if (!model::is_holonomic(model.row_kind[held_rows[j].row])) continue;
          for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) slope_of_rate[column[e]] += weight * entries[e];
        }
      }
      // Its columns may lie outside those of the rows.
      for (std::uint32_t i = 0; i < n; ++i) {
        if (slope_of_rate[i] != 0 && !std::binary_search(row.columns.begin(), row.columns.end(), i)) {
          row.columns.insert(std::lower_bound(row.columns.begin(), row.columns.end(), i), i);
        }
      }
      for (const std::uint32_t i : row.columns) row.bend.push_back(slope_of_rate[i]);
    }
    rows_now.push_back(std::move(row));
  }
  const std::size_t count = rows_now.size();
  for (PassageRow& row : rows_now) row.jets.assign(row.columns.size() * orders, 0.0);

  // Coefficient l of J as it stands on the tapes, into the rows: of combinations it is coefficient l - 1 of K.
  std::vector<double> entries;
  const auto take_gradients = [&](unsigned l) {
    read_gradients(l, entries);
    for (PassageRow& row : rows_now) {
      if (row.singular && l == 0) continue;
      const std::size_t width = row.columns.size();
      double* to = row.jets.data() + (row.singular ? l - 1 : l) * width;
      std::fill(to, to + width, 0.0);
      for (const auto& [j, weight] : row.parts) {
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
          const auto place = std::lower_bound(row.columns.begin(), row.columns.end(), column[e]) - row.columns.begin();
          to[place] += weight * entries[e];
        }
      }
    }
  };
  run_rows(state, 0, 3);
  take_gradients(0);
  take_gradients(1);

  // Lengths, and W K_0^T.
  std::vector<double> spread_rows(count * n, 0.0);
  for (std::size_t t = 0; t < count; ++t) {
    PassageRow& row = rows_now[t];
    std::fill(force.begin(), force.end(), 0.0);
    for (std::size_t i = 0; i < row.columns.size(); ++i) force[row.columns[i]] = row.jets[i];
    std::span<double> image(spread_rows.data() + t * n, n);
    dynamics.mass.solve(force, image);
    double square = 0;
    for (std::size_t i = 0; i < row.columns.size(); ++i) square += row.jets[i] * image[row.columns[i]];
    if (!(square > 0) || !std::isfinite(square)) return Expansion::none;
    row.unit = std::sqrt(square);
    // A combination that hardly turns: the velocity chooses no branch.
    if (row.singular) {
      double turning = 0;
      for (const auto& [j, weight] : row.parts) {
        double own = 0;
        for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
          const double entry_rate = entries[e];
          own += entry_rate * entry_rate * inverse_of_diagonal(column[e]);
        }
        turning += std::abs(weight) * std::sqrt(own);
      }
      if (!(row.unit > least_turning * turning)) return Expansion::none;
    }
  }
  // (C_k W K_0^T), rows in units of both lengths; C of a combination is p_1 + b / (k + 2), scaled to p_1 where b = p_1.
  const auto matrix = [&](double part_of_bend) {
    std::vector<double> a(count * count);
    for (std::size_t t = 0; t < count; ++t) {
      const PassageRow& row = rows_now[t];
      for (std::size_t u = 0; u < count; ++u) {
        double sum = 0;
        for (std::size_t i = 0; i < row.columns.size(); ++i) {
          const double bend = row.bend.empty() ? 0.0 : row.bend[i] * part_of_bend;
          sum += (row.jets[i] + bend) * spread_rows[u * n + row.columns[i]];
        }
        a[t * count + u] = sum / (row.unit * rows_now[u].unit);
      }
    }
    return Square(count, std::move(a));
  };
  const bool symmetric =
      std::all_of(rows_now.begin(), rows_now.end(), [](const PassageRow& row) { return row.symmetric; });
  const auto along = [&](const PassageRow& row, const double* x, double part_of_bend) {
    double sum = 0;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const double bend = row.bend.empty() ? 0.0 : row.bend[i] * part_of_bend;
      sum += (row.jets[i] + bend) * x[row.columns[i]];
    }
    return sum;
  };
  std::vector<double> rates, later_rates;
  const auto combined = [&](const PassageRow& row, const std::vector<double>& of) {
    double sum = 0;
    for (const auto& [j, weight] : row.parts) sum += weight * of[j];
    return sum;
  };

  // The velocity: onto the rows, and of the combinations onto the branch that it has chosen.
  {
    Square first = matrix(1.0);
    if (!(first.least() > least_pivot_of_passage)) return Expansion::none;
    read_rates(0, rates);
    read_rates(1, later_rates);
    std::vector<double> x(count);
    for (std::size_t t = 0; t < count; ++t) {
      const PassageRow& row = rows_now[t];
      x[t] = row.singular ? combined(row, later_rates) / (row.symmetric ? 2.0 : 1.0) : combined(row, rates);
      x[t] /= row.unit;
    }
    first.solve(x);
    for (std::size_t t = 0; t < count; ++t) {
      for (std::size_t i = 0; i < n; ++i) v[i] -= spread_rows[t * n + i] * x[t] / rows_now[t].unit;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(v[i])) return Expansion::none;
      q[n + i] = v[i];
      state.velocity[i] = per_unit * v[i];
    }
  }
  run_rows(state, 0, 3);
  take_gradients(0);
  take_gradients(1);

  // Order by order.
  Square same = matrix(1.0);
  if (!(same.least() > least_pivot_of_passage)) return Expansion::none;
  std::vector<double> mu(count * orders, 0.0);
  std::vector<double> reaction(std::size_t{orders} * n, 0.0);
  std::vector<double> x(count);
  const auto react = [&](unsigned k, unsigned first_order) {
    for (std::size_t t = 0; t < count; ++t) {
      const PassageRow& row = rows_now[t];
      const std::size_t width = row.columns.size();
      for (unsigned l = first_order; l <= k; ++l) {
        const double by = mu[(k - l) * count + t];
        if (by == 0) continue;
        const double* g = row.jets.data() + l * width;
        for (std::size_t i = 0; i < width; ++i) reaction[k * n + row.columns[i]] -= g[i] * by;
      }
    }
  };
  for (unsigned k = 0; k + 3 <= N; ++k) {
    add_forces(state, k);
    if (k > 0) take_gradients(k + 1);
    react(k, 1);
    for (std::size_t i = 0; i < n; ++i) force[i] += reaction[k * n + i];
    accelerate_free();
    if (k == 0) std::copy_n(acceleration.data(), n, free_first.begin());
    read_rates(k + 1, rates);
    read_rates(k + 2, later_rates);
    const double part_of_bend = 1 / (k + 2.0);
    for (std::size_t t = 0; t < count; ++t) {
      const PassageRow& row = rows_now[t];
      double known = (k + 1.0) * (row.singular ? combined(row, later_rates) : combined(row, rates));
      if (row.singular && row.symmetric) known *= (k + 2.0) / (k + 3.0);
      x[t] = (along(row, acceleration.data(), part_of_bend) + known) / row.unit;
    }
    if (symmetric) {
      same.solve(x);
    } else {
      Square here = matrix(part_of_bend);
      if (!(here.least() > least_pivot_of_passage)) return Expansion::none;
      here.solve(x);
    }
    for (std::size_t t = 0; t < count; ++t) {
      x[t] /= rows_now[t].unit;
      mu[k * count + t] = x[t];
      for (std::size_t i = 0; i < n; ++i) acceleration[i] -= spread_rows[t * n + i] * x[t];
      const PassageRow& row = rows_now[t];
      for (std::size_t i = 0; i < row.columns.size(); ++i) reaction[k * n + row.columns[i]] -= row.jets[i] * x[t];
    }
    for (std::size_t i = 0; i < n; ++i) {
      v[(k + 1) * n + i] = acceleration[i] / (k + 1.0);
      q[(k + 2) * n + i] = v[(k + 1) * n + i] / (k + 2.0);
      if (!std::isfinite(q[(k + 2) * n + i])) return Expansion::overflow;
    }
    // With what has become known; the next order is still zero.
    run_rows(state, k + 1, std::min(k + 4, N));
  }

  // The first coefficient of the defect that does not vanish; then everything on the polynomials as they are.
  const unsigned top = N - 2;
  add_forces(state, top);
  take_gradients(top + 1);
  react(top, 1);
  first_left.resize(n);
  for (std::size_t i = 0; i < n; ++i) first_left[i] = std::abs(force[i] + reaction[top * n + i]);
  std::fill(reaction.begin() + static_cast<std::ptrdiff_t>(top * n), reaction.end(), 0.0);

  // Multipliers: what has a pole, and the rest.
  SingularArc found;
  found.q.assign(q.begin(), q.end());
  found.reaction = std::move(reaction);
  found.residue.assign(m, 0.0);
  found.regular.assign(std::size_t{orders} * m, 0.0);
  for (std::size_t t = 0; t < count; ++t) {
    for (const auto& [j, weight] : rows_now[t].parts) {
      if (rows_now[t].singular) {
        found.residue[j] += weight * mu[t];
        for (unsigned k = 0; k + 4 <= N; ++k) found.regular[k * m + j] += weight * mu[(k + 1) * count + t];
      } else {
        for (unsigned k = 0; k + 3 <= N; ++k) found.regular[k * m + j] += weight * mu[k * count + t];
      }
    }
  }
  found.rows = std::move(rows_now);
  found.mu = std::move(mu);
  pole_of.assign(m, 0);
  found.time = state.time;
  arc = std::make_unique<SingularArc>(std::move(found));
  run_all(state);
  return Expansion::found;
}

/// Forces, rows held and watched on the polynomials as they are.
void Series::Impl::run_all(const model::State& state) {
  for (Block& block : terms) {
    for (unsigned k = 0; k <= N; ++k) fill_term(block, state, k);
    expressions::sweep(term_tapes[block.group], registers(block), orders, N, block.width);
  }
  run_rows(state, 0, N);
  watch(state);
  power_known = force_terms_known = watched_terms_known = false;
  time = state.time;
}

/// By how much the worst bound on |s| <= h misses what is allowed.
double Series::Impl::judge_arc(double h, double r, double part, double tolerance, double touch) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  measure(h, r);
  find_scales(h);
  const SingularArc& a = *arc;
  const expressions::Stretch stretch(h, N + 1);

  // What the rows' gradients leave out, and the rows themselves.
  std::vector<double> gradient_rest(column.size(), 0.0);
  std::vector<double> gradient_size(column.size(), 0.0);
  std::vector<double> off(held_rows.size(), 0.0);
  for (const Block& block : held_blocks) {
    const RowGroup& group = model.groups[block.group];
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    const expressions::Remainders& found = bound_block(block, shape.held, held_sized[block.group], group.positions,
                                                       group.velocities, group.constants, stretch, N);
    const std::uint32_t slots = group.holonomic ? group.positions : group.velocities;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::uint32_t reg = shape.held.outputs[1 + slot];
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const std::uint32_t e = block.entry_at[slot * w + l];
        gradient_rest[e] = found.error[std::size_t{reg} * w + l];
        const double* g = registers(block) + std::size_t{reg} * orders * w + l;
        for (unsigned k = N; k-- > 0;) gradient_size[e] = gradient_size[e] * h + std::abs(g[std::size_t{k} * w]);
      }
    }
    const double* f = registers(block) + std::size_t{shape.value} * orders * w;
    for (std::uint32_t l = 0; l < block.count; ++l) {
      double sum = 0;
      for (unsigned k = N; k-- > 0;) sum = sum * h + std::abs(f[k * w + l]);
      off[block.row[l]] = (sum + found.error[std::size_t{shape.value} * w + l]) * (group.holonomic ? 1.0 : unit);
    }
  }

  // Reactions beyond the order of the series.
  const std::size_t count = a.rows.size();
  std::vector<double> power_of_h(2 * std::size_t{orders}, 1.0);
  for (std::size_t k = 1; k < power_of_h.size(); ++k) power_of_h[k] = power_of_h[k - 1] * h;
  for (std::size_t i = 0; i < n; ++i) load[i] += first_left[i] * power_of_h[N - 2];
  for (std::size_t t = 0; t < count; ++t) {
    const PassageRow& row = a.rows[t];
    const std::size_t width = row.columns.size();
    const unsigned known = row.singular ? N - 1 : N;
    double carried = 0;
    for (unsigned k = N - 2; k-- > 0;) carried = carried * h + std::abs(a.mu[k * count + t]);
    if (carried == 0) continue;
    for (std::size_t i = 0; i < width; ++i) {
      double sum = 0;
      for (unsigned l = 2; l < known; ++l) {
        const double g = std::abs(row.jets[l * width + i]);
        if (g == 0) continue;
        for (unsigned k = N - 1 - std::min(l, N - 1); k + 3 <= N; ++k) {
          sum += g * std::abs(a.mu[k * count + t]) * power_of_h[l + k];
        }
      }
      load[row.columns[i]] += sum;
    }
    for (const auto& [j, weight] : row.parts) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        if (gradient_rest[e] == 0) continue;
        load[column[e]] += std::abs(weight) * gradient_rest[e] * carried / (row.singular ? h : 1.0);
      }
    }
  }

  // Of every body.
  for (std::size_t i = 0; i < n; ++i) {
    if (!(load[i] < unbounded)) return unbounded;
  }
  instant::solve_absolute(dynamics.mass, load, absolute);
  defect = 0;
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double ratio = absolute[i] == 0 ? 0.0 : absolute[i] / own_scale[i];
    defect = std::max(defect, ratio);
  }
  worst = defect / part;

  // Of every row held: on the whole arc it stays within what counts as zero of its own terms.
  const double allowed = std::max(touch, tolerance);
  for (std::size_t j = 0; j < held_rows.size(); ++j) {
    double terms_of_row = 0;
    const bool holonomic = model::is_holonomic(model.row_kind[held_rows[j].row]);
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
      const double* c = (holonomic ? q.data() : v.data()) + column[e];
      double size_of_variable = 0;
      for (unsigned k = N; k-- > 0;) size_of_variable = size_of_variable * h + std::abs(c[k * n]);
      const double moved = own_scale[column[e]] * (holonomic ? 0.5 * h * h : h);
      terms_of_row += gradient_size[e] * (size_of_variable + moved);
    }
    const double ratio = off[j] / std::max(allowed * terms_of_row, tiny);
    worst = std::max(worst, ratio);
  }
  return worst;
}

Series::Proof Series::Impl::prove_arc(const Series::WantedArc& wanted) {
  Proof proof;
  const auto judge_here = [&](double h, double r) {
    return judge_arc(h, r, wanted.part, wanted.tolerance, wanted.touch);
  };
  const double least = wanted.least;
  if (least > 0) {
    // At least so far; a few lengths and circles tell.
    for (const double longer : lengths_tried) {
      for (const double ratio : circles_tried) {
        if (proof.length > 0 || (!on_circles() && ratio != circles_tried[0])) continue;
        if (!(judge_here(longer * least, ratio * longer * least) <= 1)) continue;
        proof.length = longer * least;
        proof.defect = defect;
      }
    }
  } else {
    // A first guess from the coefficients; the search makes it shorter where it must.
    const double guess = log_reach(N - 2, elementary::log2(0.1 * wanted.tolerance), true,
                                   [&](unsigned k) { return largest_size(v.data() + k * n, n); });
    const double first = guess > 1000 ? wanted.most : std::min(wanted.most, shortened(elementary::exp2(guess)));
    StepMemory memory;
    proof.length = longest_step(first, first, N - 2, on_circles(), memory, judge_here);
    proof.defect = defect;
  }

  // Poles beside what the multipliers are otherwise: one of rounding size is none.
  const std::size_t m = held_rows.size();
  const std::size_t count = arc->rows.size();
  pole_of.assign(m, 0);
  for (std::size_t j = 0; j < m; ++j) {
    double among = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const PassageRow& row = arc->rows[t];
      if (!row.singular) continue;
      for (const auto& [other, weight] : row.parts) {
        if (other != j) continue;
        double most = 0;
        for (unsigned k = N - 2; k-- > 0;) most = most * proof.length + std::abs(arc->mu[k * count + t]);
        among += std::abs(weight) * most;
      }
    }
    if (std::abs(arc->residue[j]) > no_pole * among) pole_of[j] = 1;
  }
  return proof;
}

/// The polynomials as seen from a time `back` before the singular position; 0: from itself. Multipliers with a pole stand multiplied by their
/// distance from it.
void Series::Impl::look_from(double back, model::State& state) {
  const SingularArc& a = *arc;
  const std::size_t m = held_rows.size();
  std::copy(a.q.begin(), a.q.end(), q.begin());
  std::vector<double> reaction = a.reaction;
  const double sign = back > 0 ? -1.0 : 1.0;
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    if (pole_of[j] != 0) {
      lambda[j] = sign * a.residue[j];
      for (unsigned k = 0; k + 3 <= N; ++k) lambda[(k + 1) * m + j] = sign * a.regular[k * m + j];
    } else {
      for (unsigned k = 0; k + 3 <= N; ++k) lambda[k * m + j] = a.regular[k * m + j];
    }
  }
  pole = 0;
  if (back > 0) {
    move_origin(q.data(), n, orders, back);
    move_origin(lambda.data(), m, N - 1, back);
    move_origin(reaction.data(), n, orders, back);
    pole = back;
  }
  for (unsigned k = 0; k < N; ++k) {
    for (std::size_t i = 0; i < n; ++i) v[k * n + i] = (k + 1.0) * q[(k + 1) * n + i];
  }
  std::fill(v.begin() + static_cast<std::ptrdiff_t>(std::size_t{N} * n), v.end(), 0.0);
  state.time = a.time - back * unit;
  std::copy_n(q.begin(), n, state.position.begin());
  for (std::size_t i = 0; i < n; ++i) state.velocity[i] = per_unit * v[i];
  first_velocity = state.velocity;
  reaction_here = std::move(reaction);
  std::fill(multiplier_error.begin(), multiplier_error.end(), 0.0);
  for (std::size_t j = 0; j < m; ++j) {
    double most = 0;
    for (unsigned k = N - 1; k-- > 0;) most = most * back + std::abs(lambda[k * m + j]);
    lambda_scale[j] = most;
  }
  run_all(state);
  in_plain_units();
}

/// The longest step, not longer than `wanted`, on which what is watched is known well enough.
double Series::Impl::prove_watched(double wanted, double tolerance) {
  if (watched_rows.empty() && terms.empty()) return wanted;
  StepMemory memory;
  const std::vector<double> kept = lambda;
  std::fill(lambda.begin(), lambda.end(), 0.0);
  const double found = longest_step(wanted, wanted, N - 1, on_circles(), memory, [&](double h, double r) {
    measure(h, r);
    return judge_watched(h, tolerance, 0);
  });
  lambda = kept;
  return found;
}

}  // namespace zwang::motion
