/// Shapes: expressions in slots, their kinds, their tapes, their lanes.
#include "zwang/model/shapes.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "zwang/elementary/elementary.hpp"
#include "zwang/expressions/cones.hpp"
#include "zwang/model/tolerances.hpp"

namespace zwang::model {

using expressions::Expr;
using expressions::Graph;
using expressions::NodeKind;
using expressions::Symbol;
using expressions::SymbolKind;

namespace {

std::vector<Symbol> inputs(std::size_t positions, std::size_t velocities, std::size_t constants, std::size_t modes) {
  std::vector<Symbol> out = {{SymbolKind::time, 0}};
  for (std::uint32_t k = 0; k < positions; ++k) out.push_back({SymbolKind::position, k});
  for (std::uint32_t k = 0; k < velocities; ++k) out.push_back({SymbolKind::velocity, k});
  for (std::uint32_t k = 0; k < constants; ++k) out.push_back({SymbolKind::constant, k});
  for (std::uint32_t k = 0; k < modes; ++k) out.push_back({SymbolKind::mode, k});
  return out;
}

std::vector<Symbol> slots_of(SymbolKind kind, std::size_t count) {
  std::vector<Symbol> out;
  for (std::uint32_t k = 0; k < count; ++k) out.push_back({kind, k});
  return out;
}

std::vector<Expr> terms_of(const Graph& graph, Expr e) {
  const expressions::Node node = graph.node(e);
  if (node.kind == NodeKind::sum) return {node.children.begin(), node.children.end()};
  return {e};
}

/// The expression at rest: every velocity replaced by zero.
Expr at_rest(Graph& graph, Expr e) {
  return expressions::substitute(
      graph, e, [&](Symbol s) { return s.kind == SymbolKind::velocity ? graph.number(0) : graph.symbol(s); });
}

/// Some derivative of `order` by velocities still contains velocities, by its form.
bool bends(Graph& graph, Expr e, int order) {
  std::vector<Symbol> velocities = expressions::symbols(graph, e);
  std::erase_if(velocities, [](Symbol s) { return s.kind != SymbolKind::velocity; });
  if (velocities.empty() || order == 0) return !velocities.empty();
  const std::vector<Expr> gradient = expressions::gradient(graph, e, velocities);
  return std::any_of(gradient.begin(), gradient.end(), [&](Expr entry) { return bends(graph, entry, order - 1); });
}

/// Values of several expressions at random states near the probe's.
class Dice {
 public:
  Dice(const Graph& graph, std::span<const Expr> outputs, const Probe& probe)
      : probe_(probe),
        tape_(expressions::flatten(
            graph, outputs,
            inputs(probe.positions.size(), probe.velocities.size(), probe.constants.size(), probe.modes.size()))),
        registers_(tape_.registers()) {
    expressions::load_constants(tape_, registers_.data(), 1, 1);
  }

  /// A number between -1 and 1, the same in every run.
  double next() {
    seed_ = seed_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(seed_ >> 11U) / 4503599627370496.0 - 1.0;
  }
  std::vector<double> near(const std::vector<double>& values) {
    std::vector<double> out = values;
    for (double& value : out) value += next() * std::max(0.3, 0.3 * std::abs(value));
    return out;
  }
  std::vector<double> velocities() {
    std::vector<double> out(probe_.velocities.size());
    for (double& value : out) value = 2 * next();
    return out;
  }
  std::vector<double> positions() { return near(probe_.positions); }
  double time() { return probe_.time + 0.3 * next(); }

  /// They stand until the next call.
  const std::vector<double>& values(double time, const std::vector<double>& q, const std::vector<double>& v) {
    std::size_t k = 0;
    registers_[k++] = time;
    for (const double x : q) registers_[k++] = x;
    for (const double x : v) registers_[k++] = x;
    for (const double x : probe_.constants) registers_[k++] = x;
    for (const double x : probe_.modes) registers_[k++] = x;
    expressions::extend(tape_, registers_.data(), 1, 0, 0, 1);
    values_.clear();
    for (const std::uint32_t r : tape_.outputs) values_.push_back(registers_[r]);
    return values_;
  }

