/// Directions of speeds at rest: dry friction in a plane or in space.
///
/// The force has w / |w| in it, w a vector of velocities that vanishes. In its place stands c with |c| <= 1, what the directions beside w = 0 have as means. With
/// A what c takes off the rate of w,
///
///   w' = b - A c,     w' = 0 and |c| <= 1, or w' = push c with push > 0 and |c| = 1,
///
/// so that c leads where w goes. Several speeds, and surfaces of numbers (discs of one dimension), have each their own c; A couples them. Where the symmetric part of A is
/// positive, as for friction, (A + push) c = b has one solution for every disc with the others given, |c| falling with push, and going over the discs in
/// turn ends at the nearest point. Where a condition takes a part of the rates for itself, A has no effect there, and c none of it: the least c that holds.
///
/// Symbols: as in sliding.hpp; b the pushes with c = 0. Reference: docs/mathematics, section 21.7.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "zwang/instant/disc_room.hpp"
#include "zwang/instant/evaluation.hpp"
#include "zwang/instant/sliding.hpp"
#include "zwang/linear/spaces.hpp"

namespace zwang::instant {

using expressions::CornerKind;
using expressions::Side;

namespace {

const expressions::Corner& corner_of(const model::Model& model, std::uint32_t number) {
  const model::SwitchPlace place = model::place_of_switch(model, number);
  return place.group->corners[place.corner];
}

/// The switch `moves` of a part.
std::uint32_t whole_of(const model::Model& model, std::uint32_t part) {
  const model::SwitchPlace place = model::place_of_switch(model, part);
  return part - place.group->corners[place.corner].whole * place.group->lanes;
}

double length_of(const std::vector<double>& c, const std::vector<std::size_t>& of) {
  double square = 0;
  for (const std::size_t i : of) square += c[i] * c[i];
  return std::sqrt(square);
}

/// The least c with effect c = b, and what is left of b.
std::vector<double> least_weights(const std::vector<double>& effect, const std::vector<double>& b, double& left) {
  const std::size_t d = b.size();
  linear::Matrix matrix(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) matrix(i, j) = effect[i * d + j];
  }
  return linear::least_norm(matrix, b, &left, own_effect);
}

}  // namespace

bool Sliding::rest_in_discs(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                            std::vector<Disc>& discs, const std::vector<std::size_t>& among,
                            std::vector<double>& c) const {
  const std::size_t n = base.size();
  std::vector<double> found = c;
  for (const std::size_t k : among) {
    for (const std::size_t i : discs[k].of) found[i] = 0;
  }
  for (const std::vector<std::size_t>& group : coupled(effect, discs, among)) {
    // What is asked of the weights of these, by those that are given.
    std::vector<std::size_t> places;
    std::vector<std::vector<std::size_t>> its;
    for (const std::size_t k : group) {
      its.emplace_back();
      for (const std::size_t i : discs[k].of) {
        its.back().push_back(places.size());
        places.push_back(i);
      }
    }
    const std::size_t d = places.size();
    std::vector<double> own(d * d);
    std::vector<double> asked(d);
    linear::Matrix matrix(d, d);
    for (std::size_t a = 0; a < d; ++a) {
      asked[a] = base[places[a]];
      for (std::size_t j = 0; j < n; ++j) asked[a] -= effect[places[a] * n + j] * found[j];
      for (std::size_t e = 0; e < d; ++e) matrix(a, e) = own[a * d + e] = effect[places[a] * n + places[e]];
    }
    double left = 0;
    DiscRoom room{least_weights(own, asked, left), 0, {}};
    if (!(left <= push_in_doubt * zero)) return false;
    const linear::Matrix idle = linear::null_space(matrix, own_effect);
    if (idle.columns > 0 && group.size() > 1) room = most_room(its, room.c, idle);
    bool told = false;
    for (std::size_t k = 0; k < group.size(); ++k) {
      Disc& disc = discs[group[k]];
      const double size = length_of(room.c, its[k]);
      if (size > 1 + push_zero) return false;
      disc.push = 0;
      told = told || disc.told;
      for (std::size_t a = 0; a < its[k].size(); ++a) found[disc.of[a]] = room.c[its[k][a]] / (size > 1 ? size : 1.0);
    }
    // No room is left anywhere: those leave together that the conditions let go. Else none does.
    if (room.speed.empty()) continue;
    const bool full = told && room.most >= 1 - push_zero;
    for (std::size_t k = 0; k < group.size(); ++k)
      discs[group[k]].told = full && discs[group[k]].part && room.speed[k] > 0;
  }
  c = std::move(found);
  return true;
}

