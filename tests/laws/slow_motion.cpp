/// The slow motions themselves.
#include "laws/slow_motion.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>

namespace zwang::laws {

namespace {

using Shape = SlowCondition::Shape;

struct Moment {
  Real time = 0;
  Vector q;
  Vector v;
};

/// What one condition says at a moment. For rates `value` and `rate` are the same.
struct Said {
  Real value = 0;
  Real rate = 0;
  Real explicit_rate = 0;  ///< of f, or p0
  Real curvature = 0;      ///< f'' (of a rate: f') without accelerations
  Vector g;
};

Said say(const SlowSystem& system, const SlowCondition& c, const Moment& now) {
  const std::size_t d = system.dimension;
  Said out;
  out.g.assign(system.n(), 0);
  const Real wave = c.amplitude * std::sin(c.w * now.time);
  const Real wave1 = c.amplitude * c.w * std::cos(c.w * now.time);
  const Real wave2 = -c.amplitude * c.w * c.w * std::sin(c.w * now.time);
  const Real* a = now.q.data() + c.a * d;
  const Real* va = now.v.data() + c.a * d;
  if (c.shape == Shape::between || c.shape == Shape::from) {
    // u = e / |e|: f' = u.e', f'' = u.e'' + (e'^2 - (u.e')^2) / |e|.
    std::array<Real, 3> e{};
    std::array<Real, 3> e1{};
    Real far = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const bool pair = c.shape == Shape::between;
      const Real other = pair ? now.q[c.b * d + k] : c.anchor[k] + c.along[k] * wave;
      const Real other1 = pair ? now.v[c.b * d + k] : c.along[k] * wave1;
      e[k] = a[k] - other;
      e1[k] = va[k] - other1;
      far += e[k] * e[k];
    }
    far = std::sqrt(far);
    Real along = 0;
    Real speed2 = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const Real u = e[k] / far;
      along += u * e1[k];
      speed2 += e1[k] * e1[k];
      out.g[c.a * d + k] = c.sigma * u;
      if (c.shape == Shape::between) {
        out.g[c.b * d + k] = -c.sigma * u;
      } else {
        out.explicit_rate -= c.sigma * u * c.along[k] * wave1;
        out.curvature -= c.sigma * u * c.along[k] * wave2;
      }
    }
    out.value = c.sigma * (far - c.length);
    out.rate = c.sigma * along;
    out.curvature += c.sigma * (speed2 - along * along) / far;
  } else if (c.shape == Shape::wall) {
    out.value = -c.length - wave;
    out.explicit_rate = -wave1;
    out.curvature = -wave2;
    for (std::size_t k = 0; k < d; ++k) {
      out.value += c.along[k] * a[k];
      out.g[c.a * d + k] = c.along[k];
      out.rate += c.along[k] * va[k];
    }
    out.rate += out.explicit_rate;
  } else if (c.shape == Shape::bowl) {
    out.value = c.length + c.curve * a[0] * a[0] - a[1];
    out.g[c.a * d] = 2 * c.curve * a[0];
    out.g[c.a * d + 1] = -1;
    out.rate = 2 * c.curve * a[0] * va[0] - va[1];
    out.curvature = 2 * c.curve * va[0] * va[0];
  } else {
    const Real* b = now.q.data() + c.b * d;
    const Real* vb = now.v.data() + c.b * d;
    out.explicit_rate = c.length + wave;
    out.curvature = wave1;
    out.rate = out.explicit_rate;
    for (std::size_t k = 0; k < d; ++k) {
      const Real p = c.along[k] + c.twist[k] * b[k];
      out.g[c.a * d + k] = p;
      out.rate += p * va[k];
      out.curvature += c.twist[k] * vb[k] * va[k];
    }
    out.value = out.rate;
  }
  return out;
}

Real mass_of(const SlowSystem& system, std::size_t i) { return system.points[i / system.dimension].mass; }

Vector free_acceleration(const SlowSystem& system, const Moment& now) {
  const std::size_t d = system.dimension;
  Vector a(system.n());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& point = system.points[i / d];
    Real force = -point.spring * now.q[i] - point.damping * now.v[i];
    if (i % d == 0) force += point.drive * std::sin(point.drive_w * now.time);
    a[i] = force / point.mass - (i % d == 1 ? system.gravity : 0.0);
  }
  return a;
}

