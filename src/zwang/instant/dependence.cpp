/// Connected parts, their rows made orthogonal, and points nearby at which the same is asked again.
#include "zwang/instant/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zwang/base/groups.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/tolerances.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

/// Numbers in [-1, 1] without pattern, the same on every run.
class Scatter {
 public:
  explicit Scatter(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 0x2545f4914f6cdd1dU) {}
  double next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-63;
  }

 private:
  std::uint64_t state_;
};

/// Positions a nonholonomic row depends on: they carry its higher derivatives.
template <class Visit>
void visit_positions(const model::Model& model, std::uint32_t row, Visit visit) {
  const model::RowGroup& group = model.groups[model.row_group[row]];
  for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
    visit(group.position_of[std::size_t{slot} * group.lanes + model.row_lane[row]]);
  }
}

/// A row of the model at its present entries, whitened for the part.
Vector whitened_row(const model::Model& model, const model::Rows& rows, std::uint32_t row, const Part& part) {
  Vector n(part.n(), 0.0);
  for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
    const auto at = std::lower_bound(part.variable.begin(), part.variable.end(), model.row_column[e]);
    n[static_cast<std::size_t>(at - part.variable.begin())] = rows.entry[e];
  }
  linear::solve_lower(part.lower, n);
  return n;
}

/// A point on the way out of the position: the part's variables displaced, the time shifted.
struct Outing {
  model::State state;
  model::Rows rows;
  std::vector<std::uint32_t> quaternions;  ///< their first variables

  Outing(const model::Model& model, const model::State& from, model::Rows given)
      : state(from), rows(std::move(given)), quaternions(model::quaternions(model)) {}

  /// Orientations are unit quaternions wherever one goes: bodies whose quaternion has another length are no bodies (docs/mathematics, section 23.2).
  void move(const Part& part, const Vector& step) {
    for (std::size_t i = 0; i < part.n(); ++i) state.position[part.variable[i]] += step[i];
    for (const std::uint32_t first : quaternions) {
      double* const e = state.position.data() + first;
      double square = 0;
      for (std::size_t k = 0; k < 4; ++k) square += e[k] * e[k];
      for (std::size_t k = 0; k < 4; ++k) e[k] /= std::sqrt(square);
    }
  }
  /// A change of the variables of a part without what would lengthen a quaternion, which moves nothing.
  void take_off_lengths(const model::State& at, const Part& part, Vector& change) const {
    for (const std::uint32_t first : quaternions) {
      const auto begin = std::lower_bound(part.variable.begin(), part.variable.end(), first);
      if (begin == part.variable.end() || *begin != first) continue;
      double* const rate = change.data() + (begin - part.variable.begin());
      const double* const e = at.position.data() + first;
      double along = 0;
      for (std::size_t k = 0; k < 4; ++k) along += e[k] * rate[k];
      for (std::size_t k = 0; k < 4; ++k) rate[k] -= along * e[k];
    }
  }
};

/// A length to go: the extent of the part; at the origin, where it has none, the way that its velocities or its accelerations lead in the
/// time of the model. One if nothing moves at all.
double extent_of(const model::Model& model, const model::State& state, const Part& part) {
  const double duration = model.simulation.until - model.simulation.start;
  double extent = 0;
  for (const std::uint32_t i : part.variable) extent = std::max(extent, std::abs(state.position[i]));
  if (extent > 0) return extent;
  for (const std::uint32_t i : part.variable) extent = std::max(extent, std::abs(state.velocity[i]) * duration);
  if (extent > 0) return extent;
  for (const double a : part.acceleration(part.x0)) extent = std::max(extent, std::abs(a) * duration * duration);
  return extent > 0 && std::isfinite(extent) ? extent : 1.0;
}

/// Rate at which unit rows turn along the path q + direction s, time running with it.
double turning(const model::Model& model, const model::State& state, const Subproblem& problem, const Part& part,
               const Vector& direction) {
  model::MotionSeries motion;
  motion.time = state.time;
  motion.n = model.variables;
  motion.orders = 2;
  motion.modes = state.modes;
  motion.coefficient.assign(2 * motion.n, 0.0);
  std::copy(state.position.begin(), state.position.end(), motion.coefficient.begin());
  for (std::size_t i = 0; i < part.n(); ++i) motion.coefficient[motion.n + part.variable[i]] = direction[i];
  double fastest = 0;
  double longest = 0;
  for (const double x : direction) longest = std::max(longest, std::abs(x));
  model::RowSeries series;
  for (std::size_t j = 0; j < part.r(); ++j) {
    const std::uint32_t row = problem.row[part.row[j]];
    model::series_row(model, row, motion, 2, series);
    Vector n(part.n(), 0.0);
    const std::uint32_t first = model.row_start[row];
    for (std::uint32_t e = first; e < model.row_start[row + 1]; ++e) {
      const auto at = std::lower_bound(part.variable.begin(), part.variable.end(), model.row_column[e]);
      n[static_cast<std::size_t>(at - part.variable.begin())] = series.gradient[(e - first) * 2 + 1];
    }
    linear::solve_lower(part.lower, n);
    if (part.length[j] == 0) continue;
    const double rate = norm(n) / part.length[j];
    if (std::isfinite(rate)) fastest = std::max(fastest, rate);
  }
  // Rows that do not turn at first order may do so at the next.
  return std::max(fastest, longest / extent_of(model, state, part));
}

