/// Singular positions ahead: which rows held might become dependent on a step, and where they come near to it.
#include <algorithm>
#include <cmath>

#include "zwang/motion/reach.hpp"
#include "zwang/motion/series_impl.hpp"
#include "zwang/motion/tolerances.hpp"

namespace zwang::motion {

namespace {

/// Rows that stay independent of each other, whatever the position, on each body that they hold: one row, or those of a joint. (Place and directions of the other partner are
/// given in the axes of the one, and each of them takes a freedom of its own.)
struct Bond {
  std::vector<std::uint32_t> rows, bodies;
  bool steady = true;
};

/// The joint of each row, or none.
std::vector<std::uint32_t> joints_of_rows(const model::Model& model) {
  std::vector<std::uint32_t> out(model.rows(), ~std::uint32_t{0});
  for (std::uint32_t k = 0; k < model.joints.size(); ++k) {
    const model::Joint& joint = model.joints[k];
    if (joint.kind == "gear" || joint.kind.starts_with("rolling")) continue;
    for (std::uint32_t row = joint.first_row; row < joint.first_row + joint.rows; ++row) out[row] = k;
  }
  return out;
}

}  // namespace

/// Leaves are taken away until none is left.
void Series::Impl::find_loops() {
  // One row alone goes in a circle only if its gradient may vanish.
  if (model.joints.empty() && held_rows.size() <= 1) {
    const bool alone = !held_rows.empty() && !(shapes[model.row_group[held_rows[0].row]].steady && start[1] > start[0]);
    loops.assign(alone ? 1 : 0, 0);
    loops_known = true;
    return;
  }
  std::vector<std::uint32_t> body(n, 0);
  for (std::uint32_t b = 0; b < own_body.size(); ++b) {
    for (std::uint32_t i = own_body[b].first; i < own_body[b].first + own_body[b].second; ++i) body[i] = b;
  }
  const std::vector<std::uint32_t> joint = joints_of_rows(model);
  std::vector<std::uint32_t> bond_of(model.joints.size(), ~std::uint32_t{0});
  std::vector<Bond> bonds;
  for (std::uint32_t j = 0; j < held_rows.size(); ++j) {
    const std::uint32_t row = held_rows[j].row;
    const bool joined = joint[row] < bond_of.size();
    if (!joined || bond_of[joint[row]] >= bonds.size()) {
      if (joined) bond_of[joint[row]] = static_cast<std::uint32_t>(bonds.size());
      bonds.emplace_back();
    }
    Bond& bond = joined ? bonds[bond_of[joint[row]]] : bonds.back();
    bond.rows.push_back(j);
    if (!joined) bond.steady = shapes[model.row_group[row]].steady;
    for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) bond.bodies.push_back(body[column[e]]);
  }
  std::vector<std::vector<std::uint32_t>> bonds_of(own_body.size());
  std::vector<std::uint32_t> left(own_body.size(), 0);
  for (std::uint32_t k = 0; k < bonds.size(); ++k) {
    std::vector<std::uint32_t>& all = bonds[k].bodies;
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (const std::uint32_t b : all) {
      bonds_of[b].push_back(k);
      ++left[b];
    }
  }
  std::vector<std::uint8_t> gone(bonds.size(), 0);
  std::vector<std::uint32_t> single;
  for (std::uint32_t b = 0; b < left.size(); ++b) {
    if (left[b] == 1) single.push_back(b);
  }
  while (!single.empty()) {
    const std::uint32_t b = single.back();
    single.pop_back();
    for (const std::uint32_t k : bonds_of[b]) {
      if (gone[k] != 0 || !bonds[k].steady) continue;
      gone[k] = 1;
      for (const std::uint32_t other : bonds[k].bodies) {
        if (--left[other] == 1) single.push_back(other);
      }
    }
  }
  loops.clear();
  for (std::size_t k = 0; k < bonds.size(); ++k) {
    if (gone[k] == 0) loops.insert(loops.end(), bonds[k].rows.begin(), bonds[k].rows.end());
  }
  std::sort(loops.begin(), loops.end());
  loops_known = true;
}

/// J at s from the series of its gradients, and how fast the rows in loops turn at the beginning.
void Series::Impl::gradients_at(double s, std::vector<double>& entries) const {
  sweep_linked();
  entries.assign(column.size(), 0.0);
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    for (std::size_t d = 0; d < shape.directions.size(); ++d) {
      const Direction& direction = shape.directions[d];
      for (std::uint32_t l = 0; l < block.count; ++l) {
        const double* c = registers(block) + std::size_t{direction.reg} * orders * w + l;
        double g = 0;
        for (unsigned k = direction.constant || s == 0 ? 1 : N; k-- > 0;) {
          g = g * s + (block.strands && k > 0 ? strands.gradient(strand + l, k) : c[std::size_t{k} * w]);
        }
        for (const auto& [slot, sign] : direction.slots) entries[block.entry_at[slot * w + l]] = sign * g;
      }
      if (block.strands) strand += block.count;
    }
  }
}

/// Of the rows that links carry on the tapes have order zero alone.
void Series::Impl::sweep_linked() const {
  if (gradients_swept) return;
  gradients_swept = true;
  for (const Block& block : held_blocks) {
    if (!block.linked) continue;
    const RowGroup& group = model.groups[block.group];
    double* room = arena.data() + block.registers;
    for (std::uint32_t slot = 0; slot < group.positions; ++slot) {
      double* to = room + std::size_t{1 + slot} * orders * block.width;
      for (unsigned k = 0; k <= N; ++k) {
        for (std::uint32_t l = 0; l < block.width; ++l, ++to)
          *to = q[k * n + block.position_of[slot * block.width + l]];
      }
    }
    expressions::sweep(shapes[block.group].held, room, orders, N, block.width);
  }
}

