/// A thread that writes behind another one: in order, to the end, and with the news when it cannot.
#include "zwang/runs/scribe.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "crowds/gas.hpp"
#include "zwang/error.hpp"
#include "zwang/runs/life.hpp"

namespace zwang::runs::scribe_tests {

TEST(Scribe, does_what_it_is_given_in_order_with_a_thread_and_without) {
  for (const bool aside : {true, false}) {
    std::vector<int> done;
    Scribe scribe(aside);
    for (int k = 0; k < 1000; ++k) scribe.give([&done, k] { done.push_back(k); });
    scribe.finish();
    EXPECT_TRUE(scribe.is_idle());
    std::vector<int> all(1000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(done, all);
  }
}

TEST(Scribe, what_goes_wrong_is_told_once_and_what_waits_behind_it_is_dropped) {
  int after = 0;
  Scribe scribe(true);
  const auto both = [&] {
    // (Both at once: the second waits while the first one fails.)
    scribe.give([&] {
      scribe.give([&after] { ++after; });
      throw std::runtime_error("no ink");
    });
    scribe.finish();
  };
  EXPECT_THROW(both(), std::runtime_error);
  EXPECT_EQ(after, 0);
  scribe.give([&after] { ++after; });
  EXPECT_NO_THROW(scribe.finish());
  EXPECT_EQ(after, 1);
}

TEST(Scribe, a_full_disk_ends_the_run_of_a_crowd_with_a_sentence_and_keeps_what_was_committed) {
  std::string name = (std::filesystem::temp_directory_path() / "zwang-scribe-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const Task task = new_task(
      recipe_of(crowds::text_of({.count = 49, .side = 7, .restitution = 1, .until = 40, .seed = 5}), "gas.toml"),
      (folder / "gas.sqlite").string());
  {
    Store store = Store::create(task.file, task.recipe, task.model);
    store.limit_pages(100);
    Recording recording;
    recording.bytes = 20'000;
    try {
      go_on(task, store, recording);
      FAIL() << "it went on without room";
    } catch (const Fault& fault) {
      EXPECT_NE(std::string(fault.message()).find("the disk is full"), std::string::npos) << fault.message();
    }
  }
  const Store kept = Store::read(task.file);
  EXPECT_GT(kept.events(), 10U);
  EXPECT_GT(kept.account().present.state.time, 0);
  EXPECT_LT(kept.account().present.state.time, 40);
  std::filesystem::remove_all(folder);
}

}  // namespace zwang::runs::scribe_tests
