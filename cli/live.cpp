/// `zwang live [MODEL]`: a page that computes for itself, with the model's text to be changed in it.
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "live_page.hpp"
#include "pages.hpp"
#include "terminal.hpp"
#include "zwang/report/whole_file.hpp"
#include "zwang/report/writer.hpp"
#include "zwang/version.hpp"

namespace zwang::cli {

int live(const Request& request) {
  // Texts with mistakes are welcome: the page shows them.
  const std::string name = request.model.empty() ? "zwang" : file_stem(request.model);
  std::string page = require_live_page();
  if (!request.model.empty()) page = live_page_with(page, name, read_source(request.model).text);

  const std::filesystem::path folder = request.out.empty() ? "out" : request.out;
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const std::string file = (folder / (name + "-live.html")).string();
  report::write_whole(file, page);
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
