/// The secular equation: roots between and beyond the poles, spheres at the poles, the vertex.
#include "zwang/instant/quadric.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "zwang/elementary/elementary.hpp"
#include "zwang/instant/tolerances.hpp"

namespace zwang::instant {

namespace {

/// One eigenspace of Q: its columns in V, its value, and e and b on it.
struct Space {
  double value = 0;
  std::vector<std::size_t> axes;
  double e2 = 0;  ///< |e_g|^2
};

/// Everything in the eigenbasis.
struct Secular {
  std::vector<Space> spaces;  ///< with value != 0
  std::vector<std::size_t> kernel;
  std::vector<double> c;
  std::vector<double> b;
  std::vector<double> e;
  double constant = 0;  ///< d - sum |b_g|^2 / L_g + 2 b_0.c_0
  double slope = 0;     ///< -2 |b_0|^2
  double scale = 1;     ///< size of e and c, for "is zero"

  [[nodiscard]] double phi(double mu, double& derivative, double& size) const {
    double sum = constant + slope * mu;
    derivative = slope;
    size = std::abs(constant) + std::abs(slope * mu);
    for (const Space& g : spaces) {
      const double p = 1 + mu * g.value;
      sum += g.value * g.e2 / (p * p);
      size += std::abs(g.value) * g.e2 / (p * p);
      derivative -= 2 * g.value * g.value * g.e2 / (p * p * p);
    }
    return sum;
  }

  /// u in the eigenbasis at mu; `skip` is a space left at its centre -b / L.
  [[nodiscard]] std::vector<double> point(double mu, const Space* skip) const {
    std::vector<double> u(c.size(), 0.0);
    for (const Space& g : spaces) {
      for (const std::size_t i : g.axes) {
        u[i] = -b[i] / g.value;
        if (&g != skip) {
          u[i] += e[i] / (1 + mu * g.value);
        }
      }
    }
    for (const std::size_t i : kernel) {
      u[i] = c[i] - mu * b[i];
    }
    return u;
  }
};

/// Product of two polynomials with ascending coefficients.
std::vector<double> times(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      result[i + j] += a[i] * b[j];
    }
  }
  return result;
}

/// phi times the product of (1 + mu L_g)^2 over the spaces with e_g != 0.
std::vector<double> cleared(const Secular& s, const std::vector<const Space*>& poles) {
  std::vector<double> sum{s.constant, s.slope};
  for (const Space* g : poles) {
    sum = times(sum, times({1, g->value}, {1, g->value}));
  }
  for (const Space* g : poles) {
    std::vector<double> part{g->value * g->e2};
    for (const Space* other : poles) {
      if (other != g) {
        part = times(part, times({1, other->value}, {1, other->value}));
      }
    }
    for (std::size_t k = 0; k < part.size(); ++k) {
      sum[k] += part[k];
    }
  }
  return sum;
}

Secular in_eigenbasis(const Quadric& quadric, const std::vector<double>& c, const linear::SymmetricEigen& eigen) {
  const std::size_t p = c.size();
  Secular s;
  s.c.assign(p, 0.0);
  s.b.assign(p, 0.0);
  s.e.assign(p, 0.0);
  double largest = 0;
  for (const double value : eigen.values) {
    largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t k = 0; k < p; ++k) {
      s.c[i] += eigen.vectors(k, i) * c[k];
      s.b[i] += eigen.vectors(k, i) * quadric.b[k];
    }
  }
  s.constant = quadric.d;
  s.scale = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const double value = eigen.values[i];
    if (std::abs(value) <= kernel_part * largest) {
      s.kernel.push_back(i);
      s.constant += 2 * s.b[i] * s.c[i];
      s.slope -= 2 * s.b[i] * s.b[i];
      s.scale = std::max(s.scale, std::abs(s.c[i]));
      continue;
    }
    // Eigenvalues come in ascending order: equal ones stand side by side.
    if (s.spaces.empty() || std::abs(s.spaces.back().value - value) > same_eigenvalue * largest) {
      s.spaces.push_back(Space{value, {}, 0});
    }
    Space& g = s.spaces.back();
    g.axes.push_back(i);
    s.e[i] = s.c[i] + s.b[i] / g.value;
    s.scale = std::max({s.scale, std::abs(s.c[i]), std::abs(s.b[i] / g.value)});
    s.constant -= s.b[i] * s.b[i] / g.value;
    g.e2 += s.e[i] * s.e[i];
  }
  for (Space& g : s.spaces) {
    if (g.e2 <= vanishing_part * vanishing_part * s.scale * s.scale) {
      g.e2 = 0;
      for (const std::size_t i : g.axes) {
        s.e[i] = 0;
      }
    }
  }
  return s;
}

}  // namespace

double Quadric::value(const std::vector<double>& u) const {
  double sum = d;
  for (std::size_t i = 0; i < u.size(); ++i) {
    double row = 2 * b[i];
    for (std::size_t j = 0; j < u.size(); ++j) {
      row += q(i, j) * u[j];
    }
    sum += u[i] * row;
  }
  return sum;
}

