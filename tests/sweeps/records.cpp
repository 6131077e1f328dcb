/// Records: what is in a line of the table is what a run of its own says.
#include "zwang/sweeps/records.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/stepping/stepping.hpp"
#include "zwang/sweeps/sample.hpp"

namespace zwang::sweeps::records_tests {
namespace {

const std::string ball = R"toml(title = "A ball"
gravity = [0, "-g"]
[parameters]
g = 10
h = 1
speed = 2
e = 0.5
place = [0, 0]
[points.ball]
mass = 1
position = [0, "h"]
velocity = ["speed", 0]
[constraints]
floor = { condition = "ball.y >= 0", restitution = "e" }
[outputs]
height = "ball.y"
where = "ball"
[simulation]
until = 2
)toml";

Row one(const std::string& text, const std::vector<std::string>& over, const std::vector<std::string>& records,
        std::uint64_t k = 0) {
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = text;
  for (const std::string& spec : over) recipe.over.push_back({spec});
  recipe.records = records;
  const Sweep sweep(recipe);
  Row row;
  EXPECT_TRUE(sweep.follow(k, row));
  return row;
}

// A ball that does not bounce, in steps: it falls, and lies on the floor from sqrt(2 h / g) on.
TEST(Records, of_a_model_in_steps_are_those_of_its_own_run) {
  const std::string stepped = ball + "method = \"stepping\"\nstep = 1e-3\n";
  for (const std::uint64_t k : {0U, 1U}) {
    const Row row = one(stepped, {"h=0.2,0.45", "e=0"}, {"ball.y", "ball.x", "max(ball.y)", "at(1.5, ball.x)"}, k);
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.time, 2);
    EXPECT_EQ(row.steps, 2000U);
    EXPECT_EQ(row.events, 0U);
    EXPECT_TRUE(std::isnan(row.defect)) << "steps have a penetration instead";
    const double height = k == 0 ? 0.2 : 0.45;
    EXPECT_NEAR(row.records[0], 0, 1e-2);  // a step at the speed of the fall
    EXPECT_NEAR(row.records[1], 4, 1e-11);
    EXPECT_EQ(row.records[2], height);
    EXPECT_NEAR(row.records[3], 3, 1e-11);
    // The same bits as its own run.
    model::Overrides overrides;
    overrides.parameters = {{"h", zwang::exact(height)}, {"e", "0"}};
    const model::Model model = model::compile(model::read(stepped, "model.toml"), overrides);
    stepping::Stepping alone = stepping::begin(model);
    while (stepping::advance(alone)) {
    }
    EXPECT_EQ(row.records[0], alone.motion.state.position[1]);
    EXPECT_EQ(row.records[1], alone.motion.state.position[0]);
  }
  try {
    static_cast<void>(one(stepped, {"h=0.2"}, {"count(impact)"}));
    ADD_FAILURE() << "steps have no events";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("steps have no list of events"), std::string::npos) << error.message();
  }
}

TEST(Records, of_a_bouncing_ball_are_those_of_the_closed_form) {
  const Row row =
      one(ball, {"h=0.2"},
          {"ball.x", "at(0.1, height)", "max(ball.y)", "min(ball.y')", "time(impact, 1)", "time(impact floor, 2)",
           "count(impact)", "time(impact, 1000)", "time(accumulation, 1)", "count(release)", "where.x + height",
           "at(5, ball.x)", "at(-1, ball.x)", "at(2, ball.x)", "at(h, ball.x)"});
  EXPECT_EQ(row.status, "finished");
  EXPECT_EQ(row.time, 2);
  const double fall = std::sqrt(2 * 0.2 / 10);  // 0.2
  const std::vector<double>& r = row.records;
  EXPECT_NEAR(r[0], 4, 1e-14);
  EXPECT_NEAR(r[1], 0.2 - 5 * 0.01, 1e-15);
  EXPECT_EQ(r[2], 0.2);
  EXPECT_NEAR(r[3], -10 * fall, 1e-14);
  EXPECT_NEAR(r[4], fall, 1e-14);
  EXPECT_NEAR(r[5], 2 * fall, 1e-14);  // up and down again at half the speed takes as long as the fall
  EXPECT_GT(r[6], 10);
  EXPECT_TRUE(std::isnan(r[7]));
  EXPECT_NEAR(r[8], 3 * fall, 1e-12);
  EXPECT_EQ(r[9], 0);
  EXPECT_NEAR(r[10], 4, 1e-12);
  EXPECT_TRUE(std::isnan(r[11]));
  EXPECT_TRUE(std::isnan(r[12]));
  EXPECT_EQ(r[13], r[0]);
  EXPECT_NEAR(r[14], 0.4, 1e-15);
}

