/// The lexer, the recursive-descent parser of limited depth, and the sentences for everything that can go wrong.
#include "zwang/expressions/syntax.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "zwang/base/number.hpp"

namespace zwang::expressions {
namespace {

enum class Glyph : std::uint8_t {
  end,
  number,
  name,
  plus,
  minus,
  times,
  divided,
  power,
  open,
  close,
  open_bracket,
  close_bracket,
  comma,
  point,
  range,
  prime,
  equal,
  less_equal,
  greater_equal,
  less,
  greater,
  double_equal,
  not_equal
};

struct Token {
  Glyph sign = Glyph::end;
  std::size_t offset = 0;
  std::size_t length = 0;
  double number = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Characters that look like mathematics but are not on every keyboard, and what to write instead.
struct Lookalike {
  std::string_view sign;
  std::string_view instead;
};
constexpr Lookalike lookalikes[] = {{"\u00B7", "`*`"},
                                    {"\u22C5", "`*`"},
                                    {"\u00D7", "`*`"},
                                    {"\u2217", "`*`"},
                                    {"\u2022", "`*`"},
                                    {"\u00F7", "`/`"},
                                    {"\u2215", "`/`"},
                                    {"\u2044", "`/`"},
                                    {"\u2212", "`-`"},
                                    {"\u2013", "`-`"},
                                    {"\u2014", "`-`"},
                                    {"\u2010", "`-`"},
                                    {"\u2011", "`-`"},
                                    {"\uFF0D", "`-`"},
                                    {"\uFF0B", "`+`"},
                                    {"\u2264", "`<=`"},
                                    {"\u2A7D", "`<=`"},
                                    {"\u2265", "`>=`"},
                                    {"\u2A7E", "`>=`"},
                                    {"\u2260", "`=`, `<=` or `>=`"},
                                    {"\u2261", "`=`"},
                                    {"\uFF1D", "`=`"},
                                    {"\u00B2", "`^2`"},
                                    {"\u00B3", "`^3`"},
                                    {"\u00B9", "`^1`"},
                                    {"\u207B", "`^-`"},
                                    {"\u221A", "`sqrt(...)`"},
                                    {"\u03C0", "`pi`"},
                                    {"\u2032", "`'`"},
                                    {"\u2019", "`'`"},
                                    {"\u2018", "`'`"},
                                    {"\u02B9", "`'`"},
                                    {"\u00B4", "`'`"},
                                    {"\u2033", "`'`"},
                                    {"\u2211", "`sum(i = 1..n, ...)`"},
                                    {"\u03A3", "`sum(i = 1..n, ...)`"},
                                    {"\u2026", "`..`"},
                                    {"\u2025", "`..`"},
                                    {"\u00A0", "an ordinary space"},
                                    {"\u2009", "an ordinary space"},
                                    {"\u202F", "an ordinary space"},
                                    {"\u200B", "nothing (it is invisible)"},
                                    {"\uFEFF", "nothing (it is invisible)"},
                                    {"\u00BD", "`1/2`"},
                                    {"\u00BC", "`1/4`"},
                                    {"\u00BE", "`3/4`"},
                                    {"\uFF08", "`(`"},
                                    {"\uFF09", "`)`"},
                                    {"\uFF0C", "`,`"},
                                    {"\u201C", "`'` or nothing"},
                                    {"\u201D", "`'` or nothing"},
                                    {"\u221E", "a large number"},
                                    {"\u00B0", "`*pi/180`: angles are in radians"}};

/// ASCII characters that have no meaning here, and what may have been meant.
constexpr Lookalike strangers[] = {{"%", "a remainder is written `mod(a, b)`"},
                                   {"{", "parentheses are `(` and `)`"},
                                   {"}", "parentheses are `(` and `)`"},
                                   {"|", "write `abs(x)` of a number, `norm(u)` of a vector"},
                                   {":", "a range is written `1..n`"},
                                   {";", "parts are separated by `,`"},
                                   {"!", "conditions are written with `=`, `<=` or `>=`"},
                                   {"&", "write one condition per constraint; comparisons are joined by `and`"},
                                   {"\"", "a velocity is written `a'`; accelerations cannot stand in an expression"},
                                   {"`", "a velocity is written with `'`"},
                                   {"~", "an equation is written with `=`"},
                                   {"#", "comments stand outside the expression"},
                                   {"\\", "functions are written by name, as `sin(x)`"},
                                   {"$", "names consist of letters, digits and `_`"},
                                   {"@", "names consist of letters, digits and `_`"},
                                   {"?", "names consist of letters, digits and `_`"}};

/// Units that people write behind a number.
bool looks_like_a_unit(std::string_view word) {
  constexpr std::array<std::string_view, 20> units = {"kg", "g",   "mg", "t",  "m",  "cm", "mm", "km", "s",   "ms",
                                                      "h",  "min", "N",  "kN", "Nm", "J",  "W",  "Hz", "rad", "deg"};
  return std::find(units.begin(), units.end(), word) != units.end();
}

/// The character at `offset` as it can be shown: itself, or its byte in hexadecimal.
std::string shown_character(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned lead = byte(offset);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  bool valid = length > 0 && offset + length <= text.size() && lead >= 0x20 && lead != 0x7F;
  for (std::size_t k = 1; valid && k < length; ++k) valid = (byte(offset + k) & 0xC0U) == 0x80U;
  if (valid) return "`" + std::string(text.substr(offset, length)) + "`";
  std::array<char, 16> hexadecimal{};
  std::snprintf(hexadecimal.data(), hexadecimal.size(), "0x%02X", lead);
  return "byte " + std::string(hexadecimal.data());
}

/// A part of the text for a message, shortened.
std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  if (text.size() > longest) return "`" + std::string(text.substr(0, longest)) + "...`";
  return "`" + std::string(text) + "`";
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text.size() > longest_expression) {
      throw SyntaxError(longest_expression, "the expression is longer than " + std::to_string(longest_expression) +
                                                " bytes, the longest that is read");
    }
  }

