/// Sides of corners and alternatives at one instant.
#include "zwang/instant/corners.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/workspace_impl.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/flow.hpp"
#include "zwang/model/lanes.hpp"

namespace zwang::instant {

using expressions::Corner;
using expressions::Side;

namespace {

// What decides here, each with its reason.
constexpr double on_threshold = 1e-12;   ///< of the terms of g: written states have rounding of their decimals
constexpr double doubts = 4;             ///< uncertainties of the state within which g is on a threshold
constexpr double rate_zero = 1e-12;      ///< of the terms of a rate: the same
constexpr double push_zero = 1e-11;      ///< of the largest push: accelerations of either side come from two solutions
constexpr double push_in_doubt = 1e3;    ///< of that: weights come from pushes, and pushes from weights again
constexpr double own_effect = 1e-7;      ///< of the largest effect: what makes weights of dependent surfaces unique
constexpr double at_bound = 1e-5;        ///< a weight of such a surface: a hundred times what that moves it by
constexpr double middle = 0.5;           ///< the weight that such surfaces have where nothing asks for another
constexpr double same_way = 1e-9;        ///< of two costs: alternatives between which nothing decides
constexpr double beside_state = 0.1;     ///< how far away functions are compared with one another
constexpr double beside_surface = 1e-9;  ///< of the terms of g: how far from a surface its sides are looked at
constexpr double beside_for_slope =
    0x1p-17;  ///< of the largest coordinate: differences have two thirds of their digits there
constexpr double kink_part =
    1e-9;  ///< of two gradients: what differs by less is rounding of a smooth join, as a spline's
constexpr std::size_t most_sets = 64;  ///< of conditions that carry force, tried before another way is
constexpr std::size_t most_slid = 64;  ///< switches on a threshold at one instant

/// The words for a switch in a sentence.
std::string named(const model::Model& model, std::uint32_t number) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  std::string out = "`" + place.group->corners[place.corner].text + "`";
  // Forces of one form share their words, which are those of the first: whose it is must be said.
  if (place.group->lanes < 2) return out;
  std::string bodies;
  for (const std::string& body : model::bodies_of_switch(model, number))
    bodies += (bodies.empty() ? " of " : ", ") + body;
  return out + bodies;
}

/// Derivatives of the g of a switch by its slots: of positions, then of velocities.
std::vector<double> slopes_by_slot(const model::SwitchPlace& place, const model::State& state) {
  const model::Slotted& group = *place.group;
  std::vector<double> r(group.slopes.registers());
  expressions::load_constants(group.slopes, r.data(), 1, 1);
  model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, state.modes, place.lane, r.data());
  expressions::extend(group.slopes, r.data(), 1, 0, 0, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  std::vector<double> out(slots);
  for (std::size_t k = 0; k < slots; ++k) out[k] = r[group.slopes.outputs[place.corner * slots + k]];
  return out;
}

/// The switches of forces that are on a threshold and undecided, and what their weights do.
class Sliding {
 public:
  Sliding(const model::Model& model, const model::State& state, const Options& options, Workspace& workspace,
          Corners& corners, std::vector<std::uint32_t> switches, std::vector<Side> on, std::vector<Side> towards,
          std::vector<std::pair<std::uint32_t, Side>> touched)
      : model_(model),
        state_(state),
        options_(options),
        workspace_(workspace),
        corners_(corners),
        switches_(std::move(switches)),
        on_(std::move(on)),
        towards_(std::move(towards)),
        touched_(std::move(touched)) {
    state_.modes = corners.modes;
    options_.tell = false;
    options_.balanced = {};
    none_.assign(model.rows(), 0);
    if (options_.gone.empty()) options_.gone = none_;
    join_equal();
    take_in_dependent();
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      mixed_.emplace_back();
      for (const Member& member : members_[i]) {
        for (MixedMode mode : modes_across(model_, state_, corners.sides, member.number, member.on)) {
          if (member.turned) {
            std::swap(mode.below, mode.above);
            std::swap(mode.side_below, mode.side_above);
          }
          mixed_[i].push_back(mode);
        }
      }
    }
  }

  void run() {
    const std::size_t n = switches_.size();
    if (n > most_slid) {
      corners_.refusal = "more switching surfaces are met at once than are treated";
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (shares(i, j)) return refuse("are nested in one another");
        if (parallel(switches_[i], switches_[j])) {
          return refuse("are one surface, written by functions that are no multiples of one another",
                        "write them alike");
        }
      }
    }
    // w at the lower sides, and what every switch changes.
    std::vector<double> sigma(n, 0.0);
    std::vector<double> base;
    if (!push(sigma, base)) return;
    bool contacts = !model_.flow && touches();
    std::vector<double> change(n * n);
    double largest = 0;
    std::vector<std::vector<double>> ways;
    ways.push_back(instant_.accelerations);
    for (std::size_t j = 0; j < n; ++j) {
      sigma.assign(n, 0.0);
      sigma[j] = 1;
      std::vector<double> w;
      if (!push(sigma, w)) return;
      contacts = contacts || (!model_.flow && touches());
      ways.push_back(instant_.accelerations);
      for (std::size_t i = 0; i < n; ++i) change[i * n + j] = w[i] - base[i];
      for (const double x : w) largest = std::max(largest, std::abs(x));
    }
    for (const double x : base) largest = std::max(largest, std::abs(x));
    const double zero = push_zero * largest;
    if (model_.flow && n > 1 && look_at_second(base, change, zero)) return;
    if (n > 1 && dependent() && std::all_of(switches_.begin(), switches_.end(), [&, i = std::size_t{0}](auto) mutable {
          const double own = change[i * n + i];
          ++i;
          return own < -zero;
        })) {
      return run_dependent(base, change, zero);
    }

    if (contacts) {
      if (run_with_contacts()) return;
      corners_.refusal.clear();
      corners_.ways.clear();
    }
    std::vector<Where> where;
    if (!choose(base, change, zero, ways, where, sigma)) return;

