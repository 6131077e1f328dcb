/// What charts are drawn with: ink, texts, signs, a legend, a frame. Coordinates are those of the picture, in pixels, from the upper left corner.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "zwang/report/chart.hpp"

namespace zwang::report::ink {

inline constexpr double full_width = 720;
inline constexpr double left = 72;
inline constexpr double right = 18;
inline constexpr double visible = 0.1;  ///< of a pixel: what is nearer to a chord is not drawn

struct Style {
  std::string_view colour, dashes;
};
/// Of curves: neighbours differ in lightness as well as in hue; from the fourth on they are dashed.
[[nodiscard]] const Style& style(std::uint32_t number);
/// Colour of a mark: its shade of grey, or that of its style.
[[nodiscard]] std::string colour(double shade, std::uint32_t number);

/// A coordinate as text.
[[nodiscard]] std::string at(double value);

/// Labels of ticks: all with as many decimals as the step needs; a power of ten is taken out when they are long.
struct Labels {
  int decimals = 0;
  int exponent = 0;
  [[nodiscard]] std::string text(double value) const;
  [[nodiscard]] std::string factor() const;  ///< the power of ten; empty: none
};
[[nodiscard]] Labels labels_of(const Ticks& t);

[[nodiscard]] std::string sign(const Spot& p, MarkShape shape, std::string_view colour, double size);
/// The d of a path through spots of the picture.
[[nodiscard]] std::string path_data(const std::vector<Spot>& spots, bool closed = false);
[[nodiscard]] std::string curve_path(const std::string& data, const Style& style, double thickness = 1.5);
[[nodiscard]] std::string outline_path(const std::vector<Spot>& spots, const Outline& outline);
/// A line of the frame, grid or an axis.
[[nodiscard]] std::string stroke(const std::string& data, std::string_view colour, std::string_view width);
[[nodiscard]] std::string text(double x, double y, std::string_view words, std::string_view attributes = {});

/// One entry of the legend.
struct Entry {
  std::string label;
  bool is_line = false;
  std::uint32_t style = 0;
  MarkShape shape = MarkShape::dot;
};
/// Once for all with the same label.
void add_entry(std::vector<Entry>& entries, Entry entry);
/// Entries in lines that are not wider than the picture; `height` receives what they take.
[[nodiscard]] std::string legend(const std::vector<Entry>& entries, double width, double top, double& height);

/// The whole picture: title, body, and sentences below it.
[[nodiscard]] std::string framed(const std::string& title, const std::string& description, double width, double height,
                                 const std::string& body, const std::vector<std::string>& notes);

/// What numbers reach over.
struct Range {
  double low = INFINITY;
  double high = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
};

}  // namespace zwang::report::ink