TEST(Records, of_a_contact_are_those_of_all_its_points) {
  const std::string box = R"toml(gravity = [0, -10]
[parameters]
h = 1
[bodies.box]
mass = 1
inertia = 1
position = [0, "0.5 + h"]
shape = { box = [1, 1] }
[contacts]
floor = { body = "box", plane = { normal = [0, 1], offset = 0 } }
[simulation]
until = 1
)toml";
  const Row row = one(box, {"h=0.2"}, {"time(impact floor, 1)", "count(impact floor)", "count(impact)"});
  EXPECT_NEAR(row.records[0], 0.2, 1e-14);
  EXPECT_EQ(row.records[1], 1);
  EXPECT_EQ(row.records[2], 1);
}

TEST(Records, extremes_with_corners_are_those_of_the_function_as_it_is) {
  const Row row = one(ball, {"h=0.2"},
                      {"max(abs(ball.y - 0.1))", "min(abs(ball.y - 0.03))", "max(if(ball.y <= 0.1, ball.x, 0))",
                       "max(min(ball.y, 0.02*t))", "max(sign(ball.y - 0.3))", "min(floor(10*ball.y + 0.5))"});
  EXPECT_NEAR(row.records[0], 0.1, 1e-15);
  EXPECT_NEAR(row.records[1], 0, 1e-13);
  EXPECT_NEAR(row.records[2], 4, 1e-13);
  // 0.02 t meets the third arc, 0.5 s - 5 s^2 from t = 0.4 on, on its way down; the fourth stays below.
  const double s = (0.48 + std::sqrt(0.48 * 0.48 - 20 * 0.008)) / 10;
  EXPECT_NEAR(row.records[3], 0.02 * (0.4 + s), 1e-13);
  EXPECT_EQ(row.records[4], -1);
  EXPECT_EQ(row.records[5], 0);
}

TEST(Records, extremes_of_roots_are_found_where_they_come_to_zero) {
  const std::string flight =
      "[parameters]\nw = 1\n[points.p]\nmass = 1\nposition = [-1, 0]\nvelocity = [\"w\", 0]\n[points.q]\nmass = "
      "1\nposition = [2, 0]\n"
      "velocity = [\"-w/3\", 0]\n[simulation]\nuntil = 3\n";
  for (const char* w : {"w=1", "w=1.37", "w=2"}) {
    const Row row = one(flight, {w}, {"min(distance(p, q))", "min(norm(p))", "max(exp(-norm(p)))", "min((p.x^2)^0.5)"});
    EXPECT_NEAR(row.records[0], 0, 1e-12) << w;
    EXPECT_NEAR(row.records[1], 0, 1e-12) << w;
    EXPECT_NEAR(row.records[2], 1, 1e-12) << w;
    EXPECT_NEAR(row.records[3], 0, 1e-12) << w;
  }
  // A smooth top behind a root that begins at zero, where 1 - x^2 is all rounding.
  const std::string ring =
      "[parameters]\nw = 1\n[points.p]\nmass = 1\nposition = [1, 0]\nvelocity = [0, \"w\"]\n[constraints]\nring = "
      "\"norm(p) = 1\"\n"
      "[simulation]\nuntil = 2\n";
  for (const char* w : {"w=1", "w=2"}) EXPECT_NEAR(one(ring, {w}, {"max(sqrt(1 - p.x^2))"}).records[0], 1, 1e-14) << w;
}

