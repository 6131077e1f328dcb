/// `zwang view`, reports beside runs, `--vary`, `--svg` and `gallery --site`: what is written, where, and what goes wrong how.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "command/call.hpp"
#include "expressions/xml.hpp"

namespace view_tests {
namespace {

using namespace zwang::command;
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* ball = R"(title = "A ball"
gravity = [0, "-g"]
[parameters]
g = 10
[points.ball]
mass = 2
position = [0, 0]
velocity = [1, 2]
[constraints]
floor = { condition = "ball.y >= 0", restitution = 0.5 }
[simulation]
until = 1
)";

std::string content(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_report(const std::string& name) {
  const std::string text = content(name);
  return text.find("id=\"zwang-data\"") != std::string::npos && text.find("</html>") != std::string::npos;
}

class View : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built) GTEST_SKIP() << "the command is not built";
    std::string pattern = (fs::temp_directory_path() / "zwang view-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::ofstream(file("ball.toml")) << ball;
  }
  void TearDown() override {
    std::error_code code;
    if (!folder_.empty()) fs::remove_all(folder_, code);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string out(const std::string& name) const { return (folder_ / "out" / name).string(); }
  [[nodiscard]] JsonOutcome run(std::vector<std::string> more) const {
    std::vector<std::string> words{"run", file("ball.toml"), "--out", file("out")};
    words.insert(words.end(), more.begin(), more.end());
    return call_json(words);
  }
  /// A browser that writes down what it is asked to show.
  [[nodiscard]] std::string browser(const std::string& name, int status = 0) const {
    const fs::path script = fs::temp_directory_path() / (folder_.filename().string().substr(11) + name);
    std::ofstream(script) << "#!/bin/sh\necho \"$@\" >> '" << file("shown.txt") << "'\nexit " << status << "\n";
    chmod(script.c_str(), 0755);
    return script.string();
  }
  static Outcome without_browser(const std::vector<std::string>& words) {
    return call(words, "", {{"BROWSER", ""}, {"DISPLAY", ""}, {"WAYLAND_DISPLAY", ""}, {"WSL_DISTRO_NAME", ""}});
  }

  fs::path folder_;
};

TEST_F(View, a_run_leaves_its_report_unless_it_is_told_not_to) {
  EXPECT_EQ(run({}).json["files"], Json::array({out("ball.sqlite"), out("ball.html")}));
  EXPECT_TRUE(is_report(out("ball.html")));
  fs::remove(out("ball.html"));
  EXPECT_EQ(run({"--no-report"}).json["files"], Json::array({out("ball.sqlite")}));
  EXPECT_FALSE(fs::exists(out("ball.html")));
  EXPECT_EQ(call({"run", file("ball.toml"), "--out", file("out"), "--quiet"}).out, "finished\n");
  EXPECT_TRUE(is_report(out("ball.html")));
}

TEST_F(View, a_report_that_cannot_be_written_does_not_cost_the_run) {
  fs::create_directories(out("ball.html/inside"));
  const auto answer = run({});
  EXPECT_EQ(answer.exit, 5) << "the report is lost, which is not kept silent: " << answer.err;
  EXPECT_EQ(answer.json["status"], "finished");
  EXPECT_EQ(answer.json["files"], Json::array({out("ball.sqlite")}));
  EXPECT_NE(answer.err.find("no report was written"), std::string::npos) << answer.err;
  for (const auto& entry : fs::directory_iterator(file("out"))) {
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << "half a file is left";
  }
}

TEST_F(View, the_report_of_an_old_run_is_made_again_beside_it_or_elsewhere) {
  ASSERT_EQ(run({"--no-report"}).exit, 0);
  const auto beside = call({"view", out("ball.sqlite"), "--no-open"});
  EXPECT_EQ(beside.exit, 0) << beside.err;
  EXPECT_EQ(beside.out, out("ball.html") + "\n");
  EXPECT_TRUE(is_report(out("ball.html")));
  const auto elsewhere = call({"view", out("ball.sqlite"), "--no-open", "--out", file("new/deep")});
  EXPECT_EQ(elsewhere.out, file("new/deep/ball.html") + "\n");
  EXPECT_EQ(content(file("new/deep/ball.html")), content(out("ball.html"))) << "the same run, the same bytes";
}

TEST_F(View, the_page_of_a_sweep_comes_with_a_page_that_computes_where_there_is_one) {
  const std::vector<std::string> words = {"sweep", file("ball.toml"), "--over", "g=5,10",
                                          "--out", file("out"),       "--quiet"};
  ASSERT_EQ(call(words).exit, 0);
  const std::string page = R"(<html><body><!--zwang:text--></body></html>)";
  std::ofstream(file("live.html")) << page;
  const std::vector<std::string> view = {"view", out("ball-sweep.sqlite"), "--no-open", "--out", file("new/deep")};
  const auto with = call(view, "", {{"ZWANG_LIVE_PAGE", file("live.html")}});
  EXPECT_EQ(with.exit, 0) << with.err;
  EXPECT_EQ(with.out, file("new/deep/ball-sweep.html") + "\n");
  EXPECT_TRUE(is_report(file("new/deep/ball-sweep.html")));
  const bool complete = content(file("new/deep/ball-sweep.html")).find("<script>") != std::string::npos;
  EXPECT_EQ(fs::exists(file("new/deep/ball-sweep-live.html")), complete) << "figures alone lead to no motion";
  EXPECT_EQ(content(file("new/deep/ball-sweep-live.html")).find("id=\"zwang-text\"") != std::string::npos, complete);
  fs::remove_all(file("new"));
  EXPECT_EQ(call(view, "", {{"ZWANG_LIVE_PAGE", file("none.html")}}).exit, 0);
  EXPECT_TRUE(is_report(file("new/deep/ball-sweep.html")));
  EXPECT_FALSE(fs::exists(file("new/deep/ball-sweep-live.html")));
  // It is shown again as it is.
  EXPECT_EQ(call({"view", file("new/deep/ball-sweep.html"), "--no-open"}).exit, 0);
}

TEST_F(View, a_fit_leaves_a_page_unless_it_is_told_not_to) {
  std::ofstream(file("thrown.toml")) << ball << "[outputs]\ny = \"ball.y\"\n";
  std::ofstream(file("data.csv")) << "t,y\n0.1,0.155\n0.2,0.222\n0.3,0.19\n";
  std::vector<std::string> words = {"fit", file("thrown.toml"), file("data.csv"), "--free", "g", "--out", file("out")};
  const auto answer = call_json(words);
  EXPECT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(answer.json["files"], Json::array({out("thrown-fit.html")}));
  EXPECT_TRUE(is_report(out("thrown-fit.html")));
  EXPECT_NE(call(words).out.find(out("thrown-fit.html")), std::string::npos);
  EXPECT_NE(content(out("thrown-fit.html")).find("zwang run &#39;"), std::string::npos) << "the folder has a blank";
  fs::remove_all(file("out"));
  words.emplace_back("--no-report");
  EXPECT_FALSE(call_json(words).json.contains("files"));
  EXPECT_FALSE(fs::exists(out("thrown-fit.html")));

  // A page that cannot be written does not cost the answer.
  words.pop_back();
  fs::create_directories(out("thrown-fit.html/inside"));
  const auto lost = call_json(words);
  EXPECT_EQ(lost.json["status"], "fitted");
  EXPECT_NE(lost.err.find("no page was written"), std::string::npos) << lost.err;
}

TEST_F(View, a_model_is_run_and_shown) {
  const auto shown = call({"view", file("ball.toml"), "--no-open", "--out", file("out"), "--set", "g=5"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out, out("ball.html") + "\n");
  EXPECT_TRUE(fs::exists(out("ball.sqlite")));
  const auto answer = call_json({"view", "gallery:ladder", "--no-open", "--out", file("out")});
  EXPECT_EQ(answer.json["files"], Json::array({out("ladder.html")}));
  EXPECT_EQ(answer.json["opened"], false);
}

TEST_F(View, the_living_page_carries_the_text_of_the_model) {
  std::ofstream(file("live.html")) << "<html><body>page<!--zwang:text--></body></html>\n";
  const std::vector<std::pair<std::string, std::string>> page{{"ZWANG_LIVE_PAGE", file("live.html")}};
  const auto with_model = call({"live", file("ball.toml"), "--no-open", "--out", file("out")}, "", page);
  EXPECT_EQ(with_model.exit, 0) << with_model.err;
  EXPECT_EQ(with_model.out, out("ball-live.html") + "\n");
  const std::string text = content(out("ball-live.html"));
  EXPECT_NE(text.find("<script id=\"zwang-text\" type=\"text/plain\" data-name=\"ball\">dGl0bGUgPSAiQSBiYWxsIgpn"),
            std::string::npos)
      << text;
  const auto without = call({"live", "--no-open", "--out", file("out")}, "", page);
  EXPECT_EQ(without.out, out("zwang-live.html") + "\n");
  EXPECT_EQ(content(out("zwang-live.html")), content(file("live.html")));
}

TEST_F(View, a_build_without_a_living_page_says_how_to_get_one) {
  const std::vector<std::pair<std::string, std::string>> none{{"ZWANG_LIVE_PAGE", file("nowhere.html")}};
  const auto told = call({"live", file("ball.toml"), "--no-open", "--out", file("out")}, "", none);
  EXPECT_EQ(told.exit, 2);
  EXPECT_NE(told.err.find("`make live`"), std::string::npos) << told.err;
  EXPECT_FALSE(fs::exists(out("ball-live.html")));
}

TEST_F(View, the_browser_is_asked_with_an_address_and_the_next_one_is_tried) {
  ASSERT_EQ(run({}).exit, 0);
  const std::string good = browser("good");
  const std::string bad = browser("bad", 1);
  const auto shown =
      call({"view", out("ball.html")}, "", {{"BROWSER", "no-such-browser:" + bad + ":" + good + " --new %s"}});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_EQ(shown.out, out("ball.html") + "\n");
  EXPECT_EQ(shown.err, "");
  std::string address = "file://" + out("ball.html");
  while (address.find(' ') != std::string::npos) address.replace(address.find(' '), 1, "%20");
  EXPECT_EQ(content(file("shown.txt")), address + "\n--new " + address + "\n");
  fs::remove(good);
  fs::remove(bad);
}

TEST_F(View, without_a_browser_it_says_where_the_file_is) {
  ASSERT_EQ(run({}).exit, 0);
  const auto shown = without_browser({"view", out("ball.html")});
  EXPECT_EQ(shown.exit, 0);
  EXPECT_EQ(shown.out, out("ball.html") + "\n");
  EXPECT_NE(shown.err.find("BROWSER"), std::string::npos);
}

TEST_F(View, what_is_no_report_and_no_run_is_refused_by_name) {
  ASSERT_EQ(run({}).exit, 0);
  const std::string page = content(out("ball.html"));
  const std::string data = content(out("ball.sqlite"));
  std::ofstream(file("cut.html"), std::ios::binary) << page.substr(0, page.size() - 100);
  std::ofstream(file("shell.html"), std::ios::binary) << page.substr(0, 300);
  std::ofstream(file("foreign.html")) << "<!DOCTYPE html><html><body>Hello</body></html>\n";
  std::ofstream(file("empty.html")) << "";
  std::ofstream(file("cut.sqlite"), std::ios::binary) << data.substr(0, 5000);
  std::ofstream(file("foreign.sqlite")) << "no database at all\n";
  std::ofstream(file("letter.txt")) << "Dear colleague\n";
  for (const char* name : {"cut.html", "shell.html", "foreign.html", "empty.html", "cut.sqlite", "foreign.sqlite",
                           "letter.txt", "missing.html", "missing.sqlite", "out"}) {
    const auto shown = call({"view", file(name), "--no-open"});
    const int status = std::string(name).starts_with("cut") ? 5 : 2;
    EXPECT_EQ(shown.exit, status) << name;
    EXPECT_NE(shown.err.find(name), std::string::npos) << shown.err;
    EXPECT_EQ(shown.out, "") << name;
    const auto json = call_json({"view", file(name), "--no-open"});
    EXPECT_EQ(json.exit, status);
    EXPECT_TRUE(json.json.contains("error")) << json.out;
  }
  EXPECT_EQ(call({"view"}).exit, 2);
}

TEST_F(View, runs_of_one_model_are_laid_over_one_another_and_of_two_are_not) {
  ASSERT_EQ(run({"--vary", "g=5,20", "--no-report"}).exit, 0);
  const auto both = call({"view", out("ball-g=5.sqlite"), out("ball-g=20.sqlite"), "--no-open"});
  EXPECT_EQ(both.exit, 0) << both.err;
  EXPECT_TRUE(is_report(out("ball-g=5-and-1-more.html"))) << both.out;
  ASSERT_EQ(call({"run", "gallery:ladder", "--out", file("out"), "--no-report"}).exit, 0);
  const auto wrong = call({"view", out("ball-g=5.sqlite"), out("ladder.sqlite"), "--no-open"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("error"), std::string::npos) << wrong.err;
  ASSERT_EQ(run({}).exit, 0);
  EXPECT_EQ(call({"view", out("ball.html"), out("ball-g=5.sqlite"), "--no-open"}).exit, 2);
  EXPECT_EQ(call({"view", out("ball-g=5.sqlite"), out("ball.html"), "--no-open"}).exit, 2);
}

TEST_F(View, the_two_laws_have_one_report) {
  const auto answer = call_json({"compare", "gallery:skate", "--until", "0.5", "--out", file("out")});
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(answer.json["straightest"]["files"].back(), out("skate-laws.html"));
  EXPECT_TRUE(is_report(out("skate-laws.html")));
  fs::remove(out("skate-laws.html"));
  ASSERT_EQ(call({"compare", "gallery:skate", "--until", "0.5", "--out", file("out"), "--no-report"}).exit, 0);
  EXPECT_FALSE(fs::exists(out("skate-laws.html")));
  // Its run files can be shown, each under its law.
  EXPECT_EQ(call({"view", out("skate-straightest.sqlite"), out("skate-variational.sqlite"), "--no-open"}).exit, 0);
}

// --------------------------------------------------------------------------------------------------------- variations

TEST_F(View, a_parameter_varied_gives_one_answer_per_value_and_one_report) {
  const auto answer = run({"--vary", "g=5:20:4"});
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(answer.json["vary"], "g");
  EXPECT_EQ(answer.json["files"], Json::array({out("ball-g.html")}));
  EXPECT_TRUE(is_report(out("ball-g.html")));
  const Json& runs = answer.json["runs"];
  ASSERT_EQ(runs.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const double g = 5.0 + 5.0 * static_cast<double>(k);
    EXPECT_EQ(runs[k]["value"], g);
    EXPECT_EQ(runs[k]["status"], "finished");
    // The ball rises with the speed 2 and is back after 4/g.
    EXPECT_NEAR(runs[k]["events"][0]["time"].get<double>(), 4 / g, 1e-12);
    EXPECT_TRUE(fs::exists(runs[k]["files"][0].get<std::string>()));
  }
  // The same as each by itself.
  auto alone = run({"--set", "g=15", "--no-report"}).json;
  EXPECT_EQ(alone["final"], runs[2]["final"]);
  EXPECT_EQ(alone["events"], runs[2]["events"]);
  const auto words = call({"run", file("ball.toml"), "--out", file("out"), "--vary", "g=5,7", "--quiet"});
  EXPECT_EQ(words.out, "g = 5: finished\ng = 7: finished\n");
}

TEST_F(View, variations_that_make_no_sense_are_refused_before_anything_is_run) {
  for (const char* wrong : {"g", "g=", "=1,2", "g=1,,2", "g=1:2", "g=1:2:1", "g=1:2:1.5", "g=1:2:65", "g=a:2:3",
                            "g=1,1", "h=1,2", "g=1,[", "g=1:2:3:4"}) {
    const auto answer = run({"--vary", wrong});
    EXPECT_EQ(answer.exit, 2) << wrong;
    EXPECT_TRUE(answer.json.contains("error")) << answer.out;
  }
  EXPECT_FALSE(fs::exists(file("out")));
  EXPECT_EQ(call_json({"run", "-", "--vary", "g=1,2"}, ball).exit, 2);
}

// ------------------------------------------------------------------------------------------------------------ figures

TEST_F(View, figures_are_well_formed_the_same_every_time_and_know_no_locale) {
  const auto answer = run({"--svg", "--no-report"});
  ASSERT_EQ(answer.exit, 0) << answer.err;
  const Json names = Json::array({out("ball.sqlite"), out("ball-path.svg"), out("ball-coordinates.svg"),
                                  out("ball-multipliers.svg"), out("ball-energy.svg")});
  EXPECT_EQ(answer.json["files"], names);
  std::map<std::string, std::string> first;
  for (std::size_t k = 1; k < names.size(); ++k) {
    const std::string name = names[k];
    first[name] = content(name);
    const xml::Element svg = xml::document(first[name]);
    EXPECT_EQ(svg.name, "svg");
    EXPECT_EQ(svg.all("title")[0]->words(), "A ball");
    EXPECT_FALSE(svg.all("path").empty());
    EXPECT_EQ(svg.attributes.at("role"), "img");
    EXPECT_LT(first[name].size(), 60'000U);
    EXPECT_EQ(first[name].find("nan"), std::string::npos);
    EXPECT_EQ(first[name].find("inf"), std::string::npos);
  }
  ASSERT_EQ(call({"run", file("ball.toml"), "--out", file("out"), "--svg", "--no-report"}, "",
                 {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}})
                .exit,
            0);
  for (const auto& [name, text] : first) EXPECT_EQ(content(name), text) << name;
}

TEST_F(View, space_is_seen_as_asked) {
  std::set<std::string> seen;
  for (const char* projection : {"xy", "xz", "yz", "30,45", "-60,22"}) {
    ASSERT_EQ(call({"run", "gallery:spherical-pendulum", "--out", file("out"), "--svg", "--no-report", "--projection",
                    projection})
                  .exit,
              0);
    seen.insert(content(out("spherical-pendulum-path.svg")));
  }
  EXPECT_EQ(seen.size(), 5U);
  for (const char* wrong : {"xx", "xw", "30", "30,95", "a,b"}) {
    EXPECT_EQ(run({"--svg", "--projection", wrong}).exit, 2) << wrong;
  }
}

TEST_F(View, a_crowd_is_drawn_in_part_and_the_figure_says_so) {
  ASSERT_EQ(call({"run", "gallery:net-on-ball", "--until", "0.3", "--out", file("out"), "--svg", "--no-report"}).exit,
            0);
  const auto words = [&](const char* name) { return xml::document(content(out(name))).words(); };
  EXPECT_NE(words("net-on-ball-path.svg").find("6 of 49 points"), std::string::npos);
  EXPECT_NE(words("net-on-ball-coordinates.svg").find("6 of 49 points"), std::string::npos);
  EXPECT_NE(words("net-on-ball-multipliers.svg").find("6 largest of 133"), std::string::npos);
}

// --------------------------------------------------------------------------------------------------------------- site

class GallerySiteLong : public View {};

TEST_F(GallerySiteLong, every_page_is_well_formed_every_link_leads_somewhere_and_no_model_is_missing) {
  std::ofstream(file("live.html")) << "<html><body>page<!--zwang:text--></body></html>\n";
  const auto made = call({"gallery", "--site", file("site"), "--json"}, "", {{"ZWANG_LIVE_PAGE", file("live.html")}});
  ASSERT_EQ(made.exit, 0) << made.err;
  const Json told = Json::parse(made.out);
  EXPECT_EQ(told["files"], Json::array({file("site/index.html")}));
  const Json models = call_json({"gallery"}).json["models"];
  EXPECT_EQ(told["models"], models.size());
  EXPECT_EQ(content(file("site/live.html")), content(file("live.html"))) << "one living page for all";

  // Whatever is linked lies beside the page; addresses that leave the site only stand in texts about the physics.
  const auto links_of = [&](const fs::path& page) {
    std::set<std::string> links;
    const xml::Element tree = xml::document(content(page.string()));
    for (const auto& [tag, key] :
         {std::pair{"a", "href"}, {"link", "href"}, {"img", "src"}, {"iframe", "src"}, {"script", "src"}}) {
      for (const xml::Element* element : tree.all(tag)) links.insert(element->attributes.at(key));
    }
    for (const std::string& link : links) {
      if (link.starts_with("#") || link.starts_with("data:") || link.starts_with("https://")) continue;
      EXPECT_FALSE(link.starts_with("/") || link.find(':') != std::string::npos) << link;
      EXPECT_TRUE(fs::exists(page.parent_path() / link.substr(0, link.find('#')))) << page << " -> " << link;
    }
    for (const xml::Element* image : tree.all("img")) EXPECT_TRUE(image->attributes.contains("alt"));
    EXPECT_EQ(tree.all("h1").size(), 1U) << page;
    EXPECT_EQ(tree.all("main").size(), 1U) << page;
    return links;
  };
  const std::set<std::string> index = links_of(file("site/index.html"));
  std::set<std::string> read;
  for (const auto& entry : places::gallery_sample(0)) read.insert(entry.path().filename().string());
  for (const Json& model : models) {
    const std::string name = model;
    EXPECT_TRUE(index.contains(name + "/index.html")) << name;
    EXPECT_TRUE(fs::exists(file("site/" + name + "/report.html"))) << name;
    if (!read.contains(name)) continue;
    const std::set<std::string> links = links_of(file("site/" + name + "/index.html"));
    EXPECT_TRUE(links.contains("model.toml")) << name;
    EXPECT_TRUE(links.contains("../live.html#gallery=" + name)) << name;
    EXPECT_TRUE(is_report(file("site/" + name + "/report.html"))) << name;
    EXPECT_EQ(content(file("site/" + name + "/model.toml")), call({"gallery", name}).out);
  }
  const xml::Element overview = xml::document(content(file("site/index.html")));
  EXPECT_GE(overview.all("img").size(), 15U) << "models to begin with";
  EXPECT_GE(read.size(), models.size() / 3) << "pages that were read";

  // The search finds models by words, laws and events, and offers all that there are.
  std::map<std::string, const xml::Element*> found;
  for (const xml::Element* item : overview.all("li")) {
    ASSERT_TRUE(item->attributes.contains("data-words"));
    for (const xml::Element* link : item->all("a")) found[link->attributes.at("href")] = item;
  }
  EXPECT_EQ(found.size(), models.size());
  const auto& bouncing = found.at("bouncing-ball/index.html")->attributes;
  EXPECT_NE(bouncing.at("data-words").find("bouncing-ball"), std::string::npos);
  EXPECT_EQ(bouncing.at("data-events"), "accumulation impact");
  EXPECT_EQ(found.at("cart-variational/index.html")->attributes.at("data-law"), "variational");
  std::set<std::string> offered;
  for (const xml::Element* option : overview.all("option")) offered.insert(option->words());
  for (const char* word : {"any", "straightest", "variational", "flow", "impact", "accumulation", "seizure"})
    EXPECT_TRUE(offered.contains(word)) << word;

  // Small enough to be put anywhere: the script of the reports is there once.
  EXPECT_TRUE(fs::exists(file("site/viewer.js")));
  const std::string report = content(file("site/ladder/report.html"));
  EXPECT_NE(report.find("<script src=\"../viewer.js\"></script>"), std::string::npos);
  EXPECT_NE(report.find("script-src 'self' file:; style-src 'sha256-"), std::string::npos);
  std::uintmax_t size = 0;
  for (const auto& entry : fs::recursive_directory_iterator(file("site")))
    size += entry.is_regular_file() ? entry.file_size() : 0;
  EXPECT_LT(size, 50U << 20U);
}

TEST_F(View, the_gallery_runs_a_model_as_run_does) {
  const auto ran = call_json({"gallery", "ladder", "--run", "--out", file("out")});
  EXPECT_EQ(ran.exit, 0) << ran.err;
  auto same = call_json({"run", "gallery:ladder", "--out", file("out")});
  EXPECT_EQ(ran.json["events"], same.json["events"]);
  EXPECT_EQ(ran.json["files"], same.json["files"]);
  EXPECT_EQ(call({"gallery", "no-such-model", "--run"}).exit, 2);
}

TEST_F(View, the_site_takes_no_single_model_and_needs_a_folder) {
  EXPECT_EQ(call({"gallery", "ladder", "--site", file("site")}).exit, 2);
  EXPECT_EQ(call({"gallery", "--site", file("ball.toml")}).exit, 2);
}

}  // namespace
}  // namespace view_tests