double Series::Impl::turning(std::span<const std::uint32_t> numbers) const {
  sweep_linked();
  double most = 0;
  std::vector<double> rate(held_rows.size(), 0.0);
  std::size_t strand = 0;
  for (const Block& block : held_blocks) {
    const RowShape& shape = shapes[block.group];
    const std::uint32_t w = block.width;
    for (std::size_t d = 0; d < shape.directions.size(); ++d) {
      const Direction& direction = shape.directions[d];
      for (std::uint32_t l = 0; l < block.count && !direction.constant; ++l) {
        const double g = block.strands ? strands.gradient(strand + l, 1)
                                       : registers(block)[(std::size_t{direction.reg} * orders + 1) * w + l];
        for (const auto& [slot, sign] : direction.slots) {
          rate[block.row[l]] += g * g * inverse_of_diagonal(column[block.entry_at[slot * w + l]]);
        }
      }
      if (block.strands) strand += block.count;
    }
  }
  for (const std::uint32_t j : numbers) {
    const double own = std::max(factor.diagonal(j), tiny);
    most = std::max(most, std::sqrt(rate[j] / own));
  }
  return most;
}

/// By the factor of all rows held, which is that of the beginning.
bool Series::Impl::plainly_apart(double h, double least) const {
  double pivot = factor.least_pivot();
  std::vector<std::uint32_t> all(held_rows.size());
  for (std::uint32_t j = 0; j < all.size(); ++j) {
    all[j] = j;
    if (row_length[j] > 0) pivot = std::min(pivot, factor.diagonal(j) / (row_length[j] * row_length[j]));
  }
  return std::sqrt(std::max(pivot, 0.0)) > std::max(least, turns_of_combination * turning(all) * h);
}

/// How far from dependent the rows in loops are at s: the root of the least pivot, or of the shortest row's share of its length.
double Series::Impl::distance_from_dependence(double s) {
  if (probe == nullptr) {
    probe = std::make_unique<Probe>();
    probe->start.push_back(0);
    for (const std::uint32_t j : loops) {
      for (std::uint32_t e = start[j]; e < start[j + 1]; ++e) {
        probe->column.push_back(column[e]);
        probe->from.push_back(e);
      }
      probe->start.push_back(static_cast<std::uint32_t>(probe->column.size()));
    }
    probe->entry.resize(probe->column.size());
    const std::vector<std::uint8_t> shares(loops.size(), 0);
    probe->factor.shape({probe->start, probe->column, probe->entry}, dynamics.mass, shares);
  }
  gradients_at(s, probe->all);
  for (std::size_t e = 0; e < probe->from.size(); ++e) {
    probe->entry[e] = probe->all[probe->from[e]];
    if (!std::isfinite(probe->entry[e])) return 0;
  }
  probe->factor.factor({probe->start, probe->column, probe->entry}, dynamics.mass);
  double least = probe->factor.least_pivot();
  for (std::size_t j = 0; j < loops.size(); ++j) {
    const double known = row_length[loops[j]];
    if (known > 0) least = std::min(least, probe->factor.diagonal(j) / (known * known));
  }
  return std::sqrt(std::max(least, 0.0));
}

/// The next stretch of (0, h], around a place beyond `after`, on which the rows in loops may become dependent: one on which the distance from that has a least value. Where two
/// distances are more than the rows can turn in between, nothing happens there.
bool Series::Impl::narrow_place(double h, double& after, double& low, double& high) {
  if (!loops_known) find_loops();
  const double fastest = turns_of_combination * turning(loops);
  struct Look {
    double s, distance;
  };
  std::vector<Look> place = {{0, distance_from_dependence(0)}, {h, distance_from_dependence(h)}};
  const double shortest = h / places_looked_at;
  for (std::size_t i = 0; i + 1 < place.size();) {
    const double width = place[i + 1].s - place[i].s;
    if (place[i].distance + place[i + 1].distance > fastest * width || width <= shortest) {
      ++i;
      continue;
    }
    const double middle = place[i].s + 0.5 * width;
    place.insert(place.begin() + static_cast<std::ptrdiff_t>(i + 1), {middle, distance_from_dependence(middle)});
  }
  if (place.size() == 2 && place[0].distance + place[1].distance > fastest * h) return false;
  // Close to the ends slopes tell.
  place.insert(place.begin() + 1, {just_ahead * h, distance_from_dependence(just_ahead * h)});
  place.push_back({h * (1 + just_ahead), distance_from_dependence(h * (1 + just_ahead))});
  for (std::size_t i = 1; i + 1 < place.size(); ++i) {
    const Look& earlier = place[i - 1];
    const Look& here = place[i];
    const Look& later = place[i + 1];
    if (here.s <= after || here.distance > earlier.distance || here.distance >= later.distance) continue;
    // Straight on from one side, does it come to zero before the other?
    const double falls = (earlier.distance - here.distance) / (here.s - earlier.s);
    const double rises = (later.distance - here.distance) / (later.s - here.s);
    const bool beyond = here.distance > nearly_straight * falls * (later.s - here.s);
    const bool before = here.distance > nearly_straight * rises * (here.s - earlier.s);
    if (beyond && before) continue;
    after = place[i].s;
    low = place[i - 1].s;
    high = place[i + 1].s;
    return true;
  }
  return false;
}

}  // namespace zwang::motion
