/// Order after order of the same nearest-point problem, until every condition has decided to stay or to go.
///
/// Sizes are carried along with numbers: s_k for the coefficient a_k is the sum of the absolute values of the terms it was
/// made of. What is below a small part of its size is rounding and becomes zero, so that noise never takes a decision.
#include "zwang/instant/degenerate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/tolerances.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

/// Rounding grows from order to order with the number of terms.
double zero_part_of(unsigned k) { return zero_part * elementary::pow(growth_per_order, k); }

/// Of the terms of a combination y.c at order k: below it the sum may be rounding.
double uncertain_part(unsigned k) { return std::max(gains_nothing, farkas_margin * zero_part_of(k)); }

/// The motion's series and all that follows from it, one order at a time.
class Orders {
 public:
  Orders(const model::Model& model, const model::State& state, const Workspace::Impl& impl, const Vector& acceleration,
         unsigned highest)
      : model_(model),
        state_(state),
        problem_(impl.problem),
        rows_(impl.rows),
        n_(model.variables),
        series_(problem_.size()) {
    motion_.time = state.time;
    motion_.n = n_;
    motion_.modes = state.modes;
    motion_.orders = highest + 3;
    motion_.coefficient.assign(motion_.orders * n_, 0.0);
    size_.assign(motion_.orders * n_, 0.0);
    // Rounding of the largest numbers of a connected part sits in all of it: no size is smaller than a little of these.
    Vector largest_position(n_, 0.0);
    Vector largest_velocity(n_, 0.0);
    Vector largest_acceleration(n_, 0.0);
    for (const Part& part : connected_parts(model, impl.dynamics.mass, problem_)) {
      double q = 0;
      double v = 0;
      double a = 0;
      for (const std::uint32_t i : part.variable) {
        q = std::max(q, std::abs(state.position[i]));
        v = std::max(v, std::abs(state.velocity[i]));
        a = std::max(a, impl.a_scale[i]);
      }
      for (const std::uint32_t i : part.variable) {
        largest_position[i] = q;
        largest_velocity[i] = v;
        largest_acceleration[i] = a;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      motion_.coefficient[i] = state.position[i];
      motion_.coefficient[n_ + i] = state.velocity[i];
      const double a = std::abs(acceleration[i]) <= noise_part * impl.a_scale[i] ? 0.0 : acceleration[i];
      motion_.coefficient[2 * n_ + i] = a / 2;
      size_[i] = std::abs(state.position[i]) + share_of_largest * largest_position[i];
      size_[n_ + i] = std::abs(state.velocity[i]) + share_of_largest * largest_velocity[i];
      size_[2 * n_ + i] = (impl.a_scale[i] + share_of_largest * largest_acceleration[i]) / 2;
    }
  }

  /// c_k of the row, zero if it is rounding, and its size; the series are those of the motion known so far.
  void known(unsigned k, std::size_t j, double& c, double& scale) {
    const std::uint32_t row = problem_.row[j];
    const bool holonomic = model::is_holonomic(model_.row_kind[row]);
    const unsigned order = holonomic ? k + 2 : k + 1;
    const unsigned orders = k + 3;
    model::RowSeries& series = series_[j];
    model::series_row(model_, row, motion_, orders, series);
    const double factor = holonomic ? (k + 2.0) * (k + 1.0) : k + 1.0;
    c = factor * series.value[order];
    // One level of terms: f[m] m = sum g[l] (m - l) q[m - l] and its like for velocity conditions.
    scale = std::abs(c);
    const std::uint32_t first = model_.row_start[row];
    const std::uint32_t count = model_.row_start[row + 1] - first;
    for (std::uint32_t e = 0; e < count; ++e) {
      const std::uint32_t variable = model_.row_column[first + e];
      for (unsigned l = 0; l <= order; ++l) {
        const unsigned other = order - l + (holonomic ? 0 : 1);
        const double weight = holonomic ? static_cast<double>(order - l) / order : order - l + 1.0;
        scale += factor * weight * std::abs(series.gradient[e * orders + l]) * size_[other * n_ + variable];
      }
    }
    // What stands in it of time alone: its terms change as its gradient does, or with the rates of its first two orders, V w^m / m!.
    if (holonomic && model_.groups[model_.row_group[row]].rheonomic && rows_.value_scale[row] > 0) {
      const double rate = std::max(rows_.rate_scale[row] / rows_.value_scale[row],
                                   std::sqrt(rows_.curvature_scale[row] / rows_.value_scale[row]));
      double part = 1;
      for (unsigned m = 1; m <= order; ++m) part *= rate / m;
      double unit = 0;
      double change = 0;
      for (std::uint32_t e = 0; e < count; ++e) {
        unit = std::max(unit, std::abs(series.gradient[e * orders]));
        change = std::max(change, std::abs(series.gradient[e * orders + order]));
      }
      if (unit > 0) part = std::max(part, change / unit);
      if (std::isfinite(part)) scale += factor * rows_.value_scale[row] * part;
    }
    if (std::abs(c) <= zero_part_of(k) * scale) {
      c = 0;
    }
  }

  /// R_k minus the reactions of lower orders, per variable; and the size of its terms.
  void target(unsigned k, const std::vector<Vector>& lambda, Vector& force, Vector& size) {
    model::series_residual(model_, motion_, k + 1, residual_, &residual_size_);
    force.assign(residual_.begin() + static_cast<std::ptrdiff_t>(k * n_), residual_.end());
    size.assign(residual_size_.begin() + static_cast<std::ptrdiff_t>(k * n_), residual_size_.end());
    const unsigned orders = k + 3;
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      const std::uint32_t row = problem_.row[j];
      const std::uint32_t first = model_.row_start[row];
      const std::uint32_t count = model_.row_start[row + 1] - first;
      if (model::is_variational(model_, row)) bend(k, row, j, lambda, force, size);
      for (unsigned lower = 0; lower < k; ++lower) {
        if (lambda[lower][j] == 0) {
          continue;
        }
        for (std::uint32_t e = 0; e < count; ++e) {
          const double part = series_[j].gradient[e * orders + (k - lower)] * lambda[lower][j];
          force[model_.row_column[first + e]] -= part;
          size[model_.row_column[first + e]] += std::abs(part);
        }
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      if (std::abs(force[i]) <= noise_part * size[i]) {
        force[i] = 0;
      }
    }
  }

  /// -rho (dp/dt - df/dq) of a row under the variational law, coefficient k: rho' is its multiplier.
  void bend(unsigned k, std::uint32_t row, std::size_t j, const std::vector<Vector>& lambda, Vector& force,
            Vector& size) {
    Vector rho(k + 1, model::rho_of(model_, state_, row));
    for (unsigned l = 1; l <= k; ++l) rho[l] = lambda[l - 1][j] / l;
    Vector product((k + 1) * n_, 0.0);
    model::series_bend(model_, row, motion_, k + 1, rho, product);
    for (std::size_t i = 0; i < n_; ++i) {
      force[i] -= product[k * n_ + i];
      size[i] += std::abs(product[k * n_ + i]);
    }
  }

  /// Take a_k with the sizes of its terms into the motion.
  void accept(unsigned k, const Vector& a, const Vector& scale) {
    for (std::size_t i = 0; i < n_; ++i) {
      const double factor = (k + 2.0) * (k + 1.0);
      motion_.coefficient[(k + 2) * n_ + i] = std::abs(a[i]) <= zero_part_of(k) * scale[i] ? 0.0 : a[i] / factor;
      size_[(k + 2) * n_ + i] = scale[i] / factor;
    }
  }

 private:
  const model::Model& model_;
  const model::State& state_;
  const Subproblem& problem_;
  const model::Rows& rows_;
  std::size_t n_;
  std::vector<model::RowSeries> series_;
  model::MotionSeries motion_;
  Vector size_;
  Vector residual_;
  Vector residual_size_;
};

/// Nothing moves and nothing depends on time: all higher derivatives vanish.
bool at_rest_for_good(const model::Model& model, const model::State& state, const Vector& a, const Vector& scale) {
  for (std::size_t i = 0; i < model.variables; ++i) {
    if (state.velocity[i] != 0 || std::abs(a[i]) > noise_part * scale[i]) {
      return false;
    }
  }
  const bool timed_term =
      std::any_of(model.terms.begin(), model.terms.end(), [](const model::TermGroup& term) { return term.uses_time; });
  const bool timed_row = std::any_of(model.groups.begin(), model.groups.end(),
                                     [](const model::RowGroup& group) { return group.rheonomic || !group.holonomic; });
  return !timed_term && !timed_row;
}

/// The rows that are not open, with their multipliers; `bounded(j)` says which may not fall below zero.
template <class Bounded>
MultiplierQuestion ask(const Subproblem& problem, const std::vector<Hold>& hold, const Vector& lambda,
                       Bounded bounded) {
  MultiplierQuestion question;
  question.problem = &problem;
  for (std::uint32_t j = 0; j < problem.size(); ++j) {
    if (hold[j] != Hold::open) {
      question.rows.push_back(j);
      question.nonnegative.push_back(bounded(j) ? 1 : 0);
      question.lambda.push_back(lambda[j]);
    }
  }
  return question;
}

/// How one pass over the orders ended.
enum class Pass : std::uint8_t { finished, again, jammed };

/// One pass: the orders from 1 on with lambda_0 given. `again` means that a higher order excluded some rows from
/// carrying force at order zero (`may_carry`), and the pass must be repeated with the rest.
class Decider {
 public:
  Decider(const model::Model& model, const model::State& state, const Options& options, Workspace::Impl& impl,
          bool unique, bool all_around, Instant& instant)
      : model_(model),
        state_(state),
        options_(options),
        impl_(impl),
        unique_(unique),
        all_around_(all_around),
        instant_(instant),
        excluded_at_(impl.problem.size(), 0) {}

