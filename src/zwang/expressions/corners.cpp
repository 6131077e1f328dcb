/// Functions with corners taken apart.
#include "zwang/expressions/corners.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zwang/expressions/directions.hpp"
#include "zwang/expressions/numbers.hpp"
#include "zwang/expressions/poles.hpp"
#include "zwang/expressions/traversal.hpp"

namespace zwang::expressions {

namespace {

/// Modes of directions, until all others are numbered.
constexpr std::uint32_t first_of_directions = 1U << 24U;

bool is_corner(const Node& node) { return node.kind == NodeKind::function && has_corners(node.function); }

class Lowering {
 public:
  Lowering(Graph& graph, bool continued) : graph_(graph), continued_(continued) {}

  Lowered run(std::span<const Expr> outputs) {
    const std::vector<Expr> sorted = parts(graph_, outputs);
    std::vector<Expr> images(sorted.size());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const Node node = graph_.node(sorted[k]);
      bool changed = false;
      const std::vector<Expr> children = images_of(node, sorted, images, changed);
      if (node.kind == NodeKind::function && (has_corners(node.function) || node.function == Function::atan2)) {
        images[k] = corner(node.function, children, sorted[k]);
      } else {
        if (is_broken_by_size(node, children)) {
          // |u|^n = s u^n, n odd: u/|u| is a sign, and has a side where u is zero.
          const Expr u = images[place_of(sorted, graph_.node(node.children[0]).children[0])];
          const double n = graph_.node(node.children[1]).number;
          images[k] = graph_.multiply(children[0], graph_.power(u, graph_.number(n - 1)));
        } else {
          images[k] = changed ? of_each_side(node, remade(graph_, node, children)) : sorted[k];
        }
      }
    }
    for (const Expr e : outputs) out_.outputs.push_back(images[place_of(sorted, e)]);
    tell_nesting(graph_, out_);
    return std::move(out_);
  }

  /// Which switching functions contain the modes of which others.
  static void tell_nesting(const Graph& graph, Lowered& out) {
    for (Site& site : out.sites) {
      std::vector<Expr> both = {site.g};
      if (site.corner.kind == CornerKind::turns) both.push_back(site.beside);
      site.corner.inner = sites_in(graph, out, both);
      site.corner.follows = (graph.kinds(site.g) & state) == 0;
      site.corner.inside = true;
    }
    for (const std::uint32_t site : sites_in(graph, out, out.outputs)) out.sites[site].corner.inside = false;
  }

 private:
  static constexpr unsigned state = (1U << static_cast<unsigned>(SymbolKind::time)) |
                                    (1U << static_cast<unsigned>(SymbolKind::position)) |
                                    (1U << static_cast<unsigned>(SymbolKind::velocity));
  static constexpr unsigned modes = 1U << static_cast<unsigned>(SymbolKind::mode);

  [[nodiscard]] bool moves(Expr e) const { return (graph_.kinds(e) & (state | modes)) != 0; }

  /// Is it one over |u|, or over an odd power of it, where u moves?
  [[nodiscard]] bool is_broken_by_size(const Node& node, const std::vector<Expr>& images) const {
    if (node.kind != NodeKind::power) return false;
    const Node base = graph_.node(node.children[0]);
    const Node exponent = graph_.node(node.children[1]);
    if (base.kind != NodeKind::function || base.function != Function::abs || !moves(images[0])) return false;
    return exponent.kind == NodeKind::number && exponent.number < 0 && std::fmod(exponent.number, 2) == -1;
  }

  /// A power above one of max(0, u) and its like: the number on the one side stays a number, and no root that is zero all along.
  Expr of_each_side(const Node& node, Expr made) {
    if (node.kind != NodeKind::power) return made;
    const Node power = graph_.node(made);
    if (power.kind != NodeKind::power) return made;
    const Node exponent = graph_.node(power.children[1]);
    const Node base = graph_.node(power.children[0]);
    if (exponent.kind != NodeKind::number || !(exponent.number > 1)) return made;
    if (base.kind != NodeKind::function || base.function != Function::select) return made;
    const std::vector<Expr> choice(base.children.begin(), base.children.end());
    const auto is_number = [&](Expr e) { return graph_.node(e).kind == NodeKind::number; };
    if (!is_number(choice[1]) && !is_number(choice[2])) return made;
    const Expr to = power.children[1];
    return choose(choice[0], graph_.power(choice[1], to), graph_.power(choice[2], to));
  }

