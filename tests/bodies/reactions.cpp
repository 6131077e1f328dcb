/// Forces and torques of joints of every kind, between bodies that are turned, moving and away from the origin: with what each joint is reported to do to its partners,
/// every body must fulfil Newton's and Euler's equations, and no joint may act along what it leaves free.
///
///   m a = m g + F + sum f,        I w' + w x I w = N + sum (n + (P - x) x f),        f, n at the place P of the joint, on the second partner; the opposite on the first
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "answer.hpp"

namespace zwang::testing::reactions_tests {

namespace {

/// Rounding of some hundred operations at sizes of about 10.
constexpr double reaction_exactness = 1e-10;

/// Numbers between -1 and 1, the same everywhere.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double number() { return static_cast<double>(engine_() >> 11U) * 0x1p-52 - 1; }
  Three vector() {
    const double x = number();
    const double y = number();
    return {x, y, number()};
  }
  Three direction() {
    for (;;) {
      const Three x = vector();
      const double size = std::sqrt(dot(x, x));
      if (size > 0.1) return times(1 / size, x);
    }
  }
  std::uint64_t below(std::uint64_t count) { return (engine_() >> 33U) % count; }

 private:
  std::mt19937_64 engine_;
};

std::string list(const Three& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); }

constexpr std::size_t ground = 1000;

/// A body: where it is, how it moves, what acts on it besides joints.
struct Solid {
  double mass = 1;
  Three moments{}, place{}, velocity{}, spin{}, force{}, torque{};
  std::vector<double> turn = {0, 0, 0, 1, 0, 0, 0};  ///< the quaternion from the fourth on, as in answers
  std::string marks;
};

/// What a joint says of itself, and between whom.
struct Link {
  std::string text, kind;
  std::size_t first = ground, second = ground;
  Three place{};
  std::vector<Three> free_turns, free_ways;  ///< directions in which it cannot act
};

struct System {
  Three gravity{};
  std::vector<Solid> solids;
  std::vector<Link> links;

  Three own(std::size_t body, const Three& x) const {
    if (body == ground) return x;
    const std::array<Three, 3> axes = axes_of(solids[body].turn);
    return {dot(axes[0], x), dot(axes[1], x), dot(axes[2], x)};
  }
  Three place(std::size_t body) const { return body == ground ? Three{} : solids[body].place; }
  Three spin(std::size_t body) const { return body == ground ? Three{} : solids[body].spin; }
  Three velocity(std::size_t body, const Three& at) const {
    if (body == ground) return {};
    return sum(solids[body].velocity, cross(solids[body].spin, sum(at, times(-1, solids[body].place))));
  }
  /// A mark at a place of the fixed frame, or that place itself.
  std::string partner(std::size_t body, const Three& at) {
    if (body == ground) return list(at);
    const std::string name = fmt::format("m{}", links.size());
    solids[body].marks += fmt::format("{} = {}\n", name, list(own(body, sum(at, times(-1, solids[body].place)))));
    return fmt::format("\"b{}.{}\"", body, name);
  }
  std::string text() const {
    std::string out = "gravity = " + list(gravity) + "\n";
    for (std::size_t i = 0; i < solids.size(); ++i) {
      const Solid& one = solids[i];
      out += fmt::format(
          "[bodies.b{}]\nmass = {:.17g}\ninertia = {}\nposition = {}\norientation = [{:.17g}, {:.17g}, {:.17g}, "
          "{:.17g}]\n"
          "velocity = {}\nspin = {}\nforce = {}\ntorque = {}\n[bodies.b{}.marks]\n{}",
          i, one.mass, list(one.moments), list(one.place), one.turn[3], one.turn[4], one.turn[5], one.turn[6],
          list(one.velocity), list(one.spin), list(one.force), list(one.torque), i, one.marks);
    }
    out += "[joints]\n";
    for (const Link& link : links) out += link.text + "\n";
    return out;
  }
};

