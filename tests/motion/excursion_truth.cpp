/// First excursions of random polynomials, held against the truth found by Sturm chains: coefficients count as exact.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <vector>

#include "motion/sturm.hpp"
#include "zwang/motion/excursion.hpp"

namespace zwang::motion::excursion_truth_tests {

namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

/// What is true of one polynomial, asked level by level.
class Truth {
 public:
  Truth(const std::vector<double>& c, double threshold) : c_(c), threshold_(threshold) {}

  [[nodiscard]] int zeros(double level, double a, double b) { return chain(level).zeros(a, b); }
  [[nodiscard]] int sign(double level, double x) const { return sign_at(shifted(c_, level), x); }
  /// -1 below the band, 0 in it, 1 above it.
  [[nodiscard]] int zone(double x) const {
    if (sign(threshold_, x) > 0) return 1;
    return sign(-threshold_, x) < 0 ? -1 : 0;
  }

 private:
  const SturmChain& chain(double level) {
    auto& slot = chains_[level];
    if (!slot) slot = std::make_unique<SturmChain>(shifted(c_, level));
    return *slot;
  }
  const std::vector<double>& c_;
  double threshold_;
  std::map<double, std::unique_ptr<SturmChain>> chains_;
};

/// Empty if the answer is the truth, else what is wrong with it.
std::string fault(const std::vector<double>& c, double h, double threshold, double from, const Excursion& answer) {
  using Kind = Excursion::Kind;
  Truth truth(c, threshold);
  const int start = truth.zone(from);
  const double near = 4 * eps * h;
  const double a = std::max(answer.at - near, from);
  const double b = std::min(answer.at + near, h);
  // Downward passages through -threshold that are nobody's business: the one of a polynomial that starts in the band.
  const auto visits_before = [&](double x) {
    const int passages = truth.zeros(-threshold, from, x);
    if (truth.zone(x) < 0) return passages == (start < 0 ? 0 : 1);
    return start < 0 ? passages == 1 : passages == 0 || passages == 2;
  };

  if (start > 0) return answer.kind == Kind::crossing && answer.at == from ? "" : "above from the start";
  if (answer.kind == Kind::none) {
    if (truth.zeros(threshold, from, h) > 0) return "an excursion was missed";
    if (truth.zone(h) >= 0) return "none, yet in the band at the end";
    return visits_before(h) ? "" : "a graze was missed";
  }
  if (answer.at < from || answer.at > h) return "outside the interval";
  if (answer.kind == Kind::crossing) {
    if (truth.zeros(threshold, from, a) > 0) return "there is an earlier excursion";
    if (!visits_before(a)) return "there is an earlier graze";
    if (answer.at > from) {
      if (truth.zeros(0, a, b) == 0 && truth.sign(0, a) != 0) return "no zero there";
    } else if (truth.sign(0, from) < 0) {
      return "a zero at the start that is none";
    }
    // The rise that follows: the first point above the threshold, and no zero in between.
    double beyond = h;
    for (int j = 60; j >= 0; --j) {
      beyond = std::min(h, b + std::ldexp(h - b, -j));
      if (truth.zone(beyond) > 0) break;
    }
    if (truth.zone(beyond) <= 0 && truth.zeros(threshold, b, h) == 0 && truth.zone(b) <= 0)
      return "no excursion follows";
    double low = b;
    while (truth.zeros(threshold, low, beyond) != 1 || truth.zone(beyond) <= 0) {
      const double middle = low + (beyond - low) / 2;
      if (middle <= low || middle >= beyond) break;
      (truth.zeros(threshold, low, middle) > 0 ? beyond : low) = middle;
    }
    return truth.zeros(0, b, beyond) == 0 ? "" : "not the last zero before the excursion";
  }
  if (answer.kind == Kind::pending) {
    if (truth.zeros(threshold, from, h) > 0) return "pending, yet there is an excursion";
    if (truth.zone(h) != 0) return "pending, yet not in the band at the end";
    const int passages = truth.zeros(-threshold, from, h);
    if (answer.at == from) return start == 0 && passages == 0 ? "" : "pending from the start, yet it left the band";
    if (truth.zeros(-threshold, a, b) == 0) return "it does not enter the band there";
    return passages == (start < 0 ? 1 : 2) ? "" : "a graze was missed before pending";
  }
  // A graze: below before and after, in the band between, nowhere higher.
  if (truth.zone(answer.at) != 0) return "the maximum of a graze is not in the band";
  double left = from;
  double right = h;
  if (truth.zeros(-threshold, from, answer.at) == 0 || truth.zeros(-threshold, answer.at, h) == 0)
    return "a graze that does not come from below or stays";
  // Other visits may be near: the last entry before, the first exit after.
  for (double beyond = answer.at; truth.zeros(-threshold, left, answer.at) > 1;) {
    const double middle = left + (beyond - left) / 2;
    (truth.zeros(-threshold, middle, answer.at) > 0 ? left : beyond) = middle;
  }
  for (double before = answer.at; truth.zeros(-threshold, answer.at, right) > 1;) {
    const double middle = before + (right - before) / 2;
    (truth.zeros(-threshold, answer.at, middle) > 0 ? right : before) = middle;
  }
  if (truth.zone(left) >= 0 || truth.zone(right) >= 0) return "a graze that does not come from below or stays";
  if (truth.zeros(threshold, from, right) > 0) return "a graze after an excursion";
  if (!visits_before(left)) return "there is an earlier graze";
  double higher = 0;
  for (std::size_t k = c.size(); k-- > 0;) higher = higher * answer.at + c[k];
  higher += 8 * eps * terms(c, h);
  return truth.zeros(higher, left, right) == 0 ? "" : "the graze is higher elsewhere";
}

/// A random polynomial with pairs of zeros as near to each other as rounding allows to ask.
struct Case {
  std::vector<double> c;
  double h = 1;
  double threshold = 0;
  double from = 0;
};

/// `low` prefers low degrees, for which the truth is soon found.
Case random_case(std::mt19937_64& draw, bool low) {
  const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(draw); };
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  Case out;
  const int degree = 1 + (low ? std::min(below(25), below(25)) : below(25));
  out.h = below(4) == 0 ? std::pow(10, uniform(-3, 2)) : 1;
  std::vector<long double> p{1};
  const auto times = [&](std::initializer_list<long double> factor) {
    std::vector<long double> product(p.size() + factor.size() - 1, 0);
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = 0; j < factor.size(); ++j) product[i + j] += p[i] * factor.begin()[j];
    p = product;
  };
  // Zeros on the interval, in pairs at distances of all orders; the rest far away, so that terms fall off as in a series.
  int left = degree;
  int wanted = below(4);
  while (left > 0) {
    if (wanted-- > 0) {
      const long double at = uniform(0, 1);
      const long double gap = std::pow(10, uniform(-16, -1));
      const int shape = left >= 2 ? below(4) : 0;
      if (shape == 0) {
        times({-at, 1});
      } else if (shape == 1) {
        times({at * at + gap * gap, -2 * at, 1});  // just off the real axis
      } else {
        times({at * (at + gap), -2 * at - gap, 1});
      }
      left -= shape == 0 ? 1 : 2;
    } else if (left >= 2) {
      const long double re = uniform(-3, 3);
      const long double im = uniform(below(3) == 0 ? 0.01 : 1.5, 4);
      const long double size = re * re + im * im;
      times({1, -2 * re / size, 1 / size});
      left -= 2;
    } else {
      times({1, (below(2) == 0 ? 1 : -1) / static_cast<long double>(uniform(1.5, 6))});
      --left;
    }
  }
  if (below(8) != 0 ? p[0] > 0 : below(2) == 0)
    for (auto& x : p) x = -x;
  const double size = std::pow(10, uniform(-5, 5));
  long double power = size;
  for (const auto x : p) {
    out.c.push_back(static_cast<double>(x * power));
    power /= out.h;
  }
  // Lift or lower by a few thresholds, so that many extrema lie near the edges of the band; or start at zero.
  const double least = 64 * eps * terms(out.c, out.h);
  if (below(3) == 0) out.threshold = least * std::pow(10, uniform(0, 9));
  const double band = std::max(out.threshold, least);
  switch (below(8)) {
    case 0: out.c[0] += band * uniform(-2, 2); break;
    case 1: out.c[0] = 0; break;
    case 2: out.c[0] = band * uniform(-1.5, 1.5); break;
    case 4: {
      // A maximum at an edge of the band, up to the last digits.
      const auto value = [&](double at) {
        double sum = 0;
        for (std::size_t k = out.c.size(); k-- > 0;) sum = sum * at + out.c[k];
        return sum;
      };
      double top = 0;
      for (int k = 1; k < 256; ++k) top = value(out.h * k / 256) > value(top) ? out.h * k / 256 : top;
      for (double reach = out.h / 256; reach > 1e-9 * out.h; reach /= 2) {
        if (value(top + reach) > value(top)) top += reach;
        if (value(top - reach) > value(top)) top -= reach;
      }
      const double edge = below(2) == 0 ? 1 : -1;
      for (int round = 0; round < 3; ++round) {
        const double now = std::max(out.threshold, 64 * eps * terms(out.c, out.h));
        out.c[0] -= value(top) - edge * now;
      }
      out.c[0] += eps * terms(out.c, out.h) * edge * std::pow(10, uniform(-2, 0.5)) * (below(2) == 0 ? 1 : -1);
      break;
    }
    case 3: {
      // End in the band, or nearly so.
      double end = 0;
      for (std::size_t k = out.c.size(); k-- > 0;) end = end * out.h + out.c[k];
      out.c[0] -= end + band * uniform(-2, 2);
      break;
    }
    default: break;
  }
  if (below(5) == 0) out.from = out.h * uniform(0, 1);
  return out;
}

