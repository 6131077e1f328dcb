/// What a command line that was not understood may have meant.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace zwang::cli {

/// A sentence about the first word that is neither a sub-command nor one of its options, with what was probably meant; empty if none is.
[[nodiscard]] std::string mistyped(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace zwang::cli
