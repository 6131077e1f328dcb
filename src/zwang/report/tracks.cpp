/// Tracks taken over or fitted again, piece by piece.
///
///   interpolation at u_j = (1 - cos(pi j / D)) / 2:   x(t + h u) = sum_k c_k u^k,   V c = x(u_j),   V_jk = u_j^k
///   tracks of [view] on a piece:   g(u) = sum_k a_k T_k(2 u - 1),   a_k = 2/m sum_j g(u_j) cos(k (2 j + 1) pi / (2 m))
///
/// Symbols: D degree, m points, T_k Chebyshev polynomials. Coefficients of powers grow like 5.8^k in those of T_k, so that degrees
/// stay below 17 and a piece on which 17 points do not suffice is halved.
#include "zwang/report/tracks.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <span>

#include "zwang/elementary/elementary.hpp"
#include "zwang/linear/spaces.hpp"
#include "zwang/model/lanes.hpp"
#include "zwang/report/tolerances.hpp"

namespace zwang::report {

using motion::Piece;

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr std::size_t most_borders = 4096;

std::uint64_t weight(const Piece& piece) {
  return 64 + 8 * (piece.position.size() + piece.multiplier.size() + piece.rho.size()) + 4 * piece.rows.size();
}

/// Position and, if wanted, velocity on a piece; no clamping, so that both ends can be looked at exactly.
void values(const Piece& piece, double time, std::vector<double>& position, std::vector<double>* velocity) {
  const std::size_t n = piece.n;
  const double s = std::clamp(time - piece.start, 0.0, piece.length) / piece.unit;
  position.assign(n, 0.0);
  if (velocity != nullptr) {
    velocity->assign(n, 0.0);
  }
  double* __restrict x = position.data();
  double* __restrict v = velocity != nullptr ? velocity->data() : nullptr;
  for (std::size_t k = piece.orders; k-- > 0;) {
    const double* __restrict c = piece.position.data() + k * n;
    if (v != nullptr) {
      for (std::size_t i = 0; i < n; ++i) {
        v[i] = v[i] * s + x[i];
        x[i] = x[i] * s + c[i];
      }
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = x[i] * s + c[i];
      }
    }
  }
  for (std::size_t i = 0; v != nullptr && i < n; ++i) v[i] /= piece.unit;
}

/// Orders that are not zero for every coordinate.
std::size_t needed_orders(const std::vector<double>& coefficients, std::size_t n, std::size_t orders) {
  while (orders > 1) {
    const double* c = coefficients.data() + (orders - 1) * n;
    if (std::any_of(c, c + n, [](double value) { return value != 0; })) {
      break;
    }
    --orders;
  }
  return orders;
}

/// The polynomial moved to begin at `shift`: repeated division by (s - shift).
void move_start(std::vector<double>& coefficients, std::size_t n, std::size_t orders, double shift) {
  for (std::size_t from = 0; from + 1 < orders; ++from) {
    for (std::size_t k = orders - 1; k-- > from;) {
      for (std::size_t i = 0; i < n; ++i) {
        coefficients[k * n + i] += shift * coefficients[(k + 1) * n + i];
      }
    }
  }
}

/// Coefficients of T_k(2 u - 1) in powers of u.
constexpr std::size_t most_chebyshev = 17;
std::vector<std::vector<double>> shifted_chebyshev() {
  std::vector<std::vector<double>> table(most_chebyshev, std::vector<double>(most_chebyshev, 0.0));
  table[0][0] = 1;
  table[1][0] = -1;
  table[1][1] = 2;
  for (std::size_t k = 2; k < most_chebyshev; ++k) {
    for (std::size_t p = 0; p < k; ++p) {
      table[k][p + 1] += 4 * table[k - 1][p];
      table[k][p] += -2 * table[k - 1][p] - table[k - 2][p];
    }
  }
  return table;
}

