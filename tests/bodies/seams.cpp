/// Corners that pass corners while something else holds: seams, tips of wedges, grounds of several polygons. One motion goes on, without a shock
/// where nothing strikes; what may truly go either way still stops.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"

namespace zwang::testing::seams_tests {

namespace {

constexpr double seam_exactness = 1e-10;
using Place = std::array<double, 2>;

std::vector<Place> placed(const std::vector<double>& body, const std::vector<Place>& own) {
  std::vector<Place> out;
  const double c = std::cos(body.at(2)), s = std::sin(body.at(2));
  for (const Place& p : own) out.push_back({body[0] + c * p[0] - s * p[1], body[1] + s * p[0] + c * p[1]});
  return out;
}
/// The largest gap along the normals of all sides.
double apart(const std::vector<Place>& p, const std::vector<Place>& q) {
  double best = -std::numeric_limits<double>::max();
  for (const auto& [one, other] : {std::pair(&p, &q), std::pair(&q, &p)}) {
    for (std::size_t k = 0; k < one->size(); ++k) {
      const Place& a = (*one)[k];
      const Place& b = (*one)[(k + 1) % one->size()];
      const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
      double least = std::numeric_limits<double>::max();
      for (const Place& x : *other)
        least = std::min(least, ((b[1] - a[1]) * (x[0] - a[0]) - (b[0] - a[0]) * (x[1] - a[1])) / length);
      best = std::max(best, least);
    }
  }
  return best;
}
double lost(const Json& answer) { return answer["energy"]["lost"].get<double>(); }

}  // namespace

TEST(Seams, a_box_slides_straight_on_over_the_seam_of_two_boxes) {
  const Json answer = run_answer(R"toml(gravity = [0, -10]
[bodies.table]
count = 2
mass = 5
shape = { box = [1, 1] }
position = ["i - 2", -0.5]
[bodies.b]
mass = 1
shape = { box = [0.4, 0.2] }
position = [-0.5, 0.1]
velocity = [0.5, 0]
[joints]
w = { for = "i = 1..2", weld = [["i - 2", -0.5], "table[i]"] }
[contacts]
c = { for = "i = 1..2", between = ["table[i]", "b"], restitution = 0.5 }
[simulation]
until = 0.7
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer["why"];
  expect_near(numbers(answer["final"]["positions"]["b"]), {-0.15, 0.1, 0}, seam_exactness);
  expect_near(numbers(answer["final"]["velocities"]["b"]), {0.5, 0, 0}, seam_exactness);
  EXPECT_EQ(lost(answer), 0);
  for (const Json& event : answer["events"]) EXPECT_NE(event["kind"], "impact");
}

TEST(Seams, a_block_leaves_the_tip_of_a_wedge_without_a_shock) {
  // Nothing pushes sideways from outside, and nothing strikes: momentum and energy stay, and the wedge stays on its floor.
  const std::vector<Place> wedge = {{-4.0 / 3, -2.0 / 3}, {8.0 / 3, -2.0 / 3}, {-4.0 / 3, 4.0 / 3}};
  const std::vector<Place> block = {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}};
  const std::string model = R"toml(gravity = [0, -10]
[bodies.w]
mass = 3.0
shape = { polygon = [[0, 0], [4, 0], [0, 2]] }
position = ["4/3", "2/3"]
[bodies.b]
mass = 1.0
shape = { box = [0.4, 0.2] }
position = [0.9391485505499116, 1.6422291236000337]
orientation = -0.4636476090008061
[contacts]
f = { body = "w", plane = { normal = [0, 1] } }
c = { between = ["w", "b"] }
[simulation]
until = 1.2
)toml";
  for (const char* touch : {"", "touch = 1e-9\n"}) {
    const std::vector<double> times = {0.5, 1.0819, 1.09, 1.12, 1.146, 1.147, 1.16, 1.2};
    const Json answer = run_answer(model + touch, times);
    ASSERT_EQ(answer["status"], "finished") << answer["why"];
    EXPECT_EQ(lost(answer), 0);
    EXPECT_NEAR(answer["energy"]["final"].get<double>(), answer["energy"]["initial"].get<double>(), 1e-10);
    for (const Json& sample : answer["samples"]) {
      const std::vector<double> w = numbers(sample["positions"]["w"]);
      const std::vector<double> b = numbers(sample["positions"]["b"]);
      EXPECT_NEAR(w[1], 2.0 / 3, seam_exactness);
      EXPECT_NEAR(3 * sample["velocities"]["w"][0].get<double>() + sample["velocities"]["b"][0].get<double>(), 0,
                  seam_exactness);
      EXPECT_GT(apart(placed(w, wedge), placed(b, block)), -1e-9);
    }
    // It has left: the wedge has nothing that pushes it.
    EXPECT_GT(apart(placed(numbers(answer["final"]["positions"]["w"]), wedge),
                    placed(numbers(answer["final"]["positions"]["b"]), block)),
              1e-3);
  }
}

