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
#include <algorithm>
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

/// The system of every order about the singular position: the rows held, but for idle ones and one of each combination, for which the combination
/// divided by s stands.
class ArcSystem {
 public:
  ArcSystem(Series::Impl& series, const model::State& state, std::span<const Series::Combination> combinations,
            std::span<const std::uint32_t> idle)
      : s_(series) {
    std::vector<std::uint8_t> left_out(s_.held_rows.size(), 0);
    for (const std::uint32_t j : idle) left_out[j] = 1;
    for (const Series::Combination& one : combinations) left_out[one.rows[one.leader]] = 1;
    for (std::uint32_t j = 0; j < left_out.size(); ++j) {
      if (left_out[j] != 0) continue;
      PassageRow row;
      row.columns.assign(s_.column.begin() + s_.start[j], s_.column.begin() + s_.start[j + 1]);
      row.parts = {{j, 1.0}};
      rows_.push_back(std::move(row));
    }
    for (const Series::Combination& one : combinations) rows_.push_back(combination(state, one));
    count_ = rows_.size();
    for (PassageRow& row : rows_) row.jets.assign(row.columns.size() * s_.orders, 0.0);
    symmetric_ = std::all_of(rows_.begin(), rows_.end(), [](const PassageRow& row) { return row.symmetric; });
    mu_.assign(count_ * s_.orders, 0.0);
    reaction_.assign(std::size_t{s_.orders} * s_.n, 0.0);
  }

  /// The gradients at the state, from the tapes.
  void read(const model::State& state) {
    s_.run_rows(state, 0, 3);
    take_gradients(0);
    take_gradients(1);
  }

  /// Lengths, and W K_0^T. False: a row has none, or a combination hardly turns, so that the velocity chooses no branch.
  [[nodiscard]] bool measure() {
    spread_.assign(count_ * s_.n, 0.0);
    for (std::size_t t = 0; t < count_; ++t) {
      PassageRow& row = rows_[t];
      std::fill(s_.force.begin(), s_.force.end(), 0.0);
      for (std::size_t i = 0; i < row.columns.size(); ++i) s_.force[row.columns[i]] = row.jets[i];
      std::span<double> image(spread_.data() + t * s_.n, s_.n);
      s_.dynamics.mass.solve(s_.force, image);
      double square = 0;
      for (std::size_t i = 0; i < row.columns.size(); ++i) square += row.jets[i] * image[row.columns[i]];
      if (!(square > 0) || !std::isfinite(square)) return false;
      row.unit = std::sqrt(square);
      if (row.singular) {
        double turning = 0;
        for (const auto& [j, weight] : row.parts) {
          double own = 0;
          for (std::uint32_t e = s_.start[j]; e < s_.start[j + 1]; ++e) {
            const double entry_rate = entries_[e];
            own += entry_rate * entry_rate * s_.inverse_of_diagonal(s_.column[e]);
          }
          turning += std::abs(weight) * std::sqrt(own);
        }
        if (!(row.unit > least_turning * turning)) return false;
      }
    }
    return true;
  }

  /// The velocity: onto the rows, and of the combinations onto the branch that it has chosen.
  [[nodiscard]] bool project_velocity(model::State& state) {
    Square first = matrix(1.0);
    if (!(first.least() > least_pivot_of_passage)) return false;
    s_.read_rates(0, rates_);
    s_.read_rates(1, later_rates_);
    std::vector<double> x(count_);
    for (std::size_t t = 0; t < count_; ++t) {
      const PassageRow& row = rows_[t];
      x[t] = row.singular ? combined(row, later_rates_) / (row.symmetric ? 2.0 : 1.0) : combined(row, rates_);
      x[t] /= row.unit;
    }
    first.solve(x);
    for (std::size_t t = 0; t < count_; ++t) {
      for (std::size_t i = 0; i < s_.n; ++i) s_.v[i] -= spread_[t * s_.n + i] * x[t] / rows_[t].unit;
    }
    for (std::size_t i = 0; i < s_.n; ++i) {
      if (!std::isfinite(s_.v[i])) return false;
      s_.q[s_.n + i] = s_.v[i];
      state.velocity[i] = s_.per_unit * s_.v[i];
    }
    return true;
  }