/// The tracks of [view] on one stretch of the engine's polynomial, or the wish to halve it.
class ViewFit {
 public:
  explicit ViewFit(ViewSight& sight) : sight_(sight), table_(shifted_chebyshev()) {
    constexpr std::size_t m = most_chebyshev;
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t j = 0; j < m; ++j) {
        // The points run from the start of the stretch: x = -cos.
        wave_.push_back(elementary::cos(static_cast<double>(k * (2 * (m - 1 - j) + 1)) * pi / (2.0 * m)));
      }
    }
  }

  /// Coefficients [k * size + i] in powers of s; false if the stretch is too long for one polynomial.
  bool fit(const std::vector<double>& motion, std::size_t n, std::size_t orders, double start, double length,
           std::vector<double>& out, std::size_t& out_orders) {
    const std::size_t size = sight_.size();
    constexpr std::size_t m = most_chebyshev;
    std::vector<double> value(m * size);
    std::vector<double> position(n);
    for (std::size_t j = 0; j < m; ++j) {
      const double u = 0.5 - 0.5 * elementary::cos((2.0 * static_cast<double>(j) + 1) * pi / (2.0 * m));
      const double s = u * length;
      std::fill(position.begin(), position.end(), 0.0);
      for (std::size_t k = orders; k-- > 0;) {
        for (std::size_t i = 0; i < n; ++i) {
          position[i] = position[i] * s + motion[k * n + i];
        }
      }
      sight_.look(start + s, position, value.data() + j * size);
    }

    // Chebyshev coefficients, and where they vanish in rounding.
    std::vector<double> a(m * size, 0.0);
    largest_.assign(size, 0.0);
    std::size_t kept = 1;
    bool short_enough = true;
    for (std::size_t i = 0; i < size; ++i) {
      double largest = 0;
      for (std::size_t k = 0; k < m; ++k) {
        double sum = 0;
        for (std::size_t j = 0; j < m; ++j) {
          sum += value[j * size + i] * wave_[k * m + j];
        }
        a[k * size + i] = (k == 0 ? 1.0 : 2.0) * sum / static_cast<double>(m);
        largest = std::fmax(largest, std::abs(a[k * size + i]));
      }
      const double noise = fit_noise * largest;
      largest_[i] = largest;
      const double tail = std::fmax(std::abs(a[(m - 1) * size + i]), std::abs(a[(m - 2) * size + i]));
      short_enough = short_enough && !(tail > fit_converged * largest);
      for (std::size_t k = m; k-- > 0;) {
        if (std::abs(a[k * size + i]) > noise) {
          kept = std::max(kept, k + 1);
          break;
        }
        a[k * size + i] = 0;
      }
    }

    // In powers of u, then of s.
    out_orders = kept;
    out.assign(kept * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < kept; ++k) {
        for (std::size_t p = 0; p <= k; ++p) {
          out[p * size + i] += a[k * size + i] * table_[k][p];
        }
      }
    }
    // Digits below rounding are noise that cannot be compressed: they are left out.
    double factor = 1;
    for (std::size_t p = 0; p < kept; ++p, factor /= length) {
      for (std::size_t i = 0; i < size; ++i) {
        const double step = std::ldexp(1.0, std::ilogb(std::fmax(largest_[i], least_size)) - 46);
        const double number = out[p * size + i];
        out[p * size + i] = factor * (std::isfinite(number) ? step * std::nearbyint(number / step) : number);
      }
    }
    return short_enough;
  }

 private:
  ViewSight& sight_;
  std::vector<std::vector<double>> table_;
  std::vector<double> wave_;
  std::vector<double> largest_;  ///< coefficient of each track
};

/// The engine's own polynomials, beside them those of [view].
class ExactWriter {
 public:
  ExactWriter(const model::Model& model, std::uint64_t most_bytes, Blob& blob, Tracks& tracks)
      : sight_(model), fit_(sight_), most_(blob.size() + most_bytes), blob_(blob), tracks_(tracks) {}