  Pass pass(const std::vector<std::uint8_t>& inequality, std::vector<std::uint8_t>& may_carry, std::vector<Hold>& hold,
            Vector& multipliers) {
    const Subproblem& problem = impl_.problem;
    const std::size_t r = problem.size();
    Orders orders(model_, state_, impl_, instant_.accelerations, options_.highest_order);
    std::vector<Vector> lambda{multipliers};
    Vector c(r, 0.0);
    Vector c_scale(r, 0.0);
    instant_.decisions.clear();
    // What rests stays undecided whatever comes out, and rows that depend on others all around need no order but those that decide.
    const auto undecided = [&] {
      for (std::size_t j = 0; j < r; ++j) {
        const bool rests = options_.resting.contains(problem.row[j]);
        if (hold[j] == Hold::undecided && !rests) return true;
      }
      return false;
    };

    for (unsigned k = 1; k <= options_.highest_order && (undecided() || !(unique_ || all_around_)); ++k) {
      for (std::size_t j = 0; j < r; ++j) {
        orders.known(k, j, c[j], c_scale[j]);
      }
      if (!unique_) {
        const Pass verdict = share(k, inequality, c, c_scale, may_carry, hold, lambda);
        if (verdict != Pass::finished) {
          return verdict;
        }
      }
      if (!step(k, orders, c, c_scale, hold, lambda)) {
        if (opened_) return Pass::again;
        if (instant_.status != Status::jammed) return Pass::finished;
        if (proves_for_inequalities(inequality)) return Pass::jammed;
        // Rows held as equations only because they carry force: another share of it is asked for, and no jam is claimed.
        instant_.status = Status::determined;
        instant_.farkas.clear();
        return shift(k, inequality, may_carry, lambda, multipliers) ? Pass::again : Pass::finished;
      }
    }
    return Pass::finished;
  }

