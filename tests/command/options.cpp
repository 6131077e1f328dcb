/// The command line itself: options, sources of the model, exit statuses, errors, colours.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "command/call.hpp"
#include "places.hpp"

namespace zwang::command::options_tests {

namespace {

using Json = nlohmann::ordered_json;

const std::string model = R"toml(title = "spring"
[parameters]
k = 4
anchor = [0, 0]
[points.a]
mass = 2
position = [1, 0]
force = ["-k*(a.x - anchor.x)", "t"]
)toml";

double first_acceleration(const JsonOutcome& answer) {
  return answer.json.at("accelerations").at("a")[0].get<double>();
}

}  // namespace

class Options : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built) GTEST_SKIP() << "the command is not built";
  }
};

TEST_F(Options, the_model_comes_from_a_file_from_standard_input_or_from_the_gallery) {
  const TemporaryFile file(model, ".toml");
  const auto by_file = call_json({"accelerate", file.name()});
  const auto by_input = call_json({"accelerate", "-"}, model);
  ASSERT_EQ(by_file.exit, 0) << by_file.out;
  EXPECT_EQ(by_file.json.at("accelerations"), by_input.json.at("accelerations"));
  const auto text = call({"gallery", "ladder"}).out;
  EXPECT_EQ(call_json({"accelerate", "gallery:ladder"}).json.at("accelerations"),
            call_json({"accelerate", "-"}, text).json.at("accelerations"));
}

TEST_F(Options, set_replaces_parameters_and_is_repeatable) {
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-"}, model)), -2);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set", "k=6"}, model)), -3);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set=k=6"}, model)), -3);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "--set", "k=6", "-"}, model)), -3);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set", "k=6", "--set", "anchor=[3,0]"}, model)), 6);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set", "k=2*sqrt(9)"}, model)), -3);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set", "k=-6"}, model)), 3);
  EXPECT_EQ(first_acceleration(call_json({"accelerate", "-", "--set", "k=1e-3"}, model)), -0.0005);
}

TEST_F(Options, set_of_an_unknown_parameter_is_an_error_with_the_nearest_one) {
  const auto answer = call_json({"accelerate", "-", "--set", "anchr=[3,0]"}, model);
  EXPECT_EQ(answer.exit, 2);
  EXPECT_NE(answer.json.at("error").at("message").get<std::string>().find("anchor"), std::string::npos) << answer.out;
  for (const char* bad : {"k", "=3", "k=", "k=2*", "k=[1,2]", "k=x"}) {
    const auto refused = call_json({"accelerate", "-", "--set", bad}, model);
    EXPECT_EQ(refused.exit, 2) << bad << refused.out;
    EXPECT_FALSE(refused.json.at("error").at("message").get<std::string>().empty());
  }
}

TEST_F(Options, at_replaces_the_start) {
  const auto answer = call_json({"accelerate", "-", "--at", "3"}, model);
  EXPECT_EQ(answer.json.at("time"), 3.0);
  EXPECT_EQ(answer.json.at("accelerations").at("a")[1], 1.5);
  EXPECT_EQ(call_json({"accelerate", "-", "--at", "-0.5"}, model).json.at("time"), -0.5);
  EXPECT_EQ(call_json({"accelerate", "-", "--at", "soon"}, model).exit, 2);
}

TEST_F(Options, help_and_version_answer_on_standard_output) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--help"},
                                                                     {"accelerate", "--help"},
                                                                     {"check", "--help"},
                                                                     {"explain", "--help"},
                                                                     {"impact", "--help"},
                                                                     {"gallery", "--help"}}) {
    const auto help = call(arguments);
    EXPECT_EQ(help.exit, 0);
    EXPECT_TRUE(help.err.empty());
    EXPECT_GT(help.out.size(), 100U);
  }
  for (const char* verb : {"check", "accelerate", "explain", "impact", "gallery"})
    EXPECT_NE(call({"--help"}).out.find(verb), std::string::npos) << verb;
  for (const char* option : {"--json", "--set", "--at", "--quiet", "--help"})
    EXPECT_NE(call({"accelerate", "--help"}).out.find(option), std::string::npos) << option;
  const auto version = call({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_NE(version.out.find(call_json({"accelerate", "-"}, model).json.at("zwang").get<std::string>()),
            std::string::npos);
}

TEST_F(Options, a_bad_command_line_ends_with_two) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"fly"},
                                                                     {"accelerate"},
                                                                     {"accelerate", "-", "--jason"},
                                                                     {"accelerate", "-", "-", "-"},
                                                                     {"accelerate", "-", "--set"},
                                                                     {"accelerate", "no/such/file.toml"},
                                                                     {"accelerate", "/"},
                                                                     {"accelerate", "gallery:no-such-model"},
                                                                     {"gallery", "no-such-model"}}) {
    const auto outcome = call(arguments, model);
    EXPECT_EQ(outcome.exit, 2) << (arguments.empty() ? "" : arguments.back());
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    EXPECT_FALSE(outcome.err.empty());
  }
  const auto json = call_json({"accelerate", "-", "--jason"}, model);
  EXPECT_EQ(json.exit, 2);
  EXPECT_TRUE(json.json.at("error").at("message").is_string());
}