/// A lapse of time in which unit rows turn, or moving conditions shift, by the excursion.
double time_apart(const model::Model& model, const model::State& state, const Workspace::Impl& impl, const Part& part,
                  const Vector& velocity, double extent) {
  double tau = std::numeric_limits<double>::infinity();
  const double along = turning(model, state, impl.problem, part, velocity);
  if (along > 0) tau = excursion / along;
  bool timed = false;
  for (std::size_t j = 0; j < part.r(); ++j) {
    const std::uint32_t row = impl.problem.row[part.row[j]];
    if (!model.groups[model.row_group[row]].rheonomic) continue;
    timed = true;
    if (part.length[j] == 0) continue;
    const double way = excursion * extent * part.length[j];
    const double rate = std::abs(impl.rows.explicit_rate[row]);
    const double second = std::abs(impl.rows.curvature[row]);
    if (rate > 0) tau = std::min(tau, way / rate);
    if (second > 0) tau = std::min(tau, std::sqrt(2 * way / second));
  }
  // Neither moves at the first two orders: there is no time to compare with, and any will do.
  if (!std::isfinite(tau)) tau = timed ? excursion : 0;
  return tau;
}

/// All rows but those that touch here.
std::vector<std::uint8_t> all_but_touching(const model::Model& model, const Workspace::Impl& impl) {
  std::vector<std::uint8_t> others(model.rows(), 1);
  for (const std::uint32_t row : impl.problem.row) others[row] = 0;
  return others;
}

/// All rows but those of a part.
std::vector<std::uint8_t> all_but(const model::Model& model, const Workspace::Impl& impl, const Part& part) {
  std::vector<std::uint8_t> others(model.rows(), 1);
  for (const std::uint32_t j : part.row) others[impl.problem.row[j]] = 0;
  return others;
}

/// Project the outing onto the holonomic rows at `which` (places in the part); the basis is that of the last round. False
/// if it does not converge. `angle`: rows nearer than this to others are left to them.
bool project(const model::Model& model, Workspace::Impl& impl, const Part& part, const std::vector<std::size_t>& which,
             double angle, int rounds, Outing& outing) {
  double before = std::numeric_limits<double>::infinity();
  const std::vector<std::uint8_t> others = all_but(model, impl, part);
  for (int round = 0; round < rounds; ++round) {
    model::evaluate_values_but(model, outing.state, others, impl.scratch, outing.rows);
    Basis basis;
    Vector right;
    double worst = 0;
    std::vector<std::pair<Vector, double>> rows;
    for (const std::size_t j : which) {
      const std::uint32_t row = impl.problem.row[part.row[j]];
      if (!model::is_holonomic(model.row_kind[row])) continue;
      Vector n = whitened_row(model, outing.rows, row, part);
      const double length = norm(n);
      if (!std::isfinite(length) || !std::isfinite(outing.rows.value[row])) return false;
      if (length == 0) continue;
      for (double& value : n) value /= length;
      const double f = outing.rows.value[row] / length;
      worst = std::max(worst, std::abs(f));
      rows.emplace_back(std::move(n), f);
    }
    if (worst == 0 || (round > 2 && worst >= before)) return true;
    before = worst;
    Vector in;
    for (const auto& [n, f] : rows) {
      if (angle > 0 && norm(basis.remainder(n, in)) <= angle) continue;
      basis.append(n);
      right.push_back(-f);
    }
    const Vector x = basis.least(right, part.n());
    if (!std::isfinite(norm(x))) return false;
    outing.move(part, part.acceleration(x));
  }
  return true;
}

/// The largest number around each variable: in rows with it. Quaternions are pure numbers of size one, whatever the unit of length is: neither do lengths tell
/// how large they are, nor they lengths, except by the arms that turn with them.
void find_sizes(const model::Model& model, const model::State& state, const Workspace::Impl& impl, Vector& position,
                Vector& velocity) {
  std::vector<std::uint8_t> turns(model.variables, 0);
  for (const std::uint32_t first : model::quaternions(model)) {
    double rate = 0;
    for (std::uint32_t i = first; i < first + 4; ++i) rate = std::max(rate, std::abs(state.velocity[i]));
    for (std::uint32_t i = first; i < first + 4; ++i) {
      turns[i] = 1;
      position[i] = 1;
      velocity[i] = rate;
    }
  }
  for (const std::uint32_t row : impl.problem.row) {
    double q = 0;
    double v = 0;
    double unit = 0;
    double arm = 0;
    double turning = 0;
    const auto see = [&](std::uint32_t i) {
      if (turns[i] != 0) return;
      q = std::max(q, std::abs(state.position[i]));
      v = std::max(v, std::abs(state.velocity[i]));
    };
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      see(i);
      const double slope = std::abs(impl.rows.entry[e]);
      if (turns[i] == 0) {
        unit = std::max(unit, slope);
      } else {
        arm = std::max(arm, slope);
        turning = std::max(turning, slope * velocity[i]);
      }
    }
    visit_positions(model, row, see);
    if (unit > 0) {
      q = std::max(q, arm / unit);
      v = std::max(v, turning / unit);
    }
    const auto tell = [&](std::uint32_t i) {
      if (turns[i] != 0) return;
      position[i] = std::max(position[i], q);
      velocity[i] = std::max(velocity[i], v);
    };
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) tell(model.row_column[e]);
    visit_positions(model, row, tell);
  }
}

}  // namespace

