/// What charts are drawn with, as SVG.
#include "zwang/report/chart_ink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "zwang/base/escape.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report::ink {

namespace {

constexpr double font = 13;
constexpr double entry_line = 19;

constexpr std::array<Style, 8> styles = {{{"#0b4f8a", ""},
                                          {"#d55e00", ""},
                                          {"#56b4e9", ""},
                                          {"#6a2a5d", "7 3"},
                                          {"#009e73", "7 3"},
                                          {"#e0a100", "7 3"},
                                          {"#444444", "2 2.5"},
                                          {"#c06a9a", "9 3 2 3"}}};

std::string grey(double shade) {
  const int level = static_cast<int>(std::lround(std::clamp(shade, 0.0, 1.0) * 255));
  return fmt::format("#{0:02x}{0:02x}{0:02x}", level);
}

/// About the width of a text.
double text_width(std::string_view text, double size = font) {
  double out = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
      out += std::string_view("il.,[]'|()").find(c) == std::string_view::npos ? 0.56 : 0.32;
  }
  return out * size;
}

/// Sentences in lines below the picture.
std::vector<std::string> note_lines(const std::vector<std::string>& notes, double width) {
  std::vector<std::string> lines;
  for (const std::string& note : notes) {
    std::string line;
    for (std::size_t begin = 0; begin < note.size();) {
      const std::size_t end = std::min(note.find(' ', begin), note.size());
      const std::string word = note.substr(begin, end - begin);
      if (!line.empty() && text_width(line, 11.5) + text_width(word, 11.5) + 6 > width - 2 * right - 10) {
        lines.push_back(std::exchange(line, {}));
      }
      line += line.empty() ? "" : " ";
      line += word;
      begin = end + 1;
    }
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace

const Style& style(std::uint32_t number) { return styles[number % styles.size()]; }

std::string colour(double shade, std::uint32_t number) {
  return shade >= 0 ? grey(shade) : std::string(style(number).colour);
}

std::string Labels::text(double value) const {
  std::string out = fmt::format("{:.{}f}", value * elementary::pow(10.0, -exponent), decimals);
  if (out.find_first_not_of("-0.") == std::string::npos && out[0] == '-') out.erase(0, 1);
  if (out[0] == '-') out.replace(0, 1, "−");
  return out;
}

std::string Labels::factor() const {
  if (exponent == 0) return {};
  return fmt::format("×10<tspan dy=\"-4\" font-size=\"9.5\">{}{}</tspan>", exponent < 0 ? "−" : "", std::abs(exponent));
}

std::string at(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Labels labels_of(const Ticks& t) {
  Labels out;
  const double largest = t.step * static_cast<double>(std::max(std::abs(t.first), std::abs(t.last)));
  const int magnitude = largest > 0 ? static_cast<int>(std::floor(elementary::log10(largest) + tick_rounding)) : 0;
  if (magnitude >= 5 || magnitude <= -4) out.exponent = magnitude;
  const int step = static_cast<int>(std::floor(elementary::log10(t.step) + tick_rounding));
  out.decimals = std::max(0, out.exponent - step);
  return out;
}

std::string sign(const Spot& p, MarkShape shape, std::string_view colour, double size) {
  const std::string x = at(p.x);
  const std::string y = at(p.y);
  const auto polygon = [&](std::initializer_list<Spot> corners, bool filled) {
    std::string points;
    for (const Spot& c : corners)
      points += fmt::format("{}{},{}", points.empty() ? "" : " ", at(p.x + size * c.x), at(p.y + size * c.y));
    return fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", points, filled ? colour : "#fff",
                       colour);
  };
  switch (shape) {
    case MarkShape::dot:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"none\"/>\n", x, y, at(size),
                         colour);
    case MarkShape::ring:
      return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"#fff\" stroke=\"{}\" stroke-width=\"1.3\"/>\n", x,
                         y, at(size), colour);
    case MarkShape::triangle: return polygon({{-1, -0.9}, {1, -0.9}, {0, 1}}, true);
    case MarkShape::square: return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, true);
    case MarkShape::open_square: return polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, false);
    case MarkShape::diamond: return polygon({{0, -1.1}, {1.1, 0}, {0, 1.1}, {-1.1, 0}}, false);
    case MarkShape::cross:
      return fmt::format("<path d=\"M{} {}L{} {}M{} {}L{} {}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.4\"/>\n",
                         at(p.x - size), at(p.y - size), at(p.x + size), at(p.y + size), at(p.x - size), at(p.y + size),
                         at(p.x + size), at(p.y - size), colour);
    case MarkShape::star:
      return fmt::format(
          "<path d=\"M{0} {2}L{0} {3}M{4} {1}L{5} {1}M{6} {8}L{7} {9}M{6} {9}L{7} {8}\" fill=\"none\" stroke=\"{10}\" "
          "stroke-width=\"1.2\"/>\n",
          x, y, at(p.y - 1.3 * size), at(p.y + 1.3 * size), at(p.x - 1.3 * size), at(p.x + 1.3 * size),
          at(p.x - 0.9 * size), at(p.x + 0.9 * size), at(p.y - 0.9 * size), at(p.y + 0.9 * size), colour);
  }
  return {};
}

