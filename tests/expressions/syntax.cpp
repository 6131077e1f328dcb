/// What the grammar reads, and how.
#include "zwang/expressions/syntax.hpp"

#include <gtest/gtest.h>

#include <string>

#include "expressions/workshop.hpp"

namespace syntax_tests {
namespace {

using namespace zwang::expressions;

/// The tree in prefix form.
std::string shape(const Syntax& s) {
  const auto all = [&](const std::string& head) {
    std::string text = "(" + head;
    for (std::size_t k = 0; k < s.children.size(); ++k) {
      text += " ";
      if (!s.inverse.empty() && s.inverse[k]) text += "~";
      text += shape(s.children[k]);
    }
    return text + ")";
  };
  switch (s.kind) {
    case SyntaxKind::number: return std::to_string(static_cast<int>(s.number * 1000)) + "m";
    case SyntaxKind::name: return s.name;
    case SyntaxKind::member: return all("." + s.name);
    case SyntaxKind::prime: return all("'");
    case SyntaxKind::index: return all("[]");
    case SyntaxKind::vector: return all("vector");
    case SyntaxKind::call: return all(s.name);
    case SyntaxKind::sum_over: return all("sum " + s.name);
    case SyntaxKind::sum: return all("+");
    case SyntaxKind::product: return all("*");
    case SyntaxKind::power: return all("^");
    case SyntaxKind::negate: return all("-");
    case SyntaxKind::compare: return all(s.name);
    case SyntaxKind::both: return all("and");
    case SyntaxKind::either: return all("or");
  }
  return "?";
}
std::string shape(std::string_view text) { return shape(parse_expression(text)); }

TEST(Syntax, sums_and_products_are_lists) {
  EXPECT_EQ(shape("a + b - c"), "(+ a b ~c)");
  EXPECT_EQ(shape("a*b/c*d"), "(* a b ~c d)");
  EXPECT_EQ(shape("a + b*c"), "(+ a (* b c))");
  EXPECT_EQ(shape("(a + b) + c"), "(+ (+ a b) c)");
  EXPECT_EQ(shape("a"), "a");
}

TEST(Syntax, comparisons_are_joined_by_and_before_or) {
  const auto truth = [](std::string_view text) { return shape(parse_truth(text)); };
  EXPECT_EQ(truth("a <= b"), "(<= a b)");
  EXPECT_EQ(truth("a < b and c >= d or e > f"), "(or (and (< a b) (>= c d)) (> e f))");
  EXPECT_EQ(truth("a <= b and (c >= d or e >= f)"), "(and (<= a b) (or (>= c d) (>= e f)))");
  EXPECT_EQ(truth("(a + b)*c <= d"), "(<= (* (+ a b) c) d)");
  EXPECT_EQ(shape("if(x >= 0, a, b) + 1"), "(+ (if (>= x 0m) a b) 1000m)");
  EXPECT_EQ(shape("or + and"), "(+ or and)");  // words only where an operator is expected
  EXPECT_EQ(parse_alternatives("x <= 1 or y >= 2").size(), 2U);
  EXPECT_THROW(static_cast<void>(parse_alternatives("x <= 1 and y >= 2")), SyntaxError);
  EXPECT_EQ(truth("a = b and c == d or e != f"), "(or (and (= a b) (= c d)) (!= e f))");
  EXPECT_THROW(static_cast<void>(parse_truth("x <= 1 <= y")), SyntaxError);
  EXPECT_THROW(static_cast<void>(parse_expression("if(x, 1, 2)")), SyntaxError);
}

TEST(Syntax, powers_bind_to_the_right_and_closer_than_signs) {
  EXPECT_EQ(shape("-x^2"), "(- (^ x 2000m))");
  EXPECT_EQ(shape("2^-x"), "(^ 2000m (- x))");
  EXPECT_EQ(shape("a^b^c"), "(^ a (^ b c))");
  EXPECT_EQ(shape("a**b"), "(^ a b)");
  EXPECT_EQ(shape("-a*b"), "(* (- a) b)");
  EXPECT_EQ(shape("a*-b"), "(* a (- b))");
  EXPECT_EQ(shape("--a"), "(- (- a))");
  EXPECT_EQ(shape("+a"), "a");
  EXPECT_EQ(shape("2^-x^2"), "(^ 2000m (- (^ x 2000m)))");
}

TEST(Syntax, numbers_are_decimal) {
  EXPECT_EQ(shape("2.5e-3"), "2m");
  EXPECT_EQ(shape(".5"), "500m");
  EXPECT_EQ(shape("1."), "1000m");
  EXPECT_EQ(shape("1.e3"), "1000000m");
  EXPECT_EQ(shape("1E+2"), "100000m");
  EXPECT_EQ(parse_expression("0.1").number, 0.1);
  EXPECT_EQ(parse_expression("123456789.12345678901234567890").number, 123456789.12345678901234567890);
}

TEST(Syntax, velocities_members_and_indices) {
  EXPECT_EQ(shape("a.x'"), "(' (.x a))");
  EXPECT_EQ(shape("a'"), "(' a)");
  EXPECT_EQ(shape("a'.x"), "(' (.x a))");
  EXPECT_EQ(shape("bead[i+1].x'"), "(' (.x ([] bead (+ i 1000m))))");
  EXPECT_EQ(shape("knot[i,j]'"), "(' ([] knot i j))");
  EXPECT_EQ(shape("bead[2]'.y"), "(' (.y ([] bead 2000m)))");
  EXPECT_EQ(shape("bead'[2]"), "(' ([] bead 2000m))");
  EXPECT_EQ(shape("(a - b).x"), "(.x (+ a ~b))");
  EXPECT_EQ(shape("[e1, e2, e3].x"), "(.x (vector e1 e2 e3))");
  EXPECT_EQ(shape("cross(a', n).z"), "(.z (cross (' a) n))");
  EXPECT_EQ(shape("x'^2"), "(^ (' x) 2000m)");
}

TEST(Syntax, calls_and_sums) {
  EXPECT_EQ(shape("atan2(y, x)"), "(atan2 y x)");
  EXPECT_EQ(shape("sum(i = 1..n, i^2)"), "(sum i 1000m n (^ i 2000m))");
  EXPECT_EQ(shape("sum(i = 1..99, e)"), "(sum i 1000m 99000m e)");
  EXPECT_EQ(shape("sum(i=1.5..2.5,e)"), "(sum i 1500m 2500m e)");
  EXPECT_EQ(shape(" \n\t sin ( x ) \r\n"), "(sin x)");
}

TEST(Syntax, every_part_knows_its_place) {
  const std::string text = "  2*(a + bead[i, 3].x') - sum(k = 1..n, k)";
  const Syntax s = parse_expression(text);
  const auto covered = [&](const Syntax& part) { return text.substr(part.offset, part.length); };
  EXPECT_EQ(covered(s), "2*(a + bead[i, 3].x') - sum(k = 1..n, k)");
  EXPECT_EQ(covered(s.children[0]), "2*(a + bead[i, 3].x')");
  EXPECT_EQ(covered(s.children[0].children[1]), "a + bead[i, 3].x'");
  EXPECT_EQ(covered(s.children[0].children[1].children[1]), "bead[i, 3].x'");
  EXPECT_EQ(covered(s.children[0].children[1].children[1].children[0]), "bead[i, 3].x");
  EXPECT_EQ(covered(s.children[0].children[1].children[1].children[0].children[0]), "bead[i, 3]");
  EXPECT_EQ(covered(s.children[1]), "sum(k = 1..n, k)");
  const std::string power = "-(a + b)^2";
  const Syntax p = parse_expression(power);
  EXPECT_EQ(power.substr(p.children[0].offset, p.children[0].length), "(a + b)^2");
}

TEST(Syntax, conditions_ranges_and_references) {
  const ConditionSyntax c = parse_condition("distance(a, b) <= L");
  EXPECT_EQ(shape(c.left), "(distance a b)");
  EXPECT_EQ(c.relation, Relation::less_equal);
  EXPECT_EQ(shape(c.right), "L");
  EXPECT_EQ(c.relation_offset, 15U);
  EXPECT_EQ(parse_condition("a.x=0").relation, Relation::equal);
  EXPECT_EQ(parse_condition("a.x>=-1").relation, Relation::greater_equal);
  EXPECT_EQ(shape(parse_condition("a' = [0, 0, 0]").right), "(vector 0m 0m 0m)");

  const auto ranges = parse_ranges("i = 1..100, j = i+1..100");
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].name, "i");
  EXPECT_EQ(shape(ranges[0].high), "100000m");
  EXPECT_EQ(ranges[1].name, "j");
  EXPECT_EQ(ranges[1].offset, 12U);
  EXPECT_EQ(shape(ranges[1].low), "(+ i 1000m)");

