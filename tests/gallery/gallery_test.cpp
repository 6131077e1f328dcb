/// Every model of the gallery, asked through the command and held against the answers derived by hand.
///
/// expected.json of a model is an object whose keys are command lines without the model ("accelerate", "impact",
/// "accelerate --set speed=0") and whose values are what is expected of the answer (compare.hpp).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gallery/compare.hpp"
#include "places.hpp"

namespace gallery_tests {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path gallery = places::source("gallery");

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);) result.push_back(line);
  return result;
}

/// Every folder, whatever it holds.
std::vector<std::string> models() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(gallery)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

json expectations(const std::string& model) {
  return json::parse(contents(gallery / model / "expected.json"), nullptr, false);
}

struct Question {
  std::string model;
  std::string words;  ///< "accelerate --set speed=0"
};

void PrintTo(const Question& question, std::ostream* stream) { *stream << question.model << ": " << question.words; }

std::vector<Question> questions() {
  std::vector<Question> result;
  for (const std::string& model : models()) {
    const json expected = expectations(model);
    if (!expected.is_object()) continue;
    for (const auto& [words, answer] : expected.items()) result.push_back({model, words});
  }
  return result;
}

/// A name of letters and digits for each test.
std::string spelled(std::string_view text) {
  std::string name;
  char before = ' ';
  for (const char letter : text) {
    if (letter == '-' && (before == '=' || before == ',')) name += "minus_";
    before = letter;
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      name += letter;
    } else if (letter == '.') {
      name += "_point_";
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

struct Answer {
  std::string output;
  int exit = -1;
};

/// An empty folder for the files that runs leave behind, removed at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("zwang-gallery-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// Runs `zwang COMMAND MODEL OPTIONS --json`; "analyze velocities" and its like are one command.
Answer ask(const std::string& model, const std::string& words) {
  // The model stands behind the command's name; every word is quoted for the shell.
  std::istringstream stream(words);
  std::string command_name;
  stream >> command_name;
  const auto quoted = [](const std::string& word) { return " '" + word + "'"; };
  static const Folder folder;
  std::string line = "cd" + quoted(folder.path()) + " && " + places::command() + quoted(command_name);
  if (std::string kind; command_name == "analyze" && stream >> kind) line += quoted(kind);
  line += quoted(model);
  for (std::string word; stream >> word;) line += quoted(word);
  // Reports of all models are made by the test of the site.
  if (command_name == "run" || command_name == "compare" || command_name == "fit") line += " --no-report";
  line += " --json 2>/dev/null";

  Answer answer;
  FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return answer;
  std::array<char, 4096> buffer{};
  for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    answer.output.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) answer.exit = WEXITSTATUS(status);
  return answer;
}

/// An answer with so many of its events only: gases have thousands, and each says where every disc is.
std::string with_first_events(const std::string& text, std::size_t count) {
  constexpr std::string_view key = "\n  \"events\": [";
  const std::size_t from = text.find(key);
  if (from == std::string::npos) return text;
  int depth = 0;
  bool quoted = false;
  std::size_t seen = 0;
  std::size_t cut = 0;
  for (std::size_t i = from + key.size(); i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"') quoted = !quoted;
    if (letter == '\\') ++i;
    if (quoted) continue;
    if (letter == '{' || letter == '[') ++depth;
    if (letter == ']' && depth == 0) return cut == 0 ? text : text.substr(0, cut) + text.substr(i);
    if (letter == '}' || letter == ']') --depth;
    if (letter == '}' && depth == 0 && ++seen == count) cut = i + 1;
  }
  return text;
}

/// What the answer is compared with needs so many of its events, or all.
std::string needed_of(const std::string& text, const json& expected) {
  for (const char* key : {"events", "last_events", "event_counts"}) {
    if (expected.contains(key)) return text;
  }
  const std::size_t first = expected.value("first_events", json::array()).size();
  return with_first_events(text, first + 10);
}

std::string path_of(const std::string& model) { return (gallery / model / "model.toml").string(); }

// ---------------------------------------------------------------------------------------------------- the folders

class GalleryFolder : public testing::TestWithParam<std::string> {};

TEST_P(GalleryFolder, has_a_model_the_physics_and_expected_answers) {
  for (const char* file : {"model.toml", "README.md", "expected.json"}) {
    EXPECT_FALSE(contents(gallery / GetParam() / file).empty()) << file << " is missing";
  }
  const json expected = expectations(GetParam());
  ASSERT_TRUE(expected.is_object()) << "expected.json is not JSON";
  EXPECT_FALSE(expected.empty()) << "nothing is expected";
}

TEST_P(GalleryFolder, tells_the_physics_in_about_ten_lines) {
  const std::vector<std::string> page = lines(contents(gallery / GetParam() / "README.md"));
  ASSERT_FALSE(page.empty());
  EXPECT_EQ(page.front().substr(0, 2), "# ");
  EXPECT_GE(page.size(), 6U);
  EXPECT_LE(page.size(), 25U);
  bool inside = false;
  for (const std::string& line : page) {
    EXPECT_LE(line.size(), 124U) << line;
    if (line.substr(0, 3) != "```") continue;
    EXPECT_EQ(line, inside ? "```" : "```text") << "only formulas stand in blocks";
    inside = !inside;
  }
  EXPECT_FALSE(inside);
}

TEST_P(GalleryFolder, answers_every_option_that_its_page_speaks_of) {
  const json expected = expectations(GetParam());
  const std::string page = contents(gallery / GetParam() / "README.md");
  for (std::size_t from = page.find("`--"); from != std::string::npos; from = page.find("`--", from + 1)) {
    const std::string option = page.substr(from + 1, page.find('`', from + 1) - from - 1);
    const bool asked = std::any_of(expected.items().begin(), expected.items().end(), [&](const auto& question) {
      return question.key().find(option) != std::string::npos;
    });
    EXPECT_TRUE(asked) << option;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GalleryFolder, testing::ValuesIn(models()),
                         [](const auto& test) { return spelled(test.param); });

TEST(Gallery, is_large_enough_to_wander_in) { EXPECT_GE(models().size(), 69U); }

// ---------------------------------------------------------------------------------------------------- the answers

/// Energy of a motion: initial + work - lost + defect = final; the defect is small, nothing is won in shocks, and the
/// conditions that hold are kept.
void expect_sound_motion(const json& run) {
  if (!run.contains("energy") || !run["energy"].contains("initial")) return;
  const json& energy = run["energy"];
  const auto part = [&](const char* name) { return energy.value(name, 0.0); };
  const double scale = 1 + std::abs(part("initial")) + std::abs(part("work")) + std::abs(part("lost"));
  EXPECT_NEAR(part("initial") + part("work") - part("lost") + part("defect"), part("final"), 1e-12 * scale);
  EXPECT_LE(std::abs(part("defect")), 1e-10 * scale);
  EXPECT_GE(part("lost"), -1e-12 * scale);
  for (const char* name : {"position", "velocity"}) {
    EXPECT_LE(run.value("drift", json::object()).value(name, 1.0), 1e-8) << name;
  }
}

class GalleryAnswer : public testing::TestWithParam<Question> {};

/// Models that the engine does not follow yet, in the list of the hard models.
bool is_not_yet(const std::string& model) {
  const std::vector<std::string> names = lines(contents(places::source("tests/hard/not_yet.txt")));
  return std::find(names.begin(), names.end(), "gallery:" + model) != names.end();
}

TEST_P(GalleryAnswer, is_the_one_derived_by_hand) {
  if (is_not_yet(GetParam().model)) GTEST_SKIP() << "not yet: " << GetParam().model;
  if (places::is_left_out(GetParam().model)) GTEST_SKIP() << "takes long to be read: " << GetParam().model;
  const json expected = expectations(GetParam().model)[GetParam().words];
  const Answer answer = ask(path_of(GetParam().model), GetParam().words);
  EXPECT_EQ(answer.exit, expected.value("exit", 0));

  // One JSON object and nothing else, with the version in it.
  const json given = json::parse(needed_of(answer.output, expected), nullptr, false);
  ASSERT_TRUE(given.is_object()) << answer.output.substr(0, 1000);
  EXPECT_TRUE(given.contains("zwang"));
  for (const std::string& difference : differences(expected, given)) ADD_FAILURE() << difference;

  // The certificate holds to rounding.
  const json certificate = given.value("certificate", json::object());
  for (const auto& [name, residual] : certificate.items()) {
    EXPECT_LE(std::abs(residual.get<double>()), 1e-12) << name;
  }

  // Energy in a shock: before + blow + work - lost = after, and nothing is gained from nowhere.
  if (given.contains("energy") && given["energy"].contains("before")) {
    const json& energy = given["energy"];
    const auto part = [&](const char* name) { return energy.value(name, 0.0); };
    const double scale = 1 + part("before") + std::abs(part("blow")) + std::abs(part("work"));
    EXPECT_NEAR(part("before") + part("blow") + part("work") - part("lost"), part("after"), 1e-12 * scale);
    EXPECT_GE(part("lost"), -1e-12 * scale);
  }

  // A run, or the two of a comparison.
  expect_sound_motion(given);
  for (const char* law : {"straightest", "variational"}) expect_sound_motion(given.value(law, json::object()));

  // The reactions of the conditions add up to the total one.
  if (given.contains("reactions") && given.value("regular", false)) {
    json rest = given["reaction"];
    double scale = 1;
    for (const json& reaction : given["reactions"]) {
      // What a joint does as a whole is the sum of its conditions, which are listed themselves.
      if (reaction.contains("force") && reaction.contains("torque")) continue;
      for (const auto& [body, force] : reaction.items()) {
        if (!rest.contains(body))
          rest[body] = force.is_array() ? json(std::vector<double>(force.size(), 0.0)) : json(0.0);
        if (force.is_array()) {
          for (std::size_t i = 0; i < force.size(); ++i) {
            rest[body][i] = rest[body][i].get<double>() - force[i].get<double>();
            scale = std::max(scale, std::abs(force[i].get<double>()));
          }
        } else {
          rest[body] = rest[body].get<double>() - force.get<double>();
          scale = std::max(scale, std::abs(force.get<double>()));
        }
      }
    }
    for (const auto& [body, force] : rest.items()) {
      for (const json& component : force.is_array() ? force : json::array({force})) {
        EXPECT_LE(std::abs(component.get<double>()), 1e-11 * scale) << body;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, GalleryAnswer, testing::ValuesIn(questions()),
                         [](const auto& test) { return spelled(test.param.model + "_" + test.param.words); });

TEST(Gallery, comes_with_the_command) {
  const auto text_inside = [](const std::string& model) {
    std::string text;
    FILE* pipe = popen((places::command() + " gallery " + model).c_str(), "r");
    if (pipe == nullptr) return text;
    std::array<char, 4096> buffer{};
    for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      text.append(buffer.data(), size);
    pclose(pipe);
    return text;
  };
  for (const std::string& model : models()) EXPECT_EQ(text_inside(model), contents(path_of(model))) << model;

  // What is asked of it by its name is asked of that text.
  for (const char* model : {"string-pendulum", "bouncing-ball"}) {
    ASSERT_FALSE(expectations(model).empty()) << model;
    const std::string words = expectations(model).begin().key();
    json inside = json::parse(ask(std::string("gallery:") + model, words).output, nullptr, false);
    json outside = json::parse(ask(path_of(model), words).output, nullptr, false);
    ASSERT_TRUE(inside.is_object()) << model;
    for (const char* key : {"model", "files", "seconds"}) {
      inside.erase(key);
      outside.erase(key);
    }
    EXPECT_EQ(inside, outside) << model;
  }
}

}  // namespace
}  // namespace gallery_tests
