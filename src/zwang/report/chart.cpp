/// Charts as SVG.
#include "zwang/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "zwang/base/escape.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/mathml.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace {

constexpr double full_width = 720;
constexpr double left = 72;
constexpr double right = 18;
constexpr double font = 13;
constexpr double visible = 0.1;  // pixels

struct Ink {
  std::string_view colour, dashes;
};
/// Neighbours differ in lightness as well as in hue; from the fourth on they are dashed.
constexpr std::array<Ink, 8> styles = {{{"#0b4f8a", ""},
                                        {"#d55e00", ""},
                                        {"#56b4e9", ""},
                                        {"#6a2a5d", "7 3"},
                                        {"#009e73", "7 3"},
                                        {"#e0a100", "7 3"},
                                        {"#444444", "2 2.5"},
                                        {"#c06a9a", "9 3 2 3"}}};

/// A coordinate of the picture.
std::string at(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string grey(double shade) {
  const int level = static_cast<int>(std::lround(std::clamp(shade, 0.0, 1.0) * 255));
  return fmt::format("#{0:02x}{0:02x}{0:02x}", level);
}

/// About the width of a text.
double text_width(std::string_view text, double size = font) {
  double out = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
      out += std::string_view("il.,[]'|()").find(c) == std::string_view::npos ? 0.56 : 0.32;
  }
  return out * size;
}

/// Labels of ticks: all with as many decimals as the step needs; a power of ten is taken out when they are long.
struct Labels {
  int decimals = 0;
  int exponent = 0;
  [[nodiscard]] std::string text(double value) const {
    std::string out = fmt::format("{:.{}f}", value * elementary::pow(10.0, -exponent), decimals);
    if (out.find_first_not_of("-0.") == std::string::npos && out[0] == '-') out.erase(0, 1);
    if (out[0] == '-') out.replace(0, 1, "−");
    return out;
  }
  [[nodiscard]] std::string factor() const {
    if (exponent == 0) return {};
    return fmt::format("×10<tspan dy=\"-4\" font-size=\"9.5\">{}{}</tspan>", exponent < 0 ? "−" : "",
                       std::abs(exponent));
  }
};

Labels labels_of(const Ticks& t) {
  Labels out;
  const double largest = t.step * static_cast<double>(std::max(std::abs(t.first), std::abs(t.last)));
  const int magnitude = largest > 0 ? static_cast<int>(std::floor(elementary::log10(largest) + tick_rounding)) : 0;
  if (magnitude >= 5 || magnitude <= -4) out.exponent = magnitude;
  const int step = static_cast<int>(std::floor(elementary::log10(t.step) + tick_rounding));
  out.decimals = std::max(0, out.exponent - step);
  return out;
}

/// An interval that has a length.
void widen(double& low, double& high) {
  if (!(low <= high)) {
    low = 0;
    high = 1;
  }
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= same_part * size || high == low) {
    const double by = size > 0 ? 0.05 * size : 1;
    low -= by;
    high += by;
  }
}

std::string sign(const Spot& p, MarkShape shape, std::string_view colour, double size) {
  const std::string x = at(p.x);
  const std::string y = at(p.y);
  const auto polygon = [&](std::initializer_list<Spot> corners, bool filled) {
    std::string points;
    for (const Spot& c : corners)
      points += fmt::format("{}{},{}", points.empty() ? "" : " ", at(p.x + size * c.x), at(p.y + size * c.y));
    return fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", points, filled ? colour : "#fff",
                       colour);
  };
  switch (shape) {
    case MarkShape::dot:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"none\"/>\n", x, y, at(size),
                         colour);
    case MarkShape::ring:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.3\"/>\n", x,
                         y, at(size), colour);
    case MarkShape::triangle: return polygon({{-1, -0.9}, {1, -0.9}, {0, 1}}, true);
    case MarkShape::square: return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, true);
    case MarkShape::open_square: return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, false);
    case MarkShape::diamond: return polygon({{0, -1.1}, {1.1, 0}, {0, 1.1}, {-1.1, 0}}, false);
    case MarkShape::cross:
      return fmt::format("<path d=\"M{} {}L{} {}M{} {}L{} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n",
                         at(p.x - size), at(p.y - size), at(p.x + size), at(p.y + size), at(p.x - size), at(p.y + size),
                         at(p.x + size), at(p.y - size), colour);
    case MarkShape::star:
      return fmt::format(
          "<path d=\"M{0} {2}L{0} {3}M{4} {1}L{5} {1}M{6} {8}L{7} {9}M{6} {9}L{7} {8}\" fill=\"none\" stroke=\"{10}\" "
          "stroke-width=\"1.2\"/>\n",
          x, y, at(p.y - 1.3 * size), at(p.y + 1.3 * size), at(p.x - 1.3 * size), at(p.x + 1.3 * size),
          at(p.x - 0.9 * size), at(p.x + 0.9 * size), at(p.y - 0.9 * size), at(p.y + 0.9 * size), colour);
  }
  return {};
}

