/// Every class of hard models, a few seconds each; with ZWANG_SOAK=1 in the environment 10^5 models in all (`make soak`).
#include "hard/hard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "flocks.hpp"
#include "places.hpp"
#include "put_aside.hpp"
#include "sanitized.hpp"
#include "zwang/model/read.hpp"

namespace zwang::hard::hard_tests {

namespace {

constexpr double limit_seconds = 600;  ///< for one model, on a machine that does other things too

/// Classes that the engine does not follow yet.
std::set<std::string> not_yet() {
  std::ifstream file(places::source("tests/hard/not_yet.txt"));
  std::set<std::string> out;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) out.insert(line);
  return out;
}

std::string spelled(std::string_view name) {
  std::string out;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      out += letter;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

}  // namespace

void PrintTo(const Class& kind, std::ostream* stream) { *stream << kind.name; }

class HardModels : public testing::TestWithParam<Class> {};

TEST_P(HardModels, are_followed_rightly) {
  const Class& kind = GetParam();
  if (not_yet().contains(std::string(kind.key))) GTEST_SKIP() << "not yet: " << kind.key;
  const bool soak = std::getenv("ZWANG_SOAK") != nullptr;
  const int quick = is_sanitized ? (kind.quick + 3) / 4 : (kind.quick + 1) / 2;
  const auto found = judge_all(kind, 1, soak ? kind.soak : quick, limit_seconds);
  int refused = 0;
  for (const Finding& one : found) {
    const bool allowed = one.verdict == Verdict::refused && !kind.may_refuse.empty();
    refused += one.verdict == Verdict::refused ? 1 : 0;
    if (one.verdict != Verdict::right && !allowed)
      ADD_FAILURE() << words(one.verdict) << ", hard_models --class " << kind.key << " --write " << one.seed << ": "
                    << one.line;
  }
  if (soak) fmt::print("{}: {} models, {} refused\n", kind.name, found.size(), refused);
}

TEST_P(HardModels, go_on_to_the_same_bits_when_they_are_put_aside) {
  constexpr int most_pieces = 60;
  const Class& kind = GetParam();
  const std::uint64_t last = std::getenv("ZWANG_SOAK") != nullptr ? 100 : 1;
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    SCOPED_TRACE(fmt::format("hard_models --class {} --write {}", kind.key, seed));
    const Case made = kind.make(seed);
    const model::Model model = model::load(made.texts.front(), "hard.toml");
    motion::put_aside_after_every_piece(model, most_pieces);
  }
}

TEST_P(HardModels, go_side_by_side_as_they_go_alone) {
  constexpr int most_pieces = 25;
  constexpr int of_each = 5;
  const Class& kind = GetParam();
  const std::uint64_t last = std::getenv("ZWANG_SOAK") != nullptr ? 100 : 2;
  for (std::uint64_t seed = 1; seed <= last; seed += 2) {
    SCOPED_TRACE(fmt::format("hard_models --class {} --write {}", kind.key, seed));
    // Two models in turn, several of each.
    std::deque<model::Model> models;
    for (int k = 0; k < 2 * of_each; ++k) {
      models.push_back(model::load(kind.make(seed + static_cast<std::uint64_t>(k % 2)).texts.front(), "hard.toml"));
    }
    motion::side_by_side_as_alone(models, most_pieces);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, HardModels, testing::ValuesIn(classes()),
                         [](const auto& test) { return spelled(test.param.name); });

TEST(HardModelsChosen, a_pile_whose_contacts_become_dependent_comes_to_rest) {
  // A fan of five discs between floor and wall, whose contacts depend on one another wherever it slides to.
  const auto kind =
      std::find_if(classes().begin(), classes().end(), [](const Class& one) { return one.key == "large-pile"; });
  ASSERT_NE(kind, classes().end());
  for (const Finding& found : judge_all(*kind, 10, 1, limit_seconds))
    EXPECT_EQ(found.verdict, Verdict::right) << found.line;
}

TEST(HardModelsList, names_only_classes_and_models_that_there_are) {
  for (const std::string& name : not_yet()) {
    const bool model =
        name.starts_with("gallery:") && std::filesystem::exists(places::source("gallery/" + name.substr(8)));
    const bool listed =
        std::any_of(classes().begin(), classes().end(), [&](const Class& kind) { return kind.key == name; });
    EXPECT_TRUE(model || listed) << name;
  }
}

}  // namespace zwang::hard::hard_tests