/// Square systems of equations, small and positive definite: elimination without pivoting.
bool eliminate(Matrix& A, Vector& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    if (!(A[k][k] > 1e-13L)) return false;
    for (std::size_t i = k + 1; i < n; ++i) {
      const Real factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return true;
}

struct Solved {
  Vector a;
  Vector lambda;  ///< per condition
  bool regular = true;
};

/// mu with G W G^T mu = b over the given rows, and W G^T mu.
Solved weigh(const SlowSystem& system, const std::vector<Said>& said, const std::vector<std::size_t>& rows, Vector b) {
  const std::size_t n = system.n();
  Solved out;
  Matrix Phi(rows.size(), Vector(rows.size(), 0));
  for (std::size_t j = 0; j < rows.size(); ++j)
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (std::size_t i = 0; i < n; ++i) Phi[j][k] += said[rows[j]].g[i] * said[rows[k]].g[i] / mass_of(system, i);
  out.regular = eliminate(Phi, b);
  out.lambda.assign(system.conditions.size(), 0);
  out.a.assign(n, 0);
  for (std::size_t j = 0; j < rows.size(); ++j) {
    out.lambda[rows[j]] = b[j];
    for (std::size_t i = 0; i < n; ++i) out.a[i] += said[rows[j]].g[i] * b[j] / mass_of(system, i);
  }
  return out;
}

std::vector<Said> say_all(const SlowSystem& system, const Moment& now, const std::vector<std::size_t>& rows) {
  std::vector<Said> said(system.conditions.size());
  for (const auto j : rows) said[j] = say(system, system.conditions[j], now);
  return said;
}

/// Accelerations with the rows of `held` as equations.
Solved accelerations(const SlowSystem& system, const Moment& now, const std::vector<std::size_t>& held) {
  const auto said = say_all(system, now, held);
  const Vector a0 = free_acceleration(system, now);
  Vector b;
  for (const auto j : held) b.push_back(dot(said[j].g, a0) + said[j].curvature);
  auto out = weigh(system, said, held, b);
  for (std::size_t i = 0; i < a0.size(); ++i) out.a[i] = a0[i] - out.a[i];
  return out;
}

/// Onto the conditions that are held: positions, then velocities, in the metric of the masses.
bool project(const SlowSystem& system, Moment& now, const std::vector<std::size_t>& held) {
  std::vector<std::size_t> holonomic;
  for (const auto j : held)
    if (system.conditions[j].holonomic()) holonomic.push_back(j);
  for (int round = 0; round < 3 && !holonomic.empty(); ++round) {
    const auto said = say_all(system, now, holonomic);
    Vector b;
    for (const auto j : holonomic) b.push_back(said[j].value);
    const auto step = weigh(system, said, holonomic, b);
    if (!step.regular) return false;
    for (std::size_t i = 0; i < now.q.size(); ++i) now.q[i] -= step.a[i];
  }
  if (held.empty()) return true;
  const auto said = say_all(system, now, held);
  Vector b;
  for (const auto j : held) b.push_back(said[j].rate);
  const auto step = weigh(system, said, held, b);
  if (!step.regular) return false;
  for (std::size_t i = 0; i < now.v.size(); ++i) now.v[i] -= step.a[i];
  return true;
}

/// One step of length h: modified midpoint rules with 2, 4, ..., 12 parts, extrapolated to none. `error` is the change that
/// the last extrapolation made.
std::optional<Moment> step(const SlowSystem& system, const Moment& from, const std::vector<std::size_t>& held, Real h,
                           Real& error) {
  constexpr std::size_t columns = 6;
  const std::size_t n = system.n();
  const auto rate = [&](const Moment& now, Vector& dq, Vector& dv) {
    const auto solved = accelerations(system, now, held);
    dq = now.v;
    dv = solved.a;
    return solved.regular;
  };
  std::array<Vector, columns> table;
  Vector dq;
  Vector dv;
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t parts = 2 * (column + 1);
    const Real part = h / static_cast<Real>(parts);
    Moment before = from;
    if (!rate(from, dq, dv)) return std::nullopt;
    Moment now = from;
    now.time = from.time + part;
    for (std::size_t i = 0; i < n; ++i) now.q[i] += part * dq[i], now.v[i] += part * dv[i];
    for (std::size_t m = 1; m < parts; ++m) {
      if (!rate(now, dq, dv)) return std::nullopt;
      Moment next = before;
      next.time = from.time + part * static_cast<Real>(m + 1);
      for (std::size_t i = 0; i < n; ++i) next.q[i] += 2 * part * dq[i], next.v[i] += 2 * part * dv[i];
      before = std::move(now);
      now = std::move(next);
    }
    Vector line = now.q;
    line.insert(line.end(), now.v.begin(), now.v.end());
    // Neville's scheme: table[k] is what the midpoint rules so far gave after k extrapolations.
    for (std::size_t k = 0; k < column; ++k) {
      const Real ratio = static_cast<Real>(column + 1) / static_cast<Real>(column - k);
      const Real factor = 1 / (ratio * ratio - 1);
      error = 0;
      for (std::size_t i = 0; i < line.size(); ++i) {
        const Real change = (line[i] - table[k][i]) * factor;
        error = std::max(error, std::abs(change));
        table[k][i] = line[i];
        line[i] += change;
      }
    }
    table[column] = line;
  }
  Moment out = from;
  out.time = from.time + h;
  for (std::size_t i = 0; i < n; ++i) out.q[i] = table[columns - 1][i], out.v[i] = table[columns - 1][n + i];
  return out;
}

