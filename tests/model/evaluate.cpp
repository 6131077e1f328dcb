/// Dynamics and rows against finite differences, closed forms and written-out models.
#include "zwang/model/evaluate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sight.hpp"
#include "zwang/model/plainly_open.hpp"
#include "zwang/model/read.hpp"

namespace evaluate_tests {
namespace {

using namespace zwang::model;

// A model that has everything: points, coordinates, a family, moving conditions, velocities, energies.
const std::string everything = R"toml(
gravity = [0, "sin(t)", "-g"]
[parameters]
g = 9.81
L = 1.5
p = [0.1, -0.2, 3]
[points.a]
mass = 1.5
position = [0.3, 0.2, 0.9]
velocity = [1, -0.5, 0.2]
force = ["-2*a.x + b.y'", "t*a.z", "-a.z'^2"]
[points.b]
mass = 2
position = [-1.1, 0.4, 0.3]
velocity = [0.1, 0.7, -0.3]
[coordinates.w]
initial = 0.4
velocity = 0.9
force = "-w' + cos(t)*u"
[coordinates.u]
initial = 1.3
velocity = -0.6
[points.bead]
count = 10
mass = "0.5 + i/10"
position = ["i*L", "sin(i)", "0.1*i^2"]
velocity = ["cos(i)", "0.1*i", "-0.3"]
force = ["-bead[i].x*i", "bead[i].y'", 0]
[energy]
kinetic = "(1 + u^2)*w'^2/2 + cos(w)*w'*u' + u'^2*(2 + sin(t)) + w*u' + 3*t*w' + a.x*a.y'^2/10 + sum(i = 1..9, 0.01*i*dot(bead[i]', bead[i+1]'))"
potential = "g*u*cos(w) + a.x^2*b.y + t*w + 5/2*sum(i = 1..9, (distance(bead[i], bead[i+1]) - L)^2)"
[constraints]
string = "distance(a, b) <= L"
moving = "distance(a, p) >= 1 + sin(3*t)/2"
curve = "u*sin(w) = a.x*t^2"
skate = "a.x'*sin(w) - a.y'*cos(w) = u*t"
one_way = "w' - u' + dot(a, b') >= sin(t)"
link = { for = "i = 1..9", condition = "distance(bead[i], bead[i+1]) <= 2*L" }
shelf = { for = "i = 1..10", condition = "bead[i].z >= i^2/20 + t*i" }
pair = { for = "i = 1..10, j = i+1..10", condition = "distance(bead[i], bead[j]) >= 0.1" }
meet = "a = b + [t, 0, w]"
roll = "cross(a', b) = [0, 0, 0]"
)toml";

// Central differences of step h err by h^2 f''' / 6 and eps |f| / h.
constexpr double step = 1e-5;
constexpr double tolerance = 2e-7;

State moved(const State& state, double s) {
  State out = state;
  out.time += s;
  for (std::size_t k = 0; k < out.position.size(); ++k) out.position[k] += s * out.velocity[k];
  return out;
}

TEST(Rows, gradients_are_the_differences_of_their_values) {
  Sight sight(everything);
  sight.shake(7, 0.05);
  sight.look();
  const Rows here = sight.rows;
  const State state = sight.state;
  for (std::uint32_t k = 0; k < sight.model.variables; ++k) {
    std::vector<double> difference(sight.model.rows(), 0.0);
    for (const double sign : {1.0, -1.0}) {
      for (const bool position : {true, false}) {
        // Holonomic rows change with the position, nonholonomic ones (whose f is the rate) with the velocity.
        sight.state = state;
        (position ? sight.state.position : sight.state.velocity)[k] += sign * step;
        sight.look();
        for (std::uint32_t row = 0; row < sight.model.rows(); ++row) {
          if (is_holonomic(sight.model.row_kind[row]) != position) continue;
          const double f = position ? sight.rows.value[row] : sight.rows.rate[row];
          difference[row] += sign * f / (2 * step);
        }
      }
    }
    sight.rows = here;
    for (std::uint32_t row = 0; row < sight.model.rows(); ++row) {
      EXPECT_NEAR(difference[row], sight.gradient(row, k), tolerance * (1 + std::abs(sight.gradient(row, k))))
          << row_name(sight.model, row) << " by " << variable_name(sight.model, k);
    }
  }
}

TEST(Rows, rate_and_curvature_are_the_derivatives_along_the_uniform_motion) {
  Sight sight(everything);
  sight.shake(11, 0.05);
  sight.look();
  const Rows here = sight.rows;
  const State state = sight.state;
  sight.state = moved(state, step);
  sight.look();
  const Rows after = sight.rows;
  sight.state = moved(state, -step);
  sight.look();
  const Rows before = sight.rows;
  for (std::uint32_t row = 0; row < sight.model.rows(); ++row) {
    const std::string name = row_name(sight.model, row);
    if (is_holonomic(sight.model.row_kind[row])) {
      EXPECT_NEAR((after.value[row] - before.value[row]) / (2 * step), here.rate[row], tolerance * 10) << name;
    }
    EXPECT_NEAR((after.rate[row] - before.rate[row]) / (2 * step), here.curvature[row],
                tolerance * (10 + here.curvature_scale[row]))
        << name;
    EXPECT_LE(std::abs(here.curvature[row]), here.curvature_scale[row] * (1 + 1e-12)) << name;
  }
}

TEST(Rows, the_explicit_rate_is_what_is_left_at_rest) {
  Sight sight(everything);
  sight.look();
  const Rows here = sight.rows;
  std::fill(sight.state.velocity.begin(), sight.state.velocity.end(), 0.0);
  sight.look();
  for (std::uint32_t row = 0; row < sight.model.rows(); ++row) {
    EXPECT_NEAR(here.explicit_rate[row], sight.rows.rate[row], 1e-14) << row_name(sight.model, row);
  }
  EXPECT_EQ(here.explicit_rate[sight.row("string")], 0.0);
  EXPECT_EQ(here.explicit_rate[sight.row("roll.x")], 0.0);
}

/// L = T - V of the whole model at a state.
double lagrangian(Sight& sight, const State& state) {
  const Energy e = energy(sight.model, state, sight.scratch);
  return e.kinetic - e.potential;
}

TEST(Rows, of_alternatives_that_are_plainly_open_are_open_by_a_part_of_their_terms_and_of_all_doubts) {
  // Two boxes, one above the other, turned and moved: whatever is called open is so by its whole evaluation, and of boxes apart that is much.
  const Model model = compile(read(R"toml([bodies.a]
mass = 1
shape = { box = [1, 0.8, 0.5] }
position = [0, 0, 0.25]
[bodies.b]
mass = 1
shape = { box = [0.9, 0.7, 0.6] }
position = [0.1, 0, 0.8]
orientation = { axis = [0, 0, 1], angle = 0.3 }
[contacts]
c = { between = ["a", "b"] }
wall = { body = "a", plane = { normal = [0, 0, 1] } }
)toml",
                                   "boxes.toml"));
  PlainlyOpen finder(model);
  Scratch scratch = make_scratch(model);
  Rows rows = make_rows(model);
  std::vector<std::uint8_t> open;
  std::size_t most = 0;
  for (int k = 0; k <= 7; ++k) {
    State state = initial_state(model);
    const std::uint32_t b = model.variables / 2;
    state.position[b + 2] += 0.06 * k;
    state.position[b + 3] -= 0.01 * k;
    state.position[b + 4] += 0.02 * k;
    if (k % 2 != 0) {
      state.position_uncertainty.assign(model.variables, 1e-5 * k);
      state.velocity_uncertainty.assign(model.variables, 1e-5 * k);
    }
    finder.find(model, state, open);
    evaluate_rows(model, state, scratch, rows);
    std::size_t count = 0;
    for (std::uint32_t row = 0; row < model.rows(); ++row) {
      const bool alternative = model.conditions[model.row_condition[row]].alternatives > 1;
      if (open[row] == 0) {
        // Nothing that is open by ten times as much is missed where there is no doubt.
        if (k % 2 == 0 && alternative) {
          EXPECT_GE(rows.value[row], -10 * PlainlyOpen::part * rows.value_scale[row]) << row;
        }
        continue;
      }
      ++count;
      EXPECT_TRUE(alternative);
      EXPECT_LT(rows.value[row], -0.99 * PlainlyOpen::part * rows.value_scale[row]) << row;
      EXPECT_LT(rows.value[row], -500 * rows.value_error[row]) << row;
    }
    most = std::max(most, count);
  }
  EXPECT_GT(4 * most, model.rows());
}