  /// Were the multipliers of order zero changed along a proof? Then the next pass begins with them as they are.
  bool take_shifted() { return std::exchange(shifted_, false); }

  /// A row that turned out to be open at order zero; the pass must be repeated without it.
  std::optional<std::uint32_t> take_opened() { return std::exchange(opened_, std::nullopt); }

 private:
  /// Multipliers that are not unique: those of order zero must maximise lambda.c_k among what the orders below left,
  /// those of the order below likewise.
  Pass share(unsigned k, const std::vector<std::uint8_t>& inequality, const Vector& c, const Vector& c_scale,
             std::vector<std::uint8_t>& may_carry, std::vector<Hold>& hold, std::vector<Vector>& lambda) {
    const Subproblem& problem = impl_.problem;
    // Order zero: rows that lose against others of the same gradients are excluded, and everything begins again.
    MultiplierQuestion zero;
    zero.problem = &problem;
    Vector gain;
    Vector gain_scale;
    for (std::uint32_t j = 0; j < problem.size(); ++j) {
      if (hold[j] != Hold::open && may_carry[j] != 0) {
        zero.rows.push_back(j);
        zero.nonnegative.push_back(inequality[j]);
        zero.lambda.push_back(lambda[0][j]);
        gain.push_back(c[j]);
        gain_scale.push_back(c_scale[j]);
      }
    }
    bool gains = false;
    for (std::size_t i = 0; i < gain.size(); ++i) {
      gains = gains || std::abs(gain[i]) > gains_nothing * gain_scale[i];
    }
    if (largest(zero.lambda) > 0 && gains) {
      const Vector old = zero.lambda;
      if (!choose_multipliers(zero, gain)) {
        return without_bound_at(k, inequality, c, c_scale, hold);
      }
      // Of what a choice gains, as a contradiction of this order is told from rounding: else the next order has its say.
      double gained = 0;
      double terms = 0;
      for (std::size_t i = 0; i < old.size(); ++i) {
        gained += (zero.lambda[i] - old[i]) * gain[i];
        terms += std::abs(zero.lambda[i] - old[i]) * gain_scale[i];
      }
      bool excluded = false;
      for (std::size_t i = 0; i < zero.rows.size() && gained > uncertain_part(k) * terms; ++i) {
        if (zero.nonnegative[i] != 0 && old[i] > 0 && zero.lambda[i] == 0) {
          may_carry[zero.rows[i]] = 0;
          excluded_at_[zero.rows[i]] = k;
          excluded = true;
        }
      }
      if (excluded) {
        return Pass::again;
      }
    }
    if (k == 1) {
      return Pass::finished;
    }
    // The order below: undecided rows may only press.
    std::vector<Hold> asked = hold;
    for (std::size_t j = 0; j < asked.size(); ++j) {
      if (carries_nothing_at(k - 1, j, hold)) asked[j] = Hold::open;
    }
    MultiplierQuestion below = ask(problem, asked, lambda[k - 1],
                                   [&](std::uint32_t j) { return inequality[j] != 0 && hold[j] == Hold::undecided; });
    Vector more;
    for (const std::uint32_t j : below.rows) {
      more.push_back(c[j]);
    }
    if (largest(below.lambda) == 0) {
      return Pass::finished;
    }
    if (!choose_multipliers(below, more)) {
      return without_bound_at(k, inequality, c, c_scale, hold);
    }
    for (std::size_t i = 0; i < below.rows.size(); ++i) {
      lambda[k - 1][below.rows[i]] = below.lambda[i];
      if (below.nonnegative[i] != 0 && below.lambda[i] > 0) {
        hold[below.rows[i]] = Hold::equation;
        decided(below.rows[i], k - 1, true);
      }
    }
    return Pass::finished;
  }

