/// The places, as the build knows them.
#include "places.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "sanitized.hpp"

namespace places {

std::string source(const std::string& below) { return below.empty() ? ZWANG_SOURCE_DIR : ZWANG_SOURCE_DIR "/" + below; }

std::string command() { return ZWANG_COMMAND; }

std::string compiler() { return ZWANG_COMPILER; }

std::string python() { return ZWANG_PYTHON; }

bool is_heavy(const std::string& model) {
  // Boxes on boxes and a large net: what their conditions are made of is reached by smaller models too.
  constexpr std::array<std::string_view, 5> heavy = {"crossed-cubes", "plank-on-a-box", "sheared-net", "stack-of-boxes",
                                                     "turned-tower"};
  return std::find(heavy.begin(), heavy.end(), model) != heavy.end();
}

bool is_left_out(const std::string& model) { return is_sanitized && is_heavy(model); }

std::vector<std::filesystem::directory_entry> gallery() {
  std::vector<std::filesystem::directory_entry> folders;
  for (const auto& entry : std::filesystem::directory_iterator(source("gallery"))) {
    if (entry.is_directory() && !is_left_out(entry.path().filename().string())) folders.push_back(entry);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::vector<std::filesystem::directory_entry> gallery_sample(std::size_t first) {
  const std::vector<std::filesystem::directory_entry> all = gallery();
  if (std::getenv("ZWANG_SOAK") != nullptr) return all;
  std::vector<std::filesystem::directory_entry> some;
  for (std::size_t k = first; k < all.size(); k += 3) some.push_back(all[k]);
  return some;
}

}  // namespace places
