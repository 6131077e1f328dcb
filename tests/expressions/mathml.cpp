/// MathML is well-formed and means what the expression means: it is read back and evaluated.
#include "zwang/expressions/mathml.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "expressions/workshop.hpp"
#include "expressions/xml.hpp"
#include "zwang/base/escape.hpp"
#include "zwang/expressions/tidy.hpp"
#include "zwang/expressions/write.hpp"

namespace mathml_tests {
namespace {

using namespace workshop;

std::string latex_name(Symbol symbol) {
  const std::string name = name_of(symbol);
  return name.back() == '\'' ? "\\dot{" + name.substr(0, 1) + "}" : name;
}

int rank_of(Symbol symbol) {
  return symbol.kind == SymbolKind::velocity ? 40 : symbol.kind == SymbolKind::constant ? 0 : 20;
}

Script latex() {
  Script out;
  out.notation = Notation::latex;
  out.names = latex_name;
  out.ranks = rank_of;
  return out;
}

/// The value of a tree of presentation MathML, read as a mathematician reads it: rows are sums of products, the invisible
/// times multiplies, an invisible application applies.
class Meaning {
 public:
  explicit Meaning(std::span<const double> values) : values_(values) {}

  long double of(const xml::Element& e) {
    if (e.name == "mn") return note(std::stold(e.words()));
    if (e.name == "mi") return note(values_[index_of(e.words())]);
    if (e.name == "mrow") return row(e.children);
    if (e.name == "msqrt") return note(std::sqrt(row(e.children)));
    if (e.name == "mfrac") return note(of(part(e, 0, 2)) / of(part(e, 1, 2)));
    if (e.name == "msup") return note(std::pow(of(part(e, 0, 2)), of(part(e, 1, 2))));
    if (e.name == "mover") return note(values_[index_of(part(e, 0, 2).words() + "'")]);
    throw std::runtime_error("an element without meaning: " + e.name);
  }
  long double largest = 0;

 private:
  static const xml::Element& part(const xml::Element& e, std::size_t k, std::size_t count) {
    if (e.children.size() != count) throw std::runtime_error(e.name + " has the wrong number of parts");
    return e.children[k];
  }
  long double note(long double value) {
    value += 0.0L;
    largest = std::max(largest, std::abs(value));
    if (value != 0) largest = std::max(largest, 1 / std::abs(value));
    if (!std::isfinite(value)) largest = INFINITY;
    return value;
  }
  static bool is(const xml::Element& e, std::string_view sign) { return e.name == "mo" && e.words() == sign; }

  long double row(const std::vector<xml::Element>& items) {
    if (items.size() == 3 && is(items[0], "(") && is(items[2], ")")) return of(items[1]);
    if (items.size() == 1) return of(items[0]);
    std::size_t at = 0;
    const long double value = sum(items, at);
    if (at != items.size()) throw std::runtime_error("a row with a rest: " + items[at].words());
    return value;
  }
  long double sum(const std::vector<xml::Element>& items, std::size_t& at) {
    bool minus = at < items.size() && is(items[at], "−");
    if (minus) ++at;
    long double value = (minus ? -1 : 1) * product(items, at);
    while (at < items.size() && (is(items[at], "+") || is(items[at], "−"))) {
      minus = is(items[at++], "−");
      value += (minus ? -1 : 1) * product(items, at);
      note(value);
    }
    return note(value);
  }
  long double product(const std::vector<xml::Element>& items, std::size_t& at) {
    long double value = factor(items, at);
    for (; at < items.size();) {
      if (is(items[at], "\u2062") || is(items[at], "·")) {
        value *= factor(items, ++at);
      } else if (is(items[at], "/")) {
        value /= factor(items, ++at);
      } else {
        break;
      }
    }
    return note(value);
  }
  long double factor(const std::vector<xml::Element>& items, std::size_t& at) {
    const xml::Element& first = items.at(at++);
    if (at < items.size() && is(items[at], "\u2061")) {
      // A name, perhaps with an exponent, and what it is applied to.
      ++at;
      const bool raised = first.name == "msup";
      const std::string name = raised ? part(first, 0, 2).words() : first.words();
      const long double value = applied(name, items.at(at++));
      return note(raised ? std::pow(value, of(part(first, 1, 2))) : value);
    }
    if (first.name == "mrow") return parenthesised(first);
    if (first.name == "msup") return note(std::pow(inner(part(first, 0, 2)), of(part(first, 1, 2))));
    return of(first);
  }
  long double inner(const xml::Element& e) { return e.name == "mrow" ? parenthesised(e) : of(e); }
  long double parenthesised(const xml::Element& e) {
    const std::vector<xml::Element>& items = e.children;
    if (items.size() == 3 && is(items[0], "(") && is(items[2], ")")) return of(items[1]);
    throw std::runtime_error("a row as a factor without parentheses: " + e.words());
  }
  long double applied(std::string name, const xml::Element& argument) {
    std::vector<long double> parts;
    if (argument.name == "mrow") {
      const xml::Element& list = argument.children.at(1);
      std::vector<xml::Element> one;
      if (list.name == "mrow") {
        for (const xml::Element& item : list.children) {
          if (is(item, ",")) {
            parts.push_back(row(one));
            one.clear();
          } else {
            one.push_back(item);
          }
        }
      } else {
        one.push_back(list);
      }
      parts.push_back(row(one));
    } else {
      parts.push_back(of(argument));
    }
    if (name.starts_with("arc")) name = "a" + name.substr(3);
    std::array<double, 2> numbers{};
    for (std::size_t k = 0; k < parts.size(); ++k) numbers[k] = static_cast<double>(parts[k]);
    Syntax call;
    call.kind = SyntaxKind::call;
    call.name = name;
    for (const long double value : parts) {
      Syntax number;
      number.kind = SyntaxKind::number;
      number.number = static_cast<double>(value);
      call.children.push_back(number);
    }
    return plain_value(call, values_, largest);
  }

