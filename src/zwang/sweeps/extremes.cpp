/// Bounds by Bernstein coefficients, halved where they leave a doubt.
#include "zwang/sweeps/extremes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "zwang/expressions/discs.hpp"
#include "zwang/expressions/remainders.hpp"
#include "zwang/model/evaluate.hpp"
#include "zwang/sweeps/tolerances.hpp"

namespace zwang::sweeps {

namespace {

constexpr unsigned further_orders = 10;  ///< that a series of f is followed beyond those of the positions
constexpr int most_stretches =
    4000;  ///< of one piece: beyond that values at the ends of stretches are all that is looked at

/// One expression on one piece.
class Search {
 public:
  Search(const motion::Piece& piece, const model::Observable& f, double sign, double best)
      : piece_(piece), term_(f.term), f_(f), sign_(sign), best_(best), length_(piece.length / piece.unit) {
    orders_ = piece.orders + further_orders;
  }

  double run() {
    look(0);
    look(length_);
    // Long ones first: where a root begins at zero the short ones beside it are rounding, as many as one likes.
    pending_.push_back({0, length_});
    while (!pending_.empty()) {
      std::pop_heap(pending_.begin(), pending_.end(), shorter);
      const Stretch next = pending_.back();
      pending_.pop_back();
      stretch(next.left, next.right);
    }
    return best_;
  }

 private:
  struct Stretch {
    double left = 0;
    double right = 0;
  };
  static bool shorter(const Stretch& one, const Stretch& other) {
    return one.right - one.left < other.right - other.left;
  }
  void add(const Stretch& one) {
    pending_.push_back(one);
    std::push_heap(pending_.begin(), pending_.end(), shorter);
  }

  /// The value at a place, as the samples of a run have it.
  void look(double s) {
    motion::evaluate(piece_, piece_.start + s * piece_.unit, state_);
    const double value = sign_ * model::observe(f_, state_);
    if (value > best_) best_ = value;
  }

  /// f between two places.
  void stretch(double left, double right) {
    const bool spent = ++stretches_ > most_stretches;
    const double middle = left + 0.5 * (right - left);
    if (spent || !(right - left > corner_place * length_)) {
      look(middle);
      return;
    }
    turn_ = middle;
    if (!expand(left, right)) {
      // Beside the place where a side is left, if it is known; else the halves.
      const double turn = turn_;
      const double beside = corner_place * length_;
      const bool known = turn != middle && turn - beside > left && turn + beside < right;
      const double first_end = known ? turn - beside : middle;
      const double second_start = known ? turn + beside : middle;
      look(first_end);
      if (known) {
        look(turn);
        look(second_start);
      }
      add({left, first_end});
      add({second_start, right});
      return;
    }
    // A polynomial of the stretch: to Bernstein's form, then halves of it.
    bound(bernstein(left, right, series_, sign_), left, right);
  }

  /// The positions around the left end, as coefficients of powers of the distance from it, into the registers; then f and its switching functions.
  /// False where a series leaves something out on the stretch, or a switching function changes its sign.
  bool expand(double left, double right) {
    shift(left);
    motion::evaluate(piece_, piece_.start + (left + 0.5 * (right - left)) * piece_.unit, state_);
    modes_.assign(term_.modes, 0.0);
    if (!term_.corners.empty()) {
      sides_.assign(term_.corners.size(), 0);
      model::find_sides(term_, 0, state_, sides_, modes_);
      run_tape(term_.switching, switching_bound_, left, right - left);
      for (std::size_t c = 0; c < term_.corners.size(); ++c) {
        if (term_.corners[c].quiet) continue;
        if (!take_series(switching_bound_, term_.switching.outputs[c]) || !keeps_side(c, left, right)) return false;
        if (term_.corners[c].kind == expressions::CornerKind::turns) {
          // The angle jumps where the other argument changes its sign.
          const std::uint32_t beside = term_.switching.outputs[term_.corners.size() + c];
          if (!take_series(switching_bound_, beside) || !has_one_sign(left, right)) return false;
        }
      }
    }
    run_tape(term_.tape, bound_, left, right - left);
    return roots_stay_positive(left, right) && take_series(bound_, term_.tape.outputs[0]);
  }