    // The linear picture must be the truth: no product of two modes occurs.
    std::vector<double> w;
    if (!push(sigma, w)) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (where[i] == Where::on && std::abs(w[i]) > push_in_doubt * zero) {
        if (n == 1 && refine(sigma, zero)) break;
        refuse("their combination is not the sum of their forces");
        return;
      }
    }
    std::vector<std::uint8_t> slides(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      slides[i] = where[i] == Where::on && std::abs(change[i * n + i]) > zero ? 1 : 0;
    }
    take(where, sigma, slides, std::vector<std::uint8_t>(n, 0));
  }

 private:
  enum class Where : std::uint8_t { below, on, above };

  /// Functions of a flow whose rates no weight changes, and are zero, are moved through their second derivatives, as functions of positions are by
  /// forces: x where x' = y and y' switches. If the others keep them on their thresholds, that is the answer. False: nothing is decided.
  bool look_at_second(std::vector<double> base, std::vector<double> change, double zero) {
    const std::size_t n = switches_.size();
    second_.assign(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto none = [&](double w) { return std::abs(w) <= zero; };
      const auto row = change.begin() + static_cast<std::ptrdiff_t>(i * n);
      second_[i] = none(base[i]) && std::all_of(row, row + static_cast<std::ptrdiff_t>(n), none) ? 1 : 0;
    }
    const auto count = static_cast<std::size_t>(std::count(second_.begin(), second_.end(), 1));
    bool found = count > 0 && count < n;
    double largest = 0;
    std::vector<double> sigma(n, 0.0);
    found = found && push(sigma, base);
    for (std::size_t j = 0; j < n && found; ++j) {
      sigma.assign(n, 0.0);
      sigma[j] = 1;
      std::vector<double> w;
      found = push(sigma, w);
      for (std::size_t i = 0; i < n && found; ++i) {
        change[i * n + j] = w[i] - base[i];
        largest = std::max({largest, std::abs(w[i]), std::abs(base[i])});
      }
    }
    zero = push_zero * largest;
    for (std::size_t i = 0; i < n; ++i) found = found && change[i * n + i] < -zero;
    if (found && dependent()) run_dependent(base, change, zero);
    found = found && corners_.refusal.empty() && !corners_.slid.empty();
    if (!found) corners_.refusal.clear();
    if (!found) second_.clear();
    return found;
  }
  /// The rate of a switching function of a flow beside the state, along its rates for a time, or with one variable moved.
  [[nodiscard]] double rate_beside(std::uint32_t number, double time, std::size_t variable, double by) const {
    model::State beside = state_;
    beside.time += time;
    for (std::size_t k = 0; k < beside.position.size(); ++k) beside.position[k] += time * state_.velocity[k];
    beside.position[variable] += by;
    beside.velocity = model::rates(model_, beside).rate;
    return switch_rates(model_, number, beside, {}).first;
  }
  /// Of the largest coordinate, now or at the start: so far beside the state.
  [[nodiscard]] double little() const {
    double extent = 0;
    for (const double x : state_.position) extent = std::max(extent, std::abs(x));
    for (const double x : model_.initial_position) extent = std::max(extent, std::abs(x));
    return beside_for_slope * (extent > 0 ? extent : 1.0);
  }
  [[nodiscard]] bool by_second(std::uint32_t number) const {
    const auto at = std::find(switches_.begin(), switches_.end(), number) - switches_.begin();
    return static_cast<std::size_t>(at) < second_.size() && second_[static_cast<std::size_t>(at)] != 0;
  }

  /// Where every switch is, and its weight, if w = base + change sigma: by Murty's rule, the first that is not right changes its state. `ways`: the
  /// accelerations of either side, of one switch. False: refused.
  bool choose(const std::vector<double>& base, const std::vector<double>& change, double zero,
              const std::vector<std::vector<double>>& ways, std::vector<Where>& where, std::vector<double>& sigma) {
    const std::size_t n = switches_.size();
    where.assign(n, Where::below);
    sigma.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      // Nothing that the switch does moves it: it is where its value is.
      if (std::abs(change[i * n + i]) <= zero)
        where[i] = base[i] > zero ? Where::above : base[i] < -zero ? Where::below : resting(i);
      if (n == 1 && base[i] < -zero && base[i] + change[i] > zero) {
        for (const auto& way : ways) corners_.ways.push_back({way, 0});
        corners_.refusal = "both sides of the switching surface of " + named(model_, switches_[i]) +
                           " push away from it: the motion may go either way";
        return false;
      }
    }
    const std::vector<Where> first = where;
    std::vector<bool> edge(n, false);
    std::vector<bool> barred(n, false);
    std::size_t latest = n;
    for (std::size_t round = 0; round < 100 + 20 * n; ++round) {
      // Weights of those on their threshold; of those without effect any.
      std::vector<std::size_t> on;
      for (std::size_t i = 0; i < n; ++i) {
        sigma[i] = where[i] == Where::above ? 1 : 0;
        const bool idle = std::abs(change[i * n + i]) <= zero && first[i] == Where::on;
        if (where[i] == Where::on && idle) sigma[i] = 0.5;
        if (where[i] == Where::on && !idle) on.push_back(i);
      }
      std::vector<double> matrix(on.size() * on.size());
      std::vector<double> x(on.size());
      for (std::size_t a = 0; a < on.size(); ++a) {
        x[a] = -base[on[a]];
        for (std::size_t j = 0; j < n; ++j) x[a] -= change[on[a] * n + j] * sigma[j];
        for (std::size_t b = 0; b < on.size(); ++b) matrix[a * on.size() + b] = change[on[a] * n + on[b]];
      }
      if (!linear::solve_small(matrix, x, push_zero)) {
        // The last one that came on its threshold cannot be moved as long as the others are on theirs: it goes to the side that they push it to.
        if (latest == n) {
          refuse("their combination is not determined");
          return false;
        }
        barred[latest] = true;
        where[latest] = towards_[latest] > on_[latest] ? Where::above : Where::below;
        latest = n;
        continue;
      }
      for (std::size_t a = 0; a < on.size(); ++a) sigma[on[a]] = x[a];
      bool right = true;
      for (std::size_t i = 0; i < n && right; ++i) {
        if (std::abs(change[i * n + i]) <= zero) continue;
        double w = base[i];
        for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * sigma[j];
        if (barred[i]) {
          if (where[i] == Where::above ? w < -zero : w > zero) {
            where[i] = where[i] == Where::above ? Where::below : Where::above;
            right = false;
          }
        } else if (change[i * n + i] > zero) {
          // What the switch does pushes away from its surface: it is never slid on.
          if (where[i] == Where::on || (where[i] == Where::above ? w < -zero : w > zero)) {
            where[i] = where[i] == Where::above ? Where::below : Where::above;
            right = false;
          }
        } else if (where[i] == Where::on && sigma[i] < (edge[i] ? -push_zero : 0.0)) {
          where[i] = Where::below;
          right = false;
        } else if (where[i] == Where::on && sigma[i] > (edge[i] ? 1 + push_zero : 1.0)) {
          where[i] = Where::above;
          right = false;
        } else if ((where[i] == Where::below && w > zero) || (where[i] == Where::above && w < -zero)) {
          where[i] = Where::on;
          latest = i;
          right = false;
        } else if (!edge[i] && ((where[i] == Where::below && w >= -zero && towards_[i] > on_[i]) ||
                                (where[i] == Where::above && w <= zero && towards_[i] < on_[i]))) {
          // Just not pushed, and it was going to the other side: the push grows, and the weight leaves its bound.
          edge[i] = true;
          where[i] = Where::on;
          latest = i;
          right = false;
        }
      }
      if (!right) continue;
      for (std::size_t i = 0; i < n; ++i) {
        double w = base[i];
        for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * (j == i ? 0.0 : sigma[j]);
        if (w < -zero && w + change[i * n + i] > zero) {
          refuse("one of them, " + named(model_, switches_[i]) + ", pushes away to either side");
          return false;
        }
      }
      return true;
    }
    refuse("no combination keeps the motion on them");
    return false;
  }

  /// w of every switch as base + change sigma, with these rows as equations and all others open: what the accelerations are if nothing opens or closes.
  /// `relief`: by how much the multipliers of the inequalities among them grow with every weight. False: the rows are dependent.
  bool with_rows(const std::vector<std::uint32_t>& rows, std::vector<double>& base, std::vector<double>& change,
                 std::vector<double>& relief) {
    const std::size_t n = switches_.size();
    const std::size_t m = rows.size();
    const std::size_t variables = model_.variables;
    model::Scratch scratch = model::make_scratch(model_);
    model::Dynamics dynamics = model::make_dynamics(model_);
    model::Rows at = model::make_rows(model_);
    const auto force = [&](const std::vector<double>& sigma) {
      for (std::size_t i = 0; i < n; ++i) mix(i, sigma[i], state_.modes);
      model::evaluate_dynamics(model_, state_, scratch, dynamics);
      std::vector<double> free(variables);
      dynamics.mass.solve(dynamics.force, free);
      return free;
    };
    std::vector<double> sigma(n, 0.0);
    std::vector<double> free = force(sigma);
    model::evaluate_rows(model_, state_, scratch, at);

    // J, W J^T and the Gram matrix.
    std::vector<std::vector<double>> pulled(m, std::vector<double>(variables));
    const auto times = [&](std::size_t j, const std::vector<double>& x) {
      double sum = 0;
      for (std::uint32_t e = model_.row_start[rows[j]]; e < model_.row_start[rows[j] + 1]; ++e)
        sum += at.entry[e] * x[model_.row_column[e]];
      return sum;
    };
    for (std::size_t j = 0; j < m; ++j) {
      std::vector<double> gradient(variables, 0.0);
      for (std::uint32_t e = model_.row_start[rows[j]]; e < model_.row_start[rows[j] + 1]; ++e)
        gradient[model_.row_column[e]] = at.entry[e];
      dynamics.mass.solve(gradient, pulled[j]);
    }
    std::vector<double> gram(m * m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) gram[i * m + j] = times(i, pulled[j]);
    }
    // x with what the rows take of it; false: dependent.
    const auto hold = [&](std::vector<double>& x, bool known, std::vector<double>& lambda) {
      lambda.resize(m);
      for (std::size_t j = 0; j < m; ++j) lambda[j] = times(j, x) + (known ? at.curvature[rows[j]] : 0.0);
      if (m > 0 && !linear::solve_small(gram, lambda, push_zero)) return false;
      for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t i = 0; i < variables; ++i) x[i] -= pulled[j][i] * lambda[j];
      }
      return true;
    };
    const auto pushes = [&](const std::vector<double>& x) {
      std::vector<double> w;
      for (const std::uint32_t number : switches_) {
        const SwitchRates rates = switch_rates(model_, number, state_, x);
        w.push_back(rates.by_velocity ? rates.first : rates.second);
      }
      return w;
    };
    std::vector<double> lambda;
    std::vector<double> held = free;
    if (!hold(held, true, lambda)) return false;
    base = pushes(held);
    change.assign(n * n, 0.0);
    relief.assign(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
      sigma.assign(n, 0.0);
      sigma[j] = 1;
      std::vector<double> moved = force(sigma);
      for (std::size_t i = 0; i < variables; ++i) moved[i] -= free[i];
      if (!hold(moved, false, lambda)) return false;
      for (std::size_t k = 0; k < m; ++k) {
        if (!model::is_equation(model_.row_kind[rows[k]])) relief[j] += lambda[k] * std::sqrt(gram[k * m + k]);
      }
      for (std::size_t i = 0; i < variables; ++i) moved[i] += held[i];
      const std::vector<double> w = pushes(moved);
      for (std::size_t i = 0; i < n; ++i) change[i * n + j] = w[i] - base[i];
    }
    return true;
  }

  /// The inequalities that touch, and the rows that carry force now.
  [[nodiscard]] bool touches() const {
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      if (model::is_equation(model_.row_kind[row])) continue;
      const Role role = instant_.role[row];
      if (role == Role::binding || role == Role::marginal || role == Role::leaving) return true;
    }
    return false;
  }
  [[nodiscard]] std::vector<std::uint32_t> carrying() const {
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < model_.rows(); ++row) {
      const Role role = instant_.role[row];
      const bool pressed = role == Role::binding || (role == Role::marginal && instant_.multipliers[row] > 0);
      if (role == Role::equation || pressed) rows.push_back(row);
    }
    return rows;
  }

  /// Where inequalities touch they open and close with the weights. For a set of them that holds the picture is linear; its weights tell who
  /// carries force, which is the next set. What a condition holds on its surface all by itself needs no weight: friction then resists
  /// opening as far as it can, so that the condition lets go when it must. False: nothing found, and nothing refused yet.
  bool run_with_contacts() {
    const std::size_t n = switches_.size();
    std::vector<double> base;
    std::vector<double> change;
    std::vector<double> relief;
    std::vector<double> w;
    const auto largest = [&] {
      double most = 0;
      for (const double x : base) most = std::max(most, std::abs(x));
      for (const double x : change) most = std::max(most, std::abs(x));
      return most;
    };
    // Pushes are measured by those of bodies that nothing holds.
    if (!with_rows({}, base, change, relief)) return false;
    const double free_push = largest();
    // The first set is that of the mean of both sides: of no friction.
    if (!push(std::vector<double>(n, middle), w)) return true;
    std::vector<std::vector<std::uint32_t>> seen;
    std::vector<std::uint32_t> rows = carrying();
    for (std::size_t round = 0; round < most_sets; ++round) {
      if (std::find(seen.begin(), seen.end(), rows) != seen.end()) return false;
      seen.push_back(rows);
      if (!with_rows(rows, base, change, relief)) return false;
      const double zero = push_zero * std::max(largest(), free_push);
      std::vector<Where> where;
      std::vector<double> sigma;
      corners_.refusal.clear();
      corners_.ways.clear();
      if (!choose(base, change, zero, {}, where, sigma)) return false;
      std::vector<std::uint8_t> slides(n, 0);
      for (std::size_t i = 0; i < n; ++i) {
        const bool idle = std::abs(change[i * n + i]) <= zero;
        if (idle && std::abs(base[i]) <= zero && relief[i] != 0) {
          where[i] = relief[i] > 0 ? Where::above : Where::below;
          sigma[i] = relief[i] > 0 ? 1 : 0;
        }
        slides[i] = where[i] == Where::on && !idle ? 1 : 0;
      }
      if (!push(sigma, w)) return true;
      bool right = true;
      for (std::size_t i = 0; i < n; ++i) {
        const double doubt = push_in_doubt * zero;
        right = right && (where[i] != Where::on || std::abs(w[i]) <= doubt) &&
                (where[i] != Where::below || w[i] <= doubt) && (where[i] != Where::above || w[i] >= -doubt);
      }
      if (right) {
        take(where, sigma, slides, std::vector<std::uint8_t>(n, 0));
        return true;
      }
      rows = carrying();
    }
    return false;
  }

  /// Frictions on surfaces that depend on one another, as two blocks at rest on the ground and against each other: the accelerations are
  /// unique, the weights are not. With eps of the largest B_ii more of its own effect everywhere, they are, and as far from their bounds
  /// as may be; then as many surfaces as are independent are slid on with weights that follow from the motion, and the rest keep theirs.
  void run_dependent(const std::vector<double>& base, const std::vector<double>& change, double zero) {
    const std::size_t n = switches_.size();
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(change[i * n + i]));
    const auto effect = [&](std::size_t i, std::size_t j) {
      return change[i * n + j] - (i == j ? own_effect * most : 0.0);
    };
    // What the motion was going to do first.
    std::vector<Where> where(n, Where::below);
    for (std::size_t i = 0; i < n; ++i) {
      if (towards_[i] > on_[i]) where[i] = Where::above;
      if (towards_[i] == on_[i]) where[i] = Where::on;
    }
    std::vector<double> sigma(n, 0.0);
    // Weights of these from the rest; false: they have none.
    const auto weigh = [&](const std::vector<std::size_t>& on, bool alone) {
      std::vector<double> matrix(on.size() * on.size());
      std::vector<double> x(on.size());
      for (std::size_t a = 0; a < on.size(); ++a) {
        x[a] = -base[on[a]] - (alone ? 0.0 : own_effect * most * middle);
        for (std::size_t j = 0; j < n; ++j) {
          if (std::find(on.begin(), on.end(), j) == on.end()) x[a] -= change[on[a] * n + j] * sigma[j];
        }
        for (std::size_t b = 0; b < on.size(); ++b) {
          matrix[a * on.size() + b] = alone ? change[on[a] * n + on[b]] : effect(on[a], on[b]);
        }
      }
      if (!linear::solve_small(matrix, x, alone ? push_zero : 0.0)) return false;
      for (std::size_t a = 0; a < on.size(); ++a) sigma[on[a]] = x[a];
      return true;
    };
    bool right = false;
    for (std::size_t round = 0; round < 100 + 20 * n && !right; ++round) {
      std::vector<std::size_t> on;
      for (std::size_t i = 0; i < n; ++i) {
        sigma[i] = where[i] == Where::above ? 1 : 0;
        if (where[i] == Where::on) on.push_back(i);
      }
      if (!weigh(on, false)) return refuse("their combination is not determined");
      right = true;
      for (std::size_t i = 0; i < n && right; ++i) {
        double w = base[i] + own_effect * most * middle;
        for (std::size_t j = 0; j < n; ++j) w += effect(i, j) * sigma[j];
        const Where before = where[i];
        if (before == Where::on && sigma[i] < 0) where[i] = Where::below;
        if (before == Where::on && sigma[i] > 1) where[i] = Where::above;
        if (before == Where::below && w > zero) where[i] = Where::on;
        if (before == Where::above && w < -zero) where[i] = Where::on;
        right = where[i] == before;
      }
    }
    if (!right) return refuse("no combination keeps the motion on them");

    // What leaves its threshold although the others are kept on theirs is not kept by them.
    std::vector<std::uint8_t> departs(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      double w = base[i];
      for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * sigma[j];
      departs[i] = where[i] != Where::on && std::abs(w) > at_bound * most ? 1 : 0;
    }

    // As many as are independent, those farthest from their bounds first; what they keep is implied. True: all is as it must be.
    std::vector<std::uint8_t> slides;
    std::vector<std::uint8_t> implied;
    const auto share = [&](std::vector<Where>& sides, const std::vector<std::uint8_t>& leaving) {
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < n; ++i) {
        if (sides[i] == Where::on && leaving[i] == 0) order.push_back(i);
      }
      // The series of a flow keeps a function by its first derivative: those of which the second one is moved are kept by others.
      const auto room = [&](std::size_t i) {
        return std::min(sigma[i], 1 - sigma[i]) - (by_second(switches_[i]) ? 1.0 : 0.0);
      };
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return room(a) > room(b); });
      Span span;
      std::vector<std::size_t> kept;
      slides.assign(n, 0);
      implied.assign(n, 0);
      for (const std::size_t i : order) {
        if (!span.add(pulls(switches_[i]))) continue;
        if (by_second(switches_[i])) return false;
        kept.push_back(i);
        slides[i] = 1;
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (slides[i] != 0) continue;
        if (leaving[i] != 0) sides[i] = sigma[i] > middle ? Where::above : Where::below;
        if (leaving[i] == 0 && departs[i] == 0 && span.holds(pulls(switches_[i]))) {
          sides[i] = Where::on;
          slides[i] = implied[i] = 1;
        }
        if (sides[i] != Where::on) sigma[i] = sides[i] == Where::above ? 1 : 0;
      }
      if (!weigh(kept, true)) return false;
      // They carry what they can, so that those that follow the motion have most room.
      for (std::size_t i = 0; i < n; ++i) {
        if (implied[i] == 0 || !by_second(switches_[i])) continue;
        for (const std::size_t k : kept) {
          const double by = change[k * n + i];
          if (std::abs(by) <= zero) continue;
          sigma[i] = std::clamp(sigma[i] + change[k * n + k] * (sigma[k] - middle) / by, 0.0, 1.0);
          if (!weigh(kept, true)) return false;
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        double w = base[i];
        for (std::size_t j = 0; j < n; ++j) w += change[i * n + j] * sigma[j];
        if (sides[i] == Where::below && w > push_in_doubt * zero) return false;
        if (sides[i] == Where::above && w < -push_in_doubt * zero) return false;
        if (sides[i] == Where::on && (sigma[i] < -at_bound || sigma[i] > 1 + at_bound)) return false;
      }
      return true;
    };
    const std::vector<Where> stuck = where;
    const std::vector<double> weights = sigma;
    bool shared = share(where, std::vector<std::uint8_t>(n, 0));
    // What has come to its bound and would go beyond goes, with all that are at theirs, if no other share holds it; so does what others keep,
    // once they are at theirs.
    std::vector<std::uint8_t> leaving(n, 0);
    std::vector<std::uint8_t> beyond(n, 0);
    for (std::size_t i = 0; i < n; ++i) {
      const bool low = sigma[i] < at_bound;
      const bool high = sigma[i] > 1 - at_bound;
      leaving[i] = where[i] == Where::on && (low || high) ? 1 : 0;
      beyond[i] = slides[i] != 0 && (low ? towards_[i] < on_[i] : high && towards_[i] > on_[i]) ? 1 : 0;
    }
    bool any = false;
    for (std::size_t i = 0; i < n; ++i) {
      bool held = false;
      for (std::size_t k = 0; k < n && implied[i] != 0; ++k) {
        held = held || (slides[k] != 0 && leaving[k] == 0 && std::abs(change[i * n + k]) > zero);
      }
      any = any || (beyond[i] != 0 && !held);
    }
    if (any) {
      where = stuck;
      sigma = weights;
      shared = share(where, leaving);
      if (!shared) {
        where = stuck;
        sigma = weights;
        shared = share(where, std::vector<std::uint8_t>(n, 0));
      }
    }
    if (!shared) return refuse("their combination is not determined");

    // The linear picture must be the truth.
    std::vector<double> w;
    if (!push(sigma, w)) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (slides[i] != 0 && std::abs(w[i]) > push_in_doubt * zero) {
        return refuse("their combination is not the sum of their forces");
      }
    }
    take(where, sigma, slides, implied);
  }

  /// The sides, and what is slid on, if the weights may be taken for it.
  void take(const std::vector<Where>& where, const std::vector<double>& sigma, const std::vector<std::uint8_t>& slides,
            const std::vector<std::uint8_t>& implied) {
    const std::size_t n = sigma.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto& one : touched_) {
        const std::uint32_t number = one.first;
        if (slides[i] == 0 || !(is_flat(number) || parallel(number, switches_[i]))) continue;
        switches_.push_back(number);
        return refuse("are one surface, written by functions that are no multiples of one another", "write them alike");
      }
      if (slides[i] != 0 && !linear_in(i, sigma)) {
        return refuse(
            "a force there is no linear function of it, so that the mean of both sides is not the force at their "
            "mean",
            "write it as if(u > 0, force above, force below)");
      }
    }
    struct Slid {
      std::uint32_t number, leader;
      double weight;
      std::uint8_t implied;
    };
    std::vector<Slid> slid;
    for (std::size_t i = 0; i < n; ++i) {
      mix(i, sigma[i], corners_.modes);
      for (const MixedMode& mode : mixed_[i]) {
        corners_.sides[mode.number] = where[i] == Where::above ? mode.side_above : mode.side_below;
        if (slides[i] != 0) corners_.mixed.push_back(mode);
      }
      for (const Member& member : members_[i]) {
        const bool above = (where[i] == Where::above) != member.turned;
        corners_.sides[member.number] = where[i] == Where::on ? member.on : (above ? member.on + 1 : member.on - 1);
        if (slides[i] != 0) slid.push_back({member.number, switches_[i], sigma[i], implied[i]});
      }
    }
    std::sort(slid.begin(), slid.end(), [](const Slid& a, const Slid& b) { return a.number < b.number; });
    for (const Slid& one : slid) {
      corners_.slid.push_back(one.number);
      corners_.leader.push_back(one.leader);
      corners_.weight.push_back(one.weight);
      corners_.implied.push_back(one.implied);
    }
  }

  /// What vectors span, by orthogonal ones.
  class Span {
   public:
    /// Is it spanned already?
    [[nodiscard]] bool holds(std::vector<double> x) const {
      const double before = length(x);
      reduce(x);
      return !(length(x) > on_threshold * before);
    }
    /// False: nothing new.
    bool add(std::vector<double> x) {
      if (holds(x)) return false;
      reduce(x);
      const double size = std::sqrt(length(x));
      for (double& value : x) value /= size;
      basis_.push_back(std::move(x));
      return true;
    }

   private:
    static double length(const std::vector<double>& x) {
      double sum = 0;
      for (const double value : x) sum += value * value;
      return sum;
    }
    void reduce(std::vector<double>& x) const {
      for (const std::vector<double>& one : basis_) {
        double part = 0;
        for (std::size_t k = 0; k < x.size(); ++k) part += one[k] * x[k];
        for (std::size_t k = 0; k < x.size(); ++k) x[k] -= part * one[k];
      }
    }
    std::vector<std::vector<double>> basis_;
  };

  [[nodiscard]] bool dependent() const {
    Span span;
    return !std::all_of(switches_.begin(), switches_.end(),
                        [&](std::uint32_t number) { return span.add(pulls(number)); });
  }

  /// Switches that roundings have put on a side already, although the others keep them on their threshold, are met with them.
  void take_in_dependent() {
    if (touched_.empty() || switches_.size() < 2) return;
    Span span;
    for (const std::uint32_t number : switches_) static_cast<void>(span.add(slopes(number)));
    const std::size_t before = switches_.size();
    std::erase_if(touched_, [&](const auto& one) {
      const auto& [number, threshold] = one;
      if (is_flat(number) || !span.holds(slopes(number))) return false;
      for (std::size_t i = 0; i < before; ++i) {
        if (parallel(number, switches_[i])) return false;
      }
      for (std::size_t i = before; i < switches_.size(); ++i) {
        const double factor = multiple(switches_[i], on_[i], number, threshold);
        if (factor == 0) continue;
        members_[i].push_back({number, threshold, factor < 0});
        return true;
      }
      switches_.push_back(number);
      on_.push_back(threshold);
      towards_.push_back(corners_.sides[number]);
      members_.push_back({{number, threshold, false}});
      return true;
    });
  }

  /// A switch with the surface of a first one: it is on `on` there, and its function rises where that of the first falls, if `turned`.
  struct Member {
    std::uint32_t number = 0;
    Side on = 0;
    bool turned = false;
  };

  /// Switches with one and the same surface have one weight, whatever forces they belong to: those that are multiples of one another.
  void join_equal() {
    std::vector<std::uint32_t> first;
    std::vector<Side> on;
    std::vector<Side> towards;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      std::size_t same = 0;
      double factor = 0;
      while (same < first.size() && (factor = multiple(first[same], on[same], switches_[i], on_[i])) == 0) ++same;
      if (same == first.size()) {
        factor = 1;
        first.push_back(switches_[i]);
        on.push_back(on_[i]);
        towards.push_back(towards_[i]);
        members_.emplace_back();
      }
      members_[same].push_back({switches_[i], on_[i], factor < 0});
    }
    switches_ = std::move(first);
    on_ = std::move(on);
    towards_ = std::move(towards);

    // Roundings may have told the side of a multiple already.
    std::erase_if(touched_, [&](const auto& one) {
      for (std::size_t i = 0; i < switches_.size(); ++i) {
        const double factor = multiple(switches_[i], on_[i], one.first, one.second);
        if (factor == 0) continue;
        members_[i].push_back({one.first, one.second, factor < 0});
        return true;
      }
      return false;
    });
  }

  /// The distance of g from the threshold on which the switch is.
  [[nodiscard]] double off(std::uint32_t number, Side on, const model::State& state) const {
    const model::SwitchPlace place = model::place_of_switch(model_, number);
    return switch_rates(model_, number, state, {}).g - place.group->corners[place.corner].threshold(on + 1, false);
  }

  /// The factor by which the second is a multiple of the first, seen at three states beside this one; 0: it is none.
  [[nodiscard]] double multiple(std::uint32_t one, Side on_one, std::uint32_t other, Side on_other) const {
    double factor = 0;
    for (int look = 0; look < 3; ++look) {
      model::State beside = state_;
      beside.time += beside_state * look;
      for (std::size_t i = 0; i < beside.position.size(); ++i) {
        const double angle = 1.0 + static_cast<double>(i) + 2.0 * look;
        beside.position[i] += beside_state * elementary::sin(angle);
        beside.velocity[i] += beside_state * elementary::cos(2 * angle);
      }
      const double x = off(one, on_one, beside);
      const double y = off(other, on_other, beside);
      if (look == 0) factor = y / x;
      const double size =
          switch_rates(model_, one, beside, {}).size * std::abs(factor) + switch_rates(model_, other, beside, {}).size;
      if (!std::isfinite(factor) || factor == 0 || !(std::abs(y - factor * x) <= on_threshold * size)) return 0;
    }
    return factor;
  }

  /// Slopes by what the forces move: velocities where they occur, else positions; of a flow positions.
  [[nodiscard]] std::vector<double> slopes(std::uint32_t number) const {
    const model::SwitchPlace place = model::place_of_switch(model_, number);
    const model::Slotted& group = *place.group;
    const std::vector<double> slope = slopes_by_slot(place, state_);
    const std::size_t n = state_.position.size();
    std::vector<double> out(2 * n);
    bool by_velocity = false;
    for (std::size_t k = 0; k < group.velocities; ++k) {
      out[n + group.velocity_of[k * group.lanes + place.lane]] = slope[group.positions + k];
      by_velocity = by_velocity || slope[group.positions + k] != 0;
    }
    for (std::size_t k = 0; k < group.positions && !by_velocity; ++k) {
      out[group.position_of[k * group.lanes + place.lane]] = slope[k];
    }
    return out;
  }

  /// Slopes by what accelerations (the rates of a flow) change of w: a function of positions whose rate vanishes is moved through its second
  /// derivative as one of velocities is through its first.
  [[nodiscard]] std::vector<double> pulls(std::uint32_t number) const {
    std::vector<double> out = slopes(number);
    const auto n = static_cast<std::ptrdiff_t>(state_.position.size());
    if (by_second(number)) {
      const double by = little();
      for (std::size_t k = 0; k < state_.position.size(); ++k) {
        out[k] = 0;
        out[state_.position.size() + k] = (rate_beside(number, 0, k, by) - rate_beside(number, 0, k, -by)) / (2 * by);
      }
      return out;
    }
    if (std::all_of(out.begin() + n, out.end(), [](double value) { return value == 0; })) {
      std::swap_ranges(out.begin(), out.begin() + n, out.begin() + n);
    }
    return out;
  }

  [[nodiscard]] bool is_flat(std::uint32_t number) const {
    const std::vector<double> x = slopes(number);
    return std::all_of(x.begin(), x.end(), [](double value) { return value == 0; });
  }

  [[nodiscard]] bool parallel(std::uint32_t one, std::uint32_t other) const {
    const std::vector<double> x = slopes(one);
    const std::vector<double> y = slopes(other);
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      xx += x[i] * x[i];
      xy += x[i] * y[i];
      yy += y[i] * y[i];
    }
    return xx > 0 && yy > 0 && xy * xy >= (1 - on_threshold) * xx * yy;
  }

  /// Are forces (rates) between those of both sides of a surface as the weight says?
  [[nodiscard]] bool linear_in(std::size_t i, std::vector<double> sigma) {
    const auto forces = [&](double weight) {
      model::State state = state_;
      sigma[i] = weight;
      for (std::size_t j = 0; j < sigma.size(); ++j) mix(j, sigma[j], state.modes);
      if (model_.flow) return model::rates(model_, state).rate;
      model::Scratch scratch = model::make_scratch(model_);
      model::Dynamics dynamics = model::make_dynamics(model_);
      model::evaluate_dynamics(model_, state, scratch, dynamics);
      return dynamics.force;
    };
    const double weight = sigma[i];
    const std::vector<double> between = forces(weight);
    const std::vector<double> below = forces(0);
    const std::vector<double> above = forces(1);
    for (std::size_t k = 0; k < between.size(); ++k) {
      const double mean = below[k] + weight * (above[k] - below[k]);
      if (!(std::abs(between[k] - mean) <= push_zero * (std::abs(below[k]) + std::abs(above[k])))) return false;
    }
    return true;
  }

  void mix(std::size_t i, double sigma, std::vector<double>& modes) const {
    for (const MixedMode& mode : mixed_[i]) instant::mix(mode, sigma, modes);
  }

  /// Is some corner nested about both?
  [[nodiscard]] bool shares(std::size_t i, std::size_t j) const {
    return std::any_of(mixed_[i].begin(), mixed_[i].end(), [&](const MixedMode& one) {
      return std::any_of(mixed_[j].begin(), mixed_[j].end(),
                         [&](const MixedMode& other) { return one.mode == other.mode; });
    });
  }

  /// Where nothing moves a switch off its threshold: where the series was going, else as its value says, which is none for `sign` alone.
  [[nodiscard]] Where resting(std::size_t i) const {
    if (towards_[i] != on_[i]) return towards_[i] > on_[i] ? Where::above : Where::below;
    const model::SwitchPlace place = model::place_of_switch(model_, switches_[i]);
    if (place.group->corners[place.corner].kind == expressions::CornerKind::sign) return Where::on;
    // However little it is below: a power of max(u, 0) has no value there on the other side.
    return off(switches_[i], on_[i], state_) < 0 ? Where::below : Where::above;
  }

  /// w of every switch for these weights; false if there are no accelerations, which is then the answer.
  bool push(const std::vector<double>& sigma, std::vector<double>& w) {
    for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, sigma[i], state_.modes);
    if (model_.flow) {
      model::Rates rates = model::rates(model_, state_);
      if (!rates.finite) {
        refuse("the rates beside them are not finite");
        return false;
      }
      state_.velocity = instant_.accelerations = rates.rate;
      w.clear();
      for (const std::uint32_t number : switches_) w.push_back(switch_rates(model_, number, state_, {}).first);
      double fastest = 0;
      for (const double rate : rates.rate) fastest = std::max(fastest, std::abs(rate));
      for (std::size_t i = 0; i < second_.size() && fastest > 0; ++i) {
        if (second_[i] == 0) continue;
        const double time = little() / fastest;
        w[i] = (rate_beside(switches_[i], time, 0, 0.0) - rate_beside(switches_[i], -time, 0, 0.0)) / (2 * time);
      }
      return true;
    }
    accelerate(model_, state_, options_, workspace_, instant_);
    if (instant_.status != Status::determined) {
      // A shock comes first, or the state is none: the middle of every threshold stands for it.
      for (std::size_t i = 0; i < sigma.size(); ++i) mix(i, 0.5, corners_.modes);
      return false;
    }
    w.clear();
    for (const std::uint32_t number : switches_) {
      const SwitchRates rates = switch_rates(model_, number, state_, instant_.accelerations);
      w.push_back(rates.by_velocity ? rates.first : rates.second);
    }
    return true;
  }

  /// One switch, and conditions open or close as its weight changes: w falls in pieces of straight lines.
  bool refine(std::vector<double>& sigma, double zero) {
    double low = 0;
    double high = 1;
    std::vector<double> w;
    for (int round = 0; round < 200; ++round) {
      sigma[0] = (low + high) / 2;
      if (!push(sigma, w)) return false;
      if (std::abs(w[0]) <= zero || !(low < sigma[0] && sigma[0] < high)) return true;
      (w[0] > 0 ? low : high) = sigma[0];
    }
    return true;
  }

  void refuse(const std::string& why,
              const char* advice = "give one of them a smooth transition, such as tanh(u/0.01)") {
    std::string names;
    for (const std::uint32_t number : switches_) names += (names.empty() ? "" : ", ") + named(model_, number);
    corners_.refusal = (switches_.size() == 1 ? "the switching surface of " + names + " is met and "
                                              : "the switching surfaces of " + names + " are met at once and ") +
                       why + ": " + advice;
  }

  const model::Model& model_;
  model::State state_;
  Options options_;
  Workspace& workspace_;
  Corners& corners_;
  std::vector<std::uint32_t> switches_;
  std::vector<Side> on_;
  std::vector<Side> towards_;  ///< of each: where the series was going, where nothing else tells; on it: nowhere
  std::vector<std::pair<std::uint32_t, Side>> touched_;  ///< known to be on a side, and on a threshold nevertheless
  std::vector<std::vector<Member>> members_;             ///< of each: the switches with its surface
  std::vector<std::vector<MixedMode>> mixed_;            ///< of each: what changes across it
  std::vector<std::uint8_t> none_;
  std::vector<std::uint8_t>
      second_;  ///< of each, 1: of a flow, and moved through its second derivative; empty: none is
  Instant instant_;
};

}  // namespace