  /// Not if its coefficients are none in plain units: then it is fitted. Terms that no number shows anywhere on the piece are left out: of
  /// a very short one they would be coefficients beyond all numbers.
  bool put(const Piece& piece) {
    if (piece.unit != 1) {
      std::vector<double> plain = piece.position;
      const double s = piece.length / piece.unit;
      for (std::size_t i = 0; i < piece.n; ++i) {
        double largest = 0;
        double power = 1;
        for (std::size_t k = 0; k < piece.orders; ++k, power *= s) {
          largest = std::fmax(largest, std::abs(plain[k * piece.n + i]) * power);
        }
        power = 1;
        for (std::size_t k = 0; k < piece.orders; ++k, power *= s) {
          double& c = plain[k * piece.n + i];
          if (std::abs(c) * power < 0x1p-60 * largest) c = 0;
        }
      }
      double factor = 1;
      for (std::size_t k = 0; k < piece.orders; ++k, factor /= piece.unit) {
        for (std::size_t i = 0; i < piece.n; ++i) {
          double& c = plain[k * piece.n + i];
          if (c != 0) c *= factor;
        }
      }
      if (!std::all_of(plain.begin(), plain.end(), [](double c) { return std::isfinite(c); })) return false;
      return put(plain, piece.n, needed_orders(plain, piece.n, piece.orders), piece.start, piece.length, 0);
    }
    return put(piece.position, piece.n, needed_orders(piece.position, piece.n, piece.orders), piece.start, piece.length,
               0);
  }

 private:
  bool put(const std::vector<double>& motion, std::size_t n, std::size_t orders, double start, double length,
           int depth) {
    const std::size_t size = sight_.size();
    std::size_t view_orders = 0;
    if (size > 0) {
      if (!fit_.fit(motion, n, orders, start, length, view_, view_orders) && depth < 6 &&
          length > least_stretch * std::abs(start)) {
        std::vector<double> later = motion;
        move_start(later, n, orders, 0.5 * length);
        return put(motion, n, orders, start, 0.5 * length, depth + 1) &&
               put(later, n, orders, start + 0.5 * length, 0.5 * length, depth + 1);
      }
    }
    const std::size_t all = std::min<std::size_t>(std::max(orders, view_orders), 255);
    tracks_.start.push_back(start);
    tracks_.orders.push_back(static_cast<std::uint8_t>(all));
    if (size == 0) {
      blob_.add(std::span(motion).first(all * n));
      return blob_.size() <= most_;
    }
    nothing_.assign(std::max(n, size), 0.0);
    for (std::size_t k = 0; k < all; ++k) {
      blob_.add(k < orders ? std::span(motion).subspan(k * n, n) : std::span<const double>(nothing_).first(n));
      blob_.add(k < view_orders ? std::span<const double>(view_).subspan(k * size, size)
                                : std::span<const double>(nothing_).first(size));
    }
    return blob_.size() <= most_;
  }

  ViewSight sight_;
  ViewFit fit_;
  std::uint64_t most_;
  Blob& blob_;
  Tracks& tracks_;
  std::vector<double> view_;
  std::vector<double> nothing_;  ///< orders that one of the two does not have
};

/// Interpolation of one degree: its points in [0, 1], the inverse of its Vandermonde matrix, the points where errors are measured.
struct Interpolation {
  unsigned degree = 1;
  std::vector<double> node;
  std::vector<double> inverse;  ///< [power * (degree + 1) + node]
  std::vector<double> test;
};

