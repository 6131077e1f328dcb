/// The dense nearest point, cold and warm, as ratios to a floor measured in the same run.
///
/// Floor: Gram matrix, Cholesky factor, back-substitution and check of all signs on the set known beforehand, with the same
/// kernels as the solver and without allocation. Problems: planted solution with half the rows active, J normal, M diagonal
/// uniform in [0.5, 2], multipliers and slacks uniform in [0, 1]; also with every row written twice. Warm: all data
/// changed by 1e-3, started from the last set. Floor, cold and warm alternate in small groups; medians over groups.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <random>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/linear/kernels.hpp"

namespace {

using zwang::gauss::Options;
using zwang::gauss::Problem;
using zwang::gauss::RowKind;
using zwang::gauss::Solution;
using zwang::gauss::Status;
using zwang::gauss::Workspace;
namespace linear = zwang::linear;

struct Case {
  linear::Mass mass;
  std::vector<double> a0, entry, h;
  std::vector<std::uint32_t> start, column;
  std::vector<RowKind> kind;
  std::vector<std::uint32_t> set;  ///< rows that bind

  [[nodiscard]] Problem problem() const { return {&mass, a0, start, column, entry, h, kind}; }
};

/// A planted problem, and the same with all data changed by a thousandth.
struct Couple {
  Case before, after;
  Workspace workspace;
  Solution solution;
};

std::mt19937_64 random_source(42);
double normal() {
  static std::normal_distribution<double> distribution;
  return distribution(random_source);
}
double uniform() {
  static std::uniform_real_distribution<double> distribution;
  return distribution(random_source);
}

Case planted(std::size_t n, std::size_t r) {
  Case result;
  std::vector<double> masses(n), a(n);
  for (double& mass : masses) mass = 0.5 + 1.5 * uniform();
  for (double& value : a) value = normal();
  std::vector<std::uint32_t> order(r);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random_source);
  std::vector<double> lambda(r, 0.0);
  for (std::size_t i = 0; i < r / 2; ++i) lambda[order[i]] = uniform();
  result.a0 = a;
  for (std::size_t i = 0; i < r; ++i) {
    double w = lambda[i] > 0 ? 0.0 : -uniform();
    for (std::size_t j = 0; j < n; ++j) {
      const double value = normal();
      result.entry.push_back(value);
      w -= value * a[j];
      result.a0[j] += value * lambda[i] / masses[j];
    }
    result.h.push_back(w);
  }
  result.mass = linear::Mass(masses);
  return result;
}

Case changed(const Case& before) {
  Case after = before;
  std::vector<double> masses(before.mass.diagonal().begin(), before.mass.diagonal().end());
  for (double& value : masses) value += 1e-3 * normal();
  for (auto* values : {&after.a0, &after.entry, &after.h}) {
    for (double& value : *values) value += 1e-3 * normal();
  }
  after.mass = linear::Mass(masses);
  return after;
}

/// Writes every row twice if asked, fills the pattern, factors the mass, and finds the set.
void complete(Case& c, bool twice) {
  const std::size_t n = c.a0.size();
  if (twice) {
    const std::vector<double> entry = c.entry, h = c.h;
    c.entry.insert(c.entry.end(), entry.begin(), entry.end());
    c.h.insert(c.h.end(), h.begin(), h.end());
  }
  const std::size_t r = c.h.size();
  c.start.assign(1, 0);
  c.column.clear();
  for (std::size_t i = 0; i < r; ++i) {
    for (std::size_t j = 0; j < n; ++j) c.column.push_back(static_cast<std::uint32_t>(j));
    c.start.push_back(static_cast<std::uint32_t>(c.column.size()));
  }
  c.kind.assign(r, RowKind::inequality);
  if (!c.mass.factor()) std::abort();
  Workspace workspace;
  Solution solution;
  zwang::gauss::solve(c.problem(), {}, workspace, solution);
  std::vector<double> scratch;
  if (solution.status != Status::solved) std::abort();
  if (!(zwang::gauss::verify(c.problem(), solution.a, solution.lambda, scratch).worst() < 1e-13)) std::abort();
  c.set.clear();
  for (std::uint32_t i = 0; i < r; ++i) {
    if (solution.active[i] != 0) c.set.push_back(i);
  }
}