 private:
  const Probe& probe_;
  expressions::Tape tape_;
  std::vector<double> registers_;
  std::vector<double> values_;
  std::uint64_t seed_ = 20240229;
};

std::vector<double> plus(const std::vector<double>& a, const std::vector<double>& b, double factor) {
  std::vector<double> out = a;
  for (std::size_t k = 0; k < a.size(); ++k) out[k] += factor * b[k];
  return out;
}

/// The sum of the terms, differenced `order` + 1 times by velocities in random directions, vanishes at random states:
/// order 1 asks whether velocities occur more than linearly, 2 whether more than quadratically. `asked`: the state had a say.
bool difference_vanishes(const Graph& graph, std::span<const Expr> terms, const Probe& probe, int order, bool& asked) {
  asked = true;
  constexpr int attempts = 24;
  constexpr int enough = 6;
  Dice dice(graph, terms, probe);
  int judged = 0;
  for (int attempt = 0; attempt < attempts && judged < enough; ++attempt) {
    const double time = dice.time();
    const std::vector<double> q = dice.positions();
    const std::vector<double> v = dice.velocities();
    std::vector<double> step = dice.velocities();
    if (attempt % 2 == 1) {
      for (double& x : step) x *= 0.1;
    }

    // Binomial sum of f(v + k step): the (order + 1)-th difference.
    std::vector<double> difference(terms.size(), 0.0);
    double size = 0;
    double sign = 1;
    double binomial = 1;
    for (int k = 0; k <= order + 1; ++k) {
      const std::vector<double> value = dice.values(time, q, plus(v, step, k - 0.5 * (order + 1)));
      for (std::size_t i = 0; i < value.size(); ++i) {
        difference[i] += sign * binomial * value[i];
        size += std::abs(value[i]);
      }
      sign = -sign;
      binomial = binomial * (order + 1 - k) / (k + 1);
    }
    double total = 0;
    double scale = 0;
    for (const double x : difference) {
      total += x;
      scale += std::abs(x);
    }
    if (!std::isfinite(total) || !std::isfinite(size)) continue;
    ++judged;
    if (std::abs(total) > vanishing_difference * scale + vanishing_of_sizes * size) return false;
  }
  return judged > 0;
}

/// The terms of e that by their form are of higher order than `order` in the velocities, unless their sum is not: the
/// offending terms, none when e is of that order.
std::vector<Expr> beyond(Graph& graph, Expr e, const Probe& probe, int order, bool& asked) {
  std::vector<Expr> suspects;
  for (const Expr term : terms_of(graph, e)) {
    if (bends(graph, term, order)) suspects.push_back(term);
  }
  if (suspects.empty() || difference_vanishes(graph, suspects, probe, order, asked)) return {};
  return suspects;
}

/// The expression is zero at random states, up to the rounding of its terms.
bool vanishes(Graph& graph, Expr e, const Probe& probe, bool& asked) {
  const expressions::Node node = graph.node(e);
  if (node.kind == NodeKind::number) return node.number == 0;
  if (node.kind == NodeKind::symbol) return false;
  asked = true;
  constexpr int attempts = 12;
  const std::vector<Expr> terms = terms_of(graph, expressions::expand(graph, e));
  Dice dice(graph, terms, probe);
  int judged = 0;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const double time = dice.time();
    const std::vector<double> q = dice.positions();
    double total = 0;
    double scale = 0;
    for (const double value : dice.values(time, q, dice.velocities())) {
      total += value;
      scale += std::abs(value);
    }
    if (!std::isfinite(total)) continue;
    ++judged;
    if (std::abs(total) > vanishing_part * scale) return false;
  }
  return judged > 0;
}

/// Velocities occur: some derivative by a velocity is not zero.
bool moves(Graph& graph, Expr e, const Probe& probe, bool& asked) {
  std::vector<Symbol> velocities = expressions::symbols(graph, e);
  std::erase_if(velocities, [](Symbol s) { return s.kind != SymbolKind::velocity; });
  const std::vector<Expr> gradient = expressions::gradient(graph, e, velocities);
  return std::any_of(gradient.begin(), gradient.end(),
                     [&](Expr entry) { return !vanishes(graph, entry, probe, asked); });
}

/// Lanes one after the other become lanes side by side: [slot * lanes + lane].
template <class T>
std::vector<T> side_by_side(const std::vector<T>& in, std::size_t slots, std::size_t lanes) {
  std::vector<T> out(in.size());
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t slot = 0; slot < slots; ++slot) out[slot * lanes + lane] = in[lane * slots + slot];
  }
  return out;
}

}  // namespace

