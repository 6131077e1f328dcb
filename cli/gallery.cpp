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

}  // namespace

int gallery(const Request& request) {
  if (!request.site.empty()) {
    if (!request.name.empty() || !request.out.empty() || request.physics) {
      throw Error({"command line", 0, 0}, "--site writes all models; NAME, --out and --physics are for one");
    }
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
  if (request.name.empty()) {
    list_all(request.json);
    return answered;
  }
  const Source source = read_source("gallery:" + request.name);
  if (request.run) {
    Request own = request;
    own.model = "gallery:" + request.name;
    return run(own);
  }
  if (request.out.empty() && !request.physics) {
    print(source.text);
    return answered;
  }
  for (const GalleryFile& file : gallery_files()) {
    if (file.name != request.name) {
      continue;
    }
    if (request.physics) {
      if (file.file == "README.md") {
        print(file.text);
      }
      continue;
    }
    const std::filesystem::path folder = std::filesystem::path(request.out) / request.name;
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    report::write_whole((folder / file.file).string(), file.text);
    print(fmt::format("{}\n", (folder / file.file).string()));
  }
  return answered;
}

}  // namespace zwang::cli