  /// The sites whose modes occur in these expressions, ascending.
  [[nodiscard]] static std::vector<std::uint32_t> sites_in(const Graph& graph, const Lowered& of,
                                                           std::span<const Expr> expressions) {
    std::vector<std::uint32_t> out;
    for (const Expr part : parts(graph, expressions)) {
      const Node node = graph.node(part);
      if (node.kind != NodeKind::symbol || node.symbol.kind != SymbolKind::mode) continue;
      if (node.symbol.index >= first_of_directions) continue;
      std::uint32_t site = 0;
      while (of.sites[site].corner.first_mode + of.sites[site].corner.modes <= node.symbol.index) ++site;
      if (std::find(out.begin(), out.end(), site) == out.end()) out.push_back(site);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  /// The mode symbol number k of the site with this switching function; made if there is none yet.
  Expr mode(CornerKind kind, Expr g, Expr source, std::uint32_t k = 0, const Pieces* pieces = nullptr,
            bool quiet = false, Expr beside = {}) {
    // Only the sign counts: it changes at a pole, too.
    if (kind == CornerKind::truth || kind == CornerKind::sign) g = without_poles(graph_, g);
    // Beside a truth stands the denominator that its g is brought over.
    if (kind == CornerKind::truth && beside == Expr{}) beside = graph_.number(1);
    for (const Site& site : out_.sites) {
      const bool same = site.g == g && site.corner.kind == kind && site.corner.quiet == quiet &&
                        site.beside == beside &&
                        (pieces == nullptr ||
                         (site.corner.pieces.knots == pieces->knots && site.corner.pieces.piece == pieces->piece));
      if (same) return graph_.symbol({SymbolKind::mode, site.corner.first_mode + k});
    }
    Site site;
    site.corner.kind = kind;
    site.corner.first_mode = out_.modes;
    site.corner.modes = kind == CornerKind::pieces ? 5 : (kind == CornerKind::turns ? 2 : 1);
    site.corner.quiet = quiet;
    if (pieces != nullptr) site.corner.pieces = *pieces;
    site.g = g;
    site.beside = beside;
    site.source = source;
    out_.modes += site.corner.modes;
    out_.sites.push_back(std::move(site));
    return graph_.symbol({SymbolKind::mode, out_.sites.back().corner.first_mode + k});
  }

  Expr choose(Expr truth, Expr a, Expr b) {
    const Expr branches[] = {truth, a, b};
    return graph_.apply(Function::select, branches);
  }

  /// The greater (less) of two.
  Expr extreme(bool greater, Expr a, Expr b, Expr source) {
    const Expr g = graph_.subtract(a, b);
    if (graph_.node(g).kind == NodeKind::number) return (graph_.node(g).number >= 0) == greater ? a : b;
    const Expr m = mode(CornerKind::truth, g, source);
    return greater ? choose(m, a, b) : choose(m, b, a);
  }

  /// if(u > 0, a, if(u < 0, b, c)) with a number c: `sign` by hand. At most one of both truths holds.
  bool exclusive(const std::vector<Expr>& of, Expr source) {
    const Node inner = graph_.node(of[2]);
    if (inner.kind != NodeKind::function || inner.function != Function::select) return false;
    if (graph_.node(inner.children[2]).kind != NodeKind::number) return false;
    const Node outer_source = graph_.node(source);
    const Node inner_source = graph_.node(outer_source.children[2]);
    if (inner_source.kind != NodeKind::function || inner_source.function != Function::select) return false;
    const Node one = graph_.node(outer_source.children[0]);
    const Node other = graph_.node(inner_source.children[0]);
    const auto is_below = [](const Node& node) {
      return node.kind == NodeKind::function && node.function == Function::below;
    };
    if (!is_below(one) || !is_below(other)) return false;
    const Node sum = graph_.node(graph_.add(one.children[0], other.children[0]));
    return sum.kind == NodeKind::number && sum.number == 0;
  }
  /// The same as a sum of two jumps, which is linear in each: nested, their mean would not be the mean of the forces.
  Expr apart(const std::vector<Expr>& of) {
    const Node inner = graph_.node(of[2]);
    const std::vector<Expr> branch(inner.children.begin(), inner.children.end());
    const Expr zero = graph_.number(0);
    const Expr first = choose(of[0], graph_.subtract(of[1], branch[2]), zero);
    const Expr second = choose(branch[0], graph_.subtract(branch[1], branch[2]), zero);
    return graph_.add(graph_.add(first, second), branch[2]);
  }

  Expr whole(Expr u, Expr source) { return mode(CornerKind::whole, u, source); }

  Expr corner(Function function, const std::vector<Expr>& of, Expr source) {
    // A truth about a constant is turned by a release alone (Corner::kept).
    if (function == Function::step && graph_.node(of[0]).kind == NodeKind::symbol &&
        graph_.node(of[0]).symbol.kind == SymbolKind::constant) {
      return mode(CornerKind::truth, of[0], source);
    }
    if (std::none_of(of.begin(), of.end(), [&](Expr e) { return moves(e); }) && function != Function::select &&
        function != Function::both && function != Function::either) {
      return graph_.apply(function, of);
    }
    switch (function) {
      case Function::abs: return graph_.multiply(mode(CornerKind::sign, of[0], source), of[0]);
      case Function::sign: return mode(CornerKind::sign, of[0], source);
      case Function::step:
      case Function::at_least: {
        // A number on the threshold holds, a pole does not.
        Expr poles{};
        static_cast<void>(without_poles(graph_, of[0], &poles));
        return mode(CornerKind::truth, of[0], source, 0, nullptr, false, poles);
      }
      case Function::below: return graph_.subtract(graph_.number(1), mode(CornerKind::truth, of[0], source));
      case Function::min:
      case Function::max: {
        Expr out = of[0];
        for (std::size_t k = 1; k < of.size(); ++k) out = extreme(function == Function::max, out, of[k], source);
        return out;
      }
      case Function::clip: return extreme(false, extreme(true, of[0], of[1], source), of[2], source);
      case Function::floor: return whole(of[0], source);
      case Function::mod:
        return graph_.subtract(of[0], graph_.multiply(of[1], whole(graph_.divide(of[0], of[1]), source)));
      case Function::select: return exclusive(of, source) ? apart(of) : choose(of[0], of[1], of[2]);
      case Function::table:
      case Function::spline: {
        std::vector<double> numbers;
        for (std::size_t k = 1; k < of.size(); ++k) {
          assert(graph_.node(of[k]).kind == NodeKind::number);
          numbers.push_back(graph_.node(of[k]).number);
        }
        const std::size_t n = numbers.size() / 2;
        const std::span<const double> all(numbers);
        const Pieces pieces = function == Function::table ? table_pieces(all.first(n), all.last(n))
                                                          : spline_pieces(all.first(n), all.last(n));
        const auto number = [&](std::uint32_t k) { return mode(CornerKind::pieces, of[0], source, k, &pieces); };
        const Expr d = graph_.subtract(of[0], number(0));
        Expr out = number(2);
        if (function == Function::spline) {
          const Expr bend = graph_.add(number(3), graph_.multiply(d, number(4)));
          out = graph_.add(out, graph_.multiply(d, bend));
        }
        return graph_.add(number(1), graph_.multiply(d, out));
      }
      case Function::atan2: {
        // On an axis it takes two values: a right angle upwards or downwards, nothing or a half turn.
        if (graph_.is_number(of[1], 0)) {
          return graph_.multiply(graph_.number(pi / 2), mode(CornerKind::sign, of[0], source));
        }
        if (graph_.is_number(of[0], 0)) {
          const Expr right = mode(CornerKind::truth, of[1], source);
          return graph_.multiply(graph_.number(pi), graph_.subtract(graph_.number(1), right));
        }
        const Expr turned[] = {graph_.negate(of[0]), graph_.negate(of[1])};
        if (continued_) {
          const Expr right = mode(CornerKind::turns, of[1], source, 0, nullptr, true, of[0]);
          const Expr turns = mode(CornerKind::turns, of[1], source, 1, nullptr, true, of[0]);
          return graph_.add(graph_.multiply(graph_.number(pi), turns),
                            choose(right, graph_.apply(Function::atan2, of), graph_.apply(Function::atan2, turned)));
        }
        // On the right half plane the angle itself; on the left one the angle from the cut, which never meets it.
        const Expr right = mode(CornerKind::truth, of[1], source, 0, nullptr, true);
        const Expr across = choose(right, graph_.number(1), of[0]);
        const Expr side = moves(of[0]) ? mode(CornerKind::truth, across, source) : graph_.apply(Function::step, of[0]);
        const Expr half = graph_.subtract(graph_.multiply(graph_.number(2 * pi), side), graph_.number(pi));
        return choose(right, graph_.apply(Function::atan2, of),
                      graph_.add(half, graph_.apply(Function::atan2, turned)));
      }
      default: return graph_.apply(function, of);
    }
  }

  Graph& graph_;
  bool continued_;
  Lowered out_;
};

}  // namespace

Side Corner::side(double g, double beside) const {
  switch (kind) {
    case CornerKind::sign: return g > 0 ? 2 : (g < 0 ? 0 : 1);
    case CornerKind::truth: return g >= 0 ? 2 : 0;
    case CornerKind::whole: return static_cast<Side>(2 * std::clamp(std::floor(g), -1e9, 1e9));
    case CornerKind::pieces: return static_cast<Side>(2 * pieces.place(g));
    case CornerKind::turns: return g >= 0 ? 0 : (beside >= 0 ? 2 : -2);
    case CornerKind::moves: return g == 0 ? 1 : 2;
    case CornerKind::part: return part_moves;
    case CornerKind::spoke: return 2 * static_cast<Side>(std::nearbyint(g / unit_of_spoke));
  }
  return 0;
}

double rest_of_spoke(double component) {
  return (component - std::nearbyint(component / unit_of_spoke) * unit_of_spoke) / unit_of_spoke;
}

Side Corner::next(Side interval, bool above, double beside) const {
  if (kind != CornerKind::turns) return interval + (above ? 2 : -2);
  // Over the upper half of the axis x = 0 the angle grows towards the left, over the lower half towards the right.
  return interval + (above == (beside < 0) ? 2 : -2);
}

bool Corner::has_threshold(Side interval, bool above) const {
  switch (kind) {
    case CornerKind::sign:
    case CornerKind::truth: return above ? interval <= 0 : interval >= 2;
    case CornerKind::whole: return true;
    case CornerKind::pieces:
      return above ? static_cast<std::size_t>(interval / 2) < pieces.knots.size() : interval >= 2;
    case CornerKind::turns: return above == (interval % 4 != 0);
    case CornerKind::moves: return !above && interval == 2;
    case CornerKind::part:
    case CornerKind::spoke: return false;
  }
  return false;
}

double Corner::threshold(Side interval, bool above) const {
  const Side k = (interval >= 0 ? interval : interval - 1) / 2;  // rounds down: intervals of `whole` may be negative
  switch (kind) {
    case CornerKind::sign:
    case CornerKind::truth:
    case CornerKind::turns:
    case CornerKind::moves:
    case CornerKind::part:
    case CornerKind::spoke: return 0;
    case CornerKind::whole: return above ? k + 1.0 : k;
    case CornerKind::pieces: return pieces.knots[static_cast<std::size_t>(above ? k : k - 1)];
  }
  return 0;
}

void Corner::numbers(Side side, std::span<double> out) const {
  switch (kind) {
    case CornerKind::sign: out[0] = side - 1; return;
    case CornerKind::truth: out[0] = side >= 1 ? 1 : 0; return;
    case CornerKind::whole: out[0] = (side - (side % 2 == 0 ? 0 : -1)) / 2; return;
    case CornerKind::pieces: {
      const std::array<double, 5>& piece = pieces.piece[static_cast<std::size_t>((side + 1) / 2)];
      std::copy(piece.begin(), piece.end(), out.begin());
      return;
    }
    case CornerKind::turns:
      out[0] = side % 4 == 0 ? 1 : 0;
      out[1] = side / 2;
      return;
    case CornerKind::moves:
      out[0] = side == 2 ? 1 : 0;
      out[1] = side == 2 ? 0 : 1;
      return;
    case CornerKind::part: out[0] = side == 0 ? -1 : (side == 2 ? 1 : 0); return;
    case CornerKind::spoke: out[0] = side / 2 * unit_of_spoke * (whole == 0 ? 1.0 : unit_of_spoke); return;
  }
}

namespace {

/// Corners of directions behind all others, whose modes may occur in their switching functions.
void add_directions(Graph& graph, const Directed& directed, std::size_t outputs, Lowered& out) {
  const std::uint32_t shift = first_of_directions - out.modes;
  std::size_t at = outputs;
  for (const Speed& speed : directed.speeds) {
    const auto count = static_cast<std::uint32_t>(speed.w.size());
    Site whole;
    whole.corner.kind = CornerKind::moves;
    whole.corner.first_mode = speed.first_mode - shift;
    whole.corner.modes = 2;
    whole.corner.parts = count;
    whole.g = graph.power(out.outputs[at++], graph.number(0.5));
    whole.beside = graph.number(0);
    whole.source = speed.source;
    out.sites.push_back(whole);
    for (std::uint32_t c = 0; c < count; ++c) {
      Site part = whole;
      part.corner.kind = CornerKind::part;
      part.corner.first_mode = speed.first_mode - shift + 2 + c;
      part.corner.modes = 1;
      part.corner.parts = 0;
      part.corner.whole = 1 + c;
      part.g = out.outputs[at++];
      out.sites.push_back(std::move(part));
    }
  }
  const std::uint32_t first = out.modes;
  for (const Speed& speed : directed.speeds) out.modes += 2 + static_cast<std::uint32_t>(speed.w.size());
  out.outputs.resize(outputs);
  for (Expr& e : out.outputs) {
    e = substitute(graph, e, [&](Symbol s) {
      const bool of_direction = s.kind == SymbolKind::mode && s.index >= first_of_directions;
      return graph.symbol(of_direction ? Symbol{SymbolKind::mode, s.index - first_of_directions + first} : s);
    });
  }
}

/// Products that vanish with a speed have no value where it is zero: there they are nothing.
Lowered with_stirs(Graph& graph, Lowered out) {
  Stirred drawn = draw_stirs(graph, out.outputs, out.modes);
  if (drawn.squares.empty()) return out;
  out.outputs = std::move(drawn.outputs);
  for (std::size_t k = 0; k < drawn.squares.size(); ++k) {
    Site site;
    site.corner.kind = CornerKind::sign;
    site.corner.first_mode = out.modes++;
    site.corner.quiet = site.corner.stirs = true;
    site.g = drawn.squares[k];
    site.beside = graph.number(0);
    site.source = drawn.sources[k];
    out.sites.push_back(std::move(site));
  }
  Lowering::tell_nesting(graph, out);
  return out;
}

}  // namespace

Lowered lower(Graph& graph, std::span<const Expr> outputs, bool continued, bool directed) {
  if (directed) {
    Directed drawn = draw_directions(graph, outputs, first_of_directions);
    if (!drawn.speeds.empty()) {
      const std::size_t count = outputs.size();
      for (const Speed& speed : drawn.speeds) {
        drawn.outputs.push_back(speed.square);
        drawn.outputs.insert(drawn.outputs.end(), speed.w.begin(), speed.w.end());
      }
      Lowered out = lower(graph, drawn.outputs, continued);
      // What switches by the direction itself has nothing to be followed: such a direction is left as it is.
      const auto of_direction = [&](const Site& site) {
        const std::vector<Symbol> all = symbols(graph, site.g);
        return std::any_of(all.begin(), all.end(),
                           [](Symbol s) { return s.kind == SymbolKind::mode && s.index >= first_of_directions; });
      };
      if (std::none_of(out.sites.begin(), out.sites.end(), of_direction)) {
        add_directions(graph, drawn, count, out);
        Lowering::tell_nesting(graph, out);
        return with_stirs(graph, std::move(out));
      }
    }
    return with_stirs(graph, lower(graph, outputs, continued));
  }
  if (std::none_of(outputs.begin(), outputs.end(), [&](Expr e) { return has_corners(graph, e); })) {
    return {{outputs.begin(), outputs.end()}, {}, 0};
  }
  return Lowering(graph, continued).run(outputs);
}

namespace {

class Drawing {
 public:
  explicit Drawing(Graph& graph) : graph_(graph) {}

