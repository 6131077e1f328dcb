/// Starts that are written as formulas: what rounding left of a zero breaks no condition and strikes nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "zwang/instant/instant.hpp"
#include "zwang/instant/repair.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion::starts_tests {

namespace {

struct Followed {
  Status status = Status::going;
  std::vector<Event> events;
  std::string why;
  model::State state;
};

Followed follow(const std::string& text) {
  const model::Model model = model::load(text, "start.toml");
  Motion motion = begin(model);
  Followed out;
  do {
    out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
    motion.events.clear();
  } while (advance(motion));
  out.events.insert(out.events.end(), motion.events.begin(), motion.events.end());
  out.status = motion.status;
  out.why = motion.why;
  out.state = motion.state;
  return out;
}

constexpr const char* end = "\n[simulation]\nuntil = 0.5\n";

}  // namespace

TEST(Starts, that_are_zero_but_for_the_rounding_of_their_formulas_are_admissible_and_strike_nothing) {
  for (const std::string& text : {
           std::string("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [\"cos(pi/2)\", "
                       "-1]\n[constraints]\nrail = \"a.x = 0\""),
           std::string("gravity = [0, -9.81]\n[parameters]\nheading = \"pi\"\nv = 2\n[points.a]\nmass = 1\nposition = "
                       "[0, -1]\nvelocity = "
                       "[\"v*cos(heading)\", \"v*sin(heading)\"]\n[constraints]\nr = \"distance(a, [0, 0]) = 1\""),
           std::string("gravity = [0, 0, -9.81]\n[bodies.b]\nmass = 1\ninertia = [0.1, 0.1, 0.02]\nposition = [0, 0, "
                       "-0.5]\norientation = "
                       "{ axis = [0, 1, 0], angle = \"pi\" }\n[bodies.b.marks]\ne = [0, 0, -0.5]\n[joints]\nh = { ball "
                       "= [[0, 0, 0], \"b.e\"] }"),
       }) {
    const Followed found = follow(text + end);
    EXPECT_EQ(found.status, Status::finished) << text << found.why;
    EXPECT_TRUE(found.events.empty()) << text;
  }
}

TEST(Starts, that_were_computed_elsewhere_and_written_with_all_their_digits_are_as_good) {
  const auto started = [](const std::string& position, const std::string& velocity) {
    return follow("gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = " + position + "\nvelocity = " + velocity +
                  "\n[constraints]\nrail = \"a.x = 0\"" + end);
  };
  // cos(pi/2) as it is printed, beside 1; sin(pi), of a state that another run came to.
  for (const auto& [position, velocity] :
       {std::pair{"[6.123233995736766e-17, -1]", "[0, 0]"}, std::pair{"[0, -1]", "[1.2246467991473532e-16, 2]"},
        std::pair{"[-4.0393821e-33, 1]", "[0, 0]"}}) {
    const Followed found = started(position, velocity);
    if (std::string(position) == "[-4.0393821e-33, 1]") {
      // Eight digits are somebody's choice.
      EXPECT_EQ(found.status, Status::inadmissible) << position;
      continue;
    }
    EXPECT_EQ(found.status, Status::finished) << position << ": " << found.why;
    EXPECT_TRUE(found.events.empty()) << position;
    EXPECT_NEAR(found.state.position[0], 0, 1e-16);
  }
  // Above the rounding of the whole vector it is a place.
  EXPECT_EQ(started("[6.123233995736766e-15, -1]", "[0, 0]").status, Status::inadmissible);
}

TEST(Starts, that_are_off_by_more_than_rounding_are_not) {
  for (const char* place : {"1e-9", "\"cos(pi/2) + 0.1\"", "\"cos(pi/2 + 0.1)\""}) {
    const Followed found = follow("[points.a]\nmass = 1\nposition = [" + std::string(place) +
                                  ", -1]\n[constraints]\nrail = \"a.x = 0\"" + end);
    EXPECT_EQ(found.status, Status::inadmissible) << place;
  }
  // What is written is not computed: a place of 1e-9 above the floor is above it, however far the body is from the origin.
  const Followed above = follow(
      "gravity = [0, -1]\n[points.a]\nmass = 1\nposition = [1e9, 1e-9]\n[constraints]\nfloor = { condition = \"a.y >= "
      "0\", restitution = 0 }" +
      std::string(end));
  ASSERT_FALSE(above.events.empty());
  EXPECT_NEAR(above.events.front().time, std::sqrt(2e-9), 1e-12);
}

TEST(Starts, that_are_repaired_are_admissible_when_they_are_read_again) {
  const std::string text =
      "gravity = [0, 0, -9.81]\n[bodies.b]\nmass = 1\ninertia = [0.3, 0.2, 0.1]\nposition = [0.4, 0.1, "
      "-0.4]\norientation = { axis = [1, 2, "
      "0.5], angle = 0.7 }\nvelocity = [0.5, 0, 0.3]\nspin = [0.2, 1, 0]\n[bodies.b.marks]\ne = [0.3, 0, "
      "0.5]\n[joints]\nc = { ball = [[0, 0, 0], "
      "\"b.e\"] }\n";
  const model::Draft draft = model::read(text, "start.toml");
  const model::Model model = model::compile(draft);
  const instant::Repair repair = instant::repair(model, model::initial_state(model));
  ASSERT_TRUE(repair.succeeded);
  const model::Model again =
      model::load(model::with_start(draft, model, repair.state.position, repair.state.velocity), "again.toml");
  EXPECT_EQ(instant::classify(again, model::initial_state(again)).status, instant::Status::determined);
}

TEST(Starts, that_their_correction_would_take_into_a_neighbour_are_brought_onto_both) {
  // Four digits: the rod is too short by 1e-5, the string and the floor have less to spare than that.
  const Followed found = follow(
      "gravity = [0, -9.81]\n[points.a]\nmass = 1\nposition = [0.7071, 0.7071]\n[points.b]\nmass = 1\nposition = "
      "[0.7071, -0.2929]\n[constraints]\nr = \"distance(a, [0, 0]) = 1\"\ns = \"distance(a, b) <= 1.0000001\"\ng = "
      "\"b.y >= -0.29290001\"\n[simulation]\nuntil = 0.05\n");
  ASSERT_EQ(found.status, Status::finished) << found.why;
  const std::vector<double>& q = found.state.position;
  EXPECT_NEAR(q[0] * q[0] + q[1] * q[1], 1, 1e-14);
  EXPECT_LE(std::hypot(q[0] - q[2], q[1] - q[3]), 1.0000001 + 1e-15);
  EXPECT_GE(q[3], -0.29290001 - 1e-15);
}

TEST(Accumulations, of_conditions_that_bounce_in_step_are_at_their_limit) {
  // Fall for sqrt(2 h / g), then a geometric series of hops.
  for (const double e : {0.05, 0.3, 0.5, 0.65}) {
    const Followed found = follow(
        "gravity = [0, -10]\n[points.b]\ncount = 2\nmass = 2\nposition = [\"i\", 1.25]\n[constraints]\nfloor = { for = "
        "\"i = 1..2\", condition = "
        "\"b[i].y >= 0\", restitution = " +
        std::to_string(e) + " }\n[simulation]\nuntil = 4\n");
    ASSERT_EQ(found.status, Status::finished) << found.why;
    ASSERT_FALSE(found.events.empty());
    double limit = 0;
    for (const Event& event : found.events) {
      if (event.kind == EventKind::accumulation) limit = event.time;
    }
    EXPECT_NEAR(limit, 0.5 + 2 * 0.5 * e / (1 - e), 1e-9) << e;
  }
}

}  // namespace zwang::motion::starts_tests
