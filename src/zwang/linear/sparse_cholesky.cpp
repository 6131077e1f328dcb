/// Ordering, pattern, numbers and solution, one connected component at a time; see the header for the equation.
#include "zwang/linear/sparse_cholesky.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cassert>

#include "zwang/linear/tolerances.hpp"

namespace zwang::linear {

namespace {

/// A component with fewer rows than this in its core keeps the order it has: minimum degree would not pay.
constexpr std::size_t small_core = 4;

/// Dense fronts pay where a factor has at least so many entries and an entry of it takes part in so many products.
constexpr std::size_t least_front_entries = 2048;
constexpr std::size_t least_front_products = 12;

}  // namespace

void SparseCholesky::Parts::clear() {
  order.clear();
  component_start.assign(1, 0);
  factored.clear();
  fresh.clear();
  least_pivot.clear();
  fronts.clear();
  parent.clear();
  upper_start.assign(1, 0);
  upper_place.clear();
  upper_edge.clear();
  lower_start.assign(1, 0);
  lower_place.clear();
  lower.clear();
  inverse_pivot.clear();
}

void SparseCholesky::Parts::reserve(std::size_t rows) {
  // Enough for trees; fill makes the rest grow.
  order.reserve(rows);
  parent.reserve(rows);
  upper_start.reserve(rows + 1);
  upper_place.reserve(rows);
  upper_edge.reserve(rows);
  lower_start.reserve(rows + 1);
  lower_place.reserve(rows);
  lower.reserve(rows);
  inverse_pivot.reserve(rows);
}

void SparseCholesky::reset(std::size_t nodes) {
  now_.clear();
  in_.clear();
  component_of_.assign(nodes, nowhere);
  new_component_of_.assign(nodes, nowhere);
  degree_.assign(nodes, 0);
  place_.assign(nodes, nowhere);
  skipped_count_ = 0;
}

void SparseCholesky::expire() {
  std::fill(now_.factored.begin(), now_.factored.end(), std::uint8_t{0});
  for (const std::unique_ptr<Supernodes>& one : now_.fronts) {
    if (one) one->expire();
  }
}

void SparseCholesky::restrict_to(const SparseGram& gram, std::span<const std::uint8_t> in) {
  if (in.empty() != in_.empty()) expire();
  if (in.empty()) {
    in_.clear();
    return;
  }
  assert(in.size() == component_of_.size());
  if (in_.empty()) {
    in_.assign(in.begin(), in.end());
    return;
  }
  // Rows that come or go void the factor of their component; fronts remember where, and where the entries stand that they have with others.
  for (std::size_t c = 0; c < components(); ++c) {
    const std::size_t begin = now_.component_start[c], end = now_.component_start[c + 1];
    for (std::size_t k = begin; k < end; ++k) place_[now_.order[k]] = static_cast<std::uint32_t>(k - begin);
    for (std::size_t k = begin; k < end; ++k) {
      const std::uint32_t row = now_.order[k];
      if ((in_[row] != 0) == (in[row] != 0)) continue;
      now_.factored[c] = 0;
      if (!now_.fronts[c]) continue;
      now_.fronts[c]->change(k - begin);
      for (const std::uint32_t other : gram.neighbours(row)) {
        if (component_of_[other] == c) now_.fronts[c]->change(place_[other]);
      }
    }
  }
  std::copy(in.begin(), in.end(), in_.begin());
}

void SparseCholesky::soften(double part) {
  softness_ = part;
  expire();
}

void SparseCholesky::choose(const SparseGram& gram, std::span<const std::uint32_t> rows) {
  assert(component_of_.size() == gram.nodes());
  find_components(gram, rows);
  next_.clear();
  next_.reserve(rows.size());
  ordered_count_ = 0;

  // Keep each component that stood before with exactly these rows; order the others.
  for (std::size_t c = 0; c + 1 < member_start_.size(); ++c) {
    const std::span<const std::uint32_t> members(member_.data() + member_start_[c],
                                                 member_start_[c + 1] - member_start_[c]);
    const std::uint32_t old = component_of_[members.front()];
    bool stands = old != nowhere && now_.component_start[old + 1] - now_.component_start[old] == members.size();
    for (std::size_t k = 0; stands && k < members.size(); ++k) stands = component_of_[members[k]] == old;
    if (stands) {
      keep_component(old);
    } else {
      order_component(gram, members);
      ++ordered_count_;
    }
    next_.component_start.push_back(static_cast<std::uint32_t>(next_.order.size()));
  }

  // What was next is now.
  for (const std::uint32_t row : now_.order) component_of_[row] = nowhere;
  for (const std::uint32_t row : next_.order) {
    component_of_[row] = new_component_of_[row];
    new_component_of_[row] = nowhere;
  }
  std::swap(now_, next_);
  if (dense_.size() < now_.order.size()) {
    dense_.resize(now_.order.size(), 0.0);
    flag_.resize(now_.order.size());
    filled_.resize(now_.order.size());
    pattern_.resize(now_.order.size());
  }
}

void SparseCholesky::find_components(const SparseGram& gram, std::span<const std::uint32_t> rows) {
  // Mark the chosen rows; a mark of rows.size() says "not visited yet", which no component number reaches.
  const auto waiting = static_cast<std::uint32_t>(rows.size());
  for (const std::uint32_t row : rows) new_component_of_[row] = waiting;

  // Walk from each row not visited yet; the members come out in the order of the walk.
  member_start_.assign(1, 0);
  member_.clear();
  member_.reserve(rows.size());
  stack_.clear();
  for (const std::uint32_t seed : rows) {
    if (new_component_of_[seed] != waiting) continue;
    const auto component = static_cast<std::uint32_t>(member_start_.size() - 1);
    new_component_of_[seed] = component;
    stack_.push_back(seed);
    while (!stack_.empty()) {
      const std::uint32_t row = stack_.back();
      stack_.pop_back();
      member_.push_back(row);
      std::uint32_t degree = 0;
      for (const std::uint32_t other : gram.neighbours(row)) {
        if (new_component_of_[other] == nowhere) continue;
        ++degree;
        if (new_component_of_[other] != waiting) continue;
        new_component_of_[other] = component;
        stack_.push_back(other);
      }
      degree_[row] = degree;
    }
    member_start_.push_back(static_cast<std::uint32_t>(member_.size()));
  }
}

void SparseCholesky::keep_component(std::uint32_t old) {
  // Copy patterns and numbers; places are relative, so only the starts are shifted.
  const std::size_t begin = now_.component_start[old];
  const std::size_t end = now_.component_start[old + 1];
  const auto append = [](auto& to, const auto& from, std::size_t first, std::size_t last) {
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first),
              from.begin() + static_cast<std::ptrdiff_t>(last));
  };
  const auto append_starts = [&](std::vector<std::size_t>& to, const std::vector<std::size_t>& from) {
    const std::size_t base = to.back();
    for (std::size_t k = begin; k < end; ++k) to.push_back(base + from[k + 1] - from[begin]);
  };
  append(next_.order, now_.order, begin, end);
  append(next_.parent, now_.parent, begin, end);
  append(next_.inverse_pivot, now_.inverse_pivot, begin, end);
  append(next_.upper_place, now_.upper_place, now_.upper_start[begin], now_.upper_start[end]);
  append(next_.upper_edge, now_.upper_edge, now_.upper_start[begin], now_.upper_start[end]);
  append(next_.lower_place, now_.lower_place, now_.lower_start[begin], now_.lower_start[end]);
  append(next_.lower, now_.lower, now_.lower_start[begin], now_.lower_start[end]);
  append_starts(next_.upper_start, now_.upper_start);
  append_starts(next_.lower_start, now_.lower_start);
  next_.factored.push_back(now_.factored[old]);
  next_.fresh.push_back(0);
  next_.least_pivot.push_back(now_.least_pivot[old]);
  next_.fronts.push_back(std::move(now_.fronts[old]));
}