TEST(Dynamics, force_and_mass_are_lagranges_terms_by_differences) {
  // Without force terms: X = dL/dq - (d/ds dL/dv with v held) and M = d2L/dv2.
  std::string text = everything;
  for (const std::string key : {"force = [\"-2", "force = \"-w", "force = [\"-bead"}) {
    const std::size_t at = text.find(key);
    ASSERT_NE(at, std::string::npos);
    text.insert(at, "# ");
  }
  Sight sight(text);
  sight.shake(3, 0.05);
  sight.look();
  const State state = sight.state;
  const double h = 1e-4;
  const auto momentum = [&](State at, std::uint32_t k) {
    at.velocity[k] += h;
    const double up = lagrangian(sight, at);
    at.velocity[k] -= 2 * h;
    return (up - lagrangian(sight, at)) / (2 * h);
  };
  const std::vector<std::vector<double>> mass = sight.mass();
  for (std::uint32_t k = 0; k < sight.model.variables; ++k) {
    State at = state;
    at.position[k] += h;
    const double up = lagrangian(sight, at);
    at.position[k] -= 2 * h;
    const double by_position = (up - lagrangian(sight, at)) / (2 * h);
    const double change = (momentum(moved(state, h), k) - momentum(moved(state, -h), k)) / (2 * h);
    EXPECT_NEAR(sight.dynamics.force[k], by_position - change, 3e-4) << variable_name(sight.model, k);
    for (std::uint32_t j = 0; j < sight.model.variables; ++j) {
      State other = state;
      other.velocity[j] += h;
      const double more = momentum(other, k);
      other.velocity[j] -= 2 * h;
      EXPECT_NEAR(mass[k][j], (more - momentum(other, k)) / (2 * h), 2e-4)
          << variable_name(sight.model, k) << ", " << variable_name(sight.model, j);
    }
  }
}