/// What cannot be avoided once the set is known.
class Floor {
 public:
  /// True if all signs are right.
  bool run(const Case& c) {
    const std::size_t n = c.a0.size(), r = c.h.size(), k = c.set.size();
    const std::size_t stride = (n + 1) / 2 * 2;
    rows_.resize(std::max(rows_.size(), k * stride));
    gram_.resize(std::max(gram_.size(), k * k));
    factor_.resize(std::max(factor_.size(), k * (k + 1)));
    for (auto* vector : {&inverse_, &lambda_}) vector->resize(std::max(vector->size(), k));
    for (auto* vector : {&d_, &a_}) vector->resize(std::max(vector->size(), stride));
    w_.resize(std::max(w_.size(), r));
    k_ = k;
    l_stride_ = (k + 1) / 2 * 2;
    const double* root = c.mass.inverse_root().data();

    // B_A and the right side.
    for (std::size_t p = 0; p < k; ++p) {
      const double* x = c.entry.data() + c.set[p] * n;
      double* b = rows_.data() + p * stride;
      linear::Pair sum = {0, 0};
      std::size_t j = 0;
      for (; j + 2 <= n; j += 2) {
        const linear::Pair value = linear::load(x + j);
        linear::store(b + j, value * linear::load(root + j));
        sum += value * linear::load(c.a0.data() + j);
      }
      lambda_[p] = c.h[c.set[p]] + linear::total(sum);
      if (j < n) {
        b[j] = x[j] * root[j];
        lambda_[p] += x[j] * c.a0[j];
      }
    }

    // Gram matrix and factor, four rows at a time.
    for (std::size_t p = 0; p < k; p += 4) {
      switch (std::min<std::size_t>(4, k - p)) {
        case 1: block<1>(p, n, stride); break;
        case 2: block<2>(p, n, stride); break;
        case 3: block<3>(p, n, stride); break;
        default: block<4>(p, n, stride); break;
      }
    }

    // lambda.
    for (std::size_t p = 0; p < k; ++p) {
      lambda_[p] = (lambda_[p] - linear::dot(factor_.data() + p * l_stride_, lambda_.data(), p)) * inverse_[p];
    }
    for (std::size_t p = k; p-- > 0;) {
      lambda_[p] *= inverse_[p];
      linear::add_multiple(-lambda_[p], factor_.data() + p * l_stride_, lambda_.data(), p);
    }

    // a = a0 - M^-1/2 B_A^T lambda, w = J a + h.
    std::fill_n(d_.data(), n, 0.0);
    std::size_t p = 0;
    for (; p + 4 <= k; p += 4) {
      const double* x[4];
      for (std::size_t i = 0; i < 4; ++i) x[i] = rows_.data() + (p + i) * stride;
      linear::add_multiples<4>(lambda_.data() + p, x, d_.data(), n);
    }
    for (; p < k; ++p) linear::add_multiple(lambda_[p], rows_.data() + p * stride, d_.data(), n);
    for (std::size_t j = 0; j < n; ++j) a_[j] = c.a0[j] - root[j] * d_[j];
    std::size_t i = 0;
    for (; i + 4 <= r; i += 4) {
      const double* x[4];
      for (std::size_t q = 0; q < 4; ++q) x[q] = c.entry.data() + (i + q) * n;
      linear::dots<4>(x, a_.data(), n, w_.data() + i);
    }
    for (; i < r; ++i) w_[i] = linear::dot(c.entry.data() + i * n, a_.data(), n);

    // Signs.
    bool right = true;
    for (i = 0; i < r; ++i) right &= w_[i] + c.h[i] <= 1e-12 * (1 + std::abs(c.h[i]));
    for (p = 0; p < k; ++p) right &= lambda_[p] >= 0;
    return right;
  }

 private:
  template <int R>
  void block(std::size_t first, std::size_t n, std::size_t stride) {
    const double* x[R];
    const double* row[R];
    double* gram[R];
    double* l[R];
    for (int i = 0; i < R; ++i) {
      const std::size_t p = first + static_cast<std::size_t>(i);
      x[i] = rows_.data() + p * stride;
      gram[i] = gram_.data() + p * k_;
      l[i] = factor_.data() + p * l_stride_;
      row[i] = l[i];
    }
    double sums[2 * R];
    std::size_t q = 0;
    for (; q + 2 <= first; q += 2) {
      linear::dots_by_two<R>(x, rows_.data() + q * stride, rows_.data() + (q + 1) * stride, n, sums);
      for (int i = 0; i < R; ++i) {
        gram[i][q] = sums[2 * i];
        gram[i][q + 1] = sums[2 * i + 1];
      }
    }
    for (int i = 0; i < R; ++i) {
      for (int m = 0; m <= i; ++m) gram[i][first + static_cast<std::size_t>(m)] = linear::dot(x[i], x[m], n);
    }
    for (q = 0; q + 2 <= first; q += 2) {
      const double* upper = factor_.data() + q * l_stride_;
      const double* lower = upper + l_stride_;
      linear::dots_by_two<R>(row, upper, lower, q, sums);
      for (int i = 0; i < R; ++i) {
        const double one = (gram[i][q] - sums[2 * i]) * inverse_[q];
        l[i][q] = one;
        l[i][q + 1] = (gram[i][q + 1] - sums[2 * i + 1] - one * lower[q]) * inverse_[q + 1];
      }
    }
    for (int i = 0; i < R; ++i) {
      const std::size_t p = first + static_cast<std::size_t>(i);
      for (std::size_t m = first; m < p; ++m) {
        l[i][m] = (gram[i][m] - linear::dot(l[i], factor_.data() + m * l_stride_, m)) * inverse_[m];
      }
      const double pivot = std::sqrt(gram[i][p] - linear::dot(l[i], l[i], p));
      l[i][p] = pivot;
      inverse_[p] = 1 / pivot;
    }
  }