void mix(const MixedMode& mode, double sigma, std::vector<double>& modes) {
  // The ends exactly: a branch is chosen by them.
  modes[mode.mode] =
      sigma == 0 ? mode.below : (sigma == 1 ? mode.above : mode.below + sigma * (mode.above - mode.below));
}

namespace {

/// The modes of a corner on a side, into those of the model.
void set_modes(const model::Slotted& group, std::uint32_t corner, std::uint32_t lane, Side side,
               std::vector<double>& modes) {
  const Corner& one = group.corners[corner];
  std::vector<double> numbers(one.modes);
  one.numbers(side, numbers);
  for (std::uint32_t k = 0; k < one.modes; ++k) {
    modes[group.first_mode + (one.first_mode + k) * group.lanes + lane] = numbers[k];
  }
}

/// Is this distance from a threshold none?
bool is_zero(double distance, const SwitchRates& rates) {
  return distance <= on_threshold * rates.size + doubts * rates.doubt;
}

/// How far g is from its nearest threshold, and the odd side that stands for that threshold.
std::pair<double, Side> nearest_threshold(const Corner& corner, Side side, double g) {
  constexpr double far = 1e300;
  if (side % 2 != 0) return {0.0, side};
  const double up = corner.has_threshold(side, true) ? std::abs(corner.threshold(side, true) - g) : far;
  const double down = corner.has_threshold(side, false) ? std::abs(g - corner.threshold(side, false)) : far;
  return up < down ? std::pair(up, side + 1) : std::pair(down, side - 1);
}

}  // namespace

