/// The Markdown of the gallery's pages as HTML: headings, paragraphs, lists, tables, code, emphasis, links.
#pragma once

#include <string>
#include <string_view>

namespace zwang::cli {

/// Well-formed; everything else is text. Headings are lowered by `lowered` levels.
[[nodiscard]] std::string html_of_markdown(std::string_view text, int lowered = 0);

/// The first heading, and the first paragraph without marks.
[[nodiscard]] std::string first_heading(std::string_view markdown);
[[nodiscard]] std::string first_paragraph(std::string_view markdown);

}  // namespace zwang::cli
