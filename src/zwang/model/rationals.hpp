/// Scalars that are exact: fractions, with their first and second derivatives by positions, velocities and time at the initial state.
///
/// A number is what was typed: 0.1 is 1/10. Sums, products, quotients and whole powers of fractions are fractions; sqrt is one where the
/// root is whole, the other functions at the one place where their value is (sin at 0, log at 1). Everything else is irrational, which is
/// a theorem (Lindemann's, for the functions that are no roots) and not a matter of digits. One square root may be carried along,
///
///   value = p + s sqrt(r),
///
/// since the sign of it is known; of its derivatives nothing is. So `distance(a, b) <= 3` is decided at any distance: where the two sides are
/// equal the distance is 3, and rational with its gradient.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/model/interpret.hpp"
#include "zwang/rational/number.hpp"

namespace zwang::model {

/// p + s sqrt(r), r no square.
struct Surd {
  rational::Number rational;
  rational::Number factor;    ///< s; zero: the number is rational
  rational::Number radicand;  ///< r

  [[nodiscard]] int sign() const;
  [[nodiscard]] double approximate() const;
  /// "3/4", "1 - sqrt(2)".
  [[nodiscard]] std::string text() const;
};

/// A value with its derivatives. Of n variables position k is number k, velocity k is n + k, the time is 2 n.
struct Jet {
  Surd value;
  std::map<std::uint32_t, rational::Number> first;
  std::map<std::pair<std::uint32_t, std::uint32_t>, rational::Number> second;  ///< lower number first

  // Where derivatives are not known: why, and where the text stands that is to blame.
  bool blind = false;
  std::size_t offset = 0;
  std::string reason;
};

class Rationals {
 public:
  struct Scalar {
    Made made = Made::plain;
    std::shared_ptr<const Jet> jet;  ///< none: zero
  };

  explicit Rationals(const Formulas& formulas) : formulas_(formulas) {}

  /// Exact values of a parameter, once they are known.
  void set_parameter(std::uint32_t index, std::vector<Scalar> value);
  /// Of one that is irrational: who uses it is told so.
  void set_parameter(std::uint32_t index, const Error& irrational);
  /// The time, and with it all numbers that may stand where indices and bounds are asked for.
  void set_time(const rational::Number& time) { time_ = time; }
  void set_state(std::vector<rational::Number> position, std::vector<rational::Number> velocity);

  [[nodiscard]] static Scalar number(double value, Made made = Made::plain);
  [[nodiscard]] Scalar literal(const Syntax& s) const;
  [[nodiscard]] Scalar pi(const Syntax& s) const;
  [[nodiscard]] Scalar parameter(std::uint32_t index, std::size_t component, double value) const;
  [[nodiscard]] static double value(const Scalar& a);
  [[nodiscard]] Scalar time() const;
  [[nodiscard]] Scalar position(std::uint32_t variable) const;
  [[nodiscard]] Scalar velocity(std::uint32_t variable) const;
  static void shape(double /*value*/) {}
  static bool require_finite(bool /*finite*/) { return false; }
  static bool permit_poles(bool /*poles*/) { return false; }
  [[nodiscard]] Scalar sum(std::span<const Operand<Scalar>> terms, const Syntax& whole) const;
  [[nodiscard]] Scalar product(std::span<const Operand<Scalar>> factors, const Syntax& whole) const;
  [[nodiscard]] Scalar power(const Scalar& base, const Scalar& exponent, const Syntax& whole) const;
  [[nodiscard]] Scalar apply(expressions::Function function, std::span<const Scalar> arguments,
                             const Syntax& whole) const;

  /// The jet of a scalar.
  [[nodiscard]] static const Jet& jet(const Scalar& a);
  /// The value as a fraction, or an error that says why it is none.
  [[nodiscard]] const rational::Number& fraction(const Scalar& a) const;
  /// An error unless value and derivatives are fractions.
  void require_known(const Scalar& a) const;

 private:
  [[noreturn]] void refuse(const Syntax& at, const std::string& why) const;

  const Formulas& formulas_;
  std::map<std::uint32_t, std::vector<Scalar>> parameters_;
  std::map<std::uint32_t, Error> irrational_;
  rational::Number time_;
  std::vector<rational::Number> position_, velocity_;
};

extern template class Interpreter<Rationals>;

}  // namespace zwang::model