  Expr run(Expr e) {
    return rebuilt(e, {}, [&](const Node& node, const std::vector<Expr>& children, Expr made) {
      return is_linear(node, children) ? made : chosen(made);
    });
  }

 private:
  static constexpr unsigned state = (1U << static_cast<unsigned>(SymbolKind::time)) |
                                    (1U << static_cast<unsigned>(SymbolKind::position)) |
                                    (1U << static_cast<unsigned>(SymbolKind::velocity));

  /// e with some of its parts replaced, from the inside out; `change` looks at every part that was made.
  template <class Change>
  Expr rebuilt(Expr e, const std::vector<std::pair<Expr, Expr>>& replaced, const Change& change) {
    const std::vector<Expr> sorted = parts(graph_, std::span(&e, 1));
    std::vector<Expr> images(sorted.size());
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      const auto other =
          std::find_if(replaced.begin(), replaced.end(), [&](const auto& one) { return one.first == sorted[k]; });
      if (other != replaced.end()) {
        images[k] = other->second;
        continue;
      }
      const Node node = graph_.node(sorted[k]);
      bool changed = false;
      const std::vector<Expr> children = images_of(node, sorted, images, changed);
      Expr made = sorted[k];
      if (changed) made = remade(graph_, node, children);
      images[k] = node.children.empty() ? made : change(node, children, made);
    }
    return images[place_of(sorted, e)];
  }

