/// Bodies of points with all their rods whose rank falls all along the motion: straight bars, plane plates. Held against the motion of
/// the rigid body in closed form, or against the same body said with one coordinate.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::implied_tests {

namespace {

using Three = Eigen::Vector3d;

/// Of a body of the size of one over some turns: a hundred steps of rounding, and the tolerance 1e-12 of each.
constexpr double same_place = 1e-10;
/// Rods are equations: their lengths are kept to rounding.
constexpr double same_length = 1e-14;

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::string vector_text(const Three& v, int dimension) {
  std::string out = "[" + number(v[0]) + ", " + number(v[1]);
  return out + (dimension == 3 ? ", " + number(v[2]) : "") + "]";
}

struct Points {
  int dimension = 3;
  std::vector<double> mass;
  std::vector<Three> place, velocity;
  std::vector<std::pair<std::size_t, std::size_t>> rods;  ///< empty: all
};

/// The rods between them.
std::string text_of(const Points& points, double until) {
  std::string text;
  std::string rods = "[constraints]\n";
  for (std::size_t i = 0; i < points.mass.size(); ++i) {
    text += "[points.p" + std::to_string(i) + "]\nmass = " + number(points.mass[i]) +
            "\nposition = " + vector_text(points.place[i], points.dimension) +
            "\nvelocity = " + vector_text(points.velocity[i], points.dimension) + "\n";
    for (std::size_t j = 0; j < i; ++j) {
      const bool there = std::find(points.rods.begin(), points.rods.end(), std::pair(j, i)) != points.rods.end();
      if (!points.rods.empty() && !there) continue;
      const std::string name = "rod" + std::to_string(j) + "_" + std::to_string(i);
      const std::string left = "distance(p" + std::to_string(j) + ", p" + std::to_string(i) + ")";
      const std::string length = number((points.place[i] - points.place[j]).norm());
      rods += name + " = \"" + left + " = " + length + "\"\n";
    }
  }
  return text + rods + "[simulation]\nuntil = " + number(until) + "\n";
}

struct Ran {
  Status status = Status::going;
  std::string why;
  std::vector<Three> place;
};

Ran run(const Points& points, double until) {
  const model::Model model = model::load(text_of(points, until), "implied.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  Ran out;
  out.status = motion.status;
  out.why = motion.why;
  for (std::size_t i = 0; i < points.mass.size(); ++i) {
    Three at = Three::Zero();
    for (int c = 0; c < points.dimension; ++c) {
      at[c] = motion.state.position[i * static_cast<std::size_t>(points.dimension) + static_cast<std::size_t>(c)];
    }
    out.place.push_back(at);
  }
  return out;
}

void expect_shape(const Points& points, const Ran& ran) {
  for (std::size_t i = 0; i < ran.place.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NEAR((ran.place[i] - ran.place[j]).norm(), (points.place[i] - points.place[j]).norm(), same_length);
    }
  }
}

}  // namespace

TEST(Implied, a_bar_with_all_its_rods_turns_uniformly_and_stays_straight) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (std::size_t n = 3; n <= 7; ++n) {
    for (const int dimension : {2, 3}) {
      Points points;
      points.dimension = dimension;
      Three along(any(engine), any(engine), dimension == 3 ? any(engine) : 0);
      along.normalize();
      Three across = dimension == 3 ? along.cross(Three(0.3, 0.5, 0.7)) : Three(-along[1], along[0], 0);
      across.normalize();
      const Three drift(any(engine), any(engine), dimension == 3 ? any(engine) : 0);
      const double spin = 2 * any(engine);
      std::vector<double> at;
      double sum = 0;
      double all = 0;
      for (std::size_t i = 0; i < n; ++i) {
        at.push_back(static_cast<double>(i) + 0.4 * any(engine));
        points.mass.push_back(1 + 0.5 * any(engine));
        sum += points.mass[i] * at[i];
        all += points.mass[i];
      }
      for (double& value : at) value -= sum / all;
      for (std::size_t i = 0; i < n; ++i) {
        points.place.push_back(at[i] * along);
        points.velocity.push_back(drift + spin * at[i] * across);
      }
      const double until = 3;
      const Ran ran = run(points, until);
      ASSERT_EQ(ran.status, Status::finished) << n << " " << dimension << " " << ran.why;
      for (std::size_t i = 0; i < n; ++i) {
        const Three truth = drift * until + at[i] * (std::cos(spin * until) * along + std::sin(spin * until) * across);
        EXPECT_LE((ran.place[i] - truth).norm(), same_place) << n << " " << dimension;
      }
      expect_shape(points, ran);
    }
  }
}

