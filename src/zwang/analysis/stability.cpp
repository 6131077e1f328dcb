/// Is it an equilibrium, and what do small motions, valleys and corners say of its stability?
#include "zwang/analysis/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zwang/analysis/branches.hpp"
#include "zwang/analysis/leaf.hpp"
#include "zwang/analysis/linearise.hpp"
#include "zwang/analysis/small_motions.hpp"
#include "zwang/analysis/tolerances.hpp"
#include "zwang/analysis/valley.hpp"
#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/error.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/bodies.hpp"

namespace zwang::analysis {

namespace {

using Complex = std::complex<double>;

using instant::Role;
using linear::Matrix;

/// What is known of a place of rest before its stability is asked.
struct AtRest {
  const model::Model& model;
  const model::State& rest;
  std::vector<std::uint32_t> held;
  std::vector<double> lambda;
  const std::vector<double>& sizes;  ///< of accelerations at rest
  bool presses = false;              ///< an inequality is among the rows held
  bool corners = false;              ///< functions turn here, though they agree to first order
  bool sure_zeros = true;            ///< roots that count as zero are rounding, none a small root
};

/// How large alpha is a little beside the place, column by column: where terms cancel at a critical load, what is left there is measured by this.
/// Under conditions the columns are others at every place, and the largest stands for all, be it that of accelerations by the extent.
std::vector<double> stiffness_near(const AtRest& place) {
  const auto& [model, rest, held, lambda, sizes, presses, corners, sure] = place;
  Dice dice(1744);
  std::vector<double> out(model.variables, 0.0);
  double most = 0;
  constexpr int places = 3;
  for (int k = 0; k < places; ++k) {
    model::State at = rest;
    at.modes.clear();
    for (double& q : at.position) q += far_enough * extent_of(rest) * dice.throw_one();
    const Linearised system = linearise(model, at, held, lambda);
    if (!system.mass_positive) continue;
    const Matrix alpha = reduce(system).alpha;
    const double size = largest(alpha);
    if (!std::isfinite(size)) continue;
    most = std::max(most, size);
    for (std::size_t c = 0; held.empty() && c < alpha.columns; ++c) {
      for (std::size_t i = 0; i < alpha.rows; ++i)
        out[c] = std::max({out[c], std::abs(alpha(i, c)), std::abs(alpha(c, i))});
    }
  }
  if (held.empty()) return out;
  // Reactions enter with the curvatures of their conditions, which may cancel everywhere: a cylinder rolls on a plane.
  const double extent = std::max(1.0, extent_of(rest));
  for (const double size : sizes) most = std::max(most, size / extent);
  out.assign(model.variables, most);
  return out;
}

/// Is the uniform motion along d, a straight line in the coordinates, one that the system takes by itself?
bool drifts_uniformly(const AtRest& place, const std::vector<double>& d) {
  double longest = 0;
  for (const double x : d) longest = std::max(longest, std::abs(x));
  if (!(longest > 0)) return false;
  const double extent = extent_of(place.rest);
  instant::Workspace workspace(place.model);
  instant::Instant now;
  instant::Options options;
  options.shock_done = true;
  // Far away too: a high power of a small step is nothing. And there first, where most of what does not drift shows it.
  for (const double shift : {0.5, -0.5, 0.0, flat_step, -flat_step}) {
    for (const double speed : {extent, -0.1 * extent}) {
      model::State at = place.rest;
      at.modes.clear();
      for (std::size_t i = 0; i < d.size(); ++i) {
        at.position[i] += shift * extent * d[i] / longest;
        at.velocity[i] = speed * d[i] / longest;
      }
      instant::accelerate(place.model, at, options, workspace, now);
      if (now.status != instant::Status::determined) return false;
      for (std::size_t i = 0; i < d.size(); ++i) {
        // Measured by its own terms: in small units every force is small.
        const double size = workspace.acceleration_terms()[i] + place.sizes[i];
        if (!(std::abs(now.accelerations[i]) <= uniform_part * size)) return false;
      }
    }
  }
  return true;
}

std::vector<double> column_of(const Matrix& a, std::size_t c) {
  return {a.entry.begin() + static_cast<std::ptrdiff_t>(c * a.rows),
          a.entry.begin() + static_cast<std::ptrdiff_t>((c + 1) * a.rows)};
}

/// Directions in which alpha, restricted to what is allowed, vanishes on both sides, in all variables; orthonormal in M.
Matrix open_directions(const SmallMotions& reduced, double scale) {
  const std::size_t m = reduced.alpha.rows;
  Matrix both(2 * m, m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) {
      both(i, k) = reduced.alpha(i, k) * reduced.factor[i];
      both(m + i, k) = reduced.alpha(k, i) * reduced.factor[i];
    }
  }
  const double most = largest(both);
  if (most <= zero_entry * scale) return reduced.basis;
  return linear::product(reduced.basis, linear::null_space(both, zero_entry * scale / most));
}

/// A zero root: where the form is silent, does V rise, fall or stay along what it leaves open?
void follow_valley(const AtRest& place, const SmallMotions& reduced, const Character& character, Stability& out) {
  out.stable.reset();
  out.why = "the linearisation does not decide: it has a zero root";
  const Matrix open = open_directions(reduced, out.scale);
  const std::size_t n = place.model.variables;

  // A drift in a straight line shows itself: coordinates alone, all points together, then the directions as they come.
  const auto drifts = [&](const std::vector<double>& way) {
    double left = 0;
    (void)linear::least_norm(open, way, &left);
    return left <= no_length && drifts_uniformly(place, way);
  };
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> axis(n, 0.0);
    axis[i] = 1;
    if (!drifts(axis)) continue;
    out.stable = false;
    out.drifts = true;
    out.why = fmt::format("{} can go on uniformly: nothing holds it there",
                          model::variable_words(place.model, static_cast<std::uint32_t>(i)));
    return;
  }
  for (std::uint32_t component = 0; component < 3; ++component) {
    std::vector<double> together(n, 0.0);
    for (const model::Body& body : place.model.bodies) {
      if (body.kind != model::BodyKind::point || component >= body.dimension) continue;
      for (std::uint32_t k = 0; k < body.members(); ++k) together[body.first + k * body.dimension + component] = 1;
    }
    if (!drifts(together)) continue;
    out.stable = false;
    out.drifts = true;
    out.why = "the points can go on uniformly together: nothing holds them there";
    return;
  }
  for (std::size_t c = 0; c < open.columns; ++c) {
    if (drifts_uniformly(place, column_of(open, c))) {
      out.stable = false;
      out.drifts = true;
      out.why = "a uniform drift is one of its motions: nothing holds it in that direction";
      return;
    }
  }

