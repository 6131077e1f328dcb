/// Redundant equations and singular positions: bars with all their rods, doors on hinges, linkages that pass their flat position.
///
/// The truth is the motion of the one or two coordinates that are left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "hard/truth.hpp"

namespace zwang::hard {

namespace {

Plain rod(std::string name, std::size_t a, std::size_t b, std::size_t dimension, Real length) {
  return {std::move(name), true, kept * (1 + length), [=](const Sample& s) {
            Real square = 0;
            for (std::size_t k = 0; k < dimension; ++k) {
              const Real d = static_cast<Real>(s.q[a * dimension + k]) - s.q[b * dimension + k];
              square += d * d;
            }
            return std::sqrt(square) - length;
          }};
}

/// n points on a line with every rod between them, forces on some: the centre falls freely, the direction u turns with
/// I u'' = T - (T.u) u - I |u'|^2 u, T = sum s_i F_i.
Case straight_bar(std::uint64_t seed) {
  Dice dice(seed);
  const int points = dice.among(3, 5);
  const std::size_t d = dice.coin() ? 2 : 3;
  std::vector<double> along;
  std::vector<double> mass;
  std::vector<std::vector<double>> force;
  double place = 0;
  for (int k = 0; k < points; ++k) {
    along.push_back(place);
    place += dice.coin() ? 1 : dice.uniform(0.3, 1.5);
    mass.push_back(dice.coin() ? 1 : dice.spread(0.5, 2));
    std::vector<double> f(d, 0);
    if (dice.coin())
      for (auto& x : f) x = dice.uniform(-1, 1);
    force.push_back(f);
  }
  Vector direction(d, 0);
  Vector turning(d, 0);
  if (dice.coin()) {
    direction[0] = 1;
  } else {
    Real norm = 0;
    for (auto& x : direction) x = dice.uniform(-1, 1), norm += x * x;
    for (auto& x : direction) x /= std::sqrt(norm);
  }
  if (dice.below(3) > 0) {
    Real along_it = 0;
    for (auto& x : turning) x = dice.uniform(-2, 2);
    for (std::size_t i = 0; i < d; ++i) along_it += turning[i] * direction[i];
    for (std::size_t i = 0; i < d; ++i) turning[i] -= along_it * direction[i];
  }
  Real all = 0;
  Real middle = 0;
  for (std::size_t k = 0; k < along.size(); ++k) all += mass[k], middle += static_cast<Real>(mass[k]) * along[k];
  middle /= all;
  Real inertia = 0;
  Vector total(d, 0);
  Vector moment(d, 0);
  for (std::size_t k = 0; k < along.size(); ++k) {
    inertia += mass[k] * (along[k] - middle) * (along[k] - middle);
    for (std::size_t i = 0; i < d; ++i) total[i] += force[k][i], moment[i] += (along[k] - middle) * force[k][i];
  }
  const double until = dice.uniform(1, 4);
  const auto at = even_times(0, until, 24);

  std::string text;
  for (std::size_t k = 0; k < along.size(); ++k) {
    std::vector<double> q, v;
    for (std::size_t i = 0; i < d; ++i)
      q.push_back(static_cast<double>(direction[i] * along[k])),
          v.push_back(static_cast<double>(turning[i] * (along[k] - middle)));
    text += fmt::format("[points.b{}]\nmass = {}\nposition = {}\nvelocity = {}\nforce = {}\n", k, number(mass[k]),
                        list(q), list(v), list(force[k]));
  }
  text += "[constraints]\n";
  std::vector<Plain> rods;
  for (std::size_t k = 0; k < along.size(); ++k) {
    for (std::size_t j = k + 1; j < along.size(); ++j) {
      const double length = along[j] - along[k];
      text += fmt::format("rod{}{} = \"distance(b{}, b{}) = {}\"\n", k, j, k, j, number(length));
      rods.push_back(rod(fmt::format("rod{}{}", k, j), k, j, d, length));
    }
  }
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        // (c, u, c', u').
        Vector y(4 * d, 0);
        for (std::size_t i = 0; i < d; ++i)
          y[i] = direction[i] * middle, y[d + i] = direction[i], y[3 * d + i] = turning[i] * (nudged ? 1 + nudge : 1);
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          Real pull = 0;
          Real square = 0;
          for (std::size_t i = 0; i < d; ++i) pull += moment[i] * s[d + i], square += s[3 * d + i] * s[3 * d + i];
          for (std::size_t i = 0; i < d; ++i) {
            rate[i] = s[2 * d + i];
            rate[d + i] = s[3 * d + i];
            rate[2 * d + i] = total[i] / all;
            rate[3 * d + i] = (moment[i] - pull * s[d + i]) / inertia - square * s[d + i];
          }
        };
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, y, time);
          Vector place_now, speed_now;
          for (const double s : along)
            for (std::size_t i = 0; i < d; ++i)
              place_now.push_back(y[i] + (s - middle) * y[d + i]),
                  speed_now.push_back(y[2 * d + i] + (s - middle) * y[3 * d + i]);
          q.push_back(place_now);
          v.push_back(speed_now);
        }
      }));
  out.conditions = std::move(rods);
  return out;
}

