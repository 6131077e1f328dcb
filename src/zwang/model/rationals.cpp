/// Scalars that are exact: fractions with their derivatives.
#include "zwang/model/rationals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "zwang/base/number.hpp"

namespace zwang::model {

using expressions::Function;
using rational::Number;

namespace {

constexpr int most_exponent = 1000;        // of a power: beyond it fractions are no answer that anybody reads
constexpr unsigned most_root = 64;         // degree of a root that is looked for
constexpr std::size_t most_size = 100000;  // digits of a number

using Scalar = Rationals::Scalar;

Scalar scalar(Jet jet, Made made) { return {made, std::make_shared<const Jet>(std::move(jet))}; }

Scalar constant(const Number& value, Made made) {
  Jet jet;
  jet.value.rational = value;
  return scalar(std::move(jet), made);
}

bool is_constant(const Jet& jet) { return jet.first.empty() && jet.second.empty() && !jet.blind; }
bool is_rational(const Jet& jet) { return jet.value.factor.sign() == 0; }

std::pair<std::uint32_t, std::uint32_t> ordered(std::uint32_t i, std::uint32_t j) {
  return i < j ? std::pair(i, j) : std::pair(j, i);
}

/// Not known from here on; the first reason counts.
void blind(Jet& jet, const Jet& because) {
  jet.first.clear();
  jet.second.clear();
  if (jet.blind) return;
  jet.blind = true;
  jet.offset = because.offset;
  jet.reason = because.reason;
}

void add(Jet& to, const Jet& other, const Number& factor) {
  to.value.rational += factor * other.value.rational;
  if (to.blind || other.blind) {
    if (other.blind) blind(to, other);
    return;
  }
  for (const auto& [k, entry] : other.first) to.first[k] += factor * entry;
  for (const auto& [k, entry] : other.second) to.second[k] += factor * entry;
}

/// g(u) from the value of g and its two derivatives at u.
Jet chain(const Jet& u, const Number& g, const Number& slope, const Number& bend) {
  Jet out;
  out.value.rational = g;
  for (const auto& [k, entry] : u.first) {
    if (slope.sign() != 0) out.first[k] = slope * entry;
  }
  if (slope.sign() != 0) {
    for (const auto& [k, entry] : u.second) out.second[k] = slope * entry;
  }
  if (bend.sign() != 0) {
    for (auto i = u.first.begin(); i != u.first.end(); ++i) {
      for (auto j = i; j != u.first.end(); ++j) out.second[{i->first, j->first}] += bend * i->second * j->second;
    }
  }
  return out;
}

/// u v; where one of them has a root, the other is a fraction.
Jet multiplied(const Jet& u, const Jet& v) {
  Jet out;
  const Number& a = u.value.rational;
  const Number& b = v.value.rational;
  out.value.rational = a * b;
  if (!is_rational(u) || !is_rational(v)) {
    const Jet& root = is_rational(u) ? v : u;
    out.value.factor = root.value.factor * (is_rational(u) ? a : b);
    out.value.radicand = root.value.radicand;
  }
  if (u.blind || v.blind) {
    blind(out, u.blind ? u : v);
    return out;
  }
  for (const auto& [k, entry] : u.first) out.first[k] += b * entry;
  for (const auto& [k, entry] : v.first) out.first[k] += a * entry;
  for (const auto& [k, entry] : u.second) out.second[k] += b * entry;
  for (const auto& [k, entry] : v.second) out.second[k] += a * entry;
  for (const auto& [i, left] : u.first) {
    for (const auto& [j, right] : v.first) out.second[ordered(i, j)] += i == j ? 2 * left * right : left * right;
  }
  return out;
}

Made largest(std::span<const Scalar> arguments) {
  Made made = Made::plain;
  for (const Scalar& argument : arguments) made = std::max(made, argument.made);
  return made;
}

/// Value and two derivatives of a function at the one rational place where its value is rational.
struct RationalPlace {
  Function function;
  int at, value, slope, bend;
};
constexpr RationalPlace places[] = {{Function::sin, 0, 0, 1, 0},  {Function::cos, 0, 1, 0, -1},
                                    {Function::tan, 0, 0, 1, 0},  {Function::asin, 0, 0, 1, 0},
                                    {Function::atan, 0, 0, 1, 0}, {Function::sinh, 0, 0, 1, 0},
                                    {Function::cosh, 0, 1, 0, 1}, {Function::tanh, 0, 0, 1, 0},
                                    {Function::exp, 0, 1, 1, 1},  {Function::log, 1, 0, 1, -1}};

}  // namespace

// p + s sqrt(r)

int Surd::sign() const {
  if (factor.sign() == 0 || rational.sign() == factor.sign())
    return factor.sign() == 0 ? rational.sign() : factor.sign();
  if (rational.sign() == 0) return factor.sign();
  // Of unlike signs: the larger square wins; equal ones cannot be.
  return rational * rational > factor * factor * radicand ? rational.sign() : factor.sign();
}

double Surd::approximate() const {
  return rational.approximate() + factor.approximate() * std::sqrt(radicand.approximate());
}

std::string Surd::text() const {
  if (factor.sign() == 0) return rational.text();
  const Number size = factor.sign() < 0 ? -factor : factor;
  const std::string root = size == Number(1) ? fmt::format("sqrt({})", radicand.text())
                                             : fmt::format("{}*sqrt({})", size.text(), radicand.text());
  if (rational.sign() == 0) return factor.sign() < 0 ? "-" + root : root;
  return fmt::format("{} {} {}", rational.text(), factor.sign() < 0 ? "-" : "+", root);
}

// Leaves

const Jet& Rationals::jet(const Scalar& a) {
  static const Jet zero;
  return a.jet ? *a.jet : zero;
}

void Rationals::refuse(const Syntax& at, const std::string& why) const {
  throw formulas_.error(at, fmt::format("in exact arithmetic {}", why));
}

void Rationals::require_known(const Scalar& a) const {
  const Jet& known = jet(a);
  if (!known.blind) return;
  throw formulas_.error(known.offset, fmt::format("in exact arithmetic {}", known.reason));
}

const Number& Rationals::fraction(const Scalar& a) const {
  if (!is_rational(jet(a))) require_known(a);
  return jet(a).value.rational;
}

double Rationals::value(const Scalar& a) { return jet(a).value.approximate(); }

void Rationals::set_parameter(std::uint32_t index, std::vector<Scalar> value) { parameters_[index] = std::move(value); }

void Rationals::set_parameter(std::uint32_t index, const Error& irrational) { irrational_.emplace(index, irrational); }

void Rationals::set_state(std::vector<Number> position, std::vector<Number> velocity) {
  position_ = std::move(position);
  velocity_ = std::move(velocity);
}

Scalar Rationals::number(double value, Made made) { return constant(Number::of(value), made); }

Scalar Rationals::literal(const Syntax& s) const {
  // The digits as they were typed; ways of writing that are none (hexadecimal) have the double itself.
  const std::string digits = formulas_.digits(s);
  const std::optional<Number> typed = Number::read(digits);
  if (typed && typed->approximate() == s.number) return constant(*typed, Made::plain);
  const std::optional<Number> shortest = Number::read(exact(s.number));
  if (!shortest) refuse(s, "numbers have at most some thousands of digits");
  return constant(*shortest, Made::plain);
}

Scalar Rationals::pi(const Syntax& s) const {
  refuse(s,
         "pi has no place: it is irrational, and so are all angles but 0, a quarter turn too; ask without --exact, or "
         "write directions by their cosine and sine");
}

Scalar Rationals::parameter(std::uint32_t index, std::size_t component, double /*value*/) const {
  const auto found = irrational_.find(index);
  if (found != irrational_.end()) throw found->second;
  return parameters_.at(index).at(component);
}

Scalar Rationals::time() const {
  Jet jet;
  jet.value.rational = time_;
  jet.first[static_cast<std::uint32_t>(2 * position_.size())] = 1;
  return scalar(std::move(jet), Made::state);
}
Scalar Rationals::position(std::uint32_t variable) const {
  Jet jet;
  jet.value.rational = position_[variable];
  jet.first[variable] = 1;
  return scalar(std::move(jet), Made::state);
}
Scalar Rationals::velocity(std::uint32_t variable) const {
  Jet jet;
  jet.value.rational = velocity_[variable];
  jet.first[static_cast<std::uint32_t>(position_.size()) + variable] = 1;
  return scalar(std::move(jet), Made::state);
}

// Algebra

Scalar Rationals::sum(std::span<const Operand<Scalar>> terms, const Syntax& whole) const {
  Jet out;
  Made made = Made::plain;
  for (const Operand<Scalar>& term : terms) {
    const Jet& one = jet(term.value);
    made = std::max(made, term.value.made);
    const Number factor = term.inverse ? -1 : 1;
    if (!is_rational(one)) {
      if (out.value.factor.sign() == 0) out.value.radicand = one.value.radicand;
      // sqrt(8) is 2 sqrt(2): roots whose quotient is rational are of one kind.
      const std::optional<Number> ratio = (one.value.radicand / out.value.radicand).root(2);
      if (!ratio) {
        refuse(whole,
               fmt::format("`{}` cannot be weighed: it is made of two different square roots", formulas_.text(whole)));
      }
      out.value.factor += factor * *ratio * one.value.factor;
    }
    add(out, one, factor);
  }
  return scalar(std::move(out), made);
}

Scalar Rationals::product(std::span<const Operand<Scalar>> factors, const Syntax& whole) const {
  Jet out;
  out.value.rational = 1;
  Made made = Made::plain;
  for (const Operand<Scalar>& factor : factors) {
    Jet one = jet(factor.value);
    made = std::max(made, factor.value.made);
    if (factor.inverse) {
      if (!is_rational(one)) {
        throw formulas_.error(one.offset, fmt::format("in exact arithmetic {}", one.reason));
      }
      const Number& below = one.value.rational;
      if (below.sign() == 0) {
        const Syntax& at = factor.source != nullptr ? *factor.source : whole;
        const std::string text(formulas_.text(at));
        const bool speed = text.starts_with("norm(") && text.find('\'') != std::string::npos;
        throw formulas_.error(
            at,
            speed ? fmt::format("in exact arithmetic the speed `{}` is 0 and has no direction: what friction holds at "
                                "rest is told without it",
                                text)
                  : fmt::format("division by zero: `{}` is 0", text));
      }
      const Number inverse = 1 / below;
      Jet turned = chain(one, inverse, -inverse * inverse, 2 * inverse * inverse * inverse);
      if (one.blind) blind(turned, one);
      one = std::move(turned);
    }
    if (!is_rational(out) && !is_rational(one)) {
      throw formulas_.error(one.offset, fmt::format("in exact arithmetic {}", one.reason));
    }
    out = multiplied(out, one);
    if (out.value.rational.digits() > most_size) refuse(whole, "this number has too many digits");
  }
  return scalar(std::move(out), made);
}

Scalar Rationals::power(const Scalar& base, const Scalar& exponent, const Syntax& whole) const {
  const Made made = std::max(base.made, exponent.made);
  const Jet& u = jet(base);
  require_known(exponent);
  if (!is_constant(jet(exponent))) {
    refuse(whole, fmt::format("`{}` has irrational derivatives: its exponent changes", formulas_.text(whole)));
  }
  const Number& e = jet(exponent).value.rational;
  if (e == Number(1)) return {made, base.jet};
  if (e.sign() == 0) return constant(1, made);
  require_known(base);
  const Number& x = u.value.rational;

  // The exponent as a quotient of whole numbers.
  unsigned degree = 1;
  while (degree <= most_root && !(e * Number(static_cast<int>(degree))).is_whole()) ++degree;
  const double above = (e * Number(static_cast<int>(degree))).approximate();
  if (degree > most_root || std::abs(above) > most_exponent) {
    refuse(whole, fmt::format("exponents are whole numbers up to {}, or quotients with a denominator up to {}",
                              most_exponent, most_root));
  }
  if (degree == 2 && above == 1) {
    const std::array<Scalar, 1> argument = {base};
    return apply(Function::sqrt, argument, whole);
  }
  if (x.sign() == 0 && e.sign() < 0) {
    throw formulas_.error(
        whole, fmt::format("`{}` has no value: a negative power of zero is a division by zero", formulas_.text(whole)));
  }
  if (degree > 1 && x.sign() < 0) {
    throw formulas_.error(whole,
                          fmt::format("`{}` has no value: a negative number has no such power", formulas_.text(whole)));
  }
  const std::optional<Number> root = degree == 1 ? std::optional<Number>(x) : x.root(degree);
  if (!root) {
    refuse(whole, fmt::format("`{}` has no place: it is irrational here; ask without --exact, or choose data for which "
                              "the root is a fraction",
                              formulas_.text(whole)));
  }
  if (x.sign() != 0) {
    if (static_cast<double>(root->digits()) * std::abs(above) > static_cast<double>(most_size)) {
      refuse(whole, "this number has too many digits");
    }
    const Number g = root->power(static_cast<int>(above));
    return scalar(chain(u, g, e * g / x, e * (e - 1) * g / (x * x)), made);
  }
  // At zero: whole powers alone have derivatives of every order.
  if (degree > 1 && !is_constant(u)) refuse(whole, fmt::format("`{}` has no derivatives here", formulas_.text(whole)));
  return scalar(chain(u, 0, e == Number(1) ? 1 : 0, e == Number(2) ? 2 : 0), made);
}

Scalar Rationals::apply(Function function, std::span<const Scalar> arguments, const Syntax& whole) const {
  const Made made = largest(arguments);
  const std::string text = formulas_.text(whole);
  if (function == Function::table || function == Function::spline) {
    refuse(whole, fmt::format("there are no tables; `{}` is one", text));
  }
  for (const Scalar& argument : arguments) {
    if (function != Function::select || &argument == arguments.data()) require_known(argument);
  }
  const Jet& u = jet(arguments[0]);
  const Number& x = u.value.rational;
  const bool steady =
      std::all_of(arguments.begin(), arguments.end(), [](const Scalar& a) { return is_constant(jet(a)); });
  const auto at_corner = [&](bool is) {
    if (is && !steady) refuse(whole, fmt::format("the state lies on a corner of `{}`", text));
  };
  const auto x_of = [&](std::size_t k) -> const Number& { return jet(arguments[k]).value.rational; };

  // Functions with corners: the side on which the state lies.
  switch (function) {
    case Function::abs: {
      at_corner(x.sign() == 0);
      return scalar(chain(u, x.sign() < 0 ? -x : x, x.sign(), 0), made);
    }
    case Function::sign: at_corner(x.sign() == 0); return constant(x.sign(), made);
    case Function::step: at_corner(x.sign() == 0); return constant(x.sign() >= 0 ? 1 : 0, made);
    case Function::at_least: at_corner(x.sign() == 0); return constant(x.sign() >= 0 ? 1 : 0, made);
    case Function::below: at_corner(x.sign() == 0); return constant(x.sign() < 0 ? 1 : 0, made);
    case Function::both: return constant(x.sign() != 0 && x_of(1).sign() != 0 ? 1 : 0, made);
    case Function::either: return constant(x.sign() != 0 || x_of(1).sign() != 0 ? 1 : 0, made);
    case Function::select: return {made, arguments[x.sign() != 0 ? 1 : 2].jet};
    case Function::floor: at_corner(x.is_whole()); return constant(x.floor(), made);
    case Function::mod: {
      if (x_of(1).sign() == 0) {
        throw formulas_.error(whole, fmt::format("`{}` has no value: the remainder of a division by zero", text));
      }
      const Number turns = x / x_of(1);
      at_corner(turns.is_whole());
      Jet out = u;
      add(out, jet(arguments[1]), -turns.floor());
      return scalar(std::move(out), made);
    }
    case Function::min:
    case Function::max: {
      std::size_t best = 0;
      for (std::size_t k = 1; k < arguments.size(); ++k) {
        at_corner(x_of(k) == x_of(best));
        if (function == Function::min ? x_of(k) < x_of(best) : x_of(k) > x_of(best)) best = k;
      }
      return {made, arguments[best].jet};
    }
    case Function::clip: {
      at_corner(x == x_of(1) || x == x_of(2));
      return {made, arguments[x < x_of(1) ? 1 : (x > x_of(2) ? 2 : 0)].jet};
    }
    default: break;
  }

  if (function == Function::sqrt) {
    if (x.sign() < 0) {
      throw formulas_.error(
          whole, fmt::format("`{}` has no value: the square root of a negative number ({})", text, x.text()));
    }
    const std::optional<Number> root = x.root(2);
    if (root && (x.sign() > 0 || is_constant(u))) {
      if (is_constant(u)) return constant(*root, made);
      const Number slope = 1 / (2 * *root);
      return scalar(chain(u, *root, slope, -slope / (2 * x)), made);
    }
    Jet out;
    out.offset = whole.offset;
    if (!root) {
      out.value.factor = 1;
      out.value.radicand = x;
      out.reason = fmt::format(
          "`{}` is sqrt({}), which is irrational, and here more than its sign is needed: ask without --exact, write "
          "the "
          "condition by squares, or choose data for which the root is a fraction",
          text, x.text());
    } else {
      out.reason = fmt::format("`{}` is the root of zero here and has no gradient", text);
    }
    out.blind = true;
    return scalar(std::move(out), made);
  }
  if (function == Function::atan2 && x.sign() == 0 && x_of(1).sign() > 0) {
    const std::array<Operand<Scalar>, 2> quotient = {Operand<Scalar>{arguments[0], false, &whole},
                                                     Operand<Scalar>{arguments[1], true, &whole}};
    const std::array<Scalar, 1> argument = {product(quotient, whole)};
    return apply(Function::atan, argument, whole);
  }
  if (function == Function::acos && x == Number(1)) {
    if (steady) return constant(0, made);
    refuse(whole, fmt::format("`{}` has no derivatives here", text));
  }
  const auto* place = std::find_if(std::begin(places), std::end(places), [&](const RationalPlace& one) {
    return one.function == function && x == Number(one.at);
  });
  if (place != std::end(places)) return scalar(chain(u, place->value, place->slope, place->bend), made);
  if (function == Function::asin || function == Function::acos || function == Function::atan ||
      function == Function::atan2) {
    refuse(whole,
           fmt::format("`{}` has no place: all angles but 0 are irrational, also where their sine and cosine are "
                       "fractions; ask without --exact, or write the direction by its cosine and sine",
                       text));
  }
  refuse(whole,
         fmt::format("`{}` has no place: {} of {} is irrational; ask without --exact, or choose a state at which it "
                     "is a fraction",
                     text, name(function), x.text()));
}

}  // namespace zwang::model