std::vector<std::vector<std::size_t>> Sliding::coupled(const std::vector<double>& effect,
                                                       const std::vector<Disc>& discs,
                                                       const std::vector<std::size_t>& among) const {
  const std::size_t n = switches_.size();
  const auto acts_on = [&](const Disc& one, const Disc& other) {
    for (const std::size_t i : one.of) {
      for (const std::size_t j : other.of) {
        if (effect[i * n + j] != 0 || effect[j * n + i] != 0) return true;
      }
    }
    return false;
  };
  std::vector<std::vector<std::size_t>> out;
  std::vector<std::size_t> open = among;
  while (!open.empty()) {
    out.push_back({open.front()});
    open.erase(open.begin());
    for (std::size_t at = 0; at < out.back().size(); ++at) {
      for (std::size_t k = 0; k < open.size();) {
        if (!acts_on(discs[out.back()[at]], discs[open[k]])) {
          ++k;
          continue;
        }
        out.back().push_back(open[k]);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      }
    }
    std::sort(out.back().begin(), out.back().end());
  }
  return out;
}

bool Sliding::has_parts() const {
  return std::any_of(switches_.begin(), switches_.end(),
                     [&](std::uint32_t number) { return corner_of(model_, number).kind == CornerKind::part; });
}

std::vector<Sliding::Disc> Sliding::discs() {
  std::map<std::uint32_t, std::vector<std::size_t>> speeds;
  std::map<std::uint32_t, double> scale;
  std::vector<Disc> out;
  std::vector<std::size_t> disc_of(switches_.size(), switches_.size());
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    bool part = false;
    bool plain = false;
    for (const Member& member : members_[i]) {
      const bool is_part = corner_of(model_, member.number).kind == CornerKind::part;
      (is_part ? part : plain) = true;
      if (!is_part) continue;
      const std::uint32_t whole = whole_of(model_, member.number);
      speeds[whole].push_back(i);
      // The speeds of one direction are multiples of each other by one number.
      const double factor = std::abs(multiple(switches_[i], on_[i], member.number, member.on));
      const double before = scale.try_emplace(whole, factor).first->second;
      if (!(std::abs(factor - before) <= on_threshold * before)) {
        refuse("are parts of several speeds", "write the frictions with one and the same speed, or apart");
        return {};
      }
    }
    if (part && plain) {
      refuse("one of them is a part of the speed of another one",
             "write both frictions with the norm of the same vector, or both along lines");
      return {};
    }
    if (plain) {
      out.push_back({{i}, false, false, false, 0});
      disc_of[i] = out.size() - 1;
    }
  }
  for (const auto& [whole, of] : speeds) {
    const std::size_t known = disc_of[of[0]];
    if (known < switches_.size() && out[known].of == of) continue;
    if (std::any_of(of.begin(), of.end(), [&](std::size_t i) { return disc_of[i] < switches_.size(); })) {
      refuse("are parts of several speeds", "write the frictions with one and the same speed, or apart");
      return {};
    }
    for (const std::size_t i : of) disc_of[i] = out.size();
    const bool told =
        std::any_of(of.begin(), of.end(), [&](std::size_t i) { return towards_[i] == expressions::part_leaves; });
    out.push_back({of, true, told, false, 0});
  }
  return out;
}