Uncertainty measure_uncertainty(const model::Model& model, const model::State& state, Workspace::Impl& impl) {
  const std::size_t n = model.variables;
  Vector position(n, 0.0);
  Vector velocity(n, 0.0);
  find_sizes(model, state, impl, position, velocity);
  Uncertainty result;
  const double unit = rounding_steps * epsilon;
  result.entry.resize(impl.rows.entry.size());
  result.curvature.resize(model.rows());
  for (std::size_t e = 0; e < result.entry.size(); ++e) result.entry[e] = unit * std::abs(impl.rows.entry[e]);
  for (std::size_t j = 0; j < result.curvature.size(); ++j) result.curvature[j] = unit * impl.rows.curvature_scale[j];

  // What changes of the state make of the rows, by differences in a few directions.
  model::State near = state;
  model::Rows rows = impl.rows;
  const std::vector<std::uint8_t> others = all_but_touching(model, impl);
  Vector entry(result.entry.size(), 0.0);
  Vector curvature(result.curvature.size(), 0.0);
  for (unsigned sample = 1; sample <= 3; ++sample) {
    Scatter scatter(sample);
    for (std::size_t i = 0; i < n; ++i) {
      near.position[i] = state.position[i] + probe * position[i] * (scatter.next() < 0 ? -1 : 1);
      near.velocity[i] = state.velocity[i] + probe * velocity[i] * (scatter.next() < 0 ? -1 : 1);
    }
    model::evaluate_values_but(model, near, others, impl.scratch, rows);
    for (std::size_t e = 0; e < entry.size(); ++e) {
      const double change = std::abs(rows.entry[e] - impl.rows.entry[e]);
      if (std::isfinite(change)) entry[e] = std::max(entry[e], change);
    }
    for (std::size_t j = 0; j < curvature.size(); ++j) {
      const double change = std::abs(rows.curvature[j] - impl.rows.curvature[j]);
      if (std::isfinite(change)) curvature[j] = std::max(curvature[j], change);
    }
  }
  for (std::size_t e = 0; e < entry.size(); ++e) result.entry[e] += unit * entry[e] / probe;
  for (std::size_t j = 0; j < curvature.size(); ++j) result.curvature[j] += unit * curvature[j] / probe;
  return result;
}

std::vector<double> Part::acceleration(std::vector<double> x) const {
  linear::solve_lower_transposed(lower, x);
  return x;
}

std::vector<double> Part::whitened(const std::vector<double>& a) const {
  std::vector<double> x(n(), 0.0);
  for (std::size_t j = 0; j < n(); ++j) {
    for (std::size_t i = j; i < n(); ++i) x[j] += lower(i, j) * a[i];
  }
  return x;
}

std::vector<Part> connected_parts(const model::Model& model, const linear::Mass& mass, const Subproblem& problem) {
  const auto variables = static_cast<std::uint32_t>(problem.a0.size());
  Groups together(variables);
  for (const linear::Mass::Block& block : mass.blocks()) {
    for (const std::uint32_t i : block.variables) together.join(block.variables[0], i);
  }
  constexpr std::uint32_t nowhere = 0xffffffffU;
  std::vector<std::uint32_t> anchor(problem.size(), nowhere);
  for (std::size_t j = 0; j < problem.size(); ++j) {
    const auto see = [&](std::uint32_t i) {
      if (anchor[j] == nowhere) anchor[j] = i;
      together.join(anchor[j], i);
    };
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) see(problem.column[e]);
    if (!model::is_holonomic(model.row_kind[problem.row[j]])) visit_positions(model, problem.row[j], see);
  }
  std::vector<std::uint32_t> number(variables, nowhere);
  std::vector<Part> parts;
  for (const bool equations : {true, false}) {
    for (std::uint32_t j = 0; j < problem.size(); ++j) {
      if ((problem.kind[j] == gauss::RowKind::equation) != equations || anchor[j] == nowhere) continue;
      std::uint32_t& its = number[together.of(anchor[j])];
      if (its == nowhere) {
        its = static_cast<std::uint32_t>(parts.size());
        parts.emplace_back();
      }
      parts[its].row.push_back(j);
    }
  }
  for (std::uint32_t i = 0; i < variables; ++i) {
    const std::uint32_t its = number[together.of(i)];
    if (its != nowhere) parts[its].variable.push_back(i);
  }
  return parts;
}