  // Else the series of the force along the valley: for forces with a potential, conditions between positions.
  const bool holonomic = std::all_of(place.held.begin(), place.held.end(),
                                     [&](std::uint32_t row) { return model::is_holonomic(place.model.row_kind[row]); });
  const bool across = out.form == Form::negative_semidefinite || out.form == Form::zero;
  const bool whole =
      open.columns + static_cast<std::size_t>(std::count_if(out.form_values.begin(), out.form_values.end(),
                                                            [&](double v) { return v < -zero_entry * out.scale; })) ==
      reduced.alpha.rows;
  if (!holonomic || !character.potential || !out.symmetric || !across || !whole || open.columns == 0) return;
  // Which branch the curve takes is known on a line only.
  if (place.corners && reduced.alpha.rows > 1) return;
  const bool alone = open.columns == 1;
  constexpr int most_tries = 12;
  bool rises = true;
  bool flat = true;
  unsigned order = 0;
  Dice dice(1850);
  for (int k = 0; k < (alone ? 2 : most_tries); ++k) {
    std::vector<double> e(open.columns, 0.0);
    if (alone) {
      e[0] = k == 0 ? 1 : -1;
    } else {
      double length = 0;
      for (double& x : e) {
        x = dice.throw_one();
        length = elementary::hypot(length, x);
      }
      for (double& x : e) x /= length;
    }
    model::State branch = place.rest;
    if (place.corners) {
      std::vector<double> direction = column_of(open, 0);
      double longest = 0;
      for (const double x : direction) longest = std::max(longest, std::abs(x));
      for (double& x : direction) x *= e[0] / longest;
      branch = branch_beside(place.model, place.rest, direction, {});
    }
    const Ascent way = ascend(place.model, branch, place.held, open, e);
    rises = rises && way.trend == Trend::restoring;
    flat = flat && way.trend == Trend::flat;
    order = std::max(order, way.order);
    if (way.trend == Trend::unknown) return;
    if (way.trend == Trend::repelling && (!character.velocities || reduced.alpha.rows == 1)) {
      out.stable = false;
      out.why = fmt::format("the quadratic form is silent, and the potential falls with the power {}", way.order + 1);
      return;
    }
  }
  if (rises && alone && character.gives) {
    out.stable = false;
    out.why =
        "forces of higher order give energy to every small motion, and no other place of rest is near (Krasovskii)";
  } else if (rises && alone && (character.dissipative || character.takes)) {
    out.stable = true;
    out.why = fmt::format(
        "the potential has a strict minimum: it rises with the power {} where its quadratic form is silent (Lagrange, "
        "Dirichlet)",
        order + 1);
  } else if (flat && !character.velocities && !out.exponents && place.sure_zeros) {
    out.stable = false;
    out.why = "equilibria lie side by side, and a small push makes it drift along them";
  } else if (flat && out.exponents && !place.presses && place.sure_zeros) {
    // As many exponents are zero as the family has dimensions; all others must die away (Malkin).
    unsigned zeros = 0;
    bool others = true;
    for (const MultipleRoot& root : out.grouped) {
      if (root.value == 0.0) {
        zeros += root.multiplicity;
      } else {
        others = others && root.value.real() < 0;
      }
    }
    if (zeros == open.columns && others) {
      out.stable = true;
      out.why = "equilibria lie side by side, and every small motion dies away near one of them";
    }
  } else if (rises && !alone) {
    out.why = fmt::format(
        "the linearisation does not decide; the potential rises along {} directions in which its quadratic form is "
        "silent, but so does not prove a minimum",
        most_tries);
  }
}

