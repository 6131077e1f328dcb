/// The answers: one JSON object, pinned keys in their order, numbers that read back, the same as the library gives.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "command/call.hpp"
#include "zwang/instant/impact.hpp"
#include "zwang/instant/instant.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace zwang::command::answers_tests {

namespace {

using Json = nlohmann::ordered_json;

const std::string string_and_wall = R"(title = "Two points on a string; one strikes a wall"
[parameters]
L = 1.0
m = 1.0
push = 0

[points.a]
mass     = "m"
position = [0, 0, 0]
velocity = [1, 0, 0]
force    = ["push", 0, 0]

[points.b]
mass     = 2.0
position = ["-L", 0, 0]
velocity = [1, 0, 0]

[constraints]
string = "distance(a, b) <= L"
wall   = "a.x <= 0"
)";

const std::string inclined = R"([parameters]
g = 10
[points.p]
mass = 2
position = [4, 0, 3]
velocity = [4, 1, 3]
force = [1, 0, "-2*g"]
[coordinates.w]
initial = 1
velocity = 2
[energy]
kinetic = "3/2*w'^2"
potential = "w^2/2"
[constraints]
plane = "3*p.x <= 4*p.z"
roof = "p.z <= 5"
ratchet = "w' >= 0"
)";

std::vector<std::string> keys(const Json& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.items()) out.push_back(key);
  return out;
}

/// No null anywhere, since a key that does not apply is left out.
bool has_null(const Json& json) {
  if (json.is_null()) return true;
  if (json.is_structured())
    for (const auto& part : json)
      if (has_null(part)) return true;
  return false;
}

/// `wanted` occurs in `given` in this order, other keys may stand between.
void expect_order(const std::vector<std::string>& given, const std::vector<std::string>& wanted) {
  std::size_t next = 0;
  for (const auto& key : given)
    if (next < wanted.size() && key == wanted[next]) ++next;
  EXPECT_EQ(next, wanted.size()) << "missing or out of order: " << (next < wanted.size() ? wanted[next] : "");
}

}  // namespace

class Answers : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built) GTEST_SKIP() << "the command is not built";
  }
};

TEST_F(Answers, of_accelerate_carry_the_pinned_keys) {
  const auto answer = call_json({"accelerate", "-"}, inclined);
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  const auto& json = answer.json;
  EXPECT_FALSE(has_null(json)) << answer.out;
  EXPECT_TRUE(json.at("zwang").is_string());
  expect_order(keys(json), {"model", "time", "status", "regular", "accelerations", "free", "multipliers",
                            "multipliers_unique", "reactions", "reaction", "constraints", "constraint", "certificate"});
  for (const char* absent : {"solutions", "family", "farkas", "violations", "error"})
    EXPECT_FALSE(json.contains(absent));
  EXPECT_EQ(json.at("status"), "determined");
  EXPECT_EQ(json.at("time"), 0.0);
  EXPECT_EQ(keys(json.at("accelerations")), (std::vector<std::string>{"p", "w"}));
  EXPECT_TRUE(json.at("accelerations").at("p").is_array());
  EXPECT_TRUE(json.at("accelerations").at("w").is_number());
  // Reference problem of the inclined plane: lambda = 83/25, a = (-4.48, 0, -3.36); and 3 w'' = -w.
  EXPECT_NEAR(json.at("multipliers").at("plane").get<double>(), 3.32, 1e-13);
  EXPECT_NEAR(json.at("accelerations").at("p")[0].get<double>(), -4.48, 1e-13);
  EXPECT_NEAR(json.at("accelerations").at("w").get<double>(), -1.0 / 3, 1e-15);
  EXPECT_NEAR(json.at("constraint").get<double>(), 137.78, 1e-11);
  EXPECT_EQ(keys(json.at("multipliers")), (std::vector<std::string>{"plane"}));
  EXPECT_EQ(keys(json.at("constraints")), (std::vector<std::string>{"plane", "roof", "ratchet"}));
  const auto& plane = json.at("constraints").at("plane");
  EXPECT_EQ(keys(plane), (std::vector<std::string>{"kind", "value", "rate", "second", "role"}));
  EXPECT_EQ(plane.at("kind"), "holonomic inequality");
  EXPECT_EQ(plane.at("role"), "binding");
  EXPECT_EQ(json.at("constraints").at("roof").at("role"), "passive in position");
  // The f of a nonholonomic condition is its rate; it has no value.
  const auto& ratchet = json.at("constraints").at("ratchet");
  EXPECT_EQ(keys(ratchet), (std::vector<std::string>{"kind", "rate", "second", "role"}));
  EXPECT_EQ(ratchet.at("rate"), -2.0);
  EXPECT_EQ(ratchet.at("role"), "passive in velocity");
  EXPECT_NEAR(json.at("reactions").at("plane").at("p")[2].get<double>(), 13.28, 1e-12);
  EXPECT_EQ(keys(json.at("certificate")),
            (std::vector<std::string>{"primal", "dual", "complementarity", "stationarity", "gap"}));
}

