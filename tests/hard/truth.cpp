/// The integrator and the comparison.
#include "hard/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace zwang::hard {

namespace {

constexpr std::size_t columns = 8;
constexpr Real share_of_largest = 0.02L;  ///< what is small beside the rest of y carries the rest's rounding

/// One step by extrapolation; the result and the estimated error, relative to the size of each part of y.
class Step {
 public:
  Real operator()(const Flow& flow, Real t, const Vector& y, Real h, Vector& out) {
    const std::size_t n = y.size();
    rate_.resize(n);
    flow(t, y, rate_);
    for (std::size_t k = 0; k < columns; ++k) {
      const std::size_t parts = 2 * (k + 1);
      const Real d = h / static_cast<Real>(parts);
      before_ = y;
      now_.resize(n);
      next_.resize(n);
      inner_.resize(n);
      for (std::size_t i = 0; i < n; ++i) now_[i] = y[i] + d * rate_[i];
      for (std::size_t m = 1; m < parts; ++m) {
        flow(t + static_cast<Real>(m) * d, now_, inner_);
        for (std::size_t i = 0; i < n; ++i) next_[i] = before_[i] + 2 * d * inner_[i];
        std::swap(before_, now_);
        std::swap(now_, next_);
      }
      flow(t + h, now_, inner_);
      Vector& row = table_[k];
      row.resize(n);
      for (std::size_t i = 0; i < n; ++i) row[i] = (now_[i] + before_[i] + d * inner_[i]) / 2;
      // Neville's scheme in h^2, in place from the newest to the oldest.
      for (std::size_t j = k; j-- > 0;) {
        const Real ratio = static_cast<Real>(k + 1) / static_cast<Real>(j + 1);
        const Real factor = 1 / (ratio * ratio - 1);
        for (std::size_t i = 0; i < n; ++i)
          table_[j][i] = table_[j + 1][i] + (table_[j + 1][i] - table_[j][i]) * factor;
      }
    }
    Real worst = 0;
    Real largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(table_[0][i]));
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::isfinite(table_[0][i])) return 1e30L;
      const Real size = std::abs(y[i]) + std::abs(h * rate_[i]) + share_of_largest * largest + 1e-300L;
      worst = std::max(worst, std::abs(table_[0][i] - table_[1][i]) / size);
    }
    out = table_[0];
    return worst;
  }

 private:
  Vector rate_, before_, now_, next_, inner_;
  std::array<Vector, columns> table_;
};

constexpr Real largest_rounding = 1e-13L;  ///< of a step, where steep functions magnify that of 1e-19

/// How much longer a step of that error could have been.
Real stretch(Real error) {
  return std::clamp(0.8L * std::pow(integration_error / std::max(error, 1e-30L), 1.0L / (2 * columns - 1)), 0.1L, 3.0L);
}

}  // namespace

bool integrate_to(const Flow& flow, Real& t, Vector& y, Real until, const Longest& longest,
                  const std::function<Real(Real, const Vector&)>& g) {
  Step step;
  Vector out;
  Real h = (until - t) / 16;
  while (t < until) {
    Real length = std::min(h, until - t);
    if (longest) length = std::min(length, longest(t, y));
    Real error = step(flow, t, y, length, out);
    // Shorter until it is good, or until what is left is rounding, which does not fall with the step.
    bool rounded = false;
    for (int tries = 0; error > 20 * integration_error && tries < 60 && !rounded; ++tries) {
      const Real before = error;
      length *= std::min(0.6L, stretch(error));
      error = step(flow, t, y, length, out);
      rounded = error < largest_rounding && error > before / 4;
    }
    if (g && g(t + length, out) > 0) {
      // Bisection on the length: 64 halvings leave nothing.
      Real low = 0;
      Real high = length;
      Vector found = out;
      for (int k = 0; k < 64; ++k) {
        const Real middle = (low + high) / 2;
        step(flow, t, y, middle, out);
        if (g(t + middle, out) > 0) {
          high = middle;
          found = out;
        } else {
          low = middle;
        }
      }
      y = found;
      t += high;
      return true;
    }
    const bool last = length >= until - t;
    t = last ? until : t + length;
    y = out;
    h = std::max(length * (rounded ? 4 : stretch(error)), (until - t) * 1e-12L);
  }
  return false;
}

void integrate(const Flow& flow, Real& t, Vector& y, Real until, const Longest& longest) {
  integrate_to(flow, t, y, until, longest, {});
}

double Dice::spread(double low, double high) { return low * std::pow(high / low, uniform(0, 1)); }

std::string number(double value) { return fmt::format("{:.17g}", value); }

