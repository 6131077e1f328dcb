/// The mass matrix: factored block by block, M_B = L L^T, and variable by variable on the diagonal.
///
/// A pivot counts as positive when it exceeds 8 n eps of the diagonal entry it came from: below that it is rounding.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "zwang/linear/cholesky.hpp"
#include "zwang/linear/halves.hpp"
#include "zwang/linear/tolerances.hpp"
#include "zwang/matrix.hpp"

namespace zwang::linear {
namespace {

/// Lower Cholesky factor of a column-major matrix in place; the number of the first bad pivot, or the size. Where a `least` eigenvalue is known, it stands for
/// a pivot that rounding has left nothing of.
std::size_t factor_in_place(std::vector<double>& matrix, std::size_t size, double least) {
  const double tiny = mass_rounding_per_row * static_cast<double>(size);
  for (std::size_t j = 0; j < size; ++j) {
    // Row j of the symmetric matrix stands in its column, above the diagonal.
    double* const row = matrix.data() + j * size;
    const double before = row[j];

    // Its pivot must stand clear of rounding.
    double pivot = reduce_row(matrix.data(), size, j, row);
    if (least > 0 && !(pivot > tiny * before)) pivot = least;
    if ((least <= 0 && !(pivot > tiny * before)) || !std::isfinite(pivot)) return j;
    take_row(matrix.data(), size, j, row, std::sqrt(pivot));
    std::fill_n(row, j, 0.0);
  }
  return size;
}

/// Numbers to work in: a const Mass has none of its own, so that threads may share it. Small blocks find room here, larger ones in
/// memory of the calling thread, which grows with the largest block that the thread meets and allocates only then.
class Work {
 public:
  double* of(std::size_t size) { return size <= small_.size() ? small_.data() : of_thread(size); }

 private:
  static double* of_thread(std::size_t size) {
    thread_local std::vector<double> numbers;
    if (numbers.size() < size) numbers.resize(size);
    return numbers.data();
  }
  std::array<double, 16> small_;
};

}  // namespace

Mass::Mass(std::vector<double> diagonal) : diagonal_(std::move(diagonal)), inverse_root_(diagonal_.size(), 0.0) {}

Mass::Mass(std::size_t size, std::vector<std::vector<std::uint32_t>> blocks)
    : diagonal_(size, 0.0), inverse_root_(size, 0.0) {
  if (blocks.empty()) return;
  block_of_.assign(size, -1);
  place_in_block_.assign(size, 0);
  for (auto& variables : blocks) {
    // Note where each variable of the block lies.
    const auto number = static_cast<int>(blocks_.size());
    for (std::size_t place = 0; place < variables.size(); ++place) {
      assert(variables[place] < size && block_of_[variables[place]] == -1);
      assert(place == 0 || variables[place - 1] < variables[place]);
      block_of_[variables[place]] = number;
      place_in_block_[variables[place]] = static_cast<std::uint32_t>(place);
    }
    const std::size_t square = variables.size() * variables.size();
    blocks_.push_back({std::move(variables), std::vector<double>(square, 0.0), std::vector<double>(square, 0.0), {}});
  }
}

void Mass::set_turn(std::size_t block, const Turn& turn) {
  assert(blocks_[block].variables.size() == variables_of_a_turn);
  blocks_[block].turn = turn;
}

void Mass::set_zero() {
  std::fill(diagonal_.begin(), diagonal_.end(), 0.0);
  for (Block& block : blocks_) std::fill(block.entries.begin(), block.entries.end(), 0.0);
}

void Mass::add_diagonal(std::uint32_t i, double value) { add(i, i, value); }

void Mass::add(std::uint32_t i, std::uint32_t j, double value) {
  if (i == j) diagonal_[i] += value;
  const int number = block_of(i);
  if (number < 0) {
    assert(i == j);
    return;
  }
  assert(number == block_of(j));
  Block& block = blocks_[static_cast<std::size_t>(number)];
  const std::size_t size = block.variables.size();
  const std::size_t row = place_in_block_[i], column = place_in_block_[j];
  block.entries[column * size + row] += value;
  if (i != j) block.entries[row * size + column] += value;
}

bool Mass::factor() {
  // Single variables.
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    if (block_of(static_cast<std::uint32_t>(i)) >= 0) continue;
    const double mass = diagonal_[i];
    if (!(mass > 0) || !std::isfinite(mass)) {
      weakest_ = static_cast<std::uint32_t>(i);
      return false;
    }
    inverse_root_[i] = 1 / std::sqrt(mass);
  }

  // Blocks.
  for (Block& block : blocks_) {
    block.factor = block.entries;
    const double least = block.turn ? block.turn->weight.at(block.turn->light) : 0.0;
    const std::size_t reached = factor_in_place(block.factor, block.variables.size(), least);
    if (reached < block.variables.size()) {
      weakest_ = block.variables[reached];
      return false;
    }
  }
  return true;
}

void Mass::multiply(std::span<const double> x, std::span<double> y) const {
  Work memory;
  for (const Block& block : blocks_) {
    // The block's part of x is read before y is written, which may be the same array.
    const std::size_t size = block.variables.size();
    double* work = memory.of(size);
    std::fill_n(work, size, 0.0);
    for (std::size_t c = 0; c < size; ++c) {
      const double value = x[block.variables[c]];
      for (std::size_t i = 0; i < size; ++i) work[i] += block.entries[c * size + i] * value;
    }
    for (std::size_t i = 0; i < size; ++i) y[block.variables[i]] = work[i];
  }
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    if (block_of(static_cast<std::uint32_t>(i)) < 0) y[i] = diagonal_[i] * x[i];
  }
}

void Mass::solve(std::span<const double> x, std::span<double> y) const {
  if (blocks_.empty()) {
    for (std::size_t i = 0; i < diagonal_.size(); ++i) y[i] = x[i] / diagonal_[i];
    return;
  }
  Work memory;
  for (const Block& block : blocks_) {
    const std::size_t size = block.variables.size();
    double* work = memory.of(size);
    for (std::size_t i = 0; i < size; ++i) work[i] = x[block.variables[i]];
    // L u = x, then L^T y = u.
    into_metric(block, work);
    out_of_metric(block, work);
    for (std::size_t i = 0; i < size; ++i) y[block.variables[i]] = work[i];
  }
  for (std::size_t i = 0; i < diagonal_.size(); ++i) {
    if (block_of(static_cast<std::uint32_t>(i)) < 0) y[i] = x[i] / diagonal_[i];
  }
}

}  // namespace zwang::linear
