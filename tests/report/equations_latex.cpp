/// LaTeX documents of the equations: balanced, made of known commands, and compiled where a TeX is installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "places.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/equations.hpp"

namespace zwang::report::equations_latex_tests {
namespace {

namespace fs = std::filesystem;

// What LaTeX with amsmath knows, of all it knows.
const std::set<std::string> known = {"documentclass",
                                     "usepackage",
                                     "allowdisplaybreaks",
                                     "setlength",
                                     "textwidth",
                                     "oddsidemargin",
                                     "parindent",
                                     "begin",
                                     "end",
                                     "section",
                                     "subsection",
                                     "paragraph",
                                     "texttt",
                                     "mathrm",
                                     "mathbf",
                                     "times",
                                     "operatorname",
                                     "frac",
                                     "sqrt",
                                     "left",
                                     "right",
                                     "sum",
                                     "dot",
                                     "ddot",
                                     "quad",
                                     "lambda",
                                     "varrho",
                                     "Phi",
                                     "varphi",
                                     "partial",
                                     "dots",
                                     "le",
                                     "ge",
                                     "text",
                                     "pi",
                                     "cdot",
                                     "medskip",
                                     "sin",
                                     "cos",
                                     "tan",
                                     "arcsin",
                                     "arccos",
                                     "arctan",
                                     "sinh",
                                     "cosh",
                                     "tanh",
                                     "exp",
                                     "log",
                                     "min",
                                     "max",
                                     "textbackslash",
                                     "textasciitilde",
                                     "textasciicircum",
                                     "textless",
                                     "textgreater",
                                     "alpha",
                                     "beta",
                                     "gamma",
                                     "delta",
                                     "epsilon",
                                     "zeta",
                                     "eta",
                                     "theta",
                                     "iota",
                                     "kappa",
                                     "mu",
                                     "nu",
                                     "xi",
                                     "rho",
                                     "sigma",
                                     "tau",
                                     "upsilon",
                                     "phi",
                                     "chi",
                                     "psi",
                                     "omega",
                                     "Omega"};

/// What is wrong with the document, or "".
std::string complaint(const std::string& text) {
  int braces = 0;
  int fences = 0;
  std::vector<std::string> environments;
  bool formula = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '{') ++braces;
    if (text[k] == '}' && --braces < 0) return "a brace too many at " + text.substr(k, 40);
    if (text[k] == '$') formula = !formula;
    if (text[k] != '\\') continue;
    std::size_t end = k + 1;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
    const std::string word = text.substr(k + 1, end - k - 1);
    if (word.empty()) {
      if (std::string("\\,{}_&%$#").find(text[end]) == std::string::npos)
        return "a sign unknown: " + text.substr(k, 20);
      k = end;
      continue;
    }
    if (!known.contains(word)) return "a command unknown: " + word;
    if (word == "left") ++fences;
    if (word == "right" && --fences < 0) return "a \\right too many";
    if (word == "begin" || word == "end") {
      const std::size_t close = text.find('}', end);
      const std::string name = text.substr(end + 1, close - end - 1);
      if (word == "begin") {
        environments.push_back(name);
      } else if (environments.empty() || environments.back() != name) {
        return "\\end{" + name + "} without its beginning";
      } else {
        environments.pop_back();
      }
      if (fences != 0 && name != "cases") return "an open \\left at the end of " + name;
    }
    k = end - 1;
  }
  if (braces != 0 || !environments.empty() || formula) return "something is left open";
  return "";
}

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string document(const std::string& text, bool members = false) {
  const model::Draft draft = model::read(text, "model_1.toml");
  const model::Model model = model::compile(draft);
  return equations_latex(model, analysis::equations(draft, model, members));
}

/// What `zwang equations` writes: with rigid bodies the equations of Newton and Euler.
std::string shown(const std::string& text) {
  const model::Draft draft = model::read(text, "model_1.toml");
  return equations_of(expressions::Notation::latex, draft, model::compile(draft), false, false);
}

/// Strange names and titles, families, powers, a flow.
const char* const strange = R"model(
title = '100 % of {x_1} & #2 ~ ^ \ $ <ü> →'
[parameters]
alpha_1 = 1e-7
very_long_name = 3
p = [1, 2]
[points.a_b]
count = 3
mass = "very_long_name"
position = ["i", 0.5]
[coordinates.theta2]
initial = 0.3
[energy]
kinetic = "theta2'^2*(1 + cos(theta2)^2)^2"
potential = "alpha_1*atan2(theta2, 2)^very_long_name + sum(i = 1..2, distance(a_b[i], a_b[i+1])^3) + 1.5e300*theta2"
[constraints]
x_y = { for = "i = 1..3", condition = "distance(a_b[i], p) + max(i, 2)*theta2^2 <= 30" }
[[seizures]]
name = "hook"
at = 2
condition = "a_b[2]' = [0, 0]"
)model";
const char* const flow = R"model(
[coordinates.x]
initial = 0.6
[coordinates.y]
initial = 0.8
[flow]
x = "-y"
y = "x*t"
[free]
functions = ["x"]
[constraints]
circle = "x^2 + y^2 = 1"
)model";

TEST(EquationsLatex, is_balanced_and_uses_known_commands) {
  for (const auto& entry : places::gallery()) {
    const std::string text = content(entry.path() / "model.toml");
    if (text.empty() || analysis::too_long(model::load(text, "model.toml"))) continue;
    EXPECT_EQ(complaint(shown(text)), "") << entry.path();
  }
  EXPECT_EQ(complaint(document(strange)), "") << document(strange);
  EXPECT_EQ(complaint(document(strange, true)), "");
  EXPECT_EQ(complaint(document(flow)), "");
}

TEST(EquationsLatex, compiles_where_there_is_a_tex) {
  if (std::system("pdflatex --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "pdflatex is not installed";
  std::string name = (fs::temp_directory_path() / "zwang-latex-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path folder = name;

  // One document of all bodies, since starting TeX takes longer than the formulas.
  std::string all;
  std::string head;
  const auto add = [&](const std::string& text) {
    const std::string one = document(text);
    const std::string begin = "\\begin{document}\n";
    const std::size_t from = one.find(begin);
    head = one.substr(0, from + begin.size());
    all += one.substr(from + begin.size(), one.rfind("\\end{document}") - from - begin.size());
  };
  for (const auto& entry : places::gallery()) {
    const std::string text = content(entry.path() / "model.toml");
    if (!text.empty() && !analysis::too_long(model::load(text, "model.toml"))) add(text);
  }
  add(strange);
  add(flow);
  std::ofstream(folder / "all.tex") << head << all << "\\end{document}\n";
  const std::string call = "cd '" + name + "' && pdflatex -halt-on-error -interaction=nonstopmode all.tex > log 2>&1";
  EXPECT_EQ(std::system(call.c_str()), 0) << content(folder / "log").substr(0, 3000);
  EXPECT_TRUE(fs::exists(folder / "all.pdf"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace zwang::report::equations_latex_tests