TEST(Records, an_extreme_is_no_sample_of_the_motion) {
  // x = sin t: the extremes lie inside of pieces, at pi/2 and 3 pi/2; exp(3 x) and 1/(1.01 + x) have series that are long or die out late.
  const std::string oscillator = R"toml([parameters]
k = 1
[coordinates.x]
initial = 0
velocity = 1
force = "-k*x"
[energy]
kinetic = "x'^2/2"
[simulation]
until = 7
)toml";
  const Row row = one(
      oscillator, {"k=1"},
      {"max(x)", "min(x)", "max(exp(3*x))", "max(1/(1.01 + x))", "max(x*x')", "max(sin(20*x))", "min(t)", "max(t)"});
  // The motion itself is known to about 1e-13 after a period.
  EXPECT_NEAR(row.records[0], 1, 1e-13);
  EXPECT_NEAR(row.records[1], -1, 1e-13);
  EXPECT_NEAR(row.records[2], std::exp(3.0), 1e-11);
  EXPECT_NEAR(row.records[3], 100, 1e-8);  // the condition of 1/(1.01 + x) at -1 is 100
  EXPECT_NEAR(row.records[4], 0.5, 1e-13);
  EXPECT_NEAR(row.records[5], 1, 1e-13);
  EXPECT_EQ(row.records[6], 0);
  EXPECT_EQ(row.records[7], 7);
}

TEST(Records, an_extreme_is_not_too_narrow_to_be_found) {
  // Far from it a bell is smaller than any number, and beside a constant long before that.
  const std::string flight =
      "[parameters]\nv = 1\n[points.a]\nmass = 1\nposition = [0, 0]\nvelocity = [\"v\", 0]\n[simulation]\nuntil = 10\n";
  for (const char* width : {"1", "0.3", "0.2", "0.01", "1e-4"}) {
    const std::string u = std::string("((a.x - 5.3)/") + width + ")";
    const std::string later = std::string("((t - 5.3)/") + width + ")";
    const std::vector<std::string> records = {"max(exp(-" + u + "^2))",      "max(1 + exp(-" + u + "^2))",
                                              "min(-exp(-" + later + "^2))", "max(1 - tanh(" + u + ")^2)",
                                              "max(1/(1 + " + u + "^2))",    "min(tanh(" + u + ")^2)"};
    const Row row = one(flight, {"v=1"}, records);
    EXPECT_NEAR(row.records[0], 1, 1e-13) << width;
    EXPECT_NEAR(row.records[1], 2, 1e-13) << width;
    EXPECT_NEAR(row.records[2], -1, 1e-13) << width;
    EXPECT_NEAR(row.records[3], 1, 1e-13) << width;
    EXPECT_NEAR(row.records[4], 1, 1e-13) << width;
    EXPECT_NEAR(row.records[5], 0, 1e-13) << width;
  }
}