TEST(Dynamics, forces_stand_as_written) {
  Sight with(everything);
  with.shake(5, 0.05);
  std::string text = everything;
  for (const std::string key : {"force = [\"-2", "force = \"-w", "force = [\"-bead"}) text.insert(text.find(key), "# ");
  Sight without(text);
  without.state = with.state;
  with.look();
  without.look();
  const auto extra = [&](const std::string& name) {
    const std::uint32_t k = with.variable(name);
    return with.dynamics.force[k] - without.dynamics.force[k];
  };
  const auto q = [&](const std::string& name) { return with.state.position[with.variable(name)]; };
  const auto v = [&](const std::string& name) { return with.state.velocity[with.variable(name)]; };
  const double t = with.state.time;
  EXPECT_NEAR(extra("a.x"), -2 * q("a.x") + v("b.y"), 1e-12);
  EXPECT_NEAR(extra("a.y"), t * q("a.z"), 1e-12);
  EXPECT_NEAR(extra("a.z"), -v("a.z") * v("a.z"), 1e-12);
  EXPECT_NEAR(extra("w"), -v("w") + std::cos(t) * q("u"), 1e-12);
  EXPECT_NEAR(extra("bead[7].x"), -q("bead[7].x") * 7, 1e-11);
  EXPECT_NEAR(extra("bead[7].y"), v("bead[7].y"), 1e-12);
  EXPECT_NEAR(extra("bead[7].z"), 0, 1e-12);
}

TEST(Dynamics, the_double_pendulum_has_its_closed_form) {
  // (m1 + m2) l1 th1'' + m2 l2 cos(d) th2'' = -m2 l2 th2'^2 sin(d) - (m1 + m2) g sin th1, d = th1 - th2, and its twin.
  Sight sight(R"toml(
[parameters]
m1 = 1.5
m2 = 0.7
l1 = 2
l2 = 1.3
g = 9.81
[coordinates.th1]
initial = 0.4
velocity = 1.1
[coordinates.th2]
initial = -0.9
velocity = 0.6
[energy]
kinetic = "(m1 + m2)/2*l1^2*th1'^2 + m2/2*l2^2*th2'^2 + m2*l1*l2*th1'*th2'*cos(th1 - th2)"
potential = "-(m1 + m2)*g*l1*cos(th1) - m2*g*l2*cos(th2)"
)toml");
  const double m1 = 1.5, m2 = 0.7, l1 = 2, l2 = 1.3, g = 9.81, th1 = 0.4, th2 = -0.9, w1 = 1.1, w2 = 0.6;
  const double d = th1 - th2;
  const std::vector<std::vector<double>> mass = sight.mass();
  EXPECT_NEAR(mass[0][0], (m1 + m2) * l1 * l1, 1e-13);
  EXPECT_NEAR(mass[1][1], m2 * l2 * l2, 1e-13);
  EXPECT_NEAR(mass[0][1], m2 * l1 * l2 * std::cos(d), 1e-13);
  EXPECT_NEAR(mass[1][0], mass[0][1], 0);
  EXPECT_NEAR(sight.dynamics.force[0], -m2 * l1 * l2 * w2 * w2 * std::sin(d) - (m1 + m2) * g * l1 * std::sin(th1),
              1e-12);
  EXPECT_NEAR(sight.dynamics.force[1], m2 * l1 * l2 * w1 * w1 * std::sin(d) - m2 * g * l2 * std::sin(th2), 1e-12);
}