void Sliding::solve_disc(const std::vector<double>& base, const std::vector<double>& effect, Disc& disc,
                         std::vector<double>& c) const {
  const std::size_t n = base.size();
  const std::size_t d = disc.of.size();
  std::vector<double> own(d * d);
  std::vector<double> b(d);
  double length = 0;
  for (std::size_t a = 0; a < d; ++a) {
    const std::size_t i = disc.of[a];
    b[a] = base[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (std::find(disc.of.begin(), disc.of.end(), j) == disc.of.end()) b[a] -= effect[i * n + j] * c[j];
    }
    for (std::size_t k = 0; k < d; ++k) {
      own[a * d + k] = effect[i * n + disc.of[k]];
    }
    length += b[a] * b[a];
  }
  length = std::sqrt(length);
  const auto solved = [&](double push, std::vector<double>& x, double least) {
    std::vector<double> matrix = own;
    for (std::size_t a = 0; a < d; ++a) matrix[a * d + a] += push;
    return linear::solve_small(std::move(matrix), x, least);
  };
  const auto size_of = [&](const std::vector<double>& x) {
    double square = 0;
    for (const double value : x) square += value * value;
    return std::sqrt(square);
  };
  // At rest: where some direction has no effect, the least c.
  std::vector<double> x = b;
  if (length == 0) {
    std::fill(x.begin(), x.end(), 0.0);
  } else if (!solved(0, x, own_effect)) {
    double left = 0;
    x = least_weights(own, b, left);
    // Pushed where c does nothing: it goes there.
    if (!(left <= push_zero * length)) x.assign(d, 2.0);
  }
  disc.push = 0;
  if (const double size = size_of(x); size > 1 && size <= 1 + push_zero) {
    for (double& value : x) value /= size;
  } else if (size > 1) {
    double low = 0;
    double high = length;
    for (int round = 0; round < most_halvings_of_push; ++round) {
      const double push = (low + high) / 2;
      if (!(low < push && push < high)) break;
      x = b;
      (solved(push, x, 0) && size_of(x) <= 1 ? high : low) = push;
    }
    disc.push = high;
    x = b;
    static_cast<void>(solved(high, x, 0));
    const double length_of_x = size_of(x);
    for (double& value : x) value /= length_of_x;
  }
  for (std::size_t a = 0; a < d; ++a) c[disc.of[a]] = x[a];
}

bool Sliding::solve_discs(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                          std::vector<Disc>& discs, std::vector<double>& c) {
  const std::size_t n = base.size();
  // Friction takes energy: no c pushes w its own way.
  for (const Disc& disc : discs) {
    for (const std::size_t i : disc.of) {
      if (!(effect[i * n + i] < -zero)) continue;
      refuse("one of them, " + name_of_switch(model_, switches_[i]) + ", pushes away to every side",
             "friction acts against the speed, -mu*v/norm(v) with mu > 0");
      return false;
    }
  }
  // All at rest, if some c holds all: of a single disc the nearest point tells by itself.
  std::vector<std::size_t> resting(discs.size());
  std::iota(resting.begin(), resting.end(), std::size_t{0});
  c.assign(n, 0.0);
  if (discs.size() > 1 && rest_in_discs(base, effect, zero, discs, resting, c)) return true;
  c.assign(n, 0.0);
  bool found = false;
  int look = rounds_before_newton;
  for (int round = 0; round < most_rounds_of_discs && !found; ++round) {
    const std::vector<double> before = c;
    for (Disc& disc : discs) solve_disc(base, effect, disc, c);
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) moved = std::max(moved, std::abs(c[i] - before[i]));
    found = moved <= rounding_of_discs;
    if (found || round != look) continue;
    look *= 2;
    found = solve_discs_at_once(base, effect, zero, discs, c);
  }
  if (!found && !fits(discs, c, pushes_of(base, effect, c), push_in_doubt * zero)) {
    refuse("no combination keeps the motion on them");
    return false;
  }
  // Those that rest share what is open between them.
  std::erase_if(resting, [&](std::size_t k) { return discs[k].push > zero; });
  if (discs.size() > 1 && !resting.empty()) static_cast<void>(rest_in_discs(base, effect, zero, discs, resting, c));
  return true;
}