// Written with some twelve digits a bar is bent by that: its rods, whose lengths do not know it, say that it is straight.
TEST(Implied, a_bar_that_is_written_a_little_bent_is_straight) {
  for (const double bent : {1e-13, 1e-12, 3e-12, 1e-11, 3e-11, 1e-10, 1e-9}) {
    for (const int dimension : {2, 3}) {
      for (std::size_t n = 3; n <= 5; ++n) {
        Points points;
        points.dimension = dimension;
        const Three along(0.6, 0.8, 0);
        const Three across(-0.8, 0.6, 0);
        const double spin = 1.5;
        std::vector<double> at;
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
          at.push_back(static_cast<double>(i * i) / 3 + static_cast<double>(i)), sum += at[i];
        for (std::size_t i = 0; i < n; ++i) {
          at[i] -= sum / static_cast<double>(n);
          const double beside = bent * (static_cast<double>(i % 3) - 1);
          points.mass.push_back(1);
          points.place.push_back(at[i] * along + beside * across);
          points.velocity.push_back(spin * (at[i] * across - beside * along));
        }
        const Ran ran = run(points, 2);
        ASSERT_EQ(ran.status, Status::finished) << bent << " " << n << " " << dimension << " " << ran.why;
        for (std::size_t i = 0; i < n; ++i) {
          const Three truth = at[i] * (std::cos(2 * spin) * along + std::sin(2 * spin) * across);
          EXPECT_LE((ran.place[i] - truth).norm(), same_place + 4 * bent) << bent << " " << n << " " << dimension;
        }
      }
    }
  }
}

TEST(Implied, a_bar_in_which_each_point_hangs_on_two_others_is_as_stiff) {
  Points points;
  points.rods = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {2, 3}, {1, 4}, {3, 4}, {2, 5}, {4, 5}};
  const std::vector<double> at{0.3, -1.1, 1.7, -0.4, 2.6, 0.9};
  const Three along = Three(2, -1, 2) / 3;
  const Three across = Three(-1, 2, 2) / 3;
  double centre = 0;
  for (const double value : at) centre += value / 6;
  const double spin = 1.2;
  for (const double value : at) {
    points.mass.push_back(1);
    points.place.push_back((value - centre) * along);
    points.velocity.push_back(spin * (value - centre) * across);
  }
  const double until = 2.5;
  const Ran ran = run(points, until);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const Three truth = (at[i] - centre) * (std::cos(spin * until) * along + std::sin(spin * until) * across);
    EXPECT_LE((ran.place[i] - truth).norm(), same_place) << i;
  }
}

TEST(Implied, a_force_on_the_middle_of_a_bar_moves_all_of_it) {
  Points points;
  points.dimension = 2;
  points.mass = {1, 1, 1};
  points.place = {Three(0, 0, 0), Three(1, 0, 0), Three(2, 0, 0)};
  points.velocity.assign(3, Three::Zero());
  std::string text = text_of(points, 2);
  text.insert(text.find("[points.p2]"), "force = [0, 1]\n");
  const model::Model model = model::load(text, "middle.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  ASSERT_EQ(motion.status, Status::finished) << motion.why;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(motion.state.position[2 * i + 1], 2.0 / 3, same_length);
}

/// A regular polygon of equal masses is a symmetric top with I3 = 2 I1: R(t) = exp(t L / I1) exp(-t w3 e3), L / I1 = w + w3 e3.
TEST(Implied, a_plate_of_rods_in_space_moves_like_a_symmetric_top) {
  for (const std::size_t n : {4U, 5U, 6U}) {
    Points points;
    const Eigen::Matrix3d tilt = Eigen::AngleAxisd(0.7, Three(1, 2, -1).normalized()).toRotationMatrix();
    const Three axis = tilt.col(2);
    const Three spin(0.4, -0.9, 1.3);
    const Three drift(0.2, 0.1, -0.3);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = 2 * std::acos(-1.0) * static_cast<double>(i) / static_cast<double>(n);
      points.mass.push_back(1.5);
      points.place.push_back(tilt * Three(std::cos(angle), std::sin(angle), 0));
      points.velocity.push_back(drift + spin.cross(points.place.back()));
    }
    const double until = 4;
    const Ran ran = run(points, until);
    ASSERT_EQ(ran.status, Status::finished) << n << " " << ran.why;
    const double own = spin.dot(axis);
    const Three precession = spin + own * axis;
    const Eigen::Matrix3d turned =
        Eigen::AngleAxisd(until * precession.norm(), precession.normalized()).toRotationMatrix() *
        Eigen::AngleAxisd(-until * own, axis).toRotationMatrix();
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_LE((ran.place[i] - (drift * until + turned * points.place[i])).norm(), same_place) << n;
    }
    expect_shape(points, ran);
  }
}

