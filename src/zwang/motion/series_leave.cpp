/// The series of a speed that leaves its rest, in whose direction a force acts.
///
/// With w(0) = 0 and c = w / |w| in a force, w' = R - A c, there is no power series of the force by the rules of its functions: it divides by |w|. With
///
///   w = s^m rho c,   c = c_0 + c_1 s + ...,   |c| = 1,   rho = rho_0 + ...,   rho_0 > 0
///
/// the coefficients c_k are unknowns of order k, like the weights of a surface slid on: along c_0 they follow from c.c = 1, across it from w_{k+1},
///
///   c_0.c_k = -1/2 sum_{0<j<k} c_j.c_{k-j},     t.w_{k+1} = sum_{1<=j<=l} rho_{l-j} t.c_j,   l = k + 1 - m,   for every t across c_0.
///
/// m = 1 where a push is there at once; else c_0 carries all of it, and m - 1 is the first order at which the push along c_0 grows. For m = 1 the series converges; for m > 1 it is
/// asymptotic, w turning into its direction faster than any power: it is good as far as c and w / |w| agree.
///
/// Symbols: as in series_slide.cpp, s the time in its unit. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>

#include "zwang/base/number.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/motion/excursion.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

double along_each(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Orthogonal to a direction and to each other.
std::vector<std::vector<double>> across(const std::vector<double>& direction) {
  std::vector<std::vector<double>> out;
  std::vector<std::size_t> axes(direction.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  // The axis nearest to the direction is the one left out.
  std::sort(axes.begin(), axes.end(), [&](std::size_t i, std::size_t j) {
    const double x = std::abs(direction[i]);
    const double y = std::abs(direction[j]);
    return x != y ? x < y : i < j;
  });
  for (std::size_t a = 0; a + 1 < axes.size(); ++a) {
    std::vector<double> t(direction.size(), 0.0);
    t[axes[a]] = 1;
    for (int round = 0; round < 2; ++round) {
      const double part = along_each(t, direction);
      for (std::size_t i = 0; i < t.size(); ++i) t[i] -= part * direction[i];
      for (const std::vector<double>& other : out) {
        const double its = along_each(t, other);
        for (std::size_t i = 0; i < t.size(); ++i) t[i] -= its * other[i];
      }
    }
    const double size = std::sqrt(along_each(t, t));
    for (double& x : t) x /= size;
    out.push_back(std::move(t));
  }
  return out;
}

}  // namespace

void Series::Impl::begin_leaving(std::span<const Series::Slide> list) {
  leaving.clear();
  std::vector<std::uint32_t> wholes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].leaves == 0) continue;
    const auto at = std::find(wholes.begin(), wholes.end(), list[i].whole) - wholes.begin();
    if (static_cast<std::size_t>(at) == wholes.size()) {
      wholes.push_back(list[i].whole);
      leaving.emplace_back();
      leaving.back().at_once = list[i].leaves == 1;
    }
    LeavingSpeed& speed = leaving[static_cast<std::size_t>(at)];
    speed.slides.push_back(i);
    speed.direction.push_back(2 * list[i].weight - 1);
  }
  for (LeavingSpeed& speed : leaving) {
    const double length = std::sqrt(along_each(speed.direction, speed.direction));
    for (double& x : speed.direction) x /= length;
    speed.across = across(speed.direction);
  }
}

