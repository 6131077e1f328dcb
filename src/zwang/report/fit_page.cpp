/// Figures and tables of a fit.
#include "zwang/report/fit_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/motion/track.hpp"
#include "zwang/report/chart.hpp"
#include "zwang/report/ending.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

constexpr std::size_t curve_points = 800;        ///< of a fitted output
constexpr std::size_t most_drawn_values = 3000;  ///< of one output; more are thinned out

constexpr std::string_view fit_look =
    ":root{color-scheme:light "
    "dark;--ink:#23262b;--soft:#5d6169;--paper:#fbfaf7;--raised:#fff;--line:#e2dfd7;--warm:181,69,44;--cold:36,85,143}"
    "@media(prefers-color-scheme:dark){:root{--ink:#e8e6e1;--soft:#b3b6bd;--paper:#14161a;--raised:#1c1f24;--line:#"
    "2c3037;"
    "--warm:240,138,108;--cold:125,176,234}figure svg{filter:invert(.9) hue-rotate(180deg)}}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0;color:var(--ink);background:var(--paper)}"
    "main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem "
    "3rem}h1,h2{font-family:Georgia,serif;font-weight:500;line-height:1.25}"
    "h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.2rem;margin:2rem 0 .6rem}p{margin:.3rem "
    "0}.soft{color:var(--soft)}"
    "figure{margin:.6rem 0;border:1px solid var(--line);border-radius:10px;overflow:hidden;background:var(--raised)}"
    "figure svg{display:block;width:100%;height:auto}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.25rem "
    ".9rem;text-align:right;border-bottom:1px solid var(--line)}"
    "th{font-weight:600;color:var(--soft)}th:first-child{text-align:left}.names th[scope=col]{text-align:right}"
    "code{font:.88rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere}pre{margin:.4rem 0;padding:.6rem "
    ".8rem;border:1px solid var(--line);"
    "border-radius:8px;background:var(--raised);white-space:pre-wrap}";

/// The values of one output.
struct FitSeries {
  std::string name;
  std::vector<sensitivity::Misfit> values;  ///< in the order of time
  std::vector<Spot> curve;
};

/// The fitted motion at many instants.
void draw_through(const model::Model& fitted, std::vector<FitSeries>& series, double first, double last,
                  const std::function<bool()>& go_on) {
  motion::Motion motion = motion::begin(fitted);
  motion::Track track;
  motion::follow(fitted, motion, track, [&](const motion::Motion&) { return !go_on || go_on(); });
  const motion::RunView view = motion::view(fitted, track);
  std::vector<std::size_t> place;
  for (const FitSeries& one : series) {
    std::size_t k = 0;
    while (k < fitted.outputs.size() && fitted.outputs[k].name != one.name) ++k;
    place.push_back(k);
  }
  motion::Sample sample;
  for (std::size_t i = 0; i <= curve_points; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(curve_points);
    const double time = i == curve_points ? last : first + (last - first) * share;
    if (!motion::state_at(fitted, view, time, sample)) continue;
    motion::observe(fitted, sample);
    for (std::size_t k = 0; k < series.size(); ++k) {
      if (place[k] < sample.outputs.size()) series[k].curve.push_back({time, sample.outputs[place[k]]});
    }
  }
}

/// A value with a bar of one deviation to both sides.
void put_value(Panel& panel, Spot spot, std::optional<double> deviation) {
  constexpr double dot = 2.6;
  constexpr double pale = 0.55;
  if (deviation) {
    Outline bar;
    bar.spots = {{spot.x, spot.y - *deviation}, {spot.x, spot.y + *deviation}};
    bar.shade = pale;
    bar.counts = true;
    panel.outlines.push_back(std::move(bar));
  }
  panel.marks.push_back({spot, MarkShape::dot, 1, dot});
}

std::string figure_of(const FitSeries& series, std::optional<double> deviation, std::size_t number) {
  Panel above;
  above.y_title = series.name;
  above.curves.push_back({"fitted", {series.curve}, 0});
  Panel below;
  below.y_title = "left over";
  below.with_zero = true;
  const std::size_t step = (series.values.size() + most_drawn_values - 1) / most_drawn_values;
  for (std::size_t i = 0; i < series.values.size(); i += std::max<std::size_t>(step, 1)) {
    const sensitivity::Misfit& one = series.values[i];
    put_value(above, {one.time, one.measured}, deviation);
    put_value(below, {one.time, one.measured - one.fitted}, deviation);
  }
  Chart chart;
  chart.title = series.name + ": measured, fitted, and the difference";
  chart.description =
      fmt::format("Above, {} measured values of {} over the fitted motion; below, measured less fitted.",
                  series.values.size(), series.name);
  chart.x_title = "t";
  chart.signs.emplace_back(MarkShape::dot, "measured");
  if (step > 1) chart.notes.push_back(fmt::format("One of {} values is drawn.", step));
  chart.panels = {std::move(above), std::move(below)};
  // Names within the figure must not be those of another figure of the page.
  std::string drawn = draw(chart);
  for (const std::string_view before : {"id=\"panel", "url(#panel"}) {
    for (std::size_t at = drawn.find(before); at != std::string::npos; at = drawn.find(before, at + before.size())) {
      drawn.insert(at + before.size() - 5, fmt::format("fit{}-", number));
    }
  }
  return drawn;
}