std::vector<MixedMode> modes_across(const model::Model& model, const model::State& state, std::span<const Side> sides,
                                    std::uint32_t number, Side on) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  std::vector<MixedMode> out;
  const auto add = [&](std::uint32_t corner, Side below, Side above) {
    const Corner& one = group.corners[corner];
    std::vector<double> low(one.modes);
    std::vector<double> high(one.modes);
    one.numbers(below, low);
    one.numbers(above, high);
    const std::uint32_t its = group.first_switch + corner * group.lanes + place.lane;
    for (std::uint32_t k = 0; k < one.modes; ++k) {
      const std::uint32_t mode = group.first_mode + (one.first_mode + k) * group.lanes + place.lane;
      out.push_back({number, its, mode, below, above, low[k], high[k]});
    }
  };
  add(place.corner, on - 1, on + 1);

  // Corners nested about it, from the inside out, on either side of the surface.
  std::vector<std::uint8_t> changes(group.corners.size(), 0);
  changes[place.corner] = 1;
  model::State there[2] = {state, state};
  for (const bool above : {false, true}) {
    set_modes(group, place.corner, place.lane, above ? on + 1 : on - 1, there[above ? 1 : 0].modes);
  }
  for (std::uint32_t c = place.corner + 1; c < group.corners.size(); ++c) {
    const Corner& corner = group.corners[c];
    if (std::none_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return changes[one] != 0; })) {
      continue;
    }
    changes[c] = 1;
    const std::uint32_t its = group.first_switch + c * group.lanes + place.lane;
    Side found[2] = {sides[its], sides[its]};
    for (const bool above : {false, true}) {
      model::State& one = there[above ? 1 : 0];
      SwitchRates rates = switch_rates(model, its, one, {});
      Side& side = found[above ? 1 : 0];
      side = corner.side(rates.g, rates.beside);
      if (!corner.follows && is_zero(nearest_threshold(corner, side, rates.g).first, rates)) {
        // On its own threshold as well: what it is a little further on this side of the surface.
        const SwitchRates surface = switch_rates(model, number, one, {});
        const std::vector<double> slope = slopes_by_slot(place, one);
        double square = 0;
        for (const double x : slope) square += x * x;
        if (square > 0) {
          const double way = (above ? 1 : -1) * beside_surface * (surface.size + std::sqrt(square)) / square;
          model::State further = one;
          for (std::size_t k = 0; k < group.positions; ++k)
            further.position[group.position_of[k * group.lanes + place.lane]] += way * slope[k];
          for (std::size_t k = 0; k < group.velocities; ++k)
            further.velocity[group.velocity_of[k * group.lanes + place.lane]] += way * slope[group.positions + k];
          rates = switch_rates(model, its, further, {});
          side = corner.side(rates.g, rates.beside);
        }
      }
      set_modes(group, c, place.lane, side, one.modes);
    }
    add(c, found[0], found[1]);
  }
  return out;
}

