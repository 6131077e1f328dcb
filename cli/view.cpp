/// `zwang view FILE...`: the animated report in a browser, from a report, run files or a model.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "commands.hpp"
#include "pages.hpp"
#include "recorded.hpp"
#include "runs.hpp"
#include "sweep_page.hpp"
#include "terminal.hpp"
#include "zwang/base/number.hpp"
#include "zwang/base/refusal.hpp"
#include "zwang/error.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/sweeps/table.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

enum class Kind : std::uint8_t { page, run, model };

/// What a file is, by what stands in it; its name decides only where nothing can be read.
Kind kind_of(const std::string& name) {
  if (name == "-" || name.starts_with("gallery:")) {
    return Kind::model;
  }
  if (std::filesystem::is_directory(name)) {
    throw Error({name, 0, 0}, "this is a directory; `zwang view` takes a report, run files or a model");
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    refuse_file(name, "cannot read the file", errno);
  }
  std::string head(16, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const std::string ending = std::filesystem::path(name).extension().string();
  if (begins_a_database(head) || ending == ".sqlite") {
    return Kind::run;
  }
  if (head.starts_with("<!DOCTYPE") || head.starts_with("<!doctype") || ending == ".html" || ending == ".htm") {
    return Kind::page;
  }
  return Kind::model;
}

/// A report has its data, and its last line: one that was cut short has not.
void require_report(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.find("id=\"zwang-data\"") == std::string::npos) {
    throw Error({name, 0, 0}, "this page is not a report of zwang, or it was cut short");
  }
  if (text.find("</html>", text.size() < 200 ? 0 : text.size() - 200) == std::string::npos) {
    throw Fault({name, 0, 0},
                "this report was cut short: its end is missing; `zwang view` makes it again from the run file");
  }
}

struct Shown {
  model::Model model;
  runs::Store store;
  std::string stem;
};

/// What is made is made as it was: options of runs are for models.
void refuse_options_of_runs(const Request& request, const std::string& name) {
  const std::pair<const char*, bool> of_runs[] = {{"--set", !request.set.empty()},
                                                  {"--at", !request.at.empty()},
                                                  {"--until", !request.until.empty()},
                                                  {"--tolerance", !request.tolerance.empty()},
                                                  {"--samples", !request.samples.empty()}};
  for (const auto& [option, given] : of_runs) {
    if (given) {
      throw Error({name, 0, 0},
                  fmt::format("{} is for a model that is run to be looked at; this has been made already", option));
    }
  }
}

/// A run for a page that was asked to end before: it is kept, and there is no page.
void stop_where_interrupted(const runs::Store& store) {
  if (store.account().status != motion::Status::interrupted && !asked_to_end()) return;
  throw Interrupted(
      fmt::format("interrupted at t = {}; the run is kept: `zwang view {}` shows it, `zwang run --resume "
                  "{}` goes on with it",
                  readable(store.account().present.state.time, 10), store.path(), store.path()));
}

/// The parameters in which runs differ, else their names.
std::vector<std::string> labels(const std::vector<Shown>& shown) {
  std::vector<std::string> out(shown.size());
  if (shown.size() < 2) {
    return out;
  }
  const std::vector<model::Parameter>& first = shown.front().model.parameters;
  for (std::size_t p = 0; p < first.size(); ++p) {
    bool differs = false;
    bool alike = true;
    for (const Shown& one : shown) {
      alike = alike && p < one.model.parameters.size() && one.model.parameters[p].name == first[p].name &&
              one.model.parameters[p].value.size() == 1;
      differs = differs || (alike && one.model.parameters[p].value != first[p].value);
    }
    if (!alike || !differs) {
      continue;
    }
    for (std::size_t k = 0; k < shown.size(); ++k) {
      out[k] += fmt::format("{}{} = {}", out[k].empty() ? "" : ", ", first[p].name,
                            readable(shown[k].model.parameters[p].value[0]));
    }
  }
  // Labels must tell the runs apart.
  if (std::set<std::string>(out.begin(), out.end()).size() < out.size()) {
    for (std::size_t k = 0; k < shown.size(); ++k) {
      out[k] = shown[k].stem;
    }
  }
  if (std::set<std::string>(out.begin(), out.end()).size() < out.size()) {
    for (std::size_t k = 0; k < shown.size(); ++k) {
      out[k] = fmt::format("{} ({})", shown[k].stem, k + 1);
    }
  }
  return out;
}

