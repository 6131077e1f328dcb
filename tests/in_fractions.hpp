/// Verdicts of the nearest-point solver held against fractions: numbers are taken as they stand, and the exact answer is proved from the definitions.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/gauss.hpp"
#include "zwang/gauss/tolerances.hpp"
#include "zwang/rational/nearest.hpp"

namespace zwang::in_fractions {

using rational::Number;

/// The same problem; masses are diagonal.
inline rational::Problem of(const gauss::Problem& problem) {
  rational::Problem out;
  for (std::uint32_t j = 0; j < problem.n(); ++j) {
    out.a0.push_back(Number::of(problem.a0[j]));
    out.mass.push_back({{j}, {Number::of(problem.mass->diagonal()[j])}});
  }
  for (std::size_t i = 0; i < problem.r(); ++i) {
    rational::Row row{{}, Number::of(problem.h[i]), problem.kind[i] == gauss::RowKind::equation};
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      row.entries.emplace_back(problem.column[e], Number::of(problem.entry[e]));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

/// Distance of a point from the exact one, over their sizes, in the metric of the masses.
inline double distance(const gauss::Problem& problem, const std::vector<double>& a, const std::vector<Number>& exact) {
  double off = 0, size = 0;
  for (std::size_t j = 0; j < problem.n(); ++j) {
    const double mass = problem.mass->diagonal()[j], truth = exact[j].approximate();
    off += mass * (a[j] - truth) * (a[j] - truth);
    size += mass * (truth * truth + problem.a0[j] * problem.a0[j]);
  }
  return off == 0 ? 0 : std::sqrt(off / size);
}

/// A Farkas vector in doubles, its largest entry one.
inline std::vector<double> rounded(const std::vector<Number>& exact) {
  Number largest;
  for (const Number& y : exact) largest = std::max(largest, y.sign() < 0 ? -y : y);
  std::vector<double> farkas;
  for (const Number& y : exact) farkas.push_back((y / largest).approximate());
  return farkas;
}

/// How far a point is, over the natural size |h_i| / |B_i| of the rows that are said to contradict each other.
inline double remoteness(const gauss::Problem& problem, const std::vector<double>& farkas,
                         const std::vector<Number>& point) {
  const std::span<const double> mass = problem.mass->diagonal();
  double size = 0, extent = 0;
  for (std::size_t i = 0; i < problem.r(); ++i) {
    if (farkas[i] == 0) continue;
    double square = 0;
    for (std::size_t e = problem.start[i]; e < problem.start[i + 1]; ++e) {
      square += problem.entry[e] / mass[problem.column[e]] * problem.entry[e];
    }
    if (square > 0) size = std::max(size, std::abs(problem.h[i]) / std::sqrt(square));
  }
  for (std::size_t j = 0; j < problem.n(); ++j) {
    extent = std::max(extent, std::sqrt(mass[j]) * std::abs(point[j].approximate()));
  }
  return extent / size;
}

struct Judgement {
  std::string wrong;       ///< empty: the verdict is right
  double off = 0;          ///< of a point that was told
  bool by_a_hair = false;  ///< solved, though contradictory by less than its numbers are rounded
  bool remote = false;     ///< contradictory as far as the solver claims it, with a point beyond
};

/// Is the verdict right that the solver gave with `exact_numbers`?
inline Judgement judge(const gauss::Problem& problem, const gauss::Solution& solution) {
  constexpr double most_off = 1e-9;
  Judgement out;
  const rational::Problem exact = of(problem);
  std::vector<std::uint32_t> start;
  for (std::uint32_t i = 0; i < problem.r(); ++i) {
    if (solution.active[i] != 0) start.push_back(i);
  }
  const rational::Answer answer = rational::nearest_point(exact, start);
  if (const std::string why = rational::refute(exact, answer); !why.empty()) {
    out.wrong = "the exact answer is refuted: " + why;
    return out;
  }
  const bool possible = answer.verdict == rational::Verdict::nearest;
  if (solution.status == gauss::Status::infeasible && possible) {
    out.remote = remoteness(problem, solution.farkas, answer.a) > gauss::reach;
    if (!out.remote) out.wrong = "called contradictory, and is not";
  }
  if (solution.status == gauss::Status::solved && possible) {
    out.off = distance(problem, solution.a, answer.a);
    if (!(out.off <= most_off)) out.wrong = fmt::format("the point is off by {}", out.off);
  }
  if (solution.status == gauss::Status::solved && !possible) {
    // By less than its numbers are rounded: the proof does not stand for all problems within the bounds.
    out.by_a_hair = true;
    if (gauss::verify_farkas(problem, rounded(answer.farkas))) out.wrong = "a contradiction was not seen";
  }
  return out;
}

}  // namespace zwang::in_fractions