/// The d of a path through spots of the picture.
std::string path_data(const std::vector<Spot>& spots, bool closed = false) {
  std::string out;
  std::string before;
  for (const Spot& spot : spots) {
    std::string here = at(spot.x) + " " + at(spot.y);
    if (here == before) continue;
    out += (out.empty() ? "M" : "L") + here;
    before = std::move(here);
  }
  return closed && !out.empty() ? out + "Z" : out;
}

/// One entry of the legend.
struct Entry {
  std::string label;
  bool is_line = false;
  std::uint32_t style = 0;
  MarkShape shape = MarkShape::dot;
};

constexpr double entry_line = 19;

/// Entries in lines that are not wider than the picture; `height` receives what they take.
std::string legend(const std::vector<Entry>& entries, double width, double top, double& height) {
  std::string out;
  double x = left;
  double y = top + 12;
  height = entries.empty() ? 0 : entry_line;
  for (const Entry& entry : entries) {
    const double need = 30 + text_width(entry.label) + 18;
    if (x > left && x + need > width - right) {
      x = left;
      y += entry_line;
      height += entry_line;
    }
    if (entry.is_line) {
      const Ink& s = styles[entry.style % styles.size()];
      out += fmt::format("<path d=\"M{} {}H{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", at(x),
                         at(y - 4.5), at(x + 24), s.colour,
                         s.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", s.dashes));
    } else {
      out += sign({x + 17, y - 4.5}, entry.shape, "#333", 4);
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", at(x + 30), at(y), xml_escaped(entry.label));
    x += need;
  }
  if (!entries.empty()) height += 8;
  return out;
}

void add_entry(std::vector<Entry>& entries, Entry entry) {
  for (const Entry& other : entries) {
    if (other.label == entry.label && other.is_line == entry.is_line) return;
  }
  entries.push_back(std::move(entry));
}

/// Sentences in lines below the picture.
std::vector<std::string> note_lines(const std::vector<std::string>& notes, double width) {
  std::vector<std::string> lines;
  for (const std::string& note : notes) {
    std::string line;
    for (std::size_t begin = 0; begin < note.size();) {
      const std::size_t end = std::min(note.find(' ', begin), note.size());
      const std::string word = note.substr(begin, end - begin);
      if (!line.empty() && text_width(line, 11.5) + text_width(word, 11.5) + 6 > width - 2 * right - 10) {
        lines.push_back(std::exchange(line, {}));
      }
      line += line.empty() ? "" : " ";
      line += word;
      begin = end + 1;
    }
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string framed(const std::string& title, const std::string& description, double width, double height,
                   const std::string& body, const std::vector<std::string>& notes) {
  const std::vector<std::string> lines = note_lines(notes, width);
  const double whole = std::ceil(height + (lines.empty() ? 0 : 8 + 15 * static_cast<double>(lines.size())));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
      "font-size=\"{2}\" "
      "fill=\"#111\">\n<title>{3}</title>\n<desc>{4}</desc>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      at(width), at(whole), at(font), xml_escaped(title), xml_escaped(description));
  out += body;
  double y = height + 8;
  for (const std::string& line : lines) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11.5\" fill=\"#555\">{}</text>\n", at(right), at(y),
                       xml_escaped(line));
    y += 15;
  }
  return out + "</svg>\n";
}

std::string curve_path(const std::string& data, const Ink& style, double thickness = 1.5) {
  if (data.empty()) return {};
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>\n",
                     data, style.colour, at(thickness),
                     style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes));
}

