/// A system of forms restricted to a level set: random points on it, jets of the forms along it, ways that the forms
/// allow.
///
///   { x : g_1(x) = c_1, ..., g_m(x) = c_m },   solved for m of the columns as jets, y = y(u),
///   theta = sum (p_u + p_y dy/du) du
///
/// Levels are the holonomic equations, and integrals already found with their values at the state. Everything is
/// measured in the units of the columns. Reference: Voss, section 1 (reduction by integrals); docs/mathematics, section
/// 17.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "zwang/analysis/flag.hpp"
#include "zwang/analysis/pfaffian.hpp"

namespace zwang::analysis {

/// Random numbers that are the same everywhere (the generator splitmix64).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  /// Between -1 and 1.
  double throw_one();

 private:
  std::uint64_t seed_;
};

struct Level {
  expressions::Expr function;
  double value = 0;
};

/// From columns left after solving the levels back to all columns.
struct Lift {
  std::vector<std::size_t> kept;           ///< columns
  std::vector<std::size_t> solved;         ///< columns
  std::vector<std::vector<double>> slope;  ///< [solved][kept], in units of the kept columns
  std::vector<double> unit;                ///< of all columns
  /// A tangent vector in units of the kept columns as one in all columns.
  [[nodiscard]] std::vector<double> direction(const std::vector<double>& reduced) const;
};

class Restriction {
 public:
  Restriction(const PfaffianSystem& system, std::vector<Level> levels);

  [[nodiscard]] const PfaffianSystem& system() const { return system_; }
  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }

  /// The nearest point of the level set, in few steps; false if there is none near or numbers end.
  [[nodiscard]] bool settle(std::vector<double>& x) const;
  /// A random point of the level set, nearer and nearer to the state until there is one. Columns that vanish there are
  /// positive if `one_sided`, so that logarithms exist.
  [[nodiscard]] bool random_point(Dice& dice, std::vector<double>& x, bool one_sided = false) const;

  /// The forms along the level set, right to `order`; false where numbers are not finite.
  template <class S>
  [[nodiscard]] bool forms_at(const std::vector<double>& x, std::size_t order, FormsAt<S>& forms, Lift& lift) const;
  /// The number of independent levels at a point.
  [[nodiscard]] std::size_t level_rank(const std::vector<double>& x) const;
  /// Variables of the jets, if the columns are not solved for levels.
  [[nodiscard]] std::size_t active() const { return active_.size(); }

  /// All rows at a point (gradients of the levels, then forms), in units of the columns.
  [[nodiscard]] std::optional<std::vector<std::vector<double>>> rows_at(const std::vector<double>& x) const;
  /// The point that a way along allowed directions leads to, from x; nothing if it leaves the domain.
  [[nodiscard]] std::optional<std::vector<double>> wander(std::vector<double> x, Dice& dice) const;

 private:
  struct Gradient {
    std::vector<double> value;                   ///< of the levels, minus their constants
    std::vector<std::vector<double>> by_active;  ///< in units
  };
  [[nodiscard]] bool gradient(const std::vector<double>& x, Gradient& out) const;
  struct Pivot {
    std::size_t level, active;
  };
  [[nodiscard]] static std::vector<Pivot> pivots(std::vector<std::vector<double>> rows);

  const PfaffianSystem& system_;
  std::vector<Level> levels_;
  std::vector<std::size_t> active_;  ///< columns that a coefficient or a level depends on
  std::vector<int> place_;           ///< of a column in active_, or -1
  std::shared_ptr<const Program> level_program_;
  std::shared_ptr<const Program> form_program_;
  std::vector<std::pair<std::size_t, std::size_t>> entry_;  ///< of the outputs of form_program_: form, column
};

/// dx/ds = slope(x) over s = 0 .. 1, by extrapolation; nothing where the slope does not exist.
using Slope = std::function<std::optional<std::vector<double>>(const std::vector<double>&, double)>;
[[nodiscard]] std::optional<std::vector<double>> follow(const Slope& slope, std::vector<double> x);

extern template bool Restriction::forms_at(const std::vector<double>&, std::size_t, FormsAt<double>&, Lift&) const;
extern template bool Restriction::forms_at(const std::vector<double>&, std::size_t, FormsAt<Wide>&, Lift&) const;

}  // namespace zwang::analysis
