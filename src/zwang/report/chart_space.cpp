/// Charts of space as SVG: a box with ticks, seen from afar.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "zwang/elementary/elementary.hpp"
#include "zwang/report/chart_ink.hpp"

namespace zwang::report {

namespace ink {

namespace {

using Place = std::array<double, 3>;

double along(const Place& direction, const Place& p) {
  return direction[0] * p[0] + direction[1] * p[1] + direction[2] * p[2];
}

/// The drawing of a box: its walls, its axes, what is in it.
class Box {
 public:
  explicit Box(const SpaceChart& chart) : chart_(chart) {}

  std::string draw() {
    choose_box();
    look_from_afar();
    double legend_height = 0;
    body_ = legend(legend_entries(), full_width, 10, legend_height);
    const double height = choose_scale(16 + legend_height);
    if (!chart_.bare) {
      draw_walls();
      for (std::size_t i = 0; i < 3; ++i) draw_axis(i);
    }
    draw_inside();
    return framed(chart_.title, chart_.description, full_width, std::max(top_ + height, lowest_) + 14, body_,
                  chart_.bare ? std::vector<std::string>() : chart_.notes);
  }

 private:
  /// What counts lies inside, with some room; no side is a tenth of the longest or less.
  void choose_box() {
    const auto take = [&](const Spot3& p) {
      box_[0].take(p.x);
      box_[1].take(p.y);
      box_[2].take(p.z);
    };
    for (const SpaceChart::Line& line : chart_.lines) {
      if (!line.counts) continue;
      for (const Spot3& p : line.spots) take(p);
    }
    for (const SpaceChart::Sign& mark : chart_.marks) take(mark.spot);
    double size = 0;
    for (const Range& range : box_) size = std::max(size, range.high >= range.low ? range.high - range.low : 0.0);
    if (size == 0) size = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(box_[i].low <= box_[i].high)) box_[i] = {0, 0};
      const double middle = 0.5 * (box_[i].low + box_[i].high);
      const double half = std::max(0.5 * (box_[i].high - box_[i].low) + 0.03 * size, 0.1 * size);
      box_[i] = {middle - half, middle + half};
      tick_[i] = ticks(box_[i].low, box_[i].high, std::max(2, static_cast<int>(std::lround(10 * half / size))));
      label_[i] = labels_of(tick_[i]);
    }
  }

  /// Right, up, and towards the eye; which corners of the box are behind and in front.
  void look_from_afar() {
    const double a = chart_.azimuth * std::numbers::pi / 180;
    const double e = chart_.elevation * std::numbers::pi / 180;
    to_right_ = {-elementary::sin(a), elementary::cos(a), 0};
    to_top_ = {-elementary::cos(a) * elementary::sin(e), -elementary::sin(a) * elementary::sin(e), elementary::cos(e)};
    const Place to_eye = {elementary::cos(a) * elementary::cos(e), elementary::sin(a) * elementary::cos(e),
                          elementary::sin(e)};
    for (std::size_t i = 0; i < 3; ++i) {
      back_[i] = to_eye[i] > 0 ? box_[i].low : box_[i].high;
      front_[i] = to_eye[i] > 0 ? box_[i].high : box_[i].low;
    }
    for (unsigned corner = 0; corner < 8; ++corner) {
      Place p{};
      for (std::size_t i = 0; i < 3; ++i) p[i] = (corner >> i & 1U) != 0 ? box_[i].high : box_[i].low;
      across_.take(along(to_right_, p));
      up_.take(along(to_top_, p));
    }
  }

  std::vector<Entry> legend_entries() const {
    std::vector<Entry> entries;
    if (chart_.bare) return entries;
    for (const SpaceChart::Line& line : chart_.lines) {
      if (!line.label.empty()) add_entry(entries, {line.label, true, line.style, {}});
    }
    for (const auto& [shape, words] : chart_.signs) add_entry(entries, {words, false, 0, shape});
    return entries;
  }

  /// Returns the height of the box.
  double choose_scale(double top) {
    top_ = top;
    unit_ = std::min((full_width - 2 * left) / (across_.high - across_.low), 480 / (up_.high - up_.low));
    return unit_ * (up_.high - up_.low);
  }

  Spot place(const Place& p) const {
    return {full_width / 2 + unit_ * (along(to_right_, p) - 0.5 * (across_.low + across_.high)),
            top_ + unit_ * (up_.high - along(to_top_, p))};
  }

  std::string segment(const Place& p, const Place& q) const {
    const Spot s = place(p);
    const Spot t = place(q);
    return fmt::format("M{} {}L{} {}", at(s.x), at(s.y), at(t.x), at(t.y));
  }