Interpolation interpolation(unsigned degree) {
  Interpolation out;
  out.degree = degree;
  const std::size_t count = degree + 1;
  for (std::size_t j = 0; j < count; ++j) {
    out.node.push_back(0.5 - 0.5 * elementary::cos(pi * static_cast<double>(j) / degree));
  }
  for (std::size_t j = 0; j < degree; ++j) {
    for (const double part : {0.25, 0.5, 0.75}) {
      out.test.push_back(0.5 - 0.5 * elementary::cos(pi * (static_cast<double>(j) + part) / degree));
    }
  }
  linear::Matrix vandermonde(count, count);
  for (std::size_t j = 0; j < count; ++j) {
    double power = 1;
    for (std::size_t k = 0; k < count; ++k, power *= out.node[j]) {
      vandermonde(j, k) = power;
    }
  }
  out.inverse.assign(count * count, 0.0);
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<double> unit(count, 0.0);
    unit[j] = 1;
    const std::vector<double> column = linear::least_norm(vandermonde, unit, nullptr, vandermonde_rank);
    for (std::size_t k = 0; k < count; ++k) {
      out.inverse[k * count + j] = column[k];
    }
  }
  return out;
}

/// A run fitted again.
class Refit {
 public:
  Refit(const model::Model& model, const motion::RunView& run, const Survey& survey, const TrackScale& scale,
        const TrackLevel& level, std::uint64_t most_bytes, Blob& blob, Tracks& tracks)
      : sight_(model),
        window_(run),
        survey_(survey),
        scale_(scale),
        level_(level),
        before_(blob.size()),
        most_bytes_(most_bytes),
        blob_(blob),
        tracks_(tracks),
        n_(model.variables),
        all_(model.variables + sight_.size()) {
    for (unsigned degree = 1; degree <= level.degree; ++degree) {
      rules_.push_back(interpolation(degree));
    }
  }

  bool run() {
    // Single precision where its rounding is finer than the errors asked for.
    type_ = NumberType::f32;
    for (std::size_t i = 0; i < all_; ++i) {
      const double size = std::fmax(std::abs(survey_.low[i]), std::abs(survey_.high[i]));
      if (level_.stretches == 0 && single_rounding * size > 0.3 * level_.position * scale_.position[i]) {
        type_ = NumberType::f64;
      }
    }
    blob_.begin(type_);
    if (!window_.extend()) {
      return true;
    }
    return level_.stretches > 0 ? even() : adaptive();
  }

 private:
  [[nodiscard]] const Interpolation& rule(unsigned degree) const { return rules_[degree - 1]; }

