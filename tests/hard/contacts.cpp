/// Contacts that come to rest: collisions without forces, things that push, bodies that land, stacks, tables, piles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hard/truth.hpp"
#include "laws/slow_motion.hpp"

namespace zwang::hard {

namespace {

/// Samples are compared with a closed form; velocities not where they jump within a thousandth of the time.
std::function<std::string(const std::vector<Track>&)> closed(double until, Real allowed_q, Real allowed_v,
                                                             std::function<void(Real t, Vector& q, Vector& v)> answer) {
  return [=](const std::vector<Track>& tracks) -> std::string {
    Vector q, v, ignored, before, after;
    for (const Sample& sample : tracks.front().asked) {
      answer(sample.time, q, v);
      answer(sample.time - 1e-6L * until, ignored, before);
      answer(sample.time + 1e-6L * until, ignored, after);
      for (std::size_t i = 0; i < q.size(); ++i) {
        const Real off = std::abs(sample.q[i] - q[i]);
        if (!(off <= allowed_q))
          return fmt::format("position {} at t = {:.9g} is {:.12g}, not {:.12g}", i, sample.time, sample.q[i],
                             static_cast<double>(q[i]));
        const bool jumps =
            std::abs(before[i] - after[i]) > 1e-3L * (std::abs(before[i]) + std::abs(after[i])) + allowed_v;
        if (!jumps && !(std::abs(sample.v[i] - v[i]) <= allowed_v))
          return fmt::format("velocity {} at t = {:.9g} is {:.12g}, not {:.12g}", i, sample.time, sample.v[i],
                             static_cast<double>(v[i]));
      }
    }
    return "";
  };
}

std::function<Real(const Sample&)> apart(std::size_t a, std::size_t b, std::size_t dimension, Real least) {
  return [=](const Sample& s) {
    Real square = 0;
    for (std::size_t k = 0; k < dimension; ++k) {
      const Real d = static_cast<Real>(s.q[a * dimension + k]) - s.q[b * dimension + k];
      square += d * d;
    }
    return least - std::sqrt(square);
  };
}

/// Balls on one line without forces, inelastic: those that meet go on together.
Case head_on(std::uint64_t seed) {
  Dice dice(seed);
  const int balls = dice.among(2, 5);
  const std::size_t dimension = dice.coin() ? 2 : 3;
  const double wide = dice.uniform(0.1, 0.5);
  Vector along(dimension, 0);
  if (dice.coin()) {
    along[static_cast<std::size_t>(dice.below(static_cast<int>(dimension)))] = 1;
  } else {
    Real norm = 0;
    for (auto& x : along) x = dice.uniform(-1, 1), norm += x * x;
    for (auto& x : along) x /= std::sqrt(norm);
  }
  std::vector<Real> place;
  std::vector<Real> speed;
  std::vector<Real> mass;
  Real x = dice.uniform(-1, 1);
  for (int k = 0; k < balls; ++k) {
    place.push_back(x);
    x += wide + dice.uniform(0.2, 1);
    speed.push_back(dice.uniform(-1, 1) + (balls - 2 * k));
    mass.push_back(dice.spread(0.25, 4));
  }
  const double until = dice.uniform(1, 4);

  std::string text;
  for (int k = 0; k < balls; ++k) {
    std::vector<double> q, v;
    for (const Real u : along)
      q.push_back(static_cast<double>(u * place[static_cast<std::size_t>(k)])),
          v.push_back(static_cast<double>(u * speed[static_cast<std::size_t>(k)]));
    text += fmt::format("[points.b{}]\nmass = {}\nposition = {}\nvelocity = {}\n", k,
                        number(static_cast<double>(mass[static_cast<std::size_t>(k)])), list(q), list(v));
  }
  text += "[constraints]\n";
  for (int k = 0; k < balls; ++k)
    for (int j = k + 1; j < balls; ++j)
      text += fmt::format("c{}{} = \"distance(b{}, b{}) >= {}\"\n", k, j, k, j, number(wide));
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out;
  out.texts = {text};
  for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
  out.check = closed(until, 1e-9L * 4, 1e-9L * 8, [=](Real t, Vector& q, Vector& v) {
    std::vector<Real> p = place;
    std::vector<Real> u = speed;
    Real now = 0;
    while (now < t) {
      // The first pair of neighbours that meets; what moves together has one speed.
      Real first = t - now;
      int pair = -1;
      for (std::size_t k = 0; k + 1 < p.size(); ++k) {
        const Real closing = u[k] - u[k + 1];
        const Real gap = std::max<Real>(0, p[k + 1] - p[k] - wide);
        if (closing > 1e-15L && gap / closing < first) first = gap / closing, pair = static_cast<int>(k);
      }
      for (std::size_t k = 0; k < p.size(); ++k) p[k] += u[k] * first;
      now += first;
      if (pair < 0) break;
      std::size_t low = static_cast<std::size_t>(pair);
      std::size_t high = low + 1;
      const auto touch = [&](std::size_t k) {
        return p[k + 1] - p[k] - wide < 1e-14L && std::abs(u[k] - u[k + 1]) < 1e-14L;
      };
      while (low > 0 && touch(low - 1)) --low;
      while (high + 1 < p.size() && touch(high)) ++high;
      Real momentum = 0;
      Real all = 0;
      for (std::size_t k = low; k <= high; ++k) momentum += mass[k] * u[k], all += mass[k];
      for (std::size_t k = low; k <= high; ++k) u[k] = momentum / all;
    }
    q.clear();
    v.clear();
    for (std::size_t k = 0; k < p.size(); ++k)
      for (const Real a : along) q.push_back(a * p[k]), v.push_back(a * u[k]);
  });
  for (std::size_t k = 0; k < place.size(); ++k)
    for (std::size_t j = k + 1; j < place.size(); ++j)
      out.conditions.push_back({fmt::format("c{}{}", k, j), false, kept * 4, apart(k, j, dimension, wide)});
  return out;
}

/// A ring that moves uniformly takes a point along that it meets from inside: seen from the ring it goes on around at the speed left.
Case moving_ring(std::uint64_t seed) {
  Dice dice(seed);
  const double r = dice.uniform(0.5, 2);
  const double ring_x = dice.uniform(-2, 2);
  const double ring_y = dice.coin() ? 0 : dice.uniform(-2, 2);
  const double rx = static_cast<double>(ring_x);
  // Relative velocity, from a start on a chord through the middle (head-on) or beside it.
  const double w = std::hypot(ring_x, ring_y) + (dice.coin() ? 0 : dice.uniform(0.1, 2));
  const bool free = dice.coin();
  const double vx = free ? 0 : rx + w;
  const double vy = free ? 0 : ring_y;
  const Real wx = static_cast<Real>(vx) - ring_x;
  const Real wy = static_cast<Real>(vy) - ring_y;
  const Real speed = std::hypot(wx, wy);
  const double offset = dice.coin() ? 0 : dice.uniform(-0.8, 0.8) * r;
  const double x0 = static_cast<double>(-wy / speed * offset);
  const double y0 = static_cast<double>(wx / speed * offset);
  const double until = dice.uniform(2, 5) * r / static_cast<double>(speed);
  const std::string text = fmt::format(
      "[points.a]\nmass = {}\nposition = [{}, {}]\nvelocity = [{}, {}]\n[constraints]\nring = \"distance(a, [{}*t, "
      "{}*t]) <= {}\"\n"
      "[simulation]\nuntil = {}\n",
      number(dice.spread(0.25, 4)), number(x0), number(y0), number(vx), number(vy), number(ring_x), number(ring_y),
      number(r), number(until));
  Case out;
  out.texts = {text};
  for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
  const Real size = r + (std::abs(ring_x) + std::abs(ring_y)) * until;
  out.check =
      closed(until, 1e-9L * size, 1e-9L * (speed + std::hypot(ring_x, ring_y)), [=](Real t, Vector& q, Vector& v) {
        // In the ring's frame: q0 + w s, then around with the part along the ring.
        const Real dot = x0 * wx + y0 * wy;
        const Real square = static_cast<Real>(x0) * x0 + static_cast<Real>(y0) * y0;
        const Real met =
            (-dot + std::sqrt(dot * dot + speed * speed * (static_cast<Real>(r) * r - square))) / (speed * speed);
        if (t < met) {
          q = {x0 + vx * t, y0 + vy * t};
          v = {vx, vy};
          return;
        }
        const Real angle = std::atan2(y0 + wy * met, x0 + wx * met);
        const Real around = (-wx * std::sin(angle) + wy * std::cos(angle)) / r;
        const Real now = angle + around * (t - met);
        q = {ring_x * t + r * std::cos(now), ring_y * t + r * std::sin(now)};
        v = {ring_x - r * around * std::sin(now), ring_y + r * around * std::cos(now)};
      });
  out.conditions.push_back({"ring", false, kept * size, [=](const Sample& s) {
                              return std::hypot(s.q[0] - static_cast<Real>(ring_x) * s.time,
                                                s.q[1] - static_cast<Real>(ring_y) * s.time) -
                                     r;
                            }});
  return out;
}

/// A wall that comes with uniform speed pushes points before it that touch one another.
Case pushing_wall(std::uint64_t seed) {
  Dice dice(seed);
  const int points = dice.among(1, 4);
  const double speed = dice.uniform(0.5, 2);
  const double wide = dice.uniform(0.1, 0.4);
  const double gravity = dice.coin() ? 0 : 9.81;
  std::vector<double> x;
  std::string text = fmt::format("gravity = [0, {}]\n", number(-gravity));
  double place = dice.uniform(0.2, 1);
  for (int k = 0; k < points; ++k) {
    x.push_back(place);
    text +=
        fmt::format("[points.b{}]\nmass = {}\nposition = [{}, 0]\n", k, number(dice.spread(0.25, 4)), number(place));
    place += wide + (dice.below(3) == 0 ? 0 : dice.uniform(0.1, 0.6));
  }
  const double until = dice.uniform(1, 4);
  text += fmt::format("[constraints]\nwall = \"b0.x >= {}*t\"\n", number(speed));
  for (int k = 0; k < points; ++k) text += fmt::format("floor{} = \"b{}.y >= 0\"\n", k, k);
  for (int k = 0; k + 1 < points; ++k)
    text += fmt::format("c{} = \"b{}.x - b{}.x >= {}\"\n", k, k + 1, k, number(wide));
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  Case out;
  out.texts = {text};
  for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
  out.check = closed(until, 1e-9L * 4, 1e-9L * 4, [=](Real t, Vector& q, Vector& v) {
    q.clear();
    v.clear();
    for (std::size_t k = 0; k < x.size(); ++k) {
      // Pushed when the wall and those between have come up.
      const Real front = speed * t + static_cast<Real>(k) * wide;
      const bool pushed = front > x[k];
      q.insert(q.end(), {pushed ? front : static_cast<Real>(x[k]), 0});
      v.insert(v.end(), {pushed ? static_cast<Real>(speed) : 0, 0});
    }
  });
  out.conditions.push_back(
      {"wall", false, kept * 4, [=](const Sample& s) { return static_cast<Real>(speed) * s.time - s.q[0]; }});
  for (std::size_t k = 0; k + 1 < x.size(); ++k)
    out.conditions.push_back({fmt::format("c{}", k), false, kept * 4, [=](const Sample& s) {
                                return wide - (static_cast<Real>(s.q[2 * k + 2]) - s.q[2 * k]);
                              }});
  return out;
}

/// A rigid body of points and all its rods falls flat (every foot at once) and slides on.
Case lands_flat(std::uint64_t seed) {
  Dice dice(seed);
  const std::size_t dimension = dice.coin() ? 2 : 3;
  const double gravity = dice.below(3) == 0 ? 0 : dice.uniform(1, 12);
  // Feet first, then what stands above.
  std::vector<std::vector<double>> at;
  const double a = dice.uniform(0.5, 2);
  const double b = dice.uniform(0.5, 2);
  const int shape = dice.below(3);
  if (dimension == 2) {
    at = {{0, 0}, {a, 0}};
    if (shape > 0) at.push_back({dice.uniform(0, 1) * a, b});
    if (shape > 1) at.push_back({a / 2, 0});  // three feet on a line
  } else {
    at = {{0, 0, 0}, {a, 0, 0}, {0, b, 0}};
    if (shape > 0) at.push_back({a, b, 0});  // four coplanar feet
    if (shape > 1) at.push_back({a / 2, b / 2, 1});
  }
  const double high = dice.uniform(0.2, 2);
  const double side = dice.uniform(-2, 2);
  const double down = gravity == 0 ? dice.uniform(0.5, 2) : dice.uniform(0, 1);
  const std::size_t up = dimension - 1;
  std::string text = dimension == 2 ? fmt::format("gravity = [0, {}]\n", number(-gravity))
                                    : fmt::format("gravity = [0, 0, {}]\n", number(-gravity));
  for (std::size_t k = 0; k < at.size(); ++k) {
    std::vector<double> q = at[k];
    q[up] += high;
    std::vector<double> v(dimension, 0);
    v[0] = side;
    v[up] = -down;
    text += fmt::format("[points.b{}]\nmass = {}\nposition = {}\nvelocity = {}\n", k, number(dice.spread(0.5, 2)),
                        list(q), list(v));
  }
  Case out;
  text += "[constraints]\n";
  for (std::size_t k = 0; k < at.size(); ++k) {
    text += fmt::format("floor{} = \"b{}.{} >= 0\"\n", k, k, dimension == 2 ? "y" : "z");
    out.conditions.push_back(
        {fmt::format("floor{}", k), false, kept * 4, [=](const Sample& s) { return -s.q[k * dimension + up]; }});
    for (std::size_t j = k + 1; j < at.size(); ++j) {
      Real length = 0;
      for (std::size_t i = 0; i < dimension; ++i)
        length += (static_cast<Real>(at[k][i]) - at[j][i]) * (static_cast<Real>(at[k][i]) - at[j][i]);
      length = std::sqrt(length);
      text += fmt::format("rod{}{} = \"distance(b{}, b{}) = {}\"\n", k, j, k, j, number(static_cast<double>(length)));
      out.conditions.push_back({fmt::format("rod{}{}", k, j), true, kept * 4, apart(k, j, dimension, length)});
    }
  }
  const double until = dice.uniform(2, 4);
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  out.texts = {text};
  for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
  out.check = closed(until, 1e-9L * 10, 1e-9L * 10, [=](Real t, Vector& q, Vector& v) {
    const Real landing =
        gravity == 0
            ? static_cast<Real>(high) / down
            : (-down + std::sqrt(static_cast<Real>(down) * down + 2 * static_cast<Real>(gravity) * high)) / gravity;
    const bool there = t >= landing;
    q.clear();
    v.clear();
    for (const auto& p : at) {
      for (std::size_t i = 0; i < dimension; ++i) {
        Real x = p[i];
        Real u = 0;
        if (i == 0) x += side * t, u = side;
        if (i == up && !there) x += high - down * t - gravity * t * t / 2, u = -down - gravity * t;
        q.push_back(x);
        v.push_back(u);
      }
    }
  });
  return out;
}

/// A tilted rod or triangle lands on one foot, turns, lands on the other and slides: held against the slow motion of the laws.
Case lands_tilted(std::uint64_t seed) {
  Dice dice(seed);
  laws::SlowSystem system;
  // Without gravity nothing presses it down after it has landed.
  system.gravity = dice.below(3) == 0 ? 0 : dice.uniform(2, 12);
  const double down = system.gravity == 0 ? dice.uniform(0.5, 1.5) : 0;
  const double length = dice.uniform(0.5, 2);
  const double angle = dice.sign() * dice.uniform(0.15, 1.2);
  const double side = dice.uniform(-1, 1);
  const double spin = dice.uniform(-1, 1);
  const double high = dice.uniform(0.1, 1) + length;
  const int points = dice.among(2, 3);
  const double corner[3][2] = {{-0.5, 0}, {0.5, 0}, {dice.uniform(-0.3, 0.3), dice.uniform(0.4, 0.9)}};
  for (int k = 0; k < points; ++k) {
    laws::SlowPoint point;
    point.mass = dice.spread(0.5, 2);
    system.points.push_back(point);
    const double x = length * (corner[k][0] * std::cos(angle) - corner[k][1] * std::sin(angle));
    const double y = length * (corner[k][0] * std::sin(angle) + corner[k][1] * std::cos(angle));
    system.position.insert(system.position.end(), {x, high + y});
    system.velocity.insert(system.velocity.end(), {side - spin * y, spin * x - down});
    laws::SlowCondition floor;
    floor.shape = laws::SlowCondition::Shape::wall;
    floor.name = fmt::format("floor{}", k);
    floor.a = static_cast<std::size_t>(k);
    floor.along = {0, -1};
    system.conditions.push_back(floor);
    for (int j = 0; j < k; ++j) {
      laws::SlowCondition rod;
      rod.shape = laws::SlowCondition::Shape::between;
      rod.name = fmt::format("rod{}{}", j, k);
      rod.equation = true;
      rod.a = static_cast<std::size_t>(j);
      rod.b = static_cast<std::size_t>(k);
      rod.length = std::hypot(system.position[2 * rod.a] - system.position[2 * rod.b],
                              system.position[2 * rod.a + 1] - system.position[2 * rod.b + 1]);
      system.conditions.push_back(rod);
    }
  }
  system.until = dice.uniform(1.5, 3);
  const auto slow = laws::slow_motion(system);
  const auto other = laws::slow_motion(system, 1e-9);
  Case out;
  out.texts = {laws::model_text(system)};
  out.at = {system.until};
  if (!slow.delicate() && slow.end == "finished" && other.end == slow.end &&
      other.events.size() == slow.events.size()) {
    Real grown = 0;
    for (std::size_t i = 0; i < slow.position.size(); ++i)
      grown = std::max(
          {grown, std::abs(slow.position[i] - other.position[i]), std::abs(slow.velocity[i] - other.velocity[i])});
    if (grown < 1e-5L) {
      Truth truth;
      truth.rows.push_back(
          {slow.position, slow.velocity, 1e-9L + share_of_nudge * grown, 1e-8L + share_of_nudge * grown});
      out.check = [truth](const std::vector<Track>& tracks) { return differs(truth, tracks.front()); };
    }
  }
  for (std::size_t k = 0; k < system.points.size(); ++k) {
    out.conditions.push_back(
        {fmt::format("floor{}", k), false, kept * 4, [=](const Sample& s) { return -s.q[2 * k + 1]; }});
  }
  for (const auto& c : system.conditions)
    if (c.equation) out.conditions.push_back({c.name, true, kept * 4, apart(c.a, c.b, 2, c.length)});
  return out;
}

/// A column of discs that fits exactly between two walls falls down to the floor, one after the other.
Case column(std::uint64_t seed) {
  Dice dice(seed);
  const int discs = dice.among(1, 6);
  const double wide = dice.coin() ? 1 : dice.uniform(0.3, 1);
  const double gravity = dice.uniform(1, 12);
  const double left = dice.coin() ? 0 : dice.uniform(-1, 1);
  const double right = left + wide;
  const double middle = left + wide / 2;
  std::vector<double> start;
  std::string text = fmt::format("gravity = [0, {}]\n[parameters]\nwide = {}\nleft = {}\nright = {}\n",
                                 number(-gravity), number(wide), number(left), number(right));
  double y = wide / 2;
  for (int k = 0; k < discs; ++k) {
    if (dice.coin()) y += dice.uniform(0.1, 1);
    start.push_back(y);
    text += fmt::format("[points.d{}]\nmass = {}\nposition = [{}, {}]\n", k, number(dice.spread(0.25, 4)),
                        number(middle), number(y));
    y += wide;
  }
  const double until = dice.uniform(2, 4);
  text += "[constraints]\n";
  Case out;
  for (int k = 0; k < discs; ++k) {
    text += fmt::format(
        "left{0} = \"d{0}.x >= left + wide/2\"\nright{0} = \"d{0}.x <= right - wide/2\"\nfloor{0} = \"d{0}.y >= "
        "wide/2\"\n",
        k);
    const auto i = static_cast<std::size_t>(k);
    out.conditions.push_back(
        {fmt::format("floor{}", k), false, kept * 10, [=](const Sample& s) { return wide / 2 - s.q[2 * i + 1]; }});
    for (int j = 0; j < k; ++j) {
      text += fmt::format("c{0}_{1} = \"distance(d{0}, d{1}) >= wide\"\n", j, k);
      out.conditions.push_back(
          {fmt::format("c{}_{}", j, k), false, kept * 10, apart(static_cast<std::size_t>(j), i, 2, wide)});
    }
  }
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  out.texts = {text};
  for (int k = 0; k < 24; ++k) out.at.push_back(until * (k + 0.43) / 24);
  out.check = closed(until, 1e-9L * 10, 1e-9L * 30, [=](Real t, Vector& q, Vector& v) {
    q.clear();
    v.clear();
    for (std::size_t k = 0; k < start.size(); ++k) {
      const Real rest = wide / 2 + static_cast<Real>(k) * wide;
      const Real now = start[k] - static_cast<Real>(gravity) * t * t / 2;
      const bool there = now <= rest + 1e-14L;
      q.insert(q.end(), {middle, there ? rest : now});
      v.insert(v.end(), {0, there ? 0 : -gravity * t});
    }
  });
  return out;
}

/// A table on legs falls tilted, with restitution: it rattles, accumulations within accumulations, and comes to rest.
Case table_on_legs(std::uint64_t seed) {
  Dice dice(seed);
  const int legs = dice.among(3, 8);
  const double e = dice.uniform(0.1, 0.6);
  const double gravity = 9.81;
  const double inertia = dice.uniform(0.3, 1);
  std::vector<double> x, y;
  for (int k = 0; k < legs; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.5) / legs;
    x.push_back(std::cos(angle));
    y.push_back(std::sin(angle));
  }
  const double p = dice.uniform(-0.2, 0.2);
  const double q = dice.uniform(-0.2, 0.2);
  double z = 0;
  for (int k = 0; k < legs; ++k)
    z = std::max(z, -(p * x[static_cast<std::size_t>(k)] + q * y[static_cast<std::size_t>(k)]));
  z += dice.uniform(0.05, 0.5);
  std::string text = fmt::format(
      "[coordinates.z]\ninitial = {}\n[coordinates.p]\ninitial = {}\n[coordinates.q]\ninitial = {}\n[energy]\nkinetic "
      "= "
      "\"z'^2/2 + {}/2*(p'^2 + q'^2)\"\npotential = \"{}*z\"\n[constraints]\n",
      number(z), number(p), number(q), number(inertia), number(gravity));
  Case out;
  for (std::size_t k = 0; k < x.size(); ++k) {
    text += fmt::format("leg{} = {{ condition = \"z + ({})*p + ({})*q >= 0\", restitution = {} }}\n", k, number(x[k]),
                        number(y[k]), number(e));
    const double a = x[k];
    const double b = y[k];
    out.conditions.push_back({fmt::format("leg{}", k), false, kept, [=](const Sample& s) {
                                return -(s.q[0] + static_cast<Real>(a) * s.q[1] + static_cast<Real>(b) * s.q[2]);
                              }});
  }
  const double until = 30;
  text += fmt::format("[simulation]\nuntil = {}\n", number(until));
  out.texts = {text};
  out.at = even_times(0, until, 60);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    Real least = 1e9;
    for (const Sample& s : tracks.front().asked) {
      const Real energy = (s.v[0] * s.v[0] + inertia * (s.v[1] * s.v[1] + s.v[2] * s.v[2])) / 2 + gravity * s.q[0];
      if (energy > least + 1e-9L)
        return fmt::format("energy grows by {:.3g} up to t = {:.9g}", static_cast<double>(energy - least), s.time);
      least = std::min(least, energy);
    }
    if (!tracks.front().finished()) return "";
    const Sample& end = tracks.front().last;
    for (std::size_t i = 0; i < 3; ++i)
      if (std::abs(end.q[i]) > 1e-8 || std::abs(end.v[i]) > 1e-8)
        return fmt::format("it is not at rest: coordinate {} is {:.3g}, its velocity {:.3g}", i, end.q[i], end.v[i]);
    return "";
  };
  return out;
}

