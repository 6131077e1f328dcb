/// Which columns go together, where their rows lie, and the numbers; see the header for the equation.
#include "zwang/linear/supernodes.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "zwang/linear/kernels.hpp"

namespace zwang::linear {

namespace {

constexpr std::uint32_t no_supernode = 0xffffffffU;

/// A supernode is joined with its parent if the two together have at most so many columns and at most this part of their entries is zero: the fewer columns,
/// the more the way from front to front costs beside the products. (Measured on nets and piles of 10^3 to 10^5 rows.)
struct Joining {
  std::size_t columns;
  double zeros;
};
constexpr Joining joinings[] = {{4, 0.8}, {16, 0.35}, {48, 0.15}, {static_cast<std::size_t>(-1), 0.05}};

[[nodiscard]] bool may_join(std::size_t columns, double zeros, double entries) {
  for (const Joining& one : joinings) {
    if (columns <= one.columns) return zeros <= one.zeros * entries;
  }
  return false;
}

/// Columns solved together.
constexpr std::size_t solved_together = 4;

/// A product of a front takes about this part of the time of one that stands alone.
constexpr std::size_t saving_of_fronts = 4;

}  // namespace

/// The elimination tree, children before their parent and each branch as a whole.
std::vector<std::uint32_t> Supernodes::walk(const EliminationPattern& pattern) const {
  const std::size_t count = pattern.parent.size();
  std::vector<std::uint32_t> child(count, no_supernode), sibling(count, no_supernode), order;
  order.reserve(count);
  for (std::size_t k = count; k-- > 0;) {
    const std::uint32_t parent = pattern.parent[k];
    if (parent == EliminationPattern::no_parent) continue;
    sibling[k] = child[parent];
    child[parent] = static_cast<std::uint32_t>(k);
  }
  std::vector<std::uint32_t> stack;
  for (std::size_t root = 0; root < count; ++root) {
    if (pattern.parent[root] != EliminationPattern::no_parent) continue;
    stack.push_back(static_cast<std::uint32_t>(root));
    while (!stack.empty()) {
      const std::uint32_t k = stack.back();
      if (child[k] == no_supernode) {
        order.push_back(k);
        stack.pop_back();
      } else {
        stack.push_back(child[k]);
        child[k] = sibling[child[k]];
      }
    }
  }
  assert(order.size() == count);
  return order;
}

std::vector<std::uint32_t> Supernodes::analyse(const EliminationPattern& pattern) {
  const std::size_t count = pattern.parent.size();
  std::vector<std::uint32_t> order = walk(pattern);
  std::vector<std::uint32_t> place(count), parent(count), below(count);
  for (std::size_t k = 0; k < count; ++k) place[order[k]] = static_cast<std::uint32_t>(k);
  entries_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t above = pattern.parent[order[k]];
    parent[k] = above == EliminationPattern::no_parent ? no_supernode : place[above];
    below[k] = pattern.below[order[k]];
    entries_ += below[k];
  }
  join_columns(parent, below);
  list_rows(pattern, place);
  lay_out();
  return order;
}

/// First columns whose rows below are the same but for the next column, then those where they nearly are.
void Supernodes::join_columns(std::span<const std::uint32_t> parent, std::span<const std::uint32_t> below) {
  const std::size_t count = parent.size();
  std::vector<std::uint32_t> first;
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0 && parent[k - 1] == k && below[k - 1] == below[k] + 1) continue;
    first.push_back(static_cast<std::uint32_t>(k));
  }

  // From the last one back: a supernode whose parent is the group right behind it may join that.
  struct Group {
    std::size_t first, columns, rows;
    double zeros;
  };
  std::vector<Group> groups;
  std::size_t end = count;
  for (std::size_t s = first.size(); s-- > 0;) {
    Group one{first[s], end - first[s], std::size_t{below[first[s]]} + 1, 0};
    end = one.first;
    while (!groups.empty()) {
      const Group& next = groups.back();
      const std::uint32_t above = parent[one.first + one.columns - 1];
      if (above == no_supernode || above >= next.first + next.columns) break;
      const std::size_t rows = one.columns + next.rows;
      const auto columns = static_cast<double>(one.columns + next.columns);
      const double zeros = one.zeros + next.zeros + static_cast<double>(one.columns * (rows - one.rows));
      const double entries = columns * (static_cast<double>(rows) - (columns - 1) / 2);
      if (!may_join(one.columns + next.columns, zeros, entries)) break;
      one = {one.first, one.columns + next.columns, rows, zeros};
      groups.pop_back();
    }
    groups.push_back(one);
  }
  first_.clear();
  for (std::size_t g = groups.size(); g-- > 0;) first_.push_back(static_cast<std::uint32_t>(groups[g].first));
  first_.push_back(static_cast<std::uint32_t>(count));
}