TEST_F(Answers, of_impact_carry_the_pinned_keys) {
  const auto answer = call_json({"impact", "-"}, string_and_wall);
  ASSERT_EQ(answer.exit, 0) << answer.out << answer.err;
  const auto& json = answer.json;
  EXPECT_FALSE(has_null(json)) << answer.out;
  expect_order(keys(json), {"time", "before", "velocities", "changes", "impulses", "impulses_unique", "roles", "energy",
                            "certificate"});
  EXPECT_TRUE(json.at("zwang").is_string());
  EXPECT_EQ(json.at("velocities"), Json::parse(R"({"a": [0.0, 0.0, 0.0], "b": [1.0, 0.0, 0.0]})"));
  EXPECT_EQ(json.at("changes").at("a"), Json::parse("[-1.0, 0.0, 0.0]"));
  EXPECT_EQ(json.at("impulses"), Json::parse(R"({"string": 0.0, "wall": 1.0})"));
  EXPECT_EQ(json.at("roles"), Json::parse(R"({"string": "leaving", "wall": "binding"})"));
  EXPECT_EQ(keys(json.at("energy")), (std::vector<std::string>{"before", "blow", "work", "lost", "after"}));
  EXPECT_EQ(json.at("energy").at("before"), 1.5);
  EXPECT_EQ(json.at("energy").at("lost"), 0.5);
  EXPECT_EQ(json.at("energy").at("after"), 1.0);
}

TEST_F(Answers, of_impact_without_a_shock_leave_everything_as_it_is) {
  const auto answer = call_json({"impact", "-"}, inclined);
  ASSERT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.json.at("velocities"), answer.json.at("before"));
  EXPECT_EQ(answer.json.at("impulses").at("plane"), 0.0);
  EXPECT_EQ(answer.json.at("energy").at("lost"), 0.0);
}

TEST_F(Answers, of_impact_under_the_variational_law_are_refused_only_when_something_strikes) {
  const std::string skate = R"(
[coordinates]
x = { initial = 0, velocity = 1 }
y = { initial = 0 }
w = { initial = 0, velocity = 1 }
[energy]
kinetic = "(x'^2 + y'^2 + w'^2)/2"
[constraints]
edge = { condition = "sin(w)*x' - cos(w)*y' = 0", law = "variational", multiplier = 0.3 }
)";
  const auto calm = call_json({"impact", "-"}, skate);
  EXPECT_EQ(calm.exit, 0) << calm.out;
  EXPECT_EQ(calm.json.at("velocities"), calm.json.at("before"));
  const auto struck = call_json({"impact", "-"}, skate + "[[impulses]]\non = \"x\"\nvalue = 1\n");
  EXPECT_EQ(struck.exit, 3) << struck.out;
  EXPECT_EQ(struck.json.at("status"), "refused");
  EXPECT_NE(struck.json.at("expansion").get<std::string>().find("edge"), std::string::npos);
}

