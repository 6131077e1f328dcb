/// What is drawn of a condition does not depend on how it is written.
#include "zwang/report/scene.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "page_reader.hpp"

namespace scene_tests {
namespace {

using namespace zwang;
using page_reader::json;

/// The shapes of a model, without a run.
struct Drawn {
  json shapes;
  report::Scene scene;
  report::Blob blob;

  [[nodiscard]] std::vector<double> f64(const json& block) const {
    return page_reader::Page{{}, blob.bytes()}.numbers(block);
  }
};

Drawn draw(const std::string& text, double end = 1) {
  const model::Model model = model::load(text, "model.toml");
  const std::vector<report::SceneBody> bodies = report::scene_bodies(model);
  std::vector<double> low = model.initial_position;
  low.resize(model.variables + model.view.components.size());
  const report::SceneBox box = report::body_box(bodies, low, low);
  Drawn out;
  out.scene = report::scene(model, bodies, box, 0, end, 1U << 22U, out.blob);
  out.shapes = json::parse(report::shape_list(out.scene.shapes));
  return out;
}

const std::string space =
    "gravity = [0, 0, -9.81]\n[parameters]\nL = 2\nR = 1.5\np = [0.5, 0, 3]\nk = 0.75\n"
    "[points.a]\nmass = 1\nposition = [1, 0.5, 0.25]\n[points.b]\nmass = 2\nposition = [0.2, 0.7, "
    "1.25]\n[constraints]\n";
const std::string plane =
    "[parameters]\nL = 2\nR = 1.5\np = [0.5, 3]\n[points.a]\nmass = 1\nposition = [1, 0.25]\n"
    "[points.b]\nmass = 2\nposition = [0.2, 1.25]\n[constraints]\n";

struct Writing {
  const char* condition;
  const char* relation;
};

TEST(Scene, a_string_between_points_in_every_writing) {
  const Writing writings[] = {
      {"distance(a, b) <= L", "<="},
      {"distance(b, a) <= L", "<="},
      {"norm(a - b) <= L", "<="},
      {"L >= norm(b - a)", "<="},
      {"norm(a - b)/L <= 1", "<="},
      {"dot(a - b, a - b) <= L^2", "<="},
      {"(a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2 <= 4", "<="},
      {"sqrt((a.x - b.x)^2 + (a.y - b.y)^2 + (a.z - b.z)^2) <= L", "<="},
      {"a.x^2 + a.y^2 + a.z^2 - 2*dot(a, b) + dot(b, b) <= L*L", "<="},
      {"log(distance(a, b)) <= log(L)", "<="},
      {"1/distance(a, b) >= 1/L", "<="},
      {"distance(a, b) = L", "="},
      {"dot(a - b, a - b) = L^2", "="},
      {"distance(a, b) >= L", ">="},
      {"0 >= L^2 - dot(b - a, b - a)", ">="},
  };
  for (const Writing& one : writings) {
    SCOPED_TRACE(one.condition);
    const Drawn drawn = draw(space + "c = \"" + one.condition + "\"\n");
    ASSERT_EQ(drawn.shapes.size(), 1U);
    const json& shape = drawn.shapes[0];
    EXPECT_EQ(shape.at("kind"), "line");
    EXPECT_EQ(shape.at("relation"), one.relation);
    EXPECT_NEAR(shape.at("length"), 2, 1e-11);
    EXPECT_EQ(shape.at("row"), 0);
    EXPECT_TRUE(drawn.scene.drawn[0]);
  }
}

TEST(Scene, an_anchored_string_in_every_writing) {
  for (const char* condition : {"distance(a, p) <= L", "norm(a - p) <= L", "norm(p - a)^2 <= L^2",
                                "distance(a, [0.5, 0, 3]) <= 2", "norm([a.x - 0.5, a.y, a.z - p.z]) <= L"}) {
    SCOPED_TRACE(condition);
    const Drawn drawn = draw(space + "c = \"" + condition + "\"\n");
    ASSERT_EQ(drawn.shapes.size(), 1U);
    const json& shape = drawn.shapes[0];
    EXPECT_EQ(shape.at("kind"), "line");
    EXPECT_EQ(shape.at("from").at("at"), json({0.5, 0, 3}));
    EXPECT_EQ(shape.at("to").at("body"), 0);
    EXPECT_NEAR(shape.at("length"), 2, 1e-11);
    // The anchor is in the picture.
    EXPECT_GE(drawn.scene.box.high[2], 3);
  }
}

TEST(Scene, surfaces_of_one_point_in_every_writing) {
  struct Case {
    const char* condition;
    const char* kind;
    int side;  // 0: an equation
  };
  const Case cases[] = {
      {"a.z >= 0", "plane", 1},
      {"3*a.x + 4*a.z <= 10", "plane", 1},
      {"exp(a.z) >= 1", "plane", 1},
      {"a.x = a.y", "plane", 0},
      {"a.x^2 + a.y^2 + a.z^2 = R^2", "sphere", 0},
      {"dot(a, a) <= R^2", "sphere", 1},
      {"distance(a, p) >= R", "sphere", -1},
      {"a.x^2 + a.y^2 = R^2", "cylinder", 0},
      {"sqrt(a.y^2 + (a.z - 1)^2) <= R", "cylinder", 1},
      {"norm(cross(a, [0, 0, 1])) >= R", "cylinder", -1},
      {"a.x^2 + a.y^2 = k^2*a.z^2", "cone", 0},
      {"sqrt(a.x^2 + a.y^2) <= k*a.z", "cone", 1},
      {"a.z = a.x^2 + a.y^2", "mesh", 0},
      {"a.x^2/4 + a.y^2 + a.z^2 <= 1", "mesh", 1},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.condition);
    const Drawn drawn = draw(space + "c = \"" + one.condition + "\"\n");
    ASSERT_EQ(drawn.shapes.size(), 1U);
    const json& shape = drawn.shapes[0];
    EXPECT_EQ(shape.at("kind"), one.kind);
    EXPECT_EQ(shape.at("bodies"), json::array({0}));
    if (one.side == 0) {
      EXPECT_EQ(shape.at("relation"), "=");
      EXPECT_FALSE(shape.contains("side"));
    } else if (shape.at("kind") != "mesh") {
      EXPECT_EQ(shape.at("side"), one.side);
    }
  }
  const json plane_shape = draw(space + "c = \"3*a.x + 4*a.z <= 10\"\n").shapes[0];
  EXPECT_NEAR(plane_shape.at("normal")[0], 0.6, 1e-12);
  EXPECT_NEAR(plane_shape.at("normal")[2], 0.8, 1e-12);
  EXPECT_NEAR(plane_shape.at("offset"), 2, 1e-12);
}

TEST(Scene, curves_of_the_plane) {
  EXPECT_EQ(draw(plane + "c = \"a.y >= 0\"\n").shapes[0].at("kind"), "plane");
  EXPECT_EQ(draw(plane + "c = \"dot(a, a) = R^2\"\n").shapes[0].at("kind"), "sphere");
  const Drawn parabola = draw(plane + "c = \"a.y >= a.x^2\"\n");
  ASSERT_EQ(parabola.shapes[0].at("kind"), "mesh");
  const std::vector<double> vertices = parabola.f64(parabola.shapes[0].at("vertices"));
  ASSERT_FALSE(vertices.empty());
  for (std::size_t k = 0; k < vertices.size(); k += 2) EXPECT_NEAR(vertices[k + 1], vertices[k] * vertices[k], 1e-5);
  EXPECT_EQ(parabola.f64(parabola.shapes[0].at("lines")).size() % 2, 0U);
}

TEST(Scene, ropes_over_pulleys) {
  const json simple = draw(plane + "c = \"distance(a, p) + distance(p, b) <= 9\"\n").shapes[0];
  EXPECT_EQ(simple.at("kind"), "rope");
  EXPECT_EQ(simple.at("through"), json::parse(R"([{"body": 0}, {"at": [0.5, 3, 0]}, {"body": 1}])"));
  EXPECT_NEAR(simple.at("length"), 9, 1e-11);

  // Twice around a block, written with squares and roots.
  const json block = draw(plane + "c = \"2*norm(a - p) + sqrt((b.x - 2)^2 + (b.y - 3)^2) <= 9\"\n").shapes[0];
  EXPECT_EQ(block.at("kind"), "rope");
  EXPECT_EQ(block.at("bodies").size(), 2U);
  // Between the pulleys, 1.5 apart, it lies straight and is longer by that.
  EXPECT_NEAR(block.at("length"), 10.5, 1e-11);
  EXPECT_EQ(block.at("through").size(), 5U);

  // Through three points.
  const json three = draw(plane + "c = \"distance(a, b) + distance(b, p) = 5\"\n").shapes[0];
  EXPECT_EQ(three.at("through"), json::parse(R"([{"body": 0}, {"body": 1}, {"at": [0.5, 3, 0]}])"));
  EXPECT_EQ(three.at("relation"), "=");
}

TEST(Scene, a_rope_through_thousands_of_points_is_not_tried) {
  const Drawn drawn = draw(
      "[points.bead]\ncount = 3000\nmass = 1\nposition = [\"i\", 0, 0]\n[constraints]\n"
      "loop = \"sum(i = 1..2999, distance(bead[i], bead[i+1])) <= 4000\"\nends = \"distance(bead[1], bead[3000]) <= "
      "3000\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  EXPECT_EQ(drawn.shapes[0].at("name"), "ends");
}

TEST(Scene, what_moves_has_keys) {
  // A winch that draws in: straight in time, so that lines between keys are exact.
  const Drawn winch = draw(plane + "c = \"distance(a, [t, 3]) <= L - t/4\"\n", 4);
  const json& string = winch.shapes[0];
  EXPECT_EQ(string.at("kind"), "line");
  const std::vector<double> time = winch.f64(string.at("from").at("keys").at("time"));
  const std::vector<double> place = winch.f64(string.at("from").at("keys").at("value"));
  const std::vector<double> lengths = winch.f64(string.at("lengths").at("value"));
  ASSERT_EQ(place.size(), 3 * time.size());
  ASSERT_EQ(lengths.size(), time.size());
  for (std::size_t k = 0; k < time.size(); ++k) {
    EXPECT_NEAR(place[3 * k], time[k], 1e-5);
    EXPECT_NEAR(place[3 * k + 1], 3, 1e-5);
    EXPECT_NEAR(lengths[k], 2 - time[k] / 4, 1e-5);
  }

  // A table that shakes quickly: linear interpolation stays near.
  const Drawn table = draw(plane + "c = \"a.y >= sin(20*t)/10\"\n", 4);
  const json& wall = table.shapes[0];
  EXPECT_EQ(wall.at("kind"), "plane");
  const std::vector<double> when = table.f64(wall.at("keys").at("time"));
  const std::vector<double> value = table.f64(wall.at("keys").at("value"));
  ASSERT_EQ(value.size(), 4 * when.size());
  for (std::size_t k = 0; k + 1 < when.size(); ++k) {
    const double middle = 0.5 * (when[k] + when[k + 1]);
    EXPECT_NEAR(-0.5 * (value[4 * k + 3] + value[4 * k + 7]), std::sin(20 * middle) / 10, 0.01);
  }
}

TEST(Scene, a_floor_for_many_is_one_floor) {
  const Drawn drawn = draw(
      "[points.bead]\ncount = 100\nmass = 1\nposition = [\"i\", 0, 1]\n[points.a]\nmass = 1\nposition = [0, 0, "
      "1]\n[constraints]\n"
      "floor = { for = \"i = 1..100\", condition = \"bead[i].z >= 0\" }\nalso = \"2*a.z >= 0\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  EXPECT_EQ(drawn.shapes[0].at("bodies").size(), 101U);
  EXPECT_EQ(drawn.shapes[0].at("rows").size(), 101U);
  EXPECT_TRUE(drawn.scene.drawn[100]);
}

TEST(Scene, a_point_on_two_surfaces_runs_on_a_wire) {
  const Drawn drawn = draw(space + "ball = \"dot(a, a) = 1.3125\"\ncut = \"a.z = 0.25\"\n");
  ASSERT_EQ(drawn.shapes.size(), 3U);
  EXPECT_EQ(drawn.shapes[2].at("kind"), "curve");
  const std::vector<double> points = drawn.f64(drawn.shapes[2].at("points"));
  for (std::size_t k = 0; k < points.size(); k += 3) {
    EXPECT_NEAR(std::hypot(points[k], points[k + 1]), std::sqrt(1.25), 1e-6);
  }
  EXPECT_EQ(points[0], points[points.size() - 3]);
}

TEST(Scene, a_spring_is_no_ring) {
  // What is called a ring is drawn as one; a longer word that ends so is not.
  EXPECT_EQ(draw(plane + "ring = \"distance(a, p) <= L\"\n").shapes[0].at("kind"), "sphere");
  EXPECT_EQ(draw(plane + "inner_rings = \"distance(a, p) <= L\"\n").shapes[0].at("kind"), "sphere");
  EXPECT_EQ(draw(plane + "spring = \"distance(a, p) <= L\"\n").shapes[0].at("kind"), "line");
  EXPECT_EQ(draw(plane + "mooring = \"distance(a, p) <= L\"\n").shapes[0].at("kind"), "line");
}

TEST(Scene, energies_that_are_springs_are_drawn_as_such) {
  const std::string points = plane.substr(0, plane.find("[constraints]"));
  for (const char* energy :
       {"3*(distance(a, b) - L)^2", "7/2*dot(a - b, a - b)", "(distance(a, b)^2 - 2*distance(a, b))/R"}) {
    SCOPED_TRACE(energy);
    const Drawn drawn = draw(points + "[energy]\npotential = \"" + energy + "\"\n");
    ASSERT_EQ(drawn.shapes.size(), 1U);
    EXPECT_EQ(drawn.shapes[0].at("kind"), "spring");
  }
  // Planets, charges, bows that give way, and what draws nobody together.
  for (const char* energy : {"-1/distance(a, b)", "1/distance(a, b)", "distance(a, b)^4", "-dot(a - b, a - b)",
                             "distance(a, b)", "9.81*a.y", "(a.x - b.y)^2", "dot(a, b)"}) {
    SCOPED_TRACE(energy);
    EXPECT_TRUE(draw(points + "[energy]\npotential = \"" + energy + "\"\n").shapes.empty());
  }
}

TEST(Scene, equations_of_vectors_are_rods_and_pins) {
  const Drawn drawn = draw(plane + "bar = \"b - a = [-0.8, 1]\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  EXPECT_EQ(drawn.shapes[0].at("kind"), "line");
  EXPECT_EQ(drawn.shapes[0].at("relation"), "=");
  EXPECT_EQ(drawn.shapes[0].at("bodies").size(), 2U);
  const Drawn pinned = draw(plane + "pin = \"a = [1, 0.25 + t]\"\n");
  ASSERT_EQ(pinned.shapes.size(), 1U);
  EXPECT_EQ(pinned.shapes[0].at("kind"), "joint");
  EXPECT_EQ(pinned.shapes[0].at("at").at("body"), 0);
}

TEST(Scene, alternatives_are_one_border) {
  // Beside the step or above it: along its top and down its side, with the corner between them.
  const Drawn drawn = draw(plane + "stair = \"a.x >= 0.6 or a.y >= 0.75\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  const json& shape = drawn.shapes[0];
  EXPECT_EQ(shape.at("kind"), "mesh");
  EXPECT_EQ(shape.at("rows").size(), 2U);
  const std::vector<double> places = drawn.f64(shape.at("vertices"));
  bool top = false;
  bool side = false;
  bool corner = false;
  for (std::size_t k = 0; k + 1 < places.size(); k += 2) {
    const bool on_top = std::abs(places[k + 1] - 0.75) < 1e-6 && places[k] < 0.6 + 1e-6;
    const bool on_side = std::abs(places[k] - 0.6) < 1e-6 && places[k + 1] < 0.75 + 1e-6;
    EXPECT_TRUE(on_top || on_side) << places[k] << " " << places[k + 1];
    top = top || (on_top && !on_side);
    side = side || (on_side && !on_top);
    corner = corner || (on_top && on_side);
  }
  EXPECT_TRUE(top);
  EXPECT_TRUE(side);
  EXPECT_TRUE(corner);
}

TEST(Scene, alternatives_that_move_are_drawn_at_instants) {
  const Drawn drawn = draw(plane + "stair = \"a.x >= 0.6 + t/4 or a.y >= 0.75 - t/2\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  const json& frames = drawn.shapes[0].at("frames");
  ASSERT_EQ(frames.size(), 25U);
  for (const json& frame : frames) {
    const double t = frame.at("time");
    const std::vector<double> places = drawn.f64(frame.at("vertices"));
    bool corner = false;
    for (std::size_t k = 0; k + 1 < places.size(); k += 2) {
      const double x = places[k] - (0.6 + t / 4);
      const double y = places[k + 1] - (0.75 - t / 2);
      const bool on_top = std::abs(y) < 1e-6 && x < 1e-6;
      const bool on_side = std::abs(x) < 1e-6 && y < 1e-6;
      EXPECT_TRUE(on_top || on_side) << t << ": " << places[k] << " " << places[k + 1];
      corner = corner || (on_top && on_side);
    }
    EXPECT_TRUE(corner) << t;
  }
}

TEST(Scene, functions_with_corners_are_seen_on_both_sides) {
  // A square with rounded corners: the start is in its middle, where both are zero. The second way to the distance is the nearest place of the square.
  const Drawn drawn = draw(plane + "pen = \"max(abs(a.x) - 0.8, 0)^2 + max(abs(a.y) - 0.3, 0)^2 <= 0.25\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  EXPECT_EQ(drawn.shapes[0].at("kind"), "mesh");
  const std::vector<double> places = drawn.f64(drawn.shapes[0].at("vertices"));
  bool straight = false;
  bool round = false;
  for (std::size_t k = 0; k + 1 < places.size(); k += 2) {
    const double x = places[k] - std::clamp(places[k], -0.8, 0.8);
    const double y = places[k + 1] - std::clamp(places[k + 1], -0.3, 0.3);
    EXPECT_NEAR(std::hypot(x, y), 0.5, 1e-6) << places[k] << " " << places[k + 1];
    straight = straight || x == 0 || y == 0;
    round = round || (std::abs(x) > 0.1 && std::abs(y) > 0.1);
  }
  EXPECT_TRUE(straight);
  EXPECT_TRUE(round);
}

TEST(Scene, coordinates_that_the_view_shows_have_their_floors) {
  const std::string start =
      "[coordinates.x]\ninitial = 0\n[coordinates.y]\ninitial = 1\n[coordinates.angle]\ninitial = 0\n[energy]\nkinetic "
      "= "
      "\"(x'^2 + y'^2 + angle'^2)/2\"\n[view]\ndimension = 2\n[view.points.ball]\nposition = [\"x\", \"y + 0.5\"]\n"
      "[constraints]\n";
  const Drawn drawn = draw(start + "floor = \"y >= 0\"\n");
  ASSERT_EQ(drawn.shapes.size(), 1U);
  EXPECT_EQ(drawn.shapes[0].at("kind"), "plane");
  // Where the ball is seen when y is zero.
  const double sense = drawn.shapes[0].at("normal")[1];
  EXPECT_NEAR(std::abs(sense), 1, 1e-12);
  EXPECT_NEAR(drawn.shapes[0].at("offset").get<double>() / sense, 0.5, 1e-12);
  EXPECT_EQ(draw(start + "slope = \"y >= x/2\"\n").shapes.size(), 1U);
  // Nothing shows the angle, so what it has to do with is not drawn.
  EXPECT_EQ(draw(start + "cam = \"y >= sin(angle)\"\n").shapes.size(), 0U);
}

TEST(Scene, what_has_no_shape_is_not_drawn) {
  EXPECT_TRUE(draw(space + "c = \"a.x' = a.y*a.z'\"\n").shapes.empty());
  EXPECT_TRUE(draw(space + "c = \"a.x*b.y <= 3\"\n").shapes.empty());
  EXPECT_TRUE(draw("[coordinates.w]\ninitial = 1\n[energy]\nkinetic = \"w'^2\"\n[constraints]\nc = \"w <= 2\"\n")
                  .shapes.empty());
  // Three equations pin a point: three planes through it say nothing.
  EXPECT_TRUE(draw(space + "c = \"a.x = 1\"\nd = \"a.y = 0.5\"\ne = \"a.z = 0.25\"\n").shapes.empty());
}

TEST(Scene, shapes_do_not_depend_on_units_of_length) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    const std::string text =
        "[parameters]\nu = " + std::to_string(unit) +
        "\n[points.a]\nmass = 1\nposition = [\"u\", 0, \"0.5*u\"]\n[points.b]\nmass = 1\nposition = "
        "[\"2*u\", \"u\", \"u\"]\n[constraints]\ns = \"distance(a, b) <= 3*u\"\nf = \"a.z >= -u\"\n"
        "r = \"dot(b, b) <= 9*u^2\"\nq = \"distance(a, [0,0,u]) + distance(b, [0,0,u]) <= 7*u\"\n";
    SCOPED_TRACE(unit);
    const Drawn drawn = draw(text);
    ASSERT_EQ(drawn.shapes.size(), 4U);
    for (const json& shape : drawn.shapes) {
      if (shape.at("kind") == "line") {
        EXPECT_NEAR(shape.at("length"), 3 * unit, 1e-9 * unit);
      } else if (shape.at("kind") == "plane") {
        EXPECT_NEAR(shape.at("offset"), unit, 1e-9 * unit);
      } else if (shape.at("kind") == "sphere") {
        EXPECT_NEAR(shape.at("radius"), 3 * unit, 1e-7 * unit);
      } else {
        EXPECT_EQ(shape.at("kind"), "rope");
        EXPECT_NEAR(shape.at("length"), 7 * unit, 1e-9 * unit);
      }
    }
  }
}

TEST(Scene, far_from_the_origin_lengths_keep_their_digits) {
  const Drawn drawn = draw(
      "[points.a]\nmass = 1\nposition = [1e8, 2e8]\n[points.b]\nmass = 1\nposition = [100000001, 2e8]\n[constraints]\n"
      "s = \"distance(a, b) <= 2\"\n");
  EXPECT_EQ(drawn.shapes[0].at("length"), 2);
}

TEST(Scene, balls_that_meet_on_a_line_are_discs) {
  const Drawn drawn = draw(
      "[points.ball]\ncount = 3\nmass = 1\nposition = [\"2*i\", 1]\n[constraints]\n"
      "touch = { for = \"i = 1..2\", condition = \"ball[i+1].x - ball[i].x >= 0.5\" }\n");
  ASSERT_EQ(drawn.shapes.size(), 2U);
  EXPECT_EQ(drawn.shapes[0].at("relation"), ">=");
  EXPECT_EQ(drawn.shapes[0].at("radius"), 0.25);
  // The discs are in the picture as a whole.
  EXPECT_EQ(drawn.scene.box.low[0], 1.75);
  EXPECT_EQ(drawn.scene.box.high[1], 1.25);
}

TEST(Scene, a_seizure_is_drawn_from_its_time_on) {
  const Drawn drawn =
      draw(space + "far = \"a.z >= -9\"\n[[seizures]]\nname = \"rail\"\nat = 0.5\ncondition = \"a.x = a.y + 0.5\"\n");
  ASSERT_EQ(drawn.shapes.size(), 2U);
  EXPECT_EQ(drawn.shapes[1].at("since"), 0.5);
  EXPECT_FALSE(drawn.shapes[0].contains("since"));
}

TEST(Scene, up_is_against_gravity) {
  EXPECT_EQ(report::upwards(model::load(space + "c = \"a.z >= 0\"\n", "m")), (report::Vector{0, 0, 1}));
  EXPECT_EQ(report::upwards(model::load("gravity = [3, 4]\n[points.a]\nmass = 2\nposition = [0, 0]\n", "m")),
            (report::Vector{-0.6, -0.8, 0}));
  EXPECT_EQ(report::upwards(model::load("[points.a]\nmass = 2\nposition = [0, 0]\n", "m")), (report::Vector{0, 1, 0}));
}

TEST(Scene, rigid_bodies_are_solids_with_their_planes_springs_and_joints) {
  const Drawn drawn = draw(R"toml(gravity = [0, 0, -9.81]
[bodies.box]
mass = 1
shape = { box = [2, 1, 0.5] }
position = [0, 0, 1]
[bodies.box.marks]
corner = [1, 0.5, 0.25]
[bodies.ball]
count = 2
mass = 1
shape = { ball = 0.2 }
position = ["2*i", 0, 1]
[bodies.drum]
mass = 1
shape = { cylinder = [3, 4] }
position = [2, 0, 0]
[joints]
pin = { ball = [[1, 0.5, 1.25], "box.corner"] }
[springs]
s = { between = ["box.corner", "ball[1]"], length = 1, stiffness = 3 }
[contacts]
floor = { for = "i = 1..2", body = "ball[i]", plane = { normal = [0, 0, 2], offset = 1 } }
table = { body = "box", plane = { normal = [0, 0, 1], offset = 0.5 } }
lift  = { body = "drum", plane = { normal = [0, 0, 1], offset = "sin(t) - 5" } }
balls = { between = ["ball[1]", "ball[2]"] }
in    = { for = "i = 1..2", between = ["drum", "ball[i]"], inside = true }
)toml");
  std::map<std::string, std::vector<json>> found;
  for (const json& shape : drawn.shapes) found[shape["kind"]].push_back(shape);
  ASSERT_EQ(found["solid"].size(), 4U);
  const json& box = found["solid"][0];
  EXPECT_EQ(box["name"], "box");
  EXPECT_EQ(box["edges"]["count"], 48);
  EXPECT_EQ(box["triangles"]["count"], 36);
  for (const double x : drawn.f64(box["vertices"])) {
    EXPECT_TRUE(std::abs(x) == 1 || std::abs(x) == 0.5 || std::abs(x) == 0.25);
  }
  EXPECT_EQ(found["solid"][2]["radius"], 0.2);
  EXPECT_FALSE(box.contains("hollow"));
  EXPECT_EQ(found["solid"][3]["hollow"], true);
  // What the balls and the box stand on is one plane; one that moves has keys.
  ASSERT_EQ(found["plane"].size(), 2U);
  EXPECT_EQ(found["plane"][0]["offset"], 0.5);
  EXPECT_EQ(found["plane"][0]["rows"].size(), 2U + 8U);
  EXPECT_TRUE(found["plane"][1].contains("keys"));
  ASSERT_EQ(found["spring"].size(), 1U);
  EXPECT_EQ(found["spring"][0]["from"]["mark"], json::array({1, 0.5, 0.25}));
  ASSERT_EQ(found["joint"].size(), 1U);
  EXPECT_EQ(found["joint"][0]["form"], "ball");
  EXPECT_EQ(found.size(), 4U);
}

}  // namespace
}  // namespace scene_tests
