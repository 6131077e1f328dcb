/// The page of a fit.
#include "zwang/report/fit_page.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/fit.hpp"

namespace zwang::report::fit_page_tests {
namespace {

constexpr const char* throw_up = R"toml(
title = "A throw <up>"
gravity = [0, "-g"]
[parameters]
v = 3
g = 9
[points.a]
mass = 1
position = [0, 0]
velocity = [1, "v"]
[outputs]
height = "a.y"
along = "a.x"
)toml";

struct Fitted {
  sensitivity::Measured measured;
  sensitivity::Fit fit;
  std::string page;
};

Fitted fitted(const std::string& table, const std::vector<std::string>& free) {
  Fitted out;
  out.measured = read_measured(table, "data.csv");
  const model::Draft draft = model::read(throw_up, "throw.toml");
  out.fit = sensitivity::fit(draft, {}, free, out.measured);
  model::Overrides values;
  for (const auto& one : out.fit.parameters) values.parameters.emplace_back(one.name, std::to_string(one.value));
  values.until = std::to_string(out.measured.times.back());
  out.page = fit_page(model::compile(draft, values), out.measured, out.fit, "zwang run throw.toml --set v=4 && <echo>");
  return out;
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

TEST(FitPage, has_every_value_twice_with_its_bar_and_the_curve_once) {
  const Fitted found = fitted("t,height\n0.1,0.36\n0.2,0.6\n0.3,0.76\n0.4,0.81\n0.5,0.78\n", {"v", "g"});
  ASSERT_TRUE(found.fit.converged);
  // A dot per value above, one below, and one in the legend.
  EXPECT_EQ(count_of(found.page, "<circle"), 2 * 5 + 1U);
  EXPECT_EQ(count_of(found.page, "<figure>"), 1U);
  EXPECT_EQ(found.page.find("along"), std::string::npos) << "nothing was measured of it";
  EXPECT_TRUE(found.page.starts_with("<!DOCTYPE html>"));
  EXPECT_NE(found.page.find("A throw &lt;up&gt;"), std::string::npos);
  EXPECT_NE(found.page.find("--set v=4 &amp;&amp; &lt;echo&gt;"), std::string::npos);
  EXPECT_EQ(found.page.find("<script"), std::string::npos);
}

TEST(MeasuredValues, are_read_behind_a_byte_order_mark) {
  const sensitivity::Measured plain = read_measured("t,y\n0,1\n1,2\n", "data.csv");
  const sensitivity::Measured marked = read_measured("\xEF\xBB\xBFt,y\n0,1\n1,2\n", "data.csv");
  EXPECT_EQ(marked.times, plain.times);
  EXPECT_EQ(marked.times.size(), 2U);
}

TEST(FitPage, tells_errors_and_correlations_as_the_covariance_has_them) {
  const Fitted found = fitted("t,height\n0.1,0.36\n0.2,0.6\n0.3,0.76\n0.4,0.81\n0.5,0.78\n", {"v", "g"});
  // height = v t - g t^2/2 is linear: the correlation of v and g follows from the times alone, S23 / sqrt(S22 S33) with
  // the sums of t^2, t^3/2 and t^4/4.
  double tt = 0, ttt = 0, tttt = 0;
  for (int k = 1; k <= 5; ++k) {
    const double t = 0.1 * k;
    tt += t * t, ttt += t * t * t / 2, tttt += t * t * t * t / 4;
  }
  const double correlation = ttt / std::sqrt(tt * tttt);
  const std::string text = readable(correlation, 3);
  EXPECT_EQ(count_of(found.page, ">" + text + "<"), 2U) << text;
  EXPECT_EQ(count_of(found.page, ">1</td>"), 2U);
  EXPECT_EQ(found.page.find("not determined"), std::string::npos);
}

TEST(FitPage, of_two_outputs_has_two_figures_that_do_not_share_names) {
  const Fitted found = fitted("t,height,along\n0.1,0.36,0.1\n0.2,0.6,\n0.3,0.76,0.31\n", {"v"});
  EXPECT_EQ(count_of(found.page, "<figure>"), 2U);
  for (const char* name : {"id=\"fit1-panel1\"", "id=\"fit1-panel2\"", "id=\"fit2-panel1\"", "id=\"fit2-panel2\""}) {
    EXPECT_EQ(count_of(found.page, name), 1U) << name;
  }
  EXPECT_EQ(count_of(found.page, "url(#fit2-panel1)"), 1U);
  EXPECT_EQ(found.page.find("Correlations"), std::string::npos) << "one parameter has none";
}

TEST(FitPage, of_a_goal_has_no_errors_and_says_so) {
  // As many values as parameters.
  const Fitted found = fitted("t,height,along\n0.5,1.25,0.5\n", {"v", "g"});
  EXPECT_EQ(count_of(found.page, "not determined"), 2U);
  EXPECT_EQ(found.page.find("one deviation"), std::string::npos);
}

TEST(Measured, of_very_many_columns_is_read_in_the_size_of_its_file) {
  // 50 000 names: a copy of their line for each would be 17 GB.
  std::string text = "t";
  for (int k = 0; k < 50'000; ++k) text += ",a" + std::to_string(k);
  text += "\n0.1" + std::string(50'000, ',') + "\n";
  const sensitivity::Measured measured = read_measured(text, "data.csv");
  ASSERT_EQ(measured.outputs.size(), 50'000U);
  EXPECT_EQ(measured.output_origin.front().line, measured.output_origin.back().line);
  text.insert(text.find('\n'), ",a7");
  EXPECT_THROW(static_cast<void>(read_measured(text, "data.csv")), Error);
}

}  // namespace
}  // namespace zwang::report::fit_page_tests