SwitchRates switch_rates(const model::Model& model, std::uint32_t number, const model::State& state,
                         std::span<const double> accelerations) {
  constexpr unsigned orders = 3;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const model::Slotted& group = *place.group;
  SwitchRates out;

  // Along the motion.
  const auto fill = [&](const expressions::Tape& tape, unsigned room) {
    std::vector<double> r(tape.registers() * room, 0.0);
    expressions::load_constants(tape, r.data(), room, 1);
    std::size_t slot = 0;
    const auto put = [&](double zero, double one, double two) {
      const double all[] = {zero, one, two};
      std::copy_n(all, room, r.begin() + static_cast<std::ptrdiff_t>(slot++ * room));
    };
    put(state.time, 1, 0);
    for (std::size_t k = 0; k < group.positions; ++k) {
      const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
      put(state.position[i], state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i] / 2);
    }
    for (std::size_t k = 0; k < group.velocities; ++k) {
      const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
      put(state.velocity[i], accelerations.empty() ? 0.0 : accelerations[i], 0);
    }
    for (std::size_t k = 0; k < group.constants; ++k) {
      const bool mode = k >= group.steady() && !state.modes.empty();
      put(mode ? state.modes[group.first_mode + (k - group.steady()) * group.lanes + place.lane]
               : group.constant_of[k * group.lanes + place.lane],
          0, 0);
    }
    expressions::extend(tape, r.data(), room, 0, room - 1, 1);
    return r;
  };
  const std::vector<double> r = fill(group.switching, orders);
  const double* g = r.data() + std::size_t{group.switching.outputs[place.corner]} * orders;
  out.g = g[0];
  out.first = g[1];
  out.second = 2 * g[2];
  out.beside = r[std::size_t{group.switching.outputs[group.corners.size() + place.corner]} * orders];

  // Sizes, from the slopes.
  const std::vector<double> s = fill(group.slopes, 1);
  const std::size_t slots = std::size_t{group.positions} + group.velocities;
  const auto slope = [&](std::size_t k) { return s[group.slopes.outputs[place.corner * slots + k]]; };
  double by_time = out.first;
  for (std::size_t k = 0; k < group.positions; ++k) {
    const std::uint32_t i = group.position_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(k) * state.position[i]);
    out.rate_size += std::abs(slope(k) * state.velocity[i]);
    out.by_position = out.by_position || slope(k) != 0;
    if (i < state.position_uncertainty.size()) out.doubt += std::abs(slope(k)) * state.position_uncertainty[i];
    if (i < state.velocity_uncertainty.size()) out.rate_doubt += std::abs(slope(k)) * state.velocity_uncertainty[i];
    by_time -= slope(k) * state.velocity[i];
  }
  for (std::size_t k = 0; k < group.velocities; ++k) {
    const std::uint32_t i = group.velocity_of[k * group.lanes + place.lane];
    out.size += std::abs(slope(group.positions + k) * state.velocity[i]);
    out.by_velocity = out.by_velocity || slope(group.positions + k) != 0;
    if (i < state.velocity_uncertainty.size())
      out.doubt += std::abs(slope(group.positions + k)) * state.velocity_uncertainty[i];
    if (!accelerations.empty()) by_time -= slope(group.positions + k) * accelerations[i];
  }
  out.size += std::abs(by_time * state.time);
  return out;
}