void whiten(const linear::Mass& mass, const Subproblem& problem, const Uncertainty& uncertainty,
            const model::Model& model, Part& part) {
  const std::size_t n = part.n();
  const auto place = [&](std::uint32_t i) {
    return static_cast<std::size_t>(std::lower_bound(part.variable.begin(), part.variable.end(), i) -
                                    part.variable.begin());
  };
  // L: roots of the masses, and the factors of the blocks.
  part.lower = linear::Matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (mass.block_of(part.variable[i]) < 0) part.lower(i, i) = std::sqrt(mass.diagonal()[part.variable[i]]);
  }
  for (const linear::Mass::Block& block : mass.blocks()) {
    const std::size_t b = block.variables.size();
    const std::size_t at = place(block.variables[0]);
    if (at >= n || part.variable[at] != block.variables[0]) continue;
    for (std::size_t j = 0; j < b; ++j) {
      for (std::size_t i = j; i < b; ++i) {
        part.lower(place(block.variables[i]), place(block.variables[j])) = block.factor[j * b + i];
      }
    }
  }
  part.x0.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) part.x0[j] += part.lower(i, j) * problem.a0[part.variable[i]];
  }
  // How much an error in one component of a plain row makes of the whitened one.
  Vector weight(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    if (mass.block_of(part.variable[i]) < 0) {
      weight[i] = 1 / part.lower(i, i);
    } else {
      Vector one(n, 0.0);
      one[i] = 1;
      linear::solve_lower(part.lower, one);
      weight[i] = norm(one);
    }
  }
  part.unit.clear();
  part.length.clear();
  part.offset.clear();
  part.uncertain.clear();
  part.uncertain_offset.clear();
  part.of_positions.clear();
  for (const std::uint32_t j : part.row) {
    Vector row(n, 0.0);
    double uncertain = 0;
    const std::uint32_t first = model.row_start[problem.row[j]];
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      const std::size_t i = place(problem.column[e]);
      row[i] = problem.entry[e];
      const double part_of = uncertainty.entry[first + (e - problem.start[j])] * weight[i];
      uncertain += part_of * part_of;
    }
    uncertain = std::sqrt(uncertain);
    linear::solve_lower(part.lower, row);
    double length = norm(row);
    if (length <= dependence_margin * uncertain) {
      length = 0;
      std::fill(row.begin(), row.end(), 0.0);
    }
    const double scale = length > 0 ? length : 1;
    for (double& value : row) value /= scale;
    part.unit.push_back(std::move(row));
    part.length.push_back(length);
    part.offset.push_back(problem.h[j] / scale);
    part.uncertain.push_back(uncertain / scale + epsilon);
    part.uncertain_offset.push_back(uncertainty.curvature[problem.row[j]] / scale);
    part.of_positions.push_back(model::is_holonomic(model.row_kind[problem.row[j]]) ? 1 : 0);
  }
}

double Basis::take_off(std::size_t k, std::vector<double>& x) const {
  const double* const direction = direction_[k].data();
  double part = 0;
  for (const std::uint32_t i : support_[k]) part += x[i] * direction[i];
  if (part == 0) return part;
  for (const std::uint32_t i : support_[k]) x[i] -= part * direction[i];
  return part;
}

std::vector<double> Basis::remainder(const std::vector<double>& n, std::vector<double>& in) const {
  Vector rest = n;
  in.assign(direction_.size(), 0.0);
  // Twice: the second round removes what rounding left in the first.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t k = 0; k < direction_.size(); ++k) in[k] += take_off(k, rest);
  }
  return rest;
}

std::vector<double> Basis::express(std::vector<double> in) const {
  for (std::size_t k = in.size(); k-- > 0;) {
    in[k] /= lower_[k][k];
    for (std::size_t l = 0; l < k; ++l) in[l] -= in[k] * lower_[k][l];
  }
  return in;
}

std::vector<double> Basis::least(const std::vector<double>& right, std::size_t n) const {
  Vector x(n, 0.0);
  Vector part(direction_.size(), 0.0);
  for (std::size_t k = 0; k < direction_.size(); ++k) {
    double sum = right[k];
    for (std::size_t l = 0; l < k; ++l) sum -= lower_[k][l] * part[l];
    part[k] = sum / lower_[k][k];
    for (std::size_t i = 0; i < n; ++i) x[i] += part[k] * direction_[k][i];
  }
  return x;
}

std::vector<double> Basis::offsets(const std::vector<double>& right) const {
  Vector result = right;
  for (std::size_t k = 0; k < result.size(); ++k) {
    for (std::size_t l = 0; l < k; ++l) result[k] -= lower_[k][l] * result[l];
    result[k] /= lower_[k][k];
  }
  return result;
}

double Basis::least_remainder() const {
  double least = 1;
  for (const Vector& row : lower_) least = std::min(least, row.back());
  return least;
}

void Basis::append(const std::vector<double>& n) {
  Vector in;
  Vector rest = remainder(n, in);
  const double length = norm(rest);
  for (double& value : rest) value /= length;
  in.push_back(length);
  std::vector<std::uint32_t>& support = support_.emplace_back();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != 0) support.push_back(static_cast<std::uint32_t>(i));
  }
  direction_.push_back(std::move(rest));
  lower_.push_back(std::move(in));
}

