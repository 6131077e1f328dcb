/// From the pieces of a run to charts.
#include "zwang/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "zwang/base/number.hpp"
#include "zwang/motion/trajectory.hpp"
#include "zwang/report/chart.hpp"

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
  double value = 0;
  for (std::uint32_t k = piece.orders; k-- > 0;)
    value = value * s + piece.position[std::size_t{k} * piece.n + variable];
  return value;
}
double rate_at(const Piece& piece, std::uint32_t variable, double s) {
  double value = 0;
  for (std::uint32_t k = piece.orders; k-- > 1;)
    value = value * s + k * piece.position[std::size_t{k} * piece.n + variable];
  return value;
}
double multiplier_at(const Piece& piece, std::size_t row, double s) {
  double value = 0;
  for (std::uint32_t k = piece.multiplier_orders; k-- > 0;)
    value = value * s + piece.multiplier[k * piece.rows.size() + row];
  return value;
}

MarkShape shape_of(EventKind kind) {
  switch (kind) {
    case EventKind::blow: return MarkShape::square;
    case EventKind::seizure: return MarkShape::open_square;
    case EventKind::impact: return MarkShape::triangle;
    case EventKind::release: return MarkShape::ring;
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

Gathered gather(const model::Model& model, const motion::Store& store) {
  Gathered g;
  g.start = model.simulation.start;
  g.end = store.account().present.state.time;
  g.variables = wanted_variables(model);
  const auto curve = [&] { return TimeCurve(g.start, g.end, static_cast<std::uint32_t>(columns)); };
  g.values.assign(g.variables.size(), curve());

  // First the multipliers' sizes, then the curves of the largest.
  g.peak.assign(model.rows(), 0.0);
  store.each_piece(0, [&](const Piece& piece) {
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

  model::Scratch scratch = model::make_scratch(model);
  model::State state;
  store.each_piece(0, [&](const Piece& piece) {
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
        const model::Energy energy = model::energy(model, state, scratch);
        g.kinetic.add(piece.start + s, energy.kinetic);
        g.potential.add(piece.start + s, energy.potential);
        g.total.add(piece.start + s, model::vis_viva(model, state, scratch) + energy.potential);
      });
    }
    return true;
  });
  store.each_event(0, [&](const Event& event) {
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

Paths paths_of(const motion::Store& store, double end, const std::vector<Along>& along, double accuracy) {
  Paths out;
  out.spots.resize(along.size());
  std::size_t total = 0;
  store.each_piece(0, [&](const Piece& piece) {
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
                std::hypot(p.x - 0.5 * (p0.x + p1.x), p.y - 0.5 * (p0.y + p1.y), p.z - 0.5 * (p0.z + p1.z));
            if (depth > 2 && (off < accuracy || depth > 12)) return;
            refine(s0, p0, s, p, depth + 1);
            out.spots[k].push_back(p);
            refine(s, p, s1, p1, depth + 1);
          };
      const Spot3 first = look(0);
      const Spot3 last = look(length);
      if (out.spots[k].empty()) out.spots[k].push_back(first);
      if (std::hypot(last.x - first.x, last.y - first.y, last.z - first.z) > accuracy ||
          length > (end - store.sampling().start) / columns) {
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

/// What is drawn in a picture of the plane or of space.
struct Subject {
  std::string label;
  Along along;
  std::uint32_t first = 0;  ///< variable, to find the events that concern it
  std::uint32_t dimension = 0;
};

bool concerns(const model::Model& model, const Event& event, const Subject& subject) {
  for (const std::uint32_t row : event.rows) {
    for (std::uint32_t k = model.row_start[row]; k < model.row_start[row + 1]; ++k) {
      const std::uint32_t column = model.row_column[k];
      if (column >= subject.first && column < subject.first + subject.dimension) return true;
    }
  }
  return false;
}

std::array<double, 3> position_of(const std::vector<double>& q, const Subject& subject) {
  std::array<double, 3> out{};
  for (std::uint32_t i = 0; i < subject.dimension && i < 3; ++i) out[i] = q[subject.first + i];
  return out;
}

struct Extent {
  std::array<double, 3> low{INFINITY, INFINITY, INFINITY};
  std::array<double, 3> high{-INFINITY, -INFINITY, -INFINITY};
  [[nodiscard]] double size(std::size_t i) const { return high[i] >= low[i] ? high[i] - low[i] : 0; }
  [[nodiscard]] double size() const { return std::max({size(0), size(1), size(2)}); }
};

constexpr std::array<const char*, 3> axis_names = {"x", "y", "z"};

std::string path_figure(const model::Model& model, const motion::Store& store, const Gathered& g,
                        const Projection& projection) {
  const std::vector<Mover> all = points_of(model);
  const std::vector<Mover> shown = chosen(all);
  std::vector<Subject> subjects;
  bool space = false;
  for (const Mover& point : shown) {
    space = space || point.dimension == 3;
    subjects.push_back({all.size() == 1 ? "" : point.name,
                        [point](const Piece& piece, double s) {
                          std::array<double, 3> p{};
                          for (std::uint32_t i = 0; i < point.dimension; ++i)
                            p[i] = value_at(piece, point.first + i, s);
                          return p;
                        },
                        point.first, point.dimension});
  }

  // How large it is, from the curves over time.
  Extent extent;
  for (std::size_t k = 0; k < g.variables.size(); ++k) {
    for (const Subject& subject : subjects) {
      if (g.variables[k] < subject.first || g.variables[k] >= subject.first + subject.dimension || g.values[k].empty())
        continue;
      const std::size_t i = g.variables[k] - subject.first;
      extent.low[i] = std::min(extent.low[i], g.values[k].low());
      extent.high[i] = std::max(extent.high[i], g.values[k].high());
    }
  }
  const double size = extent.size() > 0 ? extent.size() : 1;
  std::vector<Along> along;
  for (const Subject& subject : subjects) along.push_back(subject.along);
  const Paths paths = paths_of(store, g.end, along, 1.5e-4 * size);

  // Which plane, or which direction.
  Projection view = projection;
  if (!space) {
    view.across = 0;
    view.up = 1;
  } else if (view.automatic) {
    for (const auto& [flat, across, up] : {std::array{1, 0, 2}, std::array{0, 1, 2}, std::array{2, 0, 1}}) {
      if (extent.size(static_cast<std::size_t>(flat)) > 1e-6 * size) continue;
      view.across = across;
      view.up = up;
      break;
    }
  }

  std::vector<std::string> notes;
  if (shown.size() < all.size())
    notes.push_back(
        fmt::format("The paths of {} of {} points are shown, and where all are at the end.", shown.size(), all.size()));
  if (!paths.whole)
    notes.push_back(fmt::format("The paths are drawn to t = {}; the run goes on to t = {}.", readable(paths.until),
                                readable(g.end)));
  std::vector<std::pair<MarkShape, std::string>> signs = {{MarkShape::ring, "start"}, {MarkShape::dot, "end"}};

  // Where events struck the bodies that are drawn; not more than can be told apart.
  struct Struck {
    std::array<double, 3> at;
    MarkShape shape;
  };
  std::vector<Struck> struck;
  for (const Event& event : g.events) {
    if (event.kind == EventKind::release || event.kind == EventKind::graze || event.time > paths.until) continue;
    for (const Subject& subject : subjects) {
      if (!concerns(model, event, subject)) continue;
      const std::array<double, 3> p = position_of(event.position, subject);
      const bool near = std::any_of(struck.begin(), struck.end(), [&](const Struck& other) {
        return std::hypot(other.at[0] - p[0], other.at[1] - p[1], other.at[2] - p[2]) < 0.012 * size;
      });
      if (near || struck.size() >= 60) continue;
      struck.push_back({p, shape_of(event.kind)});
      const std::pair<MarkShape, std::string> entry{shape_of(event.kind), std::string(motion::words(event.kind))};
      // The end is a dot already; contacts are drawn as diamonds here.
      if (entry.first == MarkShape::dot) struck.back().shape = MarkShape::diamond;
      if (entry.first == MarkShape::dot) {
        if (std::find(signs.begin(), signs.end(), std::pair{MarkShape::diamond, entry.second}) == signs.end())
          signs.emplace_back(MarkShape::diamond, entry.second);
      } else if (std::find(signs.begin(), signs.end(), entry) == signs.end()) {
        signs.push_back(entry);
      }
    }
  }

  const std::vector<double>& last = store.account().present.state.position;
  const std::string title = model.title.empty() ? model.file : model.title;
  if (view.across >= 0) {
    Chart chart;
    chart.title = title;
    chart.description = "The path in the plane.";
    chart.equal = true;
    chart.notes = notes;
    chart.signs = signs;
    const auto u = static_cast<std::size_t>(view.across);
    const auto v = static_cast<std::size_t>(view.up);
    chart.x_title = axis_names[u];
    const auto flat = [&](const std::array<double, 3>& p) { return Spot{p[u], p[v]}; };
    Panel panel;
    panel.y_title = axis_names[v];
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      Curve curve{subjects[k].label, {{}}, static_cast<std::uint32_t>(k)};
      for (const Spot3& p : paths.spots[k]) curve.strokes[0].push_back(flat({p.x, p.y, p.z}));
      panel.curves.push_back(std::move(curve));
    }
    for (const Struck& mark : struck) panel.marks.push_back({flat(mark.at), mark.shape, 0, 3, 0.2});
    if (shown.size() < all.size()) {
      for (std::size_t k = 0; k < all.size() && k < most_dots; ++k) {
        panel.marks.push_back(
            {flat(position_of(last, {"", {}, all[k].first, all[k].dimension})), MarkShape::dot, 0, 1.6, 0.45});
      }
    }
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      if (paths.spots[k].empty()) continue;
      const Spot3& first = paths.spots[k].front();
      panel.marks.push_back({flat({first.x, first.y, first.z}), MarkShape::ring, static_cast<std::uint32_t>(k), 4});
      panel.marks.push_back({flat(position_of(last, subjects[k])), MarkShape::dot, static_cast<std::uint32_t>(k), 4.2});
    }
    chart.panels.push_back(std::move(panel));
    return draw(chart);
  }

  SpaceChart chart;
  chart.title = title;
  chart.description = "The path in space.";
  chart.notes = notes;
  chart.signs = signs;
  chart.azimuth = view.azimuth;
  chart.elevation = view.elevation;
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    SpaceChart::Line line;
    line.label = subjects[k].label;
    line.spots = paths.spots[k];
    line.style = static_cast<std::uint32_t>(k);
    chart.lines.push_back(std::move(line));
  }
  const auto spot = [](const std::array<double, 3>& p) { return Spot3{p[0], p[1], p[2]}; };
  for (const Struck& mark : struck) chart.marks.push_back({spot(mark.at), mark.shape, 0, 3, 0.2});
  if (shown.size() < all.size()) {
    for (std::size_t k = 0; k < all.size() && k < most_dots; ++k) {
      chart.marks.push_back(
          {spot(position_of(last, {"", {}, all[k].first, all[k].dimension})), MarkShape::dot, 0, 1.6, 0.45});
    }
  }
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    if (paths.spots[k].empty()) continue;
    chart.marks.push_back({paths.spots[k].front(), MarkShape::ring, static_cast<std::uint32_t>(k), 4});
    chart.marks.push_back({spot(position_of(last, subjects[k])), MarkShape::dot, static_cast<std::uint32_t>(k), 4.2});
  }
  return draw(chart);
}

/// x' over x of a coordinate.
std::string phase_figure(const model::Model& model, const motion::Store& store, const Gathered& g,
                         std::uint32_t variable) {
  double scale_q = 0;
  double scale_v = 0;
  store.each_piece(0, [&](const Piece& piece) {
    for (const double s : {0.0, 0.5 * piece.length, piece.length}) {
      scale_q = std::max(scale_q, std::abs(value_at(piece, variable, s)));
      scale_v = std::max(scale_v, std::abs(rate_at(piece, variable, s)));
    }
    return true;
  });
  if (scale_q == 0) scale_q = 1;
  if (scale_v == 0) scale_v = 1;
  const Paths paths = paths_of(
      store, g.end, {[&](const Piece& piece, double s) {
        return std::array<double, 3>{value_at(piece, variable, s) / scale_q, rate_at(piece, variable, s) / scale_v, 0};
      }},
      3e-4);
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

std::vector<Figure> figures(const model::Model& model, const motion::Store& store, const Projection& projection) {
  const Gathered g = gather(model, store);
  std::vector<Figure> out;
  if (g.pieces == 0) return out;
  if (!points_of(model).empty()) out.push_back({"path", path_figure(model, store, g, projection)});
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
                   phase_figure(model, store, g, variable)});
  }
  return out;
}

}  // namespace zwang::report