SlotMap Shapes::compact(std::vector<Expr>& expressions) {
  // The symbols that are left, in the order of their slots.
  std::vector<Symbol> left;
  for (const Expr e : expressions) {
    const std::vector<Symbol> here = expressions::symbols(graph_, e);
    left.insert(left.end(), here.begin(), here.end());
  }
  std::sort(left.begin(), left.end());
  left.erase(std::unique(left.begin(), left.end()), left.end());

  SlotMap out;
  std::map<Symbol, Symbol> image;
  bool moved = false;
  for (const Symbol s : left) {
    std::vector<std::uint32_t>* list = s.kind == SymbolKind::position   ? &out.positions
                                       : s.kind == SymbolKind::velocity ? &out.velocities
                                       : s.kind == SymbolKind::constant ? &out.constants
                                                                        : nullptr;
    if (list == nullptr) continue;
    const Symbol renamed{s.kind, static_cast<std::uint32_t>(list->size())};
    moved = moved || renamed != s;
    image[s] = renamed;
    list->push_back(s.index);
  }
  if (!moved) return out;
  for (Expr& e : expressions) {
    e = expressions::substitute(graph_, e, [&](Symbol s) {
      return graph_.symbol(s.kind == SymbolKind::time || s.kind == SymbolKind::mode ? s : image.at(s));
    });
  }
  return out;
}

std::vector<std::uint32_t> Shapes::Apart::key() const {
  std::vector<std::uint32_t> out;
  for (const Expr e : outputs) out.push_back(e.id);
  for (const Expr e : switching) out.push_back(e.id);
  const auto number = [&](double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    out.push_back(static_cast<std::uint32_t>(bits));
    out.push_back(static_cast<std::uint32_t>(bits >> 32U));
  };
  for (const expressions::Corner& corner : corners) {
    out.push_back(static_cast<std::uint32_t>(corner.kind) * 4 + (corner.quiet ? 1 : 0) + (corner.stirs ? 2 : 0));
    for (const double knot : corner.pieces.knots) number(knot);
    for (const auto& piece : corner.pieces.piece) {
      for (const double x : piece) number(x);
    }
  }
  return out;
}

Shapes::Apart Shapes::take_apart(std::span<const Expr> outputs, const Probe& probe, bool continued, bool directed) {
  expressions::Lowered lowered = expressions::lower(graph_, outputs, continued, directed);
  Apart out;
  out.outputs = std::move(lowered.outputs);
  out.modes = lowered.modes;
  for (const expressions::Site& site : lowered.sites) {
    out.corners.push_back(site.corner);
    out.corners.back().text = expressions::print(graph_, site.source, probe.names);
    out.switching.push_back(site.g);
  }
  for (const expressions::Site& site : lowered.sites) out.switching.push_back(site.beside);
  return out;
}

/// The probe with the modes that its state has.
Probe Shapes::with_modes(const Apart& apart, const Probe& probe) {
  Probe out = probe;
  out.modes.assign(apart.modes, 0.0);
  const std::size_t count = apart.corners.size();
  for (std::size_t round = 0; round <= count && count > 0; ++round) {
    Dice dice(graph_, apart.switching, out);
    const std::vector<double> g = dice.values(out.time, out.positions, out.velocities);
    for (std::size_t c = 0; c < count; ++c) {
      const expressions::Corner& corner = apart.corners[c];
      corner.numbers(corner.side(g[c], g[count + c]), std::span(out.modes).subspan(corner.first_mode, corner.modes));
    }
  }
  return out;
}