  /// The three walls behind, with lines at the ticks.
  void draw_walls() {
    std::string grid;
    std::string frame;
    for (std::size_t wall = 0; wall < 3; ++wall) {
      const std::size_t u = (wall + 1) % 3;
      const std::size_t v = (wall + 2) % 3;
      for (const auto& [one, other] : {std::pair{u, v}, std::pair{v, u}}) {
        Place p = back_;
        Place q = back_;
        p[other] = box_[other].low;
        q[other] = box_[other].high;
        for (std::int64_t i = tick_[one].first; i <= tick_[one].last; ++i) {
          p[one] = q[one] = tick_[one].step * static_cast<double>(i);
          grid += segment(p, q);
        }
        for (const double end : {box_[one].low, box_[one].high}) {
          p[one] = q[one] = end;
          frame += segment(p, q);
        }
      }
    }
    body_ += stroke(grid, "#e4e4e4", "0.8") + stroke(frame, "#aaa", "0.9");
  }

  /// Labels stand at the outer edges: of x and y at the floor in front, of z at the edge farthest left.
  Place outer_edge(std::size_t i) const {
    Place p = front_;
    if (i < 2) {
      p[2] = box_[2].low;
      return p;
    }
    Place q = front_;
    p[0] = back_[0];
    q[1] = back_[1];
    return place(q).x < place(p).x ? q : p;
  }

  void draw_axis(std::size_t i) {
    Place p = outer_edge(i);
    Place begin = p;
    Place end = p;
    begin[i] = box_[i].low;
    end[i] = box_[i].high;
    const Spot s = place(begin);
    const Spot t = place(end);
    body_ += stroke(segment(begin, end), "#111", "1");

    // Outward: across the edge, away from the middle.
    const double length = elementary::hypot(t.x - s.x, t.y - s.y);
    if (length < 20) return;
    const Spot centre = place(
        {0.5 * (box_[0].low + box_[0].high), 0.5 * (box_[1].low + box_[1].high), 0.5 * (box_[2].low + box_[2].high)});
    double nx = (t.y - s.y) / length;
    double ny = -(t.x - s.x) / length;
    if (nx * (0.5 * (s.x + t.x) - centre.x) + ny * (0.5 * (s.y + t.y) - centre.y) < 0) {
      nx = -nx;
      ny = -ny;
    }

    // As many labels as have room.
    const std::string anchor = fmt::format(" text-anchor=\"{}\" font-size=\"12\"", nx < -0.35  ? "end"
                                                                                   : nx > 0.35 ? "start"
                                                                                               : "middle");
    const auto count = static_cast<double>(tick_[i].last - tick_[i].first + 1);
    const int every = std::max(1, static_cast<int>(std::ceil(34 * count / length)));
    for (std::int64_t k = tick_[i].first; k <= tick_[i].last; ++k) {
      p[i] = tick_[i].step * static_cast<double>(k);
      const Spot m = place(p);
      body_ += stroke(fmt::format("M{} {}l{} {}", at(m.x), at(m.y), at(5 * nx), at(5 * ny)), "#111", "1");
      if ((k - tick_[i].first) % every != 0) continue;
      body_ += text(m.x + 10 * nx, m.y + 12 * ny + 4, label_[i].text(p[i]), anchor);
      lowest_ = std::max(lowest_, m.y + 12 * ny + 8);
    }
    const Spot middle{0.5 * (s.x + t.x) + 38 * nx, 0.5 * (s.y + t.y) + 34 * ny + 4};
    body_ +=
        text(middle.x, middle.y, std::string_view("xyz").substr(i, 1), " text-anchor=\"middle\" font-style=\"italic\"");
    lowest_ = std::max(lowest_, middle.y + 4);
  }

  void draw_inside() {
    for (const SpaceChart::Line& line : chart_.lines) {
      std::vector<Spot> spots;
      spots.reserve(line.spots.size());
      for (const Spot3& p : line.spots) spots.push_back(place({p.x, p.y, p.z}));
      body_ += line.grey ? outline_path(spots, {{}, false, line.dashed, line.shade, line.width, false})
                         : curve_path(path_data(reduced(spots, visible)), style(line.style), line.width);
    }
    for (const SpaceChart::Sign& mark : chart_.marks) {
      const Spot spot = place({mark.spot.x, mark.spot.y, mark.spot.z});
      body_ += sign(spot, mark.shape, colour(mark.shade, mark.style), mark.size);
    }
  }

  const SpaceChart& chart_;
  std::array<Range, 3> box_;
  std::array<Ticks, 3> tick_;
  std::array<Labels, 3> label_;
  Place to_right_{}, to_top_{};
  Place back_{}, front_{};  ///< corners
  Range across_, up_;       ///< of the box, as it is seen
  double unit_ = 1;
  double top_ = 0;
  double lowest_ = 0;  ///< of what is written
  std::string body_;
};

}  // namespace

}  // namespace ink

std::string draw(const SpaceChart& chart) { return ink::Box(chart).draw(); }

}  // namespace zwang::report
