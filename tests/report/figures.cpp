/// Charts show what they are given: no extreme is lost, no curve is off by more than the eye sees, ticks are round; and a figure's
/// curve, measured against its own axes, is the motion.
#include "zwang/report/figures.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "expressions/xml.hpp"
#include "zwang/model/read.hpp"
#include "zwang/report/chart.hpp"
#include "zwang/runs/record.hpp"

namespace figures_tests {
namespace {

using namespace zwang;
using report::Spot;

double distance_to(const std::vector<Spot>& line, const Spot& p) {
  double best = INFINITY;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const double dx = line[k + 1].x - line[k].x;
    const double dy = line[k + 1].y - line[k].y;
    const double square = dx * dx + dy * dy;
    const double s =
        square > 0 ? std::clamp(((p.x - line[k].x) * dx + (p.y - line[k].y) * dy) / square, 0.0, 1.0) : 0.0;
    best = std::min(best, std::hypot(p.x - line[k].x - s * dx, p.y - line[k].y - s * dy));
  }
  return best;
}

TEST(Chart, a_reduced_line_is_nowhere_farther_off_than_allowed) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<int, int>>& raw, unsigned fine) {
    std::vector<Spot> line;
    for (const auto& [x, y] : raw) line.push_back({(x % 1000) / 10.0, (y % 1000) / 10.0});
    RC_PRE(line.size() > 2);
    const double accuracy = 0.01 + (fine % 100) / 10.0;
    const std::vector<Spot> less = report::reduced(line, accuracy);
    RC_ASSERT(less.size() <= line.size());
    for (const Spot& p : line) RC_ASSERT(distance_to(less, p) <= accuracy * (1 + 1e-12));
  }));
}

TEST(Chart, a_long_curve_keeps_its_extremes_in_bounded_memory) {
  report::TimeCurve curve(0, 10, 700);
  double highest = -INFINITY;
  for (int k = 0; k <= 200'000; ++k) {
    const double t = 10.0 * k / 200'000;
    const double value = std::sin(500 * t) * (1 + t) + (k == 123'456 ? 40 : 0);
    highest = std::max(highest, value);
    curve.add(t, value);
  }
  const std::vector<Spot> spots = curve.spots();
  EXPECT_LE(spots.size(), 4U * 700U);
  EXPECT_EQ(std::max_element(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.y < b.y; })->y,
            highest);
  EXPECT_EQ(curve.high(), highest);
  EXPECT_TRUE(std::is_sorted(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.x < b.x; }));
  EXPECT_EQ(spots.front().x, 0);
  EXPECT_EQ(spots.back().x, 10);
}

TEST(Chart, ticks_are_round_few_and_inside) {
  EXPECT_TRUE(rc::check([](int mantissa, int exponent, int width, int shift) {
    const double low = mantissa % 1000 * std::pow(10.0, exponent % 12);
    const double high =
        low + (1 + std::abs(width % 1000)) * std::pow(10.0, shift % 6) * std::max(1e-3 * std::abs(low), 1e-12);
    RC_PRE(high > low && std::isfinite(high));
    const report::Ticks t = report::ticks(low, high, 6);
    RC_ASSERT(t.step > 0);
    RC_ASSERT(t.last - t.first <= 12);
    RC_ASSERT(t.last - t.first >= 1);
    const double slack = 1e-8 * t.step + 4e-16 * std::abs(low);  // a tick is no more exact than a number
    RC_ASSERT(t.step * static_cast<double>(t.first) >= low - slack);
    RC_ASSERT(t.step * static_cast<double>(t.last) <= high + slack);
    const double lead = t.step / std::pow(10.0, std::floor(std::log10(t.step) + 1e-9));
    RC_ASSERT(std::min({std::abs(lead - 1), std::abs(lead - 2), std::abs(lead - 5), std::abs(lead - 10)}) < 1e-6);
  }));
}

TEST(Chart, axes_of_large_small_and_constant_numbers_are_readable) {
  for (const double value : {1e300, 1e-300, -12345678.0, 0.0, 1e-7}) {
    report::Chart chart;
    chart.panels.emplace_back();
    chart.panels[0].curves.push_back({"a <b> & c", {{{0, value}, {1, value}}}, 0});
    const std::string svg = report::draw(chart);
    const xml::Element tree = xml::document(svg);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
    EXPECT_NE(tree.words().find("a <b> & c"), std::string::npos);
    for (const xml::Element* text : tree.all("text")) EXPECT_LT(text->words().size(), 16U) << text->words();
  }
  EXPECT_NO_THROW((void)xml::document(report::draw(report::Chart{})));
  EXPECT_NO_THROW((void)xml::document(report::draw(report::SpaceChart{})));
}

/// A run in a file of its own.
class Figures : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "zwang-figures-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::map<std::string, std::string> drawn(const std::string& text, const report::Projection& projection = {}) {
    const model::Model model = model::load(text, "model.toml");
    runs::Store store = runs::Store::create((folder_ / "run.sqlite").string(), {"test", "model.toml", text, {}}, model);
    motion::Motion motion = runs::start_or_resume(model, {}, store);
    runs::record(model, motion, store);
    std::map<std::string, std::string> out;
    for (report::Figure& figure : report::figures(model, store.view(model), projection))
      out[figure.name] = std::move(figure.svg);
    return out;
  }
  std::filesystem::path folder_;
};

