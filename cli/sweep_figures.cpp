/// Histograms, clouds of samples and maps over two parameters as figures, where there is no script to draw them.
#include "sweep_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "recorded.hpp"
#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/report/chart.hpp"
#include "zwang/report/whole_file.hpp"

namespace zwang::cli {

namespace {

constexpr std::uint64_t most_lines = 200'000;  ///< that are looked at, evenly over the table
constexpr std::size_t most_dots = 1500;        ///< of one cloud
constexpr std::size_t most_records = 12;
constexpr std::size_t most_parameters = 4;  ///< against which a record is drawn
constexpr std::size_t bars = 40;
constexpr std::size_t most_tiles = 30;  ///< along one side of a map

/// Columns of numbers; what does not exist is not a number.
struct Columns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  std::uint64_t every = 1;  ///< one of so many lines
};

Columns read_columns(const sweeps::Table& table) {
  Columns out;
  out.names = table.columns();
  out.values.resize(out.names.size());
  out.every = std::max<std::uint64_t>(1, (table.done() + most_lines - 1) / most_lines);
  table.each_row([&](const sweeps::Row& row) {
    if (asked_to_end()) throw Interrupted();
    if (row.sample % out.every != 0) return;
    std::size_t c = 0;
    out.values[c++].push_back(static_cast<double>(row.sample));
    for (const double value : row.parameters) out.values[c++].push_back(value);
    out.values[c++].push_back(std::numeric_limits<double>::quiet_NaN());
    for (const double value : {row.time, static_cast<double>(row.steps), static_cast<double>(row.events), row.defect}) {
      out.values[c++].push_back(value);
    }
    for (const double value : row.records) out.values[c++].push_back(value);
  });
  return out;
}

struct Interval {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  std::size_t count = 0;
};
Interval interval_of(const std::vector<double>& values) {
  Interval out;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    out.low = std::min(out.low, value);
    out.high = std::max(out.high, value);
    ++out.count;
  }
  return out;
}

/// Which of `parts` equal parts of an interval a value lies in.
std::size_t part_of(double value, const Interval& all, std::size_t parts) {
  const double width = all.high - all.low;
  if (!(width > 0)) return 0;
  return std::min(parts - 1, static_cast<std::size_t>((value - all.low) / width * static_cast<double>(parts)));
}

std::string histogram(const Columns& columns, std::size_t column) {
  const std::vector<double>& values = columns.values[column];
  const Interval all = interval_of(values);
  if (all.count == 0) return fmt::format("<p>{}: no sample has a value</p>\n", xml_escaped(columns.names[column]));
  if (all.low == all.high) {
    return fmt::format("<p>{} is {} in all {} samples that have it</p>\n", xml_escaped(columns.names[column]),
                       readable(all.low, 10), all.count);
  }
  std::vector<std::size_t> counts(bars, 0);
  for (const double value : values) {
    if (std::isfinite(value)) ++counts[part_of(value, all, bars)];
  }
  report::Curve curve;
  curve.strokes.emplace_back();
  const double width = (all.high - all.low) / static_cast<double>(bars);
  curve.strokes[0].push_back({all.low, 0});
  for (std::size_t k = 0; k < bars; ++k) {
    const auto height = static_cast<double>(counts[k]);
    curve.strokes[0].push_back({all.low + width * static_cast<double>(k), height});
    curve.strokes[0].push_back({k + 1 == bars ? all.high : all.low + width * static_cast<double>(k + 1), height});
  }
  curve.strokes[0].push_back({all.high, 0});
  report::Chart chart;
  chart.title = "How often: " + columns.names[column];
  chart.x_title = columns.names[column];
  report::Panel panel;
  panel.y_title = "samples";
  panel.curves.push_back(std::move(curve));
  panel.with_zero = true;
  chart.panels.push_back(std::move(panel));
  return report::draw(chart);
}

std::string cloud(const Columns& columns, std::size_t x, std::size_t y) {
  const std::size_t lines = columns.values[x].size();
  const std::size_t step = std::max<std::size_t>(1, (lines + most_dots - 1) / most_dots);
  report::Panel panel;
  panel.y_title = columns.names[y];
  constexpr double dot = 1.6;
  for (std::size_t k = 0; k < lines; k += step) {
    const report::Spot spot{columns.values[x][k], columns.values[y][k]};
    if (std::isfinite(spot.x) && std::isfinite(spot.y)) panel.marks.push_back({spot, report::MarkShape::dot, 0, dot});
  }
  if (panel.marks.empty()) return {};
  report::Chart chart;
  chart.title = columns.names[y] + " against " + columns.names[x];
  chart.x_title = columns.names[x];
  chart.panels.push_back(std::move(panel));
  return report::draw(chart);
}

