/// The series of slender bodies; see the header for the equations.
#include "zwang/motion/slender.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/motion/links.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

using Three = std::array<double, 3>;
using Four = std::array<double, 4>;

/// G a: half the spin in the body's axes that a rate a of e is.
Three spin_of(const Four& e, const double* a) {
  return {e[0] * a[1] - e[1] * a[0] + (e[3] * a[2] - e[2] * a[3]),
          e[0] * a[2] - e[2] * a[0] + (e[1] * a[3] - e[3] * a[1]),
          e[0] * a[3] - e[3] * a[0] + (e[2] * a[1] - e[1] * a[2])};
}

/// G^T w = e w.
Four turned_by(const Four& e, const Three& w) {
  return {-(e[1] * w[0] + e[2] * w[1] + e[3] * w[2]), e[0] * w[0] + (e[2] * w[2] - e[3] * w[1]),
          e[0] * w[1] + (e[3] * w[0] - e[1] * w[2]), e[0] * w[2] + (e[1] * w[1] - e[2] * w[0])};
}

double sum_of_sizes(const double* x) { return std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]) + std::abs(x[3]); }

}  // namespace

void SlenderBodies::set(std::span<const model::Slender> bodies, unsigned orders) {
  bodies_.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    One& one = bodies_[b];
    one.body = bodies[b];
    one.e.assign(orders, {});
    one.spin.assign(orders, {});
    one.force.assign(orders, {});
    one.size.assign(orders, 0.0);
  }
}

void SlenderBodies::begin(const double* q, const double* v) {
  for (One& one : bodies_) {
    const std::size_t at = one.body.first + 3;
    std::copy_n(q + at, 4, one.e[0].begin());
    std::copy_n(v + at, 4, one.e[1].begin());
    one.spin[0] = spin_of(one.e[0], v + at);
    for (double& w : one.spin[0]) w *= 2;
    one.twisted = false;
  }
}

double SlenderBodies::size_of(const One& one, const double* force) {
  const double* f = force + one.body.first;
  return sum_of_sizes(f + 3) + one.body.reach * (std::abs(f[0]) + std::abs(f[1]) + std::abs(f[2]));
}

void SlenderBodies::extend(unsigned k) {
  for (One& one : bodies_) {
    // e W of order k + 1 without W_{k+1}.
    Four lean{};
    for (unsigned l = 1; l <= k + 1; ++l) {
      const Four part = turned_by(one.e[l], one.spin[k + 1 - l]);
      for (std::size_t c = 0; c < 4; ++c) lean[c] += part[c];
    }
    for (std::size_t c = 0; c < 4; ++c) one.leaning[c] = 0.5 * (k + 1.0) * lean[c];

    // -W x I W: about an axis of symmetry exactly nothing.
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t b = (c + 1) % 3, d = (c + 2) % 3;
      double both = 0;
      for (unsigned l = 0; l <= k; ++l) both += one.spin[l][b] * one.spin[k - l][d];
      one.inertia[c] = (one.body.moments[b] - one.body.moments[d]) * both;
    }

    // Forces of lower orders, turned.
    one.torque = {};
    one.of_torque = 0;
    for (unsigned l = 1; l <= k; ++l) {
      const Three part = spin_of(one.e[l], one.force[k - l].data());
      for (std::size_t c = 0; c < 3; ++c) one.torque[c] += 0.5 * part[c];
      one.of_torque += 0.5 * sum_of_sizes(one.e[l].data()) * one.size[k - l];
    }
  }
}

void SlenderBodies::add_sizes(double* size) const {
  for (const One& one : bodies_) {
    Three whole = spin_of(one.e[0], one.leaning.data());
    for (std::size_t c = 0; c < 3; ++c) whole[c] = 2 * one.body.moments[c] * whole[c] + one.inertia[c] + one.torque[c];
    const Four inertia = turned_by(one.e[0], whole);
    for (std::size_t c = 0; c < 4; ++c) size[one.body.first + 3 + c] += 2 * std::abs(inertia[c]);
  }
}

void SlenderBodies::weigh(unsigned k, const double* force, double* a) {
  for (One& one : bodies_) {
    const std::size_t at = one.body.first + 3;
    const double* f = force + at;
    const Three now = spin_of(one.e[0], f);
    for (std::size_t c = 0; c < 3; ++c) {
      double torque = one.torque[c] + 0.5 * now[c];
      if (c == one.body.axis) {
        // About the least axis it is known to the rounding of the forces.
        const double terms = one.of_torque + 0.5 * sum_of_sizes(one.e[0].data()) * size_of(one, force);
        if (std::abs(torque) <= (k + 1) * rounding_of_a_twist * terms) torque = 0;
        one.twisted = one.twisted || torque != 0;
      }
      one.turning[c] = (one.inertia[c] + torque) / one.body.moments[c];
    }
    const Four turned = turned_by(one.e[0], one.turning);
    // What Q_k has along e_0 is that of lower orders, turned: Q.e = 0 on the whole step. It does nothing.
    for (std::size_t c = 0; c < 4; ++c) a[at + c] = one.leaning[c] + 0.5 * turned[c];
  }
}