  /// Values at the points u of [start, start + length]; a time at a border belongs to the stretch.
  void sample(double start, double length, const std::vector<double>& points, std::vector<double>& position,
              std::vector<double>* velocity) {
    position.resize(points.size() * all_);
    if (velocity != nullptr) {
      velocity->resize(points.size() * n_);
    }
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double time = start + length * points[j];
      // At the end of the stretch the piece before the border counts.
      const Piece* piece = &window_.at(time);
      if (points[j] == 1 && piece->start >= time && piece != &window_[0]) {
        piece = &window_.at(std::nextafter(piece->start, -std::numeric_limits<double>::infinity()));
      }
      values(*piece, time, point_, velocity != nullptr ? &rate_ : nullptr);
      std::copy(point_.begin(), point_.end(), position.begin() + static_cast<std::ptrdiff_t>(j * all_));
      if (sight_.size() > 0) {
        sight_.look(time, point_, position.data() + j * all_ + n_);
      }
      if (velocity != nullptr) {
        std::copy(rate_.begin(), rate_.end(), velocity->begin() + static_cast<std::ptrdiff_t>(j * n_));
      }
    }
  }

  struct Errors {
    double position = 0;
    double velocity = 0;
  };

  /// Fits [start, start + length] and measures.
  Errors fit(const Interpolation& with, double start, double length, std::vector<double>& coefficients) {
    const std::size_t count = with.degree + 1;
    sample(start, length, with.node, at_nodes_, nullptr);
    coefficients.assign(count * all_, 0.0);
    double factor = 1;
    for (std::size_t k = 0; k < count; ++k, factor /= length) {
      double* c = coefficients.data() + k * all_;
      for (std::size_t j = 0; j < count; ++j) {
        const double w = with.inverse[k * count + j] * factor;
        const double* x = at_nodes_.data() + j * all_;
        for (std::size_t i = 0; i < all_; ++i) {
          c[i] += w * x[i];
        }
      }
    }
    round_off(coefficients);
    return measure(with, count, start, length, coefficients);
  }

  /// Coefficients as they will be read again.
  void round_off(std::vector<double>& coefficients) const {
    if (type_ == NumberType::f32) {
      for (double& c : coefficients) {
        c = static_cast<double>(in_single(c));
      }
    }
  }

  /// Between the points, against the engine's own polynomials.
  Errors measure(const Interpolation& with, std::size_t count, double start, double length,
                 const std::vector<double>& coefficients) {
    const bool rates = std::isfinite(level_.velocity);
    tests_ = with.test;
    tests_.push_back(1);
    add_borders(start, length);
    sample(start, length, tests_, at_tests_, rates ? &rates_at_tests_ : nullptr);
    Errors errors;
    for (std::size_t j = 0; j < tests_.size(); ++j) {
      const double s = length * tests_[j];
      trial_position_.assign(all_, 0.0);
      trial_velocity_.assign(all_, 0.0);
      double* __restrict x = trial_position_.data();
      double* __restrict v = trial_velocity_.data();
      for (std::size_t k = count; k-- > 0;) {
        const double* __restrict c = coefficients.data() + k * all_;
        for (std::size_t i = 0; i < all_; ++i) {
          v[i] = v[i] * s + x[i];
          x[i] = x[i] * s + c[i];
        }
      }
      for (std::size_t i = 0; i < all_; ++i) {
        // Where a point of [view] has no place there is nothing to compare.
        const double error = std::abs(x[i] - at_tests_[j * all_ + i]) / scale_.position[i];
        errors.position = error > errors.position ? error : errors.position;
      }
      for (std::size_t i = 0; rates && i < n_; ++i) {
        const double wrong = std::abs(v[i] - rates_at_tests_[j * n_ + i]) / scale_.velocity[i];
        errors.velocity = wrong > errors.velocity ? wrong : errors.velocity;
      }
    }
    return errors;
  }

  /// Starts and middles of the pieces inside of the stretch, where the motion may turn; of many, some.
  void add_borders(double start, double length) {
    const std::size_t first = window_.count_until(start);
    const std::size_t last =
        std::max(first, window_.count_until(std::nextafter(start + length, -std::numeric_limits<double>::infinity())));
    constexpr std::size_t most = 100;
    const std::size_t step = (last - first) / most + 1;
    for (std::size_t k = first; k < last; k += step) {
      tests_.push_back((window_[k].start - start) / length);
      tests_.push_back(std::min((window_[k].start + 0.5 * window_[k].length - start) / length, 1.0));
    }
  }

  [[nodiscard]] double excess(const Errors& errors) const {
    const double v = std::isfinite(level_.velocity) ? errors.velocity / level_.velocity : 0.0;
    return std::fmax(errors.position / level_.position, v);
  }

  bool put(unsigned degree, double start, const std::vector<double>& coefficients, const Errors& errors) {
    tracks_.start.push_back(start);
    tracks_.orders.push_back(static_cast<std::uint8_t>(degree + 1));
    for (const double c : coefficients) {
      blob_.add(c);
    }
    tracks_.position_error = std::fmax(tracks_.position_error, errors.position);
    tracks_.velocity_error = std::fmax(tracks_.velocity_error, errors.velocity);
    tracks_.reached = (start - survey_.start) / (survey_.end - survey_.start);
    const auto used = static_cast<double>(blob_.size() - before_ + 9 * tracks_.start.size());
    const double part = used / static_cast<double>(most_bytes_);
    // What has come to a third of its share of the way at most will not come to the end.
    if (part > 0.1 && part < 1 && 3 * tracks_.reached < part) {
      tracks_.reached /= part;
      return false;
    }
    return part <= 1;
  }

  [[nodiscard]] bool is_short(const Piece& piece) const {
    return piece.unit == 1 && sight_.size() == 0 &&
           needed_orders(piece.position, piece.n, piece.orders) <= level_.degree + 1;
  }

  /// The engine's polynomial at `from`, carried on to the end of the stretch: exact where forces are constant, and free of the
  /// rounding that interpolation brings.
  bool carry_on(double from, double length, std::vector<double>& coefficients, Errors& errors, unsigned& degree) {
    const Piece& piece = window_.at(from);
    const std::size_t orders = needed_orders(piece.position, piece.n, piece.orders);
    coefficients.assign(piece.position.begin(), piece.position.begin() + static_cast<std::ptrdiff_t>(orders * n_));
    move_start(coefficients, n_, orders, from - piece.start);
    round_off(coefficients);
    errors = measure(rule(std::max(2U, static_cast<unsigned>(orders - 1))), orders, from, length, coefficients);
    degree = static_cast<unsigned>(orders - 1);
    return excess(errors) <= 1;
  }

  /// Stretches of one length.
  bool even() {
    const double whole = survey_.end - survey_.start;
    for (std::uint64_t k = 0; k < level_.stretches; ++k) {
      const double from = survey_.start + whole * static_cast<double>(k) / static_cast<double>(level_.stretches);
      const double to = survey_.start + whole * static_cast<double>(k + 1) / static_cast<double>(level_.stretches);
      look_ahead(from, to, std::numeric_limits<std::uint64_t>::max());
      const Errors errors = fit(rule(level_.degree), from, to - from, best_);
      if (!put(level_.degree, from, best_, errors)) {
        return false;
      }
    }
    return true;
  }

  /// Pieces up to `to` come in sight, those before `from` go.
  void look_ahead(double from, double to, std::uint64_t most) {
    window_.forget_before(from);
    while (window_.back().end() < to && window_.bytes() < most && window_.extend()) {
      note_border();
    }
    while (!borders_.empty() && borders_.front() <= from) {
      borders_.pop_front();
    }
  }

  /// Where the velocity jumps, a stretch ends.
  void note_border() {
    if (level_.across_shocks || window_.size() < 2) {
      return;
    }
    const Piece& before = window_[window_.size() - 2];
    const Piece& after = window_.back();
    values(before, before.end(), point_, &rate_);
    for (std::size_t i = 0; i < n_; ++i) {
      const double now = after.orders > 1 ? after.position[after.n + i] : 0.0;
      if (std::abs(now - rate_[i]) > 0.3 * level_.velocity * scale_.velocity[i]) {
        borders_.push_back(after.start);
        return;
      }
    }
  }

  bool adaptive() {
    constexpr std::uint64_t most_in_sight = 64U << 20U;
    constexpr std::size_t pieces_ahead = 65;  // over which a short polynomial is tried
    const double least = least_stretch * (survey_.end - survey_.start);
    double from = survey_.start;
    double length = window_[0].length;
    while (from < survey_.end) {
      // As far as pieces are in sight and no shock comes between.
      look_ahead(from, from + length, most_in_sight);
      const bool may_carry = is_short(window_.at(from));
      while (may_carry && borders_.empty() && window_.size() < pieces_ahead && window_.extend()) {
        note_border();
      }
      double limit = std::min(survey_.end, window_.back().end());
      if (!borders_.empty()) {
        limit = std::min(limit, borders_.front());
      }
      if (!(limit > from)) {
        if (!window_.extend()) {
          break;
        }
        note_border();
        continue;
      }
      bool to_limit = from + 1.1 * length >= limit;
      double h = to_limit ? limit - from : length;

      // Where the engine's polynomial is short and goes on, it is taken as it is.
      unsigned degree = level_.degree;
      Errors errors;
      if (may_carry && carry_on(from, limit - from, best_, errors, degree)) {
        if (!put(degree, from, best_, errors)) {
          return false;
        }
        length = std::fmax(limit - from, least);
        from = limit;
        continue;
      }

      // Shorter until the error is allowed.
      errors = fit(rule(level_.degree), from, h, best_);
      double ratio = excess(errors);
      while (!(ratio <= 1) && h > least) {
        h *= std::clamp(0.9 * elementary::pow(ratio, -1.0 / (level_.degree + 1)), 0.1, 0.7);
        to_limit = false;
        errors = fit(rule(level_.degree), from, h, best_);
        ratio = excess(errors);
      }
      const double growth =
          std::clamp(0.9 * elementary::pow(std::fmax(ratio, least_ratio), -1.0 / (level_.degree + 1)), 0.3, 4.0);

      // Lower degrees while they are good enough.
      degree = level_.degree;
      for (unsigned lower = 1; ratio <= 1 && lower < level_.degree; ++lower) {
        const Errors with_lower = fit(rule(lower), from, h, trial_);
        if (excess(with_lower) <= 1) {
          degree = lower;
          errors = with_lower;
          best_.swap(trial_);
          break;
        }
      }
      if (!put(degree, from, best_, errors)) {
        return false;
      }
      length = std::fmax(h * growth, least);
      from = to_limit ? limit : from + h;
    }
    return true;
  }

  ViewSight sight_;
  PieceWindow window_;
  const Survey& survey_;
  const TrackScale& scale_;
  const TrackLevel& level_;
  std::uint64_t before_;
  std::uint64_t most_bytes_;
  Blob& blob_;
  Tracks& tracks_;
  std::size_t n_;
  std::size_t all_;
  NumberType type_ = NumberType::f32;
  std::vector<Interpolation> rules_;
  std::deque<double> borders_;
  std::vector<double> trial_position_, trial_velocity_;
  std::vector<double> tests_, point_, rate_, at_nodes_, at_tests_, rates_at_tests_, best_, trial_;
};

}  // namespace

