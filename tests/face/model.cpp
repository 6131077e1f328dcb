/// Models and instants through the public face: names, states, the same model otherwise, the four questions.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "model/counted_new.hpp"
#include "systems.hpp"
#include "zwang/zwang.hpp"

namespace zwang::model_tests {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What a call throws says something of it.
template <class Exception, class Call>
void expect_words(const Call& call, const std::string& words) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown where '" << words << "' should be said";
  } catch (const Exception& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

}  // namespace

TEST(Model, knows_its_names_and_their_places) {
  const Model model = parse(testing::ball);
  EXPECT_EQ(model.title(), "A ball");
  EXPECT_EQ(model.variable_names(), (std::vector<std::string>{"ball.x", "ball.y"}));
  EXPECT_EQ(model.row_names(), std::vector<std::string>{"floor"});
  EXPECT_EQ(model.output_names(), std::vector<std::string>{"height"});
  EXPECT_EQ(model.variable("ball.y"), 1U);
  EXPECT_EQ(model.row("floor"), 0U);
  EXPECT_EQ(words(model.row_kind(0)), "holonomic inequality");
  EXPECT_EQ(model.parameter("g"), 10);
  ASSERT_EQ(model.bodies().size(), 1U);
  EXPECT_EQ(words(model.bodies()[0].kind), "point");
  EXPECT_EQ(model.conditions()[0].restitution, 0.5);
  EXPECT_EQ(model.until(), 0.8);
}

TEST(Model, gives_parts_of_vectors_by_name) {
  const Model model = parse(R"toml([points.bead]
count = 3
mass = 1
position = ["i", 0]
)toml");
  State state = model.initial();
  EXPECT_EQ(model.part("bead", state.position).size(), 6U);
  EXPECT_EQ(model.part("bead[2]", state.position)[0], 2);
  model.part("bead[3]", state.velocity)[1] = 7;
  EXPECT_EQ(state.velocity[5], 7);
  EXPECT_EQ(model.part("bead[3].y", state.velocity)[0], 7);
}

TEST(Model, says_what_was_meant_by_a_name_it_does_not_have) {
  const Model model = parse(testing::ball);
  expect_words<std::invalid_argument>([&] { (void)model.row("flor"); }, "did you mean 'floor'?");
  expect_words<std::invalid_argument>([&] { (void)model.variable("ball.z"); }, "did you mean 'ball.");
  expect_words<std::invalid_argument>([&] { (void)model.parameter("q"); }, "no parameter 'q'");
  expect_words<std::invalid_argument>([&] { (void)model.part("bal", std::vector<double>(2)); }, "'ball'");
  expect_words<std::invalid_argument>([&] { (void)model.part("ball", std::vector<double>(3)); }, "2, and 3");
}

TEST(Model, mistakes_in_a_text_have_a_place_and_missing_files_a_type) {
  try {
    (void)parse("gravity = [0, -10]\n[points.a]\nmas = 1\n", {}, "swing.toml");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.place().file, "swing.toml");
    EXPECT_EQ(error.place().line, 3U);
  }
  EXPECT_THROW((void)load("there/is/none.toml"), MissingFile);
  EXPECT_THROW((void)open_run("there/is/none.sqlite"), MissingFile);
  EXPECT_THROW((void)load(std::filesystem::temp_directory_path()), Error);
}

TEST(Model, otherwise_is_another_model_and_its_text_gives_it_again) {
  const Model model = parse(testing::ball);
  const Model low = model.with("g", 2.5).with({.until = "3"});
  EXPECT_EQ(model.parameter("g"), 10);
  EXPECT_EQ(low.parameter("g"), 2.5);
  EXPECT_EQ(low.until(), 3);
  const Model again = parse(low.written());
  EXPECT_EQ(again.parameter("g"), 2.5);
  EXPECT_EQ(again.until(), 3);
  State state = low.initial();
  state.time = 0.25;
  state.position = {0.1, 7};
  const Model moved = parse(low.written_from(state));
  EXPECT_EQ(moved.initial().position, state.position);
  EXPECT_EQ(moved.start(), 0.25);
  EXPECT_EQ(moved.parameter("g"), 2.5);
  EXPECT_THROW((void)model.with("nonsense", 1), Error);
}

TEST(Model, refuses_states_that_do_not_fit) {
  const Model model = parse(testing::ball);
  State state = model.initial();
  EXPECT_EQ(model.check(state), "");
  state.position.push_back(0);
  EXPECT_NE(model.check(state), "");
  expect_words<std::invalid_argument>([&] { (void)accelerate(model, state); }, "2 numbers are needed");
  state = model.initial();
  state.velocity[1] = nan;
  expect_words<std::invalid_argument>([&] { (void)accelerate(model, state); }, "number 1 of the velocities");
}

TEST(Model, has_energies_and_outputs_at_a_state) {
  const Model model = parse(testing::ball);
  const State state = model.initial();
  EXPECT_DOUBLE_EQ(kinetic_energy(model, state), 1);
  EXPECT_DOUBLE_EQ(potential_energy(model, state), 20);
  EXPECT_EQ(outputs(model, state), std::vector<double>{1});
}

TEST(Questions, a_string_carries_the_weight_that_hangs_on_it) {
  const Model model = parse(testing::hanging);
  const instant::Instant now = accelerate(model);
  ASSERT_EQ(now.status, instant::Status::determined);
  EXPECT_EQ(words(now.role[model.row("string")]), "binding");
  EXPECT_NEAR(now.multipliers[model.row("string")], 30, 1e-12);
  EXPECT_EQ(check(model).status, instant::Status::determined);
  EXPECT_NE(explain_json(model, model.initial()).find("\"trials\""), std::string::npos);
  EXPECT_NE(json(model, model.initial(), now).find("\"multipliers\""), std::string::npos);
}

