/// `zwang gallery [NAME]`: lists, writes out, explains or runs the models that come along, or makes a site of them.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "gallery_files.hpp"
#include "site.hpp"
#include "terminal.hpp"
#include "zwang/error.hpp"
#include "zwang/report/json.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

/// The `title` line of a model, without reading it as a whole.
std::string title_of(std::string_view text) {
  const std::size_t at = text.find("title");
  const std::size_t open = at == std::string_view::npos ? at : text.find('"', at);
  const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
  return close == std::string_view::npos ? "" : std::string(text.substr(open + 1, close - open - 1));
}

void list_all(bool json) {
  std::vector<std::string> names;
  std::size_t longest = 0;
  for (const GalleryFile& file : gallery_files()) {
    if (file.file == "model.toml") {
      names.emplace_back(file.name);
      longest = std::max(longest, file.name.size());
    }
  }
  if (json) {
    report::Writer writer;
    writer.open().put("zwang", version).put("models", names);
    print(writer.close().text());
    return;
  }
  for (const GalleryFile& file : gallery_files()) {
    if (file.file == "model.toml") {
      print(fmt::format("{:<{}}  {}\n", file.name, longest, title_of(file.text)));
    }
  }
}

/// Options of a run say nothing of a model that is only shown.
void refuse_options_of_runs(const Request& request) {
  const std::pair<const char*, bool> of_runs[] = {{"--set", !request.set.empty()},
                                                  {"--at", !request.at.empty()},
                                                  {"--until", !request.until.empty()},
                                                  {"--tolerance", !request.tolerance.empty()},
                                                  {"--samples", !request.samples.empty()},
                                                  {"--sample-at", !request.sample_at.empty()},
                                                  {"--csv", request.csv},
                                                  {"--no-report", request.no_report}};
  for (const auto& [option, given] : of_runs) {
    if (given) throw Error({"command line", 0, 0}, fmt::format("{} is for `zwang gallery NAME --run`", option));
  }
}

/// A file of a model of the gallery.
std::string_view file_of(const std::string& name, std::string_view which) {
  for (const GalleryFile& file : gallery_files()) {
    if (file.name == name && file.file == which) return file.text;
  }
  return {};
}

/// The text of a model, or of what it shows.
void show(const Request& request) {
  const std::string_view text = file_of(request.name, request.physics ? "README.md" : "model.toml");
  if (!request.json) {
    print(text);
    return;
  }
  report::Writer json;
  json.open().put("zwang", version).put("name", request.name);
  json.put("title", title_of(file_of(request.name, "model.toml"))).put(request.physics ? "physics" : "text", text);
  print(json.close().text());
}

/// All files of a model into a folder of its name.
void write_out(const Request& request) {
  std::vector<std::string> written;
  for (const GalleryFile& file : gallery_files()) {
    if (file.name != request.name) continue;
    const std::filesystem::path folder = std::filesystem::path(request.out) / request.name;
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    written.push_back((folder / file.file).string());
    report::write_whole(written.back(), file.text);
  }
  if (request.json) {
    report::Writer json;
    json.open().put("zwang", version).put("name", request.name).put("files", written);
    print(json.close().text());
    return;
  }
  for (const std::string& file : written) print(file + "\n");
}

}  // namespace

int gallery(const Request& request) {
  if (!request.site.empty()) {
    if (!request.name.empty() || !request.out.empty() || request.physics || request.run) {
      throw Error({"command line", 0, 0}, "--site writes all models; NAME, --out, --physics and --run are for one");
    }
    refuse_options_of_runs(request);
    const SiteAccount account = write_site(request.site, !request.quiet && !request.json && isatty(STDERR_FILENO) != 0);
    if (!account.complete) {
      std::cerr << fmt::format("zwang: interrupted after {} models; the site is not complete\n", account.models);
      return interrupted;
    }
    if (request.json) {
      report::Writer writer;
      writer.open().put("zwang", version).put("models", std::uint64_t{account.models});
      writer.put("files", std::vector<std::string>{account.index});
      print(writer.close().text());
    } else {
      print(fmt::format("{} models\n  {}\n", account.models, account.index));
    }
    return answered;
  }
  if (request.run && request.name.empty()) {
    throw Error({"command line", 0, 0}, "--run needs the NAME of a model; `zwang gallery` lists them");
  }
  if (request.run && request.physics) {
    throw Error({"command line", 0, 0}, "--physics tells what a model shows, --run runs it: ask for one of them");
  }
  if (!request.run) refuse_options_of_runs(request);
  if (request.name.empty()) {
    if (request.physics || !request.out.empty()) {
      throw Error({"command line", 0, 0}, fmt::format("{} needs the NAME of a model; `zwang gallery` lists them",
                                                      request.physics ? "--physics" : "--out"));
    }
    list_all(request.json);
    return answered;
  }
  static_cast<void>(read_source("gallery:" + request.name));  // is there such a model?
  if (request.run) {
    Request own = request;
    own.model = "gallery:" + request.name;
    return run(own);
  }
  if (request.physics && !request.out.empty()) {
    throw Error({"command line", 0, 0}, "--physics prints; --out writes it, with all files of the model");
  }
  request.out.empty() ? show(request) : write_out(request);
  return answered;
}

}  // namespace zwang::cli