  /// The nearest-point problem of one order; false if it has no answer.
  bool step(unsigned k, Orders& orders, const Vector& c, const Vector& c_scale, std::vector<Hold>& hold,
            std::vector<Vector>& lambda) {
    const Subproblem& problem = impl_.problem;
    const linear::Mass& mass = impl_.dynamics.mass;
    const std::size_t n = model_.variables;
    orders.target(k, lambda, force_, size_);
    const auto solve = [&](const auto& takes_part) {
      next_.clear();
      next_.a0.resize(n);
      mass.solve(force_, next_.a0);
      place_.clear();
      for (std::uint32_t j = 0; j < problem.size(); ++j) {
        if (hold[j] != Hold::open && takes_part(j)) {
          next_.append(model_, impl_.rows, problem.row[j], c[j],
                       hold[j] == Hold::equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
          place_.push_back(j);
        }
      }
      gauss::Options gauss_options;
      if (next_.size() > large) gauss_options.most_rounds = few_rounds;
      if (!impl_.gauss_orders) impl_.gauss_orders.emplace();
      gauss::solve(next_.view(mass), gauss_options, *impl_.gauss_orders, solution_);
    };
    // Rows that a later order bars from carrying force: where the others keep them, the answer is that of all rows.
    const auto free_of_bars = [&](std::uint32_t j) { return !carries_nothing_at(k, j, hold); };
    solve(free_of_bars);
    if (place_.size() < problem.size() && solution_.status == gauss::Status::solved &&
        breaks_barred(k, c, c_scale, hold)) {
      solve([](std::uint32_t) { return true; });
    }
    if (solution_.status == gauss::Status::infeasible) {
      static_cast<void>(jam_if_proved(k, c_scale));
      return false;
    }
    if (solution_.status != gauss::Status::solved) {
      return false;
    }

    // Sizes of this order's accelerations and multipliers; the second sweep counts what multipliers could have been.
    Vector terms(place_.size(), 0.0);
    Vector carried;
    for (int sweep = 0; sweep < 2; ++sweep) {
      carried = size_;
      for (std::size_t i = 0; i < place_.size(); ++i) {
        const double phi = impl_.norm2[place_[i]];
        const double size = std::max(std::abs(solution_.lambda[i]), phi > 0 ? terms[i] / phi : 0.0);
        for (std::uint32_t e = next_.start[i]; e < next_.start[i + 1]; ++e) {
          carried[next_.column[e]] += std::abs(next_.entry[e]) * size;
        }
      }
      solve_absolute(mass, carried, scale_);
      for (std::size_t i = 0; i < place_.size(); ++i) {
        terms[i] = c_scale[place_[i]];
        for (std::uint32_t e = next_.start[i]; e < next_.start[i + 1]; ++e) {
          terms[i] += std::abs(next_.entry[e]) * scale_[next_.column[e]];
        }
      }
    }

    // Decide what this order decides.
    lambda.emplace_back(problem.size(), 0.0);
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::uint32_t j = place_[i];
      const bool presses = solution_.lambda[i] * impl_.norm2[j] > zero_part_of(k) * terms[i];
      const bool counts = std::abs(solution_.lambda[i]) * impl_.norm2[j] > noise_part * terms[i];
      lambda[k][j] =
          hold[j] == Hold::equation ? (counts ? solution_.lambda[i] : 0.0) : (presses ? solution_.lambda[i] : 0.0);
      if (hold[j] != Hold::undecided) {
        continue;
      }
      if (presses) {
        hold[j] = Hold::equation;
        decided(j, k, true);
      } else if (solution_.w[i] < -(excluded_at_[j] == k ? 0.0 : zero_part_of(k) * terms[i])) {
        // sum y_j w_j = y.c for all y with G^T y = 0: what this order gained by leaving a row out is what that row opens by.
        hold[j] = Hold::open;
        decided(j, k, false);
      }
    }
    orders.accept(k, solution_.a, scale_);
    return true;
  }

