/// Redundant rows set aside, combinations of the others expanded, semidefinite ones turned into rows.
#include "zwang/instant/examination.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "zwang/base/chance.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/tolerances.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

std::string combination_words(const model::Model& model, const Subproblem& problem, const Part& part, const Vector& y) {
  std::string text;
  const double most = largest(y);
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (std::abs(y[j]) > negligible * most) {
      const double factor = y[j] / most;
      text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
      if (std::abs(std::abs(factor) - 1) > negligible) text += readable(std::abs(factor)) + " ";
      text += model::row_name(model, problem.row[part.row[j]]);
    }
  }
  return text;
}

/// The space of x that rows of the part (held as equations) and rows of higher order leave.
Affine space_of(const Part& part, const std::vector<std::size_t>& held, const std::vector<Row>& higher) {
  Basis basis;
  Vector right;
  Vector in;
  for (const std::size_t j : held) {
    basis.append(part.unit[j]);
    right.push_back(-part.offset[j]);
  }
  for (const Row& row : higher) {
    if (norm(basis.remainder(row.n, in)) <= nearly_dependent) continue;
    basis.append(row.n);
    right.push_back(-row.c);
  }
  Affine result;
  result.base = basis.least(right, part.n());
  // Orthonormal directions outside of the span, from the axes with the largest remainders.
  std::vector<Vector> free;
  Basis all = basis;
  const std::size_t wanted = part.n() - basis.size();
  std::vector<Vector> rest(part.n());
  for (std::size_t i = 0; i < part.n(); ++i) {
    Vector axis(part.n(), 0.0);
    axis[i] = 1;
    rest[i] = basis.remainder(axis, in);
  }
  while (free.size() < wanted) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < rest.size(); ++i) {
      if (norm(rest[i]) > norm(rest[best])) best = i;
    }
    all.append(rest[best]);
    free.push_back(all.directions().back());
    for (Vector& one : rest) {
      const double share = dot(one, free.back());
      for (std::size_t c = 0; c < one.size(); ++c) one[c] -= share * free.back()[c];
    }
  }
  result.null = linear::Matrix(part.n(), free.size());
  for (std::size_t k = 0; k < free.size(); ++k) std::copy(free[k].begin(), free[k].end(), &result.null(0, k));
  return result;
}

/// What psi = 0 (or <= 0) says about u.
enum class Shape : std::uint8_t {
  nothing,        ///< psi vanishes, or is never positive where only that is asked
  linear,         ///< ordinary equations
  contradiction,  ///< psi is positive everywhere
  unclear,        ///< rounding decides
  curved          ///< a quadric
};

/// Read the form on the scale `sigma` of accelerations; `present_part`: of its terms, what certainly is there. Linear: the
/// equations in u are returned.
Shape read_form(const Form& form, double sigma, bool equation, double present_part, std::vector<Row>& rows) {
  const std::size_t p = form.b.size();
  const double size = form.size_d + 2 * form.size_b * sigma + form.size_q * sigma * sigma;
  const double present = std::abs(form.d) + 2 * norm(form.b) * sigma + norm(form.q.entry) * sigma * sigma;
  if (present <= silent_part * size) return Shape::nothing;
  if (present <= present_part * size) return Shape::unclear;
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(form.q);
  bool positive = false;
  bool negative = false;
  for (const double value : eigen.values) {
    positive = positive || value > negligible * form.size_q;
    negative = negative || value < -negligible * form.size_q;
  }
  if (positive && negative) return Shape::curved;
  const double sign = negative ? -1 : 1;
  Vector along(p, 0.0);  // b in the eigenbasis
  double kernel = 0;
  double least = sign * form.d;
  double terms = form.size_d;
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t k = 0; k < p; ++k) along[i] += sign * eigen.vectors(k, i) * form.b[k];
    const double value = sign * eigen.values[i];
    if (value > negligible * form.size_q) {
      least -= along[i] * along[i] / value;
      terms += along[i] * along[i] / value;
    } else {
      kernel += along[i] * along[i];
    }
  }
  kernel = std::sqrt(kernel);
  if (kernel > negligible * (form.size_b + form.size_q * sigma)) {
    // A plane if there is no square; a paraboloid otherwise.
    if (positive || negative) return Shape::curved;
    if (!equation) return Shape::curved;
    Row row{form.b, form.d / 2};
    const double length = norm(row.n);
    for (double& value : row.n) value /= length;
    row.c /= length;
    rows.push_back(std::move(row));
    return Shape::linear;
  }
  if (!equation && negative) {
    // Never positive, if its greatest value is not.
    if (-least <= negligible * terms) return Shape::nothing;
    return Shape::curved;
  }
  if (std::abs(least) <= negligible * terms) {
    for (std::size_t i = 0; i < p; ++i) {
      const double value = sign * eigen.values[i];
      if (value <= negligible * form.size_q) continue;
      Row row{Vector(p, 0.0), along[i] / value};
      for (std::size_t k = 0; k < p; ++k) row.n[k] = eigen.vectors(k, i);
      rows.push_back(std::move(row));
    }
    return Shape::linear;
  }
  if (least > 0) return least > certain * terms ? Shape::contradiction : Shape::unclear;
  return Shape::curved;
}