std::string path_data(const std::vector<Spot>& spots, bool closed) {
  std::string out;
  std::string before;
  for (const Spot& spot : spots) {
    std::string here = at(spot.x) + " " + at(spot.y);
    if (here == before) continue;
    out += (out.empty() ? "M" : "L") + here;
    before = std::move(here);
  }
  return closed && !out.empty() ? out + "Z" : out;
}

std::string legend(const std::vector<Entry>& entries, double width, double top, double& height) {
  std::string out;
  double x = left;
  double y = top + 12;
  height = entries.empty() ? 0 : entry_line;
  for (const Entry& entry : entries) {
    const double need = 30 + text_width(entry.label) + 18;
    if (x > left && x + need > width - right) {
      x = left;
      y += entry_line;
      height += entry_line;
    }
    if (entry.is_line) {
      const Style& s = style(entry.style);
      out += fmt::format("<path d=\"M{} {}H{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", at(x),
                         at(y - 4.5), at(x + 24), s.colour,
                         s.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", s.dashes));
    } else {
      out += sign({x + 17, y - 4.5}, entry.shape, "#333", 4);
    }
    out += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", at(x + 30), at(y), xml_escaped(entry.label));
    x += need;
  }
  if (!entries.empty()) height += 8;
  return out;
}

void add_entry(std::vector<Entry>& entries, Entry entry) {
  for (const Entry& other : entries) {
    if (other.label == entry.label && other.is_line == entry.is_line) return;
  }
  entries.push_back(std::move(entry));
}

std::string framed(const std::string& title, const std::string& description, double width, double height,
                   const std::string& body, const std::vector<std::string>& notes) {
  const std::vector<std::string> lines = note_lines(notes, width);
  const double whole = std::ceil(height + (lines.empty() ? 0 : 8 + 15 * static_cast<double>(lines.size())));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "font-family=\"'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" "
      "font-size=\"{2}\" "
      "fill=\"#111\">\n<title>{3}</title>\n<desc>{4}</desc>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
      at(width), at(whole), at(font), xml_escaped(title), xml_escaped(description));
  out += body;
  double y = height + 8;
  for (const std::string& line : lines) {
    out += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11.5\" fill=\"#555\">{}</text>\n", at(right), at(y),
                       xml_escaped(line));
    y += 15;
  }
  return out + "</svg>\n";
}

std::string stroke(const std::string& data, std::string_view colour, std::string_view width) {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n", data, colour, width);
}

std::string text(double x, double y, std::string_view words, std::string_view attributes) {
  return fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", at(x), at(y), attributes, words);
}

std::string curve_path(const std::string& data, const Style& style, double thickness) {
  if (data.empty()) return {};
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>\n",
                     data, style.colour, at(thickness),
                     style.dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", style.dashes));
}

std::string outline_path(const std::vector<Spot>& spots, const Outline& outline) {
  const std::string data = path_data(reduced(spots, visible), outline.closed);
  if (data.empty()) return {};
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"{}/>\n",
                     data, grey(outline.shade), at(outline.width), outline.dashed ? " stroke-dasharray=\"4 3\"" : "");
}

}  // namespace zwang::report::ink