constexpr Real step_length = 1.0L / 128;
constexpr Real step_error = 1e-16L;

}  // namespace

namespace {

/// The motion on its way.
class Walk {
 public:
  Walk(const SlowSystem& system, double nudge) : system_(system) {
    now_.q.assign(system.position.begin(), system.position.end());
    now_.v.assign(system.velocity.begin(), system.velocity.end());
    start(nudge);
  }

  SlowRun run() {
    while (run_.end.empty()) stretch();
    run_.time = now_.time;
    run_.position = now_.q;
    run_.velocity = now_.v;
    return run_;
  }

 private:
  [[nodiscard]] std::size_t rows() const { return system_.conditions.size(); }
  void stop(const std::string& why) {
    if (run_.end.empty()) run_.end = why;
  }

  void start(double nudge) {
    // What touches without speed keeps doing so under the nudge.
    std::vector<std::size_t> at_rest;
    std::vector<std::size_t> closing;
    for (std::size_t j = 0; j < rows(); ++j) {
      const auto said = say(system_, system_.conditions[j], now_);
      if (std::abs(said.value) > 1e-10L) continue;
      closing.push_back(j);
      if (std::abs(said.rate) < 1e-10L) at_rest.push_back(j);
    }
    if (nudge != 0) {
      std::mt19937_64 draw(1829);
      for (auto& v : now_.v) v += nudge * std::uniform_real_distribution<double>(-1, 1)(draw);
    }
    if (!project(system_, now_, at_rest)) return stop("delicate: dependent start");
    instant(closing, {}, true);
  }