/// A row in u as one in x.
Row in_space(const Row& row, const Affine& affine) {
  Row result{Vector(affine.base.size(), 0.0), row.c};
  for (std::size_t k = 0; k < row.n.size(); ++k) {
    for (std::size_t i = 0; i < result.n.size(); ++i) result.n[i] += affine.null(i, k) * row.n[k];
  }
  result.c -= dot(result.n, affine.base);
  return result;
}

/// Sparse elements of the span of `vectors`: for every place one that is 1 there and has few others, by weights that grow
/// where an element is small. Returned as coefficients.
std::vector<Vector> sparse_elements(const std::vector<Vector>& vectors) {
  const std::size_t d = vectors.size();
  const std::size_t r = vectors[0].size();
  std::vector<Vector> result;
  constexpr int rounds = 20;
  for (std::size_t anchor = 0; anchor < r; ++anchor) {
    Vector direction(d);
    for (std::size_t k = 0; k < d; ++k) direction[k] = vectors[k][anchor];
    if (largest(direction) <= nearly_dependent) continue;
    Vector weight(r, 1.0);
    Vector t;
    for (int round = 0; round < rounds; ++round) {
      // Least sum of weight y^2 with y[anchor] = 1.
      linear::Matrix gram(d, d);
      for (std::size_t k = 0; k < d; ++k) {
        for (std::size_t l = 0; l <= k; ++l) {
          double sum = 0;
          for (std::size_t j = 0; j < r; ++j) sum += weight[j] * vectors[k][j] * vectors[l][j];
          gram(k, l) = gram(l, k) = sum;
        }
      }
      t = linear::least_norm(gram, direction);
      const double scale = dot(t, direction);
      if (!(std::abs(scale) > 0)) break;
      for (double& value : t) value /= scale;
      const double small = elementary::pow(0.3, round);
      for (std::size_t j = 0; j < r; ++j) {
        double y = 0;
        for (std::size_t k = 0; k < d; ++k) y += t[k] * vectors[k][j];
        weight[j] = 1 / std::max(std::abs(y), small * nearly_dependent + small * 0.1);
      }
    }
    if (!t.empty() && std::isfinite(norm(t))) result.push_back(std::move(t));
  }
  return result;
}

/// A combination, with z of the third coefficient.
struct Combination {
  Vector y;
  Vector z;
};

Form sum_of(const std::vector<Form>& forms, const Vector& t) {
  Form result = forms[0];
  for (double& value : result.q.entry) value = 0;
  std::fill(result.b.begin(), result.b.end(), 0.0);
  result.d = result.size_q = result.size_b = result.size_d = 0;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    for (std::size_t i = 0; i < result.q.entry.size(); ++i) result.q.entry[i] += t[k] * forms[k].q.entry[i];
    for (std::size_t i = 0; i < result.b.size(); ++i) result.b[i] += t[k] * forms[k].b[i];
    result.d += t[k] * forms[k].d;
    result.size_q += std::abs(t[k]) * forms[k].size_q;
    result.size_b += std::abs(t[k]) * forms[k].size_b;
    result.size_d += std::abs(t[k]) * forms[k].size_d;
  }
  return result;
}