/// Roots on the imaginary axis beside forces of higher order: does their power, or that they do not know which way the time goes, decide?
bool decide_by_power(const AtRest& place, const Character& character, Stability& out) {
  if (out.attracting) return false;
  const bool holonomic = std::all_of(place.held.begin(), place.held.end(),
                                     [&](std::uint32_t row) { return model::is_holonomic(place.model.row_kind[row]); });
  const bool minimum = out.form == Form::negative_definite;
  const bool saddle = out.form == Form::positive_definite || out.form == Form::indefinite;
  // The form has no direction in which it is silent, so that this place of rest is alone.
  const bool alone = holonomic && character.potential && out.symmetric && (minimum || saddle);
  const bool silent = std::any_of(out.form_values.begin(), out.form_values.end(),
                                  [&](double v) { return std::abs(v) <= zero_entry * out.scale; });
  if (alone && !silent && (character.gives || (character.takes && saddle))) {
    out.stable = false;
    out.why = character.gives
                  ? "forces of higher order give energy to every small motion, and no other place of rest is "
                    "near (Krasovskii)"
                  : "forces of higher order take energy from every small motion, and the potential falls in "
                    "some direction (Krasovskii)";
    return true;
  }
  if (alone && minimum && character.takes) {
    out.stable = true;
    out.attracting = true;
    out.why = "the potential has a strict minimum, and every small motion loses energy until it rests (Krasovskii)";
    return true;
  }
  if (alone && minimum && out.freedom == 1 && character.even && !out.exponents) {
    out.stable = true;
    out.why = "its motions are the same forth and back in time, and on one line they close (Poincare)";
    return true;
  }
  return false;
}

