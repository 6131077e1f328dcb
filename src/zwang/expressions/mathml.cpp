/// LaTeX of formulas read by recursive descent and written as elements.
#include "zwang/expressions/mathml.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "zwang/base/escape.hpp"

namespace zwang::expressions {
namespace {

struct Letter {
  std::string_view command, text;
};

constexpr std::array<Letter, 28> letters = {{
    {"alpha", "α"},   {"beta", "β"},  {"gamma", "γ"},  {"delta", "δ"},   {"epsilon", "ε"}, {"zeta", "ζ"},
    {"eta", "η"},     {"theta", "θ"}, {"iota", "ι"},   {"kappa", "κ"},   {"lambda", "λ"},  {"mu", "μ"},
    {"nu", "ν"},      {"xi", "ξ"},    {"pi", "π"},     {"rho", "ρ"},     {"sigma", "σ"},   {"tau", "τ"},
    {"upsilon", "υ"}, {"phi", "φ"},   {"chi", "χ"},    {"psi", "ψ"},     {"omega", "ω"},   {"Omega", "Ω"},
    {"varrho", "ϱ"},  {"Phi", "Φ"},   {"varphi", "φ"}, {"partial", "∂"},
}};

constexpr std::array<Letter, 8> operators = {{{"le", "≤"},
                                              {"ge", "≥"},
                                              {"cdot", "·"},
                                              {"times", "×"},
                                              {"dots", "…"},
                                              {"quad", " "},
                                              {"land", "∧"},
                                              {"lor", "∨"}}};

/// Written upright, and applied to what follows.
constexpr std::array<std::string_view, 13> functions = {"sin", "cos",    "tan",    "sinh",   "cosh", "tanh", "exp",
                                                        "log", "arcsin", "arccos", "arctan", "min",  "max"};

constexpr std::string_view invisible_times = "<mo>&#x2062;</mo>";
constexpr std::string_view times_with_room = "<mo lspace=\"0.17em\">&#x2062;</mo>";
constexpr std::string_view application = "<mo>&#x2061;</mo>";
constexpr std::string_view application_with_room = "<mo rspace=\"0.17em\">&#x2061;</mo>";

template <class Table>
std::string_view looked_up(const Table& table, std::string_view command) {
  for (const Letter& sign : table) {
    if (sign.command == command) return sign.text;
  }
  return {};
}

std::string row(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string out = "<mrow>";
  for (const std::string& part : parts) out += part;
  return out + "</mrow>";
}

constexpr std::string_view upright = "<mi mathvariant=\"normal\">";

/// A word of several letters, perhaps with scripts: beside it a product needs room, and a dot over it would be inside it.
bool is_word(std::string_view part) {
  for (const std::string_view scripts : {"<msup>", "<msub>", "<msubsup>"}) {
    if (part.starts_with(scripts)) part.remove_prefix(scripts.size());
  }
  if (!part.starts_with(upright)) return false;
  part.remove_prefix(upright.size());
  return part.size() > 1 && static_cast<unsigned char>(part[0]) < 0x80 && part[1] != '<';
}
bool is_application(std::string_view part) { return part == application || part == application_with_room; }

/// Products beside words, names of functions and what these are applied to get room.
void give_room(std::vector<std::string>& parts) {
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    if (parts[k] != invisible_times) continue;
    const bool after_call = k > 1 && is_application(parts[k - 2]);
    const bool before_call = k + 2 < parts.size() && is_application(parts[k + 2]);
    if (after_call || before_call || is_word(parts[k - 1]) || is_word(parts[k + 1])) parts[k] = times_with_room;
  }
}

/// Content that is higher than a line, for which parentheses grow.
bool is_high(std::string_view content) {
  for (const std::string_view high : {"<mfrac", "<msqrt", "<munder", "<mtable"}) {
    if (content.find(high) != std::string_view::npos) return true;
  }
  return false;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::string whole() {
    std::string out = row(sequence());
    if (at_ != text_.size()) fail("something is left over");
    return out;
  }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw std::invalid_argument(fmt::format("LaTeX that is not understood at {}: {}: {}", at_, why, text_));
  }
  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char here() const { return at_end() ? '\0' : text_[at_]; }
  void blanks() {
    while (here() == ' ') ++at_;
  }
  [[nodiscard]] bool next_is(std::string_view word) const { return text_.compare(at_, word.size(), word) == 0; }