void SparseCholesky::order_component(const SparseGram& gram, std::span<const std::uint32_t> members) {
  // Strip leaves as long as there are any, each time following the branch that the leaf hung on.
  const std::size_t begin = next_.order.size();
  const std::uint32_t component = new_component_of_[members.front()];
  constexpr std::uint32_t gone = nowhere;
  for (const std::uint32_t seed : members) {
    std::uint32_t row = seed;
    while (degree_[row] <= 1) {
      degree_[row] = gone;
      next_.order.push_back(row);
      std::uint32_t branch = nowhere;
      for (const std::uint32_t other : gram.neighbours(row)) {
        if (new_component_of_[other] == component && degree_[other] != gone) branch = other;
      }
      if (branch == nowhere) break;
      --degree_[branch];
      row = branch;
    }
  }

  // What remains has no leaves.
  list_.clear();
  for (const std::uint32_t row : members) {
    if (degree_[row] != gone) list_.push_back(row);
  }
  std::sort(list_.begin(), list_.end());
  if (!list_.empty()) order_core(gram, list_);
  analyse_component(gram, begin, next_.order.size());
}

void SparseCholesky::order_core(const SparseGram& gram, std::span<const std::uint32_t> core) {
  // Too small for an ordering to matter.
  if (core.size() < small_core) {
    next_.order.insert(next_.order.end(), core.begin(), core.end());
    return;
  }

  // Approximate minimum degree on the pattern of the core.
  const std::uint32_t component = new_component_of_[core.front()];
  for (std::size_t k = 0; k < core.size(); ++k) place_[core[k]] = static_cast<std::uint32_t>(k);
  Eigen::SparseMatrix<double, Eigen::ColMajor, int> pattern(static_cast<Eigen::Index>(core.size()),
                                                            static_cast<Eigen::Index>(core.size()));
  std::size_t entries = 0;
  for (const std::uint32_t row : core) entries += degree_[row] + 1;
  pattern.resizeNonZeros(static_cast<Eigen::Index>(entries));
  int* starts = pattern.outerIndexPtr();
  int* places = pattern.innerIndexPtr();
  std::size_t fill = 0;
  for (std::size_t k = 0; k < core.size(); ++k) {
    starts[k] = static_cast<int>(fill);
    places[fill++] = static_cast<int>(k);
    for (const std::uint32_t other : gram.neighbours(core[k])) {
      if (new_component_of_[other] == component && degree_[other] != nowhere)
        places[fill++] = static_cast<int>(place_[other]);
    }
  }
  assert(fill == entries);
  starts[core.size()] = static_cast<int>(fill);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::internal::minimum_degree_ordering(pattern, permutation);
  for (std::size_t k = 0; k < core.size(); ++k) {
    next_.order.push_back(core[static_cast<std::size_t>(permutation.indices()[static_cast<Eigen::Index>(k)])]);
  }
}