/// Different frequencies between which small motions may hand on energy through terms of second and third order: w_i + w_j = w_k, w_i + w_j = w_k + w_l,
/// w_i + w_j + w_k = w_l, also of the same one twice or three times. Those of the first relation found; empty if there is none.
std::vector<double> resonance(const Stability& found) {
  std::vector<double> w;
  for (const Complex root : found.roots) {
    const double one = found.exponents ? root.imag() : std::sqrt(std::max(0.0, -root.real()));
    if (one > 0) w.push_back(one);
  }
  struct Combination {
    double value = 0;
    std::vector<double> of;
    bool sum = false;
  };
  std::sort(w.begin(), w.end());
  w.erase(std::unique(w.begin(), w.end(), [](double a, double b) { return b - a <= in_resonance * b; }), w.end());
  std::vector<Combination> all;
  for (std::size_t i = 0; i < w.size(); ++i) {
    all.push_back({w[i], {w[i]}, false});
    for (std::size_t j = i; j < w.size(); ++j) {
      all.push_back({w[i] + w[j], {w[i], w[j]}, true});
      if (j > i) all.push_back({w[j] - w[i], {w[j], w[i]}, false});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Combination& a, const Combination& b) { return a.value < b.value; });
  // Differences alone are equal where sums are.
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t l = k + 1; l < all.size() && all[l].value - all[k].value <= in_resonance * all[l].value; ++l) {
      if (!all[k].sum && !all[l].sum) continue;
      std::vector<double> out = all[k].of;
      out.insert(out.end(), all[l].of.begin(), all[l].of.end());
      std::sort(out.begin(), out.end());
      out.erase(std::unique(out.begin(), out.end()), out.end());
      return out;
    }
  }
  return {};
}

