/// The series of linked bodies, order by order: turns, accelerations, rows of their joints.
#include "zwang/motion/links.hpp"

#include <algorithm>
#include <cmath>

#include "zwang/motion/strands.hpp"

namespace zwang::motion {

namespace {

using expressions::Quad;

constexpr std::size_t lanes = Links::side;

[[gnu::always_inline]] inline const Quad& quad(const double* from) { return *reinterpret_cast<const Quad*>(from); }
[[gnu::always_inline]] inline Quad& quad(double* at) { return *reinterpret_cast<Quad*>(at); }

/// The products of W in W x I W, for a symmetric I: component c by W_x^2, W_y^2, W_z^2, W_y W_z, W_z W_x, W_x W_y.
std::array<double, 18> turning_of(const std::array<double, 9>& m) {
  const double xx = m[0], yy = m[4], zz = m[8], yz = m[5], zx = m[2], xy = m[1];
  return {0,   yz,  -yz, zz - yy, -xy,     zx,   //
          -zx, 0,   zx,  xy,      xx - zz, -yz,  //
          xy,  -xy, 0,   -zx,     yz,      yy - xx};
}

/// The factors of the products above.
constexpr std::array<std::pair<std::size_t, std::size_t>, 6> pairs_of_spin = {
    {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {2, 0}, {0, 1}}};

std::array<double, 9> inverse_of(const std::array<double, 9>& m) {
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return m.at(a) * m.at(d) - m.at(b) * m.at(c);
  };
  const double xx = minor(4, 5, 7, 8);
  const double xy = -minor(3, 5, 6, 8);
  const double xz = minor(3, 4, 6, 7);
  const double whole = m[0] * xx + m[1] * xy + m[2] * xz;
  const double yy = minor(0, 2, 6, 8);
  const double yz = -minor(0, 1, 6, 7);
  const double zz = minor(0, 1, 3, 4);
  return {xx / whole, xy / whole, xz / whole, xy / whole, yy / whole, yz / whole, xz / whole, yz / whole, zz / whole};
}

/// Order m >= 1 of R from the products of components of e: xx, yy, zz, yz, zx, xy, wx, wy, wz.
[[gnu::always_inline]] inline void turn_of(const Quad* p, bool first, double* to, std::size_t stride) {
  const Quad one = Quad{} + (first ? 1.0 : 0.0);
  quad(to) = one - 2 * (p[1] + p[2]);
  quad(to + stride) = 2 * (p[5] - p[8]);
  quad(to + 2 * stride) = 2 * (p[4] + p[7]);
  quad(to + 3 * stride) = 2 * (p[5] + p[8]);
  quad(to + 4 * stride) = one - 2 * (p[0] + p[2]);
  quad(to + 5 * stride) = 2 * (p[3] - p[6]);
  quad(to + 6 * stride) = 2 * (p[4] - p[7]);
  quad(to + 7 * stride) = 2 * (p[3] + p[6]);
  quad(to + 8 * stride) = one - 2 * (p[0] + p[1]);
}
[[gnu::always_inline]] inline void add_turn_of(const Quad* p, double* to, std::size_t stride) {
  quad(to) -= 2 * (p[1] + p[2]);
  quad(to + stride) += 2 * (p[5] - p[8]);
  quad(to + 2 * stride) += 2 * (p[4] + p[7]);
  quad(to + 3 * stride) += 2 * (p[5] + p[8]);
  quad(to + 4 * stride) -= 2 * (p[0] + p[2]);
  quad(to + 5 * stride) += 2 * (p[3] - p[6]);
  quad(to + 6 * stride) += 2 * (p[4] - p[7]);
  quad(to + 7 * stride) += 2 * (p[3] + p[6]);
  quad(to + 8 * stride) -= 2 * (p[0] + p[1]);
}
/// Products of components, a_i b_j + b_i a_j.
[[gnu::always_inline]] inline void products_of(const Quad* a, const Quad* b, Quad* p) {
  p[0] = 2 * (a[1] * b[1]);
  p[1] = 2 * (a[2] * b[2]);
  p[2] = 2 * (a[3] * b[3]);
  p[3] = a[2] * b[3] + b[2] * a[3];
  p[4] = a[3] * b[1] + b[3] * a[1];
  p[5] = a[1] * b[2] + b[1] * a[2];
  p[6] = a[0] * b[1] + b[0] * a[1];
  p[7] = a[0] * b[2] + b[0] * a[2];
  p[8] = a[0] * b[3] + b[0] * a[3];
}
/// G a: half the spin in the body's axes that a rate a of e is; and G^T w.
[[gnu::always_inline]] inline void spin_of_rate(const Quad* e, const Quad* a, Quad* w) {
  w[0] = e[0] * a[1] - e[1] * a[0] + (e[3] * a[2] - e[2] * a[3]);
  w[1] = e[0] * a[2] - e[2] * a[0] + (e[1] * a[3] - e[3] * a[1]);
  w[2] = e[0] * a[3] - e[3] * a[0] + (e[2] * a[1] - e[1] * a[2]);
}
[[gnu::always_inline]] inline void rate_of_spin(const Quad* e, const Quad* w, Quad* a) {
  a[0] = -(e[1] * w[0] + e[2] * w[1] + e[3] * w[2]);
  a[1] = e[0] * w[0] + (e[2] * w[2] - e[3] * w[1]);
  a[2] = e[0] * w[1] + (e[3] * w[0] - e[1] * w[2]);
  a[3] = e[0] * w[2] + (e[1] * w[1] - e[2] * w[0]);
}

}  // namespace