  std::span<const double> values_;
};

TEST(Mathml, random_expressions_are_well_formed_and_keep_their_values) {
  int tried = 0;
  int compared = 0;
  EXPECT_TRUE(rc::check([&](std::uint64_t seed) {
    Dice dice(seed);
    for (int k = 0; k < 60; ++k) {
      ++tried;
      Graph graph;
      const std::string text = random_text(dice, static_cast<int>(dice.below(5)), dice.below(3) > 0);
      const Expr e = build(graph, text);
      const std::string written = write(graph, tidy(graph, e, rank_of), latex());
      const std::string set = mathml(written);
      const xml::Element tree = xml::fragment(set);
      RC_ASSERT(tree.children.size() == 1);
      std::array<double, 9> values{};
      for (double& value : values) value = 0.5 + static_cast<double>(dice.below(1000)) / 700;
      long double largest = 0;
      const long double wanted = plain_value(parse_expression(text), values, largest);
      if (!(largest < 1e6L)) continue;
      Meaning meaning(values);
      const long double given = meaning.of(tree.children[0]);
      if (!(meaning.largest < 1e6L)) continue;
      ++compared;
      if (std::abs(given - wanted) > 1e-9L * (1 + largest)) RC_FAIL(text + "\nlatex " + written + "\nmathml " + set);
    }
  }));
  EXPECT_GT(3 * compared, tried);
}

TEST(Mathml, sets_names_scripts_and_sums) {
  EXPECT_EQ(mathml("\\ddot{x}_{\\mathrm{left\\_bead},i+1}"),
            "<msub><mover accent=\"true\"><mi>x</mi><mo>¨</mo></mover><mrow><mi mathvariant=\"normal\">left_bead</mi>"
            "<mo>,</mo><mi>i</mi><mo>+</mo><mn>1</mn></mrow></msub>");
  EXPECT_EQ(mathml("\\sum_{i=1}^{n} m \\, v"),
            "<mrow><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>"
            "<mi>m</mi><mo>&#x2062;</mo><mi>v</mi></mrow>");
  EXPECT_EQ(mathml("\\lambda^{\\,0}"), "<msup><mi>λ</mi><mn>0</mn></msup>");
}

TEST(Mathml, words_stand_apart_and_have_primes_instead_of_dots) {
  const std::string word = "<mi mathvariant=\"normal\">heading</mi>";
  const std::string room = "<mo lspace=\"0.17em\">&#x2062;</mo>";
  const std::string primed = "<mi mathvariant=\"normal\">heading′</mi>";
  EXPECT_EQ(mathml("\\dot{\\mathrm{heading}}"), primed);
  EXPECT_EQ(mathml("{\\dot{\\mathrm{heading}}}^{2}"), "<msup>" + primed + "<mn>2</mn></msup>");
  EXPECT_EQ(mathml("\\ddot{\\mathrm{heading}}_{3}"), "<msub><mi mathvariant=\"normal\">heading″</mi><mn>3</mn></msub>");
  EXPECT_EQ(mathml("R \\, \\mathrm{heading} \\, k"), "<mrow><mi>R</mi>" + room + word + room + "<mi>k</mi></mrow>");
  // Single letters stand together; names of functions keep away from what is beside them.
  EXPECT_EQ(mathml("R \\, k"), "<mrow><mi>R</mi><mo>&#x2062;</mo><mi>k</mi></mrow>");
  EXPECT_EQ(mathml("l \\, \\cos t \\, m"), "<mrow><mi>l</mi>" + room +
                                               "<mi>cos</mi><mo rspace=\"0.17em\">&#x2061;</mo><mi>t</mi>" + room +
                                               "<mi>m</mi></mrow>");
}

TEST(Mathml, parentheses_grow_with_high_content_alone) {
  EXPECT_EQ(mathml("\\left(x + 1\\right)"),
            "<mrow><mo stretchy=\"false\">(</mo><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow>"
            "<mo stretchy=\"false\">)</mo></mrow>");
  EXPECT_EQ(mathml("\\left(\\frac{x}{2}\\right)"),
            "<mrow><mo>(</mo><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>)</mo></mrow>");
}

TEST(Mathml, what_it_does_not_know_is_not_passed_over) {
  for (const char* wrong :
       {"\\unknown", "{x", "x}", "x^{2}^{3}", "\\left(x", "x # y", "\\frac{1}", "\\left[x\\right]"}) {
    EXPECT_THROW((void)mathml(wrong), std::invalid_argument) << wrong;
  }
}

TEST(Mathml, words_of_users_are_harmless) {
  EXPECT_EQ(zwang::xml_escaped("a <= b & \"c\" 'd' >"), "a &lt;= b &amp; &quot;c&quot; &#39;d&#39; &gt;");
  EXPECT_EQ(zwang::xml_escaped(std::string_view("\x01\x00", 2)), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(zwang::xml_escaped("Stäckel 力 \xF0\x9F\x8C\x8D"), "Stäckel 力 \xF0\x9F\x8C\x8D");
  // A broken character, a surrogate, one that ends too soon, an overlong one.
  for (const char* broken : {"\xFF", "\xED\xA0\x80", "\xE5\x8A", "\xC0\x80", "\xF4\x90\x80\x80"}) {
    const std::string out = zwang::xml_escaped(broken);
    EXPECT_EQ(out.substr(0, 3), "\xEF\xBF\xBD");
    EXPECT_EQ(out.find('\xFF'), std::string::npos);
  }
}

}  // namespace
}  // namespace mathml_tests
