/// The first excursion above zero, proved in Bernstein form.
///
///   p(x) = sum_i B_i beta_i(x) on [l, r],  beta_i >= 0,  sum beta_i = 1:   min B <= p <= max B,
///   p' has the sign of B_{i+1} - B_i if they all have one.
///
/// Pieces are taken from left to right and halved until each lies wholly on one side of -threshold and of +threshold, or is
/// monotone, so that its ends decide. Every B carries a bound of its rounding error; where that bound leaves a piece
/// open, the whole is done again with twice the digits.
///
/// Symbols: s time, x = s/H with H a power of two, tau = h/H in (1/2, 1], b_k = c_k H^k, t_k = b_k tau^k, n degree,
/// u = eps/2. Reference: docs/mathematics, section 11.
#include "zwang/motion/excursion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "zwang/motion/double_double.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

constexpr std::size_t largest_degree = 63;  ///< without allocation

/// The polynomial in x, its digits untouched: all factors are powers of two.
struct Scaled {
  std::array<double, largest_degree + 1> room;
  std::vector<double> more;
  const double* b = nullptr;
  std::size_t n = 0;
  double from = 0;
  double tau = 0;
  double unit = 1;  ///< H
  double threshold = 0;
};

/// p(x) by Horner's rule with every rounding error carried along; error below 4 n^2 u^2 sum |b_k| x^k.
DoubleDouble value(const Scaled& p, double x) {
  if (x == 0) return {p.b[0], 0};
  double sum = p.b[p.n];
  double rest = 0;
  for (std::size_t k = p.n; k-- > 0;) {
    const DoubleDouble product = exact_product(sum, x);
    const DoubleDouble next = exact_sum(product.high, p.b[k]);
    rest = rest * x + (product.low + next.low);
    sum = next.high;
  }
  return exact_sum(sum, rest);
}

/// p'(x) with twice the digits.
DoubleDouble slope(const Scaled& p, double x) {
  DoubleDouble sum{0, 0};
  for (std::size_t k = p.n; k > 0; --k) sum = sum * x + exact_product(p.b[k], static_cast<double>(k));
  return sum;
}

/// p(x) in plain numbers.
double plain_value(const Scaled& p, double x) {
  double sum = p.b[p.n];
  for (std::size_t k = p.n; k-- > 0;) sum = sum * x + p.b[k];
  return sum;
}

/// The zero of p - level in [left, right], where p - level goes from -direction to direction.
double solve(const Scaled& p, double level, double left, double right, int direction) {
  // Newton's method in plain numbers, from the chord, kept within the bracket.
  const double at_left = plain_value(p, left) - level;
  const double at_right = plain_value(p, right) - level;
  double x = at_right != at_left ? left - at_left * ((right - left) / (at_right - at_left)) : left;
  x = std::clamp(x, left, right);
  double derivative = 0;
  double change = 1;  // of the derivative over the last step but one, relative
  for (int round = 0; round < 12; ++round) {
    double sum = p.b[p.n];
    double rate = 0;
    for (std::size_t k = p.n; k-- > 0;) {
      rate = rate * x + sum;
      sum = sum * x + p.b[k];
    }
    if (!(rate * direction > 0)) break;
    change = std::abs(rate - derivative) / std::abs(rate);
    derivative = rate;
    const double next = std::clamp(x - (sum - level) / rate, left, right);
    const double step = std::abs(next - x);
    x = next;
    if (step <= settled_root * x) break;
  }

  // The same with accurate values: each one also narrows the bracket. A step shrinks the error at least by `change`; once
  // that leaves less than a quarter of the last digit, the zero is found. Where it does not settle, bisection does.
  for (int round = 0; round < 200; ++round) {
    const DoubleDouble miss = value(p, x) - level;
    const int side = sign(miss) * direction;
    if (side == 0) return x;
    (side < 0 ? left : right) = x;
    const double middle = left + (right - left) / 2;
    if (middle <= left || middle >= right) return right;
    const double next = x - miss.high / derivative;
    if (round < 6 && derivative * direction > 0) {
      if (std::abs(next - x) * std::max(change, eps) <= eps / 4 * x) return std::clamp(next, left, right);
      x = next > left && next < right ? next : middle;
    } else {
      x = middle;
    }
  }
  return x;
}