namespace {

/// An equation on a kink of its own, with no speed across it: the side whose accelerations lead into it and are nearest to the free ones. Where
/// neither leads on the motion stays in the kink, which the row alone can hold only if the mean of its sides does.
void choose_side_of_kink(const model::Model& model, model::State state, const Options& options, Workspace& workspace,
                         const std::vector<std::pair<std::uint32_t, Side>>& kinks, Corners& out) {
  const std::uint32_t number = kinks[0].first;
  const Side on = kinks[0].second;
  const model::SwitchPlace place = model::place_of_switch(model, number);
  const std::string row = model::row_name(model, place.row);
  if (kinks.size() > 1) {
    out.refusal = "several kinks of equations are met at once, of " + row + " and of " +
                  model::row_name(model, model::place_of_switch(model, kinks[1].first).row) +
                  ": write them as inequalities, whose sides may all hold";
    return;
  }
  Options inner = options;
  inner.tell = false;
  inner.balanced = {};
  const std::vector<std::uint8_t> none(model.rows(), 0);
  if (inner.gone.empty()) inner.gone = none;
  // g'' under the rows of this side, of its terms; not a number where it has no accelerations.
  Instant instant;
  const auto leads = [&](Side side) {
    set_modes(*place.group, place.corner, place.lane, side, state.modes);
    accelerate(model, state, inner, workspace, instant);
    if (instant.status != Status::determined) return std::numeric_limits<double>::quiet_NaN();
    const SwitchRates rates = switch_rates(model, number, state, instant.accelerations);
    const SwitchRates free = switch_rates(model, number, state, instant.free);
    const SwitchRates still = switch_rates(model, number, state, {});
    const double size =
        std::abs(free.second - still.second) + std::abs(rates.second - still.second) + std::abs(still.second);
    return std::abs(rates.second) <= push_zero * size ? 0.0 : rates.second;
  };
  const double below = leads(on - 1);
  const Minimiser down{instant.accelerations, instant.constraint};
  const double above = leads(on + 1);
  const Minimiser up{instant.accelerations, instant.constraint};
  const auto take = [&](Side side) {
    out.sides[number] = side;
    set_modes(*place.group, place.corner, place.lane, side, out.modes);
  };
  if (std::isnan(below) || std::isnan(above)) {
    // A shock comes first, or what `accelerate` tells of either side.
    return;
  }
  const bool leads_down = below < 0;
  const bool leads_up = above > 0;
  if (leads_down && leads_up) {
    if (std::abs(down.constraint - up.constraint) <= same_way * std::max(down.constraint, up.constraint)) {
      out.ways = {down, up};
      out.refusal =
          "both sides of a kink of " + row + " lead on with the same constraint: the motion may go either way";
      return;
    }
    return take(down.constraint < up.constraint ? on - 1 : on + 1);
  }
  if (leads_down) return take(on - 1);
  if (leads_up) return take(on + 1);
  if (below == 0 && above == 0) return;
  if (leads(on) == 0) return take(on);
  out.refusal =
      "the motion stays in a kink of " + row +
      ", where both of its sides hold it and an equation has but one of them: write an inequality with abs, min, "
      "max or table, whose sides may both hold";
}

}  // namespace

