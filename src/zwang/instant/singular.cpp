/// Dependent rows understood, rows of higher order found, and the nearest point under all of them.
#include "zwang/instant/singular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/expansion.hpp"
#include "zwang/instant/quadric.hpp"
#include "zwang/instant/tolerances.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& x, const Vector& y) { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); }
double norm(const Vector& x) { return std::sqrt(dot(x, x)); }
double norm(const linear::Matrix& x) { return norm(x.entry); }
double largest(const Vector& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// How the examination of one part ended.
enum class Verdict : std::uint8_t { ordinary, jammed, undecided };

/// A contradiction or a question left open, with what is to be said about it.
struct Finding {
  Verdict verdict = Verdict::ordinary;
  unsigned derivative = 2;
  Vector y;  ///< per row of the part
  std::string words;
};

/// A quadric that is left in a part.
struct Curved {
  Form form;
  Affine affine;
  bool equation = true;
  std::string words;
};

/// What is known of a part.
struct Known {
  Part part;
  bool small = false;                    ///< within the sizes that are examined
  bool unexamined = false;               ///< one-sided combinations were too many to look at
  std::vector<std::uint8_t> left_out;    ///< per row of the part
  std::vector<std::uint8_t> pinned;      ///< per row of the part: an inequality that another one makes an equation
  std::vector<std::size_t> opposite;     ///< per row of the part, where pinned: the other half
  std::vector<std::size_t> equations;    ///< kept ones
  Basis basis;                           ///< of these
  bool orthogonal = false;               ///< they are handed on made orthogonal
  std::vector<Row> higher;               ///< equations of third and fourth order
  std::vector<Row> higher_inequalities;  ///< of third order, one-sided
  std::vector<Curved> curved;            ///< at most one
};

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
  const double present = std::abs(form.d) + 2 * norm(form.b) * sigma + norm(form.q) * sigma * sigma;
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
      const double small = std::pow(0.3, round);
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

/// z with y^T g[1] = z^T g on the kept rows; `third` is y^T g[1] / 2.
Vector companion(const Part& part, const Dependence& dependence, const Row& third, double size) {
  Vector z(part.r(), 0.0);
  if (norm(third.n) <= negligible * size) return z;
  Vector in;
  static_cast<void>(dependence.basis.remainder(third.n, in));
  const Vector c = dependence.basis.express(in);
  for (std::size_t k = 0; k < c.size(); ++k) {
    z[dependence.kept[k]] = 2 * c[k] / part.length[dependence.kept[k]];
  }
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

/// What y (per row of the part) says about y^T J a + y.h = 0 or <= 0.
enum class Proof : std::uint8_t {
  zero,      ///< y.h vanishes within the uncertainty of the rows
  positive,  ///< y.h is positive beyond it, and y^T J vanishes: no acceleration satisfies the rows
  negative,  ///< y.h is negative beyond it
  unclear    ///< y.h is not zero, but neither is y^T J: large accelerations might do
};

Proof proof_of(const Part& part, const Vector& y, double at_hand, double angle) {
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
    const Dependence dependence = split(part, which, which.size(), angle_);
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
    if (!expansion_.has_value()) expansion_.emplace(model_, state_, impl_.problem, part, level_);

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
  Finding inequalities(const std::vector<std::size_t>& tight, bool& changed) {
    const Part& part = known_.part;
    changed = false;
    if (level_ == Level::velocities) return {};
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
    if (held.empty()) return {};
    if (!expansion_.has_value()) expansion_.emplace(model_, state_, impl_.problem, part, level_);
    std::vector<std::size_t> all = known_.equations;
    all.insert(all.end(), held.begin(), held.end());
    const Dependence among = split(part, all, first, angle_);
    const Affine space = space_of(part, among.kept, known_.higher);
    if (moves_freely(held, space)) return {};
    if (held.size() > most_inequalities) {
      known_.unexamined = true;
      return {};
    }
    return one_sided(held, space, changed);
  }

 private:
  [[nodiscard]] bool is_equation(std::size_t j) const {
    return impl_.problem.kind[known_.part.row[j]] == gauss::RowKind::equation || known_.pinned[j] != 0;
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

  /// Split the combinations by what their third coefficients say on the space; those without a are left in the list.
  Finding third_order(const Dependence& dependence, const Affine& space, std::vector<Combination>& combinations) {
    const Part& part = known_.part;
    const std::size_t p = space.null.columns;
    std::vector<Row> rows;
    std::vector<double> sizes;
    linear::Matrix inside(combinations.size(), p);
    for (std::size_t k = 0; k < combinations.size(); ++k) {
      double size_n = 0;
      double size_c = 0;
      Row row = expansion_->third(combinations[k].y, size_n, size_c);
      for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t c = 0; c < part.n(); ++c) inside(k, i) += space.null(c, i) * row.n[c];
        inside(k, i) /= size_n > 0 ? size_n : 1;
      }
      const double weight = size_n > 0 ? size_n : 1;
      sizes.push_back(weight);
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
      Row row = expansion_->third(y, size_n, size_c);
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
      Vector z = companion(part, dependence, row, size_n);
      silent.push_back(Combination{std::move(y), std::move(z)});
    }
    // Without velocity nothing mixed them: the single circuits are sparser.
    if (silent.size() == combinations.size() && largest(inside.entry) <= negligible) {
      for (std::size_t k = 0; k < combinations.size(); ++k) {
        combinations[k].z = companion(part, dependence, rows[k], 1);
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
        Form form = expansion_->fourth(combination.y, combination.z, space);
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
            u[i] = std::cos(1.7 * trial + 2.3 * static_cast<double>(i) + 0.4) * sigma;
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
        if (level_ == Level::velocities && (shape != Shape::linear || norm(form.q) <= negligible * form.size_q)) {
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
      if (expansion_->steepest(j, space, size) > negligible * size) return false;
    }
    for (const std::size_t j : known_.equations) {
      static_cast<void>(expansion_->steepest(j, space, size));
      if (size > 0) return false;
    }
    return true;
  }

  /// The support-minimal combinations y >= 0 on inequalities, one by one.
  Finding one_sided(const std::vector<std::size_t>& held, const Affine& space, bool& changed) {
    const Part& part = known_.part;
    const std::uint32_t subsets = 1U << held.size();
    std::vector<std::uint32_t> order(subsets);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [](std::uint32_t a, std::uint32_t b) { return __builtin_popcount(a) < __builtin_popcount(b); });
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
    Row row = expansion_->third(y, size_n, size_c);
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
    const Form form = expansion_->fourth(y, companion(part, dependence, row, size_n), space);
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
  std::optional<Expansion> expansion_;
  Shape last_ = Shape::nothing;
};

/// A point of a part with its constraint.
struct Candidate {
  Vector x;
  double z = 0;
  bool continuum = false;
};

bool satisfies(const std::vector<Row>& inequalities, const Vector& x) {
  return std::none_of(inequalities.begin(), inequalities.end(), [&](const Row& row) {
    const double scale = std::abs(row.c) + norm(row.n) * norm(x);
    return dot(row.n, x) + row.c > kept_part * scale;
  });
}

/// The points with n.u + c = 0 on all rows, or nothing.
std::optional<Affine> face_of(const std::vector<Row>& rows, std::size_t n) {
  Affine result;
  linear::Matrix a(rows.size(), n);
  Vector right(rows.size(), 0.0);
  double offsets = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double length = norm(rows[i].n) > 0 ? norm(rows[i].n) : 1;
    for (std::size_t c = 0; c < n; ++c) a(i, c) = rows[i].n[c] / length;
    right[i] = -rows[i].c / length;
    offsets += std::abs(right[i]);
  }
  double residual = 0;
  result.base = linear::least_norm(a, right, &residual);
  if (residual > negligible * offsets) return std::nullopt;
  result.null = linear::null_space(a);
  return result;
}

/// Nearest points to x0 on the quadric and on every face of the inequalities.
std::vector<Candidate> on_faces(const Part& part, const Curved& curved, const std::vector<Row>& inequalities) {
  std::vector<Candidate> result;
  const Form& form = curved.form;
  const Affine& affine = curved.affine;
  const std::size_t p = form.b.size();
  const Vector u0 = affine.coordinates(part.x0);
  std::vector<Row> inside;
  for (const Row& row : inequalities) {
    Row one{Vector(p, 0.0), row.c + dot(row.n, affine.base)};
    for (std::size_t k = 0; k < p; ++k) {
      for (std::size_t c = 0; c < part.n(); ++c) one.n[k] += affine.null(c, k) * row.n[c];
    }
    inside.push_back(std::move(one));
  }
  const std::uint32_t subsets = 1U << inequalities.size();
  for (std::uint32_t subset = 0; subset < subsets; ++subset) {
    std::vector<Row> face;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if ((subset >> i & 1U) != 0) face.push_back(inside[i]);
    }
    const std::optional<Affine> inner = face_of(face, p);
    if (!inner.has_value()) continue;
    // The quadric and the target on that face.
    const std::size_t m = inner->null.columns;
    Quadric q;
    q.q = linear::product(linear::transpose(inner->null), linear::product(form.q, inner->null));
    q.b.assign(m, 0.0);
    q.d = form.d;
    double terms = std::abs(form.d);
    Vector slope = form.b;
    for (std::size_t i = 0; i < p; ++i) {
      q.d += 2 * form.b[i] * inner->base[i];
      terms += 2 * std::abs(form.b[i] * inner->base[i]);
      for (std::size_t j = 0; j < p; ++j) {
        slope[i] += form.q(i, j) * inner->base[j];
        q.d += inner->base[i] * form.q(i, j) * inner->base[j];
        terms += std::abs(inner->base[i] * form.q(i, j) * inner->base[j]);
      }
    }
    Vector target(m, 0.0);
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t i = 0; i < p; ++i) {
        q.b[k] += inner->null(i, k) * slope[i];
        target[k] += inner->null(i, k) * (u0[i] - inner->base[i]);
      }
    }
    std::vector<QuadricPoint> points;
    if (m > 0) {
      points = stationary_points(q, target);
    } else if (std::abs(q.d) <= negligible * terms) {
      points.push_back(QuadricPoint{{}, 0, false});
    }
    for (const QuadricPoint& point : points) {
      Candidate candidate;
      candidate.x = affine.point(inner->point(point.u));
      if (!satisfies(inequalities, candidate.x)) continue;
      candidate.continuum = point.continuum;
      result.push_back(std::move(candidate));
    }
  }
  return result;
}

