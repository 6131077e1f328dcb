/// `zwang fit MODEL DATA --free NAME,NAME`: parameters of a model from measured values, by least squares.
#include "zwang/sensitivity/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>
#include <optional>

#include "commands.hpp"
#include "recorded.hpp"
#include "tables.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/model/watch.hpp"
#include "zwang/report/fit.hpp"
#include "zwang/report/fit_page.hpp"
#include "zwang/report/whole_file.hpp"

namespace zwang::cli {

namespace {

constexpr double most_starts = 1e6;
/// Misfits that differ by less are those of one bottom.
constexpr double other_bottom = 1e-6;
/// The cosine between residuals and slopes beyond which a fit is not at a bottom: what rounding leaves of it is far below.
constexpr double still_steep = 1e-3;

/// A word as a shell takes it for one.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "@%+=:,./-_";
  const bool bare = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || plain.find(c) != plain.npos;
  });
  if (bare) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The page of the misfit, beside which an answer must not be lost: a trouble with it is told on standard error.
void leave_fit_page(const Request& request, const model::Draft& draft, model::Overrides changed,
                    const sensitivity::Measured& measured, const sensitivity::Fit& found,
                    std::vector<std::string>& files) {
  try {
    // The motion with the values found, to the last instant that was measured.
    for (const sensitivity::FittedParameter& one : found.parameters) {
      std::erase_if(changed.parameters, [&](const auto& other) { return other.first == one.name; });
      changed.parameters.emplace_back(one.name, exact(one.value));
    }
    std::string command = "zwang run " + shell_word(request.model);
    for (const auto& [name, value] : changed.parameters) command += " --set " + shell_word(name + "=" + value);
    for (const auto& [name, value] : {std::pair{"--at", &changed.start}, std::pair{"--until", &changed.until},
                                      std::pair{"--tolerance", &changed.tolerance}}) {
      if (!value->empty()) command += fmt::format(" {} {}", name, shell_word(*value));
    }
    changed.until = exact(measured.times.back());
    const std::filesystem::path folder = request.out.empty() ? "out" : request.out;
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    const std::string name = (folder / (file_stem(request.model) + "-fit.html")).string();
    const std::string page =
        report::fit_page(model::compile(draft, changed), measured, found, command, [] { return !asked_to_end(); });
    if (asked_to_end()) return;
    report::write_whole(name, page);
    files.push_back(name);
  } catch (const std::bad_alloc&) {
    lose("no page was written: there is not enough memory");
  } catch (const std::exception& trouble) {
    lose(fmt::format("no page was written: {}", trouble.what()));
  }
}

/// `--starts` and `--within`.
void read_starts(const Request& request, sensitivity::FitOptions& options) {
  if (!request.starts.empty()) {
    const std::optional<double> count = read_number(request.starts);
    if (!count || *count < 1 || *count > most_starts || *count != std::floor(*count)) {
      throw Error({"--starts", 1, 1}, fmt::format("a number of starts is a whole number from 1 to {}", most_starts),
                  request.starts);
    }
    options.starts = static_cast<std::uint32_t>(*count);
  }
  for (const std::string& text : request.within) {
    const std::size_t equals = text.find('=');
    const std::size_t dots = text.find("..", equals == std::string::npos ? 0 : equals);
    if (equals == std::string::npos || dots == std::string::npos) {
      throw Error({"--within", 1, 1}, "a range is written NAME=LOW..HIGH, as in L=0.5..2", text);
    }
    const auto number = [&](std::size_t from, std::size_t to) {
      return model::number_of({"--within", text.substr(from, to - from)});
    };
    const sensitivity::StartRange range{text.substr(0, equals), number(equals + 1, dots),
                                        number(dots + 2, text.size())};
    if (!(range.low < range.high)) {
      throw Error({"--within", 1, static_cast<std::uint32_t>(equals + 2)}, "the lower end is not below the upper one",
                  text);
    }
    options.within.push_back(range);
  }
}