ViewSight::ViewSight(const model::Model& model) : model_(&model) {
  for (const model::Observable& component : model.view.components) {
    const expressions::Tape& tape = component.term.tape;
    registers_.emplace_back(tape.registers());
    expressions::load_constants(tape, registers_.back().data(), 1, 1);
  }
}

void ViewSight::look(double time, const std::vector<double>& position, double* out) {
  for (std::size_t k = 0; k < registers_.size(); ++k) {
    const model::TermGroup& term = model_->view.components[k].term;
    double* r = registers_[k].data();
    model::fill_inputs<1, 1>(term, time, position, position, {}, 0, r);
    if (!term.corners.empty()) {
      std::vector<expressions::Side> sides(term.corners.size());
      const std::size_t place = std::size_t{1} + term.positions + term.velocities + term.steady();
      model::find_sides(term, 0, {time, position, position}, sides, {r + place, term.modes});
    }
    expressions::extend(term.tape, r, 1, 0, 0, 1);
    out[k] = r[term.tape.outputs[0]];
  }
}

void PieceWindow::fetch() {
  std::uint64_t bytes = 0;
  run_->each_piece(next_, [&](const Piece& piece) {
    ahead_.push_back(piece);
    bytes += weight(piece);
    return bytes < (4U << 20U);
  });
}