TEST_F(Options, an_error_in_the_model_has_its_place) {
  const std::string broken = "[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nwall = \"a.q <= 0\"\n";
  const auto json = call_json({"accelerate", "-"}, broken);
  EXPECT_EQ(json.exit, 2);
  const auto& error = json.json.at("error");
  EXPECT_EQ(error.at("line"), 5);
  EXPECT_EQ(error.at("column"), 11);
  EXPECT_TRUE(error.at("file").is_string());
  EXPECT_FALSE(error.at("message").get<std::string>().empty());
  // For people: file:line:column, the line, a caret below the place.
  const TemporaryFile file(broken, ".toml");
  const auto shown = call({"accelerate", file.name()});
  EXPECT_EQ(shown.exit, 2);
  EXPECT_TRUE(shown.out.empty());
  EXPECT_NE(shown.err.find(file.name() + ":5:11"), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find("wall = \"a.q <= 0\""), std::string::npos) << shown.err;
  EXPECT_NE(shown.err.find('^'), std::string::npos) << shown.err;
  EXPECT_EQ(call_json({"accelerate", file.name()}).json.at("error").at("file"), file.name());
}

TEST_F(Options, every_error_with_json_is_one_object_and_nothing_else) {
  for (const char* text :
       {"", "x = ", "[points.a]\nmass = 0\nposition = [0, 0]\n", "\x01\x02\xff", "[constraints]\nf = \"0 <= 0\"\n",
        "title = \"\xff\"\n", "[points.a]\nmass = 1\nposition = [0, \"log(-1)\"]\n",
        "[points.a]\nmass = 1\nposition = [0, 0]\nforce = [\"1/a.x\", 0]\n"}) {
    for (const char* verb : {"check", "accelerate", "explain", "impact"}) {
      const auto outcome = call_json({verb, "-"}, text);
      EXPECT_EQ(outcome.exit, 2) << verb << ": " << text << outcome.out << outcome.err;
      ASSERT_TRUE(outcome.json.is_object()) << outcome.out;
      EXPECT_TRUE(outcome.json.contains("error")) << outcome.out;
      EXPECT_TRUE(outcome.err.empty()) << outcome.err;
    }
  }
}

TEST_F(Options, the_gallery_lists_names_first) {
  const auto list = call({"gallery"});
  EXPECT_EQ(list.exit, 0);
  std::istringstream lines(list.out);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    const auto name = line.substr(0, line.find(' '));
    EXPECT_TRUE(std::filesystem::exists(places::source("gallery/") + name + "/model.toml")) << line;
    ++count;
  }
  EXPECT_GE(count, 14U);
  const auto json = call_json({"gallery"});
  EXPECT_EQ(json.exit, 0);
  ASSERT_TRUE(json.json.is_object());
  EXPECT_TRUE(json.json.contains("zwang"));
}

TEST_F(Options, a_model_of_the_gallery_is_one_object_with_json) {
  const auto shown = call_json({"gallery", "ladder"});
  EXPECT_EQ(shown.exit, 0);
  EXPECT_EQ(shown.json.at("name"), "ladder");
  EXPECT_EQ(shown.json.at("text"), call({"gallery", "ladder"}).out);
  const auto physics = call_json({"gallery", "ladder", "--physics"});
  EXPECT_EQ(physics.json.at("physics"), call({"gallery", "ladder", "--physics"}).out);
  const TemporaryFile place("");
  const std::string folder = place.name() + "-folder";
  const auto written = call_json({"gallery", "ladder", "--out", folder});
  EXPECT_EQ(written.exit, 0);
  ASSERT_GE(written.json.at("files").size(), 2U);
  for (const auto& file : written.json.at("files")) EXPECT_TRUE(std::filesystem::exists(file.get<std::string>()));
  std::filesystem::remove_all(folder);
}