/// A door of a few points on two or three hinges of a slanted axis, every point tied to every hinge and to every other.
Case door(std::uint64_t seed) {
  Dice dice(seed);
  const int hinges = dice.among(2, 3);
  const int points = dice.among(1, 2);
  const bool pinned = dice.coin();  // the hinges are points of the door, or fixed places
  const Real slant = dice.below(3) == 0 ? 0 : dice.uniform(0.1, 1);
  const double g = 9.81;
  // The axis, and two directions across it; the second has gravity's part.
  const Real axis[3] = {std::sin(slant), 0, std::cos(slant)};
  const Real low[3] = {std::cos(slant), 0, -std::sin(slant)};
  const Real side[3] = {0, 1, 0};
  std::vector<Real> heights, out_by, mass;
  for (int k = 0; k < points; ++k) {
    heights.push_back(dice.uniform(0.2, 1.8));
    out_by.push_back(dice.uniform(0.5, 1.5));
    mass.push_back(dice.spread(0.5, 2));
  }
  std::vector<Real> hinge;
  for (int k = 0; k < hinges; ++k) hinge.push_back(k);
  const Real angle = dice.coin() ? 0 : dice.uniform(-2, 2);
  const Real spin = dice.coin() ? 0 : dice.uniform(-2, 2);
  const double until = dice.uniform(1, 5);
  const auto at = even_times(0, until, 24);
  const auto put = [&](Real h, Real r, Real a, Real w, Vector& q, Vector& v) {
    for (int i = 0; i < 3; ++i) {
      q.push_back(h * axis[i] + r * (std::cos(a) * low[i] + std::sin(a) * side[i]));
      v.push_back(r * w * (-std::sin(a) * low[i] + std::cos(a) * side[i]));
    }
  };
  const auto state = [&](Real a, Real w, Vector& q, Vector& v) {
    q.clear();
    v.clear();
    for (int k = 0; k < points; ++k)
      put(heights[static_cast<std::size_t>(k)], out_by[static_cast<std::size_t>(k)], a, w, q, v);
    if (pinned)
      for (const Real h : hinge) put(h, 0, a, w, q, v);
  };
  Vector q0, v0;
  state(angle, spin, q0, v0);
  const auto three = [](const Vector& v, std::size_t k) {
    return std::vector<double>{static_cast<double>(v[3 * k]), static_cast<double>(v[3 * k + 1]),
                               static_cast<double>(v[3 * k + 2])};
  };
  std::string text = fmt::format("gravity = [0, 0, {}]\n", number(-g));
  std::vector<std::string> names;
  for (int k = 0; k < points; ++k) {
    names.push_back(fmt::format("p{}", k));
    text += fmt::format("[points.p{}]\nmass = {}\nposition = {}\nvelocity = {}\n", k,
                        number(static_cast<double>(mass[static_cast<std::size_t>(k)])),
                        list(three(q0, static_cast<std::size_t>(k))), list(three(v0, static_cast<std::size_t>(k))));
  }
  std::string pins;
  Vector at_hinges, ignored;
  for (const Real h : hinge) put(h, 0, 0, 0, at_hinges, ignored);
  for (std::size_t k = 0; k < hinge.size(); ++k) {
    const std::string place = list(three(at_hinges, k));
    names.push_back(pinned ? fmt::format("h{}", k) : place);
    if (pinned) {
      text += fmt::format("[points.h{}]\nmass = 1\nposition = {}\n", k, place);
      pins += fmt::format("pin{} = \"h{} = {}\"\n", k, k, place);
    }
  }
  text += "[constraints]\n" + pins;
  std::vector<Plain> conditions;
  for (std::size_t a = 0; a < names.size(); ++a) {
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      if (!pinned && a >= static_cast<std::size_t>(points)) continue;
      const auto of = [&](std::size_t k) {
        return k < static_cast<std::size_t>(points) ? three(q0, k)
                                                    : three(at_hinges, k - static_cast<std::size_t>(points));
      };
      Real square = 0;
      for (std::size_t i = 0; i < 3; ++i)
        square += (static_cast<Real>(of(a)[i]) - of(b)[i]) * (static_cast<Real>(of(a)[i]) - of(b)[i]);
      const double length = static_cast<double>(std::sqrt(square));
      text += fmt::format("rod{}{} = \"distance({}, {}) = {}\"\n", a, b, names[a], names[b], number(length));
      if (pinned || b < static_cast<std::size_t>(points))
        conditions.push_back(rod(fmt::format("rod{}{}", a, b), a, b, 3, length));
    }
  }
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Real inertia = 0;
  Real weight = 0;
  for (std::size_t k = 0; k < mass.size(); ++k)
    inertia += mass[k] * out_by[k] * out_by[k], weight += mass[k] * out_by[k] * g * std::sin(slant);
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        Vector y = {angle + (nudged ? nudge : 0), spin * (nudged ? 1 + nudge : 1)};
        // `low` points down by sin(slant).
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          rate = {s[1], -weight / inertia * std::sin(s[0])};
        };
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, y, time);
          q.emplace_back();
          v.emplace_back();
          state(y[0], y[1], q.back(), v.back());
        }
      }));
  // The lengths in the file are rounded.
  for (auto& condition : conditions) condition.allowed *= 2;
  out.conditions = std::move(conditions);
  return out;
}