  [[nodiscard]] bool moves(Expr e) const { return (graph_.kinds(e) & state) != 0; }

  /// The jumps in an expression.
  [[nodiscard]] std::vector<Expr> jumps(Expr e) const {
    std::vector<Expr> out;
    for (const Expr part : parts(graph_, std::span(&e, 1))) {
      const Node node = graph_.node(part);
      if (node.kind != NodeKind::function || !moves(part)) continue;
      if (node.function == Function::sign || node.function == Function::step || node.function == Function::at_least ||
          node.function == Function::below) {
        out.push_back(part);
      }
    }
    return out;
  }

  /// Is the value of a part linear in each jump of its own parts?
  [[nodiscard]] bool is_linear(const Node& node, const std::vector<Expr>& children) const {
    if (node.kind == NodeKind::sum) return true;
    if (node.kind == NodeKind::function &&
        (node.function == Function::select || node.function == Function::both || node.function == Function::either)) {
      return true;
    }
    if (node.kind != NodeKind::product) return false;
    std::vector<Expr> seen;
    for (const Expr child : children) {
      for (const Expr one : jumps(child)) {
        if (std::find(seen.begin(), seen.end(), one) != seen.end()) return false;
      }
      const std::vector<Expr> its = jumps(child);
      seen.insert(seen.end(), its.begin(), its.end());
    }
    return true;
  }