  std::vector<double> rows_, gram_, factor_, inverse_, lambda_, d_, a_, w_;
  std::size_t k_ = 0, l_stride_ = 0;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <class Work>
double nanoseconds(Work work) {
  // Of the processor, not of the wall: other programs may run beside this one.
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

void measure(std::size_t n, std::size_t r, bool twice) {
  // Many small problems or a few large ones at a time, so that a group lasts long against the clock's grain.
  const std::size_t together = std::clamp<std::size_t>(40000 / (n * r), 1, 256);
  const int batches = n < 200 ? 7 : 12, groups = n < 200 ? 60 : 12;
  std::vector<double> floors, colds, warms, cold_ratios, warm_ratios;
  double rounds_cold = 0, rounds_warm = 0, solves = 0;
  std::vector<Floor> floor(together);
  bool right = true;
  for (int batch = 0; batch < batches; ++batch) {
    std::vector<Couple> couples(together);
    for (Couple& couple : couples) {
      couple.before = planted(n, r);
      couple.after = changed(couple.before);
      complete(couple.before, twice);
      complete(couple.after, twice);
      zwang::gauss::solve(couple.before.problem(), {}, couple.workspace, couple.solution);
    }
    const double calls = 2.0 * static_cast<double>(together);
    Options warm;
    warm.warm = true;
    for (int group = 0; group < groups; ++group) {
      const double floor_time = nanoseconds([&] {
        for (std::size_t i = 0; i < together; ++i) right &= floor[i].run(couples[i].before);
        for (std::size_t i = 0; i < together; ++i) right &= floor[i].run(couples[i].after);
      });
      const double warm_time = nanoseconds([&] {
        for (Couple& couple : couples) {
          zwang::gauss::solve(couple.after.problem(), warm, couple.workspace, couple.solution);
          rounds_warm += static_cast<double>(couple.solution.rounds);
        }
        for (Couple& couple : couples) {
          zwang::gauss::solve(couple.before.problem(), warm, couple.workspace, couple.solution);
          rounds_warm += static_cast<double>(couple.solution.rounds);
        }
      });
      const double cold_time = nanoseconds([&] {
        for (Couple& couple : couples) {
          zwang::gauss::solve(couple.after.problem(), {}, couple.workspace, couple.solution);
          rounds_cold += static_cast<double>(couple.solution.rounds);
        }
        for (Couple& couple : couples) {
          zwang::gauss::solve(couple.before.problem(), {}, couple.workspace, couple.solution);
          rounds_cold += static_cast<double>(couple.solution.rounds);
        }
      });
      floors.push_back(floor_time / calls);
      colds.push_back(cold_time / calls);
      warms.push_back(warm_time / calls);
      cold_ratios.push_back(cold_time / floor_time);
      warm_ratios.push_back(warm_time / floor_time);
      solves += calls;
    }
  }
  if (!right) std::printf("  (the floor found a wrong sign)\n");
  const double floor_median = median(floors), cold_median = median(colds), warm_median = median(warms);
  const double cold = median(cold_ratios), warm = median(warm_ratios);
  const bool small = n <= 12;
  const auto verdict = [&](double ratio, double goal, double time) {
    return ratio <= goal || (small && time <= floor_median + 150) ? "good" : "slow";
  };
  std::printf("%4zu %4zu %s %11.0f %11.0f %6.2f %5s %6.1f %11.0f %6.2f %5s %6.1f\n", n, r, twice ? "twice" : "once ",
              floor_median, cold_median, cold, verdict(cold, 2.5, cold_median), rounds_cold / solves, warm_median, warm,
              verdict(warm, 1.5, warm_median), rounds_warm / solves);
}

}  // namespace

int main() {
  std::printf(
      "Dense nearest point, nanoseconds; goals: cold <= 2.5, warm <= 1.5 floors (n <= 12: or floor + 150 ns)\n");
  std::printf("   n    r rows        floor        cold  ratio       rounds        warm  ratio       rounds\n");
  for (const bool twice : {false, true}) {
    measure(6, 2, twice);
    measure(12, 6, twice);
    measure(30, 20, twice);
    measure(90, 60, twice);
    measure(300, 200, twice);
  }
}