std::string outline_path(const std::vector<Spot>& spots, const Outline& outline) {
  const std::string data = path_data(reduced(spots, visible), outline.closed);
  if (data.empty()) return {};
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>\n",
                     data, grey(outline.shade), at(outline.width), outline.dashed ? " stroke-dasharray=\"4 3\"" : "");
}

/// A straight map from numbers to the picture.
struct Scale {
  double low = 0, high = 1;   // numbers
  double start = 0, end = 1;  // picture
  [[nodiscard]] double operator()(double value) const { return start + (value - low) / (high - low) * (end - start); }
};

struct Range {
  double low = INFINITY;
  double high = -INFINITY;
  void take(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

void ranges_of(const Panel& panel, Range& x, Range& y) {
  for (const Curve& curve : panel.curves) {
    for (const auto& stroke : curve.strokes) {
      for (const Spot& spot : stroke) {
        x.take(spot.x);
        y.take(spot.y);
      }
    }
  }
  for (const Outline& outline : panel.outlines) {
    for (const Spot& spot : outline.spots) {
      if (!outline.counts) break;
      x.take(spot.x);
      y.take(spot.y);
    }
  }
  for (const Mark& mark : panel.marks) {
    x.take(mark.spot.x);
    y.take(mark.spot.y);
  }
  if (panel.with_zero) y.take(0);
}

/// Instants nearer than three pixels with the same sign are drawn once.
std::vector<Instant> thinned(const std::vector<Instant>& instants, const Scale& x) {
  std::vector<Instant> out;
  for (const Instant& instant : instants) {
    const bool near = std::any_of(
        out.rbegin(), out.rbegin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(out.size(), 16)),
        [&](const Instant& other) { return other.shape == instant.shape && std::abs(x(other.x) - x(instant.x)) < 3; });
    if (!near) out.push_back(instant);
  }
  return out;
}

}  // namespace

Ticks ticks(double low, double high, int wanted) {
  Ticks out;
  const double rough = (high - low) / std::max(wanted, 1);
  if (!(rough > 0) || !std::isfinite(rough)) return out;
  const double power = elementary::pow(10.0, std::floor(elementary::log10(rough)));
  const double lead = rough / power;
  const double step = lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10;
  // A power below one is the inverse of a whole number: 0.1 is 1/10, not 0.1000000000000000055.
  const double exponent = std::floor(elementary::log10(rough));
  out.step = exponent < 0 ? step / std::round(elementary::pow(10.0, -exponent)) : step * power;
  if (exponent < -15) out.step = step * power;
  // Numbers that differ only in their last digits have no round numbers between them.
  if (std::max(std::abs(low), std::abs(high)) / out.step > 1e12) return {1, 0, -1};
  out.first = static_cast<std::int64_t>(std::ceil(low / out.step - tick_rounding));
  out.last = static_cast<std::int64_t>(std::floor(high / out.step + tick_rounding));
  return out;
}

TimeCurve::TimeCurve(double from, double to, std::uint32_t columns)
    : from_(from), scale_(to > from ? columns / (to - from) : 0), columns_(columns) {}

void TimeCurve::add(double time, double value) {
  if (!std::isfinite(value)) return;
  const double place = std::clamp((time - from_) * scale_, 0.0, static_cast<double>(columns_.size() - 1));
  Column& column = columns_[static_cast<std::size_t>(place)];
  const Spot spot{time, value};
  if (!column.filled) {
    column.spot = {spot, spot, spot, spot};
    column.filled = true;
  } else {
    if (value < column.spot[1].y) column.spot[1] = spot;
    if (value > column.spot[2].y) column.spot[2] = spot;
    column.spot[3] = spot;
  }
  low_ = any_ ? std::min(low_, value) : value;
  high_ = any_ ? std::max(high_, value) : value;
  any_ = true;
}