std::string Shapes::find_jump(Expr source, const Apart& apart, const Probe& probe) {
  constexpr int attempts = 40;    // states from which the surface is looked for
  constexpr int halvings = 200;   // of the way to it: down to the last digit, from anywhere
  constexpr double small = 1e-9;  // of the terms: what is left of a difference on the surface by rounding
  constexpr double farther =
      1e4;  // of the last piece of that way on which the state moves: a root changes a hundred times as much
  const std::size_t count = apart.corners.size();
  if (count == 0 || expressions::has_no_jump(graph_, source)) return {};
  asked_about_state_ = true;
  Probe here = probe;
  std::vector<expressions::Side> sides(count);
  Dice dice(graph_, apart.switching, here);

  // Sides and modes at any state near by: again until a round, which sees the modes of the one before, changes nothing.
  std::vector<expressions::Side> last_sides(count);
  std::vector<expressions::Side> start(count);
  std::vector<expressions::Side> other(count);
  const auto look = [&](double time, const std::vector<double>& q,
                        const std::vector<double>& v) -> const std::vector<expressions::Side>& {
    here.modes.assign(apart.modes, 0.0);
    for (std::size_t round = 0; round <= count; ++round) {
      const std::vector<double>& g = dice.values(time, q, v);
      last_sides.swap(sides);
      for (std::size_t c = 0; c < count; ++c) {
        const expressions::Corner& corner = apart.corners[c];
        sides[c] = corner.side(g[c], g[count + c]);
        corner.numbers(sides[c], std::span(here.modes).subspan(corner.first_mode, corner.modes));
      }
      if (round > 0 && sides == last_sides) break;
    }
    return sides;
  };
  Dice value(graph_, std::span(apart.outputs).first(1), here);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    double time[2] = {dice.time(), dice.time()};
    std::vector<double> q[2] = {dice.positions(), dice.positions()};
    std::vector<double> v[2] = {dice.velocities(), dice.velocities()};
    // Also from far away: the surface may lie anywhere.
    const double wide = elementary::pow(10.0, attempt % 5);
    for (std::size_t k = 0; k < q[1].size(); ++k) q[1][k] = probe.positions[k] + (q[1][k] - probe.positions[k]) * wide;
    time[1] = probe.time + (time[1] - probe.time) * wide;
    const auto mix = [&](double part, double& t, std::vector<double>& x, std::vector<double>& y) {
      t = time[0] + part * (time[1] - time[0]);
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = q[0][k] + part * (q[1][k] - q[0][k]);
      for (std::size_t k = 0; k < y.size(); ++k) y[k] = v[0][k] + part * (v[1][k] - v[0][k]);
    };
    double t = 0;
    std::vector<double> x = q[0];
    std::vector<double> y = v[0];
    mix(0, t, x, y);
    start = look(t, x, y);
    double ends = std::abs(value.values(t, x, y)[0]);
    mix(1, t, x, y);
    if (look(t, x, y) == start) continue;
    ends += std::abs(value.values(t, x, y)[0]);

    // Halve the way until one place is left: on both sides of it one function, or two?
    double low = 0;
    double high = 1;
    for (int k = 0; k < halvings && low + (high - low) / 2 > low && low + (high - low) / 2 < high; ++k) {
      const double middle = low + (high - low) / 2;
      mix(middle, t, x, y);
      (look(t, x, y) == start ? low : high) = middle;
    }
    mix(low, t, x, y);
    look(t, x, y);
    const double before = value.values(t, x, y)[0];
    mix(high, t, x, y);
    other = look(t, x, y);
    // An angle that is continued does not jump where its principal value does.
    const auto turns_on = [&](std::size_t c) {
      return apart.corners[c].kind == expressions::CornerKind::turns && start[c] != 0 && other[c] != 0;
    };
    bool changed = false;
    for (std::size_t c = 0; c < count; ++c) changed = changed || (other[c] != start[c] && !turns_on(c));
    if (!changed) continue;
    const double behind = value.values(t, x, y)[0];
    // The change across the place, beside what the branches themselves change there.
    double size = std::abs(before) + std::abs(behind) + (std::isfinite(ends) ? ends : 0.0);
    for (const double position : x) size += std::abs(position);
    if (!std::isfinite(before) || !std::isfinite(behind) || std::abs(behind - before) <= small * size) continue;
    // A jump is as high from farther away; what only rises without bounds on its slope, as a root of abs(x), is higher there.
    double apart_by = high - low;
    const auto moves_by = [&](double from, double to) {
      const double rounding = std::numeric_limits<double>::epsilon() * std::max(std::abs(from), std::abs(to));
      if (from != to) apart_by = std::max(apart_by, rounding / std::abs(to - from));
    };
    moves_by(time[0], time[1]);
    for (std::size_t k = 0; k < x.size(); ++k) moves_by(q[0][k], q[1][k]);
    const double away = farther * apart_by;
    mix(low - away, t, x, y);
    look(t, x, y);
    const double long_before = value.values(t, x, y)[0];
    mix(high + away, t, x, y);
    look(t, x, y);
    const double long_behind = value.values(t, x, y)[0];
    if (std::max({std::abs(long_before - before), std::abs(long_behind - behind)}) > std::abs(behind - before))
      continue;
    for (std::size_t c = 0; c < count; ++c) {
      if (other[c] != start[c]) return apart.corners[c].text;
    }
  }
  return {};
}