TEST_F(Answers, of_check_name_kind_value_rate_and_role) {
  const auto answer = call_json({"check", "-"}, inclined);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  expect_order(keys(answer.json), {"status", "regular", "constraints"});
  EXPECT_FALSE(has_null(answer.json));
  for (const auto& [name, one] : answer.json.at("constraints").items()) {
    EXPECT_TRUE(one.contains("kind") && one.contains("rate") && one.contains("role")) << name;
    EXPECT_EQ(one.contains("value"), name != "ratchet");
  }
}

TEST_F(Answers, of_check_tell_what_nearly_touches_and_the_touch_that_closes_it) {
  const std::string model =
      "[points.a]\nmass = 1\nposition = [0.7071068, 0.7071068]\n[constraints]\nring = \"distance(a, [0, 0]) >= "
      "1\"\nfar = \"a.x <= 2\"\n[simulation]\n";
  const auto answer = call_json({"check", "-"}, model);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  const Json& nearly = answer.json.at("nearly_touching");
  ASSERT_EQ(keys(nearly), std::vector<std::string>{"ring"});
  EXPECT_EQ(nearly.at("ring").at("distance"), -answer.json.at("constraints").at("ring").at("value").get<double>());
  EXPECT_EQ(answer.json.at("constraints").at("ring").at("role"), "passive in position");
  const std::string touch = nearly.at("ring").at("touch").dump();
  const auto closed = call_json({"check", "-"}, model + "touch = " + touch + "\n");
  EXPECT_NE(closed.json.at("constraints").at("ring").at("role"), "passive in position");
  EXPECT_FALSE(closed.json.contains("nearly_touching"));
}

TEST_F(Answers, before_a_shock_have_no_accelerations) {
  const auto answer = call_json({"accelerate", "-"}, string_and_wall);
  EXPECT_EQ(answer.exit, 0);
  EXPECT_EQ(answer.json.at("status"), "impact");
  for (const char* absent : {"accelerations", "multipliers", "reaction", "constraint", "certificate"})
    EXPECT_FALSE(answer.json.contains(absent)) << absent;
}

TEST_F(Answers, to_an_inadmissible_state_name_the_violations) {
  const std::string model =
      "[points.a]\nmass = 1\nposition = [0.5, 0]\n[constraints]\nwall = \"a.x <= 0\"\nrail = \"a.y = 0\"\n";
  for (const char* verb : {"accelerate", "impact", "check"}) {
    const auto answer = call_json({verb, "-"}, model);
    EXPECT_EQ(answer.exit, 3) << verb;
    EXPECT_EQ(answer.json.at("violations"), Json::parse(R"({"wall": 0.5})")) << verb;
  }
  EXPECT_EQ(call_json({"accelerate", "-"}, model).json.at("status"), "inadmissible");
}

TEST_F(Answers, to_a_jam_give_the_proof) {
  const auto answer = call_json({"accelerate", "gallery:jam"});
  EXPECT_EQ(answer.exit, 3);
  EXPECT_EQ(answer.json.at("status"), "jammed");
  const auto& farkas = answer.json.at("farkas");
  EXPECT_NEAR(farkas.at("left").get<double>(), farkas.at("right").get<double>(),
              1e-12 * farkas.at("left").get<double>());
  EXPECT_GT(farkas.at("left").get<double>(), 0);
  EXPECT_FALSE(answer.json.contains("accelerations"));
}

TEST_F(Answers, at_an_ambiguous_position_list_the_minimisers) {
  const auto two = call_json({"accelerate", "gallery:cone-two"});
  EXPECT_EQ(two.exit, 0);
  EXPECT_EQ(two.json.at("status"), "ambiguous");
  EXPECT_EQ(two.json.at("solutions").size(), 2U);
  EXPECT_EQ(two.json.at("family"), "isolated");
  const auto circle = call_json({"accelerate", "gallery:cone-circle"});
  EXPECT_EQ(circle.json.at("family"), "continuum");
  EXPECT_GE(circle.json.at("solutions").size(), 2U);
}

