/// The lines of a sweep file as the data of its page (docs/reference/page-data.md).
#include "sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "live_page.hpp"
#include "recorded.hpp"
#include "sweep_figures.hpp"
#include "zwang/error.hpp"
#include "zwang/report/pack.hpp"
#include "zwang/report/page_shell.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/sweeps/table.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

namespace {

constexpr std::uint64_t most_page_lines = std::uint64_t{1} << 20U;     ///< so that a picture of 10^6 pixels is whole
constexpr std::uint64_t most_page_numbers = std::uint64_t{12} << 20U;  ///< 50 MB in a browser
constexpr std::uint64_t most_exact_lines =
    200'000;  ///< beyond, records have seven digits; parameters have all of theirs
constexpr std::uint64_t most_told_failures = 1000;

/// The lines that the page holds.
struct PageLines {
  std::vector<std::uint32_t> sample;
  std::vector<std::uint8_t> status;
  std::vector<std::vector<double>> columns;  ///< parameters, time, steps, events, defect, records
};

PageLines read_page_lines(const sweeps::Table& table, const std::vector<std::string>& statuses, double share) {
  PageLines out;
  out.columns.resize(table.columns().size() - 2);
  // Lines that are left out are drawn: every so-many-th would miss whole columns of a grid.
  const std::uint64_t key = sweeps::key_of(0, "lines of the page");
  table.each_row([&](const sweeps::Row& row) {
    if (asked_to_end()) throw Interrupted();
    if (share < 1 && sweeps::uniform(key, row.sample) >= share) return;
    out.sample.push_back(static_cast<std::uint32_t>(row.sample));
    const auto status = std::find(statuses.begin(), statuses.end(), row.status);
    out.status.push_back(static_cast<std::uint8_t>(status - statuses.begin()));
    std::size_t c = 0;
    for (const double value : row.parameters) out.columns[c++].push_back(value);
    for (const double value : {row.time, static_cast<double>(row.steps), static_cast<double>(row.events), row.defect}) {
      out.columns[c++].push_back(value);
    }
    for (const double value : row.records) out.columns[c++].push_back(value);
  });
  return out;
}

/// Header and numbers.
std::string page_data(const sweeps::Table& table, const std::string& title, const std::string& live) {
  // What finished comes first.
  std::vector<std::string> statuses;
  const std::map<std::string, std::uint64_t> counts = table.statuses();
  for (const auto& [name, count] : counts) statuses.push_back(name);
  std::stable_partition(statuses.begin(), statuses.end(), [](const std::string& name) { return name == "finished"; });

  const std::uint64_t most =
      std::min(most_page_lines, most_page_numbers / static_cast<std::uint64_t>(table.columns().size()));
  const double share = table.done() <= most ? 1 : static_cast<double>(most) / static_cast<double>(table.done());
  const PageLines lines = read_page_lines(table, statuses, share);
  const bool exactly = lines.sample.size() <= most_exact_lines;

  const sweeps::Recipe& recipe = table.recipe();
  const std::vector<std::string> parameters = sweeps::read_design(recipe.over, recipe.count, recipe.seed).names();
  report::Blob blob;
  report::Writer header;
  header.open().put("format", std::uint64_t{1}).put("kind", "sweep").put("zwang", version).put("title", title);
  header.put("file", recipe.file == "standard input" ? std::string("-") : recipe.file);
  header.put("total", table.total()).put("done", table.done());
  header.open_list("columns");
  for (std::size_t c = 0; c < lines.columns.size(); ++c) {
    const bool is_parameter = c < parameters.size();
    const bool is_account = !is_parameter && c < parameters.size() + 4;
    // The status, between parameters and account, has a block of its own.
    report::Writer column;
    column.open().put("name", table.columns()[c + (is_parameter ? 1 : 2)]);
    column.put("role", is_parameter ? "parameter" : is_account ? "account" : "record");
    if (is_parameter) column.put("parameter", parameters[c]);
    column.put_json("values", is_parameter || exactly ? blob.f64(lines.columns[c]) : blob.f32(lines.columns[c]));
    column.close();
    header.put_json(column.take());
  }
  header.close_list();
  header.open_list("statuses");
  for (const std::string& name : statuses) {
    report::Writer one;
    one.open().put("name", name).put("count", counts.at(name)).close();
    header.put_json(one.take());
  }
  header.close_list();
  header.put_json("status", blob.u8(lines.status));
  if (share < 1) header.put_json("samples", blob.u32(lines.sample));
  std::vector<std::string> over;
  for (const sweeps::Spec& spec : recipe.over) over.push_back(spec.text);
  header.put("over", over);

  // What all samples have in common.
  header.open("fixed");
  std::vector<std::string> set;
  for (const auto& [name, value] : recipe.overrides.parameters) set.push_back(name + "=" + value);
  header.put("set", set);
  const std::pair<const char*, const std::string*> others[] = {
      {"at", &recipe.overrides.start}, {"until", &recipe.overrides.until}, {"tolerance", &recipe.overrides.tolerance}};
  for (const auto& [name, value] : others) {
    if (!value->empty()) header.put(name, *value);
  }
  header.close();
  header.open_list("failures");
  for (const auto& [sample, why] : table.failures(most_told_failures)) {
    report::Writer one;
    one.open().put("sample", sample).put("why", why).close();
    header.put_json(one.take());
  }
  header.close_list();
  if (!live.empty()) header.put("live", live);
  return report::base64(report::compress(report::bundle(header.close().take(), blob)));
}

}  // namespace

std::string write_sweep_page(const std::string& sweep_file, const std::string& folder) {
  const sweeps::Table table = sweeps::Table::read(sweep_file);
  const std::filesystem::path path(sweep_file);
  const std::filesystem::path where = folder.empty() ? path.parent_path() : std::filesystem::path(folder);
  const std::string stem = path.stem().string();
  std::string name = (where / (stem + ".html")).string();
  const std::string title = table.title().empty() ? stem : table.title();
  std::error_code ignored;
  if (!where.empty()) std::filesystem::create_directories(where, ignored);
  const std::string_view shell = report::sweep_shell();
  if (shell.empty()) {
    write_sweep_figures(table, name, title);
    return name;
  }

  // The page that computes the motion of a sample.
  std::string live;
  if (const std::optional<std::string> page = live_page()) {
    live = stem + "-live.html";
    report::write_whole((where / live).string(), live_page_with(*page, stem, table.recipe().text));
  }
  const std::size_t marker = shell.find(report::page_marker);
  report::WholeFile file(name);
  file.put(shell.substr(0, marker));
  file.put("<script id=\"zwang-data\" type=\"text/plain\">");
  file.put(page_data(table, title, live));
  file.put("</script>");
  file.put(shell.substr(marker + report::page_marker.size()));
  file.finish();
  return name;
}

}  // namespace zwang::cli