/// From the linear problem to the motion itself.
void conclude(const AtRest& place, const Linearised& system, const SmallMotions& reduced, Stability& out) {
  if (out.freedom == 0) {
    out.why = "nothing can move";
    return;
  }
  if (out.growth_rate > 0) {
    out.why = "an exponent has a positive real part (Lyapunov)";
    return;
  }
  const bool zero = std::any_of(out.roots.begin(), out.roots.end(), [](Complex z) { return z == 0.0; });
  const Character character = character_of(place.model, place.rest, place.held, reduced.basis);
  const bool energy = character.potential && (character.dissipative || character.takes);
  if (!zero && decide_by_power(place, character, out)) return;
  if (energy && character.integrable && out.symmetric && out.form == Form::negative_definite) {
    out.stable = true;
    out.why = out.attracting ? "all exponents have negative real parts (Lyapunov)"
                             : "the potential has a strict minimum (Lagrange, Dirichlet)";
    return;
  }
  if (out.exponents && out.attracting) {
    out.first_order = place.presses;
    out.why = place.presses ? "all exponents have negative real parts, while the conditions that press are held"
                            : "all exponents have negative real parts (Lyapunov)";
    return;
  }
  if (zero) {
    follow_valley(place, reduced, character, out);
    return;
  }
  // Conditions that do not integrate lead everywhere: a minimum among all positions is one among those that are reached.
  std::vector<std::uint32_t> between;
  std::vector<double> their;
  bool unpressed = energy;
  double most = 0;
  for (const double l : place.lambda) most = std::max(most, std::abs(l));
  for (std::size_t j = 0; j < place.held.size(); ++j) {
    if (model::is_holonomic(place.model.row_kind[place.held[j]])) {
      between.push_back(place.held[j]);
      their.push_back(place.lambda[j]);
    } else {
      unpressed = unpressed && std::abs(place.lambda[j]) <= zero_entry * std::max(most, largest(system.alpha));
    }
  }
  if (unpressed && between.size() < place.held.size()) {
    Stability wider;
    const Linearised all = linearise(place.model, place.rest, between, their);
    SmallMotions there = reduce(all);
    find_blocks(there, stiffness_near({place.model, place.rest, between, their, place.sizes}));
    (void)judge(there, wider);
    if (wider.symmetric && wider.form == Form::negative_definite) {
      out.stable = true;
      out.why = "the potential has a strict minimum among all positions (Lagrange, Dirichlet)";
      return;
    }
  }
  if (character.works_beyond) {
    out.stable.reset();
    out.why =
        "the linearisation does not decide: it has roots on the imaginary axis, and forces of higher order take or "
        "give energy";
    return;
  }
  if (*out.stable) {
    std::string frequencies;
    for (const double w : resonance(out)) frequencies += (frequencies.empty() ? "" : ", ") + readable(w, 4);
    if (!frequencies.empty()) {
      out.stable.reset();
      out.why = "the linearisation does not decide: small motions swing in resonance (frequencies " + frequencies +
                "), in which terms of higher order may let them grow, and no theorem reaches further";
      return;
    }
  }
  out.first_order = true;
  out.why =
      *out.stable
          ? "small motions swing, to first order; whether the full motion stays near, the linearisation does not decide"
          : "small motions grow with the time, to first order; the linearisation does not decide about the full motion";
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

/// Functions with corners turn here: no linear problem, but friction, or one line, or branches that all have a minimum, may decide.
void conclude_at_corners(const AtRest& place, const SmallMotions& reduced, const Branches& branches, Stability& out) {
  out.linearised = false;
  out.corners = branches.functions;
  const std::string turning = branches.functions.empty()
                                  ? std::string("a function with corners turns")
                                  : listed(branches.functions) + " turn" + (branches.functions.size() == 1 ? "s" : "");
  out.why = fmt::format("{} here: no linearisation exists, and the stability is not decided", turning);
  if (reduced.alpha.rows == 0) {
    out.stable = true;
    out.why = "nothing can move";
    return;
  }
  if (branches.velocity_jump) {
    const double power = greatest_power(place.model, place.rest, reduced.basis);
    if (power < -friction_reserve) {
      out.stable = true;
      out.stuck = true;
      out.why = fmt::format(
          "{} here: dry friction holds it with some reserve; places near are equilibria too, and a small push is "
          "stopped",
          turning);
    } else {
      out.why = fmt::format(
          "{} here: dry friction is on the verge, or does not hold every direction; no linearisation exists, and the "
          "stability is not decided",
          turning);
    }
    if (out.stuck) return;
    // Friction takes energy: where forces balance without it, a minimum of V decides, as below.
    const std::vector<double> force = forces_at(place.model, place.rest);
    double size = 0;
    for (const double f : force) size = std::max(size, std::abs(f));
    for (std::size_t c = 0; c < reduced.basis.columns; ++c) {
      double along = 0;
      double length = 0;
      for (std::size_t k = 0; k < force.size(); ++k) {
        along += force[k] * reduced.basis(k, c);
        length = std::max(length, std::abs(reduced.basis(k, c)));
      }
      if (std::abs(along) > rest_part * size * length) return;
    }
  }
  const Character character = character_of(place.model, place.rest, place.held, reduced.basis);
  const bool holonomic = std::all_of(place.held.begin(), place.held.end(),
                                     [&](std::uint32_t row) { return model::is_holonomic(place.model.row_kind[row]); });
  if (reduced.alpha.rows == 1 && holonomic && !branches.velocity_kink) {
    // One line: its force on either side.
    bool rises = true;
    bool falls = false;
    for (const double side : {1.0, -1.0}) {
      std::vector<double> direction = column_of(reduced.basis, 0);
      double longest = 0;
      for (const double x : direction) longest = std::max(longest, std::abs(x));
      for (double& x : direction) x *= side / longest;
      const model::State branch = branch_beside(place.model, place.rest, direction, {});
      const Ascent way = ascend(place.model, branch, place.held, reduced.basis, {side});
      rises = rises && way.trend == Trend::restoring;
      falls = falls || way.trend == Trend::repelling || (way.trend == Trend::flat && !character.velocities);
    }
    if (rises && character.dissipative) {
      out.stable = true;
      out.why = fmt::format(
          "{} here: no linearisation exists; forces on both sides drive it back (Lagrange, Dirichlet)", turning);
    } else if (falls && !branches.velocity_jump) {
      out.stable = false;
      out.why = fmt::format("{} here: no linearisation exists; on one side nothing drives it back", turning);
    }
    return;
  }
  // Continuous forces whose potential has a minimum in every branch have one altogether.
  bool minimum = !branches.position_jump && character.potential && character.dissipative && character.integrable;
  for (const model::State& branch : branches.positions) {
    if (!minimum) break;
    Stability side;
    const Linearised system = linearise(place.model, branch, place.held, place.lambda);
    SmallMotions there = reduce(system);
    find_blocks(there, stiffness_near({place.model, branch, place.held, place.lambda, place.sizes}));
    (void)judge(there, side);
    minimum = side.symmetric && side.form == Form::negative_definite;
  }
  if (minimum) {
    out.stable = true;
    out.why = fmt::format(
        "{} here: no linearisation exists; the potential has a strict minimum on every side (Lagrange, Dirichlet)",
        turning);
  }
}

/// The verdict for the rows held.
void decide(AtRest place, Stability& out) {
  const Linearised system = linearise(place.model, place.rest, place.held, place.lambda);
  SmallMotions reduced = reduce(system);
  const Branches branches = branches_at(place.model, place.rest, place.held, place.lambda, reduced.basis);
  place.corners = branches.positions.size() > 1;
  if (branches.smooth()) {
    find_blocks(reduced, stiffness_near(place));
    place.sure_zeros = judge(reduced, out);
    conclude(place, system, reduced, out);
    const bool definite =
        out.form == Form::negative_definite || out.form == Form::positive_definite || out.form == Form::indefinite;
    if (!out.stable || (*out.stable && !definite)) out.form_agrees.reset();
    if (out.stable && (!*out.stable || definite))
      out.form_agrees = *out.stable == (out.form == Form::negative_definite);
    if (out.freedom == 0) out.form_agrees = true;
    if (out.stable && !*out.stable && out.growth_rate == 0) out.attracting = false;
  } else {
    out.freedom = static_cast<unsigned>(reduced.alpha.rows);
    conclude_at_corners(place, reduced, branches, out);
  }
}

bool depends_on_time(const model::Model& model) {
  return std::any_of(model.terms.begin(), model.terms.end(), [](const auto& term) { return term.uses_time; }) ||
         std::any_of(model.groups.begin(), model.groups.end(),
                     [](const auto& group) { return group.rheonomic || group.bend_works; });
}

/// What accelerations are measured by: their own terms, and what a displacement of rounding size would make of them. At the bottom
/// of a valley the terms vanish with the position.
std::vector<double> sizes_at_rest(const model::Model& model, const model::State& rest, const instant::Instant& now,
                                  const linear::Mass& mass, const std::vector<double>& terms) {
  std::vector<std::uint32_t> held;
  std::vector<double> lambda;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    if (!now.is_effective(row) || now.role[row] == Role::leaving) continue;
    held.push_back(row);
    lambda.push_back(now.multipliers[row]);
  }
  const Linearised system = linearise(model, rest, held, lambda);
  double extent = 0;
  for (const double q : rest.position) extent = std::max(extent, std::abs(q));
  if (extent == 0) extent = 1;
  std::vector<double> out(model.variables, 0.0);
  for (std::size_t k = 0; k < model.variables; ++k) {
    std::vector<double> column(model.variables);
    for (std::size_t i = 0; i < model.variables; ++i) column[i] = system.alpha(i, k);
    std::vector<double> change(model.variables);
    mass.solve(column, change);
    for (std::size_t i = 0; i < model.variables; ++i) out[i] += extent * std::abs(change[i]);
  }
  // What the conditions let through: a displacement of one coordinate changes the forces there, and these move all that hang together with it.
  const Matrix basis = reduce(system).basis;
  for (std::size_t c = 0; c < basis.columns; ++c) {
    double along = 0;
    for (std::size_t k = 0; k < model.variables; ++k) {
      for (std::size_t l = 0; l < model.variables; ++l) along += std::abs(basis(k, c) * system.alpha(k, l)) * extent;
    }
    for (std::size_t i = 0; i < model.variables; ++i) out[i] += std::abs(basis(i, c)) * along;
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += i < terms.size() ? terms[i] : 0.0;
  // On corners forces of several sides balance each other, and may vanish at the place itself.
  Dice dice(1736);
  constexpr int sides = 8;
  for (int k = 0; k < sides && model.switches > 0; ++k) {
    std::vector<double> displacement(model.variables);
    std::vector<double> velocity(model.variables);
    for (double& x : displacement) x = dice.throw_one();
    for (double& x : velocity) x = dice.throw_one();
    std::vector<double> change(model.variables);
    mass.solve(forces_at(model, branch_beside(model, rest, displacement, velocity)), change);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (std::isfinite(change[i])) out[i] = std::max(out[i], std::abs(change[i]));
    }
  }
  return out;
}

