/// Random damage to valid models: the reader answers with a model or an Error, and nothing else.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "damage.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"

namespace fuzz_tests {
namespace {

const std::array<std::string, 5> seeds = {
    R"toml(title = "Two points"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
L = 1.0
p = [0, 0, 2]
[points.a]
mass = 1.0
position = [0.5, 0, 0]
velocity = [1, 0, 0]
force = ["-2*a.x", 0, "sin(t)"]
[points.b]
mass = 2.0
position = ["-L", 0, 0]
[constraints]
string = "distance(a, b) <= 2*L"
wall = { condition = "a.x <= 1", restitution = 0.5 }
[view]
up = [0, 0, 1]
[view.points.mid]
position = "(a + b)/2"
size = 0.1
[view.points.row]
count = 3
position = ["mid.x + i", "sin(t)", 0]
[view.lines]
bar = { through = ["a", "mid", "origin", [0, 0, 1]], closed = true }
ribs = { for = "i = 1..2", through = ["row[i]", "row[i+1]"] }
)toml",
    R"toml([coordinates.w]
initial = 0.5
velocity = 1
force = "-w"
[coordinates.u]
initial = "sqrt(2)/2"
[energy]
kinetic = "w'^2*(1 + u^2)/2 + u'^2 + cos(w)*w'*u'/2"
potential = "9*cos(w) - log(u)"
[constraints]
skate = { condition = "w'*sin(u) = u'*cos(u)", law = "variational", multiplier = 0.25 }
[outputs]
h = "u - w'^2"
[simulation]
until = "2*pi"
stop = "u <= -5"
)toml",
    R"toml([parameters]
n = 5
[points.k]
count = ["n", 3]
mass = "1 + mod(i, 2)"
position = ["i", "j + i/3"]
force = ["-k[i,j].x'", "floor(i/2)"]
[energy]
potential = "3/2*sum(i = 1..n-1, sum(j = 1..3, distance(k[i,j], k[i+1,j])^2))"
[constraints]
row = { for = "i = 1..n-1, j = 1..3", condition = "distance(k[i,j], k[i+1,j]) <= 2" }
pair = { for = "i = 1..n, j = i+1..n", condition = "k[i,1].x <= k[j,2].x" }
)toml",
    R"toml([points.a]
mass = 1
position = [1, 2, 3]
[[impulses]]
at = 0.0
on = "a"
value = [0, 0, 3.5]
[[seizures]]
name = "hook"
at = 1.5
condition = """a' = \
   [0, 0, 0]"""
[constraints]
roll = "cross(a', [0, 0, 1]) = [0, 0, 0]"
)toml",
    R"toml([coordinates.x]
count = 3
initial = "i/3"
[coordinates.y]
initial = 0.5
[flow]
x = "x[mod(i, 3) + 1]*y - sin(t)"
y = "-x[2]/2"
[free]
functions = ["x[1]", "x[2]*y + t"]
[constraints]
f = "sum(k = 1..3, x[k]^2) + y = 37/18"
g = "y' + x[1]*x[3]' = 0"
[outputs]
r = "y'"
)toml"};

TEST(Damage, begins_with_sound_models) {
  for (const std::string& text : seeds)
    EXPECT_NO_THROW(static_cast<void>(zwang::model::load(text, "model.toml"))) << text;
}

TEST(Damage, leaves_a_model_or_an_error_with_a_place) {
  std::mt19937_64 random(1899);
  std::size_t accepted = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::string text = damaged::damage(seeds[static_cast<std::size_t>(turn) % seeds.size()], random, true);
    try {
      const zwang::model::Model model = zwang::model::load(text, "model.toml");
      zwang::model::Scratch scratch = zwang::model::make_scratch(model);
      zwang::model::Rows rows = zwang::model::make_rows(model);
      zwang::model::evaluate_rows(model, zwang::model::initial_state(model), scratch, rows);
      ++accepted;
    } catch (const zwang::Error& error) {
      ASSERT_FALSE(error.message().empty()) << text;
      ASSERT_GE(error.place().line, 1U) << text;
      ASSERT_GE(error.place().column, 1U) << text;
    }
  }

  // Harmless damage (in a title, a number, a blank) must be among it, else the seeds are broken.
  EXPECT_GT(accepted, 500U);
}

}  // namespace
}  // namespace fuzz_tests