TEST(Dynamics, a_rotating_frame_gives_coriolis_and_centrifugal_force) {
  // T = m/2 ((x' - w y)^2 + (y' + w x)^2): x'' = 2 w y' + w^2 x, y'' = -2 w x' + w^2 y.
  Sight sight(R"toml(
[parameters]
w = 0.7
[coordinates.x]
initial = 1.5
velocity = 0.3
[coordinates.y]
initial = -0.4
velocity = 0.9
[energy]
kinetic = "((x' - w*y)^2 + (y' + w*x)^2)/2"
)toml");
  const double w = 0.7;
  EXPECT_NEAR(sight.dynamics.force[0], 2 * w * 0.9 + w * w * 1.5, 1e-14);
  EXPECT_NEAR(sight.dynamics.force[1], -2 * w * 0.3 - w * w * 0.4, 1e-14);
  EXPECT_TRUE(sight.dynamics.mass.is_diagonal());

  // T_2 - T_0 is v^2/2 - w^2 r^2/2.
  EXPECT_NEAR(vis_viva(sight.model, sight.state, sight.scratch), 0.5 * (0.09 + 0.81) - 0.5 * w * w * (1.5 * 1.5 + 0.16),
              1e-14);
}

TEST(Dynamics, blocks_hold_what_the_kinetic_energy_couples) {
  Sight sight(R"toml(
[coordinates.a]
initial = 1
[coordinates.b]
initial = 1
[coordinates.c]
initial = 1
[coordinates.d]
initial = 1
[energy]
kinetic = "a'^2 + b'^2 + c'^2 + d'^2 + a'*c' + ((b' + d')^2 - (b' - d')^2)*0"
)toml");
  ASSERT_EQ(sight.model.mass_blocks.size(), 1U);
  EXPECT_EQ(sight.model.mass_blocks[0], (std::vector<std::uint32_t>{0, 2}));
}

TEST(Energy, gravity_of_the_time_is_a_potential) {
  Sight sight(
      "gravity = [\"2*t\", \"cos(t)\"]\n[points.a]\nmass = 3\nposition = [4, 5]\nvelocity = [1, "
      "2]\n[simulation]\nstart = 0.5\n");
  const Energy e = energy(sight.model, sight.state, sight.scratch);
  EXPECT_DOUBLE_EQ(e.kinetic, 7.5);
  EXPECT_NEAR(e.potential, -3 * (1.0 * 4 + std::cos(0.5) * 5), 1e-13);
  EXPECT_NEAR(sight.dynamics.force[0], 3 * 1.0, 1e-14);
  EXPECT_NEAR(sight.dynamics.force[1], 3 * std::cos(0.5), 1e-14);
}

TEST(Energy, steady_gravity_is_weight_times_height) {
  Sight sight("gravity = [0, -9.81]\n[points.a]\nmass = 3\nposition = [4, 5]\n");
  EXPECT_DOUBLE_EQ(energy(sight.model, sight.state, sight.scratch).potential, 3 * 9.81 * 5);
  EXPECT_EQ(sight.model.constant_force, (std::vector<double>{0, -3 * 9.81}));
}

// Families against the same model written out.

std::string written_out(unsigned count) {
  std::string points, links, potential, kinetic;
  for (unsigned i = 1; i <= count; ++i) {
    const std::string n = std::to_string(i);
    points += "[points.b" + n + "]\nmass = \"1 + " + n + "/7\"\nposition = [\"" + n + "*0.9\", \"sin(" + n +
              ")\"]\nvelocity = [0.1, \"cos(" + n + ")\"]\nforce = [\"-b" + n + ".x'*" + n + "\", \"b" + n +
              ".x*t\"]\n";
    if (i < count) {
      const std::string m = std::to_string(i + 1);
      links += "link" + n + " = \"distance(b" + n + ", b" + m + ") <= 1\"\n";
      potential += (i > 1 ? " + " : "") + std::string("2*(") + n + "*distance(b" + n + ", b" + m + ")^2)";
      kinetic += (i > 1 ? " + " : "") + std::string("b") + n + ".x'*b" + m + ".x'/20";
    }
  }
  return points + "[energy]\npotential = \"" + potential + "\"\nkinetic = \"" + kinetic + "\"\n[constraints]\n" + links;
}

