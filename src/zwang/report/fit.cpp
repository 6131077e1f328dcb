/// Measured values and fits.
#include "zwang/report/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string_view>

#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::report {

namespace {

struct Cell {
  std::string text;
  std::uint32_t column = 1;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::vector<Cell> cells(std::string_view line) {
  std::vector<Cell> out;
  std::size_t from = 0;
  while (true) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    out.push_back({trimmed(line.substr(from, comma - from)), static_cast<std::uint32_t>(from + 1)});
    if (comma == line.size()) return out;
    from = comma + 1;
  }
}

}  // namespace

sensitivity::Measured read_measured(std::string_view text, const std::string& file) {
  sensitivity::Measured out;
  std::vector<std::string> names;
  std::size_t time_column = 0;
  std::vector<double> values;
  std::uint32_t number = 0;
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  // A byte order mark is no part of the first name.
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    const std::string bare = trimmed(line);
    if (bare.empty() || bare.front() == '#') continue;
    const std::vector<Cell> row = cells(line);
    const auto shared = std::make_shared<const std::string>(line);
    if (names.empty()) {
      bool found = false;
      std::set<std::string_view> known;
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (!known.insert(row[k].text).second) {
          throw Error({file, number, row[k].column}, "two columns of one name", line);
        }
        if (row[k].text.empty()) throw Error({file, number, row[k].column}, "a column without a name", line);
        // As tables of runs call it, too.
        if (row[k].text == "t" || (row[k].text == "time" && !found)) {
          found = true;
          time_column = k;
        }
        names.push_back(row[k].text);
      }
      if (!found) {
        throw Error({file, number, 1},
                    "the first line names the columns: t (or time) and outputs of the model, as in t,x,y", line);
      }
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k != time_column) out.output_origin.push_back({{file, number, row[k].column}, shared});
      }
      if (names.size() < 2) throw Error({file, number, 1}, "beside t there is no column", line);
      continue;
    }
    if (row.size() != names.size()) {
      throw Error({file, number, row.back().column},
                  std::to_string(row.size()) + " cells in a table of " + std::to_string(names.size()) + " columns",
                  line);
    }
    for (std::size_t k = 0; k < row.size(); ++k) {
      const std::optional<double> value = read_number(row[k].text);
      if ((!value && !row[k].text.empty()) || (value && !std::isfinite(*value))) {
        throw Error({file, number, row[k].column}, "'" + row[k].text + "' is no number", line);
      }
      if (k == time_column) {
        if (!value) throw Error({file, number, row[k].column}, "a line without a time", line);
        out.times.push_back(*value);
        out.time_origin.push_back({{file, number, row[k].column}, shared});
      } else {
        values.push_back(value.value_or(none));
      }
    }
  }
  if (names.empty()) throw Error({file, 0, 0}, "the table is empty");
  if (out.times.empty()) throw Error({file, 0, 0}, "the table has names and no values");
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k != time_column) out.outputs.push_back(names[k]);
  }
  // In the order of time.
  const std::size_t columns = out.outputs.size();
  std::vector<std::size_t> order(out.times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return out.times[a] < out.times[b]; });
  std::vector<double> times;
  std::vector<sensitivity::Measured::Origin> origin;
  for (const std::size_t k : order) {
    times.push_back(out.times[k]);
    origin.push_back(std::move(out.time_origin[k]));
    for (std::size_t c = 0; c < columns; ++c) out.value.push_back(values[k * columns + c]);
  }
  out.times = std::move(times);
  out.time_origin = std::move(origin);
  return out;
}

std::string fit_json(const model::Model& model, const sensitivity::Measured& measured, const sensitivity::Fit& fit,
                     const std::vector<std::string>& files) {
  Writer json;
  json.open();
  json.put("zwang", version);
  json.put("model", model.title.empty() ? std::string_view(model.file) : std::string_view(model.title));
  json.put("status", fit.converged ? "fitted" : "not fitted");
  if (!fit.why.empty()) json.put("why", fit.why);
  json.open("parameters");
  for (const sensitivity::FittedParameter& one : fit.parameters) {
    json.open(one.name);
    json.put("value", one.value);
    if (one.deviation) json.put("deviation", *one.deviation);
    json.put("determined", one.determined);
    if (one.bound) {
      json.open("bound");
      json.put("side", one.bound->upper ? "upper" : "lower");
      json.put("at", one.bound->at);
      json.put("why", one.bound->why.empty() ? std::string("asked for") : one.bound->why);
      json.close();
    }
    json.close();
  }
  json.close();
  if (!fit.undetermined.empty()) {
    json.open_list("undetermined");
    for (const sensitivity::Undetermined& one : fit.undetermined) {
      json.open();
      json.put("parameters", one.parameters);
      json.put("direction", one.direction);
      const std::string only = sensitivity::counts_only_as(one);
      if (!only.empty()) json.put("only", only);
      json.put("why", sensitivity::words(one));
      json.close();
    }
    json.close_list();
  }
  json.put("residual", fit.residual);
  json.put("iterations", std::uint64_t{fit.iterations});
  json.put("motions", fit.motions);
  json.put("values", std::uint64_t{fit.misfit.size()});
  if (fit.without_slope > 0) json.put("without_slope", std::uint64_t{fit.without_slope});
  if (fit.gradient) json.put("gradient", *fit.gradient);
  if (fit.scatter) {
    json.put("scatter", *fit.scatter);
    json.put("systematic", fit.systematic);
  }
  if (fit.starts.size() > 1) {
    json.put("alike", std::uint64_t{fit.alike});
    json.open_list("starts");
    for (const sensitivity::FitStart& one : fit.starts) {
      json.open();
      json.put("from", one.from);
      json.put("to", one.to);
      json.put("status", one.converged ? "fitted" : "not fitted");
      if (!one.why.empty()) json.put("why", one.why);
      if (one.residual) json.put("residual", *one.residual);
      json.close();
    }
    json.close_list();
  }
  if (!fit.covariance.entry.empty()) {
    json.open_list("covariance");
    for (std::size_t i = 0; i < fit.covariance.rows; ++i) {
      std::vector<double> line;
      for (std::size_t j = 0; j < fit.covariance.columns; ++j) line.push_back(fit.covariance(i, j));
      json.put(line);
    }
    json.close_list();
  }
  json.open_list("misfit");
  for (const sensitivity::Misfit& one : fit.misfit) {
    json.open();
    json.put("t", one.time);
    json.put("output", measured.outputs[one.output]);
    json.put("measured", one.measured);
    json.put("fitted", one.fitted);
    json.close();
  }
  json.close_list();
  if (!files.empty()) json.put("files", files);
  return json.close().text();
}

}  // namespace zwang::report
