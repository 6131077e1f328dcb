/// The gallery as a static site.
#pragma once

#include <string>

namespace zwang::cli {

struct SiteAccount {
  std::string index;  ///< the page to begin with
  std::size_t models = 0;
  bool complete = true;  ///< false: it was interrupted
};

/// Writes it below a folder: an index, and per model a page, its animated report, figures and text. All links are relative.
/// `progress`: say on standard error which model is made.
[[nodiscard]] SiteAccount write_site(const std::string& folder, bool progress);

}  // namespace zwang::cli
