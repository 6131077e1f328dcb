/// The first two kinds of scalars that an expression is read in: numbers with their rounding, and expressions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "zwang/base/number.hpp"
#include "zwang/elementary/elementary.hpp"
#include "zwang/model/few.hpp"
#include "zwang/model/interpret.hpp"

namespace zwang::model {

using expressions::Expr;
using expressions::Function;

namespace {

Made larger(Made a, Made b) { return a < b ? b : a; }

/// Of tables and splines, whose arguments are x, all places, all values: those that tell in the value at x. A line depends on its two ends;
/// in a spline what one point does is halved from knot to knot at least.
class Beside {
 public:
  Beside(Function function, std::span<const double> arguments) {
    constexpr std::size_t of_a_table = 2,
                          of_a_spline = 128;  // knots; beyond, less than 2^-128 of the change of a point is left
    if (function != Function::table && function != Function::spline) return;
    knots_ = arguments.size() / 2;
    const auto places = arguments.subspan(1, knots_);
    const auto at =
        static_cast<std::size_t>(std::upper_bound(places.begin(), places.end(), arguments[0]) - places.begin());
    const std::size_t reach = function == Function::table ? of_a_table : of_a_spline;
    first_ = at > reach ? at - reach : 0;
    last_ = at + reach;
  }
  [[nodiscard]] bool counts(std::size_t argument) const {
    if (argument == 0 || knots_ == 0) return true;
    const std::size_t knot = (argument - 1) % knots_;
    return first_ <= knot && knot <= last_;
  }