Dependence split(const Part& part, const std::vector<std::size_t>& which, std::size_t first, double angle) {
  Dependence result;
  std::vector<Vector> rest;
  for (const std::size_t j : which) rest.push_back(part.unit[j]);
  Vector in;
  const auto depends = [&](std::size_t j, double remains) {
    if (part.length[j] == 0) return true;
    if (angle > 0 && remains <= angle) return true;
    if (remains > nearly_dependent) return false;
    static_cast<void>(result.basis.remainder(part.unit[j], in));
    const Vector c = result.basis.express(in);
    double uncertain = part.uncertain[j];
    for (std::size_t k = 0; k < c.size(); ++k) uncertain += std::abs(c[k]) * part.uncertain[result.kept[k]];
    return remains <= dependence_margin * uncertain;
  };
  // Of the first ones, then of all: the row with the largest remainder is kept next.
  std::vector<std::uint8_t> taken(which.size(), 0);
  const auto keep = [&](std::size_t end, bool of_positions) {
    while (true) {
      std::size_t best = end;
      double most = 0;
      for (std::size_t i = 0; i < end; ++i) {
        if (taken[i] != 0 || (of_positions && part.of_positions[which[i]] == 0)) continue;
        const double remains = norm(rest[i]);
        if (remains > most) {
          most = remains;
          best = i;
        }
      }
      if (best == end || depends(which[best], most)) return;
      taken[best] = 1;
      result.basis.append(part.unit[which[best]]);
      result.kept.push_back(which[best]);
      for (std::size_t i = 0; i < which.size(); ++i) {
        if (taken[i] == 0) static_cast<void>(result.basis.take_off(result.basis.size() - 1, rest[i]));
      }
    }
  };
  for (const std::size_t end : {first, which.size()}) {
    // The conditions on positions make the surface on which those on velocities are looked at: none of them is left out for one of these.
    keep(end, true);
    keep(end, false);
    for (std::size_t i = 0; i < end; ++i) {
      if (taken[i] != 0) continue;
      taken[i] = 1;
      result.dependent.push_back(which[i]);
      if (part.length[which[i]] == 0) {
        result.coefficients.emplace_back(result.kept.size(), 0.0);
        continue;
      }
      static_cast<void>(result.basis.remainder(part.unit[which[i]], in));
      result.coefficients.push_back(result.basis.express(in));
    }
  }
  // Rows kept later have no part in what was expressed earlier.
  for (Vector& c : result.coefficients) c.resize(result.kept.size(), 0.0);
  return result;
}

