/// Curls of the rows on what they allow, at the start and at points that can be reached from it.
#include "zwang/analysis/equivalence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/tangent.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/instant/repair.hpp"

namespace zwang::analysis {

namespace {

using Vector = std::vector<double>;

/// The system at one point: what is allowed, orthonormal in the metric of T.
class Point {
 public:
  Point(const model::Model& model, const std::vector<std::uint32_t>& equations)
      : model_(model),
        equations_(equations),
        scratch_(model::make_scratch(model)),
        dynamics_(model::make_dynamics(model)),
        rows_(model::make_rows(model)) {}

  /// False where the numbers end: no finite rows, or no positive kinetic energy.
  bool move_to(const model::State& state) {
    state_ = state;
    model::evaluate_rows(model_, state_, scratch_, rows_);
    model::evaluate_dynamics(model_, state_, scratch_, dynamics_);
    if (!dynamics_.mass_positive || !all_finite(rows_.entry) || !all_finite(rows_.explicit_rate)) {
      return false;
    }
    tangent_ = analysis::tangent(model_, rows_, equations_, dynamics_.mass);
    make_orthonormal();
    return true;
  }

  [[nodiscard]] std::size_t rank() const { return tangent_.rank(); }

  /// The part of x that the conditions allow, and the least motion that moving ones ask for.
  [[nodiscard]] Vector allowed(const Vector& x) const {
    Vector image(x.size());
    dynamics_.mass.multiply(x, image);
    return times(basis_, transposed_times(basis_, image));
  }
  [[nodiscard]] const Vector& drift() const { return drift_; }

  /// The defect of one row.
  [[nodiscard]] double defect(std::uint32_t row) const {
    const Curl curl = curl_of(row);
    const std::size_t free = basis_.columns;
    double turned = 0;
    double carried = 0;
    const Vector moved = curl_times(curl, drift_);
    for (std::size_t j = 0; j < free; ++j) {
      const std::span<const double> z(basis_.entry.data() + j * basis_.rows, basis_.rows);
      const Vector on_z = transposed_times(basis_, curl_times(curl, z));
      for (const double x : on_z) {
        turned = std::max(turned, std::abs(x));
      }
      double sum = 0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        sum += z[i] * (moved[i] + curl.by_time[i]);
      }
      carried = std::max(carried, std::abs(sum));
    }
    Vector image(drift_.size());
    dynamics_.mass.multiply(drift_, image);
    double speed = 0;
    for (std::size_t i = 0; i < image.size(); ++i) {
      speed += image[i] * drift_[i];
    }
    const double size = curl.size * std::sqrt(std::max(speed, 0.0)) + curl.time_size;
    return std::max(curl.size > 0 ? turned / curl.size : 0.0, size > 0 ? carried / size : 0.0);
  }

 private:
  /// The derivatives of a row, antisymmetric part, with the size of what they are made of.
  struct Curl {
    struct Entry {
      std::uint32_t i, k;
      double value;  ///< dp_i/dq_k
    };
    std::vector<Entry> entries;
    Vector by_time;        ///< dp_i/dt - dp0/dq_i
    double size = 0;       ///< max |dp_i/dq_k| / (unit_i unit_k)
    double time_size = 0;  ///< max |dp_i/dt|, |dp0/dq_i| / unit_i
  };

  /// C x
  [[nodiscard]] static Vector curl_times(const Curl& curl, std::span<const double> x) {
    Vector y(x.size(), 0.0);
    for (const Curl::Entry& entry : curl.entries) {
      y[entry.i] += entry.value * x[entry.k];
      y[entry.k] -= entry.value * x[entry.i];
    }
    return y;
  }

