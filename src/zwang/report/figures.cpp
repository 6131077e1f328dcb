/// From the pieces of a run to charts.
#include "zwang/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <span>
#include <string_view>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/bodies.hpp"
#include "zwang/motion/let_go.hpp"
#include "zwang/report/chart.hpp"
#include "zwang/report/outlines.hpp"
#include "zwang/report/scene.hpp"
#include "zwang/report/scene/sight.hpp"
#include "zwang/report/tolerances.hpp"
#include "zwang/report/tracks.hpp"
#include "zwang/trajectory.hpp"

namespace zwang::report {

namespace {

using motion::Event;
using motion::EventKind;
using motion::Piece;

constexpr std::size_t most_curves = 8;        // as many as there are styles
constexpr std::size_t crowd_curves = 6;       // of a crowd
constexpr std::size_t most_panels = 6;        // of generalized coordinates
constexpr std::size_t most_spots = 40'000;    // of all paths of a figure, before they are reduced
constexpr std::size_t most_dots = 2'000;      // of bodies at the end
constexpr std::size_t most_instants = 4'000;  // events that are looked at
constexpr double columns = 1400;

/// A member of a family of points, or a point.
struct Mover {
  std::string name;
  std::uint32_t first = 0;  ///< variable
  std::uint32_t dimension = 0;
};

std::vector<Mover> points_of(const model::Model& model) {
  std::vector<Mover> out;
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::point) continue;
    for (std::uint32_t k = 0; k < body.members(); ++k) {
      out.push_back({model::member_name(body, k), body.first + k * body.dimension, body.dimension});
    }
  }
  return out;
}

/// All of a few; of many, some that lie evenly among them.
template <class T>
std::vector<T> chosen(const std::vector<T>& all) {
  if (all.size() <= most_curves) return all;
  std::vector<T> out;
  for (std::size_t k = 0; k < crowd_curves; ++k) out.push_back(all[k * (all.size() - 1) / (crowd_curves - 1)]);
  return out;
}

std::string crowd_note(std::size_t shown, std::size_t all, std::string_view what) {
  return shown == all ? std::string() : fmt::format("{} of {} {} are shown.", shown, all, what);
}

double value_at(const Piece& piece, std::uint32_t variable, double s) {
  s /= piece.unit;
  double value = 0;
  for (std::uint32_t k = piece.orders; k-- > 0;)
    value = value * s + piece.position[std::size_t{k} * piece.n + variable];
  return value;
}
double rate_at(const Piece& piece, std::uint32_t variable, double s) {
  s /= piece.unit;
  double value = 0;
  for (std::uint32_t k = piece.orders; k-- > 1;)
    value = value * s + k * piece.position[std::size_t{k} * piece.n + variable];
  return value / piece.unit;
}
double multiplier_at(const Piece& piece, std::size_t row, double s) {
  s /= piece.unit;
  double value = 0;
  for (std::uint32_t k = piece.multiplier_orders; k-- > 0;)
    value = value * s + piece.multiplier[k * piece.rows.size() + row];
  return piece.has_pole() ? value / std::abs(s - piece.pole) : value;
}

MarkShape shape_of(EventKind kind) {
  switch (kind) {
    case EventKind::blow: return MarkShape::square;
    case EventKind::seizure: return MarkShape::open_square;
    case EventKind::impact: return MarkShape::triangle;
    case EventKind::let_go:
    case EventKind::release: return MarkShape::ring;
    case EventKind::switched:
    case EventKind::stick:
    case EventKind::slip: return MarkShape::open_square;
    case EventKind::contact: return MarkShape::dot;
    case EventKind::graze: return MarkShape::diamond;
    case EventKind::singular: return MarkShape::cross;
    case EventKind::accumulation: return MarkShape::star;
  }
  return MarkShape::dot;
}

/// What one pass over the run file gathers.
struct Gathered {
  double start = 0;
  double end = 0;
  std::uint64_t pieces = 0;
  std::vector<std::uint32_t> variables;  ///< of which curves are kept
  std::vector<TimeCurve> values;         ///< per variable
  std::vector<double> peak;              ///< per row of the model: largest multiplier at a start of a piece
  std::vector<std::uint32_t> rows;       ///< of which curves are kept
  std::vector<TimeCurve> multipliers;
  TimeCurve kinetic{0, 1}, potential{0, 1}, total{0, 1};
  std::vector<Event> events;
  bool events_left_out = false;
};

/// The times at which a piece is looked at: twice per column, its ends at least.
void each_instant(const Gathered& g, const Piece& piece, double end, double per_column,
                  const std::function<void(double)>& look) {
  const double length = std::max(0.0, end - piece.start);
  const double wanted = g.end > g.start ? length / (g.end - g.start) * columns * per_column : 0;
  const int count = std::clamp(static_cast<int>(std::ceil(wanted)), 1, 4000);
  for (int k = 0; k <= count; ++k) look(length * k / count);
}

/// Variables whose curves are drawn.
std::vector<std::uint32_t> wanted_variables(const model::Model& model) {
  std::vector<std::uint32_t> out;
  for (const Mover& point : chosen(points_of(model))) {
    for (std::uint32_t i = 0; i < point.dimension; ++i) out.push_back(point.first + i);
  }
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::coordinate) continue;
    std::vector<std::uint32_t> members;
    for (std::uint32_t k = 0; k < body.members(); ++k) members.push_back(body.first + k);
    for (const std::uint32_t variable : chosen(members)) out.push_back(variable);
  }
  return out;
}