/// The corners of a group, and its modes as the last of its constants.
void Shapes::add_corners(Slotted& group, const Apart& apart) {
  group.positions = static_cast<std::uint32_t>(apart.slots.positions.size());
  group.velocities = static_cast<std::uint32_t>(apart.slots.velocities.size());
  group.modes = apart.modes;
  group.constants = static_cast<std::uint32_t>(apart.slots.constants.size()) + apart.modes;
  group.corners = apart.corners;
  if (apart.corners.empty()) return;
  const std::vector<Symbol> all = inputs(group.positions, group.velocities, group.steady(), group.modes);
  group.switching = expressions::flatten(graph_, apart.switching, all);
  std::vector<Expr> slopes;
  for (std::size_t c = 0; c < apart.corners.size(); ++c) {
    for (const Symbol s : slots_of(SymbolKind::position, group.positions)) {
      slopes.push_back(expressions::derivative(graph_, apart.switching[c], s));
    }
    for (const Symbol s : slots_of(SymbolKind::velocity, group.velocities)) {
      slopes.push_back(expressions::derivative(graph_, apart.switching[c], s));
    }
  }
  group.slopes = expressions::flatten(graph_, slopes, all);
}

bool Shapes::jumps(Expr f, const Probe& probe) {
  const Apart apart = take_apart(std::span(&f, 1), probe, true);
  Asked asked{f, probe.time, probe.positions, probe.velocities, probe.constants, {}};
  asked.jump = find_jump(f, apart, with_modes(apart, probe));
  asked_ = std::move(asked);
  return !asked_.jump.empty();
}

/// Velocities may have no part in a condition on the side of its corners on which the motion begins, as in abs(x) x' <= 1 at x = 0, and one elsewhere.
bool Shapes::moves_on_any_side(Expr f, const Probe& probe) {
  if (moves(graph_, f, probe, asked_about_state_)) return true;
  if (probe.modes.empty()) return false;
  Probe between = probe;
  double number = 1;
  for (double& mode : between.modes) mode = number += 0.37;  // no side has such numbers: nothing cancels by chance
  return moves(graph_, f, between, asked_about_state_);
}

RowShape Shapes::row(Expr f, const Probe& given, std::string& jump) {
  RowShape shape;
  Apart apart = take_apart(std::span(&f, 1), given, true);
  const Probe probe = with_modes(apart, given);
  const bool known = asked_.f == f && asked_.time == given.time && asked_.positions == given.positions &&
                     asked_.velocities == given.velocities && asked_.constants == given.constants;
  jump = known ? asked_.jump : find_jump(f, apart, probe);
  if (!jump.empty()) return shape;
  f = apart.outputs[0];

  // Velocities may cancel, or be linear, only after multiplying out.
  if (bends(graph_, f, 1)) f = expressions::expand(graph_, f);
  if (!moves_on_any_side(f, probe)) f = at_rest(graph_, f);
  const std::vector<Expr> nonlinear = beyond(graph_, f, probe, 1, asked_about_state_);
  if (!nonlinear.empty()) {
    shape.nonlinear = expressions::print(graph_, nonlinear.front(), probe.names);
    return shape;
  }

  shape.holonomic = !expressions::depends_on(graph_, f, SymbolKind::velocity);
  shape.restricts = !shape.holonomic || expressions::depends_on(graph_, f, SymbolKind::position);
  if (!shape.restricts) return shape;
  for (std::size_t c = 0; c < apart.corners.size(); ++c) {
    const expressions::Corner& corner = apart.corners[c];
    const bool moves = !corner.quiet && corner.kind != expressions::CornerKind::turns;
    shape.kinks = shape.kinks || (moves && expressions::depends_on(graph_, apart.switching[c], SymbolKind::position));
  }
  apart.outputs = {f};
  std::vector<Expr> all = {f};
  all.insert(all.end(), apart.switching.begin(), apart.switching.end());
  shape.slots = compact(all);
  apart.slots = shape.slots;
  apart.outputs = {all[0]};
  apart.switching.assign(all.begin() + 1, all.end());
  shape.group = row_group(apart, shape.holonomic);
  return shape;
}