/// A row of N parallelograms with cranks of length r on pivots L apart turns as one crank and passes its flat position.
Case parallelograms(std::uint64_t seed, int loops) {
  Dice dice(seed);
  const double r = dice.uniform(0.5, 1.5);
  const double wide = dice.uniform(0.5, 2);
  const double g = dice.coin() ? 0 : 9.81;
  // From the lowest position; enough to go over the top, or to swing beyond the flat one.
  const double top = std::sqrt(4 * std::max(g, 0.1) / r);
  const double spin = dice.sign() * top * dice.uniform(0.85, 2);
  const double angle = dice.uniform(-1, 1);
  const double until = dice.uniform(2, 4) * 3 / std::abs(spin) + 0.5;
  const auto at = even_times(0, until, 24);
  std::string text = fmt::format("gravity = [0, {}]\n", number(-g));
  for (int k = 0; k <= loops; ++k) {
    const double x = wide * k;
    text += fmt::format("[points.b{}]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n", k, number(1.0),
                        number(x + r * std::sin(angle)), number(-r * std::cos(angle)),
                        number(r * spin * std::cos(angle)), number(r * spin * std::sin(angle)));
  }
  text += "[constraints]\n";
  std::vector<Plain> conditions;
  for (int k = 0; k <= loops; ++k) {
    const double x = wide * k;
    text += fmt::format("crank{} = \"distance(b{}, [{}, 0]) = {}\"\n", k, k, number(x), number(r));
    const auto i = static_cast<std::size_t>(k);
    conditions.push_back({fmt::format("crank{}", k), true, kept * (1 + x), [=](const Sample& s) {
                            return std::hypot(static_cast<Real>(s.q[2 * i]) - x, static_cast<Real>(s.q[2 * i + 1])) - r;
                          }});
    if (k > 0) {
      text += fmt::format("coupler{} = \"distance(b{}, b{}) = {}\"\n", k, k - 1, k, number(wide));
      conditions.push_back(rod(fmt::format("coupler{}", k), i - 1, i, 2, wide));
    }
  }
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        Vector y = {angle, spin * (nudged ? 1 + nudge : 1)};
        const Flow flow = [&](Real, const Vector& s, Vector& rate) { rate = {s[1], -g / r * std::sin(s[0])}; };
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, y, time);
          Vector place, speed;
          for (int k = 0; k <= loops; ++k) {
            place.insert(place.end(), {static_cast<Real>(wide * k) + r * std::sin(y[0]), -r * std::cos(y[0])});
            speed.insert(speed.end(), {r * y[1] * std::cos(y[0]), r * y[1] * std::sin(y[0])});
          }
          q.push_back(place);
          v.push_back(speed);
        }
      }));
  out.conditions = std::move(conditions);
  return out;
}

Case flat_four_bar(std::uint64_t seed) { return parallelograms(seed, 1); }
Case many_four_bars(std::uint64_t seed) {
  static constexpr int counts[] = {2, 5, 5, 40};
  return parallelograms(seed, counts[seed % 4]);
}