  [[nodiscard]] std::string_view text() const { return text_; }

  Token next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ == text_.size()) return {Glyph::end, at_, 0, 0};
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(look(1)))) return number();
    if (is_letter(c)) {
      const std::size_t first = at_;
      while (is_letter(look(0)) || is_digit(look(0))) ++at_;
      return {Glyph::name, first, at_ - first, 0};
    }
    return sign(c);
  }

 private:
  /// The character `ahead` of the current one; 0 behind the end (a 0 within the text is refused elsewhere).
  [[nodiscard]] char look(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Token number() {
    // Digits, a point (unless it begins `..`), digits, an exponent.
    const std::size_t first = at_;
    while (is_digit(look(0))) ++at_;
    if (look(0) == '.' && look(1) != '.') {
      ++at_;
      while (is_digit(look(0))) ++at_;
    }
    if (look(0) == 'e' || look(0) == 'E') {
      const std::size_t sign = look(1) == '+' || look(1) == '-' ? 1 : 0;
      if (is_digit(look(1 + sign))) {
        at_ += 1 + sign;
        while (is_digit(look(0))) ++at_;
      } else if (!is_letter(look(1))) {
        throw SyntaxError(first, "the exponent of the number " + quoted(text_.substr(first, at_ + 1 + sign - first)) +
                                     " is missing, as in `1e-3`");
      }
    }

    // A second point.
    if (look(0) == '.' && look(1) != '.') {
      std::size_t last = at_;
      while (last < text_.size() && (is_digit(text_[last]) || text_[last] == '.')) ++last;
      throw SyntaxError(first, quoted(text_.substr(first, last - first)) + " is not a number");
    }

    const auto value = read_number(text_.substr(first, at_ - first));
    if (!value) {
      throw SyntaxError(first, "the number " + quoted(text_.substr(first, at_ - first)) +
                                   " is too large or too small for double precision");
    }
    return {Glyph::number, first, at_ - first, *value};
  }

  Token take(Glyph sign, std::size_t length) {
    const Token token{sign, at_, length, 0};
    at_ += length;
    return token;
  }

  Token sign(char c) {
    const char d = look(1);
    switch (c) {
      case '+': return take(Glyph::plus, 1);
      case '-': return take(Glyph::minus, 1);
      case '*': return d == '*' ? take(Glyph::power, 2) : take(Glyph::times, 1);
      case '/': return take(Glyph::divided, 1);
      case '^': return take(Glyph::power, 1);
      case '(': return take(Glyph::open, 1);
      case ')': return take(Glyph::close, 1);
      case '[': return take(Glyph::open_bracket, 1);
      case ']': return take(Glyph::close_bracket, 1);
      case ',': return take(Glyph::comma, 1);
      case '\'': return take(Glyph::prime, 1);
      case '.':
        if (d == '.' && look(2) == '.') throw SyntaxError(at_, "a range is written with two points, as in `1..n`");
        return d == '.' ? take(Glyph::range, 2) : take(Glyph::point, 1);
      case '=':
        if (d == '<') throw SyntaxError(at_, "write `<=` for `=<`");
        if (d == '>') throw SyntaxError(at_, "write `>=` for `=>`");
        return d == '=' ? take(Glyph::double_equal, 2) : take(Glyph::equal, 1);
      case '<':
        if (d == '>') return take(Glyph::not_equal, 2);
        return d == '=' ? take(Glyph::less_equal, 2) : take(Glyph::less, 1);
      case '>': return d == '=' ? take(Glyph::greater_equal, 2) : take(Glyph::greater, 1);
      case '!':
        if (d == '=') return take(Glyph::not_equal, 2);
        break;
      default: break;
    }
    stranger();
  }

  /// A character that means nothing: say which, and what to write.
  [[noreturn]] void stranger() const {
    const std::string_view rest = text_.substr(at_);
    for (const Lookalike& l : lookalikes) {
      if (rest.starts_with(l.sign)) {
        throw SyntaxError(at_, "write " + std::string(l.instead) + " instead of `" + std::string(l.sign) + "`");
      }
    }
    for (const Lookalike& l : strangers) {
      if (rest.starts_with(l.sign)) {
        throw SyntaxError(at_, "unknown character " + shown_character(text_, at_) + ": " + std::string(l.instead));
      }
    }
    std::string message = "unknown character " + shown_character(text_, at_);
    if (static_cast<unsigned char>(rest.front()) >= 0x80)
      message += ": names consist of the letters a to z, digits and `_`";
    throw SyntaxError(at_, message);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  Syntax whole_expression() {
    if (token_.sign == Glyph::end) throw SyntaxError(0, "the expression is empty");
    Syntax e = expression();
    if (token_.sign != Glyph::end) unexpected();
    return e;
  }

  ConditionSyntax condition() {
    ConditionSyntax c = one_condition();
    if (is_word("or")) {
      throw SyntaxError(token_.offset, "`or` cannot stand here: it joins the position inequalities of a constraint");
    }
    end_of_condition();
    return c;
  }

  AlternativeSyntax alternatives() {
    AlternativeSyntax all;
    all.push_back(one_condition());
    while (is_word("or")) {
      const Token word = token_;
      advance();
      if (token_.sign == Glyph::end) throw SyntaxError(word.offset, "nothing follows this `or`");
      all.push_back(one_condition());
    }
    end_of_condition();
    return all;
  }

  Syntax whole_truth() {
    if (token_.sign == Glyph::end) {
      throw SyntaxError(0, "the condition is empty: a comparison with `<=` or `>=` is expected");
    }
    Syntax e = truth();
    if (token_.sign != Glyph::end) unexpected();
    return e;
  }

 private:
  [[nodiscard]] bool is_word(std::string_view word) const {
    return token_.sign == Glyph::name && text_of(token_) == word;
  }

  void end_of_condition() {
    if (is_word("and")) {
      throw SyntaxError(token_.offset, "`and` is not needed: write two constraints, which must hold both");
    }
    if (token_.sign != Glyph::end) unexpected();
  }

  // Truths: comparisons, `and`, `or` ---------------------------------------------------------------------------------

  Syntax truth() {
    return joined_by("or", SyntaxKind::either,
                     [this] { return joined_by("and", SyntaxKind::both, [this] { return comparison(); }); });
  }

  template <class Operand>
  Syntax joined_by(std::string_view word, SyntaxKind kind, const Operand& operand) {
    const std::size_t first = token_.offset;
    Syntax one = operand();
    if (!is_word(word)) return one;
    Syntax e = over(kind, first, std::move(one));
    while (is_word(word)) {
      const Token here = token_;
      advance();
      if (token_.sign == Glyph::end) throw SyntaxError(here.offset, "nothing follows this `" + std::string(word) + "`");
      e.children.push_back(operand());
    }
    e.length = end_of_previous() - first;
    return e;
  }

  /// Does the parenthesis that is open here enclose a truth, not a number?
  [[nodiscard]] bool encloses_truth() const {
    Lexer ahead = lexer_;
    int depth = 1;
    for (Token next = ahead.next(); next.sign != Glyph::end && depth > 0; next = ahead.next()) {
      if (next.sign == Glyph::open || next.sign == Glyph::open_bracket) ++depth;
      if (next.sign == Glyph::close || next.sign == Glyph::close_bracket) --depth;
      const std::string_view word = lexer_.text().substr(next.offset, next.length);
      if (depth == 1 && (is_relation(next.sign) || (next.sign == Glyph::name && (word == "and" || word == "or"))))
        return true;
    }
    return false;
  }

  Syntax comparison() {
    if (token_.sign == Glyph::open && encloses_truth()) {
      const Level level(*this);
      const Token opening = token_;
      advance();
      Syntax e = truth();
      close(Glyph::close, opening);
      return e;
    }
    const std::size_t first = token_.offset;
    Syntax left = expression();
    const Token sign = token_;
    switch (sign.sign) {
      case Glyph::less_equal:
      case Glyph::greater_equal:
      case Glyph::less:
      case Glyph::greater:
      case Glyph::equal:
      case Glyph::double_equal:
      case Glyph::not_equal: break;
      case Glyph::end:
      case Glyph::comma:
        throw SyntaxError(sign.sign == Glyph::end ? first : sign.offset,
                          "a comparison is missing: `<=` or `>=` and a second expression are expected");
      default: unexpected();
    }
    advance();
    Syntax e = over(SyntaxKind::compare, first, std::move(left));
    e.name = sign.sign == Glyph::double_equal ? "=" : (sign.sign == Glyph::not_equal ? "!=" : text_of(sign));
    e.children.push_back(expression());
    e.length = end_of_previous() - first;
    // That two things are equal is mostly a mistake: what is said of it points to the sign.
    if (e.name == "=" || e.name == "!=") {
      e.offset = sign.offset;
      e.length = sign.length;
    }
    if (is_relation(token_.sign)) {
      throw SyntaxError(token_.offset, "two comparisons in a row: join them by `and`");
    }
    return e;
  }

  ConditionSyntax one_condition() {
    if (token_.sign == Glyph::end) {
      throw SyntaxError(0, "the condition is empty: two expressions with `=`, `<=` or `>=` between them are expected");
    }
    ConditionSyntax c;
    c.left = expression();
    const Token sign = token_;
    switch (sign.sign) {
      case Glyph::equal: c.relation = Relation::equal; break;
      case Glyph::less_equal: c.relation = Relation::less_equal; break;
      case Glyph::greater_equal: c.relation = Relation::greater_equal; break;
      case Glyph::less: throw SyntaxError(sign.offset, "write `<=` for `<`: limits are closed, touching is allowed");
      case Glyph::greater: throw SyntaxError(sign.offset, "write `>=` for `>`: limits are closed, touching is allowed");
      case Glyph::double_equal: throw SyntaxError(sign.offset, "write `=` for `==`");
      case Glyph::not_equal:
        throw SyntaxError(sign.offset,
                          "a condition is written with `=`, `<=` or `>=`; `" + text_of(sign) + "` restricts no motion");
      case Glyph::end:
        throw SyntaxError(sign.offset,
                          "a comparison is missing: `=`, `<=` or `>=` and a second expression are expected");
      default: unexpected();
    }
    c.relation_offset = sign.offset;
    advance();
    c.right = expression();
    if (is_relation(token_.sign)) {
      throw SyntaxError(token_.offset, "two comparisons in one condition: write two constraints");
    }
    return c;
  }

 public:
  std::vector<RangeSyntax> ranges() {
    if (token_.sign == Glyph::end) throw SyntaxError(0, "the range is empty: write it as `i = 1..n`");
    std::vector<RangeSyntax> all;
    all.push_back(range());
    while (token_.sign == Glyph::comma) {
      const Token comma = token_;
      advance();
      if (token_.sign == Glyph::end) throw SyntaxError(comma.offset, "nothing follows this `,`");
      all.push_back(range());
    }
    if (token_.sign == Glyph::end) return all;
    if (token_.sign == Glyph::range)
      throw SyntaxError(token_.offset, "a range has two ends: `i = 1..n`, without a step");
    unexpected();
  }

  Syntax reference() {
    if (token_.sign != Glyph::name) {
      if (token_.sign == Glyph::end) throw SyntaxError(0, "the name of a point or coordinate is expected");
      throw SyntaxError(token_.offset, "the name of a point or coordinate is expected, not " + shown(token_));
    }
    Syntax e = name();
    if (token_.sign == Glyph::open_bracket) e = index(std::move(e));
    const std::size_t first = e.offset;
    if (token_.sign == Glyph::point) e = member(first, std::move(e));
    if (token_.sign != Glyph::end) {
      throw SyntaxError(token_.offset,
                        "a name alone or with its index is expected (`a`, `bead[3]`), without " + shown(token_));
    }
    return e;
  }

 private:
  /// Counts one level of nesting for as long as it lives.
  class Level {
   public:
    explicit Level(Parser& parser) : depth_(parser.depth_) {
      if (++depth_ > deepest_nesting) {
        throw SyntaxError(parser.token_.offset, "nested deeper than " + std::to_string(deepest_nesting) +
                                                    " levels, the deepest that is read");
      }
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  void advance() {
    previous_ = token_;
    token_ = lexer_.next();
  }

  [[nodiscard]] std::string text_of(const Token& token) const {
    return std::string(lexer_.text().substr(token.offset, token.length));
  }
  [[nodiscard]] std::string shown(const Token& token) const {
    return token.sign == Glyph::end ? "the end" : quoted(lexer_.text().substr(token.offset, token.length));
  }
  [[nodiscard]] std::size_t end_of_previous() const { return previous_.offset + previous_.length; }

  static bool is_relation(Glyph sign) { return sign >= Glyph::equal; }
  static bool starts_operand(Glyph sign) {
    return sign == Glyph::number || sign == Glyph::name || sign == Glyph::open || sign == Glyph::open_bracket;
  }

  static Syntax leaf(SyntaxKind kind, const Token& token) {
    Syntax e;
    e.kind = kind;
    e.offset = token.offset;
    e.length = token.length;
    return e;
  }

  /// A node over its first child, from where that begins to the end of the token just read.
  [[nodiscard]] Syntax over(SyntaxKind kind, std::size_t offset, Syntax child) const {
    Syntax e;
    e.kind = kind;
    e.offset = offset;
    e.length = end_of_previous() - offset;
    e.children.push_back(std::move(child));
    return e;
  }

  // What stands where it cannot --------------------------------------------------------------------------------------

  /// The current token cannot follow the expression read so far.
  [[noreturn]] void unexpected() const {
    const std::size_t at = token_.offset;
    if (is_relation(token_.sign)) {
      throw SyntaxError(
          at, "a comparison cannot stand here: an expression is expected, " + shown(token_) +
                  " belongs between the two sides of a condition; a number that is 1 where a comparison holds and "
                  "0 elsewhere is `if(a >= b, 1, 0)` or `step(a - b)`");
    }
    if (starts_operand(token_.sign)) missing_operator();
    switch (token_.sign) {
      case Glyph::close: throw SyntaxError(at, "this `)` closes nothing");
      case Glyph::close_bracket: throw SyntaxError(at, "this `]` closes nothing");
      case Glyph::comma:
        throw SyntaxError(at,
                          "a `,` cannot stand here: it separates the parts of functions, vectors and indices, and "
                          "decimals are written with a point");
      case Glyph::range:
        throw SyntaxError(at, "a range cannot stand here: it belongs into `for` or `sum(i = 1..n, ...)`");
      default: throw SyntaxError(at, shown(token_) + " cannot stand here");
    }
  }

  /// Two operands side by side.
  [[noreturn]] void missing_operator() const {
    const std::string before = text_of(previous_);
    const std::string after = text_of(token_);
    if (previous_.sign == Glyph::name && token_.sign == Glyph::name) {
      throw SyntaxError(token_.offset, "an operator is missing between " + shown(previous_) + " and " + shown(token_) +
                                           ": a product is written with `*`");
    }
    const bool adjacent =
        previous_.sign == Glyph::number && token_.sign == Glyph::name && before.size() + after.size() < 40;
    if (adjacent && (after == "deg" || after == "degrees" || after == "degree")) {
      throw SyntaxError(token_.offset, "angles are in radians: write `" + before + "*pi/180`");
    }
    const bool grouped = adjacent && after.find_first_not_of("_0123456789") == std::string::npos;
    if (grouped) {
      std::string plain = before + after;
      std::erase(plain, '_');
      throw SyntaxError(token_.offset, "numbers are written without `_`: `" + plain + "`");
    }
    if (adjacent && looks_like_a_unit(after)) {
      throw SyntaxError(token_.offset, "zwang knows no units: write `" + before +
                                           "` and keep to one system, as kilograms, metres and "
                                           "seconds; a product is written with `*`");
    }
    throw SyntaxError(token_.offset,
                      adjacent ? "a product is written with `*`: `" + before + "*" + after + "`"
                               : "an operator is missing before " + shown(token_) + ": a product is written with `*`");
  }

  /// The current token cannot begin an operand.
  [[noreturn]] void no_operand() const {
    if (token_.sign == Glyph::end) {
      if (previous_.length > 0)
        throw SyntaxError(previous_.offset, "nothing follows this `" + text_of(previous_) + "`");
      throw SyntaxError(0, "the expression is empty");
    }
    const std::string expected = "a number, a name or a parenthesis is expected here";
    if (is_relation(token_.sign)) {
      throw SyntaxError(token_.offset, expected + ", not the comparison " + shown(token_));
    }
    throw SyntaxError(token_.offset, expected + ", not " + shown(token_));
  }

  /// Read the sign that closes what `opening` opened.
  void close(Glyph sign, const Token& opening) {
    if (token_.sign == sign) {
      advance();
      return;
    }
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `" + text_of(opening) + "` is never closed");
    if (token_.sign == Glyph::close || token_.sign == Glyph::close_bracket) {
      throw SyntaxError(token_.offset, "a `" + std::string(sign == Glyph::close ? ")" : "]") +
                                           "` is expected here, not " + shown(token_) + ": the `" + text_of(opening) +
                                           "` before it is still open");
    }
    if (is_relation(token_.sign)) {
      throw SyntaxError(token_.offset, "a comparison cannot stand here: the `" + text_of(opening) +
                                           "` before it is still open; a number that is 1 where a comparison holds "
                                           "and 0 elsewhere is `if(a >= b, 1, 0)` or `step(a - b)`");
    }
    unexpected();
  }

  // Sums, products, signs, powers ------------------------------------------------------------------------------------

  /// Operands joined by signs of one rank; one operand alone is itself.
  template <class Operand>
  Syntax list(SyntaxKind kind, Glyph direct, Glyph inverse, const Operand& operand) {
    const std::size_t first = token_.offset;
    Syntax one = operand();
    if (token_.sign != direct && token_.sign != inverse) return one;
    Syntax e = over(kind, first, std::move(one));
    e.inverse.push_back(false);
    while (token_.sign == direct || token_.sign == inverse) {
      if (kind == SyntaxKind::product && e.children.size() == most_factors) {
        throw SyntaxError(token_.offset, "a product has at most " + std::to_string(most_factors) + " factors");
      }
      e.inverse.push_back(token_.sign == inverse);
      advance();
      e.children.push_back(operand());
    }
    e.length = end_of_previous() - first;
    return e;
  }

  Syntax expression() {
    return list(SyntaxKind::sum, Glyph::plus, Glyph::minus, [this] { return product(); });
  }
  Syntax product() {
    return list(SyntaxKind::product, Glyph::times, Glyph::divided, [this] { return signed_power(); });
  }

  Syntax signed_power() {
    if (token_.sign != Glyph::plus && token_.sign != Glyph::minus) return power();
    const Level level(*this);
    const Token sign = token_;
    advance();
    Syntax e = signed_power();
    return sign.sign == Glyph::plus ? e : over(SyntaxKind::negate, sign.offset, std::move(e));
  }

  Syntax power() {
    const std::size_t first = token_.offset;
    Syntax base = postfix();
    if (token_.sign != Glyph::power) return base;
    const Level level(*this);
    advance();
    Syntax exponent = signed_power();
    Syntax e = over(SyntaxKind::power, first, std::move(base));
    e.children.push_back(std::move(exponent));
    return e;
  }

  // Names and what follows them --------------------------------------------------------------------------------------

  Syntax postfix() {
    const std::size_t first = token_.offset;
    Syntax e = primary();
    while (true) {
      if (token_.sign == Glyph::point) {
        e = member(first, std::move(e));
      } else if (token_.sign == Glyph::prime) {
        if (e.kind == SyntaxKind::prime) {
          throw SyntaxError(token_.offset, "accelerations cannot stand in an expression: only one `'` is possible");
        }
        if (e.kind == SyntaxKind::number) {
          throw SyntaxError(token_.offset, "a `'` means velocity and belongs behind a point or a coordinate");
        }
        advance();
        e = over(SyntaxKind::prime, first, std::move(e));
      } else if (token_.sign == Glyph::open_bracket && takes_index(e)) {
        e = primed(std::move(e), first, [this](Syntax inner) { return index(std::move(inner)); });
      } else {
        return e;
      }
    }
  }

  /// Does a bracket behind e mean an index? Says what is wrong if it looks like one and cannot be.
  [[nodiscard]] bool takes_index(const Syntax& e) const {
    const Syntax& inner = e.kind == SyntaxKind::prime ? e.children[0] : e;
    if (inner.kind == SyntaxKind::name) return true;
    if (inner.kind == SyntaxKind::index) {
      throw SyntaxError(token_.offset, "two indices stand in one pair of brackets: `knot[i, j]`");
    }
    if (inner.kind == SyntaxKind::member) {
      throw SyntaxError(token_.offset, "the index stands before the component: `bead[i].x`");
    }
    throw SyntaxError(token_.offset,
                      "an index belongs directly behind a name, as in `bead[i]`; a product is written with `*`");
  }

  /// Apply `wrap` below a prime, so that a'.x is the same as a.x'.
  template <class Wrap>
  Syntax primed(Syntax e, std::size_t first, const Wrap& wrap) {
    if (e.kind != SyntaxKind::prime) return wrap(std::move(e));
    Syntax inner = std::move(e.children[0]);
    return over(SyntaxKind::prime, first, wrap(std::move(inner)));
  }

  Syntax member(std::size_t first, Syntax e) {
    const Token point = token_;
    advance();
    const std::string component = text_of(token_);
    const Syntax& inner = e.kind == SyntaxKind::prime ? e.children[0] : e;
    const auto is_letter = [](const std::string& word) { return word == "x" || word == "y" || word == "z"; };
    // A body's marks have names of their own.
    const bool marked = inner.kind == SyntaxKind::name || inner.kind == SyntaxKind::index;
    if (token_.sign != Glyph::name || (!marked && !is_letter(component))) {
      const std::size_t at = token_.sign == Glyph::end ? point.offset : token_.offset;
      throw SyntaxError(at, "after the point a component `x`, `y` or `z` is expected" +
                                (token_.sign == Glyph::end ? std::string() : ", not " + shown(token_)));
    }
    if (inner.kind == SyntaxKind::member && is_letter(inner.name)) {
      throw SyntaxError(point.offset, "a component has no components of its own");
    }
    if (inner.kind == SyntaxKind::number) throw SyntaxError(point.offset, "a number has no components");
    advance();
    return primed(std::move(e), first, [&](Syntax vector) {
      Syntax m = over(SyntaxKind::member, first, std::move(vector));
      m.name = component;
      return m;
    });
  }

  /// `[i]` or `[i, j]` behind a name.
  Syntax index(Syntax e) {
    const Level level(*this);
    const Token opening = token_;
    const std::size_t first = e.offset;
    advance();
    if (token_.sign == Glyph::close_bracket) throw SyntaxError(opening.offset, "the index is empty");
    std::vector<Syntax> indices = parts(Glyph::close_bracket, opening);
    if (indices.size() > 2) throw SyntaxError(indices[2].offset, "a member has one or two indices");
    Syntax whole = over(SyntaxKind::index, first, std::move(e));
    std::move(indices.begin(), indices.end(), std::back_inserter(whole.children));
    return whole;
  }

  /// Expressions separated by commas, and the closing sign.
  std::vector<Syntax> parts(Glyph closing, const Token& opening) {
    std::vector<Syntax> all;
    while (true) {
      all.push_back(expression());
      if (token_.sign != Glyph::comma) break;
      const Token comma = token_;
      advance();
      if (token_.sign == closing) throw SyntaxError(comma.offset, "nothing follows this `,`");
      if (token_.sign == Glyph::end)
        throw SyntaxError(opening.offset, "this `" + text_of(opening) + "` is never closed");
    }
    close(closing, opening);
    return all;
  }

  Syntax name() {
    Syntax e = leaf(SyntaxKind::name, token_);
    e.name = text_of(token_);
    advance();
    return e;
  }

  Syntax primary() {
    switch (token_.sign) {
      case Glyph::number: {
        Syntax e = leaf(SyntaxKind::number, token_);
        e.number = token_.number;
        advance();
        return e;
      }
      case Glyph::name: {
        Syntax e = name();
        return token_.sign == Glyph::open ? call(std::move(e)) : e;
      }
      case Glyph::open: {
        const Level level(*this);
        const Token opening = token_;
        advance();
        if (token_.sign == Glyph::close) throw SyntaxError(opening.offset, "these parentheses are empty");
        if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
        Syntax e = expression();
        if (token_.sign == Glyph::comma) {
          throw SyntaxError(token_.offset,
                            "a `,` cannot stand here: a vector is written in brackets, `[x, y, z]`, and "
                            "decimals with a point");
        }
        close(Glyph::close, opening);
        return e;
      }
      case Glyph::open_bracket: {
        const Level level(*this);
        const Token opening = token_;
        advance();
        if (token_.sign == Glyph::close_bracket) throw SyntaxError(opening.offset, "this vector is empty");
        if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `[` is never closed");
        Syntax e = leaf(SyntaxKind::vector, opening);
        e.children = parts(Glyph::close_bracket, opening);
        e.length = end_of_previous() - e.offset;
        return e;
      }
      default: no_operand();
    }
  }

  Syntax call(Syntax e) {
    const Level level(*this);
    const Token opening = token_;
    advance();
    if (e.name == "sum") return sum_over(std::move(e), opening);
    if (e.name == "if") return choice(std::move(e), opening);
    if (token_.sign == Glyph::close)
      throw SyntaxError(opening.offset, quoted(e.name) + " needs something in its parentheses");
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
    e.kind = SyntaxKind::call;
    e.children = parts(Glyph::close, opening);
    e.length = end_of_previous() - e.offset;
    return e;
  }

  /// `if(` is read; `truth, a, b)` follows.
  Syntax choice(Syntax e, const Token& opening) {
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
    e.kind = SyntaxKind::call;
    e.children.push_back(truth());
    for (int k = 0; k < 2; ++k) {
      if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
      if (token_.sign != Glyph::comma) {
        if (token_.sign == Glyph::close) {
          throw SyntaxError(token_.offset, "`if` needs a condition and two values: `if(x >= 0, a, b)`");
        }
        unexpected();
      }
      advance();
      e.children.push_back(expression());
    }
    close(Glyph::close, opening);
    e.length = end_of_previous() - e.offset;
    return e;
  }

  /// `sum(` is read; `i = low..high, body)` follows.
  Syntax sum_over(Syntax e, const Token& opening) {
    const std::string shape = "`sum(i = 1..n, ...)`";
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
    if (token_.sign != Glyph::name) throw SyntaxError(token_.offset, "`sum` needs a range first: " + shape);
    const Token index = token_;
    advance();
    if (token_.sign != Glyph::equal) throw SyntaxError(index.offset, "`sum` needs a range first: " + shape);
    advance();
    e.kind = SyntaxKind::sum_over;
    e.name = text_of(index);
    bounds(e.children, index);
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
    if (token_.sign == Glyph::close) {
      throw SyntaxError(token_.offset, "`sum` needs an expression behind its range: " + shape);
    }
    if (token_.sign != Glyph::comma) unexpected();
    const Token comma = token_;
    advance();
    if (token_.sign == Glyph::close) throw SyntaxError(comma.offset, "nothing follows this `,`");
    if (token_.sign == Glyph::end) throw SyntaxError(opening.offset, "this `(` is never closed");
    e.children.push_back(expression());
    if (token_.sign == Glyph::equal) {
      throw SyntaxError(token_.offset,
                        "`sum` has one range: write a sum over a sum, `sum(i = 1..n, sum(j = 1..m, ...))`");
    }
    close(Glyph::close, opening);
    e.length = end_of_previous() - e.offset;
    return e;
  }

  /// `low..high`, appended to `ends`.
  void bounds(std::vector<Syntax>& ends, const Token& index) {
    ends.push_back(expression());
    if (token_.sign != Glyph::range) {
      if (token_.sign != Glyph::end && token_.sign != Glyph::comma && token_.sign != Glyph::close) unexpected();
      const std::size_t at = token_.sign == Glyph::end ? index.offset : token_.offset;
      throw SyntaxError(at, "the range of `" + text_of(index) + "` needs two ends: `" + text_of(index) + " = 1..n`");
    }
    advance();
    ends.push_back(expression());
  }

  RangeSyntax range() {
    if (token_.sign != Glyph::name) {
      throw SyntaxError(token_.offset, "the name of an index is expected, as in `i = 1..n`, not " + shown(token_));
    }
    RangeSyntax r;
    const Token index = token_;
    r.name = text_of(index);
    r.offset = index.offset;
    advance();
    if (token_.sign != Glyph::equal) {
      const std::size_t at = token_.sign == Glyph::end ? index.offset : token_.offset;
      throw SyntaxError(at, "a `=` is expected behind the index: `" + r.name + " = 1..n`");
    }
    advance();
    std::vector<Syntax> ends;
    bounds(ends, index);
    r.low = std::move(ends[0]);
    r.high = std::move(ends[1]);
    return r;
  }

  Lexer lexer_;
  Token token_;
  Token previous_;
  int depth_ = 0;
};

}  // namespace

Syntax parse_expression(std::string_view text) { return Parser(text).whole_expression(); }
ConditionSyntax parse_condition(std::string_view text) { return Parser(text).condition(); }
AlternativeSyntax parse_alternatives(std::string_view text) { return Parser(text).alternatives(); }
Syntax parse_truth(std::string_view text) { return Parser(text).whole_truth(); }
std::vector<RangeSyntax> parse_ranges(std::string_view text) { return Parser(text).ranges(); }
Syntax parse_reference(std::string_view text) { return Parser(text).reference(); }

}  // namespace zwang::expressions