bool PieceWindow::extend() {
  if (ahead_.empty()) {
    fetch();
  }
  if (ahead_.empty()) {
    return false;
  }
  bytes_ += weight(ahead_.front());
  pieces_.push_back(std::move(ahead_.front()));
  ahead_.pop_front();
  ++next_;
  return true;
}

void PieceWindow::forget_before(double time) {
  while (pieces_.size() > 1 && pieces_.front().end() <= time && pieces_[1].start <= time) {
    bytes_ -= weight(pieces_.front());
    pieces_.pop_front();
  }
}

std::size_t PieceWindow::count_until(double time) const {
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                     [](double t, const Piece& piece) { return t < piece.start; });
  return static_cast<std::size_t>(next - pieces_.begin());
}

const Piece& PieceWindow::at(double time) const {
  assert(!pieces_.empty());
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                     [](double t, const Piece& piece) { return t < piece.start; });
  return next == pieces_.begin() ? pieces_.front() : *(next - 1);
}

Survey survey(const model::Model& model, const motion::RunView& run) {
  Survey out;
  ViewSight sight(model);
  const std::size_t n = model.variables;
  const std::size_t all = n + sight.size();
  out.held.assign(model.rows(), 0);
  out.low.assign(all, std::numeric_limits<double>::infinity());
  out.high.assign(all, -std::numeric_limits<double>::infinity());
  out.speed.assign(n, 0.0);
  std::vector<double> position;
  std::vector<double> velocity;
  std::vector<double> seen(sight.size());
  const auto take = [&](double time) {
    for (std::size_t i = 0; i < n; ++i) {
      out.low[i] = std::fmin(out.low[i], position[i]);
      out.high[i] = std::fmax(out.high[i], position[i]);
    }
    sight.look(time, position, seen.data());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (std::isfinite(seen[i])) {
        out.low[n + i] = std::fmin(out.low[n + i], seen[i]);
        out.high[n + i] = std::fmax(out.high[n + i], seen[i]);
      }
    }
  };
  const int looks = n > 3000 ? 1 : 4;
  run.each_piece(0, [&](const Piece& piece) {
    if (out.pieces == 0) {
      out.start = piece.start;
    }
    ++out.pieces;
    out.end = piece.end();
    if (out.border.size() <= most_borders) {
      out.border.push_back(piece.start);
    }
    for (const std::uint32_t row : piece.rows) {
      ++out.held[row];
    }
    out.coefficients += static_cast<double>(needed_orders(piece.position, n, piece.orders)) * static_cast<double>(n);
    for (int k = 0; k <= looks; ++k) {
      const double time = k == looks ? piece.end() : piece.start + piece.length * k / looks;
      values(piece, time, position, &velocity);
      take(time);
      for (std::size_t i = 0; i < n; ++i) {
        out.speed[i] = std::fmax(out.speed[i], std::abs(velocity[i]));
      }
    }
    return true;
  });

  if (out.border.size() > most_borders) {
    out.border.clear();
  }

  // A run without pieces stands still where it is.
  if (out.pieces == 0) {
    const model::State& state = run.account->present.state;
    const bool known = state.position.size() == n;
    position = known ? state.position : model.initial_position;
    out.start = out.end = known ? state.time : model.simulation.start;
    take(out.start);
  }
  for (std::size_t i = 0; i < all; ++i) {
    if (!(out.low[i] <= out.high[i])) {
      out.low[i] = out.high[i] = 0;
    }
  }
  return out;
}