/// Parallelograms one on the other, of any lengths in 16 digits, under gravity: opposite points move alike, so that it is the pendulum of as
/// many members. Each of them is flat now and then, two of them sometimes nearly at once.
Case stacked_parallelograms(std::uint64_t seed) {
  Dice dice(seed);
  const int levels = dice.among(1, 3);
  const double width = dice.uniform(0.5, 2);
  std::vector<double> length, mass, angle, spin;
  for (int k = 0; k < levels; ++k) {
    length.push_back(dice.uniform(0.5, 1.5));
    mass.push_back(dice.spread(0.5, 2));
    mass.push_back(dice.spread(0.5, 2));
    angle.push_back(dice.uniform(-1.2, 1.2));
    spin.push_back(dice.uniform(-8, 8));
  }
  // Other units of time: 9.81 m/s^2 and speeds in seconds of another length.
  const double fast = std::ldexp(1.0, dice.coin() ? 0 : 10 * dice.among(-4, 4));
  const double until = dice.uniform(1, 3) / fast;
  const double g = 9.81 * fast * fast;
  std::string points;
  std::string rods;
  double x = 0, y = 0, u = 0, w = 0;
  for (int k = 0; k < levels; ++k) {
    const auto i = static_cast<std::size_t>(k);
    x += length[i] * std::sin(angle[i]);
    y -= length[i] * std::cos(angle[i]);
    u += length[i] * fast * spin[i] * std::cos(angle[i]);
    w += length[i] * fast * spin[i] * std::sin(angle[i]);
    for (int side = 0; side < 2; ++side) {
      const char* name = side == 0 ? "a" : "b";
      points += fmt::format("[points.{}{}]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n", name, k,
                            number(mass[2 * i + static_cast<std::size_t>(side)]), number(x + side * width), number(y),
                            number(u), number(w));
      const std::string above = k > 0 ? fmt::format("{}{}", name, k - 1) : fmt::format("[{}, 0]", number(side * width));
      rods += fmt::format("{}rod{} = \"distance({}, {}{}) = {}\"\n", name, k, above, name, k, number(length[i]));
    }
    rods += fmt::format("bar{} = \"distance(a{}, b{}) = {}\"\n", k, k, k, number(width));
  }
  const auto at = even_times(0, until, 24);
  Case out = against(
      fmt::format("gravity = [0, {}]\n{}[constraints]\n{}[simulation]\nuntil = {}\n", number(-g), points, rods,
                  number(until)),
      at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        const std::size_t n = length.size();
        // sum_j m_ij l_i l_j (cos(i - j) a_j + sin(i - j) w_j^2) + m_ii g l_i sin_i = 0, m_ij what hangs below both.
        Vector below(n, 0);
        for (std::size_t i = n; i-- > 0;)
          below[i] = Real{mass[2 * i]} + mass[2 * i + 1] + (i + 1 < n ? below[i + 1] : 0);
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          std::vector<Vector> a(n, Vector(n + 1, 0));
          for (std::size_t i = 0; i < n; ++i) {
            a[i][n] = -below[i] * g * length[i] * std::sin(s[i]);
            for (std::size_t j = 0; j < n; ++j) {
              const Real both = below[std::max(i, j)] * length[i] * length[j];
              a[i][j] = both * std::cos(s[i] - s[j]);
              a[i][n] -= both * std::sin(s[i] - s[j]) * s[n + j] * s[n + j];
            }
          }
          for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t i = k + 1; i < n; ++i) {
              const Real by = a[i][k] / a[k][k];
              for (std::size_t j = k; j <= n; ++j) a[i][j] -= by * a[k][j];
            }
          }
          rate.assign(2 * n, 0);
          for (std::size_t i = n; i-- > 0;) {
            Real sum = a[i][n];
            for (std::size_t j = i + 1; j < n; ++j) sum -= a[i][j] * rate[n + j];
            rate[n + i] = sum / a[i][i];
            rate[i] = s[n + i];
          }
        };
        Vector s(2 * n);
        for (std::size_t i = 0; i < n; ++i) {
          s[i] = angle[i];
          s[n + i] = Real{fast} * spin[i] * (nudged ? 1 + nudge : 1);
        }
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, s, time);
          Real px = 0, py = 0, vx = 0, vy = 0;
          Vector place, speed;
          for (std::size_t i = 0; i < n; ++i) {
            px += length[i] * std::sin(s[i]);
            py -= length[i] * std::cos(s[i]);
            vx += length[i] * s[n + i] * std::cos(s[i]);
            vy += length[i] * s[n + i] * std::sin(s[i]);
            place.insert(place.end(), {px, py, px + width, py});
            speed.insert(speed.end(), {vx, vy, vx, vy});
          }
          q.push_back(place);
          v.push_back(speed);
        }
      }));
  for (std::size_t i = 0; i < length.size(); ++i) {
    out.conditions.push_back(rod(fmt::format("bar{}", i), 2 * i, 2 * i + 1, 2, width));
    if (i == 0) continue;
    out.conditions.push_back(rod(fmt::format("arod{}", i), 2 * i - 2, 2 * i, 2, length[i]));
    out.conditions.push_back(rod(fmt::format("brod{}", i), 2 * i - 1, 2 * i + 1, 2, length[i]));
  }
  return out;
}