 private:
  std::size_t knots_ = 0, first_ = 0, last_ = 0;
};

/// Why a function has no value there.
std::string reason(Function function, std::span<const double> arguments) {
  const std::string value = readable(arguments[0]);
  switch (function) {
    case Function::sqrt:
      if (arguments[0] < 0) return fmt::format("the square root of a negative number ({})", value);
      break;
    case Function::log:
      if (arguments[0] < 0) return fmt::format("the logarithm of a negative number ({})", value);
      if (arguments[0] == 0) return "the logarithm of zero";
      break;
    case Function::asin:
    case Function::acos:
      if (std::abs(arguments[0]) > 1)
        return fmt::format("{} of {}, which lies outside of -1..1", name(function), value);
      break;
    case Function::mod:
      if (arguments[1] == 0) return "the remainder of a division by zero";
      break;
    case Function::exp:
      return fmt::format(
          "exp of {} is not a finite number: write (1 - tanh(u/2))/2 for 1/(1 + exp(u)), (1 + tanh(u/2))/2 "
          "for exp(u)/(1 + exp(u)), and tanh(u) for what is made of exp(u) and exp(-u)",
          value);
    case Function::cosh:
      return fmt::format(
          "cosh of {} is not a finite number: write 1 - tanh(u)^2 for 1/cosh(u)^2, and "
          "2*exp(-abs(u))/(1 + exp(-2*abs(u))) for 1/cosh(u)",
          value);
    case Function::sinh:
      return fmt::format("sinh of {} is not a finite number: write tanh(u) for sinh(u)/cosh(u)", value);
    default: break;
  }
  return fmt::format("{} of {} is not a finite number", name(function), value);
}

}  // namespace

// Tracer: numbers, and the trace of slots.

std::string_view Tracer::when(Made made) const { return made == Made::state ? " at the initial state" : ""; }

Tracer::Scalar Tracer::checked(Scalar a, const Syntax& whole, std::string_view reason) const {
  if (std::isfinite(a.value) || (a.made == Made::state && (!finite_ || (poles_ && std::isinf(a.value))))) return a;
  throw formulas_.error(whole, fmt::format("`{}` has no value{}: {}", formulas_.text(whole), when(a.made), reason));
}

Tracer::Scalar Tracer::sum(std::span<const Operand<Scalar>> terms, const Syntax& whole) {
  Scalar numbers;
  Scalar total;
  for (const Operand<Scalar>& term : terms) {
    Scalar& part = term.value.made == Made::state ? total : numbers;
    part.value += term.inverse ? -term.value.value : term.value.value;
    part.error += term.value.error + unit_rounding * std::abs(part.value);
    part.leaps = part.leaps || term.value.leaps;
    part.made = larger(part.made, term.value.made);
  }
  if (total.made == Made::state && numbers.made == Made::indexed) slots_.constant(numbers.value);
  const double sum = numbers.value + total.value;
  return checked({sum, larger(numbers.made, total.made), numbers.error + total.error + unit_rounding * std::abs(sum),
                  numbers.leaps || total.leaps},
                 whole, "it is too large");
}

Tracer::Scalar Tracer::product(std::span<const Operand<Scalar>> factors, const Syntax& whole) {
  Scalar numbers{1, Made::plain};
  Scalar total{1, Made::plain};
  for (const Operand<Scalar>& factor : factors) {
    Scalar& part = factor.value.made == Made::state ? total : numbers;
    part.made = larger(part.made, factor.value.made);
    part.leaps = part.leaps || factor.value.leaps;
    if (!factor.inverse) {
      part.error =
          part.error * (std::abs(factor.value.value) + factor.value.error) + std::abs(part.value) * factor.value.error;
      part.value *= factor.value.value;
      part.error += unit_rounding * std::abs(part.value);
      continue;
    }
    if (factor.value.value == 0 && (finite_ || factor.value.made != Made::state)) {
      const Syntax& at = factor.source != nullptr ? *factor.source : whole;
      const std::string text(formulas_.text(at));
      // A speed that is zero, as of friction at rest: a direction that there is none of, which the motion chooses.
      const bool root = text.starts_with("norm(") || text.starts_with("sqrt(") || text.starts_with("distance(");
      const bool speed = root && (text.find('\'') != std::string::npos || text.find(".spin") != std::string::npos);
      const bool pole = poles_ && !root && factor.value.made == Made::state && part.value != 0;
      if (!pole && (!speed || factor.value.made != Made::state)) {
        throw formulas_.error(at, fmt::format("division by zero{}: `{}` is 0", when(factor.value.made), text));
      }
      part.value = pole ? std::copysign(std::numeric_limits<double>::infinity(), part.value) : 0.0;
      continue;
    }
    part.value /= factor.value.value;
    part.error = (part.error + std::abs(part.value) * factor.value.error) / std::abs(factor.value.value) +
                 unit_rounding * std::abs(part.value);
  }
  if (total.made == Made::state && numbers.made == Made::indexed) slots_.constant(numbers.value);
  const double product = numbers.value * total.value;
  const double error = numbers.error * (std::abs(total.value) + total.error) + std::abs(numbers.value) * total.error;
  return checked({product, larger(numbers.made, total.made), error + unit_rounding * std::abs(product),
                  numbers.leaps || total.leaps},
                 whole, "it is too large");
}

Tracer::Scalar Tracer::power(const Scalar& base, const Scalar& exponent, const Syntax& whole) {
  const Made made = larger(base.made, exponent.made);
  if (made == Made::state) {
    if (base.made == Made::indexed) slots_.constant(base.value);
    if (exponent.made == Made::indexed) slots_.shape(exponent.value);
  }
  const double value = elementary::pow(base.value, exponent.value);
  // What moving base and exponent by their errors changes; a power that has no value there is not known at all.
  double error = 2 * unit_rounding * std::abs(value);
  if (base.error > 0) error += std::abs(elementary::pow(base.value + base.error, exponent.value) - value);
  if (exponent.error > 0 && exponent.value != std::round(exponent.value))
    error += std::abs(elementary::pow(base.value, exponent.value + exponent.error) - value);
  const Scalar out{value, made, std::isfinite(error) ? error : std::abs(value), base.leaps || exponent.leaps};
  if (std::isfinite(out.value)) return out;
  if (base.value == 0 && exponent.value != std::round(exponent.value)) {
    // A root has no fraction to be taken apart.
    const Scalar none{std::numeric_limits<double>::quiet_NaN(), made, out.error, out.leaps};
    return finite_ ? checked(none, whole, "a negative power of zero is a division by zero") : out;
  }
  if (base.value == 0) return checked(out, whole, "a negative power of zero is a division by zero");
  if (base.value < 0) return checked(out, whole, "a negative number has no such power");
  return checked(out, whole, "it is too large");
}

Tracer::Scalar Tracer::apply(Function function, std::span<const Scalar> arguments, const Syntax& whole) {
  Few<double> values(arguments.size());
  Scalar out;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    values[k] = arguments[k].value;
    out.made = larger(out.made, arguments[k].made);
  }
  if (out.made == Made::state) {
    for (const Scalar& argument : arguments) {
      if (argument.made == Made::indexed) slots_.constant(argument.value);
    }
  }
  out.value = expressions::evaluate(function, values.span());
  // Each argument moved by its error; of a table those beside the place where it is read.
  const Beside beside(function, values.span());
  out.error = 2 * unit_rounding * std::abs(out.value);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    out.leaps = out.leaps || arguments[k].leaps;
    if (arguments[k].error == 0 || !beside.counts(k)) continue;
    values[k] += arguments[k].error;
    const double moved = std::abs(expressions::evaluate(function, values.span()) - out.value);
    // These are no steeper than 1 but where they jump; tables and splines are as steep as they are written.
    const bool may_leap =
        expressions::has_corners(function) && function != Function::table && function != Function::spline;
    out.leaps = out.leaps || (may_leap && moved > 2 * arguments[k].error);
    out.error += std::isfinite(moved) ? moved : std::abs(out.value);
    values[k] = arguments[k].value;
  }
  return std::isfinite(out.value) ? out : checked(out, whole, reason(function, values.span()));
}