  /// Shock if need be, accelerations, the rows held from here on.
  void instant(const std::vector<std::size_t>& closing, const std::vector<std::size_t>& releasing, bool first) {
    const auto is_in = [](const std::vector<std::size_t>& list, std::size_t j) {
      return std::find(list.begin(), list.end(), j) != list.end();
    };
    std::vector<std::size_t> all(rows());
    for (std::size_t j = 0; j < rows(); ++j) all[j] = j;
    auto said = say_all(system_, now_, all);

    // What touches, and is it approached?
    std::vector<std::size_t> touching;
    std::vector<std::uint32_t> struck;
    for (std::size_t j = 0; j < rows(); ++j) {
      const auto& c = system_.conditions[j];
      const bool near = std::abs(said[j].value) < 1e-10L;
      if (c.equation || is_in(held_, j) || is_in(closing, j)) {
        touching.push_back(j);
      } else if (near && c.holonomic() && !first) {
        return stop("delicate: something else is near");
      }
      if (c.equation || !c.holonomic() || !is_in(touching, j)) continue;
      if (said[j].rate > 1e-10L) {
        struck.push_back(static_cast<std::uint32_t>(j));
        if (said[j].rate < 1e-4L) return stop("delicate: hardly a shock");
      }
    }

    // The shock: all that touches, and all conditions on velocities.
    if (!struck.empty()) {
      std::vector<Row> problem;
      std::vector<Real> e;
      for (std::size_t j = 0; j < rows(); ++j) {
        const auto& c = system_.conditions[j];
        if (!is_in(touching, j) && c.holonomic()) continue;
        problem.push_back({said[j].g, said[j].explicit_rate, c.equation});
        e.push_back(c.equation || !c.holonomic() ? 0 : system_.restitution);
      }
      const Vector alpha = now_.v;
      auto after = nearest(masses(), alpha, problem);
      if (!after.feasible) return stop("jammed");
      if (!clear(after, problem)) return stop("delicate: signs in a shock");
      if (system_.restitution > 0) {
        // One common e among the inequalities that act, or each its own.
        Real common = -1;
        bool same = true;
        for (std::size_t k = 0; k < problem.size(); ++k) {
          if (problem[k].equation || !(after.lambda[k] > 0)) continue;
          same = same && (common < 0 || common == e[k]);
          common = e[k];
        }
        if (same) {
          Vector back = alpha;
          for (std::size_t i = 0; i < back.size(); ++i) back[i] += (1 + common) * (after.a[i] - alpha[i]);
          after = nearest(masses(), back, problem);
          if (!after.feasible) return stop("jammed");
        } else {
          auto bouncing = problem;
          for (std::size_t k = 0; k < problem.size(); ++k) {
            const Real approach = dot(problem[k].g, alpha) + problem[k].h;
            if (!problem[k].equation && approach > 0) bouncing[k].h += e[k] * approach;
          }
          const auto bounced = nearest(masses(), alpha, bouncing);
          if (bounced.feasible) {
            if (!clear(bounced, bouncing)) return stop("delicate: signs in a rebound");
            after.a = bounced.a;
          }
        }
        if (same && !clear(after, problem)) return stop("delicate: signs in a rebound");
      }
      now_.v = after.a;
      said = say_all(system_, now_, all);
    }

    // The accelerations, over what touches and rests.
    std::vector<Row> problem;
    std::vector<std::size_t> effective;
    for (std::size_t j = 0; j < rows(); ++j) {
      const auto& c = system_.conditions[j];
      const bool touches = is_in(touching, j) || (!c.holonomic() && std::abs(said[j].rate) < 1e-12L);
      if (!touches) continue;
      if (!c.equation && said[j].rate < -1e-10L) {
        if (said[j].rate > -1e-4L) return stop("delicate: hardly a separation");
        continue;
      }
      effective.push_back(j);
      problem.push_back({said[j].g, said[j].curvature, c.equation});
    }
    const auto found = nearest(masses(), free_acceleration(system_, now_), problem);
    if (!found.feasible) return stop("jammed");
    std::vector<std::size_t> held;
    for (std::size_t k = 0; k < effective.size(); ++k) {
      const std::size_t j = effective[k];
      if (problem[k].equation || found.lambda[k] > 0) held.push_back(j);
      // At a release or a soft contact the row itself is at zero by its very nature; its tendency decides.
      if (problem[k].equation || is_in(releasing, j)) continue;
      if (!system_.conditions[j].holonomic() && is_in(closing, j)) continue;
      if (std::abs(found.w[k]) < 1e-4L && found.lambda[k] < 1e-4L) return stop("delicate: signs of accelerations");
    }
    if (!found.unique) return stop("delicate: multipliers are not unique");
    for (const auto j : releasing)
      if (is_in(held, j)) return stop("delicate: a release that holds");
    // A condition on velocities that is reached engages if it would be broken; it was approached, so it would be.
    for (const auto j : closing)
      if (!first && !system_.conditions[j].holonomic() && !is_in(held, j))
        return stop("delicate: engages and does not");

    // The events.
    if (!struck.empty()) {
      add("impact", struck);
    } else if (!first) {
      std::vector<std::uint32_t> gone;
      std::vector<std::uint32_t> come;
      for (std::size_t j = 0; j < rows(); ++j) {
        if (is_in(held_, j) && !is_in(held, j)) gone.push_back(static_cast<std::uint32_t>(j));
        if (!is_in(held_, j) && is_in(held, j)) come.push_back(static_cast<std::uint32_t>(j));
      }
      if (!gone.empty()) add("release", gone);
      if (!come.empty()) add("contact", come);
    }
    held_ = held;
    if (!project(system_, now_, held_)) return stop("delicate: dependent conditions");
    if (run_.events.size() > 40) return stop("delicate: too many events");
    if (run_.events.size() > 3 && !first) {
      const auto& old = run_.events[run_.events.size() - 3];
      if (now_.time - old.time < 1e-4L) return stop("delicate: events crowd");
    }
  }

