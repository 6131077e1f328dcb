/// Colours, and standard output.
#include "terminal.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace zwang::cli {

const Style& style() {
  static const Style plain{"", "", "", "", "", ""};
  static const Style coloured{"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"};
  // An empty NO_COLOR counts as not set (no-color.org).
  static const char* no_color = std::getenv("NO_COLOR");
  static const bool on = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
  return on ? coloured : plain;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace zwang::cli
