/// A page of formulas as text: long lines are broken at signs and go on below.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace zwang::report {

class TextPage {
 public:
  explicit TextPage(std::size_t width) : width_(width) {}

  void blank() { text_ += "\n"; }
  void heading(std::string_view words) { text_ += fmt::format("\n{}\n", words); }

  /// `front` and `text`, broken at signs (or commas, or blanks) into lines that go on below the text.
  void line(std::string front, const std::string& text, char breaks = '+') {
    std::string rest = text;
    std::string indent(front.size(), ' ');
    if (breaks == '+') {
      // Where a term would have to be torn, the text starts on a line of its own.
      if (front.size() + rest.size() > width_ && front.size() > 16 && front.size() + 2 + longest_term(rest) > width_) {
        const std::size_t start = front.find_first_not_of(' ') + 4;
        front.erase(std::unique(front.begin() + 4, front.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
                    front.end());
        text_ += front.substr(0, front.find_last_not_of(' ') + 1) + "\n";
        front = std::string(start, ' ');
        indent = front;
      }
      indent += "  ";
    }
    while (front.size() + rest.size() > width_) {
      const std::size_t at = place_to_break(rest, width_ - front.size(), breaks);
      if (at == std::string::npos) break;
      text_ += front + rest.substr(0, at) + "\n";
      rest = rest.substr(at + 1);
      front = indent;
    }
    text_ += front + rest + "\n";
  }

  [[nodiscard]] std::string text() const { return text_; }

 private:
  static std::size_t longest_term(const std::string& text) {
    std::size_t longest = 0;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t k = 0; k + 2 < text.size(); ++k) {
      if (text[k] == '(' || text[k] == '[') ++depth;
      if (text[k] == ')' || text[k] == ']') --depth;
      const bool sign = text[k] == ' ' && (text[k + 1] == '+' || text[k + 1] == '-') && text[k + 2] == ' ';
      if (depth != 0 || !sign) continue;
      longest = std::max(longest, k - begin);
      begin = k + 1;
    }
    return std::max(longest, text.size() - begin);
  }

  /// The blank before a sign where the line ends: as shallow in parentheses as possible, then as late as possible.
  static std::size_t place_to_break(const std::string& text, std::size_t room, char breaks) {
    std::size_t best = std::string::npos;
    int least = 1000;
    std::size_t first = std::string::npos;
    int depth = 0;
    for (std::size_t k = 0; k + 2 < text.size(); ++k) {
      if (text[k] == '(' || text[k] == '[') ++depth;
      if (text[k] == ')' || text[k] == ']') --depth;
      if (text[k] != ' ' || k == 0) continue;
      const bool sign = (text[k + 1] == '+' || text[k + 1] == '-') && text[k + 2] == ' ';
      if (breaks == '+' ? !sign : breaks == ',' && text[k - 1] != ',') continue;
      if (first == std::string::npos) first = k;
      if (k > room) break;
      if (k >= room / 3 && (depth <= least || breaks != '+')) {
        best = k;
        least = depth;
      }
    }
    if (best != std::string::npos) return best;
    if (breaks != '+' || (first != std::string::npos && first <= room)) return first;
    // Nowhere to break at a sign: behind a comma or a product.
    std::size_t blank = text.rfind(", ", room);
    if (blank != std::string::npos) return blank + 1;
    blank = text.rfind(' ', room);
    return blank != std::string::npos && blank > 0 ? blank : first;
  }

  std::size_t width_;
  std::string text_;
};

}  // namespace zwang::report