/// Does the form stay the same, whichever of several admissible multipliers are taken?
bool indifferent(const model::Model& model, const model::State& rest, const std::vector<std::uint32_t>& held,
                 const std::vector<double>& lambda, const Linearised& system) {
  const Matrix alpha = reduce(system).alpha;
  const Matrix null = linear::null_space(linear::transpose(system.rows), no_derived_direction);
  for (std::size_t k = 0; k < null.columns; ++k) {
    std::vector<double> other = lambda;
    double scale = 0;
    for (const double l : lambda) scale = std::max(scale, std::abs(l));
    for (std::size_t j = 0; j < other.size(); ++j) other[j] += (scale > 0 ? scale : 1.0) * null(j, k);
    const Matrix moved = reduce(linearise(model, rest, held, other)).alpha;
    for (std::size_t e = 0; e < alpha.entry.size(); ++e) {
      if (std::abs(moved.entry[e] - alpha.entry[e]) > form_changes * (largest(alpha) + largest(moved))) return false;
    }
  }
  return true;
}

/// Nonholonomic rows that are independent of the holonomic ones and of each other.
unsigned family_of(const model::Model& model, const Linearised& system, const std::vector<std::uint32_t>& held) {
  Matrix holonomic(0, system.rows.columns);
  std::vector<std::size_t> places;
  for (std::size_t j = 0; j < held.size(); ++j) {
    if (model::is_holonomic(model.row_kind[held[j]])) places.push_back(j);
  }
  holonomic = Matrix(places.size(), system.rows.columns);
  for (std::size_t j = 0; j < places.size(); ++j) {
    for (std::size_t i = 0; i < system.rows.columns; ++i) holonomic(j, i) = system.rows(places[j], i);
  }
  return static_cast<unsigned>(linear::rank(system.rows) - linear::rank(holonomic));
}