  /// A choice between what it is on either side of its jump, if it has one and nothing else with corners is left there.
  Expr chosen(Expr e) {
    const std::vector<Expr> all = jumps(e);
    if (all.size() != 1 || all[0] == e) return e;
    const Node jump = graph_.node(all[0]);
    const Expr u = jump.children[0];
    const bool falls = jump.function == Function::below;
    const double low = jump.function == Function::sign ? -1 : (falls ? 1 : 0);
    const double high = falls ? 0 : 1;
    const auto keep = [](const Node&, const std::vector<Expr>&, Expr made) { return made; };
    Expr sides[2];
    for (const bool above : {false, true}) {
      const Expr one = rebuilt(e, {{all[0], graph_.number(above ? high : low)}}, keep);
      const std::vector<Expr> inside = parts(graph_, std::span(&one, 1));
      if (std::any_of(inside.begin(), inside.end(),
                      [&](Expr part) { return is_corner(graph_.node(part)) && moves(part); })) {
        return e;
      }
      sides[above ? 1 : 0] = one;
    }
    const Expr branches[] = {graph_.apply(Function::at_least, u), sides[1], sides[0]};
    return graph_.apply(Function::select, branches);
  }

  Graph& graph_;
};

}  // namespace

Expr draw_out_jumps(Graph& graph, Expr e) { return has_kinks(graph, e) ? Drawing(graph).run(e) : e; }

Expr triangle_wave(Graph& graph, Expr call) {
  const Node outer = graph.node(call);
  if (outer.kind != NodeKind::function) return call;
  const bool is_asin = outer.function == Function::asin;
  if (!is_asin && outer.function != Function::acos) return call;
  const Node inner = graph.node(outer.children[0]);
  if (inner.kind != NodeKind::function) return call;
  const bool of_sine = inner.function == Function::sin;
  if (!of_sine && inner.function != Function::cos) return call;
  // acos(cos u) = pi - |mod(u, 2 pi) - pi|, and asin v = pi/2 - acos v, sin u = cos(u - pi/2).
  const Expr of = inner.children[0];
  const Expr u = of_sine ? graph.subtract(of, graph.number(pi / 2)) : of;
  const Expr turn[] = {u, graph.number(2 * pi)};
  const Expr from_half = graph.subtract(graph.apply(Function::mod, turn), graph.number(pi));
  const Expr angle = graph.subtract(graph.number(pi), graph.apply(Function::abs, from_half));
  return is_asin ? graph.subtract(graph.number(pi / 2), angle) : angle;
}

bool has_corners(const Graph& graph, Expr e) {
  const std::vector<Expr> all = parts(graph, std::span(&e, 1));
  return std::any_of(all.begin(), all.end(), [&](Expr part) {
    const Node node = graph.node(part);
    return is_corner(node) || (node.kind == NodeKind::function && node.function == Function::atan2);
  });
}

bool has_no_jump(const Graph& graph, Expr e) {
  const std::vector<Expr> all = parts(graph, std::span(&e, 1));
  return std::all_of(all.begin(), all.end(), [&](Expr part) {
    const Node node = graph.node(part);
    switch (node.kind) {
      case NodeKind::power: {
        const Node exponent = graph.node(node.children[1]);
        return exponent.kind == NodeKind::number && exponent.number > 0;
      }
      case NodeKind::function:
        switch (node.function) {
          case Function::sin:
          case Function::cos:
          case Function::asin:
          case Function::acos:
          case Function::atan:
          case Function::sinh:
          case Function::cosh:
          case Function::tanh:
          case Function::exp:
          case Function::sqrt:
          case Function::abs:
          case Function::min:
          case Function::max:
          case Function::clip:
          case Function::table:
          case Function::spline: return true;
          default: return false;
        }
      default: return true;
    }
  });
}

bool has_kinks(const Graph& graph, Expr e) {
  const std::vector<Expr> all = parts(graph, std::span(&e, 1));
  return std::any_of(all.begin(), all.end(), [&](Expr part) { return is_corner(graph.node(part)); });
}

namespace {

/// `least` of `greatest`, or the other way round; both are lists of lists.
class Splitting {
 public:
  Splitting(Graph& graph, std::size_t most) : graph_(graph), most_(most) {}