std::string family(unsigned count) {
  const std::string n = std::to_string(count), m = std::to_string(count - 1);
  return "[points.b]\ncount = " + n +
         "\nmass = \"1 + i/7\"\nposition = [\"i*0.9\", \"sin(i)\"]\nvelocity = [0.1, \"cos(i)\"]\nforce = "
         "[\"-b[i].x'*i\", \"b[i].x*t\"]\n" +
         "[energy]\npotential = \"2*sum(i = 1.." + m + ", i*distance(b[i], b[i+1])^2)\"\nkinetic = \"sum(i = 1.." + m +
         ", b[i].x'*b[i+1].x'/20)\"\n" + "[constraints]\nlink = { for = \"i = 1.." + m +
         "\", condition = \"distance(b[i], b[i+1]) <= 1\" }\n";
}

TEST(Families, give_the_numbers_of_the_written_out_model) {
  for (const unsigned count : {2U, 3U, 8U, 9U, 17U, 30U}) {
    Sight one(family(count));
    Sight other(written_out(count));
    one.shake(count, 0.05);
    other.state = one.state;
    one.look();
    other.look();
    EXPECT_EQ(one.model.groups.size(), 1U);
    ASSERT_EQ(one.model.row_column, other.model.row_column);
    EXPECT_EQ(one.rows.value, other.rows.value);
    EXPECT_EQ(one.rows.entry, other.rows.entry);
    EXPECT_EQ(one.rows.curvature, other.rows.curvature);
    for (std::uint32_t k = 0; k < one.model.variables; ++k) {
      const double scale = 1e-13 * (1 + std::abs(one.dynamics.force[k])) * count;
      EXPECT_NEAR(one.dynamics.force[k], other.dynamics.force[k], scale);
    }
    EXPECT_EQ(one.model.mass_blocks, other.model.mass_blocks);
  }
}

TEST(Families, a_member_that_meets_itself_has_a_shape_of_its_own) {
  // In the middle i and 6 - i are the same bead: x_i x_(6-i) is a square there.
  Sight sight(
      "[points.b]\ncount = 5\nmass = 1\nposition = [\"i\", 0]\n[constraints]\nc = { for = \"i = 1..5\", condition = "
      "\"b[i].x*b[6-i].x <= 9\" }\n");
  EXPECT_EQ(sight.model.groups.size(), 2U);
  EXPECT_EQ(sight.gradient(sight.row("c[1]"), sight.variable("b[1].x")), 5);
  EXPECT_EQ(sight.gradient(sight.row("c[1]"), sight.variable("b[5].x")), 1);
  EXPECT_EQ(sight.gradient(sight.row("c[3]"), sight.variable("b[3].x")), 6);
  EXPECT_EQ(sight.model.row_start[sight.row("c[3]") + 1] - sight.model.row_start[sight.row("c[3]")], 1U);
}

TEST(Families, a_coefficient_that_vanishes_for_one_member_changes_its_kind) {
  Sight sight(
      "[points.b]\ncount = 3\nmass = 1\nposition = [\"i\", 0]\n[constraints]\nc = { for = \"i = 1..3\", condition = "
      "\"(i - 2)*b[i].x' + b[i].y = 0\" }\n");
  EXPECT_EQ(sight.model.row_kind[0], RowKind::nonholonomic_equation);
  EXPECT_EQ(sight.model.row_kind[1], RowKind::holonomic_equation);
  EXPECT_EQ(sight.model.row_kind[2], RowKind::nonholonomic_equation);
}