struct Tally {
  std::map<Excursion::Kind, int> kinds;
  int wrong = 0;
};

Tally judge(std::uint64_t seed, int count, bool low) {
  std::mt19937_64 draw(seed);
  Tally tally;
  for (int round = 0; round < count; ++round) {
    const auto now = random_case(draw, low);
    const auto answer = first_excursion(now.c, now.h, now.threshold, now.from);
    const double least = 64 * eps * terms(now.c, now.h);
    const auto wrong = fault(now.c, now.h, std::max(now.threshold, least), now.from, answer);
    ++tally.kinds[answer.kind];
    if (wrong.empty()) continue;
    ++tally.wrong;
    std::ostringstream text;
    text.precision(17);
    text << wrong << ": kind " << static_cast<int>(answer.kind) << " at " << answer.at << ", h " << now.h
         << ", threshold " << now.threshold << ", from " << now.from << "\nc";
    for (const double x : now.c) text << ' ' << x << ',';
    ADD_FAILURE() << text.str();
    if (tally.wrong > 5) break;
  }
  return tally;
}

/// All four answers must really occur.
void expect_variety(const Tally& tally, int count) {
  using Kind = Excursion::Kind;
  const std::array<std::pair<Kind, double>, 4> shares{
      {{Kind::none, 0.1}, {Kind::crossing, 0.2}, {Kind::graze, 0.01}, {Kind::pending, 0.01}}};
  for (const auto& [kind, share] : shares) {
    const auto found = tally.kinds.find(kind);
    EXPECT_GE(found == tally.kinds.end() ? 0 : found->second, share * count) << static_cast<int>(kind);
  }
}

}  // namespace

TEST(SturmChain, counts_zeros_that_are_known) {
  // (x - 1)^2 (x - 2)(x - 3) x^2: distinct zeros 0, 1, 2, 3.
  const std::vector<double> c{0, 0, 6, -17, 17, -7, 1};
  const SturmChain chain(shifted(c, 0));
  EXPECT_EQ(chain.zeros(-1, 4), 4);
  EXPECT_EQ(chain.zeros(0.5, 2), 2);
  EXPECT_EQ(chain.zeros(2, 2.5), 0);
  EXPECT_EQ(chain.zeros(2.5, 3), 1);
}

TEST(Excursion, of_random_polynomials_with_close_zeros_is_the_true_first_one) {
  const int count = 1000;
  expect_variety(judge(1899, count, true), count);
}

TEST(Excursion, of_random_polynomials_of_high_degree_is_the_true_first_one) {
  const int count = 250;
  expect_variety(judge(1829, count, false), count);
}

TEST(ExcursionSoak, of_a_hundred_thousand_random_polynomials_is_the_true_first_one) {
  const int count = 100000;
  expect_variety(judge(1829, count, false), count);
}

}  // namespace zwang::motion::excursion_truth_tests
