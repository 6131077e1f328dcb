/// Rational numbers of any size.
#include "zwang/rational/number.hpp"

#include <cassert>
#include <charconv>
#include <cmath>
#include <limits>

#include "zwang/rational/value.hpp"

namespace zwang::rational {

namespace {

constexpr int most_digits = 4000;  // of a number as it is typed, and of its power of ten

Integer power_of(const Integer& base, unsigned exponent) { return boost::multiprecision::pow(base, exponent); }

/// The whole root of a whole number that is not negative, if it has one: Newton's iteration from above.
std::optional<Integer> whole_root(const Integer& number, unsigned degree) {
  if (number == 0 || number == 1 || degree == 1) return number;
  const unsigned bits = static_cast<unsigned>(boost::multiprecision::msb(number)) + 1;
  Integer root = Integer(1) << (bits / degree + 1);
  while (true) {
    const Integer next = ((degree - 1) * root + number / power_of(root, degree - 1)) / degree;
    if (next >= root) break;
    root = next;
  }
  if (power_of(root, degree) != number) return std::nullopt;
  return root;
}

}  // namespace

Number::Number() : value_(std::make_unique<Value>()) {}
Number::Number(int whole) : value_(std::make_unique<Value>(Value{Fraction(whole)})) {}
Number::~Number() = default;
Number::Number(const Number& other) : value_(std::make_unique<Value>(*other.value_)) {}
Number::Number(Number&& other) noexcept = default;
Number& Number::operator=(const Number& other) {
  if (this != &other) value_ = std::make_unique<Value>(*other.value_);
  return *this;
}
Number& Number::operator=(Number&& other) noexcept = default;

Number Number::of(double value) {
  assert(std::isfinite(value));
  int exponent = 0;
  const double part = std::frexp(value, &exponent);
  Integer whole(static_cast<std::int64_t>(std::ldexp(part, std::numeric_limits<double>::digits)));
  exponent -= std::numeric_limits<double>::digits;
  if (exponent >= 0) return number(Fraction(whole << static_cast<unsigned>(exponent)));
  return number(Fraction(whole, Integer(1) << static_cast<unsigned>(-exponent)));
}

std::optional<Number> Number::read(std::string_view text) {
  // [sign] digits [. digits] [e [sign] digits]; as in TOML, _ may stand between digits.
  std::size_t k = 0;
  bool negative = false;
  if (k < text.size() && (text[k] == '-' || text[k] == '+')) negative = text[k++] == '-';
  std::string digits;
  int tens = 0;
  bool point = false;
  bool any = false;
  for (; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '_' && any) continue;
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      any = true;
      if (!digits.empty() || c != '0') digits += c;
      if (point) --tens;
    } else {
      break;
    }
  }
  if (!any || digits.size() > most_digits || tens < -most_digits) return std::nullopt;
  if (k < text.size()) {
    if (text[k] != 'e' && text[k] != 'E') return std::nullopt;
    ++k;
    if (k < text.size() && text[k] == '+') ++k;
    int exponent = 0;
    const auto [end, wrong] = std::from_chars(text.data() + k, text.data() + text.size(), exponent);
    if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (exponent > most_digits || exponent < -most_digits) return std::nullopt;
    tens += exponent;
  }
  Integer whole(digits.empty() ? "0" : digits);
  if (negative) whole = -whole;
  const Integer scale = power_of(10, static_cast<unsigned>(std::abs(tens)));
  return number(tens >= 0 ? Fraction(whole * scale) : Fraction(whole, scale));
}

Number& Number::operator+=(const Number& other) {
  value_->fraction += fraction(other);
  return *this;
}
Number& Number::operator-=(const Number& other) {
  value_->fraction -= fraction(other);
  return *this;
}
Number& Number::operator*=(const Number& other) {
  value_->fraction *= fraction(other);
  return *this;
}
Number& Number::operator/=(const Number& other) {
  assert(other.sign() != 0);
  value_->fraction /= fraction(other);
  return *this;
}
Number Number::operator-() const { return number(-value_->fraction); }

int Number::compare(const Number& other) const { return value_->fraction.compare(fraction(other)); }
int Number::sign() const { return value_->fraction.sign(); }
bool Number::is_whole() const { return denominator(value_->fraction) == 1; }

Number Number::floor() const {
  const Integer above = numerator(value_->fraction), below = denominator(value_->fraction);
  Integer whole = above / below;
  if (above < 0 && whole * below != above) --whole;
  return number(Fraction(whole));
}

std::optional<Number> Number::root(unsigned degree) const {
  assert(degree > 0 && sign() >= 0);
  const std::optional<Integer> above = whole_root(numerator(value_->fraction), degree);
  if (!above) return std::nullopt;
  const std::optional<Integer> below = whole_root(denominator(value_->fraction), degree);
  if (!below) return std::nullopt;
  return number(Fraction(*above, *below));
}

Number Number::power(int exponent) const {
  const auto size = static_cast<unsigned>(std::abs(exponent));
  const Integer above = power_of(numerator(value_->fraction), size);
  const Integer below = power_of(denominator(value_->fraction), size);
  assert(exponent >= 0 || above != 0);
  return number(exponent >= 0 ? Fraction(above, below) : Fraction(below, above));
}

std::size_t Number::digits() const {
  const Integer above = abs(numerator(value_->fraction)), below = denominator(value_->fraction);
  const auto bits = [](const Integer& whole) { return whole == 0 ? 0 : boost::multiprecision::msb(whole) + 1; };
  constexpr double digits_of_bit = 0.30103;
  return static_cast<std::size_t>(static_cast<double>(bits(above) + bits(below)) * digits_of_bit) + 1;
}

double Number::approximate() const {
  // Three more bits than a double has, the last of them telling whether anything is left over; rounded once, by ldexp or before it.
  const Integer above = abs(numerator(value_->fraction)), below = denominator(value_->fraction);
  if (above == 0) return 0;
  constexpr int wanted = std::numeric_limits<double>::digits + 3;
  const int shift = wanted - (static_cast<int>(boost::multiprecision::msb(above)) -
                              static_cast<int>(boost::multiprecision::msb(below)));
  Integer quotient, rest;
  if (shift >= 0) {
    divide_qr(Integer(above << static_cast<unsigned>(shift)), below, quotient, rest);
  } else {
    divide_qr(above, Integer(below << static_cast<unsigned>(-shift)), quotient, rest);
  }
  if (rest != 0) quotient |= 1;
  const double size = std::ldexp(static_cast<double>(static_cast<std::uint64_t>(quotient)), -shift);
  return sign() < 0 ? -size : size;
}

std::string Number::text() const { return value_->fraction.str(); }

}  // namespace zwang::rational
