/// Lines of rows and the one-pass solution along them; see the header for the equations.
#include "zwang/gauss/sparse_lines.hpp"

#include <algorithm>
#include <cassert>

#include "zwang/gauss/tolerances.hpp"

namespace zwang::gauss {

namespace {

/// Pairs are strung together in this order of strength: Phi_ij^2 / (Phi_ii Phi_jj), 1/4 for two equal strings in line.
/// Close steps around 1/4 tell the straight continuation of a string from strings that cross it at a small angle.
constexpr double strengths[] = {0.6, 0.249, 0.24, 0.2, 0.1, 0.03};

}  // namespace

void SparseLines::find(const linear::SparseGram& gram, std::span<const RowKind> kind) {
  // Every row is a line of its own.
  const auto rows = static_cast<std::uint32_t>(gram.nodes());
  link_.assign(2 * std::size_t{rows}, none);
  link_value_.resize(2 * std::size_t{rows});
  leader_.resize(rows);
  closes_with_.assign(rows, none);
  closing_value_.resize(rows);
  own_.resize(rows);
  for (std::uint32_t i = 0; i < rows; ++i) {
    leader_[i] = i;
    own_[i] = gram.diagonal(i);
  }
  between_.resize(gram.edges());
  for (std::size_t e = 0; e < between_.size(); ++e) between_[e] = gram.between(e);
  const auto leader = [&](std::uint32_t i) {
    while (leader_[i] != i) {
      leader_[i] = leader_[leader_[i]];
      i = leader_[i];
    }
    return i;
  };

  // Join ends of lines, strong pairs first; the pair that would close a ring is only noted.
  std::size_t along = 0;
  std::size_t pairs = 0;
  for (const double strength : strengths) {
    if (strength < 0.6 && along == pairs) break;
    pairs = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
      const std::size_t last = i + 1 < rows ? gram.first_edge(i + 1) : gram.edges();
      for (std::size_t e = gram.first_edge(i); e < last; ++e) {
        const std::uint32_t j = gram.upper_row(e);
        const double value = between_[e];
        if (value == 0) continue;
        ++pairs;
        if (value * value < strength * own_[i] * own_[j]) continue;
        if (value > 0 && kind[i] == RowKind::inequality && kind[j] == RowKind::inequality) continue;
        if (link_[2 * i + 1] != none || link_[2 * j + 1] != none) continue;
        const std::uint32_t one = leader(i);
        const std::uint32_t other = leader(j);
        if (one == other) {
          closes_with_[i] = j;
          closes_with_[j] = i;
          closing_value_[i] = closing_value_[j] = value;
          continue;
        }
        leader_[other] = one;
        const std::size_t at = link_[2 * i] == none ? 2 * i : 2 * i + 1;
        const std::size_t to = link_[2 * j] == none ? 2 * j : 2 * j + 1;
        link_[at] = j;
        link_[to] = i;
        link_value_[at] = link_value_[to] = value;
        ++along;
      }
    }
  }
  apart_ = along == pairs;

  // Write each line down from one of its ends; `leader_` now says who has been written.
  line_start_.assign(1, 0);
  row_.clear();
  diagonal_.clear();
  towards_next_.clear();
  closing_.clear();
  for (std::uint32_t end = 0; end < rows; ++end) {
    if (leader_[end] == none || link_[2 * end + 1] != none || !(own_[end] > 0)) continue;
    std::uint32_t i = end;
    while (i != none) {
      leader_[i] = none;
      row_.push_back(i);
      diagonal_.push_back(own_[i]);
      std::uint32_t next = none;
      double value = 0;
      for (std::size_t s = 2 * i; s < 2 * i + 2; ++s) {
        if (link_[s] == none || leader_[link_[s]] == none) continue;
        next = link_[s];
        value = link_value_[s];
      }
      towards_next_.push_back(-value);
      i = next;
    }
    line_start_.push_back(static_cast<std::uint32_t>(row_.size()));
    const bool ring = closes_with_[end] == row_.back();
    closing_.push_back(ring ? -closing_value_[end] : 0.0);
  }

  // Room for the longest line.
  std::size_t longest = 0;
  for (std::size_t line = 0; line < count(); ++line) {
    longest = std::max<std::size_t>(longest, line_start_[line + 1] - line_start_[line]);
  }
  q_.resize(longest);
  pivot_.resize(longest);
  load_.resize(longest);
  free_sign_.resize(longest);
  lambda_.assign(rows, 0.0);
}

std::size_t SparseLines::settle(const linear::SparseGram& gram, const Problem& problem, std::size_t most,
                                std::span<double> a) {
  // Two visits in a row without a change are taken as agreement; separate lines need only one visit.
  std::size_t visits = 0;
  int quiet = 0;
  while (visits < most && quiet < 2) {
    std::size_t changes = 0;
    for (std::size_t line = 0; line < count(); ++line) changes += visit(gram, problem, line, a);
    ++visits;
    quiet = changes == 0 ? quiet + 1 : 0;
    if (apart_) break;
    for (std::size_t line = 0; visits == 1 && line < count(); ++line) {
      if (closing_[line] != 0) open_ring_at_slack(gram, problem, line, a);
    }
  }
  return visits;
}

SparseLines::Stretch SparseLines::single(std::uint32_t i) const {
  const double inverse = 1.0 / d_[i];
  const double before = i > 0 ? e_[i - 1] * inverse : 0.0;
  const double behind = e_[i] * inverse;
  return {i, i, q_[i] * inverse, before, behind, q_[i] * inverse, before, behind};
}