Corners find_corners(const model::Model& model, const model::State& given, const Options& options, Workspace& workspace,
                     std::span<const KnownSide> known, std::span<const KnownSide> near) {
  enum class Told : std::uint8_t { nothing, side, threshold, slid };
  Corners out;
  std::vector<Told> told(model.switches, Told::nothing);
  out.sides.assign(model.switches, 0);
  for (const KnownSide& one : known) {
    out.sides[one.number] = one.side;
    told[one.number] = Told::side;
  }
  for (const KnownSide& one : near) {
    out.sides[one.number] = one.side;
    told[one.number] = one.slid ? Told::slid : Told::threshold;
  }
  model::State state = given;
  state.modes = model::modes_of(model, out.sides);
  // Velocities that meet a threshold together with places: rates within their doubt are zero.
  const bool with_velocities =
      near.size() > 1 && !model.flow && std::any_of(near.begin(), near.end(), [&](const KnownSide& one) {
        return switch_rates(model, one.number, state, {}).by_velocity;
      });

  // From the inside out: what are values and rates, and who is on a threshold, and is not told by its rate to which side it goes?
  std::vector<std::uint32_t> critical;
  std::vector<Side> on;
  std::vector<Side> towards;
  std::vector<std::pair<std::uint32_t, Side>> kinks;  // of equations
  const auto counts = [&](std::uint32_t row) { return options.gone.empty() || options.gone[row] == 0; };
  model::for_cornered(model, [&](const model::Slotted& group) {
    for (std::uint32_t lane = 0; lane < group.lanes; ++lane) {
      std::vector<std::uint8_t> waits(group.corners.size(), 0);  // for an inner one that is critical
      for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
        const Corner& corner = group.corners[c];
        const std::uint32_t number = group.first_switch + c * group.lanes + lane;
        if (told[number] == Told::side) continue;
        const SwitchRates rates = switch_rates(model, number, state, {});
        Side& side = out.sides[number];
        if (told[number] == Told::nothing) side = corner.side(rates.g, rates.beside);
        const bool follows_critical =
            std::any_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return waits[one] != 0; });
        const auto [distance, threshold] = nearest_threshold(corner, side, rates.g);
        const bool near_it = told[number] == Told::threshold || told[number] == Told::slid;
        const bool meets = near_it || is_zero(distance, rates);
        if (meets && !corner.follows && !follows_critical && corner.kind != expressions::CornerKind::turns) {
          // Where the rate is known beforehand it decides. The rates of a flow are not: they depend on the sides.
          const bool known_rate = told[number] != Told::slid && (model.flow ? !rates.by_position : !rates.by_velocity);
          const model::SwitchPlace place = model::place_of_switch(model, number);
          const double no_rate = rate_zero * rates.rate_size + (with_velocities ? doubts * rates.rate_doubt : 0.0);
          if (known_rate && std::abs(rates.first) > no_rate) {
            side = rates.first > 0 ? threshold + 1 : threshold - 1;
          } else if (!corner.quiet && !place.truth && place.row >= model.rows()) {
            critical.push_back(number);
            on.push_back(threshold);
            towards.push_back(near_it ? side : threshold);
            waits[c] = 1;
          } else if (!corner.quiet && place.row < model.rows() && model::is_equation(model.row_kind[place.row]) &&
                     rates.by_position && counts(place.row)) {
            kinks.emplace_back(number, threshold);
          }
        }
        if (follows_critical) waits[c] = 1;
        set_modes(group, c, lane, side, state.modes);
      }
    }
  });
  out.modes = state.modes;
  if (!kinks.empty() && critical.empty()) choose_side_of_kink(model, state, options, workspace, kinks, out);
  if (critical.empty()) return out;

  // Of those that are known to be on a side, which are on a threshold nevertheless?
  std::vector<std::pair<std::uint32_t, Side>> touched;
  for (const KnownSide& one : known) {
    const model::SwitchPlace place = model::place_of_switch(model, one.number);
    const Corner& corner = place.group->corners[place.corner];
    if (corner.quiet || corner.follows || place.truth || place.row < model.rows() ||
        corner.kind == expressions::CornerKind::turns) {
      continue;
    }
    const SwitchRates rates = switch_rates(model, one.number, state, {});
    const auto [distance, threshold] = nearest_threshold(corner, one.side, rates.g);
    if (is_zero(distance, rates)) touched.emplace_back(one.number, threshold);
  }
  Sliding(model, state, options, workspace, out, critical, on, towards, std::move(touched)).run();
  return out;
}

std::optional<Valley> find_valley(const model::Model& model, const model::State& state, std::uint32_t row,
                                  std::span<const std::uint32_t> passing, std::vector<Side>& sides) {
  const std::uint32_t twin = model.row_twin[row];
  if (twin <= row) return {};
  const model::RowGroup& group = model.groups[model.row_group[row]];
  const std::uint32_t lane = model.row_lane[row];
  const auto number_of = [&](std::size_t c, std::uint32_t of) {
    return group.first_switch + static_cast<std::uint32_t>(c) * group.lanes + of;
  };

  // Who is on a threshold that positions move it off from? All of them must lie on one surface.
  struct Met {
    std::uint32_t corner = 0;
    Side on = 0;
    bool turned = false;  // its function falls where that of the first rises
  };
  std::vector<Met> met;
  std::vector<double> normal;
  double square = 0;
  double size = 0;
  for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
    const Corner& corner = group.corners[c];
    if (corner.quiet || corner.follows || corner.kind == expressions::CornerKind::turns) continue;
    const std::uint32_t number = number_of(c, lane);
    const SwitchRates rates = switch_rates(model, number, state, {});
    const auto [distance, threshold] = nearest_threshold(corner, sides[number], rates.g);
    const bool passes = std::find(passing.begin(), passing.end(), number) != passing.end();
    if (!rates.by_position || !(passes || is_zero(distance, rates))) continue;
    std::vector<double> slope = slopes_by_slot(model::place_of_switch(model, number), state);
    slope.resize(group.positions);
    double own = 0;
    double product = 0;
    for (std::size_t k = 0; k < slope.size(); ++k) {
      own += slope[k] * slope[k];
      product += met.empty() ? slope[k] * slope[k] : slope[k] * normal[k];
    }
    if (!std::isfinite(own)) return {};
    if (met.empty()) {
      normal = std::move(slope);
      square = own;
      size = rates.size;
    } else if (product * product < (1 - on_threshold) * own * square) {
      return {};
    }
    met.push_back({c, threshold, product < 0});
  }
  if (met.empty()) return {};

  // The sides of all corners on either side of the surface, from the inside out, and the gradients there.
  struct Beside {
    std::vector<Side> sides;
    std::vector<double> gradient;
  };
  const auto look = [&](bool above) {
    Beside out;
    model::State there = state;
    const double way = (above ? 1 : -1) * beside_surface * (size + std::sqrt(square)) / square;
    for (std::size_t k = 0; k < group.positions; ++k)
      there.position[group.position_of[k * group.lanes + lane]] += way * normal[k];
    std::vector<std::uint8_t> changes(group.corners.size(), 0);
    for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
      const Corner& corner = group.corners[c];
      Side side = sides[number_of(c, lane)];
      const auto found = std::find_if(met.begin(), met.end(), [&](const Met& one) { return one.corner == c; });
      const bool inside =
          std::any_of(corner.inner.begin(), corner.inner.end(), [&](std::uint32_t one) { return changes[one] != 0; });
      if (found != met.end()) {
        side = above != found->turned ? found->on + 1 : found->on - 1;
        changes[c] = 1;
      } else if (inside) {
        const SwitchRates rates = switch_rates(model, number_of(c, lane), there, {});
        side = corner.side(rates.g, rates.beside);
        changes[c] = 1;
      }
      out.sides.push_back(side);
      set_modes(group, c, lane, side, there.modes);
    }
    std::vector<double> r(group.tape.registers());
    expressions::load_constants(group.tape, r.data(), 1, 1);
    model::fill_inputs<1, 1>(group, state.time, state.position, state.velocity, there.modes, lane, r.data());
    expressions::extend(group.tape, r.data(), 1, 0, 0, 1);
    for (std::size_t k = 0; k < group.positions; ++k) out.gradient.push_back(r[group.tape.outputs[1 + k]]);
    return out;
  };
  Beside below = look(false);
  Beside above = look(true);

  // f+ - f- = c g: both sides hold where c > 0.
  double across = 0;
  double lengths = 0;
  for (std::size_t k = 0; k < normal.size(); ++k) {
    across += (above.gradient[k] - below.gradient[k]) * normal[k];
    lengths += std::abs(above.gradient[k]) + std::abs(below.gradient[k]);
  }
  if (!(across > kink_part * lengths * std::sqrt(square))) return {};
  if (sides[number_of(met[0].corner, lane)] > met[0].on) std::swap(below, above);
  Valley valley;
  valley.row = row;
  for (const std::uint32_t one : {row, twin}) {
    const std::vector<Side>& its = one == row ? below.sides : above.sides;
    for (std::size_t c = 0; c < its.size(); ++c) sides[number_of(c, model.row_lane[one])] = its[c];
    for (const Met& each : met) valley.switches.push_back(number_of(each.corner, model.row_lane[one]));
  }
  return valley;
}

bool has_twins(const model::Model& model) {
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (model.row_twin[row] != row) return true;
  }
  return false;
}

bool has_alternatives(const model::Model& model) {
  return std::any_of(model.conditions.begin(), model.conditions.end(),
                     [](const model::Condition& condition) { return condition.alternatives > 1; });
}

namespace {

bool same_accelerations(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0;
  double off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::max({size, std::abs(a[i]), std::abs(b[i])});
    off = std::max(off, std::abs(a[i] - b[i]));
  }
  return off <= same_way * size;
}

/// In words: alternatives of a condition between which nothing decides.
/// The velocities after blows, of those variables in which they differ: "x' = 1 or -1, y' = -1 or 1"; "" if they are the same.
std::string velocities_of_ways(const model::Model& model, const std::vector<std::vector<double>>& ways) {
  constexpr int digits = 6;
  std::string out;
  for (std::uint32_t i = 0; i < model.variables && !ways.empty(); ++i) {
    double size = 0;
    for (const std::vector<double>& way : ways) size = std::max(size, std::abs(way[i]));
    std::string values;
    bool differ = false;
    for (const std::vector<double>& way : ways) {
      differ = differ || std::abs(way[i] - ways[0][i]) > same_way * size;
      values += (values.empty() ? "" : " or ") + readable(way[i], digits);
    }
    if (differ) out += (out.empty() ? "" : ", ") + model::variable_name(model, i) + "' = " + values;
  }
  return out;
}

std::string equally_near(const model::Condition& condition, bool ways_agree, const std::string& blows) {
  const bool joined = condition.text.find(" or ") != std::string::npos;
  const std::string which = joined ? "several parts of " + condition.name + ", which `or` joins,"
                                   : "both sides of an outward corner of " + condition.name;
  if (!blows.empty())
    return which +
           " are struck at once, and the blows of each change the motion by as much: it may go either way, with " +
           blows;
  return which + (ways_agree ? " hold the motion at once, so that later forces may take it to either: leave the "
                               "condition out where another one holds it already"
                             : " are equally near: the motion may go either way");
}

}  // namespace

