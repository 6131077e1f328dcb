/// Problems that own their arrays, random ones with a known answer, and a slow second route to every answer.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "zwang/gauss.hpp"

namespace zwang::gauss::testing {

/// A problem with its arrays.
struct Instance {
  linear::Mass mass;
  std::vector<double> a0;
  std::vector<std::uint32_t> start{0};
  std::vector<std::uint32_t> column;
  std::vector<double> entry;
  std::vector<double> h;
  std::vector<RowKind> kind;

  [[nodiscard]] Problem problem() const { return {&mass, a0, start, column, entry, h, kind}; }
  /// Adds a row given over all columns; zeros are stored only when `dense`.
  void add_row(const std::vector<double>& row, double offset, RowKind row_kind, bool dense = true);
  [[nodiscard]] std::vector<double> row(std::size_t i) const;
};

/// n free variables with masses one.
Instance free_points(std::vector<double> a0);
/// The same with the given diagonal masses.
Instance free_points(std::vector<double> a0, std::vector<double> masses);
/// The same with one full mass matrix (row-major).
Instance free_points_full(std::vector<double> a0, const std::vector<double>& matrix);

/// A random problem whose solution is planted: half the rows bind with multipliers uniform in [0, 1], the others have slack
/// uniform in [0, 1], J normal, masses uniform in [0.5, 2].
struct Planted {
  Instance instance;
  std::vector<double> a;
  std::vector<double> lambda;
};
Planted planted(std::size_t n, std::size_t r, std::mt19937_64& random, bool duplicated = false);

/// The solution found by trying every set of rows as equations, in long double; none if no set passes all signs.
std::optional<std::vector<double>> by_enumeration(const Problem& problem);

}  // namespace zwang::gauss::testing
