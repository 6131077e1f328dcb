/// Motions through singular positions, against the one or two angles that are left.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::passage_tests {

namespace {

constexpr double pi = 3.14159265358979323846;
/// Tolerance of the runs, 1e-12 per step, times the few dozen steps they take.
constexpr double close = 1e-10;

struct Ran {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
  std::vector<Piece> pieces;
};

Ran run(const std::string& text) {
  const model::Model model = model::load(text, "passage.toml");
  Motion motion = begin(model);
  Ran out;
  out.events = motion.events;
  while (advance(motion)) {
    out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
    out.pieces.push_back(motion.piece);
  }
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  return out;
}

std::string parallelogram(const std::string& first, const std::string& second) {
  return "[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = " + first +
         "\n[points.b]\nmass = 3\nposition = [3, 0]\nvelocity = " + second +
         "\n[constraints]\ncrank = \"distance(a, [0, 0]) = 1\"\ncoupler = \"distance(a, b) = 2\"\nrocker = "
         "\"distance(b, [2, "
         "0]) = 1\"\n[simulation]\nuntil = 10\n";
}

/// A cart on an edge that turns with unit speed, held at x <= 0, pushed along y: lambda = tan t.
const std::string cart =
    "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 0\nforce = 1\n[coordinates.w]\ninitial = 0\nvelocity = "
    "1\n[energy]\nkinetic = \"(x'^2 + y'^2 + w'^2)/2\"\n[constraints]\nedge = \"x'*sin(w) - y'*cos(w) = 0\"\nwall = "
    "\"x <= "
    "0\"\n[simulation]\nuntil = 2.5\n";

}  // namespace

TEST(Passage, a_parallelogram_that_starts_flat_stays_one_and_is_flat_at_every_half_turn) {
  const Ran ran = run(parallelogram("[0, 1]", "[0, 1]"));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], std::cos(10), close);
  EXPECT_NEAR(ran.state.position[3], std::sin(10), close);
  ASSERT_EQ(ran.events.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(ran.events[k].kind, EventKind::singular);
    EXPECT_NEAR(ran.events[k].time, static_cast<double>(k) * pi, 1e-13);
  }
}

TEST(Passage, a_crossed_linkage_stays_crossed) {
  // (3 a.y + b.y)(a.y - b.y) = 0 at the flat position: this velocity is the other branch's.
  const Ran ran = run(parallelogram("[0, 1]", "[0, -3]"));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_GE(ran.events.size(), 3U);
  // Opposite turns: the kite, symmetric about the line through the middles of its diagonals.
  EXPECT_LT(ran.state.position[1] * ran.state.position[3], 0);
}

TEST(Passage, a_linkage_at_rest_in_its_flat_position_is_not_pushed_through) {
  const Ran ran = run(parallelogram("[0, 0]", "[0, 0]"));
  // Without forces it stays; nothing is passed.
  EXPECT_NE(ran.status, Status::gave_up) << ran.why;
  EXPECT_NEAR(ran.state.position[1], 0, close);
}