// ---- Bernstein form --------------------------------------------------------------------------------------------------

/// What differs between one double and two: the unit of rounding, how deep to halve.
template <typename Real>
struct Precision;
template <>
struct Precision<double> {
  static constexpr double unit = eps / 2;
  static constexpr std::size_t depth = 40;
  static double number(double x) { return x; }
  static double ratio(double a, double b) { return a / b; }
  static double lead(double x) { return x; }
};
template <>
struct Precision<DoubleDouble> {
  static constexpr double unit = 0x1p-100;
  static constexpr std::size_t depth = 60;
  static DoubleDouble number(double x) { return {x, 0}; }
  static DoubleDouble ratio(double a, double b) { return quotient(a, b); }
  static double lead(DoubleDouble x) { return x.high; }
};

/// A piece [left, right] with n + 1 coefficients B, each off by no more than `error`.
template <typename Real>
struct Patch {
  Real* B = nullptr;
  double left = 0;
  double right = 0;
  double error = 0;
};

/// Least and largest of B and of B_{i+1} - B_i.
template <typename Real>
struct Extent {
  Real least;
  Real most;
  Real least_rise;
  Real most_rise;
};

template <typename Real>
Extent<Real> extent(const Patch<Real>& patch, std::size_t n) {
  const Real* B = patch.B;
  const Real zero = Precision<Real>::number(0);
  Extent<Real> out{B[0], B[0], zero, zero};
  if (n > 0) out.least_rise = out.most_rise = B[1] - B[0];
  for (std::size_t i = 1; i <= n; ++i) {
    const Real rise = B[i] - B[i - 1];
    out.least = B[i] < out.least ? B[i] : out.least;
    out.most = out.most < B[i] ? B[i] : out.most;
    out.least_rise = rise < out.least_rise ? rise : out.least_rise;
    out.most_rise = out.most_rise < rise ? rise : out.most_rise;
  }
  return out;
}

/// Patches one above the other; the uppermost is the one at hand.
template <typename Real>
class Pile {
 public:
  /// The whole of [left, right].
  Pile(const Scaled& p, double left, double right) : n_(p.n) {
    // Terms at the end that the rounding of the others swallows are dropped, for one double only.
    double power = 1;
    double size = 0;
    std::array<double, largest_degree + 1> few;
    std::vector<double> many;
    double* t = few.data();
    if (p.n > largest_degree) {
      many.resize(p.n + 1);
      t = many.data();
    }
    for (std::size_t k = 0; k <= p.n; ++k, power *= right) size += t[k] = std::abs(p.b[k]) * power;
    double error = 0;
    if constexpr (Precision<Real>::unit > 0x1p-60)
      while (n_ > 0 && error + t[n_] <= eps * size) error += t[n_--];

    if (n_ > largest_degree) more_.resize((n_ + 1) * (Precision<Real>::depth + 2));
    stride_ = n_ + 1;
    Real* B = coefficients(0);

    // Horner's rule on coefficients: q = b + x q has degree m and B_i = b + (i/m) B_{i-1}. Term k meets 5 k + 2 roundings.
    std::array<Real, largest_degree + 1> powers;
    std::vector<Real> more_powers;
    Real* tau_to = powers.data();
    if (n_ > largest_degree) {
      more_powers.resize(n_ + 1);
      tau_to = more_powers.data();
    }
    tau_to[0] = Precision<Real>::number(1);
    for (std::size_t k = 1; k <= n_; ++k) tau_to[k] = tau_to[k - 1] * right;
    double loss = 0;
    for (std::size_t m = 0; m <= n_; ++m) {
      const std::size_t k = n_ - m;
      const Real term = tau_to[k] * p.b[k];
      const Real part = m > 0 ? Precision<Real>::ratio(1, static_cast<double>(m)) : term;
      for (std::size_t i = m; i > 0; --i) B[i] = term + B[i - 1] * (part * static_cast<double>(i));
      B[0] = term;
      loss += t[k] * static_cast<double>(6 * (k + 1));
    }
    top_ = {B, 0, right, 1.01 * (error + loss * Precision<Real>::unit) + tiny};

    // The left end moves from 0 by de Casteljau's scheme, which leaves the right part in place.
    if (left > 0) {
      const Real share = Precision<Real>::ratio(left, right);
      const Real other = Precision<Real>::number(1) - share;
      add_rounding(4);
      for (std::size_t j = 1; j <= n_; ++j)
        for (std::size_t i = 0; i + j <= n_; ++i) B[i] = B[i] * other + B[i + 1] * share;
      top_.left = left;
    }
  }

