/// Motions side by side have the bits that each has alone.
#include "zwang/motion/flock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "flocks.hpp"
#include "places.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"
#include "zwang/model/watch.hpp"

namespace zwang::motion::flock_tests {

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Two pendulums on one another, in their angles.
const std::string angles = R"toml([parameters]
l = 1
[coordinates.q1]
initial = 1
velocity = 1
[coordinates.q2]
initial = 0
velocity = 2
[energy]
kinetic = "l^2*q1'^2 + q2'^2/2 + l*q1'*q2'*cos(q1 - q2)"
potential = "-20*l*cos(q1) - 10*cos(q2)"
[simulation]
until = 10
)toml";

model::Model with(const std::string& text, const std::string& name, double value) {
  model::Overrides set;
  set.parameters.emplace_back(name, exact(value));
  return model::compile(model::read(text, "model.toml"), set);
}

}  // namespace

TEST(Flock, pays_where_forces_vary_and_not_in_free_fall) {
  const model::Model pendulum = with(angles, "l", 1.25);
  EXPECT_TRUE(Flock::pays(begin(pendulum)));
  const model::Model ball = model::load(R"toml(gravity = [0, -10]
[points.ball]
mass = 1
position = [0, 1]
)toml",
                                        "model.toml");
  EXPECT_FALSE(Flock::pays(begin(ball)));
}

TEST(Flock, gives_every_double_pendulum_the_bits_of_its_own_run) {
  // More than go side by side at once, and some whose forces have another structure: l = 1 leaves no factor.
  std::deque<model::Model> models;
  for (int k = 0; k < 21; ++k) models.push_back(with(angles, "l", k % 4 == 3 ? 1.0 : 0.75 + 0.03 * k));
  side_by_side_as_alone(models, 400);
}

TEST(Flock, gives_bits_of_own_runs_whatever_the_forces_are) {
  // Springs of one shape in lanes of one motion, distances with roots, friction and a drive; a kinetic energy of places and a force that switches; short times.
  const std::string start = "[parameters]\nk = 1\n";
  const std::string end = "[simulation]\nuntil = 4\n";
  const std::vector<std::string> texts = {start + R"toml([points.a]
mass = "k"
position = [0, 0]
velocity = [0.5, 0]
force = ["-0.1*a.x'", "sin(3*t)"]
[points.b]
mass = 2
position = [1, 0.2]
[points.c]
mass = 3
position = [0.3, 1.5]
velocity = [0, -0.4]
[energy]
potential = "-k/norm(a - b) - 2/norm(b - c) - 3/norm(a - c) + (a.x^2 + b.x^2 + c.x^2)/2"
)toml" + end,
                                          start + R"toml([coordinates.q]
initial = 0.4
velocity = 1
force = "if(q > 0, -k, 0.5) - 0.2*q'"
[coordinates.r]
initial = 1
[energy]
kinetic = "(1 + k*cos(q)^2)*q'^2/2 + r'^2/2 + 0.3*q'*r'*sin(r)"
potential = "k*cosh(q) + exp(-r) + r^2"
)toml" + end,
                                          start + R"toml([coordinates.q]
initial = "1e-3*k"
velocity = 1e6
[coordinates.r]
initial = "2e-3*k"
[energy]
kinetic = "q'^2/2*(1 + (1e3*q)^2) + r'^2/2"
potential = "1e18*k*(q^2/2 + (q - r)^2/2)"
[simulation]
until = 1e-8
)toml"};
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    std::deque<model::Model> models;
    for (int k = 0; k < 19; ++k) models.push_back(with(text, "k", 1.3 + 0.02 * k));
    side_by_side_as_alone(models, 40);
  }
}