/// A whitened row over the variables: n.x = n.(L^T a), the plain row is L n.
void append_whitened(const Part& part, const Vector& n, std::vector<std::uint32_t>& column, Vector& entry) {
  for (std::size_t i = 0; i < part.n(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k <= i; ++k) sum += part.lower(i, k) * n[k];
    if (sum == 0) continue;
    column.push_back(part.variable[i]);
    entry.push_back(sum);
  }
}

/// Multipliers of the rows handed on as those of the rows of the problem.
Vector of_problem(const Subproblem& problem, const std::vector<Known>& parts, const std::vector<std::uint32_t>& place,
                  const Vector& values) {
  Vector result(problem.size(), 0.0);
  for (std::size_t i = 0; i < place.size(); ++i) result[place[i]] = values[i];
  for (const Known& known : parts) {
    if (!known.orthogonal) continue;
    Vector along;
    for (const std::size_t j : known.equations) along.push_back(result[known.part.row[j]]);
    along = known.basis.express(along);
    for (std::size_t k = 0; k < along.size(); ++k) {
      const std::size_t j = known.equations[k];
      result[known.part.row[j]] = along[k] / known.part.length[j];
    }
  }
  return result;
}

/// The rows that are left, those of higher order behind them.
void assemble(const Subproblem& problem, const std::vector<Known>& parts, const std::vector<std::uint8_t>& left_out,
              const std::vector<std::uint8_t>& pinned, Subproblem& reduced, std::vector<std::uint32_t>& place,
              Dependents& dependents) {
  reduced.clear();
  reduced.a0 = problem.a0;
  place.clear();
  const auto close = [&](double h, gauss::RowKind kind) {
    reduced.start.push_back(static_cast<std::uint32_t>(reduced.entry.size()));
    reduced.h.push_back(h);
    reduced.kind.push_back(kind);
    reduced.row.push_back(0);
  };
  // Equations of a part that are nearly dependent, made orthogonal: direction k in the place of the k-th row kept.
  std::vector<std::pair<const Known*, std::size_t>> instead(problem.size(), {nullptr, 0});
  std::vector<Vector> offsets;
  for (const Known& known : parts) {
    if (!known.orthogonal) continue;
    Vector right;
    for (const std::size_t j : known.equations) right.push_back(known.part.offset[j]);
    offsets.push_back(known.basis.offsets(right));
    for (std::size_t k = 0; k < known.equations.size(); ++k) {
      instead[known.part.row[known.equations[k]]] = {&known, k};
    }
  }
  const auto offset_of = [&](const Known* known, std::size_t k) {
    std::size_t number = 0;
    for (const Known& other : parts) {
      if (&other == known) break;
      number += other.orthogonal ? 1 : 0;
    }
    return offsets[number][k];
  };
  for (std::uint32_t j = 0; j < problem.size(); ++j) {
    if (left_out[j] != 0) continue;
    if (const auto& [known, k] = instead[j]; known != nullptr) {
      append_whitened(known->part, known->basis.directions()[k], reduced.column, reduced.entry);
      close(offset_of(known, k), gauss::RowKind::equation);
      place.push_back(j);
      continue;
    }
    reduced.column.insert(reduced.column.end(), problem.column.begin() + problem.start[j],
                          problem.column.begin() + problem.start[j + 1]);
    reduced.entry.insert(reduced.entry.end(), problem.entry.begin() + problem.start[j],
                         problem.entry.begin() + problem.start[j + 1]);
    close(problem.h[j], pinned[j] != 0 ? gauss::RowKind::equation : problem.kind[j]);
    place.push_back(j);
  }
  dependents.higher.clear();
  for (const Known& known : parts) {
    const auto add = [&](const Row& row, bool equation) {
      HigherRow plain;
      plain.offset = row.c;
      plain.equation = equation;
      append_whitened(known.part, row.n, plain.column, plain.entry);
      reduced.column.insert(reduced.column.end(), plain.column.begin(), plain.column.end());
      reduced.entry.insert(reduced.entry.end(), plain.entry.begin(), plain.entry.end());
      close(row.c, equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
      dependents.higher.push_back(std::move(plain));
    };
    for (const Row& row : known.higher) add(row, true);
    for (const Row& row : known.higher_inequalities) add(row, false);
  }
}

/// Farkas's y of a part, in the rows of the model: what a pinned inequality would carry with the wrong sign its other half
/// does.
void tell_proof(const Subproblem& problem, const Known& known, const Vector& y, Instant& instant) {
  const Part& part = known.part;
  Vector told = y;
  for (std::size_t j = 0; j < y.size(); ++j) {
    if (known.pinned[j] == 0 || y[j] >= 0) continue;
    told[j] = 0;
    told[known.opposite[j]] = -y[j] * part.length[j] / part.length[known.opposite[j]];
  }
  instant.farkas.clear();
  for (std::size_t j = 0; j < told.size(); ++j) {
    if (told[j] != 0) instant.farkas.emplace_back(problem.row[part.row[j]], told[j]);
  }
}

/// Is y (per row of the problem) a proof that no acceleration satisfies the rows? Looked at part by part, brought to
/// y^T J = 0 exactly by a change of the independent rows, and held against the uncertainty of each row. `tight` receives
/// rows whose contradiction is rounding.
bool proves(const std::vector<Known>& parts, const Subproblem& problem, const Vector& y, Instant& instant,
            std::vector<std::uint32_t>& tight) {
  for (const Known& known : parts) {
    const Part& part = known.part;
    if (!known.small) continue;
    std::vector<std::size_t> support;
    Vector weight(part.r(), 0.0);
    Vector sum(part.n(), 0.0);
    double most = 0;
    for (std::size_t j = 0; j < part.r(); ++j) {
      if (y[part.row[j]] == 0) continue;
      support.push_back(j);
      weight[j] = y[part.row[j]] * (part.length[j] > 0 ? part.length[j] : 1);
      most = std::max(most, std::abs(weight[j]));
      for (std::size_t c = 0; c < part.n(); ++c) sum[c] += weight[j] * part.unit[j][c];
    }
    if (support.empty()) continue;
    const Dependence dependence = split(part, support, support.size());
    Vector in;
    static_cast<void>(dependence.basis.remainder(sum, in));
    const Vector correction = dependence.basis.express(in);
    for (std::size_t k = 0; k < correction.size(); ++k) weight[dependence.kept[k]] -= correction[k];
    // Signs, y^T J, y.h.
    bool good = true;
    Vector plain(part.r(), 0.0);
    for (const std::size_t j : support) {
      if (problem.kind[part.row[j]] == gauss::RowKind::inequality && known.pinned[j] == 0 && weight[j] < 0) {
        good = good && weight[j] > -negligible * most;
        weight[j] = 0;
      }
      plain[j] = weight[j] / (part.length[j] > 0 ? part.length[j] : 1);
    }
    if (!good) continue;
    const Proof proof = proof_of(part, plain, norm(part.x0), 0);
    if (proof == Proof::positive) {
      tell_proof(problem, known, plain, instant);
      return true;
    }
    if (proof == Proof::zero) {
      for (const std::size_t j : support) {
        if (plain[j] != 0) tight.push_back(part.row[j]);
      }
    }
  }
  return false;
}

/// Tell a contradiction of higher order, or what stays open.
void tell(const Subproblem& problem, const Known& known, const Finding& finding, Instant& instant) {
  instant.status = finding.verdict == Verdict::jammed ? Status::jammed : Status::undecided;
  instant.singular = finding.verdict == Verdict::undecided || finding.derivative > 2;
  instant.expansion = finding.words;
  instant.farkas.clear();
  if (finding.verdict != Verdict::jammed) return;
  instant.jam_derivative = finding.derivative;
  tell_proof(problem, known, finding.y, instant);
}

/// All accelerations of least constraint where quadrics decide; `a` holds those of the other parts.
Settled minimise(const Subproblem& problem, const std::vector<Known>& parts, Workspace::Impl& impl, Instant& instant) {
  std::vector<Vector> answers{impl.solution.a};
  instant.continuum = false;
  std::string words;
  for (const Known& known : parts) {
    if (known.curved.empty()) continue;
    const Part& part = known.part;
    const Curved& curved = known.curved[0];
    words += (words.empty() ? "quadric of " : "; ") + curved.words;
    std::vector<Row> inequalities = known.higher_inequalities;
    for (std::size_t j = 0; j < part.r(); ++j) {
      if (problem.kind[part.row[j]] == gauss::RowKind::inequality && known.left_out[j] == 0 && known.pinned[j] == 0 &&
          part.length[j] > 0) {
        inequalities.push_back(Row{part.unit[j], part.offset[j]});
      }
    }
    if (inequalities.size() > most_inequalities) {
      instant.status = Status::undecided;
      instant.singular = true;
      instant.expansion =
          "a quadric (" + curved.words + ") beside more than " + std::to_string(most_inequalities) + " inequalities";
      return Settled::finished;
    }
    std::vector<Candidate> candidates = on_faces(part, curved, inequalities);
    if (!curved.equation) {
      // The inside of the quadric counts too.
      Vector plain(part.n());
      for (std::size_t i = 0; i < part.n(); ++i) plain[i] = impl.solution.a[part.variable[i]];
      Candidate inside;
      inside.x = part.whitened(plain);
      const Vector u = curved.affine.coordinates(inside.x);
      const Quadric q{curved.form.q, curved.form.b, curved.form.d};
      if (q.value(u) <= vertex_part * q.scale(u)) candidates.push_back(std::move(inside));
    }
    if (candidates.empty()) {
      instant.status = Status::undecided;
      instant.singular = true;
      instant.expansion = "no acceleration was found on the quadric of " + curved.words;
      return Settled::finished;
    }
    double least = std::numeric_limits<double>::infinity();
    for (Candidate& candidate : candidates) {
      candidate.z = 0;
      for (std::size_t c = 0; c < part.n(); ++c) candidate.z += std::pow(candidate.x[c] - part.x0[c], 2);
      least = std::min(least, candidate.z);
    }
    // All of least constraint, each once.
    const double size = dot(part.x0, part.x0);
    std::vector<Candidate> best;
    for (Candidate& candidate : candidates) {
      if (candidate.z > least + same_constraint * (least + size * share_of_free)) continue;
      const bool known_already = std::any_of(best.begin(), best.end(), [&](const Candidate& other) {
        double apart = 0;
        for (std::size_t c = 0; c < part.n(); ++c) apart = std::max(apart, std::abs(other.x[c] - candidate.x[c]));
        return apart <= same_answer * (std::sqrt(size) + norm(candidate.x));
      });
      if (!known_already) {
        instant.continuum = instant.continuum || candidate.continuum;
        best.push_back(std::move(candidate));
      }
    }
    std::vector<Vector> more;
    for (const Vector& answer : answers) {
      for (const Candidate& candidate : best) {
        if (more.size() >= most_solutions) break;
        Vector a = answer;
        const Vector own = part.acceleration(candidate.x);
        for (std::size_t i = 0; i < part.n(); ++i) a[part.variable[i]] = own[i];
        more.push_back(std::move(a));
      }
    }
    answers = std::move(more);
  }
  instant.singular = true;
  instant.expansion = words;
  instant.solutions.clear();
  for (Vector& a : answers) {
    Minimiser one;
    Vector off(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) off[i] = a[i] - problem.a0[i];
    Vector weighed(a.size());
    impl.dynamics.mass.multiply(off, weighed);
    one.constraint = dot(off, weighed);
    one.accelerations = std::move(a);
    instant.solutions.push_back(std::move(one));
  }
  if (instant.solutions.size() > 1) {
    instant.status = Status::ambiguous;
    return Settled::finished;
  }
  impl.solution.a = instant.solutions[0].accelerations;
  instant.solutions.clear();
  return Settled::solved;
}

}  // namespace