/// z with y^T m = z^T g on the kept rows, `jerk` is y^T m; none if third derivatives of the motion cannot be taken out so.
std::optional<Vector> companion(const Part& part, const Dependence& dependence, const Row& jerk, double size) {
  Vector z(part.r(), 0.0);
  if (norm(jerk.n) <= negligible * size) return z;
  Vector in;
  if (norm(dependence.basis.remainder(jerk.n, in)) > jerk_enters * size) return std::nullopt;
  const Vector c = dependence.basis.express(in);
  for (std::size_t k = 0; k < c.size(); ++k) z[dependence.kept[k]] = c[k] / part.length[dependence.kept[k]];
  return z;
}

/// A dependent row less what it is of the kept ones, in plain rows: y^T J = 0.
Vector circuit(const Part& part, const Dependence& dependence, std::size_t d) {
  Vector y(part.r(), 0.0);
  const auto plain = [&](std::size_t j) { return part.length[j] > 0 ? 1 / part.length[j] : 1.0; };
  y[dependence.dependent[d]] = plain(dependence.dependent[d]);
  for (std::size_t k = 0; k < dependence.kept.size(); ++k) {
    const double c = dependence.coefficients[d][k];
    if (std::abs(c) > dependence_margin * epsilon) y[dependence.kept[k]] -= c * plain(dependence.kept[k]);
  }
  return y;
}

/// Accelerations at hand in a part: free ones and those that the kept rows ask for.
double size_of(const Part& part, const Vector& base) { return std::max(norm(part.x0), norm(base)); }

/// Equations of one part that depend on others: redundant, or rows of higher order.
class Examination {
 public:
  Examination(const model::Model& model, const model::State& state, Workspace::Impl& impl, Level level, double angle,
              Known& known)
      : model_(model), state_(state), impl_(impl), level_(level), angle_(angle), known_(known) {}

  Finding equations() {
    const Part& part = known_.part;
    pin();
    std::vector<std::size_t> which;
    for (std::size_t j = 0; j < part.r(); ++j) {
      if (is_equation(j)) which.push_back(j);
    }
    // Equations that others imply are kept before these: with them the rank is the same all around.
    const auto others = std::stable_partition(which.begin(), which.end(), [&](std::size_t j) { return is_implied(j); });
    const auto implied = static_cast<std::size_t>(others - which.begin());
    const Dependence dependence = split(part, which, implied > 0 ? implied : which.size(), angle_);
    known_.equations = dependence.kept;
    known_.basis = dependence.basis;
    known_.orthogonal = dependence.basis.least_remainder() < weak_remainder;
    if (dependence.dependent.empty()) return {};

    // Rows that depend on the kept ones all around say nothing new, at any order.
    const std::vector<std::uint8_t> redundant = all_around(model_, state_, impl_, part, dependence);
    std::vector<std::size_t> singular;
    for (std::size_t d = 0; d < dependence.dependent.size(); ++d) {
      known_.left_out[dependence.dependent[d]] = 1;
      if (redundant[d] == 0) singular.push_back(d);
    }
    if (singular.empty()) return {};
    expand();

    // Second derivatives of the combinations: contradictory if not zero.
    Affine space = space_of(part, known_.equations, {});
    const double sigma = scale(space);
    std::vector<Combination> combinations;
    for (const std::size_t d : singular) {
      Vector y = circuit(part, dependence, d);
      Proof proof = proof_of(part, y, sigma, angle_);
      if (proof == Proof::negative) {
        for (double& value : y) value = -value;
        proof = proof_of(part, y, sigma, angle_);
      }
      if (proof == Proof::positive) return Finding{Verdict::jammed, 2, std::move(y), {}};
      if (proof == Proof::unclear) {
        return Finding{Verdict::undecided, 2, y,
                       "rounding decides whether the conditions contradict each other in " + words(y)};
      }
      combinations.push_back(Combination{std::move(y), {}});
    }

    // Third coefficients: linear in a. Those combinations of the combinations that contain a are rows.
    const Finding third = third_order(dependence, space, combinations);
    if (third.verdict != Verdict::ordinary || combinations.empty()) return third;
    space = space_of(part, known_.equations, known_.higher);
    return fourth_order(space, combinations);
  }