std::vector<RowShape> Shapes::spokes(Expr f, const Probe& probe) {
  const std::optional<expressions::Cone> cone = expressions::find_cone(graph_, f);
  if (!cone) return {};
  asked_about_state_ = true;
  Dice dice(graph_, std::span(&cone->factor, 1), probe);
  if (!(dice.values(probe.time, probe.positions, probe.velocities)[0] > 0)) return {};
  std::vector<RowShape> out;
  for (std::size_t which = 0; which < expressions::spokes_of_cone; ++which) {
    expressions::Lowered lowered = expressions::spoke(graph_, f, *cone, which);
    Apart apart;
    apart.modes = lowered.modes;
    std::vector<Expr> all = {lowered.outputs[0]};
    for (const expressions::Site& site : lowered.sites) {
      apart.corners.push_back(site.corner);
      apart.corners.back().text = expressions::print(graph_, site.source, probe.names);
      all.push_back(site.g);
    }
    for (const expressions::Site& site : lowered.sites) all.push_back(site.beside);
    RowShape shape;
    shape.spoke = true;
    shape.slots = compact(all);
    apart.slots = shape.slots;
    apart.outputs = {all[0]};
    apart.switching.assign(all.begin() + 1, all.end());
    shape.group = row_group(apart, true);
    out.push_back(std::move(shape));
  }
  return out;
}

RowShape Shapes::empty_row(Expr f, bool holonomic) {
  RowShape shape;
  shape.holonomic = holonomic;
  Apart apart;
  apart.outputs = {f};
  shape.slots = compact(apart.outputs);
  apart.slots = shape.slots;
  shape.group = row_group(apart, holonomic);
  return shape;
}

std::uint32_t Shapes::row_group(const Apart& apart, bool holonomic) {
  const Expr f = apart.outputs[0];
  const auto [found, fresh] = row_of_.try_emplace({holonomic, apart.key()}, static_cast<std::uint32_t>(rows_.size()));
  if (!fresh) return found->second;

  RowGroup group;
  group.holonomic = holonomic;
  add_corners(group, apart);

  // f, its gradient, and what it has beside g.v or p.v.
  const SymbolKind by = holonomic ? SymbolKind::position : SymbolKind::velocity;
  const std::vector<Symbol> symbols = slots_of(by, holonomic ? group.positions : group.velocities);
  std::vector<Expr> outputs = {f};
  const std::vector<Expr> gradient = expressions::gradient(graph_, f, symbols);
  outputs.insert(outputs.end(), gradient.begin(), gradient.end());
  Expr rest = graph_.number(0);
  if (holonomic) {
    rest = expressions::derivative(graph_, f, {SymbolKind::time, 0});
  } else {
    rest = at_rest(graph_, f);
    if (!graph_.is_number(rest, 0)) {
      const Expr expanded = expressions::expand(graph_, rest);
      if (graph_.is_number(expanded, 0)) rest = expanded;
    }
  }
  group.rheonomic = !graph_.is_number(rest, 0);
  if (group.rheonomic) outputs.push_back(rest);

  const std::vector<Symbol> all = inputs(group.positions, group.velocities, group.steady(), group.modes);
  group.tape = expressions::flatten(graph_, outputs, all);
  if (!holonomic) {
    std::vector<Expr> bend = gradient;
    const std::vector<Expr> by_position =
        expressions::gradient(graph_, f, slots_of(SymbolKind::position, group.positions));
    bend.insert(bend.end(), by_position.begin(), by_position.end());
    group.bend = expressions::flatten(graph_, bend, all);
    group.bend_works = group.rheonomic || expressions::depends_on(graph_, f, SymbolKind::time);
  }
  rows_.push_back(std::move(group));
  row_lanes_.emplace_back();
  return found->second;
}

TermShape Shapes::force(std::span<const Expr> outputs, const Probe& probe) {
  TermShape shape;
  std::vector<Expr> drawn;
  for (const Expr e : outputs) drawn.push_back(expressions::draw_out_jumps(graph_, e));
  Apart apart = take_apart(drawn, probe, false, true);
  std::vector<Expr> all = apart.outputs;
  all.insert(all.end(), apart.switching.begin(), apart.switching.end());
  shape.slots = compact(all);
  apart.slots = shape.slots;
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(apart.outputs.size());
  apart.switching.assign(end, all.end());
  apart.outputs.assign(all.begin(), end);
  shape.group = term_group(TermKind::force, apart);
  return shape;
}