std::string list(const std::vector<double>& values) {
  std::string out = "[";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i > 0 ? ", " : "") + number(values[i]);
  return out + "]";
}

std::vector<double> even_times(double start, double end, int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k) out.push_back(start + (end - start) * k / count);
  out.push_back(end);
  return out;
}

Truth truth_of(const std::vector<double>& at, const Answer& answer) {
  std::vector<Vector> q;
  std::vector<Vector> v;
  std::vector<Vector> other_q;
  std::vector<Vector> other_v;
  answer(false, at, q, v);
  answer(true, at, other_q, other_v);
  const std::size_t common = std::min(q.size(), other_q.size());
  Truth out;
  Real size_q = 0;
  Real size_v = 0;
  for (std::size_t k = 0; k < common; ++k) {
    for (std::size_t i = 0; i < q[k].size(); ++i) {
      size_q = std::max(size_q, std::abs(q[k][i]));
      size_v = std::max(size_v, std::abs(v[k][i]));
    }
  }
  // What rests is measured by its place and the time of the run.
  const Real duration = static_cast<Real>(at.back()) - at.front();
  size_v = std::max(size_v, size_q / duration);
  Real grown_q = 0;
  Real grown_v = 0;
  for (std::size_t k = 0; k < common; ++k) {
    for (std::size_t i = 0; i < q[k].size(); ++i) {
      grown_q = std::max(grown_q, std::abs(q[k][i] - other_q[k][i]));
      grown_v = std::max(grown_v, std::abs(v[k][i] - other_v[k][i]));
    }
    if (grown_q > too_wild * size_q || grown_v > too_wild * size_v) break;
    out.rows.push_back({q[k], v[k], floor_of_error * size_q + share_of_nudge * grown_q,
                        floor_of_error * size_v + share_of_nudge * grown_v});
  }
  return out;
}

std::string differs(const Truth& truth, const Track& track) {
  for (std::size_t k = 0; k < std::min(truth.rows.size(), track.asked.size()); ++k) {
    const auto& row = truth.rows[k];
    const auto& sample = track.asked[k];
    for (std::size_t i = 0; i < row.q.size(); ++i) {
      const Real off = std::abs(row.q[i] - sample.q[i]);
      if (!(off <= row.allowed_q))
        return fmt::format("position {} at t = {:.9g} is {:.17g}, not {:.17g}: off by {:.2g}, {:.2g} allowed", i,
                           sample.time, sample.q[i], static_cast<double>(row.q[i]), static_cast<double>(off),
                           static_cast<double>(row.allowed_q));
    }
    for (std::size_t i = 0; i < row.v.size(); ++i) {
      const Real off = std::abs(row.v[i] - sample.v[i]);
      if (!(off <= row.allowed_v))
        return fmt::format("velocity {} at t = {:.9g} is {:.17g}, not {:.17g}: off by {:.2g}, {:.2g} allowed", i,
                           sample.time, sample.v[i], static_cast<double>(row.v[i]), static_cast<double>(off),
                           static_cast<double>(row.allowed_v));
    }
  }
  return "";
}

Truth integrated(const std::vector<double>& at, const std::vector<double>& q0, const std::vector<double>& v0,
                 const Law& law, const Longest& longest) {
  const std::size_t n = q0.size();
  return truth_of(at,
                  [&](bool nudged, const std::vector<double>& times, std::vector<Vector>& q, std::vector<Vector>& v) {
                    Vector y(2 * n);
                    Real size = 0;
                    for (std::size_t i = 0; i < n; ++i) size = std::max(size, static_cast<Real>(std::abs(v0[i])));
                    for (std::size_t i = 0; i < n; ++i) {
                      y[i] = q0[i] * (nudged ? 1 + nudge : 1);
                      y[n + i] = v0[i] + (nudged ? nudge * size : 0);
                    }
                    const Flow flow = [&](Real t, const Vector& now, Vector& rate) {
                      for (std::size_t i = 0; i < n; ++i) rate[i] = now[n + i];
                      law(t, now.data(), now.data() + n, rate.data() + n);
                    };
                    Real t = times.front();
                    for (const double time : times) {
                      integrate(flow, t, y, time, longest);
                      q.emplace_back(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
                      v.emplace_back(y.begin() + static_cast<std::ptrdiff_t>(n), y.end());
                    }
                  });
}

Case against(std::string text, std::vector<double> at, Truth truth) {
  Case out;
  out.texts = {std::move(text)};
  out.at = std::move(at);
  out.check = [truth = std::make_shared<Truth>(std::move(truth))](const std::vector<Track>& tracks) {
    return differs(*truth, tracks.front());
  };
  return out;
}

}  // namespace zwang::hard