  /// Alternatives of conditions whose least greatest is e.
  Alternatives of(Expr e) {
    const Node node = graph_.node(e);
    const std::vector<Expr> children(node.children.begin(), node.children.end());
    const Term term = graph_.term(e);
    if (node.kind == NodeKind::product && term.coefficient != 1 && has_kinks(graph_, e)) {
      Alternatives inner = term.coefficient > 0 ? of(term.rest) : negated(of(term.rest));
      for (auto& all : inner) {
        for (Expr& one : all) one = graph_.multiply(graph_.number(std::abs(term.coefficient)), one);
      }
      return inner;
    }
    if (node.kind == NodeKind::sum && has_kinks(graph_, e)) {
      Alternatives total = {{graph_.number(0)}};
      std::vector<Expr> smooth;
      for (const Expr child : children) {
        if (!has_kinks(graph_, child)) {
          smooth.push_back(child);
          continue;
        }
        total = sum(total, of(child));
        if (total.empty()) return {};
      }
      const Expr rest = graph_.add(smooth);
      for (auto& all : total) {
        for (Expr& one : all) one = graph_.add(rest, one);
      }
      return total;
    }
    if (node.kind == NodeKind::function) {
      switch (node.function) {
        case Function::abs: {
          const Alternatives positive = of(children[0]);
          return greatest(positive, negated(positive));
        }
        case Function::max:
        case Function::min: {
          Alternatives out = of(children[0]);
          for (std::size_t k = 1; k < children.size(); ++k) {
            out = node.function == Function::max ? greatest(out, of(children[k])) : least(out, of(children[k]));
          }
          return out;
        }
        case Function::clip: return least(greatest(of(children[0]), of(children[1])), of(children[2]));
        case Function::table:
          if (!has_kinks(graph_, children[0])) return lines(children);
          break;
        default: break;
      }
    }
    return {{e}};
  }