/// Crank and rod of the same length: the slider passes the pivot of the crank, where it could go two ways.
Case dead_centre(std::uint64_t seed) {
  Dice dice(seed);
  const double r = dice.uniform(0.5, 1.5);
  const double crank = dice.spread(0.5, 2);
  const double slider = dice.spread(0.2, 2);
  const double angle = dice.uniform(0.2, 1.2);
  const double spin = dice.uniform(1, 3);
  const double until = dice.uniform(1, 3) * 2 / spin;
  const auto at = even_times(0, until, 24);
  const std::string text = fmt::format(
      "[points.a]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n[points.b]\nmass = {}\nposition = [{}, "
      "0]\nvelocity = [{}, "
      "0]\n[constraints]\ncrank = \"distance(a, [0, 0]) = {}\"\nrod = \"distance(a, b) = {}\"\nrail = \"b.y = "
      "0\"\n[simulation]\nuntil = {}\n",
      number(crank), number(r * std::cos(angle)), number(r * std::sin(angle)), number(-r * spin * std::sin(angle)),
      number(r * spin * std::cos(angle)), number(slider), number(2 * r * std::cos(angle)),
      number(-2 * r * spin * std::sin(angle)), number(r), number(r), number(until));
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        Vector y = {angle, spin * (nudged ? 1 + nudge : 1)};
        // T = (A + B sin^2) w^2 / 2 with A = m_a r^2, B = 4 m_b r^2.
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          const Real A = crank;
          const Real B = 4 * slider;
          const Real sine = std::sin(s[0]);
          const Real cosine = std::cos(s[0]);
          rate = {s[1], -B * sine * cosine * s[1] * s[1] / (A + B * sine * sine)};
        };
        Real t = 0;
        for (const double time : times) {
          integrate(flow, t, y, time);
          const Real sine = std::sin(y[0]);
          const Real cosine = std::cos(y[0]);
          q.push_back({r * cosine, r * sine, 2 * r * cosine, 0});
          v.push_back({-r * y[1] * sine, r * y[1] * cosine, -2 * r * y[1] * sine, 0});
        }
      }));
  out.conditions.push_back(rod("rod", 0, 1, 2, r));
  out.conditions.push_back({"crank", true, kept * 2, [=](const Sample& s) { return std::hypot(s.q[0], s.q[1]) - r; }});
  out.conditions.push_back({"rail", true, kept, [](const Sample& s) { return s.q[3]; }});
  return out;
}

/// A cart on an edge is held at a wall; its edge turns until it is parallel to the wall, the pressure A + B tan(w) grows beyond all
/// bounds, and the cart leaves along it.
Case cart_at_a_wall(std::uint64_t seed) {
  Dice dice(seed);
  const double B = dice.uniform(0.5, 2);
  // Less than B / tan(1): the cart does not turn back to the wall within the radian that it is looked at.
  const double A = dice.coin() ? 0 : dice.uniform(0, 0.6 * B);
  const double spin = dice.uniform(0.5, 2);
  const double angle = dice.coin() ? 0 : dice.uniform(0, 1);
  const double mass = dice.spread(0.5, 2);
  const double leaving = (std::acos(-1.0) / 2 - angle) / spin;
  const double until = leaving + dice.uniform(0.2, 1) / spin;
  const auto at = even_times(0, until, 24);
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = 0\nforce = {}\n[coordinates.y]\ninitial = 0\nforce = {}\n[coordinates.w]\ninitial = "
      "{}\nvelocity = {}\n"
      "[energy]\nkinetic = \"{}/2*(x'^2 + y'^2) + w'^2/2\"\n[constraints]\nedge = \"x'*sin(w) - y'*cos(w) = 0\"\nwall "
      "= \"x <= "
      "0\"\n[simulation]\nuntil = {}\n",
      number(A), number(B), number(angle), number(spin), number(mass), number(until));
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        const Real pace = spin * (nudged ? 1 + nudge : 1);
        const Real free = (std::acos(-1.0L) / 2 - angle) / pace;
        // (x, y, speed along the edge).
        Vector y = {0, 0, 0};
        const Flow flow = [&](Real t, const Vector& s, Vector& rate) {
          const Real w = angle + pace * t;
          rate = {s[2] * std::cos(w), s[2] * std::sin(w), (A * std::cos(w) + B * std::sin(w)) / mass};
        };
        Real t = free;
        for (const double time : times) {
          if (time > free) integrate(flow, t, y, time);
          const Real w = angle + pace * time;
          q.push_back({y[0], y[1], w});
          v.push_back({y[2] * std::cos(w), y[2] * std::sin(w), pace});
        }
      }));
  out.conditions.push_back({"wall", false, kept, [](const Sample& s) { return s.q[0]; }});
  out.conditions.push_back({"edge", true, kept * 10, [](const Sample& s) {
                              return s.v[0] * std::sin(static_cast<Real>(s.q[2])) -
                                     s.v[1] * std::cos(static_cast<Real>(s.q[2]));
                            }});
  return out;
}