  [[nodiscard]] const Patch<Real>& top() const { return top_; }
  [[nodiscard]] std::size_t degree() const { return n_; }
  [[nodiscard]] std::size_t depth() const { return depth_[height_]; }
  [[nodiscard]] bool may_halve() const { return depth_[height_] < Precision<Real>::depth; }

  /// The uppermost patch is replaced by its two halves, the left one (or the right one) above.
  void halve(bool right_first = false) {
    Real* old = top_.B;
    Real* fresh = coefficients(height_ + 1);
    add_rounding(1);
    const Real half = Precision<Real>::number(0.5);
    if (right_first) {
      // fresh receives the right part, the left one stays.
      fresh[n_] = old[n_];
      for (std::size_t j = 1; j <= n_; ++j) {
        for (std::size_t i = n_; i >= j; --i) old[i] = (old[i - 1] + old[i]) * half;
        fresh[n_ - j] = old[n_];
      }
    } else {
      fresh[0] = old[0];
      for (std::size_t j = 1; j <= n_; ++j) {
        for (std::size_t i = 0; i + j <= n_; ++i) old[i] = (old[i] + old[i + 1]) * half;
        fresh[j] = old[0];
      }
    }
    const double middle = top_.left + (top_.right - top_.left) / 2;
    Patch<Real> below = top_;
    (right_first ? below.right : below.left) = middle;
    below_[height_] = below;
    depth_[height_] += 1;
    depth_[height_ + 1] = depth_[height_];
    ++height_;
    top_.B = fresh;
    (right_first ? top_.left : top_.right) = middle;
  }

  /// Done with the uppermost patch. False if it was the last.
  bool drop() {
    if (height_ == 0) return false;
    --height_;
    top_ = below_[height_];
    return true;
  }

 private:
  static constexpr double tiny = 0x1p-1000;

  Real* coefficients(std::size_t level) { return (more_.empty() ? room_.data() : more_.data()) + level * stride_; }

  /// Each of the n rounds of de Casteljau's scheme rounds `times` times, on numbers not above the largest.
  void add_rounding(double times) {
    double largest = 0;
    for (std::size_t i = 0; i <= n_; ++i) largest = std::max(largest, std::abs(Precision<Real>::lead(top_.B[i])));
    top_.error += 1.01 * times * static_cast<double>(n_) * Precision<Real>::unit * largest;
  }

  std::size_t n_;
  std::size_t stride_ = 0;
  std::size_t height_ = 0;
  Patch<Real> top_;
  std::array<Patch<Real>, Precision<Real>::depth + 2> below_;
  std::array<std::size_t, Precision<Real>::depth + 2> depth_{};
  std::array<Real, (largest_degree + 1) * (Precision<Real>::depth + 2)> room_;
  std::vector<Real> more_;
};

// ---- what happens from left to right ---------------------------------------------------------------------------------

/// The last point of [left, right] from which p, which is not negative at `right`, rises; `left` if it never was negative.
double last_zero(const Scaled& p, double left, double right) {
  if (!(left < right)) return right;
  Pile<DoubleDouble> pile(p, left, right);
  do {
    while (true) {
      const auto& patch = pile.top();
      const auto size = extent(patch, pile.degree());
      if (size.least.high > patch.error) break;
      const bool monotone = size.least_rise.high > 2 * patch.error || size.most_rise.high < -2 * patch.error;
      const bool flat = !((size.most - size.least).high > 2 * patch.error);
      if (!monotone && !flat && pile.may_halve()) {
        pile.halve(true);
        continue;
      }
      if (sign(value(p, patch.left)) < 0) return solve(p, 0, patch.left, patch.right, 1);
      break;
    }
  } while (pile.drop());
  return left;
}