Gathered gather(const model::Model& model, const motion::RunView& run) {
  Gathered g;
  g.start = model.simulation.start;
  g.end = run.account->present.state.time;
  g.variables = wanted_variables(model);
  const auto curve = [&] { return TimeCurve(g.start, g.end, static_cast<std::uint32_t>(columns)); };
  g.values.assign(g.variables.size(), curve());

  // First the multipliers' sizes, then the curves of the largest.
  g.peak.assign(model.rows(), 0.0);
  run.each_piece(0, [&](const Piece& piece) {
    for (std::size_t j = 0; j < piece.rows.size(); ++j) {
      double& peak = g.peak[piece.rows[j]];
      peak = std::max({peak, std::abs(multiplier_at(piece, j, 0)), std::abs(multiplier_at(piece, j, piece.length))});
    }
    ++g.pieces;
    return true;
  });
  for (std::uint32_t row = 0; row < model.rows(); ++row) g.rows.push_back(row);
  if (g.rows.size() > most_curves) {
    std::stable_sort(g.rows.begin(), g.rows.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return g.peak[a] > g.peak[b]; });
    g.rows.resize(crowd_curves);
    std::sort(g.rows.begin(), g.rows.end());
  }
  g.multipliers.assign(g.rows.size(), curve());
  g.kinetic = g.potential = g.total = curve();

  const motion::Hidden hidden = motion::hidden_in(model, run);
  model::Scratch scratch = model::make_scratch(model);
  model::State state;
  run.each_piece(0, [&](const Piece& piece) {
    const double end = std::min(piece.end(), g.end);
    each_instant(g, piece, end, 2, [&](double s) {
      for (std::size_t k = 0; k < g.variables.size(); ++k)
        g.values[k].add(piece.start + s, value_at(piece, g.variables[k], s));
    });
    for (std::size_t k = 0; k < g.rows.size(); ++k) {
      const auto found = std::lower_bound(piece.rows.begin(), piece.rows.end(), g.rows[k]);
      if (found == piece.rows.end() || *found != g.rows[k]) {
        g.multipliers[k].add(piece.start, 0);
        g.multipliers[k].add(end, 0);
      } else {
        const auto j = static_cast<std::size_t>(found - piece.rows.begin());
        each_instant(g, piece, end, 2,
                     [&](double s) { g.multipliers[k].add(piece.start + s, multiplier_at(piece, j, s)); });
      }
    }
    if (!model.flow) {
      each_instant(g, piece, end, 0.5, [&](double s) {
        motion::evaluate(piece, piece.start + s, state);
        motion::set_modes(model, hidden, piece.start, state);
        const model::Energy energy = model::energy(model, state, scratch);
        g.kinetic.add(piece.start + s, energy.kinetic);
        g.potential.add(piece.start + s, energy.potential);
        g.total.add(piece.start + s, model::vis_viva(model, state, scratch) + energy.potential);
      });
    }
    return true;
  });
  run.each_event(0, [&](const Event& event) {
    g.events_left_out = g.events.size() == most_instants;
    if (!g.events_left_out) g.events.push_back(event);
    return !g.events_left_out;
  });
  return g;
}

void add_instants(Chart& chart, const Gathered& g) {
  for (const Event& event : g.events) {
    chart.instants.push_back({event.time, shape_of(event.kind), std::string(motion::words(event.kind))});
  }
  if (g.events_left_out) chart.notes.push_back(fmt::format("The first {} events are marked.", most_instants));
}

Chart over_time(const model::Model& model, const std::string& what) {
  Chart chart;
  chart.title = model.title.empty() ? model.file : model.title;
  chart.description = what;
  chart.x_title = "t";
  chart.tight_x = true;
  return chart;
}

/// A component of the points in each panel, then the coordinates.
std::string coordinates_figure(const model::Model& model, const Gathered& g) {
  Chart chart = over_time(model, "Coordinates over time.");
  const std::vector<Mover> all = points_of(model);
  const std::vector<Mover> shown = chosen(all);
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < g.variables.size(); ++k) place.emplace(g.variables[k], k);
  std::uint32_t dimension = 0;
  for (const Mover& point : shown) dimension = std::max(dimension, point.dimension);
  for (std::uint32_t i = 0; i < dimension; ++i) {
    Panel panel;
    panel.y_title = std::string(1, "xyz"[i]);
    for (std::size_t k = 0; k < shown.size(); ++k) {
      if (i >= shown[k].dimension) continue;
      panel.curves.push_back({all.size() == 1 ? "" : shown[k].name,
                              {g.values[place.at(shown[k].first + i)].spots()},
                              static_cast<std::uint32_t>(k)});
    }
    chart.panels.push_back(std::move(panel));
  }
  if (shown.size() < all.size()) chart.notes.push_back(crowd_note(shown.size(), all.size(), "points"));

  // Generalized coordinates: one panel each.
  std::size_t coordinates = 0;
  std::size_t left_out = 0;
  for (const model::Body& body : model.bodies) {
    if (body.kind != model::BodyKind::coordinate) continue;
    if (coordinates == most_panels) {
      ++left_out;
      continue;
    }
    ++coordinates;
    Panel panel;
    panel.y_title = body.name;
    std::uint32_t style = 0;
    std::size_t drawn = 0;
    for (std::uint32_t k = 0; k < body.members(); ++k) {
      const auto found = place.find(body.first + k);
      if (found == place.end()) continue;
      panel.curves.push_back(
          {body.counts.empty() ? "" : model::member_name(body, k), {g.values[found->second].spots()}, style++});
      ++drawn;
    }
    if (drawn < body.members()) chart.notes.push_back(crowd_note(drawn, body.members(), "members of " + body.name));
    chart.panels.push_back(std::move(panel));
  }
  if (left_out > 0) chart.notes.push_back(fmt::format("{} more coordinates are not shown.", left_out));
  add_instants(chart, g);
  return draw(chart);
}

