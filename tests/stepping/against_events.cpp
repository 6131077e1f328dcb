/// Steps against events: the shorter the steps, the nearer they come to the motion that is followed from event to event.
#include <gtest/gtest.h>

#include <random>

#include "steps.hpp"
#include "zwang/error.hpp"

namespace zwang::stepping::against_events_tests {
namespace {

using motion::Status;

/// A few points with strings, rods and walls between them, some with restitution; the order of the conditions is that of `order`.
struct Drawn {
  std::string points;
  std::vector<std::string> conditions;
  [[nodiscard]] std::string text(const std::vector<std::size_t>& order) const {
    std::string out = points + "[constraints]\n";
    for (const std::size_t k : order) out += conditions[k] + "\n";
    return out;
  }
  [[nodiscard]] std::string text() const {
    std::vector<std::size_t> order(conditions.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    return text(order);
  }
};

Drawn draw(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 8U) * 0x1p-24;
  };
  const auto chance = [&](double part) { return number(0, 1) < part; };
  Drawn drawn;
  const int count = 2 + static_cast<int>(random() % 3);
  drawn.points = "gravity = [0, -9.81]\n[parameters]\no = [0, 0]\n";
  std::vector<double> x, y;
  for (int i = 0; i < count; ++i) {
    x.push_back(1.5 * i + number(-0.3, 0.3));
    y.push_back(number(0.2, 1.0));
    const double mass = number(0.5, 2);
    const double u = number(-1, 1);
    const double v = number(-1, 1);
    drawn.points += "[points.p" + std::to_string(i) + "]\nmass = " + std::to_string(mass) + "\nposition = [" +
                    std::to_string(x.back()) + ", " + std::to_string(y.back()) + "]\nvelocity = [" + std::to_string(u) +
                    ", " + std::to_string(v) + "]\n";
  }
  for (int i = 0; i < count; ++i) {
    const std::string p = "p" + std::to_string(i);
    const std::string e = chance(0.5) ? std::to_string(number(0.2, 0.9)) : "0";
    drawn.conditions.push_back("floor" + p + " = { condition = \"" + p + ".y >= 0\", restitution = " + e + " }");
    if (i == 0) continue;
    const std::string q = "p" + std::to_string(i - 1);
    const auto a = static_cast<std::size_t>(i);
    const double length = std::hypot(x[a] - x[a - 1], y[a] - y[a - 1]);
    drawn.conditions.push_back("string" + p + " = \"distance(" + p + ", " + q +
                               ") <= " + std::to_string(length + number(0.02, 0.4)) + "\"");
    drawn.conditions.push_back("apart" + p + " = \"distance(" + p + ", " + q + ") >= 0.5\"");
  }
  return drawn;
}

TEST(StepsAndEvents, come_together_on_random_systems) {
  unsigned nearer = 0;
  unsigned all = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::string text = draw(seed).text();
    const Ran exact = by_events(text, 0.6);
    if (exact.status() != Status::finished) continue;
    const Ran coarse = in_steps(text, 2e-3, 0.6);
    const Ran fine = in_steps(text, 1.25e-4, 0.6);
    ASSERT_EQ(coarse.status(), Status::finished) << text;
    ASSERT_EQ(fine.status(), Status::finished) << text;
    EXPECT_LE(coarse.track.account.penetration, 1e-9);
    ++all;
    // Speeds are at most 8 here: a shock that comes a step late moves what follows by so many steps; a few shocks follow one another.
    EXPECT_LT(apart(fine, exact), 100 * 1.25e-4) << seed << "\n" << text;
    if (apart(fine, exact) < apart(coarse, exact) / 4) ++nearer;
  }
  EXPECT_GT(all, 50U);
  EXPECT_GT(nearer, all * 3 / 4);
}

TEST(StepsAndEvents, of_a_collision_of_many_give_the_same_rebound) {
  // Three discs in a row at rest in touch, a fourth strikes: one shock over all that touches, in both.
  const std::string text = R"toml(
[points.b]
count = 4
mass = 1
position = ["i + 0.3*step(1.5 - i)*(-1)", 0]
velocity = ["2*step(1.5 - i)", 0]
[constraints]
apart = { for = "i = 1..3", condition = "distance(b[i], b[i+1]) >= 1", restitution = 0.7 }
)toml";
  const Ran exact = by_events(text, 1);
  const Ran steps = in_steps(text, 1e-3, 1);
  EXPECT_LT(apart(steps, exact), 3e-3);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(steps.velocity()[i], exact.velocity()[i], 1e-12);
}