  [[nodiscard]] Curl curl_of(std::uint32_t row) const {
    const std::size_t n = model_.variables;
    const std::uint32_t first = model_.row_start[row];
    const std::uint32_t count = model_.row_start[row + 1] - first;
    Curl curl;
    curl.by_time.assign(n, 0.0);

    // Along the time alone, then along one variable and the time.
    model::MotionSeries motion{state_.time, n, 2, state_.position};
    motion.coefficient.resize(2 * n, 0.0);
    // Corners are on the sides that they have here.
    if (model_.switches > 0) motion.modes = model::modes_of(model_, model::sides_of(model_, state_));
    model::RowSeries still;
    model::series_row(model_, row, motion, 2, still);
    for (std::uint32_t e = 0; e < count; ++e) {
      const std::uint32_t i = model_.row_column[first + e];
      const double rate = still.gradient[std::size_t{e} * 2 + 1];
      curl.by_time[i] += rate;
      curl.time_size = std::max(curl.time_size, std::abs(rate) / tangent_.unit[i]);
    }
    model::RowSeries series;
    for (const std::uint32_t k : positions_of(row)) {
      motion.coefficient[n + k] = 1;
      model::series_row(model_, row, motion, 2, series);
      motion.coefficient[n + k] = 0;
      double by_position = series.value[1] - still.value[1];
      double terms = std::abs(series.value[1]) + std::abs(still.value[1]);
      for (std::uint32_t e = 0; e < count; ++e) {
        const std::uint32_t i = model_.row_column[first + e];
        const double along = series.gradient[std::size_t{e} * 2 + 1];
        const double rate = along - still.gradient[std::size_t{e} * 2 + 1];
        // With v_k = 1 the change of f contains that of p_k.
        if (i == k) {
          by_position -= along;
          terms += std::abs(along);
        }
        if (rate != 0) {
          curl.entries.push_back({i, k, rate});
          curl.size = std::max(curl.size, std::abs(rate) / (tangent_.unit[i] * tangent_.unit[k]));
        }
      }
      // dp0/dq_k, unless it is what rounding left of the other terms.
      if (std::abs(by_position) > sum_rounding * terms) {
        curl.by_time[k] -= by_position;
        curl.time_size = std::max(curl.time_size, std::abs(by_position) / tangent_.unit[k]);
      }
    }
    return curl;
  }

  /// The variables that a row's coefficients depend on, ascending, each once.
  [[nodiscard]] std::vector<std::uint32_t> positions_of(std::uint32_t row) const {
    const model::RowGroup& group = model_.groups[model_.row_group[row]];
    std::vector<std::uint32_t> list;
    for (std::size_t slot = 0; slot < group.positions; ++slot) {
      list.push_back(group.position_of[slot * group.lanes + model_.row_lane[row]]);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  /// Z with Z^T M Z = 1, and w0 without its part along Z.
  void make_orthonormal() {
    basis_ = tangent_.basis;
    drift_ = tangent_.drift;
    const std::size_t free = basis_.columns;
    if (free == 0) {
      return;
    }
    const linear::Matrix lower =
        linear::cholesky(linear::product(linear::transpose(mass_times(dynamics_.mass, basis_)), basis_));
    for (std::size_t j = 0; j < free; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        for (std::size_t i = 0; i < basis_.rows; ++i) {
          basis_(i, j) -= lower(j, k) * basis_(i, k);
        }
      }
      for (std::size_t i = 0; i < basis_.rows; ++i) {
        basis_(i, j) /= lower(j, j);
      }
    }
    const Vector along = allowed(drift_);
    for (std::size_t i = 0; i < drift_.size(); ++i) {
      drift_[i] -= along[i];
    }
  }

  const model::Model& model_;
  const std::vector<std::uint32_t>& equations_;
  model::Scratch scratch_;
  model::Dynamics dynamics_;
  model::Rows rows_;
  model::State state_;
  Tangent tangent_;
  linear::Matrix basis_;
  Vector drift_;
};

/// A path that obeys the conditions: q' = allowed(push) + pace w0, t' = pace, over a unit of its parameter.
struct Way {
  Vector push;
  double pace = 0;
};

/// Positions and the time as one vector.
std::optional<Vector> slope(Point& point, const Vector& x, const Way& way) {
  const std::size_t n = x.size() - 1;
  model::State state;
  state.time = x[n];
  state.position.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
  state.velocity.assign(n, 0.0);
  if (!all_finite(x) || !point.move_to(state)) {
    return std::nullopt;
  }
  Vector rate = point.allowed(way.push);
  for (std::size_t i = 0; i < n; ++i) {
    rate[i] += way.pace * point.drift()[i];
  }
  rate.push_back(way.pace);
  return rate;
}

/// Gragg's midpoint rule with so many steps over a stretch.
std::optional<Vector> midpoint(Point& point, const Vector& x, const Way& way, double stretch, unsigned steps) {
  const double h = stretch / steps;
  Vector before = x;
  const auto first = slope(point, x, way);
  if (!first) {
    return std::nullopt;
  }
  Vector now = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    now[i] += h * (*first)[i];
  }
  for (unsigned step = 1; step < steps; ++step) {
    const auto rate = slope(point, now, way);
    if (!rate) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double next = before[i] + 2 * h * (*rate)[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  const auto last = slope(point, now, way);
  if (!last) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    now[i] = 0.5 * (now[i] + before[i] + h * (*last)[i]);
  }
  return now;
}

/// One stretch of a way, extrapolated until it stands; nothing if it does not.
std::optional<Vector> walk_stretch(Point& point, const Vector& x, const Way& way, double stretch) {
  constexpr unsigned most = 9;
  std::array<Vector, most> row;
  for (unsigned k = 0; k < most; ++k) {
    const auto rough = midpoint(point, x, way, stretch, 2 * (k + 1));
    if (!rough) {
      return std::nullopt;
    }
    // Neville's table in the squares of the steps; `carry` is its new row.
    Vector carry = *rough;
    double change = 0;
    double size = 0;
    for (unsigned j = 0; j < k; ++j) {
      const double ratio = static_cast<double>(k + 1) / static_cast<double>(k - j);
      const Vector old = row[j];
      row[j] = carry;
      for (std::size_t i = 0; i < x.size(); ++i) {
        carry[i] += (carry[i] - old[i]) / (ratio * ratio - 1);
      }
    }
    if (k > 0) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        change = std::max(change, std::abs(carry[i] - row[k - 1][i]));
        size = std::max(size, std::abs(carry[i]));
      }
    }
    row[k] = carry;
    if (k > 2 && change <= extrapolated_part * size) {
      return carry;
    }
  }
  return std::nullopt;
}

