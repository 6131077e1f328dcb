/// Charts in the plane as SVG: panels one below the other over one horizontal axis.
#include "zwang/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "zwang/base/escape.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/report/chart_ink.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

namespace ink {

namespace {

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

/// A straight map from numbers to the picture.
struct Scale {
  double low = 0, high = 1;   // numbers
  double start = 0, end = 1;  // picture
  [[nodiscard]] double operator()(double value) const { return start + (value - low) / (high - low) * (end - start); }
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

/// The drawing of panels one below the other: what is common to them, then the body as it grows.
class Plane {
 public:
  explicit Plane(const Chart& chart) : chart_(chart), y_ranges_(chart.panels.size()) {}

  std::string draw() {
    choose_axes();
    for (std::size_t k = 0; k < chart_.panels.size(); ++k) draw_panel(k);
    for (const Instant& instant : instants_) body_ += sign({x_(instant.x), top_ - 7}, instant.shape, "#333", 3.6);
    return framed(chart_.title, chart_.description, width_, below_panels() + 6, body_,
                  chart_.bare ? std::vector<std::string>() : chart_.notes);
  }

 private:
  /// The legend, the horizontal axis, and how high the panels are.
  void choose_axes() {
    Range x_range;
    for (std::size_t k = 0; k < chart_.panels.size(); ++k) ranges_of(chart_.panels[k], x_range, y_ranges_[k]);
    widen(x_range.low, x_range.high);
    for (Range& range : y_ranges_) widen(range.low, range.high);
    const std::size_t count = std::max<std::size_t>(chart_.panels.size(), 1);
    panel_height_ = count == 1 ? 300 : count == 2 ? 190 : count == 3 ? 150 : 120;
    x_ = {x_range.low, x_range.high, 0, 1};
    if (chart_.equal) {
      give_both_one_scale(x_range);
    } else if (!chart_.tight_x) {
      const double by = 0.04 * (x_range.high - x_range.low);
      x_.low -= by;
      x_.high += by;
    }
    width_ = left + inner_width_ + right;
    x_.start = left;
    x_.end = width_ - right;
    double legend_height = 0;
    body_ = legend(legend_entries(), width_, 10, legend_height);
    top_ = y_top_ = 14 + legend_height + (chart_.instants.empty() ? 0 : 12);
    x_ticks_ = ticks(x_.low, x_.high, std::max(3, static_cast<int>(inner_width_ / 80)));
    x_labels_ = labels_of(x_ticks_);
    if (chart_.bare) x_ticks_.last = x_ticks_.first - 1;
    instants_ = thinned(chart_.instants, x_);
  }

  std::vector<Entry> legend_entries() const {
    std::vector<Entry> entries;
    if (chart_.bare) return entries;
    for (const Panel& panel : chart_.panels) {
      for (const Curve& curve : panel.curves) {
        if (!curve.label.empty()) add_entry(entries, {curve.label, true, curve.style, {}});
      }
    }
    for (const auto& [shape, label] : chart_.signs) add_entry(entries, {label, false, 0, shape});
    for (const Instant& instant : chart_.instants) add_entry(entries, {instant.label, false, 0, instant.shape});
    return entries;
  }

  /// The box grows until it has the picture's shape, within limits.
  void give_both_one_scale(const Range& x) {
    Range& y = y_ranges_[0];
    const double margin = 0.05;
    double w = (x.high - x.low) * (1 + 2 * margin);
    double h = (y.high - y.low) * (1 + 2 * margin);
    panel_height_ = std::clamp(inner_width_ * h / w, 170.0, 520.0);
    inner_width_ = std::clamp(panel_height_ * w / h, 300.0, inner_width_);
    const double unit = std::max(w / inner_width_, h / panel_height_);
    w = unit * inner_width_;
    h = unit * panel_height_;
    const double cx = 0.5 * (x.low + x.high);
    const double cy = 0.5 * (y.low + y.high);
    x_.low = cx - w / 2;
    x_.high = cx + w / 2;
    y = {cy - h / 2, cy + h / 2};
  }

  /// The vertical axis of one panel.
  struct Upright {
    Scale y;
    Ticks ticks;
    Labels labels;
    double bottom = 0;
    bool last = false;  ///< no panel below
  };

  Upright upright(std::size_t k) const {
    const Panel& panel = chart_.panels[k];
    Range range = y_ranges_[k];
    if (!chart_.equal) {
      const double by = 0.06 * (range.high - range.low);
      if (!(panel.with_zero && range.low == 0)) range.low -= by;
      if (!(panel.with_zero && range.high == 0)) range.high += by;
    }
    Upright out;
    out.bottom = y_top_ + panel_height_;
    out.y = {range.low, range.high, out.bottom, y_top_};
    const int wanted = chart_.equal ? static_cast<int>(std::lround(panel_height_ / 60)) : panel_height_ > 200 ? 6 : 4;
    out.ticks = ticks(range.low, range.high, wanted);
    out.labels = labels_of(out.ticks);
    if (chart_.bare) out.ticks.last = out.ticks.first - 1;
    out.last = k + 1 == chart_.panels.size();
    return out;
  }

  void draw_panel(std::size_t k) {
    const Panel& panel = chart_.panels[k];
    const Upright side = upright(k);
    draw_grid(side);
    draw_titles(panel, side);
    draw_instants(side);
    draw_inside(panel, side, k + 1);
    if (!chart_.bare) draw_axis(side);
    constexpr double gap = 16;
    y_top_ = side.bottom + (side.last ? 0 : gap);
  }