std::string multipliers_figure(const model::Model& model, const Gathered& g) {
  Chart chart = over_time(model, "Multipliers of the conditions over time; zero where a condition does not act.");
  Panel panel;
  panel.y_title = model.rows() == 1 ? "λ" : "multipliers λ";
  panel.with_zero = true;
  for (std::size_t k = 0; k < g.rows.size(); ++k) {
    panel.curves.push_back(
        {model::row_name(model, g.rows[k]), {g.multipliers[k].spots()}, static_cast<std::uint32_t>(k)});
  }
  chart.panels.push_back(std::move(panel));
  if (g.rows.size() < model.rows()) {
    chart.notes.push_back(fmt::format("The {} largest of {} multipliers are shown.", g.rows.size(), model.rows()));
  }
  add_instants(chart, g);
  return draw(chart);
}

std::string energy_figure(const model::Model& model, const Gathered& g) {
  Chart chart = over_time(model, "Kinetic, potential and total energy over time.");
  Panel panel;
  panel.y_title = "energy";
  panel.curves.push_back({"total", {g.total.spots()}, 0});
  panel.curves.push_back({"kinetic", {g.kinetic.spots()}, 1});
  if (g.potential.low() != 0 || g.potential.high() != 0)
    panel.curves.push_back({"potential", {g.potential.spots()}, 2});
  panel.with_zero = true;
  chart.panels.push_back(std::move(panel));
  add_instants(chart, g);
  return draw(chart);
}

// ------------------------------------------------------------------------------------------------------------------ paths

/// Values of a few functions of the piece at s after its start.
using Along = std::function<std::array<double, 3>(const Piece&, double)>;

/// The curves of several functions over the whole run, finer where they bend; none is longer than is useful.
struct Paths {
  std::vector<std::vector<Spot3>> spots;
  double until = 0;  ///< they are drawn so far
  bool whole = true;
};

Paths paths_of(const motion::RunView& run, double end, const std::vector<Along>& along, double accuracy) {
  Paths out;
  out.spots.resize(along.size());
  std::size_t total = 0;
  run.each_piece(0, [&](const Piece& piece) {
    const double length = std::min(piece.end(), end) - piece.start;
    if (length <= 0) return true;
    for (std::size_t k = 0; k < along.size(); ++k) {
      const auto look = [&](double s) {
        const std::array<double, 3> p = along[k](piece, s);
        return Spot3{p[0], p[1], p[2]};
      };
      // Halved until the middle lies on the chord.
      const std::function<void(double, const Spot3&, double, const Spot3&, int)> refine =
          [&](double s0, const Spot3& p0, double s1, const Spot3& p1, int depth) {
            const double s = 0.5 * (s0 + s1);
            const Spot3 p = look(s);
            const double off =
                elementary::hypot(p.x - 0.5 * (p0.x + p1.x), p.y - 0.5 * (p0.y + p1.y), p.z - 0.5 * (p0.z + p1.z));
            if (depth > 2 && (off < accuracy || depth > 12)) return;
            refine(s0, p0, s, p, depth + 1);
            out.spots[k].push_back(p);
            refine(s, p, s1, p1, depth + 1);
          };
      const Spot3 first = look(0);
      const Spot3 last = look(length);
      if (out.spots[k].empty()) out.spots[k].push_back(first);
      if (elementary::hypot(last.x - first.x, last.y - first.y, last.z - first.z) > accuracy ||
          length > (end - run.sampling.start) / columns) {
        refine(0, first, length, last, 0);
      }
      out.spots[k].push_back(last);
    }
    total = 0;
    for (const auto& list : out.spots) total += list.size();
    out.until = piece.start + length;
    out.whole = total < most_spots;
    return out.whole;
  });
  return out;
}

/// What is drawn in a picture of the plane or of space: a point of the model or of its [view].
struct Subject {
  std::string label;
  std::array<std::int64_t, 3> track{-1, -1, -1};  ///< in the state and, behind it, the view
};

bool concerns(const model::Model& model, const Event& event, const Subject& subject) {
  for (const std::uint32_t row : event.rows) {
    for (std::uint32_t k = model.row_start[row]; k < model.row_start[row + 1]; ++k) {
      const auto column = static_cast<std::int64_t>(model.row_column[k]);
      if (std::find(subject.track.begin(), subject.track.end(), column) != subject.track.end()) return true;
    }
  }
  return false;
}

