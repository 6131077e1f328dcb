/// The values of `--vary NAME=A,B,C` and `--vary NAME=FROM:TO:COUNT`.
#pragma once

#include <string>
#include <vector>

namespace zwang::cli {

struct Variation {
  std::string name;
  std::vector<std::string> values;  ///< as --set takes them
};

/// Throws Error with what would be right.
[[nodiscard]] Variation read_variation(const std::string& text);

}  // namespace zwang::cli