/// Rest now: and at other times?
bool rests_later(const model::Model& model, const model::State& rest, const instant::Options& options,
                 const std::vector<double>& size) {
  for (const double later : {0.1, 0.37, 1.0, 2.3}) {
    model::State then = rest;
    then.time += later;
    const instant::Instant there = instant::accelerate(model, then, options);
    if (there.status != instant::Status::determined) return false;
    for (std::size_t i = 0; i < model.variables; ++i) {
      if (!(std::abs(there.accelerations[i]) <= later_rest_part * (1 + size[i]))) return false;
    }
  }
  return true;
}

/// Rows that hold a place of rest, with what they press.
struct Holding {
  std::vector<std::uint32_t> rows;
  std::vector<double> lambda;

  void add(std::uint32_t row, double multiplier) {
    rows.push_back(row);
    lambda.push_back(multiplier);
  }
  [[nodiscard]] bool presses(const model::Model& model) const {
    return std::any_of(rows.begin(), rows.end(),
                       [&](std::uint32_t row) { return !model::is_equation(model.row_kind[row]); });
  }
};

}  // namespace

std::string_view words(Form form) {
  switch (form) {
    case Form::negative_definite: return "negative definite";
    case Form::positive_definite: return "positive definite";
    case Form::indefinite: return "indefinite";
    case Form::negative_semidefinite: return "negative semidefinite";
    case Form::positive_semidefinite: return "positive semidefinite";
    case Form::zero: return "zero";
  }
  return "";
}