struct LinkKernels {
  /// sum += sum_{l = first..last} a_l b_{m-l}. (Vectors are not returned: calls would depend on the processor.)
  [[gnu::always_inline]] static void add_product(const double* a, const double* b, unsigned m, unsigned first,
                                                 unsigned last, Quad& sum) {
    for (unsigned l = first; l <= last; ++l) sum += quad(a + lanes * l) * quad(b + lanes * (m - l));
  }
  /// The same of three components.
  [[gnu::always_inline]] static void add_inner(const double* a, const double* b, std::size_t stride_a,
                                               std::size_t stride_b, unsigned m, unsigned first, unsigned last,
                                               Quad& sum) {
    for (unsigned l = first; l <= last; ++l) {
      const double* x = a + lanes * l;
      const double* y = b + lanes * (m - l);
      sum +=
          quad(x) * quad(y) + quad(x + stride_a) * quad(y + stride_b) + quad(x + 2 * stride_a) * quad(y + 2 * stride_b);
    }
  }

  /// e W of order k + 1 without W_{k+1}.
  [[gnu::always_inline]] static void turn_on(const double* e, const double* spin, std::size_t stride, unsigned k,
                                             Quad* t) {
    t[0] = t[1] = t[2] = t[3] = Quad{};
    for (unsigned l = 1; l <= k + 1; ++l) {
      const double* at = e + lanes * l;
      const double* of = spin + lanes * (k + 1 - l);
      const Quad w = quad(at), x = quad(at + stride), y = quad(at + 2 * stride), z = quad(at + 3 * stride);
      const Quad a = quad(of), b = quad(of + stride), c = quad(of + 2 * stride);
      t[0] -= x * a + y * b + z * c;
      t[1] += w * a + (y * c - z * b);
      t[2] += w * b + (z * a - x * c);
      t[3] += w * c + (x * b - y * a);
    }
  }
  /// Products of components of e, order m, without e_m.
  [[gnu::always_inline]] static void squares(const double* e, std::size_t stride, unsigned m, Quad* p) {
    Quad xx = {}, yy = {}, zz = {}, yz = {}, zx = {}, xy = {}, wx = {}, wy = {}, wz = {};
    for (unsigned l = 1; l < m; ++l) {
      const double* at = e + lanes * l;
      const double* of = e + lanes * (m - l);
      const Quad w = quad(at), x = quad(at + stride), y = quad(at + 2 * stride), z = quad(at + 3 * stride);
      const Quad b = quad(of + stride), c = quad(of + 2 * stride), d = quad(of + 3 * stride);
      xx += x * b;
      yy += y * c;
      zz += z * d;
      yz += y * d;
      zx += z * b;
      xy += x * c;
      wx += w * b;
      wy += w * c;
      wz += w * d;
    }
    p[0] = xx, p[1] = yy, p[2] = zz, p[3] = yz, p[4] = zx, p[5] = xy, p[6] = wx, p[7] = wy, p[8] = wz;
  }

