/// A motion is finished only if every condition holds at its end and its account of energy closes: ends that were tampered with are told.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "zwang/base/number.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance_impl.hpp"

namespace zwang::motion::verify_end_tests {

namespace {

/// A rod, a wall that is never met, a condition on velocities, and a string that is let go.
const std::string held_by_four =
    "gravity = [0, -10, 0]\n[points.a]\nmass = 1\nposition = [1, 0, 0]\n[points.b]\nmass = 2\nposition = [0, 0, 1]\n"
    "velocity = [1, 0, 0]\n[points.c]\nmass = 1\nposition = [0, 5, 0]\n[constraints]\nrod = \"norm(a) = 1\"\n"
    "wall = \"a.x >= -3\"\nblade = \"b.x' = 1\"\nstring = \"distance(c, [0, 5, 0]) <= 1\"\n[[releases]]\n"
    "constraint = \"string\"\nat = 0.25\n[simulation]\nuntil = 1\n";

Motion finished(const model::Model& model) {
  Motion motion = begin(model);
  while (advance(motion)) {
  }
  return motion;
}

/// The end as it would be if this were what the steps had led to.
void judge_again(Motion& motion, Status status = Status::finished) {
  motion.status = status;
  motion.why.clear();
  motion.culprits.clear();
  verify_end(motion);
}

}  // namespace

TEST(VerifyEnd, lets_a_good_end_be) {
  const model::Model model = model::load(held_by_four, "end.toml");
  Motion motion = finished(model);
  ASSERT_EQ(motion.status, Status::finished) << motion.why;
  judge_again(motion);
  EXPECT_EQ(motion.status, Status::finished) << motion.why;
  judge_again(motion, Status::stopped);
  EXPECT_EQ(motion.status, Status::stopped) << motion.why;
}

TEST(VerifyEnd, tells_every_condition_that_is_broken_by_its_name_and_amount) {
  struct Tampered {
    std::uint32_t row;
    std::string name;
    double amount;
  };
  const model::Model model = model::load(held_by_four, "end.toml");
  for (const Tampered& one : {Tampered{0, "rod", 1e-3}, Tampered{1, "wall", 0.5}, Tampered{2, "blade", 1e-3}}) {
    Motion motion = finished(model);
    ASSERT_EQ(motion.status, Status::finished) << motion.why;
    if (one.row == 0) {
      for (std::size_t i = 0; i < 3; ++i) motion.state.position[i] *= 1 + one.amount;
    } else if (one.row == 1) {
      motion.state.position = {-3 - one.amount, 0, 0, 0, 0, 1, 0, 5, 0};
    } else {
      motion.state.velocity[3] = 1 + one.amount;
    }
    judge_again(motion);
    EXPECT_EQ(motion.status, Status::gave_up) << one.name;
    // The wall cannot be broken but by a longer rod, which is broken by more.
    const std::uint32_t told = one.row == 1 ? 0 : one.row;
    EXPECT_EQ(motion.culprits, std::vector<std::uint32_t>{told}) << one.name;
    EXPECT_NE(motion.why.find(model::row_name(model, told)), std::string::npos) << motion.why;
    EXPECT_NE(motion.why.find("broken"), std::string::npos) << motion.why;
  }
}

TEST(VerifyEnd, a_variable_that_rounding_hides_is_told_and_one_that_it_does_not_hide_is_followed) {
  // A hub that weighs nothing, with rods to beads: where it is followed, its velocity is what the rods make of those of the beads.
  const auto hub = [](const std::string& count, const std::string& mass) {
    return model::load("[points.hub]\nmass = " + mass + "\nposition = [0, 0]\nforce = [1, 0.5]\n[points.b]\ncount = " +
                           count + "\nmass = 1\nposition = [\"cos(2*pi*i/" + count + ")\", \"sin(2*pi*i/" + count +
                           ")\"]\nforce = [\"sin(i)\", \"cos(2*i)\"]\n[constraints]\nrod = { for = \"i = 1.." + count +
                           "\", condition = \"distance(hub, b[i]) = 1\" }\n[simulation]\nuntil = 0.1\n",
                       "hub.toml");
  };
  const model::Model lost = hub("150", "1e-15");
  const Motion hidden = finished(lost);
  EXPECT_EQ(hidden.status, Status::gave_up);
  EXPECT_NE(hidden.why.find("so light"), std::string::npos) << hidden.why;

  for (const char* count : {"12", "150"}) {
    const model::Model weighs_nothing = hub(count, "1e-12"), heavier = hub(count, "1e-6");
    const Motion light = finished(weighs_nothing), other = finished(heavier);
    ASSERT_EQ(light.status, Status::finished) << light.why;
    ASSERT_EQ(other.status, Status::finished) << other.why;
    // They differ by what a millionth of a mass among twelve makes.
    for (std::uint32_t i = 0; i < heavier.variables; ++i) {
      EXPECT_NEAR(light.state.position[i], other.state.position[i], 1e-7) << count << " " << i;
      EXPECT_NEAR(light.state.velocity[i], other.state.velocity[i], 1e-6) << count << " " << i;
    }
  }
}

TEST(VerifyEnd, a_hub_that_weighs_nothing_moves_as_the_beads_that_circle_it_say) {
  // Eleven beads circle a hub at different speeds. Without a mass it pulls with no force of its own: with a its acceleration and u_i the directions,
  // sum (w_i^2 - a.u_i) u_i = 0, and w_i' = -a.p_i across them. Runge and Kutta's rule, a route of its own.
  constexpr int beads = 11;
  std::string places, speeds;
  std::vector<double> y(4 + 2 * beads, 0.0);
  for (int i = 0; i < beads; ++i) {
    const double angle = 2 * 3.14159265358979323846 * i / beads;
    const double w = 0.5 + 0.3 * std::sin(3 * angle) + 0.1 * i / beads;
    y[4 + i] = angle;
    y[4 + beads + i] = w;
    places += "[" + exact(std::cos(angle)) + ", " + exact(std::sin(angle)) + "],";
    speeds += "[" + exact(-w * std::sin(angle)) + ", " + exact(w * std::cos(angle)) + "],";
  }
  const model::Model model =
      model::load("[points.hub]\nmass = 1e-12\nposition = [0, 0]\n[points.b]\ncount = 11\nmass = 1\nposition = [" +
                      places + "]\nvelocity = [" + speeds +
                      "]\n[constraints]\nrod = { for = \"i = 1..11\", condition = "
                      "\"distance(hub, b[i]) = 1\" }\n[simulation]\nuntil = 2\n",
                  "star.toml");
  const auto rates = [&](const std::vector<double>& at) {
    double xx = 0, xy = 0, yy = 0, x = 0, z = 0;
    for (int i = 0; i < beads; ++i) {
      const double c = std::cos(at[4 + i]), s = std::sin(at[4 + i]), w = at[4 + beads + i];
      xx += c * c, xy += c * s, yy += s * s, x += w * w * c, z += w * w * s;
    }
    const double a = (yy * x - xy * z) / (xx * yy - xy * xy), b = (xx * z - xy * x) / (xx * yy - xy * xy);
    std::vector<double> out = {at[2], at[3], a, b};
    for (int i = 0; i < beads; ++i) out.push_back(at[4 + beads + i]);
    for (int i = 0; i < beads; ++i) out.push_back(a * std::sin(at[4 + i]) - b * std::cos(at[4 + i]));
    return out;
  };
  const int steps = 2000;
  const double h = 2.0 / steps;
  for (int k = 0; k < steps; ++k) {
    const auto moved = [&](const std::vector<double>& by, double c) {
      std::vector<double> out = y;
      for (std::size_t i = 0; i < y.size(); ++i) out[i] += c * by[i];
      return out;
    };
    const std::vector<double> one = rates(y), two = rates(moved(one, h / 2)), three = rates(moved(two, h / 2)),
                              four = rates(moved(three, h));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h / 6 * (one[i] + 2 * two[i] + 2 * three[i] + four[i]);
  }
  const Motion found = finished(model);
  ASSERT_EQ(found.status, Status::finished) << found.why;
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(found.state.position[c], y[c], 1e-10);
    EXPECT_NEAR(found.state.velocity[c], y[2 + c], 1e-10);
  }
}