TEST_F(Answers, print_numbers_that_read_back_to_the_same_double) {
  // The library's numbers, bit for bit, out of the command's text.
  const std::string text =
      "[parameters]\ng = 9.80665\n[points.a]\nmass = \"1/3\"\nposition = [\"1/7\", 0.1, \"sqrt(2)\"]\n"
      "velocity = [\"1/3\", \"pi\", 1e-300]\nforce = [\"sin(1)\", \"-g/3\", \"exp(-50)\"]\n"
      "[constraints]\nrod = \"a.x^2 + a.y^2 + a.z^2 = 1/49 + 0.01 + 2\"\n";
  const auto answer = call_json({"accelerate", "-"}, text);
  const auto model = model::load(text, "-");
  const auto instant = instant::accelerate(model, model::initial_state(model));
  if (instant.status == instant::Status::determined) {
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(answer.json.at("accelerations").at("a")[i].get<double>(), instant.accelerations[i]);
  } else {
    EXPECT_EQ(answer.json.at("status"), instant::words(instant.status));
  }
  const auto shock = instant::impact(model, model::initial_state(model));
  const auto after = call_json({"impact", "-"}, text);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after.json.at("before").at("a")[i].get<double>(), shock.before[i]);
    EXPECT_EQ(after.json.at("velocities").at("a")[i].get<double>(), shock.velocities[i]);
  }
  EXPECT_EQ(after.json.at("before").at("a")[2].get<double>(), 1e-300);
}

TEST_F(Answers, are_the_same_bytes_every_time) {
  for (const char* verb : {"accelerate", "explain", "impact", "check"}) {
    EXPECT_EQ(call_json({verb, "-"}, inclined).out, call_json({verb, "-"}, inclined).out);
    EXPECT_EQ(call({verb, "-"}, inclined).out, call({verb, "-"}, inclined).out);
  }
}

TEST_F(Answers, of_families_are_keyed_by_member) {
  const std::string model =
      "[parameters]\nn = 3\n[points.bead]\ncount = \"n\"\nmass = 1\nposition = [\"i\", 0]\nforce = [\"i\", -1]\n"
      "[constraints]\nlink = { for = \"i = 1..n-1\", condition = \"distance(bead[i], bead[i+1]) <= 1\" }\n"
      "pin = \"bead[1] = [1, 0]\"\n";
  const auto answer = call_json({"accelerate", "-"}, model);
  ASSERT_EQ(answer.exit, 0) << answer.out;
  EXPECT_EQ(keys(answer.json.at("accelerations")), (std::vector<std::string>{"bead[1]", "bead[2]", "bead[3]"}));
  EXPECT_EQ(keys(answer.json.at("constraints")), (std::vector<std::string>{"link[1]", "link[2]", "pin.x", "pin.y"}));
  // The horizontal forces 2 and 3 hang on the links: 5 and 3 (unit gradients), 6 on the pin.
  EXPECT_NEAR(answer.json.at("multipliers").at("link[1]").get<double>(), 5, 1e-13);
  EXPECT_NEAR(answer.json.at("multipliers").at("link[2]").get<double>(), 3, 1e-13);
  EXPECT_NEAR(answer.json.at("multipliers").at("pin.x").get<double>(), 6, 1e-13);
  EXPECT_NEAR(answer.json.at("multipliers").at("pin.y").get<double>(), -1, 1e-13);
  const auto two = call_json({"accelerate", "-", "--set", "n=2"}, model);
  EXPECT_EQ(keys(two.json.at("accelerations")).size(), 2U);
}

