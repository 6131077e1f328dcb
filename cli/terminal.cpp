/// Colours, and standard output.
#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "zwang/base/escape.hpp"
#include "zwang/error.hpp"

namespace zwang::cli {

const Style& style() {
  static const Style plain{"", "", "", "", "", ""};
  static const Style coloured{"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[0m"};
  // An empty NO_COLOR counts as not set (no-color.org).
  static const char* no_color = std::getenv("NO_COLOR");
  static const bool on = isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
  return on ? coloured : plain;
}

namespace {

bool anything_lost = false;

[[noreturn]] void fail_output() {
  throw Fault({"standard output", 0, 0},
              fmt::format("cannot be written: {}; the answer is lost", std::strerror(errno)));
}

}  // namespace

void print(std::string_view text) { print_verbatim(terminal_text(text)); }

void print_verbatim(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output();
}

void close_output() {
  const bool failed = std::ferror(stdout) != 0;
  if (std::fflush(stdout) != 0 || failed || ::close(STDOUT_FILENO) != 0) fail_output();
}

void complain(std::string_view what) { std::fputs(fmt::format("zwang: {}\n", plain_line(what)).c_str(), stderr); }

void lose(std::string_view what) {
  complain(what);
  anything_lost = true;
}

bool is_anything_lost() { return anything_lost; }

}  // namespace zwang::cli
