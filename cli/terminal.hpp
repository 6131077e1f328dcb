/// What goes to the terminal: tables, and colours only where there is one.
#pragma once

#include <string>
#include <string_view>

#include "zwang/report/table.hpp"

namespace zwang::cli {

/// Empty unless standard output is a terminal and NO_COLOR is not set.
using report::Style;
[[nodiscard]] const Style& style();

/// The library's table in the colours of the terminal.
class Table : public report::Table {
 public:
  using report::Table::Table;
  [[nodiscard]] std::string text(std::size_t most = 60) const { return report::Table::text(style(), most); }
};

using report::components;
using report::counted;
using report::listed;
using report::width;

/// To standard output; what does not get there is a Fault, here or when the output is closed. Characters that a terminal would obey are not among it, but
/// for our own colours.
void print(std::string_view text);
/// The same as it is: texts that were written into a file before.
void print_verbatim(std::string_view text);
void close_output();

/// A line to standard error; what it says of others (names of files, words of the command line) is no more than text there.
void complain(std::string_view what);

/// Something asked for is lost, which does not keep the rest of the answer from being given: a sentence now, and status 5 at the end.
void lose(std::string_view what);
[[nodiscard]] bool is_anything_lost();

}  // namespace zwang::cli