  /// N - W x I W, as far as it is known at order k.
  [[gnu::always_inline]] static void torques(const Links::Chunk& chunk, const double* room, std::size_t stride,
                                             unsigned k, Quad* torque) {
    for (std::size_t c = 0; c < 3; ++c) torque[c] = quad(chunk.torque + c * lanes);
    const double* spin = room + Links::at_spin * stride;
    for (std::size_t s = 0; s < 6; ++s) {
      if (!chunk.product[s]) continue;
      const auto [a, b] = pairs_of_spin[s];
      Quad both = {};
      add_product(spin + a * stride, spin + b * stride, k, 0, k, both);
      for (std::size_t c = 0; c < 3; ++c) torque[c] -= quad(chunk.turning + (6 * c + s) * lanes) * both;
    }
    if (k == 0) return;
    const double* turn = room + Links::at_turn * stride;
    for (std::size_t c = 0; c < 3; ++c) {
      if (!chunk.column[c]) continue;
      // The arm's part along axis c, times R^T F: of that the two other components.
      const std::size_t b = (c + 1) % 3;
      const std::size_t d = (c + 2) % 3;
      const double* load = room + (Links::at_load + 3 * c) * stride;
      Quad less = {};
      add_inner(turn + b * stride, load, 3 * stride, stride, k, 1, k, torque[d]);
      add_inner(turn + d * stride, load, 3 * stride, stride, k, 1, k, less);
      torque[b] -= less;
    }
  }

  [[gnu::always_inline]] static void extend_bodies(Links& links, const Links::Known& known) {
    const std::size_t stride = links.orders_ * lanes;
    const unsigned k = known.k;
    for (std::size_t number = 0; number < links.chunks_.size(); ++number) {
      Links::Chunk& chunk = links.chunks_[number];
      double* room = links.body_room(number);
      Quad e[4], t[4], p[9], more[9], torque[3], w[3], half[3], out[4];
      for (std::size_t c = 0; c < 4; ++c) e[c] = quad(room + c * stride);
      turn_on(room, room + Links::at_spin * stride, stride, k, t);
      const double half_of_order = 0.5 * (k + 1.0);
      for (std::size_t c = 0; c < 4; ++c) quad(chunk.leaning + c * lanes) = t[c] = half_of_order * t[c];
      const Quad along = e[0] * t[0] + e[1] * t[1] + (e[2] * t[2] + e[3] * t[3]);
      squares(room, stride, k + 2, p);
      // Along e_0 the next coefficient is known already.
      products_of(e, e, more);
      const Quad part = along / ((k + 1.0) * (k + 2.0));
      for (std::size_t i = 0; i < 9; ++i) p[i] += part * more[i];
      turn_of(p, false, room + Links::at_turn * stride + (k + 2) * lanes, stride);
      torques(chunk, room, stride, k, torque);
      spin_of_rate(e, t, w);
      for (std::size_t c = 0; c < 3; ++c) {
        const double* m = chunk.inertia + 3 * c * lanes;
        half[c] = torque[c] + 2 * (quad(m) * w[0] + quad(m + lanes) * w[1] + quad(m + 2 * lanes) * w[2]);
      }
      rate_of_spin(e, half, out);
      const Quad stretched = quad(chunk.stretching) * along;
      for (std::size_t c = 0; c < 4; ++c) out[c] = 2 * out[c] + stretched * e[c];
      for (std::size_t l = 0; l < lanes && number * lanes + l < links.bodies_.size(); ++l) {
        double* to = known.force + links.bodies_[number * lanes + l].first + 3;
        for (std::size_t c = 0; c < 4; ++c) to[c] += out[c][l];
      }
    }
  }