constexpr std::array<const char*, 3> axis_names = {"x", "y", "z"};
constexpr int instants_shown = 6;       // of the lines between bodies
constexpr double spring_width = 0.015;  // of a zigzag to either side, as a part of the picture

/// A picture of the plane or of space, filled in the same words.
class Drawing {
 public:
  Drawing(const Projection& view, const Vector& low, const Vector& high) : view_(view), low_(low), high_(high) {
    size_ = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    if (!(size_ > 0)) size_ = 1;
  }
  [[nodiscard]] bool flat() const { return view_.across >= 0; }
  [[nodiscard]] double size() const { return size_; }

  void line(const std::vector<Vector>& through, double shade, double width, bool dashed = false, bool counts = false) {
    if (flat()) {
      Outline out;
      for (const Vector& p : through) out.spots.push_back(spot(p));
      out.shade = shade;
      out.width = width;
      out.dashed = dashed;
      out.counts = counts;
      panel.outlines.push_back(std::move(out));
      return;
    }
    SpaceChart::Line out;
    for (const Vector& p : through) out.spots.push_back({p[0], p[1], p[2]});
    out.grey = true;
    out.shade = shade;
    out.width = width;
    out.dashed = dashed;
    out.counts = counts;
    lines.push_back(std::move(out));
  }
  void mark(const Vector& p, MarkShape shape, std::uint32_t style, double radius, double shade = -1) {
    if (flat()) {
      panel.marks.push_back({spot(p), shape, style, radius, shade});
    } else {
      signs.push_back({{p[0], p[1], p[2]}, shape, style, radius, shade});
    }
  }
  void curve(const std::string& label, const std::vector<Spot3>& spots, std::uint32_t style) {
    if (flat()) {
      Curve out{label, {{}}, style};
      for (const Spot3& p : spots) out.strokes[0].push_back(spot({p.x, p.y, p.z}));
      panel.curves.push_back(std::move(out));
    } else {
      curves.push_back({label, spots, style, false, false, 0.5, 1.4, true});
    }
  }

  /// A surface as far as it is near what moves.
  void surface(const OutlineShape& shape) {
    const std::vector<double>& n = shape.numbers;
    switch (shape.kind) {
      case OutlineKind::plane: plane({n[0], n[1], n[2]}, n[3], shape.side); break;
      case OutlineKind::sphere: sphere({n[0], n[1], n[2]}, n[3]); break;
      case OutlineKind::cylinder: tube({n[0], n[1], n[2]}, {n[3], n[4], n[5]}, n[6], 0); break;
      case OutlineKind::cone: tube({n[0], n[1], n[2]}, {n[3], n[4], n[5]}, 0, elementary::tan(n[6])); break;
      case OutlineKind::curve:
        for (const std::vector<Vector>& stroke : shape.strokes) line(stroke, 0.35, 1.4);
        break;
      case OutlineKind::line:
      case OutlineKind::solid:
      case OutlineKind::spring: break;
    }
  }

  [[nodiscard]] std::string finish(const std::string& title, const std::vector<std::string>& notes,
                                   const std::vector<std::pair<MarkShape, std::string>>& legend, bool bare) {
    if (flat()) {
      Chart chart;
      chart.bare = bare;
      chart.title = title;
      chart.description = "The path in the plane.";
      chart.equal = true;
      chart.notes = notes;
      chart.signs = legend;
      chart.x_title = axis_names[static_cast<std::size_t>(view_.across)];
      panel.y_title = axis_names[static_cast<std::size_t>(view_.up)];
      chart.panels.push_back(std::move(panel));
      return draw(chart);
    }
    SpaceChart chart;
    chart.bare = bare;
    chart.title = title;
    chart.description = "The path in space.";
    chart.notes = notes;
    chart.signs = legend;
    chart.azimuth = view_.azimuth;
    chart.elevation = view_.elevation;
    chart.lines = std::move(lines);
    chart.lines.insert(chart.lines.end(), curves.begin(), curves.end());
    chart.marks = std::move(signs);
    return draw(chart);
  }

  Panel panel;
  std::vector<SpaceChart::Line> lines;
  std::vector<SpaceChart::Line> curves;
  std::vector<SpaceChart::Sign> signs;

 private:
  [[nodiscard]] Spot spot(const Vector& p) const {
    return {p[static_cast<std::size_t>(view_.across)], p[static_cast<std::size_t>(view_.up)]};
  }