TEST(StepsAndEvents, do_not_depend_on_the_order_of_the_conditions) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Drawn drawn = draw(seed);
    std::vector<std::size_t> order(drawn.conditions.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = order.size() - 1 - k;
    const Ran one = in_steps(drawn.text(), 1e-3, 0.5);
    const Ran other = in_steps(drawn.text(order), 1e-3, 0.5);
    ASSERT_EQ(one.status(), other.status());
    EXPECT_LT(apart(one, other), 1e-9) << seed;
  }
}

TEST(StepsPutAside, go_on_to_the_same_bits) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const model::Model model = model::load(with_method(draw(seed).text(), 1e-3, 0.5), "model.toml");
    Stepping whole = begin(model);
    while (advance(whole)) {
    }
    Stepping part = begin(model);
    for (int k = 0; k < 137; ++k) advance(part);
    const std::string saved = save(part);
    Stepping rest = restore(model, {}, saved);
    EXPECT_EQ(save(rest), saved);
    while (advance(rest)) {
    }
    EXPECT_EQ(rest.motion.state.position, whole.motion.state.position);
    EXPECT_EQ(rest.motion.state.velocity, whole.motion.state.velocity);
    EXPECT_EQ(rest.error, whole.error);
    EXPECT_EQ(save(rest), save(whole));
  }
}

TEST(StepsPutAside, are_refused_when_damaged) {
  const model::Model model = model::load(with_method(draw(1).text(), 1e-3, 0.5), "model.toml");
  Stepping part = begin(model);
  advance(part);
  const std::string saved = save(part);
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, saved.size() / 2, saved.size() - 1}) {
    EXPECT_THROW(static_cast<void>(restore(model, {}, saved.substr(0, size))), Fault);
  }
  for (std::size_t k = 0; k < saved.size(); k += 11) {
    std::string damaged = saved;
    damaged[k] = static_cast<char>(damaged[k] ^ 4);
    EXPECT_THROW(static_cast<void>(restore(model, {}, damaged)), Fault);
  }
}

TEST(MethodOfARun, is_refused_where_it_is_not_offered) {
  const auto said = [](const std::string& text) {
    try {
      static_cast<void>(model::load(text, "model.toml"));
    } catch (const Error& error) {
      return std::to_string(error.place().line) + ":" + std::to_string(error.place().column) + " " + error.message();
    }
    return std::string();
  };
  const std::string point = "[points.a]\nmass = 1\nposition = [0, 0]\n";
  EXPECT_TRUE(said(point + "[simulation]\nmethod = \"euler\"\n").starts_with("5:10 `method` is \"events\" o"));
  EXPECT_TRUE(
      said(point + "[simulation]\nmethod = \"stepping\"\nstep = 0\n").starts_with("6:8 the length of a step is ab"));
  EXPECT_TRUE(said(point + "[simulation]\nstep = 1e-3\n").starts_with("5:8 `step` is the length "));
  EXPECT_NE(
      said("[coordinates.x]\ninitial = 1\n[flow]\nx = \"-x\"\n[simulation]\nmethod = \"stepping\"\n").find("[flow]"),
      std::string::npos);
  EXPECT_NE(said(point + "force = [\"-sign(a.x')\", 0]\n[simulation]\nmethod = \"stepping\"\n").find("dry friction"),
            std::string::npos);
  EXPECT_EQ(said(point + "force = [\"-a.x'*abs(a.x')\", 0]\n[simulation]\nmethod = \"stepping\"\n"), "");
  const std::string skate =
      "[coordinates.x]\ninitial = 0\nvelocity = 1\n[coordinates.y]\ninitial = 0\n[energy]\nkinetic = \"(x'^2 + "
      "y'^2)/2\"\n";
  EXPECT_NE(
      said(skate +
           "[constraints]\nedge = { condition = \"y' - x*x' = 0\", law = \"variational\" }\n[simulation]\nmethod = "
           "\"stepping\"\n")
          .find("variational"),
      std::string::npos);
}

}  // namespace
}  // namespace zwang::stepping::against_events_tests