  /// Torques of hinges on their second bodies, of the multipliers of lower orders.
  [[gnu::always_inline]] static void twist(Links& links, unsigned k) {
    for (Links::Chunk& chunk : links.chunks_) std::fill(std::begin(chunk.torque), std::end(chunk.torque), 0.0);
    if (k == 0) return;
    const std::size_t stride = links.orders_ * lanes;
    for (std::size_t first = 0; first < links.hinges_.size(); first += lanes) {
      const double* room = links.joint_room(first / lanes);
      const double* angle = room + Links::at_angle * stride;
      const double* press = room + Links::at_press * stride;
      Quad by_p = {}, by_q = {};
      for (unsigned l = 1; l <= k; ++l) {
        const Quad c = quad(angle + lanes * l), s = quad(angle + stride + lanes * l);
        const Quad a = quad(press + lanes * (k - l)), b = quad(press + stride + lanes * (k - l));
        by_p += s * a + c * b;
        by_q += s * b - c * a;
      }
      for (std::size_t l = 0; l < lanes && first + l < links.hinges_.size(); ++l) {
        const Links::Joint& joint = links.joints_[links.hinges_[first + l]];
        if (joint.second.body == Links::none) continue;
        Links::Chunk& chunk = links.chunks_[joint.second.body / lanes];
        for (std::size_t c = 0; c < 3; ++c) {
          chunk.torque[c * lanes + joint.second.body % lanes] +=
              by_p[l] * joint.directions[9 + c] + by_q[l] * joint.directions[12 + c];
        }
      }
    }
  }

  /// Coefficient m of a direction of a body, or of one that does not turn.
  [[gnu::always_inline]] static void carry(Links& links, std::uint32_t body, const double* direction, unsigned m,
                                           double* to, std::size_t stride) {
    if (body == Links::none) {
      for (std::size_t c = 0; c < 3; ++c) to[c * stride] = m == 0 ? direction[c] : 0.0;
      return;
    }
    const double* turn = &links.of_body(body, Links::at_turn, m);
    for (std::size_t c = 0; c < 3; ++c, turn += 3 * stride) {
      to[c * stride] = turn[0] * direction[0] + turn[stride] * direction[1] + turn[2 * stride] * direction[2];
    }
  }
  /// Directions of the hinges, coefficient m.
  [[gnu::always_inline]] static void carry_all(Links& links, unsigned m, bool last) {
    const std::size_t stride = links.orders_ * lanes;
    for (std::size_t h = 0; h < links.hinges_.size(); ++h) {
      const Links::Joint& joint = links.joints_[links.hinges_[h]];
      double* to = links.joint_room(h / lanes) + m * lanes + h % lanes;
      const double* from = joint.directions.data();
      carry(links, joint.first.body, from, m, to + Links::at_p * stride, stride);
      carry(links, joint.first.body, from + 3, m, to + Links::at_q * stride, stride);
      carry(links, joint.second.body, from + 6, m, to + Links::at_axis * stride, stride);
      if (last) carry(links, joint.second.body, from + 9, m, to + Links::at_other * stride, stride);
    }
  }