  EXPECT_EQ(shape(parse_reference("a")), "a");
  EXPECT_EQ(shape(parse_reference("bead[3]")), "([] bead 3000m)");
  EXPECT_EQ(shape(parse_reference("knot[2, n-1]")), "([] knot 2000m (+ n ~1000m))");
}

TEST(Syntax, nesting_is_limited_whatever_nests) {
  const auto repeated = [](std::string_view part, std::size_t count) {
    std::string text;
    for (std::size_t k = 0; k < count; ++k) text += part;
    return text;
  };
  const auto nested = [&](std::string_view open, std::string_view close, std::size_t depth) {
    return repeated(open, depth) + "x" + repeated(close, depth);
  };
  const std::pair<std::string_view, std::string_view> kinds[] = {
      {"(", ")"}, {"sin(", ")"}, {"[", "]"}, {"-", ""}, {"+", ""}, {"x^", ""}, {"a[", "]"}, {"sum(i=1..2,", ")"}};
  for (const auto& [open, close] : kinds) {
    EXPECT_NO_THROW((void)parse_expression(nested(open, close, deepest_nesting))) << open;
    for (const std::size_t depth : {std::size_t{deepest_nesting} + 1, std::size_t{50000}}) {
      try {
        (void)parse_expression(nested(open, close, depth));
        ADD_FAILURE() << open;
      } catch (const SyntaxError& e) {
        EXPECT_NE(std::string(e.what()).find("deeper than 256"), std::string::npos) << open << e.what();
      }
    }
  }

  // Lists do not nest: a million bytes of terms are fine.
  const Syntax sum = parse_expression("x" + repeated("+x", (1 << 19) - 1));
  EXPECT_EQ(sum.children.size(), 1U << 19U);

  // Products are lists too, but every factor stands in the derivative by every other.
  EXPECT_NO_THROW((void)parse_expression("x" + repeated("*x", most_factors - 1)));
  EXPECT_THROW((void)parse_expression("x" + repeated("/x", most_factors)), SyntaxError);
}