/// What a pile is made of: discs that fall without bounce, discs that bounce, or some of both over a row that fills the box exactly.
enum class Pile : std::uint8_t { falls, bounces, fits };

Case pile(std::uint64_t seed, int fewest, int most, Pile kind) {
  Dice dice(seed);
  const bool fits = kind == Pile::fits;
  const bool bounce = kind == Pile::bounces || (fits && dice.coin());
  const int discs = dice.among(fewest, most);
  const double e = bounce ? std::vector<double>{0.3, 0.5, 0.9}[static_cast<std::size_t>(dice.below(fits ? 2 : 3))] : 0;
  const double gravity = 9.81;
  const double r = 0.5;
  const int across = fits ? dice.among(2, discs - 1) : std::max(2, static_cast<int>(std::sqrt(discs)));
  const double width = across * 2 * r * (fits ? 1 : dice.uniform(1.05, 1.4));
  std::string text = fmt::format("gravity = [0, {}]\n[points.d]\ncount = {}\nmass = {}\nposition = [", number(-gravity),
                                 discs, number(dice.spread(0.5, 2)));
  std::vector<double> q;
  for (int k = 0; k < discs; ++k) {
    // Over a row that fits there is room for one less in each.
    const bool in_row = fits && k < across;
    const int beside = fits && !in_row ? across - 1 : across;
    const int row = fits && !in_row ? 1 + (k - across) / beside : k / across;
    const int place = fits && !in_row ? (k - across) % beside : k % across;
    if (in_row) {
      q.insert(q.end(), {r + 2 * r * k, r});
      continue;
    }
    const double slot = width / beside;
    const double room = slot / 2 - r;
    q.push_back((place + 0.5) * slot + dice.uniform(-0.9, 0.9) * room);
    q.push_back(r + 0.05 + row * 2 * r * 1.15 + dice.uniform(-0.04, 0.04));
  }
  for (int k = 0; k < discs; ++k)
    text += (k > 0 ? ", " : "") + list({q[static_cast<std::size_t>(2 * k)], q[static_cast<std::size_t>(2 * k + 1)]});
  const double until = 20;
  text += fmt::format(
      "]\n[constraints]\nfloor = {{ for = \"i = 1..{0}\", condition = \"d[i].y >= {1}\", restitution = {2} }}\nleft = "
      "{{ for = \"i = "
      "1..{0}\", condition = \"d[i].x >= {1}\", restitution = {2} }}\nright = {{ for = \"i = 1..{0}\", condition = "
      "\"d[i].x <= {3}\", "
      "restitution = {2} }}\napart = {{ for = \"i = 1..{4}, j = i+1..{0}\", condition = \"distance(d[i], d[j]) >= "
      "{5}\", restitution "
      "= {2} }}\n[simulation]\nuntil = {6}\n",
      discs, number(r), number(e), number(width - r), discs - 1, number(2 * r), number(until));
  Case out;
  out.texts = {text};
  out.at = even_times(0, until, 80);
  const auto n = static_cast<std::size_t>(discs);
  out.conditions.push_back(
      {"the walls", false, kept * 10, [=](const Sample& s) {
         Real worst = -1;
         for (std::size_t k = 0; k < n; ++k)
           worst = std::max<Real>({worst, r - s.q[2 * k + 1], r - s.q[2 * k], s.q[2 * k] - (width - r)});
         return worst;
       }});
  out.conditions.push_back({"the distances", false, kept * 10, [=](const Sample& s) {
                              Real worst = -1;
                              for (std::size_t k = 0; k < n; ++k)
                                for (std::size_t j = k + 1; j < n; ++j)
                                  worst = std::max(
                                      worst, 2 * r - std::hypot(static_cast<Real>(s.q[2 * k]) - s.q[2 * j],
                                                                static_cast<Real>(s.q[2 * k + 1]) - s.q[2 * j + 1]));
                              return worst;
                            }});
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    // Per unit of mass: only shocks change it, and only down.
    const auto energy = [&](const Sample& s) {
      Real sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += (static_cast<Real>(s.v[2 * k]) * s.v[2 * k] + static_cast<Real>(s.v[2 * k + 1]) * s.v[2 * k + 1]) / 2 +
               gravity * s.q[2 * k + 1];
      return sum;
    };
    Real least = 1e9L;
    for (const Sample& s : tracks.front().asked) {
      const Real now = energy(s);
      if (now > least + 1e-8L * discs)
        return fmt::format("energy grows by {:.3g} up to t = {:.9g}", static_cast<double>(now - least), s.time);
      least = std::min(least, now);
    }
    if (!tracks.front().finished()) return "";
    // At the end nothing that touches comes closer.
    const Sample& s = tracks.front().last;
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = k + 1; j < n; ++j) {
        const Real dx = static_cast<Real>(s.q[2 * k]) - s.q[2 * j];
        const Real dy = static_cast<Real>(s.q[2 * k + 1]) - s.q[2 * j + 1];
        const Real far = std::hypot(dx, dy);
        const Real rate = (dx * (s.v[2 * k] - s.v[2 * j]) + dy * (s.v[2 * k + 1] - s.v[2 * j + 1])) / far;
        if (far - 2 * r < 1e-10L && rate < -1e-8L)
          return fmt::format("discs {} and {} touch and close with {:.3g}", k + 1, j + 1, static_cast<double>(-rate));
      }
    }
    return "";
  };
  return out;
}