/// The end of a way, in as many stretches as it takes.
std::optional<Vector> walk(Point& point, Vector x, const Way& way) {
  for (unsigned stretches = 2; stretches <= 32; stretches *= 4) {
    std::optional<Vector> now = x;
    for (unsigned k = 0; k < stretches && now; ++k) {
      now = walk_stretch(point, *now, way, 1.0 / stretches);
    }
    if (now) {
      return now;
    }
  }
  return std::nullopt;
}

/// Shorter and shorter: the way, or the step aside, as a part of the extent of the system.
constexpr std::array<double, 5> parts{1, 0.25, 0.0625, 0.015625, 0.00390625};

class EquivalenceInquiry {
 public:
  EquivalenceInquiry(const model::Model& model, const model::State& state, Equivalence& result)
      : model_(model),
        state_(state),
        result_(result),
        equations_(equations_in_force(model, state.time)),
        point_(model, equations_) {
    for (const std::uint32_t row : equations_) {
      if (!model::is_holonomic(model.row_kind[row])) {
        result.rows.push_back({row, 0, 0});
      }
    }
    for (const double q : state.position) {
      extent_ = std::max(extent_, std::abs(q));
    }
    extent_ = 0.4 * (extent_ > 0 ? extent_ : 1);
  }

  void run(const std::vector<model::State>& visited) {
    if (result_.rows.empty()) {
      return;
    }
    model::State still = state_;
    std::fill(still.velocity.begin(), still.velocity.end(), 0.0);
    if (!point_.move_to(still)) {
      result_.agree = result_.agree_nearby = false;
      return;
    }
    rank_ = point_.rank();
    look(false);
    // Larger systems cost more per point, and have more places where a defect shows.
    const unsigned points = model_.variables <= 40 ? 5 : 2;
    for (unsigned k = 0; k < points; ++k) {
      wander();
      stray();
    }
    for (const model::State& one : visited) {
      Vector x = one.position;
      x.push_back(one.time);
      if (go(x)) look(false);
    }
    for (const RowVerdict& verdict : result_.rows) {
      result_.defect = std::max(result_.defect, verdict.defect);
      result_.nearby_defect = std::max(result_.nearby_defect, verdict.nearby_defect);
    }
    result_.agree = result_.defect <= Equivalence::threshold;
    result_.agree_nearby = result_.agree && result_.nearby_defect <= Equivalence::threshold;
  }

 private:
  /// All rows at the present point. Where rows become dependent the directions are others, and nothing is to be learned.
  void look(bool nearby) {
    if (point_.rank() != rank_) {
      return;
    }
    ++(nearby ? result_.nearby_points : result_.points);
    for (RowVerdict& verdict : result_.rows) {
      const double defect = point_.defect(verdict.row);
      if (std::isfinite(defect)) {
        double& worst = nearby ? verdict.nearby_defect : verdict.defect;
        worst = std::max(worst, defect);
      }
    }
  }

