/// Order after order of the same nearest-point problem, until every condition has decided to stay or to go.
#include "zwang/instant/degenerate.hpp"

#include <algorithm>
#include <cmath>

namespace zwang::instant {

namespace {

constexpr double zero_part = 1e-11;  ///< of the sum of the absolute values of the terms (section 8)

/// The motion's series and all that follows from it, one order at a time.
class Orders {
 public:
  Orders(const model::Model& model, const model::State& state, const Workspace::Impl& impl,
         const std::vector<double>& acceleration, unsigned highest)
      : model_(model), problem_(impl.problem), mass_(impl.dynamics.mass), n_(model.variables), series_(problem_.size()) {
    motion_.time = state.time;
    motion_.n = n_;
    motion_.orders = highest + 3;
    motion_.coefficient.assign(motion_.orders * n_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      motion_.coefficient[i] = state.position[i];
      motion_.coefficient[n_ + i] = state.velocity[i];
      motion_.coefficient[2 * n_ + i] = acceleration[i] / 2;
    }
  }

  /// c_k and its scale for the row; the series are those of the motion known so far.
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
        if (other >= motion_.orders) {
          continue;
        }
        const double part = series.gradient[e * orders + l] * motion_.coefficient[other * n_ + variable];
        scale += factor * std::abs(part) * (holonomic ? static_cast<double>(order - l) / order : order - l + 1.0);
      }
    }
  }

  /// R_k minus the reactions of lower orders, per variable; and the size of its terms.
  void target(unsigned k, const std::vector<std::vector<double>>& lambda, std::vector<double>& force,
              std::vector<double>& size) {
    model::series_residual(model_, motion_, k + 1, residual_);
    force.assign(residual_.begin() + static_cast<std::ptrdiff_t>(k * n_), residual_.end());
    size.resize(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      size[i] = std::abs(force[i]);
    }
    const unsigned orders = k + 3;
    for (std::size_t j = 0; j < problem_.size(); ++j) {
      const std::uint32_t row = problem_.row[j];
      const std::uint32_t first = model_.row_start[row];
      const std::uint32_t count = model_.row_start[row + 1] - first;
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
  }

  void accept(unsigned k, const std::vector<double>& a) {
    for (std::size_t i = 0; i < n_; ++i) {
      motion_.coefficient[(k + 2) * n_ + i] = a[i] / ((k + 2.0) * (k + 1.0));
    }
  }

 private:
  const model::Model& model_;
  const Subproblem& problem_;
  const linear::Mass& mass_;
  std::size_t n_;
  std::vector<model::RowSeries> series_;
  model::MotionSeries motion_;
  std::vector<double> residual_;
};

/// Nothing moves and nothing depends on time: all higher derivatives vanish.
bool at_rest_for_good(const model::Model& model, const model::State& state, const std::vector<double>& a, double scale) {
  for (std::size_t i = 0; i < model.variables; ++i) {
    if (state.velocity[i] != 0 || std::abs(a[i]) > 1e-14 * scale) {
      return false;
    }
  }
  const bool timed_term = std::any_of(model.terms.begin(), model.terms.end(),
                                      [](const model::TermGroup& term) { return term.uses_time; });
  const bool timed_row = std::any_of(model.groups.begin(), model.groups.end(), [](const model::RowGroup& group) {
    return group.rheonomic || !group.holonomic;
  });
  return !timed_term && !timed_row;
}

}  // namespace