  /// The coefficients, order by order.
  [[nodiscard]] Series::Expansion extend(const model::State& state) {
    Square same = matrix(1.0);
    if (!(same.least() > least_pivot_of_passage)) return Series::Expansion::none;
    std::vector<double> x(count_);
    for (unsigned k = 0; k + 3 <= s_.N; ++k) {
      s_.add_forces(state, k);
      if (k > 0) take_gradients(k + 1);
      react(k);
      for (std::size_t i = 0; i < s_.n; ++i) s_.force[i] += reaction_[k * s_.n + i];
      s_.accelerate_free(k);
      if (k == 0) std::copy_n(s_.acceleration.data(), s_.n, s_.free_first.begin());
      s_.read_rates(k + 1, rates_);
      s_.read_rates(k + 2, later_rates_);
      const double part_of_bend = 1 / (k + 2.0);
      for (std::size_t t = 0; t < count_; ++t) {
        const PassageRow& row = rows_[t];
        double known = (k + 1.0) * (row.singular ? combined(row, later_rates_) : combined(row, rates_));
        if (row.singular && row.symmetric) known *= (k + 2.0) / (k + 3.0);
        x[t] = (along(row, s_.acceleration.data(), part_of_bend) + known) / row.unit;
      }
      if (symmetric_) {
        same.solve(x);
      } else {
        Square here = matrix(part_of_bend);
        if (!(here.least() > least_pivot_of_passage)) return Series::Expansion::none;
        here.solve(x);
      }
      for (std::size_t t = 0; t < count_; ++t) {
        x[t] /= rows_[t].unit;
        mu_[k * count_ + t] = x[t];
        for (std::size_t i = 0; i < s_.n; ++i) s_.acceleration[i] -= spread_[t * s_.n + i] * x[t];
        const PassageRow& row = rows_[t];
        for (std::size_t i = 0; i < row.columns.size(); ++i) reaction_[k * s_.n + row.columns[i]] -= row.jets[i] * x[t];
      }
      for (std::size_t i = 0; i < s_.n; ++i) {
        s_.v[(k + 1) * s_.n + i] = s_.acceleration[i] / (k + 1.0);
        s_.q[(k + 2) * s_.n + i] = s_.v[(k + 1) * s_.n + i] / (k + 2.0);
        if (!std::isfinite(s_.q[(k + 2) * s_.n + i])) return Series::Expansion::overflow;
      }
      // With what has become known; the next order is still zero.
      s_.run_rows(state, k + 1, std::min(k + 4, s_.N));
    }
    return Series::Expansion::found;
  }

  /// The first coefficient of the defect that does not vanish.
  void find_first_left(const model::State& state) {
    const unsigned top = s_.N - 2;
    s_.add_forces(state, top);
    take_gradients(top + 1);
    react(top);
    s_.first_left.resize(s_.n);
    for (std::size_t i = 0; i < s_.n; ++i) s_.first_left[i] = std::abs(s_.force[i] + reaction_[top * s_.n + i]);
    std::fill(reaction_.begin() + static_cast<std::ptrdiff_t>(top * s_.n), reaction_.end(), 0.0);
  }

  /// Multipliers: what has a pole, and the rest.
  [[nodiscard]] SingularArc arc() && {
    const std::size_t m = s_.held_rows.size();
    SingularArc found;
    found.q.assign(s_.q.begin(), s_.q.end());
    found.reaction = std::move(reaction_);
    found.residue.assign(m, 0.0);
    found.regular.assign(std::size_t{s_.orders} * m, 0.0);
    for (std::size_t t = 0; t < count_; ++t) {
      for (const auto& [j, weight] : rows_[t].parts) {
        if (rows_[t].singular) {
          found.residue[j] += weight * mu_[t];
          for (unsigned k = 0; k + 4 <= s_.N; ++k) found.regular[k * m + j] += weight * mu_[(k + 1) * count_ + t];
        } else {
          for (unsigned k = 0; k + 3 <= s_.N; ++k) found.regular[k * m + j] += weight * mu_[k * count_ + t];
        }
      }
    }
    found.rows = std::move(rows_);
    found.mu = std::move(mu_);
    return found;
  }

 private:
  PassageRow combination(const model::State& state, const Series::Combination& one) {
    PassageRow row;
    row.singular = true;
    for (std::size_t p = 0; p < one.rows.size(); ++p) {
      const std::uint32_t j = one.rows[p];
      row.parts.emplace_back(j, one.weights[p]);
      row.columns.insert(row.columns.end(), s_.column.begin() + s_.start[j], s_.column.begin() + s_.start[j + 1]);
      row.symmetric = row.symmetric && model::is_holonomic(s_.model.row_kind[s_.held_rows[j].row]);
    }
    std::sort(row.columns.begin(), row.columns.end());
    row.columns.erase(std::unique(row.columns.begin(), row.columns.end()), row.columns.end());
    if (!row.symmetric) add_bend(state, row);
    return row;
  }