Solid any_solid(Draw& draw) {
  Solid out;
  out.mass = 1.5 + draw.number();
  out.moments = {0.6 + 0.1 * draw.number(), 0.7 + 0.1 * draw.number(), 0.8 + 0.1 * draw.number()};
  const Three axis = draw.direction();
  const double angle = 3 * draw.number();
  const double s = std::sin(angle / 2);
  out.turn = {0, 0, 0, std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]};
  out.force = times(3, draw.vector());
  out.torque = times(3, draw.vector());
  return out;
}

/// What is left of Newton and Euler for every body, with the loads that are not among `links` given.
struct Balance {
  std::vector<Three> force, torque;
};
void act(const System& system, Balance& balance, std::size_t body, double sign, const Three& at, const Three& f,
         const Three& n) {
  if (body == ground) return;
  balance.force[body] = sum(balance.force[body], times(sign, f));
  const Three arm = sum(at, times(-1, system.place(body)));
  balance.torque[body] = sum(balance.torque[body], times(sign, sum(n, cross(arm, f))));
}
Balance loads(const System& system, const Json& answer) {
  Balance out;
  for (const Solid& one : system.solids) {
    out.force.push_back(sum(one.force, times(one.mass, system.gravity)));
    out.torque.push_back(one.torque);
  }
  for (std::size_t k = 0; k < system.links.size(); ++k) {
    const Link& link = system.links[k];
    if (link.kind == "gear") continue;
    const Json& said = answer["reactions"][fmt::format("j{}", k)];
    const Three f = part(numbers(said["force"]), 0);
    const Three n = part(numbers(said["torque"]), 0);
    const Json& again = answer["multipliers"][fmt::format("j{}", k)];
    expect_near(part(numbers(again["force"]), 0), f, reaction_exactness);
    expect_near(part(numbers(again["torque"]), 0), n, reaction_exactness);
    act(system, out, link.second, 1, link.place, f, n);
    act(system, out, link.first, -1, link.place, f, n);
    for (const Three& d : link.free_turns) EXPECT_NEAR(dot(n, d), 0, reaction_exactness) << link.text;
    for (const Three& d : link.free_ways) EXPECT_NEAR(dot(f, d), 0, reaction_exactness) << link.text;
  }
  return out;
}
void expect_balance(const System& system, const Json& answer, const Balance& balance) {
  for (std::size_t i = 0; i < system.solids.size(); ++i) {
    const Solid& one = system.solids[i];
    const std::vector<double> a = numbers(answer["accelerations"][fmt::format("b{}", i)]);
    expect_near(times(one.mass, part(a, 0)), balance.force[i], reaction_exactness);
    const std::array<Three, 3> axes = axes_of(one.turn);
    Three turned{};
    Three spun{};
    for (std::size_t k = 0; k < 3; ++k) {
      turned = sum(turned, times(one.moments.at(k) * dot(axes.at(k), part(a, 3)), axes.at(k)));
      spun = sum(spun, times(one.moments.at(k) * dot(axes.at(k), one.spin), axes.at(k)));
    }
    expect_near(sum(turned, cross(one.spin, spun)), balance.torque[i], reaction_exactness);
  }
}
/// w' and the acceleration at a place, of a body or of the ground.
Three turning(const Json& answer, std::size_t body) {
  return body == ground ? Three{} : part(numbers(answer["accelerations"][fmt::format("b{}", body)]), 3);
}
Three acceleration(const System& system, const Json& answer, std::size_t body, const Three& at) {
  if (body == ground) return {};
  const Three arm = sum(at, times(-1, system.place(body)));
  const Three w = system.spin(body);
  const Three centre = part(numbers(answer["accelerations"][fmt::format("b{}", body)]), 0);
  return sum(centre, sum(cross(turning(answer, body), arm), cross(w, cross(w, arm))));
}

enum class Extra : std::uint8_t { none, drive, limit };
struct Course {
  Extra extra = Extra::none;
  std::size_t link = 0;
  bool turns = false;  ///< a hinge; else a slider
  Three axis{};
  double wanted = 0;  ///< second derivative of the drive
};

