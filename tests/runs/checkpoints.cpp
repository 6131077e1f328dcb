/// Whatever a motion is doing, it can be put aside and taken up again: the first instants of every model of the gallery.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "places.hpp"
#include "zwang/model/read.hpp"
#include "zwang/motion/advance.hpp"

namespace zwang::motion {

TEST(Checkpoints, every_instant_of_the_gallery_is_taken_back_and_goes_on_to_the_same_bits) {
  constexpr int most_pieces = 25;
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
    for (int piece = 0; piece < most_pieces; ++piece) {
      Motion again = restore(model, {}, save(motion));
      const bool goes_on = advance(motion);
      ASSERT_EQ(advance(again), goes_on);
      ASSERT_EQ(again.state.time, motion.state.time) << piece;
      ASSERT_EQ(again.state.position, motion.state.position) << piece;
      ASSERT_EQ(again.state.velocity, motion.state.velocity) << piece;
      ASSERT_EQ(again.status, motion.status) << piece;
      if (!goes_on) break;
    }
  }
  EXPECT_GT(models, 50U);
}

}  // namespace zwang::motion