  /// Does a cell of a table of cases end here?
  [[nodiscard]] bool cell_ends() const { return cases_ > 0 && (here() == '&' || next_is("\\\\") || next_is("\\end{")); }

  /// Everything up to the end, a closing brace, \right or the end of a cell.
  std::vector<std::string> sequence() {
    std::vector<std::string> parts;
    for (blanks(); !at_end() && here() != '}' && !next_is("\\right") && !cell_ends(); blanks()) {
      // A thin space is a product, but not where nothing stands before or after it, nor behind a comma.
      if (next_is("\\,")) {
        at_ += 2;
        blanks();
        const bool before = !parts.empty() && parts.back() != "<mo>,</mo>";
        if (before && !at_end() && here() != '}') parts.emplace_back(invisible_times);
        continue;
      }
      std::string item = with_scripts();
      if (!item.empty()) parts.push_back(std::move(item));
      if (applied_) {
        // A name beside its argument needs a little room, one before parentheses does not.
        blanks();
        parts.emplace_back(next_is("\\left") ? application : application_with_room);
        applied_ = false;
      }
    }
    give_room(parts);
    return parts;
  }

  /// { ... }
  std::string group() {
    blanks();
    if (here() != '{') fail("a group is expected");
    ++at_;
    std::string out = row(sequence());
    if (here() != '}') fail("a group is not closed");
    ++at_;
    return out;
  }

  /// An item with what stands below and above it.
  std::string with_scripts() {
    const bool sum = next_is("\\sum");
    const std::size_t begin = at_;
    std::string base = item();
    const bool name = is_function_;
    is_function_ = false;
    std::string below;
    std::string above;
    for (; here() == '_' || here() == '^';) {
      const bool lower = here() == '_';
      ++at_;
      std::string& script = lower ? below : above;
      if (!script.empty()) fail("two scripts");
      script = here() == '{' ? group() : item();
    }
    applied_ = name;
    if (base.empty() && !(below.empty() && above.empty())) base = "<mrow></mrow>";
    if (below.empty() && above.empty()) return base;

    if (begin == at_) fail("nothing was read");
    if (above.empty()) return fmt::format("<{0}>{1}{2}</{0}>", sum ? "munder" : "msub", base, below);
    if (below.empty()) return fmt::format("<{0}>{1}{2}</{0}>", sum ? "mover" : "msup", base, above);
    return fmt::format("<{0}>{1}{2}{3}</{0}>", sum ? "munderover" : "msubsup", base, below, above);
  }

  std::string item() {
    const char c = here();
    if (c == '{') return group();
    if (c == '\\') return command();
    if ((c >= '0' && c <= '9') || c == '.') {
      const std::size_t begin = at_;
      while (!at_end() && ((here() >= '0' && here() <= '9') || here() == '.')) ++at_;
      const std::string digits(text_.substr(begin, at_ - begin));
      return digits == "." ? "<mo>.</mo>" : "<mn>" + digits + "</mn>";
    }
    ++at_;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return fmt::format("<mi>{}</mi>", c);
    switch (c) {
      case '-': return "<mo>−</mo>";
      case '<': return "<mo>&lt;</mo>";
      case '>': return "<mo>&gt;</mo>";
      case '&': return "";
      case '+':
      case '=':
      case ',':
      case '(':
      case ')':
      case '[':
      case ']':
      case '/':
      case '|':
      case '\'': return fmt::format("<mo>{}</mo>", c);
      default: --at_; fail("a sign without meaning");
    }
  }