bool SparseLines::join(const Stretch& left, Stretch& right) {
  // y = last of left, z = first of right: y = a2 + b21 x + b22 z, z = a1' + b11' y + b12' x'. The determinant is at least
  // about one over the length for independent rows.
  const double determinant = 1.0 - left.b22 * right.b11;
  if (!(determinant > least_determinant)) return false;
  const double s = 1.0 / determinant;
  const double y = s * (left.a2 + left.b22 * right.a1);
  const double z = s * (right.a1 + right.b11 * left.a2);
  right = {left.first,
           right.last,
           left.a1 + left.b12 * z,
           left.b11 + left.b12 * right.b11 * left.b21 * s,
           left.b12 * right.b12 * s,
           right.a2 + right.b21 * y,
           right.b21 * left.b21 * s,
           right.b22 + right.b21 * left.b22 * right.b12 * s};
  return true;
}

void SparseLines::activate(std::size_t length) {
  // Append row by row; a row that is loaded by what stands before it starts or prolongs a stretch.
  stretch_.clear();
  for (std::uint32_t i = 0; i < length; ++i) {
    const bool touches = !stretch_.empty() && stretch_.back().last + 1 == i;
    const double load = q_[i] + (touches ? e_[i - 1] * stretch_.back().a2 : 0.0);
    if (load <= 0 && free_sign_[i] == 0) continue;
    Stretch top = single(i);
    if (touches) {
      if (!join(stretch_.back(), top)) continue;
      stretch_.pop_back();
    }

    // The stretch grew heavier: the row before it may be loaded now, and so on.
    while (top.first > 0) {
      const std::uint32_t j = top.first - 1;
      const bool beyond = !stretch_.empty() && stretch_.back().last + 1 == j;
      if (q_[j] + e_[j] * top.a1 + (beyond ? e_[j - 1] * stretch_.back().a2 : 0.0) <= 0) break;
      Stretch more = top;
      if (!join(single(j), more) || (beyond && !join(stretch_.back(), more))) break;
      top = more;
      if (beyond) stretch_.pop_back();
    }
    stretch_.push_back(top);
  }
}

void SparseLines::open_ring_at_slack(const linear::SparseGram& gram, const Problem& problem, std::size_t line,
                                     std::span<const double> a) {
  // The slackest row of the ring, if any is slack.
  const std::size_t begin = line_start_[line];
  const std::size_t end = line_start_[line + 1];
  std::size_t slackest = end;
  double least = 0;
  for (std::size_t k = begin; k < end; ++k) {
    if (lambda_[row_[k]] != 0) continue;
    const double value = gram.times_row(row_[k], a) + problem.h[row_[k]];
    if (value >= least) continue;
    least = value;
    slackest = k;
  }
  if (slackest == end) return;

  // Turn the ring so that this row is the last: nothing passes the cut while it stays slack.
  const auto turn = [&](auto& list) {
    std::rotate(list.begin() + static_cast<std::ptrdiff_t>(begin),
                list.begin() + static_cast<std::ptrdiff_t>(slackest + 1),
                list.begin() + static_cast<std::ptrdiff_t>(end));
  };
  towards_next_[end - 1] = closing_[line];
  turn(row_);
  turn(diagonal_);
  turn(towards_next_);
  closing_[line] = towards_next_[end - 1];
  towards_next_[end - 1] = 0;
}

std::size_t SparseLines::visit(const linear::SparseGram& gram, const Problem& problem, std::size_t line,
                               std::span<double> a) {
  const std::size_t begin = line_start_[line];
  const std::size_t length = line_start_[line + 1] - begin;
  const std::uint32_t* row = row_.data() + begin;
  d_ = diagonal_.data() + begin;
  e_ = towards_next_.data() + begin;

  // Load of each row by everything but its line.
  for (std::size_t i = 0; i < length; ++i) {
    double q = gram.times_row(row[i], a) + problem.h[row[i]] + d_[i] * lambda_[row[i]];
    if (i > 0) q -= e_[i - 1] * lambda_[row[i - 1]];
    if (i + 1 < length) q -= e_[i] * lambda_[row[i + 1]];
    q_[i] = q;
    free_sign_[i] = problem.kind[row[i]] == RowKind::equation ? 1 : 0;
  }
  activate(length);

  // Multipliers of each stretch by elimination; everything between the stretches is slack.
  for (const Stretch& stretch : stretch_) {
    for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
      double pivot = d_[i];
      double load = q_[i];
      if (i > stretch.first) {
        const double m = e_[i - 1] / pivot_[i - 1];
        pivot -= m * e_[i - 1];
        load += m * load_[i - 1];
      }
      pivot_[i] = pivot;
      load_[i] = load;
    }
    double next = 0;
    for (std::size_t i = stretch.last + std::size_t{1}; i-- > stretch.first;) {
      next = (load_[i] + (i < stretch.last ? e_[i] * next : 0.0)) / pivot_[i];
      load_[i] = next;
    }
  }

  // Write the multipliers and move a along; count the rows that changed sides.
  std::size_t changes = 0;
  std::size_t place = 0;
  const auto write = [&](std::size_t i, double value) {
    const double change = value - lambda_[row[i]];
    if (change == 0) return;
    if ((value > 0) != (lambda_[row[i]] > 0)) ++changes;
    lambda_[row[i]] = value;
    gram.add_row(row[i], -change, a);
  };
  for (const Stretch& stretch : stretch_) {
    for (; place < stretch.first; ++place) write(place, 0.0);
    for (; place <= stretch.last; ++place) {
      const double value = load_[place];
      write(place, value < 0 && free_sign_[place] == 0 ? 0.0 : value);
    }
  }
  for (; place < length; ++place) write(place, 0.0);
  return changes;
}

}  // namespace zwang::gauss
