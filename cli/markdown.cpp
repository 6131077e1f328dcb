/// A small part of Markdown, line by line.
#include "markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "zwang/base/escape.hpp"
#include "zwang/expressions/mathml.hpp"

namespace zwang::cli {

namespace {

/// Emphasis, code and links inside of a line.
std::string inline_html(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    // Code: everything up to the next backquote.
    if (c == '`') {
      if (const std::size_t end = text.find('`', at + 1); end != std::string_view::npos) {
        out += "<code>" + xml_escaped(text.substr(at + 1, end - at - 1)) + "</code>";
        at = end + 1;
        continue;
      }
    }
    // Stars with a word right behind them.
    if (c == '*' && at + 1 < text.size()) {
      const std::string_view mark = text.substr(at, 2) == "**" ? "**" : "*";
      const std::size_t begin = at + mark.size();
      const std::size_t end = text.find(mark, begin);
      const bool opens = begin < text.size() && text[begin] != ' ' && text[begin] != '*';
      if (opens && end != std::string_view::npos && end > begin && text[end - 1] != ' ') {
        const char* name = mark.size() == 2 ? "strong" : "em";
        out += fmt::format("<{0}>{1}</{0}>", name, inline_html(text.substr(begin, end - begin)));
        at = end + mark.size();
        continue;
      }
    }
    // Links: only to pages, and what they say if they lead elsewhere in the source tree.
    if (c == '[') {
      const std::size_t middle = text.find("](", at);
      const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
      if (end != std::string_view::npos && text.substr(at + 1, middle - at - 1).find('[') == std::string_view::npos) {
        const std::string words = inline_html(text.substr(at + 1, middle - at - 1));
        const std::string_view target = text.substr(middle + 2, end - middle - 2);
        const bool page = target.starts_with("https://") || target.starts_with("http://");
        out += page ? fmt::format("<a href=\"{}\">{}</a>", xml_escaped(target), words) : words;
        at = end + 1;
        continue;
      }
    }
    const std::size_t next = std::min(text.find_first_of("`*[", at + 1), text.size());
    out += xml_escaped(text.substr(at, next - at));
    at = next;
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    out.push_back(line);
    at = end + 1;
  }
  return out;
}

bool blank(std::string_view line) { return line.find_first_not_of(' ') == std::string_view::npos; }

/// Length of "- ", "* " or "12. " at the beginning of a line, or 0.
std::size_t item_mark(std::string_view line, bool& numbered) {
  numbered = false;
  if (line.starts_with("- ") || line.starts_with("* ")) {
    return 2;
  }
  std::size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') {
    ++digits;
  }
  numbered = digits > 0 && line.substr(digits, 2) == ". ";
  return numbered ? digits + 2 : 0;
}

std::string table_row(std::string_view line, const char* cell) {
  std::string out = "<tr>";
  const std::size_t last = line.rfind('|');
  for (std::size_t at = 1; at <= last;) {
    const std::size_t end = line.find('|', at);
    std::string_view text = line.substr(at, end - at);
    while (text.starts_with(' ')) {
      text.remove_prefix(1);
    }
    while (text.ends_with(' ')) {
      text.remove_suffix(1);
    }
    out += fmt::format("<{0}>{1}</{0}>", cell, inline_html(text));
    at = end + 1;
  }
  return out + "</tr>\n";
}

/// A head, and below it the line that makes it one.
bool begins_table(const std::vector<std::string_view>& lines, std::size_t k) {
  return lines[k].starts_with("|") && lines[k].rfind('|') > 0 && k + 1 < lines.size() &&
         lines[k + 1].starts_with("|-") && lines[k + 1].find_first_not_of("|-: ") == std::string_view::npos;
}

bool begins_block(std::string_view line) {
  bool numbered = false;
  return blank(line) || line.starts_with("# ") || line.starts_with("##") || line.starts_with("```") ||
         line.starts_with("    ") || item_mark(line, numbered) > 0;
}

/// From one line on: the text of a paragraph or item that goes on over several lines.
std::string joined(const std::vector<std::string_view>& lines, std::size_t& k, std::size_t skip) {
  std::string text(lines[k].substr(skip));
  for (++k; k < lines.size(); ++k) {
    std::string_view line = lines[k];
    const bool continued = skip > 0 && line.starts_with("  ") && !blank(line);
    if (!continued && begins_block(line)) {
      break;
    }
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    text += ' ';
    text += line;
  }
  return text;
}

}  // namespace

std::string html_of_markdown(std::string_view text, int lowered) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::string out;
  for (std::size_t k = 0; k < lines.size();) {
    const std::string_view line = lines[k];
    if (blank(line)) {
      ++k;
    } else if (line.starts_with("```")) {
      std::string code;
      for (++k; k < lines.size() && !lines[k].starts_with("```"); ++k) {
        code += xml_escaped(lines[k]) + "\n";
      }
      ++k;
      out += "<pre><code>" + code + "</code></pre>\n";
    } else if (line.starts_with("    ")) {
      std::string code;
      for (; k < lines.size() && (lines[k].starts_with("    ") || blank(lines[k])); ++k) {
        code += blank(lines[k]) ? "\n" : xml_escaped(lines[k].substr(4)) + "\n";
      }
      while (code.ends_with("\n\n")) {
        code.pop_back();
      }
      out += "<pre><code>" + code + "</code></pre>\n";
    } else if (line.starts_with("# ") || line.starts_with("##")) {
      const std::size_t level = std::min<std::size_t>(line.find_first_not_of('#'), 6);
      const int height = std::clamp(static_cast<int>(level) + lowered, 1, 6);
      std::string_view words = line.substr(std::min(level, line.size()));
      words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
      out += fmt::format("<h{0}>{1}</h{0}>\n", height, inline_html(words));
      ++k;
    } else if (begins_table(lines, k)) {
      out += "<table>\n<thead>\n" + table_row(line, "th") + "</thead>\n<tbody>\n";
      for (++k; k < lines.size() && lines[k].starts_with("|") && lines[k].rfind('|') > 0; ++k) {
        if (lines[k].find_first_not_of("|-: ") != std::string_view::npos) {
          out += table_row(lines[k], "td");
        }
      }
      out += "</tbody>\n</table>\n";
    } else if (bool numbered = false; item_mark(line, numbered) > 0) {
      out += numbered ? "<ol>\n" : "<ul>\n";
      for (bool other = numbered; k < lines.size();) {
        const std::size_t mark = item_mark(lines[k], other);
        if (mark == 0 || other != numbered) {
          break;
        }
        out += "<li>" + inline_html(joined(lines, k, mark)) + "</li>\n";
      }
      out += numbered ? "</ol>\n" : "</ul>\n";
    } else {
      out += "<p>" + inline_html(joined(lines, k, 0)) + "</p>\n";
    }
  }
  return out;
}

std::string first_heading(std::string_view markdown) {
  for (const std::string_view line : lines_of(markdown)) {
    if (line.starts_with("# ")) {
      return std::string(line.substr(2));
    }
  }
  return {};
}

std::string first_paragraph(std::string_view markdown) {
  const std::vector<std::string_view> lines = lines_of(markdown);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (begins_block(lines[k])) {
      continue;
    }
    std::string text = joined(lines, k, 0);
    std::erase_if(text, [](char c) { return c == '`' || c == '*'; });
    return text;
  }
  return {};
}

}  // namespace zwang::cli