TEST_F(Answers, of_conditions_with_several_parts_have_one_value_their_own) {
  // Bent up the ground is the greatest of its lines, bent down the ceiling has to be above one of them: f is what stands in the text.
  const std::string model =
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.5, 0.6]\n[constraints]\n"
      "ground = \"a.y >= table(a.x, [0, 1, 2], [0, 0.1, 1])\"\nceiling = \"a.y <= 4 + table(a.x, [0, 1, 2], [0, 0.1, "
      "1])\"\n"
      "stair = \"a.x <= 1 or a.y >= 2\"\n";
  for (const char* verb : {"accelerate", "check"}) {
    const auto answer = call_json({verb, "-"}, model);
    ASSERT_EQ(answer.exit, 0) << answer.out;
    const Json& found = answer.json.at("constraints");
    EXPECT_EQ(keys(found), (std::vector<std::string>{"ground", "ceiling", "stair"})) << verb;
    EXPECT_NEAR(found.at("ground").at("value").get<double>(), 0.05 - 0.6, 1e-15);
    EXPECT_NEAR(found.at("ceiling").at("value").get<double>(), 0.6 - 4.05, 1e-15);
    EXPECT_EQ(found.at("stair").at("value"), -0.5);
  }
  const auto now = call_json({"accelerate", "-"}, model);
  EXPECT_NEAR(now.json.at("constraints").at("ceiling").at("second").get<double>(), -9.81, 1e-13);
  const std::string table = call({"accelerate", "-"}, model).out;
  const std::size_t once = table.find("\n  ground ");
  EXPECT_NE(once, std::string::npos) << table;
  EXPECT_EQ(table.find("\n  ground ", once + 1), std::string::npos) << table;
  EXPECT_NE(table.find("\n  ceiling "), std::string::npos) << table;
  EXPECT_NE(call({"check", "-"}, model).out.find("2 variables, 3 conditions"), std::string::npos);
}

TEST(Check, says_of_a_state_before_a_shock_whether_the_rows_that_strike_are_independent) {
  const auto regular = [](const std::string& second) {
    const auto answer = call_json(
        {"check", "-"},
        "[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 1]\n[constraints]\nwall = \"a.x <= 0\"\nother = \"" +
            second + "\"\n");
    EXPECT_EQ(answer.json.at("status"), "impact");
    return answer.json.at("regular").get<bool>();
  };
  EXPECT_FALSE(regular("2*a.x + a.x^2 <= 0"));
  EXPECT_TRUE(regular("a.y <= 0"));
  EXPECT_TRUE(regular("-a.x <= 1"));
}

TEST(Check, tells_value_and_rate_of_a_condition_as_it_is_written) {
  const auto told = [](const std::string& condition) {
    const auto answer =
        call_json({"check", "-"}, "[points.a]\nmass = 1\nposition = [2, 3]\nvelocity = [1, -2]\n[constraints]\nc = \"" +
                                      condition + "\"\n");
    const Json& c = answer.json.at("constraints").at("c");
    return std::pair(c.at("value").get<double>(), c.at("rate").get<double>());
  };
  EXPECT_EQ(told("max(a.x, a.y) <= 5"), std::pair(-2.0, -2.0));
  EXPECT_EQ(told("max(a.x, a.y) <= 1"), std::pair(2.0, -2.0));
  EXPECT_EQ(told("min(a.x, a.y) <= 5"), std::pair(-3.0, 1.0));
  EXPECT_EQ(told("min(a.x, a.y) <= 2.5"), std::pair(-0.5, 1.0));
  EXPECT_EQ(told("min(a.x, a.y) >= 1"), std::pair(-1.0, -1.0));
  EXPECT_EQ(told("a.x <= 1 or a.y >= 2"), std::pair(-1.0, 2.0));
  // Where both are equal: the right-hand derivative.
  EXPECT_EQ(told("max(a.x, a.y - 1) <= 5"), std::pair(-3.0, 1.0));
  EXPECT_EQ(told("min(a.x, a.y - 1) <= 5"), std::pair(-3.0, -2.0));
}