  /// The series of a root goes on below zero where the root turns: |x| is the root of x^2, and -x or x its series.
  bool roots_stay_positive(double left, double right) {
    const expressions::Tape& tape = term_.tape;
    const std::size_t before = tape.inputs.size() + tape.constants.size();
    for (std::size_t k = 0; k < tape.instructions.size(); ++k) {
      const expressions::Instruction& i = tape.instructions[k];
      if (i.op != expressions::Op::sqrt && i.op != expressions::Op::power) continue;
      if (!take_series(bound_, i.op == expressions::Op::sqrt ? static_cast<std::uint32_t>(before + k) : i.a))
        return false;
      const std::vector<double> b = bernstein(left, right, series_, 1);
      if (*std::min_element(b.begin(), b.end()) >= 0) continue;
      find_turn(b, 0, left, right);
      return false;
    }
    return true;
  }

  /// Between the thresholds of its interval, over the whole stretch.
  bool keeps_side(std::size_t c, double left, double right) {
    const expressions::Corner& corner = term_.corners[c];
    const std::vector<double> b = bernstein(left, right, series_, 1);
    const auto [low, high] = std::minmax_element(b.begin(), b.end());
    if (*low == *high) return true;
    const expressions::Side interval = sides_[c];
    if (interval % 2 != 0) return false;  // on the threshold, and not for long
    const bool below = corner.has_threshold(interval, false) && !(*low >= corner.threshold(interval, false));
    const bool above = corner.has_threshold(interval, true) && !(*high <= corner.threshold(interval, true));
    if (below != above) find_turn(b, corner.threshold(interval, above), left, right);
    return !below && !above;
  }

  /// Where a polynomial passes a threshold, if its coefficients do so once: then it does, too (Descartes).
  void find_turn(const std::vector<double>& b, double threshold, double left, double right) {
    int changes = 0;
    for (std::size_t j = 1; j < b.size(); ++j) changes += (b[j] > threshold) != (b[j - 1] > threshold) ? 1 : 0;
    if (changes != 1) return;
    const bool rises = b.back() > threshold;
    double low = 0;
    double high = 1;
    std::vector<double> work(b.size());
    while (high - low > corner_place) {
      const double x = 0.5 * (low + high);
      work = b;
      for (std::size_t k = work.size() - 1; k > 0; --k) {
        for (std::size_t j = 0; j < k; ++j) work[j] += x * (work[j + 1] - work[j]);
      }
      ((work[0] > threshold) == rises ? high : low) = x;
    }
    turn_ = left + 0.5 * (low + high) * (right - left);
  }

  [[nodiscard]] bool has_one_sign(double left, double right) const {
    const std::vector<double> b = bernstein(left, right, series_, 1);
    const auto [low, high] = std::minmax_element(b.begin(), b.end());
    return *low >= 0 || *high <= 0;
  }

  /// Taylor's shift of every coordinate that occurs: coefficients of powers of s - origin.
  void shift(double origin) {
    const std::size_t n = piece_.n;
    shifted_.assign(piece_.position.begin(), piece_.position.end());
    if (origin == 0) return;
    const auto each = [&](std::uint32_t variable) {
      for (std::size_t from = 0; from + 1 < piece_.orders; ++from) {
        for (std::size_t k = piece_.orders - 1; k-- > from;) {
          shifted_[k * n + variable] += origin * shifted_[(k + 1) * n + variable];
        }
      }
    };
    std::vector<std::uint32_t> met(term_.position_of.begin(), term_.position_of.end());
    met.insert(met.end(), term_.velocity_of.begin(), term_.velocity_of.end());
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    for (const std::uint32_t variable : met) each(variable);
  }