 private:
  [[nodiscard]] Alternatives checked(Alternatives&& all) const {
    std::size_t count = 0;
    for (const auto& one : all) count += one.size();
    return count > most_ ? Alternatives{} : std::move(all);
  }

  /// A table is y_0 + the greatest of the lines that its rising kinks add + the least of those that its falling kinks add. Each of the sums is
  /// one line again, and those that are lines of the table itself have its numbers: a table that ends flat ends without a slope, not with one of rounding.
  [[nodiscard]] Alternatives lines(const std::vector<Expr>& of_table) {
    const std::size_t n = of_table.size() / 2;
    std::vector<double> x;
    std::vector<double> y;
    for (std::size_t k = 0; k < n; ++k) {
      x.push_back(graph_.node(of_table[1 + k]).number);
      y.push_back(graph_.node(of_table[1 + n + k]).number);
    }
    std::vector<double> slope(n, 0.0);  // behind each kink
    std::vector<double> added(n, 0.0);
    std::vector<std::size_t> rising;
    std::vector<std::size_t> falling;
    for (std::size_t k = 0; k < n; ++k) {
      if (k + 1 < n) slope[k] = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
      added[k] = slope[k] - (k > 0 ? slope[k - 1] : 0.0);
      if (added[k] != 0) (added[k] > 0 ? rising : falling).push_back(k);
    }
    const auto kink = [&](const std::vector<std::size_t>& list, std::size_t k) {
      return k < list.size() ? list[k] : n;
    };
    Alternatives out;
    for (std::size_t low = 0; low <= falling.size(); ++low) {
      out.emplace_back();
      for (std::size_t high = 0; high <= rising.size(); ++high) {
        // Kinks up to `last` are in, or some of them.
        if (low + high == 0) {
          out.back().push_back(graph_.number(y[0]));
          continue;
        }
        const std::size_t last = std::max(high > 0 ? rising[high - 1] : 0, low > 0 ? falling[low - 1] : 0);
        double steep = slope[last];
        double place = y[last];
        if (std::min(kink(rising, high), kink(falling, low)) < last) {
          steep = 0;
          place = y[0];
          const auto add = [&](std::size_t k) {
            steep += added[k];
            place += added[k] * (x[last] - x[k]);
          };
          std::for_each_n(rising.begin(), high, add);
          std::for_each_n(falling.begin(), low, add);
        }
        const Expr line = graph_.multiply(graph_.number(steep), graph_.subtract(of_table[0], graph_.number(x[last])));
        out.back().push_back(graph_.add(graph_.number(place), line));
      }
    }
    return checked(std::move(out));
  }