Stability stability(const model::Model& model, const model::State& state) {
  for (const model::Condition& condition : model.conditions) {
    if (condition.law == model::Law::variational) {
      throw Error(condition.place, fmt::format("`{}` stands under the variational law: at rest its rho would grow "
                                               "without end, and there is no equilibrium to speak of",
                                               condition.name));
    }
  }
  Stability out;

  // From rest at this position: do all accelerations vanish?
  model::State rest = state;
  rest.velocity.assign(model.variables, 0.0);
  instant::Workspace workspace(model);
  instant::Instant now;
  instant::Options options;
  options.shock_done = true;
  instant::accelerate(model, rest, options, workspace, now);
  if (now.status == instant::Status::inadmissible || !workspace.dynamics().mass_positive) {
    out.admissible = false;
    out.why = now.violations.empty()
                  ? "the kinetic energy is not positive for every velocity here"
                  : fmt::format("the position breaks {}", model::row_name(model, now.violations.front().first));
    return out;
  }
  if (now.status == instant::Status::impact) {
    out.why = "a condition moves or asks for a velocity: nothing can rest here";
    return out;
  }
  if (now.status == instant::Status::undecided) {
    out.decided = false;
    out.why = now.expansion;
    return out;
  }
  if (now.status != instant::Status::determined) {
    out.why = now.status == instant::Status::jammed ? "no acceleration satisfies the conditions"
                                                    : "the position is singular: several accelerations are possible";
    return out;
  }
  out.accelerations = now.accelerations;
  if (model.variables > Stability::most_variables) {
    out.decided = false;
    out.why = fmt::format("more than {} variables: their oscillations are not computed", Stability::most_variables);
    return out;
  }
  const std::vector<double> size =
      sizes_at_rest(model, rest, now, workspace.dynamics().mass, workspace.acceleration_terms());
  bool still = true;
  for (std::size_t i = 0; i < model.variables; ++i) {
    still = still && std::abs(now.accelerations[i]) <= rest_part * size[i];
  }
  if (std::any_of(state.velocity.begin(), state.velocity.end(), [](double v) { return v != 0; })) {
    out.why = still ? "the forces balance here, but the state moves" : "the state moves, and the forces do not balance";
    return out;
  }
  if (!still) {
    out.why = "the forces do not balance";
    return out;
  }
  if (depends_on_time(model)) {
    if (!rests_later(model, rest, options, size)) {
      out.why = "the forces balance at this instant only: they, or the conditions, depend on the time";
      return out;
    }
    out.equilibrium = true;
    out.why =
        "forces or conditions depend on the time: small motions about this rest have no constant coefficients, and "
        "their stability is not decided here";
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      if (now.is_effective(row) && now.role[row] != Role::leaving)
        out.multipliers.emplace_back(row, now.multipliers[row]);
    }
    return out;
  }
  out.equilibrium = true;
  if (now.singular) {
    out.why =
        "the position is singular: small motions about it are not linear, and their stability is not decided here";
    return out;
  }

  // The rows that hold it; those that touch without pressing are degenerate.
  Holding held;
  Holding pressing;
  for (std::uint32_t row = 0; row < model.rows(); ++row) {
    const Role role = now.role[row];
    if (role != Role::equation && role != Role::binding && role != Role::marginal) continue;
    held.add(row, now.multipliers[row]);
    out.multipliers.emplace_back(row, now.multipliers[row]);
    if (!model::is_equation(model.row_kind[row]) && now.multipliers[row] == 0) {
      out.degenerate.push_back(row);
    } else {
      pressing.add(row, now.multipliers[row]);
    }
  }
  const Linearised system = linearise(model, rest, held.rows, held.lambda);
  out.zero_modes = family_of(model, system, held.rows);
  decide({model, rest, held.rows, held.lambda, size, held.presses(model)}, out);
  if (!now.multipliers_unique && out.linearised && !out.drifts &&
      !indifferent(model, rest, held.rows, held.lambda, system)) {
    out.stable.reset();
    out.form_agrees.reset();
    out.why = "the multipliers are not unique here, and the form depends on them";
  }
  if (!out.degenerate.empty()) {
    // The same without the rows that do not press: do both say the same?
    Stability open;
    decide({model, rest, pressing.rows, pressing.lambda, size, pressing.presses(model)}, open);
    if (open.stable != out.stable) {
      out.stable.reset();
      out.form_agrees.reset();
      out.why = "conditions that touch without pressing make the difference";
    } else {
      out.first_order = out.first_order || open.first_order;
    }
  }
  return out;
}

}  // namespace zwang::analysis
