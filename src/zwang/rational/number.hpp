/// Rational numbers of any size, exact: what decides where doubles cannot.
///
/// The library behind them (Boost.Multiprecision) is seen by this room alone; a Number is a handle with the semantics of a value.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace zwang::rational {

class Number {
 public:
  Number();  ///< zero
  Number(int whole);
  ~Number();
  Number(const Number& other);
  Number(Number&& other) noexcept;
  Number& operator=(const Number& other);
  Number& operator=(Number&& other) noexcept;

  /// A double is a fraction whose denominator is a power of two; it must be finite.
  [[nodiscard]] static Number of(double value);
  /// A decimal number as it is typed: "0.1" is 1/10. Nothing if it is none, or has more than some thousands of digits.
  [[nodiscard]] static std::optional<Number> read(std::string_view text);

  Number& operator+=(const Number& other);
  Number& operator-=(const Number& other);
  Number& operator*=(const Number& other);
  /// The divisor is not zero.
  Number& operator/=(const Number& other);
  [[nodiscard]] Number operator-() const;
  friend Number operator+(Number a, const Number& b) { return std::move(a += b); }
  friend Number operator-(Number a, const Number& b) { return std::move(a -= b); }
  friend Number operator*(Number a, const Number& b) { return std::move(a *= b); }
  friend Number operator/(Number a, const Number& b) { return std::move(a /= b); }
  friend bool operator==(const Number& a, const Number& b) { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Number& a, const Number& b) { return a.compare(b) <=> 0; }

  [[nodiscard]] int sign() const;  ///< -1, 0, 1
  [[nodiscard]] bool is_whole() const;
  /// The largest whole number that is not larger.
  [[nodiscard]] Number floor() const;
  /// The root of that degree (1 or more) of a number that is not negative, if it is rational.
  [[nodiscard]] std::optional<Number> root(unsigned degree) const;
  /// The number to a whole power; of zero not a negative one.
  [[nodiscard]] Number power(int exponent) const;
  /// Digits of numerator and denominator together, about: what work with it costs.
  [[nodiscard]] std::size_t digits() const;

  /// The nearest double.
  [[nodiscard]] double approximate() const;
  /// "3", "-981/100".
  [[nodiscard]] std::string text() const;

  struct Value;
  [[nodiscard]] const Value& value() const { return *value_; }
  [[nodiscard]] Value& value() { return *value_; }

 private:
  [[nodiscard]] int compare(const Number& other) const;
  std::unique_ptr<Value> value_;
};

}  // namespace zwang::rational