TEST(Implied, a_bar_hung_by_its_end_is_a_pendulum_in_one_angle) {
  const std::string bar = R"toml(gravity = [0, -9.81]
[points.a]
mass = 1
position = [0.6, -0.8]
velocity = [0.8, 0.6]
[points.b]
mass = 2
position = [0.9, -1.2]
velocity = [1.2, 0.9]
[constraints]
ra = "distance(a, [0, 0]) = 1"
rb = "distance(b, [0, 0]) = 1.5"
ab = "distance(a, b) = 0.5"
[simulation]
until = 3
)toml";
  const std::string angle = R"toml([parameters]
g = 9.81
[coordinates.w]
initial = "atan2(0.6, 0.8)"
velocity = 1
[energy]
kinetic = "(1 + 2*1.5^2)*w'^2/2"
potential = "-g*(1 + 2*1.5)*cos(w)"
[simulation]
until = 3
)toml";
  std::vector<std::vector<double>> reached;
  for (const std::string& text : {bar, angle}) {
    const model::Model model = model::load(text, "pendulum.toml");
    Motion motion = begin(model);
    while (advance(motion)) {
    }
    ASSERT_EQ(motion.status, Status::finished) << motion.why;
    reached.push_back(motion.state.position);
  }
  EXPECT_NEAR(reached[0][0], std::sin(reached[1][0]), same_place);
  EXPECT_NEAR(reached[0][1], -std::cos(reached[1][0]), same_place);
  EXPECT_NEAR(reached[0][2], 1.5 * std::sin(reached[1][0]), same_place);
  EXPECT_NEAR(reached[0][3], -1.5 * std::cos(reached[1][0]), same_place);
}

TEST(Implied, a_pendulum_on_a_line_that_is_exactly_taut_swings_as_from_a_nail) {
  const auto end_of = [](const std::string& text) {
    const model::Model model = model::load(text + "[simulation]\nuntil = 3\n", "line.toml");
    Motion motion = begin(model);
    while (advance(motion)) {
    }
    EXPECT_EQ(motion.status, Status::finished) << motion.why;
    return motion.state.position;
  };
  const std::string bob = "gravity = [0, -10]\n[points.w]\nmass = 2\nposition = [0.6, -0.8]\n";
  const std::vector<double> nail = end_of(bob + "[constraints]\ns = \"distance(w, [0, 0]) <= 1\"\n");
  const std::vector<double> line =
      end_of(bob + "[points.b]\nmass = 1\nposition = [0, 0]\n[constraints]\ns = \"distance(w, b) <= 1\"\n" +
             "l = \"distance(b, [-1, 0]) <= 1\"\nr = \"distance(b, [1, 0]) <= 1\"\n");
  EXPECT_NEAR(line[0], nail[0], same_place);
  EXPECT_NEAR(line[1], nail[1], same_place);
  EXPECT_NEAR(line[2], 0, same_length);
  EXPECT_NEAR(line[3], 0, same_length);
}

TEST(Implied, a_bead_on_a_thread_that_is_taut_along_a_bar_is_struck_with_all_of_it) {
  // Both ends of the bar take the half of what the bead in the middle is struck with: 4 on 4 kilograms.
  const model::Model model = model::load(R"toml(
[points.a]
mass = 1
position = [-1, 0]
[points.b]
mass = 2
position = [0, 0]
[points.c]
mass = 1
position = [1, 0]
[constraints]
l   = "distance(a, b) <= 1"
r   = "distance(b, c) <= 1"
bar = "distance(a, c) = 2"
[[impulses]]
at = 0.5
on = "b"
value = [0, 4]
[simulation]
until = 2
)toml",
                                         "bow.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  ASSERT_EQ(motion.status, Status::finished) << motion.why;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(motion.state.velocity[2 * i + 1], 1, same_length);
    EXPECT_NEAR(motion.state.position[2 * i + 1], 1.5, same_length);
    EXPECT_NEAR(motion.state.position[2 * i], static_cast<double>(i) - 1, same_length);
  }
}