TEST(VerifyEnd, an_inequality_is_broken_on_one_side_alone) {
  const model::Model model = model::load(
      "[points.a]\nmass = 1\nposition = [1, 0]\n[constraints]\nwall = \"a.x >= 0\"\n[simulation]\nuntil = 1\n",
      "end.toml");
  for (const double x : {2.0, 1e-3, 0.0, -1e-3}) {
    Motion motion = finished(model);
    motion.state.position[0] = x;
    judge_again(motion);
    EXPECT_EQ(motion.status, x < 0 ? Status::gave_up : Status::finished) << x << motion.why;
  }
}

TEST(VerifyEnd, what_was_let_go_is_not_asked_any_more) {
  const model::Model model = model::load(held_by_four, "end.toml");
  Motion motion = finished(model);
  // The free fall of c, far beyond the length of its string.
  EXPECT_LT(motion.state.position[7], 5 - 1);
  EXPECT_EQ(motion.status, Status::finished) << motion.why;
  motion.impl->switches.gone.remove(3);
  motion.impl->switches.idle.remove(3);
  motion.impl->standing[3] = Standing::open;
  judge_again(motion);
  EXPECT_EQ(motion.status, Status::gave_up);
  EXPECT_EQ(motion.culprits, std::vector<std::uint32_t>{3});
}

TEST(VerifyEnd, an_account_of_energy_that_does_not_close_is_told) {
  const model::Model model = model::load(held_by_four, "end.toml");
  for (const double part : {1e-3, -1e-3, 1e-7}) {
    Motion motion = finished(model);
    ASSERT_EQ(motion.status, Status::finished) << motion.why;
    motion.energy.lost += part * motion.energy.largest;
    judge_again(motion);
    EXPECT_EQ(motion.status, Status::gave_up) << part;
    EXPECT_NE(motion.why.find("the account of energy does not close"), std::string::npos) << motion.why;
    // What one tolerance of each of a few steps may leave is none.
    motion = finished(model);
    motion.energy.lost += model.simulation.tolerance * motion.energy.largest;
    judge_again(motion);
    EXPECT_EQ(motion.status, Status::finished) << motion.why;
  }
}

TEST(VerifyEnd, an_end_of_another_kind_stays_what_it_is) {
  const model::Model model = model::load(held_by_four, "end.toml");
  for (const Status status : {Status::jammed, Status::singular, Status::refused, Status::inadmissible, Status::going}) {
    Motion motion = finished(model);
    motion.state.position[0] = 100;
    motion.energy.lost += motion.energy.largest;
    judge_again(motion, status);
    EXPECT_EQ(motion.status, status);
    EXPECT_TRUE(motion.why.empty());
  }
}

}  // namespace zwang::motion::verify_end_tests