/// One more body on one that is there, or on the ground, by a joint of the kind.
void grow(System& system, Draw& draw, const std::string& kind, Extra extra, std::vector<Course>& courses) {
  const std::size_t parent = draw.below(3) == 0 || system.solids.empty() ? ground : draw.below(system.solids.size());
  const std::size_t child = system.solids.size();
  Solid one = any_solid(draw);
  Link link;
  link.kind = kind;
  link.place = sum(system.place(parent), times(parent == ground ? 4 : 1, draw.vector()));
  const Three n = draw.direction();
  Three turns{};
  Three goes{};
  const bool moving = extra != Extra::limit;
  Three other{};
  if (kind == "ball") {
    turns = draw.vector();
    link.free_turns = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  }
  if ((kind == "hinge" || kind == "cylindrical") && moving) turns = times(draw.number(), n);
  if ((kind == "slider" || kind == "cylindrical") && moving) goes = times(draw.number(), n);
  if (kind == "universal") {
    other = cross(n, draw.direction());
    other = times(1 / std::sqrt(dot(other, other)), other);
    turns = sum(times(draw.number(), n), times(draw.number(), other));
    link.free_turns = {n, other};
  }
  if ((kind == "hinge" || kind == "cylindrical") && extra == Extra::none) link.free_turns = {n};
  if ((kind == "slider" || kind == "cylindrical") && extra == Extra::none) link.free_ways = {n};
  one.spin = sum(system.spin(parent), turns);
  const Three arm = times(0.7, draw.vector());
  one.place = sum(link.place, times(-1, arm));
  one.velocity = sum(sum(system.velocity(parent, link.place), goes), times(-1, cross(one.spin, arm)));
  system.solids.push_back(one);

  // Partners either way round: what is said is said of the second.
  const bool swapped = kind != "universal" && draw.below(2) == 0;
  link.first = swapped ? child : parent;
  link.second = swapped ? parent : child;
  const std::string first = system.partner(link.first, link.place);
  const std::string second = system.partner(link.second, link.place);
  std::string more;
  if (kind == "hinge" || kind == "slider" || kind == "cylindrical")
    more = ", axis = " + list(system.own(link.first, n));
  if (kind == "universal")
    more = fmt::format(", axes = [{}, {}]", list(system.own(link.first, n)), list(system.own(link.second, other)));
  if (extra == Extra::drive) {
    const double rate = (swapped ? -1 : 1) * (kind == "hinge" ? dot(turns, n) : dot(goes, n));
    const double half = draw.number();
    more += fmt::format(", drive = \"{:.17g}*t + {:.17g}*t^2\"", rate, half);
    courses.push_back({extra, system.links.size(), kind == "hinge", n, 2 * half});
  }
  if (extra == Extra::limit) {
    more += ", limits = [0, 2]";
    courses.push_back({extra, system.links.size(), kind == "hinge", n, 0});
  }
  link.text = fmt::format("j{} = {{ {} = [{}, {}]{} }}", system.links.size(), kind, first, second, more);
  system.links.push_back(link);
}

/// Drives go as they should; a limit pushes away from itself, or is left.
void expect_courses(const System& system, const Json& answer, const std::vector<Course>& courses) {
  for (const Course& course : courses) {
    const Link& link = system.links[course.link];
    const Three apart = course.turns ? sum(turning(answer, link.second), times(-1, turning(answer, link.first)))
                                     : sum(acceleration(system, answer, link.second, link.place),
                                           times(-1, acceleration(system, answer, link.first, link.place)));
    const double along = dot(apart, course.axis);
    if (course.extra == Extra::drive) {
      EXPECT_NEAR(along, course.wanted, reaction_exactness) << link.text;
      continue;
    }
    const Json& said = answer["reactions"][fmt::format("j{}", course.link)];
    const double push = dot(part(numbers(said[course.turns ? "torque" : "force"]), 0), course.axis);
    EXPECT_GE(push, -reaction_exactness) << link.text;
    EXPECT_GE(along, -reaction_exactness) << link.text;
    EXPECT_NEAR(push * along, 0, reaction_exactness) << link.text;
  }
}

}  // namespace