Case small_pile(std::uint64_t seed) { return pile(seed, 3, 12, Pile::falls); }
Case large_pile(std::uint64_t seed) { return pile(seed, 13, 40, Pile::falls); }
Case bouncing_pile(std::uint64_t seed) { return pile(seed, 3, 10, Pile::bounces); }
Case fitting_pile(std::uint64_t seed) { return pile(seed, 3, 9, Pile::fits); }

/// Discs heaped up to a triangle in a box that its lowest row fills exactly: nothing moves.
Case heap(std::uint64_t seed) {
  Dice dice(seed);
  const int wide = dice.among(2, 5);
  const int rows = dice.among(1, wide);
  const double r = dice.coin() ? 0.5 : dice.uniform(0.2, 1);
  const double gravity = dice.uniform(1, 12);
  const double left = dice.coin() ? 0 : dice.uniform(-1, 1);
  const double right = left + 2 * r * wide;
  std::vector<double> q;
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k + row < wide; ++k)
      q.insert(q.end(), {left + r * (2 * k + row + 1), r + row * r * std::sqrt(3.0)});
  const std::size_t n = q.size() / 2;
  std::string places;
  for (std::size_t k = 0; k < n; ++k) places += (k > 0 ? ", " : "") + list({q[2 * k], q[2 * k + 1]});
  const double until = dice.spread(1, 1000);
  Case out;
  out.texts = {
      fmt::format("gravity = [0, {0}]\n[points.d]\ncount = {1}\nmass = {2}\nposition = [{3}]\n[constraints]\nfloor = "
                  "{{ for = \"i = 1..{1}\", "
                  "condition = \"d[i].y >= {4}\" }}\nleft = {{ for = \"i = 1..{1}\", condition = \"d[i].x >= {5}\" "
                  "}}\nright = {{ for = \"i = "
                  "1..{1}\", condition = \"d[i].x <= {6}\" }}\napart = {{ for = \"i = 1..{7}, j = i+1..{1}\", "
                  "condition = \"distance(d[i], d[j]) >= "
                  "{8}\" }}\n[simulation]\nuntil = {9}\n",
                  number(-gravity), n, number(dice.spread(0.5, 2)), places, number(r), number(left + r),
                  number(right - r), n - 1, number(2 * r), number(until))};
  out.at = even_times(0, until, 10);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& s : tracks.front().asked)
      for (std::size_t i = 0; i < q.size(); ++i)
        if (!(std::abs(s.q[i] - q[i]) <= 1e-10 * (1 + wide)) || !(std::abs(s.v[i]) <= 1e-9))
          return fmt::format("disc {} has moved by {:.3g} up to t = {:.9g}, its velocity is {:.3g}", i / 2 + 1,
                             s.q[i] - q[i], s.time, s.v[i]);
    return "";
  };
  return out;
}