std::vector<TermShape> Shapes::energy(TermKind kind, Expr e, const Probe& probe, std::string& jump) {
  const bool kinetic = kind == TermKind::kinetic;
  if (kinetic) {
    if (bends(graph_, e, 2)) e = expressions::expand(graph_, e);
    const std::vector<Expr> wrong = beyond(graph_, e, probe, 2, asked_about_state_);
    if (!wrong.empty()) return {{expressions::print(graph_, wrong.front(), probe.names), 0, {}}};
  }
  std::vector<TermShape> out;
  for (const Expr part : separate(e, kinetic ? SymbolKind::velocity : SymbolKind::position)) {
    TermShape shape;
    Apart apart = take_apart(std::span(&part, 1), probe, true);
    if (!kinetic) jump = find_jump(part, apart, with_modes(apart, probe));
    if (!jump.empty()) return out;
    std::vector<Expr> all = apart.outputs;
    all.insert(all.end(), apart.switching.begin(), apart.switching.end());
    shape.slots = compact(all);
    apart.slots = shape.slots;
    apart.outputs = {all[0]};
    apart.switching.assign(all.begin() + 1, all.end());
    shape.group = term_group(kind, apart);
    out.push_back(std::move(shape));
  }
  return out;
}

std::vector<Expr> Shapes::separate(Expr e, SymbolKind by) {
  // With few variables one tape is best; with many the second derivatives would be a large matrix of zeros.
  constexpr std::size_t few = 8;
  std::vector<Symbol> all = expressions::symbols(graph_, e);
  std::erase_if(all, [&](Symbol s) { return s.kind != by; });
  const std::vector<Expr> terms = terms_of(graph_, e);
  if (all.size() <= few || terms.size() == 1) return {e};

  // Terms with a variable in common belong together: every variable leads to the first term it was met in.
  std::vector<std::size_t> leader(terms.size());
  const auto find = [&](std::size_t k) {
    while (leader[k] != k) k = leader[k] = leader[leader[k]];
    return k;
  };
  constexpr std::size_t none = ~std::size_t{0};
  std::map<Symbol, std::size_t> met;
  std::size_t still = none;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    leader[k] = k;
    bool moves = false;
    for (const Symbol s : expressions::symbols(graph_, terms[k])) {
      if (s.kind != by) continue;
      moves = true;
      const std::size_t other = find(met.try_emplace(s, k).first->second);
      const std::size_t own = find(k);
      leader[std::max(own, other)] = std::min(own, other);
    }
    if (moves) continue;
    if (still == none) still = k;
    leader[k] = still;
  }
  std::map<std::size_t, std::vector<Expr>> parts;
  for (std::size_t k = 0; k < terms.size(); ++k) parts[find(k)].push_back(terms[k]);
  std::vector<Expr> out;
  out.reserve(parts.size());
  for (const auto& [first, list] : parts) out.push_back(graph_.add(list));
  return out;
}

void Shapes::make_tape(TermGroup& group, const std::vector<Expr>& outputs) {
  std::vector<Expr> all = outputs;
  const Expr energy = outputs[0];
  const std::vector<Symbol> q = slots_of(SymbolKind::position, group.positions);
  const std::vector<Symbol> v = slots_of(SymbolKind::velocity, group.velocities);
  if (group.kind != TermKind::force) {
    const std::vector<Expr> by_position = expressions::gradient(graph_, energy, q);
    all.insert(all.end(), by_position.begin(), by_position.end());
  }
  if (group.kind == TermKind::kinetic) {
    const std::vector<Expr> momentum = expressions::gradient(graph_, energy, v);
    all.insert(all.end(), momentum.begin(), momentum.end());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const std::vector<Expr> row = expressions::gradient(graph_, momentum[i], std::span(v).subspan(i));
      for (Expr entry : row) {
        // The matrix is free of velocities, if not by its form then by its values.
        if (expressions::depends_on(graph_, entry, SymbolKind::velocity))
          entry = at_rest(graph_, expressions::expand(graph_, entry));
        all.push_back(entry);
      }
    }
  }
  group.tape =
      expressions::flatten(graph_, all, inputs(group.positions, group.velocities, group.steady(), group.modes));
}

std::uint32_t Shapes::term_group(TermKind kind, const Apart& apart) {
  const std::vector<Expr>& outputs = apart.outputs;
  const auto [found, fresh] = term_of_.try_emplace({kind, apart.key()}, static_cast<std::uint32_t>(terms_.size()));
  if (!fresh) return found->second;

  TermGroup group;
  group.kind = kind;
  add_corners(group, apart);
  for (const Expr e : outputs) {
    group.uses_time = group.uses_time || expressions::depends_on(graph_, e, SymbolKind::time);
    group.uses_velocity = group.uses_velocity || expressions::depends_on(graph_, e, SymbolKind::velocity);
  }
  make_tape(group, outputs);
  terms_.push_back(std::move(group));
  term_lanes_.emplace_back();
  return found->second;
}