Shown show(const Question& question, const Manner& manner, const std::string& name) {
  if (kind_of(name) == Kind::run) {
    runs::Store store = runs::Store::read(name);
    model::Model model = runs::model_of(store);
    store.set_outputs(model);
    if (store.pieces() == 0 && store.account().present.state.position.empty()) {
      throw Error({name, 0, 0}, "this run file holds no motion yet");
    }
    return {std::move(model), std::move(store), std::filesystem::path(name).stem().string()};
  }
  Question own = question;
  own.model = name;
  Task task = new_task(own, manner);
  runs::Store store = runs::Store::create(task.file, task.recipe, task.model);
  store.set_outputs(task.model);
  compute(task, manner, store);
  stop_where_interrupted(store);
  return {std::move(task.model), std::move(store), file_stem(name)};
}

std::string make_report(const Request& request) {
  for (const std::string& name : request.show) {
    if (kind_of(name) != Kind::model) refuse_options_of_runs(request, name);
  }
  // A sweep has a page of its own kind.
  for (const std::string& name : request.show) {
    if (kind_of(name) != Kind::run || !sweeps::is_sweep_file(name)) continue;
    if (request.show.size() > 1) throw Error({name, 0, 0}, "a sweep is looked at by itself");
    return write_sweep_page(name, request.out);
  }
  // A report is shown as it is.
  if (kind_of(request.show.front()) == Kind::page) {
    if (request.show.size() > 1) {
      throw Error({request.show.front(), 0, 0},
                  "reports cannot be laid over one another; give the run files they were made from");
    }
    require_report(request.show.front());
    return request.show.front();
  }
  std::vector<Shown> shown;
  for (const std::string& name : request.show) {
    if (kind_of(name) == Kind::page) {
      throw Error({name, 0, 0}, "reports cannot be laid over one another; give the run files they were made from");
    }
    shown.push_back(show(request, manner_of(request), name));
  }
  const std::vector<std::string> names = labels(shown);
  std::vector<report::PageRun> pages;
  for (std::size_t k = 0; k < shown.size(); ++k) {
    pages.push_back({&shown[k].model, shown_view(shown[k].model, shown[k].store), names[k]});
  }

  // Beside the first run file, or where it is wanted.
  const std::filesystem::path beside = std::filesystem::path(shown.front().store.path()).parent_path();
  const std::filesystem::path where = request.out.empty() ? beside : std::filesystem::path(request.out);
  std::string file =
      (where / (shown.front().stem + (shown.size() > 1 ? fmt::format("-and-{}-more", shown.size() - 1) : "") + ".html"))
          .string();
  write_report(file, pages);
  return file;
}

}  // namespace

int view(const Request& request) {
  listen_to_signals();
  std::string file;
  try {
    file = make_report(request);
  } catch (const Interrupted& why) {
    if (!request.json) throw;
    print(report::error_json(why.what()));
    return interrupted;
  }
  const bool opened = !request.no_open && open_in_browser(file);
  if (request.json) {
    report::Writer json;
    json.open().put("zwang", version).put("files", std::vector<std::string>{file}).put("opened", opened);
    print(json.close().text());
    return answered;
  }
  print(file + "\n");
  if (!opened && !request.no_open && !request.quiet) {
    std::cerr << "zwang: no browser could be started here; open the file above in one (or set BROWSER)\n";
  }
  return answered;
}

}  // namespace zwang::cli
