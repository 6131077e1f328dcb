/// Bodies of points with more rods than they need: straight bars, plane plates, solids, doors on hinges. Their accelerations
/// are those of one rigid body, found here without any rod: the least of sum m |a - F/m|^2 over all
///
///   a_i = A + alpha x r_i + omega x (omega x r_i)
///
/// (doors: A = 0, alpha along the axis). They must not change with the order, repetition and scale of the conditions, with
/// equations said in two halves, with units, with a body far away.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "laws/systems.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/read.hpp"

namespace zwang::laws::redundant_tests {

namespace {

using Three = Eigen::Vector3d;

/// Of the largest acceleration. Coordinates have sixteen digits, and angles between rods of random bodies cost a few.
constexpr double same_acceleration = 1e-8;

struct Body {
  unsigned dimension = 3;
  std::vector<double> mass;
  std::vector<Three> arm;  ///< from the centre of reference
  Three centre = Three::Zero();
  std::vector<Three> force;
  Three spin = Three::Zero();
  Three drift = Three::Zero();
  std::vector<std::string> conditions;
  bool hinged = false;
  Three axis = Three::Zero();
  std::size_t first = 0;  ///< points before it are fixed places, not in the model

  [[nodiscard]] std::size_t size() const { return mass.size(); }
  [[nodiscard]] Three place(std::size_t i) const { return centre + arm[i]; }
  [[nodiscard]] Three velocity(std::size_t i) const { return drift + spin.cross(arm[i]); }
};

std::string vector_text(const Three& v, unsigned dimension) {
  std::string text = "[" + number_text(v[0]) + ", " + number_text(v[1]);
  return text + (dimension == 3 ? ", " + number_text(v[2]) : "") + "]";
}

std::string name_of(std::size_t i) { return "p" + std::to_string(i); }

/// A random rotation; in the plane one about z.
Eigen::Matrix3d rotation(std::mt19937_64& engine, unsigned dimension) {
  std::normal_distribution<double> normal;
  if (dimension == 2) return Eigen::AngleAxisd(normal(engine) * 3, Three::UnitZ()).toRotationMatrix();
  return Eigen::Quaterniond(normal(engine), normal(engine), normal(engine), normal(engine))
      .normalized()
      .toRotationMatrix();
}

/// `shape` 1: on a line, 2: in a plane, 3: in space.
Body random_body(std::mt19937_64& engine, unsigned shape, std::size_t points, unsigned dimension, bool moving) {
  std::uniform_real_distribution<double> even(-2, 2);
  std::normal_distribution<double> normal;
  Body body;
  body.dimension = dimension;
  const Eigen::Matrix3d turn = rotation(engine, dimension);
  for (std::size_t i = 0; i < points; ++i) {
    Three at = Three::Zero();
    for (unsigned k = 0; k < shape; ++k) at[k] = even(engine) + (k == 0 ? 3.0 * static_cast<double>(i) : 0);
    body.arm.emplace_back(turn * at);
    body.mass.push_back(1.75 + even(engine) / 2);
    body.force.emplace_back(normal(engine), normal(engine), dimension == 3 ? normal(engine) : 0);
  }
  body.centre = Three(even(engine), even(engine), dimension == 3 ? even(engine) : 0);
  if (moving) {
    body.spin = Three(dimension == 3 ? normal(engine) : 0, dimension == 3 ? normal(engine) : 0, normal(engine));
    body.drift = Three(normal(engine), normal(engine), dimension == 3 ? normal(engine) : 0);
  }
  return body;
}

void add_rods(Body& body, std::size_t from) {
  for (std::size_t i = from; i < body.size(); ++i) {
    for (std::size_t j = from; j < i; ++j) {
      body.conditions.push_back("distance(" + name_of(j) + ", " + name_of(i) +
                                ") = " + number_text((body.place(i) - body.place(j)).norm()));
    }
  }
}

/// A door: `hinges` places on an axis, and further points. The hinges are points held by equations, or fixed places.
Body random_door(std::mt19937_64& engine, std::size_t hinges, std::size_t points, bool moving, bool places) {
  std::normal_distribution<double> normal;
  Body body = random_body(engine, 3, hinges + points, 3, false);
  body.hinged = true;
  body.axis = Three(normal(engine), normal(engine), normal(engine)).normalized();
  for (std::size_t i = 0; i < hinges; ++i) body.arm[i] = body.axis * (static_cast<double>(i) - 0.7);
  if (moving) body.spin = body.axis * normal(engine);
  if (places) {
    body.first = hinges;
    for (std::size_t i = hinges; i < body.size(); ++i) {
      for (std::size_t j = 0; j < hinges; ++j) {
        body.conditions.push_back("distance(" + name_of(i) + ", " + vector_text(body.place(j), 3) +
                                  ") = " + number_text((body.place(i) - body.place(j)).norm()));
      }
    }
    add_rods(body, hinges);
  } else {
    for (std::size_t i = 0; i < hinges; ++i) {
      const Three at = body.place(i);
      for (int k = 0; k < 3; ++k) {
        body.conditions.push_back(name_of(i) + "." + "xyz"[k] + " = " + number_text(at[k]));
      }
    }
    add_rods(body, 0);
  }
  return body;
}

/// Units: lengths, times and masses in the text are multiplied by these.
struct Units {
  double length = 1;
  double time = 1;
  double mass = 1;
};

std::string points_text(const Body& body, const Units& units = {}) {
  std::string text;
  for (std::size_t i = body.first; i < body.size(); ++i) {
    const Three velocity = body.hinged && body.spin.norm() == 0 ? Three(Three::Zero()) : body.velocity(i);
    // Hinges on the axis stand still: what rounding leaves of their velocity is none.
    const Three v = body.hinged && velocity.norm() < 1e-12 ? Three(Three::Zero()) : velocity;
    text += "[points." + name_of(i) + "]\nmass = " + number_text(body.mass[i] * units.mass) +
            "\nposition = " + vector_text(body.place(i) * units.length, body.dimension) +
            "\nvelocity = " + vector_text(v * (units.length / units.time), body.dimension) + "\nforce = " +
            vector_text(body.force[i] * (units.mass * units.length / (units.time * units.time)), body.dimension) + "\n";
  }
  return text;
}

std::string text_of(const Body& body, const std::vector<std::string>& conditions, const std::string& more = "") {
  std::string text = points_text(body) + more + "[constraints]\n";
  for (std::size_t j = 0; j < conditions.size(); ++j) {
    text += "c" + std::to_string(j) + " = \"" + conditions[j] + "\"\n";
  }
  return text;
}

/// The reduced answer: columns of rigid motion, least squares in the metric of the masses.
std::vector<double> rigid_accelerations(const Body& body) {
  const std::size_t n = body.size();
  const auto rows = static_cast<Eigen::Index>(3 * n);
  std::vector<Eigen::VectorXd> columns;
  Eigen::VectorXd centripetal(rows);
  Eigen::VectorXd wanted(rows);
  Eigen::VectorXd root(rows);
  const auto column = [&](auto of) {
    Eigen::VectorXd c(rows);
    for (std::size_t i = 0; i < n; ++i) c.segment<3>(static_cast<Eigen::Index>(3 * i)) = of(i);
    columns.push_back(c);
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    centripetal.segment<3>(at) = body.spin.cross(body.spin.cross(body.arm[i]));
    wanted.segment<3>(at) = body.force[i] / body.mass[i];
    root.segment<3>(at).setConstant(std::sqrt(body.mass[i]));
  }
  if (body.hinged) {
    column([&](std::size_t i) { return Three(body.axis.cross(body.arm[i])); });
  } else {
    for (int k = 0; k < (body.dimension == 3 ? 3 : 2); ++k) {
      column([&](std::size_t) { return Three(Three::Unit(k)); });
    }
    for (int k = body.dimension == 3 ? 0 : 2; k < 3; ++k) {
      column([&](std::size_t i) { return Three(Three::Unit(k).cross(body.arm[i])); });
    }
  }
  Eigen::MatrixXd a(rows, static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    a.col(static_cast<Eigen::Index>(k)) = root.cwiseProduct(columns[k]);
  }
  // A straight bar does not turn about itself: that column depends on the others.
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(a);
  decomposition.setThreshold(1e-9);
  const Eigen::VectorXd x = decomposition.solve(root.cwiseProduct(wanted - centripetal));
  Eigen::VectorXd result = centripetal;
  for (std::size_t k = 0; k < columns.size(); ++k) result += x[static_cast<Eigen::Index>(k)] * columns[k];
  std::vector<double> plain;
  for (std::size_t i = body.first; i < n; ++i) {
    for (unsigned k = 0; k < body.dimension; ++k) plain.push_back(result[static_cast<Eigen::Index>(3 * i + k)]);
  }
  return plain;
}

void expect_rigid(const std::string& text, const std::vector<double>& wanted, double factor = 1) {
  SCOPED_TRACE(text);
  const auto model = model::load(text, "redundant.toml");
  const auto answer = instant::accelerate(model, model::initial_state(model));
  ASSERT_EQ(answer.status, instant::Status::determined) << answer.expansion;
  EXPECT_LE(answer.certificate.worst(), 1e-9);
  double largest = 0;
  for (const double a : wanted) largest = std::max(largest, std::abs(a));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(answer.accelerations[i], wanted[i] * factor, same_acceleration * largest * factor) << i;
  }
}

/// Bodies of every kind, one of each per seed.
std::vector<Body> bodies(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<Body> result;
  const auto with_rods = [&](Body body) {
    add_rods(body, 0);
    result.push_back(std::move(body));
  };
  for (const bool moving : {false, true}) {
    for (const unsigned dimension : {2U, 3U}) {
      for (const std::size_t points : {std::size_t{3}, std::size_t{4}, std::size_t{6}}) {
        with_rods(random_body(engine, 1, points, dimension, moving));
      }
    }
    for (const std::size_t points : {std::size_t{4}, std::size_t{5}, std::size_t{7}}) {
      with_rods(random_body(engine, 2, points, 3, moving));
      with_rods(random_body(engine, 2, points, 2, moving));
      with_rods(random_body(engine, 3, points, 3, moving));
    }
    for (const std::size_t hinges : {std::size_t{2}, std::size_t{3}, std::size_t{4}}) {
      for (const bool places : {false, true}) {
        result.push_back(random_door(engine, hinges, 1 + seed % 3, moving, places));
      }
    }
  }
  return result;
}

std::string scaled(const std::string& condition, double factor) {
  const auto sign = condition.find(" = ");
  return number_text(factor) + "*(" + condition.substr(0, sign) + ") = " + number_text(factor) + "*(" +
         condition.substr(sign + 3) + ")";
}

}  // namespace