TEST(Seams, a_box_slides_down_a_wedge_onto_the_floor) {
  const std::vector<Place> box = {{-0.285, -0.119}, {0.285, -0.119}, {0.285, 0.119}, {-0.285, 0.119}};
  const Json answer = run_answer(R"toml(gravity = [0, -10]
[bodies.s]
mass = 5
shape = { polygon = [[0, 0], [3.0, 0], [0, 1.469]] }
position = [1.0, 0.4896666666666667]
[bodies.b]
mass = 1
shape = { box = [0.57, 0.238] }
position = [0.7708199321606357, 1.2240558590537978]
orientation = -0.45534682228278733
[joints]
w = { weld = [[1.0, 0.4896666666666667], "s"] }
[contacts]
c = { between = ["s", "b"] }
f = { body = "b", plane = { normal = [0, 1] } }
[simulation]
until = 1.3
touch = 1e-9
)toml");
  ASSERT_EQ(answer["status"], "finished") << answer["why"];
  // It lies flat on the floor and slides on; what it lost is what it had of height and speed.
  const std::vector<double> at = numbers(answer["final"]["positions"]["b"]);
  const std::vector<double> v = numbers(answer["final"]["velocities"]["b"]);
  for (const Place& corner : placed(at, box)) EXPECT_GT(corner[1], -1e-9);
  EXPECT_NEAR(at[1], 0.119, 1e-9);
  EXPECT_NEAR(at[2], 0, 1e-9);
  EXPECT_NEAR(10 * 1.2240558590537978 - 10 * 0.119 - v[0] * v[0] / 2, lost(answer), 1e-7);
  EXPECT_GT(lost(answer), 0);
}

TEST(Seams, a_box_comes_to_the_valley_between_two_polygons_of_the_ground) {
  const std::vector<Place> left = {{1, -1}, {2, -1}, {2, 0.064}, {1, 0.193}};
  const std::vector<Place> right = {{2, -1}, {3, -1}, {3, 0.492}, {2, 0.064}};
  const std::vector<Place> box = {{-0.234, -0.1805}, {0.234, -0.1805}, {0.234, 0.1805}, {-0.234, 0.1805}};
  const Json answer = run_answer(R"toml(gravity = [0, -10]
[bodies.g1]
mass = 1
shape = { polygon = [[1, -1], [2, -1], [2, 0.064], [1, 0.193]] }
position = [1.4904740806380148, -0.4351355782011519]
[bodies.g2]
mass = 1
shape = { polygon = [[2, -1], [3, -1], [3, 0.492], [2, 0.064]] }
position = [2.5279081898800206, -0.3550276473656755]
[bodies.b]
mass = 1
shape = { box = [0.468, 0.361] }
position = [1.3, 0.4]
orientation = -0.1283
velocity = [0.812, 0]
[joints]
w1 = { weld = [[1.4904740806380148, -0.4351355782011519], "g1"] }
w2 = { weld = [[2.5279081898800206, -0.3550276473656755], "g2"] }
[contacts]
c1 = { between = ["g1", "b"] }
c2 = { between = ["g2", "b"] }
[simulation]
until = 1.2
)toml",
                                 {0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2});
  ASSERT_EQ(answer["status"], "finished") << answer["why"];
  EXPECT_GT(lost(answer), 0);
  double nearest = 1;
  for (const Json& sample : answer["samples"]) {
    const std::vector<Place> there = placed(numbers(sample["positions"]["b"]), box);
    nearest = std::min({nearest, apart(there, left), apart(there, right)});
  }
  EXPECT_GT(nearest, -1e-9);
  EXPECT_LT(nearest, 1e-9);
}

TEST(Seams, what_may_go_either_way_still_stops) {
  // A point falls on the corner of a table turned by an eighth: both sides strike alike.
  const Json answer = run_answer(R"toml(gravity = [0, -10]
[points.p]
mass = 1
position = [0, 1]
[constraints]
roof = "p.y >= p.x or p.y >= -p.x"
[simulation]
until = 1
)toml");
  EXPECT_EQ(answer["status"], "singular");
  EXPECT_EQ(answer["continuations"].size(), 2U);
  EXPECT_NE(answer["why"].get<std::string>().find("p.x' = "), std::string::npos);
}

}  // namespace zwang::testing::seams_tests