/// Rows below every supernode: those of its own entries of Phi and those of its children.
void Supernodes::list_rows(const EliminationPattern& pattern, std::span<const std::uint32_t> place) {
  const std::size_t count = place.size(), supernodes = first_.size() - 1;
  std::vector<std::uint32_t> supernode_of(count);
  for (std::size_t s = 0; s < supernodes; ++s) {
    for (std::uint32_t k = first_[s]; k < first_[s + 1]; ++k) supernode_of[k] = static_cast<std::uint32_t>(s);
  }

  // Entries of Phi by the supernode of their column: row, column, edge.
  entry_start_.assign(supernodes + 1, 0);
  const std::size_t base = pattern.upper_start[0];
  const std::size_t entries = pattern.upper_start[count] - base;
  for (std::size_t t = 0; t < entries; ++t)
    ++entry_start_[std::size_t{supernode_of[place[pattern.upper_place[base + t]]]} + 1];
  for (std::size_t s = 0; s < supernodes; ++s) entry_start_[s + 1] += entry_start_[s];
  std::vector<std::size_t> fill(entry_start_.begin(), entry_start_.end() - 1);
  std::vector<std::uint32_t> entry_row(entries), entry_column(entries);
  entry_edge_.resize(entries);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t t = pattern.upper_start[k]; t < pattern.upper_start[k + 1]; ++t) {
      const std::uint32_t column = place[pattern.upper_place[t]];
      const std::size_t to = fill[supernode_of[column]]++;
      assert(column < place[k]);
      entry_row[to] = place[k];
      entry_column[to] = column;
      entry_edge_[to] = pattern.upper_edge[t];
    }
  }

  row_start_.assign(1, 0);
  row_.clear();
  shape_.resize(supernodes);
  last_child_.assign(supernodes, no_supernode);
  next_child_.assign(supernodes, no_supernode);
  entry_place_.resize(entries);
  in_parent_.clear();
  std::vector<std::uint32_t> seen(count, no_supernode), where(count);
  for (std::size_t s = 0; s < supernodes; ++s) {
    // Each row once, ascending.
    const std::uint32_t end = first_[s + 1];
    const auto own = static_cast<std::uint32_t>(s);
    const auto see = [&](std::uint32_t row) {
      if (row < end || seen[row] == own) return;
      seen[row] = own;
      row_.push_back(row);
    };
    for (std::size_t t = entry_start_[s]; t < entry_start_[s + 1]; ++t) see(entry_row[t]);
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c]) {
      for (std::size_t t = row_start_[c]; t < row_start_[c + 1]; ++t) see(row_[t]);
    }
    std::sort(row_.begin() + static_cast<std::ptrdiff_t>(row_start_[s]), row_.end());
    row_start_.push_back(row_.size());
    in_parent_.resize(row_.size());
    shape_[s] = {end - first_[s], row_start_[s + 1] - row_start_[s]};
    if (shape_[s].below > 0) {
      const std::uint32_t parent = supernode_of[row_[row_start_[s]]];
      next_child_[s] = last_child_[parent];
      last_child_[parent] = own;
    }

    // Where rows lie in this front.
    for (std::uint32_t k = first_[s]; k < end; ++k) where[k] = k - first_[s];
    for (std::size_t t = row_start_[s]; t < row_start_[s + 1]; ++t)
      where[row_[t]] = static_cast<std::uint32_t>(shape_[s].width + (t - row_start_[s]));
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c]) {
      for (std::size_t t = row_start_[c]; t < row_start_[c + 1]; ++t) in_parent_[t] = where[row_[t]];
    }
    for (std::size_t t = entry_start_[s]; t < entry_start_[s + 1]; ++t) {
      const std::size_t column = entry_column[t] - first_[s];
      entry_place_[t] =
          static_cast<std::uint32_t>(column * shape_[s].stride() + shape_[s].above() + where[entry_row[t]]);
    }
  }
}