TEST(Motions, events_of_large_models_show_the_bodies_whose_velocity_changed) {
  const auto events = [](int count) {
    const TemporaryFile place("");
    const std::string folder = place.name() + "-folder";
    const auto answer =
        call_json({"run", "-", "--no-report", "--out", folder},
                  "[points.bead]\ncount = " + std::to_string(count) +
                      "\nmass = 1\nposition = [\"-i\", 0, \"2*i\"]\nvelocity = [1, 0, 0]\n[constraints]\n"
                      "wall = { for = \"i = 1..2\", condition = \"bead[i].x <= 0\" }\n"
                      "bar = \"distance(bead[2], bead[3]) = sqrt(5)\"\n[simulation]\nuntil = 2.5\n");
    std::filesystem::remove_all(folder);
    EXPECT_EQ(answer.exit, 0);
    return answer.json.at("events");
  };
  const Json few = events(33);
  ASSERT_EQ(few.size(), 2U);
  EXPECT_EQ(few[0].at("positions").size(), 33U);
  const Json many = events(40);
  ASSERT_EQ(many.size(), 2U);
  EXPECT_EQ(many[0].at("velocities"), Json({{"bead[1]", {0.0, 0.0, 0.0}}}));
  EXPECT_EQ(many[0].at("positions").size(), 1U);
  ASSERT_EQ(many[1].at("velocities").size(), 2U);
  EXPECT_TRUE(many[1].at("velocities").contains("bead[2]"));
  EXPECT_TRUE(many[1].at("velocities").contains("bead[3]"));
}

TEST(Motions, derivatives_have_both_sides_as_far_as_they_exist) {
  const auto differentiated = [](const std::string& model, const std::string& name) {
    const TemporaryFile place("");
    const std::string folder = place.name() + "-folder";
    const auto answer = call_json({"run", "-", "--no-report", "--out", folder, "--sensitivity", name}, model);
    std::filesystem::remove_all(folder);
    EXPECT_EQ(answer.exit, 0);
    const Json found = answer.json.at("sensitivity").at(name);
    EXPECT_EQ(found.at("differentiable"), false);
    return found;
  };
  const auto second = [](const Json& side, const char* what) { return side.at(what).at("a").at(1).get<double>(); };
  const auto first = [](const Json& side, const char* what) { return side.at(what).at("a").at(0).get<double>(); };

  // A floor that touches without a force: pressed it holds, lifted y = F t^2/2.
  const Json lifted = differentiated(
      "[parameters]\nF = 0\n[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [1, 0]\nforce = [0, \"F\"]\n"
      "[constraints]\nc = \"a.y >= 0\"\n[simulation]\nuntil = 2\n",
      "F");
  EXPECT_NEAR(second(lifted.at("before"), "positions"), 0, 1e-9);
  EXPECT_NEAR(second(lifted.at("after"), "positions"), 2, 1e-9);
  EXPECT_NEAR(second(lifted.at("after"), "velocities"), 2, 1e-9);

  // Friction that just holds: it slips by (F - 1) t^2/2.
  const Json slips = differentiated(
      "[parameters]\nF = 1\n[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"F - sign(a.x')\", 0]\n"
      "[simulation]\nuntil = 2\n",
      "F");
  EXPECT_NEAR(first(slips.at("before"), "positions"), 0, 1e-9);
  EXPECT_NEAR(first(slips.at("after"), "positions"), 2, 1e-9);

  // An impact at the very end: from below it lies before the end; from above the velocity told here is not led to.
  const Json struck = differentiated(
      "[parameters]\nh = 1\n[points.a]\nmass = 1\nposition = [0, \"h\"]\nvelocity = [1, -1]\n[constraints]\n"
      "c = { condition = \"a.y >= 0\", restitution = 0.5 }\n[simulation]\nuntil = 1\n",
      "h");
  EXPECT_NEAR(second(struck.at("before"), "positions"), -0.5, 1e-9);
  EXPECT_NEAR(second(struck.at("before"), "velocities"), 0, 1e-9);
  EXPECT_FALSE(struck.contains("after"));

  // A graze: struck on one side, with a speed like a root, which has no derivative.
  const Json grazed = differentiated(
      "[parameters]\nv = -2\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [1, \"v\"]\nforce = [0, 2]\n"
      "[constraints]\nc = \"a.y >= 0\"\n[simulation]\nuntil = 2\n",
      "v");
  EXPECT_NEAR(second(grazed.at("after"), "positions"), 2, 1e-9);
  EXPECT_FALSE(grazed.contains("before"));
}

}  // namespace zwang::command::answers_tests