  /// Was row j, undecided so far, shown by a later order to carry nothing at this one?
  [[nodiscard]] bool carries_nothing_at(unsigned k, std::size_t j, const std::vector<Hold>& hold) const {
    return hold[j] == Hold::undecided && k < excluded_at_[j];
  }

  /// Does the answer of this order break a row that was left out of it?
  [[nodiscard]] bool breaks_barred(unsigned k, const Vector& c, const Vector& c_scale,
                                   const std::vector<Hold>& hold) const {
    const Subproblem& problem = impl_.problem;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      if (!carries_nothing_at(k, j, hold)) continue;
      double w = c[j];
      double terms = c_scale[j];
      for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
        w += problem.entry[e] * solution_.a[problem.column[e]];
        terms += std::abs(problem.entry[e] * solution_.a[problem.column[e]]);
      }
      if (w > zero_part_of(k) * terms) return true;
    }
    return false;
  }

  /// y is a proof for the conditions themselves, not only for those that carry force, if it is nowhere negative on what may only press.
  [[nodiscard]] bool proves_for_inequalities(const std::vector<std::uint8_t>& inequality) const {
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (inequality[place_[i]] != 0 && solution_.farkas[i] < 0) return false;
    }
    return true;
  }

  /// y proves that the rows exclude each other as long as all of them hold that carry force, at whatever order they begin to. Where y < 0 on
  /// inequalities among these, the force is only shared wrongly: G^T y = 0 and y.c_k > 0, so lambda + theta y gains until the first of them
  /// carries nothing at any order below k, and that one goes. Orders are compared as the digits of a number are.
  bool shift(unsigned k, const std::vector<std::uint8_t>& inequality, std::vector<std::uint8_t>& may_carry,
             const std::vector<Vector>& lambda, Vector& multipliers) {
    std::optional<std::size_t> first;
    const auto sooner = [&](std::size_t one, std::size_t other) {
      for (const Vector& order : lambda) {
        const double left = order[place_[one]] / -solution_.farkas[one];
        const double right = order[place_[other]] / -solution_.farkas[other];
        if (left != right) return left < right;
      }
      return false;
    };
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::uint32_t j = place_[i];
      const double y = solution_.farkas[i];
      if (inequality[j] == 0 || y == 0) continue;
      if (y > 0) {
        if (may_carry[j] == 0) return false;
        continue;
      }
      // What leads must press; a row that was barred up to this very order is not barred again.
      const auto leads = std::find_if(lambda.begin(), lambda.end(), [&](const Vector& order) { return order[j] != 0; });
      if (leads == lambda.end() || !((*leads)[j] > 0) || excluded_at_[j] >= k) return false;
      if (!first || sooner(i, *first)) first = i;
    }
    if (!first) return false;
    const std::uint32_t gone = place_[*first];
    const double theta = multipliers[gone] / -solution_.farkas[*first];
    for (std::size_t i = 0; i < place_.size() && theta > 0; ++i) {
      multipliers[place_[i]] += theta * solution_.farkas[i];
      if (inequality[place_[i]] != 0) multipliers[place_[i]] = std::max(0.0, multipliers[place_[i]]);
    }
    multipliers[gone] = 0;
    may_carry[gone] = 0;
    excluded_at_[gone] = k;
    shifted_ = true;
    return true;
  }

  /// Multipliers without bound mean that the rows of this order exclude each other: then they do so by themselves, and
  /// there is a proof of it. Without one it was rounding, and the multipliers stay as they are.
  Pass without_bound_at(unsigned k, const std::vector<std::uint8_t>& inequality, const Vector& c, const Vector& c_scale,
                        const std::vector<Hold>& hold) {
    next_.clear();
    next_.a0.assign(model_.variables, 0.0);
    place_.clear();
    for (std::uint32_t j = 0; j < impl_.problem.size(); ++j) {
      if (hold[j] != Hold::open) {
        next_.append(model_, impl_.rows, impl_.problem.row[j], c[j],
                     inequality[j] == 0 ? gauss::RowKind::equation : gauss::RowKind::inequality);
        place_.push_back(j);
      }
    }
    if (!impl_.gauss_orders) impl_.gauss_orders.emplace();
    gauss::solve(next_.view(impl_.dynamics.mass), {}, *impl_.gauss_orders, solution_);
    if (solution_.status == gauss::Status::infeasible && jam_if_proved(k, c_scale)) return Pass::jammed;
    return opened_ ? Pass::again : Pass::finished;
  }

  /// Does Farkas's y of the problem just posed prove that it has no answer? y^T J = 0 as far as accelerations at hand can
  /// tell, and y.c beyond the uncertainty of its terms.
  bool jam_if_proved(unsigned k, const Vector& c_scale) {
    const linear::Mass& mass = impl_.dynamics.mass;
    Vector left(model_.variables, 0.0);
    double gap = 0;
    double terms = 0;
    double at_hand = 0;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const double y = solution_.farkas[i];
      if (next_.kind[i] == gauss::RowKind::inequality && y < 0) return false;
      if (y == 0) continue;
      for (std::uint32_t e = next_.start[i]; e < next_.start[i + 1]; ++e) left[next_.column[e]] += y * next_.entry[e];
      gap += y * next_.h[i];
      terms += std::abs(y) * c_scale[place_[i]];
      const double phi = impl_.norm2[place_[i]];
      if (phi > 0) at_hand = std::max(at_hand, std::abs(next_.h[i]) / std::sqrt(phi));
    }
    mass.solve(left, scale_of(left));
    double square = 0;
    for (std::size_t i = 0; i < left.size(); ++i) square += left[i] * scale_[i];
    if (!(gap > uncertain_part(k) * terms) || !(gap > absurd_acceleration * at_hand * std::sqrt(square))) return false;
    if (opens_before()) return false;
    instant_.status = Status::jammed;
    instant_.jam_derivative = k + 2;
    instant_.farkas.clear();
    for (std::size_t i = 0; i < place_.size(); ++i) {
      if (solution_.farkas[i] != 0) {
        instant_.farkas.emplace_back(impl_.problem.row[place_[i]], solution_.farkas[i]);
      }
    }
    return true;
  }

  /// Rows that contradict each other at this order do not if they are open at order zero, by however little. The one that is, most of all,
  /// among those that carry nothing, goes.
  bool opens_before() {
    const Subproblem& problem = impl_.problem;
    Vector y(problem.size(), 0.0);
    for (std::size_t i = 0; i < place_.size(); ++i) y[place_[i]] = solution_.farkas[i];
    if (!nowhere_positive(model_, problem, y) && !opens_as_it_stands(impl_, y, impl_.a_scale)) return false;
    double most = 0;
    for (std::size_t i = 0; i < place_.size(); ++i) {
      const std::uint32_t j = place_[i];
      if (next_.kind[i] == gauss::RowKind::equation || y[j] * impl_.solution.w[j] >= most) continue;
      most = y[j] * impl_.solution.w[j];
      opened_ = j;
    }
    return true;
  }

  Vector& scale_of(const Vector& like) {
    scale_.resize(like.size());
    return scale_;
  }

  void decided(std::uint32_t j, unsigned k, bool stays) {
    const std::uint32_t row = impl_.problem.row[j];
    const unsigned derivative = model::is_holonomic(model_.row_kind[row]) ? k + 2 : k + 1;
    instant_.decisions.push_back(Decision{row, derivative, stays});
  }

  const model::Model& model_;
  const model::State& state_;
  const Options& options_;
  Workspace::Impl& impl_;
  bool unique_;
  bool all_around_;
  Instant& instant_;

  std::vector<unsigned> excluded_at_;  ///< per row, the order that excluded it from carrying force; 0: none
  bool shifted_ = false;
  std::optional<std::uint32_t> opened_;
  Subproblem next_;
  std::vector<std::uint32_t> place_;
  gauss::Solution solution_;
  Vector force_;
  Vector size_;
  Vector scale_;
};

}  // namespace