TEST(Records, extremes_are_those_that_a_search_over_the_whole_motion_finds) {
  // The second route: twenty thousand states, and thirds of the interval around the best of them.
  const std::string pendulum = R"toml([parameters]
l = 1
[coordinates.q]
initial = 1.2
[coordinates.p]
initial = 0.3
velocity = 2
[energy]
kinetic = "l^2*q'^2 + p'^2/2 + l*q'*p'*cos(q - p)"
potential = "-20*l*cos(q) - 10*cos(p)"
[simulation]
until = 6
)toml";
  const std::vector<std::string> functions = {"q",
                                              "p'",
                                              "sin(q)*cos(3*p)",
                                              "q'^2 - p",
                                              "exp(q)/(2 + cos(p))",
                                              "abs(q - p) - q",
                                              "max(q, p, q*p)",
                                              "clip(q', -1, 1)*p",
                                              "sqrt(1 + q^2)",
                                              "if(q >= p, q, -p)",
                                              "atan2(sin(q + p), cos(q + p))"};
  std::vector<std::string> records;
  for (const std::string& f : functions) {
    records.push_back("max(" + f + " + 0)");
    records.push_back("min(" + f + " + 0)");
  }
  for (const char* spec : {"l=0.7", "l=1.3"}) {
    const Row row = one(pendulum, {spec}, records);
    ASSERT_EQ(row.status, "finished");
    std::string text = pendulum + "[outputs]\n";
    for (std::size_t k = 0; k < functions.size(); ++k)
      text += "f" + std::to_string(k) + " = \"" + functions[k] + "\"\n";
    const model::Model model = model::load(text, "model.toml", {.parameters = {{"l", std::string(spec).substr(2)}}});
    motion::Motion motion = motion::begin(model);
    motion::Track track;
    motion::follow(model, motion, track);
    const motion::RunView run = motion::view(model, track);
    motion::Sample sample;
    constexpr int count = 20000;
    std::vector<std::vector<double>> values;
    for (int i = 0; i <= count; ++i) {
      ASSERT_TRUE(motion::state_at(model, run, 6.0 * i / count, sample));
      values.push_back(sample.outputs);
    }
    for (std::size_t k = 0; k < functions.size(); ++k) {
      for (const double sign : {1.0, -1.0}) {
        const auto at = [&](double time) {
          EXPECT_TRUE(motion::state_at(model, run, std::clamp(time, 0.0, 6.0), sample));
          return sign * sample.outputs[k];
        };
        int best = 0;
        for (int i = 0; i <= count; ++i) {
          if (sign * values[static_cast<std::size_t>(i)][k] > sign * values[static_cast<std::size_t>(best)][k])
            best = i;
        }
        double low = 6.0 * (best - 1) / count;
        double high = 6.0 * (best + 1) / count;
        double found = sign * values[static_cast<std::size_t>(best)][k];
        for (int turn = 0; turn < 80; ++turn) {
          const double a = low + (high - low) / 3;
          const double b = high - (high - low) / 3;
          const double fa = at(a);
          const double fb = at(b);
          found = std::max({found, fa, fb});
          (fa < fb ? low : high) = fa < fb ? a : b;
        }
        const double recorded = sign * row.records[2 * k + (sign > 0 ? 0 : 1)];
        // Never below what was found; above it by no more than a jump or kink leaves of a stretch of 2^-44, or rounding.
        EXPECT_GE(recorded, found - 1e-14 * (1 + std::abs(found))) << functions[k] << " " << sign;
        EXPECT_LE(recorded, found + 1e-11 * (1 + std::abs(found))) << functions[k] << " " << sign;
      }
    }
  }
}

TEST(Records, every_sample_has_the_bits_of_its_own_run) {
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = ball;
  recipe.over = {{"h~uniform(0.1,1)"}, {"e~sobol(0.1,0.9)"}, {"speed~normal(0,1)"}};
  recipe.count = 20;
  recipe.seed = 3;
  recipe.records = {"ball.x", "ball.y", "ball.x'", "ball.y'", "at(0.7, ball.y)", "count(impact)", "time(impact, 2)"};
  const Sweep sweep(recipe);
  for (std::uint64_t k = 0; k < 20; ++k) {
    Row row;
    ASSERT_TRUE(sweep.follow(k, row));
    model::Overrides set;
    const std::vector<std::string> names = sweep.design().names();
    for (std::size_t i = 0; i < names.size(); ++i) set.parameters.emplace_back(names[i], exact(row.parameters[i]));
    const model::Model model = model::load(ball, "model.toml", set);
    motion::Motion motion = motion::begin(model);
    motion::Track track;
    motion::follow(model, motion, track);
    const model::State& end = track.account.present.state;
    EXPECT_EQ(row.status, motion::words(track.account.status));
    EXPECT_EQ(row.steps, track.account.steps);
    EXPECT_EQ(row.events, track.events.size());
    EXPECT_EQ(row.defect, track.account.defect);
    EXPECT_EQ(row.records[0], end.position[0]);
    EXPECT_EQ(row.records[1], end.position[1]);
    EXPECT_EQ(row.records[2], end.velocity[0]);
    EXPECT_EQ(row.records[3], end.velocity[1]);
    motion::Sample sample;
    ASSERT_TRUE(motion::state_at(model, motion::view(model, track), 0.7, sample));
    EXPECT_EQ(row.records[4], sample.state.position[1]);
    std::vector<double> impacts;
    for (const motion::Event& event : track.events) {
      if (event.kind == motion::EventKind::impact) impacts.push_back(event.time);
    }
    EXPECT_EQ(row.records[5], static_cast<double>(impacts.size()));
    ASSERT_GT(impacts.size(), 1U);
    EXPECT_EQ(row.records[6], impacts[1]);
  }
}