TEST(Questions, a_weight_thrown_upwards_is_free_and_one_too_low_is_inadmissible) {
  const Model model = parse(testing::hanging);
  State state = model.initial();
  state.position = {0, 0, -1};
  EXPECT_NEAR(model.part("weight", accelerate(model, state).accelerations)[2], -10, 1e-15);
  state.position = {0, 0, -2.5};
  EXPECT_EQ(accelerate(model, state).status, instant::Status::inadmissible);
  const instant::Repair repaired = repair(model, state);
  EXPECT_TRUE(repaired.succeeded);
  EXPECT_NEAR(repaired.state.position[2], -2, 1e-14);
}

TEST(Questions, a_blow_against_a_taut_string_is_swallowed_by_it) {
  const Model model = parse(testing::hanging);
  const std::vector<double> impulse = {3, 0, -6};
  const instant::Shock shock = impact(model, model.initial(), impulse);
  ASSERT_EQ(shock.status, instant::ShockStatus::regulated);
  EXPECT_NEAR(shock.velocities[0], 1, 1e-15);
  EXPECT_NEAR(shock.velocities[2], 0, 1e-15);
  EXPECT_NEAR(shock.impulses[model.row("string")], 6, 1e-14);
  EXPECT_EQ(impact(model).status, instant::ShockStatus::not_needed);
  EXPECT_NE(json(model, shock).find("\"impulses\""), std::string::npos);
  EXPECT_THROW((void)impact(model, model.initial(), std::vector<double>{1}), std::invalid_argument);
}

TEST(Questions, in_a_loop_allocate_nothing) {
  const Model model = parse(testing::hanging);
  Questions questions(model);
  State state = model.initial();
  for (int k = 0; k < 3; ++k) (void)questions.accelerate(state);
  const std::size_t before = allocations();
  double sum = 0;
  for (int k = 0; k < 100; ++k) {
    state.velocity[0] = 0.01 * k;
    const instant::Instant& now = questions.accelerate(state);
    sum += now.multipliers[0];
    // m g + m v^2 / L
    EXPECT_NEAR(now.multipliers[0], 30 + 1.5 * state.velocity[0] * state.velocity[0], 1e-12);
  }
  EXPECT_EQ(allocations(), before);
  EXPECT_GT(sum, 3000);
}

TEST(Questions, options_say_what_is_wrong_with_them) {
  const Model model = parse(testing::hanging);
  AskOptions options;
  EXPECT_EQ(options.check(), "");
  for (const double touch : {nan, 0.0, -1.0, 1.0}) {
    options.touch = touch;
    EXPECT_NE(options.check().find("touch"), std::string::npos);
    EXPECT_THROW((void)accelerate(model, model.initial(), options), std::invalid_argument);
  }
  options = {};
  options.highest_order = 0;
  EXPECT_NE(options.check().find("highest_order"), std::string::npos);
}

TEST(Questions, a_first_order_system_is_refused_with_words) {
  const Model model = parse("[coordinates.x]\ninitial = 1\n[flow]\nx = \"-x\"\n[simulation]\nuntil = 1\n");
  ASSERT_TRUE(model.is_flow());
  EXPECT_THROW((void)accelerate(model), Error);
  EXPECT_THROW((void)kinetic_energy(model, model.initial()), Error);
  EXPECT_NEAR(run(model).account().present.state.position[0], std::exp(-1.0), 1e-13);
}

TEST(Gauss, a_problem_says_what_is_wrong_with_its_arrays) {
  Mass mass({1, 1});
  ASSERT_TRUE(mass.factor());
  const std::vector<double> a0 = {0, 0};
  const std::vector<std::uint32_t> start = {0, 2};
  const std::vector<std::uint32_t> column = {0, 1};
  const std::vector<double> entry = {1, 1};
  const std::vector<double> h = {1};
  const std::vector<gauss::RowKind> kind = {gauss::RowKind::inequality};
  const gauss::Problem good{&mass, a0, start, column, entry, h, kind};
  EXPECT_EQ(good.check(), "");
  const std::vector<std::uint32_t> descending = {1, 0};
  const std::vector<std::uint32_t> beyond = {0, 2};
  const std::vector<std::uint32_t> no_end = {0};
  const std::vector<double> infinite = {1, nan};
  const std::vector<double> negative = {-1};
  const auto said = [&](auto change) {
    gauss::Problem problem = good;
    change(problem);
    return problem.check();
  };
  EXPECT_NE(said([&](gauss::Problem& p) { p.mass = nullptr; }), "");
  EXPECT_NE(said([&](gauss::Problem& p) { p.column = descending; }).find("ascend"), std::string::npos);
  EXPECT_NE(said([&](gauss::Problem& p) { p.column = beyond; }).find("column 2 of 2"), std::string::npos);
  EXPECT_NE(said([&](gauss::Problem& p) { p.start = no_end; }).find("start"), std::string::npos);
  EXPECT_NE(said([&](gauss::Problem& p) { p.entry = infinite; }).find("not finite"), std::string::npos);
  EXPECT_NE(said([&](gauss::Problem& p) { p.h_bound = negative; }).find("negative"), std::string::npos);
  EXPECT_NE(said([&](gauss::Problem& p) { p.kind = {}; }).find("kind"), std::string::npos);
}

}  // namespace zwang::model_tests