bool write_tracks(const model::Model& model, const motion::RunView& run, const Survey& survey, const TrackScale& scale,
                  const TrackLevel& level, std::uint64_t most_bytes, Blob& blob, Tracks& tracks) {
  const std::size_t before = blob.size();
  tracks = {};
  tracks.end = survey.end;
  bool enough = true;
  if (survey.pieces == 0) {
    // One piece that does not move.
    const model::State& state = run.account->present.state;
    Piece still;
    still.start = survey.start;
    still.n = model.variables;
    still.orders = 1;
    still.position = state.position.size() == model.variables ? state.position : model.initial_position;
    blob.begin(NumberType::f64);
    ExactWriter(model, most_bytes, blob, tracks).put(still);
  } else if (level.position == 0 && level.stretches == 0) {
    blob.begin(NumberType::f64);
    ExactWriter writer(model, most_bytes, blob, tracks);
    run.each_piece(0, [&](const Piece& piece) {
      // A run that is going on meanwhile is shown as far as it was at first sight.
      enough = writer.put(piece);
      return enough && tracks.start.back() < survey.end && piece.end() < survey.end;
    });
  } else {
    enough = Refit(model, run, survey, scale, level, most_bytes, blob, tracks).run();
  }
  if (!enough) {
    blob.cut(before);
    return false;
  }
  tracks.coefficients = blob.end();
  return true;
}

}  // namespace zwang::report