/// Room for the panels, for what is left of fronts until their parent takes it, and for solutions.
void Supernodes::lay_out() {
  const std::size_t supernodes = shape_.size();
  panel_start_.assign(1, 0);
  products_ = 0;
  std::size_t top = 0, most = 0, longest = 0;
  for (std::size_t s = 0; s < supernodes; ++s) {
    const FrontShape& shape = shape_[s];
    panel_start_.push_back(panel_start_.back() + shape.panel());
    most = std::max(most, top + shape.rest());
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c]) top -= shape_[c].rest();
    top += shape.rest();
    longest = std::max(longest, shape.stride());
    for (std::size_t k = 0; k < shape.width; ++k) {
      const std::size_t below = shape.below + (shape.width - 1 - k);
      products_ += below * (below + 1) / 2;
    }
  }
  assert(top == 0);
  products_ = products_ / saving_of_fronts + panel_start_.back();
  scratch_size_ = std::max(most, longest);
  panel_.resize(panel_start_.back());
  inverse_root_.resize(first_.back());
  diagonal_.resize(first_.back());
  is_kept_ = false;
  dirty_.assign(supernodes, 1);
}

/// What a child left is added, column by column: to columns that are eliminated now, or to what will be left.
void Supernodes::add_child(std::size_t child, std::size_t parent, const double* rest, double* panel,
                           double* own_rest) const {
  const FrontShape& from = shape_[child];
  const FrontShape& to = shape_[parent];
  const std::uint32_t* where = in_parent_.data() + row_start_[child];
  for (std::size_t j = 0; j < from.below; ++j) {
    const double* column = rest + j * from.stride_below();
    const std::size_t place = where[j];
    if (place < to.width) {
      double* target = panel + place * to.stride() + to.above();
      for (std::size_t i = j; i < from.below; ++i) target[where[i]] += column[i];
    } else {
      double* target = own_rest + (place - to.width) * to.stride_below();
      for (std::size_t i = j; i < from.below; ++i) target[where[i] - to.width] += column[i];
    }
  }
}

void Supernodes::clear_front(std::size_t s, double* panel, double* rest) const {
  const FrontShape& shape = shape_[s];
  std::fill(panel, panel + shape.panel(), 0.0);
  // Of what will be left the lower half counts; steps of rows that begin above the diagonal are read, but lead nowhere.
  for (std::size_t j = 0; j < shape.stride_below(); ++j) {
    double* column = rest + j * shape.stride_below();
    std::fill(column + j / front_step * front_step, column + shape.stride_below(), 0.0);
  }
}