TEST(Reactions, of_joints_of_all_kinds_in_trees_balance_every_body) {
  const std::vector<std::string> kinds = {"ball", "hinge", "slider", "cylindrical", "universal", "weld"};
  std::size_t pressing = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    Draw draw(seed);
    System system;
    system.gravity = times(8, draw.vector());
    std::vector<Course> courses;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::string& kind = kinds[(seed + i) % kinds.size()];
      const bool courseful = kind == "hinge" || kind == "slider";
      grow(system, draw, kind, courseful ? static_cast<Extra>((seed + i / 2) % 3) : Extra::none, courses);
    }
    const Json answer = accelerate_answer(system.text());
    ASSERT_EQ(answer["status"], "determined") << system.text();
    expect_balance(system, answer, loads(system, answer));
    expect_courses(system, answer, courses);
    for (const Course& course : courses) {
      if (course.extra != Extra::limit) continue;
      const Json& said = answer["reactions"][fmt::format("j{}", course.link)];
      pressing += dot(part(numbers(said[course.turns ? "torque" : "force"]), 0), course.axis) > reaction_exactness;
    }
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << system.text();
  }
  EXPECT_GE(pressing, 3U);
}

TEST(Reactions, of_a_gear_act_on_both_wheels_and_on_what_carries_them) {
  // A sun on the ground and a planet on an arm, axes aslant: turns of the planet against the arm = ratio * turns of the sun.
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Draw draw(100 + seed);
    System system;
    system.gravity = times(8, draw.vector());
    const double ratio = 2 * draw.number() - 0.5;
    const Three of_sun = draw.direction();
    const Three of_arm = draw.direction();
    const Three of_planet = draw.direction();
    const double rate = draw.number();
    const auto hang = [&](std::size_t parent, const Three& axis, double turns) {
      Solid one = any_solid(draw);
      const Three at = sum(system.place(parent), times(parent == ground ? 4 : 1, draw.vector()));
      const Three arm = times(0.7, draw.vector());
      one.spin = sum(system.spin(parent), times(turns, axis));
      one.place = sum(at, times(-1, arm));
      one.velocity = sum(system.velocity(parent, at), times(-1, cross(one.spin, arm)));
      system.solids.push_back(one);
      Link link{"", "hinge", parent, system.solids.size() - 1, at, {axis}, {}};
      const std::string first = system.partner(link.first, at);
      const std::string second = system.partner(link.second, at);
      link.text = fmt::format("j{} = {{ hinge = [{}, {}], axis = {} }}", system.links.size(), first, second,
                              list(system.own(parent, axis)));
      system.links.push_back(link);
    };
    hang(ground, of_sun, rate);
    hang(ground, of_arm, draw.number());
    hang(1, of_planet, ratio * rate);
    system.links.push_back(
        {fmt::format("j3 = {{ gear = [\"b0\", \"b2\"], ratio = {:.17g} }}", ratio), "gear", 0, 2, {}, {}, {}});
    const Json answer = accelerate_answer(system.text());
    ASSERT_EQ(answer["status"], "determined") << system.text();
    Balance balance = loads(system, answer);
    const Three n = part(numbers(answer["reactions"]["j3"]["torque"]), 0);
    const double size = dot(n, of_planet);
    expect_near(n, times(size, of_planet), reaction_exactness);
    act(system, balance, 2, 1, {}, {}, n);
    act(system, balance, 1, -1, {}, {}, n);
    act(system, balance, 0, -ratio * size, {}, {}, of_sun);
    expect_balance(system, answer, balance);
    EXPECT_NEAR(dot(sum(turning(answer, 2), times(-1, turning(answer, 1))), of_planet) +
                    dot(cross(system.spin(1), of_planet), system.spin(2)),
                ratio * dot(turning(answer, 0), of_sun), reaction_exactness);
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << system.text();
  }
}