TEST_F(Options, options_of_a_run_go_with_run_and_are_refused_in_words_elsewhere) {
  const TemporaryFile place("");
  const std::string folder = place.name() + "-folder";
  const auto run = call_json(
      {"gallery", "ladder", "--run", "--until", "0.125", "--no-report", "--sample-at", "0.0625", "--out", folder});
  EXPECT_EQ(run.exit, 0);
  EXPECT_EQ(run.json.at("final").at("time"), 0.125);
  EXPECT_EQ(run.json.at("samples").size(), 1U);
  std::filesystem::remove_all(folder);
  const auto shown = call({"gallery", "ladder", "--until", "1"});
  EXPECT_EQ(shown.exit, 2);
  EXPECT_NE(shown.err.find("--until is for `zwang gallery NAME --run`"), std::string::npos) << shown.err;
  EXPECT_EQ(call({"gallery", "--run"}).exit, 2);
  const auto elsewhere = call({"check", "gallery:ladder", "--sample-at", "1"});
  EXPECT_EQ(elsewhere.exit, 2);
  EXPECT_NE(elsewhere.err.find("`zwang check` has no option `--sample-at`: it is one of `zwang run`"),
            std::string::npos)
      << elsewhere.err;
}

TEST_F(Options, every_gallery_model_is_answered_by_every_question) {
  std::istringstream lines(call({"gallery"}).out);
  std::string line;
  std::size_t asked = 0;
  std::size_t number = 0;
  constexpr std::array<const char*, 4> verbs = {"check", "accelerate", "explain", "impact"};
  while (std::getline(lines, line)) {
    const auto name = line.substr(0, line.find(' '));
    if (places::is_left_out(name)) continue;
    // Each model is asked one of them in its turn, and all with ZWANG_SOAK in the environment.
    ++number;
    for (std::size_t k = 0; k < verbs.size(); ++k) {
      if (std::getenv("ZWANG_SOAK") == nullptr && number % verbs.size() != k) continue;
      const char* verb = verbs[k];
      const auto answer = call_json({verb, "gallery:" + name});
      // A flow has rates, not accelerations, and says so.
      if (answer.exit == 2) {
        EXPECT_NE(answer.out.find("first-order system"), std::string::npos) << answer.out;
        continue;
      }
      EXPECT_TRUE(answer.exit == 0 || answer.exit == 3 || answer.exit == 4)
          << name << " " << verb << answer.out << answer.err;
      ASSERT_TRUE(answer.json.is_object()) << name << " " << verb;
      EXPECT_TRUE(answer.json.contains("zwang"));
      EXPECT_TRUE(answer.err.empty()) << answer.err;
      // What takes long to be read is asked once; of the others every third is asked for words too.
      if (places::is_heavy(name) || ++asked % 3 != 0) continue;
      const auto shown = call({verb, "gallery:" + name});
      EXPECT_EQ(shown.exit, answer.exit) << name << " " << verb;
      EXPECT_FALSE(shown.out.empty());
    }
  }
  EXPECT_GT(number, 90U) << "the gallery is not listed";
}

TEST_F(Options, colours_appear_only_on_a_terminal) {
  for (const char* verb : {"check", "accelerate", "explain", "impact"}) {
    EXPECT_EQ(call({verb, "gallery:ladder"}).out.find('\x1b'), std::string::npos);
    EXPECT_EQ(call({verb, "gallery:ladder"}, "", {{"NO_COLOR", "1"}}).out.find('\x1b'), std::string::npos);
    EXPECT_EQ(call({verb, "gallery:ladder"}).out, call({verb, "gallery:ladder"}, "", {{"NO_COLOR", "1"}}).out);
  }
}

TEST_F(Options, explain_names_what_was_tried_and_what_refuted_it) {
  const auto harmless = call({"explain", "gallery:ostrogradsky-harmless-binds"});
  EXPECT_EQ(harmless.exit, 0);
  EXPECT_NE(harmless.out.find("Ostrogradsky"), std::string::npos) << harmless.out;
  const auto json = call_json({"explain", "gallery:ostrogradsky-harmless-binds"});
  EXPECT_EQ(json.json.at("status"), "determined");
  EXPECT_TRUE(json.json.contains("accelerations"));
}