  /// min over both lists.
  [[nodiscard]] Alternatives least(Alternatives a, const Alternatives& b) const {
    if (a.empty() || b.empty()) return {};
    a.insert(a.end(), b.begin(), b.end());
    return checked(std::move(a));
  }
  /// max(min_i A_i, min_j B_j) = min_ij max(A_i, B_j).
  [[nodiscard]] Alternatives greatest(const Alternatives& a, const Alternatives& b) const {
    Alternatives out;
    for (const auto& left : a) {
      for (const auto& right : b) {
        std::vector<Expr> both = left;
        for (const Expr e : right) {
          if (std::find(both.begin(), both.end(), e) == both.end()) both.push_back(e);
        }
        out.push_back(std::move(both));
      }
    }
    return checked(std::move(out));
  }
  /// min_i max_a A_ia + min_j max_b B_jb = min_ij max_ab (A_ia + B_jb).
  [[nodiscard]] Alternatives sum(const Alternatives& a, const Alternatives& b) {
    Alternatives out;
    for (const auto& left : a) {
      for (const auto& right : b) {
        std::vector<Expr> all;
        for (const Expr x : left) {
          for (const Expr y : right) all.push_back(graph_.add(x, y));
        }
        out.push_back(std::move(all));
      }
    }
    return checked(std::move(out));
  }
  /// -min_i max_a A_ia = max_i min_a (-A_ia): distributed over all choices of a.
  [[nodiscard]] Alternatives negated(const Alternatives& a) {
    Alternatives out = {{}};
    for (const auto& all : a) {
      Alternatives next;
      for (const auto& so_far : out) {
        for (const Expr e : all) {
          next.push_back(so_far);
          next.back().push_back(graph_.negate(e));
        }
      }
      out = checked(std::move(next));
      if (out.empty()) return {};
    }
    return a.empty() ? Alternatives{} : out;
  }

  Graph& graph_;
  std::size_t most_;
};

}  // namespace

Alternatives split(Graph& graph, Expr f, std::size_t most) {
  if (!has_kinks(graph, f)) return {{f}};
  return Splitting(graph, most).of(f);
}

}  // namespace zwang::expressions