TEST(Reactions, of_balls_and_leaning_wheels_that_roll_on_a_plane_aslant_act_where_they_touch) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Draw draw(200 + seed);
    System system;
    system.gravity = times(8, draw.vector());
    const Three normal = draw.direction();
    const double offset = 3 * draw.number();
    const bool wheel = seed % 2 == 0;
    constexpr double radius = 0.4;
    Solid one = any_solid(draw);
    const Three axle = axes_of(one.turn)[2];
    Three down = times(-1, normal);
    if (wheel) {
      down = sum(down, times(dot(normal, axle), axle));
      down = times(1 / std::sqrt(dot(down, down)), down);
    }
    const Three along = draw.vector();
    const Three touch = sum(sum(along, times(-dot(along, normal), normal)), times(offset, normal));
    one.place = sum(touch, times(-radius, down));
    one.spin = draw.vector();
    one.velocity = cross(one.spin, times(-radius, down));
    const std::string shape = wheel ? "{ cylinder = [0.4, 0.05] }" : "{ ball = 0.4 }";
    system.solids.push_back(one);
    system.links.push_back(
        {fmt::format("j0 = {{ rolling = \"b0\", on = {{ normal = {}, offset = {:.17g} }} }}", list(normal), offset),
         "rolling",
         ground,
         0,
         touch,
         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
         {}});
    std::string text = system.text();
    text.replace(text.find("position"), 0, "shape = " + shape + "\n");
    const Json answer = accelerate_answer(text);
    ASSERT_EQ(answer["status"], "determined") << text << answer.dump(1);
    expect_balance(system, answer, loads(system, answer));
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << text << answer["reactions"].dump(1);
  }
}

TEST(Reactions, of_a_loop_with_more_hinges_than_it_needs_balance_every_body) {
  // A parallelogram of three bars and the ground in a plane aslant: three of its twenty conditions say nothing new.
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Draw draw(300 + seed);
    System system;
    system.gravity = times(8, draw.vector());
    const Three n = draw.direction();
    const Three first = times(4, draw.vector());
    Three crank = cross(n, draw.direction());
    crank = times(1 / std::sqrt(dot(crank, crank)), crank);
    const Three base = sum(times(1.5, cross(n, crank)), times(0.4, crank));
    const Three w = times(draw.number(), n);
    const Three second = sum(first, crank);
    const Three fourth = sum(first, base);
    const Three third = sum(second, base);
    const auto bar = [&](const Three& from, const Three& spin, const Three& velocity) {
      Solid one = any_solid(draw);
      const Three arm = times(0.5, draw.vector());
      one.place = sum(from, arm);
      one.spin = spin;
      one.velocity = sum(velocity, cross(spin, arm));
      system.solids.push_back(one);
    };
    bar(first, w, {});
    bar(second, {}, cross(w, crank));
    bar(fourth, w, {});
    const auto hinge = [&](std::size_t a, std::size_t b, const Three& at) {
      Link link{"", "hinge", a, b, at, {n}, {}};
      const std::string from = system.partner(a, at);
      const std::string to = system.partner(b, at);
      link.text =
          fmt::format("j{} = {{ hinge = [{}, {}], axis = {} }}", system.links.size(), from, to, list(system.own(a, n)));
      system.links.push_back(link);
    };
    hinge(ground, 0, first);
    hinge(0, 1, second);
    hinge(1, 2, third);
    hinge(2, ground, fourth);
    const Json answer = accelerate_answer(system.text());
    ASSERT_EQ(answer["status"], "determined") << system.text() << answer.dump(1);
    EXPECT_FALSE(answer["multipliers_unique"].get<bool>());
    expect_balance(system, answer, loads(system, answer));
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << system.text();
  }
}

}  // namespace zwang::testing::reactions_tests