  /// A point that three ways in a row lead to; shorter ones where the first leave the domain of the rows.
  void wander() {
    const std::size_t n = model_.variables;
    for (const double part : parts) {
      Vector x = state_.position;
      x.push_back(state_.time);
      bool arrived = true;
      for (int k = 0; k < 3 && arrived; ++k) {
        Way way;
        for (std::size_t i = 0; i < n; ++i) {
          way.push.push_back(part * extent_ * dice_.throw_one());
        }
        way.pace = 0.3 * part * dice_.throw_one();
        const auto end = walk(point_, x, way);
        arrived = end.has_value();
        if (arrived) {
          x = *end;
        }
      }
      if (arrived && go(x)) {
        look(false);
        return;
      }
    }
  }

  /// A point near the start, brought onto the holonomic conditions.
  void stray() {
    for (const double part : parts) {
      model::State there = state_;
      for (double& q : there.position) {
        q += part * extent_ * dice_.throw_one();
      }
      there.time += 0.3 * part * dice_.throw_one();
      const instant::Repair repair = instant::repair(model_, there);
      if (!repair.succeeded) {
        continue;
      }
      Vector x = repair.state.position;
      x.push_back(there.time);
      if (go(x)) {
        look(true);
        return;
      }
    }
  }

  bool go(const Vector& x) {
    model::State there = state_;
    there.modes.clear();
    std::copy(x.begin(), x.end() - 1, there.position.begin());
    there.time = x.back();
    std::fill(there.velocity.begin(), there.velocity.end(), 0.0);
    return all_finite(x) && point_.move_to(there);
  }

  const model::Model& model_;
  const model::State& state_;
  Equivalence& result_;
  std::vector<std::uint32_t> equations_;
  Point point_;
  std::size_t rank_ = 0;
  double extent_ = 0;
  Dice dice_{1905};
};

std::string listed(const model::Model& model, const std::vector<std::uint32_t>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i == 6 && rows.size() > 7) {
      return text + fmt::format(" and {} more", rows.size() - i);
    }
    text += (i == 0 ? "" : i + 1 == rows.size() ? " and " : ", ") + model::row_name(model, rows[i]);
  }
  return text;
}

}  // namespace

Equivalence equivalence(const model::Model& model, const model::State& state,
                        const std::vector<model::State>& visited) {
  Equivalence result;
  const bool asked = std::any_of(model.row_kind.begin(), model.row_kind.end(),
                                 [](model::RowKind kind) { return kind == model::RowKind::nonholonomic_equation; });
  if (asked && model.variables > Equivalence::most_variables) {
    result.decided = false;
    result.agree = false;
    result.agree_nearby = false;
    return result;
  }
  EquivalenceInquiry(model, state, result).run(visited);
  return result;
}

std::string reason(const model::Model& model, const Equivalence& equivalence) {
  std::vector<std::uint32_t> bent;
  std::vector<std::uint32_t> others;
  for (const RowVerdict& verdict : equivalence.rows) {
    (verdict.defect > Equivalence::threshold ? bent : others).push_back(verdict.row);
  }
  const std::string measured =
      fmt::format("defect {}, threshold {}", readable(equivalence.defect, 2), readable(Equivalence::threshold, 2));
  if (!equivalence.decided) {
    return fmt::format("more than {} variables: Maurer's test is not made", Equivalence::most_variables);
  }
  if (equivalence.rows.empty()) {
    return "no equation between velocities is in force: both laws are one";
  }
  if (equivalence.points == 0) {
    return "the rows or the kinetic energy are not finite at the start: nothing can be said";
  }
  if (!bent.empty()) {
    return fmt::format(
        "{} {} not integrate: d/dt df/dv - df/dq leaves the span of the rows ({}){}", listed(model, bent),
        bent.size() == 1 ? "does" : "do", measured,
        others.empty() ? "" : fmt::format("; {} stay{} in it", listed(model, others), others.size() == 1 ? "s" : ""));
  }
  const std::string rest = equivalence.agree_nearby ? ""
                                                    : fmt::format("; elsewhere {} not (defect {} nearby)",
                                                                  others.size() == 1 ? "it does" : "they do",
                                                                  readable(equivalence.nearby_defect, 2));
  return fmt::format(
      "{} integrate{}: d/dt df/dv - df/dq is a combination of the rows wherever the motion can go ({}){}",
      listed(model, others), others.size() == 1 ? "s" : "", measured, rest);
}

}  // namespace zwang::analysis
