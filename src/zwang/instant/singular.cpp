/// The nearest point under rows of which some depend on others, and under those of higher order.
#include "zwang/instant/singular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "zwang/base/vectors.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/dependence.hpp"
#include "zwang/instant/examination.hpp"
#include "zwang/instant/quadric.hpp"
#include "zwang/instant/tolerances.hpp"

namespace zwang::instant {

namespace {

using Vector = std::vector<double>;

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
void assemble(const model::Model& model, const Subproblem& problem, const Uncertainty& uncertainty,
              const std::vector<Known>& parts, Subproblem& reduced, std::vector<std::uint32_t>& place,
              Dependents& dependents) {
  reduced.clear();
  reduced.a0 = problem.a0;
  place.clear();
  const auto close = [&](double h, gauss::RowKind kind) {
    reduced.start.push_back(static_cast<std::uint32_t>(reduced.entry.size()));
    reduced.h.push_back(h);
    reduced.kind.push_back(kind);
    reduced.row.push_back(0);
    // What was not given a bound is known to a few roundings.
    reduced.h_bound.resize(reduced.h.size(), rounding_steps * epsilon * std::abs(h));
    for (std::size_t e = reduced.entry_bound.size(); e < reduced.entry.size(); ++e) {
      reduced.entry_bound.push_back(rounding_steps * epsilon * std::abs(reduced.entry[e]));
    }
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
    if (dependents.left_out[j] != 0) continue;
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
    const std::uint32_t first = model.row_start[problem.row[j]];
    reduced.entry_bound.insert(reduced.entry_bound.end(), uncertainty.entry.begin() + first,
                               uncertainty.entry.begin() + model.row_start[problem.row[j] + 1]);
    reduced.h_bound.push_back(uncertainty.curvature[problem.row[j]]);
    close(problem.h[j], dependents.pinned[j] != 0 ? gauss::RowKind::equation : problem.kind[j]);
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
bool proves(const model::Model& model, Level level, const std::vector<Known>& parts, const Workspace::Impl& impl,
            const Uncertainty& uncertainty, const Vector& y, Instant& instant, std::vector<std::uint32_t>& tight) {
  const Subproblem& problem = impl.problem;
  for (const Known& known : parts) {
    const Part& part = known.part;
    if (!known.small) {
      // Too large to be made orthogonal: as the solver gave it.
      Vector own(problem.size(), 0.0);
      double gap = 0;
      double uncertain = 0;
      for (const std::uint32_t j : part.row) {
        own[j] = y[j];
        gap += y[j] * problem.h[j];
        uncertain += std::abs(y[j]) * uncertainty.curvature[problem.row[j]];
      }
      if (gap > farkas_margin * uncertain && gauss::verify_farkas(problem.view(impl.dynamics.mass), own)) {
        instant.farkas.clear();
        for (const std::uint32_t j : part.row) {
          if (own[j] != 0) instant.farkas.emplace_back(problem.row[j], own[j]);
        }
        return true;
      }
      continue;
    }
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
    Proof proof = proof_of(part, plain, norm(part.x0), 0);
    if (level == Level::accelerations && (proof == Proof::positive || proof == Proof::unclear)) {
      Vector whole(problem.size(), 0.0);
      for (const std::size_t j : support) whole[part.row[j]] = plain[j];
      if (nowhere_positive(model, problem, whole)) proof = Proof::zero;
    }
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
    // The nearest point of all that the other rows allow: if it satisfies the quadric, it is the nearest of fewer, too.
    Vector plain(part.n());
    for (std::size_t i = 0; i < part.n(); ++i) plain[i] = impl.solution.a[part.variable[i]];
    Candidate nearest;
    nearest.x = part.whitened(plain);
    const Vector u = curved.affine.coordinates(nearest.x);
    const Quadric q{curved.form.q, curved.form.b, curved.form.d};
    const double off = curved.equation ? std::abs(q.value(u)) : q.value(u);
    // Against what the form is made of: its own numbers may be nothing but the rounding of these.
    const double length = norm(u);
    const double made_of = curved.form.size_d + 2 * curved.form.size_b * length + curved.form.size_q * length * length;
    std::vector<Candidate> candidates;
    if (off <= vertex_part * std::max(q.scale(u), made_of)) {
      candidates.push_back(std::move(nearest));
    } else if (inequalities.size() > most_inequalities) {
      instant.status = Status::undecided;
      instant.singular = true;
      instant.expansion =
          "a quadric (" + curved.words + ") beside more than " + std::to_string(most_inequalities) + " inequalities";
      return Settled::finished;
    } else {
      candidates = on_faces(part, curved, inequalities);
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
      for (std::size_t c = 0; c < part.n(); ++c) candidate.z += elementary::pow(candidate.x[c] - part.x0[c], 2);
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
  for (Part& part : connected_parts(model, impl.dynamics.mass, problem)) {
    parts.emplace_back();
    parts.back().part = std::move(part);
  }
  for (Known& known : parts) {
    known.small = known.part.n() <= most_variables && known.part.r() <= most_rows;
    known.left_out.assign(known.part.r(), 0);
    known.pinned.assign(known.part.r(), 0);
    known.opposite.assign(known.part.r(), 0);
    if (!known.small) continue;
    whiten(impl.dynamics.mass, problem, uncertainty, model, known.part);
    const Finding finding = examine_equations(model, state, impl, level, angle, known);
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
    assemble(model, problem, uncertainty, parts, reduced, place, dependents);
    gauss::solve(reduced.view(impl.dynamics.mass), {}, level == Level::accelerations ? impl.gauss : impl.gauss_impact,
                 solution, options.tell ? &instant.trials : nullptr);
    if (solution.status == gauss::Status::infeasible) {
      const Vector y = of_problem(problem, parts, place, solution.farkas);
      std::vector<std::uint32_t> tight;
      if (proves(model, level, parts, impl, uncertainty, y, instant, tight)) {
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
      std::vector<std::size_t>& tight = parts[k].tight;
      tight.clear();
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
      const Finding finding =
          examine_inequalities(model, state, impl, level, angle, parts[k], tight, solution.a, changed);
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
  impl.solution.raised = solution.raised;
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
  dependents.parts = std::move(parts);
  return Settled::solved;
}

bool depend_all_around(const model::Model& model, const model::State& state, Workspace::Impl& impl,
                       const Dependents& dependents, const std::vector<std::uint8_t>& counts) {
  if (dependents.parts.empty() || !dependents.higher.empty() || dependents.curved) return false;
  std::vector<std::uint8_t> unseen = counts;
  for (const Known& known : dependents.parts) {
    if (!known.small) return false;
    std::vector<std::size_t> which = known.equations;
    which.insert(which.end(), known.tight.begin(), known.tight.end());
    for (const std::size_t j : which) unseen[known.part.row[j]] = 0;
  }
  if (std::any_of(unseen.begin(), unseen.end(), [](std::uint8_t one) { return one != 0; })) return false;
  for (const Known& known : dependents.parts) {
    std::vector<std::size_t> which = known.equations;
    which.insert(which.end(), known.tight.begin(), known.tight.end());
    if (!all_all_around(model, state, impl, known.part, which)) return false;
  }
  return true;
}

}  // namespace zwang::instant