/// Beads on rods and strings, whose lengths are parameters, above a floor and perhaps in a field.
std::string beads(std::mt19937_64& dice) {
  std::string text = "gravity = [0, -10]\n[parameters]\nL = 1\nM = 0.8\nh = 2\n";
  std::string conditions = "[constraints]\n";
  const std::size_t count = 1 + dice() % 3;
  const bool field = dice() % 3 == 0;
  for (std::size_t k = 1; k <= count; ++k) {
    const std::string name = "p" + std::to_string(k);
    const std::string length = dice() % 3 == 0 ? "0.9" : dice() % 2 == 0 ? "L" : "M";
    const std::string slack = dice() % 2 == 0 ? "" : "*0.9";
    const std::string before = k == 1 ? "0" : "p" + std::to_string(k - 1) + "x";
    text += name + "x = \"" + before + " + " + length + slack + "\"\n";
    conditions += "r" + std::to_string(k) + " = \"distance(" + name + ", " +
                  (k == 1 ? std::string("[0, 0]") : "p" + std::to_string(k - 1)) + ") " +
                  (slack.empty() && dice() % 2 == 0 ? "= " : "<= ") + length + "\"\n";
    if (dice() % 2 == 0) conditions += "f" + std::to_string(k) + " = \"-h <= " + name + ".y + 0.5\"\n";
    if (dice() % 2 == 0) conditions += "w" + std::to_string(k) + " = \"" + name + ".x <= h\"\n";
  }
  for (std::size_t k = 1; k <= count; ++k) {
    const std::string name = "p" + std::to_string(k);
    text += "[points." + name + "]\nmass = 1\nposition = [\"" + name + "x\", 0]\n";
    if (field) text += "force = [\"-2*" + name + ".x\", 0]\n";
  }
  return text + conditions + "[simulation]\nuntil = 0.8\n";
}

TEST(Records, samples_of_strings_and_rods_have_the_bits_of_their_own_runs) {
  std::mt19937_64 dice(11);
  for (int turn = 0; turn < 25; ++turn) {
    Recipe recipe;
    recipe.file = "model.toml";
    recipe.text = beads(dice);
    recipe.over = {{"L~uniform(0.8,1.2)"}, {"M=0.9,0.75,0.5"}, {"h~uniform(1,3)"}};
    recipe.count = 2;
    recipe.seed = static_cast<std::uint64_t>(turn);
    recipe.records = {"p1.x", "p1.y'"};
    const Sweep sweep(recipe);
    std::uint64_t next = 0;
    static_cast<void>(sweep.follow(0, sweep.design().total, [&](const Row& row) {
      model::Overrides set;
      const std::vector<std::string> names = sweep.design().names();
      for (std::size_t i = 0; i < names.size(); ++i) set.parameters.emplace_back(names[i], exact(row.parameters[i]));
      const model::Model model = model::load(recipe.text, "model.toml", set);
      motion::Motion motion = motion::begin(model);
      while (motion::advance(motion)) {
      }
      SCOPED_TRACE(recipe.text);
      EXPECT_EQ(row.sample, next++);
      EXPECT_EQ(row.status, motion::words(motion.status));
      EXPECT_EQ(row.steps, motion.steps);
      EXPECT_EQ(row.defect, motion.defect);
      EXPECT_EQ(row.records[0], motion.state.position[0]);
      EXPECT_EQ(row.records[1], motion.state.velocity[1]);
    }));
    EXPECT_EQ(next, sweep.design().total);
  }
}

TEST(Records, what_cannot_be_recorded_is_an_error_with_its_place) {
  const std::pair<const char*, unsigned> wrong[] = {{"", 1},
                                                    {"ball", 1},
                                                    {"bal.x", 1},
                                                    {"at(1)", 1},
                                                    {"at(1, bal.x)", 7},
                                                    {"at(ball.x, ball.x)", 4},
                                                    {"max(ball.x +)", 12},
                                                    {"max()", 5},
                                                    {"max(ball.x) - min(ball.x)", 1},
                                                    {"2*min(ball.x)", 3},
                                                    {"exp(max( ball.x ))", 5},
                                                    {"time(impact)", 1},
                                                    {"time(impact, 0)", 14},
                                                    {"time(impact, x)", 14},
                                                    {"time(impct, 1)", 6},
                                                    {"time(impact flor, 1)", 13},
                                                    {"count(knock)", 7},
                                                    {"count(impact, 2)", 1},
                                                    {"ball.x)", 7}};
  for (const auto& [text, column] : wrong) {
    try {
      static_cast<void>(one(ball, {"h=1"}, {text}));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.place().file, "--record") << text;
      EXPECT_EQ(error.place().column, column) << text << ": " << error.message();
      EXPECT_EQ(error.excerpt(), text);
    }
  }
}