TEST(Passage, a_point_on_two_crossing_lines_goes_straight_on_and_its_multiplier_through_infinity) {
  const Ran ran = run(
      "[points.p]\nmass = 1\nposition = [-1, 0]\nvelocity = [1, 0]\nforce = [0, 1]\n[constraints]\nlines = \"p.x*p.y = "
      "0\"\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_NEAR(ran.state.position[0], 1, close);
  std::vector<double> multipliers;
  for (const Piece& piece : ran.pieces) {
    for (const double part : {0.1, 0.5, 0.9}) {
      const double t = piece.start + part * piece.length;
      evaluate_multipliers(piece, t, multipliers);
      ASSERT_EQ(multipliers.size(), 1U);
      EXPECT_NEAR(multipliers[0] * (t - 1), 1, close);
    }
  }
}

TEST(Passage, a_cart_at_a_wall_lets_go_when_its_edge_is_parallel_to_it) {
  const Ran ran = run(cart);
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  ASSERT_EQ(ran.events.size(), 2U);
  EXPECT_EQ(ran.events[0].kind, EventKind::release);
  EXPECT_EQ(ran.events[1].kind, EventKind::singular);
  EXPECT_NEAR(ran.events[1].time, pi / 2, 1e-13);
  // u' = sin w along the edge, u = -cos w + cos(pi/2): x' = u cos w = -cos^2 t.
  const auto x = [](double t) { return -(t / 2 + std::sin(2 * t) / 4); };
  EXPECT_NEAR(ran.state.position[0], x(2.5) - x(pi / 2), close);
}

TEST(Passage, a_bystander_that_friction_holds_has_nothing_to_do_with_it) {
  // A triangle on a slope, a box that falls on it and loses its corner where what touches depends on one another; and a block that they never meet.
  const auto falls = [](const std::string& force) {
    return run(
        "[bodies.b1]\nmass = 1.02\nshape = {polygon = [[-0.225, -0.25666666666666665], [0.225, "
        "-0.25666666666666665], [0, 0.5133333333333333]]}\nposition = [0.09, 1.3]\norientation = 0.19\nvelocity = "
        "[-0.42, 0]\nforce = [0, \"-9.81*1.02\"]\n"
        "[bodies.b2]\nmass = 2.11\nshape = {box = [0.77, 0.63]}\nposition = [-0.18, 2.6]\nspin = 0.41\n"
        "force = [0, \"-9.81*2.11\"]\n"
        "[points.p]\nmass = 1\nposition = [9, 0]\n" +
        force +
        "[contacts]\nf1 = {body = \"b1\", plane = {normal = [0.05, 1], offset = 0}, restitution = 0.3}\n"
        "c12 = {between = [\"b1\", \"b2\"], restitution = 0}\n[simulation]\nuntil = 0.74\n");
  };
  const Ran alone = falls("");
  const Ran beside = falls("force = [\"-0.1*sign(p.x')\", 0]\n");
  ASSERT_EQ(alone.status, Status::finished) << alone.why;
  ASSERT_EQ(beside.status, Status::finished) << beside.why;
  for (std::size_t i = 0; i < alone.state.position.size(); ++i)
    EXPECT_NEAR(beside.state.position[i], alone.state.position[i], close) << i;
  EXPECT_EQ(beside.events.back().kind, alone.events.back().kind);
}

TEST(Passage, a_motion_kept_at_the_position_goes_on_to_the_same_bits) {
  const model::Model model = model::load(parallelogram("[0, 1]", "[0, 1]"), "passage.toml");
  Motion whole = begin(model);
  std::vector<std::string> kept = {save(whole)};
  while (advance(whole)) kept.push_back(save(whole));
  ASSERT_EQ(whole.status, Status::finished);
  for (const std::string& saved : kept) {
    Motion again = restore(model, {}, saved);
    while (advance(again)) {
    }
    EXPECT_EQ(again.state.position, whole.state.position);
    EXPECT_EQ(again.state.velocity, whole.state.velocity);
  }
}

TEST(Passage, a_linkage_that_misses_its_flat_position_is_not_taken_through_it) {
  // The coupler a thousandth too long: the flat position is not reached, and a turns back where crank and coupler are in line.
  const Ran ran =
      run("[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [-1, 0]\n[points.b]\nmass = 1\nposition = [2, "
          "1]\n[constraints]\ncrank "
          "= \"distance(a, [0, 0]) = 1\"\ncoupler = \"distance(a, b) = 2.001\"\nrocker = \"distance(b, [2, 0]) = "
          "1\"\n[simulation]\nuntil = 6\n");
  for (const Event& event : ran.events) EXPECT_NE(event.kind, EventKind::singular);
}

// One parallelogram on another, under gravity: opposite points move alike, so that it is the double pendulum of twice the masses.
TEST(Passage, two_parallelograms_on_each_other_are_a_double_pendulum) {
  const std::string points = R"toml(gravity = [0, -9.81]
[simulation]
until = 2
[constraints]
la = "norm(a) = 1"
ac = "distance(a, c) = 1"
)toml";
  const auto point = [](const std::string& name, const std::string& mass, const std::string& x, const std::string& y,
                        const std::string& along) {
    return "[points." + name + "]\nmass = " + mass + "\nposition = [" + x + ", " + y + "]\nvelocity = [" + along +
           ", -0.6]\n";
  };
  const std::string others = R"toml(lb = "distance(b, [2, 0]) = 1"
bd = "distance(b, d) = 1"
ab = "distance(a, b) = 2"
cd = "distance(c, d) = 2"
)toml";
  const Ran linkage =
      run(points + others + point("a", "1", "0.6", "0.8", "0.8") + point("c", "1", "0.6", "1.8", "1.8") +
          point("b", "1", "2.6", "0.8", "0.8") + point("d", "1", "2.6", "1.8", "1.8"));
  const Ran pendulum = run(points + point("a", "2", "0.6", "0.8", "0.8") + point("c", "2", "0.6", "1.8", "1.8"));
  ASSERT_EQ(linkage.status, Status::finished) << linkage.why;
  ASSERT_EQ(pendulum.status, Status::finished) << pendulum.why;
  std::size_t passed = 0;
  for (const Event& event : linkage.events) passed += event.kind == EventKind::singular ? 1 : 0;
  EXPECT_EQ(passed, 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(linkage.state.position[i], pendulum.state.position[i], close) << i;
}