  void add(const std::string& kind, std::vector<std::uint32_t> which) {
    run_.events.push_back({now_.time, kind, std::move(which), now_.q, now_.v});
  }

  [[nodiscard]] Matrix masses() const {
    Matrix M(system_.n(), Vector(system_.n(), 0));
    for (std::size_t i = 0; i < system_.n(); ++i) M[i][i] = mass_of(system_, i);
    return M;
  }

  /// No sign of the answer hangs by a thread; exact zeros belong to rows that the shock does not reach.
  static bool clear(const Nearest& answer, const std::vector<Row>& problem) {
    for (std::size_t k = 0; k < problem.size(); ++k) {
      if (problem[k].equation) continue;
      const Real size = std::max(std::abs(answer.w[k]), answer.lambda[k]);
      if (size > 1e-11L && size < 1e-4L) return false;
    }
    return true;
  }

  /// f of an open condition, or minus the multiplier of a held one: an event where it rises through zero.
  [[nodiscard]] Real watch(std::size_t j, const Moment& now) const {
    if (std::find(held_.begin(), held_.end(), j) == held_.end()) return say(system_, system_.conditions[j], now).value;
    return -accelerations(system_, now, held_).lambda[j];
  }
  /// Its derivative in time.
  [[nodiscard]] Real tendency(std::size_t j, const Moment& now) const {
    const bool is_held = std::find(held_.begin(), held_.end(), j) != held_.end();
    if (!is_held && system_.conditions[j].holonomic()) return say(system_, system_.conditions[j], now).rate;
    constexpr Real little = 1e-6L;
    const auto solved = accelerations(system_, now, held_);
    const auto at = [&](Real s) {
      Moment there = now;
      there.time += s;
      for (std::size_t i = 0; i < now.q.size(); ++i) {
        there.q[i] += now.v[i] * s + solved.a[i] * s * s / 2;
        there.v[i] += solved.a[i] * s;
      }
      return watch(j, there);
    };
    return (at(little) - at(-little)) / (2 * little);
  }

  /// The state after a part h of the step that begins now.
  [[nodiscard]] std::optional<Moment> after(Real h) const {
    if (h <= 0) return now_;
    Real error = 0;
    auto there = step(system_, now_, held_, h, error);
    if (!there || !project(system_, *there, held_)) return std::nullopt;
    return there;
  }

  /// The point of [low, high] where `what` rises through zero, by bisection, at the end quickened by chords.
  template <typename Function>
  [[nodiscard]] Real root(Real low, Real high, const Function& what) const {
    Real at_low = what(low);
    Real at_high = what(high);
    for (int round = 0; round < 80 && high - low > 1e-17L; ++round) {
      Real middle = (low + high) / 2;
      if (round >= 6 && round % 3 != 2 && at_high > at_low) {
        middle = low - at_low * (high - low) / (at_high - at_low);
        const Real edge = (high - low) * 1e-3L;
        middle = std::min(std::max(middle, low + edge), high - edge);
      }
      const Real y = what(middle);
      (y > 0 ? high : low) = middle;
      (y > 0 ? at_high : at_low) = y;
    }
    return high;
  }