TEST(Implied, a_net_on_two_nails_keeps_its_upper_edge_and_falls_below) {
  const model::Model model = model::load(R"toml(
gravity = [0, 0, -10]
[points.p]
count    = [5, 5]
mass     = 1
position = ["i", "j", 0]
[constraints]
along  = { for = "i = 1..4, j = 1..5", condition = "distance(p[i,j], p[i+1,j]) <= 1" }
across = { for = "i = 1..5, j = 1..4", condition = "distance(p[i,j], p[i,j+1]) <= 1" }
left   = "p[1,1] = [1, 1, 0]"
right  = "p[5,1] = [5, 1, 0]"
[simulation]
until = 0.2
)toml",
                                         "net.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::finished) << motion.why;
  for (std::size_t i = 0; i < 5; ++i) {
    // The edge does not move; every knot below it turns about it as a stiff chain would begin to: the row next to it and the last one.
    const double* const edge = &motion.state.position[(5 * i) * 3];
    EXPECT_NEAR(edge[0], static_cast<double>(i) + 1, same_length);
    EXPECT_NEAR(edge[2], 0, same_length);
    const double* const last = &motion.state.position[(5 * i + 4) * 3];
    EXPECT_LT(last[2], -0.1);
  }
}

namespace {

struct Ended {
  std::vector<double> place, speed;
};

/// A run to its end, which it must reach.
Ended end_of_run(const std::string& text, double until) {
  const model::Model model = model::load(text + "[simulation]\nuntil = " + number(until) + "\n", "thread.toml");
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  EXPECT_EQ(motion.status, Status::finished) << motion.why << "\n" << text;
  return {motion.state.position, motion.state.velocity};
}

}  // namespace

// Held by two threads in one line a body in space can but turn about that line: against a hinge there.
TEST(Implied, a_body_between_two_taut_threads_swings_as_on_a_hinge) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Three(1, -2, 0.5).normalized()).toRotationMatrix();
  for (const bool turned : {false, true}) {
    const Eigen::Matrix3d r = turned ? turn : Eigen::Matrix3d::Identity();
    const auto at = [&](double x, double y, double z) { return vector_text(r * Three(x, y, z), 3); };
    // The centre hangs below the line of the marks, drawn aside.
    const Eigen::Quaterniond e(r);
    const std::string body = "gravity = " + at(0, 0, -10) +
                             "\n[bodies.b]\nmass = 2\ninertia = [0.3, 0.2, 0.4]\nposition = " + at(0, 0.3, 0) +
                             "\norientation = [" + number(e.w()) + ", " + number(e.x()) + ", " + number(e.y()) + ", " +
                             number(e.z()) + "]\n[bodies.b.marks]\nl = [-0.5, -0.3, 0]\nr = [0.5, -0.3, 0]\n";
    const Ended threads = end_of_run(body + "[constraints]\nl = \"distance(b.l, " + at(-1, 0, 0) +
                                         ") <= 0.5\"\nr = \"distance(b.r, " + at(1.5, 0, 0) + ") <= 1\"\n",
                                     1.3);
    const Ended hinge = end_of_run(
        body + "[joints]\nh = { hinge = [" + at(-0.5, 0, 0) + ", \"b.l\"], axis = " + at(1, 0, 0) + " }\n", 1.3);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(threads.place[i], hinge.place[i], same_place) << turned;
    EXPECT_GT((Three(threads.place[0], threads.place[1], threads.place[2]) - r * Three(0, 0.3, 0)).norm(), 0.1);
  }
}