std::vector<double> Sliding::pushes_of(const std::vector<double>& base, const std::vector<double>& effect,
                                       const std::vector<double>& c) const {
  const std::size_t n = base.size();
  std::vector<double> w = base;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) w[i] -= effect[i * n + j] * c[j];
  }
  return w;
}

bool Sliding::solve_discs_at_once(const std::vector<double>& base, const std::vector<double>& effect, double zero,
                                  std::vector<Disc>& discs, std::vector<double>& c) const {
  const std::size_t n = base.size();
  std::vector<std::size_t> leaving;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    if (discs[k].push > zero) leaving.push_back(k);
  }
  std::vector<double> x = c;
  std::vector<double> push;
  for (const std::size_t k : leaving) push.push_back(discs[k].push);
  const std::size_t all = n + leaving.size();
  for (int round = 0; round < most_newton_rounds_of_discs; ++round) {
    // base - E c - p c = 0, |c|^2 = 1; p = 0 where it rests.
    std::vector<double> right = pushes_of(base, effect, x);
    right.resize(all, 0.0);
    linear::Matrix matrix(all, all);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) matrix(i, j) = effect[i * n + j];
    }
    for (std::size_t a = 0; a < leaving.size(); ++a) {
      double square = 0;
      for (const std::size_t i : discs[leaving[a]].of) {
        right[i] -= push[a] * x[i];
        matrix(i, i) += push[a];
        matrix(i, n + a) = x[i];
        matrix(n + a, i) = x[i];
        square += x[i] * x[i];
      }
      right[n + a] = (1 - square) / 2;
    }
    const std::vector<double> step = linear::least_norm(matrix, right, nullptr, push_zero);
    for (std::size_t i = 0; i < n; ++i) x[i] += step[i];
    for (std::size_t a = 0; a < leaving.size(); ++a) push[a] += step[n + a];
  }
  std::vector<Disc> there = discs;
  for (Disc& disc : there) disc.push = 0;
  for (std::size_t a = 0; a < leaving.size(); ++a) there[leaving[a]].push = push[a];
  const bool right = std::all_of(there.begin(), there.end(), [&](const Disc& disc) {
    return disc.push >= 0 && std::isfinite(disc.push) && length_of(x, disc.of) <= 1 + push_zero;
  });
  if (!right || !fits(there, x, pushes_of(base, effect, x), zero)) return false;
  discs = std::move(there);
  c = std::move(x);
  return true;
}

bool Sliding::fits(const std::vector<Disc>& discs, const std::vector<double>& c, const std::vector<double>& w,
                   double doubt) const {
  return std::all_of(discs.begin(), discs.end(), [&](const Disc& disc) {
    return std::all_of(disc.of.begin(), disc.of.end(),
                       [&](std::size_t i) { return std::abs(w[i] - disc.push * c[i]) <= doubt; });
  });
}