// Builder: expressions in the slots. The order in which slots are met is the Tracer's.

Expr Builder::expr(const Scalar& a) {
  switch (a.made) {
    case Made::plain: return graph_.number(a.value);
    case Made::indexed: {
      const int slot = slots_.constant(a.value);
      if (slot < 0) return graph_.number(0);
      return graph_.symbol({expressions::SymbolKind::constant, static_cast<std::uint32_t>(slot)});
    }
    case Made::state: break;
  }
  return a.expr;
}

Builder::Scalar Builder::sum(std::span<const Operand<Scalar>> terms, const Syntax& /*whole*/) {
  Scalar numbers;
  std::vector<Expr> parts;
  parts.reserve(terms.size() + 1);
  for (const Operand<Scalar>& term : terms) {
    if (term.value.made == Made::state) {
      parts.push_back(term.inverse ? graph_.negate(term.value.expr) : term.value.expr);
      continue;
    }
    numbers.value += term.inverse ? -term.value.value : term.value.value;
    numbers.made = larger(numbers.made, term.value.made);
  }
  if (parts.empty()) return numbers;
  if (numbers.made == Made::indexed || numbers.value != 0) parts.push_back(expr(numbers));
  return state(graph_.add(parts));
}

Builder::Scalar Builder::product(std::span<const Operand<Scalar>> factors, const Syntax& /*whole*/) {
  Scalar numbers{1, Made::plain, {}};
  std::vector<Expr> above;
  std::vector<Expr> below;
  for (const Operand<Scalar>& factor : factors) {
    if (factor.value.made == Made::state) {
      (factor.inverse ? below : above).push_back(factor.value.expr);
      continue;
    }
    numbers.value = factor.inverse ? numbers.value / factor.value.value : numbers.value * factor.value.value;
    numbers.made = larger(numbers.made, factor.value.made);
  }
  if (above.empty() && below.empty()) return numbers;
  if (numbers.made == Made::indexed || numbers.value != 1) above.insert(above.begin(), expr(numbers));
  const Expr numerator = above.empty() ? graph_.number(1) : graph_.multiply(above);
  return state(below.empty() ? numerator : graph_.divide(numerator, graph_.multiply(below)));
}

Builder::Scalar Builder::power(const Scalar& base, const Scalar& exponent, const Syntax& /*whole*/) {
  if (larger(base.made, exponent.made) != Made::state) {
    return {elementary::pow(base.value, exponent.value), larger(base.made, exponent.made), {}};
  }
  const Expr below = expr(base);
  if (exponent.made == Made::state) return state(graph_.power(below, exponent.expr));
  if (exponent.made == Made::indexed) slots_.shape(exponent.value);
  return state(graph_.power(below, graph_.number(exponent.value)));
}

Builder::Scalar Builder::apply(Function function, std::span<const Scalar> arguments, const Syntax& /*whole*/) {
  Few<double> values(arguments.size());
  Made made = Made::plain;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    values[k] = arguments[k].value;
    made = larger(made, arguments[k].made);
  }
  if (made != Made::state) return {expressions::evaluate(function, values.span()), made, {}};
  std::vector<Expr> parts;
  for (const Scalar& argument : arguments) parts.push_back(expr(argument));
  return state(graph_.apply(function, parts));
}

}  // namespace zwang::model