TEST(Implied, what_two_threads_hold_between_nails_that_move_goes_with_them) {
  // On a circle, and turning about the bead.
  const Ended circle = end_of_run(
      "gravity = [0, -10]\n[points.b]\nmass = 1\nposition = [0, 1]\nvelocity = [1, 0]\n[constraints]\n"
      "l = \"distance(b, [sin(t) - 1, cos(t)]) <= 1\"\nr = \"distance(b, [sin(t) + 2, cos(t)]) <= 2\"\n",
      2);
  EXPECT_NEAR(circle.place[0], std::sin(2.0), same_length);
  EXPECT_NEAR(circle.place[1], std::cos(2.0), same_length);
  for (const char* gravity : {"", "gravity = [0, 0, -10]\n"}) {
    const Ended spun = end_of_run(
        gravity + std::string("[points.b]\nmass = 1\nposition = [0, 0, 0]\n[constraints]\n") +
            "l = \"distance(b, [cos(t), sin(t), 0]) <= 1\"\nr = \"distance(b, [-cos(t), -sin(t), 0]) <= 1\"\n",
        1);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(spun.place[i], 0, same_length);
  }
}

TEST(Implied, a_bead_whose_second_thread_is_let_go_swings_on_the_first) {
  const std::string bead =
      "gravity = [0, -10]\n[points.b]\nmass = 1\nposition = [0, 0]\n[constraints]\nl = \"distance(b, [-1, 0]) <= 1\"\n";
  const std::string thread = "r = \"distance(b, [1, 0]) <= 1\"\n";
  const auto release = [](const char* what, const char* at) {
    return std::string("[[releases]]\nconstraint = \"") + what + "\"\nat = " + at + "\n";
  };
  const Ended alone = end_of_run(bead, 0.4);
  const Ended one = end_of_run(bead + thread + release("r", "0.5"), 0.9);
  // Of two threads side by side the second one holds it when the first is gone, whichever that is.
  const std::string beside = "s = \"distance(b, [1, 0]) <= 1\"\n";
  const Ended first = end_of_run(bead + thread + beside + release("r", "0.2") + release("s", "0.5"), 0.9);
  const Ended second = end_of_run(bead + thread + beside + release("s", "0.2") + release("r", "0.5"), 0.9);
  for (const Ended& ended : {one, first, second}) {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(ended.place[i], alone.place[i], same_place);
      EXPECT_NEAR(ended.speed[i], alone.speed[i], same_place);
    }
  }
}

TEST(Implied, a_bead_slides_along_a_thread_that_is_taut_between_two_pins) {
  const Ended ended = end_of_run(
      "gravity = [0, -10]\n[points.b]\nmass = 1\nposition = [0.3, 0]\nvelocity = [0.2, 0]\n[constraints]\n"
      "s = \"distance(b, [-1, 0]) + distance(b, [1, 0]) <= 2\"\n",
      2);
  EXPECT_NEAR(ended.place[0], 0.7, same_length);
  EXPECT_NEAR(ended.place[1], 0, same_length);
}

TEST(Implied, a_thread_that_is_taut_along_a_body_falls_and_turns_with_it) {
  // Its bead is where it was in the body: on the centre, of a spinning one, and aside.
  for (const double aside : {0.0, 0.3}) {
    const Ended ended = end_of_run(
        "gravity = [0, -10]\n[bodies.b]\nmass = 1\ninertia = 0.4\nposition = [0, 0]\nspin = 2\n[bodies.b.marks]\nl = "
        "[-1, 0]\nr = [1, 0]\n"
        "[points.p]\nmass = 0.5\nposition = [" +
            number(aside) + ", 0]\nvelocity = [0, " + number(2 * aside) +
            "]\n[constraints]\nl = \"distance(b.l, p) <= " + number(1 + aside) +
            "\"\nr = \"distance(b.r, p) <= " + number(1 - aside) + "\"\n",
        1.1);
    // Together they are one body, which turns uniformly about the common centre.
    const double centre = aside / 3;
    const double angle = 2 * 1.1;
    EXPECT_NEAR(ended.place[2], angle, same_place);
    EXPECT_NEAR(ended.place[0], centre - centre * std::cos(angle), same_place);
    EXPECT_NEAR(ended.place[1], 2 * centre * 1.1 - 5 * 1.1 * 1.1 - centre * std::sin(angle), same_place);
    EXPECT_NEAR(ended.place[3] - ended.place[0], aside * std::cos(angle), same_place);
    EXPECT_NEAR(ended.place[4] - ended.place[1], aside * std::sin(angle), same_place);
  }
}

}  // namespace zwang::motion::implied_tests