  /// One-sided combinations of the inequalities at `tight` (f'' = 0 in the solution found).
  Finding inequalities(const std::vector<std::size_t>& tight, const Vector& a, bool& changed) {
    const Part& part = known_.part;
    changed = false;
    if (level_ == Level::velocities) return {};
    // Whatever combinations there are, they ask nothing where all of them bend away.
    if (bends_away(tight)) return {};
    std::vector<std::size_t> which = known_.equations;
    which.insert(which.end(), tight.begin(), tight.end());
    const std::size_t first = known_.equations.size();
    const Dependence dependence = split(part, which, first, angle_);
    if (dependence.dependent.empty()) return {};
    const std::vector<std::uint8_t> redundant = all_around(model_, state_, impl_, part, dependence);
    if (std::all_of(redundant.begin(), redundant.end(), [](std::uint8_t one) { return one != 0; })) return {};

    // Those that stand in some combination with y >= 0: they hold with equality whatever the forces.
    MultiplierQuestion question;
    question.problem = &impl_.problem;
    for (std::size_t i = 0; i < which.size(); ++i) {
      question.rows.push_back(part.row[which[i]]);
      question.nonnegative.push_back(i < first ? 0 : 1);
      question.lambda.push_back(0);
    }
    const std::vector<std::uint8_t> in_some = one_sided_support(question);
    std::vector<std::size_t> held;
    for (std::size_t i = first; i < which.size(); ++i) {
      if (in_some[i] != 0) held.push_back(which[i]);
    }
    if (held.empty() || bends_away(held)) return {};
    expand();
    std::vector<std::size_t> all = known_.equations;
    all.insert(all.end(), held.begin(), held.end());
    const Dependence among = split(part, all, first, angle_);
    const Affine space = space_of(part, among.kept, known_.higher);
    if (moves_freely(held, space)) return {};
    if (held.size() > most_inequalities) {
      known_.unexamined = true;
      return {};
    }
    return one_sided(held, space, a, changed);
  }

 private:
  void expand() {
    if (known_.expansion == nullptr) {
      known_.expansion = std::make_shared<Expansion>(model_, state_, impl_.problem, known_.part, level_);
    }
  }

  [[nodiscard]] bool is_equation(std::size_t j) const {
    return impl_.problem.kind[known_.part.row[j]] == gauss::RowKind::equation || known_.pinned[j] != 0;
  }

  [[nodiscard]] bool is_implied(std::size_t j) const {
    return model_.conditions[model_.row_condition[impl_.problem.row[known_.part.row[j]]]].implied;
  }

