/// Every bit of a small run file, flipped once: refused, or the same answer. With ZWANG_SOAK=1 in the environment all of them, otherwise one in two thousand.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "run_damage.hpp"
#include "zwang/error.hpp"

namespace zwang::runs {

TEST(Soak, every_bit_of_a_run_file_that_flips_is_found_or_says_nothing) {
  std::string name = (std::filesystem::temp_directory_path() / "zwang-soak-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  const std::string file = (folder / "run.sqlite").string();
  damaged::write_small_run(file);
  const std::string good = damaged::content_of(file);
  const std::int64_t answer = damaged::answer_of(file);
  const std::size_t stride = std::getenv("ZWANG_SOAK") != nullptr ? 1 : 2003;
  std::size_t same = 0;
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += stride) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(static_cast<unsigned char>(bad[bit / 8]) ^ (1U << (bit % 8)));
    damaged::put_content(file, bad);
    try {
      ASSERT_EQ(damaged::answer_of(file), answer) << "byte " << bit / 8 << ", bit " << bit % 8;
      ++same;
    } catch (const Error& error) {
      ASSERT_FALSE(error.message().empty()) << "byte " << bit / 8 << ", bit " << bit % 8;
      ++refused;
    }
  }
  fmt::print("{} bytes: {} flips refused, {} said nothing\n", good.size(), refused, same);
  std::filesystem::remove_all(folder);
}

}  // namespace zwang::runs