void SlenderBodies::take(unsigned k, const double* force, const double* q_next) {
  for (One& one : bodies_) {
    const std::size_t at = one.body.first + 3;
    std::copy_n(q_next + at, 4, one.e[k + 2].begin());
    for (std::size_t c = 0; c < 3; ++c) one.spin[k + 1][c] = one.turning[c] / (k + 1.0);
    std::copy_n(force + at, 4, one.force[k].begin());
    one.size[k] = size_of(one, force);
  }
}

void SlenderBodies::add_defects(const expressions::Stretch& stretch, unsigned last, double* absolute) const {
  constexpr std::size_t most = expressions::Stretch::most + 1;
  struct Sizes {
    std::array<double, most> term{};
    std::array<double, most + 1> later{};
    unsigned count = 0;
    void sum_up() {
      later[count] = 0;
      for (unsigned k = count; k-- > 0;) later[k] = later[k + 1] + term[k];
    }
  };
  // sum_{i+j>=order} a_i b_j.
  const auto beyond = [](const Sizes& a, const Sizes& b, unsigned order) {
    double sum = 0;
    for (unsigned i = 0; i < a.count; ++i) {
      const unsigned j = order > i ? order - i : 0;
      if (j < b.count) sum += a.term[i] * b.later[j];
    }
    return sum;
  };
  const auto measured = [&](unsigned count, auto size_at) {
    Sizes out;
    out.count = count;
    for (unsigned k = 0; k < count; ++k) out.term[k] = size_at(k) * stretch.of_length[k];
    out.sum_up();
    return out;
  };
  const auto graded = [](Sizes a) {
    for (unsigned k = 0; k < a.count; ++k) a.term[k] *= k;
    a.sum_up();
    return a;
  };
  for (const One& one : bodies_) {
    const auto length = [](const auto& x) {
      double square = 0;
      for (const double c : x) square += c * c;
      return std::sqrt(square);
    };
    const Sizes e = measured(last + 1, [&](unsigned k) { return length(one.e[k]); });
    const Sizes spin = measured(last, [&](unsigned k) { return length(one.spin[k]); });
    const Sizes force = measured(last - 1, [&](unsigned k) { return length(one.force[k]); });
    // d = e' - e W / 2 and h d'.
    const double off = 0.5 * beyond(e, spin, last);
    const double rate = beyond(graded(e), spin, last) + beyond(e, graded(spin), last);
    const double whole = spin.later[0];
    const double astray = 2 * off * (1 + stretch.length * whole);
    // D = I W' + W x I W - N, and what W x I W changes where the spin is not quite W.
    const double of_force = 0.5 * beyond(e, force, last - 1);
    double square = 0, spread = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t b = (c + 1) % 3, d = (c + 2) % 3;
      const double apart = std::abs(one.body.moments[b] - one.body.moments[d]);
      double sum = c == one.body.axis && !one.twisted ? 0.0 : of_force;
      if (apart > 0) {
        const Sizes first = measured(last, [&](unsigned k) { return std::abs(one.spin[k][b]); });
        const Sizes second = measured(last, [&](unsigned k) { return std::abs(one.spin[k][d]); });
        sum += apart * beyond(first, second, last - 1);
      }
      square += (sum / one.body.moments[c]) * (sum / one.body.moments[c]);
      spread += (apart / one.body.moments[c]) * (apart / one.body.moments[c]);
    }
    const double defect =
        0.5 * rate / stretch.length + (0.25 + 0.5 * std::sqrt(spread)) * whole * astray + 0.5 * std::sqrt(square);
    for (std::size_t c = 0; c < 4; ++c) absolute[one.body.first + 3 + c] += defect;
  }
}

void SlenderBodies::straighten(std::vector<double>& position, std::vector<double>& velocity) const {
  for (const One& one : bodies_)
    straighten_quaternion(position.data() + one.body.first + 3, velocity.data() + one.body.first + 3);
}

void SlenderBodies::forget_overflow() {
  for (One& one : bodies_) {
    for (std::size_t k = 0; k < one.e.size(); ++k) {
      for (double& x : one.e[k]) x = std::isfinite(x) ? x : 0;
      for (double& x : one.spin[k]) x = std::isfinite(x) ? x : 0;
      for (double& x : one.force[k]) x = std::isfinite(x) ? x : 0;
      one.size[k] = std::isfinite(one.size[k]) ? one.size[k] : 0;
    }
  }
}

}  // namespace zwang::motion