std::vector<Spot> TimeCurve::spots() const {
  std::vector<Spot> out;
  for (const Column& column : columns_) {
    if (!column.filled) continue;
    // In the order in which they came; lowest and highest keep theirs.
    std::array<Spot, 4> spots = column.spot;
    if (spots[2].x < spots[1].x) std::swap(spots[1], spots[2]);
    for (const Spot& spot : spots) {
      if (out.empty() || out.back().x != spot.x || out.back().y != spot.y) out.push_back(spot);
    }
  }
  return out;
}

std::vector<Spot> reduced(const std::vector<Spot>& spots, double accuracy) {
  if (spots.size() < 3) return spots;
  std::vector<bool> kept(spots.size(), false);
  kept.front() = true;
  kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> stretches{{0, spots.size() - 1}};
  while (!stretches.empty()) {
    const auto [begin, end] = stretches.back();
    stretches.pop_back();
    // The spot farthest from the chord.
    const Spot a = spots[begin];
    const double dx = spots[end].x - a.x;
    const double dy = spots[end].y - a.y;
    const double square = dx * dx + dy * dy;
    double worst = accuracy * accuracy;
    std::size_t where = 0;
    for (std::size_t k = begin + 1; k < end; ++k) {
      const double px = spots[k].x - a.x;
      const double py = spots[k].y - a.y;
      const double s = square > 0 ? std::clamp((px * dx + py * dy) / square, 0.0, 1.0) : 0.0;
      const double distance = (px - s * dx) * (px - s * dx) + (py - s * dy) * (py - s * dy);
      if (distance > worst) {
        worst = distance;
        where = k;
      }
    }
    if (where == 0) continue;
    kept[where] = true;
    stretches.emplace_back(begin, where);
    stretches.emplace_back(where, end);
  }
  std::vector<Spot> out;
  for (std::size_t k = 0; k < spots.size(); ++k) {
    if (kept[k]) out.push_back(spots[k]);
  }
  return out;
}

