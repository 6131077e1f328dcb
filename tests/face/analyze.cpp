/// Analyses and reports through the public face.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "systems.hpp"
#include "zwang/zwang.hpp"

namespace zwang::analyze_tests {

TEST(Analyze, a_knife_edge_does_not_integrate_and_its_laws_differ) {
  const Model model = parse(testing::blade);
  const State state = model.initial();
  const analysis::Integrability found = analysis::integrability(model, state);
  EXPECT_TRUE(found.decided);
  EXPECT_EQ(found.conditions, 1U);
  EXPECT_EQ(found.integrable, 0U);
  EXPECT_FALSE(found.laws_agree);
  EXPECT_FALSE(analysis::equivalence(model, state).agree);
  const Comparison compared = compare(model);
  EXPECT_FALSE(compared.equivalence.agree);
  ASSERT_FALSE(compared.distance.empty());
  EXPECT_EQ(compared.distance.front().distance, 0);
  // Straightest: x = sin t, y = 1 - cos t. The distance follows from the two motions themselves.
  const State one = compared.straightest.at(1);
  const State other = compared.variational.at(1);
  EXPECT_NEAR(one.position[0], std::sin(1.0), 1e-12);
  EXPECT_NEAR(one.position[1], 1 - std::cos(1.0), 1e-12);
  EXPECT_NEAR(compared.distance.back().distance,
              std::hypot(one.position[0] - other.position[0], one.position[1] - other.position[1],
                         one.position[2] - other.position[2]),
              1e-12);
  EXPECT_GT(compared.distance.back().distance, 1e-3);
}

TEST(Analyze, a_condition_that_integrates_is_written_as_what_it_is) {
  const Model model = parse(
      "[points.a]\nmass = 1\nposition = [1, 0]\nvelocity = [0, 1]\n[constraints]\nring = \"a.x*a.x' + a.y*a.y' = "
      "0\"\n");
  const analysis::Integrability found = analysis::integrability(model, model.initial());
  ASSERT_EQ(found.integrals.size(), 1U);
  EXPECT_FALSE(found.integrals[0].written);
  const Model held = analysis::with_integrals(model, model.initial());
  EXPECT_TRUE(model::is_holonomic(held.row_kind(held.row("ring"))));
  EXPECT_NEAR(run(held, {.until = 1}).at(1).position[0], std::cos(1.0), 1e-12);
}

TEST(Analyze, a_hanging_weight_oscillates_with_the_frequency_of_the_pendulum) {
  const Model model = parse(testing::hanging);
  const analysis::Stability found = analysis::stability(model, model.initial());
  EXPECT_TRUE(found.equilibrium);
  ASSERT_TRUE(found.stable.has_value());
  EXPECT_TRUE(*found.stable);
  for (const std::complex<double>& root : found.roots) EXPECT_NEAR(root.real(), -5, 1e-10);
  State guess = model.initial();
  guess.position = {0.1, 0, -std::sqrt(4 - 0.01)};
  EXPECT_TRUE(analysis::find_equilibrium(model, guess).found);
}

TEST(Analyze, the_other_questions_have_their_answers) {
  const Model ball = parse(testing::ball);
  const State state = ball.initial();
  EXPECT_TRUE(analysis::energy_rate(ball, state).conserved() || analysis::energy_rate(ball, state).forces);
  EXPECT_TRUE(analysis::fourier(ball, state).unique);
  EXPECT_TRUE(analysis::is_member(ball, state, std::vector<double>{0, -10}));
  EXPECT_FALSE(analysis::is_member(ball, state, std::vector<double>{0, 0}));
  // The parabola at its vertex: radius v^2 / g.
  EXPECT_NEAR(*analysis::curvature(ball, state).paths[0].radius, 0.1, 1e-13);
  EXPECT_TRUE(analysis::reversal(ball, {.until = 0.4}).reversible);
  EXPECT_FALSE(analysis::reversal(ball, {.until = 0.8}).reversible);
  const Model blade = parse(testing::blade);
  EXPECT_EQ(analysis::velocities(blade, blade.initial()).rank, 1U);
  EXPECT_TRUE(analysis::measure(blade, blade.initial()).exists);
  EXPECT_THROW((void)analysis::integrability(ball, state), Error);
  EXPECT_THROW((void)analysis::curvature(blade, blade.initial()), Error);
}

TEST(Report, pages_figures_tables_and_equations_are_written) {
  const Model model = parse(testing::ball);
  const Motion motion = run(model);
  std::string name = (std::filesystem::temp_directory_path() / "zwang-page-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  write_page(motion, folder / "ball.html");
  EXPECT_GT(std::filesystem::file_size(folder / "ball.html"), 1000U);
  EXPECT_THROW(write_page(motion, folder / "no" / "such" / "folder.html"), Error);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(page(motion, {.title = "Up and down"}).find("<!--zwang:data-->"), std::string::npos);
  const std::vector<Motion> both = {motion, run(model.with("e", 0.9))};
  EXPECT_NE(page(both, {.labels = {"half", "lively"}}).find("<"), std::string::npos);
  EXPECT_THROW((void)page(both, {.labels = {"half"}}), std::invalid_argument);
  EXPECT_THROW((void)page(motion, {.bytes = 10}), std::invalid_argument);

  EXPECT_FALSE(figures(motion).empty());
  EXPECT_EQ(figures(motion)[0].svg.substr(0, 4), "<svg");
  EXPECT_THROW((void)figures(motion, "sideways"), std::invalid_argument);
  EXPECT_NE(json(motion, std::vector<double>{0.2}).find("\"samples\""), std::string::npos);
  EXPECT_EQ(samples_csv(motion).substr(0, 5), "time,");
  EXPECT_NE(events_csv(motion).find("impact"), std::string::npos);
  EXPECT_NE(equations(model).find("ball"), std::string::npos);
  EXPECT_NE(equations(model, Notation::latex).find("\\begin{document}"), std::string::npos);
  EXPECT_NE(equations(model, Notation::cpp).find("right_hand_side"), std::string::npos);
  EXPECT_EQ(words(Notation::python), "python");
}

}  // namespace zwang::analyze_tests