void Sliding::run_discs() {
  drop_kinks();
  const std::size_t n = switches_.size();
  std::vector<Disc> all = discs();
  if (all.empty()) return;
  std::vector<double> base;
  std::vector<double> change;
  std::vector<double> effect(n * n);
  std::vector<double> c(n, 0.0);
  std::vector<double> w;
  const auto weights = [&] {
    std::vector<double> sigma(n);
    for (std::size_t i = 0; i < n; ++i) sigma[i] = (1 + c[i]) / 2;
    return sigma;
  };
  const auto largest = [&] {
    double most = 0;
    for (const double x : base) most = std::max(most, std::abs(x));
    for (const double x : effect) most = std::max(most, std::abs(x));
    return most;
  };
  if (!imposed_.empty()) imposed_size_ = imposed_part * free_push();
  if (!push(weights(), base)) return;
  bool contacts = touches();
  const model::Dynamics& dynamics = workspace_.evaluation().dynamics;
  const std::vector<double> at_rest = dynamics.force;
  // What it would do without conditions: a floor that carries a load keeps it, too.
  std::vector<double> alone(n);
  for (std::size_t j = 0; j < n; ++j) alone[j] = switch_rates(model_, switches_[j], state_, instant_.free).first;
  std::vector<std::uint8_t> sizeless(n, 0);  // it changes no force
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> sigma(n, middle_weight);
    sigma[j] = 1;
    if (!push(sigma, w)) return;
    contacts = contacts || touches();
    sizeless[j] = 1;
    for (std::size_t i = 0; i < at_rest.size(); ++i) {
      if (std::abs(dynamics.force[i] - at_rest[i]) > push_zero * dynamics.force_scale[i]) sizeless[j] = 0;
    }
    for (std::size_t i = 0; i < n; ++i) effect[i * n + j] = base[i] - w[i];
  }
  double zero = push_zero * largest();
  const auto says_nothing = [&](std::size_t j) {
    return sizeless[j] != 0 && std::abs(base[j]) <= zero && std::abs(alone[j]) <= zero;
  };
  for (Disc& disc : all) {
    // Friction that is nothing yet in every direction lets a load go where it pulls; where the others keep it from pulling, what comes next tells.
    // So little beside the others that nothing can be told of it counts as nothing.
    disc.waits = std::all_of(disc.of.begin(), disc.of.end(), [&](std::size_t j) {
      double most = 0;
      for (std::size_t i = 0; i < n; ++i) most = std::max(most, std::abs(effect[i * n + j]));
      return sizeless[j] != 0 || most <= zero;
    });
    if (disc.waits || std::none_of(disc.of.begin(), disc.of.end(), says_nothing)) continue;
    return refuse("friction in a direction in which nothing pushes has no size here",
                  "begin where it has one, or give it a small size from the start, as in mu + 1e-9");
  }
  const auto taken = [&](double nothing) {
    if (imposed_size_ > 0) leave_as_imposed(base, effect, nothing, all, c);
    if (!decide_later(all, c, nothing)) return;
    take_discs(all, c, effect, nothing);
    if (!corners_.refusal.empty()) return;
    // With less friction what leaves its rest would go where it is going to.
    std::vector<double> sigma = weights();
    for (const Disc& disc : all) {
      if (!disc.told) continue;
      for (const std::size_t i : disc.of) sigma[i] = (1 + middle_weight * c[i]) / 2;
    }
    take_dropped(sigma);
  };
  if (!contacts) {
    if (!solve_discs(base, effect, zero, all, c)) return;
    if (!push(weights(), w)) return;
    if (!fits(all, c, w, push_in_doubt * zero)) return refuse("their combination is not the sum of their forces");
    return taken(zero);
  }
  // Conditions open and close with the weights: for the set that carries force the picture is linear, and tells the next set.
  if (!push(weights(), w)) return;
  std::vector<std::vector<std::uint32_t>> seen;
  std::vector<std::uint32_t> rows = carrying();
  const std::vector<Disc> as_told = all;
  for (std::size_t round = 0; round < most_carrying_sets; ++round) {
    if (std::find(seen.begin(), seen.end(), rows) != seen.end()) break;
    seen.push_back(rows);
    all = as_told;
    std::vector<double> relief;
    if (!with_rows(rows, base, change, relief)) break;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        effect[i * n + j] = -middle_weight * change[i * n + j];
        base[i] += middle_weight * change[i * n + j];
      }
    }
    const double here = std::max(zero, push_zero * largest());
    // What a condition takes for itself is nothing, but for rounding.
    for (double& x : effect) x = std::abs(x) <= here ? 0.0 : x;
    for (double& x : base) x = std::abs(x) <= here ? 0.0 : x;
    if (!solve_discs(base, effect, here, all, c)) return;
    if (!push(weights(), w)) return;
    const bool found = fits(all, c, w, push_in_doubt * here);
    // What presses no more need not be held, and friction beside it is free.
    std::vector<std::uint32_t> next = carrying();
    const bool fewer = next.size() < rows.size() && std::includes(rows.begin(), rows.end(), next.begin(), next.end()) &&
                       std::find(seen.begin(), seen.end(), next) == seen.end();
    if (found && !fewer) return taken(here);
    rows = std::move(next);
  }
  refuse("which conditions press with them is not decided",
         "take one of the conditions away, or give friction a smooth transition, v/sqrt(dot(v, v) + 1e-6)");
}