namespace {

/// Do the dependent rows depend at points around the position, found on the conditions of all the kept ones? `tried` receives the distance of the
/// nearest of these points. With `all_or_none` the first row that does not ends the search; and the velocity never leads back.
std::vector<std::uint8_t> looked_around(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                        const Part& part, const Dependence& dependence, bool all_or_none,
                                        double& tried) {
  const std::size_t count = dependence.dependent.size();
  std::vector<std::uint8_t> result(count, 1);
  tried = std::numeric_limits<double>::infinity();
  if (count == 0) return result;
  Outing outing(model, state, impl.rows);
  const double extent = extent_of(model, state, part);
  Vector velocity(part.n());
  for (std::size_t i = 0; i < part.n(); ++i) velocity[i] = state.velocity[part.variable[i]];
  const double tau = time_apart(model, state, impl, part, velocity, extent);

  for (int sample = 0; sample < excursion_points; ++sample) {
    // A direction that the kept rows allow.
    Scatter scatter(static_cast<std::uint64_t>(sample) + 11);
    Vector w(part.n());
    for (double& value : w) value = scatter.next();
    Vector in;
    w = dependence.basis.remainder(w, in);
    double length = norm(w);
    for (double& value : w) value = length > 0 ? value / length : 0;
    Vector direction = part.acceleration(w);
    if (!outing.quaternions.empty()) {
      outing.take_off_lengths(state, part, direction);
      w = part.whitened(direction);
      length = norm(w);
      const double factor = length > nowhere_to_go ? 1 / length : 0;
      for (double& value : w) value *= factor;
      for (double& value : direction) value *= factor;
    }
    const double rate = turning(model, state, impl.problem, part, direction);
    double step = rate > 0 ? excursion / rate : 0;
    double longest = 0;
    for (const double value : direction) longest = std::max(longest, std::abs(value));
    if (longest > 0) step = std::min(step, extent / longest);
    // With `all_or_none`: the velocity must not lead back to where it began, where nothing could be seen.
    double away_at_all = 0;
    for (std::size_t i = 0; i < part.n(); ++i) {
      away_at_all = std::max(away_at_all, std::abs(step * direction[i] + tau * velocity[i]));
    }
    if (all_or_none && away_at_all < undone_excursion * step * longest) {
      for (double& value : w) value = -value;
      for (double& value : direction) value = -value;
    }

    // Go there and back onto the kept conditions; nearer if that fails.
    bool there = false;
    double reach = 1;
    int failed = 0;
    for (int attempt = 0; !there && failed < excursion_attempts && attempt < narrow_attempts;
         ++attempt, reach *= nearer) {
      outing.state = state;
      outing.state.time += tau * reach;
      Vector way(part.n());
      for (std::size_t i = 0; i < part.n(); ++i) way[i] = reach * (step * direction[i] + tau * velocity[i]);
      outing.move(part, way);
      const Vector before = outing.state.position;
      if (!project(model, impl, part, dependence.kept, 0, excursion_rounds, outing)) {
        ++failed;
        continue;
      }
      // Where the conditions leave room for less than that (a plate that is all but a line), the way back undoes the excursion.
      Vector back(part.n());
      for (std::size_t i = 0; i < part.n(); ++i) {
        back[i] = before[part.variable[i]] - outing.state.position[part.variable[i]];
      }
      there = !(dot(part.whitened(back), w) > undone_excursion * reach * step);
    }
    if (!there) {
      std::fill(result.begin(), result.end(), std::uint8_t{0});
      tried = 0;
      return result;
    }

    double away = 0;
    for (const std::uint32_t i : part.variable) {
      away = std::max(away, std::abs(outing.state.position[i] - state.position[i]));
    }
    tried = std::min(tried, away);

    // Rows with their explicit rates: do the dependent ones still depend?
    Basis basis;
    Vector rate_of_kept;
    bool good = true;
    for (const std::size_t j : dependence.kept) {
      const std::uint32_t row = impl.problem.row[part.row[j]];
      Vector n = whitened_row(model, outing.rows, row, part);
      const double size = norm(n);
      for (double& value : n) value /= size;
      good = good && std::isfinite(size) && size > 0 && norm(basis.remainder(n, in)) > 0;
      if (!good) break;
      basis.append(n);
      rate_of_kept.push_back(outing.rows.explicit_rate[row] / size);
    }
    for (std::size_t d = 0; d < count; ++d) {
      if (!good) {
        result[d] = 0;
        continue;
      }
      const std::uint32_t row = impl.problem.row[part.row[dependence.dependent[d]]];
      Vector n = whitened_row(model, outing.rows, row, part);
      const double size = norm(n);
      const double own_rate = outing.rows.explicit_rate[row];
      if (size == 0) {
        result[d] = result[d] != 0 && own_rate == 0 ? 1 : 0;
        continue;
      }
      for (double& value : n) value /= size;
      const double rest = norm(basis.remainder(n, in));
      const Vector c = basis.express(in);
      double left = own_rate / size;
      double terms = std::abs(left);
      double uncertain = part.uncertain[dependence.dependent[d]];
      for (std::size_t k = 0; k < c.size(); ++k) {
        left -= c[k] * rate_of_kept[k];
        terms += std::abs(c[k] * rate_of_kept[k]);
        uncertain += std::abs(c[k]) * part.uncertain[dependence.kept[k]];
      }
      const double allowed = std::max(dependent_all_around, dependence_margin * uncertain);
      // A coefficient that should vanish is rounding, and brings the rate of a row in that has no part in this.
      double brought_in = 0;
      for (const double kept_rate : rate_of_kept) brought_in += std::abs(kept_rate);
      brought_in *= dependence_margin * std::max(uncertain, epsilon) / basis.least_remainder();
      if (!(rest <= allowed) || !(std::abs(left) <= allowed * terms + brought_in)) result[d] = 0;
      if (all_or_none && result[d] == 0) return result;
    }
  }
  return result;
}

/// The part of a part that some of its rows are about.
Part part_of(const Part& part, const model::Model& model, const linear::Mass& mass, const Subproblem& problem,
             const std::vector<std::size_t>& which) {
  Part small;
  for (const std::size_t j : which) {
    const std::uint32_t row = problem.row[part.row[j]];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) {
      const std::uint32_t i = model.row_column[e];
      if (mass.block_of(i) < 0) {
        small.variable.push_back(i);
      } else {
        const std::vector<std::uint32_t>& block = mass.blocks()[static_cast<std::size_t>(mass.block_of(i))].variables;
        small.variable.insert(small.variable.end(), block.begin(), block.end());
      }
    }
  }
  std::sort(small.variable.begin(), small.variable.end());
  small.variable.erase(std::unique(small.variable.begin(), small.variable.end()), small.variable.end());
  std::vector<std::size_t> place;
  for (const std::uint32_t i : small.variable) {
    place.push_back(static_cast<std::size_t>(std::lower_bound(part.variable.begin(), part.variable.end(), i) -
                                             part.variable.begin()));
  }
  const std::size_t n = small.n();
  small.lower = linear::Matrix(n, n);
  small.x0.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    small.x0[i] = part.x0[place[i]];
    for (std::size_t k = 0; k <= i; ++k) small.lower(i, k) = part.lower(place[i], place[k]);
  }
  for (const std::size_t j : which) {
    Vector unit(n);
    for (std::size_t i = 0; i < n; ++i) unit[i] = part.unit[j][place[i]];
    small.row.push_back(part.row[j]);
    small.unit.push_back(std::move(unit));
    small.length.push_back(part.length[j]);
    small.offset.push_back(part.offset[j]);
    small.uncertain.push_back(part.uncertain[j]);
    small.uncertain_offset.push_back(part.uncertain_offset[j]);
    small.of_positions.push_back(part.of_positions[j]);
  }
  return small;
}