namespace {

/// Two parallelograms on each other, under gravity, in units of time that are 2^-power seconds.
std::string stacked(int power, double until) {
  const auto scaled = [&](double value, int times) { return fmt::format("{}", std::ldexp(value, -power * times)); };
  const double place[2][2] = {{0.479425538604203, -0.8775825618903728}, {1.3887229654298847, -0.46143572534323035}};
  const double speed[2][2] = {{6.143077933232609, 3.355978770229421}, {7.391518442874037, 0.6280864897523761}};
  std::string out = "gravity = [0, " + scaled(-9.81, 2) + "]\n";
  for (int k = 0; k < 4; ++k) {
    const int level = k / 2;
    out += fmt::format("[points.{}]\nmass = 1\nposition = [{}, {}]\nvelocity = [{}, {}]\n", "abcd"[k],
                       place[level][0] + 2 * (k % 2), place[level][1], scaled(speed[level][0], 1),
                       scaled(speed[level][1], 1));
  }
  return out +
         "[constraints]\nla = \"norm(a) = 1\"\nlb = \"distance(b, [2, 0]) = 1\"\nab = \"distance(a, b) = 2\"\nac = "
         "\"distance(a, c) = 1\"\nbd = \"distance(b, d) = 1.0000000000000002\"\ncd = \"distance(c, d) = "
         "2\"\n[simulation]\nuntil = " +
         scaled(until, -1) + "\n";
}

}  // namespace

TEST(Passage, in_other_units_of_time_a_linkage_passes_the_same_positions_to_the_same_bits) {
  const Ran ran = run(stacked(0, 2));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_GE(ran.events.size(), 8U);
  for (const int power : {-60, -20, 7, 45}) {
    const Ran other = run(stacked(power, 2));
    ASSERT_EQ(other.status, Status::finished) << power << ": " << other.why;
    EXPECT_EQ(other.state.position, ran.state.position) << power;
    ASSERT_EQ(other.events.size(), ran.events.size()) << power;
    for (std::size_t k = 0; k < ran.events.size(); ++k) {
      EXPECT_EQ(other.events[k].time, std::ldexp(ran.events[k].time, power)) << power;
    }
  }
}

// In 100 s some two hundred positions are passed, now and then two within 1e-4 s of each other, where rounding has grown to 1e-12.
TEST(Passage, two_parallelograms_pass_hundreds_of_flat_positions_and_stay_parallelograms) {
  const Ran ran = run(stacked(0, 100));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  EXPECT_GE(ran.events.size(), 200U);
  const std::vector<double>& q = ran.state.position;
  for (std::size_t i = 0; i < 8; i += 4) {
    EXPECT_NEAR(q[i + 2] - q[i], 2, close);
    EXPECT_NEAR(q[i + 3], q[i + 1], close);
  }
}