  std::string command() {
    ++at_;
    const std::size_t begin = at_;
    while (!at_end() && ((here() >= 'a' && here() <= 'z') || (here() >= 'A' && here() <= 'Z'))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name.empty()) fail("a command without name");
    if (name == "frac") {
      const std::string above = group();
      return "<mfrac>" + above + group() + "</mfrac>";
    }
    if (name == "sqrt") return "<msqrt>" + group() + "</msqrt>";
    if (name == "dot" || name == "ddot") {
      const std::string inner = group();
      if (is_word(inner)) {
        // The primes belong to the word, so that an exponent stands beside them.
        const std::string_view end = "</mi>";
        return fmt::format("{}{}{}", inner.substr(0, inner.size() - end.size()), name == "dot" ? "′" : "″", end);
      }
      return fmt::format("<mover accent=\"true\">{}<mo>{}</mo></mover>", inner, name == "dot" ? "˙" : "¨");
    }
    if (name == "text") return "<mtext>" + word() + "</mtext>";
    if (name == "mathrm") return std::string(upright) + word() + "</mi>";
    if (name == "mathbf") return "<mi mathvariant=\"bold\">" + word() + "</mi>";
    if (name == "operatorname") {
      is_function_ = true;
      return std::string(upright) + word() + "</mi>";
    }
    if (name == "sum") return "<mo>∑</mo>";
    if (name == "left") return parentheses();
    if (name == "begin") return cases();
    if (const std::string_view letter = looked_up(letters, name); !letter.empty()) {
      const bool upper = name == "Omega" || name == "Phi";
      return fmt::format("<mi{}>{}</mi>", upper ? " mathvariant=\"normal\"" : "", letter);
    }
    if (name == "quad") return "<mspace width=\"1em\"/>";
    if (const std::string_view sign = looked_up(operators, name); !sign.empty())
      return fmt::format("<mo>{}</mo>", sign);
    for (const std::string_view function : functions) {
      if (function != name) continue;
      is_function_ = true;
      return fmt::format("<mi>{}</mi>", name);
    }
    fail("an unknown command");
  }

  /// The letters of \mathrm{...}.
  std::string word() {
    blanks();
    if (here() != '{') fail("a word is expected");
    std::string out;
    for (++at_; !at_end() && here() != '}'; ++at_) {
      if (here() != '\\') out += here();
    }
    if (at_end()) fail("a word is not closed");
    ++at_;
    return xml_escaped(out);
  }

  /// \begin{cases} a & b \\ c & d \end{cases}
  std::string cases() {
    if (!next_is("{cases}")) fail("only cases are known");
    at_ += 7;
    ++cases_;
    std::string out = "<mrow><mo>{</mo><mtable columnalign=\"left\"><mtr><mtd>";
    while (true) {
      out += row(sequence());
      if (here() == '&') {
        ++at_;
        out += "</mtd><mtd>";
      } else if (next_is("\\\\")) {
        at_ += 2;
        out += "</mtd></mtr><mtr><mtd>";
      } else if (next_is("\\end{cases}")) {
        at_ += 11;
        break;
      } else {
        fail("cases are not closed");
      }
    }
    --cases_;
    return out + "</mtd></mtr></mtable></mrow>";
  }

  std::string parentheses() {
    if (here() != '(') fail("a parenthesis is expected");
    ++at_;
    const std::string content = row(sequence());
    const std::string_view fixed = is_high(content) ? "" : " stretchy=\"false\"";
    std::string out = fmt::format("<mrow><mo{0}>(</mo>{1}<mo{0}>)</mo></mrow>", fixed, content);
    if (!next_is("\\right)")) fail("a parenthesis is not closed");
    at_ += 7;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_function_ = false;  ///< the item just read is the name of a function
  bool applied_ = false;      ///< with its scripts
  int cases_ = 0;             ///< tables of cases that are open
};

}  // namespace

std::string mathml(std::string_view latex) { return Reader(latex).whole(); }

}  // namespace zwang::expressions
