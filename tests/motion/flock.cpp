/// Motions side by side have the bits that each has alone.
#include "zwang/motion/flock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
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

TEST(Flock, gives_the_bits_of_its_own_run_to_everything_in_the_gallery) {
  constexpr int motions = 5;
  constexpr int pieces = 8;
  constexpr std::uint32_t most_variables = 40;
  int followed = 0;
  for (const auto& folder : places::gallery()) {
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
  EXPECT_GT(followed, 60);
}

}  // namespace zwang::motion::flock_tests