// A start of 16 digits is brought onto the rods by some 1e-15; b, which is on its rail exactly, stays there and is not put 1e-33 beside it.
TEST(Passage, the_start_of_a_scissor_lift_is_brought_onto_its_rods_and_stays_on_its_rail) {
  const Ran ran = run(R"toml(gravity = [0, -9.81]
[points.b]
mass = 1.5818253576314998
position = [1.0678147065298884, 0]
velocity = [0.17193762880756797, 0]
[points.c]
mass = 1.2183175923858465
position = [0, 1.303814712584286]
velocity = [0, -0.14081565952165867]
[points.d]
mass = 0.6351503662748086
position = [1.0678147065298884, 1.303814712584286]
velocity = [0.17193762880756797, -0.14081565952165867]
[points.m]
mass = 0.5297257647096105
position = [0.5339073532649429, 0.6519073562921415]
velocity = [0.08596881440378377, -0.07040782976082915]
[constraints]
rail = "b.y = 0"
om = "norm(m) = 0.842638868708408"
md = "distance(m, d) = 0.842638868708408"
od = "norm(d) = 1.685277737416816"
bm = "distance(b, m) = 0.842638868708408"
mc = "distance(m, c) = 0.842638868708408"
bc = "distance(b, c) = 1.685277737416816"
[simulation]
until = 0.35
)toml");
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  // Rounding of corrections that are rounding themselves.
  EXPECT_NEAR(ran.state.position[1], 0, 1e-16 * close);
  // c stays above the origin, d above b: one cross of two bars that turn alike.
  EXPECT_NEAR(ran.state.position[2], 0, close);
  EXPECT_NEAR(ran.state.position[4], ran.state.position[0], close);
  EXPECT_NEAR(ran.state.position[5], ran.state.position[3], close);
}

/// A rhombus of rods as long as one, its corners a (held at the origin or not), b, c, d, above floors.
std::string frame(const std::string& b, const std::string& c, const std::string& d, const std::string& low,
                  const std::string& velocities, double until) {
  std::string text = "gravity = [0, -10]\n";
  const std::vector<std::string> place = {"[0, " + low + "]", b, c, d};
  for (std::size_t k = 0; k < 4; ++k) {
    const std::string name(1, static_cast<char>('a' + k));
    text += "[points." + name + "]\nmass = 1\nposition = " + place[k] + "\n";
    if (!velocities.empty()) text += "velocity = " + velocities + "\n";
  }
  text +=
      "[constraints]\nab = \"distance(a, b) = 1\"\nbc = \"distance(b, c) = 1\"\ncd = \"distance(c, d) = 1\"\nda = "
      "\"distance(d, a) = 1\"\n";
  for (const char* name : {"a", "b", "c", "d"})
    text += "floor_" + std::string(name) + " = \"" + std::string(name) + ".y >= 0\"\n";
  return text + fmt::format("[simulation]\nuntil = {}\n", until);
}

TEST(Passage, a_frame_that_stands_on_a_corner_folds_flat_and_lies_still) {
  // 2 (1 + 2 cos^2 w) w'^2 / 2 = 40 (sin w0 - sin w) with sin w0 = 0.8: all rods in one line as everything lands.
  const Ran ran = run(frame("[0.6, 0.8]", "[0, 1.6]", "[-0.6, 0.8]", "0", "", 2));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  ASSERT_EQ(ran.events.size(), 2U);
  EXPECT_EQ(ran.events[0].kind, EventKind::impact);
  EXPECT_EQ(ran.events[1].kind, EventKind::singular);
  EXPECT_NEAR(ran.events[0].lost, 10 * (0.8 + 0.8 + 1.6), close);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(ran.state.velocity[i], 0) << i;
  const double x[] = {0, 1, 0, -1};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(ran.state.position[2 * k], x[k], close);
    EXPECT_NEAR(ran.state.position[2 * k + 1], 0, close);
  }
}