/// The rows of the model behind some of a part's, ascending; none if what is found of them does not hold around the position, too.
std::vector<std::uint32_t> rows_to_remember(const model::Model& model, const model::State& state,
                                            const Subproblem& problem, const Part& part,
                                            const std::vector<std::size_t>& which) {
  std::vector<std::uint32_t> rows;
  if (!state.modes.empty()) return rows;
  for (const std::size_t j : which) {
    const std::uint32_t row = problem.row[part.row[j]];
    if (!model::is_holonomic(model.row_kind[row]) || model.groups[model.row_group[row]].rheonomic) return {};
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// What was found of these rows around here; null if they were not looked at.
const LookedAround* remembered(const Workspace::Impl& impl, const model::State& state,
                               const std::vector<std::uint32_t>& rows) {
  const auto found = impl.looked_around.find(rows);
  if (rows.empty() || found == impl.looked_around.end()) return nullptr;
  double away = 0;
  for (const auto& [variable, position] : found->second.position) {
    away = std::max(away, std::abs(state.position[variable] - position));
  }
  return away <= still_around * found->second.tried ? &found->second : nullptr;
}

void remember(Workspace::Impl& impl, const model::State& state, const Part& part,
              const std::vector<std::uint32_t>& rows, double tried, bool redundant) {
  if (rows.empty()) return;
  if (impl.looked_around.size() >= most_sets_remembered) impl.looked_around.clear();
  LookedAround& found = impl.looked_around[rows];
  found.tried = tried;
  found.redundant = redundant;
  found.position.clear();
  for (const std::uint32_t i : part.variable) found.position.emplace_back(i, state.position[i]);
}

/// Does a dependent row depend all around on those alone that it is made of? If f_j is a function of f_B near a position, it is on every smaller
/// set { f_B = 0, f_C = 0 }, too. Known where the same rows were looked at around here: the rank that rows have at almost all points of a
/// piece of { f_B = 0 } is that of almost all points of all of it.
bool redundant_by_few(const model::Model& model, const model::State& state, Workspace::Impl& impl, const Part& part,
                      const Dependence& dependence, std::size_t d) {
  const std::size_t dependent = dependence.dependent[d];
  if (part.length[dependent] == 0) return false;
  std::vector<std::size_t> which;
  for (std::size_t k = 0; k < dependence.kept.size(); ++k) {
    if (std::abs(dependence.coefficients[d][k]) > no_part_in_it) which.push_back(dependence.kept[k]);
  }
  const std::size_t kept = which.size();
  which.push_back(dependent);
  for (const std::size_t j : which) {
    const std::uint32_t row = impl.problem.row[part.row[j]];
    if (!model::is_holonomic(model.row_kind[row]) || model.groups[model.row_group[row]].rheonomic) return false;
  }
  const std::vector<std::uint32_t> rows = rows_to_remember(model, state, impl.problem, part, which);
  if (const LookedAround* found = remembered(impl, state, rows)) return found->redundant;
  const Part small = part_of(part, model, impl.dynamics.mass, impl.problem, which);
  // Rows that hold their variables fast leave nothing that another could say.
  if (kept == small.n()) return true;
  Dependence few;
  for (std::size_t k = 0; k < kept; ++k) {
    few.basis.append(small.unit[k]);
    few.kept.push_back(k);
  }
  if (!(few.basis.least_remainder() > nearly_dependent)) return false;
  few.dependent.push_back(kept);
  double tried = 0;
  const bool redundant = looked_around(model, state, impl, small, few, true, tried)[0] != 0;
  remember(impl, state, small, rows, tried, redundant);
  return redundant;
}

}  // namespace

std::vector<std::uint8_t> all_around(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                                     const Part& part, const Dependence& dependence) {
  double tried = 0;
  return looked_around(model, state, impl, part, dependence, false, tried);
}

bool all_all_around(const model::Model& model, const model::State& state, Workspace::Impl& impl, const Part& part,
                    const std::vector<std::size_t>& which) {
  const std::vector<std::uint32_t> rows = rows_to_remember(model, state, impl.problem, part, which);
  if (const LookedAround* around = remembered(impl, state, rows)) return around->redundant;
  const Dependence dependence = split(part, which, which.size());
  const std::size_t wanted = dependence.dependent.size();
  if (wanted == 0) return true;
  // Rows that stand in some combination that vanishes, and the rows by variables.
  std::vector<std::size_t> standing = dependence.dependent;
  std::vector<std::uint8_t> stands(dependence.kept.size(), 0);
  for (const Vector& c : dependence.coefficients) {
    for (std::size_t k = 0; k < c.size(); ++k) {
      if (std::abs(c[k]) > no_part_in_it) stands[k] = 1;
    }
  }
  for (std::size_t k = 0; k < stands.size(); ++k) {
    if (stands[k] != 0) standing.push_back(dependence.kept[k]);
  }
  std::sort(standing.begin(), standing.end());
  const auto each_variable = [&](std::size_t j, auto&& visit) {
    const std::uint32_t row = impl.problem.row[part.row[j]];
    for (std::uint32_t e = model.row_start[row]; e < model.row_start[row + 1]; ++e) visit(model.row_column[e]);
  };
  std::vector<std::vector<std::size_t>> with(model.variables);
  for (const std::size_t j : standing) {
    each_variable(j, [&](std::uint32_t i) { with[i].push_back(j); });
  }

  // Around one variable after the other, then around one row after the other: the rows among all that is beside it. Combinations found there
  // that vanish all around are identities f_d = sum h_k f_k; as many independent ones as there are dependent rows give all of these by the others.
  Basis identities;
  Vector in;
  std::vector<std::vector<std::size_t>> seen;
  std::vector<std::uint8_t> beside(model.variables, 0);
  const auto look = [&](const std::vector<std::uint32_t>& centre) {
    std::fill(beside.begin(), beside.end(), std::uint8_t{0});
    for (const std::uint32_t i : centre) {
      for (const std::size_t j : with[i]) each_variable(j, [&](std::uint32_t other) { beside[other] = 1; });
    }
    std::vector<std::size_t> near;
    for (const std::size_t j : standing) {
      bool inside = true;
      each_variable(j, [&](std::uint32_t i) { inside = inside && beside[i] != 0; });
      if (inside) near.push_back(j);
    }
    if (std::find(seen.begin(), seen.end(), near) != seen.end()) return false;
    seen.push_back(near);
    const Part small = part_of(part, model, impl.dynamics.mass, impl.problem, near);
    std::vector<std::size_t> all(near.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const Dependence few = split(small, all, all.size());
    for (std::size_t d = 0; d < few.dependent.size(); ++d) {
      Vector y(part.r(), 0.0);
      y[near[few.dependent[d]]] = 1;
      for (std::size_t k = 0; k < few.kept.size(); ++k) y[near[few.kept[k]]] = -few.coefficients[d][k];
      const double length = norm(y);
      for (double& value : y) value /= length;
      if (!(norm(identities.remainder(y, in)) > nearly_dependent)) continue;
      if (!redundant_by_few(model, state, impl, small, few, d)) continue;
      identities.append(y);
      if (identities.size() == wanted) return true;
    }
    return false;
  };
  for (const std::uint32_t i : part.variable) {
    if (!with[i].empty() && look({i})) return true;
  }
  for (const std::size_t j : standing) {
    std::vector<std::uint32_t> centre;
    each_variable(j, [&](std::uint32_t i) { centre.push_back(i); });
    if (look(centre)) return true;
  }
  // Larger ones: all of them at once.
  double tried = 0;
  const std::vector<std::uint8_t> found = looked_around(model, state, impl, part, dependence, true, tried);
  const bool redundant = std::all_of(found.begin(), found.end(), [](std::uint8_t one) { return one != 0; });
  remember(impl, state, part, rows, tried, redundant);
  return redundant;
}

bool realised(const model::Model& model, const model::State& state, Workspace::Impl& impl, const Part& part,
              const std::vector<std::size_t>& which, const std::vector<double>& x) {
  const Vector a = part.acceleration(x);
  Vector velocity(part.n());
  for (std::size_t i = 0; i < part.n(); ++i) velocity[i] = state.velocity[part.variable[i]];
  const double turning_v = turning(model, state, impl.problem, part, velocity);
  const double turning_a = turning(model, state, impl.problem, part, a);
  double s = std::numeric_limits<double>::infinity();
  if (turning_v > 0) s = short_excursion / turning_v;
  if (turning_a > 0) s = std::min(s, std::sqrt(2 * short_excursion / turning_a));
  if (!std::isfinite(s)) return true;
  Outing outing(model, state, impl.rows);
  outing.state.time += s;
  Vector way(part.n());
  Vector along(part.n());
  for (std::size_t i = 0; i < part.n(); ++i) {
    way[i] = a[i] * s * s / 2;
    along[i] = velocity[i] * s + way[i];
  }
  outing.move(part, along);
  const Vector start = outing.state.position;
  if (!project(model, impl, part, which, nearly_dependent, realise_rounds, outing)) return false;
  // How far from the beginning of the way did the conditions hold, and do they?
  Vector off(part.n());
  for (std::size_t i = 0; i < part.n(); ++i) {
    off[i] = outing.state.position[part.variable[i]] - start[part.variable[i]];
  }
  const double all = norm(part.whitened(way));
  if (norm(part.whitened(off)) > realised_within * all) return false;
  model::evaluate_values_but(model, outing.state, all_but(model, impl, part), impl.scratch, outing.rows);
  for (const std::size_t j : which) {
    const std::uint32_t row = impl.problem.row[part.row[j]];
    const double length = norm(whitened_row(model, outing.rows, row, part));
    if (length > 0 && model::is_holonomic(model.row_kind[row]) &&
        std::abs(outing.rows.value[row]) > realised_to * length * all) {
      return false;
    }
  }
  return true;
}

}  // namespace zwang::instant