  /// b of a combination in which velocity conditions take part.
  void add_bend(const model::State& state, PassageRow& row) {
    std::vector<double> slope_of_rate(s_.n, 0.0);
    bool mixed = false;
    for (const auto& [j, weight] : row.parts) {
      if (model::is_holonomic(s_.model.row_kind[s_.held_rows[j].row])) {
        mixed = true;
      } else {
        s_.add_position_slope(state, j, weight, slope_of_rate);
      }
    }
    // Of a condition of positions it is the rate of its gradient.
    if (mixed) {
      s_.run_rows(state, 0, 1);
      std::vector<double> entries;
      s_.read_gradients(1, entries);
      for (const auto& [j, weight] : row.parts) {
        if (!model::is_holonomic(s_.model.row_kind[s_.held_rows[j].row])) continue;
        for (std::uint32_t e = s_.start[j]; e < s_.start[j + 1]; ++e)
          slope_of_rate[s_.column[e]] += weight * entries[e];
      }
    }
    // Its columns may lie outside those of the rows.
    for (std::uint32_t i = 0; i < s_.n; ++i) {
      if (slope_of_rate[i] != 0 && !std::binary_search(row.columns.begin(), row.columns.end(), i)) {
        row.columns.insert(std::lower_bound(row.columns.begin(), row.columns.end(), i), i);
      }
    }
    for (const std::uint32_t i : row.columns) row.bend.push_back(slope_of_rate[i]);
  }

  /// Coefficient l of J as it stands on the tapes, into the rows: of combinations it is coefficient l - 1 of K.
  void take_gradients(unsigned l) {
    s_.read_gradients(l, entries_);
    for (PassageRow& row : rows_) {
      if (row.singular && l == 0) continue;
      const std::size_t width = row.columns.size();
      double* to = row.jets.data() + (row.singular ? l - 1 : l) * width;
      std::fill(to, to + width, 0.0);
      for (const auto& [j, weight] : row.parts) {
        for (std::uint32_t e = s_.start[j]; e < s_.start[j + 1]; ++e) {
          const auto place =
              std::lower_bound(row.columns.begin(), row.columns.end(), s_.column[e]) - row.columns.begin();
          to[place] += weight * entries_[e];
        }
      }
    }
  }

  /// (C_k W K_0^T), rows in units of both lengths; C of a combination is p_1 + b / (k + 2), scaled to p_1 where b = p_1.
  [[nodiscard]] Square matrix(double part_of_bend) const {
    std::vector<double> a(count_ * count_);
    for (std::size_t t = 0; t < count_; ++t) {
      const PassageRow& row = rows_[t];
      for (std::size_t u = 0; u < count_; ++u) {
        double sum = 0;
        for (std::size_t i = 0; i < row.columns.size(); ++i) {
          const double bend = row.bend.empty() ? 0.0 : row.bend[i] * part_of_bend;
          sum += (row.jets[i] + bend) * spread_[u * s_.n + row.columns[i]];
        }
        a[t * count_ + u] = sum / (row.unit * rows_[u].unit);
      }
    }
    return Square(count_, std::move(a));
  }

  static double along(const PassageRow& row, const double* x, double part_of_bend) {
    double sum = 0;
    for (std::size_t i = 0; i < row.columns.size(); ++i) {
      const double bend = row.bend.empty() ? 0.0 : row.bend[i] * part_of_bend;
      sum += (row.jets[i] + bend) * x[row.columns[i]];
    }
    return sum;
  }
  static double combined(const PassageRow& row, const std::vector<double>& of) {
    double sum = 0;
    for (const auto& [j, weight] : row.parts) sum += weight * of[j];
    return sum;
  }

  /// The reactions of order k that multipliers of lower orders make.
  void react(unsigned k) {
    for (std::size_t t = 0; t < count_; ++t) {
      const PassageRow& row = rows_[t];
      const std::size_t width = row.columns.size();
      for (unsigned l = 1; l <= k; ++l) {
        const double by = mu_[(k - l) * count_ + t];
        if (by == 0) continue;
        const double* g = row.jets.data() + l * width;
        for (std::size_t i = 0; i < width; ++i) reaction_[k * s_.n + row.columns[i]] -= g[i] * by;
      }
    }
  }

  Series::Impl& s_;
  std::vector<PassageRow> rows_;
  std::size_t count_ = 0;
  bool symmetric_ = true;
  std::vector<double> spread_;   ///< W K_0^T, [t * n + i]
  std::vector<double> entries_;  ///< of J, of the order read last
  std::vector<double> rates_, later_rates_;
  std::vector<double> mu_;        ///< [k * rows + t]
  std::vector<double> reaction_;  ///< [k * n + i]
};

}  // namespace

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
  extended_ahead = false;
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

  ArcSystem system(*this, state, combinations, idle);
  system.read(state);
  if (!system.measure() || !system.project_velocity(state)) return Expansion::none;
  system.read(state);
  if (const Expansion found = system.extend(state); found != Expansion::found) return found;

  // What is left, then everything on the polynomials as they are.
  system.find_first_left(state);
  pole_of.assign(held_rows.size(), 0);
  arc = std::make_unique<SingularArc>(std::move(system).arc());
  arc->time = state.time;
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
  sum_up_step(h);
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
  instant::solve_absolute(dynamics.mass, load, absolute, true);
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
  extended_ahead = false;
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