TEST(Passage, a_folded_frame_falls_freely_and_lands_on_all_its_corners) {
  const Ran ran = run(frame("[1, 1.25]", "[0, 1.25]", "[-1, 1.25]", "1.25", "[3, 0]", 1));
  ASSERT_EQ(ran.status, Status::finished) << ran.why;
  ASSERT_EQ(ran.events.size(), 2U);
  EXPECT_EQ(ran.events[0].kind, EventKind::singular);
  EXPECT_EQ(ran.events[1].kind, EventKind::impact);
  EXPECT_NEAR(ran.events[1].time, 0.5, 1e-14);
  EXPECT_EQ(ran.events[1].rows.size(), 4U);
  EXPECT_NEAR(ran.state.position[0], 3, close);
  EXPECT_NEAR(ran.state.position[2], 4, close);
  EXPECT_EQ(ran.state.velocity[1], 0);
}

TEST(Passage, a_folded_frame_that_is_pulled_ends_where_gradients_do_not_tell_the_way) {
  // (a.y - c.y)(b.y + d.y - a.y - c.y) = 0 to lowest order: a alone may not rise. b may, turning about a and c, but only higher orders keep
  // these on one another.
  for (const char* corner : {"a", "b"}) {
    std::string text = frame("[1, 5]", "[0, 5]", "[-1, 5]", "5", "", 0.25);
    const std::string place = "[points." + std::string(corner) + "]";
    const Ran ran = run(text.replace(text.find(place), place.size(), place + "\nforce = [0, 1]"));
    EXPECT_EQ(ran.status, Status::singular) << corner;
    EXPECT_EQ(ran.state.time, 0) << corner;
  }
}

TEST(Passage, a_square_of_rods_that_falls_askew_folds_bounces_and_lies_flat_in_the_end) {
  // Its corners strike nearly together near the folded position, where the rods hardly tell how high they are. What is left is what nothing
  // takes away: the momentum along the floor; and all four corners lie on it, the rods as long as ever.
  struct Fall {
    double phase;
    double restitution;
    double speed;
  };
  for (const Fall& fall : {Fall{0.2, 0, 0}, Fall{0.2, 0.3, 0}, Fall{0.2, 0.3, 1.5}}) {
    const Ran ran = run(fmt::format(
        "gravity = [0, -9.81]\n[points.p]\ncount = 4\nmass = 1\nposition = [\"cos(pi/2*i + {0})\", \"2 + "
        "sin(pi/2*i + {0})\"]\nvelocity = [{2}, 0]\n[constraints]\nrod = {{ for = \"i = 1..3\", condition = "
        "\"distance(p[i], p[i+1]) = sqrt(2)\" }}\nlast = \"distance(p[4], p[1]) = sqrt(2)\"\nfloor = {{ for "
        "= \"i = 1..4\", condition = \"p[i].y >= 0\", restitution = {1} }}\n[simulation]\nuntil = 4\n",
        fall.phase, fall.restitution, fall.speed));
    ASSERT_EQ(ran.status, Status::finished) << fall.phase << " " << fall.restitution << ": " << ran.why;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t next = (k + 1) % 4;
      const double dx = ran.state.position[2 * next] - ran.state.position[2 * k];
      const double dy = ran.state.position[2 * next + 1] - ran.state.position[2 * k + 1];
      EXPECT_NEAR(std::sqrt(dx * dx + dy * dy), std::sqrt(2.0), close);
      EXPECT_NEAR(ran.state.position[2 * k + 1], 0, close);
      EXPECT_NEAR(ran.state.velocity[2 * k], fall.speed, close);
      EXPECT_NEAR(ran.state.velocity[2 * k + 1], 0, close);
    }
  }
}

}  // namespace zwang::motion::passage_tests