TEST(RedundantRods, leave_the_accelerations_of_a_rigid_body) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    for (const Body& body : bodies(seed)) expect_rigid(text_of(body, body.conditions), rigid_accelerations(body));
  }
}

TEST(RedundantRods, do_not_depend_on_order_repetition_and_scale) {
  for (std::uint64_t seed = 100; seed < 103; ++seed) {
    std::mt19937_64 engine(seed);
    for (const Body& body : bodies(seed)) {
      const auto wanted = rigid_accelerations(body);
      auto shuffled = body.conditions;
      std::shuffle(shuffled.begin(), shuffled.end(), engine);
      shuffled.push_back(shuffled[engine() % shuffled.size()]);
      expect_rigid(text_of(body, shuffled), wanted);
      for (const double factor : {1e-6, 1e6}) {
        auto one = body.conditions;
        auto& condition = one[engine() % one.size()];
        condition = scaled(condition, factor);
        expect_rigid(text_of(body, one), wanted);
      }
      auto all = body.conditions;
      for (auto& condition : all) condition = scaled(condition, std::pow(10.0, static_cast<double>(engine() % 13) - 6));
      expect_rigid(text_of(body, all), wanted);
    }
  }
}

TEST(RedundantRods, are_the_same_said_in_two_halves) {
  for (std::uint64_t seed = 200; seed < 202; ++seed) {
    for (const Body& body : bodies(seed)) {
      std::vector<std::string> halves;
      for (const auto& condition : body.conditions) {
        for (const char* sense : {" <= ", " >= "}) {
          auto half = condition;
          halves.push_back(half.replace(half.find(" = "), 3, sense));
        }
      }
      expect_rigid(text_of(body, halves), rigid_accelerations(body));
    }
  }
}