void decide_degenerate(const model::Model& model, const model::State& state, const Options& options,
                       Workspace::Impl& impl, bool unique, bool all_around, const std::vector<std::uint8_t>& inequality,
                       std::vector<Hold>& hold, std::vector<double>& multipliers, Instant& instant) {
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  const bool still = at_rest_for_good(model, state, instant.accelerations, impl.a_scale);
  const auto rests = [&](std::size_t j) { return options.resting.contains(problem.row[j]); };
  bool any = false;
  for (std::size_t j = 0; j < r; ++j) any = any || (hold[j] == Hold::undecided && !rests(j));
  if (unique && (still || !any)) {
    return;
  }

  std::vector<std::uint8_t> stays(r, 0);
  for (std::size_t j = 0; j < r; ++j) stays[j] = hold[j] == Hold::undecided && rests(j) ? 1 : 0;

  // Rows that may carry force at order zero; every pass that excludes one, or opens one, begins anew, so there are at most 2 r passes.
  std::vector<std::uint8_t> may_carry(r, 1);
  std::vector<Hold> first = hold;
  Decider decider(model, state, options, impl, unique, all_around, instant);
  for (std::size_t round = 0; round <= 2 * r; ++round) {
    hold = first;
    if (!unique && decider.take_shifted()) {
      for (std::size_t j = 0; j < r; ++j) {
        if (inequality[j] != 0 && hold[j] != Hold::open)
          hold[j] = multipliers[j] > 0 ? Hold::equation : Hold::undecided;
      }
    } else if (!unique) {
      // Share the force evenly among the rows that may carry it.
      MultiplierQuestion question =
          ask(problem, hold, multipliers, [&](std::uint32_t j) { return inequality[j] != 0; });
      Vector gain(question.rows.size(), 0.0);
      bool excluded = false;
      for (std::size_t i = 0; i < question.rows.size(); ++i) {
        gain[i] = may_carry[question.rows[i]] != 0 ? 0.0 : -1.0;
        excluded = excluded || gain[i] < 0;
      }
      if (choose_multipliers(question, excluded ? gain : Vector{})) {
        for (std::size_t i = 0; i < question.rows.size(); ++i) {
          const std::uint32_t j = question.rows[i];
          const bool carries = question.lambda[i] > 0;
          multipliers[j] = inequality[j] == 0 || carries ? question.lambda[i] : 0.0;
          if (inequality[j] != 0) {
            hold[j] = carries ? Hold::equation : Hold::undecided;
          }
        }
      }
      // Rows that depend on others all around have derivatives that agree at every order: none of them prefers one multiplier to another.
      if (still) return;
      if (all_around && !any) break;
    }
    if (decider.pass(inequality, may_carry, hold, multipliers) != Pass::again) {
      break;
    }
    if (const std::optional<std::uint32_t> opened = decider.take_opened()) first[*opened] = Hold::open;
  }
  for (std::size_t j = 0; j < r; ++j) {
    if (stays[j] != 0) hold[j] = Hold::undecided;
  }
}

}  // namespace zwang::instant