TEST(Records, names_of_parameters_are_looked_at) {
  for (const char* spec : {"hh=1", "ball=1", "place=1"}) {
    EXPECT_THROW(static_cast<void>(one(ball, {spec}, {})), Error) << spec;
  }
  try {
    static_cast<void>(one(ball, {"sped=1"}, {}));
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("did you mean `speed`"), std::string::npos) << error.message();
  }
}

TEST(Records, a_failure_is_a_line_with_its_reason) {
  const Row bad = one(ball, {"e=0.5,2"}, {"ball.x", "count(impact)"}, 1);
  EXPECT_EQ(bad.status, no_model);
  EXPECT_FALSE(bad.why.empty());
  EXPECT_TRUE(std::isnan(bad.time));
  EXPECT_TRUE(std::isnan(bad.records[0]));
  const Row below = one(ball, {"h=-1"}, {"count(impact)"});
  EXPECT_NE(below.status, "finished");
  EXPECT_FALSE(below.why.empty());
  const Row stopped = one(ball + "stop = \"ball.x >= 1\"\n", {"h=1"}, {"ball.x"});
  EXPECT_EQ(stopped.status, "stopped");
  EXPECT_TRUE(stopped.why.empty());
  EXPECT_NEAR(stopped.records[0], 1, 1e-12);
}

TEST(Records, columns_have_different_names_for_sqlite) {
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = "[parameters]\nTime = 1\nl = 1\nL = 2\n[coordinates.x]\ninitial = 0\n[energy]\nkinetic = \"x'^2/2\"\n";
  recipe.over = {{"Time=1,2"}, {"l=1"}, {"L=1"}};
  recipe.records = {"x", "x", "X_2 + 0*x"};
  EXPECT_THROW(Sweep{recipe}, Error);
  recipe.records = {"x", "x"};
  const Sweep sweep(recipe);
  EXPECT_EQ(sweep.columns(), (std::vector<std::string>{"sample", "Time_2", "l", "L_2", "status", "time", "steps",
                                                       "events", "defect", "x", "x_2"}));
}

TEST(MonteCarlo, where_a_ball_first_bounces_follows_its_law) {
  // Dropped from h uniform in (a, b) with speed u sideways: x = u sqrt(2 h / g), mean u sqrt(2/g) (2/3) (b^1.5 - a^1.5) / (b - a).
  Recipe recipe;
  recipe.file = "model.toml";
  recipe.text = ball;
  recipe.overrides.until = "0.7";
  constexpr std::uint64_t count = 2000;
  recipe.count = count;
  const double a = 0.2;
  const double b = 2;
  const double mean = 2 * std::sqrt(2.0 / 10) * 2 / 3 * (std::pow(b, 1.5) - std::pow(a, 1.5)) / (b - a);
  const double square = 4 * 2.0 / 10 * (a + b) / 2;
  const double deviation = std::sqrt(square - mean * mean);
  for (const char* law : {"h~uniform(0.2,2)", "h~sobol(0.2,2)"}) {
    recipe.over = {{law}};
    recipe.records = {"2*t", "time(impact, 1)"};
    const Sweep sweep(recipe);
    double sum = 0;
    Row row;
    for (std::uint64_t k = 0; k < count; ++k) {
      ASSERT_TRUE(sweep.follow(k, row));
      sum += 2 * row.records[1];
    }
    // Four deviations of the mean; of the net a hundredth of that.
    const double allowed = 4 * deviation / std::sqrt(static_cast<double>(count));
    EXPECT_NEAR(sum / count, mean, law[2] == 's' ? allowed / 100 : allowed) << law;
  }
}

}  // namespace
}  // namespace zwang::sweeps::records_tests
