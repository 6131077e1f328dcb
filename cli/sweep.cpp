/// `zwang sweep MODEL --over ...`: many motions over a design of parameters, one line of a table each.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "commands.hpp"
#include "recorded.hpp"
#include "terminal.hpp"
#include "world.hpp"
#include "zwang/base/escape.hpp"
#include "zwang/base/number.hpp"
#include "zwang/error.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/sweeps/run.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// Seeds are exact up to 2^64 - 1.
std::uint64_t seed_number(const std::string& text) {
  std::uint64_t value = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (c < '0' || c > '9' || value > (~std::uint64_t{0} - digit) / 10) {
      throw Error({"command line", 0, 0},
                  fmt::format("--seed takes a whole number from 0 to 2^64 - 1, not '{}'", text));
    }
    value = value * 10 + digit;
  }
  return value;
}

sweeps::Recipe new_recipe(const Request& request) {
  if (request.model.empty()) {
    throw Error({"command line", 0, 0}, "MODEL is required: a file, - for standard input, or gallery:NAME");
  }
  sweeps::Recipe recipe;
  const Source source = read_source(request.model);
  recipe.file = source.name;
  recipe.text = source.text;
  recipe.overrides = overrides(request);
  for (const std::string& text : request.over) recipe.over.push_back(sweeps::spec_of(text));
  constexpr auto most = static_cast<double>(sweeps::most_samples);
  if (!request.count.empty()) recipe.count = whole_number("--count", request.count, 1, most);
  if (!request.seed.empty()) recipe.seed = seed_number(request.seed);
  recipe.records = request.record;
  return recipe;
}

/// What is fixed in a sweep that goes on.
void refuse_changes(const Request& request) {
  const std::pair<const char*, bool> fixed[] = {{"MODEL", !request.model.empty()},
                                                {"--over", !request.over.empty()},
                                                {"--count", !request.count.empty()},
                                                {"--seed", !request.seed.empty()},
                                                {"--record", !request.record.empty()},
                                                {"--set", !request.set.empty()},
                                                {"--at", !request.at.empty()},
                                                {"--until", !request.until.empty()},
                                                {"--tolerance", !request.tolerance.empty()},
                                                {"--out", !request.out.empty()}};
  for (const auto& [name, given] : fixed) {
    if (given) {
      throw Error(
          {"command line", 0, 0},
          fmt::format("--resume goes on with the sweep as it was begun, beside its file: {} cannot be changed", name));
    }
  }
}

unsigned hands_here(const Request& request, bool shared) {
  // Under mpirun every core has its process.
  return shared && request.jobs.empty() ? 1 : threads_of(request);
}

/// "3 days", "2 h 10 min", "45 s".
std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = static_cast<std::uint64_t>(std::min(std::ceil(seconds), 1e15));
  constexpr std::uint64_t minute = 60;
  constexpr std::uint64_t hour = 60 * minute;
  constexpr std::uint64_t day = 24 * hour;
  if (whole < 2 * minute) return fmt::format("{} s", whole);
  if (whole < 2 * hour) return fmt::format("{} min", (whole + minute - 1) / minute);
  if (whole < 2 * day) return fmt::format("{} h {} min", whole / hour, whole % hour / minute);
  return fmt::format("{} days", (whole + day - 1) / day);
}

/// Samples done, rate and time left, on a terminal.
class SweepLine {
 public:
  SweepLine(std::uint64_t done, std::uint64_t total, bool wanted)
      : first_(done),
        total_(total),
        shown_(wanted && isatty(STDERR_FILENO) == 1),
        begin_(Clock::now()),
        last_(begin_) {}
  ~SweepLine() {
    if (drawn_) {
      std::fputs("\r\x1b[K", stderr);
      std::fflush(stderr);
    }
  }
  SweepLine(const SweepLine&) = delete;
  SweepLine& operator=(const SweepLine&) = delete;

  void show(std::uint64_t done) {
    const auto now = Clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    drawn_ = true;
    const double rate = static_cast<double>(done - first_) / std::chrono::duration<double>(now - begin_).count();
    const std::string line =
        fmt::format("\r\x1b[K{} of {} samples  {:5.1f} %  {} per second  {} left", done, total_,
                    100 * static_cast<double>(done) / static_cast<double>(total_), readable(rate, 4),
                    rate > 0 ? duration(static_cast<double>(total_ - done) / rate) : "?");
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  std::uint64_t first_;
  std::uint64_t total_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point begin_, last_;
};

/// "9990 finished, 10 jammed".
std::string verdict_of(const sweeps::Table& table) {
  std::string text;
  const std::map<std::string, std::uint64_t> statuses = table.statuses();
  const auto put = [&](const std::string& status, std::uint64_t count) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  };
  if (const auto finished = statuses.find("finished"); finished != statuses.end()) put("finished", finished->second);
  for (const auto& [status, count] : statuses) {
    if (status != "finished") put(status, count);
  }
  return text.empty() ? "none" : text;
}