  /// What a tape's series leave out.
  struct Bound {
    std::vector<std::uint32_t> sized;
    std::vector<double> terms;  ///< that each register is made of at the place
    expressions::Remainders room;
    double reach = 0;
  };

  /// The series of all registers around a place, and what they leave out up to `reach` behind it: of the inputs, which are polynomials, nothing.
  void run_tape(const expressions::Tape& tape, Bound& bound, double origin, double reach) {
    const std::size_t n = piece_.n;
    const auto coefficient = [&](std::uint32_t variable, unsigned k) {
      return k < piece_.orders ? shifted_[k * n + variable] : 0.0;
    };
    registers_.assign(tape.registers() * orders_, 0.0);
    expressions::load_constants(tape, registers_.data(), orders_, 1);
    double* r = registers_.data();
    r[0] = piece_.start + origin * piece_.unit;
    r[1] = piece_.unit;
    r += orders_;
    for (std::size_t slot = 0; slot < term_.positions; ++slot, r += orders_) {
      for (unsigned k = 0; k < orders_; ++k) r[k] = coefficient(term_.position_of[slot], k);
    }
    for (std::size_t slot = 0; slot < term_.velocities; ++slot, r += orders_) {
      for (unsigned k = 0; k < orders_; ++k) {
        r[k] = (k + 1) * coefficient(term_.velocity_of[slot], k + 1) / piece_.unit;
      }
    }
    for (std::size_t slot = 0; slot < term_.constants; ++slot, r += orders_) {
      r[0] = slot >= term_.steady() ? modes_[slot - term_.steady()] : term_.constant_of[slot];
    }
    expressions::sweep(tape, registers_.data(), orders_, orders_ - 1, 1);
    bound.terms.resize(tape.registers());
    expressions::magnitudes(tape, registers_.data(), orders_, 1, bound.terms.data());
    if (bound.sized.empty()) bound.sized = expressions::sized_registers(tape);
    bound.reach = reach;
    expressions::make_room(tape, 1, orders_, bound.room);
    std::fill_n(bound.room.error.begin(), tape.inputs.size(), 0.0);
    const expressions::Stretch on(reach, orders_);
    expressions::bound_remainders(tape, bound.sized, registers_.data(), orders_, 1, orders_, on, bound.room);
  }

  /// The series of a register of what was run last. False: it leaves out more than a trifle of its terms on the stretch.
  bool take_series(const Bound& bound, std::uint32_t output) {
    const double* first = registers_.data() + std::size_t{output} * orders_;
    series_.assign(first, first + orders_);
    double sum = 0;
    for (unsigned k = orders_; k-- > 0;) sum = sum * bound.reach + std::abs(series_[k]);
    // A difference is known no better than what it is one of: 1 - tanh(u)^2.
    terms_ = std::max(sum, bound.terms[output]);
    return std::isfinite(sum) && bound.room.error[output] <= series_tail * terms_;
  }

  /// Bernstein coefficients of sign * series on [left, right].
  static std::vector<double> bernstein(double left, double right, const std::vector<double>& series, double sign) {
    // Powers of x = (s - left) / (right - left).
    std::size_t count = series.size();
    while (count > 1 && series[count - 1] == 0) --count;
    std::vector<double> c(series.begin(), series.begin() + static_cast<std::ptrdiff_t>(count));
    double power = sign;
    for (double& value : c) {
      value *= power;
      power *= right - left;
    }
    // b_j = sum_i C(j, i) / C(n, i) c_i, by sums of neighbours as in Pascal's triangle
    const std::size_t n = count - 1;
    double binomial = 1;
    for (std::size_t i = 0; i < count; ++i) {
      c[i] /= binomial;
      binomial *= static_cast<double>(n - i) / static_cast<double>(i + 1);
    }
    for (std::size_t k = 1; k < count; ++k) {
      for (std::size_t j = n; j >= k; --j) c[j] += c[j - 1];
    }
    return c;
  }

