/// The equations of a page: well-formed for every model of the gallery, small for every crowd, harmless for every word.
#include "zwang/report/equations_mathml.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "expressions/xml.hpp"
#include "places.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/equations.hpp"

namespace equations_mathml_tests {
namespace {

using namespace zwang;

std::string contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t out = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++out;
  return out;
}

TEST(EquationsMathml, every_model_of_the_gallery_is_well_formed_and_short) {
  std::size_t left_out = 0;
  std::size_t models = 0;
  for (const auto& entry : places::gallery()) {
    if (!entry.is_directory()) continue;
    SCOPED_TRACE(entry.path().filename().string());
    const model::Model model = model::load(contents(entry.path() / "model.toml"), "model.toml");
    const std::string html = report::equations_mathml(model);
    EXPECT_LT(html.size(), 200'000U);
    const xml::Element tree = xml::fragment(html);
    // What would be longer is left out, and a sentence says so.
    const bool told = html.starts_with("<p class=\"left-out\">");
    left_out += told ? 1 : 0;
    ++models;
    EXPECT_EQ(tree.all("math").empty(), told);
    // As many signs of equality as formulas; what goes on below is indented.
    std::size_t equal = 0;
    for (const xml::Element* line : tree.all("div")) {
      ASSERT_EQ(line->children.size(), 1U);
      const std::vector<xml::Element>& row = line->children[0].children.at(0).children;
      EXPECT_EQ(line->attributes.at("class") == "formula continued", row.front().name == "mspace");
      for (const xml::Element& item : row) equal += item.name == "mo" && item.words() == "=" ? 1 : 0;
      EXPECT_FALSE(row.back().words().empty());
    }
    EXPECT_EQ(equal, count(html, "<div class=\"formula\">"));
  }
  EXPECT_LE(left_out * 18, models) << "few are beyond reading: heaps, cloths, boxes that touch";
}

TEST(EquationsMathml, has_the_formulas_of_the_latex) {
  // Both are written from the same equations: as many fractions, roots, sums and dots in what both show.
  for (const char* name : {"falling-chain", "double-pendulum", "skate", "bead-on-rotating-wire", "leaning-disc"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path folder = std::filesystem::path(places::source("gallery")) / name;
    const std::string text = contents(folder / "model.toml");
    const model::Draft draft = model::read(text, "model.toml");
    const model::Model model = model::compile(draft);
    const analysis::Equations equations = analysis::equations(draft, model);
    std::string latex = report::equations_latex(model, equations);
    latex.resize(std::min(latex.find("\\subsection*{Multipliers}"), latex.size()));
    const std::string html = report::equations_mathml(model, equations);
    ASSERT_EQ(html.find("left-out"), std::string::npos);
    EXPECT_EQ(count(html, "<mfrac>"), count(latex, "\\frac{"));
    EXPECT_EQ(count(html, "<msqrt>"), count(latex, "\\sqrt{"));
    EXPECT_EQ(count(html, "∑"), count(latex, "\\sum"));
    // Words have primes instead of dots.
    EXPECT_EQ(count(html, "¨") + count(html, "″"), count(latex, "\\ddot{"));
    EXPECT_EQ(count(html, "˙") + count(html, "′"), count(latex, "\\dot{"));
    EXPECT_EQ(count(html, "<div class=\"formula\">"), count(latex, " &= "));
  }
}

TEST(EquationsMathml, a_crowd_is_shown_by_its_general_member) {
  const model::Model model = model::load(R"(
[points.bead]
count = 3000
mass = 1
position = ["i", 0]
[constraints]
link = { for = "i = 1..2999", condition = "distance(bead[i], bead[i+1]) <= 1" }
)",
                                         "crowd.toml");
  const std::string html = report::equations_mathml(model);
  EXPECT_LT(html.size(), 20'000U);
  EXPECT_NE(html.find("2999"), std::string::npos);
  EXPECT_NO_THROW((void)xml::fragment(html));
}

TEST(EquationsMathml, what_is_written_one_by_one_beyond_reading_is_a_sentence) {
  std::string text = "gravity = [0, -1]\n";
  for (int i = 0; i < 400; ++i)
    text += "[points.p" + std::to_string(i) + "]\nmass = 1\nposition = [" + std::to_string(i) + ", 0]\n";
  text += "[constraints]\n";
  for (int i = 0; i < 399; ++i) {
    const std::string a = std::to_string(i);
    text += "c" + a + " = \"distance(p" + a + ", p" + std::to_string(i + 1) + ") <= 1\"\n";
  }
  const model::Model model = model::load(text, "many.toml");
  const std::string html = report::equations_mathml(model);
  EXPECT_LT(html.size(), 1000U);
  EXPECT_NE(html.find("zwang equations"), std::string::npos);
}

TEST(EquationsMathml, the_words_of_the_file_are_text) {
  const model::Model model =
      model::load("[points.a]\nmass = 1\nposition = [0, 0]\n[constraints]\nwall = \"a.x <= 1\"\n", "x.toml");
  const std::string html = report::equations_mathml(model);
  EXPECT_NE(html.find("<code>a.x &lt;= 1</code>"), std::string::npos);
  EXPECT_NO_THROW((void)xml::fragment(html));
}

}  // namespace
}  // namespace equations_mathml_tests
