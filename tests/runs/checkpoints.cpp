/// Whatever a motion is doing, it can be put aside and taken up again, and goes on to the same bits.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "places.hpp"
#include "put_aside.hpp"
#include "sanitized.hpp"
#include "zwang/model/read.hpp"

namespace zwang::motion::checkpoints_tests {

TEST(Checkpoints, a_motion_put_aside_after_every_piece_is_the_same) {
  constexpr std::uint32_t most_variables = 300;
  constexpr int most_pieces = is_sanitized ? 15 : 150;
  std::size_t models = 0;
  for (const auto& entry : places::gallery_sample(0)) {
    std::ifstream file(entry.path() / "model.toml");
    if (!file) continue;
    const std::string name = entry.path().filename().string();
    SCOPED_TRACE(name);
    const model::Model model = model::load(std::string(std::istreambuf_iterator<char>(file), {}), name);
    // Motions in steps have checkpoints, and tests of them, of their own.
    if (model.variables > most_variables || model.simulation.method != model::Method::events) continue;
    ++models;
    put_aside_after_every_piece(model, most_pieces);
  }
  EXPECT_GT(models, 12U);
}

}  // namespace zwang::motion::checkpoints_tests