void Series::Impl::turn_to_directions(unsigned k, std::vector<double>& matrix, std::vector<double>& x) {
  const std::size_t count = slides.size();
  const std::vector<double> effect = matrix;
  const std::vector<double> wanted = x;
  for (LeavingSpeed& speed : leaving) {
    const std::size_t d = speed.slides.size();
    for (const std::size_t i : speed.slides) {
      std::fill_n(matrix.begin() + static_cast<std::ptrdiff_t>(i * count), count, 0.0);
      x[i] = 0;
    }
    if (k == 0) {
      speed.c.clear();
      speed.w.assign(1, std::vector<double>(d, 0.0));
      speed.rho.clear();
      speed.m = 0;
      for (std::size_t a = 0; a < d; ++a) {
        matrix[speed.slides[a] * count + speed.slides[a]] = 1;
        x[speed.slides[a]] = (1 + speed.direction[a]) / 2;
      }
      continue;
    }
    const std::size_t first = speed.slides[0];
    for (std::size_t a = 0; a < d; ++a) matrix[first * count + speed.slides[a]] = 2 * speed.direction[a];
    for (unsigned j = 1; j < k; ++j) x[first] -= along_each(speed.c[j], speed.c[k - j]) / 2;

    for (std::size_t b = 0; b < speed.across.size(); ++b) {
      const std::vector<double>& t = speed.across[b];
      double* row = matrix.data() + speed.slides[b + 1] * count;
      double& right_side = x[speed.slides[b + 1]];
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t j = 0; j < count; ++j) row[j] += t[a] * effect[speed.slides[a] * count + j];
        right_side += t[a] * wanted[speed.slides[a]];
      }
      if (speed.m == 0 || k + 1 < speed.m) continue;
      const unsigned l = k + 1 - speed.m;
      const double scale = (k + 1.0) * unit;
      for (unsigned j = 1; j <= l && j < k; ++j) right_side += scale * speed.rho[l - j] * along_each(t, speed.c[j]);
      if (speed.m > 1) continue;
      for (std::size_t a = 0; a < d; ++a) row[speed.slides[a]] -= 2 * scale * speed.rho[0] * t[a];
    }
  }
}

void Series::Impl::take_directions(unsigned k, const std::vector<double>& known, const std::vector<double>& effect) {
  const std::size_t count = slides.size();
  for (LeavingSpeed& speed : leaving) {
    const std::size_t d = speed.slides.size();
    std::vector<double> c(d);
    std::vector<double> w(d);
    double sum_of_sizes = 0;
    for (std::size_t a = 0; a < d; ++a) {
      const std::size_t i = speed.slides[a];
      c[a] = k == 0 ? speed.direction[a] : 2 * slides[i].sigma[k];
      w[a] = known[i];
      double its_size = std::abs(known[i]);
      for (std::size_t j = 0; j < count; ++j) {
        w[a] += effect[i * count + j] * slides[j].sigma[k];
        its_size += std::abs(effect[i * count + j] * slides[j].sigma[k]);
      }
      w[a] /= (k + 1.0) * unit;
      sum_of_sizes += std::abs(speed.direction[a]) * its_size / ((k + 1.0) * unit);
    }
    const double along = along_each(speed.direction, w);
    if (k == 0 && !speed.at_once) {
      std::fill(w.begin(), w.end(), 0.0);
    } else if (speed.m == 0) {
      if (along > push_of_nothing * sum_of_sizes) {
        speed.m = k + 1;
        speed.rho.push_back(along);
      } else {
        std::fill(w.begin(), w.end(), 0.0);
      }
    }
    speed.c.push_back(c);
    speed.w.push_back(w);
    if (speed.m == 0 || k + 1 == speed.m) continue;
    double more = along;
    for (unsigned j = 1; j <= k + 1 - speed.m; ++j)
      more -= speed.rho[k + 1 - speed.m - j] * along_each(speed.direction, speed.c[j]);
    speed.rho.push_back(more);
  }
}