Subproblem with_higher_rows(const Subproblem& problem, const Dependents& dependents, std::vector<double>& lambda) {
  Subproblem all = problem;
  for (const HigherRow& row : dependents.higher) {
    all.column.insert(all.column.end(), row.column.begin(), row.column.end());
    all.entry.insert(all.entry.end(), row.entry.begin(), row.entry.end());
    all.start.push_back(static_cast<std::uint32_t>(all.entry.size()));
    all.h.push_back(row.offset);
    all.kind.push_back(row.equation ? gauss::RowKind::equation : gauss::RowKind::inequality);
    all.row.push_back(0);
    lambda.push_back(row.multiplier);
  }
  return all;
}

Settled settle_dependent(const model::Model& model, const model::State& state, const Options& options, Level level,
                         bool nearly, Workspace::Impl& impl, Dependents& dependents, Instant& instant) {
  const Subproblem& problem = impl.problem;
  const double angle = nearly ? nearly_dependent : 0;
  dependents = {};
  dependents.left_out.assign(problem.size(), 0);
  dependents.pinned.assign(problem.size(), 0);

  // The connected parts, each by itself: its equations first.
  Uncertainty uncertainty = measure_uncertainty(model, state, impl);
  if (level == Level::velocities) {
    for (std::size_t j = 0; j < uncertainty.curvature.size(); ++j) {
      uncertainty.curvature[j] = rounding_steps * epsilon * std::abs(impl.rows.explicit_rate[j]);
    }
  }
  std::vector<Known> parts;
  std::vector<Examination> examinations;
  for (Part& part : connected_parts(model, impl.dynamics.mass, problem)) {
    parts.emplace_back();
    parts.back().part = std::move(part);
  }
  examinations.reserve(parts.size());
  for (Known& known : parts) {
    known.small = known.part.n() <= most_variables && known.part.r() <= most_rows;
    known.left_out.assign(known.part.r(), 0);
    known.pinned.assign(known.part.r(), 0);
    known.opposite.assign(known.part.r(), 0);
    examinations.emplace_back(model, state, impl, level, angle, known);
    if (!known.small) continue;
    whiten(impl.dynamics.mass, problem, uncertainty, model, known.part);
    const Finding finding = examinations.back().equations();
    if (finding.verdict != Verdict::ordinary) {
      tell(problem, known, finding, instant);
      return Settled::finished;
    }
    for (std::size_t j = 0; j < known.part.r(); ++j) {
      // A row without gradient and without second derivative is none at this order.
      const bool empty =
          known.part.length[j] == 0 && std::abs(known.part.offset[j]) <= farkas_margin * known.part.uncertain_offset[j];
      dependents.left_out[known.part.row[j]] = known.left_out[j] != 0 || empty ? 1 : 0;
      dependents.pinned[known.part.row[j]] = known.pinned[j];
    }
  }

  // The nearest point, until its proof of a contradiction holds or there is none, and until no one-sided combination
  // adds anything.
  Subproblem reduced;
  std::vector<std::uint32_t> place;
  gauss::Solution solution;
  std::vector<std::uint8_t> examined(parts.size(), 0);
  for (std::size_t round = 0; round <= problem.size() + parts.size(); ++round) {
    assemble(problem, parts, dependents.left_out, dependents.pinned, reduced, place, dependents);
    gauss::solve(reduced.view(impl.dynamics.mass), {}, level == Level::accelerations ? impl.gauss : impl.gauss_impact,
                 solution, options.tell ? &instant.trials : nullptr);
    if (solution.status == gauss::Status::infeasible) {
      const Vector y = of_problem(problem, parts, place, solution.farkas);
      std::vector<std::uint32_t> tight;
      if (proves(parts, problem, y, instant, tight)) {
        instant.status = Status::jammed;
        return Settled::finished;
      }
      // A contradiction within rounding: one of its inequalities is held by the others.
      const auto loose = std::find_if(tight.begin(), tight.end(), [&](std::uint32_t j) {
        return problem.kind[j] == gauss::RowKind::inequality && dependents.left_out[j] == 0 &&
               dependents.pinned[j] == 0;
      });
      if (loose != tight.end()) {
        dependents.left_out[*loose] = 1;
        continue;
      }
    }
    if (solution.status != gauss::Status::solved) {
      instant.status = Status::undecided;
      instant.expansion = solution.status == gauss::Status::infeasible
                              ? "the conditions are so nearly contradictory that rounding decides"
                              : "the nearest-point solver gave up";
      return Settled::finished;
    }
    // One-sided combinations of the rows that are tight.
    bool changed = false;
    for (std::size_t k = 0; k < parts.size() && !changed; ++k) {
      if (!parts[k].small || examined[k] != 0) continue;
      examined[k] = 1;
      std::vector<std::size_t> tight;
      const Part& part = parts[k].part;
      Vector plain(part.n());
      for (std::size_t i = 0; i < part.n(); ++i) plain[i] = solution.a[part.variable[i]];
      const Vector x = part.whitened(plain);
      for (std::size_t j = 0; j < part.r(); ++j) {
        if (problem.kind[part.row[j]] == gauss::RowKind::equation || parts[k].pinned[j] != 0 ||
            (dependents.left_out[part.row[j]] != 0 && part.length[j] > 0)) {
          continue;
        }
        const double w = dot(part.unit[j], x) + part.offset[j];
        const double terms = norm(x) + norm(part.x0) + std::abs(part.offset[j]);
        if (w >= -zero_part * terms) tight.push_back(j);
      }
      if (tight.empty()) continue;
      const Finding finding = examinations[k].inequalities(tight, changed);
      if (finding.verdict != Verdict::ordinary) {
        tell(problem, parts[k], finding, instant);
        return Settled::finished;
      }
    }
    if (!changed) break;
  }

  // The answer for all rows of the problem, and the story in their numbers.
  for (gauss::Trial& trial : instant.trials) {
    for (std::vector<std::uint32_t>* rows : {&trial.rows, &trial.negative, &trial.violated}) {
      std::vector<std::uint32_t> named;
      for (const std::uint32_t i : *rows) {
        if (i < place.size()) named.push_back(place[i]);
      }
      *rows = std::move(named);
    }
  }
  impl.solution.status = gauss::Status::solved;
  impl.solution.a = solution.a;
  impl.solution.rounds = solution.rounds;
  impl.solution.rank = solution.rank;
  impl.solution.farkas.clear();
  impl.solution.lambda = of_problem(problem, parts, place, solution.lambda);
  impl.solution.active.assign(problem.size(), 0);
  for (std::size_t i = 0; i < place.size(); ++i) {
    impl.solution.active[place[i]] = solution.active[i];
  }
  for (std::size_t k = 0; k < dependents.higher.size(); ++k) {
    dependents.higher[k].multiplier = solution.lambda[place.size() + k];
  }
  dependents.curved = std::any_of(parts.begin(), parts.end(), [](const Known& known) { return !known.curved.empty(); });
  if (dependents.curved && minimise(problem, parts, impl, instant) == Settled::finished) return Settled::finished;
  instant.singular = instant.singular || !dependents.higher.empty();
  dependents.unexamined = std::any_of(parts.begin(), parts.end(), [](const Known& known) { return known.unexamined; });
  impl.solution.w.assign(problem.h.begin(), problem.h.end());
  for (std::size_t j = 0; j < problem.size(); ++j) {
    for (std::uint32_t e = problem.start[j]; e < problem.start[j + 1]; ++e) {
      impl.solution.w[j] += problem.entry[e] * impl.solution.a[problem.column[e]];
    }
  }
  return Settled::solved;
}

}  // namespace zwang::instant