std::vector<std::uint8_t> idle_rows(const model::Model& model, const model::State& state, const Options& options,
                                    Workspace& workspace, Several& several) {
  std::vector<std::uint8_t> idle(model.rows(), 0);
  if (!options.gone.empty()) idle.assign(options.gone.begin(), options.gone.end());
  Workspace::Impl& impl = workspace.impl();
  Options inner = options;
  inner.tell = false;
  inner.balanced = {};

  // Roles of all rows at once tell what is open, touched or broken.
  Instant all;
  model::evaluate_rows(model, state, impl.scratch, impl.rows);
  inner.gone = idle;
  // Where more than usual is forgiven, an alternative that needs it counts only if none holds without.
  Instant strict;
  if (options.broken > 0) {
    Options usual = inner;
    usual.broken = 0;
    classify_rows(model, state, usual, impl, strict);
  }
  classify_rows(model, state, inner, impl, all);
  for (const model::Condition& condition : model.conditions) {
    if (condition.alternatives < 2) continue;
    for (std::uint32_t first = condition.first_row; first < condition.first_row + condition.rows;
         first += condition.components) {
      enum class State : std::uint8_t { open, touched, broken };
      std::vector<State> states(condition.alternatives, State::open);
      std::vector<double> amount(condition.alternatives, 0.0);
      for (std::uint32_t row = first; row < first + condition.components; ++row) {
        if (idle[row] != 0) continue;
        State& one = states[model.row_alternative[row]];
        amount[model.row_alternative[row]] = std::max(amount[model.row_alternative[row]], all.value[row]);
        if (all.role[row] == Role::violated) one = State::broken;
        if (all.role[row] != Role::passive_in_position && one == State::open) one = State::touched;
      }
      if (!strict.role.empty()) {
        std::vector<State> usual = states;
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (idle[row] == 0 && strict.role[row] == Role::violated) usual[model.row_alternative[row]] = State::broken;
        }
        if (std::any_of(usual.begin(), usual.end(), [](State one) { return one != State::broken; })) states = usual;
      }
      const auto keep = [&](std::uint32_t chosen) {
        for (std::uint32_t row = first; row < first + condition.components; ++row) {
          if (model.row_alternative[row] != chosen) idle[row] = 1;
        }
      };
      const auto open = static_cast<std::size_t>(std::count(states.begin(), states.end(), State::open));
      const auto touched = static_cast<std::size_t>(std::count(states.begin(), states.end(), State::touched));
      if (open > 1) {
        keep(condition.alternatives);  // none: nothing can happen to the condition before one of them closes
      } else if (open == 1) {
        keep(static_cast<std::uint32_t>(std::find(states.begin(), states.end(), State::open) - states.begin()));
      } else if (touched == 1) {
        keep(static_cast<std::uint32_t>(std::find(states.begin(), states.end(), State::touched) - states.begin()));
      } else if (touched == 0) {
        // Broken: the nearest one is shown.
        keep(static_cast<std::uint32_t>(std::min_element(amount.begin(), amount.end()) - amount.begin()));
      } else {
        // A re-entrant corner: the side that changes the motion least.
        const std::vector<std::uint8_t> before = idle;
        std::vector<double> cost;
        std::vector<std::uint32_t> chosen;
        std::vector<Minimiser> ways;
        std::vector<std::vector<double>> velocities;
        for (std::uint32_t j = 0; j < condition.alternatives; ++j) {
          if (states[j] != State::touched) continue;
          idle = before;
          keep(j);
          inner.gone = idle;
          Instant instant;
          model::State now = state;
          accelerate(model, now, inner, workspace, instant);
          double lost = 0;
          bool possible = true;
          if (instant.status == Status::impact) {
            Shock shock;
            impact(model, now, inner, workspace, shock);
            possible = shock.status != ShockStatus::jammed;
            std::vector<double> change = shock.velocities;
            for (std::size_t i = 0; i < change.size(); ++i) change[i] -= shock.before[i];
            std::vector<double> momentum(change.size());
            impl.dynamics.mass.multiply(change, momentum);
            for (std::size_t i = 0; i < change.size(); ++i) lost += change[i] * momentum[i];
            now.velocity = shock.velocities;
            Options then = inner;
            then.shock_done = true;
            then.steady = {};
            accelerate(model, now, then, workspace, instant);
          }
          // Beside the other conditions some sides allow no motion at all.
          possible = possible && instant.status != Status::jammed;
          constexpr double impossible = std::numeric_limits<double>::max();
          cost.push_back(possible ? lost : impossible);
          cost.push_back(possible ? instant.constraint : impossible);
          chosen.push_back(j);
          ways.push_back({instant.accelerations, instant.constraint});
          velocities.push_back(now.velocity);
        }
        std::size_t best = 0;
        const auto equal = [](double a, double b) {
          return std::abs(a - b) <= same_way * std::max(std::abs(a), std::abs(b));
        };
        bool tie = false;
        for (std::size_t k = 1; k < chosen.size(); ++k) {
          const bool same_shock = equal(cost[2 * k], cost[2 * best]);
          const bool same = same_shock && equal(cost[2 * k + 1], cost[2 * best + 1]);
          // Two that cost nothing at all agree: neither hinders.
          tie = same && (cost[2 * k] > 0 || cost[2 * k + 1] > 0);
          if (!same && (same_shock ? cost[2 * k + 1] < cost[2 * best + 1] : cost[2 * k] < cost[2 * best])) {
            best = k;
            tie = false;
          }
        }
        const bool ways_agree = std::all_of(ways.begin(), ways.end(), [&](const Minimiser& way) {
          return same_accelerations(way.accelerations, ways[best].accelerations);
        });
        // Without a shock, and with the motion held by others, one that opens with the velocities is open right behind the instant.
        for (std::size_t k = 0; tie && ways_agree && cost[2 * best] == 0 && k < chosen.size(); ++k) {
          bool opens = cost[2 * k] == 0;
          for (std::uint32_t row = first; row < first + condition.components; ++row) {
            if (model.row_alternative[row] != chosen[k] || before[row] != 0) continue;
            opens = opens && (all.role[row] == Role::passive_in_position || all.role[row] == Role::passive_in_velocity);
          }
          if (!opens) continue;
          best = k;
          tie = false;
        }
        idle = before;
        keep(chosen[best]);
        if (tie) {
          // Those that are as near as the nearest one.
          std::vector<std::vector<double>> nearest;
          for (std::size_t k = 0; k < chosen.size(); ++k) {
            if (equal(cost[2 * k], cost[2 * best]) && equal(cost[2 * k + 1], cost[2 * best + 1]))
              nearest.push_back(velocities[k]);
          }
          several = {std::move(ways), equally_near(condition, ways_agree, velocities_of_ways(model, nearest))};
        }
      }
      inner.gone = idle;
    }
  }
  return idle;
}

bool needs_corners(const model::Model& model, const model::State& state, const Options& options) {
  return (model.switches > 0 && state.modes.empty()) ||
         (options.gone.empty() && (has_alternatives(model) || has_twins(model)));
}

Resolved resolve_corners(const model::Model& model, const model::State& state, const Options& options,
                         Workspace& workspace) {
  Resolved out;
  out.state = state;
  Options inner = options;
  const bool sides_known = model.switches == 0 || !state.modes.empty();
  std::vector<KnownSide> known;
  if (!sides_known) {
    std::vector<Side> sides = model::sides_of(model, state);
    out.state.modes = model::modes_of(model, sides);
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      std::optional<Valley> valley = find_valley(model, out.state, row, {}, sides);
      if (!valley) continue;
      out.valleys.push_back(std::move(*valley));
      const model::RowGroup& group = model.groups[model.row_group[row]];
      for (const std::uint32_t one : {row, model.row_twin[row]}) {
        for (std::uint32_t c = 0; c < group.corners.size(); ++c) {
          const std::uint32_t number = group.first_switch + c * group.lanes + model.row_lane[one];
          known.push_back({number, sides[number]});
        }
      }
    }
    out.state.modes = model::modes_of(model, sides);
  }
  if (options.gone.empty()) {
    out.idle.assign(model.rows(), 0);
    for (std::uint32_t row = 0; row < model.rows(); ++row) out.idle[row] = is_second_twin(model, row) ? 1 : 0;
    for (const Valley& valley : out.valleys) out.idle[model.row_twin[valley.row]] = 0;
    inner.gone = out.idle;
    if (has_alternatives(model)) out.idle = idle_rows(model, out.state, inner, workspace, out.several);
  } else {
    out.idle.assign(options.gone.begin(), options.gone.end());
  }
  inner.gone = out.idle;
  if (!sides_known) {
    out.corners = find_corners(model, state, inner, workspace, known, {});
    out.state.modes = out.corners.modes;
  }
  return out;
}

void accelerate_with_corners(const model::Model& model, const model::State& state, const Options& options,
                             Workspace& workspace, Instant& instant) {
  const Resolved found = resolve_corners(model, state, options, workspace);
  Options inner = options;
  inner.gone = found.idle;
  accelerate(model, found.state, inner, workspace, instant);
  if (!found.corners.refusal.empty()) {
    instant.solutions = found.corners.ways;
    instant.status = found.corners.ways.empty() ? Status::undecided : Status::ambiguous;
    instant.expansion = found.corners.refusal;
  } else if (!found.several.ways.empty()) {
    instant.solutions = found.several.ways;
    instant.status = Status::ambiguous;
    instant.expansion = found.several.words;
  }
}

}  // namespace zwang::instant