TEST(Flock, gives_bits_of_own_runs_to_energies_drawn_by_lot) {
  // Energies and forces put together from what bounds take in vectors and what they take one by one, walls that some meet and others do not.
  std::mt19937_64 draw(24);
  const auto one_of = [&](const std::vector<std::string>& list) { return list[draw() % list.size()]; };
  const auto number = [&] { return fmt::format("{}", 0.25 + static_cast<double>(draw() % 64) / 64); };
  const std::vector<std::string> angles_of = {"q", "r", "(q - r)", "(2*q + 0.5*r)", "(q*r)", "(k*q)"};
  const auto function = [&] {
    const std::string u = one_of(angles_of);
    return fmt::format(
        fmt::runtime(one_of({"sin({0})", "cos({0})", "sin({0})*cos({0})", "cosh(0.3*{0})", "sinh(0.2*{0})",
                             "1/(3 + cos({0}))", "sqrt(4 + sin({0}))", "exp(-0.2*{0}^2)", "tanh({0})", "atan({0})",
                             "{0}^2", "{0}^3", "log(5 + {0}^2)"})),
        u);
  };
  int walls = 0;
  for (int round = 0; round < 12; ++round) {
    std::string text = fmt::format(R"toml([parameters]
k = 1
[coordinates.q]
initial = "{}*k"
velocity = {}
force = "-{}*q'*({})"
[coordinates.r]
initial = 0.3
velocity = -{}
[energy]
kinetic = "q'^2*(1 + 0.1*({})^2) + k*r'^2*(2 + 0.2*cos({})) + 0.3*q'*r'*cos(q - r)"
potential = "{}*({}) + k*({}) + q^2 + r^2"
[simulation]
until = 3
)toml",
                                   number(), number(), number(), function(), number(), function(), one_of(angles_of),
                                   number(), function(), function());
    if (round % 3 == 2) {
      text += "[constraints]\nwall = { condition = \"q <= 0.9*k\", restitution = 0.5 }\n";
      ++walls;
    }
    SCOPED_TRACE(text);
    std::deque<model::Model> models;
    for (int i = 0; i < 19; ++i) models.push_back(with(text, "k", 0.9 + 0.013 * i));
    side_by_side_as_alone(models, 12);
  }
  EXPECT_EQ(walls, 4);
}

TEST(Flock, leaves_motions_whole_that_part_from_it) {
  // What is in lanes comes back when the flock ends, when others take its place, and is forgotten with a motion that ends first.
  std::deque<model::Model> models;
  for (int k = 0; k < 21; ++k) models.push_back(with(angles, "l", 0.75 + 0.03 * k));
  std::deque<Motion> together;
  std::deque<Motion> alone;
  for (const model::Model& model : models) {
    together.push_back(begin(model));
    alone.push_back(begin(model));
  }
  const auto look = [&](Flock& flock, std::size_t from, std::size_t to) {
    std::vector<Motion*> some;
    for (std::size_t i = from; i < to && i < together.size(); ++i) some.push_back(&together[i]);
    flock.look_ahead(some);
  };
  for (int piece = 0; piece < 12; ++piece) {
    Flock other;
    {
      Flock flock;
      look(flock, 0, 16);
      if (piece % 3 == 1) look(flock, 8, 21);
      if (piece % 3 == 2) look(other, 4, 12);
      if (piece == 7) together.pop_back();
    }
    for (std::size_t i = 0; i < together.size(); ++i) {
      ASSERT_TRUE(advance(together[i]));
      ASSERT_TRUE(advance(alone[i]));
      ASSERT_EQ(bits(together[i].state.position), bits(alone[i].state.position)) << i << " after " << piece;
      ASSERT_EQ(bits(together[i].state.velocity), bits(alone[i].state.velocity)) << i << " after " << piece;
      ASSERT_EQ(bits(together[i].piece.position), bits(alone[i].piece.position)) << i << " after " << piece;
    }
  }
}

TEST(Flock, gives_the_bits_of_its_own_run_to_everything_in_the_gallery) {
  constexpr int motions = 5;
  constexpr int pieces = 8;
  constexpr std::uint32_t most_variables = 40;
  int followed = 0;
  for (const auto& folder : places::gallery_sample(1)) {
    const std::filesystem::path file = folder.path() / "model.toml";
    if (!std::filesystem::exists(file)) continue;
    SCOPED_TRACE(file.string());
    const model::Draft draft = model::read(text_of(file), "model.toml");
    std::string varied;
    for (const model::WrittenParameter& one : model::written_parameters(draft)) {
      if (varied.empty() && !one.vector) varied = one.name;
    }
    std::deque<model::Model> models;
    for (int k = 0; k < motions; ++k) {
      // A parameter that is an expression of others, or must be whole, is left as it is.
      model::Overrides set;
      if (!varied.empty()) set.parameters.emplace_back(varied, fmt::format("{}", 1 + 0.01 * k));
      try {
        models.push_back(model::compile(draft, set));
      } catch (const Error&) {
        models.push_back(model::compile(draft, {}));
      }
      if (models.back().simulation.method != model::Method::events || models.back().variables > most_variables) break;
    }
    if (models.size() < motions) continue;
    side_by_side_as_alone(models, pieces);
    ++followed;
  }
  EXPECT_GT(followed, 12);
}

}  // namespace zwang::motion::flock_tests