TEST(Syntax, length_is_limited) {
  EXPECT_NO_THROW((void)parse_expression("x" + std::string(longest_expression - 1, ' ')));
  EXPECT_THROW((void)parse_expression("x" + std::string(longest_expression, ' ')), SyntaxError);
  EXPECT_THROW((void)parse_expression(std::string(100U << 20U, '(')), SyntaxError);
}

struct Wrong {
  const char* text;
  std::size_t offset;
  const char* message;
};

/// Parsing must fail there, with a message that contains this.
template <class Parse>
void expect_error(const Parse& parse, const Wrong& wrong) {
  try {
    (void)parse(wrong.text);
    ADD_FAILURE() << wrong.text << " was read";
  } catch (const SyntaxError& e) {
    EXPECT_EQ(e.offset, wrong.offset) << wrong.text << ": " << e.what();
    EXPECT_NE(std::string(e.what()).find(wrong.message), std::string::npos) << wrong.text << ": " << e.what();
  }
}

TEST(Syntax, wrong_expressions_say_where_and_why) {
  const Wrong table[] = {
      {"", 0, "is empty"},
      {"   ", 0, "is empty"},
      {"(a + b", 0, "`(` is never closed"},
      {"2*sin(a + (b)", 5, "`(` is never closed"},
      {"a + b)", 5, "closes nothing"},
      {"[a, b", 0, "`[` is never closed"},
      {"[a, b,", 0, "`[` is never closed"},
      {"bead[1", 4, "`[` is never closed"},
      {"a]", 1, "closes nothing"},
      {"(a]", 2, "a `)` is expected"},
      {"[a, b)", 5, "a `]` is expected"},
      {"()", 0, "parentheses are empty"},
      {"(", 0, "never closed"},
      {"[]", 0, "vector is empty"},
      {"sin()", 3, "needs something"},
      {"a +", 2, "nothing follows this `+`"},
      {"a + * b", 4, "not `*`"},
      {"* a", 0, "not `*`"},
      {"a * / b", 4, "not `/`"},
      {"a ^", 2, "nothing follows this `^`"},
      {"(a + )", 5, "not `)`"},
      {"-", 0, "nothing follows this `-`"},
      {"a ? b", 2, "unknown character `?`"},
      {"a % b", 2, "mod(a, b)"},
      {"{a}", 0, "parentheses"},
      {"|a|", 0, "norm(u)"},
      {"a & b", 2, "one condition per constraint"},
      {"a && b", 2, "joined by `and`"},
      {"cos(30 deg)", 7, "`30*pi/180`"},
      {"30\u00B0", 2, "angles are in radians"},
      {"1_000", 1, "`1000`"},
      {"a\x01", 1, "byte 0x01"},
      {"a\xFF", 1, "byte 0xFF"},
      {"1.2.3", 0, "`1.2.3` is not a number"},
      {"2 + 1e", 4, "exponent of the number `1e` is missing"},
      {"1e+", 0, "exponent of the number `1e+` is missing"},
      {"1e999", 0, "too large or too small"},
      {"2x", 1, "`2*x`"},
      {"2 x", 2, "`2*x`"},
      {"2exp(x)", 1, "`2*exp`"},
      {"2(x)", 1, "written with `*`"},
      {"(a)(b)", 3, "written with `*`"},
      {"(a) b", 4, "written with `*`"},
      {"a b", 2, "between `a` and `b`"},
      {"x 2", 2, "written with `*`"},
      {"sin x", 4, "between `sin` and `x`"},
      {"(a + b)[1]", 7, "directly behind a name"},
      {"bead[]", 4, "index is empty"},
      {"bead[1,]", 6, "nothing follows this `,`"},
      {"bead[1, 2, 3]", 11, "one or two indices"},
      {"bead[1][2]", 7, "`knot[i, j]`"},
      {"a.x[1]", 3, "`bead[i].x`"},
      {"f(a, )", 3, "nothing follows this `,`"},
      {"f(a,, b)", 4, "not `,`"},
      {"[a, b,]", 5, "nothing follows this `,`"},
      {"1,5", 1, "decimals are written with a point"},
      {"(1, 2)", 2, "in brackets"},
      {"sum(i, 1, n)", 4, "needs a range first"},
      {"sum(1..n, i)", 4, "needs a range first"},
      {"sum()", 4, "needs a range first"},
      {"sum(i = 1, i)", 9, "needs two ends"},
      {"sum(i = 1..n)", 12, "expression behind its range"},
      {"sum(i = 1..n,)", 12, "nothing follows"},
      {"sum(i = 1..n, j = 1..m, i)", 16, "a sum over a sum"},
      {"sum(i = 1..n, i", 3, "never closed"},
      {"1..n", 1, "a range cannot stand here"},
      {"sum(i = 1...n, i)", 9, "two points"},
      {"a''", 2, "accelerations"},
      {"a.x''", 4, "accelerations"},
      {"a'.x'", 4, "accelerations"},
      {"a\"", 1, "accelerations"},
      {"2'", 1, "behind a point or a coordinate"},
      {"a.", 1, "`x`, `y` or `z`"},
      {"(a + b).mass", 8, "`x`, `y` or `z`"},
      {"a.x.y", 3, "no components"},
      {"a <= b", 2, "comparison cannot stand here"},
      {"(a = b)", 3, "comparison cannot stand here"},
      {"a == b", 2, "comparison cannot stand here"},
      {"= b", 0, "not the comparison `=`"},
      {"a := b", 2, "unknown character `:`"},
      {"a \u00B7 b", 2, "write `*` instead of `\u00B7`"},
      {"a \u2264 b", 2, "write `<=`"},
      {"a \u2265 b", 2, "write `>=`"},
      {"a \u2212 b", 2, "write `-`"},
      {"x\u00B2", 1, "write `^2`"},
      {"2*\u03C0", 2, "write `pi`"},
      {"\u03C9*t", 0, "letters a to z"},
      {"a\u00A0+ b", 1, "ordinary space"},
      {"x\u2032", 1, "write `'`"},
      {"\u221Ax", 0, "sqrt"},
  };
  for (const Wrong& wrong : table) expect_error(parse_expression, wrong);
}