TEST(Families, sums_with_index_dependent_bounds_are_unrolled_per_member) {
  Sight sight(
      "[coordinates.s]\ncount = 6\ninitial = \"i\"\n[energy]\nkinetic = \"sum(i = 1..6, s[i]'^2)\"\n[constraints]\nc = "
      "{ for = \"i = 2..6\", condition = \"sum(j = 1..i-1, j*s[j]^i) <= s[i]\" }\n");
  for (int i = 2; i <= 6; ++i) {
    double f = -i;
    for (int j = 1; j < i; ++j) f += j * std::pow(j, i);
    EXPECT_NEAR(sight.rows.value[sight.row("c[" + std::to_string(i) + "]")], f, 1e-9 * std::abs(f));
  }
}

TEST(Families, two_indices_run_with_the_second_first) {
  Sight sight(
      "[points.k]\ncount = [2, 3]\nmass = \"10*i + j\"\nposition = [\"i\", \"j\", \"i*j\"]\n[constraints]\nc = { for = "
      "\"i = 1..2, j = i..3\", condition = \"k[i,j].z <= i + j\" }\n");
  EXPECT_EQ(variable_name(sight.model, 0), "k[1,1].x");
  EXPECT_EQ(variable_name(sight.model, 17), "k[2,3].z");
  EXPECT_EQ(sight.model.point_mass[17], 23);
  EXPECT_EQ(sight.model.initial_position[17], 6);
  EXPECT_EQ(sight.model.rows(), 5U);
  EXPECT_EQ(row_name(sight.model, 0), "c[1,1]");
  EXPECT_EQ(row_name(sight.model, 4), "c[2,3]");
  EXPECT_EQ(sight.model.groups.size(), 1U);
}

TEST(Observables, give_the_value_of_their_expression) {
  Sight sight(
      "[points.a]\nmass = 1\nposition = [1, 2, 3]\nvelocity = [4, 5, 6]\n[outputs]\nh = \"a.z - a.x'^2\"\nl = "
      "\"cross(a, a')\"\nfive = 5\n[simulation]\nstop = \"a.z >= 5 + t\"\n");
  ASSERT_EQ(sight.model.outputs.size(), 5U);
  EXPECT_EQ(observe(sight.model.outputs[0], sight.state), -13);
  EXPECT_EQ(sight.model.outputs[1].name, "l.x");
  EXPECT_EQ(observe(sight.model.outputs[1], sight.state), 2 * 6 - 3 * 5);
  EXPECT_EQ(sight.model.outputs[3].name, "l.z");
  EXPECT_EQ(observe(sight.model.outputs[4], sight.state), 5);
  ASSERT_EQ(sight.model.simulation.stop.size(), 1U);
  EXPECT_EQ(observe(sight.model.simulation.stop[0], sight.state), 2);
}

TEST(Vectors, obey_their_algebra) {
  const auto vectors = [](std::array<int, 6> n) {
    std::string text = "[parameters]\nk = 1.25\n[points.a]\nmass = 1\nposition = [";
    for (int k = 0; k < 3; ++k) text += std::to_string(n[static_cast<std::size_t>(k)]) + (k < 2 ? ", " : "]\n");
    text += "[points.b]\nmass = 1\nposition = [";
    for (int k = 3; k < 6; ++k) text += std::to_string(n[static_cast<std::size_t>(k)]) + (k < 5 ? ", " : "]\n");
    return text;
  };
  EXPECT_TRUE(rc::check("Lagrange's identity, the triple product and the law of cosines hold", [&] {
    std::array<int, 6> n{};
    for (int& x : n) x = *rc::gen::inRange(-9, 10);
    const Sight sight(vectors(n) + R"toml([outputs]
lagrange = "dot(cross(a, b), cross(a, b)) - dot(a, a)*dot(b, b) + dot(a, b)^2"
triple = "dot(cross(a, b), a)"
cosines = "distance(a, b)^2 - norm(a)^2 - norm(b)^2 + 2*dot(a, b)"
linear = "(k*(a - b)/2 + b*3).y - (k*a.y/2 - k*b.y/2 + 3*b.y)"
minus = "(-a + [1, 2, 3]).z + a.z - 3"
)toml");
    for (const Observable& output : sight.model.outputs) {
      RC_ASSERT(std::abs(observe(output, sight.state)) < 1e-9);
    }
  }));
}

TEST(Vectors, the_cross_product_in_the_plane_is_a_number) {
  const Sight sight("[points.a]\nmass = 1\nposition = [2, 3]\nvelocity = [5, 7]\n[outputs]\nl = \"cross(a, a')\"\n");
  EXPECT_EQ(observe(sight.model.outputs[0], sight.state), 2 * 7 - 3 * 5);
}

}  // namespace
}  // namespace evaluate_tests
