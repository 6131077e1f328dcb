/// What stands in table.hpp.
#include "zwang/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zwang/base/number.hpp"

namespace zwang::report {

namespace {

/// Does the cell begin like a number? Then it stands flush right.
bool numeric(std::string_view cell) {
  return !cell.empty() && (std::string_view("0123456789.").find(cell.front()) != std::string_view::npos ||
                           (cell.front() == '-' && cell.size() > 1 && cell[1] >= '0' && cell[1] <= '9'));
}

void pad(std::string& line, std::size_t count) { line.append(count, ' '); }

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::row(std::vector<std::string> cells) {
  cells.resize(header_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(const Style& style, std::size_t most) const {
  const std::size_t shown = rows_.size() > most + 5 ? most : rows_.size();
  std::vector<std::size_t> widths(header_.size());
  std::vector<bool> right(header_.size(), true);
  for (std::size_t c = 0; c < header_.size(); ++c) {
    widths[c] = width(header_[c]);
    for (std::size_t r = 0; r < shown; ++r) {
      widths[c] = std::max(widths[c], width(rows_[r][c]));
      right[c] = right[c] && (rows_[r][c].empty() || numeric(rows_[r][c]));
    }
  }
  std::string result;
  const auto line = [&](const std::vector<std::string>& cells, std::string_view before, std::string_view after) {
    std::string one;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t space = widths[c] - width(cells[c]);
      pad(one, 2);
      if (right[c]) {
        pad(one, space);
      }
      one += cells[c];
      if (!right[c]) {
        pad(one, space);
      }
    }
    one.erase(one.find_last_not_of(' ') + 1);
    result.append(before).append(one).append(after).append("\n");
  };
  line(header_, style.faint, style.off);
  for (std::size_t r = 0; r < shown; ++r) {
    line(rows_[r], "", "");
  }
  if (shown < rows_.size()) {
    result += fmt::format("  ... and {} more (all of them with --json)\n", rows_.size() - shown);
  }
  return result;
}

std::string components(const double* values, std::size_t count) {
  if (count == 1) {
    return readable(values[0]);
  }
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ", " : "") + readable(values[i]);
  }
  return text + ")";
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  if (names.empty()) {
    return "none";
  }
  std::string text;
  const std::size_t shown = names.size() > most + 1 ? most : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) {
      text += i + 1 == names.size() ? " and " : ", ";
    }
    text += names[i];
  }
  if (shown < names.size()) {
    text += fmt::format(" and {} more", names.size() - shown);
  }
  return text;
}

std::size_t width(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      while (i < text.size() && text[i] != 'm') {
        ++i;
      }
      continue;
    }
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      ++count;
    }
  }
  return count;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace zwang::report
