/// Charts for papers, drawn as SVG: axes with ticks at round numbers, curves that can be told apart in grey, events, a legend.
///
/// The same chart gives the same bytes everywhere: no locale, no time, no random names. Text stays text. Curves are reduced to
/// what the eye can see (a tenth of a pixel), so that the size of a file does not depend on the length of a run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace zwang::report {

struct Spot {
  double x = 0;
  double y = 0;
};

/// A line through spots, perhaps in several strokes.
struct Curve {
  std::string label;  ///< in the legend; empty: not listed
  std::vector<std::vector<Spot>> strokes;
  std::uint32_t style = 0;  ///< colour and dashes; equal styles look alike
};

/// Things around curves: walls, strings, outlines, in grey.
struct Outline {
  std::vector<Spot> spots;
  bool closed = false;
  bool dashed = false;
  double shade = 0.5;  ///< 0 black to 1 white
  double width = 1;
  bool counts = false;  ///< the axes reach as far as it does
};

enum class MarkShape : std::uint8_t { dot, ring, triangle, square, open_square, diamond, cross, star };

struct Mark {
  Spot spot;
  MarkShape shape = MarkShape::dot;
  std::uint32_t style = 0;
  double size = 3.5;
  double shade = -1;  ///< grey instead of the style's colour
};

/// A vertical line over all panels with a sign at its top.
struct Instant {
  double x = 0;
  MarkShape shape = MarkShape::triangle;
  std::string label;  ///< in the legend, once for all with the same
};

struct Panel {
  std::string y_title;
  std::vector<Curve> curves;
  std::vector<Outline> outlines;
  std::vector<Mark> marks;
  bool with_zero = false;  ///< the axis reaches to zero, where a line is drawn
};

/// Panels below one another over one horizontal axis.
struct Chart {
  std::string title;  ///< for readers who cannot see it, and as a tool tip
  std::string description;
  std::string x_title;
  std::vector<Panel> panels;
  std::vector<Instant> instants;
  std::vector<std::string> notes;  ///< below, whole sentences
  bool equal = false;              ///< one scale for both axes: a picture of the plane
  bool tight_x = false;            ///< the axis ends where the curves end
  bool bare = false;               ///< what is drawn alone, without axes, legend and notes
  /// Legend entries that belong to no curve.
  std::vector<std::pair<MarkShape, std::string>> signs;
};

[[nodiscard]] std::string draw(const Chart& chart);

/// Space seen from afar: a box with ticks, curves, outlines and marks in three coordinates.
struct Spot3 {
  double x = 0;
  double y = 0;
  double z = 0;
};
struct SpaceChart {
  std::string title, description;
  struct Line {
    std::string label;
    std::vector<Spot3> spots;
    std::uint32_t style = 0;
    bool grey = false;
    bool dashed = false;
    double shade = 0.5;
    double width = 1.4;
    bool counts = true;  ///< the box reaches as far as it does
  };
  std::vector<Line> lines;
  struct Sign {
    Spot3 spot;
    MarkShape shape = MarkShape::dot;
    std::uint32_t style = 0;
    double size = 3.5;
    double shade = -1;
  };
  std::vector<Sign> marks;
  std::vector<std::string> notes;
  std::vector<std::pair<MarkShape, std::string>> signs;
  double azimuth = -60;  ///< degrees: from where it is seen, round the vertical
  double elevation = 22;
  bool bare = false;
};
[[nodiscard]] std::string draw(const SpaceChart& chart);

/// Round numbers that divide an interval: 1, 2 or 5 times a power of ten apart, about `wanted` of them.
struct Ticks {
  double step = 1;
  std::int64_t first = 0;  ///< ticks at first * step ... last * step
  std::int64_t last = 0;
};
[[nodiscard]] Ticks ticks(double low, double high, int wanted);

/// A curve whose horizontal coordinate grows, taken in point by point and kept in bounded memory: of every column of the picture
/// the first, lowest, highest and last value.
class TimeCurve {
 public:
  TimeCurve(double from, double to, std::uint32_t columns = 1400);
  void add(double time, double value);
  [[nodiscard]] std::vector<Spot> spots() const;
  [[nodiscard]] bool empty() const { return !any_; }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  struct Column {
    std::array<Spot, 4> spot{};  ///< first, lowest, highest, last
    bool filled = false;
  };
  double from_;
  double scale_;
  std::vector<Column> columns_;
  bool any_ = false;
  double low_ = 0;
  double high_ = 0;
};

/// The spots of a polyline that are needed to draw it to an accuracy (Douglas and Peucker).
[[nodiscard]] std::vector<Spot> reduced(const std::vector<Spot>& spots, double accuracy);

}  // namespace zwang::report