void SparseCholesky::analyse_component(const SparseGram& gram, std::size_t begin, std::size_t end) {
  // Places in the order, relative to the component.
  const std::size_t count = end - begin;
  for (std::size_t k = 0; k < count; ++k) place_[next_.order[begin + k]] = static_cast<std::uint32_t>(k);
  const std::uint32_t component = new_component_of_[next_.order[begin]];
  if (flag_.size() < count) {
    flag_.resize(count);
    filled_.resize(count);
  }

  const std::size_t upper_begin = next_.upper_place.size();

  // Row by row: entries of Phi left of the diagonal, the elimination tree, and how many entries each column of L gets.
  next_.parent.resize(end);
  for (std::size_t k = 0; k < count; ++k) {
    const auto here = static_cast<std::uint32_t>(k);
    const std::uint32_t row = next_.order[begin + k];
    next_.parent[begin + k] = nowhere;
    flag_[k] = here;
    filled_[k] = 0;
    const std::span<const std::uint32_t> others = gram.neighbours(row);
    const std::span<const std::uint32_t> edges = gram.edges_of(row);
    for (std::size_t s = 0; s < others.size(); ++s) {
      if (new_component_of_[others[s]] != component || place_[others[s]] >= here) continue;
      next_.upper_place.push_back(place_[others[s]]);
      next_.upper_edge.push_back(edges[s]);
      for (std::uint32_t i = place_[others[s]]; flag_[i] != here; i = next_.parent[begin + i]) {
        if (next_.parent[begin + i] == nowhere) next_.parent[begin + i] = here;
        ++filled_[i];
        flag_[i] = here;
      }
    }
    next_.upper_start.push_back(next_.upper_place.size());
  }

  // Long columns in fronts.
  next_.inverse_pivot.resize(end, 0.0);
  next_.factored.push_back(0);
  next_.fresh.push_back(0);
  next_.least_pivot.push_back(1.0);
  next_.fronts.emplace_back();
  std::size_t entries = 0, products = 0;
  for (std::size_t k = 0; k < count; ++k) {
    entries += filled_[k];
    products += std::size_t{filled_[k]} * filled_[k] / 2;
  }
  if (entries >= least_front_entries && products >= least_front_products * entries) {
    make_fronts(begin, end, upper_begin);
    return;
  }

  // Room for L.
  for (std::size_t k = 0; k < count; ++k) next_.lower_start.push_back(next_.lower_start.back() + filled_[k]);
  next_.lower_place.resize(next_.lower_start.back());
  next_.lower.resize(next_.lower_start.back());
}