/// Where p is largest on [left, right].
double peak(const Scaled& p, double left, double right) {
  if (!(left < right)) return left;
  double best_x = left;
  DoubleDouble best = value(p, left);
  const auto offer = [&](double x) {
    const DoubleDouble y = value(p, x);
    if (best < y) best = y, best_x = x;
  };
  offer(right);
  Pile<DoubleDouble> pile(p, left, right);
  do {
    while (true) {
      const auto& patch = pile.top();
      const auto size = extent(patch, pile.degree());
      if (!(best < size.most + patch.error)) break;

      // Once up and once down: the zero of p' by bisection. Steps below the rounding have no sign.
      int changes = 0;
      int last = 1;
      for (std::size_t i = 1; i <= pile.degree(); ++i) {
        const DoubleDouble rise = patch.B[i] - patch.B[i - 1];
        const int next = std::abs(rise.high) > 2 * patch.error ? sign(rise) : 0;
        if (next != 0 && next != last) ++changes, last = next;
      }
      if (changes == 1 || !pile.may_halve()) {
        double a = patch.left;
        double b = patch.right;
        for (double middle = a + (b - a) / 2; middle > a && middle < b; middle = a + (b - a) / 2)
          (sign(slope(p, middle)) > 0 ? a : b) = middle;
        offer(a);
        offer(b);
        break;
      }
      if (changes == 0) {
        offer(patch.right);
        break;
      }
      pile.halve();
    }
  } while (pile.drop());
  return best_x;
}

enum class Zone : std::uint8_t { below, band, above };

Zone zone_of(const Scaled& p, double x) {
  const DoubleDouble y = value(p, x);
  if (sign(y - p.threshold) > 0) return Zone::above;
  return sign(y + p.threshold) < 0 ? Zone::below : Zone::band;
}

/// The story so far, told piece by piece until something has happened.
class Story {
 public:
  explicit Story(const Scaled& p) : p_(p), zone_(zone_of(p, p.from)), entered_(p.from), started_(zone_ == Zone::band) {
    if (zone_ == Zone::above) finish(Excursion::Kind::crossing, p.from);
  }

  [[nodiscard]] bool over() const { return answer_.has_value(); }

  /// On a piece where p is monotone, or does not leave the zone it ends in: from the present zone into another.
  void go(double left, double right, Zone end) {
    const double threshold = p_.threshold;
    if (zone_ == end) return;
    if (zone_ == Zone::below && end == Zone::band) {
      entered_ = solve(p_, -threshold, left, right, 1);
      started_ = false;
    } else if (zone_ == Zone::below) {
      finish(Excursion::Kind::crossing, solve(p_, 0, left, right, 1));
    } else if (end == Zone::above) {
      if (sign(value(p_, left)) < 0) {
        finish(Excursion::Kind::crossing, solve(p_, 0, left, right, 1));
      } else {
        finish(Excursion::Kind::crossing, last_zero(p_, entered_, left));
      }
    } else if (!started_) {
      finish(Excursion::Kind::graze, peak(p_, entered_, solve(p_, -threshold, left, right, -1)));
    }
    zone_ = end;
  }

  [[nodiscard]] Excursion end() {
    if (!over()) finish(zone_ == Zone::band ? Excursion::Kind::pending : Excursion::Kind::none, entered_);
    if (answer_->kind == Excursion::Kind::none) return {};
    Excursion told{answer_->kind, answer_->at * p_.unit, 0};
    if (told.kind == Excursion::Kind::pending && started_ && sign(value(p_, p_.from)) < 0 &&
        sign(value(p_, p_.tau)) > 0) {
      told.through = last_zero(p_, p_.from, p_.tau) * p_.unit;
    }
    return told;
  }

 private:
  void finish(Excursion::Kind kind, double x) { answer_ = {kind, x, 0}; }

  const Scaled& p_;
  Zone zone_;
  double entered_;
  bool started_;  ///< in the band since `from`
  std::optional<Excursion> answer_;
};