TEST(Syntax, wrong_conditions_say_what_to_write) {
  const Wrong table[] = {
      {"", 0, "`=`, `<=` or `>=`"},
      {"a.x", 3, "`=`, `<=` or `>=`"},
      {"a < b", 2, "limits are closed"},
      {"a > b", 2, "limits are closed"},
      {"a == b", 2, "write `=`"},
      {"a != b", 2, "restricts no motion"},
      {"a <> b", 2, "restricts no motion"},
      {"a =< b", 2, "write `<=`"},
      {"a => b", 2, "write `>=`"},
      {"a <= b <= c", 7, "write two constraints"},
      {"a = b = c", 6, "write two constraints"},
      {"a <=", 2, "nothing follows this `<=`"},
      {"<= a", 0, "not the comparison `<=`"},
      {"a <= = b", 5, "not the comparison `=`"},
      {"a <= b)", 6, "closes nothing"},
      {"distance(a, b <= L", 14, "comparison cannot stand here"},
      {"a b <= c", 2, "between `a` and `b`"},
  };
  for (const Wrong& wrong : table) expect_error(parse_condition, wrong);
}

TEST(Syntax, wrong_ranges_and_references_say_what_is_expected) {
  const Wrong ranges[] = {
      {"", 0, "`i = 1..n`"},
      {"i", 0, "a `=` is expected"},
      {"1..n", 0, "name of an index"},
      {"i in 1..n", 2, "a `=`"},
      {"i = 1", 0, "needs two ends"},
      {"i = 1..", 5, "nothing follows this `..`"},
      {"i = 1..n,", 8, "nothing follows this `,`"},
      {"i = 1..n..2", 8, "without a step"},
      {"i = 1:n", 5, "`1..n`"},
      {"i = 1..n j = 1..n", 9, "between `n` and `j`"},
      {"i = ..n", 4, "not `..`"},
      {"i = 1..n <= 3", 9, "comparison"},
  };
  for (const Wrong& wrong : ranges) expect_error(parse_ranges, wrong);
  const Wrong references[] = {
      {"", 0, "name of a point"}, {"3", 0, "name of a point"}, {"a.m.x", 3, "without `.`"},
      {"a'", 1, "without `'`"},   {"a + b", 2, "without `+`"}, {"bead[3].m.x", 9, "without `.`"},
      {"a b", 2, "without `b`"},  {"bead[]", 4, "empty"},
  };
  for (const Wrong& wrong : references) expect_error(parse_reference, wrong);
}