  /// In the plane a wall is a line with strokes on the side that is forbidden; in space its section with the box's sides.
  void plane(const Vector& normal, double offset, int side) {
    if (flat()) {
      const auto u = static_cast<std::size_t>(view_.across);
      const auto v = static_cast<std::size_t>(view_.up);
      const double a = normal[u];
      const double b = normal[v];
      const double length = elementary::hypot(a, b);
      if (length < 0.999 * elementary::hypot(normal[0], normal[1], normal[2])) return;
      // From the foot of the middle along the wall, both ways.
      const double cx = 0.5 * (low_[u] + high_[u]);
      const double cy = 0.5 * (low_[v] + high_[v]);
      const double away = (offset - a * cx - b * cy) / length;
      if (std::abs(away) > 1.5 * size_) return;
      const Spot foot{cx + away * a / length, cy + away * b / length};
      const Spot along{-b / length, a / length};
      Outline wall;
      const double reach = 3 * size_;
      wall.spots = {{foot.x - reach * along.x, foot.y - reach * along.y},
                    {foot.x + reach * along.x, foot.y + reach * along.y}};
      wall.shade = 0.2;
      wall.width = 1.6;
      panel.outlines.push_back(wall);
      if (side == 0) return;
      const double step = 0.03 * size_;
      for (int k = -100; k <= 100; ++k) {
        Outline stroke;
        const Spot p{foot.x + k * step * along.x, foot.y + k * step * along.y};
        const double out = side * 0.7 * step;
        stroke.spots = {p,
                        {p.x + out * a / length - 0.5 * step * along.x, p.y + out * b / length - 0.5 * step * along.y}};
        stroke.shade = 0.45;
        stroke.width = 0.8;
        panel.outlines.push_back(stroke);
      }
      return;
    }
    // The corners of the section, in their order around it.
    std::vector<Vector> corners;
    const Vector low = grown(low_, -0.03);
    const Vector high = grown(high_, 0.03);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3;
      const std::size_t k = (i + 2) % 3;
      for (const double y : {low[j], high[j]}) {
        for (const double z : {low[k], high[k]}) {
          if (std::abs(normal[i]) < clean_digits) continue;
          const double x = (offset - normal[j] * y - normal[k] * z) / normal[i];
          if (x < low[i] - same_part * size_ || x > high[i] + same_part * size_) continue;
          Vector p{};
          p[i] = x;
          p[j] = y;
          p[k] = z;
          corners.push_back(p);
        }
      }
    }
    if (corners.size() < 3) return;
    Vector middle{0, 0, 0};
    for (const Vector& p : corners) {
      for (std::size_t i = 0; i < 3; ++i) middle[i] += p[i] / static_cast<double>(corners.size());
    }
    const auto [e, f] = across(normal);
    const auto angle = [&, e = e, f = f](const Vector& p) {
      double x = 0;
      double y = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        x += (p[i] - middle[i]) * e[i];
        y += (p[i] - middle[i]) * f[i];
      }
      return elementary::atan2(y, x);
    };
    std::sort(corners.begin(), corners.end(), [&](const Vector& p, const Vector& q) { return angle(p) < angle(q); });
    corners.push_back(corners.front());
    line(corners, 0.55, 1.2);
  }

  void circle(const Vector& centre, const Vector& e, const Vector& f, double radius, double shade = 0.6) {
    std::vector<Vector> around;
    for (int k = 0; k <= 90; ++k) {
      const double a = 2 * std::numbers::pi * k / 90;
      Vector p{};
      for (std::size_t i = 0; i < 3; ++i)
        p[i] = centre[i] + radius * (elementary::cos(a) * e[i] + elementary::sin(a) * f[i]);
      around.push_back(p);
    }
    line(around, shade, 1.1);
  }
  void sphere(const Vector& centre, double radius) {
    if (radius > 5 * size_) return;
    const Vector e[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (flat()) {
      circle(centre, e[view_.across], e[view_.up], radius, 0.35);
      return;
    }
    circle(centre, e[0], e[1], radius);
    circle(centre, e[0], e[2], radius);
    circle(centre, e[1], e[2], radius);
  }
  /// Circles along an axis, as far as the box goes.
  void tube(const Vector& point, const Vector& axis, double radius, double growth) {
    if (flat()) return;
    double from = INFINITY;
    double to = -INFINITY;
    for (int corner = 0; corner < 8; ++corner) {
      double along = 0;
      for (std::size_t i = 0; i < 3; ++i) along += axis[i] * (((corner >> i) & 1 ? high_[i] : low_[i]) - point[i]);
      from = std::min(from, along);
      to = std::max(to, along);
    }
    if (growth != 0) from = std::max(from, 0.0);
    const auto [e, f] = across(axis);
    for (int k = 0; k <= 4; ++k) {
      const double s = from + (to - from) * k / 4;
      Vector centre{};
      for (std::size_t i = 0; i < 3; ++i) centre[i] = point[i] + s * axis[i];
      circle(centre, e, f, radius + growth * s);
    }
  }

  [[nodiscard]] Vector grown(const Vector& p, double by) const {
    return {p[0] + by * size_, p[1] + by * size_, p[2] + by * size_};
  }
  /// Two unit vectors across a direction.
  static std::pair<Vector, Vector> across(const Vector& axis) {
    const Vector other =
        std::abs(axis[2]) < 0.9 * elementary::hypot(axis[0], axis[1], axis[2]) ? Vector{0, 0, 1} : Vector{1, 0, 0};
    const auto cross = [](const Vector& p, const Vector& q) {
      return Vector{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
    };
    const auto unit = [](Vector p) {
      const double length = elementary::hypot(p[0], p[1], p[2]);
      for (double& x : p) x /= length;
      return p;
    };
    const Vector e = unit(cross(axis, other));
    return {e, unit(cross(axis, e))};
  }

  Projection view_;
  Vector low_, high_;
  double size_ = 1;
};

/// State and view at a time, as one list of numbers.
class Sight {
 public:
  explicit Sight(const model::Model& model) : view_(model), n_(model.variables) {}
  const std::vector<double>& at(const Piece& piece, double time) {
    motion::evaluate(piece, time, state_);
    return of(time, state_.position);
  }
  const std::vector<double>& of(double time, const std::vector<double>& position) {
    all_ = position;
    all_.resize(n_ + view_.size());
    if (view_.size() > 0) view_.look(time, position, all_.data() + n_);
    return all_;
  }
  static Vector place(const std::vector<double>& all, const Subject& subject) {
    Vector out{0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      if (subject.track[i] >= 0) out[i] = all[static_cast<std::size_t>(subject.track[i])];
    }
    return out;
  }

 private:
  ViewSight view_;
  std::size_t n_;
  model::State state_;
  std::vector<double> all_;
};

Subject subject_of(const SceneBody& body) {
  Subject out{body.name, {-1, -1, -1}};
  for (std::size_t i = 0; i < body.track.size() && i < 3; ++i) out.track[i] = body.track[i];
  return out;
}

/// A place in the axes of a body, where the body is: x + R r, in the plane by its angle.
Vector placed(const std::vector<double>& all, const SceneBody& body, const Vector& own) {
  const Vector at = Sight::place(all, subject_of(body));
  if (body.turn.size() == 1) {
    const double c = elementary::cos(all[body.turn[0]]);
    const double s = elementary::sin(all[body.turn[0]]);
    return {at[0] + c * own[0] - s * own[1], at[1] + s * own[0] + c * own[1], 0};
  }
  if (body.turn.size() != 4) return {at[0] + own[0], at[1] + own[1], at[2] + own[2]};
  const std::array<double, 3> turned =
      model::turned(std::span<const double>(all).subspan(body.turn[0], 4), {own[0], own[1], own[2]});
  return {at[0] + turned[0], at[1] + turned[1], at[2] + turned[2]};
}

/// A zigzag from one place to another.
std::vector<Vector> zigzag(const Vector& a, const Vector& b, double width) {
  const Vector along = minus(b, a);
  const double far = length(along);
  if (!(far > 0)) return {a, b};
  // Across, as level as may be.
  Vector side{-along[1], along[0], 0};
  if (!(length(side) > 0)) side = {1, 0, 0};
  const double scale = width / length(side);
  constexpr int turns = 12;
  std::vector<Vector> out = {a};
  for (int k = 1; k < turns; ++k) {
    const double s = static_cast<double>(k) / turns;
    const double out_of = k == 1 || k == turns - 1 ? 0.0 : (k % 2 == 0 ? scale : -scale);
    out.push_back({a[0] + s * along[0] + out_of * side[0], a[1] + s * along[1] + out_of * side[1],
                   a[2] + s * along[2] + out_of * side[2]});
  }
  out.push_back(b);
  return out;
}

/// The edges of a solid where its body is.
std::vector<std::vector<Vector>> edges_of(const OutlineShape& shape, const std::vector<double>& all,
                                          const SceneBody& body) {
  std::vector<std::vector<Vector>> out;
  for (const std::vector<Vector>& stroke : shape.strokes) {
    out.emplace_back();
    for (const Vector& own : stroke) out.back().push_back(placed(all, body, own));
  }
  if (shape.radius > 0 && body.turn.size() == 1) {
    constexpr int parts = 48;
    constexpr double turn = 6.28318530717958647692;
    out.emplace_back();
    for (int k = 0; k <= parts; ++k) {
      out.back().push_back(placed(
          all, body,
          {shape.radius * elementary::cos(turn * k / parts), shape.radius * elementary::sin(turn * k / parts), 0}));
    }
  }
  return out;
}

/// The lines between bodies at a few instants, earlier ones paler.
void draw_lines(Drawing& canvas, const motion::RunView& run, const std::vector<SceneBody>& bodies,
                const std::vector<OutlineShape>& shapes, Sight& sight, double start, double end, double size) {
  std::size_t count = 0;
  for (const OutlineShape& shape : shapes) count += shape.kind == OutlineKind::line ? 1 : 0;
  const int instants = count > 1500 ? 1 : instants_shown;
  for (int k = instants == 1 ? instants_shown : 0; k <= instants_shown; ++k) {
    const bool last = k == instants_shown;
    const double time = last ? end : start + (end - start) * k / instants_shown;
    const Piece* piece = run.piece_at(time);
    if (piece == nullptr) continue;
    const std::vector<double> all =
        last ? sight.of(end, run.account->present.state.position) : sight.at(*piece, std::min(time, piece->end()));
    const auto anchored = [&](const OutlineAnchor& anchor) {
      return anchor.body < 0 ? anchor.at : placed(all, bodies[static_cast<std::size_t>(anchor.body)], anchor.at);
    };
    const double shade = last ? 0.15 : 0.86 - 0.07 * k;
    for (const OutlineShape& shape : shapes) {
      // Solids where they are at the beginning, in the middle and at the end: more would hide one another.
      if (shape.kind == OutlineKind::solid && (last || k % ((instants_shown + 1) / 2) == 0)) {
        const SceneBody& body = bodies[static_cast<std::size_t>(shape.through[0].body)];
        for (const std::vector<Vector>& stroke : edges_of(shape, all, body))
          canvas.line(stroke, shade, last ? 1.2 : 0.8, false, true);
      }
      if (shape.kind == OutlineKind::spring && last)
        canvas.line(zigzag(anchored(shape.through[0]), anchored(shape.through[1]), spring_width * size), shade, 1.1,
                    false, true);
      if (shape.kind != OutlineKind::line || shape.relation == ">=") continue;
      std::vector<Vector> through;
      double length = 0;
      for (const OutlineAnchor& anchor : shape.through) {
        through.push_back(
            anchor.body < 0 ? anchor.at : Sight::place(all, subject_of(bodies[static_cast<std::size_t>(anchor.body)])));
        if (through.size() > 1) {
          const Vector& p = through[through.size() - 2];
          const Vector& q = through.back();
          length += elementary::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        }
      }
      if (shape.closed) through.push_back(through.front());
      // A slack string is dashed.
      const bool slack = shape.relation == "<=" && shape.length > 0 && length < (1 - slack_part) * shape.length;
      canvas.line(through, last ? 0.15 : 0.86 - 0.07 * k, last ? 1.3 : 0.9, slack, true);
    }
  }
}

std::string path_figure(const model::Model& model, const motion::RunView& run, const Gathered& g,
                        const Projection& projection, bool bare = false) {
  const unsigned dimension = picture_dimension(model);
  const std::vector<SceneBody> bodies = scene_bodies(model);
  const Survey seen = survey(model, run);
  Blob blob;
  const Scene drawn = scene(model, bodies, body_box(bodies, seen.low, seen.high), g.start, g.end, 400'000, blob);
  // Solids are larger than the paths of their centres.
  const SceneBox box = std::any_of(model.rigids.begin(), model.rigids.end(),
                                   [](const model::Rigid& one) { return !one.inertia.empty(); })
                           ? drawn.box
                           : body_box(bodies, seen.low, seen.high);
  const std::vector<OutlineShape> shapes = outlines(drawn, blob, dimension);

  // Paths of the points of the model, or of those points of the view that are drawn.
  std::vector<Subject> all;
  bool of_view = true;
  for (const SceneBody& body : bodies) of_view = of_view && body.view;
  for (const SceneBody& body : bodies) {
    if (body.view == of_view && !(body.view && body.size == 0)) all.push_back(subject_of(body));
  }
  const std::vector<Subject> shown = chosen(all);
  Sight sight(model);
  std::vector<Along> along;
  for (const Subject& subject : shown) {
    const bool plain = std::all_of(subject.track.begin(), subject.track.end(), [&](std::int64_t track) {
      return track < static_cast<std::int64_t>(model.variables);
    });
    along.emplace_back([&sight, subject, plain](const Piece& piece, double s) {
      if (!plain) return Sight::place(sight.at(piece, piece.start + s), subject);
      Vector p{0, 0, 0};
      for (std::size_t i = 0; i < 3; ++i) {
        if (subject.track[i] >= 0) p[i] = value_at(piece, static_cast<std::uint32_t>(subject.track[i]), s);
      }
      return p;
    });
  }

  // Which plane, or which direction.
  Projection view = projection;
  const double size = box.size();
  if (dimension != 3) {
    view.across = 0;
    view.up = 1;
  } else if (view.automatic) {
    for (const auto& [flat, across, up] : {std::array{1, 0, 2}, std::array{0, 1, 2}, std::array{2, 0, 1}}) {
      const auto i = static_cast<std::size_t>(flat);
      if (box.high[i] - box.low[i] > flat_part * size) continue;
      view.across = across;
      view.up = up;
      break;
    }
  }
  Drawing canvas(view, box.low, box.high);
  for (const OutlineShape& shape : shapes) canvas.surface(shape);
  draw_lines(canvas, run, bodies, shapes, sight, g.start, g.end, size);
  const Paths paths = paths_of(run, g.end, along, path_error * size);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    canvas.curve(all.size() == 1 ? "" : shown[k].label, paths.spots[k], static_cast<std::uint32_t>(k));
  }

  std::vector<std::string> notes;
  if (shown.size() < all.size())
    notes.push_back(
        fmt::format("The paths of {} of {} points are shown, and where all are at the end.", shown.size(), all.size()));
  if (!paths.whole)
    notes.push_back(fmt::format("The paths are drawn to t = {}; the run goes on to t = {}.", readable(paths.until),
                                readable(g.end)));
  std::vector<std::pair<MarkShape, std::string>> legend = {{MarkShape::ring, "start"}, {MarkShape::dot, "end"}};

  // Where events struck the bodies that are drawn; not more than can be told apart.
  std::vector<Vector> struck;
  for (const Event& event : g.events) {
    if (of_view || event.kind == EventKind::release || event.kind == EventKind::graze || event.time > paths.until)
      continue;
    for (const Subject& subject : shown) {
      if (!concerns(model, event, subject)) continue;
      const Vector p = Sight::place(event.position, subject);
      const bool near = std::any_of(struck.begin(), struck.end(), [&](const Vector& q) {
        return elementary::hypot(q[0] - p[0], q[1] - p[1], q[2] - p[2]) < 0.012 * size;
      });
      if (near || struck.size() >= 60) continue;
      struck.push_back(p);
      // The end is a dot already.
      const MarkShape shape = event.kind == EventKind::contact ? MarkShape::diamond : shape_of(event.kind);
      canvas.mark(p, shape, 0, 3, 0.2);
      const std::pair<MarkShape, std::string> entry{shape, std::string(motion::words(event.kind))};
      if (std::find(legend.begin(), legend.end(), entry) == legend.end()) legend.push_back(entry);
    }
  }

  // Where all began and ended.
  const std::vector<double> last = sight.of(g.end, run.account->present.state.position);
  for (std::size_t k = 0; shown.size() < all.size() && k < all.size() && k < most_dots; ++k) {
    canvas.mark(Sight::place(last, all[k]), MarkShape::dot, 0, 1.6, 0.45);
  }
  for (std::size_t k = 0; k < shown.size(); ++k) {
    if (paths.spots[k].empty()) continue;
    const Spot3& first = paths.spots[k].front();
    canvas.mark({first.x, first.y, first.z}, MarkShape::ring, static_cast<std::uint32_t>(k), 4);
    canvas.mark(Sight::place(last, shown[k]), MarkShape::dot, static_cast<std::uint32_t>(k), 4.2);
  }
  return canvas.finish(model.title.empty() ? model.file : model.title, notes, legend, bare);
}

/// x' over x of a coordinate.
std::string phase_figure(const model::Model& model, const motion::RunView& run, const Gathered& g,
                         std::uint32_t variable) {
  double scale_q = 0;
  double scale_v = 0;
  run.each_piece(0, [&](const Piece& piece) {
    for (const double s : {0.0, 0.5 * piece.length, piece.length}) {
      scale_q = std::max(scale_q, std::abs(value_at(piece, variable, s)));
      scale_v = std::max(scale_v, std::abs(rate_at(piece, variable, s)));
    }
    return true;
  });
  if (scale_q == 0) scale_q = 1;
  if (scale_v == 0) scale_v = 1;
  const Paths paths = paths_of(
      run, g.end, {[&](const Piece& piece, double s) {
        return std::array<double, 3>{value_at(piece, variable, s) / scale_q, rate_at(piece, variable, s) / scale_v, 0};
      }},
      phase_error);
  Chart chart;
  chart.title = model.title.empty() ? model.file : model.title;
  const std::string name = model::variable_name(model, variable);
  chart.description = fmt::format("Phase portrait of {}.", name);
  chart.x_title = name;
  Panel panel;
  panel.y_title = name + "′";
  Curve curve{"", {{}}, 0};
  for (const Spot3& p : paths.spots[0]) curve.strokes[0].push_back({p.x * scale_q, p.y * scale_v});
  if (!curve.strokes[0].empty()) {
    panel.marks.push_back({curve.strokes[0].front(), MarkShape::ring, 0, 4});
    panel.marks.push_back({curve.strokes[0].back(), MarkShape::dot, 0, 4.2});
  }
  panel.curves.push_back(std::move(curve));
  chart.signs = {{MarkShape::ring, "start"}, {MarkShape::dot, "end"}};
  if (!paths.whole)
    chart.notes.push_back(
        fmt::format("Drawn to t = {}; the run goes on to t = {}.", readable(paths.until), readable(g.end)));
  chart.panels.push_back(std::move(panel));
  return draw(chart);
}

}  // namespace