void SparseCholesky::make_fronts(std::size_t begin, std::size_t end, std::size_t upper_begin) {
  const std::size_t count = end - begin;
  auto fronts = std::make_unique<Supernodes>();
  const std::vector<std::uint32_t> walk = fronts->analyse({{next_.parent.data() + begin, count},
                                                           {filled_.data(), count},
                                                           {next_.upper_start.data() + begin, count + 1},
                                                           next_.upper_place,
                                                           next_.upper_edge});
  next_.fronts.back() = std::move(fronts);

  // The order is that of the walk; the lists of single rows are not needed.
  const std::vector<std::uint32_t> before(next_.order.begin() + static_cast<std::ptrdiff_t>(begin), next_.order.end());
  for (std::size_t k = 0; k < count; ++k) next_.order[begin + k] = before[walk[k]];
  next_.upper_place.resize(upper_begin);
  next_.upper_edge.resize(upper_begin);
  for (std::size_t k = 0; k < count; ++k) {
    next_.upper_start[begin + k + 1] = upper_begin;
    next_.lower_start.push_back(next_.lower_start.back());
  }
}

std::size_t SparseCholesky::entries() const {
  std::size_t sum = now_.lower_start.empty() ? 0 : now_.lower_start.back();
  for (const std::unique_ptr<Supernodes>& one : now_.fronts) sum += one ? one->entries() : 0;
  return sum;
}

void SparseCholesky::factor(const SparseGram& gram) {
  // Factor what has none.
  factored_count_ = 0;
  for (std::size_t c = 0; c < components(); ++c) {
    now_.fresh[c] = now_.factored[c] == 0 ? 1 : 0;
    if (now_.fresh[c] == 0) continue;
    factor_component(gram, c);
    now_.factored[c] = 1;
    ++factored_count_;
  }

  // Count the rows that turned out dependent, and see how near the others came to it.
  skipped_count_ = 0;
  least_pivot_ = 1;
  for (const double least : now_.least_pivot) least_pivot_ = std::min(least_pivot_, least);
  for (const double inverse : now_.inverse_pivot) skipped_count_ += inverse == 0 ? 1 : 0;
}

void SparseCholesky::factor_component(const SparseGram& gram, std::size_t component) {
  Supernodes* fronts = now_.fronts[component].get();
  if (fronts == nullptr) {
    factor_rows(gram, component);
    return;
  }
  const std::size_t begin = now_.component_start[component];
  const std::span<const std::uint32_t> rows = rows_of(component);
  const std::span<double> inverse(now_.inverse_pivot.data() + begin, rows.size());
  const double zero_pivot = vanishing_pivot(rows.size());
  const Supernodes::Outcome outcome = in_.empty()
                                          ? fronts->factor(gram, rows, softness_, zero_pivot, inverse, front_work_)
                                          : fronts->factor_part(gram, rows, in_, softness_, zero_pivot, inverse);
  now_.least_pivot[component] = outcome.least_pivot;
  work_ += outcome.products;
}

void SparseCholesky::factor_rows(const SparseGram& gram, std::size_t component) {
  const std::size_t begin = now_.component_start[component];
  const std::size_t count = now_.component_start[component + 1] - begin;
  const double zero_pivot = vanishing_pivot(count);
  const std::uint32_t* parent = now_.parent.data() + begin;
  const std::size_t* upper_start = now_.upper_start.data() + begin;
  const std::size_t* lower_start = now_.lower_start.data() + begin;
  const std::uint32_t* order = now_.order.data() + begin;
  double* inverse_pivot = now_.inverse_pivot.data() + begin;
  std::uint32_t* lower_place = now_.lower_place.data();
  double* lower = now_.lower.data();
  double* dense = dense_.data();
  std::uint32_t* flag = flag_.data();
  std::uint32_t* filled = filled_.data();
  std::uint32_t* pattern = pattern_.data();

  double least = 1;
  std::size_t products = 0;
  const auto drop_row = [&](std::size_t k) {
    for (std::size_t t = upper_start[k]; t < upper_start[k + 1]; ++t) {
      for (std::uint32_t i = now_.upper_place[t]; i < k; i = parent[i]) {
        const std::size_t last = lower_start[i] + filled[i] - 1;
        const auto* place =
            std::lower_bound(lower_place + lower_start[i], lower_place + last, static_cast<std::uint32_t>(k));
        if (*place == k) lower[place - lower_place] = 0;
      }
    }
  };
  for (std::size_t k = 0; k < count; ++k) {
    // Scatter row k of Phi; the columns of L it meets are the paths from its entries towards the root.
    const auto here = static_cast<std::uint32_t>(k);
    const bool is_in = in_.empty() || in_[order[k]] != 0;
    const double diagonal = is_in ? gram.diagonal(order[k]) : 1.0;
    double pivot = diagonal + softness_ * diagonal;
    flag[k] = here;
    filled[k] = 0;
    std::size_t top = count;
    for (std::size_t t = upper_start[k]; t < upper_start[k + 1]; ++t) {
      std::uint32_t i = now_.upper_place[t];
      if (is_in && (in_.empty() || in_[order[i]] != 0)) dense[i] += gram.between(now_.upper_edge[t]);
      std::size_t length = 0;
      for (; flag[i] != here; i = parent[i]) {
        pattern[length++] = i;
        flag[i] = here;
      }
      while (length > 0) pattern[--top] = pattern[--length];
    }

    // Solve for row k of L, from the leaves upwards.
    for (; top < count; ++top) {
      const std::uint32_t i = pattern[top];
      const double x = dense[i];
      dense[i] = 0;
      const std::size_t first = lower_start[i];
      const std::size_t last = first + filled[i];
      for (std::size_t p = first; p < last; ++p) dense[lower_place[p]] -= lower[p] * x;
      products += filled[i];
      const double l = x * inverse_pivot[i];
      pivot -= l * x;
      lower_place[last] = here;
      lower[last] = l;
      ++filled[i];
    }

    // A pivot of rounding size: the row depends on those before it and drops out; its row of L becomes zero.
    if (pivot > zero_pivot * diagonal) {
      inverse_pivot[k] = 1.0 / pivot;
      least = std::min(least, pivot / diagonal);
      continue;
    }
    inverse_pivot[k] = 0;
    drop_row(k);
  }

  now_.least_pivot[component] = least;
  work_ += products;
}