TEST(RedundantRods, do_not_feel_what_is_far_away) {
  for (std::uint64_t seed = 300; seed < 302; ++seed) {
    for (const Body& body : bodies(seed)) {
      const std::string z = body.dimension == 3 ? ", 1e9" : "";
      const std::string far = "[points.far]\nmass = 3e3\nposition = [1e9, 1e9" + z + "]\nvelocity = [-1e5, 0" +
                              (body.dimension == 3 ? ", 0" : "") + "]\nforce = [7e9, 0" +
                              (body.dimension == 3 ? ", 0" : "") + "]\n";
      expect_rigid(text_of(body, body.conditions, far), rigid_accelerations(body));
    }
  }
}

TEST(RedundantRods, scale_with_the_units) {
  for (std::uint64_t seed = 400; seed < 402; ++seed) {
    for (Body body : bodies(seed)) {
      if (body.hinged) continue;
      for (const Units units : {Units{0x1p-40, 1, 1}, Units{0x1p40, 0x1p30, 0x1p-20}, Units{1, 0x1p-30, 0x1p40}}) {
        std::string text = points_text(body, units) + "[constraints]\n";
        std::size_t count = 0;
        for (std::size_t i = 0; i < body.size(); ++i) {
          for (std::size_t j = 0; j < i; ++j) {
            text += "c" + std::to_string(count++) + " = \"distance(" + name_of(j) + ", " + name_of(i) +
                    ") = " + number_text((body.place(i) - body.place(j)).norm() * units.length) + "\"\n";
          }
        }
        expect_rigid(text, rigid_accelerations(body), units.length / (units.time * units.time));
      }
    }
  }
}

