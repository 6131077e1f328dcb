/// Linked bodies by their own series and by tapes: the same coefficients, and steps that keep what they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "zwang/model/evaluate.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/links_find.hpp"
#include "zwang/motion/series.hpp"

namespace zwang::motion::links_tests {

namespace {

constexpr unsigned order = 14;
/// Of the largest coefficient of an order: some hundreds of roundings, which recurrences of this length add up.
constexpr double same_coefficient = 1e-11;

/// Two bodies aslant, one on a nail, the other on the first by the joint given, and a free point on a ball joint at its end; all moments of inertia are in use.
std::string model_text(const std::string& nail, const std::string& link) {
  return R"toml(gravity = [0.5, -0.25, -10]
[bodies.a]
mass = 2
inertia = [[0.3, 0.05, -0.02], [0.05, 0.4, 0.03], [-0.02, 0.03, 0.6]]
position = [0, 0, 0]
orientation = { axis = [1, 2, -1], angle = 0.7 }
spin = [0.3, -1.1, 0.8]
[bodies.a.marks]
start = [-0.2, 0.1, 0.3]
end = [0.5, -0.3, 0.1]
[bodies.b]
mass = 1
inertia = [0.05, 0.2, 0.22]
position = [1, 0.2, -0.3]
orientation = { axis = [0, 1, 1], angle = -1.2 }
spin = [1.3, 0.4, -0.6]
[bodies.b.marks]
start = [-0.4, 0, 0]
end = [0.4, 0, 0]
[points.p]
mass = 0.5
position = [1.5, 0.5, -0.5]
[joints]
)toml" + nail +
         link + "tip = { ball = [\"b.end\", \"p\"] }\n";
}

struct Both {
  std::vector<double> linked, by_tapes, multipliers, multipliers_by_tapes;
  double proved = 0;
  bool used = false;
};

Both extend_both(const std::string& text) {
  const model::Model model = model::compile(model::read(text, "test.toml"));
  Both out;
  std::vector<HeldRow> held;
  for (std::uint32_t row = 0; row < model.rows(); ++row) held.push_back({row});
  const std::vector<Turner> turners = find_turners(model);
  out.used = find_links(model, turners, find_joints(model, turners), held).bodies.size() == 2;
  // The start is a rough one; linked first, so that quaternions get the length 1.
  model::State state = model::initial_state(model);
  for (const bool plain : {false, true}) {
    Series series(model, order);
    if (plain) series.make_plain();
    series.choose(held, {});
    std::vector<double> carry(model.variables, 0.0), carry_velocity(model.variables, 0.0);
    for (int round = 0; round < 20; ++round) static_cast<void>(series.project(state, carry, carry_velocity));
    EXPECT_TRUE(series.extend(state));
    (plain ? out.by_tapes : out.linked).assign(series.position().begin(), series.position().end());
    (plain ? out.multipliers_by_tapes : out.multipliers).assign(series.multiplier().begin(), series.multiplier().end());
    if (!plain) out.proved = series.prove(1, 1, 1e-10, 1e-10).length;
  }
  return out;
}

void expect_same(const std::vector<double>& one, const std::vector<double>& other, std::size_t count) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t first = 0; first < one.size(); first += count) {
    double most = 0, apart = 0;
    for (std::size_t i = first; i < first + count; ++i) {
      most = std::max(most, std::abs(other[i]));
      apart = std::max(apart, std::abs(one[i] - other[i]));
    }
    EXPECT_LE(apart, same_coefficient * most) << "order " << first / count;
  }
}

}  // namespace

TEST(Links, orders_are_those_of_the_tapes) {
  for (const char* nail : {"nail = { hinge = [[0.1, 0, 0.2], \"a.start\"], axis = [1, 2, 2] }\n",
                           "nail = { hinge = [\"a.start\", [0.1, 0, 0.2]], axis = [0, 2, 1] }\n",
                           "nail = { ball = [[0.1, 0, 0.2], \"a.start\"] }\n"}) {
    for (const char* link : {"link = { hinge = [\"a.end\", \"b.start\"], axis = [0.5, -1, 2] }\n",
                             "link = { ball = [\"b.start\", \"a.end\"] }\n"}) {
      const Both both = extend_both(model_text(nail, link));
      EXPECT_TRUE(both.used);
      expect_same(both.linked, both.by_tapes, 17);
      expect_same(both.multipliers, both.multipliers_by_tapes, both.multipliers.size() / (order - 1));
      EXPECT_GT(both.proved, 0.005);
    }
  }
}

TEST(Links, other_rows_and_forces_keep_a_body_out) {
  const std::string nail = "nail = { ball = [[0.1, 0, 0.2], \"a.start\"] }\n";
  const std::string link = "link = { ball = [\"b.start\", \"a.end\"] }\n";
  // A row of another kind on b: b is none, nor is the joint that holds it to a; a would still have its nail, but for the rows of that joint.
  EXPECT_FALSE(extend_both(model_text(nail, link) + "[constraints]\nwall = \"b.end.x - p.x = 0\"\n").used);
  const model::Model pushed = model::compile(model::read(
      model_text(nail, link) + "[springs]\ns = { between = [\"b.start\", [0, 0, 3]], stiffness = 2 }\n", "test.toml"));
  EXPECT_EQ(find_turners(pushed).size(), 1U);
}

}  // namespace zwang::motion::links_tests