/// Bricard's mechanism: six rods of equal length, closed to a loop whose hinges stand at right angles; movable though a count of
/// freedoms says it is not. Hinges are common points of neighbouring bodies, each a rod with two points of its hinges.
Case bricard(std::uint64_t seed) {
  Dice dice(seed);
  // The corners of a cube's skew hexagon, and the direction of the hinge at each: hinge k is perpendicular to rods k-1 and k.
  const double unit = dice.uniform(0.5, 2);
  static constexpr double corner[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0, 1, 0}};
  static constexpr double turn[6][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  const double half = 0.5;
  const double tip[3] = {dice.uniform(-1, 1), dice.uniform(-1, 1), dice.uniform(-1, 1)};
  const double g = 9.81;
  const Real norm = std::sqrt(static_cast<Real>(tip[0]) * tip[0] + tip[1] * tip[1] + tip[2] * tip[2]);
  std::string text = fmt::format("gravity = {}\n",
                                 list({static_cast<double>(-g * tip[0] / norm), static_cast<double>(-g * tip[1] / norm),
                                       static_cast<double>(-g * tip[2] / norm)}));
  // Two points on every hinge; every rod ties the four points of its two hinges.
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < 2; ++j) {
      std::vector<double> q;
      for (int i = 0; i < 3; ++i) q.push_back(unit * (corner[k][i] + (j == 0 ? 0 : half) * turn[k][i]));
      text += fmt::format("[points.h{}{}]\nmass = {}\nposition = {}\n", k, j, number(j == 0 ? 1 : 0.25), list(q));
    }
  }
  // The first rod stands still.
  text += "[constraints]\n";
  std::vector<Plain> conditions;
  std::vector<double> start;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 2; ++j) {
      std::vector<double> q;
      for (int i = 0; i < 3; ++i) q.push_back(unit * (corner[k][i] + (j == 0 ? 0 : half) * turn[k][i]));
      text += fmt::format("pin{}{} = \"h{}{} = {}\"\n", k, j, k, j, list(q));
    }
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6;
    const auto add = [&](int a, int i, int b, int j) {
      Real square = 0;
      for (int c = 0; c < 3; ++c) {
        const Real d =
            (corner[a][c] + (i == 0 ? 0 : half) * turn[a][c]) - (corner[b][c] + (j == 0 ? 0 : half) * turn[b][c]);
        square += d * d;
      }
      const double length = unit * static_cast<double>(std::sqrt(square));
      text += fmt::format("r{}{}{}{} = \"distance(h{}{}, h{}{}) = {}\"\n", a, i, b, j, a, i, b, j, number(length));
      conditions.push_back(rod(fmt::format("r{}{}{}{}", a, i, b, j), static_cast<std::size_t>(2 * a + i),
                               static_cast<std::size_t>(2 * b + j), 3, length));
    };
    add(k, 0, k, 1);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) add(k, i, next, j);
  }
  const double until = dice.uniform(1, 3);
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out;
  out.texts = {text};
  out.at = even_times(0, until, 40);
  out.conditions = std::move(conditions);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    Real first = 0;
    for (std::size_t k = 0; k < tracks.front().asked.size(); ++k) {
      const Sample& s = tracks.front().asked[k];
      Real energy = 0;
      for (std::size_t p = 0; p < 12; ++p) {
        const Real m = p % 2 == 0 ? 1 : 0.25L;
        for (std::size_t i = 0; i < 3; ++i)
          energy += m * (static_cast<Real>(s.v[3 * p + i]) * s.v[3 * p + i] / 2 + g * tip[i] / norm * s.q[3 * p + i]);
      }
      if (k == 0) first = energy;
      if (std::abs(energy - first) > 1e-9L * 6 * g * unit)
        return fmt::format("energy changes by {:.3g} up to t = {:.9g}", static_cast<double>(energy - first), s.time);
    }
    // It moves: standing still under gravity is no answer of a mechanism that can move.
    if (tracks.front().finished()) {
      Real moved = 0;
      for (std::size_t i = 0; i < tracks.front().last.q.size(); ++i)
        moved =
            std::max(moved, std::abs(static_cast<Real>(tracks.front().last.q[i]) - tracks.front().asked.front().q[i]));
      if (moved < 1e-6L) return "it stands still";
    }
    return "";
  };
  return out;
}

/// A vector equation of which components say nothing, up to the rounding of sums: 0.1 + 0.2 = 0.3.
Case idle_component(std::uint64_t seed) {
  Dice dice(seed);
  const double a = dice.among(1, 99) / 10.0;
  const double b = dice.among(1, 99) / 10.0;
  const double c = static_cast<double>(std::lround((a + b) * 10)) / 10.0;
  const double place = dice.uniform(-1, 1);
  const double u = dice.uniform(-1, 1);
  const double w = dice.uniform(-1, 1);
  const double until = dice.uniform(1, 3);
  const double factor = dice.coin() ? 1 : dice.spread(1e-3, 1e3);
  const auto at = even_times(0, until, 8);
  const std::string text = fmt::format(
      "[points.p]\nmass = 1\nposition = [{}, 0, 0]\nvelocity = [0, {}, {}]\n[constraints]\nrail = \"[{}*p.x, {}*({} + "
      "{}), 0] = [{}*{}, "
      "{}*{}, 0]\"\n[simulation]\nuntil = {}\n",
      number(place), number(u), number(w), number(factor), number(factor), number(a), number(b), number(factor),
      number(place), number(factor), number(c), number(until));
  Truth truth;
  for (const double t : at)
    truth.rows.push_back(
        {{place, static_cast<Real>(u) * t, static_cast<Real>(w) * t}, {0, u, w}, 1e-12L * 4, 1e-12L * 4});
  return against(text, at, std::move(truth));
}