/// Two or three boxes side by side fill a slot exactly, pressed to and fro across it; each falls to the bottom by its own force.
Case boxes_in_slot(std::uint64_t seed) {
  Dice dice(seed);
  const int count = dice.among(2, 3);
  const double width = dice.spread(0.1, 10);
  const double size = width * count;
  const double high = size * dice.uniform(1, 2);
  const double gravity = dice.uniform(1, 10);
  const bool pressed = dice.coin();
  const bool on_its_side = dice.coin();
  // Across and along: the slot stands upright, or lies with its bottom on the right.
  const auto place = [&](double across, double along) {
    return on_its_side ? fmt::format("[{}, {}]", number(-along), number(across))
                       : fmt::format("[{}, {}]", number(across), number(along));
  };
  std::string text = "gravity = " + place(0, -gravity) + "\n";
  std::string contacts = "[contacts]\n";
  std::vector<Real> rates;
  for (int k = 0; k < count; ++k) {
    const double mass = dice.uniform(0.5, 2);
    const double aside = pressed ? dice.uniform(-2, 2) : 0.0;
    const double down = dice.coin() ? 0.0 : mass * gravity * dice.uniform(0, 0.1);
    rates.push_back(gravity + static_cast<Real>(down) / mass);
    text +=
        fmt::format("[bodies.b{}]\nmass = {}\nshape = {{ box = [{}, {}] }}\nposition = {}\nforce = {}\n", k,
                    number(mass), number(width), number(width), place(width * (k + 0.5), high), place(aside, -down));
    if (k > 0) contacts += fmt::format("c{} = {{ between = [\"b{}\", \"b{}\"] }}\n", k, k - 1, k);
    contacts += fmt::format("l{} = {{ body = \"b{}\", plane = {{ normal = {}, offset = 0 }} }}\n", k, k, place(1, 0));
    contacts += fmt::format("r{} = {{ body = \"b{}\", plane = {{ normal = {}, offset = {} }} }}\n", k, k, place(-1, 0),
                            number(-size));
    contacts += fmt::format("f{} = {{ body = \"b{}\", plane = {{ normal = {}, offset = 0 }} }}\n", k, k, place(0, 1));
  }
  const double until = 2 * std::sqrt(2 * high / gravity);
  Case out;
  out.texts = {text + contacts + fmt::format("[simulation]\nuntil = {}\n", number(until))};
  for (int k = 0; k < 41; ++k) out.at.push_back(until * (k + 0.37) / 41);
  out.check = [=](const std::vector<Track>& tracks) -> std::string {
    for (const Sample& sample : tracks.front().asked) {
      for (int k = 0; k < count; ++k) {
        const Real t = sample.time;
        const Real along = std::max(static_cast<Real>(width) / 2, high - rates[k] * t * t / 2);
        const Real across = width * (k + 0.5L);
        const Real x = sample.q[3 * k];
        const Real y = sample.q[3 * k + 1];
        const Real off = on_its_side ? std::hypot(y - across, -x - along) : std::hypot(x - across, y - along);
        if (!(off <= 1e-10L * size))
          return fmt::format("box {} at t = {:.9g} is off by {:.3g}", k, sample.time, static_cast<double>(off));
      }
    }
    return "";
  };
  return out;
}

}  // namespace

