/// What stands behind a Number; only the sources of this room include it, since the headers of the library are slow to compile.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include "zwang/rational/number.hpp"

namespace zwang::rational {

// Without expression templates: the numbers are small, and the code is read more easily.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>, boost::multiprecision::et_off>;
using Fraction =
    boost::multiprecision::number<boost::multiprecision::rational_adaptor<boost::multiprecision::cpp_int_backend<>>,
                                  boost::multiprecision::et_off>;

struct Number::Value {
  Fraction fraction;
};

[[nodiscard]] inline const Fraction& fraction(const Number& number) { return number.value().fraction; }
[[nodiscard]] inline Number number(Fraction fraction) {
  Number out;
  out.value().fraction = std::move(fraction);
  return out;
}

}  // namespace zwang::rational
