/// The living page: the engine as WebAssembly, an editor and the viewer in one file, which `make live` builds.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace zwang::cli {

/// The page as it was built: the one that $ZWANG_LIVE_PAGE names, or from beside the command, from where it is installed, or from the build tree; none where there is none.
[[nodiscard]] std::optional<std::string> live_page();

/// The same, or an Error that says how to get one.
[[nodiscard]] std::string require_live_page();

/// The page with a model's text in it.
[[nodiscard]] std::string live_page_with(std::string_view page, std::string_view name, std::string_view text);

}  // namespace zwang::cli