Supernodes::Outcome Supernodes::factor(const SparseGram& gram, std::span<const std::uint32_t> order, double softness,
                                       double zero_pivot, std::span<double> inverse_pivot,
                                       std::vector<double>& scratch) {
  if (scratch.size() < scratch_size_) scratch.resize(scratch_size_);
  Outcome outcome;
  is_kept_ = false;
  std::size_t top = 0;
  for (std::size_t s = 0; s < shape_.size(); ++s) {
    // Phi and what the children left.
    const FrontShape& shape = shape_[s];
    const std::size_t begin = first_[s];
    double* panel = panel_.data() + panel_start_[s];
    double* rest = scratch.data() + top;
    clear_front(s, panel, rest);
    for (std::size_t k = 0; k < shape.width; ++k) {
      const double diagonal = gram.diagonal(order[begin + k]);
      diagonal_[begin + k] = diagonal;
      panel[k * shape.stride() + shape.above() + k] = diagonal + softness * diagonal;
    }
    for (std::size_t t = entry_start_[s]; t < entry_start_[s + 1]; ++t)
      panel[entry_place_[t]] += gram.between(entry_edge_[t]);
    std::size_t bottom = top;
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c]) {
      bottom -= shape_[c].rest();
      add_child(c, s, scratch.data() + bottom, panel, rest);
    }

    // Eliminate; what is left takes the place of the children.
    FrontPivots pivots{diagonal_.data() + begin, zero_pivot, inverse_root_.data() + begin, outcome.least_pivot};
    eliminate_front(shape, panel, pivots);
    outcome.least_pivot = pivots.least;
    subtract_square(shape, panel, rest);
    if (bottom != top && shape.rest() > 0) std::memmove(scratch.data() + bottom, rest, shape.rest() * sizeof(double));
    top = bottom + shape.rest();
  }
  for (std::size_t k = 0; k < inverse_root_.size(); ++k) inverse_pivot[k] = inverse_root_[k] * inverse_root_[k];
  outcome.products = products_;
  return outcome;
}

/// The rows of Phi that are in, and of the others the diagonal 1.
void Supernodes::fill_part(std::size_t s, const SparseGram& gram, std::span<const std::uint32_t> order,
                           std::span<const std::uint8_t> in, double softness) {
  const FrontShape& shape = shape_[s];
  const std::size_t begin = first_[s];
  double* panel = panel_.data() + panel_start_[s];
  for (std::size_t k = 0; k < shape.width; ++k) {
    const std::uint32_t row = order[begin + k];
    const double diagonal = in[row] != 0 ? gram.diagonal(row) : 1.0;
    diagonal_[begin + k] = diagonal;
    panel[k * shape.stride() + shape.above() + k] = diagonal + softness * diagonal;
  }
  for (std::size_t t = entry_start_[s]; t < entry_start_[s + 1]; ++t) {
    const std::size_t column = entry_place_[t] / shape.stride();
    const std::size_t down = entry_place_[t] % shape.stride() - shape.above();
    const std::size_t place = down < shape.width ? begin + down : row_[row_start_[s] + down - shape.width];
    if (in[order[begin + column]] == 0 || in[order[place]] == 0) continue;
    panel[entry_place_[t]] += gram.between(entry_edge_[t]);
  }
}

Supernodes::Outcome Supernodes::factor_part(const SparseGram& gram, std::span<const std::uint32_t> order,
                                            std::span<const std::uint8_t> in, double softness, double zero_pivot,
                                            std::span<double> inverse_pivot) {
  const std::size_t supernodes = shape_.size();
  if (rest_start_.empty()) {
    rest_start_.assign(1, 0);
    for (const FrontShape& shape : shape_) rest_start_.push_back(rest_start_.back() + shape.rest());
    rest_.resize(rest_start_.back());
    least_.assign(supernodes, 1.0);
  }
  if (!is_kept_) std::fill(dirty_.begin(), dirty_.end(), std::uint8_t{1});
  Outcome outcome;
  for (std::size_t s = 0; s < supernodes; ++s) {
    const FrontShape& shape = shape_[s];
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c]) {
      if (dirty_[c] != 0) dirty_[s] = 1;
    }
    if (dirty_[s] == 0) continue;
    double* panel = panel_.data() + panel_start_[s];
    double* rest = rest_.data() + rest_start_[s];
    clear_front(s, panel, rest);
    fill_part(s, gram, order, in, softness);
    for (std::uint32_t c = last_child_[s]; c != no_supernode; c = next_child_[c])
      add_child(c, s, rest_.data() + rest_start_[c], panel, rest);
    FrontPivots pivots{diagonal_.data() + first_[s], zero_pivot, inverse_root_.data() + first_[s], 1.0};
    eliminate_front(shape, panel, pivots);
    least_[s] = pivots.least;
    subtract_square(shape, panel, rest);
    for (std::size_t k = 0; k < shape.width; ++k) {
      const std::size_t below = shape.below + (shape.width - 1 - k);
      outcome.products += below * (below + 1) / 2;
    }
    outcome.products += saving_of_fronts * shape.panel();
  }
  outcome.products /= saving_of_fronts;
  for (const double least : least_) outcome.least_pivot = std::min(outcome.least_pivot, least);
  for (std::size_t k = 0; k < inverse_root_.size(); ++k) inverse_pivot[k] = inverse_root_[k] * inverse_root_[k];
  std::fill(dirty_.begin(), dirty_.end(), std::uint8_t{0});
  is_kept_ = true;
  return outcome;
}