  [[gnu::always_inline]] static void extend_rows(Links& links, const Links::Known& known) {
    const std::size_t stride = links.orders_ * lanes;
    const unsigned m = known.k + 2;
    const double factor = (known.k + 1.0) * (known.k + 2.0);
    for (const Links::Joint& joint : links.joints_) {
      double apart[3] = {};
      for (const Links::End* end : {&joint.second, &joint.first}) {
        if (end->body == Links::none) continue;
        const double sign = end == &joint.second ? factor : -factor;
        const double* turn = &links.of_body(end->body, Links::at_turn, m);
        for (double& x : apart) {
          x += sign * (turn[0] * end->arm[0] + turn[stride] * end->arm[1] + turn[2 * stride] * end->arm[2]);
          turn += 3 * stride;
        }
      }
      for (std::size_t c = 0; c < 3; ++c) known.right[joint.row[c]] = apart[c];
    }
    carry_all(links, m, false);
    for (std::size_t first = 0; first < links.hinges_.size(); first += lanes) {
      const double* room = links.joint_room(first / lanes);
      const double* axis = room + Links::at_axis * stride;
      Quad p = {}, q = {};
      add_inner(room + Links::at_p * stride, axis, stride, stride, m, 0, m, p);
      add_inner(room + Links::at_q * stride, axis, stride, stride, m, 0, m, q);
      for (std::size_t l = 0; l < lanes && first + l < links.hinges_.size(); ++l) {
        const Links::Joint& joint = links.joints_[links.hinges_[first + l]];
        known.right[joint.row[3]] = factor * p[l];
        known.right[joint.row[4]] = factor * q[l];
      }
    }
  }

  [[gnu::always_inline]] static void extend(Links& links, const Links::Known& known) {
    twist(links, known.k);
    extend_bodies(links, known);
    extend_rows(links, known);
  }

  /// Coefficient m of the angles of the hinges.
  [[gnu::always_inline]] static void find_angles(Links& links, unsigned m) {
    const std::size_t stride = links.orders_ * lanes;
    for (std::size_t first = 0; first < links.hinges_.size(); first += lanes) {
      double* room = links.joint_room(first / lanes);
      const double* other = room + Links::at_other * stride;
      double* angle = room + Links::at_angle * stride + m * lanes;
      Quad c = {}, s = {};
      add_inner(room + Links::at_p * stride, other, stride, stride, m, 0, m, c);
      add_inner(room + Links::at_q * stride, other, stride, stride, m, 0, m, s);
      quad(angle) = c;
      quad(angle + stride) = -s;
    }
  }

  [[gnu::always_inline]] static void take(Links& links, const Links::Found& found) {
    const std::size_t stride = links.orders_ * lanes;
    const unsigned k = found.k;
    const unsigned m = k + 2;
    for (std::size_t number = 0; number < links.chunks_.size(); ++number) {
      const Links::Chunk& chunk = links.chunks_[number];
      double* room = links.body_room(number);
      Quad e[4], t[4], a[4], next[4], p[9], w[3];
      for (std::size_t c = 0; c < 4; ++c) {
        e[c] = quad(room + c * stride);
        t[c] = quad(chunk.leaning + c * lanes);
        a[c] = next[c] = Quad{};
      }
      for (std::size_t l = 0; l < lanes && number * lanes + l < links.bodies_.size(); ++l) {
        const std::size_t at = links.bodies_[number * lanes + l].first + 3;
        for (std::size_t c = 0; c < 4; ++c) {
          a[c][l] = found.acceleration[at + c];
          next[c][l] = found.q_next[at + c];
        }
      }
      const Quad along = e[0] * t[0] + e[1] * t[1] + (e[2] * t[2] + e[3] * t[3]);
      const Quad part = along / ((k + 1.0) * (k + 2.0));
      for (std::size_t c = 0; c < 4; ++c) {
        quad(room + c * stride + m * lanes) = next[c];
        a[c] -= t[c];
        next[c] -= part * e[c];
      }
      spin_of_rate(e, a, w);
      for (std::size_t c = 0; c < 3; ++c)
        quad(room + (Links::at_spin + c) * stride + (k + 1) * lanes) = (2 / (k + 1.0)) * w[c];
      products_of(e, next, p);
      add_turn_of(p, room + Links::at_turn * stride + m * lanes, stride);
      for (std::size_t c = 0; c < 9; ++c) quad(room + (Links::at_load + c) * stride + k * lanes) = Quad{};
    }
    for (const Links::Joint& joint : links.joints_) {
      for (const Links::End* end : {&joint.second, &joint.first}) {
        if (end->body == Links::none) continue;
        double* load = &links.of_body(end->body, Links::at_load, k);
        for (std::size_t c = 0; c < 3; ++c) {
          if (end->arm[c] == 0) continue;
          const double by = end == &joint.second ? -end->arm[c] : end->arm[c];
          for (std::size_t d = 0; d < 3; ++d) load[(3 * c + d) * stride] += by * found.lambda[joint.row[d]];
        }
      }
    }
    carry_all(links, m, true);
    for (std::size_t h = 0; h < links.hinges_.size(); ++h) {
      const Links::Joint& joint = links.joints_[links.hinges_[h]];
      double* press = links.joint_room(h / lanes) + Links::at_press * stride + k * lanes + h % lanes;
      press[0] = found.lambda[joint.row[3]];
      press[stride] = found.lambda[joint.row[4]];
    }
    find_angles(links, m);
  }