  /// A polynomial by its coefficients on [left, right].
  void bound(const std::vector<double>& b, double left, double right) {
    const double largest = *std::max_element(b.begin(), b.end());
    double size = terms_;
    for (const double value : b) size = std::max(size, std::abs(value));
    if (!(largest > best_ + extreme_rounding * size)) return;
    // The ends are values, which were looked at: a bound that is one of them is reached.
    if (largest <= std::max(b.front(), b.back())) return;
    if (is_concave(b)) {
      look(left + top(b) * (right - left));
      return;
    }
    const double middle = left + 0.5 * (right - left);
    look(middle);
    if (++stretches_ > most_stretches || !(right - left > extreme_place * length_)) return;
    // De Casteljau's halving.
    const std::size_t count = b.size();
    std::vector<double> low(count);
    std::vector<double> high = b;
    for (std::size_t k = 0; k < count; ++k) {
      low[k] = high[0];
      for (std::size_t j = 0; j + 1 + k < count; ++j) high[j] = 0.5 * (high[j] + high[j + 1]);
    }
    // The half that promises more comes first.
    const bool second = *std::max_element(high.begin(), high.end()) > *std::max_element(low.begin(), low.end());
    if (second) {
      bound(high, middle, right);
      bound(low, left, middle);
    } else {
      bound(low, left, middle);
      bound(high, middle, right);
    }
  }

  /// Second differences of the coefficients are those of the second derivative, up to a factor: where none is positive there is one top.
  static bool is_concave(const std::vector<double>& b) {
    for (std::size_t j = 2; j < b.size(); ++j) {
      if (b[j] - b[j - 1] > b[j - 1] - b[j - 2]) return false;
    }
    return true;
  }

  /// Where the derivative of a concave polynomial vanishes, or the end towards which it rises: Newton's steps, halves where they would leave what is known.
  static double top(const std::vector<double>& b) {
    std::vector<double> slope(b.size() - 1);
    for (std::size_t j = 0; j + 1 < b.size(); ++j) slope[j] = b[j + 1] - b[j];
    std::vector<double> work(slope.size());
    double low = 0;
    double high = 1;
    double x = 0.5;
    while (high - low > extreme_place) {
      work = slope;
      double rate = 0;
      for (std::size_t k = work.size() - 1; k > 0; --k) {
        if (k == 1) rate = static_cast<double>(slope.size() - 1) * (work[1] - work[0]);
        for (std::size_t j = 0; j < k; ++j) work[j] += x * (work[j + 1] - work[j]);
      }
      (work[0] > 0 ? low : high) = x;
      const double next = rate < 0 ? x - work[0] / rate : low;
      if (std::abs(next - x) <= extreme_place) return std::clamp(next, 0.0, 1.0);
      x = next > low && next < high ? next : 0.5 * (low + high);
    }
    return x;
  }

  const motion::Piece& piece_;
  const model::TermGroup& term_;
  const model::Observable& f_;
  double sign_;
  double best_;
  double length_;     ///< of the piece in its unit of time
  double terms_ = 0;  ///< of what the series looked at last is the difference
  unsigned orders_ = 0;
  Bound bound_, switching_bound_;
  int stretches_ = 0;
  std::vector<Stretch> pending_;
  double turn_ = 0;  ///< where the stretch looked at last leaves a side; its middle where that is not known
  model::State state_;
  std::vector<expressions::Side> sides_;
  std::vector<double> modes_, shifted_, registers_, series_;
};

}  // namespace

double largest_on(const motion::Piece& piece, const model::Observable& f, double sign, double best) {
  return piece.length > 0 && piece.orders > 0 ? Search(piece, f, sign, best).run() : best;
}

}  // namespace zwang::sweeps