  /// From one event to the next, or to the end.
  void stretch() {
    std::vector<bool> armed(rows(), false);
    const Real until = system_.until;
    while (run_.end.empty()) {
      if (until - now_.time < 1e-15L) return stop("finished");
      Real h = std::min(step_length, until - now_.time);
      Real error = 0;
      auto there = step(system_, now_, held_, h, error);
      for (int round = 0; round < 12 && (!there || error > step_error); ++round) {
        h /= 2;
        there = step(system_, now_, held_, h, error);
      }
      if (!there || error > 100 * step_error) return stop("delicate: steps do not settle");
      if (!project(system_, *there, held_)) return stop("delicate: dependent conditions");

      // The first of all that happens on the step.
      Real earliest = 2 * h;
      Real second = 2 * h;
      std::size_t which = 0;
      for (std::size_t j = 0; j < rows(); ++j) {
        if (system_.conditions[j].equation) continue;
        const auto along = [&](Real s) {
          const auto moment = after(s);
          return moment ? watch(j, *moment) : std::nanl("");
        };
        const Real begin = watch(j, now_);
        const Real end = watch(j, *there);
        Real found = 2 * h;
        if (begin < -1e-12L) armed[j] = true;
        if (armed[j] && end > 0) {
          found = root(0, h, along);
        } else if (end > 0) {
          // Not yet away from zero: it must first become negative.
          Real negative = 0;
          for (int k = 1; k < 64 && negative == 0; ++k)
            if (along(h * k / 64) < -1e-12L) negative = h * k / 64;
          if (negative == 0) return stop("delicate: does not leave");
          found = root(negative, h, along);
        } else if (armed[j] && tendency(j, now_) > 0 && tendency(j, *there) < 0) {
          // A maximum within the step.
          Real low = 0;
          Real high = h;
          for (int round = 0; round < 40; ++round) {
            const Real middle = (low + high) / 2;
            const auto moment = after(middle);
            if (!moment) return stop("delicate: steps do not settle");
            (tendency(j, *moment) > 0 ? low : high) = middle;
          }
          const Real top = along(low);
          if (std::abs(top) < 1e-6L) return stop("delicate: grazes");
          if (top > 0) found = root(0, low, along);
        }
        if (found < earliest) {
          second = earliest;
          earliest = found;
          which = j;
        } else {
          second = std::min(second, found);
        }
      }
      if (earliest > h) {
        now_ = *there;
        continue;
      }
      if (second - earliest < 1e-8L) return stop("delicate: two at once");

      const auto moment = after(earliest);
      if (!moment) return stop("delicate: steps do not settle");
      const bool is_held = std::find(held_.begin(), held_.end(), which) != held_.end();
      const Real speed = tendency(which, *moment);
      if (speed < (is_held ? 1e-3L : 1e-4L)) return stop("delicate: slow passage");
      now_ = *moment;
      is_held ? instant({}, {which}, false) : instant({which}, {}, false);
      return;
    }
  }

  const SlowSystem& system_;
  Moment now_;
  std::vector<std::size_t> held_;
  SlowRun run_;
};

std::string text_of(double x) {
  std::array<char, 40> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", x);
  return buffer.data();
}

std::string point_name(std::size_t k) { return std::string(1, static_cast<char>('a' + k)); }
std::string component(std::size_t point, std::size_t k) { return point_name(point) + "." + "xyz"[k]; }

std::string list_of(const std::vector<std::string>& parts) {
  std::string out = "[";
  for (std::size_t k = 0; k < parts.size(); ++k) out += (k > 0 ? ", " : "") + parts[k];
  return out + "]";
}

}  // namespace

SlowRun slow_motion(const SlowSystem& system, double nudge) { return Walk(system, nudge).run(); }

Real slow_energy(const SlowSystem& system, const Vector& position, const Vector& velocity) {
  Real sum = 0;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const auto& point = system.points[i / system.dimension];
    sum += (point.mass * velocity[i] * velocity[i] + point.spring * position[i] * position[i]) / 2;
    if (i % system.dimension == 1) sum += point.mass * system.gravity * position[i];
  }
  return sum;
}