  /// M^-1 = G^T I^-1 G / 4 + e e^T / c.
  [[gnu::always_inline]] static void weigh(Links& links, const double* force, double* acceleration) {
    const std::size_t stride = links.orders_ * lanes;
    for (std::size_t number = 0; number < links.chunks_.size(); ++number) {
      const Links::Chunk& chunk = links.chunks_[number];
      const double* room = links.body_room(number);
      Quad e[4], f[4], w[3], half[3], out[4];
      for (std::size_t c = 0; c < 4; ++c) {
        e[c] = quad(room + c * stride);
        f[c] = Quad{};
      }
      const std::size_t count = std::min(lanes, links.bodies_.size() - number * lanes);
      for (std::size_t l = 0; l < count; ++l) {
        const double* from = force + links.bodies_[number * lanes + l].first + 3;
        for (std::size_t c = 0; c < 4; ++c) f[c][l] = from[c];
      }
      spin_of_rate(e, f, w);
      for (std::size_t c = 0; c < 3; ++c) {
        const double* m = chunk.inverse + 3 * c * lanes;
        half[c] = 0.25 * (quad(m) * w[0] + quad(m + lanes) * w[1] + quad(m + 2 * lanes) * w[2]);
      }
      rate_of_spin(e, half, out);
      const Quad along = (e[0] * f[0] + e[1] * f[1] + (e[2] * f[2] + e[3] * f[3])) / quad(chunk.stretching);
      for (std::size_t c = 0; c < 4; ++c) out[c] += along * e[c];
      for (std::size_t l = 0; l < count; ++l) {
        double* to = acceleration + links.bodies_[number * lanes + l].first + 3;
        for (std::size_t c = 0; c < 4; ++c) to[c] = out[c][l];
      }
    }
  }

  static void weigh_plain(Links& links, const double* force, double* a) { weigh(links, force, a); }
  static void extend_plain(Links& links, const Links::Known& known) { extend(links, known); }
  static void take_plain(Links& links, const Links::Found& found) { take(links, found); }
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  [[gnu::target("avx2")]] static void extend_wide(Links& links, const Links::Known& known) { extend(links, known); }
  [[gnu::target("avx2")]] static void weigh_wide(Links& links, const double* force, double* a) {
    weigh(links, force, a);
  }
  [[gnu::target("avx2")]] static void take_wide(Links& links, const Links::Found& found) { take(links, found); }
#endif
};

void Links::choose_kernels() {
  extend_ = LinkKernels::extend_plain;
  take_ = LinkKernels::take_plain;
  weigh_ = LinkKernels::weigh_plain;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (__builtin_cpu_supports("avx2") != 0) {
    extend_ = LinkKernels::extend_wide;
    take_ = LinkKernels::take_wide;
    weigh_ = LinkKernels::weigh_wide;
  }
#endif
}

void Links::clear() {
  bodies_.clear();
  joints_.clear();
  hinges_.clear();
  chunks_.clear();
}