  /// Inequalities in opposite pairs, f <= 0 and -f <= 0 all around, are equations said in two halves.
  void pin() {
    if (level_ == Level::velocities) return;
    const Part& part = known_.part;
    std::vector<std::size_t> open;
    for (std::size_t j = 0; j < part.r(); ++j) {
      if (impl_.problem.kind[part.row[j]] == gauss::RowKind::inequality && part.length[j] > 0) open.push_back(j);
    }
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (known_.left_out[open[i]] != 0) continue;
      for (std::size_t k = i + 1; k < open.size(); ++k) {
        if (known_.left_out[open[k]] != 0 || known_.pinned[open[k]] != 0) continue;
        // Opposite in direction and in second derivative, each within the uncertainty of both.
        if (!(dot(part.unit[open[i]], part.unit[open[k]]) < -1 + nearly_dependent)) continue;
        const Dependence pair = split(part, {open[i], open[k]}, 2, angle_);
        if (pair.dependent.empty()) continue;
        if (proof_of(part, circuit(part, pair, 0), norm(part.x0), angle_) != Proof::zero) continue;
        if (all_around(model_, state_, impl_, part, pair)[0] == 0) continue;
        known_.pinned[pair.kept[0]] = 1;
        known_.left_out[pair.dependent[0]] = 1;
        known_.opposite[pair.kept[0]] = pair.dependent[0];
        if (pair.kept[0] != open[i]) break;
      }
    }
  }

  /// Coefficients of combinations are as uncertain as the rows are near to dependence.
  [[nodiscard]] double present_part() const {
    return std::max(negligible, silent_part / known_.basis.least_remainder());
  }

  double scale(const Affine& space) const {
    const double size = size_of(known_.part, space.base);
    return size > 0 ? size : 1;
  }

  std::string words(const Vector& y) const { return combination_words(model_, impl_.problem, known_.part, y); }

  Finding jerk_finding(const Vector& y) const {
    return Finding{Verdict::undecided, 4, y,
                   "what the fourth derivative of " + words(y) + " says of accelerations depends on third derivatives"};
  }

  /// Split the combinations by what their third coefficients say on the space; those without a are left in the list.
  Finding third_order(const Dependence& dependence, const Affine& space, std::vector<Combination>& combinations) {
    const Part& part = known_.part;
    const std::size_t p = space.null.columns;
    std::vector<Row> rows;
    std::vector<Row> jerks;
    linear::Matrix inside(combinations.size(), p);
    for (std::size_t k = 0; k < combinations.size(); ++k) {
      double size_n = 0;
      double size_c = 0;
      Row row = known_.expansion->third(combinations[k].y, size_n, size_c);
      for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t c = 0; c < part.n(); ++c) inside(k, i) += space.null(c, i) * row.n[c];
        inside(k, i) /= size_n > 0 ? size_n : 1;
      }
      const double weight = size_n > 0 ? size_n : 1;
      double size_m = 0;
      jerks.push_back(known_.expansion->jerk(combinations[k].y, size_m));
      for (double& value : jerks.back().n) value /= weight;
      for (double& value : combinations[k].y) value /= weight;
      for (double& value : row.n) value /= weight;
      row.c /= weight;
      rows.push_back(std::move(row));
    }
    // Left null space of `inside`: combinations without a; its complement: rows.
    const linear::Matrix squares = linear::product(inside, linear::transpose(inside));
    const linear::SymmetricEigen eigen = linear::symmetric_eigen(squares);
    std::vector<Combination> silent;
    for (std::size_t e = 0; e < combinations.size(); ++e) {
      Vector y(part.r(), 0.0);
      for (std::size_t k = 0; k < combinations.size(); ++k) {
        for (std::size_t j = 0; j < part.r(); ++j) y[j] += eigen.vectors(k, e) * combinations[k].y[j];
      }
      double size_n = 0;
      double size_c = 0;
      Row row = known_.expansion->third(y, size_n, size_c);
      if (eigen.values[e] > negligible) {
        const double length = norm(row.n);
        for (double& value : row.n) value /= length;
        row.c /= length;
        known_.higher.push_back(std::move(row));
        continue;
      }
      // What stands there without a must vanish.
      const double rest = row.c + dot(row.n, space.base);
      const double terms = size_c + size_n * scale(space);
      if (std::abs(rest) > certain * terms) {
        if (rest < 0) {
          for (double& value : y) value = -value;
        }
        return Finding{Verdict::jammed, 3, std::move(y), {}};
      }
      if (std::abs(rest) > std::max(negligible, angle_) * terms) {
        return Finding{Verdict::undecided, 3, y,
                       "rounding decides whether the third derivative of " + words(y) + " vanishes"};
      }
      double size_m = 0;
      const Row jerk = known_.expansion->jerk(y, size_m);
      std::optional<Vector> z = companion(part, dependence, jerk, size_m);
      if (!z) return jerk_finding(y);
      silent.push_back(Combination{std::move(y), std::move(*z)});
    }
    // Without velocity nothing mixed them: the single circuits are sparser.
    if (silent.size() == combinations.size() && largest(inside.entry) <= negligible) {
      for (std::size_t k = 0; k < combinations.size(); ++k) {
        std::optional<Vector> z = companion(part, dependence, jerks[k], 2);
        if (!z) return jerk_finding(combinations[k].y);
        combinations[k].z = std::move(*z);
      }
      return {};
    }
    combinations = std::move(silent);
    return {};
  }

  /// Fourth coefficients: semidefinite ones become rows, one by one, until nothing or one quadric is left.
  Finding fourth_order(Affine space, std::vector<Combination> combinations) {
    const Part& part = known_.part;
    bool reduced = false;
    while (true) {
      const double sigma = scale(space);
      std::vector<Form> forms;
      std::vector<Combination> alive;
      std::vector<Combination> silent;
      for (Combination& combination : combinations) {
        Form form = known_.expansion->fourth(combination.y, combination.z, space);
        std::vector<Row> rows;
        const bool speaks = read_form(form, sigma, true, present_part(), rows) != Shape::nothing;
        (speaks ? alive : silent).push_back(combination);
        if (speaks) forms.push_back(std::move(form));
      }
      if (level_ == Level::accelerations && !reduced && !silent.empty() && alive.empty()) {
        // No part of second degree, yet not redundant: a motion in a few directions shows that nothing is lost.
        for (int trial = 1; trial <= 3; ++trial) {
          Vector u(space.null.columns, 0.0);
          for (std::size_t i = 0; i < u.size(); ++i) {
            u[i] = chance(static_cast<std::uint64_t>(trial) * u.size() + i) * sigma;
          }
          std::vector<std::size_t> all;
          for (std::size_t j = 0; j < part.r(); ++j) {
            if (is_equation(j)) all.push_back(j);
          }
          if (!realised(model_, state_, impl_, part, all, space.point(u))) {
            return Finding{Verdict::undecided, 5, silent[0].y,
                           "the lowest part of " + words(silent[0].y) +
                               " that contains accelerations is of third degree or higher"};
          }
        }
      }
      if (alive.empty()) return {};

      // Semidefinite by itself, or some sparse combination of them.
      std::vector<Row> rows;
      Vector chosen;
      const auto attempt = [&](const Vector& t) {
        std::vector<Row> own;
        const Form form = sum_of(forms, t);
        const Shape shape = read_form(form, sigma, true, present_part(), own);
        // Of velocities only what holds them by a square; a contradiction is one of accelerations.
        if (level_ == Level::velocities && (shape != Shape::linear || norm(form.q.entry) <= negligible * form.size_q)) {
          return false;
        }
        if (shape == Shape::linear || shape == Shape::contradiction || shape == Shape::unclear) {
          chosen = t;
          last_ = shape;
          rows = std::move(own);
          return true;
        }
        return false;
      };
      bool found = false;
      for (std::size_t k = 0; k < forms.size() && !(found && last_ == Shape::linear); ++k) {
        Vector t(forms.size(), 0.0);
        t[k] = 1;
        found = attempt(t) || found;
      }
      if ((!found || last_ != Shape::linear) && forms.size() > 1) {
        std::vector<Vector> weighed;
        for (const Combination& combination : alive) {
          Vector y = combination.y;
          for (std::size_t j = 0; j < y.size(); ++j) y[j] *= part.length[j] > 0 ? part.length[j] : 1;
          weighed.push_back(std::move(y));
        }
        for (const Vector& t : sparse_elements(weighed)) {
          found = attempt(t) || found;
          if (found && last_ == Shape::linear) break;
        }
      }
      if (!found) return level_ == Level::accelerations ? quadric(space, alive, forms) : Finding{};
      Vector y(part.r(), 0.0);
      for (std::size_t k = 0; k < alive.size(); ++k) {
        for (std::size_t j = 0; j < part.r(); ++j) y[j] += chosen[k] * alive[k].y[j];
      }
      if (last_ == Shape::contradiction) return Finding{Verdict::jammed, 4, std::move(y), {}};
      if (last_ == Shape::unclear) {
        return Finding{Verdict::undecided, 4, y,
                       "rounding decides whether the fourth derivative of " + words(y) + " can vanish"};
      }
      for (const Row& row : rows) known_.higher.push_back(in_space(row, space));
      space = space_of(part, known_.equations, known_.higher);
      combinations = std::move(alive);
      reduced = true;
    }
  }

  /// One quadric is left, or several that decide only together.
  Finding quadric(const Affine& space, const std::vector<Combination>& alive, const std::vector<Form>& forms) {
    const double sigma = scale(space);
    const std::size_t p = space.null.columns;
    linear::Matrix stacked(forms.size(), 1 + p + p * p);
    for (std::size_t k = 0; k < forms.size(); ++k) {
      Vector flat{forms[k].d};
      for (const double value : forms[k].b) flat.push_back(value * sigma);
      for (const double value : forms[k].q.entry) flat.push_back(value * sigma * sigma);
      const double length = norm(flat);
      for (std::size_t c = 0; c < flat.size(); ++c) stacked(k, c) = flat[c] / length;
    }
    if (forms.size() > 1 && linear::rank(stacked, same_answer) > 1) {
      std::string text = "several combinations of conditions have a vanishing gradient and decide only together: ";
      for (std::size_t k = 0; k < alive.size(); ++k) text += (k > 0 ? "; " : "") + words(alive[k].y);
      return Finding{Verdict::undecided, 4, alive[0].y, std::move(text)};
    }
    known_.curved.push_back(Curved{forms[0], space, true, words(alive[0].y)});
    return {};
  }

  /// At rest: a row whose Hessian is nowhere positive lets every motion along the kernel open it, so that no sum of such
  /// rows holds anything.
  bool moves_freely(const std::vector<std::size_t>& held, const Affine& space) const {
    const Part& part = known_.part;
    for (std::size_t i = 0; i < part.n(); ++i) {
      if (state_.velocity[part.variable[i]] != 0) return false;
    }
    double size = 0;
    for (const std::size_t j : held) {
      if (known_.expansion->steepest(j, space, size) > negligible * size) return false;
    }
    for (const std::size_t j : known_.equations) {
      static_cast<void>(known_.expansion->steepest(j, space, size));
      if (size > 0) return false;
    }
    return true;
  }

  /// Is every combination of these inequalities and the equations one that bends away?
  bool bends_away(const std::vector<std::size_t>& held) const {
    Vector y(impl_.problem.size(), 0.0);
    for (const std::size_t j : held) y[known_.part.row[j]] = known_.pinned[j] != 0 ? -1 : 1;
    for (const std::size_t j : known_.equations) y[known_.part.row[j]] = -1;
    return nowhere_positive(model_, impl_.problem, y);
  }

  /// The support-minimal combinations y >= 0 on inequalities, one by one.
  Finding one_sided(const std::vector<std::size_t>& held, const Affine& space, const Vector& a, bool& changed) {
    const Part& part = known_.part;
    Vector size(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) size[i] = std::abs(a[i]) + std::abs(impl_.problem.a0[i]);
    const std::uint32_t subsets = 1U << held.size();
    std::vector<std::uint32_t> order(subsets);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [](std::uint32_t one, std::uint32_t other) {
      return __builtin_popcount(one) < __builtin_popcount(other);
    });
    std::vector<std::uint32_t> supports;
    for (const std::uint32_t subset : order) {
      const bool contains = std::any_of(supports.begin(), supports.end(),
                                        [&](std::uint32_t support) { return (subset & support) == support; });
      if (subset == 0 || contains) continue;
      std::vector<std::size_t> which = known_.equations;
      for (std::size_t i = 0; i < held.size(); ++i) {
        if ((subset >> i & 1U) != 0) which.push_back(held[i]);
      }
      const Dependence dependence = split(part, which, known_.equations.size(), angle_);
      if (dependence.dependent.empty()) continue;
      supports.push_back(subset);
      Vector y = circuit(part, dependence, 0);
      bool positive = true;
      bool negative = true;
      for (const std::size_t i : held) {
        positive = positive && y[i] >= 0;
        negative = negative && y[i] <= 0;
      }
      if (!positive && !negative) continue;
      if (negative) {
        for (double& value : y) value = -value;
      }
      // Where the second derivatives of such a combination are open, not all of its rows can be tight: it asks nothing more.
      Vector of_problem(impl_.problem.size(), 0.0);
      for (std::size_t j = 0; j < part.r(); ++j) of_problem[part.row[j]] = y[j];
      if (opens_as_it_stands(impl_, of_problem, size)) continue;
      if (all_around(model_, state_, impl_, part, dependence)[0] != 0) continue;
      const Finding finding = one_combination(dependence, y, space, changed);
      if (finding.verdict != Verdict::ordinary) return finding;
    }
    return {};
  }

  Finding one_combination(const Dependence& dependence, const Vector& y, const Affine& space, bool& changed) {
    const Part& part = known_.part;
    double size_n = 0;
    double size_c = 0;
    Row row = known_.expansion->third(y, size_n, size_c);
    Vector inside(space.null.columns, 0.0);
    for (std::size_t k = 0; k < inside.size(); ++k) {
      for (std::size_t c = 0; c < part.n(); ++c) inside[k] += space.null(c, k) * row.n[c];
    }
    if (size_n > 0 && norm(inside) > negligible * size_n) {
      const double length = norm(row.n);
      for (double& value : row.n) value /= length;
      row.c /= length;
      known_.higher_inequalities.push_back(std::move(row));
      changed = true;
      return {};
    }
    const double rest = row.c + dot(row.n, space.base);
    const double terms = size_c + size_n * scale(space);
    if (rest > certain * terms) return Finding{Verdict::jammed, 3, y, {}};
    if (rest < -negligible * terms) return {};
    if (rest > negligible * terms) {
      return Finding{Verdict::undecided, 3, y, "rounding decides the sign of the third derivative of " + words(y)};
    }
    double size_m = 0;
    const Row jerk = known_.expansion->jerk(y, size_m);
    const std::optional<Vector> z = companion(part, dependence, jerk, size_m);
    if (!z) return jerk_finding(y);
    const Form form = known_.expansion->fourth(y, *z, space);
    std::vector<Row> rows;
    switch (read_form(form, scale(space), false, present_part(), rows)) {
      case Shape::nothing: return {};
      case Shape::linear:
        for (const Row& one : rows) known_.higher.push_back(in_space(one, space));
        changed = true;
        return {};
      case Shape::contradiction: return Finding{Verdict::jammed, 4, y, {}};
      case Shape::unclear:
        return Finding{Verdict::undecided, 4, y, "rounding decides the sign of the fourth derivative of " + words(y)};
      case Shape::curved: break;
    }
    if (!known_.curved.empty()) {
      return Finding{Verdict::undecided, 4, y,
                     "several combinations of conditions have a vanishing gradient and decide only together: " +
                         known_.curved[0].words + "; " + words(y)};
    }
    known_.curved.push_back(Curved{form, space, false, words(y)});
    changed = true;
    return {};
  }

  const model::Model& model_;
  const model::State& state_;
  Workspace::Impl& impl_;
  Level level_;
  double angle_;
  Known& known_;
  Shape last_ = Shape::nothing;
};

}  // namespace