std::string draw(const Chart& chart) {
  // The legend.
  std::vector<Entry> entries;
  for (const Panel& panel : chart.panels) {
    for (const Curve& curve : panel.curves) {
      if (!curve.label.empty()) add_entry(entries, {curve.label, true, curve.style, {}});
    }
  }
  for (const auto& [shape, label] : chart.signs) add_entry(entries, {label, false, 0, shape});
  for (const Instant& instant : chart.instants) add_entry(entries, {instant.label, false, 0, instant.shape});
  if (chart.bare) entries.clear();

  // The horizontal axis, and the height of the panels.
  Range x_range;
  std::vector<Range> y_ranges(chart.panels.size());
  for (std::size_t k = 0; k < chart.panels.size(); ++k) ranges_of(chart.panels[k], x_range, y_ranges[k]);
  widen(x_range.low, x_range.high);
  for (Range& range : y_ranges) widen(range.low, range.high);
  const std::size_t count = std::max<std::size_t>(chart.panels.size(), 1);
  double inner_width = full_width - left - right;
  double panel_height = count == 1 ? 300 : count == 2 ? 190 : count == 3 ? 150 : 120;
  Scale x{x_range.low, x_range.high, 0, 1};
  if (chart.equal) {
    // One scale for both: the box grows until it has the picture's shape, within limits.
    Range& y = y_ranges[0];
    const double margin = 0.05;
    double w = (x_range.high - x_range.low) * (1 + 2 * margin);
    double h = (y.high - y.low) * (1 + 2 * margin);
    panel_height = std::clamp(inner_width * h / w, 170.0, 520.0);
    inner_width = std::clamp(panel_height * w / h, 300.0, inner_width);
    const double unit = std::max(w / inner_width, h / panel_height);
    w = unit * inner_width;
    h = unit * panel_height;
    const double cx = 0.5 * (x_range.low + x_range.high);
    const double cy = 0.5 * (y.low + y.high);
    x.low = cx - w / 2;
    x.high = cx + w / 2;
    y = {cy - h / 2, cy + h / 2};
  } else if (!chart.tight_x) {
    const double by = 0.04 * (x_range.high - x_range.low);
    x.low -= by;
    x.high += by;
  }
  const double width = left + inner_width + right;
  x.start = left;
  x.end = width - right;
  double legend_height = 0;
  std::string body = legend(entries, width, 10, legend_height);
  const double top = 14 + legend_height + (chart.instants.empty() ? 0 : 12);
  Ticks x_ticks = ticks(x.low, x.high, std::max(3, static_cast<int>(inner_width / 80)));
  const Labels x_labels = labels_of(x_ticks);
  if (chart.bare) x_ticks.last = x_ticks.first - 1;
  const std::vector<Instant> instants = thinned(chart.instants, x);

  constexpr double gap = 16;
  double y_top = top;
  for (std::size_t k = 0; k < chart.panels.size(); ++k) {
    const Panel& panel = chart.panels[k];
    Range range = y_ranges[k];
    if (!chart.equal) {
      const double by = 0.06 * (range.high - range.low);
      if (!(panel.with_zero && range.low == 0)) range.low -= by;
      if (!(panel.with_zero && range.high == 0)) range.high += by;
    }
    const double bottom = y_top + panel_height;
    const Scale y{range.low, range.high, bottom, y_top};
    Ticks y_ticks = ticks(range.low, range.high,
                          chart.equal          ? static_cast<int>(std::lround(panel_height / 60))
                          : panel_height > 200 ? 6
                                               : 4);
    const Labels y_labels = labels_of(y_ticks);
    if (chart.bare) y_ticks.last = y_ticks.first - 1;
    const bool last = k + 1 == chart.panels.size();

    // Grid, ticks and labels.
    std::string grid;
    std::string marks;
    for (std::int64_t i = y_ticks.first; i <= y_ticks.last; ++i) {
      const double value = y_ticks.step * static_cast<double>(i);
      grid += fmt::format("M{} {}H{}", at(left), at(y(value)), at(width - right));
      marks += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", at(left - 8), at(y(value) + 4.5),
                           y_labels.text(value));
    }
    for (std::int64_t i = x_ticks.first; i <= x_ticks.last; ++i) {
      const double value = x_ticks.step * static_cast<double>(i);
      grid += fmt::format("M{} {}V{}", at(x(value)), at(y_top), at(bottom));
      if (last)
        marks += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", at(x(value)),
                             at(bottom + 18), x_labels.text(value));
    }
    if (!grid.empty())
      body += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#e4e4e4\" stroke-width=\"0.8\"/>\n", grid);
    if (range.low < 0 && range.high > 0 && !chart.equal) {
      body += fmt::format("<path d=\"M{} {}H{}\" fill=\"none\" stroke=\"#999\" stroke-width=\"0.8\"/>\n", at(left),
                          at(y(0)), at(width - right));
    }
    body += marks;
    if (const std::string factor = y_labels.factor(); !factor.empty() && !chart.bare) {
      body +=
          fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11.5\">{}</text>\n", at(left + 4), at(y_top + 13), factor);
    }
    if (!panel.y_title.empty() && !chart.bare) {
      const double title_x = 17;
      body += fmt::format("<text x=\"{0}\" y=\"{1}\" font-style=\"italic\" text-anchor=\"middle\"{2}>{3}</text>\n",
                          at(title_x), at(0.5 * (y_top + bottom) + 4),
                          panel.y_title.size() <= 4 ? ""
                                                    : fmt::format(" transform=\"rotate(-90 {} {})\"", at(title_x),
                                                                  at(0.5 * (y_top + bottom) + 4)),
                          xml_escaped(panel.y_title));
    }

    // Events, then what is drawn, kept inside the axes.
    std::string lines;
    for (const Instant& instant : instants) lines += fmt::format("M{} {}V{}", at(x(instant.x)), at(y_top), at(bottom));
    if (!lines.empty())
      body += fmt::format(
          "<path d=\"{}\" fill=\"none\" stroke=\"#777\" stroke-width=\"0.7\" stroke-dasharray=\"1 2.5\"/>\n", lines);
    body += fmt::format(
        "<clipPath id=\"panel{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n<g "
        "clip-path=\"url(#panel{0})\">\n",
        k + 1, at(left - 1), at(y_top - 1), at(inner_width + 2), at(panel_height + 2));
    for (const Outline& outline : panel.outlines) {
      std::vector<Spot> spots;
      for (const Spot& spot : outline.spots) spots.push_back({x(spot.x), y(spot.y)});
      body += outline_path(spots, outline);
    }
    for (const Curve& curve : panel.curves) {
      std::string data;
      for (const auto& stroke : curve.strokes) {
        std::vector<Spot> spots;
        spots.reserve(stroke.size());
        for (const Spot& spot : stroke) spots.push_back({x(spot.x), y(spot.y)});
        data += path_data(reduced(spots, visible));
      }
      body += curve_path(data, styles[curve.style % styles.size()]);
    }
    for (const Mark& mark : panel.marks) {
      const std::string colour =
          mark.shade >= 0 ? grey(mark.shade) : std::string(styles[mark.style % styles.size()].colour);
      body += sign({x(mark.spot.x), y(mark.spot.y)}, mark.shape, colour, mark.size);
    }
    body += "</g>\n";
    std::string axis = fmt::format("M{} {}V{}H{}", at(left), at(y_top), at(bottom), at(width - right));
    for (std::int64_t i = y_ticks.first; i <= y_ticks.last; ++i)
      axis += fmt::format("M{} {}h-5", at(left), at(y(y_ticks.step * static_cast<double>(i))));
    for (std::int64_t i = x_ticks.first; i <= x_ticks.last; ++i)
      axis += fmt::format("M{} {}v5", at(x(x_ticks.step * static_cast<double>(i))), at(bottom));
    if (!chart.bare) body += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#111\" stroke-width=\"1\"/>\n", axis);
    y_top = bottom + (last ? 0 : gap);
  }

  // The signs of events stand above the uppermost panel.
  for (const Instant& instant : instants) body += sign({x(instant.x), top - 7}, instant.shape, "#333", 3.6);
  double height = y_top + 26;
  if (!chart.x_title.empty() && !chart.bare) {
    height += 14;
    body += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-style=\"italic\">{}</text>\n",
                        at(left + inner_width / 2), at(height - 5), xml_escaped(chart.x_title));
  }
  if (const std::string factor = x_labels.factor(); !factor.empty() && !chart.bare) {
    body += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" font-size=\"11.5\">{}</text>\n", at(width - right),
                        at(height - 5), factor);
  }
  return framed(chart.title, chart.description, width, height + 6, body,
                chart.bare ? std::vector<std::string>() : chart.notes);
}