void Sliding::take_discs(const std::vector<Disc>& discs, const std::vector<double>& c,
                         const std::vector<double>& effect, double zero) {
  corners_.unasked = false;
  const std::size_t n = switches_.size();
  std::vector<double> sigma(n);
  for (std::size_t i = 0; i < n; ++i) sigma[i] = (1 + c[i]) / 2;
  std::vector<Where> where(n, Where::on);
  std::vector<std::uint8_t> slides(n, 1);
  std::vector<std::uint8_t> implied(n, 0);
  std::vector<Side> side(n, expressions::part_rests);
  std::vector<std::size_t> held;
  for (const Disc& disc : discs) {
    const bool leaves = disc.waits ? disc.push > 0 : disc.push > zero;
    const bool at_its_bound = length_of(c, disc.of) >= 1 - push_zero;
    for (const std::size_t i : disc.of) {
      if (!disc.part && leaves) {
        where[i] = c[i] > 0 ? Where::above : Where::below;
        sigma[i] = c[i] > 0 ? 1 : 0;
        slides[i] = 0;
      } else if (disc.waits) {
        side[i] = leaves ? expressions::part_leaves_at_once : expressions::part_rests;
        implied[i] = weight_waits;
      } else if (disc.part && (leaves || (disc.told && at_its_bound))) {
        // What was told to leave because it had come to its bound is pushed by no more than rounding of its share.
        const bool at_once = leaves && !disc.imposed && !(disc.told && disc.push <= push_in_doubt * zero);
        side[i] = at_once ? expressions::part_leaves_at_once : expressions::part_leaves;
      } else {
        held.push_back(i);
      }
    }
  }
  // As many of those at rest as are independent have weights that follow from the motion; those that the conditions and the others hold keep theirs.
  std::vector<double> left(n * n);
  for (std::size_t k = 0; k < n * n; ++k) left[k] = effect[k];
  double most = 0;
  for (const std::size_t i : held) most = std::max(most, left[i * n + i]);
  std::vector<std::size_t> open = held;
  while (!open.empty()) {
    const auto best = std::max_element(open.begin(), open.end(),
                                       [&](std::size_t i, std::size_t j) { return left[i * n + i] < left[j * n + j]; });
    const std::size_t i = *best;
    if (!(left[i * n + i] > own_effect * most)) break;
    open.erase(best);
    for (const std::size_t j : open) {
      for (const std::size_t k : open) left[j * n + k] -= left[j * n + i] * left[i * n + k] / left[i * n + i];
    }
  }
  // Friction that is small beside that of others is friction as long as its effect is its own: it may grow.
  for (std::size_t at = 0; at < open.size();) {
    const std::size_t i = open[at];
    if (!(effect[i * n + i] > zero && left[i * n + i] > middle_weight * effect[i * n + i])) {
      ++at;
      continue;
    }
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
    for (const std::size_t j : open) {
      for (const std::size_t k : open) left[j * n + k] -= left[j * n + i] * left[i * n + k] / left[i * n + i];
    }
    at = 0;
  }
  for (const std::size_t i : open) implied[i] = 1;
  for (const Disc& disc : discs) {
    if (!disc.idle) continue;
    for (const std::size_t i : disc.of) implied[i] = weight_idles;
  }
  take(where, sigma, slides, implied);
  if (!corners_.refusal.empty()) return;
  for (std::size_t i = 0; i < n; ++i) {
    for (const Member& member : members_[i]) {
      if (corner_of(model_, member.number).kind == CornerKind::part) corners_.sides[member.number] = side[i];
    }
  }
}

}  // namespace zwang::instant