/// How often the sign of what is left changes, beside how often it would by chance.
std::string runs_of_signs(const FitSeries& series) {
  constexpr std::size_t enough = 10;
  double over = 0;
  double under = 0;
  double stretches = 0;
  int last = 0;
  for (const sensitivity::Misfit& one : series.values) {
    const int sign = one.measured > one.fitted ? 1 : one.measured < one.fitted ? -1 : 0;
    if (sign == 0) continue;
    (sign > 0 ? over : under) += 1;
    if (sign != last) stretches += 1;
    last = sign;
  }
  if (over + under < static_cast<double>(enough)) return {};
  return fmt::format(
      "<p class=\"soft\">{} values lie above, {} below, in {} stretches of one sign; by chance it would be about "
      "{}.</p>\n",
      over, under, stretches, readable(2 * over * under / (over + under) + 1, 3));
}

/// The correlation of two parameters as a cell, the darker the stronger.
std::string correlation_cell(double value) {
  constexpr double darkest = 0.45;
  return fmt::format("<td style=\"background:rgba(var(--{}),{:.2f})\">{}</td>", value < 0 ? "cold" : "warm",
                     darkest * std::min(1.0, std::abs(value)), readable(value, 3));
}

}  // namespace

std::string fit_page(const model::Model& fitted, const sensitivity::Measured& measured, const sensitivity::Fit& fit,
                     const std::string& command, const std::function<bool()>& go_on) {
  const std::size_t values = fit.misfit.size();
  const std::size_t free = fit.parameters.size();
  std::optional<double> deviation;
  if (values > free) deviation = fit.residual / std::sqrt(static_cast<double>(values - free));

  std::vector<FitSeries> series;
  for (std::uint32_t k = 0; k < measured.outputs.size(); ++k) {
    FitSeries one{measured.outputs[k], {}, {}};
    for (const sensitivity::Misfit& value : fit.misfit) {
      if (value.output == k) one.values.push_back(value);
    }
    if (!one.values.empty()) series.push_back(std::move(one));
  }
  if (!series.empty()) draw_through(fitted, series, fitted.simulation.start, measured.times.back(), go_on);

  const std::string title = xml_escaped(fitted.title.empty() ? fitted.file : fitted.title);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta "
      "http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"generator\" "
      "content=\"zwang "
      "{2}\"/>\n<title>Fit: {0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main id=\"zwang-data\">\n<h1>{0}</h1>\n",
      title, fit_look, version);
  out += fit.converged ? fmt::format("<p>Fitted to {} values in {} steps.</p>\n", values, fit.iterations)
                       : fmt::format("<p><strong>Not fitted</strong>: {}.</p>\n", xml_escaped(fit.why));
  out += fmt::format("<p class=\"soft\">What is left: {} (root of the sum of squares), {} before",
                     readable(fit.residual), readable(fit.first_residual));
  if (deviation)
    out += fmt::format("; one value is off by {} (one deviation, the bars in the figures)", readable(*deviation, 4));
  out += ".</p>\n";

  // The parameters.
  out +=
      "<h2>Parameters</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Parameters\"><table "
      "class=\"names\">\n<tr><th scope=\"col\">parameter</th><th scope=\"col\">value</th>";
  out += "<th scope=\"col\">standard error</th><th scope=\"col\">in parts of it</th></tr>\n";
  for (const sensitivity::FittedParameter& one : fit.parameters) {
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>", xml_escaped(one.name), readable(one.value, 10));
    if (one.deviation) {
      out += fmt::format("<td>{}</td><td>{}</td></tr>\n", readable(*one.deviation, 3),
                         one.value != 0 ? readable(*one.deviation / std::abs(one.value), 2) : "");
    } else {
      out += fmt::format("<td>{}</td><td></td></tr>\n", one.bound        ? "at a bound"
                                                        : one.determined ? "too few values"
                                                                         : "not determined");
    }
  }
  out += "</table></div>\n";
  for (const sensitivity::Undetermined& one : fit.undetermined) {
    out += fmt::format("<p>{}.</p>\n", capital(xml_escaped(sensitivity::words(one))));
  }
  for (const sensitivity::FittedParameter& one : fit.parameters) {
    if (one.bound) out += fmt::format("<p>{}.</p>\n", capital(xml_escaped(sensitivity::words_about_bound(one))));
  }
  if (free > 1 && fit.covariance.rows == free) {
    out +=
        "<h2>Correlations</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Correlations\"><table "
        "class=\"names\">\n<tr><td></td>";
    for (const sensitivity::FittedParameter& one : fit.parameters) {
      out += fmt::format("<th scope=\"col\">{}</th>", xml_escaped(one.name));
    }
    out += "</tr>\n";
    for (std::size_t i = 0; i < free; ++i) {
      out += fmt::format("<tr><th scope=\"row\">{}</th>", xml_escaped(fit.parameters[i].name));
      for (std::size_t j = 0; j < free; ++j) {
        out += correlation_cell(i == j ? 1.0
                                       : fit.covariance(i, j) / std::sqrt(fit.covariance(i, i) * fit.covariance(j, j)));
      }
      out += "</tr>\n";
    }
    out += "</table></div>\n";
  }

  // The values.
  for (std::size_t k = 0; k < series.size(); ++k) {
    out += fmt::format("<h2>{}</h2>\n<figure>{}</figure>\n{}", xml_escaped(series[k].name),
                       figure_of(series[k], deviation, k + 1), runs_of_signs(series[k]));
  }
  out += fmt::format("<h2>The fitted motion</h2>\n<pre><code>{}</code></pre>\n</main>\n</body>\n</html>\n",
                     xml_escaped(command));
  return out;
}

}  // namespace zwang::report
