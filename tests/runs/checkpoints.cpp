/// Whatever a motion is doing, it can be put aside and taken up again: what is checked of a checkpoint never refuses one that was written.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "places.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion {

TEST(Checkpoints, every_instant_of_the_gallery_is_taken_back) {
  constexpr int most_pieces = 150;
  constexpr std::uint32_t most_variables = 300;
  std::size_t models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(places::source("gallery"))) {
    std::ifstream file(entry.path() / "model.toml");
    if (!file) continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const model::Model model = model::load(std::string(std::istreambuf_iterator<char>(file), {}), name);
    if (model.variables > most_variables) continue;
    ++models;
    Motion motion = begin(model);
    for (int piece = 0; piece < most_pieces && motion.status == Status::going; ++piece) {
      Motion again;
      ASSERT_NO_THROW(again = restore(model, {}, save(motion))) << piece;
      ASSERT_EQ(again.status, motion.status) << piece;
      ASSERT_EQ(again.held, motion.held) << piece;
      ASSERT_EQ(again.state.time, motion.state.time) << piece;
      if (!advance(motion)) break;
    }
  }
  EXPECT_GT(models, 50U);
}

}  // namespace zwang::motion