/// The story by halving; nothing if the digits do not suffice.
template <typename Real>
std::optional<Excursion> halving(const Scaled& p) {
  constexpr bool last_resort = Precision<Real>::unit < 0x1p-60;
  Story story(p);
  if (story.over()) return story.end();
  Pile<Real> pile(p, p.from, p.tau);
  const double threshold = p.threshold;
  const auto exceeds = [](const Real& y, double level, double margin) {
    return Precision<Real>::lead(y - level) > margin;
  };
  const auto falls_short = [](const Real& y, double level, double margin) {
    return Precision<Real>::lead(y - level) < -margin;
  };
  do {
    while (true) {
      const auto& patch = pile.top();
      const double error = patch.error;
      const auto size = extent(patch, pile.degree());

      // Wholly in one zone.
      if (falls_short(size.most, -threshold, error)) {
        story.go(patch.left, patch.right, Zone::below);
        break;
      }
      if (exceeds(size.least, threshold, error)) {
        story.go(patch.left, patch.right, Zone::above);
        break;
      }
      if (exceeds(size.least, -threshold, error) && falls_short(size.most, threshold, error)) {
        story.go(patch.left, patch.right, Zone::band);
        break;
      }

      // Monotone: the right end decides, by its coefficient or by an accurate value.
      const bool monotone = exceeds(size.least_rise, 0, 2 * error) || falls_short(size.most_rise, 0, 2 * error);
      const bool flat = !exceeds(size.most - size.least, 0, 2 * error);
      if (monotone || pile.degree() == 0 || (last_resort && (flat || !pile.may_halve()))) {
        const Real& last = patch.B[pile.degree()];
        Zone end = Zone::band;
        if (falls_short(last, -threshold, error)) {
          end = Zone::below;
        } else if (exceeds(last, threshold, error)) {
          end = Zone::above;
        } else if (!(exceeds(last, -threshold, error) && falls_short(last, threshold, error))) {
          end = zone_of(p, patch.right);
        }
        story.go(patch.left, patch.right, end);
        break;
      }

      // Halving cannot help where the coefficients differ by no more than their errors.
      if (!last_resort && (flat || !pile.may_halve())) return std::nullopt;
      pile.halve();
    }
    if (story.over()) return story.end();
  } while (pile.drop());
  return story.end();
}

/// What sums tell before any halving. With S_k = t_0 + ... + t_k and D_k = 1 t_1 + ... + k t_k,
///   p(x) = sum S_k (y^k - y^{k+1}) + S_n y^n,  y = x/tau,
/// is a mean of the S_k. In the same way tau p'(x) is a mean of D_1 to D_n.
std::optional<Excursion> by_sums(const Scaled& p) {
  double power = 1;
  double sum = 0;
  double rate = 0;
  double highest = -std::numeric_limits<double>::infinity();
  double least_rate = 0;
  double most_rate = 0;
  double size = 0;
  double rate_size = 0;
  for (std::size_t k = 0; k <= p.n; ++k, power *= p.tau) {
    const double t = p.b[k] * power;
    const double kt = static_cast<double>(k) * t;
    sum += t;
    rate += kt;
    size += std::abs(t);
    rate_size += std::abs(kt);
    highest = std::max(highest, sum);
    least_rate = std::min(least_rate, rate);
    most_rate = std::max(most_rate, rate);
  }
  const double rounding = static_cast<double>(p.n + 4) * eps;
  if (highest + rounding * size < -p.threshold) return Excursion{};

  // Rates of one sign beyond their rounding after the first that is not zero: the whole is one monotone piece.
  if (least_rate < 0 && most_rate > 0) return std::nullopt;
  bool decided = true;
  rate = 0;
  power = 1;
  for (std::size_t k = 0; k <= p.n; ++k, power *= p.tau) {
    rate += static_cast<double>(k) * (p.b[k] * power);
    if (rate == 0 && k > 0 && p.b[k] == 0) continue;
    decided = decided && (k == 0 || std::abs(rate) > rounding * rate_size);
  }
  if (!decided) return std::nullopt;
  Story story(p);
  if (story.over()) return story.end();
  const double margin = p.threshold + rounding * size;
  story.go(p.from, p.tau, sum > margin ? Zone::above : sum < -margin ? Zone::below : zone_of(p, p.tau));
  return story.end();
}