void Shapes::add_row_lane(const RowShape& shape, const Slots& slots, std::uint32_t row) {
  Lanes& lanes = row_lanes_[shape.group];
  for (const std::uint32_t slot : shape.slots.positions) lanes.positions.push_back(slots.positions[slot]);
  for (const std::uint32_t slot : shape.slots.velocities) lanes.velocities.push_back(slots.velocities[slot]);
  for (const std::uint32_t slot : shape.slots.constants) lanes.constants.push_back(slots.constants[slot]);
  rows_[shape.group].row.push_back(row);
}

void Shapes::add_term_lane(const TermShape& shape, const Slots& slots, std::span<const std::uint32_t> targets) {
  Lanes& lanes = term_lanes_[shape.group];
  for (const std::uint32_t slot : shape.slots.positions) lanes.positions.push_back(slots.positions[slot]);
  for (const std::uint32_t slot : shape.slots.velocities) lanes.velocities.push_back(slots.velocities[slot]);
  for (const std::uint32_t slot : shape.slots.constants) lanes.constants.push_back(slots.constants[slot]);
  lanes.targets.insert(lanes.targets.end(), targets.begin(), targets.end());
  ++terms_[shape.group].lanes;
}

TermGroup Shapes::single(Expr e, const Slots& slots, const Probe& probe, TermKind kind) {
  Apart apart = take_apart(std::span(&e, 1), probe, false);
  std::vector<Expr> all = apart.outputs;
  all.insert(all.end(), apart.switching.begin(), apart.switching.end());
  const SlotMap map = compact(all);
  apart.slots = map;
  apart.outputs = {all[0]};
  apart.switching.assign(all.begin() + 1, all.end());
  TermGroup group;
  group.kind = kind;
  group.lanes = 1;
  add_corners(group, apart);
  for (const std::uint32_t slot : map.positions) group.position_of.push_back(slots.positions[slot]);
  for (const std::uint32_t slot : map.velocities) group.velocity_of.push_back(slots.velocities[slot]);
  for (const std::uint32_t slot : map.constants) group.constant_of.push_back(slots.constants[slot]);
  group.constant_of.resize(group.constants, 0.0);
  group.uses_time = expressions::depends_on(graph_, apart.outputs[0], SymbolKind::time);
  group.uses_velocity = group.velocities > 0;
  make_tape(group, apart.outputs);
  return group;
}

Shapes::Groups Shapes::groups() const {
  Groups out{rows_, terms_};
  for (RowGroup& group : out.rows) group.row.clear();
  for (TermGroup& group : out.terms) group.lanes = 0;
  return out;
}

void Shapes::take_over(const Groups& groups) {
  rows_ = groups.rows;
  terms_ = groups.terms;
  row_lanes_.assign(rows_.size(), {});
  term_lanes_.assign(terms_.size(), {});
}

std::vector<RowGroup> Shapes::take_rows() {
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    RowGroup& group = rows_[k];
    group.lanes = static_cast<std::uint32_t>(group.row.size());
    group.position_of = side_by_side(row_lanes_[k].positions, group.positions, group.lanes);
    group.velocity_of = side_by_side(row_lanes_[k].velocities, group.velocities, group.lanes);
    group.constant_of = side_by_side(row_lanes_[k].constants, group.steady(), group.lanes);
    group.constant_of.resize(std::size_t{group.constants} * group.lanes, 0.0);
    row_lanes_[k] = {};
  }
  return std::move(rows_);
}

std::vector<TermGroup> Shapes::take_terms() {
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    TermGroup& group = terms_[k];
    const std::size_t targets = group.lanes == 0 ? 0 : term_lanes_[k].targets.size() / group.lanes;
    group.position_of = side_by_side(term_lanes_[k].positions, group.positions, group.lanes);
    group.velocity_of = side_by_side(term_lanes_[k].velocities, group.velocities, group.lanes);
    group.constant_of = side_by_side(term_lanes_[k].constants, group.steady(), group.lanes);
    group.constant_of.resize(std::size_t{group.constants} * group.lanes, 0.0);
    group.target_of = side_by_side(term_lanes_[k].targets, targets, group.lanes);
    term_lanes_[k] = {};
  }
  return std::move(terms_);
}

}  // namespace zwang::model