std::string model_text(const SlowSystem& system) {
  const std::size_t d = system.dimension;
  std::string out = d == 2 ? "gravity = [0, " + text_of(-system.gravity) + "]\n"
                           : "gravity = [0, " + text_of(-system.gravity) + ", 0]\n";
  for (std::size_t p = 0; p < system.points.size(); ++p) {
    const auto& point = system.points[p];
    std::vector<std::string> q;
    std::vector<std::string> v;
    std::vector<std::string> force;
    for (std::size_t k = 0; k < d; ++k) {
      q.push_back(text_of(system.position[p * d + k]));
      v.push_back(text_of(system.velocity[p * d + k]));
      std::string sum = "\"0";
      if (point.spring != 0) sum += " - " + text_of(point.spring) + "*" + component(p, k);
      if (point.damping != 0) sum += " - " + text_of(point.damping) + "*" + component(p, k) + "'";
      if (k == 0 && point.drive != 0) sum += " + " + text_of(point.drive) + "*sin(" + text_of(point.drive_w) + "*t)";
      force.push_back(sum + "\"");
    }
    out += "[points." + point_name(p) + "]\nmass = " + text_of(point.mass) + "\nposition = " + list_of(q) +
           "\nvelocity = " + list_of(v) + "\nforce = " + list_of(force) + "\n";
  }
  out += "[simulation]\nuntil = " + text_of(system.until) + "\n[constraints]\n";
  for (const auto& c : system.conditions) {
    const std::string wave = c.amplitude == 0 ? "0" : text_of(c.amplitude) + "*sin(" + text_of(c.w) + "*t)";
    std::string left;
    std::string right;
    if (c.shape == Shape::between) {
      left = "distance(" + point_name(c.a) + ", " + point_name(c.b) + ")";
      right = text_of(c.length);
    } else if (c.shape == Shape::from) {
      std::vector<std::string> anchor;
      for (std::size_t k = 0; k < d; ++k)
        anchor.push_back(text_of(c.anchor[k]) + " + (" + text_of(c.along[k]) + ")*" + wave);
      left = "distance(" + point_name(c.a) + ", " + list_of(anchor) + ")";
      right = text_of(c.length);
    } else if (c.shape == Shape::wall) {
      for (std::size_t k = 0; k < d; ++k)
        left += (k > 0 ? " + (" : "(") + text_of(c.along[k]) + ")*" + component(c.a, k);
      right = text_of(c.length) + " + " + wave;
    } else if (c.shape == Shape::bowl) {
      left = text_of(c.length) + " + " + text_of(c.curve) + "*" + component(c.a, 0) + "^2";
      right = component(c.a, 1);
    } else {
      for (std::size_t k = 0; k < d; ++k) {
        left += (k > 0 ? " + (" : "(") + text_of(c.along[k]) + " + (" + text_of(c.twist[k]) + ")*" + component(c.b, k) +
                ")*" + component(c.a, k) + "'";
      }
      left += " + " + text_of(c.length) + " + " + wave;
      right = "0";
    }
    const std::string sense = c.equation ? " = " : c.sigma < 0 ? " >= " : " <= ";
    out += c.name + " = { condition = \"" + left + sense + right +
           "\", restitution = " + text_of(c.equation || !c.holonomic() ? 0 : system.restitution) + " }\n";
  }
  return out;
}