/// x + z <= t^2/2 and x + z >= t^2/2 with coefficients off by 1e-12, so that both hold only far away: no jam.
Case nearly_contradictory(std::uint64_t seed) {
  Dice dice(seed);
  const auto near = [&] { return 1 + dice.uniform(-2e-12, 2e-12); };
  const double x1 = near();
  const double z1 = near();
  const double c1 = near();
  const double x2 = near();
  const double z2 = near();
  const double c2 = near();
  const double y2 = dice.spread(1e-13, 1e-12);
  const double until = 0.1;
  const std::string text = fmt::format(
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\n[coordinates.z]\ninitial = 0\n[energy]\nkinetic = "
      "\"x'^2 + 3/2*y'^2 "
      "+ 2*z'^2\"\n[constraints]\nabove = \"{}*x + {}*z - {}*t^2/2 <= 0\"\nbelow = \"-{}*x + {}*y - {}*z + {}*t^2/2 <= "
      "0\"\nlift = \"z + "
      "t^2/2 = 0\"\nlid = \"y + z - t^2/2 <= 0\"\n[simulation]\nuntil = {}\n",
      number(x1), number(z1), number(c1), number(x2), number(y2), number(z2), number(c2), number(until));
  Case out;
  out.texts = {text};
  out.at = even_times(0, until, 10);
  const auto size = [](const Sample& s) {
    return std::abs(static_cast<Real>(s.q[0])) + std::abs(s.q[2]) + static_cast<Real>(s.time) * s.time;
  };
  // Rounding of a few units of the last digit of the terms, which is a thousandth of what the coefficients are off by.
  const Real rounding = 2e-15L;
  out.conditions.push_back({"above", false, rounding, [=](const Sample& s) {
                              return (static_cast<Real>(x1) * s.q[0] + static_cast<Real>(z1) * s.q[2] -
                                      static_cast<Real>(c1) * s.time * s.time / 2) /
                                     (size(s) + 1e-300L);
                            }});
  out.conditions.push_back({"below", false, rounding, [=](const Sample& s) {
                              return (-static_cast<Real>(x2) * s.q[0] + static_cast<Real>(y2) * s.q[1] -
                                      static_cast<Real>(z2) * s.q[2] + static_cast<Real>(c2) * s.time * s.time / 2) /
                                     (size(s) + 1e-300L);
                            }});
  out.conditions.push_back({"lift", true, rounding, [=](const Sample& s) {
                              return (s.q[2] + static_cast<Real>(s.time) * s.time / 2) / (size(s) + 1e-300L);
                            }});
  out.conditions.push_back({"lid", false, rounding, [=](const Sample& s) {
                              return (static_cast<Real>(s.q[1]) + s.q[2] - static_cast<Real>(s.time) * s.time / 2) /
                                     (size(s) + std::abs(s.q[1]) + 1e-300L);
                            }});
  return out;
}

