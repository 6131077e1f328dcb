/// Beginning and going on with runs: the same rules for whoever asks.
#include "zwang/runs/life.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "zwang/error.hpp"
#include "zwang/version.hpp"

namespace zwang::runs::life_tests {

namespace {

const std::string falling = "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 5]\n[simulation]\nuntil = 1\n";

class Life : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "zwang-life-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file() const { return (folder_ / "run.sqlite").string(); }
  std::filesystem::path folder_;
};

}  // namespace

TEST_F(Life, a_run_ends_is_no_longer_open_and_goes_on_to_a_later_end) {
  {
    const Task task = new_task(recipe_of(falling, "a.toml"), file());
    Store store = Store::create(task.file, task.recipe, task.model);
    EXPECT_TRUE(is_open(task, store.account()));
    EXPECT_TRUE(go_on(task, store));
    EXPECT_FALSE(is_open(task, store.account()));
  }
  Store store = Store::open(file());
  EXPECT_FALSE(is_open(resumed_task(store), store.account()));
  const Task later = resumed_task(store, "2");
  EXPECT_TRUE(is_open(later, store.account()));
  EXPECT_TRUE(go_on(later, store));
  EXPECT_EQ(store.account().present.state.time, 2);
  EXPECT_NEAR(store.account().present.state.position[1], 5 - 20, 1e-13);
  EXPECT_THROW(static_cast<void>(resumed_task(store, "1.5")), Error) << "it is already further";
}

TEST_F(Life, an_end_before_the_start_is_a_mistake) {
  model::Overrides overrides;
  overrides.until = "-1";
  EXPECT_THROW(static_cast<void>(new_task(recipe_of(falling, "a.toml", overrides), file())), Error);
}

TEST_F(Life, another_version_or_processor_goes_on_with_a_notice) {
  Recipe recipe = recipe_of(falling, "a.toml");
  EXPECT_TRUE(new_task(recipe, file()).notice.empty());
  recipe.version = "0.0.1";
  {
    const Task task = new_task(recipe, file());
    Store store = Store::create(task.file, task.recipe, task.model);
    Recording recording;
    recording.go_on = [](const zwang::runs::Progress&) { return false; };
    go_on(task, store, recording);
  }
  Store store = Store::open(file());
  const Task task = resumed_task(store);
  EXPECT_NE(task.notice.find("begun by zwang 0.0.1 on " + this_machine()), std::string::npos) << task.notice;
  EXPECT_TRUE(go_on(task, store));
}

TEST_F(Life, a_rhythm_of_samples_that_would_never_end_is_a_mistake) {
  const Task task = new_task(recipe_of(falling, "a.toml"), file());
  Store store = Store::create(task.file, task.recipe, task.model);
  go_on(task, store);
  EXPECT_THROW(go_on(resumed_task(store, "2e5"), store), Error) << "1e3 a second";
}

TEST_F(Life, the_law_of_a_recipe_is_kept) {
  Recipe recipe = recipe_of(falling, "a.toml");
  recipe.law = model::Law::variational;
  { const Store store = Store::create(file(), recipe, model_of(recipe)); }
  EXPECT_EQ(Store::open(file()).recipe().law, model::Law::variational);
}

}  // namespace zwang::runs::life_tests