TEST_F(Options, repair_writes_a_model_whose_start_is_admissible) {
  const std::string near =
      "[points.a]\nmass = 1\nposition = [0.6001, 0.7999]\nvelocity = [1, 0.1]\n[constraints]\nrod = \"norm(a) = 1\"\n";
  EXPECT_EQ(call({"check", "-"}, near).exit, 3);
  const auto repaired = call({"check", "--repair", "-"}, near);
  ASSERT_EQ(repaired.exit, 0) << repaired.err;
  const auto again = call_json({"check", "-"}, repaired.out);
  EXPECT_EQ(again.exit, 0) << repaired.out << again.out;
  EXPECT_EQ(call_json({"accelerate", "-"}, repaired.out).json.at("status"), "determined") << repaired.out;
}

TEST_F(Options, quiet_prints_little) {
  EXPECT_LT(call({"accelerate", "--quiet", "-"}, model).out.size(), call({"accelerate", "-"}, model).out.size());
  EXPECT_EQ(call({"accelerate", "--quiet", "-"}, model).exit, 0);
}

TEST_F(Options, what_was_mistyped_is_answered_with_what_was_meant) {
  const auto told = [](const std::vector<std::string>& words) {
    const auto outcome = call(words);
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_NE(told({"simulate", "model.toml"}).find("there is no command `simulate`; did you mean `run`?"),
            std::string::npos);
  EXPECT_NE(told({"acelerate", "model.toml"}).find("did you mean `accelerate`?"), std::string::npos);
  EXPECT_NE(told({"run", "--untl", "3", "gallery:ladder"}).find("has no option `--untl`; did you mean `--until`?"),
            std::string::npos);
  EXPECT_NE(told({"analyze", "stabilty", "gallery:ladder"}).find("did you mean `stability`?"), std::string::npos);
  EXPECT_NE(told({"model.toml"}).find("`zwang run model.toml`"), std::string::npos);
  EXPECT_NE(told({"run", "--frobnicate", "gallery:ladder"}).find("`zwang run --help` lists them"), std::string::npos);
}

TEST_F(Options, units_and_run_files_where_they_do_not_belong_are_named) {
  const auto units = call({"check", "-"}, "[points.a]\nmass = \"1 kg\"\nposition = [0, 0]\n");
  EXPECT_NE(units.err.find("zwang knows no units: write `1`"), std::string::npos) << units.err;
  const TemporaryFile run("SQLite format 3", ".sqlite");
  const auto file = call({"run", run.name()});
  EXPECT_EQ(file.exit, 2);
  EXPECT_NE(file.err.find("this is a run file, not a model: `zwang view"), std::string::npos) << file.err;
}

TEST_F(Options, a_parameter_to_vary_that_is_not_there_is_named) {
  const auto outcome = call({"run", "gallery:bouncing-ball", "--vary", "nosuch=1,2", "--no-report"});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("--vary nosuch"), std::string::npos) << outcome.err;
}

TEST_F(Options, what_has_no_effect_is_told_and_mistakes_have_the_name_of_their_option) {
  const JsonOutcome told =
      call_json({"check", "-"},
                "[points.a]\nmass = 1\nposition = [0, 0]\n[[impulses]]\nat = -1\non = \"a\"\nvalue = [1, "
                "0]\n[constraints]\nrail = { condition = \"a.y = 0\", restitution = 0.5 }\n");
  ASSERT_EQ(told.exit, 0);
  ASSERT_EQ(told.json.at("without_effect").size(), 2U);
  EXPECT_NE(told.json.at("without_effect")[0].get<std::string>().find("impulse on a at -1"), std::string::npos);
  EXPECT_NE(told.json.at("without_effect")[1].get<std::string>().find("restitution of rail"), std::string::npos);
  EXPECT_FALSE(call_json({"check", "-"}, model).json.contains("without_effect"));
  const JsonOutcome wrong = call_json({"run", "-", "--sample-at", "1,b"}, model + "[simulation]\nuntil = 2\n");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.json.at("error").at("file"), "--sample-at");
}

}  // namespace zwang::command::options_tests