SlowSystem random_system(std::uint64_t seed, const SlowTaste& taste) {
  std::mt19937_64 draw(seed * 2654435761ULL + 17);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
  const auto number = [&](int low, int high) {
    return (low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1))) / 16.0;
  };
  SlowSystem out;
  const std::size_t d = out.dimension = 2 + below(2);
  out.gravity = taste.free ? 0 : below(4) == 0 ? 0 : number(16, 160);
  out.restitution = below(3) == 0 ? number(2, 14) : 0;
  const std::size_t points = (taste.free ? 2 : 1) + below(4);
  for (std::size_t p = 0; p < points; ++p) {
    SlowPoint point;
    point.mass = number(8, 48);
    if (!taste.free) {
      if (below(3) == 0) point.spring = number(8, 64);
      if (!taste.scleronomic && below(4) == 0) point.damping = number(2, 16);
      if (!taste.scleronomic && below(4) == 0) point.drive = number(16, 128), point.drive_w = number(8, 64);
    }
    out.points.push_back(point);
    for (std::size_t k = 0; k < d; ++k) {
      out.position.push_back(number(-32, 32) + 2.5 * static_cast<double>(k == 0 ? p : 0));
      out.velocity.push_back(number(-48, 48));
    }
  }

  // Conditions that the start satisfies: some closed, some open.
  const auto distance = [&](std::size_t a, const double* other) {
    double sum = 0;
    for (std::size_t k = 0; k < d; ++k) sum += std::pow(out.position[a * d + k] - other[k], 2);
    return std::sqrt(sum);
  };
  const auto direction = [&] {
    std::vector<double> along;
    for (std::size_t k = 0; k < d; ++k) along.push_back(number(-16, 16));
    if (along[0] == 0) along[0] = 1;
    return along;
  };
  std::size_t equations = 0;
  const std::size_t wanted = 1 + below(8);
  for (std::size_t trial = 0; trial < 4 * wanted && out.conditions.size() < wanted; ++trial) {
    SlowCondition c;
    c.name = "c" + std::to_string(out.conditions.size());
    c.a = below(points);
    const std::size_t shape = taste.free ? 0 : below(10);
    const bool closed = below(3) == 0;
    const double gap = closed ? 0 : number(4, 24);
    const bool moving = !taste.scleronomic && !taste.free && below(4) == 0;
    if (shape < 3) {
      if (points < 2) continue;
      c.shape = Shape::between;
      c.b = (c.a + 1 + below(points - 1)) % points;
      const double far = distance(c.a, out.position.data() + c.b * d);
      if (far < 0.25) continue;
      c.equation = below(4) == 0 && equations + 1 < points * d / 2;
      c.sigma = !c.equation && below(3) == 0 ? -1 : 1;
      c.length = c.equation ? far : c.sigma > 0 ? far + gap : std::max(0.125, far - gap);
    } else if (shape < 6) {
      c.shape = Shape::from;
      for (std::size_t k = 0; k < d; ++k) c.anchor.push_back(number(-32, 32) + (k == 1 ? 2.0 : 0.0));
      const double far = distance(c.a, c.anchor.data());
      if (far < 0.25) continue;
      c.along = direction();
      if (moving) c.amplitude = number(2, 8), c.w = number(16, 64);
      c.equation = below(4) == 0 && equations + 1 < points * d / 2;
      c.sigma = !c.equation && below(3) == 0 ? -1 : 1;
      c.length = c.equation ? far : c.sigma > 0 ? far + gap : std::max(0.125, far - gap);
    } else if (shape < 8) {
      c.shape = Shape::wall;
      c.along = direction();
      c.length = gap;
      for (std::size_t k = 0; k < d; ++k) c.length += c.along[k] * out.position[c.a * d + k];
      if (moving) c.amplitude = number(2, 8), c.w = number(16, 64);
    } else if (shape == 8) {
      c.shape = Shape::bowl;
      c.curve = number(2, 16);
      c.length = out.position[c.a * d + 1] - c.curve * out.position[c.a * d] * out.position[c.a * d] - gap;
    } else {
      c.shape = Shape::rate;
      c.b = below(points);
      c.along = direction();
      c.twist = direction();
      c.equation = taste.reversible || (below(3) == 0 && equations + 1 < points * d / 2);
      if (c.equation && equations + 1 >= points * d / 2) continue;
      if (moving) c.amplitude = number(2, 8), c.w = number(16, 64);
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k)
        sum += (c.along[k] + c.twist[k] * out.position[c.b * d + k]) * out.velocity[c.a * d + k];
      c.length = taste.scleronomic ? 0 : -sum - (c.equation ? 0 : gap);
      if (taste.scleronomic && !c.equation && sum > 0) {
        for (auto& x : c.along) x = -x;
        for (auto& x : c.twist) x = -x;
      }
    }
    equations += c.equation ? 1 : 0;
    out.conditions.push_back(c);
  }

  // Velocities onto what they contradict, mostly also onto what is closed, so that not every start is a shock. What cannot be
  // met together with the rest is left out.
  Moment now;
  now.q.assign(out.position.begin(), out.position.end());
  now.v.assign(out.velocity.begin(), out.velocity.end());
  const bool gentle = below(4) != 0;
  std::vector<std::size_t> rows;
  const auto wanting = [&](std::size_t j) {
    if (std::find(rows.begin(), rows.end(), j) != rows.end()) return false;
    const auto& c = out.conditions[j];
    const auto said = say(out, c, now);
    return c.equation || (said.rate > 0 && (!c.holonomic() || (gentle && std::abs(said.value) < 1e-9L)));
  };
  while (true) {
    std::size_t j = 0;
    while (j < out.conditions.size() && !wanting(j)) ++j;
    if (j == out.conditions.size()) break;
    // The rows so far stay as they are, this one becomes zero.
    rows.push_back(j);
    const auto all = say_all(out, now, rows);
    Vector b;
    for (const auto k : rows) b.push_back(all[k].rate);
    const auto change = weigh(out, all, rows, b);
    Real large = 0;
    for (const Real x : change.a) large = std::max(large, std::abs(x));
    if (!change.regular || !(large < 10)) {
      rows.pop_back();
      out.conditions.erase(out.conditions.begin() + static_cast<std::ptrdiff_t>(j));
      for (auto& k : rows) k -= k > j ? 1 : 0;
      continue;
    }
    for (std::size_t i = 0; i < now.v.size(); ++i) now.v[i] -= change.a[i];
  }
  for (std::size_t k = 0; k < out.conditions.size(); ++k) out.conditions[k].name = "c" + std::to_string(k);
  // What is left of a velocity by rounding is no velocity: the model would say that it moves.
  constexpr double rounding_of_start = 1e-15;
  for (std::size_t i = 0; i < now.v.size(); ++i) {
    const auto v = static_cast<double>(now.v[i]);
    out.velocity[i] = std::abs(v) < rounding_of_start ? 0.0 : v;
  }
  out.until = 1.5;
  return out;
}

}  // namespace zwang::laws