TEST(RedundantRods, answer_a_blow_like_a_rigid_body) {
  for (std::uint64_t seed = 500; seed < 504; ++seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    for (Body body : bodies(seed)) {
      if (body.hinged || body.spin.norm() > 0) continue;
      const Three blow(normal(engine), normal(engine), body.dimension == 3 ? normal(engine) : 0);
      const std::string text = text_of(body, body.conditions) +
                               "[[impulses]]\non = \"p1\"\nvalue = " + vector_text(blow, body.dimension) + "\n";
      for (Three& force : body.force) force = Three::Zero();
      body.force[1] = blow;
      const auto wanted = rigid_accelerations(body);
      SCOPED_TRACE(text);
      const auto model = model::load(text, "struck.toml");
      const auto shock = instant::impact(model, model::initial_state(model));
      ASSERT_EQ(shock.status, instant::ShockStatus::regulated) << shock.restitution_note;
      EXPECT_LE(shock.certificate.worst(), 1e-9);
      for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(shock.velocities[i], wanted[i], same_acceleration);
    }
  }
}

TEST(RedundantRods, bend_no_bar_that_is_pushed_in_the_middle) {
  for (const char* velocity : {"0", "1"}) {
    const std::string spin(velocity);
    const std::string text = "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [0, \"-" + spin +
                             "\"]\n[points.b]\nmass = 1\nposition = [1, 0]\nforce = [0, 1]\n[points.c]\nmass = 1\n"
                             "position = [2, 0]\nvelocity = [0, \"" +
                             spin +
                             "\"]\n[constraints]\nab = \"distance(a, b) = 1\"\nbc = \"distance(b, c) = 1\"\n"
                             "ac = \"distance(a, c) = 2\"\n";
    const auto model = model::load(text, "bar.toml");
    const auto answer = instant::accelerate(model, model::initial_state(model));
    ASSERT_EQ(answer.status, instant::Status::determined) << answer.expansion;
    for (const std::size_t y : {1U, 3U, 5U}) EXPECT_NEAR(answer.accelerations[y], 1.0 / 3, 1e-14);
  }
}