/// The map from the picture to numbers along one axis, from the labels of its ticks.
struct Axis {
  double scale = 0, offset = 0;
  [[nodiscard]] double operator()(double place) const { return scale * place + offset; }
};
Axis axis(const xml::Element& svg, bool horizontal) {
  // Labels below the axis are centred, those beside it end at it.
  std::vector<std::pair<double, double>> known;
  for (const xml::Element* text : svg.all("text")) {
    const auto anchor = text->attributes.find("text-anchor");
    if (anchor == text->attributes.end() || anchor->second != (horizontal ? "middle" : "end")) continue;
    std::string words = text->words();
    if (words.starts_with("−")) words.replace(0, std::string("−").size(), "-");
    if (words.find_first_not_of("-0123456789.") != std::string::npos) continue;
    const double place = std::stod(text->attributes.at(horizontal ? "x" : "y")) - (horizontal ? 0 : 4.5);
    known.emplace_back(place, std::stod(words));
  }
  Axis out;
  if (known.size() < 2) return out;
  out.scale = (known.back().second - known.front().second) / (known.back().first - known.front().first);
  out.offset = known.front().second - out.scale * known.front().first;
  return out;
}

/// The spots of the first coloured curve.
std::vector<Spot> curve(const xml::Element& svg) {
  for (const xml::Element* path : svg.all("path")) {
    if (path->attributes.at("stroke") != "#0b4f8a" || path->attributes.at("d").find('L') == std::string::npos) continue;
    std::string data = path->attributes.at("d");
    for (char& c : data) c = c == 'M' || c == 'L' ? ' ' : c;
    std::istringstream stream(data);
    std::vector<Spot> out;
    for (Spot p; stream >> p.x >> p.y;) out.push_back(p);
    return out;
  }
  return {};
}

TEST_F(Figures, the_path_of_a_thrown_stone_is_its_parabola) {
  const auto figures = drawn(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [2, 5]\n[simulation]\nuntil = 1\n");
  const xml::Element svg = xml::document(figures.at("path"));
  const Axis x = axis(svg, true);
  const Axis y = axis(svg, false);
  ASSERT_GT(x.scale, 0);
  EXPECT_NEAR(x.scale, -y.scale, 1e-3 * x.scale) << "one scale for both axes";
  const std::vector<Spot> spots = curve(svg);
  ASSERT_GT(spots.size(), 20U);
  EXPECT_LT(spots.size(), 400U);
  // Positions are written to a tenth of a pixel, and so are the ticks.
  for (const Spot& p : spots) {
    const double t = x(p.x) / 2;
    EXPECT_NEAR(y(p.y), 1 + 5 * t - 5 * t * t, 4 * x.scale);
  }
  EXPECT_NEAR(x(spots.back().x), 2, 2 * x.scale);
  EXPECT_FALSE(figures.contains("multipliers"));
}

TEST_F(Figures, a_floor_is_drawn_at_rest_and_where_it_has_moved_to) {
  const std::string stone =
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [0, 1]\nvelocity = [2, 5]\n[simulation]\nuntil = 1\n";
  const auto strokes = [&](const std::string& floor) {
    const auto figures = drawn(stone + (floor.empty() ? "" : "[constraints]\nfloor = \"" + floor + "\"\n"));
    return xml::document(figures.at("path")).all("path").size();
  };
  const std::size_t alone = strokes("");
  EXPECT_GT(strokes("a.y >= 0"), alone);
  EXPECT_EQ(strokes("a.y >= 0.1*t"), strokes("a.y >= 0"));
}

TEST_F(Figures, the_multiplier_of_a_pendulum_is_its_tension) {
  // Let go from the horizontal: the tension is 3 m g sin of the angle below it, at the lowest place 30.
  const auto figures = drawn(
      "gravity = [0, -10]\n[points.a]\nmass = 1\nposition = [1, 0]\n[constraints]\nstring = \"norm(a) <= "
      "1\"\n[simulation]\nuntil = 1.5\n");
  const xml::Element svg = xml::document(figures.at("multipliers"));
  const Axis y = axis(svg, false);
  double highest = 0;
  for (const Spot& p : curve(svg)) highest = std::max(highest, y(p.y));
  EXPECT_NEAR(highest, 30, 0.3);
  EXPECT_NE(xml::document(figures.at("path")).words().find("start"), std::string::npos);
}

TEST_F(Figures, coordinates_without_a_picture_have_a_phase_portrait) {
  const auto figures = drawn(
      "[coordinates.q]\ninitial = 1\n[energy]\nkinetic = \"q'^2/2\"\npotential = \"2*q^2\"\n[simulation]\nuntil = 3\n");
  EXPECT_FALSE(figures.contains("path"));
  const xml::Element svg = xml::document(figures.at("phase"));
  const Axis x = axis(svg, true);
  const Axis y = axis(svg, false);
  for (const Spot& p : curve(svg)) EXPECT_NEAR(4 * std::pow(x(p.x), 2) + std::pow(y(p.y), 2), 4, 0.06) << "an ellipse";
}

TEST_F(Figures, long_runs_stay_small) {
  const auto figures = drawn(
      "[coordinates.q]\ninitial = 1\n[energy]\nkinetic = \"q'^2/2\"\npotential = \"50*q^2\"\n[simulation]\nuntil = "
      "2000\ntolerance = 1e-6\n");
  for (const auto& [name, svg] : figures) {
    EXPECT_LT(svg.size(), 400'000U) << name;
    EXPECT_NO_THROW((void)xml::document(svg)) << name;
  }
}

TEST_F(Figures, projections_are_two_axes_or_two_angles) {
  EXPECT_EQ(report::read_projection("zx")->across, 2);
  EXPECT_EQ(report::read_projection("zx")->up, 0);
  EXPECT_EQ(report::read_projection("-30,60.5")->elevation, 60.5);
  EXPECT_LT(report::read_projection("-30,60.5")->across, 0);
  for (const char* wrong : {"", "x", "xx", "xyz", "30", "30,", ",3", "30,91", "nan,1"})
    EXPECT_FALSE(report::read_projection(wrong)) << wrong;
}

}  // namespace
}  // namespace figures_tests
