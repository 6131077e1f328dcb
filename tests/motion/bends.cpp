/// Bends of wires and grounds, and comparisons of `stop` and `when` that begin on their thresholds, against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::bends_tests {

namespace {

constexpr double close = 1e-12;  ///< a few hundred roundings of numbers of size 1 to 10

struct Followed {
  Status status = Status::going;
  std::string why;
  model::State state;
  std::vector<Event> events;
};

Followed follow(const std::string& text) {
  Followed out;
  const model::Model model = model::compile(model::read(text, "test.toml"));
  Motion motion = begin(model);
  out.events = motion.events;
  while (advance(motion)) out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  return out;
}

std::string bead(const std::string& start, const std::string& condition, const std::string& rest) {
  return "gravity = [0, -10]\n[points.b]\nmass = 1\n" + start + "[constraints]\nw = " + condition + "\n[simulation]\n" +
         rest;
}

std::string decimal(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

}  // namespace

TEST(Bends, what_begins_on_a_threshold_goes_where_its_series_leads) {
  // A pendulum let go from the horizontal: x' = x'' = 0 and x''' < 0. It is let go at the bottom with sqrt(2 g l).
  const Followed sling = follow(
      "gravity = [0, -10]\n[points.s]\nmass = 1\nposition = [1, 0]\n[constraints]\nsling = \"distance(s, [0, 0]) = "
      "1\"\n"
      "[[releases]]\nconstraint = \"sling\"\nwhen = \"s.x <= 0 and s.x' < 0\"\n[simulation]\nuntil = 1\n");
  ASSERT_EQ(sling.status, Status::finished) << sling.why;
  ASSERT_EQ(sling.events.size(), 1U);
  EXPECT_EQ(sling.events[0].kind, EventKind::let_go);
  EXPECT_NEAR(sling.events[0].velocity[0], -std::sqrt(20.0), close);
  EXPECT_NEAR(sling.events[0].position[1], -1, close);

  // x = t^3 / 6 is above zero at once.
  const std::string growing = "[points.s]\nmass = 1\nposition = [0, 0]\nforce = [\"t\", 0]\n[simulation]\nuntil = 2\n";
  const Followed far = follow(growing + "stop = \"s.x' > 0 and s.x >= 0.1\"\n");
  ASSERT_EQ(far.status, Status::stopped) << far.why;
  EXPECT_NEAR(far.state.time, std::cbrt(0.6), close);
  EXPECT_EQ(follow(growing + "stop = \"s.x' > 0\"\n").state.time, 0);
  EXPECT_EQ(follow(growing + "stop = \"s.x' < 0\"\n").status, Status::finished);

  // Lifted off by 20 t at t = 1/2, with nothing that leads up but the third derivative.
  const Followed lifted = follow(
      "gravity = [0, -10]\n[points.s]\nmass = 1\nposition = [0, 0]\nforce = [0, \"20*t\"]\n[constraints]\nf = \"s.y >= "
      "0\"\n"
      "[simulation]\nuntil = 2\nstop = \"s.y > 0 and s.y' > 0\"\n");
  ASSERT_EQ(lifted.status, Status::stopped) << lifted.why;
  EXPECT_NEAR(lifted.state.time, 0.5, close);

  // The step of a force is taken at once where the rest of the force leads up: x = t - sin(t) + t^2 / 2.
  const Followed stepped =
      follow("[points.s]\nmass = 1\nposition = [0, 0]\nforce = [\"sin(t) + step(s.x)\", 0]\n[simulation]\nuntil = 2\n");
  ASSERT_EQ(stepped.status, Status::finished) << stepped.why;
  EXPECT_NEAR(stepped.state.position[0], 4 - std::sin(2.0), 10 * close);
}

TEST(Bends, the_valley_at_the_wrap_of_mod_is_a_valley_like_any_other) {
  for (const char* e : {"0", "0.5"}) {
    for (const char* start : {"position = [0.3, 0.6]\n", "position = [-0.4, 0.5]\nvelocity = [0.3, 0]\n"}) {
      const auto ground = [&](const std::string& height) {
        return follow(
            bead(start, "{ condition = \"b.y >= " + height + "\", restitution = " + e + " }", "until = 1.4\n"));
      };
      const Followed roofs = ground("table(mod(b.x, 2), [0, 1, 2], [0, 0.2, 0])");
      const Followed folded = ground("0.2*abs(b.x)");
      ASSERT_EQ(roofs.status, Status::finished) << roofs.why;
      ASSERT_EQ(folded.status, Status::finished) << folded.why;
      ASSERT_LT(std::abs(folded.state.position[0]), 1);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(roofs.state.position[i], folded.state.position[i], 10 * close) << e << start;
        EXPECT_NEAR(roofs.state.velocity[i], folded.state.velocity[i], 10 * close) << e << start;
      }
    }
  }
}

TEST(Bends, a_bead_on_a_bent_wire_comes_to_rest_in_its_bend) {
  // Along either side it falls with g k / sqrt(1 + k^2); every pass of the bend leaves it the part c = (1 - k^2) / (1 + k^2) of its speed. All passes
  // are over after t0 (1 + 2 c / (1 - c)), t0 the time of the first fall.
  for (const double k : {0.3, 0.5, 0.7}) {
    const Followed f = follow(bead("position = [-0.7, \"0.7*" + decimal(k) + "\"]\n",
                                   "\"b.y = " + decimal(k) + "*abs(b.x)\"", "until = 20\n"));
    ASSERT_EQ(f.status, Status::finished) << k << f.why;
    const double fall = std::sqrt(2 * 0.7 * (1 + k * k) / (10 * k));
    const double c = (1 - k * k) / (1 + k * k);
    const auto limit = std::find_if(f.events.begin(), f.events.end(),
                                    [](const Event& one) { return one.kind == EventKind::accumulation; });
    ASSERT_NE(limit, f.events.end()) << k;
    EXPECT_NEAR(limit->time, fall * (1 + 2 * c / (1 - c)), 100 * close) << k;
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(f.state.position[i], 0, close) << k;
      EXPECT_NEAR(f.state.velocity[i], 0, close) << k;
    }
  }
}

}  // namespace zwang::motion::bends_tests