/// Whatever the text is, it is read or refused within its bounds.
void expect_survival(const std::string& text) {
  const auto survive = [&](auto parse) {
    try {
      (void)parse(text);
    } catch (const SyntaxError& e) {
      EXPECT_LE(e.offset, text.size());
      EXPECT_FALSE(std::string_view(e.what()).empty());
    }
  };
  survive(parse_expression);
  survive(parse_condition);
  survive(parse_ranges);
  survive(parse_reference);
}

TEST(Syntax, random_bytes_are_read_or_refused) {
  workshop::Dice dice(11);
  for (int k = 0; k < 15000; ++k) {
    std::string text(dice.below(40), ' ');
    for (char& c : text) c = static_cast<char>(dice.below(256));
    expect_survival(text);
  }
}

TEST(Syntax, random_tokens_are_read_or_refused) {
  static const char* const tokens[] = {"a",  "x",    "bead", "sum(", "sin(",   "1",    "2.5", "1e", ".",
                                       "..", "'",    "[",    "]",    "(",      ")",    ",",   "+",  "-",
                                       "*",  "**",   "/",    "^",    "=",      "<=",   ">=",  "<",  "==",
                                       " ",  "i = ", "1..n", ".x",   "\u2264", "\xC3", "0",   "e5"};
  workshop::Dice dice(12);
  for (int k = 0; k < 15000; ++k) {
    std::string text;
    for (std::uint64_t n = dice.below(14); n > 0; --n) text += tokens[dice.below(std::size(tokens))];
    expect_survival(text);
  }
}

TEST(Syntax, random_damage_to_good_texts_is_read_or_refused) {
  workshop::Dice dice(13);
  for (int k = 0; k < 5000; ++k) {
    std::string text = workshop::random_text(dice, 3, false);
    for (std::uint64_t n = 1 + dice.below(3); n > 0 && !text.empty(); --n) {
      const std::size_t at = dice.below(text.size());
      if (dice.below(2) == 0) {
        text.erase(at, 1);
      } else {
        text.insert(at, 1, static_cast<char>(32 + dice.below(95)));
      }
    }
    expect_survival(text);
  }
}

}  // namespace
}  // namespace syntax_tests
