/// Zeros counted without any rounding: Sturm chains of integers.
///
///   p_0 = p, p_1 = p', p_{i+1} = -(p_{i-1} mod p_i) up to a positive factor;
///   V(a) - V(b) = number of distinct zeros in (a, b], V the changes of sign along the chain.
///
/// Factors are those of the subresultants (Collins; Brown and Traub 1971), taken positive, so that numbers stay short.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace zwang::motion {

using Integer = boost::multiprecision::cpp_int;
using IntegerPolynomial = std::vector<Integer>;

/// x = mantissa 2^exponent.
struct Binary {
  Integer mantissa;
  int exponent = 0;
};

inline Binary exactly(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))), exponent - 53};
}

/// The sign of p(x).
inline int sign_at(const IntegerPolynomial& p, double x) {
  const auto at = exactly(x);
  Integer sum = 0;
  if (at.exponent >= 0) {
    const Integer whole = at.mantissa << at.exponent;
    for (std::size_t k = p.size(); k-- > 0;) sum = sum * whole + p[k];
  } else {
    const auto shift = static_cast<unsigned>(-at.exponent);
    for (std::size_t k = p.size(); k-- > 0;) sum = sum * at.mantissa + (p[k] << (shift * (p.size() - 1 - k)));
  }
  return sum.sign();
}

class SturmChain {
 public:
  explicit SturmChain(IntegerPolynomial p) {
    trim(p);
    if (p.empty()) return;
    IntegerPolynomial derivative;
    for (std::size_t k = 1; k < p.size(); ++k) derivative.push_back(p[k] * k);
    chain_.push_back(std::move(p));
    if (derivative.empty()) return;
    chain_.push_back(std::move(derivative));
    Integer psi = 1;
    Integer beta = 1;
    while (true) {
      const auto& f = chain_[chain_.size() - 2];
      const auto& g = chain_.back();
      const std::size_t drop = f.size() - g.size();
      const Integer lead = abs(g.back());
      auto rest = remainder(f, g);
      if (rest.empty()) return;
      for (auto& x : rest) x = -x / beta;
      // psi_{i+1} = lead^d psi^{1 - d}, beta_{i+1} = lead psi_{i+1}^{d'} with d' the next drop.
      Integer next = power(lead, drop);
      if (drop > 1) next /= power(psi, drop - 1);
      if (drop == 0) next = psi;
      psi = next;
      beta = lead * power(psi, g.size() - rest.size());
      chain_.push_back(std::move(rest));
    }
  }

  /// Distinct zeros in (a, b].
  [[nodiscard]] int zeros(double a, double b) const { return a < b ? variations(a) - variations(b) : 0; }
  [[nodiscard]] int sign(double x) const { return chain_.empty() ? 0 : sign_at(chain_.front(), x); }

 private:
  static void trim(IntegerPolynomial& p) {
    while (!p.empty() && p.back() == 0) p.pop_back();
  }
  static Integer power(const Integer& x, std::size_t k) { return pow(x, static_cast<unsigned>(k)); }

  /// |lead g|^{deg f - deg g + 1} f mod g.
  static IntegerPolynomial remainder(IntegerPolynomial f, const IntegerPolynomial& g) {
    const Integer lead = abs(g.back());
    const bool negative = g.back() < 0;
    std::size_t rounds = f.size() - g.size() + 1;
    while (f.size() >= g.size()) {
      const Integer top = negative ? Integer(-f.back()) : f.back();
      const std::size_t shift = f.size() - g.size();
      for (auto& x : f) x *= lead;
      for (std::size_t k = 0; k < g.size(); ++k) f[k + shift] -= top * g[k];
      --rounds;
      const std::size_t before = f.size();
      trim(f);
      if (f.size() == before) break;
    }
    for (; rounds > 0 && !f.empty(); --rounds)
      for (auto& x : f) x *= lead;
    return f;
  }

  [[nodiscard]] int variations(double x) const {
    const auto found = known_.find(x);
    if (found != known_.end()) return found->second;
    int count = 0;
    int last = 0;
    for (const auto& p : chain_) {
      const int next = sign_at(p, x);
      if (next != 0 && last != 0 && next != last) ++count;
      if (next != 0) last = next;
    }
    known_[x] = count;
    return count;
  }

  std::vector<IntegerPolynomial> chain_;
  mutable std::map<double, int> known_;
};

/// p - level as integers, up to a positive factor.
inline IntegerPolynomial shifted(std::span<const double> c, double level) {
  int least = 0;
  for (const double x : c)
    if (x != 0) least = std::min(least, exactly(x).exponent);
  if (level != 0) least = std::min(least, exactly(level).exponent);
  IntegerPolynomial p(c.size());
  const auto lifted = [&](double x) -> Integer {
    if (x == 0) return 0;
    const auto at = exactly(x);
    return at.mantissa << (at.exponent - least);
  };
  for (std::size_t k = 0; k < c.size(); ++k) p[k] = lifted(c[k]);
  p[0] -= lifted(level);
  return p;
}

}  // namespace zwang::motion
