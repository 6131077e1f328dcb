/// Where the parameters of a fit must end: ranges that were asked for, and values beyond which the model has no meaning.
///
/// A restitution lies between 0 and 1, a mass above 0, a string is no shorter than what it holds at the start: nobody writes that down, the model refuses what lies beyond. So
/// where a step is refused, each parameter is moved alone, and the last value that is allowed is searched for by halving. Reference: docs/mathematics, section 24.6.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace zwang::sensitivity {

struct Bound {
  double at = 0;
  bool allowed = true;  ///< itself; else values come as near as they like
  std::string why;      ///< what the model says to values beyond; empty: the range that was asked for
};

/// Why a model with these values has no meaning; empty if it has one.
using Refusal = std::function<std::string(const std::vector<double>&)>;

class Bounds {
 public:
  Bounds(const std::vector<double>& start, Refusal refusal);

  /// The range that was asked for.
  void ask(std::size_t j, double low, double high);
  /// What was learned depends on the other parameters: it is looked up again after each step.
  void forget_learned();
  /// A step was refused: which parameters, moved alone, are so too. False: none, or nothing that was not known.
  bool learn(const std::vector<double>& here, const std::vector<double>& there);
  /// A bound that was reached turned out to have no motion with derivatives: it is not allowed. False: none was reached.
  bool keep_off(const std::vector<double>& there);
  /// How far a step of parameter j may go, with its sign; nothing where the whole step is within.
  [[nodiscard]] std::optional<double> room(std::size_t j, double here, double step) const;
  /// The bound that a value is at, if it is at one, on the side of `step`.
  [[nodiscard]] const Bound* reached(std::size_t j, double here, double step) const;

 private:
  struct Sides {
    std::optional<Bound> asked, learned, remembered;
    /// The nearer one.
    [[nodiscard]] const Bound* nearest(bool upper) const;
  };
  [[nodiscard]] std::optional<Bound> search(std::vector<double> here, std::size_t j, double beyond) const;
  [[nodiscard]] bool still(const Bound& bound, std::vector<double> here, std::size_t j, bool upper) const;

  std::vector<double> start_;
  Refusal refusal_;
  std::vector<Sides> low_, high_;
};

}  // namespace zwang::sensitivity