void decide_degenerate(const model::Model& model, const model::State& state, const Options& options,
                       Workspace::Impl& impl, bool unique, std::vector<Hold>& hold, std::vector<double>& multipliers,
                       Instant& instant) {
  const Subproblem& problem = impl.problem;
  const std::size_t r = problem.size();
  const auto any_undecided = [&] { return std::count(hold.begin(), hold.end(), Hold::undecided) > 0; };

  // The size of the free accelerations, for "nothing moves".
  double largest = 0;
  for (std::size_t i = 0; i < model.variables; ++i) {
    largest = std::max(largest, std::abs(problem.a0[i]));
  }
  if (unique && (!any_undecided() || at_rest_for_good(model, state, instant.accelerations, largest))) {
    return;
  }

  Orders orders(model, state, impl, instant.accelerations, options.highest_order);
  std::vector<std::vector<double>> lambda{multipliers};
  std::vector<double> c(r, 0.0);
  std::vector<double> c_scale(r, 0.0);
  std::vector<double> force;
  std::vector<double> size;
  gauss::Workspace gauss_workspace;
  gauss::Solution solution;

  // Non-unique multipliers that stand at rest are shared evenly, nothing else can be said of them.
  if (!unique && at_rest_for_good(model, state, instant.accelerations, largest)) {
    MultiplierQuestion question;
    question.problem = &problem;
    for (std::uint32_t j = 0; j < r; ++j) {
      if (hold[j] != Hold::open) {
        question.rows.push_back(j);
        question.nonnegative.push_back(problem.kind[j] == gauss::RowKind::inequality ? 1 : 0);
        question.lambda.push_back(multipliers[j]);
      }
    }
    if (choose_multipliers(question, {})) {
      for (std::size_t i = 0; i < question.rows.size(); ++i) {
        const std::uint32_t j = question.rows[i];
        multipliers[j] = question.lambda[i];
        if (problem.kind[j] == gauss::RowKind::inequality) {
          hold[j] = multipliers[j] > 0 ? Hold::equation : Hold::undecided;
        }
      }
    }
    return;
  }

  for (unsigned k = 1; k <= options.highest_order && (any_undecided() || (k == 1 && !unique)); ++k) {
    for (std::size_t j = 0; j < r; ++j) {
      orders.known(k, j, c[j], c_scale[j]);
    }

    // Multipliers of the order below that are not determined yet: of equal gradients the larger c binds.
    if (!unique) {
      MultiplierQuestion question;
      question.problem = &problem;
      std::vector<double> gain;
      for (std::uint32_t j = 0; j < r; ++j) {
        const bool inequality = problem.kind[j] == gauss::RowKind::inequality;
        const bool bounded = inequality && (k == 1 ? hold[j] != Hold::open : hold[j] == Hold::undecided);
        if (hold[j] != Hold::open) {
          question.rows.push_back(j);
          question.nonnegative.push_back(bounded ? 1 : 0);
          question.lambda.push_back(lambda[k - 1][j]);
          gain.push_back(std::abs(c[j]) <= zero_part * c_scale[j] ? 0.0 : c[j]);
        }
      }
      if (!choose_multipliers(question, gain)) {
        instant.status = Status::jammed;
        instant.jam_derivative = k + 2;
        return;
      }
      double most = 0;
      for (const double value : question.lambda) {
        most = std::max(most, std::abs(value));
      }
      for (std::size_t i = 0; i < question.rows.size(); ++i) {
        const std::uint32_t j = question.rows[i];
        lambda[k - 1][j] = question.lambda[i];
        if (question.nonnegative[i] != 0) {
          hold[j] = question.lambda[i] > zero_part * most ? Hold::equation : Hold::undecided;
        }
      }
      if (k == 1) {
        multipliers = lambda[0];
      }
    }
    if (!any_undecided()) {
      return;
    }

    // The nearest-point problem of this order.
    orders.target(k, lambda, force, size);
    Subproblem next;
    next.clear();
    next.a0.resize(model.variables);
    impl.dynamics.mass.solve(force, next.a0);
    std::vector<std::uint32_t> place;
    for (std::uint32_t j = 0; j < r; ++j) {
      if (hold[j] != Hold::open) {
        next.append(model, impl.rows, problem.row[j], c[j],
                    hold[j] == Hold::equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
        place.push_back(j);
      }
    }
    gauss::solve(next.view(impl.dynamics.mass), {}, gauss_workspace, solution);
    if (solution.status == gauss::Status::infeasible) {
      // Rounding in c is no contradiction: the certificate must exceed it.
      double gap = 0;
      double terms = 0;
      for (std::size_t i = 0; i < place.size(); ++i) {
        gap += solution.farkas[i] * c[place[i]];
        terms += std::abs(solution.farkas[i]) * c_scale[place[i]];
      }
      if (gap > 1e-9 * terms) {
        instant.status = Status::jammed;
        instant.jam_derivative = k + 2;
        instant.farkas.clear();
        for (std::size_t i = 0; i < place.size(); ++i) {
          if (solution.farkas[i] != 0) {
            instant.farkas.emplace_back(problem.row[place[i]], solution.farkas[i]);
          }
        }
      }
      return;
    }
    if (solution.status != gauss::Status::solved) {
      return;
    }

    // Decide what this order decides.
    std::vector<double> absolute(model.variables, 0.0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      for (std::uint32_t e = next.start[i]; e < next.start[i + 1]; ++e) {
        absolute[next.column[e]] += std::abs(next.entry[e] * solution.lambda[i]);
      }
    }
    for (std::size_t i = 0; i < model.variables; ++i) {
      absolute[i] += size[i];
    }
    std::vector<double> response(model.variables, 0.0);
    impl.dynamics.mass.solve(absolute, response);
    lambda.emplace_back(r, 0.0);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::uint32_t j = place[i];
      lambda[k][j] = solution.lambda[i];
      if (hold[j] != Hold::undecided) {
        continue;
      }
      const unsigned derivative = model::is_holonomic(model.row_kind[problem.row[j]]) ? k + 2 : k + 1;
      double terms_w = c_scale[j];
      double terms_lambda = c_scale[j];
      for (std::uint32_t e = next.start[i]; e < next.start[i + 1]; ++e) {
        terms_w += std::abs(next.entry[e] * solution.a[next.column[e]]);
        terms_lambda += std::abs(next.entry[e] * response[next.column[e]]);
      }
      // Phi_jj in the metric of the masses.
      std::vector<double> row(model.variables, 0.0);
      std::vector<double> image(model.variables, 0.0);
      for (std::uint32_t e = next.start[i]; e < next.start[i + 1]; ++e) {
        row[next.column[e]] = next.entry[e];
      }
      impl.dynamics.mass.solve(row, image);
      double phi_jj = 0;
      for (std::uint32_t e = next.start[i]; e < next.start[i + 1]; ++e) {
        phi_jj += next.entry[e] * image[next.column[e]];
      }
      if (solution.lambda[i] * phi_jj > zero_part * terms_lambda) {
        hold[j] = Hold::equation;
        instant.decisions.push_back(Decision{problem.row[j], derivative, true});
      } else if (solution.w[i] < -zero_part * terms_w) {
        hold[j] = Hold::open;
        lambda[k][j] = 0;
        instant.decisions.push_back(Decision{problem.row[j], derivative, false});
      } else {
        lambda[k][j] = 0;
      }
    }
    orders.accept(k, solution.a);
  }
}

}  // namespace zwang::instant