Proof proof_of(const Part& part, const std::vector<double>& y, double at_hand, double angle) {
  Vector left(part.n(), 0.0);
  double gap = 0;
  double uncertain = 0;
  double weights = 0;
  double sigma = at_hand;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (y[j] != 0) sigma = std::max(sigma, std::abs(part.offset[j]));
  }
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (y[j] == 0) continue;
    const double weight = y[j] * (part.length[j] > 0 ? part.length[j] : 1);
    gap += weight * part.offset[j];
    weights += std::abs(weight);
    uncertain += std::abs(weight) * (part.uncertain_offset[j] + part.uncertain[j] * sigma);
    for (std::size_t c = 0; c < part.n(); ++c) left[c] += weight * part.unit[j][c];
  }
  if (std::abs(gap) <= farkas_margin * uncertain + angle * sigma * weights) return Proof::zero;
  if (gap < 0) return Proof::negative;
  return gap > absurd_acceleration * sigma * norm(left) ? Proof::positive : Proof::unclear;
}

Finding examine_equations(const model::Model& model, const model::State& state, Workspace::Impl& impl, Level level,
                          double angle, Known& known) {
  return Examination(model, state, impl, level, angle, known).equations();
}

Finding examine_inequalities(const model::Model& model, const model::State& state, Workspace::Impl& impl, Level level,
                             double angle, Known& known, const std::vector<std::size_t>& tight,
                             const std::vector<double>& a, bool& changed) {
  return Examination(model, state, impl, level, angle, known).inequalities(tight, a, changed);
}

}  // namespace zwang::instant
