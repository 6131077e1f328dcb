/// Where the living page lies, and the text that goes into it.
#include "live_page.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "zwang/base/escape.hpp"
#include "zwang/error.hpp"
#include "zwang/report/pack.hpp"

namespace zwang::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker = "<!--zwang:text-->";

/// $ZWANG_LIVE_PAGE alone if it is set.
std::vector<fs::path> places() {
  std::vector<fs::path> out;
  if (const char* named = std::getenv("ZWANG_LIVE_PAGE"); named != nullptr && *named != '\0') return {named};
  std::error_code unknown;
  const fs::path command = fs::read_symlink("/proc/self/exe", unknown);
  if (!unknown) out.push_back(command.parent_path().parent_path() / "share" / "zwang" / "live.html");
  out.emplace_back(ZWANG_DATA "/live.html");
  out.emplace_back(ZWANG_LIVE_BUILT);
  return out;
}

}  // namespace

std::optional<std::string> live_page() {
  for (const fs::path& place : places()) {
    std::ifstream file(place, std::ios::binary);
    if (!file) continue;
    std::string page{std::istreambuf_iterator<char>(file), {}};
    // One that is being written at this moment, or was cut short, is none.
    if (page.find(marker) != std::string::npos && page.find("</html>") != std::string::npos) return page;
  }
  return std::nullopt;
}

std::string require_live_page() {
  std::optional<std::string> page = live_page();
  if (!page) {
    throw Error({"zwang live", 0, 0},
                "this build has no living page: `make live` in the source tree builds it (it needs Emscripten), and "
                "`make install` then takes it along");
  }
  return std::move(*page);
}

std::string live_page_with(std::string_view page, std::string_view name, std::string_view text) {
  const std::size_t at = page.find(marker);
  std::string out(page.substr(0, at));
  out += "<script id=\"zwang-text\" type=\"text/plain\" data-name=\"" + xml_escaped(name) + "\">";
  out += report::base64(text);
  out += "</script>";
  out += page.substr(at + marker.size());
  return out;
}

}  // namespace zwang::cli