void Series::Impl::solve_weights(unsigned k, const std::vector<double>& effect, std::vector<double> matrix,
                                 std::vector<double>& x) {
  const std::size_t count = x.size();
  open_weights.rows.clear();
  open_weights.weights.clear();
  // Rows of rates have one size, by the largest effect, so that one that is rounding is nothing; those of c.c = 1, and of directions that are given, their own.
  std::vector<std::uint8_t> of_rates(count, 1);
  for (const LeavingSpeed& speed : leaving) {
    for (const std::size_t i : speed.slides) of_rates[i] = k == 0 || i == speed.slides[0] ? 0 : 1;
  }
  std::vector<double> row_size(count, 0.0);
  double most = 0;
  for (const double value : effect) most = std::max(most, std::abs(value));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) row_size[i] = std::max(row_size[i], std::abs(matrix[i * count + j]));
  }
  linear::Matrix rows(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (of_rates[i] != 0) row_size[i] = std::max(row_size[i], most);
    if (!(row_size[i] > 0)) row_size[i] = 1;
    for (std::size_t j = 0; j < count; ++j) rows(i, j) = matrix[i * count + j] / row_size[i];
  }
  const bool finite = std::all_of(matrix.begin(), matrix.end(), [](double value) { return std::isfinite(value); });
  const linear::Matrix open = finite ? linear::null_space(rows, rate_of_open_weights) : linear::Matrix();
  if (open.columns == 0) {
    static_cast<void>(linear::solve_small(std::move(matrix), x));
    return;
  }
  const linear::Matrix left = linear::null_space(linear::transpose(rows), rate_of_open_weights);
  for (std::size_t p = 0; p < open.columns && p < left.columns; ++p) {
    std::vector<double> y(count);
    std::vector<double> z(count);
    for (std::size_t i = 0; i < count; ++i) {
      y[i] = left(i, p) / row_size[i];
      z[i] = open(i, p);
    }
    open_weights.rows.push_back(std::move(y));
    open_weights.weights.push_back(std::move(z));
  }
  for (std::size_t i = 0; i < count; ++i) x[i] /= row_size[i];
  x = linear::least_norm(rows, x, nullptr, rate_of_open_weights);
}

void Series::Impl::close_weights(unsigned k, const std::vector<double>& known, const std::vector<double>& effect,
                                 std::vector<double>& x) {
  const std::size_t count = slides.size();
  const std::size_t open = open_weights.rows.size();
  const unsigned m = leaving[0].m;
  const bool alike =
      std::all_of(leaving.begin(), leaving.end(), [&](const LeavingSpeed& speed) { return speed.m == m; });
  if (k == 0 || open == 0 || m < 2 || !alike) return;
  // The row of the small system in which the part of a speed across its direction stands, and the part.
  const auto for_across = [&](const auto& visit) {
    for (LeavingSpeed& speed : leaving) {
      for (std::size_t b = 0; b < speed.across.size(); ++b) visit(speed, speed.across[b], speed.slides[b + 1]);
    }
  };
  // What the rates of this order say of order k + 1 - m.
  if (k + 1 >= m) {
    std::vector<double> says(open, 0.0);
    for (std::size_t p = 0; p < open; ++p) {
      const std::vector<double>& y = open_weights.rows[p];
      std::vector<std::uint8_t> leaves(count, 0);
      for_across([&](const LeavingSpeed& speed, const std::vector<double>& t, std::size_t row) {
        for (const std::size_t i : speed.slides) leaves[i] = 1;
        says[p] += y[row] * along_each(t, speed.w.back());
      });
      for (std::size_t i = 0; i < count; ++i) {
        if (leaves[i] != 0) continue;
        double w = known[i];
        for (std::size_t j = 0; j < count; ++j) w += effect[i * count + j] * x[j];
        says[p] += y[i] * w / ((k + 1.0) * unit);
      }
    }
    open_weights.found.resize(std::max<std::size_t>(open_weights.found.size(), k + 2 - m));
    open_weights.found[k + 1 - m] = std::move(says);
  }
  std::vector<double> matrix(open * open, 0.0);
  std::vector<double> by(open, 0.0);
  for (std::size_t p = 0; p < open; ++p) {
    const std::vector<double>& y = open_weights.rows[p];
    if (k < open_weights.parts.size() && p < open_weights.parts[k].size()) by[p] = open_weights.parts[k][p];
    for_across([&](const LeavingSpeed& speed, const std::vector<double>& t, std::size_t row) {
      for (unsigned j = 1; j <= k; ++j) {
        if (k - j < speed.rho.size()) by[p] -= y[row] * speed.rho[k - j] * along_each(t, speed.c[j]);
      }
      for (std::size_t other = 0; other < open; ++other) {
        for (std::size_t a = 0; a < t.size(); ++a)
          matrix[p * open + other] += 2 * y[row] * speed.rho[0] * t[a] * open_weights.weights[other][speed.slides[a]];
      }
    });
  }
  if (!linear::solve_small(std::move(matrix), by, rate_of_open_weights)) return;
  for (std::size_t other = 0; other < open; ++other) {
    for (std::size_t i = 0; i < count; ++i) x[i] += by[other] * open_weights.weights[other][i];
  }
  for (LeavingSpeed& speed : leaving) {
    for (std::size_t a = 0; a < speed.slides.size(); ++a) speed.c.back()[a] = 2 * x[speed.slides[a]];
  }
}