/// Fills the scaled polynomial. False if it is none: some coefficient is not finite, or the interval is empty.
bool scale(std::span<const double> c, double h, double threshold, double from, double size, Scaled& p) {
  if (!(h >= from) || !(h <= std::numeric_limits<double>::max())) return false;
  std::size_t n = c.size();
  while (n > 1 && c[n - 1] == 0) --n;
  p.n = n > 0 ? n - 1 : 0;
  double* b = p.room.data();
  if (p.n > largest_degree) {
    p.more.resize(p.n + 1);
    b = p.more.data();
  }
  p.b = b;
  for (std::size_t k = 0; k < n; ++k)
    if (!std::isfinite(c[k])) return false;

  // H is the least power of two that is not below h.
  int exponent = 0;
  if (h > 0 && std::frexp(h, &exponent) == 0.5) --exponent;
  exponent = std::clamp(exponent, -1022, 1023);
  p.unit = std::ldexp(1.0, exponent);
  p.tau = h / p.unit;
  p.from = from / p.unit;

  // Usually the powers of H are numbers; the largest coefficient then lies far from the ends of their range.
  const double reach = std::abs(exponent) * static_cast<double>(p.n);
  if (reach < 900 && size < 0x1p400 && size > 0x1p-400) {
    double power = 1;
    double largest = 0;
    for (std::size_t k = 0; k <= p.n; ++k, power *= p.unit) {
      b[k] = n > 0 ? c[k] * power : 0;
      largest = std::max(largest, std::abs(b[k]));
    }
    p.threshold = threshold;
    if (largest < 0x1p500) return true;
  }

  // Else by exponents, with the largest brought near one. What underflows then is below all digits.
  int largest = std::numeric_limits<int>::min();
  int own = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (c[k] == 0) continue;
    std::frexp(c[k], &own);
    largest = std::max(largest, own + exponent * static_cast<int>(k));
  }
  if (largest == std::numeric_limits<int>::min()) largest = 0;
  double sum = 0;
  double power = 1;
  for (std::size_t k = 0; k <= p.n; ++k, power *= p.tau) {
    b[k] = n > 0 ? std::ldexp(c[k], std::max(exponent * static_cast<int>(k) - largest, -3000)) : 0;
    sum += std::abs(b[k]) * power;
  }
  p.threshold = std::max(std::min(std::ldexp(std::max(threshold, 0.0), -largest), 0x1p500), 64 * eps * sum);
  return true;
}

}  // namespace

double terms(std::span<const double> c, double h) {
  // Four sums side by side, each with steps of h^4.
  const std::size_t n = c.size();
  const double h2 = h * h;
  const double h4 = h2 * h2;
  std::array<double, 4> power{1, std::abs(h), h2, std::abs(h2 * h)};
  std::array<double, 4> sum{};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      sum[lane] += std::abs(c[k + lane]) * power[lane];
      power[lane] *= h4;
    }
  for (std::size_t lane = 0; k + lane < n; ++lane) sum[lane] += std::abs(c[k + lane]) * power[lane];
  const double total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  if (total <= std::numeric_limits<double>::max() && power[0] > 0x1p-900) return total;

  // Powers left the range of numbers: by exponents.
  int exponent = 0;
  const double m = std::frexp(std::abs(h), &exponent);
  double careful = 0;
  double m_power = 1;
  for (k = 0; k < n; ++k, m_power *= m)
    if (c[k] != 0) careful += std::ldexp(std::abs(c[k]) * m_power, exponent * static_cast<int>(k));
  return careful;
}

Excursion first_excursion(std::span<const double> c, double h, double threshold, double from) {
  // The usual case: so far below zero that the other terms together do not lift it. Threshold and rounding included.
  const double size = terms(c, h);
  const double least = 64 * eps * size;
  threshold = threshold > least ? threshold : least;
  const double rounding = static_cast<double>(c.size() + 8) * eps;
  if (!c.empty() && c[0] < 0 && size <= std::numeric_limits<double>::max() &&
      size * (1 + rounding) + 2 * c[0] < -threshold)
    return {};

  Scaled p;
  if (!scale(c, h, threshold, std::max(from, 0.0), size, p)) return {};
  if (const auto answer = by_sums(p)) return *answer;
  if (const auto answer = halving<double>(p)) return *answer;
  return *halving<DoubleDouble>(p);
}

}  // namespace zwang::motion
