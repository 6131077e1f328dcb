/// Every bit of a small run file and of a small sweep file, flipped once: refused, or the same answer. With ZWANG_SOAK=1 in the environment all of them, otherwise one in two
/// thousand.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "run_damage.hpp"
#include "sweep_damage.hpp"
#include "zwang/error.hpp"

namespace zwang::runs::damage_tests {
namespace {

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "zwang-soak-XXXXXX").string();
  return mkdtemp(name.data());
}

/// Of a file that answers; the folder goes.
void flip_every_bit(const std::filesystem::path& folder, const std::string& file,
                    const std::function<std::int64_t(const std::string&)>& answer_of) {
  const std::string good = damaged::content_of(file);
  const std::int64_t answer = answer_of(file);
  const std::size_t stride = std::getenv("ZWANG_SOAK") != nullptr ? 1 : 2003;
  std::atomic<std::size_t> same = 0;
  std::atomic<std::size_t> refused = 0;

  // One byte of a file is changed and changed back; every processor has a file of its own.
  const std::size_t crew = std::max(1U, std::thread::hardware_concurrency());
  const auto flip = [&](std::size_t first) {
    const std::string own = (folder / fmt::format("flipped-{}.sqlite", first)).string();
    damaged::put_content(own, good);
    const int bytes = ::open(own.c_str(), O_WRONLY);
    for (std::size_t bit = first * stride; bit < 8 * good.size() && !testing::Test::HasFailure();
         bit += crew * stride) {
      const char sound = good[bit / 8];
      const auto bad = static_cast<char>(static_cast<unsigned char>(sound) ^ (1U << (bit % 8)));
      ASSERT_EQ(::pwrite(bytes, &bad, 1, static_cast<off_t>(bit / 8)), 1);
      try {
        ASSERT_EQ(answer_of(own), answer) << "byte " << bit / 8 << ", bit " << bit % 8;
        ++same;
      } catch (const Error& error) {
        ASSERT_FALSE(error.message().empty()) << "byte " << bit / 8 << ", bit " << bit % 8;
        ++refused;
      }
      ASSERT_EQ(::pwrite(bytes, &sound, 1, static_cast<off_t>(bit / 8)), 1);
    }
    ::close(bytes);
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < crew; ++k) threads.emplace_back(flip, k);
  for (std::thread& one : threads) one.join();
  fmt::print("{} bytes: {} flips refused, {} said nothing\n", good.size(), refused.load(), same.load());
  std::filesystem::remove_all(folder);
}

TEST(Soak, every_bit_of_a_run_file_that_flips_is_found_or_says_nothing) {
  const std::filesystem::path folder = new_folder();
  const std::string file = (folder / "run.sqlite").string();
  damaged::write_small_run(file);
  const Recipe recipe = Store::read(file).recipe();
  const damaged::KnownModel known{recipe, model_of(recipe)};
  flip_every_bit(folder, file, [&](const std::string& path) { return damaged::answer_of(path, &known); });
}

TEST(Soak, every_bit_of_a_sweep_file_that_flips_is_found_or_says_nothing) {
  const std::filesystem::path folder = new_folder();
  const std::string file = (folder / "sweep.sqlite").string();
  damaged::write_small_sweep(file);
  flip_every_bit(folder, file, [](const std::string& path) { return damaged::answer_of_sweep(path); });
}

}  // namespace
}  // namespace zwang::runs::damage_tests
