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

void print(std::string_view text);

}  // namespace zwang::cli