std::string draw(const SpaceChart& chart) {
  constexpr double width = full_width;
  // The box.
  std::array<Range, 3> box;
  for (const SpaceChart::Line& line : chart.lines) {
    if (!line.counts) continue;
    for (const Spot3& p : line.spots) {
      box[0].take(p.x);
      box[1].take(p.y);
      box[2].take(p.z);
    }
  }
  for (const SpaceChart::Sign& mark : chart.marks) {
    box[0].take(mark.spot.x);
    box[1].take(mark.spot.y);
    box[2].take(mark.spot.z);
  }
  double size = 0;
  for (const Range& range : box) size = std::max(size, range.high >= range.low ? range.high - range.low : 0.0);
  if (size == 0) size = 1;
  std::array<Ticks, 3> tick;
  std::array<Labels, 3> label;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(box[i].low <= box[i].high)) box[i] = {0, 0};
    const double middle = 0.5 * (box[i].low + box[i].high);
    const double half = std::max(0.5 * (box[i].high - box[i].low) + 0.03 * size, 0.1 * size);
    box[i] = {middle - half, middle + half};
    tick[i] = ticks(box[i].low, box[i].high, std::max(2, static_cast<int>(std::lround(10 * half / size))));
    label[i] = labels_of(tick[i]);
  }

  // Seen from afar: right, up, and towards the eye.
  const double a = chart.azimuth * std::numbers::pi / 180;
  const double e = chart.elevation * std::numbers::pi / 180;
  const std::array<double, 3> to_right = {-elementary::sin(a), elementary::cos(a), 0};
  const std::array<double, 3> to_top = {-elementary::cos(a) * elementary::sin(e),
                                        -elementary::sin(a) * elementary::sin(e), elementary::cos(e)};
  const std::array<double, 3> to_eye = {elementary::cos(a) * elementary::cos(e),
                                        elementary::sin(a) * elementary::cos(e), elementary::sin(e)};
  const auto flat = [&](const std::array<double, 3>& p) {
    return Spot{to_right[0] * p[0] + to_right[1] * p[1] + to_right[2] * p[2],
                to_top[0] * p[0] + to_top[1] * p[1] + to_top[2] * p[2]};
  };
  Range across;
  Range up;
  for (int corner = 0; corner < 8; ++corner) {
    const Spot p = flat({(corner & 1) != 0 ? box[0].high : box[0].low, (corner & 2) != 0 ? box[1].high : box[1].low,
                         (corner & 4) != 0 ? box[2].high : box[2].low});
    across.take(p.x);
    up.take(p.y);
  }

  std::vector<Entry> entries;
  for (const SpaceChart::Line& line : chart.lines) {
    if (!line.label.empty()) add_entry(entries, {line.label, true, line.style, {}});
  }
  for (const auto& [shape, text] : chart.signs) add_entry(entries, {text, false, 0, shape});
  if (chart.bare) entries.clear();
  double legend_height = 0;
  std::string body = legend(entries, width, 10, legend_height);
  const double inner_width = width - 2 * left;
  const double unit = std::min(inner_width / (across.high - across.low), 480 / (up.high - up.low));
  const double height = unit * (up.high - up.low);
  const double top = 16 + legend_height;
  const auto place = [&](const std::array<double, 3>& p) {
    const Spot s = flat(p);
    return Spot{width / 2 + unit * (s.x - 0.5 * (across.low + across.high)), top + unit * (up.high - s.y)};
  };
  const auto spot_of = [&](const Spot3& p) { return place({p.x, p.y, p.z}); };

  // The three walls behind, with lines at the ticks.
  std::array<double, 3> back{};
  std::array<double, 3> front{};
  for (std::size_t i = 0; i < 3; ++i) {
    back[i] = to_eye[i] > 0 ? box[i].low : box[i].high;
    front[i] = to_eye[i] > 0 ? box[i].high : box[i].low;
  }
  const auto segment = [&](const std::array<double, 3>& p, const std::array<double, 3>& q) {
    const Spot s = place(p);
    const Spot t = place(q);
    return fmt::format("M{} {}L{} {}", at(s.x), at(s.y), at(t.x), at(t.y));
  };
  std::string grid;
  std::string frame;
  for (std::size_t wall = 0; wall < 3; ++wall) {
    const std::size_t u = (wall + 1) % 3;
    const std::size_t v = (wall + 2) % 3;
    for (const auto& [along, other] : {std::pair{u, v}, std::pair{v, u}}) {
      std::array<double, 3> p = back;
      std::array<double, 3> q = back;
      p[other] = box[other].low;
      q[other] = box[other].high;
      for (std::int64_t i = tick[along].first; i <= tick[along].last; ++i) {
        p[along] = q[along] = tick[along].step * static_cast<double>(i);
        grid += segment(p, q);
      }
      for (const double end : {box[along].low, box[along].high}) {
        p[along] = q[along] = end;
        frame += segment(p, q);
      }
    }
  }
  if (!chart.bare)
    body += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"#e4e4e4\" stroke-width=\"0.8\"/>\n<path d=\"{}\" fill=\"none\" "
        "stroke=\"#aaa\" stroke-width=\"0.9\"/>\n",
        grid, frame);

  // Labels stand at the outer edges: of x and y at the floor in front, of z at the edge farthest left.
  const Spot centre =
      place({0.5 * (box[0].low + box[0].high), 0.5 * (box[1].low + box[1].high), 0.5 * (box[2].low + box[2].high)});
  double lowest = 0;
  for (std::size_t i = 0; i < 3 && !chart.bare; ++i) {
    std::array<double, 3> p = front;
    if (i < 2) {
      p[2] = box[2].low;
    } else {
      std::array<double, 3> q = front;
      p[0] = back[0];
      q[1] = back[1];
      if (place(q).x < place(p).x) p = q;
    }
    std::array<double, 3> begin = p;
    std::array<double, 3> end = p;
    begin[i] = box[i].low;
    end[i] = box[i].high;
    const Spot s = place(begin);
    const Spot t = place(end);
    body += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#111\" stroke-width=\"1\"/>\n", segment(begin, end));
    // Outward: across the edge, away from the middle.
    const double length = elementary::hypot(t.x - s.x, t.y - s.y);
    if (length < 20) continue;
    double nx = (t.y - s.y) / length;
    double ny = -(t.x - s.x) / length;
    if (nx * (0.5 * (s.x + t.x) - centre.x) + ny * (0.5 * (s.y + t.y) - centre.y) < 0) {
      nx = -nx;
      ny = -ny;
    }
    const char* anchor = nx < -0.35 ? "end" : nx > 0.35 ? "start" : "middle";
    const int every =
        std::max(1, static_cast<int>(std::ceil(34 * static_cast<double>(tick[i].last - tick[i].first + 1) / length)));
    for (std::int64_t k = tick[i].first; k <= tick[i].last; ++k) {
      p[i] = tick[i].step * static_cast<double>(k);
      const Spot m = place(p);
      body += fmt::format("<path d=\"M{} {}l{} {}\" fill=\"none\" stroke=\"#111\" stroke-width=\"1\"/>\n", at(m.x),
                          at(m.y), at(5 * nx), at(5 * ny));
      if ((k - tick[i].first) % every != 0) continue;
      body += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" font-size=\"12\">{}</text>\n", at(m.x + 10 * nx),
                          at(m.y + 12 * ny + 4), anchor, label[i].text(p[i]));
      lowest = std::max(lowest, m.y + 12 * ny + 8);
    }
    const Spot middle{0.5 * (s.x + t.x) + 38 * nx, 0.5 * (s.y + t.y) + 34 * ny + 4};
    body += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-style=\"italic\">{}</text>\n",
                        at(middle.x), at(middle.y), std::string_view("xyz").substr(i, 1));
    lowest = std::max(lowest, middle.y + 4);
  }

  // What is drawn.
  for (const SpaceChart::Line& line : chart.lines) {
    std::vector<Spot> spots;
    spots.reserve(line.spots.size());
    for (const Spot3& p : line.spots) spots.push_back(spot_of(p));
    if (line.grey) {
      body += outline_path(spots, {{}, false, line.dashed, line.shade, line.width, false});
    } else {
      body += curve_path(path_data(reduced(spots, visible)), styles[line.style % styles.size()], line.width);
    }
  }
  for (const SpaceChart::Sign& mark : chart.marks) {
    const std::string colour =
        mark.shade >= 0 ? grey(mark.shade) : std::string(styles[mark.style % styles.size()].colour);
    body += sign(spot_of(mark.spot), mark.shape, colour, mark.size);
  }
  return framed(chart.title, chart.description, width, std::max(top + height, lowest) + 14, body,
                chart.bare ? std::vector<std::string>() : chart.notes);
}

}  // namespace zwang::report