bool Series::Impl::passes_again() {
  if (leaving.empty() || open_weights.found.empty()) return false;
  // Conditions lead the first rate, and it is known better than the share of the weights from which the direction came.
  bool turned = false;
  for (LeavingSpeed& speed : leaving) {
    if (speed.m < 2 || speed.m >= speed.w.size()) continue;
    std::vector<double> u = speed.w[speed.m];
    const double length = std::sqrt(along_each(u, u));
    double off = 0;
    for (std::size_t a = 0; a < u.size(); ++a) {
      u[a] /= length;
      off = std::max(off, std::abs(u[a] - speed.direction[a]));
    }
    if (!(off > roundings_of_direction * unit_rounding && off <= direction_in_doubt)) continue;
    speed.direction = u;
    speed.across = across(u);
    turned = true;
  }
  double most = 0;
  double change = 0;
  for (const LeavingSpeed& speed : leaving) {
    for (const std::vector<double>& w : speed.w) most = std::max(most, std::sqrt(along_each(w, w)));
  }
  for (std::size_t k = 0; k < open_weights.found.size(); ++k) {
    for (std::size_t p = 0; p < open_weights.found[k].size(); ++p) {
      const bool before = k < open_weights.parts.size() && p < open_weights.parts[k].size();
      const double difference = open_weights.found[k][p] - (before ? open_weights.parts[k][p] : 0.0);
      if (!std::isfinite(difference)) return false;
      change = std::max(change, std::abs(difference));
    }
  }
  open_weights.parts = std::move(open_weights.found);
  open_weights.found.clear();
  return turned || change > last_pass_of_leaving * most;
}

double Series::Impl::reach_of_leaving(double h, double part) const {
  const double bound = std::max(part, roundings_of_direction * unit_rounding);
  const auto agrees = [&](const LeavingSpeed& speed, double s) {
    const std::size_t d = speed.slides.size();
    std::vector<double> c(d, 0.0);
    std::vector<double> u(d, 0.0);
    for (std::size_t a = 0; a < d; ++a) {
      for (std::size_t k = speed.c.size(); k-- > 0;) c[a] = c[a] * s + speed.c[k][a];
      for (std::size_t k = speed.w.size(); k-- > speed.m;) u[a] = u[a] * s + speed.w[k][a];
    }
    const double length = std::sqrt(along_each(u, u));
    bool good = along_each(u, speed.direction) > 0;
    for (std::size_t a = 0; a < d; ++a) good = good && std::abs(c[a] - u[a] / length) <= bound;
    return good;
  };
  for (const LeavingSpeed& speed : leaving) {
    if (speed.m == 0) return 0;
    // Nowhere on the piece does it come to rest again, or turn back: c has no pole there that would tell.
    std::vector<double> against;
    for (std::size_t k = speed.m; k < speed.w.size(); ++k) against.push_back(-along_each(speed.w[k], speed.direction));
    const Excursion back = first_excursion(against, h, 0.0);
    if (back.kind != Excursion::Kind::none) h = std::min(h, part_before_return * back.at);
    for (int round = 0; round < most_halvings_of_leaving; ++round, h /= 2) {
      if (agrees(speed, h / 4) && agrees(speed, h / 2) && agrees(speed, 3 * h / 4) && agrees(speed, h)) break;
      if (round + 1 == most_halvings_of_leaving) return 0;
    }
  }
  return h;
}

}  // namespace zwang::motion