  /// Lines at the ticks, the line of zero, labels.
  void draw_grid(const Upright& side) {
    std::string grid;
    std::string marks;
    for (std::int64_t i = side.ticks.first; i <= side.ticks.last; ++i) {
      const double value = side.ticks.step * static_cast<double>(i);
      grid += fmt::format("M{} {}H{}", at(left), at(side.y(value)), at(width_ - right));
      marks += text(left - 8, side.y(value) + 4.5, side.labels.text(value), " text-anchor=\"end\"");
    }
    for (std::int64_t i = x_ticks_.first; i <= x_ticks_.last; ++i) {
      const double value = x_ticks_.step * static_cast<double>(i);
      grid += fmt::format("M{} {}V{}", at(x_(value)), at(y_top_), at(side.bottom));
      if (side.last) marks += text(x_(value), side.bottom + 18, x_labels_.text(value), " text-anchor=\"middle\"");
    }
    if (!grid.empty()) body_ += stroke(grid, "#e4e4e4", "0.8");
    if (side.y.low < 0 && side.y.high > 0 && !chart_.equal)
      body_ += stroke(fmt::format("M{} {}H{}", at(left), at(side.y(0)), at(width_ - right)), "#999", "0.8");
    body_ += marks;
  }

  /// The power of ten of the labels, and what the axis shows: short words lie, long ones stand.
  void draw_titles(const Panel& panel, const Upright& side) {
    if (chart_.bare) return;
    if (const std::string factor = side.labels.factor(); !factor.empty())
      body_ += text(left + 4, y_top_ + 13, factor, " font-size=\"11.5\"");
    if (panel.y_title.empty()) return;
    const double x = 17;
    const double y = 0.5 * (y_top_ + side.bottom) + 4;
    const std::string turned =
        panel.y_title.size() <= 4 ? "" : fmt::format(" transform=\"rotate(-90 {} {})\"", at(x), at(y));
    body_ += text(x, y, xml_escaped(panel.y_title), " font-style=\"italic\" text-anchor=\"middle\"" + turned);
  }

  void draw_instants(const Upright& side) {
    std::string lines;
    for (const Instant& instant : instants_)
      lines += fmt::format("M{} {}V{}", at(x_(instant.x)), at(y_top_), at(side.bottom));
    if (lines.empty()) return;
    body_ += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"#777\" stroke-width=\"0.7\" stroke-dasharray=\"1 2.5\"/>\n", lines);
  }

  /// Outlines, curves and marks, kept inside the axes.
  void draw_inside(const Panel& panel, const Upright& side, std::size_t number) {
    body_ += fmt::format(
        "<clipPath id=\"panel{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n<g "
        "clip-path=\"url(#panel{0})\">\n",
        number, at(left - 1), at(y_top_ - 1), at(inner_width_ + 2), at(panel_height_ + 2));
    const auto placed = [&](const std::vector<Spot>& from) {
      std::vector<Spot> spots;
      spots.reserve(from.size());
      for (const Spot& spot : from) spots.push_back({x_(spot.x), side.y(spot.y)});
      return spots;
    };
    for (const Outline& outline : panel.outlines) body_ += outline_path(placed(outline.spots), outline);
    for (const Curve& curve : panel.curves) {
      std::string data;
      for (const std::vector<Spot>& one : curve.strokes) data += path_data(reduced(placed(one), visible));
      body_ += curve_path(data, style(curve.style));
    }
    for (const Mark& mark : panel.marks)
      body_ += sign({x_(mark.spot.x), side.y(mark.spot.y)}, mark.shape, colour(mark.shade, mark.style), mark.size);
    body_ += "</g>\n";
  }

  void draw_axis(const Upright& side) {
    std::string axis = fmt::format("M{} {}V{}H{}", at(left), at(y_top_), at(side.bottom), at(width_ - right));
    for (std::int64_t i = side.ticks.first; i <= side.ticks.last; ++i)
      axis += fmt::format("M{} {}h-5", at(left), at(side.y(side.ticks.step * static_cast<double>(i))));
    for (std::int64_t i = x_ticks_.first; i <= x_ticks_.last; ++i)
      axis += fmt::format("M{} {}v5", at(x_(x_ticks_.step * static_cast<double>(i))), at(side.bottom));
    body_ += stroke(axis, "#111", "1");
  }

  /// What the horizontal axis shows; the height of all.
  double below_panels() {
    double height = y_top_ + 26;
    if (chart_.bare) return height;
    if (!chart_.x_title.empty()) {
      height += 14;
      body_ += text(left + inner_width_ / 2, height - 5, xml_escaped(chart_.x_title),
                    " text-anchor=\"middle\" font-style=\"italic\"");
    }
    if (const std::string factor = x_labels_.factor(); !factor.empty())
      body_ += text(width_ - right, height - 5, factor, " text-anchor=\"end\" font-size=\"11.5\"");
    return height;
  }

  const Chart& chart_;
  std::vector<Range> y_ranges_;  ///< per panel
  double inner_width_ = full_width - left - right;
  double panel_height_ = 300;
  double width_ = full_width;
  Scale x_;
  Ticks x_ticks_;
  Labels x_labels_;
  std::vector<Instant> instants_;
  double top_ = 0;    ///< of the uppermost panel
  double y_top_ = 0;  ///< of the next panel
  std::string body_;
};

}  // namespace

}  // namespace ink

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

std::string draw(const Chart& chart) { return ink::Plane(chart).draw(); }

}  // namespace zwang::report