void print_json(const sweeps::Table& table, const std::vector<std::string>& files) {
  report::Writer json;
  json.open().put("zwang", version).put("samples", table.done());
  std::uint64_t finished = 0;
  const std::map<std::string, std::uint64_t> statuses = table.statuses();
  if (const auto found = statuses.find("finished"); found != statuses.end()) finished = found->second;
  json.put("finished", finished).open("other");
  for (const auto& [status, count] : statuses) {
    if (status != "finished") json.put(status, count);
  }
  json.close().put("seconds", table.seconds());
  if (table.done() < table.total()) json.put("status", "interrupted").put("total", table.total());
  print(json.put("files", files).close().text());
}

/// The file first: where the sweep was, or where it will go.
sweeps::Table table_of(const Request& request, std::optional<sweeps::Sweep>& sweep) {
  if (!request.resume.empty()) {
    refuse_changes(request);
    sweeps::Table table = sweeps::Table::open(request.resume);
    sweep.emplace(table.recipe());
    return table;
  }
  const sweeps::Recipe recipe = new_recipe(request);
  sweep.emplace(recipe);
  const std::filesystem::path folder = request.out.empty() ? "out" : request.out;
  return sweeps::Table::create((folder / (file_stem(request.model) + "-sweep.sqlite")).string(), recipe, *sweep);
}

int lead(const Request& request, World& world) {
  const unsigned threads = hands_here(request, world.others() > 0);
  std::optional<sweeps::Sweep> sweep;
  sweeps::Table table = table_of(request, sweep);
  listen_to_signals();
  if (const std::string notice = table.notice(); !notice.empty() && !request.quiet && table.done() < table.total()) {
    complain(notice);
  }

  // The samples, then what is told of them.
  const std::uint64_t before = table.done();
  const auto begin = Clock::now();
  {
    SweepLine line(table.done(), table.total(), !request.quiet);
    sweeps::Crew crew = world.crew();
    sweeps::Hands hands;
    hands.threads = threads;
    hands.crew = world.others() > 0 ? &crew : nullptr;
    hands.go_on = [&](std::uint64_t done) {
      line.show(done);
      return !asked_to_end();
    };
    carry_on(*sweep, table, hands);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const bool complete = table.done() == table.total();
  std::vector<std::string> files = {table.path()};
  if (request.csv && complete) {
    files.push_back(std::filesystem::path(table.path()).replace_extension(".csv").string());
    report::WholeFile file(files.back());
    sweeps::write_csv(table, [&](std::string_view text) {
      if (asked_to_end()) throw Interrupted();
      file.put(text);
    });
    file.finish();
  }
  if (request.json) {
    print_json(table, files);
    return complete ? answered : interrupted;
  }
  if (!request.quiet && !sweep->title().empty()) print(plain_line(sweep->title()) + "\n");
  const Style& s = style();
  print(fmt::format("{}{}{}: {}\n", s.bold, counted(table.done(), "sample"), s.off, verdict_of(table)));
  if (!complete) {
    print(fmt::format("{}interrupted{}: {} of {} samples are kept; go on with `zwang sweep --resume {}`\n", s.warm,
                      s.off, table.done(), table.total(), table.path()));
  }
  if (!request.quiet) {
    constexpr std::uint64_t told = 3;
    for (const auto& [sample, why] : table.failures(told)) print(fmt::format("  sample {}: {}\n", sample, why));
    if (table.done() > before) {
      print(fmt::format("  {:.3f} s, {} per second\n", seconds,
                        readable(static_cast<double>(table.done() - before) / seconds, 4)));
    }
    for (const std::string& file : files) print(fmt::format("  {}\n", file));
  }
  return complete ? answered : interrupted;
}

}  // namespace

int sweep(const Request& request) {
  World world = World::join();
  if (world.rank() != 0) {
    listen_to_signals();
    try {
      sweeps::help([&](std::string_view message) { return world.ask(message); }, hands_here(request, true),
                   [] { return !asked_to_end(); });
    } catch (const std::exception& trouble) {
      // The others would wait for what this process owes them: without a farewell they end with it.
      complain(fmt::format("process {}: {}", world.rank(), trouble.what()));
      std::_Exit(fault);
    }
    return answered;
  }
  return lead(request, world);
}

}  // namespace zwang::cli