std::optional<Projection> read_projection(std::string_view text) {
  Projection out;
  out.automatic = false;
  if (text == "auto") return Projection{};
  constexpr std::string_view axes = "xyz";
  if (text.size() == 2 && axes.find(text[0]) != std::string_view::npos &&
      axes.find(text[1]) != std::string_view::npos && text[0] != text[1]) {
    out.across = static_cast<int>(axes.find(text[0]));
    out.up = static_cast<int>(axes.find(text[1]));
    return out;
  }
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::optional<double> azimuth = read_number(text.substr(0, comma));
  const std::optional<double> elevation = read_number(text.substr(comma + 1));
  if (!azimuth || !elevation || !(std::abs(*azimuth) <= 360) || !(std::abs(*elevation) <= 90)) return std::nullopt;
  out.azimuth = *azimuth;
  out.elevation = *elevation;
  return out;
}

std::string path_card(const model::Model& model, const motion::RunView& run) {
  if (picture_dimension(model) == 0 || run.pieces == 0) return {};
  Gathered g;
  g.start = model.simulation.start;
  g.end = run.account->present.state.time;
  return path_figure(model, run, g, {}, true);
}

std::vector<Figure> figures(const model::Model& model, const motion::RunView& run, const Projection& projection) {
  const Gathered g = gather(model, run);
  std::vector<Figure> out;
  if (g.pieces == 0) return out;
  if (picture_dimension(model) > 0) out.push_back({"path", path_figure(model, run, g, projection)});
  out.push_back({"coordinates", coordinates_figure(model, g)});
  if (model.rows() > 0) out.push_back({"multipliers", multipliers_figure(model, g)});
  if (!model.flow) out.push_back({"energy", energy_figure(model, g)});

  // Phase portraits of the first coordinates.
  std::vector<std::uint32_t> variables;
  for (const model::Body& body : model.bodies) {
    if (body.kind == model::BodyKind::coordinate && body.counts.empty() && variables.size() < 4)
      variables.push_back(body.first);
  }
  for (const std::uint32_t variable : variables) {
    out.push_back({variables.size() == 1 ? "phase" : "phase-" + model::variable_name(model, variable),
                   phase_figure(model, run, g, variable)});
  }
  return out;
}

}  // namespace zwang::report