double Quadric::scale(const std::vector<double>& u) const {
  double sum = std::abs(d);
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum += std::abs(2 * b[i] * u[i]);
    for (std::size_t j = 0; j < u.size(); ++j) {
      sum += std::abs(u[i] * q(i, j) * u[j]);
    }
  }
  return sum;
}

std::vector<QuadricPoint> stationary_points(const Quadric& quadric, const std::vector<double>& c) {
  const std::size_t p = c.size();
  const linear::SymmetricEigen eigen = linear::symmetric_eigen(quadric.q);
  const Secular s = in_eigenbasis(quadric, c, eigen);
  std::vector<QuadricPoint> points;
  const auto add = [&](const std::vector<double>& in_basis, bool continuum) {
    QuadricPoint point;
    point.u.assign(p, 0.0);
    for (std::size_t k = 0; k < p; ++k) {
      for (std::size_t i = 0; i < p; ++i) {
        point.u[k] += eigen.vectors(k, i) * in_basis[i];
      }
      if (!std::isfinite(point.u[k])) {
        return;
      }
    }
    for (std::size_t k = 0; k < p; ++k) {
      point.distance2 += (point.u[k] - c[k]) * (point.u[k] - c[k]);
    }
    point.continuum = continuum;
    points.push_back(std::move(point));
  };

  // The point itself, if it lies on the quadric.
  if (std::abs(quadric.value(c)) <= on_quadric * quadric.scale(c) || quadric.scale(c) == 0) {
    points.push_back(QuadricPoint{c, 0, false});
  }

  // Ordinary roots of the secular equation.
  std::vector<const Space*> poles;
  for (const Space& g : s.spaces) {
    if (g.e2 > 0) {
      poles.push_back(&g);
    }
  }
  if (!poles.empty() || s.slope != 0) {
    for (double mu : linear::real_roots(cleared(s, poles))) {
      double derivative = 0;
      double size = 0;
      for (int step = 0; step < newton_steps; ++step) {
        const double value = s.phi(mu, derivative, size);
        const double next = mu - value / derivative;
        if (!std::isfinite(next) || std::abs(next - mu) > newton_leap * (1 + std::abs(mu))) {
          break;
        }
        const bool still = std::abs(next - mu) <= newton_still * std::abs(mu);
        mu = next;
        if (still) {
          break;
        }
      }
      const double value = s.phi(mu, derivative, size);
      if (std::isfinite(value) && std::abs(value) <= root_part * size) {
        add(s.point(mu, nullptr), false);
      }
    }
  }

  // Spheres at the poles where e vanishes.
  for (const Space& g : s.spaces) {
    if (g.e2 > 0) {
      continue;
    }
    const double mu = -1 / g.value;
    double rest = s.constant + s.slope * mu;
    bool defined = true;
    for (const Space& other : s.spaces) {
      if (&other != &g && other.e2 > 0) {
        const double factor = 1 + mu * other.value;
        defined = defined && factor != 0;
        rest += other.value * other.e2 / (factor * factor);
      }
    }
    const double radius2 = -rest / g.value;
    if (!defined || !(radius2 > least_radius * least_radius * s.scale * s.scale)) {
      continue;
    }
    const double radius = std::sqrt(radius2);
    const std::vector<double> centre = s.point(mu, &g);
    if (g.axes.size() == 1) {
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> u = centre;
        u[g.axes[0]] += sign * radius;
        add(u, false);
      }
      continue;
    }
    for (int k = 0; k < circle_members; ++k) {
      // Members on great circles through neighbouring axes, so that every axis is met.
      const double angle = 2 * std::numbers::pi * k / circle_members;
      const std::size_t first = static_cast<std::size_t>(k) % g.axes.size();
      const std::size_t second = (first + 1) % g.axes.size();
      std::vector<double> u = centre;
      u[g.axes[g.axes.size() == 2 ? 0 : first]] += radius * elementary::cos(angle);
      u[g.axes[g.axes.size() == 2 ? 1 : second]] += radius * elementary::sin(angle);
      add(u, true);
    }
  }

  // The vertex, where the gradient of the quadric vanishes on it.
  bool vertex = true;
  for (const std::size_t i : s.kernel) {
    vertex = vertex && std::abs(s.b[i]) <= vertex_slope * (1 + std::abs(s.c[i]));
  }
  double terms = std::abs(quadric.d);
  for (const Space& g : s.spaces) {
    for (const std::size_t i : g.axes) {
      terms += s.b[i] * s.b[i] / std::abs(g.value);
    }
  }
  if (vertex && std::abs(s.constant) <= vertex_part * terms) {
    std::vector<double> u(p, 0.0);
    for (const Space& g : s.spaces) {
      for (const std::size_t i : g.axes) {
        u[i] = -s.b[i] / g.value;
      }
    }
    for (const std::size_t i : s.kernel) {
      u[i] = s.c[i];
    }
    add(u, false);
  }

  std::stable_sort(points.begin(), points.end(),
                   [](const QuadricPoint& x, const QuadricPoint& y) { return x.distance2 < y.distance2; });
  return points;
}

}  // namespace zwang::instant