void Supernodes::solve(std::span<double> x, std::vector<double>& scratch) const {
  if (scratch.size() < scratch_size_) scratch.resize(scratch_size_);
  double* t = scratch.data();

  // L z = b: a skipped column is zero, and so is its part of z.
  for (std::size_t s = 0; s < shape_.size(); ++s) {
    const FrontShape& shape = shape_[s];
    const std::size_t begin = first_[s], size = shape.width + shape.below;
    const double* panel = panel_.data() + panel_start_[s] + shape.above();
    const std::uint32_t* row = row_.data() + row_start_[s];
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(begin),
              x.begin() + static_cast<std::ptrdiff_t>(begin + shape.width), t);
    std::fill(t + shape.width, t + size, 0.0);
    for (std::size_t j = 0; j < shape.width; j += solved_together) {
      const std::size_t next = std::min(j + solved_together, shape.width);
      double factors[solved_together];
      const double* columns[solved_together];
      for (std::size_t k = j; k < next; ++k) {
        const double* column = panel + k * shape.stride();
        t[k] *= inverse_root_[begin + k];
        for (std::size_t i = k + 1; i < next; ++i) t[i] -= column[i] * t[k];
        factors[k - j] = -t[k];
        columns[k - j] = column + next;
      }
      if (next - j == solved_together) {
        add_multiples<solved_together>(factors, columns, t + next, size - next);
      } else {
        for (std::size_t k = 0; k < next - j; ++k) add_multiple(factors[k], columns[k], t + next, size - next);
      }
    }
    std::copy(t, t + shape.width, x.begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t i = 0; i < shape.below; ++i) x[row[i]] += t[shape.width + i];
  }

  // L^T x = z.
  for (std::size_t s = shape_.size(); s-- > 0;) {
    const FrontShape& shape = shape_[s];
    const std::size_t begin = first_[s], size = shape.width + shape.below;
    const double* panel = panel_.data() + panel_start_[s] + shape.above();
    const std::uint32_t* row = row_.data() + row_start_[s];
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(begin),
              x.begin() + static_cast<std::ptrdiff_t>(begin + shape.width), t);
    for (std::size_t i = 0; i < shape.below; ++i) t[shape.width + i] = x[row[i]];
    std::size_t end = shape.width;
    while (end > 0) {
      const std::size_t from = end - std::min(end, solved_together);
      double sums[solved_together];
      const double* columns[solved_together];
      for (std::size_t k = from; k < end; ++k) columns[k - from] = panel + k * shape.stride() + end;
      if (end - from == solved_together) {
        dots<solved_together>(columns, t + end, size - end, sums);
      } else {
        for (std::size_t k = 0; k < end - from; ++k) sums[k] = dot(columns[k], t + end, size - end);
      }
      for (std::size_t k = end; k-- > from;) {
        const double* column = panel + k * shape.stride();
        double z = t[k] - sums[k - from];
        for (std::size_t i = k + 1; i < end; ++i) z -= column[i] * t[i];
        t[k] = z * inverse_root_[begin + k];
      }
      end = from;
    }
    std::copy(t, t + shape.width, x.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace zwang::linear