TEST(NearlyContradictoryRows, are_never_called_jammed_without_a_proof) {
  // y'' = -1000 with suitable x'', z'' satisfies all four: their sum leaves 6e-14 y''.
  const auto model = model::load(R"toml(
[coordinates.x]
initial = 0
[coordinates.y]
initial = 0
[coordinates.z]
initial = 0
[energy]
kinetic = "x'^2 + 3/2*y'^2 + 2*z'^2"
[constraints]
a = "1.0000000000004414*x + 0.99999999999889122*z - 0.99999999999888334*t^2/2 <= 0"
b = "-0.99999999999897671*x + 6.072679593069778e-14*y - 1.0000000000013933*z + 1.0000000000014408*t^2/2 <= 0"
c = "-0.99999999999794598*z - 0.99999999999938827*t^2/2 = 0"
d = "1.0000000000006022*y + 0.99999999999961464*z - 0.99999999999985023*t^2/2 <= 0"
)toml",
                                 "four.toml");
  EXPECT_NE(instant::accelerate(model, model::initial_state(model)).status, instant::Status::jammed);
}

TEST(Contacts, of_discs_that_fit_exactly_are_at_rest) {
  // A row between walls, a stack at a wall, a square and a hexagonal heap in a box.
  const double h = std::sqrt(3.0) / 2;
  std::vector<std::pair<double, std::vector<std::array<double, 2>>>> heaps;
  heaps.push_back({5, {}});
  for (int i = 0; i < 5; ++i) heaps.back().second.push_back({0.5 + i, 0.5});
  heaps.push_back({5, {}});
  for (int i = 0; i < 6; ++i) heaps.back().second.push_back({0.5, 0.5 + i});
  heaps.push_back({4, {}});
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 4; ++k) heaps.back().second.push_back({0.5 + i, 0.5 + k});
  }
  heaps.push_back({7, {}});
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 7 - k % 2; ++i) heaps.back().second.push_back({0.5 + i + 0.5 * (k % 2), 0.5 + k * h});
  }
  for (const auto& [width, discs] : heaps) {
    std::string text = "gravity = [0, -10]\n";
    std::string conditions = "[constraints]\n";
    for (std::size_t i = 0; i < discs.size(); ++i) {
      const std::string name = "d" + std::to_string(i);
      text += "[points." + name + "]\nmass = 1\nposition = [" + number_text(discs[i][0]) + ", " +
              number_text(discs[i][1]) + "]\n";
      conditions += "floor" + name + " = \"" + name + ".y >= 0.5\"\nleft" + name + " = \"" + name +
                    ".x >= 0.5\"\nright" + name + " = \"" + name + ".x <= " + number_text(width - 0.5) + "\"\n";
      for (std::size_t j = 0; j < i; ++j) {
        conditions += "c" + std::to_string(i) + "_" + std::to_string(j) + " = \"distance(" + name + ", d" +
                      std::to_string(j) + ") >= 1\"\n";
      }
    }
    const auto model = model::load(text + conditions, "heap.toml");
    const auto answer = instant::accelerate(model, model::initial_state(model));
    ASSERT_EQ(answer.status, instant::Status::determined) << answer.expansion;
    EXPECT_LE(answer.certificate.worst(), 1e-12);
    for (const double a : answer.accelerations) EXPECT_NEAR(a, 0, 1e-11);
  }
}

TEST(Contacts, without_force_are_marginal) {
  // Two points that move together after an inelastic collision, and a wall that comes along.
  const auto model = model::load(R"toml(
[points.a]
mass = 1
position = [0.3, 0.1]
velocity = [0.7, 0]
[points.b]
mass = 3
position = [1.3, 0.1]
velocity = [0.7, 0]
[constraints]
apart = "distance(a, b) >= 1"
wall = "a.x >= 0.3 + 0.7*t"
)toml",
                                 "together.toml");
  const auto answer = instant::accelerate(model, model::initial_state(model));
  ASSERT_EQ(answer.status, instant::Status::determined);
  EXPECT_EQ(answer.role[0], instant::Role::marginal);
  EXPECT_EQ(answer.role[1], instant::Role::marginal);
  for (const double a : answer.accelerations) EXPECT_EQ(a, 0);
}

}  // namespace zwang::laws::redundant_tests
