/// What a fit says about parameters that it could not find.
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/sensitivity/fit.hpp"
#include "zwang/sensitivity/tolerances.hpp"

namespace zwang::sensitivity {

namespace {

/// A small whole number, if it is one but for rounding.
std::optional<int> small_number(double x) {
  constexpr double most = 4;
  const double whole = std::round(x);
  if (!(std::abs(x - whole) <= no_part * std::abs(x)) || whole == 0 || std::abs(whole) > most) return std::nullopt;
  return static_cast<int>(whole);
}

std::string power(const std::string& name, int exponent) {
  return exponent == 1 ? name : name + "^" + std::to_string(exponent);
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < names.size(); ++k)
    out += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return out;
}

}  // namespace

std::string counts_only_as(const Undetermined& one) {
  if (one.parameters.size() != 2 || one.along == Undetermined::Along::first_order) return {};
  const bool sum = one.along == Undetermined::Along::differences;
  const std::vector<double>& change = sum ? one.direction : one.in_parts;
  // a^m b^n stays where m times the change of a and n times that of b are opposite.
  int m = 1;
  int n = 1;
  if (const std::optional<int> second = small_number(-change[0] / change[1])) {
    n = *second;
  } else if (const std::optional<int> first = small_number(-change[1] / change[0])) {
    m = std::abs(*first);
    n = *first > 0 ? 1 : -1;
  } else {
    return {};
  }
  const std::string& a = one.parameters[0];
  const std::string& b = one.parameters[1];
  if (!sum) return power(a, m) + (n > 0 ? "*" : "/") + power(b, std::abs(n));
  const auto times = [](int factor, const std::string& name) {
    return factor == 1 ? name : std::to_string(factor) + "*" + name;
  };
  return times(m, a) + (n > 0 ? " + " : " - ") + times(std::abs(n), b);
}

std::string words(const Undetermined& one) {
  if (one.ran_away) {
    return "the values do not determine " + one.parameters[0] +
           ": it has run away, to where nothing that was measured depends on it any more";
  }
  if (one.parameters.size() == 1) {
    return "the values do not determine " + one.parameters[0] + ": " +
           (one.along == Undetermined::Along::first_order
                ? "to first order nothing that was measured changes with it here"
                : "nothing that was measured depends on it");
  }
  const std::string only = counts_only_as(one);
  if (!only.empty()) return "the values do not determine " + listed(one.parameters) + ", only " + only;
  std::string out = "the values do not determine " + listed(one.parameters) + ": they stay the same ";
  if (one.along == Undetermined::Along::first_order) out += "to first order ";
  out += "while";
  const bool parts = one.along == Undetermined::Along::proportions;
  for (std::size_t k = 0; k < one.parameters.size(); ++k) {
    const double change = parts ? one.in_parts[k] / one.in_parts[0] : one.direction[k] / one.direction[0];
    out += (k == 0                           ? " "
            : k + 1 == one.parameters.size() ? " and "
                                             : ", ") +
           one.parameters[k] + (k == 0 ? " changes by " : " by ") + readable(change, 4) + (parts ? " %" : "");
  }
  return out;
}

std::string words_about_bound(const FittedParameter& one) {
  if (!one.bound) return {};
  const ReachedBound& bound = *one.bound;
  std::string out =
      "the values want " + one.name + (bound.upper ? " above " : " below ") + readable(bound.at, 10) + ", ";
  out +=
      bound.why.empty() ? "out of the range that was asked for" : "where the model has no meaning (" + bound.why + ")";
  return out + ": it is held there and has no deviation";
}

}  // namespace zwang::sensitivity