void SparseCholesky::solve(std::span<const double> b, std::span<double> x) {
  for (std::size_t c = 0; c < components(); ++c) solve_component(c, b, x);
}

void SparseCholesky::solve_fresh(std::span<const double> b, std::span<double> x) {
  for (std::size_t c = 0; c < components(); ++c) {
    if (now_.fresh[c] != 0) solve_component(c, b, x);
  }
}

void SparseCholesky::solve_component(std::size_t component, std::span<const double> b, std::span<double> x) {
  const std::size_t begin = now_.component_start[component];
  const std::size_t count = now_.component_start[component + 1] - begin;
  const std::size_t* lower_start = now_.lower_start.data() + begin;
  const std::uint32_t* lower_place = now_.lower_place.data();
  const double* lower = now_.lower.data();
  const std::uint32_t* order = now_.order.data() + begin;
  double* dense = dense_.data();

  if (now_.fronts[component]) {
    work_ += 2 * now_.fronts[component]->entries();
    for (std::size_t k = 0; k < count; ++k) dense[k] = b[order[k]];
    now_.fronts[component]->solve({dense, count}, front_work_);
    for (std::size_t k = 0; k < count; ++k) x[order[k]] = dense[k];
    std::fill(dense, dense + count, 0.0);
    return;
  }

  work_ += 2 * (lower_start[count] - lower_start[0]);

  // L z = P b, then z / D: a skipped row has zero in D^-1 and zero in its row of L.
  for (std::size_t k = 0; k < count; ++k) dense[k] = b[order[k]];

  // A tree without fill: every column but the last has one entry, that of its parent.
  if (lower_start[count] - lower_start[0] == count - 1) {
    const std::uint32_t* parent = lower_place + lower_start[0];
    const double* l = lower + lower_start[0];
    const double* inverse = now_.inverse_pivot.data() + begin;
    for (std::size_t k = 0; k + 1 < count; ++k) dense[parent[k]] -= l[k] * dense[k];
    dense[count - 1] *= inverse[count - 1];
    x[order[count - 1]] = dense[count - 1];
    for (std::size_t k = count - 1; k-- > 0;) {
      dense[k] = dense[k] * inverse[k] - l[k] * dense[parent[k]];
      x[order[k]] = dense[k];
    }
    std::fill(dense, dense + count, 0.0);
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const double z = dense[k];
    for (std::size_t p = lower_start[k]; p < lower_start[k + 1]; ++p) dense[lower_place[p]] -= lower[p] * z;
    dense[k] = z * now_.inverse_pivot[begin + k];
  }

  // L^T P x = z.
  for (std::size_t k = count; k-- > 0;) {
    double z = dense[k];
    for (std::size_t p = lower_start[k]; p < lower_start[k + 1]; ++p) z -= lower[p] * dense[lower_place[p]];
    dense[k] = z;
    x[order[k]] = z;
  }
  std::fill(dense, dense + count, 0.0);
}

}  // namespace zwang::linear