/// Means over tiles of two parameters, the lighter the larger.
std::string map_over(const Columns& columns, std::size_t x, std::size_t y, std::size_t column) {
  const Interval over_x = interval_of(columns.values[x]);
  const Interval over_y = interval_of(columns.values[y]);
  if (!(over_x.high > over_x.low) || !(over_y.high > over_y.low)) return {};
  const auto lines = static_cast<double>(columns.values[x].size());
  // Twice as many side by side as one over the other: so the picture is shaped.
  const auto tiles = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(lines)), 4, most_tiles);
  const std::size_t rows = tiles / 2;
  std::vector<double> sum(tiles * rows, 0);
  std::vector<double> count(tiles * rows, 0);
  for (std::size_t k = 0; k < columns.values[x].size(); ++k) {
    const double value = columns.values[column][k];
    if (!std::isfinite(value) || !std::isfinite(columns.values[x][k]) || !std::isfinite(columns.values[y][k])) continue;
    const std::size_t tile =
        part_of(columns.values[y][k], over_y, rows) * tiles + part_of(columns.values[x][k], over_x, tiles);
    sum[tile] += value;
    count[tile] += 1;
  }
  Interval means;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (count[k] == 0) continue;
    sum[k] /= count[k];
    means.low = std::min(means.low, sum[k]);
    means.high = std::max(means.high, sum[k]);
  }
  if (!(means.high > means.low)) return {};
  report::Panel panel;
  panel.y_title = columns.names[y];
  constexpr double picture = 300;  // that squares of this part of it touch each other
  const double size = picture / static_cast<double>(tiles);
  for (std::size_t k = 0; k < sum.size(); ++k) {
    if (count[k] == 0) continue;
    const auto place = [](const Interval& all, std::size_t part, std::size_t parts) {
      return all.low + (all.high - all.low) * (static_cast<double>(part) + 0.5) / static_cast<double>(parts);
    };
    report::Mark mark{
        {place(over_x, k % tiles, tiles), place(over_y, k / tiles, rows)}, report::MarkShape::square, 0, size};
    constexpr double lightest = 0.88;  // white is where there is no sample
    mark.shade = lightest * (sum[k] - means.low) / (means.high - means.low);
    panel.marks.push_back(mark);
  }
  report::Chart chart;
  chart.title = fmt::format("{} over {} and {}", columns.names[column], columns.names[x], columns.names[y]);
  chart.x_title = columns.names[x];
  chart.notes.push_back(fmt::format("Means of {}: black is {}, light is {}.", columns.names[column],
                                    readable(means.low), readable(means.high)));
  chart.panels.push_back(std::move(panel));
  return report::draw(chart);
}

constexpr std::string_view look =
    "body{font:16px/1.5 sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222;background:#fff}"
    "figure{display:inline-block;margin:.5em;vertical-align:top}figure svg{width:34em;max-width:100%;height:auto}"
    "table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:left}code{font-size:.95em}";

}  // namespace

void write_sweep_figures(const sweeps::Table& table, const std::string& name, const std::string& title) {
  const Columns columns = read_columns(table);
  report::WholeFile file(name);
  file.put(
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
                  "http-equiv=\"Content-Security-Policy\" "
                  "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, "
                  "initial-scale=1\"/>\n<title>{0}</title>\n<style>{1}</style>\n</head>\n"
                  "<body id=\"zwang-data\">\n<h1>{0}</h1>\n",
                  xml_escaped(title), look));
  file.put(fmt::format("<p>{} of {} samples", table.done(), table.total()));
  if (columns.every > 1) file.put(fmt::format("; the pictures show one of {}", columns.every));
  file.put(".</p>\n<table>\n<tr><th>status</th><th>samples</th></tr>\n");
  for (const auto& [status, count] : table.statuses()) {
    file.put(fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", xml_escaped(status), count));
  }
  file.put("</table>\n<p>What varies:");
  for (const sweeps::Spec& spec : table.recipe().over)
    file.put(fmt::format(" <code>{}</code>", xml_escaped(spec.text)));
  file.put(fmt::format(". One sample as a run of its own: <code>zwang run {}", xml_escaped(table.recipe().file)));
  for (std::size_t p = 1; p <= table.parameters(); ++p) {
    file.put(fmt::format(" --set {}=...", xml_escaped(columns.names[p])));
  }
  file.put("</code> with the numbers of its line.</p>\n");

  // The records; without any, what every line has.
  std::vector<std::size_t> shown;
  const std::size_t account = table.parameters() + 2;
  for (std::size_t c = account + 4; c < columns.names.size() && shown.size() < most_records; ++c) shown.push_back(c);
  if (shown.empty()) shown = {account, account + 1, account + 2};
  const std::size_t against = std::min(table.parameters(), most_parameters);
  for (const std::size_t column : shown) {
    file.put(fmt::format("<h2>{}</h2>\n", xml_escaped(columns.names[column])));
    const auto figure = [&](const std::string& picture) {
      if (!picture.empty()) file.put("<figure>" + picture + "</figure>\n");
    };
    figure(histogram(columns, column));
    for (std::size_t p = 1; p <= against; ++p) figure(cloud(columns, p, column));
    for (std::size_t p = 1; p <= against; ++p) {
      for (std::size_t q = p + 1; q <= against; ++q) figure(map_over(columns, p, q, column));
    }
  }
  file.put("</body>\n</html>\n");
  file.finish();
}

}  // namespace zwang::cli