/// What is known of the bottom that was found.
std::string words_about(const sensitivity::Fit& found) {
  std::string out;
  if (found.starts.size() > 1) {
    std::optional<double> next;
    std::size_t lost = 0;
    for (const sensitivity::FitStart& one : found.starts) {
      if (!one.converged) ++lost;
      const bool worse = one.converged && *one.residual > found.residual * (1 + other_bottom);
      if (worse && (!next || *one.residual < *next)) next = one.residual;
    }
    out += fmt::format("  of {} starts {} end{} here", found.starts.size(), found.alike, found.alike == 1 ? "s" : "");
    if (next) out += fmt::format(", the next bottom has the misfit {}", readable(*next));
    if (lost > 0) out += fmt::format(", {} found none", lost);
    out += '\n';
  }
  if (found.misfit.size() < found.parameters.size()) {
    out += fmt::format("  {} {} not determine {}: one choice of many\n", report::counted(found.misfit.size(), "value"),
                       found.misfit.size() == 1 ? "does" : "do", report::counted(found.parameters.size(), "parameter"));
  }
  for (const sensitivity::Undetermined& one : found.undetermined) out += "  " + sensitivity::words(one) + "\n";
  for (const sensitivity::FittedParameter& one : found.parameters) {
    if (one.bound) out += "  " + sensitivity::words_about_bound(one) + "\n";
  }
  if (found.converged && found.gradient && *found.gradient > still_steep) {
    out += fmt::format(
        "  the squares still fall ({} of their steepest): a corner of the motion, or values the model refuses\n",
        readable(*found.gradient, 2));
  }
  if (found.without_slope > 0) {
    out += fmt::format("  {} {} no derivative here, as a distance that is zero: in the squares, not in the steps\n",
                       report::counted(found.without_slope, "value"), found.without_slope == 1 ? "has" : "have");
  }
  if (found.systematic) {
    out += fmt::format(
        "  what is left is no noise: neighbours go together (ratio {}, of noise 2). The model lacks something, or this "
        "is "
        "not the lowest bottom{}\n",
        readable(*found.scatter, 2), found.starts.size() > 1 ? "" : ": try --starts 16");
  }
  return out;
}

}  // namespace

int fit(const Request& request) {
  listen_to_signals();
  const Source source = read_source(request.model);
  const model::Draft draft = model::read(source.text, source.name);
  const model::Overrides changed = overrides(request);
  const model::Model model = model::compile(draft, changed);
  refuse_flow(model);
  const sensitivity::Measured measured =
      report::read_measured(read_source(request.data, "the data", "data.csv").text, request.data);
  sensitivity::FitOptions options;
  options.go_on = [] { return !asked_to_end(); };
  read_starts(request, options);
  const sensitivity::Fit found =
      sensitivity::fit(draft, changed, parameter_names(request.free, "--free"), measured, options);
  std::vector<std::string> files;
  if (!request.no_report && !asked_to_end() && !found.misfit.empty()) {
    leave_fit_page(request, draft, changed, measured, found, files);
  }
  const int status = asked_to_end() ? interrupted : found.converged ? answered : gave_up;
  if (request.json) {
    print(report::fit_json(model, measured, found, files));
    return status;
  }
  if (request.quiet) {
    print(found.converged ? "fitted\n" : "not fitted\n");
    return status;
  }
  const Style& s = style();
  print(heading(model, model.simulation.start));
  if (found.converged) {
    print(fmt::format("{}fitted{} to {} in {}\n\n", s.good, s.off, report::counted(found.misfit.size(), "value"),
                      report::counted(found.iterations, "step")));
  } else {
    print(fmt::format("{}not fitted{}: {}\n\n", s.bad, s.off, found.why));
  }
  for (const sensitivity::FittedParameter& one : found.parameters) {
    const std::string beside = one.deviation     ? " +- " + readable(*one.deviation, 3)
                               : one.bound       ? ", at a bound"
                               : !one.determined ? ", not determined"
                                                 : "";
    print(fmt::format("  {} = {}{}\n", one.name, readable(one.value, 10), beside));
  }
  const auto count = static_cast<double>(std::max<std::size_t>(found.misfit.size(), 1));
  print(fmt::format("\n  misfit {} (root of the sum of squares; {} per value), before {}\n", readable(found.residual),
                    readable(found.residual / std::sqrt(count), 3), readable(found.first_residual)));
  print(words_about(found));
  for (const std::string& file : files) print(fmt::format("  {}\n", file));
  return status;
}

}  // namespace zwang::cli