/// A frame of four equal rods, hinged at its corners, falls upright on a heavy corner and folds flat onto the floor, on which it slides. With the
/// angle w of its rods against the floor: at the first impact the momentum of w stays, 2 L^2 (m + 2 M cos^2 w) w' is then driven by the weights of
/// the corners at the sides (m) and on top (M); at the second, with w = 0, all rods lie in one line and everything lands at once.
Case folding_frame(std::uint64_t seed) {
  Dice dice(seed);
  const std::size_t d = dice.coin() ? 2 : 3;
  const Real g = dice.uniform(1, 12);
  const Real length = dice.uniform(0.7, 2);
  const double side_mass = dice.spread(0.5, 2);
  const double top_mass = dice.spread(0.5, 2);
  const double foot_mass = 12 * (side_mass + top_mass);  // so heavy that it stays where it has landed
  const Real angle = dice.uniform(0.3, 1.3);
  const double high = dice.coin() ? 0 : dice.uniform(0.05, 0.3);
  const double glide = dice.coin() ? 0 : dice.uniform(-2, 2);
  const Real heading = d == 2 || dice.coin() ? 0 : dice.uniform(0, 3);
  const double until = dice.uniform(1.5, 3);
  const auto at = even_times(0, until, 40);
  const auto state = [&](Real t, Real low, Real falls, Real w, Real turns, Vector& q, Vector& v) {
    q.clear();
    v.clear();
    for (int k = 0; k < 4; ++k) {
      const Real across = k == 1 ? 1 : (k == 3 ? -1 : 0);
      const Real above = k == 0 ? 0 : (k == 2 ? 2 : 1);
      const Real x = across * length * std::cos(w) + glide * t;
      const Real u = -across * length * std::sin(w) * turns + glide;
      q.push_back(x * std::cos(heading));
      v.push_back(u * std::cos(heading));
      if (d == 3) q.push_back(x * std::sin(heading)), v.push_back(u * std::sin(heading));
      q.push_back(low + above * length * std::sin(w));
      v.push_back(falls + above * length * std::cos(w) * turns);
    }
  };
  Vector q0, v0;
  state(0, high, 0, angle, 0, q0, v0);
  std::string text = d == 2 ? fmt::format("gravity = [0, {}]\n", number(static_cast<double>(-g)))
                            : fmt::format("gravity = [0, 0, {}]\n", number(static_cast<double>(-g)));
  std::string conditions;
  std::vector<Plain> plain;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::vector<double> place(q0.begin() + static_cast<std::ptrdiff_t>(k * d),
                                    q0.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
    const std::vector<double> speed(v0.begin() + static_cast<std::ptrdiff_t>(k * d),
                                    v0.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
    const double mass = k == 0 ? foot_mass : (k == 2 ? top_mass : side_mass);
    text += fmt::format("[points.p{}]\nmass = {}\nposition = {}\nvelocity = {}\n", k, number(mass), list(place),
                        list(speed));
    conditions += fmt::format("rod{} = \"distance(p{}, p{}) = {}\"\nfloor{} = \"p{}.{} >= 0\"\n", k, k, (k + 1) % 4,
                              number(static_cast<double>(length)), k, k, d == 2 ? "y" : "z");
    plain.push_back(rod(fmt::format("rod{}", k), k, (k + 1) % 4, d, length));
    plain.push_back({fmt::format("floor{}", k), false, kept, [=](const Sample& s) { return -s.q[k * d + d - 1]; }});
  }
  text += "[constraints]\n" + conditions + fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out = against(
      text, at,
      truth_of(at, [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
        const Real start = high * (nudged ? 1 + nudge : 1);
        const Real landing = std::sqrt(2 * start / g);
        // Momentum of w before and after.
        const auto inertia = [&](Real w) {
          return 2 * length * length * (side_mass + 2 * top_mass * std::cos(w) * std::cos(w));
        };
        const Real weight = 2 * (side_mass + static_cast<Real>(top_mass));
        Real t = landing;
        Vector y = {angle * (nudged ? 1 + nudge : 1), 0};
        y[1] = -g * landing * weight * length * std::cos(y[0]) / inertia(y[0]);
        const Flow flow = [&](Real, const Vector& s, Vector& rate) {
          const Real bends = -4 * length * length * top_mass * std::cos(s[0]) * std::sin(s[0]);
          rate[0] = s[1];
          rate[1] = (-weight * g * length * std::cos(s[0]) - bends * s[1] * s[1]) / inertia(s[0]);
        };
        bool folded = false;
        for (const double time : times) {
          q.emplace_back();
          v.emplace_back();
          if (time < landing) {
            state(time, start - g * time * time / 2, -g * time, y[0], 0, q.back(), v.back());
            continue;
          }
          folded = folded || integrate_to(flow, t, y, time, {}, [](Real, const Vector& s) { return -s[0]; });
          state(time, 0, 0, folded ? 0 : y[0], folded ? 0 : y[1], q.back(), v.back());
        }
      }));
  out.conditions = std::move(plain);
  return out;
}

}  // namespace

void add_linkages(std::vector<Class>& all) {
  all.push_back({"straight-bar", "a straight bar with all its rods turns and is not bent", straight_bar, 40, 2000});
  all.push_back({"door", "a door swings on two or three hinges", door, 60, 3000});
  all.push_back(
      {"idle-component", "a component of an equation that says nothing is no contradiction", idle_component, 60, 3000});
  all.push_back({"nearly-contradictory", "conditions that contradict each other nearly are no jam",
                 nearly_contradictory, 60, 3000,
                 "rows at an angle of 1e-12 have accelerations, but their multipliers have more digits than a series"});
  all.push_back({"bricard", "Bricard's mechanism moves and keeps its energy", bricard, 5, 200});
  all.push_back({"flat-four-bar", "a parallelogram passes its flat position", flat_four_bar, 30, 1500});
  all.push_back({"many-four-bars", "a row of parallelograms passes its flat position", many_four_bars, 8, 500});
  all.push_back({"stacked-parallelograms", "parallelograms on each other are a pendulum of several members",
                 stacked_parallelograms, 20, 2000});
  all.push_back({"dead-centre", "a slider passes the pivot of a crank as long as its rod", dead_centre, 30, 2000});
  all.push_back({"folding-frame", "a frame of hinged rods falls on a corner and folds flat", folding_frame, 30, 2000});
  all.push_back({"cart-at-wall", "a cart leaves the wall when its edge is parallel to it", cart_at_a_wall, 40, 2000});
}

}  // namespace zwang::hard