void Links::set(std::vector<Body> bodies, std::vector<Joint> joints, unsigned orders) {
  clear();
  bodies_ = std::move(bodies);
  joints_ = std::move(joints);
  orders_ = orders;
  for (std::uint32_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j].hinge) hinges_.push_back(j);
  }
  chunks_.resize((bodies_.size() + side - 1) / side);
  for (std::size_t b = 0; b < chunks_.size() * side; ++b) {
    // Lanes that idle repeat the last body's numbers; what they compute is not read.
    const Body& body = bodies_[std::min(b, bodies_.size() - 1)];
    Chunk& chunk = chunks_[b / side];
    const std::array<double, 9> inverse = inverse_of(body.inertia);
    const std::array<double, 18> turning = turning_of(body.inertia);
    for (std::size_t k = 0; k < 9; ++k) {
      chunk.inertia[k * side + b % side] = body.inertia[k];
      chunk.inverse[k * side + b % side] = inverse[k];
    }
    chunk.stretching[b % side] = body.stretching;
    // No moment is more than the sum of all, and none less than one over the sum of the inverse ones.
    const std::array<double, 9>& m = body.inertia;
    const bool straight = m[1] == 0 && m[2] == 0 && m[5] == 0;
    chunk.spread[b % side] = straight ? std::max({m[0], m[4], m[8]}) / std::min({m[0], m[4], m[8]}) - 1
                                      : (m[0] + m[4] + m[8]) * (inverse[0] + inverse[4] + inverse[8]);
    for (std::size_t k = 0; k < 18; ++k) {
      chunk.turning[k * side + b % side] = turning[k];
      if (turning[k] != 0) chunk.product[k % 6] = true;
    }
  }
  for (const Joint& joint : joints_) {
    for (const End* end : {&joint.first, &joint.second}) {
      if (end->body == none) continue;
      for (std::size_t c = 0; c < 3; ++c) {
        if (end->arm[c] != 0) chunks_[end->body / side].column[c] = true;
      }
    }
  }
  body_room_.assign(chunks_.size() * body_series * orders_ * side, 0.0);
  joint_room_.assign((hinges_.size() + side - 1) / side * joint_series * orders_ * side, 0.0);
  choose_kernels();
}

void Links::begin(const double* q, const double* v) {
  const std::size_t stride = orders_ * side;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    for (std::size_t c = 0; c < 4; ++c) {
      double* to = body_room(b / side) + c * stride + b % side;
      to[0] = q[bodies_[b].first + 3 + c];
      to[side] = v[bodies_[b].first + 3 + c];
    }
  }
  for (std::size_t number = 0; number < chunks_.size(); ++number) {
    double* room = body_room(number);
    Quad e[4], a[4], p[9], w[3];
    for (std::size_t c = 0; c < 4; ++c) {
      e[c] = quad(room + c * stride);
      a[c] = quad(room + c * stride + side);
    }
    products_of(e, e, p);
    for (Quad& one : p) one = 0.5 * one;
    turn_of(p, true, room + at_turn * stride, stride);
    products_of(e, a, p);
    turn_of(p, false, room + at_turn * stride + side, stride);
    spin_of_rate(e, a, w);
    for (std::size_t c = 0; c < 3; ++c) quad(room + (at_spin + c) * stride) = 2 * w[c];
  }
  for (unsigned m = 0; m < 2; ++m) {
    LinkKernels::carry_all(*this, m, true);
    LinkKernels::find_angles(*this, m);
  }
}

void straighten_quaternion(double* e, double* rate) {
  const double over = ((e[0] * e[0] - 1) + e[1] * e[1]) + (e[2] * e[2] + e[3] * e[3]);
  const double along = e[0] * rate[0] + e[1] * rate[1] + (e[2] * rate[2] + e[3] * rate[3]);
  for (std::size_t c = 0; c < 4; ++c) {
    e[c] -= 0.5 * over * e[c];
    rate[c] -= along * e[c];
  }
}

void Links::straighten(std::vector<double>& position, std::vector<double>& velocity) const {
  for (const Body& body : bodies_)
    straighten_quaternion(position.data() + body.first + 3, velocity.data() + body.first + 3);
}

void Links::forget_overflow() {
  zero_what_is_not_finite(body_room_);
  zero_what_is_not_finite(joint_room_);
}

}  // namespace zwang::motion