void add_contacts(std::vector<Class>& all) {
  all.push_back({"head-on", "balls that meet head-on without forces go on together", head_on, 40, 2000});
  all.push_back({"moving-ring", "a ring that moves takes a point along", moving_ring, 60, 3000});
  all.push_back({"pushing-wall", "a wall that comes pushes a row of points", pushing_wall, 100, 4000});
  all.push_back({"lands-flat", "a body of rods lands on all its feet and slides on", lands_flat, 60, 2000});
  all.push_back(
      {"lands-tilted", "a body of rods lands on one foot, then on the other, and slides on", lands_tilted, 8, 300});
  all.push_back({"column", "a column of discs that fits exactly between walls comes to rest", column, 60, 3000});
  all.push_back({"heap", "a heap of discs that fits exactly into a box rests", heap, 30, 1000});
  all.push_back({"table-on-legs", "a table on legs with restitution comes to rest", table_on_legs, 10, 1000});
  all.push_back({"small-pile", "a pile of a few discs comes to rest in a box", small_pile, 8, 500});
  all.push_back({"large-pile", "a pile of many discs comes to rest in a box", large_pile, 1, 40});
  all.push_back({"bouncing-pile", "a few discs that bounce come to rest in a box", bouncing_pile, 5, 200});
  all.push_back({"fitting-pile", "discs fall onto a row that fills the box exactly", fitting_pile, 8, 500});
  all.push_back({"boxes-in-slot", "boxes fill a slot exactly and fall in it", boxes_in_slot, 20, 1000});
}

}  // namespace zwang::hard
